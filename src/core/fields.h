// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Field tables: what a struct consists of, written once. For defs they drive deep copy, checks,
// hash, save and load; for state structs hash, save, load, difference and dump.
#ifndef KNI_FIELDS_H
#define KNI_FIELDS_H

#include "bytes.h"
#include "hash.h"
#include "memory.h"

#include "knack/world.h"

// Continues kn_field_kind with what only the library's own structs contain.
enum {
    KNI_FIELD_ENUM = 64, // an int-sized enum below `limit`
    KNI_FIELD_STRING,    // const char *, may be NULL
    KNI_FIELD_REF,     // a registered type, struct { uint32_t index1; }; `limit` is a kni_ref_kind
    KNI_FIELD_TAGS,    // kn_tags
    KNI_FIELD_QUERY,   // const kn_tag_query *, may be NULL
    KNI_FIELD_STRUCT,  // an inline struct with a table of its own
    KNI_FIELD_ARRAY,   // pointer at `offset`, uint32_t count at `count_offset`
    KNI_FIELD_REFS,    // the same, elements are KNI_FIELD_REF
    KNI_FIELD_POINTER, // a function or user pointer: copied, never saved or hashed
    KNI_FIELD_COOKIE,  // checked by the register call

    // Of state structs.
    KNI_FIELD_REF16,      // uint16_t index + 1 of a registered thing; `limit` is a kni_ref_kind
    KNI_FIELD_INDEX16,    // uint16_t index of one
    KNI_FIELD_INDEX32,    // uint32_t index of one
    KNI_FIELD_ENUM8,      // uint8_t below `limit`
    KNI_FIELD_FLAGS16,    // uint16_t; bits outside `limit` belong to the running call
    KNI_FIELD_ABSENT_F32, // float, NaN for "absent"
    KNI_FIELD_SPAN,       // kni_span of elements with a table
    KNI_FIELD_BLOCK,      // kni_ref of plain bytes; `limit` is a kni_block
};

// Whose size a block of plain bytes has.
typedef enum kni_block {
    KNI_BLOCK_STATE,   // the state of the effect's logic
    KNI_BLOCK_PAYLOAD, // the context type's payload
    KNI_BLOCK_COUNT,
} kni_block;

// Which bytes hold references that are saved by name.
typedef enum kni_bytes {
    KNI_BYTES_PLAIN,
    KNI_BYTES_TASK,    // what a task keeps, by its kind
    KNI_BYTES_TARGETS, // target data, or whatever else an event brought
} kni_bytes;

// Kinds of registered things, so that a reference can be saved by name.
typedef enum kni_ref_kind {
    KNI_REF_TAG,
    KNI_REF_NAME,
    KNI_REF_CURVE,
    KNI_REF_SET,
    KNI_REF_ATTRIBUTE,
    KNI_REF_VALUE,
    KNI_REF_EVENT_KIND,
    KNI_REF_CALCULATION,
    KNI_REF_EXECUTION,
    KNI_REF_REQUIREMENT,
    KNI_REF_CONDITION,
    KNI_REF_POLICY,
    KNI_REF_LOGIC,
    KNI_REF_EFFECT,
    KNI_REF_CONTAINER,
    KNI_REF_RULE,
    KNI_REF_TIMER,
    KNI_REF_COMPONENT,
    KNI_REF_CONTEXT,
    KNI_REF_ABILITY,
    KNI_REF_ABILITY_SET,
    KNI_REF_TASK,
    KNI_REF_ANIMATION,
    KNI_REF_TARGET,
    KNI_REF_TARGETING,
    KNI_REF_KIND_COUNT,
} kni_ref_kind;

// What a field of a public kind refers to; KNI_REF_KIND_COUNT for plain ones.
static inline kni_ref_kind kni_field_refers_to(uint32_t kind)
{
    return kind == KN_FIELD_TAG         ? KNI_REF_TAG
           : kind == KN_FIELD_ATTRIBUTE ? KNI_REF_ATTRIBUTE
           : kind == KN_FIELD_CURVE     ? KNI_REF_CURVE
                                        : KNI_REF_KIND_COUNT;
}

typedef struct kni_table kni_table;

