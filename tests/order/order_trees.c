// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Behaviour trees: what each kind of node does, what interrupts nodes, and what wakes them.

#include "tree_test.h"

// Nodes with children -----------------------------------------------------------------

// RTS-252
static void a_sequence_goes_on_until_a_child_fails(void **state)
{
    fixture *f = *state;
    kn_tree_id all = TREE("All", NODE(KN_TREE_SEQUENCE, KIDS(OK("A"), OK("B"))));
    kn_tree_id some = TREE("Some", NODE(KN_TREE_SEQUENCE, KIDS(OK("A"), BAD("B"), OK("C"))));
    kn_tree_id later = TREE("Later", NODE(KN_TREE_SEQUENCE, KIDS(GO("A"), OK("B"))));
    begin(f);
    start(f, all);
    EXPECT("A B", KN_TREE_SUCCEEDED);
    start(f, some);
    EXPECT("A B", KN_TREE_FAILED);
    start(f, later);
    EXPECT("+A", KN_TREE_RUNNING);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("B", KN_TREE_SUCCEEDED);
    start(f, later);
    finish(f, KN_TREE_FAILED);
    EXPECT("+A", KN_TREE_FAILED);
    step(f, 1);
    assert_int_equal(f->ended, 4);
    assert_int_equal(f->result, KN_TREE_FAILED);
}

static void a_selector_goes_on_until_a_child_succeeds(void **state)
{
    fixture *f = *state;
    kn_tree_id some = TREE("Some", NODE(KN_TREE_SELECTOR, KIDS(BAD("A"), OK("B"), OK("C"))));
    kn_tree_id none = TREE("None", NODE(KN_TREE_SELECTOR, KIDS(BAD("A"), BAD("B"))));
    kn_tree_id later = TREE("Later", NODE(KN_TREE_SELECTOR, KIDS(GO("A"), OK("B"))));
    begin(f);
    start(f, some);
    EXPECT("A B", KN_TREE_SUCCEEDED);
    start(f, none);
    EXPECT("A B", KN_TREE_FAILED);
    start(f, later);
    finish(f, KN_TREE_FAILED);
    EXPECT("+A B", KN_TREE_SUCCEEDED);
    start(f, later);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("+A", KN_TREE_SUCCEEDED);
}

static void random_run(fixture *f, uint64_t seed, kn_tree_id tree, char *log, size_t size)
{
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    def.seed = seed;
    kn_world *world;
    kn_entity_id entity;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    assert_int_equal(kn_entity_create(world, &entity), KN_OK);
    f->log[0] = 0;
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kn_tree_start(world, entity, tree), KN_OK);
    }
    (void)snprintf(log, size, "%.*s", (int)size - 1, f->log);
    kn_world_destroy(world);
}

static void a_random_selector_tries_each_child_once_in_an_order_by_the_seed(void **state)
{
    fixture *f = *state;
    kn_tree_id tree =
        TREE("T", NODE(KN_TREE_RANDOM_SELECTOR, KIDS(BAD("A"), BAD("B"), BAD("C"), BAD("D"))));
    kn_tree_id one = TREE("One", NODE(KN_TREE_RANDOM_SELECTOR, KIDS(OK("A"), OK("B"))));
    char first[256], again[256], other[256];
    begin(f);
    random_run(f, 1, tree, first, sizeof(first));
    random_run(f, 1, tree, again, sizeof(again));
    random_run(f, 2, tree, other, sizeof(other));
    assert_string_equal(first, again);
    assert_string_not_equal(first, other);
    for (uint32_t run = 0; run < 4; run++) { // "A B C D " four times in some order
        uint32_t seen = 0;
        for (uint32_t i = 0; i < 4; i++) {
            seen |= 1u << (first[run * 8 + i * 2] - 'A');
        }
        assert_int_equal(seen, 15);
    }
    start(f, one);
    assert_int_equal(strlen(f->log), 1); // the first one succeeds
    f->log[0] = 0;
    assert_int_equal(result_of(f, f->a), KN_TREE_SUCCEEDED);
}

// Two children that go on, with all policies: what happens when the first ends well or badly, and
// then the second.
static void policies_of_parallel_nodes_are_kept(void **state)
{
    fixture *f = *state;
    static const struct {
        kn_tree_quorum succeeds, fails;
        kn_tree_rest rest;
        kn_tree_result first, second; // how the children end
        const char *log;              // after the first has ended
        kn_tree_result after_first, after_second;
    } cases[] = {
        {KN_TREE_ALL, KN_TREE_ONE, KN_TREE_REST_ABORTED, 0, 0, "", 2, 0},
        {KN_TREE_ALL, KN_TREE_ONE, KN_TREE_REST_ABORTED, 0, 1, "", 2, 1},
        {KN_TREE_ALL, KN_TREE_ONE, KN_TREE_REST_ABORTED, 1, 0, "-B", 1, 1},
        {KN_TREE_ALL, KN_TREE_ALL, KN_TREE_REST_ABORTED, 1, 0, "", 2, 1},
        {KN_TREE_ALL, KN_TREE_ALL, KN_TREE_REST_ABORTED, 1, 1, "", 2, 1},
        {KN_TREE_ONE, KN_TREE_ONE, KN_TREE_REST_ABORTED, 0, 0, "-B", 0, 0},
        {KN_TREE_ONE, KN_TREE_ONE, KN_TREE_REST_ABORTED, 1, 0, "-B", 1, 1},
        {KN_TREE_ONE, KN_TREE_ALL, KN_TREE_REST_ABORTED, 1, 0, "", 2, 0},
        {KN_TREE_ONE, KN_TREE_ALL, KN_TREE_REST_ABORTED, 1, 1, "", 2, 1},
        {KN_TREE_ALL, KN_TREE_ONE, KN_TREE_REST_WAITS, 1, 0, "", 2, 1},
        {KN_TREE_ONE, KN_TREE_ONE, KN_TREE_REST_WAITS, 0, 1, "", 2, 0},
        {KN_TREE_ONE, KN_TREE_ALL, KN_TREE_REST_WAITS, 0, 0, "", 2, 0},
    };
    kn_tree_id trees[COUNT(cases)];
    char names[COUNT(cases)][8];
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "T%u", i);
        kn_tree_node root = NODE(KN_TREE_PARALLEL, KIDS(GO("A"), GO("B")));
        root.succeeds = cases[i].succeeds;
        root.fails = cases[i].fails;
        root.rest = cases[i].rest;
        trees[i] = tree_named(f, names[i], &root);
    }
    begin(f);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        start(f, trees[i]);
        EXPECT("+A +B", KN_TREE_RUNNING);
        uint32_t second = f->ticket[0], first = second - 1;
        assert_int_equal(kn_tree_finish_task(f->world, f->a, first, cases[i].first), KN_OK);
        EXPECT(cases[i].log, cases[i].after_first);
        kn_result result = kn_tree_finish_task(f->world, f->a, second, cases[i].second);
        assert_int_equal(
            result, cases[i].after_first == KN_TREE_RUNNING ? KN_OK : KN_REFUSED_NOT_FOUND);
        EXPECT("", cases[i].after_second);
    }
}

