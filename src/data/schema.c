// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema of data files, from the field tables of the defs and the short forms; and that of
// scenarios, from their tables of keys and forms.

#include "emit.h"
#include "field_docs.h"
#include "lint.h"
#include "scenario_tables.h"
#include "shapes.h"

#include "knack/data.h"

#include <stdio.h>
#include <string.h>

#define SCHEMA_TABLES_MAX 128

typedef struct schema {
    kni_emitter *out;
    const kn_def_table *tables[SCHEMA_TABLES_MAX]; // every struct that occurs, once
    uint32_t table_count;
} schema;

// Words ---------------------------------------------------------------------

static void put(schema *s, const char *key, const char *text)
{
    kni_emitter_key(s->out, key);
    kni_emitter_text(s->out, text);
}

static void begin(schema *s, const char *key)
{
    if (key != NULL) {
        kni_emitter_key(s->out, key);
    }
    kni_emitter_begin_mapping(s->out);
}

// A key of data files that is not a field, with its help.
static void begin_key(schema *s, const char *key)
{
    const char *help = key != NULL ? kni_key_text(key) : NULL;
    begin(s, key);
    if (help != NULL) {
        kni_emitter_key(s->out, "description");
        kni_emitter_text(s->out, help);
    }
}

static void end(schema *s)
{
    kni_emitter_end_mapping(s->out);
}

static void begin_list(schema *s, const char *key)
{
    kni_emitter_key(s->out, key);
    kni_emitter_begin_sequence(s->out);
}

static void end_list(schema *s)
{
    kni_emitter_end_sequence(s->out);
}

// {"type": name}
static void type_only(schema *s, const char *key, const char *name)
{
    begin_key(s, key);
    put(s, "type", name);
    end(s);
}

// "type": [name, "null"]
static void put_or_null(schema *s, const char *name)
{
    begin_list(s, "type");
    kni_emitter_text(s->out, name);
    kni_emitter_text(s->out, "null");
    end_list(s);
}

// A name, or nothing again where a parent has one.
static void name_or_none(schema *s, const char *key)
{
    begin_key(s, key);
    put_or_null(s, "string");
    end(s);
}

#define TIME_PATTERN "[0-9]+(\\.[0-9]+)? ?(us|ms|s|min|h)"

// A string of a certain form.
static void pattern(schema *s, const char *form)
{
    begin(s, NULL);
    put(s, "type", "string");
    put(s, "pattern", form);
    end(s);
}

static void closed(schema *s)
{
    kni_emitter_key(s->out, "additionalProperties");
    kni_emitter_bool(s->out, false);
}

static void reference(schema *s, const char *key, const char *prefix, const char *name)
{
    char path[128];
    (void)snprintf(path, sizeof(path), "#/$defs/%s%s", prefix, name);
    begin(s, key);
    put(s, "$ref", path);
    end(s);
}

static void integer(schema *s, int64_t min, uint64_t max)
{
    put(s, "type", "integer");
    kni_emitter_key(s->out, "minimum");
    kni_emitter_i64(s->out, min);
    kni_emitter_key(s->out, "maximum");
    kni_emitter_u64(s->out, max);
}

static void numbers(schema *s, uint32_t count)
{
    put(s, "type", "array");
    type_only(s, "items", "number");
    kni_emitter_key(s->out, "minItems");
    kni_emitter_u64(s->out, count);
    kni_emitter_key(s->out, "maxItems");
    kni_emitter_u64(s->out, count);
}

// A string, or an array of strings.
static void names(schema *s, const char *key)
{
    begin_key(s, key);
    begin_list(s, "anyOf");
    type_only(s, NULL, "string");
    begin(s, NULL);
    put(s, "type", "array");
    type_only(s, "items", "string");
    end(s);
    end_list(s);
    end(s);
}

// Fields --------------------------------------------------------------------

static void list_forms(schema *s, const kn_def_table *table)
{
    begin(s, NULL);
    put(s, "type", "array");
    reference(s, "items", "item_", table->name);
    end(s);
    if (kni_shape_of(table).key != NULL) {
        begin(s, NULL);
        put(s, "type", "object");
        reference(s, "additionalProperties", "keyed_", table->name);
        end(s);
    }
}

static void array_forms(schema *s, const kn_def_table *table)
{
    list_forms(s, table);
    // What is added to an inherited list.
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "properties");
    begin_key(s, "add");
    begin_list(s, "anyOf");
    list_forms(s, table);
    end_list(s);
    end(s);
    end(s);
    begin_list(s, "required");
    kni_emitter_text(s->out, "add");
    end_list(s);
    closed(s);
    end(s);
}

