// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The rules of sessions, one by one: who may join, how it ends, what becomes of commands, who
// receives what, and what is left when memory, bytes or time run short.

#include "net_test.h"

#include "session_kit.h"

#include "knack/net.h"
#include "net/wire.h"

#define PEERS 6
#define FRAME KN_MS(5)
#define HEARD_MAX (1u << 21)

typedef struct peer {
    kn_client *client;
    uint32_t connection; // 0: the transport is closed
    kn_entity_id hero;
    kn_time skew;    // of its clock
    bool is_stopped; // it does not run at all
    uint32_t joined, closed, answers, refused, happened, revoked, left, healed, unhealed;
    kn_result last_answer;
    uint32_t last_sequence;
    uint8_t messages[256];
    uint32_t message_count;
    uint8_t *heard; // all that the server sent
    size_t heard_size;
} peer;

typedef struct game {
    session_kit kit, other_kit;
    kn_world *world;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    peer peers[PEERS];
    uint32_t joined, left, messages;
    kn_close_reason left_reason;
    uint8_t message_bytes[256];
    bool adds_no_heroes;
    bool accepts;          // for accept_some()
    kn_entity_id unseen;   // for sees_some()
    uint8_t last_hello[8]; // of the last one that joined
    purse purse;
} game;

static kn_server_def server_def(const game *g)
{
    kn_server_def def = kn_server_def_default();
    def.world = g->world;
    return def;
}

static void game_begin(game *g, const kn_server_def *def)
{
    kn_server_def copy = def != NULL ? *def : server_def(g);
    copy.world = g->world;
    assert_int_equal(kn_server_create(&copy, &g->server), KN_OK);
}

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    g->purse.left = UINT32_MAX;
    assert_true(session_kit_create(&g->kit, false));
    assert_true(session_kit_create(&g->other_kit, true));
    kn_world_def world = kn_world_def_default();
    world.library = g->kit.library;
    assert_int_equal(kn_world_create(&world, &g->world), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS + 1;
    net.seed = 11;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    for (uint32_t i = 0; i < PEERS; i++) {
        kn_client_destroy(g->peers[i].client);
        free(g->peers[i].heard);
    }
    kn_server_destroy(g->server);
    kn_world_destroy(g->world);
    kn_library_destroy(g->kit.library);
    kn_library_destroy(g->other_kit.library);
    kn_net_sim_destroy(g->net);
    size_t left = g->purse.bytes;
    free(g);
    return left == 0 ? 0 : -1;
}

static void set_network(game *g, kn_time latency, float loss)
{
    kn_net_conditions conditions = {.latency = latency, .loss = loss};
    assert_int_equal(kn_net_sim_set_all(g->net, &conditions), KN_OK);
}

static kn_client_def client_def(const game *g)
{
    kn_client_def def = kn_client_def_default();
    def.library = g->kit.library;
    return def;
}

static peer *add_client(game *g, uint32_t index, const kn_client_def *def)
{
    peer *p = &g->peers[index];
    kn_client_def copy = def != NULL ? *def : client_def(g);
    assert_int_equal(kn_client_create(&copy, &p->client), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &p->connection), KN_OK);
    p->heard = malloc(HEARD_MAX);
    assert_non_null(p->heard);
    return p;
}

// Turns ---------------------------------------------------------------------

static peer *peer_of(game *g, uint32_t connection)
{
    for (uint32_t i = 0; i < PEERS; i++) {
        if (g->peers[i].connection == connection) {
            return &g->peers[i];
        }
    }
    return NULL;
}

static void server_events(game *g)
{
    kn_server_event event;
    while (kn_server_next_event(g->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            g->joined++;
            memset(g->last_hello, 0, sizeof(g->last_hello));
            memcpy(g->last_hello, event.size > 0 ? event.bytes : "",
                event.size < sizeof(g->last_hello) ? event.size : 0);
            peer *p = peer_of(g, event.connection);
            if (p != NULL && !g->adds_no_heroes) {
                assert_true(session_hero(&g->kit, g->world, event.connection, &p->hero));
            }
        } else if (event.kind == KN_SERVER_LEFT) {
            g->left++;
            g->left_reason = event.reason;
        } else {
            g->message_bytes[g->messages++ % 256] =
                event.size > 0 ? *(const uint8_t *)event.bytes : 0;
        }
    }
}

static void server_turn(game *g)
{
    uint8_t buffer[2048];
    size_t size;
    uint32_t from;
    while (kn_net_sim_receive(g->net, g->now, 0, &from, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(g->server, g->now, g->peers[from - 1].connection, buffer, size);
    }
    assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
    server_events(g);
    for (uint32_t i = 0; i < PEERS; i++) {
        peer *p = &g->peers[i];
        while (p->connection != 0 && kn_server_write(g->server, g->now, p->connection, buffer,
                                         sizeof(buffer), &size) == KN_OK) {
            assert_true(size > 0);
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, i + 1, buffer, size), KN_OK);
            assert_true(p->heard_size + size <= HEARD_MAX);
            memcpy(p->heard + p->heard_size, buffer, size);
            p->heard_size += size;
        }
    }
}

static void client_events(game *g, peer *p)
{
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        bool heals = (event.kind == KN_CLIENT_HAPPENED || event.kind == KN_CLIENT_REVOKED) &&
                     event.event.type == KN_EVENT_ABILITY_COMMITTED &&
                     event.event.data.ability.type.index1 == g->kit.heal.index1;
        p->joined += event.kind == KN_CLIENT_JOINED;
        p->closed += event.kind == KN_CLIENT_CLOSED;
        p->happened += event.kind == KN_CLIENT_HAPPENED;
        p->revoked += event.kind == KN_CLIENT_REVOKED;
        p->healed += heals && event.kind == KN_CLIENT_HAPPENED;
        p->unhealed += heals && event.kind == KN_CLIENT_REVOKED;
        p->left += event.kind == KN_CLIENT_LEFT;
        if (event.kind == KN_CLIENT_MESSAGE) {
            p->messages[p->message_count++ % 256] =
                event.size > 0 ? *(const uint8_t *)event.bytes : 0;
        } else if (event.kind == KN_CLIENT_ANSWER) {
            p->answers++;
            p->refused += event.result != KN_OK;
            p->last_answer = event.result;
            p->last_sequence = event.sequence;
        }
    }
}

