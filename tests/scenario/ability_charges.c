// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Cooldowns as charges: cycles and roll-over, levels, rates, bursts, shared records, changes from
// outside, and that every charge comes back at its microsecond however long the steps are.

#include "scenario/ability_prices.h"

static kn_cooldown_info info_of(const fixture *f, kn_ability_id ability, const char *key)
{
    kn_cooldown_info info;
    kn_tag tag = key != NULL ? kn_tag_find(f->library, key) : (kn_tag){0};
    assert_true(kn_ability_charges(f->world, ability, tag, &info));
    return info;
}

static uint32_t charges(const fixture *f, kn_ability_id ability)
{
    return info_of(f, ability, NULL).charges;
}

static kn_time wait_of(const fixture *f, kn_ability_id ability)
{
    kn_time remaining, total;
    (void)kn_ability_cooldown(f->world, ability, &remaining, &total);
    return remaining;
}

static kn_cooldown_def cycle_of(float seconds, float most)
{
    kn_cooldown_def cooldown = kn_cooldown_seconds(seconds);
    cooldown.charges = kn_constant(most);
    return cooldown;
}

static void use_times(fixture *f, kn_ability_id ability, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        assert_int_equal(use(f, ability), KN_OK);
    }
}

// A world with one ability that has one cooldown.
static kn_ability_id begin_with_cooldown(fixture *f, kn_cooldown_def cooldown)
{
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", &cooldown, 1);
    begin(f);
    return grant(f, type);
}

// Cycles --------------------------------------------------------------------

// CDC-001, CDC-002, CDC-003, CDC-004, CDC-005, CDN-015
static void charges_are_spent_by_uses_and_returned_by_cycles(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(4.0f, 3.0f));
    assert_int_equal(charges(f, dash), 3);
    use_times(f, dash, 1);
    step(f, KN_S(1));
    use_times(f, dash, 2); // neither restarts nor extends the cycle
    assert_int_equal(charges(f, dash), 0);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(3));
    assert_int_equal(info_of(f, dash, NULL).total, KN_S(4));
    assert_int_equal(use(f, dash), KN_REFUSED_COOLDOWN);
    expect_replays(f);
    step(f, KN_S(3) - 1);
    assert_int_equal(charges(f, dash), 0);
    step(f, 1);
    assert_int_equal(charges(f, dash), 1);
    step(f, KN_S(100));
    assert_int_equal(charges(f, dash), 3);
    assert_int_equal(info_of(f, dash, NULL).remaining, 0);
}

// CDC-006: one long step gives what many short ones give.
static void the_next_cycle_begins_at_the_nominal_end_of_the_last(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(0.7f, 3.0f));
    use_times(f, dash, 3);
    step(f, KN_S(1));
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_MS(400));
    step(f, KN_MS(399));
    assert_int_equal(charges(f, dash), 1);
    step(f, KN_MS(1));
    assert_int_equal(charges(f, dash), 2);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_MS(700));
}

// CDC-002, CDC-003, CDC-005
static void a_use_may_cost_several_and_a_cycle_return_several(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(2.0f, 5.0f);
    cooldown.cost = kn_constant(2.0f);
    cooldown.returned = kn_constant(3.0f);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 2);
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(check(f, dash), KN_FAIL_COOLDOWN);
    assert_int_equal(wait_of(f, dash), KN_S(2));
    step(f, KN_S(2));
    assert_int_equal(charges(f, dash), 4);
    step(f, KN_S(2));
    assert_int_equal(charges(f, dash), 5); // the surplus is lost
    step(f, KN_S(10));
    assert_int_equal(charges(f, dash), 5);
}

typedef struct moment {
    uint32_t second;
    enum { NOTHING, USED, REFUSED } use;
    uint32_t charges; // afterwards
    uint32_t end;     // of the cycle that runs afterwards, in seconds; 0: none runs
} moment;

// `most` charges, `cost` for a use, `returned` by a cycle of `seconds`; moments up to one of 0
// charges without a cycle, which cannot be.
typedef struct course {
    float most, cost, returned, seconds;
    moment moments[9];
} course;

static void play_course(const course *c)
{
    void *state;
    (void)setup(&state);
    fixture *f = state;
    kn_cooldown_def cooldown = cycle_of(c->seconds, c->most);
    cooldown.cost = kn_constant(c->cost);
    cooldown.returned = kn_constant(c->returned);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    for (uint32_t i = 0; i < 9 && (c->moments[i].charges > 0 || c->moments[i].end > 0); i++) {
        const moment *m = &c->moments[i];
        step(f, KN_S((kn_time)m->second) - kn_world_now(f->world));
        if (m->use != NOTHING) {
            assert_int_equal(use(f, dash), m->use == USED ? KN_OK : KN_REFUSED_COOLDOWN);
        }
        kn_cooldown_info info = info_of(f, dash, NULL);
        assert_int_equal(info.charges, m->charges);
        kn_time end = m->end > 0 ? KN_S((kn_time)m->end) - kn_world_now(f->world) : 0;
        assert_int_equal(info.remaining, end);
    }
    (void)teardown(&state);
}

// SAIV-060, SAIV-061, SAIV-062, SAIV-063, SAIV-064, SAIV-065
static void charges_take_their_course(void **state)
{
    (void)state;
    static const course courses[] = {
        {1, 1, 1, 12, {{0, USED, 0, 12}, {11, REFUSED, 0, 12}, {12, USED, 0, 24}}},
        {3, 1, 1, 10,
            {{0, USED, 2, 10}, {1, USED, 1, 10}, {2, USED, 0, 10}, {3, REFUSED, 0, 10},
                {10, NOTHING, 1, 20}, {20, NOTHING, 2, 30}, {30, NOTHING, 3, 0},
                {99, NOTHING, 3, 0}}},
        {2, 1, 2, 8, {{0, USED, 1, 8}, {7, USED, 0, 8}, {8, NOTHING, 2, 0}}},
        {2, 1, 2, 8, {{0, USED, 1, 8}, {8, NOTHING, 2, 0}, {16, NOTHING, 2, 0}}},
        {3, 1, 2, 10,
            {{0, USED, 2, 10}, {0, USED, 1, 10}, {0, USED, 0, 10}, {10, NOTHING, 2, 20},
                {20, NOTHING, 3, 0}}},
        {3, 2, 1, 6,
            {{0, USED, 1, 6}, {1, REFUSED, 1, 6}, {6, USED, 0, 12}, {12, NOTHING, 1, 18},
                {18, NOTHING, 2, 24}, {24, NOTHING, 3, 0}}},
    };
    for (size_t i = 0; i < sizeof(courses) / sizeof(*courses); i++) {
        play_course(&courses[i]);
    }
}

// CDN-009: a wait of several cycles is reported as a whole, with the length of all of them.
static void the_wait_for_several_charges_counts_all_cycles(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(2.0f, 4.0f);
    cooldown.cost = kn_constant(4.0f);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 1);
    step(f, KN_MS(500));
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, dash, &remaining, &total));
    assert_int_equal(remaining, KN_MS(7500));
    assert_int_equal(total, KN_S(8));
    step(f, remaining - 1);
    assert_int_equal(check(f, dash), KN_FAIL_COOLDOWN);
    step(f, 1);
    assert_int_equal(check(f, dash), 0);
}

// CDC-031
static void a_cycle_without_length_is_over_at_once(void **state)
{
    fixture *f = *state;
    kn_cooldown_def zero = cycle_of(0.0f, 3.0f), negative = cycle_of(-5.0f, 2.0f);
    kn_ability_type_id zero_type = spell_with_cooldowns(f, "Zero", &zero, 1);
    kn_ability_type_id negative_type = spell_with_cooldowns(f, "Negative", &negative, 1);
    begin(f);
    kn_ability_id one = grant(f, zero_type), other = grant(f, negative_type);
    use_times(f, one, 10);
    use_times(f, other, 10);
    assert_int_equal(charges(f, one), 3);
    assert_int_equal(charges(f, other), 2);
    assert_int_equal(info_of(f, one, NULL).remaining, 0);
    assert_true(kn_world_validate(f->world));
}

