// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What waits to be taken by the host: datagrams to send, and payloads that arrived. Memory is
// allocated once.
#ifndef KNI_UDP_QUEUE_H
#define KNI_UDP_QUEUE_H

#include "wire.h"

/// Least and most bytes of an outbox.
#define KNI_UDP_OUTBOX_MIN 4096
#define KNI_UDP_OUTBOX_MAX (1u << 30)
/// Most payloads of an inbox.
#define KNI_UDP_INBOX_MAX (1u << 16)

/// Datagrams to send.
typedef struct kni_udp_outbox {
    uint8_t *bytes;
    uint32_t capacity;
    uint32_t first; ///< where the next datagram to take begins
    uint32_t end;   ///< where the next one to add begins
} kni_udp_outbox;

bool kni_udp_outbox_init(kni_udp_outbox *outbox, const kn_hooks *hooks, uint32_t capacity);
void kni_udp_outbox_free(kni_udp_outbox *outbox, const kn_hooks *hooks);
/// True if a datagram of `size` bytes fits.
bool kni_udp_outbox_has_room(const kni_udp_outbox *outbox, size_t size);
/// Adds a datagram. False if there is no room for it.
bool kni_udp_outbox_add(
    kni_udp_outbox *outbox, const kn_address *to, const uint8_t *bytes, size_t size);
/// Takes the next datagram. Its bytes stay until something is added.
bool kni_udp_outbox_take(kni_udp_outbox *outbox, kn_udp_datagram *datagram);

/// Payloads that arrived.
typedef struct kni_udp_inbox {
    struct kni_udp_cell *cells;
    uint32_t capacity;
    uint32_t first;
    uint32_t count;
} kni_udp_inbox;

bool kni_udp_inbox_init(kni_udp_inbox *inbox, const kn_hooks *hooks, uint32_t capacity);
void kni_udp_inbox_free(kni_udp_inbox *inbox, const kn_hooks *hooks);
/// Drops everything.
void kni_udp_inbox_clear(kni_udp_inbox *inbox);
/// Adds a payload. False if there is no room for it.
bool kni_udp_inbox_add(kni_udp_inbox *inbox, const uint8_t *bytes, size_t size);
/// Takes the next payload. Its bytes stay until something is added.
bool kni_udp_inbox_take(kni_udp_inbox *inbox, kn_udp_payload *payload);

#endif
