// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a value is what it is: its contributions in the order of evaluation.

#include "effect/effect.h"

#include <math.h>

typedef struct explain_out {
    kn_explain_line *lines;
    uint32_t capacity;
    uint32_t count;
    float last;
    kn_explain_line beyond; // takes lines for which there is no room; they are only counted
} explain_out;

static kn_explain_line *explain_add(explain_out *out, kn_explain_kind kind, float result)
{
    kn_explain_line *line = out->count < out->capacity ? &out->lines[out->count] : &out->beyond;
    kn_explain_line filled = {.kind = kind, .result = result, .delta = result - out->last};
    out->last = result;
    out->count++;
    *line = filled;
    return line;
}

static kn_explain_line *explain_modifier(explain_out *out, const kn_world *world,
    uint32_t effect_slot, uint32_t modifier, float magnitude, kn_qualification qualification,
    float result)
{
    const kni_effect *effect = kni_effect_at(world, effect_slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kn_explain_line *line = explain_add(out, KN_EXPLAIN_MODIFIER, result);
    line->effect = kni_effect_id_of(world, effect_slot);
    line->type = kni_type_id(type);
    line->source = effect->source;
    line->modifier = modifier;
    line->op = (kn_op)type->modifiers[modifier].op;
    line->channel = type->modifiers[modifier].channel;
    line->magnitude = magnitude;
    line->stacks = effect->stacks;
    line->qualification = qualification;
    return line;
}

// Inhibited effects on the entity are listed too: their modifiers of an attribute, or of a
// transient value; the other one is KNI_NONE.
static void explain_inhibited(explain_out *out, const kn_world *world,
    const kni_component *component, uint32_t attribute, uint32_t key, uint32_t value)
{
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        if ((effect->flags & KNI_ACTIVE_INHIBITED) == 0 ||
            (type->flags & (KNI_EFFECT_PERIODIC | KNI_EFFECT_OWNED)) != 0) {
            continue;
        }
        for (uint32_t m = 0; m < type->modifier_count; m++) {
            const kni_modifier *modifier = &type->modifiers[m];
            if (modifier->attribute == attribute && modifier->value == value &&
                (value != KNI_NONE || modifier->key == key)) {
                (void)explain_modifier(out, world, slot, m,
                    kn_effect_magnitude(world, kni_effect_id_of(world, slot), m),
                    KN_QUALIFICATION_INHIBITED, out->last);
            }
        }
    }
}

// The modifier whose turn is next, at `turn` or later.
static uint32_t explain_next(const kni_evaluation *e, uint64_t *turn)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < e->count; i++) {
        uint64_t own = kni_mod_turn(e, i);
        best = own >= *turn && own < best ? own : best;
    }
    *turn = best;
    return (uint32_t)best; // the index is its low half
}

uint32_t kn_attribute_explain(const kn_world *world, kn_entity_id entity, kn_attribute_id id,
    uint32_t key, kn_explain_line *lines, uint32_t capacity)
{
    uint32_t slot = kni_component_find(world, entity);
    if (slot == KNI_NONE || id.index1 == 0 || id.index1 > kn_attribute_count(world->library)) {
        return 0;
    }
    const kni_component *component = kni_component_at(world, slot);
    uint32_t position = kni_position_keyed(world, component, id.index1 - 1, key);
    if (position == KNI_NONE) {
        return 0;
    }
    const kni_attribute *attribute = kni_attribute_at(world->library, id.index1 - 1);
    kni_value value = kni_values_of(world, component)[position];
    explain_out out = {.lines = lines, .capacity = lines != NULL ? capacity : 0};
    explain_add(&out, KN_EXPLAIN_BASE, value.base);

    kni_choice choice;
    choice.is_known = false;
    kni_evaluation e = {
        .world = world,
        .profile = &attribute->def.profile,
        .qualify = attribute->def.qualify,
        .policy = attribute->def.policy.index1,
        .base = value.base,
        .channel_end = KN_CHANNEL_MAX + 1,
        .factor = 1.0f,
        .choice = &choice,
    };
    kni_evaluation_of(world, value.aggregator1, &e);
    uint64_t turn = 0;
    for (uint32_t i = 0; i < e.count; i++) {
        uint32_t next = explain_next(&e, &turn);
        turn++;
        e.before = i + 1 < e.count ? turn : 0;
        (void)explain_modifier(&out, world, e.mods[next].effect, e.mods[next].modifier,
            e.mods[next].magnitude, kni_qualification(&e, next), kni_evaluate(&e));
    }
    explain_inhibited(&out, world, component, id.index1 - 1, key, KNI_NONE);

    // What came after the modifiers. The hook is not called again: what limits and rounding do not
    // explain is attributed to it, unless there is no hook or the value is out of range. A hook
    // cannot cause that: the range has changed since and left the value as it was.
    float minimum, maximum;
    kni_bounds(world, component, attribute, key, false, &minimum, &maximum);
    float clamped = kni_bounded(out.last, minimum, maximum);
    float rounded =
        kni_round(attribute->def.rounding, attribute->def.minimum_one, clamped, value.base);
    float settled =
        attribute->def.rounding != KN_ROUND_NONE ? kni_bounded(rounded, minimum, maximum) : rounded;
    if (settled != value.current) {
        bool is_kept = !kni_value_has_hook(world, component, position) || value.current < minimum ||
                       value.current > maximum;
        explain_add(&out, is_kept ? KN_EXPLAIN_KEPT : KN_EXPLAIN_HOOK, value.current);
        return out.count;
    }
    if (clamped != out.last) {
        explain_add(&out, KN_EXPLAIN_CLAMP, clamped);
    }
    if (rounded != out.last) {
        explain_add(&out, KN_EXPLAIN_ROUNDING, rounded);
    }
    if (settled != out.last) {
        explain_add(&out, KN_EXPLAIN_CLAMP, settled);
    }
    return out.count;
}

