// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "token.h"

#include <sodium.h>

// The private part ------------------------------------------------------------

void kni_udp_private_write(const kn_token_secret *secret, uint8_t plain[KNI_UDP_PRIVATE_SIZE])
{
    memset(plain, 0, KNI_UDP_PRIVATE_SIZE);
    kn_writer writer = {plain, KNI_UDP_PRIVATE_PLAIN, 0};
    kn_write_u64(&writer, secret->client_id);
    kn_write_u32(&writer, (uint32_t)secret->timeout);
    kn_write_u32(&writer, secret->address_count);
    for (uint32_t i = 0; i < secret->address_count; i++) {
        kni_udp_write_address(&writer, &secret->addresses[i]);
    }
    kn_write_bytes(&writer, secret->client_to_server_key, KN_UDP_KEY_SIZE);
    kn_write_bytes(&writer, secret->server_to_client_key, KN_UDP_KEY_SIZE);
    kn_write_bytes(&writer, secret->user_data, KN_UDP_USER_DATA_SIZE);
    KN_ASSERT(writer.length <= writer.size);
}

static void token_read_block(kn_reader *reader, uint8_t *block, size_t size)
{
    const uint8_t *bytes = kn_read_bytes(reader, size);
    if (bytes != NULL) {
        memcpy(block, bytes, size);
    }
}

bool kni_udp_private_read(const uint8_t plain[KNI_UDP_PRIVATE_SIZE], kn_token_secret *secret)
{
    kn_reader reader = {plain, KNI_UDP_PRIVATE_PLAIN, 0, false, false};
    *secret = (kn_token_secret){0};
    secret->client_id = kn_read_u64(&reader);
    secret->timeout = (int32_t)kn_read_u32(&reader);
    secret->address_count = kni_udp_read_addresses(&reader, secret->addresses);
    token_read_block(&reader, secret->client_to_server_key, KN_UDP_KEY_SIZE);
    token_read_block(&reader, secret->server_to_client_key, KN_UDP_KEY_SIZE);
    token_read_block(&reader, secret->user_data, KN_UDP_USER_DATA_SIZE);
    if (reader.failed) {
        sodium_memzero(secret, sizeof *secret);
    }
    return !reader.failed;
}

void kni_udp_private_seal(uint8_t bytes[KNI_UDP_PRIVATE_SIZE], const uint8_t *private_key,
    const uint8_t *nonce, uint64_t protocol_id, uint64_t expire_time)
{
    uint8_t data[KNI_UDP_TOKEN_DATA_SIZE];
    kni_udp_token_data(protocol_id, expire_time, data);
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt(
        bytes, NULL, bytes, KNI_UDP_PRIVATE_PLAIN, data, sizeof data, NULL, nonce, private_key);
}

bool kni_udp_private_open(const uint8_t bytes[KNI_UDP_PRIVATE_SIZE], const uint8_t *private_key,
    const uint8_t *nonce, uint64_t protocol_id, uint64_t expire_time,
    uint8_t plain[KNI_UDP_PRIVATE_SIZE])
{
    uint8_t data[KNI_UDP_TOKEN_DATA_SIZE];
    kni_udp_token_data(protocol_id, expire_time, data);
    memset(plain, 0, KNI_UDP_PRIVATE_SIZE);
    return crypto_aead_xchacha20poly1305_ietf_decrypt(plain, NULL, NULL, bytes,
               KNI_UDP_PRIVATE_SIZE, data, sizeof data, nonce, private_key) == 0;
}

// Making ----------------------------------------------------------------------

kn_token_def kn_token_def_default(void)
{
    return (kn_token_def){.lifetime = 45, .timeout = 5, .cookie = KN_COOKIE};
}

static kn_result token_check_addresses(
    const char *field, const kn_address *addresses, uint32_t count, kn_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (addresses[i].kind != KN_ADDRESS_IPV4 && addresses[i].kind != KN_ADDRESS_IPV6) {
            return kn_error_set(error, KN_ERROR_BAD_DATA,
                "%s: number %u is not an address: set its kind", field, i);
        }
    }
    return KN_OK;
}

static kn_result token_check(const kn_token_def *def, kn_error *error)
{
    if (def->address_count == 0 || def->address_count > KN_UDP_TOKEN_ADDRESSES) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "address_count is %u: give 1 to %u addresses",
            def->address_count, (uint32_t)KN_UDP_TOKEN_ADDRESSES);
    }
    if (def->timeout == 0) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "timeout is 0: give seconds, or a negative number for no timeout");
    }
    if (def->lifetime != KN_TOKEN_NEVER_EXPIRES && def->lifetime > UINT64_MAX - def->create_time) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "lifetime is too long: give seconds, or KN_TOKEN_NEVER_EXPIRES");
    }
    kn_result result =
        token_check_addresses("addresses", def->addresses, def->address_count, error);
    if (result == KN_OK && def->private_addresses != NULL) {
        result = token_check_addresses(
            "private_addresses", def->private_addresses, def->address_count, error);
    }
    return result;
}

// The given bytes, or random ones.
static void token_take(uint8_t *bytes, size_t size, const uint8_t *given)
{
    if (given != NULL) {
        memcpy(bytes, given, size);
    } else {
        randombytes_buf(bytes, size);
    }
}

static void token_fill_secret(const kn_token_def *def, kn_token_secret *secret)
{
    *secret = (kn_token_secret){
        .client_id = def->client_id, .timeout = def->timeout, .address_count = def->address_count};
    const kn_address *addresses =
        def->private_addresses != NULL ? def->private_addresses : def->addresses;
    memcpy(secret->addresses, addresses, def->address_count * sizeof *addresses);
    token_take(secret->client_to_server_key, KN_UDP_KEY_SIZE, def->client_to_server_key);
    token_take(secret->server_to_client_key, KN_UDP_KEY_SIZE, def->server_to_client_key);
    if (def->user_data != NULL) {
        memcpy(secret->user_data, def->user_data, KN_UDP_USER_DATA_SIZE);
    }
}

