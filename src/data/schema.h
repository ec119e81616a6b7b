// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Writing a JSON Schema. schema_library.c has that of data files, schema_scenario.c that of
// scenarios, which has the other inside.
#ifndef KNI_SCHEMA_H
#define KNI_SCHEMA_H

#include "emit.h"

#include "knack/data.h"

#define KNI_SCHEMA_TABLES_MAX 128

typedef struct kni_schema {
    kni_emitter *out;
    const kn_library *library; // whose own kinds are described too; may be NULL
    const kn_def_table *tables[KNI_SCHEMA_TABLES_MAX]; // every struct that occurs, once
    uint32_t table_count;
    const char *help; // of the key that was just written
} kni_schema;

// Writes a piece of JSON, which may begin and end anywhere: "items: {type: string}, anyOf: [" and
// later "]". Words are text but for true, false and whole numbers; text in '' is as it is. Commas
// and blanks between things may be left out. A key that begins with + gets the help that data files
// have for it.
void kni_put(kni_schema *s, const char *format, ...) KN_PRINTF(2, 3);
// A key with any text.
void kni_put_text(kni_schema *s, const char *key, const char *text);
// A reference to $defs.
#define KNI_REF "{$ref: '#/$defs/%s'}"

// Parts that both use: keywords of a schema without the braces around them.
void kni_put_integer(kni_schema *s, int64_t min, uint64_t max);
void kni_put_numbers(kni_schema *s, uint32_t count); // that many
// A string, or an array of strings.
#define KNI_NAMES "{anyOf: [{type: string}, {type: array, items: {type: string}}]}"
#define KNI_TIME_PATTERN "[0-9]+(\\.[0-9]+)? ?(us|ms|s|min|h)"

// What a data document is, and what it refers to.
void kni_schema_library(kni_schema *s);
void kni_schema_library_defs(kni_schema *s);
void kni_schema_library_file(kni_schema *s);
void kni_schema_scenario_file(kni_schema *s);

#endif
