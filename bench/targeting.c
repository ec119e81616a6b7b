// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Queries of the built-in grid: ten thousand bodies on a plain, so dense that a sphere with the
// usual radius touches about twenty of them.

#include "bench.h"

#include <stdlib.h>

#define BODIES 10000
#define SIDE 416.0f // of the plain
#define RADIUS 10.0f
#define QUESTIONS 20000
#define PLACES 1024 // where questions are asked

typedef struct targeting {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id entities[BODIES];
    kn_vec3 places[PLACES];
    uint64_t random;
} targeting;

static float random_below(targeting *scene, float bound)
{
    return (float)bench_random_below(&scene->random, 1u << 20) * (bound / (float)(1u << 20));
}

static kn_vec3 random_place(targeting *scene)
{
    kn_vec3 place = {random_below(scene, SIDE), random_below(scene, SIDE), 0.0f};
    place.z = random_below(scene, 2.0f);
    return place;
}

static void targeting_init(targeting *scene)
{
    kn_library_def library_def = kn_library_def_default();
    bench_check(kn_library_create(&library_def, &scene->library), "kn_library_create");
    bench_check(kn_grid_register(scene->library, NULL, NULL), "kn_grid_register");
    bench_check(kn_library_finish(scene->library, NULL), "kn_library_finish");
    kn_world_def world_def = kn_world_def_default();
    world_def.library = scene->library;
    world_def.entity_capacity = BODIES;
    bench_check(kn_world_create(&world_def, &scene->world), "kn_world_create");
    kn_grid_def grid_def = kn_grid_def_default();
    grid_def.world = scene->world;
    grid_def.cell_size = RADIUS;
    bench_check(kn_grid_create(&grid_def, &scene->grid), "kn_grid_create");
    kn_body body = kn_body_default();
    body.radius = 0.5f;
    for (uint32_t i = 0; i < BODIES; i++) {
        bench_check(kn_entity_create(scene->world, &scene->entities[i]), "kn_entity_create");
        body.position = random_place(scene);
        bench_check(kn_grid_set_body(scene->grid, scene->entities[i], &body), "kn_grid_set_body");
        if (i % 256 == 255) {
            bench_check(kn_world_step(scene->world, 0), "kn_world_step");
        }
    }
    for (uint32_t i = 0; i < PLACES; i++) {
        scene->places[i] = random_place(scene);
    }
}

static void targeting_free(targeting *scene)
{
    kn_grid_destroy(scene->grid);
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
    free(scene);
}

// Everybody a little further, most of them in the same cell.
static void measure_moves(targeting *scene, bench_report *bench)
{
    kn_vec3 *targets = malloc(BODIES * sizeof *targets);
    if (targets == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "malloc");
    }
    for (uint32_t i = 0; i < BODIES; i++) {
        kn_body body;
        (void)kn_grid_get_body(scene->grid, scene->entities[i], &body);
        targets[i] = body.position;
        targets[i].x += random_below(scene, 0.5f) - 0.25f;
        targets[i].y += random_below(scene, 0.5f) - 0.25f;
    }
    double start = bench_now_ns();
    for (uint32_t i = 0; i < BODIES; i++) {
        (void)kn_grid_move(scene->grid, scene->entities[i], targets[i]);
    }
    double end = bench_now_ns();
    bench_note(bench, "move_ns", (end - start) / BODIES, "ns");
    free(targets);
}

// What a rollback adds: the index follows a restored world.
static void measure_sync(targeting *scene, bench_report *bench)
{
    size_t size = kn_snapshot_size(scene->world);
    void *snapshot = malloc(size);
    if (snapshot == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "malloc");
    }
    bench_check(kn_snapshot_take(scene->world, snapshot, size, NULL), "kn_snapshot_take");
    bench_check(kn_snapshot_restore(scene->world, snapshot, size), "kn_snapshot_restore");
    double start = bench_now_ns();
    kn_grid_sync(scene->grid);
    bench_note(bench, "sync_ms", (bench_now_ns() - start) / 1e6, "ms");
    free(snapshot);
}

static void measure_hits(targeting *scene, bench_report *bench)
{
    const kn_space *space = kn_grid_space(scene->grid);
    kn_space_hit hits[8];
    uint64_t total = 0;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        const kn_vec3 *from = &scene->places[i % PLACES], *to = &scene->places[(i + 1) % PLACES];
        kn_ray ray = {*from, {to->x - from->x, to->y - from->y, to->z - from->z}, 50.0f, 0.0f};
        total += kn_space_ray(space, scene->world, &ray, NULL, hits, 1);
    }
    double shot = bench_now_ns(), middle = bench_now_ns();
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        kn_sphere sphere = {scene->places[i % PLACES], 100.0f};
        total += kn_space_nearest(space, scene->world, &sphere, NULL, hits, 8);
    }
    double end = bench_now_ns();
    bench_use(total);
    bench_note(bench, "ray50_ns", (shot - start) / QUESTIONS, "ns");
    bench_note(bench, "nearest8_ns", (end - middle) / QUESTIONS, "ns");
}

void bench_target_grid(bench_report *bench)
{
    targeting *scene = calloc(1, sizeof *scene);
    if (scene == NULL) {
        bench_check(KN_ERROR_OUT_OF_MEMORY, "calloc");
        return;
    }
    targeting_init(scene);
    const kn_space *space = kn_grid_space(scene->grid);
    kn_entity_id found[64];
    uint64_t hits = 0;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < QUESTIONS; i++) {
        kn_sphere sphere = {scene->places[i % PLACES], RADIUS};
        hits += kn_space_sphere(space, scene->world, &sphere, NULL, found, 64);
    }
    double end = bench_now_ns();
    bench_note(bench, "op_ns", (end - start) / QUESTIONS, "ns");
    bench_note(bench, "hits", (double)hits / QUESTIONS, "");
    measure_hits(scene, bench);
    measure_moves(scene, bench);
    measure_sync(scene, bench);
    targeting_free(scene);
}
