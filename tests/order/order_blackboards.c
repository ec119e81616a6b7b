// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blackboards, and orders that trees carry out.

#include "tree_test.h"

#include <math.h>

// Blackboards -------------------------------------------------------------------------

// RTS-265
static void each_entity_has_values_of_its_own(void **state)
{
    fixture *f = *state;
    int32_t whole;
    float number;
    begin(f);
    assert_int_equal(kn_blackboard_get(f->world, f->a).index1, 0);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    assert_int_equal(kn_blackboard_add(f->world, f->b, f->board), KN_OK);
    assert_int_equal(kn_blackboard_get(f->world, f->a).index1, f->board.index1);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 3), KN_OK);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Whole", &whole), KN_OK);
    assert_int_equal(whole, 3);
    assert_int_equal(kn_blackboard_get_int(f->world, f->b, "Whole", &whole), KN_OK);
    assert_int_equal(whole, 0);
    assert_int_equal(kn_blackboard_get_int(f->world, f->b, "Other", &whole), KN_OK);
    assert_int_equal(whole, 7); // what it begins with
    assert_int_equal(kn_blackboard_get_float(f->world, f->b, "Number", &number), KN_OK);
    assert_true(number == 2.5f);
    assert_true(kn_blackboard_is_set(f->world, f->b, "Number"));
    assert_false(kn_blackboard_is_set(f->world, f->b, "Whole"));
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK); // nothing is lost
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Whole", &whole), KN_OK);
    assert_int_equal(whole, 3);
}

