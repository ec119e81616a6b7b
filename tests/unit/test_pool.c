// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/pool.h"
#include "test_memory.h"

#define RECORD_SIZE 20

typedef struct fixture {
    test_memory test;
    kni_memory memory;
    kni_pool pool;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_memory_init(&f->test, &f->memory);
    kni_pool_init(&f->pool, RECORD_SIZE);
    *state = f;
    return f == NULL;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kni_pool_free(&f->pool, &f->memory);
    test_memory_expect_empty(&f->test, &f->memory);
    free(f);
    return 0;
}

static void assert_zero_record(const kni_pool *pool, uint32_t slot)
{
    static const uint8_t zero[RECORD_SIZE];
    assert_memory_equal(kni_pool_at(pool, slot), zero, RECORD_SIZE);
}

static void lowest_free_slot_is_taken_next(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 200; i++) {
        assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), i);
    }
    kni_pool_release(&f->pool, 150);
    kni_pool_release(&f->pool, 3);
    kni_pool_release(&f->pool, 70);
    assert_int_equal(f->pool.count, 197);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 3);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 70);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 150);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 200);
    assert_true(kni_pool_validate(&f->pool));
}

static void taken_and_released_records_are_zero(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t slot = kni_pool_acquire(&f->pool, &f->memory);
        assert_zero_record(&f->pool, slot);
        memset(kni_pool_at(&f->pool, slot), 0xff, RECORD_SIZE);
    }
    kni_pool_release(&f->pool, 40);
    assert_zero_record(&f->pool, 40);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 40);
    assert_zero_record(&f->pool, 40);

    kni_pool_clear(&f->pool);
    assert_int_equal(f->pool.count, 0);
    assert_true(kni_pool_validate(&f->pool));
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 0);
    assert_zero_record(&f->pool, 0);
    assert_true(kni_pool_acquire_at(&f->pool, &f->memory, 90));
    for (uint32_t slot = 0; slot <= 90; slot++) {
        assert_zero_record(&f->pool, slot);
    }
}

static void walk_meets_every_live_slot_in_order(void **state)
{
    fixture *f = *state;
    assert_int_equal(kni_pool_next(&f->pool, 0), KNI_NONE);
    const uint32_t slots[] = {5, 63, 64, 700, 9000};
    for (uint32_t i = 0; i < 5; i++) {
        assert_true(kni_pool_acquire_at(&f->pool, &f->memory, slots[4 - i]));
    }
    uint32_t slot = 0;
    for (uint32_t i = 0; i < 5; i++) {
        slot = kni_pool_next(&f->pool, slot);
        assert_int_equal(slot, slots[i]);
        assert_true(kni_pool_is_live(&f->pool, slot));
        assert_false(kni_pool_is_live(&f->pool, slot + (i == 1 ? 2 : 1)));
        slot++;
    }
    assert_int_equal(kni_pool_next(&f->pool, slot), KNI_NONE);
    assert_int_equal(kni_pool_next(&f->pool, UINT32_MAX - 1), KNI_NONE);
    assert_false(kni_pool_is_live(&f->pool, KNI_NONE));
}

static void slot_taken_by_number_is_skipped_by_acquire(void **state)
{
    fixture *f = *state;
    assert_true(kni_pool_acquire_at(&f->pool, &f->memory, 1));
    assert_true(kni_pool_acquire_at(&f->pool, &f->memory, 3));
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 0);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 2);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 4);
    assert_true(kni_pool_validate(&f->pool));
    assert_false(kni_pool_acquire_at(&f->pool, &f->memory, KNI_POOL_MAX));
}

static void lowest_free_slot_from_a_place_on_is_taken(void **state)
{
    fixture *f = *state;
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 70), 70);
    assert_int_equal(f->pool.used, 71);
    assert_zero_record(&f->pool, 70);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 70), 71);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 60), 60);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 60), 61);
    for (uint32_t slot = 72; slot < 200; slot++) { // over words that are full
        assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 70), slot);
    }
    kni_pool_release(&f->pool, 130);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 131), 200);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 65), 65);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, 70), 130);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 0);
    assert_int_equal(kni_pool_acquire_from(&f->pool, &f->memory, KNI_POOL_MAX), KNI_NONE);
    assert_true(kni_pool_validate(&f->pool));
}

