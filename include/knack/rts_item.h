// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Items, inventories and shops, a part of the RTS kit (knack/rts.h).
///
///   rts_items:
///     Sword: {effect: SwordDamage, price: [{attribute: Stock.Gold, amount: 200}]}
///     Potion: {ability: Drink, charges: 1, stack: 5, price: [{attribute: Stock.Gold, amount: 50}]}
///   rts_inventories:
///     Hero: {tag: Unit.Hero, slots: [{count: 6}, {count: 2, is_stash: true}]}
///   rts_shops:
///     Market: {tag: Unit.Market, range: 6, goods: [{item: Sword, stock: 1, restock: 60 s}]}
///
/// An item is an entity of its own at all times, with attributes, tags and an owner. It either lies
/// in the world, with a place and the tag KN_RTS_IS_ITEM, or is carried in a slot of an inventory.
/// While it is carried in a slot that is not a stash, its holder has its effect and its ability:
/// the source of the ability is the item, and so is the causer of the effect.
///
/// Items are the authority's: calls on clients are refused with KN_REFUSED_BLOCKED, and clients ask
/// by commands. kn_entity_destroy() ends an item wherever it is. What a hook of an item asks of
/// items takes effect when the hook is done; the call returns KN_OK, and new items are null.
#ifndef KNACK_RTS_ITEM_H
#define KNACK_RTS_ITEM_H

#include "knack/rts_text.h"

