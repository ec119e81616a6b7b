// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Time is cut into units of 4096 us. A bucket of level L spans 16^L units; its position is
// unit >> 4L, its place in the ring of its level position & 255. The cursor c is the open unit,
// c_L = c >> 4L its position on level L.
//
// Placement. An entry of unit u <= c goes to the heap. Any other goes to the lowest level on which
// its position p is less than c_L + 256; beyond the last level, to that level's position
// c_L + 255, which lies before its own.
//
// Invariant. An entry of unit u, in a bucket of level L at position p, has
//     c_L < p < c_L + 256   and   p <= u >> 4L.
// So a ring never mixes two positions, the start p << 4L of a bucket is a lower bound for its
// entries and later than c, and every bucket at or before the cursor, the coarse ones that contain
// it included, is empty. The run and the heap (and `late`, which is poured into the heap before
// anything is taken) hold units up to c only, so the earlier of their heads is the earliest of all.
//
// It holds after placing: p > c_0 on level 0 because u > c. On a level above, the level below
// did not do, so u >> 4(L-1) >= c_(L-1) + 256, and dividing by 16 gives p >= c_L + 16.
// It holds when the cursor moves to any unit before the earliest start of a bucket: a start
// p << 4L > c means p > c_L, and the upper bound only recedes.
//
// Opening. Let s be the earliest start of all buckets. The cursor moves to s - 1. Coarse buckets
// that start at s are emptied one by one, their entries placed again: within a bucket of level L
// at p, positions one level down end at 16p + 15, at most 16 from the cursor's 16p - 1, so they go
// at least one level down and never back where they came from; an entry parked on the last level
// may be parked again, further on. Now what is due in unit s is in the bucket of level 0, every
// other start is later, and the cursor moves to s while that bucket becomes the run. Each part of
// this leaves the invariant intact, so opening may stop anywhere for lack of memory and continue
// later.
//
// `coarse` saves most openings from searching the upper levels. It is never later than the first
// start up there, and is made exact when it is reached.
//
// Lists. Links between chunks are kept apart from the entries: they are few enough to stay in the
// cache, so that walking a list does not have to load one chunk to find the next.

#include "base/wheel.h"

#include <string.h>

#define WHEEL_MASK (KNI_WHEEL_BUCKETS - 1)
#define WHEEL_TOP (KNI_WHEEL_LEVELS - 1)
#define WHEEL_WORDS (KNI_WHEEL_BUCKETS / 64)
#define WHEEL_UNIT ((kn_time)1 << KNI_WHEEL_UNIT_BITS)
#define WHEEL_NEVER INT64_MAX
#define WHEEL_HEAP_RESERVE 1024

// The most chunks that a list can name and memory can address.
#define WHEEL_CHUNK_SIZE (KNI_WHEEL_CHUNK * sizeof(kni_timer))
#define WHEEL_CHUNKS_MAX                                                                           \
    (SIZE_MAX > UINT32_MAX ? UINT32_MAX / KNI_WHEEL_CHUNK : SIZE_MAX / 2 / WHEEL_CHUNK_SIZE)

#define WHEEL_INSERTION_MAX 24 // longer runs are sorted by merging
#define WHEEL_COUNTING_MIN 9   // shorter ones are not worth counting
#define WHEEL_BINS_MIN 32
#define WHEEL_BINS_MIN_BITS 5
#define WHEEL_BINS_MAX 4096

_Static_assert(sizeof(kni_timer) == 16, "timers are copied by the million");
_Static_assert(WHEEL_COUNTING_MIN <= KNI_WHEEL_CHUNK, "few entries are in one chunk");
_Static_assert(WHEEL_BINS_MIN == 1 << WHEEL_BINS_MIN_BITS, "shift and count of bins agree");
_Static_assert(WHEEL_BINS_MAX == 1 << KNI_WHEEL_UNIT_BITS, "at most one bin for a microsecond");

static inline int64_t wheel_unit(kn_time time)
{
    return time >> KNI_WHEEL_UNIT_BITS;
}

static inline int64_t wheel_position(int64_t unit, uint32_t level)
{
    return unit >> (level * KNI_WHEEL_LEVEL_BITS);
}

// The first unit of a bucket. Positions come from times, parked ones from earlier positions, so
// this does not overflow.
static inline int64_t wheel_start(int64_t position, uint32_t level)
{
    return (int64_t)((uint64_t)position << (level * KNI_WHEEL_LEVEL_BITS));
}

// Compares the slot too, so that two entries that compare equal are equal.
static inline bool wheel_before(const kni_timer *a, const kni_timer *b)
{
    if (a->time != b->time) {
        return a->time < b->time;
    }
    if (a->number != b->number) {
        return (int32_t)(a->number - b->number) < 0;
    }
    return a->owner < b->owner;
}

static size_t wheel_entries_size(uint32_t chunks)
{
    return chunks * WHEEL_CHUNK_SIZE;
}

static size_t wheel_next_size(uint32_t chunks)
{
    return (size_t)chunks * sizeof(uint32_t);
}

void kni_wheel_init(kni_wheel *wheel)
{
    memset(wheel, 0, sizeof *wheel);
}

void kni_wheel_free(kni_wheel *wheel, kni_memory *memory)
{
    kni_free(memory, wheel->entries, wheel_entries_size(wheel->chunk_capacity));
    kni_free(memory, wheel->chunk_next, wheel_next_size(wheel->chunk_capacity));
    kni_free(memory, wheel->run, wheel->run_capacity * sizeof *wheel->run);
    kni_free(memory, wheel->heap, wheel->heap_capacity * sizeof *wheel->heap);
    kni_free(memory, wheel->scratch, wheel->scratch_capacity * sizeof *wheel->scratch);
    kni_wheel_init(wheel);
}

