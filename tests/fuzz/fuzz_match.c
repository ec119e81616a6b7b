// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Honest clients on a network that does what the input says: it delays, loses, doubles and mixes up
// datagrams, players act, come and go, and the host of the server changes its world at will. After
// a quiet time every client has what it may see of the server's world, to the last byte.

#include "fuzz_input.h"

#include "net/session_kit.h"

#include "knack/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLIENTS 2
#define PEERS 16 // of the network
#define ENTITIES_MAX 24
#define FRAME KN_MS(10)
#define LOOK_BYTES 16384

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_match: %s\n", what);
        abort();
    }
}

typedef struct seat {
    kn_client *client;
    uint32_t connection;
    uint32_t peer; // of the network: a new one for each connection
    kn_entity_id hero;
} seat;

typedef struct match {
    session_kit kit;
    kn_ability_type_id summon;
    kn_world *world;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    uint32_t peer_count; // that were given out, with the server
    seat seats[CLIENTS];
    kn_entity_id things[ENTITIES_MAX]; // that the host created
    kn_sync_mode modes[ENTITIES_MAX];
} match;

// A library with a summoning ability ------------------------------------------

static kn_result summon(const kn_ability_call *call)
{
    const match *m = call->user;
    kn_entity_id made;
    kn_effect_id effect;
    kn_result result = kn_entity_count(call->world) < 2 * ENTITIES_MAX
                           ? kn_entity_create(call->world, &made)
                           : KN_REFUSED_LIMIT;
    if (result == KN_OK) {
        result = kn_attribute_set_add(call->world, made, m->kit.body, 0);
    }
    if (result == KN_OK) {
        result =
            kn_effect_apply_simple(call->world, m->kit.burning, call->owner, made, 1.0f, &effect);
    }
    (void)kn_activation_end(call->world, call->activation);
    return result;
}

static void kit_open(match *m)
{
    kn_library_def def = kn_library_def_default();
    must(kn_library_create(&def, &m->kit.library) == KN_OK, "no library");
    must(session_sets(&m->kit) && session_effects(&m->kit) && session_ability(&m->kit), "no kit");
    kn_ability_def ability = kn_ability_def_default();
    ability.name = "Summon";
    ability.activate = summon;
    ability.user = m;
    must(kn_ability_register(m->kit.library, &ability, &m->summon, NULL) == KN_OK, "no ability");
    must(kn_library_finish(m->kit.library, NULL) == KN_OK, "not finished");
}

// A match ---------------------------------------------------------------------

static void seat_join(match *m, uint32_t index)
{
    kn_client_def def = kn_client_def_default();
    def.library = m->kit.library;
    def.hello = &index;
    def.hello_size = sizeof(index);
    must(kn_client_create(&def, &m->seats[index].client) == KN_OK, "no client");
    must(kn_server_open(m->server, m->now, &m->seats[index].connection) == KN_OK, "no seat");
    m->seats[index].peer = m->peer_count++;
}

static void match_open(match *m)
{
    memset(m, 0, sizeof(*m));
    kit_open(m);
    kn_world_def world = kn_world_def_default();
    world.library = m->kit.library;
    must(kn_world_create(&world, &m->world) == KN_OK, "no world");
    kn_server_def server = kn_server_def_default();
    server.world = m->world;
    must(kn_server_create(&server, &m->server) == KN_OK, "no server");
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS;
    m->peer_count = 1;
    must(kn_net_sim_create(&net, &m->net) == KN_OK, "no network");
    for (uint32_t i = 0; i < CLIENTS; i++) {
        seat_join(m, i);
    }
}

static void match_close(match *m)
{
    for (uint32_t i = 0; i < CLIENTS; i++) {
        kn_client_destroy(m->seats[i].client);
    }
    kn_server_destroy(m->server);
    kn_world_destroy(m->world);
    kn_library_destroy(m->kit.library);
    kn_net_sim_destroy(m->net);
}

static void hero_give(match *m, uint32_t index, uint32_t connection)
{
    seat *s = &m->seats[index];
    if (!kn_entity_is_alive(m->world, s->hero)) {
        must(session_hero(&m->kit, m->world, connection, &s->hero), "no hero");
        kn_ability_grant_def grant = kn_ability_grant_def_default();
        grant.type = m->summon;
        must(kn_ability_grant(m->world, s->hero, &grant, NULL) == KN_OK, "no grant");
    }
    must(kn_entity_set_connection(m->world, s->hero, connection) == KN_OK, "not controlled");
}