static void values_of_every_kind_are_kept_and_cleared(void **state)
{
    fixture *f = *state;
    static const char *const keys[] = {"Flag", "Whole", "Number", "Point", "Foe", "Type", "Label"};
    kn_order_type_def order = kn_order_type_def_default();
    kn_order_type_id type;
    order.name = "Pass";
    order.target_kind = KN_ORDER_TARGET_PASSIVE;
    assert_int_equal(kn_order_type_register(f->library, &order, &type, NULL), KN_OK);
    begin(f);
    kn_world *world = f->world;
    const kn_vec3 at = {1, 2, 3};
    assert_int_equal(kn_blackboard_add(world, f->a, f->board), KN_OK);
    assert_int_equal(kn_blackboard_set_bool(world, f->a, "Flag", true), KN_OK);
    assert_int_equal(kn_blackboard_set_int(world, f->a, "Whole", -5), KN_OK);
    assert_int_equal(kn_blackboard_set_float(world, f->a, "Number", 0.5f), KN_OK);
    assert_int_equal(kn_blackboard_set_vector(world, f->a, "Point", at), KN_OK);
    assert_int_equal(kn_blackboard_set_entity(world, f->a, "Foe", f->b), KN_OK);
    assert_int_equal(kn_blackboard_set_order(world, f->a, "Type", type), KN_OK);
    assert_int_equal(kn_blackboard_set_tag(world, f->a, "Label", f->calm), KN_OK);
    // Saved and loaded by name.
    size_t size;
    kn_error error;
    assert_int_equal(kn_save_write(world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_int_equal(kn_save_write(world, save, size, &size), KN_OK);
    uint64_t hash = kn_world_hash(world);
    for (uint32_t i = 0; i < COUNT(keys); i++) {
        assert_true(kn_blackboard_is_set(world, f->a, keys[i]));
        assert_int_equal(kn_blackboard_clear(world, f->a, keys[i]), KN_OK);
        assert_false(kn_blackboard_is_set(world, f->a, keys[i]));
    }
    assert_true(kn_world_hash(world) != hash);
    assert_int_equal(kn_save_read(world, save, size, &error), KN_OK);
    assert_true(kn_world_hash(world) == hash);
    free(save);
    bool flag;
    int32_t whole;
    float number;
    kn_vec3 point;
    kn_entity_id entity;
    kn_order_type_id found;
    kn_tag tag;
    assert_int_equal(kn_blackboard_get_bool(world, f->a, "Flag", &flag), KN_OK);
    assert_int_equal(kn_blackboard_get_int(world, f->a, "Whole", &whole), KN_OK);
    assert_int_equal(kn_blackboard_get_float(world, f->a, "Number", &number), KN_OK);
    assert_int_equal(kn_blackboard_get_vector(world, f->a, "Point", &point), KN_OK);
    assert_int_equal(kn_blackboard_get_entity(world, f->a, "Foe", &entity), KN_OK);
    assert_int_equal(kn_blackboard_get_order(world, f->a, "Type", &found), KN_OK);
    assert_int_equal(kn_blackboard_get_tag(world, f->a, "Label", &tag), KN_OK);
    assert_true(flag && whole == -5 && number == 0.5f);
    assert_true(point.x == 1 && point.y == 2 && point.z == 3);
    assert_true(kn_entity_id_equal(entity, f->b));
    assert_int_equal(found.index1, type.index1);
    assert_int_equal(tag.index1, f->calm.index1);
}

// RTS-264, RTS-267
static void a_wrong_key_is_refused_and_changes_nothing(void **state)
{
    fixture *f = *state;
    int32_t whole = 9;
    kn_entity_id entity = f->b;
    begin(f);
    assert_int_equal(
        kn_blackboard_set_int(f->world, f->a, "Whole", 1), KN_REFUSED_NOT_FOUND); // no blackboard
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    uint64_t hash = kn_world_hash(f->world);
    assert_int_equal(
        kn_blackboard_get_int(f->world, f->a, "Number", &whole), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(whole, 0);
    assert_int_equal(
        kn_blackboard_get_entity(f->world, f->a, "Nobody", &entity), KN_REFUSED_NOT_FOUND);
    assert_int_equal(entity.index1, 0);
    assert_int_equal(
        kn_blackboard_set_bool(f->world, f->a, "Whole", true), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_blackboard_set_float(f->world, f->a, "Number", NAN), KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_blackboard_set_vector(f->world, f->a, "Point", (kn_vec3){0, INFINITY, 0}),
        KN_REFUSED_BAD_NUMBER);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Order_Index", 1), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_blackboard_clear(f->world, f->a, "Order_Target"), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_blackboard_set_order(f->world, f->a, "Type", (kn_order_type_id){99}),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_blackboard_set_int(f->world, (kn_entity_id){0}, "Whole", 1), KN_REFUSED_STALE_ID);
    assert_int_equal(
        kn_blackboard_add(f->world, f->a, (kn_blackboard_id){7}), KN_ERROR_INVALID_ARGUMENT);
    assert_true(kn_world_hash(f->world) == hash);
}

static void another_layout_keeps_what_both_have(void **state)
{
    fixture *f = *state;
    const kn_blackboard_key_def keys[] = {{"New", KN_BLACKBOARD_INT, 4},
        {"Whole", KN_BLACKBOARD_INT, 0}, {"Number", KN_BLACKBOARD_INT, 0}};
    kn_blackboard_def def = kn_blackboard_def_default();
    kn_blackboard_id other;
    def.name = "Other";
    def.keys = keys;
    def.key_count = 3;
    assert_int_equal(kn_blackboard_register(f->library, &def, &other, NULL), KN_OK);
    begin(f);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 8), KN_OK);
    assert_int_equal(kn_blackboard_add(f->world, f->a, other), KN_OK);
    int32_t whole, number, fresh;
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Whole", &whole), KN_OK);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Number", &number), KN_OK);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "New", &fresh), KN_OK);
    assert_int_equal(whole, 8);
    assert_int_equal(number, 0); // of another kind before
    assert_int_equal(fresh, 4);
    assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", true), KN_REFUSED_NOT_FOUND);
}

static void an_entity_that_is_gone_clears_its_keys_and_wakes_conditions(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T",
        NODE(KN_TREE_SELECTOR,
            KIDS(TASK("X", f->go, WHEN({.key = "Foe", .aborts = KN_TREE_ABORTS_BOTH})), GO("Y"))));
    begin(f);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->foe), KN_OK);
    start(f, tree);
    EXPECT("+X", KN_TREE_RUNNING);
    kn_entity_destroy(f->world, f->b); // somebody else
    EXPECT("", KN_TREE_RUNNING);
    kn_entity_destroy(f->world, f->foe);
    EXPECT("-X +Y", KN_TREE_RUNNING);
    assert_false(kn_blackboard_is_set(f->world, f->a, "Foe"));
}

