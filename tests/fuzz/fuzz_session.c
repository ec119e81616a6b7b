// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sessions under attack. The first byte picks the game:
//
// - even: a server, and a client that says what the input says. The link between them is honest, so
//   that payloads and messages get through, before and after joining. An honest client plays along
//   and must not notice.
// - odd: a client, and a server that says what the input says: made up, or taken from a real
//   server's words and changed.
//
// Whatever arrives, memory stays bounded, time goes on, and worlds stay sound.

#include "fuzz_input.h"

#include "net/session_kit.h"

#include "knack/net.h"
#include "net/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATAGRAM_BYTES 600
#define MEMORY_MAX ((size_t)96 << 20)
#define TURN KN_MS(20)

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_session: %s\n", what);
        abort();
    }
}

static void *count_realloc(void *user, void *ptr, size_t old_size, size_t new_size)
{
    size_t *bytes = user;
    *bytes = *bytes - old_size + new_size;
    must(*bytes <= MEMORY_MAX, "too much memory");
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    void *block = realloc(ptr, new_size);
    must(block != NULL, "no memory");
    return block;
}

typedef struct play {
    session_kit kit;
    kn_world *world;
    kn_server *server;
    kn_client *client;
    kn_net_link *link; // of the one that says what the input says
    uint32_t connection, fake_connection;
    kn_entity_id hero, thing;
    kn_time now;
    size_t bytes;
} play;

static kn_net_link *link_open(void)
{
    kn_net_link_def def = kn_net_link_def_default();
    def.datagram_bytes = DATAGRAM_BYTES;
    def.message_share = kni_message_share(DATAGRAM_BYTES);
    kn_net_link *link;
    must(kn_net_link_create(&def, &link) == KN_OK, "no link");
    return link;
}

static void server_open(play *p)
{
    kn_world_def world = kn_world_def_default();
    world.library = p->kit.library;
    must(kn_world_create(&world, &p->world) == KN_OK, "no world");
    must(session_hero(&p->kit, p->world, 0, &p->thing), "no entity");
    kn_effect_id effect;
    const kn_entity_id none = {0};
    must(kn_effect_apply_simple(p->world, p->kit.burning, none, p->thing, 1.0f, &effect) == KN_OK,
        "no effect");
    kn_server_def def = kn_server_def_default();
    def.hooks.realloc_fn = count_realloc;
    def.hooks.realloc_user = &p->bytes;
    def.world = p->world;
    def.datagram_bytes = DATAGRAM_BYTES;
    def.timeout = KN_S(1);
    must(kn_server_create(&def, &p->server) == KN_OK, "no server");
}

static void client_open(play *p)
{
    kn_client_def def = kn_client_def_default();
    def.hooks.realloc_fn = count_realloc;
    def.hooks.realloc_user = &p->bytes;
    def.library = p->kit.library;
    def.datagram_bytes = DATAGRAM_BYTES;
    def.timeout = KN_S(1);
    must(kn_client_create(&def, &p->client) == KN_OK, "no client");
}

// Bytes of the input ----------------------------------------------------------

static void any_bytes(fuzz_input *input, kn_writer *out)
{
    for (uint32_t count = take_below(input, 32); count > 0; count--) {
        kn_write_u8(out, (uint8_t)take_u8(input));
    }
}

// Mostly small, now and then close to what is expected or far too large.
static uint64_t any_number(fuzz_input *input, uint64_t near)
{
    uint32_t byte = take_u8(input);
    return byte < 100 ? byte % 8 : byte < 220 ? near + byte % 16 - 8 : UINT64_MAX >> byte % 64;
}

