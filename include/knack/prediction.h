// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Prediction: which command is behind something, and what a client does ahead of its server.
///
/// A client runs the same rules as the server with the same commands. So everything that follows
/// from a command has the same name on both sides: the connection that sent it, its sequence, and
/// the simulated time at which it happened. That name is a prediction key. What has no command
/// behind it, since the server did it by itself, has the null key.
///
///   kn_prediction_key key = kn_event_key(world, event);
///   if (kn_prediction_key_is_null(key)) { ... }        // nobody's command
#ifndef KNACK_PREDICTION_H
#define KNACK_PREDICTION_H

#include "knack/event.h"
#include "knack/id.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Keys ----------------------------------------------------------------------

/// The command behind something. All that follows from one command has its connection and sequence,
/// tasks, effects and their ticks included, and later parts have a later time. If the server
/// refuses a command, all of that is undone on the client.
typedef struct kn_prediction_key {
    uint32_t connection; ///< connection of the player who sent the command; 0: this machine itself
    uint32_t sequence;   ///< number of the command among those of its connection
    kn_time time;        ///< simulated time at which what the key names happened
} kn_prediction_key;

/// True for the key of what no command is behind: connection and sequence are 0.
static inline bool kn_prediction_key_is_null(kn_prediction_key key)
{
    return key.connection == 0 && key.sequence == 0;
}
/// True if both follow from the same command, at whatever time; false for null keys.
static inline bool kn_prediction_key_is_same_use(kn_prediction_key a, kn_prediction_key b)
{
    return a.connection == b.connection && a.sequence == b.sequence &&
           !kn_prediction_key_is_null(a);
}
/// Orders keys of one connection: below 0 if `a` comes before `b`, 0 if they are equal, else above
/// 0. Sequences count before times, and go on after 4294967295 with 1.
static inline int kn_prediction_key_compare(kn_prediction_key a, kn_prediction_key b)
{
    if (a.sequence != b.sequence) {
        return a.sequence - b.sequence < UINT32_C(0x80000000) ? 1 : -1;
    }
    return a.time < b.time ? -1 : a.time > b.time;
}

/// The key of a cause that kn_cause_get() knows; its `time` is 0, since causes have none. Null for
/// what no command is behind, and for an unknown cause.
KN_API kn_prediction_key kn_cause_key(const kn_world *world, kn_cause cause);
/// For rules: the key of what runs now, at the present time. Null outside of the simulation.
KN_API kn_prediction_key kn_world_key(const kn_world *world);
/// The key of an event of the last step; also for listeners.
KN_API kn_prediction_key kn_event_key(const kn_world *world, const kn_event *event);
/// The key of an activation: the command that it began with, and when. Null for a stale id.
KN_API kn_prediction_key kn_activation_key(const kn_world *world, kn_activation_id activation);
/// The key of an active effect: the command behind the activation that applied it, and when it
/// began. Null for one that no activation applied, and for a stale id.
KN_API kn_prediction_key kn_effect_key(const kn_world *world, kn_effect_id effect);

// What clients do not predict -----------------------------------------------

/// True if what the world does now is ahead of what its server is known to have done: in a client's
/// world (kn_world_def.is_client), but for steps of which kn_world_set_predicting() says otherwise.
/// While it is true, effects and executions whose def has `predict: false` are left out: applying
/// such an effect gives KN_OK and the null id, and publishes nothing. False for NULL.
KN_API bool kn_world_is_predicting(const kn_world *world);
/// For a transport, on a client: sets whether what the world does next is predicted, as at first,
/// or known to have happened on the server, with the commands that it gets. Then nothing is left
/// out, and the world goes on as the server's did. Not a part of the state: restoring a snapshot
/// keeps it. kn_client uses it.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a world that is not a client's;
///         KN_ERROR_WORLD_LOCKED from a rule
KN_API kn_result kn_world_set_predicting(kn_world *world, bool is_predicting);
/// For rules about what clients do not predict: whether to leave it out now, since only the server
/// decides. Ask each time that it would happen, and only then: when a client's world goes on as the
/// server's did, the call counts in kn_world_unpredicted(), so that what was predicted without it
/// is simulated again.
/// @return kn_world_is_predicting(): false on a server, in a world that is alone, and for NULL
KN_API bool kn_world_leaves_out(kn_world *world);
/// Counts, in a client's world that does not predict, what a predicting one would have left out or
/// done at another time. If the number changes, what was predicted before is wrong. Not a part of
/// the state. 0 for NULL.
KN_API uint64_t kn_world_unpredicted(const kn_world *world);

// Uses that come too early --------------------------------------------------

/// Share of the round trip that kn_tolerance_of() is mostly called with.
#define KN_TOLERANCE_FACTOR 0.2f
/// Longest round trip that counts for a tolerance: a client gains nothing by answering late.
#define KN_TOLERANCE_CAP KN_MS(300)
/// Least `limit` of a tolerance that kn_tolerance_of() gives.
#define KN_TOLERANCE_LIMIT_MIN KN_MS(30)

/// How much too early uses of an entity's cooldowns may come. Over a network the moments at which
/// uses arrive vary; without a tolerance, one that was carried out late would make the next one
/// come too early. All-zero: no tolerance.
typedef struct kn_tolerance {
    /// How long before its end a cooldown that a use started may be used again, from 0. The charge
    /// is borrowed: it is booked when the cycle ends, and the next cycle starts there. So the rate
    /// of uses does not rise.
    kn_time early;
    /// Most that uses of one cooldown may be too early, added up (kn_ledger), from 0.
    kn_time limit;
} kn_tolerance;

/// A tolerance from a measured round trip, best a median: `factor` of it, but at most `cap`, and a
/// limit of half of it, but at least KN_TOLERANCE_LIMIT_MIN. All-zero for a round trip or factor of
/// 0 or less.
KN_API kn_tolerance kn_tolerance_of(kn_time round_trip, float factor, kn_time cap);
/// Sets the tolerance of an entity for cooldowns of its abilities. A part of the state, equal on
/// server and client; kn_server sets it for players whose commands came late.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for times below 0 or beyond
///         KN_TIME_MAX; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_entity_set_tolerance(
    kn_world *world, kn_entity_id entity, kn_tolerance tolerance);
/// The tolerance of an entity; all-zero if it has none, and for a stale id.
KN_API kn_tolerance kn_entity_tolerance(const kn_world *world, kn_entity_id entity);

/// A book about how much too early uses came. It is plain data, for timers of kits and games too;
/// all-zero is a new one. With s between two uses, of which the first had to be followed by a pause
/// of L, uses are too early by E = max(0, E + L - s): variations of an honest line even out, and
/// what a cheat gains adds up.
typedef struct kn_ledger {
    kn_time early;  ///< how much too early uses have come so far
    kn_time used;   ///< simulated time of the last use
    kn_time length; ///< pause that has to follow it
} kn_ledger;

/// How much too early uses would have come with one now.
KN_API kn_time kn_ledger_early(const kn_ledger *ledger, kn_time now);
/// Books a use, after which a pause of `length` has to follow. False, with nothing booked, if that
/// would be too early by more than `limit` in all.
KN_API bool kn_ledger_use(kn_ledger *ledger, kn_time now, kn_time length, kn_time limit);

#ifdef __cplusplus
}
#endif

#endif
