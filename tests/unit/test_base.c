// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "test_memory.h"

#include <math.h>
#include <stdio.h>

static void linked_version_is_the_header_version(void **state)
{
    (void)state;
    kn_version version = kn_version_linked();
    assert_int_equal(version.major, KN_VERSION_MAJOR);
    assert_int_equal(version.minor, KN_VERSION_MINOR);
    assert_int_equal(version.patch, KN_VERSION_PATCH);
}

static void every_result_has_its_own_name(void **state)
{
    (void)state;
    for (int i = 0; i < KN_RESULT_COUNT; i++) {
        const char *name = kn_result_name((kn_result)i);
        assert_int_equal(strncmp(name, "KN_", 3), 0);
        for (int j = 0; j < i; j++) {
            assert_string_not_equal(name, kn_result_name((kn_result)j));
        }
        assert_int_equal(kn_result_is_refused((kn_result)i), strncmp(name, "KN_REFUSED_", 11) == 0);
    }
    assert_string_equal(kn_result_name(KN_OK), "KN_OK");
    assert_string_equal(kn_result_name(KN_REFUSED_BLOCKED), "KN_REFUSED_BLOCKED");
    assert_string_equal(kn_result_name(KN_ERROR_WORLD_BROKEN), "KN_ERROR_WORLD_BROKEN");
}

static void unknown_result_has_a_neutral_name(void **state)
{
    (void)state;
    assert_string_equal(kn_result_name(KN_RESULT_COUNT), "unknown result");
    assert_string_equal(kn_result_name((kn_result)1000), "unknown result");
}

static void seconds_round_to_the_nearest_microsecond(void **state)
{
    (void)state;
    assert_int_equal(kn_time_from_seconds(0.0), 0);
    assert_int_equal(kn_time_from_seconds(0.25), 250000);
    assert_int_equal(kn_time_from_seconds(1.0 / 60.0), 16667);
    assert_int_equal(kn_time_from_seconds(0.1), 100000);
    assert_int_equal(kn_time_from_seconds(-1.5), -1500000);
    assert_int_equal(kn_time_from_seconds(2.4e-6), 2);
    assert_int_equal(kn_time_from_seconds(86400.0 * 365.0), KN_S(86400) * 365);
}

static void half_a_microsecond_rounds_away_from_zero(void **state)
{
    (void)state;
    assert_int_equal(kn_time_from_seconds(0.5e-6), 1);
    assert_int_equal(kn_time_from_seconds(-0.5e-6), -1);
    assert_int_equal(kn_time_from_seconds(0x1p-7), 7813);   // 7812.5
    assert_int_equal(kn_time_from_seconds(-0x1p-7), -7813); // exact in binary
    assert_int_equal(kn_time_from_seconds(0.499999e-6), 0);
    // Adding a half to this many microseconds would already round up.
    assert_int_equal(kn_time_from_seconds(4503599627.370497), 4503599627370497);
}

static void seconds_out_of_range_are_clamped(void **state)
{
    (void)state;
    assert_int_equal(kn_time_from_seconds((double)NAN), 0);
    assert_int_equal(kn_time_from_seconds((double)INFINITY), KN_TIME_MAX);
    assert_int_equal(kn_time_from_seconds(-(double)INFINITY), -KN_TIME_MAX);
    assert_int_equal(kn_time_from_seconds(1e300), KN_TIME_MAX);
    assert_int_equal(kn_time_from_seconds(-5e12), -KN_TIME_MAX);
    assert_true(kn_time_from_seconds(4.6e12) < KN_TIME_MAX);
}

static void times_become_seconds_again(void **state)
{
    (void)state;
    for (kn_time time = -5000; time < 5000; time++) {
        assert_int_equal(kn_time_from_seconds(kn_time_to_seconds(time * 997)), time * 997);
    }
    assert_true(kn_time_to_seconds(KN_MS(1250)) == 1.25);
}

static int reported_line;
static char reported_condition[64];

static bool remember_assert(const char *condition, const char *file, int line)
{
    assert_non_null(strstr(file, "test_base.c"));
    snprintf(reported_condition, sizeof reported_condition, "%s", condition);
    reported_line = line;
    return false;
}

