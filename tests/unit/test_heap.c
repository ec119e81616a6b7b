// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "base/heap.h"
#include "test_memory.h"

typedef struct fixture {
    test_memory test;
    kni_memory memory;
    kni_heap heap;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    test_memory_init(&f->test, &f->memory);
    kni_heap_init(&f->heap);
    *state = f;
    return f == NULL;
}

static int teardown(void **state)
{
    fixture *f = *state;
    kni_heap_free(&f->heap, &f->memory);
    test_memory_expect_empty(&f->test, &f->memory);
    free(f);
    return 0;
}

static void size_classes_are_two_per_power_of_two(void **state)
{
    (void)state;
    static const size_t classes[] = {8, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
    size_t class = 0;
    for (size_t size = 1; size <= 1024; size++) {
        class += size > classes[class];
        assert_int_equal(kni_heap_block_size(size), classes[class]);
    }
    assert_int_equal(kni_heap_block_size(0), 8);
    assert_int_equal(kni_heap_block_size((size_t)1 << 30), (size_t)1 << 30);
    assert_int_equal(kni_heap_block_size(((size_t)1 << 30) - 1), (size_t)1 << 30);
    assert_int_equal(kni_heap_block_size(((size_t)3 << 28) + 1), (size_t)1 << 30);
}

static void released_block_is_the_next_of_its_class(void **state)
{
    fixture *f = *state;
    kni_ref a = kni_heap_acquire(&f->heap, &f->memory, 40);
    kni_ref b = kni_heap_acquire(&f->heap, &f->memory, 40);
    kni_ref c = kni_heap_acquire(&f->heap, &f->memory, 100);
    assert_true(a != 0 && b != 0 && c != 0);
    assert_int_equal(f->heap.live_bytes, 48 + 48 + 128);

    kni_heap_release(&f->heap, a, 40);
    kni_heap_release(&f->heap, b, 40);
    assert_true(kni_heap_validate(&f->heap));
    assert_int_equal(kni_heap_acquire(&f->heap, &f->memory, 48), b); // last in, first out
    assert_int_equal(kni_heap_acquire(&f->heap, &f->memory, 33), a);
    kni_heap_release(&f->heap, 0, 33); // no block: nothing happens
    assert_true(kni_heap_validate(&f->heap));
}

static void blocks_keep_their_bytes_while_the_heap_grows(void **state)
{
    fixture *f = *state;
    enum { BLOCKS = 300 };
    kni_ref refs[BLOCKS];
    for (uint32_t i = 0; i < BLOCKS; i++) {
        refs[i] = kni_heap_acquire(&f->heap, &f->memory, i);
        assert_int_not_equal(refs[i], 0);
        memset(kni_heap_at(&f->heap, refs[i]), (int)(i & 255), kni_heap_block_size(i));
    }
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const uint8_t *bytes = kni_heap_at(&f->heap, refs[i]);
        for (size_t j = 0; j < kni_heap_block_size(i); j++) {
            assert_int_equal(bytes[j], i & 255);
        }
    }
    assert_true(kni_heap_validate(&f->heap));
}

static void reserved_bytes_need_no_further_memory(void **state)
{
    fixture *f = *state;
    assert_true(kni_heap_reserve(&f->heap, &f->memory, 1000 * 24));
    f->test.fail_at = f->test.calls + 1;
    for (int i = 0; i < 1000; i++) {
        assert_true(kni_heap_reserve(&f->heap, &f->memory, 24));
        assert_int_not_equal(kni_heap_acquire(&f->heap, &f->memory, 20), 0);
    }
    assert_false(kni_heap_reserve(&f->heap, &f->memory, SIZE_MAX / 2));
    assert_true(kni_heap_validate(&f->heap));
}

static void heap_without_memory_stays_as_it_was(void **state)
{
    fixture *f = *state;
    f->test.fail_at = 1;
    assert_int_equal(kni_heap_acquire(&f->heap, &f->memory, 8), 0);
    assert_false(kni_heap_reserve(&f->heap, &f->memory, 8));
    assert_true(kni_heap_validate(&f->heap));
    f->test.fail_at = 0;

    kni_ref ref = kni_heap_acquire(&f->heap, &f->memory, 8);
    kni_heap before = f->heap;
    f->test.fail_at = 1;
    assert_int_equal(kni_heap_acquire(&f->heap, &f->memory, 1 << 20), 0);
    assert_int_equal(kni_heap_acquire(&f->heap, &f->memory, ((size_t)1 << 30) + 1), 0);
    assert_memory_equal(&before, &f->heap, sizeof before);
    kni_heap_release(&f->heap, ref, 8);
    assert_int_equal(kni_heap_acquire(&f->heap, &f->memory, 8), ref); // needs no memory
}

