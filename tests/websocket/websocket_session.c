// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A short match of two players over WebSocket: a session of knack::net, whose datagrams are
// messages. Its time is virtual; before it passes, everything that was sent has arrived.

#include "websocket_fixture.h"

#include "knack/net.h"
#include "net/session_kit.h"

#define PLAYERS 2
#define FRAME KN_MS(5)

typedef struct player {
    kn_client *client;
    kn_websocket_client *socket;
    kn_entity_id hero; // as the server made it
    uint32_t answers, refused, closed;
    bool is_connected;
} player;

typedef struct match {
    session_kit kit;
    kn_world *world;
    kn_server *server;
    kn_websocket_server *socket;
    kn_time now;
    player players[PLAYERS];
    uint32_t sessions[64]; // the number that the session gave to each connection; 0: none
    uint32_t joined, left;
} match;

static match *match_begin(bool is_secure)
{
    static match storage;
    match *m = &storage;
    memset(m, 0, sizeof *m);
    assert_true(session_kit_create(&m->kit, false));
    kn_world_def world = kn_world_def_default();
    world.library = m->kit.library;
    assert_int_equal(kn_world_create(&world, &m->world), KN_OK);
    kn_server_def def = kn_server_def_default();
    def.world = m->world;
    assert_int_equal(kn_server_create(&def, &m->server), KN_OK);
    kn_websocket_server_def socket_def = kn_websocket_server_def_default();
    if (is_secure) {
        socket_def.certificate_file = WEBSOCKET_FILES "/server.pem";
        socket_def.key_file = WEBSOCKET_FILES "/server.key";
    }
    assert_int_equal(kn_websocket_server_create(&socket_def, &m->socket, NULL), KN_OK);
    return m;
}

static void match_add_player(match *m, uint32_t index, bool is_secure)
{
    player *p = &m->players[index];
    kn_client_def def = kn_client_def_default();
    def.library = m->kit.library;
    def.hello = &index;
    def.hello_size = sizeof index;
    assert_int_equal(kn_client_create(&def, &p->client), KN_OK);
    char url[64];
    (void)snprintf(url, sizeof url, "%s://127.0.0.1:%u/", is_secure ? "wss" : "ws",
        (unsigned)kn_websocket_server_port(m->socket));
    kn_websocket_client_def socket_def = kn_websocket_client_def_default();
    socket_def.url = url;
    socket_def.ca_file = WEBSOCKET_FILES "/ca.pem";
    assert_int_equal(kn_websocket_client_create(&socket_def, &p->socket, NULL), KN_OK);
    assert_int_equal(kn_websocket_client_connect(p->socket, m->now), KN_OK);
}

static void match_end(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_destroy(m->players[i].client);
        kn_websocket_client_destroy(m->players[i].socket);
    }
    kn_websocket_server_destroy(m->socket);
    kn_server_destroy(m->server);
    kn_world_destroy(m->world);
    kn_library_destroy(m->kit.library);
}

// Moves messages from the sockets into the sessions.
static void server_receive(match *m)
{
    kn_websocket_event event;
    kn_websocket_server_update(m->socket, m->now);
    while (kn_websocket_server_next_event(m->socket, &event)) {
        uint32_t *session = &m->sessions[event.connection];
        switch (event.kind) {
        case KN_WEBSOCKET_CONNECTED:
            assert_int_equal(kn_server_open(m->server, m->now, session), KN_OK);
            break;
        case KN_WEBSOCKET_MESSAGE:
            assert_int_equal(
                kn_server_receive(m->server, m->now, *session, event.bytes, event.size), KN_OK);
            break;
        case KN_WEBSOCKET_CLOSED:
            (void)kn_server_close(m->server, *session, KN_CLOSE_LEFT);
            *session = 0;
            break;
        }
    }
}

static void player_receive(match *m, player *p)
{
    kn_websocket_event event;
    kn_websocket_client_update(p->socket, m->now);
    while (kn_websocket_client_next_event(p->socket, &event)) {
        p->is_connected = event.kind != KN_WEBSOCKET_CLOSED;
        if (event.kind == KN_WEBSOCKET_MESSAGE) {
            assert_int_equal(kn_client_receive(p->client, m->now, event.bytes, event.size), KN_OK);
        }
    }
}

static bool match_is_quiet(const match *m)
{
    kn_websocket_stats at_server = kn_websocket_server_stats(m->socket);
    uint64_t sent = 0, received = 0;
    for (uint32_t i = 0; i < 64; i++) {
        if (kn_websocket_server_peer(m->socket, i).send_waiting > 0) {
            return false;
        }
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if (m->players[i].socket != NULL) {
            sent += kn_websocket_client_stats(m->players[i].socket).sent;
            received += kn_websocket_client_stats(m->players[i].socket).received;
        }
    }
    return sent == at_server.received && received == at_server.sent;
}

// Everything that was sent arrives.
static void match_exchange(match *m)
{
    for (uint32_t i = 0; i < FIXTURE_UPDATES; i++) {
        for (uint32_t j = 0; j < PLAYERS; j++) {
            if (m->players[j].socket != NULL) {
                player_receive(m, &m->players[j]);
            }
        }
        server_receive(m);
        if (i > 0 && match_is_quiet(m)) {
            return;
        }
        if (i > FIXTURE_UPDATES / 2) {
            kn_websocket_server_wait(m->socket, KN_MS(1));
        }
    }
    fail_msg("messages do not arrive");
}

