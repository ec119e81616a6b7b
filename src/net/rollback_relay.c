// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The relay: it has the commands of all players, and sends everybody those of the others. It has no
// world and reads no command. Since everything goes through it, it decides what the last tick of a
// player is who leaves.

#include "rollback_inputs.h"

#define RELAY_COOKIE 0x4b4e524cu
#define RELAY_EVENTS_SPARE 16
#define SAVE_PATIENCE 5000000 // a player has so long to send a save
#define RELAY_LINES_MAX (1 + PLAYERS + KN_ROLLBACK_SPECTATORS_MAX)

typedef struct relay_player {
    input_stream inputs;
    bool has_tick;
    uint64_t tick;          // that it has simulated
    int64_t ahead[PLAYERS]; // of what it had heard of each player
    bool is_ended;
    kn_close_reason reason;
} relay_player;

typedef struct relay_watch {
    bool wants_save;
    uint32_t asked; // the player who is to send it; 0: none
    kn_time asked_at;
} relay_watch;

struct kn_relay {
    kn_relay_def def;
    bool is_started;
    bool has_hello;
    roll_hello hello; // of the first player
    session_clock time;
    roll_line lines[RELAY_LINES_MAX];
    relay_player players[PLAYERS]; // by number - 1
    input_stream *streams[PLAYERS];
    relay_watch watches[RELAY_LINES_MAX];
    uint32_t owes_end[RELAY_LINES_MAX]; // mask of players
    bool owes_begin[RELAY_LINES_MAX];
    uint64_t resyncs[RELAY_LINES_MAX];
    uint64_t turn; // counts ticks as they pass here
    uint8_t *scratch;
    roll_events events;
};

kn_relay_def kn_relay_def_default(void)
{
    return (kn_relay_def){
        .rate = 60,
        .player_count = 2,
        .spectator_limit = 16,
        .timeout = 5000000,
        .datagram_bytes = 1200,
        .send_every = 1,
        .save_bytes = (size_t)4 << 20,
        .cookie = RELAY_COOKIE,
    };
}

static bool relay_def_is_good(const kn_relay_def *def)
{
    return def != NULL && def->cookie == RELAY_COOKIE && def->rate >= KN_SESSION_RATE_MIN &&
           def->rate <= KN_SESSION_RATE_MAX && def->player_count >= 2 &&
           def->player_count <= KN_ROLLBACK_PLAYERS_MAX &&
           def->spectator_limit <= KN_ROLLBACK_SPECTATORS_MAX && def->timeout > 0 &&
           def->datagram_bytes >= LINE_DATAGRAM_MIN &&
           def->datagram_bytes <= KN_NET_LINK_DATAGRAM_MAX && def->send_every >= 1 &&
           def->send_every <= 8 && def->save_bytes >= 16384 &&
           def->save_bytes <= KN_NET_LINK_MESSAGE_MAX / 2;
}

kn_result kn_relay_create(const kn_relay_def *def, kn_relay **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || !relay_def_is_good(def)) {
        KN_ASSERT(out != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_relay *relay = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*relay));
    if (relay == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(relay, 0, sizeof(*relay));
    relay->def = *def;
    for (uint32_t i = 0; i < PLAYERS; i++) {
        relay_player *p = &relay->players[i];
        kni_stream_begin(&p->inputs, 0);
        p->inputs.slot_max = kni_slot_max(def->datagram_bytes);
        relay->streams[i] = &p->inputs;
        for (uint32_t j = 0; j < PLAYERS; j++) {
            p->ahead[j] = AHEAD_UNKNOWN;
        }
    }
    relay->scratch = kn_memory_resize(&def->hooks, NULL, 0, def->datagram_bytes);
    if (relay->scratch == NULL) {
        kn_relay_destroy(relay);
        return KN_ERROR_OUT_OF_MEMORY;
    }
    *out = relay;
    return KN_OK;
}

void kn_relay_destroy(kn_relay *relay)
{
    if (relay == NULL) {
        return;
    }
    kn_hooks hooks = relay->def.hooks;
    for (uint32_t i = 0; i < RELAY_LINES_MAX; i++) {
        kni_line_free(&relay->lines[i]);
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kni_stream_free(&hooks, &relay->players[i].inputs);
    }
    kn_memory_free(&hooks, relay->scratch, relay->def.datagram_bytes);
    kni_events_free(&hooks, &relay->events);
    kn_memory_free(&hooks, relay, sizeof(*relay));
}

