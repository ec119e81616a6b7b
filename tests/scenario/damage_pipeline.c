// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damage as games build it: a meta attribute, a hook that spends it, an execution that computes it.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

static kn_tag tag_of(stage *s, const char *name)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    kn_tag tag = {0};
    assert_int_equal(kn_tag_register(s->library, &def, &tag, NULL), KN_OK);
    return tag;
}

static kn_tags one(const kn_tag *tag)
{
    kn_tags tags = {tag, 1};
    return tags;
}

static kn_effect_def effect_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifiers, uint32_t count)
{
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = kind;
    def.duration = kn_magnitude_constant(10.0f);
    def.modifiers = modifiers;
    def.modifier_count = count;
    return def;
}

static kn_effect_type_id add_effect(stage *s, const kn_effect_def *def)
{
    kn_error error = {0};
    kn_effect_type_id type = {0};
    if (kn_effect_register(s->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static kn_effect_apply_def from_hero(const stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->hero;
    def.target = s->foe;
    return def;
}

static void near(float found, float expected)
{
    float tolerance = 1e-5f * fmaxf(1.0f, fabsf(expected));
    if (!(fabsf(found - expected) <= tolerance)) {
        fail_msg("%g is not %g", (double)found, (double)expected);
    }
}

// Current and base value of the foe.
static float current(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_value(s->world, s->foe, attribute);
}

static float base(const stage *s, kn_attribute_id attribute)
{
    return kn_attribute_base(s->world, s->foe, attribute);
}

static void set_base(stage *s, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(s->world, entity, attribute, 0, value), KN_OK);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static kn_execution_id execution_of(stage *s, const char *name, const kn_capture *captures,
    uint32_t count, kn_tags transients, kn_execution_fn *function, void *user)
{
    kn_execution_def def = kn_execution_def_default();
    def.name = name;
    def.captures = captures;
    def.capture_count = count;
    def.transients = transients;
    def.function = function;
    def.user = user;
    kn_execution_id execution = {0};
    kn_error error = {0};
    if (kn_execution_register(s->library, &def, &execution, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return execution;
}

static const kn_tags no_tags = {NULL, 0};

static kn_effect_type_id executing(stage *s, const char *name, kn_execution_id execution,
    const kn_calculation_modifier *modifiers, uint32_t count)
{
    kn_execution_use use = {
        .execution = execution, .modifiers = modifiers, .modifier_count = count};
    kn_effect_def def = effect_def(name, KN_DURATION_INSTANT, NULL, 0);
    def.executions = &use;
    def.execution_count = 1;
    return add_effect(s, &def);
}

// Damage --------------------------------------------------------------------------

typedef struct arena {
    kn_attribute_id damage, shield, health, xp, gold;
    kn_tag can_crit, data_damage;
    kn_attribute_id armor;
    uint32_t seen_damage_count;
    float seen_damage[4];
} arena;

static arena game;

// Meta damage is spent on the shield, then on health; a lethal hit pays the killer.
static void spend_damage(void *user, const kn_execute_data *data)
{
    (void)user;
    if (!kn_attribute_id_equal(data->attribute, game.damage)) {
        return;
    }
    float left = data->new_base;
    game.seen_damage[game.seen_damage_count++ % 4] = left;
    if (kn_attribute_exists(data->world, data->entity, game.shield, 0)) {
        float shield = kn_attribute_base(data->world, data->entity, game.shield);
        float taken = left < shield ? left : shield;
        kn_attribute_set_base(data->world, data->entity, game.shield, 0, shield - taken);
        left -= taken;
    }
    float health = kn_attribute_base(data->world, data->entity, game.health);
    kn_attribute_set_base(data->world, data->entity, game.health, 0, health - left);
    if (health > 0 && health - left <= 0) {
        kn_modifier_def bounty[] = {
            kn_modifier_constant(game.xp, KN_OP_ADD, 50),
            kn_modifier_constant(game.gold, KN_OP_ADD, 7),
        };
        kn_effect_def def = effect_def("Bounty", KN_DURATION_INSTANT, bounty, COUNT(bounty));
        kn_effect_type_id type = {0};
        if (kn_world_effect_register(data->world, &def, &type, NULL) == KN_OK) {
            kn_entity_id killer = kn_spec_view_source(data->spec);
            (void)kn_effect_apply_simple(data->world, type, killer, killer, 1.0f, NULL);
        }
    }
}

// Damage from the caller less armour; doubled by a critical hit; a tenth returns as life.
static void damage_execution(void *user, kn_execution *execution)
{
    (void)user;
    const kn_spec_view *spec = kn_execution_spec(execution);
    float amount = fmaxf(0.0f, kn_spec_view_caller_value(spec, game.data_damage, -1.0f, false));
    amount = fmaxf(0.0f, amount - kn_execution_capture(execution, 0));
    if (kn_spec_view_has_asset_tag(spec, game.can_crit)) {
        amount *= 2;
        kn_modifier_def heal = kn_modifier_constant(game.health, KN_OP_ADD, amount / 10);
        kn_effect_def def = effect_def("Lifesteal", KN_DURATION_INSTANT, &heal, 1);
        char name[48];
        snprintf(name, sizeof(name), "Lifesteal%u", (unsigned)amount);
        def.name = name;
        kn_effect_type_id type = {0};
        if (kn_world_effect_register(kn_execution_world(execution), &def, &type, NULL) == KN_OK) {
            kn_entity_id source = kn_execution_source(execution);
            (void)kn_effect_apply_simple(
                kn_execution_world(execution), type, source, source, 1.0f, NULL);
        }
    }
    if (amount > 0) {
        kn_execution_output(execution, game.damage, 0, KN_OP_ADD, amount);
    }
}

static kn_attribute_set_id game_set(
    stage *s, const char *name, const char *const *names, uint32_t count, float value, bool is_meta)
{
    kn_attribute_def defs[4];
    for (uint32_t i = 0; i < count; i++) {
        defs[i] = kn_attribute_def_default();
        defs[i].name = names[i];
        defs[i].default_value = value;
        defs[i].is_meta = is_meta;
    }
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = name;
    set.attributes = defs;
    set.attribute_count = count;
    set.hooks.post_execute = is_meta ? spend_damage : NULL;
    kn_attribute_set_id id = {0};
    assert_int_equal(kn_attribute_set_register(s->library, &set, &id, NULL), KN_OK);
    return id;
}

typedef struct game_sets {
    kn_attribute_set_id damage, shield, vitals, purse;
    kn_effect_type_id hit, armored_hit;
} game_sets;

static game_sets game_begin(stage *s)
{
    static const char *const damage[] = {"Damage"};
    static const char *const shield[] = {"Shield"};
    static const char *const vitals[] = {"Health"};
    static const char *const purse[] = {"Xp", "Gold"};
    game_sets sets;
    sets.damage = game_set(s, "Meta", damage, 1, 0, true);
    sets.shield = game_set(s, "Guard", shield, 1, 20, false);
    sets.vitals = game_set(s, "Vitals", vitals, 1, 100, false);
    sets.purse = game_set(s, "Purse", purse, 2, 0, false);
    game = (arena){
        .damage = kn_attribute_find(s->library, "Meta.Damage"),
        .shield = kn_attribute_find(s->library, "Guard.Shield"),
        .health = kn_attribute_find(s->library, "Vitals.Health"),
        .xp = kn_attribute_find(s->library, "Purse.Xp"),
        .gold = kn_attribute_find(s->library, "Purse.Gold"),
        .can_crit = tag_of(s, "Effect.CanCrit"),
        .data_damage = tag_of(s, "Data.Damage"),
    };
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = game.damage;
    modifier.magnitude = kn_magnitude_set_by_caller(game.data_damage);
    kn_effect_def def = effect_def("Hit", KN_DURATION_INSTANT, &modifier, 1);
    sets.hit = add_effect(s, &def);
    kn_capture armor = {.attribute = s->armor, .from = KN_CAPTURE_FROM_TARGET};
    sets.armored_hit = executing(s, "ArmoredHit",
        execution_of(s, "Damage", &armor, 1, no_tags, damage_execution, NULL), NULL, 0);
    begin(s);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, sets.damage, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, sets.vitals, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->hero, sets.vitals, 0), KN_OK);
    assert_int_equal(kn_attribute_set_add(s->world, s->hero, sets.purse, 0), KN_OK);
    return sets;
}

static void hit_foe(stage *s, kn_effect_type_id type, float damage, kn_tags asset_tags)
{
    kn_caller_value value = {game.data_damage, damage};
    kn_effect_apply_def def = from_hero(s, type);
    def.caller_values = &value;
    def.caller_value_count = 1;
    def.dynamic_asset_tags = asset_tags;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
}

// TVE-090: Damage 30, Shield 20, Health 100; and the same without a shield.
static void damage_is_taken_from_the_shield_then_from_health(void **state)
{
    stage *s = *state;
    game_sets sets = game_begin(s);

    hit_foe(s, sets.hit, 30, no_tags);
    near(base(s, game.health), 70);
    near(base(s, game.damage), 0);

    set_base(s, s->foe, game.health, 100);
    assert_int_equal(kn_attribute_set_add(s->world, s->foe, sets.shield, 0), KN_OK);
    hit_foe(s, sets.hit, 30, no_tags);
    near(base(s, game.shield), 0);
    near(base(s, game.health), 90);
    near(base(s, game.damage), 0);
    near(current(s, game.damage), 0);
}

// TVE-091: the second hit does not see the first one's damage.
static void meta_damage_starts_at_zero_for_each_hit(void **state)
{
    stage *s = *state;
    game_sets sets = game_begin(s);

    hit_foe(s, sets.hit, 30, no_tags);
    hit_foe(s, sets.hit, 10, no_tags);

    assert_int_equal(game.seen_damage_count, 2);
    near(game.seen_damage[0], 30);
    near(game.seen_damage[1], 10);
    near(base(s, game.health), 60);
}

// TVE-092, DYN-003: the bounty is one instant effect with two modifiers, made on the spot.
static void lethal_hit_pays_the_killer(void **state)
{
    stage *s = *state;
    game_sets sets = game_begin(s);

    hit_foe(s, sets.hit, 60, no_tags);
    near(kn_attribute_base(s->world, s->hero, game.xp), 0);
    hit_foe(s, sets.hit, 60, no_tags);

    near(kn_attribute_base(s->world, s->hero, game.xp), 50);
    near(kn_attribute_base(s->world, s->hero, game.gold), 7);
}

// EXE-006, ATT-031: damage of the caller less the target's armour.
static void damage_execution_subtracts_armor(void **state)
{
    stage *s = *state;
    game_sets sets = game_begin(s);

    hit_foe(s, sets.armored_hit, 30, no_tags);
    near(base(s, game.health), 75);
    hit_foe(s, sets.armored_hit, 3, no_tags);

    near(base(s, game.health), 75);
}

// EXE-011: driven by asset tags; lifesteal is a dynamic instant effect on the source.
static void critical_hits_and_lifesteal_live_in_the_execution(void **state)
{
    stage *s = *state;
    game_sets sets = game_begin(s);
    set_base(s, s->hero, game.health, 10);

    hit_foe(s, sets.armored_hit, 15, one(&game.can_crit));

    near(base(s, game.health), 80);
    near(kn_attribute_base(s->world, s->hero, game.health), 12);
    hit_foe(s, sets.armored_hit, 15, no_tags); // without the tag neither
    near(base(s, game.health), 70);
    near(kn_attribute_base(s->world, s->hero, game.health), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(damage_is_taken_from_the_shield_then_from_health),
        TEST(meta_damage_starts_at_zero_for_each_hit),
        TEST(lethal_hit_pays_the_killer),
        TEST(damage_execution_subtracts_armor),
        TEST(critical_hits_and_lifesteal_live_in_the_execution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
