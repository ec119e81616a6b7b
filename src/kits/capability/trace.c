// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Traces: what the kit tells observers of calls, and the ring of rows that is made of it.

#include "trace_rows.h"

#include <stdio.h>
#include <string.h>

#define TRACE_COOKIE 0x63617274u
#define ROWS_MAX (1u << 20)
#define STOPS_MAX (1u << 16)

// Publishing ------------------------------------------------------------------------

kn_result knc_capability_calls_register(kn_library *library, capability_kit *kit, kn_error *error)
{
    const kn_field fields[] = {
        KN_FIELD(kn_capability_called, dt, KN_FIELD_TIME),
        KN_FIELD_TO(kn_capability_called, capability, "capability"),
        KN_FIELD(kn_capability_called, number, KN_FIELD_U32),
        KN_FIELD_WORDS(kn_capability_called, hook,
            "start_life setup should_activate should_deactivate tick end_capability end_life "
            "stopped passed"),
        KN_FIELD(kn_capability_called, answer, KN_FIELD_U32),
        KN_FIELD(kn_capability_called, tag, KN_FIELD_TAG),
        KN_FIELD(kn_capability_called, is_block, KN_FIELD_U32),
    };
    kn_custom_event_def def = kn_custom_event_def_default();
    def.name = "Knack.CapabilityCalled";
    def.size = sizeof(kn_capability_called);
    def.fields = fields;
    def.field_count = sizeof(fields) / sizeof(*fields);
    def.text = "capability {capability}: {hook} {answer}";
    return kn_custom_event_register(library, &def, &kit->called, error);
}

static void called_publish(kn_world *world, kn_entity_id entity, const kn_capability_called *called)
{
    (void)kn_world_publish(world, entity, knc_capability_kit_of_world(world)->called, called);
}

static bool is_wanted(const kn_world *world)
{
    return kn_custom_event_is_wanted(world, knc_capability_kit_of_world(world)->called);
}

void knc_capability_tell(kn_world *world, kn_entity_id entity, const member *m,
    kn_capability_hook hook, bool answer, kn_time dt)
{
    if (is_wanted(world)) {
        const kn_capability_called called = {.dt = dt,
            .capability = m->capability,
            .number = m->number,
            .hook = hook,
            .answer = answer};
        called_publish(world, entity, &called);
    }
}

void knc_capability_tell_stopped(kn_world *world, kn_entity_id entity, const member *m)
{
    if (is_wanted(world)) {
        const capability_kit *kit = knc_capability_kit_of_world(world);
        kn_capability_called called = {.capability = m->capability,
            .number = m->number,
            .hook = KN_CAPABILITY_HOOK_STOPPED,
            .is_block = m->blocks > 0};
        (void)knc_capability_is_stopped(
            world, entity, m, &kit->plans[m->capability.index1 - 1], &called.tag);
        called_publish(world, entity, &called);
    }
}

static void calls_listen(void *user, kn_world *world, const kn_event *event)
{
    (void)user;
    (void)world;
    (void)event;
}

kn_result kn_capability_trace_calls(kn_world *world, kn_listener_id *listener)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (listener != NULL) {
        *listener = (kn_listener_id){0};
    }
    if (kit == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_listener_def def = kn_listener_def_default();
    def.type = KN_EVENT_CUSTOM;
    def.custom = kit->called;
    def.function = calls_listen;
    return kn_listener_add(world, &def, listener);
}

// Creation --------------------------------------------------------------------------

kn_capability_trace_def kn_capability_trace_def_default(void)
{
    kn_capability_trace_def def = {
        .row_capacity = 4096, .stop_capacity = 1024, .calls = true, .cookie = TRACE_COOKIE};
    return def;
}

// Twice as many slots as there may be stops, a power of two.
static uint32_t slots_for(uint32_t stops)
{
    uint32_t count = 16;
    while (count < stops * 2) {
        count *= 2;
    }
    return count;
}

