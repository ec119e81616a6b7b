// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the order kit share. State is plain data without padding; ids of the state
// are checked whenever it is read from a save.
#ifndef KNACK_ORDER_PARTS_H
#define KNACK_ORDER_PARTS_H

#include "knack/order.h"
#include "knack/order_command.h"
#include "knack/tools.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

// State -----------------------------------------------------------------------

// What clients see of a unit. The items are its queue; those before `first` are done.
typedef struct unit_orders {
    kn_order current;
    kn_vec3 home;
    kn_unit_type_id unit;
    uint32_t first;
    uint32_t has_home; // 0: the unit was nowhere when it began to obey
} unit_orders;

typedef struct queue_item {
    kn_order order;
    kn_vec3 home;
    uint32_t has_home; // it was interrupted, and had this home
} queue_item;

// Work that a unit remembers: the items, which are those of a queue.
typedef struct unit_work {
    uint32_t unused;
} unit_work;

// What the authority keeps besides. The items are calls that wait until hooks are done.
typedef struct unit_mind {
    kn_order last;
    uint32_t ticket;     // of the current order; tickets only rise
    uint32_t busy;       // a hook runs: calls wait; see knc_order_busy_now()
    uint32_t is_running; // the current order was begun and has not ended
} unit_mind;

typedef enum call_kind {
    CALL_ISSUE,
    CALL_ENQUEUE,
    CALL_INSERT_AFTER,
    CALL_INSERT_BEFORE,
    CALL_CLEAR,
    CALL_STOP,
    CALL_END,
    CALL_RECHECK, // whether its requirements still hold
    CALL_LOSE,    // its target is gone
    CALL_REMOVE,
    CALL_RESUME,   // the work that it remembers
    CALL_RETARGET, // orders at `from` to the target of `order`
    CALL_COUNT,
} call_kind;

typedef struct call_item {
    kn_order order;
    uint32_t kind;   // call_kind
    uint32_t ticket; // of the order that CALL_END, CALL_RECHECK and CALL_LOSE are about
    uint32_t result; // CALL_END: a kn_order_result
    uint32_t unused;
    kn_entity_id from;
} call_item;

// Of kn_order_ask.
#define KNC_ORDER_ASK_WORDS "issue enqueue insert_after insert_before stop clear_queue resume_work"

// The kit of a library --------------------------------------------------------

typedef enum kit_tag {
    TAG_ALIVE,
    TAG_FRIENDLY,
    TAG_HOSTILE,
    TAG_NEUTRAL,
    TAG_SELF,
    TAG_VISIBLE,
    TAG_NO_TARGET,
    TAG_NO_ABILITY,
    TAG_ATTACK_ABILITY,
    TAG_COUNT,
} kit_tag;

// An order type as it is used: once the library is finished.
typedef struct type_plan {
    const kn_order_type_def *def;
    // For each tag of `target_required`, then of `target_blocked`: relations that have it, flags of
    // kn_order_relation.
    const uint8_t *relations;
} type_plan;

typedef struct order_kit {
    kn_def_kind type_kind, rules_kind, unit_kind;
    struct {
        kn_order_gate_fn *function;
        void *user;
    } gates[KN_ORDER_GATES_MAX];
    uint32_t gate_count;
    kn_component_type_id orders, minds, works, autos, kept_tags;
    kn_component_type_id seen, pending; // of clients
    kn_command_type_id order_command, group_command, auto_command;
    kn_timer_type_id auto_timer;
    kn_custom_event_id changed, enqueued, refused, queue, ended, retargeted;
    const kn_order_rules_def *rules; // once finished, those of the library or the defaults
    kn_order_rules_def default_rules;
    kn_tag own_tags[TAG_COUNT]; // as the kit registers them
    kn_tag tags[TAG_COUNT];     // as the rules say
    kn_tag *heard;              // tags whose changes may end an order; a rule for each
    kn_tag *waking;             // tags that wake automatic orders; rules for each
    uint32_t heard_count, heard_capacity, waking_count, waking_capacity;
    bool has_found_tags;    // some order type has the hook `find_tags`
    kn_order_look_fn *look; // how abilities look; NULL: nothing knows it
    void *look_user;
    kn_order_load_fn *load; // order types that are asked for by name; NULL: nothing does
    void *load_user;
    char **tried; // names that were to be loaded
    uint32_t tried_count, tried_capacity;
    type_plan *types; // once finished, by index
    const kn_unit_type_def **units;
    uint8_t *relations;             // of all order types
    kn_order_relation_fn *relation; // of a kit that knows teams; NULL: owners decide
    void *relation_user;
    uint32_t type_count, unit_count, relation_count;
} order_kit;

// What `busy` of a unit or a tree holds while a call about it is carried out. No call lasts longer
// than an instant, so that a damaged save, which has it from another one, holds nothing up.
static inline uint32_t knc_order_busy_now(const kn_world *world)
{
    return (uint32_t)kn_world_now(world) | 1u;
}

