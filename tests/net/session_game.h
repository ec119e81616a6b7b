// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A game over a simulated network, for tests of what a server does for its players: one server,
// some clients, and notes of everything that their hosts hear.
#ifndef SESSION_GAME_H
#define SESSION_GAME_H

#include "net_test.h"

#include "session_kit.h"

#include "knack/net.h"
#include "net/wire.h"

#define PEERS 8
#define FRAME KN_MS(5)
#define LINES_MAX KN_COMMAND_LINES_MAX

typedef struct peer {
    kn_client *client;
    uint32_t connection; // 0: the transport is closed
    kn_entity_id hero;
    bool is_stopped; // it does not run at all
    uint32_t joined, closed, answers, refused, happened, revoked, left, healed, failed, paused;
    uint32_t resumed;
    uint32_t removed, destroyed; // effects, entities
    kn_client_event answer;      // the last one
    kn_refusal_line lines[LINES_MAX];
    kn_event failure; // the last KN_EVENT_ABILITY_FAILED
    char closed_text[KN_CLOSE_TEXT_MAX];
    uint32_t messages;
    uint64_t bytes; // that the server sent
} peer;

typedef struct game {
    session_kit kit;
    kn_world *world;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    peer peers[PEERS];
    uint32_t joined, left, server_messages, strangers, expired, local_answers, local_lines;
    kn_server_event last_joined, last_left, last_expired, local_answer;
    char left_text[KN_CLOSE_TEXT_MAX];
    uint8_t hello[16]; // of the last one that joined
    bool adds_no_heroes;
    void *extra; // of a test
    purse purse;
} game;

// Creates a library with the kit and what a test adds to it.
typedef bool game_more_fn(game *g);

static inline void game_create(game *g, game_more_fn *more)
{
    g->purse.left = UINT32_MAX;
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &g->kit.library), KN_OK);
    assert_true(session_sets(&g->kit) && session_effects(&g->kit));
    assert_true(more == NULL || more(g));
    assert_true(g->kit.heal.index1 != 0 || session_ability(&g->kit));
    assert_int_equal(kn_library_finish(g->kit.library, NULL), KN_OK);
    kn_world_def world = kn_world_def_default();
    world.library = g->kit.library;
    assert_int_equal(kn_world_create(&world, &g->world), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS + 1;
    net.seed = 11;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
}

static inline void game_destroy(game *g)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        kn_client_destroy(g->peers[i].client);
    }
    kn_server_destroy(g->server);
    kn_world_destroy(g->world);
    kn_library_destroy(g->kit.library);
    kn_net_sim_destroy(g->net);
    assert_int_equal(g->purse.bytes, 0);
}

static inline kn_server_def game_server_def(const game *g)
{
    kn_server_def def = kn_server_def_default();
    def.world = g->world;
    return def;
}

static inline void game_begin(game *g, const kn_server_def *def)
{
    kn_server_def copy = def != NULL ? *def : game_server_def(g);
    assert_int_equal(kn_server_create(&copy, &g->server), KN_OK);
}

static inline void set_network(game *g, kn_time latency, float loss)
{
    kn_net_conditions conditions = {.latency = latency, .loss = loss};
    assert_int_equal(kn_net_sim_set_all(g->net, &conditions), KN_OK);
}

static inline kn_client_def game_client_def(const game *g)
{
    kn_client_def def = kn_client_def_default();
    def.library = g->kit.library;
    return def;
}

static inline peer *add_client(game *g, uint32_t index, const kn_client_def *def)
{
    peer *p = &g->peers[index];
    kn_client_def copy = def != NULL ? *def : game_client_def(g);
    assert_int_equal(kn_client_create(&copy, &p->client), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &p->connection), KN_OK);
    return p;
}

// Turns ---------------------------------------------------------------------

static inline peer *peer_of(game *g, uint32_t connection)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        if (g->peers[i].connection == connection && g->peers[i].client != NULL) {
            return &g->peers[i];
        }
    }
    return NULL;
}

static inline void server_events(game *g)
{
    kn_server_event event;
    while (kn_server_next_event(g->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            g->joined++;
            g->last_joined = event;
            memset(g->hello, 0, sizeof(g->hello));
            memcpy(g->hello, event.size > 0 ? event.bytes : "",
                event.size < sizeof(g->hello) ? event.size : 0);
            peer *p = peer_of(g, event.connection);
            if (p != NULL && !g->adds_no_heroes && !event.is_back && !event.is_spectator) {
                assert_true(session_hero(&g->kit, g->world, event.connection, &p->hero));
            }
        } else if (event.kind == KN_SERVER_LEFT) {
            g->left++;
            g->last_left = event;
            (void)snprintf(g->left_text, sizeof(g->left_text), "%s", event.text);
        } else if (event.kind == KN_SERVER_REFUSED) {
            g->strangers++;
            g->last_left = event;
            (void)snprintf(g->left_text, sizeof(g->left_text), "%s", event.text);
        } else if (event.kind == KN_SERVER_EXPIRED) {
            g->expired++;
            g->last_expired = event;
        } else if (event.kind == KN_SERVER_ANSWER) {
            g->local_answers++;
            g->local_answer = event;
            g->local_lines += event.line_count;
        } else if (event.kind == KN_SERVER_MESSAGE) {
            g->server_messages++;
        }
    }
}

