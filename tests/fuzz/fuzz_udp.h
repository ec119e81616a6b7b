// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the fuzz targets of knack::udp share: fixed keys and tokens, and datagrams from the input.
#ifndef KNACK_FUZZ_UDP_H
#define KNACK_FUZZ_UDP_H

#include "fuzz_input.h"

#include "udp/challenge.h"
#include "udp/packet.h"
#include "udp/token.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FUZZ_PROTOCOL 0x1122334455667788u
#define FUZZ_WALL 1700000000u

static inline void fuzz_must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_udp: %s\n", what);
        abort();
    }
}

static inline kn_address fuzz_address(uint32_t n)
{
    kn_address address = {.kind = n % 3 == 2 ? KN_ADDRESS_IPV6 : KN_ADDRESS_IPV4};
    address.bytes[0] = 10;
    address.bytes[3] = (uint8_t)n;
    address.port = (uint16_t)(4000 + n);
    return address;
}

static inline void fuzz_key(uint8_t key[KN_UDP_KEY_SIZE], uint32_t n)
{
    memset(key, (int)n, KN_UDP_KEY_SIZE);
}

// The token of client n for one or two servers. Keys: 1 private, 2 challenge, 10 + n to the server,
// 100 + n to the client.
static inline kn_token fuzz_token_of(uint32_t n, uint32_t address_count, int32_t timeout)
{
    uint8_t private_key[KN_UDP_KEY_SIZE], to_server[KN_UDP_KEY_SIZE], to_client[KN_UDP_KEY_SIZE];
    uint8_t nonce[KN_UDP_NONCE_SIZE];
    kn_address addresses[2] = {fuzz_address(200), fuzz_address(201)};
    fuzz_key(private_key, 1);
    fuzz_key(to_server, 10 + n);
    fuzz_key(to_client, 100 + n);
    memset(nonce, (int)n, sizeof nonce);
    kn_token_def def = kn_token_def_default();
    def.private_key = private_key;
    def.protocol_id = FUZZ_PROTOCOL;
    def.client_id = n % 4; // some share an id
    def.addresses = addresses;
    def.address_count = address_count;
    def.create_time = FUZZ_WALL;
    def.timeout = timeout;
    def.nonce = nonce;
    def.client_to_server_key = to_server;
    def.server_to_client_key = to_client;
    kn_token token;
    fuzz_must(kn_token_make(&def, &token, NULL) == KN_OK, "no token");
    return token;
}

// Bytes of the input, as a datagram in a block of its own size, so that a sanitizer sees the first
// byte too far. Free it.
static inline uint8_t *fuzz_datagram(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = malloc(size > 0 ? size : 1);
    fuzz_must(copy != NULL, "no memory");
    if (size > 0) {
        memcpy(copy, bytes, size);
    }
    return copy;
}

// Some bytes as they are in the input.
static inline size_t fuzz_take_bytes(fuzz_input *input, uint8_t *bytes, size_t capacity)
{
    size_t size = take_u8(input) * (size_t)(take_u8(input) % 8 + 1);
    size = size < capacity ? size : capacity;
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)take_u8(input);
    }
    return size;
}

// Changes a few bytes and the length, now and then.
static inline size_t fuzz_damage(fuzz_input *input, uint8_t *bytes, size_t size, size_t capacity)
{
    uint32_t changes = take_u8(input);
    for (uint32_t i = 0; changes >= 128 && i < changes % 4 && size > 0; i++) {
        bytes[take_u32(input) % size] ^= (uint8_t)take_u8(input);
    }
    if (changes % 16 == 15) {
        size = take_u32(input) % (capacity + 1);
    }
    return size;
}

// A packet with a right tag and any type and data.
static inline size_t fuzz_packet(
    fuzz_input *input, uint32_t key_number, uint64_t sequence, uint8_t bytes[KN_UDP_DATAGRAM_MAX])
{
    uint8_t key[KN_UDP_KEY_SIZE], data[KN_UDP_PAYLOAD_MAX];
    fuzz_key(key, key_number);
    memset(data, 0, sizeof data);
    static const size_t sizes[] = {0, 0, 308, 308, 8, 1, 0};
    uint32_t type = 1 + take_below(input, 6);
    size_t size = sizes[type];
    if (take_rarely(input, 4)) {
        size = fuzz_take_bytes(input, data, sizeof data);
    }
    kni_udp_writing how = {FUZZ_PROTOCOL, key};
    return kni_udp_packet_write(&how, (kni_udp_type)type, sequence, data, size, bytes);
}

#endif
