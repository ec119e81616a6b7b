// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "csv.h"

#include "buffer.h"
#include "source.h"

#include <string.h>

#define CSV_NO_FILE UINT32_MAX

typedef struct csv_cell {
    uint32_t text;
    uint32_t length;
    uint32_t line;
    uint32_t column;
} csv_cell;

struct kni_csv {
    kn_hooks hooks;
    csv_cell *cells; // row by row
    uint32_t cell_count;
    uint32_t cell_capacity;
    uint32_t row_count;
    uint32_t column_count;
    uint32_t file; // offset in the texts, or CSV_NO_FILE
    kni_buffer texts;
    char separator;
};

kni_csv_def kni_csv_def_default(void)
{
    return (kni_csv_def){.cell_limit = 1000000, .size_limit = (size_t)16 << 20};
}

void kni_csv_destroy(kni_csv *csv)
{
    if (csv == NULL) {
        return;
    }
    kn_hooks hooks = csv->hooks;
    kn_memory_free(&hooks, csv->cells, csv->cell_capacity * sizeof *csv->cells);
    kni_buffer_free(&csv->texts);
    kn_memory_free(&hooks, csv, sizeof *csv);
}

typedef struct csv_reader {
    kni_csv *csv;
    kni_source source;
    uint32_t cell_limit;
    size_t at;
    uint32_t line;
    uint32_t column;
    kn_result result; // KN_ERROR_BAD_DATA after an error that does not end reading
} csv_reader;

// The next character, or 0 at the end; a text has no zeros.
static char csv_peek(const csv_reader *r)
{
    return r->at < r->source.size ? r->source.text[r->at] : '\0';
}

static bool csv_at_line_end(const csv_reader *r)
{
    char c = csv_peek(r);
    return c == '\n' || c == '\r' || c == '\0';
}

static kni_place csv_place(const csv_reader *r)
{
    return (kni_place){.line = r->line, .column = r->column};
}

// Passes one byte, or one line break of whatever kind.
static void csv_pass(csv_reader *r)
{
    char c = csv_peek(r);
    r->at++;
    if (c == '\r' && csv_peek(r) == '\n') {
        r->at++;
    }
    if (c == '\n' || c == '\r') {
        r->line++;
        r->column = 1;
    } else if (((unsigned char)csv_peek(r) & 0xc0) != 0x80) {
        r->column++; // behind the last byte of a character
    }
}

static bool csv_is_blank(const csv_reader *r, char c)
{
    return c == ' ' || (c == '\t' && r->csv->separator != '\t');
}

static void csv_pass_blanks(csv_reader *r)
{
    while (csv_is_blank(r, csv_peek(r))) {
        csv_pass(r);
    }
}

static kn_result csv_add_byte(csv_reader *r, char byte)
{
    return kni_buffer_add(&r->csv->texts, &byte, 1) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
}

// From the opening quote to behind the closing one.
static kn_result csv_read_quoted(csv_reader *r)
{
    kni_place start = csv_place(r);
    csv_pass(r);
    for (;;) {
        char c = csv_peek(r);
        if (c == '\0') {
            return kni_source_refuse(
                &r->source, start, "the quote that begins here is never closed");
        }
        csv_pass(r);
        if (c == '"' && csv_peek(r) != '"') {
            return KN_OK;
        }
        if (c == '"') {
            csv_pass(r);
        }
        kn_result result = csv_add_byte(r, c == '\r' ? '\n' : c);
        if (result != KN_OK) {
            return result;
        }
    }
}

static kn_result csv_read_plain(csv_reader *r)
{
    size_t start = r->at;
    size_t end = start; // without blanks
    while (!csv_at_line_end(r) && csv_peek(r) != r->csv->separator) {
        char c = csv_peek(r);
        if (c == '"') {
            return kni_source_refuse(&r->source, csv_place(r),
                "a quote inside a cell: put the whole cell in quotes and double this one");
        }
        csv_pass(r);
        end = csv_is_blank(r, c) ? end : r->at;
    }
    return kni_buffer_add(&r->csv->texts, r->source.text + start, end - start)
               ? KN_OK
               : KN_ERROR_OUT_OF_MEMORY;
}

