// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Input over a simulated network: the flying sample on a dedicated server and the client of its
// player, and a walk that both of them compute.

#include "group.h"

#include "knack/capability.h"
#include "knack/net.h"
#include "net/carry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAME KN_MS(5)

#define expect_ok(call) assert_int_equal(call, KN_OK)

// Shared data of a character: where it goes, which way it looks, and how it moves.
typedef struct body {
    kn_vec3 moved;
    float yaw, pitch;
    uint32_t is_flying;
} body;

typedef struct match {
    kn_library *library;
    kn_world *world; // the server's
    kn_server *server;
    kn_client *client;
    kn_net_sim *net;
    kn_input_mapper *mapper;
    uint32_t connection;
    kn_time now;
    kn_entity_id hero, idol;
    kn_component_type_id body;
    kn_input_action_id move, lift, look, walk;
    kn_capability_set_id flight, march;
    bool wants_mode; // the client is to ask for another mode
    uint32_t requests, refused, runs, client_runs;
    char log[2][512]; // of the server, of the client
} match;

static void note(match *m, const kn_world *world, const char *what)
{
    char *log = m->log[kn_world_is_client(world)];
    size_t length = strlen(log);
    (void)snprintf(log + length, sizeof(m->log[0]) - length, "%s%s", length > 0 ? " " : "", what);
}

// Flying ------------------------------------------------------------------------------

static kn_result fly_start_life(void *user, const kn_hook_call *call)
{
    note(user, call->world, "SL");
    return KN_OK;
}

// The owning side asks the authority: nothing is switched here. A client has its world twice, and
// asks once.
static kn_result fly_setup(void *user, const kn_hook_call *call)
{
    match *m = user;
    note(m, call->world, "SU");
    m->wants_mode = m->wants_mode || kn_world_is_predicting(call->world);
    return KN_OK;
}

static kn_result fly_end_life(void *user, const kn_hook_call *call)
{
    note(user, call->world, "EL");
    return KN_OK;
}

// Forward is (1,0,0), right (0,1,0), up (0,0,1).
static kn_result fly_input(void *user, const kn_hook_call *call)
{
    const match *m = user;
    const kn_capability_input_call *c = call->arguments;
    body *own = kn_component_get(call->writable, m->body, call->entity);
    if (own == NULL) {
        return KN_OK;
    }
    assert_int_equal(c->on, KN_INPUT_TRIGGER_TRIGGERED);
    if (c->action.index1 == m->move.index1) {
        own->moved.y += c->value.x;
        own->moved.x += c->value.y;
    } else if (c->action.index1 == m->lift.index1) {
        own->moved.z += c->value.x;
    } else {
        own->yaw += c->value.x;
        own->pitch += c->value.y;
    }
    return KN_OK;
}

static kn_result mode_command(void *user, kn_world *world, const kn_command *command)
{
    match *m = user;
    body *own = kn_component_get(world, m->body, command->entity);
    if (own == NULL) {
        return KN_REFUSED_NOT_FOUND;
    }
    m->requests += !kn_world_is_client(world);
    own->is_flying = 1;
    return KN_OK;
}

// Walking, on both machines --------------------------------------------------------------

static kn_result walk_input(void *user, const kn_hook_call *call)
{
    match *m = user;
    const kn_capability_input_call *c = call->arguments;
    body *own = kn_component_get(call->writable, m->body, call->entity);
    own->moved.x += c->value.x * 0.125f;
    m->runs += !kn_world_is_client(call->world);
    m->client_runs += kn_world_is_predicting(call->world);
    return KN_OK;
}

// The match -----------------------------------------------------------------------------

static kn_input_action_id action(match *m, const char *name, kn_input_kind kind)
{
    kn_input_action_id id;
    kn_input_action_def def = kn_input_action_def_default();
    def.name = name;
    def.kind = kind;
    expect_ok(kn_input_action_register(m->library, &def, &id, NULL));
    return id;
}

