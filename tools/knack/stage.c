// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "capability.h"
#include "order.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

cli_code stage_load(const cli *call, const char *path, stage *out)
{
    *out = (stage){0};
    kn_result result = scripts_load_scenario(call, path, &out->log, &out->scenario);
    if (result == KN_OK) {
        return CLI_GOOD;
    }
    if (out->scenario == NULL) {
        cli_tell(call, "%s: %s", path, kn_result_name(result));
        return CLI_UNREADABLE;
    }
    for (uint32_t i = 0; i < kn_scenario_message_count(out->scenario); i++) {
        kn_data_message message = kn_scenario_message_at(out->scenario, i);
        message_tell(call, &message);
    }
    return result == KN_ERROR_IO ? CLI_UNREADABLE : CLI_BAD;
}

void stage_free(stage *from)
{
    kn_scenario_run_destroy(from->run);
    kn_scenario_destroy(from->scenario);
    script_log_free(&from->log);
    *from = (stage){0};
}

// Files ---------------------------------------------------------------------

static void files_add(stage_files *to, const char *path)
{
    to->paths = cli_resize(to->paths, (to->count + 1) * sizeof(*to->paths));
    to->paths[to->count] = (text){0};
    text_add(&to->paths[to->count++], path);
}

static bool has_ending(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot != NULL &&
           (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0 || strcmp(dot, ".json") == 0);
}

static bool is_called_scenarios(const char *path)
{
    char *full = realpath(path, NULL); // "." has a name, too
    const char *slash = full != NULL ? strrchr(full, '/') : NULL;
    bool is_called = slash != NULL && strcmp(slash + 1, "scenarios") == 0;
    free(full);
    return is_called;
}

static void files_below(stage_files *to, const char *path, bool is_inside, uint32_t depth)
{
    folder below;
    is_inside = is_inside || is_called_scenarios(path);
    folder_read(path, &below);
    for (uint32_t i = 0; i < below.count; i++) {
        const char *inner = text_of(&below.paths[i]);
        if (folder_is(inner) && depth < FOLDER_DEPTH_MAX) {
            files_below(to, inner, is_inside, depth + 1);
        } else if (is_inside && has_ending(inner)) {
            files_add(to, inner);
        }
    }
    folder_free(&below);
}

cli_code stage_find(const cli *call, stage_files *own)
{
    cli_code code = CLI_GOOD;
    *own = (stage_files){.call = *call};
    for (uint32_t i = 0; i < call->argument_count; i++) {
        const char *path = call->arguments[i];
        uint32_t before = own->count;
        if (!folder_is(path)) {
            files_add(own, path);
            continue;
        }
        files_below(own, path, false, 0);
        if (own->count == before) {
            cli_tell(call,
                "%s: there are no scenarios in it: they are kept in folders called `scenarios`, "
                "and their names end in .yaml, .yml or .json",
                path);
            code = CLI_UNREADABLE;
        }
    }
    own->call.arguments = cli_resize(NULL, own->count * sizeof(*own->call.arguments));
    own->call.argument_count = own->count;
    for (uint32_t i = 0; i < own->count; i++) {
        own->call.arguments[i] = text_of(&own->paths[i]);
    }
    return code;
}

void stage_files_free(stage_files *own)
{
    for (uint32_t i = 0; i < own->count; i++) {
        text_free(&own->paths[i]);
    }
    free(own->paths);
    free(own->call.arguments);
}

// Variants and runs ---------------------------------------------------------

static const char *variant_word(const void *user, uint32_t index)
{
    const kn_scenario *scenario = user;
    return index < kn_scenario_variant_count(scenario) ? kn_scenario_variant_name(scenario, index)
                                                       : NULL;
}

cli_code stage_variant(const cli *call, const stage *from, const char *name, uint32_t *variant)
{
    *variant = kn_scenario_variant_find(from->scenario, name);
    if (*variant == KN_SCENARIO_BASE && strcmp(name, "base") != 0) {
        const char *nearest = cli_nearest(name, variant_word, from->scenario);
        cli_tell(call, "there is no variant `%s`%s%s%s", name,
            nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
            nearest != NULL ? "`?" : "");
        return CLI_USAGE;
    }
    return CLI_GOOD;
}

const char *stage_variant_name(const stage *from, uint32_t variant)
{
    return variant == KN_SCENARIO_BASE ? "base" : kn_scenario_variant_name(from->scenario, variant);
}

