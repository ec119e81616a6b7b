// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "data/emit.h"

#include "test_memory.h"

#include <math.h>
#include <stdio.h>

static kni_emitter *new_emitter(kni_emit_format format)
{
    kni_emitter *emitter;
    assert_int_equal(kni_emitter_create(NULL, format, &emitter), KN_OK);
    return emitter;
}

// Ends the document, compares it and destroys the emitter.
static void expect_written(kni_emitter *emitter, const char *expected)
{
    const char *text;
    uint32_t size;
    assert_int_equal(kni_emitter_finish(emitter, &text, &size), KN_OK);
    assert_string_equal(text, expected);
    assert_int_equal(size, strlen(expected));
    kni_emitter_destroy(emitter);
}

static void emit_everything(kni_emitter *emitter)
{
    kni_emitter_begin_mapping(emitter);
    kni_emitter_key(emitter, "Status.Burning");
    kni_emitter_begin_mapping(emitter);
    kni_emitter_key(emitter, "duration");
    kni_emitter_time(emitter, KN_MS(2500));
    kni_emitter_key(emitter, "period");
    kni_emitter_time(emitter, KN_TIME_INFINITE);
    kni_emitter_key(emitter, "modifiers");
    kni_emitter_begin_sequence(emitter);
    kni_emitter_begin_mapping(emitter);
    kni_emitter_key(emitter, "attribute");
    kni_emitter_text(emitter, "Health");
    kni_emitter_key(emitter, "value");
    kni_emitter_f32(emitter, -0.1f);
    kni_emitter_end_mapping(emitter);
    kni_emitter_begin_sequence(emitter);
    kni_emitter_i64(emitter, INT64_MIN);
    kni_emitter_u64(emitter, UINT64_MAX);
    kni_emitter_end_sequence(emitter);
    kni_emitter_begin_mapping(emitter);
    kni_emitter_end_mapping(emitter);
    kni_emitter_end_sequence(emitter);
    kni_emitter_key(emitter, "none");
    kni_emitter_begin_sequence(emitter);
    kni_emitter_end_sequence(emitter);
    kni_emitter_end_mapping(emitter);
    kni_emitter_key(emitter, "no");
    kni_emitter_bool(emitter, false);
    kni_emitter_key(emitter, "nothing");
    kni_emitter_null(emitter);
    kni_emitter_end_mapping(emitter);
}

static void yaml_is_written_in_lines(void **state)
{
    (void)state;
    kni_emitter *emitter = new_emitter(KNI_EMIT_YAML);
    emit_everything(emitter);
    expect_written(emitter, "Status.Burning:\n"
                            "  duration: 2.5\n"
                            "  period: forever\n"
                            "  modifiers:\n"
                            "    - attribute: Health\n"
                            "      value: -0.1\n"
                            "    - - -9223372036854775808\n"
                            "      - 18446744073709551615\n"
                            "    - {}\n"
                            "  none: []\n"
                            "\"no\": false\n"
                            "nothing: null\n");
}

static void json_is_written_in_lines_or_not(void **state)
{
    (void)state;
    kni_emitter *emitter = new_emitter(KNI_EMIT_JSON);
    emit_everything(emitter);
    expect_written(emitter, "{\n"
                            "  \"Status.Burning\": {\n"
                            "    \"duration\": 2.5,\n"
                            "    \"period\": \"forever\",\n"
                            "    \"modifiers\": [\n"
                            "      {\n"
                            "        \"attribute\": \"Health\",\n"
                            "        \"value\": -0.1\n"
                            "      },\n"
                            "      [\n"
                            "        -9223372036854775808,\n"
                            "        18446744073709551615\n"
                            "      ],\n"
                            "      {}\n"
                            "    ],\n"
                            "    \"none\": []\n"
                            "  },\n"
                            "  \"no\": false,\n"
                            "  \"nothing\": null\n"
                            "}\n");
    emitter = new_emitter(KNI_EMIT_JSON_COMPACT);
    emit_everything(emitter);
    expect_written(emitter,
        "{\"Status.Burning\":{\"duration\":2.5,\"period\":\"forever\",\"modifiers\":[{"
        "\"attribute\":"
        "\"Health\",\"value\":-0.1},[-9223372036854775808,18446744073709551615],{}],\"none\":[]},"
        "\"no\":false,\"nothing\":null}");
}