static kn_capability_set_id set_of(match *m, kn_capability_def *def, const char *name)
{
    kn_capability_set_def set = kn_capability_set_def_default();
    kn_capability_id id;
    kn_capability_set_id set_id;
    kn_error error = {0};
    def->name = set.name = name;
    def->can_tick = false;
    if (kn_capability_def_register(m->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    set.capabilities = &id;
    set.capability_count = 1;
    set.data = &m->body;
    set.data_count = 1;
    expect_ok(kn_capability_set_register(m->library, &set, &set_id, NULL));
    return set_id;
}

static void content(match *m)
{
    static const kn_field fields[] = {
        KN_FIELD(body, moved, KN_FIELD_VEC3),
        KN_FIELD(body, yaw, KN_FIELD_F32),
        KN_FIELD(body, pitch, KN_FIELD_F32),
        KN_FIELD(body, is_flying, KN_FIELD_U32),
    };
    kn_component_def component = kn_component_def_default();
    component.name = "Body";
    component.size = sizeof(body);
    component.fields = fields;
    component.field_count = 4;
    expect_ok(kn_component_register(m->library, &component, &m->body, NULL));
    m->move = action(m, "Move", KN_INPUT_KIND_AXIS2);
    m->lift = action(m, "UpDown", KN_INPUT_KIND_AXIS);
    m->look = action(m, "Look", KN_INPUT_KIND_AXIS2);
    m->walk = action(m, "Walk", KN_INPUT_KIND_AXIS);
    const kn_input_mapping mappings[] = {
        {"Right", 0, m->move, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {"Forward", 0, m->move, KN_INPUT_AXIS_Y, 1.0f, 0.0f},
        {"Down", 0, m->lift, KN_INPUT_AXIS_X, -1.0f, 0.0f},
        {"MouseX", 0, m->look, KN_INPUT_AXIS_X, 1.0f, 0.0f},
        {"MouseY", 0, m->look, KN_INPUT_AXIS_Y, -1.0f, 0.0f},
        {"Go", 0, m->walk, KN_INPUT_AXIS_X, 1.0f, 0.0f},
    };
    kn_input_context_id flying;
    kn_input_context_def context = kn_input_context_def_default();
    context.name = "Flying";
    context.mappings = mappings;
    context.mapping_count = 6;
    expect_ok(kn_input_context_register(m->library, &context, &flying, NULL));
    const kn_capability_input inputs[] = {{m->move, KN_INPUT_TRIGGER_TRIGGERED},
        {m->lift, KN_INPUT_TRIGGER_TRIGGERED}, {m->look, KN_INPUT_TRIGGER_TRIGGERED}};
    kn_capability_def def = kn_capability_def_default();
    def.side = KN_SIDE_LOCAL;
    def.contexts = &flying;
    def.context_count = 1;
    def.inputs = inputs;
    def.input_count = 3;
    def.start_life = (kn_hook){fly_start_life, m};
    def.setup = (kn_hook){fly_setup, m};
    def.end_life = (kn_hook){fly_end_life, m};
    def.input = (kn_hook){fly_input, m};
    m->flight = set_of(m, &def, "Flight");
    const kn_capability_input walk = {m->walk, KN_INPUT_TRIGGER_TRIGGERED};
    def = kn_capability_def_default();
    def.contexts = &flying;
    def.context_count = 1;
    def.inputs = &walk;
    def.input_count = 1;
    def.input = (kn_hook){walk_input, m};
    m->march = set_of(m, &def, "March");
    kn_command_def command = kn_command_def_default();
    kn_command_type_id type;
    command.name = "Fly";
    command.function = mode_command;
    command.user = m;
    expect_ok(kn_command_register(m->library, &command, &type, NULL));
}

static match *match_create(void)
{
    match *m = calloc(1, sizeof(*m));
    kn_library_def library = kn_library_def_default();
    expect_ok(kn_library_create(&library, &m->library));
    expect_ok(kn_capability_register(m->library, NULL));
    content(m);
    expect_ok(kn_library_finish(m->library, NULL));
    kn_world_def world = kn_world_def_default();
    world.library = m->library;
    world.is_dedicated = true;
    expect_ok(kn_world_create(&world, &m->world));
    expect_ok(kn_entity_create(m->world, &m->idol));
    expect_ok(kn_entity_create(m->world, &m->hero));
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = 2;
    expect_ok(kn_net_sim_create(&net, &m->net));
    kn_net_conditions conditions = {.latency = KN_MS(40)};
    expect_ok(kn_net_sim_set_all(m->net, &conditions));
    kn_server_def server = kn_server_def_default();
    server.world = m->world;
    expect_ok(kn_server_create(&server, &m->server));
    kn_client_def client = kn_client_def_default();
    client.library = m->library;
    expect_ok(kn_client_create(&client, &m->client));
    expect_ok(kn_server_open(m->server, m->now, &m->connection));
    kn_input_mapper_def mapper = kn_input_mapper_def_default();
    mapper.library = m->library;
    expect_ok(kn_input_mapper_create(&mapper, &m->mapper));
    return m;
}

static void match_destroy(match *m)
{
    assert_true(kn_world_validate(m->world));
    kn_input_mapper_destroy(m->mapper);
    kn_client_destroy(m->client);
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    kn_world_destroy(m->world);
    kn_library_destroy(m->library);
    free(m);
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

static void client_commands(match *m)
{
    kn_command commands[8];
    const kn_world *world = kn_client_world(m->client);
    if (world == NULL) {
        return;
    }
    if (m->wants_mode) {
        kn_command command = {.type = kn_command_find(m->library, "Fly"), .entity = m->hero};
        m->wants_mode = kn_client_command(m->client, &command, NULL, NULL) != KN_OK;
    }
    expect_ok(kn_input_mapper_serve(m->mapper, world, &m->hero, 1));
    uint32_t count = kn_input_mapper_commands(m->mapper, commands, 8);
    for (uint32_t i = 0; i < count; i++) {
        expect_ok(kn_client_command(m->client, &commands[i], NULL, NULL));
    }
}

static void client_turn(match *m)
{
    kn_client_event event;
    carry_to_client(m->net, m->now, m->client, 1);
    client_commands(m);
    expect_ok(kn_client_update(m->client, m->now));
    while (kn_client_next_event(m->client, &event)) {
        m->refused += event.kind == KN_CLIENT_ANSWER && event.result != KN_OK;
    }
    carry_from_client(m->net, m->now, m->client, 1);
}

static void run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        server_turn(m);
        client_turn(m);
    }
}

static void key(match *m, const char *name, float value)
{
    expect_ok(kn_input_key_named(m->mapper, name, value));
}

// The player gets the hero.
static void possess(match *m)
{
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connection));
    expect_ok(
        kn_capability_set_controller(m->world, m->hero, (kn_controller){.number = m->connection}));
}

