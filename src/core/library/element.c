// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What an element of each field kind is made of. A new kind is a line in this table; only texts,
// lists and structs need code of their own, in fields.c, and spans and blocks in the store.

#include "library/element.h"

#include "base/heap.h"

#include "knack/target.h"

#include <math.h>

#define POINTER_SIZE ((uint8_t)sizeof(void *))

const kni_kind kni_kinds[KNI_KIND_COUNT] = {
    [KN_FIELD_U8] = {1, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_FIELD_BOOL] = {1, 1, KNI_NUMBER_BOOL, 0},
    [KN_FIELD_U16] = {2, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_FIELD_U32] = {4, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_FIELD_I32] = {4, 1, KNI_NUMBER_SIGNED, 0},
    [KN_FIELD_F32] = {4, 1, KNI_NUMBER_FLOAT, 0},
    [KN_FIELD_U64] = {8, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_FIELD_I64] = {8, 1, KNI_NUMBER_SIGNED, 0},
    [KN_FIELD_TIME] = {8, 1, KNI_NUMBER_TIME, 0},
    [KN_FIELD_ENTITY] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_EFFECT] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_TAG] = {4, 1, KNI_NUMBER_REF, KN_DEF_TAG + 1},
    [KN_FIELD_ATTRIBUTE] = {4, 1, KNI_NUMBER_REF, KN_DEF_ATTRIBUTE + 1},
    [KN_FIELD_CURVE] = {4, 1, KNI_NUMBER_REF, KN_DEF_CURVE + 1},
    [KN_FIELD_VEC3] = {12, 3, KNI_NUMBER_FLOAT, 0},
    [KN_FIELD_ABILITY] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_ACTIVATION] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_TASK] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_TIMER] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_SPEC] = {8, 2, KNI_NUMBER_ID, 0},
    [KN_FIELD_REF] = {4, 1, KNI_NUMBER_REF, 0},
    [KN_FIELD_ENUM] = {sizeof(int), 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_DEF_FIELD_ENUM] = {sizeof(int), 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_DEF_FIELD_REF] = {4, 1, KNI_NUMBER_REF, 0},
    [KN_DEF_FIELD_STRING] = {POINTER_SIZE, 0, KNI_NUMBER_NONE, 0},
    [KN_DEF_FIELD_QUERY] = {POINTER_SIZE, 0, KNI_NUMBER_NONE, 0},
    [KN_DEF_FIELD_POINTER] = {POINTER_SIZE, 0, KNI_NUMBER_NONE, 0},
    [KN_DEF_FIELD_ARRAY] = {POINTER_SIZE, 0, KNI_NUMBER_NONE, 0},
    [KN_DEF_FIELD_REFS] = {POINTER_SIZE, 0, KNI_NUMBER_NONE, 0},
    [KN_DEF_FIELD_TAGS] = {sizeof(kn_tags), 0, KNI_NUMBER_NONE, 0},
    [KN_DEF_FIELD_COOKIE] = {4, 0, KNI_NUMBER_NONE, 0},
    [KN_STATE_FIELD_REF16] = {2, 1, KNI_NUMBER_REF, 0},
    [KN_STATE_FIELD_INDEX16] = {2, 1, KNI_NUMBER_INDEX, 0},
    [KN_STATE_FIELD_INDEX32] = {4, 1, KNI_NUMBER_INDEX, 0},
    [KN_STATE_FIELD_ENUM8] = {1, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_STATE_FIELD_FLAGS16] = {2, 1, KNI_NUMBER_FLAGS, 0},
    [KN_STATE_FIELD_ABSENT] = {4, 1, KNI_NUMBER_ABSENT_FLOAT, 0},
    [KN_STATE_FIELD_SLOT] = {4, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_STATE_FIELD_SLOT1] = {4, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_STATE_FIELD_LIST] = {sizeof(kni_span), 0, KNI_NUMBER_NONE, 0},
    [KN_STATE_FIELD_BLOCK] = {sizeof(kni_ref), 0, KNI_NUMBER_NONE, 0},
    [KN_CALL_FIELD_RESULT] = {sizeof(int), 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_CALL_FIELD_CAUSE] = {4, 1, KNI_NUMBER_UNSIGNED, 0},
    [KN_CALL_FIELD_TARGETS] = {sizeof(kn_target_view), 0, KNI_NUMBER_NONE, 0},
    [KN_CALL_FIELD_BYTES] = {POINTER_SIZE, 0, KNI_NUMBER_NONE, 0},
    [KN_CALL_FIELD_TEXT] = {1, 0, KNI_NUMBER_NONE, 0},
};

