// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "test_tag_library.h"

#include <stdio.h>

static kn_tags one(const kn_tag *tag)
{
    return (kn_tags){tag, 1};
}

static void assert_set(const kn_tag_set *set, const kn_tag *tags, uint32_t count)
{
    assert_int_equal(set->count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_true(kn_tags_has_exact(kn_tag_set_view(set), tags[i]));
        assert_true(i == 0 || set->data[i - 1].index1 < set->data[i].index1);
    }
}

// Sets ------------------------------------------------------------------------

// TAG-020
static void set_holds_each_tag_once_in_order(void **state)
{
    (void)state;
    kn_tag_set set = {0};
    kn_tag a = {7}, b = {3}, c = {5};
    assert_int_equal(kn_tag_set_add(&set, a), KN_OK);
    assert_int_equal(kn_tag_set_add(&set, b), KN_OK);
    assert_int_equal(kn_tag_set_add(&set, c), KN_OK);
    assert_int_equal(kn_tag_set_add(&set, b), KN_OK);
    kn_tags view = kn_tag_set_view(&set);
    assert_int_equal(view.count, 3);
    assert_int_equal(view.data[0].index1, 3);
    assert_int_equal(view.data[1].index1, 5);
    assert_int_equal(view.data[2].index1, 7);
    assert_int_equal(kn_tag_set_add(&set, (kn_tag){0}), KN_ERROR_INVALID_ARGUMENT);

    assert_true(kn_tag_set_remove(&set, c));
    assert_false(kn_tag_set_remove(&set, c));
    assert_false(kn_tag_set_remove(&set, (kn_tag){0}));
    kn_tag_set same = {0};
    kn_tag_set_add(&same, a);
    kn_tag_set_add(&same, b);
    assert_memory_equal(&set, &same, sizeof set);
}

static void full_set_refuses_more(void **state)
{
    (void)state;
    kn_tag_set set = {0};
    for (uint32_t i = 1; i <= KN_TAG_SET_MAX; i++) {
        assert_int_equal(kn_tag_set_add(&set, (kn_tag){2 * i}), KN_OK);
    }
    kn_tag_set before = set;
    assert_int_equal(kn_tag_set_add(&set, (kn_tag){3}), KN_REFUSED_LIMIT);
    assert_int_equal(kn_tag_set_add(&set, (kn_tag){4}), KN_OK); // it is there
    assert_memory_equal(&set, &before, sizeof set);
}

static void append_adds_all_or_nothing(void **state)
{
    (void)state;
    kn_tag_set set = {0};
    for (uint32_t i = 1; i < KN_TAG_SET_MAX; i++) {
        assert_int_equal(kn_tag_set_add(&set, (kn_tag){2 * i}), KN_OK);
    }
    kn_tag_set before = set;
    kn_tag two[] = {{1}, {3}};
    assert_int_equal(kn_tag_set_append(&set, (kn_tags){two, 2}), KN_REFUSED_LIMIT);
    assert_memory_equal(&set, &before, sizeof set);
    kn_tag null[] = {{1}, {0}};
    assert_int_equal(kn_tag_set_append(&set, (kn_tags){null, 2}), KN_ERROR_INVALID_ARGUMENT);
    assert_memory_equal(&set, &before, sizeof set);
    kn_tag old[] = {{1}, {2}, {1}, {4}}; // only one of them is new
    assert_int_equal(kn_tag_set_append(&set, (kn_tags){old, 4}), KN_OK);
    assert_int_equal(set.count, KN_TAG_SET_MAX);
    assert_int_equal(kn_tag_set_append(&set, kn_tag_set_view(&set)), KN_OK);
    assert_int_equal(set.count, KN_TAG_SET_MAX);
    assert_int_equal(kn_tag_set_append(&set, (kn_tags){NULL, 0}), KN_OK);
}

