// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The outbox is one block in which datagrams follow one another. When the end is reached, what was
// taken at its beginning is closed up. Payloads have a cell of full size each, so that a peer that
// sends many small ones takes no room from others.

#include "queue.h"

// Outbox ----------------------------------------------------------------------

// In front of the bytes of each datagram.
typedef struct queue_front {
    kn_address address;
    uint32_t size;
} queue_front;

_Static_assert(sizeof(queue_front) <= 32, "the header says 32");

bool kni_udp_outbox_init(kni_udp_outbox *outbox, const kn_hooks *hooks, uint32_t capacity)
{
    *outbox = (kni_udp_outbox){.capacity = capacity};
    outbox->bytes = kn_memory_resize(hooks, NULL, 0, capacity);
    return outbox->bytes != NULL;
}

void kni_udp_outbox_free(kni_udp_outbox *outbox, const kn_hooks *hooks)
{
    kn_memory_free(hooks, outbox->bytes, outbox->capacity);
    *outbox = (kni_udp_outbox){0};
}

bool kni_udp_outbox_has_room(const kni_udp_outbox *outbox, size_t size)
{
    return sizeof(queue_front) + size <= outbox->capacity - (outbox->end - outbox->first);
}

bool kni_udp_outbox_add(
    kni_udp_outbox *outbox, const kn_address *to, const uint8_t *bytes, size_t size)
{
    if (!kni_udp_outbox_has_room(outbox, size)) {
        return false;
    }
    if (outbox->first > 0 && sizeof(queue_front) + size > outbox->capacity - outbox->end) {
        memmove(outbox->bytes, outbox->bytes + outbox->first, outbox->end - outbox->first);
        outbox->end -= outbox->first;
        outbox->first = 0;
    }
    queue_front front = {*to, (uint32_t)size};
    memcpy(outbox->bytes + outbox->end, &front, sizeof front);
    memcpy(outbox->bytes + outbox->end + sizeof front, bytes, size);
    outbox->end += (uint32_t)(sizeof front + size);
    return true;
}

bool kni_udp_outbox_take(kni_udp_outbox *outbox, kn_udp_datagram *datagram)
{
    *datagram = (kn_udp_datagram){0};
    if (outbox->first == outbox->end) {
        return false;
    }
    queue_front front;
    memcpy(&front, outbox->bytes + outbox->first, sizeof front);
    datagram->address = front.address;
    datagram->bytes = outbox->bytes + outbox->first + sizeof front;
    datagram->size = front.size;
    outbox->first += (uint32_t)sizeof front + front.size;
    if (outbox->first == outbox->end) {
        outbox->first = outbox->end = 0;
    }
    return true;
}

// Inbox -----------------------------------------------------------------------

typedef struct kni_udp_cell {
    uint16_t size;
    uint8_t bytes[KN_UDP_PAYLOAD_MAX];
} kni_udp_cell;

bool kni_udp_inbox_init(kni_udp_inbox *inbox, const kn_hooks *hooks, uint32_t capacity)
{
    *inbox = (kni_udp_inbox){.capacity = capacity};
    inbox->cells = kn_memory_resize(hooks, NULL, 0, capacity * sizeof *inbox->cells);
    return inbox->cells != NULL;
}

void kni_udp_inbox_free(kni_udp_inbox *inbox, const kn_hooks *hooks)
{
    kn_memory_free(hooks, inbox->cells, inbox->capacity * sizeof *inbox->cells);
    *inbox = (kni_udp_inbox){0};
}

void kni_udp_inbox_clear(kni_udp_inbox *inbox)
{
    inbox->first = inbox->count = 0;
}

bool kni_udp_inbox_add(kni_udp_inbox *inbox, const uint8_t *bytes, size_t size)
{
    KN_ASSERT(size <= KN_UDP_PAYLOAD_MAX);
    if (inbox->count == inbox->capacity) {
        return false;
    }
    kni_udp_cell *cell = &inbox->cells[(inbox->first + inbox->count) % inbox->capacity];
    cell->size = (uint16_t)size;
    memcpy(cell->bytes, bytes, size);
    inbox->count++;
    return true;
}

bool kni_udp_inbox_take(kni_udp_inbox *inbox, kn_udp_payload *payload)
{
    *payload = (kn_udp_payload){0};
    if (inbox->count == 0) {
        return false;
    }
    const kni_udp_cell *cell = &inbox->cells[inbox->first];
    *payload = (kn_udp_payload){cell->bytes, cell->size};
    inbox->first = (inbox->first + 1) % inbox->capacity;
    inbox->count--;
    return true;
}
