// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Moving about, a part of the order kit (knack/order.h): what units are to do with their bodies.
///
/// Trees, orders and rules ask for a movement, and hear how it ended:
///
///   kn_move move = kn_move_to_entity(foe, 2.0f);
///   uint32_t ticket;
///   kn_result result = kn_move_start(world, unit, &move, &ticket);
///
/// An engine carries it out: it sees the event `Knack.MoveAsked`, or reads kn_move_get_info(),
/// moves the unit by its own means, and calls kn_move_finish() with the ticket. A ticket that is
/// not the last one of the unit changes nothing.
///
/// Without an engine, on servers, in tests and samples, a mover does it. It moves bodies of the
/// grid (knack/space.h) of entities that have one of its definitions:
///
///   movers:
///     Walk: {speed: 4, rate: 20, tag: Unit.Soldier}
///
/// The mover writes positions at a rate of its own, so that the length of the host's steps does not
/// show in the result. In between it knows where a unit is to the microsecond: a unit arrives at
/// the exact time that its way takes. Units at rest cost nothing.
///
/// Distances use x and y, as those of orders do; z follows along the way.
///
/// All of it is state of the world, in components: snapshots, saves and hashes cover it. Movements
/// are the authority's: clients see what units are doing, and their calls are refused.
#ifndef KNACK_MOVER_H
#define KNACK_MOVER_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_mover_id)
KN_TYPE_ID(kn_map_id)

// Movements ---------------------------------------------------------------------------

/// What a unit does with its body.
typedef enum kn_move_kind {
    KN_MOVE_REST,       ///< nothing
    KN_MOVE_TO,         ///< it goes to a point or an entity
    KN_MOVE_FACE,       ///< it turns to a point or an entity
    KN_MOVE_KIND_COUNT, ///< number of the values above; not a value itself
} kn_move_kind;

/// How a movement ended.
typedef enum kn_move_result {
    KN_MOVE_RUNNING,      ///< it has not ended
    KN_MOVE_ARRIVED,      ///< the unit is within the range, or faces its goal
    KN_MOVE_STUCK,        ///< the unit did not get on for a while
    KN_MOVE_UNREACHABLE,  ///< no path leads there
    KN_MOVE_LOST,         ///< the entity that it was aimed at is gone
    KN_MOVE_STOPPED,      ///< it was stopped, or another movement replaced it
    KN_MOVE_RESULT_COUNT, ///< number of the values above; not a value itself
} kn_move_result;

/// A movement to ask for. Start from kn_move_default() or a function below it.
typedef struct kn_move {
    kn_entity_id target; ///< the entity to go to; it is followed; null: `location` counts
    kn_vec3 location;    ///< the point to go to
    float range;         ///< how near is near enough, 0 or more; default 0
} kn_move;

/// A movement to the origin.
KN_API kn_move kn_move_default(void);
/// A movement to a point.
KN_API kn_move kn_move_to_point(kn_vec3 location, float range);
/// A movement to an entity, which is followed if it moves.
KN_API kn_move kn_move_to_entity(kn_entity_id target, float range);

/// Lets an entity go somewhere. What it was doing before ends as stopped. An entity that is within
/// the range already has arrived when the call returns, if a mover moves it.
/// @param ticket receives the number of the movement; 0 on anything but KN_OK; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID, also for a target that is gone; KN_REFUSED_BLOCKED on a
///         client; KN_REFUSED_DYING; KN_REFUSED_BAD_NUMBER for a point that is not finite and a
///         range that is not finite or below 0; KN_REFUSED_NOT_FOUND if a mover is to move it, and
///         it or its target is nowhere; KN_ERROR_INVALID_ARGUMENT without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_move_start(
    kn_world *world, kn_entity_id entity, const kn_move *move, uint32_t *ticket);
/// Lets an entity turn to a point or an entity; the range does not matter. What it was doing before
/// ends as stopped. A mover turns it at once. Results as kn_move_start().
KN_API kn_result kn_move_face(
    kn_world *world, kn_entity_id entity, const kn_move *move, uint32_t *ticket);
/// Stops what an entity does.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it is at rest; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on
///         a client; KN_ERROR_INVALID_ARGUMENT without the kit; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_move_stop(kn_world *world, kn_entity_id entity);
/// Reports how a movement ended that the host carried out.
/// @param ticket from kn_move_start() or the event `Knack.MoveAsked`
/// @param result anything but running
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a ticket that is not, or no longer, that of a movement;
///         KN_ERROR_INVALID_ARGUMENT for another result; otherwise as kn_move_stop()
KN_API kn_result kn_move_finish(
    kn_world *world, kn_entity_id entity, uint32_t ticket, kn_move_result result);

