// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions for scripts about production: queues, rally points, sites and gathering.

#include "produce_parts.h"
#include "script_part.h"

static const kn_def_field self_args[] = {ARG_ENTITY};
static const kn_def_field product_args[] = {
    ARG_ENTITY, ARG_DEF("product", product, "product", "The product.")};
static const kn_def_field producer_args[] = {
    ARG_ENTITY, ARG_DEF("producer", producer, "producer", "The type of producer.")};
static const kn_def_field cancel_args[] = {
    ARG_ENTITY, ARG("index", index, KN_FIELD_I32,
                    "Its place in the queue, 0 is the one in work; default -1: the last one.")};

#define CALLS(name, expression)                                                                    \
    static kn_result name(void *user, const kn_function_call *call)                                \
    {                                                                                              \
        const script_args *a = call->arguments;                                                    \
        (void)user;                                                                                \
        return expression;                                                                         \
    }

// Queues ------------------------------------------------------------------------------

CALLS(producer_add, kn_producer_add(call->writable, a->entity, a->producer))
CALLS(producer_remove, kn_producer_remove(call->writable, a->entity))
CALLS(product_check, kn_product_check(call->world, a->entity, a->product, NULL))
CALLS(product_enqueue, kn_product_enqueue(call->writable, a->entity, a->product, NULL))
CALLS(product_cancel, kn_product_cancel(call->writable, a->entity, a->index))

static const char *const state_words[KN_PRODUCER_STATE_COUNT] = {
    "idle", "works", "pauses", "waits", "holds"};

static const kn_def_field producer_fields[] = {
    KN_DEF_F_KIND(kn_producer_info, type, "producer", "Its type."),
    KN_DEF_F_ENUM(kn_producer_info, state, state_words,
        "What it does: `idle`, `works`, `pauses` (a tag keeps it from working), `waits` (the "
        "first product cannot be created yet) or `holds` (something does not let it begin yet)."),
    KN_DEF_F(kn_producer_info, queue_count, KN_FIELD_U32, "Products in its queue."),
    KN_DEF_F(kn_producer_info, progress, KN_FIELD_F32, "Of the first product, 0 to 1."),
    KN_DEF_F(
        kn_producer_info, remaining, KN_FIELD_TIME, "Time that the first product still needs."),
};
static const kn_def_table producer_table =
    FIELD_TABLE("producer_info", kn_producer_info, producer_fields);

static kn_result producer_get(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_producer_get_info(call->world, a->entity, call->results) ? KN_OK
                                                                       : KN_REFUSED_NOT_FOUND;
}

static const kn_def_field item_fields[] = {
    KN_DEF_F_KIND(kn_product_item, product, "product", "The product."),
    KN_DEF_F(kn_product_item, payer, KN_FIELD_ENTITY, "Who paid for it; nil if that is gone."),
    KN_DEF_F(kn_product_item, progress, KN_FIELD_F32, "How much of it is done, 0 to 1."),
    KN_DEF_F(kn_product_item, done_at, KN_FIELD_TIME,
        "When it is done, if nothing pauses and nothing is cancelled."),
};
static const kn_def_table item_table = FIELD_TABLE("product_item", kn_product_item, item_fields);

static kn_result queue_list(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_product_item items[64];
    const uint32_t count = kn_producer_queue(call->world, a->entity, items, COUNT(items));
    (void)user;
    for (uint32_t i = 0; i < count && i < COUNT(items); i++) {
        kn_function_add(call, &items[i]);
    }
    return KN_OK;
}

// Rally points ------------------------------------------------------------------------

static const kn_def_field rally_args[] = {ARG_ENTITY,
    ARG("location", location, KN_FIELD_VEC3, "The point; default none."),
    ARG("target", target, KN_FIELD_ENTITY, "An entity instead of a point; default none.")};

static kn_rally_point rally_point_of(const kn_function_call *call)
{
    const script_args *a = call->arguments;
    return (kn_rally_point){a->target, a->location};
}

// Neither a point nor an entity: there is nothing to set.
static bool has_point(const kn_function_call *call)
{
    return (call->given >> 1 & 3) != 0;
}

static kn_result rally_set(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    const kn_rally_point point = rally_point_of(call);
    (void)user;
    return kn_rally_set(call->writable, a->entity, &point, has_point(call) ? 1 : 0);
}

