// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library as HTML: every def by the tables of its fields, and who uses what, scripts and code
// included.
#ifndef DOCS_H
#define DOCS_H

#include "content.h"

// A file whose text is looked at: a script, code, or a data file for its comments.
typedef struct docs_source {
    text name, bytes;
    bool is_script;
} docs_source;

// Somewhere in the def of one thing, or in code, another one is named.
typedef struct docs_use {
    kn_def_kind kind; // what is used
    uint32_t index1;
    kn_def_kind by_kind;
    uint32_t by_index1; // 0: code outside of definitions
    const char *field;  // of the def that uses it; NULL in code
    char function[32];  // that is called with it in code; "" if there is none
    uint32_t source1;   // source in which it is, 1 and on; 0: in a def
    uint32_t line;
    uint32_t number; // order of finding
} docs_use;

// `ability "Meteor" {` in a script: the functions of a def.
typedef struct docs_body {
    kn_def_kind kind;
    uint32_t index1;
    uint32_t source1, line;
} docs_body;

// A name in code that looks like a tag, but no file declares it.
typedef struct docs_stray {
    text name;
    uint32_t source1, line;
} docs_stray;

typedef struct docs {
    const cli *call;
    const kn_library *library;
    const kn_data *data;
    const char *title;
    docs_use *uses; // by what is used, then as found
    uint32_t use_count, use_capacity;
    docs_source *sources;
    uint32_t source_count;
    docs_body *bodies;
    uint32_t body_count;
    docs_stray *strays;
    uint32_t stray_count;
    text out;
} docs;

// Sections of the page, in this order: those of our kinds, those of own kinds; tags come last.
typedef struct docs_section {
    kn_def_kind kind;
    char title[64];
} docs_section;
uint32_t docs_section_count(const docs *page);
docs_section docs_section_at(const docs *page, uint32_t index);
// How many entries a section has.
uint32_t docs_shown(const docs *page, kn_def_kind kind);

// docs_fields.c -------------------------------------------------------------

void docs_find_uses(docs *page);
void docs_use_add(docs *page, const docs_use *by, kn_def_kind kind, uint32_t index1);
void docs_sort_uses(docs *page);
// The first use of a thing; `*count` says how many follow.
const docs_use *docs_uses_of(const docs *page, kn_def_kind kind, uint32_t index1, uint32_t *count);
// A use as it is shown: a formula within another def is that def.
docs_use docs_use_outer(const docs *page, const docs_use *use);
// True for formulas that were written within another def: they are shown there.
bool docs_is_inline(const docs *page, kn_def_kind kind, uint32_t index1);
// True for those, and for what every library has and this one does not use.
bool docs_is_hidden(const docs *page, kn_def_kind kind, uint32_t index1);

// Adds text with what means something in HTML escaped.
void docs_escape(text *out, const char *value);
// An anchor name, "effect-Burn".
void docs_anchor(text *out, const docs *page, kn_def_kind kind, uint32_t index1);
void docs_link(text *out, const docs *page, kn_def_kind kind, uint32_t index1);
// Rows of a table with every field that is not at its default.
void docs_fields(docs *page, kn_def_kind kind, const void *def);

// docs_code.c ---------------------------------------------------------------

void docs_source_add(docs *page, const char *name, const char *bytes, size_t size, bool is_script);
// Adds a file, or all files of code below a folder. CLI_GOOD, or CLI_UNREADABLE with a message.
cli_code docs_code_add(docs *page, const char *path);
// Finds uses, bodies and strays in the sources.
void docs_find_in_code(docs *page);
// The functions of a def, or NULL.
const docs_body *docs_body_of(const docs *page, kn_def_kind kind, uint32_t index1);
// What is written about a def in comments above and beside it.
void docs_comment(docs *page, kn_def_kind kind, uint32_t index1, text *out);
void docs_free(docs *page);

// docs_json.c ---------------------------------------------------------------

void docs_json(docs *page);

#endif
