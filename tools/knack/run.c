// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack run: plays scenarios and reports failed expectations.

#include "run.h"

#include <string.h>

typedef struct run_tally {
    uint32_t passed, failed;
    cli_code code; // the worst so far
} run_tally;

// The trace -----------------------------------------------------------------

typedef struct tracer {
    const cli *call;
    const kn_scenario *scenario;
    uint32_t events; // so far: the number for knack explain --event
} tracer;

static void trace_action(
    const tracer *to, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    text line = {0};
    text_time(&line, trace->time);
    (void)printf("  %8s  %s%s", text_of(&line), cli_paint(to->call, CLI_BOLD), trace->text);
    (void)run;
    if (trace->result != KN_OK) {
        (void)printf(": %s", kn_result_name(trace->result));
    }
    (void)printf("%s\n", cli_paint(to->call, CLI_PLAIN));
    text_free(&line);
}

static void trace_step(tracer *to, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    kn_events events = kn_world_events(trace->world);
    for (uint32_t i = 0; i < events.count; i++) {
        text line = {0};
        to->events++;
        stage_event(&line, run, to->scenario, trace->world, &events.data[i]);
        (void)printf("  %s%5u%s  %s\n", cli_paint(to->call, CLI_DIM), to->events,
            cli_paint(to->call, CLI_PLAIN), text_of(&line));
        text_free(&line);
    }
}

static void trace_print(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    tracer *to = user;
    if (trace->kind == KN_SCENARIO_TRACE_ACTION) {
        trace_action(to, run, trace);
    } else if (trace->kind == KN_SCENARIO_TRACE_STEP) {
        trace_step(to, run, trace);
    } else {
        kn_scenario_failure failure = kn_scenario_failure_at(run, trace->failure);
        (void)printf("  %sexpected: %s, but %s%s\n", cli_paint(to->call, CLI_RED), failure.expected,
            failure.found, cli_paint(to->call, CLI_PLAIN));
    }
}

// One run -------------------------------------------------------------------