#ifdef __cplusplus
extern "C" {
#endif

KN_TYPE_ID(kn_rts_item_type_id)
KN_TYPE_ID(kn_rts_inventory_type_id)
KN_TYPE_ID(kn_rts_shop_type_id)

// Types of items ----------------------------------------------------------------------

/// Most parts of a price.
#define KN_RTS_PRICE_MAX 8

/// What becomes of an item when its holder dies.
typedef enum kn_rts_item_loss {
    KN_RTS_LOSS_DEFAULT, ///< items: as the inventory says; inventories: keep
    KN_RTS_LOSS_KEEP,    ///< the dead holder keeps it; it is destroyed with its holder
    KN_RTS_LOSS_DROP,    ///< it is dropped where the holder is
    KN_RTS_LOSS_DESTROY, ///< it is destroyed
    KN_RTS_LOSS_COUNT,   ///< number of the values above; not a value itself
} kn_rts_item_loss;

/// Why an item changed hands.
typedef enum kn_rts_item_reason {
    KN_RTS_ITEM_GIVEN,        ///< by kn_rts_give_item(), or the inventory begins with it
    KN_RTS_ITEM_PICKED_UP,    ///< it was picked up
    KN_RTS_ITEM_DROPPED,      ///< it was dropped
    KN_RTS_ITEM_HANDED,       ///< one unit handed it to another
    KN_RTS_ITEM_BOUGHT,       ///< it was bought
    KN_RTS_ITEM_SOLD,         ///< it was sold
    KN_RTS_ITEM_STACKED,      ///< its charges went to another one
    KN_RTS_ITEM_SPLIT,        ///< it was split off another one
    KN_RTS_ITEM_USED,         ///< it was used
    KN_RTS_ITEM_USED_UP,      ///< its last charge was used
    KN_RTS_ITEM_DIED,         ///< its holder died
    KN_RTS_ITEM_OWNER,        ///< its holder has another owner
    KN_RTS_ITEM_ENDED,        ///< it, its holder or the inventory was removed
    KN_RTS_ITEM_REASON_COUNT, ///< number of the values above; not a value itself
} kn_rts_item_reason;

/// Arguments of the hooks of items, and payload of the custom events `Knack.RtsItemGained`,
/// `Knack.RtsItemLost` and `Knack.RtsItemUsed`, whose entity is the holder. Clients publish the
/// first two when they see it, with the reason `given` or `ended`.
typedef struct kn_rts_item_event {
    kn_entity_id item;        ///< the item; lost: it may be dying
    kn_entity_id other;       ///< the holder before or afterwards, or the shop; null: none
    kn_rts_item_type_id type; ///< its type
    uint32_t slot;            ///< its slot
    uint32_t charges;         ///< charges that were gained or lost; used: those that are left
    uint32_t reason;          ///< a kn_rts_item_reason
} kn_rts_item_event;

/// A type of item, in data files under `rts_items`. Start from kn_rts_item_def_default().
///
/// Cooldowns are those of the ability: one with a `key` is shared by all abilities of the holder
/// with that key, such as all potions. One without goes along with the item, and runs on while it
/// lies in the world.
typedef struct kn_rts_item_def {
    const char *name; ///< unique name; required
    kn_tags tags;     ///< tags that such items have; inventories sort items into slots by them
    /// What such items begin with: attributes, tags and so on; null: nothing.
    kn_archetype_id archetype;
    float level; ///< level of the archetype, the effect and the ability; default 1
    /// The holder has this effect while it carries the item, one application for each item. If it
    /// is refused, it is tried again whenever the items of the holder change. Must not be instant;
    /// null: none.
    kn_effect_type_id effect;
    kn_ability_type_id ability; ///< the holder has this ability while it carries it; null: none
    /// What the ability is aimed at, for orders; default none.
    kn_order_target_kind target_kind;
    float use_range; ///< how near to its target it is used, for orders; default 0
    /// Charges of a new item; each commit of its ability takes one, and an item without any cannot
    /// be used. Default 0: it can be used forever.
    uint32_t charges;
    /// Most charges of one item: items of this type join in one slot up to that. Default 0: they do
    /// not join.
    uint32_t stack;
    bool keeps_empty; ///< it stays when its last charge is gone; default false: it is destroyed
    /// Its ability may finish when the item leaves its holder while it runs. Default false: it is
    /// cancelled, unless its last charge was used up.
    bool ability_finishes;
    bool attached;             ///< its tags count for its holder while it acts; default false
    uint32_t limit;            ///< most items of this type that one unit carries; default 0: any
    kn_tag_requirement holder; ///< tags that holders must have, or must not have; default any
    uint32_t required_level;   ///< level that holders must have, see kn_rts_level(); default 0
    /// Once somebody carries it, it belongs to the owner of that unit for good: others cannot carry
    /// it. Default false.
    bool owner_only;
    bool is_droppable; ///< it can be dropped, and handed to others; default true
    bool is_sellable;  ///< shops buy it; default true
    /// What becomes of it when its holder dies; default as the inventory says.
    kn_rts_item_loss on_death;
    const kn_product_cost *price; ///< what it costs in shops
    uint32_t price_count;         ///< number of entries in `price`, at most 8
    /// Share of the price that shops pay for it, 0 or more; below 0: as the shop says; default -1.
    float resale;
    float radius;            ///< radius of its body in the world; default 0.5
    uint32_t layers;         ///< layers of that body (kn_body); default 1
    const char *title;       ///< for the player; NULL: that of its ability, or its name
    const char *description; ///< for the player; see kn_rts_describe_item(); may be NULL
    const char *icon;        ///< name of its picture; may be NULL
    kn_hook can_carry;       ///< KN_OK: the entity may carry it; must only read
    kn_hook gained;          ///< called when somebody got it
    kn_hook lost;            ///< called when somebody lost it
    kn_hook used;            ///< called when its ability was committed
    uint32_t cookie;         ///< set by kn_rts_item_def_default(); do not change it
} kn_rts_item_def;

/// A def with the defaults named above.
KN_API kn_rts_item_def kn_rts_item_def_default(void);
/// Registers a type of item.
/// @return as kn_rts_rules_register(); KN_ERROR_BAD_DATA at finish for an instant effect
KN_API KN_MUST_USE kn_result kn_rts_item_register(
    kn_library *library, const kn_rts_item_def *def, kn_rts_item_type_id *type, kn_error *error);
/// The type of item with this name; null when there is none.
KN_API kn_rts_item_type_id kn_rts_item_find(const kn_library *library, const char *name);
/// The def of a type of item as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_item_def *kn_rts_item_get_def(
    const kn_library *library, kn_rts_item_type_id type);
/// How a type of item looks: as its definition says, then by the display of its ability or effect,
/// then it is called by its name. Empty for an unknown type. Valid as long as the library.
KN_API kn_rts_look kn_rts_item_look(const kn_library *library, kn_rts_item_type_id type);

// Inventories -------------------------------------------------------------------------

/// Most slots of an inventory.
#define KN_RTS_SLOTS_MAX 64

/// Some slots of an inventory that are alike.
typedef struct kn_rts_slot_def {
    uint32_t count;             ///< how many there are; default 1
    kn_tag_requirement accepts; ///< tags of items that fit; default any
    bool is_stash;              ///< items in it give nothing and cannot be used; default false
} kn_rts_slot_def;

