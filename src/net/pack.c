// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Range coding of payloads. The walk over a payload needs no memory and cannot fail: bytes that
// make no sense are of some kind, too.

#include "pack.h"

// The format ----------------------------------------------------------------

typedef enum walk_state {
    WALK_TICK,
    WALK_MARGIN,
    WALK_RECEIVED,
    WALK_ANSWERS,
    WALK_ANSWER,
    WALK_INDEX,
    WALK_FLAGS,
    WALK_BASE,
    WALK_KEY,
    WALK_DONOR,
    WALK_DONOR_BASE,
    WALK_CUE_SIZE,
    WALK_CUE,
    WALK_SIZE,
    WALK_RUN,
    WALK_LENGTH,
    WALK_DISTANCE,
    WALK_FRESH,
} walk_state;

typedef struct walk {
    walk_state state;
    uint64_t number; // of which a part was read
    uint32_t shift;
    uint64_t left; // answers, bytes of keys and cues
    uint64_t run;  // new bytes of the run
    uint64_t at;   // in the run
    uint32_t kind; // of the run
    bool is_last;  // run of a difference
    bool is_later; // not the first run of it
    uint8_t run_kind;
    uint8_t flags, last;
} walk;

enum { RUN_COPY, RUN_JUMP, RUN_FRESH, RUN_ZEROS, RUN_LENGTH_END = 62, RUN_LENGTH_MORE };

static uint32_t walk_kind(const walk *w)
{
    uint32_t position = w->at < 3 ? (uint32_t)w->at : 3;
    switch (w->state) {
    case WALK_TICK:
        return w->shift == 0 ? PACK_TICK : PACK_TICK_NEXT;
    case WALK_MARGIN:
        return w->shift == 0 ? PACK_MARGIN : PACK_MARGIN_NEXT;
    case WALK_RECEIVED:
        return PACK_RECEIVED;
    case WALK_INDEX:
        return w->shift == 0 ? PACK_INDEX : PACK_INDEX_NEXT;
    case WALK_FLAGS:
        return PACK_FLAGS;
    case WALK_BASE:
        return PACK_BASE;
    case WALK_KEY:
        return PACK_KEY;
    case WALK_DONOR:
        return PACK_DONOR;
    case WALK_DONOR_BASE:
        return PACK_DONOR_BASE;
    case WALK_CUE_SIZE:
        return PACK_CUE_SIZE;
    case WALK_CUE:
        return w->last > 127 ? PACK_CUE_NEXT : PACK_CUE;
    case WALK_SIZE:
        return PACK_SIZE;
    case WALK_RUN:
        return PACK_RUN + w->run_kind;
    case WALK_LENGTH:
        return w->shift > 0 ? PACK_LENGTH_NEXT : w->is_later ? PACK_LENGTH_LATER : PACK_LENGTH;
    case WALK_DISTANCE:
        return w->shift == 0 ? PACK_DISTANCE : PACK_DISTANCE_NEXT;
    case WALK_FRESH:
        return w->run == 1   ? PACK_SINGLE
               : w->run == 2 ? PACK_SHORT + position
                             : PACK_FRESH + position;
    default:
        return PACK_ANSWERS;
    }
}

// A whole number was read, unless more of it follows.
static bool walk_number(walk *w, uint8_t byte)
{
    if (w->shift < 64) {
        w->number |= (uint64_t)(byte & 0x7f) << w->shift;
    }
    w->shift += 7;
    return byte < 0x80;
}

static void walk_next(walk *w, walk_state state)
{
    w->state = state;
    w->number = 0;
    w->shift = 0;
    w->at = 0;
}

// A run is over: the next one, or the next entity.
static void walk_run_end(walk *w)
{
    static const uint8_t kinds[] = {[RUN_COPY] = 1, [RUN_JUMP] = 2, [RUN_ZEROS] = 3};
    w->run_kind = w->kind != RUN_FRESH ? kinds[w->kind] : w->run < 3 ? 4 : w->run < 4 ? 5 : 6;
    w->is_later = true;
    walk_next(w, w->is_last ? WALK_INDEX : WALK_RUN);
}

