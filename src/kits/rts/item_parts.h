// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about items and shops share. An item knows its holder and slot, and the slots of
// the holder know the item; only rts_item_hold.c writes either. All changes run one after the other
// through knc_rts_item_do(): what hooks ask for meanwhile waits until the change is complete.
#ifndef KNACK_RTS_ITEM_PARTS_H
#define KNACK_RTS_ITEM_PARTS_H

#include "knack/rts_item.h"
#include "parts.h"

// State -----------------------------------------------------------------------

typedef enum item_flag {
    ITEM_WAITS = 1 << 0,  // its effect was refused
    ITEM_PLACED = 1 << 1, // it lies at `at`
} item_flag;

typedef struct item_state {
    kn_time ready_at; // end of the running cycle of its own cooldown
    kn_time cycle;    // length of one
    kn_entity_id holder;
    kn_effect_id effect;
    kn_ability_id ability;
    kn_vec3 at;
    kn_rts_item_type_id type;
    uint32_t slot; // UINT32_MAX: none
    uint32_t charges;
    uint32_t stacks;  // of the effect that it has added; 0: all of it
    uint32_t missing; // charges of its own cooldown
    uint32_t flags;   // item_flag
    uint32_t unused;
} item_state;

typedef struct inventory_state {
    kn_rts_inventory_type_id type;
} inventory_state;

typedef struct slot_item {
    kn_entity_id item; // null: empty
} slot_item;

// Items are kn_rts_item_ability.
typedef struct ability_list {
    uint32_t unused;
} ability_list;

typedef struct shop_state {
    kn_rts_shop_type_id type;
} shop_state;

typedef struct shop_item {
    kn_time restock_at; // KN_TIME_INFINITE: never
    uint32_t stock;
    uint32_t unused;
} shop_item;

typedef enum item_call_kind {
    ITEM_CALL_CREATE,
    ITEM_CALL_GIVE_NEW,
    ITEM_CALL_GIVE,
    ITEM_CALL_PICK_UP,
    ITEM_CALL_DROP,
    ITEM_CALL_HAND,
    ITEM_CALL_MOVE,
    ITEM_CALL_SPLIT,
    ITEM_CALL_CHARGES,
    ITEM_CALL_SPEND,   // a charge, because the ability was committed
    ITEM_CALL_BEGIN,   // an inventory
    ITEM_CALL_END,     // an inventory
    ITEM_CALL_DIE,     // the holder
    ITEM_CALL_OWNER,   // of the holder has changed
    ITEM_CALL_DESTROY, // the holder or the item is being destroyed
    ITEM_CALL_BUY,
    ITEM_CALL_SELL,
} item_call_kind;

// A change of items. Those of hooks wait as items of a component of the world.
typedef struct item_call {
    uint32_t kind; // item_call_kind
    int32_t number;
    kn_entity_id unit, item, other;
    kn_vec3 at;
    uint32_t has_at;
} item_call;

typedef struct item_turn {
    uint32_t busy;
} item_turn;

// What a client has seen of the items of a unit.
typedef struct items_seen {
    uint32_t unused;
} items_seen;

typedef struct seen_item {
    kn_entity_id item;
    kn_rts_item_type_id type;
    uint32_t slot;
    uint32_t charges;
    uint32_t unused;
} seen_item;

// The part of a library -------------------------------------------------------

// What items have of a type of ability.
typedef enum item_use {
    ITEM_USE_NONE,
    ITEM_USE_FREE,    // some have it, none of them with charges
    ITEM_USE_CHARGES, // some have it with charges: there is a check
} item_use;

typedef struct item_kit {
    rts_kit *rts;
    kn_def_kind item_kind, inventory_kind, shop_kind;
    // Inventories that their player alone sees, and public ones.
    kn_component_type_id items, inventories[2], turns, lists, shops, seen, bodies;
    kn_custom_event_id gained, lost, used, bought, sold;
    kn_timer_type_id restock;
    kn_fail no_charges;
    kn_command_type_id command;
    uint8_t *abilities; // by number of the ability type - 1: an item_use
    uint32_t ability_count;
    uint8_t *effects; // by number of the effect type - 1: 1 if it is an item's or grants abilities
    uint32_t effect_count;
} item_kit;

// rts_item.c
item_kit *knc_rts_items_of(const kn_library *library);
const item_kit *knc_rts_items_of_world(const kn_world *world);
const item_state *knc_rts_item_read(const kn_world *world, kn_entity_id item);
const kn_rts_item_def *knc_rts_item_def(const kn_world *world, kn_rts_item_type_id type);
// The inventory of an entity, and which of the two types it is of; NULL for none.
const inventory_state *knc_rts_inventory_read(
    const kn_world *world, kn_entity_id entity, kn_component_type_id *type);
const kn_rts_inventory_def *knc_rts_inventory_def(const kn_world *world, kn_entity_id entity);
const kn_rts_slot_def *knc_rts_slot_def(const kn_rts_inventory_def *def, uint32_t slot);
uint32_t knc_rts_slots_of(const kn_rts_inventory_def *def);
// The owner of a unit, or the unit itself without one.
kn_entity_id knc_rts_item_payer(const kn_world *world, kn_entity_id unit);
// Whether two entities are within a distance, their bodies apart; true if one has no place.
bool knc_rts_item_reaches(
    const kn_world *world, kn_entity_id from, kn_entity_id to, const kn_vec3 *at, float range);
