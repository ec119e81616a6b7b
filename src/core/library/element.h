// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Elements of fields: how large they are, how they are read, written, hashed and printed. An
// element of a plain kind is one to three words of the same size, so that most of this is one loop.
#ifndef KNI_ELEMENT_H
#define KNI_ELEMENT_H

#include "base/hash.h"
#include "knack/tools.h"

#include "knack/state.h"

// What the words of a kind stand for.
enum {
    KNI_NUMBER_NONE, // a text, a list, a struct, a pointer
    KNI_NUMBER_UNSIGNED,
    KNI_NUMBER_SIGNED,
    KNI_NUMBER_FLOAT,
    KNI_NUMBER_TIME,
    KNI_NUMBER_ID,    // slot + 1 and generation
    KNI_NUMBER_REF,   // index + 1 of a registered thing
    KNI_NUMBER_INDEX, // index of one
    // From here on one word each, of which several values may mean the same.
    KNI_NUMBER_BOOL,
    KNI_NUMBER_FLAGS,
    KNI_NUMBER_ABSENT_FLOAT,
};

typedef struct kni_kind {
    uint8_t size;    // of an element; 0 for a struct, which has a table
    uint8_t words;   // of the same size each; 0 for what is not plain
    uint8_t number;  // KNI_NUMBER_*
    uint8_t refers1; // kn_def_kind + 1 that it refers to; 0: the field says so, or none
} kni_kind;

#define KNI_KIND_COUNT (KN_CALL_FIELD_TEXT + 1)

extern const kni_kind kni_kinds[KNI_KIND_COUNT];

static inline const kni_kind *kni_kind_of(uint32_t kind)
{
    return &kni_kinds[kind < KNI_KIND_COUNT ? kind : 0];
}

static inline uint32_t kni_kind_word_size(const kni_kind *kind)
{
    return kind->words > 1 ? 4 : kind->size;
}

// What a field refers to; KN_DEF_KIND_COUNT for plain ones.
static inline kn_def_kind kni_field_ref_kind(const kn_def_field *field)
{
    const kni_kind *kind = kni_kind_of(field->kind);
    if (kind->number != KNI_NUMBER_REF && kind->number != KNI_NUMBER_INDEX) {
        return KN_DEF_KIND_COUNT;
    }
    return kind->refers1 != 0 ? (kn_def_kind)(kind->refers1 - 1) : (kn_def_kind)field->limit;
}

// Size of one element of a field.
static inline size_t kni_field_size(const kn_def_field *field)
{
    return field->kind == KN_DEF_FIELD_STRUCT ? field->table->size : kni_kind_of(field->kind)->size;
}

// Whether a field lies in a file as it lies in memory, on machines that begin with the lowest byte.
static inline bool kni_field_is_raw(const kn_def_field *field)
{
    uint32_t number = kni_kind_of(field->kind)->number;
    return number >= KNI_NUMBER_UNSIGNED && number <= KNI_NUMBER_ID && field->kind != KN_FIELD_ENUM;
}

// One number of a struct, without regard to alignment or type. `size` is 1, 2, 4 or 8.
static inline uint64_t kni_field_load(const void *from, size_t size)
{
    const uint8_t *at = from;
    uint64_t value = 0;
    switch (size) {
    case 1: {
        value = *at;
        break;
    }
    case 2: {
        uint16_t v;
        memcpy(&v, at, 2);
        value = v;
        break;
    }
    case 4: {
        uint32_t v;
        memcpy(&v, at, 4);
        value = v;
        break;
    }
    default:
        memcpy(&value, at, 8);
        break;
    }
    return value;
}

static inline void kni_field_store(void *to, size_t size, uint64_t value)
{
    uint8_t *at = to;
    switch (size) {
    case 1:
        *at = (uint8_t)value;
        break;
    case 2: {
        uint16_t v = (uint16_t)value;
        memcpy(at, &v, 2);
        break;
    }
    case 4: {
        uint32_t v = (uint32_t)value;
        memcpy(at, &v, 4);
        break;
    }
    default:
        memcpy(at, &value, 8);
        break;
    }
}

// One word of an element. What means the same is the same: any bool that is not 0, any NaN that
// stands for "absent", flags without those of the running call.
uint64_t kni_element_word(const kn_def_field *field, const uint8_t *at, uint32_t word);
// Index + 1 of what a reference names.
uint32_t kni_element_index1(const kn_def_field *field, const uint8_t *at);
float kni_element_float(const uint8_t *at, uint32_t word);
int64_t kni_element_signed(const kn_def_field *field, const uint8_t *at);

// All words. Nothing for what is not plain.
void kni_element_hash(const kn_def_field *field, const uint8_t *at, kni_hash *hash);
void kni_element_write_to(const kn_def_field *field, const uint8_t *at, kn_writer *writer);
void kni_element_read_from(const kn_def_field *field, uint8_t *at, kn_reader *reader);
// Why bytes of a file cannot be an element, or NULL. References are not looked at.
const char *kni_element_problem(const kn_def_field *field, const uint8_t *at);
// The word for an element of KN_FIELD_ENUM; NULL for a number without one.
static inline const char *kni_element_name(const kn_def_field *field, const uint8_t *at)
{
    uint64_t value = kni_field_load(at, 4);
    return value < field->limit ? field->names[value] : NULL;
}

#endif
