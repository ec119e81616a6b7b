// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "ini.h"

#include "source.h"

#include <string.h>

#define INI_FIELDS_MAX 16

// One line, while it is read.
typedef struct ini_line {
    kni_loader *loader;
    kni_place place; // of its beginning
    const char *text;
    size_t size;
    size_t at;
    // Name="value" pairs.
    const char *names[INI_FIELDS_MAX];
    const char *values[INI_FIELDS_MAX];
    kni_place places[INI_FIELDS_MAX]; // of the values
    uint32_t count;
} ini_line;

static kni_place place_at(const ini_line *line, size_t at)
{
    kni_place place = line->place;
    for (size_t i = 0; i < at; i++) {
        place.column += ((uint8_t)line->text[i] & 0xc0u) != 0x80u; // characters, not bytes
    }
    return place;
}

static bool line_refuse(const ini_line *line, const char *what)
{
    kni_place place = place_at(line, line->at);
    kni_loader_error(line->loader, &place, "expected %s", what);
    return false;
}

static void skip_blanks(ini_line *line)
{
    while (line->at < line->size && (line->text[line->at] == ' ' || line->text[line->at] == '\t')) {
        line->at++;
    }
}

static bool skip_char(ini_line *line, char c)
{
    skip_blanks(line);
    if (line->at >= line->size || line->text[line->at] != c) {
        return false;
    }
    line->at++;
    return true;
}

static bool is_word_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// Letters, digits, points.
static const char *read_word(ini_line *line)
{
    skip_blanks(line);
    size_t start = line->at;
    while (line->at < line->size && is_word_char(line->text[line->at])) {
        line->at++;
    }
    return kni_arena_text(&line->loader->arena, line->text + start, line->at - start);
}

// A text in quotes, with `\"` and `\\`.
static const char *read_quoted(ini_line *line)
{
    char *value = kni_arena_take(&line->loader->arena, line->size - line->at + 1);
    size_t length = 0;
    while (value != NULL && line->at < line->size && line->text[line->at] != '"') {
        if (line->text[line->at] == '\\' && line->at + 1 < line->size) {
            line->at++;
        }
        value[length++] = line->text[line->at++];
    }
    if (!skip_char(line, '"')) {
        (void)line_refuse(line, "a `\"` at the end of the text");
        return NULL;
    }
    return value;
}

// (Name="value",Name=word,...)
static bool read_fields(ini_line *line)
{
    if (!skip_char(line, '(')) {
        return line_refuse(line, "`(`");
    }
    do {
        if (line->count == INI_FIELDS_MAX) {
            return line_refuse(line, "`)`, since there are too many fields");
        }
        const char *name = read_word(line);
        if (name == NULL || name[0] == 0) {
            return name != NULL && line_refuse(line, "the name of a field");
        }
        if (!skip_char(line, '=')) {
            return line_refuse(line, "`=`");
        }
        bool is_quoted = skip_char(line, '"');
        line->places[line->count] = place_at(line, line->at);
        const char *value = is_quoted ? read_quoted(line) : read_word(line);
        if (value == NULL) {
            return false;
        }
        line->names[line->count] = name;
        line->values[line->count++] = value;
    } while (skip_char(line, ','));
    if (!skip_char(line, ')')) {
        return line_refuse(line, "`,` or `)`");
    }
    skip_blanks(line);
    return line->at == line->size || line_refuse(line, "nothing after the `)`");
}

// The value of a field and its place; a message if it is not there.
static const char *field_of(const ini_line *line, const char *name, kni_place *place)
{
    for (uint32_t i = 0; i < line->count; i++) {
        if (strcmp(line->names[i], name) == 0) {
            *place = line->places[i];
            return line->values[i];
        }
    }
    return NULL;
}

static const char *needed_field(const ini_line *line, const char *name, kni_place *place)
{
    const char *value = field_of(line, name, place);
    if (value == NULL) {
        kni_loader_error(line->loader, &line->place, "this entry has no `%s`", name);
    }
    return value;
}

static void add_tag(const ini_line *line, bool restricted)
{
    kni_place place, other;
    kn_tag_def def = kn_tag_def_default();
    def.name = needed_field(line, "Tag", &place);
    def.comment = field_of(line, "DevComment", &other);
    def.source = line->place.file;
    def.restricted = restricted;
    const char *open = field_of(line, "bAllowNonRestrictedChildren", &other);
    if (restricted && open != NULL && strcmp(open, "True") == 0) {
        kni_report_add(line->loader->report, KNI_SEVERITY_WARNING, &other,
            "a tag is restricted together with all tags below it, or not at all; this one is not");
        def.restricted = false;
    }
    kn_tag tag;
    kn_error error;
    if (def.name != NULL) {
        (void)kni_loader_reported(line->loader,
            kn_tag_register(line->loader->library, &def, &tag, &error), &place, &error);
    }
}

static void add_redirect(const ini_line *line)
{
    kni_place place, other;
    const char *from = needed_field(line, "OldTagName", &place);
    const char *to = needed_field(line, "NewTagName", &other);
    kn_error error;
    if (from != NULL && to != NULL) {
        (void)kni_loader_reported(
            line->loader, kn_tag_redirect(line->loader->library, from, to, &error), &place, &error);
    }
}

static void read_line(ini_line *line)
{
    skip_blanks(line);
    if (line->at == line->size || strchr(";#[", line->text[line->at]) != NULL) {
        return;
    }
    (void)skip_char(line, '+');
    const char *key = read_word(line);
    if (key == NULL) {
        return;
    }
    if (!skip_char(line, '=')) {
        (void)line_refuse(line, "`Key=value`");
        return;
    }
    bool is_tag = strcmp(key, "GameplayTagList") == 0;
    bool is_restricted =
        strcmp(key, "RestrictedGameplayTagList") == 0 || strcmp(key, "RestrictedTagList") == 0;
    bool is_redirect = strcmp(key, "GameplayTagRedirects") == 0;
    if (!(is_tag || is_restricted || is_redirect) || !read_fields(line)) {
        return;
    }
    if (is_redirect) {
        add_redirect(line);
    } else {
        add_tag(line, is_restricted);
    }
}

void kni_ini_read(kni_loader *loader, const char *file, const char *text, size_t size)
{
    kni_source source = {.hooks = loader->arena.hooks, .report = loader->report, .file = file};
    if (kni_source_open(&source, text, size, KNI_BUFFER_MAX) != KN_OK) {
        return;
    }
    size_t start = 0;
    for (uint32_t number = 1; start < source.size; number++) {
        const char *from = source.text + start;
        const char *end = memchr(from, '\n', source.size - start);
        size_t length = end != NULL ? (size_t)(end - from) : source.size - start;
        start += length + 1;
        if (length > 0 && from[length - 1] == '\r') {
            length--;
        }
        kni_arena_mark mark = kni_arena_here(&loader->arena);
        ini_line line = {
            .loader = loader, .place = {file, number, 1}, .text = from, .size = length};
        read_line(&line);
        kni_arena_release(&loader->arena, mark);
    }
    kni_source_close(&source);
}
