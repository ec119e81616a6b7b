// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Prints docs/lua-api.md, or with --luals the annotations share/knack/knack.lua, from the tables
// the bindings are made of, with the functions of all kits.

#include "knack/combat.h"
#include "knack/order_produce.h"
#include "knack/rts.h"
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
    static const kn_kit kits[] = {{"combat", kn_combat_register}, {"order", kn_order_register},
        {"production", kn_order_produce_register}, {"rts", kn_rts_register}};
    bool is_luals = argc > 1 && strcmp(argv[1], "--luals") == 0;
    kn_library_def def = kn_library_def_default();
    kn_library *library;
    kn_error error = {0};
    kn_result result = kn_library_create(&def, &library);
    for (size_t i = 0; result == KN_OK && i < sizeof(kits) / sizeof(*kits); i++) {
        result = kn_kit_register(library, &kits[i], &error);
    }
    result = result == KN_OK ? kn_script_print_library_page(
                                   is_luals ? KN_SCRIPT_PAGE_LUALS : KN_SCRIPT_PAGE_MARKDOWN,
                                   library, write_text, NULL, &error)
                             : result;
    if (result != KN_OK) {
        (void)fprintf(stderr, "%s: %s\n", kn_result_name(result), error.message);
    }
    kn_library_destroy(library);
    return result == KN_OK ? 0 : 1;
}
