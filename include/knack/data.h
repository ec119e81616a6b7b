// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Data files: everything a library holds, as YAML or JSON text. Files are added, then built into
/// a library as a whole: all mistakes of all files are told, with file, line, column and remedy,
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

typedef struct kn_data kn_data;

typedef struct kn_data_def {
    kn_hooks hooks;
    /// Registers what is written in C, before the files. May be NULL.
    kn_result (*prepare)(void *user, kn_library *library, kn_error *error);
    void *user;
    kn_data_scripts scripts;
    uint32_t message_limit; ///< errors, and warnings, that are kept; default 100
    size_t file_limit;      ///< bytes of one file; default 16 MB
    bool warn;              ///< also look for what is legal but suspicious; default true
    /// Lints that are not wanted, with blanks between their names: "unused-effect stack-rules".
    /// Copied; NULL: all are wanted. docs/data.md has the names.
    const char *lints_off;
    uint32_t cookie;
} kn_data_def;

KN_API kn_data_def kn_data_def_default(void);
KN_API KN_MUST_USE kn_result kn_data_create(const kn_data_def *def, kn_data **data);
KN_API void kn_data_destroy(kn_data *data);

// What to load --------------------------------------------------------------

/// Adds one text; the bytes are copied. `name` ends in .yaml, .yml, .json, .csv, .ini or .lua and
/// is what messages say.
KN_API KN_MUST_USE kn_result kn_data_add_text(
    kn_data *data, const char *name, const char *text, size_t size);
/// Adds a file. A missing or unreadable one is a message of the build, too.
/// @return KN_OK, KN_ERROR_IO, KN_ERROR_BAD_DATA for an unknown ending, KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_add_file(kn_data *data, const char *path);
/// Adds every file with a known ending below a folder, in the order of their paths. Folders called
/// `scenarios` are left out: what is in there defines nothing, see knack/scenario.h.
KN_API KN_MUST_USE kn_result kn_data_add_folder(kn_data *data, const char *path);
/// Takes hooks from C: a def with `native: name` gets the function pointers and user pointer of
/// `def`, which has that name, at least its state size, and the fields of its state if it has any.
/// Copied, but for those fields, which must outlive `data`; the name must be new for its kind.
KN_API KN_MUST_USE kn_result kn_data_add_native(
    kn_data *data, kn_def_kind kind, const char *name, const void *def);

/// Reads everything that was added and makes a finished library of it. Can be called again, after
/// files have changed or more were added.
/// @param library receives the library, NULL on anything but KN_OK; destroy it
/// @return KN_OK, KN_ERROR_BAD_DATA with messages, KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_build(kn_data *data, kn_library **library);

// Messages ------------------------------------------------------------------

/// A mistake, or something suspicious. Texts are valid until the next build.
typedef struct kn_data_message {
    bool is_error;
    const char *file; ///< "" when unknown
    uint32_t line;    ///< 1-based, 0 when unknown
    uint32_t column;
    const char *text;
} kn_data_message;

/// Messages of the last build, in the order of files and lines.
KN_API uint32_t kn_data_message_count(const kn_data *data);
KN_API kn_data_message kn_data_message_at(const kn_data *data, uint32_t index);
/// "effects.yaml:12:7: error: ...". Returns the full length.
KN_API uint32_t kn_data_message_print(
    const kn_data *data, uint32_t index, char *text, uint32_t size);
/// How many errors and warnings there were, kept or not.
KN_API uint32_t kn_data_error_count(const kn_data *data);
KN_API uint32_t kn_data_warning_count(const kn_data *data);
/// Where a def was written. False if no file has it.
KN_API bool kn_data_where(const kn_data *data, kn_def_kind kind, const char *name,
    const char **file, uint32_t *line, uint32_t *column);

/// Names of the lints, by number from 0; NULL beyond the last.
KN_API const char *kn_data_lint_name(uint32_t index);
/// What a lint finds, in half a sentence; NULL beyond the last.
KN_API const char *kn_data_lint_text(uint32_t index);

/// What the manual says about a field of a def, such as "duration" of "kn_effect_def"; NULL if it
/// says nothing. Names as in kn_def_table.
KN_API const char *kn_data_field_text(const char *table, const char *field);

// Writing -------------------------------------------------------------------

/// Writes all of a library as one YAML document that builds the same library again, functions
/// aside. `written` receives the bytes needed in any case.
/// @return KN_OK, KN_ERROR_BUFFER_TOO_SMALL, KN_ERROR_OUT_OF_MEMORY
KN_API KN_MUST_USE kn_result kn_data_write(
    const kn_library *library, char *text, size_t size, size_t *written);
/// The same as JSON, for other programs.
KN_API KN_MUST_USE kn_result kn_data_write_json(
    const kn_library *library, char *text, size_t size, size_t *written);
/// Writes the JSON Schema (draft 2020-12) of data files.
KN_API KN_MUST_USE kn_result kn_data_write_schema(char *text, size_t size, size_t *written);

#ifdef __cplusplus
}
#endif

#endif
