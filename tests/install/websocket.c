// SPDX-License-Identifier: MIT

// A client and a server in one program, over real sockets of this machine. In a game they are two
// programs, and time comes from a clock.

#include "knack/websocket.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(kn_result result, const kn_error *error)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s\n", kn_result_name(result), error->message);
        exit(1);
    }
}

static kn_websocket_server *make_server(void)
{
    kn_websocket_server_def def = kn_websocket_server_def_default();
    def.address = "127.0.0.1"; // NULL in a game: all addresses of the machine
    def.path = "/game";
    kn_websocket_server *server;
    kn_error error = {0};
    must(kn_websocket_server_create(&def, &server, &error), &error);
    return server;
}

static kn_websocket_client *make_client(uint16_t port)
{
    char url[64];
    snprintf(url, sizeof url, "ws://127.0.0.1:%u/game", (unsigned)port);
    kn_websocket_client_def def = kn_websocket_client_def_default();
    def.url = url;
    kn_websocket_client *client;
    kn_error error = {0};
    must(kn_websocket_client_create(&def, &client, &error), &error);
    must(kn_websocket_client_connect(client, 0), &error);
    return client;
}

// One frame of the server: everybody who comes is welcome.
static void server_frame(kn_websocket_server *server, kn_time now)
{
    kn_websocket_server_update(server, now);
    kn_websocket_event event;
    while (kn_websocket_server_next_event(server, &event)) {
        if (event.kind == KN_WEBSOCKET_CONNECTED) {
            kn_error error = {0};
            must(kn_websocket_server_send(server, event.connection, "welcome", 7), &error);
        }
    }
}

// One frame of the client. True when the greeting is there.
static bool client_frame(kn_websocket_client *client, kn_time now)
{
    bool is_welcome = false;
    kn_websocket_client_update(client, now);
    kn_websocket_event event;
    while (kn_websocket_client_next_event(client, &event)) {
        if (event.kind == KN_WEBSOCKET_MESSAGE) {
            is_welcome = event.size == 7 && memcmp(event.bytes, "welcome", 7) == 0;
        } else if (event.kind == KN_WEBSOCKET_CLOSED) {
            fprintf(stderr, "%s: %s\n", kn_websocket_end_name(event.end), event.text);
        }
    }
    return is_welcome;
}

int main(void)
{
    kn_websocket_server *server = make_server();
    kn_websocket_client *client = make_client(kn_websocket_server_port(server));
    bool is_welcome = false;
    for (kn_time now = 0; now < KN_S(10) && !is_welcome; now += KN_MS(5)) {
        server_frame(server, now);
        is_welcome = client_frame(client, now);
        kn_websocket_server_wait(server, KN_MS(5));
    }
    kn_websocket_client_destroy(client);
    kn_websocket_server_destroy(server);
    if (!is_welcome) {
        fprintf(stderr, "nobody said welcome\n");
        return 1;
    }
    return 0;
}
