// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "test_tag_library.h"

#include <stdio.h>

static kn_tags one(const kn_tag *tag)
{
    return (kn_tags){tag, 1};
}

static const kn_tags nothing = {NULL, 0};

static kn_tag_query parsed(const kn_library *library, const char *text)
{
    kn_tag_query query;
    kn_error error;
    if (kn_tag_query_parse(library, text, &query, &error) != KN_OK) {
        fail_msg("%s: %s", text, error.message);
    }
    assert_true(kn_tag_query_is_valid(library, &query));
    return query;
}

static bool matches(const kn_library *library, const char *text, kn_tags tags)
{
    kn_tag_query query = parsed(library, text);
    return kn_tag_query_matches(library, &query, tags);
}

// Meaning ---------------------------------------------------------------------

// TAG-027, TVE-102
static void empty_query_matches_nothing(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    kn_tag_query query = {0};
    assert_true(kn_tag_query_is_valid(library, &query));
    assert_true(kni_tag_query_is_empty(&query));
    assert_false(kn_tag_query_matches(library, &query, nothing));
    assert_false(kn_tag_query_matches(library, &query, one(&a)));
    assert_false(matches(library, " \n\t", one(&a)));
}

// TAG-027
static void query_is_respected_by_a_subject_without_tags(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "A");
    assert_true(matches(library, "no_tags(A)", nothing));
    assert_false(matches(library, "any_tags(A)", nothing));
    assert_true(matches(library, "none(any_tags(A))", nothing));
}

static void operators_mean_what_they_say(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag have[] = {tag_add(library, "A.Below"), tag_add(library, "B")};
    tag_add(library, "C");
    kn_tags tags = {have, 2};
    static const struct {
        const char *text;
        bool expected;
    } cases[] = {
        {"any_tags(A)", true},
        {"any_tags(C, B)", true},
        {"any_tags(C)", false},
        {"any_tags()", false},
        {"all_tags(A, B)", true},
        {"all_tags(A, B, C)", false},
        {"all_tags()", true},
        {"no_tags(C)", true},
        {"no_tags(C, A)", false},
        {"no_tags()", true},
        {"any_tags_exact(A)", false},
        {"any_tags_exact(A, A.Below)", true},
        {"all_tags_exact(A.Below, B)", true},
        {"all_tags_exact(A, B)", false},
        {"no_tags_exact(A)", true},
        {"no_tags_exact(A, B)", false},
        {"any(any_tags(C), any_tags(B))", true},
        {"any(any_tags(C), all_tags(C))", false},
        {"any()", false},
        {"all(any_tags(A), any_tags(B))", true},
        {"all(any_tags(A), any_tags(C))", false},
        {"all()", true},
        {"none(any_tags(C), all_tags(A, C))", true},
        {"none(any_tags(C), any_tags(A))", false},
        {"none()", true},
        {"all(any_tags(A, C), none(any(any_tags(C), all_tags_exact(A))), no_tags(C))", true},
        {"any(all(any_tags(A), any_tags(C)), none(any_tags(C), any_tags(A)), any_tags(B))", true},
    };
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            if (matches(library, cases[i].text, tags) != cases[i].expected) {
                fail_msg("%s is %s", cases[i].text, cases[i].expected ? "false" : "true");
            }
        }
        assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    }
}

// Building --------------------------------------------------------------------

