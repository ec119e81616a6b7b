// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Casts: abilities that take time. Part of knack::combat.
///
/// A cast belongs to an ability, by default to the one with the same name. The ability itself has
/// neither functions nor a body; the cast does everything from the activation to its end:
///
///   casts:
///     Fireball:
///       length: 2.5
///       applies: [{effect: Burn, to: target}]
///     Blizzard:
///       kind: channel
///       length: 8
///       ticks: 8
///       applies: [{effect: Frozen, to: targeting, targeting: Circle}]
///
/// A plain cast has one tick, at its end. A channel has `ticks` of them, evenly spaced, the last at
/// its end, and with `initial_tick` one more at its start, number 0. A held cast reaches stages and
/// ends when it is released. An instant one has tick 0 alone.
///
/// While an entity casts, its other abilities are refused with the reason `casting`, except those
/// with the tag `Knack.Use.WhileCasting` that do not cast in the slot themselves. Casts are part of
/// the state: they are predicted, rolled back and saved like everything else.
#ifndef KNACK_CAST_H
#define KNACK_CAST_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Names a cast of a library.
typedef struct kn_cast_id {
    uint32_t index1; ///< number of the definition, from 1; 0: none
} kn_cast_id;

/// What a cast does over time.
typedef enum kn_cast_kind {
    KN_CAST_PLAIN,      ///< one tick, at the end
    KN_CAST_CHANNEL,    ///< ticks at even distances, the last one at the end
    KN_CAST_HELD,       ///< stages at even distances; one tick, when it is released
    KN_CAST_INSTANT,    ///< tick 0 alone, at once
    KN_CAST_KIND_COUNT, ///< number of the values above; not a value itself
} kn_cast_kind;

/// When a cast pays its cost and starts the cooldowns that start at the commit.
typedef enum kn_cast_commit {
    KN_CAST_COMMIT_START,      ///< at the start
    KN_CAST_COMMIT_COMPLETION, ///< just before the last tick; if that is refused, it does not run
    KN_CAST_COMMIT_COUNT,      ///< number of the values above; not a value itself
} kn_cast_commit;

/// What happens to a tick whose data does not come in time.
typedef enum kn_cast_missing {
    KN_CAST_MISSING_SKIP,   ///< it does not run
    KN_CAST_MISSING_LAST,   ///< it runs with the data that came last
    KN_CAST_MISSING_SERVER, ///< the hook `aim` may provide data; then it runs
    KN_CAST_MISSING_COUNT,  ///< number of the values above; not a value itself
} kn_cast_missing;

/// How a cast ended.
typedef enum kn_cast_outcome {
    KN_CAST_DONE,          ///< it came to its end
    KN_CAST_CANCELLED,     ///< the caster, death, movement or game code cancelled it
    KN_CAST_INTERRUPTED,   ///< somebody interrupted it
    KN_CAST_REFUSED,       ///< it could not be paid, or was not allowed any more at its end
    KN_CAST_REJECTED,      ///< on a client: the server refused what was predicted
    KN_CAST_OUTCOME_COUNT, ///< number of the values above; not a value itself
} kn_cast_outcome;

/// Why a tick did not run.
typedef enum kn_cast_lost {
    KN_CAST_LOST_LATE,  ///< its data did not come in time
    KN_CAST_LOST_VOID,  ///< the cast was interrupted or cancelled before its data came
    KN_CAST_LOST_COUNT, ///< number of the values above; not a value itself
} kn_cast_lost;

/// Arguments passed to the hooks of a cast. Hooks run wherever the ability runs: `role` says where
/// that is. Observers run no abilities: show them cues.
typedef struct kn_cast_call {
    kn_activation_id activation; ///< the activation that casts
    kn_ability_id ability;       ///< its ability
    kn_entity_id target;         ///< target of the event it was activated with; may be null
    kn_entity_id instigator;     ///< who cancelled or interrupted it; may be null
    kn_time late;                ///< how long after its time a tick runs, for lack of data
    uint32_t tick;               ///< number of the tick, or of the last one that ran
    uint32_t ticks;              ///< number of the last tick there is
    uint32_t stage;              ///< stages that a held cast has reached
    kn_cast_outcome outcome;     ///< how it ended, in hooks about its end
    kn_net_role role;            ///< what this machine is to the caster
    uint32_t unused;             ///< fills up the struct; zero
} kn_cast_call;

/// Most ticks, and most stages, of a cast.
#define KN_CAST_TICKS_MAX 10000