static void client_turn(game *g, uint32_t index)
{
    peer *p = &g->peers[index];
    uint8_t buffer[2048];
    size_t size;
    if (p->client == NULL || p->is_stopped) {
        return;
    }
    kn_time now = g->now + p->skew;
    while (kn_net_sim_receive(g->net, g->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(p->client, now, buffer, size);
    }
    assert_int_equal(kn_client_update(p->client, now), KN_OK);
    client_events(g, p);
    while (kn_client_write(p->client, now, buffer, sizeof(buffer), &size) == KN_OK) {
        assert_true(size > 0);
        assert_int_equal(kn_net_sim_send(g->net, g->now, index + 1, 0, buffer, size), KN_OK);
    }
}

static void run(game *g, kn_time time)
{
    for (kn_time end = g->now + time; g->now < end; g->now += FRAME) {
        server_turn(g);
        for (uint32_t i = 0; i < PEERS; i++) {
            client_turn(g, i);
        }
    }
}

static kn_command heal_command(const game *g, kn_entity_id entity, kn_command_activate *payload)
{
    *payload = (kn_command_activate){.type = g->kit.heal};
    return (kn_command){.type = kn_command_type_activate(),
        .entity = entity,
        .payload = payload,
        .size = sizeof(*payload)};
}

static uint32_t command_heal(const game *g, const peer *p, kn_entity_id entity)
{
    kn_command_activate payload;
    kn_command command = heal_command(g, entity, &payload);
    uint32_t sequence;
    assert_int_equal(kn_client_command(p->client, &command, &sequence, NULL), KN_OK);
    return sequence;
}

// A small command that does nothing.
static void command_release(const peer *p)
{
    kn_command_release payload = {.input = 1};
    kn_command command = {.type = kn_command_type_release(),
        .entity = p->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    assert_int_equal(kn_client_command(p->client, &command, NULL, NULL), KN_OK);
}

static float value_at(kn_world *world, kn_entity_id entity, kn_attribute_id attribute)
{
    return kn_attribute_value(world, entity, attribute);
}

static void set_value(const game *g, kn_entity_id entity, kn_attribute_id attribute, float value)
{
    assert_int_equal(kn_attribute_set_base(g->world, entity, attribute, 0, value), KN_OK);
}

static void afflict(const game *g, kn_entity_id target, kn_effect_type_id type)
{
    kn_effect_id effect;
    const kn_entity_id none = {0};
    assert_int_equal(kn_effect_apply_simple(g->world, type, none, target, 1.0f, &effect), KN_OK);
}

// Whether the server sent the bits of a number.
// Numbers travel with their low byte first.
static bool has_heard(const peer *p, float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof(bits));
    const uint8_t bytes[] = {
        (uint8_t)bits, (uint8_t)(bits >> 8), (uint8_t)(bits >> 16), (uint8_t)(bits >> 24)};
    for (size_t i = 0; i + sizeof(bytes) <= p->heard_size; i++) {
        if (memcmp(p->heard + i, bytes, sizeof(bytes)) == 0) {
            return true;
        }
    }
    return false;
}

// Joining and leaving -------------------------------------------------------

static void a_player_joins_and_both_sides_hear_of_it_once(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    kn_client_def def = client_def(g);
    def.hello = "Ada";
    def.hello_size = 4;
    peer *p = add_client(g, 0, &def);
    run(g, KN_S(1));
    assert_int_equal(g->joined, 1);
    assert_int_equal(p->joined, 1);
    assert_string_equal((char *)g->last_hello, "Ada");
    assert_int_equal(kn_client_connection(p->client), p->connection);
    assert_true(kn_server_get_stats(g->server, p->connection).is_joined);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).visible, 1);
    assert_true(kn_entity_is_alive(kn_client_world(p->client), p->hero));
}

static void another_library_is_refused(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    kn_client_def def = client_def(g);
    def.library = g->other_kit.library;
    peer *p = add_client(g, 0, &def);
    run(g, KN_S(1));
    assert_int_equal(g->joined, 0);
    assert_int_equal(g->left, 0);
    assert_int_equal(p->closed, 1);
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_LIBRARY);
}

static bool accept_some(void *user, uint32_t connection, const void *hello, uint32_t size)
{
    const game *g = user;
    (void)connection;
    (void)hello;
    (void)size;
    return g->accepts;
}

static void the_host_decides_who_plays(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.accept = accept_some;
    server.user = g;
    game_begin(g, &server);
    peer *first = add_client(g, 0, NULL);
    run(g, KN_S(1));
    g->accepts = true;
    peer *second = add_client(g, 1, NULL);
    run(g, KN_S(1));
    assert_int_equal(kn_client_closed(first->client), KN_CLOSE_REFUSED);
    assert_int_equal(kn_client_closed(second->client), KN_CLOSE_NONE);
    assert_int_equal(g->joined, 1);
}

static void a_full_server_opens_no_connection(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.connection_limit = 1;
    game_begin(g, &server);
    add_client(g, 0, NULL);
    uint32_t number = 77;
    assert_int_equal(kn_server_open(g->server, 0, &number), KN_REFUSED_LIMIT);
    assert_int_equal(number, 0);
}

static void a_hello_that_is_too_long_makes_no_client(void **state)
{
    game *g = *state;
    static const uint8_t hello[KN_SESSION_HELLO_MAX + 1] = {0};
    kn_client_def def = client_def(g);
    def.hello = hello;
    def.hello_size = sizeof(hello);
    kn_client *client;
    kn_assert_set_handler(ignore_assert);
    assert_int_equal(kn_client_create(&def, &client), KN_ERROR_INVALID_ARGUMENT);
    kn_assert_set_handler(NULL);
    assert_null(client);
}

static void a_client_that_leaves_is_heard_and_its_number_is_free_again(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    kn_client_leave(p->client);
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_HOST);
    run(g, KN_MS(100));
    assert_int_equal(g->left, 1);
    assert_int_equal(g->left_reason, KN_CLOSE_LEFT);
    uint64_t sent = kn_client_get_stats(p->client).link.sent;
    run(g, KN_S(2));
    assert_int_equal(kn_client_get_stats(p->client).link.sent, sent); // it was heard
    assert_int_equal(g->left, 1);
    uint32_t number;
    assert_int_equal(kn_server_open(g->server, g->now, &number), KN_OK);
    assert_int_equal(number, p->connection);
}

static void silence_ends_a_connection_on_both_sides(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.timeout = KN_S(3);
    game_begin(g, &server);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    set_network(g, 0, 1.0f);
    run(g, KN_S(4));
    assert_int_equal(g->left_reason, KN_CLOSE_TIMEOUT);
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
    run(g, KN_S(8));
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_TIMEOUT);
    assert_int_equal(p->closed, 1);
    assert_int_equal(g->left, 1);
    uint64_t sent = kn_client_get_stats(p->client).link.sent;
    run(g, KN_S(1));
    assert_int_equal(kn_client_get_stats(p->client).link.sent, sent);
}

