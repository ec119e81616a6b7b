// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What does not get in, and who is thrown out.

#include "websocket_fixture.h"

// Handshakes ------------------------------------------------------------------

// A client that must be refused with a status of HTTP.
static void expect_refused(fixture *f, const kn_websocket_client_def *def, uint16_t status)
{
    start_client(f, 0, def);
    UPDATE_UNTIL(f, f->at_client[0].closed == 1);
    assert_int_equal(f->at_client[0].connected, 0);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_FAILED);
    assert_int_equal(f->at_client[0].status, status);
    assert_string_not_equal(f->at_client[0].text, "");
    assert_int_equal(f->at_server.connected, 0);
    assert_int_equal(kn_websocket_server_connection_count(f->server), 0);
    assert_int_equal(kn_websocket_client_state_of(f->clients[0]), KN_WEBSOCKET_CLIENT_DISCONNECTED);
}

static void wrong_path_is_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.path = "/game";
    start_server(f, &def);
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = fixture_url(f, "ws", "/other");
    expect_refused(f, &client, 404);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_path, 1);

    client.url = fixture_url(f, "ws", "/game?room=7"); // what follows "?" is ignored
    start_client(f, 1, &client);
    UPDATE_UNTIL(f, f->at_client[1].connected == 1);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_path, 1);
}

static void wrong_subprotocol_is_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = fixture_url(f, "ws", "/");
    client.protocol = "knack2";
    expect_refused(f, &client, 400);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_protocol, 1);
}

static void one_of_several_offered_subprotocols_is_enough(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    static const char request[] =
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
        "Sec-WebSocket-Protocol: chat, knack\r\n\r\n";
    int handle = raw_connect(f);
    raw_send(handle, request, strlen(request));
    UPDATE_UNTIL(f, f->at_server.connected == 1);
    char answer[1024] = "";
    UPDATE_UNTIL(
        f, raw_receive(handle, answer, sizeof answer) && strstr(answer, "\r\n\r\n") != NULL);
    assert_non_null(strstr(answer, "rotocol: knack\r\n"));
    (void)close(handle);
}

static void request_without_a_subprotocol_is_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    static const char request[] =
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n";
    int handle = raw_connect(f);
    raw_send(handle, request, strlen(request));
    char answer[1024];
    raw_until_closed(f, handle, answer, sizeof answer);
    assert_memory_equal(answer, "HTTP/1.0 400 ", 13);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_protocol, 1);
    (void)close(handle);
}

static void only_listed_origins_get_in(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    const char *const origins[] = {"https://play.example", "https://test.example"};
    kn_websocket_server_def def = fixture_server_def();
    def.origins = origins;
    def.origin_count = 2;
    start_server(f, &def);
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = fixture_url(f, "ws", "/");
    client.origin = "https://play.example.evil";
    expect_refused(f, &client, 403);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_origin, 1);

    client.origin = "https://test.example";
    start_client(f, 1, &client);
    client.origin = NULL; // a program, not a browser
    start_client(f, 2, &client);
    UPDATE_UNTIL(f, f->at_client[1].connected == 1 && f->at_client[2].connected == 1);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_origin, 1);
}

static void full_server_refuses_until_an_end_is_taken(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.connection_limit = 2;
    start_server(f, &def);
    start_plain_client(f, 0);
    start_plain_client(f, 1);
    UPDATE_UNTIL(f, f->at_client[0].connected == 1 && f->at_client[1].connected == 1);
    start_plain_client(f, 2);
    UPDATE_UNTIL(f, f->at_client[2].closed == 1);
    assert_int_equal(f->at_client[2].status, 503);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_full, 1);
    assert_int_equal(f->at_server.connected, 2);

    assert_true(kn_websocket_client_close(f->clients[0], 1000, NULL));
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(kn_websocket_client_connect(f->clients[2], f->now), KN_OK);
    UPDATE_UNTIL(f, f->at_client[2].connected == 1 && f->at_server.connected == 3);
}

