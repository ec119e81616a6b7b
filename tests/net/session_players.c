// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The players of a server: who may come with which library, who comes back, who only watches, who
// plays at the server itself, and what happens while the game is paused.

#include "session_game.h"

#include "net/compare.h"

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

// Libraries -----------------------------------------------------------------

typedef enum change {
    CHANGE_NONE,
    CHANGE_VALUE,  // another number in an effect
    CHANGE_NAME,   // a tag that is called otherwise
    CHANGE_MORE,   // one more effect
    CHANGE_LESS,   // no ability
    CHANGE_NO_DEF, // something that no definition has
} change;

static kn_library *library_create(change what)
{
    session_kit kit = {0};
    kn_library_def def = kn_library_def_default();
    assert_int_equal(kn_library_create(&def, &kit.library), KN_OK);
    assert_true(session_sets(&kit) && session_effects(&kit));
    assert_true(what == CHANGE_LESS || session_ability(&kit));
    kn_tag_def tag = kn_tag_def_default();
    tag.name = what == CHANGE_NAME ? "State.Damned" : "State.Doomed";
    kn_tag doomed;
    assert_int_equal(kn_tag_register(kit.library, &tag, &doomed, NULL), KN_OK);
    kn_effect_def effect = kn_effect_def_default();
    effect.name = "Doom";
    effect.duration_kind = KN_DURATION_TIMED;
    effect.duration = kn_magnitude_constant(what == CHANGE_VALUE ? 3.5f : 3.0f);
    kn_effect_type_id type;
    assert_int_equal(kn_effect_register(kit.library, &effect, &type, NULL), KN_OK);
    if (what == CHANGE_MORE) {
        effect.name = "Gloom";
        assert_int_equal(kn_effect_register(kit.library, &effect, &type, NULL), KN_OK);
    }
    if (what == CHANGE_NO_DEF) {
        assert_int_equal(kn_library_add_hash(kit.library, 5), KN_OK);
    }
    assert_int_equal(kn_library_finish(kit.library, NULL), KN_OK);
    return kit.library;
}

// What both sides hear when a server with one library gets a client with another.
static void expect_difference(game *g, change there, change here, const char *text)
{
    kn_library *client_library = library_create(there), *server_library = library_create(here);
    kn_world *own = g->world;
    kn_world_def world = kn_world_def_default();
    world.library = server_library;
    assert_int_equal(kn_world_create(&world, &g->world), KN_OK);
    game_begin(g, NULL);
    kn_client_def def = game_client_def(g);
    def.library = client_library;
    peer *p = add_client(g, 0, &def);
    g->strangers = 0;
    run(g, KN_S(3));
    assert_int_equal(g->joined, 0);
    assert_int_equal(g->left, 0);
    assert_int_equal(p->closed, 1);
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_LIBRARY);
    assert_int_equal(g->strangers, 1);
    assert_int_equal(g->last_left.reason, KN_CLOSE_LIBRARY);
    assert_string_equal(p->closed_text, text);
    assert_string_equal(g->left_text, text);
    kn_client_destroy(p->client);
    *p = (peer){0};
    kn_server_destroy(g->server);
    g->server = NULL;
    kn_world_destroy(g->world);
    g->world = own;
    kn_library_destroy(client_library);
    kn_library_destroy(server_library);
}

static void libraries_that_differ_are_named_on_both_sides(void **state)
{
    game *g = *state;
    set_network(g, KN_MS(30), 0.1f);
    expect_difference(g, CHANGE_VALUE, CHANGE_NONE, "effect `Doom` differs");
    expect_difference(g, CHANGE_MORE, CHANGE_NONE, "effect `Gloom` is only on the client");
    expect_difference(g, CHANGE_NONE, CHANGE_MORE, "effect `Gloom` is only on the server");
    expect_difference(g, CHANGE_LESS, CHANGE_NONE, "ability `Heal` is only on the server");
    expect_difference(g, CHANGE_NONE, CHANGE_LESS, "ability `Heal` is only on the client");
    expect_difference(g, CHANGE_NAME, CHANGE_NONE,
        "tag 3 is `State.Doomed` on the server and `State.Damned` on the client");
    expect_difference(g, CHANGE_NO_DEF, CHANGE_NONE,
        "all definitions are equal: starting values, tags of reasons, redirects or scripts differ");
}

