// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Two armies of ready orders, movers and abilities that fight each other, and nobody falls.

#include "bench.h"

#include "knack/mover.h"
#include "knack/order_ready.h"

#include <stdlib.h>

#define WARM_FRAMES 900 // until they have met
#define FRAMES 300
#define FRONT 50 // fighters in a row

typedef struct skirmish {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_ability_type_id strike;
    kn_attribute_set_id body;
    kn_unit_type_id soldier;
    kn_mover_id walk;
} skirmish;

static void abilities_register(skirmish *s)
{
    kn_error error = {0};
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 1e6f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Body";
    set.attributes = &health;
    set.attribute_count = 1;
    bench_check(kn_attribute_set_register(s->library, &set, &s->body, &error), error.message);
    const kn_modifier_def wound =
        kn_modifier_constant(kn_attribute_find(s->library, "Body.Health"), KN_OP_ADD, -1.0f);
    kn_effect_def effect = kn_effect_def_default();
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    effect.name = "Wound";
    effect.modifiers = &wound;
    effect.modifier_count = 1;
    bench_check(kn_effect_register(s->library, &effect, &apply.effect, &error), error.message);
    apply.to = KN_APPLY_TO_TARGET;
    const kn_tag attack = kn_tag_find(s->library, "Knack.Ability.Attack");
    const kn_cooldown_def cooldown = kn_cooldown_seconds(1.0f);
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Strike";
    ability.body = KN_BODY_USE;
    ability.tags = (kn_tags){&attack, 1};
    ability.applies = &apply;
    ability.apply_count = 1;
    ability.cooldowns = &cooldown;
    ability.cooldown_count = 1;
    bench_check(kn_ability_register(s->library, &ability, &s->strike, &error), error.message);
}

static void library_create(skirmish *s)
{
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    bench_check(kn_library_create(&def, &s->library), "kn_library_create");
    bench_check(kn_grid_register(s->library, NULL, NULL), "kn_grid_register");
    bench_check(kn_order_register(s->library, &error), error.message);
    bench_check(kn_order_ready_register(s->library, &error), error.message);
    abilities_register(s);
    const kn_order_auto attack = {kn_order_type_find(s->library, "Knack.Attack"), -1, 0};
    kn_unit_type_def unit = kn_unit_type_def_default();
    unit.name = "Soldier";
    unit.stop = kn_order_type_find(s->library, "Knack.Stop");
    unit.autos = &attack;
    unit.auto_count = 1;
    unit.acquisition_radius = 6.0f;
    bench_check(kn_unit_type_register(s->library, &unit, &s->soldier, &error), error.message);
    kn_mover_def walk = kn_mover_def_default();
    walk.name = "Walk";
    walk.speed = 4.0f;
    walk.rate = 10;
    bench_check(kn_mover_register(s->library, &walk, &s->walk, &error), error.message);
    bench_check(kn_library_finish(s->library, &error), error.message);
}

static void soldier_create(skirmish *s, kn_entity_id owner, kn_vec3 place, float goal_x)
{
    static const char *const tags[] = {"Knack.Status.Alive", "Knack.Status.CanAttack"};
    kn_world *world = s->world;
    kn_entity_id unit;
    kn_body body = kn_body_default();
    body.position = place;
    bench_check(kn_entity_create(world, &unit), "kn_entity_create");
    bench_check(kn_entity_set_owner(world, unit, owner), "kn_entity_set_owner");
    bench_check(kn_attribute_set_add(world, unit, s->body, 0), "kn_attribute_set_add");
    bench_check(kn_grid_set_body(s->grid, unit, &body), "kn_grid_set_body");
    for (uint32_t i = 0; i < 2; i++) {
        kn_tag tag = kn_tag_find(s->library, tags[i]);
        bench_check(kn_entity_add_tag(world, unit, tag, KN_TAG_ORIGIN_LOOSE, 1), "tag");
    }
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = s->strike;
    kn_ability_id ability;
    bench_check(kn_ability_grant(world, unit, &grant, &ability), "kn_ability_grant");
    bench_check(kn_mover_set(world, unit, s->walk), "kn_mover_set");
    bench_check(kn_unit_add(world, unit, s->soldier), "kn_unit_add");
    const kn_order march = kn_order_at(
        kn_order_type_find(s->library, "Knack.AttackMove"), (kn_vec3){goal_x, place.y, 0});
    bench_check(kn_order_issue(world, unit, &march, NULL), "kn_order_issue");
}

static void skirmish_create(skirmish *s, uint32_t count)
{
    *s = (skirmish){0};
    library_create(s);
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    bench_check(kn_world_create(&def, &s->world), "kn_world_create");
    kn_grid_def grid = kn_grid_def_default();
    grid.world = s->world;
    grid.cell_size = 6.0f;
    bench_check(kn_grid_create(&grid, &s->grid), "kn_grid_create");
    kn_world_set_space(s->world, kn_grid_space(s->grid));
    kn_entity_id owners[2];
    bench_check(kn_entity_create(s->world, &owners[0]), "kn_entity_create");
    bench_check(kn_entity_create(s->world, &owners[1]), "kn_entity_create");
    // Pairs of rows that face each other; those of one pair are far from the next.
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t side = i % 2, place = i / 2 % FRONT, row = i / 2 / FRONT;
        const float y = (float)(row * FRONT + place) * 2.0f + (float)row * 20.0f;
        soldier_create(
            s, owners[side], (kn_vec3){side == 0 ? 0.0f : 30.0f, y, 0}, side == 0 ? 30.0f : 0.0f);
        if (i % 256 == 255) {
            bench_check(kn_world_step(s->world, 0), "kn_world_step");
        }
    }
}

static void skirmish_free(skirmish *s)
{
    kn_grid_destroy(s->grid);
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
}

static double skirmish_ms(uint32_t count, uint64_t *allocations)
{
    skirmish s;
    skirmish_create(&s, count);
    for (uint32_t i = 0; i < WARM_FRAMES; i++) {
        bench_check(kn_world_step(s.world, KN_US(16667)), "kn_world_step");
    }
    uint64_t before = kn_world_get_stats(s.world).allocations;
    double start = bench_now_ns();
    for (uint32_t i = 0; i < FRAMES; i++) {
        bench_check(kn_world_step(s.world, KN_US(16667)), "kn_world_step");
    }
    double spent = (bench_now_ns() - start) / FRAMES / 1e6;
    *allocations = kn_world_get_stats(s.world).allocations - before;
    skirmish_free(&s);
    return spent;
}

// Two thousand fighters: they strike once a second each, and those behind look for an enemy.
void bench_skirmish_2k(bench_report *bench)
{
    uint64_t allocations;
    bench_note(bench, "frame_ms", skirmish_ms(2000, &allocations), "ms");
    bench_note(bench, "allocations", (double)allocations, "count");
}

// What a frame costs for each fighter, among more and more of them.
void bench_skirmish_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {
        "fighter_1x_ns", "fighter_4x_ns", "fighter_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        uint64_t allocations;
        const uint32_t count = 200 * bench_sizes[i].times;
        bench_note(bench, metrics[i], skirmish_ms(count, &allocations) * 1e6 / count, "ns");
    }
}
