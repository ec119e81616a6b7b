// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// A library holds every registered type: tags, curves, attribute sets, effects, abilities, and the
/// functions they name. Fill it, finish it once; from then on it is immutable and may be shared by
/// any number of worlds on any threads. Registration copies what it is given.
#ifndef KNACK_LIBRARY_H
#define KNACK_LIBRARY_H

#include "knack/tag.h"

#ifdef __cplusplus
extern "C" {
#endif

/// A library. Opaque; see kn_library_create().
typedef struct kn_library kn_library;

/// How to create a library. Start from kn_library_def_default().
typedef struct kn_library_def {
    kn_hooks hooks; ///< memory and log of the library; all-zero for malloc and stderr
    /// Longest time that sync points without a limit of their own wait (KN_TASK_NET_SYNC), above 0;
    /// default 1 s. No client can make a server wait for longer.
    kn_time sync_timeout;
    /// A bit for each random stream of a world (kn_random_u32()) that clients must not know;
    /// default none. What draws from them is decided by the server alone.
    uint64_t hidden_streams;
    uint32_t cookie; ///< set by kn_library_def_default(); do not change it
} kn_library_def;

/// A def with default hooks.
KN_API kn_library_def kn_library_def_default(void);
/// Creates an empty library. Destroy it with kn_library_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a
///         `sync_timeout` out of range; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_library_create(const kn_library_def *def, kn_library **library);

/// Destroys a library. NULL is ignored. A library that worlds still use lives on until the last of
/// them is destroyed.
KN_API void kn_library_destroy(kn_library *library);

/// Checks everything registered as a whole and freezes it: names used before they were registered,
/// redirect chains, cycles among limits and child effects, requirements an effect would break by
/// itself. On an error nothing is frozen, and the library can be corrected and finished again.
/// Finishing a finished library does nothing.
/// @return KN_OK; KN_ERROR_BAD_DATA, and `error` names the definition; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_library_finish(kn_library *library, kn_error *error);
/// True once kn_library_finish() has succeeded; false for NULL.
KN_API bool kn_library_is_finished(const kn_library *library);

/// Hash over all types; 0 before the library is finished. Equal for equal libraries on every
/// machine. A recording can only be replayed with the same hash; a save is matched by name and does
/// not need it.
KN_API uint64_t kn_library_hash(const kn_library *library);
/// The random streams that clients must not know, as in the def; 0 for NULL. Servers do not send
/// them. Registered streams (kn_stream_register()) say so themselves.
KN_API uint64_t kn_library_hidden_streams(const kn_library *library);

// Kits ----------------------------------------------------------------------

/// Registers everything a kit brings along: tags, kinds, rules and so on. Called once for each
/// library, with one that may hold other definitions already.
typedef kn_result kn_kit_fn(kn_library *library, kn_error *error);

/// A kit that files may name (`kits: [combat]`, knack/data.h).
typedef struct kn_kit {
    const char *name;       ///< what files call the kit; as any name of a definition
    kn_kit_fn *register_fn; ///< registers the kit in a library; required
} kn_kit;

/// Registers a kit and notes its name in the library, so that text written from the library names
/// the kit instead of what it registered. A kit that needs another registers it in its own function
/// and goes on if it is there already (KN_REFUSED_DUPLICATE).
/// @param kit copied
/// @return KN_OK; KN_REFUSED_DUPLICATE for a kit that the library has; KN_ERROR_BAD_DATA for an
///         invalid name; KN_ERROR_WORLD_LOCKED once the library is finished;
///         KN_ERROR_INVALID_ARGUMENT for NULL; KN_ERROR_OUT_OF_MEMORY; else what its function
///         returns, and then the library holds what that registered before and is of no use
KN_API KN_MUST_USE kn_result kn_kit_register(
    kn_library *library, const kn_kit *kit, kn_error *error);
/// The kits of a library by index, from 0, in order of registration; NULL past the end and for
/// NULL. Valid as long as the library; before it is finished, until the next kit is registered.
KN_API const kn_kit *kn_library_kit(const kn_library *library, uint32_t index);

// What a library keeps ------------------------------------------------------

/// Called once, when the library is freed; see kn_library_keep().
typedef void kn_library_release_fn(void *user);
/// Hands something to the library that its functions need, such as a script engine. `release` is
/// called with `user` when the last user of the library is gone; several are called in reverse
/// order.
/// @return KN_OK; KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY.
///         `release` is only ever called after KN_OK
KN_API KN_MUST_USE kn_result kn_library_keep(
    kn_library *library, kn_library_release_fn *release, void *user);
/// Makes a number part of kn_library_hash(): for what decides how functions behave but shows in no
/// def, such as the text of a script. The order of calls matters.
/// @return KN_OK, or KN_ERROR_WORLD_LOCKED once the library is finished
KN_API KN_MUST_USE kn_result kn_library_add_hash(kn_library *library, uint64_t hash);

/// Number of warnings that kn_library_finish() found: legal, but hardly intended, such as several
/// multipliers below 1 in one biased sum.
KN_API uint32_t kn_library_warning_count(const kn_library *library);
/// Adds a warning of a kit or game, for kn_kind_def.expand: legal definitions that are hardly
/// intended. Does nothing once the library is finished, and without memory.
/// @param sentence copied; what is meant and what to write instead, without a full stop. Data files
///         find the place of the first definition that it names in backticks, as in "cast
///         `Fireball`", and the lint `idle-setting` turns off those that end in "[idle-setting]"
KN_API void kn_library_warn(kn_library *library, const char *sentence);
/// One warning as a sentence; "" past the end. Valid as long as the library.
KN_API const char *kn_library_warning(const kn_library *library, uint32_t index);

/// Bytes of memory the library holds now.
KN_API uint64_t kn_library_bytes(const kn_library *library);

// Plain data ----------------------------------------------------------------

/// Kinds of plain fields in extension components, target data and blocks of state.
typedef enum kn_field_kind {
    KN_FIELD_U8 = 1,     ///< a whole number from 0 to 255
    KN_FIELD_BOOL,       ///< true or false
    KN_FIELD_U16,        ///< a whole number from 0 to 65535
    KN_FIELD_U32,        ///< a whole number from 0 to about 4.2 billion
    KN_FIELD_I32,        ///< a whole number, negative ones too, up to about 2.1 billion
    KN_FIELD_F32,        ///< a number
    KN_FIELD_U64,        ///< a whole number of 64 bits, from 0
    KN_FIELD_I64,        ///< a whole number of 64 bits, negative ones too
    KN_FIELD_TIME,       ///< a time or a span of time (kn_time)
    KN_FIELD_ENTITY,     ///< an entity (kn_entity_id)
    KN_FIELD_EFFECT,     ///< an active effect (kn_effect_id)
    KN_FIELD_TAG,        ///< a tag (kn_tag); saved by name
    KN_FIELD_ATTRIBUTE,  ///< an attribute (kn_attribute_id); saved by name
    KN_FIELD_VEC3,       ///< a position or direction (kn_vec3)
    KN_FIELD_CURVE,      ///< a curve (kn_curve_id); saved by name
    KN_FIELD_ABILITY,    ///< a granted ability (kn_ability_id)
    KN_FIELD_ACTIVATION, ///< a running ability (kn_activation_id)
    KN_FIELD_TASK,       ///< a task (kn_task_id)
    KN_FIELD_TIMER,      ///< a timer (kn_timer_id)
    KN_FIELD_SPEC,       ///< a prepared effect (kn_spec_id)
    KN_FIELD_REF,        ///< a definition of the kind `refers_to`; saved by name
    KN_FIELD_ENUM,       ///< one of `words`; saved by word
    KN_FIELD_KIND_END,   ///< one past the last kind
} kn_field_kind;

/// Who receives an attribute or a field over the network.
typedef enum kn_sync {
    KN_SYNC_ALL,   ///< every client
    KN_SYNC_OWNER, ///< only the client that owns the entity
    KN_SYNC_NONE,  ///< nobody
} kn_sync;

/// How exactly a number is sent over the network. A number that is sent in steps arrives as the
/// nearest step; what the simulation computes with is never rounded.
typedef struct kn_wire {
    float min, max; ///< the range that is sent; equal: there is none
    float step;     ///< smallest difference that is sent; 0, the default: all bits
    /// Number of a group, 0 to 31: a projection may leave out whole groups; default 0.
    uint32_t group;
} kn_wire;

/// One field of a plain struct: `count` elements of a kind at an offset. Fields follow each other
/// without gaps and cover the whole struct: name padding too.
typedef struct kn_field {
    /// Name of the field, used once in its struct; required; saves find the field by it.
    const char *name;
    kn_field_kind kind; ///< what the field holds; required
    uint32_t offset;    ///< bytes from the start of the struct; data files may leave it out
    uint32_t count;     ///< number of elements, for an array; 0 means 1
    /// For `ref`, and required there: the kind of definition, such as "effect"; an own kind must be
    /// registered before (in C: the field is a struct with one uint32_t index1, such as
    /// kn_effect_type_id). For `enum`: the name of an enum of the program, instead of `words`.
    const char *refers_to;
    /// For `enum`, and required there unless it refers to one: 1 to 256 words of letters, digits
    /// and `_`, separated by blanks; the first stands for 0 (in C: the field is an enum of the size
    /// of an int; a number without a word is an error that validation finds, and is saved as the
    /// first word).
    const char *words;
    kn_sync sync; ///< who receives the field over the network; default all
    kn_wire wire; ///< how exactly the field is sent; default: all bits
} kn_field;

/// Initialises a kn_field with a name, a kind, an offset and a count; the rest has its defaults.
#define KN_FIELD_INIT(name, kind, offset, count)                                                   \
    {                                                                                              \
        name, kind, (uint32_t)(offset), count, NULL, NULL, KN_SYNC_ALL,                            \
        {                                                                                          \
            0.0f, 0.0f, 0.0f, 0                                                                    \
        }                                                                                          \
    }
/// Initialises a kn_field for one member of a struct, under the name of the member.
#define KN_FIELD(type, member, kind) KN_FIELD_INIT(#member, kind, offsetof(type, member), 1)

/// Initialises a kn_field of kind KN_FIELD_REF for one member of a struct.
#define KN_FIELD_TO(type, member, refers_to)                                                       \
    {                                                                                              \
#member, KN_FIELD_REF, (uint32_t)offsetof(type, member), 1, refers_to, NULL, KN_SYNC_ALL,  \
        {                                                                                          \
            0.0f, 0.0f, 0.0f, 0                                                                    \
        }                                                                                          \
    }
/// Initialises a kn_field of kind KN_FIELD_ENUM for one member of a struct.
#define KN_FIELD_WORDS(type, member, words)                                                        \
    {                                                                                              \
#member, KN_FIELD_ENUM, (uint32_t)offsetof(type, member), 1, NULL, words, KN_SYNC_ALL,     \
        {                                                                                          \
            0.0f, 0.0f, 0.0f, 0                                                                    \
        }                                                                                          \
    }

/// Checks the fields of a struct, as registering a component with them would: for kits and modules
/// that keep such structs themselves.
/// @param what for messages: what the struct belongs to, such as "component"
/// @param name for messages: its name
/// @param size bytes of the struct
/// @return KN_OK; KN_ERROR_BAD_DATA, and `error` says what is wrong; KN_ERROR_INVALID_ARGUMENT for
///         NULL
KN_API KN_MUST_USE kn_result kn_fields_check(const kn_library *library, const char *what,
    const char *name, const kn_field *fields, uint32_t count, uint32_t size, kn_error *error);

/// Number of words in `words` of a kn_field; 0 for NULL.
KN_API uint32_t kn_words_count(const char *words);
/// The word that stands for a number, inside `words`: `length` receives its length, since no zero
/// byte ends it. "" with length 0 for a number without a word.
KN_API const char *kn_words_at(const char *words, uint32_t index, uint32_t *length);
/// The number that a word stands for; UINT32_MAX for one that `words` does not have.
KN_API uint32_t kn_words_find(const char *words, const char *word);

#ifdef __cplusplus
}
#endif

#endif
