// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Packets: what one datagram carries.
#ifndef KNI_UDP_PACKET_H
#define KNI_UDP_PACKET_H

#include "replay.h"
#include "wire.h"

typedef enum kni_udp_type {
    KNI_UDP_REQUEST = 0,
    KNI_UDP_DENIED = 1,
    KNI_UDP_CHALLENGE = 2,
    KNI_UDP_RESPONSE = 3,
    KNI_UDP_KEEP_ALIVE = 4,
    KNI_UDP_PAYLOAD = 5,
    KNI_UDP_DISCONNECT = 6,
    KNI_UDP_TYPE_COUNT,
} kni_udp_type;

/// Sets of types that the two sides accept in encrypted form.
#define KNI_UDP_BIT(type) (1u << (type))
#define KNI_UDP_CONNECTED_TYPES                                                                    \
    (KNI_UDP_BIT(KNI_UDP_KEEP_ALIVE) | KNI_UDP_BIT(KNI_UDP_PAYLOAD) |                              \
        KNI_UDP_BIT(KNI_UDP_DISCONNECT))
#define KNI_UDP_CLIENT_TYPES                                                                       \
    (KNI_UDP_BIT(KNI_UDP_DENIED) | KNI_UDP_BIT(KNI_UDP_CHALLENGE) | KNI_UDP_CONNECTED_TYPES)
#define KNI_UDP_SERVER_TYPES (KNI_UDP_BIT(KNI_UDP_RESPONSE) | KNI_UDP_CONNECTED_TYPES)

/// Bytes of the data of challenge and response, and of keep-alives.
#define KNI_UDP_CHALLENGE_DATA (8 + KNI_UDP_CHALLENGE_SIZE)
#define KNI_UDP_KEEP_ALIVE_DATA 8
/// Most bytes that a packet has besides its data.
#define KNI_UDP_PACKET_FRONT_MAX (KN_UDP_DATAGRAM_MAX - KN_UDP_PAYLOAD_MAX)

/// A packet that was read.
typedef struct kni_udp_packet {
    kni_udp_type type;
    uint64_t sequence;
    size_t size;
    uint8_t data[KN_UDP_DATAGRAM_MAX]; ///< decrypted
} kni_udp_packet;

/// How to read packets.
typedef struct kni_udp_reading {
    uint32_t types; ///< KNI_UDP_BIT()s of the types that are accepted
    uint64_t protocol_id;
    const uint8_t *key;
    kni_udp_replay *window; ///< for the types of connected peers; NULL accepts none of these
} kni_udp_reading;

/// Reads an encrypted packet. False if it is to be ignored; the window may have moved then, if only
/// the size of its data was wrong.
bool kni_udp_packet_read(
    const kni_udp_reading *how, const uint8_t *bytes, size_t size, kni_udp_packet *packet);

/// How to write packets.
typedef struct kni_udp_writing {
    uint64_t protocol_id;
    const uint8_t *key;
} kni_udp_writing;

/// Writes and encrypts a packet; returns its size.
size_t kni_udp_packet_write(const kni_udp_writing *how, kni_udp_type type, uint64_t sequence,
    const void *data, size_t size, uint8_t bytes[KN_UDP_DATAGRAM_MAX]);

/// The data of a challenge or response.
void kni_udp_challenge_data(uint64_t sequence, const uint8_t challenge[KNI_UDP_CHALLENGE_SIZE],
    uint8_t data[KNI_UDP_CHALLENGE_DATA]);
/// The data of a keep-alive.
void kni_udp_keep_alive_data(
    uint32_t slot, uint32_t slot_count, uint8_t data[KNI_UDP_KEEP_ALIVE_DATA]);

/// What a connection request says in the clear.
typedef struct kni_udp_request {
    uint64_t protocol_id;
    uint64_t expire_time;
    const uint8_t *nonce;        ///< in the datagram
    const uint8_t *private_part; ///< in the datagram, encrypted
} kni_udp_request;

/// Writes the request for a token of the right size.
void kni_udp_request_write(const uint8_t *token, uint8_t bytes[KNI_UDP_REQUEST_SIZE]);
/// Reads a request. False if its size or version is wrong.
bool kni_udp_request_read(const uint8_t *bytes, size_t size, kni_udp_request *request);

#endif
