// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Random numbers of one stream: PCG32 (XSH-RR, 64 bits of state). Streams with the same seed and
// different stream numbers are independent sequences. Both fields are part of saves and hashes.
#ifndef KNI_RANDOM_H
#define KNI_RANDOM_H

#include <stdint.h>

typedef struct kni_random {
    uint64_t state;
    uint64_t increment; // odd
} kni_random;

void kni_random_seed(kni_random *random, uint64_t seed, uint64_t stream);

static inline uint32_t kni_random_u32(kni_random *random)
{
    uint64_t old = random->state;
    random->state = old * 6364136223846793005u + random->increment;
    uint32_t mixed = (uint32_t)((old >> 18 ^ old) >> 27);
    uint32_t turn = (uint32_t)(old >> 59);
    return mixed >> turn | mixed << (-turn & 31);
}

// Uniform over [0, bound). Almost every call draws once; it draws again when the result would
// favour low numbers. `bound` must not be 0; if it is, the result is 0.
uint32_t kni_random_below(kni_random *random, uint32_t bound);

// Uniform over the 2^24 multiples of 2^-24 in [0, 1).
static inline float kni_random_float(kni_random *random)
{
    return (float)(kni_random_u32(random) >> 8) * 0x1p-24f;
}

// Element `index` of the sequence that SplitMix64 generates from a seed, as a float like the one
// above.
static inline float kni_random_mix(uint64_t seed, uint32_t index)
{
    uint64_t mixed = seed + ((uint64_t)index + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
    mixed ^= mixed >> 31;
    return (float)(mixed >> 40) * 0x1p-24f;
}

#endif