static void slots_taken_by_number_fill_their_words(void **state)
{
    fixture *f = *state;
    for (uint32_t slot = 5000; slot-- > 0;) {
        assert_true(kni_pool_acquire_at(&f->pool, &f->memory, slot));
    }
    assert_true(kni_pool_validate(&f->pool));
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 5000);
}

static void damaged_pool_fails_validation(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 200; i++) {
        kni_pool_acquire(&f->pool, &f->memory);
    }
    kni_pool_release(&f->pool, 70);
    assert_true(kni_pool_validate(&f->pool));
    kn_assert_set_handler(test_ignore_assert);
    f->pool.live[3] |= (uint64_t)1 << 60; // a slot beyond `used`
    assert_false(kni_pool_validate(&f->pool));
    f->pool.live[3] &= ~((uint64_t)1 << 60);
    f->pool.full[0] ^= 1;
    assert_false(kni_pool_validate(&f->pool));
    f->pool.full[0] ^= 1;
    f->pool.room++;
    f->pool.room++;
    assert_false(kni_pool_validate(&f->pool));
    f->pool.room = 0;
    *(uint8_t *)kni_pool_at(&f->pool, 70) = 1; // written to after release
    assert_false(kni_pool_validate(&f->pool));
    *(uint8_t *)kni_pool_at(&f->pool, 70) = 0;
    f->pool.count++;
    assert_false(kni_pool_validate(&f->pool));
    f->pool.count--;
    kn_assert_set_handler(NULL);
    assert_true(kni_pool_validate(&f->pool));
}

static void pool_without_memory_stays_as_it_was(void **state)
{
    fixture *f = *state;
    for (uint64_t fail = 1; fail <= 2; fail++) {
        f->test.fail_at = f->test.calls + fail;
        assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), KNI_NONE);
        assert_int_equal(f->test.blocks, 0);
    }
    f->test.fail_at = 0;
    uint32_t slot = 0;
    do {
        slot = kni_pool_acquire(&f->pool, &f->memory);
        memset(kni_pool_at(&f->pool, slot), 7, RECORD_SIZE);
    } while (f->pool.count < f->pool.capacity);
    for (uint64_t fail = 1; fail <= 2; fail++) {
        kni_pool before = f->pool;
        f->test.fail_at = f->test.calls + fail;
        assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), KNI_NONE);
        assert_false(kni_pool_acquire_at(&f->pool, &f->memory, slot + 100));
        assert_false(kni_pool_reserve(&f->pool, &f->memory, slot + 2));
        assert_memory_equal(&before, &f->pool, sizeof before);
    }
    kni_pool_release(&f->pool, 5);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 5);
    assert_false(kni_pool_reserve(&f->pool, &f->memory, KNI_POOL_MAX + 1));
    assert_true(kni_pool_validate(&f->pool));
}

static void reserved_records_need_no_further_memory(void **state)
{
    fixture *f = *state;
    assert_true(kni_pool_reserve(&f->pool, &f->memory, 5000));
    f->test.fail_at = f->test.calls + 1;
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), i);
    }
}

// Enough slots that the top bitmap has several words.
static void large_pool_still_finds_its_holes(void **state)
{
    fixture *f = *state;
    enum { COUNT = 600000 };
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), i);
    }
    kni_pool_release(&f->pool, 599999);
    kni_pool_release(&f->pool, 300000);
    kni_pool_release(&f->pool, 262143);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 262143);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 300000);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 599999);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), COUNT);
    assert_true(kni_pool_validate(&f->pool));
}

