// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The queue of inputs.

#include "parts.h"

kn_result input_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}
