// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A mapping or list is written when its first child comes: an empty one takes no lines of its own,
// and the first entry of a mapping in a list stands behind the dash.

#include "emit.h"

#include "source.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct emit_frame {
    uint32_t count; // children so far
    bool is_mapping;
    bool has_key; // a value comes next
    bool in_line; // YAML: the first child stands in the line that has begun
} emit_frame;

struct kni_emitter {
    kn_hooks hooks;
    kni_emit_format format;
    kn_result result; // of the first failure
    bool is_done;     // the document has its value
    emit_frame *frames;
    uint32_t frame_count;
    uint32_t frame_capacity;
    kni_buffer text;
};

kn_result kni_emitter_create(const kn_hooks *hooks, kni_emit_format format, kni_emitter **emitter)
{
    kn_hooks used = hooks != NULL ? *hooks : (kn_hooks){0};
    *emitter = kn_memory_resize(&used, NULL, 0, sizeof **emitter);
    if (*emitter == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    **emitter = (kni_emitter){.hooks = used, .format = format, .text.hooks = used};
    return KN_OK;
}

void kni_emitter_destroy(kni_emitter *emitter)
{
    if (emitter == NULL) {
        return;
    }
    kn_hooks hooks = emitter->hooks;
    kn_memory_free(&hooks, emitter->frames, emitter->frame_capacity * sizeof *emitter->frames);
    kni_buffer_free(&emitter->text);
    kn_memory_free(&hooks, emitter, sizeof *emitter);
}

static void emit_fail(kni_emitter *emitter, kn_result result)
{
    if (emitter->result == KN_OK) {
        emitter->result = result;
    }
}

// False after a failure, and when the caller broke the rules, which is one.
static bool emit_expect(kni_emitter *emitter, bool condition)
{
    if (emitter->result != KN_OK) {
        return false;
    }
    KN_ASSERT(condition);
    if (!condition) {
        emitter->result = KN_ERROR_INVALID_ARGUMENT;
    }
    return condition;
}

static void emit_bytes(kni_emitter *emitter, const char *bytes, size_t size)
{
    if (emitter->result == KN_OK && !kni_buffer_add(&emitter->text, bytes, size)) {
        emit_fail(emitter, KN_ERROR_OUT_OF_MEMORY);
    }
}

static void emit_str(kni_emitter *emitter, const char *str)
{
    emit_bytes(emitter, str, strlen(str));
}

static void emit_line(kni_emitter *emitter, uint32_t depth)
{
    if (emitter->format == KNI_EMIT_JSON_COMPACT) {
        return;
    }
    emit_str(emitter, "\n");
    for (uint32_t i = 0; i < depth; i++) {
        emit_str(emitter, "  ");
    }
}

// Text

static bool emit_is_word(const char *text, const char *word)
{
    for (; *text != '\0' || *word != '\0'; text++, word++) {
        char lower = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (lower != *word) {
            return false;
        }
    }
    return true;
}

// Words that mean something else to us, or to other readers of YAML.
static bool emit_is_reserved(const char *text)
{
    static const char *const words[] = {"true", "false", "null", "yes", "no", "on", "off"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (emit_is_word(text, words[i])) {
            return true;
        }
    }
    return false;
}

// Whether YAML reads the text as it is, without quotes.
static bool emit_is_plain(const char *text)
{
    unsigned char first = (unsigned char)text[0];
    unsigned char letter = first | 0x20u;
    if (!(letter >= 'a' && letter <= 'z') && first != '_' && first < 0x80) {
        return false;
    }
    size_t length = strlen(text);
    if (text[length - 1] == ' ' || text[length - 1] == ':' || emit_is_reserved(text) ||
        strchr(text, '\\') != NULL || strstr(text, ": ") != NULL || strstr(text, " #") != NULL) {
        return false;
    }
    for (size_t i = 0; i < length;) {
        uint32_t code;
        uint32_t size = kni_source_decode(text + i, length - i, &code);
        if (size == 0 || code < ' ' || !kni_source_is_allowed(code)) {
            return false;
        }
        i += size;
    }
    return true;
}

static void emit_escape(kni_emitter *emitter, uint32_t code)
{
    static const char from[] = "\"\\\n\t\r\b\f";
    static const char to[] = "\"\\ntrbf";
    char escape[8];
    const char *found = code < 0x80 ? strchr(from, (int)code) : NULL;
    if (found != NULL) {
        (void)snprintf(escape, sizeof escape, "\\%c", to[found - from]);
    } else {
        (void)snprintf(escape, sizeof escape, "\\u%04x", (unsigned)(code & 0xffff));
    }
    emit_str(emitter, escape);
}

// In double quotes, with those escapes only that YAML and JSON share.
static void emit_quoted(kni_emitter *emitter, const char *text)
{
    size_t length = strlen(text);
    emit_str(emitter, "\"");
    for (size_t i = 0; i < length;) {
        uint32_t code;
        uint32_t size = kni_source_decode(text + i, length - i, &code);
        if (size == 0) {
            emit_fail(emitter, KN_ERROR_BAD_DATA);
            return;
        }
        if (code == '"' || code == '\\' || code < ' ' || !kni_source_is_allowed(code)) {
            emit_escape(emitter, code);
        } else {
            emit_bytes(emitter, text + i, size);
        }
        i += size;
    }
    emit_str(emitter, "\"");
}

static void emit_text(kni_emitter *emitter, const char *text)
{
    if (emitter->format == KNI_EMIT_YAML && emit_is_plain(text)) {
        emit_str(emitter, text);
    } else {
        emit_quoted(emitter, text);
    }
}

// Structure

static emit_frame *emit_top(kni_emitter *emitter)
{
    return emitter->frame_count > 0 ? &emitter->frames[emitter->frame_count - 1] : NULL;
}

// Begins an entry or item of the innermost mapping or list.
static void emit_begin_child(kni_emitter *emitter, emit_frame *frame)
{
    bool is_first = frame->count++ == 0;
    if (emitter->format != KNI_EMIT_YAML) {
        if (!is_first) {
            emit_str(emitter, ",");
        }
        emit_line(emitter, emitter->frame_count);
        return;
    }
    if (!is_first || !frame->in_line) {
        emit_line(emitter, emitter->frame_count - 1);
    }
    if (!frame->is_mapping) {
        emit_str(emitter, "- ");
    }
}

// Makes room for a value; false when there cannot be one.
static bool emit_begin_value(kni_emitter *emitter)
{
    emit_frame *top = emit_top(emitter);
    if (!emit_expect(emitter, top != NULL ? !top->is_mapping || top->has_key : !emitter->is_done)) {
        return false;
    }
    if (top == NULL) {
        emitter->is_done = true;
    } else if (top->is_mapping) {
        top->has_key = false;
    } else {
        emit_begin_child(emitter, top);
    }
    return true;
}

// A blank stands between a key and a value in its line.
static void emit_begin_in_line(kni_emitter *emitter)
{
    const emit_frame *top = emit_top(emitter);
    if (emitter->format == KNI_EMIT_YAML && top != NULL && top->is_mapping) {
        emit_str(emitter, " ");
    }
}

// A value that is written as it stands.
static void emit_plain(kni_emitter *emitter, const char *text)
{
    if (emit_begin_value(emitter)) {
        emit_begin_in_line(emitter);
        emit_str(emitter, text);
    }
}

static void emit_begin(kni_emitter *emitter, bool is_mapping)
{
    const emit_frame *top = emit_top(emitter);
    bool in_line = top == NULL || !top->is_mapping;
    if (!emit_begin_value(emitter)) {
        return;
    }
    if (!kn_memory_grow(&emitter->hooks, &emitter->frames, &emitter->frame_capacity,
            emitter->frame_count + 1, sizeof *emitter->frames)) {
        emit_fail(emitter, KN_ERROR_OUT_OF_MEMORY);
        return;
    }
    emitter->frames[emitter->frame_count++] =
        (emit_frame){.is_mapping = is_mapping, .in_line = in_line};
    if (emitter->format != KNI_EMIT_YAML) {
        emit_str(emitter, is_mapping ? "{" : "[");
    }
}

static void emit_end(kni_emitter *emitter, bool is_mapping)
{
    const emit_frame *top = emit_top(emitter);
    bool fits = top != NULL && top->is_mapping == is_mapping && !top->has_key;
    if (!emit_expect(emitter, fits) || top == NULL) {
        return;
    }
    bool is_empty = top->count == 0;
    emitter->frame_count--;
    if (emitter->format != KNI_EMIT_YAML) {
        if (!is_empty) {
            emit_line(emitter, emitter->frame_count);
        }
        emit_str(emitter, is_mapping ? "}" : "]");
    } else if (is_empty) {
        emit_begin_in_line(emitter);
        emit_str(emitter, is_mapping ? "{}" : "[]");
    }
}

void kni_emitter_begin_mapping(kni_emitter *emitter)
{
    emit_begin(emitter, true);
}

void kni_emitter_end_mapping(kni_emitter *emitter)
{
    emit_end(emitter, true);
}

void kni_emitter_begin_sequence(kni_emitter *emitter)
{
    emit_begin(emitter, false);
}

void kni_emitter_end_sequence(kni_emitter *emitter)
{
    emit_end(emitter, false);
}

static bool emit_is_key(const char *key)
{
    size_t length = 0;
    for (; key[length] != '\0'; length++) {
        unsigned char c = (unsigned char)key[length];
        if (c < ' ' || c == 0x7f || length >= KNI_DOCUMENT_KEY_MAX) {
            return false;
        }
    }
    return true;
}

void kni_emitter_key(kni_emitter *emitter, const char *key)
{
    emit_frame *top = emit_top(emitter);
    bool fits = top != NULL && top->is_mapping && !top->has_key && emit_is_key(key);
    if (!emit_expect(emitter, fits) || top == NULL) {
        return;
    }
    emit_begin_child(emitter, top);
    top->has_key = true;
    emit_text(emitter, key);
    emit_str(emitter, emitter->format == KNI_EMIT_JSON ? ": " : ":");
}

// Values

void kni_emitter_null(kni_emitter *emitter)
{
    emit_plain(emitter, "null");
}

void kni_emitter_bool(kni_emitter *emitter, bool value)
{
    emit_plain(emitter, value ? "true" : "false");
}

void kni_emitter_i64(kni_emitter *emitter, int64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", (long long)value);
    emit_plain(emitter, text);
}

void kni_emitter_u64(kni_emitter *emitter, uint64_t value)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    emit_plain(emitter, text);
}

