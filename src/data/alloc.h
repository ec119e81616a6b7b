// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Memory of the data module: every block goes through the host's hook, sizes included.
#ifndef KNI_ALLOC_H
#define KNI_ALLOC_H

#include "knack/base.h"

// As kn_realloc_fn, with the C library's allocator where `hooks` names none.
void *kni_alloc_resize(const kn_hooks *hooks, void *ptr, size_t old_size, size_t new_size);
void kni_alloc_free(const kn_hooks *hooks, void *ptr, size_t size); // NULL is fine

// Makes room for `wanted` elements in a growing array: *capacity at least doubles. False when out
// of memory, with the array untouched. `array` is the address of the array's pointer.
bool kni_alloc_grow(
    const kn_hooks *hooks, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size);

// A growing block of bytes, 1 GB at most. Zero with `hooks` set is an empty one.
typedef struct kni_buffer {
    kn_hooks hooks;
    char *data;
    uint32_t size;
    uint32_t capacity;
} kni_buffer;

#define KNI_BUFFER_MAX ((size_t)1 << 30)

// False when out of memory or beyond the limit, with nothing added.
bool kni_buffer_add(kni_buffer *buffer, const void *bytes, size_t size);

// The offset of a copy of `text` with a zero at its end, or UINT32_MAX when out of memory.
uint32_t kni_buffer_add_text(kni_buffer *buffer, const char *text, size_t length);

void kni_buffer_free(kni_buffer *buffer);

#endif
