// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Resources, charges and the input queue over a simulated network: a server and a client that plays
// the hero.
//
// A client does not keep predicted costs in lists beside the last value of the server, with stamps
// that say which of them are settled: it simulates its commands again on top of the server's state.
// So value, minimum, maximum, charges and cycles are one state, a result and a record cannot arrive
// in different orders, and there is one getter for all machines. The numbers that a player sees are
// those that the described scheme gives.

#include "combat_test.h"
#include "net/carry.h"

#include <knack/net.h>

#define FRAME KN_MS(5)

typedef struct match {
    arena a; // its world is the server's
    kn_server *server;
    kn_client *client;
    uint32_t connection;
    kn_net_sim *net;
    kn_time now;
    kn_attribute_set_id set;
    kn_attribute_id ammo, luck;
    kn_resource_id ammo_id;
    kn_effect_type_id cheap, dear; // of Big's cost, and of the charges of Dash
    kn_tag small_tag;
    uint32_t revoked, answers, refused, stat_changes;
    uint32_t applied, removed, unapplied; // effects that the player heard of
    kn_prediction_key key;                // of the last one
    float stat;                           // last value that a player heard of
    char log[1024];
} match;

static kn_result log_use(const kn_ability_call *call)
{
    match *m = call->user;
    if (call->world == m->a.world) {
        kn_ability_info info;
        size_t length = strlen(m->log);
        assert_true(kn_ability_get(call->world, call->ability, &info));
        (void)snprintf(m->log + length, sizeof(m->log) - length, "%s %lld, ",
            kn_ability_type_name(m->a.library, info.type),
            (long long)(kn_world_now(call->world) / 1000));
    }
    kn_result result = kn_activation_commit(call->world, call->activation);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

// Grants a resource at once: on the client too, as a prediction.
static kn_result reload(const kn_ability_call *call)
{
    match *m = call->user;
    kn_resource_change_def change = kn_resource_change_def_default();
    change.resource = m->ammo_id;
    change.entity = change.source = call->owner;
    change.amount = 12.0f;
    kn_result result = kn_resource_change(call->world, &change, NULL);
    return result == KN_OK ? kn_activation_end(call->world, call->activation) : result;
}

static void match_ability(match *m, const char *name, float cost, kn_value_id value, kn_tag tag)
{
    kn_cost_def costs = kn_cost_def_default();
    costs.attribute = m->ammo;
    costs.amount = kn_constant(cost);
    costs.value = value;
    kn_ability_def def = kn_ability_def_default();
    def.name = name;
    def.activate = log_use;
    def.user = m;
    def.costs = &costs;
    def.cost_count = cost > 0.0f;
    def.tags = (kn_tags){&tag, tag.index1 != 0};
    (void)arena_ability(&m->a, &def);
}

static kn_effect_type_id match_effect(
    match *m, const char *name, kn_value_id value, kn_op op, float magnitude)
{
    kn_modifier_def modifier = kn_modifier_def_default();
    modifier.value = value;
    modifier.op = op;
    modifier.magnitude = kn_magnitude_constant(magnitude);
    kn_effect_def def = kn_effect_def_default();
    def.name = name;
    def.duration_kind = KN_DURATION_INFINITE;
    def.modifiers = &modifier;
    def.modifier_count = 1;
    return arena_effect(&m->a, &def);
}

// `Big` costs 30, or 25 with Cheap; `Small` costs 20; `Reload` gives 12; `Dash` has 2 charges, a
// use of which takes 2 with Dear; `Bolt` and `Nova` are on the global cooldown; `Gun` is automatic
// every 0.4 s.
static void match_content(match *m)
{
    kn_error error = {0};
    arena *a = &m->a;
    kn_value_def value_def = kn_value_def_default();
    kn_value_id cost, charges;
    value_def.name = "Cost";
    expect_ok(kn_value_register(a->library, &value_def, &cost, &error));
    value_def.name = "Charges";
    expect_ok(kn_value_register(a->library, &value_def, &charges, &error));
    m->cheap = match_effect(m, "Cheap", cost, KN_OP_ADD, -5.0f);
    m->dear = match_effect(m, "Dear", charges, KN_OP_ADD, 1.0f);
    m->small_tag = arena_tag(a, "Ability.Small");
    match_ability(m, "Big", 30.0f, cost, (kn_tag){0});
    match_ability(m, "Small", 20.0f, (kn_value_id){0}, m->small_tag);
    kn_cooldown_def cooldown = kn_cooldown_seconds(30.0f);
    cooldown.charges = kn_constant(2.0f);
    cooldown.cost_value = charges;
    kn_ability_def def = kn_ability_def_default();
    def.activate = log_use;
    def.user = m;
    def.cooldowns = &cooldown;
    def.cooldown_count = 1;
    def.name = "Dash";
    (void)arena_ability(a, &def);
    cooldown = kn_global_cooldown_def(a->library, 1.5f);
    def.name = "Bolt";
    (void)arena_ability(a, &def);
    def.name = "Nova";
    (void)arena_ability(a, &def);
    cooldown = kn_cooldown_seconds(0.4f);
    def.name = "Gun";
    (void)arena_ability(a, &def);
    def.name = "Reload";
    def.activate = reload;
    def.cooldown_count = 0;
    (void)arena_ability(a, &def);
    kn_effect_def ward = kn_effect_def_default();
    ward.name = "Ward";
    ward.duration_kind = KN_DURATION_INFINITE;
    kn_ability_apply_def applies[2] = {
        kn_ability_apply_def_default(), kn_ability_apply_def_default()};
    applies[0].effect = arena_effect(a, &ward);
    ward.name = "Shine";
    applies[1].effect = arena_effect(a, &ward);
    def = kn_ability_def_default();
    def.name = "Shield";
    def.tags = (kn_tags){&m->small_tag, 1};
    def.body = KN_BODY_USE;
    def.applies = applies;
    def.apply_count = 2;
    (void)arena_ability(a, &def);
    kn_input_def input = kn_input_def_default();
    input.name = "Gun";
    input.automatic = true;
    expect_ok(kn_input_register(a->library, &input, &error));
}

static void match_run(match *m, kn_time time);

static void match_begin(match *m, kn_time latency, float regeneration)
{
    static const char *const names[] = {
        "Big", "Small", "Dash", "Bolt", "Nova", "Gun", "Reload", "Shield"};
    kn_error error = {0};
    memset(m, 0, sizeof(*m));
    arena *a = &m->a;
    arena_begin(a);
    kn_attribute_def pool[] = {arena_attribute("Ammo", 80.0f), arena_attribute("Luck", 1.0f)};
    pool[0].base_min = kn_limit_constant(0.0f);
    pool[0].base_max = kn_limit_constant(100.0f);
    kn_attribute_set_def set = kn_attribute_set_def_default();
    set.name = "Pool";
    set.attributes = pool;
    set.attribute_count = 2;
    expect_ok(kn_attribute_set_register(a->library, &set, &m->set, &error));
    m->ammo = kn_attribute_find(a->library, "Pool.Ammo");
    m->luck = kn_attribute_find(a->library, "Pool.Luck");
    kn_resource_def ammo = kn_resource_def_default();
    ammo.name = "Ammo";
    ammo.attribute = m->ammo;
    ammo.regeneration.amount = kn_magnitude_constant(regeneration);
    ammo.regeneration.interval = 0.5f;
    expect_ok(kn_resource_register(a->library, &ammo, &m->ammo_id, &error));
    match_content(m);
    arena_start(a);
    expect_ok(kn_attribute_set_add(a->world, a->hero, m->set, 0));
    for (uint32_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        (void)arena_grant(a, a->hero, kn_ability_type_find(a->library, names[i]));
    }
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = 2;
    expect_ok(kn_net_sim_create(&net, &m->net));
    kn_net_conditions conditions = {.latency = latency};
    expect_ok(kn_net_sim_set_all(m->net, &conditions));
    kn_server_def server = kn_server_def_default();
    server.world = a->world;
    server.mode = KN_SYNC_MODE_FULL;
    expect_ok(kn_server_create(&server, &m->server));
    kn_client_def client = kn_client_def_default();
    client.library = a->library;
    expect_ok(kn_client_create(&client, &m->client));
    expect_ok(kn_server_open(m->server, m->now, &m->connection));
    expect_ok(kn_entity_set_connection(a->world, a->hero, m->connection));
}

static void match_join(match *m)
{
    match_run(m, KN_S(3));
    m->revoked = m->stat_changes = 0;
}

static void match_end(match *m)
{
    kn_client_destroy(m->client);
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    arena_end(&m->a);
}

static void server_turn(match *m)
{
    kn_server_event event;
    carry_to_server(m->net, m->now, m->server, &m->connection);
    expect_ok(kn_server_update(m->server, m->now));
    while (kn_server_next_event(m->server, &event)) {
    }
    carry_from_server(m->net, m->now, m->server, &m->connection, 1);
}

static void client_turn(match *m)
{
    kn_client_event event;
    carry_to_client(m->net, m->now, m->client, 1);
    expect_ok(kn_client_update(m->client, m->now));
    while (kn_client_next_event(m->client, &event)) {
        m->revoked += event.kind == KN_CLIENT_REVOKED;
        m->answers += event.kind == KN_CLIENT_ANSWER;
        m->refused += event.kind == KN_CLIENT_ANSWER && event.result != KN_OK;
        bool happened = event.kind == KN_CLIENT_HAPPENED;
        m->removed += happened && event.event.type == KN_EVENT_EFFECT_REMOVED;
        m->unapplied +=
            event.kind == KN_CLIENT_REVOKED && event.event.type == KN_EVENT_EFFECT_APPLIED;
        if (happened && event.event.type == KN_EVENT_EFFECT_APPLIED) {
            m->applied++;
            m->key = event.key;
        }
        if (happened && event.event.type == KN_EVENT_ATTRIBUTE_CHANGED &&
            event.event.data.attribute.attribute.index1 == m->luck.index1) {
            m->stat_changes++;
            m->stat = event.event.data.attribute.new_value;
        }
    }
    carry_from_client(m->net, m->now, m->client, 1);
}

static void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        server_turn(m);
        client_turn(m);
    }
}

