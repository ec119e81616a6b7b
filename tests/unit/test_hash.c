// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/hash.h"
#include "test_memory.h"

static uint64_t hash_of(const void *data, size_t size)
{
    kni_hash hash = kni_hash_begin(0);
    kni_hash_bytes(&hash, data, size);
    return kni_hash_end(&hash);
}

// Numbers in the source, so that another compiler or byte order would be noticed.
static void hashes_are_the_same_everywhere(void **state)
{
    (void)state;
    uint8_t bytes[200];
    for (uint32_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)(i * 37 + 11);
    }
    kni_hash all = kni_hash_begin(99);
    for (size_t size = 0; size <= sizeof bytes; size++) {
        kni_hash_bytes(&all, bytes, size);
    }
    kni_hash_u32(&all, 0x12345678);
    kni_hash_u64(&all, 0x123456789abcdef0);
    kni_hash_f32(&all, 1.5f);
    kni_hash_pair(&all, 1, 2);
    kni_hash_str(&all, "knack");
    assert_int_equal(kni_hash_end(&all), 0xdb5910f1920d8910u);
    assert_int_equal(hash_of(bytes, 60), 0xfa6eeb0c3049b7efu);
    assert_int_equal(hash_of("", 0), 0x64540a904c7ec72fu);
}

static void zeros_of_different_length_differ(void **state)
{
    (void)state;
    static const uint8_t zeros[300];
    uint64_t seen[301];
    for (size_t size = 0; size <= 300; size++) {
        seen[size] = hash_of(zeros, size);
        for (size_t i = 0; i < size; i++) {
            assert_int_not_equal(seen[i], seen[size]);
        }
    }
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

static void expect_no_twins(uint64_t *hashes, size_t count)
{
    qsort(hashes, count, sizeof *hashes, compare_u64);
    for (size_t i = 1; i < count; i++) {
        assert_int_not_equal(hashes[i - 1], hashes[i]);
    }
}

static void all_texts_of_up_to_two_bytes_differ(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 8; seed++) {
        static uint64_t hashes[256 + 65536];
        size_t count = 0;
        for (uint32_t i = 0; i < 65536; i++) {
            uint8_t bytes[2] = {(uint8_t)i, (uint8_t)(i >> 8)};
            for (size_t size = i < 256 ? 1 : 2; size <= 2; size++) {
                kni_hash hash = kni_hash_begin(seed);
                kni_hash_bytes(&hash, bytes, size);
                hashes[count++] = kni_hash_end(&hash);
            }
        }
        assert_int_equal(count, sizeof hashes / sizeof *hashes);
        expect_no_twins(hashes, count);
    }
}

static void every_bit_of_a_record_changes_about_half_the_hash(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 3, 4, 7, 8, 12, 16, 17, 31, 60, 64, 65, 128, 200};
    uint64_t seed = 11;
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        uint8_t bytes[200];
        uint64_t flips = 0, trials = 0;
        for (uint32_t round = 0; round < 20; round++) {
            for (size_t i = 0; i < sizes[s]; i++) {
                bytes[i] = (uint8_t)(round % 2 == 0 ? 0 : test_random(&seed));
            }
            uint64_t before = hash_of(bytes, sizes[s]);
            for (size_t bit = 0; bit < sizes[s] * 8; bit++) {
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                uint64_t changed = hash_of(bytes, sizes[s]) ^ before;
                bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
                uint64_t count = (uint64_t)__builtin_popcountll(changed);
                assert_true(count >= 8 && count <= 56);
                flips += count;
                trials++;
            }
        }
        assert_true(flips > trials * 30 && flips < trials * 34);
    }
}

static void small_numbers_in_all_places_differ(void **state)
{
    (void)state;
    enum { SIDE = 24 };
    static uint64_t hashes[SIDE * SIDE * SIDE * 2];
    size_t count = 0;
    for (uint32_t x = 0; x < SIDE; x++) {
        for (uint32_t y = 0; y < SIDE; y++) {
            for (uint32_t z = 0; z < SIDE; z++) {
                kni_hash hash = kni_hash_begin(0);
                kni_hash_u32(&hash, x);
                kni_hash_u32(&hash, y);
                kni_hash_u32(&hash, z);
                hashes[count++] = kni_hash_end(&hash);
                kni_hash pair = kni_hash_begin(0);
                kni_hash_pair(&pair, x, y);
                kni_hash_u32(&pair, z);
                hashes[count++] = kni_hash_end(&pair);
            }
        }
    }
    expect_no_twins(hashes, count);
}

static void both_zeros_of_a_float_differ(void **state)
{
    (void)state;
    kni_hash plus = kni_hash_begin(0), minus = kni_hash_begin(0);
    kni_hash_f32(&plus, 0.0f);
    kni_hash_f32(&minus, -0.0f);
    assert_int_not_equal(kni_hash_end(&plus), kni_hash_end(&minus));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(hashes_are_the_same_everywhere),
    cmocka_unit_test(zeros_of_different_length_differ),
    cmocka_unit_test(all_texts_of_up_to_two_bytes_differ),
    cmocka_unit_test(every_bit_of_a_record_changes_about_half_the_hash),
    cmocka_unit_test(small_numbers_in_all_places_differ),
    cmocka_unit_test(both_zeros_of_a_float_differ),
};

TEST_GROUP(test_hash, tests, NULL, NULL);
