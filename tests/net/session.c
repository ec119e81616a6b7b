// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sessions: a server and its clients over a simulated network, playing the hero kit.

#include "net_test.h"

#include "knack/net.h"
#include "scenes/hero_kit.h"

#include <inttypes.h>

#define CLIENTS_MAX 8
#define FRAME KN_MS(5)

typedef struct player {
    kn_client *client;
    kn_entity_id hero;
    uint32_t connection;
    uint64_t random;
    kn_grid *grid;
    uint32_t answers, refused, happened, revoked, closed, left;
    uint32_t held; // a bit for each input that is pressed
} player;

typedef struct match {
    kn_library *library;
    kn_world *world;
    kn_grid *grid;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    player players[CLIENTS_MAX];
    uint32_t player_count;
    uint32_t joined;
} match;

static const scene_info *kit(void)
{
    return scene_find("hero_kit");
}

static kn_grid *grid_make(kn_world *world)
{
    kn_grid_def def = kn_grid_def_default();
    def.world = world;
    def.cell_size = 300.0f;
    kn_grid *grid;
    assert_int_equal(kn_grid_create(&def, &grid), KN_OK);
    kn_world_set_space(world, kn_grid_space(grid));
    return grid;
}

static void player_setup(void *user, kn_world *world)
{
    player *p = user;
    p->grid = grid_make(world);
}

static void match_begin(match *m, uint32_t count, const kn_net_conditions *conditions)
{
    memset(m, 0, sizeof(*m));
    kn_error error;
    assert_int_equal(scene_create_library(kit(), NULL, &m->library, &error), KN_OK);
    assert_int_equal(scene_create_empty_world(m->library, NULL, &m->world), KN_OK);
    m->grid = grid_make(m->world);
    kn_server_def def = kn_server_def_default();
    def.world = m->world;
    assert_int_equal(kn_server_create(&def, &m->server), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = CLIENTS_MAX + 1;
    net.seed = 7;
    net.conditions = *conditions;
    assert_int_equal(kn_net_sim_create(&net, &m->net), KN_OK);
    m->player_count = count;
    for (uint32_t i = 0; i < count; i++) {
        player *p = &m->players[i];
        kn_client_def client = kn_client_def_default();
        client.library = m->library;
        client.hello = &i;
        client.hello_size = sizeof(i);
        client.setup = player_setup;
        client.user = p;
        assert_int_equal(kn_client_create(&client, &p->client), KN_OK);
        assert_int_equal(kn_server_open(m->server, 0, &p->connection), KN_OK);
        p->random = 1000 + i;
    }
}

static void match_end(match *m)
{
    for (uint32_t i = 0; i < m->player_count; i++) {
        kn_client_destroy(m->players[i].client);
        kn_grid_destroy(m->players[i].grid);
    }
    kn_server_destroy(m->server);
    kn_world_destroy(m->world);
    kn_grid_destroy(m->grid);
    kn_library_destroy(m->library);
    kn_net_sim_destroy(m->net);
}

static void server_turn(match *m)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(m->net, m->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(m->server, m->now, m->players[from - 1].connection, buffer, size);
    }
    kn_grid_sync(m->grid);
    assert_int_equal(kn_server_update(m->server, m->now), KN_OK);
    kn_server_event event;
    while (kn_server_next_event(m->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            uint32_t index;
            assert_int_equal(event.size, sizeof(index));
            memcpy(&index, event.bytes, sizeof(index));
            scene_stage stage = {m->world, m->library, KN_OK};
            hero_side side = index % 2 == 0 ? HERO_SIDE_LEFT : HERO_SIDE_RIGHT;
            kn_vec3 place = {side == HERO_SIDE_LEFT ? -100.0f : 100.0f, 60.0f * (float)index, 0.0f};
            m->players[index].hero = hero_kit_add_hero(&stage, side, place, false);
            assert_int_equal(
                kn_entity_set_connection(m->world, m->players[index].hero, event.connection),
                KN_OK);
            m->joined++;
        }
    }
    for (uint32_t i = 0; i < m->player_count; i++) {
        while (kn_server_write(m->server, m->now, m->players[i].connection, buffer, sizeof(buffer),
                   &size) == KN_OK) {
            assert_int_equal(kn_net_sim_send(m->net, m->now, 0, i + 1, buffer, size), KN_OK);
        }
    }
}

