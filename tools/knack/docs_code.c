// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What scripts and code say about a library: texts between quotes that are names in it. They are
// read by a scanner that knows strings and comments, not by a parser: it is the same for Lua, C and
// whatever else looks like them.

#include "docs.h"

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_LENGTH 200

// Sources -------------------------------------------------------------------

void docs_source_add(docs *page, const char *name, const char *bytes, size_t size, bool is_script)
{
    docs_source source = {.is_script = is_script};
    text_add(&source.name, name);
    text_bytes(&source.bytes, bytes, size);
    page->sources = cli_resize(page->sources, (page->source_count + 1) * sizeof(*page->sources));
    page->sources[page->source_count++] = source;
}

static bool is_code(const char *path)
{
    static const char *const endings[] = {"c", "cc", "cpp", "cs", "cxx", "gd", "h", "hh", "hpp",
        "hxx", "java", "js", "lua", "m", "mm", "py", "rs", "swift", "ts", "zig"};
    const char *dot = strrchr(path, '.');
    for (size_t i = 0; dot != NULL && i < sizeof(endings) / sizeof(*endings); i++) {
        if (strcmp(dot + 1, endings[i]) == 0) {
            return true;
        }
    }
    return false;
}

static cli_code code_add(docs *page, const char *path, uint32_t depth);

static cli_code folder_add(docs *page, const char *path, uint32_t depth)
{
    folder below;
    cli_code code = CLI_GOOD;
    folder_read(path, &below);
    for (uint32_t i = 0; code == CLI_GOOD && i < below.count; i++) {
        code = code_add(page, text_of(&below.paths[i]), depth + 1);
    }
    folder_free(&below);
    return code;
}

static cli_code code_add(docs *page, const char *path, uint32_t depth)
{
    if (folder_is(path)) {
        return depth < FOLDER_DEPTH_MAX ? folder_add(page, path, depth) : CLI_GOOD;
    }
    if (depth > 0 && !is_code(path)) {
        return CLI_GOOD;
    }
    for (uint32_t i = 0; i < page->source_count; i++) {
        if (strcmp(text_of(&page->sources[i].name), path) == 0) {
            return CLI_GOOD; // a script that is part of the library
        }
    }
    text bytes = {0};
    if (!file_read(page->call, path, &bytes)) {
        return CLI_UNREADABLE;
    }
    docs_source_add(page, path, text_of(&bytes), bytes.length, false);
    text_free(&bytes);
    return CLI_GOOD;
}

cli_code docs_code_add(docs *page, const char *path)
{
    return code_add(page, path, 0);
}

void docs_free(docs *page)
{
    for (uint32_t i = 0; i < page->source_count; i++) {
        text_free(&page->sources[i].name);
        text_free(&page->sources[i].bytes);
    }
    for (uint32_t i = 0; i < page->stray_count; i++) {
        text_free(&page->strays[i].name);
    }
    free(page->sources);
    free(page->strays);
    free(page->bodies);
    free(page->uses);
    text_free(&page->out);
}

// Scanning ------------------------------------------------------------------

typedef struct scan {
    docs *page;
    uint32_t source1;
    bool is_lua;
    const char *at;
    const char *line_begin;
    uint32_t line;
    docs_use by; // the definition around it
} scan;

static bool is_word(char letter)
{
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') || letter == '_';
}

// How scripts call the kinds of what they define.
static const struct {
    const char *word;
    kn_def_kind kind;
} keywords[] = {
    {"ability", KN_DEF_ABILITY},
    {"task", KN_DEF_TASK},
    {"logic", KN_DEF_EFFECT_LOGIC},
    {"calculation", KN_DEF_CALCULATION},
    {"execution", KN_DEF_EXECUTION},
    {"attributes", KN_DEF_ATTRIBUTE_SET},
    {"event", KN_DEF_EVENT_KIND},
    {"rule", KN_DEF_RULE},
    {"system", KN_DEF_SYSTEM},
    {"ability_check", KN_DEF_CHECK},
    {"targeting", KN_DEF_TARGETING},
    {"requirement", KN_DEF_REQUIREMENT},
    {"condition", KN_DEF_CONDITION},
    {"timer", KN_DEF_TIMER},
    {"ticker", KN_DEF_TICKER},
    {"watch", KN_DEF_WATCH},
    {"command", KN_DEF_COMMAND},
    {"component", KN_DEF_COMPONENT},
    {"policy", KN_DEF_POLICY},
};
#define KEYWORD_COUNT (sizeof(keywords) / sizeof(*keywords))

