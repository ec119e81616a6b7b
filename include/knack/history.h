// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The past of a grid, for lag compensation: where bodies were a moment ago.
///
/// A player aims at what is on its screen, and that shows others as they were some time ago. A
/// history keeps the bodies of a kn_grid for that long. While the world carries out a command with
/// a `view` in the past (command.h), all queries of the grid's space are answered as of then, so
/// that rules need not know of it:
///
///     kn_grid_register(library, NULL, &error);
///     kn_history_register(library, &error);    // both before kn_library_finish()
///     ...
///     kn_history_def def = kn_history_def_default();
///     def.grid = grid;                         // whose space the world has
///     kn_result result = kn_history_create(&def, &history);
///
/// What the connection of the command controls stays where it is now, since its player sees it
/// there. Entities that were destroyed are not found, whatever the time, and those that did not
/// have a body yet are not found either. Only bodies are of the past: tags, attributes and effects
/// are those of the present.
///
/// The past decides what commands do, so it is state: it lies in components of the world
/// (KN_HISTORY_NAME, KN_HISTORY_PAST_NAME), which saves, snapshots and hashes cover. A world that
/// was loaded, restored or is replayed from a recording therefore gives the same results at once;
/// it needs a history with the same settings. Clients do not receive it.
///
/// Each step ends with keeping the bodies that changed since the step before; the cost follows
/// those. So what the host moves between two steps counts as moved in the second one, which is also
/// how a server sends it. A body takes about 50 bytes per step in which it changed, until the time
/// to keep is over, and as much while it rests.
#ifndef KNACK_HISTORY_H
#define KNACK_HISTORY_H

#include "knack/space.h"

#ifdef __cplusplus
extern "C" {
#endif

/// The name of the component type that holds times of a history, on the world itself.
#define KN_HISTORY_NAME "Knack.History"
/// The name of the component type that holds the past of a body.
#define KN_HISTORY_PAST_NAME "Knack.History.Past"
/// Most changes that are kept of one body. With shorter steps than `keep` divided by this the
/// history of bodies that move does not reach back as far; those are found where they were first.
#define KN_HISTORY_SAMPLES_MAX 256

/// The past of one grid. Created by kn_history_create().
typedef struct kn_history kn_history;

/// Registers the component types of histories; a second call finds them.
/// @return KN_OK, or what kn_component_register() returns
KN_API KN_MUST_USE kn_result kn_history_register(kn_library *library, kn_error *error);

/// Says where a body was, for a history that does not keep it itself. The answers for a past time
/// must not change.
/// @return true; false if there was no body then
typedef bool kn_history_source_fn(
    void *user, const kn_world *world, kn_entity_id entity, kn_time time, kn_body *body);

/// How to create a history. Start from kn_history_def_default().
typedef struct kn_history_def {
    /// The grid whose bodies are kept; required; must outlive all use of the history but
    /// kn_history_destroy(). A grid has at most one history.
    kn_grid *grid;
    kn_time keep; ///< how long the past is kept, above 0, at most 10 s; default 500 ms
    /// Layers of bodies that are shown in the past; those on none of them now stay where they are,
    /// such as platforms that rules move on all machines alike; default all.
    uint32_t layers;
    /// Says where bodies were; default NULL: the history keeps it in the world. For clients, which
    /// ask their session (kn_client_body_at()): nothing is kept then, the components need not be
    /// registered, and each query looks at all bodies.
    kn_history_source_fn *source;
    void *user;      ///< passed to `source`
    kn_hooks hooks;  ///< memory of the index over the past; all-zero for malloc
    uint32_t cookie; ///< set by kn_history_def_default(); do not change it
} kn_history_def;

/// A def that keeps 500 ms, without a grid.
KN_API kn_history_def kn_history_def_default(void);
/// Creates a history, which begins now, with the bodies that are there, or finds the past that the
/// world has already. From then on the space of the grid keeps and shows the past. Destroy it with
/// kn_history_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, without a grid, with a
///         time out of range, a grid that has a history, or a world whose library does not have the
///         components (kn_history_register()); KN_ERROR_WORLD_BROKEN; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_history_create(const kn_history_def *def, kn_history **history);
/// Destroys a history. NULL is ignored. What was kept stays in the world, but nothing is added.
KN_API void kn_history_destroy(kn_history *history);

/// The earliest time that a history can show; earlier ones are shown as this one. 0 with a source.
KN_API kn_time kn_history_begin(const kn_history *history);
/// Where an entity was. Between two steps the position and the facing move along a line. False, and
/// all zero, if it had no body then, and for a stale id.
KN_API bool kn_history_body(
    const kn_history *history, kn_entity_id entity, kn_time time, kn_body *body);

/// Shows the past in all queries of the grid's space until kn_history_resume(): for hosts, such as
/// for looking at what a player saw. Commands do this by themselves.
/// @param time of the world; later than the present is the present
/// @param connection what it controls stays where it is; 0: all is as it was
/// @return true if it is shown; false inside a command that shows the past already
KN_API bool kn_history_rewind(kn_history *history, kn_time time, uint32_t connection);
/// Shows the present again.
KN_API void kn_history_resume(kn_history *history);

/// What a history holds.
typedef struct kn_history_stats {
    uint32_t bodies;  ///< bodies whose past is kept
    uint32_t moving;  ///< of them, those that have changed during the time to keep
    uint64_t samples; ///< states of bodies that are kept
    uint64_t bytes;   ///< bytes in the world for them
} kn_history_stats;

/// What a history holds now; all-zero for NULL. Walks all bodies.
KN_API kn_history_stats kn_history_get_stats(const kn_history *history);

#ifdef __cplusplus
}
#endif

#endif
