// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about orders: many units that get new ones, many that look for something to do, and a
// formation.

#include "bench.h"

#include "knack/order.h"

#include <math.h>
#include <stdlib.h>

#define DENSITY 0.01f // units on a square of the plain; a unit sees about three others
#define FRAMES 300

typedef struct order_scene {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id *units;
    uint32_t count;
    float side; // of the plain
    kn_order_type_id move, attack;
    uint64_t random;
} order_scene;

// What carries orders out: nothing, as a game with an engine would only note the order.
static kn_result begin_order(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_OK;
}

static kn_order_type_id order_add(order_scene *scene, const char *name, kn_order_type_def def)
{
    kn_order_type_id type;
    kn_error error = {0};
    def.name = name;
    def.needs_life = false;
    def.execute.function = begin_order;
    bench_check(kn_order_type_register(scene->library, &def, &type, &error), error.message);
    return type;
}

static void library_create(order_scene *scene, bool looks_around)
{
    static kn_tag hostile[1];
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    kn_unit_type_id type;
    bench_check(kn_library_create(&def, &scene->library), "kn_library_create");
    bench_check(kn_order_register(scene->library, &error), error.message);
    bench_check(kn_grid_register(scene->library, NULL, NULL), "kn_grid_register");
    kn_order_type_def stop = kn_order_type_def_default(), move = stop, attack = stop;
    stop.allows_auto = true;
    move.target_kind = KN_ORDER_TARGET_LOCATION;
    hostile[0] = kn_tag_find(scene->library, "Knack.Relation.Hostile");
    attack.target_kind = KN_ORDER_TARGET_ENTITY;
    attack.tags.target_required = (kn_tags){hostile, 1};
    attack.auto_for_ai = true;
    kn_unit_type_def unit = kn_unit_type_def_default();
    unit.name = "Soldier";
    unit.stop = order_add(scene, "Stop", stop);
    scene->move = order_add(scene, "Move", move);
    scene->attack = order_add(scene, "Attack", attack);
    const kn_order_auto own = {scene->attack, -1, 0};
    unit.autos = &own;
    unit.auto_count = looks_around ? 1 : 0;
    unit.acquisition_radius = 10.0f;
    bench_check(kn_unit_type_register(scene->library, &unit, &type, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
}

static kn_vec3 random_place(order_scene *scene)
{
    float x = (float)bench_random_below(&scene->random, 1u << 20);
    float y = (float)bench_random_below(&scene->random, 1u << 20);
    float scale = scene->side / (float)(1u << 20);
    return (kn_vec3){x * scale, y * scale, 0.0f};
}

// Units of one owner, so that nobody finds an enemy.
static void scene_create(order_scene *scene, uint32_t count, bool looks_around)
{
    *scene = (order_scene){.count = count, .random = 1, .side = sqrtf((float)count / DENSITY)};
    library_create(scene, looks_around);
    kn_world_def def = kn_world_def_default();
    def.library = scene->library;
    def.entity_capacity = count + 1;
    bench_check(kn_world_create(&def, &scene->world), "kn_world_create");
    kn_grid_def grid = kn_grid_def_default();
    grid.world = scene->world;
    grid.cell_size = 10.0f;
    bench_check(kn_grid_create(&grid, &scene->grid), "kn_grid_create");
    kn_world_set_space(scene->world, kn_grid_space(scene->grid));
    scene->units = malloc(count * sizeof(*scene->units));
    kn_entity_id owner;
    bench_check(kn_entity_create(scene->world, &owner), "kn_entity_create");
    kn_unit_type_id type = kn_unit_type_find(scene->library, "Soldier");
    for (uint32_t i = 0; i < count; i++) {
        kn_body body = kn_body_default();
        body.position = random_place(scene);
        bench_check(kn_entity_create(scene->world, &scene->units[i]), "kn_entity_create");
        bench_check(kn_entity_set_owner(scene->world, scene->units[i], owner), "owner");
        bench_check(kn_grid_set_body(scene->grid, scene->units[i], &body), "kn_grid_set_body");
        bench_check(kn_unit_add(scene->world, scene->units[i], type), "kn_unit_add");
        if (i % 256 == 255) {
            bench_check(kn_world_step(scene->world, 0), "kn_world_step");
        }
    }
}

static void scene_free(order_scene *scene)
{
    kn_grid_destroy(scene->grid);
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
    free(scene->units);
}

// One frame of 1/60 s, in which `changes` units get a new order.
static void frame(order_scene *scene, uint32_t changes)
{
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t unit = (uint32_t)bench_random_below(&scene->random, scene->count);
        kn_order order = kn_order_at(scene->move, random_place(scene));
        bench_check(kn_order_issue(scene->world, scene->units[unit], &order, NULL), "issue");
    }
    bench_check(kn_world_step(scene->world, KN_US(16667)), "kn_world_step");
}

// Milliseconds of a frame.
static double frames(order_scene *scene, uint32_t changes, uint64_t *allocations)
{
    for (uint32_t i = 0; i < 60; i++) {
        frame(scene, changes);
    }
    uint64_t before = kn_world_get_stats(scene->world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame(scene, changes);
    }
    double total = bench_now_ns() - start;
    *allocations = kn_world_get_stats(scene->world).allocations - before;
    return total / FRAMES / 1e6;
}

static double scene_ms(uint32_t count, uint32_t changes, bool looks_around, uint64_t *allocations)
{
    order_scene scene;
    scene_create(&scene, count, looks_around);
    double spent = frames(&scene, changes, allocations);
    scene_free(&scene);
    return spent;
}

static void scene_run(bench_report *bench, uint32_t count, uint32_t changes, bool looks_around)
{
    uint64_t allocations;
    bench_note(bench, "frame_ms", scene_ms(count, changes, looks_around, &allocations), "ms");
    bench_note(bench, "allocations", (double)allocations, "count");
}

// Ten thousand units, a tenth of which get a new order each second.
void bench_orders_10k(bench_report *bench)
{
    scene_run(bench, 10000, 10000 / 10 / 60 + 1, false);
}

// Ten thousand units that look for a target four times a second.
void bench_auto_orders_10k(bench_report *bench)
{
    scene_run(bench, 10000, 0, true);
}

// What a frame costs for each unit, among more and more of them.
void bench_orders_scale(bench_report *bench)
{
    static const char *const orders[BENCH_SIZES] = {"order_1x_ns", "order_4x_ns", "order_16x_ns"};
    static const char *const autos[BENCH_SIZES] = {"auto_1x_ns", "auto_4x_ns", "auto_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        uint64_t allocations;
        uint32_t changes = 2 * bench_sizes[i].times, count = 600 * changes;
        double spent = scene_ms(count, changes, false, &allocations);
        bench_note(bench, orders[i], spent * 1e6 / count, "ns");
        spent = scene_ms(count, 0, true, &allocations);
        bench_note(bench, autos[i], spent * 1e6 / count, "ns");
    }
}

// Points for two hundred units, and who gets which.
void bench_formation_200(bench_report *bench)
{
    enum { UNITS = 200, TURNS = 200 };
    kn_vec3 units[UNITS], points[UNITS];
    order_scene scene = {.random = 1, .side = 1000.0f};
    const kn_vec3 from = {500, 500, 0}, to = {900, 700, 0};
    for (uint32_t i = 0; i < UNITS; i++) {
        units[i] = random_place(&scene);
    }
    double start = bench_now_ns();
    for (uint32_t i = 0; i < TURNS; i++) {
        kn_formation_slots(KN_FORMATION_BLOCK, UNITS, 3.0f, from, to, points);
        bench_check(kn_formation_assign(KN_FORMATION_GREEDY, units, NULL, UNITS, to, points),
            "kn_formation_assign");
    }
    bench_note(bench, "op_ns", (bench_now_ns() - start) / TURNS, "ns");
}
