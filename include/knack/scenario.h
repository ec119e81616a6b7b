// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Scenarios: situations as text. A file names libraries, entities, what is done at which time and
/// what must be true then; running it says what was expected, what was there, and why. Part of
/// knack::data. docs/scenarios.md is the manual of the format.
///
///   kn_scenario_def def = kn_scenario_def_default();
///   kn_scenario *scenario;
///   if (kn_scenario_load_file(&def, "meteor.yaml", &scenario) != KN_OK) {
///       ... kn_scenario_message_print(scenario, i, line, sizeof(line)) ...
///   }
///   kn_scenario_run_def run_def = kn_scenario_run_def_default();
///   kn_scenario_run *run;
///   kn_result result = kn_scenario_run_create(scenario, &run_def, &run);
///   if (result == KN_OK && kn_scenario_run_finish(run) == KN_OK && !kn_scenario_run_passed(run)) {
///       ... kn_scenario_failure_print(run, i, text, sizeof(text)) ...
///   }
///   kn_scenario_run_destroy(run);
///   kn_scenario_destroy(scenario);
#ifndef KNACK_SCENARIO_H
#define KNACK_SCENARIO_H

#include "knack/data.h"

#ifdef __cplusplus
extern "C" {
#endif

// Loading -------------------------------------------------------------------

/// A scenario that was read: immutable, for any number of runs, one thread at a time.
typedef struct kn_scenario kn_scenario;

typedef struct kn_scenario_def {
    kn_hooks hooks;
    /// A finished library that is there already; the file names none then. Kept alive by runs, and
    /// to be kept by the caller as long as the scenario. NULL: as the file says.
    const kn_library *library;
    /// As in kn_data_def: registers what is written in C, and where scripts come from.
    kn_result (*prepare)(void *user, kn_library *library, kn_error *error);
    kn_data_scripts scripts;
    /// Adds natives, or further files, before the library is built. May be NULL.
    kn_result (*add)(void *user, kn_data *data);
    void *user;
    uint32_t message_limit; ///< errors, and warnings, that are kept; default 100
    size_t file_limit;      ///< bytes of one file; default 16 MB
    uint32_t step_limit;    ///< most steps of a run; default 1,000,000
    bool warn;              ///< also tell what is suspicious in the libraries; default false
    uint32_t cookie;
} kn_scenario_def;

KN_API kn_scenario_def kn_scenario_def_default(void);
/// Reads a scenario and builds its library. Paths in it are relative to its folder.
/// @param scenario receives it, also with KN_ERROR_BAD_DATA and KN_ERROR_IO: then it has messages
///                 and cannot be run. NULL for anything else but KN_OK
/// @return KN_OK; KN_ERROR_BAD_DATA; KN_ERROR_IO; KN_ERROR_OUT_OF_MEMORY;
///         KN_ERROR_INVALID_ARGUMENT
KN_API KN_MUST_USE kn_result kn_scenario_load_file(
    const kn_scenario_def *def, const char *path, kn_scenario **scenario);
/// The same from memory. `name` is what messages say, and its folder is where paths start.
KN_API KN_MUST_USE kn_result kn_scenario_load_text(const kn_scenario_def *def, const char *name,
    const char *text, size_t size, kn_scenario **scenario);
/// NULL is fine. Its runs must be gone.
KN_API void kn_scenario_destroy(kn_scenario *scenario);

/// Messages of loading, in the order of files and lines. Texts are valid as long as the scenario.
KN_API uint32_t kn_scenario_message_count(const kn_scenario *scenario);
KN_API kn_data_message kn_scenario_message_at(const kn_scenario *scenario, uint32_t index);
/// "meteor.yaml:12:7: error: ...". Returns the full length.
KN_API uint32_t kn_scenario_message_print(
    const kn_scenario *scenario, uint32_t index, char *text, uint32_t size);

/// The files and folders behind it by number, in the order they were read, itself first; NULL
/// beyond the last. Whoever watches them knows when to load it again.
KN_API const char *kn_scenario_source(const kn_scenario *scenario, uint32_t index);

/// The sentence behind `scenario:`; "" if there is none.
KN_API const char *kn_scenario_title(const kn_scenario *scenario);
/// NULL if it was not built.
KN_API const kn_library *kn_scenario_library(const kn_scenario *scenario);
/// When a run is over: `end:`, or the last time that is written.
KN_API kn_time kn_scenario_end(const kn_scenario *scenario);

/// Variants: other entities or settings for the same timeline.
KN_API uint32_t kn_scenario_variant_count(const kn_scenario *scenario);
KN_API const char *kn_scenario_variant_name(const kn_scenario *scenario, uint32_t index);
/// Index of a variant by name; KN_SCENARIO_BASE when unknown.
KN_API uint32_t kn_scenario_variant_find(const kn_scenario *scenario, const char *name);
/// The scenario as it is written, without a variant.
#define KN_SCENARIO_BASE UINT32_MAX

/// Named numbers of the `measure:` section.
KN_API uint32_t kn_scenario_measure_count(const kn_scenario *scenario);
KN_API const char *kn_scenario_measure_name(const kn_scenario *scenario, uint32_t index);

/// Writes the JSON Schema (draft 2020-12) of scenario files; their library within is what
/// kn_data_write_schema() says of data files. `written` receives the bytes needed in any case.
/// @return KN_OK, KN_ERROR_BUFFER_TOO_SMALL, KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_scenario_write_schema(char *text, size_t size, size_t *written);

// Running -------------------------------------------------------------------

/// One run: a world, how far it came, and what was not as expected.
typedef struct kn_scenario_run kn_scenario_run;

/// What a run proves besides its expectations, as bits.
typedef enum kn_scenario_check {
    /// Each step is made twice, rolled back in between by a snapshot, and must end the same.
    KN_SCENARIO_CHECK_SYNC = 1 << 0,
    /// After each step the world is saved, and the run goes on in a new world loaded from that.
    KN_SCENARIO_CHECK_HEAVY = 1 << 1,
} kn_scenario_check;

typedef enum kn_scenario_trace_kind {
    KN_SCENARIO_TRACE_ACTION,  ///< something of the timeline was done; `text` and `result`
    KN_SCENARIO_TRACE_STEP,    ///< a step was made; kn_world_events() has what happened
    KN_SCENARIO_TRACE_FAILURE, ///< something was not as expected; `failure`
} kn_scenario_trace_kind;

/// What an observer of a run is told. Valid during the call.
typedef struct kn_scenario_trace {
    kn_scenario_trace_kind kind;
    kn_time time;
    const kn_world *world;
    const char *file; ///< where the action, or the expectation, is written; "" for a step
    uint32_t line;
    uint32_t column;
    const char *text; ///< the action as a sentence: "apply Burn to foe"
    kn_result result;
    uint32_t failure; ///< index for kn_scenario_failure_at()
} kn_scenario_trace;

/// Changes nothing.
typedef void kn_scenario_trace_fn(
    void *user, const kn_scenario_run *run, const kn_scenario_trace *trace);

typedef struct kn_scenario_run_def {
    kn_hooks hooks;   ///< of the run and its world
    uint32_t variant; ///< default KN_SCENARIO_BASE
    bool has_seed;    ///< use `seed` instead of the scenario's
    uint64_t seed;
    uint32_t checks; ///< kn_scenario_check bits, besides those of the scenario
    /// Keep a recording of it, see kn_scenario_run_recording(); instead of all checks.
    bool record;
    uint32_t failure_limit; ///< failures that are kept; default 20
    kn_scenario_trace_fn *trace;
    void *user;
    uint32_t cookie;
} kn_scenario_run_def;

KN_API kn_scenario_run_def kn_scenario_run_def_default(void);
/// Makes the world and its entities and publishes the events of that, told to `trace` as a step;
/// nothing of the timeline is done yet.
/// @return KN_OK; KN_ERROR_BAD_DATA for a scenario with errors; KN_ERROR_INVALID_ARGUMENT for an
///         unknown variant; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_scenario_run_create(
    const kn_scenario *scenario, const kn_scenario_run_def *def, kn_scenario_run **run);