static kn_world *client_world(const match *m)
{
    kn_world *world = kn_client_world(m->client);
    assert_non_null(world);
    return world;
}

static kn_ability_id ability_in(const match *m, const kn_world *world, const char *name)
{
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability = {0};
    query.type = kn_ability_type_find(m->a.library, name);
    assert_int_equal(kn_abilities_find(world, m->a.hero, &query, &ability, 1), 1);
    return ability;
}

static uint32_t command_use(match *m, const char *name)
{
    kn_command_activate payload = {.type = kn_ability_type_find(m->a.library, name)};
    kn_command command = {.type = kn_command_type_activate(),
        .entity = m->a.hero,
        .payload = &payload,
        .size = sizeof(payload)};
    uint32_t sequence;
    expect_ok(kn_client_command(m->client, &command, &sequence, NULL));
    return sequence;
}

static void command_press(match *m, const char *name)
{
    kn_input_press_command payload = {.ability = ability_in(m, client_world(m), name)};
    kn_command command = {.type = kn_command_find(m->a.library, "Knack.Press"),
        .entity = m->a.hero,
        .payload = &payload,
        .size = sizeof(payload)};
    expect_ok(kn_client_command(m->client, &command, NULL, NULL));
}

static void command_release(match *m, const char *name)
{
    kn_input_release_command payload = {ability_in(m, client_world(m), name)};
    kn_command command = {.type = kn_command_find(m->a.library, "Knack.Release"),
        .entity = m->a.hero,
        .payload = &payload,
        .size = sizeof(payload)};
    expect_ok(kn_client_command(m->client, &command, NULL, NULL));
}

