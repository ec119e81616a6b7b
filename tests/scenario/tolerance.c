// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Uses of cooldowns that come a little too early: what is tolerated, what is booked, and what is
// refused in the end.

#define FIXTURE_OWN                                                                                \
    kn_ability_id ability;                                                                         \
    kn_tag key;

#include "scenario/ability_fixture.h"

// An ability of a number of charges, each restored in a number of seconds, with a shared key.
static void begin_shots(fixture *f, float charges, float seconds)
{
    f->key = tag_of(f, "Cooldown.Shot");
    kn_cooldown_def cooldown = kn_cooldown_seconds(seconds);
    cooldown.charges.value = charges;
    cooldown.key = f->key;
    kn_ability_def def = kn_ability_def_default();
    def.name = "Shot";
    def.body = KN_BODY_USE;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    kn_ability_type_id type = ability_register(f, &def);
    begin(f);
    f->ability = grant(f, type);
}

static void tolerate(fixture *f, kn_time early, kn_time limit)
{
    kn_tolerance tolerance = {early, limit};
    assert_int_equal(kn_entity_set_tolerance(f->world, f->hero, tolerance), KN_OK);
}

static void go_to(fixture *f, kn_time time)
{
    step(f, time - kn_world_now(f->world));
}

// Tries a use at a time, and says how it went.
static kn_result shoot(fixture *f, kn_time time)
{
    go_to(f, time);
    bool is_ready = kn_ability_check(f->world, f->ability, NULL) == 0;
    assert_int_equal(kn_ability_status(f->world, f->ability) == 0, is_ready);
    kn_result result = kn_ability_activate(f->world, f->ability, NULL, NULL);
    assert_int_equal(result == KN_OK, is_ready);
    return result;
}

static kn_time cycle_end(const fixture *f)
{
    kn_cooldown_info info;
    assert_true(kn_ability_charges(f->world, f->ability, f->key, &info));
    return info.remaining == 0 ? 0 : kn_world_now(f->world) + info.remaining;
}

static uint32_t early_events(const fixture *f)
{
    kn_events events = kn_world_events(f->world);
    uint32_t count = 0;
    for (uint32_t i = 0; i < events.count; i++) {
        count += events.data[i].type == KN_EVENT_EARLY_USE &&
                 events.data[i].data.charges.key.index1 == f->key.index1;
    }
    return count;
}

// SAIV-071, CDC-032, GCD-017, MAP-045: 8 s, ping 0.2 s, a tolerance of 0.04 s, the first use at
// 0.1.
static void a_use_within_the_tolerance_borrows_the_charge(void **state)
{
    static const struct {
        kn_time second;
        kn_result expected;
    } cases[] = {
        {KN_MS(8100), KN_OK},
        {KN_MS(8070), KN_OK},
        {KN_MS(8060), KN_OK},
        {KN_MS(8060) - 1, KN_REFUSED_COOLDOWN},
        {KN_MS(8050), KN_REFUSED_COOLDOWN},
    };
    fixture *f = *state;
    begin_shots(f, 1.0f, 8.0f);
    kn_tolerance tolerance = kn_tolerance_of(KN_MS(200), KN_TOLERANCE_FACTOR, KN_TOLERANCE_CAP);
    assert_int_equal(tolerance.early, KN_MS(40));
    assert_int_equal(tolerance.limit, KN_MS(100));
    tolerate(f, tolerance.early, tolerance.limit);
    size_t size;
    void *begin = snapshot_of(f->world, &size);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        snapshot_restore(f->world, begin, size);
        assert_int_equal(shoot(f, KN_MS(100)), KN_OK);
        assert_int_equal(cycle_end(f), KN_MS(8100));
        assert_int_equal(shoot(f, cases[i].second), cases[i].expected);
        if (cases[i].expected == KN_OK) {
            go_to(f, KN_MS(8100));
            assert_int_equal(cycle_end(f), KN_MS(16100)); // in all accepted cases
            assert_true(kn_entity_has_tag(f->world, f->hero, f->key));
            go_to(f, KN_MS(16100));
            assert_int_equal(cycle_end(f), 0);
            assert_false(kn_entity_has_tag(f->world, f->hero, f->key));
        } else {
            go_to(f, KN_MS(8100));
            assert_int_equal(cycle_end(f), 0);
        }
    }
    free(begin);
}

// SAIV-070, TVA-043, CDN-014: as early as possible, again and again: one every ten seconds.
static void the_rate_of_uses_does_not_rise(void **state)
{
    fixture *f = *state;
    begin_shots(f, 1.0f, 10.0f);
    tolerate(f, KN_MS(40), KN_MS(100));
    kn_time at[21];
    uint32_t count = 0;
    for (kn_time now = 0; count < 21; now += KN_MS(10)) {
        go_to(f, now);
        if (kn_ability_check(f->world, f->ability, NULL) == 0) {
            assert_int_equal(shoot(f, now), KN_OK);
            at[count++] = now;
        }
    }
    for (uint32_t i = 1; i < 21; i++) {
        assert_true(at[i] - at[i - 1] >= KN_S(10) - KN_MS(40));
    }
    assert_int_equal(at[20] - at[0], 20 * KN_S(10) - KN_MS(40)); // gained once, and never again
}

