// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Bytes as their difference from others. All buffers are blocks of exactly their size, so that a
// sanitizer sees whoever leaves them.

#include "net/delta.h"
#include "net_test.h"

typedef struct block {
    uint8_t *bytes; // NULL if it is empty
    size_t size;
} block;

static block block_of(const void *bytes, size_t size)
{
    block b = {NULL, size};
    if (size > 0) {
        b.bytes = malloc(size);
        assert_non_null(b.bytes);
        memcpy(b.bytes, bytes, size);
    }
    return b;
}

static block random_block(uint64_t *random, size_t size, uint32_t letters)
{
    block b = {size > 0 ? malloc(size) : NULL, size};
    assert_true(size == 0 || b.bytes != NULL);
    for (size_t i = 0; i < size; i++) {
        b.bytes[i] = (uint8_t)any_below(random, letters);
    }
    return b;
}

// What becomes of a block that something is put into, taken out of, moved and changed in.
static block related_block(uint64_t *random, block base)
{
    uint8_t bytes[2048];
    size_t size = 0, at = 0;
    while (size < 1024 && at < base.size && any_below(random, 40) != 0) {
        size_t length = 1 + any_below(random, 64);
        length = length < base.size - at ? length : base.size - at;
        memcpy(bytes + size, base.bytes + at, length);
        size += length;
        at += length;
        switch (any_below(random, 5)) {
        case 0: // something new
            length = any_below(random, 20);
            for (size_t i = 0; i < length; i++) {
                bytes[size++] = (uint8_t)any_u64(random);
            }
            break;
        case 1: // something is gone
            at += any_below(random, 20);
            break;
        case 2: // from elsewhere, possibly again
            at = any_below(random, (uint32_t)base.size);
            break;
        case 3:
            bytes[any_below(random, (uint32_t)size)] ^= (uint8_t)any_u64(random);
            break;
        default:
            break;
        }
    }
    return block_of(bytes, size);
}

static block difference(block base, block data)
{
    kn_writer count = {NULL, 0, 0};
    kni_delta_write(&count, base.bytes, base.size, base.size, data.bytes, data.size);
    block delta = {malloc(count.length), count.length};
    assert_non_null(delta.bytes);
    kn_writer out = {delta.bytes, delta.size, 0};
    kni_delta_write(&out, base.bytes, base.size, base.size, data.bytes, data.size);
    assert_int_equal(out.length, delta.size);
    return delta;
}

// Reads a difference into a block of the size it claims. False if it is refused.
static bool read_difference(block base, block delta, block *out)
{
    kn_reader in = {.data = delta.bytes, .size = delta.size};
    size_t size = kni_delta_size(&in, base.size);
    if (size == SIZE_MAX) {
        return false;
    }
    *out = (block){size > 0 ? malloc(size) : NULL, size};
    assert_true(size == 0 || out->bytes != NULL);
    kn_reader skip = in;
    bool ok = kni_delta_read(base.bytes, base.size, base.size, &in, out->bytes) && in.at == in.size;
    assert_true(!ok || size == 0 || (kni_delta_read(NULL, 0, 0, &skip, NULL) && skip.at == in.at));
    if (!ok) {
        free(out->bytes);
    }
    return ok;
}

// Returns how many bytes the difference has.
static size_t round_trip(block base, block data)
{
    block delta = difference(base, data), back;
    assert_true(read_difference(base, delta, &back));
    assert_int_equal(back.size, data.size);
    assert_true(data.size == 0 || memcmp(back.bytes, data.bytes, data.size) == 0);
    // New bytes and three numbers are the worst.
    assert_true(delta.size <= data.size + data.size / 3 + 12);
    free(back.bytes);
    free(delta.bytes);
    return delta.size;
}

