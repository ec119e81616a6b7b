// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Links under attack. The first byte picks the game:
//
// - even: datagrams made of the input go into one link, with a checksum that is right. Whatever
//   they say, memory stays within the windows and every call keeps its promises.
// - odd: two honest links over a network that the input controls: each of its bytes delivers,
//   drops, doubles, delays or damages a datagram, sends a message or lets time pass. Messages
//   arrive once, in order and unharmed, and all of them once the network is well again.

#include "fuzz_input.h"

#include "knack/net.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DATAGRAM_BYTES 200
#define MESSAGE_BYTES 600
#define WINDOW_BYTES KN_NET_LINK_WINDOW_MIN
#define MEMORY_MAX (80000 + 4 * WINDOW_BYTES)
#define WIRE_MAX 16    // datagrams on their way, for each direction
#define TURNS_MAX 4000 // until all has to be there

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_link: %s\n", what);
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

static kn_net_link_def make_def(fuzz_input *input, size_t *bytes)
{
    static const uint64_t firsts[] = {0, 65530, 4294967290u, (uint64_t)1 << 62};
    kn_net_link_def def = kn_net_link_def_default();
    def.hooks.realloc_fn = count_realloc;
    def.hooks.realloc_user = bytes;
    def.datagram_bytes = take_bool(input) ? DATAGRAM_BYTES : KN_NET_LINK_DATAGRAM_MIN;
    def.message_bytes = MESSAGE_BYTES;
    def.send_bytes = def.receive_bytes = WINDOW_BYTES;
    def.message_share = take_below(input, def.datagram_bytes / 2 + 1);
    def.message_share = def.message_share < 16 ? 0 : def.message_share;
    def.flight_limit = 64 + take_u8(input);
    def.reorder_limit = 1 + take_below(input, 64);
    def.first_sequence = firsts[take_below(input, 4)];
    return def;
}

// A link and what its user does with it.
typedef struct player {
    kn_net_link *link;
    uint64_t sent, arrived;    // messages
    uint64_t written, results; // datagrams
    kn_time now;
} player;

static void player_open(player *p, const kn_net_link_def *def)
{
    *p = (player){0};
    must(kn_net_link_create(def, &p->link) == KN_OK, "no link");
}

static void player_check(const player *p)
{
    kn_net_link_state state = kn_net_link_get_state(p->link);
    must(state.waiting_bytes <= WINDOW_BYTES, "more waits than the window has");
    must(kn_net_link_space(p->link) <= DATAGRAM_BYTES, "more space than a datagram has");
}

static void player_take_results(player *p, uint64_t first)
{
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(p->link, &sequence, &was_received)) {
        must(sequence == first + p->results, "a result out of order");
        p->results++;
    }
    must(p->results <= p->written, "a result without a datagram");
}

// Writes a datagram with a payload; 0 if there were too many without a result.
static size_t player_write(player *p, uint64_t first, size_t want, uint8_t *out)
{
    static const uint8_t payload[DATAGRAM_BYTES];
    size_t space = kn_net_link_space(p->link), size;
    kn_result result = kn_net_link_write(
        p->link, p->now, payload, want < space ? want : space, out, DATAGRAM_BYTES, &size, NULL);
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not written");
    p->written += result == KN_OK;
    player_take_results(p, first);
    return size;
}

// Hostile datagrams -----------------------------------------------------------

static uint32_t checksum_of(const uint8_t *bytes, size_t size)
{
    uint64_t hash = kn_hash_bytes(0, bytes, size);
    return (uint32_t)(hash ^ hash >> 32);
}

// A datagram of bytes of the input, mostly with a right checksum and close to what is expected.
static size_t make_datagram(fuzz_input *input, const player *p, bool has_checksum, uint8_t *out)
{
    size_t size = 3 + take_below(input, DATAGRAM_BYTES - 6);
    size_t begin = has_checksum ? 4 : 0;
    for (size_t i = 0; i < size; i++) {
        out[begin + i] = (uint8_t)take_u8(input);
    }
    if (take_u8(input) < 200) { // a plausible sequence, and no reserved bits
        uint64_t newest = kn_net_link_get_state(p->link).newest + take_below(input, 8);
        out[begin] &= 0x3f;
        out[begin + 1] = (uint8_t)newest;
        out[begin + 2] = (uint8_t)(newest >> 8);
    }
    if (has_checksum) {
        uint32_t sum = checksum_of(out + begin, size);
        sum ^= take_rarely(input, 16);
        for (uint32_t i = 0; i < 4; i++) {
            out[i] = (uint8_t)(sum >> 8 * i);
        }
    }
    return begin + size;
}

static void play_hostile(fuzz_input *input)
{
    size_t bytes = 0;
    kn_net_link_def def = make_def(input, &bytes);
    def.datagram_bytes = DATAGRAM_BYTES;
    def.has_checksum = take_bool(input);
    player p;
    player_open(&p, &def);
    while (input->size > 0) {
        uint8_t out[DATAGRAM_BYTES];
        uint32_t what = take_below(input, 8);
        p.now += take_below(input, 4) * KN_MS(20);
        if (what == 0) {
            (void)player_write(&p, def.first_sequence, take_u8(input), out);
        } else if (what == 1) {
            uint8_t message[MESSAGE_BYTES] = {0};
            kn_result result = kn_net_link_send(p.link, message, take_u8(input) * 2);
            must(result == KN_OK || result == KN_REFUSED_LIMIT, "not sent");
        } else {
            size_t size = make_datagram(input, &p, def.has_checksum, out);
            uint8_t *exact = malloc(size);
            must(exact != NULL, "no memory");
            memcpy(exact, out, size);
            kn_net_link_view view;
            kn_result result = kn_net_link_read(p.link, p.now, exact, size, &view);
            must(
                (result == KN_OK) || (view.payload == NULL && view.size == 0), "a view of nothing");
            must(
                view.size == 0 || exact[size - 1] == ((const uint8_t *)view.payload)[view.size - 1],
                "a payload outside of the datagram");
            kn_net_link_message message;
            while (what > 3 && kn_net_link_next_message(p.link, &message)) {
                must(message.size <= MESSAGE_BYTES, "a message that is too long");
                must(
                    message.size == 0 || checksum_of(message.bytes, message.size) + 1 != 0, "read");
            }
            free(exact);
        }
        player_take_results(&p, def.first_sequence);
        player_check(&p);
    }
    kn_net_link_destroy(p.link);
    must(bytes == 0, "memory was left");
}

