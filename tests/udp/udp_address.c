// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Addresses as text, and tokens as a back end makes them.

#include "udp_fixture.h"

// Reads a text, and expects it printed as `printed`.
static void expect_printed(const char *text, const char *printed)
{
    kn_address address = address_of(text);
    char again[KN_ADDRESS_TEXT_SIZE];
    assert_int_equal(kn_address_print(&address, again, sizeof again), strlen(printed));
    assert_string_equal(again, printed);
}

static void address_is_printed_as_it_is_read(void **state)
{
    (void)state;
    expect_printed("127.0.0.1:40000", "127.0.0.1:40000");
    expect_printed("0.0.0.0", "0.0.0.0");
    expect_printed("255.255.255.255:65535", "255.255.255.255:65535");
    expect_printed("127.0.0.1:0", "127.0.0.1");
    expect_printed("::", "::");
    expect_printed("[::]:1", "[::]:1");
    expect_printed("::1", "::1");
    expect_printed("1::", "1::");
    expect_printed("[2001:DB8::1]:40001", "[2001:db8::1]:40001");
    expect_printed("[2001:db8::1]", "2001:db8::1");
    expect_printed("1:0:0:2:0:0:0:3", "1:0:0:2::3");
    expect_printed("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
    expect_printed("1:2:3:0:5:6:7:8", "1:2:3:0:5:6:7:8");
    expect_printed("1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8");
    expect_printed("0:0:3:4:5:6:0:0", "::3:4:5:6:0:0");
    expect_printed("::ffff:1.2.3.4", "::ffff:102:304");
    expect_printed("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304");
    expect_printed(
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff");
}

static void text_that_is_not_an_address_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", ":", ":::", "localhost", "1.2.3", "1.2.3.4.5",
        "256.1.1.1", "1.2.3.4:", "1.2.3.4:65536", "1.2.3.4:123456", "1.2.3.4 ", " 1.2.3.4",
        "01.2.3.4", "1..2.3", "1.2.3.4:5:6", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3",
        "1::2:3:4:5:6:7:8", "12345::", "g::", "[::1", "::1]", "[::1]x", "[::1]:", "[::1]:x",
        "[1.2.3.4]:5", "::1.2.3", "1:2:3:4:5:6:7:1.2.3.4", "1:2:", ":1:2:3:4:5:6:7", "-1.2.3.4"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        kn_address address = {.port = 7};
        kn_error error;
        if (kn_address_parse(texts[i], &address, &error) != KN_ERROR_BAD_DATA) {
            fail_msg("'%s' was read", texts[i]);
        }
        assert_int_equal(error.code, KN_ERROR_BAD_DATA);
        assert_int_equal(address.kind, KN_ADDRESS_NONE);
        assert_int_equal(address.port, 0);
    }
}

static void printed_address_is_truncated_to_the_buffer(void **state)
{
    (void)state;
    kn_address address = address_of("127.0.0.1:40000"), none = {0};
    char text[6] = "xxxxx";
    assert_int_equal(kn_address_print(&address, text, sizeof text), 15);
    assert_string_equal(text, "127.0");
    assert_int_equal(kn_address_print(&address, NULL, 0), 15);
    assert_int_equal(kn_address_print(&none, text, sizeof text), 4);
    assert_string_equal(text, "none");
}

// NC-152
static void addresses_are_equal_in_kind_bytes_and_port(void **state)
{
    (void)state;
    kn_address a = address_of("1.2.3.4:5"), b = a;
    b.bytes[9] = 1; // IPv4 uses four bytes only
    assert_true(kn_address_equal(&a, &b));
    b.port = 6;
    assert_false(kn_address_equal(&a, &b));
    b = address_of("1.2.3.5:5");
    assert_false(kn_address_equal(&a, &b));
    b = address_of("[::ffff:1.2.3.4]:5");
    assert_false(kn_address_equal(&a, &b));
    b = address_of("0.0.0.0:5");
    assert_false(kn_address_equal(&a, &b));
    a = address_of("[2001:db8::1]:5");
    b = address_of("[2001:db8::2]:5");
    assert_false(kn_address_equal(&a, &b));
    assert_true(kn_address_equal(&(kn_address){0}, &(kn_address){.port = 3}));
}

// Tokens ----------------------------------------------------------------------

