// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Lock-outs: blocks of ability tags that end by themselves. A component of the entity lists them,
// one for each tag, each with a timer.

#include "parts.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define LOCKOUT_KEY                                                                                \
    UINT64_C(0x6b6c6f636b6f7574) // of kn_abilities_block(); the source is the entity
#define SECONDS_MAX 1e9f

typedef struct lockout_head {
    uint32_t added; // how many there have been
} lockout_head;

typedef struct lockout_item {
    kn_entity_id instigator;
    kn_timer_id timer;
    kn_time start, end;
    kn_tag tag;
    uint32_t unused;
} lockout_item;

static const kn_field head_fields[] = {KN_FIELD(lockout_head, added, KN_FIELD_U32)};
static const kn_field item_fields[] = {
    KN_FIELD(lockout_item, instigator, KN_FIELD_ENTITY),
    KN_FIELD(lockout_item, timer, KN_FIELD_TIMER),
    KN_FIELD(lockout_item, start, KN_FIELD_TIME),
    KN_FIELD(lockout_item, end, KN_FIELD_TIME),
    KN_FIELD(lockout_item, tag, KN_FIELD_TAG),
    KN_FIELD(lockout_item, unused, KN_FIELD_U32),
};
static const kn_field event_fields[] = {
    KN_FIELD(kn_lockout_event, instigator, KN_FIELD_ENTITY),
    KN_FIELD(kn_lockout_event, end, KN_FIELD_TIME),
    KN_FIELD(kn_lockout_event, tag, KN_FIELD_TAG),
    KN_FIELD(kn_lockout_event, unused, KN_FIELD_U32),
};

static uint32_t lockout_find(const lockout_item *items, uint32_t count, kn_tag tag)
{
    uint32_t i = 0;
    while (i < count && !kn_tag_equal(items[i].tag, tag)) {
        i++;
    }
    return i;
}

static void lockout_publish(
    kn_world *world, kn_entity_id entity, kn_custom_event_id kind, const lockout_item *item)
{
    kn_lockout_event event = {.instigator = item->instigator, .end = item->end, .tag = item->tag};
    (void)kn_world_publish(world, entity, kind, &event);
}

// Takes an item off the list and lifts its block.
static void lockout_end(kn_world *world, kn_entity_id entity, uint32_t index)
{
    const cast_ids *ids = knc_cast_ids_of(world);
    uint32_t count = 0;
    lockout_item *items = kn_component_items(world, ids->lockouts, entity, &count);
    lockout_item item = items[index];
    memmove(&items[index], &items[index + 1], (count - index - 1) * sizeof(*items));
    (void)kn_component_resize(world, ids->lockouts, entity, count - 1);
    (void)kn_timer_cancel(world, item.timer);
    (void)kn_abilities_unblock(world, entity, (kn_tags){&item.tag, 1}, entity, LOCKOUT_KEY);
    lockout_publish(world, entity, ids->unlocked, &item);
}

static kn_time lockout_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    kn_timer_id firing = kn_timer_firing(world);
    uint32_t count = 0;
    (void)user;
    (void)data;
    const lockout_item *items =
        kn_component_read_items(world, knc_cast_ids_of(world)->lockouts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (kn_timer_id_equal(items[i].timer, firing)) {
            lockout_end(world, entity, i);
            break;
        }
    }
    return 0;
}

// Adds an item, or finds the one that is there.
static lockout_item *lockout_item_of(kn_world *world, kn_entity_id entity, kn_tag tag, bool *is_new)
{
    kn_component_type_id type = knc_cast_ids_of(world)->lockouts;
    uint32_t count = 0;
    lockout_head *head = kn_component_add(world, type, entity);
    if (head == NULL) {
        return NULL;
    }
    lockout_item *items = kn_component_items(world, type, entity, &count);
    uint32_t index = lockout_find(items, count, tag);
    *is_new = index == count;
    if (*is_new) {
        head->added++;
        items = kn_component_resize(world, type, entity, count + 1);
        if (items == NULL) {
            return NULL;
        }
        items[index].tag = tag;
        items[index].start = kn_world_now(world);
    }
    return &items[index];
}

typedef struct lockout_call {
    kn_entity_id entity, instigator;
    kn_tags tags;
    kn_time length;
} lockout_call;

