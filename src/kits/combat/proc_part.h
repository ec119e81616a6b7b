// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What proc.c has registered.
#ifndef KNACK_PROC_PART_H
#define KNACK_PROC_PART_H

#include "knack/knack.h"

typedef struct proc_ids {
    kn_def_kind kind;
} proc_ids;

#endif
