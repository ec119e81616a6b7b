// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/slots.h"
#include "test_memory.h"

#include <string.h>

#define SLOTS 200

typedef struct fixture {
    test_memory test;
    kni_memory memory;
    kni_heap heap;
    kni_span slots;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    test_memory_init(&f->test, &f->memory);
    kni_heap_init(&f->heap);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    f->test.fail_at = 0;
    kni_span_clear(&f->heap, &f->slots, sizeof(uint32_t));
    kni_heap_free(&f->heap, &f->memory);
    test_memory_expect_empty(&f->test, &f->memory);
    free(f);
    return 0;
}

static void expect_listed(const fixture *f, const bool *listed)
{
    uint32_t next = kni_slots_next(&f->heap, &f->slots, 0), count = 0;
    for (uint32_t slot = 0; slot < SLOTS; slot++) {
        if (listed[slot]) {
            assert_int_equal(next, slot);
            next = kni_slots_next(&f->heap, &f->slots, slot + 1);
            count++;
        }
    }
    assert_int_equal(next, KNI_NONE);
    assert_int_equal(f->slots.count, count);
}

static void slots_come_in_order_whatever_order_they_went_in(void **state)
{
    fixture *f = *state;
    bool listed[SLOTS] = {false};
    uint64_t random = 5;
    expect_listed(f, listed);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t slot = test_below(&random, SLOTS);
        if (listed[slot]) {
            kni_slots_remove(&f->heap, &f->slots, slot);
        } else {
            assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, slot));
        }
        listed[slot] = !listed[slot];
        if (i % 50 == 0) {
            expect_listed(f, listed);
        }
    }
    expect_listed(f, listed);
}

static void removing_a_slot_that_is_not_there_changes_nothing(void **state)
{
    fixture *f = *state;
    kni_slots_remove(&f->heap, &f->slots, 3);
    assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, 3));
    assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, 7));
    kni_slots_remove(&f->heap, &f->slots, 5);
    kni_slots_remove(&f->heap, &f->slots, 8);
    assert_int_equal(f->slots.count, 2);
    assert_int_equal(kni_slots_next(&f->heap, &f->slots, 4), 7);
}

static void a_list_survives_changes_while_it_is_walked(void **state)
{
    fixture *f = *state;
    for (uint32_t slot = 10; slot < 20; slot++) {
        assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, slot));
    }
    uint32_t seen = 0, last = 0;
    for (uint32_t i = kni_slots_next(&f->heap, &f->slots, 0); i != KNI_NONE;
         i = kni_slots_next(&f->heap, &f->slots, i + 1)) {
        assert_true(i > last);
        last = i;
        seen++;
        kni_slots_remove(&f->heap, &f->slots, i);
        if (i == 12) {
            kni_slots_remove(&f->heap, &f->slots, 13);
            assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, 5));  // behind
            assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, 30)); // ahead
        }
    }
    assert_int_equal(seen, 10);
    assert_int_equal(last, 30);
}

static void without_memory_a_list_stays_as_it_is(void **state)
{
    fixture *f = *state;
    assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, 1));
    f->test.fail_at = f->test.calls + 1;
    uint32_t slot = 2;
    while (kni_slots_add(&f->heap, &f->memory, &f->slots, slot)) {
        slot++;
    }
    f->test.fail_at = 0;
    assert_int_equal(f->slots.count, slot - 1);
    assert_int_equal(kni_slots_next(&f->heap, &f->slots, slot), KNI_NONE);
    assert_true(kni_slots_add(&f->heap, &f->memory, &f->slots, slot));
}

#define TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static const struct CMUnitTest tests[] = {
    TEST(slots_come_in_order_whatever_order_they_went_in),
    TEST(removing_a_slot_that_is_not_there_changes_nothing),
    TEST(a_list_survives_changes_while_it_is_walked),
    TEST(without_memory_a_list_stays_as_it_is),
};

TEST_GROUP(test_slots, tests, NULL, NULL);
