// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One library, several servers with their clients on several threads: each match ends as it does
// alone. The thread sanitizer looks on in the preset "thread".

#include "net_test.h"

#include "session_kit.h"

#include "knack/net.h"

#include <pthread.h>

#define THREADS 4
#define FRAME KN_MS(10)
#define TURNS 400

typedef struct room {
    pthread_t thread;
    const session_kit *kit;
    uint64_t seed;
    kn_world *world;
    kn_server *server;
    kn_client *client;
    kn_net_sim *net;
    uint32_t connection;
    kn_entity_id hero;
    uint32_t answers;
    bool is_good;
    uint64_t hash;
} room;

static bool room_open(room *r)
{
    kn_world_def world = kn_world_def_default();
    world.library = r->kit->library;
    world.seed = r->seed;
    kn_server_def server = kn_server_def_default();
    kn_client_def client = kn_client_def_default();
    client.library = r->kit->library;
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = 2;
    net.seed = r->seed;
    net.conditions = (kn_net_conditions){.latency = KN_MS(40), .jitter = KN_MS(10), .loss = 0.05f};
    bool ok = kn_world_create(&world, &r->world) == KN_OK;
    server.world = r->world;
    return ok && kn_server_create(&server, &r->server) == KN_OK &&
           kn_client_create(&client, &r->client) == KN_OK &&
           kn_net_sim_create(&net, &r->net) == KN_OK &&
           kn_server_open(r->server, 0, &r->connection) == KN_OK;
}

static void room_close(room *r)
{
    kn_client_destroy(r->client);
    kn_server_destroy(r->server);
    kn_world_destroy(r->world);
    kn_net_sim_destroy(r->net);
}

static bool server_turn(room *r, kn_time now)
{
    uint8_t buffer[2048];
    size_t size;
    while (kn_net_sim_receive(r->net, now, 0, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(r->server, now, r->connection, buffer, size);
    }
    bool ok = kn_server_update(r->server, now) == KN_OK;
    kn_server_event event;
    while (kn_server_next_event(r->server, &event)) {
        ok = ok && event.kind == KN_SERVER_JOINED &&
             session_hero(r->kit, r->world, event.connection, &r->hero);
    }
    while (kn_server_write(r->server, now, r->connection, buffer, sizeof(buffer), &size) == KN_OK) {
        ok = ok && kn_net_sim_send(r->net, now, 0, 1, buffer, size) == KN_OK;
    }
    return ok;
}

static bool client_turn(room *r, kn_time now, uint32_t turn)
{
    uint8_t buffer[2048];
    size_t size;
    while (kn_net_sim_receive(r->net, now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_client_receive(r->client, now, buffer, size);
    }
    const kn_world *world = kn_client_world(r->client);
    if (turn % 20 == 0 && world != NULL && kn_entity_is_alive(world, r->hero)) {
        kn_command_activate heal = {.type = r->kit->heal};
        kn_command command = {.type = kn_command_type_activate(),
            .entity = r->hero,
            .payload = &heal,
            .size = sizeof(heal)};
        if (kn_client_command(r->client, &command, NULL, NULL) != KN_OK) {
            return false;
        }
    }
    bool ok = kn_client_update(r->client, now) == KN_OK;
    kn_client_event event;
    while (kn_client_next_event(r->client, &event)) {
        r->answers += event.kind == KN_CLIENT_ANSWER;
    }
    while (kn_client_write(r->client, now, buffer, sizeof(buffer), &size) == KN_OK) {
        ok = ok && kn_net_sim_send(r->net, now, 1, 0, buffer, size) == KN_OK;
    }
    return ok;
}

static void *room_play(void *user)
{
    room *r = user;
    r->is_good = room_open(r);
    for (uint32_t i = 0; i < TURNS && r->is_good; i++) {
        r->is_good = server_turn(r, FRAME * i) && client_turn(r, FRAME * i, i);
    }
    r->hash = r->is_good ? kn_world_hash(r->world) : 0;
    room_close(r);
    return NULL;
}

static void servers_on_several_threads_share_a_library(void **state)
{
    (void)state;
    session_kit kit;
    assert_true(session_kit_create(&kit, false));
    static room alone[THREADS], together[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        alone[i] = together[i] = (room){.kit = &kit, .seed = 3 + i};
        (void)room_play(&alone[i]);
        assert_true(alone[i].is_good);
        assert_true(alone[i].answers > 10);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&together[i].thread, NULL, room_play, &together[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(together[i].thread, NULL), 0);
        assert_true(together[i].is_good);
        assert_int_equal(together[i].hash, alone[i].hash);
        assert_int_equal(together[i].answers, alone[i].answers);
    }
    kn_library_destroy(kit.library);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(servers_on_several_threads_share_a_library),
};

TEST_GROUP(servers_on_threads, tests, NULL, NULL);
