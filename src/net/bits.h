// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Numbers of any number of bits, packed into bytes. The first bit is the lowest one of the first
// byte, and numbers begin with their lowest bit, so that a number of 8, 16, 32 or 64 bits on a byte
// boundary is a little-endian one. What a reader gets is never trusted: it remembers the first
// failure, gives zeros from then on, and reads nothing beyond its bytes.
#ifndef KNI_BITS_H
#define KNI_BITS_H

#include "knack/base.h"

// Writes into a buffer of the caller. Unused bits of the last byte are 0; the writer may also set
// bytes behind it to 0, but none behind `capacity`. What does not fit is left out, and so is all
// that follows, until kni_bits_rollback().
typedef struct kni_bit_writer {
    uint8_t *data;
    size_t capacity; // bytes
    size_t at;       // bits written
    bool overflow;   // something did not fit
} kni_bit_writer;

// Where a writer was.
typedef struct kni_bit_mark {
    size_t at;
    bool overflow;
} kni_bit_mark;

typedef struct kni_bit_reader {
    const uint8_t *data;
    size_t size; // bytes
    size_t at;   // bits read
    bool failed; // something was missing or malformed; set it for what you check yourself
} kni_bit_reader;

static inline kni_bit_writer kni_bits_writer(void *data, size_t capacity)
{
    return (kni_bit_writer){.data = data, .capacity = capacity};
}

static inline kni_bit_reader kni_bits_reader(const void *data, size_t size)
{
    return (kni_bit_reader){.data = data, .size = size};
}

// The lowest `count` bits set, for 0 to 64.
static inline uint64_t kni_bits_mask(uint32_t count)
{
    return count < 64 ? ((uint64_t)1 << count) - 1 : UINT64_MAX;
}

// Bytes that hold everything written so far.
static inline size_t kni_bits_size(const kni_bit_writer *writer)
{
    return writer->at / 8 + (writer->at % 8 != 0);
}

// Bits that still fit; 0 after an overflow.
static inline size_t kni_bits_room(const kni_bit_writer *writer)
{
    return writer->overflow ? 0 : writer->capacity * 8 - writer->at;
}

// Bits not read yet; 0 after a failure.
static inline size_t kni_bits_left(const kni_bit_reader *reader)
{
    return reader->failed ? 0 : reader->size * 8 - reader->at;
}

// The part of kni_bits_write() for the last nine bytes of a buffer.
void kni_bits_write_end(kni_bit_writer *writer, uint64_t value, uint32_t count);
// The part of kni_bits_read() for the last nine bytes.
uint64_t kni_bits_read_end(kni_bit_reader *reader, uint32_t count);

// Writes the lowest `count` bits of a number, 0 to 64 of them; the others are ignored.
static inline void kni_bits_write(kni_bit_writer *writer, uint64_t value, uint32_t count)
{
    KN_ASSERT(count <= 64);
    size_t byte = writer->at / 8;
    if (writer->overflow || writer->capacity - byte < 9) {
        kni_bits_write_end(writer, value, count);
        return;
    }
    uint8_t *data = writer->data + byte;
    uint32_t shift = writer->at % 8;
    value &= kni_bits_mask(count);
    uint64_t low = value << shift;
    if (shift != 0) {
        low |= data[0]; // unused bits of it are 0
        data[8] = (uint8_t)(value >> (64 - shift));
    }
    data[0] = (uint8_t)low; // written out, so that compilers make one store of it
    data[1] = (uint8_t)(low >> 8);
    data[2] = (uint8_t)(low >> 16);
    data[3] = (uint8_t)(low >> 24);
    data[4] = (uint8_t)(low >> 32);
    data[5] = (uint8_t)(low >> 40);
    data[6] = (uint8_t)(low >> 48);
    data[7] = (uint8_t)(low >> 56);
    writer->at += count;
}

// Reads a number of `count` bits, 0 to 64; 0 after a failure.
static inline uint64_t kni_bits_read(kni_bit_reader *reader, uint32_t count)
{
    KN_ASSERT(count <= 64);
    size_t byte = reader->at / 8;
    if (reader->failed || reader->size - byte < 9) {
        return kni_bits_read_end(reader, count);
    }
    const uint8_t *data = reader->data + byte;
    uint32_t shift = reader->at % 8;
    uint64_t value = (uint64_t)data[0] | (uint64_t)data[1] << 8 | (uint64_t)data[2] << 16 |
                     (uint64_t)data[3] << 24 | (uint64_t)data[4] << 32 | (uint64_t)data[5] << 40 |
                     (uint64_t)data[6] << 48 | (uint64_t)data[7] << 56;
    if (shift != 0) {
        value = value >> shift | (uint64_t)data[8] << (64 - shift);
    }
    reader->at += count;
    return value & kni_bits_mask(count);
}

static inline void kni_bits_write_bool(kni_bit_writer *writer, bool value)
{
    kni_bits_write(writer, value, 1);
}

static inline bool kni_bits_read_bool(kni_bit_reader *reader)
{
    return kni_bits_read(reader, 1) != 0;
}

// A number in groups of `group` bits, 1 to 32, the lowest first; a bit before each group says
// whether another follows. Numbers below 2^group take group + 1 bits.
void kni_bits_write_uint(kni_bit_writer *writer, uint64_t value, uint32_t group);
// Fails for a number with more than 64 bits, or with a group it does not need: each number has one
// form.
uint64_t kni_bits_read_uint(kni_bit_reader *reader, uint32_t group);

// The same for numbers with a sign: 0, -1, 1, -2, 2 are written as 0, 1, 2, 3, 4.
void kni_bits_write_int(kni_bit_writer *writer, int64_t value, uint32_t group);
int64_t kni_bits_read_int(kni_bit_reader *reader, uint32_t group);

// Bytes as they are, on any bit. All of them are written, or none.
void kni_bits_write_bytes(kni_bit_writer *writer, const void *bytes, size_t size);
// Fills `bytes` with zeros if there are too few.
void kni_bits_read_bytes(kni_bit_reader *reader, void *bytes, size_t size);

// Continues at the next whole byte, with zeros up to there.
void kni_bits_write_align(kni_bit_writer *writer);
// Fails unless the bits up to there are 0.
void kni_bits_read_align(kni_bit_reader *reader);

// Fails unless all is read but for less than a byte of zeros. True if nothing failed, now or
// before.
bool kni_bits_finish(kni_bit_reader *reader);

// Remembers where the writer is.
static inline kni_bit_mark kni_bits_mark(const kni_bit_writer *writer)
{
    return (kni_bit_mark){writer->at, writer->overflow};
}

// Forgets what was written since the mark, and whether it fitted.
void kni_bits_rollback(kni_bit_writer *writer, kni_bit_mark mark);

#endif
