// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tokens, challenges, packets and the replay window, byte for byte as the reference has them.

#include "udp_fixture.h"

// Tokens ----------------------------------------------------------------------

// NCV-001, NC-003, NC-212
static void version_info_is_thirteen_bytes(void **state)
{
    (void)state;
    expect_bytes(kni_udp_version, sizeof kni_udp_version, NCV_001);
    assert_memory_equal(kni_udp_version, "NETCODE 1.02\0", 13);
}

// NCV-002, NC-001, NC-002, NC-015
static void tag_of_a_token_covers_version_protocol_and_expiry(void **state)
{
    (void)state;
    uint8_t data[KNI_UDP_TOKEN_DATA_SIZE];
    kni_udp_token_data(PROTOCOL, EXPIRES, data);
    expect_bytes(data, sizeof data, NCV_002);
}

// NCV-003, NC-028, NC-029
static void addresses_are_little_endian_numbers(void **state)
{
    (void)state;
    uint8_t bytes[19];
    kn_address ipv4 = address_of("127.0.0.1:40000"), ipv6 = address_of("[2001:db8::1]:40001");
    kn_writer writer = {bytes, sizeof bytes, 0};
    kni_udp_write_address(&writer, &ipv4);
    expect_bytes(bytes, writer.length, NCV_003_IPV4);

    kn_reader reader = {bytes, writer.length, 0, false, false};
    kn_address again = kni_udp_read_address(&reader);
    assert_true(kn_address_equal(&again, &ipv4));

    writer.length = 0;
    kni_udp_write_address(&writer, &ipv6);
    expect_bytes(bytes, writer.length, NCV_003_IPV6);
    reader = (kn_reader){bytes, writer.length, 0, false, false};
    again = kni_udp_read_address(&reader);
    assert_true(kn_address_equal(&again, &ipv6));
}

// NCV-004, NC-024, NC-032, NC-033
static void private_part_is_laid_out_without_gaps(void **state)
{
    (void)state;
    kn_token token = token_a();
    kn_token_secret secret;
    assert_int_equal(
        kn_token_open(&token, sizeof token, inputs()->private_key, &secret, NULL), KN_OK);
    uint8_t plain[KNI_UDP_PRIVATE_SIZE];
    kni_udp_private_write(&secret, plain);
    expect_bytes(plain, sizeof plain, NCV_004);

    assert_true(secret.client_id == CLIENT_ID);
    assert_int_equal(secret.timeout, 5);
    assert_int_equal(secret.address_count, 2);
    assert_memory_equal(secret.user_data, inputs()->user_data, KN_UDP_USER_DATA_SIZE);
    assert_memory_equal(secret.client_to_server_key, inputs()->client_key, KN_UDP_KEY_SIZE);
    assert_memory_equal(secret.server_to_client_key, inputs()->server_key, KN_UDP_KEY_SIZE);
}

// NCV-005, NC-014, NC-025, NC-007, NC-213
static void private_part_is_encrypted_with_its_tag_behind(void **state)
{
    (void)state;
    test_bytes plain = hex(NCV_004);
    kni_udp_private_seal(plain.bytes, inputs()->private_key, inputs()->nonce, PROTOCOL, EXPIRES);
    expect_bytes(plain.bytes, KNI_UDP_PRIVATE_SIZE, NCV_005);

    uint8_t opened[KNI_UDP_PRIVATE_SIZE];
    assert_true(kni_udp_private_open(
        plain.bytes, inputs()->private_key, inputs()->nonce, PROTOCOL, EXPIRES, opened));
    expect_bytes(opened, sizeof opened, NCV_004);
    assert_false(kni_udp_private_open(
        plain.bytes, inputs()->private_key, inputs()->nonce, PROTOCOL, EXPIRES + 1, opened));
    assert_false(kni_udp_private_open(
        plain.bytes, inputs()->private_key, inputs()->nonce, PROTOCOL + 1, EXPIRES, opened));
}

