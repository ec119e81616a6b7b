// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "alloc.h"

#include <stdlib.h>
#include <string.h>

#define ALLOC_FIRST_CAPACITY 8

void *kni_alloc_resize(const kn_hooks *hooks, void *ptr, size_t old_size, size_t new_size)
{
    if (hooks->realloc_fn != NULL) {
        return hooks->realloc_fn(hooks->realloc_user, ptr, old_size, new_size);
    }
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

void kni_alloc_free(const kn_hooks *hooks, void *ptr, size_t size)
{
    if (ptr != NULL) {
        kni_alloc_resize(hooks, ptr, size, 0);
    }
}

bool kni_alloc_grow(
    const kn_hooks *hooks, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size)
{
    if (wanted <= *capacity) {
        return true;
    }
    uint32_t new_capacity = *capacity > UINT32_MAX / 2 ? UINT32_MAX : *capacity * 2;
    if (new_capacity < ALLOC_FIRST_CAPACITY) {
        new_capacity = ALLOC_FIRST_CAPACITY;
    }
    if (new_capacity < wanted) {
        new_capacity = wanted;
    }
    if (new_capacity > SIZE_MAX / element_size) {
        return false;
    }
    // The pointer behind `array` may have any object type, so it is read and written as bytes.
    void *block;
    memcpy(&block, array, sizeof block);
    block = kni_alloc_resize(hooks, block, *capacity * element_size, new_capacity * element_size);
    if (block == NULL) {
        return false;
    }
    memcpy(array, &block, sizeof block);
    *capacity = new_capacity;
    return true;
}

static bool buffer_reserve(kni_buffer *buffer, size_t more)
{
    if (more > KNI_BUFFER_MAX - buffer->size) {
        return false;
    }
    return kni_alloc_grow(
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
    kni_alloc_free(&buffer->hooks, buffer->data, buffer->capacity);
    *buffer = (kni_buffer){.hooks = buffer->hooks};
}