static void tag_forms(schema *s)
{
    names(s, NULL);
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "properties");
    names(s, "add");
    names(s, "remove");
    end(s);
    closed(s);
    end(s);
}

static void choices(schema *s, const kn_def_field *field)
{
    begin_list(s, "enum");
    for (uint32_t i = 0; i < field->limit; i++) {
        kni_emitter_text(s->out, field->names[i]);
    }
    end_list(s);
}

// Bits that have words: one of them, a list, or the number.
static void flags(schema *s, const kn_def_field *field)
{
    begin(s, NULL);
    choices(s, field);
    end(s);
    begin(s, NULL);
    put(s, "type", "array");
    begin(s, "items");
    choices(s, field);
    end(s);
    end(s);
    begin(s, NULL);
    integer(s, 0, UINT32_MAX);
    end(s);
}

// One form of a field's value, as an item of anyOf, or several.
static void field_forms(schema *s, const kn_def_field *field)
{
    switch (field->kind) {
    case KN_DEF_FIELD_STRUCT:
        reference(s, NULL, "", field->table->name);
        return;
    case KN_DEF_FIELD_ARRAY:
        array_forms(s, field->table);
        return;
    case KN_DEF_FIELD_TAGS:
        tag_forms(s);
        return;
    case KN_DEF_FIELD_REFS:
        names(s, NULL);
        return;
    case KN_FIELD_TIME:
        reference(s, NULL, "", "time");
        return;
    default:
        break;
    }
    if (field->kind == KN_FIELD_U32 && field->names != NULL) {
        flags(s, field);
        return;
    }
    begin(s, NULL);
    switch (field->kind) {
    case KN_FIELD_BOOL:
        put(s, "type", "boolean");
        break;
    case KN_FIELD_U8:
        integer(s, 0, UINT8_MAX);
        break;
    case KN_FIELD_U16:
        integer(s, 0, UINT16_MAX);
        break;
    case KN_FIELD_U32:
        integer(s, 0, UINT32_MAX);
        break;
    case KN_FIELD_I32:
        integer(s, INT32_MIN, INT32_MAX);
        break;
    case KN_FIELD_U64:
        integer(s, 0, UINT64_MAX);
        break;
    case KN_FIELD_I64:
        put(s, "type", "integer");
        break;
    case KN_FIELD_F32:
        put(s, "type", "number");
        break;
    case KN_FIELD_VEC3:
        numbers(s, 3);
        break;
    case KN_DEF_FIELD_ENUM:
        choices(s, field);
        break;
    default:
        put(s, "type", "string");
        break;
    }
    end(s);
}

const char *kn_data_field_text(const char *table, const char *field)
{
    for (uint32_t i = 0; i < kni_field_doc_count; i++) {
        if (strcmp(kni_field_docs[i].table, table) == 0 &&
            strcmp(kni_field_docs[i].field, field) == 0) {
            return kni_field_docs[i].text;
        }
    }
    return NULL;
}

static void field_schema(schema *s, const kn_def_table *table, const kn_def_field *field)
{
    const char *doc = kn_data_field_text(table->name, field->name);
    begin(s, field->name);
    if (doc != NULL) {
        put(s, "description", doc);
    }
    begin_list(s, "anyOf");
    field_forms(s, field);
    if (strcmp(table->name, "kn_effect_def") == 0 && strcmp(field->name, "duration") == 0) {
        begin(s, NULL);
        begin_list(s, "enum");
        kni_emitter_text(s->out, "instant");
        kni_emitter_text(s->out, "infinite");
        end_list(s);
        end(s);
    }
    type_only(s, NULL, "null");
    end_list(s);
    end(s);
}

// Structs -------------------------------------------------------------------

static void properties(schema *s, const kn_def_table *table, const char *without)
{
    begin(s, "properties");
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (kni_field_is_written(field) && (without == NULL || strcmp(field->name, without) != 0)) {
            field_schema(s, table, field);
        }
    }
}

static void object_form(schema *s, const kn_def_table *table, const char *without)
{
    begin(s, NULL);
    put(s, "type", "object");
    properties(s, table, without);
    end(s);
    closed(s);
    end(s);
}

