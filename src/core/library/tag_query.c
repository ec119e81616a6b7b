// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A query is code in prefix order: `op << 24 | operand count`, then that many operands, which are
// tags (tokens with op 0) or nodes. Queries are plain structs that also arrive in saves and
// packets, so no token is trusted before it is checked.

#include "library/tag_table.h"

#include "base/text.h"

#include <string.h>

#define QUERY_COUNT_MASK 0xffffffu

static const char *const query_names[] = {
    [KN_QUERY_ANY_TAGS] = "any_tags",
    [KN_QUERY_ALL_TAGS] = "all_tags",
    [KN_QUERY_NO_TAGS] = "no_tags",
    [KN_QUERY_ANY_TAGS_EXACT] = "any_tags_exact",
    [KN_QUERY_ALL_TAGS_EXACT] = "all_tags_exact",
    [KN_QUERY_NO_TAGS_EXACT] = "no_tags_exact",
    [KN_QUERY_ANY] = "any",
    [KN_QUERY_ALL] = "all",
    [KN_QUERY_NONE] = "none",
};

static bool query_op_is_known(uint32_t op)
{
    return op >= KN_QUERY_ANY_TAGS && op <= KN_QUERY_NONE;
}

static bool query_op_takes_tags(uint32_t op)
{
    return op <= KN_QUERY_NO_TAGS_EXACT;
}

// Building --------------------------------------------------------------------

// The token of the innermost open node, or NULL when there is none or the struct is damaged.
static uint32_t *query_open_node(kn_tag_query *query)
{
    if (query->depth == 0 || query->depth > KN_QUERY_DEPTH_MAX ||
        query->count > KN_QUERY_TOKENS_MAX || query->open[query->depth - 1] >= query->count) {
        return NULL;
    }
    return &query->tokens[query->open[query->depth - 1]];
}

// Appends one operand to the innermost open node.
static bool query_push(kn_tag_query *query, uint32_t token)
{
    bool is_tag = token >> 24 == 0;
    uint32_t *parent = query_open_node(query);
    bool is_root = query->count == 0 && query->depth == 0 && !is_tag;
    if (query->failed || query->count >= KN_QUERY_TOKENS_MAX ||
        (!is_root && (parent == NULL || query_op_takes_tags(*parent >> 24) != is_tag))) {
        return false;
    }
    if (parent != NULL) {
        ++*parent; // its operand count
    }
    query->tokens[query->count++] = token;
    return true;
}

void kn_tag_query_begin(kn_tag_query *query, kn_query_op op)
{
    KN_ASSERT(query != NULL);
    if (query == NULL) {
        return;
    }
    if (!query_op_is_known((uint32_t)op) || query->depth >= KN_QUERY_DEPTH_MAX ||
        !query_push(query, (uint32_t)op << 24)) {
        query->failed = 1;
        return;
    }
    query->open[query->depth++] = (uint16_t)(query->count - 1);
}

void kn_tag_query_tag(kn_tag_query *query, kn_tag tag)
{
    KN_ASSERT(query != NULL);
    if (query == NULL) {
        return;
    }
    if (kn_tag_is_null(tag) || tag.index1 > KNI_TAG_MAX || !query_push(query, tag.index1)) {
        query->failed = 1;
    }
}

void kn_tag_query_end(kn_tag_query *query)
{
    KN_ASSERT(query != NULL);
    if (query == NULL) {
        return;
    }
    if (query->failed || query_open_node(query) == NULL) {
        query->failed = 1;
        return;
    }
    query->open[--query->depth] = 0; // cleared, so that equal queries are equal bytes
}

// Reading ---------------------------------------------------------------------

static bool query_is_closed(const kn_tag_query *query)
{
    return query->failed == 0 && query->depth == 0 && query->count <= KN_QUERY_TOKENS_MAX;
}

// End of the node at `at`, or 0 if it is malformed. `table` may be NULL; then any tag is accepted.
static uint32_t query_check_node(
    const kni_tag_table *table, const kn_tag_query *query, uint32_t at, uint32_t depth)
{
    if (at >= query->count || depth > KN_QUERY_DEPTH_MAX) {
        return 0;
    }
    uint32_t op = query->tokens[at] >> 24;
    uint32_t operands = query->tokens[at] & QUERY_COUNT_MASK;
    at++;
    if (!query_op_is_known(op) || operands > query->count - at) {
        return 0;
    }
    if (!query_op_takes_tags(op)) {
        for (uint32_t i = 0; i < operands; i++) {
            at = query_check_node(table, query, at, depth + 1);
            if (at == 0) {
                return 0;
            }
        }
        return at;
    }
    for (uint32_t end = at + operands; at < end; at++) {
        uint32_t tag = query->tokens[at];
        if (tag == 0 || tag > KNI_TAG_MAX || (table != NULL && !kni_tag_is_live(table, tag))) {
            return 0;
        }
    }
    return at;
}

