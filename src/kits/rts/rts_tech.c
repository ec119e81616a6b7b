// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Technology as a part of the kit: its tags and its gate in production, and the resources of
// players.

#include "tech_parts.h"

#include <math.h>
#include <stdlib.h>

static const char key; // only its address counts

tech_kit *knc_rts_tech_of(const kn_library *library)
{
    return library != NULL ? kn_library_data(library, &key) : NULL;
}

const tech_kit *knc_rts_tech_of_world(const kn_world *world)
{
    return world != NULL ? knc_rts_tech_of(kn_world_library(world)) : NULL;
}

static void list_add(kn_tag *list, uint32_t *count, kn_tag tag)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (list[i].index1 == tag.index1) {
            return;
        }
    }
    if (*count < KN_ORDER_ERRORS_MAX) {
        list[(*count)++] = tag;
    }
}

void knc_rts_missing_add(kn_order_errors *errors, kn_tag tag)
{
    if (errors != NULL) {
        list_add(errors->missing, &errors->missing_count, tag);
    }
}

void knc_rts_blocking_add(kn_order_errors *errors, kn_tag tag)
{
    if (errors != NULL) {
        list_add(errors->blocking, &errors->blocking_count, tag);
    }
}

// The gate in production ------------------------------------------------------------

static void gate_quote(
    void *user, const kn_world *world, const kn_product_case *one, kn_product_terms *terms)
{
    (void)user;
    knc_rts_upgrade_quote(world, one, terms);
}

static kn_result gate_check(
    void *user, const kn_world *world, const kn_product_case *one, kn_product_answer *answer)
{
    (void)user;
    const bool meets = knc_rts_tech_meets(
        world, one->payer, TECH_PRODUCT, one->product.index1, 0, &answer->errors);
    const kn_result research = knc_rts_upgrade_check(world, one, answer);
    const kn_result room = knc_rts_population_check(world, one, answer);
    return !meets ? KN_REFUSED_REQUIREMENT : research != KN_OK ? research : room;
}

static bool gate_may_begin(void *user, const kn_world *world, const kn_product_case *one)
{
    (void)user;
    return knc_rts_population_may_begin(world, one);
}

static void gate_changed(
    void *user, kn_world *world, const kn_product_case *one, kn_product_stage stage)
{
    (void)user;
    knc_rts_population_note(world, one, stage);
    knc_rts_upgrade_note(world, one, stage);
}

// Production may be registered before or after this kit.
kn_result knc_rts_tech_expand(kn_library *library, tech_kit *kit, kn_error *error)
{
    kit->constructing = kn_tag_find(library, "Knack.Status.Constructing");
    kn_result result = KN_OK; // games without requirements do not pay for the gate
    if (kn_def_count(library, kit->requirement_kind) > 0) {
        result = kn_order_gate_register(library, knc_rts_tech_order_gate, kit);
    }
    if (result == KN_OK && kn_order_produce_is_there(library)) {
        const kn_product_gate gate = {kit, gate_quote, gate_check, gate_may_begin, gate_changed};
        result = kn_product_gate_register(library, &gate);
    }
    result = result == KN_OK ? knc_rts_population_expand(library, kit, error) : result;
    return result == KN_OK ? knc_rts_gifts_expand(library, kit, error) : result;
}

static kn_result tags_register(kn_library *library, tech_kit *kit, kn_error *error)
{
    static const char *const names[TECH_TAG_COUNT] = {
        [TECH_TAG_TECHNOLOGY] = "Knack.Order.Technology",
        [TECH_TAG_AT_MAXIMUM] = "Knack.Order.AtMaximum",
        [TECH_TAG_RESEARCHING] = "Knack.Order.Researching",
        [TECH_TAG_POPULATION] = "Knack.Order.Population",
        [TECH_TAG_POPULATION_LIMIT] = "Knack.Order.PopulationLimit",
    };
    return kn_tag_register_module(library, "Knack", names, TECH_TAG_COUNT, kit->tags, error);
}

static void kit_release(void *user)
{
    knc_rts_tech_plans_release(user);
    free(user);
}

kn_result knc_rts_tech_register(kn_library *library, rts_kit *rts, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, tech_kit *, kn_error *) = {
        tags_register,
        knc_rts_tech_kinds_register,
        knc_rts_upgrades_register,
        knc_rts_population_state_register,
        knc_rts_gifts_register,
        knc_rts_tech_functions_register,
    };
    tech_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->rts = rts;
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error);
    }
    return result;
}

// Resources -------------------------------------------------------------------------

static bool is_amount(float amount)
{
    return isfinite(amount) && amount >= 0.0f;
}