// SAIV-021: what costs no charge is free, and no cycle begins.
static void no_charges_at_all_means_never_and_no_return_means_once(void **state)
{
    fixture *f = *state;
    kn_cooldown_def none = cycle_of(1.0f, 0.0f), negative = cycle_of(1.0f, -3.0f);
    kn_cooldown_def once = cycle_of(1.0f, 1.0f), free_use = cycle_of(1.0f, 1.0f);
    once.returned = kn_constant(0.0f);
    free_use.cost = kn_constant(0.0f);
    kn_ability_type_id types[4] = {spell_with_cooldowns(f, "None", &none, 1),
        spell_with_cooldowns(f, "Negative", &negative, 1),
        spell_with_cooldowns(f, "Once", &once, 1), spell_with_cooldowns(f, "Free", &free_use, 1)};
    begin(f);
    kn_ability_id ids[4];
    for (uint32_t i = 0; i < 4; i++) {
        ids[i] = grant(f, types[i]);
    }
    assert_int_equal(check(f, ids[0]), KN_FAIL_COOLDOWN);
    assert_int_equal(check(f, ids[1]), KN_FAIL_COOLDOWN);
    expect_text(f, ids[0], "None: on cooldown");
    use_times(f, ids[2], 1);
    use_times(f, ids[3], 5);
    assert_int_equal(charges(f, ids[3]), 1);
    assert_int_equal(info_of(f, ids[3], NULL).remaining, 0);
    step(f, KN_S(10));
    assert_int_equal(check(f, ids[2]), KN_FAIL_COOLDOWN);
    expect_text(f, ids[2], "Once: on cooldown");
    assert_int_equal(charges(f, ids[3]), 1);
    assert_int_equal(kn_ability_add_charges(f->world, ids[2], (kn_tag){0}, 1), KN_OK);
    assert_int_equal(check(f, ids[2]), 0);
    expect_replays(f);
}

// Numbers of any size -------------------------------------------------------

static void numbers_out_of_all_bounds_are_held_within_them(void **state)
{
    fixture *f = *state;
    const kn_curve_point wild[] = {{1.0f, 3e38f}, {2.0f, -1.0f}};
    kn_curve_id curve = curve_of(f, "Wild", KN_CURVE_LINEAR, wild, 2);
    kn_cooldown_def cooldown = kn_cooldown_def_default();
    cooldown.duration = (kn_scalable){.value = 1e30f, .curve = curve}; // infinite by arithmetic
    cooldown.charges = (kn_scalable){.value = 1e30f, .curve = curve};
    cooldown.spacing = (kn_scalable){.value = 1e30f, .curve = curve};
    cooldown.key = tag_of(f, "Cooldown.Wild");
    kn_ability_type_id type = spell_with_cooldowns(f, "Wild", &cooldown, 1);
    begin(f);
    kn_ability_id wild_one = grant(f, type);
    assert_int_equal(info_of(f, wild_one, "Cooldown.Wild").max_charges, 1000000);
    use_times(f, wild_one, 1);
    assert_int_equal(check(f, wild_one), KN_FAIL_COOLDOWN);
    assert_true(wait_of(f, wild_one) > KN_S(1000000));
    step(f, KN_S(1000));
    expect_replays(f);
    assert_int_equal(kn_ability_scale_cooldown(f->world, wild_one, cooldown.key, 1e-9f), KN_OK);
    assert_int_equal(kn_ability_scale_cooldown(f->world, wild_one, cooldown.key, 3e38f), KN_OK);
    assert_int_equal(
        kn_ability_change_cooldown(f->world, wild_one, cooldown.key, INT64_MAX, 0), KN_OK);
    assert_int_equal(
        kn_ability_change_cooldown(f->world, wild_one, cooldown.key, INT64_MIN, INT64_MIN), KN_OK);
    assert_int_equal(kn_ability_add_charges(f->world, wild_one, cooldown.key, INT32_MIN), KN_OK);
    assert_int_equal(kn_ability_add_charges(f->world, wild_one, cooldown.key, INT32_MAX), KN_OK);
    assert_int_equal(
        kn_ability_scale_cooldown(f->world, wild_one, cooldown.key, -1.0f), KN_REFUSED_BAD_NUMBER);
    expect_replays(f);
    kn_ability_id id = wild_one;
    assert_int_equal(kn_ability_set_level(f->world, &id, 2.0f), KN_OK);
    assert_int_equal(info_of(f, id, "Cooldown.Wild").max_charges, 0);
    step(f, KN_S(1));
}

// Levels --------------------------------------------------------------------

static kn_ability_id leveled(fixture *f)
{
    const kn_curve_point most[] = {{1.0f, 2.0f}, {2.0f, 3.0f}, {3.0f, 1.0f}};
    const kn_curve_point length[] = {{1.0f, 4.0f}, {2.0f, 2.0f}, {3.0f, 1.0f}};
    kn_cooldown_def cooldown = kn_cooldown_def_default();
    cooldown.charges = by_level(curve_of(f, "Most", KN_CURVE_LINEAR, most, 3));
    cooldown.duration = by_level(curve_of(f, "Length", KN_CURVE_LINEAR, length, 3));
    return begin_with_cooldown(f, cooldown);
}

static void set_level(fixture *f, kn_ability_id *ability, float level)
{
    assert_int_equal(kn_ability_set_level(f->world, ability, level), KN_OK);
    assert_true(kn_world_validate(f->world));
}

// CDC-030: also before the first use.
static void a_raised_maximum_leaves_charges_and_starts_a_cycle(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = leveled(f);
    set_level(f, &dash, 2.0f);
    assert_int_equal(charges(f, dash), 2);
    assert_int_equal(info_of(f, dash, NULL).max_charges, 3);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(2));
    expect_replays(f);
    step(f, KN_S(2));
    assert_int_equal(charges(f, dash), 3);
}

// CDC-030
static void a_lowered_maximum_cuts_charges_and_stops_a_full_cycle(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = leveled(f);
    use_times(f, dash, 1);
    step(f, KN_S(1));
    set_level(f, &dash, 3.0f);
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).max_charges, 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, 0);
    step(f, KN_S(10));
    assert_int_equal(charges(f, dash), 1);
    set_level(f, &dash, 1.0f);
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(4));
}

// SAIV-069, CDC-030
static void a_maximum_that_comes_back_to_the_charges_stops_the_cycle(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = leveled(f);
    assert_int_equal(charges(f, dash), 2); // of 2
    set_level(f, &dash, 2.0f);
    assert_int_equal(charges(f, dash), 2); // of 3
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(2));
    step(f, KN_S(1));
    set_level(f, &dash, 1.0f);
    assert_int_equal(info_of(f, dash, NULL).max_charges, 2);
    assert_int_equal(charges(f, dash), 2);
    assert_int_equal(info_of(f, dash, NULL).remaining, 0);
    step(f, KN_S(10));
    assert_int_equal(charges(f, dash), 2);
}

// CDC-006: the running cycle keeps its length, the next has the new one.
static void a_level_changes_the_length_of_the_next_cycle(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = leveled(f);
    use_times(f, dash, 2);
    step(f, KN_S(1));
    set_level(f, &dash, 2.0f);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(3));
    step(f, KN_S(3));
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(2));
}

