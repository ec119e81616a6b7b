// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Differences of bytes. A difference begins with the size of the data. Then, until that is reached,
// runs: what kind of run in the upper two bits of a byte, and how long it is in the others. A copy
// goes on in the base where the run before ended, as if every run had replaced as many bytes there,
// or somewhere else, which a distance says.

#include "delta.h"

#define DELTA_SIZE_MAX ((size_t)1 << 24)
#define DELTA_WINDOW 4      // bytes that are compared at once
#define DELTA_TABLE_BITS 10 // of the table of places in the base
#define DELTA_JUMP_MIN 5    // shorter copies from elsewhere are not worth their distance
#define DELTA_NEAR 40       // how far from the expected place a copy is looked for
#define DELTA_NEAR_MIN 8    // and how long it has to be
#define DELTA_BREAK_MIN 3   // shorter runs are not worth the end of the new bytes before them
#define DELTA_LENGTH_BITS 6

enum {
    DELTA_COPY,
    DELTA_JUMP,  // copy from elsewhere
    DELTA_FRESH, // new bytes
    DELTA_ZEROS,
};

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

typedef struct delta_state {
    kn_writer *out;
    const uint8_t *base, *data;
    size_t base_size, size;
    size_t fresh; // where the bytes begin that are not written yet
    size_t next;  // where in the base the next run is expected
} delta_state;

static uint32_t window_hash(const uint8_t *at)
{
    uint32_t window;
    memcpy(&window, at, sizeof(window));
    return window * 2654435761u >> (32 - DELTA_TABLE_BITS);
}

static bool window_is_zero(const uint8_t *at)
{
    uint32_t window;
    memcpy(&window, at, sizeof(window));
    return window == 0;
}

// How many bytes are equal from two places on.
static size_t run_length(const delta_state *s, size_t from, size_t at)
{
    size_t left = s->size - at, length = 0;
    size_t most = from < s->base_size ? s->base_size - from : 0;
    most = most < left ? most : left;
    while (length + 8 <= most) { // mostly long
        uint64_t first, second;
        memcpy(&first, s->base + from + length, 8);
        memcpy(&second, s->data + at + length, 8);
        if (first != second) {
            break;
        }
        length += 8;
    }
    while (length < most && s->base[from + length] == s->data[at + length]) {
        length++;
    }
    return length;
}

static size_t zero_length(const delta_state *s, size_t at)
{
    size_t length = 0;
    while (at + length < s->size && s->data[at + length] == 0) {
        length++;
    }
    return length;
}

static void run_write(kn_writer *out, uint32_t kind, size_t length)
{
    const size_t most = ((size_t)1 << DELTA_LENGTH_BITS) - 1;
    size_t shown = length - 1 < most ? length - 1 : most;
    kn_write_u8(out, (uint8_t)(kind << DELTA_LENGTH_BITS | shown));
    if (shown == most) {
        kni_write_number(out, length - 1 - most);
    }
}

// The new bytes up to a place.
static void fresh_write(delta_state *s, size_t at)
{
    if (at > s->fresh) {
        run_write(s->out, DELTA_FRESH, at - s->fresh);
        kn_write_bytes(s->out, s->data + s->fresh, at - s->fresh);
        s->next += at - s->fresh;
    }
    s->fresh = at;
}

// The longest run near the expected place: something was inserted or left out. Its length, or 0.
static size_t near_find(const delta_state *s, size_t expected, size_t at, size_t *from)
{
    size_t best = 0;
    size_t first = expected > DELTA_NEAR ? expected - DELTA_NEAR : 0;
    for (size_t i = first; i <= expected + DELTA_NEAR && i < s->base_size; i++) {
        size_t length = s->base[i] == s->data[at] ? run_length(s, i, at) : 0;
        if (length > best) {
            best = length;
            *from = i;
        }
    }
    return best >= DELTA_NEAR_MIN ? best : 0;
}

