// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What is derived from the rest of the state, rebuilt after a save was read: tag counts of
// effects, lists of effects, modifier lists, dependents, timers. All in order of creation, so that
// everything stands as it stood.

#include "store/store.h"

// What is derived -----------------------------------------------------------

// Counts a tag as the API would. Nothing is published, and no effect follows.
bool kni_rebuild_tag(
    kn_world *world, uint32_t component, uint32_t tag, kn_tag_origin origin, uint32_t count)
{
    for (uint32_t at = component; at != KNI_NONE;
         at = kni_component_find(world, kni_component_at(world, at)->parent)) {
        if (count > INT32_MAX - kni_tag_count_exact(world, at, tag)) {
            return false;
        }
    }
    KN_ASSERT(world->depth == 0 && count > 0);
    kni_tag_change(world, component, tag, origin, (int32_t)count);
    world->reaction_count = 0;
    return true;
}

static bool effect_tags_restore(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((effect->flags & KNI_ACTIVE_ATTACHED) == 0) {
        return true;
    }
    for (uint32_t i = 0; i < type->granted_count; i++) {
        if (!kni_rebuild_tag(
                world, effect->component, type->granted[i].index1, KN_TAG_ORIGIN_EFFECT, 1)) {
            return false;
        }
    }
    uint32_t granted = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1)->granted.count : 0;
    for (uint32_t i = 0; i < granted; i++) {
        uint32_t tag = *KNI_SPAN_AT(world, kni_rare_at(world, effect->rare1)->granted, uint32_t, i);
        if (!kni_rebuild_tag(world, effect->component, tag, KN_TAG_ORIGIN_EFFECT, 1)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < type->def.blocked_ability_tags.count; i++) {
        kni_blocked_change(
            world, effect->component, type->def.blocked_ability_tags.data[i].index1, 1);
    }
    return true;
}

static bool effect_list_restore(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kni_component *component = kni_component_at(world, effect->component);
    uint32_t *place =
        kni_span_push(&world->heap, &world->memory, &component->effects, sizeof(uint32_t));
    if (place == NULL) {
        return false;
    }
    *place = slot;
    if ((type->flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL | KNI_EFFECT_CONTINUOUS)) != 0) {
        component->watch_count++;
    }
    if ((effect->flags & KNI_ACTIVE_ATTACHED) != 0) {
        component->gate_count += (type->flags & KNI_EFFECT_GATES) != 0;
        component->owned_count += (type->flags & KNI_EFFECT_OWNED) != 0;
        component->edit_count += (type->flags & KNI_EFFECT_EDITS) != 0;
    }
    return true;
}

// Puts an effect's modifiers into the lists of one component. Effects come in order of creation, so
// each goes to the end. Current values are loaded as they were, so nothing is evaluated.
static bool modifiers_restore(kn_world *world, uint32_t slot, uint32_t component)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        uint32_t list;
        if (modifier->attribute == KNI_NONE) {
            list = kni_transient_ensure(world, component, modifier->value);
        } else {
            uint32_t position = kni_position_keyed(
                world, kni_component_at(world, component), modifier->attribute, modifier->key);
            if (position == KNI_NONE) {
                continue; // it waits for its attribute
            }
            list = kni_aggregator_ensure(world, component, position);
        }
        kni_mod *place = list == KNI_NONE
                             ? NULL
                             : kni_span_push(&world->heap, &world->memory,
                                   &kni_aggregator_at(world, list)->mods, sizeof(kni_mod));
        if (place == NULL) {
            return false;
        }
        *place = kni_modifier_entry(world, slot, i, component);
    }
    return true;
}

static bool effect_modifiers_restore(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((effect->flags & KNI_ACTIVE_ATTACHED) == 0 || type->modifier_count == 0 ||
        (type->flags & KNI_EFFECT_PERIODIC) != 0) {
        return true;
    }
    if ((type->flags & KNI_EFFECT_OWNED) == 0) {
        return modifiers_restore(world, slot, effect->component);
    }
    uint32_t owner = effect->component;
    for (uint32_t i = kni_owned_next(world, owner, 0); i != KNI_NONE;
         i = kni_owned_next(world, owner, i + 1)) {
        if (kni_component_meets(world, i, &type->def.owned) && !modifiers_restore(world, slot, i)) {
            return false;
        }
    }
    return true;
}

static void effect_timers_restore(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if (effect->next_tick != KN_TIME_INFINITE) {
        kni_timer_add(world, effect->next_tick, effect->number, slot, KNI_TIMER_TICK);
    }
    kni_effect_schedule_end(world, slot);
}

bool kni_rebuild_order(kn_world *world, const kni_pool *pool, kni_sort_item **items)
{
    *items = NULL;
    if (pool->count == 0) {
        return true;
    }
    *items = kni_realloc(&world->memory, NULL, 0, pool->count * sizeof(**items));
    if (*items == NULL) {
        return false;
    }
    uint32_t count = 0;
    KNI_POOL_EACH(i, pool) {
        memset(&(*items)[count], 0, sizeof(**items));
        memcpy(&(*items)[count].key, kni_pool_at(pool, i), sizeof(uint64_t));
        (*items)[count++].value = i;
    }
    kni_sort_by_key(*items, sizeof(**items), count);
    return true;
}

static kn_result world_rebuild(kn_world *world, const kni_sort_item *effects, uint32_t count)
{
    for (uint32_t i = 0; i < count && !world->is_broken; i++) {
        if (i > 0 && effects[i].key == effects[i - 1].key) {
            return KN_ERROR_BAD_DATA;
        }
        if (!effect_tags_restore(world, effects[i].value)) {
            return KN_ERROR_BAD_DATA;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!effect_list_restore(world, effects[i].value)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    KNI_POOL_EACH(i, &world->components) {
        kni_component_link(world, i);
        kni_owned_add(world, i);
        // Nothing is published: what effects made of the tags they saw is in the save.
        if (kni_component_at(world, i)->edit_count > 0) {
            uint64_t *bits = world->tag_bits + (size_t)i * world->tag_words;
            kni_tags_shown(world, i, world->tag_scratch, bits);
        }
    }
    // Everybody's tags and lists are there: requirements of modifiers can be judged.
    kni_wheel_reset(&world->wheel, world->now);
    for (uint32_t i = 0; i < count && !world->is_broken; i++) {
        uint32_t slot = effects[i].value;
        kni_captures_register(world, slot, true);
        if (!effect_modifiers_restore(world, slot)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        effect_timers_restore(world, slot);
    }
    if (!kni_timers_reserve(world, world->timers.count > 0 ? world->entities.used : 0)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kni_timers_link_all(world);
    if (!kni_commands_reserve(world, world->commands.count)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kni_commands_order_all(world);
    for (uint32_t i = kni_pool_next(&world->timers, 0); i != KNI_NONE && !world->is_broken;
         i = kni_pool_next(&world->timers, i + 1)) {
        const kni_rule_timer *timer = kni_pool_at(&world->timers, i);
        kni_timer_add(world, timer->time, timer->number, i, KNI_TIMER_RULE);
    }
    return world->is_broken ? KN_ERROR_OUT_OF_MEMORY : kni_rebuild_actors(world);
}

kn_result kni_rebuild(kn_world *world)
{
    kni_sort_item *effects;
    if (!kni_rebuild_order(world, &world->effects, &effects)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint32_t count = world->effects.count;
    kn_result result = world_rebuild(world, effects, count);
    kni_free(&world->memory, effects, count * sizeof(*effects));
    return result;
}
