// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tags of the kit: names, accessors, and games that call them otherwise.

#include "rts/rts_test.h"

#define EQUAL(a, b) assert_int_equal((a).index1, (b).index1)

// RTS-144, RTS-145, RTS-148, RTS-149, RTS-150, RTS-151, ORD-030
static void every_tag_is_registered_with_a_comment_and_found_by_number(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    library_finish(&f);
    for (int i = 0; i < KN_RTS_TAG_COUNT; i++) {
        const kn_rts_tag_name which = (kn_rts_tag_name)i;
        const kn_tag tag = kn_rts_tag(f.library, which);
        assert_int_not_equal(tag.index1, 0);
        assert_string_equal(kn_tag_name(f.library, tag), kn_rts_tag_text(which));
        EQUAL(tag, kn_tag_find(f.library, kn_rts_tag_text(which)));
        for (int j = 0; j < i; j++) {
            assert_int_not_equal(tag.index1, kn_rts_tag(f.library, (kn_rts_tag_name)j).index1);
        }
    }
    assert_string_equal(
        kn_tag_comment(f.library, kn_rts_tag(f.library, KN_RTS_MOVABLE)), "It can move.");
    assert_string_equal(kn_rts_tag_text(KN_RTS_TAG_COUNT), "");
    assert_int_equal(kn_rts_tag(f.library, KN_RTS_TAG_COUNT).index1, 0);
    assert_int_equal(kn_rts_tag(NULL, KN_RTS_ALIVE).index1, 0);
    fixture_close(&f);
}

// RTS-146, RTS-147: a query for a parent is met by its children, and not the other way round.
static void parents_stand_for_their_children(void **state)
{
    fixture f;
    (void)state;
    fixture_open(&f);
    library_finish(&f);
    const kn_tag permanent = kn_rts_tag(f.library, KN_RTS_PERMANENT);
    const kn_tag changing = kn_rts_tag(f.library, KN_RTS_CHANGING);
    const kn_tag movable = kn_rts_tag(f.library, KN_RTS_MOVABLE);
    const kn_tag relation = kn_rts_tag(f.library, KN_RTS_RELATION);
    assert_true(kn_tag_matches(f.library, movable, permanent));
    assert_false(kn_tag_matches(f.library, permanent, movable));
    assert_false(kn_tag_matches(f.library, movable, changing));
    assert_true(kn_tag_matches(f.library, kn_rts_tag(f.library, KN_RTS_SILENCED), changing));
    assert_true(kn_tag_matches(f.library, kn_rts_tag(f.library, KN_RTS_SAME_PLAYER), relation));
    assert_true(kn_tag_matches(f.library, kn_rts_tag(f.library, KN_RTS_VISIBLE), relation));
    fixture_close(&f);
}

// RTS-144, RTS-146: rules, order rules and redirects map tags to those of a game.
static void a_game_maps_tags_to_its_own(void **state)
{
    fixture f;
    kn_error error = {0};
    (void)state;
    fixture_open(&f);
    const kn_tag walks = tag_named(&f, "Unit.Walks");
    const kn_tag lives = tag_named(&f, "Unit.Lives");
    const kn_tag shop = tag_named(&f, "Unit.Shop");
    const kn_rts_tag_map map = {KN_RTS_MOVABLE, walks};
    kn_rts_rules_def rules = kn_rts_rules_def_default();
    kn_order_rules_def order = kn_order_rules_def_default();
    rules.name = "Rules";
    rules.tags = &map;
    rules.tag_count = 1;
    order.name = "Orders";
    order.alive = lives;
    assert_int_equal(kn_rts_rules_register(f.library, &rules, &error), KN_OK);
    assert_int_equal(kn_order_rules_register(f.library, &order, &error), KN_OK);
    assert_int_equal(
        kn_tag_redirect(f.library, "Knack.Rts.Permanent.IsShop", "Unit.Shop", &error), KN_OK);
    library_finish(&f);
    EQUAL(kn_rts_tag(f.library, KN_RTS_MOVABLE), walks);
    EQUAL(kn_rts_tag(f.library, KN_RTS_ALIVE), lives);
    EQUAL(kn_rts_tag(f.library, KN_RTS_IS_SHOP), shop);
    EQUAL(kn_rts_tag(f.library, KN_RTS_IS_ITEM),
        kn_tag_find(f.library, "Knack.Rts.Permanent.IsItem"));
    fixture_close(&f);
}

