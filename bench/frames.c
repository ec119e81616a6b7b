// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes that cost time every frame.

#include "fixture.h"

// Steps whole seconds at 60 Hz: the mean of a frame, and the allocations of all.
static void measure_frames(bench *bench, const fixture *fixture, uint32_t seconds)
{
    uint32_t frames = 60 * seconds;
    uint64_t events = 0;
    uint64_t before = kn_world_get_stats(fixture->world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < frames; i++) {
        fixture_step(fixture, FIXTURE_FRAME);
        events += kn_world_events(fixture->world).count;
    }
    double end = bench_now_ns();
    uint64_t after = kn_world_get_stats(fixture->world).allocations;
    bench_use(events);
    bench_note(bench, "frame_ms", (end - start) / frames * 1e-6, "ms");
    bench_note(bench, "allocations", (double)(after - before), "count");
}

static void warm_up(const fixture *fixture, uint32_t seconds)
{
    for (uint32_t i = 0; i < 60 * seconds; i++) {
        fixture_step(fixture, FIXTURE_FRAME);
    }
}

static void measure_dots(bench *bench, const kn_effect_type_id *types, uint32_t entities,
    uint32_t type_count, uint32_t seconds)
{
    fixture fixture;
    fixture_init(&fixture);
    const kn_effect_type_id *chosen = types != NULL ? types : fixture.dots;
    kn_world_def def = fixture_world_def(&fixture, entities, entities * type_count);
    fixture_populate(&fixture, &def, entities);
    fixture_spread(&fixture, chosen, type_count, KN_S(1));
    warm_up(&fixture, 2);
    measure_frames(bench, &fixture, seconds);
    fixture_free(&fixture);
}
