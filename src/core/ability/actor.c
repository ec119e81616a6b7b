// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The life of an actor: the end of everything it does, a change of avatar, and the triggers that
// activate its abilities.

#include "ability/actor.h"
#include "ability/task.h"

// The last first, since it may depend on those before.
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
            kni_task_gone(world, watcher->slot); // owned by others: its own tasks have ended
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
    kni_tasks_lose_body(world, component);
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

// The index of the trigger that a reaction belongs to.
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

// The tag of a "present" trigger was removed: what it started ends.
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
    const kni_ability *ability = kni_ability_at(world, queued->watch.slot);
    if ((uint32_t)ability->number != queued->watch.number || ability->number == 0) {
        return;
    }
    const kni_ability_type *type = kni_ability_type_at(world->library, ability->type);
    kn_trigger_source source = (kn_trigger_source)queued->watch.source;
    uint32_t trigger = trigger_index(world, &type->def, source, &queued->watch.reaction);
    if (source == KN_TRIGGER_SOURCE_TAG_PRESENT &&
        queued->watch.reaction.trigger == KN_TRIGGER_TAG_REMOVED) {
        presence_end(world, queued->watch.slot, trigger);
        return;
    }
    kni_attempt attempt = {NULL, KN_NET_ORIGIN_HERE, trigger};
    kn_event_record record;
    if (source == KN_TRIGGER_SOURCE_EVENT) {
        kni_payload_view(world, queued->watch.payload1, &record);
        attempt.event = &record;
    }
    kn_activation_id activation;
    (void)kni_activate(world, queued->watch.slot, &attempt, &activation);
}

void kni_watch_run(kn_world *world, const kni_queued *queued)
{
    if (queued->watch.is_task) {
        kni_task_wake(world, queued);
    } else {
        trigger_run(world, queued);
    }
    if (queued->watch.payload1 != 0 && !world->is_broken) {
        kni_payload_release(world, queued->watch.payload1);
    }
}

// Avatars -------------------------------------------------------------------

static kn_result set_avatar(kn_world *world, kn_entity_id owner, kn_entity_id avatar)
{
    if (kni_is_held(world)) {
        return kni_relation_postpone(world, KNI_CALL_AVATAR, owner, avatar);
    }
    uint32_t component;
    kn_result result = kni_component_own(world, owner, &component);
    if (result != KN_OK) {
        return result;
    }
    uint32_t owner_slot = kni_component_at(world, component)->entity;
    kn_entity_id real_owner = kni_entity_id_of(world, owner_slot);
    if (avatar.index1 == 0) {
        avatar = real_owner;
    }
    uint32_t avatar_slot = kni_entity_find(world, avatar);
    if (avatar_slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_entity_id old = kni_component_at(world, component)->avatar;
    if (kn_entity_id_equal(old, avatar)) {
        return KN_OK;
    }
    kni_entity *body = kni_entity_at(world, avatar_slot);
    if (avatar_slot != owner_slot && body->component1 != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    uint32_t old_slot = kni_entity_find(world, old);
    if (old_slot != KNI_NONE && old_slot != owner_slot) {
        kni_entity_at(world, old_slot)->component1 = 0;
    }
    body->component1 = component + 1;
    kni_component_at(world, component)->avatar = avatar;
    kni_mark(world, component, KN_PART_ENTITY);
    if (kni_wants(world, KN_EVENT_AVATAR_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_AVATAR_CHANGED, real_owner);
        event->data.avatar.avatar = avatar;
        event->data.avatar.old_avatar = old;
    }
    kni_actor_avatar_changed(world, component);
    return KN_OK;
}

kn_result kn_entity_set_avatar(kn_world *world, kn_entity_id owner, kn_entity_id avatar)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_avatar(world, owner, avatar));
}
