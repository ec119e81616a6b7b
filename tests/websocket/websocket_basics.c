// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Connecting, messages both ways, and closing.

#include "websocket_fixture.h"

static void message_is_one_datagram_both_ways(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    assert_int_equal(kn_websocket_client_state_of(f->clients[0]), KN_WEBSOCKET_CLIENT_CONNECTED);
    assert_int_equal(kn_websocket_server_connection_count(f->server), 1);

    assert_int_equal(kn_websocket_client_send(f->clients[0], "to the server", 13), KN_OK);
    UPDATE_UNTIL(f, f->at_server.messages == 1);
    assert_int_equal(f->at_server.size, 13);
    assert_memory_equal(f->at_server.bytes, "to the server", 13);

    assert_int_equal(kn_websocket_server_send(f->server, 0, "to the client", 13), KN_OK);
    UPDATE_UNTIL(f, f->at_client[0].messages == 1);
    assert_int_equal(f->at_client[0].size, 13);
    assert_memory_equal(f->at_client[0].bytes, "to the client", 13);

    kn_websocket_stats stats = kn_websocket_server_stats(f->server);
    assert_int_equal(stats.connected, 1);
    assert_int_equal(stats.received, 1);
    assert_int_equal(stats.received_bytes, 13);
    assert_int_equal(stats.sent, 1);
    assert_int_equal(stats.sent_bytes, 13);
    assert_int_equal(kn_websocket_client_stats(f->clients[0]).sent, 1);
    assert_int_equal(kn_websocket_client_stats(f->clients[0]).received_bytes, 13);
}

static void peer_has_an_address_and_a_number(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    kn_websocket_peer peer = kn_websocket_server_peer(f->server, 0);
    assert_true(peer.is_connected);
    assert_int_equal(peer.session, 1);
    assert_string_equal(peer.address, "127.0.0.1");
    assert_int_equal(peer.send_waiting, 0);
    assert_int_equal(kn_websocket_server_send(f->server, 0, "0123456789", 10), KN_OK);
    peer = kn_websocket_server_peer(f->server, 0);
    assert_in_range(peer.send_waiting, 10, 10 + KN_WEBSOCKET_MESSAGE_EXTRA);
    assert_false(kn_websocket_server_peer(f->server, 1).is_connected);
    assert_false(kn_websocket_server_peer(f->server, UINT32_MAX).is_connected);
}

// Fills a message with what its number and size say.
static void fill_message(uint8_t *bytes, size_t size, uint32_t number)
{
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)(number * 7 + i * 13 + (i >> 8));
    }
}

static size_t any_size(uint32_t number)
{
    return 1 + number * 2654435761u % 5000;
}

static void messages_of_all_sizes_arrive_whole_and_in_order(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    uint8_t bytes[5001];
    uint32_t sent = 0, seen = 0;
    for (uint32_t i = 0; i < FIXTURE_UPDATES && seen < 400; i++) {
        fill_message(bytes, any_size(sent), sent);
        if (sent < 400 && kn_websocket_server_send(f->server, 0, bytes, any_size(sent)) == KN_OK) {
            sent++;
        }
        kn_websocket_server_update(f->server, f->now);
        kn_websocket_client_update(f->clients[0], f->now);
        kn_websocket_event event;
        while (kn_websocket_client_next_event(f->clients[0], &event)) {
            assert_int_equal(event.kind, KN_WEBSOCKET_MESSAGE);
            assert_int_equal(event.size, any_size(seen));
            fill_message(bytes, event.size, seen);
            assert_memory_equal(event.bytes, bytes, event.size);
            seen++;
        }
    }
    assert_int_equal(seen, 400);
}