void kni_emitter_f32(kni_emitter *emitter, float value)
{
    char text[32];
    kn_float_print(value, text, sizeof text);
    if (emit_expect(emitter, isfinite(value))) {
        emit_plain(emitter, text);
    }
}

void kni_emitter_time(kni_emitter *emitter, kn_time value)
{
    if (value == KN_TIME_INFINITE) {
        kni_emitter_text(emitter, "forever");
        return;
    }
    char text[32];
    kni_scalar_print_time(value, text, sizeof text);
    emit_plain(emitter, text);
}

void kni_emitter_text(kni_emitter *emitter, const char *text)
{
    if (emit_begin_value(emitter)) {
        emit_begin_in_line(emitter);
        emit_text(emitter, text);
    }
}

// JSON knows no sign +, and wants digits on both sides of a point.
static void emit_number(kni_emitter *emitter, const char *number)
{
    if (emitter->format == KNI_EMIT_YAML) {
        emit_plain(emitter, number);
        return;
    }
    const char *digits = number + (number[0] == '-' || number[0] == '+');
    size_t whole = strspn(digits, "0123456789");
    const char *rest = digits + whole;
    if (rest[0] == '.' && strspn(rest + 1, "0123456789") == 0) {
        rest++;
    }
    emit_plain(emitter, number[0] == '-' ? "-" : "");
    emit_str(emitter, whole == 0 ? "0" : "");
    emit_bytes(emitter, digits, whole);
    emit_str(emitter, rest);
}