/// A cast, in data files under `casts`. Start from kn_cast_def_default().
typedef struct kn_cast_def {
    const char *name;           ///< unique name; required
    kn_ability_type_id ability; ///< the ability that is cast; default: the one of the same name
    kn_cast_kind kind;          ///< what it does over time; default plain
    /// Seconds from the start to the end, for a held cast to the last stage; source and target are
    /// the caster, the level is that of the ability. 0 or less: all ticks run at once, in order,
    /// and there is nothing to see or to interrupt. Default 0.
    kn_magnitude length;
    /// Transient value of the caster whose modifiers change the length; default
    /// `Knack.CastLength`.
    kn_value_id value;
    bool is_static;    ///< modifiers do not change the length; default false
    uint32_t ticks;    ///< ticks of a channel without the initial one, 1 to 10000; default 1
    bool initial_tick; ///< a channel has a tick 0 at its start; default false
    const kn_ability_apply_def *applies;   ///< what every tick applies
    uint32_t apply_count;                  ///< number of entries in `applies`
    const kn_ability_apply_def *completes; ///< what is applied after the last tick
    uint32_t complete_count;               ///< number of entries in `completes`
    /// When it pays its cost and starts cooldowns; default start. Cooldowns with `starts:
    /// at_activation`, such as a global one, start with the activation in any case.
    kn_cast_commit commit;
    /// Before the last tick everything that may refuse the ability is checked once more; if
    /// something does, the cast ends as `refused`. Default false.
    bool revalidate;
    bool interruptible; ///< it can be interrupted; default true
    /// Tags that an interrupt locks out; default: the tags of the ability but those below `Knack`.
    kn_tags school;
    /// Tags that break it: gaining one cancels the cast, and it cannot begin with one.
    /// `Knack.Moving` is for movement, and the reason then is `moving`.
    kn_tags breaks_on;
    /// Seconds by which a hit prolongs a plain or held cast, never beyond its full length; source
    /// and target are the caster; default 0.5.
    kn_magnitude pushback;
    float pushback_share; ///< share of its full length by which a hit shortens a channel; default
                          ///< 0.25
    uint32_t pushbacks;   ///< most hits that push it back; 0: none do; default 2
    /// Transient value of the caster whose modifiers change the seconds of a pushback; default
    /// `Knack.Pushback`.
    kn_value_id pushback_value;
    bool pushed_by_ticks; ///< ticks of periodic effects push it back too; default false
    bool frees_global;    ///< cancelling it ends the global cooldown that it started; default false
    bool in_slot;         ///< nothing else can be used meanwhile; default true
    uint32_t stages;      ///< stages of a held cast, 1 to 10000; default 1
    /// Seconds that a held cast can be held after its last stage, before it is released by itself;
    /// default 0.
    float hold;
    /// Each tick but the initial one waits for data from the player (kn_cast_provide()), which
    /// replaces the targets of the activation. Nothing waits for entities that this machine
    /// controls. Default false.
    bool needs_data;
    /// Seconds that a tick waits for its data, but at least until the next tick is due; default
    /// 0.25.
    float late_limit;
    kn_cast_missing missing; ///< what happens to a tick without data; default skip
    kn_tag cue;              ///< cue that is shown as long as the cast lasts; null: none
    kn_tag tick_cue;         ///< cue that each tick executes; null: none
    kn_tag cancel_cue;       ///< cue that is executed when it is cancelled; null: none
    kn_tag interrupt_cue;    ///< cue that is executed when it is interrupted; null: none
    kn_hook began;           ///< called when it has begun, before an initial tick
    kn_hook tick;            ///< called with each tick, before its effects are applied
    kn_hook completed;       ///< called when it completes
    kn_hook cancelled;       ///< called when it is cancelled, or refused at its end
    kn_hook interrupted;     ///< called when it is interrupted
    /// Called when the server refuses a predicted cast: on the server, which has no activation
    /// then, and on the client. Only clean up what was predicted here.
    kn_hook rejected;
    kn_hook tick_refused; ///< called for a tick that does not run, for lack of data
    kn_hook aim;          ///< provides data for a tick that lacks it; with `missing: server`
    uint32_t cookie;      ///< set by kn_cast_def_default(); do not change it
} kn_cast_def;

/// A plain cast without length, with the usual numbers for pushback.
KN_API kn_cast_def kn_cast_def_default(void);
/// Registers a cast. kn_library_finish() refuses casts without an ability, two for one ability, and
/// those whose ability has functions, a body or no instances.
/// @return KN_OK; KN_ERROR_BAD_DATA for numbers out of range, fields that the kind of cast does not
///         have, or an invalid name; KN_REFUSED_DUPLICATE for a name that is taken;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_cast_register(
    kn_library *library, const kn_cast_def *def, kn_cast_id *cast, kn_error *error);