// The kind that a script means by a word: one of ours, or an own kind with `_` for spaces.
static kn_def_kind keyword_kind(const docs *page, const char *word, size_t length)
{
    for (size_t i = 0; i < KEYWORD_COUNT; i++) {
        if (strlen(keywords[i].word) == length && strncmp(keywords[i].word, word, length) == 0) {
            return keywords[i].kind;
        }
    }
    for (uint32_t i = 0; i < kn_kind_count(page->library); i++) {
        const char *name = kn_kind_name(page->library, (kn_def_kind)(KN_DEF_KIND_OWN + i));
        size_t same = 0;
        while (same < length && name[same] != 0 &&
               (name[same] == ' ' ? '_' : name[same]) == word[same]) {
            same++;
        }
        if (same == length && name[same] == 0) {
            return (kn_def_kind)(KN_DEF_KIND_OWN + i);
        }
    }
    return KN_DEF_KIND_COUNT;
}

// `ability "Name"` at the beginning of a line.
static bool definition_begin(scan *s, const char *name)
{
    docs *page = s->page;
    size_t length = strcspn(s->line_begin, " \t\"'({");
    const char *gap = s->line_begin + length;
    if (length == 0 || gap + strspn(gap, " \t(") != s->at) {
        return false;
    }
    kn_def_kind kind = keyword_kind(page, s->line_begin, length);
    if (kind == KN_DEF_KIND_COUNT) {
        return false;
    }
    uint32_t index1 = kn_def_find(page->library, kind, name);
    s->by.by_kind = kind;
    s->by.by_index1 = index1;
    if (index1 != 0) {
        page->bodies = cli_resize(page->bodies, (page->body_count + 1) * sizeof(*page->bodies));
        page->bodies[page->body_count++] = (docs_body){kind, index1, s->source1, s->line};
    }
    return true;
}

// The function whose arguments hold the text at `s->at`: `apply` in `self:apply(foe, "Burn")`.
static void call_around(const scan *s, char *out, size_t size)
{
    int depth = 0;
    const char *at = s->at;
    out[0] = 0;
    while (at > s->line_begin && depth >= 0) {
        at--;
        depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
    }
    const char *end = at;
    while (depth < 0 && at > s->line_begin && is_word(at[-1])) {
        at--;
    }
    if (depth < 0) {
        (void)snprintf(out, size, "%.*s", (int)(end - at), at);
    }
}

// The kind that a function takes names of, as far as its own name says.
static kn_def_kind kind_of_call(const char *call)
{
    static const struct {
        const char *part;
        kn_def_kind kind;
    } parts[] = {{"apply", KN_DEF_EFFECT}, {"effect", KN_DEF_EFFECT}, {"aim", KN_DEF_TARGETING},
        {"target", KN_DEF_TARGETING}, {"grant", KN_DEF_ABILITY}, {"activat", KN_DEF_ABILITY},
        {"abilit", KN_DEF_ABILITY}, {"timer", KN_DEF_TIMER}, {"anim", KN_DEF_ANIMATION},
        {"play", KN_DEF_ANIMATION}, {"archetype", KN_DEF_ARCHETYPE}, {"spawn", KN_DEF_ARCHETYPE},
        {"create", KN_DEF_ARCHETYPE}, {"task", KN_DEF_TASK}, {"curve", KN_DEF_CURVE},
        {"tag", KN_DEF_TAG}, {"cue", KN_DEF_TAG}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        if (strstr(call, parts[i].part) != NULL) {
            return parts[i].kind;
        }
    }
    return KN_DEF_KIND_COUNT;
}