static void emit_scalar(kni_emitter *emitter, const kni_scalar *scalar)
{
    bool value;
    if (kni_scalar_is_null(scalar)) {
        kni_emitter_null(emitter);
    } else if (kni_scalar_bool(scalar, &value, NULL) == KN_OK) {
        kni_emitter_bool(emitter, value);
    } else if (kni_scalar_is_number(scalar)) {
        emit_number(emitter, scalar->text);
    } else {
        kni_emitter_text(emitter, scalar->text);
    }
}

// The depth of a document is limited, so this is too.
// NOLINTNEXTLINE(misc-no-recursion)
void kni_emitter_node(kni_emitter *emitter, kni_node node)
{
    kni_node_kind kind = kni_node_kind_of(node);
    if (kind == KNI_NODE_SCALAR) {
        kni_scalar scalar = kni_node_scalar(node);
        emit_scalar(emitter, &scalar);
        return;
    }
    if (!emit_expect(emitter, kind != KNI_NODE_NONE)) {
        return;
    }
    emit_begin(emitter, kind == KNI_NODE_MAPPING);
    kni_children children = kni_node_children(node);
    for (kni_node child; emitter->result == KN_OK && kni_children_next(&children, &child);) {
        if (kind == KNI_NODE_MAPPING) {
            kni_emitter_key(emitter, kni_node_key(child));
        }
        kni_emitter_node(emitter, child);
    }
    emit_end(emitter, kind == KNI_NODE_MAPPING);
}

kn_result kni_emitter_finish(kni_emitter *emitter, const char **text, uint32_t *size)
{
    *text = NULL;
    *size = 0;
    (void)emit_expect(emitter, emitter->is_done && emitter->frame_count == 0);
    if (emitter->format != KNI_EMIT_JSON_COMPACT) {
        emit_str(emitter, "\n");
    }
    emit_bytes(emitter, "", 1);
    if (emitter->result != KN_OK) {
        return emitter->result;
    }
    *text = emitter->text.data;
    *size = emitter->text.size - 1;
    return KN_OK;
}