// TAG-028
static void query_built_in_code_prints_what_parsing_reads(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag stunned = tag_add(library, "State.Stunned"), rooted = tag_add(library, "State.Rooted");
    kn_tag immune = tag_add(library, "Immune");
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ALL);
    kn_tag_query_begin(&query, KN_QUERY_ANY_TAGS);
    kn_tag_query_tag(&query, stunned);
    kn_tag_query_tag(&query, rooted);
    kn_tag_query_end(&query);
    kn_tag_query_begin(&query, KN_QUERY_NO_TAGS);
    kn_tag_query_tag(&query, immune);
    kn_tag_query_end(&query);
    assert_false(kn_tag_query_is_valid(library, &query)); // still open
    assert_false(kn_tag_query_matches(library, &query, one(&stunned)));
    kn_tag_query_end(&query);
    assert_true(kn_tag_query_is_valid(library, &query));
    assert_true(kn_tag_query_matches(library, &query, one(&stunned)));

    static const char expected[] = "all(any_tags(State.Stunned, State.Rooted), no_tags(Immune))";
    char text[128];
    assert_int_equal(kn_tag_query_print(library, &query, text, sizeof text), sizeof expected - 1);
    assert_string_equal(text, expected);
    kn_tag_query again = parsed(library, text);
    assert_memory_equal(&again, &query, sizeof query);
    assert_int_equal(kn_tag_query_print(library, &query, text, 4), sizeof expected - 1);
    assert_string_equal(text, "all");
    assert_int_equal(kn_tag_query_print(library, &query, NULL, 0), sizeof expected - 1);

    kn_tag_query empty = {0};
    assert_int_equal(kn_tag_query_print(library, &empty, text, sizeof text), 0);
    assert_string_equal(text, "");
}

static void mistakes_while_building_make_the_query_invalid(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A"), none = {0};
    kn_tag_query queries[8] = {0};
    kn_tag_query_end(&queries[0]); // nothing is open
    kn_tag_query_tag(&queries[1], a);
    kn_tag_query_begin(&queries[2], KN_QUERY_ALL);
    kn_tag_query_tag(&queries[2], a); // where a node belongs
    kn_tag_query_end(&queries[2]);
    kn_tag_query_begin(&queries[3], KN_QUERY_ALL_TAGS);
    kn_tag_query_begin(&queries[3], KN_QUERY_ALL_TAGS); // where a tag belongs
    kn_tag_query_end(&queries[3]);
    kn_tag_query_end(&queries[3]);
    kn_tag_query_begin(&queries[4], KN_QUERY_ALL_TAGS);
    kn_tag_query_tag(&queries[4], none);
    kn_tag_query_end(&queries[4]);
    kn_tag_query_begin(&queries[5], (kn_query_op)0);
    kn_tag_query_begin(&queries[6], (kn_query_op)200);
    for (int i = 0; i < 2; i++) { // two roots
        kn_tag_query_begin(&queries[7], KN_QUERY_ALL_TAGS);
        kn_tag_query_end(&queries[7]);
    }
    for (int i = 0; i < 8; i++) {
        assert_int_equal(queries[i].failed, 1);
        assert_false(kn_tag_query_is_valid(library, &queries[i]));
        assert_false(kn_tag_query_matches(library, &queries[i], one(&a)));
        char text[64];
        kn_tag_query query;
        kn_tag_query_print(library, &queries[i], text, sizeof text);
        assert_int_equal(kn_tag_query_parse(library, text, &query, NULL), KN_ERROR_BAD_DATA);
    }
}

