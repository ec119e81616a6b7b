// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and its clients over a simulated network: what they send, and how long a tick takes.

#include "bench.h"

#include "knack/net.h"
#include "scenes/hero_kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PLAYERS 100
#define RATE 60
#define FRAME (KN_S(1) / RATE)
#define LATENCY KN_MS(50)
#define INPUT_ONE_IN RATE // frames between two inputs of a player, on average

typedef struct player {
    kn_client *client;
    kn_entity_id hero;
    uint32_t connection;
    uint32_t held; // a bit for each input that is pressed
    kn_grid *grid;
} player;

typedef struct match {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    uint64_t random;
    bool is_quiet; // no hero kit, no inputs
    player players[PLAYERS];
    double server_ns, client_ns;
} match;

static kn_grid *grid_make(kn_world *world)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    def.cell_size = 300.0f;
    kn_grid *grid;
    bench_check(kn_grid_create(&def, &grid), "kn_grid_create");
    kn_world_set_space(world, kn_grid_space(grid));
    return grid;
}

static void player_setup(void *user, kn_world *world)
{
    player *p = user;
    p->grid = grid_make(world);
}

#define DOTS 10

// Players with periodic effects and nothing else.
static void quiet_declare(scene_builder *builder)
{
    const kn_attribute_def health = scene_attribute("Health", 100000.0f);
    scene_set(builder, "Unit", &health, 1, NULL);
    for (uint32_t i = 0; i < DOTS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "Dot%u", i);
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
    for (uint32_t i = 0; i < DOTS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "Dot%u", i);
        scene_apply(stage, name, unit, unit, 1.0f);
    }
    return unit;
}

static match *match_begin(bool is_quiet)
{
    match *m = calloc(1, sizeof(*m));
    bench_check(m != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, "memory");
    kn_error error;
    m->is_quiet = is_quiet;
    bench_check(scene_create_library(
                    is_quiet ? &quiet_scene : scene_find("hero_kit"), NULL, &m->library, &error),
        error.message);
    bench_check(scene_create_empty_world(m->library, NULL, &m->world), "world");
    m->grid = is_quiet ? NULL : grid_make(m->world);
    m->random = 1;
    kn_server_def def = kn_server_def_default();
    def.world = m->world;
    def.rate = RATE;
    def.connection_limit = PLAYERS;
    bench_check(kn_server_create(&def, &m->server), "kn_server_create");
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    net.conditions.latency = LATENCY;
    bench_check(kn_net_sim_create(&net, &m->net), "kn_net_sim_create");
    for (uint32_t i = 0; i < PLAYERS; i++) {
        player *p = &m->players[i];
        kn_client_def client = kn_client_def_default();
        client.library = m->library;
        client.hello = &i;
        client.hello_size = sizeof(i);
        client.setup = is_quiet ? NULL : player_setup;
        client.user = p;
        bench_check(kn_client_create(&client, &p->client), "kn_client_create");
        bench_check(kn_server_open(m->server, 0, &p->connection), "kn_server_open");
    }
    return m;
}

static void match_end(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_destroy(m->players[i].client);
        kn_grid_destroy(m->players[i].grid);
    }
    kn_server_destroy(m->server);
    kn_world_destroy(m->world);
    kn_grid_destroy(m->grid);
    kn_library_destroy(m->library);
    kn_net_sim_destroy(m->net);
    free(m);
}

static void hero_add(match *m, const kn_server_event *event)
{
    uint32_t index;
    memcpy(&index, event->bytes, sizeof(index));
    scene_stage stage = {m->world, m->library, KN_OK};
    hero_side side = index % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
    kn_vec3 place = {side == HERO_SIDE_LEFT ? -300.0f : 300.0f, 60.0f * (float)index, 0.0f};
    m->players[index].hero =
        m->is_quiet ? quiet_add(&stage) : hero_kit_add_hero(&stage, side, place, false);
    bench_check(stage.result, "hero");
    bench_check(
        kn_entity_set_connection(m->world, m->players[index].hero, event->connection), "owner");
}