// What a client says besides state.
static void client_message(play *p, fuzz_input *input)
{
    uint8_t bytes[256];
    kn_writer out = {bytes, sizeof(bytes), 0};
    uint32_t kind = take_below(input, WIRE_PAUSE + 2);
    kn_write_u8(&out, (uint8_t)kind);
    if (kind == WIRE_HELLO && take_u8(input) < 200) {
        kni_write_number(&out, KN_SESSION_VERSION);
        kn_write_u64(&out, kn_library_hash(p->kit.library) + take_rarely(input, 4));
    } else if (kind == WIRE_LIBRARY) {
        kn_write_u8(&out, (uint8_t)take_below(input, 5));
    } else if (kind == WIRE_RESYNC) {
        kni_write_number(&out, take_rarely(input, 8) ? RESYNC_ALL : any_number(input, 2));
        kni_write_number(&out, any_number(input, kn_server_tick(p->server)));
        kn_write_u8(&out, take_bool(input));
    }
    any_bytes(input, &out);
    kn_result result = kn_net_link_send(p->link, bytes, out.length);
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not sent");
}

static void real_command(const play *p, fuzz_input *input, kn_writer *out)
{
    kn_command_release payload = {.input = 1 + take_below(input, 3)};
    kn_command command = {.type = kn_command_type_release(),
        .entity = take_bool(input) ? p->hero : p->thing,
        .payload = &payload,
        .size = sizeof(payload)};
    uint8_t bytes[128];
    uint32_t size = kn_command_write(p->kit.library, &command, bytes, sizeof(bytes));
    kni_write_number(out, size);
    kn_write_bytes(out, bytes, size);
}

static void client_payload(const play *p, fuzz_input *input, kn_writer *out)
{
    uint64_t tick = kn_server_tick(p->server);
    kni_write_number(out, any_number(input, tick));
    kni_write_number(out, any_number(input, 0));
    kni_write_number(out, any_number(input, 1));
    uint32_t count = take_below(input, 5);
    kni_write_number(out, take_rarely(input, 8) ? any_number(input, 1) : count);
    for (uint32_t i = 0; i < count; i++) {
        kni_write_number(out, any_number(input, tick));
        if (take_bool(input)) {
            real_command(p, input, out);
        } else {
            kni_write_number(out, take_below(input, 6));
            any_bytes(input, out);
        }
    }
}

// An entity as a real server would send it, with a few bytes changed.
static void any_entity(const play *p, fuzz_input *input, kn_writer *out, uint64_t tick)
{
    static uint8_t bytes[4096];
    kn_projection_filter filter = kn_projection_filter_default();
    filter.identity = take_rarely(input, 8) ? KN_IDENTITY_IDS : KN_IDENTITY_PLACES;
    filter.viewer = take_bool(input) ? KN_VIEWER_OWNER : KN_VIEWER_OTHERS;
    filter.is_gone = take_rarely(input, 8);
    const kn_entity_id none = {0};
    kn_entity_id id = take_bool(input) ? p->thing : none;
    size_t size = 0;
    if (kn_projection_take(p->world, &id, 1, &filter, bytes, sizeof(bytes), &size) != KN_OK) {
        size = 0;
    }
    for (uint32_t count = take_below(input, 3); count > 0 && size > 0; count--) {
        bytes[take_u32(input) % size] = (uint8_t)take_u8(input);
    }
    uint64_t number = any_number(input, 2);
    uint32_t flags = take_rarely(input, 6) ? take_u8(input) : take_below(input, 3);
    kn_writer delta = {0};
    kni_delta_write(&delta, NULL, 0, 0, bytes, size);
    kni_write_number(out, take_rarely(input, 8) ? any_number(input, 2) : id.index1);
    kn_write_u8(out, (uint8_t)flags);
    kni_write_number(out, number);
    if (out->length + delta.length + 8 > out->size || take_rarely(input, 8)) {
        kni_write_number(out, any_number(input, 8));
        any_bytes(input, out);
    } else {
        kni_write_number(out, delta.length);
        kni_delta_write(out, NULL, 0, 0, bytes, size);
    }
    (void)tick;
}

