// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a repeated application does to the time that remains and to the next tick.

#include "scenario/effect_fixture.h"

static kn_effect_def dot(fixture *f, const char *name, float seconds, float period)
{
    static kn_modifier_def modifier; // copied by registration
    modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    modifier.scaling = KN_STACK_SCALING_NO;
    kn_effect_def def = timed(name, seconds);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(period);
    def.skip_first_tick = true;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return def;
}

static kn_effect_type_id refreshing(fixture *f, const char *name, kn_refresh refresh)
{
    kn_effect_def def = timed(name, 5);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.refresh = refresh;
    return effect_register(f, &def);
}

static kn_effect_id apply_for(fixture *f, kn_effect_type_id type, double seconds)
{
    kn_effect_id effect = {0};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = type;
    request.target = f->foe;
    request.duration = kn_time_from_seconds(seconds);
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    return effect;
}

static kn_time remaining(fixture *f, kn_effect_id effect)
{
    return kn_effect_remaining(f->world, effect);
}

// STK-004, STK-006, TVE-113, BEY-010
static void refresh_restarts_never_acts_or_extends(void **state)
{
    fixture *f = *state;
    kn_effect_type_id restart = refreshing(f, "Restart", KN_REFRESH_RESTART);
    kn_effect_type_id never = refreshing(f, "Never", KN_REFRESH_NEVER);
    kn_effect_type_id extend = refreshing(f, "Extend", KN_REFRESH_EXTEND);
    begin(f);
    kn_effect_id effects[3] = {apply(f, restart), apply(f, never), apply(f, extend)};
    step_seconds(f, 3);
    apply(f, restart);
    apply(f, never);
    apply(f, extend);

    step_seconds(f, 1.999); // 4.999
    assert_true(kn_effect_is_alive(f->world, effects[1]));
    step_seconds(f, 0.001); // 5
    assert_false(kn_effect_is_alive(f->world, effects[1]));
    assert_true(kn_effect_is_alive(f->world, effects[0]));
    step_seconds(f, 3); // 8
    assert_false(kn_effect_is_alive(f->world, effects[0]));
    assert_true(kn_effect_is_alive(f->world, effects[2]));
    step_seconds(f, 2); // 10
    assert_false(kn_effect_is_alive(f->world, effects[2]));
}

// STK-006: every successful application refreshes, also one that adds no stack.
static void an_application_at_the_limit_refreshes_too(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Full", 5);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(1);
    kn_effect_type_id full = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, full);
    step_seconds(f, 3);
    apply(f, full);
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    assert_int_equal(remaining(f, effect), KN_S(5));
}

// STK-006, DUR-001
static void a_refresh_is_told_as_a_change_of_time(void **state)
{
    fixture *f = *state;
    kn_effect_type_id restart = refreshing(f, "Restart", KN_REFRESH_RESTART);
    kn_effect_type_id never = refreshing(f, "Never", KN_REFRESH_NEVER);
    begin(f);
    apply(f, restart);
    apply(f, never);
    step_seconds(f, 1);
    apply(f, restart);
    apply(f, never);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_TIME, restart), 1);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_TIME, never), 0);
}

// BEY-010
static void keep_longer_takes_the_longer_of_what_remains_and_the_new(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = refreshing(f, "Slow", KN_REFRESH_KEEP_LONGER);
    begin(f);
    kn_effect_id effect = apply_for(f, type, 10);
    step_seconds(f, 2);
    apply_for(f, type, 3);
    assert_int_equal(remaining(f, effect), KN_S(8));
    apply_for(f, type, 9);
    assert_int_equal(remaining(f, effect), KN_S(9));
}

// BEY-010
static void pandemic_keeps_at_most_a_share_of_the_new_duration(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = refreshing(f, "Dot", KN_REFRESH_PANDEMIC);
    begin(f);
    kn_effect_id effect = apply_for(f, type, 10);
    step_seconds(f, 2);
    apply_for(f, type, 10); // 8 remain, 3 are kept
    assert_int_equal(remaining(f, effect), KN_S(13));
    step_seconds(f, 12);
    apply_for(f, type, 10); // 1 remains, all of it is kept
    assert_int_equal(remaining(f, effect), KN_S(11));
    apply_for(f, type, 2); // never shorter than what remained
    assert_int_equal(remaining(f, effect), KN_S(11));
}

// BEY-010
static void the_share_of_pandemic_is_a_number_of_the_effect(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Dot", 10);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.refresh = KN_REFRESH_PANDEMIC;
    def.stacking.pandemic = kn_constant(0.5f);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 2);
    apply(f, type);
    assert_int_equal(remaining(f, effect), KN_S(15));
}

