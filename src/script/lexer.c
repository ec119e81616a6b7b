// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Splits the text of a chunk into tokens the way Lua does, for lints and for checks before
// compilation. It reports no errors: Lua compiles the same text.

#include "lexer.h"

#include <string.h>

void knl_lexer_begin(knl_lexer *lexer, const char *text, size_t size)
{
    *lexer = (knl_lexer){.at = text, .end = text + size, .line_start = text, .line = 1};
}

static char lexer_peek(const knl_lexer *c, size_t ahead)
{
    return (size_t)(c->end - c->at) > ahead ? c->at[ahead] : '\0';
}

static bool is_newline(char letter)
{
    return letter == '\n' || letter == '\r';
}

// Consumes one byte, or a line end: CR, LF, or both in any order.
static void lexer_advance(knl_lexer *c)
{
    if (c->at >= c->end) {
        return;
    }
    char letter = *c->at++;
    if (is_newline(letter)) {
        if (c->at < c->end && is_newline(*c->at) && *c->at != letter) {
            c->at++;
        }
        c->line++;
        c->line_start = c->at;
    }
}

// The number of '=' of a long bracket that opens here, or -1.
static int64_t long_level(const knl_lexer *c)
{
    if (lexer_peek(c, 0) != '[') {
        return -1;
    }
    size_t level = 0;
    while (lexer_peek(c, 1 + level) == '=') {
        level++;
    }
    return lexer_peek(c, 1 + level) == '[' ? (int64_t)level : -1;
}

// Skips a long bracket; the token gets the text inside.
static void skip_long(knl_lexer *c, size_t level, knl_token *token)
{
    c->at += level + 2;
    token->text = c->at;
    token->length = 0;
    while (c->at < c->end) {
        if (lexer_peek(c, 0) == ']') {
            size_t closing = 0;
            while (closing < level && lexer_peek(c, 1 + closing) == '=') {
                closing++;
            }
            if (closing == level && lexer_peek(c, 1 + level) == ']') {
                token->length = (size_t)(c->at - token->text);
                c->at += level + 2;
                return;
            }
        }
        lexer_advance(c);
    }
    token->length = (size_t)(c->at - token->text);
}

// After a backslash: any byte, any line end, or with \z all blanks and line ends that follow.
static void skip_escape(knl_lexer *c)
{
    bool skips_blanks = lexer_peek(c, 0) == 'z';
    lexer_advance(c);
    while (
        skips_blanks && c->at < c->end && strchr(" \t\n\v\f\r", *c->at) != NULL && *c->at != '\0') {
        lexer_advance(c);
    }
}

static void skip_quoted(knl_lexer *c, knl_token *token)
{
    char quote = *c->at++;
    token->text = c->at;
    while (c->at < c->end && *c->at != quote && !is_newline(*c->at)) {
        bool is_escape = *c->at == '\\';
        lexer_advance(c);
        if (is_escape) {
            token->has_escapes = true;
            skip_escape(c);
        }
    }
    token->length = (size_t)(c->at - token->text);
    if (lexer_peek(c, 0) == quote) {
        lexer_advance(c);
    }
}

static void skip_comment(knl_lexer *c)
{
    c->at += 2;
    int64_t level = long_level(c);
    if (level >= 0) {
        knl_token ignored;
        skip_long(c, (size_t)level, &ignored);
        return;
    }
    while (c->at < c->end && !is_newline(*c->at)) {
        c->at++;
    }
}

static void skip_blanks(knl_lexer *c)
{
    while (c->at < c->end) {
        if (lexer_peek(c, 0) == '-' && lexer_peek(c, 1) == '-') {
            skip_comment(c);
        } else if (*c->at != '\0' && strchr(" \t\n\v\f\r", *c->at) != NULL) {
            lexer_advance(c);
        } else {
            return;
        }
    }
}

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

static bool is_word(char letter)
{
    return is_digit(letter) || (letter >= 'a' && letter <= 'z') ||
           (letter >= 'A' && letter <= 'Z') || letter == '_';
}

// As Lua does: everything that may belong to a number does, with a sign after an exponent.
static void skip_number(knl_lexer *c)
{
    bool is_hexadecimal =
        lexer_peek(c, 0) == '0' && (lexer_peek(c, 1) == 'x' || lexer_peek(c, 1) == 'X');
    const char *exponents = is_hexadecimal ? "pP" : "eE";
    while (c->at < c->end && (is_word(*c->at) || *c->at == '.')) {
        char letter = *c->at++;
        if (strchr(exponents, letter) != NULL &&
            (lexer_peek(c, 0) == '+' || lexer_peek(c, 0) == '-')) {
            c->at++;
        }
    }
}

static void skip_symbol(knl_lexer *c)
{
    static const char *const symbols[] = {
        "...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"};
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++) {
        size_t length = strlen(symbols[i]);
        if ((size_t)(c->end - c->at) >= length && memcmp(c->at, symbols[i], length) == 0) {
            c->at += length;
            return;
        }
    }
    c->at++;
}

knl_token knl_lexer_next(knl_lexer *lexer)
{
    skip_blanks(lexer);
    const char *start = lexer->at;
    knl_token token = {
        .text = start, .line = lexer->line, .column = (uint32_t)(start - lexer->line_start) + 1};
    char letter = lexer_peek(lexer, 0);
    int64_t level = long_level(lexer);
    if (start >= lexer->end) {
        return token;
    }
    if (level >= 0 || letter == '"' || letter == '\'') {
        token.kind = KNL_TOKEN_STRING;
        if (level >= 0) {
            skip_long(lexer, (size_t)level, &token);
        } else {
            skip_quoted(lexer, &token);
        }
        return token;
    }
    if (is_digit(letter) || (letter == '.' && is_digit(lexer_peek(lexer, 1)))) {
        token.kind = KNL_TOKEN_NUMBER;
        skip_number(lexer);
    } else if (is_word(letter)) {
        token.kind = KNL_TOKEN_NAME;
        while (lexer->at < lexer->end && is_word(*lexer->at)) {
            lexer->at++;
        }
    } else {
        token.kind = KNL_TOKEN_SYMBOL;
        skip_symbol(lexer);
    }
    token.length = (size_t)(lexer->at - start);
    return token;
}

bool knl_token_is(const knl_token *token, const char *text)
{
    return token->kind != KNL_TOKEN_STRING && token->length == strlen(text) &&
           memcmp(token->text, text, token->length) == 0;
}

bool knl_token_equals(const knl_token *a, const knl_token *b)
{
    return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

bool knl_token_reads(const knl_token *token, const char *text)
{
    return token->length == strlen(text) && memcmp(token->text, text, token->length) == 0;
}
