// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// A library holds every registered type: tags, curves, attribute sets, effects, and the functions
/// they name. It is filled, finished once, and from then on immutable and shared by any number of
/// worlds on any threads. Registration copies what it is given.
#ifndef KNACK_LIBRARY_H
#define KNACK_LIBRARY_H

#include "knack/tag.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_library kn_library;

typedef struct kn_library_def {
    kn_hooks hooks; ///< memory and log of the library; zero for the C library's
    uint32_t cookie;
} kn_library_def;

KN_API kn_library_def kn_library_def_default(void);
KN_API KN_MUST_USE kn_result kn_library_create(const kn_library_def *def, kn_library **library);

/// Destroys a library; NULL is fine. A library that worlds still use lives on until the last of
/// them is destroyed.
KN_API void kn_library_destroy(kn_library *library);

/// Checks everything registered as a whole and freezes it: names that were used before they were
/// registered, redirect chains, cycles among limits and child effects, requirements an effect would
/// break by itself. On an error nothing is frozen and the library can be mended.
KN_API KN_MUST_USE kn_result kn_library_finish(kn_library *library, kn_error *error);
KN_API bool kn_library_is_finished(const kn_library *library);

/// Hash over all types: worlds with equal hashes understand each other's saves without a check of
/// names, and recordings demand it.
KN_API uint64_t kn_library_hash(const kn_library *library);

/// Called when the library is gone; see kn_library_keep().
typedef void kn_library_release_fn(void *user);
/// Hands something to the library that its functions need, such as a script: `release` is called
/// with it when the last user of the library is gone, in the reverse order of these calls.
/// @return KN_OK; KN_ERROR_WORLD_LOCKED once the library is finished; KN_ERROR_OUT_OF_MEMORY.
///         `release` is not called unless it is KN_OK
KN_API KN_MUST_USE kn_result kn_library_keep(
    kn_library *library, kn_library_release_fn *release, void *user);
/// Makes a number part of kn_library_hash(): for what decides how functions behave and no def
/// shows, such as the text of a script. The order of calls counts.
/// @return KN_OK, or KN_ERROR_WORLD_LOCKED once the library is finished
KN_API KN_MUST_USE kn_result kn_library_add_hash(kn_library *library, uint64_t hash);

/// Warnings found by kn_library_finish(): legal, but surely not meant, such as several multipliers
/// below 1 on one biased sum. Valid as long as the library.
KN_API uint32_t kn_library_warning_count(const kn_library *library);
KN_API const char *kn_library_warning(const kn_library *library, uint32_t index);

/// Bytes the library holds.
KN_API uint64_t kn_library_bytes(const kn_library *library);

// Plain data ----------------------------------------------------------------

/// Kinds of plain fields in extension components, target data and blocks of state.
typedef enum kn_field_kind {
    KN_FIELD_U8 = 1,
    KN_FIELD_BOOL,
    KN_FIELD_U16,
    KN_FIELD_U32,
    KN_FIELD_I32,
    KN_FIELD_F32,
    KN_FIELD_U64,
    KN_FIELD_I64,
    KN_FIELD_TIME,
    KN_FIELD_ENTITY,
    KN_FIELD_EFFECT,
    KN_FIELD_TAG,       ///< saved by name
    KN_FIELD_ATTRIBUTE, ///< saved by name
    KN_FIELD_VEC3,
    KN_FIELD_CURVE, ///< saved by name
} kn_field_kind;

/// One field: `count` elements of a kind at an offset.
typedef struct kn_field {
    const char *name;
    kn_field_kind kind;
    uint32_t offset;
    uint32_t count; ///< default 1
} kn_field;

#ifdef __cplusplus
}
#endif

#endif