/// What an entity does with its body now; also the payload of events.
typedef struct kn_move_info {
    kn_entity_id target;   ///< the entity it is aimed at; null: none, or it is at rest
    kn_vec3 location;      ///< the point it is aimed at; where the target was when it began
    float range;           ///< how near is near enough
    kn_mover_id mover;     ///< what moves it; null: the host
    kn_move_kind kind;     ///< what it does
    kn_move_result result; ///< running, or how the last movement ended
    uint32_t ticket;       ///< number of the movement, or of the last one
} kn_move_info;

/// Reads what an entity does; false, and all zero, if it never moved and has no mover.
KN_API bool kn_move_get_info(const kn_world *world, kn_entity_id entity, kn_move_info *info);

// Maps --------------------------------------------------------------------------------

/// Most cells of a map along each side.
#define KN_MAP_SIDE_MAX 1024

/// Where units can go and where they cannot, in squares of the x and y plane; in data files under
/// `maps`. Start from kn_map_def_default(). Everything outside of it is blocked. Units count as
/// points: block a margin around obstacles if they are wide.
typedef struct kn_map_def {
    const char *name; ///< unique name; required
    /// The cells: a line for each row, all of the same length, with `.` for a free cell and `#` for
    /// a blocked one; required. The first row is the one at `origin`, the next ones have a higher
    /// y. Blanks and empty lines around rows are ignored.
    const char *rows;
    float cell_size; ///< edge of a cell, above 0; default 1
    kn_vec3 origin;  ///< corner of the first cell of the first row, with the lowest x and y
    uint32_t cookie; ///< set by kn_map_def_default(); do not change it
} kn_map_def;

/// A def with cells of 1 at the origin, and without rows.
KN_API kn_map_def kn_map_def_default(void);
/// Registers a map.
/// @return as kn_order_type_register()
KN_API KN_MUST_USE kn_result kn_map_register(
    kn_library *library, const kn_map_def *def, kn_map_id *map, kn_error *error);
/// The map with this name; null when there is none.
KN_API kn_map_id kn_map_find(const kn_library *library, const char *name);
/// The def of a map as registered; it belongs to the library. NULL when unknown.
KN_API const kn_map_def *kn_map_get_def(const kn_library *library, kn_map_id map);

/// Blocks a rectangle of a map, such as the place of a building: all cells that it overlaps. It is
/// state of the world, and blocks until it is removed, or its entity is gone. Units on their way
/// look for another one if theirs is blocked now.
/// @param entity the entity that blocks; null: the world itself
/// @param min its corner with the lowest x and y
/// @param max its corner with the highest x and y
/// @param block receives its id, for kn_map_unblock(); null on anything but KN_OK; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_REFUSED_DYING;
///         KN_REFUSED_BAD_NUMBER for corners that are not finite or change places;
///         KN_ERROR_INVALID_ARGUMENT for an unknown map; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_map_block(kn_world *world, kn_entity_id entity, kn_map_id map, kn_vec3 min,
    kn_vec3 max, kn_component_id *block);
/// Removes a blocked rectangle. False for one that is gone, and on a client.
KN_API bool kn_map_unblock(kn_world *world, kn_component_id block);
/// True if the cell of a point is blocked, or outside of the map; also for an unknown map.
KN_API bool kn_map_is_blocked(const kn_world *world, kn_map_id map, kn_vec3 point);
/// True if a straight line touches only free cells. A line through the corner of a blocked cell
/// touches it.
KN_API bool kn_map_line_is_free(const kn_world *world, kn_map_id map, kn_vec3 from, kn_vec3 to);

// Paths -------------------------------------------------------------------------------

/// Most places where a path may turn that one search considers.
#define KN_PATH_NODES_MAX 4096
/// Cost of a step to the next cell along x or y.
#define KN_PATH_COST_STRAIGHT 1000
/// Cost of a step to the next cell along both.
#define KN_PATH_COST_DIAGONAL 1414

/// A way to look for. Start from kn_path_query_default().
typedef struct kn_path_query {
    kn_map_id map; ///< required
    kn_vec3 from;  ///< where it begins; in a blocked cell: at the nearest free one
    kn_vec3 to;    ///< where it leads
    float range;   ///< how near is near enough, 0 or more; default 0
    /// How far from a blocked cell the way may begin or end, 0 or more; default 8.
    float slack;
    /// Most places where the path may turn that are considered, 1 to 4096; default 2048. About
    /// 64 times as many cells are looked at, at most.
    uint32_t limit;
} kn_path_query;

/// A def with the defaults named above.
KN_API kn_path_query kn_path_query_default(void);

/// What a search found.
typedef enum kn_path_result {
    KN_PATH_FOUND,        ///< the way to the goal
    KN_PATH_PARTIAL,      ///< a part of the way; search again at its end
    KN_PATH_NONE,         ///< there is none
    KN_PATH_RESULT_COUNT, ///< number of the values above; not a value itself
} kn_path_result;

