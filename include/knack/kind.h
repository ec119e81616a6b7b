// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Kinds of definitions that games and kits bring along. A kind is a name, a section of data files
/// and a table of fields; from then on its definitions are as good as ours: kn_def_register(),
/// kn_def_find() and the rest of knack/def.h work for them, and so do data files, schemas, writers,
/// reference pages, lints and scripts.
///
///   typedef struct order_def {
///       const char *name;
///       kn_tag tag;
///       float range;
///       struct { uint32_t index1; } next; // another order
///   } order_def;
///
///   static const kn_def_field order_fields[] = {
///       KN_DEF_F(order_def, name, KN_DEF_FIELD_STRING, "Unique name; required."),
///       KN_DEF_F_REF(order_def, tag, KN_DEF_TAG, "The tag that the unit has meanwhile."),
///       KN_DEF_F(order_def, range, KN_FIELD_F32, "Metres to the target; default 5."),
///       KN_DEF_F_KIND(order_def, next, "order", "The order that follows."),
///   };
///   static const kn_def_table order_table = {
///       "order_def", sizeof(order_def), order_fields, 4, order_init};
///
///   kn_kind_def def = kn_kind_def_default();
///   def.name = "order";
///   def.section = "orders";
///   def.table = &order_table;
///   kn_def_kind order;
///   kn_result result = kn_kind_register(library, &def, &order, &error);
#ifndef KNACK_KIND_H
#define KNACK_KIND_H

#include "knack/def.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Most own kinds of one library.
#define KN_KIND_MAX (KN_DEF_KIND_END - KN_DEF_KIND_OWN)
/// Most bytes of the struct of an own kind.
#define KN_KIND_SIZE_MAX 4096

/// Checks a definition of an own kind when it is registered, after its fields have been checked by
/// the table.
/// @param def of the struct of the kind
/// @param error receives what is wrong in `message`, a sentence without a full stop; all-zero
/// before
/// @return KN_OK, or the result that registration then has, such as KN_ERROR_BAD_DATA
typedef kn_result kn_kind_check_fn(
    void *user, const kn_library *library, const void *def, kn_error *error);
/// Registers what follows from the definitions of an own kind, such as a rule about the attribute
/// that each of them names. Called first in kn_library_finish(), and again if that failed: what is
/// registered already is refused as a duplicate then, which is not an error. Definitions are read
/// with kn_def_count() and kn_def_get(). It must not register kinds, nor definitions of own kinds.
/// @return KN_OK, or the result that kn_library_finish() then has, such as KN_ERROR_BAD_DATA
typedef kn_result kn_kind_expand_fn(
    void *user, kn_library *library, kn_def_kind kind, kn_error *error);
/// Checks all definitions of an own kind together, in kn_library_finish(), when everything is
/// registered. They are read with kn_def_count() and kn_def_get().
/// @return KN_OK, or the result that kn_library_finish() then has, such as KN_ERROR_BAD_DATA
typedef kn_result kn_kind_finish_fn(
    void *user, const kn_library *library, kn_def_kind kind, kn_error *error);

/// Most bytes of the arguments of a hook of an own kind.
#define KN_HOOK_SIZE_MAX 1024

/// One call of a hook of a definition of an own kind. Valid during the call.
typedef struct kn_hook_call {
    const kn_world *world; ///< the world
    kn_world *writable;    ///< the same for hooks that may change it; otherwise NULL
    kn_def_kind kind;      ///< the kind of the definition
    uint32_t index1;       ///< its number, for kn_def_get() and kn_def_name()
    kn_entity_id entity;   ///< the entity that it is called for; may be null
    /// The struct that kn_kind_hook describes, which also takes the answers of the hook; NULL for a
    /// hook without arguments.
    void *arguments;
} kn_hook_call;

/// A hook of a definition of an own kind. A rule: it must be deterministic and keeps no state
/// outside the world.
/// @return KN_OK; what else it means is up to the kind
typedef kn_result kn_hook_fn(void *user, const kn_hook_call *call);

