// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Slow and silent peers, hosts that do not listen, memory that runs out, and values out of range.

#include "websocket_fixture.h"

#include "websocket/queue.h"
#include "websocket/rate_limits.h"
#include "websocket/url.h"

// Slow and silent peers -------------------------------------------------------

// Sends until the queue is full; gives the number of messages that were accepted.
static uint32_t send_until_refused(fixture *f, const uint8_t *bytes, size_t size)
{
    for (uint32_t i = 0; i < 100000; i++) {
        kn_result result = kn_websocket_server_send(f->server, 0, bytes, size);
        if (result == KN_REFUSED_LIMIT) {
            fixture_update(f); // the system may take some more
            fixture_update(f);
            result = kn_websocket_server_send(f->server, 0, bytes, size);
        }
        if (result != KN_OK) {
            assert_int_equal(result, KN_REFUSED_LIMIT);
            return i;
        }
        fixture_update(f);
    }
    fail_msg("a reader that does not read is sent everything");
    return 0;
}

static void slow_reader_makes_sends_refused_and_memory_stays_bounded(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    purse memory = {.left = UINT32_MAX};
    kn_websocket_server_def def = fixture_server_def();
    def.hooks = purse_hooks(&memory);
    start_server(f, &def);
    int handle = raw_websocket(f); // reads nothing from here on
    size_t before = memory.bytes;
    uint8_t bytes[1200] = {0};
    uint32_t accepted = send_until_refused(f, bytes, sizeof bytes);
    assert_true(accepted > 100);
    assert_true(kn_websocket_server_stats(f->server).refused_sends >= 2);
    assert_int_equal(memory.bytes, before);
    kn_websocket_peer peer = kn_websocket_server_peer(f->server, 0);
    assert_in_range(peer.send_waiting, def.send_capacity - 2500, def.send_capacity);
    assert_int_equal(f->at_server.closed, 0);

    // Reading makes room again, and nothing that was accepted is lost.
    uint64_t received = 0, expected = (uint64_t)accepted * (sizeof bytes + 4);
    static char buffer[65536];
    for (uint32_t i = 0; i < 100 * FIXTURE_UPDATES && received < expected; i++) {
        ssize_t count = recv(handle, buffer, sizeof buffer, 0);
        received += count > 0 ? (uint64_t)count : 0;
        fixture_turn(f, i / 100);
    }
    assert_int_equal(received, expected);
    assert_int_equal(kn_websocket_server_send(f->server, 0, bytes, sizeof bytes), KN_OK);
    (void)close(handle);
    stop_all(f);
    assert_int_equal(memory.bytes, 0);
}

static void slow_reader_times_out(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    int handle = raw_websocket(f);
    uint8_t bytes[1200] = {0};
    (void)send_until_refused(f, bytes, sizeof bytes);
    for (; f->now <= KN_S(14); f->now += KN_S(1)) {
        fixture_update(f);
        assert_int_equal(f->at_server.closed, 0);
    }
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_TIMED_OUT);
    (void)close(handle);
}

// The peer keeps what it is told and answers nothing.
static void silent_peer_is_pinged_and_closed(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    int handle = raw_websocket(f);
    f->now = KN_MS(4999);
    fixture_update(f);
    char answer[64] = "";
    assert_true(raw_receive(handle, answer, sizeof answer));
    assert_string_equal(answer, "");
    f->now = KN_S(5);
    UPDATE_UNTIL(f, raw_receive(handle, answer, sizeof answer) && answer[0] != '\0');
    assert_int_equal((uint8_t)answer[0], 0x89); // a ping, and only one
    f->now = KN_MS(14999);
    for (uint32_t i = 0; i < 20; i++) {
        fixture_update(f);
    }
    answer[0] = '\0';
    assert_true(raw_receive(handle, answer, sizeof answer));
    assert_string_equal(answer, "");
    assert_int_equal(f->at_server.closed, 0);
    f->now = KN_S(15);
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_TIMED_OUT);
    assert_int_equal(kn_websocket_server_stats(f->server).timed_out, 1);
    (void)close(handle);
}

