// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Behaviour trees and blackboards, a part of the order kit (knack/order.h): how an entity carries
/// out its orders, or acts without any.
///
///   blackboards:
///     Soldier: {order_keys: true, keys: [{name: Foe, kind: entity}]}
///   trees:
///     Guard:
///       blackboard: Soldier
///       root:
///         kind: selector
///         children:
///           - kind: use_ability
///             ability: Strike
///             target: Foe
///             conditions: [{key: Foe, aborts: both}]
///           - {kind: wait_event, tag: Event.Alarm}
///
/// A tree begins at its root with kn_tree_start(), or with an order whose type names it. A node
/// succeeds or fails at once, or runs until something happens that it waits for: a time, an event,
/// a tag, an attribute, a key of the blackboard, the end of an ability, or kn_tree_finish_task().
/// Nothing is polled: a tree that waits costs nothing.
///
/// What a tree knows about an entity is on its blackboard: typed values under names. Conditions of
/// nodes can watch them, and interrupt what runs.
///
/// The state of a tree and a blackboard is in components of their entity: snapshots, saves and
/// hashes cover it at any moment, also in the middle of a node. If the nodes of a tree are others
/// when a save is loaded, what it was doing is lost: it is aborted when it would have gone on, and
/// its order fails. Trees are the authority's: clients
/// have none, and calls that change something are refused there.
///
/// Hooks of trees may call everything. Calls that concern the tree that runs take effect when it
/// comes to rest.
#ifndef KNACK_TREE_H
#define KNACK_TREE_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

// Blackboards -------------------------------------------------------------------------

KN_TYPE_ID(kn_blackboard_id)

/// Most keys of a blackboard, those of orders included.
#define KN_BLACKBOARD_KEYS_MAX 256

/// What a key of a blackboard holds.
typedef enum kn_blackboard_kind {
    KN_BLACKBOARD_BOOL,       ///< true or false
    KN_BLACKBOARD_INT,        ///< a whole number
    KN_BLACKBOARD_FLOAT,      ///< a number
    KN_BLACKBOARD_VECTOR,     ///< a point
    KN_BLACKBOARD_ENTITY,     ///< an entity
    KN_BLACKBOARD_ORDER,      ///< an order type
    KN_BLACKBOARD_TAG,        ///< a tag
    KN_BLACKBOARD_KIND_COUNT, ///< number of the values above; not a value itself
} kn_blackboard_kind;

/// A key of a blackboard. Start from kn_blackboard_key_def_default().
typedef struct kn_blackboard_key_def {
    const char *name;        ///< unique in its blackboard; required
    kn_blackboard_kind kind; ///< what it holds; default bool
    float number;            ///< what a bool, an int or a float begins with; default 0: not set
} kn_blackboard_key_def;

/// A bool without a name.
KN_API kn_blackboard_key_def kn_blackboard_key_def_default(void);

/// A layout of blackboards, in data files under `blackboards`. Start from
/// kn_blackboard_def_default(). Each entity that uses it has values of its own.
typedef struct kn_blackboard_def {
    const char *name;                  ///< unique name; required
    const kn_blackboard_key_def *keys; ///< its keys
    uint32_t key_count;                ///< number of entries in `keys`
    /// It also has the keys that orders write: `Order_OrderType` (order), `Order_Location`
    /// (vector), `Order_Target` (entity), `Order_Index` (int), `Order_Range` (float) and
    /// `Order_HomeLocation` (vector). Trees of order types need them; default false.
    bool order_keys;
    uint32_t cookie; ///< set by kn_blackboard_def_default(); do not change it
} kn_blackboard_def;

/// A layout without keys.
KN_API kn_blackboard_def kn_blackboard_def_default(void);
/// Registers a layout.
/// @return as kn_order_type_register()
KN_API KN_MUST_USE kn_result kn_blackboard_register(
    kn_library *library, const kn_blackboard_def *def, kn_blackboard_id *board, kn_error *error);
