// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes about rules in Lua: what an activation and a magnitude cost when a script does the work.

#include "bench.h"

#include "knack/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACTORS 1000
#define ROUNDS 100

static const char chunk[] = "ability 'Bolt' {\n"
                            "    activate = function(self)\n"
                            "        if not self:commit() then return false end\n"
                            "        self:finish()\n"
                            "    end,\n"
                            "}\n"
                            "calculation 'Scaled' {\n"
                            "    calculate = function(self)\n"
                            "        return -(self:capture(1) * 0.01 + self.level)\n"
                            "    end,\n"
                            "}\n";

typedef struct stage {
    kn_library *library;
    kn_script *script;
    kn_world *world;
    kn_attribute_set_id vitals;
    kn_attribute_id health, power;
    kn_ability_type_id bolt;
    kn_effect_type_id by_lua, by_c;
    kn_entity_id actors[ACTORS];
    kn_ability_id bolts[ACTORS];
} stage;

static void check(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        (void)fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

static void register_attributes(stage *s)
{
    kn_error error = {0};
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Health";
    attributes[0].default_value = 1e9f;
    attributes[1].name = "Power";
    attributes[1].default_value = 100.0f;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 2;
    check(kn_attribute_set_register(s->library, &set, &s->vitals, &error), &error);
    s->health = kn_attribute_find(s->library, "Vitals.Health");
    s->power = kn_attribute_find(s->library, "Vitals.Power");
}

static void register_bolt(stage *s)
{
    kn_error error = {0};
    kn_cost_def cost = {.attribute = s->health, .amount = kn_constant(1.0f)};
    kn_cooldown_def cooldown = kn_cooldown_seconds(0.5f);
    kn_ability_def def = kn_ability_def_default();
    def.costs = &cost;
    def.cost_count = 1;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    check(kn_script_bind_ability(s->script, "Bolt", &def, &error), &error);
    check(kn_ability_register(s->library, &def, &s->bolt, &error), &error);
}

static float scaled(void *user, const kn_calculation *calculation)
{
    (void)user;
    return -(kn_calculation_capture(calculation, 0) * 0.01f +
             kn_spec_view_level(kn_calculation_spec(calculation)));
}

static kn_effect_type_id register_hit(stage *s, const char *name, kn_calculation_def *def)
{
    kn_error error = {0};
    kn_capture capture = {.attribute = s->power, .from = KN_CAPTURE_FROM_SOURCE};
    def->name = name;
    def->captures = &capture;
    def->capture_count = 1;
    kn_calculation_id calculation;
    check(kn_calculation_register(s->library, def, &calculation, &error), &error);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = s->health;
    modifier.op = KN_OP_ADD;
    modifier.magnitude = kn_magnitude_calculation(calculation);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = name;
    effect.modifiers = &modifier;
    effect.modifier_count = 1;
    kn_effect_type_id type;
    check(kn_effect_register(s->library, &effect, &type, &error), &error);
    return type;
}

static void stage_open(stage *s)
{
    kn_error error = {0};
    kn_library_def library = kn_library_def_default();
    bench_check(kn_library_create(&library, &s->library), "kn_library_create");
    register_attributes(s);
    check(kn_script_create(s->library, NULL, &s->script, &error), &error);
    check(kn_script_load(s->script, "bench.lua", chunk, sizeof(chunk) - 1, &error), &error);
    register_bolt(s);
    kn_calculation_def by_lua = kn_calculation_def_default();
    check(kn_script_bind_calculation(s->script, "Scaled", &by_lua, &error), &error);
    s->by_lua = register_hit(s, "ByLua", &by_lua);
    kn_calculation_def by_c = kn_calculation_def_default();
    by_c.function = scaled;
    s->by_c = register_hit(s, "ByC", &by_c);
    check(kn_library_finish(s->library, &error), &error);

    kn_world_def world = kn_world_def_default();
    world.library = s->library;
    world.event_capacity = ACTORS * 16;
    bench_check(kn_world_create(&world, &s->world), "kn_world_create");
    for (uint32_t i = 0; i < ACTORS; i++) {
        bench_check(kn_entity_create(s->world, &s->actors[i]), "kn_entity_create");
        bench_check(kn_attribute_set_add(s->world, s->actors[i], s->vitals, 0), "set_add");
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = s->bolt;
        bench_check(kn_ability_grant(s->world, s->actors[i], &grant, &s->bolts[i]), "grant");
    }
    bench_check(kn_world_step(s->world, 0), "kn_world_step");
}

static void stage_close(stage *s)
{
    if (kn_script_error_count(s->script) > 0) {
        bench_check(KN_ERROR_BAD_DATA, "a script without errors");
    }
    kn_world_destroy(s->world);
    kn_script_destroy(s->script);
    kn_library_destroy(s->library);
}

// An ability from start to end whose body is a script: activate, commit, finish.
void bench_script_activate(bench_report *bench)
{
    static stage s;
    stage_open(&s);
    double total = 0.0;
    uint64_t allocations = 0;
    uint64_t bytes = 0;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        if (round == 1) {
            allocations = kn_world_get_stats(s.world).allocations;
            bytes = kn_script_get_stats(s.script).bytes;
        }
        double start = bench_now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            bench_check(kn_ability_activate(s.world, s.bolts[i], NULL, NULL), "activate");
        }
        double end = bench_now_ns();
        bench_check(kn_world_step(s.world, KN_S(1)), "kn_world_step");
        total += round > 0 ? end - start : 0.0;
    }
    uint64_t grown = kn_script_get_stats(s.script).bytes;
    bench_note(bench, "op_ns", total / (ACTORS * ROUNDS), "ns");
    bench_note(
        bench, "allocations", (double)(kn_world_get_stats(s.world).allocations - allocations), "");
    bench_note(bench, "vm_grown", grown > bytes ? (double)(grown - bytes) : 0.0, "B");
    stage_close(&s);
}

static double apply_all(stage *s, kn_effect_type_id type)
{
    double best = 1e18;
    for (uint32_t round = 0; round <= ROUNDS; round++) {
        double start = bench_now_ns();
        for (uint32_t i = 0; i < ACTORS; i++) {
            bench_check(kn_effect_apply_simple(
                            s->world, type, s->actors[i], s->actors[ACTORS - 1 - i], 1.0f, NULL),
                "kn_effect_apply_simple");
        }
        double spent = (bench_now_ns() - start) / ACTORS;
        best = round > 0 && spent < best ? spent : best;
        bench_check(kn_world_step(s->world, 0), "kn_world_step");
    }
    return best;
}

// An instant effect whose magnitude is a script, and what one call of it costs more than one of a
// function in C.
void bench_script_magnitude(bench_report *bench)
{
    static stage s;
    stage_open(&s);
    double by_c = apply_all(&s, s.by_c);
    double by_lua = apply_all(&s, s.by_lua);
    double calls = (double)kn_script_get_stats(s.script).calls / ((ROUNDS + 1) * ACTORS);
    bench_note(bench, "apply_ns", by_lua, "ns");
    bench_note(bench, "magnitude_ns", (by_lua - by_c) / calls, "ns");
    stage_close(&s);
}
