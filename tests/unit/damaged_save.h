// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Saves that were damaged on purpose: with a checksum that fits again, and read with care.
#ifndef DAMAGED_SAVE_H
#define DAMAGED_SAVE_H

#include "group.h"

#include "store/store.h"

#include <stdlib.h>

static inline void repair(uint8_t *bytes, size_t size)
{
    kn_writer writer = {bytes + 8, 16, 0};
    kn_write_u64(&writer, size);
    kn_write_u64(&writer, kni_save_checksum(bytes, size));
}

typedef struct tally {
    uint32_t refused;
    uint32_t accepted;
} tally;

// Loads into a world that lives. A refusal must say why and leave the world alone; what is accepted
// must be sound, and the caller continues with it.
static inline bool read_damaged(kn_world *world, const uint8_t *bytes, size_t size, tally *t)
{
    uint64_t before = kn_world_hash(world);
    kn_error error = {0};
    kn_result result = kn_save_read(world, bytes, size, &error);
    if (result != KN_OK) {
        t->refused++;
        assert_int_equal(result, KN_ERROR_BAD_DATA);
        assert_int_equal(error.code, KN_ERROR_BAD_DATA);
        assert_true(error.message[0] != 0);
        assert_int_equal(kn_world_hash(world), before);
        return false;
    }
    t->accepted++;
    assert_true(kn_world_validate(world));
    return true;
}

#endif