// Names are unique only within a kind: the function decides, or what scripts name most.
static kn_def_kind kind_of_name(const docs *page, const char *name, const char *call)
{
    static const kn_def_kind likely[] = {KN_DEF_TAG, KN_DEF_ATTRIBUTE, KN_DEF_EFFECT,
        KN_DEF_ABILITY, KN_DEF_TARGETING, KN_DEF_TIMER, KN_DEF_ANIMATION, KN_DEF_TASK,
        KN_DEF_EVENT_KIND, KN_DEF_CONTAINER, KN_DEF_CURVE, KN_DEF_VALUE, KN_DEF_ARCHETYPE,
        KN_DEF_ABILITY_SET, KN_DEF_ATTRIBUTE_SET};
    kn_def_kind told = kind_of_call(call);
    if (told != KN_DEF_KIND_COUNT && kn_def_find(page->library, told, name) != 0) {
        return told;
    }
    for (size_t i = 0; i < sizeof(likely) / sizeof(*likely); i++) {
        if (kn_def_find(page->library, likely[i], name) != 0) {
            return likely[i];
        }
    }
    return KN_DEF_KIND_COUNT;
}

// Whether a name that is not known can only be a tag: it is below one that is known, or the line
// speaks of tags.
static bool is_stray_tag(const scan *s, const char *name)
{
    char root[NAME_MAX_LENGTH + 1], line[512];
    const char *dot = strchr(name, '.');
    if (dot == NULL || dot == name || strstr(name, "..") != NULL || name[strlen(name) - 1] == '.') {
        return false;
    }
    for (const char *at = name; *at != 0; at++) {
        if (!is_word(*at) && *at != '.' && *at != '-') {
            return false;
        }
    }
    (void)snprintf(root, sizeof(root), "%.*s", (int)(dot - name), name);
    (void)snprintf(line, sizeof(line), "%.*s", (int)strcspn(s->line_begin, "\n"), s->line_begin);
    return kn_def_find(s->page->library, KN_DEF_TAG, root) != 0 || strstr(line, "tag") != NULL ||
           strstr(line, "Tag") != NULL || strstr(line, "TAG") != NULL;
}

static void stray_add(const scan *s, const char *name)
{
    docs *page = s->page;
    for (uint32_t i = 0; i < page->stray_count; i++) {
        if (strcmp(text_of(&page->strays[i].name), name) == 0) {
            return;
        }
    }
    docs_stray stray = {.source1 = s->source1, .line = s->line};
    text_add(&stray.name, name);
    page->strays = cli_resize(page->strays, (page->stray_count + 1) * sizeof(*page->strays));
    page->strays[page->stray_count++] = stray;
}

static void name_found(scan *s, const char *name)
{
    docs *page = s->page;
    if (page->sources[s->source1 - 1].is_script && definition_begin(s, name)) {
        return;
    }
    char call[64];
    call_around(s, call, sizeof(call));
    kn_def_kind kind = kind_of_name(page, name, call);
    if (kind != KN_DEF_KIND_COUNT) {
        docs_use use = s->by;
        use.source1 = s->source1;
        use.line = s->line;
        (void)snprintf(use.function, sizeof(use.function), "%.31s", call);
        docs_use_add(page, &use, kind, kn_def_find(page->library, kind, name));
    } else if (is_stray_tag(s, name)) {
        stray_add(s, name);
    }
}

// From the quote to behind its end; strings of several lines are none that name something.
static void string_read(scan *s)
{
    char name[NAME_MAX_LENGTH + 1];
    char quote = *s->at;
    const char *begin = s->at + 1, *end = begin;
    while (*end != 0 && *end != '\n' && *end != quote) {
        end += *end == '\\' && end[1] != 0 && end[1] != '\n' ? 2 : 1;
    }
    size_t length = (size_t)(end - begin);
    if (*end == quote && length > 0 && length <= NAME_MAX_LENGTH) {
        (void)snprintf(name, sizeof(name), "%.*s", (int)length, begin);
        name_found(s, name);
    }
    s->at = *end == quote ? end + 1 : end;
}

