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

/// The version of the headers you compile against. kn_version_linked() is the one you run with.
#define KN_VERSION_MAJOR 0
#define KN_VERSION_MINOR 1
#define KN_VERSION_PATCH 0

/// A version as three numbers.
typedef struct kn_version {
    uint32_t major; ///< first number: changes when old programs no longer compile or run
    uint32_t
        minor; ///< second number: changes when something is added; before 1.0 it may also break
    uint32_t patch; ///< third number: changes when only mistakes are corrected
} kn_version;

/// The version of the library this program is linked with. It differs from KN_VERSION_* when
/// headers and library do not belong together.
KN_API kn_version kn_version_linked(void);

/// The result of a call. *Refused* means that the game said no: ordinary play. *Error* means that
/// something is broken. Unless a function says otherwise, nothing has changed on any result but
/// KN_OK and KN_ERROR_WORLD_BROKEN, and what it would have returned through a pointer is zeroed.
///
/// The comment of each function lists its results. One of them is left out there: passing NULL
/// where a function does not allow it breaks its contract and asserts in debug builds; where a
/// release build survives that, the result is KN_ERROR_INVALID_ARGUMENT, or KN_REFUSED_STALE_ID for
/// a NULL world.
typedef enum kn_result {
    KN_OK = 0, ///< the call did what it says

    // The game said no. Ordinary play, logged only on request; the world is as it was.
    KN_REFUSED_STALE_ID,          ///< an id is null, or the thing it named is gone
    KN_REFUSED_BLOCKED,           ///< a gate (immunity, restriction) or a policy said no
    KN_REFUSED_REQUIREMENT,       ///< tag or attribute conditions are not met
    KN_REFUSED_CUSTOM,            ///< a custom application requirement said no
    KN_REFUSED_CHANCE,            ///< the roll against the chance to apply failed
    KN_REFUSED_STACK_DENIED,      ///< the stack is full, or its rules refuse the new application
    KN_REFUSED_EXCLUSIVE,         ///< a stronger group member is active, or the resource is claimed
    KN_REFUSED_MISSING_VALUE,     ///< a set-by-caller value or parameter was not given
    KN_REFUSED_MISSING_ATTRIBUTE, ///< a captured attribute does not exist
    KN_REFUSED_BAD_NUMBER,        ///< NaN, infinity, or a division by (almost) zero
    KN_REFUSED_CYCLE,             ///< the effect would make an attribute depend on itself
    KN_REFUSED_DYING,             ///< the target is being destroyed
    KN_REFUSED_LIMIT,             ///< a count, or the length of a chain, reached its limit
    KN_REFUSED_NOT_FOUND,         ///< a name, set or entry does not exist
    KN_REFUSED_DUPLICATE,         ///< the name or key is taken, or the thing is already there
    KN_REFUSED_COOLDOWN,          ///< the ability is on cooldown
    KN_REFUSED_COST,              ///< the cost of the ability cannot be paid

    // The environment failed. The world is as it was before the call.
    KN_ERROR_OUT_OF_MEMORY,    ///< the allocator returned NULL
    KN_ERROR_BAD_DATA,         ///< a def, file, save or message is malformed
    KN_ERROR_IO,               ///< a file or folder could not be read
    KN_ERROR_BUFFER_TOO_SMALL, ///< the buffer has fewer bytes than the result needs

    // The caller broke the contract. Debug builds assert first.
    KN_ERROR_INVALID_ARGUMENT, ///< NULL, a def without its defaults, or a value out of range
    KN_ERROR_WORLD_LOCKED,     ///< not allowed inside the simulation, or in a finished library
    KN_ERROR_WORLD_BROKEN,     ///< memory ran out halfway: destroy the world or restore a snapshot

    KN_RESULT_COUNT, ///< number of the values above; not a value itself
} kn_result;

/// The name of a result as it is spelled in C, such as "KN_REFUSED_BLOCKED"; "unknown result" for
/// any other number. Valid forever.
KN_API const char *kn_result_name(kn_result result);

/// True for the KN_REFUSED_* results, false for KN_OK and errors.
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
/// A whole number of microseconds as kn_time.
#define KN_US(us) ((kn_time)(us))
/// A whole number of milliseconds as kn_time.
#define KN_MS(ms) ((kn_time)(ms)*1000)
/// A whole number of seconds as kn_time.
#define KN_S(s) ((kn_time)(s)*1000000)

/// Converts seconds to microseconds, rounded to nearest, halves away from zero. NaN gives 0;
/// anything beyond KN_TIME_MAX, infinities included, gives KN_TIME_MAX with the sign of the input.
KN_API kn_time kn_time_from_seconds(double seconds);

/// Converts microseconds to seconds, for display.
KN_API double kn_time_to_seconds(kn_time time);

