// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Functions of games and kits in scenarios. Arguments are read from a mapping by the table of the
// function, and what it returns is compared with a mapping, a value or a list by its other table.
// Everything is read twice: when a scenario is loaded, so that mistakes have a place, and when it
// runs, since names stand for something only then.

#include "scenario_call.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TAG_LISTS_MAX 4
#define TAGS_MAX 64

// Finding -------------------------------------------------------------------

const char *kni_function_word(const kn_function_def *function)
{
    const char *colon = strchr(function->name, ':');
    return colon != NULL ? colon + 1 : function->name;
}

static bool function_is(const kn_function_def *function, bool changes)
{
    return ((function->flags & KN_FUNCTION_CHANGES) != 0) == changes;
}

const kn_function_def *kni_function_find(const kn_library *library, const char *name, bool changes)
{
    const kn_function_def *function;
    const kn_function_def *found = NULL;
    for (uint32_t i = 0; (function = kn_function_get_def(library, i)) != NULL; i++) {
        if (!function_is(function, changes)) {
            continue;
        }
        if (strcmp(function->name, name) == 0) {
            return function;
        }
        if (found == NULL && strcmp(kni_function_word(function), name) == 0) {
            found = function;
        }
    }
    return found;
}

void kni_function_words(
    const kn_library *library, bool changes, const char **words, uint32_t *count, uint32_t capacity)
{
    const kn_function_def *function;
    for (uint32_t i = 0; (function = kn_function_get_def(library, i)) != NULL; i++) {
        if (function_is(function, changes) && *count < capacity) {
            words[(*count)++] = kni_function_word(function);
        }
    }
}

bool kni_function_may_be(
    const kn_scenario *scenario, const char *name, const char *const *words, uint32_t count)
{
    kni_hint hint = kni_report_hint(words, count, name);
    return scenario->library == NULL && strstr(hint.text, "did you mean") == NULL;
}

// The entity that a function is called on is its first argument.
static bool is_called_on_entity(const kn_function_def *function)
{
    return strncmp(function->name, "entity:", 7) == 0;
}

// Values --------------------------------------------------------------------

// What a node says, by the kind of a field.
typedef struct value {
    kni_element element;
    const char *text;
    kn_tag tags[TAGS_MAX];
    uint32_t tag_count;
    bool is_nothing; // null for something that may be missing
} value;

// Whether one of several parts of a struct is there: NULL if it always is.
static const kn_def_field *has_field(const kn_def_table *table, const kn_def_field *field)
{
    char name[80];
    (void)snprintf(name, sizeof(name), "has_%s", field->name);
    return field->kind == KN_FIELD_VEC3 ? kn_def_field_find(table, name) : NULL;
}

static kn_field plain_field(const kn_library *library, const kn_def_field *field)
{
    bool is_reference = field->kind == KN_DEF_FIELD_REF;
    kn_field plain =
        KN_FIELD_INIT(field->name, is_reference ? KN_FIELD_REF : (kn_field_kind)field->kind, 0, 1);
    plain.refers_to = is_reference ? kn_kind_name(library, (kn_def_kind)field->limit) : NULL;
    return plain;
}

static kn_result word_of(
    const kn_def_field *field, kni_node node, uint32_t *number, kn_error *error)
{
    const char *text;
    kn_result result = kni_node_text(node, &text, error);
    for (uint32_t i = 0; result == KN_OK && i < field->limit; i++) {
        if (strcmp(field->names[i], text) == 0) {
            *number = i;
            return KN_OK;
        }
    }
    if (result == KN_OK) {
        kni_hint hint = kni_report_hint(field->names, field->limit, text);
        return kn_error_set(
            error, KN_ERROR_BAD_DATA, "`%s` does not take `%s`%s", field->name, text, hint.text);
    }
    return result;
}

static kn_result tag_of(const kn_scenario *scenario, kni_node node, kn_tag *tag, kn_error *error)
{
    const kn_field field = KN_FIELD_INIT("tag", KN_FIELD_TAG, 0, 1);
    kni_element element;
    kn_result result = kni_element_read(scenario, NULL, &field, node, &element, error);
    memcpy(tag, element.bytes, sizeof(*tag));
    return result;
}

