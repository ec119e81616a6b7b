// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenes of the combat kit about hits: a boss with many attackers, and a raid full of auras.

#include "bench.h"

#include "knack/combat.h"

#include <stdio.h>

#define ATTACKERS 100
#define RAIDERS 40
#define AURAS 255
#define TICKING 60 // of the auras of each: damage or healing every 3 s

typedef struct fight {
    kn_library *library;
    kn_world *world;
    kn_attribute_set_id vitals, hit;
    kn_tag fire;
    kn_effect_type_id damage[TICKING], healing[TICKING], quiet[AURAS], swing;
    kn_entity_id boss, players[ATTACKERS];
    uint32_t player_count;
} fight;

static void fight_check(kn_result result, const kn_error *error, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s\n", error->message);
    }
    bench_check(result, what);
}

static kn_attribute_def fight_attribute(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    def.profile = kn_value_profile_combat();
    return def;
}

static void fight_vitals(fight *f)
{
    kn_error error = {0};
    kn_attribute_def attributes[] = {
        fight_attribute("MaxHealth", 1e6f),
        fight_attribute("Health", 1e6f),
        fight_attribute("Power", 10.0f),
    };
    attributes[1].min = kn_limit_constant(0.0f);
    attributes[1].max = kn_limit_attribute("MaxHealth");
    attributes[1].no_modifiers = true;
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 3;
    fight_check(kn_attribute_set_register(f->library, &set, &f->vitals, &error), &error, "a set");
}

static kn_effect_type_id fight_effect(
    fight *f, const char *name, uint32_t index, kn_modifier_def modifier, float period)
{
    char text[32];
    kn_error error = {0};
    kn_effect_type_id type;
    kn_effect_def def = kn_effect_def_default();
    (void)snprintf(text, sizeof(text), "%s%u", name, index);
    def.name = text;
    def.duration_kind = period < 0.0f ? KN_DURATION_INSTANT : KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.asset_tags = (kn_tags){&f->fire, 1};
    def.is_periodic = period > 0.0f;
    def.period = kn_magnitude_constant(period);
    fight_check(kn_effect_register(f->library, &def, &type, &error), &error, "an effect");
    return type;
}

// Quiet auras change power, or damage and healing done and taken.
static kn_modifier_def fight_quiet(const fight *f, uint32_t index)
{
    static const char *const values[] = {
        "Knack.DamageDone", "Knack.DamageTaken", "Knack.HealingDone", "Knack.HealingTaken"};
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(f->library, "Vitals.Power"), KN_OP_ADD, 1.0f);
    if (index < 40) {
        modifier = kn_modifier_def_default();
        modifier.value = kn_value_find(f->library, values[index % 4]);
        modifier.op = KN_OP_MULTIPLY;
        modifier.magnitude = kn_magnitude_constant(index % 8 < 4 ? 1.01f : 0.99f);
        if (index >= 20) {
            modifier.event.required = (kn_tags){&f->fire, 1};
        }
    }
    return modifier;
}

static void fight_effects(fight *f)
{
    kn_attribute_id damage = kn_attribute_find(f->library, "Hit.Damage");
    kn_attribute_id healing = kn_attribute_find(f->library, "Hit.Healing");
    for (uint32_t i = 0; i < TICKING; i++) {
        f->damage[i] =
            fight_effect(f, "Burn", i, kn_modifier_constant(damage, KN_OP_ADD, 10.0f), 3.0f);
        f->healing[i] =
            fight_effect(f, "Mend", i, kn_modifier_constant(healing, KN_OP_ADD, 10.0f), 3.0f);
    }
    for (uint32_t i = 0; i < AURAS; i++) {
        f->quiet[i] = fight_effect(f, "Quiet", i, fight_quiet(f, i), 0.0f);
    }
    f->swing = fight_effect(f, "Swing", 0, kn_modifier_constant(damage, KN_OP_ADD, 20.0f), -1.0f);
}

