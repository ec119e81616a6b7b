// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// TLS. server.pem is for localhost and 127.0.0.1, signed by ca.pem; other_ca.pem signed nothing.
// All are for these tests only, are valid from 2020 to 2120, and the keys of both authorities are
// gone.

#include "websocket_fixture.h"

static kn_websocket_server_def tls_server_def(void)
{
    kn_websocket_server_def def = fixture_server_def();
    def.certificate_file = WEBSOCKET_FILES "/server.pem";
    def.key_file = WEBSOCKET_FILES "/server.key";
    return def;
}

static kn_websocket_client_def tls_client_def(const fixture *f)
{
    kn_websocket_client_def def = kn_websocket_client_def_default();
    def.url = fixture_url(f, "wss", "/");
    def.ca_file = WEBSOCKET_FILES "/ca.pem";
    return def;
}

static void expect_no_connection(fixture *f, const kn_websocket_client_def *def)
{
    start_client(f, 0, def);
    UPDATE_UNTIL(f, f->at_client[0].closed == 1);
    assert_int_equal(f->at_client[0].connected, 0);
    assert_int_equal(f->at_client[0].end, KN_WEBSOCKET_END_FAILED);
    assert_string_not_equal(f->at_client[0].text, "");
    assert_int_equal(f->at_server.connected, 0);
}

static void messages_pass_with_tls(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = tls_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = tls_client_def(f);
    start_client(f, 0, &client);
    UPDATE_UNTIL(f, f->at_client[0].connected == 1 && f->at_server.connected == 1);
    static uint8_t bytes[16384];
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 7);
    }
    for (uint32_t i = 1; i <= 50; i++) { // more than one record and one buffer
        assert_int_equal(kn_websocket_client_send(f->clients[0], bytes, sizeof bytes), KN_OK);
        assert_int_equal(kn_websocket_server_send(f->server, 0, bytes, i * 100), KN_OK);
        UPDATE_UNTIL(f, f->at_server.messages == i && f->at_client[0].messages == i);
        assert_int_equal(f->at_server.size, sizeof bytes);
        assert_memory_equal(f->at_server.bytes, bytes, sizeof bytes);
        assert_int_equal(f->at_client[0].size, i * 100);
    }
    assert_true(kn_websocket_server_close(f->server, 0, 4000, "over"));
    UPDATE_UNTIL(f, f->at_client[0].closed == 1 && f->at_server.closed == 1);
    assert_string_equal(f->at_client[0].text, "over");
}

static void name_is_compared_also_with_an_address_beside_it(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = tls_server_def();
    start_server(f, &def);
    char url[64];
    (void)snprintf(
        url, sizeof url, "wss://other.example:%u/", (unsigned)kn_websocket_server_port(f->server));
    kn_websocket_client_def client = tls_client_def(f);
    client.url = url;
    client.address = "127.0.0.1";
    expect_no_connection(f, &client);

    (void)snprintf(
        url, sizeof url, "wss://localhost:%u/", (unsigned)kn_websocket_server_port(f->server));
    start_client(f, 1, &client);
    UPDATE_UNTIL(f, f->at_client[1].connected == 1);
}

static void certificate_of_another_authority_is_refused(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = tls_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = tls_client_def(f);
    client.ca_file = WEBSOCKET_FILES "/other_ca.pem";
    expect_no_connection(f, &client);
}

static void authorities_of_the_system_do_not_know_the_test(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = tls_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = tls_client_def(f);
    client.ca_file = NULL;
    expect_no_connection(f, &client);

    client.verify = false; // anybody will do
    start_client(f, 1, &client);
    UPDATE_UNTIL(f, f->at_client[1].connected == 1);
}

static void plain_client_gets_nothing_from_a_tls_server(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = tls_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = fixture_url(f, "ws", "/");
    expect_no_connection(f, &client);
}

static void tls_client_gets_nothing_from_a_plain_server(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = fixture_server_def();
    start_server(f, &def);
    kn_websocket_client_def client = tls_client_def(f);
    expect_no_connection(f, &client);
}

// A socket that connects and says nothing must not block the others.
static void silent_socket_does_not_hold_up_tls(void **state)
{
    NEED_SOCKETS();
    fixture *f = *state;
    kn_websocket_server_def def = tls_server_def();
    start_server(f, &def);
    int idle = raw_connect(f);
    for (uint32_t i = 0; i < 20; i++) {
        fixture_update(f);
    }
    kn_websocket_client_def client = tls_client_def(f);
    start_client(f, 0, &client);
    UPDATE_UNTIL(f, f->at_client[0].connected == 1);
    f->now = KN_S(5);
    char answer[64];
    raw_until_closed(f, idle, answer, sizeof answer);
    assert_int_equal(kn_websocket_server_stats(f->server).handshake_timeouts, 1);
    (void)close(idle);
}

static void expect_no_server(const kn_websocket_server_def *def, const char *words)
{
    kn_error error = {0};
    kn_websocket_server *server = (kn_websocket_server *)&error; // must be set to NULL
    assert_int_equal(kn_websocket_server_create(def, &server, &error), KN_ERROR_IO);
    assert_null(server);
    assert_int_equal(error.code, KN_ERROR_IO);
    assert_non_null(strstr(error.message, words));
}

static void unusable_files_are_reported(void **state)
{
    (void)state;
    NEED_SOCKETS();
    kn_websocket_server_def def = tls_server_def();
    def.certificate_file = WEBSOCKET_FILES "/absent.pem";
    expect_no_server(&def, "absent.pem");
    def = tls_server_def();
    def.key_file = WEBSOCKET_FILES "/absent.key";
    expect_no_server(&def, "absent.key");
    def = tls_server_def();
    def.certificate_file = WEBSOCKET_FILES "/websocket_tls.c"; // not a certificate
    expect_no_server(&def, "cannot listen: ");
    def = tls_server_def();
    def.key_file = WEBSOCKET_FILES "/ca.pem"; // not a key
    expect_no_server(&def, "cannot listen: ");

    kn_websocket_client_def client = kn_websocket_client_def_default();
    client.url = "wss://localhost:1/";
    client.ca_file = WEBSOCKET_FILES "/absent.pem";
    kn_error error = {0};
    kn_websocket_client *made = (kn_websocket_client *)&error;
    assert_int_equal(kn_websocket_client_create(&client, &made, &error), KN_ERROR_IO);
    assert_null(made);
    assert_non_null(strstr(error.message, "absent.pem"));
    client.ca_file = WEBSOCKET_FILES "/websocket_tls.c";
    assert_int_equal(kn_websocket_client_create(&client, &made, &error), KN_ERROR_IO);
    assert_null(made);
}

static const struct CMUnitTest tests[] = {
    socket_test(messages_pass_with_tls),
    socket_test(name_is_compared_also_with_an_address_beside_it),
    socket_test(certificate_of_another_authority_is_refused),
    socket_test(authorities_of_the_system_do_not_know_the_test),
    socket_test(plain_client_gets_nothing_from_a_tls_server),
    socket_test(tls_client_gets_nothing_from_a_plain_server),
    socket_test(silent_socket_does_not_hold_up_tls),
    cmocka_unit_test(unusable_files_are_reported),
};

TEST_GROUP(websocket_tls, tests, NULL, NULL);