static float shown(const match *m)
{
    return kn_attribute_value(client_world(m), m->a.hero, m->ammo);
}

static float real(const match *m)
{
    return kn_attribute_value(m->a.world, m->a.hero, m->ammo);
}

// SAIV-119, SAIV-120, SAIV-121, RES-023, RES-024, RES-025, RES-026, RES-028, PID-001, PID-009,
// PID-011, MAP-062, MAP-063, MAP-064, MAP-074: two uses are under way; the server takes less for
// the first than the player thinks.
static void predicted_costs_are_replaced_by_those_of_the_server(void **state)
{
    match m;
    (void)state;
    match_begin(&m, KN_MS(100), 0.0f);
    match_join(&m);
    assert_true(shown(&m) == 80.0f && real(&m) == 80.0f);
    (void)arena_apply(&m.a, m.cheap, m.a.ally, m.a.hero); // the client does not know yet
    (void)command_use(&m, "Big");
    (void)command_use(&m, "Small");
    match_run(&m, KN_MS(40));
    assert_true(shown(&m) == 30.0f); // 80 - 30 - 20
    assert_true(real(&m) == 80.0f);
    match_run(&m, KN_MS(500));
    assert_true(shown(&m) == 35.0f && real(&m) == 35.0f); // 80 - 25 - 20
    assert_int_equal(m.refused, 0);
    match_end(&m);
}

