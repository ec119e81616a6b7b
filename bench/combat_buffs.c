// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes of the combat kit about procs: many of them in one step.

#include "bench.h"

#include "knack/combat.h"

#include <stdio.h>
#include <stdlib.h>

#define STORM 10000
#define STORM_ROUNDS 5

typedef struct storm {
    kn_library *library;
    kn_world *world;
    kn_entity_id *entities;
    uint32_t count;
    kn_attribute_set_id vitals;
    kn_effect_type_id burn, spiked;
} storm;

static void storm_check(kn_result result, const kn_error *error, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s\n", error->message);
    }
    bench_check(result, what);
}

static void storm_vitals(storm *s)
{
    kn_error error = {0};
    kn_attribute_def attributes[2] = {kn_attribute_def_default(), kn_attribute_def_default()};
    attributes[0].name = "Health";
    attributes[0].default_value = 1e6f;
    attributes[0].min = kn_limit_constant(0.0f);
    attributes[1].name = "Rage";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 2;
    storm_check(kn_attribute_set_register(s->library, &set, &s->vitals, &error), &error, "a set");
    kn_combat_def rules = kn_combat_def_default();
    rules.name = "Rules";
    rules.health = kn_attribute_find(s->library, "Vitals.Health");
    storm_check(kn_combat_rules_register(s->library, &rules, &error), &error, "rules");
}

static kn_effect_type_id storm_effect(
    storm *s, const char *name, const char *attribute, float seconds)
{
    kn_error error = {0};
    kn_effect_type_id type;
    kn_effect_def def = kn_effect_def_default();
    kn_modifier_def modifier = kn_modifier_def_default();
    def.name = name;
    if (attribute != NULL) {
        modifier = kn_modifier_constant(kn_attribute_find(s->library, attribute), KN_OP_ADD, 1.0f);
        def.modifiers = &modifier;
        def.modifier_count = 1;
    }
    def.duration_kind = seconds < 0.0f ? KN_DURATION_INSTANT : KN_DURATION_INFINITE;
    def.is_periodic = seconds > 0.0f;
    def.period = kn_magnitude_constant(seconds);
    def.skip_first_tick = true;
    storm_check(kn_effect_register(s->library, &def, &type, &error), &error, "an effect");
    return type;
}

// Lets everybody's procs react, inside a step.
static kn_time storm_raise(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const storm *s = user;
    (void)entity;
    (void)data;
    for (uint32_t i = 0; i < s->count; i++) {
        kn_proc_event event = kn_proc_event_default();
        event.bearer = s->entities[i];
        event.other = s->entities[i ^ 1u];
        event.source = event.other;
        event.target = event.bearer;
        event.on = KN_PROC_HIT_TAKEN;
        event.magnitude = 1.0f;
        bench_check(kn_proc_run(world, &event, (kn_tags){0}, NULL), "kn_proc_run");
    }
    return KN_S(1);
}