// NCV-006, NC-035, NC-037, NC-039, NC-040, NC-005, NC-214
static void token_is_2048_bytes(void **state)
{
    (void)state;
    kn_token token = token_a();
    expect_bytes(token.bytes, 1183, NCV_006);
    assert_true(sodium_is_zero(token.bytes + 1183, sizeof token.bytes - 1183));

    kn_token_info info;
    assert_int_equal(kn_token_read(&token, sizeof token, &info, NULL), KN_OK);
    assert_true(info.protocol_id == PROTOCOL);
    assert_true(info.create_time == CREATED && info.expire_time == EXPIRES);
    assert_int_equal(info.timeout, 5);
    assert_int_equal(info.address_count, 2);
    kn_address second = address_of("[2001:db8::1]:40001");
    assert_true(kn_address_equal(&info.addresses[1], &second));
}

typedef struct token_digest {
    const char *tag, *sha_plain, *sha_sealed, *sha_token;
} token_digest;

static void expect_token(const kn_token *token, const token_digest *expected)
{
    const uint8_t *sealed = token->bytes + KNI_UDP_TOKEN_PRIVATE_AT;
    expect_bytes(sealed + KNI_UDP_PRIVATE_PLAIN, KNI_UDP_TAG_SIZE, expected->tag);
    expect_sha(sealed, KNI_UDP_PRIVATE_SIZE, expected->sha_sealed);
    expect_sha(token->bytes, sizeof token->bytes, expected->sha_token);
    kn_token_secret secret;
    uint8_t plain[KNI_UDP_PRIVATE_SIZE];
    assert_int_equal(
        kn_token_open(token, sizeof *token, inputs()->private_key, &secret, NULL), KN_OK);
    kni_udp_private_write(&secret, plain);
    expect_sha(plain, sizeof plain, expected->sha_plain);
}

// NCV-007, NC-030, NC-040
static void token_may_never_expire_and_have_no_timeout(void **state)
{
    (void)state;
    kn_address address = address_of("127.0.0.1:40000");
    kn_token_def def = token_def(&address, 1);
    def.timeout = -1;
    def.lifetime = KN_TOKEN_NEVER_EXPIRES;
    kn_token token = token_of(&def);
    expect_token(&token,
        &(token_digest){NCV_007_TAG, NCV_007_SHA_PLAIN, NCV_007_SHA_ENC, NCV_007_SHA_TOKEN});

    kn_token_secret secret;
    uint8_t plain[KNI_UDP_PRIVATE_SIZE];
    assert_int_equal(
        kn_token_open(&token, sizeof token, inputs()->private_key, &secret, NULL), KN_OK);
    assert_int_equal(secret.timeout, -1);
    kni_udp_private_write(&secret, plain);
    expect_bytes(plain, 23, NCV_007_START);
    kn_token_info info;
    assert_int_equal(kn_token_read(&token, sizeof token, &info, NULL), KN_OK);
    assert_true(info.expire_time == UINT64_MAX && info.timeout == -1);
}

// NCV-008, NC-026
static void token_has_room_for_32_addresses(void **state)
{
    (void)state;
    kn_address addresses[32];
    for (uint32_t i = 0; i < 32; i++) {
        addresses[i] = address_of("[2001:db8::1]:40000");
        addresses[i].bytes[15] = (uint8_t)(i + 1);
        addresses[i].port = (uint16_t)(40000 + i);
    }
    kn_token_def def = token_def(addresses, 32);
    kn_token token = token_of(&def);
    expect_token(&token,
        &(token_digest){NCV_008_TAG, NCV_008_SHA_PLAIN, NCV_008_SHA_ENC, NCV_008_SHA_TOKEN});
}

// NCV-009, NC-042
static void private_addresses_may_differ_from_public_ones(void **state)
{
    (void)state;
    kn_address public_one = address_of("203.0.113.7:40000");
    kn_address private_one = address_of("10.0.0.7:40000");
    kn_token_def def = token_def(&public_one, 1);
    def.private_addresses = &private_one;
    kn_token token = token_of(&def);
    expect_token(&token,
        &(token_digest){NCV_009_TAG, NCV_009_SHA_PLAIN, NCV_009_SHA_ENC, NCV_009_SHA_TOKEN});
}

// Challenges ------------------------------------------------------------------

static kni_udp_challenge challenge_a(void)
{
    kni_udp_challenge challenge = {.client_id = CLIENT_ID};
    memcpy(challenge.user_data, inputs()->user_data, sizeof challenge.user_data);
    return challenge;
}