static kn_result tags_of(
    const kn_scenario *scenario, kni_node node, kn_tag *tags, uint32_t *count, kn_error *error)
{
    *count = 0;
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE) {
        *count = 1;
        return tag_of(scenario, node, &tags[0], error);
    }
    kn_result result = KN_OK;
    kni_children children = kni_node_children(node);
    for (kni_node child; result == KN_OK && kni_children_next(&children, &child);) {
        if (*count == TAGS_MAX) {
            return kn_error_set(error, KN_ERROR_BAD_DATA, "there are more than %u tags", TAGS_MAX);
        }
        result = tag_of(scenario, child, &tags[(*count)++], error);
    }
    return result;
}

static kn_result value_read(const kn_scenario *scenario, const kn_scenario_run *run,
    const kn_def_field *field, kni_node node, value *out, kn_error *error)
{
    uint32_t number = 0;
    kn_result result;
    *out = (value){.text = NULL};
    if (kni_node_is_null(node)) {
        out->is_nothing = true;
        return KN_OK;
    }
    switch (field->kind) {
    case KN_DEF_FIELD_STRING:
        return kni_node_text(node, &out->text, error);
    case KN_DEF_FIELD_TAGS:
        return tags_of(scenario, node, out->tags, &out->tag_count, error);
    case KN_DEF_FIELD_ENUM:
        result = word_of(field, node, &number, error);
        memcpy(out->element.bytes, &number, sizeof(number));
        return result;
    default: {
        kn_field plain = plain_field(scenario->library, field);
        return kni_element_read(scenario, run, &plain, node, &out->element, error);
    }
    }
}

// Arguments -----------------------------------------------------------------

typedef struct call_data {
    max_align_t arguments[KN_FUNCTION_SIZE_MAX / sizeof(max_align_t)];
    kn_entity_id entities[KN_FUNCTION_ENTITIES_MAX];
    kn_tag tags[TAG_LISTS_MAX][TAGS_MAX];
    uint32_t tag_lists;
    uint32_t given;
} call_data;

// What a call is made from. `wrong` receives where a mistake is.
typedef struct call_reader {
    const kn_scenario *scenario;
    const kn_scenario_run *run; // NULL: only to check
    call_data *data;
    kni_node wrong;
    kn_error error;
} call_reader;

static kn_result entities_read(call_reader *r, const kn_def_field *field, kni_node node)
{
    static const kn_def_field one = {"entity", KN_FIELD_ENTITY, 0, 0, 1, 0, NULL, NULL, NULL, NULL};
    const kn_entity_id *entities = r->data->entities;
    uint8_t *to = (uint8_t *)r->data->arguments;
    uint32_t count = 0;
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE) {
        return kni_node_refuse(node, "a list of entities", &r->error);
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        value v;
        r->wrong = child;
        if (count == KN_FUNCTION_ENTITIES_MAX) {
            return kn_error_set(&r->error, KN_ERROR_BAD_DATA, "`%s` has more than %u entities",
                field->name, KN_FUNCTION_ENTITIES_MAX);
        }
        kn_result result = value_read(r->scenario, r->run, &one, child, &v, &r->error);
        if (result != KN_OK) {
            return result;
        }
        memcpy(&r->data->entities[count++], v.element.bytes, sizeof(kn_entity_id));
    }
    memcpy(to + field->offset, &entities, sizeof(entities));
    memcpy(to + field->count_offset, &count, sizeof(count));
    return KN_OK;
}

