// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Timelines: spans that are made of the rows of a trace. Rows may have been dropped, or the trace
// began late: what was before the first row of something follows from that row, or, if there is
// none, from the world as it is now.

#include "trace_rows.h"

#include <string.h>

#define TIMELINE_COOKIE 0x656d6974u
#define COLUMNS_MIN 10
#define COLUMNS_MAX 1000

kn_capability_timeline_def kn_capability_timeline_def_default(void)
{
    kn_capability_timeline_def def = {
        .to = KN_TIME_INFINITE, .columns = 80, .cookie = TIMELINE_COOKIE};
    return def;
}

// Growing -----------------------------------------------------------------------------

static timeline_row *rows_insert(timeline *t, uint32_t at)
{
    const kn_hooks *hooks = &t->trace->def.hooks;
    if (!kn_memory_grow(hooks, &t->rows, &t->row_capacity, t->row_count + 1, sizeof(*t->rows))) {
        t->is_out_of_memory = true;
        return NULL;
    }
    memmove(&t->rows[at + 1], &t->rows[at], (t->row_count - at) * sizeof(*t->rows));
    t->row_count++;
    t->rows[at] = (timeline_row){0};
    return &t->rows[at];
}

// Nothing for a span outside of the timeline. One that goes on is made longer.
static void span_add(timeline *t, kn_capability_span span)
{
    const kn_hooks *hooks = &t->trace->def.hooks;
    span.from = span.from > t->from ? span.from : t->from;
    span.to = span.to < t->to ? span.to : t->to;
    if (span.from >= span.to) {
        return;
    }
    kn_capability_span *last = t->span_count > 0 ? &t->spans[t->span_count - 1] : NULL;
    if (last != NULL && last->row == span.row && last->kind == span.kind && last->to == span.from &&
        last->tag.index1 == span.tag.index1 && last->is_block == span.is_block &&
        span.kind != KN_CAPABILITY_SPAN_ACTIVE) {
        last->to = span.to;
        return;
    }
    if (!kn_memory_grow(
            hooks, &t->spans, &t->span_capacity, t->span_count + 1, sizeof(*t->spans))) {
        t->is_out_of_memory = true;
        return;
    }
    t->spans[t->span_count++] = span;
}

void knc_timeline_free(timeline *t)
{
    if (t->trace != NULL) {
        const kn_hooks *hooks = &t->trace->def.hooks;
        kn_memory_free(hooks, t->rows, t->row_capacity * sizeof(*t->rows));
        kn_memory_free(hooks, t->spans, t->span_capacity * sizeof(*t->spans));
    }
}

// A row of the trace about the entity; NULL for one about another.
static const kn_capability_row *own_row(const timeline *t, uint32_t index)
{
    const kn_capability_row *row = knc_trace_row_at(t->trace, index);
    return kn_entity_id_equal(row->entity, t->entity) ? row : NULL;
}

// Capabilities ------------------------------------------------------------------------

static bool has_member(const timeline *t, uint32_t number)
{
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (t->rows[i].number == number) {
            return true;
        }
    }
    return false;
}

// Those that are there in their order; those that are gone before the next that was added later.
static void members_find(timeline *t)
{
    uint32_t count = 0;
    const member *members = kn_component_read_items(
        t->world, knc_capability_kit_of_world(t->world)->hosts, t->entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        timeline_row *row = rows_insert(t, t->row_count);
        if (row != NULL) {
            row->number = members[i].number;
            row->capability = members[i].capability;
        }
    }
    for (uint32_t i = 0; i < kn_capability_trace_count(t->trace); i++) {
        const kn_capability_row *from = own_row(t, i);
        if (from == NULL || from->number == 0 || has_member(t, from->number)) {
            continue;
        }
        uint32_t at = 0;
        while (at < t->row_count && t->rows[at].number < from->number) {
            at++;
        }
        timeline_row *row = rows_insert(t, at);
        if (row != NULL) {
            row->number = from->number;
            row->capability = from->capability;
        }
    }
}

// A capability while its rows are read.
typedef struct member_state {
    kn_time since;
    bool is_there, is_active, is_stopped;
    kn_tag tag;
    bool is_block;
    kn_capability_reason reason;
} member_state;

static void member_begin(const timeline *t, const timeline_row *of, member_state *state)
{
    bool has_start = false, has_change = false, has_stop = false; // rows so far
    *state = (member_state){.since = t->from};
    for (uint32_t i = 0; i < kn_capability_trace_count(t->trace); i++) {
        const kn_capability_row *row = own_row(t, i);
        if (row == NULL || row->number != of->number) {
            continue;
        }
        bool is_set_up = row->kind == KN_CAPABILITY_ROW_CHANGED && row->is_on &&
                         row->reason == KN_CAPABILITY_REASON_SETUP && !has_change;
        if (is_set_up ||
            (row->kind == KN_CAPABILITY_ROW_CALLED && row->hook == KN_CAPABILITY_HOOK_START_LIFE)) {
            has_start = true;
            break;
        }
        if (row->kind == KN_CAPABILITY_ROW_CHANGED && !has_change) {
            has_change = true;
            state->is_active = !row->is_on;
        } else if (row->kind == KN_CAPABILITY_ROW_STOPPED && !has_stop) {
            has_stop = true;
            state->is_stopped = !row->is_on;
            state->tag = row->tag;
            state->is_block = row->is_block;
        }
    }
    kn_capability_info info;
    if (has_start || !kn_capability_get_info(t->world, t->entity, of->number, &info)) {
        state->is_there = !has_start;
        return;
    }
    state->is_there = true;
    state->is_active = has_change ? state->is_active : info.is_active;
    if (!has_stop && t->trace->has_calls && info.is_blocked) {
        const member *m = knc_capability_member_read(t->world, t->entity, of->number, NULL);
        state->is_stopped = true;
        state->tag = info.blocked_tag;
        state->is_block = m->blocks > 0;
    }
}

