// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The rollback session: lines and messages, the clock, commands of the player.

#include "rollback.h"

#define ROLLBACK_COOKIE 0x4b4e5242u
#define CATCH_UP_MAX 8  // ticks in one update
#define EVENTS_SPARE 32 // events that one call may add
#define SPEED_MAX 50000 // millionths
#define SPEED_PER_MILLITICK 10
#define OFFSET_SMOOTH 16
#define SAVE_BYTES_MIN 16384

// Creating ------------------------------------------------------------------------------------

kn_rollback_def kn_rollback_def_default(void)
{
    return (kn_rollback_def){
        .rate = 60,
        .player_count = 2,
        .player = 1,
        .spectator_limit = 4,
        .input_delay = 2,
        .window = 12,
        .hash_every = 60,
        .explains = true,
        .timeout = 5000000,
        .spectator_delay = 100000,
        .datagram_bytes = 1200,
        .send_every = 1,
        .save_bytes = (size_t)4 << 20,
        .cookie = ROLLBACK_COOKIE,
    };
}

static bool def_is_good(const kn_rollback_def *def)
{
    return def != NULL && def->cookie == ROLLBACK_COOKIE && def->world != NULL &&
           def->rate >= KN_SESSION_RATE_MIN && def->rate <= KN_SESSION_RATE_MAX &&
           def->player_count >= 2 && def->player_count <= KN_ROLLBACK_PLAYERS_MAX &&
           def->player <= def->player_count && def->spectator_limit <= KN_ROLLBACK_SPECTATORS_MAX &&
           def->input_delay >= 1 && def->input_delay <= KN_ROLLBACK_DELAY_MAX &&
           def->window <= KN_ROLLBACK_WINDOW_MAX && def->hash_every <= 65535 && def->timeout > 0 &&
           def->spectator_delay >= 0 && def->spectator_delay <= KN_S(60) &&
           def->datagram_bytes >= LINE_DATAGRAM_MIN &&
           def->datagram_bytes <= KN_NET_LINK_DATAGRAM_MAX && def->send_every >= 1 &&
           def->send_every <= 8 && def->save_bytes >= SAVE_BYTES_MIN &&
           def->save_bytes <= KN_NET_LINK_MESSAGE_MAX / 2;
}

static void streams_begin(kn_rollback *r)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        input_stream *inputs = &r->players[i].inputs;
        bool is_own = i + 1 == r->def.player;
        kni_stream_begin(inputs, 0);
        inputs->slot_max = kni_slot_max(r->def.datagram_bytes);
        r->streams[i] = inputs;
        while (is_own && inputs->have < r->def.input_delay - 1) {
            kni_stream_close(inputs); // nothing can be given for these ticks
        }
    }
}

