// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules of the library: which of them a reaction wakes, and events that are sent to them.

#include "world/world.h"

#include <math.h>

// For a rule of this trigger.
static bool rule_matches(
    const kn_world *world, const kn_rule_def *rule, const kn_reaction *reaction)
{
    switch (rule->trigger) {
    case KN_TRIGGER_EVENT:
        return kn_tag_matches(world->library, reaction->tag, rule->tag);
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        return reaction->tag.index1 == rule->tag.index1;
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        return reaction->attribute.index1 == rule->attribute.index1;
    default:
        return rule->effect_type.index1 == 0 ||
               rule->effect_type.index1 == reaction->effect_type.index1;
    }
}

void kni_react_rules(kn_world *world, const kn_reaction *reaction)
{
    const kn_library *library = world->library;
    const kn_event_record *record = NULL; // a copy, for all of them
    uint32_t end = library->rule_starts[reaction->trigger + 1];
    for (uint32_t i = library->rule_starts[reaction->trigger]; i < end; i++) {
        uint32_t index = library->rules_by_trigger[i];
        const kn_rule_def *rule = &kni_rule_at(library, index)->def;
        if (!rule_matches(world, rule, reaction) ||
            (rule->wants != NULL && !rule->wants(rule->user, library, reaction))) {
            continue;
        }
        if (reaction->record != NULL && record == NULL) {
            record = kni_record_keep(world, reaction->record, reaction->record->tag);
        }
        kni_queued *queued = kni_react(world, KNI_REACT_RULE);
        queued->entity = reaction->entity;
        queued->rule.index = index;
        queued->rule.reaction = *reaction;
        queued->rule.reaction.record = record;
    }
}

void kni_react_entity(kn_world *world, const kn_reaction *reaction)
{
    uint32_t component = kni_component_find(world, reaction->entity);
    if (component != KNI_NONE) {
        kni_react_all(world, component, reaction);
        return;
    }
    if ((world->library->trigger_mask >> reaction->trigger & 1) != 0) {
        kni_react_rules(world, reaction);
    }
    if (world->watch_counts[reaction->trigger] > 0) {
        kni_watches_react(world, reaction);
    }
}

// Records -----------------------------------------------------------------------

#define RECORD_CHUNK 4096

static void *record_take(kn_world *world, size_t size)
{
    kni_records *records = &world->records;
    size = (size + 15) & ~(size_t)15;
    while (
        records->at < records->count && records->chunks[records->at].size - records->used < size) {
        records->at++;
        records->used = 0;
    }
    if (records->at == records->count) {
        size_t wanted = size > RECORD_CHUNK ? size : RECORD_CHUNK;
        uint8_t *bytes = kni_grow(&world->memory, &records->chunks, &records->capacity,
                             records->count + 1, sizeof(*records->chunks))
                             ? kni_realloc(&world->memory, NULL, 0, wanted)
                             : NULL;
        if (bytes == NULL) {
            kni_break(world);
            return NULL;
        }
        records->chunks[records->count].bytes = bytes;
        records->chunks[records->count++].size = wanted;
    }
    void *taken = records->chunks[records->at].bytes + records->used;
    records->used += size;
    return taken;
}

static bool record_copy(kn_world *world, const void **data, size_t size)
{
    void *copy = size > 0 ? record_take(world, size) : NULL;
    if (copy != NULL) {
        memcpy(copy, *data, size);
    }
    *data = copy;
    return copy != NULL || size == 0;
}

static bool record_copy_tags(kn_world *world, kn_tags *tags)
{
    const void *data = tags->data;
    bool ok = record_copy(world, &data, tags->count * sizeof(kn_tag));
    tags->data = data;
    return ok;
}

const kn_event_record *kni_record_keep(kn_world *world, const kn_event_record *record, kn_tag tag)
{
    kn_event_record *copy = record_take(world, sizeof(*copy));
    if (copy == NULL) {
        return NULL;
    }
    *copy = *record;
    copy->tag = tag;
    copy->effect = NULL;
    return record_copy_tags(world, &copy->tags) &&
                   record_copy_tags(world, &copy->instigator_tags) &&
                   record_copy_tags(world, &copy->target_tags) &&
                   record_copy(world, &copy->data, copy->data_size)
               ? copy
               : NULL;
}

