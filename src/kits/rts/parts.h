// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of the RTS kit share. A part keeps its ids in a struct of its own inside
// rts_kit and registers itself in the table of kn_rts_register().
#ifndef KNACK_RTS_PARTS_H
#define KNACK_RTS_PARTS_H

#include "knack/rts.h"
#include "knack/tools.h"

#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof(*(array))))

typedef struct rts_kit {
    kn_def_kind rules_kind;
    const kn_rts_rules_def *rules; // once finished, those of the library or the defaults
    kn_rts_rules_def default_rules;
    kn_tag tags[KN_RTS_TAG_COUNT]; // as the rules say, once definitions are expanded
} rts_kit;

// rts.c
rts_kit *knc_rts_kit_of(const kn_library *library);
const rts_kit *knc_rts_kit_of_world(const kn_world *world);
kn_result knc_rts_event_register(kn_library *library, const char *name, uint32_t size,
    const kn_field *fields, uint32_t count, const char *text, kn_custom_event_id *id,
    kn_error *error);

// rts_attack.c: attacks, weapons, damage and projectiles (attack_parts.h).
kn_result knc_rts_attack_register(kn_library *library, rts_kit *kit, kn_error *error);

// rts_tag.c: tags and rules.
kn_result knc_rts_tags_register(kn_library *library, rts_kit *kit, kn_error *error);

#endif
