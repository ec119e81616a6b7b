// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What players remember of units that went out of their sight. It is a list of each player, which
// its own client sees, sorted by the slots of the units: those that are gone stay in it until the
// player sees the place.

#include "team_parts.h"

#include <string.h>

static const kn_rts_ghost *ghosts_read(
    const kn_world *world, const team_kit *kit, kn_entity_id player, uint32_t *count)
{
    *count = 0;
    return kn_component_read_items(world, kit->ghosts, player, count);
}

static bool is_before(kn_entity_id a, kn_entity_id b)
{
    return a.index1 != b.index1 ? a.index1 < b.index1 : a.generation < b.generation;
}

// The place of the first one that does not come before a unit.
static uint32_t ghost_place(const kn_rts_ghost *ghosts, uint32_t count, kn_entity_id unit)
{
    uint32_t first = 0;
    while (count > 0) {
        const uint32_t half = count / 2;
        if (is_before(ghosts[first + half].unit, unit)) {
            first += half + 1;
            count -= half + 1;
        } else {
            count = half;
        }
    }
    return first;
}

static const kn_rts_ghost *ghost_find(
    const kn_world *world, const team_kit *kit, kn_entity_id player, kn_entity_id unit)
{
    uint32_t count;
    const kn_rts_ghost *ghosts = ghosts_read(world, kit, player, &count);
    const uint32_t place = ghost_place(ghosts, count, unit);
    return place < count && kn_entity_id_equal(ghosts[place].unit, unit) ? &ghosts[place] : NULL;
}

void knc_rts_ghost_add(
    kn_world *world, const team_kit *kit, kn_entity_id player, const kn_rts_ghost *ghost)
{
    uint32_t count;
    const kn_rts_ghost *before = ghosts_read(world, kit, player, &count);
    const uint32_t place = ghost_place(before, count, ghost->unit);
    kn_rts_ghost *ghosts = kn_component_add(world, kit->ghosts, player) != NULL
                               ? kn_component_resize(world, kit->ghosts, player, count + 1)
                               : NULL;
    if (ghosts != NULL) {
        memmove(ghosts + place + 1, ghosts + place, (count - place) * sizeof(*ghosts));
        ghosts[place] = *ghost;
    }
}

void knc_rts_ghost_remove(
    kn_world *world, const team_kit *kit, kn_entity_id player, kn_entity_id unit)
{
    uint32_t count;
    if (ghost_find(world, kit, player, unit) == NULL) {
        return;
    }
    kn_rts_ghost *ghosts = kn_component_items(world, kit->ghosts, player, &count);
    const uint32_t place = ghost_place(ghosts, count, unit);
    memmove(ghosts + place, ghosts + place + 1, (count - place - 1) * sizeof(*ghosts));
    (void)kn_component_resize(world, kit->ghosts, player, count - 1);
}

void knc_rts_ghosts_check(kn_world *world, const team_kit *kit, kn_entity_id player)
{
    uint32_t left = 0, count;
    if (player.index1 != 0) {
        (void)ghosts_read(world, kit, player, &left);
    }
    while (left > 0) { // from the last one, so that places before it stay
        const kn_rts_ghost ghost = ghosts_read(world, kit, player, &count)[--left];
        if (kn_rts_sees_place(world, player, ghost.position)) {
            const kn_rts_forgotten_event event = {.unit = ghost.unit, .position = ghost.position};
            knc_rts_ghost_remove(world, kit, player, ghost.unit);
            (void)kn_world_publish(world, player, kit->forgotten, &event);
        }
    }
}

// Asking ----------------------------------------------------------------------------

bool kn_rts_last_seen(
    const kn_world *world, kn_entity_id viewer, kn_entity_id unit, kn_rts_ghost *ghost)
{
    const team_kit *kit = knc_rts_teams_of(world);
    const kn_entity_id player = kn_rts_player_of(world, viewer);
    kn_rts_ghost answer = {0};
    const kn_rts_ghost *found = NULL;
    if (kn_rts_is_visible(world, viewer, unit)) {
        answer = (kn_rts_ghost){.unit = unit, .time = kn_world_now(world)};
        answer.type = kn_rts_unit_get_type(world, unit);
        (void)kn_space_position(kn_world_space(world), world, unit, &answer.position);
        found = &answer;
    } else if (kit != NULL && player.index1 != 0 && unit.index1 != 0) {
        found = ghost_find(world, kit, player, unit);
    }
    answer = found != NULL ? *found : answer;
    if (ghost != NULL) {
        *ghost = answer;
    }
    return found != NULL;
}

uint32_t kn_rts_ghosts(
    const kn_world *world, kn_entity_id player, kn_rts_ghost *out, uint32_t capacity)
{
    const team_kit *kit = knc_rts_teams_of(world);
    uint32_t count = 0;
    const kn_rts_ghost *ghosts =
        kit != NULL && player.index1 != 0 ? ghosts_read(world, kit, player, &count) : NULL;
    if (ghosts != NULL && capacity > 0) {
        memcpy(out, ghosts, (count < capacity ? count : capacity) * sizeof(*out));
    }
    return count;
}

kn_result knc_rts_ghosts_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field fields[] = {KN_FIELD(player_ghosts, unused, KN_FIELD_U32)};
    static const kn_field items[] = {
        KN_FIELD(kn_rts_ghost, unit, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_ghost, position, KN_FIELD_VEC3),
        KN_FIELD_TO(kn_rts_ghost, type, "rts unit"),
        KN_FIELD(kn_rts_ghost, time, KN_FIELD_TIME),
    };
    static const kn_field event[] = {
        KN_FIELD(kn_rts_forgotten_event, unit, KN_FIELD_ENTITY),
        KN_FIELD(kn_rts_forgotten_event, position, KN_FIELD_VEC3),
        KN_FIELD(kn_rts_forgotten_event, unused, KN_FIELD_U32),
    };
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsGhosts";
    def.size = sizeof(player_ghosts);
    def.fields = fields;
    def.field_count = COUNT(fields);
    def.item_size = sizeof(kn_rts_ghost);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_OWNER;
    kn_result result = kn_component_register(library, &def, &kit->ghosts, error);
    return result == KN_OK
               ? knc_rts_event_register(library, "Knack.RtsForgotten",
                     sizeof(kn_rts_forgotten_event), event, COUNT(event),
                     "forgets {unit}, which is not where it was", &kit->forgotten, error)
               : result;
}
