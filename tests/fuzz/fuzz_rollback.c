// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rollback sessions under attack. The first byte picks who is attacked by somebody that says what
// the input says, over a link that is honest, so that payloads and messages get through:
//
// - a relay, by a player. Two honest players are there, too: they must go on and have the same.
// - a player, by another player of a mesh.
// - a player, by a relay.
// - a spectator, by a player.
//
// Whatever arrives, memory stays bounded, time goes on, and worlds stay sound.

#include "fuzz_input.h"

#include "net/session_kit.h"

#include "knack/net.h"
#include "net/rollback_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATAGRAM_BYTES 600
#define SAVE_BYTES 65536
#define MEMORY_MAX ((size_t)96 << 20)
#define TURN KN_MS(20)
#define PLAYER_COUNT 3 // the last of them attacks

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_rollback: %s\n", what);
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
    kn_world *worlds[PLAYER_COUNT];
    kn_rollback *rollbacks[PLAYER_COUNT];
    kn_relay *relay;
    kn_entity_id heroes[PLAYER_COUNT];
    kn_net_link *link; // of the one that says what the input says
    uint64_t start;    // hash
    uint8_t save[4096];
    size_t save_size;
    kn_time now;
    size_t bytes;
    uint64_t tick; // that the attacker is at
    uint32_t desyncs;
} play;

static void world_make(play *p, uint32_t index)
{
    kn_world_def def = kn_world_def_default();
    def.library = p->kit.library;
    must(kn_world_create(&def, &p->worlds[index]) == KN_OK, "no world");
    for (uint32_t i = 0; i < PLAYER_COUNT; i++) {
        must(session_hero(&p->kit, p->worlds[index], i + 1, &p->heroes[i]), "no hero");
    }
    p->start = kn_world_hash(p->worlds[index]);
    must(kn_save_write(p->worlds[index], p->save, sizeof(p->save), &p->save_size) == KN_OK,
        "no save");
}

static void session_make(play *p, uint32_t index, uint32_t player, uint32_t count)
{
    world_make(p, index);
    kn_rollback_def def = kn_rollback_def_default();
    def.hooks.realloc_fn = count_realloc;
    def.hooks.realloc_user = &p->bytes;
    def.world = p->worlds[index];
    def.player = player;
    def.player_count = count;
    def.datagram_bytes = DATAGRAM_BYTES;
    def.save_bytes = SAVE_BYTES;
    def.hash_every = 5;
    def.timeout = KN_S(1);
    must(kn_rollback_create(&def, &p->rollbacks[index]) == KN_OK, "no session");
}

static void link_make(play *p)
{
    roll_line line;
    line_def def = {.datagram_bytes = DATAGRAM_BYTES, .save_bytes = SAVE_BYTES};
    must(kni_line_open(&line, &def, 0) == KN_OK, "no link");
    p->link = line.link;
}

// Bytes of the input ------------------------------------------------------------------------

static void any_bytes(fuzz_input *input, kn_writer *out)
{
    for (uint32_t count = take_below(input, 32); count > 0; count--) {
        kn_write_u8(out, (uint8_t)take_u8(input));
    }
}

// Mostly close to what is expected or small, now and then far too large.
static uint64_t any_number(fuzz_input *input, uint64_t near)
{
    uint32_t byte = take_u8(input);
    return byte < 60 ? byte % 8 : byte < 230 ? near + byte % 8 - 2 : UINT64_MAX >> byte % 64;
}

static void any_hello(
    const play *p, fuzz_input *input, kn_writer *out, uint32_t player, uint32_t count)
{
    roll_hello hello = {.version = KN_ROLLBACK_VERSION,
        .library = kn_library_hash(p->kit.library),
        .start = p->start,
        .rate = 60,
        .player_count = count,
        .hash_every = 5,
        .player = player};
    if (take_rarely(input, 8)) {
        hello.start += take_u8(input);
        hello.rate += take_u8(input);
    }
    kni_hello_write(out, &hello);
}

