// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A small kit, written as somebody outside of the library would write it: on public headers alone.
// Its parts are casts that hits push back and others interrupt, a global cooldown, behaviours that
// tick in order, and a queue of orders. Everything it keeps is part of the world, so that it is
// saved, rolled back, hashed and dumped like the rest; everything it defines can be written in data
// files.
//
// A program registers the kit before its own definitions:
//
//   kn_data_def def = kn_data_def_default();
//   def.prepare = kit_prepare;
//   kn_result result = kn_data_create(&def, &data);
//   result = kit_add_natives(data);
#ifndef KIT_H
#define KIT_H

#include <knack/knack.h>

typedef struct kn_data kn_data;

// What the kit has registered in a library.
typedef struct kit kit;

// Registers everything the kit consists of. The library must not be finished.
KN_MUST_USE kn_result kit_register(kn_library *library, kn_error *error);
// The same, as kn_data_def.prepare.
kn_result kit_prepare(void *user, kn_library *library, kn_error *error);
// Offers the functions of the kit to data files: `native: cast` in an ability.
KN_MUST_USE kn_result kit_add_natives(kn_data *data);
// What the kit has registered; NULL for a library without the kit.
const kit *kit_of(const kn_library *library);

// Casts -----------------------------------------------------------------------
//
// A cast is an ability that takes time: its bar runs, then it pays and acts on the target of its
// event. An ability becomes a cast by the functions `cast` and a definition in the section `casts`.
// A hit moves the end of the bar. An interrupt ends it, and the caster cannot use the school of the
// spell for some time.

typedef struct cast_def {
    const char *name;
    kn_ability_type_id ability; // which ability is cast; required
    kn_magnitude length;        // seconds, by level of the ability; at least 0
    kn_attribute_id pushed_by;  // losing some of this is a hit; null: hits do not matter
    float pushback;             // seconds that a hit adds
    uint32_t pushbacks;         // most hits that count
    kn_effect_type_id effect;   // what the target of the event gets; null: nothing
    kn_tag school;              // what an interrupt is about
    // What the caster gets when it is interrupted; it reads the seconds under Kit.Lockout.
    kn_effect_type_id lockout;
    kn_tag spent_by_interrupt; // key of a cooldown that starts even so; null: none
    uint32_t cookie;
} cast_def;

cast_def cast_def_default(void);
// An ability def with the functions of a cast, for abilities that are registered in C.
kn_ability_def cast_ability_def(void);
// Registers a cast.
KN_MUST_USE kn_result cast_register(kn_library *library, const cast_def *def, kn_error *error);

// A bar, for user interfaces.
typedef struct cast_bar {
    kn_activation_id activation;
    kn_ability_type_id ability;
    kn_time length; // from its begin to its end, with all pushbacks
    kn_time remaining;
    uint32_t pushed; // hits that counted
} cast_bar;

// The bar of the oldest cast that an entity has running; false if there is none.
bool cast_bar_of(const kn_world *world, kn_entity_id entity, cast_bar *bar);
// Interrupts all casts of an entity, as an event `Kit.Interrupt` with this magnitude does. Returns
// how many there were.
uint32_t cast_interrupt(kn_world *world, kn_entity_id entity, kn_entity_id by, float seconds);

// How a cast ended, as its event says.
typedef enum cast_outcome {
    CAST_DONE,
    CAST_REFUSED, // it could not pay in the end
    CAST_INTERRUPTED,
    CAST_CANCELLED,
} cast_outcome;

// The global cooldown ------------------------------------------------------------
//
// One cooldown that abilities share under the key Kit.GlobalCooldown. It starts when one of them is
// activated, and refuses the others while it runs, but not the commit of the one that started it.

// A global cooldown, for abilities that are registered in C. In data files:
//
//   cooldowns: [{key: Kit.GlobalCooldown, duration: 1.5, starts: at_activation}]
kn_cooldown_def global_cooldown_def(const kn_library *library, float seconds);
// Time left of the global cooldown of an entity, and its whole length; false when none runs.
bool global_cooldown_of(const kn_world *world, kn_entity_id entity, kn_time *left, kn_time *total);

