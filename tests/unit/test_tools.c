// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The tools for kits and modules, used as a kit would.

#include "knack/space.h"
#include "knack/tools.h"
#include "test_memory.h"

#include <stdio.h>

typedef struct kit_def {
    uint32_t number;
    uint32_t cookie;
} kit_def;

static kit_def kit_def_default(void)
{
    return (kit_def){.cookie = KN_COOKIE};
}

static char failed[64];

static bool note_assertion(const char *condition, const char *file, int line)
{
    (void)file;
    (void)line;
    (void)snprintf(failed, sizeof(failed), "%s", condition);
    return false;
}

static void a_def_without_its_defaults_names_the_function_to_start_from(void **state)
{
    (void)state;
    kit_def good = kit_def_default(), bad = {0};
    failed[0] = 0;
    kn_assert_set_handler(note_assertion);

    KN_ASSERT_DEF(&good, kit_def);
    assert_string_equal(failed, "");
    KN_ASSERT_DEF(&bad, kit_def);
    (void)good; // without asserts nobody looks at them
    (void)bad;

    kn_assert_set_handler(NULL);
    assert_string_equal(failed, KN_ASSERTS ? "kit_def: start from kit_def_default()" : "");
}

static void memory_comes_from_the_hooks_and_returns_to_them(void **state)
{
    (void)state;
    test_memory memory = {0};
    kn_hooks hooks = {.realloc_fn = test_memory_realloc, .realloc_user = &memory};

    char *block = kn_memory_resize(&hooks, NULL, 0, 5);
    memcpy(block, "four", 5);
    block = kn_memory_resize(&hooks, block, 5, 100);
    assert_string_equal(block, "four");
    assert_int_equal(memory.bytes, 100);

    kn_memory_free(&hooks, block, 100);
    kn_memory_free(&hooks, NULL, 0);
    assert_null(kn_memory_resize(&hooks, NULL, 0, 0));
    assert_int_equal(memory.blocks, 0);
}

static void memory_without_hooks_is_that_of_the_c_library(void **state)
{
    (void)state;
    kn_hooks hooks = {0};
    void *first = kn_memory_resize(NULL, NULL, 0, 16);
    void *second = kn_memory_resize(&hooks, NULL, 0, 16);
    assert_non_null(first);
    assert_non_null(second);
    free(first); // the same allocator
    kn_memory_free(NULL, second, 16);
}

static void a_growing_array_keeps_its_elements(void **state)
{
    (void)state;
    test_memory memory = {0};
    kn_hooks hooks = {.realloc_fn = test_memory_realloc, .realloc_user = &memory};
    uint64_t *array = NULL;
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < 1000; i++) {
        assert_true(kn_memory_grow(&hooks, &array, &capacity, i + 1, sizeof(*array)));
        array[i] = i;
    }
    assert_true(memory.calls < 12); // it doubles
    for (uint32_t i = 0; i < 1000; i++) {
        assert_int_equal(array[i], i);
    }

    memory.fail_at = memory.calls + 1;
    uint64_t *before = array;
    uint32_t capacity_before = capacity;
    assert_false(kn_memory_grow(&hooks, &array, &capacity, capacity + 1, sizeof(*array)));
    assert_false(kn_memory_grow(&hooks, &array, &capacity, UINT32_MAX, SIZE_MAX / 2));
    assert_ptr_equal(array, before);
    assert_int_equal(capacity, capacity_before);

    kn_memory_free(&hooks, array, capacity * sizeof(*array));
    assert_int_equal(memory.blocks, 0);
}

static void an_error_has_its_code_and_message_and_no_place(void **state)
{
    (void)state;
    kn_error error = {.line = 3, .column = 4};
    kn_result result = kn_error_set(&error, KN_ERROR_BAD_DATA, "%s has %u of %s", "a", 7u, "all");
    assert_int_equal(result, KN_ERROR_BAD_DATA);
    assert_int_equal(error.code, KN_ERROR_BAD_DATA);
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
    assert_string_equal(error.message, "a has 7 of all");
    assert_int_equal(kn_error_set(NULL, KN_ERROR_IO, "lost"), KN_ERROR_IO);
}

static void a_text_is_truncated_but_counted_whole(void **state)
{
    (void)state;
    char buffer[8] = "old";
    kn_text text = kn_text_begin(buffer, sizeof(buffer));
    assert_string_equal(buffer, "");
    kn_text_add(&text, "%s %u", "ab", 7u);
    assert_string_equal(buffer, "ab 7");
    kn_text_add(&text, "%s", "cdefgh");
    assert_string_equal(buffer, "ab 7cde");
    assert_int_equal(text.length, 10);
    kn_text_add(&text, "ij");
    assert_string_equal(buffer, "ab 7cde");
    assert_int_equal(text.length, 12);

    kn_text counted = kn_text_begin(NULL, 5);
    kn_text_add(&counted, "%u", 12345u);
    assert_int_equal(counted.length, 5);
}

