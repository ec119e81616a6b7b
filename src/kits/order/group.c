// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Orders for groups: who gets them, and where each one goes.

#include "parts.h"

#include <string.h>

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

// Those who get an order, and where they go.
typedef struct recipients {
    kn_entity_id *units;
    int32_t *ranks;
    kn_vec3 *at; // where they are
    kn_vec3 *points;
    kn_hooks hooks; // of their memory
    uint32_t most;  // that there is memory for
    uint32_t count;
    bool spreads;   // points count
    bool has_ranks; // otherwise all are equal
} recipients;

static void recipients_free(recipients *r)
{
    kn_memory_free(&r->hooks, r->units, r->most * sizeof(*r->units));
    kn_memory_free(&r->hooks, r->ranks, r->most * sizeof(*r->ranks));
    kn_memory_free(&r->hooks, r->at, r->most * sizeof(*r->at));
    kn_memory_free(&r->hooks, r->points, r->most * sizeof(*r->points));
    *r = (recipients){0};
}

// Takes memory of the world for `most` of them.
static bool recipients_reserve(const kn_world *world, recipients *r, uint32_t most)
{
    const kn_hooks hooks = kn_world_hooks(world);
    r->hooks = hooks;
    r->most = most;
    r->units = kn_memory_resize(&hooks, NULL, 0, most * sizeof(*r->units));
    r->ranks = kn_memory_resize(&hooks, NULL, 0, most * sizeof(*r->ranks));
    r->at = kn_memory_resize(&hooks, NULL, 0, most * sizeof(*r->at));
    r->points = kn_memory_resize(&hooks, NULL, 0, most * sizeof(*r->points));
    return r->units != NULL && r->ranks != NULL && r->at != NULL && r->points != NULL;
}

