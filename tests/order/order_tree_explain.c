// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a tree did not take a branch, blackboards as text, and drawings of trees.

#include "tree_test.h"

static char text[32768];

static kn_tree_id guard_tree(fixture *f)
{
    static kn_tree_service service;
    service = kn_tree_service_default();
    service.action = f->tick;
    service.interval = KN_MS(250);
    return TREE("Guard",
        NODE(KN_TREE_SELECTOR, .name = "What <to> do", .services = &service, .service_count = 1,
            KIDS(TASK("Rest", f->go,
                     WHEN({.required = TAGS(f->calm), .aborts = KN_TREE_ABORTS_LOWER},
                         {.action = f->is_open})),
                TASK("Chase", f->go,
                    WHEN({.key = "Foe", .aborts = KN_TREE_ABORTS_BOTH},
                        {.key = "Number",
                            .compare = KN_TREE_LESS,
                            .number = 2.5f,
                            .inverted = true,
                            .aborts = KN_TREE_ABORTS_SELF})),
                NODE(KN_TREE_USE_ABILITY, .ability = f->strike, .target = "Foe",
                    WHEN({.required = TAGS(f->ready)})),
                NODE(KN_TREE_WAIT, .duration = KN_MS(1500)))));
}

static void conditions_are_explained_with_their_answers(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = guard_tree(f);
    begin(f);
    assert_int_equal(kn_tree_explain(f->world, f->a, text, sizeof(text)), 0);
    start(f, tree);
    f->is_open_now = true;
    uint64_t hash = kn_world_hash(f->world);
    uint32_t length = kn_tree_explain(f->world, f->a, text, sizeof(text));
    assert_string_equal(text,
        "Guard: running\n"
        "  What <to> do (selector): running\n"
        "    Rest (task): not taken, because this does not hold: has Status.Calm\n"
        "        [no] has Status.Calm; interrupts later branches\n"
        "        [yes] IsOpen\n"
        "    Chase (task): not taken, because this does not hold: Foe is set\n"
        "        [no] Foe is set; interrupts the node and later branches\n"
        "        [yes] not: Number < 2.5; interrupts the node\n"
        "    use_ability: not taken, because this does not hold: has Status.Ready\n"
        "        [no] has Status.Ready\n"
        "    wait: running, 1.5 s left\n");
    assert_int_equal(length, strlen(text));
    assert_true(kn_world_hash(f->world) == hash);
    f->is_open_now = false;
    assert_int_equal(kn_blackboard_set_float(f->world, f->a, "Number", 1.0f), KN_OK);
    (void)kn_tree_explain(f->world, f->a, text, sizeof(text));
    assert_non_null(strstr(text, "        [no] IsOpen\n"));
    assert_non_null(strstr(text, "        [no] not: Number < 2.5; interrupts the node\n"));
    char small[8];
    assert_true(kn_tree_explain(f->world, f->a, small, sizeof(small)) > 8);
    assert_string_equal(small, "Guard: ");
}

static void name_entity(
    void *user, const kn_world *world, kn_entity_id entity, char *out, uint32_t size)
{
    const fixture *f = user;
    (void)world;
    (void)snprintf(out, size, "%s", kn_entity_id_equal(entity, f->foe) ? "foe" : "somebody");
}

static void blackboards_are_printed(void **state)
{
    fixture *f = *state;
    kn_tree_id tree = guard_tree(f);
    kn_order_type_def nap = kn_order_type_def_default();
    kn_order_type_id type;
    nap.name = "Nap";
    nap.target_kind = KN_ORDER_TARGET_PASSIVE;
    assert_int_equal(kn_order_type_register(f->library, &nap, &type, NULL), KN_OK);
    begin(f);
    assert_int_equal(kn_blackboard_print(f->world, f->a, NULL, NULL, text, sizeof(text)), 0);
    start(f, tree);
    assert_int_equal(kn_blackboard_set_bool(f->world, f->a, "Flag", true), KN_OK);
    assert_int_equal(kn_blackboard_set_int(f->world, f->a, "Whole", -4), KN_OK);
    assert_int_equal(kn_blackboard_set_float(f->world, f->a, "Number", 2.5f), KN_OK);
    assert_int_equal(kn_blackboard_set_entity(f->world, f->a, "Foe", f->foe), KN_OK);
    uint32_t length = kn_blackboard_print(f->world, f->a, name_entity, f, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_non_null(strstr(text, "  Order_OrderType: not set\n"));
    assert_non_null(strstr(text, "  Flag: true\n"));
    assert_non_null(strstr(text, "  Whole: -4\n"));
    assert_non_null(strstr(text, "  Number: 2.5\n"));
    assert_non_null(strstr(text, "  Foe: foe\n"));
    (void)kn_blackboard_print(f->world, f->a, NULL, NULL, text, sizeof(text));
    char wanted[32];
    (void)snprintf(wanted, sizeof(wanted), "  Foe: entity %u\n", f->foe.index1);
    assert_non_null(strstr(text, wanted));
    // The others, as they are in the layout of the tests.
    assert_int_equal(kn_blackboard_set_vector(f->world, f->a, "Point", (kn_vec3){1, 2, 3}), KN_OK);
    assert_int_equal(kn_blackboard_set_tag(f->world, f->a, "Label", f->calm), KN_OK);
    assert_int_equal(kn_blackboard_set_order(f->world, f->a, "Type", type), KN_OK);
    (void)kn_blackboard_print(f->world, f->a, NULL, NULL, text, sizeof(text));
    assert_non_null(strstr(text, "  Point: [1, 2, 3]\n"));
    assert_non_null(strstr(text, "  Label: Status.Calm\n"));
    (void)snprintf(wanted, sizeof(wanted), "  Type: %s\n", "Nap");
    assert_non_null(strstr(text, wanted));
}

static uint32_t count_of(const char *what)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)) != NULL; at += strlen(what)) {
        count++;
    }
    return count;
}

