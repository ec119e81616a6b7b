// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Loading: the sections of a scenario, its library, its names and its timeline.

#include "files.h"
#include "scenario_tables.h"

#include <stdio.h>
#include <string.h>

#define SCENARIO_COOKIE 0x7363656eu
#define PATH_SIZE 4096
#define STEP_DIVISOR_MAX 1000000

// The library ---------------------------------------------------------------

// Paths are relative to the folder of the scenario.
static bool path_of(const kn_scenario *scenario, const char *path, char *out, size_t size)
{
    const char *file = kni_document_file(scenario->document);
    const char *slash = file != NULL && path[0] != '/' ? strrchr(file, '/') : NULL;
    int folder = slash != NULL ? (int)(slash - file + 1) : 0;
    int length = snprintf(out, size, "%.*s%s", folder, folder > 0 ? file : "", path);
    return length > 0 && (size_t)length < size;
}

static void source_add(kn_scenario *scenario, const char *path)
{
    const char *text = kni_arena_text(&scenario->arena, path, strlen(path));
    if (text == NULL ||
        !kni_alloc_grow(&scenario->def.hooks, &scenario->sources, &scenario->source_capacity,
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
    source_add(scenario, path);
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
    def.scripts = scenario->def.scripts;
    def.message_limit = scenario->def.message_limit;
    def.file_limit = scenario->def.file_limit;
    def.warn = scenario->def.warn;
    kn_data *data;
    if (kn_data_create(&def, &data) != KN_OK) {
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
    kn_result result = KN_OK;
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

static void read_library(kn_scenario *scenario, kni_node root)
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

// Sections ------------------------------------------------------------------

static bool is_list(kn_scenario *scenario, kni_node node)
{
    if (kni_node_kind_of(node) == KNI_NODE_SEQUENCE) {
        return true;
    }
    kni_scenario_error(scenario, node, "expected a list, but this is %s", kni_node_kind_name(node));
    return false;
}

static bool read_time(kn_scenario *scenario, kni_node node, kn_time *time)
{
    kn_error error;
    if (kni_node_time(node, 0, KN_TIME_MAX, time, &error) != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error.message);
        return false;
    }
    return true;
}

// `1/60 s`, or a time.
static void read_step(kn_scenario *scenario, kni_node node, int64_t *parts, int64_t *out)
{
    const char *text = kni_node_scalar(node).text;
    uint32_t divisor = 0;
    bool is_fraction = strncmp(text, "1/", 2) == 0;
    const char *at = text + (is_fraction ? 2 : 0);
    for (; is_fraction && *at >= '0' && *at <= '9' && divisor <= STEP_DIVISOR_MAX; at++) {
        divisor = divisor * 10 + (uint32_t)(*at - '0');
    }
    if (is_fraction) {
        *parts = KN_S(1);
        *out = divisor;
        is_fraction = (*at == 0 || strcmp(at, " s") == 0 || strcmp(at, "s") == 0) && divisor > 0 &&
                      divisor <= STEP_DIVISOR_MAX;
        if (!is_fraction) {
            kni_scenario_error(scenario, node, "expected a step such as `1/60 s` or `20 ms`");
            *out = 60;
        }
        return;
    }
    kn_time step;
    if (read_time(scenario, node, &step)) {
        if (step <= 0) {
            kni_scenario_error(scenario, node, "a step must be longer than 0");
            return;
        }
        *parts = step;
        *out = 1;
    }
}

static void read_grid(kn_scenario *scenario, kni_node node)
{
    kn_error error;
    kni_scalar scalar = kni_node_scalar(node);
    if (kni_scalar_is_number(&scalar)) {
        scenario->has_grid = true;
        if (kni_node_f32(node, KNI_CELL_MIN, KNI_CELL_MAX, &scenario->cell_size, &error) != KN_OK) {
            kni_scenario_error(scenario, node, "%s", error.message);
        }
    } else if (kni_node_bool(node, &scenario->has_grid, &error) != KN_OK) {
        kni_scenario_error(scenario, node, "expected true, false or the size of a cell");
    }
}

static void read_motion(kn_scenario *scenario, kni_node node)
{
    kn_error error;
    if (kni_node_bool(node, &scenario->has_motion, &error) != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error.message);
    }
}

static void read_number(kn_scenario *scenario, kni_node node, uint64_t most, uint64_t *number)
{
    kn_error error;
    if (kni_node_u64(node, 0, most, number, &error) != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error.message);
    }
}

static void read_world(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        switch (kni_field_find(scenario, KNI_GROUP_WORLD, child)) {
        case KNI_FIELD_WORLD_SEED:
            read_number(scenario, child, UINT64_MAX, &scenario->seed);
            break;
        case KNI_FIELD_WORLD_STEP:
            read_step(scenario, child, &scenario->step_parts, &scenario->step_divisor);
            break;
        case KNI_FIELD_WORLD_START:
            (void)read_time(scenario, child, &scenario->start);
            break;
        case KNI_FIELD_WORLD_GRID:
            read_grid(scenario, child);
            break;
        case KNI_FIELD_WORLD_MOTION:
            read_motion(scenario, child);
            break;
        case KNI_FIELD_WORLD_TASK_LIMIT:
            read_number(scenario, child, UINT32_MAX, &scenario->task_limit);
            break;
        default:
            break;
        }
    }
}

