// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Hits: damage and healing, from what was asked for to what was dealt. Part of knack::combat.
///
/// A hit runs through these stages, each of which kn_hit reports:
///
///   amount -> modifiers of the source -> outcome (missed, critical ...) -> modifiers of the target
///   -> gates -> shared with others -> absorbed -> limited by the health that is left -> health
///
///   kn_hit_def def = kn_hit_def_default();
///   def.source = mage;
///   def.target = wolf;
///   def.amount = 50.0f;
///   def.tags = (kn_tags){&fire, 1};
///   kn_hit hit;
///   kn_result result = kn_hit_run(world, &def, &hit);
///
/// Effects deal hits by changing the meta attributes `Hit.Damage` and `Hit.Healing`, which the kit
/// brings along: `modifiers: {Hit.Damage: 30}`. The asset tags of the effect are the tags of the
/// hit, its instigator is the source of the hit, and a tick of a periodic effect is a periodic hit.
/// A negative amount is ignored and reported (KN_EVENT_ERROR), never turned into the opposite. A
/// lasting effect that does not tick would never deal its hit: kn_library_finish() refuses it. An
/// entity that can be hit has the attribute set `Hit`, and the attribute that the `health` of the
/// combat rules names.
///
/// Modifiers of the source act on the values `Knack.DamageDone` and `Knack.HealingDone`, those of
/// the target on `Knack.DamageTaken` and `Knack.HealingTaken`. They see the hit as an event: its
/// tags, and for the target also the tags of its outcomes. Gates act on the event kinds
/// `Knack.Damage`, `Knack.Healing`, `Knack.Death` and `Knack.Resurrection`, and see the amount that
/// all modifiers have left.
#ifndef KNACK_HIT_H
#define KNACK_HIT_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a hit does to health.
typedef enum kn_hit_kind {
    KN_HIT_DAMAGE,     ///< health is lost
    KN_HIT_HEALING,    ///< health is gained
    KN_HIT_KIND_COUNT, ///< number of the values above; not a value itself
} kn_hit_kind;

/// What a hit leaves out, and what it is, as bits.
typedef enum kn_hit_flag {
    KN_HIT_NO_MODIFIERS = 1 << 0, ///< modifiers of source and target do not change it
    KN_HIT_NO_OUTCOME = 1 << 1,   ///< it neither misses nor is it critical: no outcome is drawn
    KN_HIT_NO_GATES = 1 << 2,     ///< immunity and other gates cannot refuse it
    KN_HIT_NO_SHARE = 1 << 3,     ///< nobody takes a part of it
    KN_HIT_NO_ABSORB = 1 << 4,    ///< absorbing effects let it pass
    KN_HIT_NO_PROCS = 1 << 5,     ///< no proc reacts to it
    KN_HIT_NO_THREAT = 1 << 6,    ///< it causes no threat
    KN_HIT_NO_PUSHBACK = 1 << 7,  ///< it pushes no cast back
    KN_HIT_NO_COMBAT = 1 << 8,    ///< it begins no combat
    KN_HIT_PERIODIC = 1 << 9,     ///< it is a tick of a periodic effect; set for those by itself
    /// It follows from a proc, a reflection or a share: procs leave it alone unless they say
    /// otherwise.
    KN_HIT_TRIGGERED = 1 << 10,
    KN_HIT_REFLECTED = 1 << 11,   ///< it is a reflected part of another hit: never reflected again
    KN_HIT_SHARED = 1 << 12,      ///< it is a part that its target takes for somebody: never shared
    KN_HIT_KILLED = 1 << 13,      ///< of a kn_hit only: the target died of it
    KN_HIT_FLAGS = (1 << 14) - 1, ///< all of the bits above
} kn_hit_flag;

/// A hit to run. Start from kn_hit_def_default().
typedef struct kn_hit_def {
    kn_hit_kind kind;           ///< damage or healing; default damage
    kn_entity_id source;        ///< who deals it, for a body the one it belongs to; may be null
    kn_entity_id target;        ///< who is hit, for a body the one it belongs to; required
    float amount;               ///< health to take or give, at least 0
    kn_tags tags;               ///< describe it: school, style ...; at most KN_TAG_SET_MAX
    uint32_t flags;             ///< kn_hit_flag bits; default none
    kn_effect_type_id effect;   ///< the effect behind it; null: none
    kn_ability_type_id ability; ///< the ability behind it; null: none
    float level;                ///< where curves of outcomes are looked up; default 1
    /// Tag of the outcome that the hit has without drawing, instead of any other; null: outcomes
    /// are drawn.
    kn_tag outcome;
    uint32_t cookie; ///< set by kn_hit_def_default(); do not change it
} kn_hit_def;

