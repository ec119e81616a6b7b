// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Parts from nodes, by the tables of keys and forms.

#include "scenario_on.h"
#include "scenario_run.h"
#include "scenario_tables.h"

#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 256 // that a suggestion is looked for among

// Messages ------------------------------------------------------------------

void kni_scenario_error(kn_scenario *scenario, kni_node node, const char *format, ...)
{
    kni_place place = kni_node_place(node);
    va_list arguments;
    va_start(arguments, format);
    kni_report_add_list(scenario->report, KNI_SEVERITY_ERROR, &place, format, arguments);
    va_end(arguments);
}

void kni_scenario_key_error(kn_scenario *scenario, kni_node node, const char *format, ...)
{
    kni_place place = kni_node_key_place(node);
    va_list arguments;
    va_start(arguments, format);
    kni_report_add_list(scenario->report, KNI_SEVERITY_ERROR, &place, format, arguments);
    va_end(arguments);
}

// Messages that nobody will read are not worth a search.
static bool report_is_full(const kn_scenario *scenario)
{
    uint32_t limit = scenario->def.message_limit;
    return kni_report_error_count(scenario->report) >= (limit != 0 ? limit : KNI_REPORT_LIMIT);
}

void kni_scenario_unknown(kn_scenario *scenario, const kni_place *place, const char *what,
    const char *word, const char *const *words, uint32_t count)
{
    kni_hint hint = kni_report_hint(words, report_is_full(scenario) ? 0 : count, word);
    kni_report_add(scenario->report, KNI_SEVERITY_ERROR, place, "there is no %s `%s`%s", what, word,
        hint.text);
}

// The same with all the words, also if one is like it.
static void unknown_of(kn_scenario *scenario, const kni_place *place, const char *what,
    const char *word, const char *const *words, uint32_t count)
{
    char text[KNI_REPORT_MESSAGE_MAX] = "";
    kni_line line = {text, sizeof(text), 0};
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] != NULL && words[i][0] != 0) {
            kni_line_add(&line, "%s%s", line.length > 0 ? ", " : "", words[i]);
        }
    }
    kni_report_add(scenario->report, KNI_SEVERITY_ERROR, place,
        "there is no %s `%s`; expected one of: %s", what, word, text);
}

static bool value_accepted(
    kn_scenario *scenario, kn_result result, kni_node node, const kn_error *error)
{
    if (result != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error->message);
    }
    return result == KN_OK;
}

static void *scenario_take(kn_scenario *scenario, size_t count, size_t size)
{
    return kni_arena_take(&scenario->arena, (count > 0 ? count : 1) * size);
}

// Names ---------------------------------------------------------------------

static const char *const name_nouns[KNI_NAME_KIND_COUNT] = {
    "entity", "effect", "spec", "ability", "activation", "timer"};

static uint32_t *name_place(const kn_scenario *scenario, const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *at = text; *at != 0; at++) {
        hash = (hash ^ (uint8_t)*at) * 16777619u;
    }
    uint32_t mask = scenario->name_map_capacity - 1;
    uint32_t place = hash & mask;
    while (scenario->name_map[place] != 0 &&
           strcmp(scenario->names[scenario->name_map[place] - 1].text, text) != 0) {
        place = (place + 1) & mask;
    }
    return &scenario->name_map[place];
}

static bool name_map_grow(kn_scenario *scenario)
{
    if (scenario->name_map_capacity > 2 * scenario->name_count) {
        return true;
    }
    const kn_hooks *hooks = &scenario->def.hooks;
    uint32_t capacity = scenario->name_map_capacity == 0 ? 64 : 4 * scenario->name_map_capacity;
    uint32_t *map = kn_memory_resize(hooks, NULL, 0, capacity * sizeof(*map));
    if (map == NULL) {
        return false;
    }
    memset(map, 0, capacity * sizeof(*map));
    kn_memory_free(hooks, scenario->name_map, scenario->name_map_capacity * sizeof(*map));
    scenario->name_map = map;
    scenario->name_map_capacity = capacity;
    for (uint32_t i = 0; i < scenario->name_count; i++) {
        *name_place(scenario, scenario->names[i].text) = i + 1;
    }
    return true;
}

void kni_name_add(
    kn_scenario *scenario, const kni_place *place, kni_name_kind kind, const char *text)
{
    static const char *const articles[KNI_NAME_KIND_COUNT] = {"an", "an", "a", "an", "an", "a"};
    if (!name_map_grow(scenario)) {
        scenario->no_memory = true;
        return;
    }
    uint32_t *index1 = name_place(scenario, text);
    if (*index1 != 0) {
        kni_name_kind first = scenario->names[*index1 - 1].kind;
        if (first != kind) {
            kni_report_add(scenario->report, KNI_SEVERITY_ERROR, place,
                "`%s` is already the name of %s %s", text, articles[first], name_nouns[first]);
        }
        return;
    }
    if (!kn_memory_grow(&scenario->def.hooks, &scenario->names, &scenario->name_capacity,
            scenario->name_count + 1, sizeof(*scenario->names))) {
        scenario->no_memory = true;
        return;
    }
    scenario->names[scenario->name_count++] = (kni_scenario_name){text, kind};
    *index1 = scenario->name_count;
}

uint32_t kni_name_find(const kn_scenario *scenario, kni_name_kind kind, const char *text)
{
    if (scenario->name_map_capacity == 0) {
        return 0;
    }
    uint32_t index1 = *name_place(scenario, text);
    return index1 != 0 && scenario->names[index1 - 1].kind == kind ? index1 : 0;
}

static uint32_t names_list(
    const kn_scenario *scenario, kni_name_kind kind, const char **words, uint32_t count)
{
    for (uint32_t i = 0; i < scenario->name_count && count < NAMES_MAX; i++) {
        if (scenario->names[i].kind == kind) {
            words[count++] = scenario->names[i].text;
        }
    }
    return count;
}