// NCV-010, NC-044
static void challenge_is_laid_out_without_gaps(void **state)
{
    (void)state;
    kni_udp_challenge challenge = challenge_a();
    uint8_t plain[KNI_UDP_CHALLENGE_SIZE];
    kni_udp_challenge_write(&challenge, plain);
    expect_bytes(plain, sizeof plain, NCV_010);
}

// NCV-011, NCV-012, NC-016, NC-019, NC-045
static void challenge_is_encrypted_under_its_sequence(void **state)
{
    (void)state;
    kni_udp_challenge challenge = challenge_a(), opened;
    uint8_t bytes[KNI_UDP_CHALLENGE_SIZE];
    kni_udp_challenge_seal(&challenge, inputs()->challenge_key, 0, bytes);
    expect_bytes(bytes, sizeof bytes, NCV_011);
    assert_false(kni_udp_challenge_open(bytes, inputs()->challenge_key, 1, &opened));

    kni_udp_challenge_seal(&challenge, inputs()->challenge_key, 1000, bytes);
    expect_bytes(bytes, sizeof bytes, NCV_012);
    assert_true(kni_udp_challenge_open(bytes, inputs()->challenge_key, 1000, &opened));
    assert_true(opened.client_id == CLIENT_ID);
    assert_memory_equal(opened.user_data, inputs()->user_data, KN_UDP_USER_DATA_SIZE);
}

// Sequence numbers and packets ------------------------------------------------

typedef struct sequence_row {
    uint64_t sequence;
    const char *front; // prefix and sequence bytes
    const char *nonce;
} sequence_row;