static bool query_is_well_formed(const kni_tag_table *table, const kn_tag_query *query)
{
    return query_is_closed(query) &&
           (query->count == 0 || query_check_node(table, query, 0, 1) == query->count);
}

bool kni_tag_query_is_empty(const kn_tag_query *query)
{
    return query->count == 0 && query_is_closed(query);
}

bool kn_tag_query_is_valid(const kn_library *library, const kn_tag_query *query)
{
    KN_ASSERT(library != NULL);
    return library != NULL && query != NULL &&
           query_is_well_formed(kni_library_tags_const(library), query);
}

typedef struct query_reader {
    const uint32_t *tokens;
    uint32_t at;
    kni_tag_has_fn *has;
    const void *subject;
} query_reader;

// Moves past a node of a well-formed query.
static void query_skip(query_reader *reader)
{
    uint32_t token = reader->tokens[reader->at++];
    uint32_t operands = token & QUERY_COUNT_MASK;
    if (query_op_takes_tags(token >> 24)) {
        reader->at += operands;
        return;
    }
    for (uint32_t i = 0; i < operands; i++) {
        query_skip(reader);
    }
}

// Each op looks for one operand that decides: a true one for "any" and "none", a false one for
// "all".
static bool query_eval_node(query_reader *reader)
{
    uint32_t token = reader->tokens[reader->at++];
    uint32_t op = token >> 24;
    uint32_t operands = token & QUERY_COUNT_MASK;
    bool is_all = op == KN_QUERY_ALL || op == KN_QUERY_ALL_TAGS || op == KN_QUERY_ALL_TAGS_EXACT;
    bool is_any = op == KN_QUERY_ANY || op == KN_QUERY_ANY_TAGS || op == KN_QUERY_ANY_TAGS_EXACT;
    bool takes_tags = query_op_takes_tags(op);
    bool exact = op >= KN_QUERY_ANY_TAGS_EXACT;
    bool decided = false;
    uint32_t end = reader->at + operands;
    for (uint32_t i = 0; i < operands && !(takes_tags && decided); i++) {
        if (decided) {
            query_skip(reader);
            continue;
        }
        bool value = takes_tags ? reader->has(reader->subject, reader->tokens[reader->at++], exact)
                                : query_eval_node(reader);
        decided = value != is_all;
    }
    if (takes_tags) {
        reader->at = end;
    }
    return is_any ? decided : !decided;
}

bool kni_tag_query_eval_trusted(const kn_tag_query *query, kni_tag_has_fn *has, const void *subject)
{
    if (query->count == 0) {
        return false;
    }
    query_reader reader = {.tokens = query->tokens, .has = has, .subject = subject};
    return query_eval_node(&reader);
}

bool kni_tag_query_eval(const kn_tag_query *query, kni_tag_has_fn *has, const void *subject)
{
    return query_is_well_formed(NULL, query) && kni_tag_query_eval_trusted(query, has, subject);
}

uint32_t kni_tag_query_collect(const kn_tag_query *query, kn_tag *out, uint32_t capacity)
{
    if (!query_is_well_formed(NULL, query)) {
        return 0;
    }
    uint32_t found = 0;
    for (uint32_t i = 0; i < query->count; i++) {
        uint32_t token = query->tokens[i];
        bool is_new = token >> 24 == 0;
        for (uint32_t j = 0; j < i && is_new; j++) {
            is_new = query->tokens[j] != token;
        }
        if (is_new) {
            if (found < capacity) {
                out[found].index1 = token;
            }
            found++;
        }
    }
    return found;
}

// Text ------------------------------------------------------------------------

static void query_print_node(kni_text *writer, const kn_library *library, query_reader *reader)
{
    uint32_t token = reader->tokens[reader->at++];
    uint32_t op = token >> 24;
    kni_text_str(writer, query_names[op]);
    kni_text_str(writer, "(");
    for (uint32_t i = 0; i < (token & QUERY_COUNT_MASK); i++) {
        if (i > 0) {
            kni_text_str(writer, ", ");
        }
        if (query_op_takes_tags(op)) {
            kn_tag tag = {reader->tokens[reader->at++]};
            kni_text_str(writer, kn_tag_name(library, tag));
        } else {
            query_print_node(writer, library, reader);
        }
    }
    kni_text_str(writer, ")");
}

