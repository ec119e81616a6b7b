// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Periodic effects: when they tick, what a tick does, and what happens to the schedule.

#include "scenario/effect_fixture.h"

static kn_effect_def periodic_def(
    const char *name, kn_duration_kind kind, const kn_modifier_def *modifier, float period)
{
    kn_effect_def def = effect_def(name, kind, modifier, 1);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(period);
    return def;
}

// When it ticks -----------------------------------------------------------------

// TVE-003, EFF-005, EFF-008: without a tick on application.
static void first_tick_comes_after_one_period_if_the_first_is_skipped(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.skip_first_tick = true;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, type);
    step(f, KN_MS(900));
    assert_near(base(f, f->health), 100);
    step(f, KN_MS(100));
    assert_near(base(f, f->health), 95);
    assert_near(current(f, f->health), 95);
    step(f, KN_S(2));
    assert_near(base(f, f->health), 85);
    assert_near(current(f, f->health), 85);

    remove_effect(f, effect);
    assert_near(base(f, f->health), 85);
}

// TVE-003, EFF-008, AMBE-004: with one, which is the default.
static void first_tick_comes_at_once_by_default(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, type);
    assert_near(base(f, f->health), 95);
    step(f, KN_S(3));
    assert_near(base(f, f->health), 80);
    remove_effect(f, effect);
    step(f, KN_S(3));

    assert_near(base(f, f->health), 80);
}

// AMBE-005: a tick due at the very end comes before the end.
static void tick_at_the_moment_of_expiry_happens(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_TIMED, &modifier, 1);
    def.duration = kn_magnitude_constant(3);
    def.skip_first_tick = true;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, type);
    step(f, KN_S(10));

    assert_near(base(f, f->health), 85);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// EFF-005: modifiers act as if instant: on base values.
static void tick_changes_the_base_and_is_no_lasting_modifier(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_MULTIPLY, 0.5f);
    kn_effect_def def = periodic_def("Decay", KN_DURATION_INFINITE, &modifier, 1);
    def.skip_first_tick = true;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);
    assert_near(current(f, f->health), 100);
    assert_int_equal(kn_world_get_stats(f->world).modifiers, 0);
    step(f, KN_S(2));

    assert_near(base(f, f->health), 25);
    assert_near(current(f, f->health), 25);
}

// EFF-004, EFF-005: each tick executes the cues; begin and end are theirs too.
static void each_tick_executes_the_cues(void **state)
{
    fixture *f = *state;
    kn_tag cue = tag_of(f, "Cue.Burn");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_TIMED, &modifier, 1);
    def.duration = kn_magnitude_constant(3);
    def.skip_first_tick = true;
    def.cue_tags = one(&cue);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);
    step(f, KN_S(3));

    assert_int_equal(cue_count(f, KN_CUE_ADDED), 1);
    assert_int_equal(cue_count(f, KN_CUE_EXECUTED), 3);
    assert_int_equal(cue_count(f, KN_CUE_REMOVED), 1);
}

static uint32_t post_executes;

static void count_post_execute(void *user, const kn_execute_data *data)
{
    (void)user;
    assert_non_null(data->spec);
    post_executes++;
}

