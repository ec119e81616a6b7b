// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The private part of tokens, and the parts of the public one that clients use.
#ifndef KNI_UDP_TOKEN_H
#define KNI_UDP_TOKEN_H

#include "wire.h"

/// Where the parts of a token are.
#define KNI_UDP_TOKEN_NONCE_AT 37
#define KNI_UDP_TOKEN_PRIVATE_AT 61

/// Lays out the private part, all unused bytes zero.
void kni_udp_private_write(const kn_token_secret *secret, uint8_t plain[KNI_UDP_PRIVATE_SIZE]);
/// Reads it again. False if a number is out of range.
bool kni_udp_private_read(const uint8_t plain[KNI_UDP_PRIVATE_SIZE], kn_token_secret *secret);
/// Encrypts the private part in place; the tag takes the last bytes.
void kni_udp_private_seal(uint8_t bytes[KNI_UDP_PRIVATE_SIZE], const uint8_t *private_key,
    const uint8_t *nonce, uint64_t protocol_id, uint64_t expire_time);
/// Decrypts it into `plain`, whose last bytes become zero. False if the tag is wrong.
bool kni_udp_private_open(const uint8_t bytes[KNI_UDP_PRIVATE_SIZE], const uint8_t *private_key,
    const uint8_t *nonce, uint64_t protocol_id, uint64_t expire_time,
    uint8_t plain[KNI_UDP_PRIVATE_SIZE]);

/// What a client takes from a token besides what kn_token_read() gives.
typedef struct kni_udp_token_keys {
    uint8_t client_to_server[KN_UDP_KEY_SIZE];
    uint8_t server_to_client[KN_UDP_KEY_SIZE];
} kni_udp_token_keys;

/// Reads the whole public part. False, with both zeroed, if a client must not use it.
bool kni_udp_token_read(
    const uint8_t *bytes, size_t size, kn_token_info *info, kni_udp_token_keys *keys);

#endif
