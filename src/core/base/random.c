// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Seeding follows the PCG paper: the stream number becomes the odd increment, and the seed is mixed
// in between two draws.

#include "base/random.h"

#include "knack/base.h"

void kni_random_seed(kni_random *random, uint64_t seed, uint64_t stream)
{
    random->state = 0;
    random->increment = stream << 1 | 1;
    kni_random_u32(random);
    random->state += seed;
    kni_random_u32(random);
}

uint32_t kni_random_below(kni_random *random, uint32_t bound)
{
    KN_ASSERT(bound > 0);
    if (bound == 0) {
        return 0;
    }
    // The high half of the product is the result. Every result has the same number of low halves,
    // floor(2^32 / bound), once the lowest 2^32 % bound of them are discarded (Lemire's method).
    uint64_t product = (uint64_t)kni_random_u32(random) * bound;
    if ((uint32_t)product < bound) {
        uint32_t refused = -bound % bound;
        while ((uint32_t)product < refused) {
            product = (uint64_t)kni_random_u32(random) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}
