// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Changing the time of an active effect, and reading times back.

#include "scenario/effect_fixture.h"

static kn_effect_type_id add_timed(fixture *f, const char *name, float seconds)
{
    kn_effect_def def = timed(name, seconds);
    return effect_register(f, &def);
}

// DUR-001, DUR-003, TVE-122
static void restarting_an_effect_gives_it_the_new_duration_from_now(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Cooldown", 10);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 4);

    assert_int_equal(kn_effect_restart(f->world, effect, KN_S(3)), KN_OK);

    kn_effect_info info = info_of(f, effect);
    assert_int_equal(info.start, KN_S(4));
    assert_int_equal(info.duration, KN_S(3));
    assert_int_equal(info.remaining, KN_S(3));
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_TIME);
    assert_non_null(event);
    assert_true(kn_effect_id_equal(event->data.effect.effect, effect));
    step_seconds(f, 2.999);
    assert_true(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0.001); // 7
    assert_false(kn_effect_is_alive(f->world, effect));
}

static void count_call(void *user, kn_world *world, const kn_event *event)
{
    assert_int_equal(event->type, KN_EVENT_EFFECT_TIME);
    kn_effect_info info; // start and duration belong to the effect that it names
    assert_true(kn_effect_get(world, event->data.effect.effect, &info));
    assert_int_equal(info.start, KN_S(4));
    assert_int_equal(info.duration, KN_S(2));
    ++*(uint32_t *)user;
}

// DUR-001
static void a_listener_hears_that_a_time_changed(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Cooldown", 10);
    begin(f);
    kn_effect_id effect = apply(f, type);
    uint32_t calls = 0;
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_EFFECT_TIME;
    def.effect = effect;
    def.function = count_call;
    def.user = &calls;
    kn_listener_id listener;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
    step_seconds(f, 4);
    assert_int_equal(kn_effect_restart(f->world, effect, KN_S(2)), KN_OK);
    assert_int_equal(calls, 0);
    step_seconds(f, 0);
    assert_int_equal(calls, 1);
}

// DUR-002, TVE-122
static void null_and_stale_ids_are_refused_by_every_way_to_change_a_time(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Cooldown", 10);
    begin(f);
    kn_effect_id gone = apply(f, type);
    kn_effect_remove(f->world, gone, 0, KN_REMOVED_BY_CALL);
    kn_effect_id kept = apply(f, type);
    kn_effect_id ids[2] = {{0}, gone};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(kn_effect_set_remaining(f->world, ids[i], KN_S(1)), KN_REFUSED_STALE_ID);
        assert_int_equal(
            kn_effect_add_remaining(f->world, ids[i], KN_S(1), -1), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_scale_remaining(f->world, ids[i], 2.0f), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_set_total(f->world, ids[i], KN_S(1)), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_restart(f->world, ids[i], KN_S(1)), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_refresh(f->world, ids[i]), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_execute(f->world, ids[i]), KN_REFUSED_STALE_ID);
        assert_int_equal(kn_effect_remaining(f->world, ids[i]), 0);
        kn_effect_info info;
        assert_false(kn_effect_get(f->world, ids[i], &info));
    }
    assert_int_equal(kn_effect_remaining(f->world, kept), KN_S(10));
}

// DUR-004
static void remaining_can_be_set_added_to_and_scaled_and_total_keeps_the_start(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Buff", 10);
    begin(f);
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 4);

    assert_int_equal(kn_effect_set_remaining(f->world, effect, KN_S(8)), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(8));
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(2), -1), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(10));
    assert_int_equal(kn_effect_add_remaining(f->world, effect, -KN_S(4), -1), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(6));
    kn_time most = KN_TIME_MAX / 2;
    assert_int_equal(
        kn_effect_add_remaining(f->world, effect, most + 1, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_effect_add_remaining(f->world, effect, -most - 1, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(info_of(f, effect).remaining, KN_S(6));
    assert_int_equal(kn_effect_scale_remaining(f->world, effect, 0.5f), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(3));
    assert_int_equal(kn_effect_set_total(f->world, effect, KN_S(9)), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(5));
    assert_int_equal(info_of(f, effect).start, 0);
    step_seconds(f, 4.999);
    assert_true(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0.001);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-014
static void adding_time_is_capped_and_a_cap_never_takes_away(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Buff", 10);
    begin(f);
    kn_effect_id effect = apply(f, type);
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(10), KN_S(15)), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(15));
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(10), KN_S(12)), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(15));
    // What is taken is taken: a cap is for what is added.
    assert_int_equal(kn_effect_add_remaining(f->world, effect, -KN_S(2), KN_S(1)), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(13));
    assert_int_equal(kn_effect_add_remaining(f->world, effect, -KN_S(3), KN_S(10)), KN_OK);
    assert_int_equal(info_of(f, effect).remaining, KN_S(10));
}

