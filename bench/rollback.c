// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Eight players of a rollback session over a simulated network with a round trip of 100 ms, in a
// mesh and around a relay: how long a tick of one takes with all that is simulated again, and what
// it sends.

#include "bench.h"

#include "knack/net.h"
#include "scenes/hero_kit.h"

#include <stdlib.h>
#include <string.h>

#define PLAYERS 8
#define RATE 60
#define FRAME (KN_S(1) / RATE)
#define LATENCY KN_MS(50)
#define INPUT_ONE_IN 15 // frames between two inputs of a player, on average

typedef struct player {
    kn_rollback *rollback;
    kn_world *world;
    kn_grid *grid;
    uint32_t held; // a bit for each input that is pressed
} player;

typedef struct match {
    kn_library *library;
    kn_relay *relay;
    kn_net_sim *net;
    kn_time now;
    uint64_t random;
    kn_entity_id heroes[PLAYERS + 1];
    player players[PLAYERS + 1]; // by number
    double ns;
} match;

static void world_make(match *m, player *p)
{
    bench_check(scene_create_empty_world(m->library, NULL, &p->world), "world");
    kn_grid_def def = kn_grid_def_default();
    def.world = p->world;
    def.cell_size = 300.0f;
    bench_check(kn_grid_create(&def, &p->grid), "kn_grid_create");
    kn_world_set_space(p->world, kn_grid_space(p->grid));
    for (uint32_t i = 1; i <= PLAYERS; i++) {
        scene_stage stage = {p->world, m->library, KN_OK};
        hero_side side = i % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
        kn_vec3 place = {side == HERO_SIDE_LEFT ? -100.0f : 100.0f, 60.0f * (float)i, 0.0f};
        m->heroes[i] = hero_kit_add_hero(&stage, side, place, false);
        bench_check(stage.result, "hero");
        bench_check(kn_entity_set_connection(p->world, m->heroes[i], i), "owner");
    }
}

static bool has_line(const match *m, uint32_t from, uint32_t to)
{
    return from != to && (m->relay != NULL ? to == 0 : to != 0);
}

static match *match_begin(bool has_relay)
{
    match *m = calloc(1, sizeof(*m));
    bench_check(m != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY, "memory");
    kn_error error;
    bench_check(
        scene_create_library(scene_find("hero_kit"), NULL, &m->library, &error), error.message);
    m->random = 1;
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    net.conditions.latency = has_relay ? LATENCY / 2 : LATENCY;
    bench_check(kn_net_sim_create(&net, &m->net), "kn_net_sim_create");
    if (has_relay) {
        kn_relay_def def = kn_relay_def_default();
        def.player_count = PLAYERS;
        bench_check(kn_relay_create(&def, &m->relay), "kn_relay_create");
    }
    for (uint32_t i = 1; i <= PLAYERS; i++) {
        player *p = &m->players[i];
        world_make(m, p);
        kn_rollback_def def = kn_rollback_def_default();
        def.world = p->world;
        def.player_count = PLAYERS;
        def.player = i;
        bench_check(kn_rollback_create(&def, &p->rollback), "kn_rollback_create");
        for (uint32_t to = 0; to <= PLAYERS; to++) {
            if (has_line(m, i, to)) {
                bench_check(kn_rollback_open(p->rollback, 0, to), "kn_rollback_open");
            }
        }
        if (has_relay) {
            bench_check(kn_relay_open(m->relay, 0, i), "kn_relay_open");
        }
    }
    return m;
}

static void match_end(match *m)
{
    for (uint32_t i = 1; i <= PLAYERS; i++) {
        kn_rollback_destroy(m->players[i].rollback);
        kn_world_destroy(m->players[i].world);
        kn_grid_destroy(m->players[i].grid);
    }
    kn_relay_destroy(m->relay);
    kn_library_destroy(m->library);
    kn_net_sim_destroy(m->net);
    free(m);
}

