// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Buffs over a simulated network: a server and one client, which plays the hero.
//
// The described mechanism stamps predicted buffs and swaps them for those of the server. Here a
// client computes the same state ahead and simulates again where it was wrong, so there is nothing
// to swap: what the player sees is the same, and that is what these tests show.

#include "combat_test.h"

#include <knack/net.h>

#define FRAME KN_MS(5)

typedef struct match {
    arena a; // its world is the server's
    kn_server *server;
    kn_client *client;
    uint32_t connection;
    kn_net_sim *net;
    kn_time now;
    kn_effect_type_id might;
    kn_tag silenced;
    uint32_t applied, removed, revoked; // events about Might that the client heard
} match;

static void client_events(match *m)
{
    kn_client_event event;
    while (kn_client_next_event(m->client, &event)) {
        bool is_effect = (event.kind == KN_CLIENT_HAPPENED || event.kind == KN_CLIENT_REVOKED) &&
                         (event.event.type == KN_EVENT_EFFECT_APPLIED ||
                             event.event.type == KN_EVENT_EFFECT_REMOVED);
        if (!is_effect || event.event.data.effect.type.index1 != m->might.index1) {
            continue;
        }
        m->revoked += event.kind == KN_CLIENT_REVOKED;
        m->applied +=
            event.kind == KN_CLIENT_HAPPENED && event.event.type == KN_EVENT_EFFECT_APPLIED;
        m->removed +=
            event.kind == KN_CLIENT_HAPPENED && event.event.type == KN_EVENT_EFFECT_REMOVED;
    }
}

static void match_turn(match *m)
{
    uint8_t buffer[2048];
    size_t size;
    kn_server_event event;
    while (kn_net_sim_receive(m->net, m->now, 0, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_server_receive(m->server, m->now, m->connection, buffer, size);
    }
    expect_ok(kn_server_update(m->server, m->now));
    while (kn_server_next_event(m->server, &event)) {
    }
    while (
        kn_server_write(m->server, m->now, m->connection, buffer, sizeof(buffer), &size) == KN_OK) {
        expect_ok(kn_net_sim_send(m->net, m->now, 0, 1, buffer, size));
    }
    while (kn_net_sim_receive(m->net, m->now, 1, NULL, buffer, sizeof(buffer), &size) == KN_OK) {
        (void)kn_client_receive(m->client, m->now, buffer, size);
    }
    expect_ok(kn_client_update(m->client, m->now));
    client_events(m);
    while (kn_client_write(m->client, m->now, buffer, sizeof(buffer), &size) == KN_OK) {
        expect_ok(kn_net_sim_send(m->net, m->now, 1, 0, buffer, size));
    }
}

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        match_turn(m);
    }
}

// An ability that gives its owner a pool of 100 for ten seconds, which also raises its power with
// each hit taken, three times.
static kn_ability_type_id empower_register(match *m)
{
    kn_modifier_def modifier = kn_modifier_constant(m->a.power, KN_OP_ADD, 1.0f);
    kn_effect_def gain = kn_effect_def_default();
    gain.name = "Gain";
    gain.modifiers = &modifier;
    gain.modifier_count = 1;
    kn_proc_action_def action = kn_proc_action_def_default();
    action.effect = arena_effect(&m->a, &gain);
    kn_effect_def might = kn_effect_def_default();
    might.name = "Might";
    might.duration_kind = KN_DURATION_TIMED;
    might.duration = kn_magnitude_constant(10.0f);
    kn_modifier_def stat = kn_modifier_constant(m->a.max_mana, KN_OP_ADD, 10.0f);
    might.modifiers = &stat;
    might.modifier_count = 1;
    m->might = arena_effect(&m->a, &might);
    kn_buff_def buff = kn_buff_def_default();
    buff.name = "Might";
    buff.absorb.amount = kn_magnitude_constant(100.0f);
    expect_ok(kn_buff_register(m->a.library, &buff, NULL, NULL));
    kn_proc_def proc = kn_proc_def_default();
    proc.name = "Might";
    proc.on = KN_PROC_HIT_TAKEN;
    proc.charges = kn_magnitude_constant(3.0f);
    proc.chance = kn_magnitude_constant(0.5f);
    proc.actions = &action;
    proc.action_count = 1;
    kn_tag absorbed = kn_tag_find(m->a.library, "Knack.Outcome.Absorbed");
    proc.outcomes = (kn_tags){&absorbed, 1};
    expect_ok(kn_proc_register(m->a.library, &proc, NULL, NULL));
    kn_ability_apply_def apply = kn_ability_apply_def_default();
    apply.effect = m->might;
    kn_ability_def ability = kn_ability_def_default();
    m->silenced = arena_tag(&m->a, "State.Silenced");
    ability.name = "Empower";
    ability.body = KN_BODY_USE;
    ability.applies = &apply;
    ability.apply_count = 1;
    ability.activation.ignored = (kn_tags){&m->silenced, 1};
    return arena_ability(&m->a, &ability);
}

