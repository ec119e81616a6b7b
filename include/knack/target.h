// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Targets: whom or what an ability is aimed at.
///
/// **Target data** is a list of typed records: entities, hits, locations, lines, and records of
/// your own, read with checked access. It travels in events, in results of tasks, in the context of
/// effects and their cues, and over the network.
///
/// **Targeting** finds it. A targeting type says where to look and whom to accept; a task of kind
/// KN_TASK_TARGET runs it until it is confirmed: at once, by the player, or by the ability. It
/// looks again on a clock of its own (kn_targeting_step()), so that aiming goes on while the
/// simulation stands still.
#ifndef KNACK_TARGET_H
#define KNACK_TARGET_H

#include "knack/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Target data ---------------------------------------------------------------

/// A record that names one entity.
typedef struct kn_target_entity {
    kn_entity_id entity;
} kn_target_entity;

/// One hit of a trace.
typedef struct kn_target_hit {
    kn_entity_id entity; ///< null: scenery
    kn_vec3 point;
    kn_vec3 normal;
    float distance;
    uint32_t part; ///< for the host: bone, surface
} kn_target_hit;

/// A place, and which way it faces.
typedef struct kn_target_location {
    kn_vec3 position;
    kn_vec3 direction; ///< zero: none
} kn_target_location;

/// From where to where.
typedef struct kn_target_line {
    kn_entity_id source; ///< whom it starts at; may be null
    kn_vec3 start;
    kn_vec3 direction;
    kn_vec3 end;
} kn_target_line;

/// The types every library has.
static inline kn_target_type_id kn_target_type_entity(void)
{
    kn_target_type_id type = {1};
    return type;
}
static inline kn_target_type_id kn_target_type_hit(void)
{
    kn_target_type_id type = {2};
    return type;
}
static inline kn_target_type_id kn_target_type_location(void)
{
    kn_target_type_id type = {3};
    return type;
}
static inline kn_target_type_id kn_target_type_line(void)
{
    kn_target_type_id type = {4};
    return type;
}

/// A type of record of your own. The fields must cover the struct, as those of a component do: they
/// are what is written to a message.
typedef struct kn_target_type_def {
    const char *name; ///< required, unique
    uint32_t size;    ///< 1 to 512
    const kn_field *fields;
    uint32_t field_count;
    uint32_t cookie;
} kn_target_type_def;

KN_API kn_target_type_def kn_target_type_def_default(void);
KN_API KN_MUST_USE kn_result kn_target_type_register(
    kn_library *library, const kn_target_type_def *def, kn_target_type_id *type, kn_error *error);
KN_API kn_target_type_id kn_target_type_find(const kn_library *library, const char *name);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_target_type_def *kn_target_type_get_def(
    const kn_library *library, kn_target_type_id type);

#define KN_TARGET_BYTES_MAX 4088

/// Records, held by value. `{0}` is empty.
typedef struct kn_target_data {
    uint32_t size;
    uint32_t count;
    uint64_t bytes[KN_TARGET_BYTES_MAX / 8];
} kn_target_data;

/// A view of records, as it comes in events and results.
typedef struct kn_target_view {
    const void *data;
    uint32_t size;
} kn_target_view;

static inline kn_target_view kn_target_data_view(const kn_target_data *data)
{
    kn_target_view view = {data->bytes, data->size};
    return view;
}

/// Adds a record. KN_REFUSED_LIMIT when there is no room; KN_ERROR_INVALID_ARGUMENT for an unknown
/// type.
KN_API kn_result kn_target_add(
    const kn_library *library, kn_target_data *data, kn_target_type_id type, const void *record);
KN_API uint32_t kn_target_count(kn_target_view view);
/// Null beyond the end.
KN_API kn_target_type_id kn_target_type_at(kn_target_view view, uint32_t index);
/// The record if it is of this type, else NULL; NULL beyond the end too.
KN_API const void *kn_target_get(kn_target_view view, uint32_t index, kn_target_type_id type);
/// The same for changing it.
KN_API void *kn_target_get_mutable(kn_target_data *data, uint32_t index, kn_target_type_id type);
/// Every entity the records name, each once, in order. Returns how many there are.
KN_API uint32_t kn_target_entities(kn_target_view view, kn_entity_id *out, uint32_t capacity);
/// The first place the records name: location, hit, or end of a line. False if there is none.
KN_API bool kn_target_position(kn_target_view view, kn_vec3 *position);
/// True if bytes from elsewhere are well-formed records of this library.
KN_API bool kn_target_is_valid(const kn_library *library, kn_target_view view);
/// Writes records in a form that is the same on every machine. Returns the size needed; writes
/// nothing if it does not fit.
KN_API uint32_t kn_target_write(
    const kn_library *library, kn_target_view view, void *buffer, uint32_t size);
/// Reads them back. KN_ERROR_BAD_DATA for anything malformed, with `data` empty.
KN_API KN_MUST_USE kn_result kn_target_read(
    const kn_library *library, const void *buffer, uint32_t size, kn_target_data *data);

// Of effects ----------------------------------------------------------------

/// The target data of the context an effect is applied with: for executions, calculations,
/// requirements and hooks. Empty if there is none. Valid during the call, until it creates
/// something.
KN_API kn_target_view kn_spec_view_targets(const kn_spec_view *spec);
/// The same of an active effect. Valid until the world changes.
KN_API kn_target_view kn_effect_targets(const kn_world *world, kn_effect_id effect);

// Targeting types -----------------------------------------------------------

