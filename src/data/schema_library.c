// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The JSON Schema of data files, from the field tables of the defs and the short forms.

#include "field_docs.h"
#include "lint.h"
#include "schema.h"
#include "shapes.h"

#include <string.h>

// Fields --------------------------------------------------------------------

static void list_forms(kni_schema *s, const kn_def_table *table)
{
    kni_put(s, "{type: array, items: {$ref: '#/$defs/item_%s'}}", table->name);
    if (kni_shape_of(table).key != NULL) {
        kni_put(s, "{type: object, additionalProperties: {$ref: '#/$defs/keyed_%s'}}", table->name);
    }
}

static void array_forms(kni_schema *s, const kn_def_table *table)
{
    list_forms(s, table);
    // What is added to an inherited list.
    kni_put(s, "{type: object, properties: {+add: {anyOf: [");
    list_forms(s, table);
    kni_put(s, "]}}, required: [add], additionalProperties: false}");
}

static void tag_forms(kni_schema *s)
{
    kni_put(s, KNI_NAMES "{type: object, properties: {+add: " KNI_NAMES ", +remove: " KNI_NAMES
                         "}, additionalProperties: false}");
}

static void field_choices(kni_schema *s, const kn_def_field *field)
{
    kni_put(s, "enum: [");
    for (uint32_t i = 0; i < field->limit; i++) {
        kni_emitter_text(s->out, field->names[i]);
    }
    kni_put(s, "]");
}

// Bits that have words: one of them, a list, or the number.
static void field_flags(kni_schema *s, const kn_def_field *field)
{
    kni_put(s, "{");
    field_choices(s, field);
    kni_put(s, "}, {type: array, items: {");
    field_choices(s, field);
    kni_put(s, "}}, {");
    kni_put_integer(s, 0, UINT32_MAX);
    kni_put(s, "}");
}

// What the value of a plain field is: keywords of a schema.
static void plain_form(kni_schema *s, const kn_def_field *field)
{
    switch (field->kind) {
    case KN_FIELD_BOOL:
        kni_put(s, "type: boolean");
        return;
    case KN_FIELD_U8:
        kni_put_integer(s, 0, UINT8_MAX);
        return;
    case KN_FIELD_U16:
        kni_put_integer(s, 0, UINT16_MAX);
        return;
    case KN_FIELD_U32:
        kni_put_integer(s, 0, UINT32_MAX);
        return;
    case KN_FIELD_I32:
        kni_put_integer(s, INT32_MIN, INT32_MAX);
        return;
    case KN_FIELD_U64:
        kni_put_integer(s, 0, UINT64_MAX);
        return;
    case KN_FIELD_I64:
        kni_put(s, "type: integer");
        return;
    case KN_FIELD_F32:
        kni_put(s, "type: number");
        return;
    case KN_FIELD_VEC3:
        kni_put_numbers(s, 3);
        return;
    case KN_DEF_FIELD_ENUM:
        field_choices(s, field);
        return;
    default:
        kni_put(s, "type: string");
        return;
    }
}

// One form of a field's value, as an item of anyOf, or several.
static void field_forms(kni_schema *s, const kn_def_field *field)
{
    switch (field->kind) {
    case KN_DEF_FIELD_STRUCT:
        kni_put(s, KNI_REF, field->table->name);
        return;
    case KN_DEF_FIELD_ARRAY:
        array_forms(s, field->table);
        return;
    case KN_DEF_FIELD_TAGS:
        tag_forms(s);
        return;
    case KN_DEF_FIELD_REFS:
        kni_put(s, KNI_NAMES);
        return;
    case KN_FIELD_TIME:
        kni_put(s, KNI_REF, "time");
        return;
    default:
        break;
    }
    if (field->kind == KN_FIELD_U32 && field->names != NULL) {
        field_flags(s, field);
        return;
    }
    kni_put(s, "{");
    plain_form(s, field);
    kni_put(s, "}");
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

// The kinds of definitions, and other names where own kinds are not known.
static void kinds_form(kni_schema *s)
{
    kni_put(s, "{enum: [");
    for (uint32_t i = 0; i < KN_DEF_KIND_END; i++) {
        const char *name = kn_kind_name(s->library, (kn_def_kind)i);
        if (name[0] != 0) {
            kni_emitter_text(s->out, name);
        }
    }
    kni_put(s, s->library == NULL ? "]}, {type: string}" : "]}");
}

static void field_schema(kni_schema *s, const kn_def_table *table, const kn_def_field *field)
{
    const char *doc =
        field->text != NULL ? field->text : kn_data_field_text(table->name, field->name);
    kni_put(s, "%s: {", field->name);
    if (doc != NULL) {
        kni_put_text(s, "description", doc);
    }
    kni_put(s, "anyOf: [");
    if (strcmp(table->name, "kn_field") == 0 && strcmp(field->name, "refers_to") == 0) {
        kinds_form(s);
    } else {
        field_forms(s, field);
    }
    if (strcmp(table->name, "kn_effect_def") == 0 && strcmp(field->name, "duration") == 0) {
        kni_put(s, "{enum: [instant, infinite]}");
    }
    kni_put(s, "{type: null}]}");
}

// Structs -------------------------------------------------------------------

// `properties`, still open.
static void table_properties(kni_schema *s, const kn_def_table *table, const char *without)
{
    kni_put(s, "properties: {");
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        if (kni_field_is_written(field) && (without == NULL || strcmp(field->name, without) != 0)) {
            field_schema(s, table, field);
        }
    }
}

