// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What goes beyond the protocol: rate limits, used tokens that survive a restart, and memory.

#include "udp/rate_limits.h"
#include "udp_peers.h"

// Rates -----------------------------------------------------------------------

static void rate_allows_a_burst_and_then_a_steady_flow(void **state)
{
    (void)state;
    kni_udp_rate rate = kni_udp_rate_of(10, 5);
    kn_time starts[] = {0, KN_S(1000), -KN_S(1000)};
    for (size_t k = 0; k < 3; k++) {
        kn_time next = 0, now = starts[k];
        for (uint32_t i = 0; i < 5; i++) {
            assert_true(kni_udp_rate_take(&rate, &next, now));
        }
        assert_false(kni_udp_rate_take(&rate, &next, now));
        assert_false(kni_udp_rate_take(&rate, &next, now + KN_MS(100) - 1));
        assert_true(kni_udp_rate_take(&rate, &next, now + KN_MS(100)));
        assert_false(kni_udp_rate_take(&rate, &next, now + KN_MS(100)));
        for (uint32_t i = 0; i < 5; i++) { // a pause gives the burst back, and no more
            assert_true(kni_udp_rate_take(&rate, &next, now + KN_S(10)));
        }
        assert_false(kni_udp_rate_take(&rate, &next, now + KN_S(10)));
    }
    rate = kni_udp_rate_of(0, 0);
    kn_time next = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(kni_udp_rate_take(&rate, &next, 0));
    }
    rate = kni_udp_rate_of(UINT32_MAX, 1);
    assert_true(kni_udp_rate_take(&rate, &next, 0));
    assert_false(kni_udp_rate_take(&rate, &next, 0));
}

static uint32_t allowed(kni_udp_limits *limits, const char *address, uint32_t tries, kn_time now)
{
    kn_address from = address_of(address);
    uint32_t count = 0;
    for (uint32_t i = 0; i < tries; i++) {
        from.port = (uint16_t)(1000 + i); // ports do not help
        count += kni_udp_limits_take(limits, &from, now);
    }
    return count;
}

static void network_address_has_one_limit_for_all_ports(void **state)
{
    (void)state;
    kni_udp_limits limits;
    assert_true(kni_udp_limits_init(&limits, NULL, 4096));
    limits.rate = kni_udp_rate_of(10, 5);
    assert_int_equal(allowed(&limits, "10.0.0.1", 100, 0), 5);
    assert_int_equal(allowed(&limits, "10.0.0.1", 100, KN_MS(200)), 2);
    assert_int_equal(allowed(&limits, "[2001:db8::1]", 100, 0), 5);
    assert_int_equal(allowed(&limits, "[2001:db8::2]", 100, 0), 0); // the same 64 bits
    assert_int_equal(allowed(&limits, "[2001:db8:0:1::1]", 100, 0), 5);
    kni_udp_limits_free(&limits, NULL);
}

// A flood of invented addresses does not take the turn of an honest one, nor clear that of one who
// is over the limit. Some share both counters with the flood by chance.
static void flood_of_addresses_displaces_nobody(void **state)
{
    (void)state;
    kni_udp_limits limits;
    assert_true(kni_udp_limits_init(&limits, NULL, 4096));
    limits.rate = kni_udp_rate_of(10, 5);
    assert_int_equal(allowed(&limits, "192.0.2.1", 100, 0), 5);
    kn_address flood = address_of("10.0.0.0:1");
    for (uint32_t i = 0; i < 4000; i++) {
        flood.bytes[2] = (uint8_t)(i >> 8);
        flood.bytes[3] = (uint8_t)i;
        (void)kni_udp_limits_take(&limits, &flood, 0);
    }
    assert_int_equal(allowed(&limits, "192.0.2.1", 100, 0), 0);
    uint32_t honest = 0;
    for (uint32_t i = 0; i < 100; i++) {
        kn_address address = address_of("198.51.100.0:1");
        address.bytes[3] = (uint8_t)i;
        honest += kni_udp_limits_take(&limits, &address, 0);
    }
    assert_in_range(honest, 95, 100);
    kni_udp_limits_free(&limits, NULL);
}

