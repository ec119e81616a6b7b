// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who sees what by distance, team and ownership, and what is sent first when not everything fits.

#include "session_game.h"

#include <math.h>

#define ENTER 10.0f
#define LEAVE 15.0f
#define THINGS_MAX 500

typedef struct relevance_game {
    kn_grid *grid;
    kn_entity_id hidden;    // by the host
    uint32_t asked;         // how often the host was asked
    kn_entity_id favourite; // of importance_of()
    kn_entity_id things[THINGS_MAX];
} relevance_game;

static bool relevance_more(game *g)
{
    return kn_grid_register(g->kit.library, NULL, NULL) == KN_OK;
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    relevance_game *r = calloc(1, sizeof(*r));
    assert_non_null(g);
    assert_non_null(r);
    g->extra = r;
    game_create(g, relevance_more);
    kn_grid_def def = kn_grid_def_default();
    def.world = g->world;
    assert_int_equal(kn_grid_create(&def, &r->grid), KN_OK);
    kn_world_set_space(g->world, kn_grid_space(r->grid));
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    relevance_game *r = g->extra;
    game_destroy(g);
    kn_grid_destroy(r->grid);
    free(r);
    free(g);
    return 0;
}

static kn_server_def relevance_def(const game *g)
{
    kn_server_def def = game_server_def(g);
    def.relevance.enter_radius = ENTER;
    def.relevance.leave_radius = LEAVE;
    def.relevance_every = 3;
    return def;
}

static void place(const game *g, kn_entity_id entity, float x)
{
    const relevance_game *r = g->extra;
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, 0.0f, 0.0f};
    assert_int_equal(kn_grid_set_body(r->grid, entity, &body), KN_OK);
}

static kn_entity_id thing_at(const game *g, float x)
{
    kn_entity_id thing;
    assert_true(session_hero(&g->kit, g->world, 0, &thing));
    place(g, thing, x);
    return thing;
}

static bool sees(const peer *p, kn_entity_id entity)
{
    return kn_entity_is_alive(kn_client_world(p->client), entity);
}

// A player whose hero stands at 0.
static peer *begin(game *g, const kn_server_def *def)
{
    game_begin(g, def);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_MS(500));
    place(g, p->hero, 0.0f);
    run(g, KN_MS(500));
    return p;
}

static void things_come_into_sight_and_go_with_some_room_between(void **state)
{
    game *g = *state;
    kn_server_def def = relevance_def(g);
    peer *p = begin(g, &def);
    kn_entity_id thing = thing_at(g, 30.0f);
    static const struct {
        float x;
        bool is_seen;
        uint32_t left;
    } steps[] = {{20.0f, false, 0}, {12.0f, false, 0}, {9.0f, true, 0}, {12.0f, true, 0},
        {14.5f, true, 0}, {16.0f, false, 1}, {12.0f, false, 1}, {-9.0f, true, 1}, {-12.0f, true, 1},
        {-30.0f, false, 2}};
    for (uint32_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        place(g, thing, steps[i].x);
        run(g, KN_MS(300));
        assert_int_equal(sees(p, thing), steps[i].is_seen);
        assert_int_equal(p->left, steps[i].left);
    }
    assert_int_equal(p->destroyed, 0); // out of sight is not its end
    place(g, thing, 5.0f);
    run(g, KN_MS(300));
    assert_true(sees(p, thing));
    assert_true(kn_entity_destroy(g->world, thing));
    run(g, KN_MS(300));
    assert_false(sees(p, thing));
    assert_int_equal(p->left, 2); // and its end is not that it is out of sight
    assert_int_equal(p->destroyed, 1);
    thing = thing_at(g, 30.0f);
    run(g, KN_MS(300));
    assert_true(kn_entity_destroy(g->world, thing));
    run(g, KN_MS(300));
    assert_int_equal(p->destroyed, 1); // nobody saw it
}

static void a_player_sees_from_everything_that_it_controls(void **state)
{
    game *g = *state;
    kn_server_def def = relevance_def(g);
    peer *p = begin(g, &def);
    kn_entity_id thing = thing_at(g, 100.0f), second = thing_at(g, 200.0f);
    run(g, KN_MS(300));
    assert_false(sees(p, thing));
    assert_false(sees(p, second));
    assert_int_equal(kn_entity_set_connection(g->world, second, p->connection), KN_OK);
    run(g, KN_MS(300));
    assert_true(sees(p, second)); // its own, wherever it is
    place(g, second, 95.0f);
    run(g, KN_MS(300));
    assert_true(sees(p, thing));
    assert_int_equal(kn_entity_set_connection(g->world, second, 0), KN_OK);
    run(g, KN_MS(300));
    assert_false(sees(p, thing));
    assert_false(sees(p, second));
    assert_true(sees(p, p->hero));
}

