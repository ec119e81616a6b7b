// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Parts from nodes. One table has the keys, one the forms: which keys a part may have.

#include "scenario_types.h"
#include "shapes.h"

#include <float.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define WORDS_MAX 256    // that a suggestion is looked for among
#define ALL_WORDS_MAX 10 // that a message lists
#define KEYS_END 255
#define NO_FLAG SIZE_MAX
#define TIMES_MAX 10000 // one action

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

void kni_scenario_unknown(kn_scenario *scenario, const kni_place *place, const char *what,
    const char *word, const char *const *words, uint32_t count)
{
    const char *nearest;
    if (kni_report_suggest(words, count, word, &nearest)) {
        kni_report_add(scenario->report, KNI_SEVERITY_ERROR, place,
            "there is no %s `%s`; did you mean `%s`?", what, word, nearest);
        return;
    }
    // A few words are easily told all.
    char all[240] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < count && count <= ALL_WORDS_MAX && length < sizeof(all); i++) {
        if (words[i] != NULL && words[i][0] != 0) {
            int added = snprintf(all + length, sizeof(all) - length, "%s%s",
                length > 0 ? ", " : "; known are: ", words[i]);
            length += added > 0 ? (size_t)added : 0;
        }
    }
    kni_report_add(scenario->report, KNI_SEVERITY_ERROR, place, "there is no %s `%s`%s", what, word,
        length < sizeof(all) ? all : "");
}

static bool told(kn_scenario *scenario, kn_result result, kni_node node, const kn_error *error)
{
    if (result != KN_OK) {
        kni_scenario_error(scenario, node, "%s", error->message);
    }
    return result == KN_OK;
}

static void *take(kn_scenario *scenario, size_t count, size_t size)
{
    return kni_arena_take(&scenario->arena, (count > 0 ? count : 1) * size);
}

// Names ---------------------------------------------------------------------

static const char *const name_nouns[KNI_NAME_KIND_COUNT] = {
    "entity", "effect", "spec", "ability", "activation"};

uint32_t kni_name_find(const kn_scenario *scenario, kni_name_kind kind, const char *text)
{
    for (uint32_t i = 0; i < scenario->name_count; i++) {
        if (scenario->names[i].kind == kind && strcmp(scenario->names[i].text, text) == 0) {
            return i + 1;
        }
    }
    return 0;
}

