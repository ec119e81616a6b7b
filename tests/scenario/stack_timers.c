// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Stacks that each end in their own time.

#include "scenario/effect_fixture.h"

static kn_effect_def own_timers(fixture *f, const char *name, float seconds, float limit)
{
    static kn_modifier_def modifier; // copied by registration
    modifier = kn_modifier_constant(f->power, KN_OP_ADD, 10.0f);
    kn_effect_def def = timed(name, seconds);
    def.stacking.kind = KN_STACK_BY_TARGET;
    def.stacking.limit = kn_constant(limit);
    def.stacking.own_timers = true;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return def;
}

static kn_result apply_for(fixture *f, kn_effect_type_id type, kn_entity_id source, double seconds)
{
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = type;
    request.target = f->foe;
    request.source = source;
    request.duration = kn_time_from_seconds(seconds);
    return kn_effect_apply(f->world, &request, NULL);
}

// BEY-004
static void each_stack_ends_after_its_own_duration(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, poison); // ends at 10
    step_seconds(f, 3);
    apply(f, poison); // 13
    step_seconds(f, 3);
    apply(f, poison); // 16
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    assert_near(current(f, f->power), 40.0f);

    step_seconds(f, 3.5); // 9.5
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    step_seconds(f, 0.5); // 10
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    assert_near(current(f, f->power), 30.0f);
    step_seconds(f, 3); // 13
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    step_seconds(f, 3); // 16
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->power), 10.0f);
}

// BEY-004, BEY-029
static void a_stack_that_ends_is_told_with_the_reason(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    apply(f, poison);
    step_seconds(f, 5);
    apply(f, poison);
    step_seconds(f, 5);

    const kn_event *event = last_event(f, KN_EVENT_EFFECT_STACKS);
    assert_non_null(event);
    assert_int_equal(event->data.effect.old_count, 2);
    assert_int_equal(event->data.effect.count, 1);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_EXPIRED);
    step_seconds(f, 5);
    event = last_event(f, KN_EVENT_EFFECT_REMOVED);
    assert_non_null(event);
    assert_int_equal(event->data.effect.reason, KN_REMOVED_EXPIRED);
}

// BEY-004
static void at_the_cap_the_oldest_stack_makes_room_by_default(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 2);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    assert_int_equal(apply_for(f, poison, f->hero, 30), KN_OK); // the oldest
    step_seconds(f, 1);
    assert_int_equal(apply_for(f, poison, f->hero, 5), KN_OK); // ends at 6
    step_seconds(f, 1);
    assert_int_equal(apply_for(f, poison, f->hero, 10), KN_OK); // ends at 12

    assert_near(current(f, f->power), 30.0f);
    step_seconds(f, 4); // 6
    assert_near(current(f, f->power), 20.0f);
    step_seconds(f, 6); // 12
    assert_near(current(f, f->power), 10.0f);
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
}

// BEY-004
static void at_the_cap_the_stack_that_ends_first_may_make_room(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 2);
    def.stacking.at_cap = KN_STACK_CAP_REPLACE_FIRST_ENDING;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    assert_int_equal(apply_for(f, poison, f->hero, 30), KN_OK);
    step_seconds(f, 1);
    assert_int_equal(apply_for(f, poison, f->hero, 5), KN_OK); // replaced
    step_seconds(f, 1);
    assert_int_equal(apply_for(f, poison, f->hero, 10), KN_OK); // ends at 12

    step_seconds(f, 9.5); // 11.5
    assert_near(current(f, f->power), 30.0f);
    step_seconds(f, 0.5); // 12
    assert_near(current(f, f->power), 20.0f);
    step_seconds(f, 18); // 30
    assert_near(current(f, f->power), 10.0f);
}