static void json_failures(json *out, const kn_scenario_run *run)
{
    json_begin(out, "failures", '[');
    for (uint32_t i = 0; i < kn_scenario_failure_count(run); i++) {
        kn_scenario_failure failure = kn_scenario_failure_at(run, i);
        json_begin(out, NULL, '{');
        json_text(out, "file", failure.file);
        json_count(out, "line", failure.line);
        json_count(out, "column", failure.column);
        json_seconds(out, "time", failure.time);
        json_text(out, "expected", failure.expected);
        json_text(out, "found", failure.found);
        json_text(out, "why", failure.why);
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void run_json(json *out, const char *path, const stage *on, uint32_t variant, bool passed)
{
    kn_scenario_counts counts = kn_scenario_run_counts(on->run);
    char hash[20];
    (void)snprintf(hash, sizeof(hash), "%016llx",
        (unsigned long long)kn_world_hash(kn_scenario_run_world(on->run)));
    json_begin(out, NULL, '{');
    json_text(out, "file", path);
    json_text(out, "scenario", kn_scenario_title(on->scenario));
    json_text(out, "variant", stage_variant_name(on, variant));
    json_bool(out, "passed", passed);
    json_count(out, "actions", counts.actions);
    json_count(out, "expectations", counts.expectations);
    json_count(out, "steps", counts.steps);
    json_seconds(out, "end", kn_scenario_run_now(on->run));
    json_text(out, "hash", hash);
    json_begin(out, "measures", '{');
    for (uint32_t i = 0; i < kn_scenario_measure_count(on->scenario); i++) {
        json_float(
            out, kn_scenario_measure_name(on->scenario, i), kn_scenario_run_measure(on->run, i));
    }
    json_end(out, '}');
    json_failures(out, on->run);
    script_log_json(out, "script_errors", &on->log);
    json_end(out, '}');
}

// A file that did not get so far.
static void file_json(json *out, const char *path, uint32_t first_message)
{
    json_begin(out, NULL, '{');
    json_text(out, "file", path);
    json_bool(out, "passed", false);
    messages_json(out, "messages", first_message);
    json_end(out, '}');
}

static void run_text(
    const cli *call, const char *path, const stage *on, uint32_t variant, bool passed)
{
    kn_scenario_counts counts = kn_scenario_run_counts(on->run);
    (void)printf("%s%s%s  %s", cli_paint(call, passed ? CLI_GREEN : CLI_RED),
        passed ? "ok  " : "FAIL", cli_paint(call, CLI_PLAIN), path);
    if (variant != KN_SCENARIO_BASE) {
        (void)printf(" [%s]", stage_variant_name(on, variant));
    }
    const char *title = kn_scenario_title(on->scenario);
    (void)printf("%s%s (%u %s)\n", title[0] != 0 ? ": " : "", title, counts.expectations,
        counts.expectations == 1 ? "expectation" : "expectations");
    script_log_print(call, &on->log, "  ", stdout);
    for (uint32_t i = 0; i < kn_scenario_failure_count(on->run); i++) {
        char failure[8192];
        (void)kn_scenario_failure_print(on->run, i, failure, sizeof(failure));
        text named = {0};
        stage_names(&named, on->run, on->scenario, failure);
        (void)printf("  %s\n", text_of(&named));
        text_free(&named);
    }
    uint32_t more = kn_scenario_run_failed(on->run) - kn_scenario_failure_count(on->run);
    if (more > 0) {
        (void)printf("  and %u more\n", more);
    }
    for (uint32_t i = 0; i < kn_scenario_measure_count(on->scenario); i++) {
        text number = {0};
        text_float(&number, kn_scenario_run_measure(on->run, i));
        (void)printf("      %s: %s\n", kn_scenario_measure_name(on->scenario, i), text_of(&number));
        text_free(&number);
    }
}

static uint32_t checks_of(const cli *call)
{
    const char *word = cli_text_of(call, "check", "none");
    bool both = strcmp(word, "both") == 0;
    return (both || strcmp(word, "sync") == 0 ? (uint32_t)KN_SCENARIO_CHECK_SYNC : 0) |
           (both || strcmp(word, "heavy") == 0 ? (uint32_t)KN_SCENARIO_CHECK_HEAVY : 0);
}

static void run_variant(
    const cli *call, const char *path, stage *on, uint32_t variant, json *out, run_tally *tally)
{
    tracer to = {call, on->scenario, 0};
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.variant = variant;
    def.checks = checks_of(call);
    def.has_seed = cli_has(call, "seed");
    def.seed = cli_number_of(call, "seed", 0);
    if (cli_has(call, "verbose") && out == NULL) {
        def.trace = trace_print;
        def.user = &to;
        on->log.has_prints = true;
    }
    script_log_clear(&on->log);
    kn_result result = kn_scenario_run_create(on->scenario, &def, &on->run);
    if (result == KN_OK) {
        result = kn_scenario_run_finish(on->run);
    }
    script_log_forgive(&on->log, on->run);
    bool passed = result == KN_OK && kn_scenario_run_passed(on->run) && on->log.error_count == 0;
    tally->passed += passed ? 1 : 0;
    tally->failed += passed ? 0 : 1;
    tally->code = passed || tally->code > CLI_BAD ? tally->code : CLI_BAD;
    uint32_t first_message = messages_count();
    if (result != KN_OK) {
        cli_tell(call, "%s: the run ended early: %s", path, kn_result_name(result));
    }
    if (out != NULL && result != KN_OK) {
        file_json(out, path, first_message);
    } else if (out != NULL) {
        run_json(out, path, on, variant, passed);
    } else if (on->run != NULL) {
        run_text(call, path, on, variant, passed);
    }
    kn_scenario_run_destroy(on->run);
    on->run = NULL;
}

// Plays a file in all requested variants. `out` receives JSON; NULL for none.
static void run_file(const cli *call, const char *path, json *out, run_tally *tally)
{
    stage on;
    uint32_t first_message = messages_count();
    cli_code code = stage_load(call, path, &on);
    uint32_t variant;
    const char *name;
    for (uint32_t i = 0; code == CLI_GOOD && (name = cli_nth_of(call, "variant", i)) != NULL; i++) {
        code = stage_variant(call, &on, name, &variant);
        if (code == CLI_GOOD) {
            run_variant(call, path, &on, variant, out, tally);
        }
    }
    if (code == CLI_GOOD && !cli_has(call, "variant")) {
        run_variant(call, path, &on, KN_SCENARIO_BASE, out, tally);
        for (uint32_t i = 0; i < kn_scenario_variant_count(on.scenario); i++) {
            run_variant(call, path, &on, i, out, tally);
        }
    }
    if (code != CLI_GOOD) {
        tally->failed++;
        tally->code = code > tally->code ? code : tally->code;
        if (out == NULL) {
            (void)printf(
                "%sFAIL%s  %s\n", cli_paint(call, CLI_RED), cli_paint(call, CLI_PLAIN), path);
        } else {
            file_json(out, path, first_message);
        }
    }
    stage_free(&on);
}

cli_code run_all(const cli *call, bool in_one_line)
{
    run_tally tally = {0};
    json out = {.is_compact = in_one_line};
    bool is_json = cli_has(call, "json");
    if (is_json) {
        json_begin(&out, NULL, '{');
        json_begin(&out, "runs", '[');
    }
    for (uint32_t i = 0; i < call->argument_count; i++) {
        run_file(call, call->arguments[i], is_json ? &out : NULL, &tally);
    }
    if (is_json) {
        json_end(&out, ']');
        json_count(&out, "passed", tally.passed);
        json_count(&out, "failed", tally.failed);
        json_end(&out, '}');
        json_print(&out);
    } else {
        (void)printf("%s%u passed, %u failed%s\n",
            cli_paint(call, tally.failed > 0 ? CLI_RED : CLI_GREEN), tally.passed, tally.failed,
            cli_paint(call, CLI_PLAIN));
    }
    return tally.code;
}

cli_code run_main(const cli *call)
{
    stage_files own;
    cli_code code = stage_find(call, &own);
    code = code == CLI_GOOD ? run_all(&own.call, false) : code;
    stage_files_free(&own);
    return code;
}
