// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The command of clients about items, and what a client publishes of what it sees: nothing runs
// when it takes over what a server has sent, so it compares with what it has seen before.

#include "item_parts.h"

#define LOOKS_PER_SECOND 20

// Commands ------------------------------------------------------------------------------

static kn_result command_run(
    kn_world *world, kn_entity_id unit, uint32_t connection, const kn_rts_item_command *c)
{
    const kn_vec3 *at = c->has_location != 0 ? &c->location : NULL;
    const item_state *state = knc_rts_item_read(world, c->item);
    if (c->action == KN_RTS_ITEM_DO_BUY) {
        return kn_rts_buy(world, c->target, unit, c->number, NULL);
    }
    if (c->action == KN_RTS_ITEM_DO_PICK_UP) {
        return kn_rts_pick_up(world, unit, c->item);
    }
    if (state == NULL || !kn_entity_id_equal(state->holder, unit)) {
        return KN_REFUSED_NOT_FOUND;
    }
    switch ((kn_rts_item_action)c->action) {
    case KN_RTS_ITEM_DO_DROP:
        return kn_rts_drop_item(world, c->item, at);
    case KN_RTS_ITEM_DO_HAND:
        return kn_rts_hand_item(world, c->item, c->target);
    case KN_RTS_ITEM_DO_MOVE:
        return kn_rts_move_item(world, c->item, c->number);
    case KN_RTS_ITEM_DO_SPLIT:
        return kn_rts_split_item(world, c->item, c->number, NULL);
    case KN_RTS_ITEM_DO_USE:
        // The policies of the ability are about the client that asks.
        return knc_rts_item_use(world, c->item, c->target, at,
            connection != kn_world_connection(world) ? connection : 0, NULL);
    case KN_RTS_ITEM_DO_SELL:
        return kn_rts_sell(world, c->target, c->item);
    default:
        return KN_ERROR_BAD_DATA;
    }
}

static kn_result item_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_rts_item_command none = {0};
    (void)user;
    // A client leaves it to the server.
    return kn_world_is_client(world) ? KN_OK
                                     : command_run(world, command->entity, command->connection,
                                           command->payload != NULL ? command->payload : &none);
}

static kn_result command_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD(kn_rts_item_command, action, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_command, number, KN_FIELD_U32),
        KN_FIELD(kn_rts_item_command, item, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_item_command, target, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_item_command, location, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_item_command, has_location, KN_FIELD_U32),
    };
    kn_command_def def = kn_command_def_default();
    def.name = "rts_item";
    def.size = sizeof(kn_rts_item_command);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.function = item_command;
    return kn_command_register(library, &def, &kit->command, error);
}

// What a client sees --------------------------------------------------------------------

static seen_item seen_of(const kn_world *world, kn_entity_id item)
{
    const item_state *state = knc_rts_item_read(world, item);
    return state != NULL ? (seen_item){item, state->type, state->slot, state->charges, 0}
                         : (seen_item){0};
}

static const seen_item *seen_find(const seen_item *items, uint32_t count, kn_entity_id item)
{
    for (uint32_t i = 0; i < count; i++) {
        if (kn_entity_id_equal(items[i].item, item)) {
            return &items[i];
        }
    }
    return NULL;
}

static void change_publish(
    kn_world *world, kn_entity_id unit, const seen_item *item, uint32_t charges, bool is_gained)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    const kn_rts_item_event event = {.item = item->item,
        .type = item->type,
        .slot = item->slot,
        .charges = charges,
        .reason = is_gained ? KN_RTS_ITEM_GIVEN : KN_RTS_ITEM_ENDED};
    (void)kn_world_publish(world, unit, is_gained ? kit->gained : kit->lost, &event);
}

