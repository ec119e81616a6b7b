// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What buff.c has registered.
#ifndef KNACK_BUFF_PART_H
#define KNACK_BUFF_PART_H

#include "knack/knack.h"

typedef struct buff_ids {
    kn_def_kind kind;
} buff_ids;

#endif
