// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Who is where: the spatial questions that targeting, abilities and orders ask, and two ways to
/// answer them.
///
/// `kn_space` is a table of functions. A game with an engine fills it from its physics scene. A
/// game without one, a server, a test or a sample makes a `kn_grid`, which keeps bodies (position,
/// radius, facing, layers) as world state and answers from a uniform grid:
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
/// Questions change nothing that shows: ask them from rules, from observers, between steps. Answers
/// are part of the simulation, so they come in a fixed order and, from the grid, with the same bits
/// on every machine.
#ifndef KNACK_SPACE_H
#define KNACK_SPACE_H

#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Shapes --------------------------------------------------------------------

/// A ball. A radius of 0 is a point.
typedef struct kn_sphere {
    kn_vec3 center;
    float radius; ///< 0 or more
} kn_sphere;

/// A box. With `forward` and `up` both zero it lies along the axes; otherwise both must be given.
/// They need not be of length 1, and `up` need not be square to `forward`: it only must not be
/// parallel to it.
typedef struct kn_box {
    kn_vec3 center;
    kn_vec3 half; ///< half its size: x along forward, y along the side (up x forward), z along up
    kn_vec3 forward; ///< where its x axis points
    kn_vec3 up;      ///< where its z axis points, about
} kn_box;

/// The part of a ball around `origin` that lies within an angle of a direction. The angle is given
/// by its cosine, so that no machine has to compute one: 0.5 is a cone of 120 degrees from edge to
/// edge (60 to each side), 0 half a ball, -1 all of it, 1 a line.
typedef struct kn_cone {
    kn_vec3 origin;
    kn_vec3 direction;    ///< any length but 0
    float cos_half_angle; ///< -1 to 1
    float length;         ///< 0 or more
} kn_cone;

/// A ball that flies along a line, or with a radius of 0 a line.
typedef struct kn_ray {
    kn_vec3 origin;
    kn_vec3 direction; ///< any length but 0
    float length;      ///< how far, 0 or more
    float radius;      ///< 0 or more
} kn_ray;

/// What a ray met, or one of the nearest.
typedef struct kn_space_hit {
    kn_entity_id entity; ///< null for scenery that is no entity; a grid has none
    kn_vec3 point;       ///< a ray: where it touches; nearest: where the entity is
    kn_vec3 normal;      ///< of length 1, away from what was hit; zero if there is none
    float distance;      ///< a ray: how far its origin flew; nearest: from center to center
} kn_space_hit;

/// From where, and in which direction, an entity looks.
typedef struct kn_view_point {
    kn_vec3 origin;
    kn_vec3 direction; ///< of length 1, or zero if it looks nowhere
} kn_view_point;

// Filters -------------------------------------------------------------------

/// Says whether an entity counts. Must depend on the world and `user` only, and change nothing; it
/// may ask further questions. It may be called more than once for one entity.
typedef bool kn_space_accept_fn(void *user, const kn_world *world, kn_entity_id entity);

/// Who counts. Every part must agree. It is applied before results are cut to the caller's array.
typedef struct kn_space_filter {
    uint32_t layers;     ///< entities on any of these; default all
    kn_entity_id ignore; ///< not this one, such as who asks; default null: nobody is left out
    kn_entity_id only;   ///< no one but this one; default null: anybody
    const kn_tag_requirement *tags; ///< of the entity; default NULL. Must outlive the call
    kn_space_accept_fn *accept;     ///< default NULL: everybody
    void *user;
} kn_space_filter;

/// Lets everybody through.
KN_API kn_space_filter kn_space_filter_default(void);
/// True if all of the filter but its layers agrees, or if it is NULL. For those who implement a
/// kn_space: layers are known to them only.
KN_API bool kn_space_filter_passes(
    const kn_space_filter *filter, const kn_world *world, kn_entity_id entity);

// The interface -------------------------------------------------------------

/// Writes where an entity is; false, and nothing written, if it has no place.
typedef bool kn_space_position_fn(
    void *user, const kn_world *world, kn_entity_id entity, kn_vec3 *position);
