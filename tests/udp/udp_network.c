// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Several clients and a server over a network that loses, repeats, delays and reorders datagrams.

#include "udp_peers.h"

#define CLIENTS 6
#define FRAME (KN_S(1) / 60)
#define FRAMES 1200
#define MAIL 4096
#define SEEN 16384

typedef struct network_mail {
    bool is_used;
    kn_time due;
    kn_address from;
    test_datagram datagram;
} network_mail;

typedef struct network_client {
    kn_udp_client *client;
    kn_address address;
    uint32_t next_number; // of the payloads it sends
    bool echoed[FRAMES];
    uint32_t echo_count;
} network_client;

typedef struct network {
    kn_udp_server *server;
    kn_address server_address;
    network_client clients[CLIENTS];
    network_mail *mail;
    uint64_t random;
    uint32_t loss_percent;
    bool server_heard[CLIENTS][FRAMES];
    // Which sequence numbers each key has used: to a client, and from it.
    bool to_client[CLIENTS][SEEN], from_client[CLIENTS][SEEN], global[SEEN];
} network;

static uint32_t network_roll(network *net, uint32_t below)
{
    uint64_t z = (net->random += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) % below);
}

static uint32_t network_client_at(const network *net, const kn_address *address)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        if (kn_address_equal(&net->clients[i].address, address)) {
            return i;
        }
    }
    fail();
    return 0;
}

// NC-023, NC-062, NC-065, NC-066: no key sees a number twice.
static void network_check_number(network *net, const kn_address *from, const test_datagram *sent)
{
    const uint8_t *bytes = sent->packet.bytes;
    if (bytes[0] == 0) {
        return; // a request has no number
    }
    uint64_t sequence = 0;
    for (uint32_t i = 0; i < bytes[0] >> 4; i++) {
        sequence |= (uint64_t)bytes[1 + i] << (8 * i);
    }
    bool *seen;
    if (sequence >> 63 != 0) {
        sequence -= (uint64_t)1 << 63;
        seen = net->global;
    } else if (kn_address_equal(from, &net->server_address)) {
        seen = net->to_client[network_client_at(net, &sent->to)];
    } else {
        seen = net->from_client[network_client_at(net, from)];
    }
    assert_true(sequence < SEEN);
    assert_false(seen[sequence]);
    seen[sequence] = true;
}

static void network_post(
    network *net, const kn_address *from, const test_datagram *sent, kn_time now)
{
    uint32_t i = 0;
    while (i < MAIL && net->mail[i].is_used) {
        i++;
    }
    assert_true(i < MAIL);
    net->mail[i] = (network_mail){true, now + KN_MS(5 + network_roll(net, 120)), *from, *sent};
}

static void network_send(
    network *net, const kn_address *from, const kn_udp_datagram *datagram, kn_time now)
{
    test_datagram sent = datagram_copy(datagram);
    network_check_number(net, from, &sent);
    if (network_roll(net, 100) >= net->loss_percent) {
        network_post(net, from, &sent, now);
    }
    if (network_roll(net, 100) < 10) {
        network_post(net, from, &sent, now);
    }
    if (network_roll(net, 100) < 5) { // damaged on its way
        sent.packet.bytes[network_roll(net, (uint32_t)sent.packet.size)] ^=
            (uint8_t)(1u << network_roll(net, 8));
        network_post(net, from, &sent, now);
    }
}

static void network_deliver(network *net, kn_time now)
{
    for (uint32_t i = 0; i < MAIL; i++) {
        network_mail *mail = &net->mail[i];
        if (!mail->is_used || mail->due > now) {
            continue;
        }
        mail->is_used = false;
        const test_bytes *packet = &mail->datagram.packet;
        if (kn_address_equal(&mail->datagram.to, &net->server_address)) {
            kn_udp_server_receive(net->server, &mail->from, packet->bytes, packet->size, now, WALL);
        } else {
            kn_udp_client_receive(net->clients[network_client_at(net, &mail->datagram.to)].client,
                &mail->from, packet->bytes, packet->size, now);
        }
    }
}

// Each client sends a number per frame; payloads say who and which, and are long enough to see
// damage.
static void network_fill(uint8_t payload[40], uint32_t client, uint32_t number)
{
    for (uint32_t i = 0; i < 40; i++) {
        payload[i] = (uint8_t)(client * 31 + number * 7 + i);
    }
    memcpy(payload, &client, 4);
    memcpy(payload + 4, &number, 4);
}

static uint32_t network_read(const kn_udp_payload *payload, uint32_t client)
{
    uint8_t expected[40];
    uint32_t number;
    assert_int_equal(payload->size, sizeof expected);
    memcpy(&number, payload->bytes + 4, 4);
    network_fill(expected, client, number);
    assert_memory_equal(payload->bytes, expected, sizeof expected);
    assert_true(number < FRAMES);
    return number;
}