static void no_server_is_a_failed_connection(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = fixture_url(f, "ws", "/");
    kn_websocket_server_destroy(f->server);
    f->server = NULL;
    start_client(f, 0, &client);
    UPDATE_UNTIL(f, f->at_client[0].closed == 1);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_FAILED);
    assert_int_equal(f->at_client[0].status, 0);
}

// A socket that listens and says nothing.
static void silent_server_is_given_up(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof address;
    int handle = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(handle, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(handle, 4), 0);
    assert_int_equal(getsockname(handle, (struct sockaddr *)&address, &size), 0);
    char url[64];
    (void)snprintf(url, sizeof url, "ws://127.0.0.1:%u/", (unsigned)ntohs(address.sin_port));
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = url;
    start_client(f, 0, &client);
    f->now = KN_MS(9999);
    for (uint32_t i = 0; i < 20; i++) {
        fixture_update(f);
    }
    assert_int_equal(kn_websocket_client_state_of(f->clients[0]), KN_WEBSOCKET_CLIENT_CONNECTING);
    f->now = KN_S(10);
    UPDATE_UNTIL(f, f->at_client[0].closed == 1);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_FAILED);
    assert_string_equal(f->at_client[0].text, "the server does not answer");

    assert_int_equal(kn_websocket_client_connect(f->clients[0], f->now), KN_OK);
    fixture_update(f);
    assert_true(kn_websocket_client_close(f->clients[0], 1000, NULL)); // gives up by itself
    assert_false(kn_websocket_client_close(f->clients[0], 1000, NULL));
    UPDATE_UNTIL(f, f->at_client[0].closed == 2);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_BY_HOST);
    (void)close(handle);
}

// Requests that are not for us ------------------------------------------------

// The status of HTTP, or "" where the connection is closed without a word.
static void expect_answer(fixture *f, const char *request, const char *status)
{
    int handle = raw_connect(f);
    raw_send(handle, request, strlen(request));
    char answer[4096];
    raw_until_closed(f, handle, answer, sizeof answer);
    if (status[0] != '\0') {
        assert_true(strlen(answer) > 12);
        assert_memory_equal(answer, "HTTP/1.", 7);
        assert_memory_equal(answer + 9, status, 3);
    } else {
        assert_string_equal(answer, "");
    }
    (void)close(handle);
}

static void plain_http_is_answered_and_closed(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    expect_answer(f, "GET / HTTP/1.1\r\nHost: x\r\n\r\n", "426");
    expect_answer(f, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", "426");
    expect_answer(f,
        "GET / HTTP/1.1\r\nHost: x\r\nUpgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\n"
        "HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA\r\n\r\n",
        "400");
    assert_int_equal(kn_websocket_server_stats(f->server).refused_path, 3);
    expect_answer(f, "CONNECT other.example:80 HTTP/1.1\r\nHost: x\r\n\r\n", "");
    assert_int_equal(f->at_server.connected, 0);
}

// Anything may arrive at a port.
static void garbage_never_becomes_a_connection(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    uint64_t random = 11;
    for (uint32_t round = 0; round < 60; round++) {
        uint8_t bytes[3000];
        uint32_t size = 1 + any_below(&random, sizeof bytes);
        for (uint32_t i = 0; i < size; i++) {
            bytes[i] = (uint8_t)any_u64(&random);
        }
        static const char *const begins[] = {"GET ", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
            "\x16\x03\x01", "GET / HTTP/1.1\r\nUpgrade: websocket\r\n", ""};
        const char *begin = begins[round % 5];
        memcpy(bytes, begin, strlen(begin) < size ? strlen(begin) : size);
        int handle = raw_connect(f);
        (void)send(handle, bytes, size, MSG_NOSIGNAL);
        for (uint32_t i = 0; i < 5; i++) {
            fixture_update(f);
        }
        (void)close(handle);
    }
    assert_int_equal(f->at_server.connected, 0);
    start_plain_client(f, 0); // others are not disturbed
    UPDATE_UNTIL(f, f->at_client[0].connected == 1);
}

// The same, after a proper handshake.
static void garbage_frames_end_the_connection_only(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    uint64_t random = 5;
    for (uint32_t round = 0; round < 60; round++) {
        uint8_t bytes[600];
        int handle = raw_websocket(f);
        uint32_t closed = f->at_server.closed;
        for (uint32_t i = 0; i < sizeof bytes; i++) {
            bytes[i] = (uint8_t)any_u64(&random);
        }
        (void)send(handle, bytes, sizeof bytes, MSG_NOSIGNAL);
        for (uint32_t i = 0; i < 5; i++) {
            fixture_update(f);
        }
        (void)close(handle);
        UPDATE_UNTIL(f, f->at_server.closed == closed + 1);
    }
    assert_int_equal(kn_websocket_server_connection_count(f->server), 1);
    assert_int_equal(kn_websocket_client_send(f->clients[0], "still here", 10), KN_OK);
    uint32_t messages = f->at_server.messages;
    UPDATE_UNTIL(f, f->at_server.messages == messages + 1);
    assert_memory_equal(f->at_server.bytes, "still here", 10);
}

static void second_request_in_place_of_messages_is_not_served(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    int handle = raw_connect(f);
    raw_send(handle, RAW_REQUEST RAW_REQUEST, 2 * strlen(RAW_REQUEST));
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(f->at_server.connected, 1);
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_LOST);
    (void)close(handle);
}

