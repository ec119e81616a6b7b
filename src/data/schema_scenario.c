// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema of scenarios, from their tables of keys and forms.

#include "scenario_call.h"
#include "scenario_tables.h"
#include "schema.h"

#include <stdio.h>
#include <string.h>

// Words ---------------------------------------------------------------------

// A word, and again with `_` for every blank: keywords of a schema.
static void words_enum(kni_schema *s, const kni_words *all)
{
    kni_put(s, "enum: [");
    for (uint32_t i = 0; i < all->count; i++) {
        const char *word = all->items[i];
        char plain[64];
        if (word == NULL || word[0] == 0) {
            continue;
        }
        kni_emitter_text(s->out, word);
        if (strchr(word, ' ') != NULL && strlen(word) < sizeof(plain)) {
            (void)snprintf(plain, sizeof(plain), "%s", word);
            for (char *at = plain; *at != 0; at++) {
                *at = *at == ' ' ? '_' : *at;
            }
            kni_emitter_text(s->out, plain);
        }
    }
    kni_put(s, "]");
}

static void schema_words(kni_schema *s, kni_word_list list)
{
    // A library may have reasons of its own: ours are what editors propose.
    bool is_open = list == KNI_WORDS_FAIL || list == KNI_WORDS_END_REASON;
    kni_words all;
    kni_words_of(list, &all);
    kni_put(s, is_open ? "anyOf: [{" : "");
    words_enum(s, &all);
    kni_put(s, is_open ? "}, {type: string}]" : "");
}

// The types of a row of events, as words.
static void row_types(kni_schema *s, const kni_event_row *row)
{
    kni_words types;
    kni_words_of(KNI_WORDS_EVENT_TYPE, &types);
    for (uint32_t i = 0; i < types.count; i++) {
        bool is_in = i >= (uint32_t)row->first && i <= (uint32_t)row->last;
        types.items[i] = is_in ? types.items[i] : NULL;
    }
    words_enum(s, &types);
}

// The number to take of events of a row: a sum if they have a magnitude.
static void row_takes(kni_schema *s, const kni_event_row *row)
{
    kni_words takes;
    kni_words_of(KNI_WORDS_EVENT_TAKE, &takes);
    if (!kni_event_row_has(row, KNI_KEY_MAGNITUDE)) {
        takes.items[KNI_TAKE_SUM] = NULL;
    }
    words_enum(s, &takes);
}

// Values --------------------------------------------------------------------

// `items` of a list, or one of them in its place; a list; a mapping from names.
#define ONE_OR_MANY "anyOf: [" KNI_REF ", {type: array, items: " KNI_REF "}]"
#define MANY "type: array, items: " KNI_REF
#define BY_NAME "type: object, additionalProperties: " KNI_REF
// A list of names, or a mapping from them.
#define NAMES_OR_MAPPING "anyOf: [" KNI_NAMES ", {" BY_NAME "}]"
// YAML reads 0x12 as a number.
#define HASH "type: [string, integer], pattern: '^0x[0-9a-fA-F]{1,16}$'"
#define SHARE                                                                                      \
    "anyOf: [{type: number, minimum: 0, maximum: 1}, "                                             \
    "{type: string, pattern: '^(100(\\.0+)?|[0-9]{1,2}(\\.[0-9]+)?) ?%%$'}]"
#define TOLERANCE                                                                                  \
    "anyOf: [{type: number, minimum: 0}, {type: string, pattern: '^[0-9]+(\\.[0-9]+)? ?%%$'}]"

// Numbers that a client counts, and what they must be.
static void counters_value(kni_schema *s)
{
    kni_words words;
    kni_words_of(KNI_WORDS_COUNTER, &words);
    kni_put(s, "type: object, properties: {");
    for (uint32_t i = 0; i < words.count; i++) {
        kni_put(s, "%s: {", words.items[i]);
        kni_put_text(s, "description", kni_counter_docs[i]);
        kni_put(s, "anyOf: [" KNI_REF "]}", "bounds");
    }
    kni_put(s, "}, additionalProperties: false");
}