cli_code stage_run(const cli *call, stage *from, const kn_scenario_run_def *def)
{
    kn_scenario_run_def own = *def;
    cli_code code = stage_variant(call, from, cli_text_of(call, "variant", "base"), &own.variant);
    if (code != CLI_GOOD) {
        return code;
    }
    if (cli_has(call, "seed")) {
        own.has_seed = true;
        own.seed = cli_number_of(call, "seed", 0);
    }
    kn_result result = kn_scenario_run_create(from->scenario, &own, &from->run);
    if (result != KN_OK) {
        cli_tell(call, "the scenario cannot begin: %s", kn_result_name(result));
        return CLI_BAD;
    }
    return CLI_GOOD;
}

bool stage_scripts_good(const cli *call, stage *from)
{
    (void)fflush(stdout);
    script_log_forgive(&from->log, from->run);
    script_log_print(call, &from->log, "", stderr);
    return from->log.error_count == 0;
}

cli_code stage_play(const cli *call, stage *from)
{
    kn_result result = cli_has(call, "at")
                           ? kn_scenario_run_until(from->run, cli_time_of(call, "at", 0))
                           : kn_scenario_run_finish(from->run);
    (void)stage_scripts_good(call, from);
    if (result != KN_OK) {
        cli_tell(call, "the run ended early: %s", kn_result_name(result));
        return CLI_BAD;
    }
    return CLI_GOOD;
}

cli_code stage_run_until(const cli *call, stage *from, const kn_scenario_run_def *def)
{
    cli_code code = stage_run(call, from, def);
    return code == CLI_GOOD ? stage_play(call, from) : code;
}

static bool names_tell(const cli *call, const kn_scenario *scenario, const char *name)
{
    const char *known;
    text names = {0};
    for (uint32_t i = 0; (known = kn_scenario_entity_name(scenario, i)) != NULL; i++) {
        text_format(&names, "%s%s", i > 0 ? ", " : "", known);
    }
    cli_tell(call, "there is no entity `%s`; expected one of: %s", name, text_of(&names));
    text_free(&names);
    return true;
}

bool stage_knows(const cli *call, const stage *from, const char *name)
{
    const char *known;
    for (uint32_t i = 0; (known = kn_scenario_entity_name(from->scenario, i)) != NULL; i++) {
        if (strcmp(known, name) == 0) {
            return true;
        }
    }
    return !names_tell(call, from->scenario, name);
}

uint32_t stage_number(const kn_scenario_run *run, const char *name)
{
    return name[0] == '#' ? (uint32_t)strtoul(name + 1, NULL, 10)
                          : kn_scenario_run_entity(run, name).index1;
}

cli_code stage_entity(const cli *call, const stage *from, const char *name, kn_entity_id *entity)
{
    const kn_world *world = kn_scenario_run_world(from->run);
    *entity = kn_scenario_run_entity(from->run, name);
    if (name[0] == '#') {
        unsigned long number = strtoul(name + 1, NULL, 10);
        kn_entity_id at = kn_entity_next(world, (kn_entity_id){0});
        while (!kn_entity_id_is_null(at) && at.index1 != number) {
            at = kn_entity_next(world, at);
        }
        *entity = at;
    }
    if (kn_entity_is_alive(world, *entity)) {
        return CLI_GOOD;
    }
    if (name[0] == '#' ? names_tell(call, from->scenario, name) : !stage_knows(call, from, name)) {
        return CLI_BAD;
    }
    text when = {0};
    text_time(&when, kn_scenario_run_now(from->run));
    cli_tell(call, "`%s` does not exist at %s", name, text_of(&when));
    text_free(&when);
    return CLI_BAD;
}

// Names ---------------------------------------------------------------------

static const char *name_of_number(
    const kn_scenario_run *run, const kn_scenario *scenario, unsigned long number)
{
    const char *name;
    for (uint32_t i = 0; (name = kn_scenario_entity_name(scenario, i)) != NULL; i++) {
        if (kn_scenario_run_entity(run, name).index1 == number) {
            return name;
        }
    }
    return NULL;
}

