// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Entities that clients create by prediction: a player throws two orbs, each of which splits off a
// shard later. The server's take their places, under other ids and without anybody noticing.

#include "net_test.h"

#include "knack/net.h"

#define PEERS 2
#define FRAME KN_MS(5)
#define SEEN_MAX 1024
#define SPLIT_DELAY KN_MS(300)

// What the host of a client was told about entities.
typedef struct seen {
    kn_entity_id created[SEEN_MAX], revoked[SEEN_MAX], destroyed[SEEN_MAX];
    kn_entity_id old_names[SEEN_MAX], new_names[SEEN_MAX];
    uint32_t created_count, revoked_count, destroyed_count, renamed_count;
    uint32_t marked, unmarked;
} seen;

typedef struct peer {
    kn_client *client;
    uint32_t connection;
    kn_entity_id hero;
    seen seen;
} peer;

typedef struct game {
    kn_library *library;
    kn_attribute_set_id body;
    kn_attribute_id health;
    kn_effect_type_id mark;
    kn_ability_type_id throws;
    kn_timer_type_id splits;
    kn_world *world;
    kn_server *server;
    kn_net_sim *net;
    kn_time now;
    bool server_throws_nothing;
    purse purse; // of the first client
    uint32_t failures;
    peer peers[PEERS];
} game;

// Rules ---------------------------------------------------------------------

static kn_result orb_create(game *g, kn_world *world, kn_entity_id thrower, float health)
{
    kn_entity_id orb;
    kn_effect_id effect;
    kn_result result = kn_entity_create(world, &orb);
    if (result == KN_OK) {
        result = kn_entity_set_connection(world, orb, kn_entity_connection(world, thrower));
    }
    if (result == KN_OK) {
        result = kn_attribute_set_add(world, orb, g->body, 0);
    }
    if (result == KN_OK) {
        result = kn_attribute_set_base(world, orb, g->health, 0, health);
    }
    if (result == KN_OK) { // somebody else refers to it
        result = kn_effect_apply_simple(world, g->mark, orb, thrower, 1.0f, &effect);
    }
    return result == KN_OK ? kn_timer_start(world, g->splits, orb, SPLIT_DELAY, NULL, NULL)
                           : result;
}

static kn_result throw_orbs(const kn_ability_call *call)
{
    game *g = call->user;
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < 2 && result == KN_OK; i++) {
        if (call->world != g->world || !g->server_throws_nothing) {
            result = orb_create(g, call->world, call->owner, 10.0f + (float)i);
        }
    }
    (void)kn_activation_end(call->world, call->activation);
    return result;
}

static kn_time orb_splits(void *user, kn_world *world, kn_entity_id orb, void *data)
{
    game *g = user;
    kn_entity_id shard;
    (void)data;
    if (kn_entity_create(world, &shard) == KN_OK &&
        kn_attribute_set_add(world, shard, g->body, 0) == KN_OK) {
        float health = kn_attribute_value(world, orb, g->health);
        (void)kn_attribute_set_base(world, shard, g->health, 0, health + 100.0f);
    }
    return 0;
}

static void register_all(game *g)
{
    kn_library_def library = kn_library_def_default();
    assert_int_equal(kn_library_create(&library, &g->library), KN_OK);
    kn_attribute_def health = kn_attribute_def_default();
    health.name = "Health";
    health.default_value = 50.0f;
    kn_attribute_set_def body = kn_attribute_set_def_default();
    body.name = "Body";
    body.attributes = &health;
    body.attribute_count = 1;
    assert_int_equal(kn_attribute_set_register(g->library, &body, &g->body, NULL), KN_OK);
    g->health = kn_attribute_find(g->library, "Body.Health");
    kn_effect_def mark = kn_effect_def_default();
    mark.name = "Mark";
    mark.duration_kind = KN_DURATION_INFINITE;
    assert_int_equal(kn_effect_register(g->library, &mark, &g->mark, NULL), KN_OK);
    kn_ability_def throws = kn_ability_def_default();
    throws.name = "Throw";
    throws.activate = throw_orbs;
    throws.user = g;
    assert_int_equal(kn_ability_register(g->library, &throws, &g->throws, NULL), KN_OK);
    assert_int_equal(
        kn_timer_type_register(g->library, "Split", orb_splits, g, &g->splits, NULL), KN_OK);
    assert_int_equal(kn_library_finish(g->library, NULL), KN_OK);
}

// A match -------------------------------------------------------------------

