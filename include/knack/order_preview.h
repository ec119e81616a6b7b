// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Previews of orders, a part of the order kit (knack/order.h): what a user interface shows for
/// orders, as data. Nothing is drawn here.
///
/// For orders that units have, a kn_previews follows what is selected:
///
///   kn_previews_def def = kn_previews_def_default();
///   def.show = draw; // called for each line and marker
///   def.clear = wipe;
///   kn_result result = kn_previews_create(&def, &previews);
///   ...
///   result = kn_previews_select(previews, world, unit); // the player has clicked on it
///   ...
///   kn_world_step(world, KN_MS(16));
///   result = kn_previews_update(previews, world); // shows what has changed
///
/// For an order that is being aimed, kn_preview_aim() and kn_preview_group() say what to show at
/// the moment, and a kn_preview keeps one object of the host where it belongs.
///
/// Previews only read: no world knows them, and they work on clients as on servers.
#ifndef KNACK_ORDER_PREVIEW_H
#define KNACK_ORDER_PREVIEW_H

#include "knack/order.h"

#ifdef __cplusplus
extern "C" {
#endif

// Shapes --------------------------------------------------------------------------------

/// What a shape of a preview is.
typedef enum kn_preview_kind {
    KN_PREVIEW_LINE,       ///< a line from `from` to `at`
    KN_PREVIEW_RING,       ///< a circle of `radius` around `at`
    KN_PREVIEW_MARK,       ///< a marker at `at`, where an order leads
    KN_PREVIEW_GHOST,      ///< what would be at `at`: `model`, looking at `facing`
    KN_PREVIEW_KIND_COUNT, ///< number of the values above; not a value itself
} kn_preview_kind;

/// What a shape of a preview is shown for.
typedef enum kn_preview_use {
    KN_PREVIEW_CURRENT,   ///< the current order of a unit
    KN_PREVIEW_QUEUED,    ///< an order that waits
    KN_PREVIEW_AIMED,     ///< an order that the player is about to give
    KN_PREVIEW_USE_COUNT, ///< number of the values above; not a value itself
} kn_preview_use;

/// A shape of a preview. What it is made of follows from its kind; the rest is zero.
typedef struct kn_preview_shape {
    kn_preview_kind kind; ///< what it is
    kn_preview_use use;   ///< what it is shown for
    uint32_t slot;        ///< 0: the current or aimed order; from 1: its place in the queue
    kn_entity_id unit;    ///< the unit whose order it is
    kn_order order;       ///< the order
    kn_entity_id target;  ///< the entity that `at` follows; null: it stays where it is
    kn_vec3 from;         ///< where a line begins
    kn_vec3 at;           ///< where it is, or where a line ends
    kn_vec3 facing;       ///< direction that it looks in, of length 1; zero: none
    float radius;         ///< of a ring
    const char *model;    ///< name of what shows it; NULL: up to the host
    bool is_valid;        ///< the order would be accepted now; always true for the current one
} kn_preview_shape;

/// The shapes of all orders of a unit: for each that leads somewhere, a line from where the one
/// before leads, and a marker. Its model is the `preview` that kn_order_get_unit_display() has, or
/// else that of the type of the unit. Returns how many there are; at most `capacity` are written.
KN_API uint32_t kn_preview_orders(
    const kn_world *world, kn_entity_id unit, kn_preview_shape *out, uint32_t capacity);
/// The shapes of an order that a unit is about to be given: a ring of its range around the unit, a
/// line to where it leads, and a ghost if kn_order_get_unit_display() has a `preview`, placed as
/// its `preview_snap` says. Returns how many there are; at most `capacity` are written. 0 for an
/// unknown type or unit.
/// @param order with the target or the location under the cursor
KN_API uint32_t kn_preview_aim(const kn_world *world, kn_entity_id unit, const kn_order *order,
    kn_preview_shape *out, uint32_t capacity);
/// The shapes of an order that a group is about to be given: those of kn_preview_aim() for each
/// unit that would get it, with its own point.
/// @param out receives at most `capacity` of them; may be NULL
/// @param count receives how many there are
/// @return as kn_order_plan_group()
KN_API kn_result kn_preview_group(const kn_world *world, const kn_order_group_def *def,
    const kn_order *order, kn_preview_shape *out, uint32_t capacity, uint32_t *count);
/// Where the preview of an order is while the player aims.
/// @param owner where the unit is
/// @param cursor where the cursor is
/// @param position receives the place: that of the unit for KN_ORDER_SNAP_OWNER, otherwise the
///                 cursor's
/// @param facing receives the direction, of length 1 in the plane of x and y: from the unit to the
///               cursor for KN_ORDER_SNAP_OWNER; otherwise, and if they are at one place, zero
KN_API void kn_order_snap_place(
    kn_order_snap snap, kn_vec3 owner, kn_vec3 cursor, kn_vec3 *position, kn_vec3 *facing);

// One object that follows the cursor --------------------------------------------------------

typedef struct kn_preview kn_preview;

/// Makes an object that `model` of the preview names, or takes one from a pool.
/// @return what the host knows it by; 0: it has none to show
typedef uint64_t kn_preview_spawn_fn(void *user, const kn_preview *preview);
/// Called about the object of a preview, which is `instance`.
typedef void kn_preview_fn(void *user, const kn_preview *preview);

/// How a host shows an object. Functions may be NULL, but `spawn`.
typedef struct kn_preview_host {
    kn_preview_spawn_fn *spawn; ///< makes an object; required
    kn_preview_fn *place;       ///< puts it to `position`, looking at `facing`
    kn_preview_fn *ability_set; ///< it is for `ability` from now on, which may be null
    kn_preview_fn *destroy;     ///< takes it away
    void *user;                 ///< passed to all of them
} kn_preview_host;

/// An object of the host that shows where an order is aimed. Start from kn_preview_default(); only
/// the functions below change it.
struct kn_preview {
    kn_entity_id owner;          ///< the unit that would obey; null: none yet
    kn_order order;              ///< the order, aimed as of the last move
    const char *model;           ///< `preview` of the order or its ability; NULL: nothing is shown
    kn_order_snap snap;          ///< `preview_snap` of the order or its ability
    uint64_t instance;           ///< what the host knows the object by; 0: there is none
    kn_ability_type_id ability;  ///< the ability that is aimed; null: an order without one
    kn_vec3 position;            ///< where it is
    kn_vec3 facing;              ///< direction that it looks in, of length 1; zero: none
    bool is_valid;               ///< the order would be accepted there
    const kn_preview_host *host; ///< who shows it; NULL: nobody yet
};

/// A preview that shows nothing.
KN_API kn_preview kn_preview_default(void);
/// The preview of an order type for a unit, before it is shown: its `owner`, `model`,
/// `snap` and `ability`.
/// @param index the variant of the order; -1: none
KN_API kn_preview kn_preview_of(
    const kn_world *world, kn_order_type_id type, kn_entity_id owner, int32_t index);
/// Begins to aim an order: the host makes an object, unless the preview has one of the same model
/// already, which goes on. An order without a `preview` shows nothing, which is not an error.
/// @param host must outlive the preview
/// @return whether there is an object
KN_API bool kn_preview_begin(kn_preview *preview, const kn_preview_host *host,
    const kn_world *world, kn_entity_id owner, const kn_order *order);
/// Moves the object to where it belongs, and checks whether the order would be accepted there.
/// @param under the entity under the cursor; null: none
KN_API void kn_preview_move(
    kn_preview *preview, const kn_world *world, kn_vec3 cursor, kn_entity_id under);
/// Tells the object which ability is aimed. `ability_set` of the host is called each time, when
/// the preview has it.
KN_API void kn_preview_set_ability(kn_preview *preview, kn_ability_type_id ability);
/// The ability that is aimed; null: an order without one.
KN_API kn_ability_type_id kn_preview_get_ability(const kn_preview *preview);
/// Ends aiming: the object goes.
KN_API void kn_preview_end(kn_preview *preview);

// Orders of what is selected --------------------------------------------------------------

/// Follows the orders of selected units. Opaque; see kn_previews_create().
typedef struct kn_previews kn_previews;

/// Shows one shape, until `clear` is called for its unit.
typedef void kn_previews_show_fn(void *user, const kn_preview_shape *shape);
/// Takes all shapes of a unit away.
typedef void kn_previews_clear_fn(void *user, kn_entity_id unit);

/// How to follow orders. Start from kn_previews_def_default(). The functions must not call those of
/// the kn_previews.
typedef struct kn_previews_def {
    kn_hooks hooks;              ///< memory; all-zero for malloc
    kn_previews_show_fn *show;   ///< shows a shape; required
    kn_previews_clear_fn *clear; ///< takes those of a unit away; required
    void *user;                  ///< passed to both
    uint32_t cookie;             ///< set by kn_previews_def_default(); do not change it
} kn_previews_def;

/// A def without functions.
KN_API kn_previews_def kn_previews_def_default(void);
/// Creates one. Destroy it with kn_previews_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults or a function;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_previews_create(const kn_previews_def *def, kn_previews **previews);
/// Takes all shapes away, and destroys it. NULL is ignored.
KN_API void kn_previews_destroy(kn_previews *previews);
/// Shows the orders of a unit that was selected. Those of one that was selected already are shown
/// anew.
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an entity that does not obey orders, or is gone;
///         KN_ERROR_OUT_OF_MEMORY, with what was shown before
KN_API kn_result kn_previews_select(
    kn_previews *previews, const kn_world *world, kn_entity_id unit);
/// Takes the shapes of a unit away that is not selected any more. Those of an order of its
/// `construction` type stay until that has ended.
/// @return KN_OK, also for a unit that was not selected
KN_API kn_result kn_previews_deselect(
    kn_previews *previews, const kn_world *world, kn_entity_id unit);
/// Shows what has changed: units whose current order or queue is another one get all shapes anew,
/// and those that are gone lose theirs. Call it after each step, or when the host is about to draw.
/// @return KN_OK; KN_ERROR_OUT_OF_MEMORY if some are as they were, until the next call
KN_API kn_result kn_previews_update(kn_previews *previews, const kn_world *world);
/// True for a selected unit.
KN_API bool kn_previews_is_selected(const kn_previews *previews, kn_entity_id unit);

#ifdef __cplusplus
}
#endif

#endif
