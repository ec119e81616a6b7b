// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Payloads in fewer bytes: what is packed comes back, with any book, and books travel.

#include "net_test.h"

#include "net/pack.h"

#define SIZE_MOST 1500

static pack_counts counts;
static pack_book book, copy;

// Something like a payload: some entities with differences, or anything at all.
static size_t payload_make(uint64_t *random, uint8_t *bytes, bool is_real)
{
    kn_writer out = {bytes, SIZE_MOST, 0};
    if (!is_real) {
        uint32_t size = any_below(random, SIZE_MOST);
        for (uint32_t i = 0; i < size; i++) {
            kn_write_u8(&out, (uint8_t)any_u64(random));
        }
        return out.length;
    }
    kni_write_number(&out, 100000 + any_below(random, 1000));
    kni_write_signed(&out, (int64_t)any_below(random, 100) - 50);
    kni_write_number(&out, any_below(random, 50));
    kni_write_number(&out, 1);
    for (uint32_t i = 0; i < 3; i++) {
        kni_write_number(&out, i);
    }
    uint8_t base[300], data[300];
    for (uint32_t i = 0; i < 300; i++) {
        base[i] = data[i] = (uint8_t)(i / 9);
    }
    for (uint32_t entity = 0; entity < 5; entity++) {
        bool has_cues = any_below(random, 3) == 0;
        kni_write_number(&out, any_below(random, 300));
        kn_write_u8(&out, (uint8_t)(WIRE_HAS_BASE | (has_cues ? WIRE_HAS_CUES : 0)));
        kni_write_number(&out, any_below(random, 30));
        if (has_cues) {
            kni_write_number(&out, 7);
            kn_write_bytes(&out, "\x01\x02\x83\x04\x05\x06\x07", 7);
        }
        data[any_below(random, 300)] = (uint8_t)any_u64(random);
        kni_delta_write(&out, base, sizeof(base), sizeof(base), data, sizeof(data));
    }
    assert_true(out.length <= SIZE_MOST);
    return out.length;
}

static void book_train(uint64_t seed)
{
    uint8_t bytes[SIZE_MOST];
    memset(&counts, 0, sizeof(counts));
    for (uint32_t i = 0; i < 200; i++) {
        kni_pack_count(&counts, bytes, payload_make(&seed, bytes, true));
    }
    assert_true(counts.bytes > 5000);
}

static void what_is_packed_comes_back(void **state)
{
    (void)state;
    uint8_t bytes[SIZE_MOST], packed[2 * SIZE_MOST + 64], back[SIZE_MOST];
    uint64_t random = 4;
    size_t before = 0, after = 0;
    book_train(1);
    kni_book_make(&counts, &book);
    for (uint32_t i = 0; i < 3000; i++) {
        bool is_real = i % 3 != 0;
        size_t size = payload_make(&random, bytes, is_real);
        kn_writer out = {packed, sizeof(packed), 0};
        assert_true(kni_pack(&book, bytes, size, &out));
        assert_true(kni_unpack(&book, packed, out.length, back, size));
        assert_memory_equal(bytes, back, size);
        before += is_real ? size : 0;
        after += is_real ? out.length : 0;
    }
    printf("%zu bytes became %zu\n", before, after);
    assert_true(after * 10 < before * 7);
}

static void runs_of_the_rarest_and_the_commonest_bytes_come_back(void **state)
{
    (void)state;
    uint8_t bytes[SIZE_MOST], packed[4 * SIZE_MOST], back[SIZE_MOST];
    memset(&counts, 0, sizeof(counts));
    kni_book_make(&counts, &book); // nothing was counted
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t byte = 0; byte < 256; byte++) {
            memset(bytes, (int)byte, sizeof(bytes));
            kn_writer out = {packed, sizeof(packed), 0};
            assert_true(kni_pack(&book, bytes, sizeof(bytes), &out));
            assert_true(kni_unpack(&book, packed, out.length, back, sizeof(back)));
            assert_memory_equal(bytes, back, sizeof(back));
        }
        memset(bytes, round == 0 ? 0 : 255, sizeof(bytes)); // one byte is nearly certain
        kni_pack_count(&counts, bytes, sizeof(bytes));
        kni_book_make(&counts, &book);
    }
}

static void a_book_is_the_same_at_the_other_side(void **state)
{
    (void)state;
    uint8_t bytes[BOOK_BYTES_MAX];
    book_train(9);
    kn_writer out = {bytes, sizeof(bytes), 0};
    kni_book_write(&counts, &out);
    assert_true(out.length <= sizeof(bytes));
    memset(&book, 0, sizeof(book));
    memset(&copy, 0, sizeof(copy));
    kni_book_make(&counts, &book);
    kn_reader in = {.data = bytes, .size = out.length};
    kni_book_read(&in, &copy);
    assert_false(in.failed);
    assert_int_equal(in.at, out.length);
    assert_memory_equal(&book, &copy, sizeof(book));
    for (size_t size = 0; size < out.length; size += 7) {
        kn_reader part = {.data = bytes, .size = size};
        kni_book_read(&part, &copy);
        assert_true(part.failed);
    }
}