static void server_turn(match *m)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(m->net, m->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        for (uint32_t i = 0; i < CLIENTS; i++) {
            if (m->seats[i].peer == from) {
                (void)kn_server_receive(m->server, m->now, m->seats[i].connection, buffer, size);
            }
        }
    }
    must(kn_server_update(m->server, m->now) == KN_OK, "no update");
    kn_server_event event;
    while (kn_server_next_event(m->server, &event)) {
        uint32_t index;
        if (event.kind == KN_SERVER_JOINED && event.size == sizeof(index)) {
            memcpy(&index, event.bytes, sizeof(index));
            hero_give(m, index, event.connection);
        }
        must(event.kind != KN_SERVER_LEFT || event.reason == KN_CLOSE_TIMEOUT ||
                 event.reason == KN_CLOSE_LEFT || event.reason == KN_CLOSE_HOST,
            "an honest client was thrown out");
    }
    for (uint32_t i = 0; i < CLIENTS; i++) {
        uint32_t connection = m->seats[i].connection;
        while (kn_server_write(m->server, m->now, connection, buffer, sizeof(buffer), &size) ==
               KN_OK) {
            must(kn_net_sim_send(m->net, m->now, 0, m->seats[i].peer, buffer, size) == KN_OK,
                "not sent");
        }
    }
}

static void seat_turn(match *m, uint32_t index)
{
    seat *s = &m->seats[index];
    uint8_t buffer[2048];
    size_t size;
    while (
        kn_net_sim_receive(m->net, m->now, s->peer, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_client_receive(s->client, m->now, buffer, size);
    }
    must(kn_client_update(s->client, m->now) == KN_OK, "no update of a client");
    kn_client_event event;
    while (kn_client_next_event(s->client, &event)) {
    }
    while (kn_client_write(s->client, m->now, buffer, sizeof(buffer), &size) == KN_OK) {
        must(kn_net_sim_send(m->net, m->now, s->peer, 0, buffer, size) == KN_OK, "not sent");
    }
}

static void run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        server_turn(m);
        for (uint32_t i = 0; i < CLIENTS; i++) {
            seat_turn(m, i);
        }
    }
}

// What the input does ---------------------------------------------------------

static void act_command(match *m, fuzz_input *input)
{
    seat *s = &m->seats[take_below(input, CLIENTS)];
    if (kn_client_world(s->client) == NULL) {
        return;
    }
    kn_command_activate activate = {.type = take_bool(input) ? m->summon : m->kit.heal};
    kn_command_release release = {.input = take_below(input, 3) + 1};
    bool is_release = take_rarely(input, 4);
    kn_command command = {
        .type = is_release ? kn_command_type_release() : kn_command_type_activate(),
        .entity = take_rarely(input, 8) ? m->things[0] : s->hero,
        .payload = is_release ? (const void *)&release : (const void *)&activate,
        .size = is_release ? sizeof(release) : sizeof(activate)};
    kn_result result = kn_client_command(s->client, &command, NULL, NULL);
    must(result == KN_OK || result == KN_REFUSED_LIMIT || result == KN_REFUSED_BLOCKED,
        "a command failed");
}

static kn_entity_id any_entity(const match *m, fuzz_input *input)
{
    uint32_t which = take_below(input, ENTITIES_MAX + CLIENTS);
    return which < ENTITIES_MAX ? m->things[which] : m->seats[which - ENTITIES_MAX].hero;
}

static void act_effect(match *m, fuzz_input *input)
{
    const kn_effect_type_id types[] = {m->kit.blessing, m->kit.burning, m->kit.healing};
    kn_effect_id effect;
    kn_entity_id source = any_entity(m, input), target = any_entity(m, input);
    (void)kn_effect_apply_simple(
        m->world, types[take_below(input, 3)], source, target, 1.0f, &effect);
}

static void act_remove(match *m, fuzz_input *input)
{
    kn_effect_id effect;
    kn_effect_query query = kn_effect_query_default();
    if (kn_effects_find(m->world, any_entity(m, input), &query, &effect, 1) > 0) {
        (void)kn_effect_remove(m->world, effect, 0, KN_REMOVED_DISPELLED);
    }
}

static void act_entity(match *m, fuzz_input *input)
{
    uint32_t which = take_below(input, ENTITIES_MAX);
    kn_entity_id *thing = &m->things[which];
    if (kn_entity_is_alive(m->world, *thing)) {
        (void)kn_entity_destroy(m->world, *thing);
        return;
    }
    must(session_hero(&m->kit, m->world, take_below(input, CLIENTS + 1), thing), "no thing");
    m->modes[which] = KN_SYNC_MODE_FULL;
}

