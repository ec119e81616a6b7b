// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Specs that wait to be applied, extension records, and what rules may read of a spec.

#include "ability/actor.h"

#include <math.h>

// Extension records ---------------------------------------------------------

uint32_t kni_rare_acquire(kn_world *world)
{
    uint32_t slot = kni_pool_acquire(&world->rares, &world->memory);
    if (slot == KNI_NONE) {
        kni_break(world);
        return 0;
    }
    kni_rare *rare = kni_pool_at(&world->rares, slot);
    rare->paused = -1;
    return slot + 1;
}

bool kni_effect_rare_ensure(kn_world *world, uint32_t slot)
{
    if (kni_effect_at(world, slot)->rare1 == 0) {
        uint32_t rare1 = kni_rare_acquire(world);
        if (rare1 == 0) {
            return false;
        }
        kni_effect *effect = kni_effect_at(world, slot);
        effect->rare1 = rare1;
        kni_rare_at(world, rare1)->last_tick = effect->start;
        kni_rare_at(world, rare1)->base_duration = effect->duration;
    }
    return true;
}

static uint32_t payload_size(const kn_world *world, const kni_rare *rare)
{
    return rare->payload_type == 0
               ? 0
               : KNI_ITEM(world->library, KN_DEF_CONTEXT, kni_context_type, rare->payload_type - 1)
                     ->size;
}

static uint32_t state_size(const kn_world *world, const kni_effect_type *type)
{
    return type->def.logic.index1 == 0 ? 0
                                       : KNI_ITEM(world->library, KN_DEF_EFFECT_LOGIC, kni_logic,
                                             type->def.logic.index1 - 1)
                                             ->def.state_size;
}

void kni_rare_release(kn_world *world, uint32_t rare1, const kni_effect_type *type)
{
    if (rare1 == 0) {
        return;
    }
    kni_heap *heap = &world->heap;
    kni_rare *rare = kni_rare_at(world, rare1);
    kni_span_clear(heap, &rare->caller, sizeof(kni_pair));
    kni_span_clear(heap, &rare->named, sizeof(kni_pair));
    kni_span_clear(heap, &rare->granted, sizeof(uint32_t));
    kni_span_clear(heap, &rare->asset, sizeof(uint32_t));
    kni_span_clear(heap, &rare->magnitudes, sizeof(float));
    kni_span_clear(heap, &rare->captures, sizeof(float));
    kni_span_clear(heap, &rare->source_tags, sizeof(uint32_t));
    kni_span_clear(heap, &rare->stacks, sizeof(kni_stack));
    kni_span_clear(heap, &rare->children, sizeof(kni_child_link));
    kni_span_clear(heap, &rare->targets, 1);
    kni_heap_release(heap, rare->state, state_size(world, type));
    kni_heap_release(heap, rare->payload, payload_size(world, rare));
    kni_pool_release(&world->rares, rare1 - 1);
}

static bool span_copy(kn_world *world, const kni_span *from, kni_span *to, size_t size)
{
    kni_span source = *from; // records may move while blocks are taken
    *to = (kni_span){0};
    if (source.count == 0) {
        return true;
    }
    kni_span copy = {0};
    if (!kni_span_reserve(&world->heap, &world->memory, &copy, source.count, size)) {
        return false;
    }
    memcpy(kni_heap_at(&world->heap, copy.ref), kni_heap_at(&world->heap, source.ref),
        source.count * size);
    copy.count = source.count;
    *to = copy;
    return true;
}

static bool payload_set(kn_world *world, kni_rare *rare, uint32_t type1, const void *payload)
{
    kni_ref block = 0;
    if (type1 != 0 && payload != NULL) {
        uint32_t size = KNI_ITEM(world->library, KN_DEF_CONTEXT, kni_context_type, type1 - 1)->size;
        block = kni_heap_acquire(&world->heap, &world->memory, size);
        if (block == 0) {
            return false;
        }
        memcpy(kni_heap_at(&world->heap, block), payload, size);
    }
    // Given back last: the bytes may be its own.
    kni_heap_release(&world->heap, rare->payload, payload_size(world, rare));
    rare->payload = block;
    rare->payload_type = block != 0 ? type1 : 0;
    return true;
}

// Everything but what belongs to an active effect: stacks, children, state.
bool kni_rare_copy(kn_world *world, uint32_t from1, uint32_t to1)
{
    const kni_rare *from = kni_rare_at(world, from1);
    kni_rare *to = kni_rare_at(world, to1);
    bool ok = span_copy(world, &from->caller, &to->caller, sizeof(kni_pair)) &&
              span_copy(world, &from->named, &to->named, sizeof(kni_pair)) &&
              span_copy(world, &from->granted, &to->granted, sizeof(uint32_t)) &&
              span_copy(world, &from->asset, &to->asset, sizeof(uint32_t)) &&
              span_copy(world, &from->captures, &to->captures, sizeof(float)) &&
              span_copy(world, &from->source_tags, &to->source_tags, sizeof(uint32_t)) &&
              span_copy(world, &from->targets, &to->targets, 1);
    to->has_source_tags = from->has_source_tags;
    to->instigator = from->instigator;
    to->causer = from->causer;
    to->source_object = from->source_object;
    to->ability = from->ability;
    to->activation = from->activation;
    to->origin = from->origin;
    to->has_origin = from->has_origin;
    if (ok && from->payload_type != 0) {
        uint32_t size = payload_size(world, from);
        to->payload = kni_heap_acquire(&world->heap, &world->memory, size);
        ok = to->payload != 0;
        if (ok) {
            memcpy(kni_heap_at(&world->heap, to->payload), kni_heap_at(&world->heap, from->payload),
                size);
            to->payload_type = from->payload_type;
        }
    }
    if (!ok) {
        kni_break(world);
    }
    return ok;
}

