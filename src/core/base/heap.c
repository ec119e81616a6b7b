// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blocks are cut from the end of one byte array and never split or merged; a released block goes
// to the front of the free list of its class, threaded through the first four bytes of the
// blocks. So every byte below `used` belongs to a live block, to a free one, or to the eight bytes
// in front that keep reference 0 free, and validate can count them. Which block comes next
// depends only on the calls made.

#include "base/heap.h"

#include <string.h>

#define HEAP_BLOCK_MAX ((size_t)1 << 30)
#define HEAP_FIRST 8 // offset of the first block
#define HEAP_FIRST_CAPACITY 1024
#define HEAP_LIST_MIN 24
#define HEAP_DOUBLING_MAX 96
// The most that 32-bit references in units of 8 bytes can address, or half of a 32-bit address
// space.
#define HEAP_BYTES_MAX (SIZE_MAX > UINT32_MAX ? (size_t)((uint64_t)8 << 32) : (size_t)1 << 31)

typedef struct heap_class {
    uint32_t index;
    size_t size;
} heap_class;

// Stands for the array of a heap that has not allocated yet, so that walking an empty span of an
// empty heap computes no address from a null pointer. Never written.
static _Alignas(8) uint8_t heap_nothing[HEAP_FIRST];

// Above 16 there are two classes in each power of two: 2^p < size <= 1.5 * 2^p and the rest.
static inline heap_class heap_class_of(size_t size)
{
    if (size <= 16) {
        uint32_t index = size > 8;
        return (heap_class){index, (size_t)8 << index};
    }
    size_t last = size - 1;
    uint32_t power = kni_bit_highest(last);
    uint32_t half = last >> (power - 1) & 1;
    return (heap_class){2 * power - 6 + half, (size_t)(3 + half) << (power - 1)};
}

void kni_heap_init(kni_heap *heap)
{
    *heap = (kni_heap){.bytes = heap_nothing, .used = HEAP_FIRST};
}

