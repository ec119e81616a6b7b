// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rollback sessions: matches of the hero kit over a simulated network.

#include "rollback_match.h"

#include "scenes/hero_kit.h"

static const char *const CONDITIONS[] = {"perfect", "lan", "wifi", "mobile", "awful"};

static kn_entity_id heroes[MATCH_PLAYERS + 1]; // the same in all worlds
static bool plays;

static void arena_world(match *m, seat *s, bool is_empty)
{
    assert_int_equal(scene_create_empty_world(m->library, NULL, &s->world), KN_OK);
    kn_grid_def def = kn_grid_def_default();
    def.world = s->world;
    def.cell_size = 300.0f;
    assert_int_equal(kn_grid_create(&def, &s->grid), KN_OK);
    kn_world_set_space(s->world, kn_grid_space(s->grid));
    for (uint32_t i = 1; i <= m->player_count && !is_empty; i++) {
        scene_stage stage = {s->world, m->library, KN_OK};
        hero_side side = i % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
        kn_vec3 place = {side == HERO_SIDE_LEFT ? -100.0f : 100.0f, 60.0f * (float)i, 0.0f};
        heroes[i] = hero_kit_add_hero(&stage, side, place, false);
        assert_int_equal(stage.result, KN_OK);
        assert_int_equal(kn_entity_set_connection(s->world, heroes[i], i), KN_OK);
    }
}

// Presses and releases inputs, or at the end releases all.
static void arena_play(match *m, uint32_t number)
{
    seat *s = &m->seats[number];
    if (number > m->player_count || !kn_rollback_is_started(s->rollback) ||
        (plays ? any_below(&s->random, 40) != 0 : s->held == 0)) {
        return;
    }
    uint32_t input = HERO_INPUT_FIRE + any_below(&s->random, 6);
    while (!plays && (s->held >> input & 1) == 0) {
        input = HERO_INPUT_FIRE + any_below(&s->random, 6);
    }
    bool is_held = (s->held >> input & 1) != 0;
    kn_command_press press = {.input = input};
    kn_command_release release = {.input = input};
    kn_command command = {.type = is_held ? kn_command_type_release() : kn_command_type_press(),
        .entity = heroes[number],
        .payload = is_held ? (const void *)&release : (const void *)&press,
        .size = is_held ? sizeof(release) : sizeof(press)};
    kn_result result = kn_rollback_command(s->rollback, &command, NULL);
    assert_true(result == KN_OK || result == KN_REFUSED_LIMIT);
    s->held ^= result == KN_OK ? 1u << input : 0;
}

static void arena_begin(match *m, uint32_t players, bool has_relay, const char *network)
{
    kn_net_conditions conditions;
    kn_error error;
    assert_int_equal(kn_net_conditions_find(network, &conditions), KN_OK);
    match_begin(m, players, has_relay, &conditions);
    assert_int_equal(
        scene_create_library(scene_find("hero_kit"), NULL, &m->library, &error), KN_OK);
    m->play = arena_play;
    plays = true;
    for (uint32_t i = 1; i <= players; i++) {
        seat *s = &m->seats[i];
        arena_world(m, s, false);
        s->random = 100 + i;
        kn_rollback_def def = match_def(m, i);
        assert_int_equal(kn_rollback_create(&def, &s->rollback), KN_OK);
    }
    for (uint32_t i = 1; i <= players; i++) {
        match_open(m, i);
    }
}

static void print_stats(const match *m, const char *network)
{
    for (uint32_t i = 1; i < MATCH_SEATS; i++) {
        const seat *s = &m->seats[i];
        if (s->rollback == NULL) {
            continue;
        }
        kn_rollback_stats t = kn_rollback_get_stats(s->rollback);
        kn_net_link_stats link = {0};
        uint64_t bytes = 0;
        for (uint32_t j = 0; j < MATCH_SEATS; j++) {
            link = kn_rollback_get_link_stats(s->rollback, j);
            bytes += link.sent_bytes;
        }
        printf("%s %u: tick %" PRIu64 " confirmed %" PRIu64 " rollbacks %" PRIu64 " resim %" PRIu64
               " deepest %u stalls %" PRIu64 " (%d ms) ahead %d speed %d happened %u late %u "
               "revoked %u hashes %" PRIu64 " desyncs %" PRIu64 " bad %" PRIu64 " foreign %" PRIu64
               " commands %" PRIu64 " sent %" PRIu64 "\n",
            network, i, kn_rollback_tick(s->rollback), kn_rollback_confirmed(s->rollback),
            t.rollbacks, t.resimulated, t.depth_max, t.stalls, (int)(t.stalled_time / 1000),
            t.ahead_milliticks, t.speed_ppm, s->happened, s->late, s->revoked, t.hashes, t.desyncs,
            t.bad, t.foreign, t.commands, bytes);
    }
}

