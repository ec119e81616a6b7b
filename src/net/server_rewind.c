// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What players claim to have seen. A command says which time its player saw; the server carries it
// out as of then, but not for every claim: the state of that time must have been on its way to the
// client, and the command on its way back, when it arrived.

#include "server.h"

#define TICKS_SPARE 2 // a client and a server look at their datagrams once per tick

bool kni_rewind_is_good(const kn_server_def *def)
{
    const kn_time second = 1000000;
    return def->view_delay >= 0 && def->view_delay <= second && def->rewind_max >= 0 &&
           def->rewind_max <= 10 * second && def->rewind_tolerance >= 0 &&
           def->rewind_tolerance <= second;
}

kn_time kni_view_oldest(const kn_server *server, const connection *c, kn_time now)
{
    kn_net_link_stats link = kn_net_link_get_stats(c->link);
    kn_time tick = 1000000 / (kn_time)server->def.rate;
    kn_time line = link.round_trip + 2 * link.deviation;
    kn_time shown = (kn_time)(server->def.send_every + TICKS_SPARE) * tick + server->def.view_delay;
    return server->base + (now - server->clock) - line - shown - server->def.rewind_tolerance;
}

kn_time kni_view_limit(const kn_server *server, connection *c, kn_time claim, kn_time oldest)
{
    kn_time now = kn_world_now(server->def.world);
    if (claim == 0) {
        return 0;
    }
    if (claim >= now) {
        c->stats.views_future += claim > now;
        return 0;
    }
    kn_time far = now - server->def.rewind_max;
    c->stats.views++;
    c->stats.views_old += claim < oldest;
    claim = claim > oldest ? claim : oldest;
    c->stats.views_far += claim < far;
    claim = claim > far ? claim : far;
    c->stats.rewound = claim < now ? now - claim : 0;
    return claim < now && claim > 0 ? claim : 0;
}