static void expect_text(const char *text, const char *expected)
{
    kni_emitter *emitter = new_emitter(KNI_EMIT_YAML);
    kni_emitter_text(emitter, text);
    char line[256];
    snprintf(line, sizeof line, "%s\n", expected);
    expect_written(emitter, line);
}

static void quotes_stand_only_where_they_are_needed(void **state)
{
    (void)state;
    static const char *const plain[] = {"a", "Status.Burning", "two words", "a:b", "a#b", "it's",
        "say \"hi\"", "_x", "\xc3\xa4", "a, b", "a]", "nowhere", "y", "a\xc2\xa0"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        expect_text(plain[i], plain[i]);
    }
    static const char *const quoted[] = {"", " a", "a ", "5", "-1", "1.5", "+a", ".5", "012",
        "1:30", "250 ms", "true", "False", "NULL", "~", "yes", "No", "on", "OFF", "a: b",
        "a:", "a #b", "#a", "- a", "-", "?", "&a", "*a", "!a", "|", ">", "@a", "`", "%a", "'a'",
        "[a", "{a", ",", "<<", "---", "..."};
    for (size_t i = 0; i < sizeof quoted / sizeof *quoted; i++) {
        char expected[32];
        snprintf(expected, sizeof expected, "\"%s\"", quoted[i]);
        expect_text(quoted[i], expected);
    }
    expect_text("a\\b", "\"a\\\\b\"");
    expect_text("a\nb\tc\rd", "\"a\\nb\\tc\\rd\"");
    expect_text("say \"\\\" \b\f\x01\x7f", "\"say \\\"\\\\\\\" \\b\\f\\u0001\\u007f\"");
    expect_text("\xe2\x80\xa8\xef\xbb\xbf\xc2\x85", "\"\\u2028\\ufeff\\u0085\"");
    expect_text("\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80");
    expect_text("5 \xf0\x9f\x98\x80", "\"5 \xf0\x9f\x98\x80\"");
}

static void floats_are_as_short_as_they_can_be(void **state)
{
    (void)state;
    kni_emitter *emitter = new_emitter(KNI_EMIT_JSON_COMPACT);
    kni_emitter_begin_sequence(emitter);
    kni_emitter_f32(emitter, 0.1f);
    kni_emitter_f32(emitter, 100.0f);
    kni_emitter_f32(emitter, -0.0f);
    kni_emitter_f32(emitter, 3.4028235e38f);
    kni_emitter_f32(emitter, 1.0f / 3.0f);
    kni_emitter_time(emitter, 1);
    kni_emitter_time(emitter, -KN_S(90));
    kni_emitter_end_sequence(emitter);
    expect_written(emitter, "[0.1,100,-0,3.4028235e38,0.33333334,0.000001,-90]");
}

static void expect_failure(kni_emitter *emitter, kn_result expected)
{
    const char *text = "unset";
    uint32_t size = 1;
    assert_int_equal(kni_emitter_finish(emitter, &text, &size), expected);
    assert_null(text);
    assert_int_equal(size, 0);
    kni_emitter_destroy(emitter);
}

