// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Differences of bytes. A difference begins with the size of the data. Then, until that is reached:
// the number of new bytes, the new bytes, the number of bytes to copy, and, unless that is 0, where
// from, as the distance from where the last copy would go on had the new bytes replaced as many.

#include "delta.h"

#define DELTA_SIZE_MAX ((size_t)1 << 24)
#define DELTA_WINDOW 4      // bytes that are compared at once
#define DELTA_TABLE_BITS 10 // of the table of places in the base
#define DELTA_COPY_MIN 5    // shorter copies from elsewhere are not worth their numbers

// Numbers -------------------------------------------------------------------

void kni_write_number(kn_writer *out, uint64_t number)
{
    while (number >= 0x80) {
        kn_write_u8(out, (uint8_t)(number | 0x80));
        number >>= 7;
    }
    kn_write_u8(out, (uint8_t)number);
}

uint64_t kni_read_number(kn_reader *in)
{
    uint64_t number = 0;
    for (uint32_t shift = 0; shift < 64; shift += 7) {
        uint64_t byte = kn_read_u8(in);
        if (shift == 63 && byte > 1) {
            break;
        }
        number |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            return number;
        }
    }
    in->failed = true;
    return 0;
}

void kni_write_signed(kn_writer *out, int64_t number)
{
    kni_write_number(out, ((uint64_t)number << 1) ^ (number < 0 ? UINT64_MAX : 0));
}

int64_t kni_read_signed(kn_reader *in)
{
    uint64_t number = kni_read_number(in);
    return (int64_t)(number >> 1 ^ ((number & 1) != 0 ? UINT64_MAX : 0));
}

// Writing -------------------------------------------------------------------

static uint32_t window_hash(const uint8_t *at)
{
    uint32_t window;
    memcpy(&window, at, sizeof(window));
    return window * 2654435761u >> (32 - DELTA_TABLE_BITS);
}

// How many bytes are equal from two places on.
static size_t run_length(
    const uint8_t *base, size_t base_size, size_t from, const uint8_t *data, size_t size, size_t at)
{
    size_t most = base_size - from < size - at ? base_size - from : size - at, length = 0;
    while (length < most && base[from + length] == data[at + length]) {
        length++;
    }
    return length;
}

typedef struct delta_state {
    kn_writer *out;
    const uint8_t *data;
    size_t fresh; // where the bytes begin that are not written yet
    size_t next;  // where in the base the next copy is expected
} delta_state;

static void delta_copy(delta_state *s, size_t at, size_t from, size_t length)
{
    size_t count = at - s->fresh, expected = s->next + count;
    kni_write_number(s->out, count);
    kn_write_bytes(s->out, s->data + s->fresh, count);
    kni_write_number(s->out, length);
    if (length > 0) {
        kni_write_signed(s->out, (int64_t)from - (int64_t)expected);
    }
    s->fresh = at + length;
    s->next = from + length;
}

void kni_delta_write(
    kn_writer *out, const uint8_t *base, size_t base_size, const uint8_t *data, size_t size)
{
    uint32_t places[1 << DELTA_TABLE_BITS] = {0}; // in the base, + 1
    for (size_t i = base_size; i >= DELTA_WINDOW; i--) {
        places[window_hash(base + i - DELTA_WINDOW)] = (uint32_t)(i - DELTA_WINDOW) + 1;
    }
    delta_state s = {.out = out, .data = data};
    kni_write_number(out, size);
    size_t at = 0;
    while (at < size) {
        size_t from = s.next + (at - s.fresh), length = 0;
        if (from < base_size) {
            length = run_length(base, base_size, from, data, size, at);
        }
        if (length < 3 && size - at >= DELTA_WINDOW) {
            uint32_t place1 = places[window_hash(data + at)];
            size_t other =
                place1 != 0 ? run_length(base, base_size, place1 - 1, data, size, at) : 0;
            if (other >= DELTA_COPY_MIN && other > length) {
                from = place1 - 1;
                length = other;
            }
        }
        if (length >= 3 || (length > 0 && at + length == size)) {
            delta_copy(&s, at, from, length);
            at += length;
        } else {
            at++;
        }
    }
    if (s.fresh < size) {
        delta_copy(&s, size, 0, 0);
    }
}

// Reading -------------------------------------------------------------------

size_t kni_delta_size(const uint8_t *delta, size_t delta_size)
{
    kn_reader in = {.data = delta, .size = delta_size};
    uint64_t size = kni_read_number(&in);
    return in.failed || size > DELTA_SIZE_MAX ? SIZE_MAX : (size_t)size;
}

bool kni_delta_read(
    const uint8_t *base, size_t base_size, const uint8_t *delta, size_t delta_size, uint8_t *out)
{
    kn_reader in = {.data = delta, .size = delta_size};
    uint64_t size = kni_read_number(&in), at = 0, next = 0;
    while (!in.failed && at < size) {
        uint64_t count = kni_read_number(&in);
        const uint8_t *fresh = count <= size - at ? kn_read_bytes(&in, (size_t)count) : NULL;
        if (in.failed || count > size - at) {
            return false;
        }
        if (count > 0) {
            memcpy(out + at, fresh, (size_t)count);
        }
        at += count;
        uint64_t length = kni_read_number(&in);
        if (length == 0) {
            if (count == 0) {
                return false; // it would never end
            }
            continue;
        }
        uint64_t from = next + count + (uint64_t)kni_read_signed(&in);
        if (in.failed || length > size - at || from > base_size || length > base_size - from) {
            return false;
        }
        memcpy(out + at, base + from, (size_t)length);
        at += length;
        next = from + length;
    }
    return !in.failed && in.at == in.size;
}