/// Slots for items, in data files under `rts_inventories`. Start from
/// kn_rts_inventory_def_default().
typedef struct kn_rts_inventory_def {
    const char *name;                 ///< unique name; required
    kn_tag tag;                       ///< entities that gain this tag get it; null: by call alone
    const kn_rts_slot_def *slots;     ///< its slots; items go to the first free one that fits
    uint32_t slot_count;              ///< number of entries in `slots`; at most 64 slots in all
    const kn_rts_item_type_id *items; ///< items that it begins with
    uint32_t item_count;              ///< number of entries in `items`
    float range;                      ///< how far it reaches, without the bodies; default 2
    kn_rts_item_loss on_death;        ///< what becomes of items when the holder dies; default keep
    /// Items are dropped when the holder gets another owner, but not when it gets its first one.
    /// Default false: they belong to the new owner as well, but those with `owner_only` are
    /// dropped.
    bool drops_on_owner_change;
    /// All clients see it. Default false: that of its player alone. The items in it are entities of
    /// their own, which a server keeps from the others with kn_rts_item_relevance().
    bool is_public;
    uint32_t cookie; ///< set by kn_rts_inventory_def_default(); do not change it
} kn_rts_inventory_def;

/// A def with the defaults named above.
KN_API kn_rts_inventory_def kn_rts_inventory_def_default(void);
/// A slot with the defaults named above.
KN_API kn_rts_slot_def kn_rts_slot_def_default(void);
/// Registers a type of inventory.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_inventory_register(kn_library *library,
    const kn_rts_inventory_def *def, kn_rts_inventory_type_id *type, kn_error *error);
/// The type of inventory with this name; null when there is none.
KN_API kn_rts_inventory_type_id kn_rts_inventory_find(const kn_library *library, const char *name);
/// The def of a type of inventory as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_inventory_def *kn_rts_inventory_get_def(
    const kn_library *library, kn_rts_inventory_type_id type);

/// Gives an entity an inventory, the tag KN_RTS_HAS_INVENTORY, and the items that it begins with.
/// @return KN_OK; KN_REFUSED_DUPLICATE if it has one; KN_REFUSED_STALE_ID; KN_REFUSED_DYING;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an unknown type;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_inventory_add(
    kn_world *world, kn_entity_id entity, kn_rts_inventory_type_id type);
/// Takes the inventory of an entity away: its items are dropped, those that cannot be dropped are
/// destroyed.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if it has none; KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a
///         client; KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_inventory_remove(kn_world *world, kn_entity_id entity);
/// The type of the inventory of an entity; null without one, and for clients that do not see it.
KN_API kn_rts_inventory_type_id kn_rts_inventory_get_type(
    const kn_world *world, kn_entity_id entity);
/// Number of slots of an entity; 0 without an inventory.
KN_API uint32_t kn_rts_slot_count(const kn_world *world, kn_entity_id entity);
/// The item in a slot; null for an empty one, and past the end.
KN_API kn_entity_id kn_rts_slot_item(const kn_world *world, kn_entity_id entity, uint32_t slot);
/// The items of an entity, in the order of their slots. Returns how many there are; at most
/// `capacity` are written.
/// @param out may be NULL if `capacity` is 0
KN_API uint32_t kn_rts_items(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity);
/// The first item of a type that an entity carries; null for none.
KN_API kn_entity_id kn_rts_carried_item(
    const kn_world *world, kn_entity_id entity, kn_rts_item_type_id type);
/// How many items of a type an entity carries; of those that join in one slot, all charges.
KN_API uint32_t kn_rts_count_items(
    const kn_world *world, kn_entity_id entity, kn_rts_item_type_id type);

// Items -------------------------------------------------------------------------------

/// An item as it is now.
typedef struct kn_rts_item_info {
    kn_rts_item_type_id type; ///< its type
    kn_entity_id holder;      ///< who carries it; null: it lies in the world
    uint32_t slot;            ///< its slot; UINT32_MAX: none
    uint32_t charges;         ///< charges that are left
    bool acts;                ///< it is carried in a slot that is not a stash
    bool is_placed;           ///< it lies in the world, at `location`
    kn_vec3 location;         ///< where it lies, for hosts with a space of their own
    kn_effect_id effect;      ///< the effect that its holder has from it; null: none
    kn_ability_id ability;    ///< the ability that its holder has from it; null: none
} kn_rts_item_info;

