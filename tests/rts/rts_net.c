// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Units over a network: what clients see, what they compute, and what they may ask for.

#include "rts/rts_test.h"

#include "knack/rts_card.h"
#include "net/carry.h"

#define OWNER 0
#define OBSERVER 1
#define PLAYERS 2
#define FRAME KN_MS(5)
#define SETTLED KN_MS(500)

typedef struct match {
    fixture f; // the server's
    kn_server *server;
    kn_client *clients[PLAYERS];
    uint32_t connections[PLAYERS];
    kn_net_sim *net;
    kn_time now;
    kn_attribute_id damage;
    kn_ability_type_id blink, shoot;
    kn_ability_type_id predicted, decided; // both by the event `ping`
    kn_tag upgrade, ping;
    kn_rts_unit_type_id type, plain_type;
    kn_entity_id hero;
    char seen[PLAYERS][512]; // what happened to the hero
    kn_result answer;        // of the last command
    kn_rts_experience_event heard;
} match;

// Sessions report each event once, but without its payload.
static void client_note(void *user, uint32_t i, const kn_client_event *event)
{
    match *m = user;
    const kn_event *e = &event->event;
    const size_t length = strlen(m->seen[i]);
    if (event->kind == KN_CLIENT_ANSWER) {
        m->answer = event->result;
    }
    if (event->kind == KN_CLIENT_HAPPENED && e->type == KN_EVENT_CUSTOM &&
        kn_entity_id_equal(e->entity, m->hero)) {
        const char *name = kn_custom_event_name(m->f.library, e->data.custom.kind);
        (void)snprintf(m->seen[i] + length, sizeof(m->seen[i]) - length, "%s%s",
            length > 0 ? " " : "", name + strlen("Knack.Rts"));
    }
}

// Listeners have the payload; they hear of a tick whenever it is simulated.
static void heard(void *user, kn_world *world, const kn_event *event)
{
    match *m = user;
    uint32_t size;
    const kn_rts_experience_event *payload = kn_event_payload(world, event, &size);
    assert_int_equal(payload->level, kn_rts_level(world, event->entity));
    m->heard = *payload;
}

static void listen(match *m, uint32_t i)
{
    kn_listener_def def = kn_listener_def_default();
    kn_listener_id id;
    def.type = KN_EVENT_CUSTOM;
    def.custom = kn_custom_event_find(m->f.library, "Knack.RtsExperience");
    def.function = heard;
    def.user = m;
    assert_int_equal(kn_listener_add(kn_client_world(m->clients[i]), &def, &id), KN_OK);
}

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        carry_frame(m->net, m->now, m->server, m->clients, m->connections, PLAYERS, client_note, m);
    }
}

static match *match_create(void)
{
    match *m = calloc(1, sizeof(*m));
    assert_non_null(m);
    fixture_open(&m->f);
    const kn_attribute_set_id set = set_add(&m->f, "Combat", "Damage");
    m->damage = attribute_named(&m->f, "Combat.Damage");
    (void)curve_add(&m->f, "Hero.Damage", (const float[]){10, 12, 15}, 3);
    m->shoot = ability_add(&m->f, "Shoot", 2);
    m->blink = ability_add(&m->f, "Blink", 2);
    m->upgrade = tag_named(&m->f, "Player.Upgrade");
    m->ping = tag_named(&m->f, "Event.Ping");
    const kn_trigger_def trigger = {m->ping, KN_TRIGGER_SOURCE_EVENT, 0};
    kn_ability_def heard_ability = kn_ability_def_default();
    heard_ability.name = "Predicted";
    heard_ability.body = KN_BODY_STAY;
    heard_ability.triggers = &trigger;
    heard_ability.trigger_count = 1;
    assert_int_equal(kn_ability_register(m->f.library, &heard_ability, &m->predicted, NULL), KN_OK);
    heard_ability.name = "Decided";
    heard_ability.net_execution = KN_NET_EXECUTION_SERVER_ONLY;
    assert_int_equal(kn_ability_register(m->f.library, &heard_ability, &m->decided, NULL), KN_OK);
    kn_rts_unit_def def = kn_rts_unit_def_default();
    def.name = "Hero";
    def.can_level = true;
    def.max_level = 5;
    def.experience_per_level = kn_constant(100);
    def.sets = &set;
    def.set_count = 1;
    def.abilities = &m->shoot;
    def.ability_count = 1;
    def.unlockable_abilities = &m->blink;
    def.unlockable_ability_count = 1;
    def.player_tags = (kn_tags){&m->upgrade, 1};
    m->type = unit_type_add(&m->f, &def);
    def = kn_rts_unit_def_default();
    def.name = "Plain";
    m->plain_type = unit_type_add(&m->f, &def);
    library_finish(&m->f);
    kn_world_def world = kn_world_def_default();
    world.is_dedicated = true;
    world_begin_with(&m->f, world);
    m->hero = unit_create(&m->f, m->type, m->f.us);
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    assert_int_equal(kn_net_sim_create(&net, &m->net), KN_OK);
    kn_net_conditions conditions = {.latency = KN_MS(40)};
    assert_int_equal(kn_net_sim_set_all(m->net, &conditions), KN_OK);
    kn_server_def server = kn_server_def_default();
    server.world = m->f.world;
    assert_int_equal(kn_server_create(&server, &m->server), KN_OK);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kn_client_def client = kn_client_def_default();
        client.library = m->f.library;
        assert_int_equal(kn_client_create(&client, &m->clients[i]), KN_OK);
        assert_int_equal(kn_server_open(m->server, m->now, &m->connections[i]), KN_OK);
    }
    assert_int_equal(kn_entity_set_connection(m->f.world, m->hero, m->connections[OWNER]), KN_OK);
    match_run(m, KN_S(2));
    return m;
}

