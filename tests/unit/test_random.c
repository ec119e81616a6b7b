// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/random.h"
#include "knack/world.h"
#include "test_memory.h"

// The first numbers of the reference implementation's demo, seed 42, stream 54.
static void sequence_matches_the_published_one(void **state)
{
    (void)state;
    static const uint32_t expected[] = {
        0xa15c02b7, 0x7b47f409, 0xba1d3330, 0x83d2f293, 0xbfa4784b, 0xcbed606e};
    kni_random random;
    kni_random_seed(&random, 42, 54);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(kni_random_u32(&random), expected[i]);
    }
}

static void streams_of_one_seed_differ(void **state)
{
    (void)state;
    kni_random a, b;
    kni_random_seed(&a, 7, 1);
    kni_random_seed(&b, 7, 2);
    uint32_t same = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        same += kni_random_u32(&a) == kni_random_u32(&b);
    }
    assert_true(same < 3);
}

static void copied_state_continues_alike(void **state)
{
    (void)state;
    kni_random a;
    kni_random_seed(&a, UINT64_MAX, UINT64_MAX);
    kni_random_u32(&a);
    kni_random b = a;
    for (uint32_t i = 0; i < 100; i++) {
        assert_int_equal(kni_random_u32(&a), kni_random_u32(&b));
    }
}

static void below_is_in_range_and_even(void **state)
{
    (void)state;
    kni_random random;
    kni_random_seed(&random, 1, 1);
    uint32_t counts[10] = {0};
    for (uint32_t i = 0; i < 100000; i++) {
        uint32_t roll = kni_random_below(&random, 10);
        assert_true(roll < 10);
        counts[roll]++;
    }
    for (uint32_t i = 0; i < 10; i++) {
        assert_true(counts[i] > 9600 && counts[i] < 10400);
    }
    assert_int_equal(kni_random_below(&random, 1), 0);
    // With 3 * 2^30 a plain product would give a third of the numbers half of the draws.
    uint32_t low = 0;
    for (uint32_t i = 0; i < 30000; i++) {
        uint32_t roll = kni_random_below(&random, 3u << 30);
        assert_true(roll < 3u << 30);
        low += roll % 3 == 0;
    }
    assert_true(low > 9600 && low < 10400);
}

static void float_is_at_least_zero_and_below_one(void **state)
{
    (void)state;
    kni_random random;
    kni_random_seed(&random, 3, 9);
    double sum = 0.0;
    for (uint32_t i = 0; i < 100000; i++) {
        float roll = kni_random_float(&random);
        assert_true(roll >= 0.0f && roll < 1.0f);
        sum += (double)roll;
    }
    assert_true(sum > 49500.0 && sum < 50500.0);
}

// SplitMix64 with the seed 1234567, as published; the float is of the upper 24 bits.
static void mixed_numbers_match_the_published_ones(void **state)
{
    (void)state;
    static const uint64_t expected[] = {6457827717110365317u, 3203168211198807973u,
        9817491932198370423u, 4593380528125082431u, 16408922859458223821u};
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(kni_random_mix(1234567, i) == (float)(expected[i] >> 40) * 0x1p-24f);
    }
}

// The mean of attempts to a success is 1 / chance, and a success comes in the end.
static void accumulating_chances_keep_their_average(void **state)
{
    (void)state;
    for (uint32_t percent = 1; percent <= 100; percent++) {
        const float chance = ((float)percent - 0.5f) / 100.0f; // between two points of the table
        double open = 1.0, attempts = 0.0;
        for (uint32_t failures = 0; open > 1e-12; failures++) {
            const double now = (double)kn_random_accumulating(chance, failures);
            attempts += open;
            open = now < 1.0 ? open * (1.0 - now) : 0.0;
        }
        if (1.0 / attempts < (double)chance - 0.002 || 1.0 / attempts > (double)chance + 0.002) {
            fail_msg("%u %%: the average is %.5f", percent, 1.0 / attempts);
        }
    }
    assert_true(kn_random_accumulating(0.25f, 0) < 0.1f);
    assert_true(kn_random_accumulating(0.0f, 100) == 0.0f);
    assert_true(kn_random_accumulating(-1.0f, 3) == 0.0f);
    assert_true(kn_random_accumulating(1.0f, 0) >= 1.0f);
    assert_true(kn_random_accumulating(7.0f, 0) >= 1.0f);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(sequence_matches_the_published_one),
    cmocka_unit_test(streams_of_one_seed_differ),
    cmocka_unit_test(copied_state_continues_alike),
    cmocka_unit_test(below_is_in_range_and_even),
    cmocka_unit_test(float_is_at_least_zero_and_below_one),
    cmocka_unit_test(mixed_numbers_match_the_published_ones),
    cmocka_unit_test(accumulating_chances_keep_their_average),
};

TEST_GROUP(test_random, tests, NULL, NULL);