static void state_parts_value(kni_schema *s)
{
    kni_put(s, "anyOf: [{const: true}, {");
    schema_words(s, KNI_WORDS_STATE_PART);
    kni_put(s, "}, {type: array, items: {");
    schema_words(s, KNI_WORDS_STATE_PART);
    kni_put(s, "}}]");
}

// What the value of a key is: keywords of a schema.
static void key_value(kni_schema *s, const kni_key_info *key)
{
    switch (key->reader) {
    case KNI_READ_ATTRIBUTES:
        kni_put(s, BY_NAME, "bounds");
        return;
    case KNI_READ_BOOL:
        kni_put(s, "type: boolean");
        return;
    case KNI_READ_TOLERANCE:
        kni_put(s, TOLERANCE);
        return;
    case KNI_READ_FIELDS:
        if (key->kind != 0) {
            kni_put(s, MANY, "payload_item");
        } else {
            kni_put(s, "type: object");
        }
        return;
    case KNI_READ_PARTS:
        kni_put(s, MANY, "command_part");
        return;
    case KNI_READ_RECORDS:
        kni_put(s, "type: array, items: {type: object}");
        return;
    case KNI_READ_NOBODY:
        kni_put(s, "type: [string, null]");
        return;
    case KNI_READ_BOUND:
    case KNI_READ_F32:
        kni_put(s, "type: number");
        return;
    case KNI_READ_CALLER_VALUES:
    case KNI_READ_PARAMETERS:
    case KNI_READ_VALUES:
        kni_put(s, "type: object, additionalProperties: {type: number}");
        return;
    case KNI_READ_EVENT:
        kni_put(s, "$ref: '#/$defs/record'");
        return;
    case KNI_READ_FAILS:
        kni_put(s, ONE_OR_MANY, "refusal", "refusal");
        return;
    case KNI_READ_CONNECTION:
        kni_put(s, "anyOf: [{type: [string, null]}, " KNI_REF "]", "count");
        return;
    case KNI_READ_COUNTERS:
        counters_value(s);
        return;
    case KNI_READ_STATE_PARTS:
        state_parts_value(s);
        return;
    case KNI_READ_HASH:
        kni_put(s, HASH);
        return;
    case KNI_READ_I32:
        kni_put_integer(s, INT32_MIN, INT32_MAX);
        return;
    case KNI_READ_LEVELLED:
        kni_put(
            s, NAMES_OR_MAPPING, key->kind == KN_DEF_ABILITY ? "start_ability" : "start_effect");
        return;
    case KNI_READ_NAMES:
    case KNI_READ_TAGS:
    case KNI_READ_TEXTS:
    case KNI_READ_TYPES:
        kni_put(s, "anyOf: [" KNI_NAMES "]");
        return;
    case KNI_READ_TAG_COUNTS:
        kni_put(s, NAMES_OR_MAPPING, "count");
        return;
    case KNI_READ_TIME:
        kni_put(s, "$ref: '#/$defs/span'");
        return;
    case KNI_READ_U32:
        kni_put_integer(s, 0, key->kind > 0 ? key->kind : UINT32_MAX);
        return;
    case KNI_READ_U64:
        kni_put_integer(s, 0, UINT64_MAX);
        return;
    case KNI_READ_VECTOR:
        kni_put_numbers(s, 3);
        return;
    case KNI_READ_WORD:
        schema_words(s, (kni_word_list)key->kind);
        return;
    case KNI_READ_ABILITY:
    case KNI_READ_AS:
    case KNI_READ_EFFECT:
    case KNI_READ_MACHINE:
    case KNI_READ_MEASURE:
    case KNI_READ_NAME:
    case KNI_READ_QUERY:
    case KNI_READ_TEXT:
    case KNI_READ_TYPE:
        kni_put(s, "type: string");
        return;
    }
}

static void group_object(kni_schema *s, kni_group group);

static void grid_value(kni_schema *s)
{
    kni_put(s, "anyOf: [{type: boolean}, {type: number, minimum: ");
    kni_emitter_f32(s->out, KNI_CELL_MIN);
    kni_put(s, "maximum: ");
    kni_emitter_f32(s->out, KNI_CELL_MAX);
    kni_put(s, "}]");
}

