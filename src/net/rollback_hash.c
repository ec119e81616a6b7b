// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Comparing the states of machines: by hashes, and where those differ by the states themselves.

#include "rollback.h"

#define TEXT_MAX 512

// Hashes ------------------------------------------------------------------------------------

void kni_hash_send(kn_rollback *r, uint64_t tick, uint64_t hash)
{
    uint8_t bytes[32];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, ROLL_HASH);
    kni_write_number(&out, r->def.player);
    kni_write_number(&out, tick);
    kn_write_u64(&out, hash);
    for (uint32_t i = 0; i < LINES_MAX && !kni_roll_is_spectator(r); i++) {
        if (r->lines[i].state == LINE_JOINED) {
            kn_result result = kni_line_send(&r->lines[i], bytes, out.length);
            (void)result; // without room for it, the next one tells
        }
    }
}

// Asks for the state of the other side. Both keep theirs for it.
static void dump_ask(kn_rollback *r, uint32_t player, uint64_t tick)
{
    roll_state *kept = &r->checkpoints[tick / r->def.hash_every % CHECKPOINTS];
    if (!r->def.explains || kni_roll_is_spectator(r)) {
        return;
    }
    if (kept->is_kept && kept->tick == tick && (!r->blamed.is_kept || r->blamed.tick != tick)) {
        roll_state swap = r->blamed;
        r->blamed = *kept;
        *kept = swap;
        kept->is_kept = false;
    }
    uint8_t bytes[32];
    kn_writer out = {bytes, sizeof(bytes), 0};
    kn_write_u8(&out, ROLL_DUMP_WANTED);
    kni_write_number(&out, player);
    kni_write_number(&out, r->def.player);
    kni_write_number(&out, tick);
    roll_line *line = &r->lines[kni_roll_has_relay(r) ? KN_ROLLBACK_RELAY : player];
    if (r->blamed.is_kept && r->blamed.tick == tick && line->state == LINE_JOINED &&
        kni_line_send(line, bytes, out.length) == KN_OK) {
        r->players[player - 1].dump_wanted = tick;
    }
}

static void hash_compare(
    kn_rollback *r, uint32_t player, uint64_t tick, uint64_t hash, uint64_t other)
{
    roll_player *p = &r->players[player - 1];
    bool differs = hash != other;
    r->stats.hashes++;
    r->stats.desyncs += differs;
    if (differs && !p->is_desynced) {
        kni_roll_event(r,
            (kn_rollback_event){.kind = KN_ROLLBACK_DESYNC,
                .peer = player,
                .tick = tick,
                .hash = hash,
                .other_hash = other},
            NULL);
        dump_ask(r, player, tick);
    }
    p->is_desynced = differs;
}

void kni_hash_check(kn_rollback *r, uint64_t tick, uint64_t hash)
{
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        roll_player *p = &r->players[i];
        uint32_t kept = 0;
        for (uint32_t j = 0; j < p->early_count; j++) {
            if (p->early[j].tick == tick) {
                hash_compare(r, i + 1, tick, hash, p->early[j].hash);
            } else if (p->early[j].tick > tick) {
                p->early[kept++] = p->early[j];
            }
        }
        p->early_count = kept;
    }
}

void kni_hash_read(kn_rollback *r, uint32_t peer, kn_reader *in)
{
    uint64_t player = kni_read_number(in), tick = kni_read_number(in), hash = kn_read_u64(in);
    bool is_direct = peer != KN_ROLLBACK_RELAY && !kni_roll_is_spectator(r);
    uint32_t every = r->def.hash_every;
    in->failed = in->failed || player == 0 || player > r->def.player_count ||
                 player == r->def.player || (is_direct && player != peer) || every == 0 ||
                 tick == 0 || tick % (every > 0 ? every : 1) != 0;
    if (in->failed || r->phase != ROLL_PLAYING) {
        return;
    }
    const tick_hash *own = &r->hashes[tick / every % HASHES];
    roll_player *p = &r->players[player - 1];
    if (tick <= r->confirmed) {
        if (own->tick == tick) {
            hash_compare(r, (uint32_t)player, tick, own->hash, hash);
        }
    } else if (p->early_count < HASHES_EARLY) {
        p->early[p->early_count++] = (tick_hash){tick, hash};
    }
}