static void server_turn(match *m)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    double start = bench_now_ns();
    while (kn_net_sim_receive(m->net, m->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        bench_check(
            kn_server_receive(m->server, m->now, m->players[from - 1].connection, buffer, size),
            "kn_server_receive");
    }
    if (m->grid != NULL) {
        kn_grid_sync(m->grid);
    }
    bench_check(kn_server_update(m->server, m->now), "kn_server_update");
    kn_server_event event;
    while (kn_server_next_event(m->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            hero_add(m, &event);
        }
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        while (kn_server_write(m->server, m->now, m->players[i].connection, buffer, sizeof(buffer),
                   &size) == KN_OK) {
            bench_check(kn_net_sim_send(m->net, m->now, 0, i + 1, buffer, size), "send");
        }
    }
    m->server_ns += bench_now_ns() - start;
}

static void input_give(match *m, player *p)
{
    const kn_world *world = kn_client_world(p->client);
    if (world == NULL || !kn_entity_is_alive(world, p->hero) ||
        bench_random_below(&m->random, INPUT_ONE_IN) != 0) {
        return;
    }
    uint32_t input = HERO_INPUT_FIRE + bench_random_below(&m->random, 6);
    bool is_held = (p->held >> input & 1) != 0;
    kn_command_press press = {.input = input};
    kn_command_release release = {.input = input};
    kn_command command = {.type = is_held ? kn_command_type_release() : kn_command_type_press(),
        .entity = p->hero,
        .payload = is_held ? (const void *)&release : (const void *)&press,
        .size = is_held ? sizeof(release) : sizeof(press)};
    bench_check(kn_client_command(p->client, &command, NULL, NULL), "kn_client_command");
    p->held ^= 1u << input;
}

static void client_turn(match *m, uint32_t index, bool plays)
{
    player *p = &m->players[index];
    uint8_t buffer[2048];
    size_t size;
    if (plays) {
        input_give(m, p);
    }
    double start = bench_now_ns();
    while (kn_net_sim_receive(m->net, m->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        bench_check(kn_client_receive(p->client, m->now, buffer, size), "kn_client_receive");
    }
    if (p->grid != NULL) {
        kn_grid_sync(p->grid);
    }
    bench_check(kn_client_update(p->client, m->now), "kn_client_update");
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        bench_use((uint64_t)event.kind);
    }
    while (kn_client_write(p->client, m->now, buffer, sizeof(buffer), &size) == KN_OK) {
        bench_check(kn_net_sim_send(m->net, m->now, index + 1, 0, buffer, size), "send");
    }
    m->client_ns += bench_now_ns() - start;
}

static uint64_t sent_bytes(const match *m)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        bytes += kn_server_get_stats(m->server, m->players[i].connection).link.sent_bytes;
    }
    return bytes;
}

static void run(match *m, uint32_t frames, bool plays)
{
    for (uint32_t i = 0; i < frames; i++, m->now += FRAME) {
        server_turn(m);
        for (uint32_t j = 0; j < PLAYERS; j++) {
            client_turn(m, j, plays);
        }
    }
}

static void measure(bench_report *bench, bool is_quiet)
{
    const uint32_t frames = 4 * RATE;
    const bool plays = !is_quiet;
    match *m = match_begin(is_quiet);
    run(m, 3 * RATE, plays);
    uint64_t before = sent_bytes(m);
    m->server_ns = m->client_ns = 0;
    run(m, frames, plays);
    double seconds = (double)frames / RATE;
    bench_note(
        bench, "down_bytes_s", (double)(sent_bytes(m) - before) / PLAYERS / seconds, "bytes");
    bench_note(bench, "server_tick_ms", m->server_ns / frames * 1e-6, "ms");
    bench_note(bench, "client_tick_ms", m->client_ns / frames / PLAYERS * 1e-6, "ms");
    match_end(m);
}

void bench_net_100(bench_report *bench)
{
    measure(bench, false);
}

void bench_net_quiet(bench_report *bench)
{
    measure(bench, true);
}
