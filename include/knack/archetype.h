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

/// A starting value, set as kn_attribute_init() does.
typedef struct kn_archetype_value {
    kn_attribute_id attribute;
    kn_scalable value; ///< by the level of the entity
} kn_archetype_value;

/// An effect the entity is born with: itself is the source. One that is refused is not an error.
typedef struct kn_archetype_effect {
    kn_effect_type_id type;
    kn_scalable level; ///< default 1
} kn_archetype_effect;

/// A timer that begins with the entity and dies with it, its data all zero.
typedef struct kn_archetype_timer {
    kn_timer_type_id type;
    kn_time delay; ///< until it fires first; default 0: in the next step
} kn_archetype_timer;

typedef struct kn_archetype_def {
    const char *name;       ///< required, unique
    kn_archetype_id parent; ///< everything of it comes first; may be null
    const kn_attribute_set_id *sets;
    uint32_t set_count;
    const char *group; ///< row group of the table of starting values; NULL: the parent's, or none
    const kn_archetype_value *values; ///< after the table
    uint32_t value_count;
    kn_tags tags; ///< loose tags, sent to clients
    const kn_ability_set_id *ability_sets;
    uint32_t ability_set_count;
    const kn_ability_set_entry *abilities;
    uint32_t ability_count;
    const kn_archetype_effect *effects;
    uint32_t effect_count;
    const kn_archetype_timer *timers; ///< started last
    uint32_t timer_count;
    uint32_t cookie;
} kn_archetype_def;

KN_API kn_archetype_def kn_archetype_def_default(void);
/// @return KN_OK; KN_REFUSED_DUPLICATE; KN_ERROR_BAD_DATA for a value of an attribute that no set
///         of the archetype has, or a delay below 0; KN_ERROR_WORLD_LOCKED once the library is
///         finished; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_archetype_register(
    kn_library *library, const kn_archetype_def *def, kn_archetype_id *archetype, kn_error *error);
KN_API kn_archetype_id kn_archetype_find(const kn_library *library, const char *name);
KN_API const char *kn_archetype_name(const kn_library *library, kn_archetype_id archetype);

/// Creates an entity of an archetype: sets, starting values for `level`, tags, abilities, effects,
/// timers, in this order, parents first. On anything but KN_OK there is no entity.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a null or unknown archetype; KN_REFUSED_BAD_NUMBER for a
///         level that is not finite; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_archetype_spawn(
    kn_world *world, kn_archetype_id archetype, float level, kn_entity_id *entity);

#ifdef __cplusplus
}
#endif

#endif
