// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Checks the text of a chunk before Lua sees it: compiled chunks and the operator `^` are refused.
// Lua computes a power with the C library, whose last digits differ between machines, and does so
// for constants while it compiles; so the bytecode would not show it.

#include "internal.h"
#include "lexer.h"

bool knl_source_check(const char *text, size_t size, uint32_t *line, const char **message)
{
    *line = 1;
    if (size > 0 && text[0] == LUA_SIGNATURE[0]) {
        *message = "compiled chunks are refused; load the source";
        return false;
    }
    knl_lexer lexer;
    knl_lexer_begin(&lexer, text, size);
    knl_token token;
    do {
        token = knl_lexer_next(&lexer);
        if (knl_token_is(&token, "^")) {
            *line = token.line;
            *message = "`^` gives different digits on different machines; use math.pow(x, y)";
            return false;
        }
    } while (token.kind != KNL_TOKEN_END);
    return true;
}