static void ends_at_once(fixture *f, kn_effect_type_id type, int way)
{
    kn_effect_id effect = apply(f, type);
    step_seconds(f, 2);
    kn_result result = KN_OK;
    switch (way) {
    case 0:
        result = kn_effect_set_remaining(f->world, effect, 0);
        break;
    case 1:
        result = kn_effect_set_remaining(f->world, effect, -1);
        break;
    case 2:
        result = kn_effect_restart(f->world, effect, 0);
        break;
    case 3:
        result = kn_effect_restart(f->world, effect, -KN_S(1));
        break;
    case 4:
        result = kn_effect_set_total(f->world, effect, KN_S(1));
        break;
    case 5:
        result = kn_effect_set_total(f->world, effect, -KN_S(5));
        break;
    case 6:
        result = kn_effect_add_remaining(f->world, effect, -KN_S(100), -1);
        break;
    default:
        result = kn_effect_scale_remaining(f->world, effect, 0.0f);
        break;
    }
    assert_int_equal(result, KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_REMOVED);
    assert_non_null(event);
    assert_int_equal(event->time, kn_world_now(f->world));
}

// DUR-002, DUR-005, TVE-122, BEY-014
static void a_time_of_zero_or_less_ends_the_effect_at_once_and_without_a_tick(void **state)
{
    fixture *f = *state;
    kn_modifier_def hit = kn_modifier_constant(f->health, KN_OP_ADD, -1.0f);
    kn_effect_def def = timed("Dot", 10);
    def.is_periodic = true;
    def.period = kn_magnitude_constant(4);
    def.skip_first_tick = true;
    def.partial_last_tick = true;
    def.modifiers = &hit;
    def.modifier_count = 1;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    for (int way = 0; way < 8; way++) {
        ends_at_once(f, type, way);
    }
    assert_near(current(f, f->health), 100.0f);
}

// BEY-014, BEY-029
static void shortening_to_zero_is_an_early_removal(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Buff", 10);
    begin(f);
    kn_effect_id effect = apply(f, type);
    assert_int_equal(kn_effect_set_remaining(f->world, effect, 0), KN_OK);
    step_seconds(f, 0);
    const kn_event *event = last_event(f, KN_EVENT_EFFECT_REMOVED);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_SHORTENED);
    assert_true(kn_removal_is_premature(event->data.effect.reason));
}

