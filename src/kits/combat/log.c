// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The combat log.

#include "parts.h"

kn_result log_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}
