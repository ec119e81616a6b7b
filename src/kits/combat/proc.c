// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Procs.

#include "parts.h"

kn_result proc_part_register(kn_library *library, combat *kit, kn_error *error)
{
    (void)library;
    (void)kit;
    (void)error;
    return KN_OK;
}

void proc_part_release(combat *kit)
{
    (void)kit;
}

void proc_hit(kn_world *world, const kn_hit *hit)
{
    (void)world;
    (void)hit;
}

void proc_use_begins(kn_world *world, kn_activation_id activation)
{
    (void)world;
    (void)activation;
}

void proc_use_ends(kn_world *world, kn_ability_id ability, kn_entity_id owner, bool is_done)
{
    (void)world;
    (void)ability;
    (void)owner;
    (void)is_done;
}
