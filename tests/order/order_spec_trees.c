// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders that trees carry out, as the specification describes the controller of a unit.

#include "tree_test.h"

static kn_order_type_id type_of_kind(
    fixture *f, const char *name, kn_tree_id tree, kn_order_target_kind kind)
{
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    def.name = name;
    def.needs_life = false;
    def.tree = tree;
    def.target_kind = kind;
    assert_int_equal(kn_order_type_register(f->library, &def, &type, NULL), KN_OK);
    return type;
}

static kn_blackboard_order board_of(fixture *f, kn_entity_id entity)
{
    kn_blackboard_order order;
    assert_true(kn_blackboard_get_current_order(f->world, entity, &order));
    return order;
}

// ORD-290
static void order_types_restart_their_tree_unless_told_otherwise(void **state)
{
    kn_order_type_def def = kn_order_type_def_default();
    (void)state;
    assert_int_equal(def.tree.index1, 0);
    assert_true(def.restarts_tree);
    assert_true(def.acquisition_radius < 0); // none of its own
}

// ORD-292, ORD-293, RTS-236: a location is for orders that are aimed at one
static void the_location_is_written_for_orders_at_points(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T", GO("W"));
    kn_order_type_id go = type_of_kind(f, "Go", tree, KN_ORDER_TARGET_LOCATION);
    kn_order_type_id aim = type_of_kind(f, "Aim", tree, KN_ORDER_TARGET_DIRECTION);
    kn_order_type_id hit = type_of_kind(f, "Hit", tree, KN_ORDER_TARGET_ENTITY);
    kn_order_type_id cry = type_of_kind(f, "Cry", tree, KN_ORDER_TARGET_NONE);
    units_begin(f, (kn_order_type_id){0});
    const struct {
        kn_order_type_id type;
        bool has_location;
    } cases[] = {{go, true}, {aim, true}, {hit, false}, {cry, false}};
    for (uint32_t i = 0; i < 4; i++) { // with both, as group and automatic orders have
        kn_order order = kn_order_at(cases[i].type, (kn_vec3){4, 5, 6});
        order.target = f->foe;
        issue(f, &order);
        assert_int_equal(
            kn_blackboard_is_set(f->world, f->a, "Order_Location"), cases[i].has_location);
        assert_true(board_of(f, f->a).location.x == (cases[i].has_location ? 4.0f : 0.0f));
        assert_true(kn_entity_id_equal(board_of(f, f->a).target, f->foe));
        kn_unit_info info;
        assert_true(kn_unit_get_info(f->world, f->a, &info));
        assert_int_equal(info.current.uses_location, 1); // the order itself stays as it was given
    }
    kn_order order = kn_order_on(go, f->foe); // a point is needed, and an entity is given
    issue(f, &order);
    assert_true(board_of(f, f->a).location.x == 10);
}

static kn_blackboard_order seen_by_tree;

static void see_board(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    assert_true(kn_blackboard_get_current_order(world, entity, &seen_by_tree));
}

// ORD-297, ORD-299: the blackboard is there before the first node; own steps come around others
static void a_tree_finds_its_order_when_it_begins(void **state)
{
    fixture *f = *state;
    kn_tree_id walk = TREE("Walk", GO("W"));
    kn_tree_id loud = TREE(
        "Loud", NODE(KN_TREE_SEQUENCE, KIDS(TASK("Horn", f->custom, .number = 0),
                                           NODE(KN_TREE_SUB_TREE, .tree = walk), OK("After"))));
    kn_order_type_id type = type_of_kind(f, "Loud", loud, KN_ORDER_TARGET_ENTITY);
    units_begin(f, (kn_order_type_id){0});
    f->does = see_board;
    kn_order order = kn_order_on(type, f->foe);
    order.index = 2;
    issue(f, &order);
    assert_int_equal(seen_by_tree.type.index1, type.index1);
    assert_true(kn_entity_id_equal(seen_by_tree.target, f->foe));
    assert_int_equal(seen_by_tree.index, 2);
    EXPECT("!Horn +W", KN_TREE_RUNNING);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("After", KN_TREE_SUCCEEDED);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S"); // one end, by the one way there is
}

