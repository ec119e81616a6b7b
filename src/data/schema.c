// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// JSON Schemas in a notation of their own, and the functions that give them.

#include "schema.h"

#include "field_docs.h"
#include "shapes.h"

#include "knack/scenario.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIECE_MAX 2048

// A word: a number, true, false or text.
static void put_word(kni_schema *s, const char *word)
{
    size_t digits = strspn(word + (word[0] == '-'), "0123456789");
    bool is_number = digits > 0 && word[(word[0] == '-') + digits] == 0;
    if (is_number && word[0] == '-') {
        kni_emitter_i64(s->out, strtoll(word, NULL, 10));
    } else if (is_number) {
        kni_emitter_u64(s->out, strtoull(word, NULL, 10));
    } else if (strcmp(word, "true") == 0 || strcmp(word, "false") == 0) {
        kni_emitter_bool(s->out, word[0] == 't');
    } else {
        kni_emitter_text(s->out, word);
    }
}

// The word or key, quoted or not, at the beginning of the piece; what follows it.
static char *put_next(kni_schema *s, char *at)
{
    bool is_quoted = *at == '\'';
    char *word = at + is_quoted;
    char *end = word + strcspn(word, is_quoted ? "'" : " ,:[]{}");
    char *next = end + is_quoted;
    char after = *next;
    *end = 0;
    if (after == ':') {
        bool has_help = word[0] == '+';
        kni_emitter_key(s->out, word + has_help);
        s->help = has_help ? kni_key_text(word + 1) : NULL;
        return next + 1;
    }
    if (is_quoted) {
        kni_emitter_text(s->out, word);
    } else {
        put_word(s, word);
    }
    *next = after;
    return next;
}

void kni_put(kni_schema *s, const char *format, ...)
{
    char piece[PIECE_MAX];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(piece, sizeof(piece), format, arguments);
    va_end(arguments);
    for (char *at = piece; *at != 0;) {
        switch (*at) {
        case '{':
            kni_emitter_begin_mapping(s->out);
            if (s->help != NULL) {
                kni_put_text(s, "description", s->help);
                s->help = NULL;
            }
            at++;
            break;
        case '}':
            kni_emitter_end_mapping(s->out);
            at++;
            break;
        case '[':
            kni_emitter_begin_sequence(s->out);
            at++;
            break;
        case ']':
            kni_emitter_end_sequence(s->out);
            at++;
            break;
        case ',':
        case ' ':
            at++;
            break;
        default:
            at = put_next(s, at);
            break;
        }
    }
}

void kni_put_text(kni_schema *s, const char *key, const char *text)
{
    kni_emitter_key(s->out, key);
    kni_emitter_text(s->out, text);
}

void kni_put_integer(kni_schema *s, int64_t min, uint64_t max)
{
    kni_put(
        s, "type: integer, minimum: %lld, maximum: %llu", (long long)min, (unsigned long long)max);
}

void kni_put_numbers(kni_schema *s, uint32_t count)
{
    kni_put(s, "type: array, items: {type: number}, minItems: %u, maxItems: %u", count, count);
}

// Both schemas ----------------------------------------------------------------

static void schema_collect(kni_schema *s, const kn_def_table *table)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_table *part = table->fields[i].table;
        bool is_new = part != NULL;
        for (uint32_t j = 0; is_new && j < s->table_count; j++) {
            is_new = strcmp(s->tables[j]->name, part->name) != 0;
        }
        if (is_new && s->table_count < KNI_SCHEMA_TABLES_MAX) {
            s->tables[s->table_count++] = part;
            schema_collect(s, part);
        }
    }
}

static kn_result schema_write(const kn_library *library, void (*write)(kni_schema *s), char *text,
    size_t size, size_t *written)
{
    *written = 0;
    kni_schema s = {.library = library};
    kn_result result = kni_emitter_create(NULL, KNI_EMIT_JSON, &s.out);
    if (result != KN_OK) {
        return result;
    }
    for (uint32_t i = 0; i < kni_library_section_count(library); i++) {
        const kn_def_table *table = kn_kind_table(library, kni_library_section(library, i).kind);
        if (table != NULL) {
            schema_collect(&s, table);
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
    return schema_write(NULL, kni_schema_library_file, text, size, written);
}

kn_result kn_data_write_library_schema(
    const kn_library *library, char *text, size_t size, size_t *written)
{
    return schema_write(library, kni_schema_library_file, text, size, written);
}

kn_result kn_scenario_write_library_schema(
    const kn_library *library, char *text, size_t size, size_t *written)
{
    return schema_write(library, kni_schema_scenario_file, text, size, written);
}

kn_result kn_scenario_write_schema(char *text, size_t size, size_t *written)
{
    return schema_write(NULL, kni_schema_scenario_file, text, size, written);
}