// DUR-004
static void bad_numbers_are_refused_and_the_time_stays(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_timed(f, "Buff", 10);
    begin(f);
    step_seconds(f, 1);
    kn_effect_id effect = apply(f, type);
    const float bad[4] = {NAN, INFINITY, -INFINITY, -1.0f};
    for (int i = 0; i < 4; i++) {
        assert_int_equal(
            kn_effect_scale_remaining(f->world, effect, bad[i]), KN_REFUSED_BAD_NUMBER);
    }
    assert_int_equal(
        kn_effect_set_remaining(f->world, effect, KN_TIME_INFINITE), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_effect_set_total(f->world, effect, INT64_MAX), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_effect_restart(f->world, effect, INT64_MAX), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_effect_add_remaining(f->world, effect, INT64_MAX, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(
        kn_effect_add_remaining(f->world, effect, INT64_MIN, -1), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(info_of(f, effect).remaining, KN_S(10));
    // Far below zero is still "now".
    assert_int_equal(kn_effect_set_remaining(f->world, effect, INT64_MIN), KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
    effect = apply(f, type);
    assert_int_equal(kn_effect_set_total(f->world, effect, INT64_MIN), KN_OK);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// DUR-004
static void an_infinite_effect_has_no_remaining_time_to_change(void **state)
{
    fixture *f = *state;
    kn_effect_def def = infinite("Aura");
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, type);
    assert_int_equal(info_of(f, effect).remaining, KN_TIME_INFINITE);
    assert_true(kn_result_is_refused(kn_effect_add_remaining(f->world, effect, KN_S(1), -1)));
    assert_true(kn_result_is_refused(kn_effect_scale_remaining(f->world, effect, 0.5f)));
    assert_int_equal(info_of(f, effect).remaining, KN_TIME_INFINITE);
    assert_true(kn_effect_is_alive(f->world, effect));
}

// TVE-120
static void remaining_time_is_that_of_the_matching_effect_that_ends_last(void **state)
{
    fixture *f = *state;
    kn_tag cooldown = tag_of(f, "Cooldown.Fire");
    kn_tag unused = tag_of(f, "Cooldown.Ice");
    const float lengths[3] = {5, 4, 10};
    const char *names[3] = {"Five", "Four", "Ten"};
    kn_effect_type_id types[3];
    for (int i = 0; i < 3; i++) {
        kn_effect_def def = timed(names[i], lengths[i]);
        def.granted_tags = (kn_tags){&cooldown, 1};
        types[i] = effect_register(f, &def);
    }
    begin(f);
    apply(f, types[2]);
    step_seconds(f, 6.5);
    apply(f, types[0]);
    step_seconds(f, 2.5);
    apply(f, types[1]); // (2.5, 5), (4, 4), (1, 10)

    kn_effect_query query = kn_effect_query_default();
    query.granted_tags = (kn_tags){&cooldown, 1};
    kn_time left = -1, length = -1;
    assert_true(kn_effects_remaining(f->world, f->foe, &query, &left, &length));
    assert_int_equal(left, KN_S(4));
    assert_int_equal(length, KN_S(4));
    query.granted_tags = (kn_tags){&unused, 1};
    assert_false(kn_effects_remaining(f->world, f->foe, &query, &left, &length));
    assert_int_equal(left, 0);
    assert_int_equal(length, 0);
    query.granted_tags = (kn_tags){NULL, 0};
    assert_false(kn_effects_remaining(f->world, f->foe, &query, &left, &length));
}

// ABI-120, TVE-121
static void a_cooldown_exchanged_for_another_never_drops_its_tag(void **state)
{
    fixture *f = *state;
    kn_tag cooldown = tag_of(f, "Cooldown.Fire");
    kn_effect_def def = timed("Cooldown", 5);
    def.granted_tags = (kn_tags){&cooldown, 1};
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id predicted = apply(f, type);
    step_seconds(f, 0.1);

    kn_effect_id authoritative = apply(f, type);
    kn_effect_remove(f->world, predicted, 0, KN_REMOVED_MISPREDICTED);
    step_seconds(f, 0);

    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_REMOVED, type), 1);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_MISPREDICTED);
    assert_null(last_event(f, KN_EVENT_TAG_CHANGED));
    step_seconds(f, 5);
    assert_false(kn_effect_is_alive(f->world, authoritative));
    const kn_event *event = last_event(f, KN_EVENT_TAG_CHANGED);
    assert_non_null(event);
    assert_int_equal(event->data.tag.count, 0);
}

// BEY-014, DUR-005
static void negative_and_overlong_durations_at_application_are_handled(void **state)
{
    fixture *f = *state;
    kn_tag length = tag_of(f, "Data.Length");
    kn_effect_def def = timed("Buff", 0);
    def.duration = kn_magnitude_set_by_caller(length);
    kn_effect_type_id type = effect_register(f, &def);
    kn_effect_type_id nothing;
    kn_error error;
    const float bad[4] = {0.0f, -1.0f, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        def = timed("Bad", bad[i]);
        assert_int_equal(kn_effect_register(f->library, &def, &nothing, &error), KN_ERROR_BAD_DATA);
    }
    begin(f);
    kn_caller_value given = {length, -3.0f};
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = type;
    request.target = f->foe;
    request.caller_values = &given;
    request.caller_value_count = 1;
    // A duration that computes to nothing ends at once, normally.
    assert_int_equal(kn_effect_apply(f->world, &request, NULL), KN_OK);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    step_seconds(f, 0);
    assert_int_equal(
        last_event(f, KN_EVENT_EFFECT_REMOVED)->data.effect.reason, KN_REMOVED_EXPIRED);

    given.value = 3e38f;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &request, &effect), KN_OK);
    step_seconds(f, 1000);
    assert_true(kn_effect_is_alive(f->world, effect));
}

// An effect whose duration restarts while stacks are left.
static kn_effect_type_id add_cycle(fixture *f, float seconds, kn_expiration expiration)
{
    kn_effect_def def = timed("Cycle", seconds);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.expiration = expiration;
    return effect_register(f, &def);
}