// A stranger that answers with nonsense is closed, and never gets more bytes than it sent.
static void a_stranger_that_answers_nonsense_is_closed(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    for (uint32_t kind = 0; kind < 4; kind++) {
        kn_net_link_def def = kn_net_link_def_default();
        kn_net_link *link;
        uint32_t connection;
        assert_int_equal(kn_net_link_create(&def, &link), KN_OK);
        assert_int_equal(kn_server_open(g->server, g->now, &connection), KN_OK);
        uint8_t hello[] = {WIRE_HELLO, KN_SESSION_VERSION, 1, 2, 3, 4, 5, 6, 7, 8};
        const uint8_t answers[4][8] = {{WIRE_LIBRARY, COMPARE_DEFS},
            {WIRE_LIBRARY, COMPARE_KINDS, 1}, {WIRE_LIBRARY, 200, 1, 1},
            // a kind that there cannot be, in two bytes
            {WIRE_LIBRARY, COMPARE_KINDS, 0x80 | (KN_DEF_KIND_END & 0x7f), KN_DEF_KIND_END >> 7, 1,
                1, 1, 1}};
        uint64_t sent = 0, received = 0;
        assert_int_equal(kn_net_link_send(link, hello, sizeof(hello)), KN_OK);
        for (uint32_t turn = 0; turn < 20; turn++) {
            uint8_t bytes[1200];
            size_t size;
            assert_int_equal(
                kn_net_link_write(link, g->now, NULL, 0, bytes, sizeof(bytes), &size, NULL), KN_OK);
            sent += size;
            (void)kn_server_receive(g->server, g->now, connection, bytes, size);
            assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
            server_events(g);
            while (kn_server_write(g->server, g->now, connection, bytes, sizeof(bytes), &size) ==
                   KN_OK) {
                kn_net_link_view view;
                received += size;
                assert_int_equal(kn_net_link_read(link, g->now, bytes, size, &view), KN_OK);
            }
            if (turn == 4) {
                assert_int_equal(
                    kn_net_link_send(link, answers[kind], sizeof(answers[kind])), KN_OK);
            }
            g->now += KN_MS(20);
        }
        assert_true(received <= sent);
        assert_int_equal(g->last_left.reason, KN_CLOSE_LIBRARY);
        assert_int_equal(g->strangers, kind + 1);
        kn_net_link_destroy(link);
        g->now += KN_S(2);
    }
    assert_int_equal(g->joined, 0);
}

static void a_connection_that_never_says_hello_does_not_keep_its_place(void **state)
{
    game *g = *state;
    kn_server_def def = game_server_def(g);
    def.connection_limit = 1;
    def.timeout = KN_S(1);
    game_begin(g, &def);
    kn_net_link_def link_def = kn_net_link_def_default();
    kn_net_link *link;
    uint32_t connection, other;
    assert_int_equal(kn_net_link_create(&link_def, &link), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &connection), KN_OK);
    for (uint32_t turn = 0; turn < 150; turn++) { // it talks all the time
        uint8_t bytes[1200];
        size_t size;
        assert_int_equal(
            kn_net_link_write(link, g->now, NULL, 0, bytes, sizeof(bytes), &size, NULL), KN_OK);
        (void)kn_server_receive(g->server, g->now, connection, bytes, size);
        assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
        g->now += KN_MS(20);
    }
    assert_int_equal(kn_server_open(g->server, g->now, &other), KN_OK);
    kn_net_link_destroy(link);
}