/// The layout with this name; null when there is none.
KN_API kn_blackboard_id kn_blackboard_find(const kn_library *library, const char *name);
/// The def of a layout as registered; it belongs to the library. NULL when unknown.
KN_API const kn_blackboard_def *kn_blackboard_get_def(
    const kn_library *library, kn_blackboard_id board);

/// Gives an entity a blackboard. A tree does that by itself. Of a blackboard of another layout that
/// was there, values of keys that both have, of the same kind, stay.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT
///         for an unknown layout; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_blackboard_add(kn_world *world, kn_entity_id entity, kn_blackboard_id board);
/// The layout of the blackboard of an entity; null for none.
KN_API kn_blackboard_id kn_blackboard_get(const kn_world *world, kn_entity_id entity);

// Reading and writing. Conditions of a running tree that watch a key are tested again when its
// value changes.

/// Reads a bool; false if the key is not set, and on anything but KN_OK.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an entity without a blackboard, and for a key that it
///         does not have; KN_ERROR_INVALID_ARGUMENT for a key that holds something else;
///         KN_REFUSED_STALE_ID
KN_API kn_result kn_blackboard_get_bool(
    const kn_world *world, kn_entity_id entity, const char *key, bool *value);
/// Reads a whole number. Results as kn_blackboard_get_bool().
KN_API kn_result kn_blackboard_get_int(
    const kn_world *world, kn_entity_id entity, const char *key, int32_t *value);
/// Reads a number. Results as kn_blackboard_get_bool().
KN_API kn_result kn_blackboard_get_float(
    const kn_world *world, kn_entity_id entity, const char *key, float *value);
/// Reads a point. Results as kn_blackboard_get_bool().
KN_API kn_result kn_blackboard_get_vector(
    const kn_world *world, kn_entity_id entity, const char *key, kn_vec3 *value);
/// Reads an entity; null for one that is gone. Results as kn_blackboard_get_bool().
KN_API kn_result kn_blackboard_get_entity(
    const kn_world *world, kn_entity_id entity, const char *key, kn_entity_id *value);
/// Reads an order type. Results as kn_blackboard_get_bool().
KN_API kn_result kn_blackboard_get_order(
    const kn_world *world, kn_entity_id entity, const char *key, kn_order_type_id *value);
/// Reads a tag. Results as kn_blackboard_get_bool().
KN_API kn_result kn_blackboard_get_tag(
    const kn_world *world, kn_entity_id entity, const char *key, kn_tag *value);
/// Writes a bool.
/// @return as kn_blackboard_get_bool(); KN_REFUSED_BLOCKED on a client, and for keys of orders,
///         which only orders write; KN_REFUSED_BAD_NUMBER for numbers that are not finite;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_blackboard_set_bool(
    kn_world *world, kn_entity_id entity, const char *key, bool value);
/// Writes a whole number. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_set_int(
    kn_world *world, kn_entity_id entity, const char *key, int32_t value);
/// Writes a number. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_set_float(
    kn_world *world, kn_entity_id entity, const char *key, float value);
/// Writes a point. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_set_vector(
    kn_world *world, kn_entity_id entity, const char *key, kn_vec3 value);
/// Writes an entity. The null id clears the key. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_set_entity(
    kn_world *world, kn_entity_id entity, const char *key, kn_entity_id value);
/// Writes an order type. The null id clears the key. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_set_order(
    kn_world *world, kn_entity_id entity, const char *key, kn_order_type_id value);
/// Writes a tag. The null tag clears the key. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_set_tag(
    kn_world *world, kn_entity_id entity, const char *key, kn_tag value);
/// Clears a key of any kind. Results as kn_blackboard_set_bool().
KN_API kn_result kn_blackboard_clear(kn_world *world, kn_entity_id entity, const char *key);
/// True for a key that is set. False for one that is not there.
KN_API bool kn_blackboard_is_set(const kn_world *world, kn_entity_id entity, const char *key);