// Goes on behind `mark`, or to the end.
static void skip_to(scan *s, const char *mark)
{
    while (*s->at != 0 && strncmp(s->at, mark, strlen(mark)) != 0) {
        if (*s->at == '\n') {
            s->line++;
            s->line_begin = s->at + 1;
        }
        s->at++;
    }
    s->at += *s->at != 0 && *mark != '\n' ? strlen(mark) : 0;
}

static bool begins(const scan *s, const char *mark)
{
    return strncmp(s->at, mark, strlen(mark)) == 0;
}

static void source_scan(docs *page, uint32_t source1)
{
    const docs_source *source = &page->sources[source1 - 1];
    const char *dot = strrchr(text_of(&source->name), '.');
    scan s = {.page = page, .source1 = source1, .at = text_of(&source->bytes), .line = 1};
    s.line_begin = s.at;
    s.is_lua = dot != NULL && strcmp(dot, ".lua") == 0;
    while (*s.at != 0) {
        if (s.is_lua && begins(&s, "--[[")) {
            skip_to(&s, "]]");
        } else if (s.is_lua ? begins(&s, "--") : begins(&s, "//")) {
            skip_to(&s, "\n");
        } else if (!s.is_lua && begins(&s, "/*")) {
            skip_to(&s, "*/");
        } else if (*s.at == '"' || (s.is_lua && *s.at == '\'')) {
            string_read(&s);
        } else if (*s.at == '\'' && s.at[1] != 0 && s.at[1] != '\n') {
            s.at += s.at[1] == '\\' ? 2 : 1; // a letter of C, which may be a quote
            s.at += *s.at != 0 && *s.at != '\n' ? 1 : 0;
        } else if (*s.at == '\n') {
            s.line++;
            s.line_begin = ++s.at;
            // A definition ends where a line begins with its bracket.
            s.by = *s.at == '}' ? (docs_use){0} : s.by;
        } else {
            s.at++;
        }
    }
}

void docs_find_in_code(docs *page)
{
    for (uint32_t i = 1; i <= page->source_count; i++) {
        source_scan(page, i);
    }
    docs_sort_uses(page);
}

const docs_body *docs_body_of(const docs *page, kn_def_kind kind, uint32_t index1)
{
    for (uint32_t i = 0; i < page->body_count; i++) {
        if (page->bodies[i].kind == kind && page->bodies[i].index1 == index1) {
            return &page->bodies[i];
        }
    }
    return NULL;
}

// Comments ------------------------------------------------------------------

// A file by its name; one that is not there yet is read, quietly.
static const docs_source *source_named(docs *page, const char *name)
{
    for (uint32_t i = 0; i < page->source_count; i++) {
        if (strcmp(text_of(&page->sources[i].name), name) == 0) {
            return &page->sources[i];
        }
    }
    FILE *file = fopen(name, "rb");
    text bytes = {0};
    char block[4096];
    size_t size;
    while (file != NULL && (size = fread(block, 1, sizeof(block), file)) > 0) {
        text_bytes(&bytes, block, size);
    }
    if (file != NULL) {
        (void)fclose(file);
    }
    docs_source_add(page, name, text_of(&bytes), bytes.length, false);
    text_free(&bytes);
    return &page->sources[page->source_count - 1];
}

// Line `number` of a text, 1 and on, or NULL.
static const char *line_at(const char *bytes, uint32_t number)
{
    while (bytes != NULL && number > 1) {
        bytes = strchr(bytes, '\n');
        bytes = bytes != NULL ? bytes + 1 : NULL;
        number--;
    }
    return number == 1 ? bytes : NULL;
}

// The words of a line that is a comment and nothing else, or NULL.
static const char *comment_line(const char *line, const char *mark)
{
    line += strspn(line, " \t");
    if (strncmp(line, mark, strlen(mark)) != 0) {
        return NULL;
    }
    line += strlen(mark);
    return line + strspn(line, " \t-#");
}

