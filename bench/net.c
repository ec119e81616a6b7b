// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and its clients over a simulated network: what they send, and how long a tick takes.

#include "bench.h"

#include "scenes/net_match.h"

#include <stdlib.h>

#define PLAYERS 100
#define RATE 60
#define WARM_UP 3 // seconds
#define SECONDS 4 // that are measured
#define FRAME (KN_S(1) / RATE)
#define LATENCY KN_MS(50)
#define DATAGRAM_ROOM 2048
#define UNITS 10000          // that a client finds when it joins
#define JOIN_TURNS_MAX 6000  // more is a mistake
#define JOIN_BYTES 100000000 // per second and at once: the line is not what is measured
#define PACKETS_MAX 200000

typedef struct net_costs {
    double server_ns, client_ns;
} net_costs;

static net_match *match_begin(bool is_quiet)
{
    net_match_def def = net_match_def_default();
    def.player_count = PLAYERS;
    def.seed = 1;
    def.is_quiet = is_quiet;
    def.network.latency = LATENCY;
    def.frames_per_input = RATE;
    def.spread = 600.0f;
    def.server.rate = RATE;
    def.server.connection_limit = PLAYERS;
    net_match *m;
    bench_check(net_match_create(&def, &m), "net_match_create");
    return m;
}

static uint64_t sent_bytes(const net_match *m)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        bytes += kn_server_get_stats(m->server, m->players[i].connection).link.sent_bytes;
    }
    return bytes;
}

static net_costs run(net_match *m, uint32_t frames)
{
    net_costs costs = {0};
    for (uint32_t i = 0; i < frames; i++, m->now += FRAME) {
        double start = bench_now_ns();
        net_match_server_turn(m);
        costs.server_ns += bench_now_ns() - start;
        for (uint32_t j = 0; j < PLAYERS; j++) {
            if (!m->def.is_quiet) {
                net_match_play(m, j, false);
            }
            start = bench_now_ns();
            net_match_client_turn(m, j);
            costs.client_ns += bench_now_ns() - start;
        }
    }
    bench_check(m->result, m->failed);
    return costs;
}

static void measure(bench_report *bench, bool is_quiet)
{
    const uint32_t frames = SECONDS * RATE;
    net_match *m = match_begin(is_quiet);
    (void)run(m, WARM_UP * RATE);
    uint64_t before = sent_bytes(m);
    net_costs costs = run(m, frames);
    double seconds = (double)frames / RATE;
    bench_note(
        bench, "down_bytes_s", (double)(sent_bytes(m) - before) / PLAYERS / seconds, "bytes");
    bench_note(bench, "server_tick_ms", costs.server_ns / frames * 1e-6, "ms");
    bench_note(bench, "client_tick_ms", costs.client_ns / frames / PLAYERS * 1e-6, "ms");
    net_match_destroy(m);
}

void bench_net_100(bench_report *bench)
{
    measure(bench, false);
}

void bench_net_quiet(bench_report *bench)
{
    measure(bench, true);
}

// Joining -------------------------------------------------------------------

// Units that do something, as light as can be: an attribute, and two effects that tick now and
// then.
static void units_add(net_match *m, uint32_t count)
{
    kn_attribute_set_id set = kn_attribute_set_find(m->library, "Unit");
    const kn_effect_type_id types[] = {
        kn_effect_type_find(m->library, "Dot0"), kn_effect_type_find(m->library, "Dot9")};
    for (uint32_t i = 0; i < count; i++) {
        kn_entity_id unit;
        bench_check(kn_entity_create(m->world, &unit), "kn_entity_create");
        bench_check(kn_attribute_set_add(m->world, unit, set, 0), "kn_attribute_set_add");
        for (uint32_t j = 0; j < 2; j++) {
            kn_effect_id effect;
            bench_check(kn_effect_apply_simple(m->world, types[j], unit, unit, 1.0f, &effect),
                "kn_effect_apply_simple");
        }
    }
}

static bool has_joined(const net_match *m)
{
    const kn_world *world = kn_client_world(m->players[0].client);
    return m->joined > 0 && world != NULL && kn_entity_count(world) == kn_entity_count(m->world);
}

// One client joins a world with many entities, over a network that loses and delays nothing. What
// each side needs until the client has everything: bytes, processor time, and turns of 1/60 s. The
// worlds themselves run meanwhile, which is a part of both times.
void bench_net_join(bench_report *bench)
{
    net_match_def def = net_match_def_default();
    def.player_count = 1;
    def.is_quiet = true;
    def.network = (kn_net_conditions){0};
    def.server.rate = RATE;
    def.server.bytes_per_second = JOIN_BYTES;
    def.server.burst_bytes = JOIN_BYTES;
    net_match *m;
    bench_check(net_match_create(&def, &m), "net_match_create");
    units_add(m, UNITS);
    net_costs costs = {0};
    uint32_t turns = 0;
    for (; turns < JOIN_TURNS_MAX && !has_joined(m); turns++, m->now += FRAME) {
        double start = bench_now_ns();
        net_match_server_turn(m);
        double served = bench_now_ns(), middle = bench_now_ns();
        net_match_client_turn(m, 0);
        costs.server_ns += served - start;
        costs.client_ns += bench_now_ns() - middle;
    }
    bench_check(m->result, m->failed);
    bench_check(has_joined(m) ? KN_OK : KN_ERROR_BAD_DATA, "joining");
    kn_server_stats stats = kn_server_get_stats(m->server, m->players[0].connection);
    bench_note(bench, "join_kb", (double)stats.link.sent_bytes * 1e-3, "kB");
    bench_note(bench, "join_ms", costs.client_ns * 1e-6, "ms");
    bench_note(bench, "join_server_ms", costs.server_ns * 1e-6, "ms");
    bench_note(bench, "join_turns", turns, "turns");
    net_match_destroy(m);
}