static uint32_t team_of(void *user, const kn_world *world, kn_entity_id entity)
{
    (void)user;
    return (uint32_t)kn_entity_user(world, entity);
}

static void teams_and_things_for_all_are_seen_anywhere(void **state)
{
    game *g = *state;
    kn_server_def def = relevance_def(g);
    def.relevance.team = team_of;
    peer *p = begin(g, &def);
    kn_entity_id friend = thing_at(g, 500.0f), foe = thing_at(g, 600.0f), flag, rules;
    assert_int_equal(kn_entity_set_user(g->world, friend, 1), KN_OK);
    assert_int_equal(kn_entity_set_user(g->world, foe, 2), KN_OK);
    flag = thing_at(g, 700.0f);
    assert_true(session_hero(&g->kit, g->world, 0, &rules)); // it has no place
    run(g, KN_MS(500));
    assert_false(sees(p, friend)); // the hero has no team yet
    assert_false(sees(p, foe));
    assert_false(sees(p, flag));
    assert_true(sees(p, rules));
    assert_int_equal(kn_entity_set_user(g->world, p->hero, 1), KN_OK);
    assert_int_equal(kn_server_set_always(g->server, flag, true), KN_OK);
    run(g, KN_MS(500));
    assert_true(sees(p, friend));
    assert_false(sees(p, foe));
    assert_true(sees(p, flag));
    assert_int_equal(kn_entity_set_user(g->world, p->hero, 2), KN_OK);
    assert_int_equal(kn_server_set_always(g->server, flag, false), KN_OK);
    run(g, KN_MS(500));
    assert_false(sees(p, friend));
    assert_true(sees(p, foe));
    assert_false(sees(p, flag));
    const kn_entity_id stale = {.index1 = 1000, .generation = 1};
    assert_int_equal(kn_server_set_always(g->server, stale, true), KN_REFUSED_STALE_ID);
}

static void things_without_a_place_can_be_hidden(void **state)
{
    game *g = *state;
    kn_server_def def = relevance_def(g);
    def.relevance.hides_unplaced = true;
    peer *p = begin(g, &def);
    kn_entity_id thing;
    assert_true(session_hero(&g->kit, g->world, 0, &thing));
    run(g, KN_MS(500));
    assert_false(sees(p, thing));
    place(g, thing, 3.0f);
    run(g, KN_MS(500));
    assert_true(sees(p, thing));
}

static bool host_sees(void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    game *g = user;
    relevance_game *r = g->extra;
    (void)world;
    (void)connection;
    r->asked++;
    return !kn_entity_id_equal(entity, r->hidden);
}

// The host is asked about what is near, however much there is elsewhere.
static void the_host_may_hide_what_is_near_and_is_not_asked_about_the_rest(void **state)
{
    game *g = *state;
    relevance_game *r = g->extra;
    kn_server_def def = relevance_def(g);
    def.is_relevant = host_sees;
    def.user = g;
    for (uint32_t i = 0; i < THINGS_MAX; i++) {
        r->things[i] = thing_at(g, 1000.0f + (float)i * 3.0f);
    }
    kn_entity_id near = thing_at(g, 4.0f);
    r->hidden = near;
    peer *p = begin(g, &def);
    r->asked = 0;
    run(g, KN_S(1));
    assert_false(sees(p, near));
    assert_true(r->asked > 0 && r->asked < 100);
    r->hidden = (kn_entity_id){0};
    run(g, KN_MS(300));
    assert_true(sees(p, near));
    assert_int_equal(kn_server_get_stats(g->server, p->connection).visible, 2);
    r->hidden = near;
    run(g, KN_MS(300));
    assert_false(sees(p, near));
    assert_int_equal(p->left, 1);
}

static void admit_watcher(void *user, uint32_t connection, const void *hello, uint32_t size,
    kn_server_admission *admission)
{
    (void)user;
    (void)connection;
    (void)hello;
    admission->is_spectator = size > 0;
}