static void layouts_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    static const struct {
        kn_blackboard_key_def keys[2];
        const char *sentence;
    } cases[] = {
        {{{"A", 0, 0}, {"A", 0, 0}}, "the key `A` is there twice"},
        {{{NULL, 0, 0}, {"A", 0, 0}}, "a key has no name"},
        {{{"Order_Index", KN_BLACKBOARD_INT, 0}, {"A", 0, 0}}, "belongs to orders"},
        {{{"A", KN_BLACKBOARD_TAG, 1}, {"B", 0, 0}}, "cannot begin with this `number`"},
        {{{"A", KN_BLACKBOARD_INT, 1.5f}, {"B", 0, 0}}, "cannot begin with this `number`"},
    };
    kn_blackboard_def def = kn_blackboard_def_default();
    def.name = "Bad";
    def.key_count = 2;
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        kn_error error = {0};
        kn_blackboard_id board = {1};
        def.keys = cases[i].keys;
        assert_int_equal(
            kn_blackboard_register(f->library, &def, &board, &error), KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, cases[i].sentence));
        assert_int_equal(board.index1, 0);
    }
}

// Orders ------------------------------------------------------------------------------

// RTS-226, RTS-228, RTS-232, RTS-254, RTSV-C1
static void a_unit_begins_with_the_tree_of_its_stop_order(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_blackboard_order order;
    units_begin(f, stop);
    EXPECT("+I", KN_TREE_RUNNING);
    assert_true(kn_blackboard_get_current_order(f->world, f->a, &order));
    assert_int_equal(order.type.index1, stop.index1);
    assert_true(order.home.x == 10 && order.home.y == 20 && order.home.z == 30);
    assert_int_equal(order.index, -1);
}

// Writes a parameter of a game: how much, by the index of the order.
static kn_result write_amount(void *user, const kn_hook_call *call)
{
    kn_blackboard_order order;
    (void)user;
    return kn_blackboard_get_current_order(call->world, call->entity, &order)
               ? kn_blackboard_set_int(call->writable, call->entity, "Whole", order.index * 10)
               : KN_REFUSED_NOT_FOUND;
}

// RTS-266: a game adds a parameter of orders: a key beside those of the kit, a first task
// that writes it for each order, and nodes behind it that read it. The tree acts, the unit only
// starts it.
static void games_add_parameters_of_orders(void **state)
{
    fixture *f = *state;
    kn_tree_action_id write = action_named(f, "Write", write_amount, NULL);
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_tree_condition much = kn_tree_condition_default();
    much.key = "Whole";
    much.compare = KN_TREE_GREATER;
    much.number = 45;
    kn_tree_id tree = TREE("Work",
        NODE(KN_TREE_SEQUENCE,
            KIDS(TASK("W", write, .number = 0),
                NODE(KN_TREE_SELECTOR, KIDS(TASK("Much", f->go, WHEN(much)), GO("Little"))))));
    kn_order_type_id work = order_of(f, "Work", tree, true);
    units_begin(f, stop);
    kn_order order = kn_order_of(work);
    int32_t amount;
    order.index = 4;
    issue(f, &order);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Whole", &amount), KN_OK);
    assert_int_equal(amount, 40);
    assert_int_equal(state_of(f, "Little"), KN_TREE_STATE_RUNNING);
    order.index = 5;
    issue(f, &order);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Whole", &amount), KN_OK);
    assert_int_equal(amount, 50);
    assert_int_equal(state_of(f, "Much"), KN_TREE_STATE_RUNNING);
}