/// What the keys of orders hold: the order that is carried out.
typedef struct kn_blackboard_order {
    kn_order_type_id type; ///< `Order_OrderType`; null: none
    /// `Order_Location`; zero if the order has none, or is not aimed at a point.
    kn_vec3 location;
    kn_entity_id target; ///< `Order_Target`; null if it has none, or it is gone
    int32_t index;       ///< `Order_Index`; -1 if the order has none, 0 without a blackboard
    float range;         ///< `Order_Range`, as it was when the order began
    kn_vec3 home;        ///< `Order_HomeLocation`
} kn_blackboard_order;

/// Reads the keys of orders; all zero, and false, without a blackboard that has them.
KN_API bool kn_blackboard_get_current_order(
    const kn_world *world, kn_entity_id entity, kn_blackboard_order *out);

// Actions -----------------------------------------------------------------------------

KN_TYPE_ID(kn_tree_action_id)

/// How a node, or a tree, ended.
typedef enum kn_tree_result {
    KN_TREE_SUCCEEDED,    ///< it did what it is for
    KN_TREE_FAILED,       ///< it did not
    KN_TREE_RUNNING,      ///< it has not ended
    KN_TREE_ABORTED,      ///< something else ended it
    KN_TREE_RESULT_COUNT, ///< number of the values above; not a value itself
} kn_tree_result;

/// Arguments of the hooks of an action. The entity is that of the kn_hook_call.
typedef struct kn_tree_call {
    kn_tree_id tree;       ///< the tree that runs
    uint32_t node;         ///< index of the node in it, see kn_tree_get_node()
    uint32_t ticket;       ///< what kn_tree_finish_task() needs; 0 for services and tests
    kn_tree_result result; ///< `run` of a task: the answer; succeeded at first
    float number;          ///< `number` of the node, the service or the condition
    kn_tag tag;            ///< `tag` of the node, the service or the condition
    kn_entity_id target;   ///< what the key `target` of the node holds
    kn_vec3 location;      ///< what the key `location` of the node holds
    uint32_t unused;       ///< keeps the struct free of gaps
} kn_tree_call;

/// Code that nodes, services and conditions of trees name, in data files under `tree_actions`.
/// Start from kn_tree_action_def_default().
typedef struct kn_tree_action_def {
    const char *name; ///< unique name; required
    /// A task, or one call of a service. A task ends at once with `result`, or goes on if that is
    /// KN_TREE_RUNNING, until kn_tree_finish_task(). Anything but KN_OK: it failed.
    kn_hook run;
    kn_hook aborted; ///< cleans up when a task is aborted that has not ended
    kn_hook test;    ///< a condition: KN_OK if it holds; must only read
    uint32_t cookie; ///< set by kn_tree_action_def_default(); do not change it
} kn_tree_action_def;

/// An action without hooks.
KN_API kn_tree_action_def kn_tree_action_def_default(void);
/// Registers an action.
/// @return as kn_order_type_register()
KN_API KN_MUST_USE kn_result kn_tree_action_register(
    kn_library *library, const kn_tree_action_def *def, kn_tree_action_id *action, kn_error *error);
/// The action with this name; null when there is none.
KN_API kn_tree_action_id kn_tree_action_find(const kn_library *library, const char *name);

// Trees -------------------------------------------------------------------------------

/// Most nodes of a tree, those of its sub-trees included.
#define KN_TREE_NODES_MAX 4096
/// Most nodes inside each other, those of sub-trees included.
#define KN_TREE_DEPTH_MAX 64
/// Most children of a random selector.
#define KN_TREE_RANDOM_MAX 32
/// Most nodes that a tree enters before it must wait for something. One that goes on and on is
/// stopped: it fails, and `Knack.TreeStuck` is published.
#define KN_TREE_STEPS_MAX 4096

