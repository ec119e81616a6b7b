// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rare records: what only some effects and specs need, such as caller values, captures, stacks,
// payload. They are copied and released as a whole; lists are in the heap.

#include "effect/effect.h"

#include <math.h>

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
    kni_mark_effect(world, slot); // whoever needs it writes to it
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
    kni_span source = *from; // the record may move while blocks are allocated
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
    // Released last: the new bytes may come from it.
    kni_heap_release(&world->heap, rare->payload, payload_size(world, rare));
    rare->payload = block;
    rare->payload_type = block != 0 ? type1 : 0;
    return true;
}

// Copies everything except what belongs to an active effect: stacks, children, state.
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

// The pair with a key, a new one with 0 if there is none. NULL when out of memory. Sorted by key,
// so that equal contents are stored the same way.
static kni_pair *pair_ensure(kn_world *world, kni_span *span, uint32_t key)
{
    if (span->count == 0) { // most lists have one pair
        kni_pair *first = kni_span_push(&world->heap, &world->memory, span, sizeof(kni_pair));
        if (first != NULL) {
            *first = (kni_pair){key, 0.0f};
        }
        return first;
    }
    uint32_t index = 0;
    while (index < span->count && KNI_SPAN_AT(world, *span, kni_pair, index)->key < key) {
        index++;
    }
    if (index < span->count && KNI_SPAN_AT(world, *span, kni_pair, index)->key == key) {
        return KNI_SPAN_AT(world, *span, kni_pair, index);
    }
    kni_pair *pair = kni_span_insert(&world->heap, &world->memory, span, index, sizeof(kni_pair));
    if (pair != NULL) {
        *pair = (kni_pair){key, 0.0f};
    }
    return pair;
}

bool kni_pairs_set(kn_world *world, kni_span *span, uint32_t key, float value)
{
    kni_pair *pair = pair_ensure(world, span, key);
    if (pair != NULL) {
        pair->value = value;
    }
    return pair != NULL;
}

bool kni_pairs_add(kn_world *world, kni_span *span, uint32_t key, float amount)
{
    kni_pair *pair = pair_ensure(world, span, key);
    if (pair != NULL) {
        pair->value += amount;
    }
    return pair != NULL;
}

void kni_pairs_remove(kn_world *world, kni_span *span, uint32_t key)
{
    for (uint32_t i = span->count; i-- > 0;) {
        if (KNI_SPAN_AT(world, *span, kni_pair, i)->key == key) {
            kni_span_remove(&world->heap, span, i, sizeof(kni_pair));
        }
    }
}

bool kni_spec_tags_add(kn_world *world, kni_span *span, uint32_t tag)
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
    kni_span old = rare->targets; // released last: the new bytes may come from it
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

kn_result kni_context_check(const kn_world *world, const kn_effect_context *context)
{
    if (context->payload_type.index1 > world->library->registries[KN_DEF_CONTEXT].count) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_target_view targets = {context->targets, context->target_size};
    bool is_good = targets.size == 0 || kn_target_is_valid(world->library, targets);
    return is_good ? KN_OK : KN_ERROR_BAD_DATA;
}

bool kni_context_fill(kn_world *world, kni_rare *rare, const kn_effect_context *context)
{
    rare->instigator = context->instigator;
    rare->causer = kni_source_of(world, context->causer);
    rare->source_object = context->source_object;
    rare->origin = context->has_origin ? context->origin : (kn_vec3){0};
    rare->has_origin = context->has_origin;
    rare->ability = context->ability;
    rare->activation = context->activation;
    uint32_t activation = kni_activation_find(world, context->activation);
    if (activation != KNI_NONE) {
        rare->by_connection = kni_activation_at(world, activation)->by_connection;
        rare->by_sequence = kni_activation_at(world, activation)->by_sequence;
    } else if (context->activation.index1 == 0) {
        rare->by_connection = rare->by_sequence = 0;
    }
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
        ok = kni_spec_tags_add(world, &rare->granted, def->dynamic_granted_tags.data[i].index1);
    }
    for (uint32_t i = 0; ok && i < def->dynamic_asset_tags.count; i++) {
        ok = kni_spec_tags_add(world, &rare->asset, def->dynamic_asset_tags.data[i].index1);
    }
    if (ok && def->context != NULL) {
        ok = kni_context_fill(world, rare, def->context);
    }
    if (!ok) {
        kni_break(world);
    }
    return ok;
}
