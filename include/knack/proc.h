// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Procs: reactions to what happens in combat, with a chance or a rate, a cooldown and charges.
/// Part of knack::combat.
///
///   procs:
///     Thorns:                       # while an entity has the effect Thorns
///       on: hit_taken
///       chance: 0.2
///       cooldown: 5
///       actions: [{effect: Pricked, to: other}]
///     HotStreak:                    # a critical fire hit; the next Pyroblast uses it up
///       on: use_ends
///       abilities: Pyroblast
///       uses_stacks: true
///
/// A proc acts for entities that have its effect or its ability. What happens to an entity is
/// tested against each of its procs, those with a higher priority first, then the oldest: charges
/// left -> cooldown -> filters and guards -> condition -> roll. Only the roll draws a random
/// number, and an attempt that fails before it costs nothing. Then the actions run; if at least one
/// of them did something, the cooldown starts and a charge is used up.
///
/// Events that follow from a proc are *triggered*: other procs leave them alone unless they say
/// otherwise, and a proc never reacts to what follows from itself.
///
/// Use begins -> hits -> use ends: an instance that a use brought is not used up by the same use.
#ifndef KNACK_PROC_H
#define KNACK_PROC_H

#include "knack/hit.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_proc_id) ///< a registered proc

/// What a proc reacts to, as bits.
typedef enum kn_proc_on {
    KN_PROC_HIT_DONE = 1 << 0,         ///< its bearer deals damage
    KN_PROC_HIT_TAKEN = 1 << 1,        ///< its bearer is dealt damage
    KN_PROC_HEALING_DONE = 1 << 2,     ///< its bearer heals
    KN_PROC_HEALING_TAKEN = 1 << 3,    ///< its bearer is healed
    KN_PROC_USE_BEGINS = 1 << 4,       ///< its bearer begins to use an ability
    KN_PROC_USE_ENDS = 1 << 5,         ///< its bearer has used an ability to its end
    KN_PROC_KILL = 1 << 6,             ///< its bearer kills
    KN_PROC_DEATH = 1 << 7,            ///< its bearer dies
    KN_PROC_DISPEL_DONE = 1 << 8,      ///< its bearer has dispelled something
    KN_PROC_DISPEL_TAKEN = 1 << 9,     ///< somebody has dispelled something from its bearer
    KN_PROC_INTERRUPT_DONE = 1 << 10,  ///< its bearer has interrupted a cast
    KN_PROC_INTERRUPT_TAKEN = 1 << 11, ///< a cast of its bearer was interrupted
    /// Its bearer receives an event with the tag `Knack.Proc`, or one below it.
    KN_PROC_EVENT = 1 << 12,
    KN_PROC_ON_COUNT = 13,      ///< number of the bits above; not a bit itself
    KN_PROC_ON = (1 << 13) - 1, ///< all of the bits above
} kn_proc_on;

/// Where the luck of a proc comes from.
typedef enum kn_proc_random {
    KN_PROC_PLAIN, ///< every attempt has the same chance
    /// Each attempt that fails raises the chance of the next: long streaks are rare, and on average
    /// it is the chance that is given.
    KN_PROC_ACCUMULATING,
    /// A shuffled deck of `deck` cards, of which as many win as the chance says: after each round
    /// the count is exact.
    KN_PROC_DECK,
    /// With `per_minute` only: once 1.5 times the expected time has passed without a success, the
    /// chance rises by 3 times for each further expected time.
    KN_PROC_BAD_LUCK,
    KN_PROC_RANDOM_COUNT, ///< number of the values above; not a value itself
} kn_proc_random;

/// Who an action of a proc is for.
typedef enum kn_proc_to {
    KN_PROC_TO_BEARER,    ///< the entity that has the proc
    KN_PROC_TO_OTHER,     ///< the other party: the one that the bearer hit, or that hit it
    KN_PROC_TO_TARGET,    ///< the target of the event
    KN_PROC_TO_SOURCE,    ///< the one who caused the event
    KN_PROC_TO_TARGETING, ///< those that `targeting` finds from where the bearer is, at once
    KN_PROC_TO_COUNT,     ///< number of the values above; not a value itself
} kn_proc_to;

