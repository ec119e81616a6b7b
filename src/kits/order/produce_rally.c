// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rally points: where new units of a producer go.

#include "produce_parts.h"

#include <math.h>
#include <string.h>

static const kn_rally_point *points_read(
    const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    *count = 0;
    return kit != NULL ? kn_component_read_items(world, kit->rallies, entity, count) : NULL;
}

uint32_t kn_rally_get(
    const kn_world *world, kn_entity_id entity, kn_rally_point *out, uint32_t capacity)
{
    uint32_t count;
    const kn_rally_point *points = points_read(world, entity, &count);
    if (count > 0 && capacity > 0) {
        memcpy(out, points, (count < capacity ? count : capacity) * sizeof(*out));
    }
    return count;
}

bool knc_rally_first(const kn_world *world, kn_entity_id entity, kn_vec3 *location)
{
    uint32_t count;
    const kn_rally_point *points = points_read(world, entity, &count);
    if (count == 0) {
        return false;
    }
    *location = points[0].location;
    return points[0].target.index1 == 0 || knc_product_position(world, points[0].target, location);
}

// Setting ---------------------------------------------------------------------------

typedef struct rally_call {
    kn_entity_id entity;
    const kn_rally_point *points;
    uint32_t count;
} rally_call;

static kn_result rally_run(void *user, kn_world *world)
{
    const rally_call *c = user;
    kn_component_type_id type = knc_produce_kit_of_world(world)->rallies;
    if (c->count == 0) {
        (void)kn_component_remove(world, type, c->entity);
        return KN_OK;
    }
    kn_rally_point *points = NULL;
    if (kn_component_add(world, type, c->entity) != NULL) {
        points = kn_component_resize(world, type, c->entity, c->count);
    }
    if (points == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memcpy(points, c->points, c->count * sizeof(*points));
    return KN_OK;
}

static kn_result points_check(const kn_world *world, const kn_rally_point *points, uint32_t count)
{
    if (count > KN_RALLY_POINTS_MAX) {
        return KN_REFUSED_LIMIT;
    }
    if (count > 0 && points == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        const kn_vec3 at = points[i].location;
        if (points[i].target.index1 != 0 && !kn_entity_is_alive(world, points[i].target)) {
            return KN_REFUSED_STALE_ID;
        }
        if (!isfinite(at.x) || !isfinite(at.y) || !isfinite(at.z)) {
            return KN_REFUSED_BAD_NUMBER;
        }
    }
    return KN_OK;
}

kn_result kn_rally_set(
    kn_world *world, kn_entity_id entity, const kn_rally_point *points, uint32_t count)
{
    kn_producer_info info;
    kn_result result = knc_produce_check(world, entity);
    if (result == KN_OK && !kn_producer_get_info(world, entity, &info)) {
        result = KN_REFUSED_NOT_FOUND;
    }
    result = result == KN_OK ? points_check(world, points, count) : result;
    rally_call c = {entity, points, count};
    return result == KN_OK ? kn_world_call(world, rally_run, &c) : result;
}

// New units -------------------------------------------------------------------------

static kn_order_type_id order_for(
    const kn_world *world, const kn_producer_def *type, const kn_rally_point *point)
{
    if (point->target.index1 != 0 && type->rally_entity_order.index1 != 0) {
        return type->rally_entity_order;
    }
    return type->rally_order.index1 != 0 ? type->rally_order
                                         : knc_produce_kit_of_world(world)->move;
}

static bool is_waiting_for_orders(const kn_world *world, kn_entity_id unit)
{
    kn_unit_info info;
    return kn_unit_get_info(world, unit, &info) && info.is_idle && info.queue_count == 0;
}

// A new unit that has nothing else to do goes where its producer says.
static void produced_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_rally_point points[KN_RALLY_POINTS_MAX];
    kn_producer_info info;
    (void)user;
    if (kn_world_is_client(world) || !is_waiting_for_orders(world, reaction->entity) ||
        !kn_producer_get_info(world, reaction->instigator, &info)) {
        return;
    }
    const kn_producer_def *type = kn_producer_get_def(kn_world_library(world), info.type);
    uint32_t count = kn_rally_get(world, reaction->instigator, points, KN_RALLY_POINTS_MAX);
    count = count < KN_RALLY_POINTS_MAX ? count : KN_RALLY_POINTS_MAX;
    for (uint32_t i = 0; type != NULL && i < count; i++) {
        kn_order order = kn_order_on(order_for(world, type, &points[i]), points[i].target);
        if (points[i].target.index1 == 0) {
            kn_order_set_location(&order, points[i].location);
        }
        if (kn_order_resolve(world, reaction->entity, &order, &order)) {
            (void)kn_order_enqueue(world, reaction->entity, &order, NULL);
        }
    }
}

kn_result knc_produce_rally_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(rally, unused, KN_FIELD_U32)};
    static const kn_field points[] = {
        KN_FIELD(kn_rally_point, target, KN_FIELD_ENTITY),
        KN_FIELD(kn_rally_point, location, KN_FIELD_VEC3),
    };
    static const kn_component_reference target = {
        .field = "target", .of_items = true, .when_destroyed = KN_REFERENCE_REMOVE};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.Rally";
    def.size = sizeof(rally);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(kn_rally_point);
    def.item_fields = points;
    def.item_field_count = COUNT(points);
    def.references = &target;
    def.reference_count = 1;
    def.sync = KN_SYNC_OWNER;
    kn_result result = kn_component_register(library, &def, &kit->rallies, error);
    return result != KN_OK ? result
                           : knc_produce_rule(library, "Knack.Produced", KN_TRIGGER_EVENT,
                                 kit->tags[TAG_PRODUCED], 0, produced_rule, kit, error);
}
