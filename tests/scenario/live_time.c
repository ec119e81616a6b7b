// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Durations and periods that follow attributes, haste, tick numbers, ticks while switched off.

#include "scenario/effect_fixture.h"

static kn_magnitude of_source(kn_attribute_id attribute, float coefficient)
{
    return kn_magnitude_attribute(attribute, KN_CAPTURE_FROM_SOURCE, false, coefficient);
}

static void set_source(fixture *f, kn_attribute_id attribute, float number)
{
    set_base(f, f->hero, attribute, number);
}

// A tick takes 1 health.
static kn_effect_def dot(fixture *f, const char *name, float seconds, float period)
{
    static kn_modifier_def modifier; // copied by registration
    modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = timed(name, seconds);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(period);
    def.skip_first_tick = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return def;
}

// BEY-011
static void a_live_duration_moves_the_end_by_the_difference(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Shield", 0);
    def.duration = of_source(f->power, 1.0f); // 10 s
    def.live_duration = KN_LIVE_NEXT;
    kn_effect_type_id shield = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, shield);
    step_seconds(f, 4);

    set_source(f, f->power, 13.0f);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(9));
    set_source(f, f->power, 5.0f);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(1));
    step_seconds(f, 0);
    assert_true(effect_event_count(f, KN_EVENT_EFFECT_TIME, shield) >= 2);
    set_source(f, f->power, 4.0f); // nothing remains
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-011
static void live_times_are_opt_in(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 10, 2);
    def.duration = of_source(f->power, 1.0f);
    def.period = of_source(f->haste, 2.0f);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 1);
    set_source(f, f->power, 3.0f);
    set_source(f, f->haste, 0.1f);
    assert_int_equal(info_of(f, effect).remaining, KN_S(9));
    assert_int_equal(info_of(f, effect).period, KN_S(2));
    step_seconds(f, 9);
    assert_near(current(f, f->health), 95.0f);
}

// BEY-011
static void a_scheduled_tick_keeps_its_time_and_later_ones_use_the_new_period(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 20, 2);
    def.period = of_source(f->haste, 2.0f);
    def.live_period = KN_LIVE_NEXT;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 0.5);
    set_source(f, f->haste, 0.5f); // 1 s
    assert_int_equal(info_of(f, effect).next_tick, KN_S(2));
    step_seconds(f, 1.4); // 1.9
    assert_near(current(f, f->health), 100.0f);
    step_seconds(f, 0.1); // 2
    assert_near(current(f, f->health), 99.0f);
    step_seconds(f, 1); // 3
    assert_near(current(f, f->health), 98.0f);
    step_seconds(f, 1); // 4
    assert_near(current(f, f->health), 97.0f);
}

// BEY-011
static void a_rescaled_period_keeps_the_elapsed_time(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 20, 2);
    def.period = of_source(f->haste, 2.0f);
    def.live_period = KN_LIVE_RESCALE;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 0.5);
    set_source(f, f->haste, 0.5f); // 1 s, of which 0.5 have passed
    assert_int_equal(info_of(f, effect).next_tick, KN_S(1));
    step_seconds(f, 0.5); // 1
    assert_near(current(f, f->health), 99.0f);
    step_seconds(f, 0.75);          // 1.75
    set_source(f, f->haste, 0.25f); // 0.5 s: due already, but never in the past
    step_seconds(f, 0);
    assert_near(current(f, f->health), 98.0f);
    assert_true(info_of(f, effect).next_tick >= KN_MS(1750));
    step_seconds(f, 0.5);
    assert_near(current(f, f->health), 97.0f);
    set_source(f, f->haste, 2.0f); // 4 s
    step_seconds(f, 3.9);
    assert_near(current(f, f->health), 97.0f);
    step_seconds(f, 0.1);
    assert_near(current(f, f->health), 96.0f);
}

// BEY-011
static void a_period_that_computes_to_zero_or_less_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 20, 2);
    def.period = of_source(f->haste, 2.0f);
    def.live_period = KN_LIVE_NEXT;
    kn_effect_type_id type = effect_register(f, &def);
    def = dot(f, "Zero", 20, 0);
    kn_effect_type_id nothing;
    kn_error error;
    assert_int_equal(kn_effect_register(f->library, &def, &nothing, &error), KN_ERROR_BAD_DATA);
    def = dot(f, "Negative", 20, -1);
    assert_int_equal(kn_effect_register(f->library, &def, &nothing, &error), KN_ERROR_BAD_DATA);
    begin(f);
    set_source(f, f->haste, 0.0f);
    assert_int_equal(try_apply(f, type), KN_REFUSED_BAD_NUMBER);
    set_source(f, f->haste, -1.0f);
    assert_int_equal(try_apply(f, type), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);

    set_source(f, f->haste, 1.0f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 1);
    set_source(f, f->haste, 0.0f); // live: the old one stays, and it is reported
    assert_int_equal(info_of(f, effect).period, KN_S(2));
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_ERROR);
    assert_non_null(event);
    assert_int_equal(event->data.error.code, KN_REFUSED_BAD_NUMBER);
    step_seconds(f, 3);
    assert_near(current(f, f->health), 98.0f);
}