static void a_parallel_node_that_is_decided_at_once_begins_no_more_children(void **state)
{
    fixture *f = *state;
    kn_tree_id cut = TREE("Cut", NODE(KN_TREE_PARALLEL, KIDS(GO("A"), BAD("B"), OK("C"))));
    kn_tree_id waits = TREE("Waits",
        NODE(KN_TREE_PARALLEL, .rest = KN_TREE_REST_WAITS, KIDS(BAD("A"), OK("B"), GO("C"))));
    begin(f);
    start(f, cut);
    EXPECT("+A B -A", KN_TREE_FAILED);
    start(f, waits);
    EXPECT("A B +C", KN_TREE_RUNNING);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("", KN_TREE_FAILED);
}

static void a_repeated_child_runs_as_often_as_told_or_until_it_fails(void **state)
{
    fixture *f = *state;
    kn_tree_id three = TREE("Three", NODE(KN_TREE_REPEAT, .count = 3, KIDS(OK("A"))));
    kn_tree_id fails = TREE("Fails", NODE(KN_TREE_REPEAT, .count = 3, KIDS(BAD("A"))));
    kn_tree_id ever = TREE("Ever", NODE(KN_TREE_REPEAT, KIDS(GO("A"))));
    begin(f);
    start(f, three);
    EXPECT("A A A", KN_TREE_SUCCEEDED);
    start(f, fails);
    EXPECT("A", KN_TREE_FAILED);
    start(f, ever);
    for (uint32_t i = 0; i < 10; i++) {
        EXPECT("+A", KN_TREE_RUNNING);
        finish(f, KN_TREE_SUCCEEDED);
    }
    finish(f, KN_TREE_FAILED);
    EXPECT("+A", KN_TREE_FAILED);
}

static void a_loop_ends_with_the_result_it_waits_for(void **state)
{
    fixture *f = *state;
    kn_tree_id good = TREE("Good", NODE(KN_TREE_LOOP_UNTIL, KIDS(GO("A"))));
    kn_tree_id bad = TREE("Bad", NODE(KN_TREE_LOOP_UNTIL, .until = KN_TREE_FAILED, KIDS(GO("A"))));
    kn_tree_id twice = TREE("Twice", NODE(KN_TREE_LOOP_UNTIL, .count = 2, KIDS(BAD("A"))));
    begin(f);
    start(f, good);
    finish(f, KN_TREE_FAILED);
    EXPECT("+A +A", KN_TREE_RUNNING);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, bad);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("+A +A", KN_TREE_RUNNING);
    finish(f, KN_TREE_FAILED);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, twice);
    EXPECT("A A", KN_TREE_FAILED);
}

static void results_are_inverted_or_made_a_success(void **state)
{
    fixture *f = *state;
    kn_tree_id not_good = TREE("NotGood", NODE(KN_TREE_INVERT, KIDS(OK("A"))));
    kn_tree_id not_bad = TREE("NotBad", NODE(KN_TREE_INVERT, KIDS(BAD("A"))));
    kn_tree_id fine = TREE("Fine", NODE(KN_TREE_SUCCEED, KIDS(BAD("A"))));
    begin(f);
    start(f, not_good);
    EXPECT("A", KN_TREE_FAILED);
    start(f, not_bad);
    EXPECT("A", KN_TREE_SUCCEEDED);
    start(f, fine);
    EXPECT("A", KN_TREE_SUCCEEDED);
}