static body body_in(const match *m, const kn_world *world)
{
    const body *own = kn_component_read(world, m->body, m->hero);
    assert_non_null(own);
    return *own;
}

// Tests -----------------------------------------------------------------------------------

// CAPV-064, CAP-008, CAP-079, CAP-194, CAP-196, CAP-220: the host of this test brings the time, who
// controls what, keys and packets.
static void flying_is_asked_for_by_the_owning_side(void **state)
{
    match *m = match_create();
    (void)state;
    possess(m);
    expect_ok(kn_capability_set_add(m->world, m->hero, m->flight, NULL));
    assert_string_equal(m->log[0], "SL");
    assert_int_equal(body_in(m, m->world).is_flying, 0); // not by itself
    run(m, KN_S(2));
    assert_non_null(strstr(m->log[1], "SL SU"));
    assert_int_equal(m->requests, 1);
    assert_int_equal(body_in(m, m->world).is_flying, 1);
    assert_int_equal(body_in(m, kn_client_world(m->client)).is_flying, 1);
    assert_string_equal(m->log[0], "SL"); // no SU on the dedicated server
    assert_false(kn_capability_is_bound(m->world, m->hero, 1));
    assert_true(kn_capability_is_bound(kn_client_world(m->client), m->hero, 1));
    expect_ok(kn_capability_set_remove(m->world, m->hero, m->flight));
    assert_string_equal(m->log[0], "SL EL");
    match_destroy(m);
}