static void any_message(
    play *p, fuzz_input *input, uint32_t player, uint32_t count, uint64_t victim_tick)
{
    static uint8_t bytes[8192];
    kn_writer out = {bytes, sizeof(bytes), 0};
    uint32_t kind = take_below(input, 15);
    if (kind == ROLL_HELLO) {
        any_hello(p, input, &out, player, count);
    } else {
        kn_write_u8(&out, (uint8_t)kind);
    }
    if (kind == ROLL_VIEW || kind == ROLL_END || kind == ROLL_CLOSE || kind == ROLL_BEGIN) {
        kn_write_u8(&out, (uint8_t)take_below(input, 9));
        kn_write_u8(&out, (uint8_t)take_below(input, 12));
        kni_write_number(&out, any_number(input, victim_tick));
    } else if (kind == ROLL_HASH || kind == ROLL_DUMP_WANTED || kind == ROLL_DUMP) {
        kni_write_number(&out, take_rarely(input, 4) ? any_number(input, 1) : player);
        if (kind != ROLL_HASH) {
            kni_write_number(&out, any_number(input, player));
        }
        kni_write_number(&out, any_number(input, victim_tick / 5 * 5));
    } else if (kind == ROLL_START || kind == ROLL_SAVE || kind == ROLL_SAVE_WANTED) {
        kni_write_number(&out, any_number(input, victim_tick));
        kn_write_u8(&out, (uint8_t)take_below(input, 3));
    }
    if ((kind == ROLL_START || kind == ROLL_SAVE || kind == ROLL_DUMP) && take_bool(input)) {
        size_t at = out.length;
        kn_write_bytes(&out, p->save, p->save_size);
        for (uint32_t n = take_below(input, 3); n > 0; n--) {
            bytes[at + take_u32(input) % p->save_size] = (uint8_t)take_u8(input);
        }
    }
    any_bytes(input, &out);
    kn_result result = kn_net_link_send(p->link, bytes, out.length);
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not sent");
}

static void any_command(const play *p, fuzz_input *input, kn_writer *out)
{
    kn_command_release payload = {.input = 1 + take_below(input, 3)};
    kn_command command = {.type = kn_command_type_release(),
        .entity = p->heroes[take_below(input, PLAYER_COUNT)],
        .payload = &payload,
        .size = sizeof(payload)};
    uint8_t plain[128], packed[256];
    kn_writer pack = {packed, sizeof(packed), 0};
    uint32_t size = kn_command_write(p->kit.library, &command, plain, sizeof(plain));
    kni_delta_write(&pack, NULL, 0, 0, plain, size);
    if (take_rarely(input, 6)) {
        packed[take_u8(input) % pack.length] = (uint8_t)take_u8(input);
    }
    kni_write_number(out, pack.length);
    kn_write_bytes(out, packed, pack.length);
}

static void any_stream(const play *p, fuzz_input *input, kn_writer *out, uint64_t next)
{
    uint32_t count = 1 + take_below(input, 6), filled = take_below(input, count + 1);
    kni_write_signed(
        out, (int64_t)(p->tick - (take_rarely(input, 6) ? any_number(input, 1) : next)));
    kni_write_number(out, take_rarely(input, 10) ? any_number(input, 500) : count);
    kni_write_number(out, take_rarely(input, 10) ? any_number(input, 1) : filled);
    for (uint32_t i = 0; i < filled; i++) {
        uint32_t commands = 1 + take_below(input, 2);
        kni_write_number(out, take_rarely(input, 4) ? any_number(input, 1) : 0);
        kni_write_number(out, take_rarely(input, 10) ? any_number(input, 16) : commands);
        kni_write_number(out, any_number(input, 1));
        for (uint32_t j = 0; j < commands; j++) {
            if (take_rarely(input, 8)) {
                any_bytes(input, out);
            } else {
                any_command(p, input, out);
            }
        }
    }
}