static void a_time_limit_aborts_its_child(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE(
        "T", NODE(KN_TREE_SELECTOR,
                 KIDS(NODE(KN_TREE_TIME_LIMIT, .duration = KN_MS(100), KIDS(GO("A"))), OK("B"))));
    begin(f);
    start(f, tree);
    step(f, KN_MS(99));
    EXPECT("+A", KN_TREE_RUNNING);
    step(f, KN_MS(1));
    EXPECT("-A B", KN_TREE_SUCCEEDED);
    start(f, tree);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("+A", KN_TREE_SUCCEEDED);
    step(f, KN_S(1)); // the limit is gone with its node
    EXPECT("", KN_TREE_SUCCEEDED);
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

static void a_cooldown_keeps_its_child_from_beginning(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE(
        "T", NODE(KN_TREE_REPEAT,
                 KIDS(NODE(KN_TREE_SEQUENCE,
                     KIDS(NODE(KN_TREE_SELECTOR,
                              KIDS(NODE(KN_TREE_COOLDOWN, .duration = KN_MS(250), KIDS(OK("A"))),
                                  OK("B"))),
                         NODE(KN_TREE_WAIT, .duration = KN_MS(100)))))));
    begin(f);
    start(f, tree);
    EXPECT("A", KN_TREE_RUNNING);
    step(f, KN_MS(200));
    EXPECT("B B", KN_TREE_RUNNING);
    step(f, KN_MS(100));
    EXPECT("A", KN_TREE_RUNNING);
    start(f, tree); // ready when the tree begins
    EXPECT("A", KN_TREE_RUNNING);
}

static void a_sub_tree_gets_its_parameters_from_the_blackboard(void **state)
{
    fixture *f = *state;
    kn_tree_id inner =
        TREE("Inner", NODE(KN_TREE_SEQUENCE,
                          KIDS(TASK("I", f->ok, .target = "Foe",
                              WHEN({.key = "Whole", .compare = KN_TREE_EQUAL, .number = 4})))));
    const kn_tree_value good[] = {{.key = "Whole", .number = 4}, {.key = "Foe", .self = true}};
    const kn_tree_value bad[] = {{.key = "Whole", .from = "Other"}};
    kn_tree_id outer = TREE(
        "Outer", NODE(KN_TREE_SEQUENCE,
                     KIDS(NODE(KN_TREE_SUB_TREE, .tree = inner, .values = good, .value_count = 2),
                         OK("O"))));
    kn_tree_id wrong =
        TREE("Wrong", NODE(KN_TREE_SUB_TREE, .tree = inner, .values = bad, .value_count = 1));
    kn_tree_info info;
    begin(f);
    start(f, outer);
    EXPECT("I O", KN_TREE_SUCCEEDED);
    assert_true(kn_tree_get_info(f->world, f->a, &info));
    assert_int_equal(info.node_count, 5); // those of the sub-tree are nodes of the tree
    assert_true(kn_entity_id_equal(f->target, (kn_entity_id){0})); // of the task O
    start(f, wrong);
    EXPECT("", KN_TREE_FAILED); // 7, not 4
}

static void services_run_while_their_node_does(void **state)
{
    fixture *f = *state;
    const kn_tree_service service = {.action = f->tick, .interval = KN_MS(100), .number = 5};
    kn_tree_id tree = TREE(
        "T", NODE(KN_TREE_SEQUENCE, KIDS(NODE(KN_TREE_SUCCEED, .name = "S", .services = &service,
                                             .service_count = 1, KIDS(GO("A"))),
                                        GO("B"))));
    begin(f);
    start(f, tree);
    EXPECT("*S +A", KN_TREE_RUNNING); // when the node begins, before those inside
    step(f, KN_MS(250));
    EXPECT("*S *S", KN_TREE_RUNNING);
    assert_true(f->number == 5.0f);
    step(f, KN_MS(50));
    EXPECT("*S", KN_TREE_RUNNING);
    finish(f, KN_TREE_SUCCEEDED);
    EXPECT("+B", KN_TREE_RUNNING);
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
    step(f, KN_S(1));
    EXPECT("", KN_TREE_RUNNING);
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
}

// Conditions --------------------------------------------------------------------------

static void conditions_keep_a_node_from_beginning(void **state)
{
    fixture *f = *state;
    kn_tree_id trees[] = {
        TREE("Tags", TASK("A", f->ok, WHEN({.required = TAGS(f->ready)}))),
        TREE("NoTags", TASK("A", f->ok, WHEN({.blocked = TAGS(f->calm)}))),
        TREE("Key", TASK("A", f->ok, WHEN({.key = "Flag"}))),
        TREE("Less",
            TASK("A", f->ok, WHEN({.key = "Number", .compare = KN_TREE_LESS, .number = 2.5f}))),
        TREE("Equal",
            TASK("A", f->ok, WHEN({.key = "Whole", .compare = KN_TREE_EQUAL, .with = "Other"}))),
        TREE("Label",
            TASK("A", f->ok, WHEN({.key = "Label", .compare = KN_TREE_EQUAL, .tag = f->calm}))),
        TREE("Weak",
            TASK("A", f->ok,
                WHEN({.attribute = f->health, .compare = KN_TREE_LESS_EQUAL, .number = 30}))),
        TREE("Hurt", TASK("A", f->ok, WHEN({.condition = f->hurt}))),
        TREE("Open", TASK("A", f->ok, WHEN({.action = f->is_open}))),
    };
    begin(f);
    gain(f, f->a, f->calm);
    for (uint32_t i = 0; i < COUNT(trees); i++) {
        start(f, trees[i]);
        EXPECT("", KN_TREE_FAILED);
        assert_int_equal(state_of(f, "A"), KN_TREE_STATE_BLOCKED);
    }
    gain(f, f->a, f->ready);
    lose(f, f->a, f->calm);
    assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", true), KN_OK);
    assert_int_equal(kn_blackboard_set_float(f->world, f->a, "Number", 2.0f), KN_OK);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 7), KN_OK);
    assert_int_equal(kn_blackboard_set_tag(f->world, f->a, "Label", f->calm), KN_OK);
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->health, 0, 30.0f), KN_OK);
    f->is_open_now = true;
    for (uint32_t i = 0; i < COUNT(trees); i++) {
        start(f, trees[i]);
        EXPECT("A", KN_TREE_SUCCEEDED);
    }
}

static void all_conditions_must_hold_and_may_be_inverted(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T",
        TASK("A", f->ok, WHEN({.required = TAGS(f->ready)}, {.key = "Flag", .inverted = true})));
    kn_tree_node_info info;
    begin(f);
    start(f, tree);
    EXPECT("", KN_TREE_FAILED);
    assert_true(kn_tree_get_node(f->world, f->a, 0, &info));
    assert_int_equal(info.condition, 0);
    gain(f, f->a, f->ready);
    start(f, tree);
    EXPECT("A", KN_TREE_SUCCEEDED);
    assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", true), KN_OK);
    start(f, tree);
    EXPECT("", KN_TREE_FAILED);
    assert_true(kn_tree_get_node(f->world, f->a, 0, &info));
    assert_int_equal(info.condition, 1);
}

// RTS-258, RTSV-C15
static void a_condition_knows_whether_a_target_is_in_range(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T", TASK("A", f->ok, WHEN({.key = "Foe", .within = "Number"})));
    begin(f);
    start(f, tree);
    EXPECT("", KN_TREE_FAILED); // there is no target
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->foe), KN_OK);
    assert_int_equal(kn_blackboard_set_float(f->world, f->a, "Number", 600.0f), KN_OK);
    kn_body body = kn_body_default();
    body.position = (kn_vec3){0, 500, 0};
    assert_int_equal(kn_grid_set_body(f->grid, f->foe, &body), KN_OK);
    start(f, tree);
    EXPECT("A", KN_TREE_SUCCEEDED);
    body.position = (kn_vec3){0, 601, 0};
    assert_int_equal(kn_grid_set_body(f->grid, f->foe, &body), KN_OK);
    start(f, tree);
    EXPECT("", KN_TREE_FAILED);
}

// A selector of X, which needs `Flag`, and Y, with each way to interrupt.
static void conditions_interrupt_what_they_are_told_to(void **state)
{
    fixture *f = *state;
    static const struct {
        kn_tree_aborts aborts;
        const char *gains,
            *loses; // the log when the flag is set while Y runs, cleared while X runs
    } cases[] = {
        {KN_TREE_ABORTS_NONE, "", ""},
        {KN_TREE_ABORTS_SELF, "", "-X +Y"},
        {KN_TREE_ABORTS_LOWER, "-Y +X", ""},
        {KN_TREE_ABORTS_BOTH, "-Y +X", "-X +Y"},
    };
    kn_tree_id trees[COUNT(cases)];
    char names[COUNT(cases)][8];
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "T%u", i);
        const kn_tree_condition flag = {.key = "Flag", .aborts = cases[i].aborts};
        kn_tree_node kids[] = {
            TASK("X", f->go, .conditions = &flag, .condition_count = 1), GO("Y")};
        kn_tree_node root = NODE(KN_TREE_SELECTOR, .children = kids, .child_count = 2);
        trees[i] = tree_named(f, names[i], &root);
    }
    begin(f);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    for (uint32_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", false), KN_OK);
        start(f, trees[i]);
        EXPECT("+Y", KN_TREE_RUNNING);
        assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", true), KN_OK);
        EXPECT(cases[i].gains, KN_TREE_RUNNING);
        assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
        start(f, trees[i]);
        EXPECT("+X", KN_TREE_RUNNING);
        assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", false), KN_OK);
        EXPECT(cases[i].loses, KN_TREE_RUNNING);
        assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
        assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", true), KN_OK);
        f->log[0] = 0;
    }
}

