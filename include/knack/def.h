// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Definitions as data: which kinds of things a library holds, and which fields their defs have.
/// One table per def struct drives everything that treats defs alike: copying, checking, hashing
/// and saving in the core, and loaders, writers, schemas and editors outside it.
///
///   const kn_def_table *table = kn_def_table_of(KN_DEF_EFFECT);
///   for (uint32_t i = 0; i < table->field_count; i++) {
///       puts(table->fields[i].name);
///   }
///
/// What calls take and give has tables of the same form, for bindings to other languages and for
/// tools: see kn_struct_table().
#ifndef KNACK_DEF_H
#define KNACK_DEF_H

#include "knack/library.h"
#include "knack/world.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Kinds of things a library knows by name.
typedef enum kn_def_kind {
    KN_DEF_TAG,           ///< a tag
    KN_DEF_NAME,          ///< an interned name
    KN_DEF_CURVE,         ///< a curve
    KN_DEF_ATTRIBUTE_SET, ///< an attribute set
    KN_DEF_ATTRIBUTE,     ///< part of a set; not registered by itself
    KN_DEF_VALUE,         ///< a transient value
    KN_DEF_EVENT_KIND,    ///< a kind of event record
    KN_DEF_CALCULATION,   ///< a magnitude calculation
    KN_DEF_EXECUTION,     ///< an execution
    KN_DEF_REQUIREMENT,   ///< a function, without a def
    KN_DEF_CONDITION,     ///< a function, without a def
    KN_DEF_POLICY,        ///< a function, without a def
    KN_DEF_EFFECT_LOGIC,  ///< hooks and state of effects
    KN_DEF_EFFECT,        ///< an effect type
    KN_DEF_CONTAINER,     ///< an effect container
    KN_DEF_RULE,          ///< a rule
    KN_DEF_TIMER,         ///< a function, without a def
    KN_DEF_COMPONENT,     ///< a type of extension component
    KN_DEF_CONTEXT,       ///< a size, without a def
    KN_DEF_ABILITY,       ///< an ability type
    KN_DEF_ABILITY_SET,   ///< a set of abilities
    KN_DEF_TASK,          ///< a type of custom task
    KN_DEF_ANIMATION,     ///< an animation
    KN_DEF_TARGET,        ///< a type of target data
    KN_DEF_TARGETING,     ///< a way to find targets
    KN_DEF_ARCHETYPE,     ///< a template for entities
    KN_DEF_COMMAND,       ///< a kind of command
    KN_DEF_SYSTEM,        ///< a system
    KN_DEF_FAIL,          ///< a reason why abilities are refused; see kn_fail_register()
    KN_DEF_END_REASON,    ///< a reason why activations are cancelled
    KN_DEF_CHECK,         ///< a check of abilities
    KN_DEF_CUSTOM_EVENT,  ///< a kind of events of games and kits
    KN_DEF_TICKER,        ///< a ticker
    KN_DEF_WATCH,         ///< a type of watch
    KN_DEF_SYSTEM_GROUP,  ///< a name for a group of systems
    KN_DEF_KIND_COUNT,    ///< number of the values above; not a value itself
    KN_DEF_KIND_OWN = 64, ///< first number of kinds that games and kits register; see knack/kind.h
    /// End of the numbers that a kind can have.
    KN_DEF_KIND_END = 128,
} kn_def_kind;

/// Kinds of fields that only defs have, beyond the plain ones of kn_field_kind.
enum {
    KN_DEF_FIELD_ENUM = 64, ///< an int-sized enum; `names` has the words for its values
    KN_DEF_FIELD_STRING,    ///< const char *, may be NULL
    /// A registered thing, struct { uint32_t index1; }; `limit` is its kn_def_kind.
    KN_DEF_FIELD_REF,
    KN_DEF_FIELD_TAGS,   ///< a list of tags (kn_tags)
    KN_DEF_FIELD_QUERY,  ///< const kn_tag_query *, may be NULL
    KN_DEF_FIELD_STRUCT, ///< an inline struct with a table of its own
    KN_DEF_FIELD_ARRAY,  ///< a pointer at `offset`, and its uint32_t count at `count_offset`
    KN_DEF_FIELD_REFS, ///< a pointer and a count, as in an array; the elements are KN_DEF_FIELD_REF
    KN_DEF_FIELD_POINTER,    ///< a function or user pointer
    KN_DEF_FIELD_COOKIE,     ///< set by the default function, checked on registration
    KN_DEF_FIELD_PUBLIC_END, ///< one past the last kind above
};

/// Kinds of fields that only structs of calls have, beyond those of defs; see kn_struct_table().
enum {
    KN_CALL_FIELD_RESULT = 128, ///< a result (kn_result)
    KN_CALL_FIELD_CAUSE,        ///< a cause (kn_cause)
    KN_CALL_FIELD_TARGETS,      ///< target data (kn_target_view)
    KN_CALL_FIELD_BYTES,        ///< a pointer at `offset`, and its size in bytes at `count_offset`
    KN_CALL_FIELD_TEXT,         ///< char[count], with a final zero
};