// Limits of a server ----------------------------------------------------------

static void requests_are_limited_before_they_are_decrypted(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.handshake_rate = 10;
    def.handshake_burst = 3;
    kn_udp_server *server = new_server_of(&def);
    test_peer peer = new_peer(1);
    test_bytes junk = peer_request(&peer), cheap = junk;
    junk.bytes[200] ^= 1; // has to be decrypted to be found out
    cheap.bytes[14] ^= 1; // another protocol id, which needs no decryption and costs nothing
    for (uint32_t i = 0; i < 100; i++) {
        give_server(server, &peer.address, &cheap, 0);
    }
    assert_int_equal(kn_udp_server_stats_of(server).limited, 0);
    for (uint32_t i = 0; i < 10; i++) {
        give_server(server, &peer.address, &junk, 0);
    }
    assert_int_equal(kn_udp_server_stats_of(server).limited, 7);
    peer_sends_request(&peer, server, 0);
    expect_server_silent(server);
    test_peer other = new_peer(2); // not in the way
    (void)peer_gets_challenge(&other, server, 0);
    (void)peer_gets_challenge(&peer, server, KN_MS(100));
    kn_udp_server_destroy(server);
}

static void responses_are_limited_by_their_address(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.handshake_rate = 10;
    def.handshake_burst = 3;
    kn_udp_server *server = new_server_of(&def);
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0), bad = challenge;
    bad.data[50] ^= 1;
    for (uint32_t i = 0; i < 10; i++) {
        peer_responds(&peer, server, &bad, 0);
    }
    assert_int_equal(kn_udp_server_stats_of(server).limited, 7);
    peer_responds(&peer, server, &challenge, KN_MS(100));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(server);
}

static void connected_clients_have_limits_of_their_own(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.handshake_rate = 1;
    def.handshake_burst = 2;
    def.slot_rate = 100;
    def.slot_burst = 4;
    kn_udp_server *server = new_server_of(&def);
    test_peer peer = new_peer(1), other = new_peer(2);
    (void)peer_connects(&peer, server, 0);
    for (uint32_t i = 0; i < 10; i++) {
        peer_sends(&peer, server, KNI_UDP_PAYLOAD, "x", 1, 0);
    }
    kn_udp_payload payload;
    uint32_t count = 0;
    while (kn_udp_server_next_payload(server, 0, &payload)) {
        count++;
    }
    assert_int_equal(count, 4);
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "x", 1, KN_MS(10));
    assert_true(kn_udp_server_next_payload(server, 0, &payload));
    (void)peer_connects(&other, server, 0);
    peer_sends(&other, server, KNI_UDP_PAYLOAD, "x", 1, 0);
    assert_true(kn_udp_server_next_payload(server, 1, &payload));
    kn_udp_server_destroy(server);
}

// NC-155: whatever is sent to a server by a stranger, it answers with fewer bytes, or not at all.
static void server_never_amplifies(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    uint32_t answers = 0;
    for (uint32_t n = 0; n < 40; n++) {
        test_peer peer = new_peer(n);
        test_bytes request = peer_request(&peer);
        if (n % 2 == 1) {
            request.bytes[(n * 37) % request.size] ^= (uint8_t)(1 + n);
            request.size -= n % 3;
        }
        size_t given = request.size, taken = 0;
        kn_udp_datagram datagram;
        give_server(server, &peer.address, &request, 0);
        while (kn_udp_server_next_datagram(server, &datagram)) {
            taken += datagram.size;
            answers++;
            if (n % 4 == 0) { // and some respond, also when it is full
                kni_udp_packet challenge;
                test_datagram copy = datagram_copy(&datagram);
                if (peer_reads(&peer, &copy, &challenge) && challenge.size > 0) {
                    test_bytes response =
                        peer_packet(&peer, KNI_UDP_RESPONSE, challenge.data, challenge.size);
                    given += response.size;
                    give_server(server, &peer.address, &response, 0);
                }
            }
        }
        assert_true(taken <= given / 2);
    }
    assert_true(answers >= 20);
    kn_udp_server_destroy(server);
}