/// What a node does.
typedef enum kn_tree_node_kind {
    // With children.
    KN_TREE_SEQUENCE,        ///< its children in order, until one fails
    KN_TREE_SELECTOR,        ///< its children in order, until one succeeds
    KN_TREE_RANDOM_SELECTOR, ///< its children in random order, until one succeeds
    KN_TREE_PARALLEL,        ///< all children at once; see `succeeds`, `fails` and `rest`
    // With one child.
    /// Its child again and again: `count` times, 0 forever. Fails when the child fails.
    KN_TREE_REPEAT,
    /// Its child again and again until it ends as `until` says; succeeds then. Fails after `count`
    /// attempts; 0: any number.
    KN_TREE_LOOP_UNTIL,
    KN_TREE_INVERT,     ///< succeeds when its child fails, and fails when it succeeds
    KN_TREE_SUCCEED,    ///< its child; succeeds however that ends
    KN_TREE_TIME_LIMIT, ///< its child; aborts it after `duration`, and fails
    /// Its child; fails at once if it ended less than `duration` ago. It is ready when the tree
    /// begins.
    KN_TREE_COOLDOWN,
    // Without children.
    KN_TREE_SUB_TREE,       ///< `tree`, after `parameters` were written to the blackboard
    KN_TREE_WAIT,           ///< succeeds after `duration`; infinite: never
    KN_TREE_WAIT_EVENT,     ///< succeeds when an event with `tag` or below it reaches the entity
    KN_TREE_WAIT_TAG,       ///< succeeds when the entity gains `tag`; at once if it has it
    KN_TREE_WAIT_NO_TAG,    ///< succeeds when the entity loses `tag`; at once without it
    KN_TREE_WAIT_ATTRIBUTE, ///< succeeds when `attribute` of the entity changes
    /// Succeeds when the ability, chosen as by `use_ability`, is not on cooldown any more; fails if
    /// the entity has none.
    KN_TREE_WAIT_ABILITY,
    KN_TREE_TASK, ///< `action`
    /// Activates `ability`, or one with the tag `tag`, or that of the order, at `target` and
    /// `location` if given; ends as it ends.
    KN_TREE_USE_ABILITY,
    KN_TREE_APPLY_EFFECT, ///< applies `effect` to `target`, or to the entity; level `number`
    KN_TREE_SEND_EVENT,   ///< sends `tag` to `target`, or to the entity; magnitude `number`
    KN_TREE_SET_KEY,      ///< writes `values` to the blackboard
    KN_TREE_ISSUE_ORDER,  ///< gives the entity an order: `order`, `target`, `location`, `index`
    KN_TREE_FINISH_ORDER, ///< ends the order that the tree carries out, as `result` says
    /// Goes to `target`, or without that key to `location`, until it is within `range`. Fails if
    /// no path leads there, it gets stuck, is stopped, or loses its target. If the key changes
    /// meanwhile, it goes there. See knack/mover.h.
    KN_TREE_MOVE_TO,
    KN_TREE_FACE,            ///< turns to `target`, or without that key to `location`
    KN_TREE_NODE_KIND_COUNT, ///< number of the values above; not a value itself
} kn_tree_node_kind;

/// What a running condition may interrupt when its answer changes.
typedef enum kn_tree_aborts {
    KN_TREE_ABORTS_NONE, ///< nothing: it is tested when the node is about to begin
    KN_TREE_ABORTS_SELF, ///< when it ceases to hold, its node is aborted and fails
    /// When it begins to hold, a later child of the same selector is aborted, and its node begins.
    KN_TREE_ABORTS_LOWER,
    KN_TREE_ABORTS_BOTH,  ///< both
    KN_TREE_ABORTS_COUNT, ///< number of the values above; not a value itself
} kn_tree_aborts;

/// How a condition compares.
typedef enum kn_tree_compare {
    KN_TREE_IS_SET,        ///< the key is set; a bool is true, a number is not 0
    KN_TREE_LESS,          ///< it is below the number
    KN_TREE_LESS_EQUAL,    ///< it is at most the number
    KN_TREE_EQUAL,         ///< it equals the number, tag or other key
    KN_TREE_NOT_EQUAL,     ///< it differs from the number, tag or other key
    KN_TREE_GREATER_EQUAL, ///< it is at least the number
    KN_TREE_GREATER,       ///< it is above the number
    KN_TREE_COMPARE_COUNT, ///< number of the values above; not a value itself
} kn_tree_compare;

