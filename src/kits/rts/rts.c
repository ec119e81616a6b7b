// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kit as a whole: what a program registers.

#include "parts.h"

#include <stdlib.h>

static const char key; // only its address counts

rts_kit *knc_rts_kit_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

const rts_kit *knc_rts_kit_of_world(const kn_world *world)
{
    return world != NULL ? knc_rts_kit_of(kn_world_library(world)) : NULL;
}

bool kn_rts_is_there(const kn_library *library)
{
    return library != NULL && knc_rts_kit_of(library) != NULL;
}

kn_result knc_rts_event_register(kn_library *library, const char *name, uint32_t size,
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

kn_result knc_rts_rule_register(kn_library *library, const char *name, kn_trigger trigger,
    kn_tag tag, kn_attribute_id attribute, kn_rule_fn *function, void *user, kn_error *error)
{
    kn_rule_id rule;
    kn_rule_def def = kn_rule_def_default();
    def.name = name;
    def.trigger = trigger;
    def.tag = tag;
    def.attribute = attribute;
    def.function = function;
    def.user = user;
    kn_result result = kn_rule_register(library, &def, &rule, error);
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
}

kn_result knc_rts_may_change(const kn_world *world, kn_entity_id entity)
{
    if (knc_rts_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (kn_world_is_client(world)) {
        return KN_REFUSED_BLOCKED;
    }
    return kn_entity_is_alive(world, entity) ? KN_OK : KN_REFUSED_STALE_ID;
}

static void kit_release(void *user)
{
    knc_rts_unit_plans_release(user);
    free(user);
}

kn_result kn_rts_register(kn_library *library, kn_error *error)
{
    // Tags and rules come first: what the others expand follows from them.
    static kn_result (*const parts[])(kn_library *, rts_kit *, kn_error *) = {
        knc_rts_tags_register,
        knc_rts_unit_kinds_register,
        knc_rts_units_register,
        knc_rts_levels_register,
        knc_rts_points_register,
        knc_rts_client_register,
        knc_rts_functions_register,
        knc_rts_attack_register,
        knc_rts_tech_register,
        knc_rts_items_register,
        knc_rts_displays_register,
        knc_rts_teams_register,
        knc_rts_use_order_register,
        knc_rts_card_functions_register,
    };
    kn_error ignored;
    error = error != NULL ? error : &ignored;
    if (library == NULL || kn_rts_is_there(library)) {
        return library == NULL ? KN_ERROR_INVALID_ARGUMENT : KN_REFUSED_DUPLICATE;
    }
    if (!kn_order_is_there(library)) {
        return kn_error_set(error, KN_REFUSED_REQUIREMENT,
            "the kit `rts` needs the kit `order` before it: write `kits: [order, rts]`");
    }
    rts_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
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