// Writes an answer for a caller; true without reasons.
bool knc_rts_item_answer(const kn_rts_item_answer *answer, kn_rts_item_answer *out);

// rts_item_def.c
kn_result knc_rts_item_kinds_register(kn_library *library, item_kit *kit, kn_error *error);
extern const kn_def_table knc_rts_price_table;
const char *knc_rts_price_fault(const kn_product_cost *price, uint32_t count);

// rts_item_check.c: what can be done.
// Whether a unit could get charges of a type of item. `item` may be null: one that is created.
uint32_t knc_rts_item_carry_bits(const kn_world *world, kn_entity_id unit, kn_entity_id item,
    kn_rts_item_type_id type, uint32_t charges, int32_t slot);
bool knc_rts_item_slot_fits(
    const kn_world *world, const kn_rts_inventory_def *def, uint32_t slot, kn_entity_id item);
// Room for charges in an item of the same type.
uint32_t knc_rts_item_stack_room(
    const kn_world *world, kn_entity_id item, kn_rts_item_type_id type);

// Uses an item; with a connection, because its client asked for it.
kn_result knc_rts_item_use(kn_world *world, kn_entity_id item, kn_entity_id target,
    const kn_vec3 *location, uint32_t connection, kn_activation_id *activation);

// rts_item_hold.c: who has an item, and what it gives.
kn_result knc_rts_item_make(
    kn_world *world, kn_rts_item_type_id type, uint32_t charges, kn_entity_id *item);
void knc_rts_item_place(kn_world *world, kn_entity_id item, const kn_vec3 *at);
// Puts an item into a free slot of a unit.
void knc_rts_item_put(kn_world *world, kn_entity_id unit, kn_entity_id item, uint32_t slot,
    kn_entity_id from, kn_rts_item_reason reason);
// Gives an item the own cooldown of another one of its type, if that is longer.
void knc_rts_item_cooldown_share(kn_world *world, kn_entity_id from, kn_entity_id to);
// Takes an item out of its slot; it is nowhere then.
void knc_rts_item_take(
    kn_world *world, kn_entity_id item, kn_entity_id to, kn_rts_item_reason reason);
void knc_rts_item_end(kn_world *world, kn_entity_id item, kn_rts_item_reason reason);
// Changes slots without a change of hands. Either may be empty.
void knc_rts_item_swap(kn_world *world, kn_entity_id unit, uint32_t a, uint32_t b);
// Tries effects again that were refused.
void knc_rts_items_settle(kn_world *world, kn_entity_id unit);
void knc_rts_item_notify(kn_world *world, kn_entity_id holder, const kn_rts_item_event *event,
    kn_custom_event_id id, const kn_hook *hook);
item_state *knc_rts_item_get(kn_world *world, kn_entity_id item);

// rts_item_call.c: calls, one after the other.
kn_result knc_rts_item_do(kn_world *world, const item_call *call, kn_entity_id *out);
// Creates an item for a unit; none if it turns out that the unit cannot carry it.
kn_result knc_rts_item_make_for(
    kn_world *world, kn_entity_id unit, kn_rts_item_type_id type, kn_entity_id *item);
// Gives an item to a unit that can carry it; `item` becomes the one that has its charges. It comes
// from its holder, or from a shop, which may be null.
void knc_rts_item_give(kn_world *world, kn_entity_id unit, kn_entity_id *item, int32_t slot,
    kn_entity_id shop, kn_rts_item_reason reason);
kn_result knc_rts_item_rules_expand(kn_library *library, item_kit *kit, kn_error *error);
kn_result knc_rts_item_calls_register(kn_library *library, item_kit *kit, kn_error *error);
// The hook of both types of inventories.
void knc_rts_inventory_removed(void *user, const kn_component_call *call);

// rts_item_ability.c: the list of abilities from items.
kn_result knc_rts_item_lists_register(kn_library *library, item_kit *kit, kn_error *error);
kn_result knc_rts_item_lists_expand(kn_library *library, item_kit *kit, kn_error *error);
void knc_rts_item_list_effect(kn_world *world, kn_entity_id unit, kn_effect_type_id type,
    kn_effect_id effect, kn_entity_id item);
void knc_rts_item_list_ability(
    kn_world *world, kn_entity_id unit, kn_ability_type_id ability, kn_entity_id item);
void knc_rts_item_unlist(kn_world *world, kn_entity_id unit, kn_entity_id item);
// Applies an effect and says how many stacks it added; 0: it does not stack.
kn_result knc_rts_item_effect_apply(kn_world *world, kn_entity_id unit, kn_effect_type_id type,
    kn_entity_id item, float level, kn_effect_id *effect, uint32_t *stacks);

// rts_shop.c
kn_result knc_rts_shops_register(kn_library *library, item_kit *kit, kn_error *error);
kn_result knc_rts_shop_run(kn_world *world, const item_call *call, kn_entity_id *out);

// rts_item_order.c
kn_result knc_rts_item_orders_register(kn_library *library, item_kit *kit, kn_error *error);

// rts_item_client.c: commands, and what a client publishes of what it sees.
kn_result knc_rts_item_client_register(kn_library *library, item_kit *kit, kn_error *error);

// rts_item_script.c
kn_result knc_rts_item_functions_register(kn_library *library, item_kit *kit, kn_error *error);

#endif
