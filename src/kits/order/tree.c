// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Trees and blackboards as a part of the order kit.

#include "tree_parts.h"

#include <stdlib.h>

static const char key; // only its address counts

tree_kit *knc_tree_kit_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

const tree_kit *knc_tree_kit_of_world(const kn_world *world)
{
    return world != NULL ? knc_tree_kit_of(kn_world_library(world)) : NULL;
}

static void kit_release(void *user)
{
    tree_kit *kit = user;
    knc_tree_plans_release(kit);
    knc_tree_boards_release(kit);
    knc_tree_hearings_release(kit);
    free(kit);
}

static kn_result events_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {
        KN_FIELD_TO(kn_tree_event, tree, "tree"),
        KN_FIELD_WORDS(kn_tree_event, result, "succeeded failed running aborted"),
        KN_FIELD(kn_tree_event, node, KN_FIELD_U32),
    };
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "Knack.TreeEnded";
    def.size = sizeof(kn_tree_event);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.text = "tree {tree}: {result}";
    kn_result result = kn_custom_event_register(library, &def, &kit->ended, error);
    def.name = "Knack.TreeStuck";
    def.text = "tree {tree} goes on without waiting, and is stopped";
    return result != KN_OK ? result : kn_custom_event_register(library, &def, &kit->stuck, error);
}

static kn_result stream_register(kn_library *library, tree_kit *kit, kn_error *error)
{
    return kn_stream_register(library, "Knack.Tree", true, &kit->stream, error);
}

kn_result knc_tree_part_register(kn_library *library, order_kit *orders, kn_error *error)
{
    static kn_result (*const parts[])(kn_library *, tree_kit *, kn_error *) = {
        knc_tree_kinds_register,
        knc_tree_board_component,
        knc_tree_run_components,
        knc_tree_order_timer,
        events_register,
        stream_register,
        knc_tree_life_register,
    };
    tree_kit *kit = calloc(1, sizeof(*kit));
    if (kit == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kit->orders = orders;
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
