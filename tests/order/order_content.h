// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of the order kit share that play content: a world of YAML with a grid, players and
// units.
#ifndef KNACK_ORDER_CONTENT_H
#define KNACK_ORDER_CONTENT_H

#include "group.h"

#include "knack/data.h"
#include "knack/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct field {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id us, them; // players
} field;

static inline kn_result grid_prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_grid_register(library, NULL, error);
}

static inline kn_library *library_load(const kn_kit *kits, uint32_t kit_count, const char *text)
{
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library = NULL;
    def.kits = kits;
    def.kit_count = kit_count;
    def.prepare = grid_prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "field.yaml", text, strlen(text)), KN_OK);
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    kn_data_destroy(data);
    return library;
}

// A world of a library, which it then owns, with two players.
static inline void field_begin(field *f, kn_library *library)
{
    *f = (field){.library = library};
    kn_world_def def = kn_world_def_default();
    def.library = library;
    assert_int_equal(kn_world_create(&def, &f->world), KN_OK);
    kn_grid_def grid = kn_grid_def_default();
    grid.world = f->world;
    assert_int_equal(kn_grid_create(&grid, &f->grid), KN_OK);
    kn_world_set_space(f->world, kn_grid_space(f->grid));
    assert_int_equal(kn_entity_create(f->world, &f->us), KN_OK);
    assert_int_equal(kn_entity_create(f->world, &f->them), KN_OK);
}

static inline void field_end(field *f)
{
    assert_true(kn_world_validate(f->world));
    kn_grid_destroy(f->grid);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
}

static inline void body_place(field *f, kn_entity_id entity, float x, float y)
{
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0};
    assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_OK);
}

static inline kn_vec3 place_of(const field *f, kn_entity_id entity)
{
    kn_vec3 at;
    assert_true(kn_space_position(kn_grid_space(f->grid), f->world, entity, &at));
    return at;
}

// An entity of an archetype, at a place; the owner may be null.
static inline kn_entity_id unit_at(
    field *f, const char *archetype, kn_entity_id owner, float x, float y)
{
    kn_entity_id entity;
    kn_archetype_id type = kn_archetype_find(f->library, archetype);
    assert_int_equal(kn_archetype_spawn(f->world, type, 1, &entity), KN_OK);
    assert_int_equal(kn_entity_set_owner(f->world, entity, owner), KN_OK);
    body_place(f, entity, x, y);
    return entity;
}

static inline void run_ms(field *f, uint32_t ms)
{
    for (uint32_t done = 0; done < ms; done += 50) {
        assert_int_equal(kn_world_step(f->world, KN_MS(50)), KN_OK);
    }
}

static inline kn_order_type_id type_named(const field *f, const char *name)
{
    kn_order_type_id type = kn_order_type_find(f->library, name);
    assert_int_not_equal(type.index1, 0);
    return type;
}

static inline const char *current_of(const field *f, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, unit, &info));
    const kn_order_type_def *def = kn_order_type_get_def(f->library, info.current.type);
    return def != NULL ? def->name : "none";
}

static inline float value_of(const field *f, kn_entity_id entity, const char *attribute)
{
    return kn_attribute_value(f->world, entity, kn_attribute_find(f->library, attribute));
}

static inline void tag_add(field *f, kn_entity_id entity, const char *tag)
{
    assert_int_equal(
        kn_entity_add_tag(f->world, entity, kn_tag_find(f->library, tag), KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
}

static inline void tag_remove(field *f, kn_entity_id entity, const char *tag)
{
    assert_int_equal(kn_entity_remove_tag(
                         f->world, entity, kn_tag_find(f->library, tag), KN_TAG_ORIGIN_LOOSE, 1),
        KN_OK);
}

#endif
