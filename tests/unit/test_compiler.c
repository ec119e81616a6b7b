// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The plain forms, which an unknown compiler gets, give what the compiler's own give.

#define KNI_COMPILER_PLAIN
#include "base/compiler.h"
#include "test_memory.h"

static const uint64_t edges[] = {1, 2, 3, 255, 256, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
    (uint64_t)UINT32_MAX << 32, UINT64_C(1) << 62, UINT64_C(1) << 63, UINT64_MAX - 1, UINT64_MAX};
#define EDGE_COUNT (sizeof(edges) / sizeof(*edges))

// All widths are about equally frequent, and so are bits that are followed by zeros.
static uint64_t random_bits(uint64_t *seed)
{
    uint64_t bits = test_random(seed) >> (test_random(seed) & 63);
    return (bits << (test_random(seed) & 63)) | UINT64_C(1) << (test_random(seed) & 63);
}

static void check_bits(uint64_t bits)
{
    assert_int_equal(kni_bit_lowest(bits), __builtin_ctzll(bits));
    assert_int_equal(kni_bit_highest(bits), 63 - __builtin_clzll(bits));
}

static void lowest_and_highest_bits_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < EDGE_COUNT; i++) {
        check_bits(edges[i]);
    }
    for (uint32_t i = 0; i < 64; i++) {
        check_bits(UINT64_C(1) << i);
        check_bits(UINT64_MAX << i);
    }
    uint64_t seed = 7;
    for (uint32_t i = 0; i < 100000; i++) {
        check_bits(random_bits(&seed));
    }
}

#if defined(__SIZEOF_INT128__)
static void check_product(uint64_t x, uint64_t y)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)x * y;
    uint64_t high;
    assert_int_equal(kni_multiply(x, y, &high), (uint64_t)product);
    assert_int_equal(high, (uint64_t)(product >> 64));
}
#else
static void check_product(uint64_t x, uint64_t y)
{
    uint64_t high;
    assert_int_equal(kni_multiply(x, y, &high), x * y);
}
#endif

static void products_have_all_their_bits(void **state)
{
    (void)state;
    check_product(0, UINT64_MAX);
    for (size_t i = 0; i < EDGE_COUNT; i++) {
        for (size_t j = 0; j < EDGE_COUNT; j++) {
            check_product(edges[i], edges[j]);
        }
    }
    uint64_t seed = 5;
    for (uint32_t i = 0; i < 100000; i++) {
        check_product(test_random(&seed), random_bits(&seed));
    }
    uint64_t high;
    assert_int_equal(kni_multiply(UINT64_MAX, UINT64_MAX, &high), 1);
    assert_int_equal(high, UINT64_MAX - 1);
}

static void numbers_are_read_from_any_address(void **state)
{
    (void)state;
    const uint8_t bytes[] = {0xee, 0x01, 0x82, 0x03, 0x84, 0x05, 0x86, 0x07, 0x88, 0xff};

    assert_int_equal(kni_load32(bytes + 1), 0x84038201u);
    assert_int_equal(kni_load64(bytes + 1), UINT64_C(0x8807860584038201));
}

static void the_first_of_two_neighbours_is_the_lower_half(void **state)
{
    (void)state;
    const uint32_t both[2] = {0x81020304u, 0x95060708u};
    uint8_t at[9];
    memcpy(at + 1, both, sizeof(both));

    assert_int_equal(kni_load_two(at + 1), UINT64_C(0x9506070881020304));
}

static void an_atomic_number_adds_and_sets_bits(void **state)
{
    (void)state;
    kni_atomic number = {0};

    assert_int_equal(kni_atomic_add(&number, 3), 3);
    assert_int_equal(kni_atomic_add(&number, (uint32_t)-1), 2);
    assert_int_equal(kni_atomic_or(&number, 0x80000001u), 2);
    assert_int_equal(kni_atomic_or(&number, 1), 0x80000003u);
    assert_int_equal(kni_atomic_add(&number, 0x80000000u), 3);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(lowest_and_highest_bits_are_found),
    cmocka_unit_test(products_have_all_their_bits),
    cmocka_unit_test(numbers_are_read_from_any_address),
    cmocka_unit_test(the_first_of_two_neighbours_is_the_lower_half),
    cmocka_unit_test(an_atomic_number_adds_and_sets_bits),
};

TEST_GROUP(test_compiler, tests, NULL, NULL);