static void any_payload(
    const play *p, fuzz_input *input, kn_writer *out, uint32_t player, uint64_t have)
{
    roll_payload payload = {
        .reference = p->tick, .acks = take_below(input, 8), .clocks = take_below(input, 8)};
    for (uint32_t i = 0; i < PLAYERS; i++) {
        bool is_odd = take_rarely(input, 10);
        payload.have[i] = is_odd ? any_number(input, p->tick) : have;
        payload.clock[i] = (roll_clock){p->tick, is_odd ? (int64_t)take_u8(input) - 128 : 0};
    }
    kni_roll_payload_write(out, &payload);
    uint32_t streams = take_bool(input) ? 1u << (player - 1) : take_below(input, 9);
    kn_write_u8(out, (uint8_t)streams);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((streams >> i & 1) != 0) {
            any_stream(p, input, out, p->tick);
        }
    }
    if (take_rarely(input, 8)) {
        any_bytes(input, out);
    }
}

// What the attacker says in this turn, as a datagram.
static size_t attack(play *p, fuzz_input *input, uint32_t player, uint32_t count,
    uint64_t victim_tick, uint8_t *datagram)
{
    uint8_t bytes[4096];
    kn_writer out = {bytes, sizeof(bytes), 0};
    uint32_t what = take_below(input, 8);
    if (what < 3) {
        any_message(p, input, player, count, victim_tick);
    } else if (what == 3) {
        any_bytes(input, &out);
    } else {
        any_payload(p, input, &out, player, victim_tick > 2 ? victim_tick - 2 : 0);
    }
    p->tick = take_rarely(input, 16) ? any_number(input, victim_tick) : p->tick + 1;
    size_t space = kn_net_link_space(p->link), size = 0;
    size_t length = out.length <= space ? out.length : 0;
    kn_result result =
        kn_net_link_write(p->link, p->now, bytes, length, datagram, DATAGRAM_BYTES, &size, NULL);
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not written");
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(p->link, &sequence, &was_received)) {
    }
    return size;
}

// Turns --------------------------------------------------------------------------------------

static void attacker_read(play *p, const uint8_t *bytes, size_t size)
{
    kn_net_link_view view;
    kn_result result = kn_net_link_read(p->link, p->now, bytes, size, &view);
    must(result == KN_OK || result == KN_ERROR_BAD_DATA, "an honest link was not understood");
    kn_net_link_message message;
    while (kn_net_link_next_message(p->link, &message)) {
    }
}

static void session_turn(play *p, uint32_t index)
{
    kn_rollback *rollback = p->rollbacks[index];
    kn_command_release release = {.input = 1};
    kn_command command = {.type = kn_command_type_release(),
        .entity = p->heroes[index],
        .payload = &release,
        .size = sizeof(release)};
    kn_result result = kn_rollback_command(rollback, &command, NULL);
    must(result == KN_OK || kn_result_is_refused(result), "a command failed");
    must(kn_rollback_update(rollback, p->now) == KN_OK, "a session failed");
    must(kn_rollback_confirmed(rollback) <= kn_rollback_tick(rollback), "time is torn");
    kn_rollback_event event;
    while (kn_rollback_next_event(rollback, &event)) {
        p->desyncs += event.kind == KN_ROLLBACK_DESYNC && event.peer < PLAYER_COUNT;
    }
}

