// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Teams and vision over a network: a server sends each client what its player sees, and clients
// publish what changes for them.

#include "rts/team_test.h"

#include "net/carry.h"

#define PLAYERS 2
#define FRAME KN_MS(5)
#define SETTLED KN_S(1)

typedef struct match {
    team_fixture t; // the server's; its world has a player for each client and a third one
    kn_server *server;
    kn_client *clients[PLAYERS];
    kn_grid *grids[PLAYERS];
    uint32_t connections[PLAYERS];
    kn_net_sim *net;
    kn_time now;
    kn_entity_id mine, theirs;
    char seen[PLAYERS][512]; // what was published there
} match;

static void client_note(void *user, uint32_t i, const kn_client_event *event)
{
    match *m = user;
    const kn_event *e = &event->event;
    const size_t length = strlen(m->seen[i]);
    if (event->kind == KN_CLIENT_HAPPENED && e->type == KN_EVENT_CUSTOM) {
        const char *name = kn_custom_event_name(m->t.f.library, e->data.custom.kind);
        (void)snprintf(m->seen[i] + length, sizeof(m->seen[i]) - length, "%s%s %u",
            length > 0 ? "; " : "", name + strlen("Knack.Rts"), (unsigned)e->entity.index1);
    } else if (event->kind == KN_CLIENT_LEFT) {
        (void)snprintf(m->seen[i] + length, sizeof(m->seen[i]) - length, "%sleft %u",
            length > 0 ? "; " : "", (unsigned)event->entity.index1);
    }
}

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        carry_frame(m->net, m->now, m->server, m->clients, m->connections, PLAYERS, client_note, m);
    }
}

static const char *news_of(match *m, uint32_t i)
{
    static char text[512];
    match_run(m, SETTLED);
    memcpy(text, m->seen[i], sizeof(text));
    for (uint32_t j = 0; j < PLAYERS; j++) {
        m->seen[j][0] = 0;
    }
    return text;
}

static void client_setup(void *user, kn_world *world)
{
    kn_grid **grid = user;
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    assert_int_equal(kn_grid_create(&def, grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(*grid));
}

static match *match_create(bool is_fogged)
{
    match *m = calloc(1, sizeof(*m));
    assert_non_null(m);
    teams_open(&m->t);
    teams_begin(&m->t);
    m->mine = scout_at(&m->t, m->t.f.us, 0, 0, 10);
    m->theirs = scout_at(&m->t, m->t.f.them, 50, 0, 5);
    gain(&m->t.f, m->theirs, m->t.building);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    assert_int_equal(kn_net_sim_create(&net, &m->net), KN_OK);
    kn_net_conditions conditions = {.latency = KN_MS(40)};
    assert_int_equal(kn_net_sim_set_all(m->net, &conditions), KN_OK);
    kn_server_def server = kn_server_def_default();
    server.world = m->t.f.world;
    server.is_relevant = is_fogged ? kn_rts_vision_relevance : NULL;
    assert_int_equal(kn_server_create(&server, &m->server), KN_OK);
    const kn_entity_id players[PLAYERS] = {m->t.f.us, m->t.f.them};
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = m->t.f.library;
        client.setup = client_setup;
        client.user = &m->grids[i];
        assert_int_equal(kn_client_create(&client, &m->clients[i]), KN_OK);
        assert_int_equal(kn_server_open(m->server, m->now, &m->connections[i]), KN_OK);
        assert_int_equal(
            kn_entity_set_connection(m->t.f.world, players[i], m->connections[i]), KN_OK);
    }
    match_run(m, KN_S(2));
    for (uint32_t j = 0; j < PLAYERS; j++) {
        m->seen[j][0] = 0;
    }
    return m;
}

static void match_destroy(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(kn_world_validate(kn_client_world(m->clients[i])));
        kn_grid_destroy(m->grids[i]);
        kn_client_destroy(m->clients[i]);
    }
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    fixture_close(&m->t.f);
    free(m);
}

static bool has(const match *m, uint32_t client, kn_entity_id unit)
{
    return kn_entity_is_alive(kn_client_world(m->clients[client]), unit);
}