// order.c
order_kit *knc_order_kit_of(const kn_library *library);
const order_kit *knc_order_kit_of_world(const kn_world *world);

// order_def.c
extern const kn_field knc_order_fields[5];
kn_result knc_order_kinds_register(kn_library *library, order_kit *kit, kn_error *error);
// NULL for an unknown type.
const kn_order_type_def *knc_order_type_of(const kn_world *world, kn_order_type_id type);
const type_plan *knc_order_plan_of(const order_kit *kit, kn_order_type_id type);
const kn_unit_type_def *knc_order_unit_of(const order_kit *kit, kn_unit_type_id type);
void knc_order_plans_release(order_kit *kit);

// order_data.c
void knc_order_errors_add_missing(kn_order_errors *errors, kn_tag tag);
void knc_order_errors_add_blocking(kn_order_errors *errors, kn_tag tag);
bool knc_order_is_finite(const kn_order *order);

// check.c
// Flags of kn_order_relation by the tags of the rules that match a tag.
uint32_t knc_order_relations_with(const kn_library *library, const order_kit *kit, kn_tag tag);
// As the public functions, for a known type.
bool knc_order_can_obey(const kn_world *world, const order_kit *kit, const type_plan *plan,
    kn_order_type_id type, kn_entity_id unit, int32_t index, kn_order_errors *errors);
kn_entity_id knc_order_search(const kn_world *world, const order_kit *kit, const type_plan *plan,
    const kn_order *order, kn_entity_id unit, float radius, float chase, kn_vec3 home,
    float *score);
kn_order_target_kind knc_order_target_kind(const kn_world *world, const kn_order_type_def *def,
    kn_order_type_id type, kn_entity_id unit, int32_t index);
kn_vec3 knc_order_position(const kn_world *world, kn_entity_id entity);
float knc_order_distance(kn_vec3 a, kn_vec3 b);
// Whether an entity may be aimed at: one that is about to be destroyed may not.
bool knc_order_may_aim(const kn_world *world, kn_entity_id entity);
// What an order is aimed at; an entity without a point of the order is where it is.
kn_order_target knc_order_target_of(
    const kn_world *world, kn_entity_id unit, const kn_order *order);
// Whether the tags that an order needs still hold; `is_gone`: its target does not exist any more.
bool knc_order_still_holds(
    const kn_world *world, kn_entity_id unit, const kn_order *order, bool is_gone);
// Whether the unit's side of the tags that an order needs still holds.
bool knc_order_unit_holds(const kn_world *world, kn_entity_id unit, const kn_order *order);
// The best other target for an order, as automatic orders find one; null for none.
kn_entity_id knc_order_find_other(const kn_world *world, kn_entity_id unit, const kn_order *order);

// ability_order.c
// Whether a unit could activate an ability; a target may be null. Otherwise errors get the reasons.
bool knc_order_ability_agrees(const kn_world *world, kn_entity_id unit, kn_ability_type_id type,
    kn_entity_id target, kn_order_errors *errors);
// Activates the first of some abilities that can be, at the target and the point of an order.
kn_result knc_order_activate(kn_world *world, kn_entity_id unit, const kn_ability_id *abilities,
    uint32_t count, const kn_order *at, kn_activation_id *activation);
kn_result knc_order_ability_use(
    kn_world *world, kn_entity_id unit, kn_ability_type_id type, const kn_order *order);
// Whether a command, or a variant of it, is an automatic order by itself.
bool knc_order_is_auto_command(
    const kn_world *world, kn_order_type_id type, kn_entity_id unit, int32_t index);

// variant.c
// The ability that an order uses; null for none, and where there is no such variant.
kn_ability_type_id knc_order_ability(const kn_world *world, const kn_order_type_def *def,
    kn_order_type_id type, kn_entity_id unit, int32_t index);
// The radius in which an automatic order looks for targets.
float knc_order_acquisition(const kn_world *world, const kn_order_type_def *def,
    const kn_unit_type_def *own, kn_entity_id unit, const kn_order *order);

// Asks all gates; every reason is added.
bool knc_order_gates_agree(const kn_world *world, const order_kit *kit, const kn_order *order,
    kn_entity_id unit, kn_order_errors *errors);
// Whether the tags of one party are what an order type needs; all errors are added.
bool knc_order_source_holds(const kn_world *world, const kn_order_type_def *def, kn_entity_id unit,
    kn_order_errors *errors);
bool knc_order_target_holds(const kn_world *world, const kn_order_tags *tags,
    const kn_order_target *target, kn_order_errors *errors);

