// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Changes of data components on a client. No hook runs when a client takes over what a server sent,
// so the client keeps a copy of each component and compares at the beginning of a run. What its own
// rules have changed since the run before is found as well.

#include "parts.h"

#include <string.h>

// A copy holds the component, then the items of its list, where they are aligned.
static uint32_t items_offset(const kn_component_def *def)
{
    return (def->size + 7) & ~UINT32_C(7);
}

static uint32_t copy_size(const kn_component_def *def, uint32_t count)
{
    return items_offset(def) + count * def->item_size;
}

static kn_component_id copy_find(
    const kn_world *world, kn_entity_id entity, kn_component_type_id type)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_component_id id = {0};
    while ((id = kn_component_instance_next(world, kit->copies, entity, id)).index1 != 0) {
        const copy_record *copy = kn_component_instance_read(world, kit->copies, id);
        if (copy->component.index1 == type.index1) {
            break;
        }
    }
    return id;
}

// Makes the copy equal to the component; adds it if there is none.
static void copy_write(kn_world *world, kn_entity_id entity, kn_component_type_id type)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const kn_component_def *def = kn_component_get_def(kn_world_library(world), type);
    const void *items = NULL;
    uint32_t count = 0;
    kn_component_id id = copy_find(world, entity, type);
    if (id.index1 == 0 && kn_component_instance_add(world, kit->copies, entity, &id) != KN_OK) {
        return;
    }
    if (kn_component_read_whole(world, type, entity, &items, &count) == NULL) {
        return;
    }
    uint32_t size = copy_size(def, count);
    uint64_t *words = kn_component_instance_resize(world, kit->copies, id, (size + 7) / 8);
    copy_record *copy = kn_component_instance_get(world, kit->copies, id);
    if (words == NULL || copy == NULL) {
        return;
    }
    copy->component = type;
    copy->size = size;
    const void *component = kn_component_read_whole(world, type, entity, &items, &count);
    memcpy(words, component, def->size);
    if (count > 0) {
        memcpy((char *)words + items_offset(def), items, (size_t)count * def->item_size);
    }
}

static const void *copy_read(
    const kn_world *world, kn_entity_id entity, kn_component_type_id type, uint32_t *size)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_component_id id = copy_find(world, entity, type);
    const copy_record *copy = kn_component_instance_read(world, kit->copies, id);
    *size = copy != NULL ? copy->size : 0;
    return copy != NULL ? kn_component_instance_read_items(world, kit->copies, id, NULL) : NULL;
}

const void *kn_capability_old_data(const kn_world *world, kn_entity_id entity,
    kn_component_type_id component, const void **items, uint32_t *count)
{
    const kn_component_def *def = knc_capability_kit_of_world(world) != NULL
                                      ? kn_component_get_def(kn_world_library(world), component)
                                      : NULL;
    uint32_t size = 0;
    const char *copy = def != NULL ? copy_read(world, entity, component, &size) : NULL;
    bool has_items = copy != NULL && size > items_offset(def);
    if (items != NULL) {
        *items = has_items ? copy + items_offset(def) : NULL;
    }
    if (count != NULL) {
        *count = has_items ? (size - items_offset(def)) / def->item_size : 0;
    }
    return copy;
}

// Whether a field differs from the copy; the last one stands for the list.
static bool field_differs(
    const kn_world *world, kn_entity_id entity, kn_component_type_id type, uint32_t field)
{
    const kn_component_def *def = kn_component_get_def(kn_world_library(world), type);
    const void *items = NULL;
    uint32_t count = 0, size;
    const char *now = kn_component_read_whole(world, type, entity, &items, &count);
    const char *before = copy_read(world, entity, type, &size);
    if (now == NULL || before == NULL) {
        return false;
    }
    if (field == def->field_count) {
        return size != copy_size(def, count) ||
               (count > 0 &&
                   memcmp(before + items_offset(def), items, (size_t)count * def->item_size) != 0);
    }
    uint32_t from = def->fields[field].offset;
    uint32_t end = field + 1 < def->field_count ? def->fields[field + 1].offset : def->size;
    return def->fields[field].sync != KN_SYNC_NONE &&
           memcmp(now + from, before + from, end - from) != 0;
}

static bool names(const kn_capability_set_def *def, kn_component_type_id type)
{
    for (uint32_t i = 0; i < def->data_count; i++) {
        if (def->data[i].index1 == type.index1) {
            return true;
        }
    }
    return false;
}

static void change_hooks(
    kn_world *world, kn_entity_id entity, kn_component_type_id type, uint32_t field)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    const member *members = kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const member m = members[i];
        const kn_capability_def *def = kit->plans[m.capability.index1 - 1].def;
        const kn_capability_set_def *set = knc_capability_set_def_of(world, entity, m.set_number);
        if (def->data_changed.function != NULL && set != NULL && names(set, type) &&
            (m.flags & (MEMBER_SET_UP | MEMBER_LEAVING)) == MEMBER_SET_UP) {
            kn_capability_data_change change = {
                .number = m.number, .set_number = m.set_number, .component = type, .field = field};
            (void)kn_hook_run(world, kit->capability_kind, m.capability.index1, &def->data_changed,
                entity, &change);
        }
        members = kn_component_read_items(world, kit->hosts, entity, &count);
    }
}

// The copy stays as it is until all hooks have run, so that they see the old values.
static void component_look(kn_world *world, kn_entity_id entity, kn_component_type_id type)
{
    const kn_component_def *def = kn_component_get_def(kn_world_library(world), type);
    bool differs = copy_find(world, entity, type).index1 == 0;
    for (uint32_t i = 0; i <= def->field_count; i++) {
        if (field_differs(world, entity, type, i)) {
            differs = true;
            change_hooks(world, entity, type, i);
        }
    }
    if (differs && kn_component_read(world, type, entity) != NULL) {
        copy_write(world, entity, type);
    }
}

// Copies of what the entity does not have any more.
static void copies_drop(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_component_id id = {0};
    while ((id = kn_component_instance_next(world, kit->copies, entity, id)).index1 != 0) {
        const copy_record *copy = kn_component_instance_read(world, kit->copies, id);
        if (kn_component_read(world, copy->component, entity) == NULL) {
            (void)kn_component_instance_remove(world, kit->copies, id);
            id = (kn_component_id){0};
        }
    }
}

// Hooks may do anything, so sets are found anew after each component.
void knc_capability_data_look(kn_world *world, kn_entity_id entity)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    copies_drop(world, entity);
    knc_capability_hold(world, entity);
    for (uint32_t i = 0;; i++) {
        uint32_t count = 0;
        const head *heads = kn_component_read_items(world, kit->heads, entity, &count);
        if (i >= count) {
            break;
        }
        const set_plan *plan = &kit->set_plans[heads[i].set.index1 - 1];
        for (uint32_t j = 0;
             heads[i].is_there != 0 && plan->sees_changes && j < plan->def->data_count; j++) {
            kn_component_type_id type = plan->def->data[j];
            if (kn_component_get_def(kn_world_library(world), type)->sync != KN_SYNC_NONE &&
                kn_component_read(world, type, entity) != NULL) {
                component_look(world, entity, type);
                heads = kn_component_read_items(world, kit->heads, entity, &count);
            }
        }
    }
    knc_capability_let_go(world, entity);
}
