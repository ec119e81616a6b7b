// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the client that controls an entity has to tell the server, as events for a transport. They
// are for observers: nothing in the world depends on them.

#include "actor.h"

static void request_emit(kn_world *world, kn_entity_id owner, const kni_batch *batch)
{
    if (batch->parts == 0 || !kni_wants(world, KN_EVENT_REQUEST)) {
        return;
    }
    kn_event *event = kni_emit(world, KN_EVENT_REQUEST, owner);
    memset(&event->data, 0, sizeof(event->data));
    event->data.request.ability = batch->ability;
    event->data.request.activation = batch->activation;
    event->data.request.parts = batch->parts;
    event->data.request.offset1 = batch->offset1;
    event->data.request.size = batch->size;
    event->data.request.is_pressed = batch->is_pressed;
}

// Tells what the open batch holds; it stays open for more.
void kni_request_flush(kn_world *world)
{
    kni_batch batch = world->batch;
    uint32_t slot = kni_ability_find(world, batch.ability);
    kn_entity_id owner = {0};
    if (slot != KNI_NONE) {
        owner = kni_component_entity(world, kni_ability_at(world, slot)->component);
    }
    world->batch = (kni_batch){.ability = batch.ability};
    request_emit(world, owner, &batch);
}

// Copies target data beside the events.
static void request_data(kn_world *world, kni_batch *batch, const void *data, uint32_t size)
{
    uint32_t offset;
    if (size == 0 || !kni_bytes_room(world, size, &offset)) {
        return;
    }
    memcpy(world->pending.bytes + offset, data, size);
    batch->offset1 = offset + 1;
    batch->size = size;
}

void kni_request(kn_world *world, uint32_t ability, kn_activation_id activation,
    kn_request_part part, const void *data, uint32_t size)
{
    if (!world->def.is_client || !kni_wants(world, KN_EVENT_REQUEST)) {
        return;
    }
    const kni_ability *a = kni_ability_at(world, ability);
    kn_entity_id owner = kni_component_entity(world, a->component);
    const kn_ability_def *def = &kni_ability_type_at(world->library, a->type)->def;
    if (kn_entity_role(world, owner) != KN_ROLE_OWNER ||
        def->net_execution != KN_NET_LOCAL_PREDICTED) {
        return;
    }
    kni_batch alone = {.ability = kni_ability_id_of(world, ability)};
    bool is_batched = kn_ability_id_equal(world->batch.ability, alone.ability);
    if (is_batched && (world->batch.parts & part) != 0) {
        kni_request_flush(world); // a second volley does not fit into one request
    }
    kni_batch *batch = is_batched ? &world->batch : &alone;
    batch->activation = activation;
    batch->parts |= part;
    batch->is_pressed |= (a->flags & KNI_ABILITY_PRESSED) != 0;
    request_data(world, batch, data, size);
    if (!is_batched) {
        request_emit(world, owner, batch);
    }
}

kn_result kn_entity_allow_batches(kn_world *world, kn_entity_id entity, bool allowed)
{
    kn_result result;
    kni_actor *actor = kni_actor_enter(world, entity, &result);
    if (actor == NULL) {
        return result;
    }
    actor->flags =
        allowed ? actor->flags | KNI_ACTOR_BATCHES : actor->flags & ~(uint32_t)KNI_ACTOR_BATCHES;
    return kni_leave(world, KN_OK);
}

kn_result kn_ability_batch_begin(kn_world *world, kn_ability_id ability)
{
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = kn_ability_batch_end(world);
    const kni_actor *actor = kni_actor_of(world, kni_ability_at(world, slot)->component);
    if (result == KN_OK && (actor->flags & KNI_ACTOR_BATCHES) != 0) {
        world->batch.ability = ability;
        if (kni_log_tells(world, KN_LOG_NETWORK, KN_LOG_INFO)) {
            kni_log_batch(world, slot, "begins");
        }
    }
    return result;
}

kn_result kn_ability_batch_end(kn_world *world)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_request_flush(world);
    uint32_t slot = kni_ability_find(world, world->batch.ability);
    if (slot != KNI_NONE && kni_log_tells(world, KN_LOG_NETWORK, KN_LOG_INFO)) {
        kni_log_batch(world, slot, "ends");
    }
    world->batch = (kni_batch){.parts = 0};
    return kni_leave(world, KN_OK);
}

const void *kn_request_targets(const kn_world *world, const kn_event *event, uint32_t *size)
{
    *size = 0;
    if (world == NULL || event == NULL || event->type != KN_EVENT_REQUEST ||
        event->data.request.offset1 == 0) {
        return NULL;
    }
    const kni_event_buffer *buffer = &world->published;
    uint32_t offset = event->data.request.offset1 - 1;
    if (offset > buffer->byte_count || event->data.request.size > buffer->byte_count - offset) {
        return NULL;
    }
    *size = event->data.request.size;
    return buffer->bytes + offset;
}
