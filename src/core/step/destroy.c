// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The destruction of an entity: its effects, abilities and tasks end, then its records are
// released.

#include "ability/actor.h"
#include "step/step.h"

// Effects elsewhere that read from this component keep the captured values. Those that end with
// their source end now; the others check their conditions without it.
static void dependents_release(kn_world *world, uint32_t slot)
{
    kni_span dependents = kni_component_at(world, slot)->dependents;
    kni_component_at(world, slot)->dependents = (kni_span){0};
    for (uint32_t i = 0; i < dependents.count && !world->is_broken; i++) {
        uint32_t effect = *KNI_SPAN_AT(world, dependents, uint32_t, i);
        const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, effect)->type);
        if (kni_effect_at(world, effect)->component == slot) {
            continue; // its own effect is removed with it
        }
        if ((type->flags & KNI_EFFECT_ENDS_WITH_SOURCE) != 0) {
            kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
            queued->effect.id = kni_effect_id_of(world, effect);
            queued->effect.reason = KN_REMOVED_SOURCE_GONE;
        } else if ((type->flags &
                       (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0) {
            kni_effect_queue_recheck(world, effect);
        }
    }
    kni_span_clear(&world->heap, &dependents, sizeof(uint32_t));
}

// References of other entities that are structure, not just ids: parents.
static void links_release(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    while (component->child1 != 0) {
        uint32_t at = component->child1 - 1;
        kni_component *child = kni_component_at(world, at);
        component->child1 = child->sibling1;
        child->sibling1 = 0;
        child->sibling_back1 = 0;
        child->parent = (kn_entity_id){0};
        kni_parent_react(world, at, kni_component_entity(world, slot));
        component = kni_component_at(world, slot);
    }
    uint32_t parent = kni_component_find(world, component->parent);
    if (parent != KNI_NONE) {
        kni_parent_tags(world, slot, parent, -1);
        kni_component_unlink(world, slot, parent);
        kni_component_at(world, slot)->parent = (kn_entity_id){0};
    }
}

static void component_release(kn_world *world, uint32_t slot)
{
    kni_component *component = kni_component_at(world, slot);
    kni_heap *heap = &world->heap;
    const kni_layout *layout = &world->layouts[component->layout];
    for (uint32_t i = 0; i < layout->value_count; i++) {
        uint32_t aggregator1 = kni_values_of(world, component)[i].aggregator1;
        if (aggregator1 != 0) {
            kni_aggregator_release(world, aggregator1 - 1);
        }
    }
    kni_heap_release(heap, component->values, layout->value_count * sizeof(kni_value));
    for (uint32_t i = 0; i < component->transients.count; i++) {
        uint32_t index = KNI_SPAN_AT(world, component->transients, kni_value_link, i)->aggregator;
        kni_aggregator_release(world, index);
    }
    kni_owned_remove(world, slot);
    kni_span_clear(heap, &component->owned, sizeof(uint32_t));
    kni_span_clear(heap, &component->effects, sizeof(uint32_t));
    kni_span_clear(heap, &component->tags, sizeof(kni_tag_row));
    kni_span_clear(heap, &component->origins, sizeof(kni_origin_row));
    kni_span_clear(heap, &component->blocked, sizeof(kni_tag_row));
    kni_span_clear(heap, &component->dependents, sizeof(uint32_t));
    kni_span_clear(heap, &component->transients, sizeof(kni_value_link));
    kni_pool_release(&world->components, slot);
}

// Ends the effects of an entity in order of creation. If there are many, they are removed from its
// values at once, since each value would otherwise be evaluated with all the others after each of
// them. The first of them also leave the list at once, since the rest would otherwise move down for
// each.
static void effects_end(kn_world *world, uint32_t slot)
{
    kni_span *effects = &kni_component_at(world, slot)->effects;
    if (effects->count > KNI_EFFECTS_MANY) {
        for (uint32_t i = 0; i < effects->count; i++) {
            kni_effect_at(world, *KNI_SPAN_AT(world, *effects, uint32_t, i))->flags |=
                KNI_ACTIVE_LOOSE;
        }
        kni_modifiers_let_go(world, slot);
        effects = &kni_component_at(world, slot)->effects;
    }
    while (effects->count > KNI_EFFECTS_MANY && !world->is_broken) {
        kn_effect_id first[KNI_EFFECTS_MANY];
        for (uint32_t i = 0; i < KNI_EFFECTS_MANY; i++) {
            first[i] = kni_effect_id_of(world, *KNI_SPAN_AT(world, *effects, uint32_t, i));
        }
        effects->count -= KNI_EFFECTS_MANY;
        uint32_t *list = KNI_SPAN_AT(world, *effects, uint32_t, 0);
        memmove(list, list + KNI_EFFECTS_MANY, effects->count * sizeof(*list));
        for (uint32_t i = 0; i < KNI_EFFECTS_MANY && !world->is_broken; i++) {
            uint32_t effect = kni_effect_find(world, first[i]);
            if (effect != KNI_NONE) {
                kni_effect_end(world, effect, KN_REMOVED_TARGET_DIED);
            }
        }
        effects = &kni_component_at(world, slot)->effects;
    }
    while (effects->count > 0 && !world->is_broken) {
        kni_effect_end(world, *KNI_SPAN_AT(world, *effects, uint32_t, 0), KN_REMOVED_TARGET_DIED);
        effects = &kni_component_at(world, slot)->effects;
    }
}