static void a_client_hears_why_the_host_closed_it(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *first = add_client(g, 0, NULL), *second = add_client(g, 1, NULL);
    run(g, KN_S(5));
    first->is_stopped = true;
    run(g, KN_S(2)); // it was not heard for longer than a closed connection stays
    first->is_stopped = false;
    assert_true(kn_server_close(g->server, first->connection, KN_CLOSE_ABUSE));
    assert_false(kn_server_close(g->server, first->connection, KN_CLOSE_ABUSE));
    assert_true(kn_server_close(g->server, second->connection, KN_CLOSE_HOST));
    run(g, KN_S(2));
    assert_int_equal(kn_client_closed(first->client), KN_CLOSE_ABUSE);
    assert_int_equal(kn_client_closed(second->client), KN_CLOSE_LEFT);
    assert_int_equal(g->left, 2);
    assert_false(kn_server_close(g->server, first->connection, KN_CLOSE_HOST));
}

static void messages_arrive_in_order_both_ways(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(30), 0.2f);
    peer *p = add_client(g, 0, NULL);
    assert_int_equal(kn_client_send(p->client, "x", 1), KN_REFUSED_BLOCKED);
    run(g, KN_S(3));
    for (uint8_t i = 0; i < 100; i++) {
        assert_int_equal(kn_client_send(p->client, &i, 1), KN_OK);
        assert_int_equal(kn_server_send(g->server, p->connection, &i, 1), KN_OK);
        run(g, FRAME);
    }
    run(g, KN_S(3));
    assert_int_equal(g->messages, 100);
    assert_int_equal(p->message_count, 100);
    for (uint8_t i = 0; i < 100; i++) {
        assert_int_equal(g->message_bytes[i], i);
        assert_int_equal(p->messages[i], i);
    }
    assert_int_equal(kn_server_send(g->server, 50, "x", 1), KN_REFUSED_NOT_FOUND);
}

static void the_smallest_datagrams_are_enough(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.datagram_bytes = 256;
    server.command_rate = 1000;
    game_begin(g, &server);
    kn_client_def def = client_def(g);
    def.datagram_bytes = 256;
    peer *p = add_client(g, 0, &def);
    run(g, KN_S(1));
    for (uint32_t i = 0; i < 200; i++) {
        command_release(p);
    }
    run(g, KN_S(5));
    assert_int_equal(p->answers, 200);
}

// Commands ------------------------------------------------------------------

// PRED-010
static void a_command_is_answered_once_and_a_refused_one_with_its_reason(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(40), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    uint32_t first = command_heal(g, p, p->hero);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->last_answer, KN_OK);
    assert_int_equal(p->last_sequence, first);
    command_heal(g, p, p->hero); // on cooldown
    run(g, KN_S(1));
    assert_int_equal(p->answers, 2);
    assert_int_equal(p->last_answer, KN_REFUSED_COOLDOWN);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).commands, 2);
    assert_float_equal(value_at(g->world, p->hero, g->kit.health), 1025.0f, 0.0f);
    assert_float_equal(value_at(kn_client_world(p->client), p->hero, g->kit.health), 1025.0f, 0.0f);
}

// SNET-003
static void nobody_commands_what_belongs_to_somebody_else(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL), *victim = add_client(g, 1, NULL);
    run(g, KN_S(2));
    command_heal(g, p, victim->hero);
    run(g, KN_S(1));
    assert_int_equal(p->answers, 1);
    assert_int_not_equal(p->last_answer, KN_OK);
    assert_float_equal(value_at(g->world, victim->hero, g->kit.health), 1000.0f, 0.0f);
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
}

// SNET-005
static void too_many_commands_are_refused_and_counted_and_all_are_answered(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(60), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(3));
    for (uint32_t i = 0; i < 180; i++) {
        command_release(p);
    }
    run(g, KN_S(4));
    kn_server_stats stats = kn_server_get_stats(g->server, p->connection);
    assert_int_equal(p->answers, 180);
    assert_true(stats.commands >= 50 && stats.commands < 120);
    assert_int_equal(stats.commands + stats.commands_refused, 180);
    command_heal(g, p, p->hero);
    run(g, KN_S(1));
    assert_int_equal(p->answers, 181);
    assert_int_equal(p->last_answer, KN_OK);
}

static void lost_and_doubled_datagrams_cost_and_repeat_no_command(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    kn_net_conditions bad = {.latency = KN_MS(50), .loss = 0.3f, .duplicate = 0.3f};
    assert_int_equal(kn_net_sim_set_all(g->net, &bad), KN_OK);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(4));
    for (uint32_t i = 0; i < 40; i++) {
        command_heal(g, p, p->hero);
        run(g, KN_MS(100));
    }
    run(g, KN_S(4));
    assert_int_equal(p->answers, 40);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).commands, 40);
    uint32_t carried_out = p->answers - p->refused;
    assert_float_equal(
        value_at(g->world, p->hero, g->kit.health), 1000.0f + 25.0f * (float)carried_out, 0.0f);
    assert_float_equal(value_at(kn_client_world(p->client), p->hero, g->kit.health),
        1000.0f + 25.0f * (float)carried_out, 0.0f);
}

static void a_command_that_no_datagram_can_carry_is_refused_at_once(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    kn_command_activate payload[KN_COMMAND_PARTS_MAX];
    kn_command parts[KN_COMMAND_PARTS_MAX];
    for (uint32_t i = 0; i < KN_COMMAND_PARTS_MAX; i++) {
        parts[i] = heal_command(g, p->hero, &payload[i]);
    }
    kn_command batch = {.type = kn_command_type_batch(),
        .entity = p->hero,
        .parts = parts,
        .part_count = KN_COMMAND_PARTS_MAX};
    uint32_t size = kn_command_write(g->kit.library, &batch, NULL, 0);
    kn_result result = kn_client_command(p->client, &batch, NULL, NULL);
    assert_int_equal(result, size > 800 ? KN_REFUSED_LIMIT : KN_OK);
    command_heal(g, p, p->hero);
    run(g, KN_S(1));
    assert_int_equal(p->answers, result == KN_OK ? 2 : 1);
}

// A fake client -------------------------------------------------------------

typedef struct fake {
    kn_net_link *link;
    uint32_t connection;
    uint8_t payload[1200]; // the last one of the server
    size_t payload_size;
} fake;

static fake fake_open(game *g)
{
    fake f = {0};
    kn_net_link_def def = kn_net_link_def_default();
    assert_int_equal(kn_net_link_create(&def, &f.link), KN_OK);
    assert_int_equal(kn_server_open(g->server, g->now, &f.connection), KN_OK);
    return f;
}