kn_result kn_capability_trace_create(const kn_capability_trace_def *def, kn_capability_trace **out)
{
    if (out == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    *out = NULL;
    if (def == NULL || def->cookie != TRACE_COOKIE || def->row_capacity - 1u >= ROWS_MAX ||
        def->stop_capacity - 1u >= STOPS_MAX) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_capability_trace *trace = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*trace));
    if (trace == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *trace = (kn_capability_trace){.def = *def, .stop_slots = slots_for(def->stop_capacity)};
    trace->rows = kn_memory_resize(&def->hooks, NULL, 0, def->row_capacity * sizeof(*trace->rows));
    trace->stops =
        kn_memory_resize(&def->hooks, NULL, 0, trace->stop_slots * sizeof(*trace->stops));
    if (trace->rows == NULL || trace->stops == NULL) {
        kn_capability_trace_destroy(trace);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_capability_trace_clear(trace);
    *out = trace;
    return KN_OK;
}

void kn_capability_trace_destroy(kn_capability_trace *trace)
{
    if (trace == NULL) {
        return;
    }
    kn_hooks hooks = trace->def.hooks;
    kn_memory_free(&hooks, trace->rows, trace->def.row_capacity * sizeof(*trace->rows));
    kn_memory_free(&hooks, trace->stops, trace->stop_slots * sizeof(*trace->stops));
    kn_memory_free(&hooks, trace, sizeof(*trace));
}

void kn_capability_trace_clear(kn_capability_trace *trace)
{
    if (trace != NULL) {
        trace->total = 0;
        trace->stop_count = 0;
        trace->has_calls = false;
        memset(trace->stops, 0, trace->stop_slots * sizeof(*trace->stops));
    }
}

// Stops -----------------------------------------------------------------------------

// Where a capability is stopped, or the free slot where it would be.
static uint32_t stop_find(const kn_capability_trace *trace, kn_entity_id entity, uint32_t number)
{
    uint32_t hash = (entity.index1 * UINT32_C(2654435761)) ^ (number * UINT32_C(2246822519));
    uint32_t slot = (hash ^ hash >> 15) & (trace->stop_slots - 1);
    while (trace->stops[slot].number != 0 &&
           (trace->stops[slot].number != number ||
               !kn_entity_id_equal(trace->stops[slot].entity, entity))) {
        slot = (slot + 1) & (trace->stop_slots - 1);
    }
    return slot;
}

// Those behind it that are not where they belong are put in again.
static void stop_remove(kn_capability_trace *trace, uint32_t slot)
{
    trace->stops[slot] = (trace_stop){0};
    trace->stop_count--;
    for (;;) {
        slot = (slot + 1) & (trace->stop_slots - 1);
        const trace_stop moved = trace->stops[slot];
        if (moved.number == 0) {
            return;
        }
        trace->stops[slot] = (trace_stop){0};
        trace->stops[stop_find(trace, moved.entity, moved.number)] = moved;
    }
}

static void stops_forget(kn_capability_trace *trace, kn_entity_id entity)
{
    for (uint32_t i = 0; trace->stop_count > 0 && i < trace->stop_slots;) {
        if (trace->stops[i].number != 0 && kn_entity_id_equal(trace->stops[i].entity, entity)) {
            stop_remove(trace, i); // another one may be here now
        } else {
            i++;
        }
    }
}

// Reading ---------------------------------------------------------------------------

static uint32_t row_add(kn_capability_trace *trace, const kn_capability_row *row)
{
    trace->rows[trace->total % trace->def.row_capacity] = *row;
    trace->total++;
    return 1;
}

// It runs again, if it was stopped.
static uint32_t stop_end(kn_capability_trace *trace, const kn_capability_row *about)
{
    uint32_t slot = stop_find(trace, about->entity, about->number);
    if (trace->stops[slot].number == 0) {
        return 0;
    }
    kn_capability_row row = {.time = about->time,
        .entity = about->entity,
        .kind = KN_CAPABILITY_ROW_STOPPED,
        .capability = about->capability,
        .number = about->number,
        .tag = trace->stops[slot].tag,
        .is_block = trace->stops[slot].is_block,
        .cause = about->cause};
    stop_remove(trace, slot);
    return row_add(trace, &row);
}

static uint32_t stop_begin(kn_capability_trace *trace, kn_capability_row *row)
{
    trace_stop *stop = &trace->stops[stop_find(trace, row->entity, row->number)];
    const trace_stop now = {row->entity, row->number, row->tag, row->is_block};
    if (stop->number != 0 && stop->tag.index1 == now.tag.index1 && stop->is_block == now.is_block) {
        return 0;
    }
    if (stop->number == 0 && trace->stop_count == trace->def.stop_capacity) {
        return 0;
    }
    trace->stop_count += stop->number == 0;
    *stop = now;
    row->kind = KN_CAPABILITY_ROW_STOPPED;
    row->is_on = true;
    return row_add(trace, row);
}

static uint32_t called_read(
    kn_capability_trace *trace, kn_capability_row *row, const kn_capability_called *called)
{
    row->kind = KN_CAPABILITY_ROW_CALLED;
    row->capability = called->capability;
    row->number = called->number;
    trace->has_calls = true;
    if (called->hook == KN_CAPABILITY_HOOK_STOPPED) {
        row->tag = called->tag;
        row->is_block = called->is_block != 0;
        return stop_begin(trace, row);
    }
    uint32_t added = stop_end(trace, row);
    bool is_kept = trace->def.calls || called->hook == KN_CAPABILITY_HOOK_START_LIFE ||
                   called->hook == KN_CAPABILITY_HOOK_END_LIFE;
    if (!is_kept || called->hook == KN_CAPABILITY_HOOK_PASSED) {
        return added;
    }
    row->hook = called->hook;
    row->answer = called->answer != 0;
    row->dt = called->dt;
    return added + row_add(trace, row);
}

static uint32_t changed_read(
    kn_capability_trace *trace, kn_capability_row *row, const kn_capability_changed *changed)
{
    row->kind = KN_CAPABILITY_ROW_CHANGED;
    row->capability = changed->capability;
    row->number = changed->number;
    uint32_t added = changed->is_active != 0 ? stop_end(trace, row) : 0;
    row->is_on = changed->is_active != 0;
    row->reason = changed->reason;
    return added + row_add(trace, row);
}

bool knc_trace_source_equal(const kn_capability_source *a, const kn_capability_source *b)
{
    return a->kind == b->kind && a->number == b->number && a->key == b->key &&
           kn_entity_id_equal(a->entity, b->entity) && kn_effect_id_equal(a->effect, b->effect);
}

// The names of who blocks are only there as long as it is: an end has those of its begin.
void knc_trace_source_find(
    const kn_capability_trace *trace, const kn_world *world, kn_capability_row *row)
{
    const kn_capability_source *source = &row->source;
    kn_capability_info info;
    kn_effect_info effect;
    uint32_t count = kn_capability_trace_count(trace);
    for (uint32_t i = count; !row->is_on && i-- > 0;) {
        const kn_capability_row *begin = knc_trace_row_at(trace, i);
        if (begin->kind == KN_CAPABILITY_ROW_BLOCKED && begin->is_on &&
            begin->tag.index1 == row->tag.index1 &&
            kn_entity_id_equal(begin->entity, row->entity) &&
            knc_trace_source_equal(&begin->source, source)) {
            row->blocker = begin->blocker;
            row->set = begin->set;
            row->effect = begin->effect;
            return;
        }
    }
    if (source->kind == KN_CAPABILITY_SOURCE_MEMBER &&
        kn_capability_get_info(world, source->entity, source->number, &info)) {
        row->blocker = info.capability;
    } else if (source->kind == KN_CAPABILITY_SOURCE_SET) {
        const set_item *items;
        uint32_t sets;
        (void)knc_capability_sets_read(world, source->entity, &items, &sets);
        for (uint32_t i = 0; i < sets; i++) {
            row->set = items[i].number == source->number ? items[i].set : row->set;
        }
    } else if (source->kind == KN_CAPABILITY_SOURCE_EFFECT &&
               kn_effect_get(world, source->effect, &effect)) {
        row->effect = effect.type;
    }
}

static uint32_t blocked_read(kn_capability_trace *trace, const kn_world *world,
    kn_capability_row *row, const kn_capability_blocked *blocked)
{
    row->kind = KN_CAPABILITY_ROW_BLOCKED;
    row->tag = blocked->tag;
    row->is_on = blocked->is_blocked != 0;
    row->source = blocked->source;
    knc_trace_source_find(trace, world, row);
    return row_add(trace, row);
}

static uint32_t problem_read(
    kn_capability_trace *trace, kn_capability_row *row, const kn_capability_problem *problem)
{
    row->kind = KN_CAPABILITY_ROW_PROBLEM;
    row->fault = problem->fault;
    row->capability = problem->capability;
    row->set = problem->set;
    row->component = problem->component;
    return row_add(trace, row);
}

uint32_t kn_capability_trace_add(
    kn_capability_trace *trace, const kn_world *world, const kn_event *event)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (trace == NULL || kit == NULL || event == NULL) {
        return 0;
    }
    if (event->type == KN_EVENT_ENTITY_DESTROYED) {
        stops_forget(trace, event->entity);
    }
    if (event->type != KN_EVENT_CUSTOM ||
        (trace->def.entity.index1 != 0 && !kn_entity_id_equal(trace->def.entity, event->entity))) {
        return 0;
    }
    uint32_t size, kind = event->data.custom.kind.index1;
    const void *payload = kn_event_payload(world, event, &size);
    kn_capability_row row = {.time = event->time, .entity = event->entity};
    if (payload == NULL) {
        return 0;
    }
    (void)kn_cause_get(world, event->cause, &row.cause);
    if (kind == kit->called.index1) {
        return called_read(trace, &row, payload);
    }
    if (kind == kit->changed.index1) {
        return changed_read(trace, &row, payload);
    }
    if (kind == kit->blocked.index1) {
        return blocked_read(trace, world, &row, payload);
    }
    return kind == kit->problem.index1 ? problem_read(trace, &row, payload) : 0;
}