/// Something that a proc does: it applies an effect, activates an ability of the bearer, or sends
/// an event. Start from kn_proc_action_def_default().
typedef struct kn_proc_action_def {
    kn_effect_type_id effect; ///< effect to apply, with the bearer as its source; null: none
    uint32_t stacks;          ///< stacks of the effect to apply; 0, the default: as the effect says
    /// Ability of the bearer to activate, with the event: its target is who the action is for;
    /// null: none.
    kn_ability_type_id ability;
    kn_tag event;              ///< event to send, with the magnitude of what happened; null: none
    kn_proc_to to;             ///< who the action is for; default bearer
    kn_targeting_id targeting; ///< finds those the action is for, for KN_PROC_TO_TARGETING
    /// Tag under which the effect reads the magnitude of what happened, such as the damage dealt;
    /// null: none.
    kn_tag magnitude_tag;
    bool no_procs; ///< no proc at all reacts to what follows from the action; default false
} kn_proc_action_def;

/// An action for the bearer with nothing else set.
KN_API kn_proc_action_def kn_proc_action_def_default(void);

/// A reaction to what happens in combat. Start from kn_proc_def_default().
typedef struct kn_proc_def {
    const char *name; ///< unique name; required
    /// Effect that brings the proc along, with an instance for each active one; null: that of
    /// `ability`, otherwise the effect or ability with the same name.
    kn_effect_type_id effect;
    kn_ability_type_id ability; ///< ability that brings the proc along while it is granted
    uint32_t on;                ///< what it reacts to, as kn_proc_on; required
    int32_t priority;           ///< procs with a higher priority are tested first; default 0
    /// Outcomes of hits that it reacts to: tags below `Knack.Outcome`, such as
    /// `Knack.Outcome.Critical`; also `Knack.Outcome.Normal`, and `Knack.Outcome.Absorbed` for a
    /// hit of which nothing came through. Empty, the default: for what the bearer does, hits that
    /// were not avoided; for what it takes, hits of which something came through.
    kn_tags outcomes;
    kn_tag_requirement tags;   ///< tags of the hit, ability or event it needs; default: any
    kn_condition_id condition; ///< must hold for the event: instigator and target are those of the
                               ///< event, or the bearer; null: none
    const kn_ability_type_id *abilities; ///< only what comes from these abilities; empty: any
    uint32_t ability_count;              ///< number of entries in `abilities`
    bool no_periodic;                    ///< ticks of periodic effects do not count; default false
    bool triggered; ///< it reacts to events that follow from other procs too; default false
    /// Most procs in the chain of causes of an event it reacts to, with `triggered`; default 4.
    uint32_t depth;
    bool no_procs; ///< no proc at all reacts to what follows from it; default false

    /// Chance of an attempt, 0 to 1; source is the bearer, target the other party, level that of
    /// the effect or ability. Modifiers of `Knack.ProcChance` on the bearer change it. Below 0, the
    /// default: always, or what `per_minute` gives.
    kn_magnitude chance;
    /// Successes per minute to aim for instead of `chance`, if the time that the action took is
    /// known: the chance of an attempt is per_minute x that time / 60. Of an action whose time is
    /// unknown `chance` counts if it is given, otherwise `interval_floor` as its time. Modifiers of
    /// `Knack.ProcRate` on the bearer change the rate; default 0: none.
    kn_magnitude per_minute;
    /// Seconds that one action takes, such as `source.Combat.AttackTime`. 0, the default: the time
    /// that the event names, otherwise that of the cast or, if it is longer, of the cooldown that
    /// the ability behind it starts at its activation.
    kn_magnitude interval;
    float interval_floor;  ///< least seconds that a use of an ability counts as; default 1.5
    kn_proc_random random; ///< where its luck comes from; default plain
    uint32_t deck;         ///< cards in the deck of KN_PROC_DECK, 2 to 1000; default 20
    /// Draws come from the stream `Knack.Procs.Server`, which clients do not know: they see the
    /// proc when the server has decided; default false.
    bool server;

    /// Seconds after a success in which it does not act, the end excluded; default 0.
    kn_magnitude cooldown;
    bool cooldown_per_bearer; ///< all instances of a bearer have one cooldown; default false
    /// How often it acts; the last time ends its effect (KN_REMOVED_CHARGES_USED), or for that of
    /// an ability nothing is left. 0, the default: any number of times.
    kn_magnitude charges;
    bool uses_stacks; ///< each time it acts uses up a stack of its effect; default false
    /// What it does, in this order. Without actions a proc only uses up its charges.
    const kn_proc_action_def *actions;
    uint32_t action_count; ///< number of entries in `actions`
    /// Called after the actions, with a kn_proc_event as its arguments; anything but KN_OK counts
    /// as an action that did nothing.
    kn_hook acts;
    uint32_t cookie; ///< set by kn_proc_def_default(); do not change it
} kn_proc_def;

