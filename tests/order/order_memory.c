// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a unit remembers, orders that pierce, and orders whose target is replaced.

#include "order_test.h"

// A stop order, two kinds of work, two others, one that cannot be cancelled and one that pierces.
typedef struct crew {
    script *s, *w, *v, *a, *b, *u, *p;
} crew;

static crew crew_begin(fixture *f, bool resumes)
{
    crew c = {type_add(f, "S"), type_add(f, "W"), type_add(f, "V"), type_add(f, "A"),
        type_add(f, "B"), type_add(f, "U"), type_add(f, "P")};
    c.w->def.is_work = true;
    c.v->def.is_work = true;
    c.u->def.policy = KN_ORDER_UNCANCELABLE;
    c.p->def.pierces = true;
    f->unit_def.resumes_work = resumes;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    step(f);
    return c;
}

static const char *work_of(fixture *f)
{
    static char text[256];
    kn_order orders[8];
    uint32_t count = kn_unit_work(f->world, f->unit, orders, 8);
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(text);
        (void)snprintf(text + length, sizeof(text) - length, "%s%s", i > 0 ? " " : "",
            name_of(f, orders[i].type));
    }
    return text;
}

// Work with two orders behind it, from which the unit is called away.
static void call_away(fixture *f, const crew *c)
{
    assert_int_equal(issue(f, c->w), KN_OK);
    place(f, f->unit, 50, 60); // it has gone away from where the work began
    assert_int_equal(enqueue(f, c->b), KN_OK);
    assert_int_equal(enqueue(f, c->v), KN_OK);
    assert_string_equal(work_of(f), "");
    assert_int_equal(issue(f, c->a), KN_OK);
    assert_string_equal(work_of(f), "W B V");
    STATE(f, "A |");
    step(f);
}

// BEY-090
static void work_is_remembered_with_what_waits_behind_it(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    call_away(f, &c);
    assert_int_equal(issue(f, c.b), KN_OK); // what is no work leaves the memory alone
    assert_string_equal(work_of(f), "W B V");
    step(f);
    assert_int_equal(kn_order_resume_work(f->world, f->unit), KN_OK);
    EXPECT(f, "XC(B) CANCEL(B) CH(W) EX(W)");
    STATE(f, "W | B V");
    assert_string_equal(work_of(f), "");
    assert_true(c.w->home.x == 2.0f && c.w->home.y == 0.0f); // where it was when the work began
    end(f, c.w, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(W) CH(B) EX(B)");
    assert_true(c.b->home.x == 50.0f && c.b->home.y == 60.0f);
    assert_int_equal(kn_order_resume_work(f->world, f->unit), KN_REFUSED_NOT_FOUND);
    STATE(f, "B | V");
}

// BEY-090
static void work_that_waited_is_remembered_without_what_came_before_it(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    assert_int_equal(issue(f, c.a), KN_OK);
    assert_int_equal(enqueue(f, c.b), KN_OK);
    assert_int_equal(enqueue(f, c.v), KN_OK);
    assert_int_equal(enqueue(f, c.b), KN_OK);
    assert_int_equal(issue(f, c.b), KN_OK);
    assert_string_equal(work_of(f), "V B");
}

// BEY-090
static void new_work_takes_the_place_of_what_was_remembered(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    call_away(f, &c);
    assert_int_equal(issue(f, c.v), KN_OK);
    assert_string_equal(work_of(f), "");
    assert_int_equal(issue(f, c.a), KN_OK);
    assert_string_equal(work_of(f), "V");
    assert_int_equal(issue(f, c.a), KN_OK); // the same again
    assert_string_equal(work_of(f), "V");
}

// BEY-090
static void a_unit_may_go_back_to_work_by_itself(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, true);
    call_away(f, &c);
    assert_int_equal(enqueue(f, c.b), KN_OK);
    step(f);
    end(f, c.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) CH(B) EX(B)");
    end(f, c.b, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(B) CH(W) EX(W)");
    STATE(f, "W | B V");
    // A unit that is told to stop stops.
    assert_int_equal(issue(f, c.s), KN_OK);
    STATE(f, "S |");
    assert_string_equal(work_of(f), "W B V");
    step(f);
    STATE(f, "S |");
    // And one that fails at something else stops as well.
    assert_int_equal(issue(f, c.a), KN_OK);
    end(f, c.a, KN_ORDER_FAILED);
    STATE(f, "S |");
    assert_string_equal(work_of(f), "W B V");
}

static void work_that_cannot_be_done_any_more_is_left_out(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, true);
    call_away(f, &c);
    c.w->is_refused = true;
    c.b->is_refused = true;
    end(f, c.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) RF(W) RF(B) CH(V) EX(V)");
    STATE(f, "V |");
    c.v->is_refused = true;
    assert_int_equal(issue(f, c.a), KN_OK);
    step(f);
    end(f, c.a, KN_ORDER_SUCCEEDED);
    EXPECT(f, "OK(A) RF(V) CH(S) EX(S)");
    assert_string_equal(work_of(f), "");
}