static void two_grants_of_one_type_have_their_own_lengths(void **state)
{
    fixture *f = *state;
    kn_ability_id low = leveled(f);
    kn_ability_info info;
    assert_true(kn_ability_get(f->world, low, &info));
    kn_ability_id high = grant_level(f, info.type, 3.0f);
    use_times(f, high, 1);
    assert_int_equal(info_of(f, high, NULL).remaining, KN_S(1));
    assert_int_equal(charges(f, low), 2);
    assert_int_equal(check(f, low), 0);
}

// Rates ---------------------------------------------------------------------

static kn_ability_id hasted(fixture *f)
{
    kn_cooldown_def cooldown = cycle_of(8.0f, 2.0f);
    cooldown.rate = f->haste;
    return begin_with_cooldown(f, cooldown);
}

// BEY-042
static void a_rate_is_followed_while_the_cycle_runs(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = hasted(f);
    set_base(f, f->hero, f->haste, 2.0f);
    use_times(f, dash, 2);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(4));
    step(f, KN_S(1)); // 2 of 8 are done
    set_base(f, f->hero, f->haste, 0.5f);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(12));
    expect_replays(f);
    step(f, KN_S(12) - 1);
    assert_int_equal(charges(f, dash), 0);
    step(f, 1);
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(16));
}

// BEY-042
static void a_cycle_that_stood_still_goes_on_where_it_stopped(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = hasted(f);
    use_times(f, dash, 2);
    step(f, KN_S(3));
    set_base(f, f->hero, f->haste, 0.0f);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_TIME_INFINITE);
    assert_int_equal(wait_of(f, dash), KN_TIME_INFINITE);
    expect_text(f, dash, "Dash: on cooldown");
    step(f, KN_S(1000));
    expect_replays(f);
    set_base(f, f->hero, f->haste, 1.0f);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(5));
    step(f, KN_S(5));
    assert_int_equal(charges(f, dash), 1);
}

// BEY-042, CDC-033: what is left of the work is shortened and scaled too.
static void a_cycle_that_stands_still_can_be_changed(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = hasted(f);
    kn_tag own = {0};
    set_base(f, f->hero, f->haste, 0.0f);
    use_times(f, dash, 1);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(2), 0), KN_OK);
    assert_int_equal(kn_ability_scale_cooldown(f->world, dash, own, 0.5f), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_TIME_INFINITE);
    set_base(f, f->hero, f->haste, 1.0f);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(3));
    set_base(f, f->hero, f->haste, 0.0f);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(9), 0), KN_OK);
    assert_int_equal(charges(f, dash), 2);
}

static void the_smallest_rate_does_not_lose_the_work(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = hasted(f);
    use_times(f, dash, 1);
    step(f, KN_S(2));
    set_base(f, f->hero, f->haste, 1e-30f);
    step(f, KN_S(5));
    set_base(f, f->hero, f->haste, 1.0f);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(6));
    set_base(f, f->hero, f->haste, 3e38f);
    step(f, 1);
    assert_int_equal(charges(f, dash), 2);
}

// BEY-042: a rate that is not there counts as 1, whenever it comes or goes.
static void a_rate_that_goes_away_counts_as_one(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = hasted(f);
    set_base(f, f->hero, f->haste, 4.0f);
    use_times(f, dash, 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(2));
    assert_int_equal(kn_attribute_set_remove(f->world, f->hero, f->set, 0), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(8));
    step(f, KN_S(4));
    expect_replays(f);
    add_set(f, f->hero, f->set);
    assert_int_equal(kn_attribute_init(f->world, f->hero, f->haste, 0, 2.0f), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(2));
}

// BEY-042: effects change the rate as anything else does.
static void an_effect_on_the_rate_is_followed(void **state)
{
    fixture *f = *state;
    kn_modifier_def faster = add_to(f->haste, 1.0f);
    kn_effect_def def = timed("Hurry", 1.0f);
    def.modifiers = &faster;
    def.modifier_count = 1;
    kn_effect_type_id hurry = effect_register(f, &def);
    kn_ability_id dash = hasted(f);
    use_times(f, dash, 1);
    afflict(f, hurry);
    step(f, KN_S(7) - 1); // 1 s at 2, the rest at 1
    assert_int_equal(charges(f, dash), 1);
    step(f, 1);
    assert_int_equal(charges(f, dash), 2);
}

// Options -------------------------------------------------------------------

// BEY-042
static void a_use_restarts_the_cycle_if_the_def_says_so(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(3.0f, 3.0f);
    cooldown.restart_on_use = true;
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 1);
    step(f, KN_S(2));
    use_times(f, dash, 1);
    step(f, KN_S(3) - 1);
    assert_int_equal(charges(f, dash), 1);
    step(f, 1);
    assert_int_equal(charges(f, dash), 2);
}

// BEY-042
static void uses_of_a_burst_keep_their_spacing(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(10.0f, 3.0f);
    cooldown.spacing = kn_constant(0.5f);
    cooldown.all_after_idle = true;
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 1);
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, dash, &remaining, &total));
    assert_int_equal(remaining, KN_MS(500));
    assert_int_equal(total, KN_MS(500));
    assert_int_equal(use(f, dash), KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_ability_status(f->world, dash), KN_FAIL_COOLDOWN);
    expect_replays(f);
    step(f, KN_MS(500));
    assert_int_equal(kn_ability_status(f->world, dash), 0);
    use_times(f, dash, 1);
    step(f, KN_MS(500));
    use_times(f, dash, 1); // the last of the burst: the long wait
    assert_int_equal(wait_of(f, dash), KN_S(10));
    step(f, KN_S(10));
    assert_int_equal(charges(f, dash), 3);
}

// As long as charges are left: after the last one only the cycle is waited for, however short.
static void spacing_ends_with_the_charges(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(1.0f, 2.0f);
    cooldown.spacing = kn_constant(3.0f);
    cooldown.cost = kn_constant(1.0f);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 1); // one is left
    assert_int_equal(wait_of(f, dash), KN_S(3));
    step(f, KN_S(3) - 1);
    assert_int_equal(use(f, dash), KN_REFUSED_COOLDOWN);
    step(f, 1);
    assert_int_equal(kn_ability_add_charges(f->world, dash, (kn_tag){0}, -1), KN_OK);
    use_times(f, dash, 1); // none is left
    assert_int_equal(charges(f, dash), 0);
    assert_int_equal(wait_of(f, dash), info_of(f, dash, NULL).remaining);
    assert_true(wait_of(f, dash) <= KN_S(1));
    step(f, KN_S(1));
    assert_int_equal(use(f, dash), KN_OK);
}

// BEY-042, CDN-009: spacing and missing charges are waited for at once, the longer of them counts.
static void a_use_waits_for_the_longer_of_spacing_and_charges(void **state)
{
    fixture *f = *state;
    kn_cooldown_def dear = cycle_of(10.0f, 3.0f), slow = cycle_of(1.0f, 3.0f);
    dear.cost = slow.cost = kn_constant(2.0f);
    dear.spacing = kn_constant(0.5f);
    slow.spacing = kn_constant(4.0f);
    kn_ability_type_id dear_type = spell_with_cooldowns(f, "Dear", &dear, 1);
    kn_ability_type_id slow_type = spell_with_cooldowns(f, "Slow", &slow, 1);
    begin(f);
    kn_ability_id ids[2] = {grant(f, dear_type), grant(f, slow_type)};
    use_times(f, ids[0], 1);
    use_times(f, ids[1], 1);
    step(f, KN_MS(250));
    kn_time remaining, total;
    assert_true(kn_ability_cooldown(f->world, ids[0], &remaining, &total));
    assert_int_equal(remaining, KN_MS(9750));
    assert_int_equal(total, KN_S(10));
    assert_true(kn_ability_cooldown(f->world, ids[1], &remaining, &total));
    assert_int_equal(remaining, KN_MS(3750));
    assert_int_equal(total, KN_S(4));
    step(f, KN_MS(3750) - 1);
    assert_int_equal(check(f, ids[1]), KN_FAIL_COOLDOWN);
    step(f, 1);
    assert_int_equal(check(f, ids[1]), 0);
    assert_int_equal(wait_of(f, ids[1]), 0);
    assert_int_equal(check(f, ids[0]), KN_FAIL_COOLDOWN);
    assert_int_equal(wait_of(f, ids[0]), KN_S(6));
    step(f, KN_S(6));
    assert_int_equal(check(f, ids[0]), 0);
}