// RTS-236, RTS-237, RTS-238, RTS-247, RTS-248, RTS-261, RTS-262, RTSV-C3, RTSV-C4, RTSV-C13
static void an_order_is_written_to_the_blackboard(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_tree_id walk = TREE("Walk", GO("W"));
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id move, attack;
    def.needs_life = false;
    def.range = 600;
    def.tree = walk;
    def.name = "Move";
    def.target_kind = KN_ORDER_TARGET_LOCATION;
    assert_int_equal(kn_order_type_register(f->library, &def, &move, NULL), KN_OK);
    def.name = "Attack";
    def.target_kind = KN_ORDER_TARGET_ENTITY;
    assert_int_equal(kn_order_type_register(f->library, &def, &attack, NULL), KN_OK);
    kn_blackboard_order on;
    units_begin(f, stop);
    kn_order order = kn_order_at(move, (kn_vec3){1000, 500, 0});
    order.index = 3;
    issue(f, &order);
    EXPECT("+I -I +W", KN_TREE_RUNNING);
    assert_true(kn_blackboard_get_current_order(f->world, f->a, &on));
    assert_int_equal(on.type.index1, move.index1);
    assert_true(on.location.x == 1000 && on.location.y == 500 && on.location.z == 0);
    assert_int_equal(on.target.index1, 0);
    assert_int_equal(on.index, 3);
    order = kn_order_on(attack, f->foe);
    issue(f, &order);
    EXPECT("-W +W", KN_TREE_RUNNING);
    assert_true(kn_blackboard_get_current_order(f->world, f->a, &on));
    assert_int_equal(on.type.index1, attack.index1);
    assert_true(kn_entity_id_equal(on.target, f->foe));
    assert_true(on.range == 600.0f);
    assert_int_equal(on.index, -1);
    assert_true(on.location.x == 0 && on.location.y == 0);
    assert_false(kn_blackboard_is_set(f->world, f->a, "Order_Location"));
    assert_true(on.home.x == 10 && on.home.y == 20 && on.home.z == 30);
}

static float range_now = 600;

static kn_result find_range(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    c->number = range_now;
    return KN_OK;
}

// RTS-238, RTSV-C17
static void the_range_of_an_order_stays_as_it_was(void **state)
{
    fixture *f = *state;
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id attack;
    float range;
    def.name = "Attack";
    def.needs_life = false;
    def.tree = TREE("Walk", GO("W"));
    def.find_range = (kn_hook){find_range, NULL};
    assert_int_equal(kn_order_type_register(f->library, &def, &attack, NULL), KN_OK);
    units_begin(f, (kn_order_type_id){0});
    range_now = 600;
    issue_type(f, attack);
    range_now = 800;
    step(f, KN_MS(10));
    assert_int_equal(kn_blackboard_get_float(f->world, f->a, "Order_Range", &range), KN_OK);
    assert_true(range == 600.0f);
}

// RTS-262, RTSV-C14
static void without_a_blackboard_there_is_no_order(void **state)
{
    fixture *f = *state;
    kn_blackboard_order order = {.index = 5};
    begin(f);
    assert_false(kn_blackboard_get_current_order(f->world, f->a, &order));
    assert_int_equal(order.type.index1, 0);
    assert_int_equal(order.target.index1, 0);
    assert_int_equal(order.index, 0);
    assert_true(order.range == 0 && order.location.x == 0 && order.home.x == 0);
}

// ORD-295, ORD-296, RTS-239, RTS-240, RTSV-C10, RTSV-C11, RTSV-C12
static void a_tree_that_runs_begins_anew_if_the_order_says_so(void **state)
{
    fixture *f = *state;
    kn_tree_id walk =
        TREE("Walk", NODE(KN_TREE_SELECTOR, KIDS(TASK("B", f->go,
                                                     WHEN({.key = "Order_Index",
                                                         .compare = KN_TREE_GREATER,
                                                         .number = 5,
                                                         .aborts = KN_TREE_ABORTS_LOWER})),
                                                GO("W"))));
    kn_order_type_id anew = order_of(f, "Anew", walk, true);
    kn_order_type_id same = order_of(f, "Same", walk, false);
    kn_tree_info info;
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, anew);
    EXPECT("+W", KN_TREE_RUNNING);
    kn_order order = kn_order_of(same);
    issue(f, &order);
    EXPECT("", KN_TREE_RUNNING); // it goes on
    order.index = 3;
    issue(f, &order);
    EXPECT("", KN_TREE_RUNNING);
    int32_t index;
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Order_Index", &index), KN_OK);
    assert_int_equal(index, 3);
    order.index = 6;
    issue(f, &order); // and picks up the new order by its own means
    EXPECT("-W +B", KN_TREE_RUNNING);
    assert_true(kn_tree_get_info(f->world, f->a, &info));
    assert_int_equal(info.run, 1);
    issue_type(f, anew);
    EXPECT("-B +W", KN_TREE_RUNNING);
    issue_type(f, same);
    finish(f, KN_TREE_SUCCEEDED); // ends the second order, not the first
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "CCCCCS");
    EXPECT("", KN_TREE_SUCCEEDED);
    issue_type(f, same); // the tree has ended: it is started again
    EXPECT("+W", KN_TREE_RUNNING);
}

