// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The order kit, knack::order: units, and the orders that they obey. It is written on the public
/// headers of the core alone.
///
/// An order type says who may obey, what it may be aimed at, and how it is carried out. A unit has
/// one current order and a queue of further ones. Players, AI and rules give orders by the same
/// calls:
///
///   kn_order order = kn_order_at(move, (kn_vec3){40, 12, 0});
///   kn_result result = kn_order_issue(world, unit, &order, NULL);
///   result = kn_order_enqueue(world, unit, &next, NULL); // when it is done
///
/// An order is carried out by the hook `execute` of its type, which calls kn_order_end() at once or
/// later, with the ticket that it got. Then the unit goes on with its queue, and with its stop
/// order if that is empty. While an order is current the kit watches the tags of both parties: one
/// whose requirements cease to hold is cancelled. What hooks ask for meanwhile takes effect when
/// they are done.
///
/// Everything is state of the world. Orders are the authority's: clients see the current order and
/// the queue, and their calls are refused. Players give orders by commands
/// (knack/order_command.h).
///
/// A library has the kit after kn_order_register(); content asks for it with `kits: [order]`.
#ifndef KNACK_ORDER_H
#define KNACK_ORDER_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_order_type_id)
KN_TYPE_ID(kn_unit_type_id)
KN_TYPE_ID(kn_tree_id) // knack/tree.h

/// Registers the order kit: its kinds of definitions, components, events, tags and rules. Before
/// definitions that use them, once per library.
/// @return KN_OK; KN_REFUSED_DUPLICATE if the library has the kit, or a name of the kit is taken;
///         KN_ERROR_INVALID_ARGUMENT without a library; KN_ERROR_WORLD_LOCKED once it is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_order_register(kn_library *library, kn_error *error);
/// True for a library that has the kit.
KN_API bool kn_order_is_there(const kn_library *library);

// Orders --------------------------------------------------------------------------

/// One command: what to do, and to what. Start from kn_order_default() or a function below it.
typedef struct kn_order {
    kn_order_type_id type;  ///< what to do; null: nothing
    int32_t index;          ///< variant, such as a slot for abilities; -1: none; default -1
    kn_entity_id target;    ///< the entity it is aimed at; null: none
    kn_vec3 location;       ///< the point it is aimed at; distances and formations use x and y
    uint32_t uses_location; ///< 1: `location` counts; 0: it does not; default 0
} kn_order;

/// An order of no type, without a target.
KN_API kn_order kn_order_default(void);
/// An order without a target. Set `index` for a variant.
KN_API kn_order kn_order_of(kn_order_type_id type);
/// An order that is aimed at an entity.
KN_API kn_order kn_order_on(kn_order_type_id type, kn_entity_id target);
/// An order that is aimed at a point.
KN_API kn_order kn_order_at(kn_order_type_id type, kn_vec3 location);
/// Aims an order at a point, beside the entity that it may have.
KN_API void kn_order_set_location(kn_order *order, kn_vec3 location);
/// True for orders that tell the same. Locations count only if both use them.
KN_API bool kn_order_equal(const kn_order *a, const kn_order *b);
/// Writes the name of an entity, at most `size` bytes including the final zero.
typedef void kn_order_name_fn(
    void *user, const kn_world *world, kn_entity_id entity, char *text, uint32_t size);
/// An order as text, such as "Move (Location: X=100.0 Y=200.0)". Returns the full length; the text
/// is truncated to `size` bytes including the final zero.
/// @param name names entities; NULL: by their number
KN_API uint32_t kn_order_print(const kn_world *world, const kn_order *order, kn_order_name_fn *name,
    void *user, char *text, uint32_t size);

/// What an order type is aimed at.
typedef enum kn_order_target_kind {
    KN_ORDER_TARGET_NONE,      ///< nothing
    KN_ORDER_TARGET_ENTITY,    ///< an entity
    KN_ORDER_TARGET_LOCATION,  ///< a point
    KN_ORDER_TARGET_DIRECTION, ///< a direction, given by a point
    KN_ORDER_TARGET_PASSIVE,   ///< nothing, and it is never given
    KN_ORDER_TARGET_COUNT,     ///< number of the values above; not a value itself
} kn_order_target_kind;

/// How an order gets along with the current one.
typedef enum kn_order_policy {
    KN_ORDER_CANCELABLE,   ///< it becomes the current order; a new one cancels it; the default
    KN_ORDER_UNCANCELABLE, ///< it becomes the current order; a new one waits until it is done
    /// It is carried out at once beside the current order and the queue, and leaves both alone.
    KN_ORDER_INSTANT,
    /// For orders with an `ability`: uncancelable while the ability runs a task, otherwise
    /// cancelable. Questions about the policy are never answered with it.
    KN_ORDER_UNCANCELABLE_IN_TASKS,
    KN_ORDER_POLICY_COUNT, ///< number of the values above; not a value itself
} kn_order_policy;

/// How an order came to its end.
typedef enum kn_order_result {
    KN_ORDER_SUCCEEDED,    ///< it was carried out
    KN_ORDER_FAILED,       ///< it could not be carried out
    KN_ORDER_CANCELED,     ///< its requirements ceased to hold, or another order replaced it
    KN_ORDER_RESULT_COUNT, ///< number of the values above; not a value itself
} kn_order_result;

/// Who of a group gets an order.
typedef enum kn_order_group {
    KN_ORDER_GROUP_ALL,           ///< everybody; the default
    KN_ORDER_GROUP_SUB_GROUP,     ///< those of the active part of the group
    KN_ORDER_GROUP_FIRST,         ///< the unit that stands for the group
    KN_ORDER_GROUP_MOST_SUITABLE, ///< the one with the highest score
    KN_ORDER_GROUP_COUNT,         ///< number of the values above; not a value itself
} kn_order_group;

/// How the points of a group are arranged. The front looks in the direction of movement.
typedef enum kn_formation_shape {
    KN_FORMATION_BLOCK,  ///< rows of equal length, the last one centered; the default
    KN_FORMATION_LINE,   ///< one row
    KN_FORMATION_COLUMN, ///< one behind the other
    KN_FORMATION_WEDGE,  ///< a tip, and two arms behind it
    KN_FORMATION_RING,   ///< a circle
    KN_FORMATION_POINT,  ///< all at the same point
    KN_FORMATION_COUNT,  ///< number of the values above; not a value itself
} kn_formation_shape;

/// Where a unit belongs while it obeys an order. Leashes count from there.
typedef enum kn_order_home {
    KN_ORDER_HOME_START,  ///< where it was when it began to obey; the default
    KN_ORDER_HOME_TARGET, ///< where its target is now, or the point that it is aimed at
    KN_ORDER_HOME_UNIT,   ///< where it is now; once it is interrupted, where that happened
    KN_ORDER_HOME_COUNT,  ///< number of the values above; not a value itself
} kn_order_home;

