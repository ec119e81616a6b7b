// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Tickers: behaviours that are checked at an interval on each entity that has them, with state of
/// their own. A ticker waits until it should start, ticks while it runs, and stops when it should.
/// Those of scripts are the same (knack/script.h).
///
///   kn_ticker_def def = kn_ticker_def_default();
///   def.name = "Hover";
///   def.interval = KN_MS(50);
///   def.state_size = sizeof(hover);
///   def.state_fields = hover_fields;
///   def.state_field_count = 2;
///   def.should_start = hover_should_start;
///   def.tick = hover_tick;
///
/// On an entity it consists of a component and a timer, both registered under the name of the
/// ticker: so its state is saved field by field, rolled back, hashed and dumped, and it ends with
/// its entity.
#ifndef KNACK_TICKER_H
#define KNACK_TICKER_H

#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Arguments passed to a hook of a ticker. Valid during the call.
typedef struct kn_ticker_call {
    kn_world *world;     ///< may be changed, except by `should_start` and `should_stop`
    kn_ticker_id ticker; ///< the ticker
    kn_entity_id entity; ///< the entity it is on; null for the world itself
    kn_time dt;          ///< `tick`: time since the last tick, or since it started; otherwise 0
} kn_ticker_call;

/// A test of a ticker: writes its answer to `*answer`, which holds the default. It must not change
/// the world. KN_REFUSED_LIMIT leaves everything as it is until the next check; any other result
/// but KN_OK removes the ticker.
typedef kn_result kn_ticker_test_fn(void *user, const kn_ticker_call *call, bool *answer);
/// A hook of a ticker. A rule, whose calls take effect at once. Any result but KN_OK removes the
/// ticker. It finds its state with kn_ticker_state(), and may remove the ticker itself.
typedef kn_result kn_ticker_fn(void *user, const kn_ticker_call *call);

/// A ticker. Start from kn_ticker_def_default().
typedef struct kn_ticker_def {
    const char *name; ///< unique name, also among components and timers; required
    kn_time interval; ///< time between two checks, above 0; required
    /// Bytes of state on each entity, at most 4096: plain data without pointers.
    uint32_t state_size;
    /// The fields of the state, in order, covering all of it; required if there is a state.
    const kn_field *state_fields;
    uint32_t state_field_count; ///< number of entries in `state_fields`
    /// Called when it is added to an entity, to fill in its state, which is zeroed; may be NULL.
    kn_ticker_fn *added;
    /// Called at each check while it is not running: whether it starts; NULL: it starts at once.
    kn_ticker_test_fn *should_start;
    /// Called at each check while it is running: whether it stops; NULL: it stops when
    /// `should_start` no longer holds.
    kn_ticker_test_fn *should_stop;
    kn_ticker_fn
        *started; ///< called when it starts running, one check before the first tick; may be NULL
    kn_ticker_fn *tick; ///< called at each check while it is running and does not stop; may be NULL
    /// Called when it stops running, or is removed while running; not called when its entity is
    /// destroyed; may be NULL.
    kn_ticker_fn *stopped;
    void *user;      ///< passed to the hooks
    uint32_t cookie; ///< set by kn_ticker_def_default(); do not change it
} kn_ticker_def;

/// A ticker def with nothing set.
KN_API kn_ticker_def kn_ticker_def_default(void);
/// Registers a ticker, and a component and a timer type of the same name that carry it.
/// @return KN_OK; KN_ERROR_BAD_DATA for an interval of 0 or below, a state that is too large or
/// that
///         its fields do not cover byte for byte, or an invalid name; KN_REFUSED_DUPLICATE if a
///         ticker, a component or a timer has this name; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_ticker_register(
    kn_library *library, const kn_ticker_def *def, kn_ticker_id *ticker, kn_error *error);
/// The ticker with this name. Null when there is none; a finished library then logs a warning, once
/// per name.
KN_API kn_ticker_id kn_ticker_find(const kn_library *library, const char *name);
/// The name of a ticker; "" for null. Valid as long as the library.
KN_API const char *kn_ticker_name(const kn_library *library, kn_ticker_id ticker);
/// The def of a ticker as registered; it belongs to the library. NULL when unknown.
KN_API const kn_ticker_def *kn_ticker_get_def(const kn_library *library, kn_ticker_id ticker);
/// The timer type of a ticker; null when unknown. An archetype that lists it among its timers adds
/// the ticker to its entities; so does kn_timer_start() with no data, when the timer fires.
KN_API kn_timer_type_id kn_ticker_timer_type(const kn_library *library, kn_ticker_id ticker);
/// The component of a ticker, which holds its state under the names of its fields, after fields of
/// the library that begin with "kn."; null when unknown.
KN_API kn_component_type_id kn_ticker_component(const kn_library *library, kn_ticker_id ticker);

/// Adds a ticker to an entity, or with the null id to the world itself. It is checked for the first
/// time now: within this step, or at the beginning of the next; then at exact intervals.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the entity has it already; KN_REFUSED_STALE_ID;
///         KN_ERROR_INVALID_ARGUMENT for an unknown ticker; what `added` returned, if not KN_OK;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN. On anything but KN_OK it is not there
KN_API KN_MUST_USE kn_result kn_ticker_start(
    kn_world *world, kn_ticker_id ticker, kn_entity_id entity);
/// Removes a ticker from an entity (null: from the world), after its `stopped` if it is running.
/// False if there is none.
KN_API bool kn_ticker_stop(kn_world *world, kn_ticker_id ticker, kn_entity_id entity);
/// True if an entity (null: the world) has the ticker, whether it is running or not.
KN_API bool kn_ticker_is_there(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity);
/// True if the ticker is running, that is between `started` and `stopped`.
KN_API bool kn_ticker_is_running(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity);
/// Time until its next check; 0 if there is none, and during a check.
KN_API kn_time kn_ticker_remaining(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity);
/// The state of a ticker on an entity (null: on the world), for writing; NULL if the ticker is not
/// there or has no state. Valid until the next call that may create something.
KN_API void *kn_ticker_state(kn_world *world, kn_ticker_id ticker, kn_entity_id entity);
/// The state of a ticker on an entity (null: on the world), for reading; NULL if the ticker is not
/// there or has no state. Valid until the next call that may create something.
KN_API const void *kn_ticker_read_state(
    const kn_world *world, kn_ticker_id ticker, kn_entity_id entity);

#ifdef __cplusplus
}
#endif

#endif