// RTS-242, RTS-243, RTS-246, RTS-253, RTSV-C5
static void an_order_ends_once_at_the_next_tick(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_tree_id tree = TREE(
        "T", NODE(KN_TREE_SEQUENCE,
                 KIDS(GO("W"), NODE(KN_TREE_FINISH_ORDER, .result = KN_TREE_SUCCEEDED), GO("E"))));
    kn_order_type_id walk = order_of(f, "Walk", tree, true);
    units_begin(f, stop);
    issue_type(f, walk);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("+I -I +W +E", KN_TREE_RUNNING); // the node itself succeeds
    assert_int_equal(current(f).index1, walk.index1);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S");
    assert_int_equal(current(f).index1, stop.index1);
    EXPECT("-E +I", KN_TREE_RUNNING);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "");
}

// RTS-242, RTSV-C7
static void the_later_result_counts(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T",
        NODE(KN_TREE_SEQUENCE, KIDS(NODE(KN_TREE_FINISH_ORDER, .result = KN_TREE_FAILED),
                                   NODE(KN_TREE_FINISH_ORDER, .result = KN_TREE_SUCCEEDED),
                                   BAD("B")))); // the tree fails, but has said how the order ends
    kn_order_type_id walk = order_of(f, "Walk", tree, true);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, walk);
    assert_int_equal(result_of(f, f->a), KN_TREE_FAILED);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S");
}

// RTS-234, RTS-235, RTSV-C8
static void a_result_that_was_not_delivered_is_discarded_by_the_next_order(void **state)
{
    fixture *f = *state;
    kn_order_type_id quick =
        order_of(f, "Quick", TREE("Q", NODE(KN_TREE_FINISH_ORDER, .name = "F")), true);
    kn_order_type_id walk = order_of(f, "Walk", TREE("W", GO("W")), true);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, quick);
    issue_type(f, walk);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "C"); // the first one was replaced
    assert_int_equal(current(f).index1, walk.index1);
    EXPECT("+W", KN_TREE_RUNNING);
    finish(f, KN_TREE_SUCCEEDED); // its own result is delivered
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S");
    issue_type(f, quick);
    issue_type(f, quick); // the same order: it is not replaced
    issue_type(f, walk);
    finish(f, KN_TREE_FAILED);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "CF");
}

// RTS-245
static void a_tree_that_ends_ends_its_order(void **state)
{
    fixture *f = *state;
    kn_order_type_id good = order_of(f, "Good", TREE("G", OK("G")), true);
    kn_order_type_id bad = order_of(f, "Bad", TREE("B", BAD("B")), true);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, good);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S");
    assert_int_equal(current(f).index1, 0);
    issue_type(f, bad);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "F");
}

// RTS-244, RTS-246, RTSV-C9
static void orders_whose_trees_end_at_once_follow_each_other(void **state)
{
    fixture *f = *state;
    kn_order_type_id stop = order_of(f, "Stop", TREE("Idle", GO("I")), true);
    kn_order_type_id a = order_of(f, "A", TREE("A", OK("A")), true);
    kn_order_type_id b = order_of(f, "B", TREE("B", OK("B")), true);
    units_begin(f, stop);
    issue_type(f, a);
    for (uint32_t i = 0; i < 3; i++) {
        const kn_order next = kn_order_of(i % 2 == 0 ? b : a);
        assert_int_equal(kn_order_enqueue(f->world, f->a, &next, NULL), KN_OK);
    }
    f->log[0] = 0;
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "SSSS");
    EXPECT("B A B +I", KN_TREE_RUNNING);
    assert_int_equal(current(f).index1, stop.index1);
}