static int setup(void **state)
{
    game *g = calloc(1, sizeof(*g));
    assert_non_null(g);
    register_all(g);
    g->purse.left = UINT32_MAX;
    kn_world_def world = kn_world_def_default();
    world.library = g->library;
    assert_int_equal(kn_world_create(&world, &g->world), KN_OK);
    kn_server_def server = kn_server_def_default();
    server.world = g->world;
    assert_int_equal(kn_server_create(&server, &g->server), KN_OK);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PEERS + 1;
    net.seed = 5;
    assert_int_equal(kn_net_sim_create(&net, &g->net), KN_OK);
    for (uint32_t i = 0; i < PEERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = g->library;
        client.hooks = i == 0 ? purse_hooks(&g->purse) : client.hooks;
        assert_int_equal(kn_client_create(&client, &g->peers[i].client), KN_OK);
        assert_int_equal(kn_server_open(g->server, 0, &g->peers[i].connection), KN_OK);
    }
    *state = g;
    return 0;
}

static int teardown(void **state)
{
    game *g = *state;
    for (uint32_t i = 0; i < PEERS; i++) {
        kn_client_destroy(g->peers[i].client);
    }
    kn_server_destroy(g->server);
    kn_world_destroy(g->world);
    kn_library_destroy(g->library);
    kn_net_sim_destroy(g->net);
    size_t left = g->purse.bytes;
    free(g);
    return left == 0 ? 0 : -1;
}

static void hero_add(game *g, uint32_t connection)
{
    kn_entity_id hero;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    grant.type = g->throws;
    assert_int_equal(kn_entity_create(g->world, &hero), KN_OK);
    assert_int_equal(kn_attribute_set_add(g->world, hero, g->body, 0), KN_OK);
    assert_int_equal(kn_ability_grant(g->world, hero, &grant, NULL), KN_OK);
    assert_int_equal(kn_entity_set_connection(g->world, hero, connection), KN_OK);
    g->peers[connection - 1].hero = hero;
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
    kn_server_event event;
    while (kn_server_next_event(g->server, &event)) {
        if (event.kind == KN_SERVER_JOINED) {
            hero_add(g, event.connection);
        }
    }
    for (uint32_t i = 0; i < PEERS; i++) {
        uint32_t connection = g->peers[i].connection;
        while (kn_server_write(g->server, g->now, connection, buffer, sizeof(buffer), &size) ==
               KN_OK) {
            assert_int_equal(kn_net_sim_send(g->net, g->now, 0, i + 1, buffer, size), KN_OK);
        }
    }
}

static void seen_note(seen *s, const game *g, const kn_client_event *event)
{
    bool happened = event->kind == KN_CLIENT_HAPPENED, revoked = event->kind == KN_CLIENT_REVOKED;
    kn_entity_id entity = event->event.entity;
    assert_true(s->created_count + s->renamed_count + s->destroyed_count < SEEN_MAX);
    if (event->kind == KN_CLIENT_RENAMED) {
        s->old_names[s->renamed_count] = event->old_entity;
        s->new_names[s->renamed_count++] = event->entity;
    } else if (happened && event->event.type == KN_EVENT_ENTITY_CREATED) {
        s->created[s->created_count++] = entity;
    } else if (revoked && event->event.type == KN_EVENT_ENTITY_CREATED) {
        s->revoked[s->revoked_count++] = entity;
    } else if (happened && event->event.type == KN_EVENT_ENTITY_DESTROYED) {
        s->destroyed[s->destroyed_count++] = entity;
    } else if (event->event.type == KN_EVENT_EFFECT_APPLIED &&
               event->event.data.effect.type.index1 == g->mark.index1) {
        s->marked += happened;
        s->unmarked += revoked;
    }
}

static void client_turn(game *g, uint32_t index)
{
    peer *p = &g->peers[index];
    uint8_t buffer[2048];
    size_t size;
    while (kn_net_sim_receive(g->net, g->now, index + 1, NULL, buffer, sizeof(buffer), &size) ==
           KN_OK) {
        (void)kn_client_receive(p->client, g->now, buffer, size);
    }
    kn_result result = kn_client_update(p->client, g->now);
    g->failures += result != KN_OK;
    assert_true(result == KN_OK || (g->purse.left == 0 && index == 0));
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
        seen_note(&p->seen, g, &event);
    }
    while (kn_client_write(p->client, g->now, buffer, sizeof(buffer), &size) == KN_OK) {
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

// Both players are there and have seen what is in the world; then the first one throws.
static void begin(game *g, kn_time latency, float loss)
{
    kn_net_conditions conditions = {.latency = latency, .loss = loss};
    assert_int_equal(kn_net_sim_set_all(g->net, &conditions), KN_OK);
    run(g, KN_S(4));
    for (uint32_t i = 0; i < PEERS; i++) {
        g->peers[i].seen = (seen){0};
        assert_int_equal(kn_entity_count(kn_client_world(g->peers[i].client)), PEERS);
    }
}

static void throw_now(const game *g)
{
    kn_command_activate payload = {.type = g->throws};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = g->peers[0].hero,
        .payload = &payload,
        .size = sizeof(payload)};
    assert_int_equal(kn_client_command(g->peers[0].client, &command, NULL, NULL), KN_OK);
}

