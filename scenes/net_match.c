// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A match over a simulated network.

#include "net_match.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATAGRAM_ROOM 2048
#define LOOK_ROOM 65536
#define INPUTS 6

static void note(net_match *match, kn_result result, const char *what)
{
    if (result != KN_OK && match->result == KN_OK) {
        match->result = result;
        match->failed = what;
    }
}

// Splitmix64.
static uint32_t draw(uint64_t *state, uint32_t bound)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ z >> 31) % bound);
}

// A quiet match -------------------------------------------------------------

static void dot_name(char *name, size_t size, uint32_t index)
{
    (void)snprintf(name, size, "Dot%u", index);
}

static void quiet_declare(scene_builder *builder)
{
    const kn_attribute_def health = scene_attribute("Health", 100000.0f);
    scene_set(builder, "Unit", &health, 1, NULL);
    for (uint32_t i = 0; i < NET_MATCH_DOTS; i++) {
        char name[16];
        dot_name(name, sizeof(name), i);
        kn_effect_def def = scene_effect_def(name, KN_DURATION_INFINITE, 0.0f);
        kn_modifier_def modifier = kn_modifier_def_default();
        modifier.attribute = scene_find_attribute(builder, "Unit.Health");
        modifier.magnitude = kn_magnitude_constant(-1.0f);
        def.modifiers = &modifier;
        def.modifier_count = 1;
        scene_every(&def, 0.5f + 0.1f * (float)i);
        scene_effect(builder, &def);
    }
}

static const scene_info quiet_scene = {"quiet", "periodic effects", quiet_declare, NULL, 0};

static kn_entity_id quiet_add(scene_stage *stage)
{
    kn_entity_id unit = scene_actor(stage, "Unit");
    for (uint32_t i = 0; i < NET_MATCH_DOTS; i++) {
        char name[16];
        dot_name(name, sizeof(name), i);
        scene_apply(stage, name, unit, unit, 1.0f);
    }
    return unit;
}

// The match -----------------------------------------------------------------

net_match_def net_match_def_default(void)
{
    return (net_match_def){
        .player_count = 2,
        .seed = 7,
        .frames_per_input = 40,
        .spread = 200.0f,
        .server = kn_server_def_default(),
        .client = kn_client_def_default(),
    };
}

static kn_grid *grid_make(net_match *match, kn_world *world)
{
    kn_grid_def def = kn_grid_def_default();
    def.hooks = match->def.hooks;
    def.world = world;
    def.cell_size = 300.0f;
    kn_grid *grid = NULL;
    note(match, kn_grid_create(&def, &grid), "kn_grid_create");
    if (grid != NULL) {
        kn_world_set_space(world, kn_grid_space(grid));
    }
    return grid;
}

static void player_setup(void *user, kn_world *world)
{
    net_player *player = user;
    player->grid = grid_make(player->match, world);
}

void net_match_join(net_match *match, uint32_t index)
{
    net_player *player = &match->players[index];
    kn_client_def client = match->def.client;
    client.hooks = match->def.hooks;
    client.library = match->library;
    client.hello = &index;
    client.hello_size = sizeof(index);
    client.setup = match->def.is_quiet ? NULL : player_setup;
    client.user = player;
    player->hero = (kn_entity_id){0};
    player->held = 0;
    note(match, kn_client_create(&client, &player->client), "kn_client_create");
    note(match, kn_server_open(match->server, match->now, &player->connection), "kn_server_open");
}

void net_match_drop(net_match *match, uint32_t index)
{
    net_player *player = &match->players[index];
    kn_client_destroy(player->client);
    kn_grid_destroy(player->grid);
    player->client = NULL;
    player->grid = NULL;
}

static void match_fill(net_match *match)
{
    const kn_hooks *hooks = &match->def.hooks;
    kn_error error;
    note(match,
        scene_create_library(match->def.is_quiet ? &quiet_scene : scene_find("hero_kit"), hooks,
            &match->library, &error),
        "library");
    if (match->result == KN_OK) {
        note(match, scene_create_empty_world(match->library, hooks, &match->world), "world");
    }
    if (match->result != KN_OK) {
        return;
    }
    match->grid = match->def.is_quiet ? NULL : grid_make(match, match->world);
    kn_server_def server = match->def.server;
    server.hooks = *hooks;
    server.world = match->world;
    note(match, kn_server_create(&server, &match->server), "kn_server_create");
    kn_net_sim_def net = kn_net_sim_def_default();
    net.hooks = *hooks;
    net.peer_count = match->def.player_count + 1;
    net.seed = match->def.seed;
    net.conditions = match->def.network;
    note(match, kn_net_sim_create(&net, &match->net), "kn_net_sim_create");
    for (uint32_t i = 0; i < match->def.player_count && match->result == KN_OK; i++) {
        match->players[i].match = match;
        match->players[i].random = (uint64_t)match->def.seed * 1000 + i;
        net_match_join(match, i);
    }
}

