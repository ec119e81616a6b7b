// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Extension components: plain data that kits and games attach to entities, or to the world. Each
// type has a pool of records, a head followed by the struct, and a table from entity slots to
// records. Records of a type with `several` that belong to one entity are a list by creation, whose
// first one is in the table; which slot they have is state, since it is in their ids.

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
        world->extensions[i].is_several = extension_def(world, i)->several;
        world->extensions[i].is_private = extension_def(world, i)->sync == KN_SYNC_NONE;
        kni_pool_init(&world->extensions[i].pool, (uint32_t)sizeof(kni_extension_head) + size);
    }
    return true;
}

void kni_extensions_free(kn_world *world)
{
    kni_free(
        &world->memory, world->referrers, world->referrer_capacity * sizeof(*world->referrers));
    world->referrers = NULL;
    world->referrer_capacity = 0;
    if (world->extensions == NULL) {
        return;
    }
    uint32_t count = extension_count(world);
    for (uint32_t i = 0; i < count; i++) {
        kni_extension *extension = &world->extensions[i];
        kni_references_free(world, i);
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
    uint64_t changes = 0;
    for (uint32_t i = 0; i < extension_count(old); i++) {
        const kni_extension *extension = &old->extensions[i];
        changes = extension->changes > changes ? extension->changes : changes;
    }
    for (uint32_t i = 0; i < extension_count(world); i++) {
        world->extensions[i].changes = changes + 1;
        world->extensions[i].replaced = changes + 1;
    }
}

// Followers ---------------------------------------------------------------

#define CHANGED_FIRST 64

void kni_extension_follow(kni_extension *extension, kni_memory *memory)
{
    uint32_t wanted = CHANGED_FIRST;
    while (wanted < extension->pool.count && wanted < KNI_POOL_MAX) {
        wanted *= 2;
    }
    if (wanted <= extension->changed_capacity) {
        return;
    }
    kni_extension_change *changed = kni_realloc(memory, NULL, 0, wanted * sizeof(*changed));
    if (changed == NULL) {
        return; // followers look at everybody
    }
    kni_free(memory, extension->changed, extension->changed_capacity * sizeof(*extension->changed));
    extension->changed = changed;
    extension->changed_capacity = wanted;
    extension->replaced = extension->changes; // what was in the list is not any more
}

void kni_extension_note(kn_world *world, kni_extension *extension, uint32_t slot)
{
    if (!extension->is_private) {
        kni_mark_entity(world,
            ((const kni_extension_head *)kni_pool_at(&extension->pool, slot))->entity,
            KN_PART_COMPONENTS);
    }
    if (extension->changed == NULL) {
        extension->replaced = ++extension->changes;
        return;
    }
    const kni_extension_head *head = kni_pool_at(&extension->pool, slot);
    kni_extension_change change = {head->entity.index1 - 1, slot};
    extension->changed[extension->changes++ & (extension->changed_capacity - 1)] = change;
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

static kn_component_id id_of(const kni_extension *extension, uint32_t slot1)
{
    if (slot1 == 0 || !extension->is_several) {
        return (kn_component_id){0};
    }
    return (kn_component_id){slot1, head_at(extension, slot1 - 1)->generation};
}

// Slot + 1 of the first record of an entity, or of the world for the null id; 0 when there is none.
static uint32_t slot1_of_entity(
    const kn_world *world, const kni_extension *extension, kn_entity_id entity)
{
    if (entity.index1 == 0) {
        return extension->world_slot1;
    }
    uint32_t slot = kni_entity_find(world, entity);
    return slot < extension->by_entity_capacity ? extension->by_entity[slot] : 0;
}

// Slot + 1 of an instance; 0 for a stale id.
static uint32_t slot1_of_id(const kni_extension *extension, kn_component_id id)
{
    uint32_t slot = id.index1 - 1;
    return extension->is_several && kni_pool_is_live(&extension->pool, slot) &&
                   head_at(extension, slot)->generation == id.generation
               ? id.index1
               : 0;
}

// The table entry of an entity, or of the world for the null id. It must exist.
static uint32_t *first1_of(kni_extension *extension, kn_entity_id entity)
{
    return entity.index1 == 0 ? &extension->world_slot1 : &extension->by_entity[entity.index1 - 1];
}

bool kni_extension_link(kn_world *world, kni_extension *extension, uint32_t slot)
{
    kni_extension_head *head = head_at(extension, slot);
    uint32_t old = extension->by_entity_capacity;
    if (!kni_grow(&world->memory, &extension->by_entity, &extension->by_entity_capacity,
            head->entity.index1, sizeof(*extension->by_entity))) {
        return false;
    }
    if (extension->by_entity_capacity > old) {
        memset(extension->by_entity + old, 0,
            (extension->by_entity_capacity - old) * sizeof(*extension->by_entity));
    }
    uint32_t *first1 = first1_of(extension, head->entity);
    if (!extension->is_several) {
        KN_ASSERT(*first1 == 0);
        *first1 = slot + 1;
        return true;
    }
    head->next1 = 0;
    if (*first1 == 0) {
        *first1 = slot + 1;
        head->back1 = slot + 1;
        return true;
    }
    kni_extension_head *first = head_at(extension, *first1 - 1);
    head->back1 = first->back1;
    head_at(extension, first->back1 - 1)->next1 = slot + 1;
    first->back1 = slot + 1;
    return true;
}

void kni_extension_unlink(kni_extension *extension, uint32_t slot)
{
    const kni_extension_head *head = head_at(extension, slot);
    uint32_t *first1 = first1_of(extension, head->entity);
    if (!extension->is_several) {
        *first1 = 0;
        return;
    }
    if (*first1 == slot + 1) {
        *first1 = head->next1;
    } else {
        head_at(extension, head->back1 - 1)->next1 = head->next1;
    }
    if (head->next1 != 0) {
        head_at(extension, head->next1 - 1)->back1 = head->back1;
    } else if (*first1 != 0) {
        head_at(extension, *first1 - 1)->back1 = head->back1;
    }
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

// A new component of an entity, or of the world for the null id. KNI_NONE when out of memory.
static uint32_t extension_create(kn_world *world, kni_extension *extension, kn_entity_id entity)
{
    uint32_t slot = kni_pool_acquire(&extension->pool, &world->memory);
    if (slot == KNI_NONE) {
        return KNI_NONE;
    }
    kni_extension_head *head = head_at(extension, slot);
    head->entity = entity.index1 != 0 ? entity : (kn_entity_id){0};
    if (!kni_extension_link(world, extension, slot)) {
        kni_pool_release(&extension->pool, slot);
        return KNI_NONE;
    }
    if (extension->is_several) {
        head->generation = kni_number_take(world);
    }
    kni_extension_note(world, extension, slot);
    return slot;
}

// Hooks -------------------------------------------------------------------

// Calls a hook in the middle of an operation, which must have begun. Hooks that add or remove
// components whose hooks do the same end in a message.
static void hook_call(
    kn_world *world, uint32_t index, kn_component_fn *hook, void *user, uint32_t slot)
{
    const kni_extension *extension = &world->extensions[index];
    kn_component_call call = {
        world, {index + 1}, head_at(extension, slot)->entity, id_of(extension, slot + 1)};
    if (world->hook_depth >= KNI_HOOK_DEPTH_MAX) {
        kni_emit_error(world, KN_REFUSED_LIMIT, call.entity, 0, 0, KNI_HOOK_DEPTH_MAX);
        return;
    }
    world->hook_depth++;
    kni_hold(world);
    hook(user, &call);
    kni_release(world);
    world->hook_depth--;
}

static bool is_being_removed(const kn_world *world, uint32_t index, uint32_t slot)
{
    const kni_extension_removal *at = world->removals;
    while (at != NULL && (at->type != index || at->slot != slot)) {
        at = at->outer;
    }
    return at != NULL;
}

void kni_extension_release(kn_world *world, uint32_t index, uint32_t slot)
{
    kni_extension *extension = &world->extensions[index];
    kni_extension_note(world, extension, slot);
    kni_extension_unlink(extension, slot);
    kni_span_clear(
        &world->heap, &head_at(extension, slot)->items, extension_def(world, index)->item_size);
    kni_pool_release(&extension->pool, slot);
}

// Releases a component, and ends the watches that belong to it.
static void extension_end(kn_world *world, uint32_t index, uint32_t slot)
{
    const kni_extension *extension = &world->extensions[index];
    if (world->watches.count > 0) {
        kni_watches_component_removed(
            world, head_at(extension, slot)->entity, index, id_of(extension, slot + 1));
    }
    kni_extension_release(world, index, slot);
}

// A new component, and its hook. On anything but KN_OK nothing was added.
static kn_result extension_add(
    kn_world *world, uint32_t index, kn_entity_id entity, kn_component_id *made)
{
    kni_extension *extension = &world->extensions[index];
    const kn_component_def *def = extension_def(world, index);
    if (entity.index1 != 0 && entity.index1 == world->ending1) {
        return KN_REFUSED_DYING;
    }
    kn_result result = def->added != NULL ? kni_enter(world) : KN_OK;
    if (result != KN_OK) {
        return result;
    }
    uint32_t slot = extension_create(world, extension, entity);
    if (slot != KNI_NONE) {
        *made = id_of(extension, slot + 1);
    }
    if (def->added == NULL) {
        if (slot == KNI_NONE && world->depth > 0) {
            kni_break(world); // inside the simulation, as everywhere
        }
        return slot != KNI_NONE   ? KN_OK
               : world->is_broken ? KN_ERROR_WORLD_BROKEN
                                  : KN_ERROR_OUT_OF_MEMORY;
    }
    if (slot == KNI_NONE) {
        return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
    }
    hook_call(world, index, def->added, def->user, slot);
    return kni_leave(world, KN_OK);
}

// Removes a component after its hook; see kn_component_remove().
static bool extension_remove(kn_world *world, uint32_t index, uint32_t slot)
{
    const kn_component_def *def = extension_def(world, index);
    if (def->removed == NULL) {
        extension_end(world, index, slot);
        return true;
    }
    if (is_being_removed(world, index, slot) || kni_enter(world) != KN_OK) {
        return false;
    }
    kni_extension_removal removal = {world->removals, index, slot};
    world->removals = &removal;
    hook_call(world, index, def->removed, def->user, slot);
    world->removals = removal.outer;
    extension_end(world, index, slot);
    (void)kni_leave(world, KN_OK);
    return true;
}

// The struct of a component, for writing.
static void *extension_hand_out(kn_world *world, kni_extension *extension, uint32_t slot1)
{
    if (slot1 == 0) {
        return NULL;
    }
    kni_extension_note(world, extension, slot1 - 1);
    return head_at(extension, slot1 - 1) + 1;
}

static void *extension_resize(kn_world *world, uint32_t index, uint32_t slot1, uint32_t count)
{
    uint32_t size = extension_def(world, index)->item_size;
    KN_ASSERT(size > 0);
    if (size == 0 || slot1 == 0) {
        return NULL;
    }
    kni_extension *extension = &world->extensions[index];
    kni_span *items = &head_at(extension, slot1 - 1)->items; // only the heap may move
    kni_extension_note(world, extension, slot1 - 1);
    if (count == 0) {
        kni_span_clear(&world->heap, items, size);
        return NULL;
    }
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
static void *items_of(
    const kn_world *world, const kni_extension *extension, uint32_t slot1, uint32_t *count)
{
    const kni_span *items = slot1 != 0 ? &head_at(extension, slot1 - 1)->items : NULL;
    uint32_t length = items != NULL ? items->count : 0;
    if (count != NULL) {
        *count = length;
    }
    return length == 0 ? NULL : kni_heap_at(&world->heap, items->ref);
}

// Changes -----------------------------------------------------------------

uint64_t kn_component_change_count(const kn_world *world, kn_component_type_id type)
{
    const kni_extension *extension = extension_of(world, type);
    return extension != NULL ? extension->changes : 0;
}

kn_component_changes kn_component_get_changes(const kn_world *world, kn_component_type_id type)
{
    const kni_extension *extension = extension_of(world, type);
    kn_component_changes changes = {0};
    if (extension != NULL) {
        uint64_t count = extension->changes, listed = extension->changed_capacity;
        changes.count = count;
        changes.first = count > listed ? count - listed : 0;
        changes.first = changes.first < extension->replaced ? extension->replaced : changes.first;
        changes.components = extension->pool.count;
    }
    return changes;
}

uint32_t kn_component_list_changes(const kn_world *world, kn_component_type_id type, uint64_t first,
    kn_component_change *out, uint32_t capacity)
{
    const kni_extension *extension = extension_of(world, type);
    if (extension == NULL || first >= extension->changes || first < extension->replaced ||
        extension->changes - first > extension->changed_capacity) {
        return 0;
    }
    uint64_t left = extension->changes - first;
    uint32_t count = left < capacity ? (uint32_t)left : capacity;
    uint32_t mask = extension->changed_capacity - 1, used = world->entities.used;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = extension->changed[(first + i) & mask].entity;
        out[i] = (kn_component_change){{slot + 1, 0}, NULL}; // KNI_NONE gives the null id
        if (slot < used) {
            uint32_t slot1 = kni_extension_first1(extension, slot);
            out[i].entity.generation = kni_entity_at(world, slot)->generation;
            out[i].component = slot1 != 0 ? head_at(extension, slot1 - 1) + 1 : NULL;
        }
    }
    return count;
}

void kn_component_follow(const kn_world *world, kn_component_type_id type)
{
    kni_extension *extension = extension_of(world, type);
    if (extension != NULL) {
        kni_extension_follow(extension, world->index_memory);
    }
}

// By entity ---------------------------------------------------------------

void *kn_component_add(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    kni_extension *extension = extension_of(world, type);
    if (extension == NULL || world->is_broken) {
        return NULL;
    }
    uint32_t slot1 = slot1_of_entity(world, extension, entity);
    if (slot1 != 0) {
        return extension_hand_out(world, extension, slot1);
    }
    if (entity.index1 != 0 && kni_entity_find(world, entity) == KNI_NONE) {
        return NULL;
    }
    kn_component_id made;
    if (extension_add(world, type.index1 - 1, entity, &made) != KN_OK) {
        return NULL;
    }
    slot1 = slot1_of_entity(world, extension, entity); // a hook may have done anything
    return slot1 != 0 ? head_at(extension, slot1 - 1) + 1 : NULL;
}

bool kn_component_remove(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    kni_extension *extension = extension_of(world, type);
    uint32_t slot1 =
        extension != NULL && !world->is_broken ? slot1_of_entity(world, extension, entity) : 0;
    return slot1 != 0 && extension_remove(world, type.index1 - 1, slot1 - 1);
}

void kni_extension_remove(kn_world *world, uint32_t type, uint32_t slot)
{
    if (!is_being_removed(world, type, slot) && !extension_remove(world, type, slot)) {
        extension_end(world, type, slot); // without memory for the hook
    }
}

void kni_extensions_remove(kn_world *world, uint32_t entity_slot)
{
    uint32_t count = extension_count(world);
    world->ending1 = entity_slot + 1;
    for (uint32_t i = 0; i < count; i++) {
        kni_extension *extension = &world->extensions[i];
        while (
            entity_slot < extension->by_entity_capacity && extension->by_entity[entity_slot] != 0) {
            uint32_t slot = extension->by_entity[entity_slot] - 1;
            kni_extension_remove(world, i, slot);
        }
    }
}

void *kn_component_get(kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    kni_extension *extension = extension_of(world, type);
    return extension != NULL
               ? extension_hand_out(world, extension, slot1_of_entity(world, extension, entity))
               : NULL;
}

const void *kn_component_read(const kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    const kni_extension *extension = extension_of(world, type);
    uint32_t slot1 = extension != NULL ? slot1_of_entity(world, extension, entity) : 0;
    return slot1 != 0 ? head_at(extension, slot1 - 1) + 1 : NULL;
}

void *kn_component_resize(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t count)
{
    const kni_extension *extension = extension_of(world, type);
    return extension != NULL && !world->is_broken
               ? extension_resize(
                     world, type.index1 - 1, slot1_of_entity(world, extension, entity), count)
               : NULL;
}

void *kn_component_items(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count)
{
    kni_extension *extension = extension_of(world, type);
    uint32_t slot1 = extension != NULL ? slot1_of_entity(world, extension, entity) : 0;
    if (slot1 != 0) {
        kni_extension_note(world, extension, slot1 - 1);
    }
    return items_of(world, extension, slot1, count);
}

const void *kn_component_read_items(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity, uint32_t *count)
{
    const kni_extension *extension = extension_of(world, type);
    uint32_t slot1 = extension != NULL ? slot1_of_entity(world, extension, entity) : 0;
    return items_of(world, extension, slot1, count);
}

const void *kn_component_read_whole(const kn_world *world, kn_component_type_id type,
    kn_entity_id entity, const void **items, uint32_t *count)
{
    const kni_extension *extension = extension_of(world, type);
    uint32_t slot1 = extension != NULL ? slot1_of_entity(world, extension, entity) : 0;
    *items = items_of(world, extension, slot1, count);
    return slot1 != 0 ? head_at(extension, slot1 - 1) + 1 : NULL;
}

void *kn_component_get_whole(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, void **items, uint32_t *count)
{
    kni_extension *extension = extension_of(world, type);
    uint32_t slot1 = extension != NULL ? slot1_of_entity(world, extension, entity) : 0;
    *items = items_of(world, extension, slot1, count);
    return slot1 != 0 ? extension_hand_out(world, extension, slot1) : NULL;
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

// Instances ---------------------------------------------------------------

kn_result kn_component_instance_add(
    kn_world *world, kn_component_type_id type, kn_entity_id entity, kn_component_id *component)
{
    if (component != NULL) {
        *component = (kn_component_id){0};
    }
    kni_extension *extension = extension_of(world, type);
    if (extension == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!extension->is_several) {
        return KN_REFUSED_DUPLICATE;
    }
    if (entity.index1 != 0 && kni_entity_find(world, entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    kn_component_id made = {0};
    kn_result result = extension_add(world, type.index1 - 1, entity, &made);
    if (component != NULL && result == KN_OK) {
        *component = made;
    }
    return result;
}

// Slot + 1 of an instance; 0 for a stale id and for a type that is not registered.
static uint32_t instance_find(
    const kn_world *world, kn_component_type_id type, kn_component_id component)
{
    const kni_extension *extension = extension_of(world, type);
    return extension != NULL ? slot1_of_id(extension, component) : 0;
}

bool kn_component_instance_remove(
    kn_world *world, kn_component_type_id type, kn_component_id component)
{
    uint32_t slot1 = instance_find(world, type, component);
    return slot1 != 0 && !world->is_broken && extension_remove(world, type.index1 - 1, slot1 - 1);
}

kn_component_id kn_component_instance_next(const kn_world *world, kn_component_type_id type,
    kn_entity_id entity, kn_component_id component)
{
    const kni_extension *extension = extension_of(world, type);
    if (extension == NULL) {
        return (kn_component_id){0};
    }
    if (component.index1 == 0) {
        return id_of(extension, slot1_of_entity(world, extension, entity));
    }
    uint32_t slot1 = slot1_of_id(extension, component);
    const kni_extension_head *head = slot1 != 0 ? head_at(extension, slot1 - 1) : NULL;
    bool is_of_entity =
        head != NULL &&
        (entity.index1 == 0 ? head->entity.index1 == 0 : kn_entity_id_equal(head->entity, entity));
    return is_of_entity ? id_of(extension, head->next1) : (kn_component_id){0};
}

uint32_t kn_component_instance_count(
    const kn_world *world, kn_component_type_id type, kn_entity_id entity)
{
    const kni_extension *extension = extension_of(world, type);
    uint32_t count = 0;
    for (uint32_t at = extension != NULL ? slot1_of_entity(world, extension, entity) : 0; at != 0;
         at = head_at(extension, at - 1)->next1) {
        count++;
    }
    return count;
}

bool kn_component_instance_is_alive(
    const kn_world *world, kn_component_type_id type, kn_component_id component)
{
    return instance_find(world, type, component) != 0;
}

kn_entity_id kn_component_instance_entity(
    const kn_world *world, kn_component_type_id type, kn_component_id component)
{
    uint32_t slot1 = instance_find(world, type, component);
    return slot1 != 0 ? head_at(&world->extensions[type.index1 - 1], slot1 - 1)->entity
                      : (kn_entity_id){0};
}

void *kn_component_instance_get(
    kn_world *world, kn_component_type_id type, kn_component_id component)
{
    uint32_t slot1 = instance_find(world, type, component);
    return slot1 != 0 ? extension_hand_out(world, &world->extensions[type.index1 - 1], slot1)
                      : NULL;
}

const void *kn_component_instance_read(
    const kn_world *world, kn_component_type_id type, kn_component_id component)
{
    uint32_t slot1 = instance_find(world, type, component);
    return slot1 != 0 ? head_at(&world->extensions[type.index1 - 1], slot1 - 1) + 1 : NULL;
}

void *kn_component_instance_resize(
    kn_world *world, kn_component_type_id type, kn_component_id component, uint32_t count)
{
    uint32_t slot1 = instance_find(world, type, component);
    return slot1 != 0 && !world->is_broken ? extension_resize(world, type.index1 - 1, slot1, count)
                                           : NULL;
}

void *kn_component_instance_items(
    kn_world *world, kn_component_type_id type, kn_component_id component, uint32_t *count)
{
    uint32_t slot1 = instance_find(world, type, component);
    if (slot1 != 0) {
        kni_extension_note(world, &world->extensions[type.index1 - 1], slot1 - 1);
    }
    return items_of(world, extension_of(world, type), slot1, count);
}

const void *kn_component_instance_read_items(
    const kn_world *world, kn_component_type_id type, kn_component_id component, uint32_t *count)
{
    return items_of(world, extension_of(world, type), instance_find(world, type, component), count);
}