// The length of a run is known.
static void walk_run(walk *w)
{
    if (w->kind == RUN_JUMP) {
        walk_next(w, WALK_DISTANCE);
    } else if (w->kind == RUN_FRESH && w->run > 0) {
        walk_next(w, WALK_FRESH);
    } else {
        walk_run_end(w);
    }
}

static void walk_base_end(walk *w)
{
    walk_next(w, (w->flags & WIRE_HAS_DONOR) != 0  ? WALK_DONOR
                 : (w->flags & WIRE_HAS_CUES) != 0 ? WALK_CUE_SIZE
                                                   : WALK_SIZE);
}

static void walk_number_end(walk *w)
{
    uint64_t number = w->number;
    switch (w->state) {
    case WALK_ANSWERS:
        w->left = number > UINT32_MAX ? 0 : number * 3;
        walk_next(w, w->left > 0 ? WALK_ANSWER : WALK_INDEX);
        break;
    case WALK_ANSWER:
        walk_next(w, --w->left > 0 ? WALK_ANSWER : WALK_INDEX);
        break;
    case WALK_BASE:
        w->left = sizeof(uint32_t);
        if ((w->flags & (WIRE_HAS_KEY | WIRE_IS_CHECK)) != 0) { // both are hashes
            walk_next(w, WALK_KEY);
        } else {
            walk_base_end(w);
        }
        break;
    case WALK_DONOR_BASE:
        walk_next(w, (w->flags & WIRE_HAS_CUES) != 0 ? WALK_CUE_SIZE : WALK_SIZE);
        break;
    case WALK_CUE_SIZE:
        w->left = number;
        w->last = 0;
        walk_next(w, number > 0 ? WALK_CUE : WALK_SIZE);
        break;
    case WALK_SIZE:
        w->run_kind = 0;
        w->is_later = false;
        walk_next(w, WALK_RUN);
        break;
    case WALK_LENGTH:
        w->run += number < UINT32_MAX ? number - 1 : 0;
        walk_run(w);
        break;
    case WALK_DISTANCE:
        walk_run_end(w);
        break;
    case WALK_INDEX:
        walk_next(w, WALK_FLAGS);
        break;
    default:
        walk_next(w, (walk_state)(w->state + 1));
        break;
    }
}

static void walk_feed(walk *w, uint8_t byte)
{
    switch (w->state) {
    case WALK_FLAGS:
        w->flags = byte;
        walk_next(w, WALK_BASE);
        break;
    case WALK_KEY:
        if (--w->left == 0 && (w->flags & WIRE_IS_CHECK) != 0) {
            walk_next(w, WALK_INDEX);
        } else if (w->left == 0) {
            walk_base_end(w);
        }
        break;
    case WALK_CUE:
        w->last = byte;
        if (--w->left == 0) {
            walk_next(w, WALK_SIZE);
        }
        break;
    case WALK_RUN:
        w->kind = byte >> 6;
        w->run = (uint64_t)(byte & RUN_LENGTH_MORE) + 1;
        w->is_last = w->kind != RUN_FRESH && (byte & RUN_LENGTH_MORE) == RUN_LENGTH_END;
        if (w->kind == RUN_FRESH && (byte & RUN_LENGTH_MORE) == RUN_LENGTH_END) {
            w->run = 0; // the same ones as before
        }
        if ((byte & RUN_LENGTH_MORE) == RUN_LENGTH_MORE) {
            walk_next(w, WALK_LENGTH);
        } else {
            walk_run(w);
        }
        break;
    case WALK_FRESH:
        if (++w->at == w->run) {
            walk_run_end(w);
        }
        break;
    default:
        if (walk_number(w, byte)) {
            walk_number_end(w);
        }
        break;
    }
}

// Books ---------------------------------------------------------------------

#define PACK_SUM (1u << PACK_BITS)
#define PACK_WEIGHT_MAX 15 // a power of two

// The weights of all bytes of a kind, as powers of two. Those that came hardly or never have the
// same one.
typedef struct pack_weights {
    uint8_t of[256];
    uint8_t rare;
} pack_weights;

