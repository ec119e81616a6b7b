// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Looks at the text of a chunk before Lua does: compiled chunks, and the operator `^`. Lua computes
// a power with the C library, whose last digits differ from machine to machine, and does so for
// constants while it compiles; so the code does not show it and the text has to.

#include "internal.h"

#include <string.h>

typedef struct cursor {
    const char *at;
    const char *end;
    uint32_t line;
} cursor;

static char peek(const cursor *c, size_t ahead)
{
    return (size_t)(c->end - c->at) > ahead ? c->at[ahead] : '\0';
}

static void advance(cursor *c, size_t count)
{
    for (size_t i = 0; i < count && c->at < c->end; i++) {
        c->line += *c->at == '\n';
        c->at++;
    }
}

// The number of '=' of a long bracket that opens here, or -1.
static int long_level(const cursor *c)
{
    if (peek(c, 0) != '[') {
        return -1;
    }
    size_t level = 0;
    while (peek(c, 1 + level) == '=') {
        level++;
    }
    return peek(c, 1 + level) == '[' ? (int)level : -1;
}

static void skip_long(cursor *c, size_t level)
{
    advance(c, level + 2);
    while (c->at < c->end) {
        if (peek(c, 0) == ']') {
            size_t closing = 0;
            while (closing < level && peek(c, 1 + closing) == '=') {
                closing++;
            }
            if (closing == level && peek(c, 1 + level) == ']') {
                advance(c, level + 2);
                return;
            }
        }
        advance(c, 1);
    }
}

static void skip_quoted(cursor *c)
{
    char quote = peek(c, 0);
    advance(c, 1);
    while (c->at < c->end && peek(c, 0) != quote) {
        advance(c, peek(c, 0) == '\\' ? 2 : 1);
    }
    advance(c, 1);
}

static void skip_line(cursor *c)
{
    while (c->at < c->end && *c->at != '\n') {
        advance(c, 1);
    }
}

bool knl_source_check(const char *text, size_t size, uint32_t *line, const char **message)
{
    cursor c = {text, text + size, 1};
    *line = 1;
    if (size > 0 && text[0] == LUA_SIGNATURE[0]) {
        *message = "compiled chunks are refused; load the source";
        return false;
    }
    while (c.at < c.end) {
        int level;
        if (peek(&c, 0) == '-' && peek(&c, 1) == '-') {
            advance(&c, 2);
            level = long_level(&c);
            if (level >= 0) {
                skip_long(&c, (size_t)level);
            } else {
                skip_line(&c);
            }
        } else if ((level = long_level(&c)) >= 0) {
            skip_long(&c, (size_t)level);
        } else if (peek(&c, 0) == '"' || peek(&c, 0) == '\'') {
            skip_quoted(&c);
        } else if (peek(&c, 0) == '^') {
            *line = c.line;
            *message = "'^' gives other digits on other machines; use math.pow(x, y)";
            return false;
        } else {
            advance(&c, 1);
        }
    }
    return true;
}
