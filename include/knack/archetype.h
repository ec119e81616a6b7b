// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Archetypes: what an entity starts with. Attribute sets and their starting values, tags,
/// abilities, effects and timers under one name, so that "a red minion" is one call.
#ifndef KNACK_ARCHETYPE_H
#define KNACK_ARCHETYPE_H

#include "knack/ability.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A starting value of an archetype, set as kn_attribute_init() does.
typedef struct kn_archetype_value {
    kn_attribute_id attribute; ///< the attribute to set; one of the archetype's sets must have it
    kn_scalable value; ///< the starting value, by level of the entity; a parameter is not allowed
} kn_archetype_value;

/// An effect that an entity starts with. The entity itself is the source. A refused application is
/// not an error.
typedef struct kn_archetype_effect {
    kn_effect_type_id type; ///< the effect to apply; required
    kn_scalable level;      ///< level of the effect, by level of the entity; default 1
} kn_archetype_effect;

/// A timer that starts and ends with the entity; its data is all zero.
typedef struct kn_archetype_timer {
    kn_timer_type_id type; ///< the timer to start; required
    kn_time delay; ///< time until the timer first fires, not negative; default 0: in the next step
} kn_archetype_timer;

/// A template for entities. Start from kn_archetype_def_default().
typedef struct kn_archetype_def {
    const char *name;       ///< unique name; required
    kn_archetype_id parent; ///< archetype to inherit from: all of its parts come first; may be null
    const kn_attribute_set_id *sets; ///< attribute sets the entity gets
    uint32_t set_count;              ///< number of entries in `sets`
    /// Group of `starting_values` that the entity gets its values from; NULL: the parent's, or
    /// none.
    const char *group;
    const kn_archetype_value *values; ///< starting values that replace those of the group
    uint32_t value_count;             ///< number of entries in `values`
    kn_tags tags;                     ///< tags the entity starts with; they are sent to clients
    const kn_ability_set_id *ability_sets; ///< ability sets whose abilities the entity is granted
    uint32_t ability_set_count;            ///< number of entries in `ability_sets`
    const kn_ability_set_entry *abilities; ///< further abilities the entity is granted
    uint32_t ability_count;                ///< number of entries in `abilities`
    const kn_archetype_effect *effects; ///< effects that the entity applies to itself at the start
    uint32_t effect_count;              ///< number of entries in `effects`
    const kn_archetype_timer *timers;   ///< timers to start once the entity has everything else
    uint32_t timer_count;               ///< number of entries in `timers`
    uint32_t cookie;                    ///< set by kn_archetype_def_default(); do not change it
} kn_archetype_def;

/// An archetype def with nothing set.
KN_API kn_archetype_def kn_archetype_def_default(void);
/// Registers an archetype.
/// @return KN_OK; KN_ERROR_BAD_DATA for a value of an attribute that no set of the archetype has,
///         an entry without a type, a delay below 0, a parameter as a number, or too many
///         ancestors; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for
///         a def without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_archetype_register(
    kn_library *library, const kn_archetype_def *def, kn_archetype_id *archetype, kn_error *error);
/// The archetype with this name. Null when there is none; a finished library then logs a warning,
/// once per name.
KN_API kn_archetype_id kn_archetype_find(const kn_library *library, const char *name);
/// The name of an archetype; "" for null. Valid as long as the library.
KN_API const char *kn_archetype_name(const kn_library *library, kn_archetype_id archetype);
/// The def of an archetype as registered; it belongs to the library. NULL when unknown.
KN_API const kn_archetype_def *kn_archetype_get_def(
    const kn_library *library, kn_archetype_id archetype);

/// Creates an entity from an archetype: sets, starting values for `level`, tags, abilities,
/// effects, timers, in this order, parents first. Refused effects and sets that are already there
/// are passed over. On anything but KN_OK there is no entity.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a null or unknown archetype; KN_REFUSED_BAD_NUMBER for a
///         level or value that is not finite; KN_REFUSED_BLOCKED on a client if it has abilities;
///         KN_REFUSED_MISSING_ATTRIBUTE for a group without any set; KN_REFUSED_LIMIT for too many
///         sets or tags; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_archetype_spawn(
    kn_world *world, kn_archetype_id archetype, float level, kn_entity_id *entity);

#ifdef __cplusplus
}
#endif

#endif