static void member_flush(timeline *t, uint32_t index, member_state *state, kn_time until)
{
    bool is_stopped = state->is_stopped && !state->is_active;
    kn_capability_span span = {
        .kind = state->is_active ? KN_CAPABILITY_SPAN_ACTIVE
                : is_stopped     ? KN_CAPABILITY_SPAN_STOPPED
                                 : KN_CAPABILITY_SPAN_INACTIVE,
        .row = index,
        .from = state->since,
        .to = until,
        .capability = t->rows[index].capability,
        .number = t->rows[index].number,
        .reason = state->is_active ? state->reason : KN_CAPABILITY_REASON_SETUP,
        .tag = is_stopped ? state->tag : (kn_tag){0},
        .is_block = is_stopped && state->is_block,
    };
    if (state->is_there) {
        span_add(t, span);
    }
    state->since = until;
}

static void member_read(timeline *t, uint32_t index)
{
    const timeline_row *of = &t->rows[index];
    member_state state;
    member_begin(t, of, &state);
    for (uint32_t i = 0; i < kn_capability_trace_count(t->trace); i++) {
        const kn_capability_row *row = own_row(t, i);
        bool is_life = row != NULL && row->kind == KN_CAPABILITY_ROW_CALLED &&
                       (row->hook == KN_CAPABILITY_HOOK_START_LIFE ||
                           row->hook == KN_CAPABILITY_HOOK_END_LIFE);
        if (row == NULL || row->number != of->number ||
            (row->kind != KN_CAPABILITY_ROW_CHANGED && row->kind != KN_CAPABILITY_ROW_STOPPED &&
                !is_life)) {
            continue;
        }
        member_flush(t, index, &state, row->time);
        if (is_life) {
            state.is_there = row->hook == KN_CAPABILITY_HOOK_START_LIFE;
            state.is_stopped = false;
        } else if (row->kind == KN_CAPABILITY_ROW_CHANGED) {
            state.is_there = row->is_on || row->reason != KN_CAPABILITY_REASON_REMOVED;
            state.is_active = row->is_on;
            state.reason = row->reason;
        } else {
            state.is_stopped = row->is_on;
            state.tag = row->tag;
            state.is_block = row->is_block;
        }
    }
    member_flush(t, index, &state, t->to);
}

// Blocks ------------------------------------------------------------------------------

// The row of a block, from `first` on; a new one at the end if there is none. UINT32_MAX without
// memory.
static uint32_t block_row(timeline *t, uint32_t first, const kn_capability_row *block)
{
    for (uint32_t i = first; i < t->row_count; i++) {
        if (t->rows[i].block.tag.index1 == block->tag.index1 &&
            knc_trace_source_equal(&t->rows[i].block.source, &block->source)) {
            return i;
        }
    }
    timeline_row *row = rows_insert(t, t->row_count);
    if (row == NULL) {
        return UINT32_MAX;
    }
    row->block = *block;
    return t->row_count - 1;
}

static void block_spans(timeline *t, uint32_t index, bool is_on)
{
    const kn_capability_row block = t->rows[index].block;
    kn_capability_span span = {.kind = KN_CAPABILITY_SPAN_BLOCK,
        .row = index,
        .from = t->from,
        .capability = block.blocker,
        .number = block.source.kind == KN_CAPABILITY_SOURCE_MEMBER ? block.source.number : 0,
        .tag = block.tag,
        .source = block.source};
    for (uint32_t i = 0; i < kn_capability_trace_count(t->trace); i++) {
        const kn_capability_row *row = own_row(t, i);
        if (row == NULL || row->kind != KN_CAPABILITY_ROW_BLOCKED ||
            row->tag.index1 != block.tag.index1 ||
            !knc_trace_source_equal(&row->source, &block.source)) {
            continue;
        }
        span.to = row->time;
        if (is_on && !row->is_on) {
            span_add(t, span);
        }
        span.from = is_on && row->is_on ? span.from : row->time;
        is_on = row->is_on;
    }
    span.to = t->to;
    if (is_on) {
        span_add(t, span);
    }
}