// Stores one argument in the struct at `to`.
static kn_result argument_read(
    call_reader *r, const kn_def_field *field, kni_node node, uint8_t *to)
{
    value v;
    r->wrong = node;
    if (field->kind == KN_DEF_FIELD_ARRAY) {
        return entities_read(r, field, node);
    }
    kn_result result = value_read(r->scenario, r->run, field, node, &v, &r->error);
    if (result != KN_OK) {
        return result;
    }
    to += field->offset;
    if (field->kind == KN_DEF_FIELD_STRING) {
        memcpy(to, &v.text, sizeof(v.text));
    } else if (field->kind == KN_DEF_FIELD_TAGS) {
        kn_tag *tags = r->data->tags[r->data->tag_lists];
        if (r->data->tag_lists == TAG_LISTS_MAX) {
            return kn_error_set(&r->error, KN_ERROR_BAD_DATA, "there are too many lists of tags");
        }
        r->data->tag_lists++;
        memcpy(tags, v.tags, v.tag_count * sizeof(*tags));
        kn_tags list = {tags, v.tag_count};
        memcpy(to, &list, sizeof(list));
    } else {
        memcpy(to, v.element.bytes, kn_def_field_size(field));
    }
    return KN_OK;
}

static bool key_is_reserved(const char *key)
{
    static const char *const keys[] = {"expect", "refused", "returns", "times"};
    bool is_reserved = false;
    for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
        is_reserved |= strcmp(keys[i], key) == 0;
    }
    return is_reserved;
}

static kn_result argument_unknown(call_reader *r, const kni_call *call, const char *key)
{
    const char *words[64];
    uint32_t count = 0;
    const kn_def_table *table = call->function->arguments;
    for (uint32_t i = 0; table != NULL && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind != KN_DEF_FIELD_STRUCT) {
            words[count++] = field->name;
        }
        for (uint32_t k = 0; field->kind == KN_DEF_FIELD_STRUCT && k < field->table->field_count &&
                             count < sizeof(words) / sizeof(*words);
             k++) {
            words[count++] = field->table->fields[k].name;
        }
    }
    kni_hint hint = kni_report_hint(words, count, key);
    return kn_error_set(&r->error, KN_ERROR_BAD_DATA, "`%s` has no argument called `%s`%s",
        kni_function_word(call->function), key, hint.text);
}

// One key of the mapping: an argument, or an option.
static kn_result key_read(call_reader *r, const kni_call *call, kni_node node)
{
    const kn_def_table *table = call->function->arguments;
    const char *key = kni_node_key(node);
    for (uint32_t i = 0; table != NULL && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        uint8_t *to = (uint8_t *)r->data->arguments;
        const kn_def_field *option =
            field->kind == KN_DEF_FIELD_STRUCT ? kn_def_field_find(field->table, key) : NULL;
        if (option != NULL) {
            to += field->offset;
        } else if (field->kind == KN_DEF_FIELD_STRUCT || strcmp(field->name, key) != 0) {
            continue;
        }
        r->data->given |= kni_node_is_null(node) ? 0 : UINT32_C(1) << i;
        const kn_def_field *has =
            option != NULL ? has_field(field->table, option) : has_field(table, field);
        if (has != NULL) {
            to[has->offset] = !kni_node_is_null(node);
        }
        return argument_read(r, option != NULL ? option : field, node, to);
    }
    r->wrong = node;
    return argument_unknown(r, call, key);
}

// Fills the struct of the arguments. `entity` is what the expectation is about; null for none.
static kn_result arguments_read(call_reader *r, const kni_call *call, kn_entity_id entity)
{
    const kn_def_table *table = call->function->arguments;
    uint8_t *to = (uint8_t *)r->data->arguments;
    r->data->given = 0;
    r->data->tag_lists = 0;
    if (table == NULL) {
        return KN_OK;
    }
    kn_def_init(table, to);
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind == KN_DEF_FIELD_STRUCT && field->table->init != NULL) {
            kn_def_init(field->table, to + field->offset);
        }
    }
    if (call->has_entity) {
        memcpy(to + table->fields[0].offset, &entity, sizeof(entity));
        r->data->given = 1;
    }
    kn_result result = KN_OK;
    if (kni_node_kind_of(call->arguments) == KNI_NODE_MAPPING) {
        kni_children children = kni_node_children(call->arguments);
        for (kni_node child; result == KN_OK && kni_children_next(&children, &child);) {
            result = key_is_reserved(kni_node_key(child)) ? KN_OK : key_read(r, call, child);
        }
    } else if (kni_node_exists(call->arguments) && !kni_node_is_null(call->arguments)) {
        r->data->given |= 1;
        result = argument_read(r, &table->fields[0], call->arguments, to);
    }
    for (uint32_t i = 0; result == KN_OK && i < call->function->required; i++) {
        if ((r->data->given >> i & 1) == 0) {
            r->wrong = call->node;
            result = kn_error_set(&r->error, KN_ERROR_BAD_DATA, "`%s` needs `%s`",
                kni_function_word(call->function), table->fields[i].name);
        }
    }
    return result;
}

