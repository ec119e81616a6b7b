// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

// Saves and recordings are smaller by far.
#define FILE_SIZE_MAX ((size_t)1 << 30)

// Texts ---------------------------------------------------------------------

static void text_reserve(text *to, size_t more)
{
    size_t wanted = to->length + more + 1;
    if (wanted > to->capacity) {
        size_t larger = to->capacity * 2;
        to->capacity = larger > wanted ? larger : wanted;
        to->data = cli_resize(to->data, to->capacity);
    }
}

void text_bytes(text *to, const void *bytes, size_t size)
{
    text_reserve(to, size);
    if (size > 0) {
        memcpy(to->data + to->length, bytes, size);
    }
    to->length += size;
    to->data[to->length] = 0;
}

void text_add(text *to, const char *more)
{
    text_bytes(to, more, strlen(more));
}

void text_vformat(text *to, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0) {
        text_reserve(to, (size_t)length);
        (void)vsnprintf(to->data + to->length, (size_t)length + 1, format, again);
        to->length += (size_t)length;
    }
    va_end(again);
}

void text_format(text *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    text_vformat(to, format, arguments);
    va_end(arguments);
}

void text_float(text *to, float value)
{
    char digits[64];
    (void)kn_float_print(value, digits, sizeof(digits));
    text_add(to, digits);
}

// Whole microseconds as seconds, without needless zeros.
static void seconds_print(kn_time time, char *out, size_t size)
{
    uint64_t whole = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
    (void)snprintf(out, size, "%s%llu.%06llu", time < 0 ? "-" : "",
        (unsigned long long)(whole / 1000000), (unsigned long long)(whole % 1000000));
    size_t length = strlen(out);
    while (out[length - 1] == '0') {
        out[--length] = 0;
    }
    if (out[length - 1] == '.') {
        out[length - 1] = 0;
    }
}

void text_time(text *to, kn_time time)
{
    char digits[40];
    seconds_print(time, digits, sizeof(digits));
    text_format(to, "%s s", digits);
}

void text_free(text *to)
{
    free(to->data);
    *to = (text){0};
}

const char *text_of(const text *from)
{
    return from->data != NULL ? from->data : "";
}

int text_columns(const char *words)
{
    int columns = 0;
    for (; *words != 0; words++) {
        columns += ((unsigned char)*words & 0xc0) != 0x80 ? 1 : 0;
    }
    return columns;
}

int text_cut(const char *words, int columns)
{
    int bytes = 0;
    while (words[bytes] != 0 && columns >= 0) {
        columns -= ((unsigned char)words[bytes] & 0xc0) != 0x80 ? 1 : 0;
        bytes += columns >= 0 ? 1 : 0;
    }
    return bytes;
}

void text_print(text *to, text_print_fn *print, const void *user)
{
    uint32_t length = print(user, NULL, 0);
    text_reserve(to, length);
    (void)print(user, to->data + to->length, length + 1);
    to->length += length;
    to->data[to->length] = 0;
}

// Files ---------------------------------------------------------------------

// The rest of a file that is open, or NULL if it could not be opened.
static bool stream_read(const cli *call, const char *name, FILE *file, text *to)
{
    char block[16384];
    size_t size;
    errno = file != NULL ? 0 : errno;
    while (file != NULL && (size = fread(block, 1, sizeof(block), file)) > 0) {
        text_bytes(to, block, size);
        if (to->length > FILE_SIZE_MAX) {
            cli_tell(call, "%s: more than 1 GiB", name);
            text_free(to);
            return false;
        }
    }
    bool failed = file == NULL || ferror(file) != 0;
    if (failed) {
        cli_tell(call, "%s: %s", name, strerror(errno));
        text_free(to);
    }
    return !failed;
}

bool file_read(const cli *call, const char *path, text *to)
{
    struct stat info;
    if (stat(path, &info) == 0 && (S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode))) {
        cli_tell(call, "%s: a device, not a file", path); // some have no end
        return false;
    }
    FILE *file = fopen(path, "rb");
    bool good = stream_read(call, path, file, to);
    if (file != NULL) {
        (void)fclose(file);
    }
    return good;
}

const text *stdin_read(const cli *call)
{
    static text bytes; // for as long as the program runs
    static bool has_read, good;
    if (!has_read) { // threads only come later
        good = stream_read(call, "stdin", stdin, &bytes);
        has_read = true;
    }
    return good ? &bytes : NULL;
}

bool file_write(const cli *call, const char *path, const void *bytes, size_t size)
{
    bool is_stdout = strcmp(path, "-") == 0;
    FILE *file = is_stdout ? stdout : fopen(path, "wb");
    bool failed = file == NULL || (size > 0 && fwrite(bytes, 1, size, file) != size);
    if (file != NULL && !is_stdout) {
        failed = fclose(file) != 0 || failed;
    }
    if (failed && !is_stdout) {
        cli_tell(call, "%s: %s", path, strerror(errno));
    }
    return !failed;
}