// BEY-010
static void complete_period_runs_the_current_period_out_then_the_full_duration(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 6, 2);
    def.stacking.refresh = KN_REFRESH_COMPLETE_PERIOD;
    def.stacking.period_reset = KN_PERIOD_KEEP;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 2.5); // one tick, the next at 4
    assert_near(current(f, f->health), 99.0f);
    apply(f, type); // 1.5 + 6
    assert_int_equal(remaining(f, effect), KN_MS(7500));
    step_seconds(f, 1.5);
    assert_near(current(f, f->health), 98.0f);
    step_seconds(f, 6); // 6, 8, 10
    assert_near(current(f, f->health), 95.0f);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-010
static void align_tick_lengthens_the_duration_to_end_on_a_tick(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 6, 2);
    def.stacking.refresh = KN_REFRESH_ALIGN_TICK;
    def.stacking.period_reset = KN_PERIOD_KEEP;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 2.5);
    apply(f, type); // full would end at 8.5; the next tick after is 10
    assert_int_equal(remaining(f, effect), KN_MS(7500));
    step_seconds(f, 7.5);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->health), 95.0f); // 2, 4, 6, 8, 10
}

// BEY-010
static void on_a_tick_boundary_align_adds_nothing(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 6, 2);
    def.stacking.refresh = KN_REFRESH_ALIGN_TICK;
    def.stacking.period_reset = KN_PERIOD_KEEP;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 2);
    apply(f, type);
    assert_int_equal(remaining(f, effect), KN_S(6));
}

// STK-004, STK-007
static void the_period_restarts_or_goes_on_as_the_policy_says(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Resets", 20, 2);
    kn_effect_type_id resets = effect_register(f, &def);
    def.name = "Keeps";
    def.stacking.period_reset = KN_PERIOD_KEEP;
    kn_modifier_def modifier = kn_modifier_constant(f->speed, KN_OP_ADD, -1.0f);
    modifier.scaling = KN_STACK_SCALING_NO;
    def.modifiers = &modifier;
    kn_effect_type_id keeps = effect_register(f, &def);
    begin(f);
    apply(f, resets);
    apply(f, keeps);
    step_seconds(f, 1.5);
    apply(f, resets);
    apply(f, keeps);

    step_seconds(f, 0.5); // 2
    assert_near(current(f, f->health), 100.0f);
    assert_near(current(f, f->speed), 599.0f);
    step_seconds(f, 1.5); // 3.5
    assert_near(current(f, f->health), 99.0f);
    assert_near(current(f, f->speed), 599.0f);
    step_seconds(f, 0.5); // 4
    assert_near(current(f, f->speed), 598.0f);
}

// STK-007, BEY-010
static void a_refresh_after_the_last_tick_gives_the_kept_period_room_again(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 5, 2);
    def.stacking.period_reset = KN_PERIOD_KEEP;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 4.5); // ticked at 2 and 4; the tick at 6 had no room
    assert_near(current(f, f->health), 98.0f);
    apply(f, type); // ends at 9.5

    step_seconds(f, 1.5); // 6
    assert_near(current(f, f->health), 97.0f);
    step_seconds(f, 2); // 8
    assert_near(current(f, f->health), 96.0f);
    step_seconds(f, 2);
    assert_near(current(f, f->health), 96.0f);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// DUR-004, BEY-014
static void added_time_after_the_last_tick_brings_further_ticks(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 5, 2);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 4.5);
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(4), -1), KN_OK); // to 9
    step_seconds(f, 5);
    assert_near(current(f, f->health), 96.0f); // 2, 4, 6, 8
}

// STK-004, STK-008, TVE-114
static void expiration_clears_all_or_takes_one_and_refreshes(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Clear", 5);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id clear = effect_register(f, &def);
    def.name = "One";
    def.stacking.expiration = KN_EXPIRE_ONE_AND_REFRESH;
    kn_effect_type_id one = effect_register(f, &def);
    begin(f);
    kn_effect_id a = {0}, b = {0};
    for (int i = 0; i < 3; i++) {
        a = apply(f, clear);
        b = apply(f, one);
    }

    step_seconds(f, 5);
    assert_false(kn_effect_is_alive(f->world, a));
    assert_int_equal(kn_effect_stacks(f->world, b), 2);
    assert_int_equal(remaining(f, b), KN_S(5));
    // Not reapplied: no second "applied" event.
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_APPLIED, one), 1);
    step_seconds(f, 5);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_APPLIED, one), 0);
    assert_int_equal(kn_effect_stacks(f->world, b), 1);
    step_seconds(f, 5);
    assert_false(kn_effect_is_alive(f->world, b));
}