static void network_step_client(network *net, uint32_t index, kn_time now)
{
    network_client *client = &net->clients[index];
    kn_udp_client_update(client->client, now);
    kn_udp_payload payload;
    while (kn_udp_client_next_payload(client->client, &payload)) {
        uint32_t number = network_read(&payload, index);
        assert_false(client->echoed[number]); // never twice
        client->echoed[number] = true;
        client->echo_count++;
    }
    if (kn_udp_client_state_of(client->client) == KN_UDP_CLIENT_CONNECTED) {
        uint8_t bytes[40];
        network_fill(bytes, index, client->next_number++);
        assert_int_equal(kn_udp_client_send(client->client, bytes, sizeof bytes, now), KN_OK);
    }
}

static void network_step_server(network *net, kn_time now)
{
    kn_udp_server_update(net->server, now);
    for (uint32_t slot = 0; slot < CLIENTS; slot++) {
        uint64_t client = kn_udp_server_slot(net->server, slot).client_id;
        kn_udp_payload payload;
        while (kn_udp_server_next_payload(net->server, slot, &payload)) {
            uint32_t number = network_read(&payload, (uint32_t)client);
            assert_false(net->server_heard[client][number]);
            net->server_heard[client][number] = true;
            assert_int_equal(
                kn_udp_server_send(net->server, slot, payload.bytes, payload.size, now), KN_OK);
        }
    }
}

static void network_flush(network *net, kn_time now)
{
    kn_udp_datagram datagram;
    for (uint32_t i = 0; i < CLIENTS; i++) {
        while (kn_udp_client_next_datagram(net->clients[i].client, &datagram)) {
            network_send(net, &net->clients[i].address, &datagram, now);
        }
    }
    while (kn_udp_server_next_datagram(net->server, &datagram)) {
        network_send(net, &net->server_address, &datagram, now);
    }
}

static network *new_network(uint32_t loss_percent)
{
    network *net = calloc(1, sizeof *net);
    assert_non_null(net);
    net->mail = calloc(MAIL, sizeof *net->mail);
    assert_non_null(net->mail);
    net->random = 42 + loss_percent;
    net->loss_percent = loss_percent;
    net->server_address = address_of("127.0.0.1:40000");
    kn_udp_server_def def = server_def();
    def.slot_count = CLIENTS;
    def.handshake_rate = 50;
    def.slot_rate = 2000;
    net->server = new_server_of(&def);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        kn_token_def token_of_client = token_def(&net->server_address, 1);
        token_of_client.client_id = i;
        token_of_client.nonce = NULL;
        token_of_client.client_to_server_key = token_of_client.server_to_client_key = NULL;
        kn_token token = token_of(&token_of_client);
        net->clients[i].client = new_client();
        net->clients[i].address = address_of("10.0.0.1:50000");
        net->clients[i].address.port = (uint16_t)(50000 + i);
        assert_int_equal(
            kn_udp_client_connect(net->clients[i].client, &token, sizeof token, 0), KN_OK);
    }
    return net;
}

static void destroy_network(network *net)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        kn_udp_client_destroy(net->clients[i].client);
    }
    kn_udp_server_destroy(net->server);
    free(net->mail);
    free(net);
}

static void network_run(network *net, kn_time from, kn_time to)
{
    for (kn_time now = from; now < to; now += FRAME) {
        network_deliver(net, now);
        for (uint32_t i = 0; i < CLIENTS; i++) {
            network_step_client(net, i, now);
        }
        network_step_server(net, now);
        network_flush(net, now);
    }
}

// NC-023, NC-134, NC-196, NC-146
static void play(uint32_t loss_percent, uint32_t expected_echoes)
{
    network *net = new_network(loss_percent);
    kn_time end = FRAMES * FRAME;
    network_run(net, 0, end);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        expect_state(net->clients[i].client, KN_UDP_CLIENT_CONNECTED);
        assert_in_range(net->clients[i].echo_count, expected_echoes, FRAMES);
    }
    assert_int_equal(kn_udp_server_client_count(net->server), CLIENTS);
    for (uint32_t i = 0; i < CLIENTS; i++) {
        kn_udp_client_disconnect(net->clients[i].client);
    }
    network_flush(net, end);
    network_run(net, end, end + KN_S(1)); // no timeout: one of ten packets arrived
    assert_int_equal(kn_udp_server_client_count(net->server), 0);
    destroy_network(net);
}

static void clients_play_over_a_good_network(void **state)
{
    (void)state;
    play(0, FRAMES * 9 / 10);
}

static void clients_play_over_a_network_that_loses_a_third(void **state)
{
    (void)state;
    play(33, FRAMES / 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clients_play_over_a_good_network),
    cmocka_unit_test(clients_play_over_a_network_that_loses_a_third),
};

TEST_GROUP(udp_network, tests, NULL, NULL);
