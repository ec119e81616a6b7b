// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of the combat kit share: a library with vitals and the kit, a world with four
// entities, and short words. A test fills `arena.library` between arena_begin() and arena_start().
#ifndef COMBAT_TEST_H
#define COMBAT_TEST_H

#include "group.h"

#include <knack/combat.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `hero` acts, `foe` is what it acts on, `ally` stands by, and `lord` owns all of them.
typedef struct arena {
    kn_library *library;
    kn_world *world;
    kn_attribute_set_id vitals;
    kn_attribute_id health, max_health, mana, max_mana, power;
    kn_tag dead, fire, frost, direct;
    kn_entity_id hero, foe, ally, lord;
} arena;

static inline void expect_ok(kn_result result)
{
    assert_string_equal(kn_result_name(result), "KN_OK");
}

static inline void expect_result(kn_result result, kn_result wanted)
{
    assert_string_equal(kn_result_name(result), kn_result_name(wanted));
}

static inline kn_tag arena_tag(arena *a, const char *name)
{
    kn_tag tag;
    kn_error error = {0};
    kn_result result = kn_tag_register_module(a->library, "Test", &name, 1, &tag, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return tag;
}

static inline kn_attribute_def arena_attribute(const char *name, float value)
{
    kn_attribute_def def = kn_attribute_def_default();
    def.name = name;
    def.default_value = value;
    def.profile = kn_value_profile_combat();
    return def;
}

// A library with the kit, the set Vitals, some tags, and rules; their health and dead tag are
// filled in.
static inline void arena_begin_with(arena *a, const kn_combat_def *def_of_rules)
{
    *a = (arena){0};
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    expect_ok(kn_library_create(&def, &a->library));
    if (kn_combat_register(a->library, &error) != KN_OK) {
        print_error("%s\n", error.message);
        fail();
    }
    a->dead = arena_tag(a, "State.Dead");
    a->fire = arena_tag(a, "School.Fire");
    a->frost = arena_tag(a, "School.Frost");
    a->direct = arena_tag(a, "Style.Direct");
    expect_ok(kn_ability_dead_tag_set(a->library, a->dead));
    kn_attribute_def attributes[] = {
        arena_attribute("MaxHealth", 1000.0f),
        arena_attribute("Health", 1000.0f),
        arena_attribute("MaxMana", 100.0f),
        arena_attribute("Mana", 100.0f),
        arena_attribute("Power", 1.0f),
    };
    attributes[1].min = kn_limit_constant(0.0f);
    attributes[1].max = kn_limit_attribute("MaxHealth");
    attributes[1].no_modifiers = true;
    attributes[3].min = kn_limit_constant(0.0f);
    attributes[3].max = kn_limit_attribute("MaxMana");
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Vitals";
    set.attributes = attributes;
    set.attribute_count = 5;
    expect_ok(kn_attribute_set_register(a->library, &set, &a->vitals, &error));
    a->health = kn_attribute_find(a->library, "Vitals.Health");
    a->max_health = kn_attribute_find(a->library, "Vitals.MaxHealth");
    a->mana = kn_attribute_find(a->library, "Vitals.Mana");
    a->max_mana = kn_attribute_find(a->library, "Vitals.MaxMana");
    a->power = kn_attribute_find(a->library, "Vitals.Power");
    kn_combat_def rules = *def_of_rules;
    rules.name = "Rules";
    rules.health = a->health;
    rules.dead = a->dead;
    expect_ok(kn_combat_rules_register(a->library, &rules, &error));
}

// A library with the kit, its rules, the set Vitals and some tags.
static inline void arena_begin(arena *a)
{
    kn_combat_def rules = kn_combat_def_default();
    arena_begin_with(a, &rules);
}

// An entity with vitals that can be hit.
static inline kn_entity_id arena_spawn(arena *a)
{
    kn_entity_id entity;
    expect_ok(kn_entity_create(a->world, &entity));
    expect_ok(kn_attribute_set_add(a->world, entity, a->vitals, 0));
    expect_ok(kn_attribute_set_add(a->world, entity, kn_attribute_set_find(a->library, "Hit"), 0));
    return entity;
}

// Finishes the library and creates the world, which logs where `hooks` say.
static inline void arena_start_with(arena *a, kn_hooks hooks)
{
    kn_error error = {0};
    kn_result result = kn_library_finish(a->library, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    kn_world_def def = kn_world_def_default();
    def.library = a->library;
    def.hooks = hooks;
    expect_ok(kn_world_create(&def, &a->world));
    kn_world_set_moving(a->world, true);
    a->lord = arena_spawn(a);
    a->hero = arena_spawn(a);
    a->foe = arena_spawn(a);
    a->ally = arena_spawn(a);
    expect_ok(kn_entity_set_owner(a->world, a->hero, a->lord));
    expect_ok(kn_entity_set_owner(a->world, a->foe, a->lord));
    expect_ok(kn_entity_set_owner(a->world, a->ally, a->lord));
}

static inline void arena_start(arena *a)
{
    arena_start_with(a, (kn_hooks){0});
}

static inline void arena_end(arena *a)
{
    kn_world_destroy(a->world);
    kn_library_destroy(a->library);
}

static inline kn_effect_type_id arena_effect(arena *a, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error = {0};
    kn_result result = kn_effect_register(a->library, def, &type, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return type;
}

static inline kn_ability_type_id arena_ability(arena *a, const kn_ability_def *def)
{
    kn_ability_type_id type;
    kn_error error = {0};
    kn_result result = kn_ability_register(a->library, def, &type, &error);
    if (result != KN_OK) {
        print_error("%s\n", error.message);
    }
    expect_ok(result);
    return type;
}

static inline kn_ability_id arena_grant(arena *a, kn_entity_id entity, kn_ability_type_id type)
{
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id ability;
    grant.type = type;
    expect_ok(kn_ability_grant(a->world, entity, &grant, &ability));
    return ability;
}

static inline kn_effect_id arena_apply(
    arena *a, kn_effect_type_id type, kn_entity_id source, kn_entity_id target)
{
    kn_effect_id effect;
    expect_ok(kn_effect_apply_simple(a->world, type, source, target, 1.0f, &effect));
    return effect;
}

// Steps to a simulated time, given in milliseconds.
static inline void arena_until(arena *a, int64_t milliseconds)
{
    expect_ok(kn_world_step(a->world, KN_MS(milliseconds) - kn_world_now(a->world)));
}

static inline float health_of(const arena *a, kn_entity_id entity)
{
    return kn_attribute_value(a->world, entity, a->health);
}

static inline float mana_of(const arena *a, kn_entity_id entity)
{
    return kn_attribute_value(a->world, entity, a->mana);
}

// Asserts that two numbers are equal but for the rounding of floats.
static inline void expect_near(float value, float wanted)
{
    float slack = fabsf(wanted) * 1e-5f + 1e-6f;
    if (!(fabsf(value - wanted) <= slack)) {
        print_error("%.9g is not %.9g\n", (double)value, (double)wanted);
        fail();
    }
}

#endif