static void issue_next(void *user, kn_world *world, const kn_event *event)
{
    const kn_order *next = user;
    (void)kn_order_issue(world, event->entity, next, NULL);
}

// RTS-244, RTSV-C9
static void a_listener_may_give_the_next_order(void **state)
{
    fixture *f = *state;
    kn_order_type_id first = order_of(f, "First", TREE("A", OK("A")), true);
    kn_order_type_id second = order_of(f, "Second", TREE("B", OK("B")), true);
    units_begin(f, (kn_order_type_id){0});
    kn_order next = kn_order_of(second);
    kn_listener_def def = kn_listener_def_default();
    kn_listener_id listener;
    def.type = KN_EVENT_CUSTOM;
    def.custom = kn_custom_event_find(f->library, "Knack.OrderEnded");
    def.function = issue_next;
    def.user = &next;
    assert_int_equal(kn_listener_add(f->world, &def, &listener), KN_OK);
    issue_type(f, first);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S");
    assert_int_equal(current(f).index1, second.index1);
    assert_true(kn_listener_remove(f->world, listener));
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "S"); // not lost
    EXPECT("A B", KN_TREE_SUCCEEDED);
}

// RTS-241
static void an_order_that_ends_otherwise_stops_its_tree(void **state)
{
    fixture *f = *state;
    kn_order_type_id walk = order_of(f, "Walk", TREE("W", GO("W")), true);
    kn_tree_id own = TREE("Own", GO("O"));
    kn_unit_info info;
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, walk);
    assert_true(kn_unit_get_info(f->world, f->a, &info));
    assert_int_equal(
        kn_order_end(f->world, f->a, info.ticket, KN_ORDER_FAILED), KN_OK); // by the host
    EXPECT("+W -W", KN_TREE_ABORTED);
    issue_type(f, walk);
    assert_int_equal(kn_unit_remove(f->world, f->a), KN_OK);
    EXPECT("+W -W", KN_TREE_ABORTED);
    start(f, own); // a tree without orders is nothing that orders stop
    assert_int_equal(kn_unit_add(f->world, f->a, f->unit_type), KN_OK);
    EXPECT("+O", KN_TREE_RUNNING);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "FC");
}

static void a_unit_that_is_destroyed_stops_its_tree(void **state)
{
    fixture *f = *state;
    kn_order_type_id walk = order_of(f, "Walk", TREE("W", GO("W")), true);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, walk);
    kn_entity_destroy(f->world, f->a);
    assert_string_equal(f->log, "+W -W");
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "C");
}

static void a_tree_gives_orders_to_its_own_unit(void **state)
{
    fixture *f = *state;
    kn_tree_node steps[] = {
        NODE(KN_TREE_ISSUE_ORDER, .order = "Second", .enqueues = true), OK("P")};
    steps[0].index = 4;
    kn_tree_node root = NODE(KN_TREE_SEQUENCE, .children = steps, .child_count = 2);
    kn_tree_id plan = tree_named(f, "Plan", &root);
    kn_tree_id jump = TREE("Jump",
        NODE(KN_TREE_SEQUENCE, KIDS(NODE(KN_TREE_ISSUE_ORDER, .order = "Second"), GO("J"))));
    kn_order_type_id first = order_of(f, "First", plan, true);
    kn_order_type_id second = order_of(f, "Second", TREE("S", GO("S")), true);
    kn_order_type_id third = order_of(f, "Third", jump, true);
    int32_t index;
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, first);
    EXPECT("P", KN_TREE_SUCCEEDED);
    step(f, KN_MS(1));
    EXPECT("+S", KN_TREE_RUNNING);
    assert_int_equal(current(f).index1, second.index1);
    assert_int_equal(kn_blackboard_get_int(f->world, f->a, "Order_Index", &index), KN_OK);
    assert_int_equal(index, 4);
    issue_type(f, third); // replaced by the order that its own tree gives
    EXPECT("-S +J -J +S", KN_TREE_RUNNING);
    assert_int_equal(current(f).index1, second.index1);
    step(f, KN_MS(1));
    assert_string_equal(ends(f), "CC");
}

