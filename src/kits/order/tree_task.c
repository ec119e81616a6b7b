// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What nodes without children do. All of it goes through public calls, whose effects on the tree
// itself wait until it comes to rest.

#include "knack/mover.h"
#include "tree_parts.h"

#define ABILITIES_MAX 8 // of one type that an entity has, and that are tried

static kn_ability_type_id ability_of_order(const kn_world *world, kn_entity_id entity)
{
    kn_blackboard_order order;
    (void)kn_blackboard_get_current_order(world, entity, &order);
    const kn_order_type_def *def = knc_order_type_of(world, order.type);
    return def != NULL ? knc_order_ability(world, def, order.type, entity, order.index)
                       : (kn_ability_type_id){0};
}

static kn_tree_result result_of(kn_result result)
{
    return result == KN_OK ? KN_TREE_SUCCEEDED : KN_TREE_FAILED;
}

static const kn_tree_action_def *action_of(
    const kn_world *world, const plan *p, kn_tree_action_id action)
{
    return kn_def_get(kn_world_library(world), p->kit->action_kind, action.index1);
}

static kn_tree_call call_of(
    const kn_world *world, kn_entity_id entity, const plan *p, uint32_t node)
{
    const plan_node *n = &p->nodes[node];
    kn_tree_call call = {
        .tree = {(uint32_t)(p - p->kit->plans) + 1},
        .node = node,
        .result = KN_TREE_SUCCEEDED,
        .number = n->def->number,
        .tag = n->def->tag,
    };
    if (n->target1 != 0) {
        call.target = knc_tree_value_read(world, entity, n->target1).entity;
    }
    if (n->location1 != 0) {
        call.location = knc_tree_value_read(world, entity, n->location1).vector;
    }
    return call;
}

static kn_result action_run(kn_world *world, kn_entity_id entity, const plan *p,
    kn_tree_action_id action, const kn_hook *hook, kn_tree_call *call)
{
    return kn_hook_run(world, p->kit->action_kind, action.index1, hook, entity, call);
}

static kn_tree_result task_run(
    kn_world *world, kn_entity_id entity, const plan *p, uint32_t node, uint32_t ticket)
{
    const kn_tree_node *def = p->nodes[node].def;
    kn_tree_call call = call_of(world, entity, p, node);
    call.ticket = ticket;
    kn_result result =
        action_run(world, entity, p, def->action, &action_of(world, p, def->action)->run, &call);
    if (result != KN_OK || (uint32_t)call.result > KN_TREE_RUNNING) {
        return KN_TREE_FAILED;
    }
    return call.result;
}

void knc_tree_service_call(
    kn_world *world, kn_entity_id entity, const plan *p, const plan_service *service)
{
    const kn_tree_service *def = service->def;
    kn_tree_call call = call_of(world, entity, p, service->node);
    call.number = def->number;
    call.tag = def->tag;
    (void)action_run(world, entity, p, def->action, &action_of(world, p, def->action)->run, &call);
}

// The entity that a node is aimed at: what its key holds, or without one the entity itself.
static kn_entity_id target_of(const kn_world *world, kn_entity_id entity, const plan_node *n)
{
    return n->target1 != 0 ? knc_tree_value_read(world, entity, n->target1).entity : entity;
}

// The abilities of an entity that a node may use; at most ABILITIES_MAX are written.
static uint32_t abilities_find(
    const kn_world *world, kn_entity_id entity, const plan_node *n, kn_ability_id *out)
{
    kn_ability_query query = kn_ability_query_default();
    query.type = n->def->ability;
    if (n->def->ability.index1 == 0 && n->def->tag.index1 != 0) {
        query.all_tags = (kn_tags){&n->def->tag, 1};
    } else if (n->def->ability.index1 == 0) {
        query.type = ability_of_order(world, entity);
        if (query.type.index1 == 0) {
            return 0;
        }
    }
    uint32_t count = kn_abilities_find(world, entity, &query, out, ABILITIES_MAX);
    return count < ABILITIES_MAX ? count : ABILITIES_MAX;
}

