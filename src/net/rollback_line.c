// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Lines between players, spectators and relays, and the events for hosts.

#include "rollback_inputs.h"

kn_time kni_roll_clock(session_clock *clock, kn_time now)
{
    kn_time before = clock->now;
    bool is_first = before == 0 && clock->shift == 0;
    now = kni_clock(clock, now);
    if (!is_first && now > before + LINE_JUMP_MAX) {
        clock->shift -= now - (before + LINE_JUMP_MAX);
        clock->now = before + LINE_JUMP_MAX;
    }
    return clock->now;
}

// Opening and closing -----------------------------------------------------------------

kn_result kni_line_open(roll_line *line, const line_def *def, kn_time now)
{
    kn_net_link_def link = kn_net_link_def_default();
    link.hooks = def->hooks;
    link.protocol_id = def->protocol_id;
    link.datagram_bytes = def->datagram_bytes;
    link.message_share = kni_message_share(def->datagram_bytes);
    link.message_bytes = def->save_bytes + 1024;
    link.send_bytes = link.receive_bytes = link.message_bytes + 65536;
    *line = (roll_line){.opened = now};
    kn_result result = kn_net_link_create(&link, &line->link);
    line->state = result == KN_OK ? LINE_OPEN : LINE_FREE;
    return result;
}

void kni_line_free(roll_line *line)
{
    kn_net_link_destroy(line->link);
    *line = (roll_line){0};
}

// Sends why the line is closed. Without room for that it is tried again.
static void close_send(roll_line *line)
{
    uint8_t message[2] = {ROLL_CLOSE, (uint8_t)line->reason};
    line->owes_close = kni_line_send(line, message, sizeof(message)) != KN_OK;
}

void kni_line_close(roll_line *line, kn_time now, kn_close_reason reason)
{
    if (line->state == LINE_FREE || line->state == LINE_CLOSING) {
        return;
    }
    line->state = LINE_CLOSING;
    line->opened = now;
    line->reason = reason;
    if (reason != KN_CLOSE_LEFT) {
        close_send(line);
    }
}

kn_result kni_line_send(roll_line *line, const void *bytes, size_t size)
{
    return kn_net_link_send(line->link, bytes, size);
}

kn_time kni_line_heard(const roll_line *line)
{
    kn_time heard = kn_net_link_get_state(line->link).heard;
    return heard > line->opened ? heard : line->opened;
}

// Writing -----------------------------------------------------------------------------

bool kni_line_is_due(roll_line *line, kn_time now, uint64_t tick, uint32_t send_every,
    kn_time interval, bool *has_payload)
{
    kn_net_link_state state = kn_net_link_get_state(line->link);
    *has_payload = false;
    if (line->state == LINE_CLOSING) {
        if (line->owes_close) {
            close_send(line);
        }
        bool is_new = now - line->opened <= LINE_CLOSE_TIME;
        return state.unanswered > 0 || (is_new && state.waiting_bytes > 0 &&
                                           (state.has_work || now - line->written_at >= URGE_TIME));
    }
    bool is_turn = tick >= line->written_tick + send_every ||
                   now - line->written_at >= 2 * interval * (kn_time)send_every;
    if (line->state == LINE_JOINED && is_turn) {
        line->burst = 0;
        line->is_partial = true;
        line->written_tick = tick;
        memcpy(line->cursor, line->acked, sizeof(line->cursor));
    }
    *has_payload = line->state == LINE_JOINED && line->is_partial && line->burst < LINE_BURST_MAX;
    return *has_payload || state.has_work || state.unanswered >= 2 ||
           kni_link_is_idle(&state, line->written_at, now);
}

void kni_line_inputs(roll_line *line, kn_writer *out, input_stream *const *streams, uint32_t mask,
    const uint64_t *last, uint64_t reference)
{
    size_t place = out->length;
    uint32_t written = 0;
    line->is_partial = false;
    kn_write_u8(out, 0);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((mask >> i & 1) == 0 || line->cursor[i] >= last[i]) {
            continue;
        }
        uint64_t first = kni_stream_first(streams[i]);
        line->cursor[i] = line->cursor[i] + 1 < first ? first - 1 : line->cursor[i];
        uint64_t to = kni_stream_write(streams[i], out, reference, line->cursor[i] + 1, last[i]);
        written |= to > line->cursor[i] ? 1u << i : 0;
        line->cursor[i] = to;
        line->is_partial = line->is_partial || to < last[i];
    }
    if (place < out->size) {
        out->data[place] = (uint8_t)written;
    }
}

kn_result kni_line_write(roll_line *line, kn_time now, const void *payload, size_t payload_size,
    void *buffer, size_t capacity, size_t *size)
{
    kn_result result =
        kn_net_link_write(line->link, now, payload, payload_size, buffer, capacity, size, NULL);
    line->written_at = result == KN_OK ? now : line->written_at;
    line->burst++;
    uint64_t sequence;
    bool was_received;
    while (kn_net_link_next_result(line->link, &sequence, &was_received)) {
    }
    return result == KN_REFUSED_LIMIT ? KN_REFUSED_NOT_FOUND : result;
}

bool kni_line_acked(roll_line *line, const roll_payload *payload, input_stream *const *streams,
    uint32_t count, uint32_t shared)
{
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((payload->acks >> i & 1) == 0) {
            continue;
        }
        bool is_shared = (shared >> i & 1) != 0;
        if (i >= count || (payload->have[i] > streams[i]->have && !is_shared)) {
            return false;
        }
        line->acked[i] = payload->have[i] > line->acked[i] ? payload->have[i] : line->acked[i];
    }
    return true;
}

// Events -------------------------------------------------------------------------------

kn_result kni_events_reserve(const kn_hooks *hooks, roll_events *events, uint32_t count)
{
    if (events->first > 0 && events->first == events->count) {
        events->first = events->count = 0;
    }
    return kn_memory_grow(
               hooks, &events->data, &events->capacity, events->count + count, sizeof(roll_event))
               ? KN_OK
               : KN_ERROR_OUT_OF_MEMORY;
}

kn_result kni_events_add(
    const kn_hooks *hooks, roll_events *events, kn_rollback_event event, const char *text)
{
    kn_result result = kni_events_reserve(hooks, events, 1);
    roll_event added = {.event = event};
    if (result == KN_OK && text != NULL) {
        added.text_size = (uint32_t)strlen(text) + 1;
        added.text = kn_memory_resize(hooks, NULL, 0, added.text_size);
        result = added.text != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    }
    if (result != KN_OK) {
        return result;
    }
    if (text != NULL) {
        memcpy(added.text, text, added.text_size);
    }
    added.event.text = added.text;
    events->data[events->count++] = added;
    return KN_OK;
}

bool kni_events_next(const kn_hooks *hooks, roll_events *events, kn_rollback_event *event)
{
    kn_memory_free(hooks, events->given.text, events->given.text_size);
    events->given = (roll_event){0};
    *event = (kn_rollback_event){0};
    if (events->first == events->count) {
        return false;
    }
    events->given = events->data[events->first++];
    *event = events->given.event;
    return true;
}

void kni_events_free(const kn_hooks *hooks, roll_events *events)
{
    for (uint32_t i = events->first; i < events->count; i++) {
        kn_memory_free(hooks, events->data[i].text, events->data[i].text_size);
    }
    kn_memory_free(hooks, events->given.text, events->given.text_size);
    kn_memory_free(hooks, events->data, events->capacity * sizeof(roll_event));
    *events = (roll_events){0};
}
