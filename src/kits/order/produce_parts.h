// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources about production share. State is plain data without padding; ids of the state
// are checked whenever it is read from a save.
#ifndef KNACK_ORDER_PRODUCE_PARTS_H
#define KNACK_ORDER_PRODUCE_PARTS_H

#include "knack/order_produce.h"
#include "parts.h"

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

// The part of a library -------------------------------------------------------

typedef enum produce_tag {
    TAG_CONSTRUCTING,
    TAG_PRODUCED, // an event
    TAG_COST,
    TAG_LIMIT,
    TAG_NO_ROOM,
    PRODUCE_TAG_COUNT,
} produce_tag;

typedef struct produce_kit {
    order_kit *orders;
    kn_def_kind product_kind, producer_kind;
    kn_component_type_id producers, rallies, bodies;
    kn_timer_type_id timer;
    kn_custom_event_id queued, started, finished, waits, cancelled;
    kn_tag tags[PRODUCE_TAG_COUNT];
    kn_order_type_id move; // `Knack.Move`; null if there is none
    kn_tag *heard;         // tags that may pause a producer; a rule for each
    uint32_t heard_count, heard_capacity;
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

// produce_pay.c
// Whether somebody can pay; adds what is missing to the answer.
bool knc_product_can_pay(const kn_world *world, kn_entity_id payer, const kn_product_def *def,
    kn_product_answer *answer);
// Takes the price. On anything but KN_OK nothing was paid.
kn_result knc_product_pay(
    kn_world *world, kn_entity_id payer, const kn_product_def *def, product_bill *bill);
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
// What is due besides the entity: hook, effect and event.
void knc_product_deliver(kn_world *world, kn_entity_id maker, kn_product_id product,
    kn_entity_id payer, kn_entity_id created, kn_vec3 location);

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

// produce_orders.c
kn_result knc_produce_orders_register(kn_library *library, produce_kit *kit, kn_error *error);

#endif
