// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about moving: many units under way, few among many at rest, and the search for paths.

#include "bench.h"

#include "knack/mover.h"

#include <stdlib.h>
#include <string.h>

#define PLAIN 1000.0f
#define FRAMES 300
#define MAP 256

typedef struct mover_scene {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_map_id map;
    kn_mover_id mover;
    kn_entity_id *units;
    uint32_t count, moving;
    uint64_t random;
} mover_scene;

// Buildings of some cells here and there, with room between them.
static char *rows_make(uint64_t *random)
{
    char *rows = malloc(MAP * (MAP + 1) + 1);
    for (uint32_t i = 0; i < MAP * (MAP + 1); i++) {
        rows[i] = i % (MAP + 1) == MAP ? '\n' : '.';
    }
    rows[MAP * (MAP + 1)] = 0;
    for (uint32_t i = 0; i < 500; i++) {
        const uint32_t x0 = bench_random_below(random, MAP - 16);
        const uint32_t y0 = bench_random_below(random, MAP - 16);
        const uint32_t width = 1 + bench_random_below(random, 14);
        const uint32_t height = 1 + bench_random_below(random, 14);
        for (uint32_t y = y0; y < y0 + height; y++) {
            memset(rows + (size_t)y * (MAP + 1) + x0, '#', width);
        }
    }
    return rows;
}

static void library_create(mover_scene *scene)
{
    kn_library_def def = kn_library_def_default();
    kn_map_def map = kn_map_def_default();
    kn_mover_def mover = kn_mover_def_default();
    kn_error error = {0};
    char *rows = rows_make(&scene->random);
    bench_check(kn_library_create(&def, &scene->library), "kn_library_create");
    bench_check(kn_order_register(scene->library, &error), error.message);
    map.name = "Town";
    map.rows = rows;
    bench_check(kn_map_register(scene->library, &map, &scene->map, &error), error.message);
    mover.name = "Walk";
    mover.speed = 4.0f;
    mover.separation = 10.0f;
    bench_check(kn_mover_register(scene->library, &mover, &scene->mover, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
    free(rows);
}

static kn_vec3 random_place(mover_scene *scene, float side)
{
    const float x = (float)bench_random_below(&scene->random, 1u << 20);
    const float y = (float)bench_random_below(&scene->random, 1u << 20);
    return (kn_vec3){x * (side / (1u << 20)), y * (side / (1u << 20)), 0.0f};
}

static void scene_create(mover_scene *scene, uint32_t count, uint32_t moving)
{
    *scene = (mover_scene){.count = count, .moving = moving, .random = 1};
    library_create(scene);
    kn_world_def def = kn_world_def_default();
    kn_grid_def grid = kn_grid_def_default();
    def.library = scene->library;
    def.entity_capacity = count + 1;
    bench_check(kn_world_create(&def, &scene->world), "kn_world_create");
    grid.world = scene->world;
    grid.cell_size = 4.0f;
    grid.body_capacity = count;
    bench_check(kn_grid_create(&grid, &scene->grid), "kn_grid_create");
    kn_world_set_space(scene->world, kn_grid_space(scene->grid));
    scene->units = malloc((count + 1) * sizeof(*scene->units));
    for (uint32_t i = 0; i < count; i++) {
        kn_body body = kn_body_default();
        body.position = random_place(scene, PLAIN);
        bench_check(kn_entity_create(scene->world, &scene->units[i]), "kn_entity_create");
        bench_check(kn_grid_set_body(scene->grid, scene->units[i], &body), "kn_grid_set_body");
        bench_check(kn_mover_set(scene->world, scene->units[i], scene->mover), "kn_mover_set");
    }
}

static void scene_free(mover_scene *scene)
{
    kn_grid_destroy(scene->grid);
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
    free(scene->units);
}

// One frame of 1/60 s. A hundredth of the units is looked at, and sent on if it has arrived.
static void frame(mover_scene *scene, uint32_t index)
{
    for (uint32_t i = index % 100; i < scene->moving; i += 100) {
        kn_move_info info;
        if (!kn_move_get_info(scene->world, scene->units[i], &info) || info.kind == KN_MOVE_REST) {
            const kn_move move = kn_move_to_point(random_place(scene, PLAIN), 0.0f);
            bench_check(kn_move_start(scene->world, scene->units[i], &move, NULL), "start");
        }
    }
    bench_check(kn_world_step(scene->world, KN_US(16667)), "kn_world_step");
}

static void scene_run(bench_report *bench, const char *metric, uint32_t count, uint32_t moving)
{
    mover_scene scene;
    scene_create(&scene, count, moving);
    for (uint32_t i = 0; i < 600; i++) {
        frame(&scene, i);
    }
    const uint64_t before = kn_world_get_stats(scene.world).allocations;
    const double start = bench_now_ns();
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame(&scene, i);
    }
    bench_note(bench, metric, (bench_now_ns() - start) / FRAMES / 1e6, "ms");
    if (metric[0] == 'f') {
        const uint64_t after = kn_world_get_stats(scene.world).allocations;
        bench_note(bench, "allocations", (double)(after - before), "count");
    }
    scene_free(&scene);
}

// Ten thousand units that all move and keep apart, 20 times a second.
void bench_movers_10k(bench_report *bench)
{
    scene_run(bench, "frame_ms", 10000, 10000);
}

// A thousand that move, among more and more at rest.
void bench_movers_scale(bench_report *bench)
{
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        scene_run(bench, bench_sizes[i].metric, 1000 * bench_sizes[i].times, 1000);
    }
}

// Paths from anywhere to anywhere in a town of 256 by 256 cells.
void bench_path_find(bench_report *bench)
{
    enum { TURNS = 500 };
    mover_scene scene;
    kn_vec3 points[64];
    uint64_t nodes = 0, found = 0;
    scene_create(&scene, 0, 0);
    kn_path_query queries[TURNS];
    for (uint32_t i = 0; i < TURNS; i++) {
        queries[i] = kn_path_query_default();
        queries[i].map = scene.map;
        queries[i].from = random_place(&scene, MAP);
        queries[i].to = random_place(&scene, MAP);
    }
    const double start = bench_now_ns();
    for (uint32_t i = 0; i < TURNS; i++) {
        const kn_path path = kn_path_find(scene.world, &queries[i], points, 64);
        nodes += path.nodes;
        found += path.result == KN_PATH_FOUND;
    }
    bench_note(bench, "op_ns", (bench_now_ns() - start) / TURNS, "ns");
    bench_note(bench, "nodes", (double)nodes / TURNS, "");
    bench_note(bench, "missed", (double)(TURNS - found) / TURNS, "");
    scene_free(&scene);
}
