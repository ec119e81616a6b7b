// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "data/scalar.h"

#include "test_memory.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

static kni_scalar scalar_of(const char *text, bool quoted)
{
    return (kni_scalar){.text = text,
        .length = (uint32_t)strlen(text),
        .quoted = quoted,
        .place = {"file.yaml", 3, 14}};
}

static kni_scalar plain(const char *text)
{
    return scalar_of(text, false);
}

static kni_scalar quoted(const char *text)
{
    return scalar_of(text, true);
}

static void expect_error(const kn_error *error, const char *message)
{
    assert_int_equal(error->code, KN_ERROR_BAD_DATA);
    assert_int_equal(error->line, 3);
    assert_int_equal(error->column, 14);
    assert_string_equal(error->message, message);
}

static void null_is_a_tilde_the_word_or_nothing(void **state)
{
    (void)state;
    static const char *const others[] = {"Null", "NULL", "nil", "none", "0", " ", "~~"};
    kni_scalar empty = plain(""), tilde = plain("~"), word = plain("null");
    assert_true(kni_scalar_is_null(&empty));
    assert_true(kni_scalar_is_null(&tilde));
    assert_true(kni_scalar_is_null(&word));
    kni_scalar empty_text = quoted(""), word_text = quoted("null");
    assert_false(kni_scalar_is_null(&empty_text));
    assert_false(kni_scalar_is_null(&word_text));
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kni_scalar other = plain(others[i]);
        assert_false(kni_scalar_is_null(&other));
    }
}

static void bad_bool(kni_scalar scalar, const char *message)
{
    bool value = true;
    kn_error error;
    assert_int_equal(kni_scalar_bool(&scalar, &value, &error), KN_ERROR_BAD_DATA);
    assert_false(value);
    expect_error(&error, message);
}

static void only_true_and_false_are_truth_values(void **state)
{
    (void)state;
    bool value = false;
    kni_scalar yes = plain("true"), no = plain("false");
    assert_int_equal(kni_scalar_bool(&yes, &value, NULL), KN_OK);
    assert_true(value);
    assert_int_equal(kni_scalar_bool(&no, &value, NULL), KN_OK);
    assert_false(value);
    bad_bool(plain("no"), "expected true or false, not `no`");
    bad_bool(plain("on"), "expected true or false, not `on`");
    bad_bool(plain("yes"), "expected true or false, not `yes`");
    bad_bool(plain("True"), "expected true or false, not `True`");
    bad_bool(plain("1"), "expected true or false, not `1`");
    bad_bool(plain(""), "expected true or false, but there is no value");
    bad_bool(quoted(""), "expected true or false, but there is an empty text");
    bad_bool(quoted("true"), "expected true or false, not `\"true\"`: remove the quotes");
}

static void good_i64(const char *text, int64_t expected)
{
    int64_t value = 1;
    kni_scalar scalar = plain(text);
    assert_int_equal(kni_scalar_i64(&scalar, INT64_MIN, INT64_MAX, &value, NULL), KN_OK);
    assert_true(value == expected);
}