static void size_and_depth_of_a_query_are_limited(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    kn_tag_query query = {0};
    kn_tag_query_begin(&query, KN_QUERY_ALL_TAGS);
    for (int i = 1; i < KN_QUERY_TOKENS_MAX; i++) {
        kn_tag_query_tag(&query, a);
    }
    kn_tag_query full = query;
    kn_tag_query_end(&full);
    assert_true(kn_tag_query_matches(library, &full, one(&a)));
    kn_tag_query_tag(&query, a);
    kn_tag_query_end(&query);
    assert_false(kn_tag_query_is_valid(library, &query));

    for (int depth = KN_QUERY_DEPTH_MAX; depth <= KN_QUERY_DEPTH_MAX + 1; depth++) {
        kn_tag_query deep = {0};
        char text[128] = "";
        for (int i = 0; i < depth; i++) {
            kn_tag_query_begin(&deep, KN_QUERY_ALL);
            strcat(text, "all(");
        }
        for (int i = 0; i < depth; i++) {
            kn_tag_query_end(&deep);
            strcat(text, ")");
        }
        bool fits = depth == KN_QUERY_DEPTH_MAX;
        assert_int_equal(kn_tag_query_matches(library, &deep, nothing), fits);
        kn_error error;
        assert_int_equal(
            kn_tag_query_parse(library, text, &deep, &error), fits ? KN_OK : KN_REFUSED_LIMIT);
        assert_int_equal(error.column, fits ? 0 : 33);
    }
    char text[1024] = "all_tags(A";
    for (int i = 1; i < KN_QUERY_TOKENS_MAX; i++) {
        strcat(text, ", A");
    }
    strcat(text, ")");
    assert_int_equal(kn_tag_query_parse(library, text, &query, NULL), KN_REFUSED_LIMIT);
    assert_int_equal(query.count, 0);
    memcpy(strstr(text, ", A"), "   ", 3);
    assert_int_equal(kn_tag_query_parse(library, text, &query, NULL), KN_OK);
    char nodes[1024] = "all(";
    for (int i = 0; i < KN_QUERY_TOKENS_MAX; i++) {
        strcat(nodes, i == 0 ? "any()" : ",any()");
    }
    strcat(nodes, ")");
    assert_int_equal(kn_tag_query_parse(library, nodes, &query, NULL), KN_REFUSED_LIMIT);
}

// Parsing ---------------------------------------------------------------------

// TAG-028
static void parse_errors_name_the_place_and_the_remedy(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "State.Stunned");
    static const struct {
        const char *text;
        uint32_t line, column;
        const char *mention;
    } bad[] = {
        {"any_tags(State.Stuned)", 1, 10, "did you mean `State.Stunned`?"},
        {"any_tags(Nowhere)", 1, 10, "`Nowhere` is not registered"},
        {"any_tags(State.St%nned)", 1, 18, "did you mean `State.St_nned`?"},
        {"any_tag(State)", 1, 1, "did you mean `any_tags`?"},
        {"AnyTags(State)", 1, 1, "did you mean `any_tags`?"},
        {"all(not(any_tags(State)))", 1, 5, "did you mean `none`?"},
        {"AND(any_tags(State))", 1, 1, "did you mean `all`?"},
        {"xyzzy(State)", 1, 1, "the operators are any_tags"},
        {"State.Stunned", 1, 1, "is a tag"},
        {"all(State)", 1, 5, "is a tag"},
        {"any_tags", 1, 9, "expected `(` after the operator, not the end"},
        {"any_tags(", 1, 10, "name of a tag, not the end"},
        {"any_tags(State", 1, 15, "expected `,` or `)`, not the end"},
        {"any_tags(State State)", 1, 16, "not `S`"},
        {"any_tags(State,)", 1, 16, "name of a tag, not `)`"},
        {"any_tags(,State)", 1, 10, "name of a tag, not `,`"},
        {"any_tags(State))", 1, 16, "end of the query, not `)`"},
        {"any_tags(State) any_tags(State)", 1, 17, "join nodes"},
        {"all(any_tags(State),)", 1, 21, "expected an operator"},
        {"(any_tags(State))", 1, 1, "expected an operator"},
        {"all(\n  any_tags(State),\n  some_tags(State))", 3, 3, "`some_tags` is not an operator"},
        {"any_tags(any_tags(State))", 1, 10, "`any_tags` is not registered"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kn_tag_query query = {.count = 3};
        kn_error error;
        assert_int_equal(
            kn_tag_query_parse(library, bad[i].text, &query, &error), KN_ERROR_BAD_DATA);
        assert_mentions(&error, bad[i].mention);
        assert_int_equal(error.line, bad[i].line);
        assert_int_equal(error.column, bad[i].column);
        kn_tag_query empty = {0};
        assert_memory_equal(&query, &empty, sizeof query);
        assert_int_equal(kn_tag_query_parse(library, bad[i].text, &query, NULL), KN_ERROR_BAD_DATA);
    }
}

