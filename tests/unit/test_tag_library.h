// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library on a counted allocator, for the tests of tags. Teardown proves that nothing leaked.
#ifndef TEST_TAG_LIBRARY_H
#define TEST_TAG_LIBRARY_H

#include "knack/library.h"

#include "library/tag_table.h"
#include "test_memory.h"

typedef struct tag_fixture {
    test_memory memory;
    kn_library *library;
} tag_fixture;

static inline tag_fixture *tag_fixture_create(void)
{
    tag_fixture *fixture = calloc(1, sizeof *fixture);
    assert_non_null(fixture);
    kn_library_def def = kn_library_def_default();
    def.hooks.realloc_fn = test_memory_realloc;
    def.hooks.realloc_user = &fixture->memory;
    assert_int_equal(kn_library_create(&def, &fixture->library), KN_OK);
    return fixture;
}

static inline void tag_fixture_destroy(tag_fixture *fixture)
{
    fixture->memory.fail_at = 0;
    kn_library_destroy(fixture->library);
    assert_int_equal(fixture->memory.blocks, 0);
    assert_int_equal(fixture->memory.bytes, 0);
    free(fixture);
}

static inline int tag_setup(void **state)
{
    *state = tag_fixture_create();
    return 0;
}

static inline int tag_teardown(void **state)
{
    tag_fixture_destroy(*state);
    return 0;
}

static inline kn_library *tag_library(void **state)
{
    tag_fixture *fixture = *state;
    return fixture->library;
}

// From the given allocation on, counted from 1, there is no memory; 0 gives it back.
static inline void tag_fixture_fail_at(tag_fixture *fixture, uint64_t allocation)
{
    fixture->memory.fail_at = allocation == 0 ? 0 : fixture->memory.calls + allocation;
}

// Registers a tag from a source, which may be NULL.
static inline kn_tag tag_add_from(kn_library *library, const char *name, const char *source)
{
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    def.source = source;
    kn_tag tag = {0};
    kn_error error;
    assert_int_equal(kn_tag_register(library, &def, &tag, &error), KN_OK);
    assert_int_not_equal(tag.index1, 0);
    assert_int_equal(error.code, KN_OK);
    return tag;
}

static inline kn_tag tag_add(kn_library *library, const char *name)
{
    return tag_add_from(library, name, NULL);
}

static inline void assert_tag(kn_tag tag, kn_tag expected)
{
    assert_int_equal(tag.index1, expected.index1);
}

static inline void assert_no_tag(kn_tag tag)
{
    assert_int_equal(tag.index1, 0);
}

static inline void assert_mentions(const kn_error *error, const char *text)
{
    if (strstr(error->message, text) == NULL) {
        fail_msg("\"%s\" does not mention \"%s\"", error->message, text);
    }
}

static int tag_assert_count;

static bool tag_count_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    tag_assert_count++;
    return false;
}

// Contract violations between these two are counted instead of fatal.
static inline void tag_asserts_begin(void)
{
    tag_assert_count = 0;
    kn_assert_set_handler(tag_count_assert);
}

static inline int tag_asserts_end(void)
{
    kn_assert_set_handler(NULL);
    return tag_assert_count;
}

#define TAG_TEST(test) cmocka_unit_test_setup_teardown(test, tag_setup, tag_teardown)

// True for a tag that only data names, directly: nobody declared it, and it is not merely the
// parent of declared ones.
static inline bool tag_is_undeclared(const kni_tag_table *table, uint32_t tag)
{
    return kni_tag_is_live(table, tag) && (table->nodes[tag - 1].flags & KNI_TAG_KEPT) != 0 &&
           table->nodes[tag - 1].first_declaration == KNI_NONE;
}

#endif
