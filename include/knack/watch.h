// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Watches: simulation code that waits for something to happen to one entity, or to any, outside of
/// an activation. A rule waits for all entities and forever; a task waits for an ability. A watch
/// is started and stopped, may carry a few bytes or a state of its own, and is part of the state of
/// the world.
///
///   kn_watch_def def = kn_watch_def_default();
///   def.name = "Wounded";
///   def.kind = KN_WATCH_THRESHOLD;
///   def.attribute = health;
///   def.compare = KN_COMPARE_LESS;
///   def.value = 30.0f;
///   def.function = wounded;
#ifndef KNACK_WATCH_H
#define KNACK_WATCH_H

#include "knack/task.h"

#ifdef __cplusplus
extern "C" {
#endif

/// What a watch waits for.
typedef enum kn_watch_kind {
    KN_WATCH_TRIGGER,    ///< each time that `trigger` happens
    KN_WATCH_QUERY,      ///< the tags of its entity begin or cease to match `query`
    KN_WATCH_THRESHOLD,  ///< `attribute` of its entity begins or ceases to compare with a number
    KN_WATCH_KIND_COUNT, ///< number of the values above; not a value itself
} kn_watch_kind;

/// Which changes of a condition call a watch.
typedef enum kn_watch_edge {
    KN_WATCH_BECOMES_TRUE,  ///< the condition begins to hold
    KN_WATCH_BECOMES_FALSE, ///< the condition ceases to hold
    KN_WATCH_CHANGES,       ///< the condition begins or ceases to hold
    KN_WATCH_EDGE_COUNT,    ///< number of the values above; not a value itself
} kn_watch_edge;

/// Bytes that a watch carries for its function.
#define KN_WATCH_DATA_SIZE 16
/// Most bytes of the state of a watch.
#define KN_WATCH_STATE_MAX 1024

/// Arguments passed to the function of a watch. Valid during the call.
typedef struct kn_watch_call {
    kn_watch_id watch;           ///< the watch; stale already if it waits once
    kn_watch_type_id type;       ///< type of the watch
    kn_entity_id entity;         ///< the entity it happened to
    kn_entity_id owner;          ///< the entity the watch belongs to; may be null
    bool is_true;                ///< query and threshold: whether the condition holds now
    const kn_reaction *reaction; ///< what happened
    void *data;                  ///< the 16 bytes given at the start, writable
    /// The state of the watch, writable, of `state_size` bytes; NULL if its type has none. What is
    /// written is kept if the watch is still there after the call.
    void *state;
} kn_watch_call;

/// The function of a watch. A rule: it runs from the reaction queue, and its calls take effect at
/// once. It may stop its own watch, and others: those that wait in the queue are not called any
/// more.
typedef void kn_watch_fn(void *user, kn_world *world, const kn_watch_call *call);

/// A type of watch. Start from kn_watch_def_default().
typedef struct kn_watch_def {
    const char *name;   ///< unique name; required; saves find the watch by it
    kn_watch_kind kind; ///< what it waits for; default trigger
    kn_trigger trigger; ///< for a trigger: what has to happen; default event
    /// For events: this tag or one below it; for tags: exactly this one, required; for effects and
    /// abilities: those that have the tag; null: any.
    kn_tag tag;
    /// The attribute to wait for; required for `attribute_changed` and thresholds.
    kn_attribute_id attribute;
    kn_effect_type_id effect_type; ///< for effects: only those of this type; null: any
    /// For effects: only active ones that match when it happens; default: all, and instant effects
    /// too. `source`, `source_object` and `ignore` name things of a world: a type cannot have them.
    kn_effect_query effects;
    kn_ability_type_id ability_type; ///< for abilities: only those of this type; null: any
    const kn_tag_query *query;       ///< for a query: what the tags must match; required
    kn_compare compare; ///< for a threshold: how the attribute is compared; default less
    float value;        ///< for a threshold: the number it is compared with
    kn_watch_edge edge; ///< query and threshold: when it is called; default becomes_true
    /// Bytes of state of each watch, at most 1024: plain data without pointers.
    uint32_t state_size;
    /// The fields of the state, in order, covering all of it; required if there is a state. Saves
    /// find them by name.
    const kn_field *state_fields;
    uint32_t state_field_count; ///< number of fields of the state
    kn_watch_fn *function;      ///< called when it happens; required
    void *user;                 ///< passed to `function`
    uint32_t cookie;            ///< set by kn_watch_def_default(); do not change it
} kn_watch_def;

/// A def of a watch for events, with nothing else set.
KN_API kn_watch_def kn_watch_def_default(void);
/// Registers a type of watch.
/// @return KN_OK; KN_ERROR_BAD_DATA for a watch without the tag, attribute or query that it needs,
///         for a value that is not finite, a state that is too large or that its fields do not
///         cover byte for byte, a query of effects with something of a world, or an invalid name;
///         KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults or function; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_watch_type_register(
    kn_library *library, const kn_watch_def *def, kn_watch_type_id *type, kn_error *error);
