// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The client as a state machine. What a datagram says about the end of a connection is only noted
// when it arrives; the next update acts on it, after it has sent what is due.

#include "packet.h"
#include "queue.h"
#include "token.h"

#include <sodium.h>

#define CLIENT_SEND_INTERVAL KN_MS(100)
#define CLIENT_DISCONNECT_PACKETS 10

// What a connection attempt has; wiped when it ends.
typedef struct client_attempt {
    kn_token_info token;
    kni_udp_token_keys keys;
    uint8_t request[KNI_UDP_REQUEST_SIZE];
    uint8_t challenge[KNI_UDP_CHALLENGE_DATA]; // as it came, and as it goes back
    kni_udp_replay window;
    uint64_t sequence;      // of the next packet, for all states and addresses
    uint32_t address_index; // of the server
    uint32_t slot, slot_count;
    kn_time began;        // with the token
    kn_time lifetime;     // from `began` to its end; KN_TIME_INFINITE for a very long one
    kn_time timeout;      // KN_TIME_INFINITE if off
    kn_time last_receive; // or when the current state began
    kn_time last_send;
    bool has_sent; // since it turned to this address
    bool is_denied;
    bool is_disconnected; // by the server
} client_attempt;

struct kn_udp_client {
    kn_hooks hooks;
    kn_udp_client_state state;
    client_attempt attempt;
    kni_udp_outbox outbox;
    kni_udp_inbox inbox;
};

// Creation --------------------------------------------------------------------

kn_udp_client_def kn_udp_client_def_default(void)
{
    return (kn_udp_client_def){
        .receive_capacity = 256, .send_capacity = 65536, .cookie = KN_COOKIE};
}

static bool client_def_is_valid(const kn_udp_client_def *def)
{
    return def != NULL && def->cookie == KN_COOKIE && def->receive_capacity >= 1 &&
           def->receive_capacity <= KNI_UDP_INBOX_MAX && def->send_capacity >= KNI_UDP_OUTBOX_MIN &&
           def->send_capacity <= KNI_UDP_OUTBOX_MAX;
}

