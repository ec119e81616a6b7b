// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tokens of expressions, and errors with their place in the text. The first error is kept;
// after it the text appears to be at its end, so that every loop over tokens stops.
#ifndef KNI_EXPRESSION_LEX_H
#define KNI_EXPRESSION_LEX_H

#include "library/tag_table.h"

#define KNI_TOKEN_NAME_MAX 320 // the longest name with a prefix such as `source.`

typedef enum kni_token_kind {
    KNI_TOKEN_END,
    KNI_TOKEN_NUMBER,
    KNI_TOKEN_NAME, // dotted, without backticks
    KNI_TOKEN_SYMBOL,
} kni_token_kind;

typedef enum kni_symbol {
    KNI_SYMBOL_NONE,
    KNI_SYMBOL_OPEN,
    KNI_SYMBOL_CLOSE,
    KNI_SYMBOL_OPEN_KEY,
    KNI_SYMBOL_CLOSE_KEY,
    KNI_SYMBOL_COMMA,
    KNI_SYMBOL_ADD,
    KNI_SYMBOL_SUBTRACT,
    KNI_SYMBOL_MULTIPLY,
    KNI_SYMBOL_DIVIDE,
    KNI_SYMBOL_MODULO,
    KNI_SYMBOL_POWER,
    KNI_SYMBOL_LESS,
    KNI_SYMBOL_LESS_EQUAL,
    KNI_SYMBOL_GREATER,
    KNI_SYMBOL_GREATER_EQUAL,
    KNI_SYMBOL_EQUAL,
    KNI_SYMBOL_NOT_EQUAL,
    KNI_SYMBOL_DEFAULT,
    KNI_SYMBOL_AND,
    KNI_SYMBOL_OR,
    KNI_SYMBOL_NOT,
} kni_symbol;

typedef struct kni_token {
    kni_token_kind kind;
    kni_symbol symbol; // KNI_SYMBOL_NONE for other kinds
    size_t at, length; // in the text
    float number;
    char name[KNI_TOKEN_NAME_MAX];
} kni_token;

typedef struct kni_lexer {
    const char *what; // "calculation" and the like, for messages
    const char *name; // of the def, for messages
    const char *text;
    kn_error *error;
    kn_result result; // the first error, or KN_OK
    size_t next;      // where the next token begins
    kni_token token;
} kni_lexer;

// Reads the next token.
void kni_lex_advance(kni_lexer *lexer);
// Consumes a symbol if it is next; false otherwise.
bool kni_lex_accept(kni_lexer *lexer, kni_symbol wanted);
// Consumes a symbol that must be next; `name` is how it is written, for the message.
void kni_lex_expect(kni_lexer *lexer, kni_symbol wanted, const char *name);

// Reports an error at a place in the text. `format` is for kni_error() and takes up to two strings.
void kni_lex_fail(kni_lexer *lexer, size_t at, const char *format, const char *a, const char *b);

// The token as a message shows it: in backticks as it is written, or the end.
typedef struct kni_token_text {
    char text[sizeof(kni_tag_quote) + 2];
} kni_token_text;
kni_token_text kni_lex_seen(const kni_lexer *lexer);

#endif
