// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Data files: everything a library holds, as YAML or JSON text. Files are added, then built into a
/// library as a whole: all mistakes of all files are reported, with file, line, column and remedy,
/// and a build with mistakes gives no library. docs/data.md is the manual.
///
///   kn_data_def def = kn_data_def_default();
///   kn_data *data;
///   kn_library *library;
///   kn_result result = kn_data_create(&def, &data);
///   ... kn_data_add_folder(data, "content/hero-kit") ...
///   if (kn_data_build(data, &library) != KN_OK) {
///       for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
///           kn_data_message_print(data, i, line, sizeof(line));
///       }
///   }
#ifndef KNACK_DATA_H
#define KNACK_DATA_H

#include "knack/knack.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Files to build a library from. Opaque; see kn_data_create().
typedef struct kn_data kn_data;

/// How to create a kn_data. Start from kn_data_def_default().
typedef struct kn_data_def {
    kn_hooks hooks; ///< memory and log of the loader and its libraries; all-zero for the defaults
    /// Registers what is written in C, before the files are read. May be NULL.
    kn_result (*prepare)(void *user, kn_library *library, kn_error *error);
    void *user; ///< passed to `prepare`
    /// Kits that files may name (`kits: [combat]`). Those that any file names are registered once,
    /// in this order, after `prepare` and before anything is read from files. Must outlive the
    /// loader; may be NULL.
    const kn_kit *kits;
    uint32_t kit_count;      ///< number of entries in `kits`
    kn_data_scripts scripts; ///< the script engine for functions that files name; all-zero: none
    uint32_t message_limit;  ///< most errors, and most warnings, that are kept; default 100
    size_t file_limit;       ///< most bytes of one file; default 16 MB
    bool warn;               ///< also report what is legal but suspicious; default true
    /// Names of lints to turn off, separated by blanks: "unused-effect stack-rules". Copied; NULL:
    /// none. docs/data.md has the names.
    const char *lints_off;
    uint32_t cookie; ///< set by kn_data_def_default(); do not change it
} kn_data_def;

/// A def with the default limits and all lints.
KN_API kn_data_def kn_data_def_default(void);
/// Creates an empty loader. Destroy it with kn_data_destroy().
/// @return KN_OK; KN_ERROR_INVALID_ARGUMENT for a def without its defaults, or a kit without name
/// or
///         function; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_create(const kn_data_def *def, kn_data **data);
/// Destroys a loader with its messages. Libraries it built live on. NULL is ignored.
KN_API void kn_data_destroy(kn_data *data);

// What to load --------------------------------------------------------------

/// Adds one text; the bytes are copied. `name` ends in .yaml, .yml, .json, .csv, .ini or .lua and
/// is what messages call it.
/// @return KN_OK; KN_ERROR_BAD_DATA for an unknown ending; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_text(
    kn_data *data, const char *name, const char *text, size_t size);
/// Adds a file, which is read by kn_data_build(). A missing or unreadable one is a message of the
/// build, too.
/// @return KN_OK; KN_ERROR_IO for a missing file; KN_ERROR_BAD_DATA for an unknown ending;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_file(kn_data *data, const char *path);
/// Adds every file with a known ending below a folder, in the order of their paths. Folders called
/// `scenarios` are left out: what is in there defines nothing, see knack/scenario.h.
/// @return KN_OK; KN_ERROR_IO for a missing folder; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_folder(kn_data *data, const char *path);
/// Adds an own kind of definitions (knack/kind.h), which every library that is built gets before
/// `prepare` is called and files are read: so its section can be written in them. What is wrong
/// with the kind is a message of the build. A kind that needs no natives can just as well be
/// registered in `prepare`.
/// @param def copied, except for its texts, table and hooks, which must outlive `data`
/// @param kind receives the number that the kind has in those libraries; KN_DEF_KIND_COUNT on
///             anything but KN_OK
/// @return KN_OK; KN_REFUSED_LIMIT beyond KN_KIND_MAX; KN_ERROR_INVALID_ARGUMENT for a def without
///         its defaults or a table; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_kind(
    kn_data *data, const kn_kind_def *def, kn_def_kind *kind);
/// Adds hooks written in C: a def with `native: name` in a file gets the function pointers and user
/// pointer of `def`, at least its state size, and the fields of its state if it has any. Copied,
/// except for those fields, which must outlive `data`.
/// @param kind one of ours, or one of kn_data_add_kind(); for those of kits see
///             kn_data_add_kind_native()
/// @param def of the struct that the table of the kind describes
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken for its kind;
///         KN_ERROR_INVALID_ARGUMENT for a kind without a def; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_native(
    kn_data *data, kn_def_kind kind, const char *name, const void *def);
