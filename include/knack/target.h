// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Targets: what an ability is aimed at.
///
/// **Target data** is a list of typed records: entities, hits, locations, lines, and records of
/// your own, read with checked access. It travels in events, in results of tasks, in the context of
/// effects and their cues, and over the network.
///
/// **Targeting** finds it. A targeting type says where to look and what to accept; a task of kind
/// KN_TASK_TARGET runs it until it is confirmed: at once, by the player, or by the ability. It
/// looks again on a clock of its own (kn_targeting_step()), so that aiming goes on while the
/// simulation is paused.
#ifndef KNACK_TARGET_H
#define KNACK_TARGET_H

#include "knack/space.h"

#ifdef __cplusplus
extern "C" {
#endif

// Target data ---------------------------------------------------------------

/// A record that names one entity.
typedef struct kn_target_entity {
    kn_entity_id entity; ///< the entity
} kn_target_entity;

/// A record of one hit of a trace.
typedef struct kn_target_hit {
    kn_entity_id entity; ///< the entity that was hit; null: scenery
    kn_vec3 point;       ///< where the trace hit
    kn_vec3 normal;      ///< direction of the surface there, of length 1; zero if unknown
    float distance;      ///< how far the trace went
    uint32_t part;       ///< for the host, such as a bone or surface
} kn_target_hit;

/// A record of a place, and which way it faces.
typedef struct kn_target_location {
    kn_vec3 position;  ///< the place
    kn_vec3 direction; ///< direction it faces; zero: none
} kn_target_location;

/// A record of a line from one place to another.
typedef struct kn_target_line {
    kn_entity_id source; ///< the entity it starts at; may be null
    kn_vec3 start;       ///< where the line starts
    kn_vec3 direction;   ///< direction of the line; zero: none
    kn_vec3 end;         ///< where the line ends
} kn_target_line;

/// The type of kn_target_entity records, which every library has.
static inline kn_target_type_id kn_target_type_entity(void)
{
    kn_target_type_id type = {1};
    return type;
}
/// The type of kn_target_hit records, which every library has.
static inline kn_target_type_id kn_target_type_hit(void)
{
    kn_target_type_id type = {2};
    return type;
}
/// The type of kn_target_location records, which every library has.
static inline kn_target_type_id kn_target_type_location(void)
{
    kn_target_type_id type = {3};
    return type;
}
/// The type of kn_target_line records, which every library has.
static inline kn_target_type_id kn_target_type_line(void)
{
    kn_target_type_id type = {4};
    return type;
}

/// A type of record of your own. The fields must cover the struct, as those of a component do: they
/// are what is written to a message.
typedef struct kn_target_type_def {
    const char *name;       ///< unique name; required
    uint32_t size;          ///< bytes of the struct, 1 to 512; data files may leave it out
    const kn_field *fields; ///< the fields of the struct, in order; required
    uint32_t field_count;   ///< number of entries in `fields`
    uint32_t cookie;        ///< set by kn_target_type_def_default(); do not change it
} kn_target_type_def;

/// A target type def with nothing set.
KN_API kn_target_type_def kn_target_type_def_default(void);
/// Registers a type of record.
/// @return KN_OK; KN_ERROR_BAD_DATA for a size out of range, fields that do not cover the struct,
///         or an invalid name; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_target_type_register(
    kn_library *library, const kn_target_type_def *def, kn_target_type_id *type, kn_error *error);
/// The record type with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_target_type_id kn_target_type_find(const kn_library *library, const char *name);
/// The name of a record type; "" for null. Valid as long as the library.
KN_API const char *kn_target_type_name(const kn_library *library, kn_target_type_id type);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_target_type_def *kn_target_type_get_def(
    const kn_library *library, kn_target_type_id type);

/// Most bytes of target data, headers of records included.
#define KN_TARGET_BYTES_MAX 4088

