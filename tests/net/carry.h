// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Carries packets of a session through a simulated network, as a host does through sockets. Peer 0
// is the server, peer i + 1 the client of `connections[i]`.
#ifndef NET_CARRY_H
#define NET_CARRY_H

#include "group.h"

#include "knack/net.h"

#define CARRY_MAX 2048

static inline void carry_to_server(
    kn_net_sim *net, kn_time now, kn_server *server, const uint32_t *connections)
{
    uint8_t buffer[CARRY_MAX];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(net, now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(server, now, connections[from - 1], buffer, size);
    }
}

static inline void carry_from_server(
    kn_net_sim *net, kn_time now, kn_server *server, const uint32_t *connections, uint32_t count)
{
    uint8_t buffer[CARRY_MAX];
    size_t size;
    for (uint32_t i = 0; i < count; i++) {
        while (connections[i] != 0 && kn_server_write(server, now, connections[i], buffer,
                                          sizeof(buffer), &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(net, now, 0, i + 1, buffer, size), KN_OK);
        }
    }
}

static inline void carry_to_client(kn_net_sim *net, kn_time now, kn_client *client, uint32_t peer)
{
    uint8_t buffer[CARRY_MAX];
    size_t size;
    while (kn_net_sim_receive(net, now, peer, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_client_receive(client, now, buffer, size);
    }
}

static inline void carry_from_client(kn_net_sim *net, kn_time now, kn_client *client, uint32_t peer)
{
    uint8_t buffer[CARRY_MAX];
    size_t size;
    while (kn_client_write(client, now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_int_equal(kn_net_sim_send(net, now, peer, 0, buffer, size), KN_OK);
    }
}

// What a test notes of the events of client `i`.
typedef void carry_note(void *user, uint32_t i, const kn_client_event *event);

// One frame of a server and its clients; `note` may be NULL.
static inline void carry_frame(kn_net_sim *net, kn_time now, kn_server *server, kn_client **clients,
    const uint32_t *connections, uint32_t count, carry_note *note, void *user)
{
    kn_server_event event;
    carry_to_server(net, now, server, connections);
    assert_int_equal(kn_server_update(server, now), KN_OK);
    while (kn_server_next_event(server, &event)) {
    }
    carry_from_server(net, now, server, connections, count);
    for (uint32_t i = 0; i < count; i++) {
        kn_client_event news;
        carry_to_client(net, now, clients[i], i + 1);
        assert_int_equal(kn_client_update(clients[i], now), KN_OK);
        while (kn_client_next_event(clients[i], &news)) {
            if (note != NULL) {
                note(user, i, &news);
            }
        }
        carry_from_client(net, now, clients[i], i + 1);
    }
}

#endif