// BEY-042
static void all_charges_come_back_after_idling(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(2.0f, 4.0f);
    cooldown.all_after_idle = true;
    cooldown.cost = kn_constant(3.0f);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 1);
    assert_int_equal(wait_of(f, dash), KN_S(2)); // not a cycle for each charge
    step(f, KN_S(1));
    assert_int_equal(kn_ability_add_charges(f->world, dash, (kn_tag){0}, 2), KN_OK);
    use_times(f, dash, 1); // idling starts again
    step(f, KN_S(2) - 1);
    assert_int_equal(charges(f, dash), 0);
    step(f, 1);
    assert_int_equal(charges(f, dash), 4);
}

// BEY-042, MAP-040: ready when none is left, and all of them can be read.
static void own_and_shared_cooldowns_run_side_by_side(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldowns[2] = {kn_cooldown_seconds(8.0f), kn_cooldown_seconds(1.5f)};
    cooldowns[1].key = tag_of(f, "Cooldown.Global");
    kn_ability_type_id meteor_type = spell_with_cooldowns(f, "Meteor", cooldowns, 2);
    kn_ability_type_id bolt_type = spell_with_cooldowns(f, "Bolt", &cooldowns[1], 1);
    begin(f);
    kn_ability_id meteor = grant(f, meteor_type), bolt = grant(f, bolt_type);
    use_times(f, meteor, 1);
    assert_int_equal(check(f, bolt), KN_FAIL_COOLDOWN);
    assert_int_equal(wait_of(f, bolt), KN_MS(1500));
    kn_cooldown_info infos[3];
    assert_int_equal(kn_ability_cooldowns(f->world, meteor, infos, 3), 2);
    assert_int_equal(infos[0].key.index1, 0);
    assert_int_equal(infos[0].remaining, KN_S(8));
    assert_int_equal(infos[1].key.index1, cooldowns[1].key.index1);
    assert_int_equal(infos[1].remaining, KN_MS(1500));
    expect_replays(f);
    step(f, KN_MS(500));
    assert_int_equal(kn_ability_cooldowns(f->world, meteor, infos, 3), 2);
    assert_true(infos[0].remaining == KN_MS(7500) && infos[0].total == KN_S(8));
    assert_true(infos[1].remaining == KN_S(1) && infos[1].total == KN_MS(1500));
    step(f, KN_S(1));
    assert_int_equal(check(f, bolt), 0);
    assert_int_equal(wait_of(f, meteor), KN_MS(6500));
    use_times(f, bolt, 1);
    assert_int_equal(check(f, meteor), KN_FAIL_COOLDOWN);
}

static void an_ability_may_have_many_cooldowns(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldowns[24];
    char names[24][16];
    for (uint32_t i = 0; i < 24; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "Key.K%u", i);
        cooldowns[i] = kn_cooldown_seconds(1.0f + (float)i);
        cooldowns[i].key = tag_of(f, names[i]);
    }
    kn_ability_type_id type = spell_with_cooldowns(f, "Orchestra", cooldowns, 24);
    begin(f);
    kn_ability_id ability = grant(f, type);
    use_times(f, ability, 1);
    assert_int_equal(wait_of(f, ability), KN_S(24));
    assert_int_equal(info_of(f, ability, "Key.K23").remaining, KN_S(24));
    assert_int_equal(kn_ability_explain(f->world, ability, NULL, NULL, 0), 24);
    expect_replays(f);
}

// Changes from outside ------------------------------------------------------

// CDC-033
static void charges_are_added_removed_and_reset_within_bounds(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(4.0f, 3.0f));
    kn_tag own = {0};
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, -2), KN_OK);
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(4));
    step(f, KN_S(1));
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, 1), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(3)); // the cycle runs on
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, -10), KN_OK);
    assert_int_equal(charges(f, dash), 0);
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, 10), KN_OK);
    assert_int_equal(charges(f, dash), 3);
    assert_int_equal(info_of(f, dash, NULL).remaining, 0);
    use_times(f, dash, 3);
    assert_int_equal(kn_ability_reset_cooldown(f->world, dash, own), KN_OK);
    assert_int_equal(charges(f, dash), 3);
    step(f, KN_S(20)); // no entry of the old cycles does anything
    assert_int_equal(charges(f, dash), 3);
}

// CDC-033, BEY-042
static void the_running_cycle_is_shortened_extended_and_scaled(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(10.0f, 2.0f));
    kn_tag own = {0};
    use_times(f, dash, 2);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, KN_S(2), 0), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(12));
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(20), KN_S(3)), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(3));
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(1), KN_S(5)), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(3)); // a floor never lengthens
    assert_int_equal(kn_ability_scale_cooldown(f->world, dash, own, 0.5f), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_MS(1500));
    expect_replays(f);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(2), 0), KN_OK);
    assert_int_equal(charges(f, dash), 1); // over, and half a second of the next
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_MS(9500));
    assert_int_equal(kn_ability_scale_cooldown(f->world, dash, own, 0.0f), KN_OK);
    assert_int_equal(charges(f, dash), 2);
    step(f, KN_S(30));
    assert_int_equal(charges(f, dash), 2);
}

// CDC-033
static void what_is_taken_beyond_a_cycle_is_taken_from_the_next(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(10.0f, 3.0f));
    kn_tag own = {0};
    step(f, KN_S(20));
    use_times(f, dash, 3);
    step(f, KN_S(6)); // 4 to go
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(16), 0), KN_OK);
    assert_int_equal(charges(f, dash), 2);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(8));
    assert_int_equal(info_of(f, dash, NULL).total, KN_S(10));
    expect_replays(f);
    // Exactly to its end: the last charge comes, and there is no cycle.
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(8), 0), KN_OK);
    assert_int_equal(charges(f, dash), 3);
    assert_int_equal(info_of(f, dash, NULL).remaining, 0);

    use_times(f, dash, 3);
    // Exactly two cycles: the next begins whole.
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(20), 0), KN_OK);
    assert_int_equal(charges(f, dash), 2);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(10));
    // Longer than a cycle, and from there beyond it again.
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, -2), KN_OK);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, KN_S(15), 0), KN_OK);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(25));
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(27), 0), KN_OK);
    assert_int_equal(charges(f, dash), 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(8));
    // What is left when no charge is missing any more is lost.
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(1000), 0), KN_OK);
    assert_int_equal(charges(f, dash), 3);
    use_times(f, dash, 1);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(10));
    step(f, KN_S(10));
    assert_int_equal(charges(f, dash), 3);
}