// NC-036, NC-038
static void each_token_has_keys_and_a_nonce_of_its_own(void **state)
{
    (void)state;
    kn_address address = address_of("127.0.0.1:40000");
    kn_token_def def = token_def(&address, 1);
    def.nonce = def.client_to_server_key = def.server_to_client_key = NULL;
    kn_token a = token_of(&def), b = token_of(&def);
    kn_token_secret secret_a, secret_b;
    assert_int_equal(kn_token_open(&a, sizeof a, def.private_key, &secret_a, NULL), KN_OK);
    assert_int_equal(kn_token_open(&b, sizeof b, def.private_key, &secret_b, NULL), KN_OK);
    assert_true(memcmp(a.bytes + 37, b.bytes + 37, KN_UDP_NONCE_SIZE) != 0);
    assert_true(memcmp(secret_a.client_to_server_key, secret_b.client_to_server_key, 32) != 0);
    assert_true(memcmp(secret_a.server_to_client_key, secret_b.server_to_client_key, 32) != 0);
    assert_true(memcmp(secret_a.client_to_server_key, secret_a.server_to_client_key, 32) != 0);
}

static void expect_refused(const kn_token_def *def, const char *word)
{
    kn_token token;
    kn_error error;
    memset(&token, 1, sizeof token);
    assert_int_equal(kn_token_make(def, &token, &error), KN_ERROR_BAD_DATA);
    assert_non_null(strstr(error.message, word));
    assert_true(sodium_is_zero(token.bytes, sizeof token.bytes));
}

// NC-026, NC-027, NC-031
static void token_with_values_out_of_range_is_not_made(void **state)
{
    (void)state;
    kn_address addresses[33];
    for (uint32_t i = 0; i < 33; i++) {
        addresses[i] = address_of("127.0.0.1:40000");
    }
    kn_token_def def = token_def(addresses, 0);
    expect_refused(&def, "address_count");
    def = token_def(addresses, 33);
    expect_refused(&def, "address_count");
    def = token_def(addresses, 2);
    def.timeout = 0;
    expect_refused(&def, "timeout");
    def = token_def(addresses, 2);
    def.lifetime = UINT64_MAX - CREATED + 1;
    expect_refused(&def, "lifetime");
    def = token_def(addresses, 2);
    kn_address none[2] = {addresses[0]};
    def.private_addresses = none;
    expect_refused(&def, "private_addresses");
    def = token_def(none, 2);
    expect_refused(&def, "addresses");
}

// NC-041
static void only_the_private_key_opens_the_private_part(void **state)
{
    (void)state;
    kn_token token = token_a();
    kn_token_secret secret;
    kn_error error;
    assert_int_equal(kn_token_open(&token, sizeof token, inputs()->client_key, &secret, &error),
        KN_ERROR_BAD_DATA);
    assert_true(sodium_is_zero((const uint8_t *)&secret, sizeof secret));
    token.bytes[100] ^= 1; // a client reads the token all the same
    kn_token_info info;
    assert_int_equal(kn_token_read(&token, sizeof token, &info, NULL), KN_OK);
    assert_int_equal(kn_token_open(&token, sizeof token, inputs()->private_key, &secret, NULL),
        KN_ERROR_BAD_DATA);
    assert_int_equal(kn_token_read(&token, 2047, &info, &error), KN_ERROR_BAD_DATA);
}

// NC-034
static void padding_of_a_token_is_not_looked_at(void **state)
{
    (void)state;
    kn_token token = token_a();
    token.bytes[2047] = 1;
    kn_token_info info;
    assert_int_equal(kn_token_read(&token, sizeof token, &info, NULL), KN_OK);

    test_bytes plain = hex(NCV_004);
    plain.bytes[1007] = 1;
    kn_token_secret secret;
    assert_true(kni_udp_private_read(plain.bytes, &secret));
}

static void random_bytes_differ(void **state)
{
    (void)state;
    uint8_t a[32], b[32];
    assert_int_equal(kn_udp_random(a, sizeof a), KN_OK);
    assert_int_equal(kn_udp_random(b, sizeof b), KN_OK);
    assert_true(memcmp(a, b, sizeof a) != 0);
    assert_int_equal(kn_udp_random(NULL, 0), KN_OK);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(address_is_printed_as_it_is_read),
    cmocka_unit_test(text_that_is_not_an_address_is_refused),
    cmocka_unit_test(printed_address_is_truncated_to_the_buffer),
    cmocka_unit_test(addresses_are_equal_in_kind_bytes_and_port),
    cmocka_unit_test(each_token_has_keys_and_a_nonce_of_its_own),
    cmocka_unit_test(token_with_values_out_of_range_is_not_made),
    cmocka_unit_test(only_the_private_key_opens_the_private_part),
    cmocka_unit_test(padding_of_a_token_is_not_looked_at),
    cmocka_unit_test(random_bytes_differ),
};

TEST_GROUP(udp_address, tests, NULL, NULL);
