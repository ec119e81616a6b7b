// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Numbers packed into bits.

#include "net/bits.h"
#include "net_test.h"

static void bytes_begin_with_their_lowest_bit(void **state)
{
    (void)state;
    uint8_t bytes[32];
    memset(bytes, 0xee, sizeof(bytes));
    kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));

    kni_bits_write_bool(&writer, true);
    kni_bits_write(&writer, 5, 3);
    kni_bits_write(&writer, 0x1234, 16);
    kni_bits_write_align(&writer);
    kni_bits_write(&writer, 0x0807060504030201u, 64);

    const uint8_t expected[] = {0x4b, 0x23, 0x01, 1, 2, 3, 4, 5, 6, 7, 8};
    assert_int_equal(kni_bits_size(&writer), sizeof(expected));
    assert_memory_equal(bytes, expected, sizeof(expected));
    assert_false(writer.overflow);
}

static void bits_above_the_count_are_ignored(void **state)
{
    (void)state;
    uint8_t bytes[16] = {0};
    for (size_t capacity = 1; capacity <= sizeof(bytes); capacity++) {
        kni_bit_writer writer = kni_bits_writer(bytes, capacity);
        kni_bits_write(&writer, UINT64_MAX, 3);
        kni_bits_write(&writer, UINT64_MAX, 0);
        assert_int_equal(bytes[0], 7);
        assert_int_equal(writer.at, 3);
    }
}

// What a script of random calls wrote is read back, whatever the place, in a buffer that is just
// large enough and in one with room.
typedef struct call {
    uint32_t kind, count;
    uint64_t value;
    uint8_t bytes[24];
} call;

static call any_call(uint64_t *random)
{
    call made = {.kind = any_below(random, 6), .value = any_u64(random)};
    made.count = any_below(random, 65);
    if (made.kind == 0) {
        made.value &= kni_bits_mask(made.count);
    }
    if (made.kind == 1 || made.kind == 2) {
        made.value >>= any_below(random, 64);
        made.count = 1 + any_below(random, 32);
    }
    made.count = made.kind == 3 ? any_below(random, sizeof(made.bytes) + 1) : made.count;
    for (uint32_t i = 0; made.kind == 3 && i < made.count; i++) {
        made.bytes[i] = (uint8_t)any_u64(random);
    }
    return made;
}

static void call_write(kni_bit_writer *writer, const call *made)
{
    switch (made->kind) {
    case 0:
        kni_bits_write(writer, made->value, made->count);
        break;
    case 1:
        kni_bits_write_uint(writer, made->value, made->count);
        break;
    case 2:
        kni_bits_write_int(writer, (int64_t)made->value, made->count);
        break;
    case 3:
        kni_bits_write_bytes(writer, made->bytes, made->count);
        break;
    case 4:
        kni_bits_write_bool(writer, (made->value & 1) != 0);
        break;
    default:
        kni_bits_write_align(writer);
        break;
    }
}

static void call_expect(kni_bit_reader *reader, const call *made)
{
    uint8_t bytes[24];
    switch (made->kind) {
    case 0:
        assert_int_equal(kni_bits_read(reader, made->count), made->value);
        break;
    case 1:
        assert_int_equal(kni_bits_read_uint(reader, made->count), made->value);
        break;
    case 2:
        assert_int_equal(kni_bits_read_int(reader, made->count), (int64_t)made->value);
        break;
    case 3:
        kni_bits_read_bytes(reader, bytes, made->count);
        assert_memory_equal(bytes, made->bytes, made->count);
        break;
    case 4:
        assert_int_equal(kni_bits_read_bool(reader), made->value & 1);
        break;
    default:
        kni_bits_read_align(reader);
        break;
    }
    assert_false(reader->failed);
}

static void what_was_written_is_read_back(void **state)
{
    (void)state;
    enum { CALLS = 40 };
    for (uint64_t seed = 0; seed < 400; seed++) {
        uint64_t random = seed;
        call calls[CALLS];
        uint8_t large[CALLS * 140];
        memset(large, 0xff, sizeof(large));
        kni_bit_writer writer = kni_bits_writer(large, sizeof(large));
        for (uint32_t i = 0; i < CALLS; i++) {
            calls[i] = any_call(&random);
            call_write(&writer, &calls[i]);
        }
        assert_false(writer.overflow);
        size_t size = kni_bits_size(&writer);
        uint8_t *exact = malloc(size); // nothing is written or read behind it
        assert_non_null(exact);
        memset(exact, 0xff, size);
        kni_bit_writer again = kni_bits_writer(exact, size);
        for (uint32_t i = 0; i < CALLS; i++) {
            call_write(&again, &calls[i]);
        }
        assert_false(again.overflow);
        assert_int_equal(again.at, writer.at);
        assert_memory_equal(exact, large, size);

        kni_bit_reader reader = kni_bits_reader(exact, size);
        for (uint32_t i = 0; i < CALLS; i++) {
            call_expect(&reader, &calls[i]);
        }
        assert_int_equal(reader.at, writer.at);
        assert_true(kni_bits_finish(&reader));

        // One byte less: an overflow, and a failure.
        kni_bit_writer small = kni_bits_writer(exact, size - 1);
        kni_bit_reader cut = kni_bits_reader(large, size - 1);
        for (uint32_t i = 0; i < CALLS; i++) {
            call_write(&small, &calls[i]);
            if (!cut.failed && kni_bits_left(&cut) >= 64 * 24) {
                call_expect(&cut, &calls[i]);
            }
        }
        assert_true(small.overflow);
        assert_true(kni_bits_size(&small) <= size - 1);
        free(exact);
    }
}