static void read_checks(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !is_list(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint32_t check;
        if (kni_word_read(scenario, KNI_WORDS_CHECK, child, &check)) {
            scenario->checks |= UINT32_C(1) << check;
        }
    }
}

// Names ---------------------------------------------------------------------

static void note_action_names(kn_scenario *scenario, kni_node action)
{
    kni_children children = kni_node_children(action);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_node as = kni_node_get(child, kni_keys[KNI_KEY_AS].name);
        const char *verb = kni_node_key(child);
        kni_name_kind kind = verb != NULL ? kni_action_names(verb) : KNI_NAME_KIND_COUNT;
        if (kni_node_kind_of(as) == KNI_NODE_SCALAR && kind != KNI_NAME_KIND_COUNT) {
            kni_place place = kni_node_place(as);
            kni_name_add(scenario, &place, kind, kni_node_scalar(as).text);
        }
    }
}

// Names are known before anything is read, so that an early expectation may speak of what a later
// action brings.
static void note_names(kn_scenario *scenario, kni_node root)
{
    kni_children entities = kni_node_children(kni_field_get(root, KNI_FIELD_ENTITIES));
    for (kni_node child; kni_children_next(&entities, &child);) {
        kni_place place = kni_node_key_place(child);
        if (kni_node_key(child) != NULL) {
            kni_name_add(scenario, &place, KNI_NAME_ENTITY, kni_node_key(child));
        }
    }
    kni_children entries = kni_node_children(kni_field_get(root, KNI_FIELD_TIMELINE));
    for (kni_node entry; kni_children_next(&entries, &entry);) {
        kni_children actions = kni_node_children(kni_field_get(entry, KNI_FIELD_ENTRY_DO));
        for (kni_node action; kni_children_next(&actions, &action);) {
            note_action_names(scenario, action);
        }
    }
}

// Expectations --------------------------------------------------------------

static bool bounds_are_given(const kni_bounds *bounds)
{
    return bounds->has_value || bounds->has_base || bounds->has_above || bounds->has_below ||
           bounds->has_least || bounds->has_most;
}

static bool place_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    bool has_place = kni_part_has(part, KNI_KEY_POSITION) || kni_part_has(part, KNI_KEY_RADIUS) ||
                     kni_part_has(part, KNI_KEY_FACING);
    if (has_place && !scenario->has_grid) {
        kni_scenario_error(scenario, node, "a position needs `world: {grid: true}`");
        return false;
    }
    return true;
}

// Whether what is asked has somebody, or something, to be asked of: nothing would be tested.
static bool keys_belong(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    for (uint32_t i = 0; i < kni_belonging_count; i++) {
        const kni_belonging *one = &kni_belongings[i];
        bool found = !kni_part_has(part, (kni_key)one->key);
        char text[128] = "";
        size_t length = 0;
        for (uint32_t k = 0; one->to[k] != KNI_KEYS_END && length < sizeof(text); k++) {
            found |= kni_part_has(part, (kni_key)one->to[k]);
            const char *before = k == 0 ? "" : one->to[k + 1] == KNI_KEYS_END ? " or " : ", ";
            int added = snprintf(
                text + length, sizeof(text) - length, "%s`%s`", before, kni_keys[one->to[k]].name);
            length += added > 0 ? (size_t)added : 0;
        }
        if (!found) {
            kni_scenario_key_error(scenario, kni_node_get(node, kni_keys[one->key].name),
                "`%s` belongs to %s, which does not exist", kni_keys[one->key].name, text);
            return false;
        }
    }
    return true;
}