// For an ability with room for fewer charges, no cycle of the shared record runs that could change.
static void a_cycle_that_others_wait_for_is_not_changed_by_one_that_is_full(void **state)
{
    fixture *f = *state;
    kn_tag key = tag_of(f, "Cooldown.Shared");
    kn_cooldown_def wide = cycle_of(10.0f, 2.0f), narrow = cycle_of(10.0f, 1.0f);
    wide.key = narrow.key = key;
    kn_ability_type_id types[2] = {
        spell_with_cooldowns(f, "Wide", &wide, 1), spell_with_cooldowns(f, "Narrow", &narrow, 1)};
    begin(f);
    kn_ability_id two = grant(f, types[0]), one_only = grant(f, types[1]);
    use_times(f, two, 2);
    step(f, KN_S(13)); // one charge, 7 s to go
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(
        kn_ability_change_cooldown(f->world, one_only, key, -KN_S(1), 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_ability_scale_cooldown(f->world, one_only, key, 0.5f), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_world_hash(f->world), hash);
    assert_int_equal(kn_ability_change_cooldown(f->world, two, key, -KN_S(1), 0), KN_OK);
    step(f, KN_S(6));
    kn_cooldown_info info;
    assert_true(kn_ability_charges(f->world, two, key, &info));
    assert_int_equal(info.charges, 2);
    // Without a charge, it runs for both.
    use_times(f, two, 2);
    assert_int_equal(kn_ability_change_cooldown(f->world, one_only, key, -KN_S(4), 0), KN_OK);
    step(f, KN_S(6));
    use_times(f, one_only, 1);
}

// CDC-033, BEY-042
static void carrying_over_goes_by_rates_and_by_what_a_cycle_returns(void **state)
{
    fixture *f = *state;
    kn_cooldown_def fast = cycle_of(12.0f, 4.0f), slow = cycle_of(10.0f, 7.0f);
    fast.rate = f->haste;
    slow.returned = kn_constant(2.0f);
    kn_cooldown_def idle = cycle_of(10.0f, 3.0f);
    idle.all_after_idle = true;
    kn_ability_type_id types[3] = {spell_with_cooldowns(f, "Fast", &fast, 1),
        spell_with_cooldowns(f, "Slow", &slow, 1), spell_with_cooldowns(f, "Idle", &idle, 1)};
    begin(f);
    kn_ability_id ids[3];
    for (uint32_t i = 0; i < 3; i++) {
        ids[i] = grant(f, types[i]);
    }
    kn_tag own = {0};
    set_base(f, f->hero, f->haste, 2.0f); // 6 s a cycle
    use_times(f, ids[0], 4);
    use_times(f, ids[1], 7);
    use_times(f, ids[2], 3);
    step(f, KN_S(4)); // 2, 6 and 6 s to go
    assert_int_equal(kn_ability_change_cooldown(f->world, ids[0], own, -KN_S(9), 0), KN_OK);
    assert_int_equal(charges(f, ids[0]), 2);
    assert_int_equal(info_of(f, ids[0], NULL).remaining, KN_S(5));
    assert_int_equal(kn_ability_change_cooldown(f->world, ids[1], own, -KN_S(17), 0), KN_OK);
    assert_int_equal(charges(f, ids[1]), 4);
    assert_int_equal(info_of(f, ids[1], NULL).remaining, KN_S(9));
    assert_int_equal(kn_ability_change_cooldown(f->world, ids[2], own, -KN_S(7), 0), KN_OK);
    assert_int_equal(charges(f, ids[2]), 3);
    assert_int_equal(info_of(f, ids[2], NULL).remaining, 0);
    // At a standstill it is work that is taken: 10 s are left of 12.
    set_base(f, f->hero, f->haste, 0.0f);
    assert_int_equal(kn_ability_change_cooldown(f->world, ids[0], own, -KN_S(13), 0), KN_OK);
    assert_int_equal(charges(f, ids[0]), 3);
    assert_int_equal(info_of(f, ids[0], NULL).remaining, KN_TIME_INFINITE);
    expect_replays(f);
    set_base(f, f->hero, f->haste, 1.0f);
    assert_int_equal(info_of(f, ids[0], NULL).remaining, KN_S(9));
    set_base(f, f->hero, f->haste, 0.0f);
    assert_int_equal(kn_ability_change_cooldown(f->world, ids[0], own, -KN_S(30), 0), KN_OK);
    assert_int_equal(charges(f, ids[0]), 4);
    assert_int_equal(info_of(f, ids[0], NULL).remaining, 0);
}

static void a_refused_change_leaves_the_world_as_it_was(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(4.0f, 3.0f));
    kn_tag own = {0}, foreign = kn_ability_fail_tag(f->library, KN_FAIL_DEAD);
    uint64_t before = kn_world_hash(f->world);
    assert_int_equal(
        kn_ability_change_cooldown(f->world, dash, own, -KN_S(1), 0), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_scale_cooldown(f->world, dash, own, 0.5f), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_add_charges(f->world, dash, foreign, 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_ability_reset_cooldown(f->world, dash, foreign), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_world_hash(f->world), before);
    assert_int_equal(kn_ability_remove(f->world, dash, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, 1), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, 1, 0), KN_REFUSED_STALE_ID);
    kn_cooldown_info info;
    assert_false(kn_ability_charges(f->world, dash, own, &info));
    assert_int_equal(kn_ability_cooldowns(f->world, dash, NULL, 0), 0);
}

// CDC-033: by a use, by each of the calls, and by the end of a cycle.
static void every_change_of_charges_is_told(void **state)
{
    fixture *f = *state;
    kn_ability_id dash = begin_with_cooldown(f, cycle_of(1.0f, 2.0f));
    kn_tag own = {0};
    use_times(f, dash, 1);
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, 1), KN_OK);
    use_times(f, dash, 2);
    assert_int_equal(kn_ability_reset_cooldown(f->world, dash, own), KN_OK);
    use_times(f, dash, 1);
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, -1), KN_OK);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, KN_S(1), 0), KN_OK);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, -KN_S(1), 0), KN_OK);
    assert_int_equal(kn_ability_scale_cooldown(f->world, dash, own, 0.5f), KN_OK);
    step(f, KN_S(3));
    const kn_time never = KN_TIME_INFINITE;
    const uint32_t expected[] = {1, 2, 1, 0, 2, 1, 0, 0, 0, 0, 1, 2};
    const kn_time ends[] = {KN_S(1), never, KN_S(1), KN_S(1), never, KN_S(1), KN_S(1), KN_S(2),
        KN_S(1), KN_MS(500), KN_MS(1500), never};
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_CHARGES) {
            assert_in_range(count, 0, 11);
            assert_int_equal(events.data[i].data.charges.charges, expected[count]);
            assert_int_equal(events.data[i].data.charges.end, ends[count]);
            assert_true(kn_ability_id_equal(events.data[i].data.charges.ability, dash));
            count++;
        }
    }
    assert_int_equal(count, 12);
}

// Shared records ------------------------------------------------------------

// CDC-034, MAP-040: removing one of the two leaves the record and its cycle, with its length.
static void a_shared_cooldown_survives_the_ability_that_used_it(void **state)
{
    fixture *f = *state;
    const kn_curve_point length[] = {{1.0f, 1.0f}, {5.0f, 5.0f}};
    kn_cooldown_def shared = cycle_of(1.0f, 2.0f);
    shared.duration = by_level(curve_of(f, "Length", KN_CURVE_LINEAR, length, 2));
    shared.key = tag_of(f, "Cooldown.Potion");
    kn_ability_type_id red_type = spell_with_cooldowns(f, "Red", &shared, 1);
    kn_ability_type_id blue_type = spell_with_cooldowns(f, "Blue", &shared, 1);
    begin(f);
    kn_ability_id red = grant_level(f, red_type, 4.0f), blue = grant(f, blue_type);
    kn_ability_id others = grant_to(f, f->foe, blue_type); // of the same key, on another entity
    use_times(f, red, 2);
    assert_int_equal(check(f, blue), KN_FAIL_COOLDOWN);
    assert_int_equal(check(f, others), 0);
    assert_int_equal(info_of(f, others, "Cooldown.Potion").charges, 2);
    use_times(f, others, 1);
    assert_int_equal(info_of(f, blue, "Cooldown.Potion").charges, 0);
    assert_int_equal(info_of(f, others, "Cooldown.Potion").remaining, KN_S(1));
    assert_int_equal(kn_ability_remove(f->world, red, KN_GRANT_CANCEL), KN_OK);
    assert_int_equal(check(f, blue), KN_FAIL_COOLDOWN);
    expect_replays(f);
    step(f, KN_S(4));
    assert_int_equal(info_of(f, blue, "Cooldown.Potion").charges, 1);
    assert_int_equal(info_of(f, blue, "Cooldown.Potion").remaining, KN_S(4));
    assert_int_equal(kn_ability_remove(f->world, blue, KN_GRANT_CANCEL), KN_OK);
    step(f, KN_S(4));
    kn_time remaining, total;
    kn_tags key = {&shared.key, 1};
    assert_false(kn_cooldown_remaining(f->world, f->hero, key, &remaining, &total));
    kn_ability_id again = grant(f, red_type);
    assert_int_equal(info_of(f, again, "Cooldown.Potion").charges, 2);
}