typedef struct kn_def_table kn_def_table;

/// One field of a def, or of a struct that a call takes or gives.
typedef struct kn_def_field {
    const char *name; ///< as in C and in data files
    uint8_t kind;     ///< a kn_field_kind, KN_DEF_FIELD_* or KN_CALL_FIELD_*
    uint32_t limit;   ///< enum: number of values; flags: number of bits; reference: kn_def_kind
    uint32_t offset;  ///< bytes from the start of the struct
    uint32_t count;   ///< elements of an inline array; otherwise 1
    uint32_t count_offset; ///< for arrays, lists of references and bytes: where their count is
    /// For structs and arrays: the fields of an element; for pointers to a struct with a table: its
    /// fields.
    const kn_def_table *table;
    /// The words data files and scripts use, such as "by_source". Enum: one for each value, "" for
    /// a 0 that means none. KN_FIELD_U32 with names: one for each bit.
    const char *const *names;
    /// In tables of own kinds, see knack/kind.h: the name of the own kind that a reference names,
    /// of the own enum, or of one of our structs such as "kn_magnitude". Otherwise NULL.
    const char *of;
    /// In tables of own kinds: help for those who write the field, one or more sentences. May be
    /// NULL. For fields of our defs see kn_data_field_text().
    const char *text;
} kn_def_field;

/// All fields of one def struct. Valid forever.
struct kn_def_table {
    const char *name;           ///< the name of the struct, such as "kn_effect_def"
    size_t size;                ///< bytes of the struct
    const kn_def_field *fields; ///< the fields, in the order of the struct
    uint32_t field_count;       ///< number of entries in `fields`
    void (*init)(void *def);    ///< writes the defaults into a zeroed struct; NULL: all zero
};

/// The table of one of our kinds. NULL for kinds that are registered without a def, and for own
/// kinds: kn_kind_table() knows both. Valid forever.
KN_API const kn_def_table *kn_def_table_of(kn_def_kind kind);
/// The words for one of our kinds, such as "effect" or "attribute set"; "" for other numbers:
/// kn_kind_name() knows own kinds too.
KN_API const char *kn_def_kind_name(kn_def_kind kind);
/// Writes the defaults of a def, or of a struct inside one. `def` must have room for `table->size`
/// bytes.
KN_API void kn_def_init(const kn_def_table *table, void *def);

/// Bytes of one element of a field; 0 for an unknown kind.
KN_API size_t kn_def_field_size(const kn_def_field *field);

/// Registers a def of any kind that has a table, with the function made for it.
/// @param def must be of the struct that kn_kind_table() names
/// @param index1 receives the number of the new thing, from 1; 0 on anything but KN_OK
/// @return as that function, and for own kinds as kn_kind_def.check says; KN_ERROR_INVALID_ARGUMENT
///         for a kind without a table, and for attributes, which are registered with their set
KN_API KN_MUST_USE kn_result kn_def_register(
    kn_library *library, kn_def_kind kind, const void *def, uint32_t *index1, kn_error *error);
/// The number of a registered thing, from 1; 0 when there is none. Tags and attributes follow
/// redirects. Never logs, unlike the `kn_*_find` functions: on a finished library they log a
/// warning with the nearest name, once per name.
KN_API uint32_t kn_def_find(const kn_library *library, kn_def_kind kind, const char *name);
/// As kn_def_find(), for the `find` functions of kits: if a finished library does not have the
/// name, a warning with the nearest one is logged, once per name.
KN_API uint32_t kn_def_find_expected(const kn_library *library, kn_def_kind kind, const char *name);
/// The name of a registered thing; "" for 0 and for numbers out of range. Valid as long as the
/// library.
KN_API const char *kn_def_name(const kn_library *library, kn_def_kind kind, uint32_t index1);
/// How many things of a kind are registered; 0 for a number that is not a kind.
KN_API uint32_t kn_def_count(const kn_library *library, kn_def_kind kind);
/// True for a thing that was registered while the library was being finished, by `expand` of a kind
/// (kn_kind_def): it follows from others, and files do not contain it. False for numbers out of
/// range.
KN_API bool kn_def_is_derived(const kn_library *library, kn_def_kind kind, uint32_t index1);
/// The def as registered; it belongs to the library, with its strings and arrays. NULL for kinds
/// without a def and for numbers out of range.
KN_API const void *kn_def_get(const kn_library *library, kn_def_kind kind, uint32_t index1);
/// Hash over one registered thing: its name, its def without functions, and its formula. Equal for
/// equal things on every machine. Of two libraries with different kn_library_hash() these show
/// where they differ; if all are equal, it is something that no def has: starting values of
/// attributes, tags of reasons, redirects, own enums and causes, or kn_library_add_hash(). 0 for
/// numbers out of range.
KN_API uint64_t kn_def_hash(const kn_library *library, kn_def_kind kind, uint32_t index1);
/// The formula behind a calculation, condition or requirement. NULL for one written in code, and
/// for all other kinds. Valid as long as the library.
KN_API const char *kn_def_expression(const kn_library *library, kn_def_kind kind, uint32_t index1);

