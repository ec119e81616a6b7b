// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Automatic orders that something wakes, instead of a look from time to time.

#include "order_test.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

typedef struct guard {
    script *stop, *hold, *attack;
    kn_tag alarm, horn, other;
} guard;

static kn_order_auto autos[1];
static kn_tag hostile[1], of_unit[1], of_order[1];

// A soldier who attacks by itself when it hears an alarm; the order type adds a horn.
static guard guard_add(fixture *f)
{
    guard g = {.stop = type_add(f, "S"), .hold = type_add(f, "H"), .attack = type_add(f, "K")};
    g.alarm = of_unit[0] = tag_named(f, "Event.Alarm");
    g.horn = of_order[0] = tag_named(f, "Event.Horn");
    g.other = tag_named(f, "Event.Other");
    hostile[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    g.stop->def.allows_auto = true;
    g.attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    g.attack->def.tags.target_required = (kn_tags){hostile, 1};
    g.attack->def.auto_for_ai = true;
    g.attack->def.auto_for_players = true;
    g.attack->def.auto_wakes = (kn_tags){of_order, 1};
    f->unit_def.acquisition_radius = 100;
    f->unit_def.auto_interval = 0;
    f->unit_def.auto_wakes = (kn_tags){of_unit, 1};
    f->unit_def.auto_delay = KN_MS(40);
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 1;
    autos[0] = (kn_order_auto){{3}, -1, 0}; // types are numbered as they were added
    return g;
}

static void steps(fixture *f, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        step(f);
    }
}

// The foe is far away; the look at the beginning is over.
static void guard_begin(fixture *f, guard *g)
{
    begin_with(f, kn_world_def_default());
    place(f, f->unit, 0, 0);
    place(f, f->foe, 500, 0);
    place(f, f->rival, 900, 0);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(g->attack->asked, 0);
    steps(f, 5);
    assert_int_equal(g->attack->asked, 1); // it looks once when it begins
}

static void send(fixture *f, kn_entity_id to, kn_tag tag)
{
    assert_int_equal(kn_event_send(f->world, to, tag, NULL), KN_OK);
}

// ORD-413: units that nothing wakes do not look, and those that something wakes look once
static void tags_and_events_wake_a_unit(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    steps(f, 300);
    assert_int_equal(g.attack->asked, 1); // it is not polled

    send(f, f->unit, g.alarm);
    step(f);
    assert_int_equal(g.attack->asked, 1); // not at once: after at least half of the delay
    steps(f, 4);
    assert_int_equal(g.attack->asked, 2);
    gain(f, f->unit, g.alarm);
    steps(f, 5);
    assert_int_equal(g.attack->asked, 3);
    lose(f, f->unit, g.alarm);
    steps(f, 5);
    assert_int_equal(g.attack->asked, 4);
    send(f, f->unit, g.horn); // as its order type says
    steps(f, 5);
    assert_int_equal(g.attack->asked, 5);

    // Others, other tags, and several at once.
    send(f, f->friend, g.alarm);
    send(f, f->unit, g.other);
    gain(f, f->unit, g.other);
    steps(f, 5);
    assert_int_equal(g.attack->asked, 5);
    for (int i = 0; i < 9; i++) {
        send(f, f->unit, i % 2 == 0 ? g.alarm : g.horn);
    }
    steps(f, 5);
    assert_int_equal(g.attack->asked, 6);

    place(f, f->foe, 50, 0);
    steps(f, 50);
    STATE(f, "S |");
    send(f, f->unit, g.alarm);
    steps(f, 5);
    STATE(f, "K | S");
}

static void an_infinite_interval_is_not_polled(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.auto_interval = KN_TIME_INFINITE;
    guard_begin(f, &g);
    steps(f, 300);
    assert_int_equal(g.attack->asked, 1);
    send(f, f->unit, g.horn);
    steps(f, 5);
    assert_int_equal(g.attack->asked, 2);
}

// A unit that is polled can be woken besides.
static void a_polled_unit_is_woken_too(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.auto_interval = KN_S(1);
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    place(f, f->foe, 500, 0);
    place(f, f->rival, 900, 0);
    steps(f, 101);
    assert_int_equal(g.attack->asked, 2); // once a second; nothing wakes it at the beginning
    send(f, f->unit, g.alarm);
    steps(f, 5);
    assert_int_equal(g.attack->asked, 3);
    steps(f, 95);
    assert_int_equal(g.attack->asked, 4); // and polled as before
}

// Nothing wakes a unit of the host.
static void without_wakes_the_host_checks(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.auto_wakes = (kn_tags){NULL, 0};
    g.attack->def.auto_wakes = (kn_tags){NULL, 0};
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, g.hold), KN_OK);
    send(f, f->unit, g.alarm);
    steps(f, 50);
    end(f, g.hold, KN_ORDER_SUCCEEDED);
    assert_int_equal(kn_order_refresh_autos(f->world, f->unit), KN_OK);
    steps(f, 50);
    assert_int_equal(g.attack->asked, 0);
}

// ORD-423: what could not be done is looked for when the current order allows it again
static void an_order_that_allows_it_wakes(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    place(f, f->foe, 50, 0);
    assert_int_equal(issue(f, g.hold), KN_OK);
    send(f, f->unit, g.alarm);
    steps(f, 50);
    STATE(f, "H |");
    assert_int_equal(g.attack->asked, 1);
    end(f, g.hold, KN_ORDER_SUCCEEDED);
    STATE(f, "S |");
    steps(f, 5);
    STATE(f, "K | S");
}

