// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tokens that were shown to a server, so that each is good for one address only.
#ifndef KNI_UDP_USED_H
#define KNI_UDP_USED_H

#include "wire.h"

#define KNI_UDP_USED_MAX (1u << 24)

typedef struct kni_udp_used_token {
    uint8_t tag[KNI_UDP_TAG_SIZE]; ///< names the token
    kn_address address;            ///< that used it; none: refused from everywhere
    uint64_t expire_time;
    uint64_t number; ///< in order of arrival, from 1; 0: the entry is free
    bool is_spent;   ///< it led to a slot
} kni_udp_used_token;

typedef struct kni_udp_used {
    kni_udp_used_token *tokens;
    uint32_t capacity;
    uint64_t next_number;
    uint64_t forgotten; ///< tokens dropped before they expired
} kni_udp_used;

bool kni_udp_used_init(kni_udp_used *used, const kn_hooks *hooks, uint32_t capacity);
void kni_udp_used_free(kni_udp_used *used, const kn_hooks *hooks);
/// Forgets everything.
void kni_udp_used_clear(kni_udp_used *used);
/// The entry of a token, or NULL.
kni_udp_used_token *kni_udp_used_find(kni_udp_used *used, const uint8_t tag[KNI_UDP_TAG_SIZE]);
/// Remembers a token that is not there yet. If there is no room, an expired one goes, or the one
/// that was seen first.
void kni_udp_used_add(kni_udp_used *used, const kni_udp_used_token *token, uint64_t wall);

#endif
