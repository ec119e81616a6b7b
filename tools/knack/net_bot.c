// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "net_bot.h"

#include "arena.h"

#include <string.h>

#define RETRY_TIME KN_S(1)
#define ABILITIES_MAX 64
#define HOLD_TIME KN_MS(300)
#define SOCKET_BUFFER (256u << 10)
#define NET_BYTES ((size_t)1 << 20)

static uint32_t bot_draw(bot *on, uint32_t bound)
{
    on->random = on->random * 6364136223846793005u + 1442695040888963407u;
    return bound > 0 ? (uint32_t)(on->random >> 33) % bound : 0;
}

// Beginning and end ---------------------------------------------------------

void bot_begin(bot *on, const bot_def *def, uint32_t number, kn_time when)
{
    *on = (bot){.def = def, .number = number, .next = when};
    on->random = def->seed + (uint64_t)number * 0x9e3779b97f4a7c15u;
    (void)bot_draw(on, 1);
}

// Adds what this connection measured.
static void bot_sum(bot *on, kn_time now)
{
    kn_client_stats stats = kn_client_get_stats(on->client);
    on->corrections += stats.corrections;
    on->corrected += stats.corrected;
    on->resimulated += stats.resimulated;
    on->revoked += stats.revoked;
    on->played += on->was_joined ? now - on->joined_at : 0;
}

static void bot_close(bot *on)
{
    kn_client_destroy(on->client);
    kn_grid_destroy(on->grid);
    kn_net_sim_destroy(on->net);
    kn_udp_client_destroy(on->udp);
    kn_udp_socket_close(on->socket);
    on->client = NULL;
    on->grid = NULL;
    on->net = NULL;
    on->udp = NULL;
    on->socket = NULL;
    on->held = 0;
    on->was_joined = false;
}

static void bot_lose(bot *on, kn_time now, const char *why)
{
    // An attempt that failed is repeated; a connection that was lost only if that is wanted.
    bool was_in = on->was_joined;
    on->drops += was_in;
    (void)snprintf(on->drop, sizeof(on->drop), "%s", why);
    bot_sum(on, now);
    bot_close(on);
    on->state = was_in && !on->def->reconnects ? BOT_ENDED : BOT_WAITING;
    on->next = now + RETRY_TIME / 2 + bot_draw(on, (uint32_t)RETRY_TIME);
}

void bot_kill(bot *on, kn_time now, kn_time when)
{
    bot_sum(on, now);
    bot_close(on);
    on->state = BOT_WAITING;
    on->next = when;
}

void bot_end(bot *on, kn_time now)
{
    if (on->client != NULL) {
        bot_sum(on, now);
    }
    if (on->udp != NULL) {
        kn_udp_client_disconnect(on->udp);
        kn_udp_socket_flush_client(on->socket, on->udp);
    }
    bot_close(on);
    on->state = BOT_ENDED;
}

bool bot_is_in(const bot *on)
{
    return on->was_joined && kn_client_world(on->client) != NULL;
}

// Connecting ----------------------------------------------------------------

static bool transport_open(bot *on, kn_time now)
{
    kn_udp_socket_def socket_def = kn_udp_socket_def_default();
    bool is_ipv4 = on->def->server.kind == KN_ADDRESS_IPV4;
    socket_def.ipv4.kind = is_ipv4 ? KN_ADDRESS_IPV4 : KN_ADDRESS_NONE;
    socket_def.ipv6.kind = is_ipv4 ? KN_ADDRESS_NONE : KN_ADDRESS_IPV6;
    socket_def.system_buffer = SOCKET_BUFFER;
    kn_udp_client_def def = kn_udp_client_def_default();
    def.receive_capacity = 128;
    kn_token token;
    // Each attempt is another client: a server that has not noticed the end of one lets it in.
    uint64_t id = (on->def->seed << 40) + ((uint64_t)on->number << 20) + on->attempts++;
    uint64_t chance = 0;
    return kn_udp_random(&chance, sizeof(chance)) == KN_OK &&
           kn_udp_socket_open(&socket_def, &on->socket, NULL) == KN_OK &&
           kn_udp_client_create(&def, &on->udp) == KN_OK &&
           net_key_token(&on->def->key, &on->def->server, id ^ chance, &token) &&
           kn_udp_client_connect(on->udp, token.bytes, sizeof(token.bytes), now) == KN_OK;
}