uint32_t kn_capability_trace_read(kn_capability_trace *trace, const kn_world *world)
{
    uint32_t added = 0;
    if (trace == NULL || knc_capability_kit_of_world(world) == NULL) {
        return 0;
    }
    kn_events events = kn_world_events(world);
    for (uint32_t i = 0; i < events.count; i++) {
        added += kn_capability_trace_add(trace, world, &events.data[i]);
    }
    return added;
}

// Rows ------------------------------------------------------------------------------

uint32_t kn_capability_trace_count(const kn_capability_trace *trace)
{
    if (trace == NULL) {
        return 0;
    }
    return trace->total < trace->def.row_capacity ? (uint32_t)trace->total
                                                  : trace->def.row_capacity;
}

uint64_t kn_capability_trace_total(const kn_capability_trace *trace)
{
    return trace != NULL ? trace->total : 0;
}

const kn_capability_row *knc_trace_row_at(const kn_capability_trace *trace, uint32_t index)
{
    uint32_t count = kn_capability_trace_count(trace);
    return &trace->rows[(trace->total - count + index) % trace->def.row_capacity];
}

bool kn_capability_trace_row(
    const kn_capability_trace *trace, uint32_t index, kn_capability_row *row)
{
    bool is_there = index < kn_capability_trace_count(trace);
    *row = is_there ? *knc_trace_row_at(trace, index) : (kn_capability_row){0};
    return is_there;
}