static void unit_look(kn_world *world, kn_entity_id unit)
{
    const item_kit *kit = knc_rts_items_of_world(world);
    kn_entity_id items[KN_RTS_SLOTS_MAX];
    seen_item now[KN_RTS_SLOTS_MAX], old[KN_RTS_SLOTS_MAX];
    uint32_t count = 0, before = 0;
    const uint32_t carried = kn_rts_items(world, unit, items, KN_RTS_SLOTS_MAX);
    for (uint32_t i = 0; i < carried && i < KN_RTS_SLOTS_MAX; i++) {
        now[count] = seen_of(world, items[i]);
        count += now[count].item.index1 != 0; // those that have arrived
    }
    const bool is_known = kn_component_read(world, kit->seen, unit) != NULL;
    const seen_item *seen = kn_component_read_items(world, kit->seen, unit, &before);
    before = before < KN_RTS_SLOTS_MAX ? before : KN_RTS_SLOTS_MAX;
    bool changes = !is_known || before != count;
    for (uint32_t i = 0; i < before; i++) {
        old[i] = seen[i];
        changes = changes || i >= count || !kn_entity_id_equal(old[i].item, now[i].item) ||
                  old[i].charges != now[i].charges || old[i].slot != now[i].slot;
    }
    if (!changes || kn_component_add(world, kit->seen, unit) == NULL) {
        return;
    }
    seen_item *own = kn_component_resize(world, kit->seen, unit, count);
    for (uint32_t i = 0; own != NULL && i < count; i++) {
        own[i] = now[i];
    }
    for (uint32_t i = 0; is_known && i < before; i++) { // what it joins with is not news
        const seen_item *same = seen_find(now, count, old[i].item);
        const uint32_t left = same != NULL ? same->charges : 0;
        if (same == NULL || left < old[i].charges) {
            change_publish(world, unit, &old[i], old[i].charges - left, false);
        }
    }
    for (uint32_t i = 0; is_known && i < count; i++) {
        const seen_item *same = seen_find(old, before, now[i].item);
        const uint32_t had = same != NULL ? same->charges : 0;
        if (same == NULL || had < now[i].charges) {
            change_publish(world, unit, &now[i], now[i].charges - had, true);
        }
    }
}

static void seen_system(void *user, kn_world *world, const kn_system_run *run)
{
    (void)user;
    (void)run;
    if (!kn_world_is_client(world)) {
        return;
    }
    const item_kit *kit = knc_rts_items_of_world(world);
    for (uint32_t i = 0; i < COUNT(kit->inventories); i++) {
        kn_entity_id unit = {0};
        while ((unit = kn_component_next(world, kit->inventories[i], unit)).index1 != 0) {
            if (knc_rts_inventory_read(world, unit, NULL) != NULL) {
                unit_look(world, unit);
            }
        }
    }
    // Inventories that are gone, or those of another player now.
    kn_entity_id unit = {0};
    while ((unit = kn_component_next(world, kit->seen, unit)).index1 != 0) {
        if (knc_rts_inventory_read(world, unit, NULL) == NULL) {
            unit_look(world, unit);
            (void)kn_component_remove(world, kit->seen, unit);
        }
    }
}

kn_result knc_rts_item_client_register(kn_library *library, item_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(items_seen, unused, KN_FIELD_U32)};
    static const kn_field items[] = {
        KN_FIELD(seen_item, item, KN_FIELD_ENTITY),
        KN_FIELD_TO(seen_item, type, "rts item"),
        KN_FIELD(seen_item, slot, KN_FIELD_U32),
        KN_FIELD(seen_item, charges, KN_FIELD_U32),
        KN_FIELD(seen_item, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    kn_system_def system = kn_system_def_default();
    kn_system_id id;
    def.name = "Knack.RtsItemsSeen";
    def.size = sizeof(items_seen);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(seen_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_NONE;
    system.name = "Knack.RtsItemClient";
    system.rate = LOOKS_PER_SECOND;
    system.group = KN_SYSTEM_GROUP_CLEANUP;
    system.function = seen_system;
    kn_result result = kn_component_register(library, &def, &kit->seen, error);
    if (result == KN_OK) {
        result = command_register(library, kit, error);
    }
    return result == KN_OK ? kn_system_register(library, &system, &id, error) : result;
}