static void fight_outcomes(fight *f)
{
    kn_error error = {0};
    kn_outcome_def missed = kn_outcome_def_default(), critical = kn_outcome_def_default();
    missed.name = "Missed";
    missed.chance = kn_magnitude_constant(0.05f);
    missed.factor = kn_magnitude_constant(0.0f);
    missed.ends = true;
    critical.name = "Critical";
    critical.chance = kn_magnitude_constant(0.2f);
    critical.factor = kn_magnitude_constant(2.0f);
    fight_check(kn_outcome_register(f->library, &missed, NULL, &error), &error, "an outcome");
    fight_check(kn_outcome_register(f->library, &critical, NULL, &error), &error, "an outcome");
}

static kn_entity_id fight_spawn(fight *f)
{
    kn_entity_id entity;
    bench_check(kn_entity_create(f->world, &entity), "an entity");
    bench_check(kn_attribute_set_add(f->world, entity, f->vitals, 0), "vitals");
    bench_check(kn_attribute_set_add(f->world, entity, f->hit, 0), "hits");
    return entity;
}

static void fight_begin(fight *f, uint32_t players, bool has_outcomes)
{
    kn_error error = {0};
    kn_library_def def = kn_library_def_default();
    *f = (fight){.player_count = players};
    bench_check(kn_library_create(&def, &f->library), "a library");
    fight_check(kn_combat_register(f->library, &error), &error, "the kit");
    const char *names[] = {"School.Fire", "State.Dead"};
    kn_tag tags[2];
    fight_check(
        kn_tag_register_module(f->library, "Bench", names, 2, tags, &error), &error, "tags");
    f->fire = tags[0];
    fight_vitals(f);
    kn_combat_def rules = kn_combat_def_default();
    rules.name = "Rules";
    rules.health = kn_attribute_find(f->library, "Vitals.Health");
    rules.dead = tags[1];
    fight_check(kn_combat_rules_register(f->library, &rules, &error), &error, "rules");
    fight_effects(f);
    if (has_outcomes) {
        fight_outcomes(f);
    }
    fight_check(kn_library_finish(f->library, &error), &error, "the library");
    f->hit = kn_attribute_set_find(f->library, "Hit");
    kn_world_def world = kn_world_def_default();
    world.library = f->library;
    bench_check(kn_world_create(&world, &f->world), "a world");
    f->boss = fight_spawn(f);
    for (uint32_t i = 0; i < players; i++) {
        f->players[i] = fight_spawn(f);
    }
    bench_check(kn_threat_begin(f->world, f->boss), "a threat table");
}

static void fight_end(fight *f)
{
    kn_world_destroy(f->world);
    kn_library_destroy(f->library);
}

// 500 hits by attackers in random order; returns nanoseconds for each.
static double threat_hits(fight *f, uint32_t flags, uint64_t *random)
{
    kn_attribute_id health = kn_attribute_find(f->library, "Vitals.Health");
    kn_hit_def def = kn_hit_def_default();
    def.target = f->boss;
    def.tags = (kn_tags){&f->fire, 1};
    def.flags = flags;
    def.amount = 10.0f;
    double begin = bench_now_ns();
    for (uint32_t i = 0; i < 500; i++) {
        def.source = f->players[bench_random_below(random, f->player_count)];
        (void)kn_hit_run(f->world, &def, NULL);
    }
    double spent = bench_now_ns() - begin;
    bench_check(kn_world_step(f->world, 1000), "a step");
    bench_check(kn_attribute_set_base(f->world, f->boss, health, 0, 1e6f), "health");
    return spent / 500;
}

// What threat and combat add to a hit, and the whole hit: the best of many short turns, so that
// their difference means something on a busy machine too.
void bench_threat_100(bench_report *bench)
{
    fight f;
    uint64_t random = 7, before = 0;
    double whole = 1e9, plain = 1e9;
    fight_begin(&f, ATTACKERS, false);
    for (uint32_t turn = 0; turn < 110; turn++) {
        double with = threat_hits(&f, 0, &random);
        double without = threat_hits(&f, KN_HIT_NO_THREAT | KN_HIT_NO_COMBAT, &random);
        whole = with < whole ? with : whole;
        plain = without < plain ? without : plain;
        before = turn == 10 ? kn_world_get_stats(f.world).allocations : before;
    }
    bench_note(bench, "op_ns", whole - plain, "ns");
    bench_note(bench, "hit_ns", whole, "ns");
    bench_note(
        bench, "allocations", (double)(kn_world_get_stats(f.world).allocations - before), "count");
    fight_end(&f);
}

