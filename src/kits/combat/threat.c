// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Threat, and combat between pairs.

#include "parts.h"

kn_result threat_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

void threat_hit(kn_world *world, const kn_hit *hit)
{
    (void)world;
    (void)hit;
}

bool threat_is_in_combat(const kn_world *world, kn_entity_id entity)
{
    (void)world;
    (void)entity;
    return false;
}

void threat_died(kn_world *world, kn_entity_id entity)
{
    (void)world;
    (void)entity;
}
