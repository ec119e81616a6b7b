// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What resource.c has registered.
#ifndef KNACK_RESOURCE_PART_H
#define KNACK_RESOURCE_PART_H

#include "knack/knack.h"

typedef struct resource_ids {
    kn_def_kind kind;
} resource_ids;

#endif