// Checking ------------------------------------------------------------------

static bool is_list(const kn_function_def *function)
{
    return function->form == KN_FUNCTION_LIST || function->form == KN_FUNCTION_VALUE_LIST;
}

static const kn_def_field *result_field(
    const kn_function_def *function, const char *key, kn_error *error)
{
    const char *words[64];
    const kn_def_table *table = function->results;
    const kn_def_field *field = kn_def_field_find(table, key);
    if (field == NULL) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < table->field_count && i < 64; i++) {
            words[count++] = table->fields[i].name;
        }
        kni_hint hint = kni_report_hint(words, count, key);
        (void)kn_error_set(error, KN_ERROR_BAD_DATA, "`%s` returns nothing called `%s`%s",
            kni_function_word(function), key, hint.text);
    }
    return field;
}

// Whether a node can be compared with what a function returns, or with one element of it.
static bool record_check(kn_scenario *scenario, const kn_function_def *function, kni_node node)
{
    value v;
    kn_error error = {0};
    bool ok = true;
    if (kni_node_kind_of(node) != KNI_NODE_MAPPING) {
        ok = value_read(scenario, NULL, &function->results->fields[0], node, &v, &error) == KN_OK;
        if (!ok) {
            kni_scenario_error(scenario, node, "%s", error.message);
        }
        return ok;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        const kn_def_field *field = result_field(function, kni_node_key(child), &error);
        if (field == NULL) {
            kni_scenario_key_error(scenario, child, "%s", error.message);
            ok = false;
        } else if (value_read(scenario, NULL, field, child, &v, &error) != KN_OK) {
            kni_scenario_error(scenario, child, "%s", error.message);
            ok = false;
        }
    }
    return ok;
}

static bool returns_check(kn_scenario *scenario, const kni_call *call)
{
    const kn_function_def *function = call->function;
    bool ok = true;
    if (!kni_node_exists(call->returns) || kni_node_is_null(call->returns)) {
        return true;
    }
    if (function->results == NULL) {
        kni_scenario_error(scenario, call->returns, "`%s` returns nothing to compare with",
            kni_function_word(function));
        return false;
    }
    if (!is_list(function)) {
        return record_check(scenario, function, call->returns);
    }
    if (kni_node_kind_of(call->returns) != KNI_NODE_SEQUENCE) {
        kni_scenario_error(
            scenario, call->returns, "`%s` returns a list", kni_function_word(function));
        return false;
    }
    kni_children children = kni_node_children(call->returns);
    for (kni_node child; kni_children_next(&children, &child);) {
        ok &= record_check(scenario, function, child);
    }
    return ok;
}

static bool call_check(kn_scenario *scenario, const kni_call *call)
{
    call_data data;
    call_reader r = {.scenario = scenario, .data = &data, .wrong = call->node};
    if (arguments_read(&r, call, (kn_entity_id){0}) != KN_OK) {
        if (kni_node_key(r.wrong) != NULL && strstr(r.error.message, "no argument") != NULL) {
            kni_scenario_key_error(scenario, r.wrong, "%s", r.error.message);
        } else {
            kni_scenario_error(scenario, r.wrong, "%s", r.error.message);
        }
        return false;
    }
    return returns_check(scenario, call);
}