// Whether the entity is an actor itself, not the avatar of one.
static bool owns_component(const kn_world *world, uint32_t slot)
{
    uint32_t component = kni_entity_at(world, slot)->component1 - 1;
    return component != KNI_NONE && kni_component_at(world, component)->entity == slot;
}

bool kni_entity_destroy_announce(kn_world *world, kn_entity_id entity)
{
    uint32_t before = world->reaction_count;
    if (kni_entity_find(world, entity) != KNI_NONE) {
        kn_reaction reaction = {.trigger = KN_TRIGGER_ENTITY_DESTROYED, .entity = entity};
        kni_react_entity(world, &reaction);
    }
    if (world->reaction_count == before) {
        return false;
    }
    kni_queued *queued = kni_react(world, KNI_REACT_DESTROY);
    queued->entity = entity;
    queued->is_announced = true;
    return true;
}

void kni_entity_destroy_now(kn_world *world, kn_entity_id entity)
{
    uint32_t slot = kni_entity_find(world, entity);
    if (slot == KNI_NONE) {
        return;
    }
    kn_cause previous;
    bool has_cause = kni_cause_begin(
        world, KN_CAUSE_DESTROY, entity, (kn_effect_id){0}, (kn_effect_type_id){0}, 0, &previous);
    // Their hooks still see the entity as it was. One that is not an actor may become one by them.
    if (!owns_component(world, slot)) {
        kni_extensions_remove(world, slot);
        kni_references_end(world, entity);
    }
    uint32_t component = kni_entity_at(world, slot)->component1 - 1;
    bool owns = owns_component(world, slot);
    if (owns) {
        kni_actor_end(world, component);
        kni_owner_effects_detach(world, kni_component_at(world, component)->owner, component);
        effects_end(world, component);
        kni_extensions_remove(world, slot);
        kni_references_end(world, entity);
        dependents_release(world, component);
        links_release(world, component);
        kni_tag_blocks_remove(world, entity); // no hook follows that could add one
        kn_entity_id avatar = kni_component_at(world, component)->avatar;
        uint32_t avatar_slot = kni_entity_find(world, avatar);
        if (avatar_slot != KNI_NONE) {
            kni_entity_at(world, avatar_slot)->component1 = 0;
        }
        if (!world->is_broken) {
            kni_actor_release(world, component);
            component_release(world, component);
        }
    } else {
        kni_tag_blocks_remove(world, entity);
    }
    if (component != KNI_NONE && !owns) {
        // An avatar is destroyed: its owner becomes its own avatar again.
        kni_component *shared = kni_component_at(world, component);
        kn_entity_id owner = kni_component_entity(world, component);
        shared->avatar = owner;
        kni_mark(world, component, KN_PART_ENTITY);
        if (kni_wants(world, KN_EVENT_AVATAR_CHANGED)) {
            kn_event *event = kni_emit(world, KN_EVENT_AVATAR_CHANGED, owner);
            event->data.avatar.avatar = owner;
            event->data.avatar.old_avatar = entity;
        }
    }
    world->ending1 = 0;
    kni_timers_remove(world, entity);
    kni_watches_remove(world, entity);
    if (kni_wants(world, KN_EVENT_ENTITY_DESTROYED)) {
        kni_emit(world, KN_EVENT_ENTITY_DESTROYED, entity);
    }
    if (world->marks != NULL) {
        kni_mark_life(world, slot);
    }
    kni_pool_release(&world->entities, slot);
    if (component != KNI_NONE && !owns && !world->is_broken) {
        kni_actor_avatar_changed(world, component);
    }
    if (has_cause) {
        kni_cause_end(world, previous);
    }
}
