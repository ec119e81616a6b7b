// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Servers that record: what players did is played again from the bytes, step by step.

#include "net_test.h"

#include "session_kit.h"

#include "knack/net.h"

#define PLAYERS 2
#define FRAME KN_MS(5)

typedef struct game {
    session_kit kit;
    purse purse;
    kn_world *world;
    kn_recording *recording;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    kn_client *clients[PLAYERS];
    uint32_t connections[PLAYERS];
    kn_entity_id heroes[PLAYERS];
    kn_entity_id local; // of the third connection
    uint32_t answers;
} game;

static void game_begin(game *g)
{
    memset(g, 0, sizeof(*g));
    g->purse.left = UINT32_MAX;
    assert_true(session_kit_create(&g->kit, false));
    kn_world_def world = kn_world_def_default();
    world.library = g->kit.library;
    world.hooks = (kn_hooks){.realloc_fn = purse_realloc, .realloc_user = &g->purse};
    assert_int_equal(kn_world_create(&world, &g->world), KN_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(session_hero(&g->kit, g->world, i + 1, &g->heroes[i]));
    }
    assert_true(session_hero(&g->kit, g->world, PLAYERS + 1, &g->local));
    assert_int_equal(kn_recording_begin(g->world, &g->recording), KN_OK);
    kn_server_def def = kn_server_def_default();
    def.world = g->world;
    def.recording = g->recording;
    assert_int_equal(kn_server_create(&def, &g->server), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    net.conditions.latency = KN_MS(40);
    net.conditions.loss = 0.1f;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = g->kit.library;
        assert_int_equal(kn_client_create(&client, &g->clients[i]), KN_OK);
        assert_int_equal(kn_server_open(g->server, 0, &g->connections[i]), KN_OK);
        assert_int_equal(g->connections[i], i + 1);
    }
}

static void game_end(game *g)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_destroy(g->clients[i]);
    }
    kn_server_destroy(g->server);
    kn_recording_destroy(g->recording);
    kn_world_destroy(g->world);
    kn_net_sim_destroy(g->net);
    kn_library_destroy(g->kit.library);
    assert_int_equal(g->purse.bytes, 0);
}

static kn_result server_turn(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(g->net, g->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(g->server, g->now, from, buffer, size);
    }
    kn_result result = kn_server_update(g->server, g->now);
    kn_server_event event;
    while (kn_server_next_event(g->server, &event)) {
    }
    for (uint32_t i = 1; i <= PLAYERS; i++) {
        while (kn_server_write(g->server, g->now, i, buffer, sizeof(buffer), &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, i, buffer, size), KN_OK);
        }
    }
    return result;
}

