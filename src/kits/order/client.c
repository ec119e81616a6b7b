// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What clients notice of orders. No hook runs when a client takes over what a server sent, so the
// client keeps in mind what it published of each unit last, and looks whether that has changed.
// Both are state of the client's world: what is simulated again is published once.

#include "parts.h"

#include <string.h>

#define RATE 60 // looks per second

// What was published last.
typedef struct unit_seen {
    kn_order current;
    uint64_t queue; // a hash of what waits; 0: nothing does
} unit_seen;

// What the player asked for; the items are kn_order_pending.
typedef struct unit_pending {
    uint32_t unused;
} unit_pending;

static void changed_publish(kn_world *world, kn_entity_id unit, const kn_order *order)
{
    const kn_order_event payload = {*order};
    (void)kn_world_publish(world, unit, knc_order_kit_of_world(world)->changed, &payload);
}

static void queue_publish(kn_world *world, kn_entity_id unit, uint32_t count)
{
    const kn_order_queue_event payload = {count, 0};
    (void)kn_world_publish(world, unit, knc_order_kit_of_world(world)->queue, &payload);
}

static bool order_is_same(const kn_order *a, const kn_order *b)
{
    return kn_order_equal(a, b) && a->uses_location == b->uses_location;
}

static void unit_look(kn_world *world, kn_entity_id unit)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    const void *items = NULL;
    uint32_t all = 0;
    const unit_orders *orders = kn_component_read_whole(world, kit->orders, unit, &items, &all);
    const unit_seen *seen = kn_component_read(world, kit->seen, unit);
    const uint32_t count = orders->first < all ? all - orders->first : 0;
    const uint64_t hash = count > 0
                              ? kn_hash_bytes(count, (const queue_item *)items + orders->first,
                                    count * sizeof(queue_item))
                              : 0;
    const bool is_new = seen == NULL; // it has changed from nothing
    const bool is_changed = is_new ? orders->current.type.index1 != 0
                                   : !order_is_same(&seen->current, &orders->current);
    const bool is_queue_changed = (is_new ? 0 : seen->queue) != hash;
    if (!is_new && !is_changed && !is_queue_changed) {
        return;
    }
    const kn_order current = orders->current;
    unit_seen *now = kn_component_add(world, kit->seen, unit);
    if (now == NULL) {
        return;
    }
    now->current = current;
    now->queue = hash;
    if (is_changed) {
        changed_publish(world, unit, &current);
    }
    if (is_queue_changed) {
        queue_publish(world, unit, count);
    }
}

// Entities that do not obey any more.
static void seen_drop(kn_world *world)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    kn_entity_id unit = {0};
    while ((unit = kn_component_next(world, kit->seen, unit)).index1 != 0) {
        if (kn_component_read(world, kit->orders, unit) == NULL) {
            (void)kn_component_remove(world, kit->seen, unit);
        }
    }
}

static void units_look(void *user, kn_world *world, const kn_system_run *run)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    kn_entity_id unit = {0};
    (void)user;
    (void)run;
    if (!kn_world_is_client(world)) {
        return; // there what happens is published when it does
    }
    while ((unit = kn_component_next(world, kit->orders, unit)).index1 != 0) {
        unit_look(world, unit);
    }
    if (kn_component_get_changes(world, kit->seen).components !=
        kn_component_get_changes(world, kit->orders).components) {
        seen_drop(world);
    }
}

// Pending orders --------------------------------------------------------------------------

void knc_order_pending_add(kn_world *world, kn_entity_id unit, const kn_order_pending *pending)
{
    kn_component_type_id type = knc_order_kit_of_world(world)->pending;
    uint32_t count = 0;
    if (kn_unit_get_type(world, unit).index1 == 0 || kn_component_add(world, type, unit) == NULL) {
        return;
    }
    (void)kn_component_read_items(world, type, unit, &count);
    kn_order_pending *items = kn_component_resize(world, type, unit, count + 1);
    if (items != NULL) {
        items[count] = *pending;
    }
}

uint32_t kn_unit_pending(
    const kn_world *world, kn_entity_id unit, kn_order_pending *out, uint32_t capacity)
{
    const order_kit *kit = knc_order_kit_of_world(world);
    uint32_t count = 0;
    const kn_order_pending *items =
        kit != NULL ? kn_component_read_items(world, kit->pending, unit, &count) : NULL;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = items[i];
    }
    return count;
}

// Registration ----------------------------------------------------------------------------

kn_result knc_order_client_register(kn_library *library, order_kit *kit, kn_error *error)
{
    enum { ORDER = COUNT(knc_order_fields) };
    static const kn_field mark_fields[] = {KN_FIELD(unit_pending, unused, KN_FIELD_U32)};
    kn_field seen[ORDER + 1], pending[ORDER + 2];
    memcpy(seen, knc_order_fields, sizeof(knc_order_fields)); // the order comes first
    seen[ORDER] = (kn_field)KN_FIELD(unit_seen, queue, KN_FIELD_U64);
    memcpy(pending, knc_order_fields, sizeof(knc_order_fields));
    pending[ORDER] = (kn_field)KN_FIELD_WORDS(kn_order_pending, ask, KNC_ORDER_ASK_WORDS);
    pending[ORDER + 1] = (kn_field)KN_FIELD(kn_order_pending, sequence, KN_FIELD_U32);
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.OrderSeen";
    def.size = sizeof(unit_seen);
    def.fields = seen;
    def.field_count = COUNT(seen);
    def.sync = KN_SYNC_NONE;
    kn_result result = kn_component_register(library, &def, &kit->seen, error);
    if (result != KN_OK) {
        return result;
    }
    def.name = "Knack.OrderPending";
    def.size = sizeof(unit_pending);
    def.fields = mark_fields;
    def.field_count = COUNT(mark_fields);
    def.item_size = sizeof(kn_order_pending);
    def.item_fields = pending;
    def.item_field_count = COUNT(pending);
    result = kn_component_register(library, &def, &kit->pending, error);
    if (result != KN_OK) {
        return result;
    }
    kn_system_id unused;
    kn_system_def system = kn_system_def_default();
    system.name = "Knack.OrderEvents";
    system.rate = RATE;
    system.group = KN_SYSTEM_GROUP_CLEANUP;
    system.function = units_look;
    return kn_system_register(library, &system, &unused, error);
}