// SAIV-122, RES-025, PID-010, MAP-064: the refused cost alone is gone.
static void a_refused_cost_is_dropped_alone(void **state)
{
    match m;
    (void)state;
    match_begin(&m, KN_MS(100), 0.0f);
    match_join(&m);
    (void)arena_apply(&m.a, m.cheap, m.a.ally, m.a.hero);
    expect_ok(kn_abilities_block(
        m.a.world, m.a.hero, (kn_tags){&m.small_tag, 1}, m.a.foe, 1)); // the client does not know
    (void)command_use(&m, "Big");
    (void)command_use(&m, "Small");
    match_run(&m, KN_MS(40));
    assert_true(shown(&m) == 30.0f);
    match_run(&m, KN_MS(500));
    assert_true(shown(&m) == 55.0f && real(&m) == 55.0f);
    assert_int_equal(m.refused, 1);
    assert_true(m.revoked > 0);
    match_end(&m);
}

// SAIV-123, RES-027, RES-029, PID-002: what the server does by itself comes on top of what is
// predicted.
static void what_the_server_gives_comes_on_top_of_predictions(void **state)
{
    match m;
    (void)state;
    match_begin(&m, KN_MS(100), 0.0f);
    match_join(&m);
    kn_resource_change_def gift = kn_resource_change_def_default();
    gift.resource = m.ammo_id;
    gift.entity = m.a.hero;
    gift.amount = 5.0f;
    expect_ok(kn_resource_change(m.a.world, &gift, NULL));
    match_run(&m, KN_MS(60));
    (void)command_use(&m, "Small");
    match_run(&m, KN_MS(25));
    assert_true(shown(&m) == 60.0f); // the gift has not come yet
    match_run(&m, KN_MS(60));
    assert_true(shown(&m) == 65.0f); // it has, and the use is still predicted
    assert_true(real(&m) == 85.0f || real(&m) == 65.0f);
    match_run(&m, KN_MS(500));
    assert_true(shown(&m) == 65.0f && real(&m) == 65.0f);
    match_end(&m);
}

// RES-038, RES-039, RES-011: gains of abilities and regeneration are predicted like costs, and
// nothing that the player saw is revoked.
static void gains_and_regeneration_are_predicted(void **state)
{
    match m;
    (void)state;
    match_begin(&m, KN_MS(100), 3.0f);
    match_join(&m);
    match_run(&m, KN_S(2)); // full by now
    assert_true(real(&m) > 80.0f);
    (void)command_use(&m, "Small");
    match_run(&m, KN_MS(25));
    float before = shown(&m);
    (void)command_use(&m, "Reload");
    match_run(&m, KN_MS(25));
    assert_true(shown(&m) == before + 12.0f || shown(&m) == before + 15.0f);
    m.revoked = 0;
    match_run(&m, KN_MS(3000));
    assert_int_equal(m.refused, 0);
    assert_int_equal(m.revoked, 0);
    match_run(&m, KN_S(3));
    assert_true(real(&m) == 100.0f && shown(&m) == 100.0f);
    match_end(&m);
}