static void words_add(text *out, const char *words)
{
    size_t length = strcspn(words, "\r\n");
    while (length > 0 && words[length - 1] == ' ') {
        length--;
    }
    if (length > 0) {
        text_add(out, out->length > 0 ? " " : "");
        text_bytes(out, words, length);
    }
}

static void comment_above(const char *bytes, uint32_t line, const char *mark, text *out)
{
    const char *at;
    uint32_t first = line;
    while (first > 1 && (at = line_at(bytes, first - 1)) != NULL &&
           (at = comment_line(at, mark)) != NULL && strncmp(at, "SPDX", 4) != 0) {
        first--;
    }
    for (; first < line; first++) {
        words_add(out, comment_line(line_at(bytes, first), mark));
    }
}

// What a script says about itself before its first line of code.
static void comment_head(const char *bytes, text *out)
{
    const char *at, *words;
    for (uint32_t line = 1; (at = line_at(bytes, line)) != NULL; line++) {
        words = comment_line(at, "--");
        bool is_empty = at[strspn(at, " \t\r")] == '\n';
        if ((words == NULL && !is_empty) || (is_empty && out->length > 0)) {
            return;
        }
        if (words != NULL && strncmp(words, "SPDX", 4) != 0) {
            words_add(out, words);
        }
    }
}

// What stands behind a " #" in a line of YAML, outside of quotes.
static void comment_beside(const char *line, text *out)
{
    char quote = 0;
    for (const char *at = line; *at != 0 && *at != '\n'; at++) {
        if (quote != 0) {
            quote = *at == quote ? 0 : quote;
        } else if (*at == '"' || *at == '\'') {
            quote = *at;
        } else if (*at == '#' && at > line && (at[-1] == ' ' || at[-1] == '\t')) {
            words_add(out, at + 1 + strspn(at + 1, " #"));
            return;
        }
    }
}

static void comment_of_line(const docs_source *source, uint32_t line, text *out)
{
    const char *bytes = text_of(&source->bytes), *at = line_at(bytes, line);
    if (at != NULL) {
        comment_above(bytes, line, "#", out);
        comment_beside(at, out);
    }
}

// Attributes are lines within their set.
static uint32_t attribute_line(const docs_source *source, uint32_t line, const char *name)
{
    const char *dot = strrchr(name, '.');
    const char *at = line_at(text_of(&source->bytes), line);
    name = dot != NULL ? dot + 1 : name;
    size_t indent = at != NULL ? strspn(at, " ") : 0;
    while (at != NULL && (at = strchr(at, '\n')) != NULL) {
        at++;
        line++;
        size_t blanks = strspn(at, " ");
        const char *word = at + blanks;
        if (*word != '\n' && *word != '\r' && *word != '#' && blanks <= indent) {
            return 0;
        }
        if (strncmp(word, name, strlen(name)) == 0 && word[strlen(name)] == ':') {
            return line;
        }
    }
    return 0;
}

void docs_comment(docs *page, kn_def_kind kind, uint32_t index1, text *out)
{
    const char *file, *name = kn_def_name(page->library, kind, index1);
    uint32_t line, column;
    if (kind == KN_DEF_ATTRIBUTE) {
        kn_attribute_set_id set = kn_attribute_set_of(page->library, (kn_attribute_id){index1});
        const char *set_name = kn_def_name(page->library, KN_DEF_ATTRIBUTE_SET, set.index1);
        if (kn_data_where(page->data, KN_DEF_ATTRIBUTE_SET, set_name, &file, &line, &column)) {
            const docs_source *source = source_named(page, file);
            comment_of_line(source, attribute_line(source, line, name), out);
        }
        return;
    }
    if (kn_data_where(page->data, kind, name, &file, &line, &column)) {
        comment_of_line(source_named(page, file), line, out);
    }
    const docs_body *body = docs_body_of(page, kind, index1);
    if (out->length == 0 && body != NULL) {
        const char *bytes = text_of(&page->sources[body->source1 - 1].bytes);
        comment_above(bytes, body->line, "--", out);
        if (out->length == 0 && kind == KN_DEF_ABILITY) {
            comment_head(bytes, out);
        }
    }
}
