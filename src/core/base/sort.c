// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Heap sort: in place, and no input makes it slow. It is ours because qsort() may order equal keys
// differently in each C library, and results must be the same on every machine.

#include "base/sort.h"

#include <stdbool.h>
#include <string.h>

static kni_sort_item sort_load(const uint8_t *items, size_t size, uint32_t index)
{
    const uint8_t *at = items + size * index;
    kni_sort_item item = {0, 0, 0};
    if (size == sizeof(kni_sort_item)) {
        memcpy(&item, at, sizeof(item));
    } else {
        uint32_t parts[2] = {0, 0};
        memcpy(parts, at, size);
        item.key = parts[0];
        item.value = parts[1];
    }
    return item;
}

static void sort_store(uint8_t *items, size_t size, uint32_t index, kni_sort_item item)
{
    uint8_t *at = items + size * index;
    if (size == sizeof(kni_sort_item)) {
        memcpy(at, &item, sizeof(item));
        return;
    }
    const uint32_t parts[2] = {(uint32_t)item.key, item.value};
    memcpy(at, parts, size);
}

static void sort_sift(uint8_t *items, size_t size, uint32_t at, uint32_t count)
{
    kni_sort_item item = sort_load(items, size, at);
    for (;;) {
        uint32_t child = at * 2 + 1;
        if (child >= count) {
            break;
        }
        kni_sort_item larger = sort_load(items, size, child);
        if (child + 1 < count) {
            kni_sort_item other = sort_load(items, size, child + 1);
            if (other.key > larger.key) {
                larger = other;
                child++;
            }
        }
        if (larger.key <= item.key) {
            break;
        }
        sort_store(items, size, at, larger);
        at = child;
    }
    sort_store(items, size, at, item);
}

void kni_sort_by_key(void *array, size_t size, uint32_t count)
{
    uint8_t *items = array;
    bool is_sorted = true;
    for (uint32_t i = 1; i < count && is_sorted; i++) {
        is_sorted = sort_load(items, size, i - 1).key <= sort_load(items, size, i).key;
    }
    if (is_sorted) {
        return;
    }
    for (uint32_t i = count / 2; i-- > 0;) {
        sort_sift(items, size, i, count);
    }
    for (uint32_t end = count - 1; end > 0; end--) {
        kni_sort_item first = sort_load(items, size, 0);
        sort_store(items, size, 0, sort_load(items, size, end));
        sort_store(items, size, end, first);
        sort_sift(items, size, 0, end);
    }
}