// One turn of the server with a datagram of the fake client.
static void fake_turn(game *g, fake *f, const uint8_t *payload, size_t size)
{
    uint8_t bytes[1200];
    size_t written;
    assert_int_equal(
        kn_net_link_write(f->link, g->now, payload, size, bytes, sizeof(bytes), &written, NULL),
        KN_OK);
    (void)kn_server_receive(g->server, g->now, f->connection, bytes, written);
    assert_int_equal(kn_server_update(g->server, g->now), KN_OK);
    server_events(g);
    while (kn_server_write(g->server, g->now, f->connection, bytes, sizeof(bytes), &written) ==
           KN_OK) {
        kn_net_link_view view;
        assert_int_equal(kn_net_link_read(f->link, g->now, bytes, written, &view), KN_OK);
        if (view.size > 0) {
            memcpy(f->payload, view.payload, view.size);
            f->payload_size = view.size;
        }
    }
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(f->link, &sequence, &was_received)) {
    }
    g->now += KN_MS(20);
}

static void fake_hello(const game *g, const fake *f, uint64_t version, uint32_t extra)
{
    static uint8_t bytes[KN_SESSION_HELLO_MAX + 64];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, WIRE_HELLO);
    kni_write_number(&out, version);
    kn_write_u64(&out, kn_library_hash(g->kit.library));
    assert_int_equal(kn_net_link_send(f->link, bytes, out.length + extra), KN_OK);
}

static kn_close_reason fake_reason(const fake *f)
{
    kn_net_link_message message;
    while (kn_net_link_next_message(f->link, &message)) {
        const uint8_t *bytes = message.bytes;
        if (message.size == 2 && bytes[0] == WIRE_CLOSE) {
            return (kn_close_reason)bytes[1];
        }
    }
    return KN_CLOSE_NONE;
}

static void another_version_of_the_protocol_is_refused(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION + 1, 0);
    fake_turn(g, &f, NULL, 0);
    assert_int_equal(fake_reason(&f), KN_CLOSE_VERSION);
    assert_int_equal(g->joined, 0);
    kn_net_link_destroy(f.link);
}

static void a_hello_that_is_too_long_is_counted_and_lets_nobody_in(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION, KN_SESSION_HELLO_MAX + 1);
    for (uint32_t i = 0; i < 4; i++) {
        fake_turn(g, &f, NULL, 0);
    }
    assert_int_equal(g->joined, 0);
    assert_int_equal(kn_server_get_stats(g->server, f.connection).bad, 1);
    kn_net_link_destroy(f.link);
}

static void garbage_is_counted_and_ends_the_connection(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION, 0);
    fake_turn(g, &f, NULL, 0);
    assert_int_equal(g->joined, 1);
    static const uint8_t garbage[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    for (uint32_t i = 0; i < 300 && g->left == 0; i++) {
        fake_turn(g, &f, garbage, sizeof(garbage));
    }
    assert_int_equal(g->left_reason, KN_CLOSE_ABUSE);
    assert_int_equal(fake_reason(&f), KN_CLOSE_ABUSE);
    kn_net_link_destroy(f.link);
}

// A payload with commands that say nothing.
static size_t fake_commands(
    uint8_t *bytes, size_t size, uint64_t tick, uint32_t first, uint32_t count)
{
    kn_writer out = {bytes, size, 0};
    kni_write_number(&out, 1);
    kni_write_number(&out, 0);
    kni_write_number(&out, first);
    kni_write_number(&out, count);
    for (uint32_t i = 0; i < count; i++) {
        kni_write_number(&out, tick);
        kni_write_number(&out, 1);
        kn_write_u8(&out, 0xee);
    }
    assert_true(out.length <= size);
    return out.length;
}

static void a_command_from_the_far_future_is_refused(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION, 0);
    fake_turn(g, &f, NULL, 0);
    uint8_t bytes[64];
    size_t size = fake_commands(bytes, sizeof(bytes), kn_server_tick(g->server) + 1000, 1, 1);
    fake_turn(g, &f, bytes, size);
    kn_server_stats stats = kn_server_get_stats(g->server, f.connection);
    assert_int_equal(stats.commands_refused, 1);
    assert_int_equal(stats.bad, 0);
    kn_net_link_destroy(f.link);
}

// Whether the last payload of the server answers a command.
static bool fake_is_answered(const fake *f, uint32_t sequence)
{
    kn_reader in = {.data = f->payload, .size = f->payload_size};
    assert_int_equal(kn_read_u8(&in), 0); // not packed
    (void)kni_read_number(&in);
    (void)kni_read_signed(&in);
    (void)kni_read_number(&in);
    bool is_answered = false;
    for (uint64_t count = kni_read_number(&in); count > 0; count--) {
        is_answered = kni_read_number(&in) == sequence || is_answered;
        (void)kni_read_number(&in);
        (void)kni_read_number(&in);
    }
    assert_false(in.failed);
    return is_answered;
}

static void refusals_do_not_hide_the_answer_to_a_command_that_waited(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION, 0);
    for (uint32_t i = 0; i < 5; i++) {
        fake_turn(g, &f, NULL, 0);
    }
    uint8_t bytes[1000];
    uint64_t tick = kn_server_tick(g->server);
    fake_turn(g, &f, bytes, fake_commands(bytes, sizeof(bytes), tick + 30, 1, 1));
    fake_turn(g, &f, bytes, fake_commands(bytes, sizeof(bytes), tick + 1000, 2, 150));
    assert_false(fake_is_answered(&f, 1));
    for (uint32_t i = 0; i < 40; i++) {
        fake_turn(g, &f, NULL, 0);
    }
    assert_true(fake_is_answered(&f, 1));
    kn_net_link_destroy(f.link);
}

static void a_client_that_takes_no_answers_does_not_fill_the_memory(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.hooks = purse_hooks(&g->purse);
    game_begin(g, &server);
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION, 0);
    fake_turn(g, &f, NULL, 0);
    uint8_t bytes[1000];
    for (uint32_t i = 0; i < 5; i++) {
        fake_turn(g, &f, bytes, fake_commands(bytes, sizeof(bytes), 1, 1 + 100 * i, 100));
    }
    size_t before = g->purse.bytes;
    for (uint32_t i = 5; i < 100; i++) {
        fake_turn(g, &f, bytes, fake_commands(bytes, sizeof(bytes), 1, 1 + 100 * i, 100));
    }
    assert_true(g->purse.bytes < before + 20000);
    kn_server_stats stats = kn_server_get_stats(g->server, f.connection);
    assert_true(stats.commands_refused <= 256);
    kn_net_link_destroy(f.link);
}

