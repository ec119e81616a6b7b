// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Blocks on ability tags that somebody outside of abilities and effects puts on an entity. Each is
// a record of one tag, with its source and key; it is in the list of the entity it is on and in
// that of its source, both in order of creation. What is blocked at all is counted together with
// the blocks of abilities and effects, see kni_blocked_change().

#include "world/world.h"

// Lists -----------------------------------------------------------------------

bool kni_tag_blocks_reserve(kn_world *world, uint32_t entities)
{
    uint32_t old = world->tag_block_list_capacity;
    if (!kni_grow(&world->memory, &world->tag_block_lists, &world->tag_block_list_capacity,
            entities + 1, sizeof(*world->tag_block_lists))) {
        return false;
    }
    if (world->tag_block_list_capacity > old) {
        memset(world->tag_block_lists + old, 0,
            (world->tag_block_list_capacity - old) * sizeof(*world->tag_block_lists));
    }
    return true;
}

void kni_tag_block_link(kn_world *world, uint32_t slot)
{
    kni_tag_block *block = kni_tag_block_at(world, slot);
    kni_tag_block_list *list = &world->tag_block_lists[block->entity.index1];
    block->next1 = 0;
    block->back1 = list->last1;
    *(list->last1 != 0 ? &kni_tag_block_at(world, list->last1 - 1)->next1 : &list->first1) =
        slot + 1;
    list->last1 = slot + 1;
    if (block->source.index1 != 0) {
        list = &world->tag_block_lists[block->source.index1];
        block->by_next1 = 0;
        block->by_back1 = list->by_last1;
        *(list->by_last1 != 0 ? &kni_tag_block_at(world, list->by_last1 - 1)->by_next1
                              : &list->by_first1) = slot + 1;
        list->by_last1 = slot + 1;
    }
}

void kni_tag_blocks_clear(kn_world *world)
{
    if (world->tag_block_list_capacity > 0) {
        memset(world->tag_block_lists, 0,
            world->tag_block_list_capacity * sizeof(*world->tag_block_lists));
    }
}

void kni_tag_blocks_link_all(kn_world *world)
{
    kni_tag_blocks_clear(world);
    // The records of a snapshot have their neighbours; only the ends are missing.
    KNI_POOL_EACH(slot, &world->tag_blocks) {
        const kni_tag_block *block = kni_tag_block_at(world, slot);
        kni_tag_block_list *list = &world->tag_block_lists[block->entity.index1];
        list->first1 = block->back1 == 0 ? slot + 1 : list->first1;
        list->last1 = block->next1 == 0 ? slot + 1 : list->last1;
        if (block->source.index1 != 0) {
            list = &world->tag_block_lists[block->source.index1];
            list->by_first1 = block->by_back1 == 0 ? slot + 1 : list->by_first1;
            list->by_last1 = block->by_next1 == 0 ? slot + 1 : list->by_last1;
        }
    }
}

uint32_t kni_tag_block_first1(const kn_world *world, uint32_t component)
{
    uint32_t index1 = kni_component_at(world, component)->entity + 1;
    return index1 < world->tag_block_list_capacity ? world->tag_block_lists[index1].first1 : 0;
}

static void block_release(kn_world *world, uint32_t slot)
{
    kni_tag_block block = *kni_tag_block_at(world, slot);
    kni_mark_entity(world, block.entity, KN_PART_ABILITIES);
    kni_tag_block_list *list = &world->tag_block_lists[block.entity.index1];
    *(block.back1 != 0 ? &kni_tag_block_at(world, block.back1 - 1)->next1 : &list->first1) =
        block.next1;
    *(block.next1 != 0 ? &kni_tag_block_at(world, block.next1 - 1)->back1 : &list->last1) =
        block.back1;
    if (block.source.index1 != 0) {
        list = &world->tag_block_lists[block.source.index1];
        *(block.by_back1 != 0 ? &kni_tag_block_at(world, block.by_back1 - 1)->by_next1
                              : &list->by_first1) = block.by_next1;
        *(block.by_next1 != 0 ? &kni_tag_block_at(world, block.by_next1 - 1)->by_back1
                              : &list->by_last1) = block.by_back1;
    }
    kni_pool_release(&world->tag_blocks, slot);
    kni_blocked_change(world, kni_component_find(world, block.entity), block.tag, -1);
}

