// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a value is what it is: its contributions in the order of evaluation.

#include "effect/effect.h"

typedef struct explain_out {
    kn_explain_line *lines;
    uint32_t capacity;
    uint32_t count;
    float last;
    kn_explain_line beyond; // counted, but there is no room for it
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

static void explain_modifier(explain_out *out, const kn_world *world, uint32_t effect_slot,
    uint32_t modifier, float magnitude, kn_qualification qualification, float result)
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
}

// Effects on the entity that are inhibited would have acted too.
static void explain_inhibited(explain_out *out, const kn_world *world,
    const kni_component *component, uint32_t attribute, uint32_t key)
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
            if (type->modifiers[m].attribute == attribute && type->modifiers[m].key == key) {
                explain_modifier(out, world, slot, m,
                    kn_effect_magnitude(world, kni_effect_id_of(world, slot), m),
                    KN_QUALIFICATION_INHIBITED, out->last);
            }
        }
    }
}

// The modifier whose turn comes next, at `turn` or later.
static uint32_t explain_next(const kni_evaluation *e, uint64_t *turn)
{
    uint64_t best = UINT64_MAX;
    for (uint32_t i = 0; i < e->count; i++) {
        uint64_t own = kni_mod_turn(e, i);
        best = own >= *turn && own < best ? own : best;
    }
    *turn = best;
    return (uint32_t)best; // its low half is the index
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
        explain_modifier(&out, world, e.mods[next].effect, e.mods[next].modifier,
            e.mods[next].magnitude, kni_qualification(&e, next), kni_evaluate(&e));
    }
    explain_inhibited(&out, world, component, id.index1 - 1, key);

    // What came after the modifiers. The hook is not called again: what limits and rounding do not
    // account for is its work, unless there is none or the value is out of range, which a hook
    // cannot bring about: then a change of the range has left it as it was.
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