static kn_effect_id apply_stacks(fixture *f, kn_effect_type_id type, uint32_t stacks)
{
    kn_effect_apply_def def = kn_effect_apply_def_default();
    def.type = type;
    def.target = f->foe;
    def.stacks = stacks;
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, &def, &effect), KN_OK);
    return effect;
}

static void a_shortened_cycle_does_not_shorten_the_next(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_cycle(f, 10.0f, KN_EXPIRE_ONE_AND_REFRESH);
    begin(f);
    kn_effect_id effect = apply_stacks(f, type, 5);
    assert_int_equal(kn_effect_set_remaining(f->world, effect, KN_S(1)), KN_OK);
    step_seconds(f, 1);
    assert_int_equal(info_of(f, effect).stacks, 4);
    assert_int_equal(info_of(f, effect).duration, KN_S(10));
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(5), -1), KN_OK);
    step_seconds(f, 15);
    assert_int_equal(info_of(f, effect).stacks, 3);
    assert_int_equal(info_of(f, effect).duration, KN_S(10));
    assert_int_equal(kn_effect_scale_remaining(f->world, effect, 0.5f), KN_OK);
    step_seconds(f, 5);
    assert_int_equal(info_of(f, effect).stacks, 2);
    assert_int_equal(info_of(f, effect).duration, KN_S(10));
    step_seconds(f, 10);
    assert_int_equal(info_of(f, effect).stacks, 1);
    step_seconds(f, 10);
    assert_false(kn_effect_is_alive(f->world, effect));
}

static void a_new_length_holds_for_the_cycles_to_come(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_cycle(f, 10.0f, KN_EXPIRE_ONE_AND_REFRESH);
    begin(f);
    kn_effect_id effect = apply_stacks(f, type, 4);
    assert_int_equal(kn_effect_set_total(f->world, effect, KN_S(3)), KN_OK);
    step_seconds(f, 3);
    assert_int_equal(info_of(f, effect).stacks, 3);
    assert_int_equal(info_of(f, effect).duration, KN_S(3));
    assert_int_equal(kn_effect_restart(f->world, effect, KN_S(2)), KN_OK);
    step_seconds(f, 2);
    assert_int_equal(info_of(f, effect).stacks, 2);
    assert_int_equal(info_of(f, effect).duration, KN_S(2));
}

static void an_extended_cycle_is_followed_by_one_of_the_usual_length(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Cycle", 10.0f);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.expiration = KN_EXPIRE_ONE_AND_REFRESH;
    def.stacking.refresh = KN_REFRESH_EXTEND;
    kn_effect_type_id type = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply_stacks(f, type, 2);
    step_seconds(f, 5);
    (void)apply_stacks(f, type, 1);
    assert_int_equal(info_of(f, effect).duration, KN_S(20));
    step_seconds(f, 15);
    assert_int_equal(info_of(f, effect).stacks, 2);
    assert_int_equal(info_of(f, effect).duration, KN_S(10));
}

static void a_cycle_of_a_microsecond_is_followed_by_one_of_the_usual_length(void **state)
{
    fixture *f = *state;
    kn_effect_type_id type = add_cycle(f, 1.0f, KN_EXPIRE_REFRESH);
    begin(f);
    kn_effect_id effect = apply_stacks(f, type, 1);
    assert_int_equal(kn_effect_set_remaining(f->world, effect, 1), KN_OK);
    step_seconds(f, 1);
    // The change, and the end of the short cycle; the second that follows is not over yet.
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_TIME, type), 2);
    assert_int_equal(info_of(f, effect).duration, KN_S(1));
}

static void haste_does_not_make_a_long_duration_overflow(void **state)
{
    fixture *f = *state;
    kn_effect_def def = timed("Age", 1e12f);
    def.has_haste = true;
    def.haste = kn_magnitude_constant(0.1f);
    kn_effect_type_id plain = effect_register(f, &def);
    def.name = "Decay";
    def.is_periodic = true;
    def.period = kn_magnitude_constant(1.0f);
    def.skip_first_tick = true;
    kn_effect_type_id periodic = effect_register(f, &def);
    begin(f);
    kn_effect_id effects[2] = {apply(f, plain), apply(f, periodic)};
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(info_of(f, effects[i]).duration, KN_TIME_MAX);
    }
    step_seconds(f, 0.1);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(kn_effect_is_alive(f->world, effects[i]));
    }
}

