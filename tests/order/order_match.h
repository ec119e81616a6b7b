// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and its clients over a simulated network. Each player is an entity that its connection
// controls; units belong to players. Orders go on until a test ends them.
#ifndef KNACK_ORDER_MATCH_H
#define KNACK_ORDER_MATCH_H

#include "group.h"

#include "knack/net.h"
#include "knack/order_command.h"
#include "net/carry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RED 0
#define BLUE 1
#define LATE 2 // joins when a test says so
#define PLAYERS 3
#define UNITS 4
#define FRAME KN_MS(5)

// What a machine published about one unit.
typedef struct heard {
    uint32_t changed, queue, enqueued, cleared, refused;
} heard;

typedef struct match {
    kn_library *library;
    kn_world *world; // the server's
    kn_grid *grid;
    kn_recording *recording; // with `is_recorded`
    bool is_recorded;
    kn_server *server;
    kn_server_def server_def;
    kn_client *clients[PLAYERS];
    uint32_t connections[PLAYERS];
    bool is_open[PLAYERS];
    kn_net_sim *net;
    kn_net_conditions conditions;
    kn_time now;
    kn_entity_id players[2];       // of RED and BLUE
    kn_entity_id red[UNITS], blue; // their units
    kn_tag immobile, unarmed, blessed, awake, tired;
    kn_order_type_id stop, move, attack, work, shout, scout, passive, heal, secret;
    kn_unit_type_id soldier;
    uint32_t ticket; // of the last order that was begun
    uint32_t begun;
    heard on_server;          // about red[0]
    heard on_client[PLAYERS]; // about red[0], revoked ones taken off
    uint32_t answers[PLAYERS], refusals[PLAYERS];
    uint32_t revoked[PLAYERS];
    kn_result answer[PLAYERS]; // the last one
    kn_order_errors errors[PLAYERS];
    uint32_t reasons[PLAYERS];
    kn_entity_id hidden; // from BLUE
    bool scouting_is_refused;
} match;

static inline void expect_ok(kn_result result)
{
    assert_string_equal(kn_result_name(result), kn_result_name(KN_OK));
}

static inline void expect_result(kn_result result, kn_result wanted)
{
    assert_string_equal(kn_result_name(result), kn_result_name(wanted));
}

// The library -------------------------------------------------------------------

static inline kn_tag match_tag(match *m, const char *name)
{
    kn_tag tag;
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    expect_ok(kn_tag_register(m->library, &def, &tag, NULL));
    return tag;
}

static inline kn_result match_execute(void *user, const kn_hook_call *call)
{
    match *m = user;
    const kn_order_call *c = call->arguments;
    assert_false(kn_world_is_client(call->world)); // clients carry nothing out
    m->ticket = c->ticket;
    m->begun++;
    return KN_OK;
}

// Reasons that are not about tags of the unit.
static inline kn_result match_can_scout(void *user, const kn_hook_call *call)
{
    const match *m = user;
    kn_order_call *c = call->arguments;
    if (!m->scouting_is_refused) {
        return KN_OK;
    }
    c->errors[c->error_count++] = m->tired;
    return KN_REFUSED_CUSTOM;
}

static inline kn_order_type_def match_type(match *m, const char *name, kn_order_target_kind kind)
{
    kn_order_type_def def = kn_order_type_def_default();
    def.name = name;
    def.needs_life = false;
    def.target_kind = kind;
    def.execute = (kn_hook){match_execute, m};
    return def;
}

