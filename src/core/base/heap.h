// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Variable-length state of a world: one byte array cut into blocks of fixed size classes, each
// named by a 32-bit reference. A snapshot copies the used part of the array. References are
// stable. A pointer may be written through until the next allocation and read for longer: when the
// array grows, the old one keeps its contents until kni_heap_settle(), so that a view that a caller
// or hook holds, or passes back, can be read until its call has returned.
#ifndef KNI_HEAP_H
#define KNI_HEAP_H

#include "base/memory.h"

typedef uint32_t kni_ref; // offset / 8, 0 = no block

// Size classes: 8, 16, 24, 32, 48, 64, 96, 128, 192, 256, ... (two per power of two) up to 1 GiB.
#define KNI_HEAP_CLASSES 56

// An outgrown array that views may still point into.
typedef struct kni_heap_old {
    uint8_t *bytes;
    size_t capacity;
    size_t used;
    uint64_t sum; // checksum of its bytes where KN_VALIDATE is on, to detect writes; else 0
} kni_heap_old;

#define KNI_HEAP_OLD_MAX 32 // arrays at least double, so there are fewer

typedef struct kni_heap {
    uint8_t *bytes;
    size_t capacity;
    size_t used;       // high-water mark; starts at 8 so that no block has reference 0
    size_t live_bytes; // sum of the class sizes of live blocks
    kni_ref free_first[KNI_HEAP_CLASSES];
    kni_heap_old old[KNI_HEAP_OLD_MAX];
    uint32_t old_count;
} kni_heap;

// A growing array of plain elements in a heap. All-zero is empty.
typedef struct kni_span {
    kni_ref ref;
    uint32_t count;
    uint32_t capacity;
} kni_span;

void kni_heap_init(kni_heap *heap);
void kni_heap_free(kni_heap *heap, kni_memory *memory);
// Frees outgrown arrays. No view of them may be in use any more.
void kni_heap_settle(kni_heap *heap, kni_memory *memory);
// Moves all blocks to other memory, so that tests notice stale pointers. Does nothing when out of
// memory.
void kni_heap_move(kni_heap *heap, kni_memory *memory);
// Makes room for at least `bytes` at the end of the array. False when out of memory.
bool kni_heap_reserve(kni_heap *heap, kni_memory *memory, size_t bytes);

// The block is not cleared. 0 when out of memory. `size` 0 is treated as 8.
kni_ref kni_heap_acquire(kni_heap *heap, kni_memory *memory, size_t size);
// `size` as given to acquire. Reference 0 is ignored.
void kni_heap_release(kni_heap *heap, kni_ref ref, size_t size);
// The class size a block of `size` really has.
size_t kni_heap_block_size(size_t size);

static inline void *kni_heap_at(const kni_heap *heap, kni_ref ref)
{
    KN_ASSERT((size_t)ref * 8 <= heap->used);
    return heap->bytes + (size_t)ref * 8;
}

// Appends room for one element of `size` bytes and returns it (not cleared), or NULL when out of
// memory with the span untouched. Capacity doubles at first, and always fills its size class.
void *kni_span_push(kni_heap *heap, kni_memory *memory, kni_span *span, size_t size);
// The same, opening a gap at `index` <= count.
void *kni_span_insert(
    kni_heap *heap, kni_memory *memory, kni_span *span, uint32_t index, size_t size);
// Removes one element, keeping the order of the others. The block stays until kni_span_clear().
void kni_span_remove(kni_heap *heap, kni_span *span, uint32_t index, size_t size);
static inline void kni_span_clear(kni_heap *heap, kni_span *span, size_t size)
{
    KN_ASSERT((span->ref == 0) == (span->capacity == 0) && span->count <= span->capacity);
    if (span->ref != 0) {
        kni_heap_release(heap, span->ref, span->capacity * size);
        *span = (kni_span){0};
    }
}

// Room for `count` elements in all. False when out of memory.
bool kni_span_reserve(
    kni_heap *heap, kni_memory *memory, kni_span *span, uint32_t count, size_t size);

static inline void *kni_span_at(
    const kni_heap *heap, const kni_span *span, uint32_t index, size_t size)
{
    KN_ASSERT(index <= span->capacity); // one behind the last is where the next one goes
    KN_ASSERT((size_t)span->ref * 8 + (size_t)index * size <= heap->used);
    return heap->bytes + (size_t)span->ref * 8 + (size_t)index * size;
}

// A snapshot is a copy of the used bytes and the free lists; its size depends on `used` only.
size_t kni_heap_snapshot_size(const kni_heap *heap);
uint8_t *kni_heap_snapshot(const kni_heap *heap, uint8_t *out);
// Grows the heap if necessary; NULL when out of memory, with the heap untouched.
const uint8_t *kni_heap_restore(kni_heap *heap, kni_memory *memory, const uint8_t *in);

// Walks free lists and bounds; false (and an assert) when they are damaged.
bool kni_heap_validate(const kni_heap *heap);

#endif