/// Creates an item.
/// @param at where it lies; NULL: nowhere, so that anybody reaches it
/// @param item receives it; null on anything but KN_OK, and from hooks of items; may be NULL
/// @return KN_OK; KN_REFUSED_BAD_NUMBER for a place that is not finite; KN_REFUSED_BLOCKED on a
///         client; KN_ERROR_INVALID_ARGUMENT for an unknown type; what kn_archetype_spawn()
///         returns; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_item_create(
    kn_world *world, kn_rts_item_type_id type, const kn_vec3 *at, kn_entity_id *item);
/// Reads an item; false, and all zero, for entities that are none.
KN_API bool kn_rts_item_get_info(const kn_world *world, kn_entity_id item, kn_rts_item_info *info);
/// The description of an item for its holder: `description` of its type, in which `{charges}` and
/// `{level}` are numbers of the item; otherwise that of its ability, or of its effect. Returns the
/// full length; the text is truncated to `size` bytes including the final zero.
KN_API uint32_t kn_rts_describe_item(
    const kn_world *world, kn_entity_id item, char *text, uint32_t size);

/// Reasons why something cannot be done with an item now, as bits.
typedef enum kn_rts_item_why_not {
    KN_RTS_ITEM_NO_ITEM = 1 << 0,        ///< it is not an item, or gone
    KN_RTS_ITEM_NO_HOLDER = 1 << 1,      ///< the unit has no inventory, or nobody carries the item
    KN_RTS_ITEM_DEAD = 1 << 2,           ///< the unit is dead
    KN_RTS_ITEM_CARRIED = 1 << 3,        ///< somebody carries it already
    KN_RTS_ITEM_OTHERS = 1 << 4,         ///< it belongs to somebody else, or the two are not allied
    KN_RTS_ITEM_BAD_TAGS = 1 << 5,       ///< the unit, or the slot, does not fit by its tags
    KN_RTS_ITEM_LEVEL_TOO_LOW = 1 << 6,  ///< the unit needs a higher level
    KN_RTS_ITEM_TOO_MANY = 1 << 7,       ///< the unit carries as many of the type as it may
    KN_RTS_ITEM_NO_ROOM = 1 << 8,        ///< no slot that it fits into is free
    KN_RTS_ITEM_TOO_FAR = 1 << 9,        ///< it is out of reach
    KN_RTS_ITEM_FIXED = 1 << 10,         ///< it cannot be dropped, handed over or sold
    KN_RTS_ITEM_NO_ABILITY = 1 << 11,    ///< there is nothing to use
    KN_RTS_ITEM_STASHED = 1 << 12,       ///< it is in a stash
    KN_RTS_ITEM_EMPTY = 1 << 13,         ///< it has no charges left, or not enough to split
    KN_RTS_ITEM_NOT_READY = 1 << 14,     ///< its ability cannot be activated: see `fails`
    KN_RTS_ITEM_NOT_TRADED = 1 << 15,    ///< it is not a shop, or does not trade with the unit
    KN_RTS_ITEM_OUT_OF_STOCK = 1 << 16,  ///< the shop has none left
    KN_RTS_ITEM_TOO_EXPENSIVE = 1 << 17, ///< the price cannot be paid: see `shortages`
    KN_RTS_ITEM_REFUSED = 1 << 18,       ///< the hook `can_carry` says no
} kn_rts_item_why_not;

/// Why something cannot be done with an item: all reasons at once.
typedef struct kn_rts_item_answer {
    uint32_t why_not;        ///< bits of kn_rts_item_why_not; 0: it can be done
    uint32_t fails;          ///< bits of kn_fail, with KN_RTS_ITEM_NOT_READY
    uint32_t shortage_count; ///< number of entries in `shortages`
    kn_product_shortage
        shortages[KN_RTS_PRICE_MAX]; ///< what is missing, with KN_RTS_ITEM_TOO_EXPENSIVE
} kn_rts_item_answer;

