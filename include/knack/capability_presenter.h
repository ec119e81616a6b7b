// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Capabilities for presentation only: dust, camera, footsteps, trails. They are defined as others
/// are, with `presents`, and stand in sets with them; but they follow the frames of the host, and
/// no world knows them. Part of knack::capability.
///
///   kn_capability_presenter_def def = kn_capability_presenter_def_default();
///   kn_capability_presenter *presenter;
///   def.library = library;
///   def.user = &renderer; // kn_capability_call.user in hooks
///   kn_result result = kn_capability_presenter_create(&def, &presenter);
///   ...
///   kn_world_step(world, KN_MS(16));                   // at any rate
///   kn_capability_present(presenter, world, frame_dt); // once per frame
///   ...
///   kn_capability_presenter_clear(presenter, world);
///   kn_capability_presenter_destroy(presenter);
///
/// A presenter is an observer: results, hashes and saves of the world are the same with and without
/// it, and whatever the length of its frames is. A world can have several, such as one for each
/// half of a split screen.
///
/// The life is that of every capability (knack/capability.h), a frame taking the place of a run:
///
/// - A set that has come to an entity begins in the next frame: `start_life` of all its
///   capabilities that present, in their order, then `setup` of each that this machine may run, and
///   whether it begins active. It is evaluated from the frame after that on.
/// - Each frame ends what this machine may not run any more, from the last to the first, sets up
///   what it may run now, and then evaluates in order: blocks, the interval, one question, `tick`.
/// - When the set or the entity goes, the next frame deactivates and ends them from the last to the
///   first. The id of an entity that is gone is stale in these hooks.
///
/// Entities come in the order of their slots. Those without capabilities that present cost nothing.
///
/// After a rollback, or when a snapshot or save was loaded, what has the same entity, set and
/// number of the set goes on as it was, with its state: only what is missing after it ends.
///
/// Hooks only read: kn_hook_call.writable is NULL, and in Lua functions that change the world raise
/// an error. What they want to remember is in kn_capability_call.writable_state, which belongs to
/// the presenter; in the two questions it is NULL. Calls of the world about capabilities, such as
/// kn_capabilities() and kn_capability_number(), do not know those that present.
#ifndef KNACK_CAPABILITY_PRESENTER_H
#define KNACK_CAPABILITY_PRESENTER_H

#include "knack/capability.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Runs the capabilities of a world that present. Opaque; see kn_capability_presenter_create().
typedef struct kn_capability_presenter kn_capability_presenter;

/// How to create a presenter. Start from kn_capability_presenter_def_default().
typedef struct kn_capability_presenter_def {
    kn_hooks hooks;            ///< memory of the presenter; all-zero for malloc
    const kn_library *library; ///< a finished library with the kit; must outlive it; required
    void *user;                ///< passed to hooks: kn_capability_call.user
    uint32_t cookie;           ///< set by kn_capability_presenter_def_default(); do not change it
} kn_capability_presenter_def;

/// A def without a library.
KN_API kn_capability_presenter_def kn_capability_presenter_def_default(void);
/// Creates a presenter. Destroy it with kn_capability_presenter_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library that is
///         not finished or without the kit; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_capability_presenter_create(
    const kn_capability_presenter_def *def, kn_capability_presenter **presenter);
/// Destroys a presenter without calling a hook; kn_capability_presenter_clear() ends everything
/// before. NULL is ignored. Must not be called from a hook.
KN_API void kn_capability_presenter_destroy(kn_capability_presenter *presenter);

/// Presents a frame: what came and went since the last one, then one evaluation of the rest. Call
/// it between steps, any number of times from one to the next. Another world than before takes the
/// place of the former one, as if that had been loaded into it.
/// @param dt length of the frame, in time of the presentation; at least 0
/// @return KN_OK; KN_REFUSED_BAD_NUMBER for a time below 0; KN_ERROR_OUT_OF_MEMORY if a set could
///         not begin: none of its hooks was called, the next frame tries again, and everything
///         else was presented; KN_ERROR_INVALID_ARGUMENT for a world of another library;
///         KN_ERROR_WORLD_LOCKED from a hook, rule or listener; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_capability_present(
    kn_capability_presenter *presenter, const kn_world *world, kn_time dt);
/// Ends everything, the last first: such as before the world or the presenter is destroyed. What
/// the world still has begins anew in the next frame.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT, KN_ERROR_WORLD_LOCKED as above
KN_API kn_result kn_capability_presenter_clear(
    kn_capability_presenter *presenter, const kn_world *world);

// Looking at it -----------------------------------------------------------------------
//
// As of the last frame. Hooks may ask too.

/// True if a capability of an entity is active in a presenter.
/// @param set the set that it came with; null: any
KN_API bool kn_capability_presenter_is_active(const kn_capability_presenter *presenter,
    kn_entity_id entity, kn_capability_set_id set, kn_capability_id capability);
/// The state of a capability of an entity; NULL if it is not there or has none. Valid until the
/// next frame.
/// @param set the set that it came with; null: any
KN_API const void *kn_capability_presenter_state(const kn_capability_presenter *presenter,
    kn_entity_id entity, kn_capability_set_id set, kn_capability_id capability);
/// The capabilities of an entity that present, in their order; `place` counts them alone, and
/// `changed` is in time of the world. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_capability_presented(const kn_capability_presenter *presenter,
    kn_entity_id entity, kn_capability_info *out, uint32_t capacity);
/// Counts the capabilities of an entity that present; with the null id, of all.
KN_API kn_capability_counts kn_capability_presenter_count(
    const kn_capability_presenter *presenter, kn_entity_id entity);

#ifdef __cplusplus
}
#endif

#endif
