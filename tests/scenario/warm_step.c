// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A world that has warmed up steps without asking for memory.

#include "group.h"

#include "scenes/scene.h"

#include <stdlib.h>

#define HERTZ 60

static void expect_no_allocation(const char *name)
{
    const scene_info *scene = scene_find(name);
    kn_library *library;
    kn_world *world;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    assert_int_equal(scene_create_world(scene, library, NULL, &world), KN_OK);

    // The whole scene once, to know how much room it takes; then the same again from the start.
    size_t size = kn_snapshot_size(world);
    void *beginning = malloc(size);
    assert_non_null(beginning);
    assert_int_equal(kn_snapshot_take(world, beginning, size, &size), KN_OK);
    assert_int_equal(scene_run(scene, world, HERTZ), KN_OK);
    uint64_t hash = kn_world_hash(world);
    assert_int_equal(kn_snapshot_restore(world, beginning, size), KN_OK);
    free(beginning);

    for (uint32_t i = 0; i < scene_step_count(scene, HERTZ); i++) {
        uint64_t before = kn_world_get_stats(world).allocations;
        assert_int_equal(scene_step(world, i, HERTZ), KN_OK);
        assert_int_equal(kn_world_get_stats(world).allocations, before);
    }
    assert_true(kn_world_hash(world) == hash);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void warm_scenes_step_without_allocating(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < scene_count; i++) {
        expect_no_allocation(scene_list[i]->name);
    }
}

// Without a rehearsal: a long fight allocates nothing after its first half.
static void steady_fight_stops_allocating(void **state)
{
    (void)state;
    const scene_info *scene = scene_find("duel");
    kn_library *library;
    kn_world *world;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    assert_int_equal(scene_create_world(scene, library, NULL, &world), KN_OK);
    uint32_t count = scene_step_count(scene, HERTZ);
    uint64_t before = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i == count / 2) {
            before = kn_world_get_stats(world).allocations;
        }
        assert_int_equal(scene_step(world, i, HERTZ), KN_OK);
    }
    assert_int_equal(kn_world_get_stats(world).allocations, before);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void an_empty_world_costs_at_most_64_kilobytes_and_grows(void **state)
{
    (void)state;
    const scene_info *scene = scene_find("storm");
    kn_library *library;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_world_step(world, KN_MS(16)), KN_OK);
    }
    kn_world_stats stats = kn_world_get_stats(world);
    assert_in_range(stats.bytes, 1, 64 * 1024);
    assert_int_equal(kn_world_step(world, KN_MS(16)), KN_OK);
    assert_int_equal(kn_world_get_stats(world).allocations, stats.allocations);
    // It grows by doubling: many entities, few allocations.
    for (uint32_t i = 0; i < 10000; i++) {
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    }
    assert_in_range(kn_world_get_stats(world).allocations - stats.allocations, 1, 250);
    assert_int_equal(kn_entity_count(world), 10000);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static void a_world_filled_to_its_capacities_does_not_grow(void **state)
{
    (void)state;
    const uint32_t count = 2000; // enough for the largest headroom
    const scene_info *scene = scene_find("storm");
    kn_library *library;
    assert_int_equal(scene_create_library(scene, NULL, &library, NULL), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.entity_capacity = count;
    def.event_capacity = 4 * count;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    uint64_t bytes = kn_world_get_stats(world).bytes;
    for (uint32_t i = 0; i < count; i++) {
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    }
    assert_int_equal(kn_world_step(world, 0), KN_OK);
    // Lists without a capacity of their own may grow; another 2,000 records would take far more.
    assert_in_range(kn_world_get_stats(world).bytes, bytes, bytes + 16 * 1024);
    kn_world_destroy(world);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(warm_scenes_step_without_allocating),
    cmocka_unit_test(steady_fight_stops_allocating),
    cmocka_unit_test(an_empty_world_costs_at_most_64_kilobytes_and_grows),
    cmocka_unit_test(a_world_filled_to_its_capacities_does_not_grow),
};

TEST_GROUP(warm_step, tests, NULL, NULL);