static uint32_t draw(player *p, uint32_t bound)
{
    p->random = p->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(p->random >> 33) % bound;
}

// Presses and releases inputs, or at the end releases all.
static void play(player *p, bool is_over)
{
    if (kn_client_world(p->client) == NULL ||
        !kn_entity_is_alive(kn_client_world(p->client), p->hero) ||
        (is_over ? p->held == 0 : draw(p, 40) != 0)) {
        return;
    }
    uint32_t input = HERO_INPUT_FIRE + draw(p, 6);
    while (is_over && (p->held >> input & 1) == 0) {
        input = HERO_INPUT_FIRE + draw(p, 6);
    }
    bool is_held = (p->held >> input & 1) != 0;
    kn_command_press press = {.input = input};
    kn_command_release release = {.input = input};
    kn_command command = {.type = is_held ? kn_command_type_release() : kn_command_type_press(),
        .entity = p->hero,
        .payload = is_held ? (const void *)&release : (const void *)&press,
        .size = is_held ? sizeof(release) : sizeof(press)};
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
    p->held ^= 1u << input;
}

static void client_turn(match *m, uint32_t index, bool plays)
{
    player *p = &m->players[index];
    uint8_t buffer[2048];
    size_t size;
    while (kn_net_sim_receive(m->net, m->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(p->client, m->now, buffer, size);
    }
    play(p, !plays);
    if (p->grid != NULL) {
        kn_grid_sync(p->grid);
    }
    assert_int_equal(kn_client_update(p->client, m->now), KN_OK);
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        p->answers += event.kind == KN_CLIENT_ANSWER;
        p->refused += event.kind == KN_CLIENT_ANSWER && event.result != KN_OK;
        p->happened += event.kind == KN_CLIENT_HAPPENED;
        p->revoked += event.kind == KN_CLIENT_REVOKED;
        p->closed += event.kind == KN_CLIENT_CLOSED;
        p->left += event.kind == KN_CLIENT_LEFT;
    }
    while (kn_client_write(p->client, m->now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_int_equal(kn_net_sim_send(m->net, m->now, index + 1, 0, buffer, size), KN_OK);
    }
}

static void run(match *m, kn_time time, bool plays)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        server_turn(m);
        for (uint32_t i = 0; i < m->player_count; i++) {
            client_turn(m, i, plays);
        }
    }
}

// What one viewer may see of an entity.
static size_t look(const kn_world *world, kn_entity_id entity, bool is_owner, uint8_t *buffer)
{
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = KN_IDENTITY_PLACES;
    filter.viewer = is_owner ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
    filter.parts = is_owner ? KN_PARTS_ALL
                            : KN_PARTS_ALL & ~(1u << KN_PART_ABILITIES | 1u << KN_PART_TIMERS |
                                                 1u << KN_PART_WATCHES);
    size_t size = 0;
    assert_int_equal(kn_projection_take(world, &entity, 1, &filter, buffer, 65536, &size), KN_OK);
    return size;
}

static bool is_same(const match *m, const player *p)
{
    static uint8_t first[65536], second[65536];
    const kn_world *world = kn_client_world(p->client);
    assert_int_equal(kn_world_now(m->world), kn_world_now(world));
    assert_int_equal(kn_entity_count(m->world), kn_entity_count(world));
    for (kn_entity_id id = kn_entity_next(m->world, (kn_entity_id){0}); id.index1 != 0;
         id = kn_entity_next(m->world, id)) {
        bool is_owner = kn_entity_connection(m->world, id) == p->connection;
        size_t size = look(m->world, id, is_owner, first);
        if (size != look(world, id, is_owner, second) || memcmp(first, second, size) != 0) {
            return false;
        }
    }
    return true;
}

