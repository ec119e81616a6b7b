// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Payloads of a server in fewer bytes. A reader of the format of payloads, which both sides run,
// says for each byte what kind of byte it is; a range coder writes it with the frequencies of that
// kind. The server counts what it sends, and now and then makes a book of frequencies that it sends
// to its clients.
#ifndef KNI_PACK_H
#define KNI_PACK_H

#include "wire.h"

enum {
    PACK_TICK, // the lowest byte
    PACK_TICK_NEXT,
    PACK_MARGIN,
    PACK_MARGIN_NEXT,
    PACK_RECEIVED,
    PACK_ANSWERS,
    PACK_INDEX, // of an entity
    PACK_INDEX_NEXT,
    PACK_FLAGS,
    PACK_BASE,
    PACK_KEY,
    PACK_DONOR, // index of another entity
    PACK_DONOR_BASE,
    PACK_CUE_SIZE,
    PACK_CUE,
    PACK_CUE_NEXT, // after a byte above 127
    PACK_SIZE,     // of a difference
    PACK_RUN,      // the first one, or 6: after each kind of run, new bytes by their number
    PACK_LENGTH = PACK_RUN + 7,
    PACK_LENGTH_LATER, // not of the first run
    PACK_LENGTH_NEXT,
    PACK_DISTANCE,
    PACK_DISTANCE_NEXT,
    PACK_SINGLE,                 // a new byte
    PACK_SHORT,                  // two
    PACK_FRESH = PACK_SHORT + 2, // more, by position
    PACK_KINDS = PACK_FRESH + 4,
};

#define PACK_BITS 14 // of the sum of all frequencies

// How often each byte comes, up to the one before it.
typedef struct pack_book {
    uint32_t references;
    uint8_t number; // from 1
    uint16_t sums[PACK_KINDS][257];
} pack_book;

// How often each byte came.
typedef struct pack_counts {
    uint32_t counts[PACK_KINDS][256];
    uint64_t bytes; // since the last book
} pack_counts;

#define BOOK_BYTES_MAX (PACK_KINDS * 257)

// Makes a book of what was counted.
void kni_book_make(const pack_counts *counts, pack_book *book);
// What was counted counts half from now on.
void kni_counts_fade(pack_counts *counts);
// How many bytes all that was counted takes with a book, about.
uint64_t kni_book_cost(const pack_book *book, const pack_counts *counts);
// A book as bytes, and back. The reader fails for what cannot be one.
void kni_book_write(const pack_counts *counts, kn_writer *out);
void kni_book_read(kn_reader *in, pack_book *book);

// Counts the bytes of a payload.
void kni_pack_count(pack_counts *counts, const uint8_t *bytes, size_t size);
// Writes a payload in fewer bytes; false if there is no room.
bool kni_pack(const pack_book *book, const uint8_t *bytes, size_t size, kn_writer *out);
// Reads it back, as many bytes as there were. False if the input ends long before.
bool kni_unpack(
    const pack_book *book, const uint8_t *bytes, size_t size, uint8_t *out, size_t most);

#endif