/// Writes from where an entity looks; false, and nothing written, if it has no place.
typedef bool kn_space_view_fn(
    void *user, const kn_world *world, kn_entity_id entity, kn_view_point *view);
/// Write who touches the shape, lowest slots (`index1`) first; return how many there are, which may
/// be more than `capacity`. Shapes arrive checked: all numbers finite and in range, directions of
/// length 1, the axes of a box square to each other and never zero. `filter` may be NULL.
typedef uint32_t kn_space_sphere_fn(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
typedef uint32_t kn_space_box_fn(void *user, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
typedef uint32_t kn_space_cone_fn(void *user, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// Write the hits with the shortest distance; return how many there are, which may be more than
/// `capacity`.
typedef uint32_t kn_space_ray_fn(void *user, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);
/// Writes those of who touches the sphere with the shortest distance; returns how many it wrote.
typedef uint32_t kn_space_nearest_fn(void *user, const kn_world *world, const kn_sphere *sphere,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);

/// How the host answers. Zero it, then set what there is: a function that is missing answers
/// "nobody". Answers must depend on the state of the world only, or machines drift apart and a
/// rolled-back step goes another way.
typedef struct kn_space {
    void *user; ///< handed to every function
    kn_space_position_fn *position;
    kn_space_view_fn *view;
    kn_space_sphere_fn *sphere;
    kn_space_box_fn *box;
    kn_space_cone_fn *cone;
    kn_space_ray_fn *ray;
    kn_space_nearest_fn *nearest;
} kn_space;

// Questions -----------------------------------------------------------------
//
// All of them accept a NULL space and answer "nobody". `filter` may be NULL. `out` may be NULL if
// `capacity` is 0, to count. A shape with a NaN, an infinity, a negative size or a direction of
// length 0 touches nobody; to reach everybody, use a radius of FLT_MAX.
//
// What was written is in order, whatever the host did: overlaps by the slot of the entity
// (`index1`), rays and nearest by distance, equal distances by slot. The space decides which ones
// are written if there are more than `capacity`; a grid writes the first in that order.

/// Where an entity is. False, with *position zero, for a stale id or an entity without a place.
KN_API bool kn_space_position(
    const kn_space *space, const kn_world *world, kn_entity_id entity, kn_vec3 *position);
/// From where an entity looks: the start of traces. False, with *view zero, as above.
KN_API bool kn_space_view(
    const kn_space *space, const kn_world *world, kn_entity_id entity, kn_view_point *view);

/// Who touches a ball. Touching counts: two balls whose surfaces meet do.
/// @return how many there are; the first `capacity` are in `out`
KN_API uint32_t kn_space_sphere(const kn_space *space, const kn_world *world,
    const kn_sphere *sphere, const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// Who touches a box.
/// @return how many there are; the first `capacity` are in `out`
KN_API uint32_t kn_space_box(const kn_space *space, const kn_world *world, const kn_box *box,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);
/// Who touches a cone.
/// @return how many there are; the first `capacity` are in `out`
KN_API uint32_t kn_space_cone(const kn_space *space, const kn_world *world, const kn_cone *cone,
    const kn_space_filter *filter, kn_entity_id *out, uint32_t capacity);

/// Whom a ray or a flying ball meets, nearest first. Who is touched at the start already has
/// distance 0, the origin as point and the way back as normal. A capacity of 1 gives the first.
/// @return how many there are; the first `capacity` are in `out`
KN_API uint32_t kn_space_ray(const kn_space *space, const kn_world *world, const kn_ray *ray,
    const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);

/// The nearest of those who touch a ball, by the distance between its center and theirs.
/// @return how many were written, at most `capacity`: the search stops when it has enough
KN_API uint32_t kn_space_nearest(const kn_space *space, const kn_world *world,
    const kn_sphere *sphere, const kn_space_filter *filter, kn_space_hit *out, uint32_t capacity);

// The built-in grid ---------------------------------------------------------

/// Where an entity is and how large, for the grid: a ball. An extension component, so that
/// snapshots, saves, hashes and dumps cover it; it dies with its entity.
typedef struct kn_body {
    kn_vec3 position;
    float radius;    ///< 0 or more
    kn_vec3 facing;  ///< where it looks; any length; zero: nowhere. Default x
    uint32_t layers; ///< which it is on; 0 is found by no question. Default 1
} kn_body;

/// A point at the origin, on layer 1, that looks along x.
KN_API kn_body kn_body_default(void);

/// The name of the component type.
#define KN_GRID_BODY_NAME "Knack.Grid.Body"

/// Registers the component type; a second time changes nothing.
/// @param type  receives it; may be NULL
/// @param error may be NULL
/// @return KN_OK, or what kn_component_register() returns
KN_API KN_MUST_USE kn_result kn_grid_register(
    kn_library *library, kn_component_type_id *type, kn_error *error);

/// The index over the bodies of one world. It is derived from them and holds nothing of its own: a
/// world may have none, one or several, and gives the same answers.
///
/// It follows by itself whatever happens to the world. Restored snapshots, loaded saves, destroyed
/// entities, components added, asked for with kn_component_get() or removed: the next question
/// notices and answers from the world as it is. kn_grid_sync() only chooses the moment that work is
/// done. One thing escapes it: a pointer from kn_component_get() that is kept and written after the
/// next question. Use kn_grid_move(), and kn_grid_get_body() to read: they cost no look at anybody
/// else.
typedef struct kn_grid kn_grid;

/// The axis that points up. Cells are columns along it; the other two axes are cut into squares.
typedef enum kn_grid_up {
    KN_GRID_UP_X,
    KN_GRID_UP_Y,
    KN_GRID_UP_Z,
} kn_grid_up;

typedef struct kn_grid_def {
    kn_world *world;        ///< required; must outlive all use of the grid but kn_grid_destroy()
    float cell_size;        ///< above 0; best about the radius of the usual question. Default 8
    kn_grid_up up;          ///< default KN_GRID_UP_Z
    uint32_t body_capacity; ///< bodies to make room for at once, 150 bytes each; default 0
    kn_hooks hooks;         ///< memory of the grid; zero for the C library's
    uint32_t cookie;
} kn_grid_def;

KN_API kn_grid_def kn_grid_def_default(void);
/// Makes a grid over the bodies the world has, and will have.
/// @return KN_OK, KN_ERROR_OUT_OF_MEMORY, KN_ERROR_INVALID_ARGUMENT for a bad cell size or axis, or
///         a world whose library does not know the component (kn_grid_register())
KN_API KN_MUST_USE kn_result kn_grid_create(const kn_grid_def *def, kn_grid **grid);
/// NULL is fine. The bodies stay in the world.
KN_API void kn_grid_destroy(kn_grid *grid);

/// Gives an entity a body, or changes it.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a NaN, an infinity or a negative
///         radius; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN if the world has no room for it
KN_API kn_result kn_grid_set_body(kn_grid *grid, kn_entity_id entity, const kn_body *body);
/// Reads a body. False, with *body all zero, if there is none.
KN_API bool kn_grid_get_body(const kn_grid *grid, kn_entity_id entity, kn_body *body);
/// Moves a body. Never needs memory.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an entity without a body;
///         KN_REFUSED_BAD_NUMBER; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_grid_move(kn_grid *grid, kn_entity_id entity, kn_vec3 position);
/// Turns a body. Results as kn_grid_move().
KN_API kn_result kn_grid_turn(kn_grid *grid, kn_entity_id entity, kn_vec3 facing);
/// Takes the body away. False if there was none.
KN_API bool kn_grid_remove(kn_grid *grid, kn_entity_id entity);

/// Brings the index in step with the world now. Answers are right without it; call it once a step,
/// or after restoring, to keep that work out of the first question: nothing if the index is in
/// step, otherwise one look at every body. Dead bodies cost a check per result until then. Without
/// memory for the index, now or later, questions look at every body: slow, with the same answers.
KN_API void kn_grid_sync(kn_grid *grid);

/// The grid as a space, for the world it was made for. Valid as long as the grid. Questions use
/// memory of the grid, so ask from one thread at a time. A warm grid allocates nothing for them.
KN_API const kn_space *kn_grid_space(const kn_grid *grid);

#ifdef __cplusplus
}
#endif

#endif