/// Most tags that a kn_hit keeps: the first ones of its def.
#define KN_HIT_TAGS_MAX 8
/// Most outcomes that a kn_hit keeps.
#define KN_HIT_OUTCOMES_MAX 4

/// What became of a hit. `amount` is the sum of `mitigated`, `shared`, `absorbed`, `over` and
/// `dealt`, but for the rounding of floats. It is also the payload of the events `Knack.Hit`, as
/// which every hit is published, those that are avoided and refused too.
typedef struct kn_hit {
    kn_entity_id source; ///< who dealt it; may be null or stale
    kn_entity_id target; ///< who was hit
    kn_hit_kind kind;    ///< damage or healing
    uint32_t flags;      ///< kn_hit_flag bits
    float amount;        ///< what was asked for
    /// What modifiers, the outcome and gates took away; negative if they made it larger.
    float mitigated;
    float shared;   ///< what others took for the target
    float absorbed; ///< what effects absorbed
    float over;     ///< damage beyond the last health, or healing beyond the full
    float dealt;    ///< health really lost or gained
    /// Tag of the first outcome that happened, such as `Knack.Outcome.Critical`; null: normal. A
    /// hit that is absorbed as a whole has `Knack.Outcome.Absorbed`, one that a gate refused
    /// `Knack.Outcome.Immune`.
    kn_tag outcome;
    kn_tag outcomes[KN_HIT_OUTCOMES_MAX - 1]; ///< further outcomes; null: none
    kn_tag tags[KN_HIT_TAGS_MAX];             ///< tags of the def, see kn_hit_tags(); null: none
    kn_effect_type_id effect;                 ///< the effect behind it; null: none
    kn_ability_type_id ability;               ///< the ability behind it; null: none
    uint32_t refused;          ///< 1: a gate refused it, and nothing was dealt; otherwise 0
    kn_effect_type_id stopped; ///< type of the effect whose gate refused it; null: none
} kn_hit;

/// Damage of 0 at level 1 with nothing else set.
KN_API kn_hit_def kn_hit_def_default(void);
/// Runs a hit: from the host between steps, and from rules. A target that has used up its health
/// dies of it, unless a gate on `Knack.Death` refuses that; then its health stays at the minimum.
/// @param hit receives what became of it; may be NULL
/// @return KN_OK, also for a hit that misses or is absorbed; KN_REFUSED_BLOCKED by a gate;
///         KN_REFUSED_STALE_ID for a stale target; KN_REFUSED_DYING for one that is dying or dead;
///         KN_REFUSED_MISSING_ATTRIBUTE for a target without health; KN_REFUSED_BAD_NUMBER for an
///         amount below 0 or not finite; KN_REFUSED_NOT_FOUND for an `outcome` that no definition
///         has; KN_REFUSED_LIMIT in too long a chain; KN_ERROR_INVALID_ARGUMENT for a def without
///         its defaults, too many or unknown tags, an unknown kind, or a library without combat
///         rules; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_hit_run(kn_world *world, const kn_hit_def *def, kn_hit *hit);
/// Deals a part of a hit back to its source, as damage by its target with the same tags. The new
/// hit has KN_HIT_REFLECTED and KN_HIT_TRIGGERED.
/// @param hit a hit that was run; one that is reflected itself is never reflected again
/// @param amount damage to deal, at least 0
/// @param result receives what became of it; may be NULL
/// @return as kn_hit_run(); KN_REFUSED_CYCLE for a hit that was reflected already
KN_API kn_result kn_hit_reflect(kn_world *world, const kn_hit *hit, float amount, kn_hit *result);
/// The tags of a hit, without those of its outcomes. Valid as long as the hit.
KN_API kn_tags kn_hit_tags(const kn_hit *hit);
/// True if a hit had this outcome, or one below it. With the null tag: true if it had none.
KN_API bool kn_hit_has_outcome(const kn_library *library, const kn_hit *hit, kn_tag outcome);
/// Writes a hit as a line, such as "entity 3 takes 40 of 50 damage from entity 1 (Fireball,
/// critical): 10 mitigated". Returns the full length; the text is truncated to `size` bytes
/// including the final zero.
KN_API uint32_t kn_hit_print(const kn_world *world, const kn_hit *hit, char *text, uint32_t size);

