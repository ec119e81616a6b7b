// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Going back and forth in time. The session keeps a snapshot of every tick from the confirmed one,
// which does not change any more, to the present. When commands arrive for a tick that was
// simulated without them, it restores the tick before, and simulates from there to the present
// again.

#include "rollback.h"

// Snapshots ---------------------------------------------------------------------------

kn_result kni_state_keep(kn_rollback *r, roll_state *state, uint64_t tick)
{
    size_t size = kn_snapshot_size(r->def.world);
    state->is_kept = false;
    if (size > state->capacity) {
        size_t capacity = size + size / 4;
        uint8_t *data = kn_memory_resize(&r->def.hooks, state->data, state->capacity, capacity);
        if (data == NULL) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        state->data = data;
        state->capacity = capacity;
    }
    kn_result result = kn_snapshot_take(r->def.world, state->data, state->capacity, &state->size);
    state->is_kept = result == KN_OK;
    state->tick = tick;
    return result;
}

kn_result kni_state_restore(kn_rollback *r, const roll_state *state)
{
    return kn_snapshot_restore(r->def.world, state->data, state->size);
}

void kni_state_free(kn_rollback *r, roll_state *state)
{
    kn_memory_free(&r->def.hooks, state->data, state->capacity);
    *state = (roll_state){0};
}

roll_state *kni_roll_state(kn_rollback *r, uint64_t tick)
{
    return &r->ring[tick % r->ring_count];
}

// Copies a snapshot. False without memory.
static bool state_copy(kn_rollback *r, roll_state *to, const roll_state *from)
{
    to->is_kept = false;
    if (from->size > to->capacity) {
        uint8_t *data = kn_memory_resize(&r->def.hooks, to->data, to->capacity, from->capacity);
        if (data == NULL) {
            return false;
        }
        to->data = data;
        to->capacity = from->capacity;
    }
    memcpy(to->data, from->data, from->size);
    to->size = from->size;
    to->tick = from->tick;
    to->is_kept = from->is_kept;
    return true;
}

kn_result kni_roll_save(
    kn_rollback *r, const roll_state *state, size_t front, uint8_t **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    kn_result result = kni_state_restore(r, state);
    size_t needed = 0;
    result = result == KN_OK ? kn_save_write(r->def.world, NULL, 0, &needed) : result;
    if (result == KN_OK && needed > r->def.save_bytes) {
        result = KN_REFUSED_LIMIT;
    }
    if (result == KN_OK) {
        *bytes = kn_memory_resize(&r->def.hooks, NULL, 0, front + needed);
        result = *bytes != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    }
    if (result == KN_OK) {
        *size = front + needed;
        result = kn_save_write(r->def.world, *bytes + front, needed, &needed);
    }
    if (result != KN_OK) {
        kn_memory_free(&r->def.hooks, *bytes, *size);
        *bytes = NULL;
    }
    r->is_torn = r->is_torn || kni_state_restore(r, kni_roll_state(r, r->tick)) != KN_OK;
    return result;
}

// One tick ------------------------------------------------------------------------------

// Reads the next command of a slot. False for one that makes no sense.
static bool command_next(kn_rollback *r, kn_reader *in)
{
    uint32_t size = (uint32_t)kni_read_number(in);
    const uint8_t *bytes = kn_read_bytes(in, size);
    kn_reader packed = {.data = bytes, .size = size};
    if (bytes == NULL) {
        return false;
    }
    size_t length = kni_delta_size(&packed, 0);
    return length > 0 && length <= sizeof(r->plain) &&
           kni_delta_read(NULL, 0, 0, &packed, r->plain) && packed.at == packed.size &&
           kn_command_read(kn_world_library(r->def.world), r->plain, (uint32_t)length, &r->command,
               NULL) == KN_OK;
}

