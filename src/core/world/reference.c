// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Which components refer to an entity. Each type with `references` has an index: an entry for each
// element that is not null, in a chain of its bucket, which the id it holds decides, and in a chain
// of its component. Components are written through plain pointers, so the index looks at those that
// were handed out since it was last asked, by the list that the type keeps of them, and at all of
// them when the list is too short or everything was replaced. It is not state, and its order never
// shows: what is found is sorted. Without memory for it, all components are looked at.

#include "world/world.h"

#define BUCKETS_FIRST 64

// One element of a component that may refer to an entity.
typedef struct reference_place {
    uint32_t reference; // of the type
    uint32_t item;      // among the items; 0 for a field of the component itself
    uint32_t element;   // of the field
} reference_place;

static const kni_component_type *type_at(const kn_world *world, uint32_t type)
{
    return KNI_ITEM(world->library, KN_DEF_COMPONENT, const kni_component_type, type);
}

// The bytes of an element; NULL if the component has fewer items.
static uint8_t *place_at(
    const kn_world *world, uint32_t type, uint32_t slot, const reference_place *place)
{
    const kni_component_type *info = type_at(world, type);
    const kni_reference *reference = &info->references[place->reference];
    kni_extension_head *head = kni_extension_at(&world->extensions[type], slot);
    uint8_t *bytes = (uint8_t *)(head + 1);
    if (reference->is_item) {
        if (place->item >= head->items.count) {
            return NULL;
        }
        bytes = kni_span_at(&world->heap, &head->items, place->item, info->def.item_size);
    }
    return bytes + reference->offset + place->element * sizeof(kn_entity_id);
}

// Goes to the next element of a component, through all references; false after the last. Begins
// with element KNI_NONE of reference 0.
static bool place_next(const kn_world *world, uint32_t type, uint32_t slot, reference_place *place)
{
    const kni_component_type *info = type_at(world, type);
    const kni_extension_head *head = kni_extension_at(&world->extensions[type], slot);
    place->element++; // from KNI_NONE to 0
    for (; place->reference < info->def.reference_count; place->reference++, place->item = 0) {
        const kni_reference *reference = &info->references[place->reference];
        uint32_t items = reference->is_item ? head->items.count : 1;
        for (; place->item < items; place->item++) {
            if (place->element < reference->count) {
                return true;
            }
            place->element = 0;
        }
        place->element = 0;
    }
    return false;
}

static kn_entity_id id_at(const uint8_t *bytes)
{
    kn_entity_id id;
    memcpy(&id, bytes, sizeof(id));
    return id;
}

// The same for the next element that is not null, and what it holds.
static bool place_next_id(
    const kn_world *world, uint32_t type, uint32_t slot, reference_place *place, kn_entity_id *id)
{
    while (place_next(world, type, slot, place)) {
        *id = id_at(place_at(world, type, slot, place));
        if (id->index1 != 0) {
            return true;
        }
    }
    return false;
}

// The index -----------------------------------------------------------------

static uint32_t *bucket_of(const kni_reference_index *index, kn_entity_id id)
{
    uint64_t hash = kn_entity_id_pack(id) * 0x9e3779b97f4a7c15u;
    return &index->buckets[(uint32_t)(hash >> 32) & (index->bucket_count - 1)];
}

static void entry_link(kni_reference_index *index, uint32_t at)
{
    kni_reference_entry *entry = &index->entries[at];
    uint32_t *bucket = bucket_of(index, entry->id);
    entry->next1 = *bucket;
    entry->back1 = 0;
    if (*bucket != 0) {
        index->entries[*bucket - 1].back1 = at + 1;
    }
    *bucket = at + 1;
}

static void entry_unlink(kni_reference_index *index, uint32_t at)
{
    const kni_reference_entry *entry = &index->entries[at];
    if (entry->back1 != 0) {
        index->entries[entry->back1 - 1].next1 = entry->next1;
    } else {
        *bucket_of(index, entry->id) = entry->next1;
    }
    if (entry->next1 != 0) {
        index->entries[entry->next1 - 1].back1 = entry->back1;
    }
}