/// Target data held by value. `{0}` is empty. Fill it with kn_target_add().
typedef struct kn_target_data {
    uint32_t size;  ///< bytes used
    uint32_t count; ///< number of records
    uint64_t bytes[KN_TARGET_BYTES_MAX /
                   8]; ///< the records, one after another; read them with kn_target_get()
} kn_target_data;

/// A view of target data, as it comes in events and results.
typedef struct kn_target_view {
    const void *data; ///< the records; NULL if there are none
    uint32_t size;    ///< bytes of `data`
} kn_target_view;

/// A view of target data. Valid until the data is changed or goes out of scope.
static inline kn_target_view kn_target_data_view(const kn_target_data *data)
{
    kn_target_view view = {data->bytes, data->size};
    return view;
}

/// Adds a record; its bytes are copied.
/// @return KN_OK; KN_REFUSED_LIMIT when there is no room; KN_ERROR_INVALID_ARGUMENT for an unknown
///         type
KN_API kn_result kn_target_add(
    const kn_library *library, kn_target_data *data, kn_target_type_id type, const void *record);
/// Number of records in a view.
KN_API uint32_t kn_target_count(kn_target_view view);
/// The type of a record by index; null past the end.
KN_API kn_target_type_id kn_target_type_at(kn_target_view view, uint32_t index);
/// A record by index if it is of this type, else NULL; NULL past the end too. Valid as long as the
/// view.
KN_API const void *kn_target_get(kn_target_view view, uint32_t index, kn_target_type_id type);
/// A record by index for changing, if it is of this type, else NULL. Valid as long as the data.
KN_API void *kn_target_get_mutable(kn_target_data *data, uint32_t index, kn_target_type_id type);
/// Every entity the records name, each once, in order; some may be stale. Returns how many there
/// are; at most `capacity` are written.
KN_API uint32_t kn_target_entities(kn_target_view view, kn_entity_id *out, uint32_t capacity);
/// The first place the records name: location, hit, or end of a line. False, and `*position`
/// unchanged, if there is none.
KN_API bool kn_target_position(kn_target_view view, kn_vec3 *position);
/// True if bytes from elsewhere are well-formed records of this library.
KN_API bool kn_target_is_valid(const kn_library *library, kn_target_view view);
/// Writes records in a form that is the same on every machine. Returns the bytes needed, and writes
/// nothing if they do not fit; 0 for malformed records.
KN_API uint32_t kn_target_write(
    const kn_library *library, kn_target_view view, void *buffer, uint32_t size);
/// Reads what kn_target_write() wrote.
/// @return KN_OK; KN_ERROR_BAD_DATA for anything malformed, with `data` empty
KN_API KN_MUST_USE kn_result kn_target_read(
    const kn_library *library, const void *buffer, uint32_t size, kn_target_data *data);

// Of effects ----------------------------------------------------------------

/// The target data of the context an effect is applied with: for executions, calculations,
/// requirements and hooks. Empty if there is none. Valid during the call, until it creates
/// something.
KN_API kn_target_view kn_spec_view_targets(const kn_spec_view *spec);
/// The target data of the context of an active effect. Empty if there is none. Valid until the
/// world changes.
KN_API kn_target_view kn_effect_targets(const kn_world *world, kn_effect_id effect);

// Targeting types -----------------------------------------------------------

/// Where a targeting type looks.
typedef enum kn_target_shape {
    KN_SHAPE_SELF,    ///< the entity itself
    KN_SHAPE_RAY,     ///< the first things that a ray hits
    KN_SHAPE_POINT,   ///< the place where a ray ends: the ground under the cursor
    KN_SHAPE_SPHERE,  ///< entities in a ball around a point at `offset`
    KN_SHAPE_CONE,    ///< entities in a cone
    KN_SHAPE_NEAREST, ///< the nearest entities within `radius`
    KN_SHAPE_EVENT,   ///< the targets that came with the event that triggered the ability
    KN_SHAPE_CUSTOM,  ///< what a function finds
    KN_SHAPE_COUNT,   ///< number of the values above; not a value itself
} kn_target_shape;

