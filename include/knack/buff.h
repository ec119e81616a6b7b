// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// What combat knows of an effect beyond what the effect does by itself: whether it helps or harms,
/// what dispels it, what it absorbs, shares and reflects, what breaks it, and how much shorter it
/// gets when it is repeated. Part of knack::combat.
///
///   effects:
///     Shield: {duration: 30}
///     Stun: {duration: 4, duration_value: Knack.Duration, granted_tags: State.Stunned}
///   diminishing:
///     Stuns: {}
///   buffs:
///     Shield: {dispel_type: Dispel.Magic, absorb: {amount: 300}}
///     Stun: {polarity: debuff, breaks_after: 50, diminishing: Stuns}
///   dispels:
///     Cleanse: {polarity: debuff, types: Dispel.Magic, count: 2, on: Knack.Dispel.Cleanse}
///
/// A buff is about the effect of the same name, unless it names another one. What a buff does
/// begins when the rules about the application of its effect run: at the end of the operation in
/// which the effect is applied. An inhibited effect absorbs, shares and reflects nothing.
#ifndef KNACK_BUFF_H
#define KNACK_BUFF_H

#include "knack/hit.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_buff_id)        ///< a registered buff: what combat knows of an effect
KN_TYPE_ID(kn_diminishing_id) ///< a registered group of effects with diminishing returns
KN_TYPE_ID(kn_dispel_id)      ///< a registered dispel

// Diminishing returns -----------------------------------------------------------

/// A group of effects that last shorter each time one of them follows another on the same target.
/// Their effects have the `duration_value` `Knack.Duration`. Start from
/// kn_diminishing_def_default().
typedef struct kn_diminishing_def {
    const char *name; ///< unique name; required
    /// Factors on the duration: that of the first effect, the second, and so on, by level of the
    /// effect; the last one counts for all that follow. At 0 the target is immune. Empty, the
    /// default: 1, 0.5, 0.25, 0.
    const kn_scalable *factors;
    uint32_t factor_count; ///< number of entries in `factors`, at most 16
    /// Longest duration in seconds before the factor; 0, the default: no limit.
    float cap;
    /// Seconds after the last effect of the group has ended; once more time than this has passed,
    /// durations are full again; default 15.
    float reset;
    /// Tags that a target must have, or must not have, for the group to count; default: all do.
    kn_tag_requirement targets;
    uint32_t cookie; ///< set by kn_diminishing_def_default(); do not change it
} kn_diminishing_def;

/// A group with the usual factors that resets after 15 seconds.
KN_API kn_diminishing_def kn_diminishing_def_default(void);
/// Registers a group with diminishing returns.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for factors,
///         a cap or a reset below 0 or not finite, too many factors, or an invalid name;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_diminishing_register(
    kn_library *library, const kn_diminishing_def *def, kn_diminishing_id *group, kn_error *error);
/// How many effects of a group have counted on an entity, those of the operation that is running
/// included: 0 if the next one lasts in full. A further application to an effect that is there
/// counts when the operation is complete. 0 for a stale id and an unknown group.
KN_API uint32_t kn_diminishing_level(
    const kn_world *world, kn_entity_id entity, kn_diminishing_id group);
/// The factor that the next effect of a group, at level 1, gets on an entity; 0: it is immune. 1
/// for a stale id, an unknown group, and an entity that the group does not count for.
KN_API float kn_diminishing_factor(
    const kn_world *world, kn_entity_id entity, kn_diminishing_id group);
/// Makes an entity forget the effects of a group that have counted, such as at the start of a
/// round. Nothing happens if none has.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_ERROR_INVALID_ARGUMENT for an unknown group
KN_API kn_result kn_diminishing_reset(
    kn_world *world, kn_entity_id entity, kn_diminishing_id group);

// Buffs ---------------------------------------------------------------------------

/// Whether an effect helps or harms its bearer.
typedef enum kn_polarity {
    KN_POLARITY_BUFF,   ///< it helps
    KN_POLARITY_DEBUFF, ///< it harms
    KN_POLARITY_HIDDEN, ///< neither: a mechanism that players do not see
    KN_POLARITY_COUNT,  ///< number of the values above; not a value itself
} kn_polarity;