// Datagrams -----------------------------------------------------------------

typedef struct packet_costs {
    double *write_ns, *read_ns, *bytes;
    uint32_t written, read;
} packet_costs;

static int number_compare(const void *a, const void *b)
{
    double first = *(const double *)a, second = *(const double *)b;
    return first < second ? -1 : first > second;
}

static double median(double *numbers, uint32_t count)
{
    qsort(numbers, count, sizeof(double), number_compare);
    return count > 0 ? numbers[count / 2] : 0;
}

static void packets_write(net_match *m, packet_costs *costs)
{
    uint8_t buffer[DATAGRAM_ROOM];
    size_t size;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        for (;;) {
            double start = bench_now_ns();
            kn_result result = kn_server_write(
                m->server, m->now, m->players[i].connection, buffer, sizeof(buffer), &size);
            double passed = bench_now_ns() - start;
            if (result != KN_OK) {
                break;
            }
            bench_check(kn_net_sim_send(m->net, m->now, 0, i + 1, buffer, size), "send");
            if (costs->written < PACKETS_MAX) {
                costs->bytes[costs->written] = (double)size;
                costs->write_ns[costs->written++] = passed;
            }
        }
    }
}

// A turn of the server, whose players have all joined.
static void packets_server_turn(net_match *m, packet_costs *costs)
{
    uint8_t buffer[DATAGRAM_ROOM];
    size_t size;
    uint32_t from;
    kn_server_event event;
    while (kn_net_sim_receive(m->net, m->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        bench_check(
            kn_server_receive(m->server, m->now, m->players[from - 1].connection, buffer, size),
            "kn_server_receive");
    }
    kn_grid_sync(m->grid);
    bench_check(kn_server_update(m->server, m->now), "kn_server_update");
    while (kn_server_next_event(m->server, &event)) {
    }
    packets_write(m, costs);
}

static void packets_read(net_match *m, uint32_t player, packet_costs *costs)
{
    uint8_t buffer[DATAGRAM_ROOM];
    size_t size;
    while (kn_net_sim_receive(m->net, m->now, player + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        double start = bench_now_ns();
        bench_check(kn_client_receive(
                        m->players[player].client, m->now + m->players[player].shift, buffer, size),
            "kn_client_receive");
        double passed = bench_now_ns() - start;
        if (costs->read < PACKETS_MAX) {
            costs->read_ns[costs->read++] = passed;
        }
    }
}

// What a datagram of the match of net_100 costs: the median time of kn_server_write(), which
// compares, packs and frames it, and of kn_client_receive(), which undoes that up to the bytes of
// each entity. What clients then do with it, in kn_client_update(), is in client_tick_ms of
// net_100. packet_ns is the sum of both.
void bench_net_packet(bench_report *bench)
{
    packet_costs costs = {malloc(PACKETS_MAX * sizeof(double)),
        malloc(PACKETS_MAX * sizeof(double)), malloc(PACKETS_MAX * sizeof(double)), 0, 0};
    bench_check(costs.write_ns != NULL && costs.read_ns != NULL && costs.bytes != NULL
                    ? KN_OK
                    : KN_ERROR_OUT_OF_MEMORY,
        "malloc");
    net_match *m = match_begin(false);
    (void)run(m, WARM_UP * RATE);
    for (uint32_t i = 0; i < SECONDS * RATE; i++, m->now += FRAME) {
        packets_server_turn(m, &costs);
        for (uint32_t j = 0; j < PLAYERS; j++) {
            net_match_play(m, j, false);
            packets_read(m, j, &costs);
            net_match_client_turn(m, j);
        }
    }
    bench_check(m->result, m->failed);
    double write_ns = median(costs.write_ns, costs.written);
    double read_ns = median(costs.read_ns, costs.read);
    bench_note(bench, "packet_ns", write_ns + read_ns, "ns");
    bench_note(bench, "write_ns", write_ns, "ns");
    bench_note(bench, "read_ns", read_ns, "ns");
    bench_note(bench, "packet_bytes", median(costs.bytes, costs.written), "bytes");
    net_match_destroy(m);
    free(costs.write_ns);
    free(costs.read_ns);
    free(costs.bytes);
}
