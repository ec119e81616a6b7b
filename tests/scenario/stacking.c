// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Applications of one effect that share a stack: who joins, limits, overflow, counts.

#include "scenario/effect_fixture.h"

// STK-001, STK-003
static void without_stacking_every_application_is_an_effect_of_its_own(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_NONE, 0);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    kn_effect_id first = apply(f, buff);
    kn_effect_id second = apply(f, buff);

    assert_false(kn_effect_id_equal(first, second));
    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
    assert_int_equal(kn_effect_stacks(f->world, first), 1);
    assert_near(current(f, f->power), 30.0f);
    remove_effect(f, first);
    assert_near(current(f, f->power), 20.0f);
    assert_true(kn_effect_is_alive(f->world, second));
}

// STK-002
static void an_instant_effect_cannot_be_registered_as_stacking(void **state)
{
    fixture *f = *state;
    kn_effect_def def = instant("Hit");
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "Hit"));
    assert_true(kn_effect_type_id_is_null(kn_effect_type_find(f->library, "Hit")));
}

// STK-002, STK-003, STK-005, TVE-111
static void aggregate_by_source_counts_each_source_up_to_the_limit(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_SOURCE, 3);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    kn_effect_id a = {0}, b = {0};
    for (int i = 0; i < 4; i++) {
        a = apply(f, buff);
    }
    for (int i = 0; i < 2; i++) {
        b = apply_from(f, buff, f->ally);
    }

    assert_int_equal(kn_effects_count(f->world, f->foe), 2);
    assert_int_equal(kn_effect_stacks(f->world, a), 3);
    assert_int_equal(kn_effect_stacks(f->world, b), 2);
    assert_near(current(f, f->power), 60.0f);
}

// STK-003, TVE-111
static void aggregate_by_target_shares_one_limit_among_all_sources(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 3);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    for (int i = 0; i < 4; i++) {
        apply(f, buff);
    }
    kn_effect_id shared = {0};
    for (int i = 0; i < 2; i++) {
        shared = apply_from(f, buff, f->ally);
    }

    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
    assert_int_equal(kn_effect_stacks(f->world, shared), 3);
    assert_near(current(f, f->power), 40.0f);
    // Another target has a stack of its own.
    kn_effect_id other = apply_from_to(f, buff, f->hero, f->ally, 1.0f);
    assert_int_equal(kn_effect_stacks(f->world, other), 1);
    assert_int_equal(kn_effect_stacks(f->world, shared), 3);
}

// STK-005: the limit is the definition's, the count the application's.
static void an_application_brings_its_own_count_up_to_the_limit_of_the_type(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 5);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = buff;
    request.target = f->foe;
    request.source = f->hero;
    kn_effect_id effect = {0};
    const uint32_t brought[3] = {2, 1, 4}, expected[3] = {2, 3, 5};
    for (int i = 0; i < 3; i++) {
        request.stacks = brought[i];
        assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
        assert_int_equal(kn_effect_stacks(f->world, effect), expected[i]);
    }
    assert_near(kn_effect_type_get_def(f->world, buff)->stacking.limit.value, 5.0f);
}

// STK-009
static void a_limit_of_zero_or_less_means_unlimited(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Zero", KN_STACK_BY_TARGET, 0);
    kn_effect_type_id zero = effect_register(f, &def);
    def = stacking_def(f, "Below", KN_STACK_BY_TARGET, -5);
    kn_effect_type_id below = effect_register(f, &def);
    begin(f);

    kn_effect_id a = {0}, b = {0};
    for (int i = 0; i < 100; i++) {
        a = apply(f, zero);
        b = apply(f, below);
    }
    assert_int_equal(kn_effect_stacks(f->world, a), 100);
    assert_int_equal(kn_effect_stacks(f->world, b), 100);
}

// STK-012
static void a_stack_listener_hears_effect_old_and_new_count(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Armour", KN_STACK_BY_TARGET, 4);
    kn_effect_type_id armour = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, armour);
    step_seconds(f, 0);

    apply(f, armour);
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_STACKS);
    assert_non_null(event);
    assert_true(kn_effect_id_equal(event->data.effect.effect, effect));
    assert_int_equal(event->data.effect.old_count, 1);
    assert_int_equal(event->data.effect.count, 2);

    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_DISPELLED), KN_OK);
    step_seconds(f, 0);
    event = last_event(f, KN_EVENT_EFFECT_STACKS);
    assert_non_null(event);
    assert_int_equal(event->data.effect.old_count, 2);
    assert_int_equal(event->data.effect.count, 1);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_DISPELLED);
}

