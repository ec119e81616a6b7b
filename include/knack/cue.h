// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Cues: what is shown and heard, and is not gameplay. Sound, particles, numbers that float. The
/// simulation says *that* something is to be shown (KN_EVENT_CUE, with parameters); a kn_cue_player
/// on the host's side decides *how*: it finds the handler of a cue's tag, keeps one instance of
/// what lasts, loads what is missing, merges bursts, and after a rollback plays only what is new
/// and removes what never happened.
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

/// Parameters of a cue. All of them are optional. Start from kn_cue_params_default(). Views are
/// copied by the call; in handlers they are valid during the call, read from an event until the
/// next step.
typedef struct kn_cue_params {
    kn_entity_id instigator; ///< who is responsible; null for none
    kn_entity_id causer;     ///< the weapon or projectile; null for none
    uint64_t source_object;  ///< 64 bits for the host
    kn_vec3 location;        ///< where it happens, with `has_location`
    kn_vec3 normal;          ///< direction of the surface, with `has_normal`
    bool has_location;       ///< `location` is set
    bool has_normal;         ///< `normal` is set
    float magnitude;         ///< the magnitude as the effect or caller asked for it
    float change;            ///< what really changed, for effects with a `cue_attribute`
    float normalised;        ///< the magnitude within the effect's declared range, 0 to 1
    float effect_level;      ///< level of the effect; 0 without one
    float ability_level;     ///< level of the ability; 0 without one
    uint32_t stacks;         ///< stack count of the effect; default 1
    kn_tags source_tags;     ///< tags of the source when it happened
    kn_tags target_tags;     ///< tags of the target when it happened
    /// Type of the payload, see kn_context_type_register(); null: none.
    kn_context_type_id payload_type;
    const void *payload;    ///< plain bytes of the size registered for the type
    kn_target_view targets; ///< target data of the effect's context, or as given; may be empty
    /// Kn_cue_add(): the cue ends with this activation at the latest; null: none.
    kn_activation_id activation;
    uint32_t cookie; ///< set by kn_cue_params_default(); do not change it
} kn_cue_params;

/// Parameters with one stack and nothing else set.
KN_API kn_cue_params kn_cue_params_default(void);

/// Sets the tag that cue tags lie below. Null, as at first: below `GameplayCue` if the library has
/// that tag, otherwise any tag can be a cue. Other tags are refused as cues.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for an unknown tag; KN_ERROR_WORLD_LOCKED once the
///         library is finished
KN_API KN_MUST_USE kn_result kn_cue_root_set(kn_library *library, kn_tag root);
/// True if a tag can name a cue: it is registered and lies below the root of cues, if there is one.
KN_API bool kn_cue_tag_is_valid(const kn_library *library, kn_tag tag);
/// The tag set by kn_cue_root_set(); null if none was.
KN_API kn_tag kn_cue_root(const kn_library *library);

/// Has the last say in the parameters of an effect's cues: they are filled in from the effect and
/// its context, all but the tags, and may be changed; a payload of its own must stay where it is.
/// Must be pure; called again for late joiners. Non-finite numbers are ignored. Pointers are valid
/// during the call.
typedef void kn_cue_init_fn(void *user, const kn_spec_view *spec, kn_cue_params *params);
/// Sets the function that completes the parameters of effects' cues, one per library; NULL for
/// none.
/// @return KN_OK; KN_ERROR_WORLD_LOCKED once the library is finished
KN_API KN_MUST_USE kn_result kn_cue_init_set(
    kn_library *library, kn_cue_init_fn *function, void *user);