uint32_t kn_tag_query_print(
    const kn_library *library, const kn_tag_query *query, char *text, uint32_t size)
{
    kni_text writer;
    kni_text_init(&writer, text, text != NULL ? size : 0);
    if (!kn_tag_query_is_valid(library, query)) {
        kni_text_str(&writer, "<invalid query>"); // cannot be read back as a query
    } else if (query->count > 0) {
        query_reader reader = {.tokens = query->tokens};
        query_print_node(&writer, library, &reader);
    }
    return writer.length;
}

typedef struct query_parser {
    const kni_tag_table *table;
    const char *text;
    size_t at;
    kn_tag_query query;
    kn_error *error;
} query_parser;

typedef struct query_word {
    const char *data;
    size_t length;
    size_t at;
} query_word;

static void query_place(const query_parser *parser, size_t at, uint32_t *line, uint32_t *column)
{
    *line = 1;
    *column = 1;
    for (size_t i = 0; i < at; i++) {
        if (parser->text[i] == '\n') {
            ++*line;
            *column = 1;
        } else {
            ++*column;
        }
    }
}

// An error about the place `at`; `format` takes one string.
static kn_result query_fail(const query_parser *parser, kn_result code, size_t at,
    const char *format, const char *detail) KN_PRINTF(4, 0);

static kn_result query_fail(
    const query_parser *parser, kn_result code, size_t at, const char *format, const char *detail)
{
    uint32_t line, column;
    query_place(parser, at, &line, &column);
    return kni_tag_fail(parser->error, code, line, column, format, detail);
}

static void query_skip_space(query_parser *parser)
{
    while (parser->text[parser->at] == ' ' || parser->text[parser->at] == '\t' ||
           parser->text[parser->at] == '\n' || parser->text[parser->at] == '\r') {
        parser->at++;
    }
}

// Reads up to the next space, punctuation or the end.
static query_word query_read_word(query_parser *parser)
{
    query_skip_space(parser);
    query_word word = {.data = &parser->text[parser->at], .at = parser->at};
    word.length = strcspn(word.data, " \t\n\r(),");
    parser->at += word.length;
    query_skip_space(parser);
    return word;
}

// How a message shows the text at a place: one character in backticks, or the end.
static kni_tag_quote query_seen(const query_parser *parser, size_t at)
{
    if (parser->text[at] == '\0') {
        return kni_tag_quoted("the end", 7);
    }
    const char seen[] = {'`', parser->text[at], '`'};
    return kni_tag_quoted(seen, sizeof seen);
}

static uint32_t query_find_op(query_word word)
{
    for (uint32_t op = KN_QUERY_ANY_TAGS; op <= KN_QUERY_NONE; op++) {
        if (strlen(query_names[op]) == word.length &&
            memcmp(query_names[op], word.data, word.length) == 0) {
            return op;
        }
    }
    return 0;
}

// The operator that was probably meant, or 0.
static uint32_t query_suggest_op(query_word word)
{
    static const struct {
        const char *word;
        uint32_t op;
    } habits[] = {{"and", KN_QUERY_ALL}, {"or", KN_QUERY_ANY}, {"not", KN_QUERY_NONE}};
    for (size_t i = 0; i < sizeof habits / sizeof *habits; i++) {
        size_t length = strlen(habits[i].word);
        if (kni_tag_edits(word.data, word.length, habits[i].word, length, 0) == 0) {
            return habits[i].op;
        }
    }
    uint32_t limit = 1 + (word.length > 5);
    uint32_t closest = 0;
    for (uint32_t op = KN_QUERY_ANY_TAGS; op <= KN_QUERY_NONE; op++) {
        size_t length = strlen(query_names[op]);
        uint32_t edits = kni_tag_edits(word.data, word.length, query_names[op], length, limit);
        if (edits <= limit) {
            closest = op;
            if (edits == 0) {
                break;
            }
            limit = edits - 1;
        }
    }
    return closest;
}