// Whether an expectation has something to test, about somebody.
static bool expectation_is_whole(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    bool is_named = kni_part_has(part, KNI_KEY_ACTIVATION) || part->effect.name > 0 ||
                    part->ability.name > 0 || kni_part_has(part, KNI_KEY_HASH) || part->timer > 0 ||
                    kni_part_has(part, KNI_KEY_COMPONENT) || kni_part_has(part, KNI_KEY_MEASURE);
    bool has_number = kni_part_has(part, KNI_KEY_ATTRIBUTE) ||
                      kni_part_has(part, KNI_KEY_TRANSIENT) || kni_part_has(part, KNI_KEY_MEASURE);
    if (!is_named && !kni_part_has(part, KNI_KEY_ENTITY)) {
        kni_scenario_error(scenario, node, "an expectation needs `entity`, or `event`");
        return false;
    }
    bool is_about_more =
        kni_part_has(part, KNI_KEY_EXISTS) || kni_part_has(part, KNI_KEY_EXPLANATION);
    if (has_number && !is_about_more && !bounds_are_given(&part->bounds)) {
        kni_scenario_error(
            scenario, node, "expected a number to compare with, such as `value: 50`");
        return false;
    }
    if (!has_number && bounds_are_given(&part->bounds)) {
        kni_scenario_error(scenario, node, "the number needs an `attribute` or a `measure`");
        return false;
    }
    if (!keys_belong(scenario, node, part)) {
        return false;
    }
    kni_part rest = *part;
    rest.given[KNI_KEY_ENTITY / 64] &= ~(UINT64_C(1) << (KNI_KEY_ENTITY % 64));
    if ((rest.given[0] | rest.given[1] | rest.given[2]) == 0) {
        kni_scenario_error(scenario, node, "it does not say what is expected");
        return false;
    }
    return true;
}

static void read_expectation(kn_scenario *scenario, kni_node node, kni_parts *parts)
{
    kni_part part = {.is_never = parts == &scenario->never};
    bool is_event = kni_node_exists(kni_node_get(node, kni_keys[KNI_KEY_EVENT_TYPE].name));
    if (is_event ? !kni_pattern_read(scenario, KNI_PATTERN_EXPECTED, node, &part)
                 : !kni_part_read(scenario, KNI_FORM_EXPECTATION, node, &part)) {
        return;
    }
    if (is_event) {
        part.watch = ++scenario->watch_count;
    } else if (!expectation_is_whole(scenario, node, &part) ||
               !place_check(scenario, node, &part)) {
        return;
    }
    (void)kni_part_add(scenario, parts, &part);
}

static void read_expectations(kn_scenario *scenario, kni_node node, kni_parts *parts)
{
    if (!kni_node_exists(node)) {
        return;
    }
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING) {
        read_expectation(scenario, node, parts);
        return;
    }
    if (!is_list(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        read_expectation(scenario, child, parts);
    }
}

