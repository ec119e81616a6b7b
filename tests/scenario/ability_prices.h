// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What tests of costs, cooldowns and reasons share: abilities that are used at once, and the check
// that a world in any state can be rolled back, saved and played on.
#ifndef ABILITY_PRICES_H
#define ABILITY_PRICES_H

#include "scenario/ability_fixture.h"

// Playing on ----------------------------------------------------------------

static inline uint64_t played_on(kn_world *world, uint32_t steps, kn_time dt)
{
    for (uint32_t i = 0; i < steps; i++) {
        assert_int_equal(kn_world_step(world, dt), KN_OK);
    }
    assert_true(kn_world_validate(world));
    return kn_world_hash(world);
}

// The status of every ability of the hero: remembered and computed anew, without the hook.
static inline void expect_status_fresh(const fixture *f, kn_world *world)
{
    kn_ability_id abilities[16];
    uint32_t count = kn_abilities_find(world, f->hero, NULL, abilities, 16);
    for (uint32_t i = 0; i < count && i < 16; i++) {
        uint32_t fresh = kn_ability_check(world, abilities[i], NULL) & ~(uint32_t)KN_FAIL_CUSTOM;
        assert_int_equal(kn_ability_status(world, abilities[i]), fresh);
    }
}

// Rolled back, the world goes the same way again; saved and loaded, another goes it too. Leaves
// the world as it was.
static inline void expect_replays(fixture *f)
{
    enum { STEPS = 40 };
    const kn_time dt = KN_MS(130);
    char log[LOG_SIZE];
    memcpy(log, f->log, sizeof(log));
    uint64_t now = kn_world_hash(f->world);
    size_t size;
    void *snapshot = snapshot_of(f->world, &size);
    kn_world *other = world_loaded(f, kn_world_def_default());
    expect_status_fresh(f, other);
    uint64_t then = played_on(f->world, STEPS, dt);
    snapshot_restore(f->world, snapshot, size);
    assert_int_equal(kn_world_hash(f->world), now);
    expect_status_fresh(f, f->world);
    assert_int_equal(played_on(f->world, STEPS, dt), then);
    assert_int_equal(played_on(other, STEPS, dt), then);
    assert_same_worlds(f->world, other);
    kn_world_destroy(other);
    snapshot_restore(f->world, snapshot, size);
    free(snapshot);
    memcpy(f->log, log, sizeof(log));
}

// Steps at a given rate until a time, whatever the step before it was.
static inline void step_until(fixture *f, kn_time end, kn_time dt)
{
    while (kn_world_now(f->world) < end) {
        kn_time left = end - kn_world_now(f->world);
        step(f, left < dt ? left : dt);
    }
}

// Definitions ---------------------------------------------------------------

// An ability that pays when it is used and is over at once.
static inline kn_ability_def spell_def(fixture *f, const char *name)
{
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.user = f;
    def.commit = KN_COMMIT_AT_USE;
    def.instancing = KN_INSTANCING_NONE;
    return def;
}

static inline kn_ability_type_id spell_with_costs(
    fixture *f, const char *name, const kn_cost_def *costs, uint32_t count)
{
    kn_ability_def def = spell_def(f, name);
    def.costs = costs;
    def.cost_count = count;
    return ability_register(f, &def);
}

static inline kn_ability_type_id spell_with_cooldowns(
    fixture *f, const char *name, const kn_cooldown_def *cooldowns, uint32_t count)
{
    kn_ability_def def = spell_def(f, name);
    def.cooldowns = cooldowns;
    def.cooldown_count = count;
    return ability_register(f, &def);
}

// A number that is the curve's at each level.
static inline kn_scalable by_level(kn_curve_id curve)
{
    kn_scalable scalable = {.value = 1.0f, .curve = curve};
    return scalable;
}

static inline kn_modifier_def add_to(kn_attribute_id attribute, float amount)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = attribute;
    modifier.op = KN_OP_ADD;
    modifier.magnitude = kn_magnitude_constant(amount);
    return modifier;
}

// Granted to the hero while it is active: one tag.
static inline kn_effect_type_id tag_effect(
    fixture *f, const char *name, const char *tag, float seconds)
{
    kn_effect_def def = seconds > 0.0f ? timed(name, seconds) : infinite(name);
    def.granted_tags = tags_of(f, tag);
    return effect_register(f, &def);
}

// Doing ---------------------------------------------------------------------

static inline kn_ability_id grant_level(fixture *f, kn_ability_type_id type, float level)
{
    kn_ability_grant_def def = kn_ability_grant_def_default();
    def.type = type;
    def.level = level;
    kn_ability_id ability;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &def, &ability), KN_OK);
    return ability;
}

static inline kn_result use(fixture *f, kn_ability_id ability)
{
    return kn_ability_activate(f->world, ability, NULL, NULL);
}

static inline uint32_t check(const fixture *f, kn_ability_id ability)
{
    return kn_ability_check(f->world, ability, NULL);
}

static inline void expect_text(const fixture *f, kn_ability_id ability, const char *expected)
{
    char text[512];
    uint32_t length = kn_ability_explain_print(f->world, ability, NULL, text, sizeof(text));
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

#endif