static uint32_t types_list(
    const kn_scenario *scenario, kn_def_kind kind, const char **words, uint32_t count)
{
    uint32_t types = kn_def_count(scenario->library, kind);
    for (uint32_t i = 1; i <= types && count < NAMES_MAX; i++) {
        words[count++] = kn_def_name(scenario->library, kind, i);
    }
    return count;
}

static bool read_text(kn_scenario *scenario, kni_node node, const char **text)
{
    kn_error error;
    return value_accepted(scenario, kni_node_text(node, text, &error), node, &error);
}

static bool read_name(kn_scenario *scenario, kni_name_kind kind, kni_node node, uint32_t *name)
{
    const char *text;
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    *name = kni_name_find(scenario, kind, text);
    if (*name == 0) {
        const char *words[NAMES_MAX];
        kni_place place = kni_node_place(node);
        kni_scenario_unknown(
            scenario, &place, name_nouns[kind], text, words, names_list(scenario, kind, words, 0));
    }
    return *name != 0;
}

static bool find_type(kn_scenario *scenario, kn_def_kind kind, const kni_place *place,
    const char *text, uint32_t *index1)
{
    if (scenario->library == NULL) {
        *index1 = 1; // errors of the library are reported; the rest of the file is checked
        return true;
    }
    *index1 = kn_def_find(scenario->library, kind, text);
    if (*index1 == 0) {
        const char *words[NAMES_MAX];
        bool is_tag = kind == KN_DEF_TAG && !report_is_full(scenario);
        const char *tag = is_tag ? kn_tag_suggest(scenario->library, text) : NULL;
        uint32_t count = 0;
        if (kind != KN_DEF_TAG) {
            count = types_list(scenario, kind, words, 0);
        } else if (tag != NULL && kni_report_suggest(&tag, 1, text, &words[0])) {
            count = 1;
        }
        kni_scenario_unknown(
            scenario, place, kn_kind_name(scenario->library, kind), text, words, count);
    }
    return *index1 != 0;
}

static bool read_type(kn_scenario *scenario, kn_def_kind kind, kni_node node, uint32_t *index1)
{
    const char *text;
    kni_place place = kni_node_place(node);
    return read_text(scenario, node, &text) && find_type(scenario, kind, &place, text, index1);
}

// A name of the scenario, or a type.
static bool read_thing(kn_scenario *scenario, kni_name_kind name_kind, kn_def_kind kind,
    kni_node node, kni_thing *thing)
{
    const char *text;
    *thing = (kni_thing){0};
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    thing->name = kni_name_find(scenario, name_kind, text);
    thing->type = scenario->library != NULL ? kn_def_find(scenario->library, kind, text) : 1;
    if (thing->name == 0 && thing->type == 0) {
        const char *words[NAMES_MAX];
        kni_place place = kni_node_place(node);
        uint32_t count = names_list(scenario, name_kind, words, 0);
        kni_scenario_unknown(scenario, &place, name_nouns[name_kind], text, words,
            types_list(scenario, kind, words, count));
        return false;
    }
    return true;
}

// Lists ---------------------------------------------------------------------

// The items of a list, or the one thing that stands in place of a list.
typedef struct list_walk {
    kni_children children;
    kni_node single;
    bool is_list;
    uint32_t count;
} list_walk;

static list_walk walk_begin(kni_node node)
{
    list_walk walk = {.single = node};
    walk.is_list = kni_node_kind_of(node) == KNI_NODE_SEQUENCE;
    walk.count = walk.is_list ? kni_node_count(node) : 1;
    if (walk.is_list) {
        walk.children = kni_node_children(node);
    }
    return walk;
}

static bool walk_next(list_walk *walk, kni_node *item)
{
    if (walk->is_list) {
        return kni_children_next(&walk->children, item);
    }
    *item = walk->single;
    walk->single = (kni_node){0};
    return kni_node_exists(*item);
}

static bool read_tags(kn_scenario *scenario, kni_node node, kn_tags *tags)
{
    list_walk walk = walk_begin(node);
    kn_tag *data = scenario_take(scenario, walk.count, sizeof(*data));
    uint32_t count = 0;
    bool ok = data != NULL;
    for (kni_node item; data != NULL && walk_next(&walk, &item); count++) {
        ok &= read_type(scenario, KN_DEF_TAG, item, &data[count].index1);
    }
    *tags = (kn_tags){data, count};
    return ok;
}

static bool read_u32(kn_scenario *scenario, kni_node node, uint32_t max, uint32_t *out)
{
    uint64_t value;
    kn_error error;
    bool ok = value_accepted(scenario, kni_node_u64(node, 0, max, &value, &error), node, &error);
    *out = (uint32_t)value;
    return ok;
}

static bool read_float(kn_scenario *scenario, kni_node node, float *out)
{
    kn_error error;
    return value_accepted(
        scenario, kni_node_f32(node, -FLT_MAX, FLT_MAX, out, &error), node, &error);
}

bool kni_scenario_mapping(kn_scenario *scenario, kni_node node)
{
    if (kni_node_kind_of(node) != KNI_NODE_MAPPING) {
        kni_scenario_error(
            scenario, node, "expected a mapping, but this is %s", kni_node_kind_name(node));
        return false;
    }
    return true;
}