static kn_result channel(const kn_ability_call *call)
{
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_wait_delay(call->world, call->activation, 1, KN_S(3)) : result;
}

static void channel_done(const kn_ability_call *call, const kn_task_result *result)
{
    (void)result;
    note(call->user, "channelled. ");
}

static void note_removed(const kn_ability_call *call)
{
    note(call->user, "%s removed. ", ability_name(call));
}

// USE-053: what is running is cancelled first, nothing of it comes later, and a cooldown of its own
// is forgotten while a shared one is not.
static void an_ability_removed_while_it_runs_is_cancelled_first(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldowns[2] = {cycle_of(4.0f, 1.0f), cycle_of(9.0f, 1.0f)};
    cooldowns[1].key = tag_of(f, "Cooldown.Shared");
    kn_ability_def def = ability_def(f, "Beam");
    def.activate = channel;
    def.task_done = channel_done;
    def.removed = note_removed;
    def.cooldowns = cooldowns;
    def.cooldown_count = 2;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    kn_ability_id beam = grant(f, type);
    kn_ability_grant_def other_def = kn_ability_grant_def_default();
    other_def.type = type;
    kn_ability_id other; // of the same record
    assert_int_equal(kn_ability_grant(f->world, f->hero, &other_def, &other), KN_OK);
    kn_activation_id running = activate(f, beam);
    step(f, KN_S(1));
    assert_int_equal(kn_ability_remove(f->world, beam, KN_GRANT_CANCEL), KN_OK);
    EXPECT_LOG(f, "Beam: removed. Beam removed. ");
    assert_false(kn_activation_is_alive(f->world, running));
    assert_int_equal(kn_task_count(f->world), 0);
    kn_ability_id again = grant(f, type);
    assert_int_equal(info_of(f, again, NULL).charges, 1);
    assert_int_equal(info_of(f, again, "Cooldown.Shared").charges, 0);
    assert_int_equal(info_of(f, again, "Cooldown.Shared").remaining, KN_S(8));
    step(f, KN_S(5));
    EXPECT_LOG(f, "");
}

// USE-053: what is an ability's own is forgotten with it.
static void an_ability_granted_again_begins_with_full_charges(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(4.0f, 2.0f);
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", &cooldown, 1);
    begin(f);
    kn_ability_id dash = grant(f, type);
    use_times(f, dash, 2);
    assert_int_equal(kn_ability_remove(f->world, dash, KN_GRANT_CANCEL), KN_OK);
    kn_ability_id again = grant(f, type);
    assert_int_equal(charges(f, again), 2);
    step(f, KN_S(1));
    use_times(f, again, 1);
    step(f, KN_S(3)); // when the old cycle would have ended
    assert_int_equal(charges(f, again), 1);
    step(f, KN_S(1));
    assert_int_equal(charges(f, again), 2);
}

// CDC-003, CDC-034: each ability asks for its own price of the shared charges.
static void abilities_of_one_record_may_cost_differently(void **state)
{
    fixture *f = *state;
    kn_cooldown_def small = cycle_of(2.0f, 3.0f), big = cycle_of(2.0f, 3.0f);
    small.key = big.key = tag_of(f, "Cooldown.Ammo");
    big.cost = kn_constant(3.0f);
    kn_ability_type_id shot_type = spell_with_cooldowns(f, "Shot", &small, 1);
    kn_ability_type_id salvo_type = spell_with_cooldowns(f, "Salvo", &big, 1);
    begin(f);
    kn_ability_id shot = grant(f, shot_type), salvo = grant(f, salvo_type);
    use_times(f, shot, 2);
    assert_int_equal(check(f, shot), 0);
    assert_int_equal(check(f, salvo), KN_FAIL_COOLDOWN);
    assert_int_equal(wait_of(f, salvo), KN_S(4));
    kn_refusal_line line;
    assert_int_equal(kn_ability_explain(f->world, salvo, NULL, &line, 1), 1);
    assert_true(line.have == 1.0f && line.need == 3.0f);
    assert_int_equal(line.remaining, KN_S(4));
}