/// Publishes a cue that happens once. `params` may be NULL.
/// @return KN_OK, also on an entity whose cues are suppressed; KN_REFUSED_STALE_ID;
///         KN_REFUSED_REQUIREMENT for a tag that is not registered as a cue; KN_REFUSED_BAD_NUMBER
///         for a number that is not finite; KN_ERROR_BAD_DATA for malformed target data;
///         KN_ERROR_INVALID_ARGUMENT for parameters without their defaults or with an unknown
///         payload type; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cue_execute(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *params);
/// Adds a cue that lasts until it is removed as often as it was added. Only the first addition
/// publishes an event.
/// @return as kn_cue_execute(); KN_REFUSED_STALE_ID also for an activation that is over;
///         KN_REFUSED_DYING
KN_API kn_result kn_cue_add(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_cue_params *params);
/// Removes one addition of kn_cue_add(). Only the last removal publishes an event, with the
/// parameters the cue was added with.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if there is none: an effect's cues end
///         with the effect; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cue_remove(kn_world *world, kn_entity_id entity, kn_tag tag);
/// Removes every cue that was added by kn_cue_add(), never those of effects. Returns how many tags
/// that were.
KN_API uint32_t kn_cues_remove_all(kn_world *world, kn_entity_id entity);
/// How often a cue is active on an entity, by effects and by kn_cue_add().
KN_API uint32_t kn_cue_count(const kn_world *world, kn_entity_id entity, kn_tag tag);

/// One active cue.
typedef struct kn_cue_active {
    kn_tag tag;          ///< tag of the cue
    uint32_t count;      ///< how often kn_cue_add() added it; 1 for an effect's
    kn_effect_id effect; ///< the effect it belongs to; null if it was added by kn_cue_add()
} kn_cue_active;

/// The active cues of an entity, for late joiners; none while its cues are suppressed. Returns how
/// many there are; at most `capacity` are written.
KN_API uint32_t kn_cues(
    const kn_world *world, kn_entity_id entity, kn_cue_active *out, uint32_t capacity);
/// The parameters of an active cue. False if it is gone. Views are valid until the world changes.
KN_API bool kn_cue_active_params(
    const kn_world *world, kn_entity_id entity, const kn_cue_active *cue, kn_cue_params *params);

/// Suppresses the cues of an entity, or ends that: what is active is removed, and added again
/// afterwards; in between no cue of the entity is published.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_suppress_cues(kn_world *world, kn_entity_id entity, bool suppressed);

/// The parameters of a KN_EVENT_CUE of the last step. False if they are not there: then all but the
/// magnitude are defaults. Views are valid until the next step.
KN_API bool kn_cue_event_params(
    const kn_world *world, const kn_event *event, kn_cue_params *params);

// On the side of the host ---------------------------------------------------

/// Plays the cues of one world at a time. Opaque; see kn_cue_player_create().
typedef struct kn_cue_player kn_cue_player;

/// Arguments passed to a handler. Valid during the call.
typedef struct kn_cue_call {
    kn_cue_player *player; ///< the player that plays the cue
    /// The world. NULL when the player is destroyed or the handler removed: local cues are refused
    /// then.
    const kn_world *world;
    void *user; ///< the handler's `user`
    /// 64 bits of the instance, for the handler; NULL for static handlers. For an executed cue
    /// without an instance they last for that call only.
    uint64_t *slot;
    kn_entity_id entity;         ///< the entity the cue is on; may be gone already
    kn_tag tag;                  ///< the tag as it was published, before translation
    kn_tag handled;              ///< the tag of the handler
    const kn_cue_params *params; ///< parameters of the cue; valid during the call
    uint32_t count;   ///< executed: how many were merged; otherwise how often the cue is active
    bool interrupted; ///< removed: the cue was cut short instead of coming to its normal end
} kn_cue_call;

/// A function of a handler. May play local cues and add handlers; the player refuses everything
/// else during the call.
typedef void kn_cue_fn(const kn_cue_call *call);

/// Whether a handler keeps instances.
typedef enum kn_cue_kind {
    KN_CUE_STATIC,    ///< no instance: for what happens once
    KN_CUE_INSTANCED, ///< an instance for what lasts, created when the cue is added
} kn_cue_kind;

