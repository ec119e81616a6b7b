// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The ways to apply an effect, their outcomes, and what may happen in the middle of it.

#include "scenario/effect_stage.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
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

// An effect with one constant modifier.
static kn_effect_type_id simple(stage *s, const char *name, kn_duration_kind kind,
    kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_constant(attribute, op, magnitude);
    kn_effect_def def = effect_def(name, kind, &modifier, 1);
    return add_effect(s, &def);
}

static kn_effect_apply_def from_hero(const stage *s, kn_effect_type_id type)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.source = s->hero;
    def.target = s->foe;
    return def;
}

// The hero applies an effect to the foe.
static kn_effect_id apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect), KN_OK);
    return effect;
}

static kn_result try_apply(stage *s, kn_effect_type_id type)
{
    kn_effect_id effect = {77, 77};
    kn_result result = kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1.0f, &effect);
    if (result != KN_OK) {
        assert_true(kn_effect_id_is_null(effect));
    }
    return result;
}

static void remove_effect(stage *s, kn_effect_id effect)
{
    assert_int_equal(kn_effect_remove(s->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
}

static void step(stage *s, kn_time dt)
{
    assert_int_equal(kn_world_step(s->world, dt), KN_OK);
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

static uint32_t published(const stage *s, kn_event_type type)
{
    kn_events events = kn_world_events(s->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == type;
    }
    return count;
}

// The first published event of a type, which must be there.
static const kn_event *published_event(const stage *s, kn_event_type type)
{
    kn_events events = kn_world_events(s->world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == type) {
            return &events.data[i];
        }
    }
    fail_msg("no event %s", kn_event_type_name(type));
    return NULL;
}

static bool quiet_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

// Paths -----------------------------------------------------------------------------

// EFF-030, EFF-031: whoever calls, from wherever, it is one application.
static void all_ways_to_apply_do_the_same(void **state)
{
    stage *s = *state;
    kn_effect_type_id type = simple(s, "Slow", KN_DURATION_TIMED, s->speed, KN_OP_ADD, -10);
    kn_container_def container_def = kn_container_def_default();
    container_def.name = "One";
    container_def.target = KN_CONTAINER_GIVEN;
    container_def.effects = &type;
    container_def.effect_count = 1;
    kn_container_id container;
    assert_int_equal(kn_container_register(s->library, &container_def, &container, NULL), KN_OK);
    kn_ability_def ability_def = kn_ability_def_default();
    ability_def.name = "Hex";
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    assert_int_equal(kn_ability_register(s->library, &ability_def, &grant.type, NULL), KN_OK);
    begin(s);
    kn_ability_id ability;
    kn_activation_id activation;
    assert_int_equal(kn_ability_grant(s->world, s->hero, &grant, &ability), KN_OK);
    assert_int_equal(kn_ability_activate(s->world, ability, NULL, &activation), KN_OK);
    kn_effect_apply_def def = from_hero(s, type);
    kn_spec_id spec;
    assert_int_equal(kn_spec_create(s->world, &def, &spec), KN_OK);
    kn_container_apply_def container_apply = kn_container_apply_def_default();
    container_apply.container = container;
    container_apply.source = s->hero;
    container_apply.targets = &s->foe;
    container_apply.target_count = 1;

    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_OK);
    assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, s->foe, 1, NULL), KN_OK);
    assert_int_equal(kn_spec_apply(s->world, spec, s->foe, NULL), KN_OK);
    assert_int_equal(kn_container_apply(s->world, &container_apply, NULL), KN_OK);
    assert_int_equal(kn_activation_apply(s->world, activation, type, s->foe, NULL), KN_OK);
    kn_effect_apply_def by_ability = def;
    by_ability.source = (kn_entity_id){0};
    assert_int_equal(kn_activation_apply_def(s->world, activation, &by_ability, NULL), KN_OK);
    step(s, 0);

    assert_int_equal(published(s, KN_EVENT_EFFECT_APPLIED), 6);
    near(current(s, s->speed), 540);
    kn_effect_id effects[6];
    kn_effect_query query = kn_effect_query_default();
    assert_int_equal(kn_effects_find(s->world, s->foe, &query, effects, 6), 6);
    for (uint32_t i = 0; i < 6; i++) {
        kn_effect_info info;
        assert_true(kn_effect_get(s->world, effects[i], &info));
        assert_true(kn_entity_id_equal(info.source, s->hero));
        assert_int_equal(info.duration, KN_S(10));
        near(info.level, 1);
    }
}