// TVE-106
static void inherited_tags_are_the_parents_less_removed_plus_added(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag p = tag_add(library, "P"), q = tag_add(library, "Q"), r = tag_add(library, "R");
    kn_tag parent[] = {p, q};
    kn_tag_set set = {0};
    assert_int_equal(kn_tag_set_combine(&set, (kn_tags){parent, 2}, one(&r), one(&q)), KN_OK);
    kn_tag expected[] = {p, r};
    assert_set(&set, expected, 2);

    // The set may be its own parent; what is both removed and added is there.
    assert_int_equal(kn_tag_set_combine(&set, kn_tag_set_view(&set), one(&r), one(&r)), KN_OK);
    assert_set(&set, expected, 2);

    kn_tag below = tag_add(library, "P.Below"); // removal is literal
    assert_int_equal(kn_tag_set_combine(&set, one(&below), one(&r), one(&p)), KN_OK);
    assert_int_equal(set.count, 2);

    kn_tag none = {0};
    assert_int_equal(
        kn_tag_set_combine(&set, one(&none), one(&r), one(&p)), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(set.count, 0);
}

static void combining_counts_only_what_is_left(void **state)
{
    (void)state;
    kn_tag parent[100], removed[60];
    for (uint32_t i = 0; i < 100; i++) {
        parent[i].index1 = i + 1;
        if (i < 60) {
            removed[i].index1 = i + 1;
        }
    }
    kn_tag_set set = {0};
    kn_tags empty = {NULL, 0};
    assert_int_equal(
        kn_tag_set_combine(&set, (kn_tags){parent, 100}, empty, (kn_tags){removed, 60}), KN_OK);
    assert_int_equal(set.count, 40);
    assert_int_equal(
        kn_tag_set_combine(&set, (kn_tags){parent, 100}, empty, empty), KN_REFUSED_LIMIT);
    assert_int_equal(set.count, 0);
}

// Categories ------------------------------------------------------------------

// TAG-040
static void category_holds_the_tags_below_it(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag fire = tag_add(library, "GameplayCue.Fire"), deep = tag_add(library, "GameplayCue.A.B");
    kn_tag state_tag = tag_add(library, "State.Stunned"), none = {0};
    kn_tag cue = kn_tag_find(library, "GameplayCue");
    kn_tag good[] = {fire, deep}, mixed[] = {fire, state_tag}, null[] = {fire, none};
    for (int round = 0; round < 2; round++) {
        assert_true(kn_tags_in_category(library, (kn_tags){good, 2}, cue));
        assert_true(kn_tags_in_category(library, one(&fire), cue));
        assert_false(kn_tags_in_category(library, (kn_tags){mixed, 2}, cue));
        assert_false(kn_tags_in_category(library, (kn_tags){null, 2}, cue));
        assert_false(kn_tags_in_category(library, one(&cue), cue)); // a heading, not a cue
        assert_true(kn_tags_in_category(library, (kn_tags){mixed, 2}, none));
        assert_true(kn_tags_in_category(library, (kn_tags){NULL, 0}, cue));
        assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    }
    kn_tag_set set = {0};
    kn_tag_set_append(&set, (kn_tags){good, 2});
    kn_tag_set_add(&set, state_tag);
    kn_tag_set_add(&set, cue);
    assert_int_equal(kn_tag_set_filter(library, &set, none), 0);
    assert_int_equal(set.count, 4);
    assert_int_equal(kn_tag_set_filter(library, &set, cue), 2);
    assert_set(&set, good, 2);
    assert_int_equal(kn_tag_set_filter(library, &set, state_tag), 2);
    assert_int_equal(set.count, 0);
}

// Questions -------------------------------------------------------------------

// TAG-024, TVE-101
static void children_imply_their_parents_but_not_the_reverse(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag stun = tag_add(library, "State.Debuff.Stun");
    kn_tag debuff = kn_tag_parent(library, stun), root = kn_tag_parent(library, debuff);
    for (int round = 0; round < 2; round++) {
        assert_true(kn_tags_has(library, one(&stun), root));
        assert_true(kn_tags_has(library, one(&stun), debuff));
        assert_true(kn_tags_has(library, one(&stun), stun));
        assert_false(kn_tags_has_exact(one(&stun), debuff));
        assert_true(kn_tags_has_exact(one(&stun), stun));
        assert_false(kn_tags_has(library, one(&debuff), stun));
        kn_tag wanted[] = {root, debuff};
        kn_tags both = {wanted, 2};
        assert_true(kn_tags_has_all(library, one(&stun), both));
        assert_false(kn_tags_has_all_exact(one(&stun), both));
        assert_true(kn_tags_has_any(library, one(&debuff), both));
        assert_true(kn_tags_has_any_exact(one(&debuff), both));
        assert_false(kn_tags_has_any_exact(one(&stun), both));
        assert_false(kn_tags_has_all(library, one(&root), both));
        assert_true(kn_tags_has_all_exact(both, both));
        assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    }
}

// TAG-025, TVE-102
static void any_of_nothing_is_false_and_all_of_nothing_is_true(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    kn_tags nothing = {NULL, 0};
    kn_tags subjects[] = {nothing, one(&a)};
    for (int i = 0; i < 2; i++) {
        assert_false(kn_tags_has_any(library, subjects[i], nothing));
        assert_false(kn_tags_has_any_exact(subjects[i], nothing));
        assert_true(kn_tags_has_all(library, subjects[i], nothing));
        assert_true(kn_tags_has_all_exact(subjects[i], nothing));
    }
    assert_false(kn_tags_has_any(library, nothing, one(&a)));
    assert_false(kn_tags_has_all(library, nothing, one(&a)));
}

// TAG-015
static void nothing_has_the_null_tag(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A"), none = {0};
    kn_tag list[] = {none, a};
    kn_tags tags = {list, 2};
    assert_false(kn_tags_has(library, tags, none));
    assert_false(kn_tags_has_exact(tags, none));
    assert_false(kn_tags_has_any(library, tags, one(&none)));
    assert_false(kn_tags_has_all(library, tags, one(&none)));
    assert_false(kn_tags_has_all_exact(tags, one(&none)));
    assert_true(kn_tags_has(library, tags, a));
}

// Requirements ----------------------------------------------------------------

// TAG-026
static void requirement_wants_all_required_and_none_ignored(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A"), below = tag_add(library, "A.Below"),
           b = tag_add(library, "B");
    kn_tag c = tag_add(library, "C.Below"), category = kn_tag_parent(library, c);
    kn_tag ab[] = {a, b}, have[] = {below, b}, bad[] = {below, b, c};
    kn_tag_requirement requirement = {.required = {ab, 2}, .ignored = one(&category)};
    assert_true(kn_tag_requirement_is_met(library, &requirement, (kn_tags){have, 2}));
    assert_false(kn_tag_requirement_is_met(library, &requirement, (kn_tags){have, 1}));
    assert_false(kn_tag_requirement_is_met(library, &requirement, (kn_tags){bad, 3}));
    assert_false(kn_tag_requirement_is_met(library, &requirement, (kn_tags){NULL, 0}));

    kn_tag none = {0};
    kn_tag_requirement impossible = {.required = one(&none)};
    assert_false(kn_tag_requirement_is_met(library, &impossible, (kn_tags){have, 2}));
    kn_tag_requirement harmless = {.ignored = one(&none)};
    assert_true(kn_tag_requirement_is_met(library, &harmless, (kn_tags){have, 2}));
}

// TAG-026
static void query_of_a_requirement_counts_unless_it_is_empty(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A"), b = tag_add(library, "B");
    kn_tag_query query = {0};
    kn_tag_requirement requirement = {.required = one(&a), .query = &query};
    kn_tag ab[] = {a, b};
    assert_true(kn_tag_requirement_is_met(library, &requirement, one(&a)));
    assert_int_equal(kn_tag_query_parse(library, "all_tags(B)", &query, NULL), KN_OK);
    assert_false(kn_tag_requirement_is_met(library, &requirement, one(&a)));
    assert_true(kn_tag_requirement_is_met(library, &requirement, (kn_tags){ab, 2}));
    query.tokens[1] = 4000; // damaged
    assert_false(kn_tag_requirement_is_met(library, &requirement, (kn_tags){ab, 2}));
    query = (kn_tag_query){.failed = 1};
    assert_false(kn_tag_requirement_is_met(library, &requirement, (kn_tags){ab, 2}));
}

// TAG-026
static void empty_requirement_is_always_met(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    kn_tag_query query = {0};
    kn_tag_requirement requirement = {0};
    assert_true(kn_tag_requirement_is_empty(&requirement));
    assert_true(kn_tag_requirement_is_met(library, &requirement, (kn_tags){NULL, 0}));
    requirement.query = &query;
    assert_true(kn_tag_requirement_is_empty(&requirement));
    assert_true(kn_tag_requirement_is_met(library, &requirement, one(&a)));
    kn_tag_query_begin(&query, KN_QUERY_ALL);
    assert_false(kn_tag_requirement_is_empty(&requirement));
    kn_tag_requirement required = {.required = one(&a)}, ignored = {.ignored = one(&a)};
    assert_false(kn_tag_requirement_is_empty(&required));
    assert_false(kn_tag_requirement_is_empty(&ignored));
    assert_true(kn_tag_requirement_is_empty(NULL));
    assert_true(kn_tag_requirement_is_met(library, NULL, one(&a)));
}

// Text ------------------------------------------------------------------------

static void set_is_read_and_written_as_text(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag ab = tag_add(library, "A.B"), c = tag_add(library, "C");
    kn_tag_set set;
    kn_error error;
    assert_int_equal(
        kn_tag_set_parse(library, " a.b ,\tC,C ", KN_UNKNOWN_TAGS_REFUSE, &set, &error), KN_OK);
    kn_tag expected[] = {ab, c};
    assert_set(&set, expected, 2);
    char text[32];
    assert_int_equal(kn_tags_print(library, kn_tag_set_view(&set), text, sizeof text), 6);
    assert_string_equal(text, "A.B, C");
    assert_int_equal(kn_tags_print(library, kn_tag_set_view(&set), text, 4), 6);
    assert_string_equal(text, "A.B");
    text[0] = '!';
    assert_int_equal(kn_tags_print(library, kn_tag_set_view(&set), text, 0), 6);
    assert_int_equal(text[0], '!');
    assert_int_equal(kn_tags_print(library, kn_tag_set_view(&set), NULL, 0), 6);
    kn_tag odd[] = {{0}, c, {4000}};
    assert_int_equal(kn_tags_print(library, (kn_tags){odd, 3}, text, sizeof text), 1);
    assert_string_equal(text, "C");
    assert_int_equal(kn_tags_print(library, (kn_tags){NULL, 0}, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_int_equal(kn_tag_set_parse(library, " \n", KN_UNKNOWN_TAGS_REFUSE, &set, &error), KN_OK);
    assert_int_equal(set.count, 0);
}

// TAG-003
static void unknown_name_is_refused_with_its_place_and_a_suggestion(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "State.Stunned");
    kn_tag_set set = {.count = 1};
    kn_error error;
    assert_int_equal(
        kn_tag_set_parse(library, "State, State.Stuned", KN_UNKNOWN_TAGS_REFUSE, &set, &error),
        KN_ERROR_BAD_DATA);
    assert_int_equal(set.count, 0);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 8);
    assert_mentions(&error, "did you mean `State.Stunned`?");
    assert_int_equal(kn_tag_set_parse(library, "Nowhere", KN_UNKNOWN_TAGS_REFUSE, &set, NULL),
        KN_ERROR_BAD_DATA);
}

static void malformed_text_is_an_error_whatever_the_policy(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "A");
    static const struct {
        const char *text;
        uint32_t column;
    } bad[] = {
        {"A,", 3}, {",A", 1}, {"A,,A", 3}, {"A, A!B", 5}, {"A A", 2}, {"A,\x01", 3}, {",", 1}};
    static const kn_unknown_tags policies[] = {
        KN_UNKNOWN_TAGS_REFUSE, KN_UNKNOWN_TAGS_CLEAR, KN_UNKNOWN_TAGS_KEEP};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        for (size_t j = 0; j < 3; j++) {
            kn_tag_set set;
            kn_error error;
            assert_int_equal(kn_tag_set_parse(library, bad[i].text, policies[j], &set, &error),
                KN_ERROR_BAD_DATA);
            assert_int_equal(error.column, bad[i].column);
            assert_int_equal(set.count, 0);
        }
    }
}