// Lets everybody come to one tick of which all is known, and compares the worlds.
static void expect_same(match *m)
{
    uint64_t latest = 0;
    uint64_t hash = 0, sum = 0;
    plays = false;
    match_run(m, KN_S(3));
    for (uint32_t i = 1; i < MATCH_SEATS; i++) {
        kn_rollback *rollback = m->seats[i].rollback;
        if (rollback != NULL && kn_rollback_closed(rollback) == KN_CLOSE_NONE) {
            uint64_t tick = kn_rollback_tick(rollback);
            latest = tick > latest ? tick : latest;
        }
    }
    uint64_t goal = latest + 60;
    uint32_t left = 0, turns = 0;
    for (uint32_t i = 1; i < MATCH_SEATS; i++) {
        kn_rollback *rollback = m->seats[i].rollback;
        left += rollback != NULL && kn_rollback_closed(rollback) == KN_CLOSE_NONE;
    }
    assert_true(left > 0);
    uint32_t compared = 0, found[MATCH_SEATS] = {0};
    while (compared < left && turns++ < 4000) {
        match_turn(m);
        for (uint32_t i = 1; i < MATCH_SEATS; i++) {
            const seat *s = &m->seats[i];
            if (s->rollback != NULL && !found[i] && kn_rollback_tick(s->rollback) == goal) {
                // nobody gives commands: what is predicted is what happens
                uint64_t own = kn_world_hash(s->world);
                hash = compared == 0 ? own : hash;
                assert_true(own == hash);
                // and what was reported is the same in the end, however often it was simulated
                sum = compared == 0 ? s->sum : sum;
                assert_true(s->sum == sum || i > m->player_count);
                found[i] = 1;
                compared++;
            }
        }
    }
    assert_int_equal(compared, left);
}

static void play_match(uint32_t players, bool has_relay, const char *network, kn_time time)
{
    match m;
    arena_begin(&m, players, has_relay, network);
    match_run(&m, time);
    print_stats(&m, network);
    bool is_awful = strcmp(network, "awful") == 0; // there they mostly wait for each other
    uint64_t least = (uint64_t)(time / KN_S(1)) * (is_awful ? 5 : 48);
    for (uint32_t i = 1; i <= players; i++) {
        kn_rollback_stats stats = kn_rollback_get_stats(m.seats[i].rollback);
        assert_true(kn_rollback_tick(m.seats[i].rollback) > least);
        assert_int_equal(m.seats[i].started, 1);
        assert_true(is_awful || stats.hashes > 0);
        assert_true(stats.commands > 5 * players);
    }
    expect_same(&m);
    for (uint32_t i = 1; i <= players; i++) {
        kn_rollback_stats stats = kn_rollback_get_stats(m.seats[i].rollback);
        assert_int_equal(m.seats[i].desyncs, 0);
        assert_int_equal(stats.bad, 0);
        assert_int_equal(kn_rollback_closed(m.seats[i].rollback), KN_CLOSE_NONE);
    }
    match_end(&m);
}

static void two_players_end_equal_on_all_networks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        play_match(2, false, CONDITIONS[i], KN_S(6));
        play_match(2, true, CONDITIONS[i], KN_S(6));
    }
}

static void three_players_end_equal_on_all_networks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 5; i++) {
        play_match(3, false, CONDITIONS[i], KN_S(5));
        play_match(3, true, CONDITIONS[i], KN_S(5));
    }
}

static void eight_players_end_equal_on_all_networks(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 10; i += SHARE(5)) {
        play_match(8, i % 2 != 0, CONDITIONS[i / 2], KN_S(3));
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(two_players_end_equal_on_all_networks),
    cmocka_unit_test(three_players_end_equal_on_all_networks),
    cmocka_unit_test(eight_players_end_equal_on_all_networks),
};

TEST_GROUP(rollback, tests, NULL, NULL);