uint32_t kni_roll_senseless(kn_rollback *r, const input_stream *inputs, uint64_t from)
{
    uint32_t count = 0;
    for (uint64_t tick = from; tick <= inputs->have; tick++) {
        const input_slot *slot = kni_stream_slot(inputs, tick);
        kn_reader in = {
            .data = slot != NULL ? slot->bytes : NULL, .size = slot != NULL ? slot->size : 0};
        for (uint32_t i = 0; slot != NULL && i < slot->count; i++) {
            count += !command_next(r, &in);
        }
    }
    return count;
}

// Gives the commands of one player to the world. Those that make no sense are ignored, on all
// machines alike.
static kn_result commands_issue(kn_rollback *r, uint32_t player, const input_slot *slot)
{
    kn_reader in = {.data = slot->bytes, .size = slot->size};
    for (uint32_t i = 0; i < slot->count; i++) {
        if (!command_next(r, &in)) {
            continue;
        }
        r->command.command.connection = player;
        r->command.command.sequence = slot->sequence + i;
        kn_result result = kn_world_command(r->def.world, &r->command.command, NULL);
        if (result != KN_OK && result != KN_ERROR_BAD_DATA) {
            return result;
        }
    }
    return KN_OK;
}

static void hash_note(kn_rollback *r, uint64_t tick)
{
    if (r->def.hash_every > 0 && tick % r->def.hash_every == 0) {
        r->hashes[tick / r->def.hash_every % HASHES] =
            (tick_hash){tick, kn_world_hash(r->def.world)};
    }
}

// Simulates a tick; the world is at the one before.
static kn_result tick_run(kn_rollback *r, uint64_t tick, report_list *list)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < r->def.player_count && result == KN_OK; i++) {
        const input_stream *inputs = &r->players[i].inputs;
        const input_slot *slot = kni_stream_slot(inputs, tick);
        if (inputs->end != UINT64_MAX && tick == inputs->end + 1 && r->def.left != NULL) {
            r->def.left(r->def.user, r->def.world, i + 1);
        }
        result = slot != NULL ? commands_issue(r, i + 1, slot) : KN_OK;
    }
    kn_time due = r->base + kni_tick_time(tick, r->def.rate);
    kn_time dt = due - kn_world_now(r->def.world);
    result = result == KN_OK ? kn_world_step(r->def.world, dt > 0 ? dt : 0) : result;
    result = result == KN_OK ? kni_reported_step(&r->def.hooks, list, r->def.world, tick) : result;
    result = result == KN_OK ? kni_state_keep(r, kni_roll_state(r, tick), tick) : result;
    if (result == KN_OK) {
        hash_note(r, tick);
    }
    return result;
}

// Back ------------------------------------------------------------------------------------

static kn_result difference_publish(void *user, const report *what, bool is_revoked)
{
    kn_rollback *r = user;
    r->stats.revoked += is_revoked;
    kni_roll_event(r,
        (kn_rollback_event){.kind = is_revoked ? KN_ROLLBACK_REVOKED : KN_ROLLBACK_HAPPENED,
            .tick = what->tick,
            .is_late = !is_revoked,
            .event = what->event},
        NULL);
    return KN_OK;
}

// What was reported up to a tick stays.
static kn_result reports_keep(kn_rollback *r, uint64_t tick)
{
    kn_result result = KN_OK;
    r->fresh.count = 0;
    for (uint32_t i = 0; i < r->reports.count && r->reports.data[i].tick <= tick; i++) {
        if (!kn_memory_grow(
                &r->def.hooks, &r->fresh.data, &r->fresh.capacity, i + 1, sizeof(report))) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        r->fresh.data[r->fresh.count++] = r->reports.data[i];
    }
    return result;
}