// `[A, B]`, or `{A: 2, B: 0}`.
static bool read_tag_counts(kn_scenario *scenario, kni_node node, kni_tag_amounts *out)
{
    bool is_mapping = kni_node_kind_of(node) == KNI_NODE_MAPPING;
    uint32_t capacity = kni_node_count(node) > 0 ? kni_node_count(node) : 1;
    kni_tag_amount *data = scenario_take(scenario, capacity, sizeof(*data));
    *out = (kni_tag_amounts){data, 0};
    bool ok = data != NULL;
    if (ok && is_mapping) {
        kni_children children = kni_node_children(node);
        for (kni_node child; kni_children_next(&children, &child);) {
            kni_tag_amount *amount = &data[out->count++];
            kni_place place = kni_node_key_place(child);
            amount->has_count = true;
            ok &= find_type(scenario, KN_DEF_TAG, &place, kni_node_key(child), &amount->tag.index1);
            ok &= read_u32(scenario, child, UINT32_MAX, &amount->count);
        }
        return ok;
    }
    list_walk walk = walk_begin(node);
    for (kni_node item; ok && walk_next(&walk, &item);) {
        ok = read_type(scenario, KN_DEF_TAG, item, &data[out->count++].tag.index1);
    }
    return ok;
}

static bool read_types(kn_scenario *scenario, kn_def_kind kind, kni_node node, kni_ids *out)
{
    list_walk walk = walk_begin(node);
    uint32_t *data = scenario_take(scenario, walk.count, sizeof(*data));
    *out = (kni_ids){data, 0};
    bool ok = data != NULL;
    for (kni_node item; data != NULL && walk_next(&walk, &item);) {
        ok &= read_type(scenario, kind, item, &data[out->count++]);
    }
    return ok;
}

bool kni_names_read(kn_scenario *scenario, kni_node node, kni_ids *out)
{
    list_walk walk = walk_begin(node);
    uint32_t *data = scenario_take(scenario, walk.count, sizeof(*data));
    *out = (kni_ids){data, 0};
    bool ok = data != NULL;
    for (kni_node item; data != NULL && walk_next(&walk, &item);) {
        ok &= read_name(scenario, KNI_NAME_ENTITY, item, &data[out->count++]);
    }
    return ok;
}

// `[Dash, Bolt]`, or `{Dash: 2, Bolt: {level: 3, input: 1}}`.
static bool read_levelled(
    kn_scenario *scenario, kn_def_kind kind, kni_node node, kni_levelled_list *out)
{
    bool is_mapping = kni_node_kind_of(node) == KNI_NODE_MAPPING;
    uint32_t capacity = kni_node_count(node) > 0 ? kni_node_count(node) : 1;
    kni_levelled *data = scenario_take(scenario, capacity, sizeof(*data));
    *out = (kni_levelled_list){data, 0};
    bool ok = data != NULL;
    list_walk walk = is_mapping ? (list_walk){.children = kni_node_children(node), .is_list = true}
                                : walk_begin(node);
    for (kni_node item; data != NULL && walk_next(&walk, &item);) {
        kni_levelled *one = &data[out->count++];
        *one = (kni_levelled){.level = 1.0f, .input = KN_INPUT_FROM_DEF};
        if (is_mapping) {
            kni_part part = {.level = one->level, .input = one->input};
            kni_form form = kind == KN_DEF_ABILITY ? KNI_FORM_ABILITY : KNI_FORM_EFFECT;
            kni_place place = kni_node_key_place(item);
            ok &= find_type(scenario, kind, &place, kni_node_key(item), &one->type);
            ok &= kni_node_is_null(item) || kni_part_read(scenario, form, item, &part);
            one->level = part.level;
            one->input = part.input;
        } else {
            ok &= read_type(scenario, kind, item, &one->type);
        }
    }
    return ok;
}

static bool read_caller_values(kn_scenario *scenario, kni_node node, kni_caller_list *out)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    *out = (kni_caller_list){scenario_take(scenario, kni_node_count(node), sizeof(*out->data)), 0};
    bool ok = out->data != NULL;
    kni_children children = kni_node_children(node);
    for (kni_node child; out->data != NULL && kni_children_next(&children, &child);) {
        kn_caller_value *value = &out->data[out->count++];
        kni_place place = kni_node_key_place(child);
        ok &= find_type(scenario, KN_DEF_TAG, &place, kni_node_key(child), &value->tag.index1);
        ok &= read_float(scenario, child, &value->value);
    }
    return ok;
}

static bool read_parameters(kn_scenario *scenario, kni_node node, kni_named_list *out)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    *out = (kni_named_list){scenario_take(scenario, kni_node_count(node), sizeof(*out->data)), 0};
    bool ok = out->data != NULL;
    kni_children children = kni_node_children(node);
    for (kni_node child; out->data != NULL && kni_children_next(&children, &child);) {
        kn_named_value *value = &out->data[out->count++];
        kni_place place = kni_node_key_place(child);
        ok &= find_type(scenario, KN_DEF_NAME, &place, kni_node_key(child), &value->name.index1);
        ok &= read_float(scenario, child, &value->value);
    }
    return ok;
}

// Numbers that are expected --------------------------------------------------

static bool read_bound(
    kn_scenario *scenario, const kni_key_info *key, kni_node node, kni_part *part)
{
    bool yes = true;
    float value = 0.0f;
    if (!read_float(scenario, node, &value)) {
        return false;
    }
    memcpy((uint8_t *)part + key->offset, &value, sizeof(value));
    memcpy((uint8_t *)part + key->kind, &yes, sizeof(yes));
    return true;
}

// `0.01`, or a share: `1%`.
static bool read_amount(kn_scenario *scenario, kni_node node, kni_tolerance *out)
{
    kni_scalar scalar = kni_node_scalar(node);
    size_t length = strlen(scalar.text);
    char text[32];
    *out = (kni_tolerance){.is_given = true};
    out->is_share = length > 1 && length < sizeof(text) && scalar.text[length - 1] == '%';
    if (!out->is_share) {
        return read_float(scenario, node, &out->amount);
    }
    length -= length > 2 && scalar.text[length - 2] == ' ' ? 2 : 1;
    memcpy(text, scalar.text, length);
    text[length] = 0;
    kni_scalar number = {.text = text, .length = (uint32_t)length};
    kn_error error;
    kn_result result = kni_scalar_f32(&number, -FLT_MAX, FLT_MAX, &out->amount, &error);
    out->amount /= 100.0f;
    return value_accepted(scenario, result, node, &error);
}