static bool buckets_reserve(kni_reference_index *index, kni_memory *memory, uint32_t entries)
{
    uint32_t wanted = index->bucket_count > 0 ? index->bucket_count : BUCKETS_FIRST;
    while (wanted < entries) {
        wanted *= 2;
    }
    if (wanted == index->bucket_count) {
        return true;
    }
    uint32_t *buckets = kni_realloc(memory, NULL, 0, wanted * sizeof(*buckets));
    if (buckets == NULL) {
        return false;
    }
    memset(buckets, 0, wanted * sizeof(*buckets));
    kni_free(memory, index->buckets, index->bucket_count * sizeof(*buckets));
    index->buckets = buckets;
    index->bucket_count = wanted;
    for (uint32_t slot = 0; slot < index->first_capacity; slot++) {
        for (uint32_t at1 = index->first1[slot]; at1 != 0; at1 = index->entries[at1 - 1].sibling1) {
            entry_link(index, at1 - 1);
        }
    }
    return true;
}

static bool firsts_reserve(kni_reference_index *index, kni_memory *memory, uint32_t slots)
{
    uint32_t old = index->first_capacity;
    if (!kni_grow(memory, &index->first1, &index->first_capacity, slots, sizeof(*index->first1))) {
        return false;
    }
    if (index->first_capacity > old) {
        memset(index->first1 + old, 0, (index->first_capacity - old) * sizeof(*index->first1));
    }
    return true;
}

static void component_drop(kni_reference_index *index, uint32_t slot)
{
    if (slot >= index->first_capacity) {
        return;
    }
    for (uint32_t at1 = index->first1[slot]; at1 != 0;) {
        kni_reference_entry *entry = &index->entries[at1 - 1];
        uint32_t next1 = entry->sibling1;
        entry_unlink(index, at1 - 1);
        *entry = (kni_reference_entry){.sibling1 = index->free1};
        index->free1 = at1;
        index->count--;
        at1 = next1;
    }
    index->first1[slot] = 0;
}

// Whether the entries of a component are what it holds now.
static bool component_is_current(
    const kn_world *world, uint32_t type, const kni_reference_index *index, uint32_t slot)
{
    reference_place place = {0, 0, KNI_NONE};
    kn_entity_id id;
    uint32_t at1 = slot < index->first_capacity ? index->first1[slot] : 0;
    if (kni_pool_is_live(&world->extensions[type].pool, slot)) {
        while (place_next_id(world, type, slot, &place, &id)) {
            const kni_reference_entry *entry = at1 != 0 ? &index->entries[at1 - 1] : NULL;
            if (entry == NULL || !kn_entity_id_equal(entry->id, id) ||
                entry->reference != place.reference || entry->item != place.item ||
                entry->element != place.element) {
                return false;
            }
            at1 = entry->sibling1;
        }
    }
    return at1 == 0;
}

// Brings the entries of a component up to date. False when out of memory; then all is rebuilt
// later.
static bool component_follow(const kn_world *world, uint32_t type, kni_reference_index *index,
    kni_memory *memory, uint32_t slot)
{
    if (component_is_current(world, type, index, slot)) {
        return true;
    }
    component_drop(index, slot);
    if (!kni_pool_is_live(&world->extensions[type].pool, slot)) {
        return true;
    }
    if (!firsts_reserve(index, memory, slot + 1)) {
        return false;
    }
    reference_place place = {0, 0, KNI_NONE};
    kn_entity_id id;
    uint32_t before1 = 0;
    while (place_next_id(world, type, slot, &place, &id)) {
        if (index->free1 == 0) {
            if (!kni_grow(memory, &index->entries, &index->capacity, index->used + 1,
                    sizeof(*index->entries))) {
                return false;
            }
            index->entries[index->used] = (kni_reference_entry){0};
            index->free1 = ++index->used;
        }
        if (!buckets_reserve(index, memory, index->count + 1)) {
            return false;
        }
        uint32_t at1 = index->free1;
        kni_reference_entry *entry = &index->entries[at1 - 1];
        index->free1 = entry->sibling1;
        *entry = (kni_reference_entry){.id = id,
            .slot = slot,
            .reference = place.reference,
            .item = place.item,
            .element = place.element};
        if (before1 != 0) {
            index->entries[before1 - 1].sibling1 = at1;
        } else {
            index->first1[slot] = at1;
        }
        entry_link(index, at1 - 1);
        before1 = at1;
        index->count++;
    }
    return true;
}

