// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The combat kit, knack::combat: what MMOs, MOBAs and action RPGs need on top of abilities. It is
/// written on the public headers of the core alone.
///
/// | Header         | What it brings                                                           |
/// | -------------- | ------------------------------------------------------------------------ |
/// | cast.h         | casts, channels and held casts; interrupts, lock-outs, pushback          |
/// | input_queue.h  | a queue for inputs that come a little early, automatic use               |
/// | resource.h     | resources that regenerate and decay                                      |
/// | hit.h          | damage and healing: outcomes, modifiers, absorbing, sharing, death       |
/// | buff.h         | what combat knows of an effect: dispels, diminishing returns, breaking   |
/// | proc.h         | reactions with chances, rates, cooldowns and charges                     |
/// | threat.h       | threat tables, taunts, and combat between pairs                        |
/// | aura.h         | effects on everybody nearby                                              |
/// | combat_log.h   | every hit as a line, and meters                                          |
///
/// A library has it after kn_combat_register(); content asks for it with `kits: [combat]`.
#ifndef KNACK_COMBAT_H
#define KNACK_COMBAT_H

#include "knack/aura.h"
#include "knack/buff.h"
#include "knack/cast.h"
#include "knack/combat_log.h"
#include "knack/hit.h"
#include "knack/input_queue.h"
#include "knack/knack.h"
#include "knack/proc.h"
#include "knack/resource.h"
#include "knack/threat.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Registers the combat kit: its kinds of definitions, tags below `Knack.`, values, attribute sets,
/// components, events, commands and rules. Before definitions that use them, once per library.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has the kit, or a name of the kit is taken;
///         KN_ERROR_INVALID_ARGUMENT without a library; KN_ERROR_WORLD_LOCKED once it is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_combat_register(kn_library *library, kn_error *error);
/// True for a library that has the kit.
KN_API bool kn_combat_is_there(const kn_library *library);

/// The rules of combat, in data files under `combat`: one definition for a library. Start from
/// kn_combat_def_default().
typedef struct kn_combat_def {
    const char *name;       ///< unique name, such as `Rules`; required
    kn_attribute_id health; ///< the attribute that damage takes from; required
    /// Tag that an entity gets when a hit uses up its health, and loses when it is resurrected;
    /// null: none, and death is only an event. Make it the dead tag of the library, and abilities
    /// of the dead are refused.
    kn_tag dead;
    /// Seconds after the last hostile act between two entities until they are out of combat with
    /// each other; default 6.
    float combat_lasts;
    /// Threat for each point of damage dealt; default 1.
    float threat_per_damage;
    /// Threat for each point of healing that was not wasted, divided among those who fight the one
    /// who was healed; default 0.5.
    float threat_per_healing;
    /// How much more threat than the present target somebody nearby needs to become the target;
    /// default 1.1.
    float switch_near;
    /// The same for somebody far away; default 1.3.
    float switch_far;
    /// How far from the owner of a threat table somebody is nearby, by the space of the world; of
    /// entities without a position the `far` tag decides; default 5.
    float near_distance;
    kn_tag far; ///< tag of entities without a position that count as far away; null: none
    /// Tag of entities that keep a threat table, such as monsters; null: only those that
    /// kn_threat_begin() gave one.
    kn_tag threat_tag;
    /// The dead stay in threat tables, and in combat with their owners, until those are cleared;
    /// they are never the target. Default false.
    bool dead_keep_threat;
    /// Combat of a pair does not end by time while one has the other in its threat table; false: it
    /// does, and its end removes them from the table. Default true.
    bool threat_keeps_combat;
    uint32_t cookie; ///< set by kn_combat_def_default(); do not change it
} kn_combat_def;

/// Rules with the usual numbers and no health.
KN_API kn_combat_def kn_combat_def_default(void);
/// Registers the rules of combat.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has rules already; KN_ERROR_BAD_DATA for a
///         missing health, numbers below 0 or not finite, or an invalid name;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_combat_rules_register(
    kn_library *library, const kn_combat_def *def, kn_error *error);
/// The rules of a library; they belong to it. NULL if it has none.
KN_API const kn_combat_def *kn_combat_rules(const kn_library *library);

#ifdef __cplusplus
}
#endif

#endif