// What the value of a key outside of parts is: keywords of a schema.
static void field_value(kni_schema *s, const kni_field_info *field)
{
    kni_range range;
    switch (field->value) {
    case KNI_VALUE_ACTIONS:
        kni_put(s, ONE_OR_MANY, "action", "action");
        return;
    case KNI_VALUE_ANY:
        return;
    case KNI_VALUE_BOOL:
        kni_put(s, "type: boolean");
        return;
    case KNI_VALUE_CHECKS:
        kni_put(s, "type: array, items: {");
        schema_words(s, KNI_WORDS_CHECK);
        kni_put(s, "}");
        return;
    case KNI_VALUE_CONDITIONS:
        kni_put(s, "$ref: '#/$defs/conditions'");
        return;
    case KNI_VALUE_COUNT:
        range = kni_field_range((kni_field)(field - kni_fields));
        kni_put_integer(s, range.least, range.most);
        return;
    case KNI_VALUE_CUES:
        kni_put(s, MANY, "cue");
        return;
    case KNI_VALUE_ENTITIES:
        kni_put(s, BY_NAME, "entity");
        return;
    case KNI_VALUE_EVENTS:
        kni_put(s, MANY, "sequence_event");
        return;
    case KNI_VALUE_EXPECTATIONS:
        kni_put(s, ONE_OR_MANY, "expect", "expect");
        return;
    case KNI_VALUE_GRID:
        grid_value(s);
        return;
    case KNI_VALUE_HASH:
        kni_put(s, HASH);
        return;
    case KNI_VALUE_LIBRARY:
        kni_put(s, "$ref: '#/$defs/library'");
        return;
    case KNI_VALUE_MACHINES:
        kni_put(s, "type: object, properties: {server: {");
        kni_put_text(s, "description", "the machine that decides");
        kni_put(s, "anyOf: [" KNI_REF "]}}, additionalProperties: " KNI_REF, "server", "machine");
        return;
    case KNI_VALUE_MEASURES:
        kni_put(s, BY_NAME, "measure");
        return;
    case KNI_VALUE_PRESET:
        schema_words(s, KNI_WORDS_PRESET);
        return;
    case KNI_VALUE_SHARE:
        kni_put(s, SHARE);
        return;
    case KNI_VALUE_SYNC_MODE:
        schema_words(s, KNI_WORDS_SYNC_MODE);
        return;
    case KNI_VALUE_NAMES:
    case KNI_VALUE_PATHS:
        kni_put(s, "anyOf: [" KNI_NAMES "]");
        return;
    case KNI_VALUE_SEED:
        kni_put_integer(s, 0, UINT64_MAX);
        return;
    case KNI_VALUE_STEP:
        kni_put(
            s, "anyOf: [" KNI_REF ", {type: string, pattern: '^1/[1-9][0-9]*( ?s)?$'}]", "time");
        return;
    case KNI_VALUE_TEXT:
        kni_put(s, "type: string");
        return;
    case KNI_VALUE_TIME:
        kni_put(s, "$ref: '#/$defs/time'");
        return;
    case KNI_VALUE_TIMELINE:
        kni_put(s, MANY, "entry");
        return;
    case KNI_VALUE_TOLERANCE:
        kni_put(s, TOLERANCE);
        return;
    case KNI_VALUE_VARIANT_ENTITIES:
        kni_put(s, BY_NAME, "changed_entity");
        return;
    case KNI_VALUE_VARIANT_WORLD:
        group_object(s, KNI_GROUP_VARIANT_WORLD);
        return;
    case KNI_VALUE_VARIANTS:
        kni_put(s, BY_NAME, "variant");
        return;
    case KNI_VALUE_WORLD:
        group_object(s, KNI_GROUP_WORLD);
        return;
    }
}

// Functions of the library --------------------------------------------------