/// Which children decide about a parallel node.
typedef enum kn_tree_quorum {
    KN_TREE_ALL,          ///< all of them
    KN_TREE_ONE,          ///< the first one
    KN_TREE_QUORUM_COUNT, ///< number of the values above; not a value itself
} kn_tree_quorum;

/// What becomes of the other children once a parallel node is decided.
typedef enum kn_tree_rest {
    KN_TREE_REST_ABORTED, ///< they are aborted; the default
    KN_TREE_REST_WAITS,   ///< the node waits until they have ended, and then ends as decided
    KN_TREE_REST_COUNT,   ///< number of the values above; not a value itself
} kn_tree_rest;

/// A condition of a node: the node fails if it does not hold when it is about to begin. It has one
/// test: tags, a key, an attribute, a condition or an action. Start from
/// kn_tree_condition_default().
typedef struct kn_tree_condition {
    const char *name; ///< for drawings; NULL: what it tests
    kn_tags required; ///< tags: the entity has all of these
    kn_tags blocked;  ///< tags: the entity has none of these
    const char *key;  ///< a key of the blackboard, compared by `compare`
    /// The key is an entity or a point no further away than this key of kind float says.
    const char *within;
    kn_attribute_id attribute; ///< an attribute of the entity, compared with `number`
    kn_tree_compare compare;   ///< how it is compared; default is_set
    float number;              ///< the number it is compared with; default 0
    kn_tag tag;                ///< the tag it is compared with
    const char *with;          ///< the key it is compared with, of the same kind
    kn_condition_id condition; ///< a condition; instigator and target are the entity
    kn_tree_action_id action;  ///< the hook `test` of an action
    bool inverted;             ///< it holds when the test does not; default false
    kn_tree_aborts aborts;     ///< what it interrupts when its answer changes; default none
    /// Tags that it is tested again for, when the entity gains or loses one of them or an event
    /// with it reaches the entity. Conditions, actions and distances that interrupt need them: the
    /// tree cannot know what they depend on. Tests of tags, keys and attributes need nothing.
    kn_tags wakes;
} kn_tree_condition;

/// A condition with nothing set.
KN_API kn_tree_condition kn_tree_condition_default(void);

/// Something that is done again and again while a node runs: when it begins, and then at an
/// interval.
typedef struct kn_tree_service {
    kn_tree_action_id action; ///< its hook `run` is called; required
    kn_time interval;         ///< time between two calls, above 0; default 1 s
    float number;             ///< passed to the hook; default 0
    kn_tag tag;               ///< passed to the hook; may be null
} kn_tree_service;

/// A service every second.
KN_API kn_tree_service kn_tree_service_default(void);

/// A value for a key of the blackboard: of `from`, or one of the others, which fits the kind of the
/// key; with nothing the key is cleared.
typedef struct kn_tree_value {
    const char *key;  ///< the key that is written; required; none of those of orders
    const char *from; ///< the key whose value it gets, of the same kind; may be NULL
    float number;     ///< for a bool, an int or a float; default 0
    kn_vec3 vector;   ///< for a point; default zero
    kn_tag tag;       ///< for a tag; default null
    bool self;        ///< for an entity: the entity itself; for a point: where it is
} kn_tree_value;