/// Structs that calls take and give, and that hooks receive.
typedef enum kn_struct {
    KN_STRUCT_EFFECT_APPLY_DEF,     ///< kn_effect_apply_def
    KN_STRUCT_EFFECT_CONTEXT,       ///< kn_effect_context
    KN_STRUCT_EFFECT_QUERY,         ///< kn_effect_query
    KN_STRUCT_EFFECT_INFO,          ///< kn_effect_info
    KN_STRUCT_EFFECT_REFUSAL,       ///< kn_effect_refusal
    KN_STRUCT_CONTAINER_APPLY_DEF,  ///< kn_container_apply_def
    KN_STRUCT_MODIFIER_VIEW,        ///< kn_modifier_view
    KN_STRUCT_ATTRIBUTE_CHANGE,     ///< kn_attribute_change
    KN_STRUCT_EXECUTE_DATA,         ///< kn_execute_data
    KN_STRUCT_EVENT,                ///< without `data`: see kn_event_data_table()
    KN_STRUCT_EVENT_RECORD,         ///< kn_event_record
    KN_STRUCT_REACTION,             ///< kn_reaction
    KN_STRUCT_ABILITY_GRANT_DEF,    ///< kn_ability_grant_def
    KN_STRUCT_ABILITY_QUERY,        ///< kn_ability_query
    KN_STRUCT_ABILITY_INFO,         ///< kn_ability_info
    KN_STRUCT_ABILITY_CALL,         ///< kn_ability_call
    KN_STRUCT_REFUSAL_LINE,         ///< kn_refusal_line
    KN_STRUCT_COST_QUOTE,           ///< kn_cost_quote
    KN_STRUCT_COOLDOWN_INFO,        ///< kn_cooldown_info
    KN_STRUCT_TASK_DEF,             ///< kn_task_def
    KN_STRUCT_TASK_INFO,            ///< kn_task_info
    KN_STRUCT_TASK_CALL,            ///< kn_task_call
    KN_STRUCT_TASK_RESULT,          ///< without `data`: see kn_task_data_table()
    KN_STRUCT_MOTION_DEF,           ///< kn_motion_def
    KN_STRUCT_MOTION_START,         ///< kn_motion_start
    KN_STRUCT_TARGETING_CALL,       ///< kn_targeting_call
    KN_STRUCT_SPACE_HIT,            ///< kn_space_hit
    KN_STRUCT_CUE_PARAMS,           ///< kn_cue_params
    KN_STRUCT_CAUSE_INFO,           ///< kn_cause_info
    KN_STRUCT_CANCEL,               ///< kn_cancel
    KN_STRUCT_EFFECT_REAPPLICATION, ///< kn_effect_reapplication
    KN_STRUCT_COUNT,                ///< number of the values above; not a value itself
} kn_struct;

/// The fields of a struct that calls take or give, in the order of the struct. The table has no
/// `init`: a def starts from its own default function. NULL for a number that is not a struct.
/// Valid forever.
KN_API const kn_def_table *kn_struct_table(kn_struct which);
/// The fields of `data` that an event of this type fills, with offsets from the start of kn_event.
/// NULL for a type without data and for a number that is not a type. Valid forever.
KN_API const kn_def_table *kn_event_data_table(kn_event_type type);
/// The fields of `data` that a result of a task of this kind fills, with offsets from the start of
/// kn_task_result. NULL for a kind without data, for KN_TASK_EVENT, whose data is a pointer to a
/// record, and for a number that is not a kind. Valid forever.
KN_API const kn_def_table *kn_task_data_table(uint32_t kind);
/// The field with this name; NULL when there is none.
KN_API const kn_def_field *kn_def_field_find(const kn_def_table *table, const char *name);

/// Receives a finding in a script: the name of its lint ("script-name", see kn_data_lint_name()),
/// its position, and a sentence without a full stop. Strings are valid during the call.
typedef void kn_data_report_fn(
    void *user, const char *lint, uint32_t line, uint32_t column, const char *sentence);

/// A script engine: where the functions that data files name come from. knack/script.h has one.
typedef struct kn_data_scripts {
    void *user; ///< passed to every function
    /// Called when a build begins: all calls until kn_library_finish() are for this library. May
    /// be NULL.
    kn_result (*begin)(void *user, kn_library *library, kn_error *error);
    /// Loads a script file; `name` is for messages. NULL: data files that name scripts are refused.
    kn_result (*load)(void *user, const char *name, const char *text, size_t size, kn_error *error);
    /// Puts the functions called `name` into a def. For kinds without a def (requirements,
    /// conditions, policies, timers) `def` is NULL, and the engine registers one under that name.
    kn_result (*bind)(void *user, kn_library *library, kn_def_kind kind, const char *name,
        void *def, kn_error *error);
    /// Reports what looks wrong in a loaded script, once the library is finished. May be NULL.
    void (*lint)(void *user, const kn_library *library, const char *text, size_t size,
        kn_data_report_fn *tell, void *tell_user);
} kn_data_scripts;

#ifdef __cplusplus
}
#endif

#endif