static kn_result rally_add(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_rally_point points[KN_RALLY_POINTS_MAX + 1];
    (void)user;
    const uint32_t count = kn_rally_get(call->world, a->entity, points, KN_RALLY_POINTS_MAX);
    if (!has_point(call)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    points[count] = rally_point_of(call);
    return kn_rally_set(call->writable, a->entity, points, count + 1);
}

static const kn_def_field rally_fields[] = {
    KN_DEF_F(kn_rally_point, target, KN_FIELD_ENTITY, "An entity; nil for a point."),
    KN_DEF_F(kn_rally_point, location, KN_FIELD_VEC3, "The point."),
};
static const kn_def_table rally_table = FIELD_TABLE("rally_point", kn_rally_point, rally_fields);

static kn_result rally_list(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_rally_point points[KN_RALLY_POINTS_MAX];
    const uint32_t count = kn_rally_get(call->world, a->entity, points, COUNT(points));
    (void)user;
    for (uint32_t i = 0; i < count && i < COUNT(points); i++) {
        kn_function_add(call, &points[i]);
    }
    return KN_OK;
}

// Sites ---------------------------------------------------------------------------------

static const kn_def_field place_args[] = {ARG_ENTITY,
    ARG_DEF("product", product, "product", "What is to be built."),
    ARG("location", location, KN_FIELD_VEC3, "Where.")};
static const kn_def_field site_args[] = {
    ARG_ENTITY, ARG("site", target, KN_FIELD_ENTITY, "The site.")};
ONE_RESULT(site, kn_entity_id, KN_FIELD_ENTITY);
ONE_RESULT(builder, kn_entity_id, KN_FIELD_ENTITY);

CALLS(site_join, kn_site_join(call->writable, a->target, a->entity, 0))
CALLS(site_leave, kn_site_leave(call->writable, a->target, a->entity))
CALLS(site_cancel, kn_site_cancel(call->writable, a->entity))
CALLS(site_check, kn_site_check(call->world, a->entity, a->product,
                      (call->given >> 2 & 1) != 0 ? &a->location : NULL, NULL))
CALLS(site_begin,
    kn_site_begin(call->writable, a->entity, a->product, a->location, NULL, call->results))

static const kn_def_field site_fields[] = {
    KN_DEF_F_KIND(kn_site_info, product, "product", "What is built."),
    KN_DEF_F(kn_site_info, payer, KN_FIELD_ENTITY, "Who paid for it; nil if that is gone."),
    KN_DEF_F(kn_site_info, builder_count, KN_FIELD_U32, "How many work at it."),
    KN_DEF_F(kn_site_info, progress, KN_FIELD_F32, "How much of it is done, 0 to 1."),
    KN_DEF_F(kn_site_info, done_at, KN_FIELD_TIME, "When it is done with these builders."),
};
static const kn_def_table site_table = FIELD_TABLE("site_info", kn_site_info, site_fields);

static kn_result site_get(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_site_get_info(call->world, a->entity, call->results) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static const kn_def_field ordered_fields[] = {
    {"product", KN_DEF_FIELD_REF, 0, 0, 1, 0, NULL, NULL, "product", "The product."}};
static const kn_def_table ordered_table =
    FIELD_TABLE("ordered_site_result", kn_product_id, ordered_fields);

static kn_result site_ordered(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    *(kn_product_id *)call->results = kn_site_ordered(call->world, a->entity);
    return KN_OK;
}

static kn_result builders_list(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    kn_entity_id builders[64];
    const uint32_t count = kn_site_builders(call->world, a->entity, builders, COUNT(builders));
    (void)user;
    for (uint32_t i = 0; i < count && i < COUNT(builders); i++) {
        kn_function_add(call, &builders[i]);
    }
    return KN_OK;
}

// Gathering -------------------------------------------------------------------------------

static const kn_def_field node_args[] = {
    ARG_ENTITY, ARG("node", target, KN_FIELD_ENTITY, "The node.")};
static const kn_def_field drop_args[] = {
    ARG_ENTITY, ARG("drop", target, KN_FIELD_ENTITY, "Where, for the event; default nowhere.")};
ONE_RESULT(delivered, float, KN_FIELD_F32);
ONE_RESULT(left, float, KN_FIELD_F32);

CALLS(gather_start, kn_gather_start(call->writable, a->entity, a->target, 0))
CALLS(gather_stop, kn_gather_stop(call->writable, a->entity))
CALLS(gather_deliver, kn_gather_deliver(call->writable, a->entity, a->target, call->results))

static kn_result gather_left(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    *(float *)call->results = kn_gather_left(call->world, a->entity, a->target);
    return KN_OK;
}

static const kn_def_field gatherer_fields[] = {
    KN_DEF_F_KIND(kn_gatherer_info, type, "gatherer", "Its type."),
    KN_DEF_F(kn_gatherer_info, node, KN_FIELD_ENTITY, "The node that it takes from."),
    KN_DEF_F(kn_gatherer_info, waits, KN_FIELD_ENTITY, "The node where it waits for its turn."),
    KN_DEF_F(kn_gatherer_info, carries, KN_FIELD_TAG, "The kind that it carries."),
    KN_DEF_F(kn_gatherer_info, amount, KN_FIELD_F32, "How much of it."),
};
static const kn_def_table gatherer_table =
    FIELD_TABLE("gatherer_info", kn_gatherer_info, gatherer_fields);

static kn_result gatherer_get(void *user, const kn_function_call *call)
{
    const script_args *a = call->arguments;
    (void)user;
    return kn_gatherer_get_info(call->world, a->entity, call->results) ? KN_OK
                                                                       : KN_REFUSED_NOT_FOUND;
}

// All of them -----------------------------------------------------------------------------

kn_result knc_produce_script_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static const script_function functions[] = {
        {"entity:add_producer", producer_add, ARGS(producer_args), 2, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Lets an entity make products."},
        {"entity:remove_producer", producer_remove, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Takes that away, and refunds what is queued."},
        {"entity:check_product", product_check, ARGS(product_args), 2, NULL, KN_FUNCTION_VALUES,
            REFUSES, "Whether a product could be queued now; otherwise nil and why not."},
        {"entity:enqueue_product", product_enqueue, ARGS(product_args), 2, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Pays for a product and puts it at the end of the queue."},
        {"entity:cancel_product", product_cancel, ARGS(cancel_args), 1, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Cancels a product of the queue and refunds its share."},
        {"entity:producer_info", producer_get, ARGS(self_args), 1, &producer_table,
            KN_FUNCTION_TABLE, REFUSES, "A producer as it is now."},
        {"entity:product_queue", queue_list, ARGS(self_args), 1, &item_table, KN_FUNCTION_LIST, 0,
            "The queue of a producer, the product in work first."},
        {"entity:set_rally", rally_set, ARGS(rally_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Sets where new units go; without a point they stay where they are."},
        {"entity:add_rally", rally_add, ARGS(rally_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Adds a point where new units go behind those that there are."},
        {"entity:rally_points", rally_list, ARGS(self_args), 1, &rally_table, KN_FUNCTION_LIST, 0,
            "The points where new units go, one after the other."},
        {"entity:check_site", site_check, ARGS(place_args), 2, NULL, KN_FUNCTION_VALUES, REFUSES,
            "Whether a builder could begin a site now; otherwise nil and why not."},
        {"entity:begin_site", site_begin, ARGS(place_args), 3, &site_result, KN_FUNCTION_VALUES,
            CHANGES, "Pays for a site and puts it up; the site."},
        {"entity:join_site", site_join, ARGS(site_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Lets an entity work at a site."},
        {"entity:leave_site", site_leave, ARGS(site_args), 2, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Ends the work of an entity at a site."},
        {"entity:cancel_site", site_cancel, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES, CHANGES,
            "Cancels a site: refunds its share, and destroys it."},
        {"entity:site_info", site_get, ARGS(self_args), 1, &site_table, KN_FUNCTION_TABLE, REFUSES,
            "A site as it is now."},
        {"entity:ordered_site", site_ordered, ARGS(self_args), 1, &ordered_table,
            KN_FUNCTION_VALUES, 0, "What a unit is ordered to build; nil for nothing."},
        {"entity:site_builders", builders_list, ARGS(self_args), 1, &builder_result,
            KN_FUNCTION_VALUE_LIST, 0, "Those who work at a site, in the order they came."},
        {"entity:start_gathering", gather_start, ARGS(node_args), 2, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Lets a gatherer take from a node that it stands at, or wait for its turn."},
        {"entity:stop_gathering", gather_stop, ARGS(self_args), 1, NULL, KN_FUNCTION_VALUES,
            CHANGES, "Ends the work at a node; what the gatherer carries stays."},
        {"entity:deliver_load", gather_deliver, ARGS(drop_args), 1, &delivered_result,
            KN_FUNCTION_VALUES, CHANGES, "Delivers what a gatherer carries; how much."},
        {"entity:gatherer_info", gatherer_get, ARGS(self_args), 1, &gatherer_table,
            KN_FUNCTION_TABLE, REFUSES, "A gatherer as it is now."},
        {"entity:left_in_node", gather_left, ARGS(node_args), 2, &left_result, KN_FUNCTION_VALUES,
            0, "How much is left in a node for a gatherer."},
    };
    (void)kit;
    return knc_order_functions_register(library, functions, COUNT(functions), error);
}