/// Where the preview of an order is shown while the player aims.
typedef enum kn_order_snap {
    KN_ORDER_SNAP_NONE,   ///< where the cursor is, without a rule
    KN_ORDER_SNAP_OWNER,  ///< at the unit, looking at the cursor
    KN_ORDER_SNAP_CURSOR, ///< where the cursor is
    KN_ORDER_SNAP_COUNT,  ///< number of the values above; not a value itself
} kn_order_snap;

/// Tags that the two parties of an order must have, or must not have.
typedef struct kn_order_tags {
    kn_tags source_required; ///< the unit must have all of these
    kn_tags source_blocked;  ///< the unit must have none of these
    kn_tags target_required; ///< the target must have all of these; see kn_order_target
    kn_tags target_blocked;  ///< the target must have none of these
} kn_order_tags;

/// Most tags of a target that are kept for hooks, those about the relation included.
#define KN_ORDER_TARGET_TAGS_MAX 64
/// Most tags of each list of kn_order_errors.
#define KN_ORDER_ERRORS_MAX 16

/// A target as hooks see it: what it was when it was looked at.
typedef struct kn_order_target {
    kn_entity_id entity; ///< the entity; null: a point, or nothing
    kn_vec3 location;    ///< the point, or where the entity is
    uint32_t tag_count;  ///< number of entries in `tags`
    /// Tags of the entity, then those of its relation to the unit, such as
    /// `Knack.Relation.Hostile`.
    kn_tag tags[KN_ORDER_TARGET_TAGS_MAX];
} kn_order_target;

/// Why an order is refused: all reasons at once. Start from `{0}`; checks only add to it.
typedef struct kn_order_errors {
    kn_tag missing[KN_ORDER_ERRORS_MAX];  ///< required tags that were missing
    kn_tag blocking[KN_ORDER_ERRORS_MAX]; ///< blocked tags that were there
    kn_tag others[KN_ORDER_ERRORS_MAX];   ///< everything else, such as `Activation.Fail.OnCooldown`
    uint32_t missing_count;               ///< number of entries in `missing`
    uint32_t blocking_count;              ///< number of entries in `blocking`
    uint32_t other_count;                 ///< number of entries in `others`
} kn_order_errors;

/// Adds a tag to `others`, unless it is there already or the list is full. NULL is ignored.
KN_API void kn_order_errors_add(kn_order_errors *errors, kn_tag tag);
/// True without any tag. A check may refuse without one.
KN_API bool kn_order_errors_is_empty(const kn_order_errors *errors);
/// Errors as text, such as "Missing Tags: (A), Blocking Tags: (), Error Tags: ()". Returns the full
/// length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_order_errors_print(
    const kn_library *library, const kn_order_errors *errors, char *text, uint32_t size);

// Order types -----------------------------------------------------------------------

/// Arguments of the hooks of an order type. The unit is the entity of the kn_hook_call; it may be
/// null for hooks that answer questions. Hooks that must only read get a kn_hook_call without
/// `writable`.
typedef struct kn_order_call {
    kn_order order;         ///< the order; for questions about a type only type and index
    kn_vec3 home;           ///< `execute`: where the unit belongs, for leashes and guards
    uint32_t ticket;        ///< `execute`, `cancelled`: what kn_order_end() needs; 0: it is instant
    kn_order_target target; ///< what it is aimed at, where that is known
    /// `find_policy`, `find_target_kind`: the answer, one of the enum; as the definition at first.
    uint32_t answer;
    float number; ///< `find_range`, `score`: the answer; as without the hook at first
    /// `can_obey`, `is_valid_target`: reasons for a refusal; null: none.
    kn_tag errors[4];
    uint32_t error_count; ///< number of entries in `errors`; need not be given
    uint32_t unused;      ///< keeps the struct free of gaps
} kn_order_call;

/// One of the four lists of kn_order_tags.
typedef enum kn_order_tag_list {
    KN_ORDER_SOURCE_REQUIRED, ///< the unit must have all of these
    KN_ORDER_SOURCE_BLOCKED,  ///< the unit must have none of these
    KN_ORDER_TARGET_REQUIRED, ///< the target must have all of these
    KN_ORDER_TARGET_BLOCKED,  ///< the target must have none of these
    KN_ORDER_TAG_LIST_COUNT,  ///< number of the values above; not a value itself
} kn_order_tag_list;

/// Most tags of each list that the hook `find_tags` may add.
#define KN_ORDER_FIND_TAGS_MAX 8

/// Arguments of the hook `find_tags` of an order type: what it needs besides, for a unit and a
/// variant. The unit is the entity of the kn_hook_call, and may be null.
typedef struct kn_order_tags_call {
    kn_order_type_id type;          ///< the order type
    int32_t index;                  ///< the variant
    uint32_t is_success;            ///< 1: for `success` of the type; 0: for `tags`
    uint32_t source_required_count; ///< number of entries in `source_required`; 0 at first
    uint32_t source_blocked_count;  ///< number of entries in `source_blocked`; 0 at first
    uint32_t target_required_count; ///< number of entries in `target_required`; 0 at first
    uint32_t target_blocked_count;  ///< number of entries in `target_blocked`; 0 at first
    kn_tag source_required[KN_ORDER_FIND_TAGS_MAX]; ///< the unit must have all of these, too
    kn_tag source_blocked[KN_ORDER_FIND_TAGS_MAX];  ///< the unit must have none of these
    kn_tag target_required[KN_ORDER_FIND_TAGS_MAX]; ///< the target must have all of these, too
    kn_tag target_blocked[KN_ORDER_FIND_TAGS_MAX];  ///< the target must have none of these
} kn_order_tags_call;

/// Most variants of an order type that count for a unit.
#define KN_ORDER_VARIANTS_MAX 64

/// What an order type is for a unit and a variant, and the arguments of the hook `find_variant`.
/// The unit is the entity of the kn_hook_call, and may be null. At first all is as the definition
/// says.
typedef struct kn_order_variant {
    kn_order_type_id type; ///< the order type
    int32_t index;         ///< the variant; -1: the type as a whole
    /// For the type as a whole, how many variants the unit has, at most KN_ORDER_VARIANTS_MAX: a
    /// command of this type stands for each of them, from 0. 0 at first: it has none, and stands
    /// for itself.
    uint32_t count;
    kn_ability_type_id ability; ///< the ability that it uses; null: none
    uint32_t group;             ///< who of a group gets it; one of kn_order_group
    float acquisition_radius;   ///< radius in which it looks for targets; below 0: the unit's
    uint32_t auto_for_players;  ///< 1: players may have it given automatically
    uint32_t auto_begins;       ///< 1: it is given automatically until the player stops it
    uint32_t auto_for_ai;       ///< 1: units of the AI give it to themselves
    /// 1: it is not an automatic order by being a command, as attacks are not; 0 at first.
    uint32_t is_never_auto;
    /// The order type whose title, description, icons and preview are shown; null: this one's.
    kn_order_type_id looks_like;
} kn_order_variant;

