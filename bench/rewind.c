// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The past of a grid: what it costs a step to keep it, and a query to be answered as of 100 ms ago.

#include "bench.h"

#include <stdlib.h>

#define BODIES 10000
#define MOVING 1000
#define RADIUS 10.0f
#define TICK 16667
#define STEPS 120 // until the past is full, and then as many again
#define QUESTIONS 20000
#define PLACES 1024

typedef struct rewind_scene {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_history *history;
    kn_entity_id entities[BODIES];
    kn_vec3 places[BODIES];
    kn_vec3 centers[PLACES];
    uint32_t count, moving;
    float side;
    uint64_t random;
} rewind_scene;

static float random_below(rewind_scene *scene, float bound)
{
    return (float)bench_random_below(&scene->random, 1u << 20) * (bound / (float)(1u << 20));
}

static kn_vec3 random_place(rewind_scene *scene)
{
    kn_vec3 place = {random_below(scene, scene->side), random_below(scene, scene->side), 0.0f};
    return place;
}

static void scene_space(rewind_scene *scene)
{
    kn_grid_def grid = kn_grid_def_default();
    grid.world = scene->world;
    grid.cell_size = RADIUS;
    bench_check(kn_grid_create(&grid, &scene->grid), "kn_grid_create");
    kn_world_set_space(scene->world, kn_grid_space(scene->grid));
    kn_history_def history = kn_history_def_default();
    history.grid = scene->grid;
    bench_check(kn_history_create(&history, &scene->history), "kn_history_create");
}

static rewind_scene *scene_new(uint32_t count, uint32_t moving, float side)
{
    rewind_scene *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "calloc");
        abort();
    }
    scene->count = count;
    scene->moving = moving;
    scene->side = side;
    kn_library_def library = kn_library_def_default();
    bench_check(kn_library_create(&library, &scene->library), "kn_library_create");
    bench_check(kn_grid_register(scene->library, NULL, NULL), "kn_grid_register");
    bench_check(kn_history_register(scene->library, NULL), "kn_history_register");
    bench_check(kn_library_finish(scene->library, NULL), "kn_library_finish");
    kn_world_def world = kn_world_def_default();
    world.library = scene->library;
    world.entity_capacity = BODIES;
    bench_check(kn_world_create(&world, &scene->world), "kn_world_create");
    scene_space(scene);
    kn_body body = kn_body_default();
    body.radius = 0.5f;
    for (uint32_t i = 0; i < count; i++) {
        bench_check(kn_entity_create(scene->world, &scene->entities[i]), "kn_entity_create");
        scene->places[i] = body.position = random_place(scene);
        bench_check(kn_grid_set_body(scene->grid, scene->entities[i], &body), "kn_grid_set_body");
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        scene->centers[i] = random_place(scene);
    }
    return scene;
}

static void scene_free(rewind_scene *scene)
{
    kn_history_destroy(scene->history);
    kn_grid_destroy(scene->grid);
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
    free(scene);
}

// Those who move walk on, about six units a second.
static void scene_walk(rewind_scene *scene)
{
    for (uint32_t i = 0; i < scene->moving; i++) {
        scene->places[i].x += random_below(scene, 0.2f) - 0.1f;
        scene->places[i].y += random_below(scene, 0.2f) - 0.1f;
        (void)kn_grid_move(scene->grid, scene->entities[i], scene->places[i]);
    }
}

// Says how long a step takes in which nothing else happens, in nanoseconds.
static double scene_run(rewind_scene *scene)
{
    double total = 0.0;
    for (uint32_t i = 0; i < 2 * STEPS; i++) {
        scene_walk(scene);
        double start = bench_now_ns();
        bench_check(kn_world_step(scene->world, TICK), "kn_world_step");
        total += i < STEPS ? 0.0 : bench_now_ns() - start;
    }
    return total / STEPS;
}

static double measure_queries(rewind_scene *scene, bench_report *bench)
{
    const kn_space *space = kn_grid_space(scene->grid);
    kn_entity_id found[64];
    uint64_t hits = 0;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        kn_sphere sphere = {scene->centers[i % PLACES], RADIUS};
        hits += kn_space_sphere(space, scene->world, &sphere, NULL, found, 64);
    }
    double end = bench_now_ns();
    bench_use(hits);
    bench_note(bench, "hits", (double)hits / QUESTIONS, "");
    return (end - start) / QUESTIONS;
}

void bench_rewind(bench_report *bench)
{
    // As dense as the ten thousand of `target_grid`.
    rewind_scene *scene = scene_new(MOVING, MOVING, 131.5f);
    (void)scene_run(scene);
    kn_time then = kn_world_now(scene->world) - KN_MS(100);
    bench_note(bench, "now_ns", measure_queries(scene, bench), "ns");
    (void)kn_history_rewind(scene->history, then, 0);
    bench_note(bench, "op_ns", measure_queries(scene, bench), "ns");
    kn_history_resume(scene->history);
    double start = bench_now_ns();
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        (void)kn_history_rewind(scene->history, then + i, 0);
        kn_history_resume(scene->history);
    }
    bench_note(bench, "rewind_ns", (bench_now_ns() - start) / QUESTIONS, "ns");
    scene_free(scene);
    scene = scene_new(BODIES, MOVING, 416.0f);
    bench_note(bench, "keep_ms", scene_run(scene) / 1e6, "ms");
    kn_history_stats stats = kn_history_get_stats(scene->history);
    bench_note(bench, "kept_kb", (double)stats.bytes / 1024.0, "KB");
    scene_free(scene);
}