static void the_host_says_why_it_closes_a_connection(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    assert_true(kn_server_close_with(g->server, p->connection, KN_CLOSE_HOST, "no\tcheating"));
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_LEFT);
    assert_string_equal(p->closed_text, "no?cheating");
    assert_string_equal(g->left_text, "no\tcheating");
    assert_false(kn_server_close_with(g->server, p->connection, KN_CLOSE_HOST, "again"));
    char text[400];
    memset(text, 'x', sizeof(text));
    text[399] = 0;
    p->connection = 0;
    p = add_client(g, 1, NULL);
    run(g, KN_S(1));
    assert_true(kn_server_close_with(g->server, p->connection, KN_CLOSE_REFUSED, text));
    run(g, KN_S(1));
    assert_int_equal(strlen(p->closed_text), KN_CLOSE_TEXT_MAX - 1);
}

// Coming back ---------------------------------------------------------------

// The first byte of a hello is the player, the second whether it only watches.
static void admit(void *user, uint32_t connection, const void *hello, uint32_t size,
    kn_server_admission *admission)
{
    const uint8_t *bytes = hello;
    (void)user;
    (void)connection;
    assert_true(admission->is_accepted);
    assert_int_equal(admission->player, 0);
    admission->player = size > 0 ? bytes[0] : 0;
    admission->is_spectator = size > 1 && bytes[1] != 0;
    if (admission->player == 66) {
        admission->is_accepted = false;
        memcpy(admission->text, "banned", 7);
    }
}

static peer *add_player(game *g, uint32_t index, uint8_t player, bool is_spectator)
{
    uint8_t hello[2] = {player, is_spectator};
    kn_client_def def = game_client_def(g);
    def.hello = hello;
    def.hello_size = 2;
    def.timeout = KN_S(2);
    return add_client(g, index, &def);
}

static kn_server_def admitting_def(const game *g)
{
    kn_server_def def = game_server_def(g);
    def.admit = admit;
    def.timeout = KN_S(1);
    def.keep_time = KN_S(5);
    return def;
}

static void a_player_who_is_not_admitted_hears_why(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    peer *p = add_player(g, 0, 66, false);
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_REFUSED);
    assert_string_equal(p->closed_text, "banned");
    assert_int_equal(g->joined, 0);
}

static void a_lost_player_comes_back_to_what_it_controlled(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    set_network(g, KN_MS(20), 0.0f);
    peer *p = add_player(g, 0, 7, false), *other = add_player(g, 1, 8, false);
    run(g, KN_S(1));
    assert_int_equal(kn_server_player(g->server, p->connection), 7);
    command_heal(g, p, p->hero);
    run(g, KN_MS(500));
    assert_int_equal(p->answer.sequence, 1);
    p->is_stopped = true;
    run(g, KN_S(3));
    assert_int_equal(g->left, 1);
    assert_int_equal(g->last_left.reason, KN_CLOSE_TIMEOUT);
    assert_int_equal(g->last_left.player, 7);
    assert_true(g->last_left.is_kept);
    uint32_t number = p->connection;
    assert_int_equal(kn_entity_connection(g->world, p->hero), number);
    assert_int_equal(kn_server_player(g->server, number), 0); // nobody is there
    p->connection = 0;
    peer *back = add_player(g, 2, 7, false);
    assert_int_not_equal(back->connection, number);
    run(g, KN_S(1));
    assert_int_equal(g->joined, 3);
    assert_true(g->last_joined.is_back);
    assert_int_equal(g->last_joined.former, number);
    assert_int_equal(g->last_joined.player, 7);
    assert_int_equal(kn_entity_connection(g->world, p->hero), back->connection);
    assert_int_equal(kn_entity_connection(g->world, other->hero), other->connection);
    run(g, KN_S(2));
    command_heal(g, back, p->hero);
    run(g, KN_MS(500));
    assert_int_equal(back->answer.sequence, 1); // they begin anew
    assert_int_equal(back->answer.result, KN_OK);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1050.0f, 0.0f);
    run(g, KN_S(6));
    assert_int_equal(g->expired, 0);
}