static void calls_that_make_no_document_fail_at_the_end(void **state)
{
    (void)state;
    kn_assert_set_handler(test_ignore_assert);
    static const kni_emit_format formats[] = {KNI_EMIT_YAML, KNI_EMIT_JSON};
    for (uint32_t i = 0; i < 2; i++) {
        kni_emitter *emitter = new_emitter(formats[i]); // nothing at all
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // two values
        kni_emitter_null(emitter);
        kni_emitter_null(emitter);
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // not ended
        kni_emitter_begin_mapping(emitter);
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // ended as something else
        kni_emitter_begin_mapping(emitter);
        kni_emitter_end_sequence(emitter);
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // ended too often
        kni_emitter_begin_sequence(emitter);
        kni_emitter_end_sequence(emitter);
        kni_emitter_end_sequence(emitter);
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // a value without a key
        kni_emitter_begin_mapping(emitter);
        kni_emitter_i64(emitter, 1);
        kni_emitter_end_mapping(emitter);
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // a key without a value
        kni_emitter_begin_mapping(emitter);
        kni_emitter_key(emitter, "a");
        kni_emitter_key(emitter, "b");
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // a key in a list
        kni_emitter_begin_sequence(emitter);
        kni_emitter_key(emitter, "a");
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // no node
        kni_emitter_node(emitter, (kni_node){0});
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // infinite
        kni_emitter_f32(emitter, INFINITY);
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
        emitter = new_emitter(formats[i]); // a key that would not be read
        kni_emitter_begin_mapping(emitter);
        kni_emitter_key(emitter, "a\nb");
        expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
    }
    kni_emitter *emitter = new_emitter(KNI_EMIT_YAML);
    char key[KNI_DOCUMENT_KEY_MAX + 2];
    memset(key, 'a', sizeof key);
    key[sizeof key - 1] = '\0';
    kni_emitter_begin_mapping(emitter);
    kni_emitter_key(emitter, key + 1);
    kni_emitter_null(emitter);
    kni_emitter_key(emitter, key);
    expect_failure(emitter, KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    kni_emitter_destroy(NULL);
}

static void text_that_is_not_utf8_fails(void **state)
{
    (void)state;
    kni_emitter *emitter = new_emitter(KNI_EMIT_YAML);
    kni_emitter_text(emitter, "a\xff");
    expect_failure(emitter, KN_ERROR_BAD_DATA);
    emitter = new_emitter(KNI_EMIT_JSON);
    kni_emitter_begin_mapping(emitter);
    kni_emitter_key(emitter, "\xc3");
    kni_emitter_null(emitter);
    kni_emitter_end_mapping(emitter);
    expect_failure(emitter, KN_ERROR_BAD_DATA);
}

static void running_out_of_memory_is_an_error(void **state)
{
    (void)state;
    for (uint64_t fail_at = 1;; fail_at++) {
        test_memory memory = {.fail_at = fail_at};
        kn_hooks hooks = {.realloc_fn = test_memory_realloc, .realloc_user = &memory};
        kni_emitter *emitter;
        kn_result result = kni_emitter_create(&hooks, KNI_EMIT_YAML, &emitter);
        const char *text = NULL;
        uint32_t size;
        if (result == KN_OK) {
            emit_everything(emitter);
            result = kni_emitter_finish(emitter, &text, &size);
        }
        assert_int_equal(text != NULL, result == KN_OK);
        kni_emitter_destroy(emitter);
        assert_int_equal(memory.blocks, 0);
        if (result == KN_OK) {
            assert_true(fail_at > 5);
            return;
        }
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
    }
}

// Random trees

static const char *const odd_texts[] = {"", " ", "a", "Status.Burning", "no", "Yes", "~", "null",
    "true", "5", "-1.5", "1e5", "+3", ".5", "7.", "012", "1:30", "250 ms", "a: b", "a #b", "# a",
    "- x", "a\nb", "\n", "a\n", "\n a", "\t", "tab\there", "\"", "'", "\\", "\\n", "a\\", "<<",
    "*a", "&a", "!a", "|", ">-", "[", "]", "{a}", ",", "? a", ": a", ":", "---", "...", "%x", "@",
    "`", "\xc3\xa4", "\xf0\x9f\x98\x80", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xc2\x85", "\xef\xbf\xbf",
    "\x01", "\x7f", "two  blanks", "trailing ", "\r\n", "a\r", "\\ud83d\\ude00", "forever", "inf",
    "=", "0x1F", "1_000", "2001-01-01"};

static const char *random_text(uint64_t *seed, char *buffer, size_t size)
{
    uint32_t count = sizeof odd_texts / sizeof *odd_texts;
    const char *first = odd_texts[test_below(seed, count)];
    const char *second = test_below(seed, 3) == 0 ? odd_texts[test_below(seed, count)] : "";
    snprintf(buffer, size, "%s%s", first, second);
    if (test_below(seed, 50) == 0) { // longer than a line, longer than a key may be
        size_t length = 200 + test_below(seed, 2000);
        memset(buffer, 'x', length);
        buffer[length] = '\0';
        buffer[length / 2] = ' ';
    }
    return buffer;
}

static void random_scalar(uint64_t *seed, kni_emitter *emitter)
{
    char buffer[2400];
    float value;
    uint32_t bits = (uint32_t)test_random(seed);
    memcpy(&value, &bits, sizeof value);
    switch (test_below(seed, 8)) {
    case 0:
        kni_emitter_null(emitter);
        break;
    case 1:
        kni_emitter_bool(emitter, test_below(seed, 2) == 0);
        break;
    case 2:
        kni_emitter_i64(emitter, (int64_t)test_random(seed));
        break;
    case 3:
        kni_emitter_f32(emitter, isfinite(value) ? value : 1.0f);
        break;
    case 4:
        kni_emitter_time(emitter, (kn_time)(test_random(seed) >> 2));
        break;
    default:
        kni_emitter_text(emitter, random_text(seed, buffer, sizeof buffer));
        break;
    }
}

// The same calls for the same seed, whatever the format.
static void random_tree(uint64_t *seed, uint32_t depth, kni_emitter *emitter)
{
    uint32_t kind = test_below(seed, depth > 0 ? 3 : 1);
    if (kind == 0) {
        random_scalar(seed, emitter);
        return;
    }
    uint32_t count = test_below(seed, 6) * (1 + test_below(seed, 10) / 9 * 5);
    if (kind == 1) {
        kni_emitter_begin_sequence(emitter);
        for (uint32_t i = 0; i < count; i++) {
            random_tree(seed, depth - 1, emitter);
        }
        kni_emitter_end_sequence(emitter);
        return;
    }
    kni_emitter_begin_mapping(emitter);
    for (uint32_t i = 0; i < count; i++) {
        char key[64];
        const char *odd;
        do { // without control characters
            odd = odd_texts[test_below(seed, sizeof odd_texts / sizeof *odd_texts)];
        } while (strpbrk(odd, "\n\t\r\x01\x7f") != NULL);
        snprintf(key, sizeof key, "%s|%u", odd, i);
        kni_emitter_key(emitter, test_below(seed, 4) == 0 && i == 0 ? odd : key);
        random_tree(seed, depth - 1, emitter);
    }
    kni_emitter_end_mapping(emitter);
}

static kni_document *read_back(const char *text, uint32_t size)
{
    kni_report *report;
    assert_int_equal(kni_report_create(NULL, 0, &report), KN_OK);
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    kni_document *document;
    if (kni_document_parse(&def, report, &document) != KN_OK) {
        char messages[1024];
        kni_report_print_all(report, messages, sizeof messages);
        fail_msg("%s\n%s", messages, text);
    }
    kni_report_destroy(report);
    return document;
}

static bool is_typed(const kni_scalar *scalar)
{
    bool value;
    return kni_scalar_is_null(scalar) || kni_scalar_is_number(scalar) ||
           kni_scalar_bool(scalar, &value, NULL) == KN_OK;
}

static void expect_same(kni_node a, kni_node b)
{
    assert_int_equal(kni_node_kind_of(a), kni_node_kind_of(b));
    assert_int_equal(kni_node_count(a), kni_node_count(b));
    kni_scalar text_a = kni_node_scalar(a), text_b = kni_node_scalar(b);
    assert_string_equal(text_a.text, text_b.text);
    assert_int_equal(is_typed(&text_a), is_typed(&text_b));
    kni_children in_a = kni_node_children(a), in_b = kni_node_children(b);
    for (kni_node child_a, child_b; kni_children_next(&in_a, &child_a);) {
        assert_true(kni_children_next(&in_b, &child_b));
        assert_int_equal(kni_node_key(child_a) != NULL, kni_node_key(child_b) != NULL);
        if (kni_node_key(child_a) != NULL) {
            assert_string_equal(kni_node_key(child_a), kni_node_key(child_b));
        }
        expect_same(child_a, child_b);
    }
}

// The text of a tree in one format gives the tree, the tree gives the text, and all formats give
// the same tree.
static void random_trees_read_back_the_same(void **state)
{
    (void)state;
    for (uint64_t round = 0; round < 600; round++) {
        kni_document *documents[3];
        for (uint32_t format = 0; format < 3; format++) {
            uint64_t seed = round;
            kni_emitter *emitter = new_emitter((kni_emit_format)format);
            random_tree(&seed, 5, emitter);
            const char *text;
            uint32_t size;
            assert_int_equal(kni_emitter_finish(emitter, &text, &size), KN_OK);
            documents[format] = read_back(text, size);
            kni_emitter *again = new_emitter((kni_emit_format)format);
            kni_emitter_node(again, kni_document_root(documents[format]));
            expect_written(again, text);
            kni_emitter_destroy(emitter);
        }
        expect_same(kni_document_root(documents[0]), kni_document_root(documents[1]));
        expect_same(kni_document_root(documents[0]), kni_document_root(documents[2]));
        for (uint32_t format = 0; format < 3; format++) {
            kni_document_destroy(documents[format]);
        }
    }
}

static void a_document_is_written_without_aliases(void **state)
{
    (void)state;
    static const char text[] =
        "a: &a {x: +5, y: .5, z: 7.}\nb: {<<: *a, x: -.25e3}\nc: [*a, 'no']\n";
    kni_document *document = read_back(text, sizeof text - 1);
    kni_emitter *emitter = new_emitter(KNI_EMIT_YAML);
    kni_emitter_node(emitter, kni_document_root(document));
    expect_written(emitter, "a:\n  x: +5\n  y: .5\n  z: 7.\nb:\n  x: -.25e3\n  y: .5\n  z: 7.\n"
                            "c:\n  - x: +5\n    y: .5\n    z: 7.\n  - \"no\"\n");
    emitter = new_emitter(KNI_EMIT_JSON_COMPACT); // which has stricter numbers
    kni_emitter_node(emitter, kni_document_root(document));
    expect_written(emitter, "{\"a\":{\"x\":5,\"y\":0.5,\"z\":7},\"b\":{\"x\":-0.25e3,\"y\":0.5,"
                            "\"z\":7},\"c\":[{\"x\":5,\"y\":0.5,\"z\":7},\"no\"]}");
    kni_document_destroy(document);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(yaml_is_written_in_lines),
    cmocka_unit_test(json_is_written_in_lines_or_not),
    cmocka_unit_test(quotes_stand_only_where_they_are_needed),
    cmocka_unit_test(floats_are_as_short_as_they_can_be),
    cmocka_unit_test(calls_that_make_no_document_fail_at_the_end),
    cmocka_unit_test(text_that_is_not_utf8_fails),
    cmocka_unit_test(running_out_of_memory_is_an_error),
    cmocka_unit_test(random_trees_read_back_the_same),
    cmocka_unit_test(a_document_is_written_without_aliases),
};

TEST_GROUP(test_emit, tests, NULL, NULL);
