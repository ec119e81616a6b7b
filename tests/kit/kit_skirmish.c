// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A whole skirmish: everything of the kit happens in it, and what holds for every world holds for
// one with a kit. The determinism tests have its hash, and save, load and roll it back.

#include "group.h"

#include "skirmish.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HERTZ 30
#define SECONDS 20

static kn_library *library;

static void log_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

static int group_setup(void **state)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    (void)state;
    if (kn_library_create(&def, &library) != KN_OK || skirmish_declare(library, &error) != KN_OK ||
        kn_library_finish(library, &error) != KN_OK) {
        print_error("%s\n", error.message);
        return -1;
    }
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    kn_library_destroy(library);
    return 0;
}

static kn_world *world_create(const kn_hooks *hooks)
{
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    def.library = library;
    def.hooks = hooks != NULL ? *hooks : (kn_hooks){.log_fn = log_nothing};
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    return world;
}

static void step(kn_world *world)
{
    assert_int_equal(kn_world_step(world, KN_S(1) / HERTZ), KN_OK);
}

static void everything_of_the_kit_happens(void **state)
{
    static const char *const names[] = {"CastStarted", "CastPushed", "CastEnded",
        "BehaviourChanged", "OrderStarted", "OrderEnded", "OrderRefused"};
    uint32_t counts[7] = {0};
    uint32_t endings[256] = {0};
    kn_world *world = world_create(NULL);
    (void)state;
    assert_int_equal(skirmish_populate(world), KN_OK);
    for (uint32_t i = 0; i < SECONDS * HERTZ; i++) {
        step(world);
        kn_events events = kn_world_events(world);
        for (uint32_t k = 0; k < events.count; k++) {
            const kn_event *event = &events.data[k];
            for (uint32_t n = 0; event->type == KN_EVENT_CUSTOM && n < 7; n++) {
                counts[n] +=
                    strcmp(kn_custom_event_name(library, event->data.custom.kind), names[n]) == 0;
            }
            if (event->type == KN_EVENT_ABILITY_ENDED) {
                endings[event->data.ability.end_reason & 255]++;
            }
        }
    }
    for (uint32_t n = 0; n < 7; n++) {
        if (counts[n] == 0) {
            fail_msg("no event %s", names[n]);
        }
    }
    for (kn_end_reason reason = KN_END_REASON_COUNT; kn_end_reason_get_def(library, reason) != NULL;
         reason++) {
        if (endings[reason] == 0) {
            fail_msg("nothing ended as %s", kn_library_end_reason_name(library, reason));
        }
    }
    assert_true(kn_world_validate(world));
    kn_world_destroy(world);
}

// The whole skirmish once, to know how much room it takes; then the same again from the start.
static void a_warm_step_allocates_nothing(void **state)
{
    kn_world *world = world_create(NULL);
    (void)state;
    assert_int_equal(skirmish_populate(world), KN_OK);
    size_t size = kn_snapshot_size(world);
    void *beginning = malloc(size);
    assert_non_null(beginning);
    assert_int_equal(kn_snapshot_take(world, beginning, size, &size), KN_OK);
    for (uint32_t i = 0; i < SECONDS * HERTZ; i++) {
        step(world);
    }
    uint64_t hash = kn_world_hash(world);
    assert_int_equal(kn_snapshot_restore(world, beginning, size), KN_OK);
    free(beginning);
    for (uint32_t i = 0; i < SECONDS * HERTZ; i++) {
        uint64_t before = kn_world_get_stats(world).allocations;
        step(world);
        assert_int_equal(kn_world_get_stats(world).allocations, before);
    }
    assert_true(kn_world_hash(world) == hash);
    kn_world_destroy(world);
}

// Memory moves on every call: a pointer of the kit that is kept too long would be found.
static void pointers_are_not_kept(void **state)
{
    kn_world *world = world_create(NULL), *moving = world_create(NULL);
    (void)state;
    kn_world_set_moving(moving, true);
    assert_int_equal(skirmish_populate(world), KN_OK);
    assert_int_equal(skirmish_populate(moving), KN_OK);
    for (uint32_t i = 0; i < SECONDS * HERTZ; i++) {
        step(world);
        step(moving);
    }
    assert_true(kn_world_hash(world) == kn_world_hash(moving));
    kn_world_destroy(world);
    kn_world_destroy(moving);
}

// Memory that runs out ------------------------------------------------------------------

typedef struct budget {
    uint64_t left; // allocations until there is no more
} budget;

static void *limited_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    budget *b = user;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    if (new_size > old_size) {
        if (b->left == 0) {
            return NULL;
        }
        b->left--;
    }
    return realloc(ptr, new_size);
}

static void running_out_of_memory_breaks_nothing_else(void **state)
{
    budget memory = {UINT64_MAX};
    kn_hooks hooks = {limited_realloc, &memory, log_nothing, NULL};
    kn_world *world = world_create(&hooks);
    (void)state;
    assert_int_equal(skirmish_populate(world), KN_OK);
    size_t size = kn_snapshot_size(world);
    void *beginning = malloc(size);
    assert_non_null(beginning);
    assert_int_equal(kn_snapshot_take(world, beginning, size, &size), KN_OK);
    bool is_over = false;
    for (uint64_t left = 0; !is_over && left < 1000; left++) {
        kn_world_destroy(world);
        memory.left = UINT64_MAX;
        world = world_create(&hooks);
        assert_int_equal(kn_snapshot_restore(world, beginning, size), KN_OK);
        memory.left = left;
        kn_result result = KN_OK;
        for (uint32_t i = 0; i < 4 * HERTZ && result == KN_OK; i++) {
            result = kn_world_step(world, KN_S(1) / HERTZ);
        }
        assert_true(
            result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
        is_over = result == KN_OK && memory.left > 0;
        memory.left = UINT64_MAX;
        assert_int_equal(kn_snapshot_restore(world, beginning, size), KN_OK); // repairs it
        assert_true(kn_world_validate(world));
    }
    assert_true(is_over);
    free(beginning);
    kn_world_destroy(world);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(everything_of_the_kit_happens),
    cmocka_unit_test(a_warm_step_allocates_nothing),
    cmocka_unit_test(pointers_are_not_kept),
    cmocka_unit_test(running_out_of_memory_breaks_nothing_else),
};

TEST_GROUP(kit_skirmish, tests, group_setup, group_teardown);
