// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes that cost time every frame.

#include "fixture.h"

void step_only(bench_fixture *fixture, uint32_t frame)
{
    (void)frame;
    fixture_step(fixture, FIXTURE_FRAME);
}

double frame_ms(bench_fixture *fixture, frame_fn *run, uint32_t warm_frames, uint32_t frames)
{
    uint32_t frame = 0;
    while (frame < warm_frames) {
        run(fixture, frame++);
    }
    uint64_t events = 0;
    double start = bench_now_ns();
    while (frame < warm_frames + frames) {
        run(fixture, frame++);
        events += kn_world_events(fixture->world).count;
    }
    double end = bench_now_ns();
    bench_use(events);
    return (end - start) / frames * 1e-6;
}

void measure_frames(bench_report *bench, bench_fixture *fixture, frame_fn *run,
    uint32_t warm_frames, uint32_t frames)
{
    if (warm_frames > 0) {
        (void)frame_ms(fixture, run, 0, warm_frames);
    }
    uint64_t before = kn_world_get_stats(fixture->world).allocations;
    double spent = frame_ms(fixture, run, 0, frames);
    uint64_t after = kn_world_get_stats(fixture->world).allocations;
    bench_note(bench, "frame_ms", spent, "ms");
    bench_note(bench, "allocations", (double)(after - before), "count");
}

const bench_size bench_sizes[BENCH_SIZES] = {
    {"frame_1x_ms", 1}, {"frame_4x_ms", 4}, {"frame_16x_ms", 16}};

// As many ticks a frame in each world, where the other actors' effects wait; then more ticks.
void bench_dot_scale(bench_report *bench)
{
    const uint32_t busy = 2500;
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        bench_fixture fixture;
        fixture_init(&fixture);
        uint32_t entities = busy * bench_sizes[i].times;
        kn_world_def def = fixture_world_def(&fixture, entities, entities * FIXTURE_DOTS);
        fixture_populate(&fixture, &def, entities);
        for (uint32_t idle = busy; idle < entities; idle++) {
            for (uint32_t kind = 0; kind < FIXTURE_DOTS; kind++) {
                (void)fixture_apply(&fixture, fixture.slow_dots[kind], fixture.entities[idle]);
            }
            fixture_step(&fixture, 0);
        }
        fixture.entity_count = busy;
        fixture_spread(&fixture, fixture.dots, FIXTURE_DOTS, KN_S(1));
        bench_note(bench, bench_sizes[i].metric, frame_ms(&fixture, step_only, 120, 60 * 2), "ms");
        fixture_free(&fixture);
    }
    static const char *const ticks[BENCH_SIZES] = {"tick_1x_ns", "tick_4x_ns", "tick_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) { // all of them tick
        bench_fixture fixture;
        fixture_init(&fixture);
        uint32_t entities = busy * bench_sizes[i].times, effects = entities * FIXTURE_DOTS;
        kn_world_def def = fixture_world_def(&fixture, entities, effects);
        fixture_populate(&fixture, &def, entities);
        fixture_spread(&fixture, fixture.dots, FIXTURE_DOTS, KN_S(1));
        double spent = frame_ms(&fixture, step_only, 120, 60 * 2);
        bench_note(bench, ticks[i], spent * 1e6 * 60 / effects, "ns");
        fixture_free(&fixture);
    }
}

static void measure_dots(bench_report *bench, bool is_idle, uint32_t entities, uint32_t seconds)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    kn_world_def def = fixture_world_def(&fixture, entities, entities * FIXTURE_DOTS);
    fixture_populate(&fixture, &def, entities);
    fixture_spread(&fixture, is_idle ? fixture.slow_dots : fixture.dots, FIXTURE_DOTS, KN_S(1));
    measure_frames(bench, &fixture, step_only, 120, 60 * seconds);
    fixture_free(&fixture);
}

// 10,000 actors with ten effects each, a tick a second, every phase: 1,667 ticks a frame.
void bench_dot_10k(bench_report *bench)
{
    measure_dots(bench, false, 10000, 5);
}

// 100,000 effects that all wait: what a frame costs when nothing is due.
void bench_dot_idle_100k(bench_report *bench)
{
    measure_dots(bench, true, 10000, 10);
}

void bench_dot_1m(bench_report *bench)
{
    measure_dots(bench, false, 100000, 2);
}

// Each actor gets one more stack of each kind every second; a stack lasts four.
static void stack_frame(bench_fixture *fixture, uint32_t frame)
{
    uint64_t total = (uint64_t)fixture->entity_count * FIXTURE_STACKINGS;
    for (uint64_t i = total * (frame % 60) / 60; i < total * (frame % 60 + 1) / 60; i++) {
        // A stride without a common factor: neighbours in time are not neighbours in memory.
        uint64_t pick = i * 7919 % total;
        fixture_apply(fixture, fixture->stackings[pick % FIXTURE_STACKINGS],
            fixture->entities[pick / FIXTURE_STACKINGS]);
    }
    fixture_step(fixture, FIXTURE_FRAME);
}

// As many stacks a frame in each world, where the other actors have effects that wait; then more.
void bench_stack_scale(bench_report *bench)
{
    const uint32_t busy = 1000;
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        bench_fixture fixture;
        fixture_init(&fixture);
        uint32_t entities = busy * bench_sizes[i].times;
        kn_world_def def = fixture_world_def(&fixture, entities, entities * FIXTURE_STACKINGS);
        fixture_populate(&fixture, &def, entities);
        for (uint32_t idle = busy; idle < entities; idle++) {
            for (uint32_t kind = 0; kind < FIXTURE_STACKINGS; kind++) {
                (void)fixture_apply(&fixture, fixture.slow_dots[kind], fixture.entities[idle]);
            }
            fixture_step(&fixture, 0);
        }
        fixture.entity_count = busy;
        bench_note(
            bench, bench_sizes[i].metric, frame_ms(&fixture, stack_frame, 60 * 6, 60 * 2), "ms");
        fixture_free(&fixture);
    }
    static const char *const stacks[BENCH_SIZES] = {"stack_1x_ns", "stack_4x_ns", "stack_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) { // all of them get stacks
        bench_fixture fixture;
        fixture_init(&fixture);
        uint32_t entities = busy * bench_sizes[i].times, effects = entities * FIXTURE_STACKINGS;
        kn_world_def def = fixture_world_def(&fixture, entities, effects);
        fixture_populate(&fixture, &def, entities);
        double spent = frame_ms(&fixture, stack_frame, 60 * 6, 60 * 2);
        bench_note(bench, stacks[i], spent * 1e6 * 60 / effects, "ns");
        fixture_free(&fixture);
    }
}

// 10,000 actors with five kinds of stacks, each stack with a timer of its own.
void bench_stack_10k(bench_report *bench)
{
    bench_fixture fixture;
    fixture_init(&fixture);
    kn_world_def def = fixture_world_def(&fixture, 10000, 10000 * FIXTURE_STACKINGS);
    fixture_populate(&fixture, &def, 10000);
    measure_frames(bench, &fixture, stack_frame, 60 * 10, 60 * 4);
    fixture_free(&fixture);
}
