// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "packet.h"

#include "token.h"

#include <sodium.h>

// Prefix byte, one sequence byte, and the tag.
#define PACKET_MIN 18

// Encrypted packets -----------------------------------------------------------

static uint32_t packet_sequence_size(uint64_t sequence)
{
    uint32_t size = 1;
    while (size < 8 && sequence >> (8 * size) != 0) {
        size++;
    }
    return size;
}

size_t kni_udp_packet_write(const kni_udp_writing *how, kni_udp_type type, uint64_t sequence,
    const void *data, size_t size, uint8_t bytes[KN_UDP_DATAGRAM_MAX])
{
    KN_ASSERT(size <= KN_UDP_PAYLOAD_MAX);
    uint32_t sequence_size = packet_sequence_size(sequence);
    uint8_t prefix = (uint8_t)((uint32_t)type | sequence_size << 4);
    kn_writer writer = {bytes, KN_UDP_DATAGRAM_MAX, 0};
    kn_write_u8(&writer, prefix);
    kn_write_uint(&writer, sequence, sequence_size);

    uint8_t covered[KNI_UDP_PACKET_DATA_SIZE], nonce[KNI_UDP_PACKET_NONCE_SIZE];
    kni_udp_packet_data(how->protocol_id, prefix, covered);
    kni_udp_nonce(sequence, nonce);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(
        bytes + writer.length, NULL, data, size, covered, sizeof covered, NULL, nonce, how->key);
    return writer.length + size + KNI_UDP_TAG_SIZE;
}

static bool packet_size_is_right(kni_udp_type type, size_t size)
{
    switch (type) {
    case KNI_UDP_DENIED:
    case KNI_UDP_DISCONNECT:
        return size == 0;
    case KNI_UDP_CHALLENGE:
    case KNI_UDP_RESPONSE:
        return size == KNI_UDP_CHALLENGE_DATA;
    case KNI_UDP_KEEP_ALIVE:
        return size == KNI_UDP_KEEP_ALIVE_DATA;
    case KNI_UDP_PAYLOAD:
        return size >= 1 && size <= KN_UDP_PAYLOAD_MAX;
    default:
        return false;
    }
}

static bool packet_decrypt(
    const kni_udp_reading *how, const uint8_t *bytes, size_t front, kni_udp_packet *packet)
{
    uint8_t covered[KNI_UDP_PACKET_DATA_SIZE], nonce[KNI_UDP_PACKET_NONCE_SIZE];
    kni_udp_packet_data(how->protocol_id, bytes[0], covered);
    kni_udp_nonce(packet->sequence, nonce);
    return crypto_aead_chacha20poly1305_ietf_decrypt(packet->data, NULL, NULL, bytes + front,
               packet->size + KNI_UDP_TAG_SIZE, covered, sizeof covered, nonce, how->key) == 0;
}

bool kni_udp_packet_read(
    const kni_udp_reading *how, const uint8_t *bytes, size_t size, kni_udp_packet *packet)
{
    packet->size = 0;
    if (size < PACKET_MIN || size > KN_UDP_DATAGRAM_MAX) {
        return false;
    }
    uint32_t type = bytes[0] & 15u, sequence_size = bytes[0] >> 4;
    if (type == KNI_UDP_REQUEST || (how->types & KNI_UDP_BIT(type)) == 0) {
        return false;
    }
    if (sequence_size < 1 || sequence_size > 8) {
        return false;
    }
    size_t front = 1 + (size_t)sequence_size;
    if (size < front + KNI_UDP_TAG_SIZE) {
        return false;
    }
    kn_reader reader = {bytes, size, 1, false, false};
    packet->type = (kni_udp_type)type;
    packet->sequence = kn_read_uint(&reader, sequence_size);
    packet->size = size - front - KNI_UDP_TAG_SIZE;

    bool needs_window = (KNI_UDP_CONNECTED_TYPES & KNI_UDP_BIT(type)) != 0;
    if (needs_window &&
        (how->window == NULL || !kni_udp_replay_is_new(how->window, packet->sequence))) {
        return false;
    }
    if (!packet_decrypt(how, bytes, front, packet)) {
        return false;
    }
    if (needs_window) {
        kni_udp_replay_record(how->window, packet->sequence);
    }
    return packet_size_is_right(packet->type, packet->size);
}

// Data ------------------------------------------------------------------------

void kni_udp_challenge_data(uint64_t sequence, const uint8_t challenge[KNI_UDP_CHALLENGE_SIZE],
    uint8_t data[KNI_UDP_CHALLENGE_DATA])
{
    kn_writer writer = {data, KNI_UDP_CHALLENGE_DATA, 0};
    kn_write_u64(&writer, sequence);
    kn_write_bytes(&writer, challenge, KNI_UDP_CHALLENGE_SIZE);
}

void kni_udp_keep_alive_data(
    uint32_t slot, uint32_t slot_count, uint8_t data[KNI_UDP_KEEP_ALIVE_DATA])
{
    kn_writer writer = {data, KNI_UDP_KEEP_ALIVE_DATA, 0};
    kn_write_u32(&writer, slot);
    kn_write_u32(&writer, slot_count);
}

// Requests --------------------------------------------------------------------

void kni_udp_request_write(const uint8_t *token, uint8_t bytes[KNI_UDP_REQUEST_SIZE])
{
    kn_writer writer = {bytes, KNI_UDP_REQUEST_SIZE, 0};
    kn_write_u8(&writer, KNI_UDP_REQUEST);
    kn_write_bytes(&writer, token, 21);     // version and protocol id
    kn_write_bytes(&writer, token + 29, 8); // expire time; the create time is left out
    kn_write_bytes(&writer, token + KNI_UDP_TOKEN_NONCE_AT, KN_UDP_NONCE_SIZE);
    kn_write_bytes(&writer, token + KNI_UDP_TOKEN_PRIVATE_AT, KNI_UDP_PRIVATE_SIZE);
}

bool kni_udp_request_read(const uint8_t *bytes, size_t size, kni_udp_request *request)
{
    *request = (kni_udp_request){0};
    if (size != KNI_UDP_REQUEST_SIZE || bytes[0] != KNI_UDP_REQUEST ||
        memcmp(bytes + 1, kni_udp_version, KNI_UDP_VERSION_SIZE) != 0) {
        return false;
    }
    kn_reader reader = {bytes, size, 1 + KNI_UDP_VERSION_SIZE, false, false};
    request->protocol_id = kn_read_u64(&reader);
    request->expire_time = kn_read_u64(&reader);
    request->nonce = kn_read_bytes(&reader, KN_UDP_NONCE_SIZE);
    request->private_part = kn_read_bytes(&reader, KNI_UDP_PRIVATE_SIZE);
    return !reader.failed;
}