static void argument_value(kni_schema *s, const kn_def_field *field)
{
    switch (field->kind) {
    case KN_FIELD_BOOL:
        kni_put(s, "type: boolean");
        return;
    case KN_FIELD_U32:
    case KN_FIELD_I32:
    case KN_FIELD_I64:
        kni_put(s, "type: integer");
        return;
    case KN_FIELD_F32:
        kni_put(s, "type: number");
        return;
    case KN_FIELD_TIME:
        kni_put(s, "anyOf: [" KNI_REF "]", "span");
        return;
    case KN_FIELD_VEC3:
        kni_put(s, "anyOf: [{type: null}, {");
        kni_put_numbers(s, 3);
        kni_put(s, "}]");
        return;
    case KN_DEF_FIELD_ENUM:
        kni_put(s, "enum: [");
        for (uint32_t i = 0; i < field->limit; i++) {
            kni_emitter_text(s->out, field->names[i]);
        }
        kni_put(s, "]");
        return;
    case KN_DEF_FIELD_TAGS:
        kni_put(s, "anyOf: [" KNI_NAMES "]");
        return;
    case KN_DEF_FIELD_ARRAY:
        kni_put(s, "type: array, items: {type: string}");
        return;
    case KN_DEF_FIELD_STRING:
        kni_put(s, "type: string");
        return;
    default: // a name of the scenario, or of the library
        kni_put(s, "type: [string, null]");
        return;
    }
}

static void arguments_schema(kni_schema *s, const kn_def_table *table)
{
    for (uint32_t i = 0; table != NULL && i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (field->kind == KN_DEF_FIELD_STRUCT) {
            arguments_schema(s, field->table);
            continue;
        }
        kni_put(s, "%s: {", field->name);
        if (field->text != NULL) {
            kni_put_text(s, "description", field->text);
        }
        argument_value(s, field);
        kni_put(s, "}");
    }
}

// What files call a function: those that change the world are actions, the others expectations.
// NULL for the other use. Ours of the same name go first; then the full name is left.
static const char *function_shown(
    const kni_schema *s, const kn_function_def *function, bool changes)
{
    const char *word = kni_function_word(function);
    bool is_ours = changes ? kni_verb_find(word) < KNI_VERB_COUNT
                           : kni_form_key(&kni_forms[KNI_FORM_EXPECTATION], word) != KNI_KEYS_END;
    if (((function->flags & KN_FUNCTION_CHANGES) != 0) != changes) {
        return NULL;
    }
    return is_ours || kni_function_find(s->library, word, changes) != function ? function->name
                                                                               : word;
}

static void functions_schema(kni_schema *s, bool changes)
{
    const kn_function_def *function;
    for (uint32_t i = 0; (function = kn_function_get_def(s->library, i)) != NULL; i++) {
        const char *word = function_shown(s, function, changes);
        if (word == NULL) {
            continue;
        }
        kni_put(s, "'%s': {", word);
        if (function->text != NULL) {
            kni_put_text(s, "description", function->text);
        }
        if (changes) {
            kni_put(s, "anyOf: [{type: string}, {type: object, properties: {");
            arguments_schema(s, function->arguments);
            kni_put(s, "returns: {}, expect: {");
            schema_words(s, KNI_WORDS_RESULT);
            kni_put(s, "}, times: " KNI_REF "}, additionalProperties: false}]", "count");
        }
        kni_put(s, "}");
    }
}

// Forms ---------------------------------------------------------------------

// `row` is NULL but for patterns of events.
static void form_object(kni_schema *s, const kni_form_info *form, const kni_event_row *row)
{
    kni_put(s, "type: object, properties: {");
    for (uint32_t i = 0; form->keys[i] != KNI_KEYS_END; i++) {
        const kni_key_info *key = &kni_keys[form->keys[i]];
        kni_put(s, "%s: {", key->name);
        kni_put_text(s, "description", key->doc);
        if (row != NULL && form->keys[i] == KNI_KEY_EVENT_TYPE) {
            row_types(s, row);
        } else if (row != NULL && form->keys[i] == KNI_KEY_EVENT_TAKE) {
            row_takes(s, row);
        } else {
            key_value(s, key);
        }
        kni_put(s, "}");
    }
    if (form == &kni_forms[KNI_FORM_EXPECTATION]) {
        functions_schema(s, false);
    }
    kni_put(s, "}");
    if (form->required[0] != KNI_KEYS_END) {
        kni_put(s, "required: [");
        for (uint32_t i = 0; i < 2 && form->required[i] != KNI_KEYS_END; i++) {
            kni_put(s, "%s", kni_keys[form->required[i]].name);
        }
        kni_put(s, "]");
    }
    if (form->any[0] != KNI_KEYS_END) {
        kni_put(s, "anyOf: [");
        for (uint32_t i = 0; form->any[i] != KNI_KEYS_END; i++) {
            kni_put(s, "{required: [%s]}", kni_keys[form->any[i]].name);
        }
        const kn_function_def *function;
        for (uint32_t i = 0; form == &kni_forms[KNI_FORM_EXPECTATION] &&
                             (function = kn_function_get_def(s->library, i)) != NULL;
             i++) {
            if (function_shown(s, function, false) != NULL && strchr(function->name, ':') == NULL) {
                kni_put(s, "{required: ['%s']}", function->name);
            }
        }
        kni_put(s, "]");
    }
    kni_put(s, "additionalProperties: false");
}

