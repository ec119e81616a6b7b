// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an ability costs: simulated step by step on base values, so that nothing is paid unless all
// of it can be.

#include "ability/actor.h"

#include <math.h>

// Computing the cost --------------------------------------------------------

typedef struct cost_walk {
    const kn_world *world;
    uint32_t component;
    float level;
    kni_price *price;
    bool fits; // all steps so far can be paid
} cost_walk;

// The base value after the steps so far.
static inline float cost_base(
    const cost_walk *walk, uint32_t attribute, uint32_t key, uint32_t position)
{
    const kni_price *price = walk->price;
    for (uint32_t i = price->count; i-- > 0;) {
        if (price->steps[i].attribute == attribute && price->steps[i].key == key) {
            return price->steps[i].after;
        }
    }
    const kni_component *component = kni_component_at(walk->world, walk->component);
    return kni_values_of(walk->world, component)[position].base;
}

// An attribute without a lower limit cannot be spent below 0 either.
static inline float cost_floor(
    const cost_walk *walk, const kni_attribute *info, uint32_t key, float *maximum)
{
    float minimum = info->const_base_min;
    *maximum = info->const_base_max;
    if ((info->flags & KNI_ATTRIBUTE_PLAIN) == 0) {
        kni_bounds(walk->world, kni_component_at(walk->world, walk->component), info, key, true,
            &minimum, maximum);
    }
    return minimum < 0.0f && !info->base_min.is_set ? 0.0f : minimum;
}

KNI_FAST void cost_step(
    cost_walk *walk, uint32_t attribute, uint32_t key, kn_op op, float magnitude)
{
    kni_price *price = walk->price;
    if (price->count == KNI_COST_STEPS) {
        price->steps[KNI_COST_STEPS - 1].is_cut = true; // too many steps: not affordable
        walk->fits = false;
        return;
    }
    const kn_world *world = walk->world;
    const kni_component *component = kni_component_at(world, walk->component);
    uint32_t position = key == 0 ? kni_position(world, component, attribute)
                                 : kni_position_keyed(world, component, attribute, key);
    kni_cost_step *step = &price->steps[price->count];
    *step = (kni_cost_step){.attribute = attribute, .key = key};
    if (position == KNI_NONE) {
        step->is_missing = true;
        step->after = -magnitude;
        price->count++;
        walk->fits = false;
        return;
    }
    const kni_attribute *info = kni_attribute_at(world->library, attribute);
    float before = cost_base(walk, attribute, key, position);
    float wanted = op == KN_OP_ADD ? before + magnitude : kni_apply_op(op, before, magnitude);
    float maximum, minimum = cost_floor(walk, info, key, &maximum);
    step->before = before;
    bool is_finite = wanted - wanted == 0.0f;
    step->is_cut = !is_finite || (wanted < minimum && wanted < before);
    walk->fits &= !step->is_cut;
    step->after = wanted > maximum ? maximum : wanted;
    const kn_attribute_def *def = &info->def;
    if (def->rounding != KN_ROUND_NONE && isfinite(step->after)) {
        step->after = kni_round(def->rounding, def->minimum_one, step->after, step->after);
    }
    price->count++;
}

// A share of an absent attribute is not affordable.
static float cost_share(const cost_walk *walk, kn_attribute_id attribute, float share)
{
    kn_entity_id owner = kni_component_entity(walk->world, walk->component);
    return kn_attribute_exists(walk->world, owner, attribute, 0)
               ? share * kn_attribute_value(walk->world, owner, attribute)
               : INFINITY;
}

// Modifiers act on the amount without its sign: a negative one is a gain.
static float cost_modified(const cost_walk *walk, kn_value_id value, float amount)
{
    if (!isfinite(amount)) {
        return amount; // not affordable
    }
    kn_entity_id owner = kni_component_entity(walk->world, walk->component);
    float size = kn_value_evaluate(walk->world, owner, value, fabsf(amount), NULL, false);
    return amount < 0.0f ? -size : size;
}

static inline float cost_amount(
    const cost_walk *walk, const kn_cost_def *cost, const kn_scalable *scalable)
{
    float amount = kni_level_value(walk->world, scalable, walk->level);
    amount = cost->share_of.index1 == 0 ? amount : cost_share(walk, cost->share_of, amount);
    return cost->value.index1 == 0 ? amount : cost_modified(walk, cost->value, amount);
}

static inline void cost_list(cost_walk *walk, const kn_ability_def *def)
{
    for (uint32_t i = 0; i < def->cost_count; i++) {
        const kn_cost_def *cost = &def->costs[i];
        uint32_t attribute = cost->attribute.index1 - 1;
        float amount = cost_amount(walk, cost, &cost->amount);
        if (cost->up_to) {
            const kni_component *component = kni_component_at(walk->world, walk->component);
            uint32_t position = kni_position(walk->world, component, attribute);
            float minimum = cost_amount(walk, cost, &cost->minimum);
            float maximum, have = 0.0f;
            if (position != KNI_NONE) {
                have = cost_base(walk, attribute, 0, position) -
                       cost_floor(
                           walk, kni_attribute_at(walk->world->library, attribute), 0, &maximum);
            }
            amount = have < amount ? have : amount;
            amount = amount < minimum ? minimum : amount;
        }
        cost_step(walk, attribute, 0, KN_OP_ADD, -amount);
    }
}