/// What a further application of its effect does to an absorb pool.
typedef enum kn_absorb_again {
    KN_ABSORB_LARGER,      ///< the pool has what is left or the new amount, whichever is larger
    KN_ABSORB_SUM,         ///< the new amount is added
    KN_ABSORB_REPLACE,     ///< the pool has the new amount
    KN_ABSORB_KEEP,        ///< the pool stays as it is
    KN_ABSORB_AGAIN_COUNT, ///< number of the values above; not a value itself
} kn_absorb_again;

/// A pool of an effect that absorbs hits. Pools of one bearer take their part one after the other:
/// by priority, then the oldest first. A pool that is used up ends its effect
/// (KN_REMOVED_CHARGES_USED).
typedef struct kn_absorb_def {
    /// What the pool absorbs in all, evaluated when the effect is applied, with its level, stacks,
    /// caller values and parameters. 0, the default: nothing, or without limit if there is `pays`.
    kn_magnitude amount;
    kn_hit_kind kind;        ///< what it absorbs: damage or healing; default damage
    kn_tag_requirement hits; ///< tags that a hit must have, or must not have; default: all hits
    int32_t priority;        ///< pools with a higher priority come first; default 0
    float share; ///< the part of each hit that it takes at most, 0 to 1; default 1: all of it
    kn_tags bypassed_by; ///< hits with any of these tags pass, as far as `bypass` says
    float bypass;        ///< the part of such a hit that passes, 0 to 1; default 1: all of it
    /// Attribute of the bearer that pays for what is absorbed, such as mana: without it nothing is
    /// absorbed; null: none.
    kn_attribute_id pays;
    float points;          ///< points that one unit of `pays` absorbs, above 0; default 1
    kn_absorb_again again; ///< what a further application does to the pool; default larger
} kn_absorb_def;

/// A pool that absorbs nothing; nothing passes it by, and one unit of an attribute pays one point.
KN_API kn_absorb_def kn_absorb_def_default(void);

/// A part of the damage that somebody else takes for the bearer. The part is a hit of its own, with
/// the same source and tags, without modifiers; nobody shares it again. It is not shared if that
/// one cannot be hit.
typedef struct kn_share_def {
    kn_magnitude part;       ///< the part of each hit, 0 to 1; default 0: nothing
    kn_recipient to;         ///< who takes it: the source of the effect, or its instigator
    kn_tag_requirement hits; ///< tags that a hit must have, or must not have; default: all hits
} kn_share_def;

/// A share of nothing, for the source of the effect.
KN_API kn_share_def kn_share_def_default(void);

/// A part of the damage that the one who dealt it takes too. The part is a hit of its own, dealt by
/// the bearer, with KN_HIT_REFLECTED and KN_HIT_TRIGGERED.
typedef struct kn_reflect_def {
    kn_magnitude part;       ///< the part of what the bearer lost and absorbed; default 0: nothing
    kn_tag_requirement hits; ///< tags that a hit must have, or must not have; default: all hits
    kn_tags tags;            ///< tags of the reflected hit; empty: those of the hit
    bool reflected;          ///< reflected hits are reflected again; default false
} kn_reflect_def;

/// A reflection of nothing.
KN_API kn_reflect_def kn_reflect_def_default(void);

/// What combat knows of an effect. Start from kn_buff_def_default().
typedef struct kn_buff_def {
    const char *name;         ///< unique name; required
    kn_effect_type_id effect; ///< the effect, which lasts; null: the one with the same name
    kn_polarity polarity;     ///< whether the effect helps or harms; default buff
    kn_tag dispel_type;       ///< what dispels it, such as `Dispel.Magic`; null: only what dispels
                              ///< every type
    float strength;           ///< a dispel needs at least this strength; default 0
    /// Chance that a dispel fails, 0 to 1; at 1 dispels pass it over. Modifiers of
    /// `Knack.DispelResistance` on the bearer change it; default 0.
    kn_magnitude resistance;
    int32_t priority;      ///< dispels take those with a higher priority first; default 0
    bool removed_on_death; ///< the effect ends when its bearer dies; default true
    /// Damage taken since the effect was applied that breaks it (KN_REMOVED_RULE): 0 any damage,
    /// below 0 none. Health that was lost counts; default -1.
    kn_magnitude breaks_after;
    kn_tag_requirement breaks_on;  ///< tags of the hits that count; default: all hits
    bool breaks_by_periodic;       ///< ticks of periodic effects count too; default false
    kn_diminishing_id diminishing; ///< group with diminishing returns; null: none
    kn_absorb_def absorb;          ///< what the effect absorbs
    kn_share_def shares;           ///< what somebody else takes for the bearer
    kn_reflect_def reflects;       ///< what those who hit the bearer take too
    uint32_t cookie;               ///< set by kn_buff_def_default(); do not change it
} kn_buff_def;

