// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the sources of traces and timelines share.
#ifndef KNACK_CAPABILITY_TRACE_ROWS_H
#define KNACK_CAPABILITY_TRACE_ROWS_H

#include "parts.h"

#include "knack/tools.h"

// A capability that something stops. All zero: the slot is free.
typedef struct trace_stop {
    kn_entity_id entity;
    uint32_t number;
    kn_tag tag;
    bool is_block;
} trace_stop;

struct kn_capability_trace {
    kn_capability_trace_def def;
    kn_capability_row *rows; // a ring of def.row_capacity
    uint64_t total;          // rows so far; the newest is total - 1
    trace_stop *stops;       // by hash, with linear probing
    uint32_t stop_count, stop_slots;
    bool has_calls; // an event about a call was read
};

// "1.250 s", with three digits behind the point.
void knc_trace_say_time(kn_text *to, kn_time time);
void knc_trace_say_entity(
    kn_text *to, const kn_capability_trace *trace, const kn_world *world, kn_entity_id entity);
// Who blocks: "capability Swim of entity 3".
void knc_trace_say_source(kn_text *to, const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_row *row);
// What is wrong: "its own functions switched it too often".
void knc_trace_say_problem(kn_text *to, const kn_world *world, const kn_capability_row *row);
// Finds what the source of a row of a block is.
void knc_trace_source_find(
    const kn_capability_trace *trace, const kn_world *world, kn_capability_row *row);
const char *knc_trace_capability_name(const kn_world *world, kn_capability_id id);
bool knc_trace_source_equal(const kn_capability_source *a, const kn_capability_source *b);
// A row that exists.
const kn_capability_row *knc_trace_row_at(const kn_capability_trace *trace, uint32_t index);

// Timelines (timeline.c) ------------------------------------------------------------

// A row of a timeline.
typedef struct timeline_row {
    uint32_t number;             // of a capability; 0: it is about a tag
    kn_capability_id capability; // of `number`
    bool is_tag;                 // a tag of the entity, not a block
    kn_capability_row block;     // the tag, and who blocks it
} timeline_row;

typedef struct timeline {
    const kn_capability_trace *trace;
    const kn_world *world;
    kn_entity_id entity;
    kn_time from, to;
    timeline_row *rows;
    uint32_t row_count, row_capacity;
    kn_capability_span *spans;
    uint32_t span_count, span_capacity;
    bool is_out_of_memory;
} timeline;

// False if there is nothing to show; to be freed in any case.
bool knc_timeline_build(timeline *t, const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def);
void knc_timeline_free(timeline *t);

#endif
