// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A walk over 1024 numbers of 32 bits takes about as long as one look into a hash map that is not
// in the cache, and cannot degrade.

#include "index.h"

bool kni_udp_index_init(kni_udp_index *index, const kn_hooks *hooks, uint32_t count)
{
    *index = (kni_udp_index){.count = count};
    index->keys = kn_memory_resize(hooks, NULL, 0, count * sizeof *index->keys);
    if (index->keys == NULL) {
        return false;
    }
    memset(index->keys, 0, count * sizeof *index->keys);
    randombytes_buf(index->secret, sizeof index->secret);
    return true;
}

void kni_udp_index_free(kni_udp_index *index, const kn_hooks *hooks)
{
    kn_memory_free(hooks, index->keys, index->count * sizeof *index->keys);
    *index = (kni_udp_index){0};
}

uint32_t kni_udp_index_key(const kni_udp_index *index, const kn_address *address)
{
    uint8_t bytes[19], hash[crypto_shorthash_BYTES];
    kn_writer writer = {bytes, sizeof bytes, 0};
    kn_write_u8(&writer, (uint8_t)address->kind);
    kn_write_uint(&writer, address->port, 2);
    kn_write_bytes(&writer, address->bytes, address->kind == KN_ADDRESS_IPV4 ? 4 : 16);
    (void)crypto_shorthash(hash, bytes, writer.length, index->secret);
    kn_reader reader = {hash, sizeof hash, 0, false, false};
    uint32_t key = kn_read_u32(&reader);
    return key != 0 ? key : 1;
}

uint32_t kni_udp_index_find(const kni_udp_index *index, uint32_t key, uint32_t start)
{
    for (uint32_t i = start; i < index->count; i++) {
        if (index->keys[i] == key) {
            return i;
        }
    }
    return KNI_UDP_INDEX_NONE;
}