static void index_clear(kni_reference_index *index)
{
    if (index->first_capacity > 0) {
        memset(index->first1, 0, index->first_capacity * sizeof(*index->first1));
    }
    if (index->bucket_count > 0) {
        memset(index->buckets, 0, index->bucket_count * sizeof(*index->buckets));
    }
    index->used = 0;
    index->free1 = 0;
    index->count = 0;
}

static bool index_rebuild(
    const kn_world *world, uint32_t type, kni_reference_index *index, kni_memory *memory)
{
    const kni_pool *pool = &world->extensions[type].pool;
    index_clear(index);
    KNI_POOL_EACH(slot, pool) {
        if (!component_follow(world, type, index, memory, slot)) {
            return false;
        }
    }
    return true;
}

// The index of a type, up to date; NULL without memory for it.
static const kni_reference_index *index_follow(const kn_world *world, uint32_t type)
{
    kni_extension *extension = &world->extensions[type];
    kni_memory *memory = world->index_memory;
    kni_reference_index *index = &extension->references;
    if (index->is_built && index->changes == extension->changes) {
        return index;
    }
    bool is_listed = index->is_built && extension->changed != NULL &&
                     index->changes >= extension->replaced &&
                     index->changes <= extension->changes &&
                     extension->changes - index->changes <= extension->changed_capacity;
    bool good = true;
    if (is_listed) {
        uint32_t mask = extension->changed_capacity - 1;
        for (uint64_t i = index->changes; good && i < extension->changes; i++) {
            good = component_follow(world, type, index, memory, extension->changed[i & mask].slot);
        }
    } else {
        good = buckets_reserve(index, memory, 1) && index_rebuild(world, type, index, memory);
        kni_extension_follow(extension, memory);
    }
    index->is_built = good;
    index->changes = extension->changes;
    return good ? index : NULL;
}

void kni_references_free(kn_world *world, uint32_t type)
{
    kni_reference_index *index = &world->extensions[type].references;
    kni_memory *memory = &world->memory;
    kni_free(memory, index->entries, index->capacity * sizeof(*index->entries));
    kni_free(memory, index->buckets, index->bucket_count * sizeof(*index->buckets));
    kni_free(memory, index->first1, index->first_capacity * sizeof(*index->first1));
    *index = (kni_reference_index){0};
}

bool kni_references_validate(const kn_world *world, uint32_t type)
{
    const kni_extension *extension = &world->extensions[type];
    const kni_reference_index *index = &extension->references;
    if (!index->is_built || index->changes != extension->changes) {
        return true;
    }
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < extension->pool.used || slot < index->first_capacity; slot++) {
        if (!component_is_current(world, type, index, slot)) {
            return false;
        }
        for (uint32_t at1 = slot < index->first_capacity ? index->first1[slot] : 0; at1 != 0;
             at1 = index->entries[at1 - 1].sibling1) {
            count += index->entries[at1 - 1].slot == slot;
        }
    }
    uint32_t chained = 0;
    for (uint32_t i = 0; i < index->bucket_count; i++) {
        for (uint32_t at1 = index->buckets[i]; at1 != 0; at1 = index->entries[at1 - 1].next1) {
            chained += bucket_of(index, index->entries[at1 - 1].id) == &index->buckets[i];
        }
    }
    return count == index->count && chained == count;
}

// Queries -------------------------------------------------------------------

// What was found so far: the first `capacity` in order, as a heap with the last of them on top.
typedef struct reference_search {
    kn_component_referrer *out;
    uint32_t capacity;
    uint32_t count;                     // all of them
    const kn_component_referrer *after; // only those behind it; NULL: all
} reference_search;

// By entity, creation, item, element. The world itself comes first.
static bool referrer_before(const kn_component_referrer *a, const kn_component_referrer *b)
{
    if (a->entity.index1 != b->entity.index1) {
        return a->entity.index1 < b->entity.index1;
    }
    if (a->component.generation != b->component.generation) {
        return a->component.generation < b->component.generation;
    }
    return a->item != b->item ? a->item < b->item : a->element < b->element;
}

