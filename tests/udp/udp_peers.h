// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Clients and servers for tests, and peers played by hand, which can send what no client would.
#ifndef UDP_PEERS_H
#define UDP_PEERS_H

#include "udp_fixture.h"

// Updates come 16 times a second, as in the vectors.
#define TICK KN_US(62500)

// A datagram that one side sent.
typedef struct test_datagram {
    kn_address to;
    test_bytes packet;
} test_datagram;

static inline kn_udp_client *new_client(void)
{
    kn_udp_client_def def = kn_udp_client_def_default();
    kn_udp_client *client;
    assert_int_equal(kn_udp_client_create(&def, &client), KN_OK);
    return client;
}

// Like the server of the vectors, with few slots and without rate limits.
static inline kn_udp_server_def server_def(void)
{
    kn_udp_server_def def = kn_udp_server_def_default();
    def.private_key = inputs()->private_key;
    def.challenge_key = inputs()->challenge_key;
    def.protocol_id = PROTOCOL;
    def.address = address_of("127.0.0.1:40000");
    def.slot_count = 4;
    def.handshake_rate = 0;
    def.slot_rate = 0;
    return def;
}

static inline kn_udp_server *new_server_of(const kn_udp_server_def *def)
{
    kn_udp_server *server;
    assert_int_equal(kn_udp_server_create(def, &server), KN_OK);
    return server;
}

static inline kn_udp_server *new_server(void)
{
    kn_udp_server_def def = server_def();
    return new_server_of(&def);
}

static inline test_datagram datagram_copy(const kn_udp_datagram *datagram)
{
    test_datagram copy = {.to = datagram->address};
    assert_true(datagram->size <= KN_UDP_DATAGRAM_MAX);
    copy.packet.size = datagram->size;
    memcpy(copy.packet.bytes, datagram->bytes, datagram->size);
    return copy;
}

// The next datagram, which must be there.
static inline test_datagram from_real_client(kn_udp_client *client)
{
    kn_udp_datagram datagram;
    assert_true(kn_udp_client_next_datagram(client, &datagram));
    return datagram_copy(&datagram);
}

static inline test_datagram from_real_server(kn_udp_server *server)
{
    kn_udp_datagram datagram;
    assert_true(kn_udp_server_next_datagram(server, &datagram));
    return datagram_copy(&datagram);
}

static inline void expect_client_silent(kn_udp_client *client)
{
    kn_udp_datagram datagram;
    assert_false(kn_udp_client_next_datagram(client, &datagram));
    assert_null(datagram.bytes);
}

static inline void expect_server_silent(kn_udp_server *server)
{
    kn_udp_datagram datagram;
    assert_false(kn_udp_server_next_datagram(server, &datagram));
    assert_null(datagram.bytes);
}

// Drops all datagrams that wait, and counts them.
static inline uint32_t drop_client(kn_udp_client *client)
{
    kn_udp_datagram datagram;
    uint32_t count = 0;
    while (kn_udp_client_next_datagram(client, &datagram)) {
        count++;
    }
    return count;
}

static inline uint32_t drop_server(kn_udp_server *server)
{
    kn_udp_datagram datagram;
    uint32_t count = 0;
    while (kn_udp_server_next_datagram(server, &datagram)) {
        count++;
    }
    return count;
}

static inline void give_server(
    kn_udp_server *server, const kn_address *from, const test_bytes *packet, kn_time now)
{
    kn_udp_server_receive(server, from, packet->bytes, packet->size, now, WALL);
}

static inline void give_client(
    kn_udp_client *client, const char *from, const test_bytes *packet, kn_time now)
{
    kn_address address = address_of(from);
    kn_udp_client_receive(client, &address, packet->bytes, packet->size, now);
}

static inline void expect_state(const kn_udp_client *client, kn_udp_client_state state)
{
    if (kn_udp_client_state_of(client) != state) {
        fail_msg("the client is '%s', not '%s'",
            kn_udp_client_state_name(kn_udp_client_state_of(client)),
            kn_udp_client_state_name(state));
    }
}

// Peers by hand ---------------------------------------------------------------

// A client played by hand, with a token, keys and an address of its own.
typedef struct test_peer {
    kn_address address;
    kn_token token;
    uint64_t client_id;
    uint8_t client_key[32], server_key[32], nonce[24];
    uint8_t user_data[256];
    uint64_t sequence; // of its next packet
} test_peer;

// A def of the token of a peer; its pointers are into the peer.
static inline kn_token_def peer_token_def(const test_peer *peer, const kn_address *server)
{
    kn_token_def def = token_def(server, 1);
    def.client_id = peer->client_id;
    def.nonce = peer->nonce;
    def.client_to_server_key = peer->client_key;
    def.server_to_client_key = peer->server_key;
    def.user_data = peer->user_data;
    return def;
}

