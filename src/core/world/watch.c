// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Watchers: triggers of abilities, and tasks, that wait for something to happen to an entity. They
// are stored in its kni_actor, sorted by priority, and wake through the reaction queue.

#include "world/world.h"

kni_actor *kni_actor_ensure(kn_world *world, uint32_t component)
{
    kni_actor *actor = kni_actor_of(world, component);
    if (actor != NULL) {
        return actor;
    }
    uint32_t slot = kni_pool_acquire(&world->actors, &world->memory);
    if (slot == KNI_NONE) {
        kni_break(world);
        return NULL;
    }
    actor = kni_actor_at(world, slot);
    actor->component = component;
    kni_component_at(world, component)->actor1 = slot + 1;
    kni_mark(world, component, KN_PART_ENTITY);
    return actor;
}

kni_actor *kni_actor_enter(kn_world *world, kn_entity_id entity, kn_result *result)
{
    uint32_t slot = kni_entity_find(world, entity);
    *result = slot == KNI_NONE ? KN_REFUSED_STALE_ID : kni_enter(world);
    if (*result != KN_OK) {
        return NULL;
    }
    uint32_t component = kni_component_ensure(world, slot);
    kni_actor *actor = component == KNI_NONE ? NULL : kni_actor_ensure(world, component);
    if (actor == NULL) {
        *result = kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    return actor;
}

void kni_followed_update(const kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    const kni_actor *actor = kni_actor_of(world, slot);
    const uint32_t attributes = 1u << KN_TRIGGER_ATTRIBUTE_CHANGED;
    bool by_actor =
        actor != NULL && ((actor->watch_mask & attributes) != 0 || actor->rate_count > 0);
    if (by_actor || (world->watch_counts[KN_TRIGGER_ATTRIBUTE_CHANGED] > 0 &&
                        kni_watches_follow(world, component->entity))) {
        component->flags |= KNI_COMPONENT_WATCHED;
    } else {
        component->flags &= ~(uint32_t)KNI_COMPONENT_WATCHED;
    }
}

void kni_watch_flag_update(const kn_world *world, const kni_actor *actor)
{
    kni_followed_update(world, actor->component);
}

// Takes from the mask what no watcher waits for any more, of the triggers `gone`.
static void watch_mask_drop(const kn_world *world, kni_actor *actor, uint32_t gone)
{
    for (uint32_t i = 0; i < actor->watchers.count && gone != 0; i++) {
        gone &= ~(1u << KNI_SPAN_AT(world, actor->watchers, kni_watcher, i)->trigger);
    }
    actor->watch_mask &= ~gone;
    kni_watch_flag_update(world, actor);
}

static uint64_t watcher_number(const kn_world *world, const kni_watcher *watcher)
{
    return watcher->is_task != 0 ? kni_task_at(world, watcher->slot)->number
                                 : kni_ability_at(world, watcher->slot)->number;
}

// The place of the first watcher that does not come before one with this priority and number:
// higher priority first, then by creation of the ability or task.
static uint32_t watcher_place(
    const kn_world *world, const kni_actor *actor, int32_t priority, uint64_t number)
{
    uint32_t begin = 0, end = actor->watchers.count;
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        const kni_watcher *other = KNI_SPAN_AT(world, actor->watchers, kni_watcher, middle);
        bool is_before = other->priority != priority ? other->priority > priority
                                                     : watcher_number(world, other) < number;
        if (is_before) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

void kni_watch_add(kn_world *world, uint32_t component, kni_watcher watcher)
{
    kni_actor *actor = kni_actor_ensure(world, component);
    if (actor == NULL) {
        return;
    }
    uint32_t index =
        watcher_place(world, actor, watcher.priority, watcher_number(world, &watcher) + 1);
    kni_watcher *place =
        kni_span_insert(&world->heap, &world->memory, &actor->watchers, index, sizeof(kni_watcher));
    if (place == NULL) {
        kni_break(world);
        return;
    }
    *place = watcher;
    actor->watch_mask |= 1u << watcher.trigger;
    world->heard |= 1u << watcher.trigger;
    kni_watch_flag_update(world, actor);
}

static bool watcher_wakes(
    const kn_world *world, const kni_actor *actor, uint32_t index, uint32_t slot, bool is_task)
{
    const kni_watcher *watcher = KNI_SPAN_AT(world, actor->watchers, kni_watcher, index);
    return watcher->slot == slot && (watcher->is_task != 0) == is_task;
}

void kni_watch_remove(kn_world *world, uint32_t component, uint32_t slot, bool is_task)
{
    kni_actor *actor = kni_actor_of(world, component);
    if (actor == NULL || actor->watchers.count == 0) {
        return;
    }
    // Those of a task stand side by side; triggers of an ability have priorities of their own.
    uint32_t first = is_task ? watcher_place(world, actor, 0, kni_task_at(world, slot)->number) : 0;
    uint32_t gone = 0;
    for (uint32_t i = first; i < actor->watchers.count;) {
        if (watcher_wakes(world, actor, i, slot, is_task)) {
            gone |= 1u << KNI_SPAN_AT(world, actor->watchers, kni_watcher, i)->trigger;
            kni_span_remove(&world->heap, &actor->watchers, i, sizeof(kni_watcher));
        } else if (is_task) {
            break;
        } else {
            i++;
        }
    }
    if (gone != 0) {
        watch_mask_drop(world, actor, gone);
    }
}

bool kni_ability_has_tag(const kn_world *world, uint32_t slot, uint32_t tag)
{
    const kni_ability *ability = kni_ability_at(world, slot);
    kn_tag wanted = {tag};
    if (kn_tags_has(
            world->library, kni_ability_type_at(world->library, ability->type)->def.tags, wanted)) {
        return true;
    }
    kn_tags dynamic = {kni_heap_at(&world->heap, ability->tags.ref), ability->tags.count};
    return dynamic.count > 0 && kn_tags_has(world->library, dynamic, wanted);
}

// Whether a task waits for this ability; tested while the ability still exists.
static bool task_wants_ability(const kn_world *world, uint32_t slot, const kn_reaction *reaction)
{
    const kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_CUSTOM) {
        return true;
    }
    uint32_t ability = kni_ability_find(world, reaction->ability);
    if (ability == kni_activation_at(world, task->activation)->ability) {
        return false;
    }
    uint32_t count = task->data.count / (uint32_t)sizeof(kn_tag);
    const kn_tag *tags = kni_heap_at(&world->heap, task->data.ref);
    for (uint32_t i = 0; i < count; i++) {
        if (ability != KNI_NONE && kni_ability_has_tag(world, ability, tags[i].index1)) {
            return true;
        }
    }
    return count == 0;
}

static bool watcher_hears(
    const kn_world *world, const kni_watcher *watcher, const kn_reaction *reaction)
{
    if (watcher->trigger != (uint32_t)reaction->trigger) {
        return false;
    }
    bool is_about_ability = reaction->trigger >= KN_TRIGGER_ABILITY_ACTIVATED &&
                            reaction->trigger <= KN_TRIGGER_ABILITY_ENDED;
    if (watcher->key == 0 && !is_about_ability) {
        return true;
    }
    switch (reaction->trigger) {
    case KN_TRIGGER_EVENT:
        return kni_tag_matches(&world->library->tags, reaction->tag.index1, watcher->key);
    case KN_TRIGGER_TAG_ADDED:
    case KN_TRIGGER_TAG_REMOVED:
        return reaction->tag.index1 == watcher->key;
    case KN_TRIGGER_ATTRIBUTE_CHANGED:
        return reaction->attribute.index1 == watcher->key;
    case KN_TRIGGER_EFFECT_APPLIED:
    case KN_TRIGGER_EFFECT_REMOVED:
    case KN_TRIGGER_EFFECT_STACKS:
    case KN_TRIGGER_EFFECT_EXECUTED:
    case KN_TRIGGER_EFFECT_INHIBITED:
    case KN_TRIGGER_EFFECT_REAPPLIED:
        return reaction->effect_type.index1 == watcher->key;
    case KN_TRIGGER_ABILITY_ACTIVATED:
    case KN_TRIGGER_ABILITY_COMMITTED:
    case KN_TRIGGER_ABILITY_ENDED:
        return task_wants_ability(world, watcher->slot, reaction);
    default:
        return true;
    }
}

// Whether an earlier watcher has already woken what watcher `index` wakes: a trigger on a tag and
// one on its parent wake an ability once.
static bool watcher_heard(
    const kn_world *world, const kni_actor *actor, uint32_t index, const kn_reaction *reaction)
{
    const kni_watcher *own = KNI_SPAN_AT(world, actor->watchers, kni_watcher, index);
    for (uint32_t i = index; i-- > 0;) {
        const kni_watcher *other = KNI_SPAN_AT(world, actor->watchers, kni_watcher, i);
        bool is_same = watcher_wakes(world, actor, i, own->slot, own->is_task != 0);
        if (is_same && watcher_hears(world, other, reaction)) {
            return true;
        }
        if (!is_same && own->is_task != 0) {
            break; // those of a task stand side by side
        }
    }
    return false;
}

void kni_watch_event(
    kn_world *world, uint32_t component, const kn_reaction *reaction, const kn_event_record *record)
{
    uint32_t payload1 = 0;
    for (uint32_t i = 0;; i++) {
        const kni_actor *actor = kni_actor_of(world, component);
        if (actor == NULL || i >= actor->watchers.count || world->is_broken) {
            break;
        }
        kni_watcher watcher = *KNI_SPAN_AT(world, actor->watchers, kni_watcher, i);
        if (!watcher_hears(world, &watcher, reaction) ||
            (reaction->trigger == KN_TRIGGER_EVENT && watcher_heard(world, actor, i, reaction))) {
            continue;
        }
        if (reaction->trigger == KN_TRIGGER_EVENT && payload1 == 0) {
            payload1 = kni_payload_store(world, record, reaction->tag.index1);
            if (payload1 == 0) {
                return;
            }
        }
        kni_queued *queued = kni_react(world, KNI_REACT_WATCH);
        queued->entity = reaction->entity;
        queued->watch.slot = watcher.slot;
        queued->watch.number = (uint32_t)watcher_number(world, &watcher);
        queued->watch.is_task = watcher.is_task != 0;
        queued->watch.source = watcher.detail;
        queued->watch.reaction = *reaction;
        if (payload1 != 0) {
            queued->watch.payload1 = payload1;
            kni_payload_at(world, payload1 - 1)->references++;
        }
    }
    if (payload1 != 0) {
        kni_payload_release(world, payload1);
    }
}

void kni_react_all(kn_world *world, uint32_t component, const kn_reaction *reaction)
{
    if ((world->library->trigger_mask >> reaction->trigger & 1) != 0) {
        kni_react_rules(world, reaction);
    }
    const kni_actor *actor = kni_actor_of(world, component);
    if (actor != NULL && (actor->watch_mask >> reaction->trigger & 1) != 0) {
        kn_reaction bare = *reaction;
        bare.record = NULL; // tasks get the events that they wait for alone
        kni_watch_event(world, component, &bare, NULL);
    }
    if (world->watch_counts[reaction->trigger] > 0) {
        kni_watches_react(world, reaction);
    }
}
