// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "reasons.h"

#include <math.h>
#include <string.h>

enum {
    LINE_TAG = 1 << 0,
    LINE_ATTRIBUTE = 1 << 1,
    LINE_NUMBERS = 1 << 2, // have, need
    LINE_TIMES = 1 << 3,   // remaining, total
    LINE_CHECK = 1 << 4,
    LINE_TEXT = 1 << 5,
    LINE_FIELDS = (1 << 6) - 1,
};

static bool line_is_same(const kn_refusal_line *a, const kn_refusal_line *b)
{
    return a->reason == b->reason && a->tag.index1 == b->tag.index1 &&
           a->attribute.index1 == b->attribute.index1 && a->check.index1 == b->check.index1 &&
           strcmp(a->text, b->text) == 0;
}

void kni_refusal_add(refusal *why, const kn_refusal_line *line)
{
    for (uint32_t i = 0; i < why->line_count; i++) {
        if (line_is_same(&why->lines[i], line)) {
            return;
        }
    }
    if (why->line_count < REASON_LINES_MAX) {
        why->lines[why->line_count++] = *line;
    }
}

void kni_refusal_write_head(kn_writer *out, const refusal *why, uint32_t line_count)
{
    kni_write_number(out, why->reasons);
    kni_write_number(out, why->ability.index1);
    kni_write_number(out, line_count);
}

static uint32_t reason_bit(kn_fail reason)
{
    uint32_t bit = 0;
    while (bit < 31 && ((uint32_t)reason >> bit & 1) == 0) {
        bit++;
    }
    return bit;
}

static void write_float(kn_writer *out, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof(bits));
    kn_write_u32(out, bits);
}

static float read_float(kn_reader *in)
{
    uint32_t bits = kn_read_u32(in);
    float value;
    memcpy(&value, &bits, sizeof(value));
    in->failed = in->failed || !isfinite(value);
    return in->failed ? 0.0f : value;
}

static uint8_t line_fields(const kn_refusal_line *line)
{
    bool has_numbers =
        isfinite(line->have) && isfinite(line->need) && (line->have != 0.0f || line->need != 0.0f);
    bool has_times = line->remaining > 0 || line->total > 0;
    return (uint8_t)((line->tag.index1 != 0 ? LINE_TAG : 0) |
                     (line->attribute.index1 != 0 ? LINE_ATTRIBUTE : 0) |
                     (has_numbers ? LINE_NUMBERS : 0) | (has_times ? LINE_TIMES : 0) |
                     (line->check.index1 != 0 ? LINE_CHECK : 0) |
                     (line->text[0] != 0 ? LINE_TEXT : 0));
}

static uint64_t time_number(kn_time time)
{
    return time > 0 ? (uint64_t)time : 0;
}

static void line_write(kn_writer *out, const kn_refusal_line *line)
{
    uint8_t fields = line_fields(line);
    kn_write_u8(out, (uint8_t)reason_bit(line->reason));
    kn_write_u8(out, fields);
    if ((fields & LINE_TAG) != 0) {
        kni_write_number(out, line->tag.index1);
    }
    if ((fields & LINE_ATTRIBUTE) != 0) {
        kni_write_number(out, line->attribute.index1);
    }
    if ((fields & LINE_NUMBERS) != 0) {
        write_float(out, line->have);
        write_float(out, line->need);
    }
    if ((fields & LINE_TIMES) != 0) {
        kni_write_number(out, time_number(line->remaining));
        kni_write_number(out, time_number(line->total));
    }
    if ((fields & LINE_CHECK) != 0) {
        kni_write_number(out, line->check.index1);
    }
    if ((fields & LINE_TEXT) != 0) {
        const char *end = memchr(line->text, 0, sizeof(line->text) - 1);
        size_t length = end != NULL ? (size_t)(end - line->text) : sizeof(line->text) - 1;
        kn_write_u8(out, (uint8_t)length);
        kn_write_bytes(out, line->text, length);
    }
}

uint32_t kni_refusal_write_lines(kn_writer *out, const refusal *why, size_t size)
{
    size_t start = out->length;
    uint32_t count = 0;
    while (count < why->line_count) {
        size_t before = out->length;
        line_write(out, &why->lines[count]);
        if (out->length > out->size || out->length - start > size) {
            out->length = before;
            break;
        }
        count++;
    }
    return count;
}

// A number from 1 to `count`.
static uint32_t read_index(kn_reader *in, uint32_t count)
{
    uint64_t index1 = kni_read_number(in);
    in->failed = in->failed || index1 == 0 || index1 > count;
    return in->failed ? 0 : (uint32_t)index1;
}

static kn_time read_time(kn_reader *in)
{
    uint64_t time = kni_read_number(in);
    in->failed = in->failed || time > (uint64_t)KN_TIME_MAX;
    return in->failed ? 0 : (kn_time)time;
}

static void text_read(kn_reader *in, kn_refusal_line *line)
{
    uint8_t length = kn_read_u8(in);
    in->failed = in->failed || length == 0 || length >= sizeof(line->text);
    const uint8_t *bytes = in->failed ? NULL : kn_read_bytes(in, length);
    in->failed = in->failed || memchr(bytes, 0, length) != NULL;
    if (!in->failed) {
        memcpy(line->text, bytes, length);
    }
}

static void line_read(kn_reader *in, const kn_library *library, kn_refusal_line *line)
{
    uint8_t bit = kn_read_u8(in), fields = kn_read_u8(in);
    *line = (kn_refusal_line){0};
    if (in->failed || bit > 30 || (fields & ~LINE_FIELDS) != 0) {
        in->failed = true;
        return;
    }
    line->reason = (kn_fail)(1u << bit);
    if ((fields & LINE_TAG) != 0) {
        line->tag.index1 = read_index(in, kn_def_count(library, KN_DEF_TAG));
    }
    if ((fields & LINE_ATTRIBUTE) != 0) {
        line->attribute.index1 = read_index(in, kn_attribute_count(library));
    }
    if ((fields & LINE_NUMBERS) != 0) {
        line->have = read_float(in);
        line->need = read_float(in);
    }
    if ((fields & LINE_TIMES) != 0) {
        line->remaining = read_time(in);
        line->total = read_time(in);
    }
    if ((fields & LINE_CHECK) != 0) {
        line->check.index1 = read_index(in, kn_def_count(library, KN_DEF_CHECK));
    }
    if ((fields & LINE_TEXT) != 0) {
        text_read(in, line);
    }
}

void kni_refusal_read(kn_reader *in, const kn_library *library, refusal *why)
{
    *why = (refusal){0};
    uint64_t reasons = kni_read_number(in), ability1 = kni_read_number(in);
    uint64_t count = kni_read_number(in);
    if (in->failed || reasons > INT32_MAX || count > REASON_LINES_MAX ||
        ability1 > kn_def_count(library, KN_DEF_ABILITY)) {
        in->failed = true;
        return;
    }
    why->reasons = (uint32_t)reasons;
    why->ability.index1 = (uint32_t)ability1;
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        line_read(in, library, &why->lines[i]);
    }
    why->line_count = in->failed ? 0 : (uint32_t)count;
}
