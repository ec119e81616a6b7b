// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Playing scenario files and telling how it went: knack run, and again and again knack watch.
#ifndef RUN_H
#define RUN_H

#include "stage.h"

// Plays all scenarios of a call in all variants that are asked for, and tells how it went, as JSON
// in one line if that is wanted.
cli_code run_all(const cli *call, bool in_one_line);

#endif
