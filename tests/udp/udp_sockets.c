// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Real sockets of this machine, on 127.0.0.1 and ::1. Time is counted, not read: each turn waits
// for a datagram, at most a little.

#include "udp_peers.h"

#include <stdio.h>

#define TURN KN_MS(20)

static kn_udp_socket *open_on(const char *ipv4, const char *ipv6)
{
    kn_udp_socket_def def = kn_udp_socket_def_default();
    def.ipv4 = ipv4 != NULL ? address_of(ipv4) : (kn_address){0};
    def.ipv6 = ipv6 != NULL ? address_of(ipv6) : (kn_address){0};
    def.require_both = true;
    kn_udp_socket *udp_socket;
    return kn_udp_socket_open(&def, &udp_socket, NULL) == KN_OK ? udp_socket : NULL;
}

static bool has_ipv6(void)
{
    kn_udp_socket *udp_socket = open_on(NULL, "::1");
    bool is_there = udp_socket != NULL;
    kn_udp_socket_close(udp_socket);
    if (!is_there) {
        printf("this machine has no ::1: a part of this test is left out\n");
    }
    return is_there;
}

static kn_address local_address(const kn_udp_socket *udp_socket, const char *text)
{
    kn_address address = address_of(text);
    address.port = kn_udp_socket_port(udp_socket, address.kind);
    assert_int_not_equal(address.port, 0);
    return address;
}

// A server for the addresses, and a token for the client.
static kn_udp_server *server_at(const kn_address *addresses, uint32_t count)
{
    kn_udp_server_def def = server_def();
    def.address = addresses[0];
    def.second_address = count > 1 ? addresses[1] : (kn_address){0};
    return new_server_of(&def);
}

static kn_udp_client *client_for(const kn_address *addresses, uint32_t count)
{
    kn_token_def def = token_def(addresses, count);
    def.timeout = 1;
    kn_token token = token_of(&def);
    kn_udp_client *client = new_client();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
    return client;
}

// Runs both sides until the client is in a state; `*now` goes on.
static void run_until(kn_udp_socket *server_socket, kn_udp_server *server,
    kn_udp_socket *client_socket, kn_udp_client *client, kn_udp_client_state state, kn_time *now)
{
    for (uint32_t turn = 0; turn < 500; turn++) {
        kn_udp_socket_run_client(client_socket, client, *now);
        if (kn_udp_client_state_of(client) == state) {
            return;
        }
        (void)kn_udp_socket_wait(server_socket, KN_MS(2));
        kn_udp_socket_run_server(server_socket, server, *now, WALL);
        (void)kn_udp_socket_wait(client_socket, KN_MS(2));
        *now += TURN;
    }
    fail_msg("the client is '%s'", kn_udp_client_state_name(kn_udp_client_state_of(client)));
}

static void exchange_and_disconnect(kn_udp_socket *server_socket, kn_udp_server *server,
    kn_udp_socket *client_socket, kn_udp_client *client, kn_time now)
{
    uint8_t big[KN_UDP_PAYLOAD_MAX];
    count_up(big, sizeof big, 3);
    assert_int_equal(kn_udp_client_send(client, big, sizeof big, now), KN_OK);
    kn_udp_socket_flush_client(client_socket, client);
    assert_true(kn_udp_socket_wait(server_socket, KN_S(5)));
    kn_udp_socket_run_server(server_socket, server, now, WALL);
    kn_udp_payload payload;
    assert_true(kn_udp_server_next_payload(server, 0, &payload));
    assert_int_equal(payload.size, sizeof big);
    assert_memory_equal(payload.bytes, big, sizeof big);

    assert_int_equal(kn_udp_server_send(server, 0, "welcome", 7, now), KN_OK);
    kn_udp_socket_flush_server(server_socket, server);
    bool has_payload = false;
    for (uint32_t i = 0; i < 20 && !has_payload; i++) {
        (void)kn_udp_socket_wait(client_socket, KN_MS(250));
        kn_udp_socket_run_client(client_socket, client, now);
        has_payload = kn_udp_client_next_payload(client, &payload);
    }
    assert_true(has_payload);
    assert_memory_equal(payload.bytes, "welcome", 7);

    kn_udp_client_disconnect(client);
    kn_udp_socket_flush_client(client_socket, client);
    for (uint32_t i = 0; i < 20 && kn_udp_server_client_count(server) > 0; i++) {
        (void)kn_udp_socket_wait(server_socket, KN_MS(250));
        kn_udp_socket_run_server(server_socket, server, now, WALL);
    }
    assert_int_equal(kn_udp_server_client_count(server), 0);
}