static void a_spectator_sees_all_or_what_its_camera_does(void **state)
{
    game *g = *state;
    kn_server_def def = relevance_def(g);
    def.admit = admit_watcher;
    peer *p = begin(g, &def);
    kn_entity_id far = thing_at(g, 300.0f);
    kn_client_def client = game_client_def(g);
    client.hello = "watch";
    client.hello_size = 5;
    peer *watcher = add_client(g, 1, &client);
    run(g, KN_MS(500));
    assert_true(sees(watcher, p->hero));
    assert_true(sees(watcher, far));
    assert_false(sees(p, far));
    kn_vec3 eye = {305.0f, 0.0f, 0.0f};
    assert_true(kn_server_set_eye(g->server, watcher->connection, &eye));
    run(g, KN_MS(500));
    assert_false(sees(watcher, p->hero));
    assert_true(sees(watcher, far));
    eye.x = 2.0f;
    assert_true(kn_server_set_eye(g->server, watcher->connection, &eye));
    run(g, KN_MS(500));
    assert_true(sees(watcher, p->hero));
    assert_false(sees(watcher, far));
    assert_true(kn_server_set_eye(g->server, watcher->connection, NULL));
    run(g, KN_MS(500));
    assert_true(sees(watcher, far));
    eye.x = INFINITY;
    assert_false(kn_server_set_eye(g->server, watcher->connection, &eye));
    assert_false(kn_server_set_eye(g->server, 99, NULL));
}

static void a_def_that_makes_no_sense_makes_no_server(void **state)
{
    game *g = *state;
    static const struct {
        float enter, leave;
    } bad[] = {{-1.0f, 1.0f}, {5.0f, 4.0f}, {INFINITY, INFINITY}, {NAN, 1.0f}, {1.0f, NAN}};
    for (uint32_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        kn_server_def def = game_server_def(g);
        def.relevance.enter_radius = bad[i].enter;
        def.relevance.leave_radius = bad[i].leave;
        kn_assert_set_handler(ignore_assert);
        assert_int_equal(kn_server_create(&def, &g->server), KN_ERROR_INVALID_ARGUMENT);
        kn_assert_set_handler(NULL);
    }
}

// Many things that wander: in the end everybody sees what is near, and nothing that is far.
static void after_a_long_walk_everybody_sees_what_is_near(void **state)
{
    enum { THINGS = 120 };
    game *g = *state;
    relevance_game *r = g->extra;
    kn_server_def def = relevance_def(g);
    game_begin(g, &def);
    set_network(g, KN_MS(30), 0.1f);
    float at[THINGS];
    uint64_t random = 9;
    for (uint32_t i = 0; i < THINGS; i++) {
        at[i] = (float)any_below(&random, 200);
        r->things[i] = thing_at(g, at[i]);
    }
    for (uint32_t i = 0; i < 3; i++) {
        add_client(g, i, NULL);
    }
    run(g, KN_MS(500));
    for (uint32_t i = 0; i < 3; i++) {
        place(g, g->peers[i].hero, 50.0f * (float)(i + 1));
    }
    for (uint32_t turn = 0; turn < 100; turn++) {
        for (uint32_t i = 0; i < THINGS; i++) {
            at[i] += (float)any_below(&random, 7) - 3.0f;
            place(g, r->things[i], at[i]);
        }
        run(g, KN_MS(40));
    }
    run(g, KN_S(1));
    uint32_t near = 0, far = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const peer *p = &g->peers[i];
        for (uint32_t j = 0; j < THINGS; j++) {
            float distance = at[j] - 50.0f * (float)(i + 1);
            distance = distance < 0.0f ? -distance : distance;
            if (distance <= ENTER) {
                near++;
                assert_true(sees(p, r->things[j]));
            } else if (distance > LEAVE) {
                far++;
                assert_false(sees(p, r->things[j]));
            }
        }
        assert_true(p->left > 10);
        assert_int_equal(p->destroyed, 0);
    }
    assert_true(near > 5 && far > 100);
}

// Importance --------------------------------------------------------------------

static float importance_of(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const game *g = user;
    const relevance_game *r = g->extra;
    (void)world;
    (void)connection;
    return kn_entity_id_equal(entity, r->favourite) ? 1.0f : 0.0f;
}

typedef struct lateness {
    double sum, most;
    uint32_t count;
} lateness;

// How far behind the server's present a client's copy is: the health of each thing is the tick.
static void lateness_note(const game *g, const peer *p, kn_entity_id thing, lateness *late)
{
    const kn_world *world = kn_client_world(p->client);
    double behind =
        (double)kn_server_tick(g->server) - (double)value_at(world, thing, g->kit.health);
    behind = behind > 0.0 ? behind : 0.0;
    late->sum += behind;
    late->most = behind > late->most ? behind : late->most;
    late->count++;
}