static void match_destroy(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_true(kn_world_validate(kn_client_world(m->clients[i])));
        kn_client_destroy(m->clients[i]);
    }
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    fixture_close(&m->f);
    free(m);
}

// RTSV-X15, RTS-062, RTS-268, RTS-269, RTS-270: experience and points arrive, the level is computed
// from the experience, and is there before the event.
static void clients_compute_the_level_before_they_publish(void **state)
{
    match *m = match_create();
    (void)state;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        assert_string_equal(m->seen[i], ""); // what they joined with is not news
        assert_int_equal(kn_rts_level(kn_client_world(m->clients[i]), m->hero), 1);
    }
    listen(m, OWNER);
    assert_int_equal(kn_rts_add_experience(m->f.world, m->hero, 150), KN_OK);
    match_run(m, SETTLED);
    assert_true(m->heard.before == 0 && m->heard.after == 150);
    assert_int_equal(m->heard.level, 2);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const kn_world *world = kn_client_world(m->clients[i]);
        assert_string_equal(m->seen[i], "Level Experience Points");
        assert_int_equal(kn_rts_level(world, m->hero), 2);
        assert_true(kn_rts_experience(world, m->hero) == 150);
        assert_true(kn_rts_level_progress(world, m->hero) == 0.5f);
        assert_int_equal(kn_rts_points(world, m->hero), 1);
        // What the level brought came from the server.
        assert_true(kn_attribute_base(world, m->hero, m->damage) == 12);
    }
    assert_int_equal(kn_rts_set_level(m->f.world, m->hero, 1), KN_OK);
    m->seen[OWNER][0] = 0;
    match_run(m, SETTLED);
    assert_string_equal(m->seen[OWNER], "Level Experience");
    assert_int_equal(m->heard.level, 1);
    match_destroy(m);
}

// RTS-268, RTS-272: grants, tags and attributes of units arrive at everybody.
static void clients_see_abilities_tags_and_attributes(void **state)
{
    match *m = match_create();
    (void)state;
    gain(&m->f, m->f.us, m->upgrade);
    match_run(m, SETTLED);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const kn_world *world = kn_client_world(m->clients[i]);
        assert_int_equal(kn_rts_unit_get_type(world, m->hero).index1, m->type.index1);
        assert_int_equal(kn_rts_ability_level_of(world, m->hero, m->shoot), 1);
        assert_true(kn_entity_has_tag(world, m->hero, m->upgrade));
        assert_true(kn_entity_has_tag(world, m->hero, kn_rts_tag(m->f.library, KN_RTS_ALIVE)));
        assert_true(kn_attribute_value(world, m->hero, m->damage) == 10);
    }
    // Also what a unit had before it became one.
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_entity_id late;
    grant.type = m->blink;
    assert_int_equal(kn_entity_create(m->f.world, &late), KN_OK);
    assert_int_equal(kn_ability_grant(m->f.world, late, &grant, NULL), KN_OK);
    assert_int_equal(kn_rts_unit_add(m->f.world, late, m->plain_type), KN_OK);
    match_run(m, SETTLED);
    assert_int_equal(
        kn_rts_ability_level_of(kn_client_world(m->clients[OBSERVER]), late, m->blink), 1);
    assert_int_equal(kn_rts_kill(m->f.world, m->hero, (kn_entity_id){0}), KN_OK);
    match_run(m, SETTLED);
    assert_true(kn_rts_is_dead(kn_client_world(m->clients[OBSERVER]), m->hero));
    match_destroy(m);
}