// A player switches it on; gathering again looks again
static void switches_wake(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    assert_int_equal(kn_entity_set_connection(f->world, f->player, 5), KN_OK); // a human plays
    place(f, f->foe, 50, 0);
    send(f, f->unit, g.alarm);
    steps(f, 50);
    STATE(f, "S |"); // it is off
    assert_int_equal(kn_order_set_auto(f->world, f->unit, g.attack->id, -1, true), KN_OK);
    steps(f, 5);
    STATE(f, "K | S");
    uint32_t asked = g.attack->asked;
    end(f, g.attack, KN_ORDER_SUCCEEDED);
    place(f, f->foe, 500, 0);
    steps(f, 20);
    assert_int_equal(g.attack->asked, asked + 1);
    assert_int_equal(kn_order_refresh_autos(f->world, f->unit), KN_OK);
    steps(f, 20);
    assert_int_equal(g.attack->asked, asked + 2);
}

// An automatic order that ends at once gives the unit back, which looks again, and so on: not more
// often than the delay allows.
static void what_ends_at_once_does_not_go_round(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    g.attack->ends = 1 + KN_ORDER_SUCCEEDED;
    guard_begin(f, &g);
    place(f, f->foe, 50, 0);
    send(f, f->unit, g.alarm);
    uint32_t before = g.attack->asked;
    assert_int_equal(kn_world_step(f->world, KN_S(1)), KN_OK);
    // Each look asks twice: whether it can be obeyed, and when the order is given.
    uint32_t looks = (g.attack->asked - before) / 2;
    assert_true(looks >= 20 && looks <= 51);
}

// ORD-413: an alarm that all hear does not make all look at the same time
static void those_who_are_woken_at_once_are_spread(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.auto_delay = KN_MS(400);
    begin_with(f, kn_world_def_default());
    place(f, f->foe, 50, 0);
    kn_entity_id units[96];
    for (uint32_t i = 0; i < COUNT(units); i++) {
        assert_int_equal(kn_entity_create(f->world, &units[i]), KN_OK);
        place(f, units[i], 0, (float)(i % 8));
        own(f, units[i], f->player);
        assert_int_equal(kn_unit_add(f->world, units[i], f->unit_type), KN_OK);
    }
    uint32_t before = 0, most = 0;
    for (int turn = 0; turn < 41; turn++) {
        step(f);
        uint32_t all = 0;
        for (uint32_t i = 0; i < COUNT(units); i++) {
            kn_unit_info info;
            assert_true(kn_unit_get_info(f->world, units[i], &info));
            all += info.current.type.index1 == g.attack->id.index1;
        }
        if (turn == 18) {
            assert_int_equal(all, 0); // none before half of the delay
        }
        most = all - before > most ? all - before : most;
        before = all;
    }
    assert_int_equal(before, COUNT(units));
    assert_true(most <= 32);
}

// What was woken is state of the world, and does not look when it is no unit any more.
static void a_wake_is_state(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    place(f, f->foe, 50, 0);
    send(f, f->unit, g.alarm);
    step(f);
    size_t size = kn_snapshot_size(f->world), written;
    void *snapshot = malloc(size);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, &written), KN_OK);
    steps(f, 5);
    STATE(f, "K | S");
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, written), KN_OK);
    STATE(f, "S |");
    steps(f, 5);
    STATE(f, "K | S");
    assert_true(kn_world_hash(f->world) == hash);

    assert_int_equal(kn_snapshot_restore(f->world, snapshot, written), KN_OK);
    uint32_t asked = g.attack->asked;
    assert_int_equal(kn_unit_remove(f->world, f->unit), KN_OK);
    steps(f, 20);
    assert_int_equal(g.attack->asked, asked);
    assert_int_equal(kn_unit_get_type(f->world, f->unit).index1, 0);
    free(snapshot);
}

// Units that sleep, wake and look need no memory once they have done so before.
static void a_warm_step_allocates_nothing(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    uint64_t before = 0;
    for (int turn = 0; turn < 64; turn++) {
        before = turn == 32 ? kn_world_get_stats(f->world).allocations : before;
        send(f, f->unit, g.alarm);
        steps(f, 5);
    }
    assert_int_equal(g.attack->asked, 65);
    assert_int_equal(kn_world_get_stats(f->world).allocations, before);
}

static void bad_times_are_refused(void **state)
{
    fixture *f = *state;
    kn_error error = {0};
    static const kn_time bad[] = {0, -1, KN_TIME_INFINITE};
    (void)guard_add(f);
    for (uint32_t i = 0; i < COUNT(bad); i++) {
        kn_unit_type_def def = f->unit_def;
        def.name = "Bad";
        def.auto_count = 0;
        def.auto_delay = bad[i];
        kn_unit_type_id type;
        assert_int_equal(kn_unit_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
        assert_string_equal(
            error.message, "order unit `Bad`: `auto_delay` must be above 0 and finite");
        assert_int_equal(type.index1, 0);
    }
    kn_unit_type_def def = f->unit_def;
    def.name = "Bad";
    def.auto_count = 0;
    def.auto_interval = -1;
    assert_int_equal(kn_unit_type_register(f->library, &def, NULL, &error), KN_ERROR_BAD_DATA);
}

static const struct CMUnitTest tests[] = {
    TEST(tags_and_events_wake_a_unit),
    TEST(an_infinite_interval_is_not_polled),
    TEST(a_polled_unit_is_woken_too),
    TEST(without_wakes_the_host_checks),
    TEST(an_order_that_allows_it_wakes),
    TEST(switches_wake),
    TEST(what_ends_at_once_does_not_go_round),
    TEST(those_who_are_woken_at_once_are_spread),
    TEST(a_wake_is_state),
    TEST(a_warm_step_allocates_nothing),
    TEST(bad_times_are_refused),
};

TEST_GROUP(order_wakes, tests, NULL, NULL);