// TAG-012
static void unknown_names_are_cleared_or_kept_as_asked(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    uint32_t before = kn_tag_count(library);
    kn_tag_set set;
    assert_int_equal(
        kn_tag_set_parse(library, "Later.One, A", KN_UNKNOWN_TAGS_CLEAR, &set, NULL), KN_OK);
    assert_set(&set, &a, 1);
    assert_int_equal(kn_tag_count(library), before);

    assert_int_equal(
        kn_tag_set_parse(library, "Later.One, A", KN_UNKNOWN_TAGS_KEEP, &set, NULL), KN_OK);
    kn_tag kept = kn_tag_find(library, "Later.One");
    kn_tag both[] = {a, kept};
    assert_set(&set, both, 2);
    const kni_tag_table *table = kni_library_tags_const(library);
    assert_true(tag_is_undeclared(table, kept.index1));
    assert_false(tag_is_undeclared(table, kn_tag_parent(library, kept).index1));
    assert_false(tag_is_undeclared(table, a.index1));

    // The module that declares it comes later, and goes; the data still names the tag.
    static const char *const names[] = {"Later.One"};
    kn_tag native;
    assert_int_equal(kn_tag_register_module(library, "late", names, 1, &native, NULL), KN_OK);
    assert_tag(native, kept);
    assert_false(tag_is_undeclared(table, kept.index1));
    assert_int_equal(kn_tag_unregister_module(library, "late"), KN_OK);
    assert_tag(kn_tag_find(library, "Later.One"), kept);
    assert_true(tag_is_undeclared(table, kept.index1));
}

