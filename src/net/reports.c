// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "reports.h"

#include "knack/tools.h"

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
        key = key_add(key, event->data.command.connection);
        return key_add(key, event->data.command.sequence);
    case KN_EVENT_CUSTOM:
        return key_add(key, event->data.custom.kind.index1);
    default:
        return key;
    }
}

kn_result kni_reported_add(
    const kn_hooks *hooks, report_list *list, uint64_t tick, const kn_event *event)
{
    if (!kn_memory_grow(hooks, &list->data, &list->capacity, list->count + 1, sizeof(report))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    list->data[list->count++] = (report){event_key(event), tick, *event, {0, 0, 0}};
    return KN_OK;
}

kn_result kni_reported_step(
    const kn_hooks *hooks, report_list *list, const kn_world *world, uint64_t tick)
{
    kn_events events = kn_world_events(world);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < events.count && result == KN_OK; i++) {
        result = kni_reported_add(hooks, list, tick, &events.data[i]);
        if (result == KN_OK) {
            list->data[list->count - 1].use = kn_event_key(world, &events.data[i]);
        }
    }
    return result;
}

static void id_rename(kn_entity_id *id, kn_entity_id from, kn_entity_id to)
{
    *id = kn_entity_id_equal(*id, from) ? to : *id;
}

void kni_reported_rename(report_list *list, kn_entity_id from, kn_entity_id to)
{
    for (uint32_t i = 0; i < list->count; i++) {
        kn_event *event = &list->data[i].event;
        id_rename(&event->entity, from, to);
        if (event->type >= KN_EVENT_EFFECT_APPLIED && event->type <= KN_EVENT_EFFECT_PART_BLOCKED) {
            id_rename(&event->data.effect.source, from, to);
        } else if (event->type == KN_EVENT_RECORD || event->type == KN_EVENT_RESTRICTED) {
            id_rename(&event->data.record.instigator, from, to);
        } else if (event->type == KN_EVENT_ABILITY_ENDED) {
            id_rename(&event->data.ability.instigator, from, to);
        }
        list->data[i].key = event_key(event);
    }
}

void kni_reports_drop(report_list *list, uint64_t tick)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->data[i].tick > tick) {
            list->data[kept++] = list->data[i];
        }
    }
    list->count = kept;
}

#define TAKEN UINT64_MAX // in place of the tick: it happened again

// The report that says the same, the nearest in time; UINT32_MAX for none. Mostly it is the one
// behind the last that was found.
static uint32_t report_find(const report_list *list, const report *wanted, uint32_t hint)
{
    uint32_t best = UINT32_MAX;
    uint64_t best_distance = UINT64_MAX;
    if (hint < list->count && list->data[hint].key == wanted->key &&
        list->data[hint].tick == wanted->tick) {
        return hint;
    }
    for (uint32_t i = 0; i < list->count; i++) {
        const report *t = &list->data[i];
        if (t->key != wanted->key || t->tick == TAKEN) {
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

kn_result kni_reported_difference(
    report_list *reported, report_list *fresh, kni_reported_fn *publish, void *user)
{
    kn_result result = KN_OK;
    uint32_t hint = 0;
    for (uint32_t i = 0; i < fresh->count && result == KN_OK; i++) {
        uint32_t old = report_find(reported, &fresh->data[i], hint);
        if (old != UINT32_MAX) {
            reported->data[old].tick = TAKEN;
            hint = old + 1;
        } else {
            result = publish(user, &fresh->data[i], false);
        }
    }
    for (uint32_t i = 0; i < reported->count && result == KN_OK; i++) {
        if (reported->data[i].tick != TAKEN) {
            result = publish(user, &reported->data[i], true);
        }
    }
    report_list swap = *reported;
    *reported = *fresh;
    *fresh = swap;
    fresh->count = 0;
    return result;
}

void kni_reports_free(const kn_hooks *hooks, report_list *list)
{
    kn_memory_free(hooks, list->data, list->capacity * sizeof(report));
    *list = (report_list){0};
}