static void everything_that_a_condition_depends_on_wakes_it(void **state)
{
    fixture *f = *state;
    const kn_tree_condition conditions[] = {
        {.required = TAGS(f->ready), .aborts = KN_TREE_ABORTS_LOWER},
        {.blocked = TAGS(f->calm), .aborts = KN_TREE_ABORTS_LOWER},
        {.attribute = f->health,
            .compare = KN_TREE_LESS,
            .number = 50,
            .aborts = KN_TREE_ABORTS_LOWER},
        {.condition = f->hurt, .wakes = TAGS(f->alarm), .aborts = KN_TREE_ABORTS_LOWER},
        {.action = f->is_open, .wakes = TAGS(f->alarm), .aborts = KN_TREE_ABORTS_LOWER},
    };
    kn_tree_id trees[COUNT(conditions)];
    char names[COUNT(conditions)][8];
    for (uint32_t i = 0; i < COUNT(conditions); i++) {
        (void)snprintf(names[i], sizeof(names[i]), "T%u", i);
        kn_tree_node kids[] = {
            TASK("X", f->go, .conditions = &conditions[i], .condition_count = 1), GO("Y")};
        kn_tree_node root = NODE(KN_TREE_SELECTOR, .children = kids, .child_count = 2);
        trees[i] = tree_named(f, names[i], &root);
    }
    begin(f);
    gain(f, f->a, f->calm);
    start(f, trees[0]);
    gain(f, f->b, f->ready); // somebody else
    EXPECT("+Y", KN_TREE_RUNNING);
    gain(f, f->a, f->ready);
    EXPECT("-Y +X", KN_TREE_RUNNING);
    start(f, trees[1]);
    lose(f, f->a, f->calm);
    EXPECT("-X +Y -Y +X", KN_TREE_RUNNING);
    start(f, trees[2]);
    f->log[0] = 0;
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->health, 0, 60.0f), KN_OK);
    EXPECT("", KN_TREE_RUNNING);
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->health, 0, 40.0f), KN_OK);
    EXPECT("-Y +X", KN_TREE_RUNNING);
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->health, 0, 60.0f), KN_OK);
    start(f, trees[3]);
    f->log[0] = 0;
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->health, 0, 40.0f), KN_OK);
    EXPECT("", KN_TREE_RUNNING); // nothing tells the tree
    send(f, f->a, f->alarm);
    EXPECT("-Y +X", KN_TREE_RUNNING);
    start(f, trees[4]);
    f->log[0] = 0;
    f->is_open_now = true;
    gain(f, f->a, f->alarm); // a tag wakes it as an event does
    EXPECT("-Y +X", KN_TREE_RUNNING);
}

// A node whose condition holds already, and that failed by itself, does not begin again when its
// condition is tested again.
static void a_condition_interrupts_only_when_its_answer_changes(void **state)
{
    fixture *f = *state;
    kn_tree_id tree =
        TREE("T", NODE(KN_TREE_SELECTOR, KIDS(TASK("X", f->bad,
                                                  WHEN({.key = "Whole",
                                                      .compare = KN_TREE_GREATER,
                                                      .number = 3,
                                                      .aborts = KN_TREE_ABORTS_BOTH})),
                                             GO("Y"))));
    begin(f);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_OK);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 4), KN_OK);
    start(f, tree);
    EXPECT("X +Y", KN_TREE_RUNNING);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 5), KN_OK);
    EXPECT("", KN_TREE_RUNNING);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 2), KN_OK);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", 5), KN_OK);
    EXPECT("-Y X +Y", KN_TREE_RUNNING);
}

static void the_highest_branch_wins_when_several_begin_to_hold(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T",
        NODE(KN_TREE_SELECTOR,
            KIDS(
                TASK("X", f->go, WHEN({.required = TAGS(f->ready), .aborts = KN_TREE_ABORTS_BOTH})),
                TASK("Y", f->go, WHEN({.required = TAGS(f->ready), .aborts = KN_TREE_ABORTS_BOTH})),
                NODE(KN_TREE_SEQUENCE, KIDS(GO("Z"))))));
    begin(f);
    start(f, tree);
    gain(f, f->a, f->ready);
    EXPECT("+Z -Z +X", KN_TREE_RUNNING);
    lose(f, f->a, f->ready);
    EXPECT("-X +Z", KN_TREE_RUNNING);
    assert_int_equal(state_of(f, "X"), KN_TREE_STATE_BLOCKED);
}

// Waiting -----------------------------------------------------------------------------

static void nodes_wait_for_time_events_tags_and_attributes(void **state)
{
    fixture *f = *state;
    kn_tree_id time = TREE("Time", NODE(KN_TREE_WAIT, .duration = KN_MS(30)));
    kn_tree_id no_time = TREE("NoTime", NODE(KN_TREE_WAIT, .name = "W"));
    kn_tree_id event = TREE("Event", NODE(KN_TREE_WAIT_EVENT, .tag = f->alarm));
    kn_tree_id tag = TREE("Tag", NODE(KN_TREE_WAIT_TAG, .tag = f->ready));
    kn_tree_id no_tag = TREE("NoTag", NODE(KN_TREE_WAIT_NO_TAG, .tag = f->ready));
    kn_tree_id attribute = TREE("Attribute", NODE(KN_TREE_WAIT_ATTRIBUTE, .attribute = f->health));
    begin(f);
    start(f, time);
    step(f, KN_MS(29));
    EXPECT("", KN_TREE_RUNNING);
    step(f, KN_MS(1));
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, no_time);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, event);
    assert_int_equal(kn_tree_start(f->world, f->b, event), KN_OK);
    send(f, f->a, f->other);
    send(f, f->b, f->deep);
    EXPECT("", KN_TREE_RUNNING);
    assert_int_equal(result_of(f, f->b), KN_TREE_SUCCEEDED); // a tag below it
    assert_int_equal(kn_world_get_stats(f->world).timers, 0);
    send(f, f->a, f->alarm);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, tag);
    EXPECT("", KN_TREE_RUNNING);
    gain(f, f->a, f->ready);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, tag);
    EXPECT("", KN_TREE_SUCCEEDED); // it is there
    start(f, no_tag);
    EXPECT("", KN_TREE_RUNNING);
    lose(f, f->a, f->ready);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, no_tag);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, attribute);
    assert_int_equal(kn_attribute_set_base(f->world, f->b, f->health, 0, 5.0f), KN_OK);
    EXPECT("", KN_TREE_RUNNING);
    assert_int_equal(kn_attribute_set_base(f->world, f->a, f->health, 0, 5.0f), KN_OK);
    EXPECT("", KN_TREE_SUCCEEDED);
}

// Tasks -------------------------------------------------------------------------------

