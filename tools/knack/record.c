// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack record: keeps a run of a scenario as a file. knack replay: plays it again, or what a server
// recorded, and compares the hash of every step.

#include "arena.h"
#include "stage.h"

#include <sys/stat.h>
#include <unistd.h>

static void record_json(const cli *call, const stage *on, size_t size, bool passed)
{
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "file", call->arguments[1]);
    json_count(&out, "bytes", size);
    json_count(&out, "steps", kn_scenario_run_counts(on->run).steps);
    json_seconds(&out, "length", kn_scenario_run_now(on->run));
    json_bool(&out, "passed", passed);
    json_end(&out, '}');
    json_print(&out);
}

cli_code record_main(const cli *call)
{
    stage on;
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.record = true;
    cli_code code = stage_load(call, call->arguments[0], &on);
    if (code == CLI_GOOD && kn_scenario_machine_count(on.scenario) > 0) {
        cli_tell(call, "a scenario with machines cannot be recorded");
        code = CLI_BAD;
    }
    code = code == CLI_GOOD ? stage_run_until(call, &on, &def) : code;
    if (code == CLI_GOOD) {
        size_t size;
        const void *bytes = kn_scenario_run_recording(on.run, &size);
        if (!file_write(call, call->arguments[1], bytes, size)) {
            code = CLI_UNREADABLE;
        } else if (!kn_scenario_run_passed(on.run) || on.log.error_count > 0) {
            cli_tell(call, "recorded, but some expectations failed; run `knack run` for details");
            code = CLI_BAD;
        }
        if (code != CLI_UNREADABLE && cli_has(call, "json")) {
            record_json(call, &on, size, code == CLI_GOOD);
        }
    }
    stage_free(&on);
    return code;
}

// Replay --------------------------------------------------------------------

typedef struct replayed {
    text bytes;
    const kn_world *world; // in which it is played
    const stage *on;       // NULL: a server recorded it
    size_t size;           // up to --until
    kn_time length;
    kn_replay_report report;
} replayed;

static void step_print(uint32_t number, kn_time time, const kn_recorded_step *step)
{
    text when = {0};
    text_time(&when, time);
    uint32_t count = step->commands + step->notes; // what a scenario does is noted
    (void)printf("step %u  %s  %u %s  %016llx\n", number, text_of(&when), count,
        count == 1 ? "command" : "commands", (unsigned long long)step->hash);
    text_free(&when);
}

// The commands that the step carries out, a line each.
static void commands_print(const replayed *of, const kn_recorded_step *step)
{
    const kn_world *world = of->world;
    kn_command_data data;
    size_t at = 0;
    while (kn_recording_next_command(
        of->bytes.data, of->bytes.length, step, &at, kn_world_library(world), &data, NULL)) {
        char line[512];
        kn_command_print(world, &data.command, line, sizeof(line));
        (void)printf("  %s\n", line);
    }
}

// Finds the end by --until, and prints the steps with --step.
static cli_code recording_measure(const cli *call, replayed *of)
{
    kn_time until = cli_time_of(call, "until", KN_TIME_MAX);
    bool print = cli_has(call, "step") && !cli_has(call, "json");
    size_t at = 0;
    uint32_t number = 0;
    kn_recorded_step step;
    kn_error error;
    of->size = of->bytes.length;
    while (kn_recording_next(of->bytes.data, of->bytes.length, &at, &step, &error)) {
        if (of->length + step.dt > until) {
            of->size = step.begin;
            break;
        }
        of->length += step.dt;
        if (print) {
            step_print(number, of->length, &step);
            commands_print(of, &step);
        }
        number++;
    }
    if (error.code != KN_OK) {
        cli_tell(call, "%s: %s", call->arguments[1], error.message);
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

static void steps_json(const replayed *of, json *out)
{
    size_t at = 0;
    kn_time time = 0;
    kn_recorded_step step;
    kn_error error;
    json_begin(out, "recorded", '[');
    while (at < of->size && kn_recording_next(of->bytes.data, of->size, &at, &step, &error)) {
        char hash[20];
        time += step.dt;
        (void)snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)step.hash);
        json_begin(out, NULL, '{');
        json_seconds(out, "time", time);
        json_count(out, "commands", step.commands + step.notes);
        json_text(out, "hash", hash);
        json_end(out, '}');
    }
    json_end(out, ']');
}

// Dumps of what a server recorded, where entities have no names.
static uint32_t world_print(const void *user, char *out, uint32_t size)
{
    return kn_world_dump(user, out, size);
}

static uint32_t world_print_json(const void *user, char *out, uint32_t size)
{
    return kn_world_dump_json(user, out, size);
}

