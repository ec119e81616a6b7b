// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about production share. State is plain data without padding; ids of the state
// are checked whenever it is read from a save.
#ifndef KNACK_ORDER_PRODUCE_PARTS_H
#define KNACK_ORDER_PRODUCE_PARTS_H

#include "knack/order_produce.h"
#include "knack/tree.h"
#include "parts.h"

// The longest time to make something: thousandths of microseconds of it can be counted.
#define PRODUCT_TIME_MAX KN_S(1000000000)

// A time of the state, which a save may have made too long.
static inline kn_time knc_product_time(kn_time time)
{
    return time < 0 ? 0 : time < PRODUCT_TIME_MAX ? time : PRODUCT_TIME_MAX;
}

// State -----------------------------------------------------------------------

// What somebody paid: entries without an attribute are unused.
typedef struct product_bill {
    kn_entity_id payer;
    kn_attribute_id attributes[KN_PRODUCT_COSTS_MAX];
    float amounts[KN_PRODUCT_COSTS_MAX];
} product_bill;

// A producer. The items are its queue.
typedef struct producer {
    kn_producer_id type;
    uint32_t state;    // kn_producer_state, or STATE_FINISHES
    kn_time until;     // works: when the first product is done; pauses: the time that it needs
    kn_timer_id timer; // works, waits
    kn_time ends_at;   // when the last product was done
    uint32_t ends;     // how many were done at that time
    uint32_t unused;
} producer;

#define STATE_FINISHES KN_PRODUCER_STATE_COUNT // the first one was taken out, and is being created

typedef struct product_item {
    kn_time time; // to make it
    kn_product_id product;
    product_bill bill;
    uint32_t unused;
} product_item;

// A rally. The items are its points.
typedef struct rally {
    uint32_t unused;
} rally;

// A site. The items are those who work at it.
typedef struct site {
    kn_time time;      // to build it at the speed of one builder
    kn_time done;      // how much of that is done, in thousandths, at the time below
    kn_time since;     // when the speed changed last
    kn_timer_id timer; // for its end
    kn_product_id product;
    uint32_t rate;  // speed in thousandths of that of one builder
    uint32_t waits; // 1: it is done, but could not be finished
    uint32_t unused;
    product_bill bill;
} site;

typedef struct site_builder {
    kn_entity_id builder;
    uint32_t ticket; // of a task of its tree; 0: none
} site_builder;

// A worker who gathers.
typedef struct gatherer {
    kn_gatherer_id type;
    uint32_t ticket;    // of a task of its tree; 0: none
    kn_entity_id node;  // where it takes from
    kn_entity_id waits; // where it waits for its turn
    kn_time since;      // when it began to wait
    kn_time next;       // when it takes something
    kn_timer_id timer;
    kn_tag carries; // tag of the kind; null: nothing
    float amount;
} gatherer;

// The part of a library -------------------------------------------------------

typedef enum produce_tag {
    TAG_CONSTRUCTING,
    TAG_PRODUCED, // an event
    TAG_COST,
    TAG_LIMIT,
    TAG_NO_ROOM,
    TAG_EXHAUSTED,
    TAG_NO_DROP,
    TAG_NO_LOAD,
    TAG_RESOURCE,
    TAG_DROP,
    TAG_CARRYING,
    TAG_FULL,
    PRODUCE_TAG_COUNT,
} produce_tag;

typedef struct produce_kit {
    order_kit *orders;
    kn_def_kind product_kind, producer_kind, gatherer_kind;
    kn_component_type_id producers, rallies, sites, gatherers, bodies;
    kn_timer_type_id timer, site_timer, gather_timer;
    kn_blackboard_id board;
    kn_tree_action_id reach; // sets the range for the way to where the work is
    kn_custom_event_id queued, started, finished, waits, cancelled, gathered, delivered;
    kn_tag tags[PRODUCE_TAG_COUNT];
    kn_tree_id build;       // of `Knack.Build`
    kn_order_type_id bring; // `Knack.Return`
    kn_order_type_id move;  // `Knack.Move`; null if there is none
    kn_tag *heard;          // tags that may pause a producer; a rule for each
    uint32_t heard_count, heard_capacity;
    kn_product_gate gates[KN_PRODUCT_GATES_MAX];
    uint32_t gate_count;
} produce_kit;

// produce.c
produce_kit *knc_produce_kit_of(const kn_library *library);
const produce_kit *knc_produce_kit_of_world(const kn_world *world);
// Registers a rule; one that is there already is not an error.
kn_result knc_produce_rule(kn_library *library, const char *name, kn_trigger trigger, kn_tag tag,
    int32_t priority, kn_rule_fn *function, void *user, kn_error *error);

// produce_def.c
kn_result knc_produce_kinds_register(kn_library *library, produce_kit *kit, kn_error *error);
// NULL for an unknown one.
const kn_product_def *knc_product_of(const kn_world *world, kn_product_id product);

// produce_gate.c
// Asks all gates; every reason is added to the answer, and the first refusal is returned.
kn_result knc_product_gates_check(
    const kn_world *world, const kn_product_case *one, kn_product_answer *answer);
bool knc_product_gates_may_begin(const kn_world *world, const kn_product_case *one);
void knc_product_gates_note(kn_world *world, const kn_product_case *one, kn_product_stage stage);

// produce_pay.c
// Whether somebody can pay; adds what is missing to the answer.
bool knc_product_can_pay(const kn_world *world, kn_entity_id payer, const kn_product_terms *terms,
    kn_product_answer *answer);
// Takes the price. On anything but KN_OK nothing was paid.
kn_result knc_product_pay(
    kn_world *world, kn_entity_id payer, const kn_product_terms *terms, product_bill *bill);
