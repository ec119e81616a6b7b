// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One run of a scenario: its world, what names stand for, what was counted and what failed.
#ifndef SCENARIO_RUN_H
#define SCENARIO_RUN_H

#include "scenario_types.h"

// A text that grows in place and is cut at its end.
typedef struct kni_line {
    char *data;
    uint32_t size;
    uint32_t length; // as if nothing was cut
} kni_line;

void kni_line_add(kni_line *line, const char *format, ...) KN_PRINTF(2, 3);
void kni_line_float(kni_line *line, float value);
void kni_line_time(kni_line *line, kn_time time); // "0.25 s"

#define KNI_LINE_SIZE 512
#define KNI_WHY_SIZE 2048
#define KNI_HISTORY 64 // events that explanations look back on

// Events that happened, as text since causes do not last.
typedef struct kni_past_event {
    kn_event event;
    char line[200];
    char cause[200];
} kni_past_event;

// What was counted for a pattern of events, or for a measure.
typedef struct kni_watch {
    uint32_t count;
    double sum;
    double lost, gained;
    float lowest, highest;
    kn_time first, last; // below 0: never
} kni_watch;

typedef struct kni_failure {
    kni_place place;
    kn_time time;
    uint32_t expected, found, why; // offsets of texts
} kni_failure;

struct kn_scenario_run {
    const kn_scenario *scenario;
    kn_scenario_run_def def;
    kn_hooks hooks;
    kn_result broken; // what ended the run; KN_OK: it goes on
    bool is_begun;    // the entities are there, and what made them is published
    bool is_finished;
    uint32_t checks;

    kn_world *world;
    kn_grid *grid;
    kn_recording *recording;
    kn_time now;
    int64_t step_index; // steps begun, for the exact time of the next
    kn_time *next;      // of each item; KN_TIME_INFINITE: done
    uint32_t *due;      // items as a heap: the one that is next, then as written, in front

    uint64_t *names; // packed ids, by name
    kni_watch *watches;
    const kni_part **watched; // expectations that count events
    uint32_t watched_count;
    uint32_t event_at, cue_at; // how far the sequences have come
    bool *told;                // always and never are told once

    // Since the last step, for rolling back.
    uint32_t *pending;
    uint32_t pending_count, pending_capacity;
    uint64_t *names_before;
    kni_buffer snapshot, other;
    bool quiet; // doing again what was done: no failures, no trace

    kni_past_event *history; // a ring
    uint32_t history_count;

    kni_failure *failures;
    uint32_t failure_count, failure_capacity;
    uint32_t failed;
    kni_buffer texts;
    kn_scenario_counts counts;
};

// The id a name stands for; null if there is none yet.
uint64_t kni_run_packed(const kn_scenario_run *run, uint32_t name);
kn_entity_id kni_run_entity(const kn_scenario_run *run, uint32_t name);
const char *kni_run_name_text(const kn_scenario_run *run, uint32_t name);

// The first effect, or ability, that is meant; null if there is none.
kn_effect_id kni_run_effect(const kn_scenario_run *run, const kni_part *part);
kn_ability_id kni_run_ability(const kn_scenario_run *run, const kni_part *part);
kn_activation_id kni_run_activation(const kn_scenario_run *run, const kni_part *part);

// Carries out an action, in scenario_act.c. What it was expected to give is tested.
void kni_run_act(kn_scenario_run *run, const kni_part *part);
// Makes the entities of the scenario.
kn_result kni_run_populate(kn_scenario_run *run, const kni_part *const *entities, uint32_t count);

// What is different from what was expected, in scenario_expect.c.
typedef struct kni_difference {
    kni_line expected, found, why;
    char expected_text[KNI_LINE_SIZE], found_text[KNI_LINE_SIZE], why_text[KNI_WHY_SIZE];
} kni_difference;

bool kni_is_near(float value, float wanted, float tolerance);
bool kni_vector_is_near(kn_vec3 value, kn_vec3 wanted, float tolerance); // in each direction
void kni_difference_begin(kni_difference *difference);
bool kni_run_holds(const kn_scenario_run *run, const kni_part *part, kni_difference *difference);
void kni_run_fail(kn_scenario_run *run, const kni_place *place, const kni_difference *difference);
// "expected x, but y" without more.
void kni_run_fail_text(kn_scenario_run *run, const kni_place *place, const char *expected,
    const char *found, const char *why);
void kni_fails_print(kni_line *line, uint32_t fails);
// "apply Burn to foe"
void kni_action_print(const kn_scenario_run *run, const kni_part *part, kni_line *line);
void kni_explain_ability(const kn_scenario_run *run, kn_ability_id ability, kni_line *why);

// Events, in scenario_watch.c.
void kni_run_watch_begin(kn_scenario_run *run);
void kni_run_harvest(kn_scenario_run *run);
void kni_run_sequences_end(kn_scenario_run *run);
bool kni_event_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event);
void kni_pattern_print(const kn_scenario_run *run, const kni_part *part, kni_line *line);
float kni_run_measured(const kn_scenario_run *run, const kni_measure *measure);

#endif