// The flags of an entity in the last payload that the server sent; 255 if it is not there.
static uint8_t fake_flags(const fake *f, uint32_t wanted)
{
    kn_reader in = {.data = f->payload, .size = f->payload_size};
    assert_int_equal(kn_read_u8(&in), 0); // not packed
    (void)kni_read_number(&in);
    (void)kni_read_signed(&in);
    (void)kni_read_number(&in);
    assert_int_equal(kni_read_number(&in), 0); // no answers
    while (in.at < in.size && !in.failed) {
        uint64_t index = kni_read_number(&in);
        uint8_t flags = kn_read_u8(&in);
        (void)kni_read_number(&in);
        bool is_check = flags == WIRE_IS_CHECK;
        if (is_check) {
            (void)kn_read_u32(&in);
        } else {
            (void)kni_delta_read(NULL, 0, 0, &in, NULL);
        }
        if (index == wanted && !is_check) {
            return flags;
        }
    }
    assert_false(in.failed);
    return 255;
}

static void what_a_client_asks_for_again_comes_whole(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.send_every = 1;
    game_begin(g, &server);
    kn_entity_id thing;
    assert_true(session_hero(&g->kit, g->world, 0, &thing));
    fake f = fake_open(g);
    fake_hello(g, &f, KN_SESSION_VERSION, 0);
    for (uint32_t i = 0; i < 10; i++) {
        set_value(g, thing, g->kit.mana, (float)i);
        fake_turn(g, &f, NULL, 0);
    }
    assert_int_equal(fake_flags(&f, thing.index1), WIRE_HAS_BASE);
    uint8_t message[32];
    kn_writer out = {message, sizeof(message), 0};
    kn_write_u8(&out, WIRE_RESYNC);
    kni_write_number(&out, thing.index1);
    kni_write_number(&out, kn_server_tick(g->server));
    kn_write_u8(&out, 1);
    assert_int_equal(kn_net_link_send(f.link, message, out.length), KN_OK);
    fake_turn(g, &f, NULL, 0); // it says too that all datagrams arrived
    assert_int_equal(fake_flags(&f, thing.index1), 0);
    assert_int_equal(kn_server_get_stats(g->server, f.connection).resyncs, 1);
    kn_net_link_destroy(f.link);
}

// Who receives what ---------------------------------------------------------

// REP-001, REP-002, REP-003, NET-004
static void the_sync_mode_decides_who_has_effects_and_tags_reach_all(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *owner = add_client(g, 0, NULL), *other = add_client(g, 1, NULL);
    run(g, KN_S(1));
    static const uint32_t counts[KN_SYNC_MODE_COUNT][2] = {{1, 1}, {1, 0}, {0, 0}};
    for (uint32_t mode = 0; mode < KN_SYNC_MODE_COUNT; mode++) {
        kn_entity_id entity;
        assert_true(session_hero(&g->kit, g->world, owner->connection, &entity));
        if (mode > 0) { // the first one is what a server does by itself
            assert_int_equal(kn_server_set_mode(g->server, entity, (kn_sync_mode)mode), KN_OK);
        }
        run(g, KN_S(1));
        afflict(g, entity, g->kit.blessing);
        run(g, KN_S(1));
        for (uint32_t i = 0; i < 2; i++) {
            kn_world *world = kn_client_world(i == 0 ? owner->client : other->client);
            assert_int_equal(kn_effects_count(world, entity), counts[mode][i]);
            assert_true(kn_entity_has_tag(world, entity, g->kit.blessed));
            assert_float_equal(value_at(world, entity, g->kit.mana), 55.0f, 0.0f);
        }
    }
    assert_int_equal(
        kn_server_set_mode(g->server, (kn_entity_id){0}, KN_SYNC_MODE_FULL), KN_REFUSED_STALE_ID);
}

// New bytes are sent as their difference from the old ones: from 0, they are what is searched for.
static void what_others_must_not_know_is_in_no_byte_for_them(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *owner = add_client(g, 0, NULL), *other = add_client(g, 1, NULL);
    run(g, KN_S(1));
    const kn_attribute_id all[] = {g->kit.rage, g->kit.fate, g->kit.mana};
    for (uint32_t i = 0; i < 3; i++) {
        set_value(g, owner->hero, all[i], 0.0f);
    }
    run(g, KN_S(1));
    const float rage = 12345.678f, fate = 98765.432f, mana = 4321.123f;
    set_value(g, owner->hero, g->kit.rage, rage);
    set_value(g, owner->hero, g->kit.fate, fate);
    set_value(g, owner->hero, g->kit.mana, mana);
    run(g, KN_S(1));
    peer *late = add_client(g, 2, NULL);
    run(g, KN_S(1));
    assert_true(has_heard(owner, rage));
    assert_true(has_heard(owner, mana) && has_heard(other, mana) && has_heard(late, mana));
    assert_false(has_heard(other, rage) || has_heard(late, rage));
    assert_false(has_heard(owner, fate) || has_heard(other, fate) || has_heard(late, fate));
    assert_float_equal(
        value_at(kn_client_world(owner->client), owner->hero, g->kit.rage), rage, 0.0f);
}

static void a_new_owner_learns_what_only_owners_know(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    peer *first = add_client(g, 0, NULL), *second = add_client(g, 1, NULL);
    run(g, KN_S(1));
    const float rage = 555.125f;
    set_value(g, first->hero, g->kit.rage, rage);
    run(g, KN_S(1));
    assert_false(has_heard(second, rage));
    (void)kn_entity_set_connection(g->world, first->hero, second->connection);
    run(g, KN_S(1));
    assert_float_equal(
        value_at(kn_client_world(second->client), first->hero, g->kit.rage), rage, 0.0f);
    command_heal(g, second, first->hero);
    run(g, KN_S(1));
    assert_int_equal(second->last_answer, KN_OK);
}

static bool sees_some(void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const game *g = user;
    (void)world;
    (void)connection;
    return entity.index1 != g->unseen.index1;
}

static void what_goes_out_of_sight_leaves_and_comes_back(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.is_relevant = sees_some;
    server.user = g;
    game_begin(g, &server);
    set_network(g, KN_MS(30), 0.1f);
    peer *p = add_client(g, 0, NULL);
    kn_entity_id thing;
    assert_true(session_hero(&g->kit, g->world, 0, &thing));
    run(g, KN_S(2));
    assert_true(kn_entity_is_alive(kn_client_world(p->client), thing));
    g->unseen = thing;
    run(g, KN_S(2));
    assert_false(kn_entity_is_alive(kn_client_world(p->client), thing));
    assert_int_equal(p->left, 1);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).visible, 1);
    set_value(g, thing, g->kit.mana, 99.0f);
    g->unseen = p->hero; // own ones are seen in any case
    run(g, KN_S(2));
    assert_float_equal(value_at(kn_client_world(p->client), thing, g->kit.mana), 99.0f, 0.0f);
    assert_true(kn_entity_is_alive(kn_client_world(p->client), p->hero));
    assert_int_equal(p->left, 1);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).visible, 2);
}

