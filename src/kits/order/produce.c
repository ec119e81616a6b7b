// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Production as a part of the order kit: what a program registers.

#include "produce_parts.h"

#include <stdlib.h>

static const char key; // only its address counts

produce_kit *knc_produce_kit_of(const kn_library *library)
{
    return library != NULL ? kn_library_data(library, &key) : NULL;
}

const produce_kit *knc_produce_kit_of_world(const kn_world *world)
{
    return world != NULL ? knc_produce_kit_of(kn_world_library(world)) : NULL;
}

bool kn_order_produce_is_there(const kn_library *library)
{
    return knc_produce_kit_of(library) != NULL;
}

kn_result knc_produce_rule(kn_library *library, const char *name, kn_trigger trigger, kn_tag tag,
    int32_t priority, kn_rule_fn *function, void *user, kn_error *error)
{
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.tag = tag;
    def.priority = priority;
    def.function = function;
    def.user = user;
    kn_result result = kn_rule_register(library, &def, &rule, error);
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
}

static kn_result tags_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static const char *const names[PRODUCE_TAG_COUNT] = {
        [TAG_CONSTRUCTING] = "Knack.Status.Constructing",
        [TAG_PRODUCED] = "Knack.Event.Produced",
        [TAG_COST] = "Knack.Order.Cost",
        [TAG_LIMIT] = "Knack.Order.Limit",
        [TAG_NO_ROOM] = "Knack.Order.NoRoom",
        [TAG_EXHAUSTED] = "Knack.Order.Exhausted",
        [TAG_NO_DROP] = "Knack.Order.NoDropOff",
        [TAG_NO_LOAD] = "Knack.Order.NoLoad",
        [TAG_RESOURCE] = "Knack.Kind.Resource",
        [TAG_DROP] = "Knack.Kind.DropOff",
        [TAG_CARRYING] = "Knack.Status.Carrying",
        [TAG_FULL] = "Knack.Status.Full",
    };
    return kn_tag_register_module(library, "Knack", names, PRODUCE_TAG_COUNT, kit->tags, error);
}

static kn_result events_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(kn_product_event, product, "product"),
        KN_FIELD(kn_product_event, payer, KN_FIELD_ENTITY),
        KN_FIELD(kn_product_event, created, KN_FIELD_ENTITY),
        KN_FIELD(kn_product_event, position, KN_FIELD_U32),
        KN_FIELD(kn_product_event, refunded, KN_FIELD_F32),
    };
    const struct {
        const char *name, *text;
        kn_custom_event_id *id;
    } events[] = {
        {"Knack.ProductQueued", "{product} is queued", &kit->queued},
        {"Knack.ProductStarted", "{product} is begun", &kit->started},
        {"Knack.ProductFinished", "{product} is done: {created}", &kit->finished},
        {"Knack.ProductWaits", "{product} is done, but cannot be created yet", &kit->waits},
        {"Knack.ProductCancelled", "{product} is cancelled", &kit->cancelled},
    };
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(events); i++) {
        kn_custom_event_def def = kn_custom_event_def_default();
        def.name = events[i].name;
        def.text = events[i].text;
        def.size = sizeof(kn_product_event);
        def.fields = fields;
        def.field_count = COUNT(fields);
        result = kn_custom_event_register(library, &def, events[i].id, error);
    }
    return result;
}

static void kit_release(void *user)
{
    produce_kit *kit = user;
    free(kit->heard);
    free(kit);
}

static kn_result parts_register(kn_library *library, produce_kit *kit, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, produce_kit *, kn_error *) = {
        tags_register,
        knc_produce_kinds_register,
        events_register,
        knc_produce_queue_register,
        knc_produce_rally_register,
        knc_produce_orders_register,
        knc_site_register,
        knc_produce_work_register,
        knc_site_orders_register,
        knc_gather_kinds_register,
        knc_gather_register,
        knc_gather_orders_register,
        knc_produce_script_register,
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error);
    }
    return result;
}

kn_result kn_order_produce_register(kn_library *library, kn_error *error)
{
    static const kn_kit order = {"order", kn_order_register};
    kn_error ignored;
    error = error != NULL ? error : &ignored;
    if (library == NULL || kn_order_produce_is_there(library)) {
        return library == NULL ? KN_ERROR_INVALID_ARGUMENT : KN_REFUSED_DUPLICATE;
    }
    kn_result result = kn_order_is_there(library) ? KN_OK : kn_kit_register(library, &order, error);
    if (result != KN_OK) {
        return result;
    }
    produce_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->orders = knc_order_kit_of(library);
    result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    return parts_register(library, kit, error);
}
