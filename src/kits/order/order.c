// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kit as a whole: what a program registers.

#include "parts.h"

#include <stdlib.h>

static const char key; // only its address counts

order_kit *knc_order_kit_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

const order_kit *knc_order_kit_of_world(const kn_world *world)
{
    return world != NULL ? knc_order_kit_of(kn_world_library(world)) : NULL;
}

bool kn_order_is_there(const kn_library *library)
{
    return library != NULL && knc_order_kit_of(library) != NULL;
}

static kn_result tags_register(kn_library *library, order_kit *kit, kn_error *error)
{
    static const char *const names[TAG_COUNT] = {
        [TAG_ALIVE] = "Knack.Status.Alive",
        [TAG_FRIENDLY] = "Knack.Relation.Friendly",
        [TAG_HOSTILE] = "Knack.Relation.Hostile",
        [TAG_NEUTRAL] = "Knack.Relation.Neutral",
        [TAG_SELF] = "Knack.Relation.Self",
        [TAG_VISIBLE] = "Knack.Relation.Visible",
        [TAG_NO_TARGET] = "Knack.Order.NoTarget",
        [TAG_NO_ABILITY] = "Knack.Order.NoAbility",
        [TAG_ATTACK_ABILITY] = "Knack.Ability.Attack",
    };
    return kn_tag_register_module(library, "Knack", names, TAG_COUNT, kit->own_tags, error);
}

static kn_result event_register(kn_library *library, const char *name, uint32_t size,
    const kn_field *fields, uint32_t count, const char *text, kn_custom_event_id *id,
    kn_error *error)
{
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = name;
    def.size = size;
    def.fields = fields;
    def.field_count = count;
    def.text = text;
    return kn_custom_event_register(library, &def, id, error);
}

static kn_result events_register(kn_library *library, order_kit *kit, kn_error *error)
{
    static const kn_field queue_fields[] = {
        KN_FIELD(kn_order_queue_event, count, KN_FIELD_U32),
        KN_FIELD(kn_order_queue_event, is_cleared, KN_FIELD_U32),
    };
    static const kn_field retargeted_fields[] = {
        KN_FIELD(kn_order_retargeted, from, KN_FIELD_ENTITY),
        KN_FIELD(kn_order_retargeted, to, KN_FIELD_ENTITY),
        KN_FIELD(kn_order_retargeted, count, KN_FIELD_U32),
        KN_FIELD(kn_order_retargeted, unused, KN_FIELD_U32),
    };
    kn_field ended_fields[COUNT(knc_order_fields) + 2];
    const kn_field own_fields[] = {
        KN_FIELD_WORDS(kn_order_ended, result, "succeeded failed canceled"),
        KN_FIELD(kn_order_ended, counts, KN_FIELD_U32),
    };
    for (uint32_t i = 0; i < COUNT(ended_fields); i++) {
        ended_fields[i] = i < COUNT(knc_order_fields) ? knc_order_fields[i]
                                                      : own_fields[i - COUNT(knc_order_fields)];
    }
    const struct {
        const char *name, *text;
        kn_custom_event_id *id;
    } plain[] = {
        {"Knack.OrderChanged", "order {type} {target}", &kit->changed},
        {"Knack.OrderEnqueued", "order {type} {target} waits", &kit->enqueued},
        {"Knack.OrderRefused", "order {type} {target} is refused", &kit->refused},
    };
    kn_result result = KN_OK;
    for (uint32_t i = 0; result == KN_OK && i < COUNT(plain); i++) {
        result = event_register(library, plain[i].name, sizeof(kn_order_event), knc_order_fields,
            COUNT(knc_order_fields), plain[i].text, plain[i].id, error);
    }
    if (result == KN_OK) {
        result = event_register(library, "Knack.OrderQueue", sizeof(kn_order_queue_event),
            queue_fields, COUNT(queue_fields), "{count} orders wait", &kit->queue, error);
    }
    if (result == KN_OK) {
        result = event_register(library, "Knack.OrderRetargeted", sizeof(kn_order_retargeted),
            retargeted_fields, COUNT(retargeted_fields), "orders at {from} are at {to} now",
            &kit->retargeted, error);
    }
    return result != KN_OK
               ? result
               : event_register(library, "Knack.OrderEnded", sizeof(kn_order_ended), ended_fields,
                     COUNT(ended_fields), "order {type} {target}: {result}", &kit->ended, error);
}

static void kit_release(void *user)
{
    order_kit *kit = user;
    for (uint32_t i = 0; i < kit->tried_count; i++) {
        free(kit->tried[i]);
    }
    free(kit->tried);
    knc_order_plans_release(kit);
    free(kit->heard);
    free(kit->waking);
    free(kit);
}

kn_result kn_order_register(kn_library *library, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, order_kit *, kn_error *) = {
        tags_register,
        knc_order_kinds_register,
        knc_order_components_register,
        knc_order_autos_register,
        knc_order_tags_register,
        events_register,
        knc_order_rules_register,
        knc_tree_part_register,
        knc_order_scripts_register,
        knc_mover_part_register,
        knc_order_client_register,
        knc_order_commands_register,
    };
    kn_error ignored;
    if (library == NULL || kn_order_is_there(library)) {
        return library == NULL ? KN_ERROR_INVALID_ARGUMENT : KN_REFUSED_DUPLICATE;
    }
    order_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->default_rules = kn_order_rules_def_default();
    kit->rules = &kit->default_rules;
    kn_result result = kn_library_set_data(library, &key, kit, kit_release);
    if (result != KN_OK) {
        free(kit);
        return result;
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, kit, error != NULL ? error : &ignored);
    }
    return result;
}