static void bodies_of_what_is_seen_are_seen(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.is_relevant = sees_some;
    server.user = g;
    game_begin(g, &server);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    kn_entity_id body; // has a higher index than the hero
    assert_int_equal(kn_entity_create(g->world, &body), KN_OK);
    g->unseen = body;
    run(g, KN_S(1));
    assert_false(kn_entity_is_alive(kn_client_world(p->client), body));
    assert_int_equal(kn_entity_set_avatar(g->world, p->hero, body), KN_OK);
    run(g, KN_S(2));
    assert_true(kn_entity_is_alive(kn_client_world(p->client), body));
    assert_int_equal(kn_entity_avatar(kn_client_world(p->client), p->hero).index1, body.index1);
    assert_int_equal(p->left, 0);
    assert_true(kn_client_get_stats(p->client).entities < 20); // it does not come and go
}

static void a_destroyed_entity_is_gone_everywhere_and_its_place_can_be_taken(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(30), 0.2f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(2));
    for (uint32_t i = 0; i < 5; i++) {
        kn_entity_id thing;
        assert_true(session_hero(&g->kit, g->world, 0, &thing));
        set_value(g, thing, g->kit.mana, (float)i);
        run(g, KN_S(2));
        kn_world *world = kn_client_world(p->client);
        assert_float_equal(value_at(world, thing, g->kit.mana), (float)i, 0.0f);
        assert_true(kn_entity_destroy(g->world, thing));
        if (i % 2 == 0) { // otherwise the next one comes in the same tick
            run(g, KN_S(2));
            assert_false(kn_entity_is_alive(world, thing));
            assert_int_equal(kn_entity_count(world), 1);
        }
    }
    run(g, KN_S(1));
    assert_int_equal(p->left, 0);
    assert_int_equal(kn_server_get_stats(g->server, p->connection).visible, 1);
}

static void somebody_who_joins_later_gets_everything(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(40), 0.1f);
    peer *first = add_client(g, 0, NULL);
    run(g, KN_S(3));
    kn_entity_id things[60];
    for (uint32_t i = 0; i < 60; i++) {
        assert_true(session_hero(&g->kit, g->world, 0, &things[i]));
        afflict(g, things[i], i % 2 == 0 ? g->kit.burning : g->kit.blessing);
    }
    command_heal(g, first, first->hero);
    run(g, KN_S(2));
    peer *late = add_client(g, 1, NULL);
    run(g, KN_S(5));
    kn_world *world = kn_client_world(late->client);
    assert_int_equal(kn_entity_count(world), kn_entity_count(g->world));
    for (uint32_t i = 0; i < 60; i++) {
        assert_int_equal(kn_effects_count(world, things[i]), 1);
    }
    assert_float_equal(value_at(world, first->hero, g->kit.health), 1025.0f, 0.0f);
    kn_client_stats stats = kn_client_get_stats(late->client);
    assert_int_equal(stats.bad, 0);
}

static void an_entity_larger_than_a_datagram_arrives(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(40), 0.1f);
    kn_entity_id thing;
    assert_true(session_hero(&g->kit, g->world, 0, &thing));
    for (uint32_t i = 0; i < 120; i++) {
        afflict(g, thing, g->kit.blessing);
    }
    peer *p = add_client(g, 0, NULL);
    for (uint32_t i = 0; i < 100; i++) { // it changes all the time
        set_value(g, thing, g->kit.health, (float)i);
        run(g, KN_MS(50));
    }
    kn_world *world = kn_client_world(p->client);
    assert_int_equal(kn_effects_count(world, thing), 120);
    run(g, KN_S(2));
    assert_float_equal(value_at(world, thing, g->kit.health), 99.0f, 0.0f);
    kn_server_stats stats = kn_server_get_stats(g->server, p->connection);
    assert_true(stats.state_bytes < 20000); // it was not sent whole again and again
}

static void a_tight_budget_of_bytes_starves_nobody(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.bytes_per_second = 3000;
    server.burst_bytes = 1200;
    game_begin(g, &server);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(1));
    kn_entity_id things[40], own[2];
    for (uint32_t i = 0; i < 2; i++) { // own ones that are larger than a datagram
        assert_true(session_hero(&g->kit, g->world, p->connection, &own[i]));
        for (uint32_t j = 0; j < 60; j++) {
            afflict(g, own[i], g->kit.blessing);
        }
    }
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(session_hero(&g->kit, g->world, 0, &things[i]));
    }
    for (uint32_t i = 0; i < 60; i++) { // a large one of nobody
        afflict(g, things[0], g->kit.blessing);
    }
    for (uint32_t turn = 0; turn < 400 / SHARE(2); turn++) {
        for (uint32_t i = 0; i < 42; i++) { // all change all the time
            kn_entity_id entity = i < 40 ? things[i] : own[i - 40];
            set_value(g, entity, g->kit.mana, (float)turn);
        }
        run(g, KN_MS(100));
    }
    kn_world *world = kn_client_world(p->client);
    for (uint32_t i = 0; i < 40; i++) {
        assert_true(kn_entity_is_alive(world, things[i]));
        assert_true(value_at(world, things[i], g->kit.mana) > 300.0f / SHARE(2));
    }
    double seconds = 1.0 + 40.0 / SHARE(2);
    kn_server_stats stats = kn_server_get_stats(g->server, p->connection);
    assert_true((double)stats.state_bytes < seconds * 3000.0 + 20000.0);
}

// What is reported ----------------------------------------------------------

// PRED-001, PRED-012: nobody waits for permission, and what the server confirms is not shown again.
static void what_was_predicted_is_reported_once(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(80), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(4));
    command_heal(g, p, p->hero);
    run(g, 2 * FRAME + KN_MS(20));
    assert_int_equal(p->healed, 1); // long before the server can have answered
    assert_int_equal(p->answers, 0);
    run(g, KN_S(2));
    assert_int_equal(p->answers, 1);
    assert_int_equal(p->healed, 1);
    assert_int_equal(p->unhealed, 0);
}

