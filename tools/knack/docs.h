// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library as HTML: every def by the tables of its fields, and who uses what.
#ifndef DOCS_H
#define DOCS_H

#include "content.h"

// Somewhere in the def of one thing another one is named.
typedef struct docs_use {
    kn_def_kind kind; // what is used
    uint32_t index1;
    kn_def_kind by_kind;
    uint32_t by_index1;
    const char *field; // of the def that uses it
    uint32_t number;   // order of finding
} docs_use;

typedef struct docs {
    const kn_library *library;
    const kn_data *data;
    const char *title;
    docs_use *uses; // by what is used, then as found
    uint32_t use_count, use_capacity;
    text out;
} docs;

void docs_find_uses(docs *page);
// The first use of a thing; `*count` tells how many follow.
const docs_use *docs_uses_of(const docs *page, kn_def_kind kind, uint32_t index1, uint32_t *count);
// True for formulas that were written within another def: they are shown there.
bool docs_is_inline(const docs *page, kn_def_kind kind, uint32_t index1);

// Adds text with what means something in HTML escaped.
void docs_escape(text *out, const char *value);
// An anchor name, "effect-Burn".
void docs_anchor(text *out, const docs *page, kn_def_kind kind, uint32_t index1);
void docs_link(text *out, const docs *page, kn_def_kind kind, uint32_t index1);
// Rows of a table with every field that is not at its default.
void docs_fields(docs *page, kn_def_kind kind, const void *def);

// The whole page.
void docs_write(docs *page);

#endif
