// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack sim: plays scenarios with many seeds on all cores. Each run writes to a place of its own
// and everything is summed up afterwards in the order of runs, so that the number of threads does
// not show.

#include "sim.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// Series --------------------------------------------------------------------

static void series_add(sim *to, uint32_t file, uint32_t variant)
{
    const stage *on = &to->stages[file];
    const char *name = stage_variant_name(on, variant);
    sim_series series = {.file = to->call->arguments[file], .variant = variant};
    series.name = cli_resize(NULL, strlen(name) + 1);
    memcpy(series.name, name, strlen(name) + 1);
    uint32_t count = to->series_count++;
    to->series = cli_resize(to->series, to->series_count * sizeof(*to->series));
    to->series_file = cli_resize(to->series_file, to->series_count * sizeof(*to->series_file));
    to->series[count] = series;
    to->series_file[count] = file;
}

static cli_code series_find(sim *to, uint32_t file)
{
    const stage *on = &to->stages[file];
    const char *name;
    for (uint32_t i = 0; (name = cli_nth_of(to->call, "variant", i)) != NULL; i++) {
        uint32_t variant;
        cli_code code = stage_variant(to->call, on, name, &variant);
        if (code != CLI_GOOD) {
            return code;
        }
        series_add(to, file, variant);
    }
    if (!cli_has(to->call, "variant")) {
        series_add(to, file, KN_SCENARIO_BASE);
        for (uint32_t i = 0; i < kn_scenario_variant_count(on->scenario); i++) {
            series_add(to, file, i);
        }
    }
    return CLI_GOOD;
}

// Measures ------------------------------------------------------------------

static uint32_t measure_find(const kn_scenario *scenario, const char *name)
{
    uint32_t count = kn_scenario_measure_count(scenario);
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(kn_scenario_measure_name(scenario, i), name) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

static const char *measure_word(const void *user, uint32_t index)
{
    const kn_scenario *scenario = user;
    return index < kn_scenario_measure_count(scenario) ? kn_scenario_measure_name(scenario, index)
                                                       : NULL;
}

static void name_add(sim *to, const char *name, bool is_rate)
{
    size_t size = strlen(name) + 1;
    to->measures = cli_resize(to->measures, (to->measure_count + 1) * sizeof(*to->measures));
    to->are_rates = cli_resize(to->are_rates, (to->measure_count + 1) * sizeof(*to->are_rates));
    to->are_rates[to->measure_count] = is_rate;
    to->measures[to->measure_count] = cli_resize(NULL, size);
    memcpy(to->measures[to->measure_count++], name, size);
}

static cli_code measure_add(sim *to, const char *name)
{
    bool is_rate = true; // in all of them
    for (uint32_t i = 0; i < to->call->argument_count; i++) {
        const kn_scenario *scenario = to->stages[i].scenario;
        uint32_t index = measure_find(scenario, name);
        is_rate = is_rate && kn_scenario_measure_is_rate(scenario, index);
        if (index == UINT32_MAX) {
            const char *nearest = cli_nearest(name, measure_word, scenario);
            cli_tell(to->call, "%s has no measure `%s`%s%s%s", to->call->arguments[i], name,
                nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
                nearest != NULL ? "`?" : "");
            return CLI_USAGE;
        }
    }
    name_add(to, name, is_rate);
    return CLI_GOOD;
}

static cli_code meters_find(sim *to)
{
    cli_code code = CLI_GOOD;
    const char *name;
    for (uint32_t i = 0; code == CLI_GOOD && (name = cli_nth_of(to->call, "meter", i)) != NULL;
         i++) {
        to->meters = cli_resize(to->meters, (to->meter_count + 1) * sizeof(*to->meters));
        code = combat_meter_parse(to->call, to->stages, name, &to->meters[to->meter_count]);
        to->meter_count++;
        name_add(to, name, false);
    }
    return code;
}

static cli_code measures_find(sim *to)
{
    cli_code code = CLI_GOOD;
    const char *name;
    for (uint32_t i = 0; code == CLI_GOOD && (name = cli_nth_of(to->call, "measure", i)) != NULL;
         i++) {
        code = measure_add(to, name);
    }
    const kn_scenario *first = to->stages[0].scenario;
    bool is_chosen = cli_has(to->call, "measure") || cli_has(to->call, "meter");
    for (uint32_t i = 0; code == CLI_GOOD && !is_chosen && (name = measure_word(first, i)) != NULL;
         i++) {
        code = measure_add(to, name);
    }
    code = code == CLI_GOOD ? meters_find(to) : code;
    if (code == CLI_GOOD && to->measure_count == 0) {
        cli_tell(to->call, "%s measures nothing: add a `measure:` section, or use --meter",
            to->call->arguments[0]);
        return CLI_BAD;
    }
    return code;
}

// Running -------------------------------------------------------------------

typedef struct crew {
    sim *work;
    atomic_uint_fast64_t next; // run
    atomic_uint_fast64_t done;
    atomic_bool is_broken; // a thread could not begin
} crew;

// `counter` is NULL where no meters are wanted.
static kn_result run_play(const sim *work, const sim_series *series, uint32_t number,
    const kn_scenario *scenario, combat_counter *counter, kn_scenario_run **run)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.variant = series->variant;
    def.has_seed = true;
    def.seed = sim_seed(work, number);
    def.failure_limit = 1;
    if (counter != NULL) {
        combat_counter_begin(counter, &def);
    }
    kn_result result = kn_scenario_run_create(scenario, &def, run);
    return result == KN_OK ? kn_scenario_run_finish(*run) : result;
}