// An order whose tree gives the same order again, for ever: time goes on, and it is reported once.
static void orders_without_end_do_not_stop_time(void **state)
{
    fixture *f = *state;
    kn_tree_id again =
        TREE("Again", NODE(KN_TREE_SEQUENCE,
                          KIDS(NODE(KN_TREE_ISSUE_ORDER, .order = "Other", .enqueues = true))));
    kn_tree_id back =
        TREE("Back", NODE(KN_TREE_SEQUENCE,
                         KIDS(NODE(KN_TREE_ISSUE_ORDER, .order = "Again", .enqueues = true))));
    kn_order_type_id type = order_of(f, "Again", again, true);
    (void)order_of(f, "Other", back, true);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, type);
    step(f, 1);
    assert_int_equal(f->stuck, 1);
    assert_true(strlen(ends(f)) < 40);
    step(f, KN_MS(10));
    size_t count = strlen(ends(f));
    assert_true(count > 8 && count < 13); // it goes on, but not at once again and again
    assert_int_equal(f->stuck, 0);        // and is reported once
}

static uint32_t stuck_turns;

static void counts_turns(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    (void)world;
    (void)entity;
    (void)ticket;
    stuck_turns++;
}

// Orders whose trees never wait, for a unit whose stop order is like that, too.
static void orders_of_stuck_trees_end_after_a_while(void **state)
{
    fixture *f = *state;
    kn_tree_id busy = TREE("Busy", NODE(KN_TREE_REPEAT, KIDS(TASK("C", f->custom, .number = 0))));
    kn_order_type_id stop =
        order_of(f, "Rest", TREE("Done", NODE(KN_TREE_WAIT, .duration = 0)), true);
    kn_order_type_id type = order_of(f, "Busy", busy, true);
    f->does = counts_turns;
    units_begin(f, stop);
    stuck_turns = 0;
    issue_type(f, type);
    assert_true(stuck_turns > 1000 && stuck_turns <= KN_TREE_STEPS_MAX);
    step(f, KN_MS(50));
    assert_int_equal(f->stuck, 1);
    assert_int_equal(current(f).index1, type.index1); // it ends, but not yet
    assert_string_equal(ends(f), "");
    step(f, KN_MS(60));
    assert_string_equal(ends(f), "F");
    assert_int_equal(current(f).index1, stop.index1);
    assert_true(stuck_turns <= KN_TREE_STEPS_MAX);
}

static kn_result executed(void *user, const kn_hook_call *call)
{
    fixture *f = user;
    size_t length = strlen(f->log);
    (void)call;
    (void)snprintf(f->log + length, sizeof(f->log) - length, " executed");
    return KN_OK;
}

static void does_orders(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)ticket;
    for (uint32_t i = 0; i < 2; i++) {
        const kn_order order = kn_order_of(f->orders[i]);
        assert_int_equal(kn_order_issue(world, entity, &order, NULL), KN_OK);
    }
}

// Two orders from inside a tree that has nothing to do with orders: only the last one is left.
static void orders_from_inside_a_tree_leave_no_tree_behind(void **state)
{
    fixture *f = *state;
    kn_tree_id own = TREE("Own", NODE(KN_TREE_SEQUENCE, KIDS(TASK("C", f->custom, .number = 0))));
    kn_order_type_def def = kn_order_type_def_default();
    f->orders[0] = order_of(f, "Walk", TREE("W", GO("W")), true);
    def.name = "Plain";
    def.needs_life = false;
    def.execute = (kn_hook){executed, f};
    assert_int_equal(kn_order_type_register(f->library, &def, &f->orders[1], NULL), KN_OK);
    units_begin(f, (kn_order_type_id){0});
    f->does = does_orders;
    start(f, own);
    EXPECT("!C executed +W -W", KN_TREE_ABORTED);
    assert_int_equal(current(f).index1, f->orders[1].index1);
}