static void work_waits_for_an_order_that_cannot_be_cancelled(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    call_away(f, &c);
    assert_int_equal(issue(f, c.u), KN_OK);
    assert_int_equal(kn_order_resume_work(f->world, f->unit), KN_REFUSED_EXCLUSIVE);
    assert_string_equal(work_of(f), "W B V");
    STATE(f, "U |");
}

static void resume_is_refused_without_a_unit(void **state)
{
    fixture *f = *state;
    crew_begin(f, false);
    assert_int_equal(kn_order_resume_work(f->world, f->foe), KN_REFUSED_NOT_FOUND);
    kn_entity_destroy(f->world, f->foe);
    assert_int_equal(kn_order_resume_work(f->world, f->foe), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_unit_work(f->world, f->foe, NULL, 0), 0);
    assert_int_equal(kn_order_resume_work(NULL, f->unit), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_unit_work(NULL, f->unit, NULL, 0), 0);
}

static void a_unit_that_is_removed_forgets_its_work(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    call_away(f, &c);
    assert_int_equal(kn_unit_remove(f->world, f->unit), KN_OK);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    assert_string_equal(work_of(f), "");
}

// BEY-090
static void an_order_may_pierce_one_that_cannot_be_cancelled(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    assert_int_equal(issue(f, c.u), KN_OK);
    step(f);
    assert_int_equal(issue(f, c.p), KN_OK);
    EXPECT(f, "CL XC(U) CANCEL(U) CH(P) EX(P)");
    STATE(f, "P |");
    assert_int_equal(issue(f, c.u), KN_OK);
    step(f);
    assert_int_equal(give(f, c.p, kn_order_insert_before), KN_OK);
    EXPECT(f, "CH(P) EX(P)");
    STATE(f, "P | U");
    assert_int_equal(issue(f, c.u), KN_OK);
    assert_int_equal(give(f, c.a, kn_order_insert_before), KN_REFUSED_EXCLUSIVE);
    assert_int_equal(issue(f, c.a), KN_OK);
    STATE(f, "U | A");
}

// Retargeting -------------------------------------------------------------------------------

static void order_at(fixture *f, kn_entity_id unit, const script *s, kn_entity_id target,
    kn_result (*how)(kn_world *, kn_entity_id, const kn_order *, kn_order_answer *))
{
    kn_order order = kn_order_on(s->id, target);
    assert_int_equal(how(f->world, unit, &order, NULL), KN_OK);
}

static kn_entity_id target_at(fixture *f, uint32_t index)
{
    kn_order queue[8];
    assert_true(kn_unit_queue(f->world, f->unit, queue, 8) > index);
    return queue[index].target;
}

static uint32_t retargeted_count(fixture *f, kn_entity_id unit, kn_entity_id from, kn_entity_id to)
{
    kn_custom_event_id kind = kn_custom_event_find(f->library, "Knack.OrderRetargeted");
    kn_events events = kn_world_events(f->world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        uint32_t size;
        if (event->type == KN_EVENT_CUSTOM && event->data.custom.kind.index1 == kind.index1 &&
            kn_entity_id_equal(event->entity, unit)) {
            const kn_order_retargeted *payload = kn_event_payload(f->world, event, &size);
            assert_true(kn_entity_id_equal(payload->from, from));
            assert_true(kn_entity_id_equal(payload->to, to));
            return payload->count;
        }
    }
    return 0;
}

// BEY-090
static void orders_follow_an_entity_that_takes_the_place_of_another(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    uint32_t count = 9;
    // Work at the stone that is remembered, the current order and one that waits; another unit.
    order_at(f, f->unit, c.w, f->stone, kn_order_issue);
    place(f, f->unit, 7, 8);
    order_at(f, f->unit, c.a, f->stone, kn_order_issue);
    order_at(f, f->unit, c.b, f->foe, kn_order_enqueue);
    order_at(f, f->unit, c.b, f->stone, kn_order_enqueue);
    place(f, f->unit, 20, 20);
    assert_int_equal(kn_unit_add(f->world, f->friend, f->unit_type), KN_OK);
    order_at(f, f->friend, c.b, f->foe, kn_order_issue);
    uint32_t ticket = c.a->ticket;
    step(f);

    assert_int_equal(kn_order_retarget(f->world, f->stone, f->rival, &count), KN_OK);
    assert_int_equal(count, 1);
    EXPECT(f, "RT XC(A) CH(A) EX(A)");
    assert_int_equal(retargeted_count(f, f->unit, f->stone, f->rival), 3);
    assert_int_equal(retargeted_count(f, f->friend, f->stone, f->rival), 0);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_true(kn_entity_id_equal(info.current.target, f->rival));
    assert_true(kn_entity_id_equal(c.a->last.target.entity, f->rival));
    assert_true(c.a->home.x == 7.0f && c.a->home.y == 8.0f);
    assert_true(c.a->ticket > ticket);
    assert_true(kn_entity_id_equal(target_at(f, 0), f->foe));
    assert_true(kn_entity_id_equal(target_at(f, 1), f->rival));
    kn_order work[2];
    assert_int_equal(kn_unit_work(f->world, f->unit, work, 2), 1);
    assert_true(kn_entity_id_equal(work[0].target, f->rival));
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->rival, &count), KN_OK);
    assert_int_equal(count, 0);
}

