// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Payloads: the data of events, copied into the world and counted by reference, so that reactions
// that run later, activations and tasks can still read it.

#include "world/world.h"

static bool payload_span(
    kn_world *world, kni_span *span, const void *data, uint32_t count, size_t size)
{
    if (count == 0 || data == NULL) {
        return true;
    }
    if (!kni_span_reserve(&world->heap, &world->memory, span, count, size)) {
        return false;
    }
    memcpy(kni_heap_at(&world->heap, span->ref), data, count * size);
    span->count = count;
    return true;
}

uint32_t kni_payload_store(kn_world *world, const kn_event_record *record, uint32_t tag)
{
    uint32_t slot = kni_pool_acquire(&world->payloads, &world->memory);
    if (slot == KNI_NONE) {
        kni_break(world);
        return 0;
    }
    kni_payload *payload = kni_payload_at(world, slot);
    payload->number = kni_number_next(world);
    payload->references = 1;
    payload->tag = tag;
    if (record == NULL) {
        return slot + 1;
    }
    payload->kind1 = record->kind.index1;
    payload->magnitude = kni_saturated(record->magnitude);
    payload->instigator = record->instigator;
    payload->target = record->target;
    payload->object = record->object;
    payload->object2 = record->object2;
    payload->has_instigator_tags = record->has_instigator_tags;
    payload->has_target_tags = record->has_target_tags;
    if (!payload_span(
            world, &payload->tags, record->tags.data, record->tags.count, sizeof(kn_tag)) ||
        !payload_span(world, &payload->instigator_tags, record->instigator_tags.data,
            record->instigator_tags.count, sizeof(kn_tag)) ||
        !payload_span(world, &payload->target_tags, record->target_tags.data,
            record->target_tags.count, sizeof(kn_tag)) ||
        !payload_span(world, &payload->data, record->data, record->data_size, 1)) {
        kni_break(world);
    }
    return slot + 1;
}

void kni_payload_release(kn_world *world, uint32_t payload1)
{
    kni_payload *payload = kni_payload_at(world, payload1 - 1);
    if (--payload->references > 0) {
        return;
    }
    kni_span_clear(&world->heap, &payload->tags, sizeof(kn_tag));
    kni_span_clear(&world->heap, &payload->instigator_tags, sizeof(kn_tag));
    kni_span_clear(&world->heap, &payload->target_tags, sizeof(kn_tag));
    kni_span_clear(&world->heap, &payload->data, 1);
    kni_pool_release(&world->payloads, payload1 - 1);
}

static kn_tags payload_tags(const kn_world *world, const kni_span *span)
{
    kn_tags tags = {kni_heap_at(&world->heap, span->ref), span->count};
    return tags;
}

void kni_payload_view(const kn_world *world, uint32_t payload1, kn_event_record *record)
{
    *record = kn_event_record_default();
    const kni_payload *payload = kni_payload_at(world, payload1 - 1);
    record->kind.index1 = payload->kind1;
    record->tag.index1 = payload->tag;
    record->magnitude = payload->magnitude;
    record->instigator = payload->instigator;
    record->target = payload->target;
    record->object = payload->object;
    record->object2 = payload->object2;
    record->tags = payload_tags(world, &payload->tags);
    record->has_instigator_tags = payload->has_instigator_tags != 0;
    record->has_target_tags = payload->has_target_tags != 0;
    record->instigator_tags = payload_tags(world, &payload->instigator_tags);
    record->target_tags = payload_tags(world, &payload->target_tags);
    record->data = payload->data.count > 0 ? kni_heap_at(&world->heap, payload->data.ref) : NULL;
    record->data_size = payload->data.count;
}

// Copies a list to the end of the copy's block.
static const void *payload_move(kni_payload_copy *copy, const void *data, size_t size)
{
    uint8_t *at = copy->block + copy->used;
    if (size > 0) {
        memcpy(at, data, size);
        copy->used += (size + 7) & ~(size_t)7;
    }
    return at;
}

bool kni_payload_take(kn_world *world, uint32_t payload1, kni_payload_copy *copy)
{
    kn_event_record *record = &copy->record;
    kni_payload_view(world, payload1, record);
    kn_tags *lists[3] = {&record->tags, &record->instigator_tags, &record->target_tags};
    size_t size = record->data_size;
    for (uint32_t i = 0; i < 3; i++) {
        size += (lists[i]->count * sizeof(kn_tag) + 7) & ~(size_t)7;
    }
    copy->size = size;
    copy->used = 0;
    copy->block =
        size <= sizeof(copy->local) ? copy->local : kni_realloc(&world->memory, NULL, 0, size);
    if (copy->block == NULL) {
        kni_break(world);
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        lists[i]->data = payload_move(copy, lists[i]->data, lists[i]->count * sizeof(kn_tag));
    }
    const void *data = payload_move(copy, record->data, record->data_size);
    record->data = record->data_size > 0 ? data : NULL;
    return true;
}

void kni_payload_drop(kn_world *world, kni_payload_copy *copy)
{
    if (copy->block != copy->local) {
        kni_free(&world->memory, copy->block, copy->size);
    }
}
