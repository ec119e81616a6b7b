// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The rules of rollback sessions, tick by tick, with a small library.

#include "rollback_match.h"

#include "session_kit.h"

#include "net/rollback_inputs.h"

static session_kit kit;
static kn_entity_id heroes[MATCH_PLAYERS + 1]; // the same in all worlds
static uint32_t left_calls[MATCH_SEATS];       // of worlds that called it

// What a test wants of its sessions; player 0 means all.
typedef struct wish {
    uint32_t players;
    bool has_relay;
    kn_net_conditions conditions;
    uint32_t input_delay, window, hash_every;
    bool waits;
    kn_time timeout;
    kn_hooks hooks; // of player 1
} wish;

static kn_world *duel_world(uint32_t players, const kn_hooks *hooks)
{
    kn_world_def def = kn_world_def_default();
    def.library = kit.library;
    def.hooks = hooks != NULL ? *hooks : def.hooks;
    kn_world *world;
    assert_int_equal(kn_world_create(&def, &world), KN_OK);
    for (uint32_t i = 1; i <= players; i++) {
        kn_effect_id effect;
        assert_true(session_hero(&kit, world, i, &heroes[i]));
        assert_int_equal(
            kn_effect_apply_simple(world, kit.burning, (kn_entity_id){0}, heroes[i], 1.0f, &effect),
            KN_OK);
    }
    return world;
}

// Whoever leaves is blessed.
static void duel_left(void *user, kn_world *world, uint32_t player)
{
    kn_effect_id effect;
    left_calls[*(uint32_t *)user]++;
    (void)kn_effect_apply_simple(
        world, kit.blessing, (kn_entity_id){0}, heroes[player], 1.0f, &effect);
}

static uint32_t numbers[MATCH_SEATS];

static kn_rollback_def duel_def(const match *m, uint32_t number, const wish *w)
{
    kn_rollback_def def = match_def(m, number);
    def.input_delay = w->input_delay > 0 ? w->input_delay : def.input_delay;
    def.window = w->window;
    def.waits = w->waits;
    def.left = duel_left;
    numbers[number] = number;
    def.user = &numbers[number];
    def.hooks = number == 1 ? w->hooks : def.hooks;
    return def;
}

static void duel_begin(match *m, const wish *w)
{
    match_begin(m, w->players, false, &w->conditions);
    m->hash_every = w->hash_every;
    m->timeout = w->timeout;
    if (w->has_relay) {
        kn_relay_def def = kn_relay_def_default();
        def.player_count = w->players;
        def.waits = w->waits;
        def.timeout = w->timeout > 0 ? w->timeout : def.timeout;
        assert_int_equal(kn_relay_create(&def, &m->relay), KN_OK);
    }
    memset(left_calls, 0, sizeof(left_calls));
    for (uint32_t i = 1; i <= w->players; i++) {
        seat *s = &m->seats[i];
        s->world = duel_world(w->players, i == 1 ? &w->hooks : NULL);
        kn_rollback_def def = duel_def(m, i, w);
        assert_int_equal(kn_rollback_create(&def, &s->rollback), KN_OK);
    }
    for (uint32_t i = 1; i <= w->players; i++) {
        match_open(m, i);
    }
}

static kn_result heal_give(match *m, uint32_t number)
{
    kn_command_activate activate = {.type = kit.heal};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = heroes[number],
        .payload = &activate,
        .size = sizeof(activate)};
    return kn_rollback_command(m->seats[number].rollback, &command, NULL);
}

static void run_to(match *m, uint32_t number, uint64_t tick)
{
    for (uint32_t i = 0; i < 4000 && kn_rollback_tick(m->seats[number].rollback) < tick; i++) {
        match_turn(m);
    }
    assert_int_equal(kn_rollback_tick(m->seats[number].rollback), tick);
}

static bool is_playing(const match *m, uint32_t number)
{
    const kn_rollback *rollback = m->seats[number].rollback;
    return rollback != NULL && kn_rollback_closed(rollback) == KN_CLOSE_NONE &&
           !m->seats[number].is_frozen;
}

// Everybody who plays comes to the same state. Nobody gives commands meanwhile.
static void expect_same(match *m)
{
    uint64_t goal = 0, hash = 0, count = 0, found = 0;
    match_run(m, KN_S(1));
    for (uint32_t i = 1; i < MATCH_SEATS; i++) {
        if (is_playing(m, i)) {
            uint64_t tick = kn_rollback_tick(m->seats[i].rollback);
            goal = tick > goal ? tick : goal;
            count++;
        }
    }
    goal += 30;
    for (uint32_t turns = 0; turns < 2000 && found != (1u << count) - 1; turns++) {
        match_turn(m);
        for (uint32_t i = 1, n = 0; i < MATCH_SEATS; i++) {
            if (!is_playing(m, i)) {
                continue;
            }
            bool is_there = kn_rollback_tick(m->seats[i].rollback) == goal;
            if (is_there && (found >> n & 1) == 0) {
                uint64_t own = kn_world_hash(m->seats[i].world);
                hash = found == 0 ? own : hash;
                assert_true(own == hash);
                found |= 1u << n;
            }
            n++;
        }
    }
    assert_int_equal(found, (1u << count) - 1);
}

// Ticks in which each player's commands were carried out ----------------------------------------

static uint64_t acted[MATCH_SEATS][MATCH_PLAYERS + 1]; // the last tick, by machine and player
static uint32_t act_count[MATCH_SEATS][MATCH_PLAYERS + 1];

static void acts_note(match *m, uint32_t number, const kn_rollback_event *event)
{
    (void)m;
    bool is_act = (event->kind == KN_ROLLBACK_HAPPENED || event->kind == KN_ROLLBACK_REVOKED) &&
                  event->event.type == KN_EVENT_COMMAND;
    if (is_act) {
        uint32_t player = event->event.data.command.connection;
        bool is_new = event->kind == KN_ROLLBACK_HAPPENED;
        acted[number][player] = is_new ? event->tick : acted[number][player];
        act_count[number][player] += is_new ? 1 : UINT32_MAX;
        assert_int_equal(event->event.data.command.result, KN_OK);
    }
}

