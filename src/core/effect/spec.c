// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Specs: stored applications that a host creates, changes and applies later, and the checks that
// they share with direct applications.

#include "effect/effect.h"

#include <math.h>

// The entity that an id stands for: the owner of an avatar, the entity itself, or null if it is
// stale. An avatar may be exchanged or destroyed while its effects are active.
kn_entity_id kni_source_of(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    if (component != KNI_NONE) {
        return kni_component_entity(world, component);
    }
    return kn_entity_is_alive(world, entity) ? entity : (kn_entity_id){0};
}

// Stored specs --------------------------------------------------------------

static kni_spec *spec_at(const kn_world *world, uint32_t slot)
{
    return kni_pool_at(&world->specs, slot);
}

static uint32_t spec_find(const kn_world *world, kn_spec_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->specs.used || !kni_pool_is_live(&world->specs, slot) ||
        (uint32_t)spec_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

static void spec_view(kn_world *world, uint32_t slot, kn_spec_view *view)
{
    const kni_spec *spec = spec_at(world, slot);
    *view = (kn_spec_view){
        .world = world,
        .type = kni_type_at(world, spec->type),
        .source = spec->source,
        .source_component = kni_component_find(world, spec->source),
        .target_component = KNI_NONE,
        .level = spec->level,
        .stacks = 1,
        .effect = KNI_NONE,
        .rare1 = spec->rare1,
        .duration = spec->duration,
        .period = spec->period,
    };
}

static bool duration_is_good(const kni_effect_type *type, kn_time duration)
{
    return duration <= KN_TIME_MAX ||
           (duration == KN_TIME_INFINITE && (type->flags & KNI_EFFECT_OWN_TIMERS) != 0);
}

kn_result kni_apply_def_check(const kn_world *world, const kn_effect_apply_def *def)
{
    kn_result result = def != NULL ? kni_apply_bare_check(world, def) : KN_ERROR_INVALID_ARGUMENT;
    if (result != KN_OK || kni_apply_def_is_bare(def)) {
        return result;
    }
    if (def->period > KN_TIME_MAX || def->period == 0 ||
        !duration_is_good(kni_type_at(world, def->type.index1 - 1), def->duration)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    uint32_t tags = kn_tag_count(world->library);
    for (uint32_t i = 0; i < def->caller_value_count; i++) {
        if (def->caller_values[i].tag.index1 == 0 || def->caller_values[i].tag.index1 > tags) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        if (!isfinite(def->caller_values[i].value)) {
            return KN_REFUSED_BAD_NUMBER;
        }
    }
    for (uint32_t i = 0; i < def->named_value_count; i++) {
        uint32_t name = def->named_values[i].name.index1;
        if (name == 0 || name > world->library->registries[KN_DEF_NAME].count) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
        if (!isfinite(def->named_values[i].value)) {
            return KN_REFUSED_BAD_NUMBER;
        }
    }
    const kn_tags lists[2] = {def->dynamic_granted_tags, def->dynamic_asset_tags};
    for (uint32_t l = 0; l < 2; l++) {
        for (uint32_t i = 0; i < lists[l].count; i++) {
            if (lists[l].data[i].index1 == 0 || lists[l].data[i].index1 > tags) {
                return KN_ERROR_INVALID_ARGUMENT;
            }
        }
    }
    return def->context != NULL ? kni_context_check(world, def->context) : KN_OK;
}

kn_result kn_spec_create(kn_world *world, const kn_effect_apply_def *def, kn_spec_id *out)
{
    if (world == NULL || out == NULL) {
        KN_ASSERT(world != NULL && out != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = (kn_spec_id){0};
    kn_result result = kni_apply_def_check(world, def);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = kni_pool_acquire(&world->specs, &world->memory);
    if (slot == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    uint32_t rare1 = kni_rare_acquire(world);
    if (rare1 == 0 || !kni_rare_fill(world, rare1, def)) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_spec *spec = spec_at(world, slot);
    *spec = (kni_spec){
        .number = kni_number_next(world),
        .source = kni_source_of(world, def->source),
        .duration = def->duration,
        .period = def->period,
        .type = def->type.index1 - 1,
        .level = def->level,
        .stacks = def->stacks,
        .rare1 = rare1,
        .flags = def->ignore_gates,
    };
    kn_spec_view view;
    spec_view(world, slot, &view);
    kni_rare_capture_source_tags(world, rare1, view.source_component);
    kni_capture_all(world, &view, true);
    kn_spec_id made = {slot + 1, (uint32_t)spec_at(world, slot)->number};
    result = kni_leave(world, KN_OK);
    if (result == KN_OK) {
        *out = made;
    }
    return result;
}

void kni_spec_release(kn_world *world, uint32_t slot)
{
    kni_spec *spec = spec_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, spec->type);
    kni_rare_release(world, spec->rare1, type);
    kni_pool_release(&world->specs, slot);
}

void kn_spec_destroy(kn_world *world, kn_spec_id id)
{
    uint32_t slot = spec_find(world, id);
    if (slot != KNI_NONE) {
        kni_spec_release(world, slot);
    }
}

bool kn_spec_is_alive(const kn_world *world, kn_spec_id spec)
{
    return spec_find(world, spec) != KNI_NONE;
}

kn_result kn_spec_copy(kn_world *world, kn_spec_id id, kn_spec_id *copy)
{
    *copy = (kn_spec_id){0};
    uint32_t from = spec_find(world, id);
    if (from == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = kni_pool_acquire(&world->specs, &world->memory);
    uint32_t rare1 = slot != KNI_NONE ? kni_rare_acquire(world) : 0;
    if (rare1 == 0 || !kni_rare_copy(world, spec_at(world, from)->rare1, rare1)) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_spec *spec = spec_at(world, slot);
    *spec = *spec_at(world, from);
    spec->number = kni_number_next(world);
    spec->rare1 = rare1;
    kn_spec_id made = {slot + 1, (uint32_t)spec->number};
    result = kni_leave(world, KN_OK);
    if (result == KN_OK) {
        *copy = made;
    }
    return result;
}

// Sets a number under a tag or a name, which are the numbers 1 to `key_count`.
static kn_result spec_set_value(
    kn_world *world, kn_spec_id id, bool is_named, uint32_t key, uint32_t key_count, float value)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (key == 0 || key > key_count) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(value)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_rare *rare = kni_rare_at(world, spec_at(world, slot)->rare1);
    bool ok = kni_pairs_set(world, is_named ? &rare->named : &rare->caller, key, value);
    return kni_leave(world, ok ? KN_OK : KN_ERROR_OUT_OF_MEMORY);
}

kn_result kn_spec_set_caller_value(kn_world *world, kn_spec_id id, kn_tag tag, float value)
{
    uint32_t count = world != NULL ? kn_tag_count(world->library) : 0;
    return spec_set_value(world, id, false, tag.index1, count, value);
}

kn_result kn_spec_set_named_value(kn_world *world, kn_spec_id id, kn_name name, float value)
{
    uint32_t count = world != NULL ? world->library->registries[KN_DEF_NAME].count : 0;
    return spec_set_value(world, id, true, name.index1, count, value);
}

float kn_spec_caller_value(const kn_world *world, kn_spec_id id, kn_tag tag, float fallback)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return fallback;
    }
    const kni_rare *rare = kni_rare_at(world, spec_at(world, slot)->rare1);
    const kni_pair *pair = kni_pairs_find(world, &rare->caller, tag.index1);
    return pair != NULL ? pair->value : fallback;
}

kn_result kn_spec_set_level(kn_world *world, kn_spec_id id, float level)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!isfinite(level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    spec_at(world, slot)->level = level;
    return KN_OK;
}

kn_result kn_spec_set_duration(kn_world *world, kn_spec_id id, kn_time duration)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (duration > KN_TIME_MAX) {
        return KN_REFUSED_BAD_NUMBER;
    }
    spec_at(world, slot)->duration = duration < 0 ? -1 : duration;
    return KN_OK;
}

kn_result kn_spec_set_period(kn_world *world, kn_spec_id id, kn_time period)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (period > KN_TIME_MAX || period == 0) {
        return KN_REFUSED_BAD_NUMBER;
    }
    spec_at(world, slot)->period = period < 0 ? -1 : period;
    return KN_OK;
}

