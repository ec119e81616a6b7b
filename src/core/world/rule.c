// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules of the library, and events sent to them.

#include "world/world.h"

#include <math.h>

static bool rule_matches(
    const kn_world *world, const kn_rule_def *rule, const kn_reaction *reaction)
{
    if (rule->trigger != reaction->trigger) {
        return false;
    }
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
    for (uint32_t i = 0; i < library->registries[KN_DEF_RULE].count; i++) {
        uint32_t index = library->rules_by_priority[i];
        if (rule_matches(world, &KNI_ITEM(library, KN_DEF_RULE, kni_rule, index)->def, reaction)) {
            kni_queued *queued = kni_react(world, KNI_REACT_RULE);
            queued->entity = reaction->entity;
            queued->rule.index = index;
            queued->rule.reaction = *reaction;
        }
    }
}

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
    if (record->cookie != KNI_COOKIE || record->tag.index1 > kn_tag_count(world->library) ||
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
    if ((world->library->trigger_mask >> KN_TRIGGER_EVENT & 1) != 0) {
        kni_react_rules(world, &reaction);
    }
    uint32_t component = kni_component_find(world, entity);
    const kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_of(world, component);
    if (actor != NULL && (actor->watch_mask >> KN_TRIGGER_EVENT & 1) != 0) {
        kn_event_record plain = kn_event_record_default();
        plain.kind = kind;
        plain.instigator = instigator;
        plain.target = entity;
        plain.magnitude = magnitude;
        kn_event_record told = record != NULL ? *record : plain;
        told.magnitude = magnitude;
        kni_watch_event(world, component, &reaction, &told);
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
    kn_event_record record = {.cookie = KNI_COOKIE};
    return record;
}
