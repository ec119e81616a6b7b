// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// What every other header needs: export macros, results, time, errors, and the
/// hooks through which the library reaches memory, a log and an assert handler.
#ifndef KNACK_BASE_H
#define KNACK_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(KNACK_SHARED) && defined(_WIN32)
#if defined(KNACK_BUILDING)
#define KN_API __declspec(dllexport)
#else
#define KN_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define KN_API __attribute__((visibility("default")))
#else
#define KN_API
#endif

#if defined(__GNUC__)
#define KN_MUST_USE __attribute__((warn_unused_result))
#define KN_PRINTF(format_index, first_index)                                                       \
    __attribute__((format(printf, format_index, first_index)))
#else
#define KN_MUST_USE
#define KN_PRINTF(format_index, first_index)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/// The version this header belongs to. kn_version_linked() tells what you run with.
#define KN_VERSION_MAJOR 0
#define KN_VERSION_MINOR 1
#define KN_VERSION_PATCH 0

/// A version as three numbers.
typedef struct kn_version {
    uint32_t major;
    uint32_t minor;
    uint32_t patch;
} kn_version;

/// The version of the library this program is linked with.
KN_API kn_version kn_version_linked(void);

/// How a call went. "Refused" is the game saying no; "error" is something broken.
typedef enum kn_result {
    KN_OK = 0,

    // The game said no. Ordinary play, logged only if asked for; the world is as it was.
    KN_REFUSED_STALE_ID,          ///< an id is null, or what it named is gone
    KN_REFUSED_BLOCKED,           ///< a gate (immunity, restriction) said no
    KN_REFUSED_REQUIREMENT,       ///< tags or attribute conditions are not met
    KN_REFUSED_CUSTOM,            ///< a custom application requirement said no
    KN_REFUSED_CHANCE,            ///< the roll against the chance to apply failed
    KN_REFUSED_STACK_DENIED,      ///< the stack is full, or its rules refuse the newcomer
    KN_REFUSED_EXCLUSIVE,         ///< a stronger member of the exclusive group is there
    KN_REFUSED_MISSING_VALUE,     ///< a set-by-caller value or parameter was not given
    KN_REFUSED_MISSING_ATTRIBUTE, ///< a captured attribute does not exist
    KN_REFUSED_BAD_NUMBER,        ///< NaN, infinity, or a division by (almost) zero
    KN_REFUSED_CYCLE,             ///< the effect would make an attribute depend on itself
    KN_REFUSED_DYING,             ///< the target is being destroyed
    KN_REFUSED_LIMIT,             ///< a count or a chain reached its limit
    KN_REFUSED_NOT_FOUND,         ///< a name, set or entry is not there
    KN_REFUSED_DUPLICATE,         ///< the name or key is taken
    KN_REFUSED_COOLDOWN,          ///< an ability is on cooldown
    KN_REFUSED_COST,              ///< an ability cannot be paid

    // The environment failed. The world is as it was before the call.
    KN_ERROR_OUT_OF_MEMORY,
    KN_ERROR_BAD_DATA,
    KN_ERROR_IO,
    KN_ERROR_BUFFER_TOO_SMALL,

    // The caller broke the contract. Debug builds assert first.
    KN_ERROR_INVALID_ARGUMENT,
    KN_ERROR_WORLD_LOCKED, ///< called from inside the simulation, where it is not allowed
    KN_ERROR_WORLD_BROKEN, ///< memory ran out in the middle of a step; destroy or restore

    KN_RESULT_COUNT,
} kn_result;

/// The name of a result as it is spelled in C, such as "KN_REFUSED_BLOCKED".
KN_API const char *kn_result_name(kn_result result);

/// True for the KN_REFUSED_ family.
static inline bool kn_result_is_refused(kn_result result)
{
    return result >= KN_REFUSED_STALE_ID && result <= KN_REFUSED_COST;
}

/// Simulated time, or a span of it, in microseconds.
typedef int64_t kn_time;

/// A duration that never ends.
#define KN_TIME_INFINITE INT64_MAX
/// The longest span and the latest time the library accepts: about 146,000 years.
#define KN_TIME_MAX (INT64_MAX / 2)
/// Whole microseconds, milliseconds and seconds as kn_time.
#define KN_US(us) ((kn_time)(us))
#define KN_MS(ms) ((kn_time)(ms)*1000)
#define KN_S(s) ((kn_time)(s)*1000000)

/// Seconds to microseconds, rounded to nearest, halves away from zero. NaN gives 0; anything
/// beyond KN_TIME_MAX, infinities included, gives KN_TIME_MAX with the sign of the input.
KN_API kn_time kn_time_from_seconds(double seconds);