static kn_result query_unknown_op(const query_parser *parser, query_word word)
{
    if (word.length == 0) {
        return query_fail(parser, KN_ERROR_BAD_DATA, word.at,
            "expected an operator such as `any_tags(`, not %s", query_seen(parser, word.at).text);
    }
    if (kni_tag_table_find(parser->table, word.data, word.length) != 0) {
        return query_fail(parser, KN_ERROR_BAD_DATA, word.at,
            "`%s` is a tag; put it into an operator such as any_tags()",
            kni_tag_quoted(word.data, word.length).text);
    }
    uint32_t meant = query_suggest_op(word);
    if (meant != 0) {
        uint32_t line, column;
        query_place(parser, word.at, &line, &column);
        return kni_tag_fail(parser->error, KN_ERROR_BAD_DATA, line, column,
            "`%s` is not an operator; did you mean `%s`?",
            kni_tag_quoted(word.data, word.length).text, query_names[meant]);
    }
    return query_fail(parser, KN_ERROR_BAD_DATA, word.at,
        "`%s` is not an operator; the operators are any_tags, all_tags, no_tags, the same with "
        "_exact, any, all and none",
        kni_tag_quoted(word.data, word.length).text);
}

static kn_result query_parse_tag(query_parser *parser)
{
    query_word word = query_read_word(parser);
    if (word.length == 0) {
        return query_fail(parser, KN_ERROR_BAD_DATA, word.at, "expected the name of a tag, not %s",
            query_seen(parser, word.at).text);
    }
    uint32_t line, column;
    query_place(parser, word.at, &line, &column);
    kn_result result = kni_tag_name_check(word.data, word.length, line, column, parser->error);
    if (result != KN_OK) {
        return result;
    }
    kn_tag tag = {kni_tag_table_find(parser->table, word.data, word.length)};
    if (kn_tag_is_null(tag)) {
        return kni_tag_unknown(parser->table, word.data, word.length, line, column, parser->error);
    }
    if (parser->query.count >= KN_QUERY_TOKENS_MAX) {
        return query_fail(parser, KN_REFUSED_LIMIT, word.at,
            "tag `%s` makes the query too long; split it",
            kni_tag_quoted(word.data, word.length).text);
    }
    kn_tag_query_tag(&parser->query, tag);
    return KN_OK;
}

static kn_result query_parse_node(query_parser *parser)
{
    query_word word = query_read_word(parser);
    uint32_t op = query_find_op(word);
    if (op == 0) {
        return query_unknown_op(parser, word);
    }
    if (parser->text[parser->at] != '(') {
        return query_fail(parser, KN_ERROR_BAD_DATA, parser->at,
            "expected `(` after the operator, not %s", query_seen(parser, parser->at).text);
    }
    parser->at++;
    if (parser->query.depth >= KN_QUERY_DEPTH_MAX) {
        return query_fail(
            parser, KN_REFUSED_LIMIT, word.at, "`%s` is nested too deeply", query_names[op]);
    }
    if (parser->query.count >= KN_QUERY_TOKENS_MAX) {
        return query_fail(parser, KN_REFUSED_LIMIT, word.at,
            "`%s` makes the query too long; split it", query_names[op]);
    }
    kn_tag_query_begin(&parser->query, (kn_query_op)op);
    query_skip_space(parser);
    if (parser->text[parser->at] != ')') {
        for (;;) {
            kn_result result =
                query_op_takes_tags(op) ? query_parse_tag(parser) : query_parse_node(parser);
            if (result != KN_OK) {
                return result;
            }
            if (parser->text[parser->at] != ',') {
                break;
            }
            parser->at++;
        }
    }
    if (parser->text[parser->at] != ')') {
        return query_fail(parser, KN_ERROR_BAD_DATA, parser->at, "expected `,` or `)`, not %s",
            query_seen(parser, parser->at).text);
    }
    parser->at++;
    query_skip_space(parser);
    kn_tag_query_end(&parser->query);
    return KN_OK;
}

kn_result kn_tag_query_parse(
    const kn_library *library, const char *text, kn_tag_query *query, kn_error *error)
{
    if (query != NULL) {
        *query = (kn_tag_query){0};
    }
    kni_tag_error_clear(error);
    bool is_good = library != NULL && text != NULL && query != NULL;
    KN_ASSERT(is_good);
    if (!is_good) {
        return kni_tag_fail(
            error, KN_ERROR_INVALID_ARGUMENT, 0, 0, "a library, a text and a query are needed");
    }
    query_parser parser = {.table = kni_library_tags_const(library), .text = text, .error = error};
    query_skip_space(&parser);
    if (text[parser.at] == '\0') {
        return KN_OK; // the empty query
    }
    kn_result result = query_parse_node(&parser);
    if (result == KN_OK && text[parser.at] != '\0') {
        result = query_fail(&parser, KN_ERROR_BAD_DATA, parser.at,
            "expected the end of the query, not %s; join nodes with all(...) or any(...)",
            query_seen(&parser, parser.at).text);
    }
    if (result == KN_OK) {
        *query = parser.query;
    }
    return result;
}