static void search_swap(const reference_search *search, uint32_t a, uint32_t b)
{
    kn_component_referrer other = search->out[a];
    search->out[a] = search->out[b];
    search->out[b] = other;
}

static void search_sift_down(const reference_search *search, uint32_t at, uint32_t end)
{
    for (uint32_t below = 2 * at + 1; below < end; below = 2 * at + 1) {
        if (below + 1 < end && referrer_before(&search->out[below], &search->out[below + 1])) {
            below++;
        }
        if (!referrer_before(&search->out[at], &search->out[below])) {
            return;
        }
        search_swap(search, at, below);
        at = below;
    }
}

static void search_add(reference_search *search, const kn_component_referrer *found)
{
    if (search->after != NULL && !referrer_before(search->after, found)) {
        return;
    }
    if (search->count < search->capacity) {
        uint32_t at = search->count;
        search->out[at] = *found;
        while (at > 0 && referrer_before(&search->out[(at - 1) / 2], &search->out[at])) {
            search_swap(search, at, (at - 1) / 2);
            at = (at - 1) / 2;
        }
    } else if (search->capacity > 0 && referrer_before(found, &search->out[0])) {
        search->out[0] = *found;
        search_sift_down(search, 0, search->capacity);
    }
    search->count++;
}

static void search_sort(const reference_search *search)
{
    uint32_t end = search->count < search->capacity ? search->count : search->capacity;
    while (end > 1) {
        end--;
        search_swap(search, 0, end);
        search_sift_down(search, 0, end);
    }
}

static kn_component_referrer referrer_of(
    const kni_extension *extension, uint32_t slot, uint32_t item, uint32_t element)
{
    const kni_extension_head *head = kni_extension_at(extension, slot);
    kn_component_referrer referrer = {.entity = head->entity, .item = item, .element = element};
    if (extension->is_several) {
        referrer.component = (kn_component_id){slot + 1, head->generation};
    }
    return referrer;
}

static uint32_t referrers_find(const kn_world *world, uint32_t type, uint32_t reference,
    kn_entity_id entity, const kn_component_referrer *after, kn_component_referrer *out,
    uint32_t capacity)
{
    const kni_extension *extension = &world->extensions[type];
    const kni_reference_index *index = index_follow(world, type);
    reference_search search = {out, capacity, 0, after};
    if (index != NULL) {
        for (uint32_t at1 = *bucket_of(index, entity); at1 != 0;
             at1 = index->entries[at1 - 1].next1) {
            const kni_reference_entry *entry = &index->entries[at1 - 1];
            if (entry->reference == reference && kn_entity_id_equal(entry->id, entity)) {
                kn_component_referrer found =
                    referrer_of(extension, entry->slot, entry->item, entry->element);
                search_add(&search, &found);
            }
        }
    } else {
        KNI_POOL_EACH(slot, &extension->pool) {
            reference_place place = {0, 0, KNI_NONE};
            kn_entity_id id;
            while (place_next_id(world, type, slot, &place, &id)) {
                if (place.reference == reference && kn_entity_id_equal(id, entity)) {
                    kn_component_referrer found =
                        referrer_of(extension, slot, place.item, place.element);
                    search_add(&search, &found);
                }
            }
        }
    }
    search_sort(&search);
    return search.count;
}

uint32_t kn_component_referrers(const kn_world *world, kn_component_type_id type,
    uint32_t reference, kn_entity_id entity, kn_component_referrer *out, uint32_t capacity)
{
    return kn_component_referrers_after(world, type, reference, entity, NULL, out, capacity);
}

uint32_t kn_component_referrers_after(const kn_world *world, kn_component_type_id type,
    uint32_t reference, kn_entity_id entity, const kn_component_referrer *after,
    kn_component_referrer *out, uint32_t capacity)
{
    if (world == NULL || kn_component_get_def(world->library, type) == NULL) {
        KN_ASSERT(world != NULL && type.index1 != 0);
        return 0;
    }
    if (reference >= kn_component_get_def(world->library, type)->reference_count ||
        entity.index1 == 0) {
        return 0;
    }
    return referrers_find(
        world, type.index1 - 1, reference, entity, after, out, out != NULL ? capacity : 0);
}

