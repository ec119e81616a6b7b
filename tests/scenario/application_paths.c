// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The ways to apply an effect, their outcomes, and what may happen in the middle of it.

#include "scenario/effect_fixture.h"

// Paths -----------------------------------------------------------------------------

// EFF-030, EFF-031: whoever calls, from wherever, it is one application.
static void all_ways_to_apply_do_the_same(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Slow", KN_DURATION_TIMED, f->speed, KN_OP_ADD, -10);
    kn_container_def container_def = kn_container_def_default();
    container_def.name = "One";
    container_def.target = KN_CONTAINER_GIVEN;
    container_def.effects = &type;
    container_def.effect_count = 1;
    kn_container_id container;
    assert_int_equal(kn_container_register(f->library, &container_def, &container, NULL), KN_OK);
    kn_ability_def ability_def = kn_ability_def_default();
    ability_def.name = "Hex";
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    assert_int_equal(kn_ability_register(f->library, &ability_def, &grant.type, NULL), KN_OK);
    begin(f);
    kn_ability_id ability;
    kn_activation_id activation;
    assert_int_equal(kn_ability_grant(f->world, f->hero, &grant, &ability), KN_OK);
    assert_int_equal(kn_ability_activate(f->world, ability, NULL, &activation), KN_OK);
    kn_effect_apply_def def = from_hero(f, type);
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(f->world, &def, &spec), KN_OK);
    kn_container_apply_def container_apply = kn_container_apply_def_default();
    container_apply.container = container;
    container_apply.source = f->hero;
    container_apply.targets = &f->foe;
    container_apply.target_count = 1;

    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(f->world, type, f->hero, f->foe, 1, NULL), KN_OK);
    assert_int_equal(kn_spec_apply(f->world, spec, f->foe, NULL), KN_OK);
    assert_int_equal(kn_container_apply(f->world, &container_apply, NULL), KN_OK);
    assert_int_equal(kn_activation_apply(f->world, activation, type, f->foe, NULL), KN_OK);
    kn_effect_apply_def by_ability = def;
    by_ability.source = (kn_entity_id){0};
    assert_int_equal(kn_activation_apply_def(f->world, activation, &by_ability, NULL), KN_OK);
    step(f, 0);

    assert_int_equal(event_count(f, KN_EVENT_EFFECT_APPLIED), 6);
    assert_near(current(f, f->speed), 540);
    kn_effect_id effects[6];
    kn_effect_query query = kn_effect_query_default();
    assert_int_equal(kn_effects_find(f->world, f->foe, &query, effects, 6), 6);
    for (uint32_t i = 0; i < 6; i++) {
        kn_effect_info info;
        assert_true(kn_effect_get(f->world, effects[i], &info));
        assert_true(kn_entity_id_equal(info.source, f->hero));
        assert_int_equal(info.duration, KN_S(10));
        assert_near(info.level, 1);
    }
}

// EFF-036: three outcomes: an id, executed without one, refused with a reason.
static void outcome_tells_active_executed_and_refused_apart(void **state)
{
    fixture *f = *state;
    kn_effect_type_id lasting = simple(f, "Lasting", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    kn_effect_type_id instant = simple(f, "Instant", KN_DURATION_INSTANT, f->health, KN_OP_ADD, 1);
    kn_effect_def never = effect_def("Never", KN_DURATION_INFINITE, NULL, 0);
    never.chance = kn_magnitude_constant(0);
    kn_effect_type_id refused = effect_register(f, &never);
    kn_effect_def full = effect_def("Full", KN_DURATION_INFINITE, NULL, 0);
    full.stacking.kind = KN_STACK_BY_TARGET;
    full.stacking.limit = kn_constant(1);
    full.stacking.deny_overflow = true;
    kn_effect_type_id denied = effect_register(f, &full);
    begin(f);

    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(f->world, lasting, f->hero, f->foe, 1, &effect), KN_OK);
    assert_true(kn_effect_is_alive(f->world, effect));
    assert_int_equal(kn_effect_apply_simple(f->world, instant, f->hero, f->foe, 1, &effect), KN_OK);
    assert_true(kn_effect_id_is_null(effect));
    assert_int_equal(try_apply(f, refused), KN_REFUSED_CHANCE);
    assert_int_equal(try_apply(f, denied), KN_OK);
    assert_int_equal(try_apply(f, denied), KN_REFUSED_STACK_DENIED);
    assert_true(kn_result_is_refused(KN_REFUSED_STACK_DENIED));
}

// EFF-036: an id of one effect never means another.
static void id_of_a_removed_effect_is_stale_although_its_place_is_taken(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Lasting", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_effect_id first = apply(f, type);
    remove_effect(f, first);

    kn_effect_id second = apply(f, type);

    assert_int_equal(first.index1, second.index1);
    assert_false(kn_effect_id_equal(first, second));
    assert_false(kn_effect_is_alive(f->world, first));
    assert_int_equal(kn_effect_remove(f->world, first, 0, KN_REMOVED_BY_CALL), KN_REFUSED_STALE_ID);
    assert_true(kn_effect_is_alive(f->world, second));
}

