// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The current order and the queue of a unit: giving, interrupting and ending orders.

#include "order_test.h"

// ORD-101, ORD-110, ORD-153, TVO-01
static void a_unit_obeys_an_order(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    kn_order order = kn_order_of(q.a->id);
    kn_order_answer answer = {0};
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_OBEYED);
    EXPECT(f, "CL CH(A) EX(A)");
    STATE(f, "A |");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_false(info.is_idle);
    assert_int_equal(info.last.type.index1, q.s->id.index1); // ORD-051, ORD-059
    assert_int_equal(info.ticket, q.a->ticket);
}

// ORD-102, ORD-103, TVO-02
static void the_same_order_empties_the_queue_and_no_more(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    kn_order order = kn_order_of(q.a->id);
    kn_order_answer answer = {0};
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_IS_SAME);
    EXPECT(f, "CL");
    STATE(f, "A |");
}

// ORD-107, ORD-172, TVO-03
static void a_new_order_cancels_the_current_one(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b, q.c}, 2);
    assert_int_equal(issue(f, q.c), KN_OK);
    EXPECT(f, "CL XC(A) CANCEL(A) CH(C) EX(C)");
    STATE(f, "C |");
}

// ORD-111, TVO-04
static void a_refused_order_stops_the_unit(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    assert_int_equal(issue(f, q.x), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "CL XC(A) CANCEL(A) CH(S) EX(S) RF(X)");
    STATE(f, "S |");
    assert_int_equal(issue(f, q.x), KN_REFUSED_REQUIREMENT); // it stands already: ORD-162
    EXPECT(f, "CL RF(X)");
}

// ORD-108, ORD-112, TVO-05, TVO-06
static void orders_wait_for_one_that_cannot_be_cancelled(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.u, (const script *const[]){q.b}, 1);
    kn_order order = kn_order_of(q.a->id);
    kn_order_answer answer = {0};
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_WAITS);
    uint32_t asked = q.c->asked;
    assert_int_equal(issue(f, q.c), KN_OK);
    assert_int_equal(q.c->asked, asked); // validation waits too
    EXPECT(f, "CL CL");
    STATE(f, "U | C");
    end(f, q.u, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(U) CH(C) EX(C)");
    STATE(f, "C |");
}

// ORD-180, ORD-184, TVO-07
static void a_waiting_order_that_became_invalid_is_passed_over(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.u, NULL, 0);
    assert_int_equal(issue(f, q.c), KN_OK);
    step(f);
    q.c->is_refused = true;
    end(f, q.u, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(U) RF(C) CH(S) EX(S)");
    STATE(f, "S |");
    // The ones behind it are tried.
    arrange(f, q.a, (const script *const[]){q.b, q.u}, 2);
    q.b->is_refused = true;
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) RF(B) CH(U) EX(U)");
    STATE(f, "U |");
}

// ORD-021, ORD-113, ORD-151, TVO-08
static void an_instant_order_leaves_the_others_alone(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    assert_int_equal(issue(f, q.i), KN_OK);
    assert_int_equal(q.i->ticket, 0); // nothing waits for its end
    EXPECT(f, "EX(I)");
    STATE(f, "A | B");
    q.i->is_refused = true;
    assert_int_equal(issue(f, q.i), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "RF(I)");
    STATE(f, "A | B");
    q.i->is_refused = false;
    q.i->answers = KN_REFUSED_CUSTOM; // the caller is told: ORD-353
    assert_int_equal(issue(f, q.i), KN_REFUSED_CUSTOM);
}

// ORD-113, TVO-08 read literally
static void a_literal_instant_order_empties_the_queue(void **state)
{
    fixture *f = *state;
    f->unit_def.literal_instants = true;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    assert_int_equal(issue(f, q.i), KN_OK);
    EXPECT(f, "CL EX(I)");
    STATE(f, "A |");
    q.i->is_refused = true;
    assert_int_equal(issue(f, q.i), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "CL CH(S) EX(S) RF(I)");
    STATE(f, "S |");
}