void kni_wheel_reset(kni_wheel *wheel, kn_time now)
{
    wheel->chunk_used = 0;
    wheel->chunk_free = 0;
    wheel->chunk_free_count = 0;
    wheel->run_at = 0;
    wheel->run_count = 0;
    wheel->heap_count = 0;
    wheel->late = 0;
    wheel->cursor = wheel_unit(now);
    wheel->coarse = 0;
    wheel->count = 0;
    wheel->dead = 0;
    memset(wheel->bucket, 0, sizeof wheel->bucket);
    memset(wheel->occupied, 0, sizeof wheel->occupied);
}

// Lists

static bool wheel_set_chunk_capacity(kni_wheel *wheel, kni_memory *memory, uint32_t capacity)
{
    KN_ASSERT(capacity > wheel->chunk_capacity && wheel->chunk_used <= wheel->chunk_capacity);
    uint32_t old = wheel->chunk_capacity;
    kni_timer *entries =
        kni_realloc(memory, wheel->entries, wheel_entries_size(old), wheel_entries_size(capacity));
    if (entries == NULL) {
        return false;
    }
    wheel->entries = entries;
    uint32_t *next =
        kni_realloc(memory, wheel->chunk_next, wheel_next_size(old), wheel_next_size(capacity));
    if (next == NULL) {
        wheel->entries =
            kni_realloc(memory, entries, wheel_entries_size(capacity), wheel_entries_size(old));
        return false;
    }
    wheel->chunk_next = next;
    wheel->chunk_capacity = capacity;
    return true;
}

// Entries are most of the memory of a large world, so they grow by a quarter instead of doubling.
static bool wheel_grow_chunks(kni_wheel *wheel, kni_memory *memory, uint64_t wanted)
{
    if (wanted <= wheel->chunk_capacity) {
        return true;
    }
    if (wanted > WHEEL_CHUNKS_MAX) {
        return false;
    }
    uint64_t capacity = (uint64_t)wheel->chunk_capacity + wheel->chunk_capacity / 4 + 16;
    capacity = capacity > wanted ? capacity : wanted;
    capacity = capacity < WHEEL_CHUNKS_MAX ? capacity : WHEEL_CHUNKS_MAX;
    return wheel_set_chunk_capacity(wheel, memory, (uint32_t)capacity);
}

// The chunk with the newest entries of a list that is not empty.
static inline uint32_t wheel_list_chunk(uint32_t list)
{
    KN_ASSERT(list != 0);
    return (list - 1) / KNI_WHEEL_CHUNK;
}

// How many entries that chunk has. They begin at the chunk's index times its size.
static inline uint32_t wheel_list_head_count(uint32_t list)
{
    return (list - 1) % KNI_WHEEL_CHUNK + 1;
}

static inline kni_timer *wheel_list_head(const kni_wheel *wheel, uint32_t list)
{
    return &wheel->entries[(list - 1) / KNI_WHEEL_CHUNK * KNI_WHEEL_CHUNK];
}

// The list without its newest chunk.
static inline uint32_t wheel_list_rest(const kni_wheel *wheel, uint32_t list)
{
    KN_ASSERT(wheel_list_chunk(list) < wheel->chunk_used);
    return wheel->chunk_next[wheel_list_chunk(list)];
}

// Also prefetches the entries, which are about to be read twice.
static uint32_t wheel_list_count(const kni_wheel *wheel, uint32_t list)
{
    uint32_t count = 0;
    for (; list != 0; list = wheel_list_rest(wheel, list)) {
        const kni_timer *timers = wheel_list_head(wheel, list);
        for (uint32_t i = 0; i < KNI_WHEEL_CHUNK; i += 4) {
            KNI_PREFETCH(&timers[i]);
        }
        count += wheel_list_head_count(list);
    }
    return count;
}

// Index + 1 of a free chunk, or 0 when out of memory.
static uint32_t wheel_chunk_take(kni_wheel *wheel, kni_memory *memory)
{
    uint32_t chunk1 = wheel->chunk_free;
    if (chunk1 != 0) {
        KN_ASSERT(chunk1 <= wheel->chunk_used && wheel->chunk_free_count > 0);
        wheel->chunk_free = wheel->chunk_next[chunk1 - 1];
        wheel->chunk_free_count--;
        return chunk1;
    }
    if (wheel->chunk_used == wheel->chunk_capacity &&
        !wheel_grow_chunks(wheel, memory, (uint64_t)wheel->chunk_used + 1)) {
        return 0;
    }
    return ++wheel->chunk_used;
}

// Frees the newest chunk of a list and returns the rest.
static uint32_t wheel_list_drop(kni_wheel *wheel, uint32_t list)
{
    uint32_t chunk = wheel_list_chunk(list);
    KN_ASSERT(chunk < wheel->chunk_used && wheel->chunk_free_count < wheel->chunk_used);
    KN_ASSERT(wheel->chunk_free != chunk + 1);
    uint32_t rest = wheel->chunk_next[chunk];
    wheel->chunk_next[chunk] = wheel->chunk_free;
    wheel->chunk_free = chunk + 1;
    wheel->chunk_free_count++;
    return rest;
}