static void bad_i64(kni_scalar scalar, int64_t min, int64_t max, const char *message)
{
    int64_t value = 1;
    kn_error error;
    assert_int_equal(kni_scalar_i64(&scalar, min, max, &value, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(value, 0);
    expect_error(&error, message);
}

static void whole_numbers_are_read_to_their_limits(void **state)
{
    (void)state;
    good_i64("0", 0);
    good_i64("-0", 0);
    good_i64("+7", 7);
    good_i64("-42", -42);
    good_i64("9223372036854775807", INT64_MAX);
    good_i64("-9223372036854775808", INT64_MIN);
    uint64_t value;
    kni_scalar most = plain("18446744073709551615");
    assert_int_equal(kni_scalar_u64(&most, 0, UINT64_MAX, &value, NULL), KN_OK);
    assert_true(value == UINT64_MAX);
    kni_scalar minus_zero = plain("-0");
    assert_int_equal(kni_scalar_u64(&minus_zero, 0, 5, &value, NULL), KN_OK);
    assert_true(value == 0);
}

static void what_is_no_whole_number_is_refused_with_a_hint(void **state)
{
    (void)state;
    bad_i64(plain("11"), 1, 10, "expected a whole number from 1 to 10, not `11`");
    bad_i64(plain("0"), 1, 10, "expected a whole number from 1 to 10, not `0`");
    bad_i64(plain("many"), 1, 10, "expected a whole number from 1 to 10, not `many`");
    bad_i64(plain("012"), INT64_MIN, INT64_MAX,
        "expected a whole number, not `012`: remove the leading zeros");
    bad_i64(quoted("5"), INT64_MIN, INT64_MAX,
        "expected a whole number, not `\"5\"`: remove the quotes");
    bad_i64(plain("5.0"), INT64_MIN, INT64_MAX,
        "expected a whole number, not `5.0`: write it without a decimal point or exponent");
    bad_i64(plain("1e3"), INT64_MIN, INT64_MAX,
        "expected a whole number, not `1e3`: write it without a decimal point or exponent");
    bad_i64(plain("1,5"), INT64_MIN, INT64_MAX,
        "expected a whole number, not `1,5`: write a decimal point instead of the comma");
    bad_i64(plain("9223372036854775808"), INT64_MIN, INT64_MAX,
        "expected a whole number from -9223372036854775808 to 9223372036854775807, not "
        "`9223372036854775808`");
    bad_i64(plain("123456789012345678901234567890123456789012345"), 0, 9,
        "expected a whole number from 0 to 9, not `1234567890123456789012345678901234567890...`");
    static const char *const others[] = {"-", "+", "--1", "1_000", "0x10", "1:30", "1 ", " 1", "½"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kni_scalar scalar = plain(others[i]);
        int64_t value;
        uint64_t bare;
        assert_int_equal(
            kni_scalar_i64(&scalar, INT64_MIN, INT64_MAX, &value, NULL), KN_ERROR_BAD_DATA);
        assert_int_equal(kni_scalar_u64(&scalar, 0, UINT64_MAX, &bare, NULL), KN_ERROR_BAD_DATA);
    }
    uint64_t bare = 1;
    kn_error error;
    kni_scalar minus = plain("-1"), large = plain("18446744073709551616");
    assert_int_equal(kni_scalar_u64(&minus, 0, 9, &bare, &error), KN_ERROR_BAD_DATA);
    assert_true(bare == 0);
    expect_error(&error, "expected a whole number from 0 to 9, not `-1`");
    assert_int_equal(kni_scalar_u64(&large, 0, UINT64_MAX, &bare, &error), KN_ERROR_BAD_DATA);
}

// A long text with a character of several bytes at the place where it is cut, and a line break.
static void texts_in_messages_are_short_and_whole(void **state)
{
    (void)state;
    bad_bool(plain("a\nb45678901234567890123456789012345678"
                   "\xc3\xa4\xc3\xa4"),
        "expected true or false, not `a b45678901234567890123456789012345678\xc3\xa4...`");
    bad_bool(plain("ab4567890123456789012345678901234567890"
                   "\xc3\xa4\xc3\xa4"),
        "expected true or false, not `ab4567890123456789012345678901234567890...`");
}

static void bad_f32(kni_scalar scalar, float min, float max, const char *message)
{
    float value = 1.0f;
    kn_error error;
    assert_int_equal(kni_scalar_f32(&scalar, min, max, &value, &error), KN_ERROR_BAD_DATA);
    assert_true(value == 0.0f);
    expect_error(&error, message);
}

static void floats_are_finite_decimal_numbers(void **state)
{
    (void)state;
    static const char *const texts[] = {"0", "-0", "1", "+1.5", ".5", "-.25", "5.", "1e3", "1E-3",
        "0.1", "3.4028235e38", "1e-45", "1e-400", "0e5", "0.0001"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float value;
        kni_scalar scalar = plain(texts[i]);
        assert_int_equal(kni_scalar_f32(&scalar, -FLT_MAX, FLT_MAX, &value, NULL), KN_OK);
        assert_true(value == strtof(texts[i], NULL));
        assert_true(kni_scalar_is_number(&scalar));
    }
    bad_f32(plain("inf"), -FLT_MAX, FLT_MAX, "expected a number, not `inf`");
    bad_f32(plain(".inf"), -FLT_MAX, FLT_MAX, "expected a number, not `.inf`");
    bad_f32(plain("nan"), -FLT_MAX, FLT_MAX, "expected a number, not `nan`");
    bad_f32(plain("1e39"), -FLT_MAX, FLT_MAX, "expected a number, not `1e39`: it is too large");
    bad_f32(plain("1,5"), -FLT_MAX, FLT_MAX,
        "expected a number, not `1,5`: write a decimal point instead of the comma");
    bad_f32(plain("01.5"), -FLT_MAX, FLT_MAX,
        "expected a number, not `01.5`: remove the leading zeros");
    bad_f32(
        quoted("1.5"), -FLT_MAX, FLT_MAX, "expected a number, not `\"1.5\"`: remove the quotes");
    bad_f32(plain("1.5"), 0.0f, 1.0f, "expected a number from 0 to 1, not `1.5`");
    bad_f32(plain("-0.5"), 0.0f, FLT_MAX, "expected a number of at least 0, not `-0.5`");
    bad_f32(plain("0.5"), -FLT_MAX, 0.25f, "expected a number of at most 0.25, not `0.5`");
    static const char *const others[] = {
        "", ".", "-", "1e", "1e+", "0x1p3", "1.5f", "1 000", "1.2.3", "e5", "½", "1d3"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kni_scalar scalar = plain(others[i]);
        assert_false(kni_scalar_is_number(&scalar));
    }
}

static void bad_time(kni_scalar scalar, kn_time min, kn_time max, const char *message)
{
    kn_time value = 1;
    kn_error error;
    assert_int_equal(kni_scalar_time(&scalar, min, max, &value, &error), KN_ERROR_BAD_DATA);
    assert_int_equal(value, 0);
    expect_error(&error, message);
}

static void good_time(kni_scalar scalar, kn_time expected)
{
    kn_time value = 1;
    assert_int_equal(kni_scalar_time(&scalar, -KN_TIME_MAX, KN_TIME_INFINITE, &value, NULL), KN_OK);
    assert_true(value == expected);
}

static void times_are_seconds_or_have_a_unit(void **state)
{
    (void)state;
    good_time(plain("0"), 0);
    good_time(plain("2"), KN_S(2));
    good_time(plain("1.5"), KN_MS(1500));
    good_time(plain("250 ms"), KN_MS(250));
    good_time(plain("250ms"), KN_MS(250));
    good_time(quoted("250 ms"), KN_MS(250)); // as JSON has to write it
    good_time(plain("1.5 s"), KN_MS(1500));
    good_time(plain("2 min"), KN_S(120));
    good_time(plain("1.5 h"), KN_S(5400));
    good_time(plain("16 us"), 16);
    good_time(plain("-0.25"), -KN_MS(250));
    good_time(plain("1e-3"), KN_MS(1));
    good_time(plain("5e1 ms"), KN_MS(50));
    good_time(plain("0.1 min"), KN_S(6));
    good_time(plain("forever"), KN_TIME_INFINITE);
    good_time(quoted("forever"), KN_TIME_INFINITE);
    bad_time(quoted("5"), 0, KN_TIME_MAX,
        "expected a time such as 1.5 (seconds), 250 ms or 2 min, not `\"5\"`: remove the quotes");
    bad_time(plain("1:30"), 0, KN_TIME_MAX,
        "expected a time such as 1.5 (seconds), 250 ms or 2 min, not `1:30`");
    bad_time(plain("5 sec"), 0, KN_TIME_MAX,
        "expected a time such as 1.5 (seconds), 250 ms or 2 min, not `5 sec`: write 5");
    bad_time(plain(""), 0, KN_TIME_MAX,
        "expected a time such as 1.5 (seconds), 250 ms or 2 min, but there is no value");
    bad_time(plain("-1"), 0, KN_TIME_MAX, "expected a time of at least 0 s, not `-1`");
    bad_time(
        plain("2 min"), KN_MS(1), KN_S(60), "expected a time from 0.001 s to 60 s, not `2 min`");
    bad_time(plain("forever"), 0, KN_TIME_MAX, "expected a finite time, not `forever`");
    bad_time(plain("inf"), 0, KN_TIME_INFINITE,
        "expected a time such as 1.5 (seconds), 250 ms or 2 min, not `inf`");
    static const char *const others[] = {"ms", "5 m", "5 ms ", "5 ms 3", "5\tms", "012 ms", " 5 ms",
        "5 Min", "1e400 ms", "4611686018427.387904", "1e18"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kn_time value;
        kni_scalar scalar = plain(others[i]);
        assert_int_equal(kni_scalar_time(&scalar, -KN_TIME_MAX, KN_TIME_INFINITE, &value, NULL),
            KN_ERROR_BAD_DATA);
    }
}

static void times_are_rounded_once_and_exactly(void **state)
{
    (void)state;
    good_time(plain("0.0000005"), 1); // halves away from zero
    good_time(plain("-0.0000005"), -1);
    good_time(plain("0.00000049999999999999999999999999"), 0);
    good_time(plain("1.0000015"), 1000002);
    good_time(plain("0.5 us"), 1);
    good_time(plain("0.49 us"), 0);
    good_time(plain("1e-400"), 0);
    good_time(plain("0.000000008333333333333333 min"), 0);
    good_time(plain("0.000000008333333333333334 min"), 1);
    good_time(plain("4611686018427.387903"), KN_TIME_MAX);
    good_time(plain("-4611686018427.387903"), -KN_TIME_MAX);
    good_time(plain("9007199254.740993"), 9007199254740993); // not a double
}

static void printed_times_read_back(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 10000; i++) {
        kn_time time = (kn_time)(test_random(&seed) >> (2 + test_below(&seed, 60)));
        time = i % 2 == 0 ? time : -time;
        char text[32];
        kni_scalar_print_time(time, text, sizeof text);
        good_time(plain(text), time);
    }
    char text[32];
    kni_scalar_print_time(KN_MS(1250), text, sizeof text);
    assert_string_equal(text, "1.25");
    kni_scalar_print_time(KN_S(100), text, sizeof text);
    assert_string_equal(text, "100");
    kni_scalar_print_time(0, text, sizeof text);
    assert_string_equal(text, "0");
    kni_scalar_print_time(-1, text, sizeof text);
    assert_string_equal(text, "-0.000001");
}

// With a decimal comma in the host's locale, if it has one to offer, everything stays the same.
static void the_locale_does_not_matter(void **state)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE", "fr_FR.UTF-8", "C"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (setlocale(LC_ALL, names[i]) != NULL) {
            break;
        }
    }
    float value;
    kni_scalar scalar = plain("1.5"), comma = plain("1,5");
    assert_int_equal(kni_scalar_f32(&scalar, -FLT_MAX, FLT_MAX, &value, NULL), KN_OK);
    assert_true(value == 1.5f);
    assert_int_equal(kni_scalar_f32(&comma, -FLT_MAX, FLT_MAX, &value, NULL), KN_ERROR_BAD_DATA);
    setlocale(LC_ALL, "C");
    (void)state;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(null_is_a_tilde_the_word_or_nothing),
    cmocka_unit_test(only_true_and_false_are_truth_values),
    cmocka_unit_test(whole_numbers_are_read_to_their_limits),
    cmocka_unit_test(what_is_no_whole_number_is_refused_with_a_hint),
    cmocka_unit_test(texts_in_messages_are_short_and_whole),
    cmocka_unit_test(floats_are_finite_decimal_numbers),
    cmocka_unit_test(times_are_seconds_or_have_a_unit),
    cmocka_unit_test(times_are_rounded_once_and_exactly),
    cmocka_unit_test(printed_times_read_back),
    cmocka_unit_test(the_locale_does_not_matter),
};

TEST_GROUP(test_scalar, tests, NULL, NULL);
