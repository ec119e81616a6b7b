// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What a combat log consists of: a ring of rows, and cells of sums for its meters.
#ifndef KNACK_LOG_ROWS_H
#define KNACK_LOG_ROWS_H

#include "knack/combat_log.h"

// Sums of one combination. `row.entity` and the rest that a meter groups by is filled in there.
typedef struct log_cell {
    kn_entity_id source, target;
    kn_ability_type_id ability;
    kn_effect_type_id effect;
    kn_hit_kind kind;
    uint32_t unused;
    kn_meter_row sums;
} log_cell;

struct kn_combat_log {
    kn_combat_log_def def;
    kn_combat_row *rows; // a ring of def.row_capacity
    uint64_t total;      // rows so far; the newest is total - 1
    log_cell *cells;     // in the order in which they came; the last two take what does not fit
    uint32_t cell_count;
    uint32_t *slots; // cell + 1 by hash
    uint32_t slot_count;
    log_cell *groups; // room for a meter
    uint32_t group_capacity;
    kn_time first, last; // events that the meters count
    uint64_t since;      // rows before it are not counted any more
    bool has_times;
    kn_tag critical; // of the library of the world that was read last
};

// Cells that there is memory for.
static inline uint32_t log_cell_room(const kn_combat_log *log)
{
    return log->def.cell_capacity + KN_HIT_KIND_COUNT;
}

// Adds a hit to the meters.
void knc_meter_count(kn_combat_log *log, const kn_world *world, const kn_combat_row *row);

#endif
