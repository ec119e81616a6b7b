// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Which packets of a connection have arrived, so that none is accepted twice.
#ifndef KNI_UDP_REPLAY_H
#define KNI_UDP_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#define KNI_UDP_REPLAY_SIZE 256

/// All-zero is an empty window.
typedef struct kni_udp_replay {
    uint64_t newest;                         ///< highest number recorded, 0 at first
    uint64_t bits[KNI_UDP_REPLAY_SIZE / 64]; ///< by number modulo the size of the window
} kni_udp_replay;

/// True if a number is new: neither recorded nor too old to know.
bool kni_udp_replay_is_new(const kni_udp_replay *window, uint64_t sequence);
/// Records a number that is new. Only after its packet was authenticated.
void kni_udp_replay_record(kni_udp_replay *window, uint64_t sequence);

#endif