static void server_message(play *p, fuzz_input *input, uint64_t tick)
{
    uint8_t bytes[DATAGRAM_BYTES];
    kn_writer out = {bytes, sizeof(bytes) - 64, 0};
    uint32_t kind = take_below(input, WIRE_PAUSE + 2);
    kn_write_u8(&out, (uint8_t)kind);
    if (kind == WIRE_WELCOME && take_u8(input) < 200) {
        kni_write_number(&out, 1);
        kni_write_number(&out, 60);
        kni_write_number(&out, 2);
        kn_write_u64(&out, take_rarely(input, 8) ? (uint64_t)take_time(input) : 0);
        kn_write_u8(&out, (uint8_t)take_below(input, take_rarely(input, 4) ? 8 : 1));
    } else if (kind == WIRE_ENTITY) {
        kni_write_number(&out, any_number(input, tick));
        any_entity(p, input, &out, tick);
    } else {
        any_bytes(input, &out);
    }
    out.length = out.length < sizeof(bytes) ? out.length : 0;
    kn_result result = kn_net_link_send(p->link, bytes, out.length);
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not sent");
}

// Why a command was refused: with lines whose fields are all there, mostly.
static void any_reasons(fuzz_input *input, kn_writer *out)
{
    uint32_t lines = take_below(input, 4);
    kni_write_number(out, any_number(input, 1));
    kni_write_number(out, any_number(input, 0));
    kni_write_number(out, take_rarely(input, 8) ? any_number(input, 0) : lines);
    for (uint32_t i = 0; i < lines; i++) {
        kn_write_u8(out, (uint8_t)take_below(input, 33));
        kn_write_u8(out, (uint8_t)take_below(input, 66));
        any_bytes(input, out);
    }
}

static void server_payload(const play *p, fuzz_input *input, kn_writer *out, uint64_t tick)
{
    kni_write_number(out, take_rarely(input, 6) ? any_number(input, tick) : tick);
    kni_write_signed(out, (int64_t)any_number(input, 100) - 100);
    kni_write_number(out, any_number(input, 1));
    uint32_t count = take_below(input, 4);
    kni_write_number(out, take_rarely(input, 8) ? any_number(input, 1) : count);
    for (uint32_t i = 0; i < count; i++) {
        kni_write_number(out, any_number(input, 1));
        kni_write_number(out, any_number(input, 0));
        uint64_t answer = any_number(input, 0);
        kni_write_number(out, answer);
        if ((answer & 1) != 0) {
            any_reasons(input, out);
        }
    }
    for (uint32_t entities = take_below(input, 3); entities > 0; entities--) {
        any_entity(p, input, out, tick);
    }
}

// Turns ----------------------------------------------------------------------

static void link_read(play *p, const uint8_t *bytes, size_t size)
{
    kn_net_link_view view;
    kn_result result = kn_net_link_read(p->link, p->now, bytes, size, &view);
    must(result == KN_OK || result == KN_ERROR_BAD_DATA, "an honest link was not understood");
    kn_net_link_message message;
    while (kn_net_link_next_message(p->link, &message)) {
    }
}

static size_t link_write(play *p, const kn_writer *payload, uint8_t *out)
{
    size_t space = kn_net_link_space(p->link), size = 0;
    size_t length = payload->length <= space ? payload->length : 0;
    kn_result result =
        kn_net_link_write(p->link, p->now, payload->data, length, out, DATAGRAM_BYTES, &size, NULL);
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not written");
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(p->link, &sequence, &was_received)) {
    }
    return size;
}

static void server_turn(play *p)
{
    uint8_t bytes[DATAGRAM_BYTES];
    size_t size;
    must(kn_server_update(p->server, p->now) == KN_OK, "the server failed");
    kn_server_event event;
    while (kn_server_next_event(p->server, &event)) {
        if (event.kind == KN_SERVER_JOINED && event.connection == p->connection) {
            must(session_hero(&p->kit, p->world, event.connection, &p->hero), "no hero");
        }
    }
    while (
        kn_server_write(p->server, p->now, p->connection, bytes, sizeof(bytes), &size) == KN_OK) {
        (void)kn_client_receive(p->client, p->now, bytes, size);
    }
    while (kn_server_write(p->server, p->now, p->fake_connection, bytes, sizeof(bytes), &size) ==
           KN_OK) {
        link_read(p, bytes, size);
    }
}