// The best run that begins at a place; its length, or 0 if the byte there has to be written.
static size_t run_find(
    const delta_state *s, const uint32_t *places, size_t at, uint32_t *kind, size_t *from)
{
    size_t expected = s->next + (at - s->fresh);
    size_t length = run_length(s, expected, at), zeros = zero_length(s, at);
    size_t least = at > s->fresh && at + length < s->size ? DELTA_BREAK_MIN : 2;
    *kind = DELTA_COPY;
    *from = expected;
    if (zeros > length) {
        *kind = DELTA_ZEROS;
        length = zeros;
    }
    if (length < DELTA_NEAR_MIN && s->size - at >= DELTA_WINDOW) {
        size_t near_from = 0, near_length = near_find(s, expected, at, &near_from);
        uint32_t place1 = places[window_hash(s->data + at)];
        size_t other = place1 != 0 ? run_length(s, place1 - 1, at) : 0;
        bool is_near = near_length >= other;
        other = is_near ? near_length : other;
        if (other >= DELTA_JUMP_MIN && other > length + 2) {
            *kind = DELTA_JUMP;
            *from = is_near ? near_from : place1 - 1;
            length = other;
        }
    }
    return length >= least ? length : 0;
}

void kni_delta_write(
    kn_writer *out, const uint8_t *base, size_t base_size, const uint8_t *data, size_t size)
{
    uint32_t places[1 << DELTA_TABLE_BITS] = {0}; // in the base, + 1
    for (size_t i = base_size; i >= DELTA_WINDOW; i--) {
        const uint8_t *window = base + i - DELTA_WINDOW;
        if (!window_is_zero(window)) {
            places[window_hash(window)] = (uint32_t)(i - DELTA_WINDOW) + 1;
        }
    }
    delta_state s = {.out = out, .base = base, .data = data, .base_size = base_size, .size = size};
    kni_write_number(out, size);
    for (size_t at = 0; at < size;) {
        uint32_t kind;
        size_t from, length = run_find(&s, places, at, &kind, &from);
        if (length == 0) {
            at++;
            continue;
        }
        fresh_write(&s, at);
        run_write(out, kind, length);
        if (kind == DELTA_JUMP) {
            kni_write_signed(out, (int64_t)from - (int64_t)s.next);
        }
        s.next = kind == DELTA_JUMP ? from + length : s.next + length;
        at += length;
        s.fresh = at;
    }
    fresh_write(&s, size);
}

// Reading -------------------------------------------------------------------

size_t kni_delta_size(const kn_reader *in)
{
    kn_reader copy = *in;
    uint64_t size = kni_read_number(&copy);
    return copy.failed || size > DELTA_SIZE_MAX ? SIZE_MAX : (size_t)size;
}

// One run, whose bytes go to `out`, unless that is NULL.
static bool run_read(kn_reader *in, const uint8_t *base, size_t base_size, uint64_t *next,
    uint64_t most, uint8_t *out, uint64_t *length)
{
    const uint8_t mask = (1 << DELTA_LENGTH_BITS) - 1;
    uint8_t byte = kn_read_u8(in);
    uint32_t kind = byte >> DELTA_LENGTH_BITS;
    uint64_t more = (byte & mask) == mask ? kni_read_number(in) : 0;
    *length = (uint64_t)(byte & mask) + 1 + more;
    *next += kind == DELTA_JUMP ? (uint64_t)kni_read_signed(in) : 0;
    if (in->failed || more > most || *length > most) {
        return false;
    }
    const uint8_t *fresh = kind == DELTA_FRESH ? kn_read_bytes(in, (size_t)*length) : NULL;
    if (in->failed) {
        return false;
    }
    if (out != NULL && kind == DELTA_ZEROS) {
        memset(out, 0, (size_t)*length);
    } else if (out != NULL && kind == DELTA_FRESH) {
        memcpy(out, fresh, (size_t)*length);
    } else if (out != NULL) {
        if (*next > base_size || *length > base_size - *next) {
            return false;
        }
        memcpy(out, base + *next, (size_t)*length);
    }
    *next += *length;
    return true;
}

bool kni_delta_read(const uint8_t *base, size_t base_size, kn_reader *in, uint8_t *out)
{
    uint64_t size = kni_read_number(in), at = 0, next = 0;
    while (!in->failed && at < size) {
        uint64_t length;
        if (!run_read(
                in, base, base_size, &next, size - at, out != NULL ? out + at : NULL, &length)) {
            in->failed = true;
            return false;
        }
        at += length;
    }
    return !in->failed;
}