// Where the passive of TVE-112 stands.
typedef struct passive {
    kn_effect_type_id armour;
} passive;

static kn_time passive_tick(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)data;
    const passive *p = user;
    (void)kn_effect_apply_simple(world, p->armour, entity, entity, 1.0f, NULL);
    return KN_S(4);
}

// TVE-112
static void passive_armour_gains_a_stack_every_four_seconds_up_to_four(void **state)
{
    fixture *f = *state;
    passive p;
    kn_timer_type_id timer_type;
    kn_effect_def def = stacking_def(f, "Armour", KN_STACK_BY_TARGET, 4);
    p.armour = effect_register(f, &def);
    assert_int_equal(
        kn_timer_type_register(f->library, "Passive", passive_tick, &p, &timer_type, NULL), KN_OK);
    begin(f);
    kn_timer_id timer;
    assert_int_equal(kn_timer_start(f->world, timer_type, f->foe, KN_S(4), NULL, &timer), KN_OK);

    const uint32_t counts[5] = {1, 2, 3, 4, 4};
    kn_effect_id effect;
    for (int i = 0; i < 5; i++) {
        step_seconds(f, 4);
        assert_int_equal(find_all(f, p.armour, &effect, 1), 1);
        assert_int_equal(kn_effect_stacks(f->world, effect), counts[i]);
    }
    step_seconds(f, 1); // 21 s: a hit takes one
    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_CHARGES_USED), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    step_seconds(f, 3); // 24 s
    assert_int_equal(kn_effect_stacks(f->world, effect), 4);
}

// TVE-115, BEY-003
static void magnitudes_scale_with_the_count_in_the_gas_profile(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[4] = {
        kn_modifier_constant(f->power, KN_OP_ADD, 10.0f),
        kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 1.1f),
        kn_modifier_constant(f->haste, KN_OP_OVERRIDE, 7.0f),
        kn_modifier_constant(f->max_health, KN_OP_ADD, 10.0f),
    };
    modifiers[3].scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = infinite("Buff");
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.modifiers = modifiers;
    def.modifier_count = 4;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    for (int i = 0; i < 3; i++) {
        apply(f, buff);
    }

    assert_near(current(f, f->power), 40.0f);
    assert_near(current(f, f->speed), 780.0f);
    assert_near(current(f, f->haste), 7.0f);
    assert_near(current(f, f->max_health), 210.0f); // does not scale
    kn_effect_id effect;
    find_all(f, buff, &effect, 1);
    assert_near(kn_effect_magnitude(f->world, effect, 0), 30.0f);
    assert_near(kn_effect_magnitude(f->world, effect, 1), 1.3f);
}

// BEY-003
static void magnitudes_do_not_scale_in_the_combat_profile_unless_they_say_so(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = attribute_def("Damage", 100.0f);
    attribute.profile = kn_value_profile_combat();
    kn_attribute_set_id stats = set_register(f, "Stats", &attribute, 1);
    kn_attribute_id damage = kn_attribute_find(f->library, "Stats.Damage");
    kn_modifier_def modifiers[2] = {
        kn_modifier_constant(damage, KN_OP_ADD, 5.0f),
        kn_modifier_constant(damage, KN_OP_MULTIPLY, 1.5f),
    };
    modifiers[1].scaling = KN_STACK_SCALING_YES;
    kn_effect_def def = infinite("Buff");
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, stats);

    apply(f, buff);
    apply(f, buff);

    assert_near(current(f, damage), 210.0f); // (100 + 5) x (1 + 0.5 x 2)
}

