// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One bit a number. Bit i % 256 belongs to the number i in (newest - 256, newest]; when the newest
// number moves on, the bits of the numbers that enter the window are cleared.

#include "replay.h"

#include <string.h>

static uint64_t *replay_word(kni_udp_replay *window, uint64_t sequence)
{
    return &window->bits[sequence % KNI_UDP_REPLAY_SIZE / 64];
}

static uint64_t replay_bit(uint64_t sequence)
{
    return (uint64_t)1 << sequence % 64;
}

bool kni_udp_replay_is_new(const kni_udp_replay *window, uint64_t sequence)
{
    if (sequence > window->newest) {
        return true;
    }
    if (window->newest - sequence >= KNI_UDP_REPLAY_SIZE) {
        return false;
    }
    return (window->bits[sequence % KNI_UDP_REPLAY_SIZE / 64] & replay_bit(sequence)) == 0;
}

void kni_udp_replay_record(kni_udp_replay *window, uint64_t sequence)
{
    if (sequence > window->newest) {
        if (sequence - window->newest >= KNI_UDP_REPLAY_SIZE) {
            memset(window->bits, 0, sizeof window->bits);
        } else {
            for (uint64_t i = window->newest + 1; i < sequence; i++) {
                *replay_word(window, i) &= ~replay_bit(i);
            }
        }
        window->newest = sequence;
    }
    *replay_word(window, sequence) |= replay_bit(sequence);
}
