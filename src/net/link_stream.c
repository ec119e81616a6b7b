// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "link_stream.h"

#include "knack/link.h"
#include "knack/tools.h"

#include <string.h>

#define STREAM_CAPACITY_MIN 1024

// Buffers ---------------------------------------------------------------------

void kni_stream_buffer_free(const kn_hooks *hooks, kni_stream_buffer *buffer)
{
    kn_memory_free(hooks, buffer->data, buffer->capacity);
    *buffer = (kni_stream_buffer){0};
}

// Drops what is before `kept`; what follows up to `end` moves to the front.
static void buffer_drop(kni_stream_buffer *buffer, uint64_t kept, uint64_t end)
{
    if (kept == buffer->base) {
        return;
    }
    if (end > kept) {
        memmove(buffer->data, buffer->data + (kept - buffer->base), (size_t)(end - kept));
    }
    buffer->base = kept;
}

// Makes room up to `wanted`, with `kept` as the first byte that is still needed and `end` the end
// of those that are there. No more than `window` bytes are needed at once, and the block has at
// most twice as many: bytes move only when that frees half of it, so that each moves once on
// average. False when out of memory, with nothing lost.
static bool buffer_reserve(kni_stream_buffer *buffer, const kn_hooks *hooks, size_t window,
    uint64_t kept, uint64_t end, uint64_t wanted)
{
    if (wanted - buffer->base <= buffer->capacity) {
        return true;
    }
    size_t needed = (size_t)(wanted - kept);
    if (needed > buffer->capacity / 2) {
        size_t capacity = STREAM_CAPACITY_MIN;
        while (capacity < 2 * needed) {
            capacity = capacity < window ? 2 * capacity : 2 * window;
        }
        uint8_t *data = kn_memory_resize(hooks, buffer->data, buffer->capacity, capacity);
        if (data == NULL) {
            return false;
        }
        buffer->data = data;
        buffer->capacity = capacity;
    }
    buffer_drop(buffer, kept, end);
    return true;
}

// Going out -------------------------------------------------------------------

void kni_stream_out_init(kni_stream_out *out, uint64_t first, size_t window)
{
    *out = (kni_stream_out){.buffer = {.base = first},
        .acked = first,
        .sent = first,
        .end = first,
        .limit = first + KN_NET_LINK_WINDOW_MIN,
        .window = window};
}

// The length of a message, in groups of seven bits, the lowest first.
static size_t stream_print_length(size_t length, uint8_t *bytes)
{
    size_t count = 0;
    for (; length >= 0x80; length >>= 7) {
        bytes[count++] = (uint8_t)(length | 0x80);
    }
    bytes[count++] = (uint8_t)length;
    return count;
}