// Who is there --------------------------------------------------------------------------------

static bool relay_is_player(const kn_relay *relay, uint32_t peer)
{
    return peer >= 1 && peer <= relay->def.player_count;
}

static bool relay_has(const kn_relay *relay, uint32_t peer)
{
    return relay != NULL && peer >= 1 &&
           peer <= relay->def.player_count + relay->def.spectator_limit &&
           relay->lines[peer].state != LINE_FREE;
}

static void relay_event(kn_relay *relay, kn_rollback_event event)
{
    kn_result result = kni_events_add(&relay->def.hooks, &relay->events, event, NULL);
    (void)result; // its place is reserved
}

bool kn_relay_next_event(kn_relay *relay, kn_rollback_event *event)
{
    if (relay == NULL) {
        *event = (kn_rollback_event){0};
        return false;
    }
    return kni_events_next(&relay->def.hooks, &relay->events, event);
}

// Ends the part of a player, or the line of a spectator.
static void peer_end(kn_relay *relay, uint32_t peer, kn_close_reason reason)
{
    roll_line *line = &relay->lines[peer];
    bool was_joined = line->state == LINE_JOINED;
    uint64_t tick = 0;
    kni_line_close(line, relay->time.now, reason);
    relay->watches[peer] = (relay_watch){0};
    if (relay_is_player(relay, peer)) {
        relay_player *p = &relay->players[peer - 1];
        if (p->is_ended) {
            return;
        }
        p->is_ended = was_joined = true;
        p->reason = reason;
        tick = p->inputs.end = p->inputs.have;
        for (uint32_t i = 1; i < RELAY_LINES_MAX; i++) {
            relay->owes_end[i] |= 1u << (peer - 1);
        }
    }
    if (was_joined) {
        relay_event(
            relay, (kn_rollback_event){
                       .kind = KN_ROLLBACK_LEFT, .peer = peer, .tick = tick, .reason = reason});
    }
}

static void relay_bad(kn_relay *relay, uint32_t peer)
{
    if (++relay->lines[peer].bad > LINE_BAD_MAX) {
        peer_end(relay, peer, KN_CLOSE_ABUSE);
    }
}

