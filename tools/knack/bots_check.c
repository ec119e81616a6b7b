// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whether clients have what their server has. A client is ahead of the server: it stands still
// until the server has come to its tick, and then both are compared. What nobody could foresee,
// such as a passive ability of somebody else, may make one look differ, so each entity gets
// several.

#include "bots.h"

#include <stdlib.h>
#include <string.h>

#define LOOKS 8
#define LOOK_PAUSE KN_MS(700)
#define CLIENTS_MAX 100 // a spread of them

typedef struct view {
    uint8_t *bytes;
    size_t size, capacity;
} view;

typedef struct check {
    bots *on;
    bot **clients;
    uint32_t count;
    view server, client;
    // By client and slot of the entity: it was equal once. `width` slots each.
    uint8_t *equal;
    uint32_t width;
    bool is_last; // look
} check;

// An entity as one viewer may see it.
static bool view_take(const kn_world *world, kn_entity_id entity, bool is_owner, view *out)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.viewer = is_owner ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
    filter.parts = is_owner ? KN_PARTS_ALL
                            : KN_PARTS_ALL & ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS |
                                                 1u << KN_PART_WATCHES);
    kn_result result = kn_projection_take(world, &entity, 1, &filter, NULL, 0, &out->size);
    if (result == KN_OK && out->size > out->capacity) {
        out->capacity = 2 * out->size;
        out->bytes = cli_resize(out->bytes, out->capacity);
    }
    return result == KN_OK && kn_projection_take(world, &entity, 1, &filter, out->bytes,
                                  out->capacity, &out->size) == KN_OK;
}

static bool entity_is_equal(check *with, const bot *of, kn_entity_id entity)
{
    const kn_world *world = with->on->host.arena.world;
    bool is_owner = kn_entity_connection(world, entity) == kn_client_connection(of->client);
    return view_take(world, entity, is_owner, &with->server) &&
           view_take(kn_client_world(of->client), entity, is_owner, &with->client) &&
           with->server.size == with->client.size &&
           memcmp(with->server.bytes, with->client.bytes, with->server.size) == 0;
}

// Adds the lines of a dump that another one does not have. Effects have numbers of their own on
// each machine, which do not count.
static void lines_add(text *to, const char *mark, const char *from, const char *other)
{
    while (*from != 0) {
        size_t length = strcspn(from, "\n");
        char line[256];
        (void)snprintf(line, sizeof(line), "%.*s", (int)(length < 255 ? length : 255), from);
        if (strchr(line, '#') == NULL && strstr(other, line) == NULL) {
            text_format(to, "\n%s %s", mark, line);
        }
        from += length + (from[length] == '\n' ? 1 : 0);
    }
}

static void difference_note(check *with, const bot *of, kn_entity_id entity)
{
    static char server[32768], client[32768];
    text *out = &with->on->difference;
    if (out->length == 0) {
        (void)kn_entity_dump(with->on->host.arena.world, entity, server, sizeof(server));
        (void)kn_entity_dump(kn_client_world(of->client), entity, client, sizeof(client));
        text_format(out, "bot %u, entity %u, server - and client +:", of->number, entity.index1);
        lines_add(out, "-", server, client);
        lines_add(out, "+", client, server);
    }
}

// With a limited sight a client has only some entities; its own in any case.
static bool client_needs(const check *with, const bot *of, kn_entity_id entity)
{
    uint32_t own = kn_client_connection(of->client);
    return with->on->host.def.sight <= 0 ||
           kn_entity_is_alive(kn_client_world(of->client), entity) ||
           kn_entity_connection(with->on->host.arena.world, entity) == own;
}

static void client_look(check *with, uint32_t index)
{
    const kn_world *world = with->on->host.arena.world;
    uint8_t *equal = with->equal + (size_t)index * with->width;
    const bot *of = with->clients[index];
    kn_entity_id entity = {0};
    while (!kn_entity_id_is_null(entity = kn_entity_next(world, entity))) {
        uint32_t slot = entity.index1 - 1;
        if (slot >= with->width || equal[slot] != 0) {
            continue;
        }
        equal[slot] = !client_needs(with, of, entity) || entity_is_equal(with, of, entity);
        if (equal[slot] == 0 && with->is_last) {
            difference_note(with, of, entity);
        }
    }
}

// Clients whose tick is that of the server now are compared, without time passing.
static uint32_t clients_look(check *with, uint64_t tick)
{
    kn_time before = host_clock();
    uint32_t done = 0;
    for (uint32_t i = 0; i < with->count; i++) {
        if (kn_client_tick(with->clients[i]->client) == tick) {
            client_look(with, i);
            done++;
        }
    }
    with->on->paused += host_clock() - before;
    return done;
}

// The server goes on alone until it has come to the tick of every client.
static bool server_follow(check *with)
{
    bots *on = with->on;
    uint64_t last = 0;
    for (uint32_t i = 0; i < with->count; i++) {
        uint64_t tick = kn_client_tick(with->clients[i]->client);
        last = tick > last ? tick : last;
    }
    uint64_t tick = kn_server_tick(on->host.server);
    (void)clients_look(with, tick);
    while (tick < last && cli_interrupted == 0) {
        kn_time now = bots_clock(on);
        host_sleep(now, now + KN_MS(1));
        if (!host_turn(on->call, &on->host, bots_clock(on))) {
            return false;
        }
        if (kn_server_tick(on->host.server) != tick) {
            tick = kn_server_tick(on->host.server);
            (void)clients_look(with, tick);
        }
    }
    return true;
}

// The first entity of a client that never was equal; null if all were.
static kn_entity_id client_differs(const check *with, uint32_t index)
{
    const kn_world *world = with->on->host.arena.world;
    kn_entity_id entity = {0};
    while (!kn_entity_id_is_null(entity = kn_entity_next(world, entity))) {
        uint32_t slot = entity.index1 - 1;
        if (slot >= with->width || with->equal[(size_t)index * with->width + slot] == 0) {
            return entity;
        }
    }
    return (kn_entity_id){0};
}

static uint32_t count_differing(const check *with)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < with->count; i++) {
        count += !kn_entity_id_is_null(client_differs(with, i));
    }
    return count;
}

static void clients_choose(check *with)
{
    bots *on = with->on;
    uint32_t every = on->count > CLIENTS_MAX ? (on->count + CLIENTS_MAX - 1) / CLIENTS_MAX : 1;
    with->clients = cli_resize(NULL, on->count * sizeof(bot *));
    for (uint32_t i = 0; i < on->count; i += every) {
        if (bot_is_in(&on->all[i])) {
            with->clients[with->count++] = &on->all[i];
        }
    }
    const kn_world *world = on->host.arena.world;
    kn_entity_id entity = {0};
    while (!kn_entity_id_is_null(entity = kn_entity_next(world, entity))) {
        with->width = entity.index1 > with->width ? entity.index1 : with->width;
    }
    size_t size = (size_t)with->count * with->width;
    with->equal = cli_resize(NULL, size);
    memset(with->equal, 0, size);
}

bool bots_check(bots *on)
{
    check with = {.on = on};
    clients_choose(&with);
    bool is_good = server_follow(&with);
    for (uint32_t i = 1; is_good && i < LOOKS && count_differing(&with) > 0 && cli_interrupted == 0;
         i++) {
        with.is_last = i + 1 == LOOKS;
        is_good = bots_play(on, LOOK_PAUSE, false) && server_follow(&with);
    }
    on->checked = with.count;
    on->differing = count_differing(&with);
    free(with.clients);
    free(with.equal);
    free(with.server.bytes);
    free(with.client.bytes);
    return is_good;
}
