// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Three invariants carry this file. A bit of `full` or `full_full` is set exactly when all 64 bits
// it stands for are, so bits that stand for nothing are clear. Free records below `used` are all
// zero, so that taking one again need not clear it; memory above `used` has never been
// touched. And no word of `live` before `room` has a free bit, so that in the common case the
// lowest free slot is found in one word.

#include "base/pool.h"

#include <string.h>

#define POOL_FIRST_CAPACITY 8
#define POOL_SMALL_MAX 64 // larger capacities are multiples of 64
#define POOL_LINE 64      // bytes of a cache line

// How many words a bitmap of each level takes for `capacity` slots.
typedef struct pool_words {
    uint32_t live;
    uint32_t full;
    uint32_t full_full;
} pool_words;

static pool_words pool_words_for(uint32_t capacity)
{
    pool_words words = {.live = (capacity + 63) / 64};
    words.full = (words.live + 63) / 64;
    words.full_full = (words.full + 63) / 64;
    return words;
}

static size_t pool_bitmap_size(uint32_t capacity)
{
    pool_words words = pool_words_for(capacity);
    return ((size_t)words.live + words.full + words.full_full) * sizeof(uint64_t);
}

static size_t pool_block_size(const kni_pool *pool, uint32_t capacity)
{
    return capacity > 0 ? (size_t)capacity * pool->record_size + POOL_LINE : 0;
}

static uint32_t pool_used_words(uint32_t used)
{
    return (used + 63) / 64;
}

void kni_pool_init(kni_pool *pool, uint32_t record_size)
{
    KN_ASSERT(record_size > 0);
    *pool = (kni_pool){.record_size = record_size};
}

void kni_pool_free(kni_pool *pool, kni_memory *memory)
{
    kni_free(memory, pool->block, pool_block_size(pool, pool->capacity));
    kni_free(memory, pool->live, pool_bitmap_size(pool->capacity));
    kni_pool_init(pool, pool->record_size);
}

void kni_pool_move(kni_pool *pool, kni_memory *memory)
{
    size_t size = pool_block_size(pool, pool->capacity);
    uint8_t *block = pool->capacity != 0 ? kni_realloc(memory, NULL, 0, size) : NULL;
    if (block == NULL) {
        return;
    }
    uint8_t *records = block + -(uintptr_t)block % POOL_LINE;
    memcpy(records, pool->records, (size_t)pool->used * pool->record_size);
    kni_free(memory, pool->block, size);
    pool->block = block;
    pool->records = records;
}

static bool pool_set_capacity(kni_pool *pool, kni_memory *memory, uint32_t capacity)
{
    KN_ASSERT(capacity > pool->capacity && pool->used <= pool->capacity);
    if (capacity > (SIZE_MAX - POOL_LINE) / pool->record_size) {
        return false;
    }
    uint64_t *live = kni_realloc(memory, NULL, 0, pool_bitmap_size(capacity));
    if (live == NULL) {
        return false;
    }
    size_t old_offset = (size_t)(pool->records - pool->block);
    uint8_t *block = kni_realloc(memory, pool->block, pool_block_size(pool, pool->capacity),
        pool_block_size(pool, capacity));
    if (block == NULL) {
        kni_free(memory, live, pool_bitmap_size(capacity));
        return false;
    }
    size_t offset = -(uintptr_t)block % POOL_LINE;
    if (offset != old_offset && pool->used > 0) {
        memmove(block + offset, block + old_offset, (size_t)pool->used * pool->record_size);
    }

    pool_words old_words = pool_words_for(pool->capacity);
    pool_words words = pool_words_for(capacity);
    uint64_t *full = live + words.live;
    uint64_t *full_full = full + words.full;
    memset(live, 0, pool_bitmap_size(capacity));
    if (pool->capacity != 0) {
        memcpy(live, pool->live, old_words.live * sizeof *live);
        memcpy(full, pool->full, old_words.full * sizeof *full);
        memcpy(full_full, pool->full_full, old_words.full_full * sizeof *full_full);
        kni_free(memory, pool->live, pool_bitmap_size(pool->capacity));
    }
    pool->block = block;
    pool->records = block + offset;
    pool->live = live;
    pool->full = full;
    pool->full_full = full_full;
    pool->capacity = capacity;
    return true;
}

bool kni_pool_reserve(kni_pool *pool, kni_memory *memory, uint32_t count)
{
    if (count <= pool->capacity) {
        return true;
    }
    if (count > KNI_POOL_MAX) {
        return false;
    }
    uint32_t capacity = pool->capacity * 2; // at most 2^31
    if (capacity < POOL_FIRST_CAPACITY) {
        capacity = POOL_FIRST_CAPACITY;
    }
    if (capacity > KNI_POOL_MAX) {
        capacity = KNI_POOL_MAX;
    }
    if (capacity < count) {
        capacity = count <= POOL_SMALL_MAX ? (count + 7) & ~7u : (count + 63) & ~63u;
    }
    return pool_set_capacity(pool, memory, capacity);
}