// EFF-036: three outcomes: an id, executed without one, refused with a reason.
static void outcome_tells_active_executed_and_refused_apart(void **state)
{
    stage *s = *state;
    kn_effect_type_id lasting = simple(s, "Lasting", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    kn_effect_type_id instant = simple(s, "Instant", KN_DURATION_INSTANT, s->health, KN_OP_ADD, 1);
    kn_effect_def never = effect_def("Never", KN_DURATION_INFINITE, NULL, 0);
    never.chance = kn_constant(0);
    kn_effect_type_id refused = add_effect(s, &never);
    kn_effect_def full = effect_def("Full", KN_DURATION_INFINITE, NULL, 0);
    full.stacking.kind = KN_STACK_BY_TARGET;
    full.stacking.limit = kn_constant(1);
    full.stacking.deny_overflow = true;
    kn_effect_type_id denied = add_effect(s, &full);
    begin(s);

    kn_effect_id effect = {0};
    assert_int_equal(kn_effect_apply_simple(s->world, lasting, s->hero, s->foe, 1, &effect), KN_OK);
    assert_true(kn_effect_is_alive(s->world, effect));
    assert_int_equal(kn_effect_apply_simple(s->world, instant, s->hero, s->foe, 1, &effect), KN_OK);
    assert_true(kn_effect_id_is_null(effect));
    assert_int_equal(try_apply(s, refused), KN_REFUSED_CHANCE);
    assert_int_equal(try_apply(s, denied), KN_OK);
    assert_int_equal(try_apply(s, denied), KN_REFUSED_STACK_DENIED);
    assert_true(kn_result_is_refused(KN_REFUSED_STACK_DENIED));
}

// EFF-036: an id of one effect never means another.
static void id_of_a_removed_effect_is_stale_although_its_place_is_taken(void **state)
{
    stage *s = *state;
    kn_effect_type_id type = simple(s, "Lasting", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    begin(s);
    kn_effect_id first = apply(s, type);
    remove_effect(s, first);

    kn_effect_id second = apply(s, type);

    assert_int_equal(first.index1, second.index1);
    assert_false(kn_effect_id_equal(first, second));
    assert_false(kn_effect_is_alive(s->world, first));
    assert_int_equal(kn_effect_remove(s->world, first, 0, KN_REMOVED_BY_CALL), KN_REFUSED_STALE_ID);
    assert_true(kn_effect_is_alive(s->world, second));
}

// EFF-041: hostile input has a result, not a crash.
static void unknown_types_and_targets_are_refused(void **state)
{
    stage *s = *state;
    kn_effect_type_id type = simple(s, "Plain", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    begin(s);
    kn_assert_set_handler(quiet_assert);
    const kn_effect_type_id unknown[] = {{0}, {999}, {UINT32_MAX}};
    for (uint32_t i = 0; i < COUNT(unknown); i++) {
        assert_int_equal(try_apply(s, unknown[i]), KN_ERROR_INVALID_ARGUMENT);
        assert_string_equal(kn_effect_type_name(s->world, unknown[i]), "");
        assert_null(kn_effect_type_get_def(s->world, unknown[i]));
    }
    kn_effect_apply_def zero = {.type = type, .target = s->foe};
    assert_int_equal(kn_effect_apply(s->world, &zero, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_effect_apply(s->world, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    kn_entity_id gone;
    assert_int_equal(kn_entity_create(s->world, &gone), KN_OK);
    assert_true(kn_entity_destroy(s->world, gone));
    const kn_entity_id targets[] = {gone, {0, 0}, {999, 1}};
    for (uint32_t i = 0; i < COUNT(targets); i++) {
        kn_effect_id effect = {77, 77};
        assert_int_equal(kn_effect_apply_simple(s->world, type, s->hero, targets[i], 1, &effect),
            KN_REFUSED_STALE_ID);
        assert_true(kn_effect_id_is_null(effect));
    }
    // A stale source counts as none.
    assert_int_equal(kn_effect_apply_simple(s->world, type, gone, s->foe, 1, NULL), KN_OK);
    near(current(s, s->speed), 601);
}

// EFF-007, EFF-041: numbers of an application are checked too.
static void bad_numbers_of_an_application_are_refused(void **state)
{
    stage *s = *state;
    kn_effect_type_id type = simple(s, "Timed", KN_DURATION_TIMED, s->speed, KN_OP_ADD, 1);
    begin(s);
    kn_effect_apply_def def = from_hero(s, type);
    def.duration = INT64_MAX;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    def = from_hero(s, type);
    def.period = 0;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    def = from_hero(s, type);
    def.level = NAN;
    assert_int_equal(kn_effect_apply(s->world, &def, NULL), KN_REFUSED_BAD_NUMBER);
    near(current(s, s->speed), 600);
    assert_int_equal(kn_effects_count(s->world, s->foe), 0);
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
    stage *s = *state;
    kn_tag granted = tag_of(s, "State.Granted");
    kn_effect_logic_def logic_def = kn_effect_logic_def_default();
    logic_def.name = "Shy";
    logic_def.applied = remove_itself;
    kn_effect_logic_id logic;
    assert_int_equal(kn_effect_logic_register(s->library, &logic_def, &logic, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(s->speed, KN_OP_ADD, 50);
    kn_effect_def def = effect_def("Shy", KN_DURATION_TIMED, &modifier, 1);
    def.granted_tags = one(&granted);
    def.logic = logic;
    kn_effect_type_id type = add_effect(s, &def);
    begin(s);

    assert_int_equal(try_apply(s, type), KN_OK);

    near(current(s, s->speed), 600);
    assert_false(kn_entity_has_tag(s->world, s->foe, granted));
    assert_int_equal(kn_effects_count(s->world, s->foe), 0);
    step(s, 0);
    assert_int_equal(
        published_event(s, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_RULE);
    step(s, KN_S(20));
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
    stage *s = *state;
    kn_effect_type_id aura = simple(s, "Aura", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 10);
    kn_effect_type_id purge = simple(s, "Purge", KN_DURATION_INFINITE, s->speed, KN_OP_ADD, 1);
    kn_rule_def rule = kn_rule_def_default();
    rule.name = "Purge";
    rule.trigger = KN_TRIGGER_EFFECT_APPLIED;
    rule.effect_type = purge;
    rule.function = end_everything;
    kn_rule_id rule_id;
    assert_int_equal(kn_rule_register(s->library, &rule, &rule_id, NULL), KN_OK);
    begin(s);
    apply(s, aura);
    apply(s, aura);
    near(current(s, s->speed), 620);

    assert_int_equal(try_apply(s, purge), KN_OK);

    near(current(s, s->speed), 600);
    assert_int_equal(kn_effects_count(s->world, s->foe), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_ways_to_apply_do_the_same),
        TEST(outcome_tells_active_executed_and_refused_apart),
        TEST(id_of_a_removed_effect_is_stale_although_its_place_is_taken),
        TEST(unknown_types_and_targets_are_refused),
        TEST(bad_numbers_of_an_application_are_refused),
        TEST(effect_may_end_while_it_is_being_applied),
        TEST(rule_may_remove_all_effects_when_one_is_applied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
