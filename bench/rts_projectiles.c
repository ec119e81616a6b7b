// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Projectiles of the RTS kit: many in flight, of which a few arrive in each frame.

#include "bench.h"

#include "knack/rts_attack.h"

#include <stdlib.h>

#define UNITS 200
#define SPEED 10.0f
#define FLIGHT 5.0f // seconds of a flight
#define FRAMES 300

typedef struct projectile_scene {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_entity_id units[UNITS]; // those of one side, then those of the other
    kn_rts_weapon_id weapon;
    uint64_t random;
} projectile_scene;

static void library_create(projectile_scene *scene)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    kn_attribute_def health = kn_attribute_def_default();
    kn_attribute_set_def set = kn_attribute_set_def_default();
    kn_attribute_set_id body;
    bench_check(kn_library_create(&def, &scene->library), "kn_library_create");
    bench_check(kn_order_register(scene->library, &error), error.message);
    bench_check(kn_rts_register(scene->library, &error), error.message);
    bench_check(kn_grid_register(scene->library, NULL, NULL), "kn_grid_register");
    health.name = "Health";
    health.default_value = 1e9f;
    set.name = "Body";
    set.attributes = &health;
    set.attribute_count = 1;
    bench_check(kn_attribute_set_register(scene->library, &set, &body, &error), error.message);
    kn_rts_attack_rules_def rules = kn_rts_attack_rules_def_default();
    rules.name = "Rules";
    rules.health = kn_attribute_find(scene->library, "Body.Health");
    bench_check(kn_rts_attack_rules_register(scene->library, &rules, &error), error.message);
    kn_rts_weapon_def weapon = kn_rts_weapon_def_default();
    weapon.name = "Bow";
    weapon.kind = KN_RTS_WEAPON_RANGED;
    weapon.speed = SPEED;
    bench_check(
        kn_rts_weapon_register(scene->library, &weapon, &scene->weapon, &error), error.message);
    bench_check(kn_library_finish(scene->library, &error), error.message);
}

static void units_create(projectile_scene *scene)
{
    const kn_tag alive = kn_rts_tag(scene->library, KN_RTS_ALIVE);
    const kn_attribute_set_id body = kn_attribute_set_find(scene->library, "Body");
    kn_entity_id players[2];
    bench_check(kn_entity_create(scene->world, &players[0]), "kn_entity_create");
    bench_check(kn_entity_create(scene->world, &players[1]), "kn_entity_create");
    for (uint32_t i = 0; i < UNITS; i++) {
        kn_world *world = scene->world;
        kn_body place = kn_body_default();
        place.position = (kn_vec3){i < UNITS / 2 ? 0.0f : SPEED * FLIGHT, (float)(i % 100), 0.0f};
        bench_check(kn_entity_create(world, &scene->units[i]), "kn_entity_create");
        bench_check(kn_entity_set_owner(world, scene->units[i], players[i >= UNITS / 2]), "owner");
        bench_check(kn_attribute_set_add(world, scene->units[i], body, 0), "Body");
        bench_check(
            kn_attribute_set_add(world, scene->units[i], kn_rts_attack_set(scene->library), 0),
            "attack");
        bench_check(
            kn_entity_add_tag(world, scene->units[i], alive, KN_TAG_ORIGIN_LOOSE, 1), "alive");
        bench_check(kn_grid_set_body(scene->grid, scene->units[i], &place), "kn_grid_set_body");
    }
}

static void scene_create(projectile_scene *scene, uint32_t count)
{
    *scene = (projectile_scene){.random = 1};
    library_create(scene);
    kn_world_def def = kn_world_def_default();
    def.library = scene->library;
    def.entity_capacity = count + UNITS + 16;
    bench_check(kn_world_create(&def, &scene->world), "kn_world_create");
    kn_grid_def grid = kn_grid_def_default();
    grid.world = scene->world;
    bench_check(kn_grid_create(&grid, &scene->grid), "kn_grid_create");
    kn_world_set_space(scene->world, kn_grid_space(scene->grid));
    units_create(scene);
}

static void scene_free(projectile_scene *scene)
{
    kn_grid_destroy(scene->grid);
    kn_world_destroy(scene->world);
    kn_library_destroy(scene->library);
}

// One frame of 1/60 s, in which `launches` projectiles are launched; as many arrive.
static void frame(projectile_scene *scene, uint32_t launches)
{
    kn_rts_projectile_def def = kn_rts_projectile_def_default();
    def.weapon = scene->weapon;
    def.amount = 1.0f;
    for (uint32_t i = 0; i < launches; i++) {
        def.source = scene->units[bench_random_below(&scene->random, UNITS / 2)];
        def.target = scene->units[UNITS / 2 + bench_random_below(&scene->random, UNITS / 2)];
        bench_check(kn_rts_projectile_launch(scene->world, &def, NULL), "launch");
    }
    bench_check(kn_world_step(scene->world, KN_US(16667)), "kn_world_step");
}

// Milliseconds of a frame with `count` projectiles in flight.
static double scene_ms(uint32_t count, uint64_t *allocations)
{
    projectile_scene scene;
    const uint32_t warm = 3 * (uint32_t)(60 * FLIGHT), launches = count / (uint32_t)(60 * FLIGHT);
    scene_create(&scene, count);
    for (uint32_t i = 0; i < warm; i++) {
        frame(&scene, launches);
    }
    const uint64_t before = kn_world_get_stats(scene.world).allocations;
    const double start = bench_now_ns();
    for (uint32_t i = 0; i < FRAMES; i++) {
        frame(&scene, launches);
    }
    const double spent = bench_now_ns() - start;
    *allocations = kn_world_get_stats(scene.world).allocations - before;
    scene_free(&scene);
    return spent / FRAMES / 1e6;
}

// Ten thousand projectiles in flight; those that arrive are replaced.
void bench_projectiles_10k(bench_report *bench)
{
    uint64_t allocations;
    bench_note(bench, "frame_ms", scene_ms(12000, &allocations), "ms");
    bench_note(bench, "allocations", (double)allocations, "count");
}

// What one launch and one arrival cost together, with more and more of them.
void bench_projectiles_scale(bench_report *bench)
{
    static const char *const names[BENCH_SIZES] = {
        "projectile_1x_ns", "projectile_4x_ns", "projectile_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        uint64_t allocations;
        const uint32_t launches = bench_sizes[i].times;
        const double spent = scene_ms(launches * (uint32_t)(60 * FLIGHT), &allocations);
        bench_note(bench, names[i], spent * 1e6 / launches, "ns");
    }
}