/// The result of a call that is refused for these reasons.
/// @return KN_OK without any; for the lowest bit: KN_REFUSED_NOT_FOUND (no item, no holder, no
///         ability, not traded), KN_REFUSED_EXCLUSIVE (carried, others), KN_REFUSED_REQUIREMENT
///         (dead, tags, level, too far, stashed), KN_REFUSED_LIMIT (too many, no room, out of
///         stock), KN_REFUSED_BLOCKED (fixed), KN_REFUSED_COST (empty, too expensive),
///         KN_REFUSED_CUSTOM (refused), or that of kn_fail_result() (not ready)
KN_API kn_result kn_rts_item_result(const kn_rts_item_answer *answer);

// The following only read, on clients too. `answer` receives all reasons, and may be NULL.

/// Whether a unit could carry an item, wherever that is.
/// @param slot a slot that must be free; -1: any
KN_API bool kn_rts_can_carry(const kn_world *world, kn_entity_id unit, kn_entity_id item,
    int32_t slot, kn_rts_item_answer *answer);
/// Whether a unit could pick up an item: it is alive and near enough, and nobody carries it.
KN_API bool kn_rts_can_pick_up(
    const kn_world *world, kn_entity_id unit, kn_entity_id item, kn_rts_item_answer *answer);
/// Whether the holder of an item could drop it.
/// @param at where; NULL: where the holder is
KN_API bool kn_rts_can_drop(
    const kn_world *world, kn_entity_id item, const kn_vec3 *at, kn_rts_item_answer *answer);
/// Whether the holder of an item could hand it to a unit: both are alive, allied and near enough.
KN_API bool kn_rts_can_hand(
    const kn_world *world, kn_entity_id item, kn_entity_id to, kn_rts_item_answer *answer);
/// Whether the holder of an item could use it.
/// @param target what it is aimed at; may be null
/// @param location where it is aimed at; may be NULL
KN_API bool kn_rts_can_use(const kn_world *world, kn_entity_id item, kn_entity_id target,
    const kn_vec3 *location, kn_rts_item_answer *answer);

/// Gives an item to a unit, from wherever it is; distance does not matter, nor whether the unit is
/// alive, nor who owns the item, unless it has `owner_only`. Its charges join items of its type
/// first; if all of them do, it is destroyed.
/// @param slot a free slot, and nothing joins; -1: any
/// @return KN_OK; as kn_rts_item_result() for kn_rts_can_carry(); KN_REFUSED_BLOCKED on a client;
///         KN_REFUSED_LIMIT for too many calls inside hooks; KN_ERROR_INVALID_ARGUMENT without the
///         kit; KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN. All functions below likewise
KN_API kn_result kn_rts_give_item(
    kn_world *world, kn_entity_id unit, kn_entity_id item, int32_t slot);
/// Creates an item and gives it to a unit, as kn_rts_give_item(). Nothing is created for a unit
/// that cannot carry it.
/// @param item receives the item, or the one that it joined; null on anything but KN_OK, and from
///             hooks of items; may be NULL
/// @return as kn_rts_give_item(); KN_ERROR_INVALID_ARGUMENT for an unknown type; what
///         kn_archetype_spawn() returns
KN_API kn_result kn_rts_give_new_item(
    kn_world *world, kn_entity_id unit, kn_rts_item_type_id type, kn_entity_id *item);
/// Lets a unit pick up an item, as kn_rts_give_item().
/// @return as kn_rts_give_item(), for kn_rts_can_pick_up()
KN_API kn_result kn_rts_pick_up(kn_world *world, kn_entity_id unit, kn_entity_id item);
/// Lets the holder of an item drop it. It belongs to nobody then, unless it has `owner_only`.
/// @param at where; NULL: where the holder is
/// @return as kn_rts_give_item(), for kn_rts_can_drop(); KN_REFUSED_BAD_NUMBER for a place that is
///         not finite
KN_API kn_result kn_rts_drop_item(kn_world *world, kn_entity_id item, const kn_vec3 *at);
/// Lets the holder of an item hand it to another unit.
/// @return as kn_rts_give_item(), for kn_rts_can_hand()
KN_API kn_result kn_rts_hand_item(kn_world *world, kn_entity_id item, kn_entity_id to);
/// Moves an item to another slot of its holder. An item that is there changes places with it, if
/// both fit; one that it can join gets its charges instead, as many as there is room for.
/// @return as kn_rts_give_item(): KN_REFUSED_NOT_FOUND for a slot that is not there, or an item
///         that nobody carries; KN_REFUSED_REQUIREMENT if one does not fit
KN_API kn_result kn_rts_move_item(kn_world *world, kn_entity_id item, uint32_t slot);
/// Splits charges off an item that is carried, into another one in a free slot.
/// @param charges at least 1, and less than the item has
/// @param part receives the new item; null on anything but KN_OK, and from hooks; may be NULL
/// @return as kn_rts_give_item(): KN_REFUSED_COST for a number of charges that is out of range;
///         KN_REFUSED_LIMIT without a free slot
KN_API kn_result kn_rts_split_item(
    kn_world *world, kn_entity_id item, uint32_t charges, kn_entity_id *part);