static void damaged_free_list_fails_validation(void **state)
{
    fixture *f = *state;
    kni_ref a = kni_heap_acquire(&f->heap, &f->memory, 8);
    kni_heap_release(&f->heap, a, 8);
    assert_true(kni_heap_validate(&f->heap));
    kn_assert_set_handler(test_ignore_assert);
    static const kni_ref damage[] = {1, 1000000}; // a circle, and a block beyond the end
    for (uint32_t i = 0; i < 2; i++) {
        memcpy(kni_heap_at(&f->heap, a), &damage[i], sizeof damage[i]);
        assert_false(kni_heap_validate(&f->heap));
    }
    kn_assert_set_handler(NULL);
}

static void span_doubles_while_it_is_small_and_fills_its_size_class(void **state)
{
    fixture *f = *state;
    kni_span span = {0};
    static const uint32_t capacities[9] = {2, 2, 4, 4, 8, 8, 8, 8, 10};
    for (uint32_t i = 0; i < 9; i++) {
        uint8_t *bytes = kni_span_push(&f->heap, &f->memory, &span, 12);
        assert_non_null(bytes);
        memset(bytes, (int)i, 12);
        assert_int_equal(span.count, i + 1);
        assert_int_equal(span.capacity, capacities[i]);
    }
    for (uint32_t i = 0; i < 9; i++) {
        const uint8_t *bytes = kni_span_at(&f->heap, &span, i, 12);
        assert_int_equal(bytes[0], i);
        assert_int_equal(bytes[11], i);
    }
    assert_true(kni_heap_validate(&f->heap));
    kni_span_clear(&f->heap, &span, 12);
    assert_int_equal(f->heap.live_bytes, 0);
    assert_int_equal(span.ref, 0);
}

static void the_block_of_a_span_outlives_its_last_element(void **state)
{
    fixture *f = *state;
    kni_span span = {0};
    *(uint32_t *)kni_span_push(&f->heap, &f->memory, &span, sizeof(uint32_t)) = 1;
    *(uint32_t *)kni_span_push(&f->heap, &f->memory, &span, sizeof(uint32_t)) = 2;
    kni_span_remove(&f->heap, &span, 0, sizeof(uint32_t));
    assert_int_equal(*(uint32_t *)kni_span_at(&f->heap, &span, 0, sizeof(uint32_t)), 2);
    kni_span_remove(&f->heap, &span, 0, sizeof(uint32_t));
    assert_int_equal(span.count, 0);
    assert_int_not_equal(span.ref, 0);
    kni_span_clear(&f->heap, &span, sizeof(uint32_t));
    assert_int_equal(span.ref, 0);
    assert_int_equal(span.capacity, 0);
    assert_int_equal(f->heap.live_bytes, 0);
}

static void empty_span_of_an_empty_heap_can_be_walked(void **state)
{
    fixture *f = *state;
    kni_span span = {0};
    assert_non_null(kni_span_at(&f->heap, &span, 0, 8));
    kni_span_clear(&f->heap, &span, 8);
    assert_true(kni_span_reserve(&f->heap, &f->memory, &span, 0, 8));
    assert_int_equal(f->test.calls, 0);
}

static void span_without_memory_stays_as_it_was(void **state)
{
    fixture *f = *state;
    kni_span span = {0};
    f->test.fail_at = 1;
    assert_null(kni_span_push(&f->heap, &f->memory, &span, 16));
    assert_null(kni_span_insert(&f->heap, &f->memory, &span, 0, 16));
    assert_false(kni_span_reserve(&f->heap, &f->memory, &span, 10, 16));
    assert_false(kni_span_reserve(&f->heap, &f->memory, &span, UINT32_MAX, 1u << 31));
    assert_int_equal(span.ref, 0);
    assert_int_equal(span.count, 0);
    assert_int_equal(span.capacity, 0);
    f->test.fail_at = 0;
    assert_true(kni_span_reserve(&f->heap, &f->memory, &span, 10, 16));
    f->test.fail_at = f->test.calls + 1;
    for (int i = 0; i < 10; i++) {
        assert_non_null(kni_span_push(&f->heap, &f->memory, &span, 16));
    }
}