static void numbers_of_64_bits_are_read_back(void **state)
{
    (void)state;
    uint64_t random = 1;
    for (uint32_t i = 0; i < 3000; i++) {
        uint64_t number = i < 64 ? (uint64_t)1 << i : i < 128 ? UINT64_MAX >> (i - 64) : 0;
        number = i < 128 ? number : any_u64(&random) >> any_below(&random, 64);
        uint8_t bytes[20];
        kn_writer out = {bytes, sizeof(bytes), 0};
        kni_write_number(&out, number);
        kni_write_signed(&out, (int64_t)number);
        block exact = block_of(bytes, out.length);
        kn_reader in = {.data = exact.bytes, .size = exact.size};
        assert_true(kni_read_number(&in) == number);
        assert_true(kni_read_signed(&in) == (int64_t)number);
        assert_false(in.failed);
        assert_int_equal(in.at, in.size);
        free(exact.bytes);
    }
    static const int64_t ends[] = {0, -1, 1, INT64_MIN, INT64_MAX, INT64_MIN + 1, -64, 63};
    for (uint32_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
        uint8_t bytes[10];
        kn_writer out = {bytes, sizeof(bytes), 0};
        kni_write_signed(&out, ends[i]);
        assert_true(out.length <= sizeof(bytes));
        kn_reader in = {.data = bytes, .size = out.length};
        assert_true(kni_read_signed(&in) == ends[i]);
    }
}