// BEY-012
static void haste_scales_duration_and_period_together(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 12, 3);
    def.has_haste = true;
    def.haste = of_source(f->haste, 1.0f);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    const float factors[4] = {1.0f, 1.5f, 0.7f, 1.3f};
    for (int i = 0; i < 4; i++) {
        set_source(f, f->haste, factors[i]);
        kn_attribute_init(f->world, f->foe, f->health, 0, 100.0f);
        kn_effect_id effect = apply(f, type);
        kn_effect_info info = info_of(f, effect);
        assert_near((float)kn_time_to_seconds(info.duration), 12.0f / factors[i]);
        assert_near((float)kn_time_to_seconds(info.period), 3.0f / factors[i]);
        step_seconds(f, 30);
        assert_false(kn_effect_is_alive(f->world, effect));
        assert_near(current(f, f->health), 96.0f); // always four ticks
    }
}

// BEY-012
static void haste_of_zero_is_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 12, 3);
    def.has_haste = true;
    def.haste = of_source(f->haste, 1.0f);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    set_source(f, f->haste, 0.0f);
    assert_int_equal(try_apply(f, type), KN_REFUSED_BAD_NUMBER);
    set_source(f, f->haste, -2.0f);
    assert_int_equal(try_apply(f, type), KN_REFUSED_BAD_NUMBER);
}

// BEY-012
static void a_partial_last_tick_has_the_elapsed_share_of_the_magnitude(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->health, KN_OP_ADD, -10.0f),
        kn_modifier_constant(f->speed, KN_OP_MULTIPLY, 1.5f)};
    kn_effect_def def = dot(f, "Dot", 5, 2);
    def.partial_last_tick = true;
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 4);
    assert_near(current(f, f->health), 80.0f);
    assert_near(current(f, f->speed), 1350.0f);
    step_seconds(f, 1);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->health), 75.0f);
    assert_near(current(f, f->speed), 1687.5f); // x (1 + 0.5 / 2)
}

// BEY-012
static void a_whole_last_period_has_no_partial_tick_besides(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 4, 2);
    def.partial_last_tick = true;
    kn_effect_type_id type = effect_register(f, &def);
    def = dot(f, "Early", 5, 2);
    def.partial_last_tick = true;
    kn_effect_type_id early = effect_register(f, &def);
    begin(f);
    apply(f, type);
    step_seconds(f, 5);
    assert_near(current(f, f->health), 98.0f);
    kn_effect_id effect = apply(f, early);
    step_seconds(f, 1);
    kn_effect_remove(f->world, effect, 0, KN_REMOVED_BY_CALL); // not at its end
    assert_near(current(f, f->health), 98.0f);
}

// BEY-013
static void tick_index_and_tick_count_are_readable_by_magnitudes(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifiers[2] = {kn_modifier_constant(f->health, KN_OP_ADD, 0),
        kn_modifier_constant(f->speed, KN_OP_OVERRIDE, 0)};
    modifiers[0].magnitude = kn_magnitude_of(KN_MAGNITUDE_TICK_INDEX);
    modifiers[0].magnitude.scale = kn_constant(-1.0f);
    modifiers[1].magnitude = kn_magnitude_of(KN_MAGNITUDE_TICK_COUNT);
    kn_effect_def def = dot(f, "Ramp", 4, 1);
    def.skip_first_tick = false;
    def.modifiers = modifiers;
    def.modifier_count = 2;
    kn_effect_type_id ramp = effect_register(f, &def);
    begin(f);
    apply(f, ramp);
    assert_near(current(f, f->speed), 5.0f); // 0, 1, 2, 3 and 4 s
    const float health[5] = {100, 99, 97, 94, 90};
    for (int i = 0; i < 5; i++) {
        assert_near(current(f, f->health), health[i]);
        step_seconds(f, 1);
    }
}

