// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of knack::net share: cmocka with what it needs, memory that checks sizes and can
// run out, and numbers that look random.
#ifndef NET_TEST_H
#define NET_TEST_H

#include "group.h"

#include "knack/knack.h" // the whole core beside the module: no name twice

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Memory that is refused once `left` blocks were given out, and what is out at the moment.
typedef struct purse {
    uint32_t left;
    size_t bytes, most;
} purse;

// Each block is preceded by its size, which must come back as `old_size`.
#define PURSE_FRONT 16

static inline void *purse_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    purse *p = user;
    uint8_t *old = ptr != NULL ? (uint8_t *)ptr - PURSE_FRONT : NULL;
    if (old != NULL) {
        size_t size;
        memcpy(&size, old, sizeof(size));
        assert_int_equal(size, old_size);
    } else {
        assert_int_equal(old_size, 0);
    }
    if (new_size > old_size && p->left == 0) {
        return NULL;
    }
    p->left -= new_size > old_size && p->left != UINT32_MAX;
    p->bytes = p->bytes - old_size + new_size;
    p->most = p->bytes > p->most ? p->bytes : p->most;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    uint8_t *block = malloc(PURSE_FRONT + new_size); // always another place
    assert_non_null(block);
    memset(block, 0xa5, PURSE_FRONT + new_size);
    memcpy(block, &new_size, sizeof(new_size));
    if (old != NULL) {
        memcpy(block + PURSE_FRONT, ptr, old_size < new_size ? old_size : new_size);
        free(old);
    }
    return block + PURSE_FRONT;
}

static inline kn_hooks purse_hooks(purse *p)
{
    return (kn_hooks){.realloc_fn = purse_realloc, .realloc_user = p};
}

// An assert handler for tests that break contracts on purpose.
static inline bool ignore_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

// Splitmix64; independent of what it tests.
static inline uint64_t any_u64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static inline uint32_t any_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)(any_u64(state) % bound);
}

#endif