// TAG-012
static void text_that_fails_keeps_no_names(void **state)
{
    kn_library *library = tag_library(state);
    uint32_t before = kn_tag_count(library);
    kn_tag_set set;
    assert_int_equal(
        kn_tag_set_parse(library, "New.One, New Two", KN_UNKNOWN_TAGS_KEEP, &set, NULL),
        KN_ERROR_BAD_DATA);
    assert_int_equal(kn_tag_count(library), before);
    assert_no_tag(kn_tag_find(library, "New"));

    char text[1024] = "";
    for (int i = 0; i <= KN_TAG_SET_MAX; i++) {
        char name[16];
        snprintf(name, sizeof name, "%sT%d", i == 0 ? "" : ",", i);
        strcat(text, name);
    }
    kn_error error;
    assert_int_equal(
        kn_tag_set_parse(library, text, KN_UNKNOWN_TAGS_KEEP, &set, &error), KN_REFUSED_LIMIT);
    assert_mentions(&error, "`T62`");
    assert_int_equal(kn_tag_count(library), before);
    *strrchr(text, ',') = '\0';
    assert_int_equal(kn_tag_set_parse(library, text, KN_UNKNOWN_TAGS_KEEP, &set, &error), KN_OK);
    assert_int_equal(set.count, KN_TAG_SET_MAX);
}