static void refreshing_a_duration_without_end_does_not_overflow(void **state)
{
    fixture *f = *state;
    const kn_refresh rules[] = {KN_REFRESH_EXTEND, KN_REFRESH_ALIGN_TICK,
        KN_REFRESH_COMPLETE_PERIOD, KN_REFRESH_PANDEMIC, KN_REFRESH_KEEP_LONGER};
    enum { RULES = sizeof rules / sizeof *rules };
    kn_effect_type_id types[RULES];
    for (uint32_t i = 0; i < RULES; i++) {
        char name[] = {'R', (char)('0' + i), 0};
        kn_effect_def def = timed(name, 4.6e12f);
        def.is_periodic = true;
        def.period = kn_magnitude_constant(4e12f);
        def.skip_first_tick = true;
        def.stacking.kind = KN_STACK_BY_TARGET;
        def.stacking.refresh = rules[i];
        def.stacking.pandemic = kn_constant(1.0f);
        types[i] = effect_register(f, &def);
    }
    begin(f);
    step_seconds(f, 1000);
    for (uint32_t i = 0; i < RULES; i++) {
        kn_effect_id effect = apply(f, types[i]);
        step_seconds(f, 1);
        (void)apply(f, types[i]);
        kn_effect_info info = info_of(f, effect);
        assert_true(info.duration > 0 && info.start <= KN_TIME_MAX - info.duration);
    }
}

// Values of the target that change durations -------------------------------------

typedef struct control {
    kn_value_id value;
    kn_tag stun;
    kn_effect_type_id stunned; // 4 s
    kn_effect_type_id plain;   // 4 s, the same value, without the tag
    kn_effect_type_id resists; // half as long, for stuns
    kn_effect_type_id immune;  // no time at all
} control;

static kn_effect_def changing(const char *name, kn_modifier_def *modifier, float factor)
{
    modifier->op = KN_OP_MULTIPLY;
    modifier->magnitude = kn_magnitude_constant(factor);
    return effect_def(name, KN_DURATION_INFINITE, modifier, 1);
}

static control control_register(fixture *f)
{
    control c = {.stun = tag_of(f, "Control.Stun")};
    kn_value_def value = kn_value_def_default();
    value.name = "StunTime";
    assert_int_equal(kn_value_register(f->library, &value, &c.value, NULL), KN_OK);
    kn_effect_def def = timed("Plain", 4);
    def.duration_value = c.value;
    c.plain = effect_register(f, &def);
    def.name = "Stunned";
    def.asset_tags = one(&c.stun);
    c.stunned = effect_register(f, &def);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = c.value;
    def = changing("Immune", &modifier, 0.0f);
    c.immune = effect_register(f, &def);
    modifier.event.required = one(&c.stun);
    def = changing("Resists", &modifier, 0.5f);
    c.resists = effect_register(f, &def);
    return c;
}

static kn_time duration_of(const fixture *f, const kn_effect_apply_def *def)
{
    kn_effect_id effect;
    assert_int_equal(kn_effect_apply(f->world, def, &effect), KN_OK);
    return info_of(f, effect).duration;
}

static void a_value_of_the_target_changes_the_duration_of_each_application(void **state)
{
    fixture *f = *state;
    control c = control_register(f);
    begin(f);
    kn_effect_apply_def stun = from_hero(f, c.stunned), plain = from_hero(f, c.plain);
    assert_int_equal(duration_of(f, &stun), KN_S(4));
    stun.duration = KN_S(300) + 1; // more than a float holds
    assert_int_equal(duration_of(f, &stun), KN_S(300) + 1);
    (void)apply(f, c.resists);
    assert_int_equal(duration_of(f, &plain), KN_S(4)); // by the asset tags
    plain.dynamic_asset_tags = one(&c.stun);
    assert_int_equal(duration_of(f, &plain), KN_S(2));
    stun.duration = KN_S(10);
    assert_int_equal(duration_of(f, &stun), KN_S(5));
    stun.duration = -1;
    assert_int_equal(duration_of(f, &stun), KN_S(2));
    (void)apply(f, c.resists);
    assert_int_equal(duration_of(f, &stun), KN_S(1));
    stun.target = f->hero; // who does not resist
    assert_int_equal(duration_of(f, &stun), KN_S(4));
    assert_true(kn_world_validate(f->world));
}

