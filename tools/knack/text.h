// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Texts that grow, whole files, and JSON.
#ifndef TEXT_H
#define TEXT_H

#include "cli.h"

#include <stdarg.h>

// Zero-terminated; `{0}` is empty.
typedef struct text {
    char *data;
    size_t length, capacity;
} text;

void text_bytes(text *to, const void *bytes, size_t size);
void text_add(text *to, const char *more);
void text_format(text *to, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
void text_vformat(text *to, const char *format, va_list arguments)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 0)))
#endif
    ;
void text_float(text *to, float value);
void text_time(text *to, kn_time time); // "2.5 s"
void text_free(text *to);
// "" for an empty one.
const char *text_of(const text *from);

// Characters of a text, which are columns of most; and the bytes of its first `columns`.
int text_columns(const char *words);
int text_cut(const char *words, int columns);

// For functions of the library that print into a buffer and return the full length.
typedef uint32_t text_print_fn(const void *user, char *out, uint32_t size);
void text_print(text *to, text_print_fn *print, const void *user);

// A whole file. False, with a message, if it cannot be read.
bool file_read(const cli *call, const char *path, text *to);
// All of stdin, read once; NULL, with a message, if it cannot be read. Messages call it so.
#define STDIN_NAME "stdin.yaml"
const text *stdin_read(const cli *call);
// Writes a file; "-" is stdout. False with a message.
bool file_write(const cli *call, const char *path, const void *bytes, size_t size);

// What is in a folder, as paths in the order of names. Left out are hidden files and those that end
// in '~', which are those of editors, and links to folders, which may lead back.
#define FOLDER_DEPTH_MAX 32 // for those who go down
typedef struct folder {
    text *paths;
    uint32_t count;
} folder;
void folder_read(const char *path, folder *out);
void folder_free(folder *from);
bool folder_is(const char *path); // and not a file, or nothing

// JSON, indented. Values within an object have a key; in a list the key is NULL.
typedef struct json {
    text out;
    uint32_t depth;
    bool has_items;  // of the innermost
    bool is_compact; // all in one line
} json;

void json_begin(json *to, const char *key, char bracket);     // '{' or '['
void json_end(json *to, char bracket);                        // '}' or ']'
void json_text(json *to, const char *key, const char *value); // null for NULL
void json_number(json *to, const char *key, double value);    // null for what is not finite
void json_float(json *to, const char *key, float value);
void json_count(json *to, const char *key, uint64_t value);
void json_bool(json *to, const char *key, bool value);
void json_seconds(json *to, const char *key, kn_time value);
// A value that is JSON already.
void json_raw(json *to, const char *key, const char *value);
// Prints it, with a line end, and frees it.
void json_print(json *from);
// Whether something was.
bool json_was_printed(void);

#endif
