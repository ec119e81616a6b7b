// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The timer queue. Entries wait in buckets of a hierarchical wheel; the bucket that time has
// reached is sorted into a run, and entries that arrive for the open bucket go to a small heap.
// The cost of a step depends on what is due. Cancelling is lazy: the owner of a timer knows its due
// time and creation number, entries that no longer agree are dropped when they come up, and the
// wheel is swept when more than half of its entries are dead.
#ifndef KNI_WHEEL_H
#define KNI_WHEEL_H

#include "base/memory.h"

// Fires in order of (time, number, kind, slot). `number` is the low half of the creation number of
// the owner and compares by signed distance, so that it may wrap.
typedef struct kni_timer {
    kn_time time;
    uint32_t number;
    uint32_t owner; // slot of the owner in the low 28 bits, kind in the high 4
} kni_timer;

#define KNI_TIMER_SLOT(owner) ((owner)&0x0fffffffu)
#define KNI_TIMER_KIND(owner) ((owner) >> 28)

#define KNI_WHEEL_LEVELS 8
#define KNI_WHEEL_BUCKETS 256
#define KNI_WHEEL_UNIT_BITS 12 // a bucket of level 0 spans 4096 us
#define KNI_WHEEL_LEVEL_BITS 4 // each level is 16 times coarser
#define KNI_WHEEL_CHUNK 16     // entries per chunk

typedef struct kni_wheel {
    // Lists of entries are made of chunks of 16 neighbours in `entries`; of each list only the
    // newest chunk may be partly filled. A list is named by index + 1 of its newest entry.
    kni_timer *entries;
    uint32_t *chunk_next; // the rest of the list, or index + 1 of the next free chunk
    uint32_t chunk_capacity;
    uint32_t chunk_used;
    uint32_t chunk_free; // index + 1
    uint32_t chunk_free_count;

    kni_timer *run; // the open bucket, sorted; [run_at, run_count) is still to come
    uint32_t run_at, run_count, run_capacity;
    kni_timer *heap; // entries that came for the open bucket while it was open
    uint32_t heap_count, heap_capacity;
    uint32_t late;      // a list of entries for which the heap had no room
    kni_timer *scratch; // for sorting many entries that are due almost together
    uint32_t scratch_capacity;

    int64_t cursor; // the open unit of level 0: every bucket before it is empty
    int64_t coarse; // no bucket above level 0 starts before this unit; a shortcut, not state
    uint32_t count; // entries held, dead ones included
    uint32_t dead;  // of these, known to be cancelled
    uint32_t bucket[KNI_WHEEL_LEVELS][KNI_WHEEL_BUCKETS]; // lists
    uint64_t occupied[KNI_WHEEL_LEVELS][KNI_WHEEL_BUCKETS / 64];
} kni_wheel;

void kni_wheel_init(kni_wheel *wheel);
void kni_wheel_free(kni_wheel *wheel, kni_memory *memory);
// Makes room for `count` entries in total, if they are spread as timers usually are.
bool kni_wheel_reserve_entries(kni_wheel *wheel, kni_memory *memory, uint32_t count);
// After this, `count` further adds cannot run out of memory, whatever buckets they go to.
bool kni_wheel_reserve(kni_wheel *wheel, kni_memory *memory, uint32_t count);

// The most chunks that `count` adds can take: each list one for its first entry, and another for
// every 16 more. Lists are the buckets and `late`.
static inline uint32_t kni_wheel_chunks_for(uint32_t count)
{
    uint32_t chunks = KNI_WHEEL_LEVELS * KNI_WHEEL_BUCKETS + 1 + count / KNI_WHEEL_CHUNK;
    return chunks < count ? chunks : count;
}

// Field by field: a timer that comes in registers would otherwise go through the stack in halves
// and be read back whole, which stalls the processor.
static inline void kni_timer_store(kni_timer *at, kni_timer timer)
{
    at->time = timer.time;
    at->number = timer.number;
    at->owner = timer.owner;
}

// kni_wheel_add() for all but the most common case.
KNI_SLOW bool kni_wheel_add_slow(kni_wheel *wheel, kni_memory *memory, kni_timer timer);

// The most common case of kni_wheel_add(): the bucket is on level 0 and its newest chunk has room.
// False, with nothing done, for all others.
KNI_FAST bool kni_wheel_add_near(kni_wheel *wheel, kni_timer timer)
{
    int64_t unit = timer.time >> KNI_WHEEL_UNIT_BITS;
    int64_t ahead = unit - wheel->cursor;
    uint32_t *list = &wheel->bucket[0][(uint32_t)unit % KNI_WHEEL_BUCKETS];
    uint32_t newest = *list;
    if (ahead <= 0 || ahead >= KNI_WHEEL_BUCKETS || newest % KNI_WHEEL_CHUNK == 0) {
        return false;
    }
    KN_ASSERT(timer.time <= KN_TIME_MAX && newest / KNI_WHEEL_CHUNK < wheel->chunk_used);
    kni_timer_store(&wheel->entries[newest], timer);
    *list = newest + 1;
    wheel->count++;
    return true;
}

// A time before the open bucket is legal and fires next. Times are not negative. False when out of
// memory, with nothing added.
static inline bool kni_wheel_add(kni_wheel *wheel, kni_memory *memory, kni_timer timer)
{
    return kni_wheel_add_near(wheel, timer) || kni_wheel_add_slow(wheel, memory, timer);
}

// The part of kni_wheel_pop() that opens buckets and compares with the heap.
KNI_SLOW bool kni_wheel_pop_slow(
    kni_wheel *wheel, kni_memory *memory, kn_time until, kni_timer *timer, bool *failed);

// Takes the next entry due at or before `until`, in order; false when there is none. Opens buckets
// up to `until` on the way. Dead entries are returned too: the caller recognises them by their
// owner. *failed is set when there is no memory to open a bucket, and not written otherwise; no
// entry is lost, and the call may be repeated.
static inline bool kni_wheel_pop(
    kni_wheel *wheel, kni_memory *memory, kn_time until, kni_timer *timer, bool *failed)
{
    if ((wheel->heap_count | wheel->late) != 0 || wheel->run_at >= wheel->run_count) {
        return kni_wheel_pop_slow(wheel, memory, until, timer, failed);
    }
    const kni_timer *next = &wheel->run[wheel->run_at];
    if (next->time > until) {
        return false;
    }
    KN_ASSERT(wheel->count > 0);
    *timer = *next;
    wheel->run_at++;
    wheel->count--;
    return true;
}

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

// An entry that was returned turned out to be dead.
static inline void kni_wheel_dropped(kni_wheel *wheel)
{
    wheel->dead -= wheel->dead > 0;
}

// Drops every entry for which `alive` returns false. Never allocates.
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
// Grows the wheel if necessary; NULL when out of memory, with the wheel untouched.
const uint8_t *kni_wheel_restore(kni_wheel *wheel, kni_memory *memory, const uint8_t *in);

bool kni_wheel_validate(const kni_wheel *wheel);

#endif