static kn_ability_id granted(fixture *f, kn_ability_type_id type)
{
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id id;
    grant.type = type;
    assert_int_equal(kn_ability_grant(f->world, f->a, &grant, &id), KN_OK);
    return id;
}

// RTS-257
static void an_ability_ends_its_node_as_it_ends(void **state)
{
    fixture *f = *state;
    kn_tree_id strike = TREE("Strike", NODE(KN_TREE_USE_ABILITY, .ability = f->strike));
    kn_tree_id jab = TREE(
        "Jab", NODE(KN_TREE_SEQUENCE, KIDS(NODE(KN_TREE_USE_ABILITY, .ability = f->jab), OK("B"))));
    kn_tree_id aimed =
        TREE("Aimed", NODE(KN_TREE_USE_ABILITY, .ability = f->strike, .target = "Foe"));
    begin(f);
    start(f, strike);
    EXPECT("", KN_TREE_FAILED); // it has no such ability
    kn_ability_id id = granted(f, f->strike);
    (void)granted(f, f->jab);
    kn_activation_id running[2];
    start(f, strike);
    EXPECT("", KN_TREE_RUNNING);
    assert_int_equal(kn_activations(f->world, f->a, running, 2), 1);
    assert_int_equal(kn_activation_end(f->world, running[0]), KN_OK);
    EXPECT("", KN_TREE_SUCCEEDED);
    start(f, strike);
    assert_int_equal(kn_ability_cancel(f->world, id), KN_OK);
    EXPECT("", KN_TREE_FAILED);
    start(f, strike);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    EXPECT("", KN_TREE_ABORTED);
    assert_int_equal(kn_activations(f->world, f->a, running, 2), 0); // cancelled with its node
    start(f, jab);
    EXPECT("B", KN_TREE_SUCCEEDED);
    start(f, aimed);
    EXPECT("", KN_TREE_FAILED); // there is no target
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->foe), KN_OK);
    start(f, aimed);
    EXPECT("", KN_TREE_RUNNING);
    kn_event_record event;
    assert_int_equal(kn_activations(f->world, f->a, running, 2), 1);
    assert_true(kn_activation_event(f->world, running[0], &event));
    assert_true(kn_entity_id_equal(event.target, f->foe));
}

static void tasks_apply_effects_send_events_and_write_keys(void **state)
{
    fixture *f = *state;
    const kn_tree_value values[] = {{.key = "Foe", .self = true},
        {.key = "Point", .vector = {1, 2, 3}}, {.key = "Label", .tag = f->calm}, {.key = "Number"}};
    kn_tree_id effect =
        TREE("Effect", NODE(KN_TREE_APPLY_EFFECT, .effect = f->burn, .target = "Foe"));
    kn_tree_id own = TREE("Own", NODE(KN_TREE_APPLY_EFFECT, .effect = f->burn));
    kn_tree_id event = TREE("Event", NODE(KN_TREE_SEND_EVENT, .tag = f->alarm, .target = "Foe"));
    kn_tree_id hears = TREE("Hears", NODE(KN_TREE_WAIT_EVENT, .tag = f->alarm));
    kn_tree_id set = TREE("Set", NODE(KN_TREE_SET_KEY, .values = values, .value_count = 4));
    begin(f);
    start(f, effect);
    EXPECT("", KN_TREE_FAILED); // to nobody
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->b), KN_OK);
    start(f, effect);
    EXPECT("", KN_TREE_SUCCEEDED);
    assert_int_equal(kn_effects_count(f->world, f->b), 1);
    assert_int_equal(kn_effects_count(f->world, f->a), 0);
    start(f, own);
    assert_int_equal(kn_effects_count(f->world, f->a), 1);
    assert_int_equal(kn_tree_start(f->world, f->b, hears), KN_OK);
    start(f, event);
    EXPECT("", KN_TREE_SUCCEEDED);
    assert_int_equal(result_of(f, f->b), KN_TREE_SUCCEEDED);
    start(f, set);
    EXPECT("", KN_TREE_SUCCEEDED);
    kn_entity_id entity;
    kn_vec3 point;
    kn_tag label;
    float number;
    assert_int_equal(kn_blackboard_get_entity(f->world, f->a, "Foe", &entity), KN_OK);
    assert_int_equal(kn_blackboard_get_vector(f->world, f->a, "Point", &point), KN_OK);
    assert_int_equal(kn_blackboard_get_tag(f->world, f->a, "Label", &label), KN_OK);
    assert_int_equal(kn_blackboard_get_float(f->world, f->a, "Number", &number), KN_OK);
    assert_true(kn_entity_id_equal(entity, f->a));
    assert_true(point.x == 1 && point.y == 2 && point.z == 3);
    assert_int_equal(label.index1, f->calm.index1);
    assert_true(number == 0.0f);
}

static void only_a_ticket_that_is_current_ends_a_task(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T", NODE(KN_TREE_REPEAT, KIDS(GO("A"))));
    begin(f);
    start(f, tree);
    uint32_t old = f->ticket[0];
    assert_int_equal(kn_tree_start(f->world, f->b, tree), KN_OK);
    finish(f, KN_TREE_SUCCEEDED);
    assert_int_equal(
        kn_tree_finish_task(f->world, f->a, old, KN_TREE_FAILED), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_tree_finish_task(f->world, f->a, 0, KN_TREE_FAILED), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_tree_finish_task(f->world, f->foe, old, KN_TREE_FAILED), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_tree_finish_task(f->world, f->a, f->ticket[0], KN_TREE_RUNNING),
        KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_tree_finish_task(f->world, (kn_entity_id){0}, old, KN_TREE_FAILED), KN_REFUSED_STALE_ID);
    EXPECT("+A +A2 +A", KN_TREE_RUNNING);
    assert_int_equal(result_of(f, f->b), KN_TREE_RUNNING);
}

// Hooks -------------------------------------------------------------------------------

static kn_tree_id next_tree; // that a hook starts

static void does_finish(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    // The node runs, and ends when the tree comes to rest.
    assert_int_equal(kn_tree_finish_task(world, entity, ticket, KN_TREE_SUCCEEDED), KN_OK);
}

static void does_stop(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    assert_int_equal(kn_tree_stop(world, entity), KN_OK);
}

static void does_start(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    assert_int_equal(kn_tree_start(world, entity, next_tree), KN_OK);
}

static void does_destroy(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    kn_entity_destroy(world, entity);
}

static void does_set(fixture *f, kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    (void)f;
    (void)ticket;
    assert_int_equal(kn_blackboard_set_bool(world, entity, "Flag", true), KN_OK);
}