typedef struct kni_field {
    const char *name;
    uint8_t kind;
    uint32_t limit; // ENUM: number of values; REF, INDEX: kni_ref_kind; FLAGS: mask; BLOCK; SPAN
                    // of bytes that hold references: a kni_bytes
    uint32_t offset;
    uint32_t count;         // elements of an inline array, else 1
    uint32_t count_offset;  // ARRAY, REFS
    const kni_table *table; // STRUCT, ARRAY, SPAN
} kni_field;

struct kni_table {
    const char *name;
    size_t size;
    const kni_field *fields;
    uint32_t field_count;
};

#define KNI_F(type, member, kind_)                                                                 \
    {                                                                                              \
#member, kind_, 0, (uint32_t)offsetof(type, member), 1, 0, NULL                            \
    }
#define KNI_FN(type, member, kind_, count_)                                                        \
    {                                                                                              \
#member, kind_, 0, (uint32_t)offsetof(type, member), count_, 0, NULL                       \
    }
#define KNI_F_ENUM(type, member, count_)                                                           \
    {                                                                                              \
#member, KNI_FIELD_ENUM, count_, (uint32_t)offsetof(type, member), 1, 0, NULL              \
    }
#define KNI_F_REF(type, member, ref)                                                               \
    {                                                                                              \
#member, KNI_FIELD_REF, ref, (uint32_t)offsetof(type, member), 1, 0, NULL                  \
    }
#define KNI_F_STRUCT(type, member, table_)                                                         \
    {                                                                                              \
#member, KNI_FIELD_STRUCT, 0, (uint32_t)offsetof(type, member), 1, 0, table_               \
    }
#define KNI_F_ARRAY(type, member, count_member, table_)                                            \
    {                                                                                              \
#member, KNI_FIELD_ARRAY, 0, (uint32_t)offsetof(type, member), 1,                          \
            (uint32_t)offsetof(type, count_member), table_                                         \
    }
#define KNI_F_REFS(type, member, count_member, ref)                                                \
    {                                                                                              \
#member, KNI_FIELD_REFS, ref, (uint32_t)offsetof(type, member), 1,                         \
            (uint32_t)offsetof(type, count_member), NULL                                           \
    }
#define KNI_F_LIMIT(type, member, kind_, limit_)                                                   \
    {                                                                                              \
#member, kind_, limit_, (uint32_t)offsetof(type, member), 1, 0, NULL                       \
    }
#define KNI_F_SPAN(type, member, table_)                                                           \
    {                                                                                              \
#member, KNI_FIELD_SPAN, 0, (uint32_t)offsetof(type, member), 1, 0, table_                 \
    }
#define KNI_TABLE(table_name, type, fields_)                                                       \
    const kni_table table_name = {#type, sizeof(type), fields_, sizeof(fields_) / sizeof(*fields_)}

// One number of a struct, without regard to alignment or type. `size` is 1, 2, 4 or 8.
uint64_t kni_field_load(const void *at, size_t size);
void kni_field_store(void *at, size_t size, uint64_t value);

// Four letters as a number.
#define KNI_MARK(a, b, c, d)                                                                       \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// Size of one element of a field.
size_t kni_field_size(const kni_field *field);
// Bytes of the struct that belong to a field, nested structs included.
size_t kni_table_covered(const kni_table *table);

// Deep copy: strings, arrays, tag lists and queries get blocks of their own. False when out of
// memory: nothing leaks and *to is zero.
bool kni_def_copy(kni_memory *memory, const kni_table *table, void *to, const void *from);
void kni_def_free(kni_memory *memory, const kni_table *table, void *def);
// Finite floats, enums in range, references to registered things, well-formed queries.
kn_result kni_def_check(
    const kn_library *library, const kni_table *table, const void *def, kn_error *error);
// Counts the uses of tags.
void kni_def_count_uses(kn_library *library, const kni_table *table, const void *def);
// Names instead of numbers, so that equal libraries hash alike.
void kni_def_hash(
    const kn_library *library, const kni_table *table, const void *def, kni_hash *hash);
void kni_def_write(
    const kn_library *library, const kni_table *table, const void *def, kni_writer *writer);
// Allocates like kni_def_copy(); frees by itself on failure (reader->failed).
bool kni_def_read(const kn_library *library, kni_memory *memory, const kni_table *table, void *def,
    kni_reader *reader);

// Fills an error, if there is one, and returns its code. Printf-like, but only %s and %u.
kn_result kni_error(kn_error *error, kn_result code, const char *format, ...);

#endif
