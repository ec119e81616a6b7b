// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The order types `Knack.Gather` and `Knack.Return`, with their trees and actions. A turn of both
// trees chooses where to go, goes there, and works there; it ends when there is nothing more to do.

#include "produce_parts.h"

// Actions -------------------------------------------------------------------------------

// Writes where to go to the blackboard. With nowhere to go the work is done.
static kn_result work_write(const kn_hook_call *call, kn_entity_id work, bool is_done)
{
    kn_result result = kn_blackboard_set_bool(call->writable, call->entity, "Done", is_done);
    if (result == KN_OK && !is_done) {
        result = kn_blackboard_set_entity(call->writable, call->entity, "Work", work);
    }
    return result != KN_OK || work.index1 != 0 ? result : KN_REFUSED_NOT_FOUND;
}

// The drop-off of the order if it can be used, or the nearest one.
static kn_entity_id drop_choose(const kn_hook_call *call, kn_entity_id wanted)
{
    return wanted.index1 != 0 && knc_gather_is_drop(call->world, call->entity, wanted)
               ? wanted
               : kn_gather_find_drop(call->world, call->entity);
}

// A node with something left: that of the order, or another one of its kind nearby.
static kn_entity_id node_choose(const kn_hook_call *call, kn_entity_id wanted)
{
    const kn_gather_kind *kind = knc_gather_kind_of(call->world, call->entity, wanted);
    if (kind == NULL) {
        return (kn_entity_id){0};
    }
    const bool has_some = kn_gather_left(call->world, call->entity, wanted) > 0.0f;
    if (has_some && (kind->waits || knc_gather_has_room(call->world, call->entity, wanted))) {
        return wanted;
    }
    kn_entity_id other = kn_gather_find_node(
        call->world, call->entity, kind->tag, knc_order_position(call->world, wanted), wanted);
    if (has_some) { // it is crowded
        return other.index1 != 0 && knc_gather_has_room(call->world, call->entity, other) ? other
                                                                                          : wanted;
    }
    if (other.index1 != 0) {
        knc_order_unit_retarget(call->writable, call->entity, wanted, other);
    }
    return other;
}

// A load is brought away when the worker is full, is to gather something else, or its node has
// nothing left.
static bool is_to_bring(const kn_hook_call *call, kn_entity_id node)
{
    kn_gatherer_info info;
    (void)kn_gatherer_get_info(call->world, call->entity, &info);
    const kn_gather_kind *kind = knc_gather_kind_of(call->world, call->entity, node);
    return info.amount > 0.0f && (kind == NULL || info.carries.index1 != kind->tag.index1 ||
                                     info.amount >= kind->capacity ||
                                     kn_gather_left(call->world, call->entity, node) == 0.0f);
}

static kn_result gather_choose(void *user, const kn_hook_call *call)
{
    kn_blackboard_order order;
    (void)user;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    if (is_to_bring(call, order.target)) {
        return work_write(call, drop_choose(call, (kn_entity_id){0}), false);
    }
    kn_entity_id node = node_choose(call, order.target);
    return work_write(call, node, node.index1 == 0);
}

static kn_result return_choose(void *user, const kn_hook_call *call)
{
    kn_blackboard_order order;
    kn_gatherer_info info;
    (void)user;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    (void)kn_gatherer_get_info(call->world, call->entity, &info);
    if (info.amount > 0.0f) {
        return work_write(call, drop_choose(call, order.target), false);
    }
    return work_write(call, (kn_entity_id){0}, true);
}

// Whether a worker has come to a node where others were faster, and knows a better one.
static bool is_better_elsewhere(const kn_hook_call *call, kn_entity_id node)
{
    const kn_gather_kind *kind = knc_gather_kind_of(call->world, call->entity, node);
    kn_blackboard_order order;
    if (kind == NULL || kind->waits || knc_gather_has_room(call->world, call->entity, node)) {
        return false;
    }
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    kn_entity_id other = node_choose(call, order.target);
    return other.index1 != 0 && knc_gather_has_room(call->world, call->entity, other);
}

// Takes or delivers something. What is gone meanwhile, or cannot be used any more, is passed over:
// the next turn chooses again.
static kn_result work_run(void *user, const kn_hook_call *call)
{
    kn_tree_call *c = call->arguments;
    kn_gatherer_info info;
    (void)user;
    (void)kn_gatherer_get_info(call->world, call->entity, &info);
    if (info.amount > 0.0f && knc_gather_is_drop(call->world, call->entity, c->target)) {
        return kn_gather_deliver(call->writable, call->entity, c->target, NULL);
    }
    if (is_better_elsewhere(call, c->target)) {
        return KN_OK;
    }
    kn_result result = kn_gather_start(call->writable, call->entity, c->target, c->ticket);
    c->result = result == KN_OK ? KN_TREE_RUNNING : KN_TREE_SUCCEEDED;
    return kn_result_is_refused(result) ? KN_OK : result;
}

static kn_result work_aborted(void *user, const kn_hook_call *call)
{
    (void)user;
    (void)kn_gather_stop(call->writable, call->entity);
    return KN_OK;
}

// Whether the way failed because its end is gone; then another one is chosen.
static kn_result lost_run(void *user, const kn_hook_call *call)
{
    const kn_tree_call *c = call->arguments;
    (void)user;
    return kn_entity_is_alive(call->world, c->target) ? KN_REFUSED_CUSTOM : KN_OK;
}

