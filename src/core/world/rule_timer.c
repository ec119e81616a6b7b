// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Timers of rules. A record keeps its number when it is armed again, so that its id stays valid and
// it keeps its order among timers that are due at the same time. While a timer fires it has no
// entry in the wheel; its time is KN_TIME_INFINITE then.

#include "world/world.h"

static kni_rule_timer *timer_at(const kn_world *world, uint32_t slot)
{
    return kni_pool_at(&world->timers, slot);
}

static uint32_t timer_find(const kn_world *world, kn_timer_id id)
{
    uint32_t slot = id.index1 - 1;
    if (slot >= world->timers.used || timer_at(world, slot)->number == 0 ||
        (uint32_t)timer_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

static void timer_arm(kn_world *world, uint32_t slot, kn_time time)
{
    kni_rule_timer *timer = timer_at(world, slot);
    timer->time = time;
    kni_mark_entity(world, timer->entity, KN_PART_TIMERS);
    kni_timer_add(world, time, timer->number, slot, KNI_TIMER_RULE);
}

static void timer_link(kn_world *world, uint32_t slot)
{
    kni_rule_timer *timer = timer_at(world, slot);
    if (timer->entity.index1 != 0) {
        uint32_t *first1 = &world->timer_firsts[timer->entity.index1 - 1];
        timer->next1 = *first1;
        timer->back1 = 0;
        if (*first1 != 0) {
            timer_at(world, *first1 - 1)->back1 = slot + 1;
        }
        *first1 = slot + 1;
    }
}

// Removes a timer from the list of its entity and frees its record.
void kni_rule_timer_release(kn_world *world, uint32_t slot)
{
    const kni_rule_timer *timer = timer_at(world, slot);
    kni_mark_entity(world, timer->entity, KN_PART_TIMERS);
    if (timer->entity.index1 != 0) {
        *(timer->back1 != 0 ? &timer_at(world, timer->back1 - 1)->next1
                            : &world->timer_firsts[timer->entity.index1 - 1]) = timer->next1;
        if (timer->next1 != 0) {
            timer_at(world, timer->next1 - 1)->back1 = timer->back1;
        }
    }
    kni_pool_release(&world->timers, slot);
}

static void timer_release(kn_world *world, uint32_t slot)
{
    if (timer_at(world, slot)->time != KN_TIME_INFINITE) {
        kni_wheel_cancelled(&world->wheel);
    }
    kni_rule_timer_release(world, slot);
}

bool kni_timers_reserve(kn_world *world, uint32_t entities)
{
    uint32_t old = world->timer_firsts_capacity;
    if (!kni_grow(&world->memory, &world->timer_firsts, &world->timer_firsts_capacity, entities,
            sizeof(uint32_t))) {
        return false;
    }
    if (world->timer_firsts_capacity > old) {
        memset(
            world->timer_firsts + old, 0, (world->timer_firsts_capacity - old) * sizeof(uint32_t));
    }
    return true;
}

void kni_timers_link_all(kn_world *world)
{
    if (world->timer_firsts_capacity > 0) {
        memset(world->timer_firsts, 0, world->timer_firsts_capacity * sizeof(uint32_t));
    }
    KNI_POOL_EACH(slot, &world->timers) {
        timer_link(world, slot);
    }
}

kn_result kn_timer_start(kn_world *world, kn_timer_type_id type, kn_entity_id entity, kn_time delay,
    const void *data, kn_timer_id *timer)
{
    if (timer != NULL) {
        *timer = (kn_timer_id){0};
    }
    if (world == NULL || type.index1 == 0 ||
        type.index1 > world->library->registries[KN_DEF_TIMER].count) {
        KN_ASSERT(world != NULL && type.index1 != 0);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (entity.index1 != 0 && kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (delay < 0 || delay > KN_TIME_MAX - world->now) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = kni_timers_reserve(world, entity.index1)
                        ? kni_pool_acquire(&world->timers, &world->memory)
                        : KNI_NONE;
    if (slot == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    kni_rule_timer *record = timer_at(world, slot);
    record->number = kni_number_next(world);
    record->entity = entity;
    record->type = type.index1 - 1;
    if (data != NULL) {
        memcpy(record->data, data, KN_TIMER_DATA_SIZE);
    }
    timer_link(world, slot);
    kn_timer_id made = {slot + 1, (uint32_t)record->number};
    timer_arm(world, slot, world->now + delay);
    result = kni_leave(world, KN_OK);
    if (timer != NULL && result == KN_OK) {
        *timer = made;
    }
    return result;
}

bool kn_timer_cancel(kn_world *world, kn_timer_id timer)
{
    uint32_t slot = timer_find(world, timer);
    if (slot == KNI_NONE || world->is_broken) {
        return false;
    }
    timer_release(world, slot);
    return true;
}

bool kn_timer_is_alive(const kn_world *world, kn_timer_id timer)
{
    return timer_find(world, timer) != KNI_NONE;
}

kn_time kn_timer_remaining(const kn_world *world, kn_timer_id timer)
{
    uint32_t slot = timer_find(world, timer);
    if (slot == KNI_NONE || timer_at(world, slot)->time == KN_TIME_INFINITE) {
        return 0; // stale, or firing right now
    }
    return timer_at(world, slot)->time - world->now;
}

kn_timer_id kn_timer_firing(const kn_world *world)
{
    return world != NULL ? world->firing : (kn_timer_id){0};
}

void kni_timers_remove(kn_world *world, kn_entity_id entity)
{
    uint32_t slot = entity.index1 - 1;
    while (slot < world->timer_firsts_capacity && world->timer_firsts[slot] != 0) {
        timer_release(world, world->timer_firsts[slot] - 1);
    }
}

// The function gets a copy of the data: what it calls may move the records.
void kni_rule_timer_fire(kn_world *world, const kni_timer *timer)
{
    uint32_t slot = KNI_TIMER_SLOT(timer->owner);
    kni_rule_timer record = *timer_at(world, slot);
    timer_at(world, slot)->time = KN_TIME_INFINITE;
    kn_cause previous;
    if (!kni_cause_begin(world, KN_CAUSE_TIMER, record.entity, (kn_effect_id){0},
            (kn_effect_type_id){0}, 0, &previous)) {
        timer_release(world, slot);
        return;
    }
    const kni_timer_type *type =
        KNI_ITEM(world->library, KN_DEF_TIMER, const kni_timer_type, record.type);
    uint64_t data[KN_TIMER_DATA_SIZE / sizeof(uint64_t)]; // aligned for any type
    memcpy(data, record.data, KN_TIMER_DATA_SIZE);
    world->firing = (kn_timer_id){slot + 1, (uint32_t)record.number};
    kn_time span = type->ticker1 != 0
                       ? kni_ticker_fired(world, (kn_ticker_id){type->ticker1}, record.entity, data)
                       : type->function(type->user, world, record.entity, data);
    world->firing = (kn_timer_id){0};
    kni_cause_end(world, previous);
    if (timer_at(world, slot)->number != record.number) {
        return; // cancelled in the meantime
    }
    if (span <= 0 || span > KN_TIME_MAX - record.time || world->is_broken) {
        timer_release(world, slot); // finished, or due after the end of time
        return;
    }
    memcpy(timer_at(world, slot)->data, data, KN_TIMER_DATA_SIZE);
    timer_arm(world, slot, record.time + span);
}
