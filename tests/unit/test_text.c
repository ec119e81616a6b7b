// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/text.h"
#include "test_memory.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void expect_print(float value, const char *expected)
{
    char text[32];
    uint32_t length = kn_float_print(value, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(expected));
}

static void floats_print_in_their_shortest_form(void **state)
{
    (void)state;
    expect_print(0.0f, "0");
    expect_print(-0.0f, "-0");
    expect_print(1.0f, "1");
    expect_print(-1.5f, "-1.5");
    expect_print(0.1f, "0.1");
    expect_print(0.3f, "0.3");
    expect_print(0.1f + 0.2f, "0.3");
    expect_print(1.0f / 3.0f, "0.33333334");
    expect_print(100.0f, "100");
    expect_print(16777216.0f, "16777216");
    expect_print(123456789.0f, "123456790");
    expect_print(999999936.0f, "999999940");
    expect_print(1e9f, "1e9");
    expect_print(1.25e10f, "1.25e10");
    expect_print(0.0001f, "0.0001");
    expect_print(0.00012345f, "0.00012345");
    expect_print(0.00001f, "1e-5");
    expect_print(FLT_MAX, "3.4028235e38");
    expect_print(FLT_MIN, "1.1754944e-38");
    expect_print(FLT_TRUE_MIN, "1e-45");
    expect_print(-FLT_TRUE_MIN, "-1e-45");
    expect_print(INFINITY, "inf");
    expect_print(-INFINITY, "-inf");
    expect_print(NAN, "nan");
    expect_print(9.5367431640625e-7f, "9.536743e-7");     // a power of two
    expect_print(5.684341886080802e-14f, "5.684342e-14"); // the same
    expect_print(float_of(0x0c000000), "9.8607613e-32");  // 2^-103: one digit less would not do
}

static void float_text_is_cut_to_the_buffer(void **state)
{
    (void)state;
    char text[8];
    memset(text, 'x', sizeof text);
    assert_int_equal(kn_float_print(1234.5f, text, 4), 6);
    assert_string_equal(text, "123");
    assert_int_equal(text[4], 'x');
    assert_int_equal(kn_float_print(1234.5f, text, 1), 6);
    assert_string_equal(text, "");
    assert_int_equal(kn_float_print(1234.5f, NULL, 0), 6);
}

// The number of significant digits the C library needs for the same float.
static uint32_t digits_needed(float value)
{
    for (int digits = 1; digits < 9; digits++) {
        char text[64];
        snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
        if (bits_of(strtof(text, NULL)) == bits_of(value)) {
            return (uint32_t)digits;
        }
    }
    return 9;
}

static uint32_t digits_written(const char *text)
{
    uint32_t digits = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; text++) {
        if (*text >= '1' && *text <= '9') {
            digits += zeros + 1;
            zeros = 0;
        } else if (*text == '0' && digits > 0) {
            zeros++;
        }
    }
    return digits;
}

static void expect_round_trip(uint32_t bits)
{
    char text[32];
    float value = float_of(bits), back;
    uint32_t length = kn_float_print(value, text, sizeof text);
    assert_true(length < sizeof text);
    assert_int_equal(bits_of(strtof(text, NULL)), bits);
    assert_true(kn_float_parse(text, &back));
    assert_int_equal(bits_of(back), bits);
    uint32_t needed = digits_needed(value);
    assert_true(digits_written(text) <= needed);
    if (digits_written(text) == needed) {
        // Of the shortest, the nearest: the one the C library prints. Ties and lopsided powers of
        // two aside, which are left out.
        char expected[64];
        snprintf(expected, sizeof expected, "%.*e", (int)needed - 1, (double)value);
        if ((bits & 0x7fffff) != 0) {
            double ours = strtod(text, NULL), theirs = strtod(expected, NULL);
            assert_true(ours == theirs ||
                        fabs(ours - (double)value) <= fabs(theirs - (double)value) * (1 + 1e-9));
        }
    }
}

static void printed_floats_read_back_to_the_same_bits(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (uint32_t i = 0; i < 60000; i++) {
        uint32_t bits = (uint32_t)test_random(&seed);
        if ((bits & 0x7f800000) != 0x7f800000) {
            expect_round_trip(bits);
        }
    }
    for (uint32_t exponent = 0; exponent < 255; exponent++) { // powers of two and their neighbours
        for (uint32_t around = 0; around < 3; around++) {
            expect_round_trip((exponent << 23) + around - (exponent > 0));
        }
        expect_round_trip(exponent << 23 | 0x7fffff);
    }
    for (uint32_t i = 0; i < 20000; i++) { // numbers as designers write them
        expect_round_trip(bits_of((float)test_below(&seed, 100000) / 100.0f));
        expect_round_trip(bits_of((float)i));
    }
}