static void longest_message_fits_and_a_longer_one_is_not_sent(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    static uint8_t bytes[16385];
    fill_message(bytes, sizeof bytes, 1);
    assert_int_equal(kn_websocket_client_send(f->clients[0], bytes, 16384), KN_OK);
    assert_int_equal(kn_websocket_server_send(f->server, 0, bytes, 16384), KN_OK);
    assert_int_equal(
        kn_websocket_client_send(f->clients[0], bytes, 16385), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(
        kn_websocket_server_send(f->server, 0, bytes, 16385), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_websocket_client_send(f->clients[0], bytes, 0), KN_ERROR_INVALID_ARGUMENT);
    UPDATE_UNTIL(f, f->at_server.messages == 1 && f->at_client[0].messages == 1);
    assert_int_equal(f->at_server.size, 16384);
    assert_memory_equal(f->at_server.bytes, bytes, 16384);
    assert_memory_equal(f->at_client[0].bytes, bytes, 16384);
}

static void fragments_become_one_message(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    int handle = raw_websocket(f);
    raw_send_frame(handle, 0x02, "one ", 4);
    for (uint32_t i = 0; i < 20; i++) {
        fixture_update(f);
    }
    raw_send_frame(handle, 0x00, "two ", 4);
    raw_send_frame(handle, 0x89, "", 0); // a ping in between
    assert_int_equal(f->at_server.messages, 0);
    raw_send_frame(handle, 0x80, "three", 5);
    UPDATE_UNTIL(f, f->at_server.messages == 1);
    assert_int_equal(f->at_server.size, 13);
    assert_memory_equal(f->at_server.bytes, "one two three", 13);

    raw_send_frame(handle, 0x82, "", 0); // says nothing
    raw_send_frame(handle, 0x82, "next", 4);
    UPDATE_UNTIL(f, f->at_server.messages == 2);
    assert_int_equal(f->at_server.size, 4);
    assert_int_equal(f->at_server.closed, 0);
    (void)close(handle);
}

static void server_closes_after_what_waits_is_sent(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    assert_int_equal(kn_websocket_server_send(f->server, 0, "last words", 10), KN_OK);
    assert_true(kn_websocket_server_close(f->server, 0, 4001, "kicked"));
    assert_false(kn_websocket_server_close(f->server, 0, 4001, "kicked"));
    assert_int_equal(kn_websocket_server_send(f->server, 0, "more", 4), KN_REFUSED_NOT_FOUND);
    UPDATE_UNTIL(f, f->at_server.closed == 1 && f->at_client[0].closed == 1);
    assert_int_equal(f->at_client[0].messages, 1);
    assert_memory_equal(f->at_client[0].bytes, "last words", 10);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_BY_PEER);
    assert_int_equal(f->at_client[0].status, 4001);
    assert_string_equal(f->at_client[0].text, "kicked");
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_BY_HOST);
    assert_int_equal(kn_websocket_server_connection_count(f->server), 0);
    assert_false(kn_websocket_server_close(f->server, 0, 1000, NULL));
    assert_false(kn_websocket_server_close(f->server, 99, 1000, NULL));
    assert_int_equal(kn_websocket_client_state_of(f->clients[0]), KN_WEBSOCKET_CLIENT_DISCONNECTED);
}

static void client_closes_and_connects_again(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    assert_int_equal(kn_websocket_client_connect(f->clients[0], f->now), KN_REFUSED_DUPLICATE);
    for (uint32_t i = 1; i <= 5; i++) {
        assert_int_equal(kn_websocket_client_send(f->clients[0], "bye", 3), KN_OK);
        assert_true(kn_websocket_client_close(f->clients[0], 1000, NULL));
        assert_false(kn_websocket_client_close(f->clients[0], 1000, NULL));
        assert_int_equal(kn_websocket_client_state_of(f->clients[0]), KN_WEBSOCKET_CLIENT_CLOSING);
        assert_int_equal(kn_websocket_client_send(f->clients[0], "bye", 3), KN_REFUSED_NOT_FOUND);
        UPDATE_UNTIL(f, f->at_server.closed == i && f->at_client[0].closed == i);
        assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_BY_PEER);
        assert_int_equal(f->at_server.status, 1000);
        assert_int_equal(f->at_server.messages, i);
        assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_BY_HOST);
        assert_int_equal(kn_websocket_client_connect(f->clients[0], f->now), KN_OK);
        assert_int_equal(
            kn_websocket_client_state_of(f->clients[0]), KN_WEBSOCKET_CLIENT_CONNECTING);
        UPDATE_UNTIL(f, f->at_server.connected == i + 1 && f->at_client[0].connected == i + 1);
    }
    assert_int_equal(kn_websocket_server_peer(f->server, f->at_server.connection).session, 6);
}

static void messages_before_a_close_are_still_given(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    f->is_deaf = true;
    assert_int_equal(kn_websocket_client_send(f->clients[0], "one", 3), KN_OK);
    assert_int_equal(kn_websocket_client_send(f->clients[0], "two", 3), KN_OK);
    assert_true(kn_websocket_client_close(f->clients[0], 4321, "enough"));
    UPDATE_UNTIL(f, f->at_client[0].closed == 1);
    kn_websocket_event event;
    assert_true(kn_websocket_server_next_event(f->server, &event));
    assert_int_equal(event.kind, KN_WEBSOCKET_MESSAGE);
    assert_memory_equal(event.bytes, "one", 3);
    assert_int_equal(kn_websocket_server_connection_count(f->server), 1);
    assert_true(kn_websocket_server_next_event(f->server, &event));
    assert_memory_equal(event.bytes, "two", 3);
    bool has_event = false;
    UPDATE_UNTIL(f, has_event || (has_event = kn_websocket_server_next_event(f->server, &event)));
    assert_int_equal(event.kind, KN_WEBSOCKET_CLOSED);
    assert_int_equal(event.status, 4321);
    assert_string_equal(event.text, "enough");
    assert_int_equal(kn_websocket_server_connection_count(f->server), 0);
    assert_int_equal(
        kn_websocket_server_send(f->server, event.connection, "x", 1), KN_REFUSED_NOT_FOUND);
    assert_false(kn_websocket_server_next_event(f->server, &event));
    assert_int_equal(event.size, 0);
    assert_null(event.text);
}