// EFF-041: hostile input has a result, not a crash.
static void unknown_types_and_targets_are_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Plain", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_assert_set_handler(ignore_assert);
    const kn_effect_type_id unknown[] = {{0}, {999}, {UINT32_MAX}};
    for (uint32_t i = 0; i < COUNT(unknown); i++) {
        assert_int_equal(try_apply(f, unknown[i]), KN_ERROR_INVALID_ARGUMENT);
        assert_string_equal(kn_effect_type_name(f->world, unknown[i]), "");
        assert_null(kn_effect_type_get_def(f->world, unknown[i]));
    }
    kn_effect_apply_def zero = {.type = type, .target = f->foe};
    assert_int_equal(kn_effect_apply(f->world, &zero, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effect_apply(f->world, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    kn_entity_id gone = entity_create(f);
    assert_true(kn_entity_destroy(f->world, gone));
    const kn_entity_id targets[] = {gone, {0, 0}, {999, 1}};
    for (uint32_t i = 0; i < COUNT(targets); i++) {
        kn_effect_id effect = {77, 77};
        assert_int_equal(kn_effect_apply_simple(f->world, type, f->hero, targets[i], 1, &effect),
            KN_REFUSED_STALE_ID);
        assert_true(kn_effect_id_is_null(effect));
    }
    // A stale source counts as none.
    assert_int_equal(kn_effect_apply_simple(f->world, type, gone, f->foe, 1, NULL), KN_OK);
    assert_near(current(f, f->speed), 601);
}

// EFF-007, EFF-041: numbers of an application are checked too.
static void bad_numbers_of_an_application_are_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = simple(f, "Timed", KN_DURATION_TIMED, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_effect_apply_def def = from_hero(f, type);
    def.duration = INT64_MAX;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    def = from_hero(f, type);
    def.period = 0;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    def = from_hero(f, type);
    def.level = NAN;
    assert_int_equal(kn_effect_apply(f->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// Changes in the middle -------------------------------------------------------------------

static void remove_itself(void *user, kn_world *world, const kn_spec_view *spec, void *block)
{
    (void)user;
    (void)block;
    kn_effect_remove(world, kn_spec_view_effect(spec), 0, KN_REMOVED_RULE);
}

// EFF-042: an effect that its own hook ends while it is being applied leaves nothing stuck.
static void effect_may_end_while_it_is_being_applied(void **state)
{
    fixture *f = *state;
    kn_tag granted = tag_of(f, "State.Granted");
    kn_effect_logic_def logic_def = kn_effect_logic_def_default();
    logic_def.name = "Shy";
    logic_def.applied = remove_itself;
    kn_effect_logic_id logic;
    assert_int_equal(kn_effect_logic_register(f->library, &logic_def, &logic, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, 50);
    kn_effect_def def = effect_def("Shy", KN_DURATION_TIMED, &modifier, 1);
    def.granted_tags = one(&granted);
    def.logic = logic;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    assert_int_equal(try_apply(f, type), KN_OK);

    assert_near(current(f, f->speed), 600);
    assert_false(kn_entity_has_tag(f->world, f->foe, granted));
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    step(f, 0);
    assert_int_equal(first_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_RULE);
    step(f, KN_S(20));
}

static void end_everything(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_effect_id effects[16];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(world, reaction->entity, &query, effects, 16);
    for (uint32_t i = 0; i < count && i < 16; i++) {
        kn_effect_remove(world, effects[i], 0, KN_REMOVED_RULE);
    }
}

// EFF-042: a rule that reacts to an application may empty the whole list.
static void rule_may_remove_all_effects_when_one_is_applied(void **state)
{
    fixture *f = *state;
    kn_effect_type_id aura = simple(f, "Aura", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 10);
    kn_effect_type_id purge = simple(f, "Purge", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Purge";
    rule.trigger = KN_TRIGGER_EFFECT_APPLIED;
    rule.effect_type = purge;
    rule.function = end_everything;
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(f->library, &rule, &rule_id, NULL), KN_OK);
    begin(f);
    apply(f, aura);
    apply(f, aura);
    assert_near(current(f, f->speed), 620);

    assert_int_equal(try_apply(f, purge), KN_OK);

    assert_near(current(f, f->speed), 600);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(all_ways_to_apply_do_the_same),
    TEST(outcome_tells_active_executed_and_refused_apart),
    TEST(id_of_a_removed_effect_is_stale_although_its_place_is_taken),
    TEST(unknown_types_and_targets_are_refused),
    TEST(bad_numbers_of_an_application_are_refused),
    TEST(effect_may_end_while_it_is_being_applied),
    TEST(rule_may_remove_all_effects_when_one_is_applied),
};

TEST_GROUP(application_paths, tests, NULL, NULL);