static void a_place_is_kept_for_a_time_only(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    peer *p = add_player(g, 0, 7, false);
    run(g, KN_S(1));
    uint32_t number = p->connection;
    kn_client_leave(p->client);
    run(g, KN_S(1));
    assert_int_equal(g->left, 1);
    assert_int_equal(g->last_left.reason, KN_CLOSE_LEFT);
    assert_true(g->last_left.is_kept);
    p->connection = 0;
    peer *other = add_player(g, 1, 9, false);
    assert_int_not_equal(other->connection, number); // it is not for others
    run(g, KN_S(5));
    assert_int_equal(g->expired, 1);
    assert_int_equal(g->last_expired.connection, number);
    assert_int_equal(g->last_expired.player, 7);
    assert_int_equal(kn_entity_connection(g->world, p->hero), number);
    assert_int_equal(kn_entity_set_connection(g->world, p->hero, 0), KN_OK);
    peer *late = add_player(g, 2, 7, false);
    run(g, KN_S(1));
    assert_false(g->last_joined.is_back);
    assert_int_equal(kn_entity_connection(g->world, p->hero), 0);
    assert_true(kn_entity_is_alive(kn_client_world(late->client), late->hero));
}

static void players_without_a_number_and_those_who_were_closed_have_no_place(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    peer *p = add_player(g, 0, 0, false), *q = add_player(g, 1, 5, false);
    run(g, KN_S(1));
    kn_client_leave(p->client);
    run(g, KN_S(1));
    assert_false(g->last_left.is_kept);
    assert_true(kn_server_close(g->server, q->connection, KN_CLOSE_HOST));
    run(g, KN_S(1));
    assert_int_equal(g->left, 2);
    assert_false(g->last_left.is_kept);
    run(g, KN_S(6));
    assert_int_equal(g->expired, 0);
}

static void a_second_connection_of_a_player_takes_over(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    set_network(g, KN_MS(30), 0.0f);
    peer *p = add_player(g, 0, 7, false);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 3; i++) {
        command_heal(g, p, p->hero); // on their way when it is replaced
    }
    peer *q = add_player(g, 1, 7, false);
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_REPLACED);
    assert_int_equal(g->left, 1);
    assert_int_equal(g->last_left.reason, KN_CLOSE_REPLACED);
    assert_true(g->last_left.is_kept);
    assert_true(g->last_joined.is_back);
    assert_int_equal(g->last_joined.former, p->connection);
    assert_int_equal(kn_entity_connection(g->world, p->hero), q->connection);
    assert_int_equal(kn_client_closed(q->client), KN_CLOSE_NONE);
    assert_int_equal(kn_entity_count(kn_client_world(q->client)), 1);
    run(g, KN_S(7));
    assert_int_equal(g->expired, 0);
    command_heal(g, q, p->hero);
    run(g, KN_S(1));
    assert_int_equal(q->answer.result, KN_OK);
}

static void a_second_connection_is_refused_if_the_host_wants_it_so(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    def.second_connection = KN_SECOND_REFUSED;
    game_begin(g, &def);
    peer *p = add_player(g, 0, 7, false);
    run(g, KN_S(1));
    peer *q = add_player(g, 1, 7, false);
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(q->client), KN_CLOSE_DUPLICATE);
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
    assert_int_equal(g->joined, 1);
    assert_int_equal(g->left, 0);
    assert_int_equal(kn_entity_connection(g->world, p->hero), p->connection);
}

