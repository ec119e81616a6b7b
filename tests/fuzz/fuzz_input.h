// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Turns the bytes of a fuzz input into choices. When they run out, every choice is 0.
#ifndef KNACK_FUZZ_INPUT_H
#define KNACK_FUZZ_INPUT_H

#include "knack/knack.h"

#include <math.h>

typedef struct fuzz_input {
    const uint8_t *data;
    size_t size;
} fuzz_input;

static inline uint32_t take_u8(fuzz_input *input)
{
    if (input->size == 0) {
        return 0;
    }
    input->size--;
    return *input->data++;
}

static inline uint32_t take_u32(fuzz_input *input)
{
    uint32_t value = take_u8(input);
    value |= take_u8(input) << 8;
    value |= take_u8(input) << 16;
    return value | take_u8(input) << 24;
}

static inline uint32_t take_below(fuzz_input *input, uint32_t bound)
{
    return take_u8(input) % bound;
}

static inline bool take_bool(fuzz_input *input)
{
    return (take_u8(input) & 1) != 0;
}

// One in `n`.
static inline bool take_rarely(fuzz_input *input, uint32_t n)
{
    return take_u8(input) % n == n - 1;
}

// Mostly small numbers, now and then one that causes trouble.
static inline float take_float(fuzz_input *input)
{
    static const float odd[] = {0.0f, -0.0f, 1.0f, -1.0f, 0.5f, 1e-7f, -1e-7f, 1e30f, -1e30f,
        3.4e38f, 1e-40f, NAN, INFINITY, -INFINITY, 16777216.0f, 0.1f};
    uint32_t byte = take_u8(input);
    if (byte < sizeof odd / sizeof odd[0]) {
        return odd[byte];
    }
    return ((float)byte - 128.0f) * 0.125f;
}

static inline float take_small_float(fuzz_input *input)
{
    return ((float)take_u8(input) - 64.0f) * 0.25f;
}

static inline kn_time take_time(fuzz_input *input)
{
    static const kn_time odd[] = {
        0, -1, 1, INT64_MIN, INT64_MAX, KN_TIME_MAX, KN_TIME_MAX - 1, KN_S(100000)};
    uint32_t byte = take_u8(input);
    if (byte < sizeof odd / sizeof odd[0]) {
        return odd[byte];
    }
    return KN_MS(byte * 10) + (byte % 3);
}

// A period that does not tick a million times a second.
static inline kn_time take_period(fuzz_input *input)
{
    static const kn_time odd[] = {-1, -1, -1, 0, INT64_MIN, KN_TIME_MAX, INT64_MAX, 333333};
    uint32_t byte = take_u8(input);
    if (byte < sizeof odd / sizeof odd[0]) {
        return odd[byte];
    }
    return KN_MS(20 + byte * 3);
}

static inline uint32_t take_count(fuzz_input *input)
{
    static const uint32_t odd[] = {0, UINT32_MAX, INT32_MAX, 65535, 65536, 1000};
    uint32_t byte = take_u8(input);
    if (byte >= 250) {
        return odd[byte - 250];
    }
    return byte % 6;
}

#endif