static void object_form(kni_schema *s, const kn_def_table *table)
{
    kni_put(s, "{type: object");
    table_properties(s, table, NULL);
    kni_put(s, "}, additionalProperties: false}");
}

// Forms of single structs that are written often.
static void special_forms(kni_schema *s, const char *table)
{
    static const struct {
        const char *table;
        const char *forms;
    } special[] = {
        {"kn_magnitude", "{type: number}, {type: string}"},
        {"kn_limit", "{type: number}, {type: string}"},
        // A number, a parameter, or a time.
        {"kn_scalable",
            "{type: number}, {type: string, pattern: '^(\\$.+|-?" KNI_TIME_PATTERN ")$'}"},
        {"kn_capture", "{type: string, pattern: '^(source|target|causer)\\.'}"},
        {"kn_tag_requirement", KNI_NAMES},
        {"kn_value_profile", "{enum: [gas, combat]}"},
    };
    for (uint32_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
        if (strcmp(special[i].table, table) == 0) {
            kni_put(s, "%s", special[i].forms);
        }
    }
    if (strcmp(table, "kn_curve_point") == 0) {
        kni_put(s, "{");
        kni_put_numbers(s, 2);
        kni_put(s, "}");
    }
}

// One field of a struct that stands for all of it.
static void scalar_form(kni_schema *s, const kn_def_table *table, const char *name)
{
    const kn_def_field *field = name != NULL ? kn_def_field_find(table, name) : NULL;
    if (field != NULL && field->kind == KN_DEF_FIELD_STRUCT) {
        special_forms(s, field->table->name); // a mapping is the item, not the field
    } else if (field != NULL) {
        field_forms(s, field);
    }
}

// {key: string} and nothing else.
static void only_key(kni_schema *s, const char *key)
{
    kni_put(s,
        "{type: object, properties: {+%s: {type: string}}, required: [%s], "
        "additionalProperties: false}",
        key, key);
}

// A struct in a field; as an item of a list; and as a value under its key.
static void struct_schema(kni_schema *s, const kn_def_table *table)
{
    kni_shape shape = kni_shape_of(table);
    kni_put(s, "%s: {anyOf: [", table->name);
    special_forms(s, table->name);
    if (strcmp(table->name, "kn_magnitude") == 0) {
        kni_put(s, KNI_REF, "kn_scalable");
        only_key(s, "expression");
    }
    object_form(s, table);
    kni_put(s, "]}, item_%s: {anyOf: [", table->name);
    scalar_form(s, table, shape.key);
    kni_put(s, KNI_REF "]}", table->name);
    if (shape.key != NULL) {
        kni_put(s, "keyed_%s: {anyOf: [{type: null}", table->name);
        scalar_form(s, table, shape.value);
        object_form(s, table);
        kni_put(s, "]}");
    }
}

// Sections ------------------------------------------------------------------

// A name, or nothing again where a parent has one.
#define NAME_OR_NONE "{type: [string, null]}"

static void def_forms(kni_schema *s, const kni_section *section, const kn_def_table *table)
{
    kni_put(s, "{type: null}, {type: object");
    table_properties(s, table, "name");
    if (kn_def_field_find(table, "parent") == NULL) {
        kni_put(s, "+parent: " NAME_OR_NONE);
    }
    kni_put(
        s, "+script: " NAME_OR_NONE ", +native: " NAME_OR_NONE "}, additionalProperties: false}");
    if (section->kind == KN_DEF_CURVE) {
        kni_put(s, "{type: array, items: " KNI_REF "}", "kn_curve_point");
    }
}