static void token_write(const kn_token_def *def, const kn_token_secret *secret, kn_token *token)
{
    uint64_t expire_time =
        def->lifetime == KN_TOKEN_NEVER_EXPIRES ? UINT64_MAX : def->create_time + def->lifetime;
    uint8_t nonce[KN_UDP_NONCE_SIZE];
    uint8_t sealed[KNI_UDP_PRIVATE_SIZE];
    token_take(nonce, sizeof nonce, def->nonce);
    kni_udp_private_write(secret, sealed);
    kni_udp_private_seal(sealed, def->private_key, nonce, def->protocol_id, expire_time);

    memset(token->bytes, 0, sizeof token->bytes);
    kn_writer writer = {token->bytes, sizeof token->bytes, 0};
    kn_write_bytes(&writer, kni_udp_version, KNI_UDP_VERSION_SIZE);
    kn_write_u64(&writer, def->protocol_id);
    kn_write_u64(&writer, def->create_time);
    kn_write_u64(&writer, expire_time);
    kn_write_bytes(&writer, nonce, sizeof nonce);
    kn_write_bytes(&writer, sealed, sizeof sealed);
    kn_write_u32(&writer, (uint32_t)def->timeout);
    kn_write_u32(&writer, def->address_count);
    for (uint32_t i = 0; i < def->address_count; i++) {
        kni_udp_write_address(&writer, &def->addresses[i]);
    }
    kn_write_bytes(&writer, secret->client_to_server_key, KN_UDP_KEY_SIZE);
    kn_write_bytes(&writer, secret->server_to_client_key, KN_UDP_KEY_SIZE);
    KN_ASSERT(writer.length <= writer.size);
}

kn_result kn_token_make(const kn_token_def *def, kn_token *token, kn_error *error)
{
    KN_ASSERT_DEF(def, kn_token_def);
    KN_ASSERT(token != NULL);
    if (token == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    memset(token, 0, sizeof *token);
    if (def == NULL || def->cookie != KN_COOKIE) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    KN_ASSERT(def->private_key != NULL && (def->addresses != NULL || def->address_count == 0));
    if (def->private_key == NULL || (def->addresses == NULL && def->address_count > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = token_check(def, error);
    if (result != KN_OK) {
        return result;
    }
    if (!kni_udp_start()) {
        return kn_error_set(error, KN_ERROR_IO, "the system has no random numbers");
    }
    kn_token_secret secret;
    token_fill_secret(def, &secret);
    token_write(def, &secret, token);
    sodium_memzero(&secret, sizeof secret);
    return KN_OK;
}

// Reading ---------------------------------------------------------------------

bool kni_udp_token_read(
    const uint8_t *bytes, size_t size, kn_token_info *info, kni_udp_token_keys *keys)
{
    kn_reader reader = {bytes, size, 0, size != KN_UDP_TOKEN_SIZE, false};
    *info = (kn_token_info){0};
    *keys = (kni_udp_token_keys){0};
    const uint8_t *version = kn_read_bytes(&reader, KNI_UDP_VERSION_SIZE);
    if (version == NULL || memcmp(version, kni_udp_version, KNI_UDP_VERSION_SIZE) != 0) {
        return false;
    }
    info->protocol_id = kn_read_u64(&reader);
    info->create_time = kn_read_u64(&reader);
    info->expire_time = kn_read_u64(&reader);
    (void)kn_read_bytes(&reader, KN_UDP_NONCE_SIZE + KNI_UDP_PRIVATE_SIZE);
    info->timeout = (int32_t)kn_read_u32(&reader);
    info->address_count = kni_udp_read_addresses(&reader, info->addresses);
    token_read_block(&reader, keys->client_to_server, KN_UDP_KEY_SIZE);
    token_read_block(&reader, keys->server_to_client, KN_UDP_KEY_SIZE);
    if (reader.failed || info->create_time > info->expire_time) {
        *info = (kn_token_info){0};
        sodium_memzero(keys, sizeof *keys);
        return false;
    }
    return true;
}

kn_result kn_token_read(const void *token, size_t size, kn_token_info *info, kn_error *error)
{
    KN_ASSERT(token != NULL && info != NULL);
    if (info == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *info = (kn_token_info){0};
    if (token == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_udp_token_keys keys;
    if (!kni_udp_token_read(token, size, info, &keys)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "this is not a token of netcode 1.02: get one from the back end");
    }
    sodium_memzero(&keys, sizeof keys);
    return KN_OK;
}

kn_result kn_token_open(const void *token, size_t size, const uint8_t *private_key,
    kn_token_secret *secret, kn_error *error)
{
    KN_ASSERT(private_key != NULL && secret != NULL);
    if (secret == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *secret = (kn_token_secret){0};
    if (private_key == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_token_info info;
    kn_result result = kn_token_read(token, size, &info, error);
    if (result != KN_OK) {
        return result;
    }
    const uint8_t *bytes = token;
    uint8_t plain[KNI_UDP_PRIVATE_SIZE];
    bool is_good = kni_udp_start() &&
                   kni_udp_private_open(bytes + KNI_UDP_TOKEN_PRIVATE_AT, private_key,
                       bytes + KNI_UDP_TOKEN_NONCE_AT, info.protocol_id, info.expire_time, plain) &&
                   kni_udp_private_read(plain, secret);
    sodium_memzero(plain, sizeof plain);
    if (!is_good) {
        return kn_error_set(error, KN_ERROR_BAD_DATA, "the private key does not open this token");
    }
    return KN_OK;
}