static inline void server_write(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    for (uint32_t i = 0; i < PEERS; i++) {
        peer *p = &g->peers[i];
        while (p->connection != 0 && kn_server_write(g->server, g->now, p->connection, buffer,
                                         sizeof(buffer), &size) == KN_OK) {
            assert_true(size > 0);
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, i + 1, buffer, size), KN_OK);
            p->bytes += size;
        }
    }
}

static inline void server_turn(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(g->net, g->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(g->server, g->now, g->peers[from - 1].connection, buffer, size);
    }
    assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
    server_events(g);
    server_write(g);
}

static inline void happened_note(const game *g, peer *p, const kn_client_event *event)
{
    p->happened++;
    p->healed += event->event.type == KN_EVENT_ABILITY_COMMITTED &&
                 event->event.data.ability.type.index1 == g->kit.heal.index1;
    p->removed += event->event.type == KN_EVENT_EFFECT_REMOVED;
    p->destroyed += event->event.type == KN_EVENT_ENTITY_DESTROYED;
    if (event->event.type == KN_EVENT_ABILITY_FAILED) {
        p->failed++;
        p->failure = event->event;
    }
}

static inline void client_events(const game *g, peer *p)
{
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        p->joined += event.kind == KN_CLIENT_JOINED;
        p->closed += event.kind == KN_CLIENT_CLOSED;
        p->revoked += event.kind == KN_CLIENT_REVOKED;
        p->left += event.kind == KN_CLIENT_LEFT;
        p->messages += event.kind == KN_CLIENT_MESSAGE;
        p->paused += event.kind == KN_CLIENT_PAUSED;
        p->resumed += event.kind == KN_CLIENT_RESUMED;
        if (event.kind == KN_CLIENT_CLOSED) {
            (void)snprintf(p->closed_text, sizeof(p->closed_text), "%s", event.text);
        }
        if (event.kind == KN_CLIENT_HAPPENED) {
            happened_note(g, p, &event);
        } else if (event.kind == KN_CLIENT_ANSWER) {
            p->answers++;
            p->refused += event.result != KN_OK;
            p->answer = event;
            assert_true(event.line_count <= LINES_MAX);
            memset(p->lines, 0, sizeof(p->lines));
            if (event.line_count > 0) {
                memcpy(p->lines, event.lines, event.line_count * sizeof(kn_refusal_line));
            }
        }
    }
}

static inline void client_turn(game *g, uint32_t index)
{
    peer *p = &g->peers[index];
    uint8_t buffer[2048];
    size_t size;
    if (p->client == NULL || p->is_stopped) {
        return;
    }
    while (kn_net_sim_receive(g->net, g->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(p->client, g->now, buffer, size);
    }
    assert_int_equal(kn_client_update(p->client, g->now), KN_OK);
    client_events(g, p);
    while (kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_true(size > 0);
        assert_int_equal(kn_net_sim_send(g->net, g->now, index + 1, 0, buffer, size), KN_OK);
    }
}

static inline void run(game *g, kn_time time)
{
    for (kn_time end = g->now + time; g->now < end; g->now += FRAME) {
        server_turn(g);
        for (uint32_t i = 0; i < PEERS; i++) {
            client_turn(g, i);
        }
    }
}

// Acting and looking ---------------------------------------------------------

static inline kn_command heal_command(
    const game *g, kn_entity_id entity, kn_command_activate *payload)
{
    *payload = (kn_command_activate){.type = g->kit.heal};
    return (kn_command){.type = kn_command_type_activate(),
        .entity = entity,
        .payload = payload,
        .size = sizeof(*payload)};
}

static inline uint32_t command_heal(const game *g, const peer *p, kn_entity_id entity)
{
    kn_command_activate payload;
    kn_command command = heal_command(g, entity, &payload);
    uint32_t sequence;
    assert_int_equal(kn_client_command(p->client, &command, &sequence, NULL), KN_OK);
    return sequence;
}

static inline float value_at(const kn_world *world, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_value(world, entity, attribute);
}

static inline void set_value(
    const game *g, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(g->world, entity, attribute, 0, value), KN_OK);
}

static inline kn_effect_id afflict(const game *g, kn_entity_id target, kn_effect_type_id type)
{
    kn_effect_id effect;
    const kn_entity_id none = {0};
    assert_int_equal(kn_effect_apply_simple(g->world, type, none, target, 1.0f, &effect), KN_OK);
    return effect;
}

#endif