// By how much a number may differ, or by which share of what is expected.
bool kni_tolerance_read(kn_scenario *scenario, kni_node node, kni_tolerance *out)
{
    if (!read_amount(scenario, node, out)) {
        return false;
    }
    if (out->amount < 0.0f) {
        kni_scenario_error(scenario, node, "a tolerance is 0 or more");
    }
    return out->amount >= 0.0f;
}

bool kni_share_read(kn_scenario *scenario, kni_node node, float *out)
{
    kni_tolerance share;
    *out = 0.0f;
    if (!read_amount(scenario, node, &share)) {
        return false;
    }
    if (share.amount < 0.0f || share.amount > 1.0f) {
        kni_scenario_error(scenario, node, "a share is from 0 %% to 100 %%, but this is %s",
            kni_node_scalar(node).text);
        return false;
    }
    *out = share.amount;
    return true;
}

static bool read_texts(kn_scenario *scenario, kni_node node, kni_texts *out)
{
    list_walk walk = walk_begin(node);
    *out = (kni_texts){scenario_take(scenario, walk.count, sizeof(*out->data)), 0};
    bool ok = out->data != NULL;
    for (kni_node item; out->data != NULL && walk_next(&walk, &item);) {
        ok &= read_text(scenario, item, &out->data[out->count++]);
    }
    return ok;
}

// A number of the section `measure`, which is read before.
static bool read_measure(kn_scenario *scenario, kni_node node, uint32_t *index1)
{
    const char *text;
    const char *words[NAMES_MAX];
    uint32_t count = 0;
    *index1 = 0;
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    for (uint32_t i = 0; i < scenario->measure_count; i++) {
        if (strcmp(scenario->measures[i].name, text) == 0) {
            *index1 = i + 1;
            return true;
        }
        if (count < NAMES_MAX) {
            words[count++] = scenario->measures[i].name;
        }
    }
    kni_place place = kni_node_place(node);
    kni_scenario_unknown(scenario, &place, "measure", text, words, count);
    return false;
}

// An entity; `null`, or `none` if nobody is called so, for nobody.
static bool read_nobody(kn_scenario *scenario, kni_node node, uint32_t *name)
{
    *name = 0;
    return kni_node_is_null(node) ||
           (strcmp(kni_node_scalar(node).text, "none") == 0 &&
               kni_name_find(scenario, KNI_NAME_ENTITY, "none") == 0) ||
           read_name(scenario, KNI_NAME_ENTITY, node, name);
}

// Names and values, or a list; what they are is known when all keys are read.
static bool read_later(kn_scenario *scenario, kni_node node, bool is_list, kni_node *out)
{
    *out = node;
    if (!is_list) {
        return kni_scenario_mapping(scenario, node);
    }
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE) {
        kni_scenario_error(
            scenario, node, "expected a list, but this is %s", kni_node_kind_name(node));
    }
    return kni_node_kind_of(node) == KNI_NODE_SEQUENCE;
}

static bool read_bounds(kn_scenario *scenario, kni_node node, kni_bounds *bounds)
{
    kni_part part = {0};
    bool ok = kni_part_read(scenario, KNI_FORM_BOUNDS, node, &part);
    *bounds = part.bounds;
    return ok;
}

// What was there stays in front: a variant adds to the values of an entity.
static bool read_attributes(
    kn_scenario *scenario, kni_node node, bool are_plain, kni_attribute_list *list)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    uint32_t old = list->count;
    kni_attribute_bounds *data = scenario_take(scenario, old + kni_node_count(node), sizeof(*data));
    if (data == NULL) {
        return false;
    }
    if (old > 0) {
        memcpy(data, list->data, old * sizeof(*data));
    }
    list->data = data;
    bool ok = true;
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_attribute_bounds *one = &data[list->count++];
        kni_place place = kni_node_key_place(child);
        ok &= find_type(
            scenario, KN_DEF_ATTRIBUTE, &place, kni_node_key(child), &one->attribute.index1);
        ok &= are_plain ? read_float(scenario, child, &one->bounds.value)
                        : read_bounds(scenario, child, &one->bounds);
    }
    return ok;
}

// Words ---------------------------------------------------------------------

static char plain_letter(char c)
{
    c = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    return c == '_' || c == '-' ? ' ' : c;
}

bool kni_words_equal(const char *a, const char *b)
{
    while (*a != 0 && plain_letter(*a) == plain_letter(*b)) {
        a++;
        b++;
    }
    return *a == 0 && *b == 0;
}

// A reason that the library of the scenario has registered.
static bool word_is_own(
    const kn_scenario *scenario, kni_word_list list, const char *text, uint32_t *out)
{
    if (list != KNI_WORDS_END_REASON && list != KNI_WORDS_FAIL) {
        return false;
    }
    if (scenario->library == NULL) { // it has mistakes: nothing is looked up
        *out = 0;
        return true;
    }
    if (list == KNI_WORDS_END_REASON) {
        kn_end_reason reason = kn_end_reason_find(scenario->library, text);
        *out = reason != 0 ? (uint32_t)reason : *out;
        return reason != 0;
    }
    uint32_t index1 = kn_def_find(scenario->library, KN_DEF_FAIL, text);
    *out = index1 != 0 ? KN_FAIL_COUNT + index1 - 1 : *out;
    return index1 != 0;
}

bool kni_word_read(kn_scenario *scenario, kni_word_list list, kni_node node, uint32_t *out)
{
    kni_words words;
    const char *text;
    kni_words_of(list, &words);
    *out = words.count;
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    for (uint32_t i = 0; i < words.count; i++) {
        const char *word = words.items[i];
        if (word != NULL && word[0] != 0 && kni_words_equal(word, text)) {
            *out = i;
            return true;
        }
    }
    if (word_is_own(scenario, list, text, out)) {
        return true;
    }
    kni_place place = kni_node_place(node);
    if (list == KNI_WORDS_FAIL || list == KNI_WORDS_REASON || list == KNI_WORDS_END_REASON) {
        unknown_of(scenario, &place, words.what, text, words.items, words.count);
    } else {
        kni_scenario_unknown(scenario, &place, words.what, text, words.items, words.count);
    }
    return false;
}

