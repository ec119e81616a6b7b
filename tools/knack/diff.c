// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack diff: what differs in two saves, or at the first step at which two recordings differ, by
// entity and name.

#include "stage.h"

#include <stdlib.h>
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
        json_begin(&out, "differences", '[');
        json_text(&out, NULL, text_of(&named));
        json_end(&out, ']');
        json_count(&out, "more", 0);
        json_end(&out, '}');
        json_print(&out);
    } else {
        (void)printf("%s%s%s\n", where, where[0] != 0 ? ": " : "", text_of(&named));
    }
    text_free(&named);
    return CLI_BAD;
}

// Entities ------------------------------------------------------------------

#define LINES_MAX 100 // that are printed

// One line of the dump of an entity: what it is about, and what it says.
typedef struct dump_line {
    text path; // "attributes, Vitals.Health"
    text parent;
    text value; // "100 base 100"
} dump_line;

typedef struct dump_lines {
    dump_line *data;
    uint32_t count;
} dump_lines;

typedef struct dumped {
    const kn_world *world;
    kn_entity_id entity;
} dumped;

static uint32_t dump_print(const void *user, char *out, uint32_t size)
{
    const dumped *what = user;
    return kn_entity_dump(what->world, what->entity, out, size);
}

// Words with one blank between them.
static void words_add(text *to, const char *from, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        bool is_extra = from[i] == ' ' && (i + 1 == length || from[i + 1] == ' ');
        if (!is_extra) {
            text_bytes(to, from + i, 1);
        }
    }
}

static const dump_line *line_find(const dump_lines *in, const char *path)
{
    for (uint32_t i = 0; i < in->count; i++) {
        if (strcmp(text_of(&in->data[i].path), path) == 0) {
            return &in->data[i];
        }
    }
    return NULL;
}

// The name a line begins with: "Burn #8", "Vitals.Health", "Meteor" of "Meteor: ready".
static size_t name_length(const char *line, size_t length)
{
    size_t end = strcspn(line, " ");
    end = end < length ? end : length;
    if (end + 1 < length && line[end + 1] == '#') {
        size_t number = strcspn(line + end + 1, " ");
        end = end + 1 + number < length ? end + 1 + number : length;
    }
    return end;
}

#define DEPTH_MAX 8

// A line below those that stand less far to the right.
static void line_note(dump_lines *to, text *parents, const char *line, size_t length)
{
    size_t indent = strspn(line, " ");
    uint32_t depth = indent / 2 < DEPTH_MAX - 1 ? (uint32_t)indent / 2 : DEPTH_MAX - 1;
    size_t name = name_length(line + indent, length - indent);
    size_t shown = name > 0 && line[indent + name - 1] == ':' ? name - 1 : name;
    dump_line one = {{0}, {0}, {0}};
    text_add(&one.parent, depth > 0 ? text_of(&parents[depth - 1]) : "");
    text_format(&one.path, "%s%s%.*s", text_of(&one.parent), one.parent.length > 0 ? ", " : "",
        (int)shown, line + indent);
    for (uint32_t i = 2; line_find(to, text_of(&one.path)) != NULL; i++) {
        text_format(&one.path, " (%u)", i);
    }
    size_t rest = indent + name;
    rest += strspn(line + rest, " ");
    words_add(&one.value, line + rest, rest < length ? length - rest : 0);
    for (uint32_t i = depth; i < DEPTH_MAX; i++) {
        text_free(&parents[i]);
        text_add(&parents[i], text_of(&one.path));
    }
    to->data = cli_resize(to->data, (to->count + 1) * sizeof(*to->data));
    to->data[to->count++] = one;
}

static void lines_read(const kn_world *world, kn_entity_id entity, dump_lines *out)
{
    text dump = {0};
    text parents[DEPTH_MAX] = {{0}};
    dumped what = {world, entity};
    text_print(&dump, dump_print, &what);
    const char *at = text_of(&dump);
    at += strcspn(at, "\n"); // who, and the time
    while (*at != 0) {
        at += *at == '\n' ? 1 : 0;
        size_t length = strcspn(at, "\n");
        if (length > 0) {
            line_note(out, parents, at, length);
        }
        at += length;
    }
    for (uint32_t i = 0; i < DEPTH_MAX; i++) {
        text_free(&parents[i]);
    }
    text_free(&dump);
}

static void lines_free(dump_lines *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        text_free(&from->data[i].path);
        text_free(&from->data[i].parent);
        text_free(&from->data[i].value);
    }
    free(from->data);
    *from = (dump_lines){0};
}

// All differences, one a line.
typedef struct told_lines {
    text *data;
    uint32_t count, more;
} told_lines;

static text *told_add(told_lines *to)
{
    if (to->count == LINES_MAX) {
        to->more++;
        text_free(&to->data[to->count]);
        return &to->data[to->count];
    }
    to->data = cli_resize(to->data, (to->count + 2) * sizeof(*to->data));
    to->data[to->count] = (text){0};
    to->data[to->count + 1] = (text){0};
    return &to->data[to->count++];
}

static void told_free(told_lines *from)
{
    for (uint32_t i = 0; from->data != NULL && i <= from->count; i++) {
        text_free(&from->data[i]);
    }
    free(from->data);
}