// Reads a cell, up to the separator or the end of the line.
static kn_result csv_read_cell(csv_reader *r)
{
    kni_csv *csv = r->csv;
    csv_pass_blanks(r);
    if (csv->cell_count >= r->cell_limit) {
        return kni_source_refuse(
            &r->source, csv_place(r), "the table has more than %u cells", (unsigned)r->cell_limit);
    }
    csv_cell cell = {.text = csv->texts.size, .line = r->line, .column = r->column};
    bool is_quoted = csv_peek(r) == '"';
    kn_result result = is_quoted ? csv_read_quoted(r) : csv_read_plain(r);
    if (result != KN_OK) {
        return result;
    }
    csv_pass_blanks(r);
    if (!csv_at_line_end(r) && csv_peek(r) != csv->separator) {
        return kni_source_refuse(&r->source, csv_place(r),
            "text after a closing quote: double the quotes that belong to the cell");
    }
    cell.length = csv->texts.size - cell.text;
    if (csv_add_byte(r, '\0') != KN_OK ||
        !kn_memory_grow(&csv->hooks, &csv->cells, &csv->cell_capacity, csv->cell_count + 1,
            sizeof *csv->cells)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    csv->cells[csv->cell_count++] = cell;
    return KN_OK;
}

// All rows have to be as long as the first; a wrong one is reported and left out.
static void csv_end_row(csv_reader *r, uint32_t first_cell)
{
    kni_csv *csv = r->csv;
    uint32_t count = csv->cell_count - first_cell;
    if (csv->row_count == 0) {
        csv->column_count = count;
    }
    if (count == csv->column_count) {
        csv->row_count++;
        return;
    }
    kni_place place = csv_place(r);
    if (count > csv->column_count) { // the first cell too many
        const csv_cell *extra = &csv->cells[first_cell + csv->column_count];
        place = (kni_place){.line = extra->line, .column = extra->column};
    }
    r->result =
        kni_source_refuse(&r->source, place, "this row has %u cells, but the first row has %u",
            (unsigned)count, (unsigned)csv->column_count);
    csv->cell_count = first_cell;
}

static kn_result csv_read_row(csv_reader *r)
{
    uint32_t first_cell = r->csv->cell_count;
    for (;;) {
        kn_result result = csv_read_cell(r);
        if (result != KN_OK) {
            return result;
        }
        if (csv_at_line_end(r)) {
            break;
        }
        csv_pass(r); // the separator
    }
    csv_end_row(r, first_cell);
    return KN_OK;
}

static kn_result csv_read_rows(csv_reader *r)
{
    while (csv_peek(r) != '\0') {
        csv_pass_blanks(r);
        if (!csv_at_line_end(r)) {
            kn_result result = csv_read_row(r);
            if (result != KN_OK) {
                return result;
            }
        }
        if (csv_peek(r) != '\0') {
            csv_pass(r); // the line break
        }
    }
    return r->result;
}

// The separator that the first row has most of.
static char csv_detect(const kni_source *source)
{
    static const char separators[] = {',', ';', '\t'};
    uint32_t counts[3] = {0};
    bool is_quoted = false, is_empty = true;
    for (size_t i = 0; i < source->size; i++) {
        char c = source->text[i];
        if ((c == '\n' || c == '\r') && !is_quoted && !is_empty) {
            break;
        }
        is_empty = is_empty && (c == '\n' || c == '\r');
        is_quoted = is_quoted != (c == '"');
        for (uint32_t k = 0; k < 3 && !is_quoted; k++) {
            counts[k] += c == separators[k];
        }
    }
    uint32_t best = 0;
    for (uint32_t k = 1; k < 3; k++) {
        best = counts[k] > counts[best] ? k : best;
    }
    return separators[best];
}

static kn_result csv_read(csv_reader *r, const kni_csv_def *def)
{
    kni_csv *csv = r->csv;
    if (def->file != NULL) {
        csv->file = kni_buffer_add_text(&csv->texts, def->file, strlen(def->file));
        if (csv->file == UINT32_MAX) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
    }
    kn_result result = kni_source_open(&r->source, def->text, def->size, def->size_limit);
    if (result != KN_OK) {
        return result;
    }
    csv->separator = def->separator != '\0' ? def->separator : csv_detect(&r->source);
    return csv_read_rows(r);
}

kn_result kni_csv_parse(const kni_csv_def *def, kni_report *report, kni_csv **csv)
{
    *csv = NULL;
    kn_hooks hooks = def->hooks;
    csv_reader r = {.source = {.hooks = hooks, .report = report, .file = def->file},
        .cell_limit = def->cell_limit,
        .line = 1,
        .column = 1};
    r.csv = kn_memory_resize(&hooks, NULL, 0, sizeof *r.csv);
    if (r.csv == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *r.csv = (kni_csv){.hooks = hooks, .file = CSV_NO_FILE, .texts.hooks = hooks};
    kn_result result = csv_read(&r, def);
    kni_source_close(&r.source);
    if (result != KN_OK) {
        kni_csv_destroy(r.csv);
        return result;
    }
    *csv = r.csv;
    return KN_OK;
}

char kni_csv_separator(const kni_csv *csv)
{
    return csv->separator;
}

uint32_t kni_csv_row_count(const kni_csv *csv)
{
    return csv->row_count;
}

uint32_t kni_csv_column_count(const kni_csv *csv)
{
    return csv->column_count;
}

kni_scalar kni_csv_cell(const kni_csv *csv, uint32_t row, uint32_t column)
{
    const char *file = csv->file != CSV_NO_FILE ? csv->texts.data + csv->file : NULL;
    if (row >= csv->row_count || column >= csv->column_count) {
        return (kni_scalar){.text = "", .place = {.file = file}};
    }
    const csv_cell *cell = &csv->cells[(size_t)row * csv->column_count + column];
    return (kni_scalar){.text = csv->texts.data + cell->text,
        .length = cell->length,
        .place = {file, cell->line, cell->column}};
}
