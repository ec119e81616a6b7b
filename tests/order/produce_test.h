// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of production share: content as text, a world with a grid and two players, and short
// words for looking at it.
#ifndef KNACK_PRODUCE_TEST_H
#define KNACK_PRODUCE_TEST_H

#include "knack/data.h"
#include "knack/order_produce.h"

#include "scenario/world_copies.h"

#include <stdio.h>

typedef struct yard {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id player, rival;
    char log[4096];
} yard;

static inline kn_data *data_with(
    const char *text, kn_result (*prepare)(void *, kn_library *, kn_error *))
{
    static const kn_kit kits[] = {
        {"order", kn_order_register}, {"production", kn_order_produce_register}};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    def.kits = kits;
    def.kit_count = 2;
    def.warn = false;
    def.prepare = prepare;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "yard.yaml", text, strlen(text)), KN_OK);
    return data;
}

static inline kn_library *library_build(kn_data *data)
{
    kn_library *library = NULL;
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; result != KN_OK && i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        print_message("%s\n", line);
    }
    assert_int_equal(result, KN_OK);
    kn_data_destroy(data);
    return library;
}

static inline kn_tag tag_of(const yard *y, const char *name)
{
    kn_tag tag = kn_tag_find(y->library, name);
    assert_int_not_equal(tag.index1, 0);
    return tag;
}

static inline void gain(yard *y, kn_entity_id entity, const char *tag)
{
    assert_int_equal(
        kn_entity_add_tag(y->world, entity, tag_of(y, tag), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void lose(yard *y, kn_entity_id entity, const char *tag)
{
    assert_int_equal(
        kn_entity_remove_tag(y->world, entity, tag_of(y, tag), KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
}

static inline void place(yard *y, kn_entity_id entity, float x, float z, float radius)
{
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, z, 0};
    body.radius = radius;
    assert_int_equal(kn_grid_set_body(y->grid, entity, &body), KN_OK);
}

static inline kn_entity_id spawn(yard *y, const char *archetype, kn_entity_id owner)
{
    kn_entity_id entity;
    kn_archetype_id id = kn_archetype_find(y->library, archetype);
    assert_int_equal(kn_archetype_spawn(y->world, id, 1, &entity), KN_OK);
    assert_int_equal(kn_entity_set_owner(y->world, entity, owner), KN_OK);
    return entity;
}

static inline kn_entity_id spawn_at(
    yard *y, const char *archetype, kn_entity_id owner, float x, float z)
{
    kn_entity_id entity = spawn(y, archetype, owner);
    place(y, entity, x, z, 1);
    return entity;
}

static inline float stock(const yard *y, kn_entity_id entity, const char *attribute)
{
    return kn_attribute_base(y->world, entity, kn_attribute_find(y->library, attribute));
}

static inline void stock_set(yard *y, kn_entity_id entity, const char *attribute, float value)
{
    assert_int_equal(
        kn_attribute_set_base(y->world, entity, kn_attribute_find(y->library, attribute), 0, value),
        KN_OK);
}

static inline kn_product_id product(const yard *y, const char *name)
{
    kn_product_id id = kn_product_find(y->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static inline kn_order_type_id order_type(const yard *y, const char *name)
{
    kn_order_type_id id = kn_order_type_find(y->library, name);
    assert_int_not_equal(id.index1, 0);
    return id;
}

static inline void step(yard *y, kn_time time)
{
    assert_int_equal(kn_world_step(y->world, time), KN_OK);
}

// Writes what happened to production in the last step, such as "queued(Soldier) started(Soldier)".
static inline const char *happened(yard *y)
{
    kn_events events = kn_world_events(y->world);
    size_t length = 0;
    y->log[0] = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM) {
            continue;
        }
        const char *name = kn_custom_event_name(y->library, event->data.custom.kind);
        if (strncmp(name, "Knack.Product", 13) != 0) {
            continue;
        }
        const kn_product_event *payload = kn_event_payload(y->world, event, &size);
        length += (size_t)snprintf(y->log + length, sizeof(y->log) - length, "%s%s(%s)",
            length > 0 ? " " : "", name + 13,
            kn_product_get_def(y->library, payload->product)->name);
        assert_true(length < sizeof(y->log));
    }
    return y->log;
}

// The last event of a kind in the last step.
static inline kn_product_event last_event(const yard *y, const char *name)
{
    kn_events events = kn_world_events(y->world);
    for (uint32_t i = events.count; i > 0; i--) {
        const kn_event *event = &events.data[i - 1];
        uint32_t size;
        if (event->type == KN_EVENT_CUSTOM &&
            strcmp(kn_custom_event_name(y->library, event->data.custom.kind), name) == 0) {
            return *(const kn_product_event *)kn_event_payload(y->world, event, &size);
        }
    }
    fail_msg("no event %s", name);
    return (kn_product_event){0};
}

static inline kn_world *world_of(kn_library *library, bool is_client)
{
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    def.library = library;
    def.is_client = is_client;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static inline void grid_begin(yard *y)
{
    kn_grid_def grid = kn_grid_def_default();
    grid.world = y->world;
    assert_int_equal(kn_grid_create(&grid, &y->grid), KN_OK);
    kn_world_set_space(y->world, kn_grid_space(y->grid));
}

// A world of a library, with two players who have the archetype Player.
static inline yard *yard_of(kn_library *library)
{
    yard *y = calloc(1, sizeof(*y));
    assert_non_null(y);
    y->library = library;
    y->world = world_of(library, false);
    grid_begin(y);
    y->player = spawn(y, "Player", (kn_entity_id){0});
    y->rival = spawn(y, "Player", (kn_entity_id){0});
    return y;
}

static inline void yard_destroy(yard *y)
{
    assert_true(kn_world_validate(y->world));
    kn_grid_destroy(y->grid);
    kn_world_destroy(y->world);
    kn_library_destroy(y->library);
    free(y);
}

#endif
