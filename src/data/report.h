// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The diagnostics of one run over data files: many of them, in the order a reader of the files
// meets them.
#ifndef KNI_REPORT_H
#define KNI_REPORT_H

#include "knack/data.h"

#include <stdarg.h>

// A place in a file. Lines and columns count from 1, columns in characters; 0 means unknown.
typedef struct kni_place {
    const char *file; // may be NULL
    uint32_t line;
    uint32_t column;
} kni_place;

typedef enum kni_severity {
    KNI_SEVERITY_ERROR,
    KNI_SEVERITY_WARNING,
} kni_severity;

// One message. The texts are valid until the next one is added.
typedef struct kni_diagnostic {
    kni_severity severity;
    kni_place place;
    const char *message; // a sentence without a full stop
} kni_diagnostic;

typedef struct kni_report kni_report;

#define KNI_REPORT_LIMIT 100
#define KNI_REPORT_MESSAGE_MAX 500 // bytes of a message; more are cut

// `hooks` may be NULL. At most `limit` errors and `limit` warnings are kept, 0 for
// KNI_REPORT_LIMIT; the others are only counted. KN_OK or KN_ERROR_OUT_OF_MEMORY.
KN_MUST_USE kn_result kni_report_create(const kn_hooks *hooks, uint32_t limit, kni_report **report);
void kni_report_destroy(kni_report *report); // NULL is fine

// Adds a message; texts are copied. One that is there already, place and all, is not added again,
// since an alias shows the same lines many times. Without memory the message is lost, but not that
// there was one. Do not print floats: printf follows the host's locale.
void kni_report_add(kni_report *report, kni_severity severity, const kni_place *place,
    const char *format, ...) KN_PRINTF(4, 5);
void kni_report_add_list(kni_report *report, kni_severity severity, const kni_place *place,
    const char *format, va_list arguments) KN_PRINTF(4, 0);

// KN_OK without errors, whatever the warnings; KN_ERROR_OUT_OF_MEMORY when a message was lost for
// lack of memory; else KN_ERROR_BAD_DATA.
KN_MUST_USE kn_result kni_report_result(const kni_report *report);

// How many there were, kept or not.
uint32_t kni_report_error_count(const kni_report *report);
uint32_t kni_report_warning_count(const kni_report *report);

// The messages kept, ordered by file, line and column, equal places in the order they were added.
uint32_t kni_report_count(const kni_report *report);
kni_diagnostic kni_report_at(const kni_report *report, uint32_t index); // index < count

// Writes one message as "file:line:column: error: sentence", without what is unknown of the place.
// Returns the length without the final zero; the text is truncated to `size` bytes including that
// zero.
uint32_t kni_report_print(const kni_report *report, uint32_t index, char *text, uint32_t size);

// The same for callers of the API: `report` may be NULL, `index` anything.
kn_data_message kni_report_message(const kni_report *report, uint32_t index);
uint32_t kni_report_message_print(
    const kni_report *report, uint32_t index, char *text, uint32_t size);

// All of them, a line each, and a last line "and 3 more errors" if not all were kept.
uint32_t kni_report_print_all(const kni_report *report, char *text, uint32_t size);

// The candidate that `word` was most likely meant to be: nearest by edits (insert, remove, change,
// swap neighbours), letters alike in both cases, the first of equals. At most a third of the
// length of `word` may differ. False, and *nearest NULL, when there is none.
bool kni_report_suggest(
    const char *const *candidates, uint32_t count, const char *word, const char **nearest);

// What to add to a sentence that says that there is no `word`: "; did you mean `x`?", or all words
// if there is none like it and they are few: "; expected one of: x, y", or nothing.
typedef struct kni_hint {
    char text[400];
} kni_hint;
kni_hint kni_report_hint(const char *const *words, uint32_t count, const char *word);

#endif
