// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The commands of players by tick. A stream on its way: ticks from the reference back to the first,
// count of ticks, count of those with commands, and for each of these the empty ticks before it,
// the count of its commands, the sequence of the first, and their sizes and bytes. Ticks without
// commands cost nothing.

#include "rollback_inputs.h"

#define STREAM_HEADER_MAX 16 // bytes
#define SLOT_HEADER_MAX 12

static input_slot *slot_at(input_stream *stream, uint64_t tick)
{
    return &stream->slots[tick % INPUT_HISTORY];
}

// Empties the slot of a tick. Its memory goes to the next one with commands, so that a warm stream
// needs no more.
static void slot_clear(input_stream *stream, uint64_t tick)
{
    input_slot *slot = slot_at(stream, tick);
    slot->size = slot->count = slot->sequence = 0;
    if (slot->capacity > 0 && stream->spare_count < INPUT_SPARE) {
        stream->spare[stream->spare_count++] = *slot;
        *slot = (input_slot){0};
    }
}

void kni_stream_begin(input_stream *stream, uint64_t tick)
{
    stream->from = stream->have = tick;
    stream->end = UINT64_MAX;
    slot_clear(stream, tick + 1);
}

void kni_stream_free(const kn_hooks *hooks, input_stream *stream)
{
    for (uint32_t i = 0; i < INPUT_HISTORY; i++) {
        kn_memory_free(hooks, stream->slots[i].bytes, stream->slots[i].capacity);
        stream->slots[i] = (input_slot){0};
    }
    while (stream->spare_count > 0) {
        const input_slot *spare = &stream->spare[--stream->spare_count];
        kn_memory_free(hooks, spare->bytes, spare->capacity);
    }
}

uint64_t kni_stream_known(const input_stream *stream)
{
    return stream->have >= stream->end ? UINT64_MAX : stream->have;
}

uint64_t kni_stream_first(const input_stream *stream)
{
    // The slot behind `have` is in use, too.
    uint64_t kept = stream->have >= INPUT_HISTORY - 1 ? stream->have - (INPUT_HISTORY - 2) : 0;
    return kept > stream->from + 1 ? kept : stream->from + 1;
}

const input_slot *kni_stream_slot(const input_stream *stream, uint64_t tick)
{
    if (tick > stream->have || tick < kni_stream_first(stream)) {
        return NULL;
    }
    const input_slot *slot = &stream->slots[tick % INPUT_HISTORY];
    return slot->count > 0 ? slot : NULL;
}

static kn_result slot_reserve(
    const kn_hooks *hooks, input_stream *stream, input_slot *slot, uint32_t size)
{
    if (slot->capacity == 0 && stream->spare_count > 0) {
        *slot = stream->spare[--stream->spare_count];
    }
    return kn_memory_grow(hooks, &slot->bytes, &slot->capacity, size, 1) ? KN_OK
                                                                         : KN_ERROR_OUT_OF_MEMORY;
}

kn_result kni_stream_add(const kn_hooks *hooks, input_stream *stream, const uint8_t *bytes,
    uint32_t size, uint32_t sequence)
{
    input_slot *slot = slot_at(stream, stream->have + 1);
    kn_result result = slot_reserve(hooks, stream, slot, slot->size + size + 5);
    if (result != KN_OK) {
        return result;
    }
    kn_writer out = {slot->bytes, slot->capacity, slot->size};
    kni_write_number(&out, size);
    kn_write_bytes(&out, bytes, size);
    slot->size = (uint32_t)out.length;
    slot->sequence = slot->count == 0 ? sequence : slot->sequence;
    slot->count++;
    return KN_OK;
}

uint32_t kni_stream_open_size(const input_stream *stream)
{
    return stream->slots[(stream->have + 1) % INPUT_HISTORY].size;
}

uint32_t kni_stream_open_count(const input_stream *stream)
{
    return stream->slots[(stream->have + 1) % INPUT_HISTORY].count;
}

void kni_stream_close(input_stream *stream)
{
    stream->have++;
    slot_clear(stream, stream->have + 1);
}

// Writing ---------------------------------------------------------------------------

uint64_t kni_stream_write(
    const input_stream *stream, kn_writer *out, uint64_t reference, uint64_t first, uint64_t last)
{
    size_t size = out->length + STREAM_HEADER_MAX;
    uint64_t end = first; // behind the last that fits
    uint32_t filled = 0;
    for (; end <= last && size <= out->size && end - first < INPUT_HISTORY; end++) {
        const input_slot *slot = kni_stream_slot(stream, end);
        size_t cost = slot != NULL ? SLOT_HEADER_MAX + slot->size : 0;
        if (size + cost > out->size) {
            break;
        }
        size += cost;
        filled += slot != NULL;
    }
    if (end == first) {
        return first - 1;
    }
    kni_write_signed(out, (int64_t)(reference - first));
    kni_write_number(out, end - first);
    kni_write_number(out, filled);
    uint64_t next = first;
    for (uint64_t tick = first; tick < end; tick++) {
        const input_slot *slot = kni_stream_slot(stream, tick);
        if (slot != NULL) {
            kni_write_number(out, tick - next);
            kni_write_number(out, slot->count);
            kni_write_number(out, slot->sequence);
            kn_write_bytes(out, slot->bytes, slot->size);
            next = tick + 1;
        }
    }
    return end - 1;
}

// Reading ---------------------------------------------------------------------------

