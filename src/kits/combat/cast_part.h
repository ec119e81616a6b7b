// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What cast.c has registered.
#ifndef KNACK_CAST_PART_H
#define KNACK_CAST_PART_H

#include "knack/knack.h"

typedef struct cast_ids {
    kn_def_kind kind;
} cast_ids;

#endif