void kni_records_reset(kn_world *world)
{
    world->records.at = 0;
    world->records.used = 0;
}

void kni_records_free(kn_world *world)
{
    kni_records *records = &world->records;
    for (uint32_t i = 0; i < records->count; i++) {
        kni_free(&world->memory, records->chunks[i].bytes, records->chunks[i].size);
    }
    kni_free(&world->memory, records->chunks, records->capacity * sizeof(*records->chunks));
}

// Events ------------------------------------------------------------------------

static bool record_tags_are_good(const kn_world *world, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (tags.data == NULL || tags.data[i].index1 - 1 >= kn_tag_count(world->library)) {
            return false;
        }
    }
    return true;
}

kn_result kni_record_check(const kn_world *world, const kn_event_record *record)
{
    if (record->cookie != KN_COOKIE || record->tag.index1 > kn_tag_count(world->library) ||
        record->kind.index1 > world->library->registries[KN_DEF_EVENT_KIND].count ||
        !record_tags_are_good(world, record->tags) ||
        !record_tags_are_good(world, record->instigator_tags) ||
        !record_tags_are_good(world, record->target_tags) ||
        (record->data == NULL && record->data_size > 0)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    return isfinite(record->magnitude) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

void kni_send(kn_world *world, kn_entity_id entity, kn_event_kind_id kind, kn_tag tag,
    kn_entity_id instigator, float magnitude, const kn_event_record *record)
{
    if (kni_wants(world, KN_EVENT_RECORD)) {
        kn_event *event = kni_emit(world, KN_EVENT_RECORD, entity);
        memset(&event->data, 0, sizeof(event->data));
        event->data.record.kind = kind;
        event->data.record.tag = tag;
        event->data.record.instigator = instigator;
        event->data.record.magnitude = magnitude;
    }
    if (tag.index1 == 0) {
        return;
    }
    kn_reaction reaction = {.trigger = KN_TRIGGER_EVENT,
        .entity = entity,
        .tag = tag,
        .instigator = instigator,
        .magnitude = magnitude};
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    bool for_rules = (world->library->trigger_mask >> KN_TRIGGER_EVENT & 1) != 0;
    bool for_actor = actor != NULL && (actor->watch_mask >> KN_TRIGGER_EVENT & 1) != 0;
    bool for_watches = world->watch_counts[KN_TRIGGER_EVENT] > 0;
    if (!for_rules && !for_actor && !for_watches) {
        return;
    }
    kn_event_record plain = kn_event_record_default();
    plain.kind = kind;
    plain.instigator = instigator;
    plain.target = entity;
    plain.magnitude = magnitude;
    kn_event_record told = record != NULL ? *record : plain;
    told.magnitude = magnitude;
    told.tag = tag;
    told.effect = NULL; // what is kept has none, and `wants` of a rule sees the same
    if (for_rules) {
        reaction.record = &told; // kept if a rule wants it
        kni_react_rules(world, &reaction);
        reaction.record = NULL;
    }
    if (for_actor) {
        kni_watch_event(world, component, &reaction, &told);
    }
    if (for_watches) {
        reaction.record = &told;
        kni_watches_react(world, &reaction);
    }
}

kn_result kn_event_send(
    kn_world *world, kn_entity_id entity, kn_tag tag, const kn_event_record *record)
{
    if (world == NULL || tag.index1 == 0 || tag.index1 > kn_tag_count(world->library)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    kn_result result = record != NULL ? kni_record_check(world, record) : KN_OK;
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_EVENT, entity, (kn_effect_id){0}, (kn_effect_type_id){0},
            tag.index1, &previous)) {
        return kni_leave(world, KN_REFUSED_LIMIT);
    }
    kni_send(world, entity, (kn_event_kind_id){0}, tag,
        record != NULL ? record->instigator : (kn_entity_id){0},
        record != NULL ? record->magnitude : 0.0f, record);
    kni_cause_end(world, previous);
    return kni_leave(world, KN_OK);
}

kn_event_record kn_event_record_default(void)
{
    kn_event_record record = {.cookie = KN_COOKIE};
    return record;
}