typedef struct shown {
    const kn_world *world;
    kn_entity_id entity;
} shown;

static uint32_t entity_print(const void *user, char *out, uint32_t size)
{
    const shown *what = user;
    return kn_entity_dump(what->world, what->entity, out, size);
}

static void world_dump(const kn_world *world)
{
    text out = {0};
    shown what = {.world = world};
    text_print(&out, world_print, world);
    while (!kn_entity_id_is_null(what.entity = kn_entity_next(world, what.entity))) {
        text_add(&out, "\n");
        text_print(&out, entity_print, &what);
    }
    (void)printf("%s", text_of(&out));
    text_free(&out);
}

static void replay_json(const cli *call, const replayed *of)
{
    const kn_replay_report *report = &of->report;
    char hash[20];
    json out = {0};
    json_begin(&out, NULL, '{');
    json_bool(&out, "agrees", !report->diverged);
    json_count(&out, "steps", report->steps);
    json_count(&out, "commands", report->commands + report->notes);
    json_seconds(&out, "length", of->length);
    if (report->diverged) {
        json_count(&out, "diverged_step", report->diverged_step);
        (void)snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)report->expected);
        json_text(&out, "expected", hash);
        (void)snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)report->found);
        json_text(&out, "found", hash);
    }
    if (cli_has(call, "step")) {
        steps_json(of, &out);
    }
    if (cli_has(call, "dump")) {
        text world = {0};
        if (of->on != NULL) {
            stage_dump_json(of->on, (kn_entity_id){0}, &world);
        } else {
            text_print(&world, world_print_json, of->world);
        }
        json_raw(&out, "world", text_of(&world));
        text_free(&world);
    }
    json_end(&out, '}');
    json_print(&out);
}

static void replay_text(const cli *call, const replayed *of)
{
    const kn_replay_report *report = &of->report;
    if (report->diverged) {
        (void)printf("%sdiffers%s at step %u: recorded hash %016llx, replayed hash %016llx\n",
            cli_paint(call, CLI_RED), cli_paint(call, CLI_PLAIN), report->diverged_step,
            (unsigned long long)report->expected, (unsigned long long)report->found);
        return;
    }
    text length = {0};
    text_time(&length, of->length);
    (void)printf("%u %s, %u %s, %s: %severy hash matches%s\n", report->steps,
        report->steps == 1 ? "step" : "steps", report->commands + report->notes,
        report->commands + report->notes == 1 ? "command" : "commands", text_of(&length),
        cli_paint(call, CLI_GREEN), cli_paint(call, CLI_PLAIN));
    text_free(&length);
}

// A recording that differs may be one of another variant: which, if it agrees then.
static void tell_variant(const cli *call, const stage *on, const replayed *of)
{
    uint32_t own = KN_SCENARIO_BASE;
    if (cli_has(call, "variant")) {
        own = kn_scenario_variant_find(on->scenario, cli_text_of(call, "variant", ""));
    }
    uint32_t count = kn_scenario_variant_count(on->scenario);
    for (uint32_t i = 0; i <= count; i++) {
        uint32_t variant = i == 0 ? KN_SCENARIO_BASE : i - 1;
        kn_replay_report report = {0};
        kn_error error = {0};
        kn_result result = variant == own ? KN_ERROR_BAD_DATA
                                          : kn_scenario_replay(on->scenario, variant,
                                                of->bytes.data, of->size, &report, &error);
        if (result == KN_OK && !report.diverged && variant == KN_SCENARIO_BASE) {
            cli_tell(call, "it was recorded without --variant");
            return;
        }
        if (result == KN_OK && !report.diverged) {
            cli_tell(call, "it was recorded with --variant %s",
                kn_scenario_variant_name(on->scenario, variant));
            return;
        }
    }
    cli_tell(call, "no variant matches: the scenario, its library or the program has changed");
}

static cli_code replay_report(const cli *call, const replayed *of)
{
    if (cli_has(call, "json")) {
        replay_json(call, of);
        return of->report.diverged ? CLI_BAD : CLI_GOOD;
    }
    replay_text(call, of);
    if (cli_has(call, "dump") && of->on != NULL) {
        stage_dump(of->on, (kn_entity_id){0});
    } else if (cli_has(call, "dump")) {
        world_dump(of->world);
    }
    return of->report.diverged ? CLI_BAD : CLI_GOOD;
}

static cli_code replay_fail(const cli *call, kn_result result, const kn_error *error)
{
    cli_tell(call, "%s: %s", call->arguments[1],
        error->message[0] != 0 ? error->message : kn_result_name(result));
    return CLI_UNREADABLE;
}

