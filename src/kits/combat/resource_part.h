// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What resource.c has registered.
#ifndef KNACK_RESOURCE_PART_H
#define KNACK_RESOURCE_PART_H

#include "knack/resource.h"

// What an attribute is to a resource.
typedef struct resource_use {
    uint32_t attribute1; // the attribute
    uint32_t resource1;  // the resource
    uint32_t is_value;   // 1: it is the resource itself, 0: something its limits or rest depend on
} resource_use;

// What is worked out of one definition.
typedef struct resource_limits {
    kn_attribute_id minimum, maximum; // the attributes that limit it; null: none
} resource_limits;

typedef struct resource_ids {
    kn_def_kind kind;
    kn_component_type_id component;
    kn_timer_type_id timer;
    kn_value_id gain, loss;
    kn_tag in_combat, regeneration, decay; // the last two describe events
    kn_custom_event_id added, removed, changed;
    kn_cause_type_id flow_cause, change_cause;
    resource_use *uses; // sorted by attribute
    uint32_t use_count;
    resource_limits *limits; // by resource
    uint32_t resource_count;
} resource_ids;

// In resource_def.c: the kind of definitions, and the events.
kn_result knc_resource_kind_register(kn_library *library, resource_ids *ids, kn_error *error);
kn_result knc_resource_events_register(kn_library *library, resource_ids *ids, kn_error *error);
// In resource.c: reacts to each attribute that a resource is, or depends on.
void knc_resource_attribute_rule(void *user, kn_world *world, const kn_reaction *reaction);

#endif
