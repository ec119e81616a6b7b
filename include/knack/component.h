// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Extension components: plain data that kits and games attach to entities, or to the world itself.
/// Snapshots, saves, hashes, differences and dumps cover it through its field table.
///
///   kn_component_def def = kn_component_def_default();
///   def.name = "Leash";
///   def.size = sizeof(leash);
///   def.fields = leash_fields;
///   def.field_count = 2;
///   kn_component_type_id type;
///   kn_result result = kn_component_register(library, &def, &type, &error);
///   ...
///   leash *own = kn_component_add(world, type, wolf);
///   own->length = 5.0f;
///
/// An entity has at most one component of a type, found by the entity. A type with `several` may be
/// there any number of times: each of them is an instance with an id of its own.
///
/// Pointers to components and items are valid until the next call that may create something.
#ifndef KNACK_COMPONENT_H
#define KNACK_COMPONENT_H

#include "knack/attribute.h"
#include "knack/library.h"

#ifdef __cplusplus
extern "C" {
#endif

// Types -----------------------------------------------------------------------

/// What a hook of a component type is called for. Valid during the call.
typedef struct kn_component_call {
    kn_world *world;           ///< the world the component is in
    kn_component_type_id type; ///< the type of the component
    kn_entity_id entity;       ///< null for a component of the world itself
    kn_component_id component; ///< which of several; null for a type without `several`
} kn_component_call;

/// A hook of a component type. A rule, inside an operation: calls that remove or rearrange wait
/// (docs/step-order.md, "A hook"), but components come and go at once. Hooks that call each other
/// 16 deep are not called any deeper; KN_EVENT_ERROR reports it.
typedef void kn_component_fn(void *user, const kn_component_call *call);

/// What happens to a reference when the entity it refers to is destroyed.
typedef enum kn_reference_policy {
    KN_REFERENCE_LEAVE,        ///< nothing: it holds a stale id from then on
    KN_REFERENCE_CLEAR,        ///< the reference becomes null
    KN_REFERENCE_REMOVE,       ///< the component is removed; the item, for a field of items
    KN_REFERENCE_POLICY_COUNT, ///< number of the values above; not a value itself
} kn_reference_policy;

/// Most references of a component type.
#define KN_COMPONENT_REFERENCES_MAX 8

/// A field of a component, or of its items, that refers to entities and is indexed by them: see
/// kn_component_referrers().
typedef struct kn_component_reference {
    const char *field; ///< name of a field of kind entity; required
    bool of_items;     ///< the field is one of the items; default false: of the component itself
    /// What happens when the entity it refers to is destroyed, after the components of that entity
    /// were removed; default leave.
    kn_reference_policy when_destroyed;
} kn_component_reference;

/// A type of extension component. Start from kn_component_def_default(). Every byte of the struct
/// must belong to a field.
typedef struct kn_component_def {
    const char *name;       ///< unique name; required; saves find the component by it
    uint32_t size;          ///< bytes of the struct, 1 to 65536; data files may leave it out
    const kn_field *fields; ///< the fields of the struct, in order; required
    uint32_t field_count;   ///< number of entries in `fields`
    /// Bytes of an item of the list that the component ends with, at most 65536; data files may
    /// leave it out; 0: there is no list.
    uint32_t item_size;
    /// The fields of an item of that list, in order; required with `item_size`.
    const kn_field *item_fields;
    uint32_t item_field_count; ///< number of entries in `item_fields`
    /// An entity may have any number of these components, each with an id; default false: one.
    bool several;
    /// Who receives the component over the network; default all: those who may see its fields.
    /// With `none` it belongs to one machine: projections for clients leave it out and leave alone
    /// what the other world has of it, and its changes are not noted (kn_changes_since()).
    kn_sync sync;
    /// Called when a component was added, zeroed, before the call that adds it returns: it can set
    /// the values that a component begins with. Not called when a save is loaded or a snapshot
    /// restored. May be NULL.
    kn_component_fn *added;
    /// Called before a component is removed, by a call or with its entity, whose tags and
    /// attributes can still be read: it can release what the component stands for. Not called when
    /// a save is loaded, a snapshot restored or the world destroyed. May be NULL.
    kn_component_fn *removed;
    void *user; ///< passed to the hooks
    /// Fields that refer to entities and are indexed by them, so that it costs little to find what
    /// refers to an entity; at most 8, none twice.
    const kn_component_reference *references;
    uint32_t reference_count; ///< number of entries in `references`
    uint32_t cookie;          ///< set by kn_component_def_default(); do not change it
} kn_component_def;

/// A component def with nothing set.
KN_API kn_component_def kn_component_def_default(void);
/// Registers an extension component.
/// @return KN_OK; KN_ERROR_BAD_DATA for a size out of range, fields that do not cover the struct
///         byte for byte, or references to fields that are not there or hold something else;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT
///         for a def without its defaults; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_component_register(
    kn_library *library, const kn_component_def *def, kn_component_type_id *type, kn_error *error);
