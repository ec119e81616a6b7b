// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Who is gone, in a mesh. A player who is silent, leaves or talks nonsense is gone for whoever
// notices first, and then for all: each sends the others a view, which says who is gone and how
// many ticks of theirs it has. From then on nobody takes anything from those who are gone. When the
// views of all who remain name the same players, the last tick of each is the greatest in these
// views. The players who have its commands share them, and everybody goes on as soon as it has
// them.
//
// If another player goes meanwhile, the views change, and it begins again with what everybody has.
// Who has gone on by then has all the commands it went on with: the greatest tick stays the same.
//
// With a relay it is simpler: everything goes through it, so that it can say what the last tick is.

#include "rollback.h"

// Views -----------------------------------------------------------------------------------

// Whether a player is one of those who remain, besides the own one.
static bool player_remains(const kn_rollback *r, uint32_t player)
{
    return player != r->def.player && !kni_roll_is_gone(r, player) &&
           r->lines[player].state != LINE_FREE && r->lines[player].state != LINE_CLOSING;
}

static bool view_send(kn_rollback *r, uint32_t player)
{
    uint8_t bytes[8 + PLAYERS * 12];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, ROLL_VIEW);
    kn_write_u8(&out, (uint8_t)r->gone);
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        if ((r->gone >> i & 1) != 0) {
            kn_write_u8(&out, (uint8_t)r->players[i].reason);
            kni_write_number(&out, r->players[i].inputs.have);
        }
    }
    return kni_line_send(&r->lines[player], bytes, out.length) == KN_OK;
}

static void views_send(kn_rollback *r)
{
    for (uint32_t player = 1; player <= r->def.player_count; player++) {
        uint32_t bit = 1u << (player - 1);
        if ((r->owes_view & bit) != 0 && (!player_remains(r, player) || view_send(r, player))) {
            r->owes_view &= ~bit;
        }
    }
}

void kni_roll_gone(kn_rollback *r, uint32_t player, kn_close_reason reason)
{
    if (kni_roll_is_gone(r, player) || r->phase == ROLL_CLOSED) {
        return;
    }
    r->gone |= 1u << (player - 1);
    r->gone_at = r->time.now;
    r->players[player - 1].reason = reason;
    kni_line_close(&r->lines[player], r->time.now, reason);
    r->owes_view = (1u << r->def.player_count) - 1;
    views_send(r);
}

void kni_view_read(kn_rollback *r, uint32_t player, kn_reader *in)
{
    roll_view view = {.mask = kn_read_u8(in)};
    kn_close_reason reasons[PLAYERS] = {KN_CLOSE_NONE};
    in->failed =
        in->failed || view.mask >> r->def.player_count != 0 || (view.mask >> (player - 1) & 1) != 0;
    for (uint32_t i = 0; i < r->def.player_count && !in->failed; i++) {
        if ((view.mask >> i & 1) != 0) {
            uint8_t reason = kn_read_u8(in);
            view.have[i] = kni_read_number(in);
            in->failed = in->failed || reason == KN_CLOSE_NONE || reason >= KN_CLOSE_COUNT ||
                         view.have[i] > TICK_MAX;
            reasons[i] = (kn_close_reason)reason;
        }
    }
    if (in->failed || kni_roll_is_spectator(r) || kni_roll_has_relay(r)) {
        in->failed = true;
        return;
    }
    if ((view.mask >> (r->def.player - 1) & 1) != 0) { // the others go on without us
        kni_roll_close(r, reasons[r->def.player - 1]);
        return;
    }
    r->views[player - 1] = view;
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        if ((view.mask >> i & 1) != 0) {
            kni_roll_gone(r, i + 1, reasons[i]);
        }
    }
}

// Agreeing ----------------------------------------------------------------------------------

kn_result kni_roll_ended(kn_rollback *r, uint32_t player, uint64_t tick, kn_close_reason reason)
{
    kn_result result = kni_events_reserve(&r->def.hooks, &r->events, 1);
    if (result != KN_OK) {
        return result;
    }
    roll_player *p = &r->players[player - 1];
    p->inputs.end = tick;
    p->is_ended = true;
    p->reason = reason;
    if (tick + 1 < r->changed && r->def.left != NULL) {
        r->changed = tick + 1; // `left` has to be called there
    }
    for (uint32_t i = r->def.player_count + 1; i < LINES_MAX; i++) {
        r->owes_end[i] |= 1u << (player - 1);
    }
    kni_roll_event(r,
        (kn_rollback_event){
            .kind = KN_ROLLBACK_LEFT, .peer = player, .tick = tick, .reason = reason},
        NULL);
    return KN_OK;
}

// The last tick of a player who is gone, if all who remain agree who that is; UINT64_MAX if not.
static uint64_t last_tick(const kn_rollback *r, uint32_t player)
{
    uint64_t last = r->players[player - 1].inputs.have;
    for (uint32_t i = 1; i <= r->def.player_count; i++) {
        if (!player_remains(r, i)) {
            continue;
        }
        if (r->views[i - 1].mask != r->gone) {
            return UINT64_MAX;
        }
        uint64_t have = r->views[i - 1].have[player - 1];
        last = have > last ? have : last;
    }
    return last;
}

// Whoever keeps the others from agreeing is gone, too: it does not answer, or does not share what
// it says it has.
static void obstacle_remove(kn_rollback *r, uint32_t player)
{
    for (uint32_t i = 1; i <= r->def.player_count; i++) {
        const roll_view *view = &r->views[i - 1];
        if (player_remains(r, i) &&
            (view->mask != r->gone ||
                view->have[player - 1] > r->players[player - 1].inputs.have)) {
            kni_roll_gone(r, i, KN_CLOSE_TIMEOUT);
            return;
        }
    }
}

kn_result kni_roll_agree(kn_rollback *r, kn_time now)
{
    kn_result result = KN_OK;
    views_send(r);
    for (uint32_t i = 1; i <= r->def.player_count && result == KN_OK; i++) {
        const roll_player *p = &r->players[i - 1];
        if (!kni_roll_is_gone(r, i) || p->is_ended) {
            continue;
        }
        uint64_t last = last_tick(r, i);
        if (last != UINT64_MAX && p->inputs.have >= last) {
            result = kni_roll_ended(r, i, last, p->reason);
        } else if (now - r->gone_at > r->def.timeout) {
            obstacle_remove(r, i);
        }
    }
    return result;
}

// Of a relay, or of the player that a spectator watches.
void kni_end_read(kn_rollback *r, kn_reader *in)
{
    uint64_t player = kni_read_number(in), tick = kni_read_number(in);
    uint8_t reason = kn_read_u8(in);
    in->failed = in->failed || player == 0 || player > r->def.player_count || tick > TICK_MAX ||
                 reason == KN_CLOSE_NONE || reason >= KN_CLOSE_COUNT;
    if (in->failed) {
        return;
    }
    if (player == r->def.player) {
        kni_roll_close(r, (kn_close_reason)reason);
        return;
    }
    const roll_player *p = &r->players[player - 1];
    if (p->is_ended || tick < p->inputs.have) {
        in->failed = !p->is_ended; // it said that there were more
        return;
    }
    r->gone |= 1u << (player - 1);
    (void)kni_roll_ended(r, (uint32_t)player, tick, (kn_close_reason)reason);
}