// Forms of single structs that are written often.
static void special_forms(schema *s, const char *table)
{
    if (strcmp(table, "kn_magnitude") == 0 || strcmp(table, "kn_limit") == 0) {
        type_only(s, NULL, "number");
        type_only(s, NULL, "string");
    } else if (strcmp(table, "kn_scalable") == 0) {
        type_only(s, NULL, "number");
        pattern(s, "^(\\$.+|-?" TIME_PATTERN ")$"); // a parameter, or a time
    } else if (strcmp(table, "kn_capture") == 0) {
        pattern(s, "^(source|target|causer)\\.");
    } else if (strcmp(table, "kn_tag_requirement") == 0) {
        names(s, NULL);
    } else if (strcmp(table, "kn_value_profile") == 0) {
        begin(s, NULL);
        begin_list(s, "enum");
        kni_emitter_text(s->out, "gas");
        kni_emitter_text(s->out, "combat");
        end_list(s);
        end(s);
    } else if (strcmp(table, "kn_curve_point") == 0) {
        begin(s, NULL);
        numbers(s, 2);
        end(s);
    }
}

// One field of a struct that stands for all of it.
static void scalar_form(schema *s, const kn_def_table *table, const char *name)
{
    const kn_def_field *field = name != NULL ? kni_table_field(table, name) : NULL;
    if (field != NULL && field->kind == KN_DEF_FIELD_STRUCT) {
        special_forms(s, field->table->name); // a mapping is the item, not the field
    } else if (field != NULL) {
        field_forms(s, field);
    }
}

// {key: string} and nothing else.
static void only_key(schema *s, const char *key)
{
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "properties");
    type_only(s, key, "string");
    end(s);
    begin_list(s, "required");
    kni_emitter_text(s->out, key);
    end_list(s);
    closed(s);
    end(s);
}

// A struct in a field; as an item of a list; and as a value under its key.
static void struct_schema(schema *s, const kn_def_table *table)
{
    kni_shape shape = kni_shape_of(table);
    char name[96];
    begin(s, table->name);
    begin_list(s, "anyOf");
    special_forms(s, table->name);
    if (strcmp(table->name, "kn_magnitude") == 0) {
        reference(s, NULL, "", "kn_scalable");
        only_key(s, "expression");
    }
    object_form(s, table, NULL);
    end_list(s);
    end(s);
    (void)snprintf(name, sizeof(name), "item_%s", table->name);
    begin(s, name);
    begin_list(s, "anyOf");
    scalar_form(s, table, shape.key);
    reference(s, NULL, "", table->name);
    end_list(s);
    end(s);
    if (shape.key != NULL) {
        (void)snprintf(name, sizeof(name), "keyed_%s", table->name);
        begin(s, name);
        begin_list(s, "anyOf");
        type_only(s, NULL, "null");
        scalar_form(s, table, shape.value);
        object_form(s, table, NULL);
        end_list(s);
        end(s);
    }
}

static void collect(schema *s, const kn_def_table *table)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_table *part = table->fields[i].table;
        bool is_new = part != NULL;
        for (uint32_t j = 0; is_new && j < s->table_count; j++) {
            is_new = s->tables[j] != part;
        }
        if (is_new && s->table_count < SCHEMA_TABLES_MAX) {
            s->tables[s->table_count++] = part;
            collect(s, part);
        }
    }
}

// Sections ------------------------------------------------------------------

static void def_forms(schema *s, const kni_section *section, const kn_def_table *table)
{
    type_only(s, NULL, "null");
    begin(s, NULL);
    put(s, "type", "object");
    properties(s, table, "name");
    if (kni_table_field(table, "parent") == NULL) {
        name_or_none(s, "parent");
    }
    name_or_none(s, "script");
    name_or_none(s, "native");
    end(s);
    closed(s);
    end(s);
    if (section->kind == KN_DEF_CURVE) {
        begin(s, NULL);
        put(s, "type", "array");
        reference(s, "items", "", "kn_curve_point");
        end(s);
    }
}

static void body_schema(schema *s, const kni_section *section)
{
    const kn_def_table *table = kn_def_table_of(section->kind);
    begin(s, "additionalProperties");
    begin_list(s, "anyOf");
    if (table != NULL) {
        def_forms(s, section, table);
    } else if (section->kind == KN_DEF_CONTEXT) {
        begin(s, NULL);
        integer(s, 1, 65536);
        end(s);
    } else {
        only_key(s, "script");
        if (section->kind == KN_DEF_REQUIREMENT || section->kind == KN_DEF_CONDITION) {
            only_key(s, "expression");
        }
    }
    end_list(s);
    end(s);
}

static void section_schema(schema *s, const kni_section *section)
{
    begin_key(s, section->key);
    put_or_null(s, "object");
    body_schema(s, section);
    end(s);
}

