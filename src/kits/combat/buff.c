// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What combat knows of effects.

#include "parts.h"

kn_result buff_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

void buff_part_release(combat *kit)
{
    (void)kit;
}

void buff_hit(kn_world *world, const kn_hit *hit)
{
    (void)world;
    (void)hit;
}

float buff_absorb(kn_world *world, const kn_hit_def *def, float amount)
{
    (void)world;
    (void)def;
    (void)amount;
    return 0.0f;
}

float buff_share(kn_world *world, const kn_hit_def *def, float amount)
{
    (void)world;
    (void)def;
    (void)amount;
    return 0.0f;
}