static bool read_fails(kn_scenario *scenario, kni_node node, uint32_t *fails)
{
    list_walk walk = walk_begin(node);
    *fails = 0;
    bool ok = true;
    for (kni_node item; walk_next(&walk, &item);) {
        uint32_t word;
        bool is_known = kni_word_read(scenario, KNI_WORDS_FAIL, item, &word);
        *fails |= is_known ? UINT32_C(1) << word : 0;
        ok &= is_known;
    }
    return ok;
}

// Others --------------------------------------------------------------------

static bool read_vector(kn_scenario *scenario, kni_node node, kn_vec3 *vector)
{
    float *parts[3] = {&vector->x, &vector->y, &vector->z};
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE || kni_node_count(node) != 3) {
        kni_scenario_error(scenario, node, "expected a list of three numbers [x, y, z]");
        return false;
    }
    bool ok = true;
    uint32_t i = 0;
    kni_children children = kni_node_children(node);
    for (kni_node child; i < 3 && kni_children_next(&children, &child); i++) {
        ok &= read_float(scenario, child, parts[i]);
    }
    return ok;
}

static bool read_query(kn_scenario *scenario, kni_node node, const kn_tag_query **out)
{
    const char *text;
    kn_tag_query *query = scenario_take(scenario, 1, sizeof(*query));
    kn_error error;
    *out = query;
    return query != NULL && read_text(scenario, node, &text) &&
           (scenario->library == NULL ||
               value_accepted(scenario, kn_tag_query_parse(scenario->library, text, query, &error),
                   node, &error));
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hash(kn_scenario *scenario, kni_node node, uint64_t *hash)
{
    const char *text = kni_node_scalar(node).text;
    size_t length = strlen(text);
    bool ok = length > 2 && length <= 18 && text[0] == '0' && text[1] == 'x';
    *hash = 0;
    for (size_t i = 2; ok && i < length; i++) {
        int digit = hex_digit(text[i]);
        ok = digit >= 0;
        *hash = *hash << 4 | (uint64_t)(digit & 15);
    }
    if (!ok) {
        kni_scenario_error(scenario, node, "expected a hash such as 0x1234abcd5678ef90");
    }
    return ok;
}

static bool read_event(kn_scenario *scenario, kni_node node, const kni_part **out)
{
    kni_part *part = scenario_take(scenario, 1, sizeof(*part));
    *out = part;
    return part != NULL && kni_part_read(scenario, KNI_FORM_RECORD, node, part);
}

static bool read_parts(kn_scenario *scenario, kni_node node, kni_part_list *out)
{
    list_walk walk = walk_begin(node);
    if (walk.count == 0 || walk.count > KN_COMMAND_PARTS_MAX) {
        kni_scenario_error(
            scenario, node, "a batch has a list of 1 to %d parts", KN_COMMAND_PARTS_MAX);
        return false;
    }
    *out = (kni_part_list){scenario_take(scenario, walk.count, sizeof(*out->data)), 0};
    bool ok = out->data != NULL;
    for (kni_node item; out->data != NULL && walk_next(&walk, &item);) {
        kni_part *part = &out->data[out->count++];
        ok &= kni_part_read(scenario, KNI_FORM_PART, item, part);
        if (part->command == kn_command_type_batch().index1) {
            kni_scenario_error(scenario, item, "a batch cannot be part of a batch");
            ok = false;
        }
    }
    return ok;
}

// Machines --------------------------------------------------------------------

static bool read_machine(kn_scenario *scenario, kni_node node, uint32_t *machine)
{
    const char *text;
    const char *words[NAMES_MAX] = {"server"};
    uint32_t count = 1;
    *machine = 0;
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    if (scenario->machine_count == 0) {
        kni_scenario_error(
            scenario, node, "`%s` is a machine, which needs a section `machines`", text);
        return false;
    }
    for (uint32_t i = 0; i < scenario->machine_count; i++) {
        if (strcmp(scenario->machine_names[i], text) == 0) {
            *machine = i + 1;
            return true;
        }
        if (count < NAMES_MAX) {
            words[count++] = scenario->machine_names[i];
        }
    }
    if (strcmp(text, "server") == 0) {
        return true;
    }
    kni_place place = kni_node_place(node);
    kni_scenario_unknown(scenario, &place, "machine", text, words, count);
    return false;
}

// A number; between machines the name of a client. Null for nobody.
static bool read_connection(kn_scenario *scenario, kni_node node, kni_part *part)
{
    kni_scalar scalar = kni_node_scalar(node);
    bool is_number = kni_node_kind_of(node) == KNI_NODE_SCALAR && kni_scalar_is_number(&scalar);
    part->controller = 0;
    part->connection = 0;
    if (kni_node_is_null(node)) {
        return true;
    }
    if (scenario->machine_count == 0 && is_number) {
        return read_u32(scenario, node, UINT32_MAX, &part->connection);
    }
    if (is_number) {
        kni_scenario_error(scenario, node,
            "the numbers of connections are given at run time: name a machine, such as `%s`",
            scenario->machine_names[0]);
        return false;
    }
    return read_machine(scenario, node, &part->controller);
}

// What a client counted, with what it has to be.
static bool read_counters(kn_scenario *scenario, kni_node node, kni_counter_list *out)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    *out = (kni_counter_list){scenario_take(scenario, kni_node_count(node), sizeof(*out->data)), 0};
    bool ok = out->data != NULL;
    kni_words words;
    kni_words_of(KNI_WORDS_COUNTER, &words);
    kni_children children = kni_node_children(node);
    for (kni_node child; out->data != NULL && kni_children_next(&children, &child);) {
        kni_counter_bounds *one = &out->data[out->count++];
        uint32_t word = 0;
        while (word < words.count && !kni_words_equal(words.items[word], kni_node_key(child))) {
            word++;
        }
        if (word == words.count) {
            kni_place place = kni_node_key_place(child);
            unknown_of(scenario, &place, words.what, kni_node_key(child), words.items, words.count);
        }
        one->counter = (kni_counter)word;
        ok &= word < words.count && read_bounds(scenario, child, &one->bounds);
    }
    return ok;
}