static void answers_and_messages_keep_a_connection(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def); // both sides ping and answer
    for (uint32_t i = 0; i < 20; i++) {
        f->now += KN_S(6);
        for (uint32_t j = 0; j < 50; j++) {
            fixture_turn(f, j < 40 ? 0 : FIXTURE_UPDATES);
        }
    }
    f->now += KN_S(1000); // a long pause: whoever is asked answers
    for (uint32_t j = 0; j < 50; j++) {
        fixture_turn(f, j < 40 ? 0 : FIXTURE_UPDATES);
    }
    assert_int_equal(f->at_server.closed, 0);
    assert_int_equal(f->at_client[0].closed, 0);
    f->now -= KN_S(60); // counts as none
    fixture_update(f);
    assert_int_equal(kn_websocket_client_send(f->clients[0], "x", 1), KN_OK);
    UPDATE_UNTIL(f, f->at_server.messages == 1);
}

static void silent_server_times_out_at_the_client(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    kn_websocket_server *server = f->server;
    f->server = NULL; // it does not update any more
    for (uint32_t i = 0; i < 4; i++) {
        f->now += KN_S(5);
        for (uint32_t j = 0; j < 10; j++) {
            fixture_update(f);
        }
    }
    assert_int_equal(f->at_client[0].closed, 1);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_TIMED_OUT);
    assert_int_equal(kn_websocket_client_stats(f->clients[0]).timed_out, 1);
    f->server = server;
}

static void peer_that_ignores_a_close_is_cut(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    int handle = raw_websocket(f);
    assert_true(kn_websocket_server_close(f->server, 0, 1000, NULL));
    raw_send_frame(handle, 0x82, "more", 4); // dropped
    f->now = KN_MS(4999);
    for (uint32_t i = 0; i < 50; i++) {
        fixture_update(f);
    }
    assert_int_equal(f->at_server.closed, 0);
    f->now = KN_S(5);
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_BY_HOST);
    assert_int_equal(f->at_server.messages, 0);
    (void)close(handle);
}

// The host takes no events: the client has to wait, and then gets everything through.
static void host_that_does_not_listen_loses_nothing(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    f->is_deaf = true;
    uint32_t sent = 0;
    uint8_t bytes[1000];
    uint32_t vain = 0;
    while (vain < 200) {
        memset(bytes, (int)(sent & 0xff), sizeof bytes);
        memcpy(bytes, &sent, sizeof sent);
        if (kn_websocket_client_send(f->clients[0], bytes, sizeof bytes) == KN_OK) {
            sent++;
            vain = 0;
        } else {
            vain++;
        }
        fixture_update(f);
        assert_true(sent < 100000);
    }
    uint64_t received = kn_websocket_server_stats(f->server).received;
    assert_in_range(received, 30, 65);
    assert_true(sent > received);
    f->now += KN_S(60); // not heard, but not silent either
    kn_websocket_server_update(f->server, f->now);
    uint32_t seen = 0;
    kn_websocket_event event;
    for (uint32_t i = 0; i < 10 * FIXTURE_UPDATES && seen < sent; i++) {
        while (kn_websocket_server_next_event(f->server, &event)) {
            assert_int_equal(event.kind, KN_WEBSOCKET_MESSAGE);
            uint32_t number;
            memcpy(&number, event.bytes, sizeof number);
            assert_int_equal(number, seen);
            assert_int_equal(event.bytes[999], seen & 0xff);
            seen++;
        }
        fixture_turn(f, i / 10);
    }
    assert_int_equal(seen, sent);
}

// Memory ----------------------------------------------------------------------

static void server_without_memory_is_refused_cleanly(void **state)
{
    (void)state;
    NEED_SOCKETS();
    const char *const origins[] = {"https://a.example", "https://b.example"};
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint32_t left = 0;
    for (; result != KN_OK; left++) {
        assert_true(left < 100);
        purse memory = {.left = left};
        kn_websocket_server_def def = kn_websocket_server_def_default();
        def.hooks = purse_hooks(&memory);
        def.origins = origins;
        def.origin_count = 2;
        kn_error error = {0};
        kn_websocket_server *server;
        result = kn_websocket_server_create(&def, &server, &error);
        assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
        assert_int_equal(server == NULL, result != KN_OK);
        assert_int_equal(error.code, result);
        kn_websocket_server_destroy(server);
        assert_int_equal(memory.bytes, 0);
    }
    assert_in_range(left, 8, 20);
}