// Sockets ---------------------------------------------------------------------

static void sockets_without_a_handshake_are_limited_and_cut(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.pending_limit = 3;
    start_server(f, &def);
    int idle[3];
    for (uint32_t i = 0; i < 3; i++) {
        idle[i] = raw_connect(f);
        raw_send(idle[i], "GET / HT", 8); // and nothing more
    }
    for (uint32_t i = 0; i < 50; i++) {
        fixture_update(f);
    }
    int handle = raw_connect(f);
    char answer[256];
    raw_until_closed(f, handle, answer, sizeof answer);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_full, 1);
    (void)close(handle);

    f->now = KN_MS(4999);
    fixture_update(f);
    answer[0] = '\0';
    assert_true(raw_receive(idle[0], answer, sizeof answer));
    f->now = KN_S(5);
    for (uint32_t i = 0; i < 3; i++) {
        raw_until_closed(f, idle[i], answer, sizeof answer);
        (void)close(idle[i]);
    }
    assert_int_equal(kn_websocket_server_stats(f->server).handshake_timeouts, 3);
    start_plain_client(f, 0);
    UPDATE_UNTIL(f, f->at_client[0].connected == 1);
}

static void address_connects_at_its_rate(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.connect_rate = 2;
    def.connect_burst = 3;
    start_server(f, &def);
    for (uint32_t i = 0; i < 5; i++) {
        start_plain_client(f, i);
        UPDATE_UNTIL(f, f->at_client[i].connected + f->at_client[i].closed == 1);
        assert_int_equal(f->at_client[i].connected, i < 3);
    }
    assert_int_equal(kn_websocket_server_stats(f->server).refused_rate, 2);
    f->now = KN_MS(499);
    assert_int_equal(kn_websocket_client_connect(f->clients[3], f->now), KN_OK);
    UPDATE_UNTIL(f, f->at_client[3].closed == 2);
    f->now = KN_MS(500);
    assert_int_equal(kn_websocket_client_connect(f->clients[3], f->now), KN_OK);
    UPDATE_UNTIL(f, f->at_client[3].connected == 1);
}

// Bad messages ----------------------------------------------------------------

static void expect_thrown_out(
    fixture *f, int handle, kn_websocket_end end, uint8_t status_high, uint8_t status_low)
{
    UPDATE_UNTIL(f, f->at_server.closed == 1 || kn_websocket_server_stats(f->server).bad == 1);
    char answer[256] = "";
    UPDATE_UNTIL(f, !raw_receive(handle, answer, sizeof answer) || answer[0] != '\0');
    assert_int_equal((uint8_t)answer[0], 0x88); // a close frame
    assert_int_equal((uint8_t)answer[1], 2);
    assert_int_equal((uint8_t)answer[2], status_high);
    assert_int_equal((uint8_t)answer[3], status_low);
    raw_send_frame(handle, 0x88, answer + 2, 2);
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(f->at_server.end, end);
    assert_int_equal(f->at_server.messages, 0);
    assert_int_equal(kn_websocket_server_stats(f->server).bad, 1);
    (void)close(handle);
}

