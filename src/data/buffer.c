// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "buffer.h"

#include <string.h>

static bool buffer_reserve(kni_buffer *buffer, size_t more)
{
    if (more > KNI_BUFFER_MAX - buffer->size) {
        return false;
    }
    return kn_memory_grow(
        &buffer->hooks, &buffer->data, &buffer->capacity, buffer->size + (uint32_t)more, 1);
}

bool kni_buffer_add(kni_buffer *buffer, const void *bytes, size_t size)
{
    if (size == 0) {
        return true;
    }
    if (!buffer_reserve(buffer, size)) {
        return false;
    }
    memcpy(buffer->data + buffer->size, bytes, size);
    buffer->size += (uint32_t)size;
    return true;
}

uint32_t kni_buffer_add_text(kni_buffer *buffer, const char *text, size_t length)
{
    uint32_t start = buffer->size;
    if (length >= KNI_BUFFER_MAX || !buffer_reserve(buffer, length + 1)) {
        return UINT32_MAX;
    }
    if (length > 0) {
        memcpy(buffer->data + start, text, length);
    }
    buffer->data[start + length] = '\0';
    buffer->size += (uint32_t)length + 1;
    return start;
}

void kni_buffer_free(kni_buffer *buffer)
{
    kn_memory_free(&buffer->hooks, buffer->data, buffer->capacity);
    *buffer = (kni_buffer){.hooks = buffer->hooks};
}
