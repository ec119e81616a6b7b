// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Automatic orders: what units do by themselves, when, and for whom.

#include "order_test.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

typedef struct guard {
    script *s, *move, *hold, *attack, *cry, *heal;
} guard;

static kn_order_auto autos[3];

// A soldier who attacks and cries by itself; moving and holding forbid it. `heal` has a higher
// priority.
static guard guard_add(fixture *f)
{
    guard g = {.s = type_add(f, "S"),
        .move = type_add(f, "M"),
        .hold = type_add(f, "H"),
        .attack = type_add(f, "K"),
        .cry = type_add(f, "C"),
        .heal = type_add(f, "T")};
    static kn_tag hostile[1], friendly[1], alive[1];
    hostile[0] = kn_tag_find(f->library, "Knack.Relation.Hostile");
    friendly[0] = kn_tag_find(f->library, "Kind.Worker");
    alive[0] = f->alive;
    g.s->def.allows_auto = true;
    g.attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    g.attack->def.tags.target_required = (kn_tags){hostile, 1};
    g.attack->def.success.target_blocked = (kn_tags){alive, 1};
    g.attack->def.allows_auto = true;
    g.attack->def.auto_for_players = g.attack->def.auto_begins = true;
    g.attack->def.auto_for_ai = true;
    g.cry->def.auto_for_players = true;
    g.heal->def.target_kind = KN_ORDER_TARGET_ENTITY;
    g.heal->def.tags.target_required = (kn_tags){friendly, 1};
    g.heal->def.auto_for_players = g.heal->def.auto_begins = true;
    f->unit_def.acquisition_radius = 100;
    f->unit_def.auto_interval = 0; // the test checks
    return g;
}

static void guard_begin(fixture *f, guard *g)
{
    (void)g;
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 3;
    // Types are numbered as they were added.
    autos[0] = (kn_order_auto){{4}, -1, 0};
    autos[1] = (kn_order_auto){{5}, 2, 0};
    autos[2] = (kn_order_auto){{6}, -1, 10};
    begin_with(f, kn_world_def_default());
    kn_entity_set_connection(f->world, f->player, 5); // a human plays
    place(f, f->unit, 0, 0);
    place(f, f->foe, 50, 0);
    place(f, f->friend, 10, 0);
    place(f, f->stone, 900, 0);
    place(f, f->rival, 900, 0);
    place(f, f->player, 900, 0);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    step(f);
}

static bool check(fixture *f)
{
    bool is_issued = false;
    assert_int_equal(kn_order_check_autos(f->world, f->unit, &is_issued), KN_OK);
    return is_issued;
}

// ORD-411, ORD-422, ORD-423, ORD-194, TVO-80
static void an_idle_unit_attacks_who_comes_near(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    place(f, f->unit, 1, 0);
    step(f);
    float home = g.s->home.x;
    assert_true(check(f));
    STATE(f, "K | S");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_true(kn_entity_id_equal(info.current.target, f->foe));
    assert_true(info.current.location.x == 50);
    assert_false(check(f)); // the same again changes nothing: ORD-148, ORD-424
    STATE(f, "K | S");
    place(f, f->unit, 30, 0);
    end(f, g.attack, KN_ORDER_SUCCEEDED);
    step(f);
    STATE(f, "S |");
    assert_true(g.s->home.x == home);
}

// ORD-311, ORD-342, ORD-390, TVO-81, TVO-82
static void orders_may_forbid_it(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    assert_int_equal(issue(f, g.move), KN_OK);
    assert_false(check(f));
    assert_int_equal(issue(f, g.hold), KN_OK);
    assert_false(check(f));
    STATE(f, "H |");
    assert_int_equal(issue(f, g.s), KN_OK);
    assert_true(check(f));
}

// ORD-411, TVO-83; ORD-427, TVO-117
static void the_first_one_or_the_most_important_one(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.ranks_autos = false;
    guard_begin(f, &g);
    gain(f, f->friend, f->worker); // to be healed
    assert_true(check(f));
    STATE(f, "K | S");
}

static void the_most_important_one(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.ranks_autos = true;
    guard_begin(f, &g);
    gain(f, f->friend, f->worker);
    assert_true(check(f));
    STATE(f, "T | S");
}

// ORD-383, ORD-400, ORD-401, ORD-402, OD-191, TVO-84, TVD-69, TVD-70
static void players_switch_what_units_do(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    guard_begin(f, &g);
    kn_order_auto_info all[4];
    assert_int_equal(kn_order_autos(f->world, f->unit, all, 4), 3);
    assert_true(all[0].is_for_players && all[0].is_for_ai && all[0].is_on);
    assert_true(all[1].is_for_players && !all[1].is_for_ai && !all[1].is_on);
    assert_int_equal(all[1].order.index, 2);
    assert_int_equal(all[2].order.priority, 10);
    assert_int_equal(kn_order_set_auto(f->world, f->unit, g.attack->id, -1, false), KN_OK);
    assert_false(check(f));
    assert_int_equal(
        kn_order_set_auto(f->world, f->unit, g.cry->id, -1, true), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_order_set_auto(f->world, f->unit, g.cry->id, 2, true), KN_OK);
    assert_true(check(f)); // without a target, as an enemy is near
    STATE(f, "C | S");
    end(f, g.cry, KN_ORDER_SUCCEEDED);
    kn_entity_set_connection(f->world, f->player, 0); // the AI takes over: it has no switches
    assert_true(check(f));
    STATE(f, "K | S");
    assert_int_equal(
        kn_order_set_auto(f->world, f->foe, g.attack->id, -1, true), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_order_set_auto(f->world, f->unit, g.move->id, -1, true), KN_REFUSED_NOT_FOUND);
}

