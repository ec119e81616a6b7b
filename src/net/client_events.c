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

kn_result kni_reports_event(
    kn_client *client, const report *r, kn_client_event_kind kind, bool is_late)
{
    kn_client_event event = {.kind = kind,
        .tick = r->tick,
        .is_late = is_late,
        .is_found = r->is_found,
        .event = r->event,
        .key = r->use,
        .cue = r->params != NULL ? &r->params->params : NULL};
    kn_result result = kni_client_event(client, event, NULL, 0);
    if (result == KN_OK && r->params != NULL) {
        (void)kni_params_share(r->params); // the event has them too
    }
    return result;
}

// The parameters that an event has a share of.
static kept_params *event_params(const kn_client_event *event)
{
    kept_params *kept = NULL;
    if (event->cue != NULL) {
        const uint8_t *at = (const uint8_t *)event->cue - offsetof(kept_params, params);
        memcpy(&kept, &at, sizeof(kept));
    }
    return kept;
}

bool kn_client_next_event(kn_client *client, kn_client_event *event)
{
    *event = (kn_client_event){.text = ""};
    queue_bytes bytes;
    if (client != NULL) {
        kni_params_drop(client->given);
        client->given = NULL;
    }
    if (client == NULL ||
        !kni_queue_next(&client->events, &client->def.hooks, event, sizeof(*event), &bytes)) {
        return false;
    }
    client->given = event_params(event);
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
        kept_params *kept = NULL;
        kn_cue_params params;
        if ((client->def.event_mask >> events.data[i].type & 1) == 0) {
            continue;
        }
        if (kn_cue_event_params(client->world, &events.data[i], &params)) {
            kept = kni_params_keep(&client->def.hooks, client->def.library, &params);
            if (kept == NULL) {
                return KN_ERROR_OUT_OF_MEMORY;
            }
        }
        result = kni_reported_add_cue(&client->def.hooks, list, tick, &events.data[i], kept);
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
        result = kni_reports_event(client, &list->data[i], KN_CLIENT_HAPPENED, false);
    }
    return result;
}

static kn_result difference_publish(void *user, const report *what, bool is_revoked)
{
    kn_client *client = user;
    client->stats.revoked += is_revoked;
    return kni_reports_event(
        client, what, is_revoked ? KN_CLIENT_REVOKED : KN_CLIENT_HAPPENED, !is_revoked);
}

static bool report_is_cue(const report *r)
{
    return r->event.type == KN_EVENT_CUE && r->event.data.cue.action == KN_CUE_EXECUTED;
}

kn_result kni_reports_confirm(kn_client *client)
{
    report_list *list = &client->reports, *past = &client->past;
    bool has_memory = true;
    for (uint32_t i = 0; i < list->count; i++) {
        report *r = &list->data[i];
        if (r->tick > client->confirmed || !report_is_cue(r)) {
            continue;
        }
        has_memory = kn_memory_grow(&client->def.hooks, &past->data, &past->capacity,
                         past->count + 1, sizeof(report)) &&
                     has_memory;
        if (past->count < past->capacity) {
            past->data[past->count++] = *r;
            r->params = NULL; // they moved
        }
    }
    kni_reports_drop(list, client->confirmed);
    if (client->confirmed > CUE_SPAN) {
        kni_reports_drop(past, client->confirmed - CUE_SPAN - 1);
    }
    return has_memory ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

kn_result kni_reports_compare(kn_client *client)
{
    kn_result result =
        kni_reported_difference(&client->reports, &client->fresh, difference_publish, client);
    kn_result kept = kni_reports_confirm(client);
    return result == KN_OK ? kept : result;
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
    kni_shown_cues_clear(s);
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
    result = result == KN_OK ? shown_values(client, s) : result;
    return result == KN_OK ? kni_shown_cues(client, s) : result;
}

void kni_shown_free(kn_client *client, shown *s)
{
    const kn_hooks *hooks = &client->def.hooks;
    kn_memory_free(hooks, s->effects, s->effect_capacity * sizeof(shown_effect));
    kn_memory_free(hooks, s->values, s->value_capacity * sizeof(shown_value));
    kn_memory_free(hooks, s->tags, s->tag_capacity * sizeof(kn_tag));
    kni_shown_cues_clear(s);
    kn_memory_free(hooks, s->cues, s->cue_capacity * sizeof(shown_cue));
    *s = (shown){0};
}

// An event that no step published.
static kn_result shown_report(kn_client *client, kn_event event)
{
    event.time = kn_world_now(client->world);
    return kni_reported_add(&client->def.hooks, &client->fresh, 0, &event);
}

bool kni_computed_forget(kn_client *client, const kn_event *wanted)
{
    for (uint32_t i = client->fresh.count; i-- > 0;) {
        const kn_event *event = &client->fresh.data[i].event;
        if (event->type != wanted->type || !kn_entity_id_equal(event->entity, wanted->entity)) {
            continue;
        }
        bool is_it = false;
        if (event->type == KN_EVENT_TAG_CHANGED) {
            is_it = event->data.tag.tag.index1 == wanted->data.tag.tag.index1;
            if (is_it && event->data.tag.count != wanted->data.tag.count) {
                return false; // it came and went
            }
        } else if (event->type == KN_EVENT_CUE) {
            is_it = event->data.cue.action == wanted->data.cue.action &&
                    event->data.cue.tag.index1 == wanted->data.cue.tag.index1 &&
                    kn_effect_id_equal(event->data.cue.effect, wanted->data.cue.effect);
        } else {
            is_it = event->data.effect.type.index1 == wanted->data.effect.type.index1 &&
                    kn_entity_id_equal(event->data.effect.source, wanted->data.effect.source) &&
                    (event->type == KN_EVENT_EFFECT_REMOVED ||
                        kn_effect_id_equal(event->data.effect.effect, wanted->data.effect.effect));
        }
        if (is_it) {
            kni_reported_remove(&client->fresh, i);
            return true;
        }
    }
    return false;
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
    kn_event opposite = event;
    opposite.type =
        type == KN_EVENT_EFFECT_APPLIED ? KN_EVENT_EFFECT_REMOVED : KN_EVENT_EFFECT_APPLIED;
    bool is_undone = type != KN_EVENT_EFFECT_STACKS && kni_computed_forget(client, &opposite);
    return is_undone ? KN_OK : shown_report(client, event);
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
            kn_event opposite = event;
            opposite.data.tag.count = 1 - count;
            result = kni_computed_forget(client, &opposite) ? KN_OK : shown_report(client, event);
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
    result = result == KN_OK ? kni_shown_cues_compare(client, before, after) : result;
    if (before->is_alive && !after->is_alive && result == KN_OK) {
        result = shown_report(
            client, (kn_event){.type = KN_EVENT_ENTITY_DESTROYED, .entity = before->entity});
    }
    return result;
}

void kni_client_events_free(kn_client *client)
{
    const kn_hooks *hooks = &client->def.hooks;
    kn_client_event event;
    while (kn_client_next_event(client, &event)) {
    }
    kni_queue_free(&client->events, hooks, sizeof(kn_client_event));
    kni_reports_free(hooks, &client->past);
    kni_reports_free(hooks, &client->reports);
    kni_reports_free(hooks, &client->fresh);
    kni_shown_free(client, &client->after);
}
