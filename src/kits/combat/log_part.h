// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What log.c has registered.
#ifndef KNACK_LOG_PART_H
#define KNACK_LOG_PART_H

#include "knack/knack.h"

typedef struct log_ids {
    kn_def_kind kind;
} log_ids;

#endif