// Random pushes, insertions and removals on many spans against plain arrays.
static void spans_behave_like_plain_arrays(void **state)
{
    fixture *f = *state;
    enum { SPANS = 20, LONGEST = 60, ROUNDS = 40000 };
    static uint32_t model[SPANS][LONGEST][5];
    kni_span spans[SPANS] = {0};
    uint64_t seed = 1;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t s = test_below(&seed, SPANS);
        size_t words = 1 + s % 5;
        size_t size = words * sizeof(uint32_t);
        kni_span *span = &spans[s];
        uint32_t what = test_below(&seed, 100);
        if (what < 55 && span->count < LONGEST) {
            uint32_t index = what < 25 ? span->count : test_below(&seed, span->count + 1);
            uint32_t *at = what < 25 ? kni_span_push(&f->heap, &f->memory, span, size)
                                     : kni_span_insert(&f->heap, &f->memory, span, index, size);
            assert_non_null(at);
            memmove(model[s][index + 1], model[s][index],
                (span->count - 1 - index) * sizeof model[s][0]);
            for (size_t w = 0; w < words; w++) {
                at[w] = model[s][index][w] = (uint32_t)test_random(&seed);
            }
        } else if (what < 99 && span->count > 0) {
            uint32_t index = test_below(&seed, span->count);
            memmove(model[s][index], model[s][index + 1],
                (span->count - 1 - index) * sizeof model[s][0]);
            kni_span_remove(&f->heap, span, index, size);
        } else if (what == 99) {
            kni_span_clear(&f->heap, span, size);
        }
        for (uint32_t i = 0; i < span->count; i++) {
            assert_memory_equal(kni_span_at(&f->heap, span, i, size), model[s][i], size);
        }
        if (round % 512 == 0) {
            assert_true(kni_heap_validate(&f->heap));
        }
    }
    for (uint32_t s = 0; s < SPANS; s++) {
        kni_span_clear(&f->heap, &spans[s], (1 + s % 5) * sizeof(uint32_t));
    }
    assert_int_equal(f->heap.live_bytes, 0);
    assert_true(kni_heap_validate(&f->heap));
}

static void restored_heap_hands_out_the_same_blocks(void **state)
{
    fixture *f = *state;
    kni_ref refs[50];
    for (uint32_t i = 0; i < 50; i++) {
        refs[i] = kni_heap_acquire(&f->heap, &f->memory, 20 + i * 7 % 60);
        memset(kni_heap_at(&f->heap, refs[i]), (int)i, 20);
    }
    for (uint32_t i = 0; i < 50; i += 3) {
        kni_heap_release(&f->heap, refs[i], 20 + i * 7 % 60);
    }
    size_t size = kni_heap_snapshot_size(&f->heap);
    uint8_t *snapshot = malloc(size);
    assert_ptr_equal(kni_heap_snapshot(&f->heap, snapshot), snapshot + size);

    kni_heap other;
    kni_heap_init(&other);
    f->test.fail_at = 1;
    assert_null(kni_heap_restore(&other, &f->memory, snapshot));
    assert_true(kni_heap_validate(&other));
    f->test.fail_at = 0;
    assert_ptr_equal(kni_heap_restore(&other, &f->memory, snapshot), snapshot + size);
    assert_true(kni_heap_validate(&other));
    assert_int_equal(other.live_bytes, f->heap.live_bytes);
    assert_memory_equal(other.bytes + 8, f->heap.bytes + 8, f->heap.used - 8);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(kni_heap_acquire(&other, &f->memory, 20 + i),
            kni_heap_acquire(&f->heap, &f->memory, 20 + i));
    }
    // Going back to a smaller state, and to an empty one.
    assert_non_null(kni_heap_restore(&f->heap, &f->memory, snapshot));
    assert_true(kni_heap_validate(&f->heap));
    kni_heap_free(&other, &f->memory);
    kni_heap_snapshot(&other, snapshot);
    assert_non_null(kni_heap_restore(&f->heap, &f->memory, snapshot));
    assert_int_equal(f->heap.live_bytes, 0);
    assert_true(kni_heap_validate(&f->heap));
    free(snapshot);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(size_classes_are_two_per_power_of_two),
    TEST(released_block_is_the_next_of_its_class),
    TEST(blocks_keep_their_bytes_while_the_heap_grows),
    TEST(reserved_bytes_need_no_further_memory),
    TEST(heap_without_memory_stays_as_it_was),
    TEST(damaged_free_list_fails_validation),
    TEST(span_doubles_while_it_is_small_and_fills_its_size_class),
    TEST(the_block_of_a_span_outlives_its_last_element),
    TEST(empty_span_of_an_empty_heap_can_be_walked),
    TEST(span_without_memory_stays_as_it_was),
    TEST(spans_behave_like_plain_arrays),
    TEST(restored_heap_hands_out_the_same_blocks),
};

TEST_GROUP(test_heap, tests, NULL, NULL);