// BEY-015
static void the_execution_count_of_an_active_effect_is_readable(void **state)
{
    fixture *f = *state;
    kn_effect_def def = dot(f, "Dot", 10, 1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    assert_int_equal(info_of(f, effect).executions, 0);
    step_seconds(f, 3);
    assert_int_equal(info_of(f, effect).executions, 3);
    assert_int_equal(kn_effect_execute(f->world, effect), KN_OK);
    assert_int_equal(info_of(f, effect).executions, 4);
    assert_int_equal(info_of(f, effect).next_tick, KN_S(4));
    assert_near(current(f, f->health), 96.0f);
}

typedef struct switched {
    kn_tag off;
    kn_effect_id effect;
} switched;

// A 2 s period, switched off from 1.5 s to 4.5 s.
static switched run_switched(fixture *f, kn_inhibit_period policy)
{
    switched s;
    s.off = tag_of(f, "State.Silenced");
    kn_effect_def def = dot(f, "Dot", 20, 2);
    def.inhibit_period = policy;
    def.ongoing.target.ignored = (kn_tags){&s.off, 1};
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    s.effect = apply(f, type);
    step_seconds(f, 1.5);
    add_tag(f, f->foe, s.off);
    assert_true(info_of(f, s.effect).is_inhibited);
    step_seconds(f, 3); // 4.5
    assert_near(current(f, f->health), 100.0f);
    remove_tag(f, f->foe, s.off);
    assert_false(info_of(f, s.effect).is_inhibited);
    return s;
}

// BEY-014
static void a_paused_period_goes_on_where_it_stood(void **state)
{
    fixture *f = *state;
    switched s = run_switched(f, KN_INHIBIT_PAUSE);
    step_seconds(f, 0.4); // 4.9
    assert_near(current(f, f->health), 100.0f);
    step_seconds(f, 0.1); // 5
    assert_near(current(f, f->health), 99.0f);
    step_seconds(f, 2); // 7
    assert_near(current(f, f->health), 98.0f);
    assert_int_equal(info_of(f, s.effect).next_tick, KN_S(9));
}

// BEY-014
static void a_period_that_never_resets_ticks_on_its_old_grid(void **state)
{
    fixture *f = *state;
    run_switched(f, KN_INHIBIT_NEVER_RESET);
    step_seconds(f, 1.4); // 5.9
    assert_near(current(f, f->health), 100.0f);
    step_seconds(f, 0.1); // 6
    assert_near(current(f, f->health), 99.0f);
}

// BEY-014
static void a_period_that_resets_starts_anew_or_with_a_tick(void **state)
{
    fixture *f = *state;
    run_switched(f, KN_INHIBIT_RESET);
    step_seconds(f, 1.9); // 6.4
    assert_near(current(f, f->health), 100.0f);
    step_seconds(f, 0.1); // 6.5
    assert_near(current(f, f->health), 99.0f);
}

// BEY-014
static void execute_and_reset_ticks_at_once(void **state)
{
    fixture *f = *state;
    run_switched(f, KN_INHIBIT_EXECUTE_AND_RESET);
    assert_near(current(f, f->health), 99.0f);
    step_seconds(f, 2); // 6.5
    assert_near(current(f, f->health), 98.0f);
}

// BEY-014
static void a_paused_effect_extended_while_off_still_resumes(void **state)
{
    fixture *f = *state;
    kn_tag off = tag_of(f, "State.Silenced");
    kn_effect_def def = dot(f, "Dot", 3, 2);
    def.inhibit_period = KN_INHIBIT_PAUSE;
    def.ongoing.target.ignored = (kn_tags){&off, 1};
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 1);
    kn_entity_add_tag(f->world, f->foe, off, KN_TAG_ORIGIN_LOOSE, 1);
    step_seconds(f, 1);
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(10), -1), KN_OK);
    step_seconds(f, 5); // 7: off all the while
    assert_near(current(f, f->health), 100.0f);
    kn_entity_remove_tag(f->world, f->foe, off, KN_TAG_ORIGIN_LOOSE, 1);
    step_seconds(f, 1); // 8: the second half of the period
    assert_near(current(f, f->health), 99.0f);
}

// A curve with the levels themselves, but 0 at level 9.
static kn_curve_id by_level(fixture *f)
{
    const kn_curve_point points[] = {{1, 1}, {4, 4}, {8, 8}, {9, 0}};
    kn_curve_def def = kn_curve_def_default();
    kn_curve_id curve;
    def.name = "Level";
    def.points = points;
    def.point_count = 4;
    assert_int_equal(kn_curve_register(f->library, &def, &curve, NULL), KN_OK);
    return curve;
}