static void client_without_memory_is_refused_cleanly(void **state)
{
    (void)state;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    uint32_t left = 0;
    for (; result != KN_OK; left++) {
        assert_true(left < 100);
        purse memory = {.left = left};
        kn_websocket_client_def def = kn_websocket_client_def_default();
        def.hooks = purse_hooks(&memory);
        def.url = "ws://127.0.0.1:1/";
        kn_websocket_client *client;
        result = kn_websocket_client_create(&def, &client, NULL);
        assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
        if (result == KN_OK) {
            for (memory.left = 0; memory.left < 2;) {
                uint32_t given = memory.left;
                assert_int_equal(kn_websocket_client_connect(client, 0), KN_ERROR_OUT_OF_MEMORY);
                assert_int_equal(
                    kn_websocket_client_state_of(client), KN_WEBSOCKET_CLIENT_DISCONNECTED);
                memory.left = given + 1;
            }
            assert_int_equal(kn_websocket_client_connect(client, 0), KN_OK);
        }
        kn_websocket_client_destroy(client);
        assert_int_equal(memory.bytes, 0);
    }
    assert_int_equal(left, 5);
}

static void connection_without_memory_is_refused_as_from_a_full_server(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    purse memory = {.left = UINT32_MAX};
    kn_websocket_server_def def = fixture_server_def();
    def.hooks = purse_hooks(&memory);
    start_server(f, &def);
    size_t before = memory.bytes;
    for (uint32_t left = 0; left < 2; left++) {
        memory.left = left;
        start_plain_client(f, left);
        UPDATE_UNTIL(f, f->at_client[left].closed == 1);
        assert_int_equal(f->at_client[left].status, 503);
        assert_int_equal(memory.bytes, before);
    }
    memory.left = 2;
    start_plain_client(f, 2);
    UPDATE_UNTIL(f, f->at_client[2].connected == 1 && f->at_server.connected == 1);
    assert_int_equal(kn_websocket_server_stats(f->server).refused_full, 2);
    assert_true(kn_websocket_client_close(f->clients[2], 1000, NULL));
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    fixture_update(f);
    assert_int_equal(memory.bytes, before); // the queues are gone with the connection
    stop_all(f);
    assert_int_equal(memory.bytes, 0);
}

// Values out of range ---------------------------------------------------------

static void expect_bad_server(const kn_websocket_server_def *def)
{
    kn_error error = {0};
    kn_websocket_server *server = (kn_websocket_server *)&error;
    assert_int_equal(kn_websocket_server_create(def, &server, &error), KN_ERROR_INVALID_ARGUMENT);
    assert_null(server);
    assert_int_equal(error.code, KN_ERROR_INVALID_ARGUMENT);
}

#define EXPECT_BAD_SERVER(field, value)                                                            \
    do {                                                                                           \
        kn_websocket_server_def def = kn_websocket_server_def_default();                           \
        def.field = value;                                                                         \
        expect_bad_server(&def);                                                                   \
    } while (0)

