// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sizes of netcode 1.02 and the small pieces that tokens and packets are made of.
#ifndef KNI_UDP_WIRE_H
#define KNI_UDP_WIRE_H

#include "knack/tools.h"
#include "knack/udp.h"

#define KNI_UDP_VERSION_SIZE 13
#define KNI_UDP_TAG_SIZE 16
#define KNI_UDP_PRIVATE_SIZE 1024
#define KNI_UDP_PRIVATE_PLAIN (KNI_UDP_PRIVATE_SIZE - KNI_UDP_TAG_SIZE)
#define KNI_UDP_TOKEN_DATA_SIZE 29  // associated data of the private part of a token
#define KNI_UDP_PACKET_DATA_SIZE 22 // associated data of a packet
#define KNI_UDP_PACKET_NONCE_SIZE 12
#define KNI_UDP_CHALLENGE_SIZE 300
#define KNI_UDP_CHALLENGE_PLAIN (KNI_UDP_CHALLENGE_SIZE - KNI_UDP_TAG_SIZE)
#define KNI_UDP_REQUEST_SIZE 1078

/// "NETCODE 1.02" and its final zero.
extern const uint8_t kni_udp_version[KNI_UDP_VERSION_SIZE];

/// Starts libsodium, which may be done any number of times and from any thread.
bool kni_udp_start(void);

/// Writes one entry of a list of addresses: 7 or 19 bytes.
void kni_udp_write_address(kn_writer *writer, const kn_address *address);
/// Reads one entry; an unknown kind is a failure.
kn_address kni_udp_read_address(kn_reader *reader);
/// Reads the number of addresses and the addresses; returns the number, 0 after a failure.
uint32_t kni_udp_read_addresses(kn_reader *reader, kn_address addresses[KN_UDP_TOKEN_ADDRESSES]);

/// What the tag of the private part of a token covers besides its ciphertext.
void kni_udp_token_data(
    uint64_t protocol_id, uint64_t expire_time, uint8_t data[KNI_UDP_TOKEN_DATA_SIZE]);
/// What the tag of a packet covers besides its ciphertext.
void kni_udp_packet_data(
    uint64_t protocol_id, uint8_t prefix, uint8_t data[KNI_UDP_PACKET_DATA_SIZE]);
/// The nonce of a packet or challenge.
void kni_udp_nonce(uint64_t sequence, uint8_t nonce[KNI_UDP_PACKET_NONCE_SIZE]);

/// Microseconds of a timeout in seconds; KN_TIME_INFINITE for 0 and below, which turn it off.
kn_time kni_udp_timeout(int32_t seconds);

#endif