static void act_change(match *m, fuzz_input *input)
{
    uint32_t which = take_below(input, ENTITIES_MAX);
    kn_entity_id thing = m->things[which];
    if (!kn_entity_is_alive(m->world, thing)) {
        return;
    }
    if (take_bool(input)) {
        (void)kn_attribute_set_base(m->world, thing, m->kit.mana, 0, (float)take_u8(input));
    } else {
        (void)kn_entity_set_connection(m->world, thing, take_below(input, CLIENTS + 1));
    }
}

static void act_network(match *m, fuzz_input *input)
{
    kn_net_conditions conditions = {
        .latency = KN_MS(1) * take_below(input, 150),
        .jitter = KN_MS(1) * take_below(input, 80),
        .loss = (float)take_below(input, 40) / 100.0f,
        .duplicate = (float)take_below(input, 20) / 100.0f,
    };
    must(kn_net_sim_set_all(m->net, &conditions) == KN_OK, "no such network");
}

static void act_rejoin(match *m, fuzz_input *input)
{
    uint32_t index = take_below(input, CLIENTS);
    seat *s = &m->seats[index];
    if (kn_client_world(s->client) == NULL || m->peer_count == PEERS) {
        return;
    }
    kn_client_destroy(s->client);
    (void)kn_server_close(m->server, s->connection, KN_CLOSE_HOST);
    if (kn_entity_is_alive(m->world, s->hero)) {
        (void)kn_entity_set_connection(m->world, s->hero, 0);
    }
    for (uint32_t i = 0; i < ENTITIES_MAX; i++) { // somebody else may get the number
        if (kn_entity_connection(m->world, m->things[i]) == s->connection) {
            (void)kn_entity_set_connection(m->world, m->things[i], 0);
        }
    }
    seat_join(m, index);
}

static void act(match *m, fuzz_input *input)
{
    typedef void act_fn(match * m, fuzz_input * input);
    static act_fn *const acts[] = {act_command, act_command, act_command, act_effect, act_effect,
        act_remove, act_entity, act_change, act_network, act_rejoin};
    acts[take_below(input, sizeof(acts) / sizeof(*acts))](m, input);
    run(m, FRAME * (1 + take_below(input, 12)));
}

// The end ---------------------------------------------------------------------

static size_t look(const kn_world *world, kn_entity_id entity, bool is_owner, uint8_t *buffer)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.viewer = is_owner ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
    if (!is_owner) {
        filter.parts &= ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS | 1u << KN_PART_WATCHES);
    }
    size_t size = 0;
    must(kn_projection_take(world, &entity, 1, &filter, buffer, LOOK_BYTES, &size) == KN_OK,
        "no projection");
    return size;
}

static void compare(const match *m, const seat *s)
{
    static uint8_t mine[LOOK_BYTES], theirs[LOOK_BYTES];
    const kn_world *world = kn_client_world(s->client);
    must(kn_entity_count(world) == kn_entity_count(m->world), "another number of entities");
    for (kn_entity_id id = kn_entity_next(m->world, (kn_entity_id){0}); id.index1 != 0;
         id = kn_entity_next(m->world, id)) {
        bool is_owner = kn_entity_connection(m->world, id) == s->connection;
        size_t size = look(m->world, id, is_owner, mine);
        must(size == look(world, id, is_owner, theirs) && memcmp(mine, theirs, size) == 0,
            "a client has another state");
    }
}

// Clients stand still until the server has come to their tick.
static void settle(match *m)
{
    const kn_net_conditions perfect = {0};
    must(kn_net_sim_set_all(m->net, &perfect) == KN_OK, "no perfect network");
    run(m, KN_S(4));
    uint32_t compared = 0;
    while (compared < CLIENTS) {
        uint64_t tick = kn_server_tick(m->server);
        for (uint32_t i = 0; i < CLIENTS; i++) {
            must(kn_client_closed(m->seats[i].client) == KN_CLOSE_NONE, "a client is closed");
            must(kn_client_world(m->seats[i].client) != NULL, "a client has nothing");
            if (kn_client_tick(m->seats[i].client) == tick) {
                compare(m, &m->seats[i]);
                compared++;
            }
        }
        while (kn_server_tick(m->server) == tick) {
            server_turn(m);
            m->now += FRAME;
        }
        must(tick < kn_client_tick(m->seats[0].client) + 1000, "a client is behind");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static match m;
    fuzz_input input = {data, size < 400 ? size : 400};
    match_open(&m);
    run(&m, KN_MS(300));
    while (input.size > 0) {
        act(&m, &input);
    }
    settle(&m);
    match_close(&m);
    return 0;
}
