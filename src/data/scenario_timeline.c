// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Loading a scenario: what is expected, and the timeline of what is done and expected when.

#include "scenario_call.h"
#include "scenario_load.h"
#include "scenario_on.h"

#include <stdio.h>
#include <string.h>

// Expectations --------------------------------------------------------------

static bool bounds_are_given(const kni_bounds *bounds)
{
    return bounds->has_value || bounds->has_base || bounds->has_above || bounds->has_below ||
           bounds->has_least || bounds->has_most;
}

bool kni_scenario_load_place_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    bool has_place = kni_part_has(part, KNI_KEY_POSITION) || kni_part_has(part, KNI_KEY_RADIUS) ||
                     kni_part_has(part, KNI_KEY_FACING);
    if (has_place && !scenario->has_grid) {
        kni_scenario_error(scenario, node, "a position needs `world: {grid: true}`");
        return false;
    }
    if (kni_part_has(part, KNI_KEY_SYNC) && scenario->machine_count == 0) {
        kni_scenario_error(scenario, node, "`sync` needs a section `machines`");
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
                    kni_part_has(part, KNI_KEY_COMPONENT) || kni_part_has(part, KNI_KEY_MEASURE) ||
                    kni_part_has(part, KNI_KEY_JOINED) || kni_part_has(part, KNI_KEY_CLOSED) ||
                    kni_part_has(part, KNI_KEY_COUNTS) || part->calls.count > 0;
    bool has_number = kni_part_has(part, KNI_KEY_ATTRIBUTE) ||
                      kni_part_has(part, KNI_KEY_TRANSIENT) || kni_part_has(part, KNI_KEY_MEASURE);
    if (!is_named && !kni_part_has(part, KNI_KEY_ENTITY)) {
        kni_scenario_error(scenario, node, "an expectation needs `entity`, or `event`");
        return false;
    }
    bool is_about_more = kni_part_has(part, KNI_KEY_EXISTS) ||
                         kni_part_has(part, KNI_KEY_EXPLANATION) ||
                         kni_part_has(part, KNI_KEY_AS_SERVER);
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
    rest.given[KNI_KEY_MACHINE / 64] &= ~(UINT64_C(1) << (KNI_KEY_MACHINE % 64));
    if ((rest.given[0] | rest.given[1] | rest.given[2]) == 0 && part->calls.count == 0) {
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
    bool is_lasting = parts == &scenario->never || parts == &scenario->always;
    if (is_event) {
        if (!kni_on_check_pattern(scenario, node, &part)) {
            return;
        }
        part.watch = ++scenario->watch_count;
    } else if (!expectation_is_whole(scenario, node, &part) ||
               !kni_on_check_expectation(scenario, node, &part, is_lasting) ||
               !kni_scenario_load_place_check(scenario, node, &part)) {
        return;
    }
    (void)kni_part_add(scenario, parts, &part);
}

void kni_scenario_load_expectations(kn_scenario *scenario, kni_node node, kni_parts *parts)
{
    if (!kni_node_exists(node)) {
        return;
    }
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING) {
        read_expectation(scenario, node, parts);
        return;
    }
    if (!kni_scenario_load_is_list(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        read_expectation(scenario, child, parts);
    }
}

void kni_scenario_load_sequence(
    kn_scenario *scenario, kni_node node, bool of_cues, kni_parts *parts)
{
    if (!kni_node_exists(node) || !kni_scenario_load_is_list(scenario, node)) {
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_part part = {0};
        bool ok = of_cues ? kni_part_read(scenario, KNI_FORM_CUE, child, &part)
                          : kni_pattern_read(scenario, KNI_PATTERN_SEQUENCE, child, &part);
        if (ok && kni_on_check_pattern(scenario, child, &part)) {
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

static void item_add(kn_scenario *scenario, kni_item item)
{
    if (!kn_memory_grow(&scenario->def.hooks, &scenario->items, &scenario->item_capacity,
            scenario->item_count + 1, sizeof(item))) {
        scenario->no_memory = true;
        return;
    }
    scenario->items[scenario->item_count++] = item;
}

void kni_scenario_load_item(kn_scenario *scenario, kn_time time, uint32_t action)
{
    item_add(scenario, (kni_item){time, 0, KN_TIME_MAX, true, action});
}

static void add_item(timeline *line, bool is_action, uint32_t part)
{
    kn_scenario *scenario = line->scenario;
    kni_item item = {line->now, line->every, line->until, is_action, part};
    const kni_parts *parts = is_action ? &scenario->actions : &scenario->expectations;
    if (kni_on_check_time(scenario, &parts->data[part], line->now)) {
        item_add(scenario, item);
    }
}

static void add_expectations(timeline *line, kni_node node)
{
    kn_scenario *scenario = line->scenario;
    uint32_t first = scenario->expectations.count;
    kni_scenario_load_expectations(scenario, node, &scenario->expectations);
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
    if (!kni_scenario_load_time(line->scenario, node, &span)) {
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
        const kn_function_def *function =
            verb < KNI_VERB_COUNT ? NULL
                                  : kni_function_find(scenario->library, kni_node_key(child), true);
        kni_field field = verb < KNI_VERB_COUNT || function != NULL
                              ? KNI_FIELD_COUNT
                              : kni_field_find(scenario, KNI_GROUP_ACTION, child);
        if (field == KNI_FIELD_ACTION_ADVANCE) {
            (void)read_advance(line, child);
        } else if (field == KNI_FIELD_ACTION_EXPECT) {
            add_expectations(line, child);
        } else if (function != NULL
                       ? kni_call_read_action(scenario, function, child, &part) &&
                             kni_part_add(scenario, &scenario->actions, &part)
                       : verb < KNI_VERB_COUNT && kni_action_read(scenario, verb, child, &part) &&
                             kni_on_check_action(scenario, child, &part) &&
                             kni_scenario_load_place_check(scenario, child, &part) &&
                             kni_part_add(scenario, &scenario->actions, &part)) {
            add_item(line, true, scenario->actions.count - 1);
        }
    }
}

static void read_actions(timeline *line, kni_node actions)
{
    if (kni_node_kind_of(actions) == KNI_NODE_MAPPING) {
        read_action(line, actions);
    } else if (kni_scenario_load_is_list(line->scenario, actions)) {
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
        if (!kni_scenario_load_time(scenario, at, &line->now)) {
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
    bool ok = kni_scenario_load_time(scenario, every, &line->every) &&
              (!kni_node_exists(from) || kni_scenario_load_time(scenario, from, &line->now)) &&
              (!kni_node_exists(until) || kni_scenario_load_time(scenario, until, &line->until));
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
    kni_item *to = kn_memory_resize(&scenario->def.hooks, NULL, 0, (count + 1) * sizeof(*to));
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
    kn_memory_free(&scenario->def.hooks, other, (count + 1) * sizeof(*other));
}

void kni_scenario_load_timeline(kn_scenario *scenario, kni_node node)
{
    timeline line = {scenario, scenario->start, 0, 0};
    bool has_list = kni_node_exists(node) && kni_scenario_load_is_list(scenario, node);
    kni_children children = kni_node_children(node);
    for (kni_node entry; has_list && kni_children_next(&children, &entry);) {
        read_entry(&line, entry);
    }
    sort_items(scenario);
}

// Steps must be countable.
void kni_scenario_load_steps_check(
    kn_scenario *scenario, kni_node node, int64_t parts, int64_t divisor)
{
    int64_t span = scenario->end - scenario->start;
    int64_t step = divisor > 0 ? parts / divisor : parts;
    int64_t steps = span / (step > 0 ? step : 1);
    if (scenario->machine_count > 0) { // and the ticks of each
        steps += span / KN_MS(1) * scenario->machine_rate / 1000 * (scenario->machine_count + 1);
    }
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
void kni_scenario_load_end(kn_scenario *scenario, kni_node node)
{
    scenario->end = scenario->start;
    for (uint32_t i = 0; i < scenario->item_count; i++) {
        const kni_item *item = &scenario->items[i];
        kn_time last = item->every > 0 && item->until < KN_TIME_MAX ? item->until : item->time;
        scenario->end = last > scenario->end ? last : scenario->end;
    }
    kn_time last = scenario->end;
    if (kni_node_exists(node) && kni_scenario_load_time(scenario, node, &scenario->end) &&
        scenario->end < last) {
        kni_scenario_error(scenario, node, "the timeline continues after the end");
    }
    kni_scenario_load_steps_check(scenario,
        kni_node_exists(node) ? node : kni_document_root(scenario->document), scenario->step_parts,
        scenario->step_divisor);
}
