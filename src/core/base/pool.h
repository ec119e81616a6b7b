// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Records of one kind in one array, addressed by slot. The lowest free slot is always taken next,
// found through a bitmap of three levels: which slot is next depends only on which slots are live,
// so that a world that was saved and loaded gives out the same ids. The pool does not know stale
// ids: records carry the creation number of their occupant.
#ifndef KNI_POOL_H
#define KNI_POOL_H

#include "base/memory.h"

typedef struct kni_pool {
    uint8_t *records;    // begin at a cache line
    uint8_t *block;      // the allocation that holds them
    uint64_t *live;      // bit set = slot taken, in words of 64. The three bitmaps share one block
    uint64_t *full;      // bit set = word of `live` has no free bit; one bit per live word
    uint64_t *full_full; // the same, one level up
    uint32_t record_size;
    uint32_t capacity;
    uint32_t used;  // 1 + highest slot ever taken
    uint32_t count; // live records
    uint32_t room;  // no word of `live` before this one has a free bit; a shortcut, not state
} kni_pool;

#define KNI_POOL_MAX (1u << 28) // as many slots as an entry of the timer queue can name

void kni_pool_init(kni_pool *pool, uint32_t record_size);
void kni_pool_free(kni_pool *pool, kni_memory *memory);
// Room for `count` records in all. False when out of memory, with the pool untouched.
bool kni_pool_reserve(kni_pool *pool, kni_memory *memory, uint32_t count);

// Moves all records to other memory, so that tests notice stale pointers. Does nothing when out of
// memory.
void kni_pool_move(kni_pool *pool, kni_memory *memory);
// Takes the lowest free slot and clears its record to zero; grows when full. KNI_NONE when out of
// memory or at KNI_POOL_MAX records.
uint32_t kni_pool_acquire(kni_pool *pool, kni_memory *memory);
// Takes the lowest free slot from `first` on, as kni_pool_acquire() does.
uint32_t kni_pool_acquire_from(kni_pool *pool, kni_memory *memory, uint32_t first);
// Takes exactly this slot, which must be free (loading a save). False when out of memory.
bool kni_pool_acquire_at(kni_pool *pool, kni_memory *memory, uint32_t slot);
// Frees a slot and clears its record to zero.
void kni_pool_release(kni_pool *pool, uint32_t slot);
void kni_pool_clear(kni_pool *pool);

static inline void *kni_pool_at(const kni_pool *pool, uint32_t slot)
{
    KN_ASSERT(slot < pool->capacity);
    return pool->records + (size_t)slot * pool->record_size;
}

static inline bool kni_pool_is_live(const kni_pool *pool, uint32_t slot)
{
    return slot < pool->used && (pool->live[slot >> 6] >> (slot & 63) & 1) != 0;
}

// The first live slot at or after `slot`, or KNI_NONE.
uint32_t kni_pool_next(const kni_pool *pool, uint32_t slot);

// A loop over the live slots, in ascending order. Records may come and go meanwhile.
#define KNI_POOL_EACH(slot, pool)                                                                  \
    for (uint32_t slot = kni_pool_next(pool, 0); slot != KNI_NONE;                                 \
         slot = kni_pool_next(pool, slot + 1))

// A snapshot is a copy of the records and of `live`; its size depends on `used` only.
size_t kni_pool_snapshot_size(const kni_pool *pool);
uint8_t *kni_pool_snapshot(const kni_pool *pool, uint8_t *out);
// Grows the pool if necessary; NULL when out of memory, with the pool untouched.
const uint8_t *kni_pool_restore(kni_pool *pool, kni_memory *memory, const uint8_t *in);

bool kni_pool_validate(const kni_pool *pool);

#endif
