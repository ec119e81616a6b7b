// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the trees of workers have in common: a blackboard, and the way to where the work is.

#include "produce_parts.h"

// Writes the key `Range`: how near to the middle of something a worker must be to reach it.
static kn_result reach_run(void *user, const kn_hook_call *call)
{
    const kn_tree_call *c = call->arguments;
    kn_blackboard_order order;
    (void)user;
    (void)kn_blackboard_get_current_order(call->world, call->entity, &order);
    float radius = knc_product_radius(call->world, call->entity);
    if (c->target.index1 != 0) {
        radius += knc_product_radius(call->world, c->target);
    } else {
        const kn_product_def *def = knc_product_of(
            call->world, knc_producer_product_at(call->world, call->entity, order.index));
        radius += def != NULL ? def->radius : 0.0f;
    }
    return kn_blackboard_set_float(call->writable, call->entity, "Range", order.range + radius);
}

kn_result knc_work_action(kn_library *library, const char *name, kn_hook_fn *run,
    kn_hook_fn *aborted, kn_tree_action_id *action, kn_error *error)
{
    kn_tree_action_def def = kn_tree_action_def_default();
    def.name = name;
    def.run = (kn_hook){run, NULL};
    def.aborted = (kn_hook){aborted, NULL};
    return kn_tree_action_register(library, &def, action, error);
}

kn_tree_node knc_work_task(kn_tree_action_id action, const char *target)
{
    kn_tree_node node = kn_tree_node_default();
    node.kind = KN_TREE_TASK;
    node.action = action;
    node.target = target;
    return node;
}

kn_result knc_work_tree(kn_library *library, const produce_kit *kit, const char *name,
    const kn_tree_node *root, kn_tree_id *tree, kn_error *error)
{
    kn_tree_def def = kn_tree_def_default();
    def.name = name;
    def.blackboard = kit->board;
    def.root = *root;
    return kn_tree_register(library, &def, tree, error);
}

kn_result knc_produce_work_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    const kn_blackboard_key_def keys[] = {
        {"Work", KN_BLACKBOARD_ENTITY, 0.0f},
        {"Range", KN_BLACKBOARD_FLOAT, 0.0f},
        {"Done", KN_BLACKBOARD_BOOL, 0.0f},
    };
    kn_blackboard_def def = kn_blackboard_def_default();
    def.name = "Knack.Work";
    def.keys = keys;
    def.key_count = COUNT(keys);
    def.order_keys = true;
    kn_result result = kn_blackboard_register(library, &def, &kit->board, error);
    return result != KN_OK
               ? result
               : knc_work_action(library, "Knack.Reach", reach_run, NULL, &kit->reach, error);
}