// SAIV-068, CDC-007, CDC-010, CDC-011, CDC-014, CDC-016, CDC-037, USE-065: the server takes two
// charges where the player predicts one. Cycles are predicted with their length, so none is
// open-ended, and what is left of it is known.
static void predicted_charges_are_replaced_by_those_of_the_server(void **state)
{
    match m;
    kn_cooldown_info info, other;
    const kn_tag own = {0};
    (void)state;
    match_begin(&m, KN_MS(100), 0.0f);
    match_join(&m);
    (void)arena_apply(&m.a, m.dear, m.a.ally, m.a.hero);
    (void)command_use(&m, "Dash");
    match_run(&m, KN_MS(40));
    kn_ability_id dash = ability_in(&m, client_world(&m), "Dash");
    assert_true(kn_ability_charges(client_world(&m), dash, own, &info));
    assert_true(info.charges == 1 && info.max_charges == 2);
    assert_true(info.total == KN_S(30) && info.remaining > KN_S(29));
    assert_int_equal(kn_use_status(client_world(&m), dash), 0); // by what is predicted
    match_run(&m, KN_MS(500));
    assert_true(kn_ability_charges(client_world(&m), dash, own, &info));
    assert_int_equal(info.charges, 0);
    assert_int_equal(kn_use_status(client_world(&m), dash), KN_USE_CHARGES);
    assert_true(kn_ability_charges(m.a.world, ability_in(&m, m.a.world, "Dash"), own, &other));
    assert_int_equal(other.charges, 0);
    // One cycle for both, from the time of the use.
    assert_int_equal(
        kn_world_now(client_world(&m)) + info.remaining, kn_world_now(m.a.world) + other.remaining);
    match_end(&m);
}

// INP-001, INP-012, INP-016, CDC-017, CDC-018, SAIV-070: presses that wait are used at the same
// time on both machines, at every latency; nothing is revoked and nothing refused.
static void presses_wait_alike_on_both_machines(void **state)
{
    static const kn_time latencies[] = {0, KN_MS(50), KN_MS(125)};
    (void)state;
    for (uint32_t i = 0; i < 3; i++) {
        match m;
        match_begin(&m, latencies[i], 0.0f);
        match_join(&m);
        command_press(&m, "Bolt");
        match_run(&m, KN_MS(1400));
        command_press(&m, "Nova"); // about 0.1 s early
        match_run(&m, KN_MS(50));
        assert_int_equal(kn_input_queue_get(client_world(&m), m.a.hero, NULL, 0), 1);
        match_run(&m, KN_S(2));
        long long bolt = 0, nova = 0;
        assert_int_equal(sscanf(m.log, "Bolt %lld, Nova %lld, ", &bolt, &nova), 2);
        assert_int_equal(nova - bolt, 1500); // exactly
        assert_int_equal(m.revoked, 0);
        assert_int_equal(m.refused, 0);
        assert_int_equal(m.answers, 2);
        match_end(&m);
    }
}

// INP-011, INP-012, SAIV-109: automatic use needs no message but the press and the release.
static void automatic_use_is_predicted_without_messages(void **state)
{
    static const kn_time latencies[] = {0, KN_MS(125)};
    uint32_t uses[2] = {0};
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        match m;
        match_begin(&m, latencies[i], 0.0f);
        match_join(&m);
        command_press(&m, "Gun");
        match_run(&m, KN_MS(2100));
        command_release(&m, "Gun");
        match_run(&m, KN_S(2));
        for (const char *at = m.log; (at = strstr(at, "Gun ")) != NULL; at++) {
            uses[i]++;
        }
        assert_int_equal(m.answers, 2);
        assert_int_equal(m.refused + m.revoked, 0);
        match_end(&m);
    }
    assert_int_equal(uses[0], 6); // 0, 0.4, ... 2.0
    assert_int_equal(uses[1], uses[0]);
}

