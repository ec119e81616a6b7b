// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A plain list that is searched from end to end: only who holds a token of the back end gets so
// far, and decrypting that token took longer.

#include "used.h"

#include "server.h"

bool kni_udp_used_init(kni_udp_used *used, const kn_hooks *hooks, uint32_t capacity)
{
    *used = (kni_udp_used){.capacity = capacity, .next_number = 1};
    used->tokens = kn_memory_resize(hooks, NULL, 0, capacity * sizeof *used->tokens);
    if (used->tokens == NULL) {
        return false;
    }
    kni_udp_used_clear(used);
    return true;
}

void kni_udp_used_free(kni_udp_used *used, const kn_hooks *hooks)
{
    kn_memory_free(hooks, used->tokens, used->capacity * sizeof *used->tokens);
    *used = (kni_udp_used){0};
}

void kni_udp_used_clear(kni_udp_used *used)
{
    memset(used->tokens, 0, used->capacity * sizeof *used->tokens);
}

kni_udp_used_token *kni_udp_used_find(kni_udp_used *used, const uint8_t tag[KNI_UDP_TAG_SIZE])
{
    for (uint32_t i = 0; i < used->capacity; i++) {
        kni_udp_used_token *token = &used->tokens[i];
        if (token->number != 0 && memcmp(token->tag, tag, KNI_UDP_TAG_SIZE) == 0) {
            return token;
        }
    }
    return NULL;
}

// A free entry, one whose token expired, or the one that was seen first.
static kni_udp_used_token *used_entry(kni_udp_used *used, uint64_t wall)
{
    kni_udp_used_token *oldest = &used->tokens[0];
    for (uint32_t i = 0; i < used->capacity; i++) {
        kni_udp_used_token *token = &used->tokens[i];
        if (token->number == 0 || token->expire_time <= wall) {
            return token;
        }
        if (token->number < oldest->number) {
            oldest = token;
        }
    }
    used->forgotten++;
    return oldest;
}

void kni_udp_used_add(kni_udp_used *used, const kni_udp_used_token *token, uint64_t wall)
{
    kni_udp_used_token *entry = used_entry(used, wall);
    *entry = *token;
    entry->number = used->next_number++;
}

// Export and import -----------------------------------------------------------

// Version, count, and for each token its tag and expiry. A hash at the end notices damage.
#define USED_VERSION 1u
#define USED_FRONT 8
#define USED_ENTRY (KNI_UDP_TAG_SIZE + 8)
#define USED_HASH_SEED 0x75736564u

kn_result kn_udp_server_export_used(
    const kn_udp_server *server, uint64_t wall, void *bytes, size_t size, size_t *length)
{
    KN_ASSERT(server != NULL && length != NULL && (bytes != NULL || size == 0));
    if (server == NULL || length == NULL || (bytes == NULL && size > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    const kni_udp_used *used = &server->used;
    uint32_t count = 0;
    for (uint32_t i = 0; i < used->capacity; i++) {
        count += used->tokens[i].number != 0 && used->tokens[i].expire_time > wall;
    }
    *length = USED_FRONT + (size_t)count * USED_ENTRY + 8;
    if (size < *length) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    kn_writer writer = {bytes, size, 0};
    kn_write_u32(&writer, USED_VERSION);
    kn_write_u32(&writer, count);
    for (uint32_t i = 0; i < used->capacity; i++) {
        const kni_udp_used_token *token = &used->tokens[i];
        if (token->number != 0 && token->expire_time > wall) {
            kn_write_bytes(&writer, token->tag, KNI_UDP_TAG_SIZE);
            kn_write_u64(&writer, token->expire_time);
        }
    }
    kn_write_u64(&writer, kn_hash_bytes(USED_HASH_SEED, bytes, writer.length));
    return KN_OK;
}

// Makes room by dropping what expires first, the new token included.
static void used_import(kni_udp_used *used, const kni_udp_used_token *token)
{
    kni_udp_used_token *first = &used->tokens[0];
    for (uint32_t i = 0; i < used->capacity && first->number != 0; i++) {
        kni_udp_used_token *entry = &used->tokens[i];
        if (entry->number == 0 || entry->expire_time < first->expire_time) {
            first = entry;
        }
    }
    if (first->number != 0) {
        used->forgotten++;
        if (first->expire_time >= token->expire_time) {
            return;
        }
    }
    *first = *token;
    first->number = used->next_number++;
}

static bool used_is_whole(const uint8_t *bytes, size_t size, uint32_t *count)
{
    kn_reader reader = {bytes, size, 0, false, false};
    uint32_t version = kn_read_u32(&reader);
    *count = kn_read_u32(&reader);
    if (reader.failed || version != USED_VERSION || size < USED_FRONT + 8 ||
        (size - USED_FRONT - 8) / USED_ENTRY != *count ||
        (size - USED_FRONT - 8) % USED_ENTRY != 0) {
        return false;
    }
    reader.at = size - 8;
    return kn_read_u64(&reader) == kn_hash_bytes(USED_HASH_SEED, bytes, size - 8);
}

kn_result kn_udp_server_import_used(
    kn_udp_server *server, const void *bytes, size_t size, kn_error *error)
{
    KN_ASSERT(server != NULL && bytes != NULL);
    if (server == NULL || bytes == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t count;
    if (!used_is_whole(bytes, size, &count)) {
        return kn_error_set(error, KN_ERROR_BAD_DATA,
            "these are not used tokens as kn_udp_server_export_used() writes them");
    }
    kn_reader reader = {bytes, size, USED_FRONT, false, false};
    for (uint32_t i = 0; i < count; i++) {
        kni_udp_used_token token = {.is_spent = true};
        memcpy(token.tag, kn_read_bytes(&reader, KNI_UDP_TAG_SIZE), KNI_UDP_TAG_SIZE);
        token.expire_time = kn_read_u64(&reader);
        kni_udp_used_token *known = kni_udp_used_find(&server->used, token.tag);
        if (known != NULL) {
            known->address = (kn_address){0};
        } else {
            used_import(&server->used, &token);
        }
    }
    return KN_OK;
}
