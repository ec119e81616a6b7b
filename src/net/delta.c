// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Differences of bytes. A difference begins with the size of the data, less the size that it is
// expected to have. Then come runs: what kind of run in the upper two bits of a byte, and how long
// it is in the others. A copy goes on in the base where the run before ended, as if every run had
// replaced as many bytes there, or somewhere else, which a distance says. The last run is one that
// reaches to the end of the data, possibly without a byte: so a reader without the base finds the
// end, too.

#include "delta.h"

#define DELTA_SIZE_MAX ((size_t)1 << 24)
#define DELTA_WINDOW 4      // bytes that are compared at once
#define DELTA_TABLE_BITS 10 // of the table of places in the base
#define DELTA_NEAR 40       // how far from the expected place a copy is looked for
#define DELTA_NEAR_MIN 8    // and how long it has to be
#define DELTA_LONG 16       // a copy of this length is taken without looking for a better one
#define DELTA_BREAK_MIN 2   // shorter runs are not worth the end of the new bytes before them
#define DELTA_SCOPE 48      // how far two places are compared
#define DELTA_JUMP_COST 5   // bytes that have to fit better somewhere else
#define DELTA_LENGTH_BITS 6
#define DELTA_LENGTH_END 62  // to the end of the data; new bytes: the same ones as the last
#define DELTA_LENGTH_MORE 63 // a number follows

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
    size_t second;    // where in the base the second one begins, as large as the data; or its end
    size_t fresh;     // where the bytes begin that are not written yet
    size_t next;      // where in the base the next run is expected
    size_t last;      // the new bytes that were written last
    size_t last_next; // and where in the base that was
    size_t last_size; // 0: none
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

// How many of the next bytes are equal, with others between them.
static size_t place_score(const delta_state *s, size_t from, size_t at)
{
    size_t most = from < s->base_size ? s->base_size - from : 0, score = 0;
    most = most < s->size - at ? most : s->size - at;
    most = most < DELTA_SCOPE ? most : DELTA_SCOPE;
    for (size_t i = 0; i < most; i++) {
        score += s->base[from + i] == s->data[at + i];
    }
    return score;
}

static void run_write(const delta_state *s, uint32_t kind, size_t at, size_t length)
{
    bool is_end = kind != DELTA_FRESH && at + length == s->size;
    size_t shown = is_end                          ? DELTA_LENGTH_END
                   : length - 1 < DELTA_LENGTH_END ? length - 1
                                                   : DELTA_LENGTH_MORE;
    kn_write_u8(s->out, (uint8_t)(kind << DELTA_LENGTH_BITS | shown));
    if (shown == DELTA_LENGTH_MORE) {
        kni_write_number(s->out, length - 1 - DELTA_LENGTH_END);
    }
}

// A new byte less the one that it replaces: what changes often changes by as much.
static uint8_t fresh_byte(const delta_state *s, size_t at, size_t next)
{
    return (uint8_t)(s->data[at] - (next < s->base_size ? s->base[next] : 0));
}

static bool fresh_is_again(const delta_state *s, size_t length)
{
    bool is_again = length == s->last_size;
    for (size_t i = 0; i < length && is_again; i++) {
        is_again = fresh_byte(s, s->fresh + i, s->next + i) ==
                   fresh_byte(s, s->last + i, s->last_next + i);
    }
    return is_again;
}