// The power of two next to a share, whose unit is 2 to the power of -PACK_WEIGHT_MAX.
static uint32_t share_weight(uint64_t part, uint64_t total)
{
    uint32_t weight = 0;
    uint64_t share = (part << (PACK_WEIGHT_MAX + 1)) / total;
    while (weight < PACK_WEIGHT_MAX && share >> weight >= 3) {
        weight++;
    }
    return weight;
}

// The more different bytes came, the likelier is one that never came.
static void weights_of(const uint32_t *counts, pack_weights *weights)
{
    uint64_t total = 0;
    uint32_t used = 0;
    for (uint32_t i = 0; i < 256; i++) {
        total += counts[i];
        used += counts[i] > 0;
    }
    total = total > 0 ? total : 1;
    weights->rare = (uint8_t)(used < 256 ? share_weight(used, (total + used) * (256 - used)) : 0);
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t weight = share_weight(counts[i], total);
        weights->of[i] = (uint8_t)(weight > weights->rare ? weight : weights->rare);
    }
}

// Frequencies from weights: each byte has at least 1.
static void sums_make(const pack_weights *weights, uint16_t *sums)
{
    uint64_t total = 0;
    uint32_t used = 0, best = 0, at = 0;
    uint32_t frequencies[256];
    for (uint32_t i = 0; i < 256; i++) {
        total += 1u << weights->of[i];
        best = weights->of[i] > weights->of[best] ? i : best;
    }
    for (uint32_t i = 0; i < 256; i++) {
        frequencies[i] =
            1 + (uint32_t)((uint64_t)(1u << weights->of[i]) * (PACK_SUM - 256) / total);
        used += frequencies[i];
    }
    frequencies[best] += PACK_SUM - used;
    for (uint32_t i = 0; i < 256; i++) {
        sums[i] = (uint16_t)at;
        at += frequencies[i];
    }
    sums[256] = (uint16_t)at;
}

void kni_book_make(const pack_counts *counts, pack_book *book)
{
    for (uint32_t kind = 0; kind < PACK_KINDS; kind++) {
        pack_weights weights;
        weights_of(counts->counts[kind], &weights);
        sums_make(&weights, book->sums[kind]);
    }
}

void kni_counts_fade(pack_counts *counts)
{
    for (uint32_t kind = 0; kind < PACK_KINDS; kind++) {
        for (uint32_t i = 0; i < 256; i++) {
            counts->counts[kind][i] /= 2;
        }
    }
    counts->bytes = 0;
}

// The logarithm of a frequency in sixteenths of a bit, with straight lines between powers of two.
static uint32_t frequency_log(uint32_t frequency)
{
    uint32_t log = 0;
    while (frequency >> log > 1) {
        log++;
    }
    return log * 16 + (((frequency << 4) >> log) - 16);
}

uint64_t kni_book_cost(const pack_book *book, const pack_counts *counts)
{
    uint64_t cost = 0; // in sixteenths of a bit
    for (uint32_t kind = 0; kind < PACK_KINDS; kind++) {
        const uint16_t *sums = book->sums[kind];
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t frequency = (uint32_t)(sums[i + 1] - sums[i]);
            cost += (uint64_t)counts->counts[kind][i] * (PACK_BITS * 16 - frequency_log(frequency));
        }
    }
    return cost / 128;
}

// The weight of rare bytes; then each other byte as one: rare ones before it, and its weight.
void kni_book_write(const pack_counts *counts, kn_writer *out)
{
    for (uint32_t kind = 0; kind < PACK_KINDS; kind++) {
        pack_weights weights;
        uint32_t skipped = 0;
        weights_of(counts->counts[kind], &weights);
        kn_write_u8(out, weights.rare);
        for (uint32_t i = 0; i < 256; i++) {
            if (weights.of[i] == weights.rare && skipped < 15 && i < 255) {
                skipped++;
            } else {
                kn_write_u8(out, (uint8_t)(skipped << 4 | weights.of[i]));
                skipped = 0;
            }
        }
    }
}

