// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Input that nobody wants: unknown types, queues without end, targets that die in the same instant,
// and orders from inside every callback. All of it is defined, and nothing is lost.

#include "order_test.h"

#include "knack/tree.h"

// Unknown order types -----------------------------------------------------------------------------

// ORD-008, OD-116
static void unknown_types_are_refused_everywhere(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    const kn_order_type_id unknown[] = {{0}, {99}, {UINT32_MAX}};
    uint64_t hash = kn_world_hash(f->world);
    for (uint32_t i = 0; i < 3; i++) {
        kn_order order = kn_order_of(unknown[i]), resolved;
        kn_order_target target = {0};
        kn_order_group_def group = kn_order_group_def_default();
        kn_vec3 point;
        float score = 1;
        group.units = &f->unit;
        group.unit_count = 1;
        kn_world *w = f->world;
        assert_int_equal(kn_order_issue(w, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_order_enqueue(w, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_order_insert_after(w, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_order_insert_before(w, f->unit, &order, NULL), KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_order_issue_group(w, &group, &order, NULL), KN_REFUSED_NOT_FOUND);
        assert_int_equal(
            kn_order_find_locations(w, &order, &f->unit, 1, &point), KN_REFUSED_NOT_FOUND);
        assert_int_equal(kn_order_set_auto(w, f->unit, unknown[i], -1, true), KN_REFUSED_NOT_FOUND);
        assert_false(kn_order_resolve(w, f->unit, &order, &resolved));
        assert_false(kn_order_check(w, f->unit, &order, NULL));
        assert_false(kn_order_is_valid_target(w, unknown[i], f->unit, &target, -1, NULL));
        assert_false(kn_order_would_succeed(w, unknown[i], f->unit, &target));
        assert_int_equal(
            kn_order_find_target(w, unknown[i], f->unit, -1, 100, 100, (kn_vec3){0}, &score).index1,
            0);
        assert_true(score == 0);
        assert_int_equal(
            kn_order_most_suitable(w, unknown[i], &f->unit, 1, &target, -1, 10).index1, 0);
        assert_int_equal(
            kn_order_candidates(w, unknown[i], f->unit, -1, 100, 100, (kn_vec3){0}, NULL, 0), 0);
    }
    assert_true(kn_world_hash(f->world) == hash);
    EXPECT(f, "");
}

// Long queues -------------------------------------------------------------------------------------

// ORD-052
static void a_million_orders_wait(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    enum { MANY = 1000000 / SHARE(50) };
    arrange(f, q.u, NULL, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        assert_int_equal(enqueue(f, i % 2 == 0 ? q.a : q.b), KN_OK);
        if (i % 65536 == 0) {
            step(f); // so that events do not pile up
        }
    }
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(info.queue_count, MANY);
    step(f);
    assert_int_equal(issue(f, q.c), KN_OK); // replaces them all, behind the current one
    STATE(f, "U | C");
}

static void many_orders_are_inserted_in_front(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    enum { MANY = 200000 / SHARE(20) };
    arrange(f, q.u, NULL, 0);
    kn_order order = kn_order_of(q.a->id);
    for (int32_t i = 0; i < MANY; i++) {
        order.index = i;
        assert_int_equal(kn_order_insert_after(f->world, f->unit, &order, NULL), KN_OK);
        if (i % 65536 == 0) {
            step(f);
        }
    }
    kn_order *queue = malloc(MANY * sizeof(*queue));
    assert_non_null(queue);
    assert_int_equal(kn_unit_queue(f->world, f->unit, queue, MANY), MANY);
    for (int32_t i = 0; i < MANY; i++) {
        assert_int_equal(queue[i].index, MANY - 1 - i);
    }
    free(queue);
    q.a->ends = 1 + KN_ORDER_SUCCEEDED;
    end(f, q.u, KN_ORDER_SUCCEEDED);
    STATE(f, "S |");
    assert_int_equal(q.s->ticket, MANY + 3); // all of them, one after the other
}

static void a_limit_keeps_a_queue_short(void **state)
{
    fixture *f = *state;
    f->unit_def.queue_limit = 3;
    squad q = squad_begin(f);
    arrange(f, q.u, NULL, 0);
    uint32_t taken = 0;
    kn_order order = kn_order_of(q.a->id);
    for (int32_t i = 0; i < 1000; i++) {
        kn_order_answer answer = {0};
        order.index = i;
        kn_result result = kn_order_enqueue(f->world, f->unit, &order, &answer);
        taken += result == KN_OK;
        assert_int_equal(result, i < 3 ? KN_OK : KN_REFUSED_LIMIT);
        assert_int_equal(answer.outcome, i < 3 ? KN_ORDER_WAITS : KN_ORDER_NOT_TAKEN);
    }
    assert_int_equal(taken, 3);
    STATE(f, "U | A A A");
}

// Deaths in the same instant
// ------------------------------------------------------------------------

static kn_entity_id victim;

static void kill_victim(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    (void)f;
    (void)unit;
    (void)ticket;
    assert_true(kn_entity_destroy(world, victim));
}

// ORD-208, OD-021: the target dies in the hook that begins the order
static void a_target_dies_when_its_order_begins(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    victim = f->foe;
    y.attack->executes = kill_victim;
    order_attack(f, &y, f->foe);
    EXPECT(f, "CL CH(K) EX(K) XC(K) CANCEL(K) CH(S) EX(S)");
    assert_false(kn_entity_is_alive(f->world, f->foe));
    STATE(f, "S |");
}

static const script *again;

static void attack_victim_again(fixture *f, kn_world *world, kn_entity_id unit)
{
    kn_order order = kn_order_on(again->id, victim);
    (void)f;
    (void)kn_order_issue(world, unit, &order, NULL);
}

// An order at an entity that is about to go is refused, also while those before it are cancelled.
static void nobody_aims_at_what_is_about_to_go(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    victim = f->foe;
    again = y.attack;
    order_attack(f, &y, f->foe);
    step(f);
    y.attack->cancels = attack_victim_again;
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT(f, "XC(K) CANCEL(K) CH(S) EX(S) CL RF(K)");
    STATE(f, "S |");
}

static void aim_another_at_victim(fixture *f, kn_world *world, kn_entity_id unit)
{
    kn_order order = kn_order_on(again->id, victim);
    (void)f;
    (void)unit;
    (void)kn_order_issue(world, f->friend, &order, NULL);
}

// The same by another unit, with an order that does not need its target.
static void an_order_loses_a_target_that_goes(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    assert_int_equal(kn_unit_add(f->world, f->friend, f->unit_type), KN_OK);
    victim = f->foe;
    again = y.b;
    order_attack(f, &y, f->foe);
    step(f);
    y.attack->cancels = aim_another_at_victim;
    assert_true(kn_entity_destroy(f->world, f->foe));
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->friend, &info));
    assert_int_equal(info.current.type.index1, y.b->id.index1);
    assert_int_equal(info.current.target.index1, 0); // carried out without
    kn_order order = kn_order_on(y.b->id, f->foe);
    assert_int_equal(kn_order_issue(f->world, f->friend, &order, NULL), KN_OK);
    assert_true(kn_unit_get_info(f->world, f->friend, &info));
    assert_int_equal(info.current.target.index1, 0);
    assert_int_equal(kn_order_retarget(f->world, f->stone, f->foe, NULL), KN_REFUSED_STALE_ID);
}

static void retarget_and_kill(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    (void)unit;
    (void)ticket;
    assert_int_equal(kn_order_retarget(world, f->stone, f->foe, NULL), KN_OK);
    assert_true(kn_entity_destroy(world, f->foe));
}

// What takes the place of a target is gone before the unit turns to it.
static void a_new_target_dies_at_once(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    kn_order order = kn_order_on(y.b->id, f->stone);
    y.b->executes = retarget_and_kill;
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    EXPECT(f, "CL CH(B) EX(B)");
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_true(kn_entity_id_equal(info.current.target, f->stone)); // it stays as it was
}

// Unit and target die together; the order has one end.
static void unit_and_target_die_together(void **state)
{
    fixture *f = *state;
    army y = army_begin(f);
    order_attack(f, &y, f->foe);
    assert_int_equal(enqueue(f, y.b), KN_OK);
    step(f);
    victim = f->foe;
    y.attack->cancels = NULL;
    assert_true(kn_entity_destroy(f->world, f->unit));
    assert_true(kn_entity_destroy(f->world, f->foe));
    EXPECT(f, "XC(K) CANCEL(K) CL");
}

// Orders from inside every callback
// ------------------------------------------------------------------

// Everybody who calls back gives this order.
static kn_order next_order;
static uint32_t given;

static void give_next(kn_world *world, kn_entity_id unit)
{
    kn_order_answer answer = {0};
    if (next_order.type.index1 != 0 && unit.index1 != 0) {
        kn_order order = next_order;
        next_order = kn_order_default();
        assert_int_equal(kn_order_issue(world, unit, &order, &answer), KN_OK);
        assert_true(answer.outcome != KN_ORDER_NOT_TAKEN);
        given++;
    }
}

static void give_in_execute(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    give_next(world, unit);
}

static void give_in_cancel(fixture *f, kn_world *world, kn_entity_id unit)
{
    (void)f;
    give_next(world, unit);
}

static kn_result give_in_tree(void *user, const kn_hook_call *call)
{
    kn_tree_call *c = call->arguments;
    (void)user;
    c->result = c->ticket != 0 ? KN_TREE_RUNNING : KN_TREE_SUCCEEDED;
    give_next(call->writable, call->entity);
    return KN_OK;
}

static void give_in_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    give_next(world, reaction->entity);
}

