// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Where sites may stand, and how they begin.

#include "produce_parts.h"

#include <math.h>

#define SAME_PLACE 0.1f // sites nearer to a place than this stand there

// What is in the way --------------------------------------------------------------------

typedef struct place_search {
    kn_entity_id builder, owner;
    kn_product_id product;
    kn_vec3 location;
    const kn_product_def *def;
} place_search;

static bool is_obstacle(void *user, const kn_world *world, kn_entity_id entity)
{
    const place_search *s = user;
    return !kn_entity_id_equal(entity, s->builder) &&
           (s->def->obstacles.count == 0 ||
               kn_entity_has_any_tag(world, entity, s->def->obstacles));
}

static bool is_same_site(void *user, const kn_world *world, kn_entity_id entity)
{
    const place_search *s = user;
    const site *own = knc_site_read(world, entity);
    return own != NULL && own->product.index1 == s->product.index1 &&
           !kn_entity_is_dying(world, entity) &&
           kn_entity_id_equal(kn_entity_owner(world, entity), s->owner) &&
           knc_order_distance(knc_order_position(world, entity), s->location) <= SAME_PLACE;
}

static bool has_room(const kn_world *world, place_search *s)
{
    const kn_sphere ball = {s->location, s->def->radius};
    kn_space_filter filter = kn_space_filter_default();
    filter.accept = is_obstacle;
    filter.user = s;
    return kn_space_sphere(kn_world_space(world), world, &ball, &filter, NULL, 0) == 0;
}

kn_entity_id knc_site_at(
    const kn_world *world, kn_entity_id builder, kn_product_id product, kn_vec3 location)
{
    place_search s = {
        .owner = kn_entity_owner(world, builder), .product = product, .location = location};
    const kn_sphere ball = {location, SAME_PLACE};
    kn_space_filter filter = kn_space_filter_default();
    kn_entity_id found = {0};
    filter.accept = is_same_site;
    filter.user = &s;
    (void)kn_space_sphere(kn_world_space(world), world, &ball, &filter, &found, 1);
    return found;
}

// Checks ----------------------------------------------------------------------------------

static bool is_product_of(const kn_world *world, kn_entity_id builder, kn_product_id product)
{
    kn_producer_info info;
    const kn_producer_def *type = kn_producer_get_info(world, builder, &info)
                                      ? kn_producer_get_def(kn_world_library(world), info.type)
                                      : NULL;
    for (uint32_t i = 0; type != NULL && i < type->product_count; i++) {
        if (type->products[i].index1 == product.index1) {
            return true;
        }
    }
    return false;
}

static kn_result place_check(const kn_world *world, kn_entity_id builder, kn_product_id product,
    kn_vec3 location, kn_product_answer *answer)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_product_def *def = knc_product_of(world, product);
    place_search s = {.builder = builder, .product = product, .location = location, .def = def};
    bool is_free = has_room(world, &s);
    bool agrees = knc_product_hook_agrees(
        world, &def->can_place, product, builder, location, &answer->errors);
    if (!is_free) {
        kn_order_errors_add(&answer->errors, kit->tags[TAG_NO_ROOM]);
    }
    return !is_free ? KN_REFUSED_EXCLUSIVE : !agrees ? KN_REFUSED_CUSTOM : KN_OK;
}

static kn_result begin_check(const kn_world *world, kn_entity_id builder, kn_product_id product,
    const kn_vec3 *location, kn_product_answer *answer)
{
    if (knc_produce_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, builder)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, builder)) {
        return KN_REFUSED_DYING;
    }
    const kn_product_def *def = knc_product_of(world, product);
    if (def == NULL || !def->site || !is_product_of(world, builder, product)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (location != NULL &&
        !(isfinite(location->x) && isfinite(location->y) && isfinite(location->z))) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (location != NULL && knc_site_at(world, builder, product, *location).index1 != 0) {
        return KN_OK; // it goes on there, and was paid already
    }
    kn_result place =
        location != NULL ? place_check(world, builder, product, *location, answer) : KN_OK;
    kn_result result = knc_product_may_begin(world, builder, product, answer);
    return result == KN_REFUSED_REQUIREMENT || place == KN_OK ? result : place;
}

kn_result kn_site_check(const kn_world *world, kn_entity_id builder, kn_product_id product,
    const kn_vec3 *location, kn_product_answer *answer)
{
    kn_product_answer ignored;
    answer = answer != NULL ? answer : &ignored;
    *answer = (kn_product_answer){0};
    return begin_check(world, builder, product, location, answer);
}

// Beginning -------------------------------------------------------------------------------

typedef struct begin_call {
    kn_entity_id builder, site;
    kn_product_id product;
    kn_vec3 location;
    kn_product_answer *answer;
} begin_call;

static kn_result site_set_up(
    kn_world *world, kn_entity_id entity, const begin_call *c, const site *begin)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    site *own = kn_component_add(world, kit->sites, entity);
    if (own == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *own = *begin;
    own->since = kn_world_now(world);
    own->product = c->product;
    return kn_entity_set_tag_count(
        world, entity, kit->tags[TAG_CONSTRUCTING], KN_TAG_ORIGIN_LOOSE_SYNCED, 1);
}

static kn_result begin_run(void *user, kn_world *world)
{
    begin_call *c = user;
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_product_def *def = knc_product_of(world, c->product);
    const kn_entity_id payer = kn_product_payer(world, c->builder);
    kn_product_terms terms;
    site begin = {0};
    kn_entity_id entity;
    (void)kn_product_quote(world, c->builder, c->product, &terms);
    begin.time = terms.time;
    kn_result result = knc_product_pay(world, payer, &terms, &begin.bill);
    if (result != KN_OK) {
        kn_order_errors_add(&c->answer->errors, kit->tags[TAG_COST]);
        return result;
    }
    result = knc_product_create(world, c->builder, def,
        def->site_archetype.index1 != 0 ? def->site_archetype : def->archetype, c->location, true,
        &entity);
    if (result == KN_OK) {
        result = site_set_up(world, entity, c, &begin);
        if (result != KN_OK) {
            (void)kn_component_remove(world, kit->sites, entity);
            (void)kn_entity_destroy(world, entity);
        }
    }
    if (result != KN_OK) {
        (void)knc_product_refund(world, &begin.bill, 1.0f);
        return result;
    }
    const kn_product_event started = {c->product, payer, {0}, 0, 0.0f};
    const kn_product_case one = {
        .product = c->product, .maker = entity, .payer = payer, .is_site = true};
    c->site = entity;
    knc_product_gates_note(world, &one, KN_PRODUCT_BEGUN);
    (void)kn_world_publish(world, entity, kit->started, &started);
    knc_site_go_on(world, entity);
    knc_product_created(world, c->builder, c->product, payer, entity, c->location);
    return KN_OK;
}

kn_result kn_site_begin(kn_world *world, kn_entity_id builder, kn_product_id product,
    kn_vec3 location, kn_product_answer *answer, kn_entity_id *out)
{
    kn_product_answer ignored;
    begin_call c = {.builder = builder,
        .product = product,
        .location = location,
        .answer = answer != NULL ? answer : &ignored};
    *c.answer = (kn_product_answer){0};
    kn_result result = knc_produce_check(world, builder);
    result = result == KN_OK ? begin_check(world, builder, product, &location, c.answer) : result;
    if (result == KN_OK) {
        c.site = knc_site_at(world, builder, product, location);
    }
    if (result == KN_OK && c.site.index1 == 0) {
        result = kn_world_call(world, begin_run, &c);
    }
    if (out != NULL) {
        *out = c.site;
    }
    return result;
}