/// Adds hooks written in C for a kind that a kit registers, such as "order type", by its name: the
/// kit need not be there yet. Otherwise as kn_data_add_native(). Files that give a definition of
/// the kind `native: name` use it.
/// @param def of the struct of the kind, such as kn_order_type_def
/// @param size its bytes; a file that uses it is refused if the kind has others
/// @return KN_OK; KN_REFUSED_DUPLICATE for a name that is taken for its kind;
///         KN_ERROR_INVALID_ARGUMENT for a NULL or a size of 0 or beyond KN_KIND_SIZE_MAX;
///         KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_kind_native(
    kn_data *data, const char *kind, const char *name, const void *def, size_t size);

/// Reads everything that was added and makes a finished library of it. Can be called again, after
/// files have changed or more were added.
/// @param library receives the library, NULL on anything but KN_OK; destroy it
/// @return KN_OK; KN_ERROR_BAD_DATA with messages; KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_build(kn_data *data, kn_library **library);

// Messages ------------------------------------------------------------------

/// A mistake, or something suspicious. Strings are valid until the next build.
typedef struct kn_data_message {
    bool is_error;    ///< true for an error, false for a warning
    const char *file; ///< file that the message is about; "" when unknown
    uint32_t line;    ///< line of `file`, from 1; 0 when unknown
    uint32_t column;  ///< column of the line, from 1; 0 when unknown
    const char *text; ///< what is wrong and what to write instead: a sentence
} kn_data_message;

/// Number of messages kept from the last build.
KN_API uint32_t kn_data_message_count(const kn_data *data);
/// One message of the last build, in the order of files and lines; empty past the end.
KN_API kn_data_message kn_data_message_at(const kn_data *data, uint32_t index);
/// Writes one message as "effects.yaml:12:7: error: ...". Returns the full length; the text is
/// truncated to `size` bytes including the final zero. 0 past the end.
KN_API uint32_t kn_data_message_print(
    const kn_data *data, uint32_t index, char *text, uint32_t size);
/// How many errors the last build had, kept or not.
KN_API uint32_t kn_data_error_count(const kn_data *data);
/// How many warnings the last build had, kept or not.
KN_API uint32_t kn_data_warning_count(const kn_data *data);
/// Finds where a def was written, in the files of the last build. False, with "" and 0, if no file
/// has it. `*file` is valid until the next build.
KN_API bool kn_data_where(const kn_data *data, kn_def_kind kind, const char *name,
    const char **file, uint32_t *line, uint32_t *column);

/// The names of the lints by index, from 0; NULL past the end. Valid forever.
KN_API const char *kn_data_lint_name(uint32_t index);
/// What a lint finds, in half a sentence; NULL past the end. Valid forever.
KN_API const char *kn_data_lint_text(uint32_t index);

/// What the headers say about a field of a def, such as "duration" of "kn_effect_def"; NULL if they
/// say nothing. Names as in kn_def_table. Valid forever.
KN_API const char *kn_data_field_text(const char *table, const char *field);

// Writing -------------------------------------------------------------------

/// Writes all of a library as one YAML document, without a final zero, that builds the same library
/// again, functions aside. Of its kits (kn_library_kit()) it has the names under `kits`, and
/// nothing of what they register: a program that builds it offers them. `written` receives the
/// bytes needed, also when the buffer is too small.
/// @return KN_OK; KN_ERROR_BUFFER_TOO_SMALL; KN_ERROR_OUT_OF_MEMORY; what a kit returns that cannot
///         be registered in another library
KN_API KN_MUST_USE kn_result kn_data_write(
    const kn_library *library, char *text, size_t size, size_t *written);
/// Writes all of a library as one JSON document, for other programs, without a final zero. Results
/// as kn_data_write().
KN_API KN_MUST_USE kn_result kn_data_write_json(
    const kn_library *library, char *text, size_t size, size_t *written);
/// Writes the JSON Schema (draft 2020-12) of data files for a library with own kinds, whose
/// sections it describes too; finished or not. Results as kn_data_write().
KN_API KN_MUST_USE kn_result kn_data_write_library_schema(
    const kn_library *library, char *text, size_t size, size_t *written);
/// Writes the JSON Schema (draft 2020-12) of data files, without a final zero. `written` receives
/// the bytes needed, also when the buffer is too small. Results as kn_data_write().
KN_API KN_MUST_USE kn_result kn_data_write_schema(char *text, size_t size, size_t *written);

#ifdef __cplusplus
}
#endif

#endif
