// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A duel over a bad line: a server and two clients in one process, on a simulated network with a
// ping of 150 ms that loses every tenth datagram. Whoever strikes sees it at once; what was
// predicted wrong is taken back; in the end all three have the same.
//
// Then the same without a server that decides: a rollback session over a relay; rollback.c. With
// arguments it is a duel on terminals over UDP; play.c.

#include "duel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME KN_MS(5)
#define SERVER 0 // peers of the network; a client is peer 1 or 2, as its connection

typedef struct match {
    kn_library *library;
    kn_world *world;
    kn_server *server;
    kn_client *clients[DUEL_PLAYERS];
    kn_net_sim *net;
    kn_time now;
    bool is_shown; // lines are printed
} match;

static const char *const names[DUEL_PLAYERS] = {"Ann", "Bob"};

static void line_print(const match *m, const char *where, const char *text, const char *remark)
{
    if (m->is_shown && remark[0] != 0) {
        printf("%6.3f s  %-8s  %-24s  %s\n", (double)m->now / 1e6, where, text, remark);
    } else if (m->is_shown) {
        printf("%6.3f s  %-8s  %s\n", (double)m->now / 1e6, where, text);
    }
}

// The server ----------------------------------------------------------------

static void server_turn(match *m)
{
    uint8_t buffer[1200];
    size_t size;
    uint32_t from;
    while (
        kn_net_sim_receive(m->net, m->now, SERVER, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(m->server, m->now, from, buffer, size); // bad ones are counted
    }
    uint64_t tick = kn_server_tick(m->server);
    must(kn_server_update(m->server, m->now), "server");
    duel_follow(m->server, m->world, NULL);
    kn_events events = kn_world_events(m->world);
    for (uint32_t i = 0; kn_server_tick(m->server) > tick && i < events.count; i++) {
        char text[64];
        if (duel_describe(m->world, &events.data[i], names, text, sizeof(text))) {
            line_print(m, "server", text, "");
        }
    }
    for (uint32_t i = 1; i <= DUEL_PLAYERS; i++) {
        while (kn_server_write(m->server, m->now, i, buffer, sizeof(buffer), &size) == KN_OK) {
            must(kn_net_sim_send(m->net, m->now, SERVER, i, buffer, size), "send");
        }
    }
}

// A client ------------------------------------------------------------------

// Each thing is reported once, however often its tick is simulated again.
static void client_show(match *m, uint32_t index)
{
    kn_client *client = m->clients[index];
    char where[32], text[64], remark[64];
    snprintf(where, sizeof(where), "%s sees", names[index]);
    kn_client_event event;
    while (kn_client_next_event(client, &event)) {
        bool is_news = event.kind == KN_CLIENT_HAPPENED || event.kind == KN_CLIENT_REVOKED;
        if (!is_news ||
            !duel_describe(kn_client_world(client), &event.event, names, text, sizeof(text))) {
            continue;
        }
        uint64_t ago = (kn_client_tick(client) - event.tick) * 1000 / DUEL_RATE;
        if (event.kind == KN_CLIENT_REVOKED) {
            snprintf(remark, sizeof(remark), "taken back: it did not happen");
        } else if (event.is_late) {
            snprintf(remark, sizeof(remark), "learnt from the server, %d ms ago", (int)ago);
        } else {
            snprintf(remark, sizeof(remark), "at once, predicted");
        }
        line_print(m, where, text, remark);
    }
}

static void client_turn(match *m, uint32_t index)
{
    kn_client *client = m->clients[index];
    uint8_t buffer[1200];
    size_t size;
    while (kn_net_sim_receive(m->net, m->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(client, m->now, buffer, size);
    }
    must(kn_client_update(client, m->now), "client");
    client_show(m, index);
    while (kn_client_write(client, m->now, buffer, sizeof(buffer), &size) == KN_OK) {
        must(kn_net_sim_send(m->net, m->now, index + 1, SERVER, buffer, size), "send");
    }
}

// The match -----------------------------------------------------------------

static void match_begin(match *m)
{
    m->library = duel_library();
    m->world = duel_world(m->library);
    kn_server_def server = kn_server_def_default();
    server.world = m->world;
    server.rate = DUEL_RATE;
    must(kn_server_create(&server, &m->server), "server");
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = DUEL_PLAYERS + 1;
    net.seed = 4;
    net.conditions.latency = KN_MS(75); // each way
    net.conditions.loss = 0.1f;
    must(kn_net_sim_create(&net, &m->net), "network");
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = m->library;
        client.hello = names[i];
        client.hello_size = (uint32_t)strlen(names[i]);
        must(kn_client_create(&client, &m->clients[i]), "client");
        uint32_t connection;
        must(kn_server_open(m->server, 0, &connection), "connection");
    }
}

static void match_end(match *m)
{
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        kn_client_destroy(m->clients[i]);
    }
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    kn_world_destroy(m->world);
    kn_library_destroy(m->library);
}

