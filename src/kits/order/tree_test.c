// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What conditions of nodes test. Nothing here changes the world.

#include "tree_parts.h"

static bool tags_hold(const kn_world *world, kn_entity_id entity, const kn_tree_condition *def)
{
    for (uint32_t i = 0; i < def->required.count; i++) {
        if (!kn_entity_has_tag(world, entity, def->required.data[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < def->blocked.count; i++) {
        if (kn_entity_has_tag(world, entity, def->blocked.data[i])) {
            return false;
        }
    }
    return true;
}

static bool numbers_compare(kn_tree_compare compare, double a, double b)
{
    switch (compare) {
    case KN_TREE_LESS:
        return a < b;
    case KN_TREE_LESS_EQUAL:
        return a <= b;
    case KN_TREE_EQUAL:
        return a == b;
    case KN_TREE_NOT_EQUAL:
        return a != b;
    case KN_TREE_GREATER_EQUAL:
        return a >= b;
    case KN_TREE_GREATER:
        return a > b;
    default:
        return a != 0.0;
    }
}

static bool values_equal(kn_blackboard_kind kind, const board_value *a, const board_value *b)
{
    switch (kind) {
    case KN_BLACKBOARD_VECTOR:
        return a->vector.x == b->vector.x && a->vector.y == b->vector.y &&
               a->vector.z == b->vector.z;
    case KN_BLACKBOARD_ENTITY:
        return kn_entity_id_equal(a->entity, b->entity);
    case KN_BLACKBOARD_ORDER:
        return a->order.index1 == b->order.index1;
    default:
        return a->tag.index1 == b->tag.index1;
    }
}

static bool is_within(const kn_world *world, kn_entity_id entity, kn_blackboard_kind kind,
    const board_value *value, float range)
{
    kn_vec3 at =
        kind == KN_BLACKBOARD_ENTITY ? knc_order_position(world, value->entity) : value->vector;
    return value->is_set != 0 && knc_order_distance(knc_order_position(world, entity), at) <= range;
}

static bool key_holds(const kn_world *world, kn_entity_id entity, const plan *p,
    const plan_condition *c, board_view *view)
{
    static const board_value nothing;
    const kn_tree_condition *def = c->def;
    if (!view->is_known) {
        view->values = knc_tree_values_read(world, p->kit, entity, &view->layout);
        view->count = view->values != NULL ? view->layout->count : 0;
        view->is_known = true;
    }
    const board_value *values = view->values;
    if (values == NULL || c->key1 > view->layout->count || c->with1 > view->layout->count) {
        return false; // the entity was given a blackboard of another layout
    }
    const board_value *value = &values[c->key1 - 1];
    if (value->entity.index1 != 0 && !kn_entity_is_alive(world, value->entity)) {
        value = &nothing;
    }
    if (def->compare == KN_TREE_IS_SET && c->within1 == 0 && c->kind > KN_BLACKBOARD_FLOAT) {
        return value->is_set != 0;
    }
    if (c->within1 != 0) {
        float range = knc_tree_value_read(world, entity, c->within1).number;
        return is_within(world, entity, c->kind, value, range);
    }
    board_value with = {.number = def->number, .tag = def->tag};
    if (c->with1 != 0) {
        with = knc_tree_value_read(world, entity, c->with1);
    }
    if (c->kind <= KN_BLACKBOARD_FLOAT) {
        bool is_float = c->kind == KN_BLACKBOARD_FLOAT;
        double a = is_float ? (double)value->number : (double)value->whole;
        double b = is_float || c->with1 == 0 ? (double)with.number : (double)with.whole;
        return numbers_compare(def->compare, a, b);
    }
    return values_equal(c->kind, value, &with) == (def->compare == KN_TREE_EQUAL);
}

static bool action_holds(
    const kn_world *world, kn_entity_id entity, const plan *p, const plan_condition *c)
{
    const tree_kit *kit = p->kit;
    const kn_library *library = kn_world_library(world);
    const kn_tree_action_def *action = kn_def_get(library, kit->action_kind, c->def->action.index1);
    const plan_node *node = &p->nodes[c->node];
    kn_tree_call call = {
        .tree = {(uint32_t)(p - kit->plans) + 1},
        .node = c->node,
        .result = KN_TREE_SUCCEEDED,
        .number = c->def->number,
        .tag = c->def->tag,
    };
    if (node->target1 != 0) {
        call.target = knc_tree_value_read(world, entity, node->target1).entity;
    }
    if (node->location1 != 0) {
        call.location = knc_tree_value_read(world, entity, node->location1).vector;
    }
    return kn_hook_read(world, kit->action_kind, c->def->action.index1, &action->test, entity,
               &call) == KN_OK;
}

static bool attribute_holds(
    const kn_world *world, kn_entity_id entity, const kn_tree_condition *def)
{
    float value = kn_attribute_value(world, entity, def->attribute);
    return numbers_compare(def->compare, (double)value, (double)def->number);
}

bool knc_tree_condition_holds(const kn_world *world, kn_entity_id entity, const plan *p,
    const plan_condition *c, board_view *view)
{
    const kn_tree_condition *def = c->def;
    bool holds;
    if (c->key1 != 0) {
        holds = key_holds(world, entity, p, c, view);
    } else if (def->attribute.index1 != 0) {
        holds = attribute_holds(world, entity, def);
    } else if (def->action.index1 != 0) {
        holds = action_holds(world, entity, p, c);
    } else if (def->condition.index1 != 0) {
        kn_event_record record = kn_event_record_default();
        record.instigator = entity;
        record.target = entity;
        record.magnitude = def->number;
        holds = kn_condition_holds(world, def->condition, &record);
    } else {
        holds = tags_hold(world, entity, def);
    }
    return holds != def->inverted;
}