uint32_t kn_component_reference_find(
    const kn_library *library, kn_component_type_id type, const char *field, bool of_items)
{
    const kn_component_def *def = kn_component_get_def(library, type);
    for (uint32_t i = 0; def != NULL && field != NULL && i < def->reference_count; i++) {
        if (def->references[i].of_items == of_items &&
            strcmp(def->references[i].field, field) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

// The end of an entity --------------------------------------------------------

// Slot of the component that was found; KNI_NONE if it is gone by now.
static uint32_t referrer_slot(
    const kn_world *world, const kni_extension *extension, const kn_component_referrer *referrer)
{
    if (extension->is_several) {
        uint32_t slot = referrer->component.index1 - 1;
        bool is_there =
            kni_pool_is_live(&extension->pool, slot) &&
            kni_extension_at(extension, slot)->generation == referrer->component.generation;
        return is_there ? slot : KNI_NONE;
    }
    uint32_t entity = KNI_NONE;
    if (referrer->entity.index1 != 0) {
        entity = kni_entity_find(world, referrer->entity);
        if (entity == KNI_NONE) {
            return KNI_NONE;
        }
    }
    return kni_extension_first1(extension, entity) - 1;
}

// Removes every item that refers to the entity, keeping the order of the others.
static void items_drop(kn_world *world, uint32_t type, uint32_t slot,
    const kni_reference *reference, kn_entity_id entity)
{
    kni_span *items = &kni_extension_at(&world->extensions[type], slot)->items;
    uint32_t size = type_at(world, type)->def.item_size, kept = 0;
    for (uint32_t i = 0; i < items->count; i++) {
        const uint8_t *item = kni_span_at(&world->heap, items, i, size);
        bool refers = false;
        for (uint32_t e = 0; e < reference->count; e++) {
            kn_entity_id id = id_at(item + reference->offset + e * sizeof(id));
            refers |= kn_entity_id_equal(id, entity);
        }
        if (!refers) {
            if (kept != i) {
                memcpy(kni_span_at(&world->heap, items, kept, size), item, size);
            }
            kept++;
        }
    }
    items->count = kept;
    if (kept == 0) {
        kni_span_clear(&world->heap, items, size);
    }
}

static void reference_end(kn_world *world, uint32_t type, uint32_t number, kn_entity_id entity,
    const kn_component_referrer *referrer)
{
    const kni_reference *reference = &type_at(world, type)->references[number];
    kni_extension *extension = &world->extensions[type];
    uint32_t slot = referrer_slot(world, extension, referrer);
    reference_place place = {number, referrer->item, referrer->element};
    uint8_t *bytes = slot != KNI_NONE ? place_at(world, type, slot, &place) : NULL;
    if (bytes == NULL || !kn_entity_id_equal(id_at(bytes), entity)) {
        return; // a hook was faster, or its item went with another one
    }
    if (reference->when_destroyed == KN_REFERENCE_CLEAR) {
        kni_extension_note(world, extension, slot);
        memset(bytes, 0, sizeof(kn_entity_id));
    } else if (reference->is_item) {
        kni_extension_note(world, extension, slot);
        items_drop(world, type, slot, reference, entity);
    } else {
        kni_extension_remove(world, type, slot);
    }
}

void kni_references_end(kn_world *world, kn_entity_id entity)
{
    uint32_t types = world->library->registries[KN_DEF_COMPONENT].count;
    for (uint32_t type = 0; type < types; type++) {
        const kni_component_type *info = type_at(world, type);
        for (uint32_t i = 0; i < info->def.reference_count && !world->is_broken; i++) {
            if (info->references[i].when_destroyed == KN_REFERENCE_LEAVE) {
                continue;
            }
            uint32_t count = referrers_find(world, type, i, entity, NULL, NULL, 0);
            if (count == 0) {
                continue;
            }
            if (!kni_grow(&world->memory, &world->referrers, &world->referrer_capacity, count,
                    sizeof(*world->referrers))) {
                kni_break(world);
                return;
            }
            (void)referrers_find(world, type, i, entity, NULL, world->referrers, count);
            for (uint32_t r = 0; r < count && !world->is_broken; r++) {
                kn_component_referrer referrer = world->referrers[r];
                reference_end(world, type, i, entity, &referrer);
            }
        }
    }
}
