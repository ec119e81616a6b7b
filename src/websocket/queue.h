// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Messages that wait, in a ring of bytes that is allocated once. Each message is in one piece, with
// room before it where libwebsockets writes the head of its frame.
#ifndef KNI_WEBSOCKET_QUEUE_H
#define KNI_WEBSOCKET_QUEUE_H

#include "knack/tools.h"
#include "knack/websocket.h"

/// A ring of messages.
typedef struct kni_websocket_queue {
    uint8_t *bytes;
    uint32_t capacity; ///< a multiple of 8
    uint32_t first;    ///< where the next message to take begins
    uint32_t end;      ///< where the last one ends; equal to `first`: empty
    uint32_t place;    ///< where the message that is being written begins
} kni_websocket_queue;

/// False when out of memory.
bool kni_websocket_queue_init(kni_websocket_queue *queue, const kn_hooks *hooks, uint32_t capacity);
void kni_websocket_queue_free(kni_websocket_queue *queue, const kn_hooks *hooks);
bool kni_websocket_queue_is_empty(const kni_websocket_queue *queue);
/// Bytes in use.
uint32_t kni_websocket_queue_used(const kni_websocket_queue *queue);
/// True if a message of `size` bytes fits.
bool kni_websocket_queue_has_room(const kni_websocket_queue *queue, uint32_t size);
/// Room for a message of at most `size` bytes, for kni_websocket_queue_commit(); NULL if it does
/// not fit. Messages may be taken in between; another call drops what was written.
uint8_t *kni_websocket_queue_reserve(kni_websocket_queue *queue, uint32_t size);
/// Adds the message that was reserved, with the bytes that it has in the end.
void kni_websocket_queue_commit(kni_websocket_queue *queue, uint32_t size);
/// The next message, NULL if there is none. LWS_PRE bytes before it may be overwritten.
uint8_t *kni_websocket_queue_peek(kni_websocket_queue *queue, uint32_t *size);
/// Removes what the last kni_websocket_queue_peek() gave. Its bytes stay until the next reserve.
void kni_websocket_queue_drop(kni_websocket_queue *queue);

#endif
