// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Edits of a block of bytes, taken from fuzz input. Good saves and recordings are made anew in
// every run and damaged by the input, so that the corpus outlives changes of the formats.
#ifndef KNACK_FUZZ_EDIT_H
#define KNACK_FUZZ_EDIT_H

#include "fuzz_input.h"

#include "base/hash.h"

#include <stdlib.h>
#include <string.h>

typedef struct fuzz_block {
    uint8_t *data;
    size_t size;
} fuzz_block;

static inline size_t take_place(fuzz_input *input, size_t size)
{
    size_t place = take_u8(input);
    place |= (size_t)take_u8(input) << 8;
    place |= (size_t)take_u8(input) << 16;
    return size > 0 ? place % size : 0;
}

static inline void store_u32(uint8_t *at, uint32_t value)
{
    for (uint32_t i = 0; i < 4; i++) {
        at[i] = (uint8_t)(value >> 8 * i);
    }
}

static inline void store_u64(uint8_t *at, uint64_t value)
{
    store_u32(at, (uint32_t)value);
    store_u32(at + 4, (uint32_t)(value >> 32));
}

static inline uint64_t load_u64(const uint8_t *at)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < 8; i++) {
        value |= (uint64_t)at[i] << 8 * i;
    }
    return value;
}

static inline uint64_t checksum(uint64_t before, const uint8_t *data, size_t size)
{
    kni_hash hash = kni_hash_begin(before);
    kni_hash_bytes(&hash, data, size);
    return kni_hash_end(&hash);
}

// One edit. The block has room for twice its first size.
static inline void fuzz_edit(fuzz_block *block, size_t room, fuzz_input *input)
{
    static const uint32_t odd[] = {0, 1, 2, 63, 64, 65535, 0x7fffffff, 0x80000000, UINT32_MAX,
        0x7fc00000, 0x7f800000, 0x3f800000};
    size_t place = take_place(input, block->size);
    size_t rest = block->size - place;
    switch (take_below(input, 7)) {
    case 0:
        if (rest > 0) {
            block->data[place] = (uint8_t)take_u8(input);
        }
        break;
    case 1:
        if (rest > 0) {
            block->data[place] = (uint8_t)(block->data[place] + take_u8(input) - 128);
        }
        break;
    case 2:
        if (rest >= 4) {
            store_u32(block->data + place, odd[take_below(input, 12)]);
        }
        break;
    case 3:
        if (rest >= 8) {
            store_u64(block->data + place, (uint64_t)odd[take_below(input, 12)] << 24);
        }
        break;
    case 4: { // a part goes
        size_t length = take_u8(input);
        length = length < rest ? length : rest;
        memmove(block->data + place, block->data + place + length, rest - length);
        block->size -= length;
        break;
    }
    case 5: { // a part comes twice
        size_t length = take_u8(input);
        length = length < rest ? length : rest;
        if (block->size + length <= room) {
            memmove(block->data + place + length, block->data + place, rest);
            block->size += length;
        }
        break;
    }
    default: { // a part is copied from elsewhere
        size_t from = take_place(input, block->size);
        size_t length = take_u8(input);
        length = length < rest ? length : rest;
        length = length < block->size - from ? length : block->size - from;
        memmove(block->data + place, block->data + from, length);
        break;
    }
    }
}

#endif