/// Arguments of the hook `find_location` of an order type: where one unit of a group goes. The unit
/// is the entity of the kn_hook_call.
typedef struct kn_order_location_call {
    kn_order order;   ///< the order of the group
    uint32_t place;   ///< which of the units that get the order it is, from 0
    uint32_t count;   ///< how many units get the order
    kn_vec3 middle;   ///< the middle of these units
    kn_vec3 target;   ///< where the group is sent to
    kn_vec3 location; ///< the answer; at first its point in the formation
} kn_order_location_call;

/// A type of order, in data files under `order_types`. Start from kn_order_type_def_default(). To
/// derive one from another in C, start from a copy of its def; hooks can call those of the other
/// one.
typedef struct kn_order_type_def {
    const char *name;                 ///< unique name; required
    kn_order_target_kind target_kind; ///< what it is aimed at; default none
    kn_order_policy policy;           ///< how it gets along with the current order
    kn_order_group group;             ///< who of a group gets it; default all
    bool needs_life;    ///< the unit must have the tag `alive` of the rules; default true
    kn_order_tags tags; ///< must hold to give the order, and as long as it is current
    /// Must hold for a cancelled order to count as a success; default nothing, which always holds.
    kn_order_tags success;
    float range; ///< how near to the target it is carried out; default 0
    /// Attribute of the unit that is its range instead; units without it have `range`; null: none.
    kn_attribute_id range_attribute;
    /// Radius in which automatic orders look for targets; below 0: that of the unit; default -1.
    float acquisition_radius;
    bool allows_auto;      ///< automatic orders may interrupt it; default false
    bool auto_for_players; ///< players may have it given automatically; default false
    bool auto_begins;      ///< it is given automatically until the player stops it
    bool auto_for_ai;      ///< units of the AI give it to themselves; default false
    /// Units that may give it to themselves look for something to do when they gain or lose one of
    /// these tags, or an event with one of them reaches them; see `auto_delay` of the unit.
    kn_tags auto_wakes;
    kn_order_type_id fallback; ///< for input: what is given if it is refused; null: nothing
    /// Each unit of a group gets a point of its own, by `formation`; default false.
    bool individual_locations;
    kn_formation_shape formation; ///< how these points are arranged; default block
    float spacing;                ///< distance between them; default 3
    const char *title;            ///< for the player; NULL: the name
    const char *description;      ///< for the player; may be NULL
    const char *icon;             ///< name of its picture; may be NULL
    const char *icon_hovered;     ///< name of its picture under the cursor; may be NULL
    const char *icon_pressed;     ///< name of its picture when pressed; may be NULL
    const char *icon_disabled;    ///< name of its picture when it is refused; may be NULL
    int32_t button;               ///< place among the buttons; -1: anywhere; default -1
    const char *preview;          ///< name of what shows where it is aimed; may be NULL
    kn_order_snap preview_snap;   ///< where that is shown; default none
    kn_hook can_obey;             ///< KN_OK: the unit may obey; must only read
    kn_hook is_valid_target;      ///< KN_OK: the target is accepted; must only read
    kn_hook find_policy;          ///< answers a kn_order_policy; must only read
    kn_hook find_target_kind;     ///< answers a kn_order_target_kind; must only read
    kn_hook find_range;           ///< answers the range in `number`; must only read
    /// Answers what it is for a unit and a variant: its ability, who gets it, when it is given
    /// automatically, and how it looks. Anything but KN_OK means that the unit does not have this
    /// variant and cannot obey. The tags that abilities require are watched as those of
    /// `watched_tags`. Must only read.
    kn_hook find_variant;
    /// Adds tags to `tags` and `success`, for a unit and a variant; anything but KN_OK: none. Those
    /// of the current order stay as they were when it began. Must only read.
    kn_hook find_tags;
    /// Tags that `find_tags` adds to `tags`: an order that needs them is cancelled when they do not
    /// hold any more. Others count when the order is given.
    kn_tags watched_tags;
    /// Answers how good a target is in `number`, higher is better; if it refuses, searches pass the
    /// target over, but orders may still be aimed at it; must only read.
    kn_hook score;
    /// Answers where a unit of a group goes, with `individual_locations`; anything but KN_OK: it
    /// has no place, and the group does not get the order; must only read.
    kn_hook find_location;
    kn_hook execute;   ///< carries it out; anything but KN_OK: it failed; required without a `tree`
    kn_hook cancelled; ///< cleans up when the order is cancelled
    /// The behaviour tree that carries it out, instead of `execute` (knack/tree.h). The order ends
    /// by a node `finish_order`, or with the tree.
    kn_tree_id tree;
    /// The ability that it uses. Units that do not have it, or have it at level 0, cannot obey, and
    /// neither can those that could not activate it now: the errors have its tags for the reasons.
    /// An instant order without a target activates it at once; any other one is carried out by
    /// `tree`, whose nodes `use_ability` and `wait_ability` without an ability mean this one, and
    /// cannot be instant. Null: none.
    kn_ability_type_id ability;
    /// The tree begins anew if it runs already for another order; false: it goes on, and finds the
    /// new order on its blackboard; default true.
    bool restarts_tree;
    /// It replaces and interrupts orders that cannot be cancelled, too; default false.
    bool pierces;
    /// It is work: a unit that is given something else in between remembers it, with the orders
    /// that wait behind it; see kn_order_resume_work(); default false.
    bool is_work;
    /// When its target is gone, or does not meet `tags` any more, it goes on with the best other
    /// target within the acquisition radius that the unit can reach on its leash. Without one it
    /// ends as usual. Only for a `tree`; default false.
    bool reacquires;
    /// Where a unit belongs while it obeys it; default where it was when it began to.
    kn_order_home home;
    uint32_t cookie; ///< set by kn_order_type_def_default(); do not change it
} kn_order_type_def;

/// A def with the defaults named above.
KN_API kn_order_type_def kn_order_type_def_default(void);
/// Registers an order type.
/// @return KN_OK; KN_ERROR_BAD_DATA for a def that makes no sense; KN_REFUSED_DUPLICATE for a name
///         that is taken; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a library
///         without the kit; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_order_type_register(
    kn_library *library, const kn_order_type_def *def, kn_order_type_id *type, kn_error *error);
/// The order type with this name; null when there is none.
KN_API kn_order_type_id kn_order_type_find(const kn_library *library, const char *name);
/// Registers an order type that is asked for by name and is not there yet.
/// @return KN_OK if it did; anything else: there is none with this name
typedef kn_result kn_order_load_fn(
    void *user, kn_library *library, const char *name, kn_error *error);
/// Sets what loads order types when kn_order_type_resolve() needs them; NULL: nothing does.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a library without the kit; KN_ERROR_WORLD_LOCKED
///         once it is finished
KN_API kn_result kn_order_set_loader(kn_library *library, kn_order_load_fn *load, void *user);
/// The order type with this name. One that is not there is loaded, unless the library is finished;
/// each name is tried once.
/// @return the type; null when there is none, also if it was to be loaded and that failed
KN_API kn_order_type_id kn_order_type_resolve(
    kn_library *library, const char *name, kn_error *error);
