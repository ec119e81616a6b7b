// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Cues: what is not gameplay. Sound, particles, numbers that float. The simulation says *that*
/// something is to be shown (KN_EVENT_CUE, with parameters); a kn_cue_player on the side of the
/// host decides *how*: it finds the handler of a cue's tag, keeps one instance of what lasts, loads
/// what is not there yet, merges bursts, and after a rollback plays only what is new and takes back
/// what never happened.
///
/// Cues come from effects (`cue_tags`), from abilities and from game code. They never drive
/// gameplay: nothing in a world depends on a player.
#ifndef KNACK_CUE_H
#define KNACK_CUE_H

#include "knack/ability.h"
#include "knack/target.h"

#ifdef __cplusplus
extern "C" {
#endif

// In the simulation ---------------------------------------------------------

/// What a cue is given. All of it is optional; views are valid during the call, or until the next
/// step when read from an event.
typedef struct kn_cue_params {
    kn_entity_id instigator;
    kn_entity_id causer;
    uint64_t source_object; ///< for the host
    kn_vec3 location;
    kn_vec3 normal;
    bool has_location;
    bool has_normal;
    float magnitude;  ///< as asked for
    float change;     ///< what really changed; for effects that name a cue attribute
    float normalised; ///< magnitude in the effect's declared range, 0 to 1
    float effect_level;
    float ability_level;
    uint32_t stacks;
    kn_tags source_tags; ///< of the source, when it happened
    kn_tags target_tags;
    kn_context_type_id payload_type; ///< as registered with kn_context_type_register()
    const void *payload;
    kn_target_view targets;      ///< of the effect's context, or as given; may be empty
    kn_activation_id activation; ///< a cue that is added ends with this activation at the latest
    uint32_t cookie;
} kn_cue_params;

KN_API kn_cue_params kn_cue_params_default(void);

/// Cue tags lie below `GameplayCue` if the library has that tag, or below the one set here.
/// Anything else is refused as a cue.
KN_API KN_MUST_USE kn_result kn_cue_root_set(kn_library *library, kn_tag root);
KN_API kn_tag kn_cue_root(const kn_library *library);

/// Has the last say in the parameters of an effect's cues: they are filled in from the effect and
/// its context, all but the tags, and may be changed; a payload of its own must stay where it is.
/// Pure, and asked again for those who come later. Numbers that are not finite are not taken.
typedef void kn_cue_init_fn(void *user, const kn_spec_view *spec, kn_cue_params *params);
/// One for the library; NULL for none. Before the library is finished.
KN_API KN_MUST_USE kn_result kn_cue_init_set(
    kn_library *library, kn_cue_init_fn *function, void *user);

/// A cue that happens once. `params` may be NULL.
/// @return KN_OK, also on an entity whose cues are suppressed; KN_REFUSED_STALE_ID;
///         KN_REFUSED_REQUIREMENT for a tag that is no cue; KN_REFUSED_BAD_NUMBER;
///         KN_ERROR_BAD_DATA for malformed target data
KN_API kn_result kn_cue_execute(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *params);
/// A cue that lasts until it is removed as often as it was added. The first one is told.
KN_API kn_result kn_cue_add(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *params);
/// Takes back one addition; the last one is told, with the parameters it was added with.
/// KN_REFUSED_NOT_FOUND if there is none: an effect's cues end with the effect.
KN_API kn_result kn_cue_remove(kn_world *world, kn_entity_id entity, kn_tag tag);
/// Removes every cue that was added by kn_cue_add(), never those of effects. Returns how many.
KN_API uint32_t kn_cues_remove_all(kn_world *world, kn_entity_id entity);
/// How often a cue is active on an entity, by effects and otherwise.
KN_API uint32_t kn_cue_count(const kn_world *world, kn_entity_id entity, kn_tag tag);

/// One active cue.
typedef struct kn_cue_active {
    kn_tag tag;
    uint32_t count;
    kn_effect_id effect; ///< null if it was added by kn_cue_add()
} kn_cue_active;

/// What is active on an entity, for those who come later; nothing while its cues are suppressed.
/// Returns how many there are.
KN_API uint32_t kn_cues(
    const kn_world *world, kn_entity_id entity, kn_cue_active *out, uint32_t capacity);
/// Parameters of an active cue. False if it is not there.
KN_API bool kn_cue_active_params(
    const kn_world *world, kn_entity_id entity, const kn_cue_active *cue, kn_cue_params *params);

/// No cue of this entity is told while suppressed: what is active is removed, and added again
/// afterwards.
KN_API kn_result kn_entity_suppress_cues(kn_world *world, kn_entity_id entity, bool suppressed);

/// The parameters of a KN_EVENT_CUE of the last step. False if they are not there.
KN_API bool kn_cue_event_params(
    const kn_world *world, const kn_event *event, kn_cue_params *params);

// On the side of the host ---------------------------------------------------

typedef struct kn_cue_player kn_cue_player;

/// What a handler is told.
typedef struct kn_cue_call {
    kn_cue_player *player;
    /// NULL when the player is destroyed, or the handler removed: then local cues are refused.
    const kn_world *world;
    void *user; ///< of the handler
    /// 64 bits of the instance for the handler; of static handlers NULL. An executed cue without an
    /// instance has them for that one call.
    uint64_t *slot;
    kn_entity_id entity;
    kn_tag tag;     ///< as it was told, before translation
    kn_tag handled; ///< the tag of the handler
    const kn_cue_params *params;
    uint32_t count; ///< executed: how many were merged; else how often it is active
    bool interrupted;
} kn_cue_call;

/// May play local cues and add handlers; the player is locked for everything else. The entity may
/// be gone already.
typedef void kn_cue_fn(const kn_cue_call *call);

typedef enum kn_cue_kind {
    KN_CUE_STATIC,    ///< no instance: for what happens once
    KN_CUE_INSTANCED, ///< an instance for what lasts, made when it is added
} kn_cue_kind;

/// Handles one cue tag. Every function may be NULL.
typedef struct kn_cue_handler_def {
    kn_tag tag;
    kn_cue_kind kind;
    bool handles_children;   ///< also tags below it that have no handler of their own; default true
    bool also_parent;        ///< the handler of the nearest parent is told as well
    uint32_t limit;          ///< most instances at once, 0: no limit; what is beyond is not shown
    bool per_instigator;     ///< instances of different instigators are different; default false
    bool keeps_instance;     ///< it stays after removal, and serves the next cue of the handler
    kn_cue_fn *active;       ///< added, just now
    kn_cue_fn *while_active; ///< added, or met already active: once each time
    kn_cue_fn *updated;
    kn_cue_fn *removed;
    kn_cue_fn *executed;
    kn_cue_fn *cancelled; ///< an executed one never happened after all
    void *user;
    uint32_t cookie;
} kn_cue_handler_def;

KN_API kn_cue_handler_def kn_cue_handler_def_default(void);

/// How a handler's assets are doing.
typedef enum kn_cue_load {
    KN_CUE_LOADED,
    KN_CUE_LOADING, ///< kn_cue_player_loaded() will say when
    KN_CUE_FAILED,  ///< nothing is shown for this tag
} kn_cue_load;

typedef enum kn_cue_preload {
    KN_CUE_LOAD_ON_USE, ///< the first time a cue is told
    KN_CUE_LOAD_ALL,    ///< when the handler is added
} kn_cue_preload;

typedef struct kn_cue_player_def {
    kn_hooks hooks;
    const kn_library *library;
    /// Begins loading what a handler needs; NULL: everything is there.
    kn_cue_load (*load)(void *user, kn_tag tag);
    kn_cue_preload preload;
    /// Another tag for a cue, such as that of a skin; null: as it is. NULL: none.
    kn_tag (*translate)(void *user, const kn_world *world, kn_entity_id entity, kn_tag tag);
    void *user;
    /// Executed cues with the same tag on the same entity in one update: at most so many are
    /// played, the rest is counted as dropped. 0: no limit. Default 0.
    uint32_t burst_limit;
    /// And instead of dropping, the last call has a count and the sum of the magnitudes of those
    /// beyond. Without a limit there is one call for all.
    bool merges;
    uint32_t cookie;
} kn_cue_player_def;

KN_API kn_cue_player_def kn_cue_player_def_default(void);
KN_API KN_MUST_USE kn_result kn_cue_player_create(
    const kn_cue_player_def *def, kn_cue_player **player);
/// Removes what is still shown, then destroys. NULL is fine.
KN_API void kn_cue_player_destroy(kn_cue_player *player);
/// KN_REFUSED_DUPLICATE if the tag has a handler.
KN_API KN_MUST_USE kn_result kn_cue_handler_add(
    kn_cue_player *player, const kn_cue_handler_def *def);
KN_API bool kn_cue_handler_remove(kn_cue_player *player, kn_tag tag);

/// Plays the cues of the last step. Call it after every kn_world_step().
KN_API void kn_cue_player_update(kn_cue_player *player, const kn_world *world);
/// Assets of a tag are there, or will never be. Plays what waited for them; what was removed
/// meanwhile is not shown.
KN_API void kn_cue_player_loaded(kn_cue_player *player, const kn_world *world, kn_tag tag, bool ok);

/// The world was rolled back to `time` and is about to be stepped again. Cues after that time wait
/// for being told once more: those that are, are not played again. A player remembers 4 seconds of
/// a world's time, or what has not been confirmed of them.
KN_API void kn_cue_player_rewind(kn_cue_player *player, kn_time time);
/// The steps have been made again: cues that were not told this time are cancelled, or removed.
KN_API void kn_cue_player_settle(kn_cue_player *player, const kn_world *world);
/// Nothing before this time will be rolled back any more.
KN_API void kn_cue_player_confirm(kn_cue_player *player, kn_time time);

/// An entity comes into sight: its active cues are met (while_active). Leaving removes them, and
/// nothing of the entity is shown until it enters again, but local cues.
KN_API void kn_cue_player_enter(kn_cue_player *player, const kn_world *world, kn_entity_id entity);
KN_API void kn_cue_player_leave(kn_cue_player *player, const kn_world *world, kn_entity_id entity);
/// Meets everything that is active in a world, after joining or loading; removes what is not.
KN_API void kn_cue_player_join(kn_cue_player *player, const kn_world *world);

/// Cues of this machine alone, which no simulation knows of; also on entities whose cues are
/// suppressed. What was added locally is removed locally: KN_REFUSED_NOT_FOUND otherwise.
/// KN_REFUSED_STALE_ID, KN_REFUSED_REQUIREMENT, KN_REFUSED_BAD_NUMBER as kn_cue_execute().
KN_API kn_result kn_cue_local_execute(kn_cue_player *player, const kn_world *world,
    kn_entity_id entity, kn_tag tag, const kn_cue_params *params);
KN_API kn_result kn_cue_local_add(kn_cue_player *player, const kn_world *world, kn_entity_id entity,
    kn_tag tag, const kn_cue_params *params);
KN_API kn_result kn_cue_local_remove(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, kn_tag tag);

typedef struct kn_cue_stats {
    uint32_t played;
    uint32_t dropped; ///< beyond the burst limit or a handler's limit, or for want of memory
    uint32_t merged;
    uint32_t repeated; ///< told again by a resimulation, not played again
    uint32_t cancelled;
    uint32_t waiting;    ///< for assets, now
    uint32_t instances;  ///< now, kept ones included
    uint32_t mismatched; ///< removals without an addition of the same origin
} kn_cue_stats;

KN_API kn_cue_stats kn_cue_player_stats(const kn_cue_player *player);

#ifdef __cplusplus
}
#endif

#endif