// Orders --------------------------------------------------------------------------------

static void error_add(kn_order_call *call, const kn_world *world, produce_tag tag)
{
    call->errors[call->error_count++] = knc_produce_kit_of_world(world)->tags[tag];
}

static kn_result gather_can(void *user, const kn_hook_call *call)
{
    (void)user;
    return knc_gatherer_type(call->world, call->entity) != NULL ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result gather_target(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    if (kn_gather_left(call->world, call->entity, c->target.entity) > 0.0f) {
        return KN_OK;
    }
    if (knc_gather_kind_of(call->world, call->entity, c->target.entity) != NULL) {
        error_add(c, call->world, TAG_EXHAUSTED);
    }
    return KN_REFUSED_CUSTOM;
}

static kn_result return_can(void *user, const kn_hook_call *call)
{
    kn_gatherer_info info;
    (void)user;
    if (kn_gatherer_get_info(call->world, call->entity, &info) && info.amount > 0.0f) {
        return KN_OK;
    }
    error_add(call->arguments, call->world, TAG_NO_LOAD);
    return KN_REFUSED_CUSTOM;
}

static kn_result return_target(void *user, const kn_hook_call *call)
{
    kn_order_call *c = call->arguments;
    (void)user;
    if (c->target.entity.index1 != 0
            ? knc_gather_is_drop(call->world, call->entity, c->target.entity)
            : kn_gather_find_drop(call->world, call->entity).index1 != 0) {
        return KN_OK;
    }
    error_add(c, call->world, TAG_NO_DROP);
    return KN_REFUSED_CUSTOM;
}

// Registering ---------------------------------------------------------------------------

typedef struct gather_actions {
    kn_tree_action_id gather, bring, work, lost;
} gather_actions;

static kn_result actions_register(kn_library *library, gather_actions *a, kn_error *error)
{
    const struct {
        const char *name;
        kn_hook_fn *run, *aborted;
        kn_tree_action_id *id;
    } rows[] = {
        {"Knack.ChooseNode", gather_choose, NULL, &a->gather},
        {"Knack.ChooseDropOff", return_choose, NULL, &a->bring},
        {"Knack.GatherWork", work_run, work_aborted, &a->work},
        {"Knack.WorkIsLost", lost_run, NULL, &a->lost},
    };
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(rows); i++) {
        result =
            knc_work_action(library, rows[i].name, rows[i].run, rows[i].aborted, rows[i].id, error);
    }
    return result;
}

// Turns until an action chooses nothing; a success if the work is done then.
static kn_result tree_register(kn_library *library, const produce_kit *kit, const gather_actions *a,
    kn_tree_action_id choose, const char *name, kn_tree_id *tree, kn_error *error)
{
    kn_tree_node move = kn_tree_node_default();
    move.kind = KN_TREE_MOVE_TO;
    move.target = "Work";
    move.range = "Range";
    const kn_tree_node ways[] = {move, knc_work_task(a->lost, "Work")};
    kn_tree_node way = kn_tree_node_default();
    way.kind = KN_TREE_SELECTOR;
    way.children = ways;
    way.child_count = COUNT(ways);
    const kn_tree_node steps[] = {knc_work_task(choose, NULL), knc_work_task(kit->reach, "Work"),
        way, knc_work_task(a->work, "Work")};
    kn_tree_node turn = kn_tree_node_default();
    turn.children = steps;
    turn.child_count = COUNT(steps);
    kn_tree_node turns = kn_tree_node_default();
    turns.kind = KN_TREE_REPEAT;
    turns.children = &turn;
    turns.child_count = 1;
    kn_tree_condition done = kn_tree_condition_default();
    done.key = "Done";
    const kn_tree_value value = {.key = "Done"};
    kn_tree_node end = kn_tree_node_default();
    end.kind = KN_TREE_SET_KEY;
    end.conditions = &done;
    end.condition_count = 1;
    end.values = &value;
    end.value_count = 1;
    const kn_tree_node all[] = {turns, end};
    kn_tree_node root = kn_tree_node_default();
    root.kind = KN_TREE_SELECTOR;
    root.children = all;
    root.child_count = COUNT(all);
    return knc_work_tree(library, kit, name, &root, tree, error);
}

kn_result knc_gather_orders_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    gather_actions a;
    kn_order_type_id id;
    kn_order_type_def gather = kn_order_type_def_default(), bring = kn_order_type_def_default();
    kn_result result = actions_register(library, &a, error);
    if (result == KN_OK) {
        result = tree_register(library, kit, &a, a.gather, "Knack.Gather", &gather.tree, error);
    }
    if (result == KN_OK) {
        result = tree_register(library, kit, &a, a.bring, "Knack.Return", &bring.tree, error);
    }
    gather.name = "Knack.Gather";
    gather.target_kind = KN_ORDER_TARGET_ENTITY;
    gather.range = 0.5f;
    gather.is_work = true;
    gather.can_obey.function = gather_can;
    gather.is_valid_target.function = gather_target;
    if (result == KN_OK) {
        result = kn_order_type_register(library, &gather, &id, error);
    }
    bring.name = "Knack.Return";
    bring.range = 0.5f;
    bring.can_obey.function = return_can;
    bring.is_valid_target.function = return_target;
    return result != KN_OK ? result : kn_order_type_register(library, &bring, &kit->bring, error);
}
