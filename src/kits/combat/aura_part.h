// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What aura.c has registered.
#ifndef KNACK_AURA_PART_H
#define KNACK_AURA_PART_H

#include "knack/knack.h"

typedef struct aura_ids {
    kn_def_kind kind;
} aura_ids;

#endif
