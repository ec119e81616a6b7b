// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// cmocka with what it needs, and how the tests of a file become a group. All groups of a folder are
// one program, which runner.c runs; CMake writes the list of groups from the names of the files.
#ifndef GROUP_H
#define GROUP_H

#include "share.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

typedef struct test_group {
    const char *name; // of the file, without its ending
    const struct CMUnitTest *tests;
    size_t count;
    int (*setup)(void **state); // before the first test and after the last one; may be NULL
    int (*teardown)(void **state);
} test_group;

// The last line of a file: TEST_GROUP(name_of_the_file, tests, NULL, NULL);
#define TEST_GROUP(name, tests, setup, teardown)                                                   \
    extern const test_group group_##name;                                                          \
    const test_group group_##name = {                                                              \
        #name, (tests), sizeof(tests) / sizeof((tests)[0]), (setup), (teardown)}

#endif