// The new bytes up to a place.
static void fresh_write(delta_state *s, size_t at)
{
    size_t length = at - s->fresh;
    if (length == 0) {
        return;
    }
    if (fresh_is_again(s, length)) {
        kn_write_u8(s->out, DELTA_FRESH << DELTA_LENGTH_BITS | DELTA_LENGTH_END);
    } else {
        run_write(s, DELTA_FRESH, s->fresh, length);
        for (size_t i = 0; i < length; i++) {
            kn_write_u8(s->out, fresh_byte(s, s->fresh + i, s->next + i));
        }
    }
    s->last = s->fresh;
    s->last_next = s->next;
    s->last_size = length;
    s->next += length;
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

// A place elsewhere that the next bytes fit better than the expected one. The length of the run
// there, or 0.
static size_t jump_find(
    const delta_state *s, const uint32_t *places, size_t expected, size_t at, size_t *from)
{
    size_t left = s->size - at, near_from = SIZE_MAX;
    (void)near_find(s, expected, at, &near_from);
    const size_t found[] = {
        s->second + at,                                  // as in the second base
        s->second >= left ? s->second - left : SIZE_MAX, // as far from the end of the first
        at,                                              // or from its beginning
        near_from,
        (size_t)places[window_hash(s->data + at)] - 1, // SIZE_MAX for none
    };
    size_t best = place_score(s, expected, at) + DELTA_JUMP_COST, length = 0;
    for (size_t i = 0; i < sizeof(found) / sizeof(*found); i++) {
        size_t run = found[i] < s->base_size ? run_length(s, found[i], at) : 0;
        size_t score = run >= DELTA_WINDOW || run == left ? place_score(s, found[i], at) : 0;
        if (score > best) {
            best = score;
            length = run;
            *from = found[i];
        }
    }
    return length;
}

// The best run that begins at a place; its length, or 0 if the byte there has to be written.
static size_t run_find(
    const delta_state *s, const uint32_t *places, size_t at, uint32_t *kind, size_t *from)
{
    size_t expected = s->next + (at - s->fresh);
    size_t length = run_length(s, expected, at), zeros = zero_length(s, at);
    size_t least = at > s->fresh && at + length < s->size ? DELTA_BREAK_MIN : 1;
    *kind = DELTA_COPY;
    *from = expected;
    if (zeros > length) {
        *kind = DELTA_ZEROS;
        length = zeros;
    }
    if (length < DELTA_LONG && at + length < s->size && s->size - at >= DELTA_WINDOW) {
        size_t place = 0, other = jump_find(s, places, expected, at, &place);
        if (other > 0) {
            *kind = DELTA_JUMP;
            *from = place;
            return other;
        }
    }
    return length >= least ? length : 0;
}

void kni_delta_write(kn_writer *out, const uint8_t *base, size_t base_size, size_t expected,
    const uint8_t *data, size_t size)
{
    uint32_t places[1 << DELTA_TABLE_BITS] = {0}; // in the base, + 1
    for (size_t i = base_size; i >= DELTA_WINDOW; i--) {
        const uint8_t *window = base + i - DELTA_WINDOW;
        if (!window_is_zero(window)) {
            places[window_hash(window)] = (uint32_t)(i - DELTA_WINDOW) + 1;
        }
    }
    delta_state s = {.out = out,
        .base = base,
        .data = data,
        .base_size = base_size,
        .size = size,
        .second = expected < base_size ? base_size - expected : base_size};
    kni_write_signed(out, (int64_t)size - (int64_t)expected);
    bool is_ended = false;
    for (size_t at = 0; at < size;) {
        uint32_t kind;
        size_t from, length = run_find(&s, places, at, &kind, &from);
        if (length == 0) {
            at++;
            continue;
        }
        fresh_write(&s, at);
        run_write(&s, kind, at, length);
        if (kind == DELTA_JUMP) {
            kni_write_signed(out, (int64_t)from - (int64_t)s.next);
        }
        s.next = kind == DELTA_JUMP ? from + length : s.next + length;
        at += length;
        s.fresh = at;
        is_ended = at == size;
    }
    fresh_write(&s, size);
    if (!is_ended) {
        kn_write_u8(out, DELTA_COPY << DELTA_LENGTH_BITS | DELTA_LENGTH_END);
    }
}

// Reading -------------------------------------------------------------------

size_t kni_delta_size(const kn_reader *in, size_t expected)
{
    kn_reader copy = *in;
    int64_t more = kni_read_signed(&copy);
    if (copy.failed || more > (int64_t)DELTA_SIZE_MAX || more < -(int64_t)DELTA_SIZE_MAX) {
        return SIZE_MAX;
    }
    int64_t size = more + (int64_t)expected;
    return size < 0 || size > (int64_t)DELTA_SIZE_MAX ? SIZE_MAX : (size_t)size;
}

typedef struct delta_reader {
    kn_reader *in;
    const uint8_t *base;
    size_t base_size;
    uint64_t next;
    const uint8_t *last; // the new bytes that were read last
    uint64_t last_size;
    uint8_t *out; // NULL: they are only skipped
    size_t at, size;
    bool is_ended;
} delta_reader;

// Kind and length of the next run.
static bool run_head_read(delta_reader *r, uint32_t *kind, uint64_t *length)
{
    const uint8_t mask = (1 << DELTA_LENGTH_BITS) - 1;
    uint8_t byte = kn_read_u8(r->in), shown = byte & mask;
    *kind = byte >> DELTA_LENGTH_BITS;
    *length = (uint64_t)shown + 1;
    if (shown == DELTA_LENGTH_MORE) {
        uint64_t more = kni_read_number(r->in);
        *length = more < DELTA_SIZE_MAX ? more + 1 + DELTA_LENGTH_END : UINT64_MAX;
    } else if (shown == DELTA_LENGTH_END && *kind == DELTA_FRESH) {
        *length = r->last_size;
    } else if (shown == DELTA_LENGTH_END) {
        *length = r->size - r->at;
        r->is_ended = true;
    }
    if (*kind == DELTA_JUMP) {
        r->next += (uint64_t)kni_read_signed(r->in);
    }
    if (*kind == DELTA_FRESH && shown != DELTA_LENGTH_END && !r->in->failed) {
        r->last = *length <= DELTA_SIZE_MAX ? kn_read_bytes(r->in, (size_t)*length) : NULL;
        r->last_size = *length;
    }
    return !r->in->failed && (*kind != DELTA_FRESH || r->last != NULL);
}

static bool run_read(delta_reader *r)
{
    uint32_t kind;
    uint64_t length;
    if (!run_head_read(r, &kind, &length)) {
        return false;
    }
    if (r->out == NULL) {
        return true;
    }
    if (length > r->size - r->at) {
        return false;
    }
    if (kind == DELTA_ZEROS) {
        memset(r->out + r->at, 0, (size_t)length);
    } else if (kind == DELTA_FRESH) {
        for (uint64_t i = 0; i < length; i++) {
            uint64_t from = r->next + i;
            uint8_t old = from < r->base_size ? r->base[from] : 0;
            r->out[r->at + i] = (uint8_t)(r->last[i] + old);
        }
    } else if (length > 0) {
        if (r->next > r->base_size || length > r->base_size - r->next) {
            return false;
        }
        memcpy(r->out + r->at, r->base + r->next, (size_t)length);
    }
    r->next += length;
    r->at += (size_t)length;
    return true;
}

bool kni_delta_read(
    const uint8_t *base, size_t base_size, size_t expected, kn_reader *in, uint8_t *out)
{
    size_t size = kni_delta_size(in, expected);
    delta_reader r = {.in = in, .base = base, .base_size = base_size, .out = out, .size = size};
    (void)kni_read_signed(in);
    bool ok = !in->failed && (out == NULL || size != SIZE_MAX);
    while (ok && !r.is_ended) {
        ok = run_read(&r);
    }
    in->failed = in->failed || !ok;
    return ok;
}
