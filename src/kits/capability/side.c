// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// On which machines capabilities run.

#include "parts.h"

static kn_capability_control control_of(const kn_world *world, kn_entity_id entity)
{
    const set_item *items;
    uint32_t count;
    const set_list *list = knc_capability_sets_read(world, entity, &items, &count);
    return list != NULL ? list->control : KN_CONTROL_AUTOMATIC;
}

// Whether anybody can control the entity, and if so whether that happens here.
static bool is_controllable(const kn_world *world, kn_entity_id entity, bool *is_here)
{
    bool is_authority = !kn_world_is_client(world);
    uint32_t connection = kn_entity_connection(world, entity);
    *is_here = false;
    switch (control_of(world, entity)) {
    case KN_CONTROL_NOBODY:
        return false;
    case KN_CONTROL_AUTHORITY:
        *is_here = is_authority;
        return true;
    default:
        break;
    }
    if (connection != 0) {
        *is_here = connection == kn_world_connection(world);
        return true;
    }
    *is_here = is_authority && kn_entity_owner(world, entity).index1 == 0;
    return kn_entity_owner(world, entity).index1 == 0;
}

static bool is_local(const kn_world *world, kn_entity_id entity)
{
    bool is_here;
    return is_controllable(world, entity, &is_here) && is_here;
}

// A circle of owners ends with the number of steps.
static bool is_owner_local(const kn_world *world, kn_entity_id entity)
{
    for (uint32_t i = 0; i <= KN_CAPABILITY_OWNERS_MAX && entity.index1 != 0; i++) {
        bool is_here;
        if (is_controllable(world, entity, &is_here)) {
            return is_here;
        }
        entity = kn_entity_owner(world, entity);
    }
    return false;
}

uint32_t knc_capability_controller(const kn_world *world, kn_entity_id entity)
{
    for (uint32_t i = 0; i <= KN_CAPABILITY_OWNERS_MAX && entity.index1 != 0; i++) {
        bool is_here;
        if (is_controllable(world, entity, &is_here)) {
            return control_of(world, entity) == KN_CONTROL_AUTHORITY
                       ? 0
                       : kn_entity_connection(world, entity);
        }
        entity = kn_entity_owner(world, entity);
    }
    return 0;
}

bool knc_capability_side_allows(const kn_world *world, kn_entity_id entity, kn_capability_side side)
{
    bool is_authority = !kn_world_is_client(world);
    switch (side) {
    case KN_SIDE_ALWAYS:
        return true;
    case KN_SIDE_AUTHORITY:
        return is_authority;
    case KN_SIDE_LOCAL:
        return is_local(world, entity);
    case KN_SIDE_AUTHORITY_AND_LOCAL:
        return is_authority || is_local(world, entity);
    case KN_SIDE_OWNER_LOCAL:
        return is_owner_local(world, entity);
    case KN_SIDE_CLIENTS:
        return !is_authority || !kn_world_is_dedicated(world);
    default:
        return false;
    }
}

bool kn_capability_runs_here(const kn_world *world, kn_entity_id entity, kn_capability_side side)
{
    return world != NULL && kn_entity_is_alive(world, entity) &&
           kn_capability_is_there(kn_world_library(world)) &&
           knc_capability_side_allows(world, entity, side);
}
