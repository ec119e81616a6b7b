// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What is derived from the records of actors, rebuilt after a save was read: lists, watchers and
// timers, in order of creation.

#include "store/store.h"

static bool slot_push(kn_world *world, kni_span *span, uint32_t slot)
{
    uint32_t *place = kni_span_push(&world->heap, &world->memory, span, sizeof(uint32_t));
    if (place != NULL) {
        *place = slot;
    }
    return place != NULL;
}

static bool ability_restore(kn_world *world, uint32_t slot)
{
    uint32_t component = kni_ability_at(world, slot)->component;
    kni_ability_at(world, slot)->status_version = kni_component_at(world, component)->version - 1;
    bool is_plain = (kni_type_of_ability(world, slot)->flags & KNI_ABILITY_PLAIN_COST) != 0;
    bool ok = slot_push(world, &kni_actor_of(world, component)->abilities, slot) &&
              (is_plain || kni_slots_add(&world->heap, &world->memory, &world->priced, slot));
    if (ok) {
        kni_triggers_watch(world, slot);
    }
    return ok;
}

static bool activation_restore(kn_world *world, uint32_t slot)
{
    const kni_activation *activation = kni_activation_at(world, slot);
    const kni_ability *ability = kni_ability_at(world, activation->ability);
    kn_tags blocks = kni_ability_type_at(world->library, ability->type)->def.block_with;
    if ((activation->flags & KNI_ACTIVATION_BLOCKS) != 0) {
        for (uint32_t i = 0; i < blocks.count; i++) {
            kni_blocked_change(world, ability->component, blocks.data[i].index1, 1);
        }
    }
    return slot_push(world, &kni_actor_of(world, ability->component)->activations, slot);
}

static bool charge_restore(kn_world *world, uint32_t slot)
{
    const kni_charge *charge = kni_charge_at(world, slot);
    kni_actor *actor = kni_actor_of(world, charge->component);
    actor->rate_count += charge->rate != 0;
    kni_charge_schedule(world, slot);
    return slot_push(world, &actor->charges, slot);
}

static bool cue_restore(kn_world *world, uint32_t slot)
{
    const kni_cue *cue = kni_cue_at(world, slot);
    uint32_t activation = kni_activation_find(world, cue->activation);
    return slot_push(world, &kni_actor_of(world, cue->component)->cues, slot) &&
           (activation == KNI_NONE ||
               slot_push(world, &kni_activation_at(world, activation)->cues, slot));
}

static bool task_restore(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_TARGET &&
        !kni_slots_add(&world->heap, &world->memory, &world->targeting_tasks, slot)) {
        return false;
    }
    if ((task->flags & KNI_TASK_STARTED) == 0) {
        world->unstarted_tasks++;
    } else {
        kni_task_rewatch(world, slot);
        task = kni_task_at(world, slot);
        if (kni_task_due(task) != KN_TIME_INFINITE) {
            kni_timer_add(world, kni_task_due(task), task->number, slot, KNI_TIMER_TASK);
        }
    }
    return slot_push(world, &kni_activation_at(world, task->activation)->tasks, slot);
}

static bool watch_restore(kn_world *world, uint32_t slot)
{
    if (!kni_watches_reserve(world, world->entities.used)) {
        return false;
    }
    kni_watch_link(world, slot);
    const kni_watch *watch = kni_pool_at(&world->watches, slot);
    uint32_t component = kni_component_find(world, watch->entity);
    if (component != KNI_NONE) {
        kni_followed_update(world, component);
    }
    return true;
}

static bool tag_block_restore(kn_world *world, uint32_t slot)
{
    if (!kni_tag_blocks_reserve(world, world->entities.used)) {
        return false;
    }
    kni_tag_block_link(world, slot);
    const kni_tag_block *block = kni_tag_block_at(world, slot);
    kni_blocked_change(world, kni_component_find(world, block->entity), block->tag, 1);
    return true;
}

kn_result kni_rebuild_actors(kn_world *world)
{
    typedef bool restore_fn(kn_world * world, uint32_t slot);
    static restore_fn *const restore[] = {ability_restore, activation_restore, charge_restore,
        task_restore, cue_restore, watch_restore, tag_block_restore};
    const kni_pool *pools[] = {&world->abilities, &world->activations, &world->charges,
        &world->tasks, &world->cues, &world->watches, &world->tag_blocks};
    kn_result result = KN_OK;
    for (uint32_t p = 0; p < sizeof(restore) / sizeof(*restore) && result == KN_OK; p++) {
        kni_sort_item *items;
        if (!kni_rebuild_order(world, pools[p], &items)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        for (uint32_t i = 0; i < pools[p]->count && result == KN_OK; i++) {
            if (i > 0 && items[i].key == items[i - 1].key) {
                result = KN_ERROR_BAD_DATA;
            } else if (!restore[p](world, items[i].value) || world->is_broken) {
                result = KN_ERROR_OUT_OF_MEMORY;
            }
        }
        kni_free(&world->memory, items, pools[p]->count * sizeof(*items));
    }
    KNI_POOL_EACH(i, &world->actors) {
        kni_watch_flag_update(world, kni_actor_at(world, i));
    }
    return result;
}
