// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "document_words.h"

#include <string.h>

// What the parser says, and what we say of the place it names. `start` is for the place where the
// thing began, when that is the one to look at: always without `words`, else at the file's end.
typedef struct words_problem {
    const char *problem;
    const char *words;
    const char *start;
} words_problem;

static const words_problem *words_find(const char *problem)
{
    static const words_problem problems[] = {
        {"mapping values are not allowed in this context",
            "a `:` is not allowed here: check the indentation, or put the text in quotes", NULL},
        {"mapping keys are not allowed in this context",
            "a key is not allowed here: check the indentation", NULL},
        {"block sequence entries are not allowed in this context",
            "a list item `-` is not allowed here: check the indentation", NULL},
        {"could not find expected ':'", NULL,
            "a `:` is missing after this key; a key takes one line and at most 1024 characters"},
        {"found unexpected end of stream", NULL, "the quote that begins here is never closed"},
        {"found unexpected document indicator", NULL,
            "the quote that begins here is not closed before the end of the document"},
        {"found unknown escape character",
            "this escape is unknown: in double quotes write \\\\ for a backslash", NULL},
        {"did not find expected hexdecimal number", "this escape lacks hexadecimal digits", NULL},
        {"found invalid Unicode character escape code",
            "this escape is not a character; one half of a surrogate pair must be followed by the "
            "other",
            NULL},
        {"did not find expected alphabetic or numeric character", NULL,
            "this is not a name for an anchor or alias: put text that begins with `&` or `*` in "
            "quotes"},
        {"did not find expected comment or line break",
            "only a comment can follow here: begin a new line", NULL},
        {"did not find expected key",
            "this line does not belong to the mapping above: check the indentation and the quotes",
            NULL},
        {"did not find expected '-' indicator",
            "this line does not belong to the list above: check the indentation", NULL},
        {"did not find expected ',' or ']'", "a `,` or `]` is missing here",
            "the list that begins here is never closed"},
        {"did not find expected ',' or '}'", "a `,` or `}` is missing here",
            "the mapping that begins here is never closed"},
        {"did not find expected node content", "a value is missing here", NULL},
        {"did not find expected <document start>",
            "this does not belong to what comes before: check the indentation", NULL},
        {"found a tab character where an indentation space is expected",
            "a tab cannot indent: use spaces", NULL},
        {"found a tab character that violates indentation", "a tab cannot indent: use spaces",
            NULL},
        {"found undefined tag handle", "tags are not used here: remove it", NULL},
    };
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        if (strcmp(problem, problems[i].problem) == 0) {
            return &problems[i];
        }
    }
    return NULL;
}

kni_place kni_words_place(yaml_mark_t mark)
{
    return (kni_place){.line = (uint32_t)mark.line + 1, .column = (uint32_t)mark.column + 1};
}

static kn_result words_refuse_start(kni_source *source, const yaml_parser_t *parser)
{
    kni_place place = kni_words_place(parser->problem_mark);
    char c = kni_source_char(source, parser->problem_mark.index);
    if (c == '\t') {
        return kni_source_refuse(source, place, "a tab cannot indent: use spaces");
    }
    return kni_source_refuse(source, place, "a value cannot begin with `%c`: put it in quotes", c);
}

kn_result kni_words_explain(kni_source *source, const yaml_parser_t *parser)
{
    if (parser->error == YAML_MEMORY_ERROR) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    const char *problem = parser->problem != NULL ? parser->problem : "this is not YAML";
    if (strcmp(problem, "found character that cannot start any token") == 0) {
        return words_refuse_start(source, parser);
    }
    // The parser counts a line break behind the end.
    bool at_end = kni_source_char(source, parser->problem_mark.index) == '\0';
    kni_place place = at_end ? kni_source_end(source) : kni_words_place(parser->problem_mark);
    const words_problem *known = words_find(problem);
    if (known == NULL) {
        return kni_source_refuse(source, place, "%s%s%s",
            parser->context != NULL ? parser->context : "", parser->context != NULL ? ", " : "",
            problem);
    }
    if (known->words == NULL || (known->start != NULL && at_end)) {
        return kni_source_refuse(source, kni_words_place(parser->context_mark), "%s", known->start);
    }
    return kni_source_refuse(source, place, "%s", known->words);
}
