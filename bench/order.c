// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about orders: many units that get new ones, many that look for something to do, many that
// sleep, and a formation.

#include "bench.h"

#include "knack/order.h"
#include "knack/tree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AREA 100.0f // for each unit, so that it sees about three others
#define FRAMES 300

typedef struct order_scene {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id *units;
    uint32_t count;
    kn_order_type_id move, attack;
    kn_tag alarm;
    uint64_t random;
} order_scene;

// How units come to look for something to do.
typedef enum order_looks {
    LOOKS_NEVER,
    LOOKS_POLLED,
    LOOKS_WOKEN, // by an event; besides, a tree waits in each unit
} order_looks;

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

// A tree that waits for an alarm, as a guard does.
static void tree_add(order_scene *scene)
{
    kn_error error = {0};
    kn_tree_def def = kn_tree_def_default();
    kn_tree_node wait = kn_tree_node_default();
    kn_tree_id tree;
    wait.kind = KN_TREE_WAIT_EVENT;
    wait.tag = scene->alarm;
    def.name = "Guard";
    def.root.kind = KN_TREE_REPEAT;
    def.root.children = &wait;
    def.root.child_count = 1;
    bench_check(kn_tree_register(scene->library, &def, &tree, &error), error.message);
}

static void library_create(order_scene *scene, order_looks looks)
{
    static kn_tag hostile[1], alarm[1];
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
    unit.auto_count = looks != LOOKS_NEVER ? 1 : 0;
    unit.acquisition_radius = 10.0f;
    if (looks == LOOKS_WOKEN) {
        kn_tag_def tag = kn_tag_def_default();
        tag.name = "Event.Alarm";
        bench_check(kn_tag_register(scene->library, &tag, &scene->alarm, &error), error.message);
        alarm[0] = scene->alarm;
        unit.auto_wakes = (kn_tags){alarm, 1};
        unit.auto_interval = 0;
        tree_add(scene);
    }
    bench_check(kn_unit_type_register(scene->library, &unit, &type, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
}

static kn_vec3 random_place(order_scene *scene)
{
    float x = (float)bench_random_below(&scene->random, 1u << 20);
    float y = (float)bench_random_below(&scene->random, 1u << 20);
    float side = sqrtf((float)scene->count * AREA);
    return (kn_vec3){x * (side / (1u << 20)), y * (side / (1u << 20)), 0.0f};
}

// Units of one owner, so that nobody finds an enemy.
static void scene_create(order_scene *scene, uint32_t count, order_looks looks)
{
    *scene = (order_scene){.count = count, .random = 1};
    library_create(scene, looks);
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
        if (looks == LOOKS_WOKEN) {
            kn_tree_id tree = kn_tree_find(scene->library, "Guard");
            bench_check(kn_tree_start(scene->world, scene->units[i], tree), "kn_tree_start");
        }
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

// One frame of 1/60 s, in which `changes` units get a new order, or are woken.
static void frame(order_scene *scene, uint32_t changes)
{
    for (uint32_t i = 0; i < changes; i++) {
        uint32_t unit = bench_random_below(&scene->random, scene->count);
        if (scene->alarm.index1 != 0) {
            bench_check(
                kn_event_send(scene->world, scene->units[unit], scene->alarm, NULL), "event");
            continue;
        }
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

static double scene_ms(uint32_t count, uint32_t changes, order_looks looks, uint64_t *allocations)
{
    order_scene scene;
    scene_create(&scene, count, looks);
    double ms = frames(&scene, changes, allocations);
    scene_free(&scene);
    return ms;
}

static void scene_run(
    bench_report *bench, const char *metric, uint32_t count, uint32_t changes, order_looks looks)
{
    uint64_t allocations;
    bench_note(bench, metric, scene_ms(count, changes, looks, &allocations), "ms");
    if (strcmp(metric, "frame_ms") == 0) {
        bench_note(bench, "allocations", (double)allocations, "count");
    }
}

// Ten thousand units, a tenth of which get a new order each second.
void bench_orders_10k(bench_report *bench)
{
    scene_run(bench, "frame_ms", 10000, 10000 / 10 / 60 + 1, LOOKS_NEVER);
}

// As many orders in worlds of different sizes.
void bench_orders_scale(bench_report *bench)
{
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        scene_run(bench, bench_sizes[i].metric, 10000 * bench_sizes[i].times, 10000 / 10 / 60 + 1,
            LOOKS_NEVER);
    }
}

// A hundred thousand units that sleep: their trees and their automatic orders wait for events.
void bench_orders_idle_100k(bench_report *bench)
{
    scene_run(bench, "frame_ms", 100000, 0, LOOKS_WOKEN);
}

// Ten units are woken in each frame.
void bench_orders_idle_scale(bench_report *bench)
{
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        scene_run(bench, bench_sizes[i].metric, 6250 * bench_sizes[i].times, 10, LOOKS_WOKEN);
    }
}

// Ten thousand units that look for a target four times a second.
void bench_auto_orders_10k(bench_report *bench)
{
    scene_run(bench, "frame_ms", 10000, 0, LOOKS_POLLED);
}

// What a frame costs for each unit that looks, with as many neighbours each.
void bench_auto_orders_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {"unit_1x_ns", "unit_4x_ns", "unit_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        const uint32_t count = 2500 * bench_sizes[i].times;
        uint64_t allocations;
        const double ms = scene_ms(count, 0, LOOKS_POLLED, &allocations);
        bench_note(bench, metrics[i], ms * 1e6 / count, "ns");
    }
}

// Points for two hundred units, and who gets which.
void bench_formation_200(bench_report *bench)
{
    enum { UNITS = 200, TURNS = 200 };
    kn_vec3 units[UNITS], points[UNITS];
    order_scene scene = {.count = 10000, .random = 1};
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