// CAPV-063, CAP-195, CAP-196: in the world of one machine, so that the numbers are exact.
static void flying_adds_up_what_keys_say(void **state)
{
    match *m = match_create();
    (void)state;
    kn_world_def def = kn_world_def_default();
    def.library = m->library;
    kn_world *world;
    kn_entity_id hero;
    expect_ok(kn_world_create(&def, &world));
    expect_ok(kn_entity_create(world, &hero));
    expect_ok(kn_capability_set_add(world, hero, m->flight, NULL));
    expect_ok(kn_capability_set_controller(world, hero, (kn_controller){.number = 1}));
    static const struct {
        const char *keys[2];
        float values[2];
        body expected;
    } rows[] = {
        {{"Right", "Forward"}, {0.5f, 1.0f}, {{1.0f, 0.5f, 0.0f}, 0.0f, 0.0f, 0}},
        {{"Down", "Forward"}, {1.0f, 0.0f}, {{0.0f, 0.0f, -1.0f}, 0.0f, 0.0f, 0}},
        {{"MouseX", "MouseY"}, {2.0f, 3.0f}, {{0.0f, 0.0f, 0.0f}, 2.0f, -3.0f, 0}},
        {{"MouseX", "MouseY"}, {2.0f, -3.0f}, {{0.0f, 0.0f, 0.0f}, 2.0f, 3.0f, 0}},
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        kn_command commands[4];
        memset(kn_component_get(world, m->body, hero), 0, sizeof(body));
        for (int is_down = 1; is_down >= 0; is_down--) {
            for (uint32_t j = 0; j < 2; j++) {
                key(m, rows[i].keys[j], is_down != 0 ? rows[i].values[j] : 0.0f);
            }
            expect_ok(kn_input_mapper_serve(m->mapper, world, &hero, 1));
            uint32_t count = kn_input_mapper_commands(m->mapper, commands, 4);
            for (uint32_t j = 0; j < count; j++) {
                expect_ok(kn_world_command(world, &commands[j], NULL));
            }
            const kn_system_id system = kn_system_find(m->library, "Knack.Capabilities.60.rules");
            kn_time at = kn_system_next(world, system);
            expect_ok(kn_world_step(world, at - kn_world_now(world)));
        }
        const body *own = kn_component_read(world, m->body, hero);
        assert_memory_equal(own, &rows[i].expected, sizeof(body));
    }
    kn_world_destroy(world);
    match_destroy(m);
}

static void what_both_compute_is_never_corrected(void **state)
{
    match *m = match_create();
    (void)state;
    possess(m);
    expect_ok(kn_capability_set_add(m->world, m->hero, m->march, NULL));
    run(m, KN_S(3));
    const kn_world *seen = kn_client_world(m->client);
    assert_true(kn_capability_get_controller(seen, m->hero, NULL)); // the server told it
    const kn_client_stats before = kn_client_get_stats(m->client);
    for (int i = 0; i < 5; i++) {
        key(m, "Go", i % 2 == 0 ? 1.0f : -0.5f);
        run(m, KN_MS(300));
        key(m, "Go", 0.0f);
        run(m, KN_MS(100));
    }
    run(m, KN_S(1));
    const kn_client_stats after = kn_client_get_stats(m->client);
    assert_true(m->runs > 80);
    assert_true(body_in(m, m->world).moved.x > 1.0f);
    assert_true(body_in(m, m->world).moved.x == body_in(m, kn_client_world(m->client)).moved.x);
    assert_int_equal(m->refused, 0);
    assert_int_equal(after.corrections, before.corrections);
    assert_int_equal(after.mismatches, before.mismatches);
    match_destroy(m);
}