// Everybody burns at the same time, or a timer takes the place of the hits. Who has `Spiked` has a
// proc that makes it angry.
static void storm_begin(storm *s, uint32_t count, bool burns)
{
    kn_error error = {0};
    kn_library_def library = kn_library_def_default();
    *s = (storm){.count = count};
    bench_check(kn_library_create(&library, &s->library), "a library");
    storm_check(kn_combat_register(s->library, &error), &error, "the kit");
    storm_vitals(s);
    s->burn = storm_effect(s, "Burn", "Hit.Damage", 1.0f);
    s->spiked = storm_effect(s, "Spiked", NULL, 0.0f);
    kn_proc_action_def action = kn_proc_action_def_default();
    kn_proc_def proc = kn_proc_def_default();
    action.effect = storm_effect(s, "Anger", "Vitals.Rage", -1.0f);
    proc.name = "Spiked";
    proc.on = KN_PROC_HIT_TAKEN;
    proc.actions = &action;
    proc.action_count = 1;
    storm_check(kn_proc_register(s->library, &proc, NULL, &error), &error, "a proc");
    kn_timer_type_id timer;
    storm_check(kn_timer_type_register(s->library, "Storm", storm_raise, s, &timer, &error), &error,
        "a timer");
    storm_check(kn_library_finish(s->library, &error), &error, "a library");
    kn_world_def def = kn_world_def_default();
    def.library = s->library;
    def.entity_capacity = count;
    def.actor_capacity = count;
    def.effect_capacity = count * 2;
    bench_check(kn_world_create(&def, &s->world), "a world");
    s->entities = calloc(count, sizeof(*s->entities));
    for (uint32_t i = 0; i < count; i++) {
        bench_check(kn_entity_create(s->world, &s->entities[i]), "an entity");
        bench_check(kn_attribute_set_add(s->world, s->entities[i], s->vitals, 0), "vitals");
        bench_check(kn_attribute_set_add(
                        s->world, s->entities[i], kn_attribute_set_find(s->library, "Hit"), 0),
            "the set Hit");
    }
    for (uint32_t i = 0; burns && i < count; i++) { // two and two fight each other
        bench_check(kn_effect_apply_simple(
                        s->world, s->burn, s->entities[i ^ 1u], s->entities[i], 1.0f, NULL),
            "Burn");
    }
    if (!burns) {
        bench_check(
            kn_timer_start(s->world, timer, (kn_entity_id){0}, KN_S(1), NULL, NULL), "a timer");
    }
}

static void storm_end(storm *s)
{
    kn_world_destroy(s->world);
    kn_library_destroy(s->library);
    free(s->entities);
}

// The time of one step with all ticks, the best of some.
static double storm_step(storm *s)
{
    double best = 1e18;
    for (uint32_t i = 0; i <= STORM_ROUNDS; i++) {
        double start = bench_now_ns();
        bench_check(kn_world_step(s->world, KN_S(1)), "a step");
        double took = bench_now_ns() - start;
        best = i > 0 && took < best ? took : best;
    }
    return best;
}

static void storm_arm(storm *s)
{
    for (uint32_t i = 0; i < s->count; i++) {
        bench_check(
            kn_effect_apply_simple(s->world, s->spiked, s->entities[i], s->entities[i], 1.0f, NULL),
            "Spiked");
    }
    (void)storm_step(s); // all memory has its size then
}

static void storm_verify(const storm *s)
{
    float rage =
        kn_attribute_value(s->world, s->entities[1], kn_attribute_find(s->library, "Vitals.Rage"));
    bench_check(rage >= (float)STORM_ROUNDS ? KN_OK : KN_REFUSED_CUSTOM, "every proc acts");
}

// What a proc costs that acts, without the hit that it reacts to.
static double storm_proc_ns(uint32_t count, double *allocations)
{
    storm s;
    storm_begin(&s, count, false);
    storm_arm(&s);
    uint64_t before = kn_world_get_stats(s.world).allocations;
    double took = storm_step(&s);
    *allocations = (double)(kn_world_get_stats(s.world).allocations - before);
    storm_verify(&s);
    storm_end(&s);
    return took / count;
}

// Ten thousand procs in one step, and ten thousand ticks that deal hits with as many procs.
void bench_proc_storm(bench_report *bench)
{
    double allocations;
    bench_note(bench, "op_ns", storm_proc_ns(STORM, &allocations), "ns");
    bench_note(bench, "allocations", allocations, "");
    storm s;
    storm_begin(&s, STORM, true);
    bench_note(bench, "hit_ns", storm_step(&s) / STORM, "ns");
    storm_arm(&s);
    bench_note(bench, "hit_and_proc_ns", storm_step(&s) / STORM, "ns");
    storm_verify(&s);
    storm_end(&s);
}

// The cost of a proc does not grow with their number.
void bench_proc_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {"op_1x_ns", "op_4x_ns", "op_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        double allocations;
        bench_note(
            bench, metrics[i], storm_proc_ns(2000 * bench_sizes[i].times, &allocations), "ns");
    }
}