// A hostile network -----------------------------------------------------------

typedef struct wire {
    uint8_t bytes[WIRE_MAX][DATAGRAM_BYTES];
    size_t sizes[WIRE_MAX];
    uint32_t count;
} wire;

static size_t message_size(uint64_t number)
{
    return (size_t)(number * 97 % (number % 5 == 0 ? MESSAGE_BYTES + 1 : 40));
}

static void player_send(player *p)
{
    uint8_t message[MESSAGE_BYTES];
    memset(message, (int)(p->sent % 251), sizeof(message));
    kn_result result = kn_net_link_send(p->link, message, message_size(p->sent));
    must(result == KN_OK || result == KN_REFUSED_LIMIT, "not sent");
    p->sent += result == KN_OK;
}

static void player_read(player *p, const player *from, const uint8_t *bytes, size_t size)
{
    uint8_t *exact = malloc(size);
    must(exact != NULL, "no memory");
    memcpy(exact, bytes, size);
    kn_net_link_view view;
    kn_result result = kn_net_link_read(p->link, p->now, exact, size, &view);
    must(result != KN_ERROR_OUT_OF_MEMORY && result != KN_ERROR_INVALID_ARGUMENT, "not read");
    free(exact);
    kn_net_link_message message;
    while (kn_net_link_next_message(p->link, &message)) {
        must(p->arrived < from->sent, "a message that was never sent");
        must(message.size == message_size(p->arrived), "another size");
        for (size_t i = 0; i < message.size; i++) {
            must(((const uint8_t *)message.bytes)[i] == p->arrived % 251, "another message");
        }
        p->arrived++;
    }
    must(!kn_net_link_get_state(p->link).is_broken, "broken by an honest peer");
}

static void wire_remove(wire *w, uint32_t index)
{
    w->count--;
    memmove(w->bytes[index], w->bytes[index + 1], (w->count - index) * sizeof(w->bytes[0]));
    memmove(&w->sizes[index], &w->sizes[index + 1], (w->count - index) * sizeof(w->sizes[0]));
}

static void play_turn(player *players, wire *wires, uint64_t first, fuzz_input *input)
{
    uint32_t side = take_below(input, 2);
    player *p = &players[side], *peer = &players[1 - side];
    wire *w = &wires[side]; // to the peer
    uint32_t what = take_below(input, 8);
    uint32_t index = w->count > 0 ? take_below(input, w->count) : 0;
    p->now += take_below(input, 8) * KN_MS(10);
    peer->now = p->now = p->now > peer->now ? p->now : peer->now;
    if (what == 0) {
        player_send(p);
    } else if (what <= 2) {
        if (w->count == WIRE_MAX) {
            wire_remove(w, 0);
        }
        size_t size = player_write(p, first, take_u8(input), w->bytes[w->count]);
        w->sizes[w->count] = size;
        w->count += size > 0;
    } else if (w->count == 0) {
        return;
    } else if (what == 3) {
        wire_remove(w, index);
    } else if (what == 4) {
        w->bytes[index][take_u8(input) % w->sizes[index]] ^= (uint8_t)(1 << take_below(input, 8));
    } else {
        player_read(peer, p, w->bytes[index], w->sizes[index]);
        if (what != 5) {
            wire_remove(w, index);
        }
    }
    player_take_results(peer, first);
    player_check(p);
}

static void play_honest(fuzz_input *input)
{
    size_t bytes = 0;
    kn_net_link_def def = make_def(input, &bytes);
    player players[2];
    static wire wires[2];
    wires[0].count = wires[1].count = 0;
    player_open(&players[0], &def);
    player_open(&players[1], &def);
    while (input->size > 0) {
        play_turn(players, wires, def.first_sequence, input);
    }
    bool is_done = false;
    for (uint32_t turn = 0; turn < TURNS_MAX && !is_done; turn++) {
        for (uint32_t side = 0; side < 2; side++) {
            uint8_t out[DATAGRAM_BYTES];
            players[side].now = players[1 - side].now + KN_MS(20);
            size_t size = player_write(&players[side], def.first_sequence, 0, out);
            players[1 - side].now = players[side].now;
            if (size > 0) {
                player_read(&players[1 - side], &players[side], out, size);
            }
            player_take_results(&players[1 - side], def.first_sequence);
        }
        is_done = players[0].arrived == players[1].sent && players[1].arrived == players[0].sent &&
                  kn_net_link_get_state(players[0].link).waiting_bytes == 0 &&
                  kn_net_link_get_state(players[1].link).waiting_bytes == 0;
    }
    must(is_done, "messages did not arrive");
    kn_net_link_destroy(players[0].link);
    kn_net_link_destroy(players[1].link);
    must(bytes == 0, "memory was left");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    if (take_bool(&input)) {
        play_honest(&input);
    } else {
        play_hostile(&input);
    }
    return 0;
}
