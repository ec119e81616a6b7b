// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Memory of a cue player: tables of records that never move, and blocks for parameters.

#include "extra/cue_player.h"

#include <string.h>

// Tables --------------------------------------------------------------------

#define PAGE_RECORDS 64
#define FIRST_HEADS 64

bool kni_cue_map_init(kni_cue_map *map, const kn_hooks *hooks, uint32_t record_size)
{
    *map = (kni_cue_map){.record_size = record_size};
    map->heads = kn_memory_resize(hooks, NULL, 0, FIRST_HEADS * sizeof(uint32_t));
    if (map->heads == NULL) {
        return false;
    }
    memset(map->heads, 0, FIRST_HEADS * sizeof(uint32_t));
    map->head_count = FIRST_HEADS;
    return true;
}

void kni_cue_map_free(kni_cue_map *map, const kn_hooks *hooks)
{
    for (uint32_t i = 0; i < map->page_count; i++) {
        kn_memory_free(hooks, map->pages[i], (size_t)PAGE_RECORDS * map->record_size);
    }
    kn_memory_free(hooks, map->pages, map->page_capacity * sizeof(uint8_t *));
    kn_memory_free(hooks, map->heads, map->head_count * sizeof(uint32_t));
    *map = (kni_cue_map){0};
}

void *kni_cue_map_at(const kni_cue_map *map, uint32_t index)
{
    KN_ASSERT(index < map->used);
    return map->pages[index / PAGE_RECORDS] + (size_t)(index % PAGE_RECORDS) * map->record_size;
}

static kni_cue_link *map_link_at(const kni_cue_map *map, uint32_t index)
{
    return kni_cue_map_at(map, index);
}

static bool map_page_add(kni_cue_map *map, const kn_hooks *hooks)
{
    if (!kn_memory_grow(
            hooks, &map->pages, &map->page_capacity, map->page_count + 1, sizeof(uint8_t *))) {
        return false;
    }
    uint8_t *page = kn_memory_resize(hooks, NULL, 0, (size_t)PAGE_RECORDS * map->record_size);
    if (page == NULL) {
        return false;
    }
    map->pages[map->page_count++] = page;
    return true;
}

void *kni_cue_map_new(kni_cue_map *map, const kn_hooks *hooks)
{
    uint32_t index = map->free1 - 1;
    if (map->free1 != 0) {
        map->free1 = map_link_at(map, index)->next1;
    } else {
        if (map->used == map->page_count * PAGE_RECORDS && !map_page_add(map, hooks)) {
            return NULL;
        }
        index = map->used++;
    }
    kni_cue_link *record = map_link_at(map, index);
    memset(record, 0, map->record_size);
    record->index1 = index + 1;
    map->live++;
    return record;
}

void kni_cue_map_release(kni_cue_map *map, kni_cue_link *record)
{
    KN_ASSERT(record->index1 != 0);
    kni_cue_map_unlink(map, record);
    record->next1 = map->free1;
    map->free1 = record->index1;
    record->index1 = 0;
    map->live--;
}

// Without memory chains get longer, which does no harm.
static void map_spread(kni_cue_map *map, const kn_hooks *hooks)
{
    uint32_t old_count = map->head_count, count = old_count * 2;
    uint32_t *heads =
        kn_memory_resize(hooks, map->heads, old_count * sizeof(uint32_t), count * sizeof(uint32_t));
    if (heads == NULL) {
        return;
    }
    memset(heads, 0, count * sizeof(uint32_t));
    map->heads = heads;
    map->head_count = count;
    for (uint32_t i = 0; i < map->used; i++) {
        kni_cue_link *record = map_link_at(map, i);
        if (record->index1 != 0 && record->is_linked) {
            uint32_t *head = &heads[record->hash & (count - 1)];
            record->next1 = *head;
            *head = record->index1;
        }
    }
}

void kni_cue_map_link(kni_cue_map *map, const kn_hooks *hooks, kni_cue_link *record, uint64_t hash)
{
    if (map->live > map->head_count && map->head_count <= UINT32_MAX / 4) {
        map_spread(map, hooks);
    }
    record->hash = (uint32_t)(hash >> 32);
    record->is_linked = true;
    uint32_t *head = &map->heads[record->hash & (map->head_count - 1)];
    record->next1 = *head;
    *head = record->index1;
}