// TAG-008
static void names_in_queries_follow_redirects_and_ignore_case(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag fresh = tag_add(library, "New");
    assert_int_equal(kn_tag_redirect(library, "Old", "New", NULL), KN_OK);
    assert_true(matches(library, "any_tags ( oLD )", one(&fresh)));
    assert_int_equal(kn_library_finish(library, NULL), KN_OK);
    assert_true(matches(library, "\tany_tags(OLD)\n", one(&fresh)));
}

static void tags_of_a_query_are_listed_once(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A"), b = tag_add(library, "B"), c = tag_add(library, "C");
    kn_tag_query query =
        parsed(library, "all(any_tags(B, A), none(no_tags_exact(A, C)), all_tags())");
    kn_tag tags[4] = {{0}};
    assert_int_equal(kni_tag_query_collect(&query, tags, 4), 3);
    assert_tag(tags[0], b);
    assert_tag(tags[1], a);
    assert_tag(tags[2], c);
    assert_no_tag(tags[3]);
    kn_tag first = {0};
    assert_int_equal(kni_tag_query_collect(&query, &first, 1), 3);
    assert_tag(first, b);
    assert_int_equal(kni_tag_query_collect(&query, NULL, 0), 3);
    query.tokens[0]++;
    assert_int_equal(kni_tag_query_collect(&query, tags, 4), 0);
}

// Hostile queries -------------------------------------------------------------

static bool has_anything(const void *subject, uint32_t tag, bool exact)
{
    (void)subject;
    (void)exact;
    assert_int_not_equal(tag, 0);
    return tag % 2 == 0;
}

static void damaged_queries_match_nothing(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    kn_tag_query good = parsed(library, "none(any_tags(A), any_tags(A))");
    assert_true(kn_tag_query_matches(library, &good, nothing));
    for (int i = 0; i < 10; i++) {
        kn_tag_query bad = good;
        switch (i) {
        case 0:
            bad.count--;
            break;
        case 1:
            bad.count++;
            break;
        case 2:
            bad.count = UINT16_MAX;
            break;
        case 3:
            bad.depth = 1;
            break;
        case 4:
            bad.failed = 2;
            break;
        case 5:
            bad.tokens[0] = (uint32_t)KN_QUERY_NONE << 24 | 0xffffff;
            break;
        case 6:
            bad.tokens[4] = 0;
            break; // a null tag
        case 7:
            bad.tokens[4] = a.index1 + 1;
            break; // an unknown tag
        case 8:
            bad.tokens[4] = 1u << 24;
            break; // a node among tags
        default:
            bad.tokens[0] = (uint32_t)(KN_QUERY_NONE + 1) << 24 | 2;
            break;
        }
        assert_false(kn_tag_query_is_valid(library, &bad));
        assert_false(kn_tag_query_matches(library, &bad, nothing));
        if (i != 7) { // evaluation alone knows no library
            assert_false(kni_tag_query_eval(&bad, has_anything, NULL));
        }
    }
    assert_false(kn_tag_query_is_valid(library, NULL));
    assert_false(kn_tag_query_matches(library, NULL, nothing));
}

static void nesting_that_tokens_claim_is_limited_too(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag_query deep = {.count = KN_QUERY_TOKENS_MAX};
    for (uint32_t i = 0; i < KN_QUERY_TOKENS_MAX; i++) {
        deep.tokens[i] = (uint32_t)KN_QUERY_ALL << 24 | (i + 1 < KN_QUERY_TOKENS_MAX);
    }
    assert_false(kn_tag_query_is_valid(library, &deep));
    assert_false(kn_tag_query_matches(library, &deep, nothing));
}