kn_result kn_udp_client_create(const kn_udp_client_def *def, kn_udp_client **client)
{
    KN_ASSERT_DEF(def, kn_udp_client_def);
    KN_ASSERT(client != NULL);
    if (client == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *client = NULL;
    if (!client_def_is_valid(def)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_udp_start()) {
        return KN_ERROR_IO;
    }
    kn_udp_client *made = kn_memory_resize(&def->hooks, NULL, 0, sizeof *made);
    if (made == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *made = (kn_udp_client){.hooks = def->hooks};
    if (!kni_udp_outbox_init(&made->outbox, &made->hooks, def->send_capacity) ||
        !kni_udp_inbox_init(&made->inbox, &made->hooks, def->receive_capacity)) {
        kn_udp_client_destroy(made);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *client = made;
    return KN_OK;
}

void kn_udp_client_destroy(kn_udp_client *client)
{
    if (client == NULL) {
        return;
    }
    kn_hooks hooks = client->hooks;
    kni_udp_inbox_free(&client->inbox, &hooks);
    kni_udp_outbox_free(&client->outbox, &hooks);
    sodium_memzero(client, sizeof *client);
    kn_memory_free(&hooks, client, sizeof *client);
}

// States ----------------------------------------------------------------------

static const kn_address *client_server(const kn_udp_client *client)
{
    return &client->attempt.token.addresses[client->attempt.address_index];
}

// Ends the attempt. Datagrams that wait to be sent stay.
static void client_end(kn_udp_client *client, kn_udp_client_state state)
{
    client->state = state;
    sodium_memzero(&client->attempt, sizeof client->attempt);
    kni_udp_inbox_clear(&client->inbox);
}

// Turns to the next address, or gives up with `state`.
static void client_go_on(kn_udp_client *client, kn_udp_client_state state, kn_time now)
{
    client_attempt *attempt = &client->attempt;
    if (attempt->address_index + 1 >= attempt->token.address_count) {
        client_end(client, state);
        return;
    }
    attempt->address_index++;
    attempt->window = (kni_udp_replay){0};
    memset(attempt->challenge, 0, sizeof attempt->challenge);
    attempt->last_receive = now;
    attempt->has_sent = attempt->is_denied = attempt->is_disconnected = false;
    client->state = KN_UDP_CLIENT_SENDING_REQUEST;
}

static kn_time client_lifetime(const kn_token_info *token)
{
    uint64_t seconds = token->expire_time - token->create_time;
    return seconds <= (uint64_t)(KN_TIME_MAX / KN_S(1)) ? KN_S((kn_time)seconds) : KN_TIME_INFINITE;
}

kn_result kn_udp_client_connect(kn_udp_client *client, const void *token, size_t size, kn_time now)
{
    KN_ASSERT(client != NULL && token != NULL);
    if (client == NULL || token == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_udp_client_disconnect(client);
    client_end(client, KN_UDP_CLIENT_DISCONNECTED);
    client_attempt *attempt = &client->attempt;
    if (!kni_udp_token_read(token, size, &attempt->token, &attempt->keys)) {
        client_end(client, KN_UDP_CLIENT_INVALID_TOKEN);
        return KN_ERROR_BAD_DATA;
    }
    kni_udp_request_write(token, attempt->request);
    attempt->began = attempt->last_receive = now;
    attempt->lifetime = client_lifetime(&attempt->token);
    attempt->timeout = kni_udp_timeout(attempt->token.timeout);
    client->state = KN_UDP_CLIENT_SENDING_REQUEST;
    return KN_OK;
}

// Sending ---------------------------------------------------------------------

// Writes a packet under the next sequence number. False if there is no room.
static bool client_write(kn_udp_client *client, kni_udp_type type, const void *data, size_t size)
{
    client_attempt *attempt = &client->attempt;
    if (!kni_udp_outbox_has_room(&client->outbox, size + KNI_UDP_PACKET_FRONT_MAX)) {
        return false;
    }
    uint8_t bytes[KN_UDP_DATAGRAM_MAX];
    kni_udp_writing how = {attempt->token.protocol_id, attempt->keys.client_to_server};
    size_t written = kni_udp_packet_write(&how, type, attempt->sequence++, data, size, bytes);
    return kni_udp_outbox_add(&client->outbox, client_server(client), bytes, written);
}

// A request carries no sequence number, but uses one up as it does in other clients.
static bool client_write_request(kn_udp_client *client)
{
    if (!kni_udp_outbox_add(&client->outbox, client_server(client), client->attempt.request,
            KNI_UDP_REQUEST_SIZE)) {
        return false;
    }
    client->attempt.sequence++;
    return true;
}

static bool client_write_due(kn_udp_client *client)
{
    uint8_t nothing[KNI_UDP_KEEP_ALIVE_DATA] = {0};
    switch (client->state) {
    case KN_UDP_CLIENT_SENDING_REQUEST:
        return client_write_request(client);
    case KN_UDP_CLIENT_SENDING_RESPONSE:
        return client_write(
            client, KNI_UDP_RESPONSE, client->attempt.challenge, KNI_UDP_CHALLENGE_DATA);
    default:
        return client_write(client, KNI_UDP_KEEP_ALIVE, nothing, sizeof nothing);
    }
}

static void client_send_due(kn_udp_client *client, kn_time now)
{
    client_attempt *attempt = &client->attempt;
    if (attempt->has_sent && now - attempt->last_send <= CLIENT_SEND_INTERVAL) {
        return;
    }
    if (client_write_due(client)) {
        attempt->has_sent = true;
        attempt->last_send = now;
    }
}

kn_result kn_udp_client_send(kn_udp_client *client, const void *bytes, size_t size, kn_time now)
{
    KN_ASSERT(client != NULL && bytes != NULL);
    if (client == NULL || bytes == NULL || size == 0 || size > KN_UDP_PAYLOAD_MAX) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (client->state != KN_UDP_CLIENT_CONNECTED) {
        return KN_REFUSED_BLOCKED;
    }
    if (!client_write(client, KNI_UDP_PAYLOAD, bytes, size)) {
        return KN_REFUSED_LIMIT;
    }
    client->attempt.last_send = now;
    return KN_OK;
}

void kn_udp_client_disconnect(kn_udp_client *client)
{
    KN_ASSERT(client != NULL);
    if (client == NULL || client->state <= KN_UDP_CLIENT_DISCONNECTED) {
        return;
    }
    for (uint32_t i = 0; i < CLIENT_DISCONNECT_PACKETS; i++) {
        (void)client_write(client, KNI_UDP_DISCONNECT, NULL, 0);
    }
    client_end(client, KN_UDP_CLIENT_DISCONNECTED);
}

// Receiving -------------------------------------------------------------------

static void client_take_keep_alive(kn_udp_client *client, const kni_udp_packet *packet, kn_time now)
{
    client_attempt *attempt = &client->attempt;
    if (client->state == KN_UDP_CLIENT_SENDING_RESPONSE) {
        kn_reader reader = {packet->data, packet->size, 0, false, false};
        attempt->slot = kn_read_u32(&reader);
        attempt->slot_count = kn_read_u32(&reader);
        client->state = KN_UDP_CLIENT_CONNECTED;
        attempt->last_receive = now;
    } else if (client->state == KN_UDP_CLIENT_CONNECTED) {
        attempt->last_receive = now;
    }
}

static void client_take(kn_udp_client *client, const kni_udp_packet *packet, kn_time now)
{
    client_attempt *attempt = &client->attempt;
    bool is_connected = client->state == KN_UDP_CLIENT_CONNECTED;
    switch (packet->type) {
    case KNI_UDP_DENIED:
        attempt->is_denied |= !is_connected;
        break;
    case KNI_UDP_CHALLENGE:
        if (client->state == KN_UDP_CLIENT_SENDING_REQUEST) {
            memcpy(attempt->challenge, packet->data, KNI_UDP_CHALLENGE_DATA);
            client->state = KN_UDP_CLIENT_SENDING_RESPONSE;
            attempt->last_receive = now;
        }
        break;
    case KNI_UDP_KEEP_ALIVE:
        client_take_keep_alive(client, packet, now);
        break;
    case KNI_UDP_PAYLOAD:
        if (is_connected) {
            (void)kni_udp_inbox_add(&client->inbox, packet->data, packet->size);
            attempt->last_receive = now;
        }
        break;
    case KNI_UDP_DISCONNECT:
        attempt->is_disconnected |= is_connected;
        break;
    default:
        break;
    }
}

void kn_udp_client_receive(
    kn_udp_client *client, const kn_address *from, const void *bytes, size_t size, kn_time now)
{
    KN_ASSERT(client != NULL && from != NULL && (bytes != NULL || size == 0));
    if (client == NULL || from == NULL || bytes == NULL ||
        client->state <= KN_UDP_CLIENT_DISCONNECTED) {
        return;
    }
    client_attempt *attempt = &client->attempt;
    kni_udp_reading how = {KNI_UDP_CLIENT_TYPES, attempt->token.protocol_id,
        attempt->keys.server_to_client, &attempt->window};
    kni_udp_packet packet;
    if (kni_udp_packet_read(&how, bytes, size, &packet) &&
        kn_address_equal(from, client_server(client))) {
        client_take(client, &packet, now);
    }
}

// Update ----------------------------------------------------------------------

static bool client_is_connecting(const kn_udp_client *client)
{
    return client->state == KN_UDP_CLIENT_SENDING_REQUEST ||
           client->state == KN_UDP_CLIENT_SENDING_RESPONSE;
}

static void client_check_timeout(kn_udp_client *client, kn_time now)
{
    const client_attempt *attempt = &client->attempt;
    if (attempt->timeout == KN_TIME_INFINITE || now - attempt->last_receive <= attempt->timeout) {
        return;
    }
    if (client->state == KN_UDP_CLIENT_SENDING_REQUEST) {
        client_go_on(client, KN_UDP_CLIENT_REQUEST_TIMED_OUT, now);
    } else if (client->state == KN_UDP_CLIENT_SENDING_RESPONSE) {
        client_go_on(client, KN_UDP_CLIENT_RESPONSE_TIMED_OUT, now);
    } else {
        client_end(client, KN_UDP_CLIENT_TIMED_OUT);
    }
}

void kn_udp_client_update(kn_udp_client *client, kn_time now)
{
    KN_ASSERT(client != NULL);
    if (client == NULL || client->state <= KN_UDP_CLIENT_DISCONNECTED) {
        return;
    }
    const client_attempt *attempt = &client->attempt;
    client_send_due(client, now);
    if (client_is_connecting(client) && attempt->lifetime != KN_TIME_INFINITE &&
        now - attempt->began >= attempt->lifetime) {
        client_end(client, KN_UDP_CLIENT_TOKEN_EXPIRED);
    } else if (attempt->is_denied && client_is_connecting(client)) {
        client_go_on(client, KN_UDP_CLIENT_DENIED, now);
    } else if (attempt->is_disconnected) {
        client_end(client, KN_UDP_CLIENT_DISCONNECTED);
    } else {
        client_check_timeout(client, now);
    }
}

// Queries ---------------------------------------------------------------------

bool kn_udp_client_next_datagram(kn_udp_client *client, kn_udp_datagram *datagram)
{
    KN_ASSERT(client != NULL && datagram != NULL);
    return kni_udp_outbox_take(&client->outbox, datagram);
}

bool kn_udp_client_next_payload(kn_udp_client *client, kn_udp_payload *payload)
{
    KN_ASSERT(client != NULL && payload != NULL);
    return kni_udp_inbox_take(&client->inbox, payload);
}

kn_udp_client_state kn_udp_client_state_of(const kn_udp_client *client)
{
    KN_ASSERT(client != NULL);
    return client->state;
}

kn_address kn_udp_client_server(const kn_udp_client *client)
{
    KN_ASSERT(client != NULL);
    return client->state > KN_UDP_CLIENT_DISCONNECTED ? *client_server(client) : (kn_address){0};
}

uint32_t kn_udp_client_slot(const kn_udp_client *client)
{
    KN_ASSERT(client != NULL);
    return client->attempt.slot;
}

uint32_t kn_udp_client_slot_count(const kn_udp_client *client)
{
    KN_ASSERT(client != NULL);
    return client->attempt.slot_count;
}

const char *kn_udp_client_state_name(kn_udp_client_state state)
{
    switch (state) {
    case KN_UDP_CLIENT_TOKEN_EXPIRED:
        return "token expired";
    case KN_UDP_CLIENT_INVALID_TOKEN:
        return "invalid token";
    case KN_UDP_CLIENT_TIMED_OUT:
        return "timed out";
    case KN_UDP_CLIENT_RESPONSE_TIMED_OUT:
        return "response timed out";
    case KN_UDP_CLIENT_REQUEST_TIMED_OUT:
        return "request timed out";
    case KN_UDP_CLIENT_DENIED:
        return "denied";
    case KN_UDP_CLIENT_DISCONNECTED:
        return "disconnected";
    case KN_UDP_CLIENT_SENDING_REQUEST:
        return "sending request";
    case KN_UDP_CLIENT_SENDING_RESPONSE:
        return "sending response";
    case KN_UDP_CLIENT_CONNECTED:
        return "connected";
    default:
        return "unknown state";
    }
}