/// A proc that reacts to nothing, without fail.
KN_API kn_proc_def kn_proc_def_default(void);
/// Registers a proc. kn_library_finish() refuses one without an effect that lasts or an ability.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a proc that
///         reacts to nothing or does nothing, an action with nothing or several things to do, a
///         number out of range, or an invalid name; KN_ERROR_INVALID_ARGUMENT for a def without its
///         defaults, or a library without the kit; KN_ERROR_WORLD_LOCKED once the library is
///         finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_proc_register(
    kn_library *library, const kn_proc_def *def, kn_proc_id *proc, kn_error *error);
/// The def of a proc as registered; it belongs to the library. NULL when unknown.
KN_API const kn_proc_def *kn_proc_get_def(const kn_library *library, kn_proc_id proc);

// Events ----------------------------------------------------------------------------

/// What is known of an event that procs react to, as bits.
typedef enum kn_proc_flag {
    KN_PROC_FLAG_TRIGGERED = 1 << 0, ///< it follows from a proc, a reflection or a share
    KN_PROC_FLAG_PERIODIC = 1 << 1,  ///< it is a tick of a periodic effect
    KN_PROC_FLAG_NO_PROCS = 1 << 2,  ///< no proc reacts to it
    KN_PROC_FLAG_AVOIDED = 1 << 3,   ///< a hit that was avoided: nothing came of it
    KN_PROC_FLAG_ABSORBED = 1 << 4,  ///< a hit of which nothing came through
} kn_proc_flag;

/// Something that the procs of one entity react to. Start from kn_proc_event_default().
typedef struct kn_proc_event {
    kn_entity_id bearer;                      ///< whose procs react; required
    kn_entity_id other;                       ///< the other party; may be null
    kn_entity_id source;                      ///< who caused the event; may be null
    kn_entity_id target;                      ///< who the event happens to; may be null
    kn_activation_id activation;              ///< the use behind it; null: none, or unknown
    kn_ability_type_id ability;               ///< the ability behind it; null: none
    kn_effect_type_id effect;                 ///< the effect behind it; null: none
    kn_tag outcome;                           ///< outcome of a hit; null: normal
    kn_tag outcomes[KN_HIT_OUTCOMES_MAX - 1]; ///< further outcomes of a hit; null: none
    uint32_t on;                              ///< what happened: one bit of kn_proc_on; required
    uint32_t flags;                           ///< kn_proc_flag bits
    float magnitude;                          ///< how much of it, such as damage dealt; finite
    float interval;                           ///< seconds that the action took; 0: unknown
    uint32_t cookie;                          ///< set by kn_proc_event_default(); do not change it
} kn_proc_event;

/// An event with nothing set.
KN_API kn_proc_event kn_proc_event_default(void);
/// Lets the procs of an entity react to something: for what only the game knows, such as a swing of
/// a weapon with its interval. The kit calls it by itself for hits, uses, dispels and interrupts.
/// @param tags describe the event; at most KN_TAG_SET_MAX
/// @param acted receives how many procs acted; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale bearer; KN_REFUSED_BAD_NUMBER for a magnitude or
///         an interval that is not finite; KN_ERROR_INVALID_ARGUMENT for an event without its
///         defaults or with anything but one bit in `on`, or a library without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_proc_run(
    kn_world *world, const kn_proc_event *event, kn_tags tags, uint32_t *acted);

