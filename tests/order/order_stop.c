// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Stopping units, with and without a stop order.

#include "order_test.h"

static kn_result stop(fixture *f, kn_order_answer *answer)
{
    return kn_order_stop(f->world, f->unit, answer);
}

// As if the stop order was issued.
static void stopping_issues_the_stop_order(void **state)
{
    fixture *f = *state;
    (void)type_add(f, "S");
    const script *a = type_add(f, "A"), *b = type_add(f, "B");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, a), KN_OK);
    assert_int_equal(enqueue(f, b), KN_OK);
    STATE(f, "A | B");
    step(f);
    kn_order_answer answer;
    assert_int_equal(stop(f, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_OBEYED);
    EXPECT(f, "CL XC(A) CANCEL(A) CH(S) EX(S)");
    STATE(f, "S |");
    assert_int_equal(stop(f, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_IS_SAME);
    EXPECT(f, "CL");
}

static void a_unit_without_a_stop_order_has_none_afterwards(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    a->def.is_work = true;
    const script *b = type_add(f, "B");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, a), KN_OK);
    assert_int_equal(enqueue(f, b), KN_OK);
    step(f);
    kn_order_answer answer;
    assert_int_equal(stop(f, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_OBEYED);
    EXPECT(f, "CL XC(A) CANCEL(A) CH(none)");
    STATE(f, "none |");
    assert_int_equal(kn_unit_work(f->world, f->unit, NULL, 0), 2); // it goes back to that
    assert_int_equal(stop(f, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_IS_SAME);
    EXPECT(f, "CL");
    assert_int_equal(kn_order_resume_work(f->world, f->unit), KN_OK);
    STATE(f, "A | B");
}

static void what_cannot_be_cancelled_is_not_stopped(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    a->def.policy = KN_ORDER_UNCANCELABLE;
    const script *b = type_add(f, "B");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, a), KN_OK);
    assert_int_equal(enqueue(f, b), KN_OK);
    step(f);
    kn_order_answer answer;
    assert_int_equal(stop(f, &answer), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(answer.outcome, KN_ORDER_NOT_TAKEN);
    EXPECT(f, "");
    STATE(f, "A | B");
}

// From inside a hook it waits until that is done.
static void stops_itself(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    kn_order_answer answer;
    (void)f;
    (void)ticket;
    assert_int_equal(kn_order_stop(world, unit, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_DEFERRED);
}

static void hooks_may_stop_their_unit(void **state)
{
    fixture *f = *state;
    (void)type_add(f, "S");
    script *a = type_add(f, "A");
    a->executes = stops_itself;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    step(f);
    assert_int_equal(issue(f, a), KN_OK);
    EXPECT(f, "CL CH(A) EX(A) CL XC(A) CANCEL(A) CH(S) EX(S)");
}

static void stopping_refuses_what_makes_no_sense(void **state)
{
    fixture *f = *state;
    kn_entity_id gone = {0};
    kn_order_answer answer;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_order_stop(f->world, f->stone, &answer), KN_REFUSED_NOT_FOUND);
    assert_int_equal(answer.outcome, KN_ORDER_NOT_TAKEN);
    assert_int_equal(kn_order_stop(f->world, gone, NULL), KN_REFUSED_STALE_ID);
}

static const struct CMUnitTest tests[] = {
    TEST(stopping_issues_the_stop_order),
    TEST(a_unit_without_a_stop_order_has_none_afterwards),
    TEST(what_cannot_be_cancelled_is_not_stopped),
    TEST(hooks_may_stop_their_unit),
    TEST(stopping_refuses_what_makes_no_sense),
};

TEST_GROUP(order_stop, tests, NULL, NULL);
