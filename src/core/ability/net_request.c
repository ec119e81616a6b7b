// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the client that controls an entity has to send to the server, as events for a transport, and
// the functions that a transport calls when a message arrives. The events are for observers:
// nothing in the world depends on them.

#include "knack/target.h"

#include "ability/actor.h"

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
    event->data.request.event1 = batch->event1;
    event->data.request.use = batch->use;
    event->data.request.point = batch->point;
}

// Publishes the contents of the open batch, which stays open for more.
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

// The lists of a record that are stored after it, in this order.
static void record_lists(kn_event_record *record, kn_tags *lists[3])
{
    lists[0] = &record->tags;
    lists[1] = &record->instigator_tags;
    lists[2] = &record->target_tags;
}

// Where the target data of a stored record begins, aligned for any type.
static size_t record_data_at(const kn_event_record *record)
{
    size_t tags =
        (size_t)record->tags.count + record->instigator_tags.count + record->target_tags.count;
    return (sizeof(*record) + tags * sizeof(kn_tag) + 7) & ~(size_t)7;
}

// Copies the event of an activation beside the events: the record, its tags, its target data.
static void request_event(kn_world *world, kni_batch *batch, kn_activation_id activation)
{
    kn_event_record record;
    uint32_t offset;
    if (!kn_activation_event(world, activation, &record) ||
        !kni_bytes_room(world, (uint32_t)record_data_at(&record) + record.data_size, &offset)) {
        return;
    }
    uint8_t *first = world->pending.bytes + offset, *out = first + sizeof(record);
    memcpy(first, &record, sizeof(record));
    kn_tags *lists[3];
    record_lists(&record, lists);
    for (uint32_t i = 0; i < 3; i++) {
        size_t size = lists[i]->count * sizeof(kn_tag);
        if (size > 0) {
            memcpy(out, lists[i]->data, size);
        }
        out += size;
    }
    if (record.data_size > 0) {
        memcpy(first + record_data_at(&record), record.data, record.data_size);
    }
    batch->event1 = offset + 1;
}

bool kn_request_event(const kn_world *world, const kn_event *event, kn_event_record *record)
{
    *record = kn_event_record_default();
    if (world == NULL || event == NULL || event->type != KN_EVENT_REQUEST ||
        event->data.request.event1 == 0) {
        return false;
    }
    const kni_event_buffer *buffer = &world->published;
    uint32_t offset = event->data.request.event1 - 1;
    kn_event_record stored;
    if (offset > buffer->byte_count || buffer->byte_count - offset < sizeof(stored)) {
        return false;
    }
    memcpy(&stored, buffer->bytes + offset, sizeof(stored));
    if (buffer->byte_count - offset < record_data_at(&stored) + stored.data_size) {
        return false;
    }
    const uint8_t *first = buffer->bytes + offset, *in = first + sizeof(stored);
    kn_tags *lists[3];
    record_lists(&stored, lists);
    for (uint32_t i = 0; i < 3; i++) {
        lists[i]->data = (const kn_tag *)(const void *)in;
        in += lists[i]->count * sizeof(kn_tag);
    }
    stored.data = stored.data_size > 0 ? first + record_data_at(&stored) : NULL;
    *record = stored;
    return true;
}

// Whether a part is sent to the server. What only begins, ends or continues here is not.
static bool part_is_told(const kn_ability_def *def, kn_request_part part)
{
    kn_net_request request = KN_REQUEST_ACTIVATE;
    switch (part) {
    case KN_REQUEST_PART_ACTIVATE:
        break;
    case KN_REQUEST_PART_END:
        request = KN_REQUEST_END;
        break;
    case KN_REQUEST_PART_CANCEL:
        request = KN_REQUEST_CANCEL;
        break;
    default: // what it does while it also runs there
        return def->net_execution == KN_NET_EXECUTION_LOCAL_PREDICTED ||
               def->net_execution == KN_NET_EXECUTION_SERVER_INITIATED;
    }
    return kn_net_decide(request, KN_NET_ORIGIN_HERE, KN_ROLE_OWNER, def->net_execution,
               def->net_security) == KN_NET_VERDICT_RUN_AND_SEND;
}

void kni_request_slow(kn_world *world, uint32_t ability, kn_activation_id activation,
    kn_request_part part, const void *data, uint32_t size)
{
    const kni_ability *a = kni_ability_at(world, ability);
    kn_entity_id owner = kni_component_entity(world, a->component);
    const kn_ability_def *def = &kni_ability_type_at(world->library, a->type)->def;
    if (kn_entity_role(world, owner) != KN_ROLE_OWNER || !part_is_told(def, part)) {
        return;
    }
    kni_batch alone = {.ability = kni_ability_id_of(world, ability)};
    bool is_batched = kn_ability_id_equal(world->batch.ability, alone.ability);
    if (is_batched && (world->batch.parts & part) != 0) {
        kni_request_flush(world); // a second set of targets does not fit into one request
    }
    kni_batch *batch = is_batched ? &world->batch : &alone;
    batch->activation = activation;
    batch->parts |= part;
    batch->is_pressed |= (a->flags & KNI_ABILITY_PRESSED) != 0;
    request_data(world, batch, data, size);
    if (part == KN_REQUEST_PART_ACTIVATE) {
        request_event(world, batch, activation);
    }
    if (!is_batched) {
        request_emit(world, owner, batch);
    }
}

void kni_request_sync(
    kn_world *world, uint32_t ability, kn_activation_id activation, uint32_t use, uint32_t point)
{
    kni_batch alone = {.ability = kni_ability_id_of(world, ability),
        .activation = activation,
        .parts = KN_REQUEST_PART_SYNC,
        .use = use,
        .point = point};
    if (kn_ability_id_equal(world->batch.ability, alone.ability)) {
        kni_request_flush(world); // what was before it must arrive before it
    }
    request_emit(
        world, kni_component_entity(world, kni_ability_at(world, ability)->component), &alone);
}

