// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about moving share. What an entity does is in one component that it keeps; how a
// mover does it is in another one, which is there while it moves. A list of those that move is kept
// by the world, so that nobody looks at entities at rest.
#ifndef KNACK_ORDER_MOVER_PARTS_H
#define KNACK_ORDER_MOVER_PARTS_H

#include "knack/mover.h"
#include "parts.h"

// State -----------------------------------------------------------------------

// A straight part of the way, at constant speed. The items of the component are the points of the
// way that are left, of which the leg leads to the one at `first`.
typedef struct moving_state {
    kn_time began;  // when it was at `from`
    kn_time ends;   // when it will be at `to`; infinite: it waits
    kn_time marked; // when it was at `mark`
    kn_timer_id timer;
    kn_vec3 from, to;
    kn_vec3 at;   // where the mover put it last
    kn_vec3 next; // where it will be after this run
    kn_vec3 mark; // it must get away from here, or it is stuck
    kn_vec3 aim;  // where its goal was when the way was made
    float speed;
    uint32_t ticket;
    uint32_t first;
    uint32_t flags;   // moving_flag
    uint32_t version; // of what is blocked, that the way was made or looked at for
    uint32_t unused;  // keeps the struct free of gaps
} moving_state;

typedef enum moving_flag {
    MOVING_PARTIAL = 1 << 0, // the way ends before the goal: there it is made anew
    MOVING_PUSHED = 1 << 1,  // others moved it in this run
} moving_flag;

// An entity that moves. It is out of date if the ticket is not that of its component.
typedef struct list_item {
    kn_entity_id entity;
    uint32_t ticket;
    kn_mover_id mover;
} list_item;

// The kit of a library --------------------------------------------------------

typedef struct mover_kit {
    kn_def_kind mover_kind, map_kind;
    kn_component_type_id moves, movings, list, bodies, blocks, cells;
    kn_custom_event_id asked, ended;
    kn_timer_type_id timer;
    struct map_plan *maps;
    uint32_t map_count;
    uint32_t word_count; // of all maps
    uint32_t shape;      // a hash of their sizes and places
    float radius_max;    // of all movers
} mover_kit;

// mover.c
mover_kit *knc_mover_kit_of(const kn_library *library);
const mover_kit *knc_mover_kit_of_world(const kn_world *world);
// Ends what an entity does. Nothing if it is at rest.
void knc_move_end(kn_world *world, kn_entity_id entity, kn_move_result result);
const kn_move_info *knc_move_read(const kn_world *world, kn_entity_id entity);
const kn_mover_def *knc_mover_of(const kn_world *world, kn_mover_id mover);

// mover_def.c
kn_result knc_mover_kinds_register(kn_library *library, mover_kit *kit, kn_error *error);

// mover_run.c
kn_result knc_mover_run_register(kn_library *library, mover_kit *kit, kn_error *error);
kn_result knc_mover_systems_register(kn_library *library, mover_kit *kit, kn_error *error);
// Where an entity is; false if it is nowhere.
bool knc_mover_position(const kn_world *world, kn_entity_id entity, kn_vec3 *position);
// Begins the movement that is written down for an entity: KN_MOVE_RUNNING, or how it ended.
kn_move_result knc_mover_begin(kn_world *world, kn_entity_id entity);
// Puts the body of an entity that moves where it is now, and forgets how it moved.
void knc_mover_end(kn_world *world, kn_entity_id entity);
// mover_push.c: how those around a unit push it until the next run; zero if nobody does.
kn_vec3 knc_mover_push(const kn_world *world, const mover_kit *kit, kn_entity_id entity,
    const kn_mover_def *def, const moving_state *m);

// Turns an entity to its goal.
void knc_mover_face(kn_world *world, kn_entity_id entity);

#endif
