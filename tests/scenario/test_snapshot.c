// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Snapshots: going back, going on, and all that may be in the way.

#include "rich_world.h"

typedef struct fixture {
    kn_library *library;
    rich_memory memory;
    kn_world *world;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    f->library = rich_library(0);
    f->world = rich_world_create(f->library, &f->memory);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    bool is_valid = f->world == NULL || kn_world_validate(f->world);
    kn_world_destroy(f->world);
    bool leaks = f->memory.blocks != 0;
    kn_library_destroy(f->library);
    free(f);
    return is_valid && !leaks ? 0 : -1;
}

static uint8_t *take(const kn_world *world, size_t *size)
{
    *size = kn_snapshot_size(world);
    uint8_t *bytes = malloc(*size);
    assert_non_null(bytes);
    size_t written;
    assert_int_equal(kn_snapshot_take(world, bytes, *size, &written), KN_OK);
    assert_int_equal(written, *size);
    return bytes;
}

static void a_restored_world_is_what_it_was(void **state)
{
    fixture *f = *state;
    rich_step(f->world, 10);
    uint64_t hash = kn_world_hash(f->world);
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    rich_step(f->world, 60);
    assert_int_not_equal(kn_world_hash(f->world), hash);
    assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_true(kn_world_validate(f->world));
    free(bytes);
}

// The sync test: each step is taken twice from the same snapshot.
static void a_step_taken_again_gives_the_same_state_and_events(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 200; i++) {
        size_t size;
        uint8_t *bytes = take(f->world, &size);
        rich_step(f->world, 1);
        uint64_t hash = kn_world_hash(f->world);
        kn_events events = kn_world_events(f->world);
        kn_event *first = malloc((events.count + 1) * sizeof(*first));
        assert_non_null(first);
        uint32_t count = events.count;
        for (uint32_t j = 0; j < count; j++) {
            first[j] = events.data[j];
        }
        assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
        rich_step(f->world, 1);
        assert_int_equal(kn_world_hash(f->world), hash);
        events = kn_world_events(f->world);
        assert_int_equal(events.count, count);
        for (uint32_t j = 0; j < count; j++) {
            assert_int_equal(events.data[j].type, first[j].type);
            assert_int_equal(events.data[j].time, first[j].time);
            assert_true(kn_entity_id_equal(events.data[j].entity, first[j].entity));
        }
        free(first);
        free(bytes);
    }
}

static void far_snapshots_can_be_restored_in_any_order(void **state)
{
    fixture *f = *state;
    uint8_t *bytes[8];
    size_t sizes[8];
    uint64_t hashes[8];
    for (uint32_t i = 0; i < 8; i++) {
        rich_step(f->world, 17);
        bytes[i] = take(f->world, &sizes[i]);
        hashes[i] = kn_world_hash(f->world);
    }
    const uint32_t order[8] = {3, 7, 0, 6, 1, 5, 2, 4};
    for (uint32_t i = 0; i < 8; i++) {
        uint32_t at = order[i];
        assert_int_equal(kn_snapshot_restore(f->world, bytes[at], sizes[at]), KN_OK);
        assert_int_equal(kn_world_hash(f->world), hashes[at]);
        assert_true(kn_world_validate(f->world));
        if (at < 7) {
            rich_step(f->world, 17);
            assert_int_equal(kn_world_hash(f->world), hashes[at + 1]);
        }
    }
    for (uint32_t i = 0; i < 8; i++) {
        free(bytes[i]);
    }
}

static void a_warm_world_allocates_nothing(void **state)
{
    fixture *f = *state;
    rich_step(f->world, 200);
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    rich_step(f->world, 8);
    assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
    rich_step(f->world, 8);
    uint64_t before = kn_world_get_stats(f->world).allocations;
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
        rich_step(f->world, 8);
    }
    assert_int_equal(kn_world_get_stats(f->world).allocations, before);
    free(bytes);
}

// Another world of the library has met the attribute sets in another order.
static void a_second_world_takes_the_snapshot_of_the_first(void **state)
{
    fixture *f = *state;
    kn_world *plain = rich_empty_world(f->library, NULL);
    kn_world *other = rich_empty_world(f->library, NULL);
    kn_attribute_set_id vitals = kn_attribute_set_find(f->library, "Vitals");
    kn_attribute_set_id weapon = kn_attribute_set_find(f->library, "Weapon");
    kn_entity_id a, b, c;
    assert_int_equal(kn_entity_create(plain, &a), KN_OK);
    assert_int_equal(kn_entity_create(plain, &b), KN_OK);
    assert_int_equal(kn_attribute_set_add(plain, a, vitals, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(plain, b, weapon, 7), KN_OK);
    rich_apply(plain, "Haste", a, a);
    rich_apply(plain, "Edge", a, b);
    assert_int_equal(kn_entity_create(other, &c), KN_OK);
    assert_int_equal(kn_attribute_set_add(other, c, weapon, 7), KN_OK);
    size_t size;
    uint8_t *bytes = take(plain, &size);
    assert_int_equal(kn_snapshot_restore(other, bytes, size), KN_OK);
    assert_true(kn_world_validate(other));
    assert_same_worlds(plain, other);
    rich_step(plain, 30);
    rich_step(other, 30);
    assert_same_worlds(plain, other);
    free(bytes);
    kn_world_destroy(plain);
    kn_world_destroy(other);
}

static void a_world_without_the_run_time_types_refuses(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    kn_world *other = rich_empty_world(f->library, NULL);
    uint64_t hash = kn_world_hash(other);
    assert_int_equal(kn_snapshot_restore(other, bytes, size), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_world_hash(other), hash);
    free(bytes);
    // One that has made the same ones takes it.
    kn_world_destroy(other);
    other = rich_world_create(f->library, NULL);
    rich_step(f->world, 3);
    bytes = take(f->world, &size);
    assert_int_equal(kn_snapshot_restore(other, bytes, size), KN_OK);
    assert_same_worlds(f->world, other);
    free(bytes);
    kn_world_destroy(other);
}

static void foreign_and_short_buffers_are_refused(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    uint64_t hash = kn_world_hash(f->world);
    for (size_t length = 0; length < size; length += 97) {
        assert_int_equal(kn_snapshot_restore(f->world, bytes, length), KN_ERROR_BAD_DATA);
    }
    bytes[0] ^= 1;
    assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_ERROR_BAD_DATA);
    bytes[0] ^= 1;
    kn_library *library = rich_library(1);
    kn_world *other = rich_empty_world(library, NULL);
    assert_int_equal(kn_snapshot_restore(other, bytes, size), KN_ERROR_BAD_DATA);
    kn_world_destroy(other);
    kn_library_destroy(library);
    assert_int_equal(kn_world_hash(f->world), hash);
    size_t written = 0;
    assert_int_equal(
        kn_snapshot_take(f->world, bytes, size - 1, &written), KN_ERROR_BUFFER_TOO_SMALL);
    free(bytes);
}

