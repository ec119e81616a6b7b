// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// From a stranger with a token to a client with a slot. The checks stand in the order of the
// protocol: cheap ones first, the rate limit before anything is decrypted.

#include "server.h"

// Answers ---------------------------------------------------------------------

// Denied and challenge packets, which count with the global sequence.
static void handshake_answer(kn_udp_server *server, const kn_address *to, const uint8_t *key,
    kni_udp_type type, const void *data, size_t size)
{
    uint8_t bytes[KN_UDP_DATAGRAM_MAX];
    kni_udp_writing how = {server->protocol_id, key};
    size_t written = kni_udp_packet_write(&how, type, server->global_sequence++, data, size, bytes);
    (void)kni_udp_server_write(server, to, bytes, written);
}

static void handshake_deny(kn_udp_server *server, const kn_address *to, const uint8_t *key)
{
    server->stats.denied++;
    handshake_answer(server, to, key, KNI_UDP_DENIED, NULL, 0);
}

static void handshake_challenge(kn_udp_server *server, const kni_udp_pending *pending)
{
    uint8_t challenge[KNI_UDP_CHALLENGE_SIZE], data[KNI_UDP_CHALLENGE_DATA];
    uint64_t sequence = server->challenge_sequence++;
    kni_udp_challenge_seal(&pending->client, server->challenge_key, sequence, challenge);
    kni_udp_challenge_data(sequence, challenge, data);
    handshake_answer(server, &pending->address, pending->server_to_client_key, KNI_UDP_CHALLENGE,
        data, sizeof data);
}

// Requests --------------------------------------------------------------------

static bool handshake_has_client(const kn_udp_server *server, uint64_t client_id)
{
    for (uint32_t i = 0; i < server->slot_count; i++) {
        if (server->slots[i].is_connected && server->slots[i].client.client_id == client_id) {
            return true;
        }
    }
    return false;
}

static bool handshake_is_for_us(const kn_udp_server *server, const kn_token_secret *secret)
{
    for (uint32_t i = 0; i < secret->address_count; i++) {
        if (kn_address_equal(&secret->addresses[i], &server->address) ||
            (server->second_address.kind != KN_ADDRESS_NONE &&
                kn_address_equal(&secret->addresses[i], &server->second_address))) {
            return true;
        }
    }
    return false;
}

static bool handshake_open(
    const kn_udp_server *server, const kni_udp_request *request, kn_token_secret *secret)
{
    uint8_t plain[KNI_UDP_PRIVATE_SIZE];
    bool is_good = kni_udp_private_open(request->private_part, server->private_key, request->nonce,
                       request->protocol_id, request->expire_time, plain) &&
                   kni_udp_private_read(plain, secret);
    sodium_memzero(plain, sizeof plain);
    return is_good;
}

// Marks a token as used by an address. False if it must not be used.
static bool handshake_use(
    kn_udp_server *server, const kni_udp_request *request, const kn_address *from, uint64_t wall)
{
    const uint8_t *tag = request->private_part + KNI_UDP_PRIVATE_PLAIN;
    const kni_udp_used_token *known = kni_udp_used_find(&server->used, tag);
    if (known != NULL) {
        return kn_address_equal(&known->address, from) &&
               !(known->is_spent && server->refuse_spent_tokens);
    }
    kni_udp_used_token token = {.address = *from, .expire_time = request->expire_time};
    memcpy(token.tag, tag, sizeof token.tag);
    kni_udp_used_add(&server->used, &token, wall);
    return true;
}

static bool handshake_is_over(const kni_udp_pending *pending, kn_time now)
{
    return pending->timeout != KN_TIME_INFINITE && now - pending->renewed > pending->timeout;
}

// The entry of an address, whether it is over or not; KNI_UDP_INDEX_NONE if it has none.
static uint32_t handshake_find(const kn_udp_server *server, const kn_address *address)
{
    const kni_udp_index *index = &server->pending_index;
    uint32_t key = kni_udp_index_key(index, address);
    uint32_t i = kni_udp_index_find(index, key, 0);
    while (i != KNI_UDP_INDEX_NONE && !kn_address_equal(&server->pending[i].address, address)) {
        i = kni_udp_index_find(index, key, i + 1);
    }
    return i;
}

kni_udp_pending *kni_udp_server_pending_at(
    kn_udp_server *server, const kn_address *address, kn_time now)
{
    uint32_t i = handshake_find(server, address);
    if (i == KNI_UDP_INDEX_NONE || handshake_is_over(&server->pending[i], now)) {
        return NULL;
    }
    return &server->pending[i];
}

static void handshake_forget(kn_udp_server *server, kni_udp_pending *pending)
{
    server->pending_index.keys[pending - server->pending] = 0;
    sodium_memzero(pending, sizeof *pending);
}

// The entry for an address: its own, or one that is free or over; NULL if there is no room.
static kni_udp_pending *handshake_entry(
    kn_udp_server *server, const kn_address *address, kn_time now)
{
    uint32_t i = handshake_find(server, address);
    if (i == KNI_UDP_INDEX_NONE) {
        i = kni_udp_index_find(&server->pending_index, 0, 0);
    }
    if (i != KNI_UDP_INDEX_NONE) {
        return &server->pending[i];
    }
    for (i = 0; i < server->pending_capacity; i++) {
        if (handshake_is_over(&server->pending[i], now)) {
            handshake_forget(server, &server->pending[i]);
            return &server->pending[i];
        }
    }
    return NULL;
}

