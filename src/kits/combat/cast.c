// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts: what takes time, and what breaks it.

#include "parts.h"

kn_result cast_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

void cast_part_release(combat *kit)
{
    (void)kit;
}

void cast_hit(kn_world *world, const kn_hit *hit)
{
    (void)world;
    (void)hit;
}

bool cast_is_casting(const kn_world *world, kn_entity_id entity)
{
    (void)world;
    (void)entity;
    return false;
}