// ORD-298
static void units_of_players_have_trees_too(void **state)
{
    fixture *f = *state;
    kn_order_type_id type = type_of_kind(f, "Go", TREE("T", GO("W")), KN_ORDER_TARGET_NONE);
    units_begin(f, (kn_order_type_id){0});
    kn_entity_set_connection(f->world, f->a, 4);
    issue_type(f, type);
    EXPECT("+W", KN_TREE_RUNNING);
}

// ORD-294, RTSV-C2: an order without a tree that is there ends nothing that runs
static void what_has_no_tree_leaves_the_running_one_alone(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    units_begin(f, stop);
    EXPECT("+I", KN_TREE_RUNNING);
    assert_int_equal(kn_tree_start(f->world, f->a, (kn_tree_id){0}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_tree_start(f->world, f->a, (kn_tree_id){77}), KN_ERROR_INVALID_ARGUMENT);
    const kn_order order = kn_order_of((kn_order_type_id){77});
    assert_int_equal(kn_order_issue(f->world, f->a, &order, NULL), KN_REFUSED_NOT_FOUND);
    EXPECT("", KN_TREE_RUNNING);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "");
    kn_tree_info info;
    assert_true(kn_tree_get_info(f->world, f->a, &info));
    assert_int_equal(info.run, 1);
}

static kn_result fails_at_once(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)call;
    return KN_REFUSED_CUSTOM;
}

// RTSV-C2: what cannot be carried out has failed when the call returns
static void an_order_that_cannot_begin_fails_inside_the_call(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    def.name = "Broken";
    def.needs_life = false;
    def.execute = (kn_hook){fails_at_once, NULL};
    assert_int_equal(kn_order_type_register(f->library, &def, &type, NULL), KN_OK);
    units_begin(f, stop);
    issue_type(f, type);
    assert_int_equal(current(f).index1, stop.index1); // at once
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "F");
}

// RTS-230, RTSV-C6: what goes on or was aborted is not a result
static void running_and_aborted_are_never_delivered(void **state)
{
    fixture *f = *state;
    kn_error error = {0};
    kn_tree_def bad = kn_tree_def_default();
    kn_tree_id tree;
    bad.name = "Bad";
    bad.blackboard = f->board;
    const kn_tree_result results[] = {KN_TREE_RUNNING, KN_TREE_ABORTED};
    for (uint32_t i = 0; i < 2; i++) {
        bad.root = (kn_tree_node)NODE(KN_TREE_FINISH_ORDER, .result = results[i]);
        assert_int_equal(kn_tree_register(f->library, &bad, &tree, &error), KN_ERROR_BAD_DATA);
    }
    kn_order_type_id type = type_of_kind(f, "Go", TREE("T", GO("W")), KN_ORDER_TARGET_NONE);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, type);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_tree_finish_task(f->world, f->a, f->ticket[0], results[i]),
            KN_ERROR_INVALID_ARGUMENT);
    }
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    for (uint32_t i = 0; i < 5; i++) {
        step(f, KN_MS(1));
        assert_string_equal(ends(f), "");
    }
    assert_int_equal(current(f).index1, type.index1); // it goes on without a tree
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->a, &info));
    assert_int_equal(kn_order_end(f->world, f->a, info.ticket, KN_ORDER_SUCCEEDED), KN_OK);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S");
}

static uint32_t events_sent;

static kn_result send_event(void *user, const kn_hook_call *call)
{
    const fixture *f = user;
    events_sent++;
    return kn_event_send(call->writable, call->entity, f->alarm, NULL);
}

// RTSV-C16: an instant order is none of the tree's business
static void an_instant_order_leaves_the_tree_alone(void **state)
{
    fixture *f = *state;
    kn_order_type_id go = type_of_kind(f, "Go", TREE("T", GO("W")), KN_ORDER_TARGET_NONE);
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id horn;
    def.name = "Horn";
    def.needs_life = false;
    def.policy = KN_ORDER_INSTANT;
    def.execute = (kn_hook){send_event, f};
    assert_int_equal(kn_order_type_register(f->library, &def, &horn, NULL), KN_OK);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, go);
    events_sent = 0;
    const kn_blackboard_order before = board_of(f, f->a);
    issue_type(f, horn); // its result is that of the call
    assert_int_equal(events_sent, 1);
    const kn_blackboard_order after = board_of(f, f->a);
    assert_memory_equal(&before, &after, sizeof(before));
    EXPECT("+W", KN_TREE_RUNNING);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "");
    assert_int_equal(current(f).index1, go.index1);
}

