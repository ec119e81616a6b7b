// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The example of docs/trees.md is loaded and played, and trees in data files are checked.

#include "group.h"

#include "knack/data.h"
#include "knack/def.h"
#include "knack/tree.h"

#include <stdio.h>
#include <string.h>

// Block `index` of the guide, from 0, without its fences.
static size_t read_block(uint32_t index, char *text, size_t size)
{
    FILE *file = fopen(ORDER_DOCS "/trees.md", "r");
    assert_non_null(file);
    char line[512];
    size_t length = 0;
    uint32_t fences = 0;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            fences++;
        } else if (fences == index * 2 + 1) {
            length += (size_t)snprintf(text + length, size - length, "%s", line);
            assert_true(length < size);
        }
    }
    assert_int_equal(fclose(file), 0);
    assert_true(length > 0);
    return length;
}

// Builds a library, or writes the first message to `message`.
static kn_library *build(const char *text, size_t length, char *message, uint32_t size)
{
    static const kn_kit kit = {"order", kn_order_register};
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    def.kits = &kit;
    def.kit_count = 1;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(kn_data_add_text(data, "guide.yaml", text, length), KN_OK);
    kn_result result = kn_data_build(data, &library);
    message[0] = 0;
    if (kn_data_message_count(data) > 0) {
        (void)kn_data_message_print(data, 0, message, size);
    }
    kn_data_destroy(data);
    assert_int_equal(result == KN_OK, library != NULL);
    return library;
}

static kn_tree_state state_of(const kn_world *world, kn_entity_id entity, const char *name)
{
    kn_tree_node_info info;
    for (uint32_t i = 0; kn_tree_get_node(world, entity, i, &info); i++) {
        if (strcmp(info.name, name) == 0) {
            return info.state;
        }
    }
    fail_msg("no node %s", name);
    return KN_TREE_STATE_NONE;
}

static void step(kn_world *world, kn_time dt)
{
    assert_int_equal(kn_world_step(world, dt), KN_OK);
}

static void tag_set(kn_world *world, kn_entity_id entity, const char *name, bool is_there)
{
    kn_tag tag = kn_tag_find(kn_world_library(world), name);
    assert_int_equal(
        kn_entity_set_tag_count(world, entity, tag, KN_TAG_ORIGIN_LOOSE, is_there), KN_OK);
    step(world, KN_MS(1));
}

static const char *current(const kn_world *world, kn_entity_id unit)
{
    kn_unit_info info;
    assert_true(kn_unit_get_info(world, unit, &info));
    return kn_order_type_get_def(kn_world_library(world), info.current.type)->name;
}

