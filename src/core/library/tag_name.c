// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tag names as text: which names are well formed, what the author of a bad one probably meant, and
// the error messages about it.

#include "library/tag_table.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Errors ----------------------------------------------------------------------

kn_result kni_tag_fail(
    kn_error *error, kn_result code, uint32_t line, uint32_t column, const char *format, ...)
{
    if (error != NULL) {
        *error = (kn_error){.code = code, .line = line, .column = column};
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return code;
}

void kni_tag_error_clear(kn_error *error)
{
    if (error != NULL) {
        *error = (kn_error){0};
    }
}

kni_tag_quote kni_tag_quoted(const char *name, size_t length)
{
    kni_tag_quote quote = {{0}};
    const size_t room = sizeof quote.text - 1;
    size_t shown = length <= room ? length : room - 3;
    for (size_t i = 0; i < shown; i++) {
        quote.text[i] = name[i] >= ' ' && name[i] <= '~' ? name[i] : '?';
    }
    if (shown < length) {
        memcpy(&quote.text[shown], "...", 3);
    }
    return quote;
}

// Names -----------------------------------------------------------------------

static char tag_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool tag_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
}

uint32_t kni_tag_name_hash(const char *name, size_t length)
{
    uint32_t hash = 2166136261u; // FNV-1a
    for (size_t i = 0; i < length; i++) {
        hash = (hash ^ (uint8_t)tag_lower(name[i])) * 16777619u;
    }
    return hash ^ hash >> 15;
}

bool kni_tag_name_equal(const char *name, size_t length, const char *other)
{
    for (size_t i = 0; i < length; i++) {
        if (name[i] != other[i] && tag_lower(name[i]) != tag_lower(other[i])) {
            return false; // differs here, or `other` ends here
        }
    }
    return other[length] == '\0';
}

// Index of the first byte that is not allowed at its place, or the length.
static size_t tag_name_first_bad(const char *name, size_t length)
{
    bool part_begins = true;
    for (size_t i = 0; i < length; i++) {
        bool is_dot = name[i] == '.';
        if (is_dot ? part_begins || i + 1 == length : !tag_is_letter(name[i])) {
            return i;
        }
        part_begins = is_dot;
    }
    return length;
}

static uint32_t tag_name_depth(const char *name, size_t length)
{
    uint32_t depth = 1;
    for (size_t i = 0; i < length; i++) {
        depth += name[i] == '.';
    }
    return depth;
}

// What the author of a bad name probably meant: other separators become dots, spaces around parts
// and empty parts are removed, and each run of anything else becomes one '_'. Returns the length, 0
// when nothing is left.
static size_t tag_name_correct(const char *name, size_t length, char corrected[KN_TAG_NAME_MAX])
{
    size_t written = 0;
    bool gap = false; // invalid bytes were skipped since the last valid one
    for (size_t i = 0; i < length && written + 1 < KN_TAG_NAME_MAX; i++) {
        char c = name[i];
        bool part_begins = written == 0 || corrected[written - 1] == '.';
        if (c == '.' || c == '/' || c == '\\' || c == ':' || c == '>') {
            if (!part_begins) {
                corrected[written++] = '.';
            }
            gap = false;
        } else if (!tag_is_letter(c)) {
            gap = true;
        } else {
            if (gap && !part_begins) {
                corrected[written++] = '_';
            }
            corrected[written++] = c;
            gap = false;
        }
    }
    while (written > 0 && corrected[written - 1] == '.') {
        written--;
    }
    return written;
}

kn_result kni_tag_name_check(
    const char *name, size_t length, uint32_t line, uint32_t column, kn_error *error)
{
    if (length == 0) {
        return kni_tag_fail(
            error, KN_ERROR_BAD_DATA, line, column, "a tag needs a name, such as `State.Stunned`");
    }
    if (length > KN_TAG_NAME_MAX) {
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, line, column,
            "tag name `%s` is longer than %d bytes; shorten it", kni_tag_quoted(name, length).text,
            KN_TAG_NAME_MAX);
    }
    size_t bad = tag_name_first_bad(name, length);
    if (bad < length) {
        char corrected[KN_TAG_NAME_MAX] = {0};
        size_t written = tag_name_correct(name, length, corrected);
        uint32_t bad_column = column + (uint32_t)bad;
        if (written == 0) {
            return kni_tag_fail(error, KN_ERROR_BAD_DATA, line, bad_column,
                "`%s` is not a tag name: parts are letters, digits, `_` and `-`, joined by dots",
                kni_tag_quoted(name, length).text);
        }
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, line, bad_column,
            "`%s` is not a tag name: parts are letters, digits, `_` and `-`; did you mean `%s`?",
            kni_tag_quoted(name, length).text, kni_tag_quoted(corrected, written).text);
    }
    if (tag_name_depth(name, length) > KN_TAG_DEPTH_MAX) {
        return kni_tag_fail(error, KN_ERROR_BAD_DATA, line, column,
            "tag name `%s` has %u parts, at most %d are allowed", kni_tag_quoted(name, length).text,
            tag_name_depth(name, length), KN_TAG_DEPTH_MAX);
    }
    return KN_OK;
}

uint32_t kni_tag_edits(
    const char *a, size_t a_length, const char *b, size_t b_length, uint32_t limit)
{
    size_t difference = a_length > b_length ? a_length - b_length : b_length - a_length;
    if (difference > limit) {
        return limit + 1;
    }
    uint16_t rows[3][KN_TAG_NAME_MAX + 1];
    uint16_t *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        last[j] = (uint16_t)j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        uint16_t best = row[0] = (uint16_t)i;
        char x = tag_lower(a[i - 1]);
        for (size_t j = 1; j <= b_length; j++) {
            char y = tag_lower(b[j - 1]);
            uint32_t edits = last[j - 1] + (uint32_t)(x != y);
            edits = last[j] + 1u < edits ? last[j] + 1u : edits;
            edits = row[j - 1] + 1u < edits ? row[j - 1] + 1u : edits;
            if (i > 1 && j > 1 && x == tag_lower(b[j - 2]) && y == tag_lower(a[i - 2]) &&
                before[j - 2] + 1u < edits) {
                edits = before[j - 2] + 1u;
            }
            row[j] = (uint16_t)edits;
            best = row[j] < best ? row[j] : best;
        }
        if (best > limit) {
            return limit + 1;
        }
        uint16_t *spare = before;
        before = last;
        last = row;
        row = spare;
    }
    return last[b_length] <= limit ? last[b_length] : limit + 1;
}
