// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Owners: effects of an owner that act on everything it owns.

#include "effect/effect.h"

// The next effect of a component, from *index on, that acts on everything its entity owns; KNI_NONE
// at the end. Moves *index behind it.
static uint32_t owner_effect_next(const kn_world *world, uint32_t component, uint32_t *index)
{
    if (component == KNI_NONE || kni_component_at(world, component)->owned_count == 0) {
        return KNI_NONE;
    }
    const kni_span *effects = &kni_component_at(world, component)->effects;
    while (*index < effects->count) {
        uint32_t slot = *KNI_SPAN_AT(world, *effects, uint32_t, (*index)++);
        const kni_effect *effect = kni_effect_at(world, slot);
        if ((kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWNED) != 0 &&
            (effect->flags & KNI_ACTIVE_ATTACHED) != 0) {
            return slot;
        }
    }
    return KNI_NONE;
}

void kni_owner_effects_detach(kn_world *world, kn_entity_id owner, uint32_t component)
{
    uint32_t from = kni_component_find(world, owner), index = 0, slot;
    while ((slot = owner_effect_next(world, from, &index)) != KNI_NONE) {
        kni_modifiers_detach(world, slot, component);
    }
}

// Effects of the old owner stop acting on a component and those of the new one begin. Its values
// are evaluated once everything is in place, each once.
static void owner_replace(
    kn_world *world, uint32_t component, kn_entity_id old_owner, kn_entity_id owner)
{
    kni_positions *noted = &world->noted;
    noted->count = 0;
    uint32_t from = kni_component_find(world, old_owner), index = 0, slot;
    while ((slot = owner_effect_next(world, from, &index)) != KNI_NONE) {
        kni_modifiers_unlink(world, slot, component, noted);
    }
    kni_owned_remove(world, component);
    kni_component_at(world, component)->owner = owner;
    kni_mark(world, component, KN_PART_ENTITY);
    kni_owned_add(world, component);
    from = kni_component_find(world, owner);
    index = 0;
    while ((slot = owner_effect_next(world, from, &index)) != KNI_NONE) {
        kni_modifiers_link(world, slot, component, noted);
    }
    for (uint32_t i = 0; i < noted->count && !world->is_broken; i++) {
        kni_current_update(world, component, noted->data[i], KNI_NONE);
    }
}

static kn_result set_owner(kn_world *world, kn_entity_id entity, kn_entity_id owner)
{
    if (kni_is_held(world)) {
        return kni_relation_postpone(world, KNI_CALL_OWNER, entity, owner);
    }
    uint32_t component, owner_component = KNI_NONE;
    kn_result result = kni_component_own(world, entity, &component);
    if (result == KN_OK && owner.index1 != 0) {
        result = kni_component_own(world, owner, &owner_component);
    }
    if (result != KN_OK) {
        return result;
    }
    if (owner.index1 != 0) {
        owner = kni_component_entity(world, owner_component); // of an avatar: its owner
    }
    kn_entity_id old = kni_component_at(world, component)->owner;
    if (kn_entity_id_equal(old, owner)) {
        return KN_OK;
    }
    owner_replace(world, component, old, owner);
    if (kni_wants(world, KN_EVENT_OWNER_CHANGED)) {
        kn_event *event = kni_emit(world, KN_EVENT_OWNER_CHANGED, entity);
        event->data.avatar.avatar = owner;
        event->data.avatar.old_avatar = old;
    }
    kn_reaction reaction = {.trigger = KN_TRIGGER_OWNER_CHANGED,
        .entity = kni_component_entity(world, component),
        .other = owner,
        .old_other = old};
    kni_react_all(world, component, &reaction);
    return KN_OK;
}

kn_result kn_entity_set_owner(kn_world *world, kn_entity_id entity, kn_entity_id owner)
{
    kn_result result = kni_enter(world);
    return result != KN_OK ? result : kni_leave(world, set_owner(world, entity, owner));
}

kn_entity_id kn_entity_owner(const kn_world *world, kn_entity_id entity)
{
    uint32_t component = kni_component_find(world, entity);
    return component == KNI_NONE ? (kn_entity_id){0} : kni_component_at(world, component)->owner;
}
