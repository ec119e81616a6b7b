// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// docs/recipes/stun.md

#include "scenario/recipe.h"

typedef struct stun {
    kn_tag stunned, action;
} stun;

// Whoever gets the tag drops what they are doing.
static void drop_everything(void *user, kn_world *world, const kn_reaction *reaction)
{
    const stun *s = user;
    kn_ability_query query = kn_ability_query_default();
    query.any_tags = (kn_tags){&s->action, 1};
    (void)kn_abilities_cancel(world, reaction->entity, &query);
}

static void stun_rule(kn_library *library, stun *s)
{
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "StunCancels";
    rule.trigger = KN_TRIGGER_TAG_ADDED;
    rule.tag = s->stunned;
    rule.function = drop_everything;
    rule.user = s;
    kn_rule_id id;
    assert_int_equal(kn_rule_register(library, &rule, &id, NULL), KN_OK);
}

static kn_effect_type_id stun_effect(fixture *f, const stun *s, kn_attribute_id speed)
{
    kn_modifier_def halt = kn_modifier_constant(speed, KN_OP_OVERRIDE, 0.0f);
    kn_effect_def def = timed("Stun", 2.0f);
    def.granted_tags = (kn_tags){&s->stunned, 1};
    def.modifiers = &halt;
    def.modifier_count = 1;
    return effect_register(f, &def);
}

static kn_ability_type_id action(fixture *f, const stun *s, const char *name)
{
    kn_ability_def def = ability_def(f, name);
    def.tags = (kn_tags){&s->action, 1};
    def.activation.ignored = (kn_tags){&s->stunned, 1};
    return ability_register(f, &def);
}

// COM-001, TVA-068, TAG-002
static void a_stun_cancels_blocks_and_halts_until_it_ends(void **state)
{
    fixture *f = *state;
    stun s = {tag_of(f, "State.Stunned"), tag_of(f, "Ability.Action")};
    kn_attribute_def speed_def = attribute_def("Speed", 600.0f);
    kn_attribute_set_id move = set_register(f, "Move", &speed_def, 1);
    kn_attribute_id speed = kn_attribute_find(f->library, "Move.Speed");
    stun_rule(f->library, &s);
    kn_effect_type_id effect = stun_effect(f, &s, speed);
    kn_ability_def breathe_def = ability_def(f, "Breathe");
    kn_ability_type_id types[3] = {
        action(f, &s, "Cast"), action(f, &s, "Jump"), ability_register(f, &breathe_def)};
    recipe_begin(f, move);
    kn_ability_id cast = grant(f, types[0]), jump = grant(f, types[1]),
                  breathe = grant(f, types[2]);
    activate(f, cast);
    activate(f, breathe);
    EXPECT_LOG(f, "Cast activates. Breathe activates. ");
    (void)apply_to(f, effect, f->hero);
    EXPECT_LOG(f, "Cast: cancelled. ");
    assert_true(kn_entity_has_tag(f->world, f->hero, s.stunned));
    assert_true(value_of(f, speed) == 0.0f);
    assert_true(kn_ability_is_active(f->world, breathe));
    recipe_check_rollback(f);
    assert_int_equal(kn_ability_check(f->world, jump, NULL), KN_FAIL_BLOCKED);
    assert_int_equal(kn_ability_activate(f->world, jump, NULL, NULL), KN_REFUSED_BLOCKED);
    kn_tag why;
    assert_int_equal(kn_ability_fail_tags(f->world, KN_FAIL_BLOCKED, &why, 1), 1);
    assert_string_equal(kn_tag_name(f->library, why), "Activation.Fail.BlockedByTags");
    step(f, KN_S(2) - 1);
    assert_true(kn_entity_has_tag(f->world, f->hero, s.stunned));
    step(f, 1);
    assert_false(kn_entity_has_tag(f->world, f->hero, s.stunned));
    assert_true(value_of(f, speed) == 600.0f);
    activate(f, jump);
    activate(f, cast);
}

static const struct CMUnitTest tests[] = {
    TEST(a_stun_cancels_blocks_and_halts_until_it_ends),
};

TEST_GROUP(recipe_stun, tests, NULL, NULL);
