// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Loading a scenario: settings, names, entities, variants and measures.

#include "scenario_load.h"

#include <string.h>

#define STEP_DIVISOR_MAX 1000000

// Settings ------------------------------------------------------------------

bool kni_scenario_load_is_list(kn_scenario *scenario, kni_node node)
{
    if (kni_node_kind_of(node) == KNI_NODE_SEQUENCE) {
        return true;
    }
    kni_scenario_error(scenario, node, "expected a list, but this is %s", kni_node_kind_name(node));
    return false;
}

bool kni_scenario_load_time(kn_scenario *scenario, kni_node node, kn_time *time)
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
    if (kni_scenario_load_time(scenario, node, &step)) {
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

void kni_scenario_load_world(kn_scenario *scenario, kni_node node)
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
            (void)kni_scenario_load_time(scenario, child, &scenario->start);
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

void kni_scenario_load_checks(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_load_is_list(scenario, node)) {
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

void kni_scenario_load_names(kn_scenario *scenario, kni_node root)
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

// Entities, variants, measures ------------------------------------------------

void kni_scenario_load_entities(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_part part = {.level = 1.0f};
        bool is_empty = kni_node_is_null(child);
        if (is_empty || kni_part_read(scenario, KNI_FORM_ENTITY, child, &part)) {
            (void)kni_scenario_load_place_check(scenario, child, &part);
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
            kni_scenario_load_place_check(scenario, child, &part)) {
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
            kni_scenario_load_steps_check(
                scenario, child, variant->step_parts, variant->step_divisor);
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
            kni_scenario_load_expectations(scenario, child, &variant->expectations);
            check_variant_hashes(scenario, variant);
            break;
        default:
            break;
        }
    }
}

void kni_scenario_load_variants(kn_scenario *scenario, kni_node node)
{
    if (!kni_node_exists(node) || !kni_scenario_mapping(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_variant variant = {.name = kni_node_key(child)};
        if (!kn_memory_grow(&scenario->def.hooks, &scenario->variants, &scenario->variant_capacity,
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
    if (part->take == KNI_TAKE_HAPPENED && part->per_second) {
        kni_scenario_error(
            scenario, node, "`happened` is 1 or 0, and cannot be measured `per_second`");
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

void kni_scenario_load_measures(kn_scenario *scenario, kni_node node)
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
        if (!kn_memory_grow(&scenario->def.hooks, &scenario->measures, &scenario->measure_capacity,
                scenario->measure_count + 1, sizeof(measure))) {
            scenario->no_memory = true;
            return;
        }
        scenario->measures[scenario->measure_count++] = measure;
    }
}

void kni_scenario_load_hash(kn_scenario *scenario, kni_node node)
{
    kni_part part = {.place = kni_node_place(node)};
    if (kni_node_exists(node) && kni_key_read(scenario, KNI_KEY_HASH, node, &part)) {
        (void)kni_part_add(scenario, &scenario->final, &part);
    }
}