/// NULL is fine.
KN_API void kn_scenario_run_destroy(kn_scenario_run *run);

/// Goes on until `time`, what is written for that time included; at most to the end. A time that
/// has passed changes nothing. The first step takes no time: it publishes what made the entities.
/// @return KN_OK, whatever failed to meet expectations; or what the world returned, such as
///         KN_ERROR_OUT_OF_MEMORY: then the run is over
KN_API KN_MUST_USE kn_result kn_scenario_run_until(kn_scenario_run *run, kn_time time);
/// Goes on to the end and tests what is expected there.
KN_API KN_MUST_USE kn_result kn_scenario_run_finish(kn_scenario_run *run);

/// The world as it is now. Another one after each step if it is checked by saving.
KN_API kn_world *kn_scenario_run_world(const kn_scenario_run *run);
KN_API kn_time kn_scenario_run_now(const kn_scenario_run *run);
/// What a name of the scenario stands for now; null if it is unknown, or not there yet.
KN_API kn_entity_id kn_scenario_run_entity(const kn_scenario_run *run, const char *name);
KN_API kn_effect_id kn_scenario_run_effect(const kn_scenario_run *run, const char *name);
KN_API kn_ability_id kn_scenario_run_ability(const kn_scenario_run *run, const char *name);
/// Names of entities by number, in the order of the file; NULL beyond the last. For an entity the
/// scenario does not name, kn_scenario_run_name() gives NULL.
KN_API const char *kn_scenario_entity_name(const kn_scenario *scenario, uint32_t index);
KN_API const char *kn_scenario_run_name(const kn_scenario_run *run, kn_entity_id entity);
/// A measured number as it stands now; 0 for an index out of range.
KN_API float kn_scenario_run_measure(const kn_scenario_run *run, uint32_t index);
/// Actions done, expectations tested, steps made.
typedef struct kn_scenario_counts {
    uint32_t actions;
    uint32_t expectations;
    uint32_t steps;
} kn_scenario_counts;
KN_API kn_scenario_counts kn_scenario_run_counts(const kn_scenario_run *run);

