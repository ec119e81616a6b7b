// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack diff: the first difference of two saves, or of two recordings, by name.

#include "stage.h"

#include <string.h>

// What is compared and with what.
typedef struct comparison {
    const cli *call;
    stage on;     // with --scenario
    content from; // with --library
    const kn_library *library;
    text files[2];
} comparison;

static bool is_recording(const text *file)
{
    return file->length >= 4 && memcmp(file->data, "KNRC", 4) == 0;
}

static cli_code tell_same(const comparison *with, const char *what)
{
    if (cli_has(with->call, "json")) {
        json out = {0};
        json_begin(&out, NULL, '{');
        json_bool(&out, "same", true);
        json_end(&out, '}');
        json_print(&out);
    } else {
        (void)printf("%s\n", what);
    }
    return CLI_GOOD;
}

static cli_code tell_difference(const comparison *with, const char *where, const char *what)
{
    text named = {0};
    if (with->on.run != NULL) {
        stage_names(&named, with->on.run, with->on.scenario, what);
    } else {
        text_add(&named, what);
    }
    if (cli_has(with->call, "json")) {
        json out = {0};
        json_begin(&out, NULL, '{');
        json_bool(&out, "same", false);
        json_text(&out, "where", where);
        json_text(&out, "difference", text_of(&named));
        json_end(&out, '}');
        json_print(&out);
    } else {
        (void)printf("%s%s%s\n", where, where[0] != 0 ? ": " : "", text_of(&named));
    }
    text_free(&named);
    return CLI_BAD;
}

static cli_code compare_worlds(
    const comparison *with, const kn_world *a, const kn_world *b, const char *where)
{
    char difference[1024];
    if (!kn_world_difference(a, b, difference, sizeof(difference))) {
        return CLI_GOOD;
    }
    return tell_difference(with, where, difference);
}

// Saves ---------------------------------------------------------------------

static cli_code save_load(const comparison *with, uint32_t index, kn_world **world)
{
    kn_world_def def = kn_world_def_default();
    def.library = with->library;
    kn_error error = {0};
    kn_result result = kn_world_create(&def, world);
    if (result == KN_OK) {
        result = kn_save_read(*world, with->files[index].data, with->files[index].length, &error);
    }
    if (result != KN_OK) {
        cli_tell(with->call, "%s: %s", with->call->arguments[index],
            error.message[0] != 0 ? error.message : kn_result_name(result));
    }
    return result == KN_OK ? CLI_GOOD : CLI_UNREADABLE;
}

static cli_code compare_saves(const comparison *with)
{
    kn_world *worlds[2] = {NULL, NULL};
    cli_code code = save_load(with, 0, &worlds[0]);
    code = code == CLI_GOOD ? save_load(with, 1, &worlds[1]) : code;
    if (code == CLI_GOOD) {
        code = compare_worlds(with, worlds[0], worlds[1], "");
        code = code == CLI_GOOD ? tell_same(with, "the saves are the same") : code;
    }
    kn_world_destroy(worlds[0]);
    kn_world_destroy(worlds[1]);
    return code;
}

// Recordings ----------------------------------------------------------------

// Both recordings, walked side by side.
typedef struct walk {
    size_t at[2];
    kn_recorded_step steps[2];
    bool has[2];
    uint32_t number; // of the step
    kn_time time;    // at its end
} walk;

static cli_code walk_on(const comparison *with, walk *w)
{
    for (uint32_t i = 0; i < 2; i++) {
        kn_error error;
        w->has[i] = kn_recording_next(
            with->files[i].data, with->files[i].length, &w->at[i], &w->steps[i], &error);
        if (error.code != KN_OK) {
            cli_tell(with->call, "%s: %s", with->call->arguments[i], error.message);
            return CLI_UNREADABLE;
        }
    }
    w->time += w->has[0] ? w->steps[0].dt : 0;
    return CLI_GOOD;
}

static bool steps_equal(const walk *w)
{
    const kn_recorded_step *a = &w->steps[0], *b = &w->steps[1];
    return a->dt == b->dt && a->commands == b->commands && a->hash == b->hash;
}

static cli_code replay_to(comparison *with, uint32_t index, size_t size, stage *on)
{
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_replay_report report;
    kn_error error = {0};
    *on = (stage){.scenario = with->on.scenario};
    cli_code code = stage_run(with->call, on, &def);
    if (code != CLI_GOOD) {
        return code;
    }
    kn_result result =
        kn_scenario_run_replay(on->run, with->files[index].data, size, &report, &error);
    if (result != KN_OK) {
        cli_tell(with->call, "%s: %s", with->call->arguments[index],
            error.message[0] != 0 ? error.message : kn_result_name(result));
        return CLI_UNREADABLE;
    }
    if (report.diverged) {
        cli_tell(with->call, "%s: played again it differs at step %u; knack replay says more",
            with->call->arguments[index], report.diverged_step);
    }
    return CLI_GOOD;
}

