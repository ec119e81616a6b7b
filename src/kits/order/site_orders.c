// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The order types about sites, with their trees and actions: `Knack.Build`, `Knack.Construct` and
// `Knack.CancelSite`.

#include "produce_parts.h"

// Actions -------------------------------------------------------------------------------

// Puts up the site that the order is about, and writes it to the key `Work`.
static kn_result place_run(void *user, const kn_hook_call *call)
{
    kn_blackboard_order order;
    kn_entity_id entity;
    (void)user;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    kn_result result = kn_site_begin(call->writable, call->entity,
        knc_producer_product_at(call->world, call->entity, order.index), order.location, NULL,
        &entity);
    return result != KN_OK ? result
                           : kn_blackboard_set_entity(call->writable, call->entity, "Work", entity);
}

// Works at a site until it is done.
static kn_result construct_run(void *user, const kn_hook_call *call)
{
    kn_tree_call *c = call->arguments;
    const site *own = knc_site_read(call->world, c->target);
    const kn_product_def *def = own != NULL ? knc_product_of(call->world, own->product) : NULL;
    (void)user;
    if (def == NULL) {
        // It was done before the builder came.
        return kn_entity_is_alive(call->world, c->target) ? KN_OK : KN_REFUSED_STALE_ID;
    }
    if (def->builds_itself && def->builder_speed == 0.0f) {
        return KN_OK;
    }
    c->result = KN_TREE_RUNNING;
    return kn_site_join(call->writable, c->target, call->entity, c->ticket);
}

static kn_result construct_aborted(void *user, const kn_hook_call *call)
{
    const kn_tree_call *c = call->arguments;
    (void)user;
    knc_site_leave_all(call->writable, call->entity, c->ticket);
    return KN_OK;
}

// Orders --------------------------------------------------------------------------------

static kn_product_id product_of(const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    return knc_producer_product_at(call->world, call->entity, c->order.index);
}

kn_product_id kn_site_ordered(const kn_world *world, kn_entity_id builder)
{
    const produce_kit *kit = world != NULL ? knc_produce_kit_of_world(world) : NULL;
    kn_unit_info info;
    if (kit == NULL || !kn_unit_get_info(world, builder, &info)) {
        return (kn_product_id){0};
    }
    const kn_order_type_def *def = knc_order_type_of(world, info.current.type);
    return def != NULL && def->tree.index1 == kit->build.index1
               ? knc_producer_product_at(world, builder, info.current.index)
               : (kn_product_id){0};
}

// The price is looked at together with the place, since a site that stands there is paid.
static kn_result build_can(void *user, const kn_hook_call *call)
{
    const kn_product_def *def = knc_product_of(call->world, product_of(call));
    (void)user;
    return def != NULL && def->site ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result build_target(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    kn_product_answer answer;
    (void)user;
    kn_result result =
        kn_site_check(call->world, call->entity, product_of(call), &c->target.location, &answer);
    knc_product_errors(&answer.errors, c);
    return result;
}

// A site of a friend that the builder could have begun itself.
static kn_result construct_target(void *user, const kn_hook_call *call)
{
    const kn_order_call *c = call->arguments;
    const site *own = knc_site_read(call->world, c->target.entity);
    (void)user;
    if (own == NULL || (kn_order_get_relation(call->world, call->entity, c->target.entity) &
                           KN_ORDER_FRIENDLY) == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_product_id product = own->product;
    for (int32_t i = 0;; i++) {
        kn_product_id at = knc_producer_product_at(call->world, call->entity, i);
        if (at.index1 == 0 || at.index1 == product.index1) {
            return at.index1 != 0 ? KN_OK : KN_REFUSED_NOT_FOUND;
        }
    }
}

static kn_result cancel_can(void *user, const kn_hook_call *call)
{
    (void)user;
    return knc_site_read(call->world, call->entity) != NULL ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result cancel_execute(void *user, const kn_hook_call *call)
{
    (void)user;
    return kn_site_cancel(call->writable, call->entity);
}

// Registering ---------------------------------------------------------------------------

typedef struct site_trees {
    kn_tree_id build, construct;
} site_trees;

static kn_result trees_register(
    kn_library *library, produce_kit *kit, site_trees *trees, kn_error *error)
{
    kn_tree_action_id place = {0}, construct = {0};
    kn_result result = knc_work_action(library, "Knack.PlaceSite", place_run, NULL, &place, error);
    if (result == KN_OK) {
        result = knc_work_action(
            library, "Knack.Construct", construct_run, construct_aborted, &construct, error);
    }
    kn_tree_node move = kn_tree_node_default();
    move.kind = KN_TREE_MOVE_TO;
    move.location = "Order_Location";
    move.range = "Range";
    kn_tree_node root = kn_tree_node_default();
    const kn_tree_node build[] = {knc_work_task(kit->reach, NULL), move, knc_work_task(place, NULL),
        knc_work_task(construct, "Work")};
    root.children = build;
    root.child_count = COUNT(build);
    if (result == KN_OK) {
        result = knc_work_tree(library, kit, "Knack.Build", &root, &trees->build, error);
    }
    move.location = NULL;
    move.target = "Order_Target";
    const kn_tree_node help[] = {
        knc_work_task(kit->reach, "Order_Target"), move, knc_work_task(construct, "Order_Target")};
    root.children = help;
    root.child_count = COUNT(help);
    return result != KN_OK
               ? result
               : knc_work_tree(library, kit, "Knack.Construct", &root, &trees->construct, error);
}

kn_result knc_site_orders_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    site_trees trees;
    kn_order_type_id id;
    kn_result result = trees_register(library, kit, &trees, error);
    if (result != KN_OK) {
        return result;
    }
    kit->build = trees.build;
    kn_order_type_def build = kn_order_type_def_default();
    build.name = "Knack.Build";
    build.target_kind = KN_ORDER_TARGET_LOCATION;
    build.group = KN_ORDER_GROUP_MOST_SUITABLE;
    build.tree = trees.build;
    build.range = 0.5f;
    build.is_work = true;
    build.can_obey.function = build_can;
    build.is_valid_target.function = build_target;
    result = kn_order_type_register(library, &build, &id, error);
    kn_order_type_def construct = kn_order_type_def_default();
    construct.name = "Knack.Construct";
    construct.target_kind = KN_ORDER_TARGET_ENTITY;
    construct.tree = trees.construct;
    construct.range = 0.5f;
    construct.is_work = true;
    construct.is_valid_target.function = construct_target;
    if (result == KN_OK) {
        result = kn_order_type_register(library, &construct, &id, error);
    }
    kn_order_type_def cancel = kn_order_type_def_default();
    cancel.name = "Knack.CancelSite";
    cancel.policy = KN_ORDER_INSTANT;
    cancel.can_obey.function = cancel_can;
    cancel.execute.function = cancel_execute;
    return result != KN_OK ? result : kn_order_type_register(library, &cancel, &id, error);
}