// `true`, or a list of parts.
static bool read_state_parts(kn_scenario *scenario, kni_node node, uint32_t *parts)
{
    bool all = false;
    kn_error error;
    *parts = 0;
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR && kni_node_bool(node, &all, &error) == KN_OK) {
        if (!all) {
            kni_scenario_error(scenario, node, "expected true, or a list of parts");
        }
        *parts = KN_PARTS_ALL;
        return all;
    }
    list_walk walk = walk_begin(node);
    bool ok = true;
    for (kni_node item; walk_next(&walk, &item);) {
        uint32_t word;
        bool is_known = kni_word_read(scenario, KNI_WORDS_STATE_PART, item, &word);
        *parts |= is_known ? UINT32_C(1) << word : 0;
        ok &= is_known;
    }
    return ok;
}

// Keys ----------------------------------------------------------------------

static bool read_number(kn_scenario *scenario, const kni_key_info *key, kni_node node, void *at)
{
    kn_error error;
    int64_t value = 0;
    switch (key->reader) {
    case KNI_READ_BOOL:
        return value_accepted(scenario, kni_node_bool(node, at, &error), node, &error);
    case KNI_READ_F32:
        return read_float(scenario, node, at);
    case KNI_READ_I32: {
        bool ok = value_accepted(
            scenario, kni_node_i64(node, INT32_MIN, INT32_MAX, &value, &error), node, &error);
        *(int32_t *)at = (int32_t)value;
        return ok;
    }
    case KNI_READ_U32:
        return read_u32(scenario, node, key->kind > 0 ? (uint32_t)key->kind : UINT32_MAX, at);
    case KNI_READ_U64:
        return value_accepted(
            scenario, kni_node_u64(node, 0, UINT64_MAX, at, &error), node, &error);
    default:
        return value_accepted(scenario,
            kni_node_time(node, -KN_TIME_MAX, KN_TIME_INFINITE, at, &error), node, &error);
    }
}

static bool read_as(kn_scenario *scenario, kni_node node, kni_part *part)
{
    const char *text;
    kni_name_kind kind = kni_action_names(kni_verb_name(part->verb));
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    // It was noted before anything was read; only one that is another thing is missing.
    part->as = kni_name_find(scenario, kind, text);
    return part->as != 0;
}

static bool read_key(kn_scenario *scenario, const kni_key_info *key, kni_node node, kni_part *part)
{
    void *at = (uint8_t *)part + key->offset;
    switch (key->reader) {
    case KNI_READ_ABILITY:
        return read_thing(scenario, KNI_NAME_ABILITY, KN_DEF_ABILITY, node, at);
    case KNI_READ_EFFECT:
        return read_thing(scenario, KNI_NAME_EFFECT, KN_DEF_EFFECT, node, at);
    case KNI_READ_AS:
        return read_as(scenario, node, part);
    case KNI_READ_ATTRIBUTES:
    case KNI_READ_VALUES:
        return read_attributes(scenario, node, key->reader == KNI_READ_VALUES, at);
    case KNI_READ_BOUND:
        return read_bound(scenario, key, node, part);
    case KNI_READ_CALLER_VALUES:
        return read_caller_values(scenario, node, at);
    case KNI_READ_CONNECTION:
        return read_connection(scenario, node, part);
    case KNI_READ_COUNTERS:
        return read_counters(scenario, node, at);
    case KNI_READ_MACHINE:
        return read_machine(scenario, node, at);
    case KNI_READ_STATE_PARTS:
        return read_state_parts(scenario, node, at);
    case KNI_READ_EVENT:
        return read_event(scenario, node, at);
    case KNI_READ_FAILS:
        return read_fails(scenario, node, at);
    case KNI_READ_FIELDS:
        return read_later(scenario, node, key->kind != 0, at);
    case KNI_READ_HASH:
        return read_hash(scenario, node, at);
    case KNI_READ_LEVELLED:
        return read_levelled(scenario, (kn_def_kind)key->kind, node, at);
    case KNI_READ_MEASURE:
        return read_measure(scenario, node, at);
    case KNI_READ_NOBODY:
        return read_nobody(scenario, node, at);
    case KNI_READ_RECORDS:
        return read_later(scenario, node, true, at);
    case KNI_READ_TEXTS:
        return read_texts(scenario, node, at);
    case KNI_READ_TOLERANCE:
        return kni_tolerance_read(scenario, node, at);
    case KNI_READ_NAME:
        return read_name(scenario, (kni_name_kind)key->kind, node, at);
    case KNI_READ_NAMES:
        return kni_names_read(scenario, node, at);
    case KNI_READ_PARAMETERS:
        return read_parameters(scenario, node, at);
    case KNI_READ_PARTS:
        return read_parts(scenario, node, at);
    case KNI_READ_QUERY:
        return read_query(scenario, node, at);
    case KNI_READ_TAG_COUNTS:
        return read_tag_counts(scenario, node, at);
    case KNI_READ_TAGS:
        return read_tags(scenario, node, at);
    case KNI_READ_TEXT:
        return read_text(scenario, node, at);
    case KNI_READ_TYPE:
        return read_type(scenario, (kn_def_kind)key->kind, node, at);
    case KNI_READ_TYPES:
        return read_types(scenario, (kn_def_kind)key->kind, node, at);
    case KNI_READ_VECTOR:
        return read_vector(scenario, node, at);
    case KNI_READ_WORD:
        return kni_word_read(scenario, (kni_word_list)key->kind, node, at);
    default:
        return read_number(scenario, key, node, at);
    }
}