bool folder_is(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static int by_name(const void *a, const void *b)
{
    const text *x = a, *y = b;
    return strcmp(text_of(x), text_of(y));
}

void folder_read(const char *path, folder *out)
{
    *out = (folder){0};
    DIR *opened = opendir(path);
    const struct dirent *entry;
    size_t length = strlen(path);
    while (opened != NULL && (entry = readdir(opened)) != NULL) {
        text inner = {0};
        text_format(&inner, "%s%s%s", path, length > 0 && path[length - 1] == '/' ? "" : "/",
            entry->d_name);
        struct stat link;
        bool leads_back = lstat(text_of(&inner), &link) == 0 && S_ISLNK(link.st_mode) &&
                          folder_is(text_of(&inner));
        if (entry->d_name[0] != '.' && inner.data[inner.length - 1] != '~' && !leads_back) {
            out->paths = cli_resize(out->paths, (out->count + 1) * sizeof(*out->paths));
            out->paths[out->count++] = inner;
        } else {
            text_free(&inner);
        }
    }
    if (opened != NULL) {
        (void)closedir(opened);
    }
    if (out->count > 0) {
        qsort(out->paths, out->count, sizeof(*out->paths), by_name);
    }
}

void folder_free(folder *from)
{
    for (uint32_t i = 0; i < from->count; i++) {
        text_free(&from->paths[i]);
    }
    free(from->paths);
    *from = (folder){0};
}

// JSON ----------------------------------------------------------------------

// Bytes of the UTF-8 character at `at`; 0 if it is none.
static size_t utf8_length(const unsigned char *at)
{
    size_t length = at[0] < 0x80                     ? 1
                    : at[0] >= 0xc2 && at[0] < 0xe0  ? 2
                    : at[0] >= 0xe0 && at[0] < 0xf0  ? 3
                    : at[0] >= 0xf0 && at[0] <= 0xf4 ? 4
                                                     : 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool is_bad = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] >= 0xa0) ||
                  (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] >= 0x90);
    return is_bad ? 0 : length;
}

static void json_quoted(text *to, const char *value)
{
    const unsigned char *at = (const unsigned char *)value;
    text_add(to, "\"");
    while (*at != 0) {
        size_t length = utf8_length(at);
        if (length == 0) {
            text_add(to, "\\ufffd");
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            text_format(to, "\\%c", *at);
        } else if (*at == '\n' || *at == '\t') {
            text_add(to, *at == '\n' ? "\\n" : "\\t");
        } else if (*at < 0x20 || *at == 0x7f) {
            text_format(to, "\\u%04x", *at);
        } else {
            text_bytes(to, at, length);
        }
        at += length;
    }
    text_add(to, "\"");
}

static void json_line(json *to)
{
    if (to->is_compact) {
        return;
    }
    text_add(&to->out, "\n");
    for (uint32_t i = 0; i < to->depth; i++) {
        text_add(&to->out, "  ");
    }
}

static void json_item(json *to, const char *key)
{
    if (to->has_items) {
        text_add(&to->out, ",");
    }
    if (to->depth > 0) {
        json_line(to);
    }
    to->has_items = true;
    if (key != NULL) {
        json_quoted(&to->out, key);
        text_add(&to->out, ": ");
    }
}

void json_begin(json *to, const char *key, char bracket)
{
    json_item(to, key);
    text_bytes(&to->out, &bracket, 1);
    to->depth++;
    to->has_items = false;
}

void json_end(json *to, char bracket)
{
    to->depth--;
    if (to->has_items) {
        json_line(to);
    }
    text_bytes(&to->out, &bracket, 1);
    to->has_items = true;
}

void json_raw(json *to, const char *key, const char *value)
{
    json_item(to, key);
    text_add(&to->out, value);
}

void json_text(json *to, const char *key, const char *value)
{
    json_item(to, key);
    if (value == NULL) {
        text_add(&to->out, "null");
    } else {
        json_quoted(&to->out, value);
    }
}

void json_number(json *to, const char *key, double value)
{
    char digits[40];
    (void)snprintf(digits, sizeof(digits), "%.12g", value);
    json_raw(to, key, isfinite(value) ? digits : "null");
}

void json_float(json *to, const char *key, float value)
{
    char digits[64];
    (void)kn_float_print(value, digits, sizeof(digits));
    json_raw(to, key, isfinite(value) ? digits : "null");
}

void json_count(json *to, const char *key, uint64_t value)
{
    char digits[32];
    (void)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
    json_raw(to, key, digits);
}

void json_bool(json *to, const char *key, bool value)
{
    json_raw(to, key, value ? "true" : "false");
}

void json_seconds(json *to, const char *key, kn_time value)
{
    char digits[40];
    seconds_print(value, digits, sizeof(digits));
    json_raw(to, key, digits);
}

static bool has_printed;

bool json_was_printed(void)
{
    return has_printed;
}

void json_print(json *from)
{
    has_printed = true;
    (void)printf("%s\n", text_of(&from->out));
    text_free(&from->out);
}