static void client_turn(play *p)
{
    must(kn_client_update(p->client, p->now) == KN_OK, "the client failed");
    kn_client_event event;
    while (kn_client_next_event(p->client, &event)) {
    }
    kn_world *world = kn_client_world(p->client);
    must(world == NULL || kn_world_validate(world), "the client's world is not sound");
}

// A hostile client.
static void play_server(play *p, fuzz_input *input)
{
    server_open(p);
    client_open(p);
    must(kn_server_open(p->server, 0, &p->connection) == KN_OK, "no connection");
    must(kn_server_open(p->server, 0, &p->fake_connection) == KN_OK, "no connection");
    while (input->size > 0) {
        uint8_t bytes[DATAGRAM_BYTES], payload[DATAGRAM_BYTES];
        size_t size;
        kn_writer out = {payload, sizeof(payload), 0};
        uint32_t what = take_below(input, 8);
        if (what < 4) {
            client_message(p, input);
        } else if (what == 4) {
            any_bytes(input, &out);
        } else {
            client_payload(p, input, &out);
        }
        out.length = out.length < out.size ? out.length : 0;
        size = link_write(p, &out, bytes);
        (void)kn_server_receive(p->server, p->now, p->fake_connection, bytes, size);
        client_turn(p);
        while (kn_client_write(p->client, p->now, bytes, sizeof(bytes), &size) == KN_OK) {
            (void)kn_server_receive(p->server, p->now, p->connection, bytes, size);
        }
        server_turn(p);
        p->now += TURN;
    }
    must(kn_world_validate(p->world), "the server's world is not sound");
    must(kn_client_closed(p->client) == KN_CLOSE_NONE, "somebody else was closed");
    kn_client_stats stats = kn_client_get_stats(p->client);
    must(stats.bad == 0, "somebody else got nonsense");
}

// A hostile server. A real world beside it has the words for it.
static void play_client(play *p, fuzz_input *input)
{
    server_open(p);
    client_open(p);
    uint64_t tick = take_rarely(input, 4) ? any_number(input, 1000) : 1;
    while (input->size > 0) {
        uint8_t bytes[DATAGRAM_BYTES], payload[DATAGRAM_BYTES];
        size_t size;
        kn_writer out = {payload, sizeof(payload), 0};
        uint32_t what = take_below(input, 8);
        if (what < 3) {
            server_message(p, input, tick);
        } else if (what == 3) {
            any_bytes(input, &out);
        } else {
            server_payload(p, input, &out, tick);
        }
        out.length = out.length < out.size ? out.length : 0;
        size = link_write(p, &out, bytes);
        (void)kn_client_receive(p->client, p->now, bytes, size);
        kn_command_release release = {.input = 1};
        kn_command command = {.type = kn_command_type_release(),
            .entity = p->thing,
            .payload = &release,
            .size = sizeof(release)};
        kn_result result = kn_client_command(p->client, &command, NULL, NULL);
        must(result == KN_OK || kn_result_is_refused(result), "a command failed");
        client_turn(p);
        while (kn_client_write(p->client, p->now, bytes, sizeof(bytes), &size) == KN_OK) {
            link_read(p, bytes, size);
        }
        must(kn_server_update(p->server, p->now) == KN_OK, "the server failed");
        p->now += TURN;
        tick += take_below(input, 3);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    play p = {0};
    must(session_kit_create(&p.kit, false), "no library");
    p.link = link_open();
    if (take_bool(&input)) {
        play_client(&p, &input);
    } else {
        play_server(&p, &input);
    }
    kn_client_destroy(p.client);
    kn_server_destroy(p.server);
    kn_world_destroy(p.world);
    kn_library_destroy(p.kit.library);
    kn_net_link_destroy(p.link);
    must(p.bytes == 0, "memory was left");
    return 0;
}
