// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Reads and writes fields as little-endian bytes. The writer keeps counting past the end of its
// buffer, so that a dry run gives the size; the reader remembers the first failure and from then on
// returns zeros, so that callers check once, at the end.
#ifndef KNI_BYTES_H
#define KNI_BYTES_H

#include "knack/base.h"

#include <string.h>

typedef struct kni_writer {
    uint8_t *data;
    size_t size;
    size_t length; // may exceed size
} kni_writer;

typedef struct kni_reader {
    const uint8_t *data;
    size_t size;
    size_t at;
    bool failed;
    bool no_memory; // the failure was a lack of memory; set by callers that allocate what they read
} kni_reader;

static inline void kni_write_bytes(kni_writer *writer, const void *bytes, size_t size)
{
    if (size > 0 && writer->length <= writer->size && size <= writer->size - writer->length) {
        KN_ASSERT(writer->data != NULL && bytes != NULL);
        memcpy(writer->data + writer->length, bytes, size);
    }
    writer->length += size;
}

// Written out, so that compilers make one store and one load of them.
static inline void kni_bytes_store_u32(uint8_t *bytes, uint32_t value)
{
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
    bytes[2] = (uint8_t)(value >> 16);
    bytes[3] = (uint8_t)(value >> 24);
}

static inline uint32_t kni_bytes_load_u32(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
           (uint32_t)bytes[3] << 24;
}

static inline void kni_write_uint(kni_writer *writer, uint64_t value, uint32_t size)
{
    uint8_t bytes[8];
    KN_ASSERT(size <= sizeof(bytes));
    kni_bytes_store_u32(bytes, (uint32_t)value);
    kni_bytes_store_u32(bytes + 4, (uint32_t)(value >> 32));
    switch (size) { // sizes that the compiler knows
    case 4:
        kni_write_bytes(writer, bytes, 4);
        break;
    case 8:
        kni_write_bytes(writer, bytes, 8);
        break;
    default:
        kni_write_bytes(writer, bytes, size);
        break;
    }
}

static inline void kni_write_u8(kni_writer *writer, uint8_t value)
{
    kni_write_uint(writer, value, 1);
}

static inline void kni_write_u32(kni_writer *writer, uint32_t value)
{
    kni_write_uint(writer, value, 4);
}

static inline void kni_write_u64(kni_writer *writer, uint64_t value)
{
    kni_write_uint(writer, value, 8);
}

// Length and bytes, without a final zero. NULL is written as "".
static inline void kni_write_str(kni_writer *writer, const char *text)
{
    uint32_t length = text != NULL ? (uint32_t)strlen(text) : 0;
    kni_write_u32(writer, length);
    kni_write_bytes(writer, text, length);
}

static inline const uint8_t *kni_read_bytes(kni_reader *reader, size_t size)
{
    KN_ASSERT(reader->at <= reader->size);
    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    const uint8_t *bytes = reader->data + reader->at;
    reader->at += size;
    return bytes;
}

static inline uint64_t kni_read_uint(kni_reader *reader, uint32_t size)
{
    const uint8_t *bytes = kni_read_bytes(reader, size);
    uint64_t value = 0;
    KN_ASSERT(size <= sizeof(value));
    if (bytes == NULL) {
        return 0;
    }
    switch (size) {
    case 4:
        return kni_bytes_load_u32(bytes);
    case 8:
        return kni_bytes_load_u32(bytes) | (uint64_t)kni_bytes_load_u32(bytes + 4) << 32;
    default:
        for (uint32_t i = 0; i < size; i++) {
            value |= (uint64_t)bytes[i] << (8 * i);
        }
        return value;
    }
}

static inline uint8_t kni_read_u8(kni_reader *reader)
{
    return (uint8_t)kni_read_uint(reader, 1);
}

static inline uint32_t kni_read_u32(kni_reader *reader)
{
    return (uint32_t)kni_read_uint(reader, 4);
}

static inline uint64_t kni_read_u64(kni_reader *reader)
{
    return kni_read_uint(reader, 8);
}

// A string of at most `capacity` - 1 bytes, zero-terminated; a longer one fails the reader.
static inline void kni_read_str(kni_reader *reader, char *text, uint32_t capacity)
{
    uint32_t length = kni_read_u32(reader);
    text[0] = 0;
    if (length >= capacity) {
        reader->failed = true;
        return;
    }
    const uint8_t *bytes = kni_read_bytes(reader, length);
    if (bytes != NULL && length > 0) {
        memcpy(text, bytes, length);
        text[length] = 0;
    }
}

#endif