// The id that an entity has after everything that was renamed.
static kn_entity_id name_now(const seen *s, kn_entity_id id)
{
    for (uint32_t i = 0; i < s->renamed_count; i++) {
        id = kn_entity_id_equal(s->old_names[i], id) ? s->new_names[i] : id;
    }
    return id;
}

// Tests ---------------------------------------------------------------------

// PRED-037, PRED-039
static void what_a_client_creates_is_the_servers_in_the_end(void **state)
{
    game *g = *state;
    begin(g, KN_MS(200), 0.0f);
    peer *p = &g->peers[0];
    const seen *s = &p->seen;
    throw_now(g);
    run(g, KN_MS(50));
    kn_world *world = kn_client_world(p->client);
    assert_int_equal(kn_entity_count(g->world), PEERS); // the server knows nothing of it
    assert_int_equal(kn_entity_count(world), PEERS + 2);
    assert_int_equal(s->created_count, 2);
    assert_true(kn_entity_is_own(world, s->created[0]) && kn_entity_is_own(world, s->created[1]));
    assert_true(kn_attribute_value(world, s->created[0], g->health) == 10.0f);
    assert_true(kn_attribute_value(world, s->created[1], g->health) == 11.0f);
    run(g, KN_S(2));
    assert_int_equal(kn_entity_count(g->world), PEERS + 4); // two orbs, two shards
    assert_int_equal(kn_entity_count(world), PEERS + 4);
    assert_int_equal(s->created_count, 4);
    assert_int_equal(s->revoked_count, 0);
    assert_int_equal(s->destroyed_count, 0);
    assert_int_equal(s->marked, 2);
    assert_int_equal(s->unmarked, 0);
    for (uint32_t i = 0; i < 4; i++) {
        kn_entity_id now = name_now(s, s->created[i]);
        assert_false(kn_entity_is_alive(world, s->created[i]));
        assert_true(kn_entity_is_alive(world, now));
        assert_true(kn_entity_is_alive(g->world, now));
        assert_true(kn_attribute_value(world, now, g->health) ==
                    kn_attribute_value(g->world, now, g->health));
    }
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_int_equal(stats.matched, 4);
    assert_int_equal(stats.unmatched, 0);
}

// PRED-037
static void others_follow_to_the_entity_of_the_server(void **state)
{
    game *g = *state;
    begin(g, KN_MS(100), 0.0f);
    throw_now(g);
    run(g, KN_S(2));
    const kn_world *world = kn_client_world(g->peers[0].client);
    kn_effect_query query = kn_effect_query_default();
    kn_effect_id marks[2], theirs[2];
    assert_int_equal(kn_effects_find(world, g->peers[0].hero, &query, marks, 2), 2);
    assert_int_equal(kn_effects_find(g->world, g->peers[0].hero, &query, theirs, 2), 2);
    for (uint32_t i = 0; i < 2; i++) {
        kn_effect_info mine, other;
        assert_true(kn_effect_get(world, marks[i], &mine));
        assert_true(kn_effect_get(g->world, theirs[i], &other));
        assert_true(kn_entity_id_equal(mine.source, other.source));
        assert_true(kn_entity_is_alive(world, mine.source));
    }
    const seen *observer = &g->peers[1].seen; // who predicted nothing
    assert_int_equal(observer->created_count, 4);
    assert_int_equal(observer->renamed_count, 0);
    assert_int_equal(observer->revoked_count, 0);
    assert_int_equal(kn_client_get_stats(g->peers[1].client).unmatched, 0);
}

// PRED-024
static void what_the_server_refuses_was_never_created(void **state)
{
    game *g = *state;
    begin(g, KN_MS(100), 0.0f);
    peer *p = &g->peers[0];
    kn_ability_query query = kn_ability_query_default();
    assert_int_equal(kn_abilities_remove(g->world, p->hero, &query, KN_GRANT_CANCEL), 1);
    throw_now(g); // before the client can know
    run(g, KN_MS(50));
    kn_world *world = kn_client_world(p->client);
    assert_int_equal(kn_entity_count(world), PEERS + 2);
    run(g, KN_S(2));
    assert_int_equal(kn_entity_count(world), PEERS);
    assert_int_equal(p->seen.created_count, 2);
    assert_int_equal(p->seen.revoked_count, 2);
    for (uint32_t i = 0; i < 2; i++) { // backwards
        assert_true(kn_entity_id_equal(p->seen.created[i], p->seen.revoked[1 - i]));
    }
    assert_int_equal(p->seen.renamed_count, 0);
    assert_int_equal(kn_client_get_stats(p->client).matched, 0);
}