const kni_pair *kni_pairs_find(const kn_world *world, const kni_span *span, uint32_t key)
{
    for (uint32_t i = 0; i < span->count; i++) {
        const kni_pair *pair = KNI_SPAN_AT(world, *span, kni_pair, i);
        if (pair->key == key) {
            return pair;
        }
    }
    return NULL;
}

// Sorted by key, so that equal content is stored alike.
bool kni_pairs_set(kn_world *world, kni_span *span, uint32_t key, float value)
{
    uint32_t index = 0;
    while (index < span->count && KNI_SPAN_AT(world, *span, kni_pair, index)->key < key) {
        index++;
    }
    if (index < span->count && KNI_SPAN_AT(world, *span, kni_pair, index)->key == key) {
        KNI_SPAN_AT(world, *span, kni_pair, index)->value = value;
        return true;
    }
    kni_pair *pair = kni_span_insert(&world->heap, &world->memory, span, index, sizeof(kni_pair));
    if (pair == NULL) {
        return false;
    }
    *pair = (kni_pair){key, value};
    return true;
}

void kni_pairs_remove(kn_world *world, kni_span *span, uint32_t key)
{
    for (uint32_t i = span->count; i-- > 0;) {
        if (KNI_SPAN_AT(world, *span, kni_pair, i)->key == key) {
            kni_span_remove(&world->heap, span, i, sizeof(kni_pair));
        }
    }
}

static bool tags_add(kn_world *world, kni_span *span, uint32_t tag)
{
    uint32_t index = 0;
    while (index < span->count && *KNI_SPAN_AT(world, *span, uint32_t, index) < tag) {
        index++;
    }
    if (index < span->count && *KNI_SPAN_AT(world, *span, uint32_t, index) == tag) {
        return true;
    }
    uint32_t *place = kni_span_insert(&world->heap, &world->memory, span, index, sizeof(uint32_t));
    if (place == NULL) {
        return false;
    }
    *place = tag;
    return true;
}

void kni_rare_capture_source_tags(kn_world *world, uint32_t rare1, uint32_t source_component)
{
    kni_rare *rare = kni_rare_at(world, rare1);
    kni_span_clear(&world->heap, &rare->source_tags, sizeof(uint32_t));
    rare->has_source_tags = 1;
    if (source_component == KNI_NONE) {
        return;
    }
    uint32_t rows = kni_component_at(world, source_component)->tags.count;
    for (uint32_t i = 0; i < rows; i++) {
        kni_tag_row row =
            *KNI_SPAN_AT(world, kni_component_at(world, source_component)->tags, kni_tag_row, i);
        if (row.count > 0) {
            uint32_t *tag = kni_span_push(&world->heap, &world->memory,
                &kni_rare_at(world, rare1)->source_tags, sizeof(*tag));
            if (tag == NULL) {
                kni_break(world);
                return;
            }
            *tag = row.tag;
        }
    }
}

static bool targets_set(kn_world *world, kni_rare *rare, const void *targets, uint32_t size)
{
    kni_span old = rare->targets; // given back last: the bytes may be its own
    rare->targets = (kni_span){0};
    if (targets != NULL && size > 0) {
        if (!kni_span_reserve(&world->heap, &world->memory, &rare->targets, size, 1)) {
            rare->targets = old;
            return false;
        }
        memcpy(kni_heap_at(&world->heap, rare->targets.ref), targets, size);
        rare->targets.count = size;
    }
    kni_span_clear(&world->heap, &old, 1);
    return true;
}

static kn_result context_check(const kn_world *world, const kn_effect_context *context)
{
    if (context->payload_type.index1 > world->library->registries[KN_DEF_CONTEXT].count) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_target_view targets = {context->targets, context->target_size};
    bool is_good = targets.size == 0 || kn_target_is_valid(world->library, targets);
    return is_good ? KN_OK : KN_ERROR_BAD_DATA;
}

static bool context_fill(kn_world *world, kni_rare *rare, const kn_effect_context *context)
{
    rare->instigator = context->instigator;
    rare->causer = kni_source_of(world, context->causer);
    rare->source_object = context->source_object;
    rare->origin = context->has_origin ? context->origin : (kn_vec3){0};
    rare->has_origin = context->has_origin;
    rare->ability = context->ability;
    rare->activation = context->activation;
    return payload_set(world, rare, context->payload_type.index1, context->payload) &&
           targets_set(world, rare, context->targets, context->target_size);
}

