// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders that a tree carries out: the order is written to the blackboard, the tree is started, and
// what it says in the end is delivered at the next tick, once. Nothing of the unit runs inside a
// turn of its tree.

#include "tree_parts.h"

// More orders of one unit than this do not end at the same time: a unit whose trees end at once and
// give it the next order would never let time go on.
#define ENDS_MAX 32
#define ENDS_PAUSE KN_MS(1)
#define STUCK_PAUSE KN_MS(100) // of a tree that went on and on for its order

// The location is for orders that are aimed at points: one at an entity without a point is aimed at
// where that is, and orders at entities have none.
static kn_order order_for_tree(const kn_world *world, kn_entity_id unit, const kn_order *order)
{
    kn_order own = *order;
    kn_order_target_kind kind = kn_order_get_target_kind(world, order->type, unit, order->index);
    bool is_at_point = kind == KN_ORDER_TARGET_LOCATION || kind == KN_ORDER_TARGET_DIRECTION;
    if (!is_at_point) {
        own.uses_location = 0;
    } else if (own.uses_location == 0 && kn_entity_is_alive(world, own.target)) {
        kn_order_set_location(&own, knc_order_position(world, own.target));
    }
    return own;
}

static kn_result order_write(kn_world *world, kn_entity_id unit, const kn_order_type_def *def,
    const kn_order *order, kn_vec3 home, uint32_t ticket, bool restarts)
{
    const tree_call call = {
        .kind = TREE_CALL_ORDER,
        .order = order_for_tree(world, unit, order),
        .home = home,
        .range = kn_order_get_range(world, order->type, unit, order->index),
        .tree = def->tree,
        .ticket = ticket,
        .result = restarts,
    };
    return knc_tree_call(world, unit, &call);
}

kn_result knc_tree_obey(kn_world *world, kn_entity_id unit, const kn_order_type_def *def,
    const kn_order *order, kn_vec3 home, uint32_t ticket)
{
    return order_write(world, unit, def, order, home, ticket, def->restarts_tree);
}

void knc_tree_retarget(kn_world *world, kn_entity_id unit, const kn_order_type_def *def,
    const kn_order *order, kn_vec3 home, uint32_t ticket)
{
    const tree_run *run = knc_tree_run_read(world, unit);
    if (run != NULL && run->end_order == 0) { // otherwise it has ended, and this is delivered
        (void)order_write(world, unit, def, order, home, ticket, false);
    }
}

void knc_tree_leave(kn_world *world, kn_entity_id unit)
{
    const tree_run *run = knc_tree_run_read(world, unit);
    const tree_call call = {.kind = TREE_CALL_LEAVE};
    if (run != NULL && (run->busy == knc_order_busy_now(world) || run->result == KN_TREE_RUNNING)) {
        (void)knc_tree_call(world, unit, &call);
    }
}

void knc_tree_order_write(kn_world *world, kn_entity_id entity, const tree_call *call)
{
    const kn_order *order = &call->order;
    const board_value values[KEY_COUNT] = {
        [KEY_TYPE] = {.order = order->type, .is_set = 1},
        [KEY_LOCATION] = {.vector = order->uses_location != 0 ? order->location : (kn_vec3){0},
            .is_set = order->uses_location},
        [KEY_TARGET] = {.entity = order->target, .is_set = order->target.index1 != 0},
        [KEY_INDEX] = {.whole = order->index, .is_set = 1},
        [KEY_RANGE] = {.number = call->range, .is_set = 1},
        [KEY_HOME] = {.vector = call->home, .is_set = 1},
    };
    for (uint32_t i = 0; i < KEY_COUNT; i++) {
        (void)knc_tree_value_write(world, entity, i + 1, &values[i]);
    }
}

void knc_tree_order_finish(
    kn_world *world, kn_entity_id entity, kn_tree_result result, bool was_stuck)
{
    const tree_kit *kit = knc_tree_kit_of_world(world);
    tree_run *run = kn_component_get(world, kit->runs, entity);
    if (run == NULL || run->order == 0) {
        return; // there is no order, or it has ended
    }
    run->end_result = result == KN_TREE_SUCCEEDED ? KN_ORDER_SUCCEEDED : KN_ORDER_FAILED;
    if (run->end_order != 0) {
        return; // the later one counts
    }
    run->end_order = run->order;
    kn_time now = kn_world_now(world);
    run->ends = now - run->ends_at <= ENDS_PAUSE && run->ends > 0 ? run->ends + 1 : 1;
    run->ends_at = now;
    bool is_stuck = run->ends == ENDS_MAX + 1;
    kn_time delay = was_stuck ? STUCK_PAUSE : run->ends > ENDS_MAX ? ENDS_PAUSE : 0;
    const kn_tree_event stuck = {run->tree, result, 0};
    if (is_stuck) {
        (void)kn_world_publish(world, entity, kit->stuck, &stuck);
    }
    uint8_t data[KN_TIMER_DATA_SIZE] = {0};
    kn_writer writer = {data, sizeof(data), 0};
    kn_write_u32(&writer, run->order);
    kn_timer_id timer; // without memory the world is broken
    kn_result started = kn_timer_start(world, kit->order_timer, entity, delay, data, &timer);
    (void)started;
}

static kn_time order_deliver(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const tree_kit *kit = user;
    tree_run *run = kn_component_get(world, kit->runs, entity);
    kn_reader reader = {data, KN_TIMER_DATA_SIZE, 0, false, false};
    const uint32_t order = kn_read_u32(&reader);
    if (run != NULL && order != 0 && run->end_order == order) {
        const tree_run copy = *run;
        run->order = 0;
        run->end_order = 0;
        (void)kn_order_end(world, entity, copy.end_order, (kn_order_result)copy.end_result);
    }
    return 0;
}

kn_result knc_tree_order_timer(kn_library *library, tree_kit *kit, kn_error *error)
{
    return kn_timer_type_register(
        library, "Knack.TreeOrder", order_deliver, kit, &kit->order_timer, error);
}
