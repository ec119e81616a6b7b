// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Modifiers that would follow themselves.

#include "effect/effect.h"

// Does the attribute a modifier acts on lead, over live captures and limits, to one it reads?
typedef struct cycle_walk {
    const kn_spec_view *spec;
    uint32_t modifier;
    uint32_t steps;
} cycle_walk;

static bool cycle_reaches(cycle_walk *walk, uint32_t component, uint32_t position, uint32_t depth)
{
    if (kni_modifier_reads(walk->spec, walk->modifier, component, position)) {
        return true;
    }
    if (depth > 64 || ++walk->steps > 4096) {
        return depth > 64;
    }
    kn_world *world = walk->spec->world;
    // The new effect's own modifiers lead on too.
    const kni_component *target = kni_component_at(world, walk->spec->target_component);
    for (uint32_t m = 0; m < walk->spec->type->modifier_count; m++) {
        const kni_modifier *modifier = &walk->spec->type->modifiers[m];
        uint32_t next = modifier->attribute == KNI_NONE
                            ? KNI_NONE
                            : kni_position_keyed(world, target, modifier->attribute, modifier->key);
        if (m != walk->modifier && next != KNI_NONE &&
            kni_modifier_reads(walk->spec, m, component, position) &&
            cycle_reaches(walk, walk->spec->target_component, next, depth + 1)) {
            return true;
        }
    }
    // Attributes whose declared limit this one is move with it.
    uint32_t key;
    const kni_component *c = kni_component_at(world, component);
    const kni_attribute *info =
        kni_attribute_at(world->library, kni_attribute_at_position(world, c, position, &key));
    for (uint32_t i = 0; i < info->limit_count; i++) {
        uint32_t limited = kni_position_keyed(world, c, info->limits[i], key);
        if (limited != KNI_NONE && cycle_reaches(walk, component, limited, depth + 1)) {
            return true;
        }
    }
    uint32_t aggregator1 = kni_values_of(world, c)[position].aggregator1;
    if (aggregator1 == 0) {
        return false;
    }
    const kni_aggregator *aggregator = kni_aggregator_at(world, aggregator1 - 1);
    for (uint32_t i = 0; i < aggregator->dependents.count; i++) {
        kni_dependent dependent = *KNI_SPAN_AT(world, aggregator->dependents, kni_dependent, i);
        kn_spec_view view;
        kni_view_of_effect(world, dependent.effect, &view);
        if ((dependent.kinds & KNI_DEPENDS_CAPTURE) == 0 ||
            (view.type->flags & KNI_EFFECT_PERIODIC) != 0) {
            continue;
        }
        for (uint32_t m = 0; m < view.type->modifier_count; m++) {
            const kni_modifier *modifier = &view.type->modifiers[m];
            uint32_t next =
                modifier->attribute == KNI_NONE
                    ? KNI_NONE
                    : kni_position_keyed(world, kni_component_at(world, view.target_component),
                          modifier->attribute, modifier->key);
            if (next != KNI_NONE && kni_modifier_reads(&view, m, component, position) &&
                cycle_reaches(walk, view.target_component, next, depth + 1)) {
                return true;
            }
        }
    }
    return false;
}

uint32_t kni_cycle_find(const kn_spec_view *spec)
{
    const kni_effect_type *type = spec->type;
    if ((type->flags & KNI_EFFECT_LIVE) == 0 || (type->flags & KNI_EFFECT_PERIODIC) != 0) {
        return KNI_NONE;
    }
    const kni_component *target = kni_component_at(spec->world, spec->target_component);
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        uint32_t first, end;
        kni_modifier_captures(type, i, &first, &end);
        if (first == end) {
            continue; // it reads nothing, so the circle is another one's
        }
        uint32_t position =
            modifier->attribute == KNI_NONE
                ? KNI_NONE
                : kni_position_keyed(spec->world, target, modifier->attribute, modifier->key);
        cycle_walk walk = {spec, i, 0};
        if (position != KNI_NONE && cycle_reaches(&walk, spec->target_component, position, 0)) {
            return i;
        }
    }
    return KNI_NONE;
}

bool kni_would_cycle(const kn_spec_view *spec)
{
    return kni_cycle_find(spec) != KNI_NONE;
}
