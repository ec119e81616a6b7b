// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "source.h"

#include <stdio.h>
#include <string.h>

#define SOURCE_SIZE_MAX ((size_t)256 << 20)
#define SOURCE_BAD_BYTE UINT32_MAX
#define PAIR_LENGTH 12 // of \ud83d\ude00

kn_result kni_source_refuse_list(
    kni_source *source, kni_place place, const char *format, va_list arguments)
{
    place.file = source->file;
    kni_report_add_list(source->report, KNI_SEVERITY_ERROR, &place, format, arguments);
    return KN_ERROR_BAD_DATA;
}

kn_result kni_source_refuse(kni_source *source, kni_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    kn_result result = kni_source_refuse_list(source, place, format, arguments);
    va_end(arguments);
    return result;
}

uint32_t kni_source_decode(const char *text, size_t left, uint32_t *code)
{
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t length = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 : 4;
    if (length == 0 || length > left || at[0] > 0xf4) {
        return 0;
    }
    *code = length == 1 ? at[0] : at[0] & (0x7fu >> length);
    for (uint32_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
        *code = *code << 6 | (at[i] & 0x3fu);
    }
    bool is_half = *code >= 0xd800 && *code <= 0xdfff;
    return *code < least[length] || is_half || *code > 0x10ffff ? 0 : length;
}

bool kni_source_is_allowed(uint32_t code)
{
    if (code < ' ') {
        return code == '\t' || code == '\n' || code == '\r';
    }
    return code < 0x7f || (code > 0x9f && code != 0x2028 && code != 0x2029 && code != 0xfeff &&
                              code != 0xfffe && code != 0xffff);
}

static kni_place source_place(const kni_source *source, size_t offset)
{
    kni_place place = {.line = 1, .column = 1};
    for (size_t i = 0; i < offset; i++) {
        char c = source->text[i];
        if (c == '\n' || (c == '\r' && (i + 1 == source->size || source->text[i + 1] != '\n'))) {
            place.line++;
            place.column = 1;
        } else if (((unsigned char)c & 0xc0) != 0x80) {
            place.column++;
        }
    }
    return place;
}

kni_place kni_source_end(const kni_source *source)
{
    return source_place(source, source->size);
}

static kn_result source_refuse_char(kni_source *source, size_t offset, uint32_t code)
{
    kni_place place = source_place(source, offset);
    if (code == SOURCE_BAD_BYTE) {
        return kni_source_refuse(source, place,
            "the byte 0x%02X is not UTF-8: save the file as UTF-8",
            (unsigned)(unsigned char)source->text[offset]);
    }
    if (code == 0) {
        return kni_source_refuse(
            source, place, "a zero byte: this is not a text file, or not UTF-8");
    }
    return kni_source_refuse(source, place,
        "the character U+%04X is not allowed in a data file; write it as `\"\\u%04X\"`",
        (unsigned)code, (unsigned)code);
}

static kn_result source_check(kni_source *source)
{
    for (size_t i = 0; i < source->size;) {
        if (source->text[i] >= ' ' && source->text[i] < 0x7f) {
            i++;
            continue;
        }
        uint32_t code;
        uint32_t length = kni_source_decode(source->text + i, source->size - i, &code);
        if (length == 0 || !kni_source_is_allowed(code)) {
            return source_refuse_char(source, i, length > 0 ? code : SOURCE_BAD_BYTE);
        }
        i += length;
    }
    return KN_OK;
}

kn_result kni_source_open(kni_source *source, const char *text, size_t size, size_t size_limit)
{
    size_t limit = size_limit < SOURCE_SIZE_MAX ? size_limit : SOURCE_SIZE_MAX;
    kni_place start = {.line = 1, .column = 1};
    source->text = text;
    source->size = size;
    if (size > limit) {
        return kni_source_refuse(
            source, (kni_place){0}, "the file has %zu bytes; %zu are allowed", size, limit);
    }
    if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0)) {
        return kni_source_refuse(source, start, "the file is UTF-16: save it as UTF-8");
    }
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
        source->text += 3;
        source->size -= 3;
    }
    return source_check(source);
}

void kni_source_close(kni_source *source)
{
    kn_memory_free(&source->hooks, source->pairs, source->pair_capacity * sizeof *source->pairs);
    kn_memory_free(&source->hooks, source->copy, source->size);
}

char kni_source_char(const kni_source *source, size_t index)
{
    size_t at = 0;
    for (size_t i = 0; i < source->size; i++) {
        if (((unsigned char)source->text[i] & 0xc0) != 0x80 && at++ == index) {
            return source->text[i];
        }
    }
    return '\0';
}

// Pairs

// The value of `\uXXXX` if it lies in [from, to], else 0.
static uint32_t source_escape(const char *at, uint32_t from, uint32_t to)
{
    if (at[0] != '\\' || at[1] != 'u') {
        return 0;
    }
    uint32_t value = 0;
    for (uint32_t i = 2; i < 6; i++) {
        char c = at[i];
        uint32_t digit = c >= '0' && c <= '9'   ? (uint32_t)(c - '0')
                         : c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a') + 10
                         : c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A') + 10
                                                : 16;
        if (digit == 16) {
            return 0;
        }
        value = value << 4 | digit;
    }
    return value >= from && value <= to ? value : 0;
}

static kn_result source_replace_pair(kni_source *source, size_t offset, size_t index, uint32_t code)
{
    if (source->copy == NULL) {
        source->copy = kn_memory_resize(&source->hooks, NULL, 0, source->size);
        if (source->copy == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        memcpy(source->copy, source->text, source->size);
    }
    if (!kn_memory_grow(&source->hooks, &source->pairs, &source->pair_capacity,
            source->pair_count + 1, sizeof *source->pairs)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    source->pairs[source->pair_count++] = index;
    char stand_in[16];
    (void)snprintf(stand_in, sizeof stand_in, "\\0\\U%08x", (unsigned)code);
    memcpy(source->copy + offset, stand_in, PAIR_LENGTH);
    return KN_OK;
}

kn_result kni_source_replace_pairs(kni_source *source)
{
    const char *text = source->text;
    if (source->size < PAIR_LENGTH || memchr(text, '\\', source->size) == NULL) {
        return KN_OK;
    }
    size_t index = 0; // of the character
    for (size_t i = 0; i <= source->size - PAIR_LENGTH;) {
        uint32_t high = source_escape(text + i, 0xd800, 0xdbff);
        uint32_t low = high != 0 ? source_escape(text + i + PAIR_LENGTH / 2, 0xdc00, 0xdfff) : 0;
        size_t length = 1;
        if (low != 0) {
            uint32_t code = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
            kn_result result = source_replace_pair(source, i, index, code);
            if (result != KN_OK) {
                return result;
            }
            length = PAIR_LENGTH;
        } else if (text[i] == '\\' && text[i + 1] == '\\') {
            length = 2; // an escaped backslash does not begin an escape
        }
        for (; length > 0; length--) {
            index += ((unsigned char)text[i++] & 0xc0) != 0x80;
        }
    }
    return KN_OK;
}

uint32_t kni_source_pairs(kni_source *source, size_t start, size_t end)
{
    uint32_t count = 0;
    for (; source->pair_next < source->pair_count && source->pairs[source->pair_next] < end;
         source->pair_next++) {
        count += source->pairs[source->pair_next] >= start; // others lie in comments
    }
    return count;
}
