// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What plain C17 cannot say, or not fast enough: the only place in src/ that names a compiler.
// Every form gives the same result. KNI_COMPILER_PLAIN selects plain C17 everywhere, which is what
// an unknown compiler gets.
#ifndef KNI_COMPILER_H
#define KNI_COMPILER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#if defined(KNI_COMPILER_PLAIN)
#elif defined(__GNUC__) // gcc and clang
#define KNI_COMPILER_GNU
#elif defined(_MSC_VER)
#define KNI_COMPILER_MSVC
#include <intrin.h>
#endif

#if !defined(KNI_COMPILER_GNU) && !defined(KNI_COMPILER_MSVC)
#include <stdlib.h>
#if !defined(__STDC_NO_ATOMICS__)
#include <stdatomic.h>
#endif
#endif

// KNI_FAST: a short function that every tick and hit goes through, always a part of its callers.
// KNI_SLOW: the rare part of one, which optimisation across files would put back into the short
// one. KNI_PREFETCH: asks for memory that is about to be read, KNI_PREFETCH_WRITE for memory about
// to be written. Macros, since compilers remove a function that only prefetches. KNI_TRAP: stops in
// the debugger, or ends the process.
#if defined(KNI_COMPILER_GNU)
#define KNI_FAST __attribute__((always_inline)) static inline
#define KNI_SLOW __attribute__((noinline))
#define KNI_PREFETCH(address) __builtin_prefetch(address)
#define KNI_PREFETCH_WRITE(address) __builtin_prefetch(address, 1)
#define KNI_TRAP() __builtin_trap()
#elif defined(KNI_COMPILER_MSVC)
#define KNI_FAST static __forceinline
#define KNI_SLOW __declspec(noinline)
#define KNI_PREFETCH(address) ((void)(address))
#define KNI_PREFETCH_WRITE(address) ((void)(address))
#define KNI_TRAP() __debugbreak()
#else
#define KNI_FAST static inline
#define KNI_SLOW
#define KNI_PREFETCH(address) ((void)(address))
#define KNI_PREFETCH_WRITE(address) ((void)(address))
#define KNI_TRAP() abort()
#endif

// Index of the lowest bit that is set. There must be one.
static inline uint32_t kni_bit_lowest(uint64_t bits)
{
#if defined(KNI_COMPILER_GNU)
    return (uint32_t)__builtin_ctzll(bits);
#elif defined(KNI_COMPILER_MSVC) && defined(_WIN64)
    unsigned long index;
    _BitScanForward64(&index, bits);
    return index;
#else
    uint32_t index = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if ((bits & ((UINT64_C(1) << step) - 1)) == 0) {
            bits >>= step;
            index += step;
        }
    }
    return index;
#endif
}

// Index of the highest bit that is set. There must be one.
static inline uint32_t kni_bit_highest(uint64_t bits)
{
#if defined(KNI_COMPILER_GNU)
    return 63 - (uint32_t)__builtin_clzll(bits);
#elif defined(KNI_COMPILER_MSVC) && defined(_WIN64)
    unsigned long index;
    _BitScanReverse64(&index, bits);
    return index;
#else
    uint32_t index = 0;
    for (uint32_t step = 32; step > 0; step /= 2) {
        if (bits >> step != 0) {
            bits >>= step;
            index += step;
        }
    }
    return index;
#endif
}

// The product, all 128 bits of it: the upper half goes to *high.
static inline uint64_t kni_multiply(uint64_t x, uint64_t y, uint64_t *high)
{
#if defined(KNI_COMPILER_GNU) && defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)x * y;
    *high = (uint64_t)(product >> 64);
    return (uint64_t)product;
#elif defined(KNI_COMPILER_MSVC) && defined(_M_X64)
    return _umul128(x, y, high);
#else
    uint64_t x0 = x & UINT32_MAX, x1 = x >> 32;
    uint64_t y0 = y & UINT32_MAX, y1 = y >> 32;
    uint64_t low = x0 * y0;
    uint64_t middle = x1 * y0 + (low >> 32); // at most (2^32 - 1)^2 + 2^32 - 1: fits
    uint64_t cross = x0 * y1 + (middle & UINT32_MAX);
    *high = x1 * y1 + (middle >> 32) + (cross >> 32);
    return cross << 32 | (low & UINT32_MAX);
#endif
}

