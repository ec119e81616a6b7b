// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#ifndef KNI_SORT_H
#define KNI_SORT_H

#include <stddef.h>
#include <stdint.h>

// Sorts by key, in place and in O(n log n) for every input. Items are kni_sort_item, or 4 or 8
// bytes that begin with a uint32_t key. The order among equal keys is not defined.
typedef struct kni_sort_item {
    uint64_t key;
    uint32_t value;
    uint32_t rest; // moves along; makes its size the same on every machine
} kni_sort_item;

_Static_assert(sizeof(kni_sort_item) == 16, "records of this size are sorted as such items");
void kni_sort_by_key(void *items, size_t item_size, uint32_t count);

#endif