static bool call_add(kn_scenario *scenario, kni_part *part, const kni_call *call)
{
    kni_call *calls = kni_arena_take(&scenario->arena, (part->calls.count + 1) * sizeof(*calls));
    if (calls == NULL) {
        scenario->no_memory = true;
        return false;
    }
    if (part->calls.count > 0) {
        memcpy(calls, part->calls.data, part->calls.count * sizeof(*calls));
    }
    calls[part->calls.count++] = *call;
    part->calls.data = calls;
    return true;
}

// Reading -------------------------------------------------------------------

bool kni_call_read_action(
    kn_scenario *scenario, const kn_function_def *function, kni_node node, kni_part *part)
{
    kni_call call = {.function = function, .node = node, .arguments = node};
    bool ok = true;
    *part = (kni_part){.place = kni_node_key_place(node), .verb = KNI_VERB_CALL};
    part->bounds.tolerance = scenario->tolerance;
    if (kni_node_kind_of(node) == KNI_NODE_MAPPING) {
        kni_node expect = kni_node_get(node, "expect"), times = kni_node_get(node, "times");
        call.returns = kni_node_get(node, "returns");
        if (kni_node_exists(expect)) {
            ok = kni_key_read(scenario, KNI_KEY_EXPECT, expect, part);
        }
        if (kni_node_exists(times)) {
            ok = kni_key_read(scenario, KNI_KEY_TIMES, times, part) && ok;
        }
        if (kni_node_exists(kni_node_get(node, "refused"))) {
            kni_scenario_key_error(scenario, kni_node_get(node, "refused"),
                "an action that is to be refused has `expect`: with the result");
            ok = false;
        }
    }
    return call_check(scenario, &call) && call_add(scenario, part, &call) && ok;
}

bool kni_call_read_expectation(
    kn_scenario *scenario, const kn_function_def *function, kni_node node, kni_part *part)
{
    kni_call call = {.function = function, .node = node};
    bool is_mapping = kni_node_kind_of(node) == KNI_NODE_MAPPING;
    kni_node returns = is_mapping ? kni_node_get(node, "returns") : (kni_node){0};
    kni_node refused = is_mapping ? kni_node_get(node, "refused") : (kni_node){0};
    uint32_t own = is_called_on_entity(function) ? 1 : 0;
    if (kni_node_exists(returns) || kni_node_exists(refused) || function->required > own) {
        if (!is_mapping) {
            kni_scenario_error(scenario, node,
                "`%s` takes arguments: give them in a mapping, with `returns`",
                kni_function_word(function));
            return false;
        }
        call.arguments = node;
        call.returns = returns;
        if (!kni_node_exists(returns) && !kni_node_exists(refused)) {
            kni_scenario_error(
                scenario, node, "`%s` needs `returns` or `refused`", kni_function_word(function));
            return false;
        }
        call.is_refused = kni_node_exists(refused);
        if (call.is_refused && !kni_word_read(scenario, KNI_WORDS_RESULT, refused, &call.refused)) {
            return false;
        }
    } else {
        call.returns = node;
    }
    call.is_nothing = kni_node_exists(call.returns) && kni_node_is_null(call.returns);
    return call_add(scenario, part, &call);
}

bool kni_calls_check(kn_scenario *scenario, kni_node node, const kni_part *part)
{
    bool ok = true;
    (void)node;
    for (uint32_t i = 0; i < part->calls.count; i++) {
        kni_call *call = &part->calls.data[i];
        bool is_given = call->function->arguments != NULL && kni_node_exists(call->arguments) &&
                        kni_node_exists(kni_node_get(
                            call->arguments, call->function->arguments->fields[0].name));
        call->has_entity =
            is_called_on_entity(call->function) && !is_given && kni_part_has(part, KNI_KEY_ENTITY);
        ok &= call_check(scenario, call);
    }
    return ok;
}

// Comparing -----------------------------------------------------------------

typedef struct comparison {
    const kni_look *at;
    const kni_call *call;
    uint32_t index1; // of the element of a list; 0: there is none
} comparison;

