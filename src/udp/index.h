// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finds entries of an array by their address without touching the entries: every datagram of every
// stranger has to be looked up.
#ifndef KNI_UDP_INDEX_H
#define KNI_UDP_INDEX_H

#include "wire.h"

#include <sodium.h>

#define KNI_UDP_INDEX_NONE UINT32_MAX

typedef struct kni_udp_index {
    uint32_t *keys; ///< one per entry: a secret hash of its address, or 0 if it is free
    uint32_t count;
    uint8_t secret[crypto_shorthash_KEYBYTES];
} kni_udp_index;

bool kni_udp_index_init(kni_udp_index *index, const kn_hooks *hooks, uint32_t count);
void kni_udp_index_free(kni_udp_index *index, const kn_hooks *hooks);
/// The key of an address.
uint32_t kni_udp_index_key(const kni_udp_index *index, const kn_address *address);
/// The first entry from `start` on that has a key, or KNI_UDP_INDEX_NONE. Compare its address, and
/// go on with the next one if it is another. A key of 0 finds free entries.
uint32_t kni_udp_index_find(const kni_udp_index *index, uint32_t key, uint32_t start);

#endif
