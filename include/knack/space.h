// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Space: the spatial queries that targeting, abilities and orders make, and two ways to answer
/// them.
///
/// `kn_space` is a table of functions. A game with an engine fills it from its physics scene. A
/// game without one, a server, a test or a sample creates a `kn_grid`, which keeps bodies
/// (position, radius, facing, layers) as world state and answers from a uniform grid:
///
///     kn_grid_register(library, NULL, &error);        // before kn_library_finish()
///     kn_grid_def def = kn_grid_def_default();
///     def.world = world;
///     kn_grid_create(&def, &grid);
///     kn_body body = kn_body_default();
///     body.position = (kn_vec3){3, 4, 0};
///     kn_grid_set_body(grid, wolf, &body);
///
///     kn_sphere blast = {{0, 0, 0}, 6};
///     kn_entity_id hit[16];
///     uint32_t count = kn_space_sphere(kn_grid_space(grid), world, &blast, NULL, hit, 16);
///
/// Queries have no observable side effects: make them from rules, from observers, between steps.
/// Answers are part of the simulation, so they come in a fixed order and, from the grid, with the
/// same bits on every machine.
#ifndef KNACK_SPACE_H
#define KNACK_SPACE_H

#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Shapes --------------------------------------------------------------------

/// A ball. A radius of 0 makes it a point.
typedef struct kn_sphere {
    kn_vec3 center; ///< center of the ball
    float radius;   ///< radius of the ball, 0 or more
} kn_sphere;

/// A box. With `forward` and `up` both zero it lies along the axes; otherwise both must be given.
/// They need not have length 1, and `up` need not be perpendicular to `forward`, only not parallel
/// to it.
typedef struct kn_box {
    kn_vec3 center; ///< center of the box
    kn_vec3 half;   ///< half its size: x along forward, y along the side (up x forward), z along up
    kn_vec3 forward; ///< direction of its x axis
    kn_vec3 up;      ///< approximate direction of its z axis
} kn_box;

/// The part of a ball around `origin` that lies within an angle of a direction. The angle is given
/// by its cosine, so that no machine has to compute one: 0.5 is a cone of 120 degrees from edge to
/// edge (60 to each side), 0 half a ball, -1 all of it, 1 a line.
typedef struct kn_cone {
    kn_vec3 origin;       ///< tip of the cone
    kn_vec3 direction;    ///< direction the cone opens to, of any length but 0
    float cos_half_angle; ///< cosine of the angle to each side, -1 to 1
    float length;         ///< radius of the ball the cone is cut from, 0 or more
} kn_cone;

/// A ball that moves along a line; a radius of 0 makes it a line.
typedef struct kn_ray {
    kn_vec3 origin;    ///< where the ray starts
    kn_vec3 direction; ///< direction the ray goes, of any length but 0
    float length;      ///< how far it goes, 0 or more
    float radius;      ///< radius of the ball, 0 or more
} kn_ray;

/// One result of a ray or of a search for the nearest.
typedef struct kn_space_hit {
    kn_entity_id entity; ///< null for scenery that is not an entity; a grid has none
    kn_vec3 point;       ///< ray: where it touches; nearest: where the entity is
    kn_vec3 normal;      ///< direction away from what was hit, of length 1; zero if there is none
    float distance;      ///< ray: how far its origin moved; nearest: from center to center
} kn_space_hit;

/// Where an entity looks from, and in which direction.
typedef struct kn_view_point {
    kn_vec3 origin;    ///< position of the eye
    kn_vec3 direction; ///< direction it looks in, of length 1; zero: none
} kn_view_point;

// Filters -------------------------------------------------------------------

/// Decides whether an entity counts. Must depend on the world and `user` only, and change nothing;
/// it may make further queries. It may be called more than once for one entity.
typedef bool kn_space_accept_fn(void *user, const kn_world *world, kn_entity_id entity);