// MAP-041, MAP-070: the tag is there while a use cannot be paid, not while a cycle merely runs.
static void the_key_is_a_tag_exactly_while_charges_are_missing(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(2.0f, 2.0f);
    cooldown.key = tag_of(f, "Cooldown.Dash");
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 1);
    assert_false(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    use_times(f, dash, 1);
    assert_true(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    step(f, KN_S(2) - 1);
    assert_true(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    step(f, 1);
    assert_false(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    use_times(f, dash, 1);
    expect_replays(f);
    assert_int_equal(kn_ability_reset_cooldown(f->world, dash, cooldown.key), KN_OK);
    assert_int_equal(kn_entity_tag_count(f->world, f->hero, cooldown.key), 0);
    // Who gives the tag does not matter to the ability, however many charges it has.
    add_tag(f, f->hero, cooldown.key);
    assert_int_equal(use(f, dash), KN_REFUSED_COOLDOWN);
    assert_int_equal(info_of(f, dash, "Cooldown.Dash").charges, 2);
    remove_tag(f, f->hero, cooldown.key);
    assert_int_equal(use(f, dash), KN_OK);
}

// MAP-041: "missing" is measured by the price of a use, not by an empty record.
static void the_key_is_a_tag_while_there_are_fewer_charges_than_a_use_costs(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(2.0f, 5.0f);
    cooldown.cost = kn_constant(2.0f);
    cooldown.key = tag_of(f, "Cooldown.Salvo");
    kn_ability_id salvo = begin_with_cooldown(f, cooldown);
    use_times(f, salvo, 1);
    assert_false(kn_entity_has_tag(f->world, f->hero, cooldown.key)); // 3 of 5
    use_times(f, salvo, 1);
    assert_int_equal(info_of(f, salvo, "Cooldown.Salvo").charges, 1);
    assert_true(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    assert_false(kn_entity_has_tag(f->world, f->foe, cooldown.key));
    step(f, KN_S(2) - 1);
    assert_true(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    step(f, 1);
    assert_int_equal(info_of(f, salvo, "Cooldown.Salvo").charges, 2);
    assert_false(kn_entity_has_tag(f->world, f->hero, cooldown.key));
    use_times(f, salvo, 1);
    expect_replays(f);
}

// CDC-006, MODF-015: the length runs through a value, once for each cycle.
static void the_length_runs_through_a_value_of_the_owner(void **state)
{
    fixture *f = *state;
    kn_value_def value = kn_value_def_default();
    value.name = "CooldownLength";
    kn_cooldown_def cooldown = cycle_of(10.0f, 2.0f);
    assert_int_equal(kn_value_register(f->library, &value, &cooldown.value, NULL), KN_OK);
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = cooldown.value;
    modifier.op = KN_OP_MULTIPLY;
    modifier.magnitude = kn_magnitude_constant(0.5f);
    kn_effect_type_id shorter = effect_of(f, "Shorter", KN_DURATION_INFINITE, &modifier, 1);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    use_times(f, dash, 2);
    afflict(f, shorter);
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(10));
    step(f, KN_S(10));
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(5));
}

// Ends ----------------------------------------------------------------------

static void an_owner_destroyed_in_mid_cycle_takes_all_along(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldowns[2] = {cycle_of(2.0f, 2.0f), cycle_of(3.0f, 1.0f)};
    cooldowns[0].rate = f->haste;
    cooldowns[1].key = tag_of(f, "Cooldown.Shared");
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", cooldowns, 2);
    begin(f);
    kn_ability_id dash = grant(f, type);
    use_times(f, dash, 1);
    step(f, KN_S(1));
    assert_true(kn_entity_destroy(f->world, f->hero));
    assert_false(kn_ability_is_alive(f->world, dash));
    assert_true(kn_world_validate(f->world));
    assert_int_equal(kn_entity_create(f->world, &f->hero), KN_OK);
    add_set(f, f->hero, f->set);
    kn_ability_id again = grant(f, type);
    assert_int_equal(check(f, again), 0);
    use_times(f, again, 1);
    step(f, KN_MS(1500)); // past the ends of the old cycles
    assert_int_equal(charges(f, again), 1);
    expect_replays(f);
    step(f, KN_S(2));
    assert_int_equal(charges(f, again), 2);
}

// More than the world allows of reactions in one step: each of them still gets its charge.
static void any_number_of_cycles_may_end_at_one_time(void **state)
{
    fixture *f = *state;
    kn_cooldown_def cooldown = cycle_of(1.0f, 1.0f);
    kn_ability_type_id type = spell_with_cooldowns(f, "Dash", &cooldown, 1);
    kn_world_def def = kn_world_def_default();
    def.reaction_limit = 4;
    begin_with(f, def);
    kn_ability_id dashes[12];
    for (uint32_t i = 0; i < 12; i++) {
        dashes[i] = grant(f, type);
        use_times(f, dashes[i], 1);
    }
    step(f, KN_S(1));
    for (uint32_t i = 0; i < 12; i++) {
        assert_int_equal(charges(f, dashes[i]), 1);
    }
}

// Timers at one time --------------------------------------------------------

// A rule that meddles with the first ability of the entity, from a timer of its own.
static void meddle(fixture *f, kn_world *world, kn_entity_id entity)
{
    kn_ability_id ability;
    if (kn_abilities_find(world, entity, NULL, &ability, 1) == 0) {
        return;
    }
    kn_cooldown_info info;
    assert_true(kn_ability_charges(world, ability, (kn_tag){0}, &info));
    note(f, "%d: %u charges, %s. ", (int)(kn_world_now(world) / 1000), info.charges,
        kn_ability_status(world, ability) == 0 ? "ready" : "not ready");
    assert_int_equal(kn_ability_status(world, ability), kn_ability_check(world, ability, NULL));
    (void)kn_ability_activate(world, ability, NULL, NULL);
    assert_int_equal(kn_ability_status(world, ability), kn_ability_check(world, ability, NULL));
}

static void meddle_when_tagged(void *user, kn_world *world, const kn_reaction *reaction)
{
    meddle(user, world, reaction->entity);
}

// An effect applied before the ability is used ends at the same time as its spacing or cycle: the
// rule it wakes sees the moment before, once, and nothing is scheduled twice.
static void what_happens_at_the_same_time_comes_in_order_of_creation(void **state)
{
    fixture *f = *state;
    kn_rule_def rule = kn_rule_def_default();
    rule.trigger = KN_TRIGGER_TAG_REMOVED;
    rule.function = meddle_when_tagged;
    rule.user = f;
    const char *const bombs[] = {"Bomb", "Mine"};
    for (uint32_t i = 0; i < 2; i++) {
        kn_rule_id id;
        rule.name = bombs[i];
        rule.tag = tag_of(f, bombs[i]);
        assert_int_equal(kn_rule_register(f->library, &rule, &id, NULL), KN_OK);
    }
    kn_effect_type_id first = tag_effect(f, "First", "Bomb", 0.5f);
    kn_effect_type_id second = tag_effect(f, "Second", "Mine", 2.0f);
    kn_cooldown_def cooldown = cycle_of(2.0f, 3.0f);
    cooldown.spacing = kn_constant(0.5f);
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    afflict(f, first);
    afflict(f, second);
    use_times(f, dash, 1);
    step(f, KN_MS(500));
    EXPECT_LOG(f, "500: 2 charges, not ready. "); // the spacing ends after the effect
    assert_int_equal(check(f, dash), 0);
    step(f, KN_MS(1500));
    EXPECT_LOG(f, "2000: 2 charges, ready. ");
    assert_int_equal(charges(f, dash), 2); // used before the cycle ended, and one came back
    assert_int_equal(info_of(f, dash, NULL).remaining, KN_S(2));
    assert_int_equal(wait_of(f, dash), KN_MS(500));
    expect_replays(f);
}

// Whatever is done to a cycle, one entry waits for its end, and none when there is no cycle.
// A hero whose only ability has one cooldown: what waits is its cycle.
static void expect_timers(const fixture *f, uint32_t count)
{
    assert_int_equal(kn_world_get_stats(f->world).timers, count);
}

static void a_cycle_has_one_timer_whatever_happens_to_it(void **state)
{
    fixture *f = *state;
    const kn_curve_point most[] = {{1.0f, 4.0f}, {2.0f, 6.0f}};
    kn_tag own = {0};
    kn_cooldown_def cooldown = cycle_of(10.0f, 1.0f);
    cooldown.charges = by_level(curve_of(f, "Most", KN_CURVE_LINEAR, most, 2));
    cooldown.rate = f->haste;
    kn_ability_id dash = begin_with_cooldown(f, cooldown);
    expect_timers(f, 0);
    use_times(f, dash, 1);
    expect_timers(f, 1);
    use_times(f, dash, 1); // the cycle continues
    expect_timers(f, 1);
    assert_int_equal(kn_ability_add_charges(f->world, dash, own, 1), KN_OK);
    expect_timers(f, 1);
    assert_int_equal(kn_ability_change_cooldown(f->world, dash, own, KN_S(3), 0), KN_OK);
    expect_timers(f, 1);
    set_base(f, f->hero, f->haste, 0.5f);
    expect_timers(f, 1);
    set_level(f, &dash, 2.0f);
    expect_timers(f, 1);
    assert_int_equal(kn_ability_reset_cooldown(f->world, dash, own), KN_OK);
    expect_timers(f, 0);
    use_times(f, dash, 1);
    expect_timers(f, 1);
    assert_int_equal(kn_ability_remove(f->world, dash, KN_GRANT_CANCEL), KN_OK);
    expect_timers(f, 0);
}

// At every rate of steps ----------------------------------------------------

enum { PARTY = 6 };

static uint32_t random_next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

typedef struct party {
    kn_ability_type_id types[3];
    kn_entity_id members[PARTY];
    kn_ability_id abilities[PARTY][3];
    kn_tag key;
} party;

static void party_types(fixture *f, party *p)
{
    const kn_curve_point most[] = {{1.0f, 1.0f}, {4.0f, 4.0f}};
    kn_cooldown_def plain = cycle_of(1.3f, 2.0f), hasty = cycle_of(0.9f, 3.0f);
    kn_cooldown_def burst[2] = {cycle_of(2.1f, 3.0f), cycle_of(0.35f, 1.0f)};
    plain.charges = by_level(curve_of(f, "Most", KN_CURVE_LINEAR, most, 2));
    hasty.rate = f->haste;
    hasty.returned = kn_constant(2.0f);
    burst[0].spacing = kn_constant(0.2f);
    burst[0].all_after_idle = true;
    burst[1].key = p->key = tag_of(f, "Cooldown.Global");
    p->types[0] = spell_with_cooldowns(f, "Plain", &plain, 1);
    p->types[1] = spell_with_cooldowns(f, "Hasty", &hasty, 1);
    p->types[2] = spell_with_cooldowns(f, "Burst", burst, 2);
}

static void party_join(fixture *f, party *p, uint32_t member)
{
    assert_int_equal(kn_entity_create(f->world, &p->members[member]), KN_OK);
    add_set(f, p->members[member], f->set);
    for (uint32_t i = 0; i < 3; i++) {
        kn_ability_grant_def def = kn_ability_grant_def_default();
        def.type = p->types[i];
        assert_int_equal(
            kn_ability_grant(f->world, p->members[member], &def, &p->abilities[member][i]), KN_OK);
    }
}

// One thing out of all that may happen to charges.
static void party_act(fixture *f, party *p, uint32_t *seed)
{
    static const float rates[] = {0.0f, 0.5f, 1.0f, 1.7f, 3.0f, 0.01f};
    uint32_t what = random_next(seed) % 40, member = random_next(seed) % PARTY;
    kn_ability_id *ability = &p->abilities[member][random_next(seed) % 3];
    uint32_t number = random_next(seed);
    kn_tag key = number % 5 == 0 ? p->key : (kn_tag){0};
    if (what < 20) {
        (void)kn_ability_activate(f->world, *ability, NULL, NULL);
    } else if (what < 24) {
        set_base(f, p->members[member], f->haste, rates[number % 6]);
    } else if (what < 27) {
        (void)kn_ability_add_charges(f->world, *ability, key, (int32_t)(number % 5) - 2);
    } else if (what < 29) {
        (void)kn_ability_reset_cooldown(f->world, *ability, key);
    } else if (what < 32) {
        kn_time delta = (kn_time)(number % 900001) - 450000;
        (void)kn_ability_change_cooldown(f->world, *ability, key, delta, KN_MS(50));
    } else if (what < 34) {
        (void)kn_ability_scale_cooldown(f->world, *ability, key, (float)(number % 5) * 0.4f);
    } else if (what < 37) {
        assert_int_equal(
            kn_ability_set_level(f->world, ability, 1.0f + (float)(number % 4)), KN_OK);
    } else if (what < 39) {
        kn_ability_info info;
        assert_true(kn_ability_get(f->world, *ability, &info));
        assert_int_equal(kn_ability_remove(f->world, *ability, KN_GRANT_CANCEL), KN_OK);
        kn_ability_grant_def def = kn_ability_grant_def_default();
        def.type = info.type;
        assert_int_equal(kn_ability_grant(f->world, p->members[member], &def, ability), KN_OK);
    } else {
        assert_true(kn_entity_destroy(f->world, p->members[member]));
        party_join(f, p, member);
    }
}

// Makes the same calls at the same times, with steps of one length in between.
static uint64_t party_play(
    fixture *f, const kn_world_def *def, const party *template, kn_time dt, uint32_t deeds)
{
    party p = *template;
    uint32_t seed = 12345;
    kn_world_destroy(f->world);
    assert_int_equal(kn_world_create(def, &f->world), KN_OK);
    for (uint32_t i = 0; i < PARTY; i++) {
        party_join(f, &p, i);
    }
    kn_time now = 0;
    for (uint32_t i = 0; i < deeds; i++) {
        now += random_next(&seed) % 4 == 0 ? 0 : (kn_time)(random_next(&seed) % 90001);
        step_until(f, now, dt);
        party_act(f, &p, &seed);
    }
    step_until(f, now + KN_S(2), dt);
    assert_true(kn_world_validate(f->world));
    return kn_world_hash(f->world);
}

// CDC-006: the length of a step does not show in the result.
static void random_deeds_give_the_same_at_30_60_and_144_hertz(void **state)
{
    fixture *f = *state;
    party p = {0};
    party_types(f, &p);
    begin(f);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    uint64_t slow = party_play(f, &def, &p, 33333, 1500);
    assert_int_equal(party_play(f, &def, &p, 16667, 1500), slow);
    assert_int_equal(party_play(f, &def, &p, 6944, 1500), slow);
    assert_int_equal(party_play(f, &def, &p, KN_S(3600), 1500), slow);
    f->hero = p.members[0];
    expect_replays(f);
}

static const struct CMUnitTest tests[] = {
    TEST(charges_are_spent_by_uses_and_returned_by_cycles),
    TEST(the_next_cycle_begins_at_the_nominal_end_of_the_last),
    TEST(a_use_may_cost_several_and_a_cycle_return_several),
    cmocka_unit_test(charges_take_their_course),
    TEST(the_wait_for_several_charges_counts_all_cycles),
    TEST(a_cycle_without_length_is_over_at_once),
    TEST(no_charges_at_all_means_never_and_no_return_means_once),
    TEST(numbers_out_of_all_bounds_are_held_within_them),
    TEST(a_raised_maximum_leaves_charges_and_starts_a_cycle),
    TEST(a_lowered_maximum_cuts_charges_and_stops_a_full_cycle),
    TEST(a_maximum_that_comes_back_to_the_charges_stops_the_cycle),
    TEST(a_level_changes_the_length_of_the_next_cycle),
    TEST(two_grants_of_one_type_have_their_own_lengths),
    TEST(a_rate_is_followed_while_the_cycle_runs),
    TEST(a_cycle_that_stood_still_goes_on_where_it_stopped),
    TEST(a_cycle_that_stands_still_can_be_changed),
    TEST(the_smallest_rate_does_not_lose_the_work),
    TEST(a_rate_that_goes_away_counts_as_one),
    TEST(an_effect_on_the_rate_is_followed),
    TEST(a_use_restarts_the_cycle_if_the_def_says_so),
    TEST(uses_of_a_burst_keep_their_spacing),
    TEST(spacing_ends_with_the_charges),
    TEST(a_use_waits_for_the_longer_of_spacing_and_charges),
    TEST(all_charges_come_back_after_idling),
    TEST(own_and_shared_cooldowns_run_side_by_side),
    TEST(an_ability_may_have_many_cooldowns),
    TEST(charges_are_added_removed_and_reset_within_bounds),
    TEST(the_running_cycle_is_shortened_extended_and_scaled),
    TEST(what_is_taken_beyond_a_cycle_is_taken_from_the_next),
    TEST(a_cycle_that_others_wait_for_is_not_changed_by_one_that_is_full),
    TEST(carrying_over_goes_by_rates_and_by_what_a_cycle_returns),
    TEST(a_refused_change_leaves_the_world_as_it_was),
    TEST(every_change_of_charges_is_told),
    TEST(a_shared_cooldown_survives_the_ability_that_used_it),
    TEST(an_ability_removed_while_it_runs_is_cancelled_first),
    TEST(an_ability_granted_again_begins_with_full_charges),
    TEST(abilities_of_one_record_may_cost_differently),
    TEST(the_key_is_a_tag_exactly_while_charges_are_missing),
    TEST(the_key_is_a_tag_while_there_are_fewer_charges_than_a_use_costs),
    TEST(the_length_runs_through_a_value_of_the_owner),
    TEST(an_owner_destroyed_in_mid_cycle_takes_all_along),
    TEST(any_number_of_cycles_may_end_at_one_time),
    TEST(a_cycle_has_one_timer_whatever_happens_to_it),
    TEST(what_happens_at_the_same_time_comes_in_order_of_creation),
    TEST(random_deeds_give_the_same_at_30_60_and_144_hertz),
};

TEST_GROUP(ability_charges, tests, NULL, NULL);