// ORD-420, ORD-421, ORD-425, TVO-85, TVO-86
static void nothing_happens_without_a_target_or_a_radius(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    g.cry->def.auto_begins = true;
    guard_begin(f, &g);
    place(f, f->foe, 101, 0);
    assert_false(check(f));
    place(f, f->foe, 100, 0);
    g.attack->is_refused = g.cry->is_refused = true;
    assert_false(check(f));
    g.cry->is_refused = false;
    assert_true(check(f));
    STATE(f, "C | S");
}

static void a_radius_of_zero_finds_nobody(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.acquisition_radius = 0;
    g.heal->def.acquisition_radius = 20; // its own: ORD-420
    guard_begin(f, &g);
    place(f, f->foe, 0, 0);
    assert_false(check(f));
    gain(f, f->friend, f->worker);
    assert_true(check(f));
    STATE(f, "T | S");
}

static uint32_t provided;

static kn_result provide(void *user, const kn_hook_call *call)
{
    kn_order_provide_call *c = call->arguments;
    (void)user;
    assert_null(call->writable);
    c->autos[c->count++] = (kn_order_auto){.type = {5}, .index = 7};
    c->autos[c->count++] = (kn_order_auto){.type = {0}, .index = -1}; // not set: passed over
    if (provided > 0) {
        c->autos[c->count++] = (kn_order_auto){.type = {6}, .index = -1};
    }
    return KN_OK;
}

// ORD-381, ORD-382, ORD-430, OD-008, OD-009, OD-010, OD-011, TVO-88, TVD-75, TVD-76
static void units_say_themselves_what_they_can_do(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.provide = (kn_hook){provide, NULL};
    provided = 0;
    guard_begin(f, &g);
    kn_order_auto_info all[8];
    assert_int_equal(kn_order_autos(f->world, f->unit, all, 8), 4);
    assert_int_equal(all[3].order.type.index1, 5);
    assert_int_equal(all[3].order.index, 7);
    provided = 1;
    assert_int_equal(kn_order_autos(f->world, f->unit, all, 8), 4); // until it is refreshed
    assert_int_equal(kn_order_set_auto(f->world, f->unit, g.attack->id, -1, false), KN_OK);
    assert_int_equal(kn_order_set_auto(f->world, f->unit, g.cry->id, 7, true), KN_OK);
    assert_int_equal(kn_order_refresh_autos(f->world, f->unit), KN_OK);
    assert_int_equal(kn_order_autos(f->world, f->unit, all, 8), 4); // the third was there already
    assert_false(all[0].is_on);
    assert_true(all[3].is_on);
}

// ORD-410, ORD-413: checks come by themselves, and are spread
static void units_look_around_from_time_to_time(void **state)
{
    fixture *f = *state;
    guard g = guard_add(f);
    f->unit_def.auto_interval = KN_MS(200);
    guard_begin(f, &g);
    kn_entity_id others[96];
    for (uint32_t i = 0; i < COUNT(others); i++) {
        assert_int_equal(kn_entity_create(f->world, &others[i]), KN_OK);
        place(f, others[i], 0, (float)(i % 8));
        own(f, others[i], f->player);
        assert_int_equal(kn_unit_add(f->world, others[i], f->unit_type), KN_OK);
    }
    uint32_t all = 0, most = 0, quiet = 0;
    for (int turn = 0; turn < 21; turn++) { // each a twentieth of the interval
        uint32_t before = all;
        step(f);
        all = 0;
        for (uint32_t i = 0; i < COUNT(others); i++) {
            kn_unit_info info;
            assert_true(kn_unit_get_info(f->world, others[i], &info));
            all += info.current.type.index1 == g.attack->id.index1;
        }
        most = all - before > most ? all - before : most;
        quiet += all == before;
    }
    assert_int_equal(all, COUNT(others)); // each has looked once
    assert_true(most <= 32 && quiet <= 14);
    // A unit that is none any more does not look around.
    assert_int_equal(kn_unit_remove(f->world, others[0]), KN_OK);
    kn_order_auto_info info;
    assert_int_equal(kn_order_autos(f->world, others[0], &info, 1), 0);
    for (int turn = 0; turn < 25; turn++) {
        step(f);
    }
    assert_int_equal(kn_unit_get_type(f->world, others[0]).index1, 0);
}

static const struct CMUnitTest tests[] = {
    TEST(an_idle_unit_attacks_who_comes_near),
    TEST(orders_may_forbid_it),
    TEST(the_first_one_or_the_most_important_one),
    TEST(the_most_important_one),
    TEST(players_switch_what_units_do),
    TEST(nothing_happens_without_a_target_or_a_radius),
    TEST(a_radius_of_zero_finds_nobody),
    TEST(units_say_themselves_what_they_can_do),
    TEST(units_look_around_from_time_to_time),
};

TEST_GROUP(order_auto, tests, NULL, NULL);