/// Which entities count. Every part must agree. It is applied before results are cut to the
/// caller's array. Start from kn_space_filter_default().
typedef struct kn_space_filter {
    uint32_t layers;     ///< entities on any of these layers; default all
    kn_entity_id ignore; ///< an entity to leave out, such as the one that asks; default null: none
    kn_entity_id only;   ///< the only entity that counts; default null: any
    /// Tags the entity must meet; default NULL; must outlive the call.
    const kn_tag_requirement *tags;
    kn_space_accept_fn *accept; ///< decides last; default NULL: all are accepted
    void *user;                 ///< passed to `accept`
} kn_space_filter;

/// A filter that accepts every entity on every layer.
KN_API kn_space_filter kn_space_filter_default(void);
/// True if all of the filter but its layers accepts the entity, or if it is NULL. For implementers
/// of a kn_space: only they know the layers.
KN_API bool kn_space_filter_passes(
    const kn_space_filter *filter, const kn_world *world, kn_entity_id entity);

/// Collects hits and keeps the first `capacity` of them, by distance, then by the slot of the
/// entity. For implementers of a kn_space, whose rays and searches for the nearest are to be
/// answered in this order:
///
///     kn_space_hits hits = {out, capacity, 0, 0};
///     kn_space_hits_push(&hits, &hit); // for each
///     kn_space_hits_sort(&hits);
///     return hits.count;
typedef struct kn_space_hits {
    kn_space_hit *data; ///< the hits that were kept; may be NULL if the capacity is 0
    uint32_t capacity;  ///< most hits to keep
    uint32_t kept;      ///< number of hits that were kept
    uint32_t count;     ///< number of hits pushed
} kn_space_hits;

/// Adds a hit. Those that were kept are in no order until kn_space_hits_sort().
KN_API void kn_space_hits_push(kn_space_hits *hits, const kn_space_hit *hit);
/// Sorts the hits that were kept. No more can be pushed afterwards.
KN_API void kn_space_hits_sort(kn_space_hits *hits);

// The interface -------------------------------------------------------------

/// Writes where an entity is; false, and nothing written, if it has no position.
typedef bool kn_space_position_fn(
    void *user, const kn_world *world, kn_entity_id entity, kn_vec3 *position);
/// Writes where an entity looks from; false, and nothing written, if it has no position.
typedef bool kn_space_view_fn(
    void *user, const kn_world *world, kn_entity_id entity, kn_view_point *view);