static void trees_are_drawn_as_pictures(void **state)
{
    fixture *f = *state;
    kn_tree_id inner = TREE("Inner", NODE(KN_TREE_SEND_EVENT, .tag = f->alarm));
    kn_tree_id tree = guard_tree(f);
    kn_tree_id outer = TREE(
        "Outer", NODE(KN_TREE_REPEAT, .count = 3,
                     KIDS(NODE(KN_TREE_SEQUENCE, KIDS(NODE(KN_TREE_SUB_TREE, .tree = inner),
                                                     NODE(KN_TREE_WAIT_EVENT, .tag = f->other))))));
    assert_int_equal(kn_tree_svg(f->library, tree, NULL, (kn_entity_id){0}, text, sizeof(text)), 0);
    begin(f);
    uint32_t length = kn_tree_svg(f->library, tree, NULL, (kn_entity_id){0}, text, sizeof(text));
    assert_int_equal(length, strlen(text));
    assert_int_equal(strncmp(text, "<svg xmlns=", 11), 0);
    assert_string_equal(text + length - 7, "</svg>\n");
    assert_non_null(strstr(text, "<title>Guard</title>"));
    assert_non_null(strstr(text, ">What &lt;to&gt; do</text>"));
    assert_int_equal(count_of("<rect "), 5);
    assert_int_equal(count_of("<path "), 4);
    assert_int_equal(count_of("class=\"box none\""), 5);
    assert_non_null(strstr(text, ">if has Status.Calm (interrupts later branches)</text>"));
    assert_non_null(strstr(text, ">if not: Number &lt; 2.5 (interrupts the node)</text>"));
    assert_non_null(strstr(text, ">meanwhile Tick every 0.25 s</text>"));
    assert_non_null(strstr(text, ">1.5 s</text>"));
    assert_non_null(strstr(text, " at Foe</text>"));
    // With a state, if it is that of the tree.
    start(f, tree);
    (void)kn_tree_svg(f->library, tree, f->world, f->a, text, sizeof(text));
    assert_int_equal(count_of("class=\"box running\""), 2);
    assert_int_equal(count_of("class=\"box blocked\""), 3);
    (void)kn_tree_svg(f->library, tree, f->world, f->b, text, sizeof(text));
    assert_int_equal(count_of("class=\"box none\""), 5);
    length = kn_tree_svg(f->library, outer, f->world, f->a, text, sizeof(text));
    assert_int_equal(count_of("class=\"box none\""), 5); // the sub-tree in its place
    assert_non_null(strstr(text, ">3 times</text>"));
    assert_non_null(strstr(text, ">Inner</text>"));
    assert_non_null(strstr(text, ">Event.Alarm</text>"));
    char small[8];
    assert_int_equal(kn_tree_svg(f->library, outer, f->world, f->a, small, sizeof(small)), length);
    assert_string_equal(small, "<svg xm");
    assert_int_equal(kn_tree_svg(f->library, (kn_tree_id){99}, NULL, f->a, text, sizeof(text)), 0);
    assert_int_equal(kn_tree_svg(NULL, tree, NULL, f->a, text, sizeof(text)), 0);
}

static const struct CMUnitTest tests[] = {
    TEST(conditions_are_explained_with_their_answers),
    TEST(blackboards_are_printed),
    TEST(trees_are_drawn_as_pictures),
};

TEST_GROUP(order_tree_explain, tests, NULL, NULL);