uint32_t kn_rts_missing(const kn_world *world, kn_entity_id player, const kn_product_cost *costs,
    uint32_t count, kn_product_shortage *missing, uint32_t capacity)
{
    uint32_t found = 0;
    if (knc_rts_tech_of_world(world) == NULL || !kn_entity_is_alive(world, player) ||
        (costs == NULL && count > 0)) {
        return UINT32_MAX;
    }
    for (uint32_t i = 0; i < count; i++) {
        const float there = kn_attribute_base(world, player, costs[i].attribute);
        if (!is_amount(costs[i].amount)) {
            return UINT32_MAX;
        }
        if (there >= costs[i].amount) {
            continue;
        }
        if (found < capacity) {
            missing[found].attribute = costs[i].attribute;
            missing[found].amount = costs[i].amount - (there > 0.0f ? there : 0.0f);
        }
        found++;
    }
    return found;
}

typedef struct pay_call {
    kn_entity_id player, to;
    const kn_product_cost *costs;
    uint32_t count;
} pay_call;

float knc_rts_base_add(
    kn_world *world, kn_entity_id player, kn_attribute_id attribute, float amount)
{
    if (attribute.index1 == 0 || amount == 0.0f || !kn_entity_is_alive(world, player) ||
        !kn_attribute_exists(world, player, attribute, 0)) {
        return 0.0f;
    }
    const float before = kn_attribute_base(world, player, attribute);
    const float wanted = before + amount;
    (void)kn_attribute_set_base(world, player, attribute, 0, wanted);
    const float after = kn_attribute_base(world, player, attribute);
    // What a hook has added besides is not ours.
    return (amount > 0.0f ? after > wanted : after < wanted) ? wanted - before : after - before;
}

static void base_set(kn_world *world, kn_entity_id player, kn_attribute_id attribute, float base)
{
    (void)kn_attribute_set_base(world, player, attribute, 0, base);
}

// Takes the costs from one of them on: all, or nothing, for a limit of an attribute may be in the
// way. The stored value counts, not the difference, which is rounded.
static kn_result costs_take(kn_world *world, const pay_call *c, uint32_t first)
{
    if (first == c->count) {
        return KN_OK;
    }
    const kn_product_cost *cost = &c->costs[first];
    if (cost->amount == 0.0f) {
        return costs_take(world, c, first + 1);
    }
    const float before = kn_attribute_base(world, c->player, cost->attribute);
    const float wanted = before - cost->amount;
    base_set(world, c->player, cost->attribute, wanted);
    const bool is_taken = kn_attribute_base(world, c->player, cost->attribute) <= wanted;
    kn_result result = is_taken ? costs_take(world, c, first + 1) : KN_REFUSED_COST;
    if (result != KN_OK) {
        base_set(world, c->player, cost->attribute, before);
    }
    return result;
}

static kn_result pay_run(void *user, kn_world *world)
{
    return costs_take(world, user, 0);
}

static kn_result pay_check(
    const kn_world *world, kn_entity_id player, const kn_product_cost *costs, uint32_t count)
{
    kn_result result = knc_rts_may_change(world, player);
    if (result != KN_OK || (costs == NULL && count > 0)) {
        return result != KN_OK ? result : KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!is_amount(costs[i].amount)) {
            return KN_REFUSED_BAD_NUMBER;
        }
    }
    return kn_rts_missing(world, player, costs, count, NULL, 0) == 0 ? KN_OK : KN_REFUSED_COST;
}

kn_result kn_rts_pay(
    kn_world *world, kn_entity_id player, const kn_product_cost *costs, uint32_t count)
{
    kn_result result = pay_check(world, player, costs, count);
    pay_call c = {.player = player, .costs = costs, .count = count};
    return result == KN_OK ? kn_world_call(world, pay_run, &c) : result;
}

static kn_result transfer_run(void *user, kn_world *world)
{
    const pay_call *c = user;
    const kn_product_cost *cost = c->costs;
    const float own = kn_attribute_base(world, c->player, cost->attribute);
    kn_result result = costs_take(world, c, 0);
    if (result != KN_OK || cost->amount == 0.0f) {
        return result;
    }
    const float before = kn_attribute_base(world, c->to, cost->attribute);
    const float wanted = before + cost->amount;
    base_set(world, c->to, cost->attribute, wanted);
    if (kn_attribute_base(world, c->to, cost->attribute) >= wanted) {
        return KN_OK;
    }
    base_set(world, c->to, cost->attribute, before);
    base_set(world, c->player, cost->attribute, own);
    return KN_REFUSED_LIMIT;
}

kn_result kn_rts_transfer(
    kn_world *world, kn_entity_id from, kn_entity_id to, kn_attribute_id attribute, float amount)
{
    const kn_product_cost cost = {attribute, amount};
    kn_result result = pay_check(world, from, &cost, 1);
    if (result != KN_OK) {
        return result;
    }
    if (!kn_entity_is_alive(world, to)) {
        return KN_REFUSED_STALE_ID;
    }
    if ((kn_order_get_relation(world, from, to) & KN_ORDER_HOSTILE) != 0) {
        return KN_REFUSED_REQUIREMENT;
    }
    if (!kn_attribute_exists(world, to, attribute, 0)) {
        return KN_REFUSED_MISSING_ATTRIBUTE;
    }
    pay_call c = {.player = from, .to = to, .costs = &cost, .count = 1};
    return kn_world_call(world, transfer_run, &c);
}