/// Sets the charges of an item. One that has none left is destroyed, unless it has `keeps_empty`.
/// @return as kn_rts_give_item(): KN_REFUSED_NOT_FOUND for an entity that is not an item, or whose
///         type has no charges; KN_REFUSED_LIMIT above the stack and the charges of its type
KN_API kn_result kn_rts_set_charges(kn_world *world, kn_entity_id item, uint32_t charges);
/// Lets the holder of an item use it: activates its ability. The commit of the ability takes a
/// charge, when what set it off is done; an ability that is activated otherwise does so as well.
/// The last charge destroys the item, and what it began goes on to its end.
/// @param target what it is aimed at; may be null
/// @param location where it is aimed at; may be NULL
/// @param activation receives the activation, which may be over already; may be NULL
/// @return as kn_rts_give_item(), for kn_rts_can_use(); what kn_ability_activate() returns
KN_API kn_result kn_rts_use_item(kn_world *world, kn_entity_id item, kn_entity_id target,
    const kn_vec3 *location, kn_activation_id *activation);

// Abilities from items ----------------------------------------------------------------
//
// A list of the abilities that a unit has from items, which clients see of all units. Items write
// down theirs by themselves; the functions below are for games with items of their own.

/// An ability that a unit has from an item.
typedef struct kn_rts_item_ability {
    kn_ability_type_id ability; ///< the ability
    uint32_t stacks;            ///< stacks of the effect that came with it; 0: it does not stack
    kn_effect_id effect;        ///< the effect that grants it; null: the item does
    kn_entity_id item;          ///< the item; null: by kn_rts_add_item_ability()
} kn_rts_item_ability;

/// Applies an effect to a unit and lists every ability that it grants. The entries go with the
/// effect, however it ends.
/// @param applied receives the effect, for kn_effect_remove(); null on anything but KN_OK, and for
///                an instant one; may be NULL
/// @return what kn_effect_apply() returns; KN_REFUSED_STACK_DENIED for a stack at its limit;
///         KN_REFUSED_STALE_ID; KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT for an
///         unknown effect, or without the kit
KN_API kn_result kn_rts_add_item_ability(
    kn_world *world, kn_entity_id unit, kn_effect_type_id effect, kn_effect_id *applied);
/// Removes what the latest kn_rts_add_item_ability() of this effect has given: one stack of the
/// effect, and one entry for each ability that it grants. Effects of items, and those that somebody
/// else applied, stay.
/// @return KN_OK; KN_REFUSED_NOT_FOUND if there is none; otherwise as kn_rts_add_item_ability()
KN_API kn_result kn_rts_remove_item_ability(
    kn_world *world, kn_entity_id unit, kn_effect_type_id effect);
/// The abilities that a unit has from items, in the order they came. Returns how many there are; at
/// most `capacity` are written.
/// @param out may be NULL if `capacity` is 0
KN_API uint32_t kn_rts_item_ability_list(
    const kn_world *world, kn_entity_id unit, kn_rts_item_ability *out, uint32_t capacity);

// Shops -------------------------------------------------------------------------------

/// Something that a shop sells.
typedef struct kn_rts_good {
    kn_rts_item_type_id item;     ///< what it is; required
    const kn_product_cost *price; ///< what it costs; none: as the item says
    uint32_t price_count;         ///< number of entries in `price`, at most 8
    uint32_t stock;               ///< most that the shop has of it; default 0: any number
    uint32_t first_stock;         ///< how many it begins with; default UINT32_MAX: `stock`
    /// Time until one more is there, while there are less than `stock`; default 0: never.
    kn_time restock;
    kn_tag_requirement buyer; ///< tags that the one who pays must have, or must not have
} kn_rts_good;

