// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Messages are inserted where they belong, so that the list is sorted at any time. Files are
// read from top to bottom, so this is nearly always its end.

#include "report.h"

#include "buffer.h"

#include <stdio.h>
#include <string.h>

#define REPORT_WORD_MAX 255
#define HINT_WORDS_MAX 24 // that a message lists
#define REPORT_NO_FILE UINT32_MAX

typedef struct report_entry {
    kni_severity severity;
    uint32_t file; // offsets of texts; REPORT_NO_FILE without a file
    uint32_t message;
    uint32_t line;
    uint32_t column;
} report_entry;

struct kni_report {
    kn_hooks hooks;
    uint32_t limit;
    report_entry *entries;
    uint32_t entry_count;
    uint32_t entry_capacity;
    kni_buffer texts;
    uint32_t seen[2]; // messages by severity, and
    uint32_t kept[2]; // those of them among the entries
    bool out_of_memory;
};

kn_result kni_report_create(const kn_hooks *hooks, uint32_t limit, kni_report **report)
{
    kn_hooks used = hooks != NULL ? *hooks : (kn_hooks){0};
    *report = kn_memory_resize(&used, NULL, 0, sizeof **report);
    if (*report == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    **report = (kni_report){
        .hooks = used, .limit = limit > 0 ? limit : KNI_REPORT_LIMIT, .texts.hooks = used};
    return KN_OK;
}

void kni_report_destroy(kni_report *report)
{
    if (report == NULL) {
        return;
    }
    kni_buffer_free(&report->texts);
    kn_hooks hooks = report->hooks;
    kn_memory_free(&hooks, report->entries, report->entry_capacity * sizeof *report->entries);
    kn_memory_free(&hooks, report, sizeof *report);
}

static const char *report_file(const kni_report *report, const report_entry *entry)
{
    return entry->file != REPORT_NO_FILE ? report->texts.data + entry->file : NULL;
}

static int report_compare_number(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

static int report_compare(const kni_report *report, const report_entry *a, const report_entry *b)
{
    const char *file_a = report_file(report, a);
    const char *file_b = report_file(report, b);
    int order = strcmp(file_a != NULL ? file_a : "", file_b != NULL ? file_b : "");
    if (order == 0) {
        order = report_compare_number(a->line, b->line);
    }
    return order != 0 ? order : report_compare_number(a->column, b->column);
}

// Removes the last character of a truncated text if it is incomplete.
static void report_end_text(char *text)
{
    size_t end = strlen(text);
    size_t start = end;
    while (start > 0 && ((unsigned char)text[start - 1] & 0xc0) == 0x80) {
        start--;
    }
    if (start == 0 || (unsigned char)text[start - 1] < 0xc0) {
        return;
    }
    unsigned char lead = (unsigned char)text[start - 1];
    size_t needed = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (end - start < needed) {
        text[start - 1] = '\0';
    }
}

// Copies the texts; false when out of memory.
static bool report_copy(
    kni_report *report, report_entry *entry, const char *file, const char *message)
{
    entry->file = REPORT_NO_FILE;
    if (file != NULL) {
        entry->file = kni_buffer_add_text(&report->texts, file, strlen(file));
        if (entry->file == UINT32_MAX) {
            return false;
        }
    }
    entry->message = kni_buffer_add_text(&report->texts, message, strlen(message));
    return entry->message != UINT32_MAX;
}

static bool report_is_repeated(const kni_report *report, const report_entry *entry, uint32_t at)
{
    const char *message = report->texts.data + entry->message;
    for (; at > 0 && report_compare(report, &report->entries[at - 1], entry) == 0; at--) {
        const report_entry *other = &report->entries[at - 1];
        if (other->severity == entry->severity &&
            strcmp(report->texts.data + other->message, message) == 0) {
            return true;
        }
    }
    return false;
}

static void report_insert(kni_report *report, const report_entry *entry)
{
    uint32_t at = report->entry_count;
    while (at > 0 && report_compare(report, &report->entries[at - 1], entry) > 0) {
        at--;
    }
    if (report_is_repeated(report, entry, at)) {
        return;
    }
    report->seen[entry->severity]++;
    if (report->kept[entry->severity] >= report->limit) {
        return;
    }
    if (!kn_memory_grow(&report->hooks, &report->entries, &report->entry_capacity,
            report->entry_count + 1, sizeof *report->entries)) {
        report->out_of_memory = true;
        return;
    }
    memmove(report->entries + at + 1, report->entries + at,
        (report->entry_count - at) * sizeof *report->entries);
    report->entries[at] = *entry;
    report->entry_count++;
    report->kept[entry->severity]++;
}

void kni_report_add_list(kni_report *report, kni_severity severity, const kni_place *place,
    const char *format, va_list arguments)
{
    char message[KNI_REPORT_MESSAGE_MAX + 1];
    message[0] = '\0';
    (void)vsnprintf(message, sizeof message, format, arguments);
    report_end_text(message);
    kni_place where = place != NULL ? *place : (kni_place){0};
    report_entry entry = {.severity = severity, .line = where.line, .column = where.column};
    uint32_t texts = report->texts.size;
    uint32_t count = report->entry_count;
    if (report_copy(report, &entry, where.file, message)) {
        report_insert(report, &entry);
    } else {
        report->seen[severity]++;
        report->out_of_memory = true;
    }
    if (report->entry_count == count) {
        report->texts.size = texts;
    }
}

void kni_report_add(
    kni_report *report, kni_severity severity, const kni_place *place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kni_report_add_list(report, severity, place, format, arguments);
    va_end(arguments);
}

kn_result kni_report_result(const kni_report *report)
{
    if (report->out_of_memory) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    return report->seen[KNI_SEVERITY_ERROR] > 0 ? KN_ERROR_BAD_DATA : KN_OK;
}

uint32_t kni_report_error_count(const kni_report *report)
{
    return report->seen[KNI_SEVERITY_ERROR];
}

uint32_t kni_report_warning_count(const kni_report *report)
{
    return report->seen[KNI_SEVERITY_WARNING];
}

uint32_t kni_report_count(const kni_report *report)
{
    return report->entry_count;
}

kni_diagnostic kni_report_at(const kni_report *report, uint32_t index)
{
    KN_ASSERT(index < report->entry_count);
    if (index >= report->entry_count) {
        return (kni_diagnostic){.message = ""};
    }
    const report_entry *entry = &report->entries[index];
    return (kni_diagnostic){
        .severity = entry->severity,
        .place = {report_file(report, entry), entry->line, entry->column},
        .message = report->texts.data + entry->message,
    };
}

static void report_add_entry(const kni_report *report, uint32_t index, kn_text *out)
{
    kni_diagnostic diagnostic = kni_report_at(report, index);
    const kni_place *place = &diagnostic.place;
    if (place->file != NULL) {
        kn_text_add(out, "%s:", place->file);
    }
    if (place->line > 0) {
        kn_text_add(out, "%u:", (unsigned)place->line);
    }
    if (place->line > 0 && place->column > 0) {
        kn_text_add(out, "%u:", (unsigned)place->column);
    }
    kn_text_add(out, "%s%s: %s", place->file != NULL || place->line > 0 ? " " : "",
        diagnostic.severity == KNI_SEVERITY_ERROR ? "error" : "warning", diagnostic.message);
}

uint32_t kni_report_print(const kni_report *report, uint32_t index, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    report_add_entry(report, index, &out);
    return out.length;
}

static void report_add_rest(const kni_report *report, kn_text *out)
{
    static const char *const nouns[] = {"error", "warning"};
    const char *before = "and ";
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t more = report->seen[i] - report->kept[i];
        if (more > 0) {
            kn_text_add(
                out, "%s%u more %s%s", before, (unsigned)more, nouns[i], more > 1 ? "s" : "");
            before = ", ";
        }
    }
    if (before[0] == ',') {
        kn_text_add(out, "\n");
    }
}

kn_data_message kni_report_message(const kni_report *report, uint32_t index)
{
    kn_data_message message = {.file = "", .text = ""};
    if (report != NULL && index < kni_report_count(report)) {
        kni_diagnostic diagnostic = kni_report_at(report, index);
        message.is_error = diagnostic.severity == KNI_SEVERITY_ERROR;
        message.file = diagnostic.place.file != NULL ? diagnostic.place.file : "";
        message.line = diagnostic.place.line;
        message.column = diagnostic.place.column;
        message.text = diagnostic.message;
    }
    return message;
}

uint32_t kni_report_message_print(
    const kni_report *report, uint32_t index, char *text, uint32_t size)
{
    if (report != NULL && index < kni_report_count(report)) {
        return kni_report_print(report, index, text, size);
    }
    if (size > 0) {
        text[0] = 0;
    }
    return 0;
}

uint32_t kni_report_print_all(const kni_report *report, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    for (uint32_t i = 0; i < report->entry_count; i++) {
        report_add_entry(report, i, &out);
        kn_text_add(&out, "\n");
    }
    report_add_rest(report, &out);
    return out.length;
}

static char report_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool report_same_letter(char a, char b)
{
    return report_lower(a) == report_lower(b);
}

static uint32_t report_least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

// The number of edits that turn one text into the other, by the usual table of which three rows
// are kept. Both have at most REPORT_WORD_MAX bytes.
static uint32_t report_distance(const char *a, uint32_t a_length, const char *b, uint32_t b_length)
{
    uint32_t rows[3][REPORT_WORD_MAX + 1];
    for (uint32_t j = 0; j <= b_length; j++) {
        rows[0][j] = j;
    }
    for (uint32_t i = 1; i <= a_length; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3];
        const uint32_t *second = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b_length; j++) {
            uint32_t cost = report_same_letter(a[i - 1], b[j - 1]) ? 0 : 1;
            row[j] = report_least(above[j], row[j - 1]) + 1;
            row[j] = report_least(row[j], above[j - 1] + cost);
            if (i > 1 && j > 1 && report_same_letter(a[i - 1], b[j - 2]) &&
                report_same_letter(a[i - 2], b[j - 1])) {
                row[j] = report_least(row[j], second[j - 2] + 1);
            }
        }
    }
    return rows[a_length % 3][b_length];
}