/// When targets are final.
typedef enum kn_confirm {
    KN_CONFIRM_INSTANT, ///< at once
    /// When the player presses the confirm or cancel input, or the game confirms
    /// (kn_target_confirm()).
    KN_CONFIRM_USER,
    KN_CONFIRM_CUSTOM, ///< when the game confirms (kn_target_confirm()); inputs do not
    /// Whenever the game confirms (kn_target_confirm()), any number of times.
    KN_CONFIRM_CUSTOM_MULTI,
    KN_CONFIRM_COUNT, ///< number of the values above; not a value itself
} kn_confirm;

/// Arguments passed to the functions of a targeting type. Valid during the call.
typedef struct kn_targeting_call {
    const kn_world *world;       ///< the world, for reading
    void *user;                  ///< the `user` of the targeting def
    kn_entity_id owner;          ///< the entity that asks
    kn_entity_id avatar;         ///< the owner's body; the owner itself if it has no other
    kn_activation_id activation; ///< the activation that asks; null outside an ability
    kn_task_id task;             ///< the task that asks; null outside a task
} kn_targeting_call;

/// Where and how to look for targets. Start from kn_targeting_def_default().
typedef struct kn_targeting_def {
    const char *name;      ///< unique name; required
    kn_target_shape shape; ///< where to look for targets; default self
    /// Start at the view point of the entity's body; otherwise at its position and facing.
    bool from_view;
    /// Where the start is moved to: x along the facing, y and z along the axes of the world.
    kn_vec3 offset;
    float range;  ///< length of rays and cones
    float radius; ///< radius of spheres, thickness of rays, and how far KN_SHAPE_NEAREST looks
    /// Cosine of half the angle of a cone: 0 for a half-space, 0.5 for 60 degrees to each side.
    float cosine;
    uint32_t limit;             ///< most targets; 0: as many as fit, at most 128
    uint32_t layers;            ///< layers to look on, one bit for each; default all
    bool includes_self;         ///< the entity that looks may be a target; default false
    kn_tag_requirement tags;    ///< tags that a target must have, or must not have
    kn_space_accept_fn *accept; ///< decides last which targets are accepted; may be NULL
    /// Ways to confirm that the targeting supports, one bit per kn_confirm; default all.
    uint32_t confirms;
    /// Time between two looks; default 0: each time the game updates targeting
    /// (kn_targeting_step()).
    kn_time interval;
    bool persists; ///< targets stay until there are new ones, or until they are destroyed
    /// The server finds the targets itself, and a client only sends that it confirmed; default
    /// false.
    bool server_looks;
    kn_vec3 reticle_scale; ///< scale of the reticle, for the program that draws it; default 1, 1, 1
    /// Finds targets for KN_SHAPE_CUSTOM; returns false if there are none. Must be pure.
    bool (*find)(const kn_targeting_call *call, kn_target_data *out);
    /// Judges target data that came from elsewhere. Must be pure. NULL: it must name no entity that
    /// the type would not accept, and no more than `limit`. Distances, places and records of your
    /// own are for this hook.
    bool (*validate)(const kn_targeting_call *call, kn_target_view data);
    void *user;      ///< passed to `accept`, `find` and `validate`
    uint32_t cookie; ///< set by kn_targeting_def_default(); do not change it
} kn_targeting_def;

/// A def that accepts all layers and every way of confirming.
KN_API kn_targeting_def kn_targeting_def_default(void);
/// Registers a targeting type.
/// @return KN_OK; KN_ERROR_BAD_DATA for a number out of range, a custom shape without a function,
///         no way to confirm, or an invalid name; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults; KN_ERROR_WORLD_LOCKED once the
///         library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_targeting_register(
    kn_library *library, const kn_targeting_def *def, kn_targeting_id *targeting, kn_error *error);
/// The targeting type with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_targeting_id kn_targeting_find(const kn_library *library, const char *name);
/// The name of a targeting type; "" for null. Valid as long as the library.
KN_API const char *kn_targeting_name(const kn_library *library, kn_targeting_id targeting);
/// The def of a targeting type as registered; it belongs to the library. NULL when unknown.
KN_API const kn_targeting_def *kn_targeting_get_def(
    const kn_library *library, kn_targeting_id targeting);

