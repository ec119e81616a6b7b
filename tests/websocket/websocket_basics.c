// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Connecting, messages both ways, closing, and what does not get in.

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
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        socket_test(message_is_one_datagram_both_ways),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