// States ------------------------------------------------------------------------------------

// Whose message it is: of the line itself, or as the relay says.
static bool dump_header(
    kn_rollback *r, uint32_t peer, kn_reader *in, uint32_t *player, uint64_t *tick)
{
    uint64_t to = kni_read_number(in), from = kni_read_number(in);
    *tick = kni_read_number(in);
    in->failed = in->failed || kni_roll_is_spectator(r) || to != r->def.player || from == 0 ||
                 from > r->def.player_count || from == to ||
                 (peer != KN_ROLLBACK_RELAY && from != peer);
    *player = (uint32_t)from;
    return !in->failed;
}

kn_result kni_dump_wanted_read(kn_rollback *r, uint32_t peer, kn_reader *in)
{
    uint32_t player;
    uint64_t tick;
    if (!dump_header(r, peer, in, &player, &tick)) {
        return KN_OK;
    }
    roll_player *p = &r->players[player - 1];
    if (!r->def.explains || !r->blamed.is_kept || r->blamed.tick != tick || p->dump_given == tick) {
        return KN_OK; // it is gone, or was sent
    }
    uint8_t head[32];
    kn_writer out = {head, sizeof(head), 0};
    kn_write_u8(&out, ROLL_DUMP);
    kni_write_number(&out, player);
    kni_write_number(&out, r->def.player);
    kni_write_number(&out, tick);
    uint8_t *bytes;
    size_t size;
    kn_result result = kni_roll_save(r, &r->blamed, out.length, &bytes, &size);
    if (result == KN_OK) {
        memcpy(bytes, head, out.length);
        result = kni_line_send(&r->lines[peer], bytes, size);
        p->dump_given = result == KN_OK ? tick : p->dump_given;
        kn_memory_free(&r->def.hooks, bytes, size);
    }
    return result == KN_REFUSED_LIMIT ? KN_OK : result;
}

// Names the first difference between our state and a save of the other side's.
static kn_result states_compare(
    kn_rollback *r, const uint8_t *bytes, size_t size, char *text, uint32_t text_size)
{
    kn_world_def def = kn_world_def_default();
    def.library = kn_world_library(r->def.world);
    def.hooks = r->def.hooks;
    kn_world *other;
    kn_error error = {0};
    kn_result result = kn_world_create(&def, &other);
    if (result != KN_OK) {
        return result;
    }
    result = kn_save_read(other, bytes, size, &error);
    if (result == KN_OK) {
        result = kni_state_restore(r, &r->blamed);
        if (result == KN_OK && !kn_world_difference(r->def.world, other, text, text_size)) {
            kn_error_set(&error, KN_OK, "the states are equal");
            memcpy(text, error.message, strlen(error.message) + 1);
        }
        r->is_torn = r->is_torn || kni_state_restore(r, kni_roll_state(r, r->tick)) != KN_OK;
    } else if (result == KN_ERROR_BAD_DATA) {
        memcpy(text, error.message, strlen(error.message) + 1);
        result = KN_OK;
    }
    kn_world_destroy(other);
    return result;
}

kn_result kni_dump_read(kn_rollback *r, uint32_t peer, kn_reader *in)
{
    uint32_t player;
    uint64_t tick;
    if (!dump_header(r, peer, in, &player, &tick)) {
        return KN_OK;
    }
    roll_player *p = &r->players[player - 1];
    in->failed = tick == 0 || p->dump_wanted != tick; // nobody asked
    if (in->failed || !r->blamed.is_kept || r->blamed.tick != tick) {
        return KN_OK;
    }
    char text[TEXT_MAX] = {0};
    p->dump_wanted = 0;
    kn_result result = states_compare(r, in->data + in->at, in->size - in->at, text, TEXT_MAX);
    if (result == KN_OK) {
        kni_roll_event(
            r, (kn_rollback_event){.kind = KN_ROLLBACK_BLAME, .peer = player, .tick = tick}, text);
    }
    return result;
}