/// Sets what answers spatial queries; NULL for none. The space belongs to the host, must stay
/// valid, and is not part of the state.
KN_API void kn_world_set_space(kn_world *world, const kn_space *space);
/// What answers spatial queries; NULL for none.
KN_API const kn_space *kn_world_space(const kn_world *world);

/// Looks once, at once, outside any task: for effect containers and AI. False, and empty, when
/// nothing is found, for a stale entity and for an unknown type.
KN_API bool kn_targeting_query(
    const kn_world *world, kn_targeting_id targeting, kn_entity_id entity, kn_target_data *out);

// Targeting tasks -----------------------------------------------------------

/// Advances the clock of targeting; tasks that are due look again. Call it every frame, also while
/// the simulation is paused.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a `dt` below 0 or beyond KN_TIME_MAX;
///         KN_ERROR_WORLD_LOCKED from a rule or a listener; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_targeting_step(kn_world *world, kn_time dt);
/// The time of the clock of targeting.
KN_API kn_time kn_targeting_now(const kn_world *world);

/// What a targeting task has found, for showing it.
typedef struct kn_reticle {
    kn_targeting_id targeting; ///< how the task looks for targets
    kn_entity_id source;       ///< the body of the entity that aims
    kn_entity_id target;       ///< the first entity found; null: none
    kn_vec3 location;          ///< place of the first target
    bool is_valid;             ///< something was found
    bool is_entity;            ///< what was found is an entity
    kn_vec3 scale;             ///< the type's `reticle_scale`
} kn_reticle;

/// Fills `reticle` for a targeting task. False, and `reticle` unchanged, for a stale task or one of
/// another kind. See KN_EVENT_RETICLE.
KN_API bool kn_task_reticle(const kn_world *world, kn_task_id task, kn_reticle *reticle);
/// The target data a targeting task has found so far; empty for a stale task or one of another
/// kind. Valid until the world changes.
KN_API kn_target_view kn_task_targets(const kn_world *world, kn_task_id task);
/// Makes what the task has found final. Its ability is notified after the running hook, before the
/// outermost call returns. On a server whose type has `server_looks` the task looks again first.
/// @return KN_OK; KN_REFUSED_NOT_FOUND when it has found nothing: the task goes on;
///         KN_REFUSED_STALE_ID for a task that is gone, not a targeting task, or already confirmed
///         or cancelled, unless it is KN_CONFIRM_CUSTOM_MULTI; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_target_confirm(kn_world *world, kn_task_id task);
/// Cancels a targeting task: its ability is notified with KN_TASK_CANCELLED, and the task ends.
/// @return KN_OK; KN_REFUSED_STALE_ID as kn_target_confirm(); KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_target_cancel(kn_world *world, kn_task_id task);
/// Makes targets from elsewhere final, such as those of a client. What the task itself has found
/// stays as it is.
/// @return KN_OK; KN_REFUSED_STALE_ID as kn_target_confirm(); KN_REFUSED_CUSTOM if they do not pass
///         the type's validation; KN_REFUSED_BLOCKED on a server that looks itself;
///         KN_ERROR_BAD_DATA if they are empty or malformed; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN. The task goes on unless it is KN_OK
KN_API kn_result kn_target_provide(kn_world *world, kn_task_id task, kn_target_view data);

/// Replaces the target data of the event of an activation: what it applies from now on to the
/// targets of the event goes to these. For abilities that aim more than once. An activation without
/// an event gets one with nothing else in it; others that were activated with the same event keep
/// theirs.
/// @param targets copied; empty: there are none any more
/// @return KN_OK; KN_REFUSED_STALE_ID for an activation that is over or ending; KN_ERROR_BAD_DATA
///         for malformed target data; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_activation_set_targets(
    kn_world *world, kn_activation_id activation, kn_target_view targets);

#ifdef __cplusplus
}
#endif

#endif