static void match_begin(match *m, kn_time latency)
{
    memset(m, 0, sizeof(*m));
    arena_begin(&m->a);
    kn_ability_type_id empower = empower_register(m);
    arena_start(&m->a);
    (void)arena_grant(&m->a, m->a.hero, empower);
    kn_net_sim_def net = kn_net_sim_def_default();
    kn_net_conditions conditions = {.latency = latency};
    net.peer_count = 2;
    expect_ok(kn_net_sim_create(&net, &m->net));
    expect_ok(kn_net_sim_set_all(m->net, &conditions));
    kn_server_def server = kn_server_def_default();
    server.world = m->a.world;
    expect_ok(kn_server_create(&server, &m->server));
    kn_client_def client = kn_client_def_default();
    client.library = m->a.library;
    expect_ok(kn_client_create(&client, &m->client));
    expect_ok(kn_server_open(m->server, m->now, &m->connection));
    expect_ok(kn_entity_set_connection(m->a.world, m->a.hero, m->connection));
    match_run(m, KN_S(4));
}

static void match_end(match *m)
{
    kn_client_destroy(m->client);
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    arena_end(&m->a);
}

static void command_empower(match *m)
{
    kn_command_activate payload = {.type = kn_ability_type_find(m->a.library, "Empower")};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = m->a.hero,
        .payload = &payload,
        .size = sizeof(payload)};
    expect_ok(kn_client_command(m->client, &command, NULL, NULL));
}

static bool has_might(const match *m, const kn_world *world, kn_effect_id *effect)
{
    kn_effect_query query = kn_effect_query_default();
    query.type = m->might;
    return kn_effects_find(world, m->a.hero, &query, effect, 1) > 0;
}

// SAIV-142, BUFF-008, BUFF-028, BUFF-029
static void a_predicted_buff_that_the_server_confirms_is_applied_once(void **state)
{
    match m;
    kn_effect_id own, theirs;
    kn_buff_info info;
    (void)state;
    match_begin(&m, KN_MS(100));
    command_empower(&m);
    match_run(&m, KN_MS(60));
    kn_world *world = kn_client_world(m.client);
    assert_true(has_might(&m, world, &own)); // long before the server can know
    assert_false(has_might(&m, m.a.world, &theirs));
    assert_int_equal(m.applied, 1);
    match_run(&m, KN_S(2));
    assert_true(has_might(&m, m.a.world, &theirs));
    assert_true(has_might(&m, world, &own));
    assert_true(kn_attribute_value(world, m.a.hero, m.a.max_mana) == 110.0f);
    assert_int_equal(m.applied, 1); // no second one, and no pair of removed and applied
    assert_int_equal(m.removed, 0);
    assert_int_equal(m.revoked, 0);
    // What combat keeps of it is the same on both sides, also after hits that only the server saw.
    for (uint32_t i = 0; i < 8; i++) {
        kn_hit_def def = kn_hit_def_default();
        def.source = m.a.foe;
        def.target = m.a.hero;
        def.amount = 4.0f;
        expect_ok(kn_hit_run(m.a.world, &def, NULL));
        match_run(&m, KN_MS(100));
    }
    match_run(&m, KN_MS(500));
    float power = kn_attribute_value(m.a.world, m.a.hero, m.a.power);
    assert_true(power > 1.0f);
    assert_true(kn_attribute_value(world, m.a.hero, m.a.power) == power);
    if (has_might(&m, m.a.world, &theirs)) {
        kn_buff_info server_info;
        assert_true(has_might(&m, world, &own));
        assert_true(kn_buff_get(world, own, &info));
        assert_true(kn_buff_get(m.a.world, theirs, &server_info));
        assert_true(info.absorb_left == server_info.absorb_left && info.absorb_left < 100.0f);
        kn_proc_line line, server_line;
        assert_true(kn_proc_get(world, m.a.hero, (kn_proc_id){1}, &line));
        assert_true(kn_proc_get(m.a.world, m.a.hero, (kn_proc_id){1}, &server_line));
        assert_int_equal(line.charges, server_line.charges);
    }
    match_run(&m, KN_S(12));
    assert_false(has_might(&m, world, &own));
    assert_int_equal(m.removed, 1);
    match_end(&m);
}

// SAIV-142, BUFF-008, BUFF-009, BUFF-029
static void a_predicted_buff_that_the_server_refuses_is_taken_back(void **state)
{
    match m;
    kn_effect_id own;
    (void)state;
    match_begin(&m, KN_MS(100));
    // The client does not know this tag.
    expect_ok(kn_entity_add_tag(m.a.world, m.a.hero, m.silenced, KN_TAG_ORIGIN_LOOSE, 1));
    command_empower(&m);
    match_run(&m, KN_MS(60));
    kn_world *world = kn_client_world(m.client);
    assert_true(has_might(&m, world, &own));
    assert_true(kn_attribute_value(world, m.a.hero, m.a.max_mana) == 110.0f);
    assert_true(kn_attribute_value(m.a.world, m.a.hero, m.a.max_mana) == 100.0f);
    match_run(&m, KN_S(2));
    assert_false(has_might(&m, world, &own));
    assert_true(kn_attribute_value(world, m.a.hero, m.a.max_mana) == 100.0f);
    assert_false(has_might(&m, m.a.world, &own));
    assert_int_equal(m.applied, 1);
    assert_int_equal(m.revoked, 1);
    kn_proc_line line;
    assert_false(kn_proc_get(world, m.a.hero, (kn_proc_id){1}, &line));
    assert_true(kn_absorb_left(world, m.a.hero) == 0.0f);
    match_end(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_predicted_buff_that_the_server_confirms_is_applied_once),
    cmocka_unit_test(a_predicted_buff_that_the_server_refuses_is_taken_back),
};

TEST_GROUP(combat_buff_net, tests, NULL, NULL);