static void label_print(const comparison *c, const kn_def_field *field, kni_line *line)
{
    if (field != NULL) {
        kni_line_add(line, "%s of ", field->name);
    }
    if (c->index1 > 0) {
        kni_line_add(line, "entry %u of ", c->index1);
    }
    kni_call_print(c->at->run, c->at->part, c->call, line);
}

static void tags_print(
    const kn_library *library, const kn_tag *tags, uint32_t count, kni_line *line)
{
    kni_line_add(line, "[");
    for (uint32_t i = 0; i < count; i++) {
        kni_line_add(line, "%s%s", i > 0 ? ", " : "", kn_tag_name(library, tags[i]));
    }
    kni_line_add(line, "]");
}

static bool tags_are(const kn_tag *a, uint32_t a_count, const kn_tag *b, uint32_t b_count)
{
    bool is_same = a_count == b_count;
    for (uint32_t i = 0; is_same && i < a_count; i++) {
        bool found = false;
        for (uint32_t k = 0; k < b_count; k++) {
            found |= a[i].index1 == b[k].index1;
        }
        is_same = found;
    }
    return is_same;
}

// A value that is found, as the bytes of its field say.
static void found_print(
    const kn_scenario_run *run, const kn_def_field *field, const uint8_t *bytes, kni_line *line)
{
    const char *text;
    kn_tags tags;
    uint32_t number;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING:
        memcpy(&text, bytes, sizeof(text));
        kni_line_add(line, "%s", text != NULL ? text : "nothing");
        return;
    case KN_DEF_FIELD_TAGS:
        memcpy(&tags, bytes, sizeof(tags));
        tags_print(run->scenario->library, tags.data, tags.count, line);
        return;
    case KN_DEF_FIELD_ENUM:
        memcpy(&number, bytes, sizeof(number));
        kni_line_add(line, "%s", number < field->limit ? field->names[number] : "unknown");
        return;
    default: {
        kn_field plain = plain_field(run->scenario->library, field);
        kni_element_print(run, &plain, bytes, line);
        return;
    }
    }
}

static bool value_is(const kn_scenario_run *run, const kn_def_field *field, const uint8_t *bytes,
    bool is_there, const value *wanted, const kni_tolerance *tolerance)
{
    static const uint8_t zeros[16] = {0};
    const char *text;
    kn_tags tags;
    kn_field plain;
    switch (field->kind) {
    case KN_DEF_FIELD_STRING:
        memcpy(&text, bytes, sizeof(text));
        return wanted->is_nothing ? text == NULL : text != NULL && strcmp(text, wanted->text) == 0;
    case KN_DEF_FIELD_TAGS:
        memcpy(&tags, bytes, sizeof(tags));
        return tags_are(tags.data, tags.count, wanted->tags, wanted->tag_count);
    case KN_DEF_FIELD_ENUM:
        return !wanted->is_nothing && memcmp(bytes, wanted->element.bytes, sizeof(uint32_t)) == 0;
    case KN_FIELD_VEC3:
        if (wanted->is_nothing || !is_there) {
            return wanted->is_nothing && !is_there;
        }
        break;
    default:
        break;
    }
    if (wanted->is_nothing) { // nobody, or no definition
        return memcmp(bytes, zeros, kn_def_field_size(field)) == 0;
    }
    plain = plain_field(run->scenario->library, field);
    return kni_element_is(&plain, bytes, wanted->element.bytes, tolerance);
}