/// Handles one cue tag. Every function may be NULL. Start from kn_cue_handler_def_default().
typedef struct kn_cue_handler_def {
    kn_tag tag;       ///< the cue tag to handle; required
    kn_cue_kind kind; ///< whether the handler keeps instances; default KN_CUE_STATIC
    /// Also handles tags below it that have no handler of their own; default true.
    bool handles_children;
    bool also_parent;    ///< the handler of the nearest parent is called as well
    uint32_t limit;      ///< most instances at once; cues beyond are not shown; 0: no limit
    bool per_instigator; ///< each instigator has an instance of its own; default false
    bool keeps_instance; ///< an instance stays after removal, and serves the handler's next cue
    kn_cue_fn *active;   ///< called when a cue has just been added
    /// Called when a cue was added, or was found already active: once each time.
    kn_cue_fn *while_active;
    kn_cue_fn *updated;   ///< called when stacks, level or magnitude changed
    kn_cue_fn *removed;   ///< called when a cue ended
    kn_cue_fn *executed;  ///< called when a cue happened once
    kn_cue_fn *cancelled; ///< called when an executed cue turned out never to have happened
    void *user;           ///< passed to every function
    uint32_t cookie;      ///< set by kn_cue_handler_def_default(); do not change it
} kn_cue_handler_def;

/// A static handler that also handles child tags.
KN_API kn_cue_handler_def kn_cue_handler_def_default(void);

/// The state of a handler's assets.
typedef enum kn_cue_load {
    KN_CUE_LOADED,  ///< ready to be shown
    KN_CUE_LOADING, ///< not ready yet; kn_cue_player_loaded() reports when
    KN_CUE_FAILED,  ///< not available: nothing is shown for this tag
} kn_cue_load;

/// When a handler's assets are loaded.
typedef enum kn_cue_preload {
    KN_CUE_LOAD_ON_USE, ///< when a cue of the handler is played for the first time
    KN_CUE_LOAD_ALL,    ///< when the handler is added
} kn_cue_preload;

/// How to create a cue player. Start from kn_cue_player_def_default().
typedef struct kn_cue_player_def {
    kn_hooks hooks;            ///< memory and log of the player; all-zero for malloc and stderr
    const kn_library *library; ///< required; must be finished, and must outlive the player
    /// Begins to load what a handler needs, and returns how that went; NULL: all assets are loaded.
    kn_cue_load (*load)(void *user, kn_tag tag);
    kn_cue_preload preload; ///< when assets are loaded; default KN_CUE_LOAD_ON_USE
    /// Returns another tag for a cue, such as that of a skin; null: the tag stays. NULL: none is
    /// translated.
    kn_tag (*translate)(void *user, const kn_world *world, kn_entity_id entity, kn_tag tag);
    void *user; ///< passed to `load` and `translate`
    /// Most executed cues with the same tag on the same entity that are played in one update; the
    /// rest is counted as dropped. Default 0: no limit.
    uint32_t burst_limit;
    /// Instead of dropping cues beyond the burst limit, the last call gets their number and the sum
    /// of their magnitudes. Without a limit there is one call for all. Default false.
    bool merges;
    uint32_t cookie; ///< set by kn_cue_player_def_default(); do not change it
} kn_cue_player_def;

/// A def without a library, limits or functions.
KN_API kn_cue_player_def kn_cue_player_def_default(void);
/// Creates a cue player. Destroy it with kn_cue_player_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or without a finished
///         library; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_cue_player_create(
    const kn_cue_player_def *def, kn_cue_player **player);
/// Removes what is still shown, then destroys the player. NULL is ignored.
KN_API void kn_cue_player_destroy(kn_cue_player *player);
/// Adds a handler; the def is copied.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the tag has a handler; KN_ERROR_INVALID_ARGUMENT for a
///         def without its defaults, an unknown tag or kind; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_cue_handler_add(
    kn_cue_player *player, const kn_cue_handler_def *def);
/// Removes the handler of a tag and what it shows. False if there is none.
KN_API bool kn_cue_handler_remove(kn_cue_player *player, kn_tag tag);

