// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Items as others see them, and the registration of this part.

#include "item_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define OWNERS_MAX 32 // of owners, until a unit counts as nobody's

static const char key; // only its address counts

item_kit *knc_rts_items_of(const kn_library *library)
{
    return library != NULL ? kn_library_data(library, &key) : NULL;
}

const item_kit *knc_rts_items_of_world(const kn_world *world)
{
    return world != NULL ? knc_rts_items_of(kn_world_library(world)) : NULL;
}

// Inventories ---------------------------------------------------------------------------

// The connection of the player who controls a unit: its own, or that of its owner, and so on.
static uint32_t connection_of(const kn_world *world, kn_entity_id unit)
{
    uint32_t connection = 0;
    for (uint32_t i = 0; i < OWNERS_MAX && unit.index1 != 0 && connection == 0; i++) {
        const kn_entity_id owner = kn_entity_owner(world, unit);
        connection = kn_entity_connection(world, unit);
        unit = kn_entity_is_alive(world, owner) ? owner : kn_entity_parent(world, unit);
    }
    return connection;
}

// Whether the player of another machine controls a unit. A client keeps what it has seen of a
// private inventory before, but hears no more of it.
static bool is_elsewhere(const kn_world *world, kn_entity_id unit)
{
    const uint32_t connection = connection_of(world, unit);
    return connection != 0 && kn_world_connection(world) != 0 &&
           connection != kn_world_connection(world);
}

const inventory_state *knc_rts_inventory_read(
    const kn_world *world, kn_entity_id entity, kn_component_type_id *type)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    for (uint32_t i = 0; kit != NULL && entity.index1 != 0 && i < COUNT(kit->inventories); i++) {
        const inventory_state *found = kn_component_read(world, kit->inventories[i], entity);
        if (found != NULL && i == 0 && kn_world_is_client(world) && is_elsewhere(world, entity)) {
            continue;
        }
        if (found != NULL) {
            if (type != NULL) {
                *type = kit->inventories[i];
            }
            return found;
        }
    }
    return NULL;
}

const kn_rts_inventory_def *knc_rts_inventory_def(const kn_world *world, kn_entity_id entity)
{
    const inventory_state *found = knc_rts_inventory_read(world, entity, NULL);
    return found != NULL ? kn_rts_inventory_get_def(kn_world_library(world), found->type) : NULL;
}

bool kn_rts_item_relevance(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const item_state *item = kit != NULL ? knc_rts_item_read(world, entity) : NULL;
    (void)user;
    return item == NULL || kn_component_read(world, kit->inventories[0], item->holder) == NULL ||
           connection_of(world, item->holder) == connection;
}

kn_rts_inventory_type_id kn_rts_inventory_get_type(const kn_world *world, kn_entity_id entity)
{
    const inventory_state *found = knc_rts_inventory_read(world, entity, NULL);
    return found != NULL ? found->type : (kn_rts_inventory_type_id){0};
}

const kn_rts_slot_def *knc_rts_slot_def(const kn_rts_inventory_def *def, uint32_t slot)
{
    for (uint32_t i = 0; def != NULL && i < def->slot_count; i++) {
        if (slot < def->slots[i].count) {
            return &def->slots[i];
        }
        slot -= def->slots[i].count;
    }
    return NULL;
}

uint32_t knc_rts_slots_of(const kn_rts_inventory_def *def)
{
    uint32_t count = 0;
    for (uint32_t i = 0; def != NULL && i < def->slot_count; i++) {
        count += def->slots[i].count;
    }
    return count;
}

static const slot_item *slots_read(const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    kn_component_type_id type;
    *count = 0;
    return knc_rts_inventory_read(world, entity, &type) != NULL
               ? kn_component_read_items(world, type, entity, count)
               : NULL;
}

uint32_t kn_rts_slot_count(const kn_world *world, kn_entity_id entity)
{
    uint32_t count;
    (void)slots_read(world, entity, &count);
    return count;
}

kn_entity_id kn_rts_slot_item(const kn_world *world, kn_entity_id entity, uint32_t slot)
{
    uint32_t count;
    const slot_item *slots = slots_read(world, entity, &count);
    return slot < count ? slots[slot].item : (kn_entity_id){0};
}

uint32_t kn_rts_items(
    const kn_world *world, kn_entity_id entity, kn_entity_id *out, uint32_t capacity)
{
    uint32_t count, found = 0;
    const slot_item *slots = slots_read(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (slots[i].item.index1 != 0) {
            if (found < capacity) {
                out[found] = slots[i].item;
            }
            found++;
        }
    }
    return found;
}