static void expect_parse(const char *text)
{
    float value = 1.0f;
    float expected = strtof(text, NULL);
    bool parsed = kn_float_parse(text, &value);
    assert_int_equal(parsed, isfinite(expected));
    if (parsed) {
        assert_int_equal(bits_of(value), bits_of(expected));
    } else {
        assert_int_equal(bits_of(value), 0);
    }
}

static void numbers_are_read_in_every_spelling(void **state)
{
    (void)state;
    static const char *const texts[] = {"0", "-0", "+5", "00012", "1.", ".5", "-.5e3", "1e0", "1E5",
        "1e+5", "1e-5", "0e999999999999", "0.000e-99999999999999999999", "1e38", "3.4028235e38",
        "3.4028234663852886e38", "1e-45", "1.4e-45", "0.7e-45", "7.006492321624085e-46",
        "7.006492321624086e-46", "1e-46", "1e-400", "123456789012345678901234567890", "16777217",
        "16777217.0000000000000000000000000000000000001", "16777219", "33554435", "0.1",
        "0.333333333333333333333333333333333333333333333", "1e22", "1e23", "1e-22", "1e-23",
        "8.589973e9", "9007199254740993", "1.00000005960464477539062", "1.000000059604644775390625",
        "1.0000000596046447753906250000000000000000001", "1.000000178813934326171875",
        "340282356779733661637539395458142568447",
        "0.00000000000000000000000000000000000000000000000000001e40"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        expect_parse(texts[i]);
    }
}

static void what_is_no_finite_number_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", " ", "-", "+", ".", "-.", "e5", ".e5", "1e", "1e+",
        "1e-", "1 ", " 1", "1x", "0x10", "inf", "-inf", "infinity", "nan", "NaN", "1,5", "1.5.2",
        "--1", "+-1", "1e5.0", "1_000", "1e39", "-1e39", "340282356779733661637539395458142568448",
        "1e1000000000000000000000", "1f", "\t1", "1\n", "\xd9\xa3"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        float value = 1.0f;
        assert_false(kn_float_parse(texts[i], &value));
        assert_int_equal(bits_of(value), 0);
    }
    float value = 1.0f;
    assert_false(kn_float_parse(NULL, &value));
    assert_int_equal(bits_of(value), 0);
}

static void random_decimals_read_as_the_c_library_reads_them(void **state)
{
    (void)state;
    uint64_t seed = 2;
    for (uint32_t i = 0; i < 30000; i++) {
        char text[128];
        char *at = text;
        uint32_t digits = 1 + test_below(&seed, i % 5 == 0 ? 80 : 18);
        uint32_t point = test_below(&seed, digits + 1);
        for (uint32_t d = 0; d < digits; d++) {
            if (d == point) {
                *at++ = '.';
            }
            *at++ = (char)('0' + test_below(&seed, 10));
        }
        snprintf(at, 16, "e%d", (int)test_below(&seed, 100) - 55);
        expect_parse(text);
    }
}

// Half-way points between two floats, exactly, and a little to both sides.
static void half_way_points_round_to_even(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t bits = (uint32_t)test_random(&seed) & 0x7fffffff;
        if (i < 20) {
            bits = i; // the smallest
        }
        if (bits >= 0x7f7fffff) {
            continue;
        }
        double half = ((double)float_of(bits) + (double)float_of(bits + 1)) / 2.0;
        char text[256];
        int length = snprintf(text, sizeof text, "%.150e", half); // exact
        char *e = strchr(text, 'e');
        assert_non_null(e);
        float value;
        assert_true(kn_float_parse(text, &value));
        assert_int_equal(bits_of(value), bits + bits % 2);
        assert_true(length < 250);
        e[-1] = '1'; // the 150th decimal: far beyond what is kept
        assert_true(kn_float_parse(text, &value));
        assert_int_equal(bits_of(value), bits + 1);
        for (char *back = e - 1; back > text; back--) { // and a bit less than half
            if (*back == '1' && back == e - 1) {
                *back = '0';
            } else if (*back == '0') {
                *back = '9';
            } else if (*back != '.') {
                --*back;
                break;
            }
        }
        assert_true(kn_float_parse(text, &value));
        assert_int_equal(bits_of(value), bits);
    }
}