// find_tags.c: requirements that a hook adds; false if there are none.
kn_result knc_order_tags_register(kn_library *library, order_kit *kit, kn_error *error);
bool knc_order_find_tags(const kn_world *world, kn_order_type_id type, kn_entity_id unit,
    int32_t index, bool is_success, kn_order_tags_call *call);
// The lists of the arguments, valid as long as these.
kn_order_tags knc_order_found_tags(const kn_order_tags_call *call);
// Those of the current order of a unit, from its beginning to its end.
void knc_order_tags_keep(kn_world *world, kn_entity_id unit, const kn_order *order);
void knc_order_tags_forget(kn_world *world, kn_entity_id unit);
bool knc_order_tags_kept(const kn_world *world, kn_entity_id unit, kn_order_tags_call *call);

// unit.c
kn_result knc_order_components_register(kn_library *library, order_kit *kit, kn_error *error);
// Cancels the current order if its requirements do not hold any more, or its target is gone.
void knc_order_recheck(kn_world *world, kn_entity_id unit, bool is_gone);
void knc_order_unit_die(kn_world *world, kn_entity_id unit);
// As kn_order_retarget(), for the orders of one unit.
void knc_order_unit_retarget(
    kn_world *world, kn_entity_id unit, kn_entity_id from, kn_entity_id to);

// Whether this machine may give orders to an entity, and it obeys any.
kn_result knc_order_unit_check(const kn_world *world, kn_entity_id unit);

// auto.c: what units do by themselves.
kn_result knc_order_autos_register(kn_library *library, order_kit *kit, kn_error *error);
void knc_order_autos_begin(kn_world *world, kn_entity_id unit);
void knc_order_autos_end(kn_world *world, kn_entity_id unit);
// Switches an automatic order where this machine knows it; results as kn_order_set_auto().
kn_result knc_order_auto_switch(
    kn_world *world, kn_entity_id unit, kn_order_type_id type, int32_t index, bool is_on);

// command.c: what players ask for.
kn_result knc_order_commands_register(kn_library *library, order_kit *kit, kn_error *error);

// client.c: what clients notice of orders.
kn_result knc_order_client_register(kn_library *library, order_kit *kit, kn_error *error);
void knc_order_pending_add(kn_world *world, kn_entity_id unit, const kn_order_pending *pending);
// Whether the AI plays a unit, and what an automatic order would order now; false for nothing.
bool knc_order_is_ai(const kn_world *world, kn_entity_id unit);
bool knc_order_auto_aim(
    const kn_world *world, kn_entity_id unit, const kn_order_auto *candidate, kn_order *order);
// The unit has another current order.
void knc_order_autos_follow(kn_world *world, kn_entity_id unit, kn_order_type_id current);
kn_result knc_order_wakes_expand(kn_library *library, order_kit *kit, kn_error *error);

// formation.c
// As kn_formation_assign(), with memory by `hooks`; NULL: the C library's.
kn_result knc_formation_assign(const kn_hooks *hooks, kn_formation_rule rule, const kn_vec3 *units,
    const int32_t *ranks, uint32_t count, kn_vec3 center, kn_vec3 *points);

// tree.c, tree_order.c: orders that a tree carries out.
kn_result knc_tree_part_register(kn_library *library, order_kit *kit, kn_error *error);
kn_result knc_tree_obey(kn_world *world, kn_entity_id unit, const kn_order_type_def *def,
    const kn_order *order, kn_vec3 home, uint32_t ticket);
// Writes what an order is aimed at now to the blackboard of the tree that carries it out.
void knc_tree_retarget(kn_world *world, kn_entity_id unit, const kn_order_type_def *def,
    const kn_order *order, kn_vec3 home, uint32_t ticket);
// Stops a tree that was started for an order.
void knc_tree_leave(kn_world *world, kn_entity_id unit);

// script_orders.c: functions for scripts.
kn_result knc_order_scripts_register(kn_library *library, order_kit *kit, kn_error *error);

// explain.c: the radius in which a unit looks for targets of an order; `radius` if that is not
// below 0.
float knc_order_radius(
    const kn_world *world, const kn_order *order, kn_entity_id unit, float radius);
// mover.c: movements.
kn_result knc_mover_part_register(kn_library *library, order_kit *kit, kn_error *error);

void knc_order_name(
    kn_text *out, const kn_world *world, kn_entity_id entity, kn_order_name_fn *name, void *user);

// watch.c: rules about tags and entities that concern orders.
kn_result knc_order_rules_register(kn_library *library, order_kit *kit, kn_error *error);
// Registers a rule of the kit, unless it is there already.
kn_result knc_order_rule(kn_library *library, const char *name, kn_trigger trigger, kn_tag tag,
    kn_rule_fn *function, void *user, kn_error *error);
kn_result knc_order_watch_expand(kn_library *library, order_kit *kit, kn_error *error);
kn_result knc_order_units_expand(kn_library *library, order_kit *kit, kn_error *error);

#endif