// RTS-274: what a player does not see is not sent, comes when it is sighted, and goes when it is
// lost; buildings are remembered by the client of the player alone.
static void servers_send_what_players_see(void **state)
{
    match *m = match_create(true);
    (void)state;
    kn_world *ours = kn_client_world(m->clients[0]), *others = kn_client_world(m->clients[1]);
    assert_true(has(m, 0, m->mine) && !has(m, 0, m->theirs));
    assert_true(has(m, 1, m->theirs) && !has(m, 1, m->mine));
    assert_true(has(m, 0, m->t.f.them) && has(m, 0, m->t.third)); // players have no vision
    assert_int_equal(kn_grid_move(m->t.f.grid, m->theirs, (kn_vec3){8, 0, 0}), KN_OK);
    char text[64];
    (void)snprintf(text, sizeof(text), "Sighted %u", (unsigned)m->theirs.index1);
    assert_string_equal(news_of(m, 0), text);
    assert_true(has(m, 0, m->theirs));
    assert_false(has(m, 1, m->mine)); // they do not see so far
    assert_true(kn_rts_is_visible(ours, m->mine, m->theirs));
    assert_int_equal(kn_grid_move(m->t.f.grid, m->mine, (kn_vec3){-20, 0, 0}), KN_OK);
    (void)snprintf(text, sizeof(text), "left %u", (unsigned)m->theirs.index1);
    assert_non_null(strstr(news_of(m, 0), text));
    assert_false(has(m, 0, m->theirs));
    kn_rts_ghost ghost;
    assert_true(kn_rts_last_seen(ours, m->t.f.us, m->theirs, &ghost));
    assert_true(ghost.position.x == 8);
    assert_int_equal(kn_rts_ghosts(others, m->t.f.us, NULL, 0), 0);
    // Allies see each other's units.
    assert_int_equal(kn_rts_set_stance(m->t.f.world, m->t.f.us, m->t.f.them, KN_RTS_ALLY), KN_OK);
    match_run(m, SETTLED);
    assert_true(has(m, 1, m->mine));
    assert_false(has(m, 0, m->theirs));
    // Somebody who does not play sees nothing that has vision.
    assert_false(kn_rts_vision_relevance(NULL, m->t.f.world, 77, m->mine));
    assert_false(kn_rts_vision_relevance(NULL, m->t.f.world, 0, m->mine));
    assert_true(kn_rts_vision_relevance(NULL, m->t.f.world, 77, m->t.f.us));
    match_destroy(m);
}

// RTS-165: on a client the local player is asked, whoever looks; events are those of its own.
static void clients_ask_for_their_own_player(void **state)
{
    match *m = match_create(false);
    (void)state;
    kn_world *ours = kn_client_world(m->clients[0]), *others = kn_client_world(m->clients[1]);
    assert_true(has(m, 0, m->theirs) && has(m, 1, m->mine));
    assert_false(kn_rts_is_visible(ours, m->mine, m->theirs));
    assert_false(kn_rts_is_visible(ours, m->theirs, m->theirs)); // not its own eyes
    assert_true(kn_rts_is_visible(others, m->mine, m->theirs));
    assert_true(kn_rts_is_visible(ours, m->theirs, m->t.third));
    assert_int_equal(kn_order_get_relation(ours, m->mine, m->theirs) & KN_ORDER_VISIBLE, 0);
    assert_int_equal(kn_order_get_relation(ours, m->mine, m->theirs), KN_ORDER_HOSTILE);
    assert_true(kn_rts_sees_place(ours, m->t.f.us, (kn_vec3){9, 0, 0}));
    assert_false(kn_rts_sees_place(ours, m->t.f.us, (kn_vec3){11, 0, 0}));
    assert_int_equal(kn_grid_move(m->t.f.grid, m->theirs, (kn_vec3){8, 0, 0}), KN_OK);
    char text[64];
    (void)snprintf(text, sizeof(text), "Sighted %u", (unsigned)m->theirs.index1);
    assert_string_equal(news_of(m, 0), text);
    assert_true(kn_rts_is_visible(ours, m->mine, m->theirs));
    assert_int_equal(kn_grid_move(m->t.f.grid, m->theirs, (kn_vec3){50, 0, 0}), KN_OK);
    (void)snprintf(text, sizeof(text), "Lost %u", (unsigned)m->theirs.index1);
    assert_string_equal(news_of(m, 0), text);
    assert_int_equal(kn_rts_set_stance(m->t.f.world, m->t.f.us, m->t.f.them, KN_RTS_ALLY), KN_OK);
    (void)snprintf(text, sizeof(text), "Stance %u; Sharing %u; Sighted %u",
        (unsigned)m->t.f.us.index1, (unsigned)m->t.f.us.index1, (unsigned)m->mine.index1);
    assert_string_equal(news_of(m, 1), text);
    assert_int_equal(kn_rts_get_stance(others, m->mine, m->theirs), KN_RTS_ALLY);
    assert_int_equal(kn_rts_get_stance(others, m->theirs, m->mine), KN_RTS_ENEMY);
    assert_int_equal(kn_rts_player_number(ours, m->t.third), 3);
    match_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(servers_send_what_players_see),
    cmocka_unit_test(clients_ask_for_their_own_player),
};

TEST_GROUP(rts_team_net, tests, NULL, NULL);
