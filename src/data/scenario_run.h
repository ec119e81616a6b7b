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
void kni_line_vector(kni_line *line, kn_vec3 vector);

#define KNI_LINE_SIZE 512
#define KNI_WHY_SIZE 2048
#define KNI_HISTORY 64     // events that explanations look back on
#define KNI_DIFFERENCES 12 // of one expectation that are reported

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

// What is different from what was expected.
typedef struct kni_difference {
    kni_line expected, found, why;
    char expected_text[KNI_LINE_SIZE], found_text[KNI_LINE_SIZE], why_text[KNI_WHY_SIZE];
} kni_difference;

typedef struct kni_differences {
    kni_difference *items; // KNI_DIFFERENCES, and one that is written over
    uint32_t count;        // of all
} kni_differences;

typedef struct kni_sessions kni_sessions;

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
    kni_sessions *sessions; // NULL without machines
    kn_time now;
    int64_t step_index; // steps begun, for the exact time of the next
    int64_t step_parts, step_divisor;
    kn_time moved_from; // when the last step began that moved bodies
    kn_time *next;      // of each item; KN_TIME_INFINITE: done
    uint32_t *due;      // items as a heap: the one that is next, then as written, in front

    uint64_t *names; // packed ids, by name
    kni_watch *watches;
    const kni_part **watched; // expectations that count events
    uint32_t watched_count;
    uint32_t event_at, cue_at; // how far the sequences have come
    bool *told;                // always and never are reported once
    uint32_t *error_lines;     // of scripts whose failing was expected
    uint32_t error_line_count, error_line_capacity;

    // Since the last step, for rolling back.
    uint32_t *pending;
    uint32_t pending_count, pending_capacity;
    uint64_t *names_before;
    kni_buffer snapshot, other;
    char refusal[KNI_LINE_SIZE]; // why the last effect was refused
    bool quiet;                  // doing again what was done: no failures, no trace

    kni_past_event *history; // a ring
    uint32_t history_count;

    kni_differences differences[2]; // of an expectation, before and after its events are published
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

// Target data of a part, and a part as a command, in scenario_command.c. False for one that is too
// large.
void kni_targets_of(const kn_scenario_run *run, const kni_part *part, kn_target_data *out);
bool kni_command_of(const kn_scenario_run *run, const kni_part *part, kn_command_data *data);

// The seed of its world, and of its network.
uint64_t kni_run_seed(const kn_scenario_run *run);

// Carries out an action, in scenario_act.c. What it was expected to give is tested.
void kni_run_act(kn_scenario_run *run, const kni_part *part);
// Makes the entities of the scenario.
kn_result kni_run_populate(kn_scenario_run *run, const kni_part *const *entities, uint32_t count);

bool kni_is_near(float value, float wanted, const kni_tolerance *tolerance);
bool kni_time_is_near(kn_time value, kn_time wanted, const kni_tolerance *tolerance);
// In each direction.
bool kni_vector_is_near(kn_vec3 value, kn_vec3 wanted, const kni_tolerance *tolerance);
void kni_difference_begin(kni_difference *difference);
// Tells all that is different; true if nothing is.
bool kni_run_holds(const kn_scenario_run *run, const kni_part *part, kni_differences *out);
void kni_run_fail(kn_scenario_run *run, const kni_place *place, const kni_difference *difference);
void kni_run_fail_all(
    kn_scenario_run *run, const kni_place *place, const kni_differences *differences);
// "expected x, but y" without more.
void kni_run_fail_text(kn_scenario_run *run, const kni_place *place, const char *expected,
    const char *found, const char *why);
void kni_fails_print(kni_line *line, const kn_library *library, uint32_t fails);
// "apply Burn to foe"
void kni_action_print(const kn_scenario_run *run, const kni_part *part, kni_line *line);
void kni_explain_ability(const kn_scenario_run *run, kn_ability_id ability, kni_line *why);

// Plain data, in scenario_fields.c.
typedef struct kni_element {
    uint8_t bytes[16];
} kni_element;

typedef struct kni_fields_of {
    const char *name; // of what they are fields
    const kn_field *fields;
    uint32_t count;
    bool has_owner;     // abilities may be given by type: the first one of `owner`
    kn_entity_id owner; // null without a run
} kni_fields_of;

// One value as bytes. Without a run names stand for nothing. Refused with a sentence.
kn_result kni_element_read(const kn_scenario *scenario, const kn_scenario_run *run,
    const kn_field *field, kni_node node, kni_element *out, kn_error *error);
// Whether two values are the same, and one of them as text.
bool kni_element_is(const kn_field *field, const uint8_t *found, const uint8_t *wanted,
    const kni_tolerance *tolerance);
void kni_element_print(
    const kn_scenario_run *run, const kn_field *field, const uint8_t *bytes, kni_line *line);
// Whether a mapping names fields and has values for them; reports an error if not.
bool kni_fields_check(kn_scenario *scenario, const kni_fields_of *of, kni_node values);
// Whether a field has the value that is written; else what was expected and found.
bool kni_field_is(const kn_scenario_run *run, const kni_fields_of *of, kni_node value,
    const uint8_t *block, const kni_tolerance *tolerance, kni_line *expected, kni_line *found);
bool kni_fields_write(
    const kn_scenario_run *run, const kni_fields_of *of, kni_node values, uint8_t *block);
// A list of values with their kinds as the bytes of a payload; `out` may be NULL. What is wrong is
// at `wrong`.
kn_result kni_payload_read(const kn_scenario *scenario, const kn_scenario_run *run,
    uint32_t context, kni_node list, uint8_t *out, kni_node *wrong, kn_error *error);
bool kni_records_check(kn_scenario *scenario, kni_node list);
kn_result kni_records_write(const kn_scenario_run *run, kni_node list, kn_target_data *data);

// Events, in scenario_watch.c.
void kni_run_watch_begin(kn_scenario_run *run);
void kni_run_harvest(kn_scenario_run *run);
// What happened on a machine, or was taken back; `view` is the run as that machine sees it.
void kni_run_observe(kn_scenario_run *run, const kn_scenario_run *view, uint32_t machine,
    const kn_event *event, bool is_revoked);
// Keeps an event in a ring of KNI_HISTORY.
void kni_event_remember(const kn_scenario_run *view, const kn_event *event, kni_past_event *past);
void kni_run_sequences_end(kn_scenario_run *run);
bool kni_event_matches(const kn_scenario_run *run, const kni_part *part, const kn_event *event);
void kni_pattern_print(const kn_scenario_run *run, const kni_part *part, kni_line *line);
float kni_run_measured(const kn_scenario_run *run, const kni_measure *measure);

#endif