static void input_give(match *m, uint32_t number)
{
    player *p = &m->players[number];
    if (!kn_rollback_is_started(p->rollback) || bench_random_below(&m->random, INPUT_ONE_IN) != 0) {
        return;
    }
    uint32_t input = HERO_INPUT_FIRE + bench_random_below(&m->random, 6);
    bool is_held = (p->held >> input & 1) != 0;
    kn_command_press press = {.input = input};
    kn_command_release release = {.input = input};
    kn_command command = {.type = is_held ? kn_command_type_release() : kn_command_type_press(),
        .entity = m->heroes[number],
        .payload = is_held ? (const void *)&release : (const void *)&press,
        .size = is_held ? sizeof(release) : sizeof(press)};
    bench_check(kn_rollback_command(p->rollback, &command, NULL), "kn_rollback_command");
    p->held ^= 1u << input;
}

static void player_turn(match *m, uint32_t number)
{
    player *p = &m->players[number];
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    input_give(m, number);
    double start = bench_now_ns();
    while (
        kn_net_sim_receive(m->net, m->now, number, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        bench_check(kn_rollback_receive(p->rollback, m->now, from, buffer, size), "receive");
    }
    bench_check(kn_rollback_update(p->rollback, m->now), "kn_rollback_update");
    kn_rollback_event event;
    while (kn_rollback_next_event(p->rollback, &event)) {
        bench_use((uint64_t)event.kind);
    }
    for (uint32_t to = 0; to <= PLAYERS; to++) {
        while (has_line(m, number, to) &&
               kn_rollback_write(p->rollback, m->now, to, buffer, sizeof(buffer), &size) == KN_OK) {
            bench_check(kn_net_sim_send(m->net, m->now, number, to, buffer, size), "send");
        }
    }
    m->ns += bench_now_ns() - start;
}

static void relay_turn(match *m)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(m->net, m->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        bench_check(kn_relay_receive(m->relay, m->now, from, buffer, size), "kn_relay_receive");
    }
    bench_check(kn_relay_update(m->relay, m->now), "kn_relay_update");
    for (uint32_t to = 1; to <= PLAYERS; to++) {
        while (kn_relay_write(m->relay, m->now, to, buffer, sizeof(buffer), &size) == KN_OK) {
            bench_check(kn_net_sim_send(m->net, m->now, 0, to, buffer, size), "send");
        }
    }
}

static void run(match *m, uint32_t frames)
{
    for (uint32_t i = 0; i < frames; i++, m->now += FRAME) {
        if (m->relay != NULL) {
            relay_turn(m);
        }
        for (uint32_t j = 1; j <= PLAYERS; j++) {
            player_turn(m, j);
        }
    }
}

typedef struct tally {
    uint64_t bytes, resimulated, desyncs;
} tally;

static tally count(const match *m)
{
    tally t = {0};
    for (uint32_t i = 1; i <= PLAYERS; i++) {
        kn_rollback_stats stats = kn_rollback_get_stats(m->players[i].rollback);
        t.resimulated += stats.resimulated;
        t.desyncs += stats.desyncs;
        for (uint32_t to = 0; to <= PLAYERS; to++) {
            t.bytes += kn_rollback_get_link_stats(m->players[i].rollback, to).sent_bytes;
        }
    }
    return t;
}

static void measure(bench_report *bench, bool has_relay)
{
    const uint32_t frames = 10 * RATE;
    match *m = match_begin(has_relay);
    run(m, 3 * RATE);
    tally before = count(m);
    m->ns = 0;
    run(m, frames);
    tally after = count(m);
    bench_check(after.desyncs == 0 ? KN_OK : KN_ERROR_BAD_DATA, "the machines differ");
    double seconds = (double)frames / RATE, ticks = (double)frames * PLAYERS;
    double bytes = (double)(after.bytes - before.bytes) / PLAYERS / seconds;
    if (has_relay) {
        bench_note(bench, "relay_bytes_s", bytes, "bytes");
    } else {
        bench_note(bench, "tick_ms", m->ns / ticks * 1e-6, "ms");
        bench_note(bench, "again_per_tick",
            (double)(after.resimulated - before.resimulated) / ticks, "ticks");
        bench_note(bench, "mesh_bytes_s", bytes, "bytes");
    }
    match_end(m);
}

void bench_rollback_8(bench_report *bench)
{
    measure(bench, false);
    measure(bench, true);
}