static void world_setup(void *user, kn_world *world)
{
    bot *on = user;
    on->grid = arena_grid(world);
}

static bool session_open(bot *on)
{
    kn_client_def def = kn_client_def_default();
    def.library = on->def->library;
    def.protocol_id = NET_PROTOCOL_ID;
    def.datagram_bytes = KN_UDP_PAYLOAD_MAX;
    def.setup = world_setup;
    def.user = on;
    kn_net_sim_def net = kn_net_sim_def_default();
    net.seed = on->def->seed * 1000003 + on->number;
    net.conditions = on->def->conditions;
    net.byte_limit = NET_BYTES;
    return kn_client_create(&def, &on->client) == KN_OK &&
           kn_net_sim_create(&net, &on->net) == KN_OK;
}

// Playing -------------------------------------------------------------------

static kn_entity_id bot_entity(const bot *on)
{
    const kn_world *world = kn_client_world(on->client);
    uint32_t own = kn_client_connection(on->client);
    kn_entity_id entity = {0};
    while (!kn_entity_id_is_null(entity = kn_entity_next(world, entity)) &&
           kn_entity_connection(world, entity) != own) {
    }
    return entity;
}

static kn_entity_id bot_target(bot *on)
{
    const kn_world *world = kn_client_world(on->client);
    uint32_t steps = bot_draw(on, kn_entity_count(world)) + 1;
    kn_entity_id entity = {0};
    while (steps-- > 0) {
        entity = kn_entity_next(world, entity);
    }
    return entity;
}

static void bot_command(
    bot *on, kn_command_type_id type, kn_entity_id entity, const void *payload, uint32_t size)
{
    kn_command command = {.type = type, .entity = entity, .payload = payload, .size = size};
    on->commands += kn_client_command(on->client, &command, NULL, NULL) == KN_OK;
}

static void bot_release(bot *on)
{
    kn_command_release release = {.input = on->held};
    if (on->held != 0) {
        bot_command(on, kn_command_type_release(), on->held_by, &release, sizeof(release));
        on->held = 0;
    }
}

// Uses one of its abilities by its input, or by its type if it has none.
static void bot_use(bot *on, kn_entity_id entity, kn_time now)
{
    const kn_world *world = kn_client_world(on->client);
    kn_ability_id abilities[ABILITIES_MAX];
    uint32_t count = kn_abilities_find(world, entity, NULL, abilities, ABILITIES_MAX);
    count = count < ABILITIES_MAX ? count : ABILITIES_MAX;
    kn_ability_info info;
    if (count == 0 || !kn_ability_get(world, abilities[bot_draw(on, count)], &info)) {
        return;
    }
    kn_command_event event = {.target = bot_target(on), .by_event = 1};
    if (info.input != 0) {
        bot_release(on);
        kn_command_press press = {.input = info.input, .event = event};
        bot_command(on, kn_command_type_press(), entity, &press, sizeof(press));
        on->held = info.input;
        on->held_by = entity;
        on->acted = now;
    } else {
        kn_command_activate activate = {.type = info.type, .event = event};
        bot_command(on, kn_command_type_activate(), entity, &activate, sizeof(activate));
    }
}

static void bot_act(bot *on, kn_time now, bool acts, kn_time frame)
{
    if (on->held != 0 && (!acts || now - on->acted > HOLD_TIME)) {
        bot_release(on);
    }
    double chance = on->def->actions * (double)frame / 1e6;
    if (!acts || (double)bot_draw(on, 1u << 20) >= chance * (double)(1u << 20)) {
        return;
    }
    kn_entity_id entity = bot_entity(on);
    if (kn_entity_id_is_null(entity)) {
        return;
    }
    uint32_t what = bot_draw(on, 8); // targets that were asked for are confirmed, or not
    if (what == 0) {
        bot_command(on, kn_command_type_cancel(), entity, NULL, 0);
    } else if (what == 1) {
        bot_command(on, kn_command_type_confirm(), entity, NULL, 0);
    } else {
        bot_use(on, entity, now);
    }
}