/// A function of a definition, as a field of its struct: see KN_DEF_F_HOOK. Data files fill it with
/// `native` and `script`, as they do with the functions of our kinds.
typedef struct kn_hook {
    kn_hook_fn *function; ///< NULL: there is none
    void *user;           ///< passed to `function`
} kn_hook;

/// A hook that the definitions of an own kind may have: which field of the struct it is, and what
/// it is called with. Scripts get the arguments as a table and return one with their answers;
/// before that false, if they refuse.
typedef struct kn_kind_hook {
    const char *field;      ///< name of the field in the table, which is a KN_DEF_F_HOOK; required
    uint32_t size;          ///< bytes of the arguments, at most KN_HOOK_SIZE_MAX; 0: there are none
    const kn_field *fields; ///< the fields of the arguments, in order, covering all of them
    uint32_t field_count;   ///< number of fields
    const char *text;       ///< help for those who write the hook; may be NULL
} kn_kind_hook;

/// An own kind of definitions. Start from kn_kind_def_default().
typedef struct kn_kind_def {
    const char *name;    ///< words for messages, such as "order"; required
    const char *section; ///< section of data files that holds the kind, such as "orders"; required
    /// The fields of its struct, at most KN_KIND_SIZE_MAX bytes. The first is `name`, a
    /// KN_DEF_FIELD_STRING. Copied, with the tables inside it; `init` is called whenever a
    /// definition is read.
    const kn_def_table *table;
    const char *text;          ///< help for the section, one or more sentences; may be NULL
    kn_kind_check_fn *check;   ///< checks one definition when it is registered; may be NULL
    kn_kind_expand_fn *expand; ///< registers what follows from all definitions; may be NULL
    kn_kind_finish_fn *finish; ///< checks all definitions together at the end; may be NULL
    void *user;                ///< passed to `check`, `expand` and `finish`
    /// What its hooks are called with: one entry for each field that is a KN_DEF_F_HOOK. Copied.
    const kn_kind_hook *hooks;
    uint32_t hook_count; ///< number of entries in `hooks`
    uint32_t cookie;     ///< set by kn_kind_def_default(); do not change it
} kn_kind_def;

/// A def with nothing set.
KN_API kn_kind_def kn_kind_def_default(void);
/// Registers an own kind of definitions. A field may be of any kn_field_kind but ids of
/// entities, effects and so on, and of any KN_DEF_FIELD_*. What belongs to other kinds is named by
/// kn_def_field.of:
/// - KN_DEF_FIELD_REF and KN_DEF_FIELD_REFS: an own kind, which may be registered later, or this
///   one; NULL: `limit` is one of ours
/// - KN_DEF_FIELD_ENUM: an own enum that is registered already; NULL: `names` and `limit`
/// - KN_DEF_FIELD_STRUCT and KN_DEF_FIELD_ARRAY: one of our structs, see kn_def_part_table(); NULL:
///   `table`
///
/// A KN_DEF_FIELD_ARRAY may have the table that it is inside of: then structs hold lists of their
/// own kind, and definitions nest as deep as they like.
///
/// A field KN_DEF_F_HOOK has an entry in `hooks`, and is not inside another struct.
///
/// A field KN_DEF_FIELD_COOKIE must hold what `init` writes, or a definition is refused.
/// @param kind receives the number of the kind, from KN_DEF_KIND_OWN; KN_DEF_KIND_COUNT on anything
///             but KN_OK
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name or section that is taken; KN_REFUSED_LIMIT beyond
///         KN_KIND_MAX; KN_ERROR_BAD_DATA for a name or table that makes no sense;
///         KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_INVALID_ARGUMENT for a def
///         without its defaults; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_kind_register(
    kn_library *library, const kn_kind_def *def, kn_def_kind *kind, kn_error *error);