static kn_entity_id the_unit;

static void give_in_death_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    (void)reaction;
    give_next(world, the_unit);
}

static void give_in_listener(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    give_next(world, event->entity);
}

static kn_time give_in_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)data;
    give_next(world, entity);
    return 0;
}

static void rule_add(fixture *f, const char *name, kn_trigger trigger, kn_tag tag, kn_rule_fn *does)
{
    kn_rule_def def = kn_rule_def_default();
    kn_rule_id rule;
    def.name = name;
    def.trigger = trigger;
    def.tag = tag;
    def.function = does;
    assert_int_equal(kn_rule_register(f->library, &def, &rule, NULL), KN_OK);
}

// A type whose tree has a task that goes on, with a service; all hooks of both give orders.
static kn_order_type_id tree_type(fixture *f)
{
    kn_blackboard_def board = kn_blackboard_def_default();
    kn_tree_def tree = kn_tree_def_default();
    kn_tree_action_def action = kn_tree_action_def_default();
    kn_tree_service service = kn_tree_service_default();
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    kn_error error = {0};
    board.name = "Board";
    board.order_keys = true;
    assert_int_equal(kn_blackboard_register(f->library, &board, &tree.blackboard, &error), KN_OK);
    action.name = "Act";
    action.run = (kn_hook){give_in_tree, NULL};
    action.aborted = (kn_hook){give_in_tree, NULL};
    assert_int_equal(kn_tree_action_register(f->library, &action, &service.action, &error), KN_OK);
    service.interval = KN_MS(10);
    tree.name = "Tree";
    tree.root.kind = KN_TREE_TASK;
    tree.root.action = service.action;
    tree.root.services = &service;
    tree.root.service_count = 1;
    def.name = "T";
    def.needs_life = false;
    if (kn_tree_register(f->library, &tree, &def.tree, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(kn_order_type_register(f->library, &def, &type, &error), KN_OK);
    return type;
}

// Wherever the order comes from, the unit carries it out, and it alone.
static void expect_taken(fixture *f, const script *s)
{
    step(f);
    assert_int_equal(given, 1);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->unit, &info));
    assert_int_equal(info.current.type.index1, s->id.index1);
    assert_int_equal(info.queue_count, 0);
    assert_int_equal(s->ticket, info.ticket);
    given = 0;
    next_order = kn_order_default();
}