// Outcomes ------------------------------------------------------------------------

/// Names an outcome of a library by its number, from 1; 0 is none.
typedef struct kn_outcome_id {
    uint32_t index1; ///< number of the definition, from 1
} kn_outcome_id;

/// Which hits an outcome is for.
typedef enum kn_outcome_of {
    KN_OUTCOME_OF_BOTH,    ///< damage and healing
    KN_OUTCOME_OF_DAMAGE,  ///< damage only
    KN_OUTCOME_OF_HEALING, ///< healing only
    KN_OUTCOME_OF_COUNT,   ///< number of the values above; not a value itself
} kn_outcome_of;

/// What may become of a hit between the modifiers of its source and those of its target: it misses,
/// is blocked, is critical. In data files under `outcomes`; tried in the order of registration. A
/// number is drawn, from the random stream `Knack.Hits`, only for a chance above 0 and below 1.
/// Start from kn_outcome_def_default().
typedef struct kn_outcome_def {
    const char *name; ///< unique name, such as `Critical`; required
    /// Tag that the hit has then; null: `Knack.Outcome.` and the name, which must be registered.
    /// The kit registers Missed, Dodged, Parried, Blocked, Critical, Absorbed and Immune.
    kn_tag tag;
    kn_outcome_of of; ///< which hits it is for; default both
    /// Probability, 0 to 1; source and target are those of the hit; default 0. It does not happen
    /// if the magnitude needs an attribute that is absent.
    kn_magnitude chance;
    /// Transient value of the source whose modifiers change the chance; null: none.
    kn_value_id chance_value;
    kn_magnitude factor; ///< what the amount is multiplied by, at least 0; default 1
    /// Transient value of the source whose modifiers change the factor; null: none.
    kn_value_id factor_value;
    /// Tags that the hit must have, or must not have; those of earlier outcomes count.
    kn_tag_requirement tags;
    kn_condition_id when; ///< must hold for the hit, as an event; null: always
    bool only_direct;     ///< periodic hits never have it; default false
    bool ends;            ///< no further outcomes are tried after it; default false
    uint32_t cookie;      ///< set by kn_outcome_def_default(); do not change it
} kn_outcome_def;

/// An outcome for both kinds of hits with chance 0 and factor 1.
KN_API kn_outcome_def kn_outcome_def_default(void);
/// Registers an outcome.
/// @param outcome receives its number; may be NULL
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a constant
///         chance outside of 0 to 1, a constant factor below 0, or an invalid name;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_outcome_register(
    kn_library *library, const kn_outcome_def *def, kn_outcome_id *outcome, kn_error *error);
/// The def of an outcome as registered; it belongs to the library. NULL when unknown.
KN_API const kn_outcome_def *kn_outcome_get_def(const kn_library *library, kn_outcome_id outcome);
/// The tag that hits with this outcome have, also if the def leaves it out. Null for an unknown
/// outcome, and before the library is finished.
KN_API kn_tag kn_outcome_tag(const kn_library *library, kn_outcome_id outcome);

// Where did it go? ------------------------------------------------------------------

// Explanations are about a hit that is not run yet. Where hits really go, with the outcomes that
// they draw, is logged while they run: KN_LOG_GAME at KN_LOG_VERBOSE, see kn_log_set_level().

/// The stages of a hit, in their order.
typedef enum kn_hit_stage {
    KN_HIT_STAGE_AMOUNT,  ///< what was asked for
    KN_HIT_STAGE_SOURCE,  ///< a modifier of the source, or the limits of its value
    KN_HIT_STAGE_OUTCOME, ///< an outcome
    KN_HIT_STAGE_TARGET,  ///< a modifier of the target, or the limits of its value
    KN_HIT_STAGE_GATE,    ///< a gate that refuses the hit
    KN_HIT_STAGE_SHARE,   ///< what somebody else takes for the target
    KN_HIT_STAGE_ABSORB,  ///< what an effect absorbs
    KN_HIT_STAGE_LIMIT,   ///< what is beyond the health that is left, or that is missing
    KN_HIT_STAGE_HEALTH,  ///< what health loses or gains
    KN_HIT_STAGE_COUNT,   ///< number of the values above; not a value itself
} kn_hit_stage;