// In builds that validate, this detects a write through a pointer that should have been fetched
// again.
static uint64_t heap_old_sum(const uint8_t *bytes, size_t used)
{
#ifdef KN_VALIDATE
    uint64_t sum = used;
    for (size_t i = 0; i < used; i += sizeof(uint64_t)) {
        uint64_t word;
        memcpy(&word, bytes + i, sizeof word);
        sum = (sum ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    return sum;
#else
    (void)bytes;
    (void)used;
    return 0;
#endif
}

static void heap_old_free(const kni_heap_old *old, kni_memory *memory)
{
    KN_ASSERT(heap_old_sum(old->bytes, old->used) == old->sum && "a stale pointer was written");
    kni_free(memory, old->bytes, old->capacity);
}

// Keeps an array that is about to be replaced. When the list is full, which happens only if memory
// moves on every call, the oldest array is freed.
static void heap_keep(kni_heap *heap, kni_memory *memory)
{
    if (heap->old_count == KNI_HEAP_OLD_MAX) {
        heap_old_free(&heap->old[0], memory);
        memmove(heap->old, heap->old + 1, (KNI_HEAP_OLD_MAX - 1) * sizeof(kni_heap_old));
        heap->old_count--;
    }
    KN_ASSERT(heap->old_count < KNI_HEAP_OLD_MAX && heap->capacity != 0);
    heap->old[heap->old_count++] = (kni_heap_old){
        heap->bytes, heap->capacity, heap->used, heap_old_sum(heap->bytes, heap->used)};
}

void kni_heap_settle(kni_heap *heap, kni_memory *memory)
{
    while (heap->old_count > 0) {
        heap_old_free(&heap->old[--heap->old_count], memory);
    }
}

void kni_heap_free(kni_heap *heap, kni_memory *memory)
{
    kni_heap_settle(heap, memory);
    if (heap->capacity != 0) {
        kni_free(memory, heap->bytes, heap->capacity);
    }
    kni_heap_init(heap);
}

bool kni_heap_reserve(kni_heap *heap, kni_memory *memory, size_t bytes)
{
    KN_ASSERT(heap->used >= HEAP_FIRST && heap->used % 8 == 0);
    KN_ASSERT(heap->used <= heap->capacity || heap->capacity == 0);
    if (bytes <= heap->capacity - heap->used && heap->capacity != 0) {
        return true;
    }
    if (bytes > HEAP_BYTES_MAX - heap->used) {
        return false;
    }
    size_t capacity = heap->capacity * 2;
    if (capacity < HEAP_FIRST_CAPACITY) {
        capacity = HEAP_FIRST_CAPACITY;
    }
    if (capacity < heap->used + bytes) {
        capacity = (heap->used + bytes + 7) & ~(size_t)7;
    }
    if (capacity > HEAP_BYTES_MAX) {
        capacity = HEAP_BYTES_MAX;
    }
    uint8_t *grown = kni_realloc(memory, NULL, 0, capacity);
    if (grown == NULL) {
        return false;
    }
    memcpy(grown, heap->bytes, heap->used);
    if (heap->capacity != 0) {
        heap_keep(heap, memory);
    }
    heap->bytes = grown;
    heap->capacity = capacity;
    return true;
}

void kni_heap_move(kni_heap *heap, kni_memory *memory)
{
    uint8_t *fresh = heap->capacity != 0 ? kni_realloc(memory, NULL, 0, heap->capacity) : NULL;
    if (fresh != NULL) {
        memcpy(fresh, heap->bytes, heap->used);
        heap_keep(heap, memory);
        heap->bytes = fresh;
    }
}

static inline kni_ref heap_take(kni_heap *heap, kni_memory *memory, heap_class class)
{
    kni_ref ref = heap->free_first[class.index];
    if (ref != 0) {
        KN_ASSERT((size_t)ref * 8 + class.size <= heap->used);
        memcpy(&heap->free_first[class.index], kni_heap_at(heap, ref), sizeof ref);
        heap->live_bytes += class.size;
        return ref;
    }
    // Before the first allocation `used` is already 8 and `capacity` still 0.
    if (heap->used + class.size > heap->capacity && !kni_heap_reserve(heap, memory, class.size)) {
        return 0;
    }
    ref = (kni_ref)(heap->used / 8);
    heap->used += class.size;
    KN_ASSERT(heap->used <= heap->capacity);
    heap->live_bytes += class.size;
    return ref;
}

kni_ref kni_heap_acquire(kni_heap *heap, kni_memory *memory, size_t size)
{
    return size > HEAP_BLOCK_MAX ? 0 : heap_take(heap, memory, heap_class_of(size));
}

void kni_heap_release(kni_heap *heap, kni_ref ref, size_t size)
{
    if (ref == 0) {
        return;
    }
    heap_class class = heap_class_of(size);
    KN_ASSERT((size_t)ref * 8 + class.size <= heap->used);
    KN_ASSERT(heap->live_bytes >= class.size);
    KN_ASSERT(ref != heap->free_first[class.index] && "released twice");
    memcpy(kni_heap_at(heap, ref), &heap->free_first[class.index], sizeof ref);
    heap->free_first[class.index] = ref;
    heap->live_bytes -= class.size;
}

size_t kni_heap_block_size(size_t size)
{
    return heap_class_of(size).size;
}

// A span's block always has the class of `capacity * size`: capacity fills the class that was
// asked for, so the product lies between what was asked for and the size of the class.
bool kni_span_reserve(
    kni_heap *heap, kni_memory *memory, kni_span *span, uint32_t count, size_t size)
{
    KN_ASSERT(size > 0 && span->count <= span->capacity);
    KN_ASSERT((span->ref == 0) == (span->capacity == 0));
    if (count <= span->capacity) {
        return true;
    }
    if (size > HEAP_BLOCK_MAX || (uint64_t)count * size > HEAP_BLOCK_MAX) {
        return false;
    }
    heap_class class = heap_class_of(count * size);
    kni_ref ref = heap_take(heap, memory, class);
    if (ref == 0) {
        return false;
    }
    if (span->ref != 0) {
        memcpy(kni_heap_at(heap, ref), kni_heap_at(heap, span->ref), span->count * size);
        kni_heap_release(heap, span->ref, span->capacity * size);
    }
    span->ref = ref;
    span->capacity = (uint32_t)(class.size / size);
    KN_ASSERT(span->capacity >= count);
    return true;
}

// Makes room for one more element. Blocks double while they are small: the fewer sizes a list
// passes through, the fewer outgrown blocks stay on free lists that nothing uses.
static bool span_grow(kni_heap *heap, kni_memory *memory, kni_span *span, size_t size)
{
    size_t old_size = span->capacity * size;
    size_t wanted = old_size < HEAP_DOUBLING_MAX ? old_size * 2 : old_size + 1;
    uint32_t count = (uint32_t)((wanted < HEAP_LIST_MIN ? HEAP_LIST_MIN : wanted) / size);
    return kni_span_reserve(
        heap, memory, span, count > span->count ? count : span->count + 1, size);
}

void *kni_span_push(kni_heap *heap, kni_memory *memory, kni_span *span, size_t size)
{
    KN_ASSERT(span->count <= span->capacity);
    if (span->count == span->capacity && !span_grow(heap, memory, span, size)) {
        return NULL;
    }
    return kni_span_at(heap, span, span->count++, size);
}

void *kni_span_insert(
    kni_heap *heap, kni_memory *memory, kni_span *span, uint32_t index, size_t size)
{
    KN_ASSERT(index <= span->count && span->count <= span->capacity);
    if (span->count == span->capacity && !span_grow(heap, memory, span, size)) {
        return NULL;
    }
    uint8_t *at = kni_span_at(heap, span, index, size);
    if (index < span->count) { // mostly the gap is at the end
        memmove(at + size, at, (span->count - index) * size);
    }
    span->count++;
    return at;
}

void kni_span_remove(kni_heap *heap, kni_span *span, uint32_t index, size_t size)
{
    KN_ASSERT(index < span->count && span->count <= span->capacity);
    uint8_t *at = kni_span_at(heap, span, index, size);
    span->count--;
    if (index < span->count) {
        memmove(at, at + size, (span->count - index) * size);
    }
}

typedef struct heap_header {
    size_t used;
    size_t live_bytes;
    kni_ref free_first[KNI_HEAP_CLASSES];
} heap_header;

size_t kni_heap_snapshot_size(const kni_heap *heap)
{
    return sizeof(heap_header) + heap->used - HEAP_FIRST;
}

uint8_t *kni_heap_snapshot(const kni_heap *heap, uint8_t *out)
{
    heap_header header = {.used = heap->used, .live_bytes = heap->live_bytes};
    memcpy(header.free_first, heap->free_first, sizeof header.free_first);
    memcpy(out, &header, sizeof header);
    out += sizeof header;
    memcpy(out, heap->bytes + HEAP_FIRST, heap->used - HEAP_FIRST);
    return out + heap->used - HEAP_FIRST;
}

const uint8_t *kni_heap_restore(kni_heap *heap, kni_memory *memory, const uint8_t *in)
{
    heap_header header;
    memcpy(&header, in, sizeof header);
    in += sizeof header;
    KN_ASSERT(header.used >= HEAP_FIRST && header.used % 8 == 0);
    KN_ASSERT(header.live_bytes <= header.used);
    if (header.used > heap->capacity && header.used > HEAP_FIRST &&
        !kni_heap_reserve(heap, memory, header.used - heap->used)) {
        return NULL;
    }
    size_t size = header.used - HEAP_FIRST;
    memcpy(heap->bytes + HEAP_FIRST, in, size);
    heap->used = header.used;
    heap->live_bytes = header.live_bytes;
    memcpy(heap->free_first, header.free_first, sizeof header.free_first);
    return in + size;
}

static size_t heap_class_size(uint32_t index)
{
    return index < 2 ? (size_t)8 << index : (size_t)(3 + index % 2) << (index / 2 + 2);
}

// Adds the bytes of one free list to *free_bytes. A circular list is noticed because it holds more
// bytes than there are.
static bool heap_list_validate(const kni_heap *heap, uint32_t index, size_t *free_bytes)
{
    size_t size = heap_class_size(index);
    kni_ref ref = heap->free_first[index];
    while (ref != 0) {
        *free_bytes += size;
        if ((size_t)ref * 8 + size > heap->used || *free_bytes > heap->used) {
            return false;
        }
        memcpy(&ref, kni_heap_at(heap, ref), sizeof ref);
    }
    return true;
}

bool kni_heap_validate(const kni_heap *heap)
{
    bool good = heap->used >= HEAP_FIRST && heap->used % 8 == 0 &&
                (heap->used <= heap->capacity || heap->used == HEAP_FIRST);
    size_t free_bytes = 0;
    for (uint32_t i = 0; i < KNI_HEAP_CLASSES && good; i++) {
        good = heap_list_validate(heap, i, &free_bytes);
    }
    good = good && HEAP_FIRST + heap->live_bytes + free_bytes == heap->used;
    KN_ASSERT(good && "heap is damaged");
    return good;
}