// BEY-011
static void a_new_level_reaches_live_times_at_once(void **state)
{
    fixture *f = *state;
    kn_curve_id curve = by_level(f);
    const kn_live_time kinds[] = {KN_LIVE_NONE, KN_LIVE_NEXT, KN_LIVE_RESCALE};
    const char *names[] = {"None", "Next", "Rescale"};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_def def = dot(f, names[i], 10, 2);
        def.duration = kn_magnitude_by_level(10.0f, curve);
        def.period = kn_magnitude_by_level(2.0f, curve);
        def.live_duration = i == 0 ? KN_LIVE_NONE : KN_LIVE_NEXT;
        def.live_period = kinds[i];
        types[i] = effect_register(f, &def);
    }
    begin(f);
    kn_effect_id effects[3];
    for (uint32_t i = 0; i < 3; i++) {
        effects[i] = apply(f, types[i]);
    }
    step_seconds(f, 1);
    const kn_time remaining[] = {KN_S(9), KN_S(19), KN_S(19)};
    const kn_time periods[] = {KN_S(2), KN_S(4), KN_S(4)};
    const kn_time next[] = {KN_S(2), KN_S(2), KN_S(4)};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_effect_set_level(f->world, effects[i], 2.0f), KN_OK);
        kn_effect_info info = info_of(f, effects[i]);
        assert_int_equal(info.remaining, remaining[i]);
        assert_int_equal(info.period, periods[i]);
        assert_int_equal(info.next_tick, next[i]);
    }
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_TIME, types[0]), 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_TIME, types[1]), 1);

    // A level at which there is no period: refused, and everything is as it was.
    uint64_t hash = kn_world_hash(f->world);
    for (uint32_t i = 1; i < 3; i++) {
        assert_int_equal(kn_effect_set_level(f->world, effects[i], 9.0f), KN_REFUSED_BAD_NUMBER);
        assert_near(info_of(f, effects[i]).level, 2.0f);
    }
    assert_true(kn_world_hash(f->world) == hash);
    step_seconds(f, 0);
    assert_null(last_event(f, KN_EVENT_ERROR));
    // One whose times were computed once does not care.
    assert_int_equal(kn_effect_set_level(f->world, effects[0], 9.0f), KN_OK);
    assert_int_equal(info_of(f, effects[0]).period, KN_S(2));
}

// BEY-011
static void a_callers_value_reaches_live_times_at_once(void **state)
{
    fixture *f = *state;
    kn_tag seconds = tag_of(f, "Data.Seconds"), step = tag_of(f, "Data.Step");
    kn_effect_def def = dot(f, "Dot", 10, 2);
    def.duration = kn_magnitude_set_by_caller(seconds);
    def.live_duration = KN_LIVE_NEXT;
    def.period = kn_magnitude_set_by_caller(step);
    def.period.has_default = true;
    def.period.default_value = 2.0f;
    def.live_period = KN_LIVE_RESCALE;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_caller_value given = {seconds, 10.0f};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = type;
    request.target = f->foe;
    request.source = f->hero;
    request.caller_values = &given;
    request.caller_value_count = 1;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    step_seconds(f, 1);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(
        kn_effect_set_caller_value(f->world, effect, step, -1.0f), KN_REFUSED_BAD_NUMBER);
    assert_near(kn_effect_caller_value(f->world, effect, step, -7.0f), -7.0f); // not there
    assert_true(kn_world_hash(f->world) == hash);
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, step, 3.0f), KN_OK);
    assert_int_equal(info_of(f, effect).next_tick, KN_S(3));
    assert_int_equal(
        kn_effect_set_caller_value(f->world, effect, step, 0.0f), KN_REFUSED_BAD_NUMBER);
    assert_near(kn_effect_caller_value(f->world, effect, step, 0.0f), 3.0f); // the old one stays
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, seconds, 20.0f), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(19));
    assert_int_equal(kn_effect_set_caller_value(f->world, effect, seconds, 1.0f), KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect)); // nothing remains
}

static const struct CMUnitTest tests[] = {
    TEST(a_live_duration_moves_the_end_by_the_difference),
    TEST(live_times_are_opt_in),
    TEST(a_new_level_reaches_live_times_at_once),
    TEST(a_callers_value_reaches_live_times_at_once),
    TEST(a_scheduled_tick_keeps_its_time_and_later_ones_use_the_new_period),
    TEST(a_rescaled_period_keeps_the_elapsed_time),
    TEST(a_period_that_computes_to_zero_or_less_is_refused),
    TEST(haste_scales_duration_and_period_together),
    TEST(haste_of_zero_is_refused),
    TEST(a_partial_last_tick_has_the_elapsed_share_of_the_magnitude),
    TEST(a_whole_last_period_has_no_partial_tick_besides),
    TEST(tick_index_and_tick_count_are_readable_by_magnitudes),
    TEST(the_execution_count_of_an_active_effect_is_readable),
    TEST(a_paused_period_goes_on_where_it_stood),
    TEST(a_period_that_never_resets_ticks_on_its_old_grid),
    TEST(a_period_that_resets_starts_anew_or_with_a_tick),
    TEST(execute_and_reset_ticks_at_once),
    TEST(a_paused_effect_extended_while_off_still_resumes),
};

TEST_GROUP(live_time, tests, NULL, NULL);