static void failed_assert_reaches_the_handler_and_goes_on(void **state)
{
    (void)state;
    kn_assert_set_handler(remember_assert);
    kn_assert_report("1 > 2", __FILE__, 17);
    kn_assert_set_handler(NULL);
    assert_string_equal(reported_condition, "1 > 2");
    assert_int_equal(reported_line, 17);
}

static void memory_counts_bytes_and_allocations(void **state)
{
    (void)state;
    test_memory test;
    kni_memory memory;
    test_memory_init(&test, &memory);

    void *block = kni_realloc(&memory, NULL, 0, 100);
    assert_int_equal(memory.bytes, 100);
    block = kni_realloc(&memory, block, 100, 300);
    assert_int_equal(memory.bytes, 300);
    block = kni_realloc(&memory, block, 300, 50);
    assert_int_equal(memory.bytes, 50);
    assert_int_equal(memory.allocations, 2);
    kni_free(&memory, block, 50);
    kni_free(&memory, NULL, 0);
    test_memory_expect_empty(&test, &memory);
}

static void failed_growth_leaves_the_array_as_it_was(void **state)
{
    (void)state;
    test_memory test;
    kni_memory memory;
    test_memory_init(&test, &memory);
    uint32_t *numbers = NULL;
    uint32_t capacity = 0;

    assert_true(kni_grow(&memory, &numbers, &capacity, 3, sizeof *numbers));
    assert_true(capacity >= 3);
    numbers[2] = 42;
    uint32_t first = capacity;
    uint32_t *before = numbers;
    test.fail_at = test.calls + 1;
    assert_false(kni_grow(&memory, &numbers, &capacity, first + 1, sizeof *numbers));
    assert_ptr_equal(numbers, before);
    assert_int_equal(capacity, first);
    assert_true(kni_grow(&memory, &numbers, &capacity, first, sizeof *numbers));

    test.fail_at = 0;
    assert_true(kni_grow(&memory, &numbers, &capacity, first + 1, sizeof *numbers));
    assert_true(capacity >= 2 * first);
    assert_int_equal(numbers[2], 42);
    assert_false(kni_grow(&memory, &numbers, &capacity, UINT32_MAX, SIZE_MAX / 1024));
    kni_free(&memory, numbers, capacity * sizeof *numbers);
    test_memory_expect_empty(&test, &memory);
}

static void copied_string_is_freed_by_its_length(void **state)
{
    (void)state;
    test_memory test;
    kni_memory memory;
    test_memory_init(&test, &memory);

    char *copy = kni_strdup(&memory, "fire");
    assert_string_equal(copy, "fire");
    assert_int_equal(memory.bytes, 5);
    kni_strfree(&memory, copy);
    kni_strfree(&memory, NULL);
    test.fail_at = 1;
    assert_null(kni_strdup(&memory, "water"));
    test_memory_expect_empty(&test, &memory);
}

static void default_memory_is_the_c_library(void **state)
{
    (void)state;
    kni_memory memory;
    kni_memory_init(&memory, NULL);
    uint8_t *block = kni_realloc(&memory, NULL, 0, 10);
    assert_non_null(block);
    memset(block, 1, 10);
    block = kni_realloc(&memory, block, 10, 1000);
    assert_non_null(block);
    assert_int_equal(block[9], 1);
    assert_null(kni_realloc(&memory, block, 1000, 0));
    assert_int_equal(memory.bytes, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(linked_version_is_the_header_version),
    cmocka_unit_test(every_result_has_its_own_name),
    cmocka_unit_test(unknown_result_has_a_neutral_name),
    cmocka_unit_test(seconds_round_to_the_nearest_microsecond),
    cmocka_unit_test(half_a_microsecond_rounds_away_from_zero),
    cmocka_unit_test(seconds_out_of_range_are_clamped),
    cmocka_unit_test(times_become_seconds_again),
    cmocka_unit_test(failed_assert_reaches_the_handler_and_goes_on),
    cmocka_unit_test(memory_counts_bytes_and_allocations),
    cmocka_unit_test(failed_growth_leaves_the_array_as_it_was),
    cmocka_unit_test(copied_string_is_freed_by_its_length),
    cmocka_unit_test(default_memory_is_the_c_library),
};

TEST_GROUP(test_base, tests, NULL, NULL);