_Static_assert((int)KN_STATE_FIELD_END <= (int)KN_CALL_FIELD_RESULT, "kinds do not overlap");
_Static_assert(sizeof(kn_vec3) == 12, "three words");
_Static_assert(sizeof(kn_op) == sizeof(int), "enums have the size of an int");
_Static_assert(sizeof(int) == 4, "enums are read as 4 bytes");
_Static_assert(KN_DEF_KIND_END < UINT8_MAX, "kinds of things fit into a byte");

uint64_t kni_element_word(const kn_def_field *field, const uint8_t *at, uint32_t word)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    KN_ASSERT(word < kind->words);
    uint32_t size = kni_kind_word_size(kind);
    uint64_t value = kni_field_load(at + word * size, size);
    switch (kind->number) {
    case KNI_NUMBER_BOOL:
        return value != 0;
    case KNI_NUMBER_FLAGS:
        return value & field->limit;
    case KNI_NUMBER_ABSENT_FLOAT:
        return (value & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : value; // one NaN for all
    default:
        return value;
    }
}

uint32_t kni_element_index1(const kn_def_field *field, const uint8_t *at)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    return (uint32_t)kni_field_load(at, kind->size) + (kind->number == KNI_NUMBER_INDEX);
}

float kni_element_float(const uint8_t *at, uint32_t word)
{
    float value;
    memcpy(&value, at + word * sizeof(value), sizeof(value));
    return value;
}

int64_t kni_element_signed(const kn_def_field *field, const uint8_t *at)
{
    uint64_t value = kni_element_word(field, at, 0);
    return kni_kind_of(field->kind)->size == 4 ? (int32_t)(uint32_t)value : (int64_t)value;
}

void kni_element_hash(const kn_def_field *field, const uint8_t *at, kni_hash *hash)
{
    uint32_t words = kni_kind_of(field->kind)->words;
    if (words == 1) {
        kni_hash_u64(hash, kni_element_word(field, at, 0));
        return;
    }
    kni_hash_pair(hash, kni_element_word(field, at, 0), kni_element_word(field, at, 1));
    if (words == 3) {
        kni_hash_u64(hash, kni_element_word(field, at, 2));
    }
}

// A word of a size that the compiler knows in each case.
static inline void word_write(const uint8_t *at, uint32_t size, kn_writer *writer)
{
    switch (size) {
    case 4:
        kn_write_uint(writer, kni_field_load(at, 4), 4);
        break;
    case 8:
        kn_write_uint(writer, kni_field_load(at, 8), 8);
        break;
    default:
        kn_write_uint(writer, kni_field_load(at, size), size);
        break;
    }
}

static inline void word_read(uint8_t *at, uint32_t size, kn_reader *reader)
{
    switch (size) {
    case 4:
        kni_field_store(at, 4, kn_read_uint(reader, 4));
        break;
    case 8:
        kni_field_store(at, 8, kn_read_uint(reader, 8));
        break;
    default:
        kni_field_store(at, size, kn_read_uint(reader, size));
        break;
    }
}

void kni_element_write_to(const kn_def_field *field, const uint8_t *at, kn_writer *writer)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    if (kind->number >= KNI_NUMBER_BOOL) {
        kn_write_uint(writer, kni_element_word(field, at, 0), kind->size);
        return;
    }
    uint32_t size = kni_kind_word_size(kind);
    for (uint32_t i = 0; i < kind->words; i++) {
        word_write(at + i * size, size, writer);
    }
}

void kni_element_read_from(const kn_def_field *field, uint8_t *at, kn_reader *reader)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    uint32_t size = kni_kind_word_size(kind);
    for (uint32_t i = 0; i < kind->words; i++) {
        word_read(at + i * size, size, reader);
    }
}

const char *kni_element_problem(const kn_def_field *field, const uint8_t *at)
{
    switch (field->kind) {
    case KN_STATE_FIELD_FLAGS16:
        return (kni_field_load(at, 2) & ~(uint64_t)field->limit) != 0 ? "a flag is unknown" : NULL;
    case KN_STATE_FIELD_ENUM8:
        return *at >= field->limit ? "a choice is unknown" : NULL;
    case KN_FIELD_ENUM:
        return kni_field_load(at, 4) >= field->limit ? "a choice is unknown" : NULL;
    case KN_FIELD_BOOL:
        return *at > 1 ? "a choice is unknown" : NULL;
    case KN_FIELD_F32:
        return isfinite(kni_element_float(at, 0)) ? NULL : "a number is not finite";
    case KN_STATE_FIELD_ABSENT:
        return isinf(kni_element_float(at, 0)) ? "a number is not finite" : NULL;
    default:
        return NULL;
    }
}