/// A shop, in data files under `rts_shops`. Start from kn_rts_shop_def_default().
///
/// The owner of a unit pays for what it buys and gets what it sells for, or the unit itself if
/// nobody owns it.
typedef struct kn_rts_shop_def {
    const char *name;         ///< unique name; required
    kn_tag tag;               ///< entities that gain this tag are such shops; null: by call alone
    const kn_rts_good *goods; ///< what it sells; orders and commands name it by its position
    uint32_t good_count;      ///< number of entries in `goods`
    float range;              ///< how near units must be, without the bodies; default 5
    /// Who may trade, as seen by the shop, bits of kn_order_relation; default friendly and neutral.
    uint32_t relations;
    bool buys;       ///< it buys items; default true
    float share;     ///< share of the price that it pays for them, 0 or more; default 0.5
    bool rounds;     ///< what it pays is rounded down to whole numbers; default true
    uint32_t cookie; ///< set by kn_rts_shop_def_default(); do not change it
} kn_rts_shop_def;

/// A def with the defaults named above.
KN_API kn_rts_shop_def kn_rts_shop_def_default(void);
/// A good with the defaults named above.
KN_API kn_rts_good kn_rts_good_default(void);
/// Registers a type of shop.
/// @return as kn_rts_rules_register()
KN_API KN_MUST_USE kn_result kn_rts_shop_register(
    kn_library *library, const kn_rts_shop_def *def, kn_rts_shop_type_id *type, kn_error *error);
/// The type of shop with this name; null when there is none.
KN_API kn_rts_shop_type_id kn_rts_shop_find(const kn_library *library, const char *name);
/// The def of a type of shop as registered; it belongs to the library. NULL when unknown.
KN_API const kn_rts_shop_def *kn_rts_shop_get_def(
    const kn_library *library, kn_rts_shop_type_id type);

/// Makes an entity a shop, with the tag KN_RTS_IS_SHOP.
/// @return as kn_rts_inventory_add()
KN_API kn_result kn_rts_shop_add(kn_world *world, kn_entity_id entity, kn_rts_shop_type_id type);
/// Ends that an entity is a shop; its stock is forgotten.
/// @return as kn_rts_inventory_remove()
KN_API kn_result kn_rts_shop_remove(kn_world *world, kn_entity_id entity);
/// The type of a shop; null for entities that are none.
KN_API kn_rts_shop_type_id kn_rts_shop_get_type(const kn_world *world, kn_entity_id shop);

/// What a shop has of a good.
typedef struct kn_rts_good_info {
    kn_rts_item_type_id item;     ///< what it is
    uint32_t stock;               ///< how many are left; UINT32_MAX: any number
    kn_time restock_at;           ///< when one more is there; KN_TIME_INFINITE: never
    const kn_product_cost *price; ///< what it costs; valid as long as the library
    uint32_t price_count;         ///< number of entries in `price`
} kn_rts_good_info;

/// Reads a good of a shop; false, and all zero, if there is none at this position.
KN_API bool kn_rts_good_get_info(
    const kn_world *world, kn_entity_id shop, uint32_t good, kn_rts_good_info *info);
/// The position of the first good of a shop that is a type of item; -1 for none.
KN_API int32_t kn_rts_good_of(const kn_world *world, kn_entity_id shop, kn_rts_item_type_id type);
/// Sets how many of a good a shop has.
/// @param stock at most that of the good
/// @return KN_OK; KN_REFUSED_NOT_FOUND for an entity that is not a shop, or a good that is not
///         there or without end; KN_REFUSED_LIMIT above the stock of the good; KN_REFUSED_STALE_ID;
///         KN_REFUSED_BLOCKED on a client; KN_ERROR_INVALID_ARGUMENT without the kit;
///         KN_ERROR_OUT_OF_MEMORY, KN_ERROR_WORLD_BROKEN
KN_API kn_result kn_rts_set_stock(
    kn_world *world, kn_entity_id shop, uint32_t good, uint32_t stock);
/// Whether a unit could buy a good of a shop now. Only reads, on clients too.
/// @param answer receives all reasons; may be NULL
KN_API bool kn_rts_can_buy(const kn_world *world, kn_entity_id shop, kn_entity_id unit,
    uint32_t good, kn_rts_item_answer *answer);
