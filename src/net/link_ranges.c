// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "link_ranges.h"

#include <string.h>

// Replaces `old_count` ranges from `at` on by `new_count` others, for which there must be room.
static void ranges_replace(
    kni_ranges *ranges, uint32_t at, uint32_t old_count, const kni_range *items, uint32_t new_count)
{
    uint32_t behind = ranges->count - at - old_count;
    memmove(&ranges->items[at + new_count], &ranges->items[at + old_count],
        behind * sizeof(ranges->items[0]));
    if (new_count > 0) {
        memcpy(&ranges->items[at], items, new_count * sizeof(ranges->items[0]));
    }
    ranges->count = ranges->count - old_count + new_count;
}

// The first range that ends at `begin` or later: the first that a range from there could touch.
static uint32_t ranges_find(const kni_ranges *ranges, uint64_t begin)
{
    uint32_t at = 0;
    while (at < ranges->count && ranges->items[at].end < begin) {
        at++;
    }
    return at;
}

bool kni_ranges_add(kni_ranges *ranges, uint64_t begin, uint64_t end)
{
    if (begin >= end) {
        return true;
    }
    uint32_t at = ranges_find(ranges, begin);
    uint32_t touched = 0;
    kni_range joined = {begin, end};
    for (; at + touched < ranges->count && ranges->items[at + touched].begin <= end; touched++) {
        const kni_range *other = &ranges->items[at + touched];
        joined.begin = other->begin < joined.begin ? other->begin : joined.begin;
        joined.end = other->end > joined.end ? other->end : joined.end;
    }
    if (touched == 0 && ranges->count == KNI_RANGES_MAX) {
        return false;
    }
    ranges_replace(ranges, at, touched, &joined, 1);
    return true;
}

void kni_ranges_cover(kni_ranges *ranges, uint64_t begin, uint64_t end)
{
    if (kni_ranges_add(ranges, begin, end)) {
        return;
    }
    uint32_t at = ranges_find(ranges, begin);
    bool has_before = at > 0;
    bool has_behind = at < ranges->count;
    uint64_t before = has_before ? begin - ranges->items[at - 1].end : UINT64_MAX;
    uint64_t behind = has_behind ? ranges->items[at].begin - end : UINT64_MAX;
    if (before <= behind) {
        ranges->items[at - 1].end = end;
    } else {
        ranges->items[at].begin = begin;
    }
}

void kni_ranges_remove(kni_ranges *ranges, uint64_t begin, uint64_t end)
{
    uint32_t at = 0;
    while (begin < end && at < ranges->count && ranges->items[at].begin < end) {
        kni_range old = ranges->items[at];
        kni_range rest[2];
        uint32_t count = 0;
        if (old.begin < begin) {
            rest[count++] = (kni_range){old.begin, old.end < begin ? old.end : begin};
        }
        if (old.end > end) {
            rest[count++] = (kni_range){end, old.end};
        }
        if (count == 2 && ranges->count == KNI_RANGES_MAX) {
            return;
        }
        ranges_replace(ranges, at, 1, rest, count);
        at += count;
    }
}

uint64_t kni_ranges_total(const kni_ranges *ranges)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        total += ranges->items[i].end - ranges->items[i].begin;
    }
    return total;
}