static bool wheel_list_push(kni_wheel *wheel, kni_memory *memory, uint32_t *list, kni_timer timer)
{
    uint32_t newest = *list;
    if (newest % KNI_WHEEL_CHUNK == 0) { // the chunk is full, or there is none
        uint32_t chunk1 = wheel_chunk_take(wheel, memory);
        if (chunk1 == 0) {
            return false;
        }
        wheel->chunk_next[chunk1 - 1] = newest;
        newest = (chunk1 - 1) * KNI_WHEEL_CHUNK;
    }
    KN_ASSERT(newest / KNI_WHEEL_CHUNK < wheel->chunk_used);
    kni_timer_store(&wheel->entries[newest], timer);
    *list = newest + 1;
    return true;
}

// Removes the newest entry and returns the rest of the list.
static uint32_t wheel_list_pop(kni_wheel *wheel, uint32_t list)
{
    return wheel_list_head_count(list) > 1 ? list - 1 : wheel_list_drop(wheel, list);
}

// Buckets

static inline void wheel_set_occupied(kni_wheel *wheel, uint32_t level, uint32_t index)
{
    wheel->occupied[level][index >> 6] |= (uint64_t)1 << (index & 63);
}

static inline void wheel_set_empty(kni_wheel *wheel, uint32_t level, uint32_t index)
{
    wheel->occupied[level][index >> 6] &= ~((uint64_t)1 << (index & 63));
    wheel->bucket[level][index] = 0;
}

// Puts an entry of a unit after the cursor into its bucket.
static bool wheel_place(kni_wheel *wheel, kni_memory *memory, kni_timer timer)
{
    int64_t unit = wheel_unit(timer.time);
    KN_ASSERT(unit > wheel->cursor);
    uint32_t level = 0;
    int64_t position = unit;
    while (position - wheel_position(wheel->cursor, level) >= KNI_WHEEL_BUCKETS) {
        if (level == WHEEL_TOP) {
            position = wheel_position(wheel->cursor, level) + WHEEL_MASK;
            break;
        }
        level++;
        position = wheel_position(unit, level);
    }
    // The invariant of this file.
    KN_ASSERT(
        position > wheel_position(wheel->cursor, level) && position <= wheel_position(unit, level));
    uint32_t index = (uint32_t)position & WHEEL_MASK;
    bool was_empty = wheel->bucket[level][index] == 0;
    KN_ASSERT(was_empty == ((wheel->occupied[level][index >> 6] >> (index & 63) & 1) == 0));
    if (!wheel_list_push(wheel, memory, &wheel->bucket[level][index], timer)) {
        return false;
    }
    if (was_empty) {
        wheel_set_occupied(wheel, level, index);
        int64_t start = wheel_start(position, level);
        if (level > 0 && start < wheel->coarse) {
            wheel->coarse = start;
        }
    }
    return true;
}

// Where the first occupied bucket of a level starts, in units; WHEEL_NEVER when there is none.
static int64_t wheel_level_start(const kni_wheel *wheel, uint32_t level)
{
    const uint64_t *occupied = wheel->occupied[level];
    if ((occupied[0] | occupied[1] | occupied[2] | occupied[3]) == 0) {
        return WHEEL_NEVER;
    }
    int64_t after = wheel_position(wheel->cursor, level) + 1;
    uint32_t first = (uint32_t)after & WHEEL_MASK;
    uint32_t word = first >> 6;
    uint64_t bits = occupied[word] & UINT64_MAX << (first & 63);
    while (bits == 0) { // ends at the bits before `first`
        word = (word + 1) % WHEEL_WORDS;
        bits = occupied[word];
    }
    uint32_t index = word * 64 + kni_bit_lowest(bits);
    int64_t position = after + ((index - first) & WHEEL_MASK);
    return wheel_start(position, level);
}

// The same for all levels above the lowest together.
static int64_t wheel_coarse_start(const kni_wheel *wheel)
{
    int64_t first = WHEEL_NEVER;
    for (uint32_t level = 1; level < KNI_WHEEL_LEVELS; level++) {
        int64_t start = wheel_level_start(wheel, level);
        first = start < first ? start : first;
    }
    return first;
}

// The heap

