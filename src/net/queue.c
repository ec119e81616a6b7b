// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "queue.h"

#include <string.h>

kn_result kni_queue_add(event_queue *queue, const kn_hooks *hooks, const void *event,
    uint32_t event_size, const void *bytes, uint32_t size)
{
    if (queue->first > 0 && queue->first == queue->count) {
        queue->first = queue->count = 0;
    }
    uint32_t wanted = queue->count + 1;
    if (!kn_memory_grow(hooks, &queue->events, &queue->event_capacity, wanted, event_size) ||
        !kn_memory_grow(
            hooks, &queue->bytes, &queue->bytes_capacity, wanted, sizeof(queue_bytes))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    queue_bytes copy = {0};
    if (size > 0) {
        copy = (queue_bytes){kn_memory_resize(hooks, NULL, 0, size), size};
        if (copy.data == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        memcpy(copy.data, bytes, size);
    }
    memcpy(queue->events + (size_t)queue->count * event_size, event, event_size);
    queue->bytes[queue->count++] = copy;
    return KN_OK;
}

bool kni_queue_next(
    event_queue *queue, const kn_hooks *hooks, void *event, uint32_t event_size, queue_bytes *bytes)
{
    kn_memory_free(hooks, queue->given.data, queue->given.size);
    queue->given = (queue_bytes){0};
    *bytes = queue->given;
    if (queue->first == queue->count) {
        return false;
    }
    memcpy(event, queue->events + (size_t)queue->first * event_size, event_size);
    queue->given = *bytes = queue->bytes[queue->first++];
    return true;
}

void kni_queue_free(event_queue *queue, const kn_hooks *hooks, uint32_t event_size)
{
    for (uint32_t i = queue->first; i < queue->count; i++) {
        kn_memory_free(hooks, queue->bytes[i].data, queue->bytes[i].size);
    }
    kn_memory_free(hooks, queue->given.data, queue->given.size);
    kn_memory_free(hooks, queue->events, (size_t)queue->event_capacity * event_size);
    kn_memory_free(hooks, queue->bytes, queue->bytes_capacity * sizeof(queue_bytes));
    *queue = (event_queue){0};
}