// Whatever comes, reading ends and stays within its bounds.
static void nonsense_is_read_without_harm(void **state)
{
    (void)state;
    uint8_t bytes[SIZE_MOST], back[SIZE_MOST];
    uint64_t random = 77;
    uint32_t good = 0;
    for (uint32_t i = 0; i < 3000; i++) {
        uint32_t size = any_below(&random, SIZE_MOST);
        for (uint32_t j = 0; j < size; j++) {
            bytes[j] = (uint8_t)any_u64(&random);
        }
        kn_reader in = {.data = bytes, .size = size};
        kni_book_read(&in, &copy);
        for (uint32_t kind = 0; kind < PACK_KINDS; kind++) {
            for (uint32_t j = 0; j < 256; j++) {
                assert_true(copy.sums[kind][j] < copy.sums[kind][j + 1]);
            }
            assert_int_equal(copy.sums[kind][256], 1u << PACK_BITS);
        }
        good += kni_unpack(&copy, bytes, size, back, any_below(&random, SIZE_MOST));
    }
    assert_true(good > 0);
}

static void a_packet_without_room_is_reported(void **state)
{
    (void)state;
    uint8_t bytes[SIZE_MOST], packed[64];
    uint64_t random = 5;
    book_train(2);
    kni_book_make(&counts, &book);
    size_t size = payload_make(&random, bytes, false);
    kn_writer out = {packed, sizeof(packed), 0};
    assert_true(size > 200);
    assert_false(kni_pack(&book, bytes, size, &out));
}

// What a book costs is estimated well enough to know whether it is worth sending.
static void the_cost_of_a_book_is_known_before_it_is_sent(void **state)
{
    (void)state;
    uint8_t bytes[SIZE_MOST], packed[2 * SIZE_MOST];
    uint64_t random = 31;
    static pack_counts plain;
    memset(&plain, 0, sizeof(plain));
    kni_book_make(&plain, &copy); // knows nothing
    book_train(31);
    kni_book_make(&counts, &book);
    size_t taken = 0, whole = 0;
    for (uint32_t i = 0; i < 200; i++) { // the same that was counted
        size_t size = payload_make(&random, bytes, true);
        kn_writer out = {packed, sizeof(packed), 0};
        assert_true(kni_pack(&book, bytes, size, &out));
        taken += out.length;
        whole += size;
    }
    assert_int_equal(counts.bytes, whole);
    uint64_t cost = kni_book_cost(&book, &counts);
    assert_true(cost < taken + taken / 20 && cost + 200 * 3 > taken); // without their ends
    uint64_t unknown = kni_book_cost(&copy, &counts);
    assert_true(unknown + 100 > whole && unknown < whole + 100);
    kni_counts_fade(&counts);
    assert_int_equal(counts.bytes, 0);
    uint64_t faded = kni_book_cost(&book, &counts);
    assert_true(faded <= cost / 2 && faded > cost / 4);
}

// A byte that never came costs less if many different ones did.
static void bytes_that_never_came_are_likelier_where_all_differ(void **state)
{
    (void)state;
    static pack_counts few;
    memset(&few, 0, sizeof(few));
    for (uint32_t i = 0; i < 100; i++) {
        few.counts[PACK_INDEX][i] = 1;
        few.counts[PACK_FLAGS][0]++;
    }
    kni_book_make(&few, &book);
    const uint16_t *varied = book.sums[PACK_INDEX], *certain = book.sums[PACK_FLAGS];
    assert_true(varied[201] - varied[200] > 4 * (certain[201] - certain[200]));
    assert_true(varied[51] - varied[50] > varied[201] - varied[200]);
    assert_true(certain[1] - certain[0] > (1 << PACK_BITS) / 2);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_is_packed_comes_back),
    cmocka_unit_test(runs_of_the_rarest_and_the_commonest_bytes_come_back),
    cmocka_unit_test(a_book_is_the_same_at_the_other_side),
    cmocka_unit_test(nonsense_is_read_without_harm),
    cmocka_unit_test(a_packet_without_room_is_reported),
    cmocka_unit_test(the_cost_of_a_book_is_known_before_it_is_sent),
    cmocka_unit_test(bytes_that_never_came_are_likelier_where_all_differ),
};

TEST_GROUP(pack, tests, NULL, NULL);
