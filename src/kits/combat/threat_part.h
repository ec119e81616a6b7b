// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What threat.c has registered.
#ifndef KNACK_THREAT_PART_H
#define KNACK_THREAT_PART_H

#include "knack/knack.h"

typedef struct threat_ids {
    kn_def_kind kind;
} threat_ids;

#endif