static void what_hooks_ask_of_their_tree_happens_when_it_rests(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE(
        "T", NODE(KN_TREE_SELECTOR,
                 KIDS(TASK("F", f->go, WHEN({.key = "Flag", .aborts = KN_TREE_ABORTS_LOWER})),
                     NODE(KN_TREE_SEQUENCE, KIDS(TASK("C", f->custom, .number = 0), GO("A"))))));
    next_tree = TREE("Next", NODE(KN_TREE_SEQUENCE, KIDS(OK("N"))));
    begin(f);
    f->does_result = KN_TREE_RUNNING;
    f->does = does_finish;
    start(f, tree);
    EXPECT("!C +A", KN_TREE_RUNNING);
    f->does_result = KN_TREE_SUCCEEDED;
    f->does = does_stop;
    start(f, tree);
    EXPECT("-A !C +A -A", KN_TREE_ABORTED);
    f->does = does_start;
    start(f, tree);
    EXPECT("!C +A -A N", KN_TREE_SUCCEEDED);
    f->does = does_set;
    start(f, tree);
    EXPECT("!C +A -A +F", KN_TREE_RUNNING);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    assert_int_equal(kn_blackboard_clear(f->world, f->a, "Flag"), KN_OK);
    f->does = does_destroy;
    f->log[0] = 0;
    assert_int_equal(kn_tree_start(f->world, f->a, tree), KN_OK);
    step(f, KN_MS(1));
    assert_false(kn_entity_is_alive(f->world, f->a));
    assert_non_null(strstr(f->log, "!C"));
    assert_true(kn_world_validate(f->world));
}

static void take_tree_away(kn_world *world, kn_entity_id entity)
{
    kn_component_type_id type = kn_component_find(kn_world_library(world), "Knack.Tree");
    assert_true(kn_component_remove(world, type, entity));
}

// Somebody removes the component of the kit while it aborts a tree.
static void a_tree_may_go_while_it_is_aborted(void **state)
{
    fixture *f = *state;
    kn_tree_id both = TREE("T", NODE(KN_TREE_PARALLEL, KIDS(GO("A"), GO("B"))));
    kn_tree_id one =
        TREE("U", NODE(KN_TREE_PARALLEL, .succeeds = KN_TREE_ONE, KIDS(GO("A"), GO("B"), OK("C"))));
    begin(f);
    f->aborts = take_tree_away;
    start(f, both);
    f->log[0] = 0;
    (void)kn_tree_stop(f->world, f->a);
    assert_string_equal(f->log, "-A");
    f->log[0] = 0;
    (void)kn_tree_start(f->world, f->a, one);
    assert_string_equal(f->log, "+A +B C -A");
    step(f, KN_MS(1));
    assert_true(kn_world_validate(f->world));
    f->aborts = NULL;
    assert_int_equal(kn_tree_start(f->world, f->a, one), KN_OK);
}

static void a_tree_ends_with_its_entity(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T", NODE(KN_TREE_SEQUENCE, KIDS(GO("A"))));
    begin(f);
    start(f, tree);
    assert_int_equal(kn_tree_start(f->world, f->b, tree), KN_OK);
    f->log[0] = 0;
    kn_entity_destroy(f->world, f->a);
    assert_string_equal(f->log, "-A");
    step(f, KN_MS(1));
    assert_int_equal(f->ended, 1);
    assert_int_equal(f->result, KN_TREE_ABORTED);
    assert_int_equal(result_of(f, f->b), KN_TREE_RUNNING);
}

// Trees that do not end -----------------------------------------------------------------

static void a_tree_that_goes_on_and_on_is_stopped_and_reported_once(void **state)
{
    fixture *f = *state;
    kn_tree_id endless = TREE("Endless",
        NODE(KN_TREE_REPEAT,
            KIDS(NODE(KN_TREE_SET_KEY, .values = &(const kn_tree_value){.key = "Flag", .number = 1},
                .value_count = 1))));
    kn_tree_id anew = TREE("Anew", TASK("C", f->custom, .number = 0));
    kn_tree_id good = TREE("Good", GO("A"));
    begin(f);
    assert_int_equal(kn_tree_start(f->world, f->b, good), KN_OK);
    start(f, endless);
    EXPECT("", KN_TREE_FAILED);
    step(f, KN_MS(1));
    assert_int_equal(f->stuck, 1);
    assert_int_equal(f->ended, 1);
    step(f, KN_MS(1));
    assert_int_equal(f->stuck, 0);
    f->does = does_start; // a tree that starts itself
    next_tree = anew;
    start(f, anew);
    f->log[0] = 0;
    assert_int_equal(result_of(f, f->a), KN_TREE_FAILED);
    step(f, KN_MS(1));
    assert_int_equal(f->stuck, 1);
    assert_int_equal(result_of(f, f->b), KN_TREE_RUNNING);
    start(f, good); // nothing is left of it
    EXPECT("+A", KN_TREE_RUNNING);
}

// State -------------------------------------------------------------------------------

static kn_tree_id waiting_tree(fixture *f)
{
    static kn_tree_service service;
    service = (kn_tree_service){.action = f->tick, .interval = KN_MS(40)};
    return TREE(
        "T", NODE(KN_TREE_REPEAT, .name = "R", .services = &service, .service_count = 1,
                 KIDS(NODE(KN_TREE_SEQUENCE,
                     KIDS(NODE(KN_TREE_WAIT, .duration = KN_MS(100)),
                         NODE(KN_TREE_RANDOM_SELECTOR, KIDS(OK("A"), OK("B"), OK("C"))),
                         NODE(KN_TREE_TIME_LIMIT, .duration = KN_MS(50),
                             KIDS(NODE(KN_TREE_SUCCEED,
                                 KIDS(NODE(KN_TREE_WAIT_EVENT, .tag = f->alarm)))))))))); // fails
}

static void a_tree_in_the_middle_of_a_wait_is_restored(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = waiting_tree(f);
    char first[sizeof(f->log)];
    begin(f);
    start(f, tree);
    step(f, KN_MS(70));
    size_t size = kn_snapshot_size(f->world), written;
    void *snapshot = malloc(size);
    assert_int_equal(kn_snapshot_take(f->world, snapshot, size, &written), KN_OK);
    uint64_t before = kn_world_hash(f->world);
    f->log[0] = 0;
    step(f, KN_MS(45));
    send(f, f->a, f->alarm);
    step(f, KN_MS(200));
    uint64_t after = kn_world_hash(f->world);
    (void)snprintf(first, sizeof(first), "%s", f->log);
    assert_int_equal(kn_snapshot_restore(f->world, snapshot, written), KN_OK);
    assert_true(kn_world_hash(f->world) == before);
    f->log[0] = 0;
    step(f, KN_MS(45));
    send(f, f->a, f->alarm);
    step(f, KN_MS(200));
    assert_string_equal(f->log, first);
    assert_true(kn_world_hash(f->world) == after);
    assert_non_null(strstr(first, "*R"));
    free(snapshot);
}