static void read_sequence(kn_scenario *scenario, kni_node node, bool of_cues, kni_parts *parts)
{
    if (!kni_node_exists(node) || !is_list(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_part part = {0};
        if (of_cues ? kni_part_read(scenario, KNI_FORM_CUE, child, &part)
                    : kni_pattern_read(scenario, KNI_PATTERN_SEQUENCE, child, &part)) {
            (void)kni_part_add(scenario, parts, &part);
        }
    }
}

// The timeline --------------------------------------------------------------

typedef struct timeline {
    kn_scenario *scenario;
    kn_time now; // of the entry, moved on by `advance`
    kn_time every, until;
} timeline;

static void add_item(timeline *line, bool is_action, uint32_t part)
{
    kn_scenario *scenario = line->scenario;
    kni_item item = {line->now, line->every, line->until, is_action, part};
    if (!kni_alloc_grow(&scenario->def.hooks, &scenario->items, &scenario->item_capacity,
            scenario->item_count + 1, sizeof(item))) {
        scenario->no_memory = true;
        return;
    }
    scenario->items[scenario->item_count++] = item;
}

static void add_expectations(timeline *line, kni_node node)
{
    kn_scenario *scenario = line->scenario;
    uint32_t first = scenario->expectations.count;
    read_expectations(scenario, node, &scenario->expectations);
    for (uint32_t i = first; i < scenario->expectations.count; i++) {
        add_item(line, false, i);
    }
}

static bool read_advance(timeline *line, kni_node node)
{
    kn_time span;
    if (line->every > 0) {
        kni_scenario_key_error(
            line->scenario, node, "`advance` is not allowed in a repeated entry");
        return false;
    }
    if (!read_time(line->scenario, node, &span)) {
        return false;
    }
    if (span > KN_TIME_MAX - line->now) {
        kni_scenario_error(line->scenario, node, "the time is too large");
        return false;
    }
    line->now += span;
    return true;
}

static void read_action(timeline *line, kni_node node)
{
    kn_scenario *scenario = line->scenario;
    if (!kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_part part;
        uint32_t verb = kni_verb_find(kni_node_key(child));
        kni_field field = verb < KNI_VERB_COUNT ? KNI_FIELD_COUNT
                                                : kni_field_find(scenario, KNI_GROUP_ACTION, child);
        if (field == KNI_FIELD_ACTION_ADVANCE) {
            (void)read_advance(line, child);
        } else if (field == KNI_FIELD_ACTION_EXPECT) {
            add_expectations(line, child);
        } else if (verb < KNI_VERB_COUNT && kni_action_read(scenario, verb, child, &part) &&
                   place_check(scenario, child, &part) &&
                   kni_part_add(scenario, &scenario->actions, &part)) {
            add_item(line, true, scenario->actions.count - 1);
        }
    }
}

static void read_actions(timeline *line, kni_node actions)
{
    if (kni_node_kind_of(actions) == KNI_NODE_MAPPING) {
        read_action(line, actions);
    } else if (is_list(line->scenario, actions)) {
        kni_children list = kni_node_children(actions);
        for (kni_node action; kni_children_next(&list, &action);) {
            read_action(line, action);
        }
    }
}

static bool read_entry_time(timeline *line, kni_node entry)
{
    kn_scenario *scenario = line->scenario;
    kni_node at = kni_field_get(entry, KNI_FIELD_ENTRY_AT);
    kni_node after = kni_field_get(entry, KNI_FIELD_ENTRY_AFTER);
    kni_node every = kni_field_get(entry, KNI_FIELD_ENTRY_EVERY);
    kni_node from = kni_field_get(entry, KNI_FIELD_ENTRY_FROM);
    kni_node until = kni_field_get(entry, KNI_FIELD_ENTRY_UNTIL);
    line->every = 0;
    line->until = KN_TIME_MAX;
    if (kni_node_exists(at) + kni_node_exists(after) + kni_node_exists(every) > 1) {
        kni_scenario_error(scenario, entry, "use only one of `at`, `after` and `every`");
        return false;
    }
    if (!kni_node_exists(every) && (kni_node_exists(from) || kni_node_exists(until))) {
        kni_scenario_error(scenario, entry, "`from` and `until` need `every`");
        return false;
    }
    if (kni_node_exists(at)) {
        if (!read_time(scenario, at, &line->now)) {
            return false;
        }
        if (line->now < scenario->start) {
            kni_scenario_error(scenario, at, "the world does not start before `start`");
            return false;
        }
        return true;
    }
    if (kni_node_exists(after)) {
        return read_advance(line, after);
    }
    if (!kni_node_exists(every)) {
        return true;
    }
    bool ok = read_time(scenario, every, &line->every) &&
              (!kni_node_exists(from) || read_time(scenario, from, &line->now)) &&
              (!kni_node_exists(until) || read_time(scenario, until, &line->until));
    if (ok && line->every == 0) {
        kni_scenario_error(scenario, every, "`every` needs a time above 0");
        ok = false;
    }
    return ok;
}

static void read_entry(timeline *line, kni_node entry)
{
    kn_scenario *scenario = line->scenario;
    if (!kni_scenario_mapping(scenario, entry)) {
        return;
    }
    kni_children children = kni_node_children(entry);
    for (kni_node child; kni_children_next(&children, &child);) {
        (void)kni_field_find(scenario, KNI_GROUP_ENTRY, child);
    }
    kn_time before = line->now;
    (void)read_entry_time(line, entry); // with a mistake, at some time: the rest is read for more
    // As it is written: what is expected before `do` is tested before it.
    children = kni_node_children(entry);
    for (kni_node child; kni_children_next(&children, &child);) {
        if (strcmp(kni_node_key(child), kni_fields[KNI_FIELD_ENTRY_DO].name) == 0) {
            read_actions(line, child);
        } else if (strcmp(kni_node_key(child), kni_fields[KNI_FIELD_ENTRY_EXPECT].name) == 0) {
            add_expectations(line, child);
        }
    }
    if (line->every > 0) {
        line->now = before;
    }
}

// By time, then as written: merges runs of twice the length each time.
static void sort_items(kn_scenario *scenario)
{
    uint32_t count = scenario->item_count;
    kni_item *from = scenario->items;
    kni_item *to = kni_alloc_resize(&scenario->def.hooks, NULL, 0, (count + 1) * sizeof(*to));
    if (to == NULL) {
        scenario->no_memory = true;
        return;
    }
    kni_item *other = to;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t begin = 0; begin < count; begin += 2 * width) {
            uint32_t middle = begin + width < count ? begin + width : count;
            uint32_t end = middle + width < count ? middle + width : count;
            uint32_t a = begin, b = middle;
            for (uint32_t i = begin; i < end; i++) {
                bool first = a < middle && (b == end || from[a].time <= from[b].time);
                to[i] = first ? from[a++] : from[b++];
            }
        }
        kni_item *swap = from;
        from = to;
        to = swap;
    }
    if (from == other) {
        memcpy(scenario->items, other, count * sizeof(*other));
    }
    kni_alloc_free(&scenario->def.hooks, other, (count + 1) * sizeof(*other));
}