/// The def of an order type as registered; it belongs to the library. NULL when unknown.
KN_API const kn_order_type_def *kn_order_type_get_def(
    const kn_library *library, kn_order_type_id type);

// Questions about order types. The unit may be null, the index -1. For an unknown type the answer
// is none, cancelable, 0, or all.

/// What an order of this type is aimed at.
KN_API kn_order_target_kind kn_order_get_target_kind(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index);
/// The tags that an order of this type needs, those of its definition first, then those that
/// `find_tags` adds. Returns how many there are; at most `capacity` are written.
/// @param is_success those for a cancelled order to count as a success; false: those to give it
KN_API uint32_t kn_order_get_tags(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, bool is_success, kn_order_tag_list list, kn_tag *out, uint32_t capacity);
/// How an order of this type gets along with others, now.
KN_API kn_order_policy kn_order_get_policy(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index);
/// What becomes of a policy for an order that uses an ability: `instant` stays so without a target,
/// and is cancelable with one; `uncancelable_in_tasks` is uncancelable while an ability that is
/// instanced per actor runs a task of the unit, otherwise cancelable.
KN_API kn_order_policy kn_order_ability_policy(const kn_world *world, kn_entity_id unit,
    kn_ability_type_id ability, kn_order_policy policy, kn_order_target_kind target_kind);
/// True while an activation of exactly this ability of a unit runs a task (knack/task.h).
KN_API bool kn_order_ability_runs_task(
    const kn_world *world, kn_entity_id unit, kn_ability_type_id ability);
/// What an order of this type is for a unit: by its definition, and its hook `find_variant`.
/// @param variant receives it; for a variant that the unit does not have, what the definition says,
///                without an ability; may be NULL
/// @return false for an unknown type, and for a variant that the unit does not have
KN_API bool kn_order_get_variant(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, kn_order_variant *variant);
/// The first variant of an order type for a unit whose ability has a tag, or one below it; -1 for
/// none.
KN_API int32_t kn_order_find_variant(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, kn_tag tag);
/// How near to its target an order of this type is carried out.
KN_API float kn_order_get_range(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index);
/// What user interfaces show for an order type.
typedef struct kn_order_display {
    const char *title;          ///< its title, or its name without one; empty for an unknown type
    const char *description;    ///< empty: none
    const char *icon;           ///< name of its picture; NULL: none
    const char *icon_hovered;   ///< name of its picture under the cursor; NULL: none
    const char *icon_pressed;   ///< name of its picture when pressed; NULL: none
    const char *icon_disabled;  ///< name of its picture when it is refused; NULL: none
    int32_t button;             ///< place among the buttons; -1: anywhere
    bool has_button;            ///< it has a fixed place
    const char *preview;        ///< name of what shows where it is aimed; NULL: nothing
    kn_order_snap preview_snap; ///< where that is shown
} kn_order_display;

/// What user interfaces show for an order type, as its definition says; valid as long as the
/// library.
KN_API kn_order_display kn_order_get_display(const kn_library *library, kn_order_type_id type);
/// What user interfaces show for an order of a unit. An order that looks like another type
/// (`find_variant`) shows what that one has. What a type leaves open is that of its ability, if
/// abilities have a look (kn_order_set_looks()); an ability that `find_variant` answers comes
/// before what the type says. Valid as long as the library.
/// @param unit may be null
/// @param index the variant; -1: none
KN_API kn_order_display kn_order_get_unit_display(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index);
/// Writes how an ability looks into `display`, where everything is empty at first. What it writes
/// must live as long as the library.
/// @return whether it has a look of its own
typedef bool kn_order_look_fn(
    void *user, const kn_library *library, kn_ability_type_id ability, kn_order_display *display);
/// Sets what knows how abilities look, for the orders that use them; NULL: nothing does. The RTS
/// kit sets it to its displays.
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a library without the kit; KN_ERROR_WORLD_LOCKED
///         once it is finished
KN_API kn_result kn_order_set_looks(kn_library *library, kn_order_look_fn *look, void *user);
/// The first order type of the chain of fallbacks whose order the unit could be given: for input,
/// when the player clicks on something. An order at an entity becomes one at its position if the
/// fallback wants a point. False if there is none.
KN_API bool kn_order_resolve(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_order *resolved);

// Rules -----------------------------------------------------------------------------

/// How two entities stand to each other; flags.
typedef enum kn_order_relation {
    KN_ORDER_FRIENDLY = 1 << 0, ///< they are on one side
    KN_ORDER_HOSTILE = 1 << 1,  ///< they are enemies
    KN_ORDER_NEUTRAL = 1 << 2,  ///< neither
    KN_ORDER_SELF = 1 << 3,     ///< they are the same
    KN_ORDER_VISIBLE = 1 << 4,  ///< the first one sees the second
} kn_order_relation;

/// Arguments of the hook `relation`. The first one is the entity of the kn_hook_call.
typedef struct kn_order_relation_call {
    kn_entity_id other; ///< the second one
    /// The answer, flags of kn_order_relation; at first as without the hook.
    uint32_t relation;
    uint32_t unused; ///< keeps the struct free of gaps
} kn_order_relation_call;

/// Arguments of the hook `is_ai`. The unit is the entity of the kn_hook_call.
typedef struct kn_order_ai_call {
    uint32_t is_ai; ///< the answer, 1 or 0; at first as without the hook
} kn_order_ai_call;

/// What all orders of a library have in common, in data files under `order_rules`; at most one.
/// Start from kn_order_rules_def_default(). Tags that are null are those of the kit, such as
/// `Knack.Status.Alive`.
typedef struct kn_order_rules_def {
    const char *name; ///< unique name; required
    kn_tag alive;     ///< the tag of those who live; null: `Knack.Status.Alive`
    kn_tag friendly;  ///< tag of a target on the unit's side; null: `Knack.Relation.Friendly`
    kn_tag hostile;   ///< tag of a target that is an enemy; null: `Knack.Relation.Hostile`
    kn_tag neutral;   ///< tag of a target that is neither; null: `Knack.Relation.Neutral`
    kn_tag self;      ///< tag of a target that is the unit; null: `Knack.Relation.Self`
    kn_tag visible;   ///< tag of a target that the unit sees; null: `Knack.Relation.Visible`
    /// How two different entities stand to each other. Without it: friendly if one owns the other
    /// or both have the same owner, hostile if their owners differ, neutral if one has no owner;
    /// and visible; or as a kit decides that knows teams (kn_order_set_relations()).
    kn_hook relation;
    /// Whether the AI plays a unit. Without it: if neither the unit nor an owner has a connection.
    kn_hook is_ai;
    /// Units without any tags are not asked for tags of their own, so that things outside of all
    /// rules obey, too; default false: they lack what is required.
    bool spares_untagged;
    uint32_t cookie; ///< set by kn_order_rules_def_default(); do not change it
} kn_order_rules_def;