// ORD-120, ORD-121, ORD-122, ORD-123, ORD-072, TVO-09, TVO-10, TVO-11, TVO-12, TVO-13
static void orders_are_enqueued(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    assert_int_equal(enqueue(f, q.a), KN_OK);
    EXPECT(f, "CH(A) EX(A)");
    assert_int_equal(enqueue(f, q.a), KN_OK); // only the last of the queue is compared
    EXPECT(f, "EN(A)");
    STATE(f, "A | A");
    arrange(f, q.c, NULL, 0);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    kn_order order = kn_order_of(q.b->id);
    kn_order_answer answer = {0};
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_IS_SAME);
    EXPECT(f, "");
    STATE(f, "A | B");
    assert_int_equal(enqueue(f, q.c), KN_OK);
    assert_int_equal(enqueue(f, q.b), KN_OK);
    EXPECT(f, "EN(C) EN(B)");
    STATE(f, "A | B C B");
    assert_int_equal(enqueue(f, q.x), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "RF(X)");
    STATE(f, "A | B C B");
}

// ORD-130, ORD-131, TVO-14, TVO-15
static void an_order_is_inserted_after_the_current_one(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    assert_int_equal(give(f, q.a, kn_order_insert_after), KN_OK);
    EXPECT(f, "CH(A) EX(A)"); // once
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    assert_int_equal(enqueue(f, q.b), KN_OK);
    step(f);
    assert_int_equal(give(f, q.c, kn_order_insert_after), KN_OK);
    EXPECT(f, "");
    STATE(f, "A | C B");
    assert_int_equal(give(f, q.x, kn_order_insert_after), KN_REFUSED_REQUIREMENT);
    STATE(f, "A | C B");
}

static void home_is(const script *s, float x)
{
    assert_true(s->home.x == x);
}

// ORD-140..145, ORD-190, ORD-191, ORD-193, TVO-16, TVO-17, TVO-18
static void an_interrupted_order_comes_back_with_its_home(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    place(f, f->unit, 100, 0);
    arrange(f, q.a, NULL, 0);
    home_is(q.a, 100);
    place(f, f->unit, 200, 0);
    assert_int_equal(give(f, q.b, kn_order_insert_before), KN_OK);
    EXPECT(f, "CH(B) EX(B)");
    STATE(f, "B | A");
    home_is(q.b, 200);
    place(f, f->unit, 300, 0);
    assert_int_equal(give(f, q.c, kn_order_insert_before), KN_OK);
    step(f);
    STATE(f, "C | B A");
    home_is(q.c, 300);
    place(f, f->unit, 400, 0);
    end(f, q.c, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(C) CH(B) EX(B)");
    home_is(q.b, 200);
    end(f, q.b, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(B) CH(A) EX(A)");
    home_is(q.a, 100);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_true(info.home.x == 100);
}

// ORD-146, ORD-147, ORD-148, TVO-19, TVO-20, TVO-21
static void some_orders_do_not_interrupt(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, NULL, 0);
    assert_int_equal(give(f, q.i, kn_order_insert_before), KN_OK);
    EXPECT(f, "EX(I)");
    STATE(f, "A |");
    assert_int_equal(give(f, q.a, kn_order_insert_before), KN_OK);
    EXPECT(f, "");
    STATE(f, "A |");
    assert_int_equal(give(f, q.x, kn_order_insert_before), KN_REFUSED_REQUIREMENT);
    STATE(f, "A |");
    arrange(f, q.u, NULL, 0);
    assert_int_equal(give(f, q.b, kn_order_insert_before), KN_REFUSED_EXCLUSIVE);
    EXPECT(f, "");
    STATE(f, "U |");
}

// ORD-147 read literally
static void interrupts_may_reach_all_orders(void **state)
{
    fixture *f = *state;
    f->unit_def.interrupts_all = true;
    squad q = squad_begin(f);
    arrange(f, q.u, NULL, 0);
    assert_int_equal(give(f, q.b, kn_order_insert_before), KN_OK);
    EXPECT(f, "CH(B) EX(B)");
    STATE(f, "B | U");
}

// ORD-149, ORD-194
static void a_stop_order_in_the_queue_does_not_hold_others_up(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    place(f, f->unit, 50, 0);
    assert_int_equal(give(f, q.a, kn_order_insert_before), KN_OK);
    STATE(f, "A | S");
    assert_int_equal(enqueue(f, q.b), KN_OK);
    step(f);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) CH(B) EX(B)");
    STATE(f, "B |");
    end(f, q.b, KN_ORDER_SUCCEEDED);
    step(f);
    float before = q.s->home.x;
    place(f, f->unit, 70, 0);
    assert_int_equal(give(f, q.c, kn_order_insert_before), KN_OK);
    place(f, f->unit, 90, 0);
    end(f, q.c, KN_ORDER_SUCCEEDED);
    step(f);
    STATE(f, "S |");
    home_is(q.s, before); // it goes back to where it stood
}