// The commands of a tick, unread. Gives where they begin and how many bytes they have.
static const uint8_t *slot_skip(kn_reader *in, uint64_t count, uint32_t *size)
{
    const uint8_t *bytes = in->data + in->at;
    size_t begin = in->at;
    in->failed = in->failed || count == 0 || count > KN_ROLLBACK_COMMANDS_MAX;
    for (uint64_t i = 0; i < count && !in->failed; i++) {
        uint64_t length = kni_read_number(in);
        in->failed = in->failed || length == 0 || length > COMMAND_BYTES;
        if (!in->failed) {
            (void)kn_read_bytes(in, (size_t)length);
        }
    }
    *size = (uint32_t)(in->at - begin);
    return bytes;
}

// Ticks without commands, up to one.
static void stream_skip(input_stream *stream, uint64_t tick)
{
    while (stream->have < tick) {
        kni_stream_close(stream);
    }
}

static kn_result stream_take(const kn_hooks *hooks, input_stream *stream, uint64_t tick,
    const uint8_t *bytes, uint32_t size, uint32_t count, uint32_t sequence)
{
    stream_skip(stream, tick - 1);
    input_slot *slot = slot_at(stream, tick);
    kn_result result = slot_reserve(hooks, stream, slot, size);
    if (result == KN_OK) {
        memcpy(slot->bytes, bytes, size);
        slot->size = size;
        slot->count = count;
        slot->sequence = sequence;
        kni_stream_close(stream);
    }
    return result;
}

kn_result kni_stream_read(const kn_hooks *hooks, input_stream *stream, kn_reader *in,
    uint64_t reference, uint64_t limit, stream_news *news)
{
    int64_t back = kni_read_signed(in);
    uint64_t count = kni_read_number(in), filled = kni_read_number(in);
    uint64_t first = reference - (uint64_t)back;
    in->failed = in->failed || count == 0 || count > INPUT_HISTORY || filled > count ||
                 first == 0 || first > TICK_MAX;
    uint64_t tick = first, end = first + count;
    bool is_next = stream != NULL && !in->failed && first <= stream->have + 1;
    kn_result result = KN_OK;
    for (uint64_t i = 0; i < filled && !in->failed && result == KN_OK; i++, tick++) {
        uint64_t gap = kni_read_number(in), commands = kni_read_number(in);
        uint64_t sequence = kni_read_number(in);
        in->failed = in->failed || gap >= end - tick || sequence > UINT32_MAX;
        tick += in->failed ? 0 : gap;
        uint32_t size = 0;
        const uint8_t *bytes = slot_skip(in, commands, &size);
        in->failed = in->failed || (stream != NULL && size > stream->slot_max);
        if (!in->failed && is_next && tick > stream->have && tick <= limit) {
            result = stream_take(
                hooks, stream, tick, bytes, size, (uint32_t)commands, (uint32_t)sequence);
            if (result == KN_OK) {
                news->first = tick < news->first ? tick : news->first;
                news->commands += commands;
            }
        }
        in->failed = in->failed || (i + 1 < filled && tick + 1 >= end);
    }
    if (is_next && !in->failed && result == KN_OK) {
        stream_skip(stream, end - 1 < limit ? end - 1 : limit);
    }
    return result;
}

// Hello ------------------------------------------------------------------------------

void kni_hello_write(kn_writer *out, const roll_hello *hello)
{
    kn_write_u8(out, ROLL_HELLO);
    kni_write_number(out, hello->version);
    kn_write_u64(out, hello->library);
    kn_write_u64(out, hello->start);
    kni_write_number(out, hello->rate);
    kni_write_number(out, hello->player_count);
    kni_write_number(out, hello->hash_every);
    kni_write_number(out, hello->player);
}

void kni_hello_read(kn_reader *in, roll_hello *hello)
{
    hello->version = kni_read_number(in);
    hello->library = kn_read_u64(in);
    hello->start = kn_read_u64(in);
    hello->rate = kni_read_number(in);
    hello->player_count = kni_read_number(in);
    hello->hash_every = kni_read_number(in);
    hello->player = kni_read_number(in);
}

// Payloads ---------------------------------------------------------------------------

void kni_roll_payload_write(kn_writer *out, const roll_payload *payload)
{
    kni_write_number(out, payload->reference);
    kn_write_u8(out, (uint8_t)payload->acks);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((payload->acks >> i & 1) != 0) {
            kni_write_signed(out, (int64_t)(payload->reference - payload->have[i]));
        }
    }
    kn_write_u8(out, (uint8_t)payload->clocks);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((payload->clocks >> i & 1) != 0) {
            kni_write_signed(out, (int64_t)(payload->reference - payload->clock[i].tick));
            kni_write_signed(out, payload->clock[i].ahead);
        }
    }
}

static uint64_t tick_read(kn_reader *in, uint64_t reference)
{
    uint64_t tick = reference - (uint64_t)kni_read_signed(in);
    in->failed = in->failed || tick > TICK_MAX;
    return in->failed ? 0 : tick;
}

void kni_roll_payload_read(kn_reader *in, roll_payload *payload)
{
    *payload = (roll_payload){.reference = kni_read_number(in)};
    in->failed = in->failed || payload->reference > TICK_MAX;
    payload->acks = kn_read_u8(in);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((payload->acks >> i & 1) != 0) {
            payload->have[i] = tick_read(in, payload->reference);
        }
    }
    payload->clocks = kn_read_u8(in);
    for (uint32_t i = 0; i < PLAYERS; i++) {
        if ((payload->clocks >> i & 1) != 0) {
            payload->clock[i].tick = tick_read(in, payload->reference);
            payload->clock[i].ahead = kni_read_signed(in);
            in->failed = in->failed || payload->clock[i].ahead > INPUT_HISTORY ||
                         payload->clock[i].ahead < -INPUT_HISTORY;
        }
    }
}