static void read_timeline(kn_scenario *scenario, kni_node node)
{
    timeline line = {scenario, scenario->start, 0, 0};
    if (!kni_node_exists(node) || !is_list(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node entry; kni_children_next(&children, &entry);) {
        read_entry(&line, entry);
    }
    sort_items(scenario);
}

// Steps must be countable.
static void check_steps(kn_scenario *scenario, kni_node node, int64_t parts, int64_t divisor)
{
    int64_t span = scenario->end - scenario->start;
    int64_t step = divisor > 0 ? parts / divisor : parts;
    int64_t steps = span / (step > 0 ? step : 1);
    for (uint32_t i = 0; i < scenario->item_count; i++) {
        const kni_item *item = &scenario->items[i];
        steps += item->every > 0 && span > 0 ? span / item->every : 1;
        if (steps > scenario->def.step_limit) {
            break;
        }
    }
    if (steps > scenario->def.step_limit) {
        kni_scenario_error(
            scenario, node, "a run would take more than %u steps", scenario->def.step_limit);
    }
}

// A run must come to an end.
static void read_end(kn_scenario *scenario, kni_node node)
{
    scenario->end = scenario->start;
    for (uint32_t i = 0; i < scenario->item_count; i++) {
        const kni_item *item = &scenario->items[i];
        kn_time last = item->every > 0 && item->until < KN_TIME_MAX ? item->until : item->time;
        scenario->end = last > scenario->end ? last : scenario->end;
    }
    kn_time last = scenario->end;
    if (kni_node_exists(node) && read_time(scenario, node, &scenario->end) &&
        scenario->end < last) {
        kni_scenario_error(scenario, node, "the timeline continues after the end");
    }
    check_steps(scenario, kni_node_exists(node) ? node : kni_document_root(scenario->document),
        scenario->step_parts, scenario->step_divisor);
}

// Entities, variants, measures ------------------------------------------------

static void read_entities(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_part part = {.level = 1.0f};
        bool is_empty = kni_node_is_null(child);
        if (is_empty || kni_part_read(scenario, KNI_FORM_ENTITY, child, &part)) {
            (void)place_check(scenario, child, &part);
        }
        part.place = kni_node_key_place(child);
        part.as = kni_name_find(scenario, KNI_NAME_ENTITY, kni_node_key(child));
        (void)kni_part_add(scenario, &scenario->entities, &part);
    }
}