// Behaviours ---------------------------------------------------------------------
//
// What units do by themselves. A unit has a list of behaviours; ten times a second those act, one
// after the other. One that claims something makes those behind it wait that need the same. Others
// block behaviours by tag; each block belongs to a source, nobody else can lift it, and it ends
// with its source.

typedef struct behaviour_id {
    uint32_t index1;
} behaviour_id;

typedef struct behaviour_def {
    const char *name;
    int32_t order;              // the lower one acts first, then the one registered first
    uint32_t every;             // acts in every nth run
    kn_tag tag;                 // blocks of this tag, or of a parent, stop it; null: none do
    kn_tag claims;              // what it needs for itself; null: nothing
    kn_condition_id when;       // must hold; instigator and target are the unit; null: always
    kn_effect_type_id effect;   // what the unit applies to itself; null: nothing
    kn_ability_type_id ability; // what the unit activates; null: nothing
    void (*act)(kn_world *world, kn_entity_id entity); // what else it does; a rule; may be NULL
    uint32_t cookie;
} behaviour_def;

typedef enum behaviour_state {
    BEHAVIOUR_IDLE, // its condition does not hold
    BEHAVIOUR_ACTING,
    BEHAVIOUR_WAITING, // one before it has claimed what it needs
    BEHAVIOUR_BLOCKED,
} behaviour_state;

behaviour_def behaviour_def_default(void);
KN_MUST_USE kn_result behaviour_register(
    kn_library *library, const behaviour_def *def, behaviour_id *id, kn_error *error);
// The behaviour with this name; null when there is none.
behaviour_id behaviour_find(const kn_library *library, const char *name);

// Gives a unit a behaviour. KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_NOT_FOUND for an unknown
// behaviour; KN_REFUSED_DUPLICATE if the unit has it; KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result behaviour_add(kn_world *world, kn_entity_id entity, behaviour_id id);
// Takes a behaviour from a unit. False if the unit does not have it.
bool behaviour_remove(kn_world *world, kn_entity_id entity, behaviour_id id);
// What a behaviour of a unit did in the last run, and how often it has acted; either may be NULL.
// False if the unit does not have it.
bool behaviour_read(const kn_world *world, kn_entity_id entity, behaviour_id id,
    behaviour_state *state, uint32_t *acts);

// Blocks behaviours of a unit with this tag or one below it. `source` may be null: then the block
// stays until it is removed. KN_OK; KN_REFUSED_STALE_ID; KN_REFUSED_DUPLICATE if the source blocks
// the tag already; KN_ERROR_INVALID_ARGUMENT for a null tag; KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result behaviour_block_add(
    kn_world *world, kn_entity_id entity, kn_tag tag, kn_entity_id source);
// Lifts the block of one source; those of others stay. False if there is none.
bool behaviour_block_remove(kn_world *world, kn_entity_id entity, kn_tag tag, kn_entity_id source);
// True while something blocks the tag or a parent of it.
bool behaviour_is_blocked(const kn_world *world, kn_entity_id entity, kn_tag tag);
// How many blocks of all units belong to a source.
uint32_t behaviour_blocks_by(const kn_world *world, kn_entity_id source);

// Orders -------------------------------------------------------------------------
//
// What units are ordered to do. A unit follows one order at a time; the others wait in a queue.
// Players give orders by commands:
//
//   order         payload order_command: follow it now, behind the others, or next
//   clear_orders  payload clear_command: forget what waits, and stop what runs
//
// An order activates an ability on its target, and is done when the ability ends; without an
// ability it lasts until it is given up or replaced. It names itself as the cause of all it does.
// Abilities with the tag Kit.Ordered cannot be activated without an order: `without_order`.

typedef struct order_id {
    uint32_t index1;
} order_id;

// What an order needs to act on.
typedef enum order_aim {
    ORDER_AIM_NONE, // nothing
    ORDER_AIM_UNIT, // another unit
    ORDER_AIM_ANY,  // a unit, also the one that is ordered
} order_aim;