// What a thread needs: a scenario is for one thread at a time, so each reads its own.
typedef struct worker {
    kn_scenario **scenarios;
    script_log log;
    combat_counter *counter;
} worker;

static void values_read(const sim *work, const worker *with, const kn_scenario_run *run,
    const kn_scenario *scenario, float *values)
{
    uint32_t own = work->measure_count - work->meter_count;
    for (uint32_t i = 0; i < own; i++) {
        values[i] = kn_scenario_run_measure(run, measure_find(scenario, work->measures[i]));
    }
    for (uint32_t i = 0; i < work->meter_count; i++) {
        values[own + i] = combat_counter_read(with->counter, run, &work->meters[i]);
    }
}

static void run_one(const sim *work, worker *with, uint64_t index)
{
    sim_series *series = &work->series[index / work->runs];
    const kn_scenario *scenario = with->scenarios[work->series_file[index / work->runs]];
    uint32_t number = (uint32_t)(index % work->runs);
    kn_scenario_run *run;
    script_log_clear(&with->log);
    kn_result result = run_play(work, series, number, scenario, with->counter, &run);
    script_log_forgive(&with->log, run);
    bool is_good = result == KN_OK && with->log.error_count == 0;
    series->errors[number] = result;
    series->scripts[number] = with->log.error_count > 0 ? 1 : 0;
    if (run != NULL) {
        series->passed[number] = is_good && kn_scenario_run_passed(run) ? 1 : 0;
        values_read(
            work, with, run, scenario, &series->values[(size_t)number * work->measure_count]);
    }
    kn_scenario_run_destroy(run);
}

static bool worker_begin(const sim *work, worker *with)
{
    bool good = true;
    with->scenarios = calloc(work->call->argument_count, sizeof(*with->scenarios));
    with->counter = work->meter_count > 0 ? combat_counter_create() : NULL;
    if (with->scenarios == NULL || (work->meter_count > 0 && with->counter == NULL)) {
        return false;
    }
    for (uint32_t i = 0; i < work->call->argument_count; i++) {
        kn_result result = scripts_load_scenario(
            work->call, work->call->arguments[i], &with->log, &with->scenarios[i]);
        good = good && result == KN_OK;
    }
    return good;
}

static void worker_end(const sim *work, worker *with)
{
    for (uint32_t i = 0; with->scenarios != NULL && i < work->call->argument_count; i++) {
        kn_scenario_destroy(with->scenarios[i]);
    }
    free(with->scenarios);
    combat_counter_destroy(with->counter);
    script_log_free(&with->log);
}

static void *work_thread(void *user)
{
    crew *with = user;
    const sim *work = with->work;
    uint64_t total = (uint64_t)work->series_count * work->runs;
    worker own = {0};
    if (!worker_begin(work, &own)) {
        atomic_store(&with->is_broken, true); // the files were good a moment ago
    }
    while (!atomic_load(&with->is_broken) && cli_interrupted == 0) {
        uint64_t index = atomic_fetch_add(&with->next, 1);
        if (index >= total) {
            break;
        }
        run_one(work, &own, index);
        (void)atomic_fetch_add(&with->done, 1);
    }
    worker_end(work, &own);
    return NULL;
}