static void small_numbers_are_short(void **state)
{
    (void)state;
    static const struct {
        uint64_t value;
        uint32_t group, bits;
    } cases[] = {{0, 4, 5}, {15, 4, 5}, {16, 4, 10}, {255, 4, 10}, {256, 4, 15}, {1, 1, 2},
        {3, 1, 4}, {UINT64_MAX, 32, 66}, {UINT64_MAX, 7, 80}, {UINT64_MAX, 1, 128}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint8_t bytes[32];
        kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));
        kni_bits_write_uint(&writer, cases[i].value, cases[i].group);
        assert_int_equal(writer.at, cases[i].bits);
        kni_bit_reader reader = kni_bits_reader(bytes, kni_bits_size(&writer));
        assert_int_equal(kni_bits_read_uint(&reader, cases[i].group), cases[i].value);
    }
}

static void numbers_around_zero_are_short_with_either_sign(void **state)
{
    (void)state;
    static const int64_t values[] = {0, -1, 1, -2, 2, INT64_MAX, INT64_MIN};
    static const uint64_t written[] = {0, 1, 2, 3, 4, UINT64_MAX - 1, UINT64_MAX};
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
        uint8_t bytes[32];
        kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));
        kni_bits_write_int(&writer, values[i], 8);
        kni_bit_reader reader = kni_bits_reader(bytes, kni_bits_size(&writer));
        assert_int_equal(kni_bits_read_uint(&reader, 8), written[i]);
        reader = kni_bits_reader(bytes, kni_bits_size(&writer));
        assert_true(kni_bits_read_int(&reader, 8) == values[i]);
    }
}

static void a_number_has_one_form_only(void **state)
{
    (void)state;
    uint8_t bytes[32];
    // A last group of 0 that is not needed.
    kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));
    kni_bits_write(&writer, 5 << 1 | 1, 5);
    kni_bits_write(&writer, 0, 5);
    kni_bit_reader reader = kni_bits_reader(bytes, sizeof(bytes));
    assert_int_equal(kni_bits_read_uint(&reader, 4), 0);
    assert_true(reader.failed);

    // A bit more than 64: nine groups of seven bits, and two bits in the tenth.
    for (uint32_t last = 1; last <= 3; last++) {
        writer = kni_bits_writer(bytes, sizeof(bytes));
        for (uint32_t i = 0; i < 9; i++) {
            kni_bits_write(&writer, 1, 8);
        }
        kni_bits_write(&writer, last << 1, 8);
        reader = kni_bits_reader(bytes, sizeof(bytes));
        assert_true(kni_bits_read_uint(&reader, 7) == (last == 1 ? (uint64_t)1 << 63 : 0));
        assert_int_equal(reader.failed, last != 1);
    }

    // Groups without an end.
    memset(bytes, 0xff, sizeof(bytes));
    reader = kni_bits_reader(bytes, sizeof(bytes));
    assert_int_equal(kni_bits_read_uint(&reader, 1), 0);
    assert_true(reader.failed);
}

static void a_failure_is_remembered_and_gives_zeros(void **state)
{
    (void)state;
    const uint8_t bytes[12] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    kni_bit_reader reader = kni_bits_reader(bytes, sizeof(bytes));
    assert_int_equal(kni_bits_read(&reader, 4), 15);
    uint8_t out[12];
    memset(out, 0xee, sizeof(out));

    kni_bits_read_bytes(&reader, out, 12); // 11 and a half are left

    assert_true(reader.failed);
    assert_memory_equal(out, (uint8_t[12]){0}, 12);
    assert_int_equal(kni_bits_read(&reader, 1), 0);
    assert_int_equal(kni_bits_left(&reader), 0);
    assert_false(kni_bits_finish(&reader));
}

