// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The duel: two fighters who strike and guard. These are the rules; both the server and the
/// clients have them, and nothing in them knows of a network.
#ifndef DUEL_H
#define DUEL_H

#include "knack/net.h"

#define DUEL_RATE 60 // ticks per second
#define DUEL_PLAYERS 2

/// Inputs of a fighter.
enum { DUEL_STRIKE = 1, DUEL_GUARD = 2 };

/// Prints what failed and ends the program, unless `result` is KN_OK.
void must(kn_result result, const char *what);

/// The library of the duel, ready to use.
kn_library *duel_library(void);
/// A world of it.
kn_world *duel_world(const kn_library *library);
/// A fighter for a player.
void duel_spawn(kn_world *world, uint32_t connection);
/// Removes the fighter of a player.
void duel_remove(kn_world *world, uint32_t connection);

/// The fighter of a player; null if there is none, or the world is NULL.
kn_entity_id duel_fighter(const kn_world *world, uint32_t connection);
/// The other one.
kn_entity_id duel_opponent(const kn_world *world, uint32_t connection);
float duel_health(const kn_world *world, kn_entity_id fighter);
/// Presses an input of the player's fighter, against the other one.
kn_result duel_press(kn_client *client, uint32_t input);

/// If an event is for the eyes of players, writes what happened as words and returns true:
/// "Ann's health 100 -> 80", "Bob guards".
bool duel_describe(const kn_world *world, const kn_event *event,
    const char *const names[DUEL_PLAYERS], char *text, size_t size);

/// Lets players in and out: call it after each kn_server_update().
void duel_follow(kn_server *server, kn_world *world, void (*joined)(const kn_server_event *event));

/// The duel as a rollback session on a simulated network; rollback.c. Returns 0 if both machines
/// end with the same state.
int show_rollback(void);

/// `duel server PORT`, `duel client ADDRESS PORT NAME`: the duel on terminals; play.c.
int play_server(uint16_t port);
int play_client(const char *address, uint16_t port, const char *name);

#endif