static void text_counts_what_it_cannot_hold(void **state)
{
    (void)state;
    char buffer[8];
    kni_text text;
    kni_text_init(&text, buffer, sizeof buffer);
    assert_string_equal(buffer, "");
    kni_text_str(&text, "abc");
    kni_text_char(&text, '-');
    kni_text_u64(&text, 123);
    assert_string_equal(buffer, "abc-123");
    assert_int_equal(text.length, 7);
    assert_true(kni_text_fits(&text));
    kni_text_str(&text, "more");
    kni_text_str(&text, NULL);
    assert_string_equal(buffer, "abc-123");
    assert_int_equal(text.length, 11);
    assert_false(kni_text_fits(&text));

    kni_text_init(&text, NULL, 0);
    kni_text_str(&text, "hello");
    kni_text_char(&text, '!');
    assert_int_equal(text.length, 6);
    kni_text_init(&text, buffer, 1);
    kni_text_str(&text, "hello");
    assert_string_equal(buffer, "");
    assert_int_equal(text.length, 5);
}

static void whole_numbers_print_to_their_limits(void **state)
{
    (void)state;
    char buffer[128];
    kni_text text;
    kni_text_init(&text, buffer, sizeof buffer);
    kni_text_u64(&text, 0);
    kni_text_char(&text, ' ');
    kni_text_u64(&text, UINT64_MAX);
    kni_text_char(&text, ' ');
    kni_text_i64(&text, INT64_MIN);
    kni_text_char(&text, ' ');
    kni_text_i64(&text, INT64_MAX);
    kni_text_char(&text, ' ');
    kni_text_i64(&text, -7);
    kni_text_char(&text, ' ');
    kni_text_float(&text, 0.25f);
    assert_string_equal(
        buffer, "0 18446744073709551615 -9223372036854775808 9223372036854775807 -7 0.25");
}

static void expect_fixed(double value, uint32_t decimals, const char *expected)
{
    char buffer[512];
    kni_text text;
    kni_text_init(&text, buffer, sizeof buffer);
    kni_text_fixed(&text, value, decimals);
    assert_string_equal(buffer, expected);
}

static void fixed_decimals_round_to_nearest(void **state)
{
    (void)state;
    expect_fixed(1.2, 2, "1.20");
    expect_fixed(0.0, 0, "0");
    expect_fixed(0.5, 0, "0");
    expect_fixed(1.5, 0, "2");
    expect_fixed(2.5, 0, "2");
    expect_fixed(0.125, 2, "0.12");
    expect_fixed(-3.14159, 3, "-3.142");
    expect_fixed(-0.001, 2, "0.00");
    expect_fixed(999.999, 2, "1000.00");
    expect_fixed(1e-300, 5, "0.00000");
    expect_fixed((double)NAN, 2, "nan");
    expect_fixed((double)INFINITY, 2, "inf");
    expect_fixed(-(double)INFINITY, 2, "-inf");
    uint64_t seed = 4;
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t bits = test_random(&seed);
        double value;
        memcpy(&value, &bits, sizeof value);
        if (i % 2 == 0) {
            value = ((double)(int64_t)bits) / (double)((uint64_t)1 << i % 60);
        }
        if (!(fabs(value) <= DBL_MAX)) {
            continue;
        }
        char expected[512];
        uint32_t decimals = test_below(&seed, 18);
        snprintf(expected, sizeof expected, "%.*f", (int)decimals, value);
        const char *start = expected;
        if (expected[0] == '-' && strpbrk(expected, "123456789") == NULL) {
            start++;
        }
        expect_fixed(value, decimals, start);
    }
}

static void expect_seconds(kn_time time, const char *expected)
{
    char buffer[64];
    kni_text text;
    kni_text_init(&text, buffer, sizeof buffer);
    kni_text_seconds(&text, time);
    assert_string_equal(buffer, expected);
}

static void times_print_as_seconds(void **state)
{
    (void)state;
    expect_seconds(0, "0 s");
    expect_seconds(KN_MS(1250), "1.25 s");
    expect_seconds(KN_S(3), "3 s");
    expect_seconds(16667, "0.016667 s");
    expect_seconds(1, "0.000001 s");
    expect_seconds(-KN_MS(500), "-0.5 s");
    expect_seconds(KN_TIME_INFINITE, "forever");
    expect_seconds(KN_TIME_MAX, "4611686018427.387903 s");
    expect_seconds(INT64_MIN, "-9223372036854.775808 s");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(floats_print_in_their_shortest_form),
    cmocka_unit_test(float_text_is_cut_to_the_buffer),
    cmocka_unit_test(printed_floats_read_back_to_the_same_bits),
    cmocka_unit_test(numbers_are_read_in_every_spelling),
    cmocka_unit_test(what_is_no_finite_number_is_refused),
    cmocka_unit_test(random_decimals_read_as_the_c_library_reads_them),
    cmocka_unit_test(half_way_points_round_to_even),
    cmocka_unit_test(text_counts_what_it_cannot_hold),
    cmocka_unit_test(whole_numbers_print_to_their_limits),
    cmocka_unit_test(fixed_decimals_round_to_nearest),
    cmocka_unit_test(times_print_as_seconds),
};

TEST_GROUP(test_text, tests, NULL, NULL);
