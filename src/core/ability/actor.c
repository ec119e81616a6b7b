// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Actor records, what they watch, and the payloads of events.

#include "ability/actor.h"
#include "ability/task.h"

// Actors --------------------------------------------------------------------

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

// The last first: what began last may depend on what began before.
void kni_actor_end(kn_world *world, uint32_t component)
{
    kni_cues_end(world, component, true);
    while (!world->is_broken) {
        const kni_actor *actor = kni_actor_of(world, component);
        if (actor == NULL || actor->activations.count == 0) {
            break;
        }
        uint32_t slot =
            *KNI_SPAN_AT(world, actor->activations, uint32_t, actor->activations.count - 1);
        kni_activation_end_now(world, slot, KN_ENDED_OWNER_GONE);
    }
    while (!world->is_broken) {
        const kni_actor *actor = kni_actor_of(world, component);
        if (actor == NULL || actor->abilities.count == 0) {
            break;
        }
        kni_ability_remove_now(
            world, *KNI_SPAN_AT(world, actor->abilities, uint32_t, actor->abilities.count - 1));
    }
}

void kni_actor_release(kn_world *world, uint32_t component)
{
    kni_actor *actor = kni_actor_of(world, component);
    if (actor == NULL) {
        return;
    }
    for (uint32_t i = 0; i < actor->watchers.count; i++) {
        const kni_watcher *watcher = KNI_SPAN_AT(world, actor->watchers, kni_watcher, i);
        if (watcher->is_task != 0) {
            kni_task_gone(world, watcher->slot); // of another owner: its own tasks are over
        }
    }
    while (actor->charges.count > 0) {
        kni_charge_release(world, *KNI_SPAN_AT(world, actor->charges, uint32_t, 0));
    }
    kni_span_clear(&world->heap, &actor->abilities, sizeof(uint32_t));
    kni_span_clear(&world->heap, &actor->activations, sizeof(uint32_t));
    kni_span_clear(&world->heap, &actor->charges, sizeof(uint32_t));
    kni_span_clear(&world->heap, &actor->watchers, sizeof(kni_watcher));
    kni_span_clear(&world->heap, &actor->cues, sizeof(uint32_t));
    kni_pool_release(&world->actors, kni_component_at(world, component)->actor1 - 1);
    kni_component_at(world, component)->actor1 = 0;
}

void kni_actor_avatar_changed(kn_world *world, uint32_t component)
{
    kni_ability_walk walk = kni_ability_walk_begin(world, component, NULL);
    uint32_t slot;
    while ((slot = kni_ability_walk_next(world, &walk)) != KNI_NONE) {
        const kn_ability_def *def = &kni_type_of_ability(world, slot)->def;
        kn_ability_id id = kni_ability_id_of(world, slot);
        if (def->ends_with_avatar) {
            (void)kn_ability_cancel(world, id);
        }
        if (kni_ability_find(world, id) != KNI_NONE) {
            (void)kni_ability_granted_hooks(world, slot);
        }
    }
}

// Watching ------------------------------------------------------------------

void kni_watch_mask_update(const kn_world *world, kni_actor *actor)
{
    actor->watch_mask = 0;
    for (uint32_t i = 0; i < actor->watchers.count; i++) {
        actor->watch_mask |= 1u << KNI_SPAN_AT(world, actor->watchers, kni_watcher, i)->trigger;
    }
    kni_component *component = kni_component_at(world, actor->component);
    const uint32_t attributes = 1u << KN_TRIGGER_ATTRIBUTE_CHANGED;
    if ((actor->watch_mask & attributes) != 0 || actor->rate_count > 0) {
        component->flags |= KNI_COMPONENT_WATCHED;
    } else {
        component->flags &= ~(uint32_t)KNI_COMPONENT_WATCHED;
    }
}

static uint64_t watcher_number(const kn_world *world, const kni_watcher *watcher)
{
    return watcher->is_task != 0 ? kni_task_at(world, watcher->slot)->number
                                 : kni_ability_at(world, watcher->slot)->number;
}

// Higher priority first, then by the creation of what it wakes.
static bool watcher_before(const kn_world *world, const kni_watcher *a, const kni_watcher *b)
{
    return a->priority != b->priority ? a->priority > b->priority
                                      : watcher_number(world, a) < watcher_number(world, b);
}

void kni_watch_add(kn_world *world, uint32_t component, kni_watcher watcher)
{
    kni_actor *actor = kni_actor_ensure(world, component);
    if (actor == NULL) {
        return;
    }
    uint32_t index = actor->watchers.count;
    while (index > 0 && watcher_before(world, &watcher,
                            KNI_SPAN_AT(world, actor->watchers, kni_watcher, index - 1))) {
        index--;
    }
    kni_watcher *place =
        kni_span_insert(&world->heap, &world->memory, &actor->watchers, index, sizeof(kni_watcher));
    if (place == NULL) {
        kni_break(world);
        return;
    }
    *place = watcher;
    kni_watch_mask_update(world, actor);
}