// Turns ---------------------------------------------------------------------

// From the transport through the simulated network to the session.
static void bot_receive(bot *on, kn_time now)
{
    uint8_t buffer[KN_UDP_PAYLOAD_MAX];
    size_t size;
    kn_udp_payload payload;
    while (kn_udp_client_next_payload(on->udp, &payload)) {
        on->down += payload.size;
        on->unsent += kn_net_sim_send(on->net, now, 0, 1, payload.bytes, payload.size) != KN_OK;
    }
    while (kn_net_sim_receive(on->net, now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_client_receive(on->client, now, buffer, size);
    }
}

static void bot_send(bot *on, kn_time now)
{
    uint8_t buffer[KN_UDP_PAYLOAD_MAX];
    size_t size;
    while (kn_client_write(on->client, now, buffer, sizeof(buffer), &size) == KN_OK) {
        on->unsent += kn_net_sim_send(on->net, now, 1, 0, buffer, size) != KN_OK;
    }
    while (kn_net_sim_receive(on->net, now, 0, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        on->up += size;
        on->unsent += kn_udp_client_send(on->udp, buffer, size, now) != KN_OK;
    }
    kn_udp_socket_flush_client(on->socket, on->udp);
}

// NULL, or why the connection has ended.
static const char *bot_events(bot *on, kn_time now)
{
    kn_client_event event;
    const char *end = NULL;
    while (kn_client_next_event(on->client, &event)) {
        if (event.kind == KN_CLIENT_JOINED) {
            on->was_joined = true;
            on->joined_at = now;
            on->joins++;
        } else if (event.kind == KN_CLIENT_CLOSED) {
            (void)snprintf(on->end, sizeof(on->end), "%s%s%s", kn_close_reason_name(event.reason),
                event.text[0] != 0 ? ": " : "", event.text);
            end = on->end;
        } else if (event.kind == KN_CLIENT_ANSWER) {
            on->refused += event.result != KN_OK;
        }
    }
    return end;
}

static const char *bot_play(bot *on, kn_time now, bool acts, kn_time frame)
{
    bot_receive(on, now);
    if (bot_is_in(on)) {
        bot_act(on, now, acts, frame);
    }
    if (on->grid != NULL) {
        kn_grid_sync(on->grid);
    }
    kn_result result = kn_client_update(on->client, now);
    const char *end = bot_events(on, now);
    bot_send(on, now);
    return result != KN_OK ? kn_result_name(result) : end;
}

void bot_turn(bot *on, kn_time now, bool acts, kn_time frame)
{
    if (on->state == BOT_ENDED || (on->state == BOT_WAITING && now < on->next)) {
        return;
    }
    if (on->state == BOT_WAITING) {
        if (!transport_open(on, now)) {
            bot_lose(on, now, "no socket, token or memory");
            return;
        }
        on->state = BOT_CONNECTING;
    }
    kn_udp_socket_run_client(on->socket, on->udp, now);
    kn_udp_client_state state = kn_udp_client_state_of(on->udp);
    if (state <= KN_UDP_CLIENT_DISCONNECTED) {
        bot_lose(on, now, kn_udp_client_state_name(state));
        return;
    }
    if (on->state == BOT_CONNECTING && state == KN_UDP_CLIENT_CONNECTED) {
        if (!session_open(on)) {
            bot_lose(on, now, "out of memory");
            return;
        }
        on->state = BOT_PLAYING;
    }
    const char *end = on->state == BOT_PLAYING ? bot_play(on, now, acts, frame) : NULL;
    if (end != NULL) {
        bot_lose(on, now, end);
    }
}
