// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Field tables describe the members of a struct once. For defs they drive deep copy, checks, hash,
// save and load; for state structs hash, save, load, difference and dump.
#ifndef KNI_FIELDS_H
#define KNI_FIELDS_H

#include "base/memory.h"
#include "base/text.h"
#include "library/element.h"

// What decides the size of a block of plain bytes.
typedef enum kni_block {
    KNI_BLOCK_STATE,   // the state of the effect's logic
    KNI_BLOCK_PAYLOAD, // the payload, by its context type
    KNI_BLOCK_COUNT,
} kni_block;

// Which bytes contain a state, or references that are saved by name.
typedef enum kni_bytes {
    KNI_BYTES_PLAIN,
    KNI_BYTES_ABILITY,    // the state of an ability
    KNI_BYTES_ACTIVATION, // the state of an activation
    KNI_BYTES_TASK,       // the state of a custom task, then what a task keeps, by its kind
    KNI_BYTES_TARGETS,    // target data, or whatever else came with an event
    KNI_BYTES_COMMAND,    // the payload of a command
    KNI_BYTES_WATCH,      // the state of a watch
} kni_bytes;

#define KNI_FIELD_ELEMENTS_MAX 65536 // limit of `count` of a public field

// Whether such bytes begin with a state.
static inline bool kni_bytes_have_state(uint32_t which)
{
    return which == KNI_BYTES_ABILITY || which == KNI_BYTES_ACTIVATION || which == KNI_BYTES_TASK ||
           which == KNI_BYTES_COMMAND || which == KNI_BYTES_WATCH;
}

#define KNI_FIELD(type, member, kind_, limit_, count_, count_offset_, table_, names_)              \
    {                                                                                              \
#member, kind_, limit_, (uint32_t)offsetof(type, member), count_, count_offset_, table_,   \
            names_, NULL, NULL                                                                     \
    }
#define KNI_F(type, member, kind_) KNI_FIELD(type, member, kind_, 0, 1, 0, NULL, NULL)
#define KNI_FN(type, member, kind_, count_) KNI_FIELD(type, member, kind_, 0, count_, 0, NULL, NULL)
#define KNI_F_LIMIT(type, member, kind_, limit_)                                                   \
    KNI_FIELD(type, member, kind_, limit_, 1, 0, NULL, NULL)
// `names_` is an array with a name for every value.
#define KNI_F_ENUM(type, member, names_)                                                           \
    KNI_FIELD(                                                                                     \
        type, member, KN_DEF_FIELD_ENUM, sizeof(names_) / sizeof(*(names_)), 1, 0, NULL, names_)
// A uint32_t with a bit for each name.
#define KNI_F_FLAGS(type, member, names_)                                                          \
    KNI_FIELD(type, member, KN_FIELD_U32, sizeof(names_) / sizeof(*(names_)), 1, 0, NULL, names_)
#define KNI_F_REF(type, member, ref) KNI_F_LIMIT(type, member, KN_DEF_FIELD_REF, ref)
#define KNI_F_STRUCT(type, member, table_)                                                         \
    KNI_FIELD(type, member, KN_DEF_FIELD_STRUCT, 0, 1, 0, table_, NULL)
#define KNI_F_ARRAY(type, member, count_member, table_)                                            \
    KNI_FIELD(type, member, KN_DEF_FIELD_ARRAY, 0, 1, (uint32_t)offsetof(type, count_member),      \
        table_, NULL)
#define KNI_F_REFS(type, member, count_member, ref)                                                \
    KNI_FIELD(type, member, KN_DEF_FIELD_REFS, ref, 1, (uint32_t)offsetof(type, count_member),     \
        NULL, NULL)
#define KNI_F_SPAN(type, member, table_)                                                           \
    KNI_FIELD(type, member, KN_STATE_FIELD_LIST, 0, 1, 0, table_, NULL)
// With the function that writes defaults; NULL means zeros.
#define KNI_TABLE_INIT(table_name, type, fields_, init_)                                           \
    const kn_def_table table_name = {                                                              \
        #type, sizeof(type), fields_, sizeof(fields_) / sizeof(*fields_), init_}
#define KNI_TABLE(table_name, type, fields_) KNI_TABLE_INIT(table_name, type, fields_, NULL)

// Four letters as a number.
#define KNI_MARK(a, b, c, d)                                                                       \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)

// Bytes of the struct that belong to a field, nested structs included.
size_t kni_table_covered(const kn_def_table *table);

// Deep copy: strings, arrays, tag lists and queries get blocks of their own. False when out of
// memory: nothing leaks and *to is zero.
bool kni_def_copy(kni_memory *memory, const kn_def_table *table, void *to, const void *from);
void kni_def_free(kni_memory *memory, const kn_def_table *table, void *def);
// Checks for finite floats, enums in range, references to registered things, well-formed queries.
kn_result kni_def_check(
    const kn_library *library, const kn_def_table *table, const void *def, kn_error *error);
// Whether any of its numbers is a named parameter, which only effects may have.
bool kni_def_has_parameter(const kn_def_table *table, const void *def);
// Counts the uses of its tags.
void kni_def_count_uses(kn_library *library, const kn_def_table *table, const void *def);
// Hashes names instead of numbers, so that equal libraries have equal hashes.
void kni_def_hash(
    const kn_library *library, const kn_def_table *table, const void *def, kni_hash *hash);
void kni_def_write(
    const kn_library *library, const kn_def_table *table, const void *def, kn_writer *writer);
// Allocates like kni_def_copy(); frees everything itself on failure (reader->failed).
bool kni_def_read(const kn_library *library, kni_memory *memory, const kn_def_table *table,
    void *def, kn_reader *reader);

#endif
