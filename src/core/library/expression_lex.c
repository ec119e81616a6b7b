// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Splits the text of an expression into tokens, one ahead of the parser, and reports errors with
// line and column. Operators that other languages have and this one lacks get messages that say
// what to write.

#include "library/expression_lex.h"

#include "base/text.h"
#include "library/fields.h"

// Errors --------------------------------------------------------------------

void kni_lex_fail(kni_lexer *lexer, size_t at, const char *format, const char *a, const char *b)
{
    if (lexer->result != KN_OK) {
        return;
    }
    lexer->token.kind = KNI_TOKEN_END;
    lexer->token.symbol = KNI_SYMBOL_NONE;
    lexer->next = strlen(lexer->text);
    kn_error inner;
    lexer->result = kni_error(&inner, KN_ERROR_BAD_DATA, format, a, b);
    (void)kni_error(lexer->error, lexer->result, "%s `%s`: %s", lexer->what,
        kni_tag_quoted(lexer->name, strlen(lexer->name)).text, inner.message);
    if (lexer->error == NULL) {
        return;
    }
    lexer->error->line = 1;
    lexer->error->column = 1;
    for (size_t i = 0; i < at; i++) {
        bool is_end = lexer->text[i] == '\n';
        lexer->error->line += is_end ? 1 : 0;
        lexer->error->column = is_end ? 1 : lexer->error->column + 1;
    }
}

kni_token_text kni_lex_seen(const kni_lexer *lexer)
{
    kni_token_text out;
    kni_text text;
    kni_text_init(&text, out.text, sizeof(out.text));
    if (lexer->token.kind == KNI_TOKEN_END) {
        kni_text_str(&text, "the end");
        return out;
    }
    kni_text_char(&text, '`');
    kni_text_str(&text, kni_tag_quoted(&lexer->text[lexer->token.at], lexer->token.length).text);
    kni_text_char(&text, '`');
    return out;
}

// Tokens --------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || is_digit(c) ||
           (uint8_t)c >= 0x80;
}

static size_t skip_digits(const char *text, size_t at)
{
    while (is_digit(text[at])) {
        at++;
    }
    return at;
}

static void read_number(kni_lexer *lexer)
{
    const char *text = lexer->text;
    size_t at = skip_digits(text, lexer->token.at);
    if (text[at] == '.' && is_digit(text[at + 1])) {
        at = skip_digits(text, at + 1);
    }
    if (text[at] == 'e' || text[at] == 'E') {
        size_t exponent = at + 1;
        exponent += text[exponent] == '+' || text[exponent] == '-' ? 1 : 0;
        at = is_digit(text[exponent]) ? skip_digits(text, exponent) : at;
    }
    char digits[64];
    lexer->token.length = at - lexer->token.at;
    if (lexer->token.length >= sizeof(digits)) {
        kni_lex_fail(
            lexer, lexer->token.at, "a number has at most 63 characters; shorten it", "", "");
        return;
    }
    memcpy(digits, &text[lexer->token.at], lexer->token.length);
    digits[lexer->token.length] = 0;
    lexer->token.kind = KNI_TOKEN_NUMBER;
    lexer->next = at;
    if (!kn_float_parse(digits, &lexer->token.number)) {
        kni_lex_fail(lexer, lexer->token.at, "the number `%s` is too large", digits, "");
    } else if (is_name_char(text[at]) || text[at] == '.') {
        kni_lex_fail(lexer, at,
            "the number `%s` runs into what follows; put an operator between them", digits, "");
    }
}

// Reads one part of a dotted name: letters, or anything in backticks. Returns where it ends in the
// text.
static size_t read_part(kni_lexer *lexer, size_t at, size_t *length)
{
    const char *text = lexer->text;
    size_t first = at, end = at;
    if (text[at] == '`') {
        first++;
        for (end = first; text[end] != '`' && text[end] != 0;) {
            end++;
        }
        if (text[end] == 0) {
            kni_lex_fail(lexer, at, "close the name with another backtick", "", "");
            return at;
        }
    } else {
        while (is_name_char(text[end])) {
            end++;
        }
    }
    if (end - first >= KNI_TOKEN_NAME_MAX - 1 - *length) {
        kni_lex_fail(lexer, at, "a name has at most 255 characters", "", "");
        return at;
    }
    memcpy(&lexer->token.name[*length], &text[first], end - first);
    *length += end - first;
    lexer->token.name[*length] = 0;
    return text[at] == '`' ? end + 1 : end;
}

