// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Plays scenario files and reports the results: knack run, and repeatedly knack watch.
#ifndef RUN_H
#define RUN_H

#include "stage.h"

// Plays all scenarios of a call in all requested variants, and reports the results, as JSON
// in one line if that is wanted.
cli_code run_all(const cli *call, bool in_one_line);

#endif