// Plays both up to a byte each and compares the worlds. CLI_GOOD when they are equal.
static cli_code compare_at(comparison *with, size_t size_a, size_t size_b, const char *where)
{
    stage a = {0}, b = {0};
    cli_code code = replay_to(with, 0, size_a, &a);
    code = code == CLI_GOOD ? replay_to(with, 1, size_b, &b) : code;
    if (code == CLI_GOOD) {
        code =
            compare_worlds(with, kn_scenario_run_world(a.run), kn_scenario_run_world(b.run), where);
    }
    kn_scenario_run_destroy(a.run);
    kn_scenario_run_destroy(b.run);
    return code;
}

static void step_add(text *to, const kn_recorded_step *step)
{
    text_format(to, "%u %s and hash %016llx", step->commands,
        step->commands == 1 ? "command" : "commands", (unsigned long long)step->hash);
}

static cli_code tell_step(comparison *with, const walk *w)
{
    text where = {0}, what = {0};
    const kn_recorded_step *a = &w->steps[0], *b = &w->steps[1];
    text_format(&where, "step %u, at ", w->number);
    text_time(&where, w->time);
    cli_code code = CLI_GOOD;
    if (with->on.scenario != NULL && a->hash != b->hash) {
        code = compare_at(with, a->end, b->end, text_of(&where));
    }
    if (code == CLI_GOOD) {
        step_add(&what, a);
        text_add(&what, " against ");
        step_add(&what, b);
        code = tell_difference(with, text_of(&where), text_of(&what));
    }
    text_free(&where);
    text_free(&what);
    return code;
}

static cli_code compare_recordings(comparison *with)
{
    walk w = {0};
    cli_code code = walk_on(with, &w);
    if (code == CLI_GOOD && with->on.scenario != NULL && w.has[0] && w.has[1]) {
        code = compare_at(with, w.steps[0].begin, w.steps[1].begin, "at the start");
    }
    while (code == CLI_GOOD && w.has[0] && w.has[1] && steps_equal(&w)) {
        w.number++;
        code = walk_on(with, &w);
    }
    if (code != CLI_GOOD) {
        return code;
    }
    if (w.has[0] && w.has[1]) {
        return tell_step(with, &w);
    }
    text what = {0};
    if (w.has[0] || w.has[1]) {
        text_format(&what, "%s ends after %u steps, the other goes on",
            with->call->arguments[w.has[0] ? 1 : 0], w.number);
        code = tell_difference(with, "", text_of(&what));
    } else {
        text_format(&what, "the recordings are the same: %u steps", w.number);
        code = tell_same(with, text_of(&what));
    }
    text_free(&what);
    return code;
}

// The command ---------------------------------------------------------------

static cli_code library_find(comparison *with)
{
    const cli *call = with->call;
    if (cli_has(call, "scenario")) {
        cli_code code = stage_load(call, cli_text_of(call, "scenario", ""), &with->on);
        kn_scenario_run_def def = kn_scenario_run_def_default();
        code = code == CLI_GOOD ? stage_run(call, &with->on, &def) : code; // for its names
        with->library = code == CLI_GOOD ? kn_scenario_library(with->on.scenario) : NULL;
        return code;
    }
    const char *paths[64];
    uint32_t count = 0;
    while (count < 64 && (paths[count] = cli_nth_of(call, "library", count)) != NULL) {
        count++;
    }
    if (count == 0) {
        cli_tell(call, "names need a library: add --library PATH or --scenario FILE");
        return CLI_USAGE;
    }
    cli_code code = content_load(call, paths, count, &with->from);
    with->library = with->from.library;
    return code;
}

cli_code diff_main(const cli *call)
{
    comparison with = {.call = call};
    cli_code code = library_find(&with);
    for (uint32_t i = 0; code == CLI_GOOD && i < 2; i++) {
        code = file_read(call, call->arguments[i], &with.files[i]) ? CLI_GOOD : CLI_UNREADABLE;
    }
    if (code == CLI_GOOD && is_recording(&with.files[0]) != is_recording(&with.files[1])) {
        cli_tell(call, "one of them is a recording, the other is not");
        code = CLI_UNREADABLE;
    } else if (code == CLI_GOOD) {
        code = is_recording(&with.files[0]) ? compare_recordings(&with) : compare_saves(&with);
    }
    text_free(&with.files[0]);
    text_free(&with.files[1]);
    content_free(&with.from);
    stage_free(&with.on);
    return code;
}