// ORD-181, ORD-185, TVO-22, TVO-23
static void a_failed_order_drops_the_queue(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    end(f, q.a, KN_ORDER_FAILED);
    EXPECT(f, "FAIL(A) CL CH(S) EX(S)");
    STATE(f, "S |");
    arrange(f, q.a, NULL, 0);
    end(f, q.a, KN_ORDER_FAILED);
    EXPECT(f, "FAIL(A) CH(S) EX(S)");
    arrange(f, q.a, NULL, 0);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) CH(S) EX(S)");
    STATE(f, "S |");
}

// ORD-186, TVO-24
static void instant_orders_of_the_queue_do_not_hold_it_up(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.i, q.b}, 2);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) EX(I) CH(B) EX(B)");
    arrange(f, q.a, (const script *const[]){q.i}, 1);
    end(f, q.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) EX(I) CH(S) EX(S)");
}

// ORD-173, ORD-073, TVO-25
static void the_queue_is_cleared(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b, q.c}, 2);
    assert_int_equal(kn_order_clear_queue(f->world, f->unit), KN_OK);
    EXPECT(f, "CL");
    STATE(f, "A |");
    assert_int_equal(kn_order_clear_queue(f->world, f->unit), KN_OK);
    EXPECT(f, "CL");
}

// ORD-155, TVO-26
static void a_late_end_is_ignored(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, NULL, 0);
    uint32_t old = q.a->ticket;
    arrange(f, q.b, NULL, 0);
    assert_int_equal(
        kn_order_end(f->world, f->unit, old, KN_ORDER_SUCCEEDED), KN_REFUSED_NOT_FOUND);
    EXPECT(f, "");
    STATE(f, "B |");
    end(f, q.b, KN_ORDER_SUCCEEDED);
    assert_int_equal(
        kn_order_end(f->world, f->unit, q.b->ticket, KN_ORDER_SUCCEEDED), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_order_end(f->world, f->unit, q.s->ticket, KN_ORDER_RESULT_COUNT),
        KN_ERROR_INVALID_ARGUMENT);
}

// ORD-162, TVO-27
static void a_stop_order_that_fails_at_once_is_not_tried_again(void **state)
{
    fixture *f = *state;
    script *s = type_add(f, "S");
    s->answers = KN_REFUSED_CUSTOM;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    EXPECT(f, "CH(S) EX(S)");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_true(info.is_idle);
    step(f);
    EXPECT(f, "");
}

// ORD-061, ORD-083
static void a_unit_without_a_stop_order_obeys_too(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    EXPECT(f, "");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_true(info.is_idle);
    assert_int_equal(issue(f, a), KN_OK);
    EXPECT(f, "CL CH(A) EX(A)");
    end(f, a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) CH(none)"); // ORD-074
    STATE(f, "none |");
    assert_int_equal(give(f, a, kn_order_insert_before), KN_OK);
    STATE(f, "A |");
}