static void play_on(const char *ipv4, const char *ipv6)
{
    const char *text = ipv4 != NULL ? ipv4 : ipv6;
    kn_udp_socket *server_socket = open_on(ipv4, ipv6), *client_socket = open_on(ipv4, ipv6);
    assert_non_null(server_socket);
    assert_non_null(client_socket);
    kn_address address = local_address(server_socket, text);
    kn_udp_server *server = server_at(&address, 1);
    kn_udp_client *client = client_for(&address, 1);
    kn_time now = 0;
    run_until(server_socket, server, client_socket, client, KN_UDP_CLIENT_CONNECTED, &now);
    kn_address seen = kn_udp_server_slot(server, 0).address;
    kn_address expected = local_address(client_socket, text);
    assert_true(kn_address_equal(&seen, &expected));
    exchange_and_disconnect(server_socket, server, client_socket, client, now);
    kn_udp_client_destroy(client);
    kn_udp_server_destroy(server);
    kn_udp_socket_close(client_socket);
    kn_udp_socket_close(server_socket);
}

static void client_and_server_play_over_ipv4(void **state)
{
    (void)state;
    play_on("127.0.0.1", NULL);
}

static void client_and_server_play_over_ipv6(void **state)
{
    (void)state;
    if (has_ipv6()) {
        play_on(NULL, "::1");
    }
}

// NC-125, NC-153
static void server_of_both_families_has_one_set_of_slots(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        return;
    }
    kn_udp_socket *server_socket = open_on("127.0.0.1", "::1");
    kn_udp_socket *client_socket = open_on("127.0.0.1", "::1");
    assert_non_null(server_socket);
    assert_non_null(client_socket);
    kn_address addresses[2] = {
        local_address(server_socket, "127.0.0.1"), local_address(server_socket, "::1")};
    kn_udp_server *server = server_at(addresses, 2);
    // Nobody is at the first address, so the client turns to the other family.
    kn_udp_socket *nobody = open_on("127.0.0.1", NULL);
    kn_address tried[2] = {local_address(nobody, "127.0.0.1"), addresses[1]};
    kn_udp_client *second = client_for(tried, 2);
    kn_token_def def = token_def(tried, 2);
    def.timeout = 1;
    def.private_addresses = addresses;
    def.client_id = 7;
    kn_token token = token_of(&def);
    assert_int_equal(kn_udp_client_connect(second, &token, sizeof token, 0), KN_OK);
    kn_time now = 0;
    run_until(server_socket, server, client_socket, second, KN_UDP_CLIENT_CONNECTED, &now);
    assert_int_equal(kn_udp_client_server(second).kind, KN_ADDRESS_IPV6);
    assert_int_equal(kn_udp_server_slot(server, 0).address.kind, KN_ADDRESS_IPV6);

    kn_udp_socket *other_socket = open_on("127.0.0.1", NULL);
    kn_udp_client *first = client_for(addresses, 1);
    def = token_def(addresses, 1);
    uint8_t nonce[KN_UDP_NONCE_SIZE] = {1};
    def.nonce = nonce;
    token = token_of(&def);
    assert_int_equal(kn_udp_client_connect(first, &token, sizeof token, now), KN_OK);
    run_until(server_socket, server, other_socket, first, KN_UDP_CLIENT_CONNECTED, &now);
    assert_int_equal(kn_udp_client_slot(first), 1);
    assert_int_equal(kn_udp_server_slot(server, 1).address.kind, KN_ADDRESS_IPV4);
    kn_udp_client_destroy(first);
    kn_udp_client_destroy(second);
    kn_udp_server_destroy(server);
    kn_udp_socket_close(nobody);
    kn_udp_socket_close(other_socket);
    kn_udp_socket_close(client_socket);
    kn_udp_socket_close(server_socket);
}

// NC-125: while an address is in use, the socket of the other family is not read.
static void client_reads_the_socket_of_its_server_only(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        return;
    }
    kn_udp_socket *both = open_on("127.0.0.1", "::1"), *sender = open_on(NULL, "::1");
    kn_address server = address_of("127.0.0.1:9"), to = local_address(both, "::1");
    kn_udp_client *client = client_for(&server, 1);
    assert_int_equal(kn_udp_socket_send(sender, &to, "x", 1), KN_OK);
    assert_true(kn_udp_socket_wait(both, KN_S(5)));
    kn_udp_socket_run_client(both, client, 0);
    kn_address from;
    uint8_t byte;
    size_t size;
    assert_true(kn_udp_socket_receive(both, KN_ADDRESS_IPV6, &from, &byte, 1, &size));
    kn_udp_client_destroy(client);
    kn_udp_socket_close(sender);
    kn_udp_socket_close(both);
}