// BEY-003
static void a_stack_curve_looks_at_how_many_stacks_are_there(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[3] = {{1, 1}, {2, 1.5f}, {3, 1.75f}};
    kn_curve_def curve = kn_curve_def_default();
    curve.name = "Diminishing";
    curve.kind = KN_CURVE_STEP;
    curve.points = points;
    curve.point_count = 3;
    kn_curve_id by_count;
    assert_int_equal(kn_curve_register(f->library, &curve, &by_count, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_constant(f->power, KN_OP_ADD, 20.0f);
    modifier.stack_curve = by_count;
    kn_effect_def def = timed("Buff", 10);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.own_timers = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);

    apply(f, buff);
    assert_near(current(f, f->power), 30.0f);
    step_seconds(f, 4);
    apply(f, buff);
    assert_near(current(f, f->power), 40.0f);
    step_seconds(f, 4);
    apply(f, buff);
    assert_near(current(f, f->power), 45.0f);
    step_seconds(f, 2); // the first stack ends: two are left, whichever they are
    assert_near(current(f, f->power), 40.0f);
    step_seconds(f, 4);
    assert_near(current(f, f->power), 30.0f);
}

// STK-010, BEY-008
static void a_denied_overflow_refreshes_nothing_and_is_told_once_per_step(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 2);
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(10);
    def.stacking.deny_overflow = true;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, buff);
    apply(f, buff);
    step_seconds(f, 4);

    for (int i = 0; i < 3; i++) {
        assert_int_equal(try_apply_from(f, buff, f->ally, 9.0f), KN_REFUSED_STACK_DENIED);
    }

    kn_effect_info info = info_of(f, effect);
    assert_int_equal(info.stacks, 2);
    assert_near(info.level, 1.0f);
    assert_true(kn_entity_id_equal(info.source, f->hero));
    assert_int_equal(info.remaining, KN_S(6));
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_STACK_DENIED, buff), 1);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_STACK_DENIED);
    assert_true(kn_entity_id_equal(event->entity, f->foe));
    assert_true(kn_effect_id_equal(event->data.effect.effect, effect));
    assert_int_equal(event->data.effect.count, 2);
    assert_true(kn_entity_id_equal(event->data.effect.source, f->ally)); // who was refused
    assert_near(event->data.effect.level, 9.0f);
    step_seconds(f, 1);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_STACK_DENIED, buff), 0);
    assert_int_equal(try_apply_from(f, buff, f->ally, 1.0f), KN_REFUSED_STACK_DENIED);
    step_seconds(f, 0); // a new step publishes again
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_STACK_DENIED, buff), 1);
}

// STK-010, BEY-029
static void clear_on_overflow_clears_the_whole_stack(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 2);
    def.stacking.deny_overflow = true;
    def.stacking.clear_on_overflow = true;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, buff);
    apply(f, buff);

    assert_int_equal(try_apply(f, buff), KN_REFUSED_STACK_DENIED);

    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->power), 10.0f);
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_REMOVED);
    assert_non_null(event);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_STACK_CLEARED);
    assert_int_equal(event->data.effect.old_count, 2);
}

// STK-010
static void clear_on_overflow_without_deny_is_a_registration_error(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 2);
    def.stacking.clear_on_overflow = true;
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
}

static void overflow_effects_start(fixture *f, bool deny)
{
    kn_modifier_def hit = kn_modifier_constant(f->health, KN_OP_ADD, -7.0f);
    kn_effect_def burst = instant("Burst");
    burst.modifiers = &hit;
    burst.modifier_count = 1;
    kn_child_def child = kn_child_def_default();
    child.type = effect_register(f, &burst);
    child.when = KN_CHILD_OVERFLOW;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 2);
    def.stacking.deny_overflow = deny;
    def.children = &child;
    def.child_count = 1;
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    apply(f, buff);
    apply(f, buff);
    assert_near(current(f, f->health), 100.0f);

    kn_result result = try_apply(f, buff);
    assert_int_equal(result, deny ? KN_REFUSED_STACK_DENIED : KN_OK);
    assert_near(current(f, f->health), 93.0f);
}

// STK-011, BEY-022
static void overflow_effects_come_with_a_denied_application(void **state)
{
    overflow_effects_start(*state, true);
}

// STK-011, BEY-022
static void overflow_effects_come_with_an_accepted_application(void **state)
{
    overflow_effects_start(*state, false);
}