// ORD-004, OD-032: players, the AI and automatic orders use the same way
static void all_orders_come_the_same_way(void **state)
{
    fixture *f = *state;
    static kn_order_auto autos[1];
    kn_order_type_def hit = kn_order_type_def_default();
    kn_order_type_id type, think;
    hit.name = "Hit";
    hit.needs_life = false;
    hit.target_kind = KN_ORDER_TARGET_ENTITY;
    hit.auto_for_ai = true;
    hit.tree = TREE("Hit", GO("H"));
    assert_int_equal(kn_order_type_register(f->library, &hit, &type, NULL), KN_OK);
    kn_order_type_def brain = kn_order_type_def_default();
    brain.name = "Think";
    brain.needs_life = false;
    brain.allows_auto = true;
    brain.tree = TREE(
        "Brain", NODE(KN_TREE_SEQUENCE,
                     KIDS(NODE(KN_TREE_WAIT_EVENT, .tag = f->alarm),
                         NODE(KN_TREE_ISSUE_ORDER, .order = "Hit", .target = "Foe"), GO("T"))));
    assert_int_equal(kn_order_type_register(f->library, &brain, &think, NULL), KN_OK);
    kn_unit_type_def unit = kn_unit_type_def_default();
    autos[0] = (kn_order_auto){type, -1, 0};
    unit.name = "Unit";
    unit.autos = autos;
    unit.auto_count = 1;
    unit.auto_interval = 0;
    unit.acquisition_radius = 100;
    assert_int_equal(kn_unit_type_register(f->library, &unit, &f->unit_type, NULL), KN_OK);
    begin(f);
    assert_int_equal(kn_unit_add(f->world, f->a, f->unit_type), KN_OK);
    kn_order order = kn_order_on(type, f->foe);
    f->log[0] = 0;
    issue(f, &order); // a player
    EXPECT("+H", KN_TREE_RUNNING);
    assert_true(kn_entity_id_equal(board_of(f, f->a).target, f->foe));
    issue_type(f, think); // a mind of its own
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->foe), KN_OK);
    EXPECT("-H", KN_TREE_RUNNING);
    send(f, f->a, f->alarm);
    assert_int_equal(current(f).index1, type.index1);
    assert_true(kn_entity_id_equal(board_of(f, f->a).target, f->foe));
    EXPECT("+T -T +H", KN_TREE_RUNNING);
    issue_type(f, think);
    bool is_issued = false;
    assert_int_equal(kn_order_check_autos(f->world, f->a, &is_issued), KN_OK); // by itself
    assert_true(is_issued);
    assert_int_equal(current(f).index1, type.index1);
    assert_int_not_equal(board_of(f, f->a).target.index1, 0);
    EXPECT("-H +H", KN_TREE_RUNNING);
}

// RTS-250, RTS-263: without a blackboard, and without an index
static void an_absent_index_is_zero_and_no_index_is_not(void **state)
{
    fixture *f = *state;
    kn_order_type_id go = type_of_kind(f, "Go", TREE("T", GO("W")), KN_ORDER_TARGET_NONE);
    units_begin(f, (kn_order_type_id){0});
    kn_blackboard_order order;
    int32_t index = 9;
    assert_false(kn_blackboard_get_current_order(f->world, f->foe, &order));
    assert_int_equal(order.index, 0);
    assert_int_equal(
        kn_blackboard_get_int(f->world, f->foe, "Order_Index", &index), KN_REFUSED_NOT_FOUND);
    assert_int_equal(index, 0);
    issue_type(f, go);
    assert_int_equal(board_of(f, f->a).index, -1);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Order_Index", &index), KN_OK);
    assert_int_equal(index, -1);
}

