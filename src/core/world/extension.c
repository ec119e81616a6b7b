// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Extension components: plain data that kits and games attach to entities, or to the world. Each
// type has a pool of records, a head followed by the struct, and a table from entity slots to
// records.

#include "world/world.h"

_Static_assert(sizeof(kni_extension_head) % 8 == 0, "the struct after the head is aligned");

static uint32_t extension_count(const kn_world *world)
{
    return world->library->registries[KN_DEF_COMPONENT].count;
}

static const kn_component_def *extension_def(const kn_world *world, uint32_t index)
{
    return &KNI_ITEM(world->library, KN_DEF_COMPONENT, const kni_component_type, index)->def;
}

bool kni_extensions_init(kn_world *world)
{
    uint32_t count = extension_count(world);
    if (count == 0) {
        return true;
    }
    world->extensions = kni_realloc(&world->memory, NULL, 0, count * sizeof(kni_extension));
    if (world->extensions == NULL) {
        return false;
    }
    memset(world->extensions, 0, count * sizeof(kni_extension));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t size = (extension_def(world, i)->size + 7) & ~UINT32_C(7);
        kni_pool_init(&world->extensions[i].pool, (uint32_t)sizeof(kni_extension_head) + size);
    }
    return true;
}

void kni_extensions_free(kn_world *world)
{
    if (world->extensions == NULL) {
        return;
    }
    uint32_t count = extension_count(world);
    for (uint32_t i = 0; i < count; i++) {
        kni_extension *extension = &world->extensions[i];
        kni_pool_free(&extension->pool, &world->memory);
        kni_free(&world->memory, extension->by_entity,
            extension->by_entity_capacity * sizeof(*extension->by_entity));
        kni_free(&world->memory, extension->changed,
            extension->changed_capacity * sizeof(*extension->changed));
    }
    kni_free(&world->memory, world->extensions, count * sizeof(kni_extension));
    world->extensions = NULL;
}

void kni_extensions_replaced(kn_world *world, const kn_world *old)
{
    // Types may have other numbers in a new library, so every counter continues from the highest.
    uint64_t changes = 0, removals = 0;
    for (uint32_t i = 0; i < extension_count(old); i++) {
        const kni_extension *extension = &old->extensions[i];
        changes = extension->changes > changes ? extension->changes : changes;
        removals = extension->removals > removals ? extension->removals : removals;
    }
    for (uint32_t i = 0; i < extension_count(world); i++) {
        world->extensions[i].changes = changes + 1;
        world->extensions[i].replaced = changes + 1;
        world->extensions[i].removals = removals;
    }
}

// Followers ---------------------------------------------------------------

#define CHANGED_FIRST 64

void kni_extension_follow(kn_world *world, uint32_t type)
{
    kni_extension *extension = &world->extensions[type];
    uint32_t wanted = CHANGED_FIRST;
    while (wanted < extension->pool.count && wanted < KNI_POOL_MAX) {
        wanted *= 2;
    }
    if (wanted <= extension->changed_capacity) {
        return;
    }
    uint32_t *changed = kni_realloc(&world->memory, NULL, 0, wanted * sizeof(*changed));
    if (changed == NULL) {
        return; // followers look at everybody
    }
    kni_free(&world->memory, extension->changed,
        extension->changed_capacity * sizeof(*extension->changed));
    extension->changed = changed;
    extension->changed_capacity = wanted;
    extension->replaced = extension->changes; // what was in the list is not any more
}

// Notes that the component of an entity may change now.
static void extension_note(kni_extension *extension, uint32_t entity_slot)
{
    if (extension->changed == NULL) {
        extension->replaced = ++extension->changes;
        return;
    }
    extension->changed[extension->changes++ & (extension->changed_capacity - 1)] = entity_slot;
}

// Access ------------------------------------------------------------------

// The components of a type, or NULL if it is not registered.
static kni_extension *extension_of(const kn_world *world, kn_component_type_id type)
{
    if (world == NULL || type.index1 == 0 || type.index1 > extension_count(world)) {
        KN_ASSERT(world != NULL && type.index1 != 0);
        return NULL;
    }
    return &world->extensions[type.index1 - 1];
}

static kni_extension_head *head_at(const kni_extension *extension, uint32_t slot)
{
    return kni_pool_at(&extension->pool, slot);
}

// The record of an entity, or of the world for the null id; NULL when there is none.
static kni_extension_head *head_find(
    const kn_world *world, const kni_extension *extension, kn_entity_id entity)
{
    uint32_t slot1 = extension->world_slot1;
    if (entity.index1 != 0) {
        uint32_t slot = kni_entity_find(world, entity);
        slot1 = slot < extension->by_entity_capacity ? extension->by_entity[slot] : 0;
    }
    return slot1 != 0 ? head_at(extension, slot1 - 1) : NULL;
}

static bool by_entity_reserve(kn_world *world, kni_extension *extension, uint32_t count)
{
    uint32_t old = extension->by_entity_capacity;
    if (!kni_grow(&world->memory, &extension->by_entity, &extension->by_entity_capacity, count,
            sizeof(*extension->by_entity))) {
        return false;
    }
    if (extension->by_entity_capacity > old) {
        memset(extension->by_entity + old, 0,
            (extension->by_entity_capacity - old) * sizeof(*extension->by_entity));
    }
    return true;
}

