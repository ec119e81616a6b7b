// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the tests of knack::udp share: cmocka with what it needs, bytes from hexadecimal, and the
// inputs from which all vectors were made.
#ifndef UDP_FIXTURE_H
#define UDP_FIXTURE_H

#include "group.h"

#include "knack/udp.h"

#include "udp/challenge.h"
#include "udp/packet.h"
#include "udp/token.h"

#include "vectors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sodium.h>

#define PROTOCOL 0x1122334455667788u
#define CLIENT_ID 0x0123456789abcdefu
#define CREATED 1700000000u
#define EXPIRES 1700000045u
#define WALL 1700000001u

typedef struct test_inputs {
    uint8_t private_key[32], client_key[32], server_key[32], challenge_key[32];
    uint8_t nonce[24];
    uint8_t user_data[256];
} test_inputs;

static inline void count_up(uint8_t *bytes, size_t size, uint32_t first)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(first + i);
    }
}

static inline const test_inputs *inputs(void)
{
    static test_inputs made;
    count_up(made.private_key, 32, 0x00);
    count_up(made.client_key, 32, 0x20);
    count_up(made.server_key, 32, 0x40);
    count_up(made.challenge_key, 32, 0x60);
    count_up(made.nonce, 24, 0x80);
    count_up(made.user_data, 256, 0);
    return &made;
}

// A buffer for one datagram or token.
typedef struct test_bytes {
    uint8_t bytes[2048];
    size_t size;
} test_bytes;

static inline uint8_t hex_digit(char c)
{
    return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static inline test_bytes hex(const char *text)
{
    test_bytes result = {.size = strlen(text) / 2};
    assert_true(result.size <= sizeof result.bytes);
    for (size_t i = 0; i < result.size; i++) {
        result.bytes[i] = (uint8_t)(hex_digit(text[2 * i]) << 4 | hex_digit(text[2 * i + 1]));
    }
    return result;
}

static inline void expect_bytes(const void *bytes, size_t size, const char *expected)
{
    test_bytes wanted = hex(expected);
    assert_int_equal(size, wanted.size);
    assert_memory_equal(bytes, wanted.bytes, size);
}

static inline void expect_sha(const void *bytes, size_t size, const char *expected)
{
    uint8_t sha[crypto_hash_sha256_BYTES];
    (void)crypto_hash_sha256(sha, bytes, size);
    expect_bytes(sha, sizeof sha, expected);
}

static inline kn_address address_of(const char *text)
{
    kn_address address;
    assert_int_equal(kn_address_parse(text, &address, NULL), KN_OK);
    return address;
}

// The def of token A, with the given addresses.
static inline kn_token_def token_def(const kn_address *addresses, uint32_t count)
{
    kn_token_def def = kn_token_def_default();
    def.private_key = inputs()->private_key;
    def.protocol_id = PROTOCOL;
    def.client_id = CLIENT_ID;
    def.addresses = addresses;
    def.address_count = count;
    def.create_time = CREATED;
    def.lifetime = EXPIRES - CREATED;
    def.timeout = 5;
    def.user_data = inputs()->user_data;
    def.nonce = inputs()->nonce;
    def.client_to_server_key = inputs()->client_key;
    def.server_to_client_key = inputs()->server_key;
    return def;
}

static inline kn_token token_of(const kn_token_def *def)
{
    kn_token token;
    assert_int_equal(kn_token_make(def, &token, NULL), KN_OK);
    return token;
}

// Token A: an IPv4 and an IPv6 address.
static inline kn_token token_a(void)
{
    kn_address addresses[2] = {address_of("127.0.0.1:40000"), address_of("[2001:db8::1]:40001")};
    kn_token_def def = token_def(addresses, 2);
    return token_of(&def);
}

// How each side reads and writes, with the keys of the inputs.
static inline kni_udp_reading server_reading(kni_udp_replay *window)
{
    return (kni_udp_reading){KNI_UDP_SERVER_TYPES, PROTOCOL, inputs()->client_key, window};
}

static inline kni_udp_reading client_reading(kni_udp_replay *window)
{
    return (kni_udp_reading){KNI_UDP_CLIENT_TYPES, PROTOCOL, inputs()->server_key, window};
}

static inline test_bytes packet_with(
    const uint8_t *key, kni_udp_type type, uint64_t sequence, const void *data, size_t size)
{
    test_bytes result = {0};
    kni_udp_writing how = {PROTOCOL, key};
    result.size = kni_udp_packet_write(&how, type, sequence, data, size, result.bytes);
    return result;
}

static inline test_bytes from_server(
    kni_udp_type type, uint64_t sequence, const void *data, size_t size)
{
    return packet_with(inputs()->server_key, type, sequence, data, size);
}

static inline test_bytes from_client(
    kni_udp_type type, uint64_t sequence, const void *data, size_t size)
{
    return packet_with(inputs()->client_key, type, sequence, data, size);
}

// A packet that no side writes: any prefix byte, sequence bytes and data, with a right tag.
static inline test_bytes odd_packet(
    const uint8_t *key, uint8_t prefix, uint64_t sequence, const void *data, size_t size)
{
    test_bytes result = {0};
    uint32_t sequence_size = prefix >> 4;
    result.bytes[0] = prefix;
    for (uint32_t i = 0; i < sequence_size; i++) {
        result.bytes[1 + i] = i < 8 ? (uint8_t)(sequence >> (8 * i)) : 0;
    }
    uint8_t covered[KNI_UDP_PACKET_DATA_SIZE], nonce[KNI_UDP_PACKET_NONCE_SIZE];
    kni_udp_packet_data(PROTOCOL, prefix, covered);
    kni_udp_nonce(sequence, nonce);
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(result.bytes + 1 + sequence_size, NULL, data,
        size, covered, sizeof covered, NULL, nonce, key);
    result.size = 1 + (size_t)sequence_size + size + KNI_UDP_TAG_SIZE;
    return result;
}

#endif
