// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A 64-bit hash of a stream of values, the same on every machine: values enter as numbers or as
// little-endian bytes. For noticing that two states differ, not against people who want a
// collision. The same bytes cut into other pieces give another hash.
//
// Each step folds a 64 x 64 -> 128 bit product into one of two accumulators and swaps them, so
// that the multiplication of one step overlaps with that of the next.
#ifndef KNI_HASH_H
#define KNI_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct kni_hash {
    uint64_t a;
    uint64_t b;
} kni_hash;

// Odd numbers with about as many ones as zeros and no pattern: digits of square roots.
#define KNI_HASH_K0 0x6a09e667f3bcc909u
#define KNI_HASH_K1 0xbb67ae8584caa73bu
#define KNI_HASH_K2 0x3c6ef372fe94f82bu
#define KNI_HASH_K3 0xa54ff53a5f1d36f1u

// Low half xor high half of the product, from 32-bit parts.
static inline uint64_t kni_hash_fold_portable(uint64_t x, uint64_t y)
{
    uint64_t x0 = x & UINT32_MAX, x1 = x >> 32;
    uint64_t y0 = y & UINT32_MAX, y1 = y >> 32;
    uint64_t low = x0 * y0;
    uint64_t middle = x1 * y0 + (low >> 32); // at most (2^32 - 1)^2 + 2^32 - 1: fits
    uint64_t cross = x0 * y1 + (middle & UINT32_MAX);
    uint64_t high = x1 * y1 + (middle >> 32) + (cross >> 32);
    return (cross << 32 | (low & UINT32_MAX)) ^ high;
}

static inline uint64_t kni_hash_fold(uint64_t x, uint64_t y)
{
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)x * y;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
#else
    return kni_hash_fold_portable(x, y);
#endif
}

static inline kni_hash kni_hash_begin(uint64_t seed)
{
    return (kni_hash){seed ^ KNI_HASH_K2, kni_hash_fold(seed ^ KNI_HASH_K0, KNI_HASH_K1)};
}

static inline void kni_hash_u64(kni_hash *hash, uint64_t value)
{
    uint64_t folded = kni_hash_fold(hash->a ^ value, KNI_HASH_K0);
    hash->a = hash->b;
    hash->b = folded;
}

// Two values for the price of one; not the same as one after the other.
static inline void kni_hash_pair(kni_hash *hash, uint64_t first, uint64_t second)
{
    uint64_t folded = kni_hash_fold(hash->a ^ first, second ^ KNI_HASH_K1);
    hash->a = hash->b;
    hash->b = folded;
}

static inline void kni_hash_u32(kni_hash *hash, uint32_t value)
{
    kni_hash_u64(hash, value);
}

// By bit pattern: 0 and -0 differ.
static inline void kni_hash_f32(kni_hash *hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    kni_hash_u64(hash, bits);
}

static inline uint64_t kni_hash_load64(const uint8_t *bytes)
{
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

static inline uint64_t kni_hash_load32(const uint8_t *bytes)
{
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap32(word);
#endif
    return word;
}

// 64 bytes at once, 32 from each place: four products that do not wait for one another.
static inline void kni_hash_block(
    kni_hash *hash, const uint8_t *front, const uint8_t *back, uint64_t extra)
{
    // What does not depend on the accumulators comes first, off the critical path.
    uint64_t w0 = kni_hash_load64(front) ^ extra, w1 = kni_hash_load64(front + 8) ^ KNI_HASH_K0;
    uint64_t w2 = kni_hash_load64(front + 16), w3 = kni_hash_load64(front + 24) ^ KNI_HASH_K1;
    uint64_t w4 = kni_hash_load64(back), w5 = kni_hash_load64(back + 8) ^ KNI_HASH_K2;
    uint64_t w6 = kni_hash_load64(back + 16), w7 = kni_hash_load64(back + 24) ^ KNI_HASH_K3;
    uint64_t a = hash->a, b = hash->b;
    hash->a = kni_hash_fold(a ^ w0, w1) + kni_hash_fold(a ^ w4, w5);
    hash->b = kni_hash_fold(b ^ w2, w3) + kni_hash_fold(b ^ w6, w7);
}

// At most 64 bytes. Words overlap where they must; `extra` holds the size, which keeps the
// different cases apart.
static inline void kni_hash_rest(kni_hash *hash, const uint8_t *bytes, size_t size, uint64_t extra)
{
    const uint8_t *end = bytes + size;
    if (size > 32) {
        kni_hash_block(hash, bytes, end - 32, extra);
    } else if (size > 16) {
        kni_hash_pair(hash, kni_hash_load64(bytes) ^ extra, kni_hash_load64(bytes + 8));
        kni_hash_pair(hash, kni_hash_load64(end - 16), kni_hash_load64(end - 8));
    } else if (size >= 8) {
        kni_hash_pair(hash, kni_hash_load64(bytes) ^ extra, kni_hash_load64(end - 8));
    } else if (size >= 4) {
        kni_hash_pair(hash, kni_hash_load32(bytes) ^ extra, kni_hash_load32(end - 4));
    } else if (size > 0) {
        uint64_t rest = (uint64_t)bytes[size >> 1] << 8 | bytes[size - 1];
        kni_hash_pair(hash, bytes[0] ^ extra, rest);
    } else {
        kni_hash_pair(hash, extra, 0);
    }
}

// Inline because callers mostly know `size`, which leaves loads and multiplications only.
static inline void kni_hash_bytes(kni_hash *hash, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    // Spread over all bits: taken plainly, another first byte could make up for another size.
    uint64_t extra = size * KNI_HASH_K3;
    while (size > 64) {
        kni_hash_block(hash, bytes, bytes + 32, 0);
        bytes += 64;
        size -= 64;
    }
    kni_hash_rest(hash, bytes, size, extra);
}

static inline void kni_hash_str(kni_hash *hash, const char *text)
{
    kni_hash_bytes(hash, text, strlen(text));
}

// The hash of everything so far. More may be added afterwards.
uint64_t kni_hash_end(const kni_hash *hash);

#endif
