// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules of the specification that have a safe and a literal reading: units follow the safe one,
// unless their type asks for the other.

#include "order_test.h"

static kn_order_type_id current_type(fixture *f)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    return info.current.type;
}

// ORD-113, ORD-146, TVO-19: instant orders and the queue
static void an_instant_order_that_is_inserted_copies_the_current_one_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_instants = true;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    assert_int_equal(give(f, q.i, kn_order_insert_before), KN_OK);
    EXPECT(f, "EX(I)");
    STATE(f, "A | A B"); // it runs on, and waits as well
    q.i->is_refused = true;
    assert_int_equal(give(f, q.i, kn_order_insert_before), KN_REFUSED_REQUIREMENT);
    STATE(f, "A | A B");
    assert_int_equal(issue(f, q.i), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "RF(I) CL CH(S) EX(S) RF(I)"); // out of a running order, without a cancellation
    STATE(f, "S |");
}

// ORD-186, TVO-24
static void an_instant_order_of_the_queue_holds_it_up_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_instants = true;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.i, q.b}, 2);
    uint32_t ticket = q.a->ticket;
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) EX(I)");
    STATE(f, "A | B"); // the order that has ended is still there
    assert_int_equal(
        kn_order_end(f->world, f->unit, ticket, KN_ORDER_SUCCEEDED), KN_REFUSED_NOT_FOUND);
    gain(f, f->unit, f->unarmed);
    assert_int_equal(issue(f, q.c), KN_OK); // and does not end a second time
    EXPECT(f, "CL CH(C) EX(C)");
    STATE(f, "C |");
}

// ORD-148
static void an_equal_order_interrupts_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.interrupts_same = true;
    squad q = squad_begin(f);
    arrange(f, q.a, NULL, 0);
    assert_int_equal(give(f, q.a, kn_order_insert_before), KN_OK);
    EXPECT(f, "CH(A) EX(A)");
    STATE(f, "A | A");
    end(f, q.a, KN_ORDER_SUCCEEDED);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) CH(A) EX(A) OK(A) CH(S) EX(S)");
}

// ORD-149
static void a_stop_order_of_the_queue_holds_it_up_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_queue = true;
    squad q = squad_begin(f);
    assert_int_equal(give(f, q.a, kn_order_insert_before), KN_OK);
    assert_int_equal(enqueue(f, q.b), KN_OK);
    STATE(f, "A | S B");
    step(f);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) CH(S) EX(S)");
    STATE(f, "S | B"); // parked
}

// ORD-184, TVO-07
static void a_refused_order_of_the_queue_stops_the_unit_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_queue = true;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b, q.c}, 2);
    q.b->is_refused = true;
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) RF(B) CH(S) EX(S)");
    STATE(f, "S | C"); // what is behind it is not tried
}

// ORD-185, TVO-22
static void a_failed_order_leaves_the_queue_behind_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_queue = true;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    end(f, q.a, KN_ORDER_FAILED);
    EXPECT(f, "FAIL(A) CH(S) EX(S)");
    STATE(f, "S | B");
    assert_int_equal(issue(f, q.c), KN_OK); // a new one replaces it all
    STATE(f, "C |");
}

// ORD-341
static void a_refused_stop_stops_all_the_same_if_read_literally(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_stop = true;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    q.s->is_refused = true;
    assert_int_equal(issue(f, q.s), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "CL XC(A) CANCEL(A) CH(S) EX(S) RF(S)");
    STATE(f, "S |");
}

// A soldier who could attack and shout by itself, but not while it holds.
typedef struct guard {
    script *s, *hold, *attack, *shout;
} guard;

static guard guard_begin(fixture *f, bool is_literal)
{
    static kn_order_auto autos[2];
    guard g = {type_add(f, "S"), type_add(f, "H"), type_add(f, "K"), type_add(f, "C")};
    g.s->def.allows_auto = true;
    g.attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    g.attack->def.auto_for_players = g.attack->def.auto_begins = true;
    g.shout->def.auto_for_players = g.shout->def.auto_begins = true;
    autos[0] = (kn_order_auto){{3}, -1, 0};
    autos[1] = (kn_order_auto){{4}, -1, 0};
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 2;
    f->unit_def.auto_interval = 0;
    f->unit_def.acquisition_radius = 100;
    f->unit_def.literal_autos = is_literal;
    begin_with(f, kn_world_def_default());
    kn_entity_set_connection(f->world, f->player, 5); // a human plays
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    return g;
}

