// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One script, several worlds, several threads: every thread comes to the same result as one alone.
// The thread sanitizer looks on in the preset "thread".

#include "group.h"

#include "scenario/script_arena.h"

#include <pthread.h>

#define THREADS 4
#define STEPS 240

typedef struct worker {
    pthread_t thread;
    arena arena; // its own world, the library and script of all
    uint64_t hash;
} worker;

static void *work(void *user)
{
    worker *w = user;
    for (uint32_t i = 0; i < STEPS; i++) {
        if (kn_world_step(w->arena.world, KN_MS(20)) != KN_OK) {
            return NULL;
        }
    }
    w->hash = kn_world_hash(w->arena.world);
    return NULL;
}

static void prepare(worker *w, const arena *shared, uint64_t seed)
{
    w->hash = 0;
    w->arena = (arena){.library = shared->library, .script = shared->script};
    arena_world(&w->arena, seed);
    arena_populate(&w->arena);
}

static void release(worker *w)
{
    kn_grid_destroy(w->arena.grid);
    kn_world_destroy(w->arena.world);
}

static void worlds_on_several_threads_share_a_script(void **state)
{
    (void)state;
    arena shared;
    arena_open(&shared);
    static worker alone[2], together[THREADS];
    for (uint32_t i = 0; i < 2; i++) {
        prepare(&alone[i], &shared, 5 + i);
        (void)work(&alone[i]);
        assert_int_not_equal(alone[i].hash, 0);
    }
    assert_true(alone[0].hash != alone[1].hash);
    for (uint32_t i = 0; i < THREADS; i++) {
        prepare(&together[i], &shared, 5 + i % 2);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&together[i].thread, NULL, work, &together[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(together[i].thread, NULL), 0);
        assert_true(together[i].hash == alone[i % 2].hash);
    }
    assert_in_range(kn_script_get_stats(shared.script).machines, 1, THREADS);
    assert_int_equal(kn_script_error_count(shared.script), 0);
    for (uint32_t i = 0; i < THREADS; i++) {
        release(&together[i]);
    }
    release(&alone[0]);
    release(&alone[1]);
    arena_close(&shared);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(worlds_on_several_threads_share_a_script),
};

TEST_GROUP(script_threads, tests, NULL, NULL);