// STK-013: every application has its own length, which counts only if the policy says so.
static void every_spec_merged_into_a_stack_has_its_set_by_caller_duration(void **state)
{
    fixture *f = *state;
    kn_tag length = tag_of(f, "Data.Length");
    kn_effect_def def = stacking_def(f, "Never", KN_STACK_BY_TARGET, 0);
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_set_by_caller(length);
    def.stacking.refresh = KN_REFRESH_NEVER;
    kn_effect_type_id never = effect_register(f, &def);
    def.name = "Restart";
    def.stacking.refresh = KN_REFRESH_RESTART;
    kn_effect_type_id restart = effect_register(f, &def);
    def.name = "Extend";
    def.stacking.refresh = KN_REFRESH_EXTEND;
    kn_effect_type_id extend = effect_register(f, &def);
    begin(f);
    kn_caller_value given = {length, 5.0f};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.target = f->foe;
    request.caller_values = &given;
    request.caller_value_count = 1;
    kn_effect_id a, b, c;
    for (int i = 0; i < 3; i++) {
        given.value = 5.0f + 2.0f * (float)i; // 5, 7, 9
        request.type = never;
        assert_int_equal(kn_effect_apply(f->world, &request, &a), KN_OK);
        request.type = restart;
        assert_int_equal(kn_effect_apply(f->world, &request, &b), KN_OK);
        request.type = extend;
        assert_int_equal(kn_effect_apply(f->world, &request, &c), KN_OK);
        step_seconds(f, 1);
    }

    assert_int_equal(info_of(f, a).duration, KN_S(5));
    assert_int_equal(info_of(f, a).remaining, KN_S(2));
    assert_int_equal(info_of(f, b).remaining, KN_S(8));
    assert_int_equal(info_of(f, c).remaining, KN_S(5 + 7 + 9 - 3));
    step_seconds(f, 2);
    assert_false(kn_effect_is_alive(f->world, a));
    step_seconds(f, 5.999);
    assert_true(kn_effect_is_alive(f->world, b));
    step_seconds(f, 0.001);
    assert_false(kn_effect_is_alive(f->world, b));
    step_seconds(f, 10);
    assert_false(kn_effect_is_alive(f->world, c));
}

// STK-014
static void the_merge_policy_says_whose_level_and_values_a_stack_keeps(void **state)
{
    fixture *f = *state;
    kn_tag amount = tag_of(f, "Data.Amount");
    const kn_merge policies[3] = {KN_MERGE_LATEST, KN_MERGE_HIGHEST_LEVEL, KN_MERGE_FIRST};
    const char *names[3] = {"Latest", "Highest", "First"};
    kn_effect_type_id types[3];
    for (int i = 0; i < 3; i++) {
        kn_effect_def def = stacking_def(f, names[i], KN_STACK_BY_TARGET, 0);
        def.stacking.merge = policies[i];
        types[i] = effect_register(f, &def);
    }
    begin(f);
    const float levels[3] = {2.0f, 5.0f, 3.0f};
    const float expected[3] = {3.0f, 5.0f, 2.0f};
    for (int i = 0; i < 3; i++) {
        kn_effect_id effect = {0};
        for (int j = 0; j < 3; j++) {
            kn_caller_value given = {amount, levels[j] * 10.0f};
            kn_effect_context context = {.source_object = (uint64_t)levels[j]};
            kn_effect_apply_def request = kn_effect_apply_def_default();
            request.type = types[i];
            request.target = f->foe;
            request.source = f->hero;
            request.level = levels[j];
            request.caller_values = &given;
            request.caller_value_count = 1;
            request.context = &context;
            assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
        }
        kn_effect_info info = info_of(f, effect);
        assert_near(info.level, expected[i]);
        assert_int_equal(info.source_object, (uint64_t)expected[i]);
        assert_near(kn_effect_caller_value(f->world, effect, amount, -1.0f), expected[i] * 10.0f);
        assert_int_equal(info.stacks, 3);
    }
}

// STK-014
static void granted_tags_count_once_per_effect_not_per_stack(void **state)
{
    fixture *f = *state;
    kn_tag state_tag = tag_of(f, "State.Armoured");
    kn_effect_def def = stacking_def(f, "Armour", KN_STACK_BY_SOURCE, 0);
    def.granted_tags = (kn_tags){&state_tag, 1};
    kn_effect_type_id armour = effect_register(f, &def);
    begin(f);

    kn_effect_id a = {0};
    for (int i = 0; i < 3; i++) {
        a = apply(f, armour);
    }
    assert_int_equal(kn_entity_tag_count(f->world, f->foe, state_tag), 1);
    apply_from(f, armour, f->ally);
    assert_int_equal(kn_entity_tag_count(f->world, f->foe, state_tag), 2);
    kn_effect_remove(f->world, a, 0, KN_REMOVED_BY_CALL);
    assert_int_equal(kn_entity_tag_count(f->world, f->foe, state_tag), 1);
}

