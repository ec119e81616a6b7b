// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tokens of a chunk, as Lua reads them, with their places.
#ifndef KNL_LEXER_H
#define KNL_LEXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum knl_token_kind {
    KNL_TOKEN_END,
    KNL_TOKEN_NAME, // keywords too
    KNL_TOKEN_NUMBER,
    KNL_TOKEN_STRING,
    KNL_TOKEN_SYMBOL, // "==", "..", "("
} knl_token_kind;

typedef struct knl_token {
    knl_token_kind kind;
    const char *text; // for a string: the text between its quotes, with escapes unchanged
    size_t length;
    bool has_escapes;
    uint32_t line, column; // from 1; a column counts bytes
} knl_token;

typedef struct knl_lexer {
    const char *at;
    const char *end;
    const char *line_start;
    uint32_t line;
} knl_lexer;

void knl_lexer_begin(knl_lexer *lexer, const char *text, size_t size);
// The next token; KNL_TOKEN_END at the end. Text that is not Lua becomes some token, since Lua
// itself reports what is wrong with it.
knl_token knl_lexer_next(knl_lexer *lexer);
// Whether the token is this symbol, keyword or name.
bool knl_token_is(const knl_token *token, const char *text);
// Whether a token and another, or a text, have the same letters.
bool knl_token_equals(const knl_token *a, const knl_token *b);
bool knl_token_reads(const knl_token *token, const char *text);

#endif
