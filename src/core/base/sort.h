// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sorts by key, the same on every host. No input makes it slow; the order among equal keys is not
// defined.
#ifndef KNI_SORT_H
#define KNI_SORT_H

#include <stddef.h>
#include <stdint.h>

typedef struct kni_sort_item {
    uint64_t key;
    uint32_t value;
} kni_sort_item;

// Items are kni_sort_item, or begin with a uint32_t key and have 4 or 8 bytes.
void kni_sort_by_key(void *items, size_t item_size, uint32_t count);

#endif