static void a_tree_in_the_middle_of_a_wait_is_saved_and_loaded(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = waiting_tree(f);
    kn_error error;
    char first[sizeof(f->log)];
    size_t size;
    begin(f);
    start(f, tree);
    step(f, KN_MS(70));
    assert_int_equal(kn_save_write(f->world, NULL, 0, &size), KN_OK);
    void *save = malloc(size);
    assert_int_equal(kn_save_write(f->world, save, size, &size), KN_OK);
    f->log[0] = 0;
    step(f, KN_MS(45));
    send(f, f->a, f->alarm);
    step(f, KN_MS(200));
    uint64_t after = kn_world_hash(f->world);
    (void)snprintf(first, sizeof(first), "%s", f->log);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    kn_world *other, *old = f->world;
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    assert_int_equal(kn_save_read(other, save, size, &error), KN_OK);
    f->world = other;
    f->log[0] = 0;
    step(f, KN_MS(45));
    send(f, f->a, f->alarm);
    step(f, KN_MS(200));
    assert_string_equal(f->log, first);
    assert_true(kn_world_hash(f->world) == after);
    f->world = old;
    kn_world_destroy(other);
    free(save);
}

static void the_length_of_steps_does_not_matter(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = waiting_tree(f);
    char once[sizeof(f->log)];
    begin(f);
    start(f, tree);
    step(f, KN_MS(149));
    (void)snprintf(once, sizeof(once), "%s", f->log);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    kn_world_def def = kn_world_def_default();
    def.library = f->library;
    kn_world *other, *old = f->world;
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    f->world = other;
    kn_entity_id entity;
    assert_int_equal(kn_entity_create(other, &entity), KN_OK);
    assert_true(kn_entity_id_equal(entity, f->a));
    start(f, tree);
    for (uint32_t i = 0; i < 149; i++) {
        step(f, KN_MS(1));
    }
    assert_string_equal(f->log, once);
    f->world = old;
    kn_world_destroy(other);
}

// Looking -----------------------------------------------------------------------------

static void a_tree_is_drawn_with_its_state(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE(
        "Guard", NODE(KN_TREE_SELECTOR, .name = "Root",
                     KIDS(TASK("Chase", f->go, WHEN({.key = "Foe", .aborts = KN_TREE_ABORTS_BOTH})),
                         BAD("Shout"), NODE(KN_TREE_WAIT, .duration = KN_MS(1500)), OK("Last"))));
    char text[512];
    begin(f);
    assert_int_equal(kn_tree_print(f->world, f->a, text, sizeof(text)), 0);
    start(f, tree);
    step(f, KN_MS(500));
    uint32_t length = kn_tree_print(f->world, f->a, text, sizeof(text));
    assert_string_equal(text, "Guard: running\n"
                              "  Root (selector): running\n"
                              "    Chase (task): not taken, because this does not hold: Foe is "
                              "set\n"
                              "    Shout (task): failed\n"
                              "    wait: running, 1 s left\n"
                              "    Last (task)\n");
    assert_int_equal(length, strlen(text));
    char small[8];
    assert_int_equal(kn_tree_print(f->world, f->a, small, sizeof(small)), length);
    assert_string_equal(small, "Guard: ");
    kn_tree_node_info info;
    assert_false(kn_tree_get_node(f->world, f->a, 5, &info));
    assert_false(kn_tree_get_node(f->world, f->b, 0, &info));
}

// Bad input ---------------------------------------------------------------------------

static void finish_refuses(fixture *f, const kn_tree_node *root, const char *sentence)
{
    kn_tree_def def = kn_tree_def_default();
    kn_tree_id tree;
    kn_error error = {0};
    kn_library_def library = kn_library_def_default();
    fixture *g = fixture_create();
    def.name = "T";
    def.blackboard = g->board;
    def.root = *root;
    assert_int_equal(kn_tree_register(g->library, &def, &tree, &error), KN_OK);
    assert_int_equal(kn_library_finish(g->library, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, sentence) == NULL) {
        fail_msg("\"%s\" is not in \"%s\"", sentence, error.message);
    }
    (void)library;
    (void)f;
    kn_library_destroy(g->library);
    free(g);
}

#define REFUSED(sentence, ...) finish_refuses(f, &(const kn_tree_node)__VA_ARGS__, sentence)

// RTS-264
static void trees_that_make_no_sense_are_refused(void **state)
{
    fixture *f = *state;
    REFUSED("node `sequence`: it needs `children`", NODE(KN_TREE_SEQUENCE, .name = NULL));
    REFUSED("needs exactly one child", NODE(KN_TREE_INVERT, KIDS(OK("A"), OK("B"))));
    REFUSED("cannot have `children`", NODE(KN_TREE_WAIT, KIDS(OK("A"))));
    REFUSED("`duration` above 0", NODE(KN_TREE_TIME_LIMIT, KIDS(OK("A"))));
    REFUSED("needs a `tag`", NODE(KN_TREE_WAIT_EVENT, .name = "W"));
    REFUSED("needs an `attribute`", NODE(KN_TREE_WAIT_ATTRIBUTE, .name = "W"));
    REFUSED("the hook `run`", TASK("A", f->is_open, .number = 0));
    REFUSED("tree `T`, node `W`: the blackboard `Soldier` has no key `Nothing`",
        TASK("W", f->ok, WHEN({.key = "Nothing"})));
    REFUSED("tree `T`, node `W`, key `Flag`: `target` must be an entity",
        TASK("W", f->ok, .target = "Flag"));
    REFUSED("key `Foe`: `location` must be a vector", TASK("W", f->ok, .location = "Foe"));
    REFUSED("key `Foe`: only numbers are less",
        TASK("W", f->ok, WHEN({.key = "Foe", .compare = KN_TREE_LESS})));
    REFUSED("key `Whole`: it is compared with a key of another kind",
        TASK("W", f->ok, WHEN({.key = "Whole", .compare = KN_TREE_LESS, .with = "Number"})));
    REFUSED("a condition tests nothing", TASK("W", f->ok, WHEN({.number = 1})));
    REFUSED("several tests", TASK("W", f->ok, WHEN({.key = "Flag", .required = TAGS(f->ready)})));
    REFUSED("give it `wakes`",
        TASK("W", f->ok, WHEN({.action = f->is_open, .aborts = KN_TREE_ABORTS_SELF})));
    REFUSED("for children of a selector",
        NODE(KN_TREE_SEQUENCE,
            KIDS(TASK("W", f->ok, WHEN({.key = "Flag", .aborts = KN_TREE_ABORTS_LOWER})))));
    REFUSED(
        "must be above 0", TASK("W", f->ok, .services = &(const kn_tree_service){.action = f->tick},
                               .service_count = 1));
    REFUSED("key `Order_Index`: only orders write it",
        NODE(KN_TREE_SET_KEY, .values = &(const kn_tree_value){.key = "Order_Index"},
            .value_count = 1));
    REFUSED("key `Foe`: the value is of another kind",
        NODE(KN_TREE_SET_KEY, .values = &(const kn_tree_value){.key = "Foe", .number = 3},
            .value_count = 1));
    REFUSED("there is no order `March`", NODE(KN_TREE_ISSUE_ORDER, .order = "March"));
    REFUSED("needs a `tree`", NODE(KN_TREE_SUB_TREE, .name = "S"));
}