// Forms ---------------------------------------------------------------------

kni_name_kind kni_action_names(const char *verb)
{
    uint32_t found = kni_verb_find(verb);
    return found < KNI_VERB_COUNT ? kni_verbs[found].names : KNI_NAME_KIND_COUNT;
}

static void form_unknown(kn_scenario *scenario, const kni_form_info *form, kni_node node)
{
    const char *words[sizeof(form->keys)];
    uint32_t count = 0;
    while (form->keys[count] != KNI_KEYS_END) {
        words[count] = kni_keys[form->keys[count]].name;
        count++;
    }
    char what[64];
    (void)snprintf(what, sizeof(what), "key of `%s` called", form->name);
    kni_place place = kni_node_key_place(node);
    if (form->keys[0] == KNI_KEY_EVENT_TYPE) {
        unknown_of(scenario, &place, what, kni_node_key(node), words, count);
    } else {
        kni_scenario_unknown(scenario, &place, what, kni_node_key(node), words, count);
    }
}

bool kni_key_read(kn_scenario *scenario, uint8_t key, kni_node node, kni_part *part)
{
    if (!read_key(scenario, &kni_keys[key], node, part)) {
        return false;
    }
    part->given[key / 64] |= UINT64_C(1) << (key % 64);
    return true;
}

// Whether the keys are there that are needed.
static bool form_is_whole(
    kn_scenario *scenario, const kni_form_info *form, kni_node node, const kni_part *part)
{
    for (uint32_t i = 0; i < 2; i++) {
        if (form->required[i] != KNI_KEYS_END && !kni_part_has(part, (kni_key)form->required[i])) {
            kni_scenario_error(
                scenario, node, "`%s` needs `%s`", form->name, kni_keys[form->required[i]].name);
            return false;
        }
    }
    char text[192] = "";
    size_t length = 0;
    for (uint32_t i = 0; form->any[i] != KNI_KEYS_END && length < sizeof(text); i++) {
        if (kni_part_has(part, (kni_key)form->any[i])) {
            return true;
        }
        const char *before = i == 0 ? "" : form->any[i + 1] == KNI_KEYS_END ? " or " : ", ";
        int added = snprintf(
            text + length, sizeof(text) - length, "%s`%s`", before, kni_keys[form->any[i]].name);
        length += added > 0 ? (size_t)added : 0;
    }
    if (length > 0) {
        kni_scenario_error(scenario, node, "`%s` needs %s", form->name, text);
    }
    return length == 0;
}

// Plain data, now that it is known what it is of. States of things that only have a name are looked
// at when they are there.
static bool data_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    bool ok = true;
    const kn_library *library = scenario->library;
    bool is_batch = part->verb == KNI_VERB_ISSUE && kni_part_has(part, KNI_KEY_COMMAND) &&
                    part->command == kn_command_type_batch().index1;
    if (library == NULL) { // then nothing is known of kinds
        return true;
    }
    if (kni_part_has(part, KNI_KEY_PARTS) != is_batch) {
        kni_scenario_error(
            scenario, node, is_batch ? "a `batch` needs `parts`" : "only a `batch` has `parts`");
        return false;
    }
    if (kni_part_has(part, KNI_KEY_FIELDS) && part->component > 0) {
        kn_component_type_id type = {part->component};
        const kn_component_def *def = kn_component_get_def(library, type);
        kni_fields_of of = {def->name, def->fields, def->field_count};
        ok &= kni_fields_check(scenario, &of, part->fields);
    }
    if (kni_part_has(part, KNI_KEY_FIELDS) && part->command > 0) {
        const kn_command_def *def = kn_def_get(library, KN_DEF_COMMAND, part->command);
        kni_fields_of of = {def->name, def->fields, def->field_count};
        ok &= kni_fields_check(scenario, &of, part->fields);
    }
    if (kni_part_has(part, KNI_KEY_FIELDS) && kni_part_has(part, KNI_KEY_EVENT_TYPE)) {
        const kn_custom_event_def *def = kn_def_get(library, KN_DEF_CUSTOM_EVENT, part->custom);
        if (def == NULL) {
            kni_scenario_error(scenario, part->fields, "`fields` of an event need `custom`");
            return false;
        }
        kni_fields_of of = {def->name, def->fields, def->field_count};
        ok &= kni_fields_check(scenario, &of, part->fields);
    }
    if (kni_part_has(part, KNI_KEY_STATE) && part->effect.name + part->ability.name == 0) {
        const kn_effect_def *effect = kn_def_get(library, KN_DEF_EFFECT, part->effect.type);
        const kn_ability_def *ability = kn_def_get(library, KN_DEF_ABILITY, part->ability.type);
        const kn_effect_logic_def *logic =
            effect != NULL ? kn_def_get(library, KN_DEF_EFFECT_LOGIC, effect->logic.index1) : NULL;
        kni_fields_of of = {0};
        if (effect != NULL) {
            of.name = effect->name;
            of.fields = logic != NULL ? logic->state_fields : NULL;
            of.count = logic != NULL ? logic->state_field_count : 0;
        } else if (ability != NULL) {
            of = (kni_fields_of){ability->name, ability->state_fields, ability->state_field_count};
        }
        ok &= of.name == NULL || kni_fields_check(scenario, &of, part->state);
    }
    if (kni_part_has(part, KNI_KEY_TARGET_DATA)) {
        ok &= kni_records_check(scenario, part->target_data);
    }
    if (kni_part_has(part, KNI_KEY_CONTEXT) != kni_part_has(part, KNI_KEY_PAYLOAD)) {
        kni_scenario_error(scenario, node, "`context` and `payload` need each other");
        return false;
    }
    if (kni_part_has(part, KNI_KEY_PAYLOAD)) {
        kni_node wrong;
        kn_error error = {0};
        kn_result result =
            kni_payload_read(scenario, NULL, part->context, part->payload, NULL, &wrong, &error);
        ok &= value_accepted(scenario, result, wrong, &error);
    }
    return ok;
}