kn_result kn_relay_open(kn_relay *relay, kn_time now, uint32_t peer)
{
    if (relay == NULL || peer == 0 || peer > relay->def.player_count + relay->def.spectator_limit) {
        KN_ASSERT(relay != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    roll_line *line = &relay->lines[peer];
    if (relay_is_player(relay, peer) && relay->players[peer - 1].is_ended) {
        return KN_REFUSED_BLOCKED;
    }
    if (line->state != LINE_FREE) {
        return KN_REFUSED_DUPLICATE;
    }
    line_def def = {
        relay->def.hooks, relay->def.protocol_id, relay->def.datagram_bytes, relay->def.save_bytes};
    relay->owes_end[peer] = 0;
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        relay->owes_end[peer] |= relay->players[i].is_ended ? 1u << i : 0;
    }
    relay->owes_begin[peer] = false;
    relay->watches[peer] = (relay_watch){0};
    relay->resyncs[peer] = 0;
    return kni_line_open(line, &def, kni_roll_clock(&relay->time, now));
}

bool kn_relay_drop(kn_relay *relay, uint32_t peer)
{
    if (!relay_has(relay, peer) || relay->lines[peer].state == LINE_CLOSING) {
        return false;
    }
    peer_end(relay, peer, relay_is_player(relay, peer) ? KN_CLOSE_TIMEOUT : KN_CLOSE_HOST);
    return true;
}

// Messages --------------------------------------------------------------------------------------

static kn_close_reason relay_hello_check(
    const kn_relay *relay, uint32_t peer, const roll_hello *hello)
{
    bool is_player = relay_is_player(relay, peer);
    if (hello->version != KN_ROLLBACK_VERSION) {
        return KN_CLOSE_VERSION;
    }
    if (hello->rate != relay->def.rate || hello->player_count != relay->def.player_count ||
        (relay->has_hello && hello->hash_every != relay->hello.hash_every)) {
        return KN_CLOSE_SETTINGS;
    }
    if (relay->has_hello && hello->library != relay->hello.library) {
        return KN_CLOSE_LIBRARY;
    }
    if (hello->player != (is_player ? peer : 0)) {
        return KN_CLOSE_REFUSED;
    }
    return is_player && relay->has_hello && hello->start != relay->hello.start ? KN_CLOSE_WORLD
                                                                               : KN_CLOSE_NONE;
}

static void relay_hello_read(kn_relay *relay, uint32_t peer, kn_reader *in)
{
    roll_hello hello;
    kni_hello_read(in, &hello);
    in->failed = in->failed || relay->lines[peer].state != LINE_OPEN;
    if (in->failed) {
        return;
    }
    kn_close_reason reason = relay_hello_check(relay, peer, &hello);
    if (reason != KN_CLOSE_NONE) {
        peer_end(relay, peer, reason);
        return;
    }
    if (!relay->has_hello && relay_is_player(relay, peer)) {
        relay->has_hello = true;
        relay->hello = hello;
    }
    relay->lines[peer].state = LINE_JOINED;
    relay->owes_begin[peer] = true;
    relay->watches[peer].wants_save = !relay_is_player(relay, peer);
    relay_event(relay, (kn_rollback_event){.kind = KN_ROLLBACK_JOINED, .peer = peer});
}

// Passes a message of a player on to everybody else who should have it.
static void hash_forward(
    kn_relay *relay, uint32_t peer, kn_reader *in, const kn_net_link_message *message)
{
    uint64_t player = kni_read_number(in);
    in->failed = in->failed || player != peer || message->size > 32;
    for (uint32_t i = 1; i < RELAY_LINES_MAX && !in->failed; i++) {
        if (i != peer && relay->lines[i].state == LINE_JOINED) {
            kn_result result = kni_line_send(&relay->lines[i], message->bytes, message->size);
            (void)result; // without room for it, the next one tells
        }
    }
}

static void dump_forward(
    kn_relay *relay, uint32_t peer, kn_reader *in, const kn_net_link_message *message)
{
    uint64_t to = kni_read_number(in), from = kni_read_number(in);
    in->failed =
        in->failed || from != peer || to == 0 || to > relay->def.player_count || to == from;
    if (!in->failed && relay->lines[to].state == LINE_JOINED) {
        kn_result result = kni_line_send(&relay->lines[to], message->bytes, message->size);
        (void)result; // then there is no explanation
    }
}

// Saves for spectators ----------------------------------------------------------------------------

// A player sent a save: it becomes the start of a spectator.
static kn_result save_take(kn_relay *relay, uint32_t peer, kn_reader *in)
{
    uint64_t number = kni_read_number(in), tick = kni_read_number(in);
    in->failed = in->failed || number <= relay->def.player_count ||
                 number > relay->def.player_count + relay->def.spectator_limit || tick > TICK_MAX;
    if (in->failed) {
        return KN_OK;
    }
    roll_line *line = &relay->lines[number];
    relay_watch *watch = &relay->watches[number];
    if (line->state != LINE_JOINED || !watch->wants_save || watch->asked != peer) {
        return KN_OK; // too late
    }
    uint32_t ended = 0;
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        bool is_kept = relay->players[i].is_ended
                           ? relay->players[i].inputs.end <= tick ||
                                 tick + 1 >= kni_stream_first(&relay->players[i].inputs)
                           : tick <= relay->players[i].inputs.have &&
                                 tick + 1 >= kni_stream_first(&relay->players[i].inputs);
        ended |= relay->players[i].is_ended ? 1u << i : 0;
        if (!is_kept) { // of no use any more
            watch->asked = 0;
            return KN_OK;
        }
    }
    size_t save = in->size - in->at, size = save + 128;
    uint8_t *bytes = kn_memory_resize(&relay->def.hooks, NULL, 0, size);
    if (bytes == NULL) {
        watch->asked = 0; // ask again
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_writer out = {bytes, size, 0};
    kn_write_u8(&out, ROLL_START);
    kni_write_number(&out, tick);
    kn_write_u8(&out, (uint8_t)ended);
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        if (relay->players[i].is_ended) {
            kni_write_number(&out, relay->players[i].inputs.end);
        }
        line->acked[i] = tick;
    }
    kn_write_bytes(&out, in->data + in->at, save);
    kn_result result = kni_line_send(line, bytes, out.length);
    kn_memory_free(&relay->def.hooks, bytes, size);
    watch->asked = 0;
    if (result == KN_OK) {
        watch->wants_save = false;
        relay->owes_end[number] = 0;
    }
    return result == KN_REFUSED_LIMIT ? KN_OK : result;
}

