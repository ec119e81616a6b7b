// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Resources: attributes that are spent and come back, such as mana, rage or ammunition. Part of
/// knack::combat.
///
/// A resource is an attribute with rules: how it regenerates, how it decays, and which modifiers
/// change what is gained and lost. Every entity with the attribute has the resource. Limits,
/// starting value and what happens when a limit changes are the attribute's: `base_min`,
/// `base_max`, `default_value`, `link: proportion`. What abilities cost are their `costs`.
///
///   resources:
///     Mana:
///       attribute: Vitals.Mana
///       regeneration: {amount: 5, interval: 2, delay: 5, while_casting: 0.5}
///     Rage:
///       attribute: Vitals.Rage
///       decay: {amount: 2, delay: 6, in_combat: 0}
///
/// Regeneration and decay cost nothing while there is nothing to do: no timer runs for a resource
/// that is full or at rest.
#ifndef KNACK_RESOURCE_H
#define KNACK_RESOURCE_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Names a resource of a library. `{0}` means "no resource".
typedef struct kn_resource_id {
    uint32_t index1; ///< number of the definition, from 1; 0 for none
} kn_resource_id;

/// How a resource changes by itself. All zero but for the factors and the interval: it does not.
typedef struct kn_resource_flow {
    /// Amount per interval, evaluated each time; its source and target are the entity; default 0:
    /// none. A number of 0 or less changes nothing.
    kn_magnitude amount;
    float interval; ///< seconds between two amounts, above 0; default 1
    /// Seconds that it waits, before the first interval begins: regeneration after the resource was
    /// lowered, decay after it was raised, by anything but regeneration, decay and limits; default
    /// 0.
    float delay;
    /// Factor on the amount while the entity is in combat (`Knack.InCombat`), at least 0; default
    /// 1.
    float in_combat;
    /// Factor on the amount while the entity casts (kn_cast_get()), at least 0; default 1.
    float while_casting;
} kn_resource_flow;

/// Why a resource changed.
typedef enum kn_resource_why {
    KN_RESOURCE_OTHER,        ///< a cost, an effect, or anything else that changes the attribute
    KN_RESOURCE_CHANGE,       ///< kn_resource_change()
    KN_RESOURCE_REGENERATION, ///< its regeneration
    KN_RESOURCE_DECAY,        ///< its decay
    KN_RESOURCE_LIMIT,        ///< its minimum or maximum changed
    KN_RESOURCE_WHY_COUNT,    ///< number of the values above; not a value itself
} kn_resource_why;

/// A change of a resource: payload of the events `Knack.ResourceChanged`, and arguments of the hook
/// `changed`.
typedef struct kn_resource_changed {
    kn_entity_id source;     ///< who changed it, for KN_RESOURCE_CHANGE; may be null
    kn_resource_id resource; ///< the resource
    kn_resource_why why;     ///< what changed it
    /// What was asked for, before modifiers and limits; the change itself where nobody asked.
    float amount;
    float old_value; ///< value before
    float new_value; ///< value now
} kn_resource_changed;

/// Payload of the events `Knack.ResourceAdded` and `Knack.ResourceRemoved`: an entity gained or
/// lost the attribute of a resource.
typedef struct kn_resource_event {
    kn_resource_id resource; ///< the resource
} kn_resource_event;

/// A resource, in data files under `resources`. Start from kn_resource_def_default().
typedef struct kn_resource_def {
    const char *name; ///< unique name; required
    /// The attribute that is the resource, instance 0 of its set; it must have a `base_min` of at
    /// least 0. Required.
    kn_attribute_id attribute;
    /// Tag that modifiers and conditions see in the event of a change, besides `Knack.Regeneration`
    /// and `Knack.Decay`; null: none.
    kn_tag tag;
    /// Transient value of the entity whose modifiers change what is gained by kn_resource_change()
    /// and regeneration; null: `Knack.ResourceGain`.
    kn_value_id gain_value;
    /// Transient value of the entity whose modifiers change what is lost by kn_resource_change()
    /// and decay; it is about the amount without its sign; null: `Knack.ResourceLoss`.
    kn_value_id loss_value;
    /// Attribute that sets the minimum, while the entity has it: the `base_min` of `attribute` must
    /// be an attribute, whose base value follows this one; null: none.
    kn_attribute_id minimum_from;
    /// Attribute that sets the maximum, while the entity has it: the `base_max` of `attribute` must
    /// be an attribute, whose base value follows this one; null: none.
    kn_attribute_id maximum_from;
    kn_resource_flow regeneration; ///< how it rises: up to the maximum, or to `rest` if it decays
    kn_resource_flow decay;        ///< how it falls back to `rest`
    /// Where decay ends; its source and target are the entity; default 0. An attribute is followed
    /// when it changes, a formula is evaluated again with the next change of the resource.
    kn_magnitude rest;
    /// Called when an entity has gained the resource, before anything is regenerated: no arguments.
    kn_hook added;
    /// Called after each change, and after its event, with a kn_resource_changed.
    kn_hook changed;
    uint32_t cookie; ///< set by kn_resource_def_default(); do not change it
} kn_resource_def;