/// The cast with this name; null when there is none.
KN_API kn_cast_id kn_cast_find(const kn_library *library, const char *name);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_cast_def *kn_cast_get_def(const kn_library *library, kn_cast_id cast);
/// The cast of an ability, in a finished library; null if it has none.
KN_API kn_cast_id kn_cast_of_ability(const kn_library *library, kn_ability_type_id ability);

// Looking at casts ------------------------------------------------------------

/// What an entity casts, for cast bars. Times are simulated times.
typedef struct kn_cast_info {
    kn_activation_id activation; ///< the activation that casts; null for observers
    kn_ability_type_id ability;  ///< the ability that is cast
    kn_cast_id cast;             ///< its definition
    kn_cast_kind kind;           ///< what it does over time
    kn_time start;               ///< when it began
    kn_time end;                 ///< when it is over, as things stand
    kn_time total;               ///< its full length, without pushback
    kn_time next;                ///< when the next tick or stage is due; `end` if none is
    uint32_t tick;               ///< number of the last tick that was due; 0 before the first
    uint32_t ticks;              ///< number of the last tick there is
    uint32_t stage;              ///< stages that a held cast has reached
    uint32_t stages;             ///< stages there are; 0 for other kinds
    uint32_t pushed;             ///< how often it was pushed back
    bool is_interruptible;       ///< it can be interrupted
    float progress;              ///< how far it is at the present time, 0 to 1
} kn_cast_info;

/// Fills `info` with what an entity casts. On every machine, for observers too. False, and `info`
/// zeroed, if it does not cast, for casts that are not `in_slot`, and for a stale id.
KN_API bool kn_cast_get(const kn_world *world, kn_entity_id entity, kn_cast_info *info);
/// Fills `info` with the cast of an activation, also one that is not `in_slot`. False, and `info`
/// zeroed, if it does not cast.
KN_API bool kn_cast_get_activation(
    const kn_world *world, kn_activation_id activation, kn_cast_info *info);

// What rules and the host do ----------------------------------------------------

/// Begins a cast with an activation that runs: for abilities with functions of their own, which
/// call it in `activate`. The cast ends the activation.
/// @return KN_OK; KN_REFUSED_STALE_ID for an activation that is over or ending;
///         KN_REFUSED_DUPLICATE if it casts already; KN_REFUSED_BLOCKED if its owner casts
///         something else, or the ability has no instances; the refusal of the commit, after which
///         the activation is cancelled; the refusal of its length, see kn_magnitude_evaluate();
///         KN_ERROR_INVALID_ARGUMENT for an unknown cast; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_start(kn_world *world, kn_activation_id activation, kn_cast_id cast);
/// Cancels what an entity casts. Nothing is refunded; with `frees_global` the global cooldown ends.
/// @param last_tick number of the last tick that the player has seen: ticks up to it still run,
///                  those with `needs_data` if their data comes in time; 0: no further one does
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if it casts nothing;
///         KN_REFUSED_BLOCKED for an activation that is not cancelable; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_cancel(kn_world *world, kn_entity_id entity, uint32_t last_tick);
/// Releases a held cast: with at least one stage it runs its tick and is done, otherwise it is
/// cancelled.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if the entity does not hold a cast;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_release(kn_world *world, kn_entity_id entity);
/// Pushes back what an entity casts, as a hit does.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if it casts nothing; KN_REFUSED_LIMIT
///         if it was pushed back as often as it can be, or in its last tick; KN_REFUSED_BAD_NUMBER
///         for a pushback that is not a number; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_push_back(kn_world *world, kn_entity_id entity);
/// Sets whether what an entity casts can be interrupted.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if it casts nothing;
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_set_interruptible(
    kn_world *world, kn_entity_id entity, bool is_interruptible);
/// Provides the data of one tick of a cast with `needs_data`. Data that comes early is kept until
/// the tick is due, data that comes late makes the tick run at once. The first data of a tick
/// counts; what else comes is counted, see kn_cast_dropped().
/// @param tick number of the tick, from 1
/// @param targets copied; replaces the targets of the activation when the tick runs
/// @return KN_OK; KN_REFUSED_STALE_ID for an activation that is over; KN_REFUSED_NOT_FOUND if it
///         does not cast, or its ticks take no data; KN_REFUSED_LIMIT for a tick that does not
///         exist, comes after the last one that may run, or waits no more; KN_REFUSED_DUPLICATE if
///         its data is there; KN_ERROR_BAD_DATA for malformed targets; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_provide(
    kn_world *world, kn_activation_id activation, uint32_t tick, kn_target_view targets);