static void operands_that_tokens_claim_stay_within_the_query(void **state)
{
    kn_library *library = tag_library(state);
    kn_tag a = tag_add(library, "A");
    static const uint32_t claims[] = {KN_QUERY_TOKENS_MAX, 200, 0xffffff};
    for (size_t c = 0; c < sizeof claims / sizeof *claims; c++) {
        kn_tag_query query = {.count = KN_QUERY_TOKENS_MAX};
        query.tokens[0] = (uint32_t)KN_QUERY_ALL_TAGS << 24 | claims[c];
        for (uint32_t i = 1; i < KN_QUERY_TOKENS_MAX; i++) {
            query.tokens[i] = a.index1;
        }
        assert_false(kn_tag_query_is_valid(library, &query));
        assert_false(kn_tag_query_matches(library, &query, one(&a)));
        assert_int_equal(kni_tag_query_collect(&query, NULL, 0), 0);
    }
}

static void random_tokens_and_builder_calls_never_crash(void **state)
{
    kn_library *library = tag_library(state);
    for (int i = 0; i < 5; i++) {
        char name[8];
        snprintf(name, sizeof name, "T%d", i);
        tag_add(library, name);
    }
    uint64_t random = 99;
    uint32_t valid = 0;
    for (uint32_t round = 0; round < 50000; round++) {
        kn_tag_query query = {0};
        query.count = (uint16_t)test_below(&random, round % 50 == 0 ? 60000 : 8);
        query.depth = (uint8_t)(test_below(&random, 10) == 0 ? test_random(&random) : 0);
        for (uint32_t i = 0; i < KN_QUERY_DEPTH_MAX; i++) {
            query.open[i] = (uint16_t)test_random(&random);
        }
        for (uint32_t i = 0; i < KN_QUERY_TOKENS_MAX; i++) {
            query.tokens[i] = test_below(&random, 2) == 0
                                  ? test_below(&random, 8)
                                  : test_below(&random, 12) << 24 | test_below(&random, 4);
        }
        bool is_valid = kn_tag_query_is_valid(library, &query);
        bool result = kn_tag_query_matches(library, &query, nothing);
        assert_true(is_valid || !result);
        valid += is_valid && query.count > 0;
        kni_tag_query_eval(&query, has_anything, NULL);
        kn_tag tags[3];
        kni_tag_query_collect(&query, tags, 3);
        char text[40];
        kn_tag_query_print(library, &query, text, sizeof text);
        for (uint32_t calls = test_below(&random, 4); calls > 0; calls--) {
            switch (test_below(&random, 3)) {
            case 0:
                kn_tag_query_begin(&query, (kn_query_op)test_below(&random, 12));
                break;
            case 1:
                kn_tag_query_tag(&query, (kn_tag){test_below(&random, 8)});
                break;
            default:
                kn_tag_query_end(&query);
                break;
            }
        }
        kn_tag_query_matches(library, &query, nothing);
    }
    assert_true(valid > 100); // the dice do hit well-formed ones
}

static void random_text_never_crashes_the_parser(void **state)
{
    kn_library *library = tag_library(state);
    tag_add(library, "A.B");
    static const char *const pieces[] = {"any_tags", "all", "none", "(", ")", ",", " ", "A.B", "A",
        "\n", "x", ".", "\xff", "no_tags_exact", "(", ")", "%s"};
    uint64_t random = 5;
    for (uint32_t round = 0; round < 20000; round++) {
        char text[512] = "";
        for (uint32_t i = test_below(&random, 20); i > 0; i--) {
            strcat(text, pieces[test_below(&random, sizeof pieces / sizeof *pieces)]);
        }
        kn_tag_query query;
        kn_error error;
        kn_result result = kn_tag_query_parse(library, text, &query, &error);
        assert_int_equal(result, error.code);
        assert_true(kn_tag_query_is_valid(library, &query));
        assert_true((result == KN_OK) == (error.message[0] == '\0'));
        kn_tag_set set;
        result = kn_tag_set_parse(library, text, KN_UNKNOWN_TAGS_CLEAR, &set, &error);
        assert_int_equal(result, error.code);
    }
}

// A model ---------------------------------------------------------------------

typedef struct query_model {
    kn_tag_query query;
    uint64_t random;
    const kn_tag *tags;
    bool has[8];
    bool has_exact[8];
    uint32_t room;
} query_model;