static void expect_refused(kn_rts_tag_map *maps, uint32_t count, const char *words)
{
    fixture f;
    kn_error error = {0};
    kn_rts_rules_def rules = kn_rts_rules_def_default();
    fixture_open(&f);
    const kn_tag own = tag_named(&f, "Unit.Own");
    for (uint32_t i = 0; i < count; i++) {
        maps[i].is = maps[i].is.index1 != 0 ? own : maps[i].is;
    }
    rules.name = "Rules";
    rules.tags = maps;
    rules.tag_count = count;
    assert_int_equal(kn_rts_rules_register(f.library, &rules, &error), KN_ERROR_BAD_DATA);
    if (strstr(error.message, words) == NULL) {
        fail_msg("`%s` is not in `%s`", words, error.message);
    }
    fixture_close(&f);
}

static void mappings_that_make_no_sense_are_refused(void **state)
{
    const kn_tag some = {1};
    kn_rts_tag_map twice[] = {{KN_RTS_MOVABLE, some}, {KN_RTS_MOVABLE, some}};
    kn_rts_tag_map without[] = {{KN_RTS_MOVABLE, {0}}};
    kn_rts_tag_map of_orders[] = {{KN_RTS_HOSTILE, some}};
    (void)state;
    expect_refused(twice, 2, "`movable` is mapped twice");
    expect_refused(without, 1, "the tag for `movable` is missing");
    expect_refused(of_orders, 1, "map it with `hostile` of `order_rules`");
}

static void there_is_only_one_of_the_rules(void **state)
{
    fixture f;
    kn_error error = {0};
    kn_rts_rules_def rules = kn_rts_rules_def_default();
    (void)state;
    fixture_open(&f);
    rules.name = "One";
    assert_int_equal(kn_rts_rules_register(f.library, &rules, &error), KN_OK);
    rules.name = "Two";
    assert_int_equal(kn_rts_rules_register(f.library, &rules, &error), KN_OK);
    assert_int_equal(kn_library_finish(f.library, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(kn_rts_rules_register(f.library, NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    fixture_close(&f);
}

// RTS-153: reasons of refused abilities have tags, and a program may have its own.
static void reasons_of_refused_abilities_have_tags(void **state)
{
    fixture f;
    kn_library_def def = kn_library_def_default();
    kn_error error = {0};
    (void)state;
    fixture_open(&f);
    library_finish(&f);
    EQUAL(kn_rts_tag(f.library, KN_RTS_FAIL_COOLDOWN),
        kn_ability_fail_tag(f.library, KN_FAIL_COOLDOWN));
    EQUAL(kn_rts_tag(f.library, KN_RTS_FAIL_COST), kn_ability_fail_tag(f.library, KN_FAIL_COST));
    fixture_close(&f);
    assert_int_equal(kn_library_create(&def, &f.library), KN_OK);
    const kn_tag cold = tag_named(&f, "Not.Ready");
    assert_int_equal(kn_ability_fail_tag_set(f.library, KN_FAIL_COOLDOWN, cold), KN_OK);
    assert_int_equal(kn_order_register(f.library, &error), KN_OK);
    assert_int_equal(kn_rts_register(f.library, &error), KN_OK);
    library_finish(&f);
    EQUAL(kn_rts_tag(f.library, KN_RTS_FAIL_COOLDOWN), cold);
    fixture_close(&f);
}

static void the_kit_needs_the_order_kit_and_is_registered_once(void **state)
{
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    (void)state;
    assert_int_equal(kn_rts_register(NULL, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_false(kn_rts_is_there(NULL));
    assert_int_equal(kn_library_create(&def, &library), KN_OK);
    assert_int_equal(kn_rts_register(library, &error), KN_REFUSED_REQUIREMENT);
    assert_non_null(strstr(error.message, "kits: [order, rts]"));
    assert_false(kn_rts_is_there(library));
    assert_int_equal(kn_order_register(library, &error), KN_OK);
    assert_int_equal(kn_rts_register(library, NULL), KN_OK);
    assert_true(kn_rts_is_there(library));
    assert_int_equal(kn_rts_register(library, &error), KN_REFUSED_DUPLICATE);
    kn_library_destroy(library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_tag_is_registered_with_a_comment_and_found_by_number),
    cmocka_unit_test(parents_stand_for_their_children),
    cmocka_unit_test(a_game_maps_tags_to_its_own),
    cmocka_unit_test(mappings_that_make_no_sense_are_refused),
    cmocka_unit_test(there_is_only_one_of_the_rules),
    cmocka_unit_test(reasons_of_refused_abilities_have_tags),
    cmocka_unit_test(the_kit_needs_the_order_kit_and_is_registered_once),
};

TEST_GROUP(rts_tags, tests, NULL, NULL);
