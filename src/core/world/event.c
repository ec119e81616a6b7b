// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events for observers: a step appends them to the pending buffer, together with their causes and
// bytes, and step/publish.c makes them visible. Errors are events too.

#include "world/world.h"

kn_event *kni_emit_slow(kn_world *world)
{
    kni_event_buffer *buffer = &world->pending;
    if (!kni_grow(&world->memory, &buffer->events, &buffer->capacity, buffer->count + 1,
            sizeof(kn_event))) {
        kni_break(world);
        return &world->lost_event;
    }
    return &buffer->events[buffer->count++];
}

static void error_emit(kn_world *world, kn_entity_id entity, const kn_event_error *error)
{
    if (!kni_wants(world, KN_EVENT_ERROR)) {
        return;
    }
    kn_event *event = kni_emit(world, KN_EVENT_ERROR, entity);
    memset(&event->data, 0, sizeof(event->data));
    event->data.error = *error;
}

void kni_emit_error(kn_world *world, kn_result code, kn_entity_id entity, uint32_t type1,
    uint32_t attribute1, uint32_t detail)
{
    if (code == KN_REFUSED_LIMIT) {
        // Logged once per limit: somebody has to fix a loop.
        char text[512];
        kn_cause_print(world, world->cause, text, sizeof(text));
        kni_log_line(world, KN_LOG_WORLD, KN_LOG_ERROR, code, text);
    }
    kn_event_error error = {
        .code = code, .detail = detail, .type = {type1}, .attribute = {attribute1}};
    error_emit(world, entity, &error);
}

void kni_emit_ability_error(kn_world *world, kn_result code, kn_entity_id entity, uint32_t ability1)
{
    const kni_reported *last = &world->reported;
    if (last->cause == world->cause && last->code == code && last->ability1 == ability1 &&
        kn_entity_id_equal(last->entity, entity)) {
        return; // the rule has reported more about it with kn_world_report()
    }
    kn_event_error error = {.code = code, .ability = {ability1}};
    error_emit(world, entity, &error);
}

kn_result kn_world_report(kn_world *world, kn_entity_id entity, const kn_event_error *error)
{
    if (error == NULL) {
        KN_ASSERT(error != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result == KN_OK) {
        world->reported = (kni_reported){world->cause, error->code, error->ability.index1, entity};
        error_emit(world, entity, error);
        result = kni_leave(world, result);
    }
    return result;
}

kn_result kn_world_publish(
    kn_world *world, kn_entity_id entity, kn_custom_event_id kind, const void *payload)
{
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    if (kind.index1 == 0 || kind.index1 > world->library->registries[KN_DEF_CUSTOM_EVENT].count) {
        return kni_leave(world, KN_ERROR_INVALID_ARGUMENT);
    }
    uint32_t size =
        KNI_ITEM(world->library, KN_DEF_CUSTOM_EVENT, kni_custom_event, kind.index1 - 1)->def.size;
    uint32_t offset = 0;
    if (kni_wants(world, KN_EVENT_CUSTOM) && (size == 0 || kni_bytes_room(world, size, &offset))) {
        kn_event *event = kni_emit(world, KN_EVENT_CUSTOM, entity);
        memset(&event->data, 0, sizeof(event->data));
        event->data.custom.kind = kind;
        event->data.custom.size = size;
        event->data.custom.offset1 = size > 0 ? offset + 1 : 0;
        if (size > 0 && payload != NULL) {
            memcpy(world->pending.bytes + offset, payload, size);
        } else if (size > 0) {
            memset(world->pending.bytes + offset, 0, size);
        }
    }
    return kni_leave(world, KN_OK);
}

const void *kn_event_payload(const kn_world *world, const kn_event *event, uint32_t *size)
{
    *size = 0;
    if (world == NULL || event == NULL || event->type != KN_EVENT_CUSTOM ||
        event->data.custom.offset1 == 0) {
        return NULL;
    }
    const kni_event_buffer *buffer = world->log.is_pending ? &world->pending : &world->published;
    uint32_t offset = event->data.custom.offset1 - 1;
    if (offset > buffer->byte_count || event->data.custom.size > buffer->byte_count - offset) {
        return NULL;
    }
    *size = event->data.custom.size;
    return buffer->bytes + offset;
}

kn_events kn_world_events(const kn_world *world)
{
    if (world == NULL) {
        return (kn_events){0};
    }
    kn_events events = {world->published.events, world->published.count};
    return events;
}

// Makes room for bytes beside the pending events and gives the offset, aligned for any type.
bool kni_bytes_room(kn_world *world, uint32_t size, uint32_t *offset)
{
    kni_event_buffer *buffer = &world->pending;
    *offset = (buffer->byte_count + 7) & ~7u;
    if (!kni_grow(&world->memory, &buffer->bytes, &buffer->byte_capacity, *offset + size, 1)) {
        kni_break(world);
        return false;
    }
    buffer->byte_count = *offset + size;
    return true;
}
