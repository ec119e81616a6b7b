// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Elements of fields: one table says how large each kind is and what its words mean.

#include "library/element.h"
#include "test_memory.h"

#include <math.h>

static kn_def_field field_of(uint32_t kind)
{
    return (kn_def_field){.name = "field", .kind = (uint8_t)kind, .limit = 3, .count = 1};
}

static void every_kind_has_an_entry(void **state)
{
    (void)state;
    for (uint32_t kind = KN_FIELD_U8; kind < KN_STATE_FIELD_END; kind++) {
        bool is_known = kind < KN_FIELD_KIND_END || kind >= KN_DEF_FIELD_ENUM;
        bool has_size = kni_kinds[kind].size != 0;
        assert_int_equal(has_size, is_known && kind != KN_DEF_FIELD_STRUCT);
        assert_int_equal(kni_kinds[kind].words != 0, kni_kinds[kind].number != KNI_NUMBER_NONE);
        assert_int_equal(
            kni_kinds[kind].words * kni_kind_word_size(&kni_kinds[kind]) == kni_kinds[kind].size,
            kni_kinds[kind].words != 0 || !has_size);
    }
}

// What is written is as long as the element and reads back as the same bytes.
static void plain_elements_survive_writing_and_reading(void **state)
{
    (void)state;
    for (uint32_t kind = KN_FIELD_U8; kind < KN_STATE_FIELD_END; kind++) {
        kn_def_field field = field_of(kind);
        if (kni_kinds[kind].words == 0) {
            continue;
        }
        field.limit = UINT16_MAX;
        uint8_t from[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, bytes[16] = {0}, to[16] = {0};
        kn_writer writer = {bytes, sizeof(bytes), 0};
        kni_element_write_to(&field, from, &writer);
        assert_int_equal(writer.length, kni_field_size(&field));
        kn_reader reader = {.data = bytes, .size = writer.length};
        kni_element_read_from(&field, to, &reader);
        assert_false(reader.failed);
        assert_int_equal(reader.at, reader.size);
        assert_memory_equal(from, to, writer.length);
    }
}

static uint64_t hash_of(uint32_t kind, const void *element)
{
    kn_def_field field = field_of(kind);
    kni_hash hash = kni_hash_begin(0);
    kni_element_hash(&field, element, &hash);
    return kni_hash_end(&hash);
}

static void every_byte_of_an_element_is_in_its_hash(void **state)
{
    (void)state;
    const uint32_t kinds[] = {KN_FIELD_U8, KN_FIELD_U16, KN_FIELD_I32, KN_FIELD_F32, KN_FIELD_U64,
        KN_FIELD_ENTITY, KN_FIELD_TAG, KN_FIELD_VEC3, KN_STATE_FIELD_INDEX16};
    for (uint32_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
        uint8_t element[16] = {0};
        uint64_t before = hash_of(kinds[k], element);
        for (uint32_t i = 0; i < kni_kinds[kinds[k]].size; i++) {
            element[i] = 1;
            assert_int_not_equal(hash_of(kinds[k], element), before);
            element[i] = 0;
        }
    }
}

static void what_means_the_same_has_the_same_words(void **state)
{
    (void)state;
    kn_def_field absent = field_of(KN_STATE_FIELD_ABSENT), flags = field_of(KN_STATE_FIELD_FLAGS16);
    kn_def_field is = field_of(KN_FIELD_BOOL);
    const uint32_t nans[3] = {0x7fc00000u, 0xffc00001u, 0x7f800001u};
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t *at = (const uint8_t *)&nans[i];
        assert_int_equal(kni_element_word(&absent, at, 0), 0x7fc00000u);
    }
    const float numbers[2] = {1.0f, -0.0f};
    assert_int_equal(kni_element_word(&absent, (const uint8_t *)&numbers[0], 0), 0x3f800000u);
    assert_int_equal(kni_element_word(&absent, (const uint8_t *)&numbers[1], 0), 0x80000000u);
    const uint8_t truth = 7;
    assert_int_equal(kni_element_word(&is, &truth, 0), 1);
    const uint16_t bits = 0xff02; // those above the limit belong to the running call
    assert_int_equal(kni_element_word(&flags, (const uint8_t *)&bits, 0), 2);
}

static void references_name_a_kind_and_count_from_one(void **state)
{
    (void)state;
    const uint16_t five = 5;
    const uint8_t *at = (const uint8_t *)&five;
    kn_def_field ref = field_of(KN_STATE_FIELD_REF16), index = field_of(KN_STATE_FIELD_INDEX16);
    ref.limit = index.limit = KN_DEF_ABILITY;
    kn_def_field tag = field_of(KN_FIELD_TAG), number = field_of(KN_FIELD_U32);
    assert_int_equal(kni_element_index1(&ref, at), 5);
    assert_int_equal(kni_element_index1(&index, at), 6);
    assert_int_equal(kni_field_ref_kind(&ref), KN_DEF_ABILITY);
    assert_int_equal(kni_field_ref_kind(&index), KN_DEF_ABILITY);
    assert_int_equal(kni_field_ref_kind(&tag), KN_DEF_TAG);
    assert_int_equal(kni_field_ref_kind(&number), KN_DEF_KIND_COUNT);
    kn_def_field any = field_of(KN_FIELD_REF), word = field_of(KN_FIELD_ENUM);
    any.limit = KN_DEF_ARCHETYPE;
    word.limit = 3;
    assert_int_equal(kni_field_ref_kind(&any), KN_DEF_ARCHETYPE);
    assert_int_equal(kni_field_ref_kind(&word), KN_DEF_KIND_COUNT);
}

static void bytes_that_cannot_be_an_element_are_explained(void **state)
{
    (void)state;
    kn_def_field is = field_of(KN_FIELD_BOOL), choice = field_of(KN_STATE_FIELD_ENUM8);
    kn_def_field flags = field_of(KN_STATE_FIELD_FLAGS16), number = field_of(KN_FIELD_F32);
    kn_def_field absent = field_of(KN_STATE_FIELD_ABSENT);
    const uint8_t one = 1, two = 2, three = 3;
    const uint16_t low = 3, high = 4;
    const float finite = 1.0f, nan = NAN, infinite = INFINITY;
    assert_null(kni_element_problem(&is, &one));
    assert_string_equal(kni_element_problem(&is, &two), "a choice is unknown");
    assert_null(kni_element_problem(&choice, &two));
    assert_string_equal(kni_element_problem(&choice, &three), "a choice is unknown");
    assert_null(kni_element_problem(&flags, (const uint8_t *)&low));
    assert_string_equal(kni_element_problem(&flags, (const uint8_t *)&high), "a flag is unknown");
    assert_null(kni_element_problem(&number, (const uint8_t *)&finite));
    assert_string_equal(
        kni_element_problem(&number, (const uint8_t *)&nan), "a number is not finite");
    assert_null(kni_element_problem(&absent, (const uint8_t *)&nan));
    assert_string_equal(
        kni_element_problem(&absent, (const uint8_t *)&infinite), "a number is not finite");
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_kind_has_an_entry),
    cmocka_unit_test(plain_elements_survive_writing_and_reading),
    cmocka_unit_test(every_byte_of_an_element_is_in_its_hash),
    cmocka_unit_test(what_means_the_same_has_the_same_words),
    cmocka_unit_test(references_name_a_kind_and_count_from_one),
    cmocka_unit_test(bytes_that_cannot_be_an_element_are_explained),
};

TEST_GROUP(test_element, tests, NULL, NULL);
