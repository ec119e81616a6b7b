// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The program knack with a kind of definitions of its own, as a game would build it.

#include "scenario/order_kind.h"

#include "cli.h"

static kn_result prepare(kn_library *library, kn_error *error)
{
    kn_def_kind kind;
    return order_kind_register(library, &kind, error);
}

int main(int count, char **words)
{
    return cli_main(count, words, prepare);
}
