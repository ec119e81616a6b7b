// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Scenarios: situations as text. A file names libraries, entities, what is done at which time and
/// what must be true then; running it reports what was expected, what was found, and why. Part of
/// knack::data. docs/scenarios.md is the manual of the format. Where knack::net is built too
/// (KNACK_NET), knack::data links it, and a scenario may have machines: a server and clients over a
/// simulated network.
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

/// A loaded scenario: immutable, for any number of runs, one thread at a time.
typedef struct kn_scenario kn_scenario;

/// How to load a scenario. Start from kn_scenario_def_default().
typedef struct kn_scenario_def {
    kn_hooks hooks; ///< memory and log of the scenario; all-zero for malloc and stderr
    /// A finished library to use; then the file names none. It must outlive the scenario; runs keep
    /// it alive. NULL: the file names the files of its library.
    const kn_library *library;
    /// Registers what is written in C, as in kn_data_def. May be NULL.
    kn_result (*prepare)(void *user, kn_library *library, kn_error *error);
    const kn_kit *kits;      ///< kits that files may name, as in kn_data_def; may be NULL
    uint32_t kit_count;      ///< number of entries in `kits`
    kn_data_scripts scripts; ///< the script engine, as in kn_data_def; all-zero: none
    /// Adds natives, or further files, before the library is built. May be NULL.
    kn_result (*add)(void *user, kn_data *data);
    void *user;             ///< passed to `prepare` and `add`
    uint32_t message_limit; ///< most errors, and most warnings, that are kept; default 100
    size_t file_limit;      ///< most bytes of one file; default 16 MB
    uint32_t step_limit;    ///< most steps of a run; default 1,000,000
    bool warn;              ///< also report what is suspicious in the libraries; default false
    uint32_t cookie;        ///< set by kn_scenario_def_default(); do not change it
} kn_scenario_def;

/// A def with the default limits.
KN_API kn_scenario_def kn_scenario_def_default(void);
/// Loads a scenario from a file and builds its library. Paths in it are relative to its folder.
/// @param scenario receives it, also with KN_ERROR_BAD_DATA and KN_ERROR_IO: then it has messages
///         and cannot be run. NULL for anything else but KN_OK
/// @return KN_OK; KN_ERROR_BAD_DATA; KN_ERROR_IO; KN_ERROR_INVALID_ARGUMENT for a def without its
///         defaults; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_scenario_load_file(
    const kn_scenario_def *def, const char *path, kn_scenario **scenario);
/// Loads a scenario from memory. `name` is what messages call it, and its folder is where paths
/// start. Results as kn_scenario_load_file().
KN_API KN_MUST_USE kn_result kn_scenario_load_text(const kn_scenario_def *def, const char *name,
    const char *text, size_t size, kn_scenario **scenario);
/// Destroys a scenario. NULL is ignored. Its runs must be destroyed first.
KN_API void kn_scenario_destroy(kn_scenario *scenario);

/// Number of messages kept from loading.
KN_API uint32_t kn_scenario_message_count(const kn_scenario *scenario);
/// One message of loading, in the order of files and lines; empty past the end. Strings are valid
/// as long as the scenario.
KN_API kn_data_message kn_scenario_message_at(const kn_scenario *scenario, uint32_t index);
/// Writes one message as "meteor.yaml:12:7: error: ...". Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 past the end.
KN_API uint32_t kn_scenario_message_print(
    const kn_scenario *scenario, uint32_t index, char *text, uint32_t size);

/// The files and folders behind a scenario by index, in the order they were read, its own file
/// first; NULL past the end. Watch them to know when to load it again.
KN_API const char *kn_scenario_source(const kn_scenario *scenario, uint32_t index);

/// The sentence after `scenario:`; "" if there is none. Valid as long as the scenario.
KN_API const char *kn_scenario_title(const kn_scenario *scenario);
/// The library of a scenario; NULL if it was not built. Valid as long as the scenario.
KN_API const kn_library *kn_scenario_library(const kn_scenario *scenario);
/// Simulated time at which a run is over: `end:`, or the last time in the file.
KN_API kn_time kn_scenario_end(const kn_scenario *scenario);

