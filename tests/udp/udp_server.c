// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a server does with requests, responses and packets of clients, good and bad.

#include "udp_peers.h"

// Takes the reason from the server that a request was ignored: nothing sent, nobody pending.
static void expect_request_ignored(kn_udp_server *server, const test_bytes *request)
{
    kn_address from = address_of("127.0.0.1:50000");
    uint64_t accepted = kn_udp_server_stats_of(server).accepted;
    give_server(server, &from, request, 0);
    expect_server_silent(server);
    assert_int_equal(kn_udp_server_stats_of(server).accepted, accepted);
}

static uint32_t slots_of(const kni_udp_packet *keep_alive)
{
    kn_reader reader = {keep_alive->data, keep_alive->size, 4, false, false};
    return kn_read_u32(&reader);
}

static void expect_payload(kn_udp_server *server, uint32_t slot, const char *text)
{
    kn_udp_payload payload;
    assert_true(kn_udp_server_next_payload(server, slot, &payload));
    assert_int_equal(payload.size, strlen(text));
    assert_memory_equal(payload.bytes, text, payload.size);
}

static void expect_no_payload(kn_udp_server *server, uint32_t slot)
{
    kn_udp_payload payload;
    assert_false(kn_udp_server_next_payload(server, slot, &payload));
    assert_null(payload.bytes);
}

// Start and stop --------------------------------------------------------------

// NC-150, NC-047, NC-066, NC-013
static void server_starts_with_free_slots_and_fresh_counters(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    for (uint32_t slot = 0; slot < 4; slot++) {
        assert_false(kn_udp_server_slot(server, slot).is_connected);
    }
    kn_udp_server_update(server, 0);
    expect_server_silent(server);
    test_peer peers[] = {new_peer(1), new_peer(2)};
    for (uint64_t i = 0; i < 2; i++) {
        kni_udp_packet packet = peer_gets_challenge(&peers[i], server, 0);
        assert_true(packet.sequence == ((uint64_t)1 << 63) + i);
        kn_reader reader = {packet.data, packet.size, 0, false, false};
        assert_true(kn_read_u64(&reader) == i);
    }
    kn_udp_server_destroy(server);
    kn_udp_server_destroy(NULL);
}

// NC-067, NC-150
static void each_start_sets_the_global_counter(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        kn_udp_server *server = new_server();
        test_peer peer = new_peer(1);
        kni_udp_packet packet = peer_gets_challenge(&peer, server, 0);
        assert_true(packet.sequence == (uint64_t)1 << 63);
        kn_udp_server_stop(server);
        kn_udp_server_destroy(server);
    }
}

// NC-046
static void challenge_key_is_random(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.challenge_key = NULL;
    kn_udp_server *a = new_server_of(&def), *b = new_server_of(&def);
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, a, 0);
    (void)peer_gets_challenge(&peer, b, 0);
    peer_responds(&peer, b, &challenge, 0); // NC-186
    expect_server_silent(b);
    peer_responds(&peer, a, &challenge, 0);
    (void)peer_expects(&peer, a, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(a);
    kn_udp_server_destroy(b);
}