void kni_cue_map_unlink(kni_cue_map *map, kni_cue_link *record)
{
    if (!record->is_linked) {
        return;
    }
    uint32_t *place = &map->heads[record->hash & (map->head_count - 1)];
    while (*place != record->index1) {
        place = &map_link_at(map, *place - 1)->next1;
    }
    *place = record->next1;
    record->next1 = 0;
    record->is_linked = false;
}

void *kni_cue_map_next(const kni_cue_map *map, uint64_t hash, const kni_cue_link *record)
{
    uint32_t wanted = (uint32_t)(hash >> 32);
    uint32_t index1 = record != NULL ? record->next1 : map->heads[wanted & (map->head_count - 1)];
    while (index1 != 0) {
        kni_cue_link *found = map_link_at(map, index1 - 1);
        if (found->hash == wanted) {
            return found;
        }
        index1 = found->next1;
    }
    return NULL;
}

// Parameters ----------------------------------------------------------------

#define BLOCK_SIZE_MIN 256

static size_t block_size(uint32_t size_class)
{
    return (size_t)BLOCK_SIZE_MIN << size_class;
}

static size_t round_up(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static size_t payload_size(const kn_library *library, const kn_cue_params *params)
{
    if (params->payload == NULL || params->payload_type.index1 == 0) {
        return 0;
    }
    return kn_context_type_size(library, params->payload_type);
}

static kni_cue_block *block_take(kni_cue_blocks *blocks, const kn_hooks *hooks, size_t size)
{
    uint32_t size_class = 0;
    while (size_class < KNI_CUE_CLASSES && block_size(size_class) < size) {
        size_class++;
    }
    if (size_class == KNI_CUE_CLASSES) {
        return NULL;
    }
    kni_cue_block *block = blocks->free[size_class];
    if (block != NULL) {
        blocks->free[size_class] = block->next;
    } else {
        block = kn_memory_resize(hooks, NULL, 0, block_size(size_class));
    }
    if (block != NULL) {
        block->next = NULL;
        block->size_class = size_class;
    }
    return block;
}

static kn_tags tags_copy(uint8_t *at, kn_tags tags)
{
    if (tags.count > 0) {
        memcpy(at, tags.data, tags.count * sizeof(kn_tag));
    }
    return (kn_tags){tags.count > 0 ? (const kn_tag *)(const void *)at : NULL, tags.count};
}

kni_cue_block *kni_cue_block_new(kni_cue_blocks *blocks, const kn_hooks *hooks,
    const kn_library *library, const kn_cue_params *params)
{
    size_t source = round_up(sizeof(kni_cue_block));
    size_t target = source + params->source_tags.count * sizeof(kn_tag);
    size_t payload = round_up(target + params->target_tags.count * sizeof(kn_tag));
    size_t size = payload_size(library, params);
    size_t targets = round_up(payload + size);
    kni_cue_block *block = block_take(blocks, hooks, targets + params->targets.size);
    if (block == NULL) {
        return NULL;
    }
    uint8_t *bytes = (uint8_t *)block;
    block->params = *params;
    block->params.source_tags = tags_copy(bytes + source, params->source_tags);
    block->params.target_tags = tags_copy(bytes + target, params->target_tags);
    block->params.payload = NULL;
    if (size > 0) {
        block->params.payload = memcpy(bytes + payload, params->payload, size);
    }
    if (params->targets.size > 0) {
        block->params.targets.data =
            memcpy(bytes + targets, params->targets.data, params->targets.size);
    }
    return block;
}

void kni_cue_block_release(kni_cue_blocks *blocks, kni_cue_block *block)
{
    if (block != NULL) {
        block->next = blocks->free[block->size_class];
        blocks->free[block->size_class] = block;
    }
}

void kni_cue_blocks_free(kni_cue_blocks *blocks, const kn_hooks *hooks)
{
    for (uint32_t i = 0; i < KNI_CUE_CLASSES; i++) {
        while (blocks->free[i] != NULL) {
            kni_cue_block *block = blocks->free[i];
            blocks->free[i] = block->next;
            kn_memory_free(hooks, block, block_size(i));
        }
    }
}
