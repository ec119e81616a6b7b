// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a client does with tokens and with packets of servers, good and bad.

#include "udp_peers.h"

#define FIRST "127.0.0.1:40000"
#define SECOND "[2001:db8::1]:40001"

// A client that connects with token A, whose first request is sent.
static kn_udp_client *requesting_client(void)
{
    kn_udp_client *client = new_client();
    kn_token token = token_a();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
    kn_udp_client_update(client, 0);
    assert_int_equal(drop_client(client), 1);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    return client;
}

static kn_udp_client *responding_client(void)
{
    kn_udp_client *client = requesting_client();
    test_bytes challenge = challenge_for_client(7, 0x5a);
    give_client(client, FIRST, &challenge, TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    return client;
}

// Connected to the first address since TICK; the server has sent sequence 0.
static kn_udp_client *connected_client(void)
{
    kn_udp_client *client = responding_client();
    test_bytes keep_alive = keep_alive_for_client(0, 3, 16);
    give_client(client, FIRST, &keep_alive, TICK);
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    return client;
}

static void give_denied(kn_udp_client *client, const char *from, kn_time now)
{
    test_bytes packet = from_server(KNI_UDP_DENIED, (uint64_t)1 << 63, NULL, 0);
    give_client(client, from, &packet, now);
}

static void give_disconnect(kn_udp_client *client, const char *from, uint64_t sequence, kn_time now)
{
    test_bytes packet = from_server(KNI_UDP_DISCONNECT, sequence, NULL, 0);
    give_client(client, from, &packet, now);
}

static void give_payload(kn_udp_client *client, const char *from, uint64_t sequence, kn_time now)
{
    uint8_t text = (uint8_t)sequence;
    test_bytes packet = from_server(KNI_UDP_PAYLOAD, sequence, &text, 1);
    give_client(client, from, &packet, now);
}

// The next payload is the one with this sequence number.
static void expect_payload(kn_udp_client *client, uint64_t sequence)
{
    kn_udp_payload payload;
    assert_true(kn_udp_client_next_payload(client, &payload));
    assert_int_equal(payload.size, 1);
    assert_int_equal(payload.bytes[0], (uint8_t)sequence);
}

static void expect_no_payload(kn_udp_client *client)
{
    kn_udp_payload payload;
    assert_false(kn_udp_client_next_payload(client, &payload));
    assert_null(payload.bytes);
}

static void expect_server_is(const kn_udp_client *client, const char *text)
{
    kn_address server = kn_udp_client_server(client), wanted = address_of(text);
    assert_true(kn_address_equal(&server, &wanted));
}

// Beginning -------------------------------------------------------------------

// NC-098
static void client_starts_disconnected(void **state)
{
    (void)state;
    kn_udp_client *client = new_client();
    expect_state(client, KN_UDP_CLIENT_DISCONNECTED);
    kn_udp_client_update(client, 0);
    expect_client_silent(client);
    expect_no_payload(client);
    assert_int_equal(kn_udp_client_server(client).kind, KN_ADDRESS_NONE);
    kn_udp_client_disconnect(client);
    expect_client_silent(client);
    kn_udp_client_destroy(client);
    kn_udp_client_destroy(NULL);
}

static void expect_invalid(const kn_token *token, size_t size)
{
    kn_udp_client *client = new_client();
    assert_int_equal(kn_udp_client_connect(client, token, size, 0), KN_ERROR_BAD_DATA);
    expect_state(client, KN_UDP_CLIENT_INVALID_TOKEN);
    kn_udp_client_update(client, 0);
    kn_udp_client_update(client, KN_S(1));
    expect_client_silent(client); // NC-105
    kn_udp_client_destroy(client);
}

// NCV-039 point 18, NC-100..105, NC-212
static void bad_token_is_refused_without_a_datagram(void **state)
{
    (void)state;
    static const struct {
        uint32_t at;
        uint8_t value;
    } changes[] = {
        {1089, 0}, {1089, 0x21}, {1093, 0}, {1093, 3}, {11, 0x31}, {12, 1}, {1092, 0x80}};
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        kn_token token = token_a();
        token.bytes[changes[i].at] = changes[i].value;
        expect_invalid(&token, sizeof token);
    }
    kn_token token = token_a();
    expect_invalid(&token, sizeof token - 1);
    expect_invalid(&token, 0);
    token.bytes[21] = 0x2e; // created a second after it expires
    expect_invalid(&token, sizeof token);
}