/// Writes the entities that touch a ball, lowest slots (`index1`) first; returns how many there
/// are, which may be more than `capacity`. Shapes arrive checked: all numbers finite and in range,
/// directions of length 1, the axes of a box perpendicular and never zero. `filter` may be NULL.
typedef uint32_t kn_space_sphere_fn(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// Writes the entities that touch a box; otherwise as kn_space_sphere_fn.
typedef uint32_t kn_space_box_fn(void *user, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// Writes the entities that touch a cone; otherwise as kn_space_sphere_fn.
typedef uint32_t kn_space_cone_fn(void *user, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// Writes the hits of a ray with the shortest distance; returns how many there are, which may be
/// more than `capacity`. `filter` may be NULL.
typedef uint32_t kn_space_ray_fn(void *user, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);
/// Writes those that touch the ball with the shortest distance; returns how many it wrote. `filter`
/// may be NULL.
typedef uint32_t kn_space_nearest_fn(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);

/// Called at the end of every step, at its time: the place to keep what a later rewind() needs,
/// where the bodies are now. A rule: it may change components of the world and must
/// be deterministic. What it keeps decides what later commands do, so it belongs into components.
typedef void kn_space_keep_fn(void *user, kn_world *world);
/// Called before a command with a `view` in the past is carried out. From then on, until
/// kn_space_resume_fn is called, answer as of that time, as far back as the past is kept; but what
/// `connection` controls is where it is now, since its player sees it there. Must depend on the
/// state of the world and the arguments only, and change nothing of it.
typedef void kn_space_rewind_fn(
    void *user, const kn_world *world, kn_time view, uint32_t connection);
/// Called when the command, and the reactions to it, are done: answer as of the present again.
typedef void kn_space_resume_fn(void *user, const kn_world *world);

/// How the host answers queries. Zero it, then set what there is: a missing function finds nothing.
/// Answers must depend on the state of the world only, or machines drift apart and a rolled-back
/// step ends differently.
typedef struct kn_space {
    void *user;                     ///< passed to every function
    kn_space_position_fn *position; ///< says where an entity is; NULL: entities have no position
    kn_space_view_fn *view; ///< says where an entity looks from; NULL: entities have no view point
    kn_space_sphere_fn *sphere;   ///< finds what touches a ball; NULL: nothing does
    kn_space_box_fn *box;         ///< finds what touches a box; NULL: nothing does
    kn_space_cone_fn *cone;       ///< finds what touches a cone; NULL: nothing does
    kn_space_ray_fn *ray;         ///< finds what a ray hits; NULL: it hits nothing
    kn_space_nearest_fn *nearest; ///< finds what is nearest to a point; NULL: nothing is
    kn_space_keep_fn *keep;       ///< called at the end of each step; NULL: nothing is kept
    /// Shows the past while a command with a `view` is carried out, for lag compensation; NULL: all
    /// commands see the present. A kn_history (history.h) does this for a grid.
    kn_space_rewind_fn *rewind;
    kn_space_resume_fn *resume; ///< shows the present again; required with `rewind`
} kn_space;

// Queries -------------------------------------------------------------------
//
// With a NULL space they find nothing. `filter` may be NULL. `out` may be NULL if `capacity` is 0,
// to count. A shape with a NaN, an infinity, a negative size or a direction of length 0 touches
// nothing; to reach everything, use a radius of FLT_MAX.
//
// Results are sorted, whatever the host did: overlaps by the slot of the entity (`index1`), rays
// and nearest by distance, equal distances by slot. The space decides which ones are written if
// there are more than `capacity`; a grid writes the first in that order.

/// Where an entity is. False, and a zero position, for a stale id or an entity without a position.
KN_API bool kn_space_position(
    const kn_space *space, const kn_world *world, kn_entity_id entity, kn_vec3 *position);
/// Where an entity looks from: the start of traces. False, and all zero, for a stale id or an
/// entity without a position.
KN_API bool kn_space_view(
    const kn_space *space, const kn_world *world, kn_entity_id entity, kn_view_point *view);

/// The entities that touch a ball. Touching counts: two balls whose surfaces meet do. Returns how
/// many there are; at most `capacity` are written.
KN_API uint32_t kn_space_sphere(const kn_space *space, const kn_world *world,
    const kn_sphere *sphere, const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// The entities that touch a box. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_space_box(const kn_space *space, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// The entities that touch a cone. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_space_cone(const kn_space *space, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);

/// What a ray or a moving ball hits, nearest first. What it touches at the start already has
/// distance 0, the origin as its point and the way back as its normal. A capacity of 1 gives the
/// first hit. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_space_ray(const kn_space *space, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);

/// The entities nearest to the center of a ball, of those that touch it, by the distance between
/// the centers. Returns how many were written, at most `capacity`: the search stops when it has
/// enough.
KN_API uint32_t kn_space_nearest(const kn_space *space, const kn_world *world,
    const kn_sphere *sphere, const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);

// The built-in grid ---------------------------------------------------------

/// Where an entity is and how large, for the grid: a ball. An extension component, so that
/// snapshots, saves, hashes and dumps cover it; it is removed with its entity.
typedef struct kn_body {
    kn_vec3 position; ///< center of the ball
    float radius;     ///< radius of the ball, 0 or more
    kn_vec3 facing;   ///< direction it looks in, of any length; zero: none; default x
    uint32_t layers;  ///< layers it is on; with 0 no query finds it; default 1
} kn_body;

/// A point at the origin, on layer 1, that looks along x.
KN_API kn_body kn_body_default(void);

/// The name of the component type that holds bodies.
#define KN_GRID_BODY_NAME "Knack.Grid.Body"

/// Registers the component type that holds bodies; a second call finds it.
/// @param type receives it; may be NULL
/// @return KN_OK, or what kn_component_register() returns
KN_API KN_MUST_USE kn_result kn_grid_register(
    kn_library *library, kn_component_type_id *type, kn_error *error);

/// An index over the bodies of one world. It is derived from them and holds nothing of its own: a
/// world may have none, one or several, and gives the same answers.
///
/// It follows by itself whatever happens to the world. Restored snapshots, loaded saves, destroyed
/// entities, components added, read with kn_component_get() or removed: the next query notices and
/// answers from the world as it is. kn_grid_sync() only chooses when that work is done. One thing
/// escapes it: a pointer from kn_component_get() that is kept and written after the next query. Use
/// kn_grid_move(), and kn_grid_get_body() to read.
typedef struct kn_grid kn_grid;

/// The axis that points up. Cells are columns along it; the other two axes are cut into squares.
typedef enum kn_grid_up {
    KN_GRID_UP_X, ///< the x axis points up
    KN_GRID_UP_Y, ///< the y axis points up
    KN_GRID_UP_Z, ///< the z axis points up; the default
} kn_grid_up;

/// How to create a grid. Start from kn_grid_def_default().
typedef struct kn_grid_def {
    kn_world *world; ///< required; must outlive all use of the grid but kn_grid_destroy()
    /// Edge of a cell, above 0; best about the radius of the usual query; default 8.
    float cell_size;
    kn_grid_up up;          ///< the axis that points up; default KN_GRID_UP_Z
    uint32_t body_capacity; ///< bodies to reserve memory for, 150 bytes each; default 0
    kn_hooks hooks;         ///< memory of the grid; all-zero for malloc
    uint32_t cookie;        ///< set by kn_grid_def_default(); do not change it
} kn_grid_def;

/// A def with cells of 8 units, z up and no world.
KN_API kn_grid_def kn_grid_def_default(void);
/// Creates a grid over the bodies the world has, and will have. Destroy it with kn_grid_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, a bad cell size or
///         axis, or a world whose library does not have the component (kn_grid_register());
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_grid_create(const kn_grid_def *def, kn_grid **grid);
/// Destroys a grid. NULL is ignored. The bodies stay in the world.
KN_API void kn_grid_destroy(kn_grid *grid);

/// Gives an entity a body, or changes it.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a NaN, an infinity or a negative
///         radius; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_grid_set_body(kn_grid *grid, kn_entity_id entity, const kn_body *body);
/// Reads a body. False, and all zero, if there is none.
KN_API bool kn_grid_get_body(const kn_grid *grid, kn_entity_id entity, kn_body *body);
/// Moves a body. Never needs memory.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an entity without a body;
///         KN_REFUSED_BAD_NUMBER for a NaN or an infinity; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_grid_move(kn_grid *grid, kn_entity_id entity, kn_vec3 position);
/// Turns a body. Results as kn_grid_move().
KN_API kn_result kn_grid_turn(kn_grid *grid, kn_entity_id entity, kn_vec3 facing);
/// Removes the body of an entity. False if there was none.
KN_API bool kn_grid_remove(kn_grid *grid, kn_entity_id entity);

/// Brings the index up to date with the world now. Answers are right without it; call it once a
/// step, or after restoring, to keep that work out of the first query: a look at each body that was
/// added, read with kn_component_get() or removed since, and at every body after restoring or
/// loading. Without memory for the index, now or later, queries look at every body: slow, with the
/// same answers.
KN_API void kn_grid_sync(kn_grid *grid);

/// The grid as a space, for the world it was created for. Valid as long as the grid. Queries use
/// memory of the grid, so make them from one thread at a time. A warm grid allocates nothing for
/// them.
KN_API const kn_space *kn_grid_space(const kn_grid *grid);

#ifdef __cplusplus
}
#endif

#endif