static cli_code replay_play(const cli *call, stage *on, replayed *of)
{
    kn_error error = {0};
    kn_result result =
        kn_scenario_run_replay(on->run, of->bytes.data, of->size, &of->report, &error);
    (void)stage_scripts_good(call, on);
    if (result != KN_OK) {
        return replay_fail(call, result, &error);
    }
    cli_code code = replay_report(call, of);
    if (of->report.diverged) {
        tell_variant(call, on, of);
    }
    return code;
}

static cli_code replay_scenario(const cli *call, replayed *of)
{
    stage on;
    kn_scenario_run_def def = kn_scenario_run_def_default();
    cli_code code = stage_load(call, call->arguments[0], &on);
    code = code == CLI_GOOD ? stage_run(call, &on, &def) : code;
    if (code == CLI_GOOD && of->bytes.length == 0 &&
        !file_read(call, call->arguments[1], &of->bytes)) {
        code = CLI_UNREADABLE;
    }
    of->on = &on;
    of->world = on.run != NULL ? kn_scenario_run_world(on.run) : NULL;
    code = code == CLI_GOOD ? recording_measure(call, of) : code;
    code = code == CLI_GOOD ? replay_play(call, &on, of) : code;
    of->on = NULL;
    of->world = NULL;
    stage_free(&on);
    return code;
}

// Recordings of servers ------------------------------------------------------

// What the server did to the world by itself, then the commands of players.
static kn_result step_repeat(
    arena *on, const replayed *of, const kn_recorded_step *step, kn_error *error)
{
    kn_result result = KN_OK;
    size_t at = 0;
    uint32_t size;
    const void *note;
    while (result == KN_OK && (note = kn_recording_next_note(
                                   of->bytes.data, of->bytes.length, step, &at, &size)) != NULL) {
        result = arena_repeat(on, note, size, error);
    }
    kn_command_data data;
    at = 0;
    while (result == KN_OK && kn_recording_next_command(of->bytes.data, of->bytes.length, step, &at,
                                  kn_world_library(on->world), &data, error)) {
        result = kn_world_command(on->world, &data.command, error);
    }
    return result == KN_OK ? kn_world_step(on->world, step->dt) : result;
}

static kn_result server_play(arena *on, replayed *of, kn_error *error)
{
    kn_replay_report *report = &of->report;
    kn_recorded_step step;
    size_t at = 0;
    kn_result result = kn_recording_restore(on->world, of->bytes.data, of->bytes.length, error);
    while (result == KN_OK && !report->diverged && at < of->size &&
           kn_recording_next(of->bytes.data, of->size, &at, &step, NULL)) {
        result = step_repeat(on, of, &step, error);
        report->commands += step.commands;
        report->notes += step.notes;
        report->found = kn_world_hash(on->world);
        report->expected = step.hash;
        report->diverged = result == KN_OK && report->found != report->expected;
        report->diverged_step = report->steps++;
    }
    return result;
}

static cli_code replay_server(const cli *call, replayed *of)
{
    content from;
    arena on = {0};
    cli_code code = arena_content(call, &from);
    if (code == CLI_GOOD && !arena_create(from.library, 1, &on)) {
        cli_tell(call, "out of memory");
        code = CLI_UNREADABLE;
    }
    of->world = on.world;
    code = code == CLI_GOOD ? recording_measure(call, of) : code;
    if (code == CLI_GOOD) {
        kn_error error = {0};
        kn_result result = server_play(&on, of, &error);
        code = result == KN_OK ? replay_report(call, of) : replay_fail(call, result, &error);
        script_log_print(call, &from.log, "", stderr);
    }
    arena_destroy(&on);
    content_free(&from);
    return code;
}

// Whether a file is what a server recorded; then its bytes are read.
static bool server_recorded(const cli *call, replayed *of)
{
    struct stat status;
    const char *path = call->arguments[1];
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || access(path, R_OK) != 0 ||
        !file_read(call, path, &of->bytes)) {
        return false;
    }
    return arena_is_recorded(of->bytes.data, of->bytes.length);
}

cli_code replay_main(const cli *call)
{
    replayed of = {0};
    bool is_server = server_recorded(call, &of);
    if (is_server && cli_has(call, "variant")) {
        cli_tell(call, "%s is a recording of a server, which has no variants", call->arguments[1]);
        text_free(&of.bytes);
        return CLI_USAGE;
    }
    cli_code code = is_server ? replay_server(call, &of) : replay_scenario(call, &of);
    text_free(&of.bytes);
    return code;
}