// ORD-156
static void orders_come_from_inside_every_callback(void **state)
{
    fixture *f = *state;
    kn_timer_type_id timer_type;
    kn_timer_id timer;
    kn_order_type_id tree = tree_type(f);
    rule_add(f, "OnTag", KN_TRIGGER_TAG_ADDED, f->worker, give_in_rule);
    rule_add(f, "OnDeath", KN_TRIGGER_ENTITY_DESTROYED, (kn_tag){0}, give_in_death_rule);
    assert_int_equal(
        kn_timer_type_register(f->library, "Late", give_in_timer, NULL, &timer_type, NULL), KN_OK);
    squad q = squad_begin(f);
    the_unit = f->unit;
    q.a->executes = give_in_execute;
    q.a->cancels = give_in_cancel;
    given = 0;
    next_order = kn_order_of(q.b->id); // `execute`
    assert_int_equal(issue(f, q.a), KN_OK);
    expect_taken(f, q.b);
    assert_int_equal(issue(f, q.a), KN_OK); // `cancelled`, by another order
    next_order = kn_order_of(q.b->id);
    assert_int_equal(issue(f, q.c), KN_OK);
    expect_taken(f, q.b);
    next_order = kn_order_of(q.b->id); // a task or service of a tree
    kn_order order = kn_order_of(tree);
    assert_int_equal(issue(f, q.c), KN_OK);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    expect_taken(f, q.b);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    step(f);
    next_order = kn_order_of(q.b->id); // a service, later
    step(f);
    expect_taken(f, q.b);
    assert_int_equal(kn_order_issue(f->world, f->unit, &order, NULL), KN_OK);
    next_order = kn_order_of(q.b->id); // a task that is aborted
    assert_int_equal(issue(f, q.c), KN_OK);
    expect_taken(f, q.b);
    next_order = kn_order_of(q.c->id); // a rule about a tag
    gain(f, f->unit, f->worker);
    expect_taken(f, q.c);
    next_order = kn_order_of(q.b->id); // a rule about a death
    assert_true(kn_entity_destroy(f->world, f->stone));
    expect_taken(f, q.b);
    next_order = kn_order_of(q.c->id); // a timer
    assert_int_equal(kn_timer_start(f->world, timer_type, f->unit, KN_MS(5), NULL, &timer), KN_OK);
    expect_taken(f, q.c);
    kn_listener_def listener = kn_listener_def_default(); // a listener, after the step
    kn_listener_id id;
    listener.type = KN_EVENT_CUSTOM;
    listener.custom = kn_custom_event_find(f->library, "Knack.OrderChanged");
    listener.function = give_in_listener;
    assert_int_equal(kn_listener_add(f->world, &listener, &id), KN_OK);
    assert_int_equal(issue(f, q.b), KN_OK);
    next_order = kn_order_of(q.c->id);
    step(f);
    expect_taken(f, q.c);
}