static kn_result lockout_one(kn_world *world, const lockout_call *call, kn_tag tag)
{
    const cast_ids *ids = knc_cast_ids_of(world);
    kn_time end = kn_world_now(world) + call->length;
    bool is_new = false;
    lockout_item *item = lockout_item_of(world, call->entity, tag, &is_new);
    if (item == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (item->end >= end) {
        return KN_OK; // the present one lasts longer
    }
    (void)kn_timer_cancel(world, item->timer);
    item->end = end;
    item->instigator = call->instigator;
    lockout_item told = *item;
    kn_timer_id timer;
    kn_result result =
        kn_timer_start(world, ids->lockout_timer, call->entity, call->length, NULL, &timer);
    if (result == KN_OK && is_new) {
        result =
            kn_abilities_block(world, call->entity, (kn_tags){&tag, 1}, call->entity, LOCKOUT_KEY);
    }
    uint32_t count = 0;
    lockout_item *items = kn_component_items(world, ids->lockouts, call->entity, &count);
    uint32_t index = lockout_find(items, count, tag);
    if (result == KN_OK && index < count) {
        items[index].timer = timer;
        lockout_publish(world, call->entity, ids->locked, &told);
    }
    return result;
}

static kn_result lockout_add_run(void *user, kn_world *world)
{
    const lockout_call *call = user;
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < call->tags.count; i++) {
        result = lockout_one(world, call, call->tags.data[i]);
    }
    return result;
}

kn_result kn_lockout_add(
    kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id instigator, float seconds)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (tags.data[i].index1 == 0 ||
            tags.data[i].index1 > kn_tag_count(kn_world_library(world))) {
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    if (tags.count == 0) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, entity)) {
        return KN_REFUSED_DYING;
    }
    if (!(seconds > 0.0f) || !isfinite(seconds)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    lockout_call call = {.entity = entity,
        .instigator = instigator,
        .tags = tags,
        .length = kn_time_from_seconds((double)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX))};
    return kn_world_call(world, lockout_add_run, &call);
}

typedef struct remove_call {
    kn_entity_id entity;
    kn_tag tag;
} remove_call;

static kn_result lockout_remove_run(void *user, kn_world *world)
{
    const remove_call *call = user;
    kn_component_type_id type = knc_cast_ids_of(world)->lockouts;
    kn_result result = KN_REFUSED_NOT_FOUND;
    for (;;) {
        uint32_t count = 0;
        const lockout_item *items = kn_component_read_items(world, type, call->entity, &count);
        uint32_t index = call->tag.index1 == 0 ? 0 : lockout_find(items, count, call->tag);
        if (index >= count) {
            return result;
        }
        lockout_end(world, call->entity, index);
        result = KN_OK;
    }
}

kn_result kn_lockout_remove(kn_world *world, kn_entity_id entity, kn_tag tag)
{
    remove_call call = {entity, tag};
    return kn_entity_is_alive(world, entity) ? kn_world_call(world, lockout_remove_run, &call)
                                             : KN_REFUSED_STALE_ID;
}

uint32_t kn_lockouts(const kn_world *world, kn_entity_id entity, kn_lockout *out, uint32_t capacity)
{
    uint32_t count = 0;
    const lockout_item *items =
        kn_component_read_items(world, knc_cast_ids_of(world)->lockouts, entity, &count);
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = (kn_lockout){items[i].tag, items[i].instigator, items[i].start, items[i].end};
    }
    return count;
}

void knc_lockout_check(const kn_ability_call *call, const cast_ids *ids)
{
    uint32_t count = 0;
    const lockout_item *items =
        kn_component_read_items(call->world, ids->lockouts, call->owner, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (!kn_ability_has_tag(call->world, call->ability, items[i].tag)) {
            continue;
        }
        kn_refusal_line line = {.reason = ids->locked_out,
            .tag = items[i].tag,
            .remaining = items[i].end - kn_world_now(call->world),
            .total = items[i].end - items[i].start,
            .source = items[i].instigator,
            .key = LOCKOUT_KEY};
        line.have = (float)kn_time_to_seconds(line.remaining);
        kn_check_refuse(call->answer, &line);
    }
}

kn_result knc_lockout_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    kn_component_def list = kn_component_def_default();
    list.name = "Knack.Lockouts";
    list.size = sizeof(lockout_head);
    list.fields = head_fields;
    list.field_count = COUNT(head_fields);
    list.item_size = sizeof(lockout_item);
    list.item_fields = item_fields;
    list.item_field_count = COUNT(item_fields);
    kn_custom_event_def event = kn_custom_event_def_default();
    event.name = "Knack.LockedOut";
    event.size = sizeof(kn_lockout_event);
    event.fields = event_fields;
    event.field_count = COUNT(event_fields);
    event.text = "is locked out of {tag} until {end}";
    kn_result result = kn_component_register(library, &list, &ids->lockouts, error);
    result =
        result != KN_OK ? result : kn_custom_event_register(library, &event, &ids->locked, error);
    event.name = "Knack.LockoutEnded";
    event.text = "is not locked out of {tag} any more";
    result =
        result != KN_OK ? result : kn_custom_event_register(library, &event, &ids->unlocked, error);
    return result != KN_OK ? result
                           : kn_timer_type_register(library, "Knack.Lockout", lockout_timer, NULL,
                                 &ids->lockout_timer, error);
}