// The player shows the value at once, and the server has it later: CAP-192
static void values_are_predicted(void **state)
{
    match *m = match_create();
    (void)state;
    possess(m);
    expect_ok(kn_capability_set_add(m->world, m->hero, m->march, NULL));
    run(m, KN_S(3));
    key(m, "Go", 1.0f);
    run(m, KN_MS(25));
    assert_true(kn_capability_action_value(kn_client_world(m->client), m->hero, m->walk).x == 1.0f);
    assert_true(kn_capability_action_value(m->world, m->hero, m->walk).x == 0.0f);
    run(m, KN_MS(200));
    assert_true(kn_capability_action_value(m->world, m->hero, m->walk).x == 1.0f);
    // Control is taken: the client lets go of it, and so does the hero.
    expect_ok(kn_capability_remove_controller(m->world, m->hero));
    const float at = body_in(m, m->world).moved.x;
    run(m, KN_S(1));
    assert_true(body_in(m, m->world).moved.x == at);
    assert_true(body_in(m, kn_client_world(m->client)).moved.x == at);
    assert_false(kn_capability_is_bound(kn_client_world(m->client), m->hero, 1));
    assert_int_equal(kn_capability_contexts(kn_client_world(m->client), m->hero, NULL, 0), 0);
    // And given back: the key is still down.
    possess(m);
    run(m, KN_S(1));
    assert_true(kn_capability_is_bound(kn_client_world(m->client), m->hero, 1));
    assert_true(body_in(m, m->world).moved.x > at + 1.0f);
    // To somebody else: this client knows nothing of it any more.
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connection + 1));
    expect_ok(kn_capability_set_controller(
        m->world, m->hero, (kn_controller){.number = m->connection + 1}));
    run(m, KN_S(1));
    assert_false(kn_capability_is_bound(kn_client_world(m->client), m->hero, 1));
    assert_false(kn_capability_get_controller(kn_client_world(m->client), m->hero, NULL));
    assert_true(kn_capability_action_value(kn_client_world(m->client), m->hero, m->walk).x == 0.0f);
    match_destroy(m);
}

// What the server does by itself reaches the client as state, without a command: it is held there
// too, and its capabilities hear of it.
static void values_of_the_server_reach_the_client(void **state)
{
    match *m = match_create();
    (void)state;
    possess(m);
    expect_ok(kn_capability_set_add(m->world, m->hero, m->march, NULL));
    run(m, KN_S(3));
    kn_action_command payload = {m->walk, {0.5f, 0.0f, 0.0f}};
    kn_command command = {.type = kn_command_find(m->library, "Knack.Action"),
        .entity = m->hero,
        .payload = &payload,
        .size = sizeof(payload)};
    expect_ok(kn_world_command(m->world, &command, NULL));
    run(m, KN_S(1));
    assert_true(kn_capability_action_value(kn_client_world(m->client), m->hero, m->walk).x == 0.5f);
    assert_true(m->client_runs > 50);
    const kn_client_stats before = kn_client_get_stats(m->client);
    run(m, KN_S(1));
    const kn_client_stats after = kn_client_get_stats(m->client);
    assert_int_equal(after.corrections, before.corrections); // it goes on by itself
    payload.value.x = 0.0f;
    expect_ok(kn_world_command(m->world, &command, NULL));
    run(m, KN_S(1));
    assert_true(body_in(m, m->world).moved.x > 1.0f);
    assert_true(body_in(m, m->world).moved.x == body_in(m, kn_client_world(m->client)).moved.x);
    match_destroy(m);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(flying_is_asked_for_by_the_owning_side),
    cmocka_unit_test(flying_adds_up_what_keys_say),
    cmocka_unit_test(what_both_compute_is_never_corrected),
    cmocka_unit_test(values_are_predicted),
    cmocka_unit_test(values_of_the_server_reach_the_client),
};

TEST_GROUP(capability_input_net, tests, NULL, NULL);
