// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The combat log registers nothing; what its sources share with those that print hits.
#ifndef KNACK_LOG_PART_H
#define KNACK_LOG_PART_H

#include "knack/combat_log.h"
#include "knack/tools.h"

void knc_text_number(kn_text *out, const char *before, float number, const char *after);

// A line for the log of a world, KN_LOG_GAME at verbose: time and entity, then what the caller
// adds.
void knc_log_begin(kn_text *out, const kn_world *world, kn_entity_id entity);
void knc_log_end(const kn_world *world, const kn_text *out);

// How entities are named; NULL function: "entity 3".
typedef struct text_names {
    kn_combat_name_fn *function;
    void *user;
} text_names;

void knc_text_entity(kn_text *out, const kn_world *world, text_names names, kn_entity_id entity);
// A hit as a line.
void knc_text_hit(kn_text *out, const kn_world *world, text_names names, const kn_hit *hit);

typedef struct log_ids {
    uint32_t unused;
} log_ids;

#endif