kn_result net_match_create(const net_match_def *def, net_match **out)
{
    net_match *match = calloc(1, sizeof(*match));
    net_player *players = calloc(def->player_count, sizeof(*players));
    *out = NULL;
    if (match == NULL || players == NULL) {
        free(match);
        free(players);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    match->def = *def;
    match->players = players;
    match_fill(match);
    kn_result result = match->result;
    if (result != KN_OK) {
        net_match_destroy(match);
        return result;
    }
    *out = match;
    return KN_OK;
}

void net_match_destroy(net_match *match)
{
    if (match == NULL) {
        return;
    }
    for (uint32_t i = 0; i < match->def.player_count; i++) {
        net_match_drop(match, i);
    }
    kn_server_destroy(match->server);
    kn_world_destroy(match->world);
    kn_grid_destroy(match->grid);
    kn_library_destroy(match->library);
    kn_net_sim_destroy(match->net);
    free(match->players);
    free(match);
}

// Turns ---------------------------------------------------------------------

// A hero, or what is in its place, for a player who joined.
static void hero_add(net_match *match, const kn_server_event *event)
{
    uint32_t index = UINT32_MAX;
    if (event->size == sizeof(index)) {
        memcpy(&index, event->bytes, sizeof(index));
    }
    if (index >= match->def.player_count) {
        note(match, KN_ERROR_BAD_DATA, "hello");
        return;
    }
    scene_stage stage = {match->world, match->library, KN_OK};
    hero_side side = index % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
    float x = match->def.spread / 2.0f * (side == HERO_SIDE_LEFT ? -1.0f : 1.0f);
    kn_vec3 place = {x, 60.0f * (float)index, 0.0f};
    kn_entity_id hero =
        match->def.is_quiet ? quiet_add(&stage) : hero_kit_add_hero(&stage, side, place, false);
    note(match, stage.result, "hero");
    note(match, kn_entity_set_connection(match->world, hero, event->connection), "owner");
    match->players[index].hero = hero;
    match->joined++;
}

// The hero of a player who left is destroyed, and what hangs on it.
static void hero_remove(net_match *match, uint32_t connection)
{
    kn_entity_id id = kn_entity_next(match->world, (kn_entity_id){0});
    while (id.index1 != 0 && match->result == KN_OK) {
        if (kn_entity_connection(match->world, id) == connection) {
            bool is_done = kn_entity_destroy(match->world, id);
            note(match, is_done ? KN_OK : KN_REFUSED_STALE_ID, "kn_entity_destroy");
            id = (kn_entity_id){0}; // others may have gone with it
        }
        id = kn_entity_next(match->world, id);
    }
}

static void server_receive(net_match *match)
{
    uint8_t buffer[DATAGRAM_ROOM];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(match->net, match->now, 0, &from, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        uint32_t connection = match->players[from - 1].connection;
        (void)kn_server_receive(match->server, match->now, connection, buffer, size);
    }
}

void net_match_server_turn(net_match *match)
{
    server_receive(match);
    if (match->grid != NULL) {
        kn_grid_sync(match->grid);
    }
    note(match, kn_server_update(match->server, match->now), "kn_server_update");
    kn_server_event event;
    while (kn_server_next_event(match->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            hero_add(match, &event);
        } else if (event.kind == KN_SERVER_LEFT) {
            hero_remove(match, event.connection);
        }
    }
    uint8_t buffer[DATAGRAM_ROOM];
    size_t size;
    for (uint32_t i = 0; i < match->def.player_count; i++) {
        while (kn_server_write(match->server, match->now, match->players[i].connection, buffer,
                   sizeof(buffer), &size) == KN_OK) {
            note(match, kn_net_sim_send(match->net, match->now, 0, i + 1, buffer, size), "send");
        }
    }
}

void net_match_play(net_match *match, uint32_t index, bool is_over)
{
    net_player *player = &match->players[index];
    const kn_world *world = player->client != NULL ? kn_client_world(player->client) : NULL;
    if (world == NULL || kn_client_closed(player->client) != KN_CLOSE_NONE ||
        !kn_entity_is_alive(world, player->hero) ||
        (is_over ? player->held == 0 : draw(&player->random, match->def.frames_per_input) != 0)) {
        return;
    }
    uint32_t input = HERO_INPUT_FIRE + draw(&player->random, INPUTS);
    while (is_over && (player->held >> input & 1) == 0) {
        input = HERO_INPUT_FIRE + draw(&player->random, INPUTS);
    }
    bool is_held = (player->held >> input & 1) != 0;
    kn_command_press press = {.input = input};
    kn_command_release release = {.input = input};
    kn_command command = {.type = is_held ? kn_command_type_release() : kn_command_type_press(),
        .entity = player->hero,
        .payload = is_held ? (const void *)&release : (const void *)&press,
        .size = is_held ? sizeof(release) : sizeof(press)};
    kn_result result = kn_client_command(player->client, &command, NULL, NULL);
    if (result == KN_OK) {
        player->held ^= 1u << input;
    } else if (result != KN_REFUSED_LIMIT) { // the line is dead: later, then
        note(match, result, "kn_client_command");
    }
}

static void event_count(net_player *player, const kn_client_event *event)
{
    player->answers += event->kind == KN_CLIENT_ANSWER;
    player->refused += event->kind == KN_CLIENT_ANSWER && event->result != KN_OK;
    player->happened += event->kind == KN_CLIENT_HAPPENED;
    player->revoked += event->kind == KN_CLIENT_REVOKED;
    player->closed += event->kind == KN_CLIENT_CLOSED;
    player->left += event->kind == KN_CLIENT_LEFT;
}

void net_match_client_turn(net_match *match, uint32_t index)
{
    net_player *player = &match->players[index];
    uint8_t buffer[DATAGRAM_ROOM];
    size_t size;
    kn_time now = match->now + player->shift;
    while (kn_net_sim_receive(
               match->net, match->now, index + 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        if (player->client != NULL) {
            (void)kn_client_receive(player->client, now, buffer, size);
        }
    }
    if (player->client == NULL) {
        return;
    }
    if (player->grid != NULL) {
        kn_grid_sync(player->grid);
    }
    note(match, kn_client_update(player->client, now), "kn_client_update");
    kn_client_event event;
    while (kn_client_next_event(player->client, &event)) {
        event_count(player, &event);
        if (match->def.heard != NULL) {
            match->def.heard(match->def.user, player, &event);
        }
    }
    while (kn_client_write(player->client, now, buffer, sizeof(buffer), &size) == KN_OK) {
        note(match, kn_net_sim_send(match->net, match->now, index + 1, 0, buffer, size), "send");
    }
}

void net_match_run(net_match *match, kn_time time, kn_time frame, bool plays)
{
    for (kn_time end = match->now + time; match->now < end; match->now += frame) {
        net_match_server_turn(match);
        for (uint32_t i = 0; i < match->def.player_count; i++) {
            net_match_play(match, i, !plays);
            net_match_client_turn(match, i);
        }
    }
}

// Comparing -----------------------------------------------------------------

size_t net_match_look(const net_match *match, const kn_world *world, uint32_t index,
    kn_entity_id entity, uint8_t *buffer, size_t capacity)
{
    bool is_owner = kn_entity_connection(match->world, entity) == match->players[index].connection;
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.viewer = is_owner ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
    if (!is_owner) {
        filter.parts &= ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS | 1u << KN_PART_WATCHES);
    }
    size_t size = 0;
    kn_result result = kn_projection_take(world, &entity, 1, &filter, buffer, capacity, &size);
    return result == KN_OK ? size : 0;
}

bool net_match_is_same(const net_match *match, uint32_t index)
{
    const kn_world *world = kn_client_world(match->players[index].client);
    uint8_t *first = malloc(LOOK_ROOM), *second = malloc(LOOK_ROOM);
    bool is_same = first != NULL && second != NULL && world != NULL &&
                   kn_world_now(match->world) == kn_world_now(world) &&
                   kn_entity_count(match->world) == kn_entity_count(world);
    for (kn_entity_id id = kn_entity_next(match->world, (kn_entity_id){0});
         id.index1 != 0 && is_same; id = kn_entity_next(match->world, id)) {
        size_t size = net_match_look(match, match->world, index, id, first, LOOK_ROOM);
        is_same = size != 0 && size == net_match_look(match, world, index, id, second, LOOK_ROOM) &&
                  memcmp(first, second, size) == 0;
    }
    free(first);
    free(second);
    return is_same;
}

uint32_t net_match_same(net_match *match, kn_time frame)
{
    uint32_t same = 0, waiting = 1;
    while (waiting > 0) {
        uint64_t tick = kn_server_tick(match->server);
        waiting = 0;
        for (uint32_t i = 0; i < match->def.player_count; i++) {
            if (match->players[i].client == NULL) {
                continue;
            }
            uint64_t at = kn_client_tick(match->players[i].client);
            same |= at == tick && net_match_is_same(match, i) ? 1u << i : 0;
            waiting += at > tick;
        }
        while (waiting > 0 && kn_server_tick(match->server) == tick) {
            net_match_server_turn(match);
            match->now += frame;
        }
    }
    return same;
}