static void kept_places_take_no_room_from_others(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    def.connection_limit = 2;
    def.keep_time = KN_S(100);
    game_begin(g, &def);
    for (uint32_t i = 0; i < 6; i++) { // each comes and leaves
        peer *p = add_player(g, i, (uint8_t)(i + 1), false);
        run(g, KN_S(1));
        assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
        kn_client_leave(p->client);
        run(g, KN_MS(1200));
        p->connection = 0;
    }
    assert_int_equal(g->joined, 6);
    assert_int_equal(g->expired, 2); // no more than twice as many are remembered
    assert_int_equal(g->last_expired.player, 2);
    peer *p = add_player(g, 6, 6, false), *q = add_player(g, 7, 5, false);
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
    assert_int_equal(kn_client_closed(q->client), KN_CLOSE_NONE);
    assert_true(g->last_joined.is_back);
    uint32_t connection;
    assert_int_equal(kn_server_open(g->server, g->now, &connection), KN_REFUSED_LIMIT);
}

// Spectators ----------------------------------------------------------------

static void a_spectator_sees_everything_and_commands_nothing(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    peer *p = add_player(g, 0, 1, false), *watcher = add_player(g, 1, 2, true);
    run(g, KN_S(1));
    assert_true(g->last_joined.is_spectator);
    assert_true(kn_client_is_spectator(watcher->client));
    assert_false(kn_client_is_spectator(p->client));
    assert_true(kn_server_get_stats(g->server, watcher->connection).is_spectator);
    command_heal(g, p, p->hero);
    run(g, KN_MS(500));
    assert_float_equal(
        value_at(kn_client_world(watcher->client), p->hero, g->kit.health), 1025.0f, 0.0f);
    kn_command_activate payload;
    kn_command command = heal_command(g, p->hero, &payload);
    assert_int_equal(kn_client_command(watcher->client, &command, NULL, NULL), KN_REFUSED_BLOCKED);
    kn_client_leave(watcher->client);
    run(g, KN_S(1));
    assert_false(g->last_left.is_kept);
}

// A spectator whose client does not know that it is one.
static void commands_of_a_spectator_are_refused_and_counted(void **state)
{
    game *g = *state;
    kn_server_def def = admitting_def(g);
    game_begin(g, &def);
    kn_net_link_def link_def = kn_net_link_def_default();
    kn_net_link *link;
    uint32_t connection;
    assert_int_equal(kn_net_link_create(&link_def, &link), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &connection), KN_OK);
    uint8_t bytes[1200];
    kn_writer hello = {bytes, sizeof(bytes), 0};
    kn_write_u8(&hello, WIRE_HELLO);
    kni_write_number(&hello, KN_SESSION_VERSION);
    kn_write_u64(&hello, kn_library_hash(g->kit.library));
    kn_write_u8(&hello, 3);
    kn_write_u8(&hello, 1);
    assert_int_equal(kn_net_link_send(link, bytes, hello.length), KN_OK);
    kn_command_release release = {.input = 1};
    kn_command command = {
        .type = kn_command_type_release(), .payload = &release, .size = sizeof(release)};
    uint8_t encoded[64];
    uint32_t encoded_size = kn_command_write(g->kit.library, &command, encoded, sizeof(encoded));
    assert_true(encoded_size > 0 && encoded_size <= sizeof(encoded));
    for (uint32_t i = 0; i < 10; i++) {
        uint8_t payload[128];
        kn_writer out = {payload, sizeof(payload), 0};
        kni_write_number(&out, kn_server_tick(g->server));
        kni_write_number(&out, 0);
        kni_write_number(&out, 1);
        kni_write_number(&out, 1);
        kni_write_number(&out, kn_server_tick(g->server));
        kni_write_number(&out, encoded_size);
        kn_write_bytes(&out, encoded, encoded_size);
        size_t size;
        assert_int_equal(kn_net_link_write(link, g->now, payload, i > 0 ? out.length : 0, bytes,
                             sizeof(bytes), &size, NULL),
            KN_OK);
        (void)kn_server_receive(g->server, g->now, connection, bytes, size);
        assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
        server_events(g);
        g->now += KN_MS(20);
    }
    kn_server_stats stats = kn_server_get_stats(g->server, connection);
    assert_true(stats.is_joined && stats.is_spectator);
    assert_int_equal(stats.commands_refused, 1); // the same one, again and again
    assert_int_equal(stats.commands, 0);
    kn_net_link_destroy(link);
}