kn_entity_id kn_rts_carried_item(
    const kn_world *world, kn_entity_id entity, kn_rts_item_type_id type)
{
    uint32_t count;
    const slot_item *slots = slots_read(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        const item_state *state = knc_rts_item_read(world, slots[i].item);
        if (state != NULL && state->type.index1 == type.index1) {
            return slots[i].item;
        }
    }
    return (kn_entity_id){0};
}

uint32_t kn_rts_count_items(const kn_world *world, kn_entity_id entity, kn_rts_item_type_id type)
{
    uint32_t count, found = 0;
    const slot_item *slots = slots_read(world, entity, &count);
    const kn_rts_item_def *def = world != NULL ? knc_rts_item_def(world, type) : NULL;
    for (uint32_t i = 0; def != NULL && i < count; i++) {
        const item_state *state = knc_rts_item_read(world, slots[i].item);
        if (state != NULL && state->type.index1 == type.index1) {
            found += def->stack > 0 ? state->charges : 1;
        }
    }
    return found;
}

// Items ---------------------------------------------------------------------------------

const item_state *knc_rts_item_read(const kn_world *world, kn_entity_id item)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    return kit != NULL && item.index1 != 0 ? kn_component_read(world, kit->items, item) : NULL;
}

const kn_rts_item_def *knc_rts_item_def(const kn_world *world, kn_rts_item_type_id type)
{
    return kn_rts_item_get_def(kn_world_library(world), type);
}

bool kn_rts_item_get_info(const kn_world *world, kn_entity_id item, kn_rts_item_info *info)
{
    const item_state *state = knc_rts_item_read(world, item);
    *info = (kn_rts_item_info){0};
    if (state == NULL) {
        return false;
    }
    const kn_rts_slot_def *slot =
        knc_rts_slot_def(knc_rts_inventory_def(world, state->holder), state->slot);
    *info = (kn_rts_item_info){.type = state->type,
        .holder = state->holder,
        .slot = state->slot,
        .charges = state->charges,
        .acts = slot != NULL && !slot->is_stash,
        .is_placed = (state->flags & ITEM_PLACED) != 0,
        .location = state->at,
        .effect = kn_effect_is_alive(world, state->effect) ? state->effect : (kn_effect_id){0},
        .ability =
            kn_ability_is_alive(world, state->ability) ? state->ability : (kn_ability_id){0}};
    return true;
}

kn_entity_id knc_rts_item_payer(const kn_world *world, kn_entity_id unit)
{
    const kn_entity_id owner = kn_entity_owner(world, unit);
    return kn_entity_is_alive(world, owner) ? owner : unit;
}

static float radius_of(const kn_world *world, kn_entity_id entity)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_body *body =
        kit->bodies.index1 != 0 ? kn_component_read(world, kit->bodies, entity) : NULL;
    return body != NULL ? body->radius : 0.0f;
}

static bool place_of(const kn_world *world, kn_entity_id entity, kn_vec3 *at)
{
    const item_state *state = knc_rts_item_read(world, entity);
    if (state != NULL) {
        *at = state->at;
        return (state->flags & ITEM_PLACED) != 0;
    }
    return kn_space_position(kn_world_space(world), world, entity, at);
}

bool knc_rts_item_reaches(
    const kn_world *world, kn_entity_id from, kn_entity_id to, const kn_vec3 *at, float range)
{
    kn_vec3 a, b = at != NULL ? *at : (kn_vec3){0};
    if (!place_of(world, from, &a) || (at == NULL && !place_of(world, to, &b))) {
        return true;
    }
    const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
    const float reach =
        range + radius_of(world, from) + (at == NULL ? radius_of(world, to) : 0.0f) + 0.01f;
    return x * x + y * y + z * z <= reach * reach;
}

// Texts ---------------------------------------------------------------------------------

kn_rts_look kn_rts_item_look(const kn_library *library, kn_rts_item_type_id type)
{
    const kn_rts_item_def *def = kn_rts_item_get_def(library, type);
    kn_rts_look look = {.title = "", .button = -1};
    if (def == NULL) {
        return look;
    }
    if (kn_rts_ability_display(library, def->ability) != NULL) {
        look = kn_rts_ability_look(library, def->ability);
    } else if (kn_rts_effect_display(library, def->effect) != NULL) {
        look = kn_rts_effect_look(library, def->effect);
    } else {
        look.title = def->name;
    }
    look.title = def->title != NULL ? def->title : look.title;
    look.icon = def->icon != NULL ? def->icon : look.icon;
    return look;
}