kn_result kn_rollback_create(const kn_rollback_def *def, kn_rollback **out)
{
    if (out != NULL) {
        *out = NULL;
    }
    if (out == NULL || !def_is_good(def)) {
        KN_ASSERT(out != NULL && def != NULL && def->world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_rollback *r = kn_memory_resize(&def->hooks, NULL, 0, sizeof(*r));
    if (r == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    memset(r, 0, sizeof(*r));
    r->def = *def;
    r->changed = UINT64_MAX;
    r->base = kn_world_now(def->world);
    r->hello = (roll_hello){.version = KN_ROLLBACK_VERSION,
        .library = kn_library_hash(kn_world_library(def->world)),
        .start = def->player > 0 ? kn_world_hash(def->world) : 0,
        .rate = def->rate,
        .player_count = def->player_count,
        .hash_every = def->hash_every,
        .player = def->player};
    streams_begin(r);
    r->scratch = kn_memory_resize(&def->hooks, NULL, 0, def->datagram_bytes);
    uint32_t count = def->window + 2;
    r->ring = kn_memory_resize(&def->hooks, NULL, 0, count * sizeof(roll_state));
    if (r->ring != NULL) {
        memset(r->ring, 0, count * sizeof(roll_state));
        r->ring_count = count;
    }
    kn_result result = r->scratch == NULL || r->ring == NULL
                           ? KN_ERROR_OUT_OF_MEMORY
                           : kni_state_keep(r, kni_roll_state(r, 0), 0);
    if (result != KN_OK) {
        kn_rollback_destroy(r);
        return result;
    }
    *out = r;
    return KN_OK;
}

void kn_rollback_destroy(kn_rollback *r)
{
    if (r == NULL) {
        return;
    }
    kn_hooks hooks = r->def.hooks;
    for (uint32_t i = 0; i < LINES_MAX; i++) {
        kni_line_free(&r->lines[i]);
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        kni_stream_free(&hooks, &r->players[i].inputs);
    }
    for (uint32_t i = 0; i < r->ring_count; i++) {
        kni_state_free(r, &r->ring[i]);
    }
    for (uint32_t i = 0; i < CHECKPOINTS; i++) {
        kni_state_free(r, &r->checkpoints[i]);
    }
    kni_state_free(r, &r->blamed);
    kn_memory_free(&hooks, r->ring, r->ring_count * sizeof(roll_state));
    kn_memory_free(&hooks, r->scratch, r->def.datagram_bytes);
    kni_reports_free(&hooks, &r->reports);
    kni_reports_free(&hooks, &r->fresh);
    kni_events_free(&hooks, &r->events);
    kn_memory_free(&hooks, r, sizeof(*r));
}

// Events and ends -------------------------------------------------------------------------------

void kni_roll_event(kn_rollback *r, kn_rollback_event event, const char *text)
{
    kn_result result = kni_events_add(&r->def.hooks, &r->events, event, text);
    (void)result; // what must not be lost has its place reserved
}

bool kn_rollback_next_event(kn_rollback *r, kn_rollback_event *event)
{
    if (r == NULL) {
        *event = (kn_rollback_event){0};
        return false;
    }
    return kni_events_next(&r->def.hooks, &r->events, event);
}

void kni_roll_close(kn_rollback *r, kn_close_reason reason)
{
    if (r->phase == ROLL_CLOSED) {
        return;
    }
    uint8_t message = ROLL_LEAVE;
    for (uint32_t i = 0; i < LINES_MAX; i++) {
        roll_line *line = &r->lines[i];
        if (line->state == LINE_JOINED || line->state == LINE_OPEN) {
            kn_result result = kni_line_send(line, &message, sizeof(message));
            (void)result; // without room for it, silence says the same later
            kni_line_close(line, r->time.now, KN_CLOSE_LEFT);
        }
    }
    r->phase = ROLL_CLOSED;
    r->reason = reason;
    kni_roll_event(r,
        (kn_rollback_event){.kind = KN_ROLLBACK_CLOSED, .tick = r->tick, .reason = reason}, NULL);
}

void kni_spectator_close(kn_rollback *r, uint32_t peer, kn_close_reason reason)
{
    bool was_joined = r->lines[peer].state == LINE_JOINED;
    kni_line_close(&r->lines[peer], r->time.now, reason);
    r->wants_start[peer] = false;
    if (was_joined) {
        kni_roll_event(r,
            (kn_rollback_event){
                .kind = KN_ROLLBACK_LEFT, .peer = peer, .tick = r->tick, .reason = reason},
            NULL);
    }
}

// Ends a line because of what the other side did.
static void line_end(kn_rollback *r, uint32_t peer, kn_close_reason reason)
{
    if (kni_roll_is_watched(r, peer)) {
        kni_spectator_close(r, peer, reason);
    } else if (peer == KN_ROLLBACK_RELAY || kni_roll_is_spectator(r)) {
        kni_line_close(&r->lines[peer], r->time.now, reason);
        kni_roll_close(r, reason);
    } else {
        kni_roll_gone(r, peer, reason);
    }
}

void kni_roll_bad(kn_rollback *r, uint32_t peer)
{
    r->stats.bad++;
    if (++r->lines[peer].bad > LINE_BAD_MAX) {
        line_end(r, peer, KN_CLOSE_ABUSE);
    }
}

// Lines -----------------------------------------------------------------------------------------

// Whether there may be a line to this peer beside those that are open.
static bool peer_fits(const kn_rollback *r, uint32_t peer)
{
    for (uint32_t i = 0; i <= r->def.player_count; i++) {
        bool is_open = r->lines[i].state != LINE_FREE;
        if (is_open && (kni_roll_is_spectator(r) || i == KN_ROLLBACK_RELAY)) {
            return false;
        }
        if (is_open && peer == KN_ROLLBACK_RELAY) {
            return false;
        }
    }
    return true;
}

kn_result kn_rollback_open(kn_rollback *r, kn_time now, uint32_t peer)
{
    uint32_t most = r == NULL                  ? 0
                    : kni_roll_is_spectator(r) ? r->def.player_count
                                               : r->def.player_count + r->def.spectator_limit;
    if (r == NULL || peer > most || (peer != KN_ROLLBACK_RELAY && peer == r->def.player)) {
        KN_ASSERT(r != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    roll_line *line = &r->lines[peer];
    if (line->state != LINE_FREE) {
        return KN_REFUSED_DUPLICATE;
    }
    if (r->phase == ROLL_CLOSED || (!kni_roll_is_watched(r, peer) && !peer_fits(r, peer))) {
        return KN_REFUSED_BLOCKED;
    }
    line_def def = {r->def.hooks, r->def.protocol_id, r->def.datagram_bytes, r->def.save_bytes};
    kn_result result = kni_line_open(line, &def, kni_roll_clock(&r->time, now));
    if (result != KN_OK) {
        return result;
    }
    uint8_t bytes[64];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kni_hello_write(&out, &r->hello);
    result = kni_line_send(line, bytes, out.length);
    if (result != KN_OK) {
        kni_line_free(line);
    }
    return result;
}

bool kn_rollback_close(kn_rollback *r, uint32_t peer)
{
    if (r == NULL || !kni_roll_is_watched(r, peer) || peer >= LINES_MAX ||
        (r->lines[peer].state != LINE_OPEN && r->lines[peer].state != LINE_JOINED)) {
        return false;
    }
    kni_spectator_close(r, peer, KN_CLOSE_HOST);
    return true;
}

// Messages --------------------------------------------------------------------------------------

// Why a peer cannot play along; KN_CLOSE_NONE if it can.
static kn_close_reason hello_check(const kn_rollback *r, uint32_t peer, const roll_hello *hello)
{
    bool is_watched = kni_roll_is_watched(r, peer);
    bool has_start = !is_watched && !kni_roll_is_spectator(r);
    if (hello->version != KN_ROLLBACK_VERSION) {
        return KN_CLOSE_VERSION;
    }
    if (hello->library != r->hello.library) {
        return KN_CLOSE_LIBRARY;
    }
    if (hello->rate != r->hello.rate || hello->player_count != r->hello.player_count ||
        hello->hash_every != r->hello.hash_every) {
        return KN_CLOSE_SETTINGS;
    }
    if (hello->player != (is_watched ? 0 : peer)) {
        return KN_CLOSE_REFUSED;
    }
    return has_start && hello->start != r->hello.start ? KN_CLOSE_WORLD : KN_CLOSE_NONE;
}

static void hello_read(kn_rollback *r, uint32_t peer, kn_reader *in)
{
    roll_hello hello;
    kni_hello_read(in, &hello);
    roll_line *line = &r->lines[peer];
    in->failed = in->failed || line->state != LINE_OPEN || peer == KN_ROLLBACK_RELAY;
    if (in->failed) {
        return;
    }
    kn_close_reason reason = hello_check(r, peer, &hello);
    if (reason != KN_CLOSE_NONE) {
        line_end(r, peer, reason);
        return;
    }
    line->state = LINE_JOINED;
    r->wants_start[peer] = kni_roll_is_watched(r, peer);
    kni_roll_event(r, (kn_rollback_event){.kind = KN_ROLLBACK_JOINED, .peer = peer}, NULL);
}

static void match_start(kn_rollback *r)
{
    r->phase = ROLL_PLAYING;
    r->clock = 0;
    r->now = r->time.now;
    kni_roll_event(r, (kn_rollback_event){.kind = KN_ROLLBACK_STARTED}, NULL);
}

// A relay lets us in, or all players are there.
static void begin_read(kn_rollback *r, uint32_t peer, kn_reader *in)
{
    roll_line *line = &r->lines[peer];
    bool is_started = kn_read_u8(in) != 0;
    in->failed = in->failed || peer != KN_ROLLBACK_RELAY;
    if (in->failed) {
        return;
    }
    line->state = line->state == LINE_OPEN ? LINE_JOINED : line->state;
    if (is_started && r->phase == ROLL_WAITING && !kni_roll_is_spectator(r)) {
        match_start(r);
    }
}

static void close_read(kn_rollback *r, uint32_t peer, kn_reader *in)
{
    uint8_t number = kn_read_u8(in);
    bool is_known = number > KN_CLOSE_NONE && number < KN_CLOSE_COUNT && number != KN_CLOSE_HOST;
    kn_close_reason reason = is_known ? (kn_close_reason)number : KN_CLOSE_LEFT;
    kni_line_close(&r->lines[peer], r->time.now, KN_CLOSE_LEFT);
    if (kni_roll_is_watched(r, peer)) {
        kni_spectator_close(r, peer, KN_CLOSE_LEFT);
    } else {
        kni_roll_close(r, reason);
    }
}

// Messages that need a line on which both sides know each other.
static kn_result joined_read(kn_rollback *r, uint32_t peer, uint8_t kind, kn_reader *in)
{
    bool is_guide = peer == KN_ROLLBACK_RELAY || kni_roll_is_spectator(r);
    bool is_watched = kni_roll_is_watched(r, peer);
    switch (kind) {
    case ROLL_VIEW:
        in->failed = is_guide || is_watched;
        if (!in->failed) {
            kni_view_read(r, peer, in);
        }
        return KN_OK;
    case ROLL_END:
        in->failed = !is_guide;
        if (!in->failed) {
            kni_end_read(r, in);
        }
        return KN_OK;
    case ROLL_START:
        in->failed = !is_guide;
        return in->failed ? KN_OK : kni_start_read(r, in);
    case ROLL_SAVE_WANTED:
        in->failed = peer != KN_ROLLBACK_RELAY;
        if (!in->failed) {
            kni_save_wanted_read(r, in);
        }
        return KN_OK;
    case ROLL_HASH:
        in->failed = is_watched;
        if (!in->failed) {
            kni_hash_read(r, peer, in);
        }
        return KN_OK;
    case ROLL_DUMP_WANTED:
        return kni_dump_wanted_read(r, peer, in);
    case ROLL_DUMP:
        return kni_dump_read(r, peer, in);
    default:
        in->failed = true;
        return KN_OK;
    }
}

static kn_result message_read(kn_rollback *r, uint32_t peer, const kn_net_link_message *message)
{
    kn_reader in = {.data = message->bytes, .size = message->size};
    uint8_t kind = kn_read_u8(&in);
    kn_result result = KN_OK;
    if (r->phase == ROLL_CLOSED || r->lines[peer].state == LINE_CLOSING) {
        return KN_OK;
    }
    switch (kind) {
    case ROLL_HELLO:
        hello_read(r, peer, &in);
        break;
    case ROLL_BEGIN:
        begin_read(r, peer, &in);
        break;
    case ROLL_CLOSE:
        close_read(r, peer, &in);
        break;
    case ROLL_LEAVE:
        line_end(r, peer, KN_CLOSE_LEFT);
        break;
    default:
        in.failed = r->lines[peer].state != LINE_JOINED;
        result = in.failed ? KN_OK : joined_read(r, peer, kind, &in);
    }
    if (in.failed) {
        kni_roll_bad(r, peer);
    }
    return result;
}

// Payloads --------------------------------------------------------------------------------------

static void clock_take(kn_rollback *r, uint32_t player, const roll_clock *clock)
{
    roll_player *p = &r->players[player - 1];
    int64_t ahead = (int64_t)r->tick - (int64_t)clock->tick;
    ahead = ahead >= INPUT_HISTORY    ? INPUT_HISTORY - 1
            : ahead <= -INPUT_HISTORY ? 1 - INPUT_HISTORY
                                      : ahead;
    p->tick = clock->tick;
    p->ahead = ahead;
    if (clock->ahead != AHEAD_UNKNOWN) {
        int64_t sample = (ahead - clock->ahead) * 500; // half of the difference, in thousandths
        p->offset = p->has_clock ? p->offset + (sample - p->offset) / OFFSET_SMOOTH : sample;
    }
    p->has_clock = true;
}

static void clocks_take(kn_rollback *r, uint32_t peer, const roll_payload *payload)
{
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        bool is_theirs = peer == KN_ROLLBACK_RELAY ? i + 1 != r->def.player : i + 1 == peer;
        if (is_theirs && (payload->clocks >> i & 1) != 0 && !kni_roll_is_spectator(r)) {
            clock_take(r, i + 1, &payload->clock[i]);
        }
    }
}

// Whether the commands of a player may come by the line to a peer.
static bool stream_may_come(const kn_rollback *r, uint32_t peer, uint32_t player)
{
    if (player == r->def.player || player > r->def.player_count || kni_roll_is_watched(r, peer)) {
        return false;
    }
    return peer == KN_ROLLBACK_RELAY || kni_roll_is_spectator(r) || player == peer ||
           kni_roll_is_gone(r, player);
}

static kn_result streams_read(
    kn_rollback *r, uint32_t peer, const roll_payload *payload, kn_reader *in)
{
    uint32_t mask = kn_read_u8(in);
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < PLAYERS && result == KN_OK && !in->failed; i++) {
        if ((mask >> i & 1) == 0) {
            continue;
        }
        bool may_come = stream_may_come(r, peer, i + 1) &&
                        (r->phase == ROLL_PLAYING || !kni_roll_is_spectator(r));
        input_stream *inputs = may_come ? &r->players[i].inputs : NULL;
        uint64_t limit = r->confirmed + INPUT_HISTORY - 2;
        limit = may_come && inputs->end < limit ? inputs->end : limit;
        stream_news news = {.first = UINT64_MAX};
        result = kni_stream_read(&r->def.hooks, inputs, in, payload->reference, limit, &news);
        r->changed = news.first < r->changed && news.first <= r->tick ? news.first : r->changed;
        r->stats.commands += news.commands;
        for (uint32_t j = news.first == UINT64_MAX ? 0 : kni_roll_senseless(r, inputs, news.first);
             j > 0; j--) {
            kni_roll_bad(r, peer);
        }
        if (!may_come && r->phase == ROLL_PLAYING) {
            r->stats.foreign++;
            r->lines[peer].foreign++;
        }
    }
    return result;
}

static kn_result payload_read(kn_rollback *r, uint32_t peer, const kn_net_link_view *view)
{
    kn_reader in = {.data = view->payload, .size = view->size};
    roll_payload payload;
    roll_line *line = &r->lines[peer];
    kni_roll_payload_read(&in, &payload);
    in.failed =
        in.failed || !kni_line_acked(line, &payload, r->streams, r->def.player_count, r->gone);
    kn_result result = KN_OK;
    if (!in.failed) {
        if (view->is_newest) {
            clocks_take(r, peer, &payload);
        }
        result = streams_read(r, peer, &payload, &in);
    }
    if (in.failed) {
        kni_roll_bad(r, peer);
    } else if (line->foreign > LINE_FOREIGN_MAX) {
        line_end(r, peer, KN_CLOSE_ABUSE);
    }
    return result;
}

kn_result kn_rollback_receive(
    kn_rollback *r, kn_time now, uint32_t peer, const void *bytes, size_t size)
{
    if (r == NULL) {
        KN_ASSERT(r != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (peer >= LINES_MAX || r->lines[peer].state == LINE_FREE) {
        return KN_REFUSED_NOT_FOUND;
    }
    roll_line *line = &r->lines[peer];
    kn_result result = kni_events_reserve(&r->def.hooks, &r->events, EVENTS_SPARE);
    if (result != KN_OK) {
        return result;
    }
    kn_net_link_view view;
    result = kn_net_link_read(line->link, kni_roll_clock(&r->time, now), bytes, size, &view);
    if (result != KN_OK) {
        return result;
    }
    line->is_silent = false;
    kn_net_link_message message;
    while (result == KN_OK && kn_net_link_next_message(line->link, &message)) {
        result = message_read(r, peer, &message);
    }
    if (result == KN_OK && line->state == LINE_JOINED && view.size > 0) {
        result = payload_read(r, peer, &view);
    }
    return result;
}

// The clock -------------------------------------------------------------------------------------

// How much faster than the clock ticks should run: so that this machine is where the others are, or
// a spectator has some ticks in reserve.
static int32_t speed_find(kn_rollback *r, uint64_t known)
{
    int64_t offset = 0, count = 0;
    if (kni_roll_is_spectator(r)) {
        int64_t reserve = r->def.spectator_delay * (kn_time)r->def.rate / 1000;
        offset = reserve - (int64_t)(known - r->tick) * 1000;
        count = 1;
    }
    for (uint32_t i = 0; i < r->def.player_count && !kni_roll_is_spectator(r); i++) {
        const roll_player *p = &r->players[i];
        if (p->has_clock && !p->is_ended && i + 1 != r->def.player) {
            offset += p->offset;
            count++;
        }
    }
    offset = count > 0 ? offset / count : 0;
    r->stats.ahead_milliticks = (int32_t)offset;
    int64_t speed = -offset * SPEED_PER_MILLITICK;
    return (int32_t)(speed > SPEED_MAX ? SPEED_MAX : speed < -SPEED_MAX ? -SPEED_MAX : speed);
}

static void clock_advance(kn_rollback *r, kn_time passed)
{
    uint64_t known = kni_roll_known(r, false);
    known = known < r->tick ? r->tick : known > r->tick + INPUT_HISTORY ? r->tick : known;
    r->speed_ppm = speed_find(r, known);
    r->clock += passed + passed / 1000 * r->speed_ppm / 1000;
    if (kni_roll_is_spectator(r)) {
        uint64_t reserve = (uint64_t)r->def.spectator_delay * r->def.rate / 1000000;
        kn_time late = kni_tick_time(known > reserve ? known - reserve : 0, r->def.rate);
        if (known > r->tick + reserve + r->def.rate / 2 && r->clock < late) {
            r->clock = late; // it fell behind
        }
    }
}

static void stall_note(kn_rollback *r, bool is_stalled, kn_time passed)
{
    uint32_t slowest = 0;
    r->stats.stalled_time += r->stats.is_stalled ? passed : 0;
    if (is_stalled == r->stats.is_stalled) {
        return;
    }
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        uint64_t have = kni_stream_known(&r->players[i].inputs);
        if (i + 1 != r->def.player &&
            (slowest == 0 || have < kni_stream_known(&r->players[slowest - 1].inputs))) {
            slowest = i + 1;
        }
    }
    r->stats.is_stalled = is_stalled;
    r->stats.stalls += is_stalled;
    kni_roll_event(r,
        (kn_rollback_event){.kind = is_stalled ? KN_ROLLBACK_STALLED : KN_ROLLBACK_RESUMED,
            .peer = is_stalled ? slowest : 0,
            .tick = r->tick},
        NULL);
}

// Runs the ticks that are due, as far as the commands of the others allow.
static kn_result ticks_run(kn_rollback *r, kn_time passed)
{
    kn_result result = KN_OK;
    uint64_t window = kni_roll_is_spectator(r) ? 0 : r->def.window;
    uint64_t known = kni_roll_known(r, false);
    uint64_t limit = known > UINT64_MAX - window ? UINT64_MAX : known + window;
    uint32_t count = 0;
    bool is_due = r->clock >= kni_tick_time(r->tick + 1, r->def.rate);
    while (result == KN_OK && is_due && r->tick < limit && count < CATCH_UP_MAX) {
        result = kni_roll_forward(r);
        if (result == KN_OK) {
            kni_roll_confirm(r);
        }
        is_due = r->clock >= kni_tick_time(r->tick + 1, r->def.rate);
        count++;
    }
    bool is_stalled = is_due && r->tick >= limit;
    if (is_due) { // it waits for the others, or the machine is too slow
        r->clock = kni_tick_time(r->tick + 1, r->def.rate);
    }
    stall_note(r, is_stalled, passed);
    return result;
}

// Updating --------------------------------------------------------------------------------------

static void line_silent(kn_rollback *r, uint32_t peer)
{
    roll_line *line = &r->lines[peer];
    bool is_player = peer >= 1 && peer <= r->def.player_count && !kni_roll_is_spectator(r);
    if (!is_player || !r->def.waits) {
        line_end(r, peer, KN_CLOSE_TIMEOUT);
    } else if (!line->is_silent) {
        line->is_silent = true;
        kni_roll_event(r,
            (kn_rollback_event){.kind = KN_ROLLBACK_SILENT, .peer = peer, .tick = r->tick}, NULL);
    }
}

static void lines_look(kn_rollback *r, kn_time now)
{
    for (uint32_t i = 0; i < LINES_MAX; i++) {
        roll_line *line = &r->lines[i];
        bool is_open = line->state == LINE_OPEN || line->state == LINE_JOINED;
        if (is_open && now - kni_line_heard(line) > r->def.timeout) {
            line_silent(r, i);
        } else if (line->state == LINE_CLOSING && kni_roll_is_watched(r, i) &&
                   now - line->opened > LINE_CLOSE_TIME) {
            kni_line_free(line);
        }
    }
}

// If none of the others fits, it is this machine that does not. KN_CLOSE_NONE if one does.
static kn_close_reason misfit_find(const kn_rollback *r)
{
    kn_close_reason reason = KN_CLOSE_NONE;
    for (uint32_t i = 1; i <= r->def.player_count; i++) {
        kn_close_reason other = r->players[i - 1].reason;
        bool fits = other == KN_CLOSE_NONE || other == KN_CLOSE_LEFT || other == KN_CLOSE_TIMEOUT ||
                    other == KN_CLOSE_ABUSE;
        if (i != r->def.player && fits) {
            return KN_CLOSE_NONE;
        }
        reason = i != r->def.player ? other : reason;
    }
    return reason;
}

// In a mesh the match starts when everybody is there, or has gone already.
static void start_look(kn_rollback *r)
{
    if (r->phase != ROLL_WAITING || kni_roll_has_relay(r) || kni_roll_is_spectator(r)) {
        return;
    }
    kn_close_reason misfit = misfit_find(r);
    if (misfit != KN_CLOSE_NONE) {
        kni_roll_close(r, misfit);
        return;
    }
    for (uint32_t i = 1; i <= r->def.player_count; i++) {
        if (i != r->def.player && r->lines[i].state != LINE_JOINED && !kni_roll_is_gone(r, i)) {
            return;
        }
    }
    match_start(r);
}

static kn_result match_update(kn_rollback *r, kn_time passed)
{
    clock_advance(r, passed);
    kn_result result = kni_roll_back(r);
    if (result == KN_OK) {
        kni_roll_confirm(r);
        result = ticks_run(r, passed);
    }
    return result == KN_OK && !kni_roll_is_spectator(r) ? kni_watch_feed(r) : result;
}

kn_result kn_rollback_update(kn_rollback *r, kn_time now)
{
    if (r == NULL) {
        KN_ASSERT(r != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_events_reserve(&r->def.hooks, &r->events, EVENTS_SPARE);
    if (result != KN_OK) {
        return result;
    }
    now = kni_roll_clock(&r->time, now);
    if (r->phase == ROLL_CLOSED) {
        return KN_OK;
    }
    lines_look(r, now);
    if (!kni_roll_is_spectator(r) && !kni_roll_has_relay(r)) {
        result = kni_roll_agree(r, now);
    }
    start_look(r);
    if (r->phase == ROLL_PLAYING && result == KN_OK) {
        result = match_update(r, now - r->now);
    }
    r->now = now;
    return result;
}

// Datagrams -------------------------------------------------------------------------------------

// What a line to a player carries: our commands, and those of players who are gone.
static uint32_t player_payload(const kn_rollback *r, uint32_t peer, roll_payload *payload)
{
    uint32_t own = 1u << (r->def.player - 1);
    const roll_player *p = &r->players[peer - 1];
    payload->acks = (1u << (peer - 1) | r->gone) & ~own;
    payload->clocks = own;
    payload->clock[r->def.player - 1] =
        (roll_clock){r->tick, p->has_clock ? p->ahead : AHEAD_UNKNOWN};
    return own | r->gone;
}

// And one to a relay: our commands, and how far we are ahead of each player.
static uint32_t relay_payload(const kn_rollback *r, roll_payload *payload)
{
    uint32_t own = 1u << (r->def.player - 1);
    payload->acks = ((1u << r->def.player_count) - 1) & ~own;
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        if (r->players[i].has_clock) {
            payload->clocks |= 1u << i;
            payload->clock[i] = (roll_clock){r->tick, r->players[i].ahead};
        }
    }
    return own;
}

static void payload_write(kn_rollback *r, uint32_t peer, kn_writer *out)
{
    roll_line *line = &r->lines[peer];
    roll_payload payload = {.reference = r->tick};
    uint32_t all = (1u << r->def.player_count) - 1, streams = 0;
    uint64_t last[PLAYERS], most = UINT64_MAX;
    if (kni_roll_is_spectator(r)) {
        payload.acks = r->phase == ROLL_PLAYING ? all : 0;
    } else if (kni_roll_is_watched(r, peer)) {
        streams = r->wants_start[peer] ? 0 : all;
        most = kni_roll_known(r, true);
    } else {
        streams = peer == KN_ROLLBACK_RELAY ? relay_payload(r, &payload)
                                            : player_payload(r, peer, &payload);
    }
    for (uint32_t i = 0; i < PLAYERS; i++) {
        payload.have[i] = r->players[i].inputs.have;
        last[i] = payload.have[i] < most ? payload.have[i] : most;
    }
    kni_roll_payload_write(out, &payload);
    kni_line_inputs(line, out, r->streams, streams, last, payload.reference);
}

kn_result kn_rollback_write(
    kn_rollback *r, kn_time now, uint32_t peer, void *buffer, size_t capacity, size_t *size)
{
    *size = 0;
    if (r == NULL) {
        KN_ASSERT(r != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (peer >= LINES_MAX || r->lines[peer].state == LINE_FREE) {
        return KN_REFUSED_NOT_FOUND;
    }
    if (capacity < r->def.datagram_bytes) {
        return KN_ERROR_BUFFER_TOO_SMALL;
    }
    roll_line *line = &r->lines[peer];
    now = kni_roll_clock(&r->time, now);
    bool has_payload;
    kn_time interval = 1000000 / (kn_time)r->def.rate;
    if (!kni_line_is_due(line, now, r->tick, r->def.send_every, interval, &has_payload)) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_writer out = {r->scratch, kn_net_link_space(line->link), 0};
    if (has_payload) {
        payload_write(r, peer, &out);
    }
    out.length = out.length <= out.size ? out.length : 0;
    return kni_line_write(line, now, r->scratch, out.length, buffer, capacity, size);
}

// The player ------------------------------------------------------------------------------------

kn_result kn_rollback_command(kn_rollback *r, const kn_command *command, kn_error *error)
{
    if (r == NULL || command == NULL) {
        KN_ASSERT(r != NULL && command != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (r->phase != ROLL_PLAYING || kni_roll_is_spectator(r)) {
        return kn_error_set(error, KN_REFUSED_BLOCKED, "the match does not run");
    }
    const kn_library *library = kn_world_library(r->def.world);
    kn_result result = kn_command_check(library, command, error);
    if (result != KN_OK) {
        return result;
    }
    kn_command plain = *command;
    plain.connection = plain.sequence = 0;
    uint32_t size = kn_command_write(library, &plain, r->plain, sizeof(r->plain));
    kn_writer out = {r->scratch, r->def.datagram_bytes, 0};
    if (size <= sizeof(r->plain)) {
        kni_delta_write(&out, NULL, 0, 0, r->plain, size); // mostly zeros
    }
    input_stream *own = r->streams[r->def.player - 1];
    if (size > sizeof(r->plain) || kni_stream_open_count(own) >= KN_ROLLBACK_COMMANDS_MAX ||
        kni_stream_open_size(own) + out.length + 5 > own->slot_max) {
        return kn_error_set(error, KN_REFUSED_LIMIT, "too many commands for one tick");
    }
    result =
        kni_stream_add(&r->def.hooks, own, r->scratch, (uint32_t)out.length, r->next_sequence + 1);
    if (result != KN_OK) {
        return kn_error_set(error, result, "out of memory: no command");
    }
    r->next_sequence++;
    r->stats.commands++;
    return KN_OK;
}

bool kn_rollback_drop(kn_rollback *r, uint32_t player)
{
    if (r == NULL || kni_roll_is_spectator(r) || kni_roll_has_relay(r) || player == 0 ||
        player > r->def.player_count || player == r->def.player || r->phase == ROLL_CLOSED ||
        kni_roll_is_gone(r, player)) {
        return false;
    }
    kni_roll_gone(r, player, KN_CLOSE_TIMEOUT);
    return true;
}

void kn_rollback_leave(kn_rollback *r)
{
    if (r != NULL) {
        kni_roll_close(r, KN_CLOSE_HOST);
    }
}

// Looking at it ---------------------------------------------------------------------------------

uint64_t kn_rollback_tick(const kn_rollback *r)
{
    return r != NULL ? r->tick : 0;
}

uint64_t kn_rollback_confirmed(const kn_rollback *r)
{
    return r != NULL ? r->confirmed : 0;
}

bool kn_rollback_is_started(const kn_rollback *r)
{
    return r != NULL && r->phase == ROLL_PLAYING;
}

kn_close_reason kn_rollback_closed(const kn_rollback *r)
{
    return r != NULL ? r->reason : KN_CLOSE_NONE;
}

kn_rollback_stats kn_rollback_get_stats(const kn_rollback *r)
{
    if (r == NULL) {
        return (kn_rollback_stats){0};
    }
    kn_rollback_stats stats = r->stats;
    stats.speed_ppm = r->speed_ppm;
    return stats;
}

kn_net_link_stats kn_rollback_get_link_stats(const kn_rollback *r, uint32_t peer)
{
    return kn_net_link_get_stats(r != NULL && peer < LINES_MAX ? r->lines[peer].link : NULL);
}