bool knc_tree_ability_wait(
    const kn_world *world, kn_entity_id entity, const plan_node *node, kn_time *time)
{
    kn_ability_id abilities[ABILITIES_MAX];
    uint32_t count = abilities_find(world, entity, node, abilities);
    *time = KN_TIME_INFINITE;
    for (uint32_t i = 0; i < count; i++) {
        kn_time remaining, total;
        (void)kn_ability_cooldown(world, abilities[i], &remaining, &total);
        *time = remaining < *time ? remaining : *time;
    }
    return count > 0;
}

static kn_tree_result ability_use(
    kn_world *world, kn_entity_id entity, const plan_node *n, kn_activation_id *activation)
{
    const bool is_of_order = n->def->ability.index1 == 0 && n->def->tag.index1 == 0;
    kn_ability_id abilities[ABILITIES_MAX];
    kn_order at = kn_order_default();
    if (n->target1 != 0) {
        at.target = knc_tree_value_read(world, entity, n->target1).entity;
    }
    if (n->location1 != 0) {
        const board_value place = knc_tree_value_read(world, entity, n->location1);
        at.location = place.vector;
        at.uses_location = place.is_set;
    }
    // The order says what it is aimed at, and what it is not aimed at may be missing.
    if (n->target1 != 0 && at.target.index1 == 0 && !is_of_order) {
        return KN_TREE_FAILED;
    }
    uint32_t count = abilities_find(world, entity, n, abilities);
    return knc_order_activate(world, entity, abilities, count, &at, activation) == KN_OK
               ? KN_TREE_RUNNING // until it is reported that the activation has ended
               : KN_TREE_FAILED;
}

static kn_tree_result effect_apply(kn_world *world, kn_entity_id entity, const plan_node *n)
{
    float level = n->def->number != 0.0f ? n->def->number : 1.0f;
    return result_of(kn_effect_apply_simple(
        world, n->def->effect, entity, target_of(world, entity, n), level, NULL));
}

static kn_tree_result event_send(kn_world *world, kn_entity_id entity, const plan_node *n)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = entity;
    record.target = target_of(world, entity, n);
    record.magnitude = n->def->number;
    return result_of(kn_event_send(world, record.target, n->def->tag, &record));
}

static kn_tree_result order_issue(kn_world *world, kn_entity_id entity, const plan_node *n)
{
    kn_order order = kn_order_of(n->order);
    order.index = n->def->index;
    if (n->target1 != 0) {
        order.target = knc_tree_value_read(world, entity, n->target1).entity;
    }
    if (n->location1 != 0) {
        board_value at = knc_tree_value_read(world, entity, n->location1);
        if (at.is_set != 0) {
            kn_order_set_location(&order, at.vector);
        }
    }
    return result_of(n->def->enqueues ? kn_order_enqueue(world, entity, &order, NULL)
                                      : kn_order_issue(world, entity, &order, NULL));
}

// A movement to what the keys of a node hold; false if they hold nothing.
static bool move_of(const kn_world *world, kn_entity_id entity, const plan_node *n, kn_move *move)
{
    const uint32_t key1 = n->target1 != 0 ? n->target1 : n->location1;
    const board_value goal = knc_tree_value_read(world, entity, key1);
    const float range =
        n->range1 != 0 ? knc_tree_value_read(world, entity, n->range1).number : 0.0f;
    *move = n->target1 != 0 ? kn_move_to_entity(goal.entity, range)
                            : kn_move_to_point(goal.vector, range);
    return goal.is_set != 0 && (n->target1 == 0 || goal.entity.index1 != 0);
}

static kn_tree_result move_begin(
    kn_world *world, kn_entity_id entity, const plan_node *n, uint32_t *ticket)
{
    kn_move move;
    kn_move_info info;
    if (!move_of(world, entity, n, &move)) {
        return KN_TREE_FAILED;
    }
    kn_result result = n->kind == KN_TREE_FACE ? kn_move_face(world, entity, &move, ticket)
                                               : kn_move_start(world, entity, &move, ticket);
    if (result != KN_OK || !kn_move_get_info(world, entity, &info)) {
        return KN_TREE_FAILED;
    }
    if (info.ticket == *ticket && info.result == KN_MOVE_RUNNING) {
        return KN_TREE_RUNNING; // until it is reported that the movement has ended
    }
    return info.ticket == *ticket && info.result == KN_MOVE_ARRIVED ? KN_TREE_SUCCEEDED
                                                                    : KN_TREE_FAILED;
}

