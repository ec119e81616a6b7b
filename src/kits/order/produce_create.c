// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a product becomes: an entity beside its producer, an effect, an event.

#include "produce_parts.h"

#include <math.h>

// Where ---------------------------------------------------------------------------------

#define DIRECTIONS 16

// NULL if the entity has no body of the grid.
static const kn_body *body_of(const kn_world *world, kn_entity_id entity)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    return kit->bodies.index1 != 0 ? kn_component_read(world, kit->bodies, entity) : NULL;
}

float knc_product_radius(const kn_world *world, kn_entity_id entity)
{
    const kn_body *body = body_of(world, entity);
    return body != NULL ? body->radius : 0.0f;
}

bool knc_product_position(const kn_world *world, kn_entity_id entity, kn_vec3 *position)
{
    const kn_body *body = body_of(world, entity);
    *position = body != NULL ? body->position : (kn_vec3){0};
    return body != NULL || kn_space_position(kn_world_space(world), world, entity, position);
}

// In which direction new units leave: towards the rally point, or where the producer looks.
static kn_vec3 direction_of(const kn_world *world, kn_entity_id maker, kn_vec3 at)
{
    kn_vec3 goal;
    kn_view_point view;
    kn_vec3 way = {0};
    const kn_body *body = body_of(world, maker);
    if (knc_rally_first(world, maker, &goal)) {
        way = (kn_vec3){goal.x - at.x, goal.y - at.y, 0.0f};
    }
    if (way.x == 0.0f && way.y == 0.0f && body != NULL) {
        way = body->facing;
    } else if (way.x == 0.0f && way.y == 0.0f &&
               kn_space_view(kn_world_space(world), world, maker, &view)) {
        way = view.direction;
    }
    float length = sqrtf(way.x * way.x + way.y * way.y);
    return length > 0.0f && isfinite(length) ? (kn_vec3){way.x / length, way.y / length, 0.0f}
                                             : (kn_vec3){1.0f, 0.0f, 0.0f};
}

static bool is_free(const kn_world *world, kn_vec3 at, const kn_product_def *def)
{
    const kn_sphere ball = {at, def->radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.layers = def->layers;
    return kn_space_sphere(kn_world_space(world), world, &ball, &filter, NULL, 0) == 0;
}

kn_vec3 knc_product_exit(
    const kn_world *world, kn_entity_id maker, const kn_product_def *def, bool *is_placed)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const producer *own = kn_component_read(world, kit->producers, maker);
    const kn_producer_def *type =
        own != NULL ? kn_producer_get_def(kn_world_library(world), own->type) : NULL;
    kn_vec3 at;
    *is_placed = knc_product_position(world, maker, &at);
    if (!*is_placed || type == NULL) {
        return at;
    }
    if (type->exit.x != 0.0f || type->exit.y != 0.0f || type->exit.z != 0.0f) {
        return (kn_vec3){at.x + type->exit.x, at.y + type->exit.y, at.z + type->exit.z};
    }
    // Steps of an eighth of a half turn, to both sides in turn, until a place is free.
    static const float cosines[DIRECTIONS / 2 + 1] = {1.0f, 0.92387953f, 0.70710678f, 0.38268343f,
        0.0f, -0.38268343f, -0.70710678f, -0.92387953f, -1.0f};
    static const float sines[DIRECTIONS / 2 + 1] = {0.0f, 0.38268343f, 0.70710678f, 0.92387953f,
        1.0f, 0.92387953f, 0.70710678f, 0.38268343f, 0.0f};
    float distance = knc_product_radius(world, maker) + type->exit_gap + def->radius;
    const kn_vec3 ahead = direction_of(world, maker, at);
    kn_vec3 first = {at.x + ahead.x * distance, at.y + ahead.y * distance, at.z};
    for (uint32_t i = 0; i < DIRECTIONS; i++) {
        uint32_t step = (i + 1) / 2;
        float c = cosines[step], s = i % 2 == 1 ? sines[step] : -sines[step];
        kn_vec3 place = {at.x + (ahead.x * c - ahead.y * s) * distance,
            at.y + (ahead.x * s + ahead.y * c) * distance, at.z};
        if (is_free(world, place, def)) {
            return place;
        }
    }
    return first; // it is crowded: whoever moves them keeps them apart
}