/// The kind with this name, ours or own; KN_DEF_KIND_COUNT when there is none.
KN_API kn_def_kind kn_kind_find(const kn_library *library, const char *name);
/// The words for a kind, ours or own; "" for a number that is not a kind of this library. Valid as
/// long as the library.
KN_API const char *kn_kind_name(const kn_library *library, kn_def_kind kind);
/// The fields of a kind, ours or own. NULL for kinds that are registered without a def, and for a
/// number that is not a kind of this library. Valid as long as the library. To visit all kinds, try
/// every number below KN_DEF_KIND_END.
KN_API const kn_def_table *kn_kind_table(const kn_library *library, kn_def_kind kind);
/// An own kind as registered; it belongs to the library, with its table and texts. NULL for our
/// kinds and for a number that is not a kind of this library.
KN_API const kn_kind_def *kn_kind_get_def(const kn_library *library, kn_def_kind kind);
/// How many own kinds are registered: their numbers are KN_DEF_KIND_OWN and on. 0 for NULL.
KN_API uint32_t kn_kind_count(const kn_library *library);

/// The table of one of our structs that defs have inside, so that own kinds can have it too:
/// "kn_scalable", "kn_magnitude", "kn_capture", "kn_tag_requirement", "kn_modifier_def",
/// "kn_limit", "kn_attribute_condition", "kn_gate_def", "kn_value_profile", "kn_cost_def",
/// "kn_cooldown_def", "kn_ability_apply_def", "kn_field", "kn_hook". NULL for other names. Valid
/// forever.
KN_API const kn_def_table *kn_def_part_table(const char *name);

/// The entry of a hook in kn_kind_def.hooks, by the name of its field; NULL when there is none.
/// Valid as long as the library.
KN_API const kn_kind_hook *kn_kind_hook_find(
    const kn_library *library, kn_def_kind kind, const char *field);
/// Calls a hook of a definition, for rules of a kit and from the host between steps; the hook may
/// change the world.
/// @param index1 the definition that has the hook
/// @param hook a field of that definition, from kn_def_get(); nothing happens without a function
/// @param arguments the struct that kn_kind_hook describes, which also takes the answers; NULL for
/// a
///                  hook without arguments
/// @return what the hook returned; KN_OK if there is none; for a hook in Lua KN_REFUSED_CUSTOM if
///         it returned false, alone or with a table of answers behind it, and KN_ERROR_BAD_DATA
///         after an error, with nothing answered
KN_API kn_result kn_hook_run(kn_world *world, kn_def_kind kind, uint32_t index1,
    const kn_hook *hook, kn_entity_id entity, void *arguments);
/// Calls a hook that may only read the world. Results as kn_hook_run().
KN_API kn_result kn_hook_read(const kn_world *world, kn_def_kind kind, uint32_t index1,
    const kn_hook *hook, kn_entity_id entity, void *arguments);

// Rows of tables -------------------------------------------------------------
//
// `text` is the help for the field; it may be NULL.

/// A field of a kn_field_kind, or a string, tags, query, pointer or cookie.
#define KN_DEF_F(type, member, kind_, text_)                                                       \
    KN_DEF_F_ROW(type, member, kind_, 0, 0, NULL, NULL, NULL, text_)
/// An enum with an array of words.
#define KN_DEF_F_ENUM(type, member, words_, text_)                                                 \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_ENUM, (uint32_t)(sizeof(words_) / sizeof(*(words_))),  \
        0, NULL, words_, NULL, text_)
/// An enum that was registered with kn_enum_register().
#define KN_DEF_F_ENUM_OF(type, member, enum_name_, text_)                                          \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_ENUM, 0, 0, NULL, NULL, enum_name_, text_)
/// A uint32_t of flags with an array of words, one for each bit.
#define KN_DEF_F_FLAGS(type, member, words_, text_)                                                \
    KN_DEF_F_ROW(type, member, KN_FIELD_U32, (uint32_t)(sizeof(words_) / sizeof(*(words_))), 0,    \
        NULL, words_, NULL, text_)