// Whether numbers in memory begin with their lowest byte is known for these compilers only; the
// others compose numbers from bytes.
#if (defined(KNI_COMPILER_GNU) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__) ||                    \
    defined(KNI_COMPILER_MSVC)
#define KNI_LITTLE_ENDIAN
#endif

static inline bool kni_is_big_endian(void)
{
#if defined(KNI_LITTLE_ENDIAN)
    return false;
#else
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, sizeof(first));
    return first == 0;
#endif
}

// Turns the bytes of a number round if the machine does not begin with the lowest: a number of the
// machine becomes one with the lowest byte first, or the other way round.
static inline void kni_order(uint8_t *at, uint32_t size)
{
    for (uint32_t i = 0; kni_is_big_endian() && i < size / 2; i++) {
        uint8_t byte = at[i];
        at[i] = at[size - 1 - i];
        at[size - 1 - i] = byte;
    }
}

// A number of 4 bytes, the lowest first, at any address.
static inline uint32_t kni_load32(const void *at)
{
#if defined(KNI_LITTLE_ENDIAN)
    uint32_t value;
    memcpy(&value, at, sizeof(value));
    return value;
#else
    const uint8_t *bytes = at;
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
#endif
}

// A number of 8 bytes, the lowest first, at any address.
static inline uint64_t kni_load64(const void *at)
{
#if defined(KNI_LITTLE_ENDIAN)
    uint64_t value;
    memcpy(&value, at, sizeof(value));
    return value;
#else
    const uint8_t *bytes = at;
    return kni_load32(bytes) | (uint64_t)kni_load32(bytes + 4) << 32;
#endif
}

// Two neighbours of 4 bytes each, in the byte order of the machine: the first becomes the lower
// half.
static inline uint64_t kni_load_two(const void *at)
{
#if defined(KNI_LITTLE_ENDIAN)
    return kni_load64(at);
#else
    uint32_t both[2];
    memcpy(both, at, sizeof(both));
    return both[0] | (uint64_t)both[1] << 32;
#endif
}

// A number that several threads change. A compiler without atomics gets a plain one: there, worlds
// that share a library belong to one thread.
typedef struct kni_atomic {
#if defined(KNI_COMPILER_GNU)
    uint32_t value;
#elif defined(KNI_COMPILER_MSVC)
    volatile long value;
#elif !defined(__STDC_NO_ATOMICS__)
    _Atomic uint32_t value;
#else
    uint32_t value;
#endif
} kni_atomic;

// Adds, modulo 2^32. What other threads wrote before their additions is visible after this one.
// Returns the new value.
static inline uint32_t kni_atomic_add(kni_atomic *atomic, uint32_t change)
{
#if defined(KNI_COMPILER_GNU)
    return __atomic_add_fetch(&atomic->value, change, __ATOMIC_ACQ_REL);
#elif defined(KNI_COMPILER_MSVC)
    return (uint32_t)_InterlockedExchangeAdd(&atomic->value, (long)change) + change;
#elif !defined(__STDC_NO_ATOMICS__)
    return atomic_fetch_add_explicit(&atomic->value, change, memory_order_acq_rel) + change;
#else
    return atomic->value += change;
#endif
}

// Sets bits and orders nothing else. Returns the value before.
static inline uint32_t kni_atomic_or(kni_atomic *atomic, uint32_t bits)
{
#if defined(KNI_COMPILER_GNU)
    return __atomic_fetch_or(&atomic->value, bits, __ATOMIC_RELAXED);
#elif defined(KNI_COMPILER_MSVC)
    return (uint32_t)_InterlockedOr(&atomic->value, (long)bits);
#elif !defined(__STDC_NO_ATOMICS__)
    return atomic_fetch_or_explicit(&atomic->value, bits, memory_order_relaxed);
#else
    uint32_t before = atomic->value;
    atomic->value |= bits;
    return before;
#endif
}

#endif