// SAIV-133, STAT-009, STAT-024: a player who follows a stat before it has arrived hears of each
// change once.
static void a_stat_that_has_not_arrived_is_followed_from_then_on(void **state)
{
    match m;
    (void)state;
    match_begin(&m, KN_MS(50), 0.0f);
    expect_ok(kn_attribute_set_base(m.a.world, m.a.hero, m.luck, 0, 2.0f)); // before it joins
    match_run(&m, KN_S(3));
    assert_true(kn_attribute_value(client_world(&m), m.a.hero, m.luck) == 2.0f);
    uint32_t arrival = m.stat_changes;
    assert_int_equal(arrival, 1); // when it came
    assert_true(m.stat == 2.0f);
    expect_ok(kn_attribute_set_base(m.a.world, m.a.hero, m.luck, 0, 3.0f));
    match_run(&m, KN_S(1));
    assert_int_equal(m.stat_changes, arrival + 1);
    assert_true(m.stat == 3.0f);
    expect_ok(kn_attribute_set_base(m.a.world, m.a.hero, m.luck, 0, 4.0f));
    match_run(&m, KN_S(1));
    assert_int_equal(m.stat_changes, arrival + 2);
    assert_true(m.stat == 4.0f);
    match_end(&m);
}

// SAIV-142, SAIV-161, PID-005, MAP-017: what a use makes has the number of its command. Confirmed,
// it is heard of once and stays; refused, all of it is taken back, and what another use made stays.
static void what_a_use_makes_has_its_key_and_goes_with_it(void **state)
{
    match m;
    (void)state;
    match_begin(&m, KN_MS(100), 0.0f);
    match_join(&m);
    m.applied = m.removed = m.unapplied = 0;
    uint32_t first = command_use(&m, "Shield");
    match_run(&m, KN_MS(40));
    assert_int_equal(m.applied, 2); // predicted
    assert_int_equal(m.key.sequence, first);
    assert_int_equal(m.key.connection, m.connection);
    match_run(&m, KN_MS(500));
    assert_int_equal(m.applied, 2); // confirmed: no pair of removal and application
    assert_int_equal(m.removed + m.unapplied, 0);
    assert_int_equal(kn_effects_count(client_world(&m), m.a.hero), 2);
    expect_ok(kn_abilities_block(
        m.a.world, m.a.hero, (kn_tags){&m.small_tag, 1}, m.a.foe, 1)); // the client does not know
    uint32_t second = command_use(&m, "Shield");
    assert_int_equal(second, first + 1);
    match_run(&m, KN_MS(40));
    assert_int_equal(m.applied, 4);
    assert_int_equal(m.key.sequence, second);
    match_run(&m, KN_MS(500));
    assert_int_equal(m.unapplied, 2); // both, and only those of the second use
    assert_int_equal(kn_effects_count(client_world(&m), m.a.hero), 2);
    assert_int_equal(kn_effects_count(m.a.world, m.a.hero), 2);
    match_end(&m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(predicted_costs_are_replaced_by_those_of_the_server),
    cmocka_unit_test(a_refused_cost_is_dropped_alone),
    cmocka_unit_test(what_the_server_gives_comes_on_top_of_predictions),
    cmocka_unit_test(gains_and_regeneration_are_predicted),
    cmocka_unit_test(predicted_charges_are_replaced_by_those_of_the_server),
    cmocka_unit_test(presses_wait_alike_on_both_machines),
    cmocka_unit_test(automatic_use_is_predicted_without_messages),
    cmocka_unit_test(what_a_use_makes_has_its_key_and_goes_with_it),
    cmocka_unit_test(a_stat_that_has_not_arrived_is_followed_from_then_on),
};

TEST_GROUP(combat_flow_net, tests, NULL, NULL);
