// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Text of a designer, or of an attacker. The first byte picks the format to write; the rest is a
// document. One that is read is written and read again, and is the same tree then. The same bytes
// are also read as a table.

#include "data/csv.h"
#include "data/emit.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_document: %s\n", what);
        abort();
    }
}

static kni_report *new_report(void)
{
    kni_report *report;
    must(kni_report_create(NULL, 0, &report) == KN_OK, "no report");
    return report;
}

static kni_document_def def_of(const char *text, size_t size)
{
    kni_document_def def = kni_document_def_default();
    def.text = text;
    def.size = size;
    def.file = "fuzz";
    def.node_limit = 20000;
    return def;
}

// The value of an unquoted number as one that JSON writes in the same way.
static bool same_number(const kni_scalar *a, const kni_scalar *b)
{
    float x, y;
    kn_result result = kni_scalar_f32(a, -FLT_MAX, FLT_MAX, &x, NULL);
    return result == kni_scalar_f32(b, -FLT_MAX, FLT_MAX, &y, NULL) &&
           memcmp(&x, &y, sizeof x) == 0;
}

static void check_same_scalar(const kni_scalar *a, const kni_scalar *b)
{
    bool x, y;
    kn_result result = kni_scalar_bool(a, &x, NULL);
    must(result == kni_scalar_bool(b, &y, NULL) && x == y, "another truth value");
    must(kni_scalar_is_null(a) == kni_scalar_is_null(b), "another null");
    must(kni_scalar_is_number(a) == kni_scalar_is_number(b), "another number");
    if (kni_scalar_is_null(a)) {
        return;
    }
    bool is_same = a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
    must(is_same || (kni_scalar_is_number(a) && same_number(a, b)), "another text");
}

// Calls every function that reads a scalar: none may crash, whatever the text.
static void read_all_types(kni_node node)
{
    bool truth;
    int64_t whole;
    uint64_t bare;
    float number;
    kn_time time;
    const char *text;
    kn_error error;
    (void)!kni_node_bool(node, &truth, &error);
    (void)!kni_node_i64(node, INT64_MIN, INT64_MAX, &whole, &error);
    (void)!kni_node_u64(node, 0, 10, &bare, &error);
    (void)!kni_node_f32(node, 0.0f, 1.0f, &number, &error);
    (void)!kni_node_text(node, &text, &error);
    if (kni_node_time(node, -KN_TIME_MAX, KN_TIME_INFINITE, &time, &error) != KN_OK) {
        must(time == 0 && error.message[0] != '\0', "an error without words");
    }
}

static void check_same(kni_node a, kni_node b)
{
    must(kni_node_kind_of(a) == kni_node_kind_of(b), "another kind");
    must(kni_node_count(a) == kni_node_count(b), "another count");
    must(kni_node_place(a).line > 0 && kni_node_place(a).column > 0, "no place");
    read_all_types(a);
    kni_scalar scalar_a = kni_node_scalar(a), scalar_b = kni_node_scalar(b);
    check_same_scalar(&scalar_a, &scalar_b);
    kni_children in_a = kni_node_children(a), in_b = kni_node_children(b);
    uint32_t count = 0;
    for (kni_node child_a, child_b; kni_children_next(&in_a, &child_a); count++) {
        must(kni_children_next(&in_b, &child_b), "a child is missing");
        const char *key = kni_node_key(child_a);
        must((key != NULL) == (kni_node_key(child_b) != NULL), "a key is missing");
        if (key != NULL) {
            must(strcmp(key, kni_node_key(child_b)) == 0, "another key");
            must(kni_node_get(a, key).index1 == child_a.index1, "a key is not found");
        }
        check_same(child_a, child_b);
    }
    must(count == kni_node_count(a), "a wrong count");
}

static void check_written(const kni_document *document, kni_emit_format format)
{
    kni_emitter *emitter;
    must(kni_emitter_create(NULL, format, &emitter) == KN_OK, "no emitter");
    kni_emitter_node(emitter, kni_document_root(document));
    const char *text;
    uint32_t size;
    must(kni_emitter_finish(emitter, &text, &size) == KN_OK, "not written");
    kni_document_def def = def_of(text, size);
    kni_report *report = new_report();
    kni_document *again;
    if (kni_document_parse(&def, report, &again) != KN_OK) {
        must(false, kni_report_at(report, 0).message);
    }
    check_same(kni_document_root(document), kni_document_root(again));
    kni_document_destroy(again);
    kni_report_destroy(report);
    kni_emitter_destroy(emitter);
}

static void read_table(const char *text, size_t size)
{
    kni_report *report = new_report();
    kni_csv_def def = kni_csv_def_default();
    def.text = text;
    def.size = size;
    kni_csv *csv;
    kn_result result = kni_csv_parse(&def, report, &csv);
    must(result == kni_report_result(report), "a table and its report disagree");
    for (uint32_t row = 0; csv != NULL && row < kni_csv_row_count(csv); row++) {
        for (uint32_t column = 0; column < kni_csv_column_count(csv); column++) {
            kni_scalar cell = kni_csv_cell(csv, row, column);
            must(strlen(cell.text) == cell.length && cell.place.line > 0, "a bad cell");
        }
    }
    kni_csv_destroy(csv);
    kni_report_destroy(report);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) {
        return 0;
    }
    kni_emit_format format = (kni_emit_format)(data[0] % 3);
    const char *text = (const char *)data + 1;
    kni_report *report = new_report();
    kni_document_def def = def_of(text, size - 1);
    kni_document *document;
    kn_result result = kni_document_parse(&def, report, &document);
    must(result == kni_report_result(report), "a document and its report disagree");
    if (document != NULL) {
        check_written(document, format);
    }
    kni_document_destroy(document);
    kni_report_destroy(report);
    read_table(text, size - 1);
    return 0;
}