static void server_checks_its_def(void **state)
{
    (void)state;
    kn_assert_set_handler(ignore_assert);
    EXPECT_BAD_SERVER(cookie, 0);
    kn_assert_set_handler(NULL);
    EXPECT_BAD_SERVER(path, NULL);
    EXPECT_BAD_SERVER(path, "game");
    EXPECT_BAD_SERVER(protocol, NULL);
    EXPECT_BAD_SERVER(protocol, "");
    EXPECT_BAD_SERVER(protocol, "two words");
    EXPECT_BAD_SERVER(protocol, "0123456789012345678901234567890123456789012345678901234567890123");
    EXPECT_BAD_SERVER(origin_count, 1);
    EXPECT_BAD_SERVER(certificate_file, "without a key");
    EXPECT_BAD_SERVER(key_file, "without a certificate");
    EXPECT_BAD_SERVER(connection_limit, 0);
    EXPECT_BAD_SERVER(connection_limit, KN_WEBSOCKET_CONNECTIONS_MAX + 1);
    EXPECT_BAD_SERVER(pending_limit, 0);
    EXPECT_BAD_SERVER(pending_limit, 4097);
    EXPECT_BAD_SERVER(handshake_timeout, 0);
    EXPECT_BAD_SERVER(handshake_timeout, KN_S(3601));
    EXPECT_BAD_SERVER(message_max, 0);
    EXPECT_BAD_SERVER(message_max, KN_WEBSOCKET_MESSAGE_MAX + 1);
    EXPECT_BAD_SERVER(send_capacity, 16384 + KN_WEBSOCKET_MESSAGE_EXTRA - 1);
    EXPECT_BAD_SERVER(send_capacity, KN_WEBSOCKET_QUEUE_MAX + 1);
    EXPECT_BAD_SERVER(receive_capacity, 16384 + KN_WEBSOCKET_MESSAGE_EXTRA - 1);
    EXPECT_BAD_SERVER(receive_capacity, KN_WEBSOCKET_QUEUE_MAX + 1);
    EXPECT_BAD_SERVER(system_buffer, UINT32_MAX);
    EXPECT_BAD_SERVER(ping_every, 0);
    EXPECT_BAD_SERVER(ping_every, INT64_MAX);
    EXPECT_BAD_SERVER(timeout, KN_S(5));
    EXPECT_BAD_SERVER(timeout, INT64_MAX);
    const char *const empty[] = {""};
    kn_websocket_server_def def = kn_websocket_server_def_default();
    def.origins = empty;
    def.origin_count = 1;
    expect_bad_server(&def);
}

static void taken_port_and_unknown_address_are_reported(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    kn_error error = {0};
    kn_websocket_server *server;
    def.port = kn_websocket_server_port(f->server);
    assert_int_equal(kn_websocket_server_create(&def, &server, &error), KN_ERROR_IO);
    assert_null(server);
    assert_memory_equal(error.message, "cannot listen: ", 15);
    def.port = 0;
    def.address = "192.0.2.1"; // reserved for examples
    assert_int_equal(kn_websocket_server_create(&def, &server, &error), KN_ERROR_IO);
    assert_null(server);
}

static void server_listens_on_all_addresses(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.address = NULL;
    start_pair(f, &def);
    assert_string_equal(kn_websocket_server_peer(f->server, 0).address, "127.0.0.1");
}

static void server_and_client_speak_ipv6(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    def.address = "::1";
    if (kn_websocket_server_create(&def, &f->server, NULL) != KN_OK) {
        print_message("no socket can be bound to ::1 here\n");
        skip();
    }
    char url[64];
    (void)snprintf(
        url, sizeof url, "ws://[::1]:%u/", (unsigned)kn_websocket_server_port(f->server));
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = url;
    start_client(f, 0, &client);
    UPDATE_UNTIL(f, f->at_client[0].connected == 1 && f->at_server.connected == 1);
    assert_string_equal(kn_websocket_server_peer(f->server, 0).address, "::1");
}

static kn_result client_result(const char *url)
{
    kn_websocket_client_def def = kn_websocket_client_def_default();
    def.url = url;
    kn_error error = {0};
    kn_websocket_client *client;
    kn_result result = kn_websocket_client_create(&def, &client, &error);
    assert_int_equal(client == NULL, result != KN_OK);
    assert_int_equal(error.code, result);
    kn_websocket_client_destroy(client);
    return result;
}