static void form_schema(kni_schema *s, const char *name, const kni_form_info *form, bool or_null)
{
    kni_put(s, "%s: {", name);
    kni_put_text(s, "description", form->doc);
    if (form->scalar == KNI_KEYS_END && !or_null) {
        form_object(s, form, NULL);
        kni_put(s, "}");
        return;
    }
    kni_put(s, or_null ? "anyOf: [{type: null}" : "anyOf: [");
    if (form->scalar != KNI_KEYS_END) {
        kni_put(s, "{");
        key_value(s, &kni_keys[form->scalar]);
        kni_put(s, "}");
    }
    kni_put(s, "{");
    form_object(s, form, NULL);
    kni_put(s, "}]}");
}

static void form_choice(kni_schema *s, const kni_form_info *form, const kni_event_row *row)
{
    kni_put(s, "{");
    kni_put_text(s, "description", form->doc);
    form_object(s, form, row);
    kni_put(s, "}");
}

// Patterns of events: one object for each row of types.
static void pattern_schema(kni_schema *s, const char *name, kni_pattern_use use)
{
    kni_put(s, "%s: {anyOf: [", name);
    if (use == KNI_PATTERN_MEASURE) {
        form_choice(s, &kni_forms[KNI_FORM_MEASURE], NULL);
    }
    for (uint32_t i = 0; i < kni_event_row_count; i++) {
        kni_form_info form = kni_event_form(&kni_event_rows[i], use);
        form_choice(s, &form, &kni_event_rows[i]);
    }
    kni_put(s, "]}");
}

static void group_properties(kni_schema *s, kni_group group)
{
    for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
        const kni_field_info *field = &kni_fields[i];
        if (field->group == group) {
            kni_put(s, "%s: {", field->name);
            kni_put_text(s, "description", field->doc);
            field_value(s, field);
            kni_put(s, "}");
        }
    }
}

static void group_object(kni_schema *s, kni_group group)
{
    kni_put(s, "type: object, properties: {");
    group_properties(s, group);
    kni_put(s, "}, additionalProperties: false");
}

static void action_schema(kni_schema *s)
{
    kni_put(s, "action: {type: object, properties: {");
    for (uint32_t i = 0; i < KNI_VERB_COUNT; i++) {
        if (i == KNI_VERB_NETWORK) { // by machine
            kni_put(s, "%s: {", kni_verbs[i].name);
            kni_put_text(s, "description", kni_verbs[i].doc);
            kni_put(s, BY_NAME "}", "link");
        } else {
            form_schema(s, kni_verbs[i].name, &kni_verbs[i], false);
        }
    }
    functions_schema(s, true);
    group_properties(s, KNI_GROUP_ACTION);
    kni_put(s, "}, additionalProperties: false}");
}

static void entry_schema(kni_schema *s)
{
    const kni_field times[] = {KNI_FIELD_ENTRY_AT, KNI_FIELD_ENTRY_AFTER, KNI_FIELD_ENTRY_EVERY};
    kni_put(s, "entry: {");
    group_object(s, KNI_GROUP_ENTRY);
    kni_put(s, "dependentRequired: {");
    for (kni_field field = KNI_FIELD_ENTRY_FROM; field <= KNI_FIELD_ENTRY_UNTIL; field++) {
        kni_put(s, "%s: [%s]", kni_fields[field].name, kni_fields[KNI_FIELD_ENTRY_EVERY].name);
    }
    kni_put(s, "}, not: {anyOf: ["); // two of them
    for (uint32_t i = 0; i < 3; i++) {
        kni_put(s, "{required: [%s, %s]}", kni_fields[times[i]].name,
            kni_fields[times[(i + 1) % 3]].name);
    }
    kni_put(s, "]}}");
}