// Whatever allocation fails, the world stays whole.
static void running_out_of_memory_leaves_the_world_as_it_was(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 300; i++) { // a world that has grown
        kn_entity_id entity;
        assert_int_equal(kn_entity_create(f->world, &entity), KN_OK);
        rich_apply(f->world, "Quick", entity, entity);
        rich_extension(f->world, entity);
    }
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint32_t failures = 0;
    for (uint64_t at = 1; result != KN_OK; at++) {
        rich_memory memory = {0};
        kn_world *other = rich_world_create(f->library, &memory);
        uint64_t hash = kn_world_hash(other);
        memory.calls = 0;
        memory.fail_at = at;
        result = kn_snapshot_restore(other, bytes, size);
        memory.fail_at = 0;
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_int_equal(kn_world_hash(other), hash);
            assert_true(kn_world_validate(other));
            rich_step(other, 2);
            failures++;
        } else {
            assert_same_worlds(f->world, other);
        }
        kn_world_destroy(other);
        assert_int_equal(memory.blocks, 0);
    }
    assert_true(failures > 5);
    free(bytes);
}

// A world that broke in the middle of a step is whole again.
static void a_snapshot_mends_a_broken_world(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    uint64_t hash = kn_world_hash(f->world);
    bool broke = false;
    for (uint32_t i = 0; i < 400 && !broke; i++) {
        f->memory.calls = 0;
        f->memory.fail_at = 1;
        kn_result result = kn_world_step(f->world, KN_MS(500));
        f->memory.fail_at = 0;
        broke = kn_world_is_broken(f->world);
        if (!broke && result != KN_OK) {
            assert_int_equal(kn_world_step(f->world, KN_MS(1)), KN_OK);
        }
    }
    assert_true(broke);
    assert_int_equal(kn_world_step(f->world, KN_MS(1)), KN_ERROR_WORLD_BROKEN);
    uint8_t small[1];
    size_t written;
    assert_int_equal(kn_snapshot_take(f->world, small, 1, &written), KN_ERROR_WORLD_BROKEN);
    assert_int_equal(kn_save_write(f->world, NULL, 0, &written), KN_ERROR_WORLD_BROKEN);
    assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
    assert_false(kn_world_is_broken(f->world));
    assert_int_equal(kn_world_hash(f->world), hash);
    rich_step(f->world, 20);
    free(bytes);
}

// Rules may not restore, nor may listeners.
static kn_result listener_result;
static const uint8_t *listener_bytes;
static size_t listener_size;

static void try_restore(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    (void)event;
    listener_result = kn_snapshot_restore(world, listener_bytes, listener_size);
}

static void a_listener_may_not_restore(void **state)
{
    fixture *f = *state;
    size_t size;
    uint8_t *bytes = take(f->world, &size);
    listener_bytes = bytes;
    listener_size = size;
    listener_result = KN_OK;
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_ATTRIBUTE_CHANGED;
    def.function = try_restore;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
    rich_step(f->world, 30);
    assert_int_equal(listener_result, KN_ERROR_WORLD_LOCKED);
    assert_int_equal(kn_snapshot_restore(f->world, bytes, size), KN_OK);
    assert_int_equal(kn_listener_count(f->world), 1);
    free(bytes);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(a_restored_world_is_what_it_was, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_step_taken_again_gives_the_same_state_and_events, setup, teardown),
    cmocka_unit_test_setup_teardown(far_snapshots_can_be_restored_in_any_order, setup, teardown),
    cmocka_unit_test_setup_teardown(a_warm_world_allocates_nothing, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_second_world_takes_the_snapshot_of_the_first, setup, teardown),
    cmocka_unit_test_setup_teardown(a_world_without_the_run_time_types_refuses, setup, teardown),
    cmocka_unit_test_setup_teardown(foreign_and_short_buffers_are_refused, setup, teardown),
    cmocka_unit_test_setup_teardown(
        running_out_of_memory_leaves_the_world_as_it_was, setup, teardown),
    cmocka_unit_test_setup_teardown(a_snapshot_mends_a_broken_world, setup, teardown),
    cmocka_unit_test_setup_teardown(a_listener_may_not_restore, setup, teardown),
};

TEST_GROUP(test_snapshot, tests, NULL, NULL);
