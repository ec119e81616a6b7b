// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders for groups: who gets them, and where each one goes.

#include "parts.h"

#define GROUP_COOKIE 0x7267746fu

kn_order_group_def kn_order_group_def_default(void)
{
    kn_order_group_def def = {.cookie = GROUP_COOKIE};
    return def;
}

kn_entity_id kn_order_most_suitable(const kn_world *world, kn_order_type_id type,
    const kn_entity_id *units, uint32_t count, const kn_order_target *target, int32_t index,
    float radius)
{
    kn_entity_id best = {0};
    float best_score = 0.0f;
    for (uint32_t i = 0; i < count; i++) {
        if (!kn_order_can_obey(world, type, units[i], index, NULL)) {
            continue;
        }
        float score = kn_order_score(world, type, units[i], target, index, radius);
        if (best.index1 == 0 || score > best_score) {
            best = units[i];
            best_score = score;
        }
    }
    return best;
}

// Those who get an order.
typedef struct recipients {
    kn_entity_id *units;
    uint32_t count;
} recipients;

static void recipient_add(
    const kn_world *world, recipients *r, const kn_order *order, kn_entity_id unit)
{
    if (kn_unit_get_type(world, unit).index1 != 0 &&
        kn_order_can_obey(world, order->type, unit, order->index, NULL)) {
        r->units[r->count++] = unit;
    }
}

// The nearest one counts as the most suitable, unless the hook `score` says otherwise: the radius
// is that of the one that is farthest away.
static float group_radius(
    const kn_world *world, const kn_order_group_def *def, const kn_order_target *target)
{
    float radius = 0.0f;
    for (uint32_t i = 0; i < def->unit_count; i++) {
        float distance =
            knc_order_distance(knc_order_position(world, def->units[i]), target->location);
        radius = distance > radius ? distance : radius;
    }
    return radius * 2.0f;
}

static void recipients_find(
    const kn_world *world, const kn_order_group_def *def, const kn_order *order, recipients *r)
{
    switch (knc_order_type_of(world, order->type)->group) {
    case KN_ORDER_GROUP_FIRST:
        recipient_add(world, r, order, def->units[def->first]);
        return;
    case KN_ORDER_GROUP_MOST_SUITABLE: {
        for (uint32_t i = 0; i < def->unit_count; i++) {
            recipient_add(world, r, order, def->units[i]);
        }
        kn_order_target target = knc_order_target_of(world, def->units[0], order);
        kn_entity_id best = kn_order_most_suitable(world, order->type, r->units, r->count, &target,
            order->index, group_radius(world, def, &target));
        r->count = best.index1 != 0;
        r->units[0] = best;
        return;
    }
    case KN_ORDER_GROUP_SUB_GROUP:
        if (def->sub_group != NULL) {
            for (uint32_t i = 0; i < def->sub_group_count; i++) {
                recipient_add(world, r, order, def->units[def->sub_group[i]]);
            }
            return;
        }
        break;
    default:
        break;
    }
    for (uint32_t i = 0; i < def->unit_count; i++) {
        recipient_add(world, r, order, def->units[i]);
    }
}

// Points of their own, by the formation of the order type.
static kn_result points_find(
    const kn_world *world, const recipients *r, const kn_order *order, kn_vec3 *points)
{
    const kn_order_type_def *type = knc_order_type_of(world, order->type);
    const kn_hooks hooks = kn_world_hooks(world);
    kn_vec3 *at = kn_memory_resize(&hooks, NULL, 0, r->count * sizeof(*at));
    if (at == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_vec3 middle = {0};
    for (uint32_t i = 0; i < r->count; i++) {
        at[i] = knc_order_position(world, r->units[i]);
        middle.x += at[i].x / (float)r->count;
        middle.y += at[i].y / (float)r->count;
    }
    kn_order_target target = knc_order_target_of(world, r->units[0], order);
    kn_formation_slots(type->formation, r->count, type->spacing, middle, target.location, points);
    kn_result result = knc_formation_assign(
        &hooks, KN_FORMATION_GREEDY, at, NULL, r->count, target.location, points);
    kn_memory_free(&hooks, at, r->count * sizeof(*at));
    return result;
}

static kn_result group_check(
    const kn_world *world, const kn_order_group_def *def, const kn_order *order)
{
    if (knc_order_kit_of_world(world) == NULL || def == NULL || order == NULL ||
        def->cookie != GROUP_COOKIE || (def->units == NULL && def->unit_count > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; def->sub_group != NULL && i < def->sub_group_count; i++) {
        if (def->sub_group[i] >= def->unit_count) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    if (def->unit_count > 0 && def->first >= def->unit_count) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (knc_order_type_of(world, order->type) == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    return knc_order_is_finite(order) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

kn_result kn_order_issue_group(
    kn_world *world, const kn_order_group_def *def, const kn_order *order, uint32_t *given)
{
    uint32_t ignored;
    given = given != NULL ? given : &ignored;
    *given = 0;
    kn_result result = group_check(world, def, order);
    if (result != KN_OK || def->unit_count == 0) {
        return result;
    }
    const kn_order_type_def *type = knc_order_type_of(world, order->type);
    uint32_t most = def->unit_count > def->sub_group_count ? def->unit_count : def->sub_group_count;
    const kn_hooks hooks = kn_world_hooks(world);
    recipients r = {.units = kn_memory_resize(&hooks, NULL, 0, most * sizeof(*r.units))};
    kn_vec3 *points = kn_memory_resize(&hooks, NULL, 0, most * sizeof(*points));
    result = r.units != NULL && points != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    if (result == KN_OK) {
        recipients_find(world, def, order, &r);
    }
    bool spreads = type->individual_locations && r.count > 0 &&
                   (order->uses_location != 0 || kn_entity_is_alive(world, order->target));
    if (result == KN_OK && spreads) {
        result = points_find(world, &r, order, points);
    }
    for (uint32_t i = 0; result == KN_OK && i < r.count; i++) {
        kn_order own = *order;
        if (spreads && order->uses_location != 0) {
            kn_order_set_location(&own, points[i]);
        }
        kn_result taken = def->enqueues ? kn_order_enqueue(world, r.units[i], &own, NULL)
                                        : kn_order_issue(world, r.units[i], &own, NULL);
        *given += taken == KN_OK;
        result = taken == KN_ERROR_OUT_OF_MEMORY || taken == KN_ERROR_WORLD_BROKEN ? taken : KN_OK;
    }
    kn_memory_free(&hooks, r.units, most * sizeof(*r.units));
    kn_memory_free(&hooks, points, most * sizeof(*points));
    return result;
}
