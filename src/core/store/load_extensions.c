// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The section of a save with the components of the game.

#include "store/store.h"

// Structs may have grown since: to this many bytes, and more if the save is large.
#define LOAD_GROWTH_FREE (1u << 24)
#define LOAD_GROWTH_PER_BYTE 64

// Structs that have grown since the save take more memory than the save has bytes, within reason.
static bool growth_is_good(kni_load *r, uint64_t count, uint64_t size)
{
    uint64_t bytes = count * size;
    return bytes <= LOAD_GROWTH_FREE || bytes / LOAD_GROWTH_PER_BYTE <= r->in.size ||
           kni_load_fail(r, "it is too short for the counts it declares");
}

// The layout of a component: a place in the list, or as it was before version 3, on the spot.
static bool load_component_layout(kni_load *r, kni_saved_layout *layout)
{
    if (r->version < 3) {
        if (!kni_load_layout_add(r)) {
            return false;
        }
        *layout = r->layouts[r->layout_count - 1];
        return true;
    }
    const kni_saved_layout *found = kni_load_layout_ref(r);
    *layout = found != NULL ? *found : (kni_saved_layout){0};
    return kni_load_ok(r);
}

static bool load_items(
    kni_load *r, const kni_saved_layout *layout, const kn_def_table *table, kni_span *items)
{
    uint32_t count = kni_load_count(r, layout->size > 0 ? layout->size : 1);
    if (!kni_load_ok(r) || count == 0) {
        return kni_load_ok(r);
    }
    if (layout->count == 0 || table->size == 0) {
        return kni_load_fail(r, "a component has items that it cannot have");
    }
    if (!growth_is_good(r, count, table->size)) {
        return false;
    }
    kni_span span = {0};
    if (!kni_span_reserve(&r->world->heap, &r->world->memory, &span, count, table->size)) {
        return kni_load_no_memory(r);
    }
    span.count = count;
    memset(kni_heap_at(&r->world->heap, span.ref), 0, (size_t)count * table->size);
    *items = span;
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *item = kni_span_at(&r->world->heap, &span, i, table->size);
        if (!kni_load_fields(r, layout, table, item)) {
            return false;
        }
    }
    return true;
}

// Finds the owner of a component that was read, and gives it to it.
static bool load_extension_link(kni_load *r, uint32_t index, uint32_t slot, bool was_several)
{
    kn_world *world = r->world;
    kni_extension *extension = &world->extensions[index];
    kn_entity_id entity = kni_extension_at(extension, slot)->entity;
    uint32_t owner = KNI_NONE;
    if (entity.index1 == 0 && entity.generation != 0) {
        return kni_load_fail(r, "a component has no owner");
    }
    if (entity.index1 != 0) {
        owner = kni_entity_find(world, entity);
        if (owner == KNI_NONE) {
            return kni_load_fail(r, "a component has no owner");
        }
    }
    if (!extension->is_several && kni_extension_first1(extension, owner) != 0) {
        return was_several
                   ? kni_load_changed(r,
                         "in the save an entity has several components `%s`, but the type is no "
                         "longer registered with `several`",
                         kni_component_type_at(world->library, index)->name)
                   : kni_load_fail(r, "a component appears twice");
    }
    return kni_extension_link(world, extension, slot) || kni_load_no_memory(r);
}

// The next component of a type: in the slot that the save says, or in the next one.
static uint32_t load_extension_slot(
    kni_load *r, kni_extension *extension, bool is_several, uint32_t count)
{
    uint32_t slot = KNI_NONE;
    if (is_several) {
        return kni_load_slot(r, &extension->pool, count, NULL, &slot) ? slot : KNI_NONE;
    }
    slot = kni_pool_acquire(&extension->pool, &r->world->memory);
    if (slot == KNI_NONE) {
        (void)kni_load_no_memory(r);
    }
    return slot;
}

static bool load_extension(kni_load *r)
{
    kn_world *world = r->world;
    uint32_t index = kni_load_ref_needed(r, KN_DEF_COMPONENT) - 1;
    if (!kni_load_ok(r)) {
        return false;
    }
    const kni_component_type *type = kni_component_type_at(world->library, index);
    kni_extension *extension = &world->extensions[index];
    kni_saved_layout record, items;
    if (!load_component_layout(r, &record) || !load_component_layout(r, &items)) {
        return false;
    }
    bool was_several = r->version >= 5 && kn_read_u32(&r->in) != 0;
    const kn_def_table *table =
        was_several ? &kni_extension_instance_table : &kni_extension_head_table;
    uint32_t count = kni_load_count(r, 12 + record.size);
    if (!kni_load_ok(r) || !growth_is_good(r, count, type->record.table.size)) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = load_extension_slot(r, extension, was_several, count);
        if (slot == KNI_NONE) {
            return false;
        }
        kni_extension_head *head = kni_extension_at(extension, slot);
        if (!kni_load_record(r, table, head, NULL, true) ||
            !kni_load_fields(r, &record, &type->record.table, (uint8_t *)(head + 1)) ||
            !load_items(r, &items, &type->items.table, &head->items) ||
            !load_extension_link(r, index, slot, was_several)) {
            return false;
        }
        if (!extension->is_several) {
            head->generation = 0;
        } else if (!was_several) {
            head->generation = kni_number_take(world);
        }
        if (!kni_load_accept(r, kni_extension_problem(world, extension, head))) {
            return false;
        }
    }
    return kni_load_ok(r);
}

bool kni_load_extensions(kni_load *r)
{
    if (!kni_load_section(r, SAVE_EXTENSIONS)) {
        return false;
    }
    uint32_t count = kni_load_count(r, 4);
    for (uint32_t i = 0; i < count; i++) {
        if (!load_extension(r)) {
            return false;
        }
    }
    return kni_load_section_end(r);
}