static void tag_schema(schema *s)
{
    begin(s, "tag");
    begin_list(s, "anyOf");
    type_only(s, NULL, "string");
    type_only(s, NULL, "null");
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "properties");
    type_only(s, "comment", "string");
    type_only(s, "source", "string");
    type_only(s, "restricted", "boolean");
    end(s);
    closed(s);
    end(s);
    end_list(s);
    end(s);
}

static void tags_section(schema *s)
{
    begin_key(s, "tags");
    begin_list(s, "anyOf");
    type_only(s, NULL, "null");
    begin(s, NULL);
    put(s, "type", "object");
    reference(s, "additionalProperties", "", "tag");
    end(s);
    begin(s, NULL);
    put(s, "type", "array");
    begin(s, "items");
    begin_list(s, "anyOf");
    type_only(s, NULL, "string");
    begin(s, NULL);
    put(s, "type", "object");
    reference(s, "additionalProperties", "", "tag");
    end(s);
    end_list(s);
    end(s);
    end(s);
    end_list(s);
    end(s);
}

static void text_mapping(schema *s, const char *key, const char *help)
{
    begin(s, key);
    put(s, "description", help);
    put_or_null(s, "object");
    type_only(s, "additionalProperties", "string");
    end(s);
}

static void settings_section(schema *s)
{
    begin_key(s, "settings");
    put_or_null(s, "object");
    begin(s, "properties");
    begin_key(s, "fail_tags");
    begin_list(s, "anyOf");
    begin(s, NULL);
    put(s, "const", "standard");
    end(s);
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "properties");
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        type_only(s, kn_fail_name((kn_fail)(1 << i)), "string");
    }
    end(s);
    closed(s);
    end(s);
    end_list(s);
    end(s);
    type_only(s, "dead_tag", "string");
    type_only(s, "cue_root", "string");
    end(s);
    closed(s);
    end(s);
}

static void starting_values_section(schema *s)
{
    begin_key(s, "starting_values");
    begin_list(s, "anyOf");
    type_only(s, NULL, "null");
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "additionalProperties");
    put_or_null(s, "object");
    begin(s, "additionalProperties");
    begin_list(s, "anyOf");
    type_only(s, NULL, "number");
    begin(s, NULL);
    put(s, "type", "array");
    type_only(s, "items", "number");
    end(s);
    end_list(s);
    end(s);
    end(s);
    end(s);
    begin(s, NULL);
    put(s, "type", "array");
    begin(s, "items");
    put(s, "type", "array");
    begin_list(s, "prefixItems"); // group, attribute, level, value
    type_only(s, NULL, "string");
    type_only(s, NULL, "string");
    begin(s, NULL);
    integer(s, 0, UINT32_MAX);
    end(s);
    type_only(s, NULL, "number");
    end_list(s);
    kni_emitter_key(s->out, "minItems");
    kni_emitter_u64(s->out, 4);
    kni_emitter_key(s->out, "maxItems");
    kni_emitter_u64(s->out, 4);
    end(s);
    end(s);
    end_list(s);
    end(s);
}

// What a data document is: keywords of a schema without those around it.
static void library_schema(schema *s)
{
    begin_list(s, "type");
    kni_emitter_text(s->out, "object");
    kni_emitter_text(s->out, "null");
    end_list(s);
    begin(s, "properties");
    name_or_none(s, "module");
    tags_section(s);
    begin_key(s, "redirects");
    put_or_null(s, "object");
    begin(s, "properties");
    text_mapping(s, "tags", "Old names of tags, and the names that replace them.");
    text_mapping(s, "attributes", "Old names of attributes, and the names that replace them.");
    end(s);
    closed(s);
    end(s);
    begin_key(s, "common_tags");
    begin_list(s, "anyOf");
    type_only(s, NULL, "null");
    names(s, NULL);
    end_list(s);
    end(s);
    begin_key(s, "names");
    put_or_null(s, "array");
    type_only(s, "items", "string");
    end(s);
    begin_key(s, "lints_off");
    put_or_null(s, "array");
    begin(s, "items");
    begin_list(s, "enum");
    for (uint32_t i = 0; i < kni_lint_count; i++) {
        kni_emitter_text(s->out, kni_lint_names[i]);
    }
    end_list(s);
    end(s);
    end(s);
    settings_section(s);
    for (uint32_t i = 0; i < kni_section_count; i++) {
        section_schema(s, &kni_sections[i]);
    }
    starting_values_section(s);
    end(s);
    closed(s);
}