// RTS-251, RTS-252, RTS-254
static void the_example_of_the_guide_plays(void **state)
{
    static char text[16 * 1024], drawing[2048], expected[2048];
    char message[512];
    (void)state;
    size_t length = read_block(0, text, sizeof(text));
    kn_library *library = build(text, length, message, sizeof(message));
    assert_string_equal(message, "");
    assert_non_null(library);
    kn_world_def def = kn_world_def_default();
    kn_world *world;
    kn_entity_id unit, foe;
    def.library = library;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    assert_int_equal(kn_entity_create(world, &unit), KN_OK);
    assert_int_equal(kn_entity_create(world, &foe), KN_OK);
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id strike;
    grant.type = kn_ability_type_find(library, "Strike");
    assert_int_equal(kn_ability_grant(world, unit, &grant, &strike), KN_OK);
    tag_set(world, unit, "Unit.Soldier", true);
    assert_string_equal(current(world, unit), "Stop");
    kn_order order = kn_order_of(kn_order_type_find(library, "Guard"));
    assert_int_equal(kn_order_issue(world, unit, &order, NULL), KN_OK);
    (void)kn_tree_print(world, unit, drawing, sizeof(drawing));
    (void)read_block(2, expected, sizeof(expected));
    assert_string_equal(drawing, expected);

    assert_int_equal(kn_blackboard_set_entity(world, unit, "Foe", foe), KN_OK);
    assert_int_equal(state_of(world, unit, "Watch"), KN_TREE_STATE_ABORTED);
    assert_int_equal(state_of(world, unit, "use_ability"), KN_TREE_STATE_RUNNING);
    step(world, KN_MS(1200)); // strikes again, but does not shout
    assert_int_equal(state_of(world, unit, "use_ability"), KN_TREE_STATE_RUNNING);
    assert_int_equal(state_of(world, unit, "cooldown"), KN_TREE_STATE_FAILED);
    tag_set(world, unit, "State.Tired", true);
    assert_int_equal(state_of(world, unit, "Fight"), KN_TREE_STATE_ABORTED);
    assert_int_equal(state_of(world, unit, "wait_no_tag"), KN_TREE_STATE_RUNNING);
    assert_int_equal(kn_blackboard_clear(world, unit, "Foe"), KN_OK);
    // The condition of the node hears of it before the node inside: it fails, and the soldier goes
    // back to its watch.
    tag_set(world, unit, "State.Tired", false);
    assert_string_equal(current(world, unit), "Guard");
    assert_int_equal(state_of(world, unit, "Watch"), KN_TREE_STATE_RUNNING);
    step(world, KN_S(60));
    assert_string_equal(current(world, unit), "Stop");
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// RTS-264
static void mistakes_in_data_are_reported(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"trees: {T: {root: {kind: walk}}}",
            "guide.yaml:2:26: error: `walk` is not a value of `kind`"},
        {"trees: {T: {root: {children: [{kind: invert, childs: []}]}}}",
            "guide.yaml:2:46: error: there is no field `childs` here"},
        {"trees: {T: {root: {kind: sub_tree, tree: U}}}",
            "guide.yaml:2:42: error: there is no tree `U`"},
        {"trees:\n  T: {root: {kind: sub_tree, tree: U}}\n  U: {root: {kind: sub_tree, tree: T}}",
            "need each other in a cycle: T -> U -> T"},
        {"trees: {T: {root: {kind: set_key, name: N, values: [{key: Foe}]}}}",
            "tree `T`, node `N`, key `Foe`: the tree `T` has no `blackboard`"},
    };
    char text[512], message[512];
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        int length = snprintf(text, sizeof(text), "kits: [order]\n%s\n", cases[i].text);
        assert_null(build(text, (size_t)length, message, sizeof(message)));
        if (strstr(message, cases[i].message) == NULL) {
            fail_msg("\"%s\" is not in \"%s\"", cases[i].message, message);
        }
    }
}

// What the kit registers because of the trees, such as a rule for each tag that one waits for, is
// not written: it comes again by itself.
static void a_library_is_written_and_read_again(void **state)
{
    static char text[16 * 1024], written[32 * 1024];
    char message[512];
    size_t size;
    (void)state;
    size_t length = read_block(0, text, sizeof(text));
    kn_library *library = build(text, length, message, sizeof(message));
    assert_non_null(library);
    uint32_t rule = kn_def_find(library, KN_DEF_RULE, "Knack.TreeEntityEnds");
    assert_int_not_equal(rule, 0);
    assert_false(kn_def_is_derived(library, KN_DEF_RULE, rule)); // the kit has it in any case
    assert_true(kn_def_is_derived(library, KN_DEF_RULE, kn_def_count(library, KN_DEF_RULE)));
    assert_false(kn_def_is_derived(library, KN_DEF_RULE, 0));
    assert_false(kn_def_is_derived(library, KN_DEF_RULE, UINT32_MAX));
    assert_false(kn_def_is_derived(library, KN_DEF_ABILITY, 1));
    assert_false(kn_def_is_derived(NULL, KN_DEF_RULE, 1));
    assert_int_equal(kn_data_write(library, written, sizeof(written), &size), KN_OK);
    written[size] = 0;
    assert_null(strstr(written, "rules:"));
    kn_library *again = build(written, size, message, sizeof(message));
    assert_string_equal(message, "");
    assert_non_null(again);
    assert_true(kn_library_hash(again) == kn_library_hash(library));
    assert_int_equal(kn_def_count(again, KN_DEF_RULE), kn_def_count(library, KN_DEF_RULE));
    kn_library_destroy(again);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_example_of_the_guide_plays),
    cmocka_unit_test(mistakes_in_data_are_reported),
    cmocka_unit_test(a_library_is_written_and_read_again),
};

TEST_GROUP(order_tree_docs, tests, NULL, NULL);