static void play_until(match *m, kn_time end)
{
    for (; m->now < end; m->now += FRAME) {
        server_turn(m);
        for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
            client_turn(m, i);
        }
    }
}

static void press(match *m, uint32_t index, uint32_t input)
{
    line_print(m, names[index], input == DUEL_STRIKE ? "presses strike" : "presses guard", "");
    must(duel_press(m->clients[index], input), "press");
}

// What one player may see of all fighters, as bytes.
static bool has_same(const match *m, uint32_t index)
{
    const kn_world *seen = kn_client_world(m->clients[index]);
    for (uint32_t i = 1; i <= DUEL_PLAYERS; i++) {
        uint8_t bytes[8192];
        size_t size;
        kn_entity_id fighter = duel_fighter(m->world, i);
        kn_projection_filter filter = kn_projection_filter_default();
        filter.identity = KN_IDENTITY_PLACES;
        filter.viewer = i == index + 1 ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
        filter.parts &= i == index + 1 ? KN_PARTS_ALL : ~(1u << KN_PART_ABILITIES);
        must(kn_projection_take(m->world, &fighter, 1, &filter, bytes, sizeof(bytes), &size),
            "projection");
        if (!kn_projection_matches(seen, bytes, size)) {
            return false;
        }
    }
    return kn_entity_count(seen) == kn_entity_count(m->world);
}

// A client is ahead of the server: it waits until the server has come to its tick.
static bool compare(match *m, uint32_t index)
{
    while (kn_server_tick(m->server) < kn_client_tick(m->clients[index])) {
        m->now += FRAME;
        server_turn(m);
    }
    bool same =
        kn_server_tick(m->server) == kn_client_tick(m->clients[index]) && has_same(m, index);
    kn_client_stats stats = kn_client_get_stats(m->clients[index]);
    const kn_world *world = kn_client_world(m->clients[index]);
    printf(
        "%s has Ann %g, Bob %g: %s the server. %d corrections, %d of what was shown taken back.\n",
        names[index], (double)duel_health(world, duel_fighter(world, 1)),
        (double)duel_health(world, duel_fighter(world, 2)), same ? "the same as" : "UNLIKE",
        (int)stats.corrections, (int)stats.revoked);
    return same;
}

static int show_match(void)
{
    match m = {0};
    match_begin(&m);
    printf("Two players, ping 150 ms, 10 %% loss.\n\n");
    play_until(&m, KN_S(2)); // both have joined long before
    m.is_shown = true;
    press(&m, 0, DUEL_STRIKE); // Ann sees the blow at once, Bob when he hears of it
    play_until(&m, KN_S(4));
    printf("\n");
    press(&m, 1, DUEL_GUARD);
    play_until(&m, m.now + KN_MS(50));
    press(&m, 0, DUEL_STRIKE); // Ann cannot know yet that Bob guards
    play_until(&m, KN_S(8));
    printf("\n");
    play_until(&m, KN_S(10));
    bool same = true;
    for (uint32_t i = 0; i < DUEL_PLAYERS; i++) {
        same = compare(&m, i) && same;
    }
    match_end(&m);
    return same ? 0 : 1;
}

int main(int count, char **words)
{
    if (count == 3 && strcmp(words[1], "server") == 0) {
        return play_server((uint16_t)atoi(words[2]));
    }
    if (count == 5 && strcmp(words[1], "client") == 0) {
        return play_client(words[2], (uint16_t)atoi(words[3]), words[4]);
    }
    if (count > 1) {
        fprintf(stderr, "usage: %s [server PORT | client ADDRESS PORT NAME]\n", words[0]);
        return 2;
    }
    int result = show_match();
    return result == 0 ? show_rollback() : result;
}