static void library_defs(schema *s)
{
    tag_schema(s);
    begin(s, "time");
    begin_list(s, "anyOf");
    begin(s, NULL);
    put(s, "type", "number");
    kni_emitter_key(s->out, "minimum");
    kni_emitter_u64(s->out, 0);
    end(s);
    pattern(s, "^" TIME_PATTERN "$");
    end_list(s);
    end(s);
    for (uint32_t i = 0; i < s->table_count; i++) {
        struct_schema(s, s->tables[i]);
    }
}

static void file_head(schema *s, const char *title)
{
    begin(s, NULL);
    put(s, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put(s, "title", title);
}

static void library_file(schema *s)
{
    file_head(s, "knack data file");
    library_schema(s);
    begin(s, "$defs");
    library_defs(s);
    end(s);
    end(s);
}

// Scenarios -----------------------------------------------------------------

// A word, and again with `_` for every blank. Keywords of a schema without those around them.
static void words_enum(schema *s, const kni_words *all)
{
    begin_list(s, "enum");
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
    end_list(s);
}

static void words(schema *s, kni_word_list list)
{
    kni_words all;
    kni_words_of(list, &all);
    words_enum(s, &all);
}

// `items` of a list, or one of them in its place.
static void one_or_many(schema *s, const char *name)
{
    begin_list(s, "anyOf");
    reference(s, NULL, "", name);
    begin(s, NULL);
    put(s, "type", "array");
    reference(s, "items", "", name);
    end(s);
    end_list(s);
}

static void many(schema *s, const char *name)
{
    put(s, "type", "array");
    reference(s, "items", "", name);
}

static void by_name(schema *s, const char *name)
{
    put(s, "type", "object");
    reference(s, "additionalProperties", "", name);
}

// A list of names, or a mapping from them to what `name` is.
static void names_or_mapping(schema *s, const char *name)
{
    begin_list(s, "anyOf");
    names(s, NULL);
    begin(s, NULL);
    by_name(s, name);
    end(s);
    end_list(s);
}

static void hash_schema(schema *s)
{
    // YAML reads 0x12 as a number.
    begin_list(s, "type");
    kni_emitter_text(s->out, "string");
    kni_emitter_text(s->out, "integer");
    end_list(s);
    put(s, "pattern", "^0x[0-9a-fA-F]{1,16}$");
}

static void tolerance_schema(schema *s)
{
    begin_list(s, "anyOf");
    begin(s, NULL);
    put(s, "type", "number");
    kni_emitter_key(s->out, "minimum");
    kni_emitter_u64(s->out, 0);
    end(s);
    pattern(s, "^[0-9]+(\\.[0-9]+)? ?%$");
    end_list(s);
}

// What the value of a key is: keywords of a schema.
static void key_value(schema *s, const kni_key_info *key)
{
    switch (key->reader) {
    case KNI_READ_ATTRIBUTES:
        by_name(s, "bounds");
        return;
    case KNI_READ_BOOL:
        put(s, "type", "boolean");
        return;
    case KNI_READ_TOLERANCE:
        tolerance_schema(s);
        return;
    case KNI_READ_FIELDS:
        if (key->kind != 0) {
            many(s, "payload_item");
        } else {
            put(s, "type", "object");
        }
        return;
    case KNI_READ_RECORDS:
        put(s, "type", "array");
        type_only(s, "items", "object");
        return;
    case KNI_READ_NOBODY:
        begin_list(s, "type");
        kni_emitter_text(s->out, "string");
        kni_emitter_text(s->out, "null");
        end_list(s);
        return;
    case KNI_READ_TEXTS:
        begin_list(s, "anyOf");
        names(s, NULL);
        end_list(s);
        return;
    case KNI_READ_BOUND:
    case KNI_READ_F32:
        put(s, "type", "number");
        return;
    case KNI_READ_CALLER_VALUES:
    case KNI_READ_PARAMETERS:
    case KNI_READ_VALUES:
        put(s, "type", "object");
        type_only(s, "additionalProperties", "number");
        return;
    case KNI_READ_EVENT:
        put(s, "$ref", "#/$defs/record");
        return;
    case KNI_READ_FAILS:
        one_or_many(s, "refusal");
        return;
    case KNI_READ_HASH:
        hash_schema(s);
        return;
    case KNI_READ_I32:
        integer(s, INT32_MIN, INT32_MAX);
        return;
    case KNI_READ_LEVELLED:
        names_or_mapping(s, key->kind == KN_DEF_ABILITY ? "start_ability" : "start_effect");
        return;
    case KNI_READ_NAMES:
    case KNI_READ_TAGS:
    case KNI_READ_TYPES:
        begin_list(s, "anyOf");
        names(s, NULL);
        end_list(s);
        return;
    case KNI_READ_TAG_COUNTS:
        names_or_mapping(s, "count");
        return;
    case KNI_READ_TIME:
        put(s, "$ref", "#/$defs/span");
        return;
    case KNI_READ_U32:
        integer(s, 0, key->kind > 0 ? key->kind : UINT32_MAX);
        return;
    case KNI_READ_U64:
        integer(s, 0, UINT64_MAX);
        return;
    case KNI_READ_VECTOR:
        numbers(s, 3);
        return;
    case KNI_READ_WORD:
        words(s, (kni_word_list)key->kind);
        return;
    case KNI_READ_ABILITY:
    case KNI_READ_AS:
    case KNI_READ_EFFECT:
    case KNI_READ_MEASURE:
    case KNI_READ_NAME:
    case KNI_READ_QUERY:
    case KNI_READ_TEXT:
    case KNI_READ_TYPE:
        put(s, "type", "string");
        return;
    }
}

static void required_key(schema *s, const char *name)
{
    begin_list(s, "required");
    kni_emitter_text(s->out, name);
    end_list(s);
}

// The types of a row of events, as words.
static void row_types(schema *s, const kni_event_row *row)
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
static void row_takes(schema *s, const kni_event_row *row)
{
    kni_words takes;
    kni_words_of(KNI_WORDS_EVENT_TAKE, &takes);
    if (!kni_event_row_has(row, KNI_KEY_MAGNITUDE)) {
        takes.items[KNI_TAKE_SUM] = NULL;
    }
    words_enum(s, &takes);
}

// `row` is NULL but for patterns of events.
static void form_object(schema *s, const kni_form_info *form, const kni_event_row *row)
{
    put(s, "type", "object");
    begin(s, "properties");
    for (uint32_t i = 0; form->keys[i] != KNI_KEYS_END; i++) {
        const kni_key_info *key = &kni_keys[form->keys[i]];
        begin(s, key->name);
        put(s, "description", key->doc);
        if (row != NULL && form->keys[i] == KNI_KEY_EVENT_TYPE) {
            row_types(s, row);
        } else if (row != NULL && form->keys[i] == KNI_KEY_EVENT_TAKE) {
            row_takes(s, row);
        } else {
            key_value(s, key);
        }
        end(s);
    }
    end(s);
    if (form->required[0] != KNI_KEYS_END) {
        begin_list(s, "required");
        for (uint32_t i = 0; i < 2 && form->required[i] != KNI_KEYS_END; i++) {
            kni_emitter_text(s->out, kni_keys[form->required[i]].name);
        }
        end_list(s);
    }
    if (form->any[0] != KNI_KEYS_END) {
        begin_list(s, "anyOf");
        for (uint32_t i = 0; form->any[i] != KNI_KEYS_END; i++) {
            begin(s, NULL);
            required_key(s, kni_keys[form->any[i]].name);
            end(s);
        }
        end_list(s);
    }
    closed(s);
}

static void form_schema(schema *s, const char *name, const kni_form_info *form, bool or_null)
{
    begin(s, name);
    put(s, "description", form->doc);
    if (form->scalar == KNI_KEYS_END && !or_null) {
        form_object(s, form, NULL);
        end(s);
        return;
    }
    begin_list(s, "anyOf");
    if (or_null) {
        type_only(s, NULL, "null");
    }
    if (form->scalar != KNI_KEYS_END) {
        begin(s, NULL);
        key_value(s, &kni_keys[form->scalar]);
        end(s);
    }
    begin(s, NULL);
    form_object(s, form, NULL);
    end(s);
    end_list(s);
    end(s);
}

// Patterns of events: one object for each row of types.
static void pattern_choices(schema *s, kni_pattern_use use)
{
    for (uint32_t i = 0; i < kni_event_row_count; i++) {
        kni_form_info form = kni_event_form(&kni_event_rows[i], use);
        begin(s, NULL);
        put(s, "description", form.doc);
        form_object(s, &form, &kni_event_rows[i]);
        end(s);
    }
}

static void pattern_schema(schema *s, const char *name, kni_pattern_use use)
{
    begin(s, name);
    begin_list(s, "anyOf");
    if (use == KNI_PATTERN_MEASURE) {
        begin(s, NULL);
        put(s, "description", kni_forms[KNI_FORM_MEASURE].doc);
        form_object(s, &kni_forms[KNI_FORM_MEASURE], NULL);
        end(s);
    }
    pattern_choices(s, use);
    end_list(s);
    end(s);
}

static void field_value(schema *s, kni_value value);

static void group_properties(schema *s, kni_group group)
{
    for (uint32_t i = 0; i < KNI_FIELD_COUNT; i++) {
        const kni_field_info *field = &kni_fields[i];
        if (field->group == group) {
            begin(s, field->name);
            put(s, "description", field->doc);
            field_value(s, field->value);
            end(s);
        }
    }
}

static void group_object(schema *s, kni_group group)
{
    put(s, "type", "object");
    begin(s, "properties");
    group_properties(s, group);
    end(s);
    closed(s);
}

static void step_schema(schema *s)
{
    begin_list(s, "anyOf");
    reference(s, NULL, "", "time");
    pattern(s, "^1/[1-9][0-9]*( ?s)?$");
    end_list(s);
}

static void grid_schema(schema *s)
{
    begin_list(s, "anyOf");
    type_only(s, NULL, "boolean");
    begin(s, NULL);
    put(s, "type", "number");
    kni_emitter_key(s->out, "minimum");
    kni_emitter_f32(s->out, KNI_CELL_MIN);
    kni_emitter_key(s->out, "maximum");
    kni_emitter_f32(s->out, KNI_CELL_MAX);
    end(s);
    end_list(s);
}

// What the value of a key outside of parts is: keywords of a schema.
static void field_value(schema *s, kni_value value)
{
    switch (value) {
    case KNI_VALUE_ACTIONS:
        one_or_many(s, "action");
        return;
    case KNI_VALUE_ANY:
        return;
    case KNI_VALUE_BOOL:
        put(s, "type", "boolean");
        return;
    case KNI_VALUE_CHECKS:
        put(s, "type", "array");
        begin(s, "items");
        words(s, KNI_WORDS_CHECK);
        end(s);
        return;
    case KNI_VALUE_COUNT:
        integer(s, 0, UINT32_MAX);
        return;
    case KNI_VALUE_CUES:
        many(s, "cue");
        return;
    case KNI_VALUE_ENTITIES:
        by_name(s, "entity");
        return;
    case KNI_VALUE_EVENTS:
        many(s, "sequence_event");
        return;
    case KNI_VALUE_EXPECTATIONS:
        one_or_many(s, "expect");
        return;
    case KNI_VALUE_GRID:
        grid_schema(s);
        return;
    case KNI_VALUE_HASH:
        hash_schema(s);
        return;
    case KNI_VALUE_LIBRARY:
        put(s, "$ref", "#/$defs/library");
        return;
    case KNI_VALUE_MEASURES:
        by_name(s, "measure");
        return;
    case KNI_VALUE_PATHS:
        begin_list(s, "anyOf");
        names(s, NULL);
        end_list(s);
        return;
    case KNI_VALUE_SEED:
        integer(s, 0, UINT64_MAX);
        return;
    case KNI_VALUE_STEP:
        step_schema(s);
        return;
    case KNI_VALUE_TEXT:
        put(s, "type", "string");
        return;
    case KNI_VALUE_TIME:
        put(s, "$ref", "#/$defs/time");
        return;
    case KNI_VALUE_TIMELINE:
        many(s, "entry");
        return;
    case KNI_VALUE_TOLERANCE:
        tolerance_schema(s);
        return;
    case KNI_VALUE_VARIANT_ENTITIES:
        by_name(s, "changed_entity");
        return;
    case KNI_VALUE_VARIANT_WORLD:
        group_object(s, KNI_GROUP_VARIANT_WORLD);
        return;
    case KNI_VALUE_VARIANTS:
        by_name(s, "variant");
        return;
    case KNI_VALUE_WORLD:
        group_object(s, KNI_GROUP_WORLD);
        return;
    }
}

static void group_schema(schema *s, const char *name, kni_group group)
{
    begin(s, name);
    group_object(s, group);
    end(s);
}

static void action_schema(schema *s)
{
    begin(s, "action");
    put(s, "type", "object");
    begin(s, "properties");
    for (uint32_t i = 0; i < KNI_VERB_COUNT; i++) {
        form_schema(s, kni_verbs[i].name, &kni_verbs[i], false);
    }
    group_properties(s, KNI_GROUP_ACTION);
    end(s);
    closed(s);
    end(s);
}

static void entry_schema(schema *s)
{
    const kni_field times[] = {KNI_FIELD_ENTRY_AT, KNI_FIELD_ENTRY_AFTER, KNI_FIELD_ENTRY_EVERY};
    begin(s, "entry");
    group_object(s, KNI_GROUP_ENTRY);
    begin(s, "dependentRequired");
    for (kni_field field = KNI_FIELD_ENTRY_FROM; field <= KNI_FIELD_ENTRY_UNTIL; field++) {
        begin_list(s, kni_fields[field].name);
        kni_emitter_text(s->out, kni_fields[KNI_FIELD_ENTRY_EVERY].name);
        end_list(s);
    }
    end(s);
    begin(s, "not"); // two of them
    begin_list(s, "anyOf");
    for (uint32_t i = 0; i < 3; i++) {
        begin(s, NULL);
        begin_list(s, "required");
        kni_emitter_text(s->out, kni_fields[times[i]].name);
        kni_emitter_text(s->out, kni_fields[times[(i + 1) % 3]].name);
        end_list(s);
        end(s);
    }
    end_list(s);
    end(s);
    end(s);
}

static void scenario_defs(schema *s)
{
    begin(s, "library");
    library_schema(s);
    end(s);
    begin(s, "span");
    begin_list(s, "anyOf");
    type_only(s, NULL, "number");
    pattern(s, "^(forever|-?[0-9]+(\\.[0-9]+)? ?(us|ms|s|min|h))$");
    end_list(s);
    end(s);
    begin(s, "count");
    integer(s, 0, UINT32_MAX);
    end(s);
    begin(s, "payload_item");
    put(s, "type", "object");
    begin(s, "properties");
    for (uint32_t i = 0; i < kni_payload_kind_count; i++) {
        begin_key(s, kni_payload_kinds[i].word);
        end(s);
    }
    end(s);
    closed(s);
    end(s);
    begin(s, "refusal");
    words(s, KNI_WORDS_FAIL);
    end(s);
    form_schema(s, "bounds", &kni_forms[KNI_FORM_BOUNDS], false);
    form_schema(s, "start_ability", &kni_forms[KNI_FORM_ABILITY], true);
    form_schema(s, "start_effect", &kni_forms[KNI_FORM_EFFECT], true);
    form_schema(s, "entity", &kni_forms[KNI_FORM_ENTITY], true);
    form_schema(s, "changed_entity", &kni_forms[KNI_FORM_ENTITY], false);
    form_schema(s, "record", &kni_forms[KNI_FORM_RECORD], false);
    pattern_schema(s, "event", KNI_PATTERN_EXPECTED);
    pattern_schema(s, "sequence_event", KNI_PATTERN_SEQUENCE);
    form_schema(s, "cue", &kni_forms[KNI_FORM_CUE], false);
    form_schema(s, "expectation", &kni_forms[KNI_FORM_EXPECTATION], false);
    pattern_schema(s, "measure", KNI_PATTERN_MEASURE);
    begin(s, "expect");
    begin_list(s, "anyOf");
    reference(s, NULL, "", "expectation");
    reference(s, NULL, "", "event");
    end_list(s);
    end(s);
    action_schema(s);
    entry_schema(s);
    group_schema(s, "variant", KNI_GROUP_VARIANT);
}

static void scenario_file(schema *s)
{
    file_head(s, "knack scenario");
    group_object(s, KNI_GROUP_FILE);
    begin(s, "$defs");
    scenario_defs(s);
    library_defs(s);
    end(s);
    end(s);
}

// Both ----------------------------------------------------------------------

static kn_result schema_write(void (*write)(schema *s), char *text, size_t size, size_t *written)
{
    *written = 0;
    schema s = {0};
    kn_result result = kni_emitter_create(NULL, KNI_EMIT_JSON, &s.out);
    if (result != KN_OK) {
        return result;
    }
    for (uint32_t i = 0; i < kni_section_count; i++) {
        const kn_def_table *table = kn_def_table_of(kni_sections[i].kind);
        if (table != NULL) {
            collect(&s, table);
        }
    }
    write(&s);
    const char *document;
    uint32_t length;
    result = kni_emitter_finish(s.out, &document, &length);
    if (result == KN_OK) {
        *written = length;
        if (size < length) {
            result = KN_ERROR_BUFFER_TOO_SMALL;
        } else {
            memcpy(text, document, length);
        }
    }
    kni_emitter_destroy(s.out);
    return result;
}

kn_result kn_data_write_schema(char *text, size_t size, size_t *written)
{
    return schema_write(library_file, text, size, written);
}

kn_result kn_scenario_write_schema(char *text, size_t size, size_t *written)
{
    return schema_write(scenario_file, text, size, written);
}