// A hostile player at a relay.
static void play_relay(play *p, fuzz_input *input)
{
    kn_relay_def def = kn_relay_def_default();
    def.hooks.realloc_fn = count_realloc;
    def.hooks.realloc_user = &p->bytes;
    def.player_count = PLAYER_COUNT;
    def.datagram_bytes = DATAGRAM_BYTES;
    def.save_bytes = SAVE_BYTES;
    def.timeout = KN_S(1);
    must(kn_relay_create(&def, &p->relay) == KN_OK, "no relay");
    for (uint32_t i = 0; i < PLAYER_COUNT; i++) {
        must(kn_relay_open(p->relay, 0, i + 1) == KN_OK, "no line");
        if (i + 1 < PLAYER_COUNT) {
            session_make(p, i, i + 1, PLAYER_COUNT);
            must(kn_rollback_open(p->rollbacks[i], 0, KN_ROLLBACK_RELAY) == KN_OK, "no line");
        }
    }
    for (uint32_t rest = 30; input->size > 0 || rest > 0; rest -= input->size == 0) {
        uint8_t bytes[DATAGRAM_BYTES];
        size_t size = 0;
        if (input->size > 0) {
            size = attack(
                p, input, PLAYER_COUNT, PLAYER_COUNT, kn_rollback_tick(p->rollbacks[0]), bytes);
        }
        (void)kn_relay_receive(p->relay, p->now, PLAYER_COUNT, bytes, size);
        for (uint32_t i = 0; i + 1 < PLAYER_COUNT; i++) {
            session_turn(p, i);
            while (kn_rollback_write(p->rollbacks[i], p->now, 0, bytes, sizeof(bytes), &size) ==
                   KN_OK) {
                (void)kn_relay_receive(p->relay, p->now, i + 1, bytes, size);
            }
        }
        must(kn_relay_update(p->relay, p->now) == KN_OK, "the relay failed");
        kn_rollback_event event;
        while (kn_relay_next_event(p->relay, &event)) {
            must(
                event.kind != KN_ROLLBACK_LEFT || event.peer == PLAYER_COUNT, "somebody else left");
        }
        for (uint32_t i = 1; i <= PLAYER_COUNT; i++) {
            while (kn_relay_write(p->relay, p->now, i, bytes, sizeof(bytes), &size) == KN_OK) {
                if (i == PLAYER_COUNT) {
                    attacker_read(p, bytes, size);
                } else {
                    (void)kn_rollback_receive(p->rollbacks[i - 1], p->now, 0, bytes, size);
                }
            }
        }
        p->now += TURN;
    }
    must(p->desyncs == 0, "honest players differ");
    for (uint32_t i = 0; i + 1 < PLAYER_COUNT; i++) {
        must(kn_rollback_closed(p->rollbacks[i]) == KN_CLOSE_NONE, "somebody else was closed");
    }
}

// A session whose only peer is hostile: player 2 of a mesh, a relay, or the player it watches.
static void play_session(play *p, fuzz_input *input, uint32_t player, uint32_t peer)
{
    session_make(p, 0, player, 2);
    must(kn_rollback_open(p->rollbacks[0], 0, peer) == KN_OK, "no line");
    while (input->size > 0) {
        uint8_t bytes[DATAGRAM_BYTES];
        uint32_t voice = peer == KN_ROLLBACK_RELAY ? 2 : peer;
        size_t size = attack(p, input, voice, 2, kn_rollback_tick(p->rollbacks[0]), bytes);
        (void)kn_rollback_receive(p->rollbacks[0], p->now, peer, bytes, size);
        session_turn(p, 0);
        while (kn_rollback_write(p->rollbacks[0], p->now, peer, bytes, sizeof(bytes), &size) ==
               KN_OK) {
            attacker_read(p, bytes, size);
        }
        p->now += TURN;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    static play p;
    memset(&p, 0, sizeof(p));
    must(session_kit_create(&p.kit, false), "no library");
    link_make(&p);
    switch (take_below(&input, 4)) {
    case 0:
        play_relay(&p, &input);
        break;
    case 1:
        play_session(&p, &input, 1, 2);
        break;
    case 2:
        play_session(&p, &input, 1, KN_ROLLBACK_RELAY);
        break;
    default:
        play_session(&p, &input, 0, 1);
    }
    for (uint32_t i = 0; i < PLAYER_COUNT; i++) {
        must(p.worlds[i] == NULL || kn_world_validate(p.worlds[i]), "a world is not sound");
        kn_rollback_destroy(p.rollbacks[i]);
        kn_world_destroy(p.worlds[i]);
    }
    kn_relay_destroy(p.relay);
    kn_library_destroy(p.kit.library);
    kn_net_link_destroy(p.link);
    must(p.bytes == 0, "memory was left");
    return 0;
}
