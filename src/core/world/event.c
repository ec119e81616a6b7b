// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Events for observers.

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
        // Once per limit is worth a line: somebody must break a loop.
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
        return; // the rule has said more about it with kn_world_report()
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

kn_events kn_world_events(const kn_world *world)
{
    if (world == NULL) {
        return (kn_events){0};
    }
    kn_events events = {world->published.events, world->published.count};
    return events;
}

// Room for bytes beside the pending events; the offset, rounded so that anything may stand there.
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
