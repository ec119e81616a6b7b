// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the kit share: the ids of what they have registered. A library keeps it under
// a key, so that every rule finds it, whatever library its world has.
#ifndef KIT_PARTS_H
#define KIT_PARTS_H

#include "kit.h"

typedef struct cast_ids {
    kn_def_kind kind;
    kn_tag interrupt, lockout;
    kn_name bar;
    kn_end_reason interrupted;
    kn_custom_event_id started, pushed, ended;
    uint32_t *by_ability; // number of the cast of each ability type, or 0
    uint32_t ability_count;
} cast_ids;

typedef struct global_ids {
    kn_tag key;
} global_ids;

typedef struct behaviour_ids {
    kn_def_kind kind;
    kn_component_type_id list, block;
    kn_custom_event_id changed;
    kn_cause_type_id cause;
    kn_system_id system;
} behaviour_ids;

typedef struct order_ids {
    kn_def_kind kind;
    kn_component_type_id orders;
    kn_command_type_id order_command, clear_command;
    kn_custom_event_id started, ended, refused;
    kn_cause_type_id cause;
    kn_timer_type_id patience, next;
    kn_fail without_order;
    kn_end_reason end_reasons[ORDER_TARGET_GONE + 1]; // by order_outcome
} order_ids;

struct kit {
    cast_ids cast;
    global_ids global;
    behaviour_ids behaviour;
    order_ids order;
};

kn_result cast_part_register(kn_library *library, kit *ids, kn_error *error);
void cast_part_release(kit *ids);
kn_result behaviour_part_register(kn_library *library, kit *ids, kn_error *error);
kn_result global_part_register(kn_library *library, kit *ids, kn_error *error);
kn_result order_part_register(kn_library *library, kit *ids, kn_error *error);

// Checks all abilities of a library, when everything is registered.
kn_result global_check(const kn_library *library, kn_error *error);

#endif
