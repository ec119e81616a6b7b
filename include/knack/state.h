// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The state of a world as records with field tables: what an inspector walks and edits, and what
/// tools compare. Everything that saves, hashes and dumps contain can be read here, under the same
/// names.
///
///   kn_state_ref ref = {0};
///   while (kn_state_next(world, entity, &ref)) {
///       kn_state_view view;
///       if (kn_state_get(world, ref, &view)) {
///           printf("%s: %u fields\n", kn_state_kind_name(ref.kind), view.table->field_count);
///       }
///   }
#ifndef KNACK_STATE_H
#define KNACK_STATE_H

#include "knack/component.h"
#include "knack/def.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

// Kinds ---------------------------------------------------------------------

/// Kinds of records. An entity has one KN_STATE_ENTITY, and any number of the others.
typedef enum kn_state_kind {
    KN_STATE_NONE,         ///< none: where a walk begins
    KN_STATE_ENTITY,       ///< the entity itself
    KN_STATE_LINKS,        ///< avatar, parent, owner and connection; once it can have effects
    KN_STATE_ATTRIBUTE,    ///< base and current value of one attribute
    KN_STATE_TAG,          ///< a count of one tag under one origin other than effects and children
    KN_STATE_EFFECT,       ///< an active effect on the entity
    KN_STATE_CONTEXT,      ///< what only some effects need: context, captures, own timers, state
    KN_STATE_INPUTS,       ///< numbers of the confirm and cancel inputs, and settings for cues
    KN_STATE_ABILITY,      ///< a granted ability
    KN_STATE_COOLDOWN,     ///< a cooldown: its charges, and the cycle that restores them
    KN_STATE_ACTIVATION,   ///< a running ability
    KN_STATE_EVENT,        ///< the data of the event that activations were begun with
    KN_STATE_TASK,         ///< a task of an activation
    KN_STATE_CUE,          ///< a cue that a call added
    KN_STATE_TIMER,        ///< a timer of a rule
    KN_STATE_WATCH,        ///< a watch outside of activations
    KN_STATE_BLOCK,        ///< a block of an ability tag by kn_abilities_block()
    KN_STATE_COMPONENT,    ///< a component of a game or kit
    KN_STATE_SPEC,         ///< a prepared effect; of the world
    KN_STATE_SPEC_CONTEXT, ///< what a prepared effect carries, as KN_STATE_CONTEXT; of the world
    KN_STATE_COMMAND,      ///< a command that waits for the next step; of the world
    KN_STATE_SWITCH,       ///< a system that was switched on or off; of the world
    KN_STATE_KIND_COUNT,   ///< number of kinds
} kn_state_kind;

/// Kinds of fields that only records of state have, beyond those of kn_field_kind and
/// KN_DEF_FIELD_REF.
enum {
    KN_STATE_FIELD_REF16 = KN_DEF_FIELD_PUBLIC_END, ///< uint16_t index + 1 of the kind `limit`
    KN_STATE_FIELD_INDEX16, ///< uint16_t index of a definition of the kind `limit`
    KN_STATE_FIELD_INDEX32, ///< uint32_t index of a definition of the kind `limit`
    KN_STATE_FIELD_ENUM8,   ///< uint8_t below `limit`
    KN_STATE_FIELD_FLAGS16, ///< uint16_t; only the bits in `limit` are state
    KN_STATE_FIELD_ABSENT,  ///< float, NaN for "absent"
    KN_STATE_FIELD_SLOT,    ///< uint32_t slot of a record of the kn_state_kind `limit`
    KN_STATE_FIELD_SLOT1,   ///< uint32_t slot + 1 of such a record; 0 for none
    KN_STATE_FIELD_LIST,    ///< elements with a table of their own; see kn_state_list()
    KN_STATE_FIELD_BLOCK,   ///< bytes of a game; see kn_state_list()
    KN_STATE_FIELD_END,     ///< one past the last kind
};

/// The words for a kind, such as "cooldown"; "" for a number that is not one. Valid forever.
KN_API const char *kn_state_kind_name(kn_state_kind kind);
/// The fields of a kind of record. Names are stable: saves of later versions keep them. NULL for
/// KN_STATE_NONE, KN_STATE_COMPONENT, whose fields its type declares, and other numbers. Valid
/// forever.
KN_API const kn_def_table *kn_state_table(kn_state_kind kind);

// Records -------------------------------------------------------------------

/// Names one record of a world. Valid until the world changes.
typedef struct kn_state_ref {
    kn_state_kind kind; ///< what it is; KN_STATE_NONE: no record
    /// KN_STATE_COMPONENT: index + 1 of its type. KN_STATE_ATTRIBUTE and KN_STATE_TAG: slot + 1 of
    /// the record with the links of the entity. KN_STATE_EVENT: slot + 1 of an activation that was
    /// begun with it. Otherwise 0.
    uint32_t of;
    /// Number of the record among those of its kind: `index1` of its id, less 1. For a context the
    /// slot of its effect; for KN_STATE_ATTRIBUTE and KN_STATE_TAG the position in the entity.
    uint32_t slot;
} kn_state_ref;