static void wheel_heap_sift_down(kni_wheel *wheel, uint32_t at)
{
    KN_ASSERT(at < wheel->heap_count);
    kni_timer *heap = wheel->heap;
    kni_timer timer = heap[at];
    for (;;) {
        uint32_t child = at * 2 + 1;
        if (child >= wheel->heap_count) {
            break;
        }
        if (child + 1 < wheel->heap_count && wheel_before(&heap[child + 1], &heap[child])) {
            child++;
        }
        if (!wheel_before(&heap[child], &timer)) {
            break;
        }
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = timer;
}

static bool wheel_heap_push(kni_wheel *wheel, kni_memory *memory, kni_timer timer)
{
    if (wheel->heap_count == wheel->heap_capacity &&
        !kni_grow(memory, &wheel->heap, &wheel->heap_capacity, wheel->heap_count + 1,
            sizeof *wheel->heap)) {
        return false;
    }
    kni_timer *heap = wheel->heap;
    uint32_t at = wheel->heap_count++;
    while (at > 0 && wheel_before(&timer, &heap[(at - 1) / 2])) {
        heap[at] = heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap[at] = timer;
    return true;
}

static void wheel_heap_pop(kni_wheel *wheel)
{
    KN_ASSERT(wheel->heap_count > 0);
    wheel->heap[0] = wheel->heap[--wheel->heap_count];
    if (wheel->heap_count > 1) {
        wheel_heap_sift_down(wheel, 0);
    }
}

// Moves entries that did not fit into the heap when they were added. False when they still do not
// fit.
static bool wheel_take_late(kni_wheel *wheel, kni_memory *memory)
{
    while (wheel->late != 0) {
        if (!wheel_heap_push(wheel, memory, wheel->entries[wheel->late - 1])) {
            return false;
        }
        wheel->late = wheel_list_pop(wheel, wheel->late);
    }
    return true;
}

// Adding

bool kni_wheel_reserve_entries(kni_wheel *wheel, kni_memory *memory, uint32_t count)
{
    uint64_t chunks = (uint64_t)count / KNI_WHEEL_CHUNK + 2 * KNI_WHEEL_BUCKETS;
    return count == 0 || wheel_grow_chunks(wheel, memory, chunks);
}

bool kni_wheel_reserve(kni_wheel *wheel, kni_memory *memory, uint32_t count)
{
    uint32_t chunks = kni_wheel_chunks_for(count);
    uint64_t wanted = (uint64_t)wheel->chunk_used + chunks;
    wanted -= wheel->chunk_free_count < chunks ? wheel->chunk_free_count : chunks;
    // The guarantee does not depend on the heap, since late entries can wait in a list; room for
    // the usual number of them avoids that detour.
    uint32_t late = count < WHEEL_HEAP_RESERVE ? count : WHEEL_HEAP_RESERVE;
    return wheel_grow_chunks(wheel, memory, wanted) &&
           kni_grow(memory, &wheel->heap, &wheel->heap_capacity, wheel->heap_count + late,
               sizeof *wheel->heap);
}

bool kni_wheel_add_slow(kni_wheel *wheel, kni_memory *memory, kni_timer timer)
{
    KN_ASSERT(timer.time >= 0 && timer.time <= KN_TIME_MAX);
    bool added;
    if (wheel_unit(timer.time) > wheel->cursor) {
        added = wheel_place(wheel, memory, timer);
    } else {
        added = wheel_heap_push(wheel, memory, timer) ||
                wheel_list_push(wheel, memory, &wheel->late, timer);
    }
    wheel->count += added;
    return added;
}

// Sorting

static void wheel_sort_insertion(kni_timer *timers, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        if (!wheel_before(&timers[i], &timers[i - 1])) {
            continue;
        }
        kni_timer timer = timers[i];
        uint32_t at = i;
        do {
            timers[at] = timers[at - 1];
            at--;
        } while (at > 0 && wheel_before(&timer, &timers[at - 1]));
        timers[at] = timer;
    }
}

// Merges the neighbours [0, middle) and [middle, count). `scratch` has room for the first.
static void wheel_merge(kni_timer *timers, uint32_t middle, uint32_t count, kni_timer *scratch)
{
    KN_ASSERT(middle > 0 && middle < count);
    if (!wheel_before(&timers[middle], &timers[middle - 1])) {
        return;
    }
    memcpy(scratch, timers, middle * sizeof *timers);
    uint32_t left = 0, right = middle, out = 0;
    while (left < middle && right < count) {
        bool take_right = wheel_before(&timers[right], &scratch[left]);
        timers[out++] = take_right ? timers[right] : scratch[left];
        right += take_right;
        left += !take_right;
    }
    memcpy(&timers[out], &scratch[left], (middle - left) * sizeof *timers);
}

// Many entries due almost together mostly come from one event, so they are already in order, or in
// reverse order after passing through a coarse bucket.
static bool wheel_sort_ordered(kni_timer *timers, uint32_t count)
{
    bool reverse = wheel_before(&timers[1], &timers[0]);
    for (uint32_t i = 2; i < count; i++) {
        if (wheel_before(&timers[i], &timers[i - 1]) != reverse) {
            return false;
        }
    }
    for (uint32_t i = 0, j = count - 1; reverse && i < j; i++, j--) {
        kni_timer timer = timers[i];
        timers[i] = timers[j];
        timers[j] = timer;
    }
    return true;
}

static void wheel_sort_merge(kni_timer *timers, uint32_t count, kni_timer *scratch)
{
    if (wheel_sort_ordered(timers, count)) {
        return;
    }
    for (uint32_t at = 0; at < count; at += WHEEL_INSERTION_MAX) {
        uint32_t rest = count - at;
        wheel_sort_insertion(timers + at, rest < WHEEL_INSERTION_MAX ? rest : WHEEL_INSERTION_MAX);
    }
    for (uint64_t width = WHEEL_INSERTION_MAX; width < count; width *= 2) {
        for (uint64_t at = 0; at + width < count; at += 2 * width) {
            uint64_t rest = count - at;
            wheel_merge(timers + at, (uint32_t)width,
                (uint32_t)(rest < 2 * width ? rest : 2 * width), scratch);
        }
    }
}

// Counting sort by the time within the unit. `ends` begins as the number of entries per bin.
typedef struct wheel_bins {
    uint32_t shift; // from microseconds to bins
    uint32_t count;
    uint32_t largest;
    uint32_t ends[WHEEL_BINS_MAX];
} wheel_bins;

static inline uint32_t wheel_bin(const wheel_bins *bins, kn_time time)
{
    return ((uint32_t)time & (WHEEL_BINS_MAX - 1)) >> bins->shift;
}

static void wheel_bins_count(
    wheel_bins *bins, const kni_wheel *wheel, uint32_t list, uint32_t entries)
{
    // At least twice as many bins as entries, so that few comparisons remain.
    bins->count = WHEEL_BINS_MIN;
    bins->shift = KNI_WHEEL_UNIT_BITS - WHEEL_BINS_MIN_BITS;
    while (bins->count < WHEEL_BINS_MAX && bins->count < entries * 2) {
        bins->count *= 2;
        bins->shift--;
    }
    memset(bins->ends, 0, bins->count * sizeof *bins->ends);
    for (; list != 0; list = wheel_list_rest(wheel, list)) {
        const kni_timer *timers = wheel_list_head(wheel, list);
        for (uint32_t i = 0; i < wheel_list_head_count(list); i++) {
            bins->ends[wheel_bin(bins, timers[i].time)]++;
        }
    }
    uint32_t end = 0;
    bins->largest = 0;
    for (uint32_t i = 0; i < bins->count; i++) {
        uint32_t count = bins->ends[i];
        bins->largest = count > bins->largest ? count : bins->largest;
        end += count;
        bins->ends[i] = end;
    }
}

// Walks from the newest entry to the oldest and fills bins from their ends, which keeps the order
// of arrival. Afterwards `ends` holds where bins begin.
static void wheel_bins_scatter(
    wheel_bins *bins, const kni_wheel *wheel, uint32_t list, kni_timer *out)
{
    for (; list != 0; list = wheel_list_rest(wheel, list)) {
        const kni_timer *timers = wheel_list_head(wheel, list);
        for (uint32_t i = wheel_list_head_count(list); i-- > 0;) {
            uint32_t bin = wheel_bin(bins, timers[i].time);
            KN_ASSERT(bin < bins->count && bins->ends[bin] > 0);
            out[--bins->ends[bin]] = timers[i];
        }
    }
}

static void wheel_bins_sort(
    const wheel_bins *bins, kni_timer *timers, uint32_t count, kni_timer *scratch)
{
    for (uint32_t i = 0; i < bins->count && bins->largest > WHEEL_INSERTION_MAX; i++) {
        uint32_t begin = bins->ends[i];
        uint32_t end = i + 1 < bins->count ? bins->ends[i + 1] : count;
        if (end - begin > WHEEL_INSERTION_MAX) {
            wheel_sort_merge(timers + begin, end - begin, scratch);
        }
    }
    // Entries stay in their bins, so one pass over all of them sorts every small bin.
    wheel_sort_insertion(timers, count);
}

// Makes a list the run, sorted. False when out of memory, with nothing changed.
static bool wheel_run_fill(kni_wheel *wheel, kni_memory *memory, uint32_t list)
{
    uint32_t count = wheel_list_count(wheel, list);
    if (count > wheel->run_capacity &&
        !kni_grow(memory, &wheel->run, &wheel->run_capacity, count, sizeof *wheel->run)) {
        return false;
    }
    KN_ASSERT(count > 0 && wheel->run_at == wheel->run_count);
    if (count < WHEEL_COUNTING_MIN) {
        memcpy(wheel->run, wheel_list_head(wheel, list), count * sizeof *wheel->run); // one chunk
        wheel_sort_insertion(wheel->run, count);
    } else {
        wheel_bins bins;
        wheel_bins_count(&bins, wheel, list, count);
        if (bins.largest > WHEEL_INSERTION_MAX &&
            !kni_grow(memory, &wheel->scratch, &wheel->scratch_capacity, bins.largest,
                sizeof *wheel->scratch)) {
            return false;
        }
        wheel_bins_scatter(&bins, wheel, list, wheel->run);
        wheel_bins_sort(&bins, wheel->run, count, wheel->scratch);
    }
    wheel->run_at = 0;
    wheel->run_count = count;
    return true;
}

// Opening

// Places the entries of a coarse bucket again. False when out of memory: the rest stays there.
static bool wheel_cascade(kni_wheel *wheel, kni_memory *memory, uint32_t level, uint32_t index)
{
    uint32_t *list = &wheel->bucket[level][index];
    while (*list != 0) {
        kni_timer timer = wheel->entries[*list - 1];
        if (!wheel_place(wheel, memory, timer)) {
            return false;
        }
        *list = wheel_list_pop(wheel, *list);
    }
    wheel_set_empty(wheel, level, index);
    return true;
}

// Empties every coarse bucket that begins at `start`, just after the cursor.
static bool wheel_cascade_all(kni_wheel *wheel, kni_memory *memory, int64_t start)
{
    for (uint32_t level = WHEEL_TOP; level > 0; level--) {
        uint32_t index = (uint32_t)wheel_position(start, level) & WHEEL_MASK;
        if (wheel_level_start(wheel, level) == start &&
            !wheel_cascade(wheel, memory, level, index)) {
            return false;
        }
    }
    return true;
}

// Makes the bucket of level 0 at `start` the run.
static bool wheel_open_fine(kni_wheel *wheel, kni_memory *memory, int64_t start)
{
    KN_ASSERT(start > wheel->cursor && start - wheel->cursor < KNI_WHEEL_BUCKETS);
    uint32_t index = (uint32_t)start & WHEEL_MASK;
    uint32_t list = wheel->bucket[0][index];
    if (!wheel_run_fill(wheel, memory, list)) {
        return false;
    }
    while (list != 0) {
        list = wheel_list_drop(wheel, list);
    }
    wheel_set_empty(wheel, 0, index);
    wheel->cursor = start;
    return true;
}

typedef enum wheel_opened {
    WHEEL_OPENED,  // the run has entries
    WHEEL_NOTHING, // no bucket starts at or before the unit
    WHEEL_NO_MEMORY,
} wheel_opened;

// Opens the next bucket that holds entries and starts at or before unit `last`.
static wheel_opened wheel_open(kni_wheel *wheel, kni_memory *memory, int64_t last)
{
    for (;;) {
        int64_t fine = wheel_level_start(wheel, 0);
        int64_t limit = fine < last ? fine : last;
        if (wheel->coarse <= limit) {
            wheel->coarse = wheel_coarse_start(wheel);
            KN_ASSERT(wheel->coarse > wheel->cursor);
            if (wheel->coarse <= limit) {
                wheel->cursor = wheel->coarse - 1;
                if (!wheel_cascade_all(wheel, memory, wheel->coarse)) {
                    return WHEEL_NO_MEMORY;
                }
            }
            continue;
        }
        if (fine <= last) {
            return wheel_open_fine(wheel, memory, fine) ? WHEEL_OPENED : WHEEL_NO_MEMORY;
        }
        // There is nothing to empty on the way. The cursor follows time even when the wheel is
        // idle, so that what is added next is placed as finely as possible.
        wheel->cursor = last > wheel->cursor ? last : wheel->cursor;
        return WHEEL_NOTHING;
    }
}

bool kni_wheel_pop_slow(
    kni_wheel *wheel, kni_memory *memory, kn_time until, kni_timer *timer, bool *failed)
{
    if (!wheel_take_late(wheel, memory)) {
        *failed = true;
        return false;
    }
    if (wheel->run_at == wheel->run_count && wheel->heap_count == 0) {
        wheel_opened opened = wheel_open(wheel, memory, wheel_unit(until));
        if (opened != WHEEL_OPENED) {
            *failed = *failed || opened == WHEEL_NO_MEMORY;
            return false;
        }
    }
    bool has_run = wheel->run_at < wheel->run_count;
    bool from_heap = wheel->heap_count > 0 &&
                     (!has_run || wheel_before(&wheel->heap[0], &wheel->run[wheel->run_at]));
    KN_ASSERT((from_heap || has_run) && wheel->count > 0);
    const kni_timer *next = from_heap ? &wheel->heap[0] : &wheel->run[wheel->run_at];
    if (next->time > until) {
        return false;
    }
    *timer = *next;
    if (from_heap) {
        wheel_heap_pop(wheel);
    } else {
        wheel->run_at++;
    }
    wheel->count--;
    return true;
}

static kn_time wheel_list_time(const kni_wheel *wheel, uint32_t list, kn_time earliest)
{
    for (; list != 0; list = wheel_list_rest(wheel, list)) {
        const kni_timer *timers = wheel_list_head(wheel, list);
        for (uint32_t i = 0; i < wheel_list_head_count(list); i++) {
            earliest = timers[i].time < earliest ? timers[i].time : earliest;
        }
    }
    return earliest;
}

kn_time kni_wheel_next_time(const kni_wheel *wheel)
{
    kn_time earliest = KN_TIME_INFINITE;
    if (wheel->run_at < wheel->run_count) {
        earliest = wheel->run[wheel->run_at].time;
    }
    if (wheel->heap_count > 0 && wheel->heap[0].time < earliest) {
        earliest = wheel->heap[0].time;
    }
    earliest = wheel_list_time(wheel, wheel->late, earliest);
    if (earliest != KN_TIME_INFINITE) {
        return earliest;
    }
    int64_t fine = wheel_level_start(wheel, 0);
    int64_t coarse = wheel_coarse_start(wheel);
    int64_t start = fine < coarse ? fine : coarse;
    return start == WHEEL_NEVER ? KN_TIME_INFINITE : start * WHEEL_UNIT;
}

// Sweeping

// Builds a list again from its living entries. Each chunk is freed before its entries are pushed,
// so pushing finds a free chunk whenever it needs one.
static uint32_t wheel_list_sweep(
    kni_wheel *wheel, uint32_t list, kni_timer_alive_fn *alive, void *user)
{
    uint32_t kept = 0;
    while (list != 0) {
        kni_timer timers[KNI_WHEEL_CHUNK];
        uint32_t count = wheel_list_head_count(list);
        memcpy(timers, wheel_list_head(wheel, list), count * sizeof *timers);
        list = wheel_list_drop(wheel, list);
        for (uint32_t i = 0; i < count; i++) {
            if (!alive(user, timers[i])) {
                wheel->count--;
                continue;
            }
            bool pushed = wheel_list_push(wheel, NULL, &kept, timers[i]);
            KN_ASSERT(pushed);
            (void)pushed;
        }
    }
    return kept;
}

static uint32_t wheel_array_sweep(
    kni_timer *timers, uint32_t count, kni_timer_alive_fn *alive, void *user)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (alive(user, timers[i])) {
            timers[kept++] = timers[i];
        }
    }
    return kept;
}