static void read_variant_entities(kn_scenario *scenario, kni_node node, kni_variant *variant)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint32_t name = kni_name_find(scenario, KNI_NAME_ENTITY, kni_node_key(child));
        // Those of the beginning have the first names.
        if (name == 0 || name > scenario->entities.count) {
            const char *words[64];
            uint32_t count = 0;
            for (; count < scenario->entities.count && count < 64; count++) {
                words[count] = scenario->names[scenario->entities.data[count].as - 1].text;
            }
            kni_place place = kni_node_key_place(child);
            kni_scenario_unknown(scenario, &place, "entity", kni_node_key(child), words, count);
            continue;
        }
        kni_part part = scenario->entities.data[name - 1];
        if (kni_part_read(scenario, KNI_FORM_ENTITY, child, &part) &&
            place_check(scenario, child, &part)) {
            (void)kni_part_add(scenario, &variant->changed, &part);
        }
    }
}

static void read_variant_world(kn_scenario *scenario, kni_node node, kni_variant *variant)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_field field = kni_field_find(scenario, KNI_GROUP_VARIANT_WORLD, child);
        if (field == KNI_FIELD_VARIANT_SEED) {
            variant->has_seed = true;
            read_number(scenario, child, UINT64_MAX, &variant->seed);
        } else if (field == KNI_FIELD_VARIANT_STEP) {
            read_step(scenario, child, &variant->step_parts, &variant->step_divisor);
            check_steps(scenario, child, variant->step_parts, variant->step_divisor);
        }
    }
}

// A hash is that of the scenario as it is written: here it would never be compared.
static void check_variant_hashes(kn_scenario *scenario, const kni_variant *variant)
{
    for (uint32_t i = 0; i < variant->expectations.count; i++) {
        const kni_part *part = &variant->expectations.data[i];
        if (kni_part_has(part, KNI_KEY_HASH)) {
            kni_report_add(scenario->report, KNI_SEVERITY_ERROR, &part->place,
                "a variant cannot have a `hash`: it is the hash of the scenario without a variant");
        }
    }
}

static void read_variant(kn_scenario *scenario, kni_node node, kni_variant *variant)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        switch (kni_field_find(scenario, KNI_GROUP_VARIANT, child)) {
        case KNI_FIELD_VARIANT_ENTITIES:
            read_variant_entities(scenario, child, variant);
            break;
        case KNI_FIELD_VARIANT_WORLD:
            read_variant_world(scenario, child, variant);
            break;
        case KNI_FIELD_VARIANT_EXPECT:
            read_expectations(scenario, child, &variant->expectations);
            check_variant_hashes(scenario, variant);
            break;
        default:
            break;
        }
    }
}

static void read_variants(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_variant variant = {.name = kni_node_key(child)};
        if (!kni_alloc_grow(&scenario->def.hooks, &scenario->variants, &scenario->variant_capacity,
                scenario->variant_count + 1, sizeof(variant))) {
            scenario->no_memory = true;
            return;
        }
        kni_variant *stored = &scenario->variants[scenario->variant_count++];
        *stored = variant;
        read_variant(scenario, child, stored);
    }
}

static bool read_measure(kn_scenario *scenario, kni_node node, kni_part *part)
{
    bool of_event = kni_node_exists(kni_node_get(node, kni_keys[KNI_KEY_EVENT_TYPE].name));
    bool of_attribute = kni_node_exists(kni_node_get(node, kni_keys[KNI_KEY_ATTRIBUTE].name));
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING && !of_event && !of_attribute) {
        kni_scenario_error(scenario, node, "a measure needs `event`, or `attribute` and `entity`");
        return false;
    }
    if (!of_event) {
        bool ok = kni_part_read(scenario, KNI_FORM_MEASURE, node, part);
        if (ok && part->entity == 0) {
            kni_scenario_error(scenario, node, "`measure` needs `entity`");
        }
        return ok && part->entity > 0;
    }
    if (!kni_pattern_read(scenario, KNI_PATTERN_MEASURE, node, part)) {
        return false;
    }
    if (part->take == KNI_TAKE_SUM &&
        !kni_event_row_has(kni_event_row_of(part->event_type), KNI_KEY_MAGNITUDE)) {
        kni_scenario_error(scenario, node, "`%s` has no magnitude to sum up",
            kn_event_type_name((kn_event_type)part->event_type));
        return false;
    }
    return true;
}