// Pauses --------------------------------------------------------------------

static void a_pause_stops_all_and_everybody_goes_on_together(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(50), 0.1f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    afflict(g, p->hero, g->kit.burning);
    run(g, KN_S(1));
    assert_true(kn_server_pause(g->server, true));
    assert_true(kn_server_is_paused(g->server));
    uint64_t tick = kn_server_tick(g->server);
    run(g, KN_S(1));
    assert_int_equal(p->paused, 1);
    assert_true(kn_client_is_paused(p->client));
    uint64_t client_tick = kn_client_tick(p->client);
    float health = value_at(g->world, p->hero, g->kit.health);
    kn_command_activate payload;
    kn_command command = heal_command(g, p->hero, &payload);
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_REFUSED_BLOCKED);
    run(g, KN_S(30)); // longer than the timeout
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
    assert_int_equal(g->left, 0);
    assert_int_equal(kn_server_tick(g->server), tick);
    assert_int_equal(kn_client_tick(p->client), client_tick);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), health, 0.0f);
    assert_true(kn_server_pause(g->server, false));
    run(g, KN_S(2));
    assert_int_equal(p->resumed, 1);
    assert_false(kn_client_is_paused(p->client));
    uint64_t ticks = kn_server_tick(g->server) - tick;
    assert_true(ticks >= 118 && ticks <= 121); // nothing to catch up
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_true(stats.lead > 0 && stats.lead < 30);
    command_heal(g, p, p->hero);
    run(g, KN_S(1));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->answer.result, KN_OK);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).commands_late, 0);
}

static void commands_on_their_way_wait_for_the_end_of_a_pause(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(60), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    command_heal(g, p, p->hero);
    run(g, KN_MS(10));
    assert_true(kn_server_pause(g->server, true));
    run(g, KN_S(2));
    assert_int_equal(p->answers, 0);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1000.0f, 0.0f);
    assert_true(kn_server_pause(g->server, false));
    run(g, KN_S(1));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->answer.result, KN_OK);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1025.0f, 0.0f);
    assert_int_equal(p->healed, 1);
    assert_int_equal(p->revoked, 0);
}

static void players_join_and_leave_during_a_pause(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(20), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    assert_true(kn_server_pause(g->server, true));
    run(g, KN_S(1));
    peer *q = add_client(g, 1, NULL);
    run(g, KN_S(2));
    assert_int_equal(g->joined, 2);
    assert_true(kn_client_is_paused(q->client));
    assert_non_null(kn_client_world(q->client));
    assert_int_equal(kn_entity_count(kn_client_world(q->client)), 2);
    assert_true(kn_entity_is_alive(kn_client_world(q->client), q->hero));
    assert_true(kn_entity_is_alive(kn_client_world(p->client), q->hero));
    assert_int_equal(kn_client_send(q->client, "hi", 2), KN_OK);
    run(g, KN_S(1));
    assert_int_equal(g->server_messages, 1);
    kn_client_leave(p->client);
    run(g, KN_S(1));
    assert_int_equal(g->left, 1);
    assert_true(kn_server_pause(g->server, false));
    run(g, KN_S(1));
    command_heal(g, q, q->hero);
    run(g, KN_S(1));
    assert_int_equal(q->answer.result, KN_OK);
    assert_float_equal(value_at(kn_client_world(q->client), q->hero, g->kit.health), 1025.0f, 0.0f);
}

// A listen server -----------------------------------------------------------

static void count_event(void *user, kn_world *world, const kn_event *event)
{
    (void)world;
    (void)event;
    (*(uint32_t *)user)++;
}

static void listen_for(game *g, kn_event_type type, uint32_t *count)
{
    kn_listener_def def = kn_listener_def_default();
    def.type = type;
    def.tag = type == KN_EVENT_TAG_CHANGED ? g->kit.blessed : def.tag;
    def.function = count_event;
    def.user = count;
    assert_int_equal(kn_listener_add(g->world, &def, NULL), KN_OK);
}

