// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The challenge that a server sends to see whether a client receives at its address. Only the
// server can read it, so it needs to remember nothing.
#ifndef KNI_UDP_CHALLENGE_H
#define KNI_UDP_CHALLENGE_H

#include "wire.h"

typedef struct kni_udp_challenge {
    uint64_t client_id;
    uint8_t user_data[KN_UDP_USER_DATA_SIZE];
} kni_udp_challenge;

/// Lays out a challenge, all unused bytes zero.
void kni_udp_challenge_write(
    const kni_udp_challenge *challenge, uint8_t plain[KNI_UDP_CHALLENGE_SIZE]);
/// Lays out and encrypts a challenge.
void kni_udp_challenge_seal(const kni_udp_challenge *challenge, const uint8_t *key,
    uint64_t sequence, uint8_t bytes[KNI_UDP_CHALLENGE_SIZE]);
/// Decrypts and reads a challenge. False if the tag is wrong.
bool kni_udp_challenge_open(const uint8_t bytes[KNI_UDP_CHALLENGE_SIZE], const uint8_t *key,
    uint64_t sequence, kni_udp_challenge *challenge);

#endif