// EFF-005, AMBE-012: ticks run through the execute hooks.
static void each_tick_runs_the_execute_hooks(void **state)
{
    fixture *f = *state;
    kn_attribute_def attribute = kn_attribute_def_default();
    attribute.name = "Value";
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Hooked";
    set.attributes = &attribute;
    set.attribute_count = 1;
    set.hooks.post_execute = count_post_execute;
    kn_attribute_set_id set_id;
    assert_int_equal(kn_attribute_set_register(f->library, &set, &set_id, NULL), KN_OK);
    kn_modifier_def modifier =
        kn_modifier_constant(kn_attribute_find(f->library, "Hooked.Value"), KN_OP_ADD, 1);
    kn_effect_def def = periodic_def("Grow", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_set(f, f->foe, set_id);
    post_executes = 0;

    apply(f, type);
    step(f, KN_S(2));

    assert_int_equal(post_executes, 3);
}

// Lengths -----------------------------------------------------------------------

static float half_second(void *user, const kn_calculation *calculation)
{
    (void)user;
    (void)calculation;
    return 0.5f;
}

// EFF-007: a period is a magnitude: by level, of an attribute, computed, set by the caller.
static void period_is_a_magnitude(void **state)
{
    fixture *f = *state;
    const kn_curve_point points[] = {{1, 1}, {2, 3}};
    kn_curve_def curve_def = kn_curve_def_default();
    curve_def.name = "Row";
    curve_def.points = points;
    curve_def.point_count = COUNT(points);
    kn_curve_id curve;
    assert_int_equal(kn_curve_register(f->library, &curve_def, &curve, NULL), KN_OK);
    kn_calculation_def calculation_def = kn_calculation_def_default();
    calculation_def.name = "Half";
    calculation_def.function = half_second;
    kn_calculation_id half;
    assert_int_equal(kn_calculation_register(f->library, &calculation_def, &half, NULL), KN_OK);
    kn_tag key = tag_of(f, "Data.Period");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1);
    struct {
        const char *name;
        kn_magnitude period;
        kn_time expected;
        kn_effect_type_id type;
    } cases[] = {
        {"ByLevel", kn_magnitude_by_level(0.5f, curve), KN_MS(1500), {0}},
        {"OfAttribute", kn_magnitude_attribute(f->attack, KN_CAPTURE_FROM_SOURCE, true, 0.1f),
            KN_S(1), {0}},
        {"Computed", kn_magnitude_calculation(half), KN_MS(500), {0}},
        {"OfCaller", kn_magnitude_set_by_caller(key), KN_MS(250), {0}},
    };
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_effect_def def = periodic_def(cases[i].name, KN_DURATION_INFINITE, &modifier, 1);
        def.period = cases[i].period;
        def.skip_first_tick = true;
        cases[i].type = effect_register(f, &def);
    }
    begin(f);

    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_caller_value value = {key, 0.25f};
        kn_effect_apply_def def = from_hero(f, cases[i].type);
        def.level = 2;
        def.caller_values = &value;
        def.caller_value_count = 1;
        kn_effect_id effect;
        assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
        assert_int_equal(info_of(f, effect).period, cases[i].expected);
        set_base(f, f->foe, f->health, 100);
        step(f, cases[i].expected - 1);
        assert_near(base(f, f->health), 100);
        step(f, 1);
        assert_near(base(f, f->health), 99);
        remove_effect(f, effect);
    }
}

// SPC-003: an application may bring its own period.
static void application_may_bring_its_own_period(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.skip_first_tick = true;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_apply_def apply_def = from_hero(f, type);
    apply_def.period = KN_MS(250);
    kn_effect_id effect;

    assert_int_equal(kn_effect_apply(f->world, &apply_def, &effect), KN_OK);
    step(f, KN_S(1));

    assert_near(base(f, f->health), 96);
    assert_int_equal(info_of(f, effect).period, KN_MS(250));
    assert_int_equal(info_of(f, effect).executions, 4);
    assert_int_equal(info_of(f, effect).next_tick, KN_MS(1250));
}

// EFF-006, GAPE-003: ticks follow from time alone: two machines that step differently
// make the same ticks at the same times.
static void ticks_do_not_depend_on_how_time_is_cut(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -1);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_TIMED, &modifier, 0.25f);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    const kn_time steps[] = {KN_S(6), KN_US(33333), KN_US(6944), KN_MS(250)};
    kn_time times[COUNT(steps)][64] = {{0}};
    uint32_t counts[COUNT(steps)] = {0};

    for (uint32_t i = 0; i < COUNT(steps); i++) {
        step(f, 0);
        kn_time start = kn_world_now(f->world);
        kn_effect_id effect = apply(f, type);
        while (kn_world_now(f->world) < start + KN_S(6)) {
            kn_time left = start + KN_S(6) - kn_world_now(f->world);
            step(f, left < steps[i] ? left : steps[i]);
            kn_events events = kn_world_events(f->world);
            for (uint32_t e = 0; e < events.count; e++) {
                if (events.data[e].type == KN_EVENT_ATTRIBUTE_CHANGED && counts[i] < 64) {
                    times[i][counts[i]++] = events.data[e].time - start;
                }
            }
        }
        remove_effect(f, effect);
    }

    assert_int_equal(counts[0], 25);
    for (uint32_t i = 1; i < COUNT(steps); i++) {
        assert_int_equal(counts[i], counts[0]);
        assert_memory_equal(times[i], times[0], sizeof(times[0]));
    }
}

