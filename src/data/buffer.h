// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bytes and texts that grow, by the host's allocator.
#ifndef KNI_BUFFER_H
#define KNI_BUFFER_H

#include "knack/tools.h"

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