static void what_is_written_is_read_again(void **state)
{
    (void)state;
    uint8_t bytes[64];
    kn_writer writer = {bytes, sizeof(bytes), 0};
    kn_write_u8(&writer, 200);
    kn_write_u32(&writer, 0x12345678);
    kn_write_u64(&writer, 0x123456789abcdef0);
    kn_write_uint(&writer, 0x030201, 3);
    kn_write_str(&writer, "text");
    kn_write_str(&writer, NULL);
    kn_write_bytes(&writer, "xyz", 3);
    assert_true(writer.length <= writer.size);
    assert_int_equal(bytes[1], 0x78); // the lowest byte comes first

    kn_reader reader = {bytes, writer.length, 0, false, false};
    char text[5];
    assert_int_equal(kn_read_u8(&reader), 200);
    assert_int_equal(kn_read_u32(&reader), 0x12345678);
    assert_int_equal(kn_read_u64(&reader), 0x123456789abcdef0);
    assert_int_equal(kn_read_uint(&reader, 3), 0x030201);
    kn_read_str(&reader, text, sizeof(text));
    assert_string_equal(text, "text");
    kn_read_str(&reader, text, sizeof(text));
    assert_string_equal(text, "");
    assert_memory_equal(kn_read_bytes(&reader, 3), "xyz", 3);
    assert_false(reader.failed);
    assert_int_equal(reader.at, writer.length);
}

static void a_writer_without_room_counts(void **state)
{
    (void)state;
    uint8_t bytes[6] = {0};
    kn_writer writer = {bytes, sizeof(bytes), 0};
    kn_write_u32(&writer, 1);
    kn_write_u32(&writer, UINT32_MAX);
    assert_int_equal(writer.length, 8);
    assert_int_equal(bytes[4], 0);
    kn_writer none = {NULL, 0, 0};
    kn_write_str(&none, "size");
    assert_int_equal(none.length, 8);
}

static void a_reader_gives_zeros_after_its_first_failure(void **state)
{
    (void)state;
    const uint8_t bytes[] = {1, 2, 3, 4, 5};
    kn_reader reader = {bytes, sizeof(bytes), 0, false, false};
    assert_int_equal(kn_read_u64(&reader), 0);
    assert_true(reader.failed);
    assert_int_equal(kn_read_u8(&reader), 0);
    assert_null(kn_read_bytes(&reader, 1));

    const uint8_t text[] = {4, 0, 0, 0, 'l', 'o', 'n', 'g'};
    char small[4] = "old";
    reader = (kn_reader){text, sizeof(text), 0, false, false};
    kn_read_str(&reader, small, sizeof(small));
    assert_true(reader.failed);
    assert_string_equal(small, "");
}

static void a_hash_depends_on_seed_size_and_every_byte(void **state)
{
    (void)state;
    uint8_t bytes[100] = {0};
    uint64_t hash = kn_hash_bytes(1, bytes, sizeof(bytes));
    assert_int_equal(hash, kn_hash_bytes(1, bytes, sizeof(bytes)));
    assert_int_not_equal(hash, kn_hash_bytes(2, bytes, sizeof(bytes)));
    assert_int_not_equal(hash, kn_hash_bytes(1, bytes, sizeof(bytes) - 1));
    for (uint32_t i = 0; i < sizeof(bytes); i++) {
        bytes[i] = 1;
        assert_int_not_equal(hash, kn_hash_bytes(1, bytes, sizeof(bytes)));
        bytes[i] = 0;
    }
}

static void hits_are_kept_by_distance_then_by_slot(void **state)
{
    (void)state;
    kn_space_hit kept[4];
    kn_space_hits hits = {kept, 4, 0, 0};
    const float distances[] = {5, 3, 9, 3, 1, 7, 3};
    for (uint32_t i = 0; i < 7; i++) {
        kn_space_hit hit = {.entity = {10 - i, 1}, .distance = distances[i]};
        kn_space_hits_push(&hits, &hit);
    }
    kn_space_hits_sort(&hits);

    const uint32_t slots[] = {6, 4, 7, 9};
    assert_int_equal(hits.count, 7);
    assert_int_equal(hits.kept, 4);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(kept[i].entity.index1, slots[i]);
    }

    kn_space_hits none = {NULL, 0, 0, 0}; // counts
    kn_space_hits_push(&none, &kept[0]);
    kn_space_hits_sort(&none);
    assert_int_equal(none.count, 1);
    assert_int_equal(none.kept, 0);
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_def_without_its_defaults_names_the_function_to_start_from),
    cmocka_unit_test(memory_comes_from_the_hooks_and_returns_to_them),
    cmocka_unit_test(memory_without_hooks_is_that_of_the_c_library),
    cmocka_unit_test(a_growing_array_keeps_its_elements),
    cmocka_unit_test(an_error_has_its_code_and_message_and_no_place),
    cmocka_unit_test(a_text_is_truncated_but_counted_whole),
    cmocka_unit_test(what_is_written_is_read_again),
    cmocka_unit_test(a_writer_without_room_counts),
    cmocka_unit_test(a_reader_gives_zeros_after_its_first_failure),
    cmocka_unit_test(a_hash_depends_on_seed_size_and_every_byte),
    cmocka_unit_test(hits_are_kept_by_distance_then_by_slot),
};

TEST_GROUP(test_tools, tests, NULL, NULL);