static bool check_autos(fixture *f)
{
    bool is_issued = false;
    assert_int_equal(kn_order_check_autos(f->world, f->unit, &is_issued), KN_OK);
    return is_issued;
}

static void switch_attack(fixture *f, const guard *g, bool is_on)
{
    assert_int_equal(kn_order_set_auto(f->world, f->unit, g->attack->id, -1, is_on), KN_OK);
}

// ORD-390, ORD-391, ORD-392: the gate is derived at each check
static void a_switch_does_not_open_the_gate(void **state)
{
    fixture *f = *state;
    guard g = guard_begin(f, false);
    assert_int_equal(issue(f, g.hold), KN_OK);
    switch_attack(f, &g, true);
    assert_false(check_autos(f));
    STATE(f, "H |");
    assert_int_equal(issue(f, g.s), KN_OK); // the new order allows it
    assert_true(check_autos(f));
    STATE(f, "K | S");
}

// ORD-391, ORD-392
static void a_switch_opens_the_gate_if_read_literally(void **state)
{
    fixture *f = *state;
    guard g = guard_begin(f, true);
    assert_int_equal(issue(f, g.hold), KN_OK);
    switch_attack(f, &g, false); // switching off does not open it
    assert_false(check_autos(f));
    switch_attack(f, &g, true);
    switch_attack(f, &g, false); // and does not close it
    assert_true(check_autos(f));
    STATE(f, "C | H"); // the one that is still on
    end(f, g.shout, KN_ORDER_SUCCEEDED);
    STATE(f, "H |");
    assert_false(check_autos(f)); // the order has changed since
    assert_int_equal(current_type(f).index1, g.hold->id.index1);
}

// Whatever the unit is told to do, it cannot be interrupted.
static kn_result cannot_be_cancelled(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->answer = KN_ORDER_UNCANCELABLE;
    return KN_OK;
}

static void refused_candidates(fixture *f, bool is_literal, const char *expected)
{
    script *s = type_add(f, "S"), *hold = type_add(f, "H"), *attack = type_add(f, "K"),
           *shout = type_add(f, "C");
    static kn_order_auto autos[2];
    (void)s;
    hold->def.allows_auto = true;
    hold->def.find_policy = (kn_hook){cannot_be_cancelled, NULL};
    attack->def.target_kind = KN_ORDER_TARGET_ENTITY;
    attack->def.auto_for_ai = true;
    shout->def.auto_for_ai = true;
    shout->def.pierces = true; // only this one gets through
    autos[0] = (kn_order_auto){{3}, -1, 0};
    autos[1] = (kn_order_auto){{4}, -1, 0};
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 2;
    f->unit_def.auto_interval = 0;
    f->unit_def.acquisition_radius = 100;
    f->unit_def.literal_autos = is_literal;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, hold), KN_OK);
    assert_true(check_autos(f));
    STATE(f, expected);
}

// ORD-424
static void a_refused_candidate_lets_the_next_one_try(void **state)
{
    refused_candidates(*state, false, "C | H");
}

// ORD-424
static void a_refused_candidate_counts_as_given_if_read_literally(void **state)
{
    refused_candidates(*state, true, "H |");
}

static const struct CMUnitTest tests[] = {
    TEST(an_instant_order_that_is_inserted_copies_the_current_one_if_read_literally),
    TEST(an_instant_order_of_the_queue_holds_it_up_if_read_literally),
    TEST(an_equal_order_interrupts_if_read_literally),
    TEST(a_stop_order_of_the_queue_holds_it_up_if_read_literally),
    TEST(a_refused_order_of_the_queue_stops_the_unit_if_read_literally),
    TEST(a_failed_order_leaves_the_queue_behind_if_read_literally),
    TEST(a_refused_stop_stops_all_the_same_if_read_literally),
    TEST(a_switch_does_not_open_the_gate),
    TEST(a_switch_opens_the_gate_if_read_literally),
    TEST(a_refused_candidate_lets_the_next_one_try),
    TEST(a_refused_candidate_counts_as_given_if_read_literally),
};

TEST_GROUP(order_spec_literal, tests, NULL, NULL);
