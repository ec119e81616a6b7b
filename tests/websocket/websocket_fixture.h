// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and clients of knack::websocket in one process, over real sockets of this machine. No
// test waits: both sides are updated in turn until something is so, or too many updates were in
// vain. The time that both sides are given only passes where a test says so.
#ifndef WEBSOCKET_FIXTURE_H
#define WEBSOCKET_FIXTURE_H

#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif

#include "net/net_test.h"

#include "knack/websocket.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#define FIXTURE_CLIENTS 8
#define FIXTURE_UPDATES 4000
// The longest message that a test looks at.
#define FIXTURE_MESSAGE 65536

// What one side has seen.
typedef struct test_side {
    uint32_t connected, closed, messages;
    uint32_t connection; // of the latest event
    kn_websocket_end end;
    uint16_t status;
    char text[KN_WEBSOCKET_TEXT_MAX + 1];
    size_t size; // of the latest message
    uint8_t bytes[FIXTURE_MESSAGE];
} test_side;

typedef struct fixture {
    kn_time now;
    kn_websocket_server *server;
    kn_websocket_client *clients[FIXTURE_CLIENTS];
    test_side at_server, at_client[FIXTURE_CLIENTS];
    bool is_deaf; // the host of the server takes no events
} fixture;

// Without a loopback device there is nothing to test.
static inline bool can_use_sockets(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    bool can = handle >= 0 && bind(handle, (struct sockaddr *)&address, sizeof address) == 0;
    if (handle >= 0) {
        (void)close(handle);
    }
    return can;
}

static inline int skip_without_sockets(void **state)
{
    static fixture f;
    memset(&f, 0, sizeof f);
    *state = &f;
    return 0;
}

#define NEED_SOCKETS()                                                                             \
    do {                                                                                           \
        if (!can_use_sockets()) {                                                                  \
            print_message("no socket can be bound to 127.0.0.1 here\n");                           \
            skip();                                                                                \
        }                                                                                          \
    } while (0)

static inline void side_take(test_side *side, const kn_websocket_event *event)
{
    side->connection = event->connection;
    switch (event->kind) {
    case KN_WEBSOCKET_CONNECTED:
        side->connected++;
        assert_null(event->bytes);
        break;
    case KN_WEBSOCKET_MESSAGE:
        side->messages++;
        assert_true(event->size >= 1 && event->size <= sizeof side->bytes);
        side->size = event->size;
        memcpy(side->bytes, event->bytes, event->size);
        break;
    case KN_WEBSOCKET_CLOSED:
        side->closed++;
        side->end = event->end;
        side->status = event->status;
        assert_true(strlen(event->text) <= KN_WEBSOCKET_TEXT_MAX);
        memcpy(side->text, event->text, strlen(event->text) + 1);
        break;
    }
}

static inline void fixture_update(fixture *f)
{
    kn_websocket_event event;
    if (f->server != NULL) {
        kn_websocket_server_update(f->server, f->now);
        while (!f->is_deaf && kn_websocket_server_next_event(f->server, &event)) {
            side_take(&f->at_server, &event);
        }
    }
    for (uint32_t i = 0; i < FIXTURE_CLIENTS; i++) {
        if (f->clients[i] != NULL) {
            kn_websocket_client_update(f->clients[i], f->now);
            while (kn_websocket_client_next_event(f->clients[i], &event)) {
                side_take(&f->at_client[i], &event);
            }
        }
    }
}

// Sockets of some systems are slower than updates: after some updates in vain the server waits a
// moment for what is on its way.
static inline void fixture_turn(fixture *f, uint32_t turn)
{
    if (turn >= FIXTURE_UPDATES / 2 && f->server != NULL) {
        kn_websocket_server_wait(f->server, KN_MS(1));
    }
    fixture_update(f);
}

// Updates both sides until a condition is true.
#define UPDATE_UNTIL(f, condition)                                                                 \
    do {                                                                                           \
        uint32_t update_count = 0;                                                                 \
        while (!(condition) && update_count++ < FIXTURE_UPDATES) {                                 \
            fixture_turn(f, update_count);                                                         \
        }                                                                                          \
        assert_true(condition);                                                                    \
    } while (0)

static inline kn_websocket_server_def fixture_server_def(void)
{
    kn_websocket_server_def def = kn_websocket_server_def_default();
    def.connect_rate = 0;
    return def;
}

static inline void start_server(fixture *f, const kn_websocket_server_def *def)
{
    kn_error error = {0};
    kn_result result = kn_websocket_server_create(def, &f->server, &error);
    if (result != KN_OK) {
        print_message("%s\n", error.message);
    }
    assert_int_equal(result, KN_OK);
    assert_int_not_equal(kn_websocket_server_port(f->server), 0);
}