// A tree cannot contain itself: it names only those that are there.
static void a_sub_tree_must_be_registered_before(void **state)
{
    fixture *f = *state;
    kn_error error;
    kn_tree_id tree;
    kn_tree_def def = kn_tree_def_default();
    def.name = "T";
    def.root = (kn_tree_node)NODE(KN_TREE_SUB_TREE, .tree = {1}); // itself
    assert_int_equal(kn_tree_register(f->library, &def, &tree, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(tree.index1, 0);
}

// A tree of many sub-trees that double at each level, and one that is very deep.
static void trees_that_are_too_large_are_refused(void **state)
{
    fixture *f = *state;
    kn_error error;
    char names[16][8];
    kn_tree_id last = TREE("T", OK("A"));
    for (uint32_t i = 0; i < 13; i++) {
        (void)snprintf(names[i], sizeof(names[i]), "T%u", i);
        kn_tree_node kids[] = {
            NODE(KN_TREE_SUB_TREE, .tree = last), NODE(KN_TREE_SUB_TREE, .tree = last)};
        kn_tree_node root = NODE(KN_TREE_SEQUENCE, .children = kids, .child_count = 2);
        last = tree_named(f, names[i], &root);
    }
    assert_int_equal(kn_library_finish(f->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "more than 4096 nodes"));
    kn_tree_node chain[70];
    fixture *g = fixture_create();
    chain[69] = (kn_tree_node)NODE(KN_TREE_WAIT, .name = "W");
    for (uint32_t i = 69; i-- > 0;) {
        chain[i] = (kn_tree_node)NODE(KN_TREE_SUCCEED, .children = &chain[i + 1], .child_count = 1);
    }
    (void)tree_named(g, "Deep", &chain[0]);
    assert_int_equal(kn_library_finish(g->library, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, "inside more than 63 other nodes"));
    kn_library_destroy(g->library);
    free(g);
}

static void calls_for_nobody_are_refused(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T", GO("A"));
    const kn_entity_id nobody = {0};
    begin(f);
    assert_int_equal(kn_tree_start(f->world, nobody, tree), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_tree_start(f->world, f->a, (kn_tree_id){9}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_tree_start(f->world, f->a, (kn_tree_id){0}), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_tree_stop(f->world, nobody), KN_REFUSED_STALE_ID);
    kn_tree_info info;
    assert_false(kn_tree_get_info(f->world, f->a, &info));
    start(f, tree);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_REFUSED_NOT_FOUND);
    EXPECT("+A -A", KN_TREE_ABORTED);
}

static void clients_have_no_trees(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = TREE("T", GO("A"));
    kn_world_def def = kn_world_def_default();
    def.is_client = true;
    begin_with(f, def);
    assert_int_equal(kn_tree_start(f->world, f->a, tree), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_tree_finish_task(f->world, f->a, 1, KN_TREE_FAILED), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_blackboard_add(f->world, f->a, f->board), KN_REFUSED_BLOCKED);
    assert_string_equal(f->log, "");
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

// A tree in the middle of a turn: no save has that, as none can be written from a hook.
static void a_damaged_save_does_not_hold_a_tree_up(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = waiting_tree(f);
    begin(f);
    start(f, tree);
    step(f, KN_MS(70));
    field_damage(f, f->a, "Knack.Tree", "busy");
    kn_tree_info info;
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_OK);
    assert_true(kn_tree_get_info(f->world, f->a, &info));
    assert_int_equal(info.result, KN_TREE_ABORTED);
    field_damage(f, f->a, "Knack.Tree", "busy");
    assert_int_equal(kn_tree_stop(f->world, f->a), KN_REFUSED_NOT_FOUND);
    start(f, tree);
    assert_true(kn_tree_get_info(f->world, f->a, &info));
    assert_int_equal(info.result, KN_TREE_RUNNING);
}

static const struct CMUnitTest tests[] = {
    TEST(a_sequence_goes_on_until_a_child_fails),
    TEST(a_selector_goes_on_until_a_child_succeeds),
    TEST(a_random_selector_tries_each_child_once_in_an_order_by_the_seed),
    TEST(policies_of_parallel_nodes_are_kept),
    TEST(a_parallel_node_that_is_decided_at_once_begins_no_more_children),
    TEST(a_repeated_child_runs_as_often_as_told_or_until_it_fails),
    TEST(a_loop_ends_with_the_result_it_waits_for),
    TEST(results_are_inverted_or_made_a_success),
    TEST(a_time_limit_aborts_its_child),
    TEST(a_cooldown_keeps_its_child_from_beginning),
    TEST(a_sub_tree_gets_its_parameters_from_the_blackboard),
    TEST(services_run_while_their_node_does),
    TEST(conditions_keep_a_node_from_beginning),
    TEST(all_conditions_must_hold_and_may_be_inverted),
    TEST(a_condition_knows_whether_a_target_is_in_range),
    TEST(conditions_interrupt_what_they_are_told_to),
    TEST(everything_that_a_condition_depends_on_wakes_it),
    TEST(a_condition_interrupts_only_when_its_answer_changes),
    TEST(the_highest_branch_wins_when_several_begin_to_hold),
    TEST(nodes_wait_for_time_events_tags_and_attributes),
    TEST(an_ability_ends_its_node_as_it_ends),
    TEST(tasks_apply_effects_send_events_and_write_keys),
    TEST(only_a_ticket_that_is_current_ends_a_task),
    TEST(what_hooks_ask_of_their_tree_happens_when_it_rests),
    TEST(a_tree_may_go_while_it_is_aborted),
    TEST(a_tree_ends_with_its_entity),
    TEST(a_tree_that_goes_on_and_on_is_stopped_and_reported_once),
    TEST(a_tree_in_the_middle_of_a_wait_is_restored),
    TEST(a_tree_in_the_middle_of_a_wait_is_saved_and_loaded),
    TEST(the_length_of_steps_does_not_matter),
    TEST(a_tree_is_drawn_with_its_state),
    TEST(trees_that_make_no_sense_are_refused),
    TEST(a_sub_tree_must_be_registered_before),
    TEST(trees_that_are_too_large_are_refused),
    TEST(calls_for_nobody_are_refused),
    TEST(clients_have_no_trees),
    TEST(a_damaged_save_does_not_hold_a_tree_up),
};

TEST_GROUP(order_trees, tests, NULL, NULL);
