// SPDX-License-Identifier: MIT

// A client and a server in one program, over real sockets of this machine. In a game the back end,
// the server and the client are three programs, and time comes from clocks.

#include "knack/udp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

// A number that both sides know: change it when they can no longer play with each other.
#define MY_GAME 0x6b6e61636b000001u

static kn_udp_socket *open_socket(void)
{
    kn_udp_socket_def def = kn_udp_socket_def_default();
    must(kn_address_parse("127.0.0.1", &def.ipv4, NULL), "address");
    def.ipv6 = (kn_address){0};
    kn_udp_socket *udp_socket;
    must(kn_udp_socket_open(&def, &udp_socket, NULL), "socket");
    return udp_socket;
}

// The back end: after the player has logged in.
static kn_token make_token(const uint8_t *private_key, const kn_address *address, uint64_t wall)
{
    kn_token_def def = kn_token_def_default();
    def.private_key = private_key;
    def.protocol_id = MY_GAME;
    def.client_id = 7;
    def.addresses = address;
    def.address_count = 1;
    def.create_time = wall;
    kn_token token;
    must(kn_token_make(&def, &token, NULL), "token");
    return token;
}

static kn_udp_server *make_server(const uint8_t *private_key, const kn_address *address)
{
    kn_udp_server_def def = kn_udp_server_def_default();
    def.private_key = private_key;
    def.protocol_id = MY_GAME;
    def.address = *address;
    def.slot_count = 8;
    kn_udp_server *server;
    must(kn_udp_server_create(&def, &server), "server");
    return server;
}

// One frame of the server: whoever comes is greeted.
static void server_frame(
    kn_udp_socket *udp_socket, kn_udp_server *server, kn_time now, uint64_t wall)
{
    kn_udp_socket_run_server(udp_socket, server, now, wall);
    kn_udp_event event;
    while (kn_udp_server_next_event(server, &event)) {
        if (event.is_connected) {
            must(kn_udp_server_send(server, event.slot, "welcome", 7, now), "send");
        }
    }
    kn_udp_socket_flush_server(udp_socket, server);
}

// One frame of the client. True when the greeting is there.
static bool client_frame(kn_udp_socket *udp_socket, kn_udp_client *client, kn_time now)
{
    kn_udp_socket_run_client(udp_socket, client, now);
    kn_udp_payload payload;
    while (kn_udp_client_next_payload(client, &payload)) {
        if (payload.size == 7 && memcmp(payload.bytes, "welcome", 7) == 0) {
            return true;
        }
    }
    return false;
}

int main(void)
{
    uint64_t wall = 1700000000;
    uint8_t private_key[KN_UDP_KEY_SIZE];
    must(kn_udp_random(private_key, sizeof private_key), "key");
    kn_udp_socket *server_socket = open_socket(), *client_socket = open_socket();
    kn_address address;
    must(kn_address_parse("127.0.0.1", &address, NULL), "address");
    address.port = kn_udp_socket_port(server_socket, KN_ADDRESS_IPV4);

    kn_udp_server *server = make_server(private_key, &address);
    kn_udp_client_def client_def = kn_udp_client_def_default();
    kn_udp_client *client;
    kn_token token = make_token(private_key, &address, wall);
    must(kn_udp_client_create(&client_def, &client), "client");
    must(kn_udp_client_connect(client, &token, sizeof token, 0), "connect");

    bool is_welcome = false;
    for (kn_time now = 0; now < KN_S(10) && !is_welcome; now += KN_MS(20)) {
        is_welcome = client_frame(client_socket, client, now);
        (void)kn_udp_socket_wait(server_socket, KN_MS(5));
        server_frame(server_socket, server, now, wall);
        (void)kn_udp_socket_wait(client_socket, KN_MS(5));
    }
    kn_udp_client_disconnect(client);
    kn_udp_socket_flush_client(client_socket, client);

    kn_udp_client_destroy(client);
    kn_udp_server_destroy(server);
    kn_udp_socket_close(client_socket);
    kn_udp_socket_close(server_socket);
    if (!is_welcome) {
        fprintf(stderr, "nobody said welcome\n");
        return 1;
    }
    return 0;
}