static void acts_begin(match *m)
{
    memset(acted, 0, sizeof(acted));
    memset(act_count, 0, sizeof(act_count));
    m->heard = acts_note;
}

static void a_command_acts_delay_ticks_later_on_all_machines(void **state)
{
    (void)state;
    static const uint32_t delays[] = {1, 2, 5, KN_ROLLBACK_DELAY_MAX};
    for (uint32_t i = 0; i < 8; i++) {
        match m;
        wish w = {.players = 2, .has_relay = i >= 4, .window = 12, .input_delay = delays[i % 4]};
        duel_begin(&m, &w);
        acts_begin(&m);
        run_to(&m, 1, 10);
        assert_int_equal(heal_give(&m, 1), KN_OK);
        match_run(&m, KN_S(1));
        for (uint32_t j = 1; j <= 2; j++) {
            assert_int_equal(acted[j][1], 10 + delays[i % 4]);
            assert_int_equal(act_count[j][1], 1);
            assert_int_equal(act_count[j][2], 0);
        }
        expect_same(&m);
        match_end(&m);
    }
}

static void commands_of_one_tick_are_carried_out_in_order_of_players_on_late_lines(void **state)
{
    (void)state;
    match m;
    wish w = {.players = 3, .window = 20, .conditions = {.latency = KN_MS(100)}};
    duel_begin(&m, &w);
    acts_begin(&m);
    run_to(&m, 2, 20);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(heal_give(&m, i), KN_OK);
    }
    uint64_t due[4];
    for (uint32_t i = 1; i <= 3; i++) {
        due[i] = kn_rollback_tick(m.seats[i].rollback) + 2;
    }
    match_run(&m, KN_S(1));
    for (uint32_t machine = 1; machine <= 3; machine++) {
        for (uint32_t i = 1; i <= 3; i++) {
            assert_int_equal(acted[machine][i], due[i]);
            assert_int_equal(act_count[machine][i], 1);
        }
        assert_true(m.seats[machine].late > 0); // 100 ms are more than two ticks
        kn_rollback_stats stats = kn_rollback_get_stats(m.seats[machine].rollback);
        assert_true(stats.rollbacks > 0 && stats.resimulated >= 4 * stats.rollbacks);
        assert_true(stats.depth_max <= 20);
    }
    expect_same(&m);
    match_end(&m);
}

// Stalls -----------------------------------------------------------------------------------------

static void a_player_stalls_window_ticks_beyond_the_last_known_commands(void **state)
{
    (void)state;
    static const uint32_t windows[] = {0, 1, 4, KN_ROLLBACK_WINDOW_MAX};
    for (uint32_t i = 0; i < 8; i++) {
        match m;
        wish w = {.players = 2, .has_relay = i >= 4, .window = windows[i % 4], .input_delay = 3};
        duel_begin(&m, &w);
        run_to(&m, 2, 30);
        m.seats[2].is_frozen = true;
        uint32_t before = m.seats[1].stalled;
        match_run(&m, KN_MS(2500));
        // 2 has sent its commands up to 30 + 3 - 1
        assert_int_equal(kn_rollback_tick(m.seats[1].rollback), 32 + windows[i % 4]);
        assert_int_equal(kn_rollback_confirmed(m.seats[1].rollback), 32);
        assert_int_equal(m.seats[1].stalled, before + 1);
        const seat *s = &m.seats[1];
        const kn_rollback_event *event = &s->events[s->event_count - 1];
        assert_int_equal(event->kind, KN_ROLLBACK_STALLED);
        assert_int_equal(event->peer, 2);
        assert_int_equal(event->tick, 32 + windows[i % 4]);
        kn_rollback_stats stats = kn_rollback_get_stats(s->rollback);
        assert_true(stats.is_stalled && stats.stalled_time > KN_MS(1000));
        m.seats[2].is_frozen = false;
        match_run(&m, KN_S(2));
        assert_int_equal(m.seats[1].stalled, m.seats[1].resumed);
        assert_true(kn_rollback_tick(m.seats[1].rollback) > 100);
        assert_int_equal(kn_rollback_closed(m.seats[2].rollback), KN_CLOSE_NONE);
        expect_same(&m);
        match_end(&m);
    }
}

// The start --------------------------------------------------------------------------------------

static void the_match_starts_when_all_players_are_there(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 3, .has_relay = i == 1, .window = 8};
        duel_begin(&m, &w);
        m.seats[3].is_frozen = true;
        match_run(&m, KN_S(2));
        for (uint32_t j = 1; j <= 2; j++) {
            assert_int_equal(m.seats[j].started, 0);
            assert_false(kn_rollback_is_started(m.seats[j].rollback));
            assert_int_equal(kn_rollback_tick(m.seats[j].rollback), 0);
            assert_int_equal(heal_give(&m, j), KN_REFUSED_BLOCKED);
        }
        m.seats[3].is_frozen = false;
        match_run(&m, KN_S(1));
        for (uint32_t j = 1; j <= 3; j++) {
            assert_int_equal(m.seats[j].started, 1);
            assert_true(kn_rollback_tick(m.seats[j].rollback) > 50);
        }
        expect_same(&m);
        match_end(&m);
    }
}

typedef enum mismatch {
    MISMATCH_LIBRARY,
    MISMATCH_WORLD,
    MISMATCH_RATE,
    MISMATCH_HASHES,
    MISMATCH_COUNT,
} mismatch;

