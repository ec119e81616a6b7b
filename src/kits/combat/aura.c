// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Auras.

#include "parts.h"

kn_result aura_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

void aura_part_release(combat *kit)
{
    (void)kit;
}