// BEY-004, BEY-008
static void at_the_cap_a_newcomer_may_be_refused(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 2);
    def.stacking.at_cap = KN_STACK_CAP_REFUSE;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    step_seconds(f, 1);
    apply(f, poison);
    step_seconds(f, 1);

    assert_int_equal(try_apply_from(f, poison, f->hero, 5.0f), KN_REFUSED_STACK_DENIED);

    kn_effect_info info;
    assert_true(kn_effect_get(f->world, effect, &info));
    assert_int_equal(info.stacks, 2);
    assert_near(info.level, 1.0f);
    step_seconds(f, 0);
    assert_int_equal(effect_event_count(f, KN_EVENT_EFFECT_STACK_DENIED, poison), 1);
    step_seconds(f, 8); // 10: the first ends in its own time, and there is room
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    apply(f, poison);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
}

// BEY-004
static void caps_hold_per_source_and_in_total(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 3);
    def.stacking.limit_per_source = kn_constant(2);
    def.stacking.at_cap = KN_STACK_CAP_REFUSE;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);

    kn_effect_id effect = apply(f, poison);
    apply(f, poison);
    assert_int_equal(try_apply(f, poison), KN_REFUSED_STACK_DENIED);
    apply_from(f, poison, f->ally);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    assert_int_equal(try_apply_from(f, poison, f->ally, 1.0f), KN_REFUSED_STACK_DENIED);
    assert_int_equal(kn_effects_count(f->world, f->foe), 1);
}

// BEY-004
static void a_source_at_its_cap_replaces_only_its_own_stacks(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    def.stacking.limit_per_source = kn_constant(1);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply_from(f, poison, f->ally); // ends at 10
    step_seconds(f, 2);
    apply(f, poison); // ends at 12
    step_seconds(f, 2);
    apply(f, poison); // replaces its own: ends at 14

    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    step_seconds(f, 6); // 10
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    step_seconds(f, 2); // 12: nothing ends
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    step_seconds(f, 2); // 14
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-004
static void a_common_timer_since_the_last_application_ends_all_stacks_together(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    def.stacking.common_timer = true;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = {0};
    assert_int_equal(apply_for(f, poison, f->hero, 30), KN_OK); // own end at 30
    step_seconds(f, 2);
    effect = apply(f, poison); // common end at 12
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);

    step_seconds(f, 9.5); // 11.5
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    step_seconds(f, 0.5); // 12
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-004
static void the_common_timer_has_a_length_of_its_own(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "ByDef", 3, 0);
    def.stacking.common_timer = true;
    kn_effect_type_id by_def = effect_register(f, &def);
    def = own_timers(f, "Own", 4, 0);
    def.stacking.common_timer = true;
    def.stacking.common_duration = kn_constant(3.0f);
    kn_effect_type_id own = effect_register(f, &def);
    begin(f);
    // 4 s each and 3 s since the last: at 0, 2 and 4 s.
    const float powers[] = {30.0f, 50.0f, 50.0f, 30.0f, 10.0f}; // at 1, 3, 5, 6 and 7 s
    const double steps[] = {1, 2, 2, 1, 1};
    for (uint32_t i = 0; i < 5; i++) {
        if (i < 3) {
            assert_int_equal(apply_for(f, by_def, f->hero, 4), KN_OK);
            apply(f, own);
        }
        if (i < 2) {
            step_seconds(f, steps[i] / (i == 0 ? 1 : 2)); // 1, 3
            assert_near(current(f, f->power), powers[i]);
            step_seconds(f, 1); // 2, 4
        } else {
            step_seconds(f, steps[i] / (i == 2 ? 2 : 1)); // 5, 6, 7
            assert_near(current(f, f->power), powers[i]);
        }
    }
    assert_int_equal(kn_effects_count(f->world, f->foe), 0);
    // The common timer may be the first to end from the start.
    kn_effect_id first = apply(f, own);
    assert_int_equal(kn_effect_remaining(f->world, first), KN_S(3));
    step_seconds(f, 3);
    assert_false(kn_effect_is_alive(f->world, first));
}

static kn_result apply_for_ever(fixture *f, kn_effect_type_id type, kn_entity_id source)
{
    kn_effect_apply_def request = kn_effect_apply_def_default();
    request.type = type;
    request.target = f->foe;
    request.source = source;
    request.duration = KN_TIME_INFINITE;
    return kn_effect_apply(f->world, &request, NULL);
}