void kni_watch_remove(kn_world *world, uint32_t component, uint32_t slot, bool is_task)
{
    kni_actor *actor = kni_actor_of(world, component);
    if (actor == NULL) {
        return;
    }
    for (uint32_t i = actor->watchers.count; i-- > 0;) {
        const kni_watcher *watcher = KNI_SPAN_AT(world, actor->watchers, kni_watcher, i);
        if (watcher->slot == slot && (watcher->is_task != 0) == is_task) {
            kni_span_remove(&world->heap, &actor->watchers, i, sizeof(kni_watcher));
        }
    }
    kni_watch_mask_update(world, actor);
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
        return reaction->effect_type.index1 == watcher->key;
    case KN_TRIGGER_ABILITY_ACTIVATED:
    case KN_TRIGGER_ABILITY_COMMITTED:
    case KN_TRIGGER_ABILITY_ENDED:
        return kni_task_wants_ability(world, watcher->slot, reaction);
    default:
        return true;
    }
}

// Whether an earlier watcher has already woken what watcher `index` wakes: a trigger on a tag
// and one on its parent are one listener.
static bool watcher_heard(
    const kn_world *world, const kni_actor *actor, uint32_t index, const kn_reaction *reaction)
{
    const kni_watcher *own = KNI_SPAN_AT(world, actor->watchers, kni_watcher, index);
    for (uint32_t i = 0; i < index; i++) {
        const kni_watcher *other = KNI_SPAN_AT(world, actor->watchers, kni_watcher, i);
        if (other->slot == own->slot && other->is_task == own->is_task &&
            watcher_hears(world, other, reaction)) {
            return true;
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
        queued->index = watcher.slot;
        queued->number = (uint32_t)watcher_number(world, &watcher);
        queued->is_task = watcher.is_task != 0;
        queued->detail = watcher.detail;
        queued->entity = reaction->entity;
        queued->reaction = *reaction;
        if (payload1 != 0) {
            queued->payload1 = payload1;
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
        kni_watch_event(world, component, reaction, NULL);
    }
}

// Which trigger of a def a reaction means.
static uint32_t trigger_index(const kn_world *world, const kn_ability_def *def,
    kn_trigger_source source, const kn_reaction *reaction)
{
    for (uint32_t i = 0; i < def->trigger_count; i++) {
        const kn_trigger_def *trigger = &def->triggers[i];
        bool is_it =
            source == KN_TRIGGER_SOURCE_EVENT
                ? kni_tag_matches(&world->library->tags, reaction->tag.index1, trigger->tag.index1)
                : trigger->tag.index1 == reaction->tag.index1;
        if (trigger->source == source && is_it) {
            return i;
        }
    }
    return 0;
}

// The tag of a "present" trigger went: what it started ends.
static void presence_end(kn_world *world, uint32_t ability, uint32_t trigger)
{
    uint32_t component = kni_ability_at(world, ability)->component;
    const kni_actor *actor = kni_actor_of(world, component);
    for (uint32_t i = actor->activations.count; i-- > 0;) {
        actor = kni_actor_of(world, component);
        if (actor == NULL || i >= actor->activations.count) {
            continue;
        }
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, slot);
        if (activation->ability == ability && activation->trigger == trigger &&
            (activation->flags & KNI_ACTIVATION_BY_PRESENCE) != 0) {
            kni_activation_end_now(world, slot, KN_ENDED_TAG_LOST);
        }
    }
}

static void trigger_run(kn_world *world, const kni_queued *queued)
{
    const kni_ability *ability = kni_ability_at(world, queued->index);
    if ((uint32_t)ability->number != queued->number || ability->number == 0) {
        return;
    }
    const kni_ability_type *type = kni_ability_type_at(world->library, ability->type);
    kn_trigger_source source = (kn_trigger_source)queued->detail;
    uint32_t trigger = trigger_index(world, &type->def, source, &queued->reaction);
    if (source == KN_TRIGGER_SOURCE_TAG_PRESENT &&
        queued->reaction.trigger == KN_TRIGGER_TAG_REMOVED) {
        presence_end(world, queued->index, trigger);
        return;
    }
    kn_activation_id activation;
    if (source == KN_TRIGGER_SOURCE_EVENT) {
        kn_event_record record;
        kni_payload_view(world, queued->payload1, &record);
        (void)kni_activate(world, queued->index, &record, trigger, &activation);
    } else {
        (void)kni_activate(world, queued->index, NULL, trigger, &activation);
    }
}

void kni_watch_run(kn_world *world, const kni_queued *queued)
{
    if (queued->is_task) {
        kni_task_wake(world, queued);
    } else {
        trigger_run(world, queued);
    }
    if (queued->payload1 != 0 && !world->is_broken) {
        kni_payload_release(world, queued->payload1);
    }
}

// Payloads ------------------------------------------------------------------

static bool payload_span(
    kn_world *world, kni_span *span, const void *data, uint32_t count, size_t size)
{
    if (count == 0 || data == NULL) {
        return true;
    }
    if (!kni_span_reserve(&world->heap, &world->memory, span, count, size)) {
        return false;
    }
    memcpy(kni_heap_at(&world->heap, span->ref), data, count * size);
    span->count = count;
    return true;
}

uint32_t kni_payload_store(kn_world *world, const kn_event_record *record, uint32_t tag)
{
    uint32_t slot = kni_pool_acquire(&world->payloads, &world->memory);
    if (slot == KNI_NONE) {
        kni_break(world);
        return 0;
    }
    kni_payload *payload = kni_payload_at(world, slot);
    payload->number = world->next_number++;
    payload->references = 1;
    payload->tag = tag;
    if (record == NULL) {
        return slot + 1;
    }
    payload->kind1 = record->kind.index1;
    payload->magnitude = kni_saturated(record->magnitude);
    payload->instigator = record->instigator;
    payload->target = record->target;
    payload->object = record->object;
    payload->object2 = record->object2;
    payload->has_instigator_tags = record->has_instigator_tags;
    payload->has_target_tags = record->has_target_tags;
    if (!payload_span(
            world, &payload->tags, record->tags.data, record->tags.count, sizeof(kn_tag)) ||
        !payload_span(world, &payload->instigator_tags, record->instigator_tags.data,
            record->instigator_tags.count, sizeof(kn_tag)) ||
        !payload_span(world, &payload->target_tags, record->target_tags.data,
            record->target_tags.count, sizeof(kn_tag)) ||
        !payload_span(world, &payload->data, record->data, record->data_size, 1)) {
        kni_break(world);
    }
    return slot + 1;
}

void kni_payload_release(kn_world *world, uint32_t payload1)
{
    kni_payload *payload = kni_payload_at(world, payload1 - 1);
    if (--payload->references > 0) {
        return;
    }
    kni_span_clear(&world->heap, &payload->tags, sizeof(kn_tag));
    kni_span_clear(&world->heap, &payload->instigator_tags, sizeof(kn_tag));
    kni_span_clear(&world->heap, &payload->target_tags, sizeof(kn_tag));
    kni_span_clear(&world->heap, &payload->data, 1);
    kni_pool_release(&world->payloads, payload1 - 1);
}

static kn_tags payload_tags(const kn_world *world, const kni_span *span)
{
    kn_tags tags = {kni_heap_at(&world->heap, span->ref), span->count};
    return tags;
}

void kni_payload_view(const kn_world *world, uint32_t payload1, kn_event_record *record)
{
    *record = kn_event_record_default();
    const kni_payload *payload = kni_payload_at(world, payload1 - 1);
    record->kind.index1 = payload->kind1;
    record->tag.index1 = payload->tag;
    record->magnitude = payload->magnitude;
    record->instigator = payload->instigator;
    record->target = payload->target;
    record->object = payload->object;
    record->object2 = payload->object2;
    record->tags = payload_tags(world, &payload->tags);
    record->has_instigator_tags = payload->has_instigator_tags != 0;
    record->has_target_tags = payload->has_target_tags != 0;
    record->instigator_tags = payload_tags(world, &payload->instigator_tags);
    record->target_tags = payload_tags(world, &payload->target_tags);
    record->data = payload->data.count > 0 ? kni_heap_at(&world->heap, payload->data.ref) : NULL;
    record->data_size = payload->data.count;
}

// Moves a list of a copy to the end of its block.
static const void *payload_move(kni_payload_copy *copy, const void *data, size_t size)
{
    uint8_t *at = copy->block + copy->used;
    if (size > 0) {
        memcpy(at, data, size);
        copy->used += (size + 7) & ~(size_t)7;
    }
    return at;
}

bool kni_payload_take(kn_world *world, uint32_t payload1, kni_payload_copy *copy)
{
    kn_event_record *record = &copy->record;
    kni_payload_view(world, payload1, record);
    kn_tags *lists[3] = {&record->tags, &record->instigator_tags, &record->target_tags};
    size_t size = record->data_size;
    for (uint32_t i = 0; i < 3; i++) {
        size += (lists[i]->count * sizeof(kn_tag) + 7) & ~(size_t)7;
    }
    copy->size = size;
    copy->used = 0;
    copy->block =
        size <= sizeof(copy->local) ? copy->local : kni_realloc(&world->memory, NULL, 0, size);
    if (copy->block == NULL) {
        kni_break(world);
        return false;
    }
    for (uint32_t i = 0; i < 3; i++) {
        lists[i]->data = payload_move(copy, lists[i]->data, lists[i]->count * sizeof(kn_tag));
    }
    const void *data = payload_move(copy, record->data, record->data_size);
    record->data = record->data_size > 0 ? data : NULL;
    return true;
}

void kni_payload_drop(kn_world *world, kni_payload_copy *copy)
{
    if (copy->block != copy->local) {
        kni_free(&world->memory, copy->block, copy->size);
    }
}