static void wheel_run_sweep(kni_wheel *wheel, kni_timer_alive_fn *alive, void *user)
{
    uint32_t count = wheel->run_count - wheel->run_at;
    uint32_t kept = wheel_array_sweep(wheel->run + wheel->run_at, count, alive, user);
    wheel->run_count = wheel->run_at + kept;
    wheel->count -= count - kept;
}

static void wheel_heap_sweep(kni_wheel *wheel, kni_timer_alive_fn *alive, void *user)
{
    uint32_t kept = wheel_array_sweep(wheel->heap, wheel->heap_count, alive, user);
    wheel->count -= wheel->heap_count - kept;
    wheel->heap_count = kept;
    for (uint32_t i = kept / 2; i-- > 0;) {
        wheel_heap_sift_down(wheel, i);
    }
}

void kni_wheel_sweep(kni_wheel *wheel, kni_timer_alive_fn *alive, void *user)
{
    if (wheel->run_at < wheel->run_count) {
        wheel_run_sweep(wheel, alive, user);
    }
    if (wheel->heap_count > 0) {
        wheel_heap_sweep(wheel, alive, user);
    }
    wheel->late = wheel_list_sweep(wheel, wheel->late, alive, user);
    for (uint32_t level = 0; level < KNI_WHEEL_LEVELS; level++) {
        for (uint32_t word = 0; word < WHEEL_WORDS; word++) {
            for (uint64_t bits = wheel->occupied[level][word]; bits != 0; bits &= bits - 1) {
                uint32_t index = word * 64 + kni_bit_lowest(bits);
                uint32_t kept = wheel_list_sweep(wheel, wheel->bucket[level][index], alive, user);
                wheel->bucket[level][index] = kept;
                if (kept == 0) {
                    wheel_set_empty(wheel, level, index);
                }
            }
        }
    }
    wheel->dead = 0;
}