/// The component type with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_component_type_id kn_component_find(const kn_library *library, const char *name);
/// The name of a component type; "" for null. Valid as long as the library.
KN_API const char *kn_component_name(const kn_library *library, kn_component_type_id type);
/// The def as registered; it belongs to the library. NULL when unknown.
KN_API const kn_component_def *kn_component_get_def(
    const kn_library *library, kn_component_type_id type);

// By entity -------------------------------------------------------------------
//
// Of several components of a type, these functions mean the first: the oldest one that is left.

/// Adds a component to an entity, zeroed, or finds the one that is there. A null entity means the
/// world itself. NULL for a stale id, for an entity whose components are being removed because it
/// ends, if the `added` hook removed it again, in a broken world, and without memory; inside the
/// simulation running out of memory breaks the world. The pointer is valid until the next call that
/// may create something.
KN_API void *kn_component_add(kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// Removes a component, with its items, at once. A null entity means the world itself. False if
/// there is none, while its `removed` hook runs, in a broken world, and without memory for what the
/// hook may do.
KN_API bool kn_component_remove(kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// The component of an entity (null: of the world), for writing; NULL when there is none. Valid
/// until the next call that may create something.
KN_API void *kn_component_get(kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// The component of an entity (null: of the world), for reading; NULL when there is none. Valid
/// until the next call that may create something.
KN_API const void *kn_component_read(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// Sets the length of the variable-length part (new items are zeroed) and returns its first item.
/// NULL for length 0, without the component, or without memory (the length is unchanged then).
/// Valid until the next call that may create something.
KN_API void *kn_component_resize(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t count);
/// The items of a component, for writing, and their number in `*count` (may be NULL). NULL when
/// there are none. Valid until the next call that may create something.
KN_API void *kn_component_items(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count);
/// The items of a component, for reading, and their number in `*count` (may be NULL). NULL when
/// there are none. Valid until the next call that may create something.
KN_API const void *kn_component_read_items(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count);
/// A component for reading, as kn_component_read(), and its items, as kn_component_read_items(), in
/// `*items` and `*count`; both must not be NULL. One search instead of two, for those who read
/// many.
KN_API const void *kn_component_read_whole(const kn_world *world, kn_component_type_id type,
    kn_entity_id entity, const void **items, uint32_t *count);
/// A component for writing, as kn_component_get(), and its items, as kn_component_items(), in
/// `*items` and `*count`; both must not be NULL. One search instead of two. NULL, no items and 0
/// without a component.
KN_API void *kn_component_get_whole(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, void **items, uint32_t *count);
/// Walks the entities that have a component, by slot: start with the null id, pass the id returned
/// before. Null at the end. The world's own is not visited.
KN_API kn_entity_id kn_component_next(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity);

// Instances -------------------------------------------------------------------
//
// For types with `several`. An id belongs to its type: the same number may name an instance of
// another one. Types without `several` have no ids; the functions treat any id as stale.

/// Adds another component of a type to an entity, zeroed, after those that are there. A null entity
/// means the world itself.
/// @param component receives its id; null on anything but KN_OK; may be NULL
/// @return KN_OK, also if the `added` hook removed it again; KN_REFUSED_STALE_ID; KN_REFUSED_DYING
///         for an entity whose components are being removed because it ends; KN_REFUSED_DUPLICATE
///         for a type without `several`; KN_ERROR_INVALID_ARGUMENT for a type that is not
///         registered; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_component_instance_add(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, kn_component_id *component);
/// Removes one component, with its items, at once. False for a stale id; otherwise as
/// kn_component_remove().
KN_API bool kn_component_instance_remove(
    kn_world *world, kn_component_type_id type, kn_component_id component);
/// Walks the components of a type that an entity has (null: the world), in the order they were
/// added: start with the null id, pass the id returned before. Null at the end, for a stale id, and
/// for an id of another entity.
KN_API kn_component_id kn_component_instance_next(const kn_world *world, kn_component_type_id type,
    kn_entity_id entity, kn_component_id component);
/// How many components of a type an entity has (null: the world), with `several` or without. 0 for
/// a stale id. Walks them.
KN_API uint32_t kn_component_instance_count(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity);
/// True until the component is removed, by itself or with its entity.
KN_API bool kn_component_instance_is_alive(
    const kn_world *world, kn_component_type_id type, kn_component_id component);
/// The entity that has a component; null for one of the world itself, and for a stale id.
KN_API kn_entity_id kn_component_instance_entity(
    const kn_world *world, kn_component_type_id type, kn_component_id component);
/// A component, for writing; NULL for a stale id. Valid until the next call that may create
/// something.
KN_API void *kn_component_instance_get(
    kn_world *world, kn_component_type_id type, kn_component_id component);
/// A component, for reading; NULL for a stale id. Valid until the next call that may create
/// something.
KN_API const void *kn_component_instance_read(
    const kn_world *world, kn_component_type_id type, kn_component_id component);
/// Sets the number of items of one component. Otherwise as kn_component_resize().
KN_API void *kn_component_instance_resize(
    kn_world *world, kn_component_type_id type, kn_component_id component, uint32_t count);
/// The items of one component, for writing. Otherwise as kn_component_items().
KN_API void *kn_component_instance_items(
    kn_world *world, kn_component_type_id type, kn_component_id component, uint32_t *count);
/// The items of one component, for reading. Otherwise as kn_component_read_items().
KN_API const void *kn_component_instance_read_items(
    const kn_world *world, kn_component_type_id type, kn_component_id component, uint32_t *count);

// Following changes ---------------------------------------------------------------
//
// For data that is derived from components and kept outside of the world, such as a spatial index.
// The world counts how often components of a type were added, handed out for writing or removed,
// and lists the latest of these changes, if something follows them. A follower remembers how many
// it has seen, looks at the listed ones after that, and at all components if the list does not
// reach back so far:
//
//   kn_component_changes changes = kn_component_get_changes(world, type);
//   if (seen < changes.first || seen > changes.count) {
//       look_at_all(world, type); // kn_component_next()
//       kn_component_follow(world, type);
//   } else {
//       kn_component_change list[32];
//       uint32_t count;
//       while ((count = kn_component_list_changes(world, type, seen, list, 32)) > 0) {
//           look_at(list, count);
//           seen += count;
//       }
//   }
//   seen = changes.count;
//
// A pointer that was handed out before and is written after the follower looked escapes it.

/// Changes of all components of a type. None of it is state: saves and hashes leave it out.
typedef struct kn_component_changes {
    /// Changes so far. After a save was loaded or a snapshot restored it is higher than it was.
    uint64_t count;
    uint64_t first;      ///< the first change that is listed; `count` if none is
    uint32_t components; ///< how many components there are now, those of the world included
} kn_component_changes;

/// The changes of a type so far; all zero for a type that is not registered.
KN_API kn_component_changes kn_component_get_changes(
    const kn_world *world, kn_component_type_id type);
/// The number of changes of a type so far, as in kn_component_get_changes(): the quickest way to
/// see that nothing has changed.
KN_API uint64_t kn_component_change_count(const kn_world *world, kn_component_type_id type);
/// One change of a component.
typedef struct kn_component_change {
    /// The entity, as it is now; null for the world itself. If it is gone, the id is stale: it has
    /// the slot, and the generation of what has the slot now, or 0.
    kn_entity_id entity;
    /// The component as it is now, the first one of several; NULL if the entity has none, and for
    /// the world itself. Valid until the next call that may create something.
    const void *component;
} kn_component_change;

/// Lists changes of a type from number `first` on, in the order they happened. The same component
/// may be there several times.
/// @param out receives up to `capacity` of them
/// @return how many were written; 0 past the end, and for a `first` that is not listed
KN_API uint32_t kn_component_list_changes(const kn_world *world, kn_component_type_id type,
    uint64_t first, kn_component_change *out, uint32_t capacity);
/// Lists changes of a type from now on, with room for about as many as there are components: call
/// it again when the list was too short. Without memory the list stays as it is, and followers look
/// at all components. Nothing else of the world changes, so that those who only read it can follow
/// it too.
KN_API void kn_component_follow(const kn_world *world, kn_component_type_id type);

// References --------------------------------------------------------------------

/// A place that refers to an entity.
typedef struct kn_component_referrer {
    kn_entity_id entity;       ///< the entity that has the component; null for the world itself
    kn_component_id component; ///< which of several; null for a type without `several`
    uint32_t item;             ///< index of the item, from 0; 0 for a field of the component itself
    uint32_t element;          ///< index in the field, from 0, if that is an array
} kn_component_referrer;

/// Finds the components that refer to an entity, by the slots of the entities that have them (the
/// world itself first), then by creation, item and element. Stale ids are found like others.
///
/// The index behind it is brought up to date by the call: it looks at the components that were
/// added, handed out for writing or removed since the last one, and at all of them after a save was
/// loaded or a snapshot restored. A pointer that was handed out before this call and is written
/// after it escapes the index; get it again. kn_world_validate() finds such writes.
/// @param reference index in the `references` of the def, see kn_component_reference_find()
/// @param out receives the first `capacity` of them; may be NULL for a capacity of 0
/// @return how many there are; 0 for the null id, and for a reference that is not declared
KN_API uint32_t kn_component_referrers(const kn_world *world, kn_component_type_id type,
    uint32_t reference, kn_entity_id entity, kn_component_referrer *out, uint32_t capacity);
/// Finds those that come after one that was found before, which may be gone by now: to walk any
/// number of them in a small array, page by page.
/// @param after the last one of the page before; NULL: from the first on
/// @return how many come after it; otherwise as kn_component_referrers()
KN_API uint32_t kn_component_referrers_after(const kn_world *world, kn_component_type_id type,
    uint32_t reference, kn_entity_id entity, const kn_component_referrer *after,
    kn_component_referrer *out, uint32_t capacity);
/// The index of a reference among those of a type, by the name of its field; UINT32_MAX when there
/// is none.
KN_API uint32_t kn_component_reference_find(
    const kn_library *library, kn_component_type_id type, const char *field, bool of_items);

#ifdef __cplusplus
}
#endif

#endif
