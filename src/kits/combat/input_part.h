// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What input.c has registered.
#ifndef KNACK_INPUT_PART_H
#define KNACK_INPUT_PART_H

#include "knack/knack.h"

typedef struct input_ids {
    kn_def_kind kind;
} input_ids;

#endif
