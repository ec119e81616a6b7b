// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library within a scenario is read by the loader of libraries, which takes texts. So the part of
// the document is written as a text again, in braces and brackets, with every key and value padded
// to the line and column it came from: messages of the loader then have the right place. Within a
// formula that needs quotes here and had none, the column is one too high.

#include "scenario_types.h"

#include <stdio.h>
#include <string.h>

typedef struct writer {
    kni_buffer *out;
    uint32_t line, column; // where the next byte goes
    bool ok;
} writer;

static void write_bytes(writer *to, const char *text, size_t length)
{
    to->ok = to->ok && kni_buffer_add(to->out, text, length);
    to->column += (uint32_t)length;
}

static void write_mark(writer *to, const char *mark)
{
    write_bytes(to, mark, strlen(mark));
}

// Goes to a place, `before` columns in front of it. What is behind already stays where it is: an
// alias shows lines that were there before.
static void write_to(writer *to, kni_place place, uint32_t before)
{
    uint32_t column = place.column > before ? place.column - before : 1;
    if (place.line < to->line) {
        return;
    }
    while (to->ok && to->line < place.line) {
        to->ok = kni_buffer_add(to->out, "\n", 1);
        to->line++;
        to->column = 1;
    }
    while (to->ok && to->column < column) {
        write_mark(to, " ");
    }
}

// Words and numbers, as they can stand without quotes between brackets.
static bool is_plain(const char *text)
{
    if (text[0] == 0 || strchr("-?:", text[0]) != NULL) {
        // A number may begin with a minus.
        if (text[0] != '-' || text[1] == 0 || text[1] == ' ') {
            return false;
        }
    }
    for (const char *at = text; *at != 0; at++) {
        bool is_word = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                       (*at >= '0' && *at <= '9') || strchr("_.-+$/~", *at) != NULL;
        bool is_gap = *at == ' ' && at[1] != 0 && at[1] != ' ' && at != text;
        if (!is_word && !is_gap) {
            return false;
        }
    }
    return true;
}

static void write_quoted(writer *to, const char *text)
{
    write_mark(to, "\"");
    for (const char *at = text; *at != 0; at++) {
        unsigned char c = (unsigned char)*at;
        char escape[8];
        if (c == '"' || c == '\\') {
            (void)snprintf(escape, sizeof(escape), "\\%c", *at);
            write_mark(to, escape);
        } else if (c < 0x20 || c == 0x7f) {
            (void)snprintf(escape, sizeof(escape), "\\x%02x", c);
            write_mark(to, escape);
        } else {
            write_bytes(to, at, 1);
        }
    }
    write_mark(to, "\"");
}

static void write_text(writer *to, const char *text, bool quoted)
{
    if (!quoted && is_plain(text)) {
        write_mark(to, text);
    } else {
        write_quoted(to, text);
    }
}

static void write_node(writer *to, kni_node node);

static void write_children(writer *to, kni_node node, bool keyed)
{
    kni_children children = kni_node_children(node);
    const char *separator = "";
    for (kni_node child; to->ok && kni_children_next(&children, &child);) {
        write_mark(to, separator);
        if (keyed) {
            write_to(to, kni_node_key_place(child), 0);
            write_text(to, kni_node_key(child), false);
            write_mark(to, ": ");
        }
        write_node(to, child);
        separator = ",";
    }
}

static void write_node(writer *to, kni_node node)
{
    kni_node_kind kind = kni_node_kind_of(node);
    if (kind == KNI_NODE_SCALAR) {
        kni_scalar scalar = kni_node_scalar(node);
        if (kni_node_is_null(node)) {
            write_mark(to, "null");
        } else {
            write_to(to, kni_node_place(node), 0);
            write_text(to, scalar.text, scalar.quoted);
        }
        return;
    }
    bool is_mapping = kind == KNI_NODE_MAPPING;
    // The bracket goes in front, where a block of lines has its indentation.
    write_to(to, kni_node_place(node), 1);
    write_mark(to, is_mapping ? "{" : "[");
    write_children(to, node, is_mapping);
    write_mark(to, is_mapping ? "}" : "]");
}

bool kni_node_write(kni_node node, kni_buffer *out)
{
    writer to = {out, 1, 1, true};
    write_node(&to, node);
    return to.ok;
}