// Used tokens across a restart ------------------------------------------------

// The used tokens of a server, which it then loses.
static test_bytes export_and_destroy(kn_udp_server *server, uint64_t wall)
{
    test_bytes saved = {0};
    assert_int_equal(
        kn_udp_server_export_used(server, wall, NULL, 0, &saved.size), KN_ERROR_BUFFER_TOO_SMALL);
    size_t length;
    assert_true(saved.size <= sizeof saved.bytes);
    assert_int_equal(
        kn_udp_server_export_used(server, wall, saved.bytes, saved.size, &length), KN_OK);
    assert_int_equal(length, saved.size);
    kn_udp_server_stop(server);
    kn_udp_server_destroy(server);
    return saved;
}

static void used_tokens_survive_a_restart(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer used = new_peer(1), unused = new_peer(2);
    (void)peer_gets_challenge(&used, server, 0);
    test_bytes saved = export_and_destroy(server, WALL);

    server = new_server();
    assert_int_equal(kn_udp_server_import_used(server, saved.bytes, saved.size, NULL), KN_OK);
    peer_sends_request(&used, server, 0);
    expect_server_silent(server); // from its own address, too: numbers would repeat
    used.address.port++;
    peer_sends_request(&used, server, 0);
    expect_server_silent(server);
    (void)peer_gets_challenge(&unused, server, 0);
    kn_udp_server_destroy(server);
}