/// A node of a tree. Its kind says which of the fields matter. Start from kn_tree_node_default().
typedef struct kn_tree_node {
    const char *name;                    ///< for messages and drawings; NULL: what it is
    kn_tree_node_kind kind;              ///< what it does; default sequence
    const struct kn_tree_node *children; ///< the nodes inside it, in order
    uint32_t child_count;                ///< number of entries in `children`
    const kn_tree_condition *conditions; ///< must all hold for the node to begin
    uint32_t condition_count;            ///< number of entries in `conditions`
    const kn_tree_service *services;     ///< what is done while it runs
    uint32_t service_count;              ///< number of entries in `services`
    kn_tree_quorum succeeds;             ///< parallel: whose success decides; default all
    kn_tree_quorum fails;                ///< parallel: whose failure decides; default one
    kn_tree_rest rest;                   ///< parallel: what becomes of the others
    uint32_t count;                      ///< repeat, loop_until: how often; default 0: forever
    kn_tree_result until;                ///< loop_until: succeeded or failed; default succeeded
    kn_time duration;                    ///< wait, time_limit, cooldown; default 0
    kn_tree_id tree;                     ///< sub_tree: which one; required
    const kn_tree_value *values;         ///< set_key, sub_tree: what is written to the blackboard
    uint32_t value_count;                ///< number of entries in `values`
    kn_tree_action_id action;            ///< task: what it does; required
    /// Use_ability, wait_ability: which one; null: the first one that has the tag `tag`, and
    /// without a tag that of the order which the tree carries out.
    kn_ability_type_id ability;
    kn_effect_type_id effect;  ///< apply_effect: which one; required
    const char *order;         ///< issue_order: the name of an order type; required
    bool enqueues;             ///< issue_order: after all others; default false: now
    int32_t index;             ///< issue_order: variant of the order; default -1: none
    kn_tree_result result;     ///< finish_order: succeeded or failed; default succeeded
    kn_tag tag;                ///< of the event, tag or ability that it is about
    kn_attribute_id attribute; ///< wait_attribute: the attribute
    float number;              ///< level, magnitude, or for the action; default 0
    const char *target;        ///< key of the entity it is aimed at; may be NULL
    const char *location;      ///< key of the point it is aimed at; may be NULL
    const char *range;         ///< move_to: key of the float that is near enough; NULL: 0
} kn_tree_node;

/// A sequence without children.
KN_API kn_tree_node kn_tree_node_default(void);

/// A tree, in data files under `trees`. Start from kn_tree_def_default().
typedef struct kn_tree_def {
    const char *name;            ///< unique name; required
    kn_blackboard_id blackboard; ///< the layout whose keys its nodes name; null: they name none
    kn_tree_node root;           ///< its root, with all other nodes inside
    uint32_t cookie;             ///< set by kn_tree_def_default(); do not change it
} kn_tree_def;

/// A tree with a sequence without children.
KN_API kn_tree_def kn_tree_def_default(void);
/// Registers a tree. Its sub-trees are registered before, so that none can contain itself.
/// kn_library_finish() refuses trees that name keys or orders that are not there, and keys of the
/// wrong kind.
/// @return as kn_order_type_register()
KN_API KN_MUST_USE kn_result kn_tree_register(
    kn_library *library, const kn_tree_def *def, kn_tree_id *tree, kn_error *error);
/// The tree with this name; null when there is none.
KN_API kn_tree_id kn_tree_find(const kn_library *library, const char *name);
/// The def of a tree as registered; it belongs to the library. NULL when unknown.
KN_API const kn_tree_def *kn_tree_get_def(const kn_library *library, kn_tree_id tree);

// Running trees -------------------------------------------------------------------------

/// Starts a tree on an entity, from its root. One that runs there is aborted before. It runs until
/// it waits for something or has ended.
/// @return KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_REFUSED_DYING for an
///         entity that ends; KN_ERROR_INVALID_ARGUMENT for an unknown tree;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_tree_start(kn_world *world, kn_entity_id entity, kn_tree_id tree);
/// Aborts the tree of an entity. An order that it carried out goes on without it, until
/// kn_order_end() or another order.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if none runs; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a
///         client; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_tree_stop(kn_world *world, kn_entity_id entity);
/// Ends a task that goes on.
/// @param ticket from kn_tree_call; an old one changes nothing
/// @param result succeeded or failed
/// @return KN_OK; KN_REFUSED_NOT_FOUND for a ticket that is not, or no longer, that of a task;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for
///         another result; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_tree_finish_task(
    kn_world *world, kn_entity_id entity, uint32_t ticket, kn_tree_result result);