// A library like that of a fixture, whose tree has another shape.
static void a_tree_that_has_changed_fails_its_order(void **state)
{
    fixture *f = *state, *g = fixture_create();
    kn_order_type_id walk = order_of(
        f, "Walk", TREE("W", NODE(KN_TREE_WAIT, .name = "W", .duration = KN_MS(100))), true);
    units_begin(f, (kn_order_type_id){0});
    issue_type(f, walk);
    step(f, KN_MS(50));
    const kn_tree_node kids[] = {NODE(KN_TREE_WAIT, .duration = KN_MS(100))};
    kn_tree_node root = NODE(KN_TREE_SUCCEED, .children = kids, .child_count = 1);
    (void)order_of(g, "Walk", tree_named(g, "W", &root), true);
    kn_unit_type_def def = kn_unit_type_def_default();
    def.name = "Unit";
    assert_int_equal(kn_unit_type_register(g->library, &def, &g->unit_type, NULL), KN_OK);
    kn_error error = {0};
    assert_int_equal(kn_library_finish(g->library, &error), KN_OK);
    kn_world_set_space(f->world, NULL);
    kn_grid_destroy(f->grid);
    f->grid = NULL;
    if (kn_world_reload(f->world, g->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_library_destroy(f->library);
    f->library = g->library;
    step(f, KN_MS(49));
    assert_string_equal(ends(f), "");
    step(f, KN_MS(2));
    assert_string_equal(ends(f), "F");
    kn_tree_info info;
    assert_false(kn_tree_get_info(f->world, f->a, &info));
    issue_type(f, kn_order_type_find(f->library, "Walk")); // as new
    step(f, KN_MS(101));
    assert_string_equal(ends(f), "S");
    free(g);
}

// RTS-229, RTS-233, RTS-264
static void orders_need_a_tree_that_can_carry_them_out(void **state)
{
    fixture *f = *state;
    kn_error error = {0};
    kn_tree_def tree = kn_tree_def_default();
    kn_tree_id plain;
    tree.name = "Plain";
    tree.root = (kn_tree_node)NODE(KN_TREE_WAIT, .name = "W");
    assert_int_equal(kn_tree_register(f->library, &tree, &plain, &error), KN_OK);
    kn_order_type_def def = kn_order_type_def_default();
    kn_order_type_id type;
    def.name = "Walk";
    assert_int_equal(kn_order_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "`execute` or `tree` is missing"));
    def.tree = plain;
    def.policy = KN_ORDER_INSTANT;
    assert_int_equal(kn_order_type_register(f->library, &def, &type, &error), KN_ERROR_BAD_DATA);
    def.policy = KN_ORDER_CANCELABLE;
    assert_int_equal(kn_order_type_register(f->library, &def, &type, &error), KN_OK);
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message,
        "order type `Walk`: its tree `Plain` needs a `blackboard` with `order_keys`"));
}

static const struct CMUnitTest tests[] = {
    TEST(each_entity_has_values_of_its_own),
    TEST(values_of_every_kind_are_kept_and_cleared),
    TEST(a_wrong_key_is_refused_and_changes_nothing),
    TEST(games_add_parameters_of_orders),
    TEST(another_layout_keeps_what_both_have),
    TEST(an_entity_that_is_gone_clears_its_keys_and_wakes_conditions),
    TEST(layouts_that_make_no_sense_are_refused),
    TEST(a_unit_begins_with_the_tree_of_its_stop_order),
    TEST(an_order_is_written_to_the_blackboard),
    TEST(the_range_of_an_order_stays_as_it_was),
    TEST(without_a_blackboard_there_is_no_order),
    TEST(a_tree_that_runs_begins_anew_if_the_order_says_so),
    TEST(an_order_ends_once_at_the_next_tick),
    TEST(the_later_result_counts),
    TEST(a_result_that_was_not_delivered_is_discarded_by_the_next_order),
    TEST(a_tree_that_ends_ends_its_order),
    TEST(orders_whose_trees_end_at_once_follow_each_other),
    TEST(a_listener_may_give_the_next_order),
    TEST(an_order_that_ends_otherwise_stops_its_tree),
    TEST(a_unit_that_is_destroyed_stops_its_tree),
    TEST(a_tree_gives_orders_to_its_own_unit),
    TEST(orders_without_end_do_not_stop_time),
    TEST(orders_of_stuck_trees_end_after_a_while),
    TEST(orders_from_inside_a_tree_leave_no_tree_behind),
    TEST(a_tree_that_has_changed_fails_its_order),
    TEST(orders_need_a_tree_that_can_carry_them_out),
};

TEST_GROUP(order_blackboards, tests, NULL, NULL);