// The server, a client with its conditions, a change of them, and those of one way.
static void machine_schemas(kni_schema *s)
{
    kni_put(s, "server: {anyOf: [{type: null}, {");
    group_object(s, KNI_GROUP_SERVER);
    kni_put(s, "}]}, machine: {anyOf: [{type: null}, {type: object, properties: {");
    group_properties(s, KNI_GROUP_MACHINE);
    group_properties(s, KNI_GROUP_CONDITIONS);
    kni_put(s, "}, additionalProperties: false}]}, link: {type: object, properties: {");
    for (kni_field field = KNI_FIELD_MACHINE_UP; field <= KNI_FIELD_MACHINE_DOWN; field++) {
        kni_put(s, "%s: {", kni_fields[field].name);
        kni_put_text(s, "description", kni_fields[field].doc);
        kni_put(s, "anyOf: [" KNI_REF "]}", "conditions");
    }
    group_properties(s, KNI_GROUP_CONDITIONS);
    kni_put(s, "}, additionalProperties: false}, conditions: {");
    group_object(s, KNI_GROUP_CONDITIONS);
    kni_put(s, "}");
}

static void scenario_defs(kni_schema *s)
{
    kni_put(s, "library: {");
    kni_schema_library(s);
    kni_put(s, "}, span: {anyOf: [{type: number}, "
               "{type: string, pattern: '^(forever|-?" KNI_TIME_PATTERN ")$'}]}, count: {");
    kni_put_integer(s, 0, UINT32_MAX);
    kni_put(s, "}, payload_item: {type: object, properties: {");
    for (uint32_t i = 0; i < kni_payload_kind_count; i++) {
        kni_put(s, "+%s: {}", kni_payload_kinds[i].word);
    }
    kni_put(s, "}, additionalProperties: false}, refusal: {");
    schema_words(s, KNI_WORDS_FAIL);
    kni_put(s, "}");
    form_schema(s, "bounds", &kni_forms[KNI_FORM_BOUNDS], false);
    form_schema(s, "start_ability", &kni_forms[KNI_FORM_ABILITY], true);
    form_schema(s, "start_effect", &kni_forms[KNI_FORM_EFFECT], true);
    form_schema(s, "entity", &kni_forms[KNI_FORM_ENTITY], true);
    form_schema(s, "changed_entity", &kni_forms[KNI_FORM_ENTITY], false);
    form_schema(s, "command_part", &kni_forms[KNI_FORM_PART], false);
    form_schema(s, "record", &kni_forms[KNI_FORM_RECORD], false);
    pattern_schema(s, "event", KNI_PATTERN_EXPECTED);
    pattern_schema(s, "sequence_event", KNI_PATTERN_SEQUENCE);
    form_schema(s, "cue", &kni_forms[KNI_FORM_CUE], false);
    form_schema(s, "expectation", &kni_forms[KNI_FORM_EXPECTATION], false);
    pattern_schema(s, "measure", KNI_PATTERN_MEASURE);
    kni_put(s, "expect: {anyOf: [" KNI_REF ", " KNI_REF "]}", "expectation", "event");
    machine_schemas(s);
    action_schema(s);
    entry_schema(s);
    kni_put(s, "variant: {");
    group_object(s, KNI_GROUP_VARIANT);
    kni_put(s, "}");
}

void kni_schema_scenario_file(kni_schema *s)
{
    kni_put(s, "{$schema: 'https://json-schema.org/draft/2020-12/schema', "
               "title: 'knack scenario'");
    group_object(s, KNI_GROUP_FILE);
    kni_put(s, "$defs: {");
    scenario_defs(s);
    kni_schema_library_defs(s);
    kni_put(s, "}}");
}