/// One line of an explanation of a hit.
typedef struct kn_hit_line {
    kn_hit_stage stage;     ///< what the line is about
    float result;           ///< what is left of the hit with everything up to this line
    float delta;            ///< result minus the result of the line before
    kn_explain_kind kind;   ///< for modifiers: what kind of line of their value it is
    kn_effect_id effect;    ///< the effect that modifies, refuses, shares or absorbs
    kn_effect_type_id type; ///< type of that effect; null: none
    kn_entity_id source;    ///< who applied that effect, or who takes the share; may be null
    kn_op op;               ///< for modifiers: how it changes the amount
    float magnitude;        ///< for modifiers: how much; for outcomes the factor
    kn_qualification qualification; ///< for modifiers: whether it takes part, or why not
    kn_tag outcome;                 ///< for outcomes: the tag
    float chance; ///< for outcomes: the probability, 0 to 1; 1 for one that happens for sure
    /// For outcomes: it happens, because the def has it or its chance is 1. Others may happen when
    /// the hit is run, and change nothing here.
    bool is_certain;
} kn_hit_line;

/// Explains where a hit would go, line by line, without drawing and without changing anything. With
/// `outcome` set in the def, that outcome happens. Returns how many lines there are; at most
/// `capacity` are written. 0 for what kn_hit_run() would refuse, other than by a gate.
/// @param lines may be NULL for a capacity of 0
KN_API uint32_t kn_hit_explain(
    const kn_world *world, const kn_hit_def *def, kn_hit_line *lines, uint32_t capacity);
/// Explains where a hit would go as text, one line each. Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 where kn_hit_explain() gives no lines.
KN_API uint32_t kn_hit_explain_print(
    const kn_world *world, const kn_hit_def *def, char *text, uint32_t size);

// Death and resurrection --------------------------------------------------------------

/// Payload of the events `Knack.Died`, `Knack.Resurrected`.
typedef struct kn_life_change {
    kn_entity_id entity;        ///< who died or lives again
    kn_entity_id by;            ///< who did it; may be null or stale
    kn_effect_type_id effect;   ///< the effect behind it; null: none
    kn_ability_type_id ability; ///< the ability behind it; null: none
    float amount;   ///< died: damage beyond the last health; resurrected: health it has now
    uint32_t flags; ///< kn_hit_flag bits of the hit that killed; 0 otherwise
} kn_life_change;

/// True for an entity that has the `dead` tag of the combat rules. False for a stale id, and for
/// rules without that tag.
KN_API bool kn_combat_is_dead(const kn_world *world, kn_entity_id entity);
/// Kills an entity without a hit: health becomes its minimum, the entity gets the `dead` tag of the
/// rules, leaves combat and threat tables (unless the rules say otherwise), and `Knack.Died` is
/// published, and sent to rules and abilities of the entity; those of the killer receive
/// `Knack.Killed`. Effects do it with `raises: {Knack.Kill: 1}`.
/// @param by who does it; may be null
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING for one that is dying or dead already;
///         KN_REFUSED_MISSING_ATTRIBUTE without health; KN_REFUSED_BLOCKED by a gate on
///         `Knack.Death`; KN_ERROR_INVALID_ARGUMENT for a library without combat rules;
///         KN_REFUSED_LIMIT, KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_combat_kill(kn_world *world, kn_entity_id entity, kn_entity_id by);
/// Brings a dead entity back to life: the `dead` tag goes, and health becomes a share of its
/// maximum. Without a declared maximum the starting value of the
/// attribute counts. Publishes `Knack.Resurrected`, and sends it to rules and abilities of the
/// entity. Effects do it with `raises: {Knack.Resurrect: 0.3}`.
/// @param by who does it; may be null
/// @param share above 0, at most 1
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DYING for one that is being destroyed;
///         KN_REFUSED_NOT_FOUND for one that is not dead; KN_REFUSED_BAD_NUMBER for a share out of
///         range; KN_REFUSED_BLOCKED by a gate on `Knack.Resurrection`; otherwise as
///         kn_combat_kill()
KN_API kn_result kn_combat_resurrect(
    kn_world *world, kn_entity_id entity, kn_entity_id by, float share);

#ifdef __cplusplus
}
#endif

#endif
