// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "net_host.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define LEAVE_TIME KN_S(1)  // for the last words of a session
#define RECEIVE_CAPACITY 64 // payloads of one player between two ticks
#define SYSTEM_BUFFER (4u << 20)

// Time ----------------------------------------------------------------------

double host_work_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

kn_time host_clock(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (kn_time)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

void host_sleep(kn_time now, kn_time until)
{
    if (until > now) {
        kn_time left = until - now;
        struct timespec span = {(time_t)(left / 1000000), (long)(left % 1000000) * 1000};
        (void)nanosleep(&span, NULL);
    }
}

// Beginning and end ---------------------------------------------------------

cli_code host_options(const cli *call, host_def *out)
{
    kn_error error;
    const char *address = cli_text_of(call, "address", "127.0.0.1");
    if (kn_address_parse(address, &out->address, &error) != KN_OK || out->address.port != 0) {
        cli_tell(call,
            "--address takes an address such as 127.0.0.1 or ::1, not `%s`; the port "
            "is --port",
            address);
        return CLI_USAGE;
    }
    out->address.port = (uint16_t)cli_number_of(call, "port", NET_DEFAULT_PORT);
    out->rate = (uint32_t)cli_number_of(call, "rate", 60);
    out->send_every = (uint32_t)cli_number_of(call, "send-every", 2);
    out->players = (uint32_t)cli_number_of(call, "players", 64);
    out->seed = cli_number_of(call, "seed", 1);
    out->sight = (double)cli_number_of(call, "sight", 0);
    return CLI_GOOD;
}

static cli_code socket_open(const cli *call, host *on)
{
    kn_error error;
    char address[KN_ADDRESS_TEXT_SIZE];
    kn_udp_socket_def def = kn_udp_socket_def_default();
    bool is_ipv4 = on->def.address.kind == KN_ADDRESS_IPV4;
    def.ipv4 = is_ipv4 ? on->def.address : (kn_address){0};
    def.ipv6 = is_ipv4 ? (kn_address){0} : on->def.address;
    def.system_buffer = SYSTEM_BUFFER;
    def.receive_budget = UINT32_MAX;
    if (kn_udp_socket_open(&def, &on->socket, &error) != KN_OK) {
        (void)kn_address_print(&on->def.address, address, sizeof(address));
        cli_tell(call, "%s: %s", address, error.message);
        return CLI_UNREADABLE;
    }
    on->port = kn_udp_socket_port(on->socket, on->def.address.kind);
    return CLI_GOOD;
}

static kn_result udp_open(host *on)
{
    kn_udp_server_def def = kn_udp_server_def_default();
    def.private_key = on->def.key->bytes;
    def.protocol_id = NET_PROTOCOL_ID;
    def.address = net_key_server(on->port);
    def.slot_count = on->def.players;
    def.receive_capacity = RECEIVE_CAPACITY;
    def.pending_capacity = on->def.players > 1024 ? on->def.players : 1024;
    def.used_capacity = on->def.players > 512 ? 8 * on->def.players : 4096;
    def.refuse_expiring_until = on->def.refuse_until;
    def.handshake_rate = net_key_is_local(&on->def.address) ? 0 : def.handshake_rate;
    return kn_udp_server_create(&def, &on->udp);
}

// Connections of the session outlive those of the transport by some seconds.
static uint32_t connection_limit(const host *on)
{
    return 2 * on->def.players + 16;
}

static kn_result session_open(host *on)
{
    kn_result result = on->def.records ? arena_record(&on->arena) : KN_OK;
    kn_server_def def = kn_server_def_default();
    def.world = on->arena.world;
    def.recording = on->arena.recording;
    def.protocol_id = NET_PROTOCOL_ID;
    def.rate = on->def.rate;
    def.send_every = on->def.send_every;
    def.connection_limit = connection_limit(on);
    def.datagram_bytes = KN_UDP_PAYLOAD_MAX;
    def.relevance.enter_radius = (float)on->def.sight;
    def.relevance.leave_radius = 1.25f * (float)on->def.sight;
    return result == KN_OK ? kn_server_create(&def, &on->server) : result;
}

static void *zeros(size_t count, size_t size)
{
    void *block = cli_resize(NULL, count * size);
    memset(block, 0, count * size);
    return block;
}

cli_code host_open(const cli *call, const host_def *def, host *out)
{
    *out = (host){.def = *def};
    out->players = zeros(def->players, sizeof(*out->players));
    out->slot_of = zeros(connection_limit(out) + 1, sizeof(*out->slot_of));
    cli_code code = socket_open(call, out);
    if (code != CLI_GOOD) {
        return code;
    }
    kn_result result =
        arena_create(def->library, def->seed, &out->arena) ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    result = result == KN_OK ? session_open(out) : result;
    result = result == KN_OK ? udp_open(out) : result;
    out->def.key = NULL; // copied
    if (result != KN_OK) {
        cli_tell(call, "the server cannot start: %s", kn_result_name(result));
        return CLI_UNREADABLE;
    }
    return CLI_GOOD;
}

void host_close(host *on)
{
    if (on->udp != NULL && on->socket != NULL) {
        kn_udp_server_stop(on->udp);
        kn_udp_socket_flush_server(on->socket, on->udp);
    }
    kn_server_destroy(on->server);
    kn_udp_server_destroy(on->udp);
    kn_udp_socket_close(on->socket);
    arena_destroy(&on->arena);
    free(on->players);
    free(on->slot_of);
    samples_free(&on->ticks);
    samples_free(&on->recent);
    samples_free(&on->walls);
    *on = (host){0};
}

// Players -------------------------------------------------------------------

static void line_say(const host *on, uint32_t connection, const char *what)
{
    text line = {0};
    if (on->def.said != NULL) {
        text_format(&line, "player %u %s", connection, what);
        on->def.said(on->def.user, text_of(&line));
    }
    text_free(&line);
}

// The transport has a new peer.
static void peer_add(host *on, uint32_t slot, kn_time now)
{
    uint32_t connection;
    if (kn_server_open(on->server, now, &connection) != KN_OK) {
        kn_udp_server_disconnect(on->udp, slot);
        return;
    }
    host_player *before = &on->players[on->slot_of[connection]];
    if (before->connection == connection) {
        before->connection = 0; // the number is somebody else's now
        before->leaves = now;
    }
    on->players[slot] = (host_player){.connection = connection};
    on->slot_of[connection] = slot;
}

static void peer_remove(host *on, const kn_udp_event *event)
{
    host_player *player = &on->players[event->slot];
    on->lost += player->is_joined && event->end == KN_UDP_END_TIMED_OUT;
    (void)kn_server_close(on->server, player->connection,
        event->end == KN_UDP_END_TIMED_OUT ? KN_CLOSE_TIMEOUT : KN_CLOSE_LEFT);
    *player = (host_player){0};
}

static void peers_follow(host *on, kn_time now)
{
    kn_udp_event event;
    while (kn_udp_server_next_event(on->udp, &event)) {
        if (event.is_connected) {
            peer_add(on, event.slot, now);
        } else {
            peer_remove(on, &event);
        }
    }
}

static void payloads_take(host *on, kn_time now)
{
    kn_udp_payload payload;
    for (uint32_t i = 0; i < on->def.players; i++) {
        host_player *player = &on->players[i];
        while (player->connection != 0 && kn_udp_server_next_payload(on->udp, i, &payload)) {
            player->up += payload.size;
            on->up += payload.size;
            (void)kn_server_receive(
                on->server, now, player->connection, payload.bytes, payload.size);
        }
    }
}

static void payloads_send(host *on, kn_time now)
{
    uint8_t buffer[KN_UDP_PAYLOAD_MAX];
    size_t size;
    for (uint32_t i = 0; i < on->def.players; i++) {
        host_player *player = &on->players[i];
        while (player->connection != 0 && kn_server_write(on->server, now, player->connection,
                                              buffer, sizeof(buffer), &size) == KN_OK) {
            player->down += size;
            on->down += size;
            on->unsent += kn_udp_server_send(on->udp, i, buffer, size, now) != KN_OK;
        }
        if (player->leaves != 0 && now >= player->leaves) {
            kn_udp_server_disconnect(on->udp, i);
            player->leaves = 0;
        }
        kn_udp_socket_flush_server(on->socket, on->udp);
    }
}

// Somebody joined the session, or left it.
static kn_result player_follow(host *on, const kn_server_event *event, kn_time now)
{
    host_player *player = &on->players[on->slot_of[event->connection]];
    bool is_here = player->connection == event->connection;
    if (event->kind == KN_SERVER_JOINED) {
        on->joined++;
        player->is_joined = is_here;
        line_say(on, event->connection, "joined");
        return arena_join(&on->arena, on->def.cast, event->connection - 1, event->connection);
    }
    if (event->kind == KN_SERVER_LEFT) {
        on->left++;
        player->is_joined = is_here ? false : player->is_joined;
        player->leaves = is_here ? now + LEAVE_TIME : player->leaves;
        line_say(on, event->connection,
            event->reason == KN_CLOSE_TIMEOUT ? "fell silent"
            : event->reason == KN_CLOSE_LEFT  ? "left"
                                              : kn_close_reason_name(event->reason));
        return arena_leave(&on->arena, event->connection);
    }
    if (event->kind == KN_SERVER_REFUSED) {
        text line = {0};
        text_format(&line, "is refused: %s", kn_close_reason_name(event->reason));
        text_format(&line, "%s%s", event->text[0] != 0 ? ", " : "", event->text);
        line_say(on, event->connection, text_of(&line));
        text_free(&line);
    }
    return KN_OK;
}

// Turns ---------------------------------------------------------------------

bool host_turn(const cli *call, host *on, kn_time now)
{
    double work = host_work_ms();
    kn_time start = host_clock();
    uint64_t before = kn_server_tick(on->server);
    kn_udp_socket_run_server(on->socket, on->udp, now, (uint64_t)time(NULL));
    peers_follow(on, now);
    payloads_take(on, now);
    kn_grid_sync(on->arena.grid);
    kn_result result = kn_server_update(on->server, now);
    kn_server_event event;
    while (result == KN_OK && kn_server_next_event(on->server, &event)) {
        result = player_follow(on, &event, now);
    }
    payloads_send(on, now);
    if (kn_server_tick(on->server) > before) {
        float spent = (float)(host_work_ms() - work);
        samples_add(&on->ticks, spent);
        samples_add(&on->walls, (float)(host_clock() - start) / 1000.0f);
        samples_add(&on->recent, spent);
    }
    if (result != KN_OK) {
        cli_tell(call, "the world failed: %s", kn_result_name(result));
    }
    return result == KN_OK;
}

uint32_t host_count(const host *on)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < on->def.players; i++) {
        count += on->players[i].is_joined;
    }
    return count;
}