// ORD-058, ORD-224, TVO-28
static void clients_change_nothing(void **state)
{
    fixture *f = *state;
    script *a = type_add(f, "A");
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_REFUSED_BLOCKED);
    assert_int_equal(issue(f, a), KN_REFUSED_BLOCKED);
    assert_int_equal(enqueue(f, a), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_order_clear_queue(f->world, f->unit), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_order_end(f->world, f->unit, 1, KN_ORDER_SUCCEEDED), KN_REFUSED_BLOCKED);
    EXPECT(f, "");
}

// Hooks that give orders ------------------------------------------------------------------

static script *reaction_to_cancel;

static void issue_another(fixture *f, kn_world *world, kn_entity_id unit)
{
    kn_order order = kn_order_of(reaction_to_cancel->id);
    kn_order_answer answer = {0};
    (void)f;
    assert_int_equal(kn_order_issue(world, unit, &order, &answer), KN_OK);
    assert_int_equal(answer.outcome, KN_ORDER_DEFERRED);
}

// ORD-156, ORD-274, TVO-115
static void orders_from_hooks_follow_when_they_are_done(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, NULL, 0);
    reaction_to_cancel = q.c;
    q.a->cancels = issue_another;
    assert_int_equal(issue(f, q.b), KN_OK);
    EXPECT(f, "CL XC(A) CANCEL(A) CH(B) EX(B) CL XC(B) CANCEL(B) CH(C) EX(C)");
    STATE(f, "C |");
    // An order that ends in its own hook goes on with the queue in the same call.
    q.a->ends = 1 + KN_ORDER_SUCCEEDED;
    q.b->ends = 1 + KN_ORDER_SUCCEEDED;
    assert_int_equal(enqueue(f, q.a), KN_OK);
    assert_int_equal(enqueue(f, q.b), KN_OK);
    step(f);
    end(f, q.c, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(C) CH(A) EX(A) OK(A) CH(B) EX(B) OK(B) CH(S) EX(S)");
}

static void issue_the_other(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    const script *other = f->scripts[1].ticket == ticket ? &f->scripts[2] : &f->scripts[1];
    kn_order order = kn_order_of(other->id);
    (void)kn_order_issue(world, unit, &order, NULL);
}

// Hooks that give orders without end are stopped, and nothing hangs.
static void orders_without_end_are_refused(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    q.a->executes = issue_the_other;
    q.b->executes = issue_the_other;
    assert_int_equal(issue(f, q.a), KN_OK);
    happened_to(f, f->unit);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(info.ticket, 1 + 1 + 256); // the stop order, the first, and a bounded number
    q.a->executes = q.b->executes = NULL;
    assert_int_equal(issue(f, q.c), KN_OK);
    STATE(f, "C |");
}

static void remove_unit(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    assert_int_equal(kn_unit_remove(world, unit), KN_OK);
}

static void destroy_unit(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    assert_true(kn_entity_destroy(world, unit));
}