static void client_turn(game *g, uint32_t index)
{
    kn_client *client = g->clients[index];
    uint8_t buffer[2048];
    size_t size;
    while (kn_net_sim_receive(g->net, g->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(client, g->now, buffer, size);
    }
    assert_int_equal(kn_client_update(client, g->now), KN_OK);
    kn_client_event event;
    while (kn_client_next_event(client, &event)) {
        g->answers += event.kind == KN_CLIENT_ANSWER;
    }
    while (kn_client_write(client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_int_equal(kn_net_sim_send(g->net, g->now, index + 1, 0, buffer, size), KN_OK);
    }
}

static void run(game *g, kn_time time)
{
    for (kn_time end = g->now + time; g->now < end; g->now += FRAME) {
        assert_int_equal(server_turn(g), KN_OK);
        for (uint32_t i = 0; i < PLAYERS; i++) {
            client_turn(g, i);
        }
    }
}

static void heal(game *g, uint32_t index)
{
    kn_command_activate activate = {.type = g->kit.heal};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = g->heroes[index],
        .payload = &activate,
        .size = sizeof(activate)};
    assert_int_equal(kn_client_command(g->clients[index], &command, NULL, NULL), KN_OK);
}

static void what_players_did_is_played_again_bit_for_bit(void **state)
{
    (void)state;
    game g;
    game_begin(&g);
    run(&g, KN_S(1));
    for (uint32_t i = 0; i < 6; i++) {
        heal(&g, i % PLAYERS);
        run(&g, KN_MS(700));
    }
    assert_int_equal(g.answers, 6);
    size_t size;
    const void *bytes = kn_recording_bytes(g.recording, &size);

    kn_world *other;
    kn_world_def def = kn_world_def_default();
    def.library = g.kit.library;
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    kn_replay_report report;
    kn_error error;
    assert_int_equal(kn_replay(other, bytes, size, &report, &error), KN_OK);
    assert_false(report.diverged);
    assert_int_equal(report.commands, 6);
    assert_int_equal(report.steps, kn_server_tick(g.server));
    assert_int_equal(kn_world_hash(other), kn_world_hash(g.world));
    assert_true(kn_attribute_value(other, g.heroes[0], g.kit.health) > 1000.0f);
    kn_world_destroy(other);
    game_end(&g);
}

static void commands_that_come_late_are_played_again_as_well(void **state)
{
    (void)state;
    game g;
    game_begin(&g);
    run(&g, KN_S(2));
    kn_net_conditions slow = {.latency = KN_MS(200)};
    assert_int_equal(kn_net_sim_set_all(g.net, &slow), KN_OK);
    for (uint32_t i = 0; i < 4; i++) {
        heal(&g, 0); // each as soon as its client thinks that it can
        run(&g, KN_MS(2050));
        slow.latency += KN_MS(150);
        assert_int_equal(kn_net_sim_set_all(g.net, &slow), KN_OK);
    }
    assert_true(kn_server_get_stats(g.server, 1).commands_late > 0);
    size_t size;
    const void *bytes = kn_recording_bytes(g.recording, &size);
    kn_world *other;
    kn_world_def def = kn_world_def_default();
    def.library = g.kit.library;
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    kn_replay_report report;
    assert_int_equal(kn_replay(other, bytes, size, &report, NULL), KN_OK);
    assert_false(report.diverged);
    assert_true(report.commands > 4); // and the tolerances that the late ones were given
    assert_int_equal(kn_world_hash(other), kn_world_hash(g.world));
    kn_world_destroy(other);
    game_end(&g);
}

static void commands_of_a_player_at_the_server_are_recorded_too(void **state)
{
    (void)state;
    game g;
    game_begin(&g);
    uint32_t local, sequence;
    assert_int_equal(kn_server_open_local(g.server, 0, 0, &local), KN_OK);
    assert_int_equal(local, PLAYERS + 1);
    run(&g, KN_S(1));
    kn_command_activate activate = {.type = g.kit.heal};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = g.local,
        .payload = &activate,
        .size = sizeof(activate)};
    assert_int_equal(kn_server_command(g.server, local, &command, &sequence, NULL), KN_OK);
    run(&g, KN_S(1));
    assert_true(kn_attribute_value(g.world, g.local, g.kit.health) > 1000.0f);
    size_t size;
    const void *bytes = kn_recording_bytes(g.recording, &size);

    kn_world *other;
    kn_world_def def = kn_world_def_default();
    def.library = g.kit.library;
    def.connection = local; // the world of the server got it as well
    assert_int_equal(kn_world_create(&def, &other), KN_OK);
    kn_replay_report report;
    assert_int_equal(kn_replay(other, bytes, size, &report, NULL), KN_OK);
    assert_false(report.diverged);
    assert_int_equal(report.commands, 1);
    assert_int_equal(kn_world_hash(other), kn_world_hash(g.world));
    kn_world_destroy(other);
    game_end(&g);
}

static void a_recording_without_memory_ends_the_update_and_leaves_the_world(void **state)
{
    (void)state;
    game g;
    game_begin(&g);
    run(&g, KN_S(1));
    uint64_t tick = kn_server_tick(g.server);
    uint64_t hash = kn_world_hash(g.world);
    g.purse.left = 0; // the recording grows with every tick
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < 100000 && result == KN_OK; i++) {
        hash = kn_world_hash(g.world);
        tick = kn_server_tick(g.server);
        g.now += FRAME;
        result = server_turn(&g);
    }
    assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
    assert_int_equal(kn_world_hash(g.world), hash);
    assert_false(kn_world_is_broken(g.world));
    g.purse.left = UINT32_MAX;
    run(&g, KN_S(1));
    assert_true(kn_server_tick(g.server) > tick);
    game_end(&g);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_players_did_is_played_again_bit_for_bit),
    cmocka_unit_test(commands_that_come_late_are_played_again_as_well),
    cmocka_unit_test(commands_of_a_player_at_the_server_are_recorded_too),
    cmocka_unit_test(a_recording_without_memory_ends_the_update_and_leaves_the_world),
};

TEST_GROUP(session_recording, tests, NULL, NULL);