// PRED-038
static void what_the_server_does_not_create_goes_after_a_while(void **state)
{
    game *g = *state;
    begin(g, KN_MS(50), 0.0f);
    peer *p = &g->peers[0];
    g->server_throws_nothing = true;
    throw_now(g);
    run(g, KN_MS(800));
    kn_world *world = kn_client_world(p->client);
    assert_int_equal(kn_entity_count(g->world), PEERS);
    assert_int_equal(kn_entity_count(world), PEERS + 4);
    run(g, KN_S(2));
    assert_int_equal(kn_entity_count(world), PEERS);
    assert_int_equal(p->seen.created_count, 4);
    assert_int_equal(p->seen.destroyed_count, 4);
    assert_int_equal(p->seen.renamed_count, 0);
    kn_client_stats stats = kn_client_get_stats(p->client);
    assert_int_equal(stats.matched, 0);
    assert_int_equal(stats.unmatched, 4);
}

// PRED-037
static void nothing_is_created_twice_on_a_bad_line(void **state)
{
    game *g = *state;
    begin(g, KN_MS(80), 0.1f);
    peer *p = &g->peers[0];
    kn_world *world = kn_client_world(p->client);
    uint32_t net_created = 0;
    for (uint32_t i = 1; i <= 10; i++) {
        p->seen = g->peers[1].seen = (seen){0};
        throw_now(g);
        run(g, KN_MS(3000));
        const seen *s = &p->seen;
        net_created += s->created_count - s->revoked_count - s->destroyed_count;
        assert_int_equal(kn_entity_count(g->world), PEERS + 4 * i);
        assert_int_equal(kn_entity_count(world), PEERS + 4 * i);
        assert_int_equal(g->peers[1].seen.created_count - g->peers[1].seen.revoked_count, 4);
    }
    assert_int_equal(net_created, 40);
    for (kn_entity_id id = kn_entity_next(g->world, (kn_entity_id){0}); id.index1 != 0;
         id = kn_entity_next(g->world, id)) {
        assert_true(kn_entity_is_alive(world, id));
    }
    assert_true(kn_client_get_stats(p->client).matched >= 36);
}

static void a_client_without_memory_creates_what_it_should_later(void **state)
{
    game *g = *state;
    begin(g, KN_MS(60), 0.0f);
    kn_world *world = kn_client_world(g->peers[0].client);
    for (uint32_t i = 0; i < 40 / SHARE(2); i++) {
        throw_now(g);
        run(g, KN_MS(10) * (i % 20));
        g->purse.left = i % 7; // the next few allocations are the last
        run(g, KN_MS(150));
        g->purse.left = UINT32_MAX;
        run(g, KN_MS(1500));
        assert_int_equal(kn_entity_count(g->world), PEERS + 4 * (i + 1));
        assert_int_equal(kn_entity_count(world), PEERS + 4 * (i + 1));
    }
    assert_true(g->failures > 20 / SHARE(2));
}

static void own_ids_keep_out_of_the_servers_way(void **state)
{
    game *g = *state;
    begin(g, KN_MS(50), 0.0f);
    peer *p = &g->peers[0];
    kn_world *world = kn_client_world(p->client);
    for (uint32_t i = 0; i < 600; i++) {
        kn_entity_id more;
        assert_int_equal(kn_entity_create(g->world, &more), KN_OK);
    }
    run(g, KN_S(2));
    assert_int_equal(kn_entity_count(world), PEERS + 600);
    p->seen = (seen){0};
    throw_now(g);
    run(g, KN_MS(50));
    assert_int_equal(p->seen.created_count, 2);
    assert_true(p->seen.created[0].index1 >= 2 * 600);
    run(g, KN_S(2));
    assert_true(kn_entity_is_alive(g->world, name_now(&p->seen, p->seen.created[0])));
    assert_int_equal(kn_entity_count(world), PEERS + 604);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test_setup_teardown(
        what_a_client_creates_is_the_servers_in_the_end, setup, teardown),
    cmocka_unit_test_setup_teardown(others_follow_to_the_entity_of_the_server, setup, teardown),
    cmocka_unit_test_setup_teardown(what_the_server_refuses_was_never_created, setup, teardown),
    cmocka_unit_test_setup_teardown(
        what_the_server_does_not_create_goes_after_a_while, setup, teardown),
    cmocka_unit_test_setup_teardown(nothing_is_created_twice_on_a_bad_line, setup, teardown),
    cmocka_unit_test_setup_teardown(
        a_client_without_memory_creates_what_it_should_later, setup, teardown),
    cmocka_unit_test_setup_teardown(own_ids_keep_out_of_the_servers_way, setup, teardown),
};

TEST_GROUP(session_creation, tests, NULL, NULL);