static void a_unit_ends_inside_its_own_order(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    q.a->executes = remove_unit;
    assert_int_equal(issue(f, q.a), KN_OK);
    EXPECT(f, "CL CH(A) EX(A) XC(A) CANCEL(A)");
    kn_unit_info info;
    assert_false(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(issue(f, q.b), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_unit_remove(f->world, f->unit), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    q.b->executes = destroy_unit;
    assert_int_equal(issue(f, q.b), KN_OK);
    step(f);
    assert_false(kn_entity_is_alive(f->world, f->unit));
    assert_int_equal(issue(f, q.a), KN_REFUSED_STALE_ID);
}

// Nobody loses an order without a word.
static void a_unit_that_is_destroyed_cancels_its_order(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    assert_true(kn_entity_destroy(f->world, f->unit));
    EXPECT(f, "XC(A) CANCEL(A) CL");
}

// Tags --------------------------------------------------------------------------------------

// ORD-182, ORD-200, ORD-201, ORD-206, TVO-40
static void the_death_of_the_target_is_a_success(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    assert_int_equal(enqueue(f, y.b), KN_OK);
    step(f);
    lose(f, f->foe, f->alive);
    EXPECT(f, "XC(K) CANCEL(K) CH(B) EX(B)");
    STATE(f, "B |");
}

// ORD-208
static void a_target_that_disappears_counts_as_dead(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    assert_int_equal(enqueue(f, y.b), KN_OK);
    step(f);
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT(f, "XC(K) CANCEL(K) CH(B) EX(B)");
    kn_order order = kn_order_on(y.attack->id, f->foe);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_REFUSED_REQUIREMENT);
}

// ORD-171, ORD-202, TVO-41
static void an_attacker_without_arms_stops(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    assert_int_equal(enqueue(f, y.b), KN_OK);
    step(f);
    gain(f, f->unit, f->unarmed);
    EXPECT(f, "XC(K) CANCEL(K) CL CH(S) EX(S)");
    STATE(f, "S |");
}

// ORD-183, TVO-42, TVO-43
static void a_cancelled_move_counts_as_done(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    kn_order move = kn_order_at(y.move->id, (kn_vec3){5, 5, 0});
    kn_order attack = kn_order_on(y.attack->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->unit, &move, NULL), KN_OK);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &attack, NULL), KN_OK);
    step(f);
    gain(f, f->unit, f->immobile);
    EXPECT(f, "XC(M) CANCEL(M) CH(K) EX(K)");
    lose(f, f->unit, f->immobile);
    assert_int_equal(kn_order_issue(f->world, f->unit, &move, NULL), KN_OK);
    move.location.x = 9;
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &move, NULL), KN_OK);
    step(f);
    gain(f, f->unit, f->immobile);
    EXPECT(f, "XC(M) CANCEL(M) RF(M) CH(S) EX(S)");
}

// ORD-332, ORD-092, TVO-44..48
static void orders_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    kn_order_errors errors = {0};
    kn_order attack = kn_order_on(y.attack->id, f->friend);
    assert_false(kn_order_check(f->world, f->unit, &attack, &errors));
    assert_int_equal(errors.blocking_count, 1);
    assert_int_equal(errors.blocking[0].index1, y.friendly.index1);
    attack.target = f->stone; // neutral
    assert_true(kn_order_check(f->world, f->unit, &attack, NULL));
    attack.target = (kn_entity_id){0};
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(f->world, f->unit, &attack, &errors));
    assert_int_equal(errors.other_count, 1);
    assert_string_equal(kn_tag_name(f->library, errors.others[0]), "Knack.Order.NoTarget");
    assert_int_equal(errors.missing_count, 0);
    kn_order move = kn_order_at(y.move->id, (kn_vec3){1, 1, 0});
    gain(f, f->unit, f->constructing);
    assert_false(kn_order_check(f->world, f->unit, &move, NULL));
    lose(f, f->unit, f->constructing);
    assert_true(kn_order_check(f->world, f->unit, &move, NULL));
    lose(f, f->unit, f->alive);
    errors = (kn_order_errors){0};
    assert_false(kn_order_check(f->world, f->unit, &move, &errors));
    assert_int_equal(errors.missing_count, 1);
    assert_int_equal(errors.missing[0].index1, f->alive.index1); // ORD-042, ORD-044
}

// ORD-202, TVO-49
static void other_tags_do_not_matter(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    step(f);
    gain(f, f->unit, f->immobile); // only moves care
    gain(f, f->foe, f->unarmed);   // of the target, nobody cares
    gain(f, f->friend, f->invulnerable);
    EXPECT(f, "");
    gain(f, f->foe, f->invulnerable);
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
}