uint32_t kn_rts_describe_item(const kn_world *world, kn_entity_id item, char *text, uint32_t size)
{
    const item_state *state = knc_rts_item_read(world, item);
    const kn_rts_item_def *def = state != NULL ? knc_rts_item_def(world, state->type) : NULL;
    if (def == NULL || def->description != NULL) {
        const kn_rts_text_argument numbers[] = {
            {"charges", def != NULL ? (float)state->charges : 0.0f},
            {"level", def != NULL ? def->level : 0.0f},
        };
        return kn_rts_text_format(
            def != NULL ? def->description : "", numbers, COUNT(numbers), text, size);
    }
    return def->ability.index1 != 0
               ? kn_rts_describe_ability(world, state->holder, def->ability, def->level, text, size)
               : kn_rts_describe_effect(world, state->holder, def->effect, def->level, text, size);
}

// Registering ---------------------------------------------------------------------------

static void kit_release(void *user)
{
    item_kit *kit = user;
    free(kit->abilities);
    free(kit->effects);
    free(kit);
}

static kn_result inventories_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const char *const names[] = {"Knack.RtsInventory", "Knack.RtsPublicInventory"};
    static const kn_field fields[] = {KN_FIELD_TO(inventory_state, type, "rts inventory")};
    static const kn_field items[] = {KN_FIELD(slot_item, item, KN_FIELD_ENTITY)};
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(names); i++) {
        kn_component_def def = kn_component_def_default();
        def.name = names[i];
        def.size = sizeof(inventory_state);
        def.fields = fields;
        def.field_count = COUNT(fields);
        def.item_size = sizeof(slot_item);
        def.item_fields = items;
        def.item_field_count = COUNT(items);
        def.sync = i == 0 ? KN_SYNC_OWNER : KN_SYNC_ALL;
        def.removed = knc_rts_inventory_removed;
        result = kn_component_register(library, &def, &kit->inventories[i], error);
    }
    return result;
}

static kn_result items_register(kn_library *library, item_kit *kit, kn_error *error)
{
    kn_field fields[] = {
        KN_FIELD(item_state, ready_at, KN_FIELD_TIME),
        KN_FIELD(item_state, cycle, KN_FIELD_TIME),
        KN_FIELD(item_state, holder, KN_FIELD_ENTITY),
        KN_FIELD(item_state, effect, KN_FIELD_EFFECT),
        KN_FIELD(item_state, ability, KN_FIELD_ABILITY),
        KN_FIELD(item_state, at, KN_FIELD_VEC3),
        KN_FIELD_TO(item_state, type, "rts item"),
        KN_FIELD(item_state, slot, KN_FIELD_U32),
        KN_FIELD(item_state, charges, KN_FIELD_U32),
        KN_FIELD(item_state, stacks, KN_FIELD_U32),
        KN_FIELD(item_state, missing, KN_FIELD_U32),
        KN_FIELD(item_state, flags, KN_FIELD_U32),
        KN_FIELD(item_state, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsItem";
    def.size = sizeof(item_state);
    def.fields = fields;
    def.field_count = COUNT(fields);
    return kn_component_register(library, &def, &kit->items, error);
}

static kn_result events_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_rts_item_event, item, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_item_event, other, KN_FIELD_ENTITY),
        KN_FIELD_TO(kn_rts_item_event, type, "rts item"),
        KN_FIELD(kn_rts_item_event, slot, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_event, charges, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_event, reason, KN_FIELD_U32),
    };
    kn_result result = knc_rts_event_register(library, "Knack.RtsItemGained",
        sizeof(kn_rts_item_event), fields, COUNT(fields), "gets {type}", &kit->gained, error);
    if (result == KN_OK) {
        result = knc_rts_event_register(library, "Knack.RtsItemLost", sizeof(kn_rts_item_event),
            fields, COUNT(fields), "loses {type}", &kit->lost, error);
    }
    return result == KN_OK
               ? knc_rts_event_register(library, "Knack.RtsItemUsed", sizeof(kn_rts_item_event),
                     fields, COUNT(fields), "uses {type}", &kit->used, error)
               : result;
}

kn_result knc_rts_items_register(kn_library *library, rts_kit *rts, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, item_kit *, kn_error *) = {
        knc_rts_item_kinds_register,
        inventories_register,
        items_register,
        events_register,
        knc_rts_item_calls_register,
        knc_rts_item_lists_register,
        knc_rts_shops_register,
        knc_rts_item_client_register,
        knc_rts_item_orders_register,
        knc_rts_item_functions_register,
    };
    item_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->rts = rts;
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error);
    }
    return result;
}
