// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A match over a simulated network: a server and players of the hero kit, who press and release
// inputs at random. Shared by tests and benchmarks of sessions. Peer 0 of the network is the
// server, peer i + 1 player i.
#ifndef KNACK_SCENE_NET_MATCH_H
#define KNACK_SCENE_NET_MATCH_H

#include "hero_kit.h"

#include "knack/net.h"

#define NET_MATCH_DOTS 10 // periodic effects of a player in a quiet match

typedef struct net_match net_match;

typedef struct net_player {
    net_match *match;
    kn_client *client; // NULL: not there
    kn_entity_id hero;
    uint32_t connection;
    uint32_t held; // a bit for each input that is pressed
    uint64_t random;
    kn_grid *grid;
    kn_time shift; // of its clock from that of the match
    uint32_t answers, refused, happened, revoked, closed, left;
} net_player;

typedef struct net_match_def {
    uint32_t player_count;
    uint32_t seed;
    bool is_quiet;             // periodic effects and nothing else, instead of the hero kit
    kn_hooks hooks;            // memory of everything
    kn_net_conditions network; // in all directions
    uint32_t frames_per_input; // of a player, on average
    float spread;              // distance between the two sides
    kn_server_def server;      // without a world
    kn_client_def client;      // without a library, hello and setup
    // Hears every event of a client; may be NULL.
    void (*heard)(void *user, net_player *player, const kn_client_event *event);
    void *user;
} net_match_def;

struct net_match {
    net_match_def def;
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    net_player *players;
    uint32_t joined;
    kn_result result; // of the first call that failed
    const char *failed;
};

net_match_def net_match_def_default(void);
// A match whose players are about to join.
KN_MUST_USE kn_result net_match_create(const net_match_def *def, net_match **match);
void net_match_destroy(net_match *match);

// Lets a player whose client is gone join again, or takes the client away without a word.
void net_match_join(net_match *match, uint32_t player);
void net_match_drop(net_match *match, uint32_t player);

// One turn of the server: receives, updates, gives heroes to those who joined, and sends.
void net_match_server_turn(net_match *match);
// Presses or releases an input now and then; once it is over, releases what is held.
void net_match_play(net_match *match, uint32_t player, bool is_over);
// One turn of a player: receives, updates, counts events, and sends.
void net_match_client_turn(net_match *match, uint32_t player);
// Turns of everybody, `frame` apart.
void net_match_run(net_match *match, kn_time time, kn_time frame, bool plays);

// The bytes of what a player may see of an entity in a world, into a buffer; how many.
size_t net_match_look(const net_match *match, const kn_world *world, uint32_t player,
    kn_entity_id entity, uint8_t *buffer, size_t capacity);
// Whether the world of a player has what it may see of everything in the server's world. Both must
// be at the same tick.
bool net_match_is_same(const net_match *match, uint32_t player);
// Turns of the server alone until it has come to the tick of every player: a bit for each of the
// first 32 of them that had then what the server had.
uint32_t net_match_same(net_match *match, kn_time frame);

#endif