static void expect_mismatch(mismatch kind, bool has_relay, kn_close_reason reason)
{
    match m;
    kn_net_conditions perfect = {0};
    match_begin(&m, 2, has_relay, &perfect);
    session_kit other;
    assert_true(session_kit_create(&other, true));
    session_kit mine = kit;
    for (uint32_t i = 1; i <= 2; i++) {
        seat *s = &m.seats[i];
        kit = i == 2 && kind == MISMATCH_LIBRARY ? other : mine;
        s->world = duel_world(2, NULL);
        if (i == 2 && kind == MISMATCH_WORLD) {
            assert_int_equal(kn_attribute_set_base(s->world, heroes[1], kit.mana, 0, 1.0f), KN_OK);
        }
        kn_rollback_def def = match_def(&m, i);
        def.rate = i == 2 && kind == MISMATCH_RATE ? 30 : def.rate;
        def.hash_every = i == 2 && kind == MISMATCH_HASHES ? 30 : def.hash_every;
        assert_int_equal(kn_rollback_create(&def, &s->rollback), KN_OK);
    }
    kit = mine;
    match_open(&m, 1);
    match_open(&m, 2);
    match_run(&m, KN_MS(500));
    assert_int_equal(kn_rollback_closed(m.seats[2].rollback), reason);
    const kn_rollback_event *event = match_event(&m, 2, KN_ROLLBACK_CLOSED, 0);
    assert_non_null(event);
    assert_int_equal(event->reason, reason);
    assert_int_equal(kn_rollback_tick(m.seats[2].rollback), 0);
    if (!has_relay) { // both say so
        assert_int_equal(kn_rollback_closed(m.seats[1].rollback), reason);
    }
    match_end(&m);
    kn_library_destroy(other.library);
}

static void players_that_do_not_fit_are_refused_with_a_reason(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        expect_mismatch(MISMATCH_LIBRARY, i == 1, KN_CLOSE_LIBRARY);
        expect_mismatch(MISMATCH_WORLD, i == 1, KN_CLOSE_WORLD);
        expect_mismatch(MISMATCH_RATE, i == 1, KN_CLOSE_SETTINGS);
        expect_mismatch(MISMATCH_HASHES, i == 1, KN_CLOSE_SETTINGS);
    }
}

// Leaving ----------------------------------------------------------------------------------------

static void expect_left(const match *m, uint32_t gone, kn_close_reason reason)
{
    uint64_t tick = 0;
    for (uint32_t i = 1; i <= m->player_count; i++) {
        if (!is_playing(m, i)) {
            continue;
        }
        const kn_rollback_event *event = match_event(m, i, KN_ROLLBACK_LEFT, gone);
        assert_non_null(event);
        assert_int_equal(event->reason, reason);
        tick = tick == 0 ? event->tick : tick;
        assert_int_equal(event->tick, tick);
        assert_true(left_calls[i] >= 1);
        assert_true(kn_entity_has_tag(m->seats[i].world, heroes[gone], kit.blessed));
    }
}

static void the_others_go_on_when_a_player_leaves(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 3, .has_relay = i == 1, .window = 12};
        w.conditions = (kn_net_conditions){.latency = KN_MS(40), .jitter = KN_MS(20), .loss = 0.1f};
        duel_begin(&m, &w);
        match_run(&m, KN_S(2));
        assert_int_equal(heal_give(&m, 3), KN_OK);
        match_run(&m, KN_MS(20));
        kn_rollback_leave(m.seats[3].rollback);
        assert_int_equal(kn_rollback_closed(m.seats[3].rollback), KN_CLOSE_HOST);
        assert_int_equal(heal_give(&m, 3), KN_REFUSED_BLOCKED);
        match_run(&m, KN_S(2));
        expect_left(&m, 3, KN_CLOSE_LEFT);
        assert_true(kn_rollback_tick(m.seats[1].rollback) > 150);
        expect_same(&m);
        match_end(&m);
    }
}

static void a_player_who_freezes_for_too_long_is_dropped_and_learns_it(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 3, .has_relay = i == 1, .window = 8, .timeout = KN_S(2)};
        w.conditions = (kn_net_conditions){.latency = KN_MS(30), .loss = 0.05f};
        duel_begin(&m, &w);
        match_run(&m, KN_S(1));
        m.seats[2].is_frozen = true;
        match_run(&m, KN_MS(1500));
        assert_null(match_event(&m, 1, KN_ROLLBACK_LEFT, 2));
        assert_true(kn_rollback_get_stats(m.seats[1].rollback).is_stalled);
        match_run(&m, KN_S(2));
        expect_left(&m, 2, KN_CLOSE_TIMEOUT);
        assert_false(kn_rollback_get_stats(m.seats[1].rollback).is_stalled);
        expect_same(&m);
        m.seats[2].is_frozen = false;
        match_run(&m, KN_S(1));
        assert_int_equal(kn_rollback_closed(m.seats[2].rollback), KN_CLOSE_TIMEOUT);
        assert_int_equal(kn_rollback_closed(m.seats[1].rollback), KN_CLOSE_NONE);
        match_end(&m);
    }
}

// What only one of them has got is shared.
static void all_agree_on_the_greatest_tick_that_anybody_has(void **state)
{
    (void)state;
    match m;
    wish w = {.players = 4, .window = 30, .timeout = KN_S(1)};
    w.conditions = (kn_net_conditions){.latency = KN_MS(20)};
    duel_begin(&m, &w);
    acts_begin(&m);
    match_run(&m, KN_S(1));
    kn_net_conditions cut = {.loss = 1.0f};
    assert_int_equal(kn_net_sim_set(m.net, 4, 1, &cut), KN_OK);
    match_run(&m, KN_MS(50));
    assert_int_equal(kn_net_sim_set(m.net, 4, 3, &cut), KN_OK);
    match_run(&m, KN_MS(50));
    uint64_t due = kn_rollback_tick(m.seats[4].rollback) + 2;
    assert_int_equal(heal_give(&m, 4), KN_OK);
    match_run(&m, KN_MS(50));
    m.seats[4].is_frozen = true; // only 2 has its last ticks
    match_run(&m, KN_S(3));
    expect_left(&m, 4, KN_CLOSE_TIMEOUT);
    assert_true(match_event(&m, 1, KN_ROLLBACK_LEFT, 4)->tick >= due);
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(acted[i][4], due);
        assert_int_equal(act_count[i][4], 1);
    }
    expect_same(&m);
    match_end(&m);
}

