// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/hash.h"

#include "knack/tools.h"

uint64_t kni_hash_end(const kni_hash *hash)
{
    uint64_t mixed = kni_hash_fold(hash->a ^ KNI_HASH_K2, hash->b ^ KNI_HASH_K3);
    return kni_hash_fold(mixed ^ hash->a, KNI_HASH_K0) ^ hash->b;
}

uint64_t kn_hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
    kni_hash hash = kni_hash_begin(seed);
    kni_hash_bytes(&hash, bytes, size);
    return kni_hash_end(&hash);
}
