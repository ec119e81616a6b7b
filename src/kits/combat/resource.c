// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Resources: what regenerates and decays.

#include "parts.h"

kn_result resource_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

void resource_part_release(combat *kit)
{
    (void)kit;
}