// Marks a word of `live` as full, and what that fills above it.
static void pool_mark_full(kni_pool *pool, uint32_t word)
{
    uint32_t up = word >> 6;
    KN_ASSERT(pool->live[word] == UINT64_MAX);
    pool->full[up] |= (uint64_t)1 << (word & 63);
    if (pool->full[up] == UINT64_MAX) {
        pool->full_full[up >> 6] |= (uint64_t)1 << (up & 63);
    }
}

static void pool_take(kni_pool *pool, uint32_t slot)
{
    uint32_t word = slot >> 6;
    KN_ASSERT(slot < pool->used && (pool->live[word] >> (slot & 63) & 1) == 0);
    pool->live[word] |= (uint64_t)1 << (slot & 63);
    pool->count++;
    if (pool->live[word] == UINT64_MAX) {
        pool_mark_full(pool, word);
    }
}

// The lowest word of `live` with a free bit. There must be one.
static uint32_t pool_find_room(const kni_pool *pool)
{
    KN_ASSERT(pool->count < pool->capacity);
    // `room` is a lower bound, so every word of `full_full` before its own is full as well.
    uint32_t top = pool->room >> 12;
    while (pool->full_full[top] == UINT64_MAX) {
        top++;
    }
    uint32_t up = top * 64 + kni_bit_lowest(~pool->full_full[top]);
    return up * 64 + kni_bit_lowest(~pool->full[up]);
}

uint32_t kni_pool_acquire(kni_pool *pool, kni_memory *memory)
{
    if (pool->count == pool->capacity && !kni_pool_reserve(pool, memory, pool->count + 1)) {
        return KNI_NONE;
    }
    uint32_t word = pool->room;
    KN_ASSERT(word * 64 < pool->capacity);
    if (pool->live[word] == UINT64_MAX) {
        word = pool_find_room(pool);
        pool->room = word;
    }
    uint64_t bits = pool->live[word];
    uint32_t slot = word * 64 + kni_bit_lowest(~bits);
    KN_ASSERT(slot < pool->capacity && slot <= pool->used);
    bits |= bits + 1; // sets the lowest clear bit
    pool->live[word] = bits;
    pool->count++;
    if (bits == UINT64_MAX) {
        pool_mark_full(pool, word);
        // The next word is mostly the next to have room; at the end, find_room starts over here.
        pool->room = (word + 1) * 64 < pool->capacity ? word + 1 : word;
    }
    if (slot >= pool->used) { // slot == used: everything below was taken
        memset(kni_pool_at(pool, slot), 0, pool->record_size);
        pool->used = slot + 1;
    }
    return slot;
}

bool kni_pool_acquire_at(kni_pool *pool, kni_memory *memory, uint32_t slot)
{
    KN_ASSERT(!kni_pool_is_live(pool, slot));
    if (slot >= KNI_POOL_MAX || !kni_pool_reserve(pool, memory, slot + 1)) {
        return false;
    }
    if (slot >= pool->used) {
        size_t count = (size_t)slot + 1 - pool->used;
        memset(kni_pool_at(pool, pool->used), 0, count * pool->record_size);
        pool->used = slot + 1;
    }
    pool_take(pool, slot);
    return true;
}

uint32_t kni_pool_acquire_from(kni_pool *pool, kni_memory *memory, uint32_t first)
{
    uint32_t slot = first;
    for (uint32_t word = first >> 6; slot < pool->used; word++) {
        uint64_t taken = pool->live[word];
        taken |= word == first >> 6 ? ((uint64_t)1 << (first & 63)) - 1 : 0;
        if (taken != UINT64_MAX) {
            slot = word * 64 + kni_bit_lowest(~taken);
            break;
        }
        slot = (word + 1) * 64;
    }
    return kni_pool_acquire_at(pool, memory, slot) ? slot : KNI_NONE;
}

void kni_pool_release(kni_pool *pool, uint32_t slot)
{
    KN_ASSERT(kni_pool_is_live(pool, slot));
    KN_ASSERT(pool->count > 0);
    uint32_t word = slot >> 6;
    if (pool->live[word] == UINT64_MAX) {
        pool->full[word >> 6] &= ~((uint64_t)1 << (word & 63));
        pool->full_full[word >> 12] &= ~((uint64_t)1 << (word >> 6 & 63));
    }
    pool->live[word] &= ~((uint64_t)1 << (slot & 63));
    pool->count--;
    pool->room = word < pool->room ? word : pool->room;
    memset(kni_pool_at(pool, slot), 0, pool->record_size);
}

void kni_pool_clear(kni_pool *pool)
{
    if (pool->capacity != 0) {
        memset(pool->live, 0, pool_bitmap_size(pool->capacity));
    }
    pool->used = 0;
    pool->count = 0;
    pool->room = 0;
}