static void progress_print(uint64_t done, uint64_t total)
{
    char bar[31];
    size_t filled = (size_t)(done * 30 / total);
    memset(bar, '.', sizeof(bar) - 1);
    memset(bar, '#', filled);
    bar[30] = 0;
    (void)fprintf(stderr, "\r[%s] %llu of %llu runs", bar, (unsigned long long)done,
        (unsigned long long)total);
    (void)fflush(stderr);
}

static void progress_wait(crew *with, uint64_t total)
{
    bool is_shown = isatty(STDERR_FILENO) == 1 && !cli_has(with->work->call, "json");
    uint64_t done = 0;
    while (is_shown && done < total && cli_interrupted == 0 && !atomic_load(&with->is_broken)) {
        done = atomic_load(&with->done);
        progress_print(done, total);
        struct timespec span = {0, 50000000};
        (void)nanosleep(&span, NULL);
    }
    if (is_shown) {
        (void)fprintf(stderr, "\r%60s\r", "");
    }
}

static cli_code run_all(sim *work)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t total = (uint64_t)work->series_count * work->runs;
    uint64_t count = cli_number_of(work->call, "threads", cores > 0 ? (uint64_t)cores : 1);
    count = count < total ? count : total;
    pthread_t *threads = cli_resize(NULL, (size_t)count * sizeof(*threads));
    crew with = {.work = work};
    uint64_t started = 0;
    while (started < count && pthread_create(&threads[started], NULL, work_thread, &with) == 0) {
        started++;
    }
    if (started == 0) {
        (void)work_thread(&with);
    }
    progress_wait(&with, total);
    for (uint64_t i = 0; i < started; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    free(threads);
    if (cli_interrupted != 0) {
        cli_tell(work->call, "interrupted after %llu of %llu runs",
            (unsigned long long)atomic_load(&with.done), (unsigned long long)total);
        return CLI_INTERRUPTED;
    }
    if (atomic_load(&with.is_broken)) {
        cli_tell(work->call, "a scenario changed while it was being read");
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

static cli_code errors_tell(const sim *work)
{
    for (uint32_t i = 0; i < work->series_count; i++) {
        for (uint32_t k = 0; k < work->runs; k++) {
            const sim_series *series = &work->series[i];
            if (series->errors[k] != KN_OK) {
                cli_tell(work->call, "%s, seed %llu: the run ended early: %s", series->file,
                    sim_seed(work, k), kn_result_name(series->errors[k]));
                return CLI_BAD;
            }
        }
    }
    return CLI_GOOD;
}

// The first run in which a script failed is played again for what it says: the same on any number
// of threads.
static cli_code scripts_tell(const sim *work)
{
    uint64_t total = (uint64_t)work->series_count * work->runs;
    uint64_t failed = 0, first = total;
    for (uint64_t i = total; i > 0; i--) {
        if (work->series[(i - 1) / work->runs].scripts[(i - 1) % work->runs] != 0) {
            failed++;
            first = i - 1;
        }
    }
    if (failed == 0) {
        return CLI_GOOD;
    }
    uint32_t index = (uint32_t)(first / work->runs), number = (uint32_t)(first % work->runs);
    const sim_series *series = &work->series[index];
    stage *on = &work->stages[work->series_file[index]];
    (void)run_play(work, series, number, on->scenario, NULL, &on->run);
    cli_tell(work->call, "scripts failed in %llu of %llu runs, first in %s [%s] with seed %llu",
        (unsigned long long)failed, (unsigned long long)total, series->file, series->name,
        sim_seed(work, number));
    (void)stage_scripts_good(work->call, on);
    return CLI_BAD;
}

// Of each series the first run that was not as expected is played again for what it says.
static void failures_find(sim *work)
{
    for (uint32_t i = 0; i < work->series_count; i++) {
        sim_series *series = &work->series[i];
        stage *on = &work->stages[work->series_file[i]];
        uint32_t k = 0;
        while (k < work->runs && (series->passed[k] != 0 || series->scripts[k] != 0)) {
            k++;
        }
        if (k == work->runs) {
            continue;
        }
        char failure[8192];
        script_log_clear(&on->log);
        (void)run_play(work, series, k, on->scenario, NULL, &on->run);
        if (on->run != NULL) {
            (void)kn_scenario_failure_print(on->run, 0, failure, sizeof(failure));
            stage_names(&series->failure, on->run, on->scenario, failure);
            series->failed_seed = sim_seed(work, k);
        }
        kn_scenario_run_destroy(on->run);
        on->run = NULL;
    }
}

// The command ---------------------------------------------------------------

static void results_reserve(sim *to)
{
    for (uint32_t i = 0; i < to->series_count; i++) {
        size_t values = (size_t)to->runs * to->measure_count;
        to->series[i].values = cli_resize(NULL, values * sizeof(float));
        memset(to->series[i].values, 0, values * sizeof(float));
        to->series[i].passed = cli_resize(NULL, to->runs);
        memset(to->series[i].passed, 0, to->runs);
        to->series[i].scripts = cli_resize(NULL, to->runs);
        memset(to->series[i].scripts, 0, to->runs);
        to->series[i].errors = cli_resize(NULL, to->runs * sizeof(kn_result));
        memset(to->series[i].errors, 0, to->runs * sizeof(kn_result));
    }
}

static cli_code files_write(const sim *work)
{
    static const struct {
        const char *option;
        void (*write)(const sim *from, text *out);
    } files[] = {{"svg", sim_svg}, {"csv", sim_csv}};
    cli_code code = CLI_GOOD;
    for (size_t i = 0; code == CLI_GOOD && i < sizeof(files) / sizeof(*files); i++) {
        const char *path = cli_text_of(work->call, files[i].option, NULL);
        if (path != NULL) {
            text out = {0};
            files[i].write(work, &out);
            code = file_write(work->call, path, out.data, out.length) ? CLI_GOOD : CLI_UNREADABLE;
            text_free(&out);
        }
    }
    return code;
}

static void sim_free(sim *from)
{
    for (uint32_t i = 0; i < from->series_count; i++) {
        free(from->series[i].name);
        free(from->series[i].values);
        free(from->series[i].passed);
        free(from->series[i].scripts);
        free(from->series[i].errors);
        text_free(&from->series[i].failure);
    }
    for (uint32_t i = 0; i < from->measure_count; i++) {
        free(from->measures[i]);
    }
    for (uint32_t i = 0; i < from->meter_count; i++) {
        combat_meter_free(&from->meters[i]);
    }
    for (uint32_t i = 0; i < from->call->argument_count; i++) {
        stage_free(&from->stages[i]);
    }
    free(from->meters);
    free(from->series);
    free(from->series_file);
    free(from->measures);
    free(from->are_rates);
    free(from->stages);
}

static cli_code sim_all(const cli *call)
{
    uint32_t on_stdout = strcmp(cli_text_of(call, "svg", ""), "-") == 0 ? 1 : 0;
    on_stdout += strcmp(cli_text_of(call, "csv", ""), "-") == 0 ? 1 : 0;
    if (on_stdout + (cli_has(call, "json") ? 1 : 0) > 1) {
        cli_tell(call, "only one output can go to stdout");
        return CLI_USAGE;
    }
    cli_catch_interrupt();
    uint32_t files = call->argument_count;
    sim work = {.call = call,
        .runs = (uint32_t)cli_number_of(call, "runs", 1000),
        .seed = cli_number_of(call, "seed", 1),
        .bins = (uint32_t)cli_number_of(call, "bins", 10)};
    work.stages = cli_resize(NULL, files * sizeof(*work.stages));
    memset(work.stages, 0, files * sizeof(*work.stages));
    cli_code code = CLI_GOOD;
    for (uint32_t i = 0; code == CLI_GOOD && i < files; i++) {
        code = stage_load(call, call->arguments[i], &work.stages[i]);
    }
    code = code == CLI_GOOD ? measures_find(&work) : code;
    for (uint32_t i = 0; code == CLI_GOOD && i < files; i++) {
        code = series_find(&work, i);
    }
    if (code == CLI_GOOD) {
        results_reserve(&work);
        code = run_all(&work);
    }
    code = code == CLI_GOOD ? errors_tell(&work) : code;
    code = code == CLI_GOOD ? files_write(&work) : code;
    if (code == CLI_GOOD) {
        failures_find(&work);
    }
    if (code == CLI_GOOD) {
        if (cli_has(call, "json")) {
            sim_print_json(&work);
        } else if (on_stdout == 0) {
            sim_print(&work);
        }
        code = scripts_tell(&work);
    }
    sim_free(&work);
    return code;
}

cli_code sim_main(const cli *call)
{
    stage_files own;
    cli_code code = stage_find(call, &own);
    code = code == CLI_GOOD ? sim_all(&own.call) : code;
    stage_files_free(&own);
    return code;
}
