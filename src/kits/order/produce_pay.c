// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The price of products: who pays, what is missing, and what is given back. A bill says what was
// really paid and who paid it, so that a refund never depends on what has changed since.

#include "produce_parts.h"

kn_entity_id kn_product_payer(const kn_world *world, kn_entity_id maker)
{
    kn_entity_id owner = kn_entity_owner(world, maker);
    if (kn_entity_is_alive(world, owner)) {
        return owner;
    }
    return kn_entity_is_alive(world, maker) ? maker : (kn_entity_id){0};
}

bool knc_product_can_pay(const kn_world *world, kn_entity_id payer, const kn_product_terms *terms,
    kn_product_answer *answer)
{
    bool can_pay = true;
    for (uint32_t i = 0; i < terms->cost_count; i++) {
        const kn_product_cost *cost = &terms->costs[i];
        float there = kn_attribute_base(world, payer, cost->attribute);
        if (there >= cost->amount) {
            continue;
        }
        can_pay = false;
        answer->shortages[answer->shortage_count++] =
            (kn_product_shortage){cost->attribute, cost->amount - (there > 0.0f ? there : 0.0f)};
    }
    if (!can_pay) {
        kn_order_errors_add(&answer->errors, knc_produce_kit_of_world(world)->tags[TAG_COST]);
    }
    return can_pay;
}

float knc_product_refund(kn_world *world, const product_bill *bill, float share)
{
    if (!kn_entity_is_alive(world, bill->payer)) {
        return 0.0f;
    }
    for (uint32_t i = 0; i < KN_PRODUCT_COSTS_MAX; i++) {
        float amount = bill->amounts[i] * share;
        if (bill->attributes[i].index1 != 0 && amount > 0.0f) {
            float base = kn_attribute_base(world, bill->payer, bill->attributes[i]);
            (void)kn_attribute_set_base(world, bill->payer, bill->attributes[i], 0, base + amount);
        }
    }
    return share;
}

kn_result knc_product_pay(
    kn_world *world, kn_entity_id payer, const kn_product_terms *terms, product_bill *bill)
{
    *bill = (product_bill){.payer = payer};
    for (uint32_t i = 0; i < terms->cost_count; i++) {
        const kn_product_cost *cost = &terms->costs[i];
        if (cost->amount == 0.0f) {
            continue;
        }
        float before = kn_attribute_base(world, payer, cost->attribute);
        float wanted = before - cost->amount;
        kn_result result = kn_attribute_set_base(world, payer, cost->attribute, 0, wanted);
        float after = kn_attribute_base(world, payer, cost->attribute);
        bill->attributes[i] = cost->attribute;
        bill->amounts[i] = before - after;
        // A limit or a hook of the attribute may keep it from going so low.
        if (result != KN_OK || after > wanted) {
            (void)knc_product_refund(world, bill, 1.0f);
            return result == KN_OK || kn_result_is_refused(result) ? KN_REFUSED_COST : result;
        }
    }
    return KN_OK;
}

static bool tags_hold(const kn_world *world, kn_entity_id entity, kn_tags required, kn_tags blocked,
    kn_order_errors *errors)
{
    bool holds = true;
    for (uint32_t i = 0; i < blocked.count; i++) {
        if (kn_entity_has_tag(world, entity, blocked.data[i])) {
            knc_order_errors_add_blocking(errors, blocked.data[i]);
            holds = false;
        }
    }
    for (uint32_t i = 0; i < required.count; i++) {
        if (!kn_entity_has_tag(world, entity, required.data[i])) {
            knc_order_errors_add_missing(errors, required.data[i]);
            holds = false;
        }
    }
    return holds;
}

kn_result knc_product_may_begin(
    const kn_world *world, kn_entity_id maker, kn_product_id product, kn_product_answer *answer)
{
    const kn_product_def *def = knc_product_of(world, product);
    kn_entity_id payer = kn_product_payer(world, maker);
    bool of_maker = tags_hold(world, maker, def->required, def->blocked, &answer->errors);
    bool of_payer =
        tags_hold(world, payer, def->payer_required, def->payer_blocked, &answer->errors);
    kn_product_terms terms;
    (void)kn_product_quote(world, maker, product, &terms);
    bool can_pay = knc_product_can_pay(world, payer, &terms, answer);
    bool agrees = knc_product_hook_agrees(
        world, &def->can_make, product, maker, (kn_vec3){0}, &answer->errors);
    const kn_product_case one = {.product = product, .maker = maker, .payer = payer};
    kn_result gates = knc_product_gates_check(world, &one, answer);
    if (!of_maker || !of_payer || gates == KN_REFUSED_REQUIREMENT) {
        return KN_REFUSED_REQUIREMENT;
    }
    return !can_pay         ? KN_REFUSED_COST
           : gates != KN_OK ? gates
           : !agrees        ? KN_REFUSED_CUSTOM
                            : KN_OK;
}

void knc_product_bill_fields(kn_field *fields, size_t offset)
{
    const kn_field own[BILL_FIELDS] = {
        KN_FIELD(product_bill, payer, KN_FIELD_ENTITY),
        KN_FIELD_INIT("attributes", KN_FIELD_ATTRIBUTE, offsetof(product_bill, attributes),
            KN_PRODUCT_COSTS_MAX),
        KN_FIELD_INIT(
            "amounts", KN_FIELD_F32, offsetof(product_bill, amounts), KN_PRODUCT_COSTS_MAX),
    };
    for (uint32_t i = 0; i < BILL_FIELDS; i++) {
        fields[i] = own[i];
        fields[i].offset += (uint32_t)offset;
    }
}