static void raid_auras(fight *f)
{
    const uint32_t raiders = f->player_count;
    for (uint32_t i = 0; i <= raiders; i++) {
        kn_entity_id entity = i < raiders ? f->players[i] : f->boss;
        for (uint32_t j = 0; j < AURAS; j++) {
            kn_effect_type_id type = j < TICKING / 2 ? f->damage[j]
                                     : j < TICKING   ? f->healing[j]
                                                     : f->quiet[j - TICKING];
            kn_entity_id source = i < raiders && j >= TICKING / 2 ? f->players[(i + j) % raiders]
                                  : i < raiders                   ? f->boss
                                                                  : f->players[j % raiders];
            bench_check(
                kn_effect_apply_simple(f->world, type, source, entity, 1.0f, NULL), "an aura");
            if (j < TICKING) {
                bench_check(kn_world_step(f->world, 3000000 / 60 / (raiders + 1)),
                    "a step"); // spreads the ticks over 3 s
            }
        }
    }
}

// A player swings twice a second, the boss at somebody four times.
static void raid_frame(fight *f, uint32_t frame)
{
    for (uint32_t i = frame % 30; i < f->player_count; i += 30) {
        (void)kn_effect_apply_simple(f->world, f->swing, f->players[i], f->boss, 1.0f, NULL);
    }
    if (frame % 15 == 0) {
        kn_entity_id target = kn_threat_target(f->world, f->boss);
        (void)kn_effect_apply_simple(f->world, f->swing, f->boss, target, 1.0f, NULL);
    }
    bench_check(kn_world_step(f->world, KN_S(1) / 60), "a step");
}

typedef struct raid_costs {
    double frame_ns, row_ns, allocations;
} raid_costs;

// Players and a boss with 255 auras each, 60 of which tick; hits, threat, a log that reads along.
static raid_costs raid(uint32_t raiders)
{
    fight f;
    kn_combat_log_def def = kn_combat_log_def_default();
    kn_combat_log *log;
    fight_begin(&f, raiders, true);
    bench_check(kn_combat_log_create(&def, &log), "a log");
    raid_auras(&f);
    for (uint32_t frame = 0; frame < 240; frame++) {
        raid_frame(&f, frame);
    }
    uint64_t before = kn_world_get_stats(f.world).allocations;
    uint64_t hits = 0;
    double begin = bench_now_ns();
    for (uint32_t frame = 0; frame < 360; frame++) {
        raid_frame(&f, frame);
        hits += kn_combat_log_read(log, f.world);
    }
    double spent = bench_now_ns() - begin;
    uint64_t after = kn_world_get_stats(f.world).allocations;
    kn_combat_log_destroy(log);
    fight_end(&f);
    return (raid_costs){spent / 360, spent / (double)hits, (double)(after - before)};
}

void bench_raid_40(bench_report *bench)
{
    raid_costs costs = raid(RAIDERS);
    bench_note(bench, "frame_ms", costs.frame_ns * 1e-6, "ms");
    bench_note(bench, "row_ns", costs.row_ns, "ns");
    bench_note(bench, "allocations", costs.allocations, "count");
}

// What a frame costs for each raider, among more and more of them.
void bench_raid_scale(bench_report *bench)
{
    static const char *const metrics[BENCH_SIZES] = {
        "raider_1x_ns", "raider_4x_ns", "raider_16x_ns"};
    for (uint32_t i = 0; i < BENCH_SIZES; i++) {
        uint32_t raiders = 6 * bench_sizes[i].times;
        bench_note(bench, metrics[i], raid(raiders).frame_ns / raiders, "ns");
    }
}
