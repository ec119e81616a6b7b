// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The input queue.

#include "parts.h"

kn_result input_part_register(kn_library *library, combat *kit, kn_error *error)
{
    return input_use_register(library, &kit->input, error);
}
