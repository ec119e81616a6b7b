// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Gates: how other parts have a say in products. They belong to the library.

#include "produce_parts.h"

#include <math.h>
#include <string.h>

kn_result kn_product_gate_register(kn_library *library, const kn_product_gate *gate)
{
    produce_kit *kit = knc_produce_kit_of(library);
    if (kit == NULL || gate == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    for (uint32_t i = 0; i < kit->gate_count; i++) {
        const kn_product_gate *other = &kit->gates[i];
        if (other->user == gate->user && other->quote == gate->quote &&
            other->check == gate->check && other->may_begin == gate->may_begin &&
            other->changed == gate->changed) {
            return KN_OK; // finished for a second time
        }
    }
    if (kit->gate_count == KN_PRODUCT_GATES_MAX) {
        return KN_REFUSED_LIMIT;
    }
    kit->gates[kit->gate_count++] = *gate;
    return KN_OK;
}

// What a gate has computed may be anything.
static void terms_limit(kn_product_terms *terms)
{
    terms->time = knc_product_time(terms->time);
    if (terms->cost_count > KN_PRODUCT_COSTS_MAX) {
        terms->cost_count = KN_PRODUCT_COSTS_MAX;
    }
    for (uint32_t i = 0; i < terms->cost_count; i++) {
        float *amount = &terms->costs[i].amount;
        *amount = isfinite(*amount) && *amount > 0.0f ? *amount : 0.0f;
    }
}

bool kn_product_quote(
    const kn_world *world, kn_entity_id maker, kn_product_id product, kn_product_terms *terms)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    const kn_product_def *def = kit != NULL ? knc_product_of(world, product) : NULL;
    *terms = (kn_product_terms){0};
    if (def == NULL || !kn_entity_is_alive(world, maker)) {
        return false;
    }
    terms->time = def->time;
    terms->cost_count = def->cost_count;
    for (uint32_t i = 0; i < def->cost_count; i++) {
        terms->costs[i] = def->costs[i];
    }
    const kn_product_case one = {
        .product = product, .maker = maker, .payer = kn_product_payer(world, maker)};
    for (uint32_t i = 0; i < kit->gate_count; i++) {
        if (kit->gates[i].quote != NULL) {
            kit->gates[i].quote(kit->gates[i].user, world, &one, terms);
            terms_limit(terms);
        }
    }
    return true;
}

kn_result knc_product_gates_check(
    const kn_world *world, const kn_product_case *one, kn_product_answer *answer)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < kit->gate_count; i++) {
        if (kit->gates[i].check != NULL) {
            kn_result own = kit->gates[i].check(kit->gates[i].user, world, one, answer);
            result = result == KN_OK || own == KN_REFUSED_REQUIREMENT ? own : result;
        }
    }
    return result;
}

bool knc_product_gates_may_begin(const kn_world *world, const kn_product_case *one)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    bool may_begin = true;
    for (uint32_t i = 0; may_begin && i < kit->gate_count; i++) {
        const kn_product_gate *gate = &kit->gates[i];
        may_begin = gate->may_begin == NULL || gate->may_begin(gate->user, world, one);
    }
    return may_begin;
}

void knc_product_gates_note(kn_world *world, const kn_product_case *one, kn_product_stage stage)
{
    const produce_kit *kit = knc_produce_kit_of_world(world);
    for (uint32_t i = 0; i < kit->gate_count; i++) {
        if (kit->gates[i].changed != NULL) {
            kit->gates[i].changed(kit->gates[i].user, world, one, stage);
        }
    }
}
