// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A scenario as a whole: loading it from a text or file, and looking at it.

#include "scenario_load.h"
#include "scenario_on.h"

#include <string.h>

#define SCENARIO_COOKIE 0x7363656eu

// Loading -------------------------------------------------------------------

static void read_title(kn_scenario *scenario, kni_node node)
{
    kn_error error;
    scenario->title = "";
    if (kni_node_exists(node) && kni_node_text(node, &scenario->title, &error) != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error.message);
        scenario->title = "";
    }
}

// A data file, given by mistake: one message instead of one for each of its sections.
static bool is_data_file(kn_scenario *scenario, kni_node root)
{
    for (uint32_t i = 0; i < kni_section_count; i++) {
        kni_node section = kni_node_get(root, kni_sections[i].key);
        if (kni_node_exists(section)) {
            kni_place place = kni_node_key_place(section);
            kni_report_add(scenario->report, KNI_SEVERITY_ERROR, &place,
                "`%s` belongs in a data file that the scenario names under `libraries`, or under "
                "`library`",
                kni_sections[i].key);
            return true;
        }
    }
    return false;
}

static void read_root(kn_scenario *scenario)
{
    kni_node root = kni_document_root(scenario->document);
    if (kni_node_kind_of(root) != KNI_NODE_MAPPING) {
        kni_scenario_error(scenario, root,
            "a scenario must be a mapping of sections such as `timeline`, but this is %s",
            kni_node_kind_name(root));
        return;
    }
    if (is_data_file(scenario, root)) {
        return;
    }
    kni_children children = kni_node_children(root);
    for (kni_node child; kni_children_next(&children, &child);) {
        (void)kni_field_find(scenario, KNI_GROUP_FILE, child);
    }
    read_title(scenario, kni_field_get(root, KNI_FIELD_SCENARIO));
    kni_scenario_load_world(scenario, kni_field_get(root, KNI_FIELD_WORLD));
    kni_scenario_load_checks(scenario, kni_field_get(root, KNI_FIELD_CHECK));
    kni_node tolerance = kni_field_get(root, KNI_FIELD_TOLERANCE);
    if (kni_node_exists(tolerance) &&
        kni_tolerance_read(scenario, tolerance, &scenario->tolerance)) {
        scenario->tolerance.is_given = false;
    }
    kni_scenario_load_library(scenario, root);
    // With a library that has mistakes the rest is read for its own: what it names is not looked
    // up.
    kni_scenario_load_names(scenario, root);
    if (!kni_scenario_load_machines(scenario, kni_field_get(root, KNI_FIELD_MACHINES))) {
        return;
    }
    kni_scenario_load_measures(scenario, kni_field_get(root, KNI_FIELD_MEASURE));
    kni_scenario_load_entities(scenario, kni_field_get(root, KNI_FIELD_ENTITIES));
    kni_scenario_load_timeline(scenario, kni_field_get(root, KNI_FIELD_TIMELINE));
    kni_scenario_load_end(scenario, kni_field_get(root, KNI_FIELD_END));
    kni_scenario_load_expectations(
        scenario, kni_field_get(root, KNI_FIELD_EXPECT), &scenario->final);
    kni_scenario_load_expectations(
        scenario, kni_field_get(root, KNI_FIELD_ALWAYS), &scenario->always);
    kni_scenario_load_expectations(
        scenario, kni_field_get(root, KNI_FIELD_NEVER), &scenario->never);
    kni_scenario_load_sequence(
        scenario, kni_field_get(root, KNI_FIELD_EVENTS), false, &scenario->events);
    kni_scenario_load_sequence(
        scenario, kni_field_get(root, KNI_FIELD_CUES), true, &scenario->cues);
    kni_scenario_load_variants(scenario, kni_field_get(root, KNI_FIELD_VARIANTS));
    kni_scenario_load_hash(scenario, kni_field_get(root, KNI_FIELD_HASH));
}

kn_scenario_def kn_scenario_def_default(void)
{
    kn_scenario_def def = {
        .message_limit = 100,
        .file_limit = (size_t)16 << 20,
        .step_limit = 1000000,
        .cookie = SCENARIO_COOKIE,
    };
    return def;
}

