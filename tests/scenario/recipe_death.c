// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/death.md

#include "scenario/recipe.h"

typedef struct mortality {
    kn_attribute_id health;
    kn_tag dead, ends;
} mortality;

// Health came to zero, by whatever: a rule, so that client and server do the same at once.
static void die(void *user, kn_world *world, const kn_reaction *reaction)
{
    const mortality *m = user;
    kn_entity_id entity = reaction->entity;
    if (reaction->new_value > 0.0f || kn_entity_has_tag(world, entity, m->dead)) {
        return;
    }
    (void)kn_entity_add_tag(world, entity, m->dead, KN_TAG_ORIGIN_LOOSE, 1);
    (void)kn_abilities_cancel(world, entity, NULL);
    kn_effect_query query = kn_effect_query_default();
    query.asset_tags = (kn_tags){&m->ends, 1};
    (void)kn_effects_remove(world, entity, &query, 0, KN_REMOVED_BY_CALL, NULL);
}

static void revive(kn_world *world, kn_entity_id entity, const mortality *m, float health)
{
    (void)kn_entity_set_tag_count(world, entity, m->dead, KN_TAG_ORIGIN_LOOSE, 0);
    (void)kn_attribute_set_base(world, entity, m->health, 0, health);
}

static void mortality_register(fixture *f, mortality *m)
{
    m->health = f->health;
    m->dead = tag_of(f, "State.Dead");
    m->ends = tag_of(f, "Effect.EndsAtDeath");
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Death";
    rule.trigger = KN_TRIGGER_ATTRIBUTE_CHANGED;
    rule.attribute = f->health;
    rule.function = die;
    rule.user = m;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    assert_int_equal(kn_ability_dead_tag_set(f->library, m->dead), KN_OK);
}

// COM-011
static void who_has_no_health_left_is_dead_at_once(void **state)
{
    fixture *f = *state;
    mortality m;
    mortality_register(f, &m);
    kn_modifier_def bite = kn_modifier_constant(f->health, KN_OP_ADD, -60.0f);
    kn_effect_def poison_def = timed("Poison", 10.0f);
    poison_def.is_periodic = true;
    poison_def.period = kn_magnitude_constant(1.0f);
    poison_def.skip_first_tick = true;
    poison_def.modifiers = &bite;
    poison_def.modifier_count = 1;
    poison_def.asset_tags = tags_of(f, "Effect.EndsAtDeath");
    kn_effect_type_id poison = effect_register(f, &poison_def);
    kn_effect_def curse_def = infinite("Curse");
    kn_effect_type_id curse = effect_register(f, &curse_def);
    kn_ability_def cast_def = ability_def(f, "Cast"), haunt_def = ability_def(f, "Haunt");
    haunt_def.works_when_dead = true;
    kn_ability_type_id types[2] = {ability_register(f, &cast_def), ability_register(f, &haunt_def)};
    recipe_begin(f, (kn_attribute_set_id){0});
    kn_ability_id cast = grant(f, types[0]), haunt = grant(f, types[1]);
    activate(f, cast);
    kn_effect_id poisoned = apply_to(f, poison, f->hero), cursed = apply_to(f, curse, f->hero);
    step(f, KN_S(1));
    assert_false(kn_entity_has_tag(f->world, f->hero, m.dead));
    recipe_check_rollback(f);
    step(f, KN_S(1)); // the second tick kills
    EXPECT_LOG(f, "Cast activates. Cast: cancelled. ");
    assert_true(kn_entity_has_tag(f->world, f->hero, m.dead));
    assert_false(kn_effect_is_alive(f->world, poisoned));
    assert_true(kn_effect_is_alive(f->world, cursed));
    assert_int_equal(kn_ability_check(f->world, cast, NULL), KN_FAIL_DEAD);
    assert_int_equal(kn_ability_activate(f->world, cast, NULL, NULL), KN_REFUSED_DYING);
    activate(f, haunt);
    // The tag is local: other machines find out by themselves.
    assert_int_equal(kn_entity_tag_sync(f->world, f->hero, m.dead), KN_TAG_SYNC_NONE);
    revive(f->world, f->hero, &m, 100.0f);
    activate(f, cast);
}

static const struct CMUnitTest tests[] = {
    TEST(who_has_no_health_left_is_dead_at_once),
};

TEST_GROUP(recipe_death, tests, NULL, NULL);
