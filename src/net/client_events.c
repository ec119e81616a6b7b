// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a client reports to its host. A tick may be simulated several times; what happens in it is
// reported once. What was reported and does not happen when the tick is simulated again is revoked.

#include "client.h"

#define SETS_MAX 64 // set instances of an entity whose values are compared

// The queue -----------------------------------------------------------------

kn_result kni_client_event(
    kn_client *client, kn_client_event event, const void *bytes, uint32_t size)
{
    const kn_hooks *hooks = &client->def.hooks;
    if (client->event_first > 0 && client->event_first == client->event_count) {
        client->event_first = client->event_count = 0;
    }
    if (!kn_memory_grow(hooks, &client->events, &client->event_capacity, client->event_count + 1,
            sizeof(client_event))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint8_t *copy = NULL;
    if (size > 0) {
        copy = kn_memory_resize(hooks, NULL, 0, size);
        if (copy == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        memcpy(copy, bytes, size);
    }
    event.bytes = copy;
    event.size = size;
    client->events[client->event_count++] = (client_event){event, copy, NULL};
    return KN_OK;
}

kn_result kni_reports_event(
    kn_client *client, const report *r, kn_client_event_kind kind, bool is_late)
{
    kn_client_event event = {.kind = kind,
        .tick = r->tick,
        .is_late = is_late,
        .is_found = r->is_found,
        .event = r->event};
    kn_result result = kni_client_event(client, event, NULL, 0);
    if (result == KN_OK && r->params != NULL) {
        client_event *last = &client->events[client->event_count - 1];
        last->params = kni_params_share(r->params);
        last->event.cue = &r->params->params;
    }
    return result;
}

bool kn_client_next_event(kn_client *client, kn_client_event *event)
{
    *event = (kn_client_event){0};
    if (client == NULL) {
        return false;
    }
    kn_memory_free(&client->def.hooks, client->event_bytes, client->event_size);
    kni_params_drop(client, client->event_params);
    client->event_params = NULL;
    client->event_bytes = NULL;
    client->event_size = 0;
    if (client->event_first == client->event_count) {
        return false;
    }
    client_event next = client->events[client->event_first++];
    client->event_bytes = next.bytes;
    client->event_size = next.event.size;
    client->event_params = next.params;
    *event = next.event;
    return true;
}

// What was reported ----------------------------------------------------------

static uint64_t key_add(uint64_t key, uint64_t number)
{
    return kn_hash_bytes(key, &number, sizeof(number));
}

static uint64_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

// What an event says, without ids, causes and times of this simulation.
static uint64_t event_key(const kn_event *event)
{
    uint64_t key = key_add(1 + (uint64_t)event->type, kn_entity_id_pack(event->entity));
    switch (event->type) {
    case KN_EVENT_TAG_COUNT:
    case KN_EVENT_TAG_CHANGED:
        key = key_add(key, event->data.tag.tag.index1);
        return key_add(key, event->data.tag.count);
    case KN_EVENT_ATTRIBUTE_CHANGED:
    case KN_EVENT_ATTRIBUTE_INITIALISED:
        key = key_add(key, event->data.attribute.attribute.index1);
        key = key_add(key, event->data.attribute.key);
        return key_add(key, float_bits(event->data.attribute.new_value));
    case KN_EVENT_EFFECT_APPLIED:
    case KN_EVENT_EFFECT_EXECUTED:
    case KN_EVENT_EFFECT_REMOVED:
        key = key_add(key, event->data.effect.type.index1);
        return key_add(key, kn_entity_id_pack(event->data.effect.source));
    case KN_EVENT_EFFECT_STACKS:
    case KN_EVENT_EFFECT_INHIBITED:
        key = key_add(key, event->data.effect.type.index1);
        return key_add(key, event->data.effect.count);
    case KN_EVENT_RECORD:
        key = key_add(key, event->data.record.kind.index1);
        key = key_add(key, event->data.record.tag.index1);
        return key_add(key, kn_entity_id_pack(event->data.record.instigator));
    case KN_EVENT_CUE:
        key = key_add(key, event->data.cue.tag.index1);
        key = key_add(key, event->data.cue.type.index1);
        return key_add(key, (uint64_t)event->data.cue.action);
    case KN_EVENT_ABILITY_GRANTED:
    case KN_EVENT_ABILITY_CHANGED:
    case KN_EVENT_ABILITY_REMOVED:
    case KN_EVENT_ABILITY_ACTIVATED:
    case KN_EVENT_ABILITY_CONFIRMED:
    case KN_EVENT_ABILITY_COMMITTED:
    case KN_EVENT_ABILITY_ENDED:
    case KN_EVENT_ABILITY_FAILED:
        return key_add(key, event->data.ability.type.index1);
    case KN_EVENT_COMMAND:
        return key_add(key, event->data.command.sequence);
    case KN_EVENT_CUSTOM:
        return key_add(key, event->data.custom.kind.index1);
    default:
        return key;
    }
}

kn_result kni_reports_push(
    kn_client *client, report_list *list, uint64_t tick, const kn_event *event, kept_params *params)
{
    if (!kn_memory_grow(
            &client->def.hooks, &list->data, &list->capacity, list->count + 1, sizeof(report))) {
        kni_params_drop(client, params);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    report *r = &list->data[list->count++];
    *r = (report){.key = event_key(event), .tick = tick, .event = *event, .params = params};
    if (event->type == KN_EVENT_CUE) {
        r->event.data.cue.params1 = 0; // they are kept here
    }
    return KN_OK;
}

void kni_reports_remove(kn_client *client, report_list *list, uint32_t index)
{
    kni_params_drop(client, list->data[index].params);
    list->count--;
    memmove(&list->data[index], &list->data[index + 1], (list->count - index) * sizeof(report));
}

void kni_reports_clear(kn_client *client, report_list *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        kni_params_drop(client, list->data[i].params);
    }
    list->count = 0;
}

kn_result kni_reports_add(kn_client *client, report_list *list, uint64_t tick)
{
    kn_events events = kn_world_events(client->world);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < events.count && result == KN_OK; i++) {
        kept_params *kept = NULL;
        kn_cue_params params;
        if (kn_cue_event_params(client->world, &events.data[i], &params)) {
            kept = kni_params_keep(client, &params);
            if (kept == NULL) {
                return KN_ERROR_OUT_OF_MEMORY;
            }
        }
        result = kni_reports_push(client, list, tick, &events.data[i], kept);
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

static bool report_is_cue(const report *r)
{
    return r->event.type == KN_EVENT_CUE && r->event.data.cue.action == KN_CUE_EXECUTED;
}

kn_result kni_reports_confirm(kn_client *client)
{
    report_list *list = &client->reports, *past = &client->past;
    uint32_t kept = 0;
    bool has_memory = true;
    for (uint32_t i = 0; i < list->count; i++) {
        report *r = &list->data[i];
        if (r->tick > client->confirmed) {
            list->data[kept++] = *r;
        } else if (report_is_cue(r) && kn_memory_grow(&client->def.hooks, &past->data,
                                           &past->capacity, past->count + 1, sizeof(report))) {
            past->data[past->count++] = *r;
        } else {
            has_memory = has_memory && !report_is_cue(r);
            kni_params_drop(client, r->params);
        }
    }
    list->count = kept;
    kept = 0;
    for (uint32_t i = 0; i < past->count; i++) {
        if (past->data[i].tick + CUE_SPAN < client->confirmed) {
            kni_params_drop(client, past->data[i].params);
        } else {
            past->data[kept++] = past->data[i];
        }
    }
    past->count = kept;
    return has_memory ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

// The report that says the same, the nearest in time; UINT32_MAX for none. With `is_exact` only one
// of the same tick.
static uint32_t report_find(const report_list *list, const report *wanted, bool is_exact)
{
    uint32_t best = UINT32_MAX;
    uint64_t best_distance = is_exact ? 1 : UINT64_MAX;
    for (uint32_t i = 0; i < list->count; i++) {
        const report *t = &list->data[i];
        if (t->key != wanted->key || t->tick == UINT64_MAX) {
            continue;
        }
        uint64_t distance =
            t->tick > wanted->tick ? t->tick - wanted->tick : wanted->tick - t->tick;
        if (distance < best_distance) {
            best = i;
            best_distance = distance;
        }
    }
    return best;
}

// Notes which of the fresh ones were reported already: those of the same tick first, since others
// may say the same at other times.
static void reports_match(kn_client *client, bool is_exact)
{
    for (uint32_t i = 0; i < client->fresh.count; i++) {
        report *fresh = &client->fresh.data[i];
        uint32_t old =
            fresh->is_known ? UINT32_MAX : report_find(&client->reports, fresh, is_exact);
        if (old != UINT32_MAX) {
            fresh->is_known = true;
            client->reports.data[old].tick = UINT64_MAX; // it happened again
        }
    }
}

kn_result kni_reports_compare(kn_client *client)
{
    kn_result result = KN_OK;
    reports_match(client, true);
    reports_match(client, false);
    for (uint32_t i = client->reports.count; i-- > 0 && result == KN_OK;) { // undone backwards
        if (client->reports.data[i].tick != UINT64_MAX) {
            client->stats.revoked++;
            result = kni_reports_event(client, &client->reports.data[i], KN_CLIENT_REVOKED, false);
        }
    }
    for (uint32_t i = 0; i < client->fresh.count && result == KN_OK; i++) {
        if (!client->fresh.data[i].is_known) {
            result = kni_reports_event(client, &client->fresh.data[i], KN_CLIENT_HAPPENED, true);
        }
        client->fresh.data[i].is_known = false;
    }
    report_list swap = client->reports;
    client->reports = client->fresh;
    client->fresh = swap;
    kni_reports_clear(client, &client->fresh);
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
    kni_shown_cues_clear(client, s);
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
    kni_shown_cues_clear(client, s);
    kn_memory_free(hooks, s->cues, s->cue_capacity * sizeof(shown_cue));
    *s = (shown){0};
}

// An event that no step published.
static kn_result shown_report(kn_client *client, kn_event event)
{
    event.time = kn_world_now(client->world);
    return kni_reports_push(client, &client->fresh, 0, &event, NULL);
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
    for (uint32_t i = client->event_first; i < client->event_count; i++) {
        kn_memory_free(hooks, client->events[i].bytes, client->events[i].event.size);
        kni_params_drop(client, client->events[i].params);
    }
    kni_params_drop(client, client->event_params);
    report_list *lists[] = {&client->reports, &client->fresh, &client->past};
    for (uint32_t i = 0; i < 3; i++) {
        kni_reports_clear(client, lists[i]);
        kn_memory_free(hooks, lists[i]->data, lists[i]->capacity * sizeof(report));
    }
    kn_memory_free(hooks, client->event_bytes, client->event_size);
    kn_memory_free(hooks, client->events, client->event_capacity * sizeof(client_event));
    kni_shown_free(client, &client->after);
}