static kn_result roll_back(kn_rollback *r, uint64_t from)
{
    kn_result result = reports_keep(r, from);
    result = result == KN_OK ? kni_state_restore(r, kni_roll_state(r, from)) : result;
    for (uint64_t tick = from + 1; tick <= r->tick && result == KN_OK; tick++) {
        result = tick_run(r, tick, &r->fresh);
        r->stats.resimulated++;
    }
    result = result == KN_OK
                 ? kni_events_reserve(&r->def.hooks, &r->events, r->fresh.count + r->reports.count)
                 : result;
    return result == KN_OK ? kni_reported_difference(&r->reports, &r->fresh, difference_publish, r)
                           : result;
}

kn_result kni_roll_back(kn_rollback *r)
{
    kn_result result = KN_OK;
    if (r->changed <= r->tick) {
        uint64_t from = r->changed - 1;
        uint32_t depth = (uint32_t)(r->tick - from);
        r->is_torn = true;
        result = roll_back(r, from);
        if (result == KN_OK) {
            r->stats.rollbacks++;
            r->stats.depth_max = depth > r->stats.depth_max ? depth : r->stats.depth_max;
        }
    } else if (r->is_torn) {
        result = kni_state_restore(r, kni_roll_state(r, r->tick));
    }
    if (result == KN_OK) {
        r->changed = UINT64_MAX;
        r->is_torn = false;
    }
    return result;
}

// Forth -----------------------------------------------------------------------------------

kn_result kni_roll_forward(kn_rollback *r)
{
    uint64_t tick = r->tick + 1;
    if (!kni_roll_is_spectator(r)) {
        input_stream *own = r->streams[r->def.player - 1];
        while (own->have < tick + r->def.input_delay - 1) {
            kni_stream_close(own);
        }
    }
    uint32_t from = r->reports.count;
    r->is_torn = true;
    kn_result result = tick_run(r, tick, &r->reports);
    result = result == KN_OK
                 ? kni_events_reserve(&r->def.hooks, &r->events, r->reports.count - from)
                 : result;
    if (result != KN_OK) {
        r->reports.count = from;
        return result;
    }
    r->is_torn = false;
    r->tick = tick;
    for (uint32_t i = from; i < r->reports.count; i++) {
        const report *what = &r->reports.data[i];
        kni_roll_event(r,
            (kn_rollback_event){
                .kind = KN_ROLLBACK_HAPPENED, .tick = what->tick, .event = what->event},
            NULL);
    }
    return KN_OK;
}

// Confirming ------------------------------------------------------------------------------

uint64_t kni_roll_known(const kn_rollback *r, bool with_own)
{
    uint64_t known = UINT64_MAX;
    for (uint32_t i = 0; i < r->def.player_count; i++) {
        uint64_t have = kni_stream_known(&r->players[i].inputs);
        if ((with_own || i + 1 != r->def.player) && have < known) {
            known = have;
        }
    }
    return known;
}

// A tick does not change any more: sends its hash, and keeps its state for comparisons.
static void tick_confirm(kn_rollback *r, uint64_t tick)
{
    uint32_t every = r->def.hash_every;
    if (every == 0 || tick % every != 0 || r->hashes[tick / every % HASHES].tick != tick) {
        return;
    }
    uint64_t hash = r->hashes[tick / every % HASHES].hash;
    const roll_state *state = kni_roll_state(r, tick);
    if (r->def.explains && state->is_kept && state->tick == tick) {
        (void)state_copy(r, &r->checkpoints[tick / every % CHECKPOINTS], state);
    }
    kni_hash_send(r, tick, hash);
    kni_hash_check(r, tick, hash);
}

void kni_roll_confirm(kn_rollback *r)
{
    uint64_t known = kni_roll_known(r, false);
    uint64_t confirmed = known < r->tick ? known : r->tick;
    if (confirmed <= r->confirmed) {
        return;
    }
    uint64_t before = r->confirmed;
    r->confirmed = confirmed;
    for (uint64_t tick = before + 1; tick <= confirmed; tick++) {
        tick_confirm(r, tick);
    }
    kni_reports_drop(&r->reports, confirmed);
}