static void another_may_go_while_they_agree(void **state)
{
    (void)state;
    for (uint32_t delay = 0; delay < 30; delay++) {
        match m;
        wish w = {.players = 4, .window = 30, .timeout = KN_MS(500)};
        w.conditions = (kn_net_conditions){.latency = KN_MS(20), .jitter = KN_MS(20), .loss = 0.2f};
        duel_begin(&m, &w);
        match_run(&m, KN_S(1));
        kn_net_conditions cut = {.loss = 1.0f};
        assert_int_equal(kn_net_sim_set(m.net, 4, 1, &cut), KN_OK);
        assert_int_equal(kn_net_sim_set(m.net, 4, 2, &cut), KN_OK);
        assert_int_equal(heal_give(&m, 4), KN_OK);
        match_run(&m, KN_MS(100));
        m.seats[4].is_frozen = true; // only 3 has its last ticks
        match_run(&m, KN_MS(350) + (kn_time)delay * KN_MS(10));
        m.seats[3].is_frozen = true;
        match_run(&m, KN_S(3));
        expect_left(&m, 3, KN_CLOSE_TIMEOUT);
        expect_left(&m, 4, KN_CLOSE_TIMEOUT);
        expect_same(&m);
        match_end(&m);
    }
}

static void hosts_may_wait_for_those_who_are_silent(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {
            .players = 2, .has_relay = i == 1, .window = 8, .timeout = KN_S(1), .waits = true};
        duel_begin(&m, &w);
        match_run(&m, KN_S(1));
        m.seats[2].is_frozen = true;
        match_run(&m, KN_S(4));
        assert_null(match_event(&m, 1, KN_ROLLBACK_LEFT, 2));
        if (i == 0) {
            assert_non_null(match_event(&m, 1, KN_ROLLBACK_SILENT, 2));
        } else {
            assert_int_equal(m.relay_silent, 1);
        }
        m.seats[2].is_frozen = false;
        match_run(&m, KN_S(1));
        assert_false(kn_rollback_get_stats(m.seats[1].rollback).is_stalled);
        expect_same(&m);
        m.seats[2].is_frozen = true;
        match_run(&m, KN_S(2));
        assert_true(i == 0 ? kn_rollback_drop(m.seats[1].rollback, 2) : kn_relay_drop(m.relay, 2));
        assert_false(i == 0 ? kn_rollback_drop(m.seats[1].rollback, 2) : kn_relay_drop(m.relay, 2));
        match_run(&m, KN_S(1));
        expect_left(&m, 2, KN_CLOSE_TIMEOUT);
        uint64_t tick = kn_rollback_tick(m.seats[1].rollback);
        match_run(&m, KN_S(1));
        assert_true(kn_rollback_tick(m.seats[1].rollback) > tick + 50);
        match_end(&m);
    }
}

// Comparing --------------------------------------------------------------------------------------

static void a_changed_value_is_noticed_and_named(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 3, .has_relay = i == 1, .window = 8, .hash_every = 10};
        w.conditions = (kn_net_conditions){.latency = KN_MS(20), .loss = 0.02f};
        duel_begin(&m, &w);
        run_to(&m, 2, 95);
        assert_int_equal(m.seats[1].desyncs + m.seats[2].desyncs + m.seats[3].desyncs, 0);
        assert_int_equal(
            kn_attribute_set_base(m.seats[2].world, heroes[3], kit.fate, 0, 4.5f), KN_OK);
        match_run(&m, KN_S(2));
        for (uint32_t j = 1; j <= 3; j++) {
            uint32_t peer = j == 2 ? 1 : 2;
            const kn_rollback_event *event = match_event(&m, j, KN_ROLLBACK_DESYNC, peer);
            assert_non_null(event);
            assert_int_equal(event->tick, 100);
            assert_true(event->hash != event->other_hash);
            const kn_rollback_event *other = match_event(&m, peer, KN_ROLLBACK_DESYNC, j);
            assert_non_null(other);
            assert_true(other->hash == event->other_hash && other->other_hash == event->hash);
            const kn_rollback_event *blame = match_event(&m, j, KN_ROLLBACK_BLAME, peer);
            assert_non_null(blame);
            assert_int_equal(blame->tick, 100);
            assert_non_null(strstr(m.seats[j].text, "Fate"));
            assert_non_null(strstr(m.seats[j].text, "4.5"));
        }
        // 1 and 3 have the same, and each difference is reported once
        assert_null(match_event(&m, 1, KN_ROLLBACK_DESYNC, 3));
        assert_int_equal(m.seats[1].desyncs, 1);
        assert_int_equal(m.seats[2].desyncs, 2);
        match_end(&m);
    }
}

// Spectators -------------------------------------------------------------------------------------

static void a_late_spectator_ends_equal_and_delays_nobody(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 4; i++) {
        match m;
        wish w = {.players = 2, .has_relay = i % 2 == 1, .window = 8, .hash_every = 20};
        w.conditions =
            (kn_net_conditions){.latency = KN_MS(20), .jitter = KN_MS(10), .loss = 0.05f};
        duel_begin(&m, &w);
        if (i >= 2) { // one player has left before
            match_run(&m, KN_S(1));
            kn_rollback_leave(m.seats[2].rollback);
        }
        for (uint32_t j = 0; j < 3; j++) {
            (void)heal_give(&m, 1);
            (void)heal_give(&m, 2);
            match_run(&m, KN_S(1));
        }
        uint32_t stalls = m.seats[1].stalled;
        uint32_t number = m.player_count + 1;
        match_watch(&m, number, duel_world(0, NULL), w.has_relay ? 0 : 1);
        match_run(&m, KN_S(2));
        assert_int_equal(m.seats[number].started, 1);
        assert_int_equal(heal_give(&m, 1), KN_OK);
        assert_int_equal(heal_give(&m, number), KN_REFUSED_BLOCKED);
        match_run(&m, KN_S(2));
        kn_rollback_stats stats = kn_rollback_get_stats(m.seats[number].rollback);
        assert_int_equal(stats.rollbacks, 0);
        assert_true(stats.hashes > 0);
        assert_int_equal(stats.desyncs, 0);
        uint64_t confirmed = kn_rollback_confirmed(m.seats[1].rollback);
        uint64_t seen = kn_rollback_tick(m.seats[number].rollback);
        assert_true(seen <= confirmed + 2 && seen + 30 > confirmed);
        assert_int_equal(m.seats[1].stalled, stalls);
        expect_same(&m);
        match_end(&m);
    }
}