/// What a search found, and what it took.
typedef struct kn_path {
    kn_path_result result; ///< whether there is a way
    uint32_t count;        ///< number of its points, without the one where it begins
    /// Cost of the way from cell to cell, before it was smoothed; 0 for a straight line.
    uint32_t cost;
    uint32_t nodes; ///< places where the path may turn that were considered
    uint32_t cells; ///< cells that were looked at
} kn_path;

/// Looks for the shortest way from cell to cell, to any of the 8 next ones, and not across the
/// corners of blocked ones. Then points of it are left out, as long as the line between the others
/// is free. The answer depends on the state of the world and the query alone: costs are whole
/// numbers; of places with the same cost the one that is nearer to the goal comes first, then the
/// one that was found first.
///
/// If the cell of the goal is blocked, the way leads to the center of the free cell that is nearest
/// to it, if it is within `slack`. If the goal cannot be reached, it leads to the reachable cell
/// nearest to it, if that is within `range`, or within `slack` for a blocked goal. Of cells with
/// the same distance the one with the lower y counts, then the one with the lower x.
///
/// A search that comes to its limit gives a part of the way, to the place nearest to the goal that
/// it has seen, if that is nearer than where it begins.
/// @param points receives the points of the way, the last one where it ends; if there are more than
///               `capacity`, a part of the way
/// @param capacity at least 1
KN_API kn_path kn_path_find(
    const kn_world *world, const kn_path_query *query, kn_vec3 *points, uint32_t capacity);

// Movers ------------------------------------------------------------------------------

/// Most runs of a mover per second.
#define KN_MOVER_RATE_MAX 1000

/// How entities move without an engine, in data files under `movers`. Start from
/// kn_mover_def_default().
typedef struct kn_mover_def {
    const char *name; ///< unique name; required
    kn_tag tag;       ///< entities that gain this tag are moved by it; null: by call alone
    float speed;      ///< units per second, above 0; required unless it `stays`
    /// It turns but does not walk, like a tower: what is not in range already cannot be reached;
    /// default false.
    bool stays;
    /// An attribute that holds the speed of entities that have it; 0 or below: they wait. Changes
    /// take effect at the next run of the mover.
    kn_attribute_id speed_attribute;
    uint32_t rate; ///< how often per second positions are written, 1 to 1000; default 20
    kn_map_id map; ///< the map it looks for paths on; null: it goes in straight lines
    /// Limit of a search for a path, as in kn_path_query, 1 to 4096; default 2048.
    uint32_t search_limit;
    /// How far from a blocked goal a unit may stop, and from how far inside blocked cells it finds
    /// its way out, 0 or more; default 8.
    float slack;
    float radius; ///< how wide a unit is for those around it, 0 or more; default 0.5
    /// How fast units that overlap move apart while they move, 0 or more: the share of the overlap
    /// per second, but never faster than they walk. 0: they do not mind each other; default 0. Of
    /// others that are near, the first 16 by slot count; they are found by the space of the world.
    float separation;
    bool avoids_resting; ///< units at rest that have a mover count as well; default false
    kn_time stuck_after; ///< time without getting on until a unit is stuck; 0: never; default 2 s
    uint32_t cookie;     ///< set by kn_mover_def_default(); do not change it
} kn_mover_def;

/// A def with the defaults named above.
KN_API kn_mover_def kn_mover_def_default(void);
/// Registers a mover.
/// @return as kn_order_type_register()
KN_API KN_MUST_USE kn_result kn_mover_register(
    kn_library *library, const kn_mover_def *def, kn_mover_id *mover, kn_error *error);
/// The mover with this name; null when there is none.
KN_API kn_mover_id kn_mover_find(const kn_library *library, const char *name);
/// The def of a mover as registered; it belongs to the library. NULL when unknown.
KN_API const kn_mover_def *kn_mover_get_def(const kn_library *library, kn_mover_id mover);

/// Lets a mover move an entity from now on. What the entity was doing before ends as stopped.
/// @param mover null: the host moves it
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_REFUSED_DYING;
///         KN_ERROR_INVALID_ARGUMENT for an unknown mover; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_mover_set(kn_world *world, kn_entity_id entity, kn_mover_id mover);
/// What moves an entity; null: the host.
KN_API kn_mover_id kn_mover_get(const kn_world *world, kn_entity_id entity);

// Events ------------------------------------------------------------------------------

// The custom events `Knack.MoveAsked` (an entity is to move or turn) and `Knack.MoveEnded` have a
// kn_move_info as their payload, and the one that moves as their entity. That of `Knack.MoveEnded`
// says what was asked for, and how it ended.

#ifdef __cplusplus
}
#endif

#endif
