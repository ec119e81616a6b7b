// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Heroes and minions fighting, found through the grid.

#include "bench.h"

#include "scenes/hero_kit.h"

#define FRAME KN_US(16667)

static const scene_info *kit(void)
{
    const scene_info *scene = scene_find("hero_kit");
    if (scene == NULL) {
        bench_check(KN_REFUSED_NOT_FOUND, "scene hero_kit");
    }
    return scene;
}

static void step(kn_world *world, kn_grid *grid)
{
    kn_grid_sync(grid);
    bench_check(kn_world_step(world, FRAME), "kn_world_step");
}

// A fight: the mean of a frame in milliseconds, and how often memory was allocated.
static double fight(uint32_t fighters, uint32_t warm_frames, uint32_t frames, double *allocations)
{
    kn_library *library;
    kn_error error;
    bench_check(scene_create_library(kit(), NULL, &library, &error), error.message);
    scene_stage stage = {NULL, library, KN_OK};
    bench_check(scene_create_empty_world(library, NULL, &stage.world), "scene_create_empty_world");
    for (uint32_t i = 0; i < fighters; i++) {
        hero_side side = i % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
        kn_vec3 place = {side == HERO_SIDE_LEFT ? -300.0f : 300.0f, 60.0f * (float)i, 0.0f};
        if (i % 4 < 2) {
            hero_kit_add_hero(&stage, side, place, true);
        } else {
            hero_kit_add_minion(&stage, side, place, i % 8 < 4, true);
        }
    }
    bench_check(stage.result, "populating");
    kn_grid_def def = kn_grid_def_default();
    def.world = stage.world;
    def.cell_size = 300.0f;
    kn_grid *grid;
    bench_check(kn_grid_create(&def, &grid), "kn_grid_create");
    kn_world_set_space(stage.world, kn_grid_space(grid));
    for (uint32_t i = 0; i < warm_frames; i++) {
        step(stage.world, grid);
    }
    uint64_t events = 0;
    uint64_t before = kn_world_get_stats(stage.world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < frames; i++) {
        step(stage.world, grid);
        events += kn_world_events(stage.world).count;
    }
    double end = bench_now_ns();
    bench_use(events);
    *allocations = (double)(kn_world_get_stats(stage.world).allocations - before);
    kn_world_destroy(stage.world);
    kn_grid_destroy(grid);
    kn_library_destroy(library);
    return (end - start) / frames * 1e-6;
}

static void measure_fight(bench_report *bench, uint32_t fighters)
{
    double allocations;
    bench_note(bench, "frame_ms", fight(fighters, 600, 300, &allocations), "ms");
    bench_note(bench, "allocations", allocations, "count");
}

void bench_hero_kit_1k(bench_report *bench)
{
    measure_fight(bench, 1000);
}

void bench_hero_kit_4k(bench_report *bench)
{
    measure_fight(bench, 4000);
}

// What a frame costs for each fighter, among more and more of them.
void bench_hero_kit_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {
        "fighter_1x_ns", "fighter_4x_ns", "fighter_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        double allocations;
        uint32_t fighters = 500 * bench_sizes[i].times;
        double spent = fight(fighters, 300, 120, &allocations);
        bench_note(bench, metrics[i], spent * 1e6 / fighters, "ns");
    }
}