// PRED-011: what was predicted in vain is undone, in the world and for the host.
static void what_the_server_refused_is_revoked(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(80), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(4));
    kn_ability_query all = kn_ability_query_default();
    kn_ability_id ability;
    assert_int_equal(kn_abilities_find(g->world, p->hero, &all, &ability, 1), 1);
    // The client does not know yet.
    assert_int_equal(kn_ability_remove(g->world, ability, KN_GRANT_CANCEL), KN_OK);
    command_heal(g, p, p->hero);
    run(g, KN_S(2));
    assert_int_not_equal(p->last_answer, KN_OK);
    assert_int_equal(p->healed, 1);
    assert_int_equal(p->unhealed, 1);
    assert_float_equal(value_at(kn_client_world(p->client), p->hero, g->kit.health), 1000.0f, 0.0f);
}

static void ticks_of_effects_are_not_sent(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(20), 0.0f);
    for (uint32_t i = 0; i < 4; i++) {
        add_client(g, i, NULL);
    }
    run(g, KN_S(2));
    for (uint32_t i = 0; i < 4; i++) {
        for (uint32_t j = 0; j < 10; j++) {
            afflict(g, g->peers[i].hero, g->kit.ticking);
        }
    }
    run(g, KN_S(2));
    uint64_t before = kn_server_get_stats(g->server, 1).state_bytes;
    run(g, KN_S(10));
    uint64_t bytes = kn_server_get_stats(g->server, 1).state_bytes - before;
    assert_true(bytes < 10 * 300);
    kn_world *world = kn_client_world(g->peers[0].client);
    float here = value_at(g->world, g->peers[1].hero, g->kit.health);
    float there = value_at(world, g->peers[1].hero, g->kit.health);
    assert_true(here < 800.0f && there >= here - 10.0f && there <= here);
}

// Rate of fire --------------------------------------------------------------

// Uses the ability as soon as the player's own world lets him.
static void heal_when_ready(const game *g, const peer *p)
{
    const kn_world *world = kn_client_world(p->client);
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability;
    if (world != NULL && kn_abilities_find(world, p->hero, &query, &ability, 1) == 1 &&
        kn_ability_check(world, ability, NULL) == 0) {
        command_heal(g, p, p->hero);
    }
}

// PRED-040, PRED-042, CDN-013: a cooldown that both sides compute costs no latency, and a lost
// datagram no use. With 100 ms there and back, 250 ms, and datagrams lost on the way.
static void the_rate_of_fire_does_not_depend_on_the_line(void **state)
{
    static const kn_time latencies[] = {0, KN_MS(50), KN_MS(125)};
    game *g = *state;
    game_begin(g, NULL);
    for (uint32_t i = 0; i < 3; i++) {
        kn_net_conditions line = {.latency = latencies[i], .loss = i > 0 ? 0.05f : 0.0f};
        assert_int_equal(kn_net_sim_set(g->net, 0, i + 1, &line), KN_OK);
        assert_int_equal(kn_net_sim_set(g->net, i + 1, 0, &line), KN_OK);
        add_client(g, i, NULL);
    }
    run(g, KN_S(5));
    uint64_t first[3] = {0}, last[3] = {0};
    uint32_t uses[3] = {0};
    for (kn_time end = g->now + KN_S(62); g->now < end;) {
        float before[3];
        for (uint32_t i = 0; i < 3; i++) {
            before[i] = value_at(g->world, g->peers[i].hero, g->kit.health);
            heal_when_ready(g, &g->peers[i]);
        }
        run(g, FRAME);
        for (uint32_t i = 0; i < 3; i++) {
            if (value_at(g->world, g->peers[i].hero, g->kit.health) > before[i] && uses[i] < 31) {
                last[i] = kn_server_tick(g->server);
                first[i] = uses[i]++ == 0 ? last[i] : first[i];
            }
        }
    }
    for (uint32_t i = 0; i < 3; i++) { // thirty cooldowns of two seconds
        assert_int_equal(uses[i], 31);
        assert_int_equal(last[i] - first[i], 30 * 120);
    }
}

// Clocks --------------------------------------------------------------------

static void expect_well(game *g, peer *p)
{
    run(g, KN_S(5));
    uint32_t answers = p->answers;
    assert_int_equal(kn_client_closed(p->client), KN_CLOSE_NONE);
    assert_true(kn_client_tick(p->client) >= kn_server_tick(g->server));
    assert_true(kn_client_tick(p->client) < kn_server_tick(g->server) + 30);
    command_heal(g, p, p->hero);
    run(g, KN_MS(500));
    assert_int_equal(p->answers, answers + 1);
    assert_int_equal(p->last_answer, KN_OK);
}

static void clients_recover_from_pauses_and_clocks_that_jump(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(40), 0.02f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(3));
    p->is_stopped = true;
    run(g, KN_S(3));
    p->is_stopped = false;
    expect_well(g, p);
    p->skew += KN_S(3);
    expect_well(g, p);
    p->skew -= KN_S(3600);
    expect_well(g, p);
}

static void a_server_that_pauses_lets_its_clients_follow(void **state)
{
    game *g = *state;
    game_begin(g, NULL);
    set_network(g, KN_MS(40), 0.0f);
    peer *p = add_client(g, 0, NULL);
    run(g, KN_S(3));
    for (kn_time end = g->now + KN_S(3); g->now < end; g->now += FRAME) {
        client_turn(g, 0);
    }
    expect_well(g, p);
}

// Memory --------------------------------------------------------------------

