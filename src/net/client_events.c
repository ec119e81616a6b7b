// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a client reports to its host: the queue of events, and what corrections by the server change
// in what an entity shows. reports.h compares what happens in ticks that are simulated again.

#include "client.h"

#define SETS_MAX 64 // set instances of an entity whose values are compared

// The queue -----------------------------------------------------------------

kn_result kni_client_event(
    kn_client *client, kn_client_event event, const void *bytes, uint32_t size)
{
    return kni_queue_add(&client->events, &client->def.hooks, &event, sizeof(event), bytes, size);
}

bool kn_client_next_event(kn_client *client, kn_client_event *event)
{
    *event = (kn_client_event){.text = ""};
    queue_bytes bytes;
    if (client == NULL ||
        !kni_queue_next(&client->events, &client->def.hooks, event, sizeof(*event), &bytes)) {
        return false;
    }
    event->text = event->kind == KN_CLIENT_CLOSED ? client->text : "";
    if (event->kind == KN_CLIENT_ANSWER) {
        event->lines = (const kn_refusal_line *)(const void *)bytes.data;
        return true;
    }
    event->bytes = bytes.data;
    event->size = bytes.size;
    return true;
}

// What was reported ----------------------------------------------------------

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

kn_result kni_reports_add(kn_client *client, report_list *list, uint64_t tick)
{
    kn_events events = kn_world_events(client->world);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < events.count && result == KN_OK; i++) {
        if ((client->def.event_mask >> events.data[i].type & 1) == 0) {
            continue;
        }
        result = kni_reported_add(&client->def.hooks, list, tick, &events.data[i]);
        if (result == KN_OK) {
            list->data[list->count - 1].use = kn_event_key(client->world, &events.data[i]);
        }
    }
    return result;
}

kn_result kni_reports_publish(kn_client *client, const report_list *list, uint32_t from)
{
    kn_result result = KN_OK;
    for (uint32_t i = from; i < list->count && result == KN_OK; i++) {
        result = kni_client_event(client,
            (kn_client_event){.kind = KN_CLIENT_HAPPENED,
                .tick = list->data[i].tick,
                .event = list->data[i].event,
                .key = list->data[i].use},
            NULL, 0);
    }
    return result;
}

static kn_result difference_publish(void *user, const report *what, bool is_revoked)
{
    kn_client *client = user;
    client->stats.revoked += is_revoked;
    return kni_client_event(client,
        (kn_client_event){.kind = is_revoked ? KN_CLIENT_REVOKED : KN_CLIENT_HAPPENED,
            .tick = what->tick,
            .is_late = !is_revoked,
            .event = what->event,
            .key = what->use},
        NULL, 0);
}

kn_result kni_reports_compare(kn_client *client)
{
    kn_result result =
        kni_reported_difference(&client->reports, &client->fresh, difference_publish, client);
    kni_reports_drop(&client->reports, client->confirmed);
    return result;
}

// What an entity shows -------------------------------------------------------