/// A buff that never breaks, is removed on death, and does nothing else.
KN_API kn_buff_def kn_buff_def_default(void);
/// Registers what combat knows of an effect. kn_library_finish() refuses a buff without an effect
/// that lasts, two buffs of one effect, and one with `diminishing` whose effect does not have the
/// `duration_value` `Knack.Duration`.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a number out
///         of range or an invalid name; KN_ERROR_INVALID_ARGUMENT for a def without its defaults,
///         or a library without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_buff_register(
    kn_library *library, const kn_buff_def *def, kn_buff_id *buff, kn_error *error);
/// The buff of an effect type; null if combat knows nothing of it, or the library is not finished.
KN_API kn_buff_id kn_buff_of(const kn_library *library, kn_effect_type_id type);
/// The def of a buff as registered; it belongs to the library. NULL when unknown.
KN_API const kn_buff_def *kn_buff_get_def(const kn_library *library, kn_buff_id buff);

/// The state of an active effect as a buff.
typedef struct kn_buff_info {
    kn_buff_id buff;      ///< the buff
    kn_polarity polarity; ///< whether it helps or harms
    float absorb_left;    ///< what its pool still absorbs; 0 without a pool, and without a limit
    float absorb_full;    ///< the most that its pool has had; 0 without a pool or limit
    float taken;          ///< damage that has counted towards breaking it
    float breaks_at;      ///< damage that breaks it; 0: any; below 0: never
} kn_buff_info;

/// Fills `info` for an active effect. False, and a zeroed `info`, for a stale id, and for an effect
/// that combat knows nothing of.
KN_API bool kn_buff_get(const kn_world *world, kn_effect_id effect, kn_buff_info *info);
/// What all pools of an entity with a limit still absorb of damage; 0 for a stale id.
KN_API float kn_absorb_left(const kn_world *world, kn_entity_id entity);
/// Sets what is left in the pool of an effect. 0 ends the effect.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an effect without a pool, or one
///         without a limit; KN_REFUSED_BAD_NUMBER for an amount below 0 or not finite;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_absorb_set(kn_world *world, kn_effect_id effect, float left);

/// Payload of the event `Knack.Absorbed`: a pool of the entity has absorbed a part of a hit.
typedef struct kn_absorbed {
    kn_entity_id source;    ///< who dealt the hit; may be null
    kn_entity_id by;        ///< who applied the effect with the pool; may be null or stale
    kn_effect_id effect;    ///< the effect with the pool
    kn_effect_type_id type; ///< its type
    float amount;           ///< what it has absorbed
    float left;             ///< what is left in the pool; 0 without a limit
    float paid;             ///< what the attribute `pays` of its bearer has lost
} kn_absorbed;

/// Payload of the event `Knack.Broken`: damage has broken an effect of the entity.
typedef struct kn_broken {
    kn_entity_id source;    ///< who dealt the last hit; may be null
    kn_effect_type_id type; ///< the type of the effect
    float taken;            ///< damage taken since it was applied
} kn_broken;

/// Payload of the event `Knack.Diminished`: an effect of a group counts on the entity.
typedef struct kn_diminished {
    kn_diminishing_id group; ///< the group
    uint32_t level;          ///< how many have counted now
} kn_diminished;

// Dispels ---------------------------------------------------------------------------

/// Polarities of effects that a dispel takes, as bits.
typedef enum kn_polarity_bit {
    KN_POLARITY_BIT_BUFF = 1 << KN_POLARITY_BUFF,     ///< effects that help
    KN_POLARITY_BIT_DEBUFF = 1 << KN_POLARITY_DEBUFF, ///< effects that harm
    KN_POLARITY_BIT_HIDDEN = 1 << KN_POLARITY_HIDDEN, ///< hidden effects
    KN_POLARITY_BITS = 7,                             ///< all of the bits above
} kn_polarity_bit;

/// Most attempts of one dispel: larger counts mean this many.
#define KN_DISPEL_ATTEMPTS_MAX 1000