// Text ------------------------------------------------------------------------------

void knc_trace_say_time(kn_text *to, kn_time time)
{
    long long ms = (long long)((time + KN_MS(1) / 2) / KN_MS(1));
    kn_text_add(to, "%lld.%03d s", ms / 1000, (int)(ms % 1000));
}

void knc_trace_say_entity(
    kn_text *to, const kn_capability_trace *trace, const kn_world *world, kn_entity_id entity)
{
    char name[128] = "";
    if (trace->def.name != NULL) {
        trace->def.name(trace->def.name_user, world, entity, name, sizeof(name));
    } else {
        (void)snprintf(name, sizeof(name), "entity %u", entity.index1);
    }
    kn_text_add(to, "%s", name);
}

const char *knc_trace_capability_name(const kn_world *world, kn_capability_id id)
{
    const kn_library *library = kn_world_library(world);
    return id.index1 != 0
               ? kn_def_name(library, knc_capability_kit_of(library)->capability_kind, id.index1)
               : "(gone)";
}

static const char *set_name(const kn_world *world, kn_capability_set_id id)
{
    const kn_library *library = kn_world_library(world);
    return id.index1 != 0
               ? kn_def_name(library, knc_capability_kit_of(library)->set_kind, id.index1)
               : "(gone)";
}