/// One record of a world, for reading. Valid until the world changes.
typedef struct kn_state_view {
    const kn_def_table *table; ///< its fields, with offsets from `record`
    const void *record;        ///< the record; what no field covers is derived, or padding
    kn_entity_id entity;       ///< the entity it belongs to; null for the world
    /// What it is an instance of, as a definition of the kind `type_kind`: the attribute, tag,
    /// effect, ability and so on; 0 where there is none.
    uint32_t type;
    kn_def_kind type_kind; ///< kind of `type`; KN_DEF_KIND_COUNT where there is none
} kn_state_view;

/// Finds the record after `ref` among those of an entity; those of the world itself for the null
/// id. Begin with a ref that is all zero. They come in the order of kn_state_kind, each kind in
/// the order in which the simulation keeps them. The records of a walk are those of one entity: an
/// avatar has no effects of its own.
/// @return false after the last one, for a stale id, and for a ref that names no record; then `ref`
///         is all zero
KN_API bool kn_state_next(const kn_world *world, kn_entity_id entity, kn_state_ref *ref);
/// Shows a record.
/// @return false for one that does not exist; then `view` is all zero
KN_API bool kn_state_get(const kn_world *world, kn_state_ref ref, kn_state_view *view);
/// The elements of a field of kind KN_STATE_FIELD_LIST or KN_STATE_FIELD_BLOCK.
/// @param field index among the fields of the record's table
/// @param items receives where they are, one after the other; valid until the world changes
/// @param table receives the fields of an element; for bytes of a game with declared fields the
///              table that they begin with; NULL for plain bytes
/// @return the number of elements, or of bytes; 0 for a field of another kind
KN_API uint32_t kn_state_list(const kn_world *world, kn_state_ref ref, uint32_t field,
    const void **items, const kn_def_table **table);
/// Items of a component.
/// @return how many there are; `items` and `table` as in kn_state_list()
KN_API uint32_t kn_state_items(
    const kn_world *world, kn_state_ref ref, const void **items, const kn_def_table **table);
/// Prints a record as one line, such as "effect Burn: number 7; source entity 2; stacks 3; ...".
/// Returns the full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_state_print(
    const kn_world *world, kn_state_ref ref, char *buffer, uint32_t size);

/// Writes one element of a field, and rebuilds everything that is derived from it: modifier lists,
/// counts of tags, timers. For tools: it costs as much as loading the world, publishes nothing and
/// runs no hooks. Values of attributes settle as after loading a save.
/// @param field index among the fields of the record's table; lists and blocks cannot be written
/// @param element number of the element, for arrays; otherwise 0
/// @param value the bytes of the element, of the field's kind
/// @return KN_OK; KN_REFUSED_STALE_ID for a record that does not exist;
///         KN_ERROR_INVALID_ARGUMENT for a field or element that does not exist, or that cannot be
///         written: lists, blocks, slots, and the numbers that ids are made of; KN_ERROR_BAD_DATA
///         for a value that makes no sense there, and `error` says why; KN_ERROR_WORLD_LOCKED from
///         a rule or a listener; KN_ERROR_WORLD_BROKEN; KN_ERROR_OUT_OF_MEMORY. On anything but
///         KN_OK the world is as it was
KN_API KN_MUST_USE kn_result kn_state_set(kn_world *world, kn_state_ref ref, uint32_t field,
    uint32_t element, const void *value, kn_error *error);

// Entities with a given id --------------------------------------------------

/// Creates an entity with the id it has elsewhere, such as on a server. Ids that are given out
/// later differ from it.
/// @return KN_OK; KN_REFUSED_LIMIT if an entity has this slot already, or the slot is far beyond
///         those in use; KN_ERROR_INVALID_ARGUMENT for a null id; otherwise as kn_entity_create()
KN_API KN_MUST_USE kn_result kn_entity_create_as(kn_world *world, kn_entity_id id);
/// Keeps the ids of entities that this world creates itself apart from those that it gets from
/// elsewhere: they get the lowest free index from `first1` on. A client that predicts creation does
/// so; its spawn tasks work then, and abilities can be granted to such entities. A setting like
/// kn_world_def.own_entities, not part of the state: restoring a snapshot keeps it. 0: any index.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT above KN_OWN_ENTITIES_MAX; KN_ERROR_WORLD_LOCKED from a
///         rule or a listener
KN_API kn_result kn_world_set_own_entities(kn_world *world, uint32_t first1);
/// True if an id is among those that this world gives to entities it creates itself
/// (kn_world_set_own_entities()), alive or not. False if the world has no such range.
KN_API bool kn_entity_is_own(const kn_world *world, kn_entity_id entity);

#ifdef __cplusplus
}
#endif

#endif