static inline kn_order_type_id match_type_done(match *m, const kn_order_type_def *def)
{
    kn_order_type_id type;
    kn_error error = {0};
    if (kn_order_type_register(m->library, def, &type, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return type;
}

static inline void match_types(match *m)
{
    kn_order_type_def def = match_type(m, "Stop", KN_ORDER_TARGET_NONE);
    m->stop = match_type_done(m, &def);
    def = match_type(m, "Move", KN_ORDER_TARGET_LOCATION);
    def.tags.source_blocked = (kn_tags){&m->immobile, 1};
    def.individual_locations = true;
    def.spacing = 2.0f;
    m->move = match_type_done(m, &def);
    def = match_type(m, "Attack", KN_ORDER_TARGET_ENTITY);
    const kn_tag none_of[] = {m->immobile, m->unarmed};
    def.tags.source_blocked = (kn_tags){none_of, 2};
    const kn_tag all_of[] = {m->blessed, m->awake, m->tired};
    def.tags.source_required = (kn_tags){all_of, 3};
    m->attack = match_type_done(m, &def);
    def = match_type(m, "Work", KN_ORDER_TARGET_NONE);
    def.is_work = true;
    m->work = match_type_done(m, &def);
    def = match_type(m, "Shout", KN_ORDER_TARGET_NONE);
    def.policy = KN_ORDER_INSTANT;
    def.group = KN_ORDER_GROUP_SUB_GROUP;
    m->shout = match_type_done(m, &def);
    def = match_type(m, "Scout", KN_ORDER_TARGET_NONE);
    def.group = KN_ORDER_GROUP_FIRST;
    def.can_obey = (kn_hook){match_can_scout, m};
    m->scout = match_type_done(m, &def);
    def = match_type(m, "Passive", KN_ORDER_TARGET_PASSIVE);
    m->passive = match_type_done(m, &def);
    def = match_type(m, "Heal", KN_ORDER_TARGET_ENTITY);
    def.auto_for_players = true;
    m->heal = match_type_done(m, &def);
    def = match_type(m, "Secret", KN_ORDER_TARGET_ENTITY);
    def.auto_for_ai = true;
    m->secret = match_type_done(m, &def);
}

static inline bool match_is_relevant(
    void *user, const kn_world *world, uint32_t connection, kn_entity_id entity)
{
    const match *m = user;
    (void)world;
    return connection != m->connections[BLUE] || !kn_entity_id_equal(entity, m->hidden);
}

static inline match *match_create(void)
{
    match *m = calloc(1, sizeof(*m));
    kn_error error = {0};
    assert_non_null(m);
    kn_library_def def = kn_library_def_default();
    expect_ok(kn_library_create(&def, &m->library));
    if (kn_order_register(m->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    expect_ok(kn_grid_register(m->library, NULL, &error));
    m->immobile = match_tag(m, "Status.Immobile");
    m->unarmed = match_tag(m, "Status.Unarmed");
    m->blessed = match_tag(m, "Status.Blessed");
    m->awake = match_tag(m, "Status.Awake");
    m->tired = match_tag(m, "Status.Tired");
    match_types(m);
    const kn_order_auto autos[] = {{m->heal, -1, 0}, {m->secret, 3, 0}};
    kn_unit_type_def unit = kn_unit_type_def_default();
    unit.name = "Soldier";
    unit.stop = m->stop;
    unit.queue_limit = 3;
    unit.autos = autos;
    unit.auto_count = 2;
    expect_ok(kn_unit_type_register(m->library, &unit, &m->soldier, &error));
    if (kn_library_finish(m->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    m->server_def = kn_server_def_default();
    m->server_def.is_relevant = match_is_relevant;
    m->server_def.user = m;
    m->conditions.latency = KN_MS(50);
    return m;
}

// Running -------------------------------------------------------------------------

static inline void heard_add(
    const match *m, heard *h, const kn_event *event, const void *payload, bool is_revoked)
{
    const uint32_t one = is_revoked ? UINT32_MAX : 1u;
    if (event->type != KN_EVENT_CUSTOM || !kn_entity_id_equal(event->entity, m->red[0])) {
        return;
    }
    const char *name = kn_custom_event_name(m->library, event->data.custom.kind);
    if (strcmp(name, "Knack.OrderChanged") == 0) {
        h->changed += one;
    } else if (strcmp(name, "Knack.OrderQueue") == 0) {
        const kn_order_queue_event *queue = payload;
        h->queue += one;
        h->cleared += queue != NULL && queue->is_cleared != 0;
    } else if (strcmp(name, "Knack.OrderEnqueued") == 0) {
        h->enqueued += one;
    } else if (strcmp(name, "Knack.OrderRefused") == 0) {
        h->refused += one;
    }
}

static inline void server_heard(void *user, kn_world *world, const kn_event *event)
{
    match *m = user;
    uint32_t size;
    heard_add(m, &m->on_server, event, kn_event_payload(world, event, &size), false);
}

static inline void server_turn(match *m)
{
    kn_server_event event;
    carry_to_server(m->net, m->now, m->server, m->connections);
    expect_ok(kn_server_update(m->server, m->now));
    while (kn_server_next_event(m->server, &event)) {
    }
    carry_from_server(m->net, m->now, m->server, m->connections, PLAYERS);
}

static inline void client_turn(match *m, uint32_t i)
{
    kn_client_event event;
    carry_to_client(m->net, m->now, m->clients[i], i + 1);
    expect_ok(kn_client_update(m->clients[i], m->now));
    while (kn_client_next_event(m->clients[i], &event)) {
        if (event.kind == KN_CLIENT_HAPPENED || event.kind == KN_CLIENT_REVOKED) {
            bool is_revoked = event.kind == KN_CLIENT_REVOKED;
            heard_add(m, &m->on_client[i], &event.event, NULL, is_revoked);
            m->revoked[i] += is_revoked && event.event.type == KN_EVENT_CUSTOM;
        } else if (event.kind == KN_CLIENT_ANSWER) {
            m->answers[i]++;
            m->refusals[i] += event.result != KN_OK;
            m->answer[i] = event.result;
            m->reasons[i] = event.reasons;
            m->errors[i] = (kn_order_errors){0};
            kn_order_errors_read(&m->errors[i], event.lines, event.line_count);
        }
    }
    carry_from_client(m->net, m->now, m->clients[i], i + 1);
}

static inline void match_run(match *m, kn_time time)
{
    for (kn_time end = m->now + time; m->now < end; m->now += FRAME) {
        server_turn(m);
        for (uint32_t i = 0; i < PLAYERS; i++) {
            if (m->is_open[i]) {
                client_turn(m, i);
            }
        }
    }
}

static inline void match_join(match *m, uint32_t i)
{
    kn_client_def client = kn_client_def_default();
    client.library = m->library;
    expect_ok(kn_client_create(&client, &m->clients[i]));
    expect_ok(kn_server_open(m->server, m->now, &m->connections[i]));
    m->is_open[i] = true;
}

static inline kn_entity_id match_unit(match *m, kn_entity_id owner, float x)
{
    kn_entity_id unit;
    kn_body body = kn_body_default();
    body.position = (kn_vec3){x, 0, 0};
    expect_ok(kn_entity_create(m->world, &unit));
    expect_ok(kn_entity_set_owner(m->world, unit, owner));
    expect_ok(kn_grid_set_body(m->grid, unit, &body));
    expect_ok(kn_unit_add(m->world, unit, m->soldier));
    return unit;
}

static inline void match_begin(match *m)
{
    kn_world_def def = kn_world_def_default();
    def.library = m->library;
    expect_ok(kn_world_create(&def, &m->world));
    kn_grid_def grid = kn_grid_def_default();
    grid.world = m->world;
    expect_ok(kn_grid_create(&grid, &m->grid));
    kn_world_set_space(m->world, kn_grid_space(m->grid));
    for (uint32_t i = 0; i < 2; i++) {
        expect_ok(kn_entity_create(m->world, &m->players[i]));
    }
    for (uint32_t i = 0; i < UNITS; i++) {
        m->red[i] = match_unit(m, m->players[RED], (float)i);
    }
    m->blue = match_unit(m, m->players[BLUE], 20);
    for (uint32_t i = 0; i < 2; i++) { // as they will join
        expect_ok(kn_entity_set_connection(m->world, m->players[i], i + 1));
    }
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    expect_ok(kn_net_sim_create(&net, &m->net));
    expect_ok(kn_net_sim_set_all(m->net, &m->conditions));
    m->server_def.world = m->world;
    if (m->is_recorded) {
        expect_ok(kn_recording_begin(m->world, &m->recording));
        m->server_def.recording = m->recording;
    }
    expect_ok(kn_server_create(&m->server_def, &m->server));
    kn_listener_def listener = kn_listener_def_default();
    kn_listener_id id;
    listener.type = KN_EVENT_CUSTOM;
    listener.function = server_heard;
    listener.user = m;
    expect_ok(kn_listener_add(m->world, &listener, &id));
    for (uint32_t i = 0; i < 2; i++) {
        match_join(m, i);
        assert_int_equal(m->connections[i], i + 1);
    }
    match_run(m, KN_S(2));
    m->on_server = (heard){0};
    memset(m->on_client, 0, sizeof(m->on_client));
    m->begun = 0;
}

static inline kn_world *client_world(match *m, uint32_t i)
{
    return kn_client_world(m->clients[i]);
}

static inline int match_setup(void **state)
{
    *state = match_create();
    return 0;
}

static inline int match_end(void **state)
{
    match *m = *state;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if (m->is_open[i]) {
            assert_true(kn_world_validate(client_world(m, i)));
        }
        kn_client_destroy(m->clients[i]);
    }
    assert_true(m->world == NULL || kn_world_validate(m->world));
    kn_server_destroy(m->server);
    kn_recording_destroy(m->recording);
    kn_net_sim_destroy(m->net);
    kn_grid_destroy(m->grid);
    kn_world_destroy(m->world);
    kn_library_destroy(m->library);
    free(m);
    return 0;
}

#define MATCH(name) cmocka_unit_test_setup_teardown(name, match_setup, match_end)

// Asking -----------------------------------------------------------------------------

static inline void ask(
    match *m, uint32_t i, kn_entity_id unit, kn_order_ask what, const kn_order *order)
{
    kn_order_message message;
    expect_ok(kn_order_message_unit(&message, m->library, unit, what, order));
    expect_ok(kn_client_command(m->clients[i], &message.command, NULL, NULL));
}

static inline kn_order move_to(const match *m, float x)
{
    return kn_order_at(m->move, (kn_vec3){x, 0, 0});
}

// The orders of a unit as a machine knows them, such as "Move | Work Stop".
static inline const char *orders_in(const match *m, const kn_world *world, kn_entity_id unit)
{
    static char text[256];
    kn_unit_info info;
    kn_order queue[8];
    if (!kn_unit_get_info(world, unit, &info)) {
        return "none";
    }
    const kn_order_type_def *def = kn_order_type_get_def(m->library, info.current.type);
    int length = snprintf(text, sizeof(text), "%s |", def != NULL ? def->name : "-");
    uint32_t count = kn_unit_queue(world, unit, queue, 8);
    for (uint32_t i = 0; i < count && i < 8; i++) {
        length += snprintf(text + length, sizeof(text) - (size_t)length, " %s",
            kn_order_type_get_def(m->library, queue[i].type)->name);
    }
    return text;
}

#define ON_SERVER(m, unit, text_) assert_string_equal(orders_in(m, (m)->world, unit), text_)
#define ON_CLIENT(m, i, unit, text_)                                                               \
    assert_string_equal(orders_in(m, client_world(m, i), unit), text_)

#endif