/// The type of watch with this name. Null when there is none; a finished library then logs a
/// warning, once per name.
KN_API kn_watch_type_id kn_watch_type_find(const kn_library *library, const char *name);
/// The name of a type of watch; "" for null. Valid as long as the library.
KN_API const char *kn_watch_type_name(const kn_library *library, kn_watch_type_id type);
/// The def of a type of watch as registered; it belongs to the library. NULL when unknown.
KN_API const kn_watch_def *kn_watch_type_get_def(const kn_library *library, kn_watch_type_id type);

/// How to start a watch. Start from kn_watch_start_def_default().
typedef struct kn_watch_start_def {
    kn_watch_type_id type; ///< the type of watch; required
    /// The entity to watch, for a body the one it belongs to; null: any, which queries, thresholds
    /// and `attribute_changed` refuse. The watch ends with it.
    kn_entity_id entity;
    kn_entity_id owner; ///< the watch ends with this entity too; may be null
    /// The watch ends also with the component of this type that `owner` has, with a null owner the
    /// world itself; null: it belongs to no component.
    kn_component_type_id component_type;
    kn_component_id component; ///< which one, of a type with `several`; otherwise null
    bool once;                 ///< the watch ends when it is called for the first time
    bool has_value;            ///< threshold: `value` replaces that of the type
    float value;               ///< with `has_value`: the number the attribute is compared with
    const void *data;          ///< KN_WATCH_DATA_SIZE bytes, copied; NULL for zeros
    const void *state;         ///< the state it begins with, copied; NULL for zeros
    uint32_t cookie;           ///< set by kn_watch_start_def_default(); do not change it
} kn_watch_start_def;

/// A def of a watch that stays until it is stopped.
KN_API kn_watch_start_def kn_watch_start_def_default(void);
/// Starts a watch. A condition that holds already counts as seen: a watch for `becomes_true` waits
/// until it has ceased to hold and holds again. Several watches of one reaction are called in the
/// order they were started, those of the entity first, after rules, abilities and tasks.
/// @param watch receives its id; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID for a stale entity or owner; KN_REFUSED_BAD_NUMBER for a
///         value that is not finite; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, an
///         unknown type, or a type that needs an entity without one; KN_REFUSED_NOT_FOUND for a
///         component that the owner does not have; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_watch_start(
    kn_world *world, const kn_watch_start_def *def, kn_watch_id *watch);
/// Stops a watch; its function is not called any more. False if it is gone already.
KN_API bool kn_watch_stop(kn_world *world, kn_watch_id watch);
/// Stops all watches of a type that watch an entity, or with the null id those for any entity.
/// Returns how many there were.
KN_API uint32_t kn_watches_stop(kn_world *world, kn_watch_type_id type, kn_entity_id entity);
/// False once it was stopped, has been called for the only time, or has ended with its entity,
/// owner or component.
KN_API bool kn_watch_is_alive(const kn_world *world, kn_watch_id watch);
/// The state of a watch, for reading; NULL for a stale id and for a type without state. Valid until
/// the next call that may create something.
KN_API const void *kn_watch_read_state(const kn_world *world, kn_watch_id watch);
/// Number of watches in a world.
KN_API uint32_t kn_watch_count(const kn_world *world);

#ifdef __cplusplus
}
#endif

#endif
