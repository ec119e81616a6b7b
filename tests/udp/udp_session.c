// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A whole session and the timing of the reference, datagram for datagram.

#include "udp_peers.h"

// A client, a server, and the wire between them.
typedef struct test_session {
    kn_udp_client *client;
    kn_udp_server *server;
    kn_address client_address, server_address;
    uint32_t seen; // datagrams, compared with NCV-045
} test_session;

static void session_compare(test_session *session, const kn_udp_datagram *datagram)
{
    assert_true(session->seen < 24);
    expect_bytes(datagram->bytes, datagram->size, NCV_045[session->seen++]);
}

static void session_to_server(test_session *session, kn_time now)
{
    kn_udp_datagram datagram;
    while (kn_udp_client_next_datagram(session->client, &datagram)) {
        assert_true(kn_address_equal(&datagram.address, &session->server_address));
        session_compare(session, &datagram);
        kn_udp_server_receive(
            session->server, &session->client_address, datagram.bytes, datagram.size, now, WALL);
    }
}

// Keeps the datagrams of the server until the client is updated again.
typedef struct session_mail {
    test_datagram datagrams[8];
    uint32_t count;
} session_mail;

static void session_collect(test_session *session, session_mail *mail)
{
    kn_udp_datagram datagram;
    while (kn_udp_server_next_datagram(session->server, &datagram)) {
        assert_true(kn_address_equal(&datagram.address, &session->client_address));
        session_compare(session, &datagram);
        mail->datagrams[mail->count++] = datagram_copy(&datagram);
    }
}

static void session_to_client(test_session *session, session_mail *mail, kn_time now)
{
    for (uint32_t i = 0; i < mail->count; i++) {
        kn_udp_client_receive(session->client, &session->server_address,
            mail->datagrams[i].packet.bytes, mail->datagrams[i].packet.size, now);
    }
    mail->count = 0;
}

static void expect_client_payload(test_session *session, const char *text)
{
    kn_udp_payload payload;
    assert_true(kn_udp_client_next_payload(session->client, &payload));
    assert_int_equal(payload.size, strlen(text));
    assert_memory_equal(payload.bytes, text, payload.size);
}

// NCV-045, NC-063..066, NC-108, NC-115, NC-137, NC-145, NC-193, NC-199, NC-200, NC-201
static void session_is_the_same_byte_for_byte(void **state)
{
    (void)state;
    test_session session = {new_client(), new_server(), address_of("127.0.0.1:50000"),
        address_of("127.0.0.1:40000"), 0};
    kn_token_def def = token_def(&session.server_address, 1);
    kn_token token = token_of(&def);
    session_mail mail = {0};
    assert_int_equal(kn_udp_client_connect(session.client, &token, sizeof token, 0), KN_OK);
    for (int k = 0; k <= 9; k++) {
        kn_time now = k * TICK;
        session_to_client(&session, &mail, now);
        kn_udp_client_update(session.client, now);
        if (k == 3) {
            expect_state(session.client, KN_UDP_CLIENT_CONNECTED);
            assert_int_equal(kn_udp_client_slot(session.client), 0);
            assert_int_equal(kn_udp_client_slot_count(session.client), 4);
            assert_int_equal(kn_udp_client_send(session.client, "cl01", 4, now), KN_OK);
        } else if (k == 9) {
            expect_client_payload(&session, "sv01");
            expect_client_payload(&session, "sv02");
            kn_udp_client_disconnect(session.client);
        }
        session_to_server(&session, now);
        kn_udp_server_update(session.server, now);
        if (k == 2) {
            assert_int_equal(kn_udp_server_send(session.server, 0, "sv01", 4, now), KN_OK);
        } else if (k == 4) {
            assert_int_equal(kn_udp_server_send(session.server, 0, "sv02", 4, now), KN_OK);
            kn_udp_payload payload;
            assert_true(kn_udp_server_next_payload(session.server, 0, &payload));
            assert_memory_equal(payload.bytes, "cl01", 4);
        }
        session_collect(&session, &mail);
    }
    assert_int_equal(session.seen, 24);
    expect_state(session.client, KN_UDP_CLIENT_DISCONNECTED);
    assert_int_equal(kn_udp_server_client_count(session.server), 0);
    kn_udp_client_destroy(session.client);
    kn_udp_server_destroy(session.server);
}

// Timing ----------------------------------------------------------------------

// Connects with token A but these numbers of addresses and seconds.
static kn_udp_client *connecting_client(uint32_t address_count, int32_t timeout, uint64_t lifetime)
{
    kn_address addresses[2] = {address_of("127.0.0.1:40000"), address_of("[2001:db8::1]:40001")};
    kn_token_def def = token_def(addresses, address_count);
    def.timeout = timeout;
    def.lifetime = lifetime;
    kn_token token = token_of(&def);
    kn_udp_client *client = new_client();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
    return client;
}

