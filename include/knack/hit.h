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
/// hit. An entity that can be hit has the attribute set `Hit`, and the attribute that the `health`
/// of the combat rules names.
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
    kn_entity_id source;        ///< who deals it; may be null
    kn_entity_id target;        ///< who is hit; required
    float amount;               ///< health to take or give, at least 0
    kn_tags tags;               ///< describe it: school, style ...; at most KN_TAG_SET_MAX
    uint32_t flags;             ///< kn_hit_flag bits; default none
    kn_effect_type_id effect;   ///< the effect behind it; null: none
    kn_ability_type_id ability; ///< the ability behind it; null: none
    uint32_t cookie;            ///< set by kn_hit_def_default(); do not change it
} kn_hit_def;

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
    kn_tag outcome; ///< tag of the outcome, such as `Knack.Outcome.Critical`; null: normal
    kn_effect_type_id effect;   ///< the effect behind it; null: none
    kn_ability_type_id ability; ///< the ability behind it; null: none
    uint32_t refused;           ///< 1: a gate refused it, and nothing was dealt; otherwise 0
} kn_hit;

/// Damage of 0 with nothing else set.
KN_API kn_hit_def kn_hit_def_default(void);
/// Runs a hit: from the host between steps, and from rules.
/// @param hit receives what became of it; may be NULL
/// @return KN_OK, also for a hit that misses or is absorbed; KN_REFUSED_BLOCKED by a gate;
///         KN_REFUSED_STALE_ID for a stale target; KN_REFUSED_DYING for one that is dying or dead;
///         KN_REFUSED_MISSING_ATTRIBUTE for a target without health; KN_REFUSED_BAD_NUMBER for an
///         amount below 0 or not finite; KN_REFUSED_LIMIT in too long a chain;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, unknown tags or kinds, or a
///         library without combat rules; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_hit_run(kn_world *world, const kn_hit_def *def, kn_hit *hit);

#ifdef __cplusplus
}
#endif

#endif