// ORD-207
static void a_changed_relation_ends_orders(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    step(f);
    own(f, f->foe, f->player);
    EXPECT(f, "");
    assert_int_equal(kn_order_relation_changed(f->world, f->unit, f->stone), KN_OK);
    EXPECT(f, "");
    assert_int_equal(kn_order_relation_changed(f->world, f->unit, f->foe), KN_OK);
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
}

// ORD-207: all relations of an entity, and those of everybody
static void changed_relations_end_orders(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    step(f);
    assert_int_equal(kn_order_relations_changed(f->world, f->foe), KN_OK);
    assert_int_equal(kn_order_relations_changed(f->world, (kn_entity_id){0}), KN_OK);
    EXPECT(f, "");
    own(f, f->foe, f->player);
    assert_int_equal(kn_order_relations_changed(f->world, f->stone), KN_OK);
    EXPECT(f, "");
    assert_int_equal(kn_order_relations_changed(f->world, f->foe), KN_OK); // who is aimed at
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
    for (uint32_t i = 0; i < 2; i++) {
        own(f, f->foe, f->stone);
        order_attack(f, &y, f->foe);
        step(f);
        own(f, f->foe, f->player);
        happened_to(f, f->unit);
        f->log[0] = 0;
        const kn_entity_id whose = i == 0 ? f->unit : (kn_entity_id){0}; // who aims; everybody
        assert_int_equal(kn_order_relations_changed(f->world, whose), KN_OK);
        EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S)");
    }
    assert_int_equal(kn_order_relations_changed(NULL, f->foe), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_entity_destroy(f->world, f->foe));
    assert_int_equal(kn_order_relations_changed(f->world, f->foe), KN_REFUSED_STALE_ID);
}

// ORD-093, TVO-50
static void a_hook_says_why_it_refuses(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    q.x->refused_with = f->upgrade;
    kn_order order = kn_order_of(q.x->id);
    kn_order_answer answer = {0};
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, &answer), KN_REFUSED_REQUIREMENT);
    assert_int_equal(answer.outcome, KN_ORDER_NOT_TAKEN);
    assert_int_equal(answer.errors.other_count, 1);
    assert_int_equal(answer.errors.others[0].index1, f->upgrade.index1);
}

// ORD-275, TVO-51
static void input_falls_back_to_another_order(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    kn_order attack = kn_order_on(y.attack->id, f->friend), found;
    place(f, f->friend, 40, 7);
    assert_true(kn_order_resolve(f->world, f->unit, &attack, &found));
    assert_int_equal(found.type.index1, y.move->id.index1);
    assert_int_equal(found.uses_location, 1);
    assert_true(found.location.x == 40 && found.location.y == 7);
    attack.target = f->foe;
    assert_true(kn_order_resolve(f->world, f->unit, &attack, &found));
    assert_true(kn_order_equal(&found, &attack));
    gain(f, f->unit, f->constructing);
    assert_false(kn_order_resolve(f->world, f->unit, &attack, &found));
}

// ORD-341
static void a_stop_that_is_refused_cancels_nothing(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    q.s->is_refused = true;
    assert_int_equal(issue(f, q.s), KN_REFUSED_REQUIREMENT);
    EXPECT(f, "RF(S)");
    STATE(f, "A | B");
    end(f, q.a, KN_ORDER_FAILED); // falling back asks nobody: ORD-161, ORD-163
    EXPECT(f, "FAIL(A) CL CH(S) EX(S)");
}

// ORD-351: a policy that is asked at the moment
static void a_running_order_may_change_its_policy(void **state)
{
    fixture *f = *state;
    script *s = type_add(f, "S"), *a = type_add(f, "A"), *b = type_add(f, "B");
    (void)s;
    a->def.find_policy = (kn_hook){script_policy, a};
    a->policy = KN_ORDER_UNCANCELABLE;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_int_equal(issue(f, a), KN_OK);
    assert_int_equal(issue(f, b), KN_OK);
    STATE(f, "A | B");
    a->policy = KN_ORDER_CANCELABLE;
    assert_int_equal(issue(f, b), KN_OK);
    STATE(f, "B |");
}