static void reload(fixture *f)
{
    size_t size = 0;
    void *bytes = save_of(f->world, &size);
    uint64_t hash = kn_world_hash(f->world);
    save_load(f->world, bytes, size);
    assert_true(kn_world_hash(f->world) == hash);
    free(bytes);
}

// BEY-004
static void permanent_and_timed_stacks_share_one_cap(void **state)
{
    fixture *f = *state;
    const kn_stack_cap caps[] = {
        KN_STACK_CAP_REPLACE_OLDEST, KN_STACK_CAP_REPLACE_FIRST_ENDING, KN_STACK_CAP_REFUSE};
    const char *names[] = {"Oldest", "First", "Refuse"};
    kn_effect_type_id types[3];
    for (uint32_t i = 0; i < 3; i++) {
        kn_effect_def def = own_timers(f, names[i], 1, 2);
        def.stacking.at_cap = caps[i];
        types[i] = effect_register(f, &def);
    }
    kn_effect_def plain = timed("Plain", 5);
    kn_effect_type_id without = effect_register(f, &plain);
    begin(f);
    assert_int_equal(apply_for_ever(f, without, f->hero), KN_REFUSED_BAD_NUMBER);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(apply_for_ever(f, types[i], f->hero), KN_OK);
        kn_effect_id effect = apply(f, types[i]); // at the cap, ends in 1 s
        assert_int_equal(kn_effect_stacks(f->world, effect), 2);
        assert_int_equal(kn_effect_remaining(f->world, effect), KN_TIME_INFINITE);
        // A further timed one takes the place of the timed one, though the other is older.
        assert_int_equal(
            apply_for(f, types[i], f->ally, 3), i == 2 ? KN_REFUSED_STACK_DENIED : KN_OK);
        reload(f);
        step_seconds(f, 2);
        assert_int_equal(kn_effect_stacks(f->world, effect), i == 2 ? 1 : 2);
        step_seconds(f, 1);
        assert_int_equal(kn_effect_stacks(f->world, effect), 1);
        assert_int_equal(kn_effect_remaining(f->world, effect), KN_TIME_INFINITE);
        reload(f);
        step_seconds(f, 100);
        // Two for ever: a timed one is refused, one for ever takes the place of the oldest.
        assert_int_equal(apply_for_ever(f, types[i], f->ally), KN_OK);
        assert_int_equal(apply_for(f, types[i], f->ally, 10), KN_REFUSED_STACK_DENIED);
        assert_int_equal(
            apply_for_ever(f, types[i], f->ally), i == 2 ? KN_REFUSED_STACK_DENIED : KN_OK);
        assert_int_equal(kn_effect_stacks(f->world, effect), 2);
        remove_effect(f, effect);
    }
}

// BEY-004, BEY-002
static void removing_stacks_leaves_the_times_of_the_others(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    step_seconds(f, 2);
    apply(f, poison);
    step_seconds(f, 2);
    apply(f, poison); // ends: 10, 12, 14

    assert_int_equal(kn_effect_remove(f->world, effect, 1, KN_REMOVED_DISPELLED), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    assert_near(current(f, f->power), 30.0f);
    step_seconds(f, 8); // 12
    assert_int_equal(kn_effect_stacks(f->world, effect), 1);
    step_seconds(f, 2); // 14
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-004, STK-010
static void clearing_on_overflow_also_works_with_own_timers(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 2);
    def.stacking.deny_overflow = true;
    def.stacking.clear_on_overflow = true;
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    apply(f, poison);

    assert_int_equal(try_apply(f, poison), KN_REFUSED_STACK_DENIED);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->power), 10.0f);
}

