// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A player without a face: a client over UDP that presses what its entity can do, at random.
#ifndef NET_BOT_H
#define NET_BOT_H

#include "net_key.h"

#include "knack/net_sim.h"
#include "knack/session.h"

// What all bots share; it does not change while they run.
typedef struct bot_def {
    const kn_library *library;
    net_key key;
    kn_address server;
    kn_net_conditions conditions; // in each direction, between the transport and the session
    uint64_t seed;
    double actions; // each second, on average
    bool reconnects;
} bot_def;

typedef enum bot_state {
    BOT_WAITING, // until `next`
    BOT_CONNECTING,
    BOT_PLAYING,
    BOT_ENDED,
} bot_state;

typedef struct bot {
    const bot_def *def;
    uint32_t number, attempts;
    bot_state state;
    kn_time next; // BOT_WAITING: when it connects
    uint64_t random;
    kn_udp_socket *socket;
    kn_udp_client *udp;
    kn_client *client;
    kn_net_sim *net;
    kn_grid *grid;
    kn_entity_id held_by; // whose input is held
    uint32_t held;        // input; 0: none
    kn_time acted;
    bool was_joined; // since it connected last
    // Of all its connections.
    uint32_t joins, drops;
    char end[256];  // what the server said in the end
    char drop[256]; // why an attempt failed, or it was lost; the last time
    uint64_t commands, refused, up, down;
    uint64_t unsent; // datagrams without memory or room for them
    uint64_t corrections, corrected, resimulated, revoked;
    kn_time played; // microseconds
    kn_time joined_at;
} bot;

// Connects at `when`.
void bot_begin(bot *on, const bot_def *def, uint32_t number, kn_time when);
// Once per frame of the given length. `acts`: it presses something now and then; otherwise it lets
// go.
void bot_turn(bot *on, kn_time now, bool acts, kn_time frame);
// It vanishes without a word, as if its machine had lost power, and connects anew at `when`.
void bot_kill(bot *on, kn_time now, kn_time when);
// It leaves, if the network lets it.
void bot_end(bot *on, kn_time now);
bool bot_is_in(const bot *on); // in the game, with a world

#endif