// Builds a random node and says what it should be.
static bool query_model_node(query_model *model, uint32_t depth)
{
    kn_query_op op = (kn_query_op)(1 + test_below(&model->random, depth < 5 ? 9 : 6));
    uint32_t operands = test_below(&model->random, 4);
    bool any = false, all = true;
    kn_tag_query_begin(&model->query, op);
    for (uint32_t i = 0; i < operands && model->room > 0; i++) {
        model->room--;
        bool value;
        if (op <= KN_QUERY_NO_TAGS_EXACT) {
            uint32_t tag = test_below(&model->random, 8);
            kn_tag_query_tag(&model->query, model->tags[tag]);
            value = op >= KN_QUERY_ANY_TAGS_EXACT ? model->has_exact[tag] : model->has[tag];
        } else {
            value = query_model_node(model, depth + 1);
        }
        any = any || value;
        all = all && value;
    }
    kn_tag_query_end(&model->query);
    return (op - 1) % 3 == 0 ? any : (op - 1) % 3 == 1 ? all : !any;
}

// TAG-028
static void random_queries_agree_with_a_model_and_survive_printing(void **state)
{
    kn_library *library = tag_library(state);
    static const char *const names[] = {"A", "A.A", "A.B", "A.B.A", "B", "B.A", "C", "C.A.A"};
    kn_tag tags[8];
    for (int i = 0; i < 8; i++) {
        tags[i] = tag_add(library, names[i]);
    }
    uint32_t hits = 0;
    for (uint64_t seed = 1; seed <= 5000; seed++) {
        query_model model = {.random = seed, .tags = tags, .room = 100};
        kn_tag_set set = {0};
        for (int i = 0; i < 8; i++) {
            if (test_below(&model.random, 4) == 0) {
                kn_tag_set_add(&set, tags[i]);
                model.has_exact[i] = true;
                for (int j = 0; j < 8; j++) {
                    size_t length = strlen(names[j]);
                    model.has[j] = model.has[j] || (strncmp(names[i], names[j], length) == 0 &&
                                                       (names[i][length] == '.' || i == j));
                }
            }
        }
        bool expected = query_model_node(&model, 1);
        assert_true(kn_tag_query_is_valid(library, &model.query));
        kn_tags view = kn_tag_set_view(&set);
        assert_int_equal(kn_tag_query_matches(library, &model.query, view), expected);
        char text[4096];
        uint32_t length = kn_tag_query_print(library, &model.query, text, sizeof text);
        assert_int_equal(length, strlen(text));
        kn_tag_query again = parsed(library, text);
        assert_memory_equal(&again, &model.query, sizeof again);
        hits += expected;
    }
    assert_true(hits > 1000 && hits < 4000);
}

static const struct CMUnitTest tests[] = {
    TAG_TEST(empty_query_matches_nothing),
    TAG_TEST(query_is_respected_by_a_subject_without_tags),
    TAG_TEST(operators_mean_what_they_say),
    TAG_TEST(query_built_in_code_prints_what_parsing_reads),
    TAG_TEST(mistakes_while_building_make_the_query_invalid),
    TAG_TEST(size_and_depth_of_a_query_are_limited),
    TAG_TEST(parse_errors_name_the_place_and_the_remedy),
    TAG_TEST(names_in_queries_follow_redirects_and_ignore_case),
    TAG_TEST(tags_of_a_query_are_listed_once),
    TAG_TEST(damaged_queries_match_nothing),
    TAG_TEST(nesting_that_tokens_claim_is_limited_too),
    TAG_TEST(operands_that_tokens_claim_stay_within_the_query),
    TAG_TEST(random_tokens_and_builder_calls_never_crash),
    TAG_TEST(random_text_never_crashes_the_parser),
    TAG_TEST(random_queries_agree_with_a_model_and_survive_printing),
};

TEST_GROUP(test_tag_query, tests, NULL, NULL);