static void the_host_of_a_server_plays_too(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL);
    uint32_t local, again, sequence;
    assert_int_equal(kn_server_open_local(g->server, g->now, 4, &local), KN_OK);
    assert_int_equal(kn_world_connection(g->world), local);
    assert_int_equal(kn_server_open_local(g->server, g->now, 4, &again), KN_REFUSED_DUPLICATE);
    assert_int_equal(kn_server_player(g->server, local), 4);
    run(g, KN_S(1));
    assert_int_equal(g->joined, 2);
    kn_entity_id hero;
    assert_true(session_hero(&g->kit, g->world, local, &hero));
    run(g, KN_S(1));
    uint32_t committed = 0;
    listen_for(g, KN_EVENT_ABILITY_COMMITTED, &committed);
    kn_command_activate payload;
    kn_command command = heal_command(g, hero, &payload);
    assert_int_equal(kn_server_command(g->server, local, &command, &sequence, NULL), KN_OK);
    assert_int_equal(sequence, 1);
    run(g, KN_MS(100));
    assert_int_equal(g->local_answers, 1);
    assert_int_equal(g->local_answer.connection, local);
    assert_int_equal(g->local_answer.sequence, 1);
    assert_int_equal(g->local_answer.result, KN_OK);
    assert_int_equal(committed, 1);
    assert_float_equal(value_at(g->world, hero, g->kit.health), 1025.0f, 0.0f);
    assert_int_equal(kn_server_command(g->server, local, &command, NULL, NULL), KN_OK);
    run(g, KN_MS(500));
    assert_int_equal(g->local_answer.result, KN_REFUSED_COOLDOWN);
    assert_int_equal(g->local_answer.reasons, KN_FAIL_COOLDOWN);
    assert_int_equal(g->local_lines, 1);
    assert_float_equal(value_at(kn_client_world(p->client), hero, g->kit.health), 1025.0f, 0.0f);
    command = heal_command(g, p->hero, &payload); // not its own
    assert_int_equal(kn_server_command(g->server, local, &command, NULL, NULL), KN_OK);
    run(g, KN_MS(100));
    assert_int_not_equal(g->local_answer.result, KN_OK);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1000.0f, 0.0f);
    kn_server_stats stats = kn_server_get_stats(g->server, local);
    assert_true(stats.is_local && stats.is_joined);
    assert_int_equal(stats.commands, 3);
    uint8_t bytes[1200];
    size_t size;
    assert_int_equal(kn_server_write(g->server, g->now, local, bytes, sizeof(bytes), &size),
        KN_REFUSED_NOT_FOUND);
    assert_int_equal(kn_server_receive(g->server, g->now, local, bytes, 100), KN_REFUSED_NOT_FOUND);
    assert_int_equal(
        kn_server_command(g->server, p->connection, &command, NULL, NULL), KN_REFUSED_NOT_FOUND);
    assert_true(kn_server_close(g->server, local, KN_CLOSE_HOST));
    run(g, KN_MS(100));
    assert_int_equal(g->left, 1);
    assert_int_equal(kn_world_connection(g->world), 0);
    assert_int_equal(
        kn_server_command(g->server, local, &command, NULL, NULL), KN_REFUSED_NOT_FOUND);
}