static void read_measures(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_measure measure = {.name = kni_node_key(child)};
        if (!read_measure(scenario, child, &measure.part)) {
            continue;
        }
        measure.part.watch = ++scenario->watch_count;
        if (!kni_alloc_grow(&scenario->def.hooks, &scenario->measures, &scenario->measure_capacity,
                scenario->measure_count + 1, sizeof(measure))) {
            scenario->no_memory = true;
            return;
        }
        scenario->measures[scenario->measure_count++] = measure;
    }
}

static void read_hash(kn_scenario *scenario, kni_node node)
{
    kni_part part = {.place = kni_node_place(node)};
    if (kni_node_exists(node) && kni_key_read(scenario, KNI_KEY_HASH, node, &part)) {
        (void)kni_part_add(scenario, &scenario->final, &part);
    }
}

// The whole -----------------------------------------------------------------

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
    read_world(scenario, kni_field_get(root, KNI_FIELD_WORLD));
    read_checks(scenario, kni_field_get(root, KNI_FIELD_CHECK));
    kni_node tolerance = kni_field_get(root, KNI_FIELD_TOLERANCE);
    if (kni_node_exists(tolerance) &&
        kni_tolerance_read(scenario, tolerance, &scenario->tolerance)) {
        scenario->tolerance.is_given = false;
    }
    read_library(scenario, root);
    // With a library that has mistakes the rest is read for its own: what it names is not looked
    // up.
    note_names(scenario, root);
    read_measures(scenario, kni_field_get(root, KNI_FIELD_MEASURE));
    read_entities(scenario, kni_field_get(root, KNI_FIELD_ENTITIES));
    read_timeline(scenario, kni_field_get(root, KNI_FIELD_TIMELINE));
    read_end(scenario, kni_field_get(root, KNI_FIELD_END));
    read_expectations(scenario, kni_field_get(root, KNI_FIELD_EXPECT), &scenario->final);
    read_expectations(scenario, kni_field_get(root, KNI_FIELD_ALWAYS), &scenario->always);
    read_expectations(scenario, kni_field_get(root, KNI_FIELD_NEVER), &scenario->never);
    read_sequence(scenario, kni_field_get(root, KNI_FIELD_EVENTS), false, &scenario->events);
    read_sequence(scenario, kni_field_get(root, KNI_FIELD_CUES), true, &scenario->cues);
    read_variants(scenario, kni_field_get(root, KNI_FIELD_VARIANTS));
    read_hash(scenario, kni_field_get(root, KNI_FIELD_HASH));
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