// Where an order goes.
typedef enum order_place {
    ORDER_NOW,  // instead of everything else
    ORDER_LAST, // behind what waits
    ORDER_NEXT, // before what waits
} order_place;

typedef struct order_def {
    const char *name;
    order_aim aim;              // what it needs to act on
    kn_ability_type_id ability; // what the unit activates on the target; null: nothing
    kn_effect_type_id effect;   // what the unit has meanwhile; null: nothing
    kn_tag tag;                 // tag that the unit has meanwhile; null: none
    kn_tag_requirement needs;   // tags that the unit must have, or must not have, at the start
    kn_condition_id when;       // must hold at the start, for the unit and the target; null: always
    kn_magnitude patience;      // seconds after which it is given up; 0 or less: never
    order_id next;              // the order that follows by itself, with the same target
    bool insists;               // only an order with `insists` may replace it
    uint32_t cookie;
} order_def;

order_def order_def_default(void);
KN_MUST_USE kn_result order_register(
    kn_library *library, const order_def *def, order_id *id, kn_error *error);
// The order with this name; null when there is none.
order_id order_find(const kn_library *library, const char *name);
// The order with this number; NULL when there is none. Valid as long as the library.
const order_def *order_get(const kn_library *library, order_id id);

// Payload of the command `order`.
typedef struct order_command {
    kn_entity_id target;
    order_id order;
    order_place place;
} order_command;

// Payload of the command `clear_orders`.
typedef struct clear_command {
    uint32_t keep_current; // 1: what runs goes on
} clear_command;

// Most orders that wait.
#define ORDERS_MAX 16

// Why an order was refused, as its event says.
typedef enum order_refusal {
    ORDER_REFUSED_NONE,
    ORDER_REFUSED_TARGET,    // it has no target, or the target is gone
    ORDER_REFUSED_NEEDS,     // tags of the unit
    ORDER_REFUSED_CONDITION, // its condition does not hold
    ORDER_REFUSED_ABILITY,   // its ability cannot be activated
    ORDER_REFUSED_INSISTS,   // the current order must not be replaced
    ORDER_REFUSED_FULL,      // too many wait
    ORDER_REFUSED_CHAIN,     // too many orders follow each other at one moment
} order_refusal;

// How an order ended, as its event says.
typedef enum order_outcome {
    ORDER_DONE,
    ORDER_FAILED, // its ability was cancelled
    ORDER_REPLACED,
    ORDER_CLEARED,
    ORDER_GIVEN_UP,
    ORDER_TARGET_GONE,
} order_outcome;

// Gives a unit an order, as the command does.
// KN_OK; KN_REFUSED_STALE_ID for a unit or target that is gone; KN_REFUSED_NOT_FOUND for an unknown
// order; KN_REFUSED_REQUIREMENT if the order needs a target or another one; KN_REFUSED_BLOCKED if
// the current order insists; KN_REFUSED_LIMIT if too many wait; KN_ERROR_INVALID_ARGUMENT for an
// unknown place; KN_ERROR_OUT_OF_MEMORY. An order that cannot begin is dropped, and its event says
// why.
KN_MUST_USE kn_result order_issue(
    kn_world *world, kn_entity_id unit, order_id order, kn_entity_id target, order_place place);
// Forgets all orders that wait and, unless `keep_current`, ends the one that runs.
void orders_clear(kn_world *world, kn_entity_id unit, bool keep_current);

// What a unit is ordered to do.
typedef struct orders_info {
    order_id current; // null if it is idle
    kn_entity_id target;
    kn_activation_id activation; // of the ability of the order; null: none
    kn_time since;               // when the current order began
    uint32_t waiting;            // orders in the queue
    uint32_t done, refused;      // counted since the first order
} orders_info;

// False if a unit has never had an order.
bool orders_read(const kn_world *world, kn_entity_id unit, orders_info *info);
// How many units follow an order with this target.
uint32_t orders_against(const kn_world *world, kn_entity_id target);

#endif