void knc_trace_say_source(kn_text *to, const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_row *row)
{
    switch (row->source.kind) {
    case KN_CAPABILITY_SOURCE_ENTITY:
        knc_trace_say_entity(to, trace, world, row->source.entity);
        return;
    case KN_CAPABILITY_SOURCE_MEMBER:
        kn_text_add(to, "capability %s", knc_trace_capability_name(world, row->blocker));
        break;
    case KN_CAPABILITY_SOURCE_SET:
        kn_text_add(to, "set %s", set_name(world, row->set));
        break;
    case KN_CAPABILITY_SOURCE_EFFECT:
        kn_text_add(to, "effect %s",
            row->effect.index1 != 0 ? kn_effect_type_name(world, row->effect) : "(gone)");
        return;
    default:
        kn_text_add(to, "key %llu", (unsigned long long)row->source.key);
        return;
    }
    if (!kn_entity_id_equal(row->source.entity, row->entity)) {
        kn_text_add(to, " of ");
        knc_trace_say_entity(to, trace, world, row->source.entity);
    }
}

void knc_trace_say_problem(kn_text *to, const kn_world *world, const kn_capability_row *row)
{
    static const char *const words[KN_CAPABILITY_FAULT_COUNT] = {
        [KN_CAPABILITY_FAULT_FLIPS] = "its own functions switched it too often",
        [KN_CAPABILITY_FAULT_ANSWERS] = "a question was answered otherwise when asked again",
        [KN_CAPABILITY_FAULT_WAITS] = "it waits for components for too long",
        [KN_CAPABILITY_FAULT_LOOP] = "functions added and removed sets without end",
        [KN_CAPABILITY_FAULT_BINDING] = "an action or context that does not exist was to be bound",
    };
    if (row->capability.index1 != 0) {
        kn_text_add(to, "%s: ", knc_trace_capability_name(world, row->capability));
    } else if (row->set.index1 != 0) {
        kn_text_add(to, "set %s: ", set_name(world, row->set));
    }
    kn_text_add(to, "%s", words[row->fault]);
    if (row->component.index1 != 0) {
        kn_text_add(to, ": %s",
            kn_def_name(kn_world_library(world), KN_DEF_COMPONENT, row->component.index1));
    }
}

static void say_called(kn_text *to, const kn_capability_row *row)
{
    static const char *const words[KN_CAPABILITY_HOOK_COUNT] = {
        [KN_CAPABILITY_HOOK_START_LIFE] = "its life starts",
        [KN_CAPABILITY_HOOK_SETUP] = "set up",
        [KN_CAPABILITY_HOOK_SHOULD_ACTIVATE] = "should it activate",
        [KN_CAPABILITY_HOOK_SHOULD_DEACTIVATE] = "should it deactivate",
        [KN_CAPABILITY_HOOK_TICK] = "tick of ",
        [KN_CAPABILITY_HOOK_END_CAPABILITY] = "ended",
        [KN_CAPABILITY_HOOK_END_LIFE] = "its life ends",
    };
    kn_text_add(to, "%s", words[row->hook]);
    if (row->hook == KN_CAPABILITY_HOOK_TICK) {
        knc_trace_say_time(to, row->dt);
    } else if (row->hook == KN_CAPABILITY_HOOK_SHOULD_ACTIVATE ||
               row->hook == KN_CAPABILITY_HOOK_SHOULD_DEACTIVATE) {
        kn_text_add(to, "? %s", row->answer ? "yes" : "no");
    }
}