kn_result kni_stream_append(
    kni_stream_out *out, const kn_hooks *hooks, const void *bytes, size_t size)
{
    uint8_t length[KN_NET_LINK_MESSAGE_EXTRA];
    size_t length_size = stream_print_length(size, length);
    size_t waiting = (size_t)(out->end - out->acked);
    if (size + length_size > out->window - waiting) {
        return KN_REFUSED_LIMIT;
    }
    uint64_t end = out->end + length_size + size;
    if (!buffer_reserve(&out->buffer, hooks, out->window, out->acked, out->end, end)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    uint8_t *to = out->buffer.data + (out->end - out->buffer.base);
    memcpy(to, length, length_size);
    if (size > 0) {
        memcpy(to + length_size, bytes, size);
    }
    out->end = end;
    return KN_OK;
}

size_t kni_stream_room(const kni_stream_out *out)
{
    size_t room = out->window - (size_t)(out->end - out->acked);
    for (size_t extra = 1; extra < room && extra <= KN_NET_LINK_MESSAGE_EXTRA; extra++) {
        uint8_t length[KN_NET_LINK_MESSAGE_EXTRA];
        if (stream_print_length(room - extra, length) <= extra) {
            return room - extra;
        }
    }
    return 0;
}

// Where new bytes end that may be sent.
static uint64_t stream_new_end(const kni_stream_out *out)
{
    return out->end < out->limit ? out->end : out->limit;
}

uint64_t kni_stream_work(const kni_stream_out *out)
{
    uint64_t end = stream_new_end(out);
    return kni_ranges_total(&out->lost) + (end > out->sent ? end - out->sent : 0);
}

bool kni_stream_take(kni_stream_out *out, uint32_t most, kni_piece *piece)
{
    uint64_t begin = out->sent;
    uint64_t end = stream_new_end(out);
    bool is_again = out->lost.count > 0;
    if (is_again) {
        begin = out->lost.items[0].begin;
        end = out->lost.items[0].end;
    }
    if (begin >= end) {
        return false;
    }
    end = end - begin > most ? begin + most : end;
    if (is_again) {
        kni_ranges_remove(&out->lost, begin, end);
        out->resent_bytes += end - begin;
    } else {
        out->sent = end;
    }
    *piece =
        (kni_piece){begin, (uint32_t)(end - begin), out->buffer.data + (begin - out->buffer.base)};
    return true;
}

void kni_stream_piece_arrived(kni_stream_out *out, uint64_t begin, uint64_t end)
{
    begin = begin < out->acked ? out->acked : begin;
    if (begin >= end) {
        return;
    }
    kni_ranges_remove(&out->lost, begin, end);
    if (!kni_ranges_add(&out->held, begin, end)) {
        kni_ranges_cover(&out->lost, begin, end); // more gaps than we keep: send it once more
        return;
    }
    if (out->held.items[0].begin == out->acked) {
        out->acked = out->held.items[0].end;
        kni_ranges_remove(&out->held, 0, out->acked);
        kni_ranges_remove(&out->lost, 0, out->acked);
    }
}

void kni_stream_piece_lost(kni_stream_out *out, uint64_t begin, uint64_t end)
{
    begin = begin < out->acked ? out->acked : begin;
    if (begin >= end) {
        return;
    }
    kni_ranges_cover(&out->lost, begin, end);
    for (uint32_t i = 0; i < out->held.count; i++) {
        kni_ranges_remove(&out->lost, out->held.items[i].begin, out->held.items[i].end);
    }
}

// Coming in -------------------------------------------------------------------

void kni_stream_in_init(kni_stream_in *in, uint64_t first, size_t window, size_t message_bytes)
{
    size_t spare = window - message_bytes - KN_NET_LINK_MESSAGE_EXTRA;
    *in = (kni_stream_in){.buffer = {.base = first},
        .read = first,
        .end = first,
        .limit_known = first + KN_NET_LINK_WINDOW_MIN,
        .window = window,
        // Less than what lets the longest message pass, so that no end waits for the other.
        .slack = spare < window / 4 ? spare : window / 4,
        .message_bytes = message_bytes};
}

uint64_t kni_stream_limit(const kni_stream_in *in)
{
    return in->read + in->window;
}

bool kni_stream_limit_is_news(const kni_stream_in *in)
{
    uint64_t limit = kni_stream_limit(in);
    return limit > in->limit_known && limit - in->limit_known > in->slack;
}

kn_result kni_stream_store(
    kni_stream_in *in, const kn_hooks *hooks, const kni_piece *pieces, uint32_t count)
{
    uint64_t wanted = in->end;
    kni_ranges held;
    held.count = in->held.count;
    memcpy(held.items, in->held.items, in->held.count * sizeof(held.items[0]));
    uint64_t top = held.count > 0 ? held.items[held.count - 1].end : in->end;
    // What directly follows the end needs no range, however many there are.
    uint64_t end = in->end;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin = pieces[i].begin < end ? end : pieces[i].begin;
        uint64_t piece_end = pieces[i].begin + pieces[i].size;
        if (piece_end > kni_stream_limit(in)) {
            return KN_REFUSED_LIMIT;
        }
        if (begin == end && piece_end > end) {
            end = piece_end;
        } else if (begin < piece_end && !kni_ranges_add(&held, begin, piece_end)) {
            return KN_REFUSED_LIMIT;
        }
        while (held.count > 0 && held.items[0].begin <= end) {
            end = held.items[0].end > end ? held.items[0].end : end;
            kni_ranges_remove(&held, 0, end);
        }
        wanted = piece_end > wanted ? piece_end : wanted;
    }
    if (!buffer_reserve(&in->buffer, hooks, in->window, in->read, top, wanted)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint64_t begin = pieces[i].begin < in->end ? in->end : pieces[i].begin;
        uint64_t piece_end = pieces[i].begin + pieces[i].size;
        if (begin < piece_end) {
            memcpy(in->buffer.data + (begin - in->buffer.base),
                pieces[i].bytes + (begin - pieces[i].begin), (size_t)(piece_end - begin));
        }
    }
    in->end = end;
    in->held.count = held.count;
    memcpy(in->held.items, held.items, held.count * sizeof(held.items[0]));
    return KN_OK;
}

kni_stream_next kni_stream_next_message(kni_stream_in *in, const uint8_t **bytes, size_t *size)
{
    uint64_t there = in->end - in->read;
    if (there == 0) {
        return KNI_STREAM_WAITS;
    }
    const uint8_t *data = in->buffer.data + (in->read - in->buffer.base);
    uint64_t length = 0;
    uint32_t at = 0;
    for (bool is_last = false; !is_last; at++) {
        if (at == there) {
            return KNI_STREAM_WAITS;
        }
        uint8_t group = data[at];
        is_last = group < 0x80;
        length |= (uint64_t)(group & 0x7f) << (7 * at);
        bool is_needed = at == 0 || group != 0;
        if (!is_needed || at + 1 > KN_NET_LINK_MESSAGE_EXTRA || length > in->message_bytes) {
            return KNI_STREAM_BAD;
        }
    }
    if (there - at < length) {
        return KNI_STREAM_WAITS;
    }
    if (bytes != NULL && size != NULL) {
        *bytes = length > 0 ? data + at : NULL;
        *size = (size_t)length;
        in->read += at + length;
    }
    return KNI_STREAM_READY;
}