/// Plays the cues of the last step. Call it after every kn_world_step().
KN_API void kn_cue_player_update(kn_cue_player *player, const kn_world *world);
/// Plays one cue, instead of all those of a step: for events that come from elsewhere, such as from
/// kn_client_next_event() (session.h). Burst limits do not apply. Other events are ignored.
/// @param params its parameters; NULL: only the magnitude of the event
/// @param is_found it was active before: `active` is not called
KN_API void kn_cue_player_play(kn_cue_player *player, const kn_world *world, const kn_event *event,
    const kn_cue_params *params, bool is_found);
/// Takes back one cue that was played by kn_cue_player_play() and did not happen: an executed one
/// is cancelled, an added one removed, and one that was removed is shown again (while_active).
/// Cancelling reaches back at most 4 seconds.
KN_API void kn_cue_player_revoke(kn_cue_player *player, const kn_world *world,
    const kn_event *event, const kn_cue_params *params);
/// Reports that the assets of a tag are loaded, or never will be (`ok` false). Plays what waited
/// for them; what was removed meanwhile is not shown.
KN_API void kn_cue_player_loaded(kn_cue_player *player, const kn_world *world, kn_tag tag, bool ok);

/// Announces that the world was rolled back to `time` and is about to be stepped again. Cues after
/// that time are expected once more: those that are published again are not played again. A player
/// remembers 4 seconds of simulated time, or less if more is confirmed.
KN_API void kn_cue_player_rewind(kn_cue_player *player, kn_time time);
/// Announces that the steps have been repeated: cues that were not published this time are
/// cancelled or removed.
KN_API void kn_cue_player_settle(kn_cue_player *player, const kn_world *world);
/// Announces that nothing before this time will be rolled back any more.
KN_API void kn_cue_player_confirm(kn_cue_player *player, kn_time time);

/// An entity comes into sight: its active cues are shown (while_active).
KN_API void kn_cue_player_enter(kn_cue_player *player, const kn_world *world, kn_entity_id entity);
/// An entity goes out of sight: its cues are removed, and nothing of it is shown until it enters
/// again, except local cues.
KN_API void kn_cue_player_leave(kn_cue_player *player, const kn_world *world, kn_entity_id entity);
/// Shows everything that is active in a world, after joining or loading; removes what is not.
KN_API void kn_cue_player_join(kn_cue_player *player, const kn_world *world);

/// Plays a cue of this machine alone that happens once; no simulation knows of it. Works on
/// entities whose cues are suppressed too. `params` may be NULL.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_REQUIREMENT for a tag that is not registered as a
///         cue; KN_REFUSED_BAD_NUMBER for a magnitude that is not finite; KN_ERROR_BAD_DATA for
///         malformed target data; KN_ERROR_INVALID_ARGUMENT for parameters without their defaults
///         or with an unknown payload type
KN_API kn_result kn_cue_local_execute(kn_cue_player *player, const kn_world *world,
    kn_entity_id entity, kn_tag tag, const kn_cue_params *params);
/// Adds a cue of this machine alone that lasts until it is removed as often as it was added.
/// @return as kn_cue_local_execute(); KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_cue_local_add(kn_cue_player *player, const kn_world *world, kn_entity_id entity,
    kn_tag tag, const kn_cue_params *params);
/// Removes one addition of kn_cue_local_add().
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is none
KN_API kn_result kn_cue_local_remove(
    kn_cue_player *player, const kn_world *world, kn_entity_id entity, kn_tag tag);

/// What a player has done since it was created.
typedef struct kn_cue_stats {
    uint32_t played; ///< cues played
    /// Cues not played: beyond the burst limit or a handler's limit, or for lack of memory.
    uint32_t dropped;
    uint32_t merged;     ///< cues merged into another call
    uint32_t repeated;   ///< cues published again by a resimulation, and not played again
    uint32_t cancelled;  ///< executed cues that turned out never to have happened
    uint32_t waiting;    ///< cues waiting for assets now
    uint32_t instances;  ///< instances now, kept ones included
    uint32_t mismatched; ///< removals without an addition of the same origin
} kn_cue_stats;

/// What a player has done; all zero for NULL.
KN_API kn_cue_stats kn_cue_player_stats(const kn_cue_player *player);

#ifdef __cplusplus
}
#endif

#endif