/// Payload of the event `Knack.Proc`: a proc of the entity has acted.
typedef struct kn_proc_acted {
    kn_entity_id other;       ///< the other party; may be null
    kn_effect_type_id effect; ///< the effect that brings the proc along; null: an ability does
    kn_proc_id proc;          ///< the proc
    uint32_t on;              ///< what it reacted to: one bit of kn_proc_on
    float chance;             ///< the chance it had
    uint32_t charges;         ///< charges that are left; 0 also if it has none
} kn_proc_acted;

// Looking ---------------------------------------------------------------------------

// What becomes of each attempt is logged when it happens: KN_LOG_GAME at KN_LOG_VERBOSE, see
// kn_log_set_level().

/// What became, or would become, of an attempt: the first test that refuses it.
typedef enum kn_proc_answer {
    KN_PROC_MAY_ACT,      ///< it acts, or does so with the chance that is given
    KN_PROC_NOT_THERE,    ///< the entity does not have the proc
    KN_PROC_INHIBITED,    ///< the effect that brings it along is inhibited
    KN_PROC_NO_CHARGES,   ///< its charges are used up
    KN_PROC_ON_COOLDOWN,  ///< its cooldown runs
    KN_PROC_OTHER_EVENT,  ///< it does not react to that
    KN_PROC_OUTCOME,      ///< it does not react to that outcome
    KN_PROC_TAGS,         ///< the tags of the event do not meet its requirement
    KN_PROC_ABILITY,      ///< what happened comes from another ability, or from none
    KN_PROC_PERIODIC,     ///< it does not react to ticks
    KN_PROC_TRIGGERED,    ///< the event follows from another proc
    KN_PROC_ITSELF,       ///< the event follows from the proc itself
    KN_PROC_DEPTH,        ///< the event follows from too many procs
    KN_PROC_SUPPRESSED,   ///< the event says that no proc reacts to it
    KN_PROC_SAME_USE,     ///< the use behind the event has brought the proc along
    KN_PROC_CONDITION,    ///< its condition does not hold
    KN_PROC_NO_CHANCE,    ///< its chance is 0
    KN_PROC_ANSWER_COUNT, ///< number of the values above; not a value itself
} kn_proc_answer;

/// What would become of one attempt.
typedef struct kn_proc_line {
    kn_proc_id proc;       ///< the proc
    kn_effect_id effect;   ///< the instance, if an effect brings it along; null: none
    kn_ability_id ability; ///< the instance, if an ability brings it along; null: none
    kn_proc_answer answer; ///< the first test that refuses it, or KN_PROC_MAY_ACT
    float chance;          ///< the chance of this attempt, with KN_PROC_MAY_ACT
    kn_time cooldown;      ///< what is left of its cooldown
    uint32_t charges;      ///< charges that are left; 0 also if it has none
} kn_proc_line;

/// Says of each proc of an entity what it would do with an event: why did this not proc? Changes
/// nothing and draws nothing; guards by causes see those that run now.
/// @param tags describe the event
/// @param out receives the first `capacity`, in the order of the tests; may be NULL for 0
/// @return how many procs the entity has; 0 for a stale bearer
KN_API uint32_t kn_proc_explain(const kn_world *world, const kn_proc_event *event, kn_tags tags,
    kn_proc_line *out, uint32_t capacity);
/// Explains one proc as text: "Thorns: on cooldown for 3.2 s", or "Thorns: acts with a chance of 20
/// %". Returns the full length; the text is truncated to `size` bytes including the final zero.
/// @param proc one that the bearer may lack: then the text says so
KN_API uint32_t kn_proc_explain_print(const kn_world *world, kn_proc_id proc,
    const kn_proc_event *event, kn_tags tags, char *text, uint32_t size);
/// The state of a proc on an entity, the oldest instance of it. False, and zeroes, if the entity
/// does not have it. `answer` and `chance` are not set.
KN_API bool kn_proc_get(
    const kn_world *world, kn_entity_id bearer, kn_proc_id proc, kn_proc_line *line);

#ifdef __cplusplus
}
#endif

#endif
