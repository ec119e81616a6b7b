// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The timer queue. Entries wait in buckets of a hierarchical wheel; the bucket that time has
// reached is sorted into a run, and entries that arrive for the open bucket go to a small heap.
// Cost follows what is due. Cancelling is lazy: whoever owns a timer knows its due time and
// creation number, entries that no longer agree are dropped when they come up, and the wheel is
// swept when more than half of it is dead.
#ifndef KNI_WHEEL_H
#define KNI_WHEEL_H

#include "memory.h"

// Fires in order of (time, number, kind). `number` is the low half of the creation number of the
// owner and compares by signed distance, so that it may wrap.
typedef struct kni_timer {
    kn_time time;
    uint32_t number;
    uint32_t owner; // slot of the owner in the low 30 bits, kind in the high 2
} kni_timer;

#define KNI_TIMER_SLOT(owner) ((owner)&0x3fffffffu)
#define KNI_TIMER_KIND(owner) ((owner) >> 30)

#define KNI_WHEEL_LEVELS 8
#define KNI_WHEEL_BUCKETS 256
#define KNI_WHEEL_UNIT_BITS 12 // a bucket of level 0 spans 4096 us
#define KNI_WHEEL_LEVEL_BITS 4 // each level is 16 times coarser
#define KNI_WHEEL_CHUNK 16     // entries per chunk

typedef struct kni_wheel_chunk {
    kni_timer entries[KNI_WHEEL_CHUNK];
    uint32_t count;
    uint32_t next; // index + 1 of the next chunk of the bucket or of the free list
} kni_wheel_chunk;

typedef struct kni_wheel {
    kni_wheel_chunk *chunks;
    uint32_t chunk_capacity;
    uint32_t chunk_used;
    uint32_t chunk_free; // index + 1
    uint32_t chunk_free_count;

    kni_timer *run; // the open bucket, sorted; [run_at, run_count) is still to come
    uint32_t run_at, run_count, run_capacity;
    kni_timer *heap; // entries that came for the open bucket while it was open
    uint32_t heap_count, heap_capacity;
    kni_timer *scratch; // for sorting; as large as run
    uint32_t scratch_capacity;

    int64_t cursor; // the open unit of level 0: every bucket before it is empty
    uint32_t count; // entries held, dead ones included
    uint32_t dead;  // of these, known to be cancelled
    uint32_t bucket[KNI_WHEEL_LEVELS][KNI_WHEEL_BUCKETS]; // index + 1 of the newest chunk
    uint64_t occupied[KNI_WHEEL_LEVELS][KNI_WHEEL_BUCKETS / 64];
} kni_wheel;

void kni_wheel_init(kni_wheel *wheel);
void kni_wheel_free(kni_wheel *wheel, kni_memory *memory);
// After this, `count` further adds cannot run out of memory, whatever buckets they go to.
bool kni_wheel_reserve(kni_wheel *wheel, kni_memory *memory, uint32_t count);

// A time before the open bucket is legal and fires next. False when out of memory.
bool kni_wheel_add(kni_wheel *wheel, kni_memory *memory, kni_timer timer);

// The next entry due at or before `until`, in order; false when there is none. Opens buckets up to
// `until` on the way. Dead entries come up too: the caller tells them by their owner.
// Out of memory while opening a bucket sets *failed.
bool kni_wheel_pop(
    kni_wheel *wheel, kni_memory *memory, kn_time until, kni_timer *timer, bool *failed);

// Entries of the sorted run that follow the next one, for prefetching; NULL beyond the end.
static inline const kni_timer *kni_wheel_ahead(const kni_wheel *wheel, uint32_t distance)
{
    uint32_t i = wheel->run_at + distance;
    return i < wheel->run_count ? &wheel->run[i] : NULL;
}

// A lower bound for the time of the next entry, exact enough to skip idle time; KN_TIME_INFINITE
// when empty.
kn_time kni_wheel_next_time(const kni_wheel *wheel);

// The owner cancelled one entry.
static inline void kni_wheel_cancelled(kni_wheel *wheel)
{
    wheel->dead++;
}

// Drops every entry for which `alive` says no. Never allocates.
typedef bool kni_timer_alive_fn(void *user, kni_timer timer);
void kni_wheel_sweep(kni_wheel *wheel, kni_timer_alive_fn *alive, void *user);
static inline bool kni_wheel_wants_sweep(const kni_wheel *wheel)
{
    return wheel->dead > 1024 && wheel->dead > wheel->count / 2;
}

// Empties the wheel and opens it at `now`.
void kni_wheel_reset(kni_wheel *wheel, kn_time now);

size_t kni_wheel_snapshot_size(const kni_wheel *wheel);
uint8_t *kni_wheel_snapshot(const kni_wheel *wheel, uint8_t *out);
const uint8_t *kni_wheel_restore(kni_wheel *wheel, kni_memory *memory, const uint8_t *in);

bool kni_wheel_validate(const kni_wheel *wheel);

#endif