static void text_is_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    int handle = raw_websocket(f);
    raw_send_frame(handle, 0x81, "hello", 5);
    expect_thrown_out(f, handle, KN_WEBSOCKET_END_TEXT, 1003 >> 8, 1003 & 0xff);
}

static void message_above_the_limit_is_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.message_max = 1000;
    start_server(f, &def);
    int handle = raw_websocket(f);
    uint8_t bytes[1001] = {0};
    raw_send_frame(handle, 0x82, bytes, sizeof bytes);
    expect_thrown_out(f, handle, KN_WEBSOCKET_END_TOO_LARGE, 1009 >> 8, 1009 & 0xff);
}

// A frame may promise any length; only its head is sent.
static void promise_above_the_limit_is_enough(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.message_max = 1000;
    start_server(f, &def);
    int handle = raw_websocket(f);
    uint8_t frame[14 + 1000] = {0x82, 0xff, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    raw_send(handle, frame, sizeof frame);
    UPDATE_UNTIL(f, kn_websocket_server_stats(f->server).bad == 1);
    f->now = KN_S(5); // whatever follows belongs to the frame: it cannot answer the close
    expect_thrown_out(f, handle, KN_WEBSOCKET_END_TOO_LARGE, 1009 >> 8, 1009 & 0xff);
}

static void fragments_above_the_limit_are_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.message_max = 1000;
    start_server(f, &def);
    int handle = raw_websocket(f);
    uint8_t bytes[100] = {0};
    raw_send_frame(handle, 0x02, bytes, sizeof bytes);
    for (uint32_t i = 0; i < 10; i++) {
        raw_send_frame(handle, 0x00, bytes, sizeof bytes);
    }
    expect_thrown_out(f, handle, KN_WEBSOCKET_END_TOO_LARGE, 1009 >> 8, 1009 & 0xff);
}

static void client_refuses_what_is_too_large_as_well(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = fixture_url(f, "ws", "/");
    client.message_max = 100;
    start_client(f, 0, &client);
    UPDATE_UNTIL(f, f->at_client[0].connected == 1 && f->at_server.connected == 1);
    uint8_t bytes[101] = {0};
    assert_int_equal(kn_websocket_server_send(f->server, 0, bytes, 100), KN_OK);
    assert_int_equal(kn_websocket_server_send(f->server, 0, bytes, 101), KN_OK);
    UPDATE_UNTIL(f, f->at_client[0].closed == 1 && f->at_server.closed == 1);
    assert_int_equal(f->at_client[0].messages, 1);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_TOO_LARGE);
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_BY_PEER);
    assert_int_equal(f->at_server.status, 1009);
}

static const struct CMUnitTest tests[] = {
    socket_test(wrong_path_is_refused),
    socket_test(wrong_subprotocol_is_refused),
    socket_test(one_of_several_offered_subprotocols_is_enough),
    socket_test(request_without_a_subprotocol_is_refused),
    socket_test(only_listed_origins_get_in),
    socket_test(full_server_refuses_until_an_end_is_taken),
    socket_test(no_server_is_a_failed_connection),
    socket_test(silent_server_is_given_up),
    socket_test(plain_http_is_answered_and_closed),
    socket_test(garbage_never_becomes_a_connection),
    socket_test(garbage_frames_end_the_connection_only),
    socket_test(second_request_in_place_of_messages_is_not_served),
    socket_test(sockets_without_a_handshake_are_limited_and_cut),
    socket_test(address_connects_at_its_rate),
    socket_test(text_is_refused),
    socket_test(message_above_the_limit_is_refused),
    socket_test(promise_above_the_limit_is_enough),
    socket_test(fragments_above_the_limit_are_refused),
    socket_test(client_refuses_what_is_too_large_as_well),
};

TEST_GROUP(websocket_refusals, tests, NULL, NULL);