/// A def with the defaults named above.
KN_API kn_order_rules_def kn_order_rules_def_default(void);
/// Registers the rules.
/// @return as kn_order_type_register(); KN_ERROR_BAD_DATA at finish if there are two
KN_API KN_MUST_USE kn_result kn_order_rules_register(
    kn_library *library, const kn_order_rules_def *def, kn_error *error);
/// How two entities stand to each other; flags of kn_order_relation. Neutral if one is null or
/// gone.
KN_API uint32_t kn_order_get_relation(const kn_world *world, kn_entity_id from, kn_entity_id to);
/// Tells running orders of `from` at `to` that the relation of the two has changed: one whose
/// requirements do not hold any more is cancelled.
/// @return as kn_order_clear_queue()
KN_API kn_result kn_order_relation_changed(kn_world *world, kn_entity_id from, kn_entity_id to);
/// The same for all relations of an entity: its own running order, and those that are aimed at it,
/// are tested again. For one that has another owner, or that is not seen any more.
/// @param entity null: the running orders of all units that are aimed at something, such as after
///         two players have made peace; walks all units
/// @return KN_OK, also if no order is concerned; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a
///         client; KN_ERROR_INVALID_ARGUMENT for a world without the kit; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_order_relations_changed(kn_world *world, kn_entity_id entity);

/// How two different entities stand to each other, for kits that know teams or vision; flags of
/// kn_order_relation without KN_ORDER_SELF. Both exist. It must only read.
typedef uint32_t kn_order_relation_fn(
    void *user, const kn_world *world, kn_entity_id from, kn_entity_id to);
/// Lets a kit decide about relations in place of owners. The hook `relation` of kn_order_rules_def
/// still has the last word: it begins with the answer of the kit. For kn_kind_def.expand, or before
/// the library is finished; the last call counts.
/// @param function NULL: owners decide again
/// @param user passed to `function`; must outlive the library
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a library without the kit; KN_ERROR_WORLD_LOCKED
///         once it is finished
KN_API kn_result kn_order_set_relations(
    kn_library *library, kn_order_relation_fn *function, void *user);

// Units -----------------------------------------------------------------------------

/// An order that a unit may give to itself.
typedef struct kn_order_auto {
    kn_order_type_id type; ///< the order type; null: nothing
    int32_t index;         ///< its variant; default -1
    int32_t priority;      ///< those with higher ones come first, with `ranks_autos`; default 0
} kn_order_auto;

/// An automatic order of no type.
KN_API kn_order_auto kn_order_auto_default(void);
/// True for the same type and index.
KN_API bool kn_order_auto_equal(const kn_order_auto *a, const kn_order_auto *b);
/// The order of an automatic order; aim it before it is given.
KN_API kn_order kn_order_of_auto(const kn_order_auto *order);
/// An automatic order as text, such as "Attack (Index: -1)". Returns the full length; the text is
/// truncated to `size` bytes including the final zero.
KN_API uint32_t kn_order_auto_print(
    const kn_library *library, const kn_order_auto *order, char *text, uint32_t size);

/// Most automatic orders of a type of unit.
#define KN_ORDER_AUTOS_MAX 48
/// Most commands of a type of unit.
#define KN_ORDER_COMMANDS_MAX 64
/// Most automatic orders that the hook `provide` may add to them.
#define KN_ORDER_PROVIDE_MAX 16

/// Arguments of the hook `provide`: it adds what the unit may do by itself.
typedef struct kn_order_provide_call {
    kn_order_auto autos[KN_ORDER_PROVIDE_MAX]; ///< the orders
    uint32_t count;                            ///< number of entries in `autos`; 0 at first
} kn_order_provide_call;

/// A type of unit, in data files under `order_units`: how entities obey. Start from
/// kn_unit_type_def_default().
typedef struct kn_unit_type_def {
    const char *name;      ///< unique name; required
    kn_tag tag;            ///< entities that gain this tag become such units; null: by call alone
    kn_order_type_id stop; ///< what a unit does without an order; null: nothing
    uint32_t queue_limit;  ///< most orders that wait; 0: any number; default 0
    /// Instant orders touch the others: issued, they empty the queue, and a refused one stops the
    /// unit; inserted before the current order, they leave a copy of it in the queue; one from the
    /// queue leaves the unit with its finished order until it gets another one; default false.
    bool literal_instants;
    /// Orders that are inserted before the current one interrupt those that cannot be cancelled,
    /// too; default false: they are refused.
    bool interrupts_all;
    /// An order that is inserted before an equal current one interrupts it; default false: nothing
    /// happens.
    bool interrupts_same;
    /// The queue is taken at its word: a unit that fails or must stop keeps it, one order of it
    /// that is refused stops the unit, and so does a stop order in it that has others behind it;
    /// default false: these orders are passed over, and a unit that stops drops its queue.
    bool literal_queue;
    /// A stop order that is refused stops the unit like any other; default false: it changes
    /// nothing.
    bool literal_stop;
    /// A player who switches an automatic order on lets the unit look for something to do until its
    /// order changes, also if that order forbids it; and an automatic order that is refused counts
    /// as given, so that those behind it are not tried; default false.
    bool literal_autos;
    /// What units may do by themselves, in order; then what `provide` adds. They do it only if the
    /// order type says so for players or AI, and the current order allows it.
    const kn_order_auto *autos;
    uint32_t auto_count; ///< number of entries in `autos`, at most 48
    kn_hook provide;     ///< adds automatic orders when the unit begins; must only read
    /// What players can order such units to do: the buttons of user interfaces, in order.
    const kn_order_type_id *commands;
    uint32_t command_count; ///< number of entries in `commands`, at most 64
    /// Orders with an `ability` among the commands are automatic orders, too, between those of
    /// `autos` and those of `provide`; without passive ones and those whose ability has the tag
    /// `Knack.Ability.Attack`, which `autos` names if it is wanted; default true.
    bool commands_are_autos;
    float acquisition_radius; ///< how far it looks for targets of automatic orders; default 0
    /// Time between two looks; 0 or infinite: only what wakes it, and the host, make it look;
    /// default 250 ms.
    kn_time auto_interval;
    /// The unit looks for something to do when it gains or loses one of these tags, or an event
    /// with one of them reaches it. Order types may add further ones.
    kn_tags auto_wakes;
    /// Longest time from what wakes a unit to its look, above 0. Each unit has a time of its own
    /// between half of it and all of it, so that many that are woken at once do not look at once;
    /// default 100 ms.
    kn_time auto_delay;
    /// How far automatic orders may take a unit from the home of the order that they interrupt: it
    /// looks for targets within this distance of it; 0: any distance; default 0.
    float leash;
    /// The automatic order with the highest priority and then the best target is given; default
    /// false: the first one that can be.
    bool ranks_autos;
    /// A unit whose queue is done goes back to the work that it remembers instead of stopping;
    /// default false: kn_order_resume_work() does that.
    bool resumes_work;
    const char *preview; ///< name of what shows its orders that have no `preview`; may be NULL
    /// The order type that begins to build something: what shows it stays when the unit is not
    /// selected any more (knack/order_preview.h); null: nothing stays.
    kn_order_type_id construction;
    uint32_t cookie; ///< set by kn_unit_type_def_default(); do not change it
} kn_unit_type_def;

