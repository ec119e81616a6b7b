// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Memory of one library or world: every block goes through the host's hook, with its size.
#ifndef KNI_MEMORY_H
#define KNI_MEMORY_H

#include "knack/base.h"

#include "base/compiler.h"

#define KNI_NONE UINT32_MAX

typedef struct kni_memory {
    kn_realloc_fn *realloc_fn;
    void *user;
    uint64_t bytes;       // currently allocated
    uint64_t allocations; // calls that made or enlarged a block
} kni_memory;

void kni_memory_init(kni_memory *memory, const kn_hooks *hooks);

// NULL when the host is out of memory, with the old block untouched. Shrinking never fails.
void *kni_realloc(kni_memory *memory, void *ptr, size_t old_size, size_t new_size);
void kni_free(kni_memory *memory, void *ptr, size_t size);

// Makes room for `wanted` elements in a growing array: *capacity at least doubles. False when out
// of memory, with the array untouched. `array` is the address of the array's pointer.
KNI_SLOW bool kni_grow_slow(
    kni_memory *memory, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size);

static inline bool kni_grow(
    kni_memory *memory, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size)
{
    return wanted <= *capacity || kni_grow_slow(memory, array, capacity, wanted, element_size);
}

// A copy of a zero-terminated string, or NULL when out of memory.
char *kni_strdup(kni_memory *memory, const char *text);
void kni_strfree(kni_memory *memory, char *text);

#endif