// Asks a player for a save for a spectator; another one, if it takes too long.
static void save_ask(kn_relay *relay, uint32_t peer)
{
    relay_watch *watch = &relay->watches[peer];
    kn_time now = relay->time.now;
    if (!watch->wants_save || !relay->is_started ||
        (watch->asked != 0 && now - watch->asked_at < SAVE_PATIENCE &&
            relay->lines[watch->asked].state == LINE_JOINED)) {
        return;
    }
    uint8_t bytes[16];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, ROLL_SAVE_WANTED);
    kni_write_number(&out, peer);
    for (uint32_t i = 1; i <= relay->def.player_count; i++) {
        uint32_t player = (watch->asked + i - 1) % relay->def.player_count + 1;
        if (relay->lines[player].state == LINE_JOINED &&
            kni_line_send(&relay->lines[player], bytes, out.length) == KN_OK) {
            watch->asked = player;
            watch->asked_at = now;
            return;
        }
    }
}

// The last tick of which the commands of all players are there.
static uint64_t relay_known(const kn_relay *relay)
{
    uint64_t known = UINT64_MAX;
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        uint64_t have = kni_stream_known(&relay->players[i].inputs);
        known = have < known ? have : known;
    }
    return known;
}

// Whether a spectator needs commands that are not kept any more.
static bool relay_is_behind(const kn_relay *relay, const roll_line *line)
{
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        const input_stream *inputs = &relay->players[i].inputs;
        if (line->acked[i] < inputs->end && line->acked[i] + 1 < kni_stream_first(inputs)) {
            return true;
        }
    }
    return false;
}

// Receiving ---------------------------------------------------------------------------------------

static kn_result relay_message(kn_relay *relay, uint32_t peer, const kn_net_link_message *message)
{
    kn_reader in = {.data = message->bytes, .size = message->size};
    uint8_t kind = kn_read_u8(&in);
    kn_result result = KN_OK;
    if (relay->lines[peer].state == LINE_CLOSING) {
        return KN_OK;
    }
    bool is_playing = relay->lines[peer].state == LINE_JOINED && relay_is_player(relay, peer);
    if (kind == ROLL_HELLO) {
        relay_hello_read(relay, peer, &in);
    } else if (kind == ROLL_LEAVE || kind == ROLL_CLOSE) {
        peer_end(relay, peer, KN_CLOSE_LEFT);
    } else if (kind == ROLL_HASH && is_playing) {
        hash_forward(relay, peer, &in, message);
    } else if ((kind == ROLL_DUMP_WANTED || kind == ROLL_DUMP) && is_playing) {
        dump_forward(relay, peer, &in, message);
    } else if (kind == ROLL_SAVE && is_playing) {
        result = save_take(relay, peer, &in);
    } else {
        in.failed = true;
    }
    if (in.failed) {
        relay_bad(relay, peer);
    }
    return result;
}

static void relay_clocks(kn_relay *relay, uint32_t peer, const roll_payload *payload)
{
    relay_player *p = &relay->players[peer - 1];
    p->tick = payload->reference;
    p->has_tick = true;
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        if ((payload->clocks >> i & 1) != 0) {
            p->ahead[i] = payload->clock[i].ahead;
        }
    }
}

// The lowest tick that a player who plays may still need.
static uint64_t relay_floor(const kn_relay *relay)
{
    uint64_t floor = UINT64_MAX;
    for (uint32_t i = 1; i <= relay->def.player_count; i++) {
        const roll_line *line = &relay->lines[i];
        for (uint32_t j = 0; j < relay->def.player_count && line->state == LINE_JOINED; j++) {
            bool is_needed = j + 1 != i && line->acked[j] < relay->players[j].inputs.end;
            floor = is_needed && line->acked[j] < floor ? line->acked[j] : floor;
        }
    }
    return floor == UINT64_MAX ? TICK_MAX : floor;
}