/// A def with the defaults named above.
KN_API kn_unit_type_def kn_unit_type_def_default(void);
/// Registers a type of unit.
/// @return as kn_order_type_register()
KN_API KN_MUST_USE kn_result kn_unit_type_register(
    kn_library *library, const kn_unit_type_def *def, kn_unit_type_id *type, kn_error *error);
/// The type of unit with this name; null when there is none.
KN_API kn_unit_type_id kn_unit_type_find(const kn_library *library, const char *name);

/// The def of a type of unit as registered; it belongs to the library. NULL when unknown.
KN_API const kn_unit_type_def *kn_unit_type_get_def(
    const kn_library *library, kn_unit_type_id type);

/// Lets an entity obey orders; it begins with its stop order.
/// @return KN_OK; KN_REFUSED_DUPLICATE if it does already; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED
///         on a client; KN_ERROR_INVALID_ARGUMENT for an unknown type; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_unit_add(kn_world *world, kn_entity_id entity, kn_unit_type_id type);
/// Takes all orders away from an entity: its current order is cancelled, and it obeys no more.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it does not obey orders; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_unit_remove(kn_world *world, kn_entity_id entity);
/// The type of a unit; null for entities that are none.
KN_API kn_unit_type_id kn_unit_get_type(const kn_world *world, kn_entity_id entity);

/// The commands of a unit by their place, from 0; null past the end, and for entities that are not
/// units.
KN_API kn_order_type_id kn_unit_command(const kn_world *world, kn_entity_id unit, uint32_t place);
/// The place of the first command of a unit whose ability has a tag, or one below it; -1 for none.
/// Unlike places, tags stay the same when a game adds commands.
KN_API int32_t kn_unit_find_command(const kn_world *world, kn_entity_id unit, kn_tag tag);

// Giving orders -----------------------------------------------------------------------

/// What became of an order that was accepted.
typedef enum kn_order_outcome {
    KN_ORDER_OBEYED,        ///< it is the current order now, or was carried out at once
    KN_ORDER_WAITS,         ///< it is in the queue
    KN_ORDER_IS_SAME,       ///< the unit does this already, or it is the last one of the queue
    KN_ORDER_DEFERRED,      ///< a hook of the unit runs; it is dealt with when that is done
    KN_ORDER_NOT_TAKEN,     ///< it was refused: see the result of the call
    KN_ORDER_OUTCOME_COUNT, ///< number of the values above; not a value itself
} kn_order_outcome;

/// More about what became of an order. Start from `{0}`.
typedef struct kn_order_answer {
    kn_order_outcome outcome; ///< what became of it
    kn_order_errors errors;   ///< why it was refused
} kn_order_answer;

/// Replaces all orders of a unit. The queue is emptied, and the current order cancelled; a refused
/// order stops the unit. One that cannot be cancelled runs on, and the new order waits behind it.
/// @param answer receives what became of the order; may be NULL
/// @return KN_OK; KN_REFUSED_REQUIREMENT for an order that the unit cannot obey or whose target is
///         not accepted; KN_REFUSED_CUSTOM if an instant order failed; KN_REFUSED_NOT_FOUND for an
///         unknown type, and for entities that do not obey orders; KN_REFUSED_EXCLUSIVE if the
///         current order cannot be interrupted; KN_REFUSED_LIMIT if the queue is full;
///         KN_REFUSED_BAD_NUMBER for a location that is not finite; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT without an order;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_order_issue(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer);
/// Gives an order for when all others are done.
/// @return as kn_order_issue()
KN_API kn_result kn_order_enqueue(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer);
/// Gives an order for when the current one is done.
/// @return as kn_order_issue()
KN_API kn_result kn_order_insert_after(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer);
/// Interrupts the current order, which is obeyed again afterwards, with the home that it had.
/// @return as kn_order_issue()
KN_API kn_result kn_order_insert_before(
    kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_answer *answer);
/// Empties the queue; the current order goes on.
/// @return KN_OK; KN_REFUSED_NOT_FOUND; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_order_clear_queue(kn_world *world, kn_entity_id unit);
/// Stops a unit: issues its stop order. A unit without one has no order afterwards.
/// @param answer receives what became of it; may be NULL
/// @return as kn_order_issue() of the stop order; KN_REFUSED_EXCLUSIVE if there is none and the
///         current order cannot be cancelled
KN_API kn_result kn_order_stop(kn_world *world, kn_entity_id unit, kn_order_answer *answer);
/// Goes back to work: cancels the current order, and gives the unit what it remembers instead of
/// its queue. Orders that it cannot obey any more are left out.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it remembers nothing, and for entities that do not obey
///         orders; KN_REFUSED_EXCLUSIVE if the current order cannot be cancelled;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_order_resume_work(kn_world *world, kn_entity_id unit);
/// Aims all orders at another entity that takes the place of one, such as the building that a site
/// has become: current orders, those that wait, and remembered work. Trees find the new target on
/// the blackboard and go on; orders with a hook `execute` are cancelled and begin anew, with the
/// home that they had. One whose requirements the new target does not meet is cancelled.
/// `Knack.OrderRetargeted` is published for each unit.
/// @param from may be gone already
/// @param count receives how many units it concerned; may be NULL
/// @return KN_OK; KN_REFUSED_STALE_ID if `to` does not exist, or is about to be destroyed;
/// KN_REFUSED_BLOCKED on a client;
///         KN_ERROR_INVALID_ARGUMENT for a null id or a library without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_order_retarget(
    kn_world *world, kn_entity_id from, kn_entity_id to, uint32_t *count);
/// Ends the current order: called by what carries it out.
/// @param ticket from kn_order_call; an old one changes nothing
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an old ticket, and for entities that do not obey orders;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an
///         unknown result; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_order_end(
    kn_world *world, kn_entity_id unit, uint32_t ticket, kn_order_result result);

// Checks ------------------------------------------------------------------------------
//
// They only read, and may be asked by user interfaces as often as they like, on clients too. The
// answer is the result; errors may be NULL and are only added to.

/// What an order of a unit would be aimed at.
/// @param unit may be null: then there are no tags about the relation
KN_API kn_order_target kn_order_look(
    const kn_world *world, kn_entity_id unit, kn_entity_id target, kn_vec3 location);
/// A target as text, such as "(Actor: 3, Location: X=1.0 Y=2.0, Tags:(A))". Returns the full
/// length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_order_target_print(const kn_world *world, const kn_order_target *target,
    kn_order_name_fn *name, void *user, char *text, uint32_t size);
/// Whether a unit may obey orders of a type at all: its tags and gates, then `can_obey`.
KN_API bool kn_order_can_obey(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, kn_order_errors *errors);
/// As kn_order_can_obey(), but the ability of the type is not checked: for those who look at it
/// themselves, such as command cards.
KN_API bool kn_order_can_obey_otherwise(const kn_world *world, kn_order_type_id type,
    kn_entity_id unit, int32_t index, kn_order_errors *errors);