static void long_words_are_truncated_between_characters(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    char words[201];
    for (uint32_t i = 0; i < 200; i += 2) {
        memcpy(words + i, "\xc3\xa4", 2); // two bytes for one letter
    }
    words[200] = '\0';
    assert_true(kn_websocket_server_close(f->server, 0, 1000, words));
    UPDATE_UNTIL(f, f->at_client[0].closed == 1);
    assert_int_equal(strlen(f->at_client[0].text), 122);
    assert_memory_equal(f->at_client[0].text, words, 122);
}

static void abrupt_end_is_reported_as_lost(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_pair(f, &def);
    kn_websocket_client_destroy(f->clients[0]); // without a word
    f->clients[0] = NULL;
    UPDATE_UNTIL(f, f->at_server.closed == 1);
    assert_int_equal(f->at_server.end, KN_WEBSOCKET_END_LOST);
    assert_int_equal(f->at_server.status, 0);
    assert_string_equal(f->at_server.text, "");

    start_plain_client(f, 1);
    UPDATE_UNTIL(f, f->at_client[1].connected == 1 && f->at_server.connected == 2);
    kn_websocket_server_destroy(f->server);
    f->server = NULL;
    UPDATE_UNTIL(f, f->at_client[1].closed == 1);
    assert_int_equal(f->at_client[1].end, KN_WEBSOCKET_END_LOST);
}

static void connections_take_turns_in_events(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    start_plain_client(f, 0);
    start_plain_client(f, 1);
    UPDATE_UNTIL(f, f->at_server.connected == 2 && f->at_client[0].connected == 1 &&
                        f->at_client[1].connected == 1);
    f->is_deaf = true;
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(kn_websocket_client_send(f->clients[0], "much", 4), KN_OK);
    }
    assert_int_equal(kn_websocket_client_send(f->clients[1], "little", 6), KN_OK);
    UPDATE_UNTIL(f, kn_websocket_server_stats(f->server).received == 51);
    kn_websocket_event event;
    uint32_t place = 0;
    for (uint32_t i = 1; kn_websocket_server_next_event(f->server, &event); i++) {
        place = event.size == 6 ? i : place;
    }
    assert_in_range(place, 1, 2); // not behind the fifty
}

static void eight_clients_have_numbers_of_their_own(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    for (uint32_t i = 0; i < FIXTURE_CLIENTS; i++) {
        start_plain_client(f, i);
        UPDATE_UNTIL(f, f->at_client[i].connected == 1 && f->at_server.connected == i + 1);
        assert_int_equal(f->at_server.connection, i);
    }
    for (uint32_t i = 0; i < FIXTURE_CLIENTS; i++) {
        uint8_t byte = (uint8_t)(i + 100);
        assert_int_equal(kn_websocket_server_send(f->server, i, &byte, 1), KN_OK);
    }
    for (uint32_t i = 0; i < FIXTURE_CLIENTS; i++) {
        UPDATE_UNTIL(f, f->at_client[i].messages == 1);
        assert_int_equal(f->at_client[i].bytes[0], i + 100);
    }
    assert_int_equal(kn_websocket_server_connection_count(f->server), FIXTURE_CLIENTS);
}

static void ends_have_names(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < KN_WEBSOCKET_END_COUNT; i++) {
        assert_string_not_equal(kn_websocket_end_name((kn_websocket_end)i), "unknown");
    }
    assert_string_equal(kn_websocket_end_name(KN_WEBSOCKET_END_TIMED_OUT), "timed out");
    assert_string_equal(kn_websocket_end_name(KN_WEBSOCKET_END_COUNT), "unknown");
}

static const struct CMUnitTest tests[] = {
    socket_test(message_is_one_datagram_both_ways),
    socket_test(peer_has_an_address_and_a_number),
    socket_test(messages_of_all_sizes_arrive_whole_and_in_order),
    socket_test(longest_message_fits_and_a_longer_one_is_not_sent),
    socket_test(fragments_become_one_message),
    socket_test(server_closes_after_what_waits_is_sent),
    socket_test(client_closes_and_connects_again),
    socket_test(messages_before_a_close_are_still_given),
    socket_test(long_words_are_truncated_between_characters),
    socket_test(abrupt_end_is_reported_as_lost),
    socket_test(connections_take_turns_in_events),
    socket_test(eight_clients_have_numbers_of_their_own),
    cmocka_unit_test(ends_have_names),
};

TEST_GROUP(websocket_basics, tests, NULL, NULL);
