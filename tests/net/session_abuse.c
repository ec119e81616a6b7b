// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Players who send what they should not: numbers, ticks and questions that make no sense, and
// commands for what is not theirs any more. It has no effect, and is counted.

#include "session_game.h"

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    game_create(g, NULL);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game_destroy(*state);
    free(*state);
    return 0;
}

// A client that says what it is made to say ------------------------------------

typedef struct fake {
    kn_net_link *link;
    uint32_t connection;
    kn_entity_id hero;
} fake;

static void fake_turn(game *g, fake *f, const kn_writer *payload)
{
    uint8_t bytes[1200];
    size_t written;
    assert_int_equal(
        kn_net_link_write(f->link, g->now, payload != NULL ? payload->data : NULL,
            payload != NULL ? payload->length : 0, bytes, sizeof(bytes), &written, NULL),
        KN_OK);
    (void)kn_server_receive(g->server, g->now, f->connection, bytes, written);
    assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
    server_events(g);
    while (kn_server_write(g->server, g->now, f->connection, bytes, sizeof(bytes), &written) ==
           KN_OK) {
        kn_net_link_view view;
        assert_int_equal(kn_net_link_read(f->link, g->now, bytes, written, &view), KN_OK);
    }
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(f->link, &sequence, &was_received)) {
    }
    g->now += KN_MS(20);
}

static fake fake_join(game *g)
{
    fake f = {0};
    kn_net_link_def def = kn_net_link_def_default();
    assert_int_equal(kn_net_link_create(&def, &f.link), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &f.connection), KN_OK);
    uint8_t bytes[64];
    kn_writer hello = {bytes, sizeof(bytes), 0};
    kn_write_u8(&hello, WIRE_HELLO);
    kni_write_number(&hello, KN_SESSION_VERSION);
    kn_write_u64(&hello, kn_library_hash(g->kit.library));
    assert_int_equal(kn_net_link_send(f.link, bytes, hello.length), KN_OK);
    for (uint32_t i = 0; i < 5; i++) {
        fake_turn(g, &f, NULL);
    }
    assert_true(session_hero(&g->kit, g->world, f.connection, &f.hero));
    fake_turn(g, &f, NULL);
    assert_true(kn_server_get_stats(g->server, f.connection).is_joined);
    return f;
}

// A payload with copies of a command that heals, numbered from `sequence` on.
static void fake_commands(
    game *g, fake *f, uint64_t sequence, uint32_t count, uint64_t tick, kn_entity_id entity)
{
    uint8_t encoded[256], payload[1024];
    kn_command_activate activate;
    kn_command command = heal_command(g, entity, &activate);
    uint32_t size = kn_command_write(g->kit.library, &command, encoded, sizeof(encoded));
    assert_true(size > 0 && size <= sizeof(encoded));
    kn_writer out = {payload, sizeof(payload), 0};
    kni_write_number(&out, kn_server_tick(g->server));
    kni_write_number(&out, 0);
    kni_write_number(&out, sequence);
    kni_write_number(&out, count);
    for (uint32_t i = 0; i < count; i++) {
        kni_write_number(&out, tick);
        kni_write_number(&out, size);
        kn_write_bytes(&out, encoded, size);
    }
    assert_true(out.length <= out.size);
    fake_turn(g, f, &out);
}

static kn_server_stats stats_of(const game *g, const fake *f)
{
    return kn_server_get_stats(g->server, f->connection);
}

static float health_of(const game *g, const fake *f)
{
    return value_at(g->world, f->hero, g->kit.health);
}