// NCV-013, NC-019, NC-054, NC-055, NC-062
static void sequence_takes_as_few_bytes_as_possible(void **state)
{
    (void)state;
    static const sequence_row rows[] = {
        {0x0, "1500", "000000000000000000000000"},
        {0x1, "1501", "000000000100000000000000"},
        {0x7f, "157f", "000000007f00000000000000"},
        {0x80, "1580", "000000008000000000000000"},
        {0xff, "15ff", "00000000ff00000000000000"},
        {0x100, "250001", "000000000001000000000000"},
        {0x3e8, "25e803", "00000000e803000000000000"},
        {0xffff, "25ffff", "00000000ffff000000000000"},
        {0x10000, "35000001", "000000000000010000000000"},
        {0xffffff, "35ffffff", "00000000ffffff0000000000"},
        {0x1000000, "4500000001", "000000000000000100000000"},
        {0xffffffff, "45ffffffff", "00000000ffffffff00000000"},
        {0x100000000, "550000000001", "000000000000000001000000"},
        {0xffffffffff, "55ffffffffff", "00000000ffffffffff000000"},
        {0x10000000000, "65000000000001", "000000000000000000010000"},
        {0xffffffffffff, "65ffffffffffff", "00000000ffffffffffff0000"},
        {0x1000000000000, "7500000000000001", "000000000000000000000100"},
        {0xffffffffffffff, "75ffffffffffffff", "00000000ffffffffffffff00"},
        {0x100000000000000, "850000000000000001", "000000000000000000000001"},
        {0x8000000000000000, "850000000000000080", "000000000000000000000080"},
        {0xffffffffffffffff, "85ffffffffffffffff", "00000000ffffffffffffffff"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint8_t nonce[KNI_UDP_PACKET_NONCE_SIZE];
        kni_udp_nonce(rows[i].sequence, nonce);
        expect_bytes(nonce, sizeof nonce, rows[i].nonce);
        test_bytes packet = from_client(KNI_UDP_PAYLOAD, rows[i].sequence, "x", 1);
        size_t front = strlen(rows[i].front) / 2;
        assert_int_equal(packet.size, front + 1 + KNI_UDP_TAG_SIZE);
        expect_bytes(packet.bytes, front, rows[i].front);
    }
}

// NCV-014, NC-053
static void prefix_is_type_and_number_of_sequence_bytes(void **state)
{
    (void)state;
    uint8_t data[KNI_UDP_CHALLENGE_DATA] = {0};
    for (uint32_t type = 1; type <= 6; type++) {
        for (uint32_t bytes = 1; bytes <= 8; bytes++) {
            uint64_t sequence = (uint64_t)1 << (8 * (bytes - 1));
            test_bytes packet = from_server((kni_udp_type)type, sequence, data, 8);
            assert_int_equal(packet.bytes[0], bytes << 4 | type);
        }
    }
    uint8_t request[KNI_UDP_REQUEST_SIZE];
    kn_token token = token_a();
    kni_udp_request_write(token.bytes, request);
    assert_int_equal(request[0], 0);
}

// NCV-015, NC-018
static void tag_of_a_packet_covers_version_protocol_and_prefix(void **state)
{
    (void)state;
    uint8_t data[KNI_UDP_PACKET_DATA_SIZE];
    kni_udp_packet_data(PROTOCOL, 0x25, data);
    expect_bytes(data, sizeof data, NCV_015);
}

// NCV-016, NC-051, NC-052, NC-214
static void request_repeats_parts_of_the_token(void **state)
{
    (void)state;
    kn_token token = token_a();
    uint8_t bytes[KNI_UDP_REQUEST_SIZE];
    kni_udp_request_write(token.bytes, bytes);
    expect_bytes(bytes, sizeof bytes, NCV_016);

    kni_udp_request request;
    assert_true(kni_udp_request_read(bytes, sizeof bytes, &request));
    assert_true(request.protocol_id == PROTOCOL && request.expire_time == EXPIRES);
    assert_ptr_equal(request.nonce, bytes + 30);
    assert_ptr_equal(request.private_part, bytes + 54);
}

// Reads a packet that must be good.
static kni_udp_packet read_good(const kni_udp_reading *how, const test_bytes *bytes)
{
    kni_udp_packet packet;
    assert_true(kni_udp_packet_read(how, bytes->bytes, bytes->size, &packet));
    return packet;
}

// NCV-017, NC-060, NC-017, NC-020..022
static void denied_packet_has_no_data(void **state)
{
    (void)state;
    uint64_t sequence = (uint64_t)1 << 63;
    test_bytes bytes = from_server(KNI_UDP_DENIED, sequence, NULL, 0);
    expect_bytes(bytes.bytes, bytes.size, NCV_017);
    kni_udp_reading how = client_reading(NULL);
    kni_udp_packet packet = read_good(&how, &bytes);
    assert_int_equal(packet.type, KNI_UDP_DENIED);
    assert_true(packet.sequence == sequence);
    assert_int_equal(packet.size, 0);
}

// NCV-018, NCV-019, NC-048, NC-057
static void challenge_and_response_carry_sequence_and_challenge(void **state)
{
    (void)state;
    uint8_t data[KNI_UDP_CHALLENGE_DATA];
    kni_udp_challenge_data(0, hex(NCV_011).bytes, data);
    test_bytes bytes = from_server(KNI_UDP_CHALLENGE, ((uint64_t)1 << 63) + 1, data, sizeof data);
    expect_bytes(bytes.bytes, bytes.size, NCV_018);
    kni_udp_reading how = client_reading(NULL);
    kni_udp_packet packet = read_good(&how, &bytes);
    assert_int_equal(packet.size, 308);
    assert_memory_equal(packet.data, data, sizeof data);

    bytes = from_client(KNI_UDP_RESPONSE, 1, data, sizeof data);
    expect_bytes(bytes.bytes, bytes.size, NCV_019);
    how = server_reading(NULL);
    packet = read_good(&how, &bytes);
    assert_int_equal(packet.type, KNI_UDP_RESPONSE);
    assert_memory_equal(packet.data, data, sizeof data);
}

// NCV-020, NCV-021, NC-058, NC-059
static void keep_alive_carries_slot_and_number_of_slots(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    uint8_t data[KNI_UDP_KEEP_ALIVE_DATA];
    kni_udp_keep_alive_data(3, 16, data);
    test_bytes bytes = from_server(KNI_UDP_KEEP_ALIVE, 0, data, sizeof data);
    expect_bytes(bytes.bytes, bytes.size, NCV_020);
    kni_udp_reading how = client_reading(&window);
    kni_udp_packet packet = read_good(&how, &bytes);
    expect_bytes(packet.data, packet.size, "0300000010000000");

    kni_udp_keep_alive_data(0, 0, data);
    bytes = from_client(KNI_UDP_KEEP_ALIVE, 2, data, sizeof data);
    expect_bytes(bytes.bytes, bytes.size, NCV_021);
}

// NCV-022, NCV-023, NCV-024, NC-009, NC-011, NC-061
static void payload_is_all_between_sequence_and_tag(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    test_bytes bytes = from_client(KNI_UDP_PAYLOAD, 255, "\xa5", 1);
    expect_bytes(bytes.bytes, bytes.size, NCV_022);
    kni_udp_packet packet = read_good(&how, &bytes);
    expect_bytes(packet.data, packet.size, "a5");

    uint8_t data[KN_UDP_PAYLOAD_MAX];
    count_up(data, 16, 0);
    bytes = from_server(KNI_UDP_PAYLOAD, 1000, data, 16);
    expect_bytes(bytes.bytes, bytes.size, NCV_023);

    for (uint32_t i = 0; i < sizeof data; i++) {
        data[i] = (uint8_t)(7 * i + 3);
    }
    bytes = from_client(KNI_UDP_PAYLOAD, 0x0102030405060708u, data, sizeof data);
    assert_int_equal(bytes.size, KN_UDP_DATAGRAM_MAX);
    expect_bytes(bytes.bytes, bytes.size, NCV_024);
    packet = read_good(&how, &bytes);
    assert_int_equal(packet.size, sizeof data);
    assert_memory_equal(packet.data, data, sizeof data);
}

// NCV-025, NCV-026, NC-022
static void disconnect_packet_has_no_data(void **state)
{
    (void)state;
    test_bytes bytes = from_client(KNI_UDP_DISCONNECT, 3, NULL, 0);
    expect_bytes(bytes.bytes, bytes.size, NCV_025);
    bytes = from_server(KNI_UDP_DISCONNECT, 65536, NULL, 0);
    expect_bytes(bytes.bytes, bytes.size, NCV_026);
}

// NCV-027, NC-056
static void sequence_may_have_more_bytes_than_needed(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    test_bytes bytes = hex(NCV_027);
    kni_udp_packet packet = read_good(&how, &bytes);
    assert_int_equal(packet.type, KNI_UDP_KEEP_ALIVE);
    assert_int_equal(packet.sequence, 5);
    assert_int_equal(window.newest, 5);
}

// Packets to ignore -----------------------------------------------------------

// The packet is ignored, and the newest number of the window is `newest` afterwards.
static void expect_ignored(const kni_udp_reading *how, const test_bytes *bytes, uint64_t newest)
{
    kni_udp_packet packet;
    assert_false(kni_udp_packet_read(how, bytes->bytes, bytes->size, &packet));
    if (how->window != NULL) {
        assert_int_equal(how->window->newest, newest);
    }
}

// NCV-028..032, NC-083
static void data_of_the_wrong_size_is_ignored_but_recorded(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    uint8_t zeros[1201] = {0};
    test_bytes bytes = hex(NCV_028);
    expect_ignored(&how, &bytes, 6);
    bytes = hex(NCV_029);
    expect_ignored(&how, &bytes, 7);
    bytes = odd_packet(inputs()->client_key, 0x15, 8, zeros, sizeof zeros);
    assert_int_equal(bytes.size, 1219);
    expect_sha(bytes.bytes, bytes.size, NCV_030_SHA_PACKET);
    expect_ignored(&how, &bytes, 8);
    bytes = hex(NCV_031);
    expect_ignored(&how, &bytes, 9);
    assert_false(kni_udp_replay_is_new(&window, 6)); // each of them is recorded
    assert_false(kni_udp_replay_is_new(&window, 9));

    bytes = odd_packet(inputs()->client_key, 0x13, 10, zeros, 307);
    assert_int_equal(bytes.size, 325);
    expect_sha(bytes.bytes, bytes.size, NCV_032_SHA_PACKET);
    expect_ignored(&how, &bytes, 9);
}

// NCV-033..038, NC-072, NC-073, NC-077..079
static void packet_with_a_bad_front_is_ignored(void **state)
{
    (void)state;
    static const char *const packets[] = {NCV_033, NCV_034, NCV_035, NCV_036, NCV_037, NCV_038};
    for (size_t i = 0; i < sizeof packets / sizeof *packets; i++) {
        kni_udp_replay window = {0};
        kni_udp_reading how = server_reading(&window);
        test_bytes bytes = hex(packets[i]);
        expect_ignored(&how, &bytes, 0);
        how = client_reading(&window);
        how.key = inputs()->client_key;
        expect_ignored(&how, &bytes, 0);
    }
}

// NCV-039 points 1 to 6, NC-004, NC-018, NC-020, NC-081, NC-092
static void changed_packet_is_ignored_and_not_recorded(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    test_bytes bytes = hex(NCV_021);
    bytes.bytes[bytes.size - 1] ^= 1;
    expect_ignored(&how, &bytes, 0);
    bytes = hex(NCV_021);
    bytes.bytes[1] = 3;
    expect_ignored(&how, &bytes, 0);
    bytes = hex(NCV_021);
    bytes.bytes[0] = 0x15;
    expect_ignored(&how, &bytes, 0);
    bytes = hex(NCV_021);
    how.protocol_id++;
    expect_ignored(&how, &bytes, 0);

    how = client_reading(&window);
    expect_ignored(&how, &bytes, 0); // the key of the other direction
    bytes = hex(NCV_026);
    bytes.bytes[0] = 0x31;
    expect_ignored(&how, &bytes, 0);

    how = server_reading(&window);
    bytes = hex(NCV_021);
    (void)read_good(&how, &bytes); // nothing was recorded before
}

// NCV-039 points 7 and 8, NC-074..076
static void each_side_ignores_what_only_it_sends(void **state)
{
    (void)state;
    kni_udp_reading server = server_reading(NULL), client = client_reading(NULL);
    server.key = inputs()->server_key;
    client.key = inputs()->client_key;
    test_bytes bytes = hex(NCV_017);
    expect_ignored(&server, &bytes, 0);
    bytes = hex(NCV_018);
    expect_ignored(&server, &bytes, 0);
    bytes = hex(NCV_016);
    expect_ignored(&client, &bytes, 0);
    bytes = hex(NCV_019);
    expect_ignored(&client, &bytes, 0);
}

// NC-011: nothing longer than the longest packet is valid, whatever its tag.
static void datagram_above_1225_bytes_is_ignored(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    uint8_t zeros[1201] = {0};
    test_bytes bytes = odd_packet(inputs()->client_key, 0x85, 8, zeros, 1201);
    assert_int_equal(bytes.size, 1226);
    expect_ignored(&how, &bytes, 0);
}

// Replay window ---------------------------------------------------------------

typedef struct replay_step {
    uint64_t sequence;
    bool is_new;
    uint64_t newest;
} replay_step;

static void play_steps(const replay_step *steps, size_t count)
{
    kni_udp_replay window = {0};
    for (size_t i = 0; i < count; i++) {
        bool is_new = kni_udp_replay_is_new(&window, steps[i].sequence);
        if (is_new != steps[i].is_new) {
            fail_msg("step %u", (unsigned)i + 1);
        }
        if (is_new) {
            kni_udp_replay_record(&window, steps[i].sequence);
        }
        assert_int_equal(window.newest, steps[i].newest);
    }
}

// NCV-040, NC-086..091, NC-093
static void window_knows_256_numbers(void **state)
{
    (void)state;
    static const replay_step steps[] = {{0, true, 0}, {0, false, 0}, {1, true, 1}, {3, true, 3},
        {2, true, 3}, {2, false, 3}, {3, false, 3}, {255, true, 255}, {0, false, 255},
        {4, true, 255}, {256, true, 256}, {0, false, 256}, {1, false, 256}, {5, true, 256},
        {300, true, 300}, {44, false, 300}, {45, true, 300}, {45, false, 300}, {299, true, 300}};
    play_steps(steps, sizeof steps / sizeof *steps);
}

// NCV-041, NC-088, NC-090
static void window_may_begin_far_ahead(void **state)
{
    (void)state;
    static const replay_step steps[] = {{1000, true, 1000}, {744, false, 1000}, {745, true, 1000},
        {745, false, 1000}, {999, true, 1000}, {1000, false, 1000}, {1256, true, 1256},
        {1000, false, 1256}, {1001, true, 1256}, {746, false, 1256}};
    play_steps(steps, sizeof steps / sizeof *steps);
}

// NCV-042, NC-088
static void window_has_exact_edges(void **state)
{
    (void)state;
    static const replay_step steps[] = {{255, true, 255}, {0, true, 255}, {0, false, 255},
        {256, true, 256}, {0, false, 256}, {1, true, 256}, {257, true, 257}, {1, false, 257},
        {2, true, 257}};
    play_steps(steps, sizeof steps / sizeof *steps);
}

// NCV-043, NC-094
static void window_does_not_overflow(void **state)
{
    (void)state;
    static const replay_step steps[] = {
        {18446744073709551614u, true, 18446744073709551614u},
        {18446744073709551614u, false, 18446744073709551614u},
        {18446744073709551360u, true, 18446744073709551614u},
        {18446744073709551359u, true, 18446744073709551614u},
        {18446744073709551358u, false, 18446744073709551614u},
        {0, false, 18446744073709551614u},
    };
    play_steps(steps, sizeof steps / sizeof *steps);
}

// NCV-044, NC-080..082, NC-092
static void forged_packet_does_not_move_the_window(void **state)
{
    (void)state;
    kni_udp_replay window = {0};
    kni_udp_reading how = server_reading(&window);
    uint8_t data[KNI_UDP_KEEP_ALIVE_DATA] = {0};
    test_bytes forged = from_client(KNI_UDP_KEEP_ALIVE, 5000, data, sizeof data);
    forged.bytes[forged.size - 1] ^= 0x80;
    expect_ignored(&how, &forged, 0);
    test_bytes good = from_client(KNI_UDP_KEEP_ALIVE, 5, data, sizeof data);
    (void)read_good(&how, &good);
    assert_int_equal(window.newest, 5);
    expect_ignored(&how, &good, 5);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(version_info_is_thirteen_bytes),
    cmocka_unit_test(tag_of_a_token_covers_version_protocol_and_expiry),
    cmocka_unit_test(addresses_are_little_endian_numbers),
    cmocka_unit_test(private_part_is_laid_out_without_gaps),
    cmocka_unit_test(private_part_is_encrypted_with_its_tag_behind),
    cmocka_unit_test(token_is_2048_bytes),
    cmocka_unit_test(token_may_never_expire_and_have_no_timeout),
    cmocka_unit_test(token_has_room_for_32_addresses),
    cmocka_unit_test(private_addresses_may_differ_from_public_ones),
    cmocka_unit_test(challenge_is_laid_out_without_gaps),
    cmocka_unit_test(challenge_is_encrypted_under_its_sequence),
    cmocka_unit_test(sequence_takes_as_few_bytes_as_possible),
    cmocka_unit_test(prefix_is_type_and_number_of_sequence_bytes),
    cmocka_unit_test(tag_of_a_packet_covers_version_protocol_and_prefix),
    cmocka_unit_test(request_repeats_parts_of_the_token),
    cmocka_unit_test(denied_packet_has_no_data),
    cmocka_unit_test(challenge_and_response_carry_sequence_and_challenge),
    cmocka_unit_test(keep_alive_carries_slot_and_number_of_slots),
    cmocka_unit_test(payload_is_all_between_sequence_and_tag),
    cmocka_unit_test(disconnect_packet_has_no_data),
    cmocka_unit_test(sequence_may_have_more_bytes_than_needed),
    cmocka_unit_test(data_of_the_wrong_size_is_ignored_but_recorded),
    cmocka_unit_test(packet_with_a_bad_front_is_ignored),
    cmocka_unit_test(changed_packet_is_ignored_and_not_recorded),
    cmocka_unit_test(each_side_ignores_what_only_it_sends),
    cmocka_unit_test(datagram_above_1225_bytes_is_ignored),
    cmocka_unit_test(window_knows_256_numbers),
    cmocka_unit_test(window_may_begin_far_ahead),
    cmocka_unit_test(window_has_exact_edges),
    cmocka_unit_test(window_does_not_overflow),
    cmocka_unit_test(forged_packet_does_not_move_the_window),
};

TEST_GROUP(udp_vectors, tests, NULL, NULL);
