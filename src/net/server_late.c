// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Commands that come after their tick. The server carries them out late, and so a cooldown that
// they start ends late. The player's own world spaced its uses by their ticks: what is lost is
// tolerated, within the bounds of kn_tolerance.

#include "server.h"

#define PING_EVERY KN_MS(100) // time from one noted round trip to the next

void kni_connection_ping(connection *c, kn_time now)
{
    kn_time round_trip = kn_net_link_get_stats(c->link).round_trip;
    if (round_trip > 0 && (c->ping_count == 0 || now - c->ping_at >= PING_EVERY)) {
        c->pings[c->ping_count++ % PINGS] = round_trip;
        c->ping_at = now;
    }
}

static kn_time ping_median(const connection *c)
{
    kn_time sorted[PINGS];
    uint32_t count = c->ping_count < PINGS ? c->ping_count : PINGS;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > c->pings[i]; at--) {
            sorted[at] = sorted[at - 1];
        }
        sorted[at] = c->pings[i];
    }
    return count > 0 ? sorted[count / 2] : 0;
}

kn_result kni_server_late(
    kn_server *server, const connection *c, uint32_t number, kn_entity_id entity, kn_time late)
{
    kn_world *world = server->def.world;
    kn_tolerance most =
        kn_tolerance_of(ping_median(c), server->def.tolerance_factor, server->def.tolerance_cap);
    kn_time early = late < most.early ? late : most.early;
    if (kn_entity_connection(world, entity) != number ||
        early <= kn_entity_tolerance(world, entity).early) {
        return KN_OK;
    }
    kn_result result = kn_entity_set_tolerance(world, entity, (kn_tolerance){early, most.limit});
    return kn_result_is_refused(result) ? KN_OK : result;
}