// Blocks that have no rows, since they were dropped or the trace began later: they are there now.
static void lasting_blocks_find(timeline *t, uint32_t first)
{
    enum { BLOCKS = 64 };
    kn_capability_block blocks[BLOCKS];
    uint32_t count = kn_capability_blocks(t->world, t->entity, blocks, BLOCKS);
    for (uint32_t i = 0; i < count && i < BLOCKS; i++) {
        kn_capability_row block = {
            .entity = t->entity, .tag = blocks[i].tag, .source = blocks[i].source, .is_on = true};
        knc_trace_source_find(t->trace, t->world, &block);
        uint32_t rows = t->row_count;
        uint32_t index = block_row(t, first, &block);
        if (index != UINT32_MAX && index == rows) {
            block_spans(t, index, true);
        }
    }
}

static void blocks_read(timeline *t)
{
    uint32_t first = t->row_count;
    for (uint32_t i = 0; i < kn_capability_trace_count(t->trace); i++) {
        const kn_capability_row *row = own_row(t, i);
        if (row == NULL || row->kind != KN_CAPABILITY_ROW_BLOCKED) {
            continue;
        }
        uint32_t rows = t->row_count;
        uint32_t index = block_row(t, first, row);
        if (index != UINT32_MAX && index == rows) {
            block_spans(t, index, !row->is_on);
        }
    }
    lasting_blocks_find(t, first);
}

static bool is_stopped_by(const kn_capability_span *span, kn_tag tag)
{
    return span->kind == KN_CAPABILITY_SPAN_STOPPED && !span->is_block &&
           span->tag.index1 == tag.index1;
}

// Tags that stopped capabilities themselves: whenever one of them did.
static void tag_spans(timeline *t, uint32_t index, uint32_t stopped_count)
{
    const kn_tag tag = t->rows[index].block.tag;
    kn_time at = t->from;
    while (at < t->to) {
        // The next span that is not over yet, and all that go on from it.
        kn_capability_span span = {
            .kind = KN_CAPABILITY_SPAN_TAG, .row = index, .from = t->to, .tag = tag};
        for (uint32_t i = 0; i < stopped_count; i++) {
            const kn_capability_span *s = &t->spans[i];
            if (is_stopped_by(s, tag) && s->to > at && s->from < span.from) {
                span.from = s->from > at ? s->from : at;
            }
        }
        span.to = span.from;
        for (uint32_t i = 0; i < stopped_count; i++) {
            const kn_capability_span *s = &t->spans[i];
            if (is_stopped_by(s, tag) && s->from <= span.to && s->to > span.to) {
                span.to = s->to;
                i = UINT32_MAX; // look at all again
            }
        }
        if (span.to <= span.from) {
            return;
        }
        span_add(t, span);
        at = span.to;
    }
}

static void tags_read(timeline *t)
{
    uint32_t first = t->row_count, stopped_count = t->span_count;
    for (uint32_t i = 0; i < stopped_count; i++) {
        const kn_capability_span s = t->spans[i];
        kn_capability_row block = {.entity = t->entity, .tag = s.tag};
        if (!is_stopped_by(&s, s.tag)) {
            continue;
        }
        uint32_t rows = t->row_count;
        uint32_t index = block_row(t, first, &block);
        if (index != UINT32_MAX && index == rows) {
            t->rows[index].is_tag = true;
            tag_spans(t, index, stopped_count);
        }
    }
}

// All of it ---------------------------------------------------------------------------

// Rows that have nothing within the timeline are left out.
static void rows_compact(timeline *t)
{
    uint32_t kept = 0, at = 0; // spans come row by row
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (at >= t->span_count || t->spans[at].row != i) {
            continue;
        }
        for (; at < t->span_count && t->spans[at].row == i; at++) {
            t->spans[at].row = kept;
        }
        t->rows[kept++] = t->rows[i];
    }
    t->row_count = kept;
}

static void times_find(timeline *t, const kn_capability_timeline_def *def)
{
    uint32_t count = kn_capability_trace_count(t->trace);
    kn_time now = kn_world_now(t->world);
    kn_time oldest = count > 0 ? knc_trace_row_at(t->trace, 0)->time : now;
    t->from = def->from > oldest ? def->from : oldest;
    t->to = def->to < now ? def->to : now;
}

bool knc_timeline_build(timeline *t, const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def)
{
    *t = (timeline){0};
    if (trace == NULL || knc_capability_kit_of_world(world) == NULL || def == NULL ||
        def->cookie != TIMELINE_COOKIE || def->columns < COLUMNS_MIN ||
        def->columns > COLUMNS_MAX) {
        return false;
    }
    t->trace = trace;
    t->world = world;
    t->entity = def->entity;
    times_find(t, def);
    if (t->from >= t->to) {
        return false;
    }
    members_find(t);
    for (uint32_t i = 0; i < t->row_count; i++) {
        member_read(t, i);
    }
    blocks_read(t);
    tags_read(t);
    rows_compact(t);
    return t->span_count > 0 && !t->is_out_of_memory;
}

uint32_t kn_capability_timeline(const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def, kn_capability_span *out, uint32_t capacity)
{
    timeline t;
    uint32_t count = knc_timeline_build(&t, trace, world, def) ? t.span_count : 0;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i] = t.spans[i];
    }
    knc_timeline_free(&t);
    return count;
}