// A snapshot is the header, then the chunks, the rest of the run, the heap, and the bucket heads of
// the levels that are not empty.

typedef struct wheel_header {
    uint64_t occupied[KNI_WHEEL_LEVELS][WHEEL_WORDS];
    int64_t cursor;
    uint32_t count;
    uint32_t dead;
    uint32_t chunk_used;
    uint32_t chunk_free;
    uint32_t chunk_free_count;
    uint32_t run_count;
    uint32_t heap_count;
    uint32_t late;
} wheel_header;

static bool wheel_level_is_empty(uint64_t occupied[WHEEL_WORDS])
{
    return (occupied[0] | occupied[1] | occupied[2] | occupied[3]) == 0;
}

static wheel_header wheel_header_of(const kni_wheel *wheel)
{
    wheel_header header = {
        .cursor = wheel->cursor,
        .count = wheel->count,
        .dead = wheel->dead,
        .chunk_used = wheel->chunk_used,
        .chunk_free = wheel->chunk_free,
        .chunk_free_count = wheel->chunk_free_count,
        .run_count = wheel->run_count - wheel->run_at,
        .heap_count = wheel->heap_count,
        .late = wheel->late,
    };
    memcpy(header.occupied, wheel->occupied, sizeof header.occupied);
    return header;
}