/// A reference to something of one of our kinds.
#define KN_DEF_F_REF(type, member, ref_, text_)                                                    \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_REF, (uint32_t)(ref_), 0, NULL, NULL, NULL, text_)
/// A reference to something of an own kind, by the name of the kind.
#define KN_DEF_F_KIND(type, member, kind_name_, text_)                                             \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_REF, 0, 0, NULL, NULL, kind_name_, text_)
/// A list of references to things of one of our kinds: a pointer and a count.
#define KN_DEF_F_REFS(type, member, count_member, ref_, text_)                                     \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_REFS, (uint32_t)(ref_), offsetof(type, count_member),  \
        NULL, NULL, NULL, text_)
/// A list of references to things of an own kind.
#define KN_DEF_F_KINDS(type, member, count_member, kind_name_, text_)                              \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_REFS, 0, offsetof(type, count_member), NULL, NULL,     \
        kind_name_, text_)
/// A struct inside, with a table.
#define KN_DEF_F_STRUCT(type, member, table_, text_)                                               \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_STRUCT, 0, 0, table_, NULL, NULL, text_)
/// One of our structs inside, by its name, such as "kn_magnitude".
#define KN_DEF_F_PART(type, member, part_, text_)                                                  \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_STRUCT, 0, 0, NULL, NULL, part_, text_)
/// A kn_hook, which needs an entry in kn_kind_def.hooks.
#define KN_DEF_F_HOOK(type, member, text_) KN_DEF_F_PART(type, member, "kn_hook", text_)
/// A list of structs with a table: a pointer and a count.
#define KN_DEF_F_ARRAY(type, member, count_member, table_, text_)                                  \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_ARRAY, 0, offsetof(type, count_member), table_, NULL,  \
        NULL, text_)
/// A list of our structs, by their name.
#define KN_DEF_F_PARTS(type, member, count_member, part_, text_)                                   \
    KN_DEF_F_ROW(type, member, KN_DEF_FIELD_ARRAY, 0, offsetof(type, count_member), NULL, NULL,    \
        part_, text_)
/// The row that the others are made of.
#define KN_DEF_F_ROW(type, member, kind_, limit_, count_offset_, table_, names_, of_, text_)       \
    {                                                                                              \
#member, (uint8_t)(kind_), limit_, (uint32_t)offsetof(type, member), 1,                    \
            (uint32_t)(count_offset_), table_, names_, of_, text_                                  \
    }

// Enums ------------------------------------------------------------------------

/// Most words of an own enum.
#define KN_ENUM_WORDS_MAX 256

/// Registers an enum of a game or kit: a word for each value from 0. Tables of own kinds name it by
/// kn_def_field.of, and fields KN_FIELD_ENUM of components, states, commands, target data and
/// custom events by kn_field.refers_to: then they have its words. Words are copied.
/// @param words lower case letters, digits and `_`, each once
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken; KN_ERROR_BAD_DATA for a name or
///         words that make no sense; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_enum_register(kn_library *library, const char *name,
    const char *const *words, uint32_t count, kn_error *error);
/// The words of an own enum, and their number; NULL and 0 when there is none of this name. Valid as
/// long as the library.
KN_API const char *const *kn_enum_words(
    const kn_library *library, const char *name, uint32_t *count);

// Data of a library ------------------------------------------------------------

/// Keeps something in a library under a key, such as what a kit has worked out of its definitions.
/// The key is an address, best that of a static variable of the one who keeps it; what it points to
/// is not read. Worlds on several threads share a library: what is kept must not change once it is
/// finished.
/// @param release called with `data` when the last user of the library is gone, or when the key
///                gets other data before the library is finished; may be NULL
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a NULL key; KN_ERROR_WORLD_LOCKED once the library
///         is finished; KN_ERROR_OUT_OF_MEMORY. `release` is only ever called after KN_OK
KN_API KN_MUST_USE kn_result kn_library_set_data(
    kn_library *library, const void *key, void *data, kn_library_release_fn *release);
/// What is kept under a key; NULL when there is nothing.
KN_API void *kn_library_data(const kn_library *library, const void *key);

#ifdef __cplusplus
}
#endif

#endif
