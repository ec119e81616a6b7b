// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack dump: an entity, or the whole world of a scenario, at a time; as text, JSON or a save.

#include "stage.h"

#include <stdlib.h>
#include <string.h>

static cli_code dump_json(const stage *on, kn_entity_id entity)
{
    text out = {0};
    json whole = {0};
    stage_dump_json(on, entity, &out);
    json_raw(&whole, NULL, text_of(&out));
    json_print(&whole);
    text_free(&out);
    return CLI_GOOD;
}

static void save_json(const stage *on, const char *path, size_t size)
{
    const kn_world *world = kn_scenario_run_world(on->run);
    char hash[20];
    (void)snprintf(hash, sizeof(hash), "%016llx", (unsigned long long)kn_world_hash(world));
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "file", path);
    json_count(&out, "bytes", size);
    json_seconds(&out, "time", kn_world_now(world));
    json_text(&out, "hash", hash);
    json_end(&out, '}');
    json_print(&out);
}

static cli_code save_world(const cli *call, const stage *on, const char *path)
{
    const kn_world *world = kn_scenario_run_world(on->run);
    size_t size = 0;
    kn_result result = kn_save_write(world, NULL, 0, &size);
    void *bytes = cli_resize(NULL, size);
    if (result == KN_OK || result == KN_ERROR_BUFFER_TOO_SMALL) {
        result = kn_save_write(world, bytes, size, &size);
    }
    bool good = result == KN_OK && file_write(call, path, bytes, size);
    if (good && cli_has(call, "json")) {
        save_json(on, path, size);
    }
    if (result != KN_OK) {
        cli_tell(call, "it cannot be saved: %s", kn_result_name(result));
    }
    free(bytes);
    return good ? CLI_GOOD : CLI_UNREADABLE;
}

cli_code dump_main(const cli *call)
{
    if (cli_has(call, "json") && strcmp(cli_text_of(call, "save", ""), "-") == 0) {
        cli_tell(call, "only one output can go to stdout");
        return CLI_USAGE;
    }
    stage on;
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_entity_id entity = {0};
    cli_code code = stage_load(call, call->arguments[0], &on);
    code = code == CLI_GOOD ? stage_run_until(call, &on, &def) : code;
    if (code == CLI_GOOD && call->argument_count > 1) {
        code = stage_entity(call, &on, call->arguments[1], &entity);
    }
    if (code == CLI_GOOD && cli_has(call, "save")) {
        code = save_world(call, &on, cli_text_of(call, "save", "-"));
    } else if (code == CLI_GOOD && cli_has(call, "json")) {
        code = dump_json(&on, entity);
    } else if (code == CLI_GOOD) {
        stage_dump(&on, entity);
    }
    stage_free(&on);
    return code;
}