// Saving and bad input ------------------------------------------------------------------------

// OD-034
static void orders_are_part_of_the_state(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    kn_order move = kn_order_at(y.move->id, (kn_vec3){3, 4, 5});
    move.index = 2;
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &move, NULL), KN_OK);
    assert_int_equal(give(f, y.b, kn_order_insert_before), KN_OK);
    step(f);
    uint64_t hash = kn_world_hash(f->world);
    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    uint8_t *bytes = malloc(size);
    assert_non_null(bytes);
    assert_int_equal(kn_save_write(f->world, bytes, size, &size), KN_OK);
    end(f, y.b, KN_ORDER_SUCCEEDED);
    step(f);
    assert_true(kn_world_hash(f->world) != hash);
    kn_world *loaded = NULL;
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    kn_error error = {0};
    assert_int_equal(kn_world_create(&def, &loaded), KN_OK);
    assert_int_equal(kn_save_read(loaded, bytes, size, &error), KN_OK);
    free(bytes);
    assert_true(kn_world_hash(loaded) == hash);
    kn_order queue[4];
    assert_int_equal(kn_unit_queue(loaded, f->unit, queue, 4), 2);
    assert_true(kn_order_equal(&queue[1], &move));
    assert_true(queue[1].location.z == 5);
    kn_world_destroy(loaded);
}

static void bad_input_changes_nothing(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    uint64_t hash = kn_world_hash(f->world);
    kn_order order = kn_order_default();
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
    order.type.index1 = 999;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
    order = kn_order_at(q.c->id, (kn_vec3){0, 1e38f * 1e10f, 0});
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_order_issue(f->world, f->unit, NULL, NULL), KN_ERROR_INVALID_ARGUMENT);
    order = kn_order_of(q.c->id);
    assert_int_equal(kn_order_issue(f->world, f->foe, &order, NULL), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_order_issue(f->world, (kn_entity_id){0}, &order, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_REFUSED_DUPLICATE);
    assert_int_equal(
        kn_unit_add(f->world, f->foe, (kn_unit_type_id){99}), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_world_hash(f->world) == hash);
}

// A game that takes a component of the kit away, or a save without it.
static void half_a_unit_does_not_obey(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    kn_component_type_id mind = kn_component_find(f->library, "Knack.OrderMind");
    assert_true(kn_component_remove(f->world, mind, f->unit));
    assert_int_equal(issue(f, q.b), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_order_check_autos(f->world, f->unit, NULL), KN_REFUSED_NOT_FOUND);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(info.current.type.index1, q.a->id.index1);
    assert_int_equal(info.ticket, 0);
    gain(f, f->unit, f->alive); // nothing is watched
    step(f);
}

// ORD-052: any number may wait, unless the unit has a limit
static void long_queues_are_worked_off(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.u, NULL, 0);
    enum { MANY = 100000 / SHARE(20) };
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(enqueue(f, i % 2 == 0 ? q.a : q.b), KN_OK);
    }
    step(f);
    q.a->ends = q.b->ends = 1 + KN_ORDER_SUCCEEDED;
    end(f, q.u, KN_ORDER_SUCCEEDED);
    STATE(f, "S |");
    assert_int_equal(q.s->ticket, MANY + 3); // all of them, one after the other
}

static void a_queue_may_have_a_limit(void **state)
{
    fixture *f = *state;
    f->unit_def.queue_limit = 2;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b, q.c}, 2);
    assert_int_equal(enqueue(f, q.u), KN_REFUSED_LIMIT);
    assert_int_equal(give(f, q.u, kn_order_insert_after), KN_REFUSED_LIMIT);
    STATE(f, "A | B C");
}