// Switching off and on --------------------------------------------------------------

// Off from 1.5 s to 3.25 s; period 1 s, no tick on application. Gives health at 3.25, 4 and 4.25 s.
static void inhibited_run(fixture *f, kn_inhibit_period rule, float health[4])
{
    kn_tag silenced = tag_of(f, "State.Silenced");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -10);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.skip_first_tick = true;
    def.inhibit_period = rule;
    def.ongoing.target.ignored = one(&silenced);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    apply(f, type);
    step(f, KN_MS(1500));
    assert_near(base(f, f->health), 90);
    add_tag(f, f->foe, silenced);
    step(f, KN_MS(1750));
    assert_near(base(f, f->health), 90);
    remove_tag(f, f->foe, silenced);
    health[0] = base(f, f->health);
    step(f, KN_MS(500)); // 3.75
    health[1] = base(f, f->health);
    step(f, KN_MS(250)); // 4.0
    health[2] = base(f, f->health);
    step(f, KN_MS(250)); // 4.25
    health[3] = base(f, f->health);
}

// EFF-009, EFF-011
static void clock_runs_on_while_off_if_it_is_never_reset(void **state)
{
    float health[4];
    inhibited_run(*state, KN_INHIBIT_NEVER_RESET, health);

    assert_near(health[0], 90);
    assert_near(health[1], 90);
    assert_near(health[2], 80);
    assert_near(health[3], 80);
}

// EFF-009
static void full_period_passes_after_switching_on_if_it_is_reset(void **state)
{
    float health[4];
    inhibited_run(*state, KN_INHIBIT_RESET, health);

    assert_near(health[0], 90);
    assert_near(health[2], 90);
    assert_near(health[3], 80);
}

// EFF-009
static void tick_on_switching_on_then_a_full_period(void **state)
{
    float health[4];
    inhibited_run(*state, KN_INHIBIT_EXECUTE_AND_RESET, health);

    assert_near(health[0], 80);
    assert_near(health[2], 80);
    assert_near(health[3], 70);
}

// BEY-014: and one more: the period continues where it stopped.
static void paused_period_goes_on_where_it_stood(void **state)
{
    float health[4];
    inhibited_run(*state, KN_INHIBIT_PAUSE, health);

    assert_near(health[0], 90);
    assert_near(health[1], 80);
    assert_near(health[3], 80);
}

// EFF-011: off, an effect neither ticks nor lives longer.
static void inhibited_effect_does_not_tick_but_expires(void **state)
{
    fixture *f = *state;
    kn_tag silenced = tag_of(f, "State.Silenced");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -10);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_TIMED, &modifier, 1);
    def.ongoing.target.ignored = one(&silenced);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    add_tag(f, f->foe, silenced);

    kn_effect_id effect = apply(f, type);
    assert_true(info_of(f, effect).is_inhibited);
    step(f, KN_S(9));
    assert_true(kn_effect_is_alive(f->world, effect));
    step(f, KN_S(1));

    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(base(f, f->health), 100);
}

// Ticks on demand -----------------------------------------------------------------

// EFF-005: a tick asked for leaves the schedule alone.
static void execution_on_demand_leaves_the_schedule_alone(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.skip_first_tick = true;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step(f, KN_MS(500));

    assert_int_equal(kn_effect_execute(f->world, effect), KN_OK);
    assert_near(base(f, f->health), 95);
    step(f, KN_MS(500));

    assert_near(base(f, f->health), 90);
}