static void a_target_that_does_not_meet_the_requirements_ends_the_order(void **state)
{
    fixture *f = *state;
    script *s = type_add(f, "S"), *a = type_add(f, "A"), *b = type_add(f, "B");
    (void)s;
    a->def.tags.target_required = (kn_tags){&f->building, 1};
    begin_with(f, kn_world_def_default());
    gain(f, f->stone, f->building);
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    order_at(f, f->unit, a, f->stone, kn_order_issue);
    assert_int_equal(enqueue(f, b), KN_OK);
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->rival, NULL), KN_OK);
    STATE(f, "B |"); // cancelled, which counts as a success without other requirements
}

static void retarget_refuses_what_makes_no_sense(void **state)
{
    fixture *f = *state;
    crew_begin(f, false);
    const kn_entity_id null = {0};
    uint32_t count = 7;
    assert_int_equal(
        kn_order_retarget(f->world, null, f->rival, &count), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(count, 0);
    assert_int_equal(kn_order_retarget(f->world, f->stone, null, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_entity_destroy(f->world, f->rival);
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->rival, NULL), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_order_retarget(NULL, f->stone, f->foe, NULL), KN_ERROR_INVALID_ARGUMENT);
}

// Many units at one target, more than are looked up at a time; all are found, each once.
static void any_number_of_units_is_retargeted(void **state)
{
    enum { UNITS = 150 };
    fixture *f = *state;
    crew c = crew_begin(f, false);
    kn_entity_id units[UNITS];
    uint32_t count;
    for (uint32_t i = 0; i < UNITS; i++) {
        assert_int_equal(kn_entity_create(f->world, &units[i]), KN_OK);
        assert_int_equal(kn_unit_add(f->world, units[i], f->unit_type), KN_OK);
        order_at(f, units[i], c.a, f->stone, kn_order_issue);
        order_at(f, units[i], c.b, f->stone, kn_order_enqueue);
    }
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->foe, &count), KN_OK);
    assert_int_equal(count, UNITS);
    for (uint32_t i = 0; i < UNITS; i++) {
        kn_unit_info info;
        kn_order queue;
        assert_true(kn_unit_get_info(f->world, units[i], &info));
        assert_true(kn_entity_id_equal(info.current.target, f->foe));
        assert_int_equal(kn_unit_queue(f->world, units[i], &queue, 1), 1);
        assert_true(kn_entity_id_equal(queue.target, f->foe));
    }
}

// What was done before has no target any more.
static void orders_that_are_done_are_not_retargeted(void **state)
{
    fixture *f = *state;
    crew c = crew_begin(f, false);
    assert_int_equal(issue(f, c.a), KN_OK);
    kn_order order = kn_order_on(c.b->id, f->stone);
    assert_int_equal(kn_order_enqueue(f->world, f->unit, &order, NULL), KN_OK);
    for (int32_t i = 0; i < 6; i++) { // so that the queue is not packed
        kn_order other = kn_order_of(c.a->id);
        other.index = i;
        assert_int_equal(kn_order_enqueue(f->world, f->unit, &other, NULL), KN_OK);
    }
    end(f, c.a, KN_ORDER_SUCCEEDED);
    uint32_t count = 9;
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->foe, &count), KN_OK);
    assert_int_equal(count, 1); // it is current
    end(f, c.b, KN_ORDER_SUCCEEDED);
    assert_int_equal(kn_order_retarget(f->world, f->foe, f->stone, &count), KN_OK);
    assert_int_equal(count, 0);
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->foe, &count), KN_OK);
    assert_int_equal(count, 0);
    step(f);
}

static const struct CMUnitTest tests[] = {
    TEST(work_is_remembered_with_what_waits_behind_it),
    TEST(work_that_waited_is_remembered_without_what_came_before_it),
    TEST(new_work_takes_the_place_of_what_was_remembered),
    TEST(a_unit_may_go_back_to_work_by_itself),
    TEST(work_that_cannot_be_done_any_more_is_left_out),
    TEST(work_waits_for_an_order_that_cannot_be_cancelled),
    TEST(resume_is_refused_without_a_unit),
    TEST(a_unit_that_is_removed_forgets_its_work),
    TEST(an_order_may_pierce_one_that_cannot_be_cancelled),
    TEST(orders_follow_an_entity_that_takes_the_place_of_another),
    TEST(a_target_that_does_not_meet_the_requirements_ends_the_order),
    TEST(retarget_refuses_what_makes_no_sense),
    TEST(any_number_of_units_is_retargeted),
    TEST(orders_that_are_done_are_not_retargeted),
};

TEST_GROUP(order_memory, tests, NULL, NULL);