static void move_abort(kn_world *world, kn_entity_id entity, uint32_t ticket)
{
    kn_move_info info;
    if (kn_move_get_info(world, entity, &info) && info.ticket == ticket) {
        (void)kn_move_stop(world, entity);
    }
}

static board_value value_of(
    const kn_world *world, kn_entity_id entity, const plan_value *v, kn_blackboard_kind kind)
{
    const kn_tree_value *def = v->def;
    board_value value = {.is_set = 1};
    if (v->from1 != 0) {
        return knc_tree_value_read(world, entity, v->from1);
    }
    switch (kind) {
    case KN_BLACKBOARD_BOOL:
        value.whole = def->number != 0.0f;
        break;
    case KN_BLACKBOARD_INT:
        value.whole = (int32_t)def->number;
        break;
    case KN_BLACKBOARD_FLOAT:
        value.number = def->number;
        break;
    case KN_BLACKBOARD_VECTOR:
        value.vector = def->self ? knc_order_position(world, entity) : def->vector;
        break;
    case KN_BLACKBOARD_ENTITY:
        value.entity = def->self ? entity : value.entity;
        value.is_set = def->self;
        break;
    case KN_BLACKBOARD_TAG:
        value.tag = def->tag;
        value.is_set = def->tag.index1 != 0;
        break;
    default:
        value.is_set = 0;
        break;
    }
    return value;
}

void knc_tree_values_write(
    kn_world *world, kn_entity_id entity, const plan *p, const plan_node *node)
{
    const board_plan *board = knc_tree_board_of(knc_tree_kit_of_world(world), p->def->blackboard);
    for (uint32_t i = 0; i < node->value_count; i++) {
        const plan_value *v = &p->values[node->first_value + i];
        board_value value = value_of(world, entity, v, board->keys[v->key1 - 1].kind);
        (void)knc_tree_value_write(world, entity, v->key1, &value);
    }
}

kn_tree_result knc_tree_task_begin(kn_world *world, kn_entity_id entity, const plan *p,
    uint32_t node, uint32_t ticket, kn_activation_id *activation, uint32_t *move)
{
    const plan_node *n = &p->nodes[node];
    switch (n->def->kind) {
    case KN_TREE_TASK:
        return task_run(world, entity, p, node, ticket);
    case KN_TREE_USE_ABILITY:
        return ability_use(world, entity, n, activation);
    case KN_TREE_APPLY_EFFECT:
        return effect_apply(world, entity, n);
    case KN_TREE_SEND_EVENT:
        return event_send(world, entity, n);
    case KN_TREE_SET_KEY:
        knc_tree_values_write(world, entity, p, n);
        return KN_TREE_SUCCEEDED;
    case KN_TREE_ISSUE_ORDER:
        return order_issue(world, entity, n);
    case KN_TREE_FINISH_ORDER:
        knc_tree_order_finish(world, entity, n->def->result, false);
        return KN_TREE_SUCCEEDED;
    case KN_TREE_MOVE_TO:
    case KN_TREE_FACE:
        return move_begin(world, entity, n, move);
    default:
        return KN_TREE_FAILED;
    }
}

void knc_tree_task_abort(
    kn_world *world, kn_entity_id entity, const plan *p, uint32_t node, const node_state *state)
{
    const kn_tree_node *def = p->nodes[node].def;
    if (def->kind == KN_TREE_TASK) {
        kn_tree_call call = call_of(world, entity, p, node);
        call.ticket = state->ticket;
        call.result = KN_TREE_ABORTED;
        (void)action_run(
            world, entity, p, def->action, &action_of(world, p, def->action)->aborted, &call);
    } else if (def->kind == KN_TREE_USE_ABILITY) {
        (void)kn_activation_cancel(world, state->activation);
    } else if (def->kind == KN_TREE_MOVE_TO || def->kind == KN_TREE_FACE) {
        move_abort(world, entity, state->count);
    }
}