static void server_events(match *m)
{
    kn_server_event event;
    while (kn_server_next_event(m->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            uint32_t index;
            assert_int_equal(event.size, sizeof index);
            memcpy(&index, event.bytes, sizeof index);
            assert_true(session_hero(&m->kit, m->world, event.connection, &m->players[index].hero));
            kn_effect_id effect;
            assert_int_equal(kn_effect_apply_simple(m->world, m->kit.burning, (kn_entity_id){0},
                                 m->players[index].hero, 1.0f, &effect),
                KN_OK);
            m->joined++;
        }
        m->left += event.kind == KN_SERVER_LEFT;
    }
}

static void server_turn(match *m)
{
    assert_int_equal(kn_server_update(m->server, m->now), KN_OK);
    server_events(m);
    uint8_t buffer[2048];
    size_t size;
    for (uint32_t i = 0; i < 64; i++) {
        while (m->sessions[i] != 0 && kn_server_write(m->server, m->now, m->sessions[i], buffer,
                                          sizeof buffer, &size) == KN_OK) {
            assert_int_equal(kn_websocket_server_send(m->socket, i, buffer, size), KN_OK);
        }
    }
}

static void player_turn(const match *m, player *p)
{
    assert_int_equal(kn_client_update(p->client, m->now), KN_OK);
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        p->answers += event.kind == KN_CLIENT_ANSWER;
        p->refused += event.kind == KN_CLIENT_ANSWER && event.result != KN_OK;
        p->closed += event.kind == KN_CLIENT_CLOSED;
    }
    uint8_t buffer[2048];
    size_t size;
    while (p->is_connected &&
           kn_client_write(p->client, m->now, buffer, sizeof buffer, &size) == KN_OK) {
        assert_int_equal(kn_websocket_client_send(p->socket, buffer, size), KN_OK);
    }
}

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        server_turn(m);
        for (uint32_t i = 0; i < PLAYERS; i++) {
            if (m->players[i].client != NULL) {
                player_turn(m, &m->players[i]);
            }
        }
        match_exchange(m);
    }
}

static void player_heals(const match *m, const player *p)
{
    kn_command_activate payload = {.type = m->kit.heal};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = p->hero,
        .payload = &payload,
        .size = sizeof payload};
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
}

// Both players see what the server has: two heroes that burn and heal.
static void expect_same_worlds(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_world *world = kn_client_world(m->players[i].client);
        assert_non_null(world);
        assert_int_equal(kn_entity_count(world), PLAYERS);
        for (uint32_t j = 0; j < PLAYERS; j++) {
            assert_true(kn_entity_is_alive(world, m->players[j].hero));
            // The client is ahead: at most one tick of fire that the server has not had.
            float ahead = kn_attribute_value(m->world, m->players[j].hero, m->kit.health) -
                          kn_attribute_value(world, m->players[j].hero, m->kit.health);
            assert_true(ahead == 0.0f || ahead == 1.0f);
        }
        assert_int_equal(m->players[i].closed, 0);
        assert_int_equal(kn_client_get_stats(m->players[i].client).bad, 0);
    }
}

static void play_match(bool is_secure)
{
    match *m = match_begin(is_secure);
    match_add_player(m, 0, is_secure);
    match_add_player(m, 1, is_secure);
    match_run(m, KN_S(1));
    assert_int_equal(m->joined, 2);
    for (uint32_t i = 0; i < 3; i++) { // a cooldown of two seconds lies between
        player_heals(m, &m->players[0]);
        player_heals(m, &m->players[1]);
        match_run(m, KN_MS(2500));
        assert_int_equal(m->players[0].answers, i + 1);
        assert_int_equal(m->players[1].answers, i + 1);
    }
    assert_int_equal(m->players[0].refused + m->players[1].refused, 0);
    expect_same_worlds(m);
    kn_websocket_stats stats = kn_websocket_server_stats(m->socket);
    assert_true(stats.sent > 50 && stats.received > 500);
    assert_int_equal(stats.refused_sends, 0);

    // One leaves for good; the session of the other goes on.
    assert_true(kn_websocket_client_close(m->players[1].socket, 1000, "bye"));
    m->players[1].is_connected = false;
    for (uint32_t i = 0; i < FIXTURE_UPDATES && m->sessions[1] != 0; i++) {
        match_exchange(m);
    }
    kn_client_destroy(m->players[1].client);
    m->players[1].client = NULL;
    match_run(m, KN_S(1));
    assert_int_equal(m->left, 1);
    player_heals(m, &m->players[0]);
    match_run(m, KN_S(1));
    assert_int_equal(m->players[0].answers, 4);
    match_end(m);
}

static void two_players_play_over_websocket(void **state)
{
    (void)state;
    NEED_SOCKETS();
    play_match(false);
}

static void two_players_play_with_tls(void **state)
{
    (void)state;
    NEED_SOCKETS();
    play_match(true);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_players_play_over_websocket),
    cmocka_unit_test(two_players_play_with_tls),
};

TEST_GROUP(websocket_session, tests, NULL, NULL);