// NC-154
static void stopping_disconnects_everybody(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peers[] = {new_peer(1), new_peer(2)}, late = new_peer(3);
    (void)peer_connects(&peers[0], server, 0);
    (void)peer_connects(&peers[1], server, 0);
    kni_udp_packet challenge = peer_gets_challenge(&late, server, 0);
    kn_udp_server_stop(server);
    for (uint32_t i = 0; i < 20; i++) {
        kni_udp_packet packet = peer_expects(&peers[i / 10], server, KNI_UDP_DISCONNECT);
        assert_int_equal(packet.sequence, 1 + i % 10);
    }
    expect_server_silent(server);
    assert_int_equal(kn_udp_server_client_count(server), 0);
    peer_responds(&late, server, &challenge, 0);
    peer_sends_request(&late, server, 0);
    kn_udp_server_update(server, KN_S(1));
    expect_server_silent(server);
    size_t length;
    assert_int_equal(
        kn_udp_server_export_used(server, WALL, NULL, 0, &length), KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(length, 16); // it forgot the used tokens
    kn_udp_server_destroy(server);
}

// Requests --------------------------------------------------------------------

// NC-155, NC-172, NC-170, NC-066: no answer is longer than what it answers.
static void answers_are_shorter_than_requests(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.slot_count = 1;
    kn_udp_server *server = new_server_of(&def);
    test_peer first = new_peer(1), second = new_peer(2);
    peer_sends_request(&first, server, 0);
    test_datagram challenge = from_real_server(server);
    assert_int_equal(challenge.packet.size, 333);
    assert_int_equal(challenge.packet.bytes[0], 0x82);
    expect_server_silent(server);
    (void)peer_connects(&first, server, 0);
    peer_sends_request(&second, server, 0);
    test_datagram denied = from_real_server(server);
    assert_int_equal(denied.packet.size, 25);
    assert_int_equal(denied.packet.bytes[0], 0x81);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// NCV-039 points 9 to 15, NC-159..163, NC-173, NC-070, NC-212, NC-214
static void changed_request_is_ignored(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_bytes request = hex(NCV_016);
    request.size = 1077;
    expect_request_ignored(server, &request);
    request.size = 1079;
    expect_request_ignored(server, &request);
    static const struct {
        uint32_t at;
        uint8_t change;
    } changes[] = {{12, 0x32 ^ 0x31}, {13, 0x20}, {14, 1}, {22, 1}, {30, 1}, {54, 1}, {1077, 1}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        request = hex(NCV_016);
        request.bytes[changes[i].at] ^= changes[i].change;
        expect_request_ignored(server, &request);
    }
    request = hex(NCV_016);
    kn_address from = address_of("127.0.0.1:50000");
    give_server(server, &from, &request, 0);
    assert_int_equal(drop_server(server), 1); // unchanged it is good
    kn_udp_server_destroy(server);
}

// NCV-039 point 16, NC-162, NC-008, NC-005
static void token_expires_by_the_wall_clock(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    test_bytes request = peer_request(&peer);
    kn_udp_server_receive(server, &peer.address, request.bytes, request.size, 0, EXPIRES);
    kn_udp_server_receive(server, &peer.address, request.bytes, request.size, 0, EXPIRES + 1);
    expect_server_silent(server);
    kn_udp_server_receive(server, &peer.address, request.bytes, request.size, 0, EXPIRES - 1);
    kni_udp_packet challenge = peer_expects(&peer, server, KNI_UDP_CHALLENGE);
    // From here on the wall clock does not matter.
    test_bytes response = peer_packet(&peer, KNI_UDP_RESPONSE, challenge.data, challenge.size);
    kn_udp_server_receive(server, &peer.address, response.bytes, response.size, 0, EXPIRES + 9);
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(server);
}

// NCV-039 point 17, NC-164, NC-027
static void unreadable_private_part_is_ignored(void **state)
{
    (void)state;
    static const struct {
        uint32_t at;
        uint8_t value;
    } changes[] = {{12, 0}, {12, 0x21}, {15, 0x80}, {16, 0}, {16, 3}};
    kn_udp_server *server = new_server();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        test_bytes plain = hex(NCV_004), request = hex(NCV_016);
        plain.bytes[changes[i].at] = changes[i].value;
        kni_udp_private_seal(
            plain.bytes, inputs()->private_key, inputs()->nonce, PROTOCOL, EXPIRES);
        memcpy(request.bytes + 54, plain.bytes, KNI_UDP_PRIVATE_SIZE);
        expect_request_ignored(server, &request);
    }
    kn_udp_server_destroy(server);
}

// NC-165, NC-151, NC-152, NC-042
static void token_has_to_name_this_server(void **state)
{
    (void)state;
    static const struct {
        const char *ours, *second;
        uint32_t answers;
    } cases[] = {
        {"127.0.0.1:40000", NULL, 1},
        {"127.0.0.1:40001", NULL, 0},
        {"127.0.0.2:40000", NULL, 0},
        {"0.0.0.0:40000", NULL, 0},
        {"[::ffff:127.0.0.1]:40000", NULL, 0},
        {"[2001:db8::1]:40001", NULL, 1},
        {"10.0.0.1:1", "[2001:db8::1]:40001", 1},
        {"10.0.0.1:1", "[2001:db8::2]:40001", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kn_udp_server_def def = server_def();
        def.address = address_of(cases[i].ours);
        def.second_address =
            cases[i].second != NULL ? address_of(cases[i].second) : (kn_address){0};
        kn_udp_server *server = new_server_of(&def);
        kn_address from = address_of("127.0.0.1:50000");
        test_bytes request = hex(NCV_016);
        give_server(server, &from, &request, 0);
        assert_int_equal(drop_server(server), cases[i].answers);
        kn_udp_server_destroy(server);
    }
    // Token D: the private list counts, not the public one.
    kn_udp_server_def def = server_def();
    def.address = address_of("10.0.0.7:40000");
    kn_udp_server *server = new_server_of(&def);
    kn_address outside = address_of("203.0.113.7:40000"), from = address_of("1.2.3.4:5");
    kn_token_def token = token_def(&outside, 1);
    token.private_addresses = &def.address;
    test_peer peer = {.token = token_of(&token)};
    test_bytes request = peer_request(&peer);
    give_server(server, &from, &request, 0);
    assert_int_equal(drop_server(server), 1);
    kn_udp_server_destroy(server);
}

// NC-166, NC-167, NC-173
static void connected_address_or_client_is_not_connected_again(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer first = new_peer(1), same_address = new_peer(2), same_id = new_peer(3);
    (void)peer_connects(&first, server, 0);
    same_address.address = first.address;
    peer_sends_request(&same_address, server, 0);
    expect_server_silent(server);

    kn_address ours = address_of("127.0.0.1:40000");
    same_id.client_id = first.client_id;
    kn_token_def def = peer_token_def(&same_id, &ours);
    same_id.token = token_of(&def);
    peer_sends_request(&same_id, server, 0);
    expect_server_silent(server);
    // Both were ignored before their tokens counted as used.
    same_address.address = address_of("10.9.9.9:1");
    (void)peer_gets_challenge(&same_address, server, 0);
    kn_udp_server_destroy(server);
}

// NC-168, NC-169, NC-175, NC-158
static void token_is_for_the_first_address_that_shows_it(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_gets_challenge(&peer, server, 0);
    test_peer thief = peer;
    thief.address.port++;
    peer_sends_request(&thief, server, 0);
    thief = peer;
    thief.address.bytes[0]++;
    peer_sends_request(&thief, server, 0);
    expect_server_silent(server);
    (void)peer_gets_challenge(&peer, server, 0);
    kn_udp_server_destroy(server);
}

// NC-170, NC-177, NC-071
static void full_server_denies_and_uses_the_token(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.slot_count = 1;
    kn_udp_server *server = new_server_of(&def);
    test_peer first = new_peer(1), second = new_peer(2);
    (void)peer_connects(&first, server, 0);
    peer_sends_request(&second, server, 0);
    kni_udp_packet denied = peer_expects(&second, server, KNI_UDP_DENIED);
    assert_int_equal(denied.size, 0);
    assert_int_equal(kn_udp_server_stats_of(server).denied, 1);

    // No mapping was made: a response finds no key.
    kni_udp_challenge client = {.client_id = second.client_id};
    memcpy(client.user_data, second.user_data, sizeof client.user_data);
    uint8_t sealed[KNI_UDP_CHALLENGE_SIZE], data[KNI_UDP_CHALLENGE_DATA];
    kni_udp_challenge_seal(&client, inputs()->challenge_key, 0, sealed);
    kni_udp_challenge_data(0, sealed, data);
    kn_udp_server_disconnect(server, 0);
    (void)drop_server(server);
    peer_sends(&second, server, KNI_UDP_RESPONSE, data, sizeof data, 0);
    expect_server_silent(server);

    test_peer thief = second;
    thief.address.port++;
    peer_sends_request(&thief, server, 0);
    expect_server_silent(server);
    (void)peer_connects(&second, server, 0);
    kn_udp_server_destroy(server);
}

// NC-174, NC-047, NC-050, NC-176
static void repeated_request_gets_a_new_challenge(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet first = peer_gets_challenge(&peer, server, 0);
    kni_udp_packet second = peer_gets_challenge(&peer, server, TICK);
    kn_reader reader = {second.data, second.size, 0, false, false};
    assert_int_equal(kn_read_u64(&reader), 1);
    assert_true(second.sequence == first.sequence + 1);
    assert_true(memcmp(first.data, second.data, first.size) != 0);
    peer_responds(&peer, server, &first, TICK); // the older one is as good
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(server);
}

// NC-044, NC-016
static void challenge_names_client_and_user_data(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet packet = peer_gets_challenge(&peer, server, 0);
    kni_udp_challenge challenge;
    assert_true(kni_udp_challenge_open(packet.data + 8, inputs()->challenge_key, 0, &challenge));
    assert_true(challenge.client_id == peer.client_id);
    assert_memory_equal(challenge.user_data, peer.user_data, KN_UDP_USER_DATA_SIZE);
    kn_udp_server_destroy(server);
}

// Used tokens -----------------------------------------------------------------

// NC-176, NC-208
static void standard_lets_a_token_through_again_from_its_address(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.refuse_spent_tokens = false;
    kn_udp_server *server = new_server_of(&def);
    test_peer peer = new_peer(1), thief = new_peer(1);
    thief.address.port++;
    (void)peer_connects(&peer, server, 0);
    peer_sends(&peer, server, KNI_UDP_DISCONNECT, NULL, 0, 0);
    assert_int_equal(kn_udp_server_client_count(server), 0);
    peer_sends_request(&thief, server, 0);
    expect_server_silent(server);
    (void)peer_connects(&peer, server, 0);
    kn_udp_server_destroy(server);
}

// By default a token that led to a slot is spent, so that no number is used twice under its keys.
static void spent_token_is_refused_by_default(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    peer_sends(&peer, server, KNI_UDP_DISCONNECT, NULL, 0, 0);
    peer_sends_request(&peer, server, 0);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// NC-178, NC-175
static void oldest_used_token_is_forgotten_first(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    assert_int_equal(def.used_capacity, 2048);
    def.used_capacity = 3;
    kn_udp_server *server = new_server_of(&def);
    for (uint32_t i = 0; i < 3; i++) {
        test_peer peer = new_peer(i);
        (void)peer_gets_challenge(&peer, server, 0);
    }
    test_peer oldest = new_peer(0), second = new_peer(1), fourth = new_peer(3);
    (void)peer_gets_challenge(&oldest, server, 0); // does not renew it
    assert_int_equal(kn_udp_server_stats_of(server).forgotten_tokens, 0);
    (void)peer_gets_challenge(&fourth, server, 0);
    assert_int_equal(kn_udp_server_stats_of(server).forgotten_tokens, 1);
    second.address.port++;
    peer_sends_request(&second, server, 0);
    expect_server_silent(server);
    oldest.address.port++;
    (void)peer_gets_challenge(&oldest, server, 0); // now the second one is forgotten
    assert_int_equal(kn_udp_server_stats_of(server).forgotten_tokens, 2);
    (void)peer_gets_challenge(&second, server, 0);
    kn_udp_server_destroy(server);
}

static void expired_token_makes_room_before_others(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.used_capacity = 2;
    kn_udp_server *server = new_server_of(&def);
    kn_address ours = address_of("127.0.0.1:40000");
    test_peer lasting = new_peer(1), expiring = new_peer(2), late = new_peer(3);
    kn_token_def token = peer_token_def(&lasting, &ours);
    token.lifetime = 1000;
    lasting.token = token_of(&token);
    token = peer_token_def(&late, &ours);
    token.lifetime = 1000;
    late.token = token_of(&token);
    (void)peer_gets_challenge(&lasting, server, 0);
    (void)peer_gets_challenge(&expiring, server, 0);
    test_bytes request = peer_request(&late);
    kn_udp_server_receive(server, &late.address, request.bytes, request.size, 0, EXPIRES);
    assert_int_equal(drop_server(server), 1);
    assert_int_equal(kn_udp_server_stats_of(server).forgotten_tokens, 0);
    lasting.address.port++;
    peer_sends_request(&lasting, server, 0);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// Pending clients -------------------------------------------------------------

// NC-180, NC-181, NC-157
static void pending_client_has_its_timeout_to_respond(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    (void)peer_gets_challenge(&peer, server, KN_S(4)); // the time runs from here
    peer_responds(&peer, server, &challenge, KN_S(9));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(server);

    server = new_server();
    challenge = peer_gets_challenge(&peer, server, 0);
    peer_responds(&peer, server, &challenge, KN_S(5) + 1);
    expect_server_silent(server);
    assert_int_equal(kn_udp_server_client_count(server), 0);
    kn_udp_server_destroy(server);
}

// NC-179: datagrams that are not requests do not make it longer, whoever sends them.
static void other_datagrams_do_not_keep_a_client_pending(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    peer_keeps_alive(&peer, server, KN_S(4));
    peer_responds(&peer, server, &challenge, KN_S(5) + 1);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

static test_peer peer_with_timeout(uint32_t n, int32_t timeout)
{
    test_peer peer = new_peer(n);
    kn_address ours = address_of("127.0.0.1:40000");
    kn_token_def def = peer_token_def(&peer, &ours);
    def.timeout = timeout;
    peer.token = token_of(&def);
    return peer;
}

// NC-182, NC-204, NC-030
static void negative_timeout_turns_timeouts_off(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = peer_with_timeout(1, -1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    peer_responds(&peer, server, &challenge, KN_S(1000));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_update(server, KN_S(9000));
    assert_int_equal(kn_udp_server_client_count(server), 1);
    kn_udp_server_destroy(server);
}

// NC-031, NC-204: nobody issues a timeout of 0; a server that reads it has none.
static void timeout_of_zero_turns_timeouts_off(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_bytes plain = hex(NCV_004);
    test_peer peer = {.token = token_a(), .address = address_of("127.0.0.1:50000")};
    memcpy(peer.client_key, inputs()->client_key, 32);
    memcpy(peer.server_key, inputs()->server_key, 32);
    plain.bytes[8] = 0;
    kni_udp_private_seal(plain.bytes, inputs()->private_key, inputs()->nonce, PROTOCOL, EXPIRES);
    memcpy(peer.token.bytes + KNI_UDP_TOKEN_PRIVATE_AT, plain.bytes, KNI_UDP_PRIVATE_SIZE);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    peer_responds(&peer, server, &challenge, KN_S(1000));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_update(server, KN_S(9000));
    assert_int_equal(kn_udp_server_client_count(server), 1);
    kn_udp_server_destroy(server);
}

// NC-039: the server goes by the timeout of the private part.
static void server_takes_the_private_timeout(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = peer_with_timeout(1, 2);
    memset(peer.token.bytes + 1085, 0x11, 4);
    (void)peer_connects(&peer, server, 0);
    kn_udp_server_update(server, KN_S(2) - 1);
    assert_int_equal(kn_udp_server_client_count(server), 1);
    kn_udp_server_update(server, KN_S(2));
    assert_int_equal(kn_udp_server_client_count(server), 0);
    kn_udp_server_destroy(server);
}

// NC-183, NC-171
static void new_request_replaces_the_keys_of_a_pending_client(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer first = new_peer(1), second = new_peer(2);
    second.address = first.address;
    kni_udp_packet old = peer_gets_challenge(&first, server, 0);
    kni_udp_packet challenge = peer_gets_challenge(&second, server, 0);
    peer_responds(&first, server, &old, 0); // under keys that are gone
    expect_server_silent(server);
    peer_responds(&second, server, &challenge, 0);
    (void)peer_expects(&second, server, KNI_UDP_KEEP_ALIVE);
    assert_true(kn_udp_server_slot(server, 0).client_id == second.client_id);
    kn_udp_server_destroy(server);
}

// NC-171, NC-184, NC-173
static void pending_clients_are_bounded_and_make_room_when_over(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    assert_int_equal(def.pending_capacity, 1024);
    def.pending_capacity = 2;
    kn_udp_server *server = new_server_of(&def);
    test_peer peers[] = {new_peer(0), new_peer(1), new_peer(2)};
    (void)peer_gets_challenge(&peers[0], server, 0);
    (void)peer_gets_challenge(&peers[1], server, KN_S(3));
    peer_sends_request(&peers[2], server, KN_S(5));
    expect_server_silent(server);
    (void)peer_gets_challenge(&peers[2], server, KN_S(5) + 1); // the first one is over
    kni_udp_packet challenge = peer_gets_challenge(&peers[1], server, KN_S(5) + 1);
    peer_responds(&peers[1], server, &challenge, KN_S(6)); // the second one was not touched
    (void)peer_expects(&peers[1], server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(server);
}

// NC-097, NC-185, NC-071
static void pending_client_can_only_respond(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    peer_sends(&peer, server, KNI_UDP_DISCONNECT, NULL, 0, 0);
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "x", 1, 0);
    peer_keeps_alive(&peer, server, 0);
    expect_server_silent(server);
    assert_int_equal(kn_udp_server_stats_of(server).accepted, 1);
    peer_responds(&peer, server, &challenge, 0);
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(kn_udp_server_stats_of(server).accepted, 2);
    expect_no_payload(server, 0);
    kn_udp_server_destroy(server);
}

// Responses -------------------------------------------------------------------

// NC-186, NC-048, NC-083
static void changed_challenge_is_ignored(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    challenge.data[0] ^= 1; // its sequence
    peer_responds(&peer, server, &challenge, 0);
    challenge.data[0] ^= 1;
    challenge.data[100] ^= 1;
    peer_responds(&peer, server, &challenge, 0);
    challenge.data[100] ^= 1;
    challenge.size--;
    peer_responds(&peer, server, &challenge, 0);
    expect_server_silent(server);
    challenge.size++;
    peer_responds(&peer, server, &challenge, 0);
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    kn_udp_server_destroy(server);
}

// A holder of two tokens cannot take the name of one with the address of the other.
static void challenge_of_another_token_is_ignored(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer a = new_peer(1), b = new_peer(2), c = new_peer(3);
    kni_udp_packet for_a = peer_gets_challenge(&a, server, 0);
    (void)peer_gets_challenge(&b, server, 0);
    peer_responds(&b, server, &for_a, 0);
    expect_server_silent(server);

    // The same client with other user data is another token, too.
    kn_address ours = address_of("127.0.0.1:40000");
    c.client_id = a.client_id;
    kn_token_def def = peer_token_def(&c, &ours);
    c.token = token_of(&def);
    (void)peer_gets_challenge(&c, server, 0);
    peer_responds(&c, server, &for_a, 0);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// NC-187, NC-195
static void repeated_response_is_ignored(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    peer_responds(&peer, server, &challenge, 0);
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE); // missed by the client
    peer_responds(&peer, server, &challenge, KN_MS(50));
    expect_server_silent(server);
    kn_udp_server_update(server, KN_MS(100));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(kn_udp_server_client_count(server), 1);
    kn_udp_server_destroy(server);
}

// NC-188
static void client_id_that_connected_meanwhile_is_ignored(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer a = new_peer(1), b = new_peer(2);
    kn_address ours = address_of("127.0.0.1:40000");
    b.client_id = a.client_id;
    kn_token_def def = peer_token_def(&b, &ours);
    b.token = token_of(&def);
    kni_udp_packet challenge = peer_gets_challenge(&b, server, 0);
    (void)peer_connects(&a, server, 0);
    peer_responds(&b, server, &challenge, 0);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// NC-189, NC-086
static void response_to_a_server_that_filled_up_is_denied(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.slot_count = 1;
    kn_udp_server *server = new_server_of(&def);
    test_peer a = new_peer(1), b = new_peer(2);
    kni_udp_packet challenge = peer_gets_challenge(&b, server, 0);
    (void)peer_connects(&a, server, 0);
    peer_responds(&b, server, &challenge, 0);
    kni_udp_packet denied = peer_expects(&b, server, KNI_UDP_DENIED);
    assert_true(denied.sequence == ((uint64_t)1 << 63) + 2);
    expect_server_silent(server);
    b.sequence--; // responses are not protected against repetition
    peer_responds(&b, server, &challenge, 0);
    (void)peer_expects(&b, server, KNI_UDP_DENIED);
    kn_udp_server_destroy(server);
}

// NC-190, NC-193, NC-065, NC-013, NC-209, NC-012
static void client_gets_the_lowest_free_slot(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    for (uint32_t i = 0; i < 4; i++) {
        test_peer peer = new_peer(i);
        assert_int_equal(peer_connects(&peer, server, 0), i);
    }
    kn_udp_server_disconnect(server, 2);
    kn_udp_server_disconnect(server, 1);
    (void)drop_server(server);
    test_peer next = new_peer(9);
    kni_udp_packet challenge = peer_gets_challenge(&next, server, 0);
    peer_responds(&next, server, &challenge, 0);
    kni_udp_packet packet = peer_expects(&next, server, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(packet.data[0], 1);
    assert_int_equal(packet.sequence, 0); // counted anew in the slot
    assert_int_equal(slots_of(&packet), 4);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// NC-012
static void server_may_have_many_slots(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.slot_count = 1000;
    def.receive_capacity = 1;
    kn_udp_server *server = new_server_of(&def);
    kni_udp_packet packet = {0};
    for (uint32_t i = 0; i < 300; i++) {
        test_peer peer = new_peer(i);
        kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
        peer_responds(&peer, server, &challenge, 0);
        packet = peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    }
    kn_reader reader = {packet.data, packet.size, 0, false, false};
    assert_int_equal(kn_read_u32(&reader), 299);
    assert_int_equal(slots_of(&packet), 1000);
    kn_udp_server_destroy(server);
}

// NC-191, NC-192, NC-033, NC-032
static void slot_knows_its_client(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(7);
    kn_address ours = address_of("127.0.0.1:40000");
    peer.client_id = UINT64_MAX; // all ids are valid
    kn_token_def def = peer_token_def(&peer, &ours);
    peer.token = token_of(&def);
    assert_int_equal(peer_connects(&peer, server, 0), 0);
    kn_udp_slot slot = kn_udp_server_slot(server, 0);
    assert_true(slot.is_connected);
    assert_false(slot.is_confirmed);
    assert_true(slot.client_id == UINT64_MAX);
    assert_true(kn_address_equal(&slot.address, &peer.address));
    assert_memory_equal(slot.user_data, peer.user_data, KN_UDP_USER_DATA_SIZE);
    assert_false(kn_udp_server_slot(server, 1).is_connected);
    assert_false(kn_udp_server_slot(server, 4).is_connected);
    kn_udp_server_destroy(server);
}

// NC-194
static void slot_does_not_end_like_a_pending_client(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    for (int i = 1; i <= 4; i++) {
        peer_keeps_alive(&peer, server, KN_S(4 * i));
        kn_udp_server_update(server, KN_S(4 * i));
    }
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "x", 1, KN_S(16));
    expect_payload(server, 0, "x");
    kn_udp_server_destroy(server);
}

// Connected clients -----------------------------------------------------------

// NC-196, NC-156, NC-134, NC-080
static void payloads_come_by_slot_once_in_order_of_arrival(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer a = new_peer(1), b = new_peer(2);
    (void)peer_connects(&a, server, 0);
    (void)peer_connects(&b, server, 0);
    test_bytes first = peer_packet(&a, KNI_UDP_PAYLOAD, "a1", 2);
    test_bytes second = peer_packet(&a, KNI_UDP_PAYLOAD, "a2", 2);
    give_server(server, &a.address, &second, 0);
    peer_sends(&b, server, KNI_UDP_PAYLOAD, "b1", 2, 0);
    give_server(server, &a.address, &first, 0);
    give_server(server, &a.address, &second, 0);
    give_server(server, &b.address, &first, 0); // with the key of another
    expect_payload(server, 0, "a2");
    expect_payload(server, 0, "a1");
    expect_no_payload(server, 0);
    expect_payload(server, 1, "b1");
    expect_no_payload(server, 1);
    expect_no_payload(server, 3);
    expect_no_payload(server, 4);
    kn_udp_server_destroy(server);
}

// NC-011, NC-009, NC-090
static void largest_datagram_is_accepted(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    uint8_t big[KN_UDP_PAYLOAD_MAX] = {7};
    peer.sequence = (uint64_t)1 << 60;
    test_bytes packet = peer_packet(&peer, KNI_UDP_PAYLOAD, big, sizeof big);
    assert_int_equal(packet.size, KN_UDP_DATAGRAM_MAX);
    give_server(server, &peer.address, &packet, 0);
    kn_udp_payload payload;
    assert_true(kn_udp_server_next_payload(server, 0, &payload));
    assert_int_equal(payload.size, sizeof big);
    kn_udp_server_destroy(server);
}

// NC-158
static void client_that_moves_is_a_stranger(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    peer.address.port++;
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "x", 1, 0);
    expect_no_payload(server, 0);
    kn_udp_server_destroy(server);
}

// NC-197, NC-202
static void payload_beyond_the_queue_is_dropped_but_counts(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    assert_int_equal(def.receive_capacity, 256);
    kn_udp_server *server = new_server_of(&def);
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    for (uint32_t i = 0; i < 256; i++) {
        peer_sends(&peer, server, KNI_UDP_PAYLOAD, "old", 3, 0);
    }
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "new", 3, KN_S(4));
    assert_int_equal(kn_udp_server_stats_of(server).dropped_payloads, 1);
    kn_udp_server_update(server, KN_S(9) - 1);
    assert_int_equal(kn_udp_server_client_count(server), 1);
    for (uint32_t i = 0; i < 256; i++) {
        expect_payload(server, 0, "old");
    }
    expect_no_payload(server, 0);
    kn_udp_server_update(server, KN_S(9));
    assert_int_equal(kn_udp_server_client_count(server), 0);
    kn_udp_server_destroy(server);
}

// NC-198, NC-200, NC-201
static void unconfirmed_client_gets_a_keep_alive_before_each_payload(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_udp_server_send(server, 0, "hi", 2, 0), KN_OK);
        (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
        kni_udp_packet packet = peer_expects(&peer, server, KNI_UDP_PAYLOAD);
        assert_int_equal(packet.sequence, 2 + 2 * i);
        assert_memory_equal(packet.data, "hi", 2);
    }
    peer_keeps_alive(&peer, server, 0);
    assert_true(kn_udp_server_slot(server, 0).is_confirmed);
    assert_int_equal(kn_udp_server_send(server, 0, "hi", 2, 0), KN_OK);
    (void)peer_expects(&peer, server, KNI_UDP_PAYLOAD);
    expect_server_silent(server);

    test_peer other = new_peer(2);
    (void)peer_connects(&other, server, 0);
    peer_sends(&other, server, KNI_UDP_PAYLOAD, "x", 1, 0); // a payload confirms as well
    assert_true(kn_udp_server_slot(server, 1).is_confirmed);
    kn_udp_server_destroy(server);
}

// NC-010, NC-198
static void server_sends_one_to_1200_bytes_to_taken_slots(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    uint8_t big[KN_UDP_PAYLOAD_MAX + 1] = {0};
    (void)peer_connects(&peer, server, 0);
    peer_keeps_alive(&peer, server, 0);
    assert_int_equal(kn_udp_server_send(server, 0, big, 0, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_udp_server_send(server, 0, big, sizeof big, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_udp_server_send(server, 1, big, 1, 0), KN_REFUSED_STALE_ID);
    assert_int_equal(kn_udp_server_send(server, 4, big, 1, 0), KN_REFUSED_STALE_ID);
    expect_server_silent(server);
    assert_int_equal(kn_udp_server_send(server, 0, big, sizeof big - 1, 0), KN_OK);
    assert_int_equal(peer_expects(&peer, server, KNI_UDP_PAYLOAD).size, KN_UDP_PAYLOAD_MAX);
    kn_udp_server_destroy(server);
}

// NC-199, NC-058, NC-211
static void silent_server_sends_keep_alives(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    peer_keeps_alive(&peer, server, 0);
    kn_udp_server_update(server, KN_MS(100) - 1);
    expect_server_silent(server);
    kn_udp_server_update(server, KN_MS(100));
    kni_udp_packet packet = peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(packet.data[0], 0);
    assert_int_equal(slots_of(&packet), 4);
    assert_int_equal(kn_udp_server_send(server, 0, "x", 1, KN_MS(150)), KN_OK);
    (void)drop_server(server);
    kn_udp_server_update(server, KN_MS(250) - 1); // the payload counts as sent
    expect_server_silent(server);
    kn_udp_server_update(server, KN_MS(250));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    // The keep-alive comes before the test of the timeout.
    kn_udp_server_update(server, KN_S(5));
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(kn_udp_server_client_count(server), 0);
    kn_udp_server_destroy(server);
}

// NC-059
static void fields_of_client_keep_alives_are_not_looked_at(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    uint8_t data[KNI_UDP_KEEP_ALIVE_DATA];
    memset(data, 0xee, sizeof data);
    peer_sends(&peer, server, KNI_UDP_KEEP_ALIVE, data, sizeof data, 0);
    assert_true(kn_udp_server_slot(server, 0).is_confirmed);
    kn_udp_server_destroy(server);
}

// NC-064: any first number is right, and gaps are.
static void first_number_of_a_client_does_not_matter(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    peer.sequence = 123456789;
    (void)peer_connects(&peer, server, 0);
    peer.sequence = 5;
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "low", 3, 0);
    expect_payload(server, 0, "low");
    kn_udp_server_destroy(server);
}

// NC-210, NC-202, NC-081, NC-086, NC-092
static void forged_packets_do_not_keep_a_client_connected(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    test_bytes forged = peer_packet(&peer, KNI_UDP_PAYLOAD, "x", 1);
    forged.bytes[forged.size - 1] ^= 1;
    give_server(server, &peer.address, &forged, KN_S(4));
    test_bytes disconnect = peer_packet(&peer, KNI_UDP_DISCONNECT, NULL, 0);
    disconnect.bytes[disconnect.size - 1] ^= 1;
    give_server(server, &peer.address, &disconnect, KN_S(4));
    assert_false(kn_udp_server_slot(server, 0).is_confirmed);
    assert_int_equal(kn_udp_server_client_count(server), 1);
    kn_udp_server_update(server, KN_S(5));
    assert_int_equal(kn_udp_server_client_count(server), 0);
    kn_udp_server_destroy(server);
}

// NC-074, NC-075, NC-069, NC-071, NC-072, NC-077
static void packets_that_only_servers_send_are_ignored(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1), stranger = new_peer(2);
    (void)peer_connects(&peer, server, 0);
    uint64_t accepted = kn_udp_server_stats_of(server).accepted;
    uint8_t data[KNI_UDP_CHALLENGE_DATA] = {0};
    peer_sends(&peer, server, KNI_UDP_DENIED, NULL, 0, 0);
    peer_sends(&peer, server, KNI_UDP_CHALLENGE, data, sizeof data, 0);
    test_bytes odd = odd_packet(peer.client_key, 0x10, 50, data, 8);
    give_server(server, &peer.address, &odd, 0);
    odd = odd_packet(peer.client_key, 0x17, 51, data, 8);
    give_server(server, &peer.address, &odd, 0);
    peer_keeps_alive(&stranger, server, 0);
    test_bytes none = {0};
    give_server(server, &peer.address, &none, 0);
    none.size = 1;
    give_server(server, &peer.address, &none, 0);
    assert_int_equal(kn_udp_server_stats_of(server).accepted, accepted);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// NC-205, NC-206, NC-208, NC-096
static void disconnect_packet_frees_the_slot(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1), next = new_peer(2);
    kni_udp_packet challenge = peer_gets_challenge(&peer, server, 0);
    peer_responds(&peer, server, &challenge, 0);
    (void)peer_expects(&peer, server, KNI_UDP_KEEP_ALIVE);
    peer.sequence = 100;
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "gone", 4, 0);
    peer_sends(&peer, server, KNI_UDP_DISCONNECT, NULL, 0, 0);
    assert_int_equal(kn_udp_server_stats_of(server).accepted, 4);
    assert_int_equal(kn_udp_server_client_count(server), 0);
    expect_no_payload(server, 0);
    uint64_t accepted = kn_udp_server_stats_of(server).accepted;
    peer_sends(&peer, server, KNI_UDP_DISCONNECT, NULL, 0, 0); // neither slot nor mapping
    peer_responds(&peer, server, &challenge, 0);
    assert_int_equal(kn_udp_server_stats_of(server).accepted, accepted);
    expect_server_silent(server);

    assert_int_equal(peer_connects(&next, server, 0), 0); // the same slot
    expect_no_payload(server, 0);
    next.sequence = 100;
    peer_sends(&next, server, KNI_UDP_PAYLOAD, "new", 3, 0); // with an empty window
    expect_payload(server, 0, "new");
    kn_udp_server_destroy(server);
}

// NC-207, NC-208
static void server_disconnects_with_ten_packets(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peer = new_peer(1);
    (void)peer_connects(&peer, server, 0);
    peer_sends(&peer, server, KNI_UDP_PAYLOAD, "gone", 4, 0);
    kn_udp_server_disconnect(server, 0);
    for (uint64_t i = 1; i <= 10; i++) {
        assert_int_equal(peer_expects(&peer, server, KNI_UDP_DISCONNECT).sequence, i);
    }
    expect_server_silent(server);
    assert_int_equal(kn_udp_server_client_count(server), 0);
    expect_no_payload(server, 0);
    kn_udp_server_disconnect(server, 0);
    kn_udp_server_disconnect(server, 4);
    expect_server_silent(server);
    test_peer thief = new_peer(1); // the token stays used
    thief.address.port++;
    peer_sends_request(&thief, server, 0);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

// Events ----------------------------------------------------------------------

static kn_udp_event next_event(kn_udp_server *server)
{
    kn_udp_event event;
    assert_true(kn_udp_server_next_event(server, &event));
    return event;
}

static void expect_no_event(kn_udp_server *server)
{
    kn_udp_event event = {.slot = 9};
    assert_false(kn_udp_server_next_event(server, &event));
    assert_int_equal(event.slot, 0);
}

static void events_report_who_came_and_why_they_left(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer peers[] = {new_peer(1), new_peer(2), new_peer(3)};
    expect_no_event(server);
    for (uint32_t i = 0; i < 3; i++) {
        (void)peer_connects(&peers[i], server, 0);
    }
    for (uint32_t i = 0; i < 3; i++) {
        kn_udp_event event = next_event(server);
        assert_true(event.is_connected);
        assert_int_equal(event.slot, i);
        assert_int_equal(event.session, i + 1);
        assert_true(event.client_id == peers[i].client_id);
    }
    expect_no_event(server);
    peer_sends(&peers[1], server, KNI_UDP_DISCONNECT, NULL, 0, 0);
    kn_udp_server_disconnect(server, 2);
    kn_udp_server_update(server, KN_S(5));
    static const kn_udp_end ends[] = {
        KN_UDP_END_TIMED_OUT, KN_UDP_END_BY_CLIENT, KN_UDP_END_BY_SERVER};
    for (uint32_t i = 0; i < 3; i++) {
        kn_udp_event event = next_event(server);
        assert_false(event.is_connected);
        assert_int_equal(event.slot, i);
        assert_int_equal(event.end, ends[i]);
        assert_true(event.client_id == peers[i].client_id);
    }
    expect_no_event(server);
    kn_udp_server_destroy(server);
}

static void slot_that_changes_hands_gives_two_events(void **state)
{
    (void)state;
    kn_udp_server *server = new_server();
    test_peer a = new_peer(1), brief = new_peer(2), b = new_peer(3);
    (void)peer_connects(&a, server, 0);
    assert_true(next_event(server).is_connected);
    peer_sends(&a, server, KNI_UDP_DISCONNECT, NULL, 0, 0);
    (void)peer_connects(&brief, server, 0);
    kn_udp_server_disconnect(server, 0);
    (void)drop_server(server);
    (void)peer_connects(&b, server, 0);
    kn_udp_event event = next_event(server);
    assert_false(event.is_connected);
    assert_int_equal(event.end, KN_UDP_END_BY_CLIENT);
    assert_true(event.client_id == a.client_id && event.session == 1);
    event = next_event(server);
    assert_true(event.is_connected);
    assert_true(event.client_id == b.client_id && event.session == 3);
    expect_no_event(server);
    kn_udp_server_destroy(server);
}

// Limits of our own -----------------------------------------------------------

static void datagrams_that_nobody_takes_are_bounded(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.send_capacity = 4096;
    kn_udp_server *server = new_server_of(&def);
    test_peer peer = new_peer(1);
    uint8_t big[1000] = {0};
    (void)peer_connects(&peer, server, 0);
    uint32_t sent = 0;
    while (kn_udp_server_send(server, 0, big, sizeof big, 0) == KN_OK) {
        sent++;
    }
    assert_int_equal(sent, 3);
    assert_int_equal(kn_udp_server_send(server, 0, big, sizeof big, 0), KN_REFUSED_LIMIT);
    assert_int_equal(kn_udp_server_stats_of(server).dropped_sends, 0);
    for (uint32_t i = 0; i < 10; i++) { // strangers cannot fill it beyond its size
        test_peer other = new_peer(2 + i);
        peer_sends_request(&other, server, 0);
    }
    assert_true(kn_udp_server_stats_of(server).dropped_sends > 0);
    (void)drop_server(server);
    assert_int_equal(kn_udp_server_send(server, 0, big, sizeof big, 0), KN_OK);
    kn_udp_server_destroy(server);
}

// NC-193, NC-199: a first keep-alive that finds no room goes out with the next update.
static void first_keep_alive_that_finds_no_room_is_due_at_once(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.send_capacity = 4096;
    kn_udp_server *server = new_server_of(&def);
    test_peer a = new_peer(1), b = new_peer(2), c = new_peer(3);
    (void)peer_connects(&a, server, 0);
    (void)peer_connects(&b, server, 0);
    kni_udp_packet challenge = peer_gets_challenge(&c, server, 0);
    while (kn_udp_server_send(server, 0, "x", 1, 0) == KN_OK) {
    }
    kn_udp_server_disconnect(server, 1); // takes the last bytes
    peer_responds(&c, server, &challenge, 0);
    assert_true(kn_udp_server_slot(server, 1).client_id == c.client_id);
    (void)drop_server(server);
    kn_udp_server_update(server, 0);
    (void)peer_expects(&c, server, KNI_UDP_KEEP_ALIVE);
    expect_server_silent(server);
    kn_udp_server_destroy(server);
}

static bool quiet_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void expect_def_refused(const kn_udp_server_def *def)
{
    kn_udp_server *server = (kn_udp_server *)&def;
    assert_int_equal(kn_udp_server_create(def, &server), KN_ERROR_INVALID_ARGUMENT);
    assert_null(server);
}

static void def_out_of_range_is_refused(void **state)
{
    (void)state;
    kn_udp_server_def def = server_def();
    def.private_key = NULL;
    expect_def_refused(&def);
    def = server_def();
    def.address = (kn_address){0};
    expect_def_refused(&def);
    def = server_def();
    def.slot_count = 0;
    expect_def_refused(&def);
    def.slot_count = KN_UDP_SLOTS_MAX + 1;
    expect_def_refused(&def);
    def = server_def();
    def.receive_capacity = 0;
    expect_def_refused(&def);
    def = server_def();
    def.send_capacity = 4095;
    expect_def_refused(&def);
    def = server_def();
    def.pending_capacity = 0;
    expect_def_refused(&def);
    def = server_def();
    def.used_capacity = 0;
    expect_def_refused(&def);
    def = server_def();
    def.handshake_counters = 0;
    expect_def_refused(&def);
    kn_assert_set_handler(quiet_assert);
    def = server_def();
    def.cookie = 0;
    expect_def_refused(&def);
    kn_assert_set_handler(NULL);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(server_starts_with_free_slots_and_fresh_counters),
    cmocka_unit_test(each_start_sets_the_global_counter),
    cmocka_unit_test(challenge_key_is_random),
    cmocka_unit_test(stopping_disconnects_everybody),
    cmocka_unit_test(answers_are_shorter_than_requests),
    cmocka_unit_test(changed_request_is_ignored),
    cmocka_unit_test(token_expires_by_the_wall_clock),
    cmocka_unit_test(unreadable_private_part_is_ignored),
    cmocka_unit_test(token_has_to_name_this_server),
    cmocka_unit_test(connected_address_or_client_is_not_connected_again),
    cmocka_unit_test(token_is_for_the_first_address_that_shows_it),
    cmocka_unit_test(full_server_denies_and_uses_the_token),
    cmocka_unit_test(repeated_request_gets_a_new_challenge),
    cmocka_unit_test(challenge_names_client_and_user_data),
    cmocka_unit_test(standard_lets_a_token_through_again_from_its_address),
    cmocka_unit_test(spent_token_is_refused_by_default),
    cmocka_unit_test(oldest_used_token_is_forgotten_first),
    cmocka_unit_test(expired_token_makes_room_before_others),
    cmocka_unit_test(pending_client_has_its_timeout_to_respond),
    cmocka_unit_test(other_datagrams_do_not_keep_a_client_pending),
    cmocka_unit_test(negative_timeout_turns_timeouts_off),
    cmocka_unit_test(timeout_of_zero_turns_timeouts_off),
    cmocka_unit_test(server_takes_the_private_timeout),
    cmocka_unit_test(new_request_replaces_the_keys_of_a_pending_client),
    cmocka_unit_test(pending_clients_are_bounded_and_make_room_when_over),
    cmocka_unit_test(pending_client_can_only_respond),
    cmocka_unit_test(changed_challenge_is_ignored),
    cmocka_unit_test(challenge_of_another_token_is_ignored),
    cmocka_unit_test(repeated_response_is_ignored),
    cmocka_unit_test(client_id_that_connected_meanwhile_is_ignored),
    cmocka_unit_test(response_to_a_server_that_filled_up_is_denied),
    cmocka_unit_test(client_gets_the_lowest_free_slot),
    cmocka_unit_test(server_may_have_many_slots),
    cmocka_unit_test(slot_knows_its_client),
    cmocka_unit_test(slot_does_not_end_like_a_pending_client),
    cmocka_unit_test(payloads_come_by_slot_once_in_order_of_arrival),
    cmocka_unit_test(largest_datagram_is_accepted),
    cmocka_unit_test(client_that_moves_is_a_stranger),
    cmocka_unit_test(payload_beyond_the_queue_is_dropped_but_counts),
    cmocka_unit_test(unconfirmed_client_gets_a_keep_alive_before_each_payload),
    cmocka_unit_test(server_sends_one_to_1200_bytes_to_taken_slots),
    cmocka_unit_test(silent_server_sends_keep_alives),
    cmocka_unit_test(fields_of_client_keep_alives_are_not_looked_at),
    cmocka_unit_test(first_number_of_a_client_does_not_matter),
    cmocka_unit_test(forged_packets_do_not_keep_a_client_connected),
    cmocka_unit_test(packets_that_only_servers_send_are_ignored),
    cmocka_unit_test(disconnect_packet_frees_the_slot),
    cmocka_unit_test(server_disconnects_with_ten_packets),
    cmocka_unit_test(events_report_who_came_and_why_they_left),
    cmocka_unit_test(slot_that_changes_hands_gives_two_events),
    cmocka_unit_test(datagrams_that_nobody_takes_are_bounded),
    cmocka_unit_test(first_keep_alive_that_finds_no_room_is_due_at_once),
    cmocka_unit_test(def_out_of_range_is_refused),
};

TEST_GROUP(udp_server, tests, NULL, NULL);