// NC-153: an IPv6 socket takes IPv6 only, so both families can have the same port. NC-151: each is
// bound to all addresses.
static void both_families_share_a_port(void **state)
{
    (void)state;
    if (!has_ipv6()) {
        return;
    }
    kn_udp_socket *ipv6 = NULL, *ipv4 = NULL;
    for (uint32_t i = 0; i < 8 && ipv4 == NULL; i++) { // others may have taken the port of IPv4
        kn_udp_socket_close(ipv6);
        ipv6 = open_on(NULL, "::");
        assert_non_null(ipv6);
        kn_udp_socket_def def = kn_udp_socket_def_default();
        def.ipv6 = (kn_address){0};
        def.ipv4.port = kn_udp_socket_port(ipv6, KN_ADDRESS_IPV6);
        (void)!kn_udp_socket_open(&def, &ipv4, NULL);
    }
    assert_non_null(ipv4);
    kn_udp_socket *sender = open_on("127.0.0.1", "::1");
    kn_address to = local_address(ipv4, "127.0.0.1"), from;
    assert_int_equal(kn_udp_socket_send(sender, &to, "abc", 3), KN_OK);
    assert_true(kn_udp_socket_wait(ipv4, KN_S(5)));
    assert_false(kn_udp_socket_wait(ipv6, 0));
    uint8_t bytes[2];
    size_t size;
    assert_true(kn_udp_socket_receive(ipv4, KN_ADDRESS_NONE, &from, bytes, sizeof bytes, &size));
    assert_in_range(size, 0, 2); // truncated
    assert_int_equal(from.port, kn_udp_socket_port(sender, KN_ADDRESS_IPV4));
    assert_false(kn_udp_socket_receive(ipv4, KN_ADDRESS_NONE, &from, bytes, sizeof bytes, &size));
    assert_int_equal(from.kind, KN_ADDRESS_NONE);
    to = local_address(ipv6, "::1");
    assert_int_equal(kn_udp_socket_send(sender, &to, "abc", 3), KN_OK);
    assert_true(kn_udp_socket_wait(ipv6, KN_S(5)));
    kn_udp_socket_close(sender);
    kn_udp_socket_close(ipv4);
    kn_udp_socket_close(ipv6);
}

// Nothing blocks, and a port that is taken is reported with its address.
static void sockets_report_what_is_wrong(void **state)
{
    (void)state;
    kn_udp_socket *first = open_on("127.0.0.1", NULL), *second = (kn_udp_socket *)state;
    assert_non_null(first);
    kn_udp_socket_def def = kn_udp_socket_def_default();
    def.ipv4 = local_address(first, "127.0.0.1");
    def.ipv6 = (kn_address){0};
    kn_error error;
    assert_int_equal(kn_udp_socket_open(&def, &second, &error), KN_ERROR_IO);
    assert_null(second);
    assert_non_null(strstr(error.message, "127.0.0.1:"));
    def.ipv4 = address_of("::1");
    assert_int_equal(kn_udp_socket_open(&def, &second, &error), KN_ERROR_INVALID_ARGUMENT);
    def.ipv4 = (kn_address){0};
    assert_int_equal(kn_udp_socket_open(&def, &second, &error), KN_ERROR_INVALID_ARGUMENT);

    assert_false(kn_udp_socket_wait(first, 0));
    assert_false(kn_udp_socket_wait(first, 1));
    assert_int_equal(kn_udp_socket_port(first, KN_ADDRESS_IPV6), 0);
    assert_int_equal(kn_udp_socket_port(first, KN_ADDRESS_NONE), 0);
    kn_address ipv6 = address_of("[::1]:9"), none = {0}, local = local_address(first, "127.0.0.1");
    assert_int_equal(kn_udp_socket_send(first, &ipv6, "x", 1), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_udp_socket_send(first, &none, "x", 1), KN_REFUSED_NOT_FOUND);
    static uint8_t huge[70000];
    assert_int_equal(kn_udp_socket_send(first, &local, huge, sizeof huge), KN_ERROR_IO);
    kn_udp_socket_close(first);
    kn_udp_socket_close(NULL);
}