bool kni_report_suggest(
    const char *const *candidates, uint32_t count, const char *word, const char **nearest)
{
    *nearest = NULL;
    size_t length = strlen(word);
    if (length > REPORT_WORD_MAX) {
        return false;
    }
    uint32_t best = (uint32_t)length / 3 + 1; // to be beaten
    for (uint32_t i = 0; i < count; i++) {
        size_t other = candidates[i] != NULL ? strlen(candidates[i]) : SIZE_MAX;
        size_t apart = other > length ? other - length : length - other;
        if (other > REPORT_WORD_MAX || apart >= best) {
            continue;
        }
        uint32_t distance = report_distance(word, (uint32_t)length, candidates[i], (uint32_t)other);
        if (distance < best) {
            best = distance;
            *nearest = candidates[i];
        }
    }
    return *nearest != NULL;
}

kni_hint kni_report_hint(const char *const *words, uint32_t count, const char *word)
{
    kni_hint hint = {""};
    const char *nearest;
    if (kni_report_suggest(words, count, word, &nearest)) {
        (void)snprintf(hint.text, sizeof(hint.text), "; did you mean `%s`?", nearest);
        return hint;
    }
    size_t length = 0;
    for (uint32_t i = 0; i < count && count <= HINT_WORDS_MAX && length < sizeof(hint.text); i++) {
        if (words[i] != NULL) {
            int added = snprintf(hint.text + length, sizeof(hint.text) - length, "%s%s",
                length > 0 ? ", " : "; expected one of: ", words[i]);
            length += added > 0 ? (size_t)added : 0;
        }
    }
    if (length >= sizeof(hint.text)) {
        hint.text[0] = 0;
    }
    return hint;
}