// One turn in which calls may fail for want of memory, and in no other way.
static bool poor_turn(game *g, peer *p)
{
    uint8_t buffer[2048];
    size_t size;
    bool ok = true;
    while (kn_net_sim_receive(g->net, g->now, 0, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        ok = kn_server_receive(g->server, g->now, p->connection, buffer, size) !=
                 KN_ERROR_OUT_OF_MEMORY &&
             ok;
    }
    kn_result result = kn_server_update(g->server, g->now);
    assert_true(result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY);
    ok = ok && result == KN_OK;
    server_events(g);
    while ((result = kn_server_write(
                g->server, g->now, p->connection, buffer, sizeof(buffer), &size)) == KN_OK) {
        assert_int_equal(kn_net_sim_send(g->net, g->now, 0, 1, buffer, size), KN_OK);
    }
    ok = ok && result != KN_ERROR_OUT_OF_MEMORY;
    while (kn_net_sim_receive(g->net, g->now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        ok = kn_client_receive(p->client, g->now, buffer, size) != KN_ERROR_OUT_OF_MEMORY && ok;
    }
    result = kn_client_update(p->client, g->now);
    assert_true(
        result == KN_OK || result == KN_ERROR_OUT_OF_MEMORY || result == KN_ERROR_WORLD_BROKEN);
    ok = ok && result == KN_OK;
    client_events(g, p);
    while ((result = kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size)) == KN_OK) {
        assert_int_equal(kn_net_sim_send(g->net, g->now, 1, 0, buffer, size), KN_OK);
    }
    g->now += FRAME;
    return ok && result != KN_ERROR_OUT_OF_MEMORY;
}

// The whole life of a session with so many allocations. False if there were some left.
static bool poor_life(game *g, uint32_t at, uint32_t *reported)
{
    peer *p = &g->peers[0];
    *p = (peer){0};
    g->purse.left = at;
    kn_server_def server = server_def(g);
    server.hooks = purse_hooks(&g->purse);
    kn_client_def client = client_def(g);
    client.hooks = purse_hooks(&g->purse);
    client.hello = "Ada";
    client.hello_size = 4;
    bool ok = kn_server_create(&server, &g->server) == KN_OK &&
              kn_client_create(&client, &p->client) == KN_OK &&
              kn_server_open(g->server, g->now, &p->connection) == KN_OK;
    for (uint32_t i = 0; i < 60 && ok; i++) {
        ok = poor_turn(g, p);
        if (ok && i == 40 && kn_client_world(p->client) != NULL) {
            kn_command_activate payload;
            kn_command command = heal_command(g, p->hero, &payload);
            ok = kn_client_command(p->client, &command, NULL, NULL) == KN_OK;
        }
    }
    *reported += !ok;
    bool was_poor = g->purse.left == 0;
    g->purse.left = UINT32_MAX;
    bool is_there = g->server != NULL && p->client != NULL && p->connection != 0;
    for (uint32_t i = 0; i < 400 && is_there; i++) { // there is memory again
        (void)poor_turn(g, p);
    }
    if (is_there && kn_client_closed(p->client) == KN_CLOSE_NONE) {
        if (kn_client_world(p->client) == NULL) {
            fail_msg("no world after allocation %u", at);
        }
        assert_true(kn_entity_is_alive(kn_client_world(p->client), p->hero));
        assert_int_equal(kn_entity_count(kn_client_world(p->client)), kn_entity_count(g->world));
    }
    kn_client_destroy(p->client);
    p->client = NULL;
    kn_server_destroy(g->server);
    g->server = NULL;
    if (p->hero.index1 != 0) {
        (void)kn_entity_destroy(g->world, p->hero);
    }
    assert_int_equal(g->purse.bytes, 0);
    kn_net_sim_destroy(g->net);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS + 1;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    return was_poor;
}

static void every_failed_allocation_of_a_join_is_reported_and_survived(void **state)
{
    game *g = *state;
    kn_entity_id thing;
    assert_true(session_hero(&g->kit, g->world, 0, &thing));
    afflict(g, thing, g->kit.burning);
    uint32_t at = 0, reported = 0;
    while (poor_life(g, at, &reported)) {
        at++;
    }
    assert_true(at > 50);
    assert_int_equal(reported, at - 1); // the last time there was just enough
}

static void memory_is_given_back_with_exact_sizes(void **state)
{
    game *g = *state;
    kn_server_def server = server_def(g);
    server.hooks = purse_hooks(&g->purse);
    game_begin(g, &server);
    set_network(g, KN_MS(40), 0.1f);
    kn_client_def def = client_def(g);
    def.hooks = purse_hooks(&g->purse);
    for (uint32_t i = 0; i < 3; i++) {
        add_client(g, i, &def);
    }
    run(g, KN_S(3));
    for (uint32_t i = 0; i < 60; i++) {
        command_heal(g, &g->peers[i % 3], g->peers[i % 3].hero);
        assert_int_equal(kn_client_send(g->peers[0].client, "hello", 5), KN_OK);
        run(g, KN_MS(60));
    }
    kn_client_leave(g->peers[1].client);
    assert_true(kn_server_close(g->server, g->peers[2].connection, KN_CLOSE_HOST));
    run(g, KN_S(2));
    // teardown() looks whether anything is left
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(a_player_joins_and_both_sides_hear_of_it_once),
    TEST(another_version_of_the_protocol_is_refused),
    TEST(another_library_is_refused),
    TEST(the_host_decides_who_plays),
    TEST(a_full_server_opens_no_connection),
    TEST(a_hello_that_is_too_long_makes_no_client),
    TEST(a_hello_that_is_too_long_is_counted_and_lets_nobody_in),
    TEST(a_client_that_leaves_is_heard_and_its_number_is_free_again),
    TEST(silence_ends_a_connection_on_both_sides),
    TEST(a_client_hears_why_the_host_closed_it),
    TEST(messages_arrive_in_order_both_ways),
    TEST(the_smallest_datagrams_are_enough),
    TEST(a_command_is_answered_once_and_a_refused_one_with_its_reason),
    TEST(nobody_commands_what_belongs_to_somebody_else),
    TEST(too_many_commands_are_refused_and_counted_and_all_are_answered),
    TEST(lost_and_doubled_datagrams_cost_and_repeat_no_command),
    TEST(a_command_that_no_datagram_can_carry_is_refused_at_once),
    TEST(a_command_from_the_far_future_is_refused),
    TEST(garbage_is_counted_and_ends_the_connection),
    TEST(what_a_client_asks_for_again_comes_whole),
    TEST(refusals_do_not_hide_the_answer_to_a_command_that_waited),
    TEST(a_client_that_takes_no_answers_does_not_fill_the_memory),
    TEST(the_sync_mode_decides_who_has_effects_and_tags_reach_all),
    TEST(what_others_must_not_know_is_in_no_byte_for_them),
    TEST(a_new_owner_learns_what_only_owners_know),
    TEST(what_goes_out_of_sight_leaves_and_comes_back),
    TEST(bodies_of_what_is_seen_are_seen),
    TEST(a_destroyed_entity_is_gone_everywhere_and_its_place_can_be_taken),
    TEST(somebody_who_joins_later_gets_everything),
    TEST(an_entity_larger_than_a_datagram_arrives),
    TEST(a_tight_budget_of_bytes_starves_nobody),
    TEST(what_was_predicted_is_reported_once),
    TEST(what_the_server_refused_is_revoked),
    TEST(ticks_of_effects_are_not_sent),
    TEST(the_rate_of_fire_does_not_depend_on_the_line),
    TEST(clients_recover_from_pauses_and_clocks_that_jump),
    TEST(a_server_that_pauses_lets_its_clients_follow),
    TEST(every_failed_allocation_of_a_join_is_reported_and_survived),
    TEST(memory_is_given_back_with_exact_sizes),
};

TEST_GROUP(session_rules, tests, NULL, NULL);
