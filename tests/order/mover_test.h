// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of movements share: a world with walkers that a mover moves, and one that the host
// moves.
#ifndef KNACK_MOVER_TEST_H
#define KNACK_MOVER_TEST_H

#include "group.h"

#include "knack/mover.h"
#include "knack/tree.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../scenario/world_copies.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

typedef struct seen_move {
    kn_entity_id entity;
    kn_time time;
    kn_move_info info;
    bool is_end;
} seen_move;

typedef struct fixture {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_mover_def walk_def;
    kn_mover_id walk;
    kn_tag soldier;
    kn_attribute_set_id legs;
    kn_attribute_id pace;
    kn_entity_id a, b; // a mover moves them
    kn_entity_id pawn; // the host moves it
    kn_entity_id flag; // stands somewhere
    seen_move seen[64];
    uint32_t seen_count;
} fixture;

#include "kit_test.h"

static inline fixture *fixture_create(void)
{
    fixture *f = calloc(1, sizeof(*f));
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    assert_non_null(f);
    assert_int_equal(kn_library_create(&def, &f->library), KN_OK);
    if (kn_order_register(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    f->soldier = tag_named(f, "Unit.Soldier");
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Pace";
    attribute.default_value = 4.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Legs";
    set.attributes = &attribute;
    set.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &f->legs, NULL), KN_OK);
    f->pace = kn_attribute_find(f->library, "Legs.Pace");
    f->walk_def = kn_mover_def_default();
    f->walk_def.name = "Walk";
    f->walk_def.tag = f->soldier;
    f->walk_def.speed = 4.0f;
    return f;
}

static inline kn_entity_id body_make(fixture *f, float x, float y)
{
    kn_entity_id entity;
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, y, 0};
    assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
    assert_int_equal(kn_grid_set_body(f->grid, entity, &body), KN_OK);
    return entity;
}

static inline kn_entity_id walker_make(fixture *f, float x, float y)
{
    kn_entity_id entity = body_make(f, x, y);
    assert_int_equal(
        kn_entity_add_tag(f->world, entity, f->soldier, KN_TAG_ORIGIN_LOOSE, 1), KN_OK);
    assert_int_equal(kn_mover_get(f->world, entity).index1, f->walk.index1);
    return entity;
}

static inline void world_make(fixture *f, kn_world **world, kn_grid **grid)
{
    kn_world_def def = kn_world_def_default();
    kn_grid_def grid_def = kn_grid_def_default();
    def.library = f->library;
    assert_int_equal(kn_world_create(&def, world), KN_OK);
    grid_def.world = *world;
    assert_int_equal(kn_grid_create(&grid_def, grid), KN_OK);
    kn_world_set_space(*world, kn_grid_space(*grid));
}

// Registers the mover, and begins.
static inline void begin(fixture *f)
{
    kn_error error = {0};
    if (kn_mover_register(f->library, &f->walk_def, &f->walk, &error) != KN_OK ||
        kn_library_finish(f->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    world_make(f, &f->world, &f->grid);
    f->a = walker_make(f, 0, 0);
    f->b = walker_make(f, 0, 50);
    f->pawn = body_make(f, 0, 100);
    f->flag = body_make(f, 20, 0);
}

static inline void events_see(fixture *f)
{
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type != KN_EVENT_CUSTOM) {
            continue;
        }
        const char *name = kn_custom_event_name(f->library, event->data.custom.kind);
        if (strncmp(name, "Knack.Move", 10) == 0) {
            assert_true(f->seen_count < COUNT(f->seen));
            const kn_move_info *info = kn_event_payload(f->world, event, &size);
            assert_int_equal(size, sizeof(*info));
            f->seen[f->seen_count++] = (seen_move){
                event->entity, event->time, *info, strcmp(name, "Knack.MoveEnded") == 0};
        }
    }
}

static inline void step(fixture *f, kn_time dt)
{
    assert_int_equal(kn_world_step(f->world, dt), KN_OK);
    events_see(f);
}

// Steps of a frame rate until a time.
static inline void play(fixture *f, uint32_t rate, kn_time until)
{
    for (uint64_t i = 1; kn_world_now(f->world) < until; i++) {
        kn_time next = (kn_time)(i * 1000000 / rate);
        next = next < until ? next : until;
        if (next > kn_world_now(f->world)) {
            step(f, next - kn_world_now(f->world));
        }
    }
}

static inline kn_vec3 place_of(fixture *f, kn_entity_id entity)
{
    kn_body body;
    assert_true(kn_grid_get_body(f->grid, entity, &body));
    return body.position;
}

static inline kn_move_info info_of(fixture *f, kn_entity_id entity)
{
    kn_move_info info;
    assert_true(kn_move_get_info(f->world, entity, &info));
    return info;
}

static inline uint32_t go(fixture *f, kn_entity_id entity, float x, float y, float range)
{
    kn_move move = kn_move_to_point((kn_vec3){x, y, 0}, range);
    uint32_t ticket;
    assert_int_equal(kn_move_start(f->world, entity, &move, &ticket), KN_OK);
    return ticket;
}

static inline uint32_t follow(fixture *f, kn_entity_id entity, kn_entity_id target, float range)
{
    kn_move move = kn_move_to_entity(target, range);
    uint32_t ticket;
    assert_int_equal(kn_move_start(f->world, entity, &move, &ticket), KN_OK);
    return ticket;
}

// The last event about an entity.
static inline const seen_move *last_of(fixture *f, kn_entity_id entity)
{
    for (uint32_t i = f->seen_count; i-- > 0;) {
        if (kn_entity_id_equal(f->seen[i].entity, entity)) {
            return &f->seen[i];
        }
    }
    fail_msg("nothing was seen");
    return NULL;
}

#define EXPECT_AT(entity_, x_, y_)                                                                 \
    do {                                                                                           \
        kn_vec3 at_ = place_of(f, entity_);                                                        \
        assert_float_equal(at_.x, x_, 1e-4);                                                       \
        assert_float_equal(at_.y, y_, 1e-4);                                                       \
    } while (0)
#define EXPECT_ENDED(entity_, result_, time_)                                                      \
    do {                                                                                           \
        const seen_move *last_ = last_of(f, entity_);                                              \
        assert_true(last_->is_end);                                                                \
        assert_int_equal(last_->info.result, result_);                                             \
        assert_int_equal(last_->time, time_);                                                      \
        assert_int_equal(info_of(f, entity_).kind, KN_MOVE_REST);                                  \
        assert_int_equal(info_of(f, entity_).result, result_);                                     \
    } while (0)

static inline int setup_fixture(void **state)
{
    *state = fixture_create();
    return 0;
}

static inline int teardown_fixture(void **state)
{
    fixture *f = *state;
    if (f->world != NULL) {
        assert_true(kn_world_validate(f->world));
    }
    kn_grid_destroy(f->grid);
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
    free(f);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup_fixture, teardown_fixture)

#endif
