// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A message is a head of QUEUE_HEAD bytes, which begins with its size, and its bytes, rounded up
// to 8. One that does not fit before the end of the ring begins at its start; the size QUEUE_WRAP
// stands where it would have begun, unless that is the very end.

#include "queue.h"

#include <libwebsockets.h>

#define QUEUE_HEAD 32u
#define QUEUE_WRAP UINT32_MAX

_Static_assert(LWS_PRE + sizeof(uint32_t) <= QUEUE_HEAD, "the size must survive a frame's head");
_Static_assert(QUEUE_HEAD + 7 < KN_WEBSOCKET_MESSAGE_EXTRA + 1, "as the header promises");

bool kni_websocket_queue_init(kni_websocket_queue *queue, const kn_hooks *hooks, uint32_t capacity)
{
    // 8 bytes more: a full ring must not look empty.
    *queue = (kni_websocket_queue){.capacity = (capacity + 7) / 8 * 8 + 8};
    queue->bytes = kn_memory_resize(hooks, NULL, 0, queue->capacity);
    if (queue->bytes == NULL) {
        *queue = (kni_websocket_queue){0};
        return false;
    }
    return true;
}

void kni_websocket_queue_free(kni_websocket_queue *queue, const kn_hooks *hooks)
{
    kn_memory_free(hooks, queue->bytes, queue->capacity);
    *queue = (kni_websocket_queue){0};
}

bool kni_websocket_queue_is_empty(const kni_websocket_queue *queue)
{
    return queue->first == queue->end;
}

uint32_t kni_websocket_queue_used(const kni_websocket_queue *queue)
{
    return queue->end >= queue->first ? queue->end - queue->first
                                      : queue->capacity - queue->first + queue->end;
}

static uint32_t queue_length(uint32_t size)
{
    return QUEUE_HEAD + (size + 7) / 8 * 8;
}

// Where a message of `length` bytes, with its head, can begin; UINT32_MAX: nowhere.
static uint32_t queue_place(const kni_websocket_queue *queue, uint32_t length)
{
    if (queue->first == queue->end) {
        return length < queue->capacity ? 0 : UINT32_MAX;
    }
    if (queue->end < queue->first) {
        return length < queue->first - queue->end ? queue->end : UINT32_MAX;
    }
    if (length <= queue->capacity - queue->end) {
        return queue->end;
    }
    return length < queue->first ? 0 : UINT32_MAX;
}

bool kni_websocket_queue_has_room(const kni_websocket_queue *queue, uint32_t size)
{
    return queue_place(queue, queue_length(size)) != UINT32_MAX;
}

static void queue_set_size(kni_websocket_queue *queue, uint32_t place, uint32_t size)
{
    memcpy(queue->bytes + place, &size, sizeof size);
}

uint8_t *kni_websocket_queue_reserve(kni_websocket_queue *queue, uint32_t size)
{
    uint32_t place = queue_place(queue, queue_length(size));
    if (place == UINT32_MAX) {
        return NULL;
    }
    if (kni_websocket_queue_is_empty(queue)) {
        queue->first = 0;
        queue->end = 0;
    }
    queue->place = place;
    return queue->bytes + place + QUEUE_HEAD;
}

void kni_websocket_queue_commit(kni_websocket_queue *queue, uint32_t size)
{
    if (queue->place != queue->end && queue->end < queue->capacity) {
        queue_set_size(queue, queue->end, QUEUE_WRAP);
    }
    queue_set_size(queue, queue->place, size);
    queue->end = queue->place + queue_length(size);
}

static uint32_t queue_size_at(const kni_websocket_queue *queue, uint32_t place)
{
    uint32_t size = QUEUE_WRAP;
    if (place < queue->capacity) {
        memcpy(&size, queue->bytes + place, sizeof size);
    }
    return size;
}

uint8_t *kni_websocket_queue_peek(kni_websocket_queue *queue, uint32_t *size)
{
    if (kni_websocket_queue_is_empty(queue)) {
        *size = 0;
        return NULL;
    }
    *size = queue_size_at(queue, queue->first);
    if (*size == QUEUE_WRAP) {
        queue->first = 0;
        *size = queue_size_at(queue, 0);
    }
    return queue->bytes + queue->first + QUEUE_HEAD;
}

void kni_websocket_queue_drop(kni_websocket_queue *queue)
{
    queue->first += queue_length(queue_size_at(queue, queue->first));
}