static bool form_read(
    kn_scenario *scenario, const kni_form_info *form, kni_node node, kni_part *part)
{
    bool ok = true;
    part->bounds.tolerance = scenario->tolerance;
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR && form->scalar != KNI_KEYS_END) {
        return kni_key_read(scenario, form->scalar, node, part);
    }
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint8_t key = kni_form_key(form, kni_node_key(child));
        if (key == KNI_KEYS_END) {
            form_unknown(scenario, form, child);
            ok = false;
        } else {
            ok &= kni_key_read(scenario, key, child, part);
        }
    }
    return ok && form_is_whole(scenario, form, node, part) && data_check(scenario, node, part);
}

bool kni_part_read(kn_scenario *scenario, kni_form form, kni_node node, kni_part *part)
{
    part->place = kni_node_place(node);
    return form_read(scenario, &kni_forms[form], node, part);
}

// The type of an event decides what else can be asked of it: a key that can never match is a
// mistake, above all where the event must not happen.
bool kni_pattern_read(kn_scenario *scenario, kni_pattern_use use, kni_node node, kni_part *part)
{
    part->place = kni_node_place(node);
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    kni_node event = kni_node_get(node, kni_keys[KNI_KEY_EVENT_TYPE].name);
    if (!kni_node_exists(event)) {
        kni_scenario_error(scenario, node, "`event` needs `event`");
        return false;
    }
    uint32_t type;
    if (!kni_word_read(scenario, KNI_WORDS_EVENT_TYPE, event, &type)) {
        return false;
    }
    kni_form_info form = kni_event_form(kni_event_row_of(type), use);
    form.name = kn_event_type_name((kn_event_type)type);
    return form_read(scenario, &form, node, part);
}

// A type needs somebody who has it, which a table of keys cannot say.
static bool action_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    if (part->verb == KNI_VERB_APPLY && part->spec > 0) {
        // What a spec was made with, it has.
        const uint8_t spec[] = {
            KNI_KEY_SPEC, KNI_KEY_TO, KNI_KEY_TIMES, KNI_KEY_AS, KNI_KEY_EXPECT, KNI_KEY_WHY};
        kni_children children = kni_node_children(node);
        for (kni_node child; kni_children_next(&children, &child);) {
            bool found = false;
            for (uint32_t i = 0; i < sizeof(spec); i++) {
                found |= strcmp(kni_keys[spec[i]].name, kni_node_key(child)) == 0;
            }
            if (!found) {
                kni_scenario_key_error(scenario, child,
                    "a spec already has `%s`; use `change_spec` to change it", kni_node_key(child));
                return false;
            }
        }
    }
    bool has_remaining = kni_part_has(part, KNI_KEY_REMAINING);
    if (part->verb == KNI_VERB_RESCHEDULE && has_remaining == kni_part_has(part, KNI_KEY_ADD)) {
        kni_scenario_error(scenario, node, "`reschedule` needs either `remaining` or `add`");
        return false;
    }
    bool is_named = part->effect.name > 0 || part->ability.name > 0 || part->activation > 0;
    bool may_lack = part->verb == KNI_VERB_START_TIMER || part->verb == KNI_VERB_GRANT;
    bool needs_entity =
        kni_form_key(&kni_verbs[part->verb], "entity") != KNI_KEYS_END && !is_named && !may_lack;
    if (needs_entity && !kni_part_has(part, KNI_KEY_ENTITY)) {
        kni_scenario_error(scenario, node, "`%s` needs `entity`", kni_verb_name(part->verb));
        return false;
    }
    return true;
}

// An effect that says what it takes takes nothing else.
static bool parameters_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    const kn_effect_def *def = scenario->library != NULL && part->effect.type > 0
                                   ? kn_def_get(scenario->library, KN_DEF_EFFECT, part->effect.type)
                                   : NULL;
    const char *words[64];
    uint32_t count = 0;
    for (uint32_t i = 0; def != NULL && i < def->parameter_count && i < 64; i++) {
        words[count++] = kn_name_text(scenario->library, def->parameters[i].name);
    }
    bool ok = true;
    kni_children children = kni_node_children(kni_node_get(node, "parameters"));
    for (kni_node child; count > 0 && kni_children_next(&children, &child);) {
        bool is_known = false;
        for (uint32_t i = 0; i < count; i++) {
            is_known |= strcmp(words[i], kni_node_key(child)) == 0;
        }
        if (!is_known) {
            char what[KN_TAG_NAME_MAX + 32];
            kni_place place = kni_node_key_place(child);
            (void)snprintf(what, sizeof(what), "parameter of `%s` called", def->name);
            kni_scenario_unknown(scenario, &place, what, kni_node_key(child), words, count);
            ok = false;
        }
    }
    return ok;
}

bool kni_action_read(kn_scenario *scenario, uint32_t verb, kni_node node, kni_part *part)
{
    *part = (kni_part){.place = kni_node_key_place(node), .verb = verb};
    if (verb == KNI_VERB_NETWORK) {
        return kni_links_read(scenario, node, part);
    }
    return form_read(scenario, &kni_verbs[verb], node, part) &&
           action_check(scenario, node, part) && parameters_check(scenario, node, part);
}

bool kni_part_add(kn_scenario *scenario, kni_parts *parts, const kni_part *part)
{
    if (!kn_memory_grow(&scenario->def.hooks, &parts->data, &parts->capacity, parts->count + 1,
            sizeof(*part))) {
        scenario->no_memory = true;
        return false;
    }
    parts->data[parts->count++] = *part;
    return true;
}
