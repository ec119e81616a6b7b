// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the grid asks of a compiler beyond plain C17. Every form gives the same result;
// KNI_COMPILER_PLAIN selects plain C17, which is what an unknown compiler gets.
#ifndef KNI_LANES_H
#define KNI_LANES_H

#include <stdint.h>

// Four numbers that are computed with at once. Without KNI_LANES they do not exist.
#if defined(__GNUC__) && !defined(KNI_COMPILER_PLAIN)
#define KNI_LANES 4
typedef float kni_lanes_float __attribute__((vector_size(4 * KNI_LANES)));
typedef uint32_t kni_lanes_bits __attribute__((vector_size(4 * KNI_LANES)));
#endif

// Asks for memory that is about to be read. A macro, since compilers remove a function that only
// prefetches.
#if defined(KNI_LANES)
#define KNI_LANES_PREFETCH(address) __builtin_prefetch(address)
#else
#define KNI_LANES_PREFETCH(address) ((void)(address))
#endif

// Index of the lowest bit that is set. There must be one.
static inline uint32_t kni_lanes_lowest(uint64_t bits)
{
#if defined(KNI_LANES)
    return (uint32_t)__builtin_ctzll(bits);
#else
    uint32_t index = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if ((bits & ((UINT64_C(1) << step) - 1)) == 0) {
            bits >>= step;
            index += step;
        }
    }
    return index;
#endif
}

#endif
