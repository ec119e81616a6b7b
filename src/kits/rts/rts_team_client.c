// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Teams and vision on a client. Nothing runs when a client takes over what a server has sent, so it
// keeps a copy of what it has seen of players and units, and publishes the differences: stances and
// sharing of all players, and what its own players see.

#include "team_parts.h"

#include <string.h>

#define LOOKS_PER_SECOND 20

static const kn_entity_id of_world = {0};

static kn_rts_stance stance_in(uint64_t allies, uint64_t enemies, uint32_t to1)
{
    return (allies & BIT(to1)) != 0    ? KN_RTS_ALLY
           : (enemies & BIT(to1)) != 0 ? KN_RTS_ENEMY
                                       : KN_RTS_INDIFFERENT;
}

static void pair_publish(kn_world *world, const team_kit *kit, const known_item *before,
    const known_item *after, uint32_t to1, kn_entity_id to)
{
    const kn_rts_stance_event stance = {to, stance_in(before->allies, before->enemies, to1),
        stance_in(after->allies, after->enemies, to1)};
    if (stance.before != stance.after) {
        (void)kn_world_publish(world, after->player, kit->stance, &stance);
    }
    if (((before->gives ^ after->gives) & BIT(to1)) != 0) {
        const kn_rts_sharing_event sharing = {
            .other = to, .shares = (after->gives & BIT(to1)) != 0};
        (void)kn_world_publish(world, after->player, kit->sharing, &sharing);
    }
}

static void players_look(kn_world *world, const team_kit *kit)
{
    known_item before[KN_RTS_PLAYERS_MAX], now[KN_RTS_PLAYERS_MAX];
    uint32_t count, known_count = 0;
    const team_item *items = knc_rts_sides(world, kit, &count);
    const known_item *known = kn_component_read_items(world, kit->known, of_world, &known_count);
    for (uint32_t i = 0; i < count; i++) {
        now[i] = (known_item){items[i].player, items[i].allies, items[i].enemies, items[i].gives};
        before[i] = i < known_count ? known[i] : (known_item){0};
    }
    if (count == known_count && (count == 0 || memcmp(now, known, count * sizeof(*now)) == 0)) {
        return;
    }
    known_item *kept = kn_component_add(world, kit->known, of_world) != NULL
                           ? kn_component_resize(world, kit->known, of_world, count)
                           : NULL;
    if (kept == NULL) {
        return;
    }
    memcpy(kept, now, count * sizeof(*now));
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            // What it joins with is not news.
            if (i != j && kn_entity_id_equal(before[i].player, now[i].player) &&
                kn_entity_id_equal(before[j].player, now[j].player)) {
                pair_publish(world, kit, &before[i], &now[i], j + 1, now[j].player);
            }
        }
    }
}

static void unit_look(kn_world *world, const team_kit *kit, kn_entity_id unit, uint64_t local)
{
    const unit_vision *vision = kn_component_read(world, kit->vision, unit);
    const unit_known *known = kn_component_read(world, kit->unit_known, unit);
    const uint64_t now = vision->visible & local;
    uint32_t count;
    if (known != NULL && known->visible == now) {
        return;
    }
    const uint32_t own1 = knc_rts_player1_of(world, kit, unit);
    const uint64_t own = own1 != 0 ? BIT(own1) : 0;
    uint64_t left = known != NULL ? known->visible ^ now : now & ~own;
    unit_known *kept = kn_component_add(world, kit->unit_known, unit);
    if (kept == NULL) {
        return;
    }
    kept->visible = now;
    kn_rts_sight_event event = {0};
    (void)kn_space_position(kn_world_space(world), world, unit, &event.position);
    for (; left != 0; left &= left - 1) {
        const uint32_t number1 = knc_rts_lowest(left);
        const team_item *items = knc_rts_sides(world, kit, &count);
        if (number1 > count) {
            break; // it is not there
        }
        event.player = items[number1 - 1].player;
        (void)kn_world_publish(
            world, unit, (now & BIT(number1)) != 0 ? kit->sighted : kit->lost, &event);
    }
}

static void client_system(void *user, kn_world *world, const kn_system_run *run)
{
    const team_kit *kit = user;
    kn_entity_id unit = {0};
    (void)run;
    if (!kn_world_is_client(world)) {
        return;
    }
    const uint64_t local = knc_rts_local_players(world, kit, kn_world_connection(world));
    players_look(world, kit);
    while ((unit = kn_component_next(world, kit->vision, unit)).index1 != 0) {
        unit_look(world, kit, unit, local);
    }
}

kn_result knc_rts_team_client_register(kn_library *library, team_kit *kit, kn_error *error)
{
    static const kn_field known[] = {KN_FIELD(team_known, unused, KN_FIELD_U32)};
    static const kn_field items[] = {
        KN_FIELD(known_item, player, KN_FIELD_ENTITY),
        KN_FIELD(known_item, allies, KN_FIELD_U64),
        KN_FIELD(known_item, enemies, KN_FIELD_U64),
        KN_FIELD(known_item, gives, KN_FIELD_U64),
    };
    static const kn_field unit[] = {KN_FIELD(unit_known, visible, KN_FIELD_U64)};
    kn_component_def def = kn_component_def_default();
    def.name = "Knack.RtsSidesKnown";
    def.size = sizeof(team_known);
    def.fields = known;
    def.field_count = COUNT(known);
    def.item_size = sizeof(known_item);
    def.item_fields = items;
    def.item_field_count = COUNT(items);
    def.sync = KN_SYNC_NONE;
    kn_result result = kn_component_register(library, &def, &kit->known, error);
    def = kn_component_def_default();
    def.name = "Knack.RtsVisionKnown";
    def.size = sizeof(unit_known);
    def.fields = unit;
    def.field_count = COUNT(unit);
    def.sync = KN_SYNC_NONE;
    return result == KN_OK ? kn_component_register(library, &def, &kit->unit_known, error) : result;
}

kn_result knc_rts_team_client_expand(kn_library *library, team_kit *kit, kn_error *error)
{
    kn_system_def system = kn_system_def_default();
    kn_system_id id;
    system.name = "Knack.RtsTeamClient";
    system.rate = LOOKS_PER_SECOND;
    system.group = KN_SYSTEM_GROUP_CLEANUP;
    system.function = client_system;
    system.user = kit;
    kn_result result = kn_system_register(library, &system, &id, error);
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
}