static void only_one_charge_is_borrowed_at_a_time(void **state)
{
    fixture *f = *state;
    begin_shots(f, 1.0f, 1.0f);
    tolerate(f, KN_MS(400), KN_S(9));
    assert_int_equal(shoot(f, 0), KN_OK);
    assert_int_equal(shoot(f, KN_MS(700)), KN_OK);
    assert_int_equal(shoot(f, KN_MS(900)), KN_REFUSED_COOLDOWN);
    assert_int_equal(shoot(f, KN_MS(1100)), KN_REFUSED_COOLDOWN); // the next cycle ends at 2 s
    assert_int_equal(shoot(f, KN_MS(1600)), KN_OK);
    go_to(f, KN_S(2));
    assert_int_equal(cycle_end(f), KN_S(3));
}

// CDC-032: a cycle that follows a borrowed charge counts as started by a use, a plain roll-over
// does not.
static void a_roll_over_has_no_tolerance(void **state)
{
    fixture *f = *state;
    begin_shots(f, 2.0f, 1.0f);
    tolerate(f, KN_MS(100), KN_S(9));
    assert_int_equal(shoot(f, 0), KN_OK);
    assert_int_equal(shoot(f, KN_MS(100)), KN_OK);
    assert_int_equal(shoot(f, KN_MS(950)), KN_OK); // of the first cycle, which a use started
    assert_int_equal(shoot(f, KN_MS(1950)), KN_OK);
    go_to(f, KN_MS(3500)); // a charge at 3 s, and the next cycle rolls over
    assert_int_equal(cycle_end(f), KN_S(4));
    assert_int_equal(shoot(f, KN_MS(3500)), KN_OK);
    assert_int_equal(shoot(f, KN_MS(3950)), KN_REFUSED_COOLDOWN);
    assert_int_equal(shoot(f, KN_S(4)), KN_OK);
}

// GCD-018: E = max(0, E + L - s). What is above the limit is refused, and published.
static void uses_that_add_up_to_too_much_are_refused(void **state)
{
    fixture *f = *state;
    begin_shots(f, 1.0f, 1.0f);
    tolerate(f, KN_MS(80), KN_MS(50));
    assert_int_equal(shoot(f, 0), KN_OK);
    assert_int_equal(shoot(f, KN_MS(970)), KN_OK);                // E = 30
    assert_int_equal(shoot(f, KN_MS(1940)), KN_REFUSED_COOLDOWN); // E would be 60
    step(f, 0);
    assert_int_equal(early_events(f), 1);
    assert_int_equal(shoot(f, KN_MS(1949)), KN_REFUSED_COOLDOWN); // 51
    assert_int_equal(shoot(f, KN_MS(1950)), KN_OK);               // 50
    step(f, 0);
    assert_int_equal(early_events(f), 0);
    assert_int_equal(shoot(f, KN_MS(2900)), KN_REFUSED_COOLDOWN); // before the tolerance: no event
    step(f, 0);
    assert_int_equal(early_events(f), 0);
    assert_int_equal(shoot(f, KN_MS(3200)), KN_OK); // late: all is forgiven
    assert_int_equal(shoot(f, KN_MS(4150)), KN_OK);
}

// GCD-018: honest traffic keeps E below the variation of the delay.
static void a_ledger_accepts_honest_lines(void **state)
{
    (void)state;
    const kn_time length = KN_MS(1500);
    kn_ledger ledger = {0};
    for (uint32_t i = 0; i < 100; i++) {
        kn_time jitter = KN_MS(20) * (kn_time)(i * 7 % 3); // 0 to 40 ms
        assert_true(kn_ledger_use(&ledger, (kn_time)i * length + jitter, length, KN_MS(50)));
        assert_true(ledger.early <= KN_MS(40));
    }
}

// SAIV-050: length 1.5, ping 0.1, spacing 1.48 each. GCD-018: what a cheat gains is bounded.
static void a_ledger_bounds_what_a_cheat_gains(void **state)
{
    (void)state;
    const kn_time length = KN_MS(1500), spacing = KN_MS(1480);
    kn_time limit = kn_tolerance_of(KN_MS(100), KN_TOLERANCE_FACTOR, KN_TOLERANCE_CAP).limit;
    kn_ledger ledger = {0};
    assert_true(kn_ledger_use(&ledger, 0, length, limit));
    assert_true(kn_ledger_use(&ledger, spacing, length, limit));
    assert_int_equal(ledger.early, KN_MS(20));
    assert_true(kn_ledger_use(&ledger, 2 * spacing, length, limit));
    assert_int_equal(ledger.early, KN_MS(40));
    kn_ledger before = ledger;
    assert_int_equal(kn_ledger_early(&ledger, 3 * spacing), KN_MS(60));
    assert_false(kn_ledger_use(&ledger, 3 * spacing, length, limit));
    assert_memory_equal(&before, &ledger, sizeof(ledger)); // what is refused is not booked
    kn_time now = 3 * spacing;
    for (uint32_t i = 3; i < 100; i++) { // as soon as it is accepted
        while (!kn_ledger_use(&ledger, now, length, limit)) {
            now += KN_MS(1);
        }
        now += spacing;
    }
    assert_int_equal(ledger.used, 99 * length - limit);
    assert_int_equal(kn_ledger_early(&ledger, ledger.used + length + limit), 0);
}

