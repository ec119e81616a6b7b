// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What hit.c has registered.
#ifndef KNACK_HIT_PART_H
#define KNACK_HIT_PART_H

#include "knack/hit.h"

typedef struct hit_ids {
    kn_attribute_set_id set;                 // Hit, with the two meta attributes
    kn_attribute_id meta[KN_HIT_KIND_COUNT]; // by kn_hit_kind
    kn_value_id done[KN_HIT_KIND_COUNT];     // modifiers of the source
    kn_value_id taken[KN_HIT_KIND_COUNT];    // modifiers of the target
    kn_event_kind_id kinds[KN_HIT_KIND_COUNT];
    kn_tag tags[KN_HIT_KIND_COUNT]; // of the kinds of events
    kn_custom_event_id event;
} hit_ids;

#endif
