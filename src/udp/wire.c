// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "wire.h"

#include <sodium.h>

const uint8_t kni_udp_version[KNI_UDP_VERSION_SIZE] = "NETCODE 1.02";

bool kni_udp_start(void)
{
    return sodium_init() >= 0;
}

kn_result kn_udp_random(void *bytes, size_t size)
{
    KN_ASSERT(bytes != NULL || size == 0);
    if (bytes == NULL) {
        return size == 0 ? KN_OK : KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_udp_start()) {
        memset(bytes, 0, size);
        return KN_ERROR_IO;
    }
    randombytes_buf(bytes, size);
    return KN_OK;
}

void kni_udp_write_address(kn_writer *writer, const kn_address *address)
{
    kn_write_u8(writer, (uint8_t)address->kind);
    if (address->kind == KN_ADDRESS_IPV4) {
        kn_write_bytes(writer, address->bytes, 4);
    } else {
        // Groups are numbers, and numbers are little-endian, unlike in any other protocol.
        for (uint32_t i = 0; i < 16; i += 2) {
            kn_write_u8(writer, address->bytes[i + 1]);
            kn_write_u8(writer, address->bytes[i]);
        }
    }
    kn_write_uint(writer, address->port, 2);
}

kn_address kni_udp_read_address(kn_reader *reader)
{
    kn_address address = {0};
    uint8_t kind = kn_read_u8(reader);
    if (kind == KN_ADDRESS_IPV4) {
        address.kind = KN_ADDRESS_IPV4;
        for (uint32_t i = 0; i < 4; i++) {
            address.bytes[i] = kn_read_u8(reader);
        }
    } else if (kind == KN_ADDRESS_IPV6) {
        address.kind = KN_ADDRESS_IPV6;
        for (uint32_t i = 0; i < 16; i += 2) {
            address.bytes[i + 1] = kn_read_u8(reader);
            address.bytes[i] = kn_read_u8(reader);
        }
    } else {
        reader->failed = true;
    }
    address.port = (uint16_t)kn_read_uint(reader, 2);
    return reader->failed ? (kn_address){0} : address;
}

uint32_t kni_udp_read_addresses(kn_reader *reader, kn_address addresses[KN_UDP_TOKEN_ADDRESSES])
{
    uint32_t count = kn_read_u32(reader);
    if (count == 0 || count > KN_UDP_TOKEN_ADDRESSES) {
        reader->failed = true;
    }
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        addresses[i] = kni_udp_read_address(reader);
    }
    return reader->failed ? 0 : count;
}

void kni_udp_token_data(
    uint64_t protocol_id, uint64_t expire_time, uint8_t data[KNI_UDP_TOKEN_DATA_SIZE])
{
    kn_writer writer = {data, KNI_UDP_TOKEN_DATA_SIZE, 0};
    kn_write_bytes(&writer, kni_udp_version, KNI_UDP_VERSION_SIZE);
    kn_write_u64(&writer, protocol_id);
    kn_write_u64(&writer, expire_time);
}

void kni_udp_packet_data(
    uint64_t protocol_id, uint8_t prefix, uint8_t data[KNI_UDP_PACKET_DATA_SIZE])
{
    kn_writer writer = {data, KNI_UDP_PACKET_DATA_SIZE, 0};
    kn_write_bytes(&writer, kni_udp_version, KNI_UDP_VERSION_SIZE);
    kn_write_u64(&writer, protocol_id);
    kn_write_u8(&writer, prefix);
}

void kni_udp_nonce(uint64_t sequence, uint8_t nonce[KNI_UDP_PACKET_NONCE_SIZE])
{
    kn_writer writer = {nonce, KNI_UDP_PACKET_NONCE_SIZE, 0};
    kn_write_u32(&writer, 0);
    kn_write_u64(&writer, sequence);
}

kn_time kni_udp_timeout(int32_t seconds)
{
    return seconds > 0 ? KN_S(seconds) : KN_TIME_INFINITE;
}
