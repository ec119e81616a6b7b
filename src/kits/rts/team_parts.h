// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about teams and vision share. Players have numbers from 1 on, and bit n - 1 of a
// set of players stands for number n. State is plain data without padding; numbers of the state are
// checked whenever it is read from a save.
#ifndef KNACK_RTS_TEAM_PARTS_H
#define KNACK_RTS_TEAM_PARTS_H

#include "knack/rts_team.h"
#include "parts.h"

// State -----------------------------------------------------------------------

// Of a player: what was said about it. The sets name other players.
typedef struct team_player {
    uint32_t number1;
    uint32_t team;
    uint64_t allies, strangers, enemies; // stances of its own; none for others
    uint64_t shares, hides;              // vision, whatever the stance
} team_player;

// Of the world. The items are what follows for each player, by number.
typedef struct team_world {
    float reach; // no unit sees further
    uint32_t unused;
} team_world;

typedef struct team_item {
    kn_entity_id player; // null: the number is free
    uint64_t allies, enemies;
    uint64_t gives; // who sees what it sees, itself too
    uint64_t gets;  // whose vision it sees, its own too
} team_item;

// Of the world: all that have vision, in places that do not change. A run of the system looks at
// every n-th row of them.
typedef struct looker_list {
    float reach;    // furthest sight of this round
    uint32_t free1; // first place that is free; 0: none
} looker_list;

typedef struct looker_item {
    kn_entity_id unit; // null: the place is free
    uint32_t next1;    // of a free place: the next one
    uint32_t unused;
} looker_item;

typedef enum marks_flag {
    MARKS_STEALTHED = 1 << 0,
    MARKS_INVISIBLE = 1 << 1,
    MARKS_EARLY = 1 << 2,    // its next turn comes too early for all to have looked
    MARKS_DESERTED = 1 << 3, // its player is gone, and its orders do not know it yet
} marks_flag;
#define MARKS_HIDDEN (MARKS_STEALTHED | MARKS_INVISIBLE)

// Of what has vision: what clients see of it.
typedef struct unit_vision {
    uint64_t visible; // to which players
} unit_vision;

// The same with what the authority keeps besides. Looks mark what they find; a unit that has its
// turn is lost to those who have not marked it since its last turn, since everything looks once in
// between.
typedef struct unit_marks {
    uint64_t marked;  // by units of which players, since its last turn
    uint64_t seen;    // by units of which players
    uint64_t visible; // to which players, also by sharing
    uint32_t player1; // that it belongs to; 0: nobody
    uint32_t place;   // among all lookers
    uint32_t flags;   // marks_flag
    uint32_t unused;
} unit_marks;

// What a player remembers: items are kn_rts_ghost, by slot.
typedef struct player_ghosts {
    uint32_t unused;
} player_ghosts;

// What a client has published of players and units.
typedef struct team_known {
    uint32_t unused;
} team_known;

typedef struct known_item {
    kn_entity_id player;
    uint64_t allies, enemies, gives;
} known_item;

typedef struct unit_known {
    uint64_t visible; // to the players of the client
} unit_known;

// The kit of a library --------------------------------------------------------

typedef struct team_kit {
    const rts_kit *rts;
    kn_def_kind rules_kind;
    const kn_rts_team_rules_def *rules; // NULL: the library has no teams
    kn_component_type_id players, sides, lookers, vision, marks, ghosts, known, unit_known;
    kn_custom_event_id stance, sharing, sighted, lost, forgotten;
    kn_tags remembered;
    uint32_t buckets; // runs of the system between two looks of a unit
} team_kit;

#define BIT(number1) (UINT64_C(1) << ((number1)-1))

// The number of the lowest player of a set, which is not empty.
static inline uint32_t knc_rts_lowest(uint64_t set)
{
    uint32_t number1 = 1;
    for (uint32_t half = 32; half > 0; half /= 2) {
        if ((set & ((UINT64_C(1) << half) - 1)) == 0) {
            set >>= half;
            number1 += half;
        }
    }
    return number1;
}

// rts_team.c: rules, players and stances.
team_kit *knc_rts_team_kit_of(const kn_library *library);
// NULL in worlds without teams.
const team_kit *knc_rts_teams_of(const kn_world *world);
// What follows for all players, by number.
const team_item *knc_rts_sides(const kn_world *world, const team_kit *kit, uint32_t *count);
// The number of a player, or of the one that an entity belongs to; 0 for none.
uint32_t knc_rts_player1(const kn_world *world, const team_kit *kit, kn_entity_id player);
uint32_t knc_rts_player1_of(const kn_world *world, const team_kit *kit, kn_entity_id entity);
// The same, but the owner becomes a player if need be.
uint32_t knc_rts_player1_claim(kn_world *world, const team_kit *kit, kn_entity_id entity);
// All that lets a world change teams or vision.
kn_result knc_rts_team_may_change(const kn_world *world, kn_entity_id entity);

// rts_vision.c: what players see.
kn_result knc_rts_vision_register(kn_library *library, team_kit *kit, kn_error *error);
kn_result knc_rts_vision_expand(kn_library *library, team_kit *kit, kn_error *error);
// Whether somebody of a player, or with 0 of nobody, sees something that exists.
bool knc_rts_vision_sees(const kn_world *world, const team_kit *kit, uint32_t viewer1,
    kn_entity_id viewer, kn_entity_id other);
// Players share otherwise than before.
void knc_rts_vision_refresh(kn_world *world, const team_kit *kit);
// A player is gone. What follows for its units happens when they have their turns.
void knc_rts_vision_forget(kn_world *world, const team_kit *kit, uint32_t number1);
void knc_rts_vision_reown(kn_world *world, const team_kit *kit, kn_entity_id unit);
// The players of the connection of a client.
uint64_t knc_rts_local_players(const kn_world *world, const team_kit *kit, uint32_t connection);

// rts_vision_ghost.c: what players remember.
kn_result knc_rts_ghosts_register(kn_library *library, team_kit *kit, kn_error *error);
void knc_rts_ghost_add(
    kn_world *world, const team_kit *kit, kn_entity_id player, const kn_rts_ghost *ghost);
void knc_rts_ghost_remove(
    kn_world *world, const team_kit *kit, kn_entity_id player, kn_entity_id unit);
// Forgets what is not where a player sees the place.
void knc_rts_ghosts_check(kn_world *world, const team_kit *kit, kn_entity_id player);

// rts_team_client.c: what a client publishes of what it sees.
kn_result knc_rts_team_client_register(kn_library *library, team_kit *kit, kn_error *error);
kn_result knc_rts_team_client_expand(kn_library *library, team_kit *kit, kn_error *error);

// rts_team_script.c
kn_result knc_rts_team_functions_register(kn_library *library, team_kit *kit, kn_error *error);

#endif
