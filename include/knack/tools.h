// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Tools for those who write kits, modules and bindings to other languages: the ones that the
/// library itself uses for its defs, memory, messages and files. Games need none of them.
#ifndef KNACK_TOOLS_H
#define KNACK_TOOLS_H

#include "knack/base.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

// Defs ------------------------------------------------------------------------

/// The number that default functions put into the `cookie` of a def. A function that takes the def
/// checks it, so that a def without its defaults is found on the first run.
#define KN_COOKIE 0x6b6e6163u

/// Asserts that a def was initialised, and names the default function to start from: the one that
/// is called like the type of the def, with `_default` at its end.
#if KN_ASSERTS
#define KN_ASSERT_DEF(def, type)                                                                   \
    ((def) != NULL && (def)->cookie == KN_COOKIE                                                   \
            ? (void)0                                                                              \
            : kn_assert_report(#type ": start from " #type "_default()", __FILE__, __LINE__))
#else
#define KN_ASSERT_DEF(def, type) ((void)0)
#endif

// Memory ----------------------------------------------------------------------

/// Resizes one block by the allocator of `hooks`, as kn_realloc_fn says; by the C library's if it
/// names none, or is NULL. A `new_size` of 0 frees the block and gives NULL.
/// @return the block; NULL when out of memory, with the old block untouched
KN_API void *kn_memory_resize(const kn_hooks *hooks, void *ptr, size_t old_size, size_t new_size);
/// Frees one block by the allocator of `hooks`. NULL is ignored.
/// @param size the size last asked for
KN_API void kn_memory_free(const kn_hooks *hooks, void *ptr, size_t size);
/// Makes room for `wanted` elements in a growing array, by the allocator of `hooks`. When the array
/// has to grow, its capacity at least doubles; new elements are not initialised.
/// @param array the address of the pointer to the array, of any type; the pointer is NULL at first
/// @param capacity how many elements there is room for; 0 at first
/// @return true; false when out of memory, with the array untouched
KN_API KN_MUST_USE bool kn_memory_grow(
    const kn_hooks *hooks, void *array, uint32_t *capacity, uint32_t wanted, size_t element_size);

// Errors ----------------------------------------------------------------------

/// Fills an error, unless it is NULL, with a code and a message, and with 0 as line and column. A
/// message that is too long is truncated.
/// @param format takes %s and %u only, of all that printf() knows
/// @return `code`, so that a check can end with this call
KN_API kn_result kn_error_set(kn_error *error, kn_result code, const char *format, ...)
    KN_PRINTF(3, 4);

// Text ------------------------------------------------------------------------

/// Text that is put together piece by piece in somebody's buffer. What does not fit is counted
/// only, so that functions can return the full length:
///
///   kn_text out = kn_text_begin(text, size);
///   kn_text_add(&out, "%u of %u", done, all);
///   return out.length;
typedef struct kn_text {
    char *text;      ///< the buffer; its text always ends with a zero
    uint32_t size;   ///< bytes of the buffer
    uint32_t length; ///< length of the whole text so far; more than fits if it is truncated
} kn_text;

/// Begins a text in a buffer, with "".
/// @param text may be NULL: then everything is counted only
KN_API kn_text kn_text_begin(char *text, uint32_t size);
/// Adds a piece, written as printf() writes it. Print floats with kn_float_print(), which does not
/// depend on the locale.
KN_API void kn_text_add(kn_text *text, const char *format, ...) KN_PRINTF(2, 3);

// Bytes -----------------------------------------------------------------------

/// A hash of some bytes, the same on every machine. It notices that bytes differ; it does not
/// resist people who look for a collision.
/// @param seed another seed gives another hash: to continue with more bytes, pass the hash so far
KN_API uint64_t kn_hash_bytes(uint64_t seed, const void *bytes, size_t size);

/// Writes numbers as little-endian bytes, for files and messages that are the same on every
/// machine. It keeps counting when its buffer is full, so that a first run without a buffer gives
/// the size:
///
///   kn_writer writer = {buffer, size, 0};
///   kn_write_u32(&writer, 7);
///   bool fits = writer.length <= writer.size;
typedef struct kn_writer {
    uint8_t *data; ///< the buffer; may be NULL if its size is 0
    size_t size;   ///< bytes of the buffer
    size_t length; ///< bytes written so far; more than `size` if they did not fit
} kn_writer;

/// Reads what a kn_writer wrote. It remembers the first failure and gives zeros from then on, so
/// that one test at the end is enough:
///
///   kn_reader reader = {bytes, size, 0, false, false};
///   uint32_t number = kn_read_u32(&reader);
///   if (reader.failed) { ... }
typedef struct kn_reader {
    const uint8_t *data; ///< the bytes to read
    size_t size;         ///< number of bytes to read
    size_t at;           ///< position of the next byte
    bool failed;         ///< something was missing or malformed; set it yourself for what you check
    bool no_memory;      ///< there was no memory for what was read; set by those who allocate it
} kn_reader;

/// Writes bytes as they are. What does not fit is counted only.
static inline void kn_write_bytes(kn_writer *writer, const void *bytes, size_t size)
{
    if (size > 0 && writer->length <= writer->size && size <= writer->size - writer->length) {
        KN_ASSERT(writer->data != NULL && bytes != NULL);
        memcpy(writer->data + writer->length, bytes, size);
    }
    writer->length += size;
}

/// Writes the lowest `size` bytes of a number, at most 8, the lowest first.
static inline void kn_write_uint(kn_writer *writer, uint64_t value, uint32_t size)
{
    uint8_t bytes[8]; // written out, so that compilers make one store of it
    KN_ASSERT(size <= sizeof(bytes));
    bytes[0] = (uint8_t)value;
    bytes[1] = (uint8_t)(value >> 8);
    bytes[2] = (uint8_t)(value >> 16);
    bytes[3] = (uint8_t)(value >> 24);
    bytes[4] = (uint8_t)(value >> 32);
    bytes[5] = (uint8_t)(value >> 40);
    bytes[6] = (uint8_t)(value >> 48);
    bytes[7] = (uint8_t)(value >> 56);
    switch (size) { // sizes that the compiler knows
    case 4:
        kn_write_bytes(writer, bytes, 4);
        break;
    case 8:
        kn_write_bytes(writer, bytes, 8);
        break;
    default:
        kn_write_bytes(writer, bytes, size);
        break;
    }
}

/// Writes one byte.
static inline void kn_write_u8(kn_writer *writer, uint8_t value)
{
    kn_write_uint(writer, value, 1);
}

/// Writes a number of four bytes.
static inline void kn_write_u32(kn_writer *writer, uint32_t value)
{
    kn_write_uint(writer, value, 4);
}

/// Writes a number of eight bytes.
static inline void kn_write_u64(kn_writer *writer, uint64_t value)
{
    kn_write_uint(writer, value, 8);
}

/// Writes a string: the length in four bytes, then its bytes without the final zero. NULL is
/// written as "".
static inline void kn_write_str(kn_writer *writer, const char *text)
{
    uint32_t length = text != NULL ? (uint32_t)strlen(text) : 0;
    kn_write_u32(writer, length);
    kn_write_bytes(writer, text, length);
}

/// Reads bytes as they are: a view into the data, valid as long as that. NULL, and a failure, if
/// there are not enough.
static inline const uint8_t *kn_read_bytes(kn_reader *reader, size_t size)
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

/// Reads a number of `size` bytes, at most 8, the lowest first; 0 after a failure.
static inline uint64_t kn_read_uint(kn_reader *reader, uint32_t size)
{
    const uint8_t *bytes = kn_read_bytes(reader, size);
    uint64_t value = 0;
    KN_ASSERT(size <= sizeof(value));
    if (bytes == NULL) {
        return 0;
    }
    switch (size) { // written out, so that compilers make one load of it
    case 4:
        return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
               (uint32_t)bytes[3] << 24;
    case 8:
        return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 |
               (uint64_t)bytes[3] << 24 | (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 |
               (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
    default:
        for (uint32_t i = 0; i < size; i++) {
            value |= (uint64_t)bytes[i] << (8 * i);
        }
        return value;
    }
}

/// Reads one byte; 0 after a failure.
static inline uint8_t kn_read_u8(kn_reader *reader)
{
    return (uint8_t)kn_read_uint(reader, 1);
}

/// Reads a number of four bytes; 0 after a failure.
static inline uint32_t kn_read_u32(kn_reader *reader)
{
    return (uint32_t)kn_read_uint(reader, 4);
}

/// Reads a number of eight bytes; 0 after a failure.
static inline uint64_t kn_read_u64(kn_reader *reader)
{
    return kn_read_uint(reader, 8);
}

/// Reads a string of at most `capacity` - 1 bytes into `text`, with a zero at its end. A longer one
/// is a failure; "" after a failure.
static inline void kn_read_str(kn_reader *reader, char *text, uint32_t capacity)
{
    uint32_t length = kn_read_u32(reader);
    text[0] = 0;
    if (length >= capacity) {
        reader->failed = true;
        return;
    }
    const uint8_t *bytes = kn_read_bytes(reader, length);
    if (bytes != NULL && length > 0) {
        memcpy(text, bytes, length);
        text[length] = 0;
    }
}

#ifdef __cplusplus
}
#endif

#endif