// One call receives no more than its budget; the rest waits.
static void budget_bounds_what_one_call_receives(void **state)
{
    (void)state;
    kn_udp_socket_def def = kn_udp_socket_def_default();
    def.ipv4 = address_of("127.0.0.1");
    def.ipv6 = (kn_address){0};
    def.receive_budget = 4;
    kn_udp_socket *server_socket, *sender = open_on("127.0.0.1", NULL);
    assert_int_equal(kn_udp_socket_open(&def, &server_socket, NULL), KN_OK);
    kn_address to = local_address(server_socket, "127.0.0.1");
    kn_udp_server *server = server_at(&to, 1);
    for (uint32_t i = 0; i < 10; i++) {
        assert_int_equal(kn_udp_socket_send(sender, &to, "junk", 4), KN_OK);
    }
    assert_true(kn_udp_socket_wait(server_socket, KN_S(5)));
    kn_udp_socket_run_server(server_socket, server, 0, WALL);
    assert_in_range(kn_udp_server_stats_of(server).received, 1, 4);
    kn_udp_server_destroy(server);
    kn_udp_socket_close(sender);
    kn_udp_socket_close(server_socket);
}

// A datagram without bytes does not hide those behind it.
static void empty_datagrams_are_received(void **state)
{
    (void)state;
    kn_udp_socket *receiver = open_on("127.0.0.1", NULL), *sender = open_on("127.0.0.1", NULL);
    kn_address to = local_address(receiver, "127.0.0.1"), from;
    assert_int_equal(kn_udp_socket_send(sender, &to, "", 0), KN_OK);
    assert_int_equal(kn_udp_socket_send(sender, &to, "abc", 3), KN_OK);
    uint8_t bytes[8];
    size_t size = 9;
    assert_true(kn_udp_socket_wait(receiver, KN_S(5)));
    assert_true(
        kn_udp_socket_receive(receiver, KN_ADDRESS_IPV4, &from, bytes, sizeof bytes, &size));
    assert_int_equal(size, 0);
    assert_int_equal(from.port, kn_udp_socket_port(sender, KN_ADDRESS_IPV4));
    assert_true(kn_udp_socket_wait(receiver, KN_S(5)));
    assert_true(
        kn_udp_socket_receive(receiver, KN_ADDRESS_IPV4, &from, bytes, sizeof bytes, &size));
    assert_int_equal(size, 3);
    kn_udp_socket_close(sender);
    kn_udp_socket_close(receiver);
}

static void closed_socket_gives_its_port_back(void **state)
{
    (void)state;
    kn_udp_socket *first = open_on("127.0.0.1", NULL), *second;
    kn_udp_socket_def def = kn_udp_socket_def_default();
    def.ipv4 = local_address(first, "127.0.0.1");
    def.ipv6 = (kn_address){0};
    assert_int_equal(kn_udp_socket_open(&def, &second, NULL), KN_ERROR_IO);
    kn_udp_socket_close(first);
    assert_int_equal(kn_udp_socket_open(&def, &second, NULL), KN_OK);
    assert_int_equal(kn_udp_socket_port(second, KN_ADDRESS_IPV4), def.ipv4.port);
    kn_udp_socket_close(second);
}

static void *no_memory(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)ptr;
    (void)old_size;
    (void)new_size;
    return NULL;
}

static void socket_without_memory_is_not_opened(void **state)
{
    (void)state;
    kn_udp_socket_def def = kn_udp_socket_def_default();
    def.hooks.realloc_fn = no_memory;
    kn_udp_socket *udp_socket;
    assert_int_equal(kn_udp_socket_open(&def, &udp_socket, NULL), KN_ERROR_OUT_OF_MEMORY);
    assert_null(udp_socket);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(client_and_server_play_over_ipv4),
    cmocka_unit_test(client_and_server_play_over_ipv6),
    cmocka_unit_test(server_of_both_families_has_one_set_of_slots),
    cmocka_unit_test(client_reads_the_socket_of_its_server_only),
    cmocka_unit_test(both_families_share_a_port),
    cmocka_unit_test(sockets_report_what_is_wrong),
    cmocka_unit_test(budget_bounds_what_one_call_receives),
    cmocka_unit_test(empty_datagrams_are_received),
    cmocka_unit_test(closed_socket_gives_its_port_back),
    cmocka_unit_test(socket_without_memory_is_not_opened),
};

TEST_GROUP(udp_sockets, tests, NULL, NULL);
