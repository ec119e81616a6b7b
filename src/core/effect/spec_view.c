// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What rules may read from a spec and from the ability that applies it.

#include "effect/effect.h"

#include <math.h>

void kni_view_of_effect(kn_world *world, uint32_t slot, kn_spec_view *view)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    *view = (kn_spec_view){
        .world = world,
        .type = kni_type_at(world, effect->type),
        .source = effect->source,
        .target = kni_component_entity(world, effect->component),
        .source_component = kni_component_find(world, effect->source),
        .target_component = effect->component,
        .level = effect->level,
        .stacks = effect->stacks,
        .effect = slot,
        .rare1 = effect->rare1,
        .ability1 = 0, // every member is named, so that none is cleared first
        .tick = effect->executions,
        .duration = -1,
        .period = -1,
        .said = NULL,
    };
}

static const kni_rare *view_rare(const kn_spec_view *spec)
{
    return spec->rare1 != 0 ? kni_rare_at(spec->world, spec->rare1) : NULL;
}

const kni_pair *kni_ability_pair(const kn_spec_view *spec, uint32_t tag)
{
    return spec->ability1 == 0 ? NULL
                               : kni_pairs_find(spec->world,
                                     &kni_ability_at(spec->world, spec->ability1 - 1)->caller, tag);
}

static const kni_pair *ability_parameter(const kn_spec_view *spec, uint32_t name)
{
    return spec->ability1 == 0 ? NULL
                               : kni_pairs_find(spec->world,
                                     &kni_ability_at(spec->world, spec->ability1 - 1)->named, name);
}

kn_ability_id kn_spec_view_ability(const kn_spec_view *spec)
{
    const kni_rare *rare = view_rare(spec);
    if (rare != NULL) {
        return rare->ability;
    }
    return spec->ability1 != 0 ? kni_ability_id_of(spec->world, spec->ability1 - 1)
                               : (kn_ability_id){0};
}

kn_activation_id kn_spec_view_activation(const kn_spec_view *spec)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL ? rare->activation : (kn_activation_id){0};
}

kn_effect_type_id kn_spec_view_type(const kn_spec_view *spec)
{
    return kni_type_id(spec->type);
}

float kn_spec_view_level(const kn_spec_view *spec)
{
    return spec->level;
}

uint32_t kn_spec_view_stacks(const kn_spec_view *spec)
{
    return spec->stacks;
}

kn_entity_id kn_spec_view_source(const kn_spec_view *spec)
{
    return spec->source;
}

kn_entity_id kn_spec_view_target(const kn_spec_view *spec)
{
    return spec->target;
}

kn_entity_id kn_spec_view_instigator(const kn_spec_view *spec)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL && rare->instigator.index1 != 0 ? rare->instigator : spec->source;
}

bool kn_spec_view_origin(const kn_spec_view *spec, kn_vec3 *origin)
{
    const kni_rare *rare = view_rare(spec);
    bool has_origin = rare != NULL && rare->has_origin;
    if (origin != NULL) {
        *origin = has_origin ? rare->origin : (kn_vec3){0};
    }
    return has_origin;
}

kn_entity_id kn_spec_view_causer(const kn_spec_view *spec)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL ? rare->causer : (kn_entity_id){0};
}

uint64_t kn_spec_view_source_object(const kn_spec_view *spec)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL ? rare->source_object : 0;
}

kn_effect_id kn_spec_view_effect(const kn_spec_view *spec)
{
    return spec->effect != KNI_NONE ? kni_effect_id_of(spec->world, spec->effect)
                                    : (kn_effect_id){0};
}