/// How often data for a tick of an entity was dropped since it was created. 0 for a stale id.
KN_API uint32_t kn_cast_dropped(const kn_world *world, kn_entity_id entity);

// Commands --------------------------------------------------------------------

/// Payload of the command `cast_cancel`: kn_cast_cancel().
typedef struct kn_cast_cancel_command {
    uint32_t last_tick; ///< number of the last tick that the player has seen; 0: none
} kn_cast_cancel_command;
/// Payload of the command `cast_data`, which carries target data: kn_cast_provide(). The command
/// `cast_release`, kn_cast_release(), has no payload.
typedef struct kn_cast_data_command {
    /// Number of the command that began the activation (kn_activation_key()); 0: what the entity
    /// casts now.
    uint32_t use;
    uint32_t tick; ///< number of the tick, from 1
} kn_cast_data_command;

// Events ------------------------------------------------------------------------

/// Payload of the event `Knack.CastStarted`.
typedef struct kn_cast_started {
    kn_activation_id activation; ///< the activation that casts
    kn_time length;              ///< its length
    kn_ability_type_id ability;  ///< the ability that is cast
    kn_cast_id cast;             ///< its definition
    kn_cast_kind kind;           ///< what it does over time
    uint32_t ticks;              ///< number of the last tick there is
} kn_cast_started;

/// Payload of the event `Knack.CastTick`.
typedef struct kn_cast_ticked {
    kn_activation_id activation; ///< the activation that casts
    kn_time late;                ///< how long after its time it runs, for lack of data
    kn_ability_type_id ability;  ///< the ability that is cast
    kn_cast_id cast;             ///< its definition
    uint32_t tick;               ///< number of the tick; 0 is the initial one
    uint32_t ticks;              ///< number of the last tick there is
    uint32_t stage;              ///< stages that a held cast has reached
    uint32_t unused;             ///< fills up the struct; zero
} kn_cast_ticked;

/// Payload of the event `Knack.CastTickRefused`: a tick that does not run, for lack of data.
typedef struct kn_cast_tick_refused {
    kn_activation_id activation; ///< the activation that casts
    kn_ability_type_id ability;  ///< the ability that is cast
    kn_cast_id cast;             ///< its definition
    uint32_t tick;               ///< number of the tick
    kn_cast_lost reason;         ///< why it does not run
} kn_cast_tick_refused;

/// Payload of the event `Knack.CastPushed`.
typedef struct kn_cast_pushed {
    kn_activation_id activation; ///< the activation that casts
    kn_time end;                 ///< when the cast is over now
    kn_time change;              ///< by how much that has moved; below 0 for a channel
    kn_cast_id cast;             ///< its definition
    uint32_t count;              ///< how often it was pushed back
} kn_cast_pushed;

/// Payload of the event `Knack.CastEnded`.
typedef struct kn_cast_ended {
    kn_activation_id activation; ///< the activation that cast; may be stale already
    kn_entity_id instigator;     ///< who cancelled or interrupted it; may be null
    kn_time start;               ///< when it began
    kn_time left;                ///< time that was left; 0 if it came to its end
    kn_ability_type_id ability;  ///< the ability that was cast
    kn_cast_id cast;             ///< its definition
    kn_tag tag;                  ///< the tag that broke it; null: none did
    uint32_t tick;               ///< number of the last tick that was due
    uint32_t stage;              ///< stages that a held cast reached
    kn_cast_outcome outcome;     ///< how it ended
    uint32_t reasons;            ///< kn_fail bits, if it was refused at its end
    uint32_t unused;             ///< fills up the struct; zero
} kn_cast_ended;

/// Payload of the event `Knack.UseHeld`: a use that was refused for nothing but a cast which is
/// over within the tolerance of its entity (kn_entity_set_tolerance()). It is carried out then,
/// with the event it was to be activated with.
typedef struct kn_cast_held {
    kn_ability_id ability; ///< the ability that waits
    kn_time until;         ///< when the cast is over, as things stand
} kn_cast_held;

// Interrupts ------------------------------------------------------------------