bool kni_rare_fill(kn_world *world, uint32_t rare1, const kn_effect_apply_def *def)
{
    kni_rare *rare = kni_rare_at(world, rare1); // does not move: only the heap grows here
    bool ok = true;
    for (uint32_t i = 0; ok && i < def->caller_value_count; i++) {
        ok = kni_pairs_set(
            world, &rare->caller, def->caller_values[i].tag.index1, def->caller_values[i].value);
    }
    for (uint32_t i = 0; ok && i < def->named_value_count; i++) {
        ok = kni_pairs_set(
            world, &rare->named, def->named_values[i].name.index1, def->named_values[i].value);
    }
    for (uint32_t i = 0; ok && i < def->dynamic_granted_tags.count; i++) {
        ok = tags_add(world, &rare->granted, def->dynamic_granted_tags.data[i].index1);
    }
    for (uint32_t i = 0; ok && i < def->dynamic_asset_tags.count; i++) {
        ok = tags_add(world, &rare->asset, def->dynamic_asset_tags.data[i].index1);
    }
    if (ok && def->context != NULL) {
        ok = context_fill(world, rare, def->context);
    }
    if (!ok) {
        kni_break(world);
    }
    return ok;
}

// Who stands behind an id: the owner of a body, the entity itself, or nobody. A body may be rebound
// or die while its effects run on.
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

// Checks an application; shared by kn_effect_apply() and kn_spec_create().
kn_result kni_apply_def_check(const kn_world *world, const kn_effect_apply_def *def)
{
    if (def == NULL || def->cookie != KNI_COOKIE || def->type.index1 == 0 ||
        def->type.index1 > world->type_count) {
        KNI_ASSERT_DEF(def, kn_effect_apply_def);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(def->level) || def->period > KN_TIME_MAX || def->period == 0 ||
        !duration_is_good(kni_type_at(world, def->type.index1 - 1), def->duration)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if (def->caller_value_count == 0 && def->named_value_count == 0 &&
        def->dynamic_granted_tags.count == 0 && def->dynamic_asset_tags.count == 0 &&
        def->context == NULL) {
        return KN_OK;
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
    return def->context != NULL ? context_check(world, def->context) : KN_OK;
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
        .number = world->next_number++,
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
    spec->number = world->next_number++;
    spec->rare1 = rare1;
    kn_spec_id made = {slot + 1, (uint32_t)spec->number};
    result = kni_leave(world, KN_OK);
    if (result == KN_OK) {
        *copy = made;
    }
    return result;
}

kn_result kn_spec_set_caller_value(kn_world *world, kn_spec_id id, kn_tag tag, float value)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (tag.index1 == 0 || tag.index1 > kn_tag_count(world->library)) {
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
    bool ok = kni_pairs_set(world, &rare->caller, tag.index1, value);
    return kni_leave(world, ok ? KN_OK : KN_ERROR_OUT_OF_MEMORY);
}

kn_result kn_spec_set_named_value(kn_world *world, kn_spec_id id, kn_name name, float value)
{
    uint32_t slot = spec_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (name.index1 == 0 || name.index1 > world->library->registries[KN_DEF_NAME].count) {
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
    bool ok = kni_pairs_set(world, &rare->named, name.index1, value);
    return kni_leave(world, ok ? KN_OK : KN_ERROR_OUT_OF_MEMORY);
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
    bool ok = tags_add(world, granted ? &rare->granted : &rare->asset, tag.index1);
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
    kn_result result = context_check(world, context);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t rare1 = spec_at(world, slot)->rare1;
    if (!context_fill(world, kni_rare_at(world, rare1), context)) {
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

kn_result kn_spec_apply(kn_world *world, kn_spec_id id, kn_entity_id target, kn_effect_id *effect)
{
    if (effect != NULL) {
        *effect = (kn_effect_id){0};
    }
    uint32_t slot = spec_find(world, id);
    uint32_t entity = kni_entity_find(world, target);
    if (slot == KNI_NONE || entity == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_application application = {0};
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
    result = kni_leave(world, kni_apply(world, &application));
    if (effect != NULL && result == KN_OK) {
        *effect = application.effect;
    }
    return result;
}

uint32_t kn_spec_explain(const kn_world *given, kn_spec_id id, kn_entity_id target,
    kn_effect_refusal *out, uint32_t capacity)
{
    kn_world *world; // rules that are pure get it as everybody else
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

// Reading a spec ------------------------------------------------------------

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
        .tick = effect->executions,
        .duration = -1,
        .period = -1,
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
    if (rare == NULL && !is_named) {
        pair = kni_ability_pair(spec, key);
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
    const kni_pair *pair =
        rare != NULL ? kni_pairs_find(spec->world, &rare->named, name.index1) : NULL;
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

// Tags added to the ability that made the effect count as its source's.
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