static void only_tokens_that_have_not_expired_are_exported(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_gets_challenge(&peer, server, 0);
    size_t length;
    assert_int_equal(kn_udp_server_export_used(server, EXPIRES - 1, NULL, 0, &length),
        KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(length, 16 + 24);
    assert_int_equal(
        kn_udp_server_export_used(server, EXPIRES, NULL, 0, &length), KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(length, 16);
    kn_udp_server_destroy(server);
}

static void damaged_export_is_refused(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_gets_challenge(&peer, server, 0);
    test_bytes saved = export_and_destroy(server, WALL);
    server = new_server();
    kn_error error;
    for (size_t i = 0; i < saved.size; i++) {
        assert_int_equal(
            kn_udp_server_import_used(server, saved.bytes, i, &error), KN_ERROR_BAD_DATA);
        test_bytes damaged = saved;
        damaged.bytes[i] ^= 1;
        assert_int_equal(kn_udp_server_import_used(server, damaged.bytes, damaged.size, &error),
            KN_ERROR_BAD_DATA);
    }
    (void)peer_gets_challenge(&peer, server, 0); // nothing was imported
    assert_int_equal(kn_udp_server_import_used(server, saved.bytes, saved.size, &error), KN_OK);
    peer_sends_request(&peer, server, 0); // one that it knows is refused from now on as well
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

static void import_keeps_what_expires_last(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    kn_address ours = address_of("127.0.0.1:40000");
    test_peer peers[3];
    for (uint32_t i = 0; i < 3; i++) {
        static const uint64_t lifetimes[] = {200, 300, 100};
        peers[i] = new_peer(i);
        kn_token_def def = peer_token_def(&peers[i], &ours);
        def.lifetime = lifetimes[i];
        peers[i].token = token_of(&def);
        (void)peer_gets_challenge(&peers[i], server, 0);
    }
    test_bytes saved = export_and_destroy(server, WALL);
    kn_udp_server_def def = server_def();
    def.used_capacity = 2;
    server = new_server_of(&def);
    assert_int_equal(kn_udp_server_import_used(server, saved.bytes, saved.size, NULL), KN_OK);
    assert_int_equal(kn_udp_server_stats_of(server).forgotten_tokens, 1);
    peer_sends_request(&peers[0], server, 0);
    peer_sends_request(&peers[1], server, 0);
    expect_server_silent(server);
    (void)peer_gets_challenge(&peers[2], server, 0);
    kn_udp_server_destroy(server);
}

static void tokens_from_before_a_start_can_be_refused(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.refuse_expiring_until = EXPIRES;
    kn_udp_server *server = new_server_of(&def);
    kn_address ours = address_of("127.0.0.1:40000");
    test_peer before = new_peer(1), after = new_peer(2);
    kn_token_def token = peer_token_def(&after, &ours);
    token.create_time++;
    after.token = token_of(&token);
    peer_sends_request(&before, server, 0);
    expect_server_silent(server);
    (void)peer_gets_challenge(&after, server, 0);
    kn_udp_server_destroy(server);
}

// Memory ----------------------------------------------------------------------

typedef struct test_memory {
    uint32_t calls, fail_at;
    size_t bytes;
} test_memory;

static void *counted_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    test_memory *memory = user;
    if (new_size > old_size && ++memory->calls == memory->fail_at) {
        return NULL;
    }
    memory->bytes += new_size - old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static void creation_survives_running_out_of_memory(void **state)
{
    (void)state;
    test_memory memory = {0};
    kn_udp_server_def server_of = server_def();
    server_of.hooks = (kn_hooks){.realloc_fn = counted_realloc, .realloc_user = &memory};
    kn_udp_client_def client_of = kn_udp_client_def_default();
    client_of.hooks = server_of.hooks;
    kn_result result = KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 1; result != KN_OK; i++) {
        kn_udp_server *server = (kn_udp_server *)&memory;
        memory.calls = 0;
        memory.fail_at = i;
        result = kn_udp_server_create(&server_of, &server);
        assert_true(result == KN_OK ? memory.calls < i
                                    : result == KN_ERROR_OUT_OF_MEMORY && server == NULL);
        kn_udp_server_destroy(server);
        assert_int_equal(memory.bytes, 0);
        assert_true(i < 100);
    }
    result = KN_ERROR_OUT_OF_MEMORY;
    for (uint32_t i = 1; result != KN_OK; i++) {
        kn_udp_client *client = (kn_udp_client *)&memory;
        memory.calls = 0;
        memory.fail_at = i;
        result = kn_udp_client_create(&client_of, &client);
        assert_true(result == KN_OK ? memory.calls < i
                                    : result == KN_ERROR_OUT_OF_MEMORY && client == NULL);
        kn_udp_client_destroy(client);
        assert_int_equal(memory.bytes, 0);
        assert_true(i < 100);
    }
}

static void nothing_is_allocated_after_creation(void **state)
{
    (void)state;
    test_memory memory = {0};
    kn_udp_server_def def = server_def();
    def.hooks = (kn_hooks){.realloc_fn = counted_realloc, .realloc_user = &memory};
    kn_udp_server *server = new_server_of(&def);
    uint32_t calls = memory.calls;
    for (uint32_t n = 0; n < 40; n++) {
        test_peer peer = new_peer(n);
        uint32_t slot = peer_connects(&peer, server, 0);
        peer_sends(&peer, server, KNI_UDP_PAYLOAD, "x", 1, 0);
        assert_int_equal(kn_udp_server_send(server, slot, "y", 1, 0), KN_OK);
        kn_udp_server_update(server, 0);
        (void)drop_server(server);
        kn_udp_server_disconnect(server, slot);
        (void)drop_server(server);
    }
    assert_int_equal(memory.calls, calls);
    kn_udp_server_destroy(server);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(rate_allows_a_burst_and_then_a_steady_flow),
    cmocka_unit_test(network_address_has_one_limit_for_all_ports),
    cmocka_unit_test(flood_of_addresses_displaces_nobody),
    cmocka_unit_test(requests_are_limited_before_they_are_decrypted),
    cmocka_unit_test(responses_are_limited_by_their_address),
    cmocka_unit_test(connected_clients_have_limits_of_their_own),
    cmocka_unit_test(server_never_amplifies),
    cmocka_unit_test(used_tokens_survive_a_restart),
    cmocka_unit_test(only_tokens_that_have_not_expired_are_exported),
    cmocka_unit_test(damaged_export_is_refused),
    cmocka_unit_test(import_keeps_what_expires_last),
    cmocka_unit_test(tokens_from_before_a_start_can_be_refused),
    cmocka_unit_test(creation_survives_running_out_of_memory),
    cmocka_unit_test(nothing_is_allocated_after_creation),
};

TEST_GROUP(udp_limits, tests, NULL, NULL);
