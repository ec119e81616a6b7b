// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema of data files, from the field tables of the defs and the short forms.

#include "emit.h"
#include "field_docs.h"
#include "lint.h"
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
    begin(s, key);
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
    begin(s, key);
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
    begin(s, key);
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
    begin(s, "add");
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
        begin_list(s, "enum");
        for (uint32_t i = 0; i < field->limit; i++) {
            kni_emitter_text(s->out, field->names[i]);
        }
        end_list(s);
        break;
    default:
        put(s, "type", "string");
        break;
    }
    end(s);
}

static const char *doc_of(const kn_def_table *table, const kn_def_field *field)
{
    for (uint32_t i = 0; i < kni_field_doc_count; i++) {
        if (strcmp(kni_field_docs[i].table, table->name) == 0 &&
            strcmp(kni_field_docs[i].field, field->name) == 0) {
            return kni_field_docs[i].text;
        }
    }
    return NULL;
}

static void field_schema(schema *s, const kn_def_table *table, const kn_def_field *field)
{
    const char *doc = doc_of(table, field);
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
    begin(s, section->key);
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
    begin(s, "tags");
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

static void text_mapping(schema *s, const char *key)
{
    begin(s, key);
    put_or_null(s, "object");
    type_only(s, "additionalProperties", "string");
    end(s);
}

static void settings_section(schema *s)
{
    begin(s, "settings");
    put_or_null(s, "object");
    begin(s, "properties");
    begin(s, "fail_tags");
    begin_list(s, "anyOf");
    begin(s, NULL);
    put(s, "const", "standard");
    end(s);
    begin(s, NULL);
    put(s, "type", "object");
    begin(s, "properties");
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        type_only(s, kni_fail_words[i], "string");
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
    begin(s, "starting_values");
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

static void file_schema(schema *s)
{
    begin(s, NULL);
    put(s, "$schema", "https://json-schema.org/draft/2020-12/schema");
    put(s, "title", "knack data file");
    begin_list(s, "type");
    kni_emitter_text(s->out, "object");
    kni_emitter_text(s->out, "null");
    end_list(s);
    begin(s, "properties");
    name_or_none(s, "module");
    tags_section(s);
    begin(s, "redirects");
    put_or_null(s, "object");
    begin(s, "properties");
    text_mapping(s, "tags");
    text_mapping(s, "attributes");
    end(s);
    closed(s);
    end(s);
    begin(s, "common_tags");
    begin_list(s, "anyOf");
    type_only(s, NULL, "null");
    names(s, NULL);
    end_list(s);
    end(s);
    begin(s, "names");
    put_or_null(s, "array");
    type_only(s, "items", "string");
    end(s);
    begin(s, "lints_off");
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
    begin(s, "$defs");
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
    end(s);
    end(s);
}

kn_result kn_data_write_schema(char *text, size_t size, size_t *written)
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
    file_schema(&s);
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