// REP-008: the player at the server sees an effect, its tag and its cue come and go once, in each
// mode.
static void the_host_of_a_server_sees_everything_once(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL);
    uint32_t local;
    assert_int_equal(kn_server_open_local(g->server, g->now, 0, &local), KN_OK);
    run(g, KN_S(1));
    kn_entity_id hero;
    assert_true(session_hero(&g->kit, g->world, local, &hero));
    uint32_t tags = 0, applied = 0, removed = 0;
    listen_for(g, KN_EVENT_TAG_CHANGED, &tags);
    listen_for(g, KN_EVENT_EFFECT_APPLIED, &applied);
    listen_for(g, KN_EVENT_EFFECT_REMOVED, &removed);
    for (uint32_t mode = 0; mode < KN_SYNC_MODE_COUNT; mode++) {
        kn_entity_id both[2] = {hero, p->hero};
        for (uint32_t i = 0; i < 2; i++) {
            assert_int_equal(kn_server_set_mode(g->server, both[i], (kn_sync_mode)mode), KN_OK);
            tags = applied = removed = 0;
            kn_effect_id effect = afflict(g, both[i], g->kit.blessing);
            run(g, KN_MS(500));
            assert_int_equal(applied, 1);
            assert_int_equal(tags, 1);
            assert_int_equal(kn_effect_remove(g->world, effect, 0, KN_REMOVED_BY_CALL), KN_OK);
            run(g, KN_MS(500));
            assert_int_equal(removed, 1);
            assert_int_equal(tags, 2);
        }
    }
}

// Several players at one machine ---------------------------------------------

// REP-011
static void several_players_share_a_connection(void **state)
{
    game *g = *state;
    kn_server_def def = game_server_def(g);
    def.mode = KN_SYNC_MODE_MIXED;
    game_begin(g, &def);
    set_network(g, KN_MS(30), 0.0f);
    peer *p = add_client(g, 0, NULL), *other = add_client(g, 1, NULL);
    run(g, KN_S(1));
    kn_entity_id second;
    assert_true(session_hero(&g->kit, g->world, p->connection, &second));
    run(g, KN_S(1));
    kn_world *world = kn_client_world(p->client);
    kn_entity_id both[2] = {p->hero, second};
    for (uint32_t i = 0; i < 2; i++) {
        afflict(g, both[i], g->kit.blessing);
        command_heal(g, p, both[i]);
    }
    run(g, KN_S(1));
    assert_int_equal(p->answers, 2);
    assert_int_equal(p->refused, 0);
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(kn_effects_count(world, both[i]), 1);
        assert_int_equal(kn_entity_tag_count(world, both[i], g->kit.blessed), 1);
        assert_int_equal(
            kn_entity_tag_count_origin(world, both[i], g->kit.blessed, KN_TAG_ORIGIN_MINIMAL), 0);
        assert_float_equal(value_at(world, both[i], g->kit.health), 1025.0f, 0.0f);
        kn_world *view = kn_client_world(other->client);
        assert_int_equal(kn_effects_count(view, both[i]), 0);
        assert_int_equal(kn_entity_tag_count(view, both[i], g->kit.blessed), 1);
    }
    command_heal(g, other, second);
    run(g, KN_S(1));
    assert_int_not_equal(other->answer.result, KN_OK);
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(libraries_that_differ_are_named_on_both_sides),
    TEST(a_stranger_that_answers_nonsense_is_closed),
    TEST(a_connection_that_never_says_hello_does_not_keep_its_place),
    TEST(the_host_says_why_it_closes_a_connection),
    TEST(a_player_who_is_not_admitted_hears_why),
    TEST(a_lost_player_comes_back_to_what_it_controlled),
    TEST(a_place_is_kept_for_a_time_only),
    TEST(players_without_a_number_and_those_who_were_closed_have_no_place),
    TEST(a_second_connection_of_a_player_takes_over),
    TEST(a_second_connection_is_refused_if_the_host_wants_it_so),
    TEST(kept_places_take_no_room_from_others),
    TEST(a_spectator_sees_everything_and_commands_nothing),
    TEST(commands_of_a_spectator_are_refused_and_counted),
    TEST(a_pause_stops_all_and_everybody_goes_on_together),
    TEST(commands_on_their_way_wait_for_the_end_of_a_pause),
    TEST(players_join_and_leave_during_a_pause),
    TEST(the_host_of_a_server_plays_too),
    TEST(the_host_of_a_server_sees_everything_once),
    TEST(several_players_share_a_connection),
};

TEST_GROUP(session_players, tests, NULL, NULL);