// What ----------------------------------------------------------------------------------

static kn_result entity_set_up(kn_world *world, kn_entity_id maker, const kn_product_def *def,
    kn_vec3 location, bool is_placed, kn_entity_id created)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_entity_id owner = kn_entity_owner(world, maker);
    kn_result result = KN_OK;
    if (kn_entity_is_alive(world, owner)) {
        result = kn_entity_set_owner(world, created, owner);
    }
    if (result == KN_OK) {
        result = kn_entity_set_connection(world, created, kn_entity_connection(world, maker));
    }
    if (result != KN_OK || !is_placed || kit->bodies.index1 == 0) {
        return result;
    }
    kn_body *body = kn_component_add(world, kit->bodies, created);
    if (body == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *body = kn_body_default();
    body->position = location;
    body->radius = def->radius;
    body->layers = def->layers;
    return KN_OK;
}

kn_result knc_product_create(kn_world *world, kn_entity_id maker, const kn_product_def *def,
    kn_archetype_id archetype, kn_vec3 location, bool is_placed, kn_entity_id *created)
{
    kn_result result = kn_archetype_spawn(world, archetype, def->level, created);
    if (result != KN_OK) {
        return result;
    }
    result = entity_set_up(world, maker, def, location, is_placed, *created);
    if (result != KN_OK) {
        (void)kn_entity_destroy(world, *created);
        *created = (kn_entity_id){0};
    }
    return result;
}

bool knc_product_hook_agrees(const kn_world *world, const kn_hook *hook, kn_product_id product,
    kn_entity_id maker, kn_vec3 location, kn_order_errors *errors)
{
    if (hook->function == NULL) {
        return true;
    }
    kn_product_call call = {
        .product = product, .payer = kn_product_payer(world, maker), .location = location};
    bool agrees = kn_hook_read(world, knc_produce_kit_of_world(world)->product_kind, product.index1,
                      hook, maker, &call) == KN_OK;
    for (uint32_t i = 0; !agrees && i < call.error_count && i < COUNT(call.errors); i++) {
        kn_order_errors_add(errors, call.errors[i]);
    }
    return agrees;
}

void knc_product_created(kn_world *world, kn_entity_id maker, kn_product_id product,
    kn_entity_id payer, kn_entity_id created, kn_vec3 location)
{
    const kn_product_def *def = knc_product_of(world, product);
    kn_product_call call = {
        .product = product, .payer = payer, .created = created, .location = location};
    (void)kn_hook_run(world, knc_produce_kit_of_world(world)->product_kind, product.index1,
        &def->created, maker, &call);
}

void knc_product_deliver(
    kn_world *world, kn_entity_id maker, kn_product_id product, kn_entity_id created)
{
    const kn_product_def *def = knc_product_of(world, product);
    kn_event_record record = kn_event_record_default();
    record.instigator = maker;
    record.target = created.index1 != 0 ? created : maker;
    record.magnitude = def->level;
    if (kn_entity_is_alive(world, created)) {
        // Rules that make a unit of the entity come first, since they wait already.
        (void)kn_event_send(
            world, created, knc_produce_kit_of_world(world)->tags[TAG_PRODUCED], &record);
    }
    if (def->effect.index1 != 0) {
        (void)kn_effect_apply_simple(
            world, def->effect, maker, kn_product_payer(world, maker), def->level, NULL);
    }
    if (def->event.index1 != 0) {
        (void)kn_event_send(world, maker, def->event, &record);
    }
}