/// Whether a unit may obey orders of a type, for another part of a game, such as technology. It
/// must only read, and adds its reasons to `errors`, which may be NULL.
typedef bool kn_order_gate_fn(void *user, const kn_world *world, kn_entity_id unit,
    kn_order_type_id type, int32_t index, kn_order_errors *errors);
/// Most gates of a library.
#define KN_ORDER_GATES_MAX 4
/// Lets another part have a say in which orders units obey: it is called wherever their tags are
/// checked before an order is given. Orders that are given already go on.
/// @return KN_OK, also for one that is there already; KN_REFUSED_LIMIT for too many;
///         KN_ERROR_INVALID_ARGUMENT without a function or for a library without the kit
KN_API KN_MUST_USE kn_result kn_order_gate_register(
    kn_library *library, kn_order_gate_fn *function, void *user);
/// Whether a target is accepted: its tags, then `is_valid_target`. The unit is not asked whether it
/// may obey.
KN_API bool kn_order_is_valid_target(const kn_world *world, kn_order_type_id type,
    kn_entity_id unit, const kn_order_target *target, int32_t index, kn_order_errors *errors);
/// Both, for an order as it would be given.
KN_API bool kn_order_check(
    const kn_world *world, kn_entity_id unit, const kn_order *order, kn_order_errors *errors);
/// Whether a cancelled order would count as a success.
KN_API bool kn_order_would_succeed(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, const kn_order_target *target);
/// The same for a variant, which only matters to `find_tags`.
KN_API bool kn_order_variant_would_succeed(const kn_world *world, kn_order_type_id type,
    kn_entity_id unit, const kn_order_target *target, int32_t index);
/// How good a target is, higher is better: 1 at the unit, 0 at the edge of `radius` and beyond,
/// or what the hook `score` makes of it.
KN_API float kn_order_score(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    const kn_order_target *target, int32_t index, float radius);
/// The best target for an order among the entities that the space of the world finds, within
/// `radius` of the unit and within `chase` of its home.
/// @param score receives how good it is, 0 without one; may be NULL
/// @return the target; null for none, and for order types without a target
KN_API kn_entity_id kn_order_find_target(const kn_world *world, kn_order_type_id type,
    kn_entity_id unit, int32_t index, float radius, float chase, kn_vec3 home, float *score);

/// An entity that was considered as the target of an order.
typedef struct kn_order_candidate {
    kn_entity_id entity;    ///< the entity
    float distance;         ///< how far it is from the unit
    float score;            ///< how good it is; 0 if it is not accepted
    bool is_accepted;       ///< the order could be aimed at it
    kn_order_errors errors; ///< why not
} kn_order_candidate;

/// All entities that kn_order_find_target() considers, with what it makes of them: for those who
/// want to know why a unit does not attack. Lowest slots come first. Returns how many there are; at
/// most `capacity` are written, fewer if memory runs out.
KN_API uint32_t kn_order_candidates(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, float radius, float chase, kn_vec3 home, kn_order_candidate *out,
    uint32_t capacity);

// Looking at units ----------------------------------------------------------------------

/// A unit as it is now.
typedef struct kn_unit_info {
    kn_unit_type_id type; ///< its type
    kn_order current;     ///< its current order; of no type: none
    kn_order last;        ///< the one before that; on clients none
    kn_vec3 home;         ///< where it belongs while it obeys the current order
    uint32_t ticket;      ///< of the current order; on clients 0
    uint32_t queue_count; ///< orders that wait
    bool is_idle;         ///< the current order is its stop order, or there is none
    bool interrupts;      ///< the current order has interrupted the one that comes next
    /// Then: where it belongs while it obeys that one, or the first one in a row of interrupted
    /// ones.
    kn_vec3 returns_to;
} kn_unit_info;

/// Reads a unit; false for entities that are none.
KN_API bool kn_unit_get_info(const kn_world *world, kn_entity_id unit, kn_unit_info *info);
/// The orders that wait, the next one first. Returns how many there are; at most `capacity` are
/// written.
KN_API uint32_t kn_unit_queue(
    const kn_world *world, kn_entity_id unit, kn_order *out, uint32_t capacity);
/// The work that a unit remembers, what it did first. Returns how many orders there are; at most
/// `capacity` are written. Clients do not know it.
KN_API uint32_t kn_unit_work(
    const kn_world *world, kn_entity_id unit, kn_order *out, uint32_t capacity);

// Automatic orders ----------------------------------------------------------------------
//
// A unit looks for something to do as often as its type says, while its current order allows it
// (`allows_auto`). What it finds is inserted before the current order, which comes back afterwards.
//
// Looks of many units are spread over the interval. Units that are woken instead (`auto_wakes`)
// cost nothing in between: with an interval of 0 they look when they begin, when something wakes
// them, when their current order becomes one that allows it, and when their automatic orders are
// switched or gathered again.

/// An automatic order of a unit.
typedef struct kn_order_auto_info {
    kn_order_auto order; ///< the order
    bool is_for_players; ///< players may switch it
    bool is_for_ai;      ///< units of the AI do it always
    bool is_on;          ///< a player has it on
} kn_order_auto_info;

/// The automatic orders of a unit in their order. Returns how many there are; at most `capacity`
/// are written. On clients, the owner of the unit knows them.
KN_API uint32_t kn_order_autos(
    const kn_world *world, kn_entity_id unit, kn_order_auto_info *out, uint32_t capacity);
/// Switches an automatic order for the player.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if the unit does not have it; KN_REFUSED_REQUIREMENT if it
///         is not for players; otherwise as kn_order_clear_queue()
KN_API kn_result kn_order_set_auto(
    kn_world *world, kn_entity_id unit, kn_order_type_id type, int32_t index, bool is_on);
/// Gathers the automatic orders of a unit again; those that were there stay switched as they are.
/// @return as kn_order_clear_queue()
KN_API kn_result kn_order_refresh_autos(kn_world *world, kn_entity_id unit);
/// Lets a unit look for something to do now.
/// @param is_issued receives whether it found something; may be NULL
/// @return as kn_order_clear_queue()
KN_API kn_result kn_order_check_autos(kn_world *world, kn_entity_id unit, bool *is_issued);
/// True if a hostile entity, dead or alive, is within a radius of a unit.
KN_API bool kn_order_enemy_is_near(const kn_world *world, kn_entity_id unit, float radius);

// Groups ------------------------------------------------------------------------------

/// How units are assigned to the points of a formation.
typedef enum kn_formation_rule {
    /// Point after point takes the unit whose place in the group is most like its own; the default.
    KN_FORMATION_GREEDY,
    KN_FORMATION_SHORTEST,   ///< the sum of squared distances is as small as it can be
    KN_FORMATION_RULE_COUNT, ///< number of the values above; not a value itself
} kn_formation_rule;