// A line if the value is another one now, if only by the sign of a zero.
static void explain_change(explain_out *out, kn_explain_kind kind, float result)
{
    if (result != out->last || signbit(result) != signbit(out->last)) {
        explain_add(out, kind, result);
    }
}

// What limits and rounding make of a transient value, as kn_value_evaluate() does it.
static void explain_limits(explain_out *out, const kn_value_def *def, float base)
{
    float limited = kni_value_limited(def, out->last);
    float rounded = kni_round(def->rounding, def->minimum_one, limited, base);
    float settled = kni_value_limited(def, rounded);
    if (!isfinite(settled)) {
        explain_add(out, KN_EXPLAIN_KEPT, kni_value_limited(def, base));
        return;
    }
    explain_change(out, KN_EXPLAIN_CLAMP, limited);
    explain_change(out, KN_EXPLAIN_ROUNDING, rounded);
    explain_change(out, KN_EXPLAIN_CLAMP, settled);
}

uint32_t kn_value_explain(const kn_world *world, kn_entity_id entity, kn_value_id value, float base,
    const kn_event_record *record, kn_explain_line *lines, uint32_t capacity)
{
    kni_evaluation e;
    const kn_value_def *def = kni_value_evaluation(world, entity, value, base, record, &e);
    if (def == NULL || !kn_entity_is_alive(world, entity)) {
        return 0;
    }
    explain_out out = {.lines = lines, .capacity = lines != NULL ? capacity : 0};
    explain_add(&out, KN_EXPLAIN_BASE, base + 0.0f); // a sum of modifiers: never -0
    float factor = e.factor;
    e.factor = 1.0f;
    uint64_t turn = 0;
    for (uint32_t i = 0; i < e.count; i++) {
        uint32_t next = explain_next(&e, &turn);
        turn++;
        e.before = i + 1 < e.count ? turn : 0;
        kn_condition_answer answer;
        kn_qualification qualification = kni_mod_answer(&e, next, &answer);
        explain_modifier(&out, world, e.mods[next].effect, e.mods[next].modifier, answer.magnitude,
            qualification, kni_evaluate(&e))
            ->op = answer.op;
    }
    e.factor = factor;
    if (factor != 1.0f) {
        explain_add(&out, KN_EXPLAIN_FACTOR, kni_evaluate(&e))->magnitude = factor;
    } else if (e.count == 0) {
        explain_change(&out, KN_EXPLAIN_CLAMP, kni_evaluate(&e)); // by the profile
    }
    uint32_t component = kni_component_find(world, entity);
    if (component != KNI_NONE) {
        explain_inhibited(
            &out, world, kni_component_at(world, component), KNI_NONE, 0, value.index1 - 1);
    }
    if (def->adjust != NULL) {
        explain_add(
            &out, KN_EXPLAIN_ADJUST, kni_value_adjusted(world, entity, def, record, out.last));
    }
    explain_limits(&out, def, base);
    return out.count;
}

const char *kn_qualification_name(kn_qualification qualification)
{
    static const char *const names[] = {
        [KN_QUALIFICATION_OK] = "acts",
        [KN_QUALIFICATION_REQUIREMENT] = "requirement not met",
        [KN_QUALIFICATION_POLICY] = "ignored by policy",
        [KN_QUALIFICATION_GROUP] = "a stronger one in its group applies",
        [KN_QUALIFICATION_OVERRIDDEN] = "another override applies",
        [KN_QUALIFICATION_INHIBITED] = "inhibited",
        [KN_QUALIFICATION_PARKED] = "attribute missing",
        [KN_QUALIFICATION_DIVISOR] = "divisor too close to zero",
        [KN_QUALIFICATION_CONDITION] = "condition not met",
    };
    return (uint32_t)qualification < sizeof(names) / sizeof(*names) ? names[qualification] : "";
}
