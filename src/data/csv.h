// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A table as spreadsheets export it. Cells are separated by comma, semicolon or tab; a cell in
// double quotes may hold separators, line breaks and, doubled, quotes. All rows have as many cells
// as the first. Blanks around a cell and empty lines do not count.
#ifndef KNI_CSV_H
#define KNI_CSV_H

#include "scalar.h"

typedef struct kni_csv kni_csv;

// Start from kni_csv_def_default().
typedef struct kni_csv_def {
    const char *text; // need not end in a zero; may be freed after the call
    size_t size;
    const char *file; // its name in messages; may be NULL
    kn_hooks hooks;
    char separator;      // ',', ';' or '\t'; default 0: whichever the first row has most of
    uint32_t cell_limit; // default 1,000,000
    size_t size_limit;   // bytes; default 16 MB, at most 256 MB
} kni_csv_def;

kni_csv_def kni_csv_def_default(void);

// KN_OK; KN_ERROR_BAD_DATA with at least one error in the report; or KN_ERROR_OUT_OF_MEMORY. An
// empty text is a table without rows.
KN_MUST_USE kn_result kni_csv_parse(const kni_csv_def *def, kni_report *report, kni_csv **csv);
void kni_csv_destroy(kni_csv *csv); // NULL is fine

char kni_csv_separator(const kni_csv *csv);

// The row of titles, if there is one, is row 0.
uint32_t kni_csv_row_count(const kni_csv *csv);
uint32_t kni_csv_column_count(const kni_csv *csv);

// The text of a cell, valid as long as the table, and its place. Spreadsheets quote cells for
// reasons of their own, so none counts as quoted: an empty cell is null, and one with a number is
// a number. Beyond the table a cell is empty and has no place.
kni_scalar kni_csv_cell(const kni_csv *csv, uint32_t row, uint32_t column);

#endif