static uint8_t *wheel_write(uint8_t *out, const void *data, size_t size)
{
    if (size > 0) {
        memcpy(out, data, size);
    }
    return out + size;
}

static const uint8_t *wheel_read(const uint8_t *in, void *data, size_t size)
{
    if (size > 0) {
        memcpy(data, in, size);
    }
    return in + size;
}

size_t kni_wheel_snapshot_size(const kni_wheel *wheel)
{
    wheel_header header = wheel_header_of(wheel);
    size_t size = sizeof header + wheel_entries_size(header.chunk_used) +
                  wheel_next_size(header.chunk_used) +
                  ((size_t)header.run_count + header.heap_count) * sizeof(kni_timer);
    for (uint32_t level = 0; level < KNI_WHEEL_LEVELS; level++) {
        if (!wheel_level_is_empty(header.occupied[level])) {
            size += sizeof wheel->bucket[level];
        }
    }
    return size;
}

uint8_t *kni_wheel_snapshot(const kni_wheel *wheel, uint8_t *out)
{
    wheel_header header = wheel_header_of(wheel);
    out = wheel_write(out, &header, sizeof header);
    out = wheel_write(out, wheel->entries, wheel_entries_size(header.chunk_used));
    out = wheel_write(out, wheel->chunk_next, wheel_next_size(header.chunk_used));
    if (header.run_count > 0) {
        out = wheel_write(out, wheel->run + wheel->run_at, header.run_count * sizeof *wheel->run);
    }
    out = wheel_write(out, wheel->heap, header.heap_count * sizeof *wheel->heap);
    for (uint32_t level = 0; level < KNI_WHEEL_LEVELS; level++) {
        if (!wheel_level_is_empty(header.occupied[level])) {
            out = wheel_write(out, wheel->bucket[level], sizeof wheel->bucket[level]);
        }
    }
    return out;
}

