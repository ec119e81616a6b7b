// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bytes as tokens, as the private part of one, as used tokens, and as the text of an address. What
// is read is written as the same bytes again.

#include "fuzz_udp.h"

static void token_read(const uint8_t *bytes, size_t size)
{
    uint8_t key[KN_UDP_KEY_SIZE];
    kn_token_info info;
    kn_token_secret secret;
    kn_error error;
    fuzz_key(key, 1);
    if (kn_token_read(bytes, size, &info, &error) == KN_OK) {
        fuzz_must(info.address_count >= 1 && info.address_count <= KN_UDP_TOKEN_ADDRESSES &&
                      info.create_time <= info.expire_time,
            "a token out of range");
    }
    (void)!kn_token_open(bytes, size, key, &secret, &error);
}

// The bytes over those of a good token, from a place of the input on.
static void token_patch(fuzz_input *input)
{
    kn_token token = fuzz_token_of(0, 2, 5);
    for (uint32_t i = 0; i < 4; i++) {
        token.bytes[take_u32(input) % sizeof token.bytes] ^= (uint8_t)take_u8(input);
    }
    token_read(token.bytes, sizeof token.bytes);
}

static void token_private(const uint8_t *bytes, size_t size)
{
    uint8_t plain[KNI_UDP_PRIVATE_SIZE] = {0}, again[KNI_UDP_PRIVATE_SIZE];
    memcpy(plain, bytes, size < KNI_UDP_PRIVATE_PLAIN ? size : KNI_UDP_PRIVATE_PLAIN);
    kn_token_secret secret, same;
    if (!kni_udp_private_read(plain, &secret)) {
        return;
    }
    kni_udp_private_write(&secret, again);
    fuzz_must(kni_udp_private_read(again, &same), "not read again");
    fuzz_must(
        secret.client_id == same.client_id && secret.timeout == same.timeout &&
            secret.address_count == same.address_count &&
            memcmp(secret.user_data, same.user_data, sizeof secret.user_data) == 0 &&
            memcmp(secret.server_to_client_key, same.server_to_client_key, KN_UDP_KEY_SIZE) == 0,
        "another token");
    for (uint32_t i = 0; i < secret.address_count; i++) {
        fuzz_must(kn_address_equal(&secret.addresses[i], &same.addresses[i]), "another address");
    }
}

static void token_address(const uint8_t *bytes, size_t size)
{
    char text[80] = {0}, printed[KN_ADDRESS_TEXT_SIZE];
    memcpy(text, bytes, size < sizeof text - 1 ? size : sizeof text - 1);
    kn_address address, again;
    kn_error error;
    if (kn_address_parse(text, &address, &error) != KN_OK) {
        fuzz_must(address.kind == KN_ADDRESS_NONE && error.message[0] != 0, "no message");
        return;
    }
    fuzz_must(kn_address_print(&address, printed, sizeof printed) < sizeof printed, "too long");
    fuzz_must(kn_address_parse(printed, &again, NULL) == KN_OK, "not read again");
    fuzz_must(kn_address_equal(&address, &again), "another address");
}

static void token_used(const uint8_t *bytes, size_t size)
{
    uint8_t key[KN_UDP_KEY_SIZE];
    fuzz_key(key, 1);
    kn_udp_server_def def = kn_udp_server_def_default();
    def.private_key = key;
    def.address = fuzz_address(200);
    def.slot_count = def.receive_capacity = def.pending_capacity = 1;
    def.used_capacity = 4;
    def.send_capacity = 4096;
    def.handshake_counters = 1;
    kn_udp_server *server;
    fuzz_must(kn_udp_server_create(&def, &server) == KN_OK, "no server");
    (void)!kn_udp_server_import_used(server, bytes, size, NULL);
    // With a right hash, as only a host could damage it.
    uint8_t *fixed = malloc(size + 8);
    fuzz_must(fixed != NULL, "no memory");
    kn_writer writer = {fixed, size + 8, 0};
    kn_write_bytes(&writer, bytes, size);
    kn_write_u64(&writer, kn_hash_bytes(0x75736564u, fixed, size));
    (void)!kn_udp_server_import_used(server, fixed, size + 8, NULL);
    free(fixed);
    kn_udp_server_destroy(server);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    fuzz_input input = {data + 1, size - 1};
    switch (data[0] % 5) {
    case 0:
        token_read(input.data, input.size);
        break;
    case 1:
        token_patch(&input);
        break;
    case 2:
        token_private(input.data, input.size);
        break;
    case 3:
        token_address(input.data, input.size);
        break;
    default:
        token_used(input.data, input.size);
        break;
    }
    return 0;
}