kn_result kn_spec_set_stacks(kn_world *world, kn_spec_id id, uint32_t stacks)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    spec_at(world, slot)->stacks = stacks;
    return KN_OK;
}

static kn_result spec_add_tag(kn_world *world, kn_spec_id id, kn_tag tag, bool granted)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (tag.index1 == 0 || tag.index1 > kn_tag_count(world->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_rare *rare = kni_rare_at(world, spec_at(world, slot)->rare1);
    bool ok = kni_spec_tags_add(world, granted ? &rare->granted : &rare->asset, tag.index1);
    return kni_leave(world, ok ? KN_OK : KN_ERROR_OUT_OF_MEMORY);
}

kn_result kn_spec_add_granted_tag(kn_world *world, kn_spec_id spec, kn_tag tag)
{
    return spec_add_tag(world, spec, tag, true);
}

kn_result kn_spec_add_asset_tag(kn_world *world, kn_spec_id spec, kn_tag tag)
{
    return spec_add_tag(world, spec, tag, false);
}

kn_result kn_spec_set_context(
    kn_world *world, kn_spec_id id, const kn_effect_context *context, bool keep_captures)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (context == NULL) {
        KN_ASSERT(context != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_context_check(world, context);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t rare1 = spec_at(world, slot)->rare1;
    if (!kni_context_fill(world, kni_rare_at(world, rare1), context)) {
        kni_break(world);
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    if (!keep_captures) {
        kn_spec_view view;
        spec_view(world, slot, &view);
        kni_rare_capture_source_tags(world, rare1, view.source_component);
        kni_span_clear(&world->heap, &kni_rare_at(world, rare1)->captures, sizeof(float));
        kni_capture_all(world, &view, true);
    }
    return kni_leave(world, KN_OK);
}

kn_result kni_spec_apply(kn_world *world, kn_spec_id id, kn_entity_id target, kn_effect_id *effect,
    kni_put *put, kn_effect_refusal *refusal)
{
    *put = (kni_put){0};
    if (effect != NULL) {
        *effect = (kn_effect_id){0};
    }
    if (refusal != NULL) {
        *refusal = (kn_effect_refusal){0};
    }
    uint32_t slot = spec_find(world, id);
    uint32_t entity = kni_entity_find(world, target);
    if (slot == KNI_NONE || entity == KNI_NONE) {
        if (refusal != NULL) {
            refusal->reason = KN_REFUSED_STALE_ID;
        }
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_application application = {.refusal = refusal};
    spec_view(world, slot, &application.spec);
    uint32_t component = kni_component_ensure(world, entity);
    uint32_t rare1 = component != KNI_NONE ? kni_rare_acquire(world) : 0;
    if (rare1 == 0 || !kni_rare_copy(world, spec_at(world, slot)->rare1, rare1)) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    application.spec.rare1 = rare1;
    application.spec.target_component = component;
    application.spec.target = kni_component_entity(world, component);
    application.stacks = spec_at(world, slot)->stacks;
    application.ignore_gates = spec_at(world, slot)->flags != 0;
    result = kni_apply(world, &application);
    *put = kni_application_put(&application);
    result = kni_leave(world, result);
    if (effect != NULL && result == KN_OK) {
        *effect = application.effect;
    }
    return result;
}

kn_result kn_spec_apply(kn_world *world, kn_spec_id id, kn_entity_id target, kn_effect_id *effect)
{
    kni_put put;
    return kni_spec_apply(world, id, target, effect, &put, NULL);
}

kn_result kn_spec_apply_why(kn_world *world, kn_spec_id id, kn_entity_id target,
    kn_effect_id *effect, kn_effect_refusal *refusal)
{
    kni_put put;
    return kni_spec_apply(world, id, target, effect, &put, refusal);
}

uint32_t kn_spec_explain(const kn_world *given, kn_spec_id id, kn_entity_id target,
    kn_effect_refusal *out, uint32_t capacity)
{
    kn_world *world; // pure rules get it in the same form as all rules
    memcpy(&world, &given, sizeof(world));
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE || kni_entity_find(world, target) == KNI_NONE) {
        if (capacity > 0) {
            out[0] = (kn_effect_refusal){.reason = KN_REFUSED_STALE_ID};
        }
        return 1;
    }
    kni_application application = {0};
    spec_view(world, slot, &application.spec);
    uint32_t component = kni_component_find(world, target);
    application.spec.target_component = component;
    application.spec.target =
        component != KNI_NONE ? kni_component_entity(world, component) : target;
    application.stacks = spec_at(world, slot)->stacks;
    application.ignore_gates = spec_at(world, slot)->flags != 0;
    return kni_application_explain(&application, out, capacity);
}