static void section_schema(kni_schema *s, const kni_section *section)
{
    const kn_def_table *table = kn_kind_table(s->library, section->kind);
    const kn_kind_def *own = kn_kind_get_def(s->library, section->kind);
    kni_put(s, "+%s: ", section->key);
    s->help = own != NULL ? own->text : s->help;
    kni_put(s, "{type: [object, null], additionalProperties: {anyOf: [");
    if (table != NULL) {
        def_forms(s, section, table);
    } else if (section->kind == KN_DEF_CONTEXT) {
        kni_put(s, "{");
        kni_put_integer(s, 1, 65536);
        kni_put(s, "}");
    } else {
        only_key(s, "script");
        if (section->kind == KN_DEF_REQUIREMENT || section->kind == KN_DEF_CONDITION) {
            only_key(s, "expression");
        }
    }
    kni_put(s, "]}}");
}

static void settings_section(kni_schema *s)
{
    kni_put(s, "+settings: {type: [object, null], properties: {+fail_tags: {anyOf: ["
               "{const: standard}, {type: object, properties: {");
    for (uint32_t i = 0; i < KN_FAIL_COUNT; i++) {
        kni_put(s, "+%s: {type: string}", kn_fail_name((kn_fail)(1 << i)));
    }
    kni_put(s, "}, additionalProperties: false}]}, +dead_tag: {type: string}, "
               "+cue_root: {type: string}}, additionalProperties: false}");
}

static void lints_section(kni_schema *s)
{
    kni_put(s, "+lints_off: {type: [array, null], items: {enum: [");
    for (uint32_t i = 0; i < kni_lint_count; i++) {
        kni_emitter_text(s->out, kni_lint_names[i]);
    }
    kni_put(s, "]}}");
}

#define REDIRECTS(what)                                                                            \
    "{description: 'Old names of " what ", and the names that replace them.', "                    \
    "type: [object, null], additionalProperties: {type: string}}"

void kni_schema_library(kni_schema *s)
{
    kni_put(s, "type: [object, null], properties: {+kits: {type: [array, null], "
               "items: {type: string}}, +module: " NAME_OR_NONE);
    kni_put(s, "+tags: {anyOf: [{type: null}, "
               "{type: object, additionalProperties: {$ref: '#/$defs/tag'}}, "
               "{type: array, items: {anyOf: [{type: string}, "
               "{type: object, additionalProperties: {$ref: '#/$defs/tag'}}]}}]}");
    kni_put(
        s, "+redirects: {type: [object, null], properties: {tags: " REDIRECTS(
               "tags") ", attributes: " REDIRECTS("attributes") "}, additionalProperties: false}");
    kni_put(s, "+common_tags: {anyOf: [{type: null}, " KNI_NAMES "]}");
    kni_put(s, "+names: {type: [array, null], items: {type: string}}");
    lints_section(s);
    settings_section(s);
    for (uint32_t i = 0; i < kni_library_section_count(s->library); i++) {
        kni_section section = kni_library_section(s->library, i);
        section_schema(s, &section);
    }
    // By group and attribute, a number or one for each level; or rows.
    kni_put(s, "+starting_values: {anyOf: [{type: null}, {type: object, additionalProperties: "
               "{type: [object, null], additionalProperties: {anyOf: [{type: number}, "
               "{type: array, items: {type: number}}]}}}, {type: array, items: {type: array, "
               "prefixItems: [{type: string}, {type: string}, {");
    kni_put_integer(s, 0, UINT32_MAX);
    kni_put(s, "}, {type: number}], minItems: 4, maxItems: 4}}]}");
    kni_put(s, "}, additionalProperties: false");
}

void kni_schema_library_defs(kni_schema *s)
{
    kni_put(s, "tag: {anyOf: [{type: string}, {type: null}, {type: object, properties: "
               "{+comment: {type: string}, +source: {type: string}, +restricted: {type: boolean}}, "
               "additionalProperties: false}]}");
    kni_put(s, "time: {anyOf: [{type: number, minimum: 0}, "
               "{type: string, pattern: '^" KNI_TIME_PATTERN "$'}]}");
    for (uint32_t i = 0; i < s->table_count; i++) {
        struct_schema(s, s->tables[i]);
    }
}

void kni_schema_library_file(kni_schema *s)
{
    kni_put(s, "{$schema: 'https://json-schema.org/draft/2020-12/schema', "
               "title: 'knack data file'");
    kni_schema_library(s);
    kni_put(s, "$defs: {");
    kni_schema_library_defs(s);
    kni_put(s, "}}");
}