static void a_spectator_that_fell_behind_gets_another_state(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 2, .has_relay = i == 1, .window = 8, .timeout = KN_S(30)};
        duel_begin(&m, &w);
        match_run(&m, KN_S(1));
        match_watch(&m, 3, duel_world(0, NULL), w.has_relay ? 0 : 1);
        match_run(&m, KN_S(1));
        assert_int_equal(m.seats[3].started, 1);
        m.seats[3].is_cut = true;
        uint32_t stalls = m.seats[1].stalled;
        assert_int_equal(heal_give(&m, 1), KN_OK);
        match_run(&m, KN_S(4));
        m.seats[3].is_cut = true;
        match_run(&m, KN_S(7));
        assert_int_equal(m.seats[1].stalled, stalls);
        m.seats[3].is_cut = false;
        match_run(&m, KN_S(3));
        uint64_t resyncs = i == 0 ? kn_rollback_get_stats(m.seats[1].rollback).resyncs
                                  : kn_relay_get_stats(m.relay, 3).resyncs;
        assert_int_equal(resyncs, 1);
        expect_same(&m);
        match_end(&m);
    }
}

// Clocks -----------------------------------------------------------------------------------------

static void jumps_of_a_clock_are_survived(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 2, .has_relay = i == 1, .window = 8};
        w.conditions = (kn_net_conditions){.latency = KN_MS(20)};
        duel_begin(&m, &w);
        match_run(&m, KN_S(1));
        kn_time real = m.now;
        // The clock of player 1 jumps forth by an hour, then back behind its beginning.
        assert_int_equal(kn_rollback_update(m.seats[1].rollback, real + KN_S(3600)), KN_OK);
        uint64_t tick = kn_rollback_tick(m.seats[1].rollback);
        assert_true(tick < 100);
        match_run(&m, KN_S(1));
        assert_int_equal(kn_rollback_update(m.seats[1].rollback, -KN_S(3600)), KN_OK);
        match_run(&m, KN_S(2));
        assert_true(kn_rollback_tick(m.seats[1].rollback) > tick + 120);
        assert_int_equal(kn_rollback_closed(m.seats[1].rollback), KN_CLOSE_NONE);
        assert_null(match_event(&m, 1, KN_ROLLBACK_LEFT, 2));
        expect_same(&m);
        match_end(&m);
    }
}

// One machine begins late, and runs ahead of none for long.
static void machines_run_at_the_same_pace(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        wish w = {.players = 3, .has_relay = i == 1, .window = 30};
        w.conditions = (kn_net_conditions){.latency = KN_MS(50)};
        duel_begin(&m, &w);
        match_run(&m, KN_S(1));
        m.seats[2].is_frozen = true;
        match_run(&m, KN_MS(250));
        m.seats[2].is_frozen = false;
        match_run(&m, KN_MS(50));
        int64_t behind = (int64_t)(kn_rollback_tick(m.seats[1].rollback) -
                                   kn_rollback_tick(m.seats[2].rollback));
        match_run(&m, KN_S(8));
        for (uint32_t j = 1; j <= 3; j++) {
            int64_t ahead = (int64_t)(kn_rollback_tick(m.seats[j].rollback) -
                                      kn_rollback_tick(m.seats[2].rollback));
            kn_rollback_stats stats = kn_rollback_get_stats(m.seats[j].rollback);
            assert_true(ahead >= -1 && ahead <= 1);
            assert_true(stats.speed_ppm <= 50000 && stats.speed_ppm >= -50000);
            assert_true(stats.ahead_milliticks > -1000 && stats.ahead_milliticks < 1000);
            assert_int_equal(stats.stalls, 0);
        }
        assert_true(behind >= 0);
        expect_same(&m);
        match_end(&m);
    }
}

// Refusals ---------------------------------------------------------------------------------------

static void a_tick_takes_a_limited_number_of_commands(void **state)
{
    (void)state;
    match m;
    wish w = {.players = 2, .window = 8};
    duel_begin(&m, &w);
    match_run(&m, KN_MS(100));
    for (uint32_t i = 0; i < KN_ROLLBACK_COMMANDS_MAX; i++) {
        assert_int_equal(heal_give(&m, 1), KN_OK);
    }
    assert_int_equal(heal_give(&m, 1), KN_REFUSED_LIMIT);
    kn_command bad = {.type = {60000}, .entity = heroes[1]};
    kn_error error;
    assert_int_equal(kn_rollback_command(m.seats[2].rollback, &bad, &error), KN_ERROR_BAD_DATA);
    match_run(&m, KN_MS(100));
    assert_int_equal(heal_give(&m, 1), KN_OK);
    expect_same(&m);
    match_end(&m);
}

static void lines_that_make_no_sense_are_refused(void **state)
{
    (void)state;
    match m;
    wish w = {.players = 2, .window = 8};
    duel_begin(&m, &w);
    kn_rollback *rollback = m.seats[1].rollback;
    assert_int_equal(kn_rollback_open(rollback, 0, 2), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_rollback_open(rollback, 0, 1), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rollback_open(rollback, 0, 5), KN_ERROR_INVALID_ARGUMENT);
    assert_int_equal(kn_rollback_open(rollback, 0, KN_ROLLBACK_RELAY), KN_REFUSED_BLOCKED);
    uint8_t bytes[1200] = {0};
    size_t size;
    assert_int_equal(kn_rollback_receive(rollback, 0, 3, bytes, 10), KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_rollback_receive(rollback, 0, 2, bytes, 10), KN_ERROR_BAD_DATA);
    assert_int_equal(
        kn_rollback_write(rollback, 0, 3, bytes, sizeof(bytes), &size), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_rollback_write(rollback, 0, 2, bytes, 1199, &size), KN_ERROR_BUFFER_TOO_SMALL);
    assert_int_equal(kn_rollback_open(rollback, 0, 3), KN_OK);
    assert_true(kn_rollback_close(rollback, 3));
    assert_false(kn_rollback_close(rollback, 3));
    assert_false(kn_rollback_close(rollback, 2));
    match_run(&m, KN_S(2));
    assert_int_equal(kn_rollback_open(rollback, m.now, 3), KN_OK); // free again
    match_end(&m);
}