// EFF-005: magnitudes that count the ticks.
static void magnitude_can_follow_the_tick_index(void **state)
{
    fixture *f = *state;
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.attribute = f->health;
    modifier.magnitude = kn_magnitude_of(KN_MAGNITUDE_TICK_INDEX);
    kn_effect_def def = periodic_def("Ramp", KN_DURATION_INFINITE, &modifier, 1);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);

    apply(f, type);
    assert_near(base(f, f->health), 100);
    step(f, KN_S(3));

    assert_near(base(f, f->health), 106);
}

// Bad input -------------------------------------------------------------------

// EFF-007: a period of zero, below it, or no number.
static void bad_periods_are_refused_in_data(void **state)
{
    fixture *f = *state;
    const float bad[] = {0.0f, -1.0f, 1e-9f, NAN, INFINITY};
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_effect_def def = periodic_def("Bad", KN_DURATION_INFINITE, &modifier, bad[i]);
        kn_result result = refused_def(f, &def);
        if (result != KN_ERROR_BAD_DATA && result != KN_ERROR_INVALID_ARGUMENT) {
            fail_msg("%g gives %s", (double)bad[i], kn_result_name(result));
        }
    }
    kn_effect_def def = periodic_def("Instant", KN_DURATION_INSTANT, &modifier, 1);
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
}

// EFF-007: and when it is computed.
static void bad_periods_are_refused_at_application(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Data.Period");
    kn_modifier_def modifier = kn_modifier_constant(f->health, KN_OP_ADD, -5);
    kn_effect_def def = periodic_def("Burn", KN_DURATION_INFINITE, &modifier, 1);
    def.period = kn_magnitude_set_by_caller(key);
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    const float bad[] = {0.0f, -1.0f, 1e-9f};

    assert_int_equal(try_apply(f, type), KN_REFUSED_MISSING_VALUE);
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_caller_value value = {key, bad[i]};
        kn_effect_apply_def apply_def = from_hero(f, type);
        apply_def.caller_values = &value;
        apply_def.caller_value_count = 1;
        assert_int_equal(kn_effect_apply(f->world, &apply_def, NULL), KN_REFUSED_BAD_NUMBER);
    }
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    assert_near(base(f, f->health), 100);
}

// EFF-005
static void ticks_of_a_stale_or_unsuited_effect_are_refused(void **state)
{
    fixture *f = *state;
    kn_effect_type_id lasting = simple(f, "Lasting", KN_DURATION_INFINITE, f->speed, KN_OP_ADD, 1);
    begin(f);
    kn_effect_id effect = apply(f, lasting);

    assert_int_not_equal(kn_effect_execute(f->world, effect), KN_OK);
    assert_near(base(f, f->speed), 600);
    remove_effect(f, effect);
    assert_int_equal(kn_effect_execute(f->world, effect), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_effect_execute(f->world, (kn_effect_id){0}), KN_REFUSED_STALE_ID);
}

static const struct CMUnitTest tests[] = {
    TEST(first_tick_comes_after_one_period_if_the_first_is_skipped),
    TEST(first_tick_comes_at_once_by_default),
    TEST(tick_at_the_moment_of_expiry_happens),
    TEST(tick_changes_the_base_and_is_no_lasting_modifier),
    TEST(each_tick_executes_the_cues),
    TEST(each_tick_runs_the_execute_hooks),
    TEST(period_is_a_magnitude),
    TEST(application_may_bring_its_own_period),
    TEST(ticks_do_not_depend_on_how_time_is_cut),
    TEST(clock_runs_on_while_off_if_it_is_never_reset),
    TEST(full_period_passes_after_switching_on_if_it_is_reset),
    TEST(tick_on_switching_on_then_a_full_period),
    TEST(paused_period_goes_on_where_it_stood),
    TEST(inhibited_effect_does_not_tick_but_expires),
    TEST(execution_on_demand_leaves_the_schedule_alone),
    TEST(magnitude_can_follow_the_tick_index),
    TEST(bad_periods_are_refused_in_data),
    TEST(bad_periods_are_refused_at_application),
    TEST(ticks_of_a_stale_or_unsuited_effect_are_refused),
};

TEST_GROUP(periodic, tests, NULL, NULL);
