// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The bytes of a data file, checked before anything else looks at them, and errors about them.
#ifndef KNI_SOURCE_H
#define KNI_SOURCE_H

#include "buffer.h"
#include "report.h"

typedef struct kni_source {
    kn_hooks hooks;
    kni_report *report;
    const char *file; // may be NULL
    const char *text; // UTF-8, without a byte order mark and control characters
    size_t size;

    // Escapes for the two halves of one character, `\ud83d\ude00`, which libyaml does not know. In
    // a copy of the text they are `\0\U0001f600`, as long as before, so that all places stay
    // right. These are where they begin, in characters.
    size_t *pairs;
    uint32_t pair_count;
    uint32_t pair_capacity;
    uint32_t pair_next; // the first that kni_source_pairs() has not counted
    char *copy;         // NULL without pairs
} kni_source;

// Checks the text, which has to stay until the end. The caller has set hooks, report and file.
// KN_OK, or KN_ERROR_BAD_DATA with an error in the report.
KN_MUST_USE kn_result kni_source_open(
    kni_source *source, const char *text, size_t size, size_t size_limit);
void kni_source_close(kni_source *source);

// Fills `pairs` and `copy`. KN_OK or KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result kni_source_replace_pairs(kni_source *source);

// How many pairs begin in this range of characters. Ranges come in the order of the text.
uint32_t kni_source_pairs(kni_source *source, size_t start, size_t end);

// The character with this index, if it is ASCII; 0 at the end.
char kni_source_char(const kni_source *source, size_t index);

// Where the text ends.
kni_place kni_source_end(const kni_source *source);

// Reads one character of UTF-8. Returns its length, or 0 when it is none; `left` is at least 1.
uint32_t kni_source_decode(const char *text, size_t left, uint32_t *code);

// False for characters that YAML refuses or takes for a line break although no editor does.
bool kni_source_is_allowed(uint32_t code);

// Reports an error at a line and column; returns KN_ERROR_BAD_DATA.
kn_result kni_source_refuse(kni_source *source, kni_place place, const char *format, ...)
    KN_PRINTF(3, 4);
kn_result kni_source_refuse_list(
    kni_source *source, kni_place place, const char *format, va_list arguments) KN_PRINTF(3, 0);

#endif