// BEY-004
static void several_stacks_at_once_share_one_end(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 4);
    def.stacking.initial = kn_constant(3);
    def.stacking.per_application = kn_constant(2);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    step_seconds(f, 4);
    apply(f, poison); // one finds room, one replaces
    assert_int_equal(kn_effect_stacks(f->world, effect), 4);
    step_seconds(f, 6);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    step_seconds(f, 4);
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-004
static void a_count_can_be_lowered_but_not_raised_without_times(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    step_seconds(f, 2);
    apply(f, poison);
    apply(f, poison);

    assert_int_equal(kn_effect_set_stacks(f->world, effect, 5), KN_REFUSED_LIMIT);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    assert_int_equal(kn_effect_set_stacks(f->world, effect, 2), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    assert_near(current(f, f->power), 30.0f);
    step_seconds(f, 10);
    assert_false(kn_effect_is_alive(f->world, effect));
    assert_near(current(f, f->power), 10.0f);
}

// BEY-004
static void granted_tags_stay_until_the_last_stack_ends(void **state)
{
    fixture *f = *state;
    kn_tag poisoned = tag_of(f, "State.Poisoned");
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    def.granted_tags = (kn_tags){&poisoned, 1};
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    apply(f, poison);
    step_seconds(f, 4);
    apply(f, poison);
    step_seconds(f, 5); // stacks end at 10 and 14

    assert_true(kn_entity_has_tag(f->world, f->foe, poisoned));
    step_seconds(f, 3);
    assert_true(kn_entity_has_tag(f->world, f->foe, poisoned));
    step_seconds(f, 2);
    assert_false(kn_entity_has_tag(f->world, f->foe, poisoned));
}

// BEY-001, BEY-004
static void a_restarting_newcomer_begins_with_its_own_stacks_and_times(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 5);
    def.stacking.on_higher_level = KN_STACK_RESTART;
    def.stacking.initial = kn_constant(2);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    apply(f, poison);
    assert_int_equal(kn_effect_stacks(f->world, effect), 3);
    step_seconds(f, 4);
    assert_int_equal(kn_effect_apply_simple(f->world, poison, f->ally, f->foe, 2.0f, NULL), KN_OK);
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    step_seconds(f, 6); // 10: the old ones would have ended
    assert_int_equal(kn_effect_stacks(f->world, effect), 2);
    step_seconds(f, 4); // 14
    assert_false(kn_effect_is_alive(f->world, effect));
}

// BEY-004, DUR-004
static void stacks_with_their_own_timers_have_no_common_time_to_change(void **state)
{
    fixture *f = *state;
    kn_effect_def def = own_timers(f, "Poison", 10, 0);
    kn_effect_type_id poison = effect_register(f, &def);
    begin(f);
    kn_effect_id effect = apply(f, poison);
    assert_int_equal(kn_effect_set_remaining(f->world, effect, KN_S(1)), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_effect_add_remaining(f->world, effect, KN_S(1), -1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_effect_scale_remaining(f->world, effect, 0.5f), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_effect_set_total(f->world, effect, KN_S(1)), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_effect_restart(f->world, effect, KN_S(1)), KN_REFUSED_NOT_FOUND);
    step_seconds(f, 9.999);
    assert_true(kn_effect_is_alive(f->world, effect));
    step_seconds(f, 0.001);
    assert_false(kn_effect_is_alive(f->world, effect));
}

static const struct CMUnitTest tests[] = {
    TEST(each_stack_ends_after_its_own_duration),
    TEST(a_stack_that_ends_is_told_with_the_reason),
    TEST(at_the_cap_the_oldest_stack_makes_room_by_default),
    TEST(at_the_cap_the_stack_that_ends_first_may_make_room),
    TEST(at_the_cap_a_newcomer_may_be_refused),
    TEST(caps_hold_per_source_and_in_total),
    TEST(a_source_at_its_cap_replaces_only_its_own_stacks),
    TEST(a_common_timer_since_the_last_application_ends_all_stacks_together),
    TEST(the_common_timer_has_a_length_of_its_own),
    TEST(permanent_and_timed_stacks_share_one_cap),
    TEST(removing_stacks_leaves_the_times_of_the_others),
    TEST(clearing_on_overflow_also_works_with_own_timers),
    TEST(several_stacks_at_once_share_one_end),
    TEST(a_count_can_be_lowered_but_not_raised_without_times),
    TEST(a_restarting_newcomer_begins_with_its_own_stacks_and_times),
    TEST(stacks_with_their_own_timers_have_no_common_time_to_change),
    TEST(granted_tags_stay_until_the_last_stack_ends),
};

TEST_GROUP(stack_timers, tests, NULL, NULL);