static void the_end_of_a_buffer_is_not_passed(void **state)
{
    (void)state;
    for (size_t size = 0; size <= 12; size++) {
        uint8_t *bytes = calloc(size + 1, 1);
        assert_non_null(bytes);
        bytes[size] = 0x5a; // not part of the buffer
        for (uint32_t count = 1; count <= 64; count++) {
            kni_bit_writer writer = kni_bits_writer(bytes, size);
            uint32_t fitted = 0;
            for (; !writer.overflow; fitted++) {
                kni_bits_write(&writer, UINT64_MAX, count);
            }
            assert_int_equal(fitted - 1, size * 8 / count);
            assert_int_equal(kni_bits_room(&writer), 0);
            kni_bits_write_bytes(&writer, bytes, 0);
            assert_int_equal(bytes[size], 0x5a);

            kni_bit_reader reader = kni_bits_reader(bytes, size);
            uint32_t numbers = 0;
            for (; kni_bits_read(&reader, count) == kni_bits_mask(count); numbers++) {
            }
            assert_int_equal(numbers, size * 8 / count);
            assert_true(reader.failed);
        }
        free(bytes);
    }
}

static void padding_and_trailing_bits_are_zero(void **state)
{
    (void)state;
    for (uint32_t bit = 0; bit < 16; bit++) {
        uint8_t bytes[2] = {0};
        bytes[bit / 8] = (uint8_t)(1 << bit % 8);
        kni_bit_reader reader = kni_bits_reader(bytes, 2);
        (void)kni_bits_read(&reader, 3);
        kni_bits_read_align(&reader);
        assert_int_equal(reader.failed, bit >= 3 && bit < 8);

        reader = kni_bits_reader(bytes, 2);
        (void)kni_bits_read(&reader, 11);
        assert_int_equal(kni_bits_finish(&reader), bit < 11);
    }
    // A whole byte too many.
    kni_bit_reader reader = kni_bits_reader((uint8_t[3]){0}, 3);
    (void)kni_bits_read(&reader, 16);
    assert_false(kni_bits_finish(&reader));
}

static void a_writer_rolls_back_to_a_mark(void **state)
{
    (void)state;
    for (uint32_t before = 0; before <= 40; before++) {
        uint8_t bytes[12], plain[12];
        kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));
        kni_bit_writer other = kni_bits_writer(plain, sizeof(plain));
        kni_bits_write(&writer, 0x5555555555u, before);
        kni_bit_mark mark = kni_bits_mark(&writer);
        kni_bits_write(&writer, UINT64_MAX, 50);
        kni_bits_write(&writer, UINT64_MAX, 64); // does not fit
        assert_true(writer.overflow);

        kni_bits_rollback(&writer, mark);
        kni_bits_write(&writer, 9, 7);

        kni_bits_write(&other, 0x5555555555u, before);
        kni_bits_write(&other, 9, 7);
        assert_false(writer.overflow);
        assert_int_equal(writer.at, other.at);
        assert_memory_equal(bytes, plain, kni_bits_size(&other));
    }
}

static void a_mark_after_an_overflow_keeps_it(void **state)
{
    (void)state;
    uint8_t bytes[1];
    kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));
    kni_bits_write(&writer, 0, 9);
    kni_bits_rollback(&writer, kni_bits_mark(&writer));
    kni_bits_write(&writer, 0, 1);
    assert_true(writer.overflow);
    assert_int_equal(writer.at, 0);
}

static void bytes_are_written_all_or_not_at_all(void **state)
{
    (void)state;
    uint8_t bytes[8];
    kni_bit_writer writer = kni_bits_writer(bytes, sizeof(bytes));
    kni_bits_write_bool(&writer, true);
    kni_bits_write_bytes(&writer, "12345678", 8);
    assert_true(writer.overflow);
    assert_int_equal(writer.at, 1);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(bytes_begin_with_their_lowest_bit),
    cmocka_unit_test(bits_above_the_count_are_ignored),
    cmocka_unit_test(what_was_written_is_read_back),
    cmocka_unit_test(small_numbers_are_short),
    cmocka_unit_test(numbers_around_zero_are_short_with_either_sign),
    cmocka_unit_test(a_number_has_one_form_only),
    cmocka_unit_test(a_failure_is_remembered_and_gives_zeros),
    cmocka_unit_test(the_end_of_a_buffer_is_not_passed),
    cmocka_unit_test(padding_and_trailing_bits_are_zero),
    cmocka_unit_test(a_writer_rolls_back_to_a_mark),
    cmocka_unit_test(a_mark_after_an_overflow_keeps_it),
    cmocka_unit_test(bytes_are_written_all_or_not_at_all),
};

TEST_GROUP(bits, tests, NULL, NULL);