static void field_test(
    const comparison *c, const kn_def_field *field, kni_node node, const uint8_t *record)
{
    const kn_scenario_run *run = c->at->run;
    const kn_def_table *table = c->call->function->results;
    const kn_def_field *has = has_field(table, field);
    bool is_there = has == NULL || record[has->offset] != 0;
    const uint8_t *bytes = record + field->offset;
    kn_error error = {0};
    value wanted;
    kn_result result = value_read(run->scenario, run, field, node, &wanted, &error);
    if (result == KN_OK &&
        value_is(run, field, bytes, is_there, &wanted, &c->at->part->bounds.tolerance)) {
        return;
    }
    bool is_only = table->field_count == 1 && kni_node_kind_of(node) != KNI_NODE_MAPPING;
    kni_difference *difference = kni_differ(c->at);
    label_print(c, is_only ? NULL : field, &difference->expected);
    kni_line_add(&difference->expected, " is ");
    if (wanted.is_nothing) {
        kni_line_add(&difference->expected, "nothing");
    } else if (field->kind == KN_DEF_FIELD_STRING) {
        kni_line_add(&difference->expected, "%s", wanted.text != NULL ? wanted.text : "");
    } else if (field->kind == KN_DEF_FIELD_TAGS) {
        tags_print(run->scenario->library, wanted.tags, wanted.tag_count, &difference->expected);
    } else {
        found_print(run, field, wanted.element.bytes, &difference->expected);
    }
    if (result != KN_OK) {
        kni_line_add(&difference->found, "%s", error.message);
    } else if (!is_there) {
        kni_line_add(&difference->found, "there is none");
    } else {
        kni_line_add(&difference->found, "it is ");
        found_print(run, field, bytes, &difference->found);
    }
}

static void record_test(const comparison *c, kni_node node, const uint8_t *record)
{
    kn_error error = {0};
    if (kni_node_kind_of(node) != KNI_NODE_MAPPING) {
        field_test(c, &c->call->function->results->fields[0], node, record);
        return;
    }
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        field_test(c, result_field(c->call->function, kni_node_key(child), &error), child, record);
    }
}

// Elements that a function returns.
typedef struct elements {
    const kn_hooks *hooks;
    uint8_t *bytes;
    uint32_t count, capacity;
    size_t size;
    bool no_memory;
} elements;

static void element_add(void *context, const void *element)
{
    elements *list = context;
    if (!kn_memory_grow(list->hooks, &list->bytes, &list->capacity, list->count + 1, list->size)) {
        list->no_memory = true;
        return;
    }
    memcpy(list->bytes + list->count++ * list->size, element, list->size);
}

static void list_test(const kni_look *at, const kni_call *call, const elements *list)
{
    uint32_t wanted = kni_node_count(call->returns);
    comparison c = {at, call, 0};
    if (wanted != list->count) {
        kni_difference *difference = kni_differ(at);
        label_print(&c, NULL, &difference->expected);
        kni_line_add(&difference->expected, " has %u entries", wanted);
        kni_line_add(&difference->found, "it has %u", list->count);
        for (uint32_t i = 0; i < list->count; i++) {
            kni_line_add(&difference->found, "%s", i == 0 ? ": " : ", ");
            found_print(at->run, &call->function->results->fields[0],
                list->bytes + i * list->size + call->function->results->fields[0].offset,
                &difference->found);
        }
        return;
    }
    kni_children children = kni_node_children(call->returns);
    for (kni_node child; kni_children_next(&children, &child);) {
        c.index1++;
        record_test(&c, child, list->bytes + (c.index1 - 1) * list->size);
    }
}

static void refusal_test(const kni_look *at, const kni_call *call, kn_result result)
{
    comparison c = {at, call, 0};
    char words[2][48];
    bool is_wanted =
        call->is_refused ? (uint32_t)result == call->refused : result != KN_OK && call->is_nothing;
    if (is_wanted || (result == KN_OK && !call->is_refused)) {
        return;
    }
    kni_difference *difference = kni_differ(at);
    label_print(&c, NULL, &difference->expected);
    if (call->is_refused) {
        kni_line_add(&difference->expected, " is refused: %s",
            kni_result_word((kn_result)call->refused, words[0], sizeof(words[0])));
    } else {
        kni_line_add(&difference->expected, " can be called");
    }
    kni_line_add(&difference->found, result == KN_OK ? "it is not" : "its result is %s",
        kni_result_word(result, words[1], sizeof(words[1])));
}

// Calling -------------------------------------------------------------------

