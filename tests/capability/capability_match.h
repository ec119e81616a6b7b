// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A server and its clients over a simulated network, with capabilities whose hooks note what
// happened in a component of their entity. That is state of each machine: what a client simulates
// again is noted once.
#ifndef KNACK_CAPABILITY_MATCH_H
#define KNACK_CAPABILITY_MATCH_H

#include "group.h"

#include "knack/capability.h"
#include "knack/net.h"
#include "net/carry.h"

#include <stdarg.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OWNER 0
#define OBSERVER 1
#define LATE 2 // joins when a test says so
#define PLAYERS 3
#define FRAME KN_MS(5)
#define PARTS_MAX 24
#define NOTES_MAX 508

typedef struct match match;

// A capability of the match.
typedef struct part {
    match *m;
    char name[8];
    kn_capability_def def;
    kn_capability_id id;
} part;

typedef struct notes_data {
    uint32_t length;
    char text[NOTES_MAX];
} notes_data;

// What capabilities share: a value for everybody, one for the owner, and one that is not sent.
typedef struct shared_data {
    uint32_t open, owned, kept;
} shared_data;

typedef struct one_data {
    uint32_t value;
} one_data;

// An item of a list.
typedef struct coin_data {
    uint64_t worth;
} coin_data;

struct match {
    kn_library *library;
    kn_world *world; // the server's
    kn_server *server;
    kn_server_def server_def;
    kn_client *clients[PLAYERS];
    uint32_t connections[PLAYERS];
    bool is_open[PLAYERS];
    kn_net_sim *net;
    kn_time now;
    kn_entity_id hero, foe, gadget; // the hero is the owner's, the gadget is the hero's
    kn_tag go, move;                // tags: a condition, and one that is blocked
    kn_component_type_id notes, shared, need, own, purse, bag;
    kn_command_type_id wish;
    part parts[PARTS_MAX];
    uint32_t part_count;
    uint32_t problems[PLAYERS + 1]; // events of clients, and of the server
    uint32_t refused[PLAYERS];      // commands
    kn_result refusal[PLAYERS];     // of the last one
    void *test;
};

static inline void expect_ok(kn_result result)
{
    assert_string_equal(kn_result_name(result), kn_result_name(KN_OK));
}

// Notes -------------------------------------------------------------------------

static inline void note(kn_world *world, kn_entity_id entity, const char *format, ...)
{
    kn_component_type_id type = kn_component_find(kn_world_library(world), "Notes");
    notes_data *notes = kn_component_add(world, type, entity);
    assert_non_null(notes);
    char text[64];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    size_t room = sizeof(notes->text) - notes->length - 1;
    assert_true(strlen(text) + 1 < room);
    if (notes->length > 0) {
        notes->text[notes->length++] = ' ';
    }
    memcpy(notes->text + notes->length, text, strlen(text));
    notes->length += (uint32_t)strlen(text);
}

static inline const char *noted(const match *m, const kn_world *world, kn_entity_id entity)
{
    const notes_data *notes = kn_component_read(world, m->notes, entity);
    return notes != NULL ? notes->text : "";
}

#define NOTE_HOOK(name_, letters_)                                                                 \
    static inline kn_result name_(void *user, const kn_hook_call *call)                            \
    {                                                                                              \
        const part *p = user;                                                                      \
        note(call->writable, call->entity, letters_ "_%s", p->name);                               \
        return KN_OK;                                                                              \
    }
NOTE_HOOK(note_start_life, "SL")
NOTE_HOOK(note_setup, "SU")
NOTE_HOOK(note_on, "ON")
NOTE_HOOK(note_off, "OFF")
NOTE_HOOK(note_end, "EC")
NOTE_HOOK(note_end_life, "EL")

// The library -------------------------------------------------------------------

static inline part *part_of(match *m, const char *name, kn_capability_side side)
{
    assert_true(m->part_count < PARTS_MAX);
    part *p = &m->parts[m->part_count++];
    p->m = m;
    (void)snprintf(p->name, sizeof(p->name), "%s", name);
    p->def = kn_capability_def_default();
    p->def.name = p->name;
    p->def.side = side;
    p->def.start_life = (kn_hook){note_start_life, p};
    p->def.setup = (kn_hook){note_setup, p};
    p->def.activated = (kn_hook){note_on, p};
    p->def.deactivated = (kn_hook){note_off, p};
    p->def.end_capability = (kn_hook){note_end, p};
    p->def.end_life = (kn_hook){note_end_life, p};
    return p;
}