KNI_SLOW static void cost_effect(cost_walk *walk, uint32_t slot, kn_effect_type_id type_id)
{
    const kni_effect_type *type = kni_type_at(walk->world, type_id.index1 - 1);
    bool is_plain = (type->flags & KNI_EFFECT_PLAIN_MODIFIERS) != 0;
    kn_spec_view view;
    kni_ability_view(walk->world, slot, type, &view);
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        if (modifier->attribute == KNI_NONE || !kni_modifier_requirement(&view, i)) {
            continue;
        }
        float magnitude = modifier->constant;
        if (!is_plain && kni_modifier_magnitude(&view, i, &magnitude) != KN_OK) {
            magnitude = NAN; // cannot be computed: not affordable
        }
        cost_step(walk, modifier->attribute, modifier->key, (kn_op)modifier->op, magnitude);
    }
}

bool kni_cost_price(const kn_world *world, uint32_t slot, kni_price *price)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    const kn_ability_def *def = &kni_ability_type_at(world->library, ability->type)->def;
    cost_walk walk = {world, ability->component, ability->level, price, true};
    price->count = 0;
    cost_list(&walk, def);
    if (def->cost_effect.index1 != 0) {
        cost_effect(&walk, slot, def->cost_effect);
    }
    return walk.fits;
}

uint32_t kn_ability_quote(
    const kn_world *world, kn_ability_id ability, kn_cost_quote *out, uint32_t capacity)
{
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        return 0;
    }
    kni_price price;
    kn_cost_quote quotes[KNI_COST_STEPS];
    uint32_t count = 0;
    (void)kni_cost_price(world, slot, &price);
    for (uint32_t i = 0; i < price.count; i++) {
        const kni_cost_step *step = &price.steps[i];
        uint32_t at = 0;
        while (at < count && quotes[at].attribute.index1 != step->attribute + 1) {
            at++;
        }
        if (at == count) {
            quotes[count++] = (kn_cost_quote){
                .attribute = {step->attribute + 1}, .have = step->before, .is_affordable = true};
        }
        quotes[at].amount += step->before - step->after;
        quotes[at].is_affordable &= !step->is_cut && !step->is_missing;
    }
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = quotes[i];
    }
    return count;
}

// Paying --------------------------------------------------------------------

void kni_cost_pay(kn_world *world, uint32_t slot, const kni_price *price)
{
    const kni_cost_step *steps = price->steps;
    kn_activation_id id = kni_activation_id_of(world, slot);
    uint32_t ability_slot = kni_activation_at(world, slot)->ability;
    const kni_ability *ability = kni_ability_at(world, ability_slot);
    uint32_t component = ability->component;
    const kni_ability_type *type = kni_ability_type_at(world->library, ability->type);
    const kn_ability_def *def = &type->def;
    for (uint32_t i = 0; i < price->count; i++) {
        if (!kni_pairs_add(world, &kni_activation_at(world, slot)->paid, steps[i].attribute + 1,
                steps[i].before - steps[i].after)) {
            kni_break(world);
        }
    }
    for (uint32_t i = 0; i < def->cost_count && i < price->count; i++) {
        (void)kni_execute(world, component, steps[i].attribute, 0, KN_OP_ADD,
            steps[i].after - steps[i].before, NULL);
        if (kni_activation_find(world, id) == KNI_NONE) {
            return;
        }
    }
    if (def->cost_effect.index1 != 0) {
        (void)kni_ability_apply_own(
            world, ability_slot, def->cost_effect, NULL, (kn_tags){NULL, 0});
    }
}

float kn_activation_paid(
    const kn_world *world, kn_activation_id activation, kn_attribute_id attribute)
{
    uint32_t slot = kni_activation_find(world, activation);
    const kni_pair *pair =
        slot == KNI_NONE
            ? NULL
            : kni_pairs_find(world, &kni_activation_at(world, slot)->paid, attribute.index1);
    return pair != NULL ? pair->value : 0.0f;
}

kn_result kn_activation_refund(kn_world *world, kn_activation_id activation, float share)
{
    uint32_t slot = kni_activation_find(world, activation);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!(share >= 0.0f && share <= 1.0f)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t ability = kni_activation_at(world, slot)->ability;
    uint32_t component = kni_ability_at(world, ability)->component;
    kni_mark_activation(world, kni_activation_at(world, slot));
    for (uint32_t i = 0; i < kni_activation_at(world, slot)->paid.count; i++) {
        kni_pair *pair = KNI_SPAN_AT(world, kni_activation_at(world, slot)->paid, kni_pair, i);
        float amount = pair->value * share;
        pair->value -= amount;
        (void)kni_execute(world, component, pair->key - 1, 0, KN_OP_ADD, amount, NULL);
        if (kni_activation_find(world, activation) == KNI_NONE) {
            break;
        }
    }
    return kni_leave(world, KN_OK);
}
