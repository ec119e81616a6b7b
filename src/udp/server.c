// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The server as a state machine: its life, its slots, and what connected clients send.

#include "server.h"

// Creation --------------------------------------------------------------------

kn_udp_server_def kn_udp_server_def_default(void)
{
    return (kn_udp_server_def){.slot_count = 64,
        .receive_capacity = 256,
        .send_capacity = 1u << 20,
        .pending_capacity = 1024,
        .used_capacity = 2048,
        .refuse_spent_tokens = true,
        .handshake_rate = 50,
        .handshake_burst = 100,
        .handshake_counters = 4096,
        .slot_rate = 2000,
        .slot_burst = 2000,
        .cookie = KN_COOKIE};
}

static bool server_in_range(uint32_t value, uint32_t max)
{
    return value >= 1 && value <= max;
}

static bool server_def_is_valid(const kn_udp_server_def *def)
{
    return def != NULL && def->cookie == KN_COOKIE && def->private_key != NULL &&
           (def->address.kind == KN_ADDRESS_IPV4 || def->address.kind == KN_ADDRESS_IPV6) &&
           server_in_range(def->slot_count, KN_UDP_SLOTS_MAX) &&
           server_in_range(def->receive_capacity, KNI_UDP_INBOX_MAX) &&
           server_in_range(def->send_capacity, KNI_UDP_OUTBOX_MAX) &&
           def->send_capacity >= KNI_UDP_OUTBOX_MIN &&
           server_in_range(def->pending_capacity, KNI_UDP_PENDING_MAX) &&
           server_in_range(def->used_capacity, KNI_UDP_USED_MAX) &&
           server_in_range(def->handshake_counters, KNI_UDP_LIMITS_MAX);
}

static void server_take_def(kn_udp_server *server, const kn_udp_server_def *def)
{
    *server = (kn_udp_server){.hooks = def->hooks,
        .address = def->address,
        .second_address = def->second_address,
        .protocol_id = def->protocol_id,
        .global_sequence = KNI_UDP_GLOBAL_SEQUENCE,
        .next_session = 1,
        .refuse_expiring_until = def->refuse_expiring_until,
        .refuse_spent_tokens = def->refuse_spent_tokens,
        .slot_rate = kni_udp_rate_of(def->slot_rate, def->slot_burst)};
    memcpy(server->private_key, def->private_key, KN_UDP_KEY_SIZE);
    if (def->challenge_key != NULL) {
        memcpy(server->challenge_key, def->challenge_key, KN_UDP_KEY_SIZE);
    } else {
        randombytes_buf(server->challenge_key, KN_UDP_KEY_SIZE);
    }
}

static bool server_allocate_slots(kn_udp_server *server, const kn_udp_server_def *def)
{
    server->slots =
        kn_memory_resize(&server->hooks, NULL, 0, def->slot_count * sizeof *server->slots);
    if (server->slots == NULL) {
        return false;
    }
    server->slot_count = def->slot_count;
    memset(server->slots, 0, def->slot_count * sizeof *server->slots);
    if (!kni_udp_index_init(&server->slot_index, &server->hooks, def->slot_count)) {
        return false;
    }
    for (uint32_t i = 0; i < def->slot_count; i++) {
        if (!kni_udp_inbox_init(&server->slots[i].inbox, &server->hooks, def->receive_capacity)) {
            return false;
        }
    }
    return true;
}

static bool server_allocate(kn_udp_server *server, const kn_udp_server_def *def)
{
    size_t pending_size = def->pending_capacity * sizeof *server->pending;
    server->pending = kn_memory_resize(&server->hooks, NULL, 0, pending_size);
    if (server->pending == NULL) {
        return false;
    }
    memset(server->pending, 0, pending_size);
    server->pending_capacity = def->pending_capacity;
    if (!kni_udp_index_init(&server->pending_index, &server->hooks, def->pending_capacity) ||
        !server_allocate_slots(server, def) ||
        !kni_udp_used_init(&server->used, &server->hooks, def->used_capacity) ||
        !kni_udp_limits_init(&server->limits, &server->hooks, def->handshake_counters) ||
        !kni_udp_outbox_init(&server->outbox, &server->hooks, def->send_capacity)) {
        return false;
    }
    server->limits.rate = kni_udp_rate_of(def->handshake_rate, def->handshake_burst);
    return true;
}

