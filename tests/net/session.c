// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sessions: a server and its clients over a simulated network, playing the hero kit.

#include "net_test.h"

#include "scenes/net_match.h"

#include <inttypes.h>

#define FRAME KN_MS(5)

static net_match *match_begin(uint32_t count, const kn_net_conditions *conditions)
{
    net_match_def def = net_match_def_default();
    def.player_count = count;
    def.network = *conditions;
    net_match *m;
    assert_int_equal(net_match_create(&def, &m), KN_OK);
    return m;
}

static void run(net_match *m, kn_time time, bool plays)
{
    net_match_run(m, time, FRAME, plays);
    assert_int_equal(m->result, KN_OK);
}

// Passive abilities of others act now and then without a command, and nobody can know that before
// the server says it: so a client may need more than one look.
static void expect_all_same(net_match *m)
{
    uint32_t all = (1u << m->def.player_count) - 1, same = net_match_same(m, FRAME);
    for (uint32_t i = 0; i < 5 && same != all; i++) {
        run(m, KN_MS(700), false);
        same |= net_match_same(m, FRAME);
    }
    assert_int_equal(same, all);
}

static void print_stats(const net_match *m)
{
    for (uint32_t i = 0; i < m->def.player_count; i++) {
        const net_player *p = &m->players[i];
        kn_client_stats s = kn_client_get_stats(p->client);
        kn_server_stats t = kn_server_get_stats(m->server, p->connection);
        printf("player %u: tick %" PRIu64 " confirmed %" PRIu64 " lead %u margin %d us speed %d, "
               "states %" PRIu64 " entities %" PRIu64 " corrections %" PRIu64 " corrected %" PRIu64
               " resim %" PRIu64 " resyncs %" PRIu64 " checks %" PRIu64 " mismatches %" PRIu64
               " bad %" PRIu64 "; answers %u refused %u "
               "happened %u revoked %u; server: bytes %" PRIu64 " late %" PRIu64
               " commands %" PRIu64 " rtt %d\n",
            i, kn_client_tick(p->client), s.confirmed, s.lead, (int)s.margin, s.speed_ppm, s.states,
            s.entities, s.corrections, s.corrected, s.resimulated, s.resyncs, s.checks,
            s.mismatches, s.bad, p->answers, p->refused, p->happened, p->revoked, t.state_bytes,
            t.commands_late, t.commands, (int)s.link.round_trip);
    }
}

static void two_players_on_a_perfect_network_see_the_same(void **state)
{
    (void)state;
    kn_net_conditions perfect = {0};
    net_match *m = match_begin(2, &perfect);
    run(m, KN_S(10), true);
    run(m, KN_S(8), false);
    print_stats(m);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(m->players[i].answers > 20);
    }
    expect_all_same(m);
    net_match_destroy(m);
}

// NET-005: sessions know nothing but datagrams; loss, order and latency are those of a simulation.
static void players_on_bad_networks_see_the_same_in_the_end(void **state)
{
    (void)state;
    static const char *const names[] = {"lan", "wifi", "mobile", "awful"};
    for (uint32_t i = 0; i < 4; i++) {
        kn_net_conditions conditions;
        assert_int_equal(kn_net_conditions_find(names[i], &conditions), KN_OK);
        net_match *m = match_begin(4, &conditions);
        run(m, KN_S(20) / SHARE(4), true);
        run(m, KN_S(10), false);
        printf("%s\n", names[i]);
        print_stats(m);
        expect_all_same(m);
        net_match_destroy(m);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_players_on_a_perfect_network_see_the_same),
    cmocka_unit_test(players_on_bad_networks_see_the_same_in_the_end),
};

TEST_GROUP(session, tests, NULL, NULL);