// Random acquires, releases and snapshots against an array of bytes.
static void pool_behaves_like_an_array_of_flags(void **state)
{
    fixture *f = *state;
    enum { SLOTS = 6000, ROUNDS = 60000 };
    static uint8_t model[SLOTS], saved_model[SLOTS];
    memset(model, 0, sizeof model);
    uint8_t *snapshot = NULL;
    uint64_t seed = 3;
    uint32_t bias = 60;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        if (round % 10000 == 0) {
            bias = 30 + test_below(&seed, 40);
        }
        uint32_t what = test_below(&seed, 100);
        if (what < bias && f->pool.count < SLOTS / 2) {
            uint32_t expected = 0;
            while (model[expected] != 0) {
                expected++;
            }
            uint32_t slot = kni_pool_acquire(&f->pool, &f->memory);
            assert_int_equal(slot, expected);
            model[slot] = (uint8_t)(1 + slot % 255);
            assert_zero_record(&f->pool, slot);
            memset(kni_pool_at(&f->pool, slot), model[slot], RECORD_SIZE);
        } else if (what < 98) {
            uint32_t slot = kni_pool_next(&f->pool, test_below(&seed, SLOTS));
            if (slot != KNI_NONE) {
                assert_int_not_equal(model[slot], 0);
                assert_int_equal(*(uint8_t *)kni_pool_at(&f->pool, slot), model[slot]);
                kni_pool_release(&f->pool, slot);
                model[slot] = 0;
            }
        } else if (what == 98) {
            uint32_t slot = test_below(&seed, SLOTS);
            if (model[slot] == 0) {
                assert_true(kni_pool_acquire_at(&f->pool, &f->memory, slot));
                model[slot] = 1;
                memset(kni_pool_at(&f->pool, slot), 1, RECORD_SIZE);
            }
        } else if (test_below(&seed, 4) == 0 || snapshot == NULL) {
            size_t size = kni_pool_snapshot_size(&f->pool);
            snapshot = realloc(snapshot, size);
            assert_ptr_equal(kni_pool_snapshot(&f->pool, snapshot), snapshot + size);
            memcpy(saved_model, model, sizeof model);
        } else if (test_below(&seed, 8) == 0) {
            assert_non_null(kni_pool_restore(&f->pool, &f->memory, snapshot));
            memcpy(model, saved_model, sizeof model);
            assert_true(kni_pool_validate(&f->pool));
        }
        if (round % 5000 == 0) {
            assert_true(kni_pool_validate(&f->pool));
            for (uint32_t slot = 0; slot < SLOTS; slot++) {
                assert_int_equal(kni_pool_is_live(&f->pool, slot), model[slot] != 0);
            }
        }
    }
    free(snapshot);
}

static void restored_pool_grows_or_reports_no_memory(void **state)
{
    fixture *f = *state;
    for (uint32_t i = 0; i < 500; i++) {
        memset(kni_pool_at(&f->pool, kni_pool_acquire(&f->pool, &f->memory)), 9, RECORD_SIZE);
    }
    size_t size = kni_pool_snapshot_size(&f->pool);
    uint8_t *snapshot = malloc(size);
    kni_pool_snapshot(&f->pool, snapshot);

    kni_pool other;
    kni_pool_init(&other, RECORD_SIZE);
    for (uint64_t fail = 1; fail <= 2; fail++) {
        f->test.fail_at = f->test.calls + fail;
        assert_null(kni_pool_restore(&other, &f->memory, snapshot));
        assert_int_equal(other.capacity, 0);
    }
    f->test.fail_at = 0;
    assert_ptr_equal(kni_pool_restore(&other, &f->memory, snapshot), snapshot + size);
    assert_int_equal(other.count, 500);
    assert_memory_equal(other.records, f->pool.records, 500 * RECORD_SIZE);
    assert_true(kni_pool_validate(&other));
    assert_int_equal(kni_pool_acquire(&other, &f->memory), 500);
    kni_pool_free(&other, &f->memory);
    kni_pool_snapshot(&other, snapshot); // empty
    assert_non_null(kni_pool_restore(&other, &f->memory, snapshot));
    assert_int_equal(other.capacity, 0);
    assert_non_null(kni_pool_restore(&f->pool, &f->memory, snapshot));
    assert_int_equal(f->pool.count, 0);
    assert_int_equal(kni_pool_acquire(&f->pool, &f->memory), 0);
    assert_zero_record(&f->pool, 0);
    assert_true(kni_pool_validate(&f->pool));
    free(snapshot);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(lowest_free_slot_is_taken_next),
    TEST(taken_and_released_records_are_zero),
    TEST(walk_meets_every_live_slot_in_order),
    TEST(slot_taken_by_number_is_skipped_by_acquire),
    TEST(lowest_free_slot_from_a_place_on_is_taken),
    TEST(slots_taken_by_number_fill_their_words),
    TEST(damaged_pool_fails_validation),
    TEST(pool_without_memory_stays_as_it_was),
    TEST(reserved_records_need_no_further_memory),
    TEST(large_pool_still_finds_its_holes),
    TEST(pool_behaves_like_an_array_of_flags),
    TEST(restored_pool_grows_or_reports_no_memory),
};

TEST_GROUP(test_pool, tests, NULL, NULL);
