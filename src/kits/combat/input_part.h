// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What input.c has registered.
#ifndef KNACK_INPUT_PART_H
#define KNACK_INPUT_PART_H

#include "knack/input_queue.h"

typedef struct input_ids {
    kn_def_kind kind, rules_kind;
    kn_component_type_id component;
    kn_timer_type_id timer;
    kn_command_type_id press, release, clear;
    kn_custom_event_id event;
    kn_tag restricted;    // the root of restrictions that abilities impose on themselves
    kn_tag global;        // key of the global cooldown
    uint32_t *by_ability; // the input of each ability type
    uint32_t ability_count;
} input_ids;

// In input_def.c: the kinds of definitions, commands and events.
kn_result knc_input_kinds_register(kn_library *library, input_ids *ids, kn_error *error);
// In input_use.c.
kn_result knc_input_use_register(kn_library *library, input_ids *ids, kn_error *error);
// In input.c: reacts to the death of an entity.
void knc_input_dead_rule(void *user, kn_world *world, const kn_reaction *reaction);

#endif