/// A resource that neither regenerates nor decays.
KN_API kn_resource_def kn_resource_def_default(void);
/// Registers a resource.
/// @param resource receives its id; null on anything but KN_OK; may be NULL
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a missing
///         attribute, an interval of 0 or less, delays and factors below 0, or a limit that cannot
///         follow another attribute; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a
///         library without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_resource_register(
    kn_library *library, const kn_resource_def *def, kn_resource_id *resource, kn_error *error);
/// The resource with this name; null when there is none.
KN_API kn_resource_id kn_resource_find(const kn_library *library, const char *name);
/// The name of a resource; "" for null. Valid as long as the library.
KN_API const char *kn_resource_name(const kn_library *library, kn_resource_id resource);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_resource_def *kn_resource_get_def(
    const kn_library *library, kn_resource_id resource);

/// Everything worth knowing about a resource of an entity.
typedef struct kn_resource_info {
    kn_resource_id resource; ///< the resource
    float value;             ///< what is there
    float minimum;           ///< lowest value; at least 0
    float maximum;           ///< highest value; INFINITY without one
    bool is_regenerating;    ///< the next change by itself is a gain
    bool is_decaying;        ///< the next change by itself is a loss
    kn_time next;            ///< time until the next change by itself; KN_TIME_INFINITE for none
    float next_amount;       ///< what that would change as things stand, without modifiers; signed
} kn_resource_info;

/// Fills `info` for a resource of an entity. False, and `info` unchanged, for a stale id, an
/// unknown resource and an entity without its attribute.
KN_API bool kn_resource_get(
    const kn_world *world, kn_entity_id entity, kn_resource_id resource, kn_resource_info *info);
/// The resources of an entity, in order of registration. Returns how many there are; at most
/// `capacity` are written. 0 for a stale id.
KN_API uint32_t kn_resources(
    const kn_world *world, kn_entity_id entity, kn_resource_id *out, uint32_t capacity);

/// Values that a resource of one entity starts with. Start from kn_resource_init_def_default().
typedef struct kn_resource_init_def {
    kn_resource_id resource; ///< the resource; required
    bool has_minimum;        ///< `minimum` replaces the one of the definition
    float minimum;           ///< lowest value
    bool has_maximum;        ///< `maximum` replaces the one of the definition
    float maximum;           ///< highest value
    bool has_value;          ///< `value` replaces the `default_value` of the attribute
    float value;             ///< what is there at the start
    uint32_t cookie;         ///< set by kn_resource_init_def_default(); do not change it
} kn_resource_init_def;

/// A start with the values of the definition.
KN_API kn_resource_init_def kn_resource_init_def_default(void);
/// Starts a resource of an entity anew: limits first, then the value within them, without keeping
/// its proportion. A limit that follows another attribute (`maximum_from`) takes precedence over
/// the one given here, and that over the one of the definition.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an unknown resource;
///         KN_REFUSED_MISSING_ATTRIBUTE for an entity without its attribute;
///         KN_REFUSED_REQUIREMENT for a limit that is not an attribute, so that entities cannot
///         have their own; KN_REFUSED_BAD_NUMBER for a number below 0 or not finite;
///         KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a library without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_resource_init(
    kn_world *world, kn_entity_id entity, const kn_resource_init_def *def);

/// A change of a resource. Start from kn_resource_change_def_default().
typedef struct kn_resource_change_def {
    kn_resource_id resource; ///< the resource; required
    kn_entity_id entity;     ///< whose resource; required
    kn_entity_id source;     ///< who changes it; may be null
    float amount;            ///< what to add; negative: to take away
    /// Tags that modifiers and conditions see in the event of the change, besides the tag of the
    /// resource; at most KN_TAG_SET_MAX - 2.
    kn_tags tags;
    uint64_t object;       ///< 64 bits for the host, which conditions see
    bool ignore_modifiers; ///< modifiers do not change the amount; default false
    uint32_t cookie;       ///< set by kn_resource_change_def_default(); do not change it
} kn_resource_change_def;

/// A change of 0 with nothing set.
KN_API kn_resource_change_def kn_resource_change_def_default(void);
/// Changes a resource: from the host between steps, from rules and from hooks of abilities.
/// Modifiers act on the amount without its sign, of `gain_value` or `loss_value`; conditions see
/// the event with its signed amount as magnitude, the source as instigator and the entity as
/// target. The result is kept within the limits. On a client it is predicted, and corrected by the
/// server.
/// @param changed receives the change that really happened, signed; 0 on anything but KN_OK; may be
///                NULL
/// @return KN_OK, also if nothing changed; KN_REFUSED_STALE_ID for a stale entity;
///         KN_REFUSED_NOT_FOUND for an unknown resource; KN_REFUSED_MISSING_ATTRIBUTE for an entity
///         without its attribute; KN_REFUSED_BAD_NUMBER for an amount that is not finite;
///         KN_REFUSED_LIMIT in too long a chain, or for too many tags; KN_ERROR_INVALID_ARGUMENT
///         for a def without its defaults, unknown tags, or a library without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_resource_change(
    kn_world *world, const kn_resource_change_def *def, float *changed);

#ifdef __cplusplus
}
#endif

#endif
