// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the unit tests share: cmocka with what it needs, an allocator that checks sizes, always
// moves blocks and can be made to fail, and a small generator of test numbers.
#ifndef TEST_MEMORY_H
#define TEST_MEMORY_H

#include "group.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct test_memory {
    uint64_t calls;   // that made or enlarged a block
    uint64_t fail_at; // the call, counted from 1, from which on there is no memory; 0 = never
    size_t bytes;
    size_t blocks;
} test_memory;

// Each block is preceded by its size, which must come back as `old_size`.
#define TEST_MEMORY_FRONT 16

static inline void *test_memory_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    test_memory *test = user;
    uint8_t *old = NULL;
    if (ptr != NULL) {
        old = (uint8_t *)ptr - TEST_MEMORY_FRONT;
        size_t size;
        memcpy(&size, old, sizeof size);
        assert_int_equal(size, old_size);
    } else {
        assert_int_equal(old_size, 0);
    }
    uint8_t *block = NULL;
    if (new_size > old_size) {
        test->calls++;
        if (test->fail_at != 0 && test->calls >= test->fail_at) {
            return NULL;
        }
    }
    if (new_size > 0) {
        block = malloc(TEST_MEMORY_FRONT + new_size);
        assert_non_null(block);
        memcpy(block, &new_size, sizeof new_size);
        size_t kept = old_size < new_size ? old_size : new_size;
        if (kept > 0) {
            memcpy(block + TEST_MEMORY_FRONT, ptr, kept);
        }
        memset(block + TEST_MEMORY_FRONT + kept, 0xa5, new_size - kept);
        test->blocks++;
    }
    if (old != NULL) {
        memset(old, 0xdd, TEST_MEMORY_FRONT + old_size);
        free(old);
        test->blocks--;
    }
    test->bytes = test->bytes - old_size + new_size;
    return block != NULL ? block + TEST_MEMORY_FRONT : NULL;
}

static inline void test_memory_init(test_memory *test, kni_memory *memory)
{
    *test = (test_memory){0};
    kn_hooks hooks = {.realloc_fn = test_memory_realloc, .realloc_user = test};
    kni_memory_init(memory, &hooks);
}

static inline void test_memory_expect_empty(const test_memory *test, const kni_memory *memory)
{
    assert_int_equal(test->blocks, 0);
    assert_int_equal(test->bytes, 0);
    assert_int_equal(memory->bytes, 0);
}

// An assert handler for tests that break things on purpose.
static inline bool test_ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// Splitmix-like; independent of what it tests.
static inline uint64_t test_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t test_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(test_random(state) % bound);
}

#endif