// STK-005, BEY-002
static void bad_stack_numbers_are_refused_and_change_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "Buff", KN_STACK_BY_TARGET, 0);
    def.duration_kind = KN_DURATION_TIMED;
    def.duration = kn_magnitude_constant(5);
    kn_effect_type_id buff = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, buff), null = {0};
    kn_effect_id stale = effect;
    stale.generation += 1000;

    assert_int_equal(kn_effect_set_stacks(f->world, null, 2), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_effect_set_stacks(f->world, stale, 2), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_effect_remove(f->world, null, 1, KN_REMOVED_BY_CALL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_effect_remove(f->world, stale, 1, KN_REMOVED_BY_CALL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_effect_stacks(f->world, null), 0);
    assert_int_equal(kn_effect_stacks(f->world, stale), 0);
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(
        kn_effect_remove(f->world, effect, 1, (kn_removal_reason)0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_effect_remove(f->world, effect, 1, KN_REMOVAL_REASON_COUNT), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);

    // A flood of stacks does not wrap around.
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = buff;
    request.target = f->foe;
    request.stacks = UINT32_MAX;
    kn_result result = kn_effect_apply(f->world, &request, NULL);
    assert_int_equal(result, KN_REFUSED_LIMIT);
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    assert_near(current(f, f->power), 20.0f);
}

static void expect_bad(fixture *f, const kn_effect_def *def)
{
    kn_effect_type_id type;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, def, &type, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    assert_true(strlen(error.message) > 0);
}

// STK-002, BEY-004, BEY-005, BEY-095
static void stack_rules_that_cannot_act_are_registration_errors(void **state)
{
    fixture *f = *state;
    kn_effect_def def = stacking_def(f, "NoStack", KN_STACK_NONE, 0);
    def.stacking.own_timers = true;
    expect_bad(f, &def);
    def = stacking_def(f, "NoDuration", KN_STACK_BY_TARGET, 0);
    def.stacking.own_timers = true;
    expect_bad(f, &def);
    def = stacking_def(f, "NoStackTick", KN_STACK_NONE, 0);
    def.stacking.tick_on_stack = true;
    expect_bad(f, &def);
    def = stacking_def(f, "NanLimit", KN_STACK_BY_TARGET, NAN);
    expect_bad(f, &def);
    kn_child_def child = kn_child_def_default();
    child.type_name = "Nothing";
    child.when = KN_CHILD_COUNT_REACHED;
    child.count = 1;
    def = stacking_def(f, "LowThreshold", KN_STACK_BY_TARGET, 0);
    def.children = &child;
    def.child_count = 1;
    expect_bad(f, &def);
}

static const struct CMUnitTest tests[] = {
    TEST(without_stacking_every_application_is_an_effect_of_its_own),
    TEST(an_instant_effect_cannot_be_registered_as_stacking),
    TEST(aggregate_by_source_counts_each_source_up_to_the_limit),
    TEST(aggregate_by_target_shares_one_limit_among_all_sources),
    TEST(an_application_brings_its_own_count_up_to_the_limit_of_the_type),
    TEST(a_limit_of_zero_or_less_means_unlimited),
    TEST(a_stack_listener_hears_effect_old_and_new_count),
    TEST(passive_armour_gains_a_stack_every_four_seconds_up_to_four),
    TEST(magnitudes_scale_with_the_count_in_the_gas_profile),
    TEST(magnitudes_do_not_scale_in_the_combat_profile_unless_they_say_so),
    TEST(a_stack_curve_looks_at_how_many_stacks_are_there),
    TEST(a_denied_overflow_refreshes_nothing_and_is_told_once_per_step),
    TEST(clear_on_overflow_clears_the_whole_stack),
    TEST(clear_on_overflow_without_deny_is_a_registration_error),
    TEST(overflow_effects_come_with_a_denied_application),
    TEST(overflow_effects_come_with_an_accepted_application),
    TEST(every_spec_merged_into_a_stack_has_its_set_by_caller_duration),
    TEST(the_merge_policy_says_whose_level_and_values_a_stack_keeps),
    TEST(granted_tags_count_once_per_effect_not_per_stack),
    TEST(bad_stack_numbers_are_refused_and_change_nothing),
    TEST(stack_rules_that_cannot_act_are_registration_errors),
};

TEST_GROUP(stacking, tests, NULL, NULL);