// Gives a share back; returns the share, 0 if the payer is gone.
float knc_product_refund(kn_world *world, const product_bill *bill, float share);
// Checks tags, price and the hook `can_make`; every reason is added to the answer.
kn_result knc_product_may_begin(
    const kn_world *world, kn_entity_id maker, kn_product_id product, kn_product_answer *answer);
// The fields of a bill that is inside another struct; there are three.
#define BILL_FIELDS 3
void knc_product_bill_fields(kn_field *fields, size_t offset);

// produce_create.c
// Where a new entity of a producer appears.
kn_vec3 knc_product_exit(
    const kn_world *world, kn_entity_id maker, const kn_product_def *def, bool *is_placed);
// Creates an entity of an archetype for the owner of `maker`, with a body if `is_placed`.
kn_result knc_product_create(kn_world *world, kn_entity_id maker, const kn_product_def *def,
    kn_archetype_id archetype, kn_vec3 location, bool is_placed, kn_entity_id *created);
// Asks a hook of a product that may refuse; adds its reasons.
bool knc_product_hook_agrees(const kn_world *world, const kn_hook *hook, kn_product_id product,
    kn_entity_id maker, kn_vec3 location, kn_order_errors *errors);
// Calls the hook `created`.
void knc_product_created(kn_world *world, kn_entity_id maker, kn_product_id product,
    kn_entity_id payer, kn_entity_id created, kn_vec3 location);
// What is due besides the entity when a product is done: its effect and events.
void knc_product_deliver(
    kn_world *world, kn_entity_id maker, kn_product_id product, kn_entity_id created);
// The radius of the body of an entity; 0 if the library knows no bodies.
float knc_product_radius(const kn_world *world, kn_entity_id entity);
// Where an entity is: by its body, or by the space of the world. False, and zero, if it is nowhere.
bool knc_product_position(const kn_world *world, kn_entity_id entity, kn_vec3 *position);

// produce_queue.c
kn_result knc_produce_queue_register(kn_library *library, produce_kit *kit, kn_error *error);
kn_result knc_produce_queue_expand(kn_library *library, produce_kit *kit, kn_error *error);
// Whether this machine may change an entity.
kn_result knc_produce_check(const kn_world *world, kn_entity_id entity);
// The product at a position of what a producer can make; null if there is none.
kn_product_id knc_producer_product_at(const kn_world *world, kn_entity_id entity, int32_t index);

// produce_rally.c
kn_result knc_produce_rally_register(kn_library *library, produce_kit *kit, kn_error *error);
// Where new units of a producer go first; false if nowhere.
bool knc_rally_first(const kn_world *world, kn_entity_id entity, kn_vec3 *location);

// site.c
kn_result knc_site_register(kn_library *library, produce_kit *kit, kn_error *error);
kn_result knc_site_expand(kn_library *library, produce_kit *kit, kn_tag alive, kn_error *error);
const site *knc_site_read(const kn_world *world, kn_entity_id entity);
// Counts what was done so far, and goes on at the speed of those who work there now.
void knc_site_go_on(kn_world *world, kn_entity_id entity);
// Leaves every site where somebody works for this task; 0: for any.
void knc_site_leave_all(kn_world *world, kn_entity_id builder, uint32_t ticket);

// site_place.c
// A site of this product and owner that stands at a place; null if there is none.
kn_entity_id knc_site_at(
    const kn_world *world, kn_entity_id builder, kn_product_id product, kn_vec3 location);

// produce_work.c: what the trees of workers have in common.
kn_result knc_produce_work_register(kn_library *library, produce_kit *kit, kn_error *error);
kn_result knc_work_action(kn_library *library, const char *name, kn_hook_fn *run,
    kn_hook_fn *aborted, kn_tree_action_id *action, kn_error *error);
kn_result knc_work_tree(kn_library *library, const produce_kit *kit, const char *name,
    const kn_tree_node *root, kn_tree_id *tree, kn_error *error);
kn_tree_node knc_work_task(kn_tree_action_id action, const char *target);

// site_orders.c
kn_result knc_site_orders_register(kn_library *library, produce_kit *kit, kn_error *error);

// gather_def.c
kn_result knc_gather_kinds_register(kn_library *library, produce_kit *kit, kn_error *error);

// gather.c
kn_result knc_gather_register(kn_library *library, produce_kit *kit, kn_error *error);
kn_result knc_gather_expand(kn_library *library, produce_kit *kit, kn_error *error);
const gatherer *knc_gatherer_read(const kn_world *world, kn_entity_id entity);
const kn_gatherer_def *knc_gatherer_type(const kn_world *world, kn_entity_id entity);
// The kind that a gatherer takes from a node; NULL if there is none.
const kn_gather_kind *knc_gather_kind_of(
    const kn_world *world, kn_entity_id entity, kn_entity_id node);
const kn_gather_kind *knc_gather_kind_find(const kn_gatherer_def *type, kn_tag tag);

// gather_find.c
bool knc_gather_has_room(const kn_world *world, kn_entity_id entity, kn_entity_id node);
bool knc_gather_is_drop(const kn_world *world, kn_entity_id entity, kn_entity_id drop);

// gather_orders.c
kn_result knc_gather_orders_register(kn_library *library, produce_kit *kit, kn_error *error);

// produce_orders.c
// Hands the first reasons of a refusal to an order.
void knc_product_errors(const kn_order_errors *errors, kn_order_call *call);
kn_result knc_produce_orders_register(kn_library *library, produce_kit *kit, kn_error *error);

// script_produce.c: functions for scripts.
kn_result knc_produce_script_register(kn_library *library, produce_kit *kit, kn_error *error);

#endif