static void small_numbers_take_a_byte(void **state)
{
    (void)state;
    static const struct {
        uint64_t number;
        size_t size;
    } cases[] = {{0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {UINT64_MAX, 10}};
    for (uint32_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        kn_writer out = {NULL, 0, 0};
        kni_write_number(&out, cases[i].number);
        assert_int_equal(out.length, cases[i].size);
    }
    kn_writer out = {NULL, 0, 0};
    kni_write_signed(&out, -64);
    assert_int_equal(out.length, 1);
}

static void a_number_that_is_cut_or_too_large_fails(void **state)
{
    (void)state;
    const uint8_t most[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01};
    for (size_t size = 0; size <= sizeof(most); size++) {
        block exact = block_of(most, size);
        kn_reader in = {.data = exact.bytes, .size = size};
        uint64_t number = kni_read_number(&in);
        assert_int_equal(in.failed, size < sizeof(most));
        assert_true(in.failed || number == UINT64_MAX);
        free(exact.bytes);
    }
    for (uint32_t last = 2; last < 256; last++) { // 65 bits and more
        uint8_t bytes[12];
        memcpy(bytes, most, sizeof(most));
        bytes[9] = (uint8_t)last;
        bytes[10] = bytes[11] = 0;
        kn_reader in = {.data = bytes, .size = sizeof(bytes)};
        assert_true(kni_read_number(&in) == 0);
        assert_true(in.failed);
    }
}

static void any_data_survives_any_base(void **state)
{
    (void)state;
    uint64_t random = 2;
    for (uint32_t i = 0; i < 4000; i++) {
        uint32_t letters = i % 3 == 0 ? 256 : 2 + any_below(&random, 4);
        block base = random_block(&random, any_below(&random, 200), letters);
        block data = random_block(&random, any_below(&random, 200), letters);
        (void)round_trip(base, data);
        free(base.bytes);
        free(data.bytes);
    }
}

static void related_data_takes_little(void **state)
{
    (void)state;
    uint64_t random = 3;
    size_t whole = 0, taken = 0;
    for (uint32_t i = 0; i < 2000; i++) {
        block base = random_block(&random, 1 + any_below(&random, 1500), 256);
        block data = related_block(&random, base);
        taken += round_trip(base, data);
        whole += data.size;
        free(base.bytes);
        free(data.bytes);
    }
    assert_true(taken < whole / 2);
}

static void equal_data_takes_a_few_bytes(void **state)
{
    (void)state;
    uint64_t random = 4;
    static const size_t sizes[] = {1, 2, 3, 4, 5, 100, 500, 1000};
    for (uint32_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        block base = random_block(&random, sizes[i], 256);
        assert_true(round_trip(base, base) <= 8);
        // One byte is another one.
        block data = block_of(base.bytes, base.size);
        data.bytes[data.size / 2] ^= 0x40;
        assert_true(round_trip(base, data) <= 16);
        // One byte more, in the middle.
        free(data.bytes);
        data = random_block(&random, base.size + 1, 256);
        memcpy(data.bytes, base.bytes, base.size / 2);
        memcpy(
            data.bytes + base.size / 2 + 1, base.bytes + base.size / 2, base.size - base.size / 2);
        assert_true(round_trip(base, data) <= 20);
        free(data.bytes);
        free(base.bytes);
    }
}

static void either_side_may_be_empty(void **state)
{
    (void)state;
    uint64_t random = 5;
    const block none = {NULL, 0};
    block some = random_block(&random, 50, 256);
    assert_int_equal(round_trip(none, none), 2);
    assert_int_equal(round_trip(some, none), 2);
    assert_true(round_trip(none, some) <= 50 + 3);
    free(some.bytes);
}

static void a_difference_that_is_cut_is_refused(void **state)
{
    (void)state;
    uint64_t random = 6;
    for (uint32_t i = 0; i < 60; i++) {
        block base = random_block(&random, 1 + any_below(&random, 300), 256);
        block data = related_block(&random, base);
        block whole = difference(base, data);
        for (size_t size = 0; size < whole.size; size++) {
            block cut = block_of(whole.bytes, size), out;
            assert_false(read_difference(base, cut, &out));
            free(cut.bytes);
        }
        // Nor may anything follow it.
        block more = {malloc(whole.size + 1), whole.size + 1}, out;
        assert_non_null(more.bytes);
        memcpy(more.bytes, whole.bytes, whole.size);
        more.bytes[whole.size] = 0;
        assert_false(read_difference(base, more, &out));
        free(more.bytes);
        free(whole.bytes);
        free(data.bytes);
        free(base.bytes);
    }
}

// Refused, or some bytes: never outside of a buffer.
static void a_difference_with_a_wrong_bit_harms_nobody(void **state)
{
    (void)state;
    uint64_t random = 7;
    uint32_t refused = 0;
    for (uint32_t i = 0; i < 20; i++) {
        block base = random_block(&random, 1 + any_below(&random, 300), 256);
        block data = related_block(&random, base);
        block whole = difference(base, data);
        for (size_t bit = 0; bit < whole.size * 8; bit++) {
            block wrong = block_of(whole.bytes, whole.size), out;
            wrong.bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
            if (read_difference(base, wrong, &out)) {
                free(out.bytes);
            } else {
                refused++;
            }
            free(wrong.bytes);
        }
        free(whole.bytes);
        free(data.bytes);
        free(base.bytes);
    }
    assert_true(refused > 0);
}

static void noise_as_a_difference_harms_nobody(void **state)
{
    (void)state;
    uint64_t random = 8;
    block base = random_block(&random, 40, 256);
    for (uint32_t i = 0; i < 50000; i++) {
        block noise = random_block(&random, any_below(&random, 24), i % 2 == 0 ? 256 : 12), out;
        block from = i % 3 == 0 ? (block){NULL, 0} : base;
        if (read_difference(from, noise, &out)) {
            free(out.bytes);
        }
        free(noise.bytes);
    }
    free(base.bytes);
}

// A difference by hand: its numbers, one after the other, may be of 64 bits.
static bool reads(const uint64_t *numbers, uint32_t count, block base)
{
    uint8_t bytes[64];
    kn_writer writer = {bytes, sizeof(bytes), 0};
    for (uint32_t i = 0; i < count; i++) {
        kni_write_number(&writer, numbers[i]);
    }
    block delta = block_of(bytes, writer.length), out;
    bool ok = read_difference(base, delta, &out);
    if (ok) {
        free(out.bytes);
    }
    free(delta.bytes);
    return ok;
}

static void numbers_that_wrap_are_refused(void **state)
{
    (void)state;
    uint64_t random = 9;
    block base = random_block(&random, 8, 256);
    const uint64_t top = UINT64_MAX;
    // twice the size less 8, - 1 if it is less; kind and length of a run less one; twice the
    // distance of a copy from elsewhere; 0x3e: the rest
    assert_true(reads((const uint64_t[]){0, 0x3e}, 2, base));
    assert_true(reads((const uint64_t[]){0, 0x07, 0x3e}, 3, base));
    assert_true(reads((const uint64_t[]){7, 0x43, 8, 0x3e}, 4, base));
    assert_true(reads((const uint64_t[]){7, 0x7e, 8}, 3, base));
    assert_false(reads((const uint64_t[]){7, 0x43, 10, 0x3e}, 4, base)); // a byte too far
    assert_false(reads((const uint64_t[]){7, 0x7e, 10}, 3, base));
    assert_false(reads((const uint64_t[]){7, 0x43, 1, 0x3e}, 4, base)); // a byte before the base
    assert_false(reads((const uint64_t[]){7, 0x43, top, 0x3e}, 4, base));
    assert_false(reads((const uint64_t[]){7, 0x43, top - 1, 0x3e}, 4, base));
    assert_false(reads((const uint64_t[]){7, 0x3f, top, 0x3e}, 4, base));
    assert_false(reads((const uint64_t[]){7, 0x3f, top - 58, 0x3e}, 4, base)); // 4, if it wrapped
    assert_false(reads((const uint64_t[]){7, 0x04, 0x3e}, 3, base));
    assert_false(reads((const uint64_t[]){7}, 1, base));       // it says nothing
    assert_false(reads((const uint64_t[]){7, 0x03}, 2, base)); // it has no end
    assert_false(reads((const uint64_t[]){2, 0x3e}, 2, base)); // the base ends before
    assert_false(reads((const uint64_t[]){top, 0x07, 0x3e}, 3, base));
    const uint8_t huge[] = {0x82, 0x80, 0x80, 0x10}; // 2^24 + 1
    assert_true(kni_delta_size(&(kn_reader){.data = huge, .size = sizeof(huge)}, 0) == SIZE_MAX);
    const uint8_t largest[] = {0x80, 0x80, 0x80, 0x10};
    assert_int_equal(
        kni_delta_size(&(kn_reader){.data = largest, .size = sizeof(largest)}, 0), 1 << 24);
    assert_true(
        kni_delta_size(&(kn_reader){.data = largest, .size = sizeof(largest)}, 1) == SIZE_MAX);
    free(base.bytes);
}

// New bytes that come once more are not written again; without any before there are none.
static void the_same_new_bytes_again_are_one_byte(void **state)
{
    (void)state;
    uint64_t random = 10;
    block base = random_block(&random, 60, 256);
    block data = block_of(base.bytes, base.size);
    static const uint8_t fresh[] = {201, 202, 203};
    memset(base.bytes, 7, base.size);
    memset(data.bytes, 7, data.size);
    memcpy(data.bytes + 20, fresh, sizeof(fresh));
    size_t once = round_trip(base, data);
    memcpy(data.bytes + 27, fresh, sizeof(fresh));
    assert_int_equal(round_trip(base, data), once + 2);
    data.bytes[27]++;
    assert_int_equal(round_trip(base, data), once + 2 + sizeof(fresh));
    const uint8_t good[] = {0, 0x81, 1, 2, 0xbe, 0x3e}, bad[] = {0, 0xbe, 0x3e};
    block whole = block_of(good, sizeof(good)), none = block_of(bad, sizeof(bad)), out;
    assert_true(read_difference(base, whole, &out));
    assert_memory_equal(
        out.bytes, ((const uint8_t[]){8, 9, 8, 9, 7}), 5); // more than what was there
    free(out.bytes);
    assert_false(read_difference(base, none, &out));
    free(whole.bytes);
    free(none.bytes);
    free(data.bytes);
    free(base.bytes);
}

// A second base of the size that is expected: what is missing in the first comes from there.
static void a_second_base_fills_what_the_first_has_not(void **state)
{
    (void)state;
    uint64_t random = 11;
    uint8_t both[500], data[300], back[300], delta[400];
    for (uint32_t i = 0; i < 500; i++) {
        both[i] = (uint8_t)(any_u64(&random) | 1);
    }
    memcpy(data, both, 100); // as the first, with a hundred bytes of the second between
    memcpy(data + 100, both + 200 + 100, 100);
    memcpy(data + 200, both + 100, 100);
    kn_writer out = {delta, sizeof(delta), 0};
    kni_delta_write(&out, both, sizeof(both), sizeof(data), data, sizeof(data));
    assert_true(out.length < 14);
    kn_reader in = {.data = delta, .size = out.length};
    assert_int_equal(kni_delta_size(&in, sizeof(data)), sizeof(data));
    assert_true(kni_delta_read(both, sizeof(both), sizeof(data), &in, back));
    assert_memory_equal(back, data, sizeof(data));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(numbers_of_64_bits_are_read_back),
    cmocka_unit_test(small_numbers_take_a_byte),
    cmocka_unit_test(a_number_that_is_cut_or_too_large_fails),
    cmocka_unit_test(any_data_survives_any_base),
    cmocka_unit_test(related_data_takes_little),
    cmocka_unit_test(equal_data_takes_a_few_bytes),
    cmocka_unit_test(either_side_may_be_empty),
    cmocka_unit_test(a_difference_that_is_cut_is_refused),
    cmocka_unit_test(a_difference_with_a_wrong_bit_harms_nobody),
    cmocka_unit_test(noise_as_a_difference_harms_nobody),
    cmocka_unit_test(numbers_that_wrap_are_refused),
    cmocka_unit_test(the_same_new_bytes_again_are_one_byte),
    cmocka_unit_test(a_second_base_fills_what_the_first_has_not),
};

TEST_GROUP(delta, tests, NULL, NULL);