kn_result kn_entity_allow_batches(kn_world *world, kn_entity_id entity, bool allowed)
{
    kn_result result;
    kni_actor *actor = kni_actor_enter(world, entity, &result);
    if (actor == NULL) {
        return result;
    }
    if (((actor->flags & KNI_ACTOR_BATCHES) != 0) != allowed) {
        actor->flags ^= KNI_ACTOR_BATCHES;
        kni_mark(world, actor->component, KN_PART_ENTITY);
    }
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
        if (kni_log_wants(world, KN_LOG_NETWORK, KN_LOG_INFO)) {
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
    if (slot != KNI_NONE && kni_log_wants(world, KN_LOG_NETWORK, KN_LOG_INFO)) {
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

// Messages from the other side -----------------------------------------------

// Whether a connection is the one that may send requests about an ability.
static bool peer_is_known(const kn_world *world, uint32_t ability, uint32_t connection)
{
    const kni_component *component =
        kni_component_at(world, kni_ability_at(world, ability)->component);
    return world->def.is_client ? connection == 0
                                : connection != 0 && connection == component->connection;
}

kn_result kn_peer_activate(kn_world *world, uint32_t connection, kn_ability_id ability,
    const kn_event_record *event, kn_activation_id *activation)
{
    if (activation != NULL) {
        *activation = (kn_activation_id){0};
    }
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!peer_is_known(world, slot, connection)) {
        return KN_REFUSED_BLOCKED;
    }
    if (event != NULL && event->data_size > 0 &&
        !kn_target_is_valid(world->library, (kn_target_view){event->data, event->data_size})) {
        return KN_ERROR_BAD_DATA;
    }
    kni_attempt attempt = {event, KN_NET_ORIGIN_PEER, KNI_NO_TRIGGER};
    return kni_activate_call(world, ability, &attempt, activation);
}

kn_result kn_peer_end(
    kn_world *world, uint32_t connection, kn_activation_id activation, bool is_cancelled)
{
    uint32_t slot = kni_activation_find(world, activation);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t ability = kni_activation_at(world, slot)->ability;
    const kn_ability_def *def = &kni_type_of_ability(world, ability)->def;
    kn_net_verdict verdict = kn_net_decide(is_cancelled ? KN_REQUEST_CANCEL : KN_REQUEST_END,
        KN_NET_ORIGIN_PEER, kn_entity_role(world, kn_activation_owner(world, activation)),
        def->net_execution, def->net_security);
    bool is_respected = world->def.is_client || def->respects_remote_cancel;
    if (!peer_is_known(world, ability, connection) || verdict == KN_NET_VERDICT_REFUSE ||
        !is_respected) {
        return KN_REFUSED_BLOCKED;
    }
    kn_cancel remote = {.reason = KN_ENDED_REMOTE};
    return kni_activation_stop(world, activation, &remote);
}

kn_activation_mode kn_activation_get_mode(const kn_world *world, kn_activation_id id)
{
    uint32_t slot = kni_activation_find(world, id);
    if (slot == KNI_NONE) {
        return KN_ACTIVATION_MODE_NONE;
    }
    const kni_activation *activation = kni_activation_at(world, slot);
    kn_net_role role = kn_entity_role(world, kn_activation_owner(world, id));
    kn_net_execution execution = kni_type_of_ability(world, activation->ability)->def.net_execution;
    if (!world->def.is_client ||
        (role == KN_ROLE_OWNER && execution == KN_NET_EXECUTION_LOCAL_ONLY)) {
        return KN_ACTIVATION_MODE_AUTHORITY;
    }
    if (role != KN_ROLE_OWNER || execution != KN_NET_EXECUTION_LOCAL_PREDICTED) {
        return KN_ACTIVATION_MODE_REMOTE;
    }
    return (activation->flags & KNI_ACTIVATION_REJECTED) != 0    ? KN_ACTIVATION_MODE_REJECTED
           : (activation->flags & KNI_ACTIVATION_CONFIRMED) != 0 ? KN_ACTIVATION_MODE_CONFIRMED
                                                                 : KN_ACTIVATION_MODE_PREDICTING;
}

// Enters the world for the server's answer to a prediction.
static kn_result answer_enter(kn_world *world, kn_activation_id activation)
{
    kn_activation_mode mode = kn_activation_get_mode(world, activation);
    if (mode == KN_ACTIVATION_MODE_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    return mode == KN_ACTIVATION_MODE_PREDICTING ? kni_enter(world) : KN_REFUSED_BLOCKED;
}

kn_result kn_peer_confirm(kn_world *world, kn_activation_id id)
{
    if (kn_activation_get_mode(world, id) == KN_ACTIVATION_MODE_CONFIRMED) {
        return KN_OK;
    }
    kn_result result = answer_enter(world, id);
    if (result != KN_OK) {
        return result;
    }
    kni_activation *activation = kni_activation_at(world, kni_activation_find(world, id));
    activation->flags |= KNI_ACTIVATION_CONFIRMED;
    kni_ability_event(world, KN_EVENT_ABILITY_CONFIRMED, activation->ability, id, 0, 0);
    return kni_leave(world, KN_OK);
}

kn_result kn_peer_reject(kn_world *world, kn_activation_id id)
{
    kn_result result = answer_enter(world, id);
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = kni_activation_find(world, id);
    kni_activation_at(world, slot)->flags |= KNI_ACTIVATION_REJECTED;
    kni_activation_end_now(world, slot, KN_ENDED_REJECTED);
    return kni_leave(world, KN_OK);
}