static void a_further_application_to_a_stack_has_the_changed_duration(void **state)
{
    fixture *f = *state;
    control c = control_register(f);
    kn_effect_def def = timed("Daze", 4);
    def.duration_value = c.value;
    def.asset_tags = one(&c.stun);
    def.stacking.kind = KN_STACK_BY_TARGET;
    kn_effect_type_id daze = effect_register(f, &def);
    def.name = "Bleed";
    def.stacking.own_timers = true;
    kn_effect_type_id bleed = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, daze);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(4));
    (void)apply(f, c.resists);
    (void)apply(f, daze);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(2));
    kn_effect_apply_def endless = from_hero(f, bleed);
    endless.duration = KN_TIME_INFINITE;
    (void)duration_of(f, &endless);
    // One that leaves no time is refused, and the stack stays as it is.
    (void)apply(f, c.immune);
    assert_int_equal(try_apply(f, daze), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(2));
    assert_int_equal(info_of(f, effect).stacks, 2);
    step_seconds(f, 2);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_int_equal(kn_effect_apply(f->world, &endless, NULL), KN_OK); // without end: left alone
}

static void a_live_duration_is_changed_again_and_never_taken_away(void **state)
{
    fixture *f = *state;
    control c = control_register(f);
    kn_effect_def def = timed("Live", 0);
    def.duration = kn_magnitude_attribute(f->power, KN_CAPTURE_FROM_SOURCE, false, 1.0f); // 10 s
    def.live_duration = KN_LIVE_NEXT;
    def.duration_value = c.value;
    def.asset_tags = one(&c.stun);
    kn_effect_type_id live = effect_register(f, &def);
    begin(f);
    (void)apply(f, c.resists);
    kn_effect_id effect = apply(f, live);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(5));
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, f->power, 0, 20.0f), KN_OK);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(10));
    (void)apply(f, c.immune);
    assert_int_equal(kn_attribute_set_base(f->world, f->hero, f->power, 0, 40.0f), KN_OK);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(10));
    assert_int_equal(kn_effect_set_level(f->world, effect, 2.0f), KN_OK);
    assert_int_equal(kn_effect_remaining(f->world, effect), KN_S(10));
    step_seconds(f, 0);
    assert_null(last_event(f, KN_EVENT_ERROR));
}

static void only_a_duration_in_seconds_can_be_changed(void **state)
{
    fixture *f = *state;
    control c = control_register(f);
    kn_effect_def def = infinite("Endless");
    def.duration_value = c.value;
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def = instant("Instant");
    def.duration_value = c.value;
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
    def = timed("Unknown", 4);
    def.duration_value.index1 = 99;
    assert_int_equal(refused_def(f, &def), KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    TEST(restarting_an_effect_gives_it_the_new_duration_from_now),
    TEST(a_listener_hears_that_a_time_changed),
    TEST(null_and_stale_ids_are_refused_by_every_way_to_change_a_time),
    TEST(remaining_can_be_set_added_to_and_scaled_and_total_keeps_the_start),
    TEST(adding_time_is_capped_and_a_cap_never_takes_away),
    TEST(a_time_of_zero_or_less_ends_the_effect_at_once_and_without_a_tick),
    TEST(shortening_to_zero_is_an_early_removal),
    TEST(bad_numbers_are_refused_and_the_time_stays),
    TEST(an_infinite_effect_has_no_remaining_time_to_change),
    TEST(remaining_time_is_that_of_the_matching_effect_that_ends_last),
    TEST(a_cooldown_exchanged_for_another_never_drops_its_tag),
    TEST(negative_and_overlong_durations_at_application_are_handled),
    TEST(a_shortened_cycle_does_not_shorten_the_next),
    TEST(a_new_length_holds_for_the_cycles_to_come),
    TEST(an_extended_cycle_is_followed_by_one_of_the_usual_length),
    TEST(a_cycle_of_a_microsecond_is_followed_by_one_of_the_usual_length),
    TEST(haste_does_not_make_a_long_duration_overflow),
    TEST(refreshing_a_duration_without_end_does_not_overflow),
    TEST(a_value_of_the_target_changes_the_duration_of_each_application),
    TEST(a_further_application_to_a_stack_has_the_changed_duration),
    TEST(a_live_duration_is_changed_again_and_never_taken_away),
    TEST(only_a_duration_in_seconds_can_be_changed),
};

TEST_GROUP(durations, tests, NULL, NULL);