/// Buys a good of a shop for a unit: all of the price is paid, or nothing.
/// @param item receives the item, or the one that it joined; null on anything but KN_OK, and from
///             hooks; may be NULL
/// @return as kn_rts_give_item(), for kn_rts_can_buy()
KN_API kn_result kn_rts_buy(
    kn_world *world, kn_entity_id shop, kn_entity_id unit, uint32_t good, kn_entity_id *item);
/// What a shop would pay for an item: a share of its price, by the charges that are left. Returns
/// how many parts there are; at most `capacity` are written. 0 for an item or shop that is not one.
/// @param out may be NULL if `capacity` is 0
KN_API uint32_t kn_rts_resale(const kn_world *world, kn_entity_id shop, kn_entity_id item,
    kn_product_cost *out, uint32_t capacity);
/// Whether the holder of an item could sell it to a shop now. Only reads, on clients too.
/// @param answer receives all reasons; may be NULL
KN_API bool kn_rts_can_sell(
    const kn_world *world, kn_entity_id shop, kn_entity_id item, kn_rts_item_answer *answer);
/// Sells an item to a shop, which destroys it. What is above the limit of an attribute is lost.
/// @return as kn_rts_give_item(), for kn_rts_can_sell()
KN_API kn_result kn_rts_sell(kn_world *world, kn_entity_id shop, kn_entity_id item);

/// Payload of the custom events `Knack.RtsBought` and `Knack.RtsSold`. Their entity is the unit.
typedef struct kn_rts_trade_event {
    kn_entity_id shop;         ///< the shop
    kn_entity_id item;         ///< the item; sold: it is dying
    kn_entity_id payer;        ///< who paid or was paid
    kn_rts_item_type_id type;  ///< its type
    uint32_t good;             ///< position of the good; UINT32_MAX: sold
    kn_attribute_id attribute; ///< the first part of the price; null: it was free
    float amount;              ///< how much of that was paid
} kn_rts_trade_event;

/// Whether a connection may know of an entity, as a kn_server_relevant_fn: so that a server does
/// not send its clients what is in the private inventories of others.
///
///   kn_server_def def = kn_server_def_default();
///   def.is_relevant = kn_rts_item_relevance;
///
/// False for an item in an inventory that is not public, unless the player who controls its holder
/// has the connection; true for everything else. When an item is picked up, others can read who
/// took it until the server looks again (kn_server_def.relevance_every).
/// kn_rts_vision_relevance() includes it.
/// @param user ignored
KN_API bool kn_rts_item_relevance(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity);

// Commands ----------------------------------------------------------------------------
//
// What clients ask for. The unit is the entity of the command, and must be the holder of the item:
// others are refused with KN_REFUSED_NOT_FOUND. The ready order types do the same for units that
// have to walk first: `Knack.PickUp`, `Knack.DropItem`, `Knack.GiveItem`, `Knack.UseItem`,
// `Knack.BuyItem` and `Knack.SellItem`; a library has them if `ready_orders` comes before the kit.

/// What a command about items asks for.
typedef enum kn_rts_item_action {
    KN_RTS_ITEM_DO_PICK_UP, ///< pick up `item`
    KN_RTS_ITEM_DO_DROP,    ///< drop `item`, at `location` with `has_location`
    KN_RTS_ITEM_DO_HAND,    ///< hand `item` to `target`
    KN_RTS_ITEM_DO_MOVE,    ///< move `item` to the slot `number`
    KN_RTS_ITEM_DO_SPLIT,   ///< split `number` charges off `item`
    KN_RTS_ITEM_DO_USE,     ///< use `item`, at `target` or `location`
    KN_RTS_ITEM_DO_BUY,     ///< buy the good `number` of the shop `target`
    KN_RTS_ITEM_DO_SELL,    ///< sell `item` to the shop `target`
    KN_RTS_ITEM_DO_COUNT,   ///< number of the values above; not a value itself
} kn_rts_item_action;

/// Payload of the command `rts_item`.
typedef struct kn_rts_item_command {
    uint32_t action;       ///< a kn_rts_item_action
    uint32_t number;       ///< slot, charges or good
    kn_entity_id item;     ///< the item
    kn_entity_id target;   ///< who gets it, what it is aimed at, or the shop
    kn_vec3 location;      ///< where it is aimed at or dropped
    uint32_t has_location; ///< 1: `location` counts
} kn_rts_item_command;

#ifdef __cplusplus
}
#endif

#endif
