// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Spectators. One that comes gets the confirmed state as a save, and from then on the commands of
// all players, as far as they are confirmed. One that falls behind further than commands are kept
// gets another state.

#include "rollback.h"

#define START_WAITING_MAX 4096 // bytes of messages that may wait before a state is sent

// For spectators ----------------------------------------------------------------------------

static void start_head(const kn_rollback *r, uint64_t tick, kn_writer *out)
{
    kn_write_u8(out, ROLL_START);
    kni_write_number(out, tick);
    uint32_t ended = 0;
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        ended |= r->players[i].is_ended ? 1u << i : 0;
    }
    kn_write_u8(out, (uint8_t)ended);
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        if (r->players[i].is_ended) {
            kni_write_number(out, r->players[i].inputs.end);
        }
    }
}

// A save of the confirmed state behind some bytes.
static kn_result save_send(kn_rollback *r, roll_line *line, const kn_writer *head)
{
    uint8_t *bytes;
    size_t size;
    const roll_state *state = kni_roll_state(r, r->confirmed);
    kn_result result = kni_roll_save(r, state, head->length, &bytes, &size);
    if (result == KN_OK) {
        memcpy(bytes, head->data, head->length);
        result = kni_line_send(line, bytes, size);
        kn_memory_free(&r->def.hooks, bytes, size);
    }
    return result;
}

static kn_result start_send(kn_rollback *r, uint32_t peer)
{
    roll_line *line = &r->lines[peer];
    uint8_t head[128];
    kn_writer out = {head, sizeof(head), 0};
    start_head(r, r->confirmed, &out);
    kn_result result = save_send(r, line, &out);
    if (result == KN_OK) {
        r->wants_start[peer] = false;
        r->owes_end[peer] = 0;
        for (uint32_t i = 0; i < r->def.player_count; i++) {
            line->acked[i] = r->confirmed;
        }
    }
    return result;
}

// Sends a state as soon as nothing else is on its way. If it is too large, the spectator has to go.
static kn_result start_try(kn_rollback *r, uint32_t peer)
{
    if (kn_net_link_get_state(r->lines[peer].link).waiting_bytes > START_WAITING_MAX) {
        return KN_OK;
    }
    kn_result result = start_send(r, peer);
    if (result == KN_REFUSED_LIMIT) {
        kni_spectator_close(r, peer, KN_CLOSE_FULL);
    }
    return result;
}

static void ends_send(kn_rollback *r, uint32_t peer)
{
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        uint8_t bytes[32];
        kn_writer out = {bytes, sizeof(bytes), 0};
        if ((r->owes_end[peer] >> i & 1) == 0) {
            continue;
        }
        kn_write_u8(&out, ROLL_END);
        kni_write_number(&out, i + 1);
        kni_write_number(&out, r->players[i].inputs.end);
        kn_write_u8(&out, (uint8_t)r->players[i].reason);
        if (kni_line_send(&r->lines[peer], bytes, out.length) == KN_OK) {
            r->owes_end[peer] &= ~(1u << i);
        }
    }
}

// Whether a spectator needs commands that are not kept any more.
static bool is_behind(const kn_rollback *r, const roll_line *line)
{
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        if (line->acked[i] < r->confirmed &&
            line->acked[i] + 1 < kni_stream_first(&r->players[i].inputs) &&
            line->acked[i] < r->players[i].inputs.end) {
            return true;
        }
    }
    return false;
}

static kn_result saves_answer(kn_rollback *r)
{
    kn_result result = KN_OK;
    roll_line *line = &r->lines[KN_ROLLBACK_RELAY];
    while (r->save_wanted_count > 0 && result == KN_OK) {
        uint8_t head[32];
        kn_writer out = {head, sizeof(head), 0};
        kn_write_u8(&out, ROLL_SAVE);
        kni_write_number(&out, r->saves_wanted[r->save_wanted_count - 1]);
        kni_write_number(&out, r->confirmed);
        result = save_send(r, line, &out);
        r->save_wanted_count -= result == KN_OK || result == KN_REFUSED_LIMIT;
    }
    return result;
}

kn_result kni_watch_feed(kn_rollback *r)
{
    kn_result result = saves_answer(r);
    uint32_t end = r->def.player_count + r->def.spectator_limit;
    for (uint32_t peer = r->def.player_count + 1; peer <= end; peer++) {
        roll_line *line = &r->lines[peer];
        if (line->state != LINE_JOINED || (result != KN_OK && result != KN_REFUSED_LIMIT)) {
            continue;
        }
        if (!r->wants_start[peer] && is_behind(r, line)) {
            r->wants_start[peer] = true;
            r->stats.resyncs++;
        }
        if (r->wants_start[peer]) {
            result = start_try(r, peer);
        } else {
            ends_send(r, peer);
        }
    }
    return result == KN_REFUSED_LIMIT ? KN_OK : result;
}

void kni_save_wanted_read(kn_rollback *r, kn_reader *in)
{
    uint64_t spectator = kni_read_number(in);
    in->failed = in->failed || kni_roll_is_spectator(r) || spectator > LINES_MAX;
    if (!in->failed && r->save_wanted_count < PLAYERS) {
        r->saves_wanted[r->save_wanted_count++] = (uint32_t)spectator;
    }
}

// Of a spectator ----------------------------------------------------------------------------

kn_result kni_start_read(kn_rollback *r, kn_reader *in)
{
    uint64_t tick = kni_read_number(in), ends[PLAYERS] = {0};
    uint32_t ended = kn_read_u8(in);
    in->failed = in->failed || !kni_roll_is_spectator(r) || tick > TICK_MAX ||
                 ended >> r->def.player_count != 0 || (r->phase == ROLL_PLAYING && tick <= r->tick);
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        ends[i] = (ended >> i & 1) != 0 ? kni_read_number(in) : UINT64_MAX;
        in->failed = in->failed || (ends[i] > TICK_MAX && ends[i] != UINT64_MAX);
    }
    if (in->failed) {
        return KN_OK;
    }
    kn_result result = kn_save_read(r->def.world, in->data + in->at, in->size - in->at, NULL);
    if (result == KN_ERROR_BAD_DATA) {
        in->failed = true;
        kni_roll_close(r, KN_CLOSE_WORLD);
        return KN_OK;
    }
    kn_time since = kn_world_now(r->def.world) - kni_tick_time(tick, r->def.rate);
    result = result == KN_OK ? kni_state_keep(r, kni_roll_state(r, tick), tick) : result;
    if (result != KN_OK) { // without a state there is nothing to watch
        kni_roll_close(r, KN_CLOSE_WORLD);
        return result;
    }
    r->base = since > 0 ? since : 0;
    r->tick = r->confirmed = tick;
    r->clock = kni_tick_time(tick, r->def.rate) - r->def.spectator_delay;
    r->now = r->time.now;
    r->changed = UINT64_MAX;
    r->reports.count = 0;
    r->gone = ended;
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        roll_player *p = &r->players[i];
        kni_stream_begin(&p->inputs, ends[i] < tick ? ends[i] : tick);
        p->inputs.end = ends[i];
        p->is_ended = ends[i] != UINT64_MAX;
        p->early_count = 0;
    }
    if (r->phase == ROLL_WAITING) {
        r->phase = ROLL_PLAYING;
        kni_roll_event(r, (kn_rollback_event){.kind = KN_ROLLBACK_STARTED, .tick = tick}, NULL);
    }
    return KN_OK;
}