// Updates until the state changes to `state`; returns the time. Counts what was sent.
static kn_time update_until(
    kn_udp_client *client, kn_time start, kn_udp_client_state state, uint32_t *sent)
{
    for (kn_time now = start; now < KN_S(60); now += TICK) {
        kn_udp_client_update(client, now);
        *sent += drop_client(client);
        if (kn_udp_client_state_of(client) == state) {
            return now;
        }
    }
    fail();
    return 0;
}

// NCV-046, NC-108, NC-109, NC-112, NC-130
static void request_times_out_after_41_requests(void **state)
{
    (void)state;
    uint32_t sent = 0;
    kn_udp_client *client = connecting_client(1, 5, 45);
    kn_time ended = update_until(client, 0, KN_UDP_CLIENT_REQUEST_TIMED_OUT, &sent);
    assert_int_equal(ended, KN_US(5062500));
    assert_int_equal(sent, 41);
    kn_udp_client_destroy(client);
}

// NCV-047, NC-112, NC-124, NC-126, NC-127
static void each_address_has_its_own_timeout(void **state)
{
    (void)state;
    uint32_t sent = 0;
    kn_udp_client *client = connecting_client(2, 5, 45);
    kn_address first = kn_udp_client_server(client);
    kn_time now = 0;
    for (; now <= KN_US(5062500); now += TICK) {
        kn_address server = kn_udp_client_server(client);
        assert_true(kn_address_equal(&server, &first));
        kn_udp_client_update(client, now);
        (void)drop_client(client);
    }
    kn_address server = kn_udp_client_server(client);
    assert_false(kn_address_equal(&server, &first));
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    kn_udp_client_update(client, now); // the first request goes out at once
    test_datagram request = from_real_client(client);
    assert_true(kn_address_equal(&request.to, &server));
    kn_time ended = update_until(client, now, KN_UDP_CLIENT_REQUEST_TIMED_OUT, &sent);
    assert_int_equal(ended, KN_US(10125000));
    kn_udp_client_destroy(client);
}

// NCV-048, NCV-049, NC-131..133: 8 s by the standard, where the reference takes 10.125 s.
static void token_expires_across_all_addresses(void **state)
{
    (void)state;
    uint32_t sent = 0;
    kn_udp_client *client = connecting_client(2, 5, 3);
    kn_time ended = update_until(client, 0, KN_UDP_CLIENT_TOKEN_EXPIRED, &sent);
    assert_int_equal(ended, KN_S(3));
    assert_int_equal(sent, 25); // requests only, all to the first address
    kn_udp_client_destroy(client);

    client = connecting_client(2, 5, 8);
    ended = update_until(client, 0, KN_UDP_CLIENT_TOKEN_EXPIRED, &sent);
    assert_int_equal(ended, KN_S(8));
    kn_udp_client_destroy(client);
}

// NCV-050, NC-138, NC-139, NC-202, NC-203
static void silence_ends_a_connection_on_both_sides(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    kn_udp_server_update(server, KN_US(4937500));
    assert_int_equal(kn_udp_server_client_count(server), 1);
    (void)drop_server(server);
    kn_udp_server_update(server, KN_S(5));
    assert_int_equal(kn_udp_server_client_count(server), 0);
    expect_server_silent(server);
    kn_udp_server_destroy(server);

    kn_udp_client *client = connecting_client(2, 5, 45);
    test_bytes challenge = challenge_for_client(7, 1), keep_alive = keep_alive_for_client(0, 0, 4);
    give_client(client, "127.0.0.1:40000", &challenge, 0);
    give_client(client, "127.0.0.1:40000", &keep_alive, 0);
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    kn_udp_client_update(client, KN_S(5));
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    (void)drop_client(client);
    kn_udp_client_update(client, KN_US(5062500));
    expect_state(client, KN_UDP_CLIENT_TIMED_OUT); // without trying the second address
    expect_client_silent(client);
    kn_udp_client_destroy(client);
}

// NCV-051, NC-114, NC-123
static void response_times_out_from_the_challenge_on(void **state)
{
    (void)state;
    uint32_t sent = 0;
    kn_udp_client *client = connecting_client(1, 5, 45);
    kn_udp_client_update(client, 0);
    assert_int_equal(drop_client(client), 1);
    test_bytes challenge = challenge_for_client(0, 1);
    give_client(client, "127.0.0.1:40000", &challenge, TICK);
    kn_time ended = update_until(client, TICK, KN_UDP_CLIENT_RESPONSE_TIMED_OUT, &sent);
    assert_int_equal(ended, KN_US(5125000));
    assert_int_equal(sent, 41); // at 0.125, 0.25, ... and 5.125, just before it gives up
    kn_udp_client_destroy(client);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(session_is_the_same_byte_for_byte),
    cmocka_unit_test(request_times_out_after_41_requests),
    cmocka_unit_test(each_address_has_its_own_timeout),
    cmocka_unit_test(token_expires_across_all_addresses),
    cmocka_unit_test(silence_ends_a_connection_on_both_sides),
    cmocka_unit_test(response_times_out_from_the_challenge_on),
};

TEST_GROUP(udp_session, tests, NULL, NULL);