// NCV-039 point 18, NC-034, NC-102, NC-106, NC-107
static void good_token_needs_no_clock(void **state)
{
    (void)state;
    kn_udp_client *client = new_client();
    kn_token token = token_a();
    token.bytes[21] = 0x2d; // created when it expires: valid, but with no time to connect
    token.bytes[2047] = 1;  // padding
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, KN_S(77)), KN_OK);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    expect_server_is(client, FIRST);

    token = token_a();
    token.bytes[13] ^= 0xff; // the protocol id is whatever the token says
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, KN_S(77)), KN_OK);
    (void)drop_client(client);
    kn_udp_client_update(client, KN_S(77));
    test_datagram request = from_real_client(client);
    assert_int_equal(request.packet.bytes[14], token.bytes[13]);
    kn_udp_client_destroy(client);
}

// NC-043: the keys stand in a token in the clear, so it has to travel in secret.
static void token_shows_the_keys_that_a_client_uses(void **state)
{
    (void)state;
    kn_token token = token_a();
    uint32_t keys_at = 1093 + 7 + 19;
    assert_memory_equal(token.bytes + keys_at, inputs()->client_key, 32);
    assert_memory_equal(token.bytes + keys_at + 32, inputs()->server_key, 32);
}

// NC-099, NC-145, NC-147
static void connecting_again_disconnects_first(void **state)
{
    (void)state;
    kn_udp_client *client = responding_client();
    kn_token token = token_a();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, KN_S(1)), KN_OK);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    for (uint32_t i = 0; i < 10; i++) {
        test_datagram datagram = from_real_client(client);
        assert_int_equal(read_client(&datagram).type, KNI_UDP_DISCONNECT);
    }
    expect_client_silent(client);
    kn_udp_client_update(client, KN_S(1));
    test_datagram request = from_real_client(client);
    expect_bytes(request.packet.bytes, request.packet.size, NCV_016);
    kn_udp_client_destroy(client);
}

// Sending a request -----------------------------------------------------------

// NC-108, NC-109, NC-051, NC-052
static void request_is_repeated_ten_times_a_second(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    kn_udp_client_update(client, KN_MS(100));
    expect_client_silent(client);
    kn_udp_client_update(client, KN_MS(100) + 1);
    test_datagram request = from_real_client(client);
    expect_bytes(request.packet.bytes, request.packet.size, NCV_016);
    expect_client_silent(client);
    kn_udp_client_update(client, KN_MS(200) + 1);
    expect_client_silent(client);
    kn_udp_client_update(client, KN_MS(200) + 2);
    assert_int_equal(drop_client(client), 1);
    kn_udp_client_destroy(client);
}