uint32_t kni_pool_next(const kni_pool *pool, uint32_t slot)
{
    if (slot >= pool->used) {
        return KNI_NONE;
    }
    uint32_t word = slot >> 6;
    uint64_t bits = pool->live[word] & UINT64_MAX << (slot & 63);
    uint32_t end = pool_used_words(pool->used);
    while (bits == 0) {
        if (++word == end) {
            return KNI_NONE;
        }
        bits = pool->live[word];
    }
    return word * 64 + kni_bit_lowest(bits);
}

typedef struct pool_header {
    uint32_t used;
    uint32_t count;
} pool_header;

size_t kni_pool_snapshot_size(const kni_pool *pool)
{
    return sizeof(pool_header) + pool_used_words(pool->used) * sizeof(uint64_t) +
           (size_t)pool->used * pool->record_size;
}

uint8_t *kni_pool_snapshot(const kni_pool *pool, uint8_t *out)
{
    pool_header header = {.used = pool->used, .count = pool->count};
    memcpy(out, &header, sizeof header);
    out += sizeof header;
    if (pool->used == 0) {
        return out;
    }
    size_t live_size = pool_used_words(pool->used) * sizeof(uint64_t);
    memcpy(out, pool->live, live_size);
    out += live_size;
    size_t records_size = (size_t)pool->used * pool->record_size;
    memcpy(out, pool->records, records_size);
    return out + records_size;
}

// Computes the upper levels from `live`, whose words beyond `used` are clear.
static void pool_rebuild(kni_pool *pool)
{
    pool_words words = pool_words_for(pool->capacity);
    memset(pool->full, 0, ((size_t)words.full + words.full_full) * sizeof(uint64_t));
    uint32_t end = pool_used_words(pool->used);
    for (uint32_t word = 0; word < end; word++) {
        if (pool->live[word] == UINT64_MAX) {
            pool_mark_full(pool, word);
        }
    }
    pool->room = 0;
}

const uint8_t *kni_pool_restore(kni_pool *pool, kni_memory *memory, const uint8_t *in)
{
    pool_header header;
    memcpy(&header, in, sizeof header);
    in += sizeof header;
    KN_ASSERT(header.count <= header.used && header.used <= KNI_POOL_MAX);
    if (!kni_pool_reserve(pool, memory, header.used)) {
        return NULL;
    }
    uint32_t old_words = pool_used_words(pool->used);
    uint32_t new_words = pool_used_words(header.used);
    pool->used = header.used;
    pool->count = header.count;
    if (pool->capacity == 0) {
        return in;
    }
    size_t live_size = new_words * sizeof(uint64_t);
    memcpy(pool->live, in, live_size);
    in += live_size;
    if (old_words > new_words) {
        memset(pool->live + new_words, 0, (old_words - new_words) * sizeof(uint64_t));
    }
    size_t records_size = (size_t)header.used * pool->record_size;
    memcpy(pool->records, in, records_size);
    pool_rebuild(pool);
    return in + records_size;
}

// Bits of `above` that stand for nothing are clear.
static bool pool_level_validate(const uint64_t *below, uint32_t count, const uint64_t *above)
{
    for (uint32_t word = 0; word * 64 < count; word++) {
        uint64_t expected = 0;
        for (uint32_t i = word * 64; i < count && i < word * 64 + 64; i++) {
            expected |= (uint64_t)(below[i] == UINT64_MAX) << (i % 64);
        }
        if (above[word] != expected) {
            return false;
        }
    }
    return true;
}

static bool pool_record_is_zero(const kni_pool *pool, uint32_t slot)
{
    const uint8_t *record = kni_pool_at(pool, slot);
    for (uint32_t i = 0; i < pool->record_size; i++) {
        if (record[i] != 0) {
            return false;
        }
    }
    return true;
}

static bool pool_slots_validate(const kni_pool *pool)
{
    uint32_t count = 0;
    for (uint32_t word = 0; word < pool_words_for(pool->capacity).live; word++) {
        uint64_t live = pool->live[word];
        uint32_t used = pool->used <= word * 64 ? 0 : pool->used - word * 64;
        uint64_t below_used = used >= 64 ? UINT64_MAX : ((uint64_t)1 << used) - 1;
        if ((live & ~below_used) != 0 || (live != UINT64_MAX && word < pool->room)) {
            return false;
        }
        for (uint64_t bits = live; bits != 0; bits &= bits - 1) {
            count++;
        }
        for (uint64_t bits = below_used & ~live; bits != 0; bits &= bits - 1) {
            if (!pool_record_is_zero(pool, word * 64 + kni_bit_lowest(bits))) {
                return false;
            }
        }
    }
    return count == pool->count;
}

bool kni_pool_validate(const kni_pool *pool)
{
    pool_words words = pool_words_for(pool->capacity);
    bool good =
        pool->used <= pool->capacity && pool_level_validate(pool->live, words.live, pool->full) &&
        pool_level_validate(pool->full, words.full, pool->full_full) && pool_slots_validate(pool);
    KN_ASSERT(good && "pool is damaged");
    return good;
}
