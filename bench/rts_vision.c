// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Vision: many units of eight players that walk about slowly, look around and see each other come
// and go.

#include "bench.h"

#include "knack/rts_team.h"

#include <math.h>
#include <stdlib.h>

#define PLAYERS 8
#define AREA 100.0f // for each unit, so that it sees about a dozen others
#define SIGHT 20.0f
#define FRAMES 300
#define STEP 0.05f // that a unit moves in a frame

typedef struct walker {
    kn_entity_id unit;
    kn_vec3 at, way;
} walker;

typedef struct vision_scene {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    walker *walkers;
    uint32_t count;
    float side;
    uint64_t random;
} vision_scene;

static void library_create(vision_scene *scene)
{
    kn_library_def def = kn_library_def_default();
    kn_rts_unit_def unit = kn_rts_unit_def_default();
    kn_rts_team_rules_def rules = kn_rts_team_rules_def_default();
    kn_rts_unit_type_id type;
    kn_error error = {0};
    bench_check(kn_library_create(&def, &scene->library), "kn_library_create");
    bench_check(kn_order_register(scene->library, &error), error.message);
    bench_check(kn_rts_register(scene->library, &error), error.message);
    bench_check(kn_grid_register(scene->library, NULL, NULL), "kn_grid_register");
    unit.name = "Scout";
    bench_check(kn_rts_unit_register(scene->library, &unit, &type, &error), error.message);
    rules.name = "Teams";
    rules.default_sight = SIGHT;
    bench_check(kn_rts_team_rules_register(scene->library, &rules, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
}

static float random_float(vision_scene *scene, float most)
{
    return (float)bench_random_below(&scene->random, 1u << 20) * (most / (1u << 20));
}

static void scene_create(vision_scene *scene, uint32_t count)
{
    *scene = (vision_scene){.count = count, .random = 1};
    library_create(scene);
    kn_world_def def = kn_world_def_default();
    kn_grid_def grid = kn_grid_def_default();
    kn_entity_id players[PLAYERS];
    def.library = scene->library;
    def.entity_capacity = count + PLAYERS;
    bench_check(kn_world_create(&def, &scene->world), "kn_world_create");
    grid.world = scene->world;
    grid.cell_size = SIGHT / 2;
    bench_check(kn_grid_create(&grid, &scene->grid), "kn_grid_create");
    kn_world_set_space(scene->world, kn_grid_space(scene->grid));
    for (uint32_t i = 0; i < PLAYERS; i++) {
        bench_check(kn_entity_create(scene->world, &players[i]), "kn_entity_create");
        bench_check(kn_rts_player_set_team(scene->world, players[i], 1 + i / 2), "team");
    }
    scene->walkers = malloc(count * sizeof(*scene->walkers));
    scene->side = sqrtf((float)count * AREA);
    const kn_rts_unit_type_id type = kn_rts_unit_find(scene->library, "Scout");
    for (uint32_t i = 0; i < count; i++) {
        walker *w = &scene->walkers[i];
        kn_body body = kn_body_default();
        w->at = (kn_vec3){random_float(scene, scene->side), random_float(scene, scene->side), 0.0f};
        w->way = (kn_vec3){
            random_float(scene, 2 * STEP) - STEP, random_float(scene, 2 * STEP) - STEP, 0.0f};
        body.position = w->at;
        bench_check(kn_entity_create(scene->world, &w->unit), "kn_entity_create");
        bench_check(kn_entity_set_owner(scene->world, w->unit, players[i % PLAYERS]), "owner");
        bench_check(kn_grid_set_body(scene->grid, w->unit, &body), "kn_grid_set_body");
        bench_check(kn_rts_unit_add(scene->world, w->unit, type), "kn_rts_unit_add");
    }
}

static void walk(vision_scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        walker *w = &scene->walkers[i];
        w->at.x += w->way.x;
        w->at.y += w->way.y;
        w->way.x = w->at.x < 0.0f || w->at.x > scene->side ? -w->way.x : w->way.x;
        w->way.y = w->at.y < 0.0f || w->at.y > scene->side ? -w->way.y : w->way.y;
        bench_check(kn_grid_move(scene->grid, w->unit, w->at), "kn_grid_move");
    }
}

// Milliseconds that vision takes in a frame; moving the units is the host's.
static double scene_ms(uint32_t count, uint64_t *allocations)
{
    vision_scene scene;
    double total = 0.0;
    uint64_t before = 0;
    scene_create(&scene, count);
    for (uint32_t i = 0; i < FRAMES + 120; i++) {
        walk(&scene);
        kn_grid_sync(scene.grid);
        if (i == 120) {
            before = kn_world_get_stats(scene.world).allocations;
        }
        const double start = bench_now_ns();
        bench_check(kn_world_step(scene.world, KN_US(16667)), "kn_world_step");
        total += i >= 120 ? bench_now_ns() - start : 0.0;
    }
    *allocations = kn_world_get_stats(scene.world).allocations - before;
    kn_grid_destroy(scene.grid);
    kn_world_destroy(scene.world);
    kn_library_destroy(scene.library);
    free(scene.walkers);
    return total / FRAMES / 1e6;
}

void bench_vision_2k(bench_report *bench)
{
    uint64_t allocations;
    bench_note(bench, "frame_ms", scene_ms(2000, &allocations), "ms");
    bench_note(bench, "allocations", (double)allocations, "count");
}

// What a unit costs must not grow with their number.
void bench_vision_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {"unit_1x_ns", "unit_4x_ns", "unit_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        uint64_t allocations;
        const uint32_t count = 500 * bench_sizes[i].times;
        bench_note(bench, metrics[i], scene_ms(count, &allocations) * 1e6 / count, "ns");
    }
}
