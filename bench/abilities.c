// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about abilities: starting one, being refused, and waiting.

#include "fixture.h"

#define ACTORS 1000
#define ROUNDS 100

static kn_ability_id granted(const bench_fixture *fixture, uint32_t actor, kn_ability_type_id type)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    kn_ability_id ability;
    bench_check(kn_ability_grant(fixture->world, fixture->entities[actor], &def, &ability),
        "kn_ability_grant");
    return ability;
}

// A thousand actors with a few effects and one ability each.
static void prepare(bench_fixture *fixture, kn_ability_id *bolts)
{
    fixture_init(fixture);
    kn_world_def def = fixture_world_def(fixture, ACTORS, ACTORS * 8);
    def.event_capacity = ACTORS * 16;
    fixture_populate(fixture, &def, ACTORS);
    fixture_spread(fixture, fixture->slow_dots, 3, KN_S(1));
    for (uint32_t i = 0; i < ACTORS; i++) {
        bolts[i] = granted(fixture, i, fixture->bolt);
    }
    fixture_step(fixture, 0);
}

static void activate_all(const bench_fixture *fixture, const kn_ability_id *bolts)
{
    for (uint32_t i = 0; i < ACTORS; i++) {
        kn_result result = kn_ability_activate(fixture->world, bolts[i], NULL, NULL);
        if (result != KN_OK) {
            bench_check(result, "kn_ability_activate");
        }
    }
}

// An ability from start to end: checked, committed with a cost and a cooldown, ended.
void bench_activate(bench_report *bench)
{
    static kn_ability_id bolts[ACTORS];
    bench_fixture fixture;
    prepare(&fixture, bolts);
    double total = 0.0;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        double start = bench_now_ns();
        activate_all(&fixture, bolts);
        double end = bench_now_ns();
        fixture_step(&fixture, KN_S(1)); // cooldowns run out
        total += round > 0 ? end - start : 0.0;
    }
    bench_note(bench, "op_ns", total / (ACTORS * ROUNDS), "ns");
    fixture_free(&fixture);
}

// Asking why not: on cooldown, and the cost cannot be paid.
void bench_refuse(bench_report *bench)
{
    static kn_ability_id bolts[ACTORS];
    bench_fixture fixture;
    prepare(&fixture, bolts);
    activate_all(&fixture, bolts);
    for (uint32_t i = 0; i < ACTORS; i++) {
        bench_check(
            kn_attribute_set_base(fixture.world, fixture.entities[i], fixture.health, 0, 0.5f),
            "kn_attribute_set_base");
    }
    fixture_step(&fixture, 0);
    uint64_t both = 0;
    double start = bench_now_ns();
    for (uint32_t round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < ACTORS; i++) {
            uint32_t reasons = kn_ability_check(fixture.world, bolts[i], NULL);
            both += reasons == (KN_FAIL_COOLDOWN | KN_FAIL_COST);
        }
    }
    double end = bench_now_ns();
    if (both != (uint64_t)ROUNDS * ACTORS) {
        bench_check(KN_REFUSED_NOT_FOUND, "both reasons");
    }
    bench_note(bench, "op_ns", (end - start) / (ACTORS * ROUNDS), "ns");
    fixture_free(&fixture);
}

#define WAITERS 10000
#define WAITS_EACH 10
#define SHORT_WAITS 6000 // of a second each: 100 a frame

// Ten tasks on each of that many actors. Most wait for about an hour; a sixtieth of `short_waits`
// is due each frame, report to their ability and are made anew.
static void prepare_waiters(bench_fixture *fixture, uint32_t waiters, uint32_t short_waits)
{
    fixture_init(fixture);
    kn_world_def def = fixture_world_def(fixture, waiters, 0);
    fixture_populate(fixture, &def, waiters);
    uint64_t random = 1;
    for (uint32_t i = 0; i < waiters; i++) {
        kn_activation_id activation;
        bench_check(kn_ability_activate(
                        fixture->world, granted(fixture, i, fixture->waiter), NULL, &activation),
            "kn_ability_activate");
        for (uint32_t wait = 0; wait < WAITS_EACH; wait++) {
            bool is_short = wait == 0 && i < short_waits;
            kn_time delay = is_short ? KN_US(bench_random_below(&random, 1000000))
                                     : KN_S(1800) + KN_MS(bench_random_below(&random, 3600000));
            bench_check(kn_wait_delay(fixture->world, activation, wait, delay), "kn_wait_delay");
        }
        if (i % 256 == 255) {
            fixture_step(fixture, 0);
        }
    }
}

void bench_task_100k(bench_report *bench)
{
    bench_fixture fixture;
    prepare_waiters(&fixture, WAITERS, SHORT_WAITS);
    measure_frames(bench, &fixture, step_only, 120, 60 * 10);
    if (kn_task_count(fixture.world) != WAITERS * WAITS_EACH) {
        bench_check(KN_REFUSED_NOT_FOUND, "all tasks");
    }
    fixture_free(&fixture);
}

// As many are due in each world; then more.
void bench_task_scale(bench_report *bench)
{
    static const char *const tasks[BENCH_SIZES] = {"task_1x_ns", "task_4x_ns", "task_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        bench_fixture fixture;
        prepare_waiters(&fixture, SHORT_WAITS * bench_sizes[i].times, SHORT_WAITS);
        bench_note(bench, bench_sizes[i].metric, frame_ms(&fixture, step_only, 120, 60 * 5), "ms");
        fixture_free(&fixture);
    }
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        bench_fixture fixture;
        uint32_t waiters = SHORT_WAITS * bench_sizes[i].times;
        prepare_waiters(&fixture, waiters, waiters);
        double spent = frame_ms(&fixture, step_only, 120, 60 * 2);
        bench_note(bench, tasks[i], spent * 1e6 * 60 / waiters, "ns");
        fixture_free(&fixture);
    }
}