// GCD-021: a client does not widen its window by answering late.
static void a_tolerance_follows_the_round_trip_up_to_a_cap(void **state)
{
    (void)state;
    kn_tolerance t = kn_tolerance_of(KN_S(5), KN_TOLERANCE_FACTOR, KN_TOLERANCE_CAP);
    assert_int_equal(t.early, KN_MS(60));
    assert_int_equal(t.limit, KN_MS(150));
    t = kn_tolerance_of(KN_MS(20), KN_TOLERANCE_FACTOR, KN_TOLERANCE_CAP);
    assert_int_equal(t.early, KN_MS(4));
    assert_int_equal(t.limit, KN_MS(30)); // at least
    t = kn_tolerance_of(0, KN_TOLERANCE_FACTOR, KN_TOLERANCE_CAP);
    assert_int_equal(t.early + t.limit, 0);
    t = kn_tolerance_of(KN_MS(100), 0.0f, KN_TOLERANCE_CAP);
    assert_int_equal(t.early + t.limit, 0);
}

static void without_a_tolerance_nothing_is_early_and_nothing_is_noted(void **state)
{
    fixture *f = *state;
    begin_shots(f, 1.0f, 1.0f);
    assert_int_equal(shoot(f, 0), KN_OK);
    uint64_t hash = kn_world_hash(f->world);
    tolerate(f, KN_MS(100), KN_MS(100));
    assert_int_not_equal(kn_world_hash(f->world), hash); // it is state
    assert_int_equal(kn_entity_tolerance(f->world, f->hero).early, KN_MS(100));
    // The cycle that runs was started before: nothing can be borrowed of it.
    assert_int_equal(shoot(f, KN_MS(950)), KN_REFUSED_COOLDOWN);
    tolerate(f, 0, 0);
    assert_int_equal(shoot(f, KN_S(1)), KN_OK);
    assert_int_equal(shoot(f, KN_MS(1999)), KN_REFUSED_COOLDOWN);
    kn_entity_id nobody = {0};
    kn_tolerance bad = {-1, 0}, large = {0, KN_TIME_INFINITE}, good = {0, 0};
    assert_int_equal(kn_entity_set_tolerance(f->world, f->hero, bad), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_entity_set_tolerance(f->world, f->hero, large), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_entity_set_tolerance(f->world, nobody, good), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_entity_tolerance(f->world, nobody).early, 0);
    assert_int_equal(kn_entity_tolerance(NULL, f->hero).early, 0);
}

static void a_borrowed_charge_is_state(void **state)
{
    fixture *f = *state;
    begin_shots(f, 1.0f, 1.0f);
    tolerate(f, KN_MS(100), KN_MS(100));
    assert_int_equal(shoot(f, 0), KN_OK);
    kn_world *other = world_of(f, kn_world_def_default());
    const kn_time times[] = {KN_MS(500), KN_MS(950)}; // before it can be borrowed, and borrowed
    for (uint32_t i = 0; i < 2; i++) {
        go_to(f, times[i]);
        if (i == 1) {
            assert_int_equal(shoot(f, times[i]), KN_OK);
        }
        size_t size;
        void *save = save_of(f->world, &size);
        save_load(other, save, size);
        free(save);
        assert_same_worlds(f->world, other);
        kn_world *first = f->world;
        f->world = other;
        assert_int_equal(cycle_end(f), KN_S(1));
        go_to(f, KN_MS(960));
        assert_int_equal(kn_ability_status(f->world, f->ability) == 0, i == 0);
        go_to(f, KN_MS(1500));
        assert_int_equal(cycle_end(f), i == 0 ? 0 : KN_S(2));
        f->world = first;
    }
    // What ends the cycle ends the debt.
    assert_int_equal(kn_ability_reset_cooldown(f->world, f->ability, f->key), KN_OK);
    assert_true(kn_world_validate(f->world));
    assert_int_equal(shoot(f, KN_MS(950)), KN_OK);
    assert_int_equal(cycle_end(f), KN_MS(1950));
    kn_world_destroy(other);
}

static const struct CMUnitTest tests[] = {
    TEST(a_use_within_the_tolerance_borrows_the_charge),
    TEST(the_rate_of_uses_does_not_rise),
    TEST(only_one_charge_is_borrowed_at_a_time),
    TEST(a_roll_over_has_no_tolerance),
    TEST(uses_that_add_up_to_too_much_are_refused),
    TEST(a_ledger_accepts_honest_lines),
    TEST(a_ledger_bounds_what_a_cheat_gains),
    TEST(a_tolerance_follows_the_round_trip_up_to_a_cap),
    TEST(without_a_tolerance_nothing_is_early_and_nothing_is_noted),
    TEST(a_borrowed_charge_is_state),
};

TEST_GROUP(tolerance, tests, NULL, NULL);