static void client_checks_its_def(void **state)
{
    (void)state;
    assert_int_equal(client_result(NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(client_result(""), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(client_result("http://host/"), KN_ERROR_BAD_DATA);
    assert_int_equal(client_result("wss://[::1]:443/"), KN_ERROR_BAD_DATA);
    kn_websocket_client_def def = kn_websocket_client_def_default();
    def.url = "ws://host/";
    def.origin = "with a blank";
    kn_websocket_client *client;
    assert_int_equal(kn_websocket_client_create(&def, &client, NULL), KN_ERROR_INVALID_ARGUMENT);
    assert_null(client);
    def.origin = NULL;
    def.connect_timeout = 0;
    assert_int_equal(kn_websocket_client_create(&def, &client, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(ignore_assert);
    def = (kn_websocket_client_def){0};
    assert_int_equal(kn_websocket_client_create(&def, &client, NULL), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static void expect_url(
    const char *text, bool is_secure, const char *host, uint16_t port, const char *path)
{
    kni_websocket_url url;
    assert_int_equal(kni_websocket_url_parse(text, &url, NULL), KN_OK);
    assert_int_equal(url.is_secure, is_secure);
    assert_string_equal(url.host, host);
    assert_int_equal(url.port, port);
    assert_string_equal(url.path, path);
}

static void urls_are_taken_apart(void **state)
{
    (void)state;
    expect_url("ws://host", false, "host", 80, "/");
    expect_url("wss://play.example/game?room=1", true, "play.example", 443, "/game?room=1");
    expect_url("ws://127.0.0.1:8080/", false, "127.0.0.1", 8080, "/");
    expect_url("ws://[2001:db8::1]:65535/a/b", false, "2001:db8::1", 65535, "/a/b");
    expect_url("ws://host?x", false, "host", 80, "/?x");
    static const char *const bad[] = {"host", "http://host", "ws://", "ws:///path", "ws://:80/",
        "ws://host:0/", "ws://host:65536/", "ws://host:1234567/", "ws://host:/", "ws://host:8x/",
        "ws://[::1/", "ws://[]/", "ws://me@host/", "ws://host/a b", "ws://host/\r\nX: y",
        "ws://host/#part", "ws://h\xc3\xb6st/", "WS://host/", "ws://host]/"};
    for (uint32_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kni_websocket_url url;
        kn_error error = {0};
        assert_int_equal(kni_websocket_url_parse(bad[i], &url, &error), KN_ERROR_BAD_DATA);
        assert_non_null(strstr(error.message, "the URL '"));
    }
    char text[700] = "ws://";
    memset(text + 5, 'h', 101);
    assert_int_equal(
        kni_websocket_url_parse(text, &(kni_websocket_url){0}, NULL), KN_ERROR_BAD_DATA);
    (void)snprintf(text, sizeof text, "ws://h/%0505d", 0);
    expect_url(text, false, "h", 80, text + 6);
    (void)snprintf(text, sizeof text, "ws://h/%0600d", 0);
    assert_int_equal(
        kni_websocket_url_parse(text, &(kni_websocket_url){0}, NULL), KN_ERROR_BAD_DATA);
}

// Parts -----------------------------------------------------------------------

// Random messages against a plain list of their sizes.
static void queue_gives_what_it_took_in_order(void **state)
{
    (void)state;
    purse memory = {.left = UINT32_MAX};
    kn_hooks hooks = purse_hooks(&memory);
    uint64_t random = 3;
    for (uint32_t round = 0; round < 20; round++) {
        kni_websocket_queue queue;
        uint32_t most = 1 + any_below(&random, 300);
        uint32_t capacity = most + KN_WEBSOCKET_MESSAGE_EXTRA + any_below(&random, 1000);
        assert_true(kni_websocket_queue_init(&queue, &hooks, capacity));
        uint32_t sizes[128];
        uint32_t in = 0, out = 0, size, refused = 0;
        for (uint32_t i = 0; i < 3000; i++) {
            uint32_t wanted = 1 + any_below(&random, most);
            uint8_t *place = in - out < 128 ? kni_websocket_queue_reserve(&queue, most) : NULL;
            bool takes = any_below(&random, 2) == 0 || place == NULL;
            uint8_t *bytes = takes ? kni_websocket_queue_peek(&queue, &size) : NULL;
            if (bytes != NULL) { // also between reserve and commit
                assert_int_equal(size, sizes[out % 128]);
                for (uint32_t j = 0; j < size; j++) {
                    assert_int_equal(bytes[j], (uint8_t)(out + j));
                }
                memset(bytes - 16, 0xee, 16); // where a frame's head goes
                kni_websocket_queue_drop(&queue);
                out++;
            }
            if (place == NULL) {
                refused++;
                assert_true(in - out == 127 || bytes != NULL || in == out);
                continue;
            }
            for (uint32_t j = 0; j < wanted; j++) {
                place[j] = (uint8_t)(in + j);
            }
            kni_websocket_queue_commit(&queue, wanted);
            sizes[in++ % 128] = wanted;
            assert_true(kni_websocket_queue_used(&queue) <= queue.capacity);
        }
        assert_true(refused > 0 && in > 500);
        kni_websocket_queue_free(&queue, &hooks);
    }
    assert_int_equal(memory.bytes, 0);
}

static void empty_queue_of_the_least_size_always_has_room(void **state)
{
    (void)state;
    purse memory = {.left = UINT32_MAX};
    kn_hooks hooks = purse_hooks(&memory);
    kni_websocket_queue queue;
    assert_true(kni_websocket_queue_init(&queue, &hooks, 100 + KN_WEBSOCKET_MESSAGE_EXTRA));
    for (uint32_t i = 1; i <= 100; i++) {
        uint32_t size;
        assert_true(kni_websocket_queue_has_room(&queue, 100));
        assert_non_null(kni_websocket_queue_reserve(&queue, 100));
        kni_websocket_queue_commit(&queue, i);
        assert_false(kni_websocket_queue_has_room(&queue, 101));
        assert_non_null(kni_websocket_queue_peek(&queue, &size));
        assert_int_equal(size, i);
        kni_websocket_queue_drop(&queue);
        assert_true(kni_websocket_queue_is_empty(&queue));
        assert_null(kni_websocket_queue_peek(&queue, &size));
    }
    kni_websocket_queue_free(&queue, &hooks);
    memory.left = 0;
    assert_false(kni_websocket_queue_init(&queue, &hooks, 100));
}

static void rates_are_counted_per_network(void **state)
{
    (void)state;
    purse memory = {.left = UINT32_MAX};
    kn_hooks hooks = purse_hooks(&memory);
    kni_websocket_limits limits;
    assert_true(kni_websocket_limits_init(&limits, &hooks, 10, 5));
    kni_websocket_network a = {{4, 192, 0, 2, 1}}, b = {{4, 192, 0, 2, 2}};
    kn_time now = -KN_S(100); // hosts begin anywhere
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(kni_websocket_limits_take(&limits, &a, now));
    }
    assert_false(kni_websocket_limits_take(&limits, &a, now));
    assert_true(kni_websocket_limits_take(&limits, &b, now));
    assert_false(kni_websocket_limits_take(&limits, &a, now + KN_MS(99)));
    assert_true(kni_websocket_limits_take(&limits, &a, now + KN_MS(100)));
    assert_false(kni_websocket_limits_take(&limits, &a, now + KN_MS(100)));
    uint32_t taken = 0;
    for (kn_time t = KN_S(1); t < KN_S(11); t += KN_MS(1)) {
        taken += kni_websocket_limits_take(&limits, &a, now + t);
    }
    assert_in_range(taken, 100, 105);
    kni_websocket_limits_free(&limits, &hooks);
    assert_int_equal(memory.bytes, 0);

    assert_true(kni_websocket_limits_init(&limits, &hooks, 0, 0)); // no limit
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(kni_websocket_limits_take(&limits, &a, 0));
    }
    kni_websocket_limits_free(&limits, &hooks);
}

static const struct CMUnitTest tests[] = {
    socket_test(slow_reader_makes_sends_refused_and_memory_stays_bounded),
    socket_test(slow_reader_times_out),
    socket_test(silent_peer_is_pinged_and_closed),
    socket_test(answers_and_messages_keep_a_connection),
    socket_test(silent_server_times_out_at_the_client),
    socket_test(peer_that_ignores_a_close_is_cut),
    socket_test(host_that_does_not_listen_loses_nothing),
    cmocka_unit_test(server_without_memory_is_refused_cleanly),
    cmocka_unit_test(client_without_memory_is_refused_cleanly),
    socket_test(connection_without_memory_is_refused_as_from_a_full_server),
    cmocka_unit_test(server_checks_its_def),
    socket_test(taken_port_and_unknown_address_are_reported),
    socket_test(server_listens_on_all_addresses),
    socket_test(server_and_client_speak_ipv6),
    cmocka_unit_test(client_checks_its_def),
    cmocka_unit_test(urls_are_taken_apart),
    cmocka_unit_test(queue_gives_what_it_took_in_order),
    cmocka_unit_test(empty_queue_of_the_least_size_always_has_room),
    cmocka_unit_test(rates_are_counted_per_network),
};

TEST_GROUP(websocket_limits, tests, NULL, NULL);