static inline test_peer new_peer(uint32_t n)
{
    kn_address server = address_of("127.0.0.1:40000");
    test_peer peer = {.client_id = 1000 + n, .address = address_of("10.0.0.0:50000")};
    peer.address.bytes[2] = (uint8_t)(n >> 8);
    peer.address.bytes[3] = (uint8_t)n;
    count_up(peer.client_key, 32, n);
    count_up(peer.server_key, 32, n + 100);
    count_up(peer.nonce, 24, n);
    count_up(peer.user_data, 256, n);
    peer.client_key[31] = peer.server_key[31] = peer.nonce[23] = (uint8_t)(n >> 8);
    kn_token_def def = peer_token_def(&peer, &server);
    peer.token = token_of(&def);
    return peer;
}

static inline test_bytes peer_request(const test_peer *peer)
{
    test_bytes packet = {.size = KNI_UDP_REQUEST_SIZE};
    kni_udp_request_write(peer->token.bytes, packet.bytes);
    return packet;
}

// Writes a packet of the peer under its next number.
static inline test_bytes peer_packet(
    test_peer *peer, kni_udp_type type, const void *data, size_t size)
{
    return packet_with(peer->client_key, type, peer->sequence++, data, size);
}

// Reads a datagram of the server with the key of the peer. False if it is not for the peer.
static inline bool peer_reads(
    const test_peer *peer, const test_datagram *datagram, kni_udp_packet *packet)
{
    kni_udp_replay window = {0};
    kni_udp_reading how = {KNI_UDP_CLIENT_TYPES, PROTOCOL, peer->server_key, &window};
    return kn_address_equal(&datagram->to, &peer->address) &&
           kni_udp_packet_read(&how, datagram->packet.bytes, datagram->packet.size, packet);
}

// The next datagram of the server is for the peer and of this type.
static inline kni_udp_packet peer_expects(
    const test_peer *peer, kn_udp_server *server, kni_udp_type type)
{
    test_datagram datagram = from_real_server(server);
    kni_udp_packet packet;
    assert_true(peer_reads(peer, &datagram, &packet));
    assert_int_equal(packet.type, type);
    return packet;
}

static inline void peer_sends_request(const test_peer *peer, kn_udp_server *server, kn_time now)
{
    test_bytes request = peer_request(peer);
    give_server(server, &peer->address, &request, now);
}

static inline void peer_sends(test_peer *peer, kn_udp_server *server, kni_udp_type type,
    const void *data, size_t size, kn_time now)
{
    test_bytes packet = peer_packet(peer, type, data, size);
    give_server(server, &peer->address, &packet, now);
}

// Sends a request and returns the challenge.
static inline kni_udp_packet peer_gets_challenge(
    const test_peer *peer, kn_udp_server *server, kn_time now)
{
    peer_sends_request(peer, server, now);
    return peer_expects(peer, server, KNI_UDP_CHALLENGE);
}

static inline void peer_responds(
    test_peer *peer, kn_udp_server *server, const kni_udp_packet *challenge, kn_time now)
{
    peer_sends(peer, server, KNI_UDP_RESPONSE, challenge->data, challenge->size, now);
}

// Connects, and returns the slot that the first keep-alive names.
static inline uint32_t peer_connects(test_peer *peer, kn_udp_server *server, kn_time now)
{
    kni_udp_packet challenge = peer_gets_challenge(peer, server, now);
    peer_responds(peer, server, &challenge, now);
    kni_udp_packet packet = peer_expects(peer, server, KNI_UDP_KEEP_ALIVE);
    kn_reader reader = {packet.data, packet.size, 0, false, false};
    return kn_read_u32(&reader);
}

static inline void peer_keeps_alive(test_peer *peer, kn_udp_server *server, kn_time now)
{
    uint8_t data[KNI_UDP_KEEP_ALIVE_DATA] = {0};
    peer_sends(peer, server, KNI_UDP_KEEP_ALIVE, data, sizeof data, now);
}

// A server played by hand: what it sends to a client that holds token A -------

static inline test_bytes challenge_for_client(uint64_t sequence, uint8_t filler)
{
    uint8_t data[KNI_UDP_CHALLENGE_DATA];
    memset(data, filler, sizeof data);
    return from_server(KNI_UDP_CHALLENGE, sequence, data, sizeof data);
}

static inline test_bytes keep_alive_for_client(uint64_t sequence, uint32_t slot, uint32_t count)
{
    uint8_t data[KNI_UDP_KEEP_ALIVE_DATA];
    kni_udp_keep_alive_data(slot, count, data);
    return from_server(KNI_UDP_KEEP_ALIVE, sequence, data, sizeof data);
}

// Reads a datagram of a client that holds token A.
static inline kni_udp_packet read_client(const test_datagram *datagram)
{
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    kni_udp_packet packet;
    assert_true(kni_udp_packet_read(&how, datagram->packet.bytes, datagram->packet.size, &packet));
    return packet;
}

#endif
