// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What is legal but surely not meant, beyond what the library itself warns about: settings that
// never act, unused things. Each finding ends in the name of its lint, by which it can be
// switched off.
#ifndef KNI_LINT_H
#define KNI_LINT_H

#include "loader.h"

extern const char *const kni_lint_names[];
extern const char *const kni_lint_texts[]; // what they find
extern const uint32_t kni_lint_count;

// Adds warnings about a finished library to the loader's report. `off` has the names of lints that
// are not wanted, with blanks between them; `scripts` the text of all scripts, for names in them,
// each of which is one of `chunks`.
typedef struct kni_chunk {
    const char *name;
    size_t offset, size; // in the text
} kni_chunk;
void kni_lint(kni_loader *loader, const char *off, const char *scripts, const kni_chunk *chunks,
    uint32_t chunk_count);
// Whether the lint that a sentence of the library ends in, in brackets, is switched off.
bool kni_lint_is_off(const kni_loader *loader, const char *off, const char *sentence);

#endif