/// An interrupt. Start from kn_interrupt_def_default(). Effects interrupt their target with
/// `raises: {Knack.Interrupt: 4}`, where the number is the seconds of the lock-out.
typedef struct kn_interrupt_def {
    kn_entity_id target;     ///< who is interrupted; required
    kn_entity_id instigator; ///< who interrupts; may be null
    kn_tags any_tags;        ///< only casts of abilities with any of these tags; empty: any cast
    float lockout;           ///< seconds of the lock-out; 0: none
    uint32_t cookie;         ///< set by kn_interrupt_def_default(); do not change it
} kn_interrupt_def;

/// What an interrupt did.
typedef struct kn_interrupt_result {
    kn_activation_id activation; ///< the activation that was interrupted; stale by now
    kn_ability_type_id ability;  ///< its ability
    kn_cast_id cast;             ///< its cast
    kn_effect_id blocked_by;     ///< the effect whose gate refused the interrupt; null: none
    float lockout;               ///< seconds of the lock-out, after modifiers; 0: none
} kn_interrupt_result;

/// An interrupt without a lock-out.
KN_API kn_interrupt_def kn_interrupt_def_default(void);
/// Interrupts what an entity casts and locks out its school. The interrupt is an event record of
/// the kind `Knack.Interrupt` with the tags of the ability: gates of effects may refuse it, and
/// modifiers on the value `Knack.Lockout` of the target change the seconds. Not for casts outside
/// of the slot.
/// @param result receives what it did; may be NULL
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the target casts nothing with these tags;
///         KN_REFUSED_BLOCKED if the cast is not interruptible, or a gate refuses;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BAD_NUMBER for a lock-out below 0 or not finite;
///         KN_REFUSED_LIMIT in too long a chain; KN_ERROR_INVALID_ARGUMENT for a def without its
///         defaults, or unknown tags; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_cast_interrupt(
    kn_world *world, const kn_interrupt_def *def, kn_interrupt_result *result);

// Lock-outs -------------------------------------------------------------------

/// A lock-out: abilities with the tag, or one below it, cannot be activated.
typedef struct kn_lockout {
    kn_tag tag;              ///< what is locked out
    kn_entity_id instigator; ///< who caused it last; may be null or stale
    kn_time start;           ///< when it began
    kn_time end;             ///< when it is over
} kn_lockout;

/// Locks out abilities of an entity for some time. A lock-out of the same tag that lasts longer
/// stays; a shorter one is prolonged.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING; KN_REFUSED_BAD_NUMBER for seconds that are
///         not above 0; KN_ERROR_INVALID_ARGUMENT for no tags, or unknown ones;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_lockout_add(
    kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id instigator, float seconds);
/// Ends the lock-out of a tag, or with a null tag all of an entity.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if there is none;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_lockout_remove(kn_world *world, kn_entity_id entity, kn_tag tag);
/// The lock-outs of an entity, oldest first. Returns how many there are; at most `capacity` are
/// written.
KN_API uint32_t kn_lockouts(
    const kn_world *world, kn_entity_id entity, kn_lockout *out, uint32_t capacity);

/// Payload of the events `Knack.LockedOut` and `Knack.LockoutEnded`.
typedef struct kn_lockout_event {
    kn_entity_id instigator; ///< who caused it; may be null or stale
    kn_time end;             ///< when it is over
    kn_tag tag;              ///< what is locked out
    uint32_t unused;         ///< fills up the struct; zero
} kn_lockout_event;

// The global cooldown -----------------------------------------------------------

/// The global cooldown is a cooldown that abilities share under the key `Knack.Cooldown.Global`:
///
///   abilities:
///     Fireball:
///       cooldowns: [{key: Knack.Cooldown.Global, duration: 1.5, starts: at_activation,
///         value: Knack.GlobalLength}]
///
/// kn_library_finish() refuses one that starts otherwise, or has more than one charge. A game with
/// a floor and a ceiling registers a value with `min` and `max` and names it instead of
/// `Knack.GlobalLength`. KN_EVENT_CHARGES publishes its starts, ends and corrections.
///
/// @return a global cooldown of this many seconds, for kn_ability_def.cooldowns
KN_API kn_cooldown_def kn_global_cooldown_def(const kn_library *library, float seconds);
/// The key of the global cooldown; null for a library without the kit.
KN_API kn_tag kn_global_cooldown_key(const kn_library *library);
/// Time left and whole length of the global cooldown of an entity. False, and 0 for both, if none
/// runs.
KN_API bool kn_global_cooldown(
    const kn_world *world, kn_entity_id entity, kn_time *left, kn_time *total);
/// Ends the global cooldown of an entity.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND if none runs; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_global_cooldown_end(kn_world *world, kn_entity_id entity);

#ifdef __cplusplus
}
#endif

#endif