// Calls a function, and compares what it returns.
static kn_result call_run(const kni_look *at, const kni_call *call, kn_world *writable)
{
    const kn_scenario_run *run = at->run;
    const kn_function_def *function = call->function;
    call_data data;
    call_reader r = {.scenario = run->scenario, .run = run, .data = &data, .wrong = call->node};
    max_align_t results[KN_FUNCTION_SIZE_MAX / sizeof(max_align_t)];
    elements list = {.hooks = &run->hooks};
    kn_result result = arguments_read(&r, call, kni_run_entity(run, at->part->entity));
    if (result != KN_OK) {
        return result;
    }
    kn_function_call c = {.world = run->world,
        .writable = writable,
        .arguments = function->arguments != NULL ? data.arguments : NULL,
        .given = data.given,
        .add = element_add,
        .context = &list};
    if (function->results != NULL) {
        list.size = function->results->size;
        memset(results, 0, list.size);
        c.results = is_list(function) ? NULL : results;
    }
    result = function->function(function->user, &c);
    if (list.no_memory) {
        result = KN_ERROR_OUT_OF_MEMORY;
    }
    bool is_compared = result == KN_OK && function->results != NULL &&
                       kni_node_exists(call->returns) && !run->quiet;
    if (is_compared && is_list(function)) {
        list_test(at, call, &list);
    } else if (is_compared) {
        record_test(&(comparison){at, call, 0}, call->returns, (const uint8_t *)results);
    }
    kn_memory_free(&run->hooks, list.bytes, list.capacity * list.size);
    return result;
}

kn_result kni_call_act(kn_scenario_run *run, const kni_part *part)
{
    kni_differences *differences = &run->differences[0];
    kni_look at = {run, part, differences};
    differences->count = 0;
    kn_result result = call_run(&at, &part->calls.data[0], run->world);
    kni_run_fail_all(run, &part->place, differences);
    return result;
}

void kni_test_calls(const kni_look *at)
{
    for (uint32_t i = 0; i < at->part->calls.count; i++) {
        const kni_call *call = &at->part->calls.data[i];
        refusal_test(at, call, call_run(at, call, NULL));
    }
}

// Text ----------------------------------------------------------------------

static void node_print(kni_node node, kni_line *line)
{
    const char *separator = "";
    if (kni_node_kind_of(node) != KNI_NODE_SEQUENCE) {
        kni_scalar scalar = kni_node_scalar(node);
        kni_line_add(line, "%s", scalar.text != NULL ? scalar.text : "");
        return;
    }
    kni_line_add(line, "[");
    kni_children children = kni_node_children(node);
    for (kni_node child; kni_children_next(&children, &child);) {
        kni_line_add(line, "%s", separator);
        node_print(child, line);
        separator = ", ";
    }
    kni_line_add(line, "]");
}

void kni_call_print(
    const kn_scenario_run *run, const kni_part *part, const kni_call *call, kni_line *line)
{
    const kn_def_table *table = call->function->arguments;
    const char *separator = " (";
    kni_line_add(line, "%s", kni_function_word(call->function));
    if (call->has_entity) {
        kni_line_add(line, " of %s", kni_run_name_text(run, part->entity));
    } else if (table != NULL && kni_node_kind_of(call->arguments) == KNI_NODE_SCALAR) {
        kni_line_add(line, " of ");
        node_print(call->arguments, line);
    }
    if (kni_node_kind_of(call->arguments) != KNI_NODE_MAPPING) {
        return;
    }
    kni_node receiver = kni_node_get(call->arguments, "entity");
    if (kni_node_exists(receiver) && is_called_on_entity(call->function)) {
        kni_line_add(line, " of ");
        node_print(receiver, line);
    }
    kni_children children = kni_node_children(call->arguments);
    for (kni_node child; kni_children_next(&children, &child);) {
        bool is_receiver =
            is_called_on_entity(call->function) && strcmp(kni_node_key(child), "entity") == 0;
        if (!is_receiver && !key_is_reserved(kni_node_key(child))) {
            kni_line_add(line, "%s%s ", separator, kni_node_key(child));
            node_print(child, line);
            separator = ", ";
        }
    }
    kni_line_add(line, "%s", separator[0] == ',' ? ")" : "");
}