// All things change in every tick, and few of them fit: each is sent again and again all the same,
// with no more than the others' turns and a second between, and the important one more often.
static void nothing_starves_and_what_is_important_comes_first(void **state)
{
    enum { THINGS = 60 };
    game *g = *state;
    relevance_game *r = g->extra;
    kn_server_def def = game_server_def(g);
    def.bytes_per_second = 1000;
    def.burst_bytes = 256;
    def.datagram_bytes = 256;
    def.importance = importance_of;
    def.user = g;
    game_begin(g, &def);
    for (uint32_t i = 0; i < THINGS; i++) {
        r->things[i] = thing_at(g, 0.0f);
    }
    r->favourite = r->things[THINGS / 2];
    kn_client_def client = game_client_def(g);
    client.datagram_bytes = 256;
    peer *p = add_client(g, 0, &client);
    for (uint32_t i = 0; i < 100 && (kn_client_world(p->client) == NULL ||
                                        kn_entity_count(kn_client_world(p->client)) <= THINGS);
         i++) {
        run(g, KN_S(1));
    }
    assert_int_equal(kn_entity_count(kn_client_world(p->client)), THINGS + 1);
    lateness favourite = {0}, others = {0};
    for (uint32_t turn = 0; turn < 1200 / SHARE(2); turn++) {
        for (uint32_t i = 0; i < THINGS; i++) {
            set_value(g, r->things[i], g->kit.health, (float)kn_server_tick(g->server));
        }
        run(g, KN_MS(10));
        for (uint32_t i = 0; i < THINGS && turn > 300; i++) {
            lateness_note(g, p, r->things[i],
                kn_entity_id_equal(r->things[i], r->favourite) ? &favourite : &others);
        }
    }
    double mean = others.sum / others.count, best = favourite.sum / favourite.count;
    printf("others: mean %.1f, most %.0f ticks late; favourite: mean %.1f, most %.0f\n", mean,
        others.most, best, favourite.most);
    assert_true(others.most < 180.0);
    assert_true(best * 2.0 < mean);
}

// Memory ------------------------------------------------------------------------

// Memory that runs out at any time costs nothing but time.
static void sight_is_right_again_when_there_is_memory_again(void **state)
{
    game *g = *state;
    kn_server_def def = relevance_def(g);
    def.hooks = purse_hooks(&g->purse);
    kn_entity_id things[40];
    for (uint32_t i = 0; i < 40; i++) {
        things[i] = thing_at(g, (float)i);
    }
    for (uint32_t left = 0; left < 40; left++) {
        game_begin(g, &def);
        peer *p = add_client(g, 0, NULL);
        for (uint32_t i = 0; i < 40; i++) {
            uint8_t buffer[2048];
            size_t size;
            g->purse.left = left;
            while (kn_net_sim_receive(g->net, g->now, 0, NULL, buffer, sizeof(buffer), &size) ==
                   KN_OK) {
                (void)kn_server_receive(g->server, g->now, p->connection, buffer, size);
            }
            kn_result result = kn_server_update(g->server, g->now);
            assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
            g->purse.left = UINT32_MAX;
            server_events(g);
            if (p->hero.index1 != 0) {
                place(g, p->hero, (float)i);
            }
            server_write(g);
            client_turn(g, 0);
            g->now += KN_MS(20);
        }
        if (kn_client_closed(p->client) == KN_CLOSE_NONE && p->hero.index1 != 0) {
            run(g, KN_MS(500));
            assert_true(sees(p, things[39]) && sees(p, things[30]) && !sees(p, things[20]));
            assert_true(kn_entity_destroy(g->world, p->hero));
        }
        kn_client_destroy(p->client);
        *p = (peer){0};
        kn_server_destroy(g->server);
        g->server = NULL;
        assert_int_equal(g->purse.bytes, 0);
        g->now += KN_S(1);
        uint8_t rest[2048];
        size_t size;
        for (uint32_t i = 0; i < 2; i++) { // what is still on its way is of no use
            while (
                kn_net_sim_receive(g->net, g->now, i, NULL, rest, sizeof(rest), &size) == KN_OK) {
            }
        }
    }
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(things_come_into_sight_and_go_with_some_room_between),
    TEST(a_player_sees_from_everything_that_it_controls),
    TEST(teams_and_things_for_all_are_seen_anywhere),
    TEST(things_without_a_place_can_be_hidden),
    TEST(the_host_may_hide_what_is_near_and_is_not_asked_about_the_rest),
    TEST(a_spectator_sees_all_or_what_its_camera_does),
    TEST(a_def_that_makes_no_sense_makes_no_server),
    TEST(after_a_long_walk_everybody_sees_what_is_near),
    TEST(nothing_starves_and_what_is_important_comes_first),
    TEST(sight_is_right_again_when_there_is_memory_again),
};

TEST_GROUP(session_relevance, tests, NULL, NULL);