/// How a group is given an order. Start from kn_order_group_def_default().
typedef struct kn_order_group_def {
    const kn_entity_id *units; ///< the group; required
    uint32_t unit_count;       ///< number of entries in `units`
    uint32_t first;            ///< index of the unit that stands for the group; default 0
    /// The active part of the group, as indices of `units`; NULL: all.
    const uint32_t *sub_group;
    uint32_t sub_group_count; ///< number of entries in `sub_group`
    bool enqueues;            ///< orders are enqueued; default false: issued
    /// Ranks of the units: those with higher ones get the first points; NULL: all are equal.
    const int32_t *ranks;
    kn_formation_rule rule; ///< how points are assigned; default greedy
    uint32_t cookie;        ///< set by kn_order_group_def_default(); do not change it
} kn_order_group_def;

/// A def with nothing set.
KN_API kn_order_group_def kn_order_group_def_default(void);
/// A unit of a group, and the order that it gets.
typedef struct kn_order_share {
    kn_entity_id unit; ///< the unit
    kn_order order;    ///< its order, with a point of its own if the type says so
} kn_order_share;

/// Who of a group would get an order, and with which point. Only reads, on clients too.
/// @param out receives at most `capacity` of them; may be NULL
/// @param count receives how many there are
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an unknown type; KN_REFUSED_BAD_NUMBER for a location
/// that
///         is not finite, also if a hook finds it; KN_REFUSED_CUSTOM if the hook `find_location`
///         has no place for one of them; KN_ERROR_INVALID_ARGUMENT for a def without its defaults
///         or with bad indices; KN_ERROR_OUT_OF_MEMORY
KN_API kn_result kn_order_plan_group(const kn_world *world, const kn_order_group_def *def,
    const kn_order *order, kn_order_share *out, uint32_t capacity, uint32_t *count);
/// Gives an order to those of a group who should get it, each with a point of its own if the type
/// says so. Those who cannot obey are left out before points are found.
/// @param given receives how many units took it; may be NULL
/// @return KN_OK, also if some or all refused; KN_REFUSED_BLOCKED on a client; otherwise as
///         kn_order_plan_group(), and then nobody gets it
KN_API kn_result kn_order_issue_group(
    kn_world *world, const kn_order_group_def *def, const kn_order *order, uint32_t *given);
/// The points that an order sends several units to: by the formation of its type, or what the hook
/// `find_location` says; without `individual_locations`, the same for all.
/// @param units all of them get a point, whether they could obey or not
/// @param out receives `count` points, that of unit i as out[i]; all are zero on anything but KN_OK
/// @return as kn_order_plan_group()
KN_API kn_result kn_order_find_locations(const kn_world *world, const kn_order *order,
    const kn_entity_id *units, uint32_t count, kn_vec3 *out);
/// The one of several units with the highest score for a target among those who can obey, the first
/// one of equals; null for none.
KN_API kn_entity_id kn_order_most_suitable(const kn_world *world, kn_order_type_id type,
    const kn_entity_id *units, uint32_t count, const kn_order_target *target, int32_t index,
    float radius);

/// The points of a formation around `to`, looking from `from` to `to`; along x if they are equal.
/// The front comes first, each row from right to left with y to the left of x.
/// @param out receives `count` points
KN_API void kn_formation_slots(kn_formation_shape shape, uint32_t count, float spacing,
    kn_vec3 from, kn_vec3 to, kn_vec3 *out);
/// Assigns units to points, so that their ways hardly cross. Needs memory of the C library
/// meanwhile; kn_order_issue_group() takes that of the world.
/// @param ranks those with higher ranks get the first points; NULL: all are equal
/// @param center the middle of the formation, as it was given to kn_formation_slots()
/// @param points the points; on return that of unit i is points[i]
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT; KN_ERROR_OUT_OF_MEMORY, with points as they were
KN_API KN_MUST_USE kn_result kn_formation_assign(kn_formation_rule rule, const kn_vec3 *units,
    const int32_t *ranks, uint32_t count, kn_vec3 center, kn_vec3 *points);

// Explanations --------------------------------------------------------------------------
//
// Why a unit does what it does, as text of several lines for people: the words may change. They
// only read. Each returns the full length; the text is truncated to `size` bytes including the
// final zero. `name` names entities; NULL: "entity 3".

/// Why a unit would obey an order, or would not: everything that is against it at once (tags of
/// both parties, gates, hooks, a missing target), the range, what would become of the order behind
/// the current one, what could be given instead, and why the unit does not give it to itself. For
/// an order at an entity without a target, the best target, or the nearest entities with what is
/// against each. 0 for an unknown type.
KN_API uint32_t kn_order_explain(const kn_world *world, kn_entity_id unit, const kn_order *order,
    kn_order_name_fn *name, void *user, char *text, uint32_t size);
/// Why a unit gives itself an order, or does not: whether its current order allows it, and for each
/// automatic order whether it is switched on, can be obeyed and has a target. 0 for entities that
/// do not obey orders.
KN_API uint32_t kn_order_explain_autos(const kn_world *world, kn_entity_id unit,
    kn_order_name_fn *name, void *user, char *text, uint32_t size);
/// A unit as it is: its type, its orders, the work that it remembers, and its automatic orders. 0
/// for entities that do not obey orders.
KN_API uint32_t kn_unit_print(const kn_world *world, kn_entity_id unit, kn_order_name_fn *name,
    void *user, char *text, uint32_t size);

// Events ------------------------------------------------------------------------------
//
// Clients publish two of them, `Knack.OrderChanged` and `Knack.OrderQueue`, when what they know of
// a unit has changed: once, however much has changed since the last time.

/// Payload of the custom events `Knack.OrderChanged` (the current order is another one; before it
/// is carried out), `Knack.OrderEnqueued` (by kn_order_enqueue()) and `Knack.OrderRefused` (an
/// order was not taken). Their entity is the unit.
typedef struct kn_order_event {
    kn_order order; ///< the order; of no type: none
} kn_order_event;

/// Payload of the custom event `Knack.OrderQueue`: the queue of a unit was changed.
typedef struct kn_order_queue_event {
    uint32_t count;      ///< orders that wait now
    uint32_t is_cleared; ///< 1: it was emptied, also if nothing was in it; on clients 0
} kn_order_queue_event;

/// Payload of the custom event `Knack.OrderRetargeted`: orders of a unit were aimed at another
/// entity (kn_order_retarget()). Its entity is the unit.
typedef struct kn_order_retargeted {
    kn_entity_id from; ///< what they were aimed at
    kn_entity_id to;   ///< what they are aimed at now
    uint32_t count;    ///< how many of its orders
    uint32_t unused;   ///< keeps the struct free of gaps
} kn_order_retargeted;

/// Payload of the custom event `Knack.OrderEnded`: an order came to its end, before the next one is
/// chosen. Orders that are interrupted do not end.
typedef struct kn_order_ended {
    kn_order order;         ///< the order
    kn_order_result result; ///< how it ended
    uint32_t counts;        ///< 1: it counts as a success, so that the queue goes on
} kn_order_ended;

#ifdef __cplusplus
}
#endif

#endif