// Out of memory: inside the simulation this breaks the world, as everywhere; outside nothing
// changed.
static void *extension_no_memory(kn_world *world)
{
    if (world->depth > 0) {
        kni_break(world);
    }
    return NULL;
}

void *kn_component_add(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    kni_extension *extension = extension_of(world, type);
    if (extension == NULL || world->is_broken) {
        return NULL;
    }
    uint32_t entity_slot = kni_entity_find(world, entity);
    kni_extension_head *head = head_find(world, extension, entity);
    if (head != NULL) {
        if (entity_slot != KNI_NONE) {
            extension_note(extension, entity_slot);
        }
        return head + 1;
    }
    if (entity.index1 != 0 && entity_slot == KNI_NONE) {
        return NULL;
    }
    if (entity.index1 != 0 && !by_entity_reserve(world, extension, entity_slot + 1)) {
        return extension_no_memory(world);
    }
    uint32_t slot = kni_pool_acquire(&extension->pool, &world->memory);
    if (slot == KNI_NONE) {
        return extension_no_memory(world);
    }
    head = head_at(extension, slot);
    head->entity = entity;
    if (entity.index1 == 0) {
        head->entity = (kn_entity_id){0};
        extension->world_slot1 = slot + 1;
    } else {
        extension->by_entity[entity_slot] = slot + 1;
        extension_note(extension, entity_slot);
    }
    return head + 1;
}

static void extension_release(kn_world *world, uint32_t index, uint32_t *slot1)
{
    kni_extension *extension = &world->extensions[index];
    kni_extension_head *head = head_at(extension, *slot1 - 1);
    if (head->entity.index1 != 0) {
        extension_note(extension, head->entity.index1 - 1);
    }
    kni_span_clear(&world->heap, &head->items, extension_def(world, index)->item_size);
    kni_pool_release(&extension->pool, *slot1 - 1);
    extension->removals++;
    *slot1 = 0;
}

bool kn_component_remove(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    kni_extension *extension = extension_of(world, type);
    if (extension == NULL || world->is_broken || head_find(world, extension, entity) == NULL) {
        return false;
    }
    uint32_t *slot1 = entity.index1 == 0 ? &extension->world_slot1
                                         : &extension->by_entity[kni_entity_find(world, entity)];
    extension_release(world, type.index1 - 1, slot1);
    return true;
}

void kni_extensions_remove(kn_world *world, uint32_t entity_slot)
{
    uint32_t count = extension_count(world);
    for (uint32_t i = 0; i < count; i++) {
        kni_extension *extension = &world->extensions[i];
        if (entity_slot < extension->by_entity_capacity && extension->by_entity[entity_slot] != 0) {
            extension_release(world, i, &extension->by_entity[entity_slot]);
        }
    }
}

void *kn_component_get(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    kni_extension *extension = extension_of(world, type);
    if (extension == NULL) {
        return NULL;
    }
    kni_extension_head *head = head_find(world, extension, entity);
    if (head != NULL && entity.index1 != 0) {
        extension_note(extension, entity.index1 - 1);
    }
    return head != NULL ? head + 1 : NULL;
}

const void *kn_component_read(const kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    const kni_extension *extension = extension_of(world, type);
    const kni_extension_head *head = extension != NULL ? head_find(world, extension, entity) : NULL;
    return head != NULL ? head + 1 : NULL;
}

void *kn_component_resize(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t count)
{
    const kni_extension *extension = extension_of(world, type);
    if (extension == NULL || world->is_broken) {
        return NULL;
    }
    uint32_t size = extension_def(world, type.index1 - 1)->item_size;
    KN_ASSERT(size > 0);
    kni_extension_head *head = head_find(world, extension, entity);
    if (size == 0 || head == NULL) {
        return NULL;
    }
    if (count == 0) {
        kni_span_clear(&world->heap, &head->items, size);
        return NULL;
    }
    kni_span *items = &head->items; // stays valid: only the heap may move
    if (!kni_span_reserve(&world->heap, &world->memory, items, count, size)) {
        return extension_no_memory(world);
    }
    if (count > items->count) {
        memset(kni_span_at(&world->heap, items, items->count, size), 0,
            (size_t)(count - items->count) * size);
    }
    items->count = count;
    return kni_span_at(&world->heap, items, 0, size);
}

// The items of a component and their number; NULL if there is none.
static void *items_find(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count)
{
    const kni_extension *extension = extension_of(world, type);
    kni_extension_head *head = extension != NULL ? head_find(world, extension, entity) : NULL;
    uint32_t length = head != NULL ? head->items.count : 0;
    if (count != NULL) {
        *count = length;
    }
    return length == 0 ? NULL : kni_heap_at(&world->heap, head->items.ref);
}

void *kn_component_items(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count)
{
    return items_find(world, type, entity, count);
}

const void *kn_component_read_items(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count)
{
    return items_find(world, type, entity, count);
}

kn_entity_id kn_component_next(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    const kni_extension *extension = extension_of(world, type);
    uint32_t end = extension != NULL ? extension->by_entity_capacity : 0;
    for (uint32_t slot = entity.index1; slot < end; slot++) {
        if (extension->by_entity[slot] != 0) {
            return kni_entity_id_of(world, slot);
        }
    }
    return (kn_entity_id){0};
}