/// The tree of an entity as it is now.
typedef struct kn_tree_info {
    kn_tree_id tree;       ///< the tree that runs, or ran last; null: none
    kn_tree_result result; ///< running, or how it ended
    uint32_t node_count;   ///< number of its nodes, those of sub-trees included
    uint32_t run;          ///< rises by one whenever a tree is started on the entity
} kn_tree_info;

/// Reads the tree of an entity; false, and all zero, if there never was one.
KN_API bool kn_tree_get_info(const kn_world *world, kn_entity_id entity, kn_tree_info *info);

/// What became of a node.
typedef enum kn_tree_state {
    KN_TREE_STATE_NONE,      ///< it has not begun since the tree was started
    KN_TREE_STATE_RUNNING,   ///< it runs
    KN_TREE_STATE_SUCCEEDED, ///< it succeeded when it was there last
    KN_TREE_STATE_FAILED,    ///< it failed when it was there last
    KN_TREE_STATE_ABORTED,   ///< it was aborted when it was there last
    KN_TREE_STATE_BLOCKED,   ///< it did not begin: a condition did not hold
    KN_TREE_STATE_COUNT,     ///< number of the values above; not a value itself
} kn_tree_state;

/// A node as it is now.
typedef struct kn_tree_node_info {
    const char *name;       ///< its name, or the word for its kind; valid as long as the library
    kn_tree_node_kind kind; ///< its kind
    uint32_t depth;         ///< nodes that it is inside of; 0: the root
    kn_tree_state state;    ///< what became of it
    uint32_t condition;     ///< blocked: index of the condition that did not hold
} kn_tree_node_info;

/// Reads a node by index: the root is 0, and a node comes before those inside it. False, and all
/// zero, past the end.
KN_API bool kn_tree_get_node(
    const kn_world *world, kn_entity_id entity, uint32_t index, kn_tree_node_info *info);
/// Draws the tree of an entity as text: a line for each node, with what became of it and, for those
/// that were not taken, the condition that did not hold. Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 if there never was a tree.
KN_API uint32_t kn_tree_print(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);

// Explanations, as text of several lines for people; the words may change. They only read. Each
// returns the full length; the text is truncated to `size` bytes including the final zero.

/// Why a tree took a branch, or did not: as kn_tree_print(), and below each node its conditions
/// with their answer now, and what they would interrupt. 0 if there never was a tree.
KN_API uint32_t kn_tree_explain(
    const kn_world *world, kn_entity_id entity, char *text, uint32_t size);
/// The values of the blackboard of an entity, a line for each key; those of orders first. 0 without
/// a blackboard.
/// @param name names entities; NULL: "entity 3"
KN_API uint32_t kn_blackboard_print(const kn_world *world, kn_entity_id entity,
    kn_order_name_fn *name, void *user, char *text, uint32_t size);
/// Draws a tree as an SVG picture: nodes from left to right, children below each other, with their
/// conditions and what they do. Sub-trees are drawn in their place. 0 for an unknown tree, and
/// before the library is finished.
/// @param world shows what became of each node, if the entity runs the tree or ran it last; may be
///              NULL
KN_API uint32_t kn_tree_svg(const kn_library *library, kn_tree_id tree, const kn_world *world,
    kn_entity_id entity, char *text, uint32_t size);

// Events ------------------------------------------------------------------------------

/// Payload of the custom events `Knack.TreeEnded` (a tree has ended) and `Knack.TreeStuck` (a tree
/// went on and on without waiting for anything, and was stopped; published once each time a tree is
/// started). Their entity is that of the tree.
typedef struct kn_tree_event {
    kn_tree_id tree;       ///< the tree
    kn_tree_result result; ///< succeeded, failed or aborted
    uint32_t node;         ///< `Knack.TreeStuck`: index of the node it was at; otherwise 0
} kn_tree_event;

#ifdef __cplusplus
}
#endif

#endif