// Sets a field of a component to a number, as a damaged save could.
static void field_damage(fixture *f, kn_entity_id entity, const char *component, const char *field)
{
    kn_component_type_id type = kn_component_find(f->library, component);
    const kn_component_def *def = kn_component_get_def(f->library, type);
    uint8_t *bytes = kn_component_get(f->world, type, entity);
    const uint32_t one = 1;
    assert_non_null(bytes);
    for (uint32_t i = 0; i < def->field_count; i++) {
        if (strcmp(def->fields[i].name, field) == 0) {
            memcpy(bytes + def->fields[i].offset, &one, sizeof(one));
            return;
        }
    }
    fail_msg("there is no %s", field);
}

// A unit for which a hook seems to run: no save has that, as none can be written from a hook.
static void a_damaged_save_does_not_hold_a_unit_up(void **state)
{
    fixture *f = *state;
    script *s = type_add(f, "S"), *a = type_add(f, "A"), *b = type_add(f, "B");
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    step(f);
    assert_int_equal(issue(f, a), KN_OK);
    field_damage(f, f->unit, "Knack.OrderMind", "busy");
    size_t size;
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_int_equal(kn_save_write(f->world, save, size, &size), KN_OK);
    kn_error error;
    assert_int_equal(kn_save_read(f->world, save, size, &error), KN_OK);
    assert_int_equal(issue(f, b), KN_OK);
    STATE(f, "B |");
    end(f, b, KN_ORDER_SUCCEEDED);
    STATE(f, "S |");
    assert_non_null(s);
    free(save);
}

static const struct CMUnitTest tests[] = {
    TEST(a_unit_obeys_an_order),
    TEST(the_same_order_empties_the_queue_and_no_more),
    TEST(a_new_order_cancels_the_current_one),
    TEST(a_refused_order_stops_the_unit),
    TEST(orders_wait_for_one_that_cannot_be_cancelled),
    TEST(a_waiting_order_that_became_invalid_is_passed_over),
    TEST(an_instant_order_leaves_the_others_alone),
    TEST(a_literal_instant_order_empties_the_queue),
    TEST(orders_are_enqueued),
    TEST(an_order_is_inserted_after_the_current_one),
    TEST(an_interrupted_order_comes_back_with_its_home),
    TEST(some_orders_do_not_interrupt),
    TEST(interrupts_may_reach_all_orders),
    TEST(a_stop_order_in_the_queue_does_not_hold_others_up),
    TEST(a_failed_order_drops_the_queue),
    TEST(instant_orders_of_the_queue_do_not_hold_it_up),
    TEST(the_queue_is_cleared),
    TEST(a_late_end_is_ignored),
    TEST(a_stop_order_that_fails_at_once_is_not_tried_again),
    TEST(a_unit_without_a_stop_order_obeys_too),
    TEST(clients_change_nothing),
    TEST(orders_from_hooks_follow_when_they_are_done),
    TEST(orders_without_end_are_refused),
    TEST(a_unit_ends_inside_its_own_order),
    TEST(a_unit_that_is_destroyed_cancels_its_order),
    TEST(the_death_of_the_target_is_a_success),
    TEST(a_target_that_disappears_counts_as_dead),
    TEST(an_attacker_without_arms_stops),
    TEST(a_cancelled_move_counts_as_done),
    TEST(orders_that_make_no_sense_are_refused),
    TEST(other_tags_do_not_matter),
    TEST(a_changed_relation_ends_orders),
    TEST(changed_relations_end_orders),
    TEST(a_hook_says_why_it_refuses),
    TEST(input_falls_back_to_another_order),
    TEST(a_stop_that_is_refused_cancels_nothing),
    TEST(a_running_order_may_change_its_policy),
    TEST(orders_are_part_of_the_state),
    TEST(bad_input_changes_nothing),
    TEST(half_a_unit_does_not_obey),
    TEST(long_queues_are_worked_off),
    TEST(a_queue_may_have_a_limit),
    TEST(a_damaged_save_does_not_hold_a_unit_up),
};

TEST_GROUP(order_units, tests, NULL, NULL);
