// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Exclusive groups: which of several effects acts, and which one gives way.

#include "effect/effect.h"

#include <math.h>

// What decides "stronger": the first modifier, scaled.
float kni_exclusive_strength(const kn_spec_view *spec, uint32_t stacks)
{
    float magnitude = 0.0f;
    if (spec->type->modifier_count > 0 && kni_modifier_magnitude(spec, 0, &magnitude) == KN_OK) {
        magnitude = kni_modifier_scaled(spec, 0, magnitude, stacks);
        uint8_t op = spec->type->modifiers[0].op;
        bool is_sum = op == KN_OP_ADD || op == KN_OP_ADD_FINAL || op == KN_OP_OVERRIDE;
        magnitude = is_sum ? magnitude : magnitude - 1.0f;
    }
    return fabsf(magnitude);
}

static bool exclusive_concerns(const kn_world *world, const kn_spec_view *spec, uint32_t slot)
{
    const kn_effect_def *def = &spec->type->def;
    const kni_effect *other = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, other->type);
    bool stacks_on_it = type == spec->type && (type->flags & KNI_EFFECT_STACKS) != 0;
    return type->def.exclusive_group.index1 == def->exclusive_group.index1 && !stacks_on_it &&
           (other->flags & KNI_ACTIVE_LEAVING) == 0 &&
           (def->exclusive_rule != KN_EXCLUSIVE_NEWEST_PER_SOURCE ||
               kn_entity_id_equal(other->source, spec->source));
}

uint32_t kni_exclusive_stronger(const kn_spec_view *spec, uint32_t stacks, float *strength)
{
    *strength = 0.0f;
    if (spec->type->def.exclusive_rule != KN_EXCLUSIVE_STRONGEST) {
        return KNI_NONE;
    }
    kn_world *world = spec->world;
    float own = kni_exclusive_strength(spec, stacks);
    const kni_component *target = kni_component_at(world, spec->target_component);
    for (uint32_t i = 0; i < target->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, target->effects, uint32_t, i);
        if (exclusive_concerns(world, spec, slot)) {
            kn_spec_view view;
            kni_view_of_effect(world, slot, &view);
            *strength = kni_exclusive_strength(&view, view.stacks);
            if (*strength > own) {
                return slot;
            }
        }
    }
    return KNI_NONE;
}

kn_result kni_exclusive_judge(kni_application *application, uint32_t stacks)
{
    float strength;
    uint32_t stronger = kni_exclusive_stronger(&application->spec, stacks, &strength);
    if (stronger == KNI_NONE) {
        return KN_OK;
    }
    application->by = kni_effect_id_of(application->spec.world, stronger);
    return KN_REFUSED_EXCLUSIVE;
}

void kni_exclusive_replace(kn_world *world, const kn_spec_view *spec, kn_effect_id own)
{
    if ((spec->type->flags & KNI_EFFECT_EXCLUSIVE) == 0 ||
        spec->type->def.exclusive_rule >= KN_EXCLUSIVE_BEST_COUNTS) {
        return;
    }
    for (uint32_t i = kni_component_at(world, spec->target_component)->effects.count; i-- > 0;) {
        const kni_component *target = kni_component_at(world, spec->target_component);
        if (i >= target->effects.count) {
            continue; // a hook removed more than one
        }
        uint32_t slot = *KNI_SPAN_AT(world, target->effects, uint32_t, i);
        if (exclusive_concerns(world, spec, slot) &&
            !kn_effect_id_equal(kni_effect_id_of(world, slot), own)) {
            kni_effect_end(world, slot, KN_REMOVED_OVERWRITTEN);
        }
    }
}
