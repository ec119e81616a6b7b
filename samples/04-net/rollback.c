// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The same duel without a server that decides: both machines simulate everything, a relay forwards
// what the players press, and whoever hears of it late goes back and simulates again.

#include "duel.h"

#include <stdio.h>

#define FRAME KN_MS(5)
#define RELAY 0 // peers of the network; player n is peer n

typedef struct duel {
    kn_library *library;
    kn_world *worlds[DUEL_PLAYERS];
    kn_rollback *players[DUEL_PLAYERS];
    kn_relay *relay;
    kn_net_sim *net;
    kn_time now;
} duel;

static const char *const names[DUEL_PLAYERS] = {"Ann", "Bob"};

static void line_print(const duel *d, const char *where, const char *text, const char *remark)
{
    printf("%6.3f s  %-8s  %-*s%s\n", (double)d->now / 1e6, where, remark[0] != 0 ? 26 : 0, text,
        remark);
}

// Both machines begin with the same world.
static void duel_begin(duel *d)
{
    d->library = duel_library();
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = DUEL_PLAYERS + 1;
    net.seed = 4;
    net.conditions.latency = KN_MS(37); // to the relay, each way
    net.conditions.loss = 0.1f;
    must(kn_net_sim_create(&net, &d->net), "network");
    kn_relay_def relay = kn_relay_def_default();
    relay.rate = DUEL_RATE;
    relay.player_count = DUEL_PLAYERS;
    must(kn_relay_create(&relay, &d->relay), "relay");
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        d->worlds[i] = duel_world(d->library);
        for (uint32_t player = 1; player <= DUEL_PLAYERS; player++) {
            duel_spawn(d->worlds[i], player);
        }
        kn_rollback_def def = kn_rollback_def_default();
        def.world = d->worlds[i];
        def.rate = DUEL_RATE;
        def.player_count = DUEL_PLAYERS;
        def.player = i + 1;
        must(kn_rollback_create(&def, &d->players[i]), "player");
        must(kn_rollback_open(d->players[i], 0, KN_ROLLBACK_RELAY), "line");
        must(kn_relay_open(d->relay, 0, i + 1), "line of the relay");
    }
}

static void duel_end(duel *d)
{
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        kn_rollback_destroy(d->players[i]);
        kn_world_destroy(d->worlds[i]);
    }
    kn_relay_destroy(d->relay);
    kn_net_sim_destroy(d->net);
    kn_library_destroy(d->library);
}

// The relay has no world: it only passes on what the players press.
static void relay_turn(duel *d)
{
    uint8_t buffer[1200];
    size_t size;
    uint32_t from;
    while (
        kn_net_sim_receive(d->net, d->now, RELAY, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_relay_receive(d->relay, d->now, from, buffer, size);
    }
    must(kn_relay_update(d->relay, d->now), "relay");
    for (uint32_t i = 1; i <= DUEL_PLAYERS; i++) {
        while (kn_relay_write(d->relay, d->now, i, buffer, sizeof(buffer), &size) == KN_OK) {
            must(kn_net_sim_send(d->net, d->now, RELAY, i, buffer, size), "send");
        }
    }
}

static void player_show(const duel *d, uint32_t index)
{
    kn_rollback *player = d->players[index];
    char where[32], text[64], remark[64];
    snprintf(where, sizeof(where), "%s sees", names[index]);
    kn_rollback_event event;
    while (kn_rollback_next_event(player, &event)) {
        bool is_news = event.kind == KN_ROLLBACK_HAPPENED || event.kind == KN_ROLLBACK_REVOKED;
        if (!is_news || !duel_describe(d->worlds[index], &event.event, names, text, sizeof(text))) {
            continue;
        }
        uint64_t ago = (kn_rollback_tick(player) - event.tick) * 1000 / DUEL_RATE;
        if (event.kind == KN_ROLLBACK_REVOKED) {
            snprintf(remark, sizeof(remark), "taken back: it did not happen");
        } else if (event.is_late) {
            snprintf(remark, sizeof(remark), "found out by going back %d ms", (int)ago);
        } else {
            snprintf(remark, sizeof(remark), "in time");
        }
        line_print(d, where, text, remark);
    }
}

static void player_turn(duel *d, uint32_t index)
{
    uint8_t buffer[1200];
    size_t size;
    kn_rollback *player = d->players[index];
    while (kn_net_sim_receive(d->net, d->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_rollback_receive(player, d->now, KN_ROLLBACK_RELAY, buffer, size);
    }
    must(kn_rollback_update(player, d->now), "player");
    player_show(d, index);
    while (kn_rollback_write(player, d->now, KN_ROLLBACK_RELAY, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        must(kn_net_sim_send(d->net, d->now, index + 1, RELAY, buffer, size), "send");
    }
}

static void play_until(duel *d, kn_time end)
{
    for (; d->now < end; d->now += FRAME) {
        relay_turn(d);
        for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
            player_turn(d, i);
        }
    }
}

static void press(duel *d, uint32_t index, uint32_t input)
{
    const kn_world *world = d->worlds[index];
    kn_command_press press = {
        .input = input, .event = {.target = duel_opponent(world, index + 1), .by_event = 1}};
    kn_command command = {.type = kn_command_type_press(),
        .entity = duel_fighter(world, index + 1),
        .payload = &press,
        .size = sizeof(press)};
    line_print(d, names[index], input == DUEL_STRIKE ? "presses strike" : "presses guard", "");
    must(kn_rollback_command(d->players[index], &command, NULL), "command");
}

// The states of both machines at one tick of which all commands are known.
static bool compare(duel *d)
{
    uint64_t hashes[DUEL_PLAYERS] = {0}, goal = kn_rollback_tick(d->players[0]) + DUEL_RATE;
    for (uint32_t turn = 0; turn < 1000; turn++, d->now += FRAME) {
        relay_turn(d);
        for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
            player_turn(d, i);
            if (kn_rollback_tick(d->players[i]) == goal) {
                hashes[i] = kn_world_hash(d->worlds[i]);
            }
        }
    }
    return hashes[0] != 0 && hashes[0] == hashes[1];
}

int show_rollback(void)
{
    duel d = {0};
    duel_begin(&d);
    printf("\nThe same without a server that decides, over a relay.\n\n");
    play_until(&d, KN_S(2));
    press(&d, 1, DUEL_GUARD);
    play_until(&d, d.now + KN_MS(50));
    press(&d, 0, DUEL_STRIKE); // Ann cannot know yet that Bob guards
    play_until(&d, KN_S(4));
    bool same = compare(&d);
    kn_rollback_stats stats = kn_rollback_get_stats(d.players[0]);
    printf("\nAnn and Bob have %s. Rollbacks on Ann's machine: %d.\n",
        same ? "the same state, to the last bit" : "DIFFERENT STATES", (int)stats.rollbacks);
    duel_end(&d);
    return same ? 0 : 1;
}
