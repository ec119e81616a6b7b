// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The log. Nothing in it is state. Lines that are off cost one test; verbose lines about things
// that have an event are logged from the events, so that the code that publishes them does not log.
#ifndef KNI_LOG_H
#define KNI_LOG_H

#include "knack/id.h"

typedef struct kn_world kn_world;
typedef struct kn_spec_view kn_spec_view;
struct kni_price;

typedef struct kni_log {
    uint8_t levels[KN_LOG_CATEGORY_COUNT]; // kn_log_level: the lowest that is logged
    uint32_t cue_filter;                   // tag of the cues that are logged, 0 for all
    uint32_t told;                         // number of pending events that were logged
    uint64_t mask;                         // bit per kn_event_type that is logged
    bool is_pending;                       // the event that is printed is not published yet
    uint64_t *idle_told; // bit per ability type whose idle activations were logged; may be NULL
    uint64_t *task_made; // tasks created, by kind, then by custom type; NULL while not recording
    uint64_t missing_told[16]; // bit set by hash of warnings that were logged, once each
} kni_log;

#define kni_log_wants(world, category, level) ((world)->log.levels[category] <= (level))

#define KNI_LOG_LINE_SIZE 768

// Begins a line like those of events: time, entity, what. Logs the events that led to it first.
// `buffer` has KNI_LOG_LINE_SIZE bytes.
struct kni_text;
void kni_log_begin(kn_world *world, struct kni_text *text, char *buffer, kn_entity_id entity);
// Logs one entry, unless its category or level is off.
void kni_log_line(const kn_world *world, kn_log_category category, kn_log_level level,
    kn_result code, const char *message);
// Warns about a modifier or execution on an attribute that the entity does not have. Logged once
// per effect type and combination of attribute sets.
void kni_log_missing(kn_world *world, uint32_t type1, uint32_t attribute, uint32_t component);
// A warning that is logged once per world.
enum {
    KN_REPORT_CONDITION = 1 << 0,
    KN_REPORT_CALLER_VALUE = 1 << 1,
    KN_REPORT_ADJUST = 1 << 2,
};
void kni_log_once(const kn_world *world, uint32_t report, kn_log_category category, kn_result code,
    const char *message);

// Logs the events that are not logged yet.
void kni_log_events(kn_world *world);
// At the end of a step: logs abilities that never end.
void kni_log_idle(kn_world *world);

// Callers check kni_log_wants() first. These lines contain what is known already: a log calls no
// hooks. `is_asked`: the other side requested the activation.
void kni_log_refusal(kn_world *world, uint32_t ability, const struct kn_check_answer *answer,
    bool is_asked, const struct kni_price *price);
void kni_log_rejected(kn_world *world, uint32_t activation);
void kni_log_task(kn_world *world, uint32_t task, const char *what);
void kni_log_batch(kn_world *world, uint32_t ability, const char *what);
void kni_log_task_made(kn_world *world, uint32_t task);

// Zeroed memory for the log; NULL when out of memory. And the size of `idle_told`.
uint64_t *kni_log_block(kn_world *world, size_t size);
size_t kni_log_idle_size(const kn_world *world);

void kni_log_init(kn_world *world);
void kni_log_free(kn_world *world);
// Moves the log of `from`, with its blocks, to `to`; `from` has none afterwards.
void kni_log_move(kn_world *to, kn_world *from);

#endif