// TAG-012, TAG-008
static void kept_name_follows_redirects(void **state)
{
    kn_library *library = tag_library(state);
    assert_int_equal(kn_tag_redirect(library, "Old", "New.Name", NULL), KN_OK);
    kn_tag_set set;
    assert_int_equal(kn_tag_set_parse(library, "Old", KN_UNKNOWN_TAGS_KEEP, &set, NULL), KN_OK);
    assert_int_equal(set.count, 1);
    assert_string_equal(kn_tag_name(library, set.data[0]), "New.Name");
    assert_int_equal(kn_tag_redirect(library, "X", "Y", NULL), KN_OK);
    assert_int_equal(kn_tag_redirect(library, "Y", "X", NULL), KN_OK);
    assert_int_equal(
        kn_tag_set_parse(library, "X", KN_UNKNOWN_TAGS_KEEP, &set, NULL), KN_ERROR_BAD_DATA);
}

// TAG-012
static void finished_library_cannot_keep_unknown_names(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    kn_tag_set set;
    kn_error error;
    assert_int_equal(kn_tag_set_parse(library, "A, B", KN_UNKNOWN_TAGS_KEEP, &set, &error),
        KN_ERROR_WORLD_LOCKED);
    assert_int_equal(error.column, 4);
    assert_int_equal(set.count, 0);
    assert_int_equal(kn_tag_set_parse(library, "A", KN_UNKNOWN_TAGS_KEEP, &set, &error), KN_OK);
    assert_set(&set, &a, 1);
}