static uint32_t names_list(
    const kn_scenario *scenario, kni_name_kind kind, const char **words, uint32_t count)
{
    for (uint32_t i = 0; i < scenario->name_count && count < WORDS_MAX; i++) {
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
    for (uint32_t i = 1; i <= types && count < WORDS_MAX; i++) {
        words[count++] = kn_def_name(scenario->library, kind, i);
    }
    return count;
}

static bool read_text(kn_scenario *scenario, kni_node node, const char **text)
{
    kn_error error;
    return told(scenario, kni_node_text(node, text, &error), node, &error);
}

static bool read_name(kn_scenario *scenario, kni_name_kind kind, kni_node node, uint32_t *name)
{
    const char *text;
    if (!read_text(scenario, node, &text)) {
        return false;
    }
    *name = kni_name_find(scenario, kind, text);
    if (*name == 0) {
        const char *words[WORDS_MAX];
        kni_place place = kni_node_place(node);
        kni_scenario_unknown(
            scenario, &place, name_nouns[kind], text, words, names_list(scenario, kind, words, 0));
    }
    return *name != 0;
}

static bool find_type(kn_scenario *scenario, kn_def_kind kind, const kni_place *place,
    const char *text, uint32_t *index1)
{
    *index1 = kn_def_find(scenario->library, kind, text);
    if (*index1 == 0) {
        const char *words[WORDS_MAX];
        const char *tag = kind == KN_DEF_TAG ? kn_tag_suggest(scenario->library, text) : NULL;
        words[0] = tag;
        uint32_t count = tag != NULL ? 1 : types_list(scenario, kind, words, 0);
        kni_scenario_unknown(scenario, place, kn_def_kind_name(kind), text, words, count);
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
    thing->type = kn_def_find(scenario->library, kind, text);
    if (thing->name == 0 && thing->type == 0) {
        const char *words[WORDS_MAX];
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
    kn_tag *data = take(scenario, walk.count, sizeof(*data));
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
    bool ok = told(scenario, kni_node_u64(node, 0, max, &value, &error), node, &error);
    *out = (uint32_t)value;
    return ok;
}

static bool read_float(kn_scenario *scenario, kni_node node, float *out)
{
    kn_error error;
    return told(scenario, kni_node_f32(node, -FLT_MAX, FLT_MAX, out, &error), node, &error);
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
    kni_tag_amount *data = take(scenario, capacity, sizeof(*data));
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
    uint32_t *data = take(scenario, walk.count, sizeof(*data));
    *out = (kni_ids){data, 0};
    bool ok = data != NULL;
    for (kni_node item; data != NULL && walk_next(&walk, &item);) {
        ok &= read_type(scenario, kind, item, &data[out->count++]);
    }
    return ok;
}

static bool read_names(kn_scenario *scenario, kni_node node, kni_ids *out)
{
    list_walk walk = walk_begin(node);
    uint32_t *data = take(scenario, walk.count, sizeof(*data));
    *out = (kni_ids){data, 0};
    bool ok = data != NULL;
    for (kni_node item; data != NULL && walk_next(&walk, &item);) {
        ok &= read_name(scenario, KNI_NAME_ENTITY, item, &data[out->count++]);
    }
    return ok;
}

static bool read_levelled_fields(kn_scenario *scenario, kni_node node, kni_levelled *out)
{
    static const char *const words[] = {"level", "input"};
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR) {
        return kni_node_is_null(node) || read_float(scenario, node, &out->level);
    }
    bool ok = kni_scenario_mapping(scenario, node);
    kni_children children = kni_node_children(node);
    for (kni_node child; ok && kni_children_next(&children, &child);) {
        if (strcmp(kni_node_key(child), "level") == 0) {
            ok = read_float(scenario, child, &out->level);
        } else if (strcmp(kni_node_key(child), "input") == 0) {
            ok = read_u32(scenario, child, UINT32_MAX - 1, &out->input);
        } else {
            kni_place place = kni_node_key_place(child);
            kni_scenario_unknown(scenario, &place, "key", kni_node_key(child), words, 2);
            ok = false;
        }
    }
    return ok;
}

// `[Dash, Bolt]`, or `{Dash: 2, Bolt: {level: 3, input: 1}}`.
static bool read_levelled(
    kn_scenario *scenario, kn_def_kind kind, kni_node node, kni_levelled_list *out)
{
    bool is_mapping = kni_node_kind_of(node) == KNI_NODE_MAPPING;
    uint32_t capacity = kni_node_count(node) > 0 ? kni_node_count(node) : 1;
    kni_levelled *data = take(scenario, capacity, sizeof(*data));
    *out = (kni_levelled_list){data, 0};
    bool ok = data != NULL;
    list_walk walk = is_mapping ? (list_walk){.children = kni_node_children(node), .is_list = true}
                                : walk_begin(node);
    for (kni_node item; data != NULL && walk_next(&walk, &item);) {
        kni_levelled *one = &data[out->count++];
        *one = (kni_levelled){.level = 1.0f, .input = KN_INPUT_FROM_DEF};
        if (is_mapping) {
            kni_place place = kni_node_key_place(item);
            ok &= find_type(scenario, kind, &place, kni_node_key(item), &one->type);
            ok &= read_levelled_fields(scenario, item, one);
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
    *out = (kni_caller_list){take(scenario, kni_node_count(node), sizeof(*out->data)), 0};
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
    *out = (kni_named_list){take(scenario, kni_node_count(node), sizeof(*out->data)), 0};
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

static const struct bound_key {
    const char *name;
    size_t value;
    size_t has;
} bound_keys[] = {
    {"value", offsetof(kni_bounds, value), offsetof(kni_bounds, has_value)},
    {"base", offsetof(kni_bounds, base), offsetof(kni_bounds, has_base)},
    {"above", offsetof(kni_bounds, above), offsetof(kni_bounds, has_above)},
    {"below", offsetof(kni_bounds, below), offsetof(kni_bounds, has_below)},
    {"at_least", offsetof(kni_bounds, least), offsetof(kni_bounds, has_least)},
    {"at_most", offsetof(kni_bounds, most), offsetof(kni_bounds, has_most)},
    {"tolerance", offsetof(kni_bounds, tolerance), NO_FLAG},
};
#define BOUND_KEYS (sizeof(bound_keys) / sizeof(*bound_keys))

static bool read_bound(
    kn_scenario *scenario, const char *key, kni_node node, kni_bounds *bounds, bool *known)
{
    for (uint32_t i = 0; i < BOUND_KEYS; i++) {
        if (strcmp(bound_keys[i].name, key) == 0) {
            bool yes = true;
            uint8_t *at = (uint8_t *)bounds;
            float value = 0.0f;
            *known = true;
            if (!read_float(scenario, node, &value)) {
                return false;
            }
            memcpy(at + bound_keys[i].value, &value, sizeof(value));
            if (bound_keys[i].has != NO_FLAG) {
                memcpy(at + bound_keys[i].has, &yes, sizeof(yes));
            } else if (value < 0.0f) {
                kni_scenario_error(scenario, node, "a tolerance is 0 or more");
                return false;
            }
            return true;
        }
    }
    *known = false;
    return false;
}

static bool read_bounds(kn_scenario *scenario, kni_node node, kni_bounds *bounds)
{
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR) {
        bounds->has_value = true;
        return read_float(scenario, node, &bounds->value);
    }
    bool ok = kni_scenario_mapping(scenario, node);
    kni_children children = kni_node_children(node);
    for (kni_node child; ok && kni_children_next(&children, &child);) {
        bool known;
        ok = read_bound(scenario, kni_node_key(child), child, bounds, &known);
        if (!known) {
            const char *words[BOUND_KEYS];
            for (uint32_t i = 0; i < BOUND_KEYS; i++) {
                words[i] = bound_keys[i].name;
            }
            kni_place place = kni_node_key_place(child);
            kni_scenario_unknown(scenario, &place, "key", kni_node_key(child), words, BOUND_KEYS);
        }
    }
    return ok;
}

// What was there stays in front: a variant adds to the values of an entity.
static bool read_attributes(kn_scenario *scenario, kni_node node, kni_attribute_list *list)
{
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    uint32_t old = list->count;
    kni_attribute_bounds *data = take(scenario, old + kni_node_count(node), sizeof(*data));
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
        ok &= read_bounds(scenario, child, &one->bounds);
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

const char *kni_result_word(kn_result result, char *text, size_t size)
{
    static const char *const prefixes[] = {"KN_REFUSED_", "KN_ERROR_", "KN_"};
    const char *name = kn_result_name(result);
    for (uint32_t i = 0; i < 3; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0) {
            name += length;
            break;
        }
    }
    size_t at = 0;
    for (; name[at] != 0 && at + 1 < size; at++) {
        char c = name[at];
        text[at] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    text[at] = 0;
    return text;
}

// The word of a list that a node has; `count` for none.
static uint32_t word_of(kn_scenario *scenario, kni_node node, const char *what,
    const char *const *words, uint32_t count)
{
    const char *text;
    if (!read_text(scenario, node, &text)) {
        return count;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] != NULL && words[i][0] != 0 && kni_words_equal(words[i], text)) {
            return i;
        }
    }
    kni_place place = kni_node_place(node);
    kni_scenario_unknown(scenario, &place, what, text, words, count);
    return count;
}

typedef enum word_list {
    WORDS_COMMIT,
    WORDS_CUE_ACTION,
    WORDS_EVENT_TYPE,
    WORDS_ORIGIN,
    WORDS_REMOVAL,
    WORDS_TAKE,
} word_list;

static bool read_word(kn_scenario *scenario, word_list list, kni_node node, uint32_t *out)
{
    static const char *const commit[] = {"all", "cost", "cooldown"};
    static const char *const cue[] = {"added", "executed", "updated", "removed"};
    static const char *const origin[] = {"loose", "synced", NULL, "minimal", "ability"};
    static const char *const removal[] = {"cancel", "after_end", "keep"};
    static const char *const takes[KNI_TAKE_KINDS] = {
        "value", "base", "lost", "gained", "lowest", "highest", "count", "sum", "first", "last"};
    const char *events[KN_EVENT_TYPE_COUNT];
    for (uint32_t i = 0; i < KN_EVENT_TYPE_COUNT; i++) {
        events[i] = kn_event_type_name((kn_event_type)i);
    }
    const struct {
        const char *what;
        const char *const *words;
        uint32_t count;
    } lists[] = {{"part of a commit", commit, 3}, {"action of a cue", cue, 4},
        {"type of event", events, KN_EVENT_TYPE_COUNT}, {"origin of tags", origin, 5},
        {"way to remove an ability", removal, 3}, {"number to take", takes, KNI_TAKE_KINDS}};
    *out = word_of(scenario, node, lists[list].what, lists[list].words, lists[list].count);
    return *out < lists[list].count;
}

static bool read_result(kn_scenario *scenario, kni_node node, kn_result *result)
{
    char texts[KN_RESULT_COUNT][32];
    const char *words[KN_RESULT_COUNT];
    for (uint32_t i = 0; i < KN_RESULT_COUNT; i++) {
        words[i] = kni_result_word((kn_result)i, texts[i], sizeof(texts[i]));
    }
    uint32_t word = word_of(scenario, node, "result", words, KN_RESULT_COUNT);
    *result = (kn_result)word;
    return word < KN_RESULT_COUNT;
}

// Why an effect, or an activation, ended.
static bool read_reason(kn_scenario *scenario, kni_node node, kni_part *part)
{
    const char *words[(uint32_t)KN_REMOVAL_REASON_COUNT + (uint32_t)KN_END_REASON_COUNT];
    for (uint32_t i = 0; i < KN_REMOVAL_REASON_COUNT; i++) {
        words[i] = kn_removal_reason_name((kn_removal_reason)i);
    }
    for (uint32_t i = 0; i < KN_END_REASON_COUNT; i++) {
        words[(uint32_t)KN_REMOVAL_REASON_COUNT + i] = kn_end_reason_name((kn_end_reason)i);
    }
    uint32_t all = (uint32_t)KN_REMOVAL_REASON_COUNT + (uint32_t)KN_END_REASON_COUNT;
    uint32_t word = word_of(scenario, node, "reason", words, all);
    bool of_effect = word < KN_REMOVAL_REASON_COUNT;
    part->reason = of_effect ? word : 0;
    part->end_reason = of_effect || word == all ? 0 : word - (uint32_t)KN_REMOVAL_REASON_COUNT;
    return word < all;
}

static bool read_fails(kn_scenario *scenario, kni_node node, uint32_t *fails)
{
    list_walk walk = walk_begin(node);
    *fails = 0;
    bool ok = true;
    for (kni_node item; walk_next(&walk, &item);) {
        uint32_t word = word_of(scenario, item, "reason", kni_fail_words, KN_FAIL_COUNT);
        ok &= word < KN_FAIL_COUNT;
        *fails |= word < KN_FAIL_COUNT ? UINT32_C(1) << word : 0;
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
    kn_tag_query *query = take(scenario, 1, sizeof(*query));
    kn_error error;
    *out = query;
    return query != NULL && read_text(scenario, node, &text) &&
           told(scenario, kn_tag_query_parse(scenario->library, text, query, &error), node, &error);
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool kni_hash_read(kn_scenario *scenario, kni_node node, uint64_t *hash)
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
    kni_part *part = take(scenario, 1, sizeof(*part));
    *out = part;
    return part != NULL && kni_part_read(scenario, KNI_FORM_RECORD, node, part);
}

// Keys ----------------------------------------------------------------------

typedef enum key_reader {
    READ_ABILITY, // a thing
    READ_ATTRIBUTES,
    READ_BOOL,
    READ_BOUND,
    READ_CALLER_VALUES,
    READ_EFFECT, // a thing
    READ_EVENT,
    READ_F32,
    READ_FAILS,
    READ_I32,
    READ_LEVELLED, // of a kind
    READ_NAME,     // of a kind
    READ_NAMES,
    READ_PARAMETERS,
    READ_QUERY,
    READ_REASON,
    READ_RESULT,
    READ_TAG_COUNTS,
    READ_TAGS,
    READ_TEXT,
    READ_TIME,
    READ_TYPE,  // of a kind
    READ_TYPES, // of a kind
    READ_U32,
    READ_U64,
    READ_VECTOR,
    READ_WORD, // of a list
} key_reader;

typedef struct key_info {
    const char *name;
    key_reader reader;
    size_t offset;
    uint32_t kind; // of names, types or words; the most that a number may be
} key_info;

#define AT(field) offsetof(kni_part, field)

static const key_info keys[KNI_KEY_COUNT_OF_KEYS] = {
    [KNI_KEY_ABILITIES] = {"abilities", READ_LEVELLED, AT(abilities), KN_DEF_ABILITY},
    [KNI_KEY_ABILITY] = {"ability", READ_ABILITY, AT(ability), 0},
    [KNI_KEY_ABILITY_SET] = {"set", READ_TYPE, AT(ability_set), KN_DEF_ABILITY_SET},
    [KNI_KEY_ABILITY_TAGS] = {"ability_tags", READ_TAGS, AT(ability_tags), 0},
    [KNI_KEY_ABILITY_TYPE] = {"ability", READ_TYPE, AT(ability.type), KN_DEF_ABILITY},
    [KNI_KEY_ABOVE] = {"above", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_ACTION] = {"action", READ_WORD, AT(cue_action), WORDS_CUE_ACTION},
    [KNI_KEY_ACTIVATION] = {"activation", READ_NAME, AT(activation), KNI_NAME_ACTIVATION},
    [KNI_KEY_ACTIVE] = {"active", READ_BOOL, AT(active), 0},
    [KNI_KEY_ADD] = {"add", READ_TIME, AT(add), 0},
    [KNI_KEY_ADD_CHARGES] = {"charges", READ_I32, AT(add_charges), 0},
    [KNI_KEY_ALIVE] = {"alive", READ_BOOL, AT(alive), 0},
    [KNI_KEY_ARCHETYPE] = {"archetype", READ_TYPE, AT(archetype), KN_DEF_ARCHETYPE},
    [KNI_KEY_AS] = {"as", READ_TEXT, 0, 0},
    [KNI_KEY_ASSET_TAGS] = {"asset_tags", READ_TAGS, AT(asset_tags), 0},
    [KNI_KEY_AT] = {"at", READ_TIME, AT(at), 0},
    [KNI_KEY_AT_LEAST] = {"at_least", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_AT_MOST] = {"at_most", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_ATTRIBUTE] = {"attribute", READ_TYPE, AT(attribute), KN_DEF_ATTRIBUTE},
    [KNI_KEY_ATTRIBUTES] = {"attributes", READ_ATTRIBUTES, AT(attributes), 0},
    [KNI_KEY_AVATAR] = {"avatar", READ_NAME, AT(avatar), KNI_NAME_ENTITY},
    [KNI_KEY_BASE] = {"base", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_BELOW] = {"below", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_CALLER_VALUES] = {"caller_values", READ_CALLER_VALUES, AT(caller_values), 0},
    [KNI_KEY_CANCEL] = {"cancel", READ_U32, AT(cancel), 0},
    [KNI_KEY_CAP] = {"cap", READ_TIME, AT(cap), 0},
    [KNI_KEY_CAUSER] = {"causer", READ_NAME, AT(causer), KNI_NAME_ENTITY},
    [KNI_KEY_CHARGES] = {"charges", READ_U32, AT(charges), 0},
    [KNI_KEY_CONFIRM] = {"confirm", READ_U32, AT(confirm), 0},
    [KNI_KEY_CONNECTION] = {"connection", READ_U32, AT(connection), 0},
    [KNI_KEY_CONTAINER] = {"container", READ_TYPE, AT(container), KN_DEF_CONTAINER},
    [KNI_KEY_COOLDOWN] = {"cooldown", READ_TIME, AT(cooldown), 0},
    [KNI_KEY_COOLDOWN_KEY] = {"cooldown_key", READ_TYPE, AT(cooldown_key), KN_DEF_TAG},
    [KNI_KEY_COOLDOWN_TAGS] = {"cooldown_tags", READ_TAGS, AT(cooldown_tags), 0},
    [KNI_KEY_COUNT] = {"count", READ_U32, AT(count), 0},
    [KNI_KEY_CUE] = {"cue", READ_TYPE, AT(cue), KN_DEF_TAG},
    [KNI_KEY_DURATION] = {"duration", READ_TIME, AT(duration), 0},
    [KNI_KEY_EFFECT] = {"effect", READ_EFFECT, AT(effect), 0},
    [KNI_KEY_EFFECTS] = {"effects", READ_LEVELLED, AT(effects), KN_DEF_EFFECT},
    [KNI_KEY_EFFECT_COUNT] = {"effects", READ_U32, AT(effect_count), 0},
    [KNI_KEY_EFFECT_TYPE] = {"effect", READ_TYPE, AT(effect.type), KN_DEF_EFFECT},
    [KNI_KEY_ENTITY] = {"entity", READ_NAME, AT(entity), KNI_NAME_ENTITY},
    [KNI_KEY_ERROR] = {"error", READ_RESULT, AT(error), 0},
    [KNI_KEY_EVENT] = {"event", READ_EVENT, AT(event), 0},
    [KNI_KEY_EVENT_TYPE] = {"event", READ_WORD, AT(event_type), WORDS_EVENT_TYPE},
    [KNI_KEY_EXACT_TAGS] = {"exact_tags", READ_TAG_COUNTS, AT(exact_tags), 0},
    [KNI_KEY_EXECUTE] = {"execute", READ_BOOL, AT(execute), 0},
    [KNI_KEY_EXECUTIONS] = {"executions", READ_U32, AT(executions), 0},
    [KNI_KEY_EXISTS] = {"exists", READ_BOOL, AT(exists), 0},
    [KNI_KEY_EXPECT] = {"expect", READ_RESULT, AT(result), 0},
    [KNI_KEY_FACING] = {"facing", READ_VECTOR, AT(facing), 0},
    [KNI_KEY_FACTOR] = {"factor", READ_F32, AT(factor), 0},
    [KNI_KEY_FLOOR] = {"floor", READ_TIME, AT(floor), 0},
    [KNI_KEY_FROM] = {"from", READ_NAME, AT(from), KNI_NAME_ENTITY},
    [KNI_KEY_GRANTED] = {"granted", READ_BOOL, AT(granted), 0},
    [KNI_KEY_GRANTED_TAGS] = {"granted_tags", READ_TAGS, AT(granted_tags), 0},
    [KNI_KEY_GROUP] = {"group", READ_TEXT, AT(group), 0},
    [KNI_KEY_HAPPENED] = {"happened", READ_U32, AT(happened), 0},
    [KNI_KEY_IGNORE_GATES] = {"ignore_gates", READ_BOOL, AT(ignore_gates), 0},
    [KNI_KEY_INHIBITED] = {"inhibited", READ_BOOL, AT(inhibited), 0},
    [KNI_KEY_INPUT] = {"input", READ_U32, AT(input), 0},
    [KNI_KEY_INSTIGATOR] = {"instigator", READ_NAME, AT(instigator), KNI_NAME_ENTITY},
    [KNI_KEY_KEY] = {"key", READ_U32, AT(key), 0},
    [KNI_KEY_KIND] = {"kind", READ_TYPE, AT(kind), KN_DEF_EVENT_KIND},
    [KNI_KEY_LEVEL] = {"level", READ_F32, AT(level), 0},
    [KNI_KEY_MAGNITUDE] = {"magnitude", READ_F32, AT(magnitude), 0},
    [KNI_KEY_MEETS_TAGS] = {"meets_tags", READ_BOOL, AT(meets_tags), 0},
    [KNI_KEY_MODE] = {"mode", READ_U32, AT(mode), 0},
    [KNI_KEY_NO_TAGS] = {"no_tags", READ_TAGS, AT(no_tags), 0},
    [KNI_KEY_OBJECT] = {"object", READ_U64, AT(object), 0},
    [KNI_KEY_OLD] = {"old", READ_F32, AT(old), 0},
    [KNI_KEY_OLD_COUNT] = {"old_count", READ_U32, AT(old_count), 0},
    [KNI_KEY_ON] = {"on", READ_BOOL, AT(on), 0},
    [KNI_KEY_ORIGIN] = {"origin", READ_WORD, AT(origin), WORDS_ORIGIN},
    [KNI_KEY_OTHER] = {"other", READ_NAME, AT(other), KNI_NAME_ENTITY},
    [KNI_KEY_OUTCOME] = {"outcome", READ_F32, AT(outcome), 0},
    [KNI_KEY_OWNER] = {"owner", READ_NAME, AT(owner), KNI_NAME_ENTITY},
    [KNI_KEY_PARAMETERS] = {"parameters", READ_PARAMETERS, AT(parameters), 0},
    [KNI_KEY_PARENT] = {"parent", READ_NAME, AT(parent), KNI_NAME_ENTITY},
    [KNI_KEY_PART] = {"part", READ_WORD, AT(commit_part), WORDS_COMMIT},
    [KNI_KEY_PER_SECOND] = {"per_second", READ_BOOL, AT(per_second), 0},
    [KNI_KEY_PERIOD] = {"period", READ_TIME, AT(period), 0},
    [KNI_KEY_POSITION] = {"position", READ_VECTOR, AT(position), 0},
    [KNI_KEY_QUERY] = {"query", READ_QUERY, AT(query), 0},
    [KNI_KEY_RADIUS] = {"radius", READ_F32, AT(radius), 0},
    [KNI_KEY_READY] = {"ready", READ_BOOL, AT(ready), 0},
    [KNI_KEY_REASON] = {"reason", READ_REASON, 0, 0},
    [KNI_KEY_REFRESH] = {"refresh", READ_BOOL, AT(refresh), 0},
    [KNI_KEY_REFUSED] = {"refused", READ_FAILS, AT(refused), 0},
    [KNI_KEY_REMAINING] = {"remaining", READ_TIME, AT(remaining), 0},
    [KNI_KEY_REMOVAL] = {"removal", READ_WORD, AT(removal), WORDS_REMOVAL},
    [KNI_KEY_RESET] = {"reset", READ_BOOL, AT(reset), 0},
    [KNI_KEY_RESTART] = {"restart", READ_TIME, AT(restart), 0},
    [KNI_KEY_SETS] = {"sets", READ_TYPES, AT(sets), KN_DEF_ATTRIBUTE_SET},
    [KNI_KEY_SHARE] = {"share", READ_F32, AT(share), 0},
    [KNI_KEY_SHARED] = {"shared", READ_BOOL, AT(shared), 0},
    [KNI_KEY_SPEC] = {"spec", READ_NAME, AT(spec), KNI_NAME_SPEC},
    [KNI_KEY_STACKS] = {"stacks", READ_U32, AT(stacks), 0},
    [KNI_KEY_TAG] = {"tag", READ_TYPE, AT(tag), KN_DEF_TAG},
    [KNI_KEY_TAG_COUNTS] = {"tags", READ_TAG_COUNTS, AT(tag_counts), 0},
    [KNI_KEY_TAGS] = {"tags", READ_TAGS, AT(tags), 0},
    [KNI_KEY_TAKE] = {"take", READ_WORD, AT(take), WORDS_TAKE},
    [KNI_KEY_TARGET] = {"target", READ_NAME, AT(target), KNI_NAME_ENTITY},
    [KNI_KEY_TARGETS] = {"targets", READ_NAMES, AT(targets), 0},
    [KNI_KEY_TIMES] = {"times", READ_U32, AT(times), TIMES_MAX},
    [KNI_KEY_TO] = {"to", READ_NAME, AT(to), KNI_NAME_ENTITY},
    [KNI_KEY_TOLERANCE] = {"tolerance", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_TOTAL] = {"total", READ_TIME, AT(total), 0},
    [KNI_KEY_TRANSIENT] = {"transient", READ_TYPE, AT(transient), KN_DEF_VALUE},
    [KNI_KEY_VALUE] = {"value", READ_BOUND, AT(bounds), 0},
    [KNI_KEY_WITHOUT] = {"without", READ_TAGS, AT(without), 0},
};

static bool read_number(kn_scenario *scenario, const key_info *key, kni_node node, void *at)
{
    kn_error error;
    int64_t value = 0;
    switch (key->reader) {
    case READ_BOOL:
        return told(scenario, kni_node_bool(node, at, &error), node, &error);
    case READ_F32:
        return read_float(scenario, node, at);
    case READ_I32: {
        bool ok =
            told(scenario, kni_node_i64(node, INT32_MIN, INT32_MAX, &value, &error), node, &error);
        *(int32_t *)at = (int32_t)value;
        return ok;
    }
    case READ_U32:
        return read_u32(scenario, node, key->kind > 0 ? key->kind : UINT32_MAX, at);
    case READ_U64:
        return told(scenario, kni_node_u64(node, 0, UINT64_MAX, at, &error), node, &error);
    default:
        return told(scenario, kni_node_time(node, -KN_TIME_MAX, KN_TIME_INFINITE, at, &error), node,
            &error);
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

static bool read_key(kn_scenario *scenario, const key_info *key, kni_node node, kni_part *part)
{
    void *at = (uint8_t *)part + key->offset;
    bool known;
    switch (key->reader) {
    case READ_ABILITY:
        return read_thing(scenario, KNI_NAME_ABILITY, KN_DEF_ABILITY, node, at);
    case READ_EFFECT:
        return read_thing(scenario, KNI_NAME_EFFECT, KN_DEF_EFFECT, node, at);
    case READ_ATTRIBUTES:
        return read_attributes(scenario, node, at);
    case READ_BOUND:
        return read_bound(scenario, key->name, node, at, &known);
    case READ_CALLER_VALUES:
        return read_caller_values(scenario, node, at);
    case READ_EVENT:
        return read_event(scenario, node, at);
    case READ_FAILS:
        return read_fails(scenario, node, at);
    case READ_LEVELLED:
        return read_levelled(scenario, (kn_def_kind)key->kind, node, at);
    case READ_NAME:
        return read_name(scenario, (kni_name_kind)key->kind, node, at);
    case READ_NAMES:
        return read_names(scenario, node, at);
    case READ_PARAMETERS:
        return read_parameters(scenario, node, at);
    case READ_QUERY:
        return read_query(scenario, node, at);
    case READ_REASON:
        return read_reason(scenario, node, part);
    case READ_RESULT:
        return read_result(scenario, node, at);
    case READ_TAG_COUNTS:
        return read_tag_counts(scenario, node, at);
    case READ_TAGS:
        return read_tags(scenario, node, at);
    case READ_TEXT:
        return key->offset == 0 ? read_as(scenario, node, part) : read_text(scenario, node, at);
    case READ_TYPE:
        return read_type(scenario, (kn_def_kind)key->kind, node, at);
    case READ_TYPES:
        return read_types(scenario, (kn_def_kind)key->kind, node, at);
    case READ_VECTOR:
        return read_vector(scenario, node, at);
    case READ_WORD:
        return read_word(scenario, (word_list)key->kind, node, at);
    default:
        return read_number(scenario, key, node, at);
    }
}

// Forms ---------------------------------------------------------------------

#define K(name) KNI_KEY_##name

typedef struct form_info {
    const char *name;
    uint8_t scalar;      // the key a scalar stands for; KEYS_END: none
    uint8_t required[2]; // KEYS_END: none
    kni_name_kind names; // what `as` is
    uint8_t keys[48];    // ended by KEYS_END
} form_info;

#define NOTHING KNI_NAME_KIND_COUNT
#define NONE KEYS_END, KEYS_END
#define ENTITY_KEYS                                                                                \
    K(ARCHETYPE), K(LEVEL), K(SETS), K(TAG_COUNTS), K(ABILITIES), K(EFFECTS), K(ATTRIBUTES),       \
        K(GROUP), K(POSITION), K(RADIUS), K(FACING), K(OWNER), K(PARENT), K(CONNECTION)
#define SPEC_KEYS                                                                                  \
    K(FROM), K(LEVEL), K(STACKS), K(DURATION), K(PERIOD), K(CALLER_VALUES), K(PARAMETERS),         \
        K(ASSET_TAGS), K(GRANTED_TAGS), K(INSTIGATOR), K(CAUSER), K(OBJECT)
#define BOUND_KEY_LIST K(VALUE), K(BASE), K(ABOVE), K(BELOW), K(AT_LEAST), K(AT_MOST), K(TOLERANCE)
#define PATTERN_KEYS                                                                               \
    K(AT), K(ENTITY), K(EFFECT), K(ABILITY), K(ATTRIBUTE), K(TAG), K(COUNT), K(OLD_COUNT), K(OLD), \
        K(MAGNITUDE), K(REASON), K(REFUSED), K(ACTION), K(KIND), K(INSTIGATOR), K(ERROR),          \
        K(TARGET), K(EXISTS)
#define RECORD_KEYS K(TAG), K(TAGS), K(INSTIGATOR), K(TARGET), K(MAGNITUDE), K(TARGETS), K(OBJECT)

static const form_info verbs[KNI_VERB_COUNT] = {
    [KNI_VERB_ACTIVATE] = {"activate", KEYS_END, {K(ENTITY), KEYS_END}, KNI_NAME_ACTIVATION,
        {K(ENTITY), K(ABILITY), K(TAGS), K(EVENT), K(AS), K(EXPECT), K(REFUSED), K(COUNT), K(TIMES),
            KEYS_END}},
    [KNI_VERB_ADD_SETS] = {"add_sets", KEYS_END, {K(ENTITY), K(SETS)}, NOTHING,
        {K(ENTITY), K(SETS), K(KEY), K(EXPECT), KEYS_END}},
    [KNI_VERB_ADD_TAGS] = {"add_tags", KEYS_END, {K(ENTITY), K(TAG_COUNTS)}, NOTHING,
        {K(ENTITY), K(TAG_COUNTS), K(ORIGIN), K(EXPECT), KEYS_END}},
    [KNI_VERB_AIM] = {"aim", K(DURATION), {K(DURATION), KEYS_END}, NOTHING,
        {K(DURATION), K(TIMES), K(EXPECT), KEYS_END}},
    [KNI_VERB_APPLY] = {"apply", KEYS_END, {K(TO), KEYS_END}, KNI_NAME_EFFECT,
        {K(EFFECT_TYPE), K(SPEC), K(ACTIVATION), K(TO), SPEC_KEYS, K(IGNORE_GATES), K(TIMES), K(AS),
            K(EXPECT), KEYS_END}},
    [KNI_VERB_BIND] = {"bind", KEYS_END, {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(CONFIRM), K(CANCEL), K(EXPECT), KEYS_END}},
    [KNI_VERB_CANCEL] = {"cancel", KEYS_END, {NONE}, NOTHING,
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(TAGS), K(WITHOUT), K(COUNT), K(EXPECT), KEYS_END}},
    [KNI_VERB_CANCEL_INPUT] = {"cancel_input", K(ENTITY), {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(EXPECT), KEYS_END}},
    [KNI_VERB_CHANGE] = {"change", KEYS_END, {K(EFFECT), KEYS_END}, NOTHING,
        {K(EFFECT), K(ENTITY), K(LEVEL), K(STACKS), K(REMAINING), K(ADD), K(CAP), K(FACTOR),
            K(TOTAL), K(RESTART), K(CALLER_VALUES), K(EXECUTE), K(REFRESH), K(EXPECT), KEYS_END}},
    [KNI_VERB_CHARGES] = {"charges", KEYS_END, {K(ABILITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(ABILITY), K(COOLDOWN_KEY), K(ADD_CHARGES), K(RESET), K(ADD), K(FLOOR),
            K(FACTOR), K(EXPECT), KEYS_END}},
    [KNI_VERB_COMMIT] = {"commit", KEYS_END, {NONE}, NOTHING,
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(PART), K(EXPECT), KEYS_END}},
    [KNI_VERB_CONFIRM] = {"confirm", K(ENTITY), {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(EXPECT), KEYS_END}},
    [KNI_VERB_CONTAINER] = {"container", KEYS_END, {K(CONTAINER), KEYS_END}, NOTHING,
        {K(CONTAINER), K(FROM), K(TARGETS), K(LEVEL), K(CALLER_VALUES), K(COUNT), K(EXPECT),
            KEYS_END}},
    [KNI_VERB_CUE] = {"cue", KEYS_END, {K(ENTITY), K(CUE)}, NOTHING,
        {K(ENTITY), K(CUE), K(ACTION), K(MAGNITUDE), K(INSTIGATOR), K(EXPECT), KEYS_END}},
    [KNI_VERB_DESTROY] = {"destroy", K(ENTITY), {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(EXPECT), KEYS_END}},
    [KNI_VERB_END] = {"end", KEYS_END, {NONE}, NOTHING,
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(EXPECT), KEYS_END}},
    [KNI_VERB_GRANT] = {"grant", KEYS_END, {K(ENTITY), KEYS_END}, KNI_NAME_ABILITY,
        {K(ENTITY), K(ABILITY_TYPE), K(ABILITY_SET), K(LEVEL), K(INPUT), K(FROM), K(TAGS),
            K(CALLER_VALUES), K(SHARED), K(AS), K(EXPECT), KEYS_END}},
    [KNI_VERB_GRANT_ONCE] = {"grant_once", KEYS_END, {K(ENTITY), K(ABILITY_TYPE)}, KNI_NAME_ABILITY,
        {K(ENTITY), K(ABILITY_TYPE), K(LEVEL), K(INPUT), K(FROM), K(TAGS), K(CALLER_VALUES),
            K(EVENT), K(AS), K(EXPECT), KEYS_END}},
    [KNI_VERB_INIT] = {"init", KEYS_END, {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(ATTRIBUTES), K(GROUP), K(LEVEL), K(KEY), K(EXPECT), KEYS_END}},
    [KNI_VERB_MOVE] = {"move", KEYS_END, {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(POSITION), K(FACING), K(EXPECT), KEYS_END}},
    [KNI_VERB_MOVEMENT] = {"movement", KEYS_END, {K(ENTITY), K(MODE)}, NOTHING,
        {K(ENTITY), K(MODE), K(EXPECT), KEYS_END}},
    [KNI_VERB_OVERLAP] = {"overlap", KEYS_END, {K(ENTITY), K(OTHER)}, NOTHING,
        {K(ENTITY), K(OTHER), K(EXPECT), KEYS_END}},
    [KNI_VERB_PRESS] = {"press", KEYS_END, {K(ENTITY), K(INPUT)}, NOTHING,
        {K(ENTITY), K(INPUT), K(EVENT), K(EXPECT), KEYS_END}},
    [KNI_VERB_REFUND] = {"refund", KEYS_END, {K(SHARE), KEYS_END}, NOTHING,
        {K(ENTITY), K(ABILITY), K(ACTIVATION), K(SHARE), K(EXPECT), KEYS_END}},
    [KNI_VERB_RELATE] = {"relate", KEYS_END, {K(ENTITY), KEYS_END}, NOTHING,
        {K(ENTITY), K(OWNER), K(PARENT), K(AVATAR), K(CONNECTION), K(EXPECT), KEYS_END}},
    [KNI_VERB_RELEASE] = {"release", KEYS_END, {K(ENTITY), K(INPUT)}, NOTHING,
        {K(ENTITY), K(INPUT), K(EXPECT), KEYS_END}},
    [KNI_VERB_REMOVE] = {"remove", KEYS_END, {NONE}, NOTHING,
        {K(ENTITY), K(EFFECT), K(TAGS), K(FROM), K(STACKS), K(REASON), K(COUNT), K(EXPECT),
            KEYS_END}},
    [KNI_VERB_REMOVE_SETS] = {"remove_sets", KEYS_END, {K(ENTITY), K(SETS)}, NOTHING,
        {K(ENTITY), K(SETS), K(KEY), K(EXPECT), KEYS_END}},
    [KNI_VERB_REMOVE_TAGS] = {"remove_tags", KEYS_END, {K(ENTITY), K(TAG_COUNTS)}, NOTHING,
        {K(ENTITY), K(TAG_COUNTS), K(ORIGIN), K(EXPECT), KEYS_END}},
    [KNI_VERB_REVOKE] = {"revoke", KEYS_END, {NONE}, NOTHING,
        {K(ENTITY), K(ABILITY), K(ABILITY_SET), K(REMOVAL), K(EXPECT), KEYS_END}},
    [KNI_VERB_RUN] = {"run", KEYS_END, {K(KIND), KEYS_END}, NOTHING,
        {K(KIND), RECORD_KEYS, K(IGNORE_GATES), K(OUTCOME), K(EXPECT), KEYS_END}},
    [KNI_VERB_SEND] = {"send", KEYS_END, {K(TO), K(TAG)}, NOTHING,
        {K(TO), RECORD_KEYS, K(EXPECT), KEYS_END}},
    [KNI_VERB_SET] = {"set", KEYS_END, {K(ENTITY), K(ATTRIBUTES)}, NOTHING,
        {K(ENTITY), K(ATTRIBUTES), K(KEY), K(EXPECT), KEYS_END}},
    [KNI_VERB_SET_LEVEL] = {"set_level", KEYS_END, {K(ABILITY), K(LEVEL)}, NOTHING,
        {K(ENTITY), K(ABILITY), K(LEVEL), K(EXPECT), KEYS_END}},
    [KNI_VERB_SET_TAGS] = {"set_tags", KEYS_END, {K(ENTITY), K(TAG_COUNTS)}, NOTHING,
        {K(ENTITY), K(TAG_COUNTS), K(ORIGIN), K(EXPECT), KEYS_END}},
    [KNI_VERB_SPAWN] = {"spawn", KEYS_END, {K(AS), KEYS_END}, KNI_NAME_ENTITY,
        {ENTITY_KEYS, K(AS), K(EXPECT), KEYS_END}},
    [KNI_VERB_SPEC] = {"spec", KEYS_END, {K(EFFECT_TYPE), K(AS)}, KNI_NAME_SPEC,
        {K(EFFECT_TYPE), SPEC_KEYS, K(AS), K(EXPECT), KEYS_END}},
    [KNI_VERB_SUPPRESS_CUES] = {"suppress_cues", KEYS_END, {K(ENTITY), K(ON)}, NOTHING,
        {K(ENTITY), K(ON), K(EXPECT), KEYS_END}},
};

static const form_info forms[KNI_FORM_COUNT] = {
    [KNI_FORM_ENTITY] = {"entity", KEYS_END, {NONE}, NOTHING, {ENTITY_KEYS, KEYS_END}},
    [KNI_FORM_EXPECTATION] = {"expectation", KEYS_END, {NONE}, NOTHING,
        {K(ENTITY), K(ATTRIBUTES), K(KEY), BOUND_KEY_LIST, K(TAG_COUNTS), K(EXACT_TAGS), K(NO_TAGS),
            K(QUERY), K(EXISTS), K(STACKS), K(REMAINING), K(DURATION), K(PERIOD), K(EXECUTIONS),
            K(LEVEL), K(INHIBITED), K(FROM), K(EFFECT_COUNT), K(ACTIVE), K(GRANTED), K(READY),
            K(CHARGES), K(COOLDOWN), K(TOTAL), K(ALIVE), K(CUE), K(TRANSIENT), K(COOLDOWN_TAGS),
            K(ABILITY_TAGS), K(MEETS_TAGS), K(ACTIVATION), K(EFFECT), K(ABILITY), K(ATTRIBUTE),
            K(COUNT), K(REFUSED), K(MAGNITUDE), K(COOLDOWN_KEY), KEYS_END}},
    [KNI_FORM_EVENT] = {"event", KEYS_END, {K(EVENT_TYPE), KEYS_END}, NOTHING,
        {K(EVENT_TYPE), PATTERN_KEYS, BOUND_KEY_LIST, K(HAPPENED), KEYS_END}},
    [KNI_FORM_CUE] = {"cue", KEYS_END, {K(CUE), KEYS_END}, NOTHING,
        {K(CUE), K(ENTITY), K(ACTION), K(MAGNITUDE), K(EFFECT), K(AT), K(TOLERANCE), KEYS_END}},
    [KNI_FORM_RECORD] = {"event", KEYS_END, {NONE}, NOTHING, {RECORD_KEYS, K(KIND), KEYS_END}},
    [KNI_FORM_MEASURE] = {"measure", KEYS_END, {K(TAKE), KEYS_END}, NOTHING,
        {K(EVENT_TYPE), PATTERN_KEYS, K(TAKE), K(PER_SECOND), K(KEY), KEYS_END}},
};

const char *kni_verb_name(uint32_t verb)
{
    return verb < KNI_VERB_COUNT ? verbs[verb].name : "";
}

kni_name_kind kni_action_names(const char *verb)
{
    for (uint32_t i = 0; i < KNI_VERB_COUNT; i++) {
        if (strcmp(verbs[i].name, verb) == 0) {
            return verbs[i].names;
        }
    }
    return KNI_NAME_KIND_COUNT;
}

static uint8_t form_key(const form_info *form, const char *name)
{
    uint32_t i = 0;
    while (form->keys[i] != KEYS_END && strcmp(keys[form->keys[i]].name, name) != 0) {
        i++;
    }
    return form->keys[i];
}

static void form_unknown(kn_scenario *scenario, const form_info *form, kni_node node)
{
    const char *words[64];
    uint32_t count = 0;
    while (form->keys[count] != KEYS_END) {
        words[count] = keys[form->keys[count]].name;
        count++;
    }
    char what[64];
    (void)snprintf(what, sizeof(what), "key of `%s` called", form->name);
    kni_place place = kni_node_key_place(node);
    kni_scenario_unknown(scenario, &place, what, kni_node_key(node), words, count);
}

static bool part_set(kn_scenario *scenario, uint8_t key, kni_node node, kni_part *part)
{
    if (!read_key(scenario, &keys[key], node, part)) {
        return false;
    }
    part->given[key / 64] |= UINT64_C(1) << (key % 64);
    return true;
}

static bool form_read(kn_scenario *scenario, const form_info *form, kni_node node, kni_part *part)
{
    bool ok = true;
    if (kni_node_kind_of(node) == KNI_NODE_SCALAR && form->scalar != KEYS_END) {
        return part_set(scenario, form->scalar, node, part);
    }
    if (!kni_scenario_mapping(scenario, node)) {
        return false;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        uint8_t key = form_key(form, kni_node_key(child));
        if (key == KEYS_END) {
            form_unknown(scenario, form, child);
            ok = false;
        } else {
            ok &= part_set(scenario, key, child, part);
        }
    }
    for (uint32_t i = 0; ok && i < 2; i++) {
        if (form->required[i] != KEYS_END && !kni_part_has(part, (kni_key)form->required[i])) {
            kni_scenario_error(
                scenario, node, "`%s` needs `%s`", form->name, keys[form->required[i]].name);
            ok = false;
        }
    }
    return ok;
}

bool kni_part_read(kn_scenario *scenario, kni_form form, kni_node node, kni_part *part)
{
    part->place = kni_node_place(node);
    return form_read(scenario, &forms[form], node, part);
}

static bool any_of(const kni_part *part, const uint8_t *list)
{
    for (; *list != KEYS_END; list++) {
        if (kni_part_has(part, (kni_key)*list)) {
            return true;
        }
    }
    return false;
}

// What a table of keys cannot say: one of several is needed, and a type needs somebody who has it.
static bool action_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    static const struct {
        kni_verb verb;
        uint8_t any[5];
        const char *text;
    } rules[] = {
        {KNI_VERB_ACTIVATE, {K(ABILITY), K(TAGS), KEYS_END}, "`ability` or `tags`"},
        {KNI_VERB_APPLY, {K(EFFECT_TYPE), K(SPEC), KEYS_END}, "`effect` or `spec`"},
        {KNI_VERB_CANCEL, {K(ACTIVATION), K(ABILITY), K(ENTITY), KEYS_END},
            "`activation`, `ability` or `entity`"},
        {KNI_VERB_COMMIT, {K(ACTIVATION), K(ABILITY), KEYS_END}, "`activation` or `ability`"},
        {KNI_VERB_END, {K(ACTIVATION), K(ABILITY), KEYS_END}, "`activation` or `ability`"},
        {KNI_VERB_GRANT, {K(ABILITY_TYPE), K(ABILITY_SET), KEYS_END}, "`ability` or `set`"},
        {KNI_VERB_INIT, {K(ATTRIBUTES), K(GROUP), KEYS_END}, "`attributes` or `group`"},
        {KNI_VERB_REFUND, {K(ACTIVATION), K(ABILITY), KEYS_END}, "`activation` or `ability`"},
        {KNI_VERB_REMOVE, {K(EFFECT), K(TAGS), K(FROM), KEYS_END}, "`effect`, `tags` or `from`"},
        {KNI_VERB_REVOKE, {K(ABILITY), K(ABILITY_SET), KEYS_END}, "`ability` or `set`"},
    };
    for (uint32_t i = 0; i < sizeof(rules) / sizeof(*rules); i++) {
        if ((uint32_t)rules[i].verb == part->verb && !any_of(part, rules[i].any)) {
            kni_scenario_error(
                scenario, node, "`%s` needs %s", kni_verb_name(part->verb), rules[i].text);
            return false;
        }
    }
    bool is_named = part->effect.name > 0 || part->ability.name > 0 || part->activation > 0;
    bool needs_entity = form_key(&verbs[part->verb], "entity") != KEYS_END && !is_named &&
                        part->verb != KNI_VERB_GRANT;
    if (needs_entity && !kni_part_has(part, KNI_KEY_ENTITY)) {
        kni_scenario_error(scenario, node, "`%s` needs `entity`", kni_verb_name(part->verb));
        return false;
    }
    return true;
}

bool kni_action_read(kn_scenario *scenario, kni_node node, kni_part *part)
{
    const char *words[KNI_VERB_COUNT + 2];
    uint32_t verb = 0;
    while (verb < KNI_VERB_COUNT && strcmp(verbs[verb].name, kni_node_key(node)) != 0) {
        verb++;
    }
    kni_place place = kni_node_key_place(node);
    if (verb == KNI_VERB_COUNT) {
        for (uint32_t i = 0; i < KNI_VERB_COUNT; i++) {
            words[i] = verbs[i].name;
        }
        words[KNI_VERB_COUNT] = "advance";
        words[KNI_VERB_COUNT + 1] = "expect";
        kni_scenario_unknown(
            scenario, &place, "action", kni_node_key(node), words, KNI_VERB_COUNT + 2);
        return false;
    }
    *part = (kni_part){.place = place, .verb = verb};
    return form_read(scenario, &verbs[verb], node, part) && action_check(scenario, node, part);
}

bool kni_part_add(kn_scenario *scenario, kni_parts *parts, const kni_part *part)
{
    if (!kni_alloc_grow(&scenario->def.hooks, &parts->data, &parts->capacity, parts->count + 1,
            sizeof(*part))) {
        scenario->no_memory = true;
        return false;
    }
    parts->data[parts->count++] = *part;
    return true;
}