static kn_result scenario_new(const kn_scenario_def *def, kn_scenario **out)
{
    kn_scenario *scenario = kni_alloc_resize(&def->hooks, NULL, 0, sizeof(*scenario));
    *out = NULL;
    if (scenario == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *scenario =
        (kn_scenario){.def = *def, .title = "", .seed = 1, .has_motion = true, .cell_size = 8.0f};
    scenario->arena.hooks = def->hooks;
    scenario->step_parts = KN_S(1);
    scenario->step_divisor = 60;
    if (kni_report_create(&def->hooks, def->message_limit, &scenario->report) != KN_OK) {
        (void)kni_alloc_resize(&def->hooks, scenario, sizeof(*scenario), 0);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = scenario;
    return KN_OK;
}

static kn_result scenario_parse(
    kn_scenario *scenario, const char *name, const char *text, size_t size)
{
    source_add(scenario, name);
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
static kn_result scenario_loaded(kn_result result, kn_scenario *scenario, kn_scenario **out)
{
    bool has_messages = result == KN_ERROR_BAD_DATA || result == KN_ERROR_IO;
    if (result != KN_OK && !has_messages) {
        kn_scenario_destroy(scenario);
        scenario = NULL;
    }
    *out = scenario;
    return result;
}

kn_result kn_scenario_load_text(
    const kn_scenario_def *def, const char *name, const char *text, size_t size, kn_scenario **out)
{
    if (out == NULL || def == NULL || def->cookie != SCENARIO_COOKIE || name == NULL) {
        KN_ASSERT(out != NULL && def != NULL && def->cookie == SCENARIO_COOKIE && name != NULL);
        if (out != NULL) {
            *out = NULL;
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_scenario *scenario;
    kn_result result = scenario_new(def, &scenario);
    if (result != KN_OK) {
        *out = NULL;
        return result;
    }
    return scenario_loaded(scenario_parse(scenario, name, text, size), scenario, out);
}

kn_result kn_scenario_load_file(const kn_scenario_def *def, const char *path, kn_scenario **out)
{
    if (out == NULL || def == NULL || def->cookie != SCENARIO_COOKIE || path == NULL) {
        KN_ASSERT(out != NULL && def != NULL && def->cookie == SCENARIO_COOKIE && path != NULL);
        if (out != NULL) {
            *out = NULL;
        }
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_scenario *scenario;
    kn_result result = scenario_new(def, &scenario);
    if (result != KN_OK) {
        *out = NULL;
        return result;
    }
    kni_document_def document = kni_document_def_default();
    document.hooks = def->hooks;
    document.size_limit = def->file_limit;
    kni_buffer buffer = {.hooks = def->hooks};
    result = kni_document_read_file(path, &document, scenario->report, &buffer);
    if (result == KN_OK) {
        result =
            scenario_parse(scenario, path, buffer.data != NULL ? buffer.data : "", buffer.size);
    }
    kni_buffer_free(&buffer);
    return scenario_loaded(result, scenario, out);
}

static void parts_free(const kn_hooks *hooks, kni_parts *parts)
{
    kni_alloc_free(hooks, parts->data, parts->capacity * sizeof(*parts->data));
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
    kni_alloc_free(&hooks, scenario->names, scenario->name_capacity * sizeof(*scenario->names));
    kni_alloc_free(
        &hooks, scenario->name_map, scenario->name_map_capacity * sizeof(*scenario->name_map));
    kni_alloc_free(&hooks, scenario->items, scenario->item_capacity * sizeof(*scenario->items));
    kni_alloc_free(
        &hooks, scenario->variants, scenario->variant_capacity * sizeof(*scenario->variants));
    kni_alloc_free(
        &hooks, scenario->measures, scenario->measure_capacity * sizeof(*scenario->measures));
    kni_alloc_free(
        &hooks, scenario->sources, scenario->source_capacity * sizeof(*scenario->sources));
    kni_arena_release(&scenario->arena, (kni_arena_mark){0});
    kn_library_destroy(scenario->own_library);
    kni_document_destroy(scenario->document);
    kni_report_destroy(scenario->report);
    kni_alloc_free(&hooks, scenario, sizeof(*scenario));
}

// Looking at it -------------------------------------------------------------

uint32_t kn_scenario_message_count(const kn_scenario *scenario)
{
    return kni_report_count(scenario->report);
}

kn_data_message kn_scenario_message_at(const kn_scenario *scenario, uint32_t index)
{
    kn_data_message message = {.file = "", .text = ""};
    if (index < kni_report_count(scenario->report)) {
        kni_diagnostic diagnostic = kni_report_at(scenario->report, index);
        message.is_error = diagnostic.severity == KNI_SEVERITY_ERROR;
        message.file = diagnostic.place.file != NULL ? diagnostic.place.file : "";
        message.line = diagnostic.place.line;
        message.column = diagnostic.place.column;
        message.text = diagnostic.message;
    }
    return message;
}

uint32_t kn_scenario_message_print(
    const kn_scenario *scenario, uint32_t index, char *text, uint32_t size)
{
    if (index >= kni_report_count(scenario->report)) {
        if (size > 0) {
            text[0] = 0;
        }
        return 0;
    }
    return kni_report_print(scenario->report, index, text, size);
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

const char *kn_scenario_entity_name(const kn_scenario *scenario, uint32_t index)
{
    for (uint32_t i = 0; i < scenario->name_count; i++) {
        if (scenario->names[i].kind == KNI_NAME_ENTITY && index-- == 0) {
            return scenario->names[i].text;
        }
    }
    return NULL;
}