// Attackers --------------------------------------------------------------------------------------

// A player, and an attacker in place of player 2, who may say anything over an honest link.
typedef struct siege {
    match m;
    kn_net_link *link;
    kn_close_reason left_reason;
} siege;

static void siege_send(siege *g, const kn_writer *message, const kn_writer *payload)
{
    uint8_t bytes[1200];
    size_t size;
    kn_rollback *rollback = g->m.seats[1].rollback;
    if (message != NULL) {
        assert_int_equal(kn_net_link_send(g->link, message->data, message->length), KN_OK);
    }
    assert_int_equal(kn_net_link_write(g->link, g->m.now, payload != NULL ? payload->data : NULL,
                         payload != NULL ? payload->length : 0, bytes, sizeof(bytes), &size, NULL),
        KN_OK);
    assert_int_equal(kn_rollback_receive(rollback, g->m.now, 2, bytes, size), KN_OK);
    assert_int_equal(kn_rollback_update(rollback, g->m.now), KN_OK);
    match_hear(&g->m, 1);
    kn_net_link_view view;
    kn_net_link_message heard;
    while (kn_rollback_write(rollback, g->m.now, 2, bytes, sizeof(bytes), &size) == KN_OK) {
        assert_int_equal(kn_net_link_read(g->link, g->m.now, bytes, size, &view), KN_OK);
        while (kn_net_link_next_message(g->link, &heard)) {
            const uint8_t *data = heard.bytes;
            g->left_reason = data[0] == ROLL_CLOSE ? (kn_close_reason)data[1] : g->left_reason;
        }
    }
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(g->link, &sequence, &was_received)) {
    }
    g->m.now += MATCH_FRAME;
}

static void siege_begin(siege *g, bool is_greeted, uint64_t version)
{
    memset(g, 0, sizeof(*g));
    kn_net_conditions perfect = {0};
    match_begin(&g->m, 2, false, &perfect);
    seat *s = &g->m.seats[1];
    s->world = duel_world(2, NULL);
    kn_rollback_def def = match_def(&g->m, 1);
    assert_int_equal(kn_rollback_create(&def, &s->rollback), KN_OK);
    assert_int_equal(kn_rollback_open(s->rollback, 0, 2), KN_OK);
    roll_line line;
    line_def lines = {.datagram_bytes = def.datagram_bytes, .save_bytes = def.save_bytes};
    assert_int_equal(kni_line_open(&line, &lines, 0), KN_OK);
    g->link = line.link;
    uint8_t bytes[64];
    kn_writer out = {bytes, sizeof(bytes), 0};
    roll_hello hello = {.version = version,
        .library = kn_library_hash(kit.library),
        .start = kn_world_hash(s->world),
        .rate = def.rate,
        .player_count = 2,
        .hash_every = def.hash_every,
        .player = 2};
    kni_hello_write(&out, &hello);
    if (is_greeted) {
        siege_send(g, &out, NULL);
    }
}

static void siege_end(siege *g)
{
    kn_net_link_destroy(g->link);
    match_end(&g->m);
}

// A payload that acknowledges nothing, with the commands of some players behind it.
static void siege_payload(kn_writer *out, uint64_t reference, uint32_t streams)
{
    roll_payload payload = {.reference = reference};
    kni_roll_payload_write(out, &payload);
    kn_write_u8(out, (uint8_t)streams);
}

static void another_version_is_refused(void **state)
{
    (void)state;
    siege g;
    siege_begin(&g, true, KN_ROLLBACK_VERSION + 1);
    assert_int_equal(kn_rollback_closed(g.m.seats[1].rollback), KN_CLOSE_VERSION);
    assert_int_equal(g.left_reason, KN_CLOSE_VERSION);
    siege_end(&g);
}

static void who_talks_nonsense_is_closed(void **state)
{
    (void)state;
    for (uint32_t kind = 0; kind < 3; kind++) {
        siege g;
        siege_begin(&g, kind != 0, KN_ROLLBACK_VERSION);
        for (uint32_t i = 0; i < LINE_BAD_MAX + 1; i++) {
            assert_null(match_event(&g.m, 1, KN_ROLLBACK_LEFT, 2));
            assert_int_equal(kn_rollback_get_stats(g.m.seats[1].rollback).bad, i);
            uint8_t bytes[64] = {99, 1, 2, 3};
            kn_writer out = {bytes, sizeof(bytes), 4};
            if (kind == 2) { // a payload that ends too early
                out.length = 0;
                siege_payload(&out, 5, 2);
            }
            siege_send(&g, kind < 2 ? &out : NULL, kind == 2 ? &out : NULL);
        }
        siege_send(&g, NULL, NULL);
        const kn_rollback_event *event = match_event(&g.m, 1, KN_ROLLBACK_LEFT, 2);
        assert_non_null(event);
        assert_int_equal(event->reason, KN_CLOSE_ABUSE);
        assert_int_equal(g.left_reason, KN_CLOSE_ABUSE);
        siege_end(&g);
    }
}