// STK-008
static void expiration_may_only_refresh_and_leave_the_stacks_to_rules(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Manual", 5);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.expiration = KN_EXPIRE_REFRESH;
    kn_effect_type_id manual = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, manual);
    apply(f, manual);

    step_seconds(f, 12);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    assert_int_equal(remaining(f, effect), KN_S(3));
    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_RULE), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    assert_int_equal(remaining(f, effect), KN_S(3));
    step_seconds(f, 4);
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_RULE), KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// STK-008
static void a_periodic_stack_that_loses_one_at_expiry_ticks_on(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 4, 2);
    def.stacking.expiration = KN_EXPIRE_ONE_AND_REFRESH;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    apply(f, type);
    step_seconds(f, 8);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->health), 96.0f); // 2, 4, 6, 8
}

// BEY-013
static void a_pooled_merge_conserves_the_total(void **state)
{
    fixture *f = *state;
    kn_tag amount = tag_of(f, "Data.Amount");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_of(KN_MAGNITUDE_POOL);
    modifier.magnitude.caller_tag = amount;
    modifier.magnitude.scale = kn_constant(-1.0f);
    kn_effect_def def = timed("Ignite", 4);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.merge = KN_MERGE_POOL;
    kn_effect_type_id ignite = effect_register(f, &def);
    begin(f);
    kn_caller_value given = {amount, 40.0f};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = ignite;
    request.target = f->foe;
    request.caller_values = &given;
    request.caller_value_count = 1;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    step_seconds(f, 2); // two ticks of 10
    assert_near(current(f, f->health), 80.0f);

    given.value = 12.0f; // 20 left + 12 over four ticks
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    step_seconds(f, 1);
    assert_near(current(f, f->health), 72.0f);
    step_seconds(f, 3);
    assert_near(current(f, f->health), 48.0f); // 40 + 12 in all
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-013: without a value of the caller the amount is that of the def.
static void a_pool_may_have_its_amount_in_the_def(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, 0.0f);
    modifier.magnitude = kn_magnitude_of(KN_MAGNITUDE_POOL);
    modifier.magnitude.pre_add = kn_constant(20.0f);
    modifier.magnitude.scale = kn_constant(-1.0f);
    kn_effect_def def = timed("Ignite", 4);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.merge = KN_MERGE_POOL;
    kn_effect_type_id ignite = effect_register(f, &def);
    begin(f);
    apply(f, ignite);
    step_seconds(f, 4);
    assert_near(current(f, f->health), 80.0f); // 5 a tick
}

// BEY-010, STK-006
static void extending_cannot_run_past_the_end_of_time(void **state)
{
    fixture *f = *state;
    kn_effect_type_id extend = refreshing(f, "Extend", KN_REFRESH_EXTEND);
    kn_effect_type_id pandemic = refreshing(f, "Pandemic", KN_REFRESH_PANDEMIC);
    begin(f);
    step_seconds(f, 1);
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.target = f->foe;
    request.duration = KN_TIME_MAX;
    kn_effect_id effects[2];
    for (int i = 0; i < 3; i++) {
        request.type = extend;
        assert_int_equal(kn_effect_apply(f->world, &request, &effects[0]), KN_OK);
        request.type = pandemic;
        assert_int_equal(kn_effect_apply(f->world, &request, &effects[1]), KN_OK);
    }
    step_seconds(f, 1);
    for (int i = 0; i < 2; i++) {
        assert_true(kn_effect_is_alive(f->world, effects[i]));
        assert_true(remaining(f, effects[i]) > KN_TIME_MAX / 4);
        assert_true(remaining(f, effects[i]) <= KN_TIME_MAX);
    }
}

static const struct CMUnitTest tests[] = {
    TEST(refresh_restarts_never_acts_or_extends),
    TEST(an_application_at_the_limit_refreshes_too),
    TEST(a_refresh_is_told_as_a_change_of_time),
    TEST(keep_longer_takes_the_longer_of_what_remains_and_the_new),
    TEST(pandemic_keeps_at_most_a_share_of_the_new_duration),
    TEST(the_share_of_pandemic_is_a_number_of_the_effect),
    TEST(complete_period_runs_the_current_period_out_then_the_full_duration),
    TEST(align_tick_lengthens_the_duration_to_end_on_a_tick),
    TEST(on_a_tick_boundary_align_adds_nothing),
    TEST(the_period_restarts_or_goes_on_as_the_policy_says),
    TEST(a_refresh_after_the_last_tick_gives_the_kept_period_room_again),
    TEST(added_time_after_the_last_tick_brings_further_ticks),
    TEST(expiration_clears_all_or_takes_one_and_refreshes),
    TEST(expiration_may_only_refresh_and_leave_the_stacks_to_rules),
    TEST(a_periodic_stack_that_loses_one_at_expiry_ticks_on),
    TEST(a_pooled_merge_conserves_the_total),
    TEST(a_pool_may_have_its_amount_in_the_def),
    TEST(extending_cannot_run_past_the_end_of_time),
};

TEST_GROUP(refresh, tests, NULL, NULL);