// `*out` is always written.
static kn_result scenario_new(const kn_scenario_def *def, const char *name, kn_scenario **out)
{
    bool is_good = out != NULL && def != NULL && def->cookie == SCENARIO_COOKIE && name != NULL;
    KN_ASSERT(is_good);
    if (out != NULL) {
        *out = NULL;
    }
    if (!is_good) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_scenario *scenario = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*scenario));
    if (scenario == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *scenario =
        (kn_scenario){.def = *def, .title = "", .seed = 1, .has_motion = true, .cell_size = 8.0f};
    scenario->arena.hooks = def->hooks;
    scenario->step_parts = KN_S(1);
    scenario->step_divisor = 60;
    if (kni_report_create(&def->hooks, def->message_limit, &scenario->report) != KN_OK) {
        kn_memory_free(&def->hooks, scenario, sizeof(*scenario));
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = scenario;
    return KN_OK;
}

static kn_result scenario_parse(
    kn_scenario *scenario, const char *name, const char *text, size_t size)
{
    kni_scenario_load_source(scenario, name);
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    def.file = name;
    def.hooks = scenario->def.hooks;
    def.size_limit = scenario->def.file_limit;
    kn_result result = kni_document_parse(&def, scenario->report, &scenario->document);
    if (result != KN_OK) {
        scenario->document = NULL;
        return result;
    }
    read_root(scenario);
    if (scenario->no_memory || scenario->arena.failed) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    result = kni_report_result(scenario->report);
    scenario->is_good = result == KN_OK;
    return result;
}

// A scenario with mistakes is handed out for its messages.
static kn_result scenario_loaded(kn_result result, kn_scenario **out)
{
    bool has_messages = result == KN_ERROR_BAD_DATA || result == KN_ERROR_IO;
    if (result != KN_OK && !has_messages) {
        kn_scenario_destroy(*out);
        *out = NULL;
    }
    return result;
}

kn_result kn_scenario_load_text(
    const kn_scenario_def *def, const char *name, const char *text, size_t size, kn_scenario **out)
{
    kn_result result = scenario_new(def, name, out);
    return result == KN_OK ? scenario_loaded(scenario_parse(*out, name, text, size), out) : result;
}

kn_result kn_scenario_load_file(const kn_scenario_def *def, const char *path, kn_scenario **out)
{
    kn_result result = scenario_new(def, path, out);
    if (result != KN_OK) {
        return result;
    }
    kni_document_def document = kni_document_def_default();
    document.hooks = def->hooks;
    document.size_limit = def->file_limit;
    kni_buffer buffer = {.hooks = def->hooks};
    result = kni_document_read_file(path, &document, (*out)->report, &buffer);
    if (result == KN_OK) {
        result = scenario_parse(*out, path, buffer.data != NULL ? buffer.data : "", buffer.size);
    }
    kni_buffer_free(&buffer);
    return scenario_loaded(result, out);
}

static void parts_free(const kn_hooks *hooks, kni_parts *parts)
{
    kn_memory_free(hooks, parts->data, parts->capacity * sizeof(*parts->data));
}

void kn_scenario_destroy(kn_scenario *scenario)
{
    if (scenario == NULL) {
        return;
    }
    kn_hooks hooks = scenario->def.hooks;
    kni_parts *lists[] = {&scenario->entities, &scenario->actions, &scenario->expectations,
        &scenario->final, &scenario->always, &scenario->never, &scenario->events, &scenario->cues};
    for (uint32_t i = 0; i < sizeof(lists) / sizeof(*lists); i++) {
        parts_free(&hooks, lists[i]);
    }
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        parts_free(&hooks, &scenario->variants[i].changed);
        parts_free(&hooks, &scenario->variants[i].expectations);
    }
    kn_memory_free(&hooks, scenario->names, scenario->name_capacity * sizeof(*scenario->names));
    kn_memory_free(
        &hooks, scenario->name_map, scenario->name_map_capacity * sizeof(*scenario->name_map));
    kn_memory_free(&hooks, scenario->items, scenario->item_capacity * sizeof(*scenario->items));
    kn_memory_free(
        &hooks, scenario->variants, scenario->variant_capacity * sizeof(*scenario->variants));
    kn_memory_free(
        &hooks, scenario->measures, scenario->measure_capacity * sizeof(*scenario->measures));
    kn_memory_free(
        &hooks, scenario->sources, scenario->source_capacity * sizeof(*scenario->sources));
    kni_arena_release(&scenario->arena, (kni_arena_mark){0});
    kn_library_destroy(scenario->own_library);
    kni_document_destroy(scenario->document);
    kni_report_destroy(scenario->report);
    kn_memory_free(&hooks, scenario, sizeof(*scenario));
}

// Looking at it -------------------------------------------------------------

uint32_t kn_scenario_message_count(const kn_scenario *scenario)
{
    return kni_report_count(scenario->report);
}

kn_data_message kn_scenario_message_at(const kn_scenario *scenario, uint32_t index)
{
    return kni_report_message(scenario->report, index);
}

uint32_t kn_scenario_message_print(
    const kn_scenario *scenario, uint32_t index, char *text, uint32_t size)
{
    return kni_report_message_print(scenario->report, index, text, size);
}

const char *kn_scenario_source(const kn_scenario *scenario, uint32_t index)
{
    return index < scenario->source_count ? scenario->sources[index] : NULL;
}

const char *kn_scenario_title(const kn_scenario *scenario)
{
    return scenario->title;
}

const kn_library *kn_scenario_library(const kn_scenario *scenario)
{
    return scenario->library;
}

kn_time kn_scenario_end(const kn_scenario *scenario)
{
    return scenario->end;
}

uint32_t kn_scenario_variant_count(const kn_scenario *scenario)
{
    return scenario->variant_count;
}

const char *kn_scenario_variant_name(const kn_scenario *scenario, uint32_t index)
{
    return index < scenario->variant_count ? scenario->variants[index].name : "";
}

uint32_t kn_scenario_variant_find(const kn_scenario *scenario, const char *name)
{
    for (uint32_t i = 0; i < scenario->variant_count; i++) {
        if (strcmp(scenario->variants[i].name, name) == 0) {
            return i;
        }
    }
    return KN_SCENARIO_BASE;
}

uint32_t kn_scenario_measure_count(const kn_scenario *scenario)
{
    return scenario->measure_count;
}

const char *kn_scenario_measure_name(const kn_scenario *scenario, uint32_t index)
{
    return index < scenario->measure_count ? scenario->measures[index].name : "";
}

bool kn_scenario_measure_is_rate(const kn_scenario *scenario, uint32_t index)
{
    return index < scenario->measure_count &&
           scenario->measures[index].part.take == KNI_TAKE_HAPPENED;
}

uint32_t kn_scenario_machine_count(const kn_scenario *scenario)
{
    return scenario->machine_count;
}

const char *kn_scenario_machine_name(const kn_scenario *scenario, uint32_t index)
{
    return index < scenario->machine_count ? scenario->machine_names[index] : "";
}

const char *kn_scenario_entity_name(const kn_scenario *scenario, uint32_t index)
{
    for (uint32_t i = 0; i < scenario->name_count; i++) {
        if (scenario->names[i].kind == KNI_NAME_ENTITY && index-- == 0) {
            return scenario->names[i].text;
        }
    }
    return NULL;
}