static void nobody_gives_commands_for_others(void **state)
{
    (void)state;
    siege g;
    siege_begin(&g, true, KN_ROLLBACK_VERSION);
    for (uint32_t i = 0; i < LINE_FOREIGN_MAX + 1; i++) {
        assert_null(match_event(&g.m, 1, KN_ROLLBACK_LEFT, 2));
        uint8_t bytes[64];
        kn_writer out = {bytes, sizeof(bytes), 0};
        siege_payload(&out, 1, 1); // the commands of player 1
        kni_write_signed(&out, 0);
        kni_write_number(&out, 3);
        kni_write_number(&out, 0);
        siege_send(&g, NULL, &out);
        kn_rollback_stats stats = kn_rollback_get_stats(g.m.seats[1].rollback);
        assert_int_equal(stats.foreign, i + 1);
        assert_int_equal(stats.bad + stats.commands, 0);
    }
    siege_send(&g, NULL, NULL);
    assert_non_null(match_event(&g.m, 1, KN_ROLLBACK_LEFT, 2));
    siege_end(&g);
}

static void numbers_out_of_range_are_counted_and_change_nothing(void **state)
{
    (void)state;
    static const uint64_t odd[][4] = {
        // reference, ticks back to the first (signed form), count of ticks, of those with commands
        {1, 0, 0, 0},                 // no ticks at all
        {1, 0, INPUT_HISTORY + 1, 0}, // too many
        {1, 0, 2, 3},                 // more filled than there are
        {1, 2, 1, 0},                 // tick 0
        {1, UINT64_MAX - 1, 1, 0},    // far away
        {TICK_MAX + 1, 0, 1, 0},      // a reference beyond all time
        {1, 0, 1, 1},                 // and the commands are missing
    };
    siege g;
    siege_begin(&g, true, KN_ROLLBACK_VERSION);
    for (uint32_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++) {
        uint8_t bytes[64];
        kn_writer out = {bytes, sizeof(bytes), 0};
        siege_payload(&out, odd[i][0], 2);
        kni_write_number(&out, odd[i][1]);
        kni_write_number(&out, odd[i][2]);
        kni_write_number(&out, odd[i][3]);
        siege_send(&g, NULL, &out);
        assert_int_equal(kn_rollback_get_stats(g.m.seats[1].rollback).bad, i + 1);
        assert_int_equal(kn_rollback_confirmed(g.m.seats[1].rollback), 0);
    }
    // far ahead of all that can be: as much as is kept is taken
    uint8_t bytes[64];
    for (uint32_t i = 0; i < 3; i++) {
        kn_writer out = {bytes, sizeof(bytes), 0};
        siege_payload(&out, 1 + i * 500, 2);
        kni_write_signed(&out, 0);
        kni_write_number(&out, 500);
        kni_write_number(&out, 0);
        siege_send(&g, NULL, &out);
    }
    assert_int_equal(kn_rollback_get_stats(g.m.seats[1].rollback).bad, 7);
    for (uint32_t i = 0; i < 400; i++) {
        siege_send(&g, NULL, NULL);
    }
    uint64_t tick = kn_rollback_tick(g.m.seats[1].rollback);
    assert_true(tick > 100 && kn_rollback_confirmed(g.m.seats[1].rollback) == tick);
    siege_end(&g);
}

static void commands_that_make_no_sense_are_counted_and_ignored(void **state)
{
    (void)state;
    siege g;
    siege_begin(&g, true, KN_ROLLBACK_VERSION);
    uint8_t bytes[64];
    kn_writer out = {bytes, sizeof(bytes), 0};
    siege_payload(&out, 1, 2);
    static const uint8_t rest[] = {0, 2, 1, 0, 2, 1, 3, 0xff, 0xff, 0xff, 1, 0};
    kn_write_bytes(&out, rest, sizeof(rest)); // two commands in tick 1, of three bytes and of one
    siege_send(&g, NULL, &out);
    for (uint32_t i = 0; i < 40; i++) {
        siege_send(&g, NULL, NULL);
    }
    kn_rollback_stats stats = kn_rollback_get_stats(g.m.seats[1].rollback);
    assert_int_equal(stats.commands, 2);
    assert_int_equal(stats.bad, 2);
    assert_int_equal(kn_rollback_confirmed(g.m.seats[1].rollback), 2);
    siege_end(&g);
}

static void damaged_datagrams_change_nothing(void **state)
{
    (void)state;
    match m;
    wish w = {.players = 3, .window = 20};
    w.conditions = (kn_net_conditions){.latency = KN_MS(20), .corrupt = 0.3f, .duplicate = 0.1f};
    duel_begin(&m, &w);
    uint64_t random = 5;
    for (uint32_t i = 0; i < 400; i++) {
        uint8_t bytes[300];
        uint32_t size = any_below(&random, sizeof(bytes));
        for (uint32_t j = 0; j < size; j++) {
            bytes[j] = (uint8_t)any_u64(&random);
        }
        assert_int_equal(
            kn_rollback_receive(m.seats[1].rollback, m.now, 2, bytes, size), KN_ERROR_BAD_DATA);
        if (i % 40 == 0) {
            (void)heal_give(&m, 1 + i / 40 % 3);
        }
        match_turn(&m);
    }
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(kn_rollback_get_stats(m.seats[i].rollback).bad, 0);
    }
    expect_same(&m);
    match_end(&m);
}

// Memory -----------------------------------------------------------------------------------------

static kn_result open_twice(kn_rollback *rollback, purse *p, uint32_t peer)
{
    kn_result result = kn_rollback_open(rollback, 0, peer);
    if (result != KN_OK) {
        assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
        p->left = UINT32_MAX;
        result = kn_rollback_open(rollback, 0, peer);
    }
    return result;
}

