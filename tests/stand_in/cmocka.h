// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// As much of cmocka as the tests use, for cross builds: distributions have no cmocka for other
// systems. A failed assertion ends its test and is printed with its place; the next test goes on.
#ifndef KNACK_STAND_IN_CMOCKA_H
#define KNACK_STAND_IN_CMOCKA_H

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int stand_in_fixture_fn(void **state);

struct CMUnitTest {
    const char *name;
    void (*test)(void **state);
    stand_in_fixture_fn *setup;
    stand_in_fixture_fn *teardown;
};

// Where a failed assertion goes on. Defined once in a program.
extern jmp_buf stand_in_exit;
#define STAND_IN_DEFINE jmp_buf stand_in_exit;

_Noreturn static inline void stand_in_fail(const char *file, int line)
{
    fprintf(stderr, "%s:%d: failed\n", file, line);
    longjmp(stand_in_exit, 1);
}

static inline void print_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
}

static inline void stand_in_true(bool is_true, const char *what, const char *file, int line)
{
    if (!is_true) {
        print_error("%s\n", what);
        stand_in_fail(file, line);
    }
}

static inline void stand_in_equal(uint64_t a, uint64_t b, bool is_equal, const char *file, int line)
{
    if ((a == b) != is_equal) {
        print_error("%" PRIu64 " (0x%" PRIx64 ") %s %" PRIu64 " (0x%" PRIx64 ")\n", a, a,
            is_equal ? "!=" : "==", b, b);
        stand_in_fail(file, line);
    }
}

static inline void stand_in_strings(
    const char *a, const char *b, bool is_equal, const char *file, int line)
{
    if ((strcmp(a, b) == 0) != is_equal) {
        print_error("\"%s\" %s \"%s\"\n", a, is_equal ? "!=" : "==", b);
        stand_in_fail(file, line);
    }
}

static inline void stand_in_floats(float a, float b, float epsilon, const char *file, int line)
{
    float difference = a < b ? b - a : a - b;
    if (!(difference <= epsilon)) {
        print_error("%.9g != %.9g\n", (double)a, (double)b);
        stand_in_fail(file, line);
    }
}

static inline void stand_in_range(
    uint64_t value, uint64_t least, uint64_t most, const char *what, const char *file, int line)
{
    if (value < least || value > most) {
        print_error("%s is %" PRIu64 ", out of range\n", what, value);
        stand_in_fail(file, line);
    }
}

#define STAND_IN_PLACE __FILE__, __LINE__
#define assert_true(c) stand_in_true((c) ? true : false, #c, STAND_IN_PLACE)
#define assert_false(c) stand_in_true((c) ? false : true, "not: " #c, STAND_IN_PLACE)
#define assert_non_null(p) stand_in_true((p) != NULL, #p " is NULL", STAND_IN_PLACE)
#define assert_null(p) stand_in_true((p) == NULL, #p " is not NULL", STAND_IN_PLACE)
#define assert_int_equal(a, b) stand_in_equal((uint64_t)(a), (uint64_t)(b), true, STAND_IN_PLACE)
#define assert_int_not_equal(a, b)                                                                 \
    stand_in_equal((uint64_t)(a), (uint64_t)(b), false, STAND_IN_PLACE)
#define assert_ptr_equal(a, b)                                                                     \
    stand_in_true((uintptr_t)(a) == (uintptr_t)(b), #a " is not " #b, STAND_IN_PLACE)
#define assert_ptr_not_equal(a, b)                                                                 \
    stand_in_true((uintptr_t)(a) != (uintptr_t)(b), #a " is " #b, STAND_IN_PLACE)
#define assert_string_equal(a, b) stand_in_strings((a), (b), true, STAND_IN_PLACE)
#define assert_string_not_equal(a, b) stand_in_strings((a), (b), false, STAND_IN_PLACE)
#define assert_memory_equal(a, b, size)                                                            \
    stand_in_true(memcmp((a), (b), (size)) == 0, #a " differs from " #b, STAND_IN_PLACE)
#define assert_float_equal(a, b, epsilon)                                                          \
    stand_in_floats((float)(a), (float)(b), (float)(epsilon), STAND_IN_PLACE)
#define assert_in_range(value, least, most)                                                        \
    stand_in_range((uint64_t)(value), (uint64_t)(least), (uint64_t)(most), #value, STAND_IN_PLACE)
#define fail() stand_in_fail(STAND_IN_PLACE)
#define fail_msg(...) (print_error(__VA_ARGS__), print_error("\n"), stand_in_fail(STAND_IN_PLACE))

#define cmocka_unit_test(f)                                                                        \
    {                                                                                              \
#f, f, NULL, NULL                                                                          \
    }
#define cmocka_unit_test_setup_teardown(f, setup, teardown)                                        \
    {                                                                                              \
#f, f, setup, teardown                                                                     \
    }

// True if the function ran to its end and returned 0.
static inline bool stand_in_fixture(stand_in_fixture_fn *function, void **state)
{
    if (function == NULL) {
        return true;
    }
    return setjmp(stand_in_exit) == 0 && function(state) == 0;
}

static inline bool stand_in_test(const struct CMUnitTest *test, void **state)
{
    if (setjmp(stand_in_exit) != 0) {
        return false;
    }
    test->test(state);
    return true;
}

static inline int _cmocka_run_group_tests(const char *group, const struct CMUnitTest *tests,
    size_t count, stand_in_fixture_fn *group_setup, stand_in_fixture_fn *group_teardown)
{
    int failed = 0;
    void *group_state = NULL;
    if (!stand_in_fixture(group_setup, &group_state)) {
        print_error("%s: the setup of the group failed\n", group);
        return (int)count;
    }
    for (size_t i = 0; i < count; i++) {
        void *state = group_state;
        bool passed = stand_in_fixture(tests[i].setup, &state);
        passed = passed && stand_in_test(&tests[i], &state);
        passed = stand_in_fixture(tests[i].teardown, &state) && passed;
        if (!passed) {
            print_error("FAILED %s.%s\n", group, tests[i].name);
            failed++;
        }
    }
    if (!stand_in_fixture(group_teardown, &group_state)) {
        failed++;
    }
    return failed;
}

#endif
