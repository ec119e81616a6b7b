// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Gates: what active effects prevent from happening to an entity, or from being done by it. A gate
// is tested against an event record; the first one that blocks, in order of creation, decides.

#include "effect/effect.h"

static bool record_has(const void *subject, uint32_t tag, bool exact)
{
    const kni_gate_subject *s = subject;
    if (s->spec != NULL && s->kind == 1) {
        return kni_spec_has_tag(s->spec, tag, exact, true, true);
    }
    kn_tag wanted = {tag};
    if (exact) {
        return kn_tags_has_exact(s->record->tags, wanted);
    }
    for (uint32_t i = 0; i < s->record->tags.count; i++) {
        kn_tag own = s->record->tags.data[i];
        if (own.index1 == tag) {
            return true;
        }
    }
    return false;
}

typedef struct record_subject {
    const kn_world *world;
    const kni_gate_subject *gate;
} record_subject;

static bool record_subject_has(const void *subject, uint32_t tag, bool exact)
{
    const record_subject *s = subject;
    if (record_has(s->gate, tag, exact)) {
        return true;
    }
    kn_tag wanted = {tag};
    return !exact && s->gate->kind != 1 &&
           kn_tags_has(s->world->library, s->gate->record->tags, wanted);
}

static bool source_subject_has(const void *subject, uint32_t tag, bool exact)
{
    const record_subject *s = subject;
    if (s->gate->spec != NULL) {
        return kni_source_or_ability_has_tag(s->gate->spec, tag, exact);
    }
    uint32_t component = s->gate->source_component;
    if (component == KNI_NONE) {
        return false;
    }
    return exact ? kni_shows_tag_exact(s->world, component, tag)
                 : kni_has_tag(s->world, component, tag);
}

static bool modifies_attribute(const kni_effect_type *type, uint32_t attribute1)
{
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        if (type->modifiers[i].attribute + 1 == attribute1) {
            return true;
        }
    }
    return false;
}

bool kni_gate_holds(const kn_world *world, const kn_gate_def *gate, const kni_gate_subject *subject)
{
    record_subject holder = {world, subject};
    if (gate->source_any.count > 0) {
        bool any = false;
        for (uint32_t i = 0; i < gate->source_any.count && !any; i++) {
            any = source_subject_has(&holder, gate->source_any.data[i].index1, false);
        }
        if (!any) {
            return false;
        }
    }
    if (!kn_tag_requirement_is_empty(&gate->source) &&
        !kni_requirement_eval(&gate->source, source_subject_has, &holder)) {
        return false;
    }
    if (!kn_tag_requirement_is_empty(&gate->record) &&
        !kni_requirement_eval(&gate->record, record_subject_has, &holder)) {
        return false;
    }
    if (gate->type_count > 0) {
        bool any = false;
        for (uint32_t i = 0; i < gate->type_count && subject->spec != NULL; i++) {
            any |= gate->types[i].index1 == subject->spec->type->index1;
        }
        if (!any) {
            return false;
        }
    }
    if (gate->modifies.index1 != 0 &&
        (subject->spec == NULL ||
            !modifies_attribute(subject->spec->type, gate->modifies.index1))) {
        return false;
    }
    if (gate->condition.index1 != 0) {
        kn_condition_answer answer = {KN_OP_ADD, subject->record->magnitude};
        bool holds = kni_condition_holds(world, gate->condition, subject->record, &answer);
        if (!holds && subject->spec != NULL && subject->spec->said != NULL) {
            subject->spec->said->reason = KN_OK; // it refuses nothing, whatever it said
        }
        return holds;
    }
    return true;
}

uint32_t kni_gate_fail(const kn_world *world, const kn_gate_def *gate)
{
    return gate != NULL && gate->reason != NULL
               ? (uint32_t)kn_fail_find(world->library, gate->reason)
               : 0;
}

uint32_t kni_gate_walk(const kn_world *world, uint32_t component, bool as_instigator,
    const kni_gate_subject *subject, const kn_tags *part, uint32_t first)
{
    const kni_component *c = kni_component_at(world, component);
    if (c->gate_count == 0) {
        return KNI_NONE;
    }
    for (uint32_t i = first; i < c->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, c->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        const kni_effect_type *type = kni_type_at(world, effect->type);
        if ((type->flags & KNI_EFFECT_GATES) == 0 || (effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
            continue;
        }
        for (uint32_t g = 0; g < type->def.gate_count; g++) {
            const kn_gate_def *gate = &type->def.gates[g];
            uint32_t kind = gate->kind.index1 == 0 ? 1 : gate->kind.index1;
            if (kind != subject->kind || gate->as_instigator != as_instigator ||
                (gate->parts.count > 0) != (part != NULL)) {
                continue;
            }
            if (part != NULL && !kn_tags_has_any(world->library, *part, gate->parts)) {
                continue;
            }
            if (kni_gate_holds(world, gate, subject)) {
                *subject->found = gate;
                return i;
            }
        }
    }
    return KNI_NONE;
}

uint32_t kni_gate_effect(const kn_world *world, uint32_t component, uint32_t index)
{
    return index == KNI_NONE
               ? KNI_NONE
               : *KNI_SPAN_AT(world, kni_component_at(world, component)->effects, uint32_t, index);
}

uint32_t kni_gate_find(
    const kn_world *world, uint32_t component, bool as_instigator, const kni_gate_subject *subject)
{
    return kni_gate_effect(
        world, component, kni_gate_walk(world, component, as_instigator, subject, NULL, 0));
}

bool kni_gate_blocks_part(const kn_world *world, uint32_t component,
    const kni_gate_subject *subject, kn_tags part_tags, uint32_t *by)
{
    *by = kni_gate_effect(
        world, component, kni_gate_walk(world, component, false, subject, &part_tags, 0));
    return *by != KNI_NONE;
}