// NC-110, NC-116, NC-049, NC-048, NC-064, NC-068, NC-086
static void challenge_is_returned_as_it_came(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    uint8_t data[KNI_UDP_CHALLENGE_DATA];
    count_up(data, sizeof data, 9);
    give_payload(client, FIRST, 3, TICK); // its number is recorded, which a challenge survives
    test_bytes challenge = from_server(KNI_UDP_CHALLENGE, 3, data, sizeof data);
    give_client(client, FIRST, &challenge, TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    for (uint64_t i = 1; i <= 3; i++) {
        kn_udp_client_update(client, (kn_time)i * KN_MS(150));
        test_datagram response = from_real_client(client);
        kni_udp_packet packet = read_client(&response);
        assert_int_equal(packet.type, KNI_UDP_RESPONSE);
        assert_int_equal(packet.sequence, i); // the request used number 0
        assert_int_equal(packet.size, sizeof data);
        assert_memory_equal(packet.data, data, sizeof data);
    }
    kn_udp_client_destroy(client);
}

// NC-113, NC-119, NC-070, NC-076, NC-085
static void client_waits_for_a_challenge_only(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    test_bytes keep_alive = keep_alive_for_client(0, 3, 16);
    give_client(client, FIRST, &keep_alive, TICK);
    give_payload(client, FIRST, 1, TICK);
    give_disconnect(client, FIRST, 2, TICK);
    test_bytes request = hex(NCV_016), response = hex(NCV_019);
    give_client(client, FIRST, &request, TICK);
    give_client(client, FIRST, &response, TICK);
    kn_udp_client_update(client, TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    expect_server_is(client, FIRST);
    expect_no_payload(client);
    expect_client_silent(client);
    kn_udp_client_destroy(client);
}

// NC-069, NC-072, NC-079
static void short_datagrams_are_ignored(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    test_bytes challenge = challenge_for_client(7, 1);
    kn_address from = address_of(FIRST);
    for (size_t size = 0; size < challenge.size; size++) {
        kn_udp_client_receive(client, &from, challenge.bytes, size, TICK);
    }
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    give_client(client, FIRST, &challenge, TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    kn_udp_client_destroy(client);
}

// NC-006
static void datagram_carries_one_packet(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    test_bytes two = from_server(KNI_UDP_PAYLOAD, 1, "a", 1);
    test_bytes second = from_server(KNI_UDP_PAYLOAD, 2, "b", 1);
    memcpy(two.bytes + two.size, second.bytes, second.size);
    two.size += second.size;
    give_client(client, FIRST, &two, TICK);
    expect_no_payload(client);
    kn_udp_client_destroy(client);
}

// NC-111, NC-122, NC-124, NC-126, NC-129, NC-130
static void denied_client_turns_to_the_next_address(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    give_denied(client, FIRST, TICK);
    kn_udp_client_update(client, TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    expect_server_is(client, SECOND);
    expect_client_silent(client); // nothing to the address that was given up

    test_bytes challenge = challenge_for_client(7, 1);
    give_client(client, SECOND, &challenge, 2 * TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    give_denied(client, SECOND, 2 * TICK);
    kn_udp_client_update(client, 2 * TICK);
    expect_state(client, KN_UDP_CLIENT_DENIED);
    kn_udp_client_destroy(client);
}

// NC-063, NC-127, NC-128, NC-095
static void next_address_gets_the_same_keys_and_counter(void **state)
{
    (void)state;
    kn_udp_client *client = responding_client();
    kn_udp_client_update(client, KN_MS(150));
    test_datagram datagram = from_real_client(client);
    assert_int_equal(read_client(&datagram).sequence, 1);
    give_payload(client, FIRST, 5, KN_MS(200)); // recorded, though not delivered
    give_denied(client, FIRST, KN_MS(200));
    kn_udp_client_update(client, KN_MS(200));
    expect_server_is(client, SECOND);
    kn_udp_client_update(client, KN_MS(201)); // at once, although 0.1 s have not passed
    datagram = from_real_client(client);
    expect_bytes(datagram.packet.bytes, datagram.packet.size, NCV_016);

    test_bytes challenge = challenge_for_client(7, 9);
    give_client(client, SECOND, &challenge, KN_MS(210));
    kn_udp_client_update(client, KN_MS(310));
    datagram = from_real_client(client);
    kni_udp_packet packet = read_client(&datagram);
    assert_int_equal(packet.type, KNI_UDP_RESPONSE);
    assert_int_equal(packet.sequence, 3); // request 0, response 1, request 2
    assert_int_equal(packet.data[0], 9);  // the challenge of this server, not of the first one

    test_bytes keep_alive = keep_alive_for_client(0, 0, 4);
    give_client(client, SECOND, &keep_alive, KN_MS(310));
    give_payload(client, SECOND, 5, KN_MS(310)); // the window is empty again
    expect_payload(client, 5);
    kn_udp_client_destroy(client);
}

// NC-127, NC-112
static void next_address_gets_the_whole_timeout(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    give_denied(client, FIRST, KN_S(4));
    kn_udp_client_update(client, KN_S(4));
    expect_server_is(client, SECOND);
    kn_udp_client_update(client, KN_S(9));
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    kn_udp_client_update(client, KN_S(9) + 1);
    expect_state(client, KN_UDP_CLIENT_REQUEST_TIMED_OUT);
    kn_udp_client_destroy(client);
}

// NC-084, NC-111
static void packets_of_other_addresses_are_ignored_but_recorded(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    test_bytes challenge = challenge_for_client(7, 1);
    give_client(client, "127.0.0.1:40001", &challenge, TICK);
    give_client(client, "127.0.0.2:40000", &challenge, TICK);
    give_client(client, SECOND, &challenge, TICK);
    give_denied(client, SECOND, TICK);
    kn_udp_client_update(client, TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    expect_server_is(client, FIRST);
    kn_udp_client_destroy(client);

    client = connected_client();
    give_payload(client, SECOND, 1, TICK);
    give_payload(client, FIRST, 1, TICK);
    expect_no_payload(client);
    give_payload(client, FIRST, 2, TICK);
    expect_payload(client, 2);
    kn_udp_client_destroy(client);
}

// Sending a response ----------------------------------------------------------

// NC-114, NC-115
static void response_keeps_the_rate_of_the_request(void **state)
{
    (void)state;
    kn_udp_client *client = responding_client();
    kn_udp_client_update(client, KN_MS(100));
    expect_client_silent(client);
    kn_udp_client_update(client, KN_MS(100) + 1);
    assert_int_equal(drop_client(client), 1);
    kn_udp_client_update(client, KN_MS(200) + 1);
    expect_client_silent(client);
    kn_udp_client_update(client, KN_MS(200) + 2);
    assert_int_equal(drop_client(client), 1);
    kn_udp_client_destroy(client);
}

// NC-119..121
static void responding_client_waits_for_a_keep_alive_only(void **state)
{
    (void)state;
    kn_udp_client *client = responding_client();
    test_bytes second = challenge_for_client(8, 0x77);
    give_client(client, FIRST, &second, 2 * TICK);
    give_payload(client, FIRST, 0, 2 * TICK);
    give_disconnect(client, FIRST, 1, 2 * TICK);
    kn_udp_client_update(client, 2 * TICK);
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    test_datagram response = from_real_client(client);
    assert_int_equal(read_client(&response).data[0], 0x5a); // the first challenge
    test_bytes keep_alive = keep_alive_for_client(2, 0, 4);
    give_client(client, FIRST, &keep_alive, 3 * TICK);
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    expect_no_payload(client);
    kn_udp_client_destroy(client);
}

// NC-117, NC-118, NC-140
static void first_keep_alive_gives_the_slot(void **state)
{
    (void)state;
    kn_udp_client *client = responding_client();
    test_bytes first = keep_alive_for_client(0, 4000000000u, 7);
    give_client(client, FIRST, &first, TICK);
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    assert_true(kn_udp_client_slot(client) == 4000000000u);
    assert_int_equal(kn_udp_client_slot_count(client), 7);
    test_bytes second = keep_alive_for_client(1, 5, 8);
    give_client(client, FIRST, &second, TICK);
    assert_true(kn_udp_client_slot(client) == 4000000000u);
    assert_int_equal(kn_udp_client_slot_count(client), 7);
    kn_udp_client_destroy(client);
}

// NC-123, NC-129
static void response_that_times_out_turns_to_the_next_address(void **state)
{
    (void)state;
    kn_udp_client *client = responding_client();
    kn_udp_client_update(client, TICK + KN_S(5));
    expect_server_is(client, FIRST);
    (void)drop_client(client);
    kn_udp_client_update(client, TICK + KN_S(5) + 1);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    expect_server_is(client, SECOND);
    expect_client_silent(client);
    kn_udp_client_destroy(client);
}

// NC-131, NC-133
static void token_also_expires_while_responding(void **state)
{
    (void)state;
    kn_udp_client *client = new_client();
    kn_address address = address_of(FIRST);
    kn_token_def def = token_def(&address, 1);
    def.lifetime = 2;
    kn_token token = token_of(&def);
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
    test_bytes challenge = challenge_for_client(7, 1);
    give_client(client, FIRST, &challenge, KN_S(1));
    kn_udp_client_update(client, KN_S(2) - 1);
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    (void)drop_client(client);
    kn_udp_client_update(client, KN_S(2));
    expect_state(client, KN_UDP_CLIENT_TOKEN_EXPIRED);
    expect_client_silent(client);
    kn_udp_client_destroy(client);
}

// NC-131, NC-132, NC-112: all times run from the call that connects.
static void connecting_may_begin_at_any_time(void **state)
{
    (void)state;
    kn_time starts[] = {KN_S(1000), -KN_S(1000)};
    for (size_t i = 0; i < 2; i++) {
        kn_udp_client *client = new_client();
        kn_address address = address_of(FIRST);
        kn_token_def def = token_def(&address, 1);
        def.lifetime = 3;
        kn_token token = token_of(&def);
        assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, starts[i]), KN_OK);
        kn_udp_client_update(client, starts[i] + KN_S(3) - 1);
        expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
        assert_int_equal(drop_client(client), 1);
        kn_udp_client_update(client, starts[i] + KN_S(3));
        expect_state(client, KN_UDP_CLIENT_TOKEN_EXPIRED);
        kn_udp_client_destroy(client);
    }
}

// NC-149: what is due goes out before the client acts on denial and timeouts.
static void update_sends_before_it_judges(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    give_denied(client, FIRST, KN_S(1));
    expect_server_is(client, FIRST); // not before the update
    kn_udp_client_update(client, KN_S(1));
    test_datagram datagram = from_real_client(client);
    kn_address first = address_of(FIRST);
    assert_true(kn_address_equal(&datagram.to, &first));
    expect_client_silent(client);
    expect_server_is(client, SECOND);
    // Expiry comes before denial.
    give_denied(client, SECOND, KN_S(45));
    kn_udp_client_update(client, KN_S(45));
    expect_state(client, KN_UDP_CLIENT_TOKEN_EXPIRED);
    kn_udp_client_destroy(client);
}

// Connected -------------------------------------------------------------------

// NC-134, NC-080, NC-082
static void payloads_are_delivered_once_in_order_of_arrival(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    give_payload(client, FIRST, 5, TICK);
    give_payload(client, FIRST, 3, TICK);
    give_payload(client, FIRST, 5, TICK);
    give_payload(client, FIRST, 4, TICK);
    give_payload(client, FIRST, 3, TICK);
    expect_payload(client, 5);
    expect_payload(client, 3);
    expect_payload(client, 4);
    expect_no_payload(client);
    kn_udp_client_destroy(client);
}

// NC-135, NC-138
static void payload_beyond_the_queue_is_dropped_but_counts(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    for (uint64_t i = 1; i <= 257; i++) {
        give_payload(client, FIRST, i, i < 257 ? KN_S(1) : KN_S(5));
    }
    kn_udp_client_update(client, KN_S(10)); // 5 s after the dropped one
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    for (uint64_t i = 1; i <= 256; i++) {
        expect_payload(client, i);
    }
    expect_no_payload(client);
    kn_udp_client_update(client, KN_S(10) + 1);
    expect_state(client, KN_UDP_CLIENT_TIMED_OUT);
    kn_udp_client_destroy(client);
}

// NC-136, NC-009, NC-010
static void only_a_connected_client_sends_payloads(void **state)
{
    (void)state;
    uint8_t big[KN_UDP_PAYLOAD_MAX + 1] = {0};
    kn_udp_client *client = new_client();
    assert_int_equal(kn_udp_client_send(client, "x", 1, 0), KN_REFUSED_BLOCKED);
    kn_udp_client_destroy(client);
    client = requesting_client();
    assert_int_equal(kn_udp_client_send(client, "x", 1, 0), KN_REFUSED_BLOCKED);
    kn_udp_client_destroy(client);
    client = responding_client();
    assert_int_equal(kn_udp_client_send(client, "x", 1, 0), KN_REFUSED_BLOCKED);
    expect_client_silent(client);
    kn_udp_client_destroy(client);

    client = connected_client();
    assert_int_equal(kn_udp_client_send(client, big, 0, 0), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_udp_client_send(client, big, sizeof big, 0), KN_ERROR_INVALID_ARGUMENT);
    expect_client_silent(client);
    assert_int_equal(kn_udp_client_send(client, big, sizeof big - 1, 0), KN_OK);
    test_datagram datagram = from_real_client(client);
    assert_int_equal(read_client(&datagram).size, KN_UDP_PAYLOAD_MAX);
    kn_udp_client_destroy(client);
}

// NC-137, NC-059, NC-062
static void silent_client_sends_keep_alives(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    kn_udp_client_update(client, KN_MS(200));
    test_datagram datagram = from_real_client(client);
    kni_udp_packet packet = read_client(&datagram);
    assert_int_equal(packet.type, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(packet.sequence, 1);
    expect_bytes(packet.data, packet.size, "0000000000000000");
    assert_int_equal(kn_udp_client_send(client, "x", 1, KN_MS(290)), KN_OK);
    datagram = from_real_client(client);
    assert_int_equal(read_client(&datagram).sequence, 2);
    kn_udp_client_update(client, KN_MS(390)); // the payload counts as sent
    expect_client_silent(client);
    kn_udp_client_update(client, KN_MS(391));
    datagram = from_real_client(client);
    assert_int_equal(read_client(&datagram).sequence, 3);
    kn_udp_client_destroy(client);
}

// NC-138, NC-112, NC-123: each state has the timeout for itself, and keep-alives are enough.
static void keep_alives_alone_keep_a_client_connected(void **state)
{
    (void)state;
    kn_udp_client *client = requesting_client();
    test_bytes challenge = challenge_for_client(7, 1);
    give_client(client, FIRST, &challenge, KN_S(4));
    kn_udp_client_update(client, KN_S(8));
    expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
    for (uint32_t i = 0; i < 4; i++) {
        test_bytes keep_alive = keep_alive_for_client(i, 0, 4);
        give_client(client, FIRST, &keep_alive, KN_S(8 + 4 * i));
        kn_udp_client_update(client, KN_S(12 + 4 * i));
        expect_state(client, KN_UDP_CLIENT_CONNECTED);
    }
    kn_udp_client_update(client, KN_S(25));
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    kn_udp_client_update(client, KN_S(25) + 1);
    expect_state(client, KN_UDP_CLIENT_TIMED_OUT);
    kn_udp_client_destroy(client);
}

// NC-141, NC-142, NC-148
static void disconnect_packet_ends_the_connection(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    give_payload(client, FIRST, 1, TICK);
    give_disconnect(client, FIRST, 2, TICK);
    kn_udp_client_update(client, TICK);
    expect_state(client, KN_UDP_CLIENT_DISCONNECTED); // the second address is not tried
    expect_client_silent(client);
    expect_no_payload(client);
    kn_udp_client_destroy(client);
}

// NC-143
static void connected_client_ignores_denied_and_challenge(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    give_denied(client, FIRST, TICK);
    test_bytes challenge = challenge_for_client(9, 1);
    give_client(client, FIRST, &challenge, KN_S(4)); // does not count as received either
    kn_udp_client_update(client, KN_S(4));
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    kn_udp_client_update(client, TICK + KN_S(5) + 1);
    expect_state(client, KN_UDP_CLIENT_TIMED_OUT);
    kn_udp_client_destroy(client);
}

// NC-145..148
static void disconnecting_sends_ten_packets(void **state)
{
    (void)state;
    kn_udp_client *clients[] = {requesting_client(), responding_client(), connected_client()};
    for (size_t i = 0; i < 3; i++) {
        kn_udp_client_disconnect(clients[i]);
        expect_state(clients[i], KN_UDP_CLIENT_DISCONNECTED);
        for (uint64_t k = 1; k <= 10; k++) {
            test_datagram datagram = from_real_client(clients[i]);
            kni_udp_packet packet = read_client(&datagram);
            assert_int_equal(packet.type, KNI_UDP_DISCONNECT);
            assert_int_equal(packet.sequence, k);
        }
        expect_client_silent(clients[i]);
        kn_udp_client_update(clients[i], KN_S(1));
        expect_client_silent(clients[i]);
        assert_int_equal(kn_udp_client_server(clients[i]).kind, KN_ADDRESS_NONE);
        kn_udp_client_destroy(clients[i]);
    }
}

// NC-148, NC-063, NC-095
static void new_attempt_begins_from_nothing(void **state)
{
    (void)state;
    kn_udp_client *client = connected_client();
    give_payload(client, FIRST, 1, TICK);
    kn_udp_client_disconnect(client);
    (void)drop_client(client);
    expect_no_payload(client);
    give_payload(client, FIRST, 2, TICK); // its keys are gone
    expect_no_payload(client);
    assert_int_equal(kn_udp_client_slot_count(client), 0);

    kn_token token = token_a();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, KN_S(9)), KN_OK);
    kn_udp_client_update(client, KN_S(9));
    (void)drop_client(client);
    test_bytes challenge = challenge_for_client(7, 1), keep_alive = keep_alive_for_client(0, 1, 4);
    give_client(client, FIRST, &challenge, KN_S(9));
    kn_udp_client_update(client, KN_S(10));
    test_datagram datagram = from_real_client(client);
    assert_int_equal(read_client(&datagram).sequence, 1); // counted from 0 again
    give_client(client, FIRST, &keep_alive, KN_S(10));    // number 0 is new again
    expect_state(client, KN_UDP_CLIENT_CONNECTED);
    kn_udp_client_destroy(client);
}

// NC-030, NC-031, NC-039, NC-144
static void timeout_of_zero_or_below_is_no_timeout(void **state)
{
    (void)state;
    for (int32_t timeout = -1; timeout <= 0; timeout++) {
        kn_token token = token_a();
        memset(token.bytes + 1085, timeout, 4); // the public one, which the client goes by
        kn_udp_client *client = new_client();
        assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
        kn_udp_client_update(client, KN_S(40));
        expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
        expect_server_is(client, FIRST);
        test_bytes challenge = challenge_for_client(7, 1);
        give_client(client, FIRST, &challenge, KN_S(40));
        kn_udp_client_update(client, KN_S(44));
        expect_state(client, KN_UDP_CLIENT_SENDING_RESPONSE);
        test_bytes keep_alive = keep_alive_for_client(0, 0, 4);
        give_client(client, FIRST, &keep_alive, KN_S(44));
        kn_udp_client_update(client, KN_S(4000));
        expect_state(client, KN_UDP_CLIENT_CONNECTED);

        assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
        kn_udp_client_update(client, KN_S(45));
        expect_state(client, KN_UDP_CLIENT_TOKEN_EXPIRED); // this stays on
        kn_udp_client_destroy(client);
    }
}

// NC-040: a token that never expires gives the client all the time there is.
static void token_that_never_expires_does_not_expire(void **state)
{
    (void)state;
    kn_address address = address_of(FIRST);
    kn_token_def def = token_def(&address, 1);
    def.lifetime = KN_TOKEN_NEVER_EXPIRES;
    def.timeout = -1;
    kn_token token = token_of(&def);
    kn_udp_client *client = new_client();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
    kn_udp_client_update(client, KN_TIME_MAX);
    expect_state(client, KN_UDP_CLIENT_SENDING_REQUEST);
    kn_udp_client_destroy(client);
}

// Limits of our own -----------------------------------------------------------

static void datagrams_that_nobody_takes_are_bounded(void **state)
{
    (void)state;
    kn_udp_client_def def = kn_udp_client_def_default();
    def.send_capacity = 4096;
    kn_udp_client *client;
    assert_int_equal(kn_udp_client_create(&def, &client), KN_OK);
    kn_token token = token_a();
    assert_int_equal(kn_udp_client_connect(client, &token, sizeof token, 0), KN_OK);
    test_bytes challenge = challenge_for_client(7, 1), keep_alive = keep_alive_for_client(0, 0, 4);
    give_client(client, FIRST, &challenge, 0);
    give_client(client, FIRST, &keep_alive, 0);
    uint8_t big[1000] = {0};
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(kn_udp_client_send(client, big, sizeof big, 0), KN_OK);
    }
    assert_int_equal(kn_udp_client_send(client, big, sizeof big, 0), KN_REFUSED_LIMIT);
    assert_int_equal(
        kn_udp_client_send(client, big, 910, 0), KN_REFUSED_LIMIT); // and uses no number
    test_datagram first = from_real_client(client);
    assert_int_equal(read_client(&first).sequence, 0);
    assert_int_equal(kn_udp_client_send(client, big, sizeof big, 0), KN_OK);
    for (uint64_t i = 1; i <= 3; i++) { // in order, and none is lost
        test_datagram datagram = from_real_client(client);
        assert_int_equal(read_client(&datagram).sequence, i);
    }
    expect_client_silent(client);
    kn_udp_client_destroy(client);
}

static bool quiet_assert(const char *condition, const char *file, int line)
{
    (void)condition;
    (void)file;
    (void)line;
    return false;
}

static void capacities_out_of_range_are_refused(void **state)
{
    (void)state;
    kn_udp_client *client = (kn_udp_client *)state;
    kn_udp_client_def def = kn_udp_client_def_default();
    def.receive_capacity = 0;
    assert_int_equal(kn_udp_client_create(&def, &client), KN_ERROR_INVALID_ARGUMENT);
    assert_null(client);
    def = kn_udp_client_def_default();
    def.send_capacity = 100;
    assert_int_equal(kn_udp_client_create(&def, &client), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(quiet_assert);
    def.cookie = 0;
    assert_int_equal(kn_udp_client_create(&def, &client), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_udp_client_create(NULL, &client), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
}

static void every_state_has_a_name(void **state)
{
    (void)state;
    for (int32_t i = KN_UDP_CLIENT_TOKEN_EXPIRED; i <= KN_UDP_CLIENT_CONNECTED; i++) {
        assert_string_not_equal(kn_udp_client_state_name((kn_udp_client_state)i), "unknown state");
    }
    assert_string_equal(kn_udp_client_state_name((kn_udp_client_state)9), "unknown state");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(client_starts_disconnected),
    cmocka_unit_test(bad_token_is_refused_without_a_datagram),
    cmocka_unit_test(good_token_needs_no_clock),
    cmocka_unit_test(token_shows_the_keys_that_a_client_uses),
    cmocka_unit_test(connecting_again_disconnects_first),
    cmocka_unit_test(request_is_repeated_ten_times_a_second),
    cmocka_unit_test(challenge_is_returned_as_it_came),
    cmocka_unit_test(client_waits_for_a_challenge_only),
    cmocka_unit_test(short_datagrams_are_ignored),
    cmocka_unit_test(datagram_carries_one_packet),
    cmocka_unit_test(denied_client_turns_to_the_next_address),
    cmocka_unit_test(next_address_gets_the_same_keys_and_counter),
    cmocka_unit_test(next_address_gets_the_whole_timeout),
    cmocka_unit_test(packets_of_other_addresses_are_ignored_but_recorded),
    cmocka_unit_test(response_keeps_the_rate_of_the_request),
    cmocka_unit_test(responding_client_waits_for_a_keep_alive_only),
    cmocka_unit_test(first_keep_alive_gives_the_slot),
    cmocka_unit_test(response_that_times_out_turns_to_the_next_address),
    cmocka_unit_test(token_also_expires_while_responding),
    cmocka_unit_test(connecting_may_begin_at_any_time),
    cmocka_unit_test(update_sends_before_it_judges),
    cmocka_unit_test(payloads_are_delivered_once_in_order_of_arrival),
    cmocka_unit_test(payload_beyond_the_queue_is_dropped_but_counts),
    cmocka_unit_test(only_a_connected_client_sends_payloads),
    cmocka_unit_test(silent_client_sends_keep_alives),
    cmocka_unit_test(keep_alives_alone_keep_a_client_connected),
    cmocka_unit_test(disconnect_packet_ends_the_connection),
    cmocka_unit_test(connected_client_ignores_denied_and_challenge),
    cmocka_unit_test(disconnecting_sends_ten_packets),
    cmocka_unit_test(new_attempt_begins_from_nothing),
    cmocka_unit_test(timeout_of_zero_or_below_is_no_timeout),
    cmocka_unit_test(token_that_never_expires_does_not_expire),
    cmocka_unit_test(datagrams_that_nobody_takes_are_bounded),
    cmocka_unit_test(capacities_out_of_range_are_refused),
    cmocka_unit_test(every_state_has_a_name),
};

TEST_GROUP(udp_client, tests, NULL, NULL);