/// Number of variants: other entities or settings for the same timeline.
KN_API uint32_t kn_scenario_variant_count(const kn_scenario *scenario);
/// The name of a variant; "" past the end. Valid as long as the scenario.
KN_API const char *kn_scenario_variant_name(const kn_scenario *scenario, uint32_t index);
/// The index of a variant by name; KN_SCENARIO_BASE when unknown.
KN_API uint32_t kn_scenario_variant_find(const kn_scenario *scenario, const char *name);
/// The scenario as it is written, without a variant.
#define KN_SCENARIO_BASE UINT32_MAX

/// Number of clients in the `machines:` section: a run then has a server, whose world is that of
/// the run, and these clients, joined by a simulated network. 0 for a scenario of one world. Needs
/// knack::net: without it, a file with `machines` is refused.
KN_API uint32_t kn_scenario_machine_count(const kn_scenario *scenario);
/// The name of a client; "" past the end. Valid as long as the scenario.
KN_API const char *kn_scenario_machine_name(const kn_scenario *scenario, uint32_t index);

/// Number of named numbers in the `measure:` section.
KN_API uint32_t kn_scenario_measure_count(const kn_scenario *scenario);
/// The name of a measured number; "" past the end. Valid as long as the scenario.
KN_API const char *kn_scenario_measure_name(const kn_scenario *scenario, uint32_t index);
/// True for a measured number that is 1 or 0 in each run (`take: happened`), so that its mean over
/// many runs is a rate, such as that of wins. False past the end.
KN_API bool kn_scenario_measure_is_rate(const kn_scenario *scenario, uint32_t index);

/// Writes the JSON Schema (draft 2020-12) of scenario files, without a final zero; their library is
/// described as in kn_data_write_schema(). `written` receives the bytes needed, also when the
/// buffer is too small.
/// @return KN_OK; KN_ERROR_BUFFER_TOO_SMALL; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_scenario_write_schema(char *text, size_t size, size_t *written);
/// Writes the JSON Schema of scenario files for a library with own kinds (knack/kind.h), whose
/// sections it describes too; finished or not. Results as kn_scenario_write_schema().
KN_API KN_MUST_USE kn_result kn_scenario_write_library_schema(
    const kn_library *library, char *text, size_t size, size_t *written);

// Running -------------------------------------------------------------------

/// One run: a world, how far it got, and what was not as expected. Opaque; see
/// kn_scenario_run_create().
typedef struct kn_scenario_run kn_scenario_run;

/// What a run proves besides its expectations, as bits.
typedef enum kn_scenario_check {
    /// Each step is made twice, rolled back in between by a snapshot, and must end the same.
    KN_SCENARIO_CHECK_SYNC = 1 << 0,
    /// After each step the world is saved, and the run goes on in a new world loaded from that
    /// save.
    KN_SCENARIO_CHECK_HEAVY = 1 << 1,
} kn_scenario_check;

/// What a trace of a run is about.
typedef enum kn_scenario_trace_kind {
    KN_SCENARIO_TRACE_ACTION,  ///< an action of the timeline was carried out; `text` and `result`
    KN_SCENARIO_TRACE_STEP,    ///< a step was made; kn_world_events() has what happened
    KN_SCENARIO_TRACE_FAILURE, ///< something was not as expected; `failure`
} kn_scenario_trace_kind;

/// Passed to the observer of a run. Valid during the call.
typedef struct kn_scenario_trace {
    kn_scenario_trace_kind kind; ///< what the trace is about
    kn_time time;                ///< simulated time at which it happened
    const kn_world *world;       ///< the world of the run, for reading
    const char *file;            ///< where the action or expectation is written; "" for a step
    uint32_t line;               ///< line in `file`, from 1; 0 for a step
    uint32_t column;             ///< column in `line`, from 1; 0 for a step
    const char *text;            ///< the action as a sentence: "apply Burn to foe"
    kn_result result;            ///< the result of the action
    uint32_t failure;            ///< index of the failure, for kn_scenario_failure_at()
} kn_scenario_trace;