static void recipient_add(const kn_world *world, recipients *r, const kn_order *order,
    const kn_order_group_def *def, uint32_t member)
{
    const kn_entity_id unit = def->units[member];
    if (kn_unit_get_type(world, unit).index1 != 0 &&
        kn_order_can_obey(world, order->type, unit, order->index, NULL)) {
        r->ranks[r->count] = def->ranks != NULL ? def->ranks[member] : 0;
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
    kn_order_variant variant;
    (void)kn_order_get_variant(world, order->type, def->units[def->first], order->index, &variant);
    const kn_order_group group = (kn_order_group)variant.group;
    if (group == KN_ORDER_GROUP_FIRST) {
        recipient_add(world, r, order, def, def->first);
        return;
    }
    if (group == KN_ORDER_GROUP_SUB_GROUP && def->sub_group != NULL) {
        for (uint32_t i = 0; i < def->sub_group_count; i++) {
            recipient_add(world, r, order, def, def->sub_group[i]);
        }
        return;
    }
    for (uint32_t i = 0; i < def->unit_count; i++) {
        recipient_add(world, r, order, def, i);
    }
    if (group == KN_ORDER_GROUP_MOST_SUITABLE) {
        kn_order_target target = knc_order_target_of(world, def->units[0], order);
        kn_entity_id best = kn_order_most_suitable(world, order->type, r->units, r->count, &target,
            order->index, group_radius(world, def, &target));
        r->count = best.index1 != 0;
        r->units[0] = best;
    }
}

// Asks the hook about the points of the formation.
static kn_result points_ask(const kn_world *world, const recipients *r, const kn_order *order,
    kn_vec3 middle, kn_vec3 target)
{
    const kn_order_type_def *type = knc_order_type_of(world, order->type);
    for (uint32_t i = 0; i < r->count; i++) {
        kn_order_location_call call = {.order = *order,
            .place = i,
            .count = r->count,
            .middle = middle,
            .target = target,
            .location = r->points[i]};
        if (kn_hook_read(world, knc_order_kit_of_world(world)->type_kind, order->type.index1,
                &type->find_location, r->units[i], &call) != KN_OK) {
            return KN_REFUSED_CUSTOM;
        }
        const kn_order there = kn_order_at(order->type, call.location);
        if (!knc_order_is_finite(&there)) {
            return KN_REFUSED_BAD_NUMBER;
        }
        r->points[i] = call.location;
    }
    return KN_OK;
}

// Points of their own, by the formation of the order type.
static kn_result points_find(
    const kn_world *world, const recipients *r, const kn_order *order, kn_formation_rule rule)
{
    const kn_order_type_def *type = knc_order_type_of(world, order->type);
    kn_vec3 middle = {0};
    for (uint32_t i = 0; i < r->count; i++) {
        r->at[i] = knc_order_position(world, r->units[i]);
        middle.x += r->at[i].x / (float)r->count;
        middle.y += r->at[i].y / (float)r->count;
    }
    const kn_vec3 target = knc_order_target_of(world, r->units[0], order).location;
    kn_formation_slots(type->formation, r->count, type->spacing, middle, target, r->points);
    kn_result result = knc_formation_assign(
        &r->hooks, rule, r->at, r->has_ranks ? r->ranks : NULL, r->count, target, r->points);
    return result == KN_OK && type->find_location.function != NULL
               ? points_ask(world, r, order, middle, target)
               : result;
}

static kn_result group_check(
    const kn_world *world, const kn_order_group_def *def, const kn_order *order)
{
    if (knc_order_kit_of_world(world) == NULL || def == NULL || order == NULL ||
        def->cookie != GROUP_COOKIE || (def->units == NULL && def->unit_count > 0) ||
        (uint32_t)def->rule >= KN_FORMATION_RULE_COUNT) {
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
    return knc_order_is_finite(order) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

// Frees what it has if it fails.
static kn_result recipients_plan(
    const kn_world *world, const kn_order_group_def *def, const kn_order *order, recipients *r)
{
    *r = (recipients){0};
    kn_result result = group_check(world, def, order);
    if (result != KN_OK || def->unit_count == 0) {
        return result;
    }
    uint32_t most = def->unit_count > def->sub_group_count ? def->unit_count : def->sub_group_count;
    if (!recipients_reserve(world, r, most)) {
        recipients_free(r);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    r->has_ranks = def->ranks != NULL;
    recipients_find(world, def, order, r);
    r->spreads = knc_order_type_of(world, order->type)->individual_locations && r->count > 0 &&
                 (order->uses_location != 0 || kn_entity_is_alive(world, order->target));
    result = r->spreads ? points_find(world, r, order, def->rule) : KN_OK;
    if (result != KN_OK) {
        recipients_free(r);
    }
    return result;
}

static kn_order recipient_order(const recipients *r, const kn_order *order, uint32_t i)
{
    kn_order own = *order;
    if (r->spreads && order->uses_location != 0) {
        kn_order_set_location(&own, r->points[i]);
    }
    return own;
}

kn_result kn_order_plan_group(const kn_world *world, const kn_order_group_def *def,
    const kn_order *order, kn_order_share *out, uint32_t capacity, uint32_t *count)
{
    recipients r;
    *count = 0;
    kn_result result = recipients_plan(world, def, order, &r);
    *count = r.count;
    for (uint32_t i = 0; out != NULL && i < r.count && i < capacity; i++) {
        out[i] = (kn_order_share){r.units[i], recipient_order(&r, order, i)};
    }
    recipients_free(&r);
    return result;
}

kn_result kn_order_issue_group(
    kn_world *world, const kn_order_group_def *def, const kn_order *order, uint32_t *given)
{
    uint32_t ignored;
    recipients r;
    given = given != NULL ? given : &ignored;
    *given = 0;
    if (world != NULL && kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    kn_result result = recipients_plan(world, def, order, &r);
    for (uint32_t i = 0; result == KN_OK && i < r.count; i++) {
        kn_order own = recipient_order(&r, order, i);
        kn_result taken = def->enqueues ? kn_order_enqueue(world, r.units[i], &own, NULL)
                                        : kn_order_issue(world, r.units[i], &own, NULL);
        *given += taken == KN_OK;
        result = taken == KN_ERROR_OUT_OF_MEMORY || taken == KN_ERROR_WORLD_BROKEN ? taken : KN_OK;
    }
    recipients_free(&r);
    return result;
}

kn_result kn_order_find_locations(const kn_world *world, const kn_order *order,
    const kn_entity_id *units, uint32_t count, kn_vec3 *out)
{
    kn_order_group_def def = kn_order_group_def_default();
    def.units = units;
    def.unit_count = count;
    kn_result result = group_check(world, &def, order);
    if (result == KN_OK && out == NULL && count > 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; out != NULL && i < count; i++) {
        out[i] = (kn_vec3){0};
    }
    if (result != KN_OK || count == 0) {
        return result;
    }
    recipients r = {0};
    if (!recipients_reserve(world, &r, count)) {
        recipients_free(&r);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    r.count = count;
    memcpy(r.units, units, count * sizeof(*units));
    if (knc_order_type_of(world, order->type)->individual_locations) {
        result = points_find(world, &r, order, KN_FORMATION_GREEDY);
    } else {
        const kn_vec3 target = knc_order_target_of(world, units[0], order).location;
        for (uint32_t i = 0; i < count; i++) {
            r.points[i] = target;
        }
    }
    if (result == KN_OK) {
        memcpy(out, r.points, count * sizeof(*out));
    }
    recipients_free(&r);
    return result;
}