/// A point or direction, carried for the host. Only space.h and motion.h compute with it.
typedef struct kn_vec3 {
    float x; ///< first coordinate, in units of the host
    float y; ///< second coordinate, in units of the host
    float z; ///< third coordinate, in units of the host
} kn_vec3;

/// Where and why input was refused. Filled by functions that read text or bytes, and by
/// registration. Functions that take a `kn_error *` accept NULL.
typedef struct kn_error {
    kn_result code;    ///< the result that the call returned
    uint32_t line;     ///< line of the text, from 1; 0 where lines make no sense
    uint32_t column;   ///< column of the line, from 1; 0 where columns make no sense
    char message[232]; ///< one sentence that names the field and the remedy
} kn_error;

/// Resizes one block. `ptr` is NULL for a new block; `new_size` is 0 to free it.
/// `old_size` is always the size last asked for. Blocks are aligned for max_align_t.
/// NULL for a larger size means "no memory"; shrinking never fails.
typedef void *kn_realloc_fn(void *user, void *ptr, size_t old_size, size_t new_size);

/// Severity of a log entry, and, for a category, the lowest severity that is logged.
typedef enum kn_log_level {
    KN_LOG_VERBOSE,     ///< everything that happens
    KN_LOG_INFO,        ///< what helps to find out why something does not happen
    KN_LOG_WARNING,     ///< something a developer should look at; the default of every category
    KN_LOG_ERROR,       ///< something is broken
    KN_LOG_OFF,         ///< as the level of a category: log nothing
    KN_LOG_LEVEL_COUNT, ///< number of the values above; not a value itself
} kn_log_level;

/// What a log entry is about. The level of each category is set per world, see debug.h.
typedef enum kn_log_category {
    KN_LOG_WORLD,          ///< entities, limits, rules
    KN_LOG_TAGS,           ///< tags of entities
    KN_LOG_ATTRIBUTES,     ///< attributes and attribute sets
    KN_LOG_EFFECTS,        ///< effects: applied, refused, stacked, removed
    KN_LOG_ABILITIES,      ///< abilities and their activations
    KN_LOG_TASKS,          ///< tasks of abilities
    KN_LOG_CUES,           ///< cues
    KN_LOG_TARGETING,      ///< targeting
    KN_LOG_NETWORK,        ///< requests to the server, and batches of them
    KN_LOG_GAME,           ///< what kits and games log themselves, see kn_log_write()
    KN_LOG_CATEGORY_COUNT, ///< number of the values above; not a value itself
} kn_log_category;

/// One message for a developer. The entry and its strings are valid only during the call.
typedef struct kn_log_entry {
    kn_log_level level;       ///< severity of the entry
    kn_log_category category; ///< what the entry is about
    kn_result code;           ///< the result the entry is about; KN_OK if there is none
    const char *message;      ///< the message: a sentence without a line end
    const char *file;         ///< source file of the library that logs
    int line;                 ///< line of `file`
} kn_log_entry;

/// Receives the log entries of one library or world. It may be called from inside a step: it must
/// not call any function of that world or library.
typedef void kn_log_fn(void *user, const kn_log_entry *entry);

/// How a library or world reaches its host. All-zero means: malloc, and warnings to stderr.
typedef struct kn_hooks {
    /// Allocates and frees all memory; NULL for the C library's allocator.
    kn_realloc_fn *realloc_fn;
    void *realloc_user; ///< passed to `realloc_fn`
    kn_log_fn *log_fn;  ///< receives log entries; NULL writes them to stderr
    void *log_user;     ///< passed to `log_fn`
} kn_hooks;

/// Called when the caller, or the library, broke a contract. Returning true makes the library trap
/// into the debugger; false lets it return an error and carry on.
typedef bool kn_assert_fn(const char *condition, const char *file, int line);

/// Sets the assert handler of the process, the library's only process-wide state. NULL restores the
/// default, which prints the condition to stderr and aborts. Not thread-safe: set it at startup.
KN_API void kn_assert_set_handler(kn_assert_fn *handler);

/// Passes a failed assertion to the handler, and traps if the handler returns true. Used by
/// KN_ASSERT.
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

/// Formats a float in the shortest form that reads back as the same bits, with '.' as the decimal
/// point whatever the host's locale. Returns the full length; the text is truncated to `size` bytes
/// including the final zero.
KN_API uint32_t kn_float_print(float value, char *text, uint32_t size);

/// Reads a number as kn_float_print() writes it, or with an exponent, independent of the host's
/// locale. Returns false, and sets `*value` to 0, unless all of `text` is one finite number.
KN_API bool kn_float_parse(const char *text, float *value);

#ifdef __cplusplus
}
#endif

#endif