/// Removes effects that combat knows as buffs: stack by stack, drawn at random among those with the
/// highest priority, the oldest 256 if there are more (stream `Knack.Dispels`). An effect whose
/// procs have charges of their own loses a charge instead. Start from kn_dispel_def_default().
typedef struct kn_dispel_def {
    const char *name; ///< unique name; required
    /// Event that sets it off on the entity that receives it: `Knack.Dispel` or a tag below it, as
    /// in `raises: {Knack.Dispel.Cleanse: 0}`. A magnitude above 0 is used instead of `count`.
    /// null: only kn_dispel() sets it off.
    kn_tag on;
    /// Attempts, at most KN_DISPEL_ATTEMPTS_MAX; each removes one stack or charge, or fails; source
    /// and target are those of the dispel; default 1.
    kn_magnitude count;
    kn_tags types;     ///< dispel types that it takes, or tags below them; empty: all, and none
    uint32_t polarity; ///< effects that it takes, as kn_polarity_bit; default debuff
    float strength;    ///< it takes effects of this strength or less; default 0
    bool whole;        ///< a success removes all stacks of the effect; default false
    bool steals;       ///< what is removed is applied to the source of the dispel; default false
    uint32_t cookie;   ///< set by kn_dispel_def_default(); do not change it
} kn_dispel_def;

/// A dispel of one debuff of any type and of strength 0.
KN_API kn_dispel_def kn_dispel_def_default(void);
/// Registers a dispel.
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for an event
///         that is not below `Knack.Dispel` or has another dispel, a strength that is not finite,
///         no polarity, or an invalid name; KN_ERROR_INVALID_ARGUMENT for a def without its
///         defaults, or a library without the kit; KN_ERROR_WORLD_LOCKED once the library is
///         finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_dispel_register(
    kn_library *library, const kn_dispel_def *def, kn_dispel_id *dispel, kn_error *error);

/// What became of an attempt to dispel.
typedef enum kn_dispel_outcome {
    KN_DISPEL_REMOVED,       ///< a stack, a charge or the whole effect was removed
    KN_DISPEL_STOLEN,        ///< it was removed, and the source of the dispel has it now
    KN_DISPEL_RESISTED,      ///< the resistance of the effect made it fail
    KN_DISPEL_BLOCKED,       ///< a gate refused it, and there was nothing else to dispel
    KN_DISPEL_OUTCOME_COUNT, ///< number of the values above; not a value itself
} kn_dispel_outcome;

/// Payload of the event `Knack.Dispelled`: somebody has tried to dispel an effect of the entity.
typedef struct kn_dispelled {
    kn_entity_id source;       ///< who dispels; may be null
    kn_effect_id effect;       ///< the effect; stale if nothing is left of it
    kn_effect_type_id type;    ///< its type
    kn_dispel_id dispel;       ///< the dispel
    kn_dispel_outcome outcome; ///< what became of the attempt
    uint32_t stacks;           ///< stacks that were removed
} kn_dispelled;

/// What a dispel has done.
typedef struct kn_dispel_result {
    uint32_t attempts; ///< attempts that were used up
    uint32_t removed;  ///< attempts that removed something, stolen ones included
    uint32_t stolen;   ///< attempts that stole something
    uint32_t resisted; ///< attempts that failed because of a resistance
    uint32_t blocked;  ///< effects that gates protect
} kn_dispel_result;

/// Dispels effects of an entity. Gates on the event kind `Knack.Dispel` protect effects: its record
/// has the dispel type and the asset tags of the effect as its tags.
/// @param source who dispels; may be null
/// @param result receives what was done; zeroes on anything but KN_OK; may be NULL
/// @return KN_OK, also if nothing was removed; KN_REFUSED_STALE_ID for a stale target; another
///         refusal of the magnitude `count`; KN_ERROR_INVALID_ARGUMENT for an unknown dispel;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_dispel(kn_world *world, kn_dispel_id dispel, kn_entity_id source,
    kn_entity_id target, kn_dispel_result *result);
/// The effects of an entity that a dispel could remove now, by priority, then the oldest first.
/// Changes nothing. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_dispel_candidates(const kn_world *world, kn_dispel_id dispel,
    kn_entity_id source, kn_entity_id target, kn_effect_id *out, uint32_t capacity);

#ifdef __cplusplus
}
#endif

#endif
