// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Playing scenario files and telling how it went: knack run, and again and again knack watch.
#ifndef RUN_H
#define RUN_H

#include "stage.h"

typedef struct run_tally {
    uint32_t passed, failed;
    cli_code code; // the worst so far
} run_tally;

// Plays a file in all variants that are asked for. Text goes to stdout; `out` gets JSON, or is
// NULL.
void run_file(const cli *call, const char *path, json *out, run_tally *tally);

#endif