void stage_names(
    text *to, const kn_scenario_run *run, const kn_scenario *scenario, const char *line)
{
    static const char word[] = "entity ";
    const char *at;
    while ((at = strstr(line, word)) != NULL) {
        char *end;
        unsigned long number = strtoul(at + strlen(word), &end, 10);
        bool is_number = end > at + strlen(word);
        const char *name = is_number ? name_of_number(run, scenario, number) : NULL;
        text_bytes(to, line, (size_t)(at - line));
        if (name != NULL) {
            text_add(to, name);
        } else {
            text_bytes(to, at, (size_t)(end - at));
        }
        line = is_number ? end : at + strlen(word);
        if (!is_number) {
            text_bytes(to, at + (end - at), (size_t)(line - end));
        }
    }
    text_add(to, line);
}

typedef struct event_line {
    const kn_world *world;
    const kn_event *event;
} event_line;

static uint32_t event_print(const void *user, char *out, uint32_t size)
{
    const event_line *line = user;
    return kn_event_print(line->world, line->event, out, size);
}

typedef struct cause_line {
    const kn_world *world;
    kn_cause cause;
} cause_line;

static uint32_t cause_print(const void *user, char *out, uint32_t size)
{
    const cause_line *line = user;
    return kn_cause_print(line->world, line->cause, out, size);
}

static void named_print(text *to, const kn_scenario_run *run, const kn_scenario *scenario,
    text_print_fn *print, const void *user)
{
    text plain = {0};
    text_print(&plain, print, user);
    stage_names(to, run, scenario, text_of(&plain));
    text_free(&plain);
}

void stage_event(text *to, const kn_scenario_run *run, const kn_scenario *scenario,
    const kn_world *world, const kn_event *event)
{
    event_line line = {world, event};
    named_print(to, run, scenario, event_print, &line);
}

void stage_cause(text *to, const kn_scenario_run *run, const kn_scenario *scenario,
    const kn_world *world, kn_cause cause)
{
    cause_line line = {world, cause};
    named_print(to, run, scenario, cause_print, &line);
}

// Dumps ---------------------------------------------------------------------

typedef struct dumped {
    const kn_world *world;
    kn_entity_id entity;
} dumped;

static uint32_t dump_print(const void *user, char *out, uint32_t size)
{
    const dumped *what = user;
    return kn_entity_id_is_null(what->entity)
               ? kn_world_dump(what->world, out, size)
               : kn_entity_dump(what->world, what->entity, out, size);
}

static void dump_entity(const stage *from, kn_entity_id entity)
{
    dumped what = {kn_scenario_run_world(from->run), entity};
    text named = {0};
    named_print(&named, from->run, from->scenario, dump_print, &what);
    bool has_end = named.length > 0 && named.data[named.length - 1] == '\n';
    (void)printf("%s%s", text_of(&named), has_end ? "" : "\n");
    text_free(&named);
    text plain = {0};
    capability_dump(&plain, what.world, entity);
    order_dump(&plain, what.world, entity);
    stage_names(&named, from->run, from->scenario, text_of(&plain));
    (void)printf("%s", text_of(&named));
    text_free(&plain);
    text_free(&named);
}

// What belongs to the world itself, below a heading that says more than its own.
static void dump_world(const stage *from)
{
    dumped what = {kn_scenario_run_world(from->run), {0}};
    text named = {0};
    named_print(&named, from->run, from->scenario, dump_print, &what);
    const char *rest = strchr(text_of(&named), '\n');
    (void)printf("%s", rest != NULL ? rest + 1 : "");
    text_free(&named);
}

void stage_dump(const stage *from, kn_entity_id entity)
{
    if (!kn_entity_id_is_null(entity)) {
        dump_entity(from, entity);
        return;
    }
    const kn_world *world = kn_scenario_run_world(from->run);
    text now = {0};
    text_time(&now, kn_world_now(world));
    uint32_t count = kn_entity_count(world);
    (void)printf("at %s, %u %s, hash %016llx\n", text_of(&now), count,
        count == 1 ? "entity" : "entities", (unsigned long long)kn_world_hash(world));
    text_free(&now);
    dump_world(from);
    while (!kn_entity_id_is_null(entity = kn_entity_next(world, entity))) {
        (void)printf("\n");
        dump_entity(from, entity);
    }
}

static uint32_t json_dump(const void *user, char *out, uint32_t size)
{
    const dumped *what = user;
    return kn_entity_id_is_null(what->entity)
               ? kn_world_dump_json(what->world, out, size)
               : kn_entity_dump_json(what->world, what->entity, out, size);
}

void stage_dump_json(const stage *from, kn_entity_id entity, text *out)
{
    dumped what = {kn_scenario_run_world(from->run), entity};
    text_print(out, json_dump, &what);
}