// RTS-259: how far a unit may go from its post
static void a_tree_knows_how_far_home_is(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("Guard",
        NODE(KN_TREE_SELECTOR,
            KIDS(TASK("Hunt", f->go, WHEN({.key = "Order_HomeLocation", .within = "Number"})),
                GO("Return"))));
    kn_order_type_id guard = type_of_kind(f, "Guard", tree, KN_ORDER_TARGET_NONE);
    kn_order_type_id other = type_of_kind(f, "Other", TREE("O", GO("O")), KN_ORDER_TARGET_NONE);
    units_begin(f, (kn_order_type_id){0}); // at (10, 20); the number is 2.5
    issue_type(f, guard);
    EXPECT("+Hunt", KN_TREE_RUNNING);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){13, 20, 30};
    assert_int_equal(kn_grid_set_body(f->grid, f->a, &body), KN_OK);
    kn_order order = kn_order_of(other);
    assert_int_equal(kn_order_insert_before(f->world, f->a, &order, NULL), KN_OK);
    kn_unit_info info;
    assert_true(kn_unit_get_info(f->world, f->a, &info));
    assert_int_equal(kn_order_end(f->world, f->a, info.ticket, KN_ORDER_SUCCEEDED), KN_OK);
    EXPECT("-Hunt +O -O +Return", KN_TREE_RUNNING); // it has its old home, which is too far away
    assert_true(board_of(f, f->a).home.x == 10);
}

// Bad input -----------------------------------------------------------------------------

// RTS-245: a tree that goes on and on fails its order, once, and the unit goes on
static void an_order_whose_tree_never_waits_fails(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_tree_id endless =
        TREE("Endless", NODE(KN_TREE_REPEAT, KIDS(NODE(KN_TREE_WAIT, .duration = 0))));
    kn_order_type_id type = type_of_kind(f, "Spin", endless, KN_ORDER_TARGET_NONE);
    units_begin(f, stop);
    issue_type(f, type);
    uint32_t stuck = 0, failed = 0;
    for (uint32_t i = 0; i < 20; i++) { // its end is delivered after a pause
        step(f, KN_MS(10));
        stuck += f->stuck;
        failed += (uint32_t)strlen(ends(f));
    }
    assert_int_equal(stuck, 1);
    assert_int_equal(failed, 1);
    assert_int_equal(current(f).index1, stop.index1);
    assert_int_equal(result_of(f, f->a), KN_TREE_RUNNING);
}

static kn_result tree_try(fixture *f, const kn_tree_node *root, const char *sentence)
{
    kn_tree_def def = kn_tree_def_default();
    kn_tree_id tree;
    kn_error error = {0};
    def.name = "Try";
    def.blackboard = f->board;
    def.root = *root;
    kn_result result = kn_tree_register(f->library, &def, &tree, &error);
    if (result == KN_OK) {
        result = kn_library_finish(f->library, &error);
    }
    if (result != KN_OK && strstr(error.message, sentence) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", sentence, error.message);
    }
    return result;
}

// A period of 0 is refused where it would never let time go on, and no time at all elsewhere.
static void services_without_an_interval_are_refused(void **state)
{
    fixture *f = *state;
    const kn_tree_service service = {.action = f->tick, .interval = 0};
    const kn_tree_node root =
        NODE(KN_TREE_WAIT, .duration = 1, .services = &service, .service_count = 1);
    assert_int_equal(
        tree_try(f, &root, "the `interval` of a service must be above 0"), KN_ERROR_BAD_DATA);
}

static void limits_without_a_duration_are_refused(void **state)
{
    fixture *f = *state;
    const kn_tree_node root = NODE(KN_TREE_TIME_LIMIT, KIDS(GO("A")));
    assert_int_equal(tree_try(f, &root, "it needs a `duration` above 0"), KN_ERROR_BAD_DATA);
}

static void waiting_for_no_time_succeeds_at_once(void **state)
{
    fixture *f = *state;
    kn_tree_id tree =
        TREE("T", NODE(KN_TREE_SEQUENCE, KIDS(NODE(KN_TREE_WAIT, .duration = 0), OK("A"))));
    begin(f);
    start(f, tree);
    EXPECT("A", KN_TREE_SUCCEEDED);
}