// A match in which player 1 gets no memory from some allocation on, until something fails for it.
// False once it had enough for all of it.
static bool poor_match(uint32_t at, bool has_relay)
{
    match m;
    purse p = {.left = UINT32_MAX};
    kn_net_conditions conditions = {.latency = KN_MS(60), .loss = 0.05f};
    match_begin(&m, 2, has_relay, &conditions);
    m.hash_every = 10;
    wish w = {.players = 2, .window = 12, .hooks = purse_hooks(&p)};
    for (uint32_t i = 1; i <= 2; i++) {
        seat *s = &m.seats[i];
        s->world = duel_world(2, i == 1 ? &w.hooks : NULL);
        kn_rollback_def def = duel_def(&m, i, &w);
        size_t before = p.bytes;
        p.left = i == 1 ? at : p.left;
        kn_result result = kn_rollback_create(&def, &s->rollback);
        if (result != KN_OK) {
            assert_int_equal(result, KN_ERROR_OUT_OF_MEMORY);
            assert_null(s->rollback);
            assert_int_equal(p.bytes, before);
            p.left = UINT32_MAX;
            assert_int_equal(kn_rollback_create(&def, &s->rollback), KN_OK);
        }
    }
    assert_int_equal(open_twice(m.seats[1].rollback, &p, has_relay ? 0 : 2), KN_OK);
    assert_int_equal(kn_rollback_open(m.seats[2].rollback, 0, has_relay ? 0 : 1), KN_OK);
    for (uint32_t i = 1; i <= 2 && has_relay; i++) {
        assert_int_equal(kn_relay_open(m.relay, 0, i), KN_OK);
    }
    m.purse = &p;
    for (uint32_t i = 0; i < 12; i++) {
        for (uint32_t j = 1; j <= 2; j++) {
            kn_result result =
                kn_rollback_is_started(m.seats[j].rollback) ? heal_give(&m, j) : KN_OK;
            assert_true(result == KN_OK || (j == 1 && result == KN_ERROR_OUT_OF_MEMORY));
        }
        if (i == 6) { // a state is needed
            m.seats[3].watches = has_relay ? 0 : 1;
            m.seats[3].world = duel_world(0, NULL);
            kn_rollback_def def = match_def(&m, 3);
            assert_int_equal(kn_rollback_create(&def, &m.seats[3].rollback), KN_OK);
            assert_int_equal(
                kn_rollback_open(m.seats[3].rollback, m.now, m.seats[3].watches), KN_OK);
            if (has_relay) {
                assert_int_equal(kn_relay_open(m.relay, m.now, 3), KN_OK);
            } else {
                assert_int_equal(open_twice(m.seats[1].rollback, &p, 3), KN_OK);
            }
        }
        match_run(&m, KN_MS(100));
    }
    bool was_poor = p.left == 0 || m.failures > 0 || at == 0;
    bool is_over = p.left != UINT32_MAX && p.left > 0;
    p.left = UINT32_MAX;
    match_run(&m, KN_S(1));
    assert_int_equal(kn_rollback_closed(m.seats[1].rollback), KN_CLOSE_NONE);
    assert_int_equal(m.seats[1].desyncs + m.seats[2].desyncs, 0);
    assert_int_equal(m.seats[3].started, 1);
    expect_same(&m);
    match_end(&m);
    assert_int_equal(p.bytes, 0);
    (void)was_poor;
    return !is_over;
}

static void a_player_without_memory_loses_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t at = 0;
        while (poor_match(at, i == 1)) {
            at += 1 + at / 12;
            assert_true(at < 100000);
        }
        assert_true(at > 60);
    }
}

static void a_warm_tick_allocates_nothing(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        purse p = {.left = 1000000};
        wish w = {.players = 2, .has_relay = i == 1, .window = 12, .hooks = purse_hooks(&p)};
        w.conditions = (kn_net_conditions){.latency = KN_MS(60), .loss = 0.02f};
        duel_begin(&m, &w);
        uint32_t left = 0;
        for (uint32_t j = 0; j < 150; j++) {
            left = j == 100 ? p.left : left;
            (void)heal_give(&m, 1);
            (void)heal_give(&m, 2);
            match_run(&m, KN_MS(100));
        }
        kn_rollback_stats stats = kn_rollback_get_stats(m.seats[1].rollback);
        assert_true(stats.rollbacks > 100);
        assert_int_equal(p.left, left);
        match_end(&m);
    }
}

static int create_kit(void **state)
{
    (void)state;
    return session_kit_create(&kit, false) ? 0 : -1;
}

static int destroy_kit(void **state)
{
    (void)state;
    kn_library_destroy(kit.library);
    return 0;
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_command_acts_delay_ticks_later_on_all_machines),
    cmocka_unit_test(commands_of_one_tick_are_carried_out_in_order_of_players_on_late_lines),
    cmocka_unit_test(a_player_stalls_window_ticks_beyond_the_last_known_commands),
    cmocka_unit_test(the_match_starts_when_all_players_are_there),
    cmocka_unit_test(players_that_do_not_fit_are_refused_with_a_reason),
    cmocka_unit_test(the_others_go_on_when_a_player_leaves),
    cmocka_unit_test(a_player_who_freezes_for_too_long_is_dropped_and_learns_it),
    cmocka_unit_test(all_agree_on_the_greatest_tick_that_anybody_has),
    cmocka_unit_test(another_may_go_while_they_agree),
    cmocka_unit_test(hosts_may_wait_for_those_who_are_silent),
    cmocka_unit_test(a_changed_value_is_noticed_and_named),
    cmocka_unit_test(a_late_spectator_ends_equal_and_delays_nobody),
    cmocka_unit_test(a_spectator_that_fell_behind_gets_another_state),
    cmocka_unit_test(jumps_of_a_clock_are_survived),
    cmocka_unit_test(machines_run_at_the_same_pace),
    cmocka_unit_test(a_tick_takes_a_limited_number_of_commands),
    cmocka_unit_test(lines_that_make_no_sense_are_refused),
    cmocka_unit_test(another_version_is_refused),
    cmocka_unit_test(who_talks_nonsense_is_closed),
    cmocka_unit_test(nobody_gives_commands_for_others),
    cmocka_unit_test(numbers_out_of_range_are_counted_and_change_nothing),
    cmocka_unit_test(commands_that_make_no_sense_are_counted_and_ignored),
    cmocka_unit_test(damaged_datagrams_change_nothing),
    cmocka_unit_test(a_player_without_memory_loses_nothing),
    cmocka_unit_test(a_warm_tick_allocates_nothing),
};

TEST_GROUP(rollback_rules, tests, create_kit, destroy_kit);