static void handshake_fill(kn_udp_server *server, kni_udp_pending *pending, const kn_address *from,
    const kni_udp_request *request, const kn_token_secret *secret, kn_time now)
{
    kn_time response_next = pending->response_next;
    *pending = (kni_udp_pending){.address = *from,
        .renewed = now,
        .timeout = kni_udp_timeout(secret->timeout),
        .response_next = response_next};
    memcpy(pending->client_to_server_key, secret->client_to_server_key, KN_UDP_KEY_SIZE);
    memcpy(pending->server_to_client_key, secret->server_to_client_key, KN_UDP_KEY_SIZE);
    memcpy(pending->tag, request->private_part + KNI_UDP_PRIVATE_PLAIN, KNI_UDP_TAG_SIZE);
    pending->client.client_id = secret->client_id;
    memcpy(pending->client.user_data, secret->user_data, KN_UDP_USER_DATA_SIZE);
    server->pending_index.keys[pending - server->pending] =
        kni_udp_index_key(&server->pending_index, from);
}

// What is left to do once the token is decrypted.
static bool handshake_admit(kn_udp_server *server, const kn_address *from,
    const kni_udp_request *request, const kn_token_secret *secret, kn_time now, uint64_t wall)
{
    if (!handshake_is_for_us(server, secret) || kni_udp_server_slot_at(server, from) != NULL ||
        handshake_has_client(server, secret->client_id) ||
        !handshake_use(server, request, from, wall)) {
        return false;
    }
    if (server->client_count == server->slot_count) {
        handshake_deny(server, from, secret->server_to_client_key);
        return true;
    }
    kni_udp_pending *pending = handshake_entry(server, from, now);
    if (pending == NULL) {
        return false;
    }
    handshake_fill(server, pending, from, request, secret, now);
    handshake_challenge(server, pending);
    return true;
}

bool kni_udp_server_request(kn_udp_server *server, const kn_address *from, const uint8_t *bytes,
    size_t size, kn_time now, uint64_t wall)
{
    kni_udp_request request;
    if (!kni_udp_request_read(bytes, size, &request) ||
        request.protocol_id != server->protocol_id || request.expire_time <= wall ||
        request.expire_time <= server->refuse_expiring_until) {
        return false;
    }
    if (!kni_udp_limits_take(&server->limits, from, now)) {
        server->stats.limited++;
        return false;
    }
    kn_token_secret secret;
    bool is_good = handshake_open(server, &request, &secret) &&
                   handshake_admit(server, from, &request, &secret, now, wall);
    sodium_memzero(&secret, sizeof secret);
    return is_good;
}

// Responses -------------------------------------------------------------------

static void handshake_connect(kn_udp_server *server, kni_udp_pending *pending, kn_time now)
{
    uint32_t index = kni_udp_index_find(&server->slot_index, 0, 0); // the first free one
    kni_udp_slot *slot = &server->slots[index];
    KN_ASSERT(index < server->slot_count);
    server->slot_index.keys[index] = kni_udp_index_key(&server->slot_index, &pending->address);
    kni_udp_inbox inbox = slot->inbox;
    kn_udp_event reported = slot->reported;
    *slot = (kni_udp_slot){.is_connected = true,
        .address = pending->address,
        .session = server->next_session++,
        .timeout = pending->timeout,
        .last_receive = now,
        .last_send = now - KNI_UDP_SEND_INTERVAL, // due, should the first keep-alive find no room
        .client = pending->client,
        .inbox = inbox,
        .reported = reported};
    memcpy(slot->client_to_server_key, pending->client_to_server_key, KN_UDP_KEY_SIZE);
    memcpy(slot->server_to_client_key, pending->server_to_client_key, KN_UDP_KEY_SIZE);
    kni_udp_inbox_clear(&slot->inbox);
    kni_udp_used_token *token = kni_udp_used_find(&server->used, pending->tag);
    if (token != NULL) {
        token->is_spent = true;
    }
    handshake_forget(server, pending);
    server->client_count++;
    kni_udp_server_keep_alive(server, slot, now);
}

// The standard takes any challenge that this server made. Here it has to be one for the token that
// this address showed: otherwise a holder of two tokens could mix them.
static bool handshake_challenge_is_right(
    const kn_udp_server *server, const kni_udp_pending *pending, const kni_udp_packet *packet)
{
    kn_reader reader = {packet->data, packet->size, 0, false, false};
    uint64_t sequence = kn_read_u64(&reader);
    kni_udp_challenge client;
    return kni_udp_challenge_open(
               packet->data + reader.at, server->challenge_key, sequence, &client) &&
           client.client_id == pending->client.client_id &&
           memcmp(client.user_data, pending->client.user_data, KN_UDP_USER_DATA_SIZE) == 0;
}

bool kni_udp_server_response(
    kn_udp_server *server, kni_udp_pending *pending, const uint8_t *bytes, size_t size, kn_time now)
{
    if (!kni_udp_rate_take(&server->limits.rate, &pending->response_next, now)) {
        server->stats.limited++;
        return false;
    }
    kni_udp_reading how = {
        KNI_UDP_BIT(KNI_UDP_RESPONSE), server->protocol_id, pending->client_to_server_key, NULL};
    kni_udp_packet packet;
    if (!kni_udp_packet_read(&how, bytes, size, &packet) ||
        !handshake_challenge_is_right(server, pending, &packet) ||
        handshake_has_client(server, pending->client.client_id)) {
        return false;
    }
    if (server->client_count == server->slot_count) {
        handshake_deny(server, &pending->address, pending->server_to_client_key);
        return true;
    }
    handshake_connect(server, pending, now);
    return true;
}