// Orders that a hook gives and that are refused later are published, as their caller has left.
static const script *refused_later[2];

static void give_two(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    for (uint32_t i = 0; i < 2; i++) {
        kn_order order = kn_order_of(refused_later[i]->id);
        kn_order_answer answer = {0};
        kn_result result = i == 0 ? kn_order_insert_before(world, unit, &order, &answer)
                                  : kn_order_enqueue(world, unit, &order, &answer);
        assert_int_equal(result, KN_OK);
        assert_int_equal(answer.outcome, KN_ORDER_DEFERRED);
    }
}

static void orders_of_hooks_that_are_refused_later_are_published(void **state)
{
    fixture *f = *state;
    f->unit_def.queue_limit = 1;
    squad q = squad_begin(f);
    arrange(f, q.a, (const script *const[]){q.b}, 1);
    refused_later[0] = q.c; // cannot interrupt what runs
    refused_later[1] = q.i; // and there is room for one only
    q.u->executes = give_two;
    assert_int_equal(give(f, q.u, kn_order_insert_before), KN_OK);
    EXPECT(f, "CH(U) EX(U) RF(C) RF(I)");
    STATE(f, "U | A B");
}

static void give_and_go(fixture *f, kn_world *world, kn_entity_id unit, uint32_t ticket)
{
    kn_order order = kn_order_of(f->scripts[2].id);
    (void)ticket;
    assert_int_equal(kn_unit_remove(world, unit), KN_OK);
    assert_int_equal(kn_order_enqueue(world, unit, &order, NULL), KN_OK); // too late
}

static void orders_for_a_unit_that_ends_are_published(void **state)
{
    fixture *f = *state;
    squad q = squad_begin(f);
    q.a->executes = give_and_go;
    assert_int_equal(issue(f, q.a), KN_OK);
    EXPECT(f, "CL CH(A) EX(A) XC(A) CANCEL(A) RF(B)");
}

// Zero-length periods
// ----------------------------------------------------------------------------------

// An interval of 0 is none: the host checks. Times below 0 are refused.
static void an_interval_of_zero_leaves_checks_to_the_host(void **state)
{
    fixture *f = *state;
    static kn_order_auto autos[1];
    script *s = type_add(f, "S"), *a = type_add(f, "A");
    kn_error error = {0};
    s->def.allows_auto = true;
    a->def.auto_for_ai = true;
    autos[0] = (kn_order_auto){{2}, -1, 0};
    f->unit_def.autos = autos;
    f->unit_def.auto_count = 1;
    f->unit_def.acquisition_radius = 100;
    f->unit_def.auto_interval = -1;
    assert_int_equal(
        kn_unit_type_register(f->library, &f->unit_def, NULL, &error), KN_ERROR_BAD_DATA);
    f->unit_def.auto_interval = 0;
    begin_with(f, kn_world_def_default());
    assert_int_equal(kn_unit_add(f->world, f->unit, f->unit_type), KN_OK);
    for (int i = 0; i < 200; i++) {
        step(f);
    }
    STATE(f, "S |"); // ORD-410: without a check, nothing happens
    bool is_issued = false;
    assert_int_equal(kn_order_check_autos(f->world, f->unit, &is_issued), KN_OK);
    assert_true(is_issued);
}

static const struct CMUnitTest tests[] = {
    TEST(unknown_types_are_refused_everywhere),
    TEST(a_million_orders_wait),
    TEST(many_orders_are_inserted_in_front),
    TEST(a_limit_keeps_a_queue_short),
    TEST(a_target_dies_when_its_order_begins),
    TEST(nobody_aims_at_what_is_about_to_go),
    TEST(an_order_loses_a_target_that_goes),
    TEST(a_new_target_dies_at_once),
    TEST(unit_and_target_die_together),
    TEST(orders_come_from_inside_every_callback),
    TEST(orders_of_hooks_that_are_refused_later_are_published),
    TEST(orders_for_a_unit_that_ends_are_published),
    TEST(an_interval_of_zero_leaves_checks_to_the_host),
};

TEST_GROUP(order_spec_bad_input, tests, NULL, NULL);
