// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Ids: names of things. A live thing in a world has a slot and a creation number, so that its id
/// is stale the moment the thing is gone; registered types are plain numbers of one library.
/// All-zero is null everywhere.
#ifndef KNACK_ID_H
#define KNACK_ID_H

#include "knack/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Names one entity of one world. `{0}` means "no entity". Pass it by value, compare it with
/// kn_entity_id_equal(), and do not set its fields yourself.
typedef struct kn_entity_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number; in practice never reused by the slot
} kn_entity_id;

/// Names one active effect of one world. Stale once the effect has ended.
typedef struct kn_effect_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_effect_id;

/// Names one stored effect spec of one world. Stale once it is destroyed.
typedef struct kn_spec_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_spec_id;

/// Names one timer of one world. Stale once it has fired for the last time or was cancelled.
typedef struct kn_timer_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_timer_id;

/// Names one listener of one world. Stale once it is removed.
typedef struct kn_listener_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_listener_id;

/// Names one ability granted to an entity. Stale once the ability is removed.
typedef struct kn_ability_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_ability_id;

/// Names one activation: one running use of an ability. Stale once it has ended.
typedef struct kn_activation_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_activation_id;

/// Names one watch of one world; see knack/watch.h.
typedef struct kn_watch_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_watch_id;

/// Names one task of an activation. Stale once the task has ended.
typedef struct kn_task_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_task_id;

/// Names one extension component of a type that an entity may have several times, in one world.
/// Stale once the component is removed.
typedef struct kn_component_id {
    uint32_t index1;     ///< slot + 1, so that all-zero is the null id
    uint32_t generation; ///< low half of the creation number, so that old ids are stale
} kn_component_id;

/// Defines four functions for a kind of live id, shown here for kn_entity_id:
///
/// - kn_entity_id_is_null(id): true for the all-zero id. A stale id is not null.
/// - kn_entity_id_equal(a, b): true if both name the same thing.
/// - kn_entity_id_pack(id): the id as one uint64_t, for scripts, files and user data. Null gives 0.
/// - kn_entity_id_unpack(packed): the id again. Any number is accepted; an invented id is stale.
#define KN_ID_FUNCTIONS(type)                                                                      \
    static inline bool type##_is_null(type id)                                                     \
    {                                                                                              \
        return id.index1 == 0;                                                                     \
    }                                                                                              \
    static inline bool type##_equal(type a, type b)                                                \
    {                                                                                              \
        return a.index1 == b.index1 && a.generation == b.generation;                               \
    }                                                                                              \
    static inline uint64_t type##_pack(type id)                                                    \
    {                                                                                              \
        return (uint64_t)id.generation << 32 | id.index1;                                          \
    }                                                                                              \
    static inline type type##_unpack(uint64_t packed)                                              \
    {                                                                                              \
        type id = {(uint32_t)packed, (uint32_t)(packed >> 32)};                                    \
        return id;                                                                                 \
    }

KN_ID_FUNCTIONS(kn_entity_id)
KN_ID_FUNCTIONS(kn_effect_id)
KN_ID_FUNCTIONS(kn_spec_id)
KN_ID_FUNCTIONS(kn_timer_id)
KN_ID_FUNCTIONS(kn_listener_id)
KN_ID_FUNCTIONS(kn_ability_id)
KN_ID_FUNCTIONS(kn_activation_id)
KN_ID_FUNCTIONS(kn_task_id)
KN_ID_FUNCTIONS(kn_watch_id)
KN_ID_FUNCTIONS(kn_component_id)

/// Defines the id of one kind of registered thing, with `_is_null(id)` and `_equal(a, b)`
/// functions. `index1` is 1 for the first thing registered and 0 for none. Each kind has a struct
/// of its own, so that passing a curve where an attribute belongs does not compile.
#define KN_TYPE_ID(type)                                                                           \
    typedef struct type {                                                                          \
        uint32_t index1;                                                                           \
    } type;                                                                                        \
    static inline bool type##_is_null(type id)                                                     \
    {                                                                                              \
        return id.index1 == 0;                                                                     \
    }                                                                                              \
    static inline bool type##_equal(type a, type b)                                                \
    {                                                                                              \
        return a.index1 == b.index1;                                                               \
    }

KN_TYPE_ID(kn_tag)               ///< a node of the tag tree; null matches nothing
KN_TYPE_ID(kn_name)              ///< an interned name, for parameters and named values
KN_TYPE_ID(kn_curve_id)          ///< a table from a number to a number
KN_TYPE_ID(kn_attribute_set_id)  ///< a registered attribute set
KN_TYPE_ID(kn_attribute_id)      ///< one attribute of a registered set
KN_TYPE_ID(kn_value_id)          ///< a transient value, evaluated on demand
KN_TYPE_ID(kn_event_kind_id)     ///< a kind of event record that runs through the pipeline
KN_TYPE_ID(kn_calculation_id)    ///< a registered magnitude calculation
KN_TYPE_ID(kn_execution_id)      ///< a registered execution
KN_TYPE_ID(kn_requirement_id)    ///< a registered custom application requirement
KN_TYPE_ID(kn_condition_id)      ///< a registered condition on an event record
KN_TYPE_ID(kn_policy_id)         ///< a registered qualification policy
KN_TYPE_ID(kn_effect_logic_id)   ///< registered logic of effects: hooks and state
KN_TYPE_ID(kn_effect_type_id)    ///< a registered effect type
KN_TYPE_ID(kn_container_id)      ///< a registered effect container
KN_TYPE_ID(kn_rule_id)           ///< a registered rule
KN_TYPE_ID(kn_timer_type_id)     ///< a registered timer function
KN_TYPE_ID(kn_watch_type_id)     ///< a registered type of watch
KN_TYPE_ID(kn_ticker_id)         ///< a registered ticker, checked at an interval
KN_TYPE_ID(kn_system_id)         ///< a registered system, which runs at a rate of its own
KN_TYPE_ID(kn_system_group_id)   ///< a registered name of a group of systems
KN_TYPE_ID(kn_component_type_id) ///< a registered extension component
KN_TYPE_ID(kn_context_type_id)   ///< a registered type of context payload
KN_TYPE_ID(kn_ability_type_id)   ///< a registered ability type
KN_TYPE_ID(kn_ability_set_id)    ///< a registered set of abilities
KN_TYPE_ID(kn_task_type_id)      ///< a registered type of custom task
KN_TYPE_ID(kn_animation_id)      ///< a registered animation
KN_TYPE_ID(kn_target_type_id)    ///< a registered type of target data
KN_TYPE_ID(kn_targeting_id)      ///< a registered way to find targets
KN_TYPE_ID(kn_archetype_id)      ///< a registered template for entities
KN_TYPE_ID(kn_command_type_id)   ///< a registered kind of command
KN_TYPE_ID(kn_check_id)          ///< a registered check of abilities
KN_TYPE_ID(kn_cause_type_id)     ///< a registered kind of causes of games and kits
KN_TYPE_ID(kn_custom_event_id)   ///< a registered kind of events of games and kits

#ifdef __cplusplus
}
#endif

#endif
