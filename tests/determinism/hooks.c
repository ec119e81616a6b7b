// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Worlds whose hooks do anything end in a known state, on every compiler, optimisation level and
// processor. When the number changes on purpose, the commit that changes it says why.

#include "../fuzz/hook_play.h"

#define INPUTS 24
#define LENGTH 1200

static const uint64_t golden = UINT64_C(0x4eb60039e39ee6a7);

// SplitMix64.
static uint64_t next_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

int main(void)
{
    uint64_t state = 1, hash = 0;
    for (uint32_t i = 0; i < INPUTS; i++) {
        uint8_t data[LENGTH];
        for (uint32_t n = 0; n < LENGTH; n++) {
            data[n] = (uint8_t)next_random(&state);
        }
        hash = hash * 31 + hooks_play(data, LENGTH);
    }
    if (hash == golden) {
        return 0;
    }
    fprintf(stderr,
        "hooks: ends in another state. If that is meant, hooks.c needs\n"
        "    UINT64_C(0x%016" PRIx64 ")\n",
        hash);
    return 1;
}
