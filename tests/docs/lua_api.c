// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Prints docs/lua-api.md, or with --luals the annotations share/knack/knack.lua, from the tables
// the bindings are made of.

#include "knack/script.h"

#include <stdio.h>
#include <string.h>

static void write_text(void *user, const char *text)
{
    (void)user;
    (void)fputs(text, stdout);
}

int main(int argc, char **argv)
{
    bool is_luals = argc > 1 && strcmp(argv[1], "--luals") == 0;
    kn_script_print_page(
        is_luals ? KN_SCRIPT_PAGE_LUALS : KN_SCRIPT_PAGE_MARKDOWN, write_text, NULL);
    return 0;
}
