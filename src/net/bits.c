// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "bits.h"

#include <string.h>

void kni_bits_write_end(kni_bit_writer *writer, uint64_t value, uint32_t count)
{
    if (count > kni_bits_room(writer)) {
        writer->overflow = true;
        return;
    }
    for (uint32_t done = 0; done < count;) {
        uint8_t *byte = &writer->data[writer->at / 8];
        uint32_t shift = writer->at & 7;
        uint32_t part = 8 - shift < count - done ? 8 - shift : count - done;
        uint32_t bits = (uint32_t)(value >> done & kni_bits_mask(part));
        uint32_t kept = shift > 0 ? *byte : 0;
        *byte = (uint8_t)(kept | bits << shift);
        writer->at += part;
        done += part;
    }
}

uint64_t kni_bits_read_end(kni_bit_reader *reader, uint32_t count)
{
    if (count > kni_bits_left(reader)) {
        reader->failed = true;
    }
    if (reader->failed) {
        return 0;
    }
    uint64_t value = 0;
    for (uint32_t done = 0; done < count;) {
        uint32_t shift = reader->at & 7;
        uint32_t part = 8 - shift < count - done ? 8 - shift : count - done;
        uint64_t bits = (uint64_t)reader->data[reader->at / 8] >> shift & kni_bits_mask(part);
        value |= bits << done;
        reader->at += part;
        done += part;
    }
    return value;
}

void kni_bits_write_uint(kni_bit_writer *writer, uint64_t value, uint32_t group)
{
    KN_ASSERT(group >= 1 && group <= 32);
    for (;;) {
        uint64_t rest = value >> group;
        kni_bits_write(writer, (value & kni_bits_mask(group)) << 1 | (rest != 0), group + 1);
        if (rest == 0) {
            return;
        }
        value = rest;
    }
}

uint64_t kni_bits_read_uint(kni_bit_reader *reader, uint32_t group)
{
    KN_ASSERT(group >= 1 && group <= 32);
    uint64_t value = 0;
    for (uint32_t done = 0;; done += group) {
        uint64_t part = kni_bits_read(reader, group + 1);
        bool is_last = (part & 1) == 0;
        part >>= 1;
        bool fits = done < 64 && (part << done >> done) == part;
        bool is_needed = done == 0 || part != 0 || !is_last;
        if (reader->failed || !fits || !is_needed) {
            reader->failed = true;
            return 0;
        }
        value |= part << done;
        if (is_last) {
            return value;
        }
    }
}

void kni_bits_write_int(kni_bit_writer *writer, int64_t value, uint32_t group)
{
    uint64_t sign = value < 0 ? UINT64_MAX : 0;
    kni_bits_write_uint(writer, (uint64_t)value << 1 ^ sign, group);
}

int64_t kni_bits_read_int(kni_bit_reader *reader, uint32_t group)
{
    uint64_t value = kni_bits_read_uint(reader, group);
    int64_t half = (int64_t)(value >> 1);
    return (value & 1) != 0 ? -half - 1 : half;
}

void kni_bits_write_bytes(kni_bit_writer *writer, const void *bytes, size_t size)
{
    if (size > kni_bits_room(writer) / 8) {
        writer->overflow = true;
        return;
    }
    const uint8_t *from = bytes;
    if (writer->at % 8 == 0) {
        if (size > 0) {
            memcpy(writer->data + writer->at / 8, from, size);
        }
        writer->at += size * 8;
        return;
    }
    for (size_t i = 0; i < size; i++) {
        kni_bits_write(writer, from[i], 8);
    }
}

void kni_bits_read_bytes(kni_bit_reader *reader, void *bytes, size_t size)
{
    if (size > kni_bits_left(reader) / 8) {
        reader->failed = true;
    }
    if (size == 0) {
        return;
    }
    if (reader->failed) {
        memset(bytes, 0, size);
        return;
    }
    uint8_t *to = bytes;
    if (reader->at % 8 == 0) {
        memcpy(to, reader->data + reader->at / 8, size);
        reader->at += size * 8;
        return;
    }
    for (size_t i = 0; i < size; i++) {
        to[i] = (uint8_t)kni_bits_read(reader, 8);
    }
}

// Bits up to the next whole byte.
static uint32_t bits_padding(size_t at)
{
    return (uint32_t)(8 - at % 8) % 8;
}

void kni_bits_write_align(kni_bit_writer *writer)
{
    kni_bits_write(writer, 0, bits_padding(writer->at));
}

void kni_bits_read_align(kni_bit_reader *reader)
{
    if (kni_bits_read(reader, bits_padding(reader->at)) != 0) {
        reader->failed = true;
    }
}

bool kni_bits_finish(kni_bit_reader *reader)
{
    kni_bits_read_align(reader);
    if (reader->at != reader->size * 8) {
        reader->failed = true;
    }
    return !reader->failed;
}

void kni_bits_rollback(kni_bit_writer *writer, kni_bit_mark mark)
{
    KN_ASSERT(mark.at <= writer->at);
    writer->at = mark.at;
    writer->overflow = mark.overflow;
    if (mark.at % 8 != 0) {
        writer->data[mark.at / 8] &= (uint8_t)kni_bits_mask(mark.at % 8);
    }
}
