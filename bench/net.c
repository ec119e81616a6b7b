// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and its clients over a simulated network: what they send, and how long a tick takes.

#include "bench.h"

#include "scenes/net_match.h"

#define PLAYERS 100
#define RATE 60
#define WARM_UP 3 // seconds
#define SECONDS 4 // that are measured
#define FRAME (KN_S(1) / RATE)
#define LATENCY KN_MS(50)

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