typedef enum kn_target_shape {
    KN_SHAPE_SELF,   ///< who asks
    KN_SHAPE_RAY,    ///< the first things a ray meets, as hits
    KN_SHAPE_POINT,  ///< where a ray ends, as a location: ground under the cursor
    KN_SHAPE_SPHERE, ///< around a point at `offset`
    KN_SHAPE_CONE,
    KN_SHAPE_NEAREST, ///< the nearest within `radius`
    KN_SHAPE_EVENT,   ///< the data of the event that triggered the ability
    KN_SHAPE_CUSTOM,  ///< a function
    KN_SHAPE_COUNT,
} kn_target_shape;

/// When targets are final.
typedef enum kn_confirm {
    KN_CONFIRM_INSTANT,      ///< at once
    KN_CONFIRM_USER,         ///< by the confirm and cancel inputs, or kn_target_confirm()
    KN_CONFIRM_CUSTOM,       ///< by kn_target_confirm() only
    KN_CONFIRM_CUSTOM_MULTI, ///< the same, again and again
    KN_CONFIRM_COUNT,
} kn_confirm;

/// Who asks for targets.
typedef struct kn_targeting_call {
    const kn_world *world;
    void *user;
    kn_entity_id owner;
    kn_entity_id avatar;
    kn_activation_id activation; ///< null outside an ability
    kn_task_id task;             ///< null outside a task
} kn_targeting_call;

/// Where and how to look.
typedef struct kn_targeting_def {
    const char *name; ///< required, unique
    kn_target_shape shape;
    bool from_view;          ///< start at the avatar's view point, else at its position and facing
    kn_vec3 offset;          ///< of the start: x forward, in world axes otherwise
    float range;             ///< of rays and cones
    float radius;            ///< of spheres; thickness of rays
    float cosine;            ///< of a cone's half angle
    uint32_t limit;          ///< most targets; 0: as many as fit, at most 128
    uint32_t layers;         ///< default all
    bool includes_self;      ///< default false
    kn_tag_requirement tags; ///< of those accepted
    kn_space_accept_fn *accept; ///< and this; may be NULL
    uint32_t confirms;          ///< bit per kn_confirm that it supports; default all
    kn_time interval;           ///< between two looks; default 0: every kn_targeting_step()
    bool persists;              ///< targets stay until there are new ones, or they die
    bool server_looks;          ///< a client tells only that it confirmed; default false
    kn_vec3 reticle_scale;
    /// KN_SHAPE_CUSTOM. Pure. False: nothing found.
    bool (*find)(const kn_targeting_call *call, kn_target_data *out);
    /// Pure. Judges data that came from elsewhere; NULL: its entities and hits must name nobody
    /// whom the type would not accept, and no more than `limit`. Distance, places and records of
    /// your own are for this hook.
    bool (*validate)(const kn_targeting_call *call, kn_target_view data);
    void *user;
    uint32_t cookie;
} kn_targeting_def;

KN_API kn_targeting_def kn_targeting_def_default(void);
KN_API KN_MUST_USE kn_result kn_targeting_register(
    kn_library *library, const kn_targeting_def *def, kn_targeting_id *targeting, kn_error *error);
KN_API kn_targeting_id kn_targeting_find(const kn_library *library, const char *name);

/// Whom spatial questions go to; kept by the host, not part of the state. NULL for none.
KN_API void kn_world_set_space(kn_world *world, const kn_space *space);
KN_API const kn_space *kn_world_space(const kn_world *world);

/// Looks once, at once, outside any task: for effect containers and AI. False when nothing is
/// there.
KN_API bool kn_targeting_query(
    const kn_world *world, kn_targeting_id targeting, kn_entity_id entity, kn_target_data *out);

// Targeting tasks -----------------------------------------------------------

/// Advances the clock of targeting; tasks that are due look again. Call it every frame, also while
/// the simulation is paused. From outside the simulation only.
KN_API KN_MUST_USE kn_result kn_targeting_step(kn_world *world, kn_time dt);
KN_API kn_time kn_targeting_now(const kn_world *world);

/// What a targeting task sees now, for showing it.
typedef struct kn_reticle {
    kn_targeting_id targeting;
    kn_entity_id source;
    kn_entity_id target; ///< the first one; null: none
    kn_vec3 location;    ///< of the first target or place
    bool is_valid;       ///< something was found
    bool is_entity;      ///< and it is an entity
    kn_vec3 scale;
} kn_reticle;

/// False for a stale task or one of another kind. See KN_EVENT_RETICLE.
KN_API bool kn_task_reticle(const kn_world *world, kn_task_id task, kn_reticle *reticle);
/// What the task has found so far.
KN_API kn_target_view kn_task_targets(const kn_world *world, kn_task_id task);
/// Makes what it sees final. The ability is told after the running hook, before the outermost call
/// returns. KN_REFUSED_NOT_FOUND when it sees nothing: the task goes on. A server whose type
/// `server_looks` looks again first. So in all three: a task that was confirmed or cancelled is
/// gone (KN_REFUSED_STALE_ID), unless it is confirmed again and again.
KN_API kn_result kn_target_confirm(kn_world *world, kn_task_id task);
KN_API kn_result kn_target_cancel(kn_world *world, kn_task_id task);
/// Final targets from elsewhere, such as a client. Refused with KN_REFUSED_CUSTOM if they do not
/// pass the type's validation, with KN_ERROR_BAD_DATA if they are empty or malformed, with
/// KN_REFUSED_BLOCKED on a server that looks itself; the task goes on. What the task itself sees
/// stays as it is.
KN_API kn_result kn_target_provide(kn_world *world, kn_task_id task, kn_target_view data);

#ifdef __cplusplus
}
#endif

#endif