// The URL of the server; valid until the next call.
static inline const char *fixture_url(const fixture *f, const char *scheme, const char *path)
{
    static char url[600];
    (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u%s", scheme,
        (unsigned)kn_websocket_server_port(f->server), path);
    return url;
}

static inline void start_client(fixture *f, uint32_t i, const kn_websocket_client_def *def)
{
    kn_error error = {0};
    kn_result result = kn_websocket_client_create(def, &f->clients[i], &error);
    if (result != KN_OK) {
        print_message("%s\n", error.message);
    }
    assert_int_equal(result, KN_OK);
    assert_int_equal(kn_websocket_client_connect(f->clients[i], f->now), KN_OK);
}

// A client for the server as it is.
static inline void start_plain_client(fixture *f, uint32_t i)
{
    kn_websocket_client_def def = kn_websocket_client_def_default();
    def.url = fixture_url(f, "ws", "/");
    start_client(f, i, &def);
}

// A server and a client that are connected.
static inline void start_pair(fixture *f, const kn_websocket_server_def *def)
{
    start_server(f, def);
    start_plain_client(f, 0);
    UPDATE_UNTIL(f, f->at_server.connected == 1 && f->at_client[0].connected == 1);
}

static inline void stop_all(fixture *f)
{
    for (uint32_t i = 0; i < FIXTURE_CLIENTS; i++) {
        kn_websocket_client_destroy(f->clients[i]);
        f->clients[i] = NULL;
    }
    kn_websocket_server_destroy(f->server);
    f->server = NULL;
}

static inline int fixture_teardown(void **state)
{
    stop_all(*state);
    return 0;
}

#define socket_test(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, skip_without_sockets, fixture_teardown)

// Raw sockets -----------------------------------------------------------------

// A TCP connection to the server that never blocks.
static inline int raw_connect(const fixture *f)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
        .sin_port = htons(kn_websocket_server_port(f->server)),
        .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    assert_true(handle >= 0);
    assert_int_equal(connect(handle, (struct sockaddr *)&address, sizeof address), 0);
    int on = 1;
    assert_int_equal(setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    assert_int_equal(fcntl(handle, F_SETFL, O_NONBLOCK), 0);
    return handle;
}

static inline void raw_send(int handle, const void *bytes, size_t size)
{
    assert_int_equal(send(handle, bytes, size, MSG_NOSIGNAL), size);
}

// What arrived so far is added to `text`. False when the server has closed the connection.
static inline bool raw_receive(int handle, char *text, size_t capacity)
{
    size_t size = strlen(text);
    ssize_t count = recv(handle, text + size, capacity - size - 1, 0);
    if (count > 0) {
        text[size + (size_t)count] = '\0';
        return true;
    }
    return count < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

// Updates until the server has closed a raw connection; what it said is in `text`.
static inline void raw_until_closed(fixture *f, int handle, char *text, size_t capacity)
{
    text[0] = '\0';
    for (uint32_t i = 0; i < FIXTURE_UPDATES; i++) {
        if (!raw_receive(handle, text, capacity)) {
            return;
        }
        fixture_turn(f, i);
    }
    fail_msg("the server keeps the connection");
}

#define RAW_REQUEST                                                                                \
    "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"           \
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"                 \
    "Sec-WebSocket-Protocol: knack\r\n\r\n"

// A raw connection whose handshake is complete: from here on it sends frames by hand.
static inline int raw_websocket(fixture *f)
{
    int handle = raw_connect(f);
    uint32_t before = f->at_server.connected;
    raw_send(handle, RAW_REQUEST, strlen(RAW_REQUEST));
    UPDATE_UNTIL(f, f->at_server.connected == before + 1);
    char answer[1024] = "";
    UPDATE_UNTIL(
        f, raw_receive(handle, answer, sizeof answer) && strstr(answer, "\r\n\r\n") != NULL);
    assert_non_null(strstr(answer, "101"));
    return handle;
}

// A frame as clients send it, with a mask of zeros.
static inline size_t raw_frame(uint8_t *frame, uint8_t first, const void *bytes, size_t size)
{
    size_t head = 2;
    frame[0] = first;
    if (size < 126) {
        frame[1] = (uint8_t)(0x80 | size);
    } else {
        assert_true(size <= UINT16_MAX);
        frame[1] = 0x80 | 126;
        frame[2] = (uint8_t)(size >> 8);
        frame[3] = (uint8_t)size;
        head = 4;
    }
    memset(frame + head, 0, 4);
    if (size > 0) {
        memcpy(frame + head + 4, bytes, size);
    }
    return head + 4 + size;
}

static inline void raw_send_frame(int handle, uint8_t first, const void *bytes, size_t size)
{
    static uint8_t frame[FIXTURE_MESSAGE + 16];
    raw_send(handle, frame, raw_frame(frame, first, bytes, size));
}

#endif