// PID-006, PID-007, SNET-003, SAIV-038
static void numbers_that_are_zero_repeated_or_skipped_have_no_effect(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_join(g);
    fake_commands(g, &f, 0, 1, kn_server_tick(g->server), f.hero);
    fake_commands(g, &f, 2, 1, kn_server_tick(g->server), f.hero); // before the first
    fake_commands(g, &f, UINT32_MAX, 1, kn_server_tick(g->server), f.hero);
    fake_commands(g, &f, UINT64_MAX, 2, kn_server_tick(g->server), f.hero);
    fake_turn(g, &f, NULL);
    assert_int_equal(stats_of(g, &f).bad, 4);
    assert_int_equal(stats_of(g, &f).commands, 0);
    assert_float_equal(health_of(g, &f), 1000.0f, 0.0f);
    fake_commands(g, &f, 1, 1, kn_server_tick(g->server), f.hero);
    fake_turn(g, &f, NULL);
    assert_int_equal(stats_of(g, &f).commands, 1);
    assert_float_equal(health_of(g, &f), 1025.0f, 0.0f);
    for (uint32_t i = 0; i < 150; i++) { // longer than the cooldown
        fake_commands(g, &f, 1, 1, kn_server_tick(g->server), f.hero);
    }
    assert_int_equal(stats_of(g, &f).commands, 1);
    assert_int_equal(stats_of(g, &f).commands_repeated, 150);
    assert_int_equal(stats_of(g, &f).bad, 4);
    assert_float_equal(health_of(g, &f), 1025.0f, 0.0f);
    fake_commands(g, &f, 1, 2, kn_server_tick(g->server), f.hero); // one old, one new
    fake_turn(g, &f, NULL);
    assert_int_equal(stats_of(g, &f).commands, 2);
    assert_float_equal(health_of(g, &f), 1050.0f, 0.0f);
    kn_net_link_destroy(f.link);
}

// SNET-003
static void commands_for_ticks_long_past_or_far_ahead_are_refused_and_counted(void **state)
{
    game *g = *state;
    kn_server_def def = game_server_def(g);
    def.command_age = KN_S(1);
    game_begin(g, &def);
    fake f = fake_join(g);
    for (uint32_t i = 0; i < 100; i++) {
        fake_turn(g, &f, NULL);
    }
    uint64_t tick = kn_server_tick(g->server);
    const uint64_t bad[] = {0, tick - 70, tick + 200, UINT64_MAX, (uint64_t)1 << 40};
    for (uint32_t i = 0; i < 5; i++) {
        fake_commands(g, &f, 1 + i, 1, bad[i], f.hero);
    }
    for (uint32_t i = 0; i < 20; i++) {
        fake_turn(g, &f, NULL);
    }
    assert_int_equal(stats_of(g, &f).commands_refused, 5);
    assert_int_equal(stats_of(g, &f).commands, 0);
    assert_float_equal(health_of(g, &f), 1000.0f, 0.0f);
    tick = kn_server_tick(g->server);
    fake_commands(g, &f, 6, 1, tick - 30, f.hero); // late, but not too late
    fake_turn(g, &f, NULL);
    assert_int_equal(stats_of(g, &f).commands, 1);
    assert_int_equal(stats_of(g, &f).commands_late, 1);
    assert_float_equal(health_of(g, &f), 1025.0f, 0.0f);
    kn_net_link_destroy(f.link);
}

// SNET-003
static void commands_for_what_belongs_to_others_or_is_not_there_are_refused(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_join(g), other = fake_join(g);
    kn_entity_id free_one;
    assert_true(session_hero(&g->kit, g->world, 0, &free_one));
    const kn_entity_id targets[] = {other.hero, free_one, {.index1 = 77, .generation = 5}, {0},
        {.index1 = UINT32_MAX, .generation = UINT32_MAX}};
    for (uint32_t i = 0; i < 5; i++) {
        fake_commands(g, &f, 1 + i, 1, kn_server_tick(g->server), targets[i]);
        fake_turn(g, &f, NULL);
    }
    assert_float_equal(health_of(g, &other), 1000.0f, 0.0f);
    assert_float_equal(value_at(g->world, free_one, g->kit.health), 1000.0f, 0.0f);
    assert_int_equal(stats_of(g, &f).commands + stats_of(g, &f).commands_refused, 5);
    assert_int_equal(kn_server_get_stats(g->server, f.connection).is_joined, true);
    kn_net_link_destroy(f.link);
    kn_net_link_destroy(other.link);
}

static void asking_for_everything_again_and_again_ends_the_connection(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_join(g);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    uint8_t bytes[32];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, WIRE_RESYNC);
    kni_write_number(&out, RESYNC_ALL);
    kni_write_number(&out, UINT64_MAX >> 1);
    kn_write_u8(&out, 1);
    bool was_closed = false;
    for (uint32_t i = 0; i < 200 && !was_closed; i++) {
        for (uint32_t j = 0; j < 100; j++) {
            kn_result result = kn_net_link_send(f.link, bytes, out.length);
            assert_true(result == KN_OK || result == KN_REFUSED_LIMIT);
        }
        fake_turn(g, &f, NULL);
        was_closed = g->left > 0;
    }
    assert_true(was_closed);
    assert_int_equal(g->last_left.reason, KN_CLOSE_ABUSE);
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
    command_heal(g, p, p->hero);
    run(g, KN_S(1));
    assert_int_equal(p->answer.result, KN_OK);
    kn_net_link_destroy(f.link);
}