static void say_changed(kn_text *to, const kn_capability_row *row)
{
    static const char *const words[KN_CAPABILITY_REASON_COUNT] = {
        [KN_CAPABILITY_REASON_SETUP] = "at set-up",
        [KN_CAPABILITY_REASON_CONDITION] = "by its conditions",
        [KN_CAPABILITY_REASON_REQUEST] = "on request",
        [KN_CAPABILITY_REASON_BLOCKED] = "since it is blocked",
        [KN_CAPABILITY_REASON_DISABLED] = "since it is disabled",
        [KN_CAPABILITY_REASON_SIDE] = "since this machine may not run it any more",
        [KN_CAPABILITY_REASON_REMOVED] = "since its set is removed",
    };
    kn_text_add(to, "%s, %s", row->is_on ? "active" : "inactive", words[row->reason]);
}

static void say_blocked(kn_text *to, const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_row *row)
{
    const char *tag = kn_tag_name(kn_world_library(world), row->tag);
    kn_text_add(to, "%s is %sblocked by ", tag, row->is_on ? "" : "no longer ");
    knc_trace_say_source(to, trace, world, row);
}

// Why, if it is neither a run nor a question of its own.
static void say_cause(kn_text *to, const kn_world *world, const kn_cause_info *cause)
{
    const kn_library *library = kn_world_library(world);
    if (cause->type.index1 != 0) {
        kn_text_add(to, "  (effect %s)", kn_effect_type_name(world, cause->type));
    } else if (cause->ability.index1 != 0) {
        kn_text_add(to, "  (ability %s)", kn_ability_type_name(library, cause->ability));
    } else if (cause->command.index1 != 0) {
        kn_text_add(
            to, "  (command %s)", kn_def_name(library, KN_DEF_COMMAND, cause->command.index1));
    } else if (cause->tag.index1 != 0) {
        kn_text_add(to, "  (tag %s)", kn_tag_name(library, cause->tag));
    }
}

uint32_t kn_capability_trace_print(const kn_capability_trace *trace, const kn_world *world,
    uint32_t index, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    kn_capability_row row;
    if (knc_capability_kit_of_world(world) == NULL ||
        !kn_capability_trace_row(trace, index, &row)) {
        return 0;
    }
    knc_trace_say_time(&out, row.time);
    kn_text_add(&out, "  ");
    knc_trace_say_entity(&out, trace, world, row.entity);
    kn_text_add(&out, "  ");
    if (row.kind == KN_CAPABILITY_ROW_BLOCKED) {
        say_blocked(&out, trace, world, &row);
    } else if (row.kind == KN_CAPABILITY_ROW_PROBLEM) {
        knc_trace_say_problem(&out, world, &row);
    } else {
        kn_text_add(&out, "%s: ", knc_trace_capability_name(world, row.capability));
    }
    if (row.kind == KN_CAPABILITY_ROW_CALLED) {
        say_called(&out, &row);
    } else if (row.kind == KN_CAPABILITY_ROW_CHANGED) {
        say_changed(&out, &row);
    } else if (row.kind == KN_CAPABILITY_ROW_STOPPED) {
        kn_text_add(&out, "%sstopped by %s %s", row.is_on ? "" : "no longer ",
            row.is_block ? "a block of" : "the tag", kn_tag_name(kn_world_library(world), row.tag));
    }
    say_cause(&out, world, &row.cause);
    return out.length;
}