// Whether clients that stand still until the server has come to their tick have what it has.
static bool are_all_same(match *m)
{
    uint32_t compared = 0, same = 0;
    for (uint32_t i = 0, waits = 0; i < m->player_count; i++) {
        // On the worst of lines a client may fall behind for a moment.
        while (kn_client_tick(m->players[i].client) < kn_server_tick(m->server) && waits++ < 400) {
            run(m, FRAME, false);
            i = 0;
        }
        assert_true(kn_client_tick(m->players[i].client) >= kn_server_tick(m->server));
    }
    while (compared < m->player_count) {
        uint64_t tick = kn_server_tick(m->server);
        for (uint32_t i = 0; i < m->player_count; i++) {
            if (kn_client_tick(m->players[i].client) == tick) {
                same += is_same(m, &m->players[i]);
                compared++;
            }
        }
        while (kn_server_tick(m->server) == tick) {
            server_turn(m);
            m->now += FRAME;
        }
    }
    return same == m->player_count;
}

// Passive abilities of others act now and then without a command, and nobody can know that before
// the server says it: so the clients may need more than one look.
static void expect_all_same(match *m)
{
    bool same = are_all_same(m);
    for (uint32_t i = 0; i < 4 && !same; i++) {
        run(m, KN_MS(700), false);
        same = are_all_same(m);
    }
    assert_true(same);
}

static void print_stats(const match *m)
{
    for (uint32_t i = 0; i < m->player_count; i++) {
        const player *p = &m->players[i];
        kn_client_stats s = kn_client_get_stats(p->client);
        kn_server_stats t = kn_server_get_stats(m->server, p->connection);
        printf("player %u: tick %" PRIu64 " confirmed %" PRIu64 " lead %u margin %d us speed %d, "
               "states %" PRIu64 " entities %" PRIu64 " corrections %" PRIu64 " corrected %" PRIu64
               " resim %" PRIu64 " resyncs %" PRIu64 " bad %" PRIu64 "; answers %u refused %u "
               "happened %u revoked %u; server: bytes %" PRIu64 " late %" PRIu64
               " commands %" PRIu64 " rtt %d\n",
            i, kn_client_tick(p->client), s.confirmed, s.lead, (int)s.margin, s.speed_ppm, s.states,
            s.entities, s.corrections, s.corrected, s.resimulated, s.resyncs, s.bad, p->answers,
            p->refused, p->happened, p->revoked, t.state_bytes, t.commands_late, t.commands,
            (int)s.link.round_trip);
    }
}

static void two_players_on_a_perfect_network_see_the_same(void **state)
{
    (void)state;
    match m;
    kn_net_conditions perfect = {0};
    match_begin(&m, 2, &perfect);
    run(&m, KN_S(10), true);
    run(&m, KN_S(8), false);
    print_stats(&m);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(m.players[i].answers > 20);
    }
    expect_all_same(&m);
    match_end(&m);
}

static void players_on_bad_networks_see_the_same_in_the_end(void **state)
{
    (void)state;
    static const char *const names[] = {"lan", "wifi", "mobile", "awful"};
    for (uint32_t i = 0; i < 4; i++) {
        match m;
        kn_net_conditions conditions;
        assert_int_equal(kn_net_conditions_find(names[i], &conditions), KN_OK);
        match_begin(&m, 4, &conditions);
        run(&m, KN_S(20), true);
        run(&m, KN_S(10), false);
        printf("%s\n", names[i]);
        print_stats(&m);
        expect_all_same(&m);
        match_end(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_players_on_a_perfect_network_see_the_same),
        cmocka_unit_test(players_on_bad_networks_see_the_same_in_the_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