/// Observes a run. Must not change anything.
typedef void kn_scenario_trace_fn(
    void *user, const kn_scenario_run *run, const kn_scenario_trace *trace);

/// How to run a scenario. Start from kn_scenario_run_def_default().
typedef struct kn_scenario_run_def {
    kn_hooks hooks;   ///< memory and log of the run and its world; all-zero for malloc and stderr
    uint32_t variant; ///< index of the variant to run; default KN_SCENARIO_BASE
    bool has_seed;    ///< use `seed` instead of the scenario's
    uint64_t seed;    ///< seed of the random streams, with `has_seed`
    /// Checks to make, as kn_scenario_check bits, besides those of the scenario. With machines none
    /// are made.
    uint32_t checks;
    bool no_checks; ///< make no checks, those of the scenario neither; default false
    /// Make a recording, see kn_scenario_run_recording(); then no checks are made. Not with
    /// machines.
    bool record;
    uint32_t failure_limit;      ///< most failures that are kept; default 20
    kn_scenario_trace_fn *trace; ///< observes the run; may be NULL
    void *user;                  ///< passed to `trace`
    uint32_t cookie;             ///< set by kn_scenario_run_def_default(); do not change it
} kn_scenario_run_def;

/// A run of the base scenario without further checks.
KN_API kn_scenario_run_def kn_scenario_run_def_default(void);
/// Creates a run with its world and entities. Nothing of the timeline is done yet. The scenario
/// must outlive it. Destroy it with kn_scenario_run_destroy().
/// @return KN_OK; KN_ERROR_BAD_DATA for a scenario with errors; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults, an unknown variant, or a recording with machines;
///         KN_ERROR_OUT_OF_MEMORY,
///         KN_ERROR_WORLD_BROKEN
KN_API KN_MUST_USE kn_result kn_scenario_run_create(
    const kn_scenario *scenario, const kn_scenario_run_def *def, kn_scenario_run **run);
/// Destroys a run and its world. NULL is ignored.
KN_API void kn_scenario_run_destroy(kn_scenario_run *run);

/// Runs until `time`, what is written for that time included, but at most to the end. A time that
/// has passed changes nothing. The first step takes no time: it publishes what created the
/// entities.
/// @return KN_OK, whether expectations were met or not; or what the world returned, such as
///         KN_ERROR_OUT_OF_MEMORY: then the run is over
KN_API KN_MUST_USE kn_result kn_scenario_run_until(kn_scenario_run *run, kn_time time);
/// Runs to the end and tests what is expected there. Results as kn_scenario_run_until().
KN_API KN_MUST_USE kn_result kn_scenario_run_finish(kn_scenario_run *run);

/// The world as it is now. With KN_SCENARIO_CHECK_HEAVY it is another one after each step.
KN_API kn_world *kn_scenario_run_world(const kn_scenario_run *run);
/// The world of a client as it predicts it, for reading; NULL before it has joined, and past the
/// end.
KN_API kn_world *kn_scenario_run_machine_world(const kn_scenario_run *run, uint32_t index);
/// Simulated time the run has reached.
KN_API kn_time kn_scenario_run_now(const kn_scenario_run *run);
/// The entity that a name of the scenario stands for now; null if the name is unknown or not there
/// yet.
KN_API kn_entity_id kn_scenario_run_entity(const kn_scenario_run *run, const char *name);
/// The effect that a name of the scenario stands for now; null if the name is unknown or not there
/// yet.
KN_API kn_effect_id kn_scenario_run_effect(const kn_scenario_run *run, const char *name);
/// The ability that a name of the scenario stands for now; null if the name is unknown or not there
/// yet.
KN_API kn_ability_id kn_scenario_run_ability(const kn_scenario_run *run, const char *name);
/// The names of entities by index, in the order of the file; NULL past the end. Valid as long as
/// the scenario.
KN_API const char *kn_scenario_entity_name(const kn_scenario *scenario, uint32_t index);
/// The name of an entity in a run; NULL for one that the scenario does not name.
KN_API const char *kn_scenario_run_name(const kn_scenario_run *run, kn_entity_id entity);
/// A measured number as it stands now; 0 for an index out of range.
KN_API float kn_scenario_run_measure(const kn_scenario_run *run, uint32_t index);
/// What a run has done so far.
typedef struct kn_scenario_counts {
    uint32_t actions;      ///< actions carried out
    uint32_t expectations; ///< expectations tested
    uint32_t steps;        ///< steps made
} kn_scenario_counts;
/// How many actions, expectations and steps a run has done so far.
KN_API kn_scenario_counts kn_scenario_run_counts(const kn_scenario_run *run);