// What a planner of a game has in place of a tree: it notes its order on the blackboard.
static kn_result plan(void *user, const kn_hook_call *call)
{
    fixture *f = user;
    const kn_order_call *c = call->arguments;
    kn_world *world = call->writable;
    assert_int_equal(kn_blackboard_add(world, call->entity, f->board), KN_OK);
    assert_int_equal(
        kn_blackboard_set_int(world, call->entity, "Whole", (int32_t)c->ticket), KN_OK);
    assert_int_equal(kn_blackboard_set_entity(world, call->entity, "Foe", c->order.target), KN_OK);
    return KN_OK;
}

// RTS-260: another kind of AI may carry out orders. It has the order and a blackboard, no tree
// runs, and the unit goes on when it says so.
static void something_else_may_carry_out_orders(void **state)
{
    fixture *f = *state;
    kn_order_type_id rest = order_of(f, "Rest", TREE("Idle", GO("I")), true);
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id raid;
    def.name = "Raid";
    def.needs_life = false;
    def.target_kind = KN_ORDER_TARGET_ENTITY;
    def.execute = (kn_hook){plan, f};
    assert_int_equal(kn_order_type_register(f->library, &def, &raid, NULL), KN_OK);
    units_begin(f, rest);
    kn_order order = kn_order_on(raid, f->foe);
    issue(f, &order);
    kn_tree_info info;
    kn_entity_id foe;
    int32_t ticket;
    assert_false(kn_tree_get_info(f->world, f->a, &info) && info.result == KN_TREE_RUNNING);
    assert_int_equal(kn_blackboard_get_entity(f->world, f->a, "Foe", &foe), KN_OK);
    assert_true(kn_entity_id_equal(foe, f->foe));
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Whole", &ticket), KN_OK);
    step(f, KN_MS(500));
    assert_int_equal(current(f).index1, raid.index1);
    assert_int_equal(kn_order_end(f->world, f->a, (uint32_t)ticket, KN_ORDER_SUCCEEDED), KN_OK);
    assert_int_equal(current(f).index1, rest.index1);
    assert_true(kn_tree_get_info(f->world, f->a, &info));
    assert_int_equal(info.result, KN_TREE_RUNNING);
}

// RTS-264
static void keys_of_the_wrong_kind_are_refused(void **state)
{
    fixture *f = *state;
    const kn_tree_node root =
        TASK("A", f->ok, WHEN({.key = "Flag", .compare = KN_TREE_EQUAL, .with = "Foe"}));
    assert_int_equal(tree_try(f, &root, "a key of another kind"), KN_ERROR_BAD_DATA);
}

static void values_of_the_wrong_kind_are_refused(void **state)
{
    fixture *f = *state;
    begin(f);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 4), KN_OK);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(
        kn_blackboard_set_float(f->world, f->a, "Whole", 2.0f), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_blackboard_set_entity(f->world, f->a, "Whole", f->foe), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_blackboard_set_int(f->world, f->a, "Order_Index", 4), KN_REFUSED_BLOCKED); // RTS-267
    assert_true(kn_world_hash(f->world) == hash);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(order_types_restart_their_tree_unless_told_otherwise),
    TEST(the_location_is_written_for_orders_at_points),
    TEST(a_tree_finds_its_order_when_it_begins),
    TEST(units_of_players_have_trees_too),
    TEST(what_has_no_tree_leaves_the_running_one_alone),
    TEST(an_order_that_cannot_begin_fails_inside_the_call),
    TEST(running_and_aborted_are_never_delivered),
    TEST(an_instant_order_leaves_the_tree_alone),
    TEST(all_orders_come_the_same_way),
    TEST(an_absent_index_is_zero_and_no_index_is_not),
    TEST(a_tree_knows_how_far_home_is),
    TEST(an_order_whose_tree_never_waits_fails),
    TEST(services_without_an_interval_are_refused),
    TEST(limits_without_a_duration_are_refused),
    TEST(waiting_for_no_time_succeeds_at_once),
    TEST(something_else_may_carry_out_orders),
    TEST(keys_of_the_wrong_kind_are_refused),
    TEST(values_of_the_wrong_kind_are_refused),
};

TEST_GROUP(order_spec_trees, tests, NULL, NULL);