/// Microseconds to seconds, for display.
KN_API double kn_time_to_seconds(kn_time time);

/// A plain point or direction, carried for the host. Only space.h and motion.h compute with it.
typedef struct kn_vec3 {
    float x;
    float y;
    float z;
} kn_vec3;

/// Where and why outside input was refused. Filled by functions that read text or bytes, and by
/// registration. `message` names the field and the remedy in one sentence.
typedef struct kn_error {
    kn_result code;
    uint32_t line;   ///< 1-based, 0 when lines make no sense
    uint32_t column; ///< 1-based, 0 when columns make no sense
    char message[232];
} kn_error;

/// Resizes one block. `ptr` is NULL for a new block; `new_size` is 0 to free it.
/// `old_size` is always the size last asked for. Blocks are aligned for max_align_t.
/// NULL for a larger size means "no memory"; shrinking never fails.
typedef void *kn_realloc_fn(void *user, void *ptr, size_t old_size, size_t new_size);

/// Severity of a log entry, and, for a category, the least one that is told.
typedef enum kn_log_level {
    KN_LOG_VERBOSE, ///< everything that happens
    KN_LOG_INFO,    ///< what helps to find out why something does not happen
    KN_LOG_WARNING, ///< something a developer should look at; the default
    KN_LOG_ERROR,
    KN_LOG_OFF, ///< for categories: nothing is told
    KN_LOG_LEVEL_COUNT,
} kn_log_level;

/// What a log entry is about. How much of each is told is set per world, see debug.h.
typedef enum kn_log_category {
    KN_LOG_WORLD, ///< entities, limits, rules
    KN_LOG_TAGS,
    KN_LOG_ATTRIBUTES,
    KN_LOG_EFFECTS,
    KN_LOG_ABILITIES,
    KN_LOG_TASKS,
    KN_LOG_CUES,
    KN_LOG_TARGETING,
    KN_LOG_NETWORK, ///< requests to the server, and batches of them
    KN_LOG_CATEGORY_COUNT,
} kn_log_category;

/// One message for a developer. Valid only during the call.
typedef struct kn_log_entry {
    kn_log_level level;
    kn_log_category category;
    kn_result code; ///< KN_OK when no result belongs to it
    const char *message;
    const char *file;
    int line;
} kn_log_entry;

/// Receives log entries of one library or world. It may be called from inside a step: it changes
/// nothing and calls nothing of that world.
typedef void kn_log_fn(void *user, const kn_log_entry *entry);

/// The ways a library or world reaches its host. Zero means: malloc, and warnings to stderr.
typedef struct kn_hooks {
    kn_realloc_fn *realloc_fn; ///< NULL for the C library's allocator
    void *realloc_user;
    kn_log_fn *log_fn; ///< NULL writes to stderr
    void *log_user;
} kn_hooks;

/// Called when the caller, or the library, broke a contract. Returning true asks the library
/// to trap into the debugger; false lets it return an error and go on.
typedef bool kn_assert_fn(const char *condition, const char *file, int line);

/// Sets the assert handler of the process, the only process-wide state of the library.
/// NULL restores the default, which prints the condition to stderr and aborts.
KN_API void kn_assert_set_handler(kn_assert_fn *handler);

/// Reports a failed assertion to the handler. Used by KN_ASSERT.
KN_API void kn_assert_report(const char *condition, const char *file, int line);

// Off in pure release builds, on everywhere else; either can be forced.
#if !defined(KN_ASSERTS)
#if defined(NDEBUG)
#define KN_ASSERTS 0
#else
#define KN_ASSERTS 1
#endif
#endif

#if KN_ASSERTS
#define KN_ASSERT(condition)                                                                       \
    ((condition) ? (void)0 : kn_assert_report(#condition, __FILE__, __LINE__))
#else
#define KN_ASSERT(condition) ((void)0)
#endif

/// Formats a float so that reading it back gives the same bits: shortest form, '.' as the
/// decimal point, whatever the host's locale. Returns the length without the final zero; the
/// text is cut to `size` bytes including that zero.
KN_API uint32_t kn_float_print(float value, char *text, uint32_t size);

/// Reads a number in the form kn_float_print() writes, or with exponent. Independent of the
/// host's locale. Returns false, and leaves *value at 0, unless all of `text` is one finite number.
KN_API bool kn_float_parse(const char *text, float *value);

#ifdef __cplusplus
}
#endif

#endif
