// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Captures: which effects read which attributes, and what happens when one of them changes. Readers
// are listed with the aggregator of the value they read, and with the component if it is not their
// own.

#include "effect/effect.h"

static void dependent_change(kn_world *world, const kn_spec_view *spec, uint32_t component,
    uint32_t attribute, uint32_t key, uint32_t kinds, bool add)
{
    if (component == KNI_NONE) {
        return;
    }
    uint32_t position =
        kni_position_keyed(world, kni_component_at(world, component), attribute, key);
    if (position == KNI_NONE) {
        return;
    }
    if (add) {
        kni_dependent_add(world, component, position, spec->effect, kinds);
    } else {
        kni_dependent_remove(world, component, position, spec->effect);
    }
}

static void conditions_register(
    kn_world *world, const kn_spec_view *spec, const kn_conditions *conditions, bool add)
{
    for (uint32_t i = 0; i < conditions->attribute_count; i++) {
        const kn_attribute_condition *condition = &conditions->attributes[i];
        uint32_t component = condition->from == KN_CAPTURE_FROM_SOURCE ? spec->source_component
                                                                       : spec->target_component;
        dependent_change(world, spec, component, condition->attribute.index1 - 1, condition->key,
            KNI_DEPENDS_CONDITION, add);
        if (condition->relative_to.index1 != 0) {
            dependent_change(world, spec, component, condition->relative_to.index1 - 1,
                condition->key, KNI_DEPENDS_CONDITION, add);
        }
    }
}

// Adds an effect to, or removes it from, the list of effects elsewhere that read from a component.
static void reader_change(kn_world *world, uint32_t effect, uint32_t component, bool add)
{
    if (component == KNI_NONE || component == kni_effect_at(world, effect)->component) {
        return;
    }
    kni_component *c = kni_component_at(world, component);
    uint64_t number = kni_effect_at(world, effect)->number;
    uint32_t index = 0, end = c->dependents.count;
    while (index < end) {
        uint32_t middle = index + (end - index) / 2;
        uint32_t other = *KNI_SPAN_AT(world, c->dependents, uint32_t, middle);
        if (kni_effect_at(world, other)->number < number) {
            index = middle + 1;
        } else {
            end = middle;
        }
    }
    bool is_there = index < c->dependents.count &&
                    *KNI_SPAN_AT(world, c->dependents, uint32_t, index) == effect;
    if (is_there && !add) {
        kni_span_remove(&world->heap, &c->dependents, index, sizeof(uint32_t));
    } else if (!is_there && add) {
        uint32_t *place =
            kni_span_insert(&world->heap, &world->memory, &c->dependents, index, sizeof(uint32_t));
        if (place == NULL) {
            kni_break(world);
            return;
        }
        *place = effect;
    }
}

void kni_captures_register_slow(kn_world *world, uint32_t slot, bool add)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    bool reads_source =
        (type->flags & (KNI_EFFECT_SOURCE_WATCH | KNI_EFFECT_ENDS_WITH_SOURCE)) != 0;
    bool reads_causer = false;
    for (uint32_t i = 0; i < type->capture_count; i++) {
        if (type->captures[i].is_live) {
            const kn_capture *capture = type->captures[i].capture;
            reads_source |= capture->from == KN_CAPTURE_FROM_SOURCE;
            reads_causer |= capture->from == KN_CAPTURE_FROM_CAUSER;
            dependent_change(world, &spec, kni_capture_component(&spec, capture->from),
                capture->attribute.index1 - 1, capture->key, KNI_DEPENDS_CAPTURE, add);
        }
    }
    const kn_conditions *conditions[2] = {&type->def.ongoing, &type->def.removal};
    for (uint32_t i = 0; i < 2; i++) {
        conditions_register(world, &spec, conditions[i], add);
        for (uint32_t j = 0; j < conditions[i]->attribute_count; j++) {
            reads_source |= conditions[i]->attributes[j].from == KN_CAPTURE_FROM_SOURCE;
        }
    }
    if (reads_source) {
        // A source without a component gets one, to hold the list of its readers.
        uint32_t source = kni_entity_find(world, spec.source);
        if (add && source != KNI_NONE && spec.source_component == KNI_NONE) {
            spec.source_component = kni_component_ensure(world, source);
        }
        reader_change(world, slot, spec.source_component, add);
    }
    if (reads_causer) {
        reader_change(world, slot, kni_capture_component(&spec, KN_CAPTURE_FROM_CAUSER), add);
    }
}

// For effects that follow more than one value, or in another way.
KNI_SLOW static void captures_changed_general(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    float cue = kni_cue_magnitude(world, slot);
    bool changed = false;
    for (uint32_t i = 0; i < type->capture_count; i++) {
        float value;
        const kn_capture *capture = type->captures[i].capture;
        if (!type->captures[i].is_live || kni_capture_component(&spec, capture->from) == KNI_NONE ||
            kni_capture_read(&spec, capture, &value) != KN_OK) {
            continue; // removed: the last value is kept
        }
        float *stored = KNI_SPAN_AT(world, kni_rare_at(world, effect->rare1)->captures, float, i);
        changed |= !(*stored == value);
        *stored = value;
    }
    if (!changed) {
        return;
    }
    kni_mark_effect(world, slot);
    if (kni_magnitudes_compute(world, slot, true)) {
        bool is_owned = (type->flags & KNI_EFFECT_OWNED) != 0; // it is not part of the propagation
        kni_targets_walk(world, slot, is_owned ? kni_modifiers_refresh : kni_modifiers_mark);
    }
    if (kni_cue_magnitude(world, slot) != cue) {
        kni_effect_cues_changed(world, slot, true);
    }
    kni_effect_times_follow(world, slot);
}

// Something that a live capture reads has changed. Lists are only marked: the running propagation
// evaluates them in order.
void kni_captures_changed(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & KNI_EFFECT_LIVE) == 0 || effect->rare1 == 0) {
        return;
    }
    if (type->plain_follow.attribute1 == 0 || !kni_follow_plain(world, slot)) {
        captures_changed_general(world, slot);
    }
}
