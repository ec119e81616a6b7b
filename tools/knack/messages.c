// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "messages.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

// A copy of a message.
typedef struct kept {
    bool is_error;
    text file, words;
    uint32_t line, column;
} kept;

static kept *all;
static uint32_t all_count;

static void keep(const kn_data_message *message)
{
    kept copy = {.is_error = message->is_error, .line = message->line, .column = message->column};
    text_add(&copy.file, message->file);
    text_add(&copy.words, message->text);
    all = cli_resize(all, (all_count + 1) * sizeof(*all));
    all[all_count++] = copy;
}

void message_print(const cli *call, const kn_data_message *message, FILE *out)
{
    if (message->file[0] != 0) {
        (void)fprintf(out, "%s:", message->file);
    }
    if (message->line > 0) {
        (void)fprintf(out, "%u:", message->line);
    }
    if (message->column > 0) {
        (void)fprintf(out, "%u:", message->column);
    }
    (void)fprintf(out, "%s%s%s:%s %s\n", message->file[0] != 0 ? " " : "",
        cli_paint_on(call, out, message->is_error ? CLI_RED : CLI_YELLOW),
        message->is_error ? "error" : "warning", cli_paint_on(call, out, CLI_PLAIN), message->text);
}

// A path without `folder/..`: scenarios of several folders name one library in several ways.
static void path_plain(text *out, const char *path)
{
    for (const char *at = path; *at != 0;) {
        size_t length = strcspn(at, "/");
        const char *last = out->length > 0 ? strrchr(text_of(out), '/') : NULL;
        size_t begin = last != NULL ? (size_t)(last - out->data) + 1 : 0;
        bool is_up = length == 2 && strncmp(at, "..", 2) == 0 && out->length > 0 &&
                     strcmp(out->data + begin, "..") != 0;
        if (is_up) {
            out->length = begin > 0 ? begin - 1 : 0;
            out->data[out->length] = 0;
        } else if (length > 0 || at == path) {
            text_add(out, out->length > 0 || (at != path && path[0] == '/') ? "/" : "");
            text_bytes(out, at, length);
        }
        at += length + (at[length] == '/' ? 1 : 0);
    }
}

static bool is_same_file(const char *a, const char *b)
{
    text plain[2] = {{0}, {0}};
    path_plain(&plain[0], a);
    path_plain(&plain[1], b);
    bool is_same = strcmp(text_of(&plain[0]), text_of(&plain[1])) == 0;
    text_free(&plain[0]);
    text_free(&plain[1]);
    return is_same;
}

static bool is_known(const kn_data_message *message)
{
    for (uint32_t i = 0; i < all_count; i++) {
        const kept *one = &all[i];
        if (one->line == message->line && one->column == message->column &&
            strcmp(text_of(&one->words), message->text) == 0 &&
            is_same_file(text_of(&one->file), message->file)) {
            return true;
        }
    }
    return false;
}

void message_tell(const cli *call, const kn_data_message *message)
{
    if (!is_known(message)) {
        (void)fflush(stdout); // in the order it happened
        message_print(call, message, stderr);
    }
    keep(message);
}

void cli_tell(const cli *call, const char *format, ...)
{
    text words = {0};
    va_list arguments;
    va_start(arguments, format);
    text_vformat(&words, format, arguments);
    va_end(arguments);
    (void)fflush(stdout);
    (void)fprintf(stderr, "knack%s%s: %s\n", call->command != NULL ? " " : "",
        call->command != NULL ? call->command->name : "", text_of(&words));
    keep(&(kn_data_message){.is_error = true, .file = "", .text = text_of(&words)});
    text_free(&words);
}

// The name in brackets at the end of what a lint says.
static bool lint_of(const char *words, text *name)
{
    const char *open = strrchr(words, '[');
    size_t length = open != NULL ? strcspn(open + 1, "]") : 0;
    if (length == 0 || strcmp(open + 1 + length, "]") != 0) {
        return false;
    }
    const char *known;
    text_bytes(name, open + 1, length);
    for (uint32_t i = 0; (known = kn_data_lint_name(i)) != NULL; i++) {
        if (strcmp(known, text_of(name)) == 0) {
            return true;
        }
    }
    return false;
}

void message_json(json *out, const kn_data_message *message)
{
    text lint = {0};
    json_begin(out, NULL, '{');
    json_text(out, "severity", message->is_error ? "error" : "warning");
    json_text(out, "file", message->file);
    json_count(out, "line", message->line);
    json_count(out, "column", message->column);
    if (lint_of(message->text, &lint)) {
        json_text(out, "lint", text_of(&lint));
    }
    json_text(out, "text", message->text);
    json_end(out, '}');
    text_free(&lint);
}

uint32_t messages_count(void)
{
    return all_count;
}

void messages_json(json *out, const char *key, uint32_t first)
{
    json_begin(out, key, '[');
    for (uint32_t i = first; i < all_count; i++) {
        const kept *from = &all[i];
        kn_data_message message = {
            from->is_error, text_of(&from->file), from->line, from->column, text_of(&from->words)};
        message_json(out, &message);
    }
    json_end(out, ']');
}

void messages_free(void)
{
    for (uint32_t i = 0; i < all_count; i++) {
        text_free(&all[i].file);
        text_free(&all[i].words);
    }
    free(all);
    all = NULL;
    all_count = 0;
}