static float pair_read(
    const kn_spec_view *spec, bool is_named, uint32_t key, float fallback, bool warn)
{
    const kni_rare *rare = view_rare(spec);
    const kni_pair *pair =
        rare != NULL ? kni_pairs_find(spec->world, is_named ? &rare->named : &rare->caller, key)
                     : NULL;
    if (rare == NULL) {
        pair = is_named ? ability_parameter(spec, key) : kni_ability_pair(spec, key);
    }
    if (pair == NULL && warn) {
        kn_error sentence;
        const kn_library *library = spec->world->library;
        (void)kni_error(&sentence, KN_REFUSED_MISSING_VALUE,
            "effect `%s`: the caller value %s is missing", spec->type->name,
            is_named ? kn_name_text(library, (kn_name){key}) : kn_tag_name(library, (kn_tag){key}));
        kni_log_once(spec->world, KN_REPORT_CALLER_VALUE, KN_LOG_EFFECTS, KN_REFUSED_MISSING_VALUE,
            sentence.message);
    }
    return pair != NULL ? pair->value : fallback;
}

float kn_spec_view_caller_value(const kn_spec_view *spec, kn_tag tag, float fallback, bool warn)
{
    return pair_read(spec, false, tag.index1, fallback, warn);
}

float kn_spec_view_named_value(const kn_spec_view *spec, kn_name name, float fallback, bool warn)
{
    return pair_read(spec, true, name.index1, fallback, warn);
}

float kn_spec_view_parameter(const kn_spec_view *spec, kn_name name, float fallback)
{
    const kni_rare *rare = view_rare(spec);
    const kni_pair *pair = rare != NULL ? kni_pairs_find(spec->world, &rare->named, name.index1)
                                        : ability_parameter(spec, name.index1);
    if (pair != NULL) {
        return pair->value;
    }
    for (uint32_t i = 0; i < spec->type->def.parameter_count; i++) {
        const kn_parameter_def *parameter = &spec->type->def.parameters[i];
        if (parameter->name.index1 == name.index1 && !parameter->required) {
            return parameter->value;
        }
    }
    return fallback;
}

static bool tag_list_has(
    const kn_spec_view *spec, const kni_span *dynamic, kn_tags fixed, uint32_t tag, bool exact)
{
    const kn_library *library = spec->world->library;
    kn_tag wanted = {tag};
    if (exact ? kn_tags_has_exact(fixed, wanted) : kn_tags_has(library, fixed, wanted)) {
        return true;
    }
    for (uint32_t i = 0; dynamic != NULL && i < dynamic->count; i++) {
        kn_tag own = {*KNI_SPAN_AT(spec->world, *dynamic, uint32_t, i)};
        if (exact ? own.index1 == tag : kn_tag_matches(library, own, wanted)) {
            return true;
        }
    }
    return false;
}

bool kni_spec_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact, bool asset, bool granted)
{
    const kni_rare *rare = view_rare(spec);
    const kn_effect_def *def = &spec->type->def;
    return (asset && tag_list_has(
                         spec, rare != NULL ? &rare->asset : NULL, def->asset_tags, tag, exact)) ||
           (granted && tag_list_has(spec, rare != NULL ? &rare->granted : NULL, def->granted_tags,
                           tag, exact));
}

bool kni_spec_has_any_tag(const kn_spec_view *spec, kn_tags tags, bool asset, bool granted)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (kni_spec_has_tag(spec, tags.data[i].index1, false, asset, granted)) {
            return true;
        }
    }
    return false;
}

bool kn_spec_view_has_asset_tag(const kn_spec_view *spec, kn_tag tag)
{
    return kni_spec_has_tag(spec, tag.index1, false, true, false);
}

uint32_t kn_spec_view_asset_tags(const kn_spec_view *spec, kn_tag *out, uint32_t capacity)
{
    if (spec == NULL) {
        return 0;
    }
    kn_tags fixed = spec->type->def.asset_tags;
    const kni_rare *rare = view_rare(spec);
    uint32_t count = 0;
    for (; count < fixed.count; count++) {
        if (count < capacity) {
            out[count] = fixed.data[count];
        }
    }
    for (uint32_t i = 0; rare != NULL && i < rare->asset.count; i++) {
        kn_tag own = {*KNI_SPAN_AT(spec->world, rare->asset, uint32_t, i)};
        if (kn_tags_has_exact(fixed, own)) {
            continue;
        }
        if (count < capacity) {
            out[count] = own;
        }
        count++;
    }
    return count;
}

