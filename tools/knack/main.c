// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The program `knack`.

#include "cli.h"

int main(int count, char **words)
{
    return cli_main(count, words, NULL);
}