// Failures ------------------------------------------------------------------

/// Something that was not as expected. Strings are valid until the run goes on.
typedef struct kn_scenario_failure {
    const char *file;     ///< where the expectation is written
    uint32_t line;        ///< line in `file`, from 1
    uint32_t column;      ///< column in `line`, from 1
    kn_time time;         ///< simulated time of the test
    const char *expected; ///< what was expected, such as "Vitals.Health of foe is 58"
    const char *found;    ///< what was found, such as "it is 60"
    const char *why;      ///< the explanation, one or more lines; "" if there is none
} kn_scenario_failure;

/// True if an expectation was about a script error at this line: `event: error`, with whatever else
/// it asks. Programs that count script errors leave these out.
KN_API bool kn_scenario_run_expected_error(const kn_scenario_run *run, uint32_t line);
/// True when everything tested so far was as expected, and the world returned no error.
KN_API bool kn_scenario_run_passed(const kn_scenario_run *run);
/// How many failures there were, kept or not. An expectation has one for everything that differs.
KN_API uint32_t kn_scenario_run_failed(const kn_scenario_run *run);
/// Number of failures that were kept.
KN_API uint32_t kn_scenario_failure_count(const kn_scenario_run *run);
/// One failure that was kept, in order of time; empty past the end. Strings are valid until the run
/// goes on.
KN_API kn_scenario_failure kn_scenario_failure_at(const kn_scenario_run *run, uint32_t index);
/// Writes one failure as "meteor.yaml:12:7: at 0.5 s: expected: ..., but ...", and the explanation
/// on further lines. Returns the full length; the text is truncated to `size` bytes including the
/// final zero. 0 past the end.
KN_API uint32_t kn_scenario_failure_print(
    const kn_scenario_run *run, uint32_t index, char *text, uint32_t size);

// Recordings ----------------------------------------------------------------

/// The recording of a run that was asked to make one: actions are its commands. NULL, and 0, if it
/// was not. Valid until the run goes on.
KN_API const void *kn_scenario_run_recording(const kn_scenario_run *run, size_t *size);
/// Plays such a recording again and compares every step, as kn_replay() does. `variant` is the one
/// that was recorded.
/// @return as kn_replay(); KN_ERROR_BAD_DATA for a scenario with errors; KN_ERROR_INVALID_ARGUMENT
///         for an unknown variant, or with machines
KN_API KN_MUST_USE kn_result kn_scenario_replay(const kn_scenario *scenario, uint32_t variant,
    const void *bytes, size_t size, kn_replay_report *report, kn_error *error);
/// Plays a recording in a run you created and have not advanced: its world and names can be
/// inspected afterwards. The run cannot go on. Results as kn_replay(); KN_ERROR_INVALID_ARGUMENT
/// with machines.
KN_API KN_MUST_USE kn_result kn_scenario_run_replay(kn_scenario_run *run, const void *bytes,
    size_t size, kn_replay_report *report, kn_error *error);

#ifdef __cplusplus
}
#endif

#endif