// Honest clients on bad lines ---------------------------------------------------

// PID-012, SNET-004: what is commanded in one frame is carried out in one tick, in order, and the
// answers come in order, whatever the line does.
static void commands_and_answers_keep_their_order_on_a_bad_line(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    kn_net_conditions bad = {
        .latency = KN_MS(60), .jitter = KN_MS(40), .loss = 0.2f, .duplicate = 0.2f};
    assert_int_equal(kn_net_sim_set_all(g->net, &bad), KN_OK);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(3));
    uint32_t next = 1, sent = 0;
    uint64_t first_tick = 0;
    for (uint32_t i = 0; i < 300; i++) {
        if (i % 10 == 0 && i < 250) { // two in one frame: the second is refused, always
            sent = command_heal(g, p, p->hero);
            sent = command_heal(g, p, p->hero);
        }
        server_turn(g);
        uint8_t buffer[2048];
        size_t size;
        while (
            kn_net_sim_receive(g->net, g->now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
            (void)kn_client_receive(p->client, g->now, buffer, size);
        }
        assert_int_equal(kn_client_update(p->client, g->now), KN_OK);
        kn_client_event event;
        while (kn_client_next_event(p->client, &event)) {
            if (event.kind != KN_CLIENT_ANSWER) {
                continue;
            }
            assert_int_equal(event.sequence, next++);
            if (event.sequence % 2 == 0) {
                assert_int_equal(event.tick, first_tick);
                assert_int_equal(event.result, KN_REFUSED_COOLDOWN);
            }
            first_tick = event.tick;
        }
        while (kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 1, 0, buffer, size), KN_OK);
        }
        g->now += KN_MS(20);
    }
    assert_int_equal(sent, 50);
    assert_int_equal(next, 51);
}

// PID-013
static void what_was_commanded_before_control_was_lost_is_refused_and_undone(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(80), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    command_heal(g, p, p->hero);
    run(g, KN_MS(15));
    assert_int_equal(p->healed, 1); // here
    assert_int_equal(kn_entity_set_connection(g->world, p->hero, 0), KN_OK);
    run(g, KN_S(1));
    assert_int_equal(p->answers, 1);
    assert_int_not_equal(p->answer.result, KN_OK);
    assert_true(p->revoked > 0);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1000.0f, 0.0f);
    assert_float_equal(value_at(kn_client_world(p->client), p->hero, g->kit.health), 1000.0f, 0.0f);
}

// PID-013: commands that wait when their player goes are not carried out.
static void commands_of_a_player_who_is_gone_are_dropped(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_join(g);
    fake_commands(g, &f, 1, 1, kn_server_tick(g->server) + 60, f.hero);
    assert_true(kn_server_close(g->server, f.connection, KN_CLOSE_HOST));
    for (uint32_t i = 0; i < 150; i++) {
        fake_turn(g, &f, NULL);
    }
    assert_float_equal(health_of(g, &f), 1000.0f, 0.0f);
    kn_net_link_destroy(f.link);
}

// PID-007: numbers begin at 1 and go on when the hero is another one.
static void numbers_go_on_when_the_hero_comes_back_to_life(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    assert_int_equal(command_heal(g, p, p->hero), 1);
    run(g, KN_S(1));
    assert_true(kn_entity_destroy(g->world, p->hero));
    assert_true(session_hero(&g->kit, g->world, p->connection, &p->hero));
    run(g, KN_S(1));
    assert_int_equal(command_heal(g, p, p->hero), 2);
    run(g, KN_S(1));
    assert_int_equal(p->answer.sequence, 2);
    assert_int_equal(p->answer.result, KN_OK);
}

// Memory ------------------------------------------------------------------------