static kn_result shown_effects(kn_client *client, shown *s)
{
    const kn_world *world = client->world;
    kn_effect_query query = kn_effect_query_default();
    s->effect_count = 0;
    uint32_t count = kn_effects_count(world, s->entity);
    if (count == 0) {
        return KN_OK;
    }
    size_t size = count * sizeof(kn_effect_id);
    kn_effect_id *ids = kn_memory_resize(&client->def.hooks, NULL, 0, size);
    if (ids == NULL || !kn_memory_grow(&client->def.hooks, &s->effects, &s->effect_capacity, count,
                           sizeof(shown_effect))) {
        kn_memory_free(&client->def.hooks, ids, size);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    count = kn_effects_find(world, s->entity, &query, ids, count);
    for (uint32_t i = 0; i < count; i++) {
        kn_effect_info info;
        if (kn_effect_get(world, ids[i], &info)) {
            s->effects[s->effect_count++] =
                (shown_effect){ids[i], info.type, info.source, info.stacks, info.level};
        }
    }
    kn_memory_free(&client->def.hooks, ids, size);
    return KN_OK;
}

static kn_result shown_values(kn_client *client, shown *s)
{
    const kn_world *world = client->world;
    kn_attribute_set_instance sets[SETS_MAX];
    uint32_t set_count = kn_attribute_sets(world, s->entity, sets, SETS_MAX);
    set_count = set_count < SETS_MAX ? set_count : SETS_MAX;
    uint32_t attributes = kn_attribute_count(client->def.library);
    s->value_count = 0;
    for (uint32_t i = 1; i <= attributes; i++) {
        kn_attribute_id attribute = {i};
        for (uint32_t j = 0; j < set_count; j++) {
            uint32_t key = sets[j].key;
            bool is_first = j == 0 || sets[j - 1].key != key;
            if (!is_first || !kn_attribute_exists(world, s->entity, attribute, key)) {
                continue;
            }
            if (!kn_memory_grow(&client->def.hooks, &s->values, &s->value_capacity,
                    s->value_count + 1, sizeof(shown_value))) {
                return KN_ERROR_OUT_OF_MEMORY;
            }
            s->values[s->value_count++] = (shown_value){
                attribute, key, kn_attribute_value_keyed(world, s->entity, attribute, key)};
        }
    }
    return KN_OK;
}

kn_result kni_shown_take(kn_client *client, shown *s, kn_entity_id entity)
{
    s->entity = entity;
    s->is_alive = kn_entity_is_alive(client->world, entity);
    s->effect_count = s->value_count = s->tag_count = 0;
    if (!s->is_alive) {
        return KN_OK;
    }
    uint32_t tags = kn_entity_tags(client->world, entity, NULL, 0);
    if (tags > 0 &&
        !kn_memory_grow(&client->def.hooks, &s->tags, &s->tag_capacity, tags, sizeof(kn_tag))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    s->tag_count = tags > 0 ? kn_entity_tags(client->world, entity, s->tags, tags) : 0;
    kn_result result = shown_effects(client, s);
    return result == KN_OK ? shown_values(client, s) : result;
}

void kni_shown_free(kn_client *client, shown *s)
{
    const kn_hooks *hooks = &client->def.hooks;
    kn_memory_free(hooks, s->effects, s->effect_capacity * sizeof(shown_effect));
    kn_memory_free(hooks, s->values, s->value_capacity * sizeof(shown_value));
    kn_memory_free(hooks, s->tags, s->tag_capacity * sizeof(kn_tag));
    *s = (shown){0};
}

// An event that no step published.
static kn_result shown_report(kn_client *client, kn_event event)
{
    event.time = kn_world_now(client->world);
    return kni_reported_add(&client->def.hooks, &client->fresh, 0, &event);
}

static const shown_effect *effect_find(const shown *s, const shown_effect *wanted)
{
    for (uint32_t i = 0; i < s->effect_count; i++) {
        if (kn_effect_id_equal(s->effects[i].id, wanted->id)) {
            return &s->effects[i];
        }
    }
    return NULL;
}

static kn_result effect_report(kn_client *client, kn_event_type type, kn_entity_id entity,
    const shown_effect *effect, uint32_t old_stacks)
{
    kn_event event = {.type = type, .entity = entity};
    event.data.effect.effect = effect->id;
    event.data.effect.type = effect->type;
    event.data.effect.count = effect->stacks;
    event.data.effect.old_count = old_stacks;
    event.data.effect.source = effect->source;
    event.data.effect.level = effect->level;
    return shown_report(client, event);
}

static kn_result effects_compare(kn_client *client, const shown *before, const shown *after)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < before->effect_count && result == KN_OK; i++) {
        const shown_effect *old = &before->effects[i];
        if (effect_find(after, old) == NULL) {
            result =
                effect_report(client, KN_EVENT_EFFECT_REMOVED, before->entity, old, old->stacks);
        }
    }
    for (uint32_t i = 0; i < after->effect_count && result == KN_OK; i++) {
        const shown_effect *now = &after->effects[i], *old = effect_find(before, now);
        if (old == NULL) {
            result = effect_report(client, KN_EVENT_EFFECT_APPLIED, after->entity, now, 0);
        } else if (old->stacks != now->stacks) {
            result = effect_report(client, KN_EVENT_EFFECT_STACKS, after->entity, now, old->stacks);
        }
    }
    return result;
}

static kn_result values_compare(kn_client *client, const shown *before, const shown *after)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < after->value_count && result == KN_OK; i++) {
        const shown_value *now = &after->values[i], *old = NULL;
        for (uint32_t j = 0; j < before->value_count && old == NULL; j++) {
            const shown_value *at = &before->values[j];
            old = at->attribute.index1 == now->attribute.index1 && at->key == now->key ? at : NULL;
        }
        if (old != NULL && float_bits(old->value) == float_bits(now->value)) {
            continue;
        }
        kn_event event = {.type = KN_EVENT_ATTRIBUTE_CHANGED, .entity = after->entity};
        event.data.attribute.attribute = now->attribute;
        event.data.attribute.key = now->key;
        event.data.attribute.old_value = old != NULL ? old->value : 0;
        event.data.attribute.new_value = now->value;
        result = shown_report(client, event);
    }
    return result;
}

static bool has_tag(const shown *s, kn_tag tag)
{
    for (uint32_t i = 0; i < s->tag_count; i++) {
        if (s->tags[i].index1 == tag.index1) {
            return true;
        }
    }
    return false;
}

// Tags of one state that the other does not have.
static kn_result tags_report(kn_client *client, const shown *of, const shown *other, uint32_t count)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < of->tag_count && result == KN_OK; i++) {
        if (!has_tag(other, of->tags[i])) {
            kn_event event = {.type = KN_EVENT_TAG_CHANGED, .entity = of->entity};
            event.data.tag.tag = of->tags[i];
            event.data.tag.count = count;
            event.data.tag.old_count = 1 - count;
            result = shown_report(client, event);
        }
    }
    return result;
}

kn_result kni_shown_compare(kn_client *client, const shown *before, const shown *after)
{
    kn_result result = KN_OK;
    if (!before->is_alive && after->is_alive) {
        result = shown_report(
            client, (kn_event){.type = KN_EVENT_ENTITY_CREATED, .entity = after->entity});
    }
    result = result == KN_OK ? values_compare(client, before, after) : result;
    result = result == KN_OK ? effects_compare(client, before, after) : result;
    result = result == KN_OK ? tags_report(client, before, after, 0) : result;
    result = result == KN_OK ? tags_report(client, after, before, 1) : result;
    if (before->is_alive && !after->is_alive && result == KN_OK) {
        result = shown_report(
            client, (kn_event){.type = KN_EVENT_ENTITY_DESTROYED, .entity = before->entity});
    }
    return result;
}

void kni_client_events_free(kn_client *client)
{
    const kn_hooks *hooks = &client->def.hooks;
    kni_queue_free(&client->events, hooks, sizeof(kn_client_event));
    kni_reports_free(hooks, &client->reports);
    kni_reports_free(hooks, &client->fresh);
    kni_shown_free(client, &client->after);
}