// Failures ------------------------------------------------------------------

/// Something that was not as expected. Texts are valid as long as the run.
typedef struct kn_scenario_failure {
    const char *file; ///< where the expectation is written
    uint32_t line;
    uint32_t column;
    kn_time time;         ///< when it was tested
    const char *expected; ///< "Vitals.Health of foe is 58"
    const char *found;    ///< "it is 60"
    const char *why;      ///< the explanation, one or more lines; "" if there is none
} kn_scenario_failure;

/// Whether an expectation was about an error of a script at this line: `event: error`, with
/// whatever else it asks. Programs that count errors of scripts leave these out.
KN_API bool kn_scenario_run_expected_error(const kn_scenario_run *run, uint32_t line);
/// True when everything tested so far was as expected.
KN_API bool kn_scenario_run_passed(const kn_scenario_run *run);
/// How many failures there were, kept or not. An expectation has one for everything that differs.
KN_API uint32_t kn_scenario_run_failed(const kn_scenario_run *run);
/// Those that were kept, in the order of time.
KN_API uint32_t kn_scenario_failure_count(const kn_scenario_run *run);
KN_API kn_scenario_failure kn_scenario_failure_at(const kn_scenario_run *run, uint32_t index);
/// "meteor.yaml:12:7: at 0.5 s: expected ..., but ...", and the explanation on further lines.
/// Returns the full length.
KN_API uint32_t kn_scenario_failure_print(
    const kn_scenario_run *run, uint32_t index, char *text, uint32_t size);

// Recordings ----------------------------------------------------------------

/// The recording of a run that was asked to keep one: actions are its commands. NULL if it was not.
/// Valid until the run goes on.
KN_API const void *kn_scenario_run_recording(const kn_scenario_run *run, size_t *size);
/// Plays such a recording again and compares every step, as kn_replay() does. `variant` is the one
/// that was recorded.
/// @return as kn_replay(); KN_ERROR_INVALID_ARGUMENT for an unknown variant
KN_API KN_MUST_USE kn_result kn_scenario_replay(const kn_scenario *scenario, uint32_t variant,
    const void *bytes, size_t size, kn_replay_report *report, kn_error *error);
/// The same in a run of one's own, which has gone nowhere yet: its world and names are there to
/// look at afterwards. It cannot go on.
KN_API KN_MUST_USE kn_result kn_scenario_run_replay(kn_scenario_run *run, const void *bytes,
    size_t size, kn_replay_report *report, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