static void ask_to_learn(match *m, uint32_t client, kn_ability_type_id ability)
{
    const kn_rts_learn_command payload = {ability};
    const kn_command command = {.type = kn_command_find(m->f.library, "rts_learn"),
        .entity = m->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    m->answer = KN_OK;
    assert_int_equal(kn_client_command(m->clients[client], &command, NULL, NULL), KN_OK);
    match_run(m, SETTLED);
}

// RTS-271: clients ask by a command; the server decides, and only for those who control the unit.
static void clients_ask_and_the_server_decides(void **state)
{
    match *m = match_create();
    (void)state;
    kn_world *world = kn_client_world(m->clients[OWNER]);
    assert_int_equal(kn_rts_learn(world, m->hero, m->blink), KN_REFUSED_BLOCKED);
    assert_int_equal(kn_rts_add_experience(world, m->hero, 1), KN_REFUSED_BLOCKED);
    ask_to_learn(m, OWNER, m->blink); // without a point
    assert_int_equal(m->answer, KN_REFUSED_COST);
    assert_int_equal(kn_rts_set_points(m->f.world, m->hero, 1), KN_OK);
    match_run(m, SETTLED);
    assert_true(kn_rts_can_learn(kn_client_world(m->clients[OWNER]), m->hero, m->blink, NULL));
    ask_to_learn(m, OBSERVER, m->blink);
    assert_int_equal(kn_rts_ability_level_of(m->f.world, m->hero, m->blink), 0);
    m->seen[OWNER][0] = 0;
    ask_to_learn(m, OWNER, m->blink);
    assert_int_equal(m->answer, KN_OK);
    assert_int_equal(kn_rts_ability_level_of(m->f.world, m->hero, m->blink), 1);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const kn_world *there = kn_client_world(m->clients[i]);
        assert_int_equal(kn_rts_ability_level_of(there, m->hero, m->blink), 1);
        assert_int_equal(kn_rts_points(there, m->hero), 0);
    }
    assert_string_equal(m->seen[OWNER], "Points");
    match_destroy(m);
}

static uint32_t send_ping(match *m, kn_world *world)
{
    kn_rts_event event;
    uint32_t activated;
    assert_int_equal(kn_rts_event_with_tag(world, m->hero, m->hero, m->ping, &event), KN_OK);
    assert_int_equal(kn_rts_send_event(world, m->hero, &event, &activated), KN_OK);
    return activated;
}

// RTS-210: an event activates what a side may begin: predicted abilities on the client that
// controls the unit, the others on the server.
static void events_activate_what_a_side_may(void **state)
{
    match *m = match_create();
    (void)state;
    kn_ability_grant_def grant = kn_ability_grant_def_default();
    kn_ability_id abilities[2];
    const kn_ability_type_id types[] = {m->predicted, m->decided};
    for (uint32_t i = 0; i < 2; i++) {
        grant.type = types[i];
        assert_int_equal(kn_ability_grant(m->f.world, m->hero, &grant, &abilities[i]), KN_OK);
    }
    match_run(m, SETTLED);
    kn_world *client = kn_client_world(m->clients[OWNER]);
    assert_int_equal(send_ping(m, client), 1);
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id found[2];
    query.is_active = true;
    assert_int_equal(kn_abilities_find(client, m->hero, &query, found, 2), 1);
    assert_int_equal(kn_ability_get_type(client, found[0]).index1, m->predicted.index1);
    // The server's call begins what it decides; what its client predicts needs the client's, too.
    assert_int_equal(send_ping(m, m->f.world), 1);
    assert_true(kn_ability_is_active(m->f.world, abilities[1]));
    assert_false(kn_ability_is_active(m->f.world, abilities[0]));
    assert_int_equal(kn_entity_set_connection(m->f.world, m->hero, 0), KN_OK); // nobody's client
    assert_int_equal(kn_ability_cancel(m->f.world, abilities[1]), KN_OK);
    assert_int_equal(send_ping(m, m->f.world), 2);
    match_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(clients_compute_the_level_before_they_publish),
    cmocka_unit_test(clients_see_abilities_tags_and_attributes),
    cmocka_unit_test(clients_ask_and_the_server_decides),
    cmocka_unit_test(events_activate_what_a_side_may),
};

TEST_GROUP(rts_net, tests, NULL, NULL);