void kni_tag_blocks_remove(kn_world *world, kn_entity_id entity)
{
    if (entity.index1 >= world->tag_block_list_capacity) {
        return;
    }
    while (world->tag_block_lists[entity.index1].first1 != 0) {
        block_release(world, world->tag_block_lists[entity.index1].first1 - 1);
    }
    while (world->tag_block_lists[entity.index1].by_first1 != 0) {
        block_release(world, world->tag_block_lists[entity.index1].by_first1 - 1);
    }
}

// Calls -----------------------------------------------------------------------

static kn_result block_check(
    const kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id source)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (tags.data[i].index1 == 0 || tags.data[i].index1 > kn_tag_count(world->library)) {
            KN_ASSERT(tags.data[i].index1 != 0);
            return KN_ERROR_INVALID_ARGUMENT;
        }
    }
    bool is_there = kni_entity_find(world, entity) != KNI_NONE &&
                    (source.index1 == 0 || kni_entity_find(world, source) != KNI_NONE);
    return is_there ? KN_OK : KN_REFUSED_STALE_ID;
}

// Slot of the next block by a source and key from `at1` on, of one tag or, if it is 0, any.
static uint32_t block_next(
    const kn_world *world, uint32_t at1, kn_entity_id source, uint64_t key, uint32_t tag)
{
    while (at1 != 0) {
        const kni_tag_block *block = kni_tag_block_at(world, at1 - 1);
        if (block->key == key && kn_entity_id_equal(block->source, source) &&
            (tag == 0 || block->tag == tag)) {
            break;
        }
        at1 = block->next1;
    }
    return at1 - 1;
}

kn_result kn_abilities_block(
    kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id source, uint64_t key)
{
    if (world == NULL || tags.count == 0) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = block_check(world, entity, tags, source);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t component = kni_component_ensure(world, kni_entity_find(world, entity));
    if (component == KNI_NONE || !kni_tag_blocks_reserve(world, world->entities.used) ||
        !kni_pool_reserve(
            &world->tag_blocks, &world->memory, world->tag_blocks.used + tags.count)) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    if ((kni_component_at(world, component)->flags & KNI_COMPONENT_DYING) != 0) {
        return kni_leave(world, KN_REFUSED_DYING);
    }
    for (uint32_t i = 0; i < tags.count && !world->is_broken; i++) {
        uint32_t tag = tags.data[i].index1;
        uint32_t first1 = kni_tag_block_first1(world, component);
        if (block_next(world, first1, source, key, tag) != KNI_NONE) {
            continue;
        }
        uint32_t slot = kni_pool_acquire(&world->tag_blocks, &world->memory);
        KN_ASSERT(slot != KNI_NONE);
        kni_tag_block *block = kni_tag_block_at(world, slot);
        block->number = kni_number_next(world);
        block->entity = kni_component_entity(world, component);
        block->source = source;
        block->key = key;
        block->tag = tag;
        kni_tag_block_link(world, slot);
        kni_mark_entity(world, block->entity, KN_PART_ABILITIES);
        kni_blocked_change(world, component, tag, 1);
    }
    return kni_leave(world, KN_OK);
}

kn_result kn_abilities_unblock(
    kn_world *world, kn_entity_id entity, kn_tags tags, kn_entity_id source, uint64_t key)
{
    if (world == NULL) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = block_check(world, entity, tags, source);
    if (result == KN_OK) {
        result = kni_enter(world);
    }
    if (result != KN_OK) {
        return result;
    }
    uint32_t component = kni_component_find(world, entity);
    result = KN_REFUSED_NOT_FOUND;
    uint32_t lists = component == KNI_NONE ? 0 : tags.count > 0 ? tags.count : 1;
    for (uint32_t i = 0; i < lists; i++) {
        uint32_t tag = tags.count > 0 ? tags.data[i].index1 : 0;
        uint32_t slot;
        while ((slot = block_next(
                    world, kni_tag_block_first1(world, component), source, key, tag)) != KNI_NONE) {
            block_release(world, slot);
            result = KN_OK;
        }
    }
    return kni_leave(world, result);
}
