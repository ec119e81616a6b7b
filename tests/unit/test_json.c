// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "group.h"

#include "base/json.h"

#include "scenario/json_reader.h"

#include <math.h>

static void commas_stand_between_and_nowhere_else(void **state)
{
    (void)state;
    char text[256];
    kni_json json;
    kni_json_init(&json, text, sizeof(text));
    kni_json_object(&json, NULL);
    kni_json_array(&json, "a");
    kni_json_array_end(&json);
    kni_json_array(&json, "b");
    kni_json_u32(&json, NULL, 1);
    kni_json_object(&json, NULL);
    kni_json_object_end(&json);
    kni_json_object(&json, NULL);
    kni_json_null(&json, "c");
    kni_json_bool(&json, "d", true);
    kni_json_object_end(&json);
    kni_json_array_end(&json);
    kni_json_bool(&json, "e", false);
    kni_json_object_end(&json);
    assert_string_equal(text, "{\"a\":[],\"b\":[1,{},{\"c\":null,\"d\":true}],\"e\":false}");
    assert_true(json_is_valid(text));
}

static const char *written(char *text, uint32_t size, const char *value)
{
    kni_json json;
    kni_json_init(&json, text, size);
    kni_json_str(&json, NULL, value);
    assert_true(json_is_valid(text));
    return text;
}

static void strings_are_escaped_and_mended(void **state)
{
    (void)state;
    char text[128];
    assert_string_equal(written(text, sizeof(text), "a\"b\\c/d"), "\"a\\\"b\\\\c/d\"");
    assert_string_equal(
        written(text, sizeof(text), "\n\t\x01\x7f"), "\"\\u000a\\u0009\\u0001\\u007f\"");
    assert_string_equal(written(text, sizeof(text), "\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xba"),
        "\"\xc3\xa4\xe2\x82\xac\xf0\x9f\x90\xba\"");
    const char *const bad[] = {"\xff", "\x80", "\xc3", "\xc0\xaf", "\xe0\x80\x80", "\xed\xa0\x80",
        "\xf4\x90\x80\x80", "\xf0\x9f\x90", "\xf5\x80\x80\x80"};
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_memory_equal(written(text, sizeof(text), bad[i]), "\"\\ufffd", 7);
    }
    assert_string_equal(written(text, sizeof(text), NULL), "null");
}

static void numbers_read_back(void **state)
{
    (void)state;
    const float values[] = {0.0f, -0.0f, 0.1f, 1e-45f, -3.4028235e38f, 16777217.0f, 1.0f / 3.0f};
    for (uint32_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
        char text[64];
        kni_json json;
        kni_json_init(&json, text, sizeof(text));
        kni_json_float(&json, NULL, values[i]);
        assert_true(json_is_valid(text));
        float back;
        assert_true(kn_float_parse(text, &back));
        assert_memory_equal(&back, &values[i], sizeof(back));
    }
    char text[256];
    kni_json json;
    kni_json_init(&json, text, sizeof(text));
    kni_json_array(&json, NULL);
    kni_json_float(&json, NULL, NAN);
    kni_json_float(&json, NULL, INFINITY);
    kni_json_float(&json, NULL, -INFINITY);
    kni_json_time(&json, NULL, KN_US(1));
    kni_json_time(&json, NULL, -KN_MS(1500));
    kni_json_time(&json, NULL, KN_TIME_MAX);
    kni_json_time(&json, NULL, KN_TIME_INFINITE);
    kni_json_u64(&json, NULL, UINT64_MAX);
    kni_json_i64(&json, NULL, INT64_MIN);
    kni_json_i32(&json, NULL, INT32_MIN);
    kni_json_id(&json, NULL, 12, 3);
    kni_json_id(&json, NULL, 0, 3);
    kni_json_array_end(&json);
    assert_true(json_is_valid(text));
    assert_string_equal(text,
        "[\"nan\",\"inf\",\"-inf\",0.000001,-1.5,4611686018427.387903,null,"
        "\"18446744073709551615\",\"-9223372036854775808\",-2147483648,\"12:3\",null]");
}

// The reader of the tests must be strict, or the tests prove nothing.
static void the_reader_refuses_what_is_not_json(void **state)
{
    (void)state;
    const char *const bad[] = {"", "{", "[1,]", "{\"a\":1,}", "[1 2]", "01", "1.", ".5", "-", "+1",
        "1e", "nul", "\"a", "\"\\x\"", "\"\\u12g4\"", "\"\n\"", "[1]]", "{\"a\":1,\"a\":2}",
        "{a:1}", "{\"a\" 1}", "nan", "\"\xff\""};
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_false(json_is_valid(bad[i]));
    }
    const char *text = "{\"a\":[1,{\"b\":\"x\"}],\"c\":-1.5e3}";
    assert_true(json_is_valid(text));
    assert_string_equal(json_at(text, "a[1].b"), "\"x\"");
    assert_string_equal(json_at(text, "c"), "-1.5e3");
    assert_string_equal(json_at(text, "a[2]"), "");
    assert_int_equal(json_count(json_find(text, "a")), 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(commas_stand_between_and_nowhere_else),
    cmocka_unit_test(strings_are_escaped_and_mended),
    cmocka_unit_test(numbers_read_back),
    cmocka_unit_test(the_reader_refuses_what_is_not_json),
};

TEST_GROUP(test_json, tests, NULL, NULL);