// Tags added to the ability behind the effect count as its source's.
static bool ability_has_tag(
    const kn_spec_view *spec, const kni_rare *rare, uint32_t tag, bool exact)
{
    uint32_t slot = kni_ability_find(spec->world, rare->ability);
    return slot != KNI_NONE &&
           tag_list_has(spec, &kni_ability_at(spec->world, slot)->tags, (kn_tags){0}, tag, exact);
}

bool kni_source_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact)
{
    const kni_rare *rare = view_rare(spec);
    if (rare != NULL && rare->ability.index1 != 0 && ability_has_tag(spec, rare, tag, exact)) {
        return true;
    }
    if (rare != NULL && rare->has_source_tags) {
        return tag_list_has(spec, &rare->source_tags, (kn_tags){0}, tag, exact);
    }
    if (spec->source_component == KNI_NONE) {
        return false;
    }
    return exact ? kni_shows_tag_exact(spec->world, spec->source_component, tag)
                 : kni_has_tag(spec->world, spec->source_component, tag);
}

static bool source_subject_has(const void *subject, uint32_t tag, bool exact)
{
    return kni_source_has_tag(subject, tag, exact);
}

bool kni_source_meets(const kn_spec_view *spec, const kn_tag_requirement *requirement)
{
    return kni_requirement_eval(requirement, source_subject_has, spec);
}

static bool source_now_has(const void *subject, uint32_t tag, bool exact)
{
    const kn_spec_view *spec = subject;
    if (ability_has_tag(spec, view_rare(spec), tag, exact)) {
        return true;
    }
    return spec->source_component != KNI_NONE &&
           (exact ? kni_shows_tag_exact(spec->world, spec->source_component, tag)
                  : kni_has_tag(spec->world, spec->source_component, tag));
}

bool kni_source_meets_now(const kn_spec_view *spec, const kn_tag_requirement *requirement)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL && rare->ability.index1 != 0
               ? kni_requirement_eval(requirement, source_now_has, spec)
               : kni_component_meets(spec->world, spec->source_component, requirement);
}

bool kni_source_or_ability_has_tag(const kn_spec_view *spec, uint32_t tag, bool exact)
{
    if (kni_source_has_tag(spec, tag, exact)) {
        return true;
    }
    const kni_rare *rare = view_rare(spec);
    uint32_t slot = rare != NULL ? kni_ability_find(spec->world, rare->ability) : KNI_NONE;
    return slot != KNI_NONE &&
           tag_list_has(spec, NULL, kni_type_of_ability(spec->world, slot)->def.tags, tag, exact);
}

bool kn_spec_view_source_has_tag(const kn_spec_view *spec, kn_tag tag)
{
    return tag.index1 != 0 && tag.index1 <= kn_tag_count(spec->world->library) &&
           kni_source_has_tag(spec, tag.index1, false);
}

bool kn_spec_view_target_has_tag(const kn_spec_view *spec, kn_tag tag)
{
    return kn_entity_has_tag(spec->world, spec->target, tag);
}

bool kn_spec_view_target_has_tag_exact(const kn_spec_view *spec, kn_tag tag)
{
    return kn_entity_has_tag_exact(spec->world, spec->target, tag);
}

uint32_t kn_spec_view_tick(const kn_spec_view *spec)
{
    return spec->tick;
}

kn_target_view kn_spec_view_targets(const kn_spec_view *spec)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL ? kni_targets_view(spec->world, &rare->targets) : (kn_target_view){NULL, 0};
}

const void *kn_spec_view_payload(const kn_spec_view *spec, kn_context_type_id type)
{
    const kni_rare *rare = view_rare(spec);
    return rare != NULL && type.index1 != 0 && rare->payload_type == type.index1
               ? kni_heap_at(&spec->world->heap, rare->payload)
               : NULL;
}

const kn_world *kn_spec_view_world(const kn_spec_view *spec)
{
    return spec->world;
}