const uint8_t *kni_wheel_restore(kni_wheel *wheel, kni_memory *memory, const uint8_t *in)
{
    wheel_header header;
    in = wheel_read(in, &header, sizeof header);
    KN_ASSERT(header.chunk_free_count <= header.chunk_used && header.dead <= header.count);
    KN_ASSERT(header.run_count <= header.count && header.heap_count <= header.count);
    if (!wheel_grow_chunks(wheel, memory, header.chunk_used) ||
        !kni_grow(
            memory, &wheel->run, &wheel->run_capacity, header.run_count, sizeof *wheel->run) ||
        !kni_grow(
            memory, &wheel->heap, &wheel->heap_capacity, header.heap_count, sizeof *wheel->heap)) {
        return NULL;
    }
    wheel->cursor = header.cursor;
    wheel->coarse = 0;
    wheel->count = header.count;
    wheel->dead = header.dead;
    wheel->chunk_used = header.chunk_used;
    wheel->chunk_free = header.chunk_free;
    wheel->chunk_free_count = header.chunk_free_count;
    wheel->run_at = 0;
    wheel->run_count = header.run_count;
    wheel->heap_count = header.heap_count;
    wheel->late = header.late;
    memcpy(wheel->occupied, header.occupied, sizeof wheel->occupied);
    in = wheel_read(in, wheel->entries, wheel_entries_size(header.chunk_used));
    in = wheel_read(in, wheel->chunk_next, wheel_next_size(header.chunk_used));
    in = wheel_read(in, wheel->run, header.run_count * sizeof *wheel->run);
    in = wheel_read(in, wheel->heap, header.heap_count * sizeof *wheel->heap);
    for (uint32_t level = 0; level < KNI_WHEEL_LEVELS; level++) {
        if (wheel_level_is_empty(header.occupied[level])) {
            memset(wheel->bucket[level], 0, sizeof wheel->bucket[level]);
        } else {
            in = wheel_read(in, wheel->bucket[level], sizeof wheel->bucket[level]);
        }
    }
    return in;
}

// Validation

typedef struct wheel_tally {
    uint64_t entries;
    uint64_t chunks;
} wheel_tally;

// All chunks behind the newest one are full. Counting them detects circles.
static bool wheel_list_validate(const kni_wheel *wheel, uint32_t list, wheel_tally *tally)
{
    for (bool newest = true; list != 0; newest = false) {
        if (wheel_list_chunk(list) >= wheel->chunk_used || tally->chunks == wheel->chunk_used ||
            (!newest && wheel_list_head_count(list) != KNI_WHEEL_CHUNK)) {
            return false;
        }
        tally->chunks++;
        tally->entries += wheel_list_head_count(list);
        list = wheel_list_rest(wheel, list);
    }
    return true;
}

static bool wheel_bucket_validate(
    const kni_wheel *wheel, uint32_t level, uint32_t index, wheel_tally *tally)
{
    uint32_t list = wheel->bucket[level][index];
    bool occupied = (wheel->occupied[level][index >> 6] >> (index & 63) & 1) != 0;
    if (occupied != (list != 0) || !wheel_list_validate(wheel, list, tally)) {
        return false;
    }
    int64_t cursor = wheel_position(wheel->cursor, level);
    int64_t position = cursor + ((index - (uint32_t)cursor) & WHEEL_MASK);
    for (; list != 0; list = wheel_list_rest(wheel, list)) {
        const kni_timer *timers = wheel_list_head(wheel, list);
        for (uint32_t i = 0; i < wheel_list_head_count(list); i++) {
            int64_t own = wheel_position(wheel_unit(timers[i].time), level);
            if (position == cursor || own < position || (own > position && level < WHEEL_TOP)) {
                return false;
            }
        }
    }
    return true;
}

// Most levels are empty most of the time.
static bool wheel_level_validate(const kni_wheel *wheel, uint32_t level, wheel_tally *tally)
{
    static const uint32_t nothing[KNI_WHEEL_BUCKETS];
    if (wheel_level_start(wheel, level) == WHEEL_NEVER) {
        return memcmp(wheel->bucket[level], nothing, sizeof nothing) == 0;
    }
    for (uint32_t index = 0; index < KNI_WHEEL_BUCKETS; index++) {
        if (!wheel_bucket_validate(wheel, level, index, tally)) {
            return false;
        }
    }
    return true;
}

static bool wheel_open_validate(const kni_wheel *wheel)
{
    for (uint32_t i = wheel->run_at; i < wheel->run_count; i++) {
        if (wheel_unit(wheel->run[i].time) > wheel->cursor ||
            (i > wheel->run_at && wheel_before(&wheel->run[i], &wheel->run[i - 1]))) {
            return false;
        }
    }
    for (uint32_t i = 0; i < wheel->heap_count; i++) {
        if (wheel_unit(wheel->heap[i].time) > wheel->cursor ||
            (i > 0 && wheel_before(&wheel->heap[i], &wheel->heap[(i - 1) / 2]))) {
            return false;
        }
    }
    return true;
}

static bool wheel_free_validate(const kni_wheel *wheel, wheel_tally *tally)
{
    uint32_t count = 0;
    for (uint32_t chunk1 = wheel->chunk_free; chunk1 != 0; chunk1 = wheel->chunk_next[chunk1 - 1]) {
        if (chunk1 > wheel->chunk_used || tally->chunks == wheel->chunk_used) {
            return false;
        }
        tally->chunks++;
        count++;
    }
    return count == wheel->chunk_free_count && tally->chunks == wheel->chunk_used;
}

bool kni_wheel_validate(const kni_wheel *wheel)
{
    wheel_tally tally = {.entries = wheel->heap_count};
    bool good = wheel->run_at <= wheel->run_count && wheel->run_count <= wheel->run_capacity &&
                wheel->heap_count <= wheel->heap_capacity &&
                wheel->chunk_used <= wheel->chunk_capacity &&
                wheel->coarse <= wheel_coarse_start(wheel) && wheel_open_validate(wheel) &&
                wheel_list_validate(wheel, wheel->late, &tally);
    for (uint32_t level = 0; level < KNI_WHEEL_LEVELS && good; level++) {
        good = wheel_level_validate(wheel, level, &tally);
    }
    tally.entries += wheel->run_count - wheel->run_at;
    good = good && wheel_free_validate(wheel, &tally) && tally.entries == wheel->count;
    KN_ASSERT(good && "wheel is damaged");
    return good;
}