static void broken_contract_is_reported_and_survived(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    kn_tag_set damaged = {.count = 63}, set;
    tag_asserts_begin();
    kn_result add = kn_tag_set_add(&damaged, a);
    kn_result append = kn_tag_set_append(&damaged, one(&a));
    bool removed = kn_tag_set_remove(&damaged, a);
    uint32_t filtered = kn_tag_set_filter(library, &damaged, a);
    kn_result null_set = kn_tag_set_add(NULL, a);
    kn_result parse = kn_tag_set_parse(library, NULL, KN_UNKNOWN_TAGS_CLEAR, &set, NULL);
    int asserts = tag_asserts_end();
    assert_int_equal(add, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(append, KN_ERROR_INVALID_ARGUMENT);
    assert_false(removed);
    assert_int_equal(filtered, 0);
    assert_int_equal(null_set, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(parse, KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(asserts, KN_ASSERTS ? 6 : 0);
}

// A model ---------------------------------------------------------------------

// TAG-020, TAG-024
static void random_sets_agree_with_a_model(void **state)
{
    kn_library *library = tag_library(state);
    enum { COUNT = 27 };
    static const char *const parts[] = {"a", "b", "c"};
    kn_tag tags[COUNT]; // a, a.a, a.a.a, a.a.b ...: some of them come twice
    for (uint32_t i = 0; i < COUNT; i++) {
        char name[8];
        snprintf(name, sizeof name, "%s.%s.%s", parts[i / 9], parts[i / 3 % 3], parts[i % 3]);
        name[i % 5 == 0 ? 1 : i % 5 == 1 ? 3 : 5] = '\0';
        tags[i] = tag_add(library, name);
    }
    uint64_t random = 17;
    kn_tag_set set = {0};
    bool in[COUNT + 10] = {false}; // by number
    for (uint32_t step = 0; step < 5000; step++) {
        kn_tag tag = tags[test_below(&random, COUNT)];
        if (test_below(&random, 2) == 0) {
            assert_int_equal(kn_tag_set_add(&set, tag), KN_OK);
            in[tag.index1] = true;
        } else {
            assert_int_equal(kn_tag_set_remove(&set, tag), in[tag.index1]);
            in[tag.index1] = false;
        }
        uint32_t count = 0;
        bool has = false;
        kn_tag asked = tags[test_below(&random, COUNT)];
        size_t length = strlen(kn_tag_name(library, asked));
        for (uint32_t i = 1; i <= kn_tag_count(library); i++) {
            if (!in[i]) {
                continue;
            }
            assert_int_equal(set.data[count++].index1, i);
            const char *name = kn_tag_name(library, (kn_tag){i});
            has = has || (strncmp(name, kn_tag_name(library, asked), length) == 0 &&
                             (name[length] == '.' || name[length] == '\0'));
        }
        assert_int_equal(set.count, count);
        assert_int_equal(kn_tags_has(library, kn_tag_set_view(&set), asked), has);
        assert_int_equal(kn_tags_has_exact(kn_tag_set_view(&set), asked), in[asked.index1]);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(set_holds_each_tag_once_in_order),
    cmocka_unit_test(full_set_refuses_more),
    cmocka_unit_test(append_adds_all_or_nothing),
    TAG_TEST(inherited_tags_are_the_parents_less_removed_plus_added),
    cmocka_unit_test(combining_counts_only_what_is_left),
    TAG_TEST(category_holds_the_tags_below_it),
    TAG_TEST(children_imply_their_parents_but_not_the_reverse),
    TAG_TEST(any_of_nothing_is_false_and_all_of_nothing_is_true),
    TAG_TEST(nothing_has_the_null_tag),
    TAG_TEST(requirement_wants_all_required_and_none_ignored),
    TAG_TEST(query_of_a_requirement_counts_unless_it_is_empty),
    TAG_TEST(empty_requirement_is_always_met),
    TAG_TEST(set_is_read_and_written_as_text),
    TAG_TEST(unknown_name_is_refused_with_its_place_and_a_suggestion),
    TAG_TEST(malformed_text_is_an_error_whatever_the_policy),
    TAG_TEST(unknown_names_are_cleared_or_kept_as_asked),
    TAG_TEST(text_that_fails_keeps_no_names),
    TAG_TEST(kept_name_follows_redirects),
    TAG_TEST(finished_library_cannot_keep_unknown_names),
    TAG_TEST(broken_contract_is_reported_and_survived),
    TAG_TEST(random_sets_agree_with_a_model),
};

TEST_GROUP(test_tag_set, tests, NULL, NULL);
