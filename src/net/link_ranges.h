// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A set of numbers as a few ranges, sorted and apart from each other. It has no more than a fixed
// number of them, whatever a peer does.
#ifndef KNI_LINK_RANGES_H
#define KNI_LINK_RANGES_H

#include "knack/base.h"

#define KNI_RANGES_MAX 64

// From `begin`, up to and without `end`.
typedef struct kni_range {
    uint64_t begin, end;
} kni_range;

typedef struct kni_ranges {
    uint32_t count;
    kni_range items[KNI_RANGES_MAX];
} kni_ranges;

// Adds a range. False if it would be one too many, with nothing changed.
bool kni_ranges_add(kni_ranges *ranges, uint64_t begin, uint64_t end);
// Adds a range, and if it is one too many, also the gap to its closest neighbour.
void kni_ranges_cover(kni_ranges *ranges, uint64_t begin, uint64_t end);
// Removes what lies in a range, but leaves it if two would remain of one and that is one too many.
void kni_ranges_remove(kni_ranges *ranges, uint64_t begin, uint64_t end);
// How many numbers are in the set.
uint64_t kni_ranges_total(const kni_ranges *ranges);

#endif
