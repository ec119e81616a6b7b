// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "challenge.h"

#include <sodium.h>

void kni_udp_challenge_write(
    const kni_udp_challenge *challenge, uint8_t plain[KNI_UDP_CHALLENGE_SIZE])
{
    memset(plain, 0, KNI_UDP_CHALLENGE_SIZE);
    kn_writer writer = {plain, KNI_UDP_CHALLENGE_PLAIN, 0};
    kn_write_u64(&writer, challenge->client_id);
    kn_write_bytes(&writer, challenge->user_data, KN_UDP_USER_DATA_SIZE);
}

void kni_udp_challenge_seal(const kni_udp_challenge *challenge, const uint8_t *key,
    uint64_t sequence, uint8_t bytes[KNI_UDP_CHALLENGE_SIZE])
{
    uint8_t nonce[KNI_UDP_PACKET_NONCE_SIZE];
    kni_udp_nonce(sequence, nonce);
    kni_udp_challenge_write(challenge, bytes);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(
        bytes, NULL, bytes, KNI_UDP_CHALLENGE_PLAIN, NULL, 0, NULL, nonce, key);
}

bool kni_udp_challenge_open(const uint8_t bytes[KNI_UDP_CHALLENGE_SIZE], const uint8_t *key,
    uint64_t sequence, kni_udp_challenge *challenge)
{
    uint8_t nonce[KNI_UDP_PACKET_NONCE_SIZE];
    uint8_t plain[KNI_UDP_CHALLENGE_PLAIN];
    kni_udp_nonce(sequence, nonce);
    *challenge = (kni_udp_challenge){0};
    if (crypto_aead_chacha20poly1305_ietf_decrypt(
            plain, NULL, NULL, bytes, KNI_UDP_CHALLENGE_SIZE, NULL, 0, nonce, key) != 0) {
        return false;
    }
    kn_reader reader = {plain, sizeof plain, 0, false, false};
    challenge->client_id = kn_read_u64(&reader);
    memcpy(challenge->user_data, plain + reader.at, KN_UDP_USER_DATA_SIZE);
    return true;
}