static inline void part_done(part *p)
{
    kn_error error = {0};
    if (kn_capability_def_register(p->m->library, &p->def, &p->id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
}

static inline part *plain_part(match *m, const char *name, kn_capability_side side)
{
    part *p = part_of(m, name, side);
    part_done(p);
    return p;
}

// A set that runs 60 times a second. Members are named by one letter each.
static inline kn_capability_set_def set_begin_def(
    match *m, const char *name, const char *members, kn_capability_id ids[PARTS_MAX])
{
    kn_capability_set_def def = kn_capability_set_def_default();
    def.name = name;
    def.capabilities = ids;
    for (; members[def.capability_count] != 0; def.capability_count++) {
        const char one[] = {members[def.capability_count], 0};
        ids[def.capability_count] = kn_capability_find(m->library, one);
    }
    return def;
}

static inline kn_capability_set_id set_done(match *m, const kn_capability_set_def *def)
{
    kn_capability_set_id id;
    kn_error error = {0};
    if (kn_capability_set_register(m->library, def, &id, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    return id;
}

static inline kn_capability_set_id plain_set(match *m, const char *name, const char *members)
{
    kn_capability_id ids[PARTS_MAX];
    kn_capability_set_def def = set_begin_def(m, name, members, ids);
    return set_done(m, &def);
}

// A set with one data component.
static inline kn_capability_set_id data_set(
    match *m, const char *name, const char *members, kn_component_type_id data)
{
    kn_capability_id ids[PARTS_MAX];
    kn_capability_set_def def = set_begin_def(m, name, members, ids);
    def.data = &data;
    def.data_count = 1;
    return set_done(m, &def);
}

static inline kn_tag match_tag(match *m, const char *name)
{
    kn_tag tag;
    kn_tag_def def = kn_tag_def_default();
    def.name = name;
    expect_ok(kn_tag_register(m->library, &def, &tag, NULL));
    return tag;
}

static inline kn_component_type_id one_component(match *m, const char *name, kn_sync sync)
{
    const kn_field fields[] = {KN_FIELD(one_data, value, KN_FIELD_U32)};
    kn_component_type_id type;
    kn_component_def def = kn_component_def_default();
    def.name = name;
    def.size = sizeof(one_data);
    def.fields = fields;
    def.field_count = 1;
    def.sync = sync;
    expect_ok(kn_component_register(m->library, &def, &type, NULL));
    return type;
}

static inline void components_begin(match *m)
{
    kn_field notes[] = {KN_FIELD(notes_data, length, KN_FIELD_U32),
        KN_FIELD_INIT("text", KN_FIELD_U8, offsetof(notes_data, text), NOTES_MAX)};
    kn_field shared[] = {KN_FIELD(shared_data, open, KN_FIELD_U32),
        KN_FIELD(shared_data, owned, KN_FIELD_U32), KN_FIELD(shared_data, kept, KN_FIELD_U32)};
    shared[1].sync = KN_SYNC_OWNER;
    shared[2].sync = KN_SYNC_NONE;
    kn_component_def def = kn_component_def_default();
    def.name = "Notes";
    def.size = sizeof(notes_data);
    def.fields = notes;
    def.field_count = 2;
    def.sync = KN_SYNC_NONE;
    expect_ok(kn_component_register(m->library, &def, &m->notes, NULL));
    def.name = "Shared";
    def.size = sizeof(shared_data);
    def.fields = shared;
    def.field_count = 3;
    def.sync = KN_SYNC_ALL;
    expect_ok(kn_component_register(m->library, &def, &m->shared, NULL));
    kn_field bag[] = {KN_FIELD(one_data, value, KN_FIELD_U32)};
    kn_field coin[] = {KN_FIELD(coin_data, worth, KN_FIELD_U64)};
    def.name = "Bag";
    def.size = sizeof(one_data);
    def.fields = bag;
    def.field_count = 1;
    def.item_size = sizeof(coin_data);
    def.item_fields = coin;
    def.item_field_count = 1;
    expect_ok(kn_component_register(m->library, &def, &m->bag, NULL));
    m->need = one_component(m, "Need", KN_SYNC_ALL);
    m->own = one_component(m, "Own", KN_SYNC_NONE);
    m->purse = one_component(m, "Purse", KN_SYNC_OWNER);
}

// What a player may wish for; each test has its own use for it.
typedef struct wish_data {
    uint32_t what, number;
} wish_data;

static inline match *match_create(kn_command_fn *wish)
{
    match *m = calloc(1, sizeof(*m));
    assert_non_null(m);
    kn_library_def def = kn_library_def_default();
    expect_ok(kn_library_create(&def, &m->library));
    kn_error error = {0};
    if (kn_capability_register(m->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    m->go = match_tag(m, "Go");
    m->move = match_tag(m, "Move");
    components_begin(m);
    const kn_field fields[] = {
        KN_FIELD(wish_data, what, KN_FIELD_U32), KN_FIELD(wish_data, number, KN_FIELD_U32)};
    kn_command_def command = kn_command_def_default();
    command.name = "Wish";
    command.size = sizeof(wish_data);
    command.fields = fields;
    command.field_count = 2;
    command.function = wish;
    command.user = m;
    if (wish != NULL) {
        expect_ok(kn_command_register(m->library, &command, &m->wish, NULL));
    }
    m->server_def = kn_server_def_default();
    return m;
}

// Running -------------------------------------------------------------------------

static inline bool is_problem(const match *m, const kn_event *event)
{
    return event->type == KN_EVENT_CUSTOM &&
           event->data.custom.kind.index1 ==
               kn_custom_event_find(m->library, "Knack.CapabilityProblem").index1;
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
        m->problems[i] += event.kind == KN_CLIENT_HAPPENED && is_problem(m, &event.event);
        if (event.kind == KN_CLIENT_ANSWER && event.result != KN_OK) {
            m->refused[i]++;
            m->refusal[i] = event.result;
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

static inline void match_begin(match *m, kn_time latency)
{
    kn_error error = {0};
    if (kn_library_finish(m->library, &error) != KN_OK) {
        fail_msg("%s", error.message);
    }
    kn_world_def def = kn_world_def_default();
    def.library = m->library;
    def.is_dedicated = true;
    expect_ok(kn_world_create(&def, &m->world));
    kn_entity_id *const all[] = {&m->foe, &m->hero, &m->gadget};
    for (size_t i = 0; i < 3; i++) {
        expect_ok(kn_entity_create(m->world, all[i]));
    }
    expect_ok(kn_entity_set_owner(m->world, m->gadget, m->hero));
    kn_net_sim_def net = kn_net_sim_def_default();
    net.peer_count = PLAYERS + 1;
    expect_ok(kn_net_sim_create(&net, &m->net));
    kn_net_conditions conditions = {.latency = latency};
    expect_ok(kn_net_sim_set_all(m->net, &conditions));
    m->server_def.world = m->world;
    expect_ok(kn_server_create(&m->server_def, &m->server));
    match_join(m, OWNER);
    match_join(m, OBSERVER);
    expect_ok(kn_entity_set_connection(m->world, m->hero, m->connections[OWNER]));
    match_run(m, KN_S(2));
}

static inline void match_end(match *m)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if (m->is_open[i]) {
            assert_true(kn_world_validate(kn_client_world(m->clients[i])));
        }
        kn_client_destroy(m->clients[i]);
    }
    assert_true(kn_world_validate(m->world));
    kn_server_destroy(m->server);
    kn_net_sim_destroy(m->net);
    kn_world_destroy(m->world);
    kn_library_destroy(m->library);
    free(m);
}

// Looking ---------------------------------------------------------------------------

static inline kn_world *client_world(match *m, uint32_t i)
{
    return kn_client_world(m->clients[i]);
}

#define EXPECT_SERVER(m, entity, text_)                                                            \
    assert_string_equal(noted(m, (m)->world, (m)->entity), text_)
#define EXPECT_CLIENT(m, i, entity, text_)                                                         \
    assert_string_equal(noted(m, client_world(m, i), (m)->entity), text_)

static inline void match_add(match *m, kn_entity_id entity, kn_capability_set_id set)
{
    expect_ok(kn_capability_set_add(m->world, entity, set, NULL));
}

static inline void match_take(match *m, kn_entity_id entity, kn_capability_set_id set)
{
    expect_ok(kn_capability_set_remove(m->world, entity, set));
}

static inline void match_wish(
    match *m, uint32_t i, kn_entity_id entity, uint32_t what, uint32_t number)
{
    const wish_data wish = {what, number};
    const kn_command command = {
        .type = m->wish, .entity = entity, .payload = &wish, .size = sizeof(wish)};
    expect_ok(kn_client_command(m->clients[i], &command, NULL, NULL));
}

#endif
