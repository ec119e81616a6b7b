// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Uses that come a little before the end of a cast. Over a network the moments at which requests
// arrive vary: one that is refused for nothing but a cast which ends within the tolerance of its
// entity is kept, and carried out when the slot is free.

#include "parts.h"

#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define HELD_MAX 4 // uses of an entity that wait

// A use that waits, with its event; its items are the bytes of target data.
typedef struct cast_held {
    uint64_t object, object2;
    kn_ability_id ability;
    kn_entity_id instigator, target;
    float magnitude;
    kn_tag tag;
    kn_tag tags[KN_COMMAND_TAGS_MAX];
    uint32_t has_event;
    uint32_t unused;
} cast_held;

static const kn_field held_fields[] = {
    KN_FIELD(cast_held, object, KN_FIELD_U64),
    KN_FIELD(cast_held, object2, KN_FIELD_U64),
    KN_FIELD(cast_held, ability, KN_FIELD_ABILITY),
    KN_FIELD(cast_held, instigator, KN_FIELD_ENTITY),
    KN_FIELD(cast_held, target, KN_FIELD_ENTITY),
    KN_FIELD(cast_held, magnitude, KN_FIELD_F32),
    KN_FIELD(cast_held, tag, KN_FIELD_TAG),
    KN_FIELD_INIT("tags", KN_FIELD_TAG, offsetof(cast_held, tags), KN_COMMAND_TAGS_MAX),
    KN_FIELD(cast_held, has_event, KN_FIELD_U32),
    KN_FIELD(cast_held, unused, KN_FIELD_U32),
};
static const kn_field byte_fields[] = {KN_FIELD_INIT("byte", KN_FIELD_U8, 0, 1)};
static const kn_field event_fields[] = {
    KN_FIELD(kn_cast_held, ability, KN_FIELD_ABILITY),
    KN_FIELD(kn_cast_held, until, KN_FIELD_TIME),
};

static void held_fill(cast_held *held, kn_ability_id ability, const kn_event_record *event)
{
    held->ability = ability;
    if (event == NULL) {
        return;
    }
    held->has_event = 1;
    held->object = event->object;
    held->object2 = event->object2;
    held->instigator = event->instigator;
    held->target = event->target;
    held->magnitude = event->magnitude;
    held->tag = event->tag;
    for (uint32_t i = 0; i < event->tags.count && i < KN_COMMAND_TAGS_MAX; i++) {
        held->tags[i] = event->tags.data[i];
    }
}

static void held_add(kn_world *world, const kn_reaction *reaction, kn_time until)
{
    const cast_ids *ids = knc_cast_ids_of(world);
    const kn_event_record *event = reaction->record;
    kn_component_id id;
    if (kn_component_instance_count(world, ids->held, reaction->entity) >= HELD_MAX ||
        kn_component_instance_add(world, ids->held, reaction->entity, &id) != KN_OK) {
        return;
    }
    held_fill(kn_component_instance_get(world, ids->held, id), reaction->ability, event);
    if (event != NULL && event->data_size > 0) {
        void *bytes = kn_component_instance_resize(world, ids->held, id, event->data_size);
        if (bytes != NULL) {
            memcpy(bytes, event->data, event->data_size);
        }
    }
    kn_cast_held published = {reaction->ability, until};
    (void)kn_world_publish(world, reaction->entity, ids->use_held, &published);
}

static bool held_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const cast_ids *ids = user;
    (void)library;
    return reaction->fail_reasons == (uint32_t)ids->casting;
}

static void held_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    kn_cast_info info;
    kn_tolerance tolerance = kn_entity_tolerance(world, reaction->entity);
    (void)user;
    if (tolerance.early > 0 && kn_cast_get(world, reaction->entity, &info) &&
        info.end - kn_world_now(world) <= tolerance.early) {
        held_add(world, reaction, info.end);
    }
}

void knc_cast_hold_free(kn_world *world, kn_entity_id entity)
{
    const cast_ids *ids = knc_cast_ids_of(world);
    if (kn_component_read(world, ids->held, entity) != NULL && !kn_entity_is_dying(world, entity)) {
        kn_result result =
            kn_timer_start(world, ids->held_timer, entity, 0, NULL, NULL); // after what ends now
        (void)result;
    }
}

// Carries out a use that waited, as whoever asked for it would.
static void held_use(
    kn_world *world, kn_entity_id entity, const cast_held *held, const kn_target_data *data)
{
    kn_event_record event = kn_event_record_default();
    uint32_t count = 0;
    while (count < KN_COMMAND_TAGS_MAX && held->tags[count].index1 != 0) {
        count++;
    }
    event.tags = (kn_tags){held->tags, count};
    event.object = held->object;
    event.object2 = held->object2;
    event.instigator = held->instigator;
    event.target = held->target;
    event.magnitude = held->magnitude;
    event.tag = held->tag;
    event.data = data->size > 0 ? data->bytes : NULL;
    event.data_size = data->size;
    const kn_event_record *given = held->has_event != 0 ? &event : NULL;
    if (kn_entity_role(world, entity) == KN_ROLE_SERVER) {
        (void)kn_peer_activate(
            world, kn_entity_connection(world, entity), held->ability, given, NULL);
    } else {
        (void)kn_ability_activate(world, held->ability, given, NULL);
    }
}

static kn_time held_timer(void *user, kn_world *world, kn_entity_id entity, void *unused)
{
    kn_component_type_id type = knc_cast_ids_of(world)->held;
    kn_component_id id;
    (void)user;
    (void)unused;
    // The first may begin another cast: those behind it are refused then, and not kept again.
    while (
        (id = kn_component_instance_next(world, type, entity, (kn_component_id){0})).index1 != 0) {
        cast_held held = *(const cast_held *)kn_component_instance_read(world, type, id);
        kn_target_data data = {0};
        const void *bytes = kn_component_instance_read_items(world, type, id, &data.size);
        data.size = data.size <= KN_TARGET_BYTES_MAX ? data.size : 0;
        if (data.size > 0) {
            memcpy(data.bytes, bytes, data.size);
        }
        if (!kn_component_instance_remove(world, type, id)) {
            break;
        }
        held_use(world, entity, &held, &data);
    }
    return 0;
}

kn_result knc_cast_hold_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    kn_component_def held = kn_component_def_default();
    held.name = "Knack.UseHeld";
    held.size = sizeof(cast_held);
    held.fields = held_fields;
    held.field_count = COUNT(held_fields);
    held.item_size = 1;
    held.item_fields = byte_fields;
    held.item_field_count = 1;
    held.several = true;
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Knack.UseHeld";
    event.size = sizeof(kn_cast_held);
    event.fields = event_fields;
    event.field_count = COUNT(event_fields);
    event.text = "waits with {ability} until {until}";
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id unused;
    rule.name = "Knack.UseHeld";
    rule.trigger = KN_TRIGGER_ABILITY_FAILED;
    rule.function = held_rule;
    rule.wants = held_wants;
    rule.user = ids;
    kn_result result = kn_component_register(library, &held, &ids->held, error);
    result =
        result != KN_OK ? result : kn_custom_event_register(library, &event, &ids->use_held, error);
    result = result != KN_OK ? result : kn_rule_register(library, &rule, &unused, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(library, "Knack.UseHeld", held_timer, NULL,
                                 &ids->held_timer, error);
}