void kni_book_read(kn_reader *in, pack_book *book)
{
    for (uint32_t kind = 0; kind < PACK_KINDS; kind++) {
        pack_weights weights = {.rare = kn_read_u8(in) & PACK_WEIGHT_MAX};
        uint32_t at = 0;
        memset(weights.of, weights.rare, sizeof(weights.of));
        while (at < 256 && !in->failed) {
            uint8_t byte = kn_read_u8(in);
            at += byte >> 4;
            in->failed = in->failed || at > 255;
            if (!in->failed) {
                weights.of[at++] = byte & PACK_WEIGHT_MAX;
            }
        }
        sums_make(&weights, book->sums[kind]);
    }
}

// Coding --------------------------------------------------------------------

#define RANGE_TOP ((uint32_t)1 << 24)

void kni_pack_count(pack_counts *counts, const uint8_t *bytes, size_t size)
{
    walk w = {0};
    for (size_t i = 0; i < size; i++) {
        counts->counts[walk_kind(&w)][bytes[i]]++;
        walk_feed(&w, bytes[i]);
    }
    counts->bytes += size;
}

typedef struct range_coder {
    uint64_t low;
    uint32_t range;
    uint8_t held; // a byte that may still grow by one
    uint64_t held_count;
    bool has_held;
    kn_writer *out;
} range_coder;

// The top byte of `low` is final, unless a carry may come through bytes of 255.
static void range_shift(range_coder *r)
{
    if (r->low < 0xff000000u || r->low > UINT32_MAX) {
        uint8_t carry = (uint8_t)(r->low >> 32);
        if (r->has_held) {
            kn_write_u8(r->out, (uint8_t)(r->held + carry));
        }
        for (; r->held_count > 0; r->held_count--) {
            kn_write_u8(r->out, (uint8_t)(0xff + carry));
        }
        r->held = (uint8_t)(r->low >> 24);
        r->has_held = true;
    } else {
        r->held_count++;
    }
    r->low = (r->low & 0x00ffffffu) << 8;
}

bool kni_pack(const pack_book *book, const uint8_t *bytes, size_t size, kn_writer *out)
{
    walk w = {0};
    range_coder r = {.range = UINT32_MAX, .out = out};
    for (size_t i = 0; i < size && out->length <= out->size; i++) {
        const uint16_t *sums = book->sums[walk_kind(&w)];
        uint32_t unit = r.range >> PACK_BITS;
        r.low += (uint64_t)unit * sums[bytes[i]];
        r.range = unit * (uint32_t)(sums[bytes[i] + 1] - sums[bytes[i]]);
        while (r.range < RANGE_TOP) {
            r.range <<= 8;
            range_shift(&r);
        }
        walk_feed(&w, bytes[i]);
    }
    // As many bytes as tell the rest apart: those that are not there read as zero.
    r.low = r.low + (RANGE_TOP - 1);
    r.low &= ~(uint64_t)(RANGE_TOP - 1);
    for (uint32_t i = 0; i < 2; i++) {
        range_shift(&r);
    }
    return out->length <= out->size;
}

// The byte whose share a value is in.
static uint32_t sums_find(const uint16_t *sums, uint32_t value)
{
    uint32_t from = 0, to = 256;
    while (to - from > 1) {
        uint32_t middle = (from + to) / 2;
        if (sums[middle] <= value) {
            from = middle;
        } else {
            to = middle;
        }
    }
    return from;
}

bool kni_unpack(const pack_book *book, const uint8_t *bytes, size_t size, uint8_t *out, size_t most)
{
    walk w = {0};
    uint32_t code = 0, range = UINT32_MAX;
    size_t at = 0;
    for (uint32_t i = 0; i < 4; i++, at++) {
        code = code << 8 | (at < size ? bytes[at] : 0);
    }
    for (size_t i = 0; i < most; i++) {
        const uint16_t *sums = book->sums[walk_kind(&w)];
        uint32_t unit = range >> PACK_BITS;
        uint32_t value = code / unit;
        uint32_t byte = sums_find(sums, value < PACK_SUM ? value : PACK_SUM - 1);
        code -= unit * sums[byte];
        range = unit * (uint32_t)(sums[byte + 1] - sums[byte]);
        while (range < RANGE_TOP) {
            range <<= 8;
            code = code << 8 | (at < size ? bytes[at] : 0);
            at++;
        }
        out[i] = (uint8_t)byte;
        walk_feed(&w, out[i]);
    }
    return at <= size + 8;
}