static void read_name(kni_lexer *lexer)
{
    static const struct {
        const char *word;
        kni_symbol symbol;
    } words[] = {{"and", KNI_SYMBOL_AND}, {"or", KNI_SYMBOL_OR}, {"not", KNI_SYMBOL_NOT}};
    const char *text = lexer->text;
    size_t length = 0;
    lexer->token.kind = KNI_TOKEN_NAME;
    size_t at = read_part(lexer, lexer->token.at, &length);
    while (lexer->result == KN_OK && text[at] == '.' &&
           (is_name_char(text[at + 1]) || text[at + 1] == '`')) {
        lexer->token.name[length++] = '.';
        at = read_part(lexer, at + 1, &length);
    }
    if (lexer->result != KN_OK) {
        return;
    }
    lexer->token.length = at - lexer->token.at;
    lexer->next = at;
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strcmp(words[i].word, lexer->token.name) == 0) {
            lexer->token.kind = KNI_TOKEN_SYMBOL;
            lexer->token.symbol = words[i].symbol;
        }
    }
}

static void read_symbol(kni_lexer *lexer)
{
    // Longer symbols first, so that `<=` is not read as `<`.
    static const struct {
        const char *text;
        kni_symbol symbol;
    } symbols[] = {
        {"<=", KNI_SYMBOL_LESS_EQUAL},
        {">=", KNI_SYMBOL_GREATER_EQUAL},
        {"==", KNI_SYMBOL_EQUAL},
        {"!=", KNI_SYMBOL_NOT_EQUAL},
        {"\?\?", KNI_SYMBOL_DEFAULT},
        {"<", KNI_SYMBOL_LESS},
        {">", KNI_SYMBOL_GREATER},
        {"(", KNI_SYMBOL_OPEN},
        {")", KNI_SYMBOL_CLOSE},
        {"[", KNI_SYMBOL_OPEN_KEY},
        {"]", KNI_SYMBOL_CLOSE_KEY},
        {",", KNI_SYMBOL_COMMA},
        {"+", KNI_SYMBOL_ADD},
        {"-", KNI_SYMBOL_SUBTRACT},
        {"*", KNI_SYMBOL_MULTIPLY},
        {"/", KNI_SYMBOL_DIVIDE},
        {"%", KNI_SYMBOL_MODULO},
        {"^", KNI_SYMBOL_POWER},
    };
    // Operators of other languages, and what to write instead.
    static const struct {
        const char *text;
        const char *meant;
    } habits[] = {{"=", "=="}, {"&&", "and"}, {"||", "or"}, {"!", "not"}, {"<>", "!="},
        {"&", "and"}, {"|", "or"}, {"?", "if(condition, a, b)"}};
    const char *text = &lexer->text[lexer->token.at];
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
        size_t length = strlen(symbols[i].text);
        if (strncmp(symbols[i].text, text, length) == 0 && strncmp(text, "<>", 2) != 0) {
            lexer->token.kind = KNI_TOKEN_SYMBOL;
            lexer->token.symbol = symbols[i].symbol;
            lexer->token.length = length;
            lexer->next = lexer->token.at + length;
            return;
        }
    }
    for (size_t i = 0; i < sizeof(habits) / sizeof(*habits); i++) {
        if (strncmp(habits[i].text, text, strlen(habits[i].text)) == 0) {
            kni_lex_fail(lexer, lexer->token.at, "`%s` is not known here; write `%s`",
                habits[i].text, habits[i].meant);
            return;
        }
    }
    kni_lex_fail(
        lexer, lexer->token.at, "`%s` is not allowed here", kni_tag_quoted(text, 1).text, "");
}

void kni_lex_advance(kni_lexer *lexer)
{
    const char *text = lexer->text;
    size_t at = lexer->next + strspn(&text[lexer->next], " \t\r\n");
    lexer->token.kind = KNI_TOKEN_END;
    lexer->token.symbol = KNI_SYMBOL_NONE;
    lexer->token.at = at;
    lexer->token.length = 0;
    if (text[at] == 0 || lexer->result != KN_OK) {
        return;
    }
    if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) {
        read_number(lexer);
    } else if (is_name_char(text[at]) || text[at] == '`') {
        read_name(lexer);
    } else {
        read_symbol(lexer);
    }
}

bool kni_lex_accept(kni_lexer *lexer, kni_symbol wanted)
{
    if (lexer->token.symbol != wanted || lexer->result != KN_OK) {
        return false;
    }
    kni_lex_advance(lexer);
    return true;
}

void kni_lex_expect(kni_lexer *lexer, kni_symbol wanted, const char *name)
{
    if (!kni_lex_accept(lexer, wanted)) {
        kni_lex_fail(
            lexer, lexer->token.at, "expected `%s`, not %s", name, kni_lex_seen(lexer).text);
    }
}
