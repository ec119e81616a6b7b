// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events that wait for the host of a session, each with bytes of its own.
#ifndef KNI_QUEUE_H
#define KNI_QUEUE_H

#include "knack/tools.h"

// The bytes of one event; they belong to the queue.
typedef struct queue_bytes {
    uint8_t *data;
    uint32_t size;
} queue_bytes;

// All-zero is empty.
typedef struct event_queue {
    uint8_t *events;
    queue_bytes *bytes; // of each
    uint32_t first, count;
    uint32_t event_capacity, bytes_capacity;
    queue_bytes given; // of the event that was given last
} event_queue;

// Adds an event of `event_size` bytes; `bytes` are copied.
kn_result kni_queue_add(event_queue *queue, const kn_hooks *hooks, const void *event,
    uint32_t event_size, const void *bytes, uint32_t size);
// Takes the next event. Its bytes are valid until the next call. False if there is none.
bool kni_queue_next(event_queue *queue, const kn_hooks *hooks, void *event, uint32_t event_size,
    queue_bytes *bytes);
void kni_queue_free(event_queue *queue, const kn_hooks *hooks, uint32_t event_size);

#endif