static kn_result relay_payload(kn_relay *relay, uint32_t peer, const kn_net_link_view *view)
{
    kn_reader in = {.data = view->payload, .size = view->size};
    roll_payload payload;
    roll_line *line = &relay->lines[peer];
    kni_roll_payload_read(&in, &payload);
    in.failed =
        in.failed || !kni_line_acked(line, &payload, relay->streams, relay->def.player_count, 0);
    bool is_player = relay_is_player(relay, peer);
    if (!in.failed && is_player && view->is_newest) {
        relay_clocks(relay, peer, &payload);
    }
    uint32_t mask = kn_read_u8(&in);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < PLAYERS && !in.failed && result == KN_OK; i++) {
        if ((mask >> i & 1) == 0) {
            continue;
        }
        stream_news news = {.first = UINT64_MAX};
        bool is_own = is_player && i + 1 == peer && !relay->players[i].is_ended;
        uint64_t limit = relay_floor(relay) + INPUT_HISTORY - 2;
        result = kni_stream_read(&relay->def.hooks, is_own ? relay->streams[i] : NULL, &in,
            payload.reference, limit, &news);
        in.failed = in.failed || !is_own;
    }
    if (in.failed) {
        relay_bad(relay, peer);
    }
    return result;
}

kn_result kn_relay_receive(
    kn_relay *relay, kn_time now, uint32_t peer, const void *bytes, size_t size)
{
    if (relay == NULL) {
        KN_ASSERT(relay != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!relay_has(relay, peer)) {
        return KN_REFUSED_NOT_FOUND;
    }
    roll_line *line = &relay->lines[peer];
    kn_result result = kni_events_reserve(&relay->def.hooks, &relay->events, RELAY_EVENTS_SPARE);
    if (result != KN_OK) {
        return result;
    }
    kn_net_link_view view;
    result = kn_net_link_read(line->link, kni_roll_clock(&relay->time, now), bytes, size, &view);
    if (result != KN_OK) {
        return result;
    }
    line->is_silent = false;
    kn_net_link_message message;
    while (result == KN_OK && kn_net_link_next_message(line->link, &message)) {
        result = relay_message(relay, peer, &message);
    }
    if (result == KN_OK && line->state == LINE_JOINED && view.size > 0) {
        result = relay_payload(relay, peer, &view);
    }
    return result;
}

// Updating ----------------------------------------------------------------------------------------

static void relay_silent(kn_relay *relay, uint32_t peer)
{
    roll_line *line = &relay->lines[peer];
    if (!relay_is_player(relay, peer) || !relay->def.waits) {
        peer_end(relay, peer, KN_CLOSE_TIMEOUT);
    } else if (!line->is_silent) {
        line->is_silent = true;
        relay_event(relay, (kn_rollback_event){.kind = KN_ROLLBACK_SILENT, .peer = peer});
    }
}

// The match starts when every player is there, or has gone already.
static void relay_start_look(kn_relay *relay)
{
    if (relay->is_started) {
        return;
    }
    for (uint32_t i = 1; i <= relay->def.player_count; i++) {
        if (relay->lines[i].state != LINE_JOINED && !relay->players[i - 1].is_ended) {
            return;
        }
    }
    relay->is_started = true;
    for (uint32_t i = 1; i <= relay->def.player_count; i++) {
        relay->owes_begin[i] = true;
    }
    relay_event(relay, (kn_rollback_event){.kind = KN_ROLLBACK_STARTED});
}

// Sends what is owed to a peer.
static void peer_pay(kn_relay *relay, uint32_t peer)
{
    roll_line *line = &relay->lines[peer];
    uint8_t begin[2] = {ROLL_BEGIN, relay->is_started};
    if (relay->owes_begin[peer]) {
        relay->owes_begin[peer] = kni_line_send(line, begin, sizeof(begin)) != KN_OK;
    }
    for (uint32_t i = 0; i < relay->def.player_count; i++) {
        bool can_know = relay_is_player(relay, peer) || !relay->watches[peer].wants_save;
        if ((relay->owes_end[peer] >> i & 1) == 0 || !can_know || relay->owes_begin[peer]) {
            continue;
        }
        uint8_t bytes[32];
        kn_writer out = {bytes, sizeof(bytes), 0};
        kn_write_u8(&out, ROLL_END);
        kni_write_number(&out, i + 1);
        kni_write_number(&out, relay->players[i].inputs.end);
        kn_write_u8(&out, (uint8_t)relay->players[i].reason);
        if (kni_line_send(line, bytes, out.length) == KN_OK) {
            relay->owes_end[peer] &= ~(1u << i);
        }
    }
}

static void peer_update(kn_relay *relay, uint32_t peer, kn_time now)
{
    roll_line *line = &relay->lines[peer];
    if (line->state == LINE_CLOSING) {
        if (!relay_is_player(relay, peer) && now - line->opened > LINE_CLOSE_TIME) {
            kni_line_free(line);
        }
        return;
    }
    if (now - kni_line_heard(line) > relay->def.timeout) {
        relay_silent(relay, peer);
        return;
    }
    if (line->state != LINE_JOINED) {
        return;
    }
    peer_pay(relay, peer);
    if (!relay_is_player(relay, peer)) {
        relay_watch *watch = &relay->watches[peer];
        if (!watch->wants_save && relay_is_behind(relay, line)) {
            watch->wants_save = true;
            relay->resyncs[peer]++;
        }
        save_ask(relay, peer);
    }
}

kn_result kn_relay_update(kn_relay *relay, kn_time now)
{
    if (relay == NULL) {
        KN_ASSERT(relay != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    now = kni_roll_clock(&relay->time, now);
    kn_result result = kni_events_reserve(&relay->def.hooks, &relay->events, RELAY_LINES_MAX + 1);
    if (result != KN_OK) {
        return result;
    }
    relay_start_look(relay);
    for (uint32_t i = 1; i < RELAY_LINES_MAX; i++) {
        if (relay->lines[i].state != LINE_FREE) {
            peer_update(relay, i, now);
        }
    }
    return KN_OK;
}

// Datagrams ---------------------------------------------------------------------------------------

static void relay_payload_write(kn_relay *relay, uint32_t peer, kn_writer *out)
{
    bool is_player = relay_is_player(relay, peer);
    uint32_t all = (1u << relay->def.player_count) - 1;
    uint32_t own = is_player ? 1u << (peer - 1) : 0;
    uint32_t streams = is_player ? all & ~own : relay->watches[peer].wants_save ? 0 : all;
    uint64_t last[PLAYERS], most = is_player ? UINT64_MAX : relay_known(relay);
    roll_payload payload = {.acks = own};
    for (uint32_t i = 0; i < PLAYERS; i++) {
        const relay_player *p = &relay->players[i];
        payload.have[i] = p->inputs.have;
        payload.reference = p->inputs.have > payload.reference ? p->inputs.have : payload.reference;
        last[i] = p->inputs.have < most ? p->inputs.have : most;
        if (is_player && i + 1 != peer && p->has_tick && !p->is_ended) {
            payload.clocks |= 1u << i;
            payload.clock[i] = (roll_clock){p->tick, p->ahead[peer - 1]};
        }
    }
    kni_roll_payload_write(out, &payload);
    kni_line_inputs(&relay->lines[peer], out, relay->streams, streams, last, payload.reference);
}

kn_result kn_relay_write(
    kn_relay *relay, kn_time now, uint32_t peer, void *buffer, size_t capacity, size_t *size)
{
    *size = 0;
    if (relay == NULL) {
        KN_ASSERT(relay != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!relay_has(relay, peer)) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (capacity < relay->def.datagram_bytes) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    roll_line *line = &relay->lines[peer];
    now = kni_roll_clock(&relay->time, now);
    kn_time interval = 1000000 / (kn_time)relay->def.rate;
    uint64_t turn = (uint64_t)(now > 0 ? now : 0) / (uint64_t)interval;
    bool has_payload;
    if (!kni_line_is_due(line, now, turn, relay->def.send_every, interval, &has_payload)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_writer out = {relay->scratch, kn_net_link_space(line->link), 0};
    if (has_payload) {
        relay_payload_write(relay, peer, &out);
    }
    out.length = out.length <= out.size ? out.length : 0;
    return kni_line_write(line, now, relay->scratch, out.length, buffer, capacity, size);
}

kn_relay_stats kn_relay_get_stats(const kn_relay *relay, uint32_t peer)
{
    if (!relay_has(relay, peer)) {
        return (kn_relay_stats){0};
    }
    const roll_line *line = &relay->lines[peer];
    return (kn_relay_stats){.is_joined = line->state == LINE_JOINED,
        .link = kn_net_link_get_stats(line->link),
        .received = relay_is_player(relay, peer) ? relay->players[peer - 1].inputs.have : 0,
        .resyncs = relay->resyncs[peer],
        .bad = line->bad};
}
