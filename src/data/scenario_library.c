// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Loading a scenario: its library, from the files it names and what is inside of it.

#include "files.h"
#include "scenario_load.h"

#include <stdio.h>
#include <string.h>

#define PATH_SIZE 4096

// Paths are relative to the folder of the scenario.
static bool path_of(const kn_scenario *scenario, const char *path, char *out, size_t size)
{
    const char *file = kni_document_file(scenario->document);
    const char *slash = file != NULL && path[0] != '/' ? strrchr(file, '/') : NULL;
    int folder = slash != NULL ? (int)(slash - file + 1) : 0;
    int length = snprintf(out, size, "%.*s%s", folder, folder > 0 ? file : "", path);
    return length > 0 && (size_t)length < size;
}

void kni_scenario_load_source(kn_scenario *scenario, const char *path)
{
    const char *text = kni_arena_text(&scenario->arena, path, strlen(path));
    if (text == NULL ||
        !kn_memory_grow(&scenario->def.hooks, &scenario->sources, &scenario->source_capacity,
            scenario->source_count + 1, sizeof(*scenario->sources))) {
        scenario->no_memory = true;
        return;
    }
    scenario->sources[scenario->source_count++] = text;
}

static void add_path(kn_scenario *scenario, kn_data *data, kni_node node)
{
    kn_error error;
    const char *text;
    char path[PATH_SIZE];
    if (kni_node_text(node, &text, &error) != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error.message);
        return;
    }
    if (!path_of(scenario, text, path, sizeof(path))) {
        kni_scenario_error(scenario, node, "the path is too long");
        return;
    }
    kni_scenario_load_source(scenario, path);
    kn_result result = KN_OK;
    if (kni_folder_exists(path)) {
        result = kn_data_add_folder(data, path);
    } else if (!kni_file_exists(path)) {
        kni_scenario_error(scenario, node, "there is no file or folder `%s`", text);
    } else {
        result = kn_data_add_file(data, path);
        if (result == KN_ERROR_BAD_DATA) {
            kni_scenario_error(scenario, node,
                "`%s` is not a data file: its name must end in .yaml, .yml, .json or .lua", text);
        }
    }
    scenario->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
}

static void tell_data(kn_scenario *scenario, const kn_data *data)
{
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        kn_data_message message = kn_data_message_at(data, i);
        kni_place place = {message.file, message.line, message.column};
        if (message.is_error || scenario->def.warn) {
            kni_report_add(scenario->report,
                message.is_error ? KNI_SEVERITY_ERROR : KNI_SEVERITY_WARNING, &place, "%s",
                message.text);
        }
    }
}

static kn_result prepare_library(void *user, kn_library *library, kn_error *error)
{
    const kn_scenario *scenario = user;
    kn_result result = KN_OK;
    if (scenario->has_grid) {
        result = kn_grid_register(library, NULL, error);
    }
    if (result == KN_OK && scenario->def.prepare != NULL) {
        result = scenario->def.prepare(scenario->def.user, library, error);
    }
    return result;
}

static void build_library(kn_scenario *scenario, kni_node files, kni_node inlined)
{
    kn_data_def def = kn_data_def_default();
    def.hooks = scenario->def.hooks;
    def.prepare = prepare_library;
    def.user = scenario;
    def.kits = scenario->def.kits;
    def.kit_count = scenario->def.kit_count;
    def.scripts = scenario->def.scripts;
    def.message_limit = scenario->def.message_limit;
    def.file_limit = scenario->def.file_limit;
    def.warn = scenario->def.warn;
    kn_data *data;
    kn_result result = kn_data_create(&def, &data);
    if (result == KN_ERROR_INVALID_ARGUMENT) {
        kni_scenario_error(scenario, kni_document_root(scenario->document),
            "a kit of the program has no name or no function");
        return;
    }
    if (result != KN_OK) {
        scenario->no_memory = true;
        return;
    }
    if (kni_node_kind_of(files) == KNI_NODE_SEQUENCE) {
        kni_children children = kni_node_children(files);
        for (kni_node child; kni_children_next(&children, &child);) {
            add_path(scenario, data, child);
        }
    } else if (kni_node_exists(files)) {
        add_path(scenario, data, files);
    }
    if (kni_node_exists(inlined) && !kni_node_is_null(inlined)) {
        scenario->no_memory |= kni_data_add_node(data, inlined) != KN_OK;
    }
    if (scenario->def.add != NULL) {
        result = scenario->def.add(scenario->def.user, data);
    }
    if (result == KN_OK) {
        result = kn_data_build(data, &scenario->own_library);
        tell_data(scenario, data);
    } else {
        kni_scenario_error(scenario, kni_document_root(scenario->document),
            "the definitions added by the program were refused: %s", kn_result_name(result));
    }
    scenario->no_memory |= result == KN_ERROR_OUT_OF_MEMORY;
    scenario->library = scenario->own_library;
    kn_data_destroy(data);
}

void kni_scenario_load_library(kn_scenario *scenario, kni_node root)
{
    kni_node files = kni_field_get(root, KNI_FIELD_LIBRARIES);
    kni_node inlined = kni_field_get(root, KNI_FIELD_LIBRARY);
    bool has_files = kni_node_exists(files) || kni_node_exists(inlined);
    scenario->library = scenario->def.library;
    if (scenario->library == NULL) {
        build_library(scenario, files, inlined);
    } else if (has_files) {
        kni_scenario_key_error(scenario, kni_node_exists(files) ? files : inlined,
            "the program brings its own library for this scenario");
    } else if (scenario->has_grid &&
               kn_def_find(scenario->library, KN_DEF_COMPONENT, KN_GRID_BODY_NAME) == 0) {
        kni_scenario_error(scenario, kni_field_get(root, KNI_FIELD_WORLD),
            "the program's library has no grid; see kn_grid_register()");
    }
}