// What is in `from` and not, or not so, in `other`. `is_back` is the way back, for what is only
// there.
static void lines_compare(const char *entity, const dump_lines *from, const dump_lines *other,
    bool is_back, told_lines *out)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const dump_line *one = &from->data[i];
        const dump_line *twin = line_find(other, text_of(&one->path));
        bool has_parent =
            one->parent.length == 0 || line_find(other, text_of(&one->parent)) != NULL;
        bool is_same = twin != NULL && strcmp(text_of(&twin->value), text_of(&one->value)) == 0;
        bool is_heading = one->parent.length == 0;
        if (is_same || (twin != NULL && is_back) || !has_parent || (twin == NULL && is_heading)) {
            continue;
        }
        const char *value = one->value.length > 0 ? text_of(&one->value) : "there";
        const char *against = twin == NULL             ? "nothing"
                              : twin->value.length > 0 ? text_of(&twin->value)
                                                       : "there";
        text_format(told_add(out), "%s, %s: %s against %s", entity, text_of(&one->path),
            is_back ? against : value, is_back ? value : against);
    }
}

// Lines below a heading that only one of them has.
static void headings_join(dump_lines *to, const dump_lines *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        const dump_line *one = &from->data[i];
        if (one->parent.length == 0 && line_find(to, text_of(&one->path)) == NULL) {
            dump_line copy = {{0}, {0}, {0}};
            text_add(&copy.path, text_of(&one->path));
            to->data = cli_resize(to->data, (to->count + 1) * sizeof(*to->data));
            to->data[to->count++] = copy;
        }
    }
}

static void entities_compare(
    const kn_world *a, const kn_world *b, const kn_world *first, told_lines *out)
{
    kn_entity_id entity = {0};
    while (!kn_entity_id_is_null(entity = kn_entity_next(first, entity))) {
        bool in_a = kn_entity_is_alive(a, entity), in_b = kn_entity_is_alive(b, entity);
        char name[32];
        (void)snprintf(name, sizeof(name), "entity %u", entity.index1);
        if (in_a != in_b) {
            text_format(told_add(out), "%s: %s", name,
                in_a ? "exists, does not exist in the other"
                     : "does not exist, exists in the other");
        } else if (first == a && kn_entity_hash(a, entity) != kn_entity_hash(b, entity)) {
            dump_lines lines[2] = {{0}, {0}};
            lines_read(a, entity, &lines[0]);
            lines_read(b, entity, &lines[1]);
            headings_join(&lines[0], &lines[1]);
            headings_join(&lines[1], &lines[0]);
            lines_compare(name, &lines[0], &lines[1], false, out);
            lines_compare(name, &lines[1], &lines[0], true, out);
            lines_free(&lines[0]);
            lines_free(&lines[1]);
        }
    }
}

static void told_json(const comparison *with, const char *where, const told_lines *lines)
{
    json out = {0};
    json_begin(&out, NULL, '{');
    json_bool(&out, "same", false);
    json_text(&out, "where", where);
    json_begin(&out, "differences", '[');
    for (uint32_t i = 0; i < lines->count; i++) {
        text named = {0};
        if (with->on.run != NULL) {
            stage_names(&named, with->on.run, with->on.scenario, text_of(&lines->data[i]));
        } else {
            text_add(&named, text_of(&lines->data[i]));
        }
        json_text(&out, NULL, text_of(&named));
        text_free(&named);
    }
    json_end(&out, ']');
    json_count(&out, "more", lines->more);
    json_end(&out, '}');
    json_print(&out);
}

static void told_print(const comparison *with, const char *where, const told_lines *lines)
{
    for (uint32_t i = 0; i < lines->count; i++) {
        text named = {0};
        if (with->on.run != NULL) {
            stage_names(&named, with->on.run, with->on.scenario, text_of(&lines->data[i]));
        } else {
            text_add(&named, text_of(&lines->data[i]));
        }
        (void)printf("%s%s%s\n", where, where[0] != 0 ? ": " : "", text_of(&named));
        text_free(&named);
    }
    if (lines->more > 0) {
        (void)printf("and %u more\n", lines->more);
    }
}

// By time and entity; what is in no dump, such as a random stream, by its first difference.
static cli_code compare_worlds(
    const comparison *with, const kn_world *a, const kn_world *b, const char *where)
{
    char difference[1024];
    if (!kn_world_difference(a, b, difference, sizeof(difference))) {
        return CLI_GOOD;
    }
    told_lines lines = {0};
    if (kn_world_now(a) != kn_world_now(b)) {
        text *line = told_add(&lines);
        text_add(line, "time ");
        text_time(line, kn_world_now(a));
        text_add(line, " against ");
        text_time(line, kn_world_now(b));
    }
    entities_compare(a, b, a, &lines);
    entities_compare(a, b, b, &lines);
    if (lines.count == 0) {
        text_add(told_add(&lines), difference);
    }
    if (cli_has(with->call, "json")) {
        told_json(with, where, &lines);
    } else {
        told_print(with, where, &lines);
    }
    told_free(&lines);
    return CLI_BAD;
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
    return a->dt == b->dt && a->commands == b->commands && a->notes == b->notes &&
           a->hash == b->hash;
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
        cli_tell(with->call,
            "%s: when replayed, it differs at step %u; run `knack replay` for details",
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
    uint32_t count = step->commands + step->notes;
    text_format(to, "%u %s and hash %016llx", count, count == 1 ? "command" : "commands",
        (unsigned long long)step->hash);
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
        text_format(&what, "%s ends after %u steps, the other one continues",
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