kn_result kn_udp_server_create(const kn_udp_server_def *def, kn_udp_server **server)
{
    KN_ASSERT_DEF(def, kn_udp_server_def);
    KN_ASSERT(server != NULL);
    if (server == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *server = NULL;
    if (!server_def_is_valid(def)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_udp_start()) {
        return KN_ERROR_IO;
    }
    kn_udp_server *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof *made);
    if (made == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    server_take_def(made, def);
    if (!server_allocate(made, def)) {
        kn_udp_server_destroy(made);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *server = made;
    return KN_OK;
}

void kn_udp_server_destroy(kn_udp_server *server)
{
    if (server == NULL) {
        return;
    }
    kn_hooks hooks = server->hooks;
    for (uint32_t i = 0; i < server->slot_count; i++) {
        kni_udp_inbox_free(&server->slots[i].inbox, &hooks);
    }
    if (server->slots != NULL) {
        sodium_memzero(server->slots, server->slot_count * sizeof *server->slots);
    }
    if (server->pending != NULL) {
        sodium_memzero(server->pending, server->pending_capacity * sizeof *server->pending);
    }
    kn_memory_free(&hooks, server->slots, server->slot_count * sizeof *server->slots);
    kn_memory_free(&hooks, server->pending, server->pending_capacity * sizeof *server->pending);
    kni_udp_index_free(&server->slot_index, &hooks);
    kni_udp_index_free(&server->pending_index, &hooks);
    kni_udp_used_free(&server->used, &hooks);
    kni_udp_limits_free(&server->limits, &hooks);
    kni_udp_outbox_free(&server->outbox, &hooks);
    sodium_memzero(server, sizeof *server);
    kn_memory_free(&hooks, server, sizeof *server);
}

// Slots -----------------------------------------------------------------------

bool kni_udp_server_write(
    kn_udp_server *server, const kn_address *to, const uint8_t *bytes, size_t size)
{
    if (kni_udp_outbox_add(&server->outbox, to, bytes, size)) {
        return true;
    }
    server->stats.dropped_sends++;
    return false;
}

kni_udp_slot *kni_udp_server_slot_at(kn_udp_server *server, const kn_address *address)
{
    const kni_udp_index *index = &server->slot_index;
    uint32_t key = kni_udp_index_key(index, address);
    uint32_t i = kni_udp_index_find(index, key, 0);
    while (i != KNI_UDP_INDEX_NONE && !kn_address_equal(&server->slots[i].address, address)) {
        i = kni_udp_index_find(index, key, i + 1);
    }
    return i != KNI_UDP_INDEX_NONE ? &server->slots[i] : NULL;
}

static kni_udp_slot *server_slot(const kn_udp_server *server, uint32_t slot)
{
    return slot < server->slot_count && server->slots[slot].is_connected ? &server->slots[slot]
                                                                         : NULL;
}

// Writes a packet under the next number of a slot.
static bool server_write_packet(
    kn_udp_server *server, kni_udp_slot *slot, kni_udp_type type, const void *data, size_t size)
{
    uint8_t bytes[KN_UDP_DATAGRAM_MAX];
    kni_udp_writing how = {server->protocol_id, slot->server_to_client_key};
    size_t written = kni_udp_packet_write(&how, type, slot->sequence++, data, size, bytes);
    return kni_udp_server_write(server, &slot->address, bytes, written);
}

void kni_udp_server_keep_alive(kn_udp_server *server, kni_udp_slot *slot, kn_time now)
{
    uint8_t data[KNI_UDP_KEEP_ALIVE_DATA];
    kni_udp_keep_alive_data((uint32_t)(slot - server->slots), server->slot_count, data);
    if (server_write_packet(server, slot, KNI_UDP_KEEP_ALIVE, data, sizeof data)) {
        slot->last_send = now;
    }
}

// Frees a slot and all it knows about its client, but for events that were not taken yet.
static void server_free_slot(kn_udp_server *server, kni_udp_slot *slot, kn_udp_end end)
{
    kni_udp_inbox inbox = slot->inbox;
    kn_udp_event reported = slot->reported;
    if (reported.session == slot->session) {
        reported.end = end;
    }
    sodium_memzero(slot, sizeof *slot);
    server->slot_index.keys[slot - server->slots] = 0;
    slot->inbox = inbox;
    slot->reported = reported;
    kni_udp_inbox_clear(&slot->inbox);
    server->client_count--;
}

static void server_disconnect_slot(kn_udp_server *server, kni_udp_slot *slot)
{
    for (uint32_t i = 0; i < KNI_UDP_DISCONNECT_PACKETS; i++) {
        (void)server_write_packet(server, slot, KNI_UDP_DISCONNECT, NULL, 0);
    }
    server_free_slot(server, slot, KN_UDP_END_BY_SERVER);
}

void kn_udp_server_disconnect(kn_udp_server *server, uint32_t slot)
{
    KN_ASSERT(server != NULL);
    kni_udp_slot *found = server != NULL ? server_slot(server, slot) : NULL;
    if (found != NULL) {
        server_disconnect_slot(server, found);
    }
}

void kn_udp_server_stop(kn_udp_server *server)
{
    KN_ASSERT(server != NULL);
    if (server == NULL) {
        return;
    }
    for (uint32_t i = 0; i < server->slot_count; i++) {
        kn_udp_server_disconnect(server, i);
    }
    sodium_memzero(server->pending, server->pending_capacity * sizeof *server->pending);
    memset(server->pending_index.keys, 0,
        server->pending_capacity * sizeof *server->pending_index.keys);
    sodium_memzero(server->challenge_key, sizeof server->challenge_key);
    kni_udp_used_clear(&server->used);
    server->is_stopped = true;
}

// Receiving -------------------------------------------------------------------

static bool server_receive_slot(
    kn_udp_server *server, kni_udp_slot *slot, const uint8_t *bytes, size_t size, kn_time now)
{
    if (!kni_udp_rate_take(&server->slot_rate, &slot->receive_next, now)) {
        server->stats.limited++;
        return false;
    }
    kni_udp_reading how = {
        KNI_UDP_CONNECTED_TYPES, server->protocol_id, slot->client_to_server_key, &slot->window};
    kni_udp_packet packet;
    if (!kni_udp_packet_read(&how, bytes, size, &packet)) {
        return false;
    }
    if (packet.type == KNI_UDP_DISCONNECT) {
        server_free_slot(server, slot, KN_UDP_END_BY_CLIENT);
        return true;
    }
    slot->is_confirmed = true;
    slot->last_receive = now;
    if (packet.type == KNI_UDP_PAYLOAD &&
        !kni_udp_inbox_add(&slot->inbox, packet.data, packet.size)) {
        server->stats.dropped_payloads++;
    }
    return true;
}

static bool server_receive(kn_udp_server *server, const kn_address *from, const uint8_t *bytes,
    size_t size, kn_time now, uint64_t wall)
{
    if (server->is_stopped || from->kind == KN_ADDRESS_NONE || size < 2 ||
        size > KN_UDP_DATAGRAM_MAX) {
        return false;
    }
    if (bytes[0] == KNI_UDP_REQUEST) {
        return kni_udp_server_request(server, from, bytes, size, now, wall);
    }
    kni_udp_slot *slot = kni_udp_server_slot_at(server, from);
    if (slot != NULL) {
        return server_receive_slot(server, slot, bytes, size, now);
    }
    kni_udp_pending *pending = kni_udp_server_pending_at(server, from, now);
    return pending != NULL && kni_udp_server_response(server, pending, bytes, size, now);
}

void kn_udp_server_receive(kn_udp_server *server, const kn_address *from, const void *bytes,
    size_t size, kn_time now, uint64_t wall)
{
    KN_ASSERT(server != NULL && from != NULL && (bytes != NULL || size == 0));
    if (server == NULL || from == NULL || bytes == NULL) {
        return;
    }
    server->stats.received++;
    server->stats.accepted += server_receive(server, from, bytes, size, now, wall);
}

// Sending ---------------------------------------------------------------------

kn_result kn_udp_server_send(
    kn_udp_server *server, uint32_t slot, const void *bytes, size_t size, kn_time now)
{
    KN_ASSERT(server != NULL && bytes != NULL);
    if (server == NULL || bytes == NULL || size == 0 || size > KN_UDP_PAYLOAD_MAX) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kni_udp_slot *found = server_slot(server, slot);
    if (found == NULL) {
        return KN_REFUSED_STALE_ID;
    }
    // Room for the keep-alive, too, and for what the outbox adds to both.
    if (!kni_udp_outbox_has_room(&server->outbox, size + (size_t)4 * 32)) {
        return KN_REFUSED_LIMIT;
    }
    if (!found->is_confirmed) {
        kni_udp_server_keep_alive(server, found, now);
    }
    (void)server_write_packet(server, found, KNI_UDP_PAYLOAD, bytes, size);
    found->last_send = now;
    return KN_OK;
}

void kn_udp_server_update(kn_udp_server *server, kn_time now)
{
    KN_ASSERT(server != NULL);
    if (server == NULL) {
        return;
    }
    for (uint32_t i = 0; i < server->slot_count; i++) {
        kni_udp_slot *slot = &server->slots[i];
        if (slot->is_connected && now - slot->last_send >= KNI_UDP_SEND_INTERVAL) {
            kni_udp_server_keep_alive(server, slot, now);
        }
    }
    for (uint32_t i = 0; i < server->slot_count; i++) {
        kni_udp_slot *slot = &server->slots[i];
        if (slot->is_connected && slot->timeout != KN_TIME_INFINITE &&
            now - slot->last_receive >= slot->timeout) {
            server_free_slot(server, slot, KN_UDP_END_TIMED_OUT);
        }
    }
}

bool kn_udp_server_next_datagram(kn_udp_server *server, kn_udp_datagram *datagram)
{
    KN_ASSERT(server != NULL && datagram != NULL);
    return kni_udp_outbox_take(&server->outbox, datagram);
}

// What the host learns --------------------------------------------------------

bool kn_udp_server_next_payload(kn_udp_server *server, uint32_t slot, kn_udp_payload *payload)
{
    KN_ASSERT(server != NULL && payload != NULL);
    *payload = (kn_udp_payload){0};
    kni_udp_slot *found = server_slot(server, slot);
    return found != NULL && kni_udp_inbox_take(&found->inbox, payload);
}

// The next event of one slot, if there is one.
static bool server_slot_event(kni_udp_slot *slot, uint32_t index, kn_udp_event *event)
{
    if (slot->reported.session != 0) {
        if (slot->reported.end == KN_UDP_END_NONE) {
            return false;
        }
        *event = slot->reported;
        event->is_connected = false;
        slot->reported = (kn_udp_event){0};
        return true;
    }
    if (!slot->is_connected) {
        return false;
    }
    slot->reported =
        (kn_udp_event){true, KN_UDP_END_NONE, index, slot->client.client_id, slot->session};
    *event = slot->reported;
    return true;
}

bool kn_udp_server_next_event(kn_udp_server *server, kn_udp_event *event)
{
    KN_ASSERT(server != NULL && event != NULL);
    *event = (kn_udp_event){0};
    for (uint32_t i = 0; i < server->slot_count; i++) {
        if (server_slot_event(&server->slots[i], i, event)) {
            return true;
        }
    }
    return false;
}

kn_udp_slot kn_udp_server_slot(const kn_udp_server *server, uint32_t slot)
{
    KN_ASSERT(server != NULL);
    const kni_udp_slot *found = server_slot(server, slot);
    if (found == NULL) {
        return (kn_udp_slot){0};
    }
    return (kn_udp_slot){true, found->is_confirmed, found->session, found->client.client_id,
        found->address, found->client.user_data};
}

uint32_t kn_udp_server_client_count(const kn_udp_server *server)
{
    KN_ASSERT(server != NULL);
    return server->client_count;
}

kn_udp_server_stats kn_udp_server_stats_of(const kn_udp_server *server)
{
    KN_ASSERT(server != NULL);
    kn_udp_server_stats stats = server->stats;
    stats.forgotten_tokens = server->used.forgotten;
    return stats;
}
