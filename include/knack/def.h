// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Definitions as data: which kinds of things a library holds, and what fields their defs have.
/// One table per def struct drives everything that treats defs alike: copying, checking, hashing
/// and saving in the core, and loaders, writers, schemas and editors outside it.
///
///   const kn_def_table *table = kn_def_table_of(KN_DEF_EFFECT);
///   for (uint32_t i = 0; i < table->field_count; i++) {
///       puts(table->fields[i].name);
///   }
#ifndef KNACK_DEF_H
#define KNACK_DEF_H

#include "knack/library.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of things a library knows by name.
typedef enum kn_def_kind {
    KN_DEF_TAG,
    KN_DEF_NAME,
    KN_DEF_CURVE,
    KN_DEF_ATTRIBUTE_SET,
    KN_DEF_ATTRIBUTE, ///< part of a set; not registered by itself
    KN_DEF_VALUE,
    KN_DEF_EVENT_KIND,
    KN_DEF_CALCULATION,
    KN_DEF_EXECUTION,
    KN_DEF_REQUIREMENT, ///< a function, without a def
    KN_DEF_CONDITION,   ///< a function, without a def
    KN_DEF_POLICY,      ///< a function, without a def
    KN_DEF_EFFECT_LOGIC,
    KN_DEF_EFFECT,
    KN_DEF_CONTAINER,
    KN_DEF_RULE,
    KN_DEF_TIMER, ///< a function, without a def
    KN_DEF_COMPONENT,
    KN_DEF_CONTEXT, ///< a size, without a def
    KN_DEF_ABILITY,
    KN_DEF_ABILITY_SET,
    KN_DEF_TASK,
    KN_DEF_ANIMATION,
    KN_DEF_TARGET,
    KN_DEF_TARGETING,
    KN_DEF_ARCHETYPE,
    KN_DEF_KIND_COUNT,
} kn_def_kind;

/// What a field of a def holds, beyond the plain kinds of kn_field_kind.
enum {
    KN_DEF_FIELD_ENUM = 64, ///< an int-sized enum; `names` has its values
    KN_DEF_FIELD_STRING,    ///< const char *, may be NULL
    KN_DEF_FIELD_REF,       ///< a registered thing, struct { uint32_t index1; }; of kind `limit`
    KN_DEF_FIELD_TAGS,      ///< kn_tags
    KN_DEF_FIELD_QUERY,     ///< const kn_tag_query *, may be NULL
    KN_DEF_FIELD_STRUCT,    ///< an inline struct with a table of its own
    KN_DEF_FIELD_ARRAY,     ///< pointer at `offset`, uint32_t count at `count_offset`
    KN_DEF_FIELD_REFS,      ///< the same, elements are KN_DEF_FIELD_REF
    KN_DEF_FIELD_POINTER,   ///< a function or user pointer
    KN_DEF_FIELD_COOKIE,    ///< set by the defaults, checked by the register call
    KN_DEF_FIELD_PUBLIC_END,
};

typedef struct kn_def_table kn_def_table;

typedef struct kn_def_field {
    const char *name;
    uint8_t kind;   ///< kn_field_kind, or KN_DEF_FIELD_*
    uint32_t limit; ///< enum: number of values; flags: of bits; reference: kn_def_kind
    uint32_t offset;
    uint32_t count;            ///< elements of an inline array, else 1
    uint32_t count_offset;     ///< arrays and lists of references
    const kn_def_table *table; ///< structs and arrays
    /// Enum: the words for its values, such as "by_source". Of a KN_FIELD_U32: for its bits.
    const char *const *names;
} kn_def_field;

struct kn_def_table {
    const char *name; ///< of the struct, such as "kn_effect_def"
    size_t size;
    const kn_def_field *fields;
    uint32_t field_count;
    void (*init)(void *def); ///< writes the defaults; NULL: all zero
};

/// The table of a kind; NULL for kinds that are registered without a def.
KN_API const kn_def_table *kn_def_table_of(kn_def_kind kind);
/// "effect", "attribute set" and so on; "" for a number that is no kind.
KN_API const char *kn_def_kind_name(kn_def_kind kind);
/// Writes the defaults of a def or of a part of one.
KN_API void kn_def_init(const kn_def_table *table, void *def);

/// Bytes of one element of a field; 0 for a kind that does not exist.
KN_API size_t kn_def_field_size(const kn_def_field *field);

/// Registers a def of any kind that has a table, by the function made for it.
/// @return as that function; KN_ERROR_INVALID_ARGUMENT for a kind without a table, and for
///         attributes, which are registered with their set
KN_API KN_MUST_USE kn_result kn_def_register(
    kn_library *library, kn_def_kind kind, const void *def, uint32_t *index1, kn_error *error);
/// Number of a registered thing, from 1; 0 when unknown. Tags and attributes follow redirects.
/// Asks without a word; the functions `kn_*_find` of a finished library log a warning, once
/// for a name and with the one that was meant, when there is none.
KN_API uint32_t kn_def_find(const kn_library *library, kn_def_kind kind, const char *name);
/// Its name; "" for 0 and for numbers out of range.
KN_API const char *kn_def_name(const kn_library *library, kn_def_kind kind, uint32_t index1);
/// How many there are of a kind.
KN_API uint32_t kn_def_count(const kn_library *library, kn_def_kind kind);
/// The def as registered; strings and arrays belong to the library. NULL for kinds without a def.
KN_API const void *kn_def_get(const kn_library *library, kn_def_kind kind, uint32_t index1);
/// The formula behind a calculation, condition or requirement; NULL for one written in code, and
/// for other kinds.
KN_API const char *kn_def_expression(const kn_library *library, kn_def_kind kind, uint32_t index1);

/// Takes a finding in a script: the name of its lint ("script-name", see kn_data_lint_name()),
/// where it is, and a sentence without a full stop.
typedef void kn_data_tell_fn(
    void *user, const char *lint, uint32_t line, uint32_t column, const char *sentence);

/// Where the functions that data files name come from: a script engine. knack/script.h has one.
typedef struct kn_data_scripts {
    void *user;
    /// A build begins: everything until kn_library_finish() is for this library. May be NULL.
    kn_result (*begin)(void *user, kn_library *library, kn_error *error);
    /// Loads a script file; `name` is for messages. NULL: scripts are refused.
    kn_result (*load)(void *user, const char *name, const char *text, size_t size, kn_error *error);
    /// Puts the functions called `name` into a def. For kinds without a def (requirements,
    /// conditions, policies, timers) `def` is NULL, and it registers one under that name.
    kn_result (*bind)(void *user, kn_library *library, kn_def_kind kind, const char *name,
        void *def, kn_error *error);
    /// Tells what is suspicious in a script that was loaded, once the library is finished. May be
    /// NULL.
    void (*lint)(void *user, const kn_library *library, const char *text, size_t size,
        kn_data_tell_fn *tell, void *tell_user);
} kn_data_scripts;

#ifdef __cplusplus
}
#endif

#endif