// A life with everything that a server does for its players, with memory that runs out. Says
// whether the player could play on.
static bool poor_life(game *g, uint32_t left)
{
    kn_server_def def = game_server_def(g);
    def.hooks = purse_hooks(&g->purse);
    kn_client_def client = game_client_def(g);
    client.hooks = purse_hooks(&g->purse);
    g->purse.left = UINT32_MAX;
    game_begin(g, &def);
    peer *p = add_client(g, 0, &client);
    uint8_t buffer[2048];
    size_t size;
    uint32_t local = 0;
    for (uint32_t i = 0; i < 80; i++) {
        g->purse.left = i >= 20 ? left : UINT32_MAX;
        if (i == 25) {
            kn_result opened = kn_server_open_local(g->server, g->now, 3, &local);
            assert_true(opened == KN_OK || opened == KN_ERROR_OUT_OF_MEMORY);
        }
        if (i % 10 == 0 && p->hero.index1 != 0 && kn_client_world(p->client) != NULL) {
            kn_command_activate payload;
            kn_command command = heal_command(g, p->hero, &payload);
            kn_result result = kn_client_command(p->client, &command, NULL, NULL);
            assert_true(result == KN_OK || kn_result_is_refused(result) ||
                        result == KN_ERROR_OUT_OF_MEMORY);
            result = local != 0 ? kn_server_command(g->server, local, &command, NULL, NULL) : KN_OK;
            assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
        }
        if (i == 40 || i == 50) {
            assert_true(kn_server_pause(g->server, i == 40));
        }
        if (i == 60) {
            (void)kn_server_set_mode(g->server, p->hero, KN_SYNC_MODE_MINIMAL);
        }
        while (
            kn_net_sim_receive(g->net, g->now, 0, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
            (void)kn_server_receive(g->server, g->now, p->connection, buffer, size);
        }
        kn_result result = kn_server_update(g->server, g->now);
        assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
        server_events(g);
        while (kn_server_write(g->server, g->now, p->connection, buffer, sizeof(buffer), &size) ==
               KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, 1, buffer, size), KN_OK);
        }
        while (
            kn_net_sim_receive(g->net, g->now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
            (void)kn_client_receive(p->client, g->now, buffer, size);
        }
        result = kn_client_update(p->client, g->now);
        assert_true(
            result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
        client_events(g, p);
        while (kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 1, 0, buffer, size), KN_OK);
        }
        g->now += KN_MS(20);
    }
    g->purse.left = UINT32_MAX;
    bool can_play = kn_client_closed(p->client) == KN_CLOSE_NONE &&
                    kn_client_world(p->client) != NULL &&
                    !kn_world_is_broken(kn_client_world(p->client));
    if (can_play) {
        uint32_t answers = p->answers;
        run(g, KN_S(3));
        command_heal(g, p, p->hero);
        run(g, KN_S(1));
        assert_true(p->answers > answers);
        assert_int_equal(p->answer.result, KN_OK);
        assert_int_equal(kn_effects_count(kn_client_world(p->client), p->hero), 0);
    }
    if (p->hero.index1 != 0) {
        assert_true(kn_entity_destroy(g->world, p->hero));
    }
    kn_client_destroy(p->client);
    kn_server_destroy(g->server);
    g->server = NULL;
    *p = (peer){0};
    assert_int_equal(g->purse.bytes, 0);
    kn_world_set_connection(g->world, 0);
    kn_net_sim_destroy(g->net);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS + 1;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    return can_play;
}

static void memory_that_runs_out_costs_no_player_its_place(void **state)
{
    game *g = *state;
    uint32_t could_play = 0;
    for (uint32_t left = 0; left < 24; left++) {
        could_play += poor_life(g, left);
    }
    assert_int_equal(could_play, 24);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(numbers_that_are_zero_repeated_or_skipped_have_no_effect),
    TEST(commands_for_ticks_long_past_or_far_ahead_are_refused_and_counted),
    TEST(commands_for_what_belongs_to_others_or_is_not_there_are_refused),
    TEST(asking_for_everything_again_and_again_ends_the_connection),
    TEST(commands_and_answers_keep_their_order_on_a_bad_line),
    TEST(what_was_commanded_before_control_was_lost_is_refused_and_undone),
    TEST(commands_of_a_player_who_is_gone_are_dropped),
    TEST(numbers_go_on_when_the_hero_comes_back_to_life),
    TEST(memory_that_runs_out_costs_no_player_its_place),
};

TEST_GROUP(session_abuse, tests, NULL, NULL);
