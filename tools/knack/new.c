// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack new: a folder with a small project that builds and runs.

#include "embed.h"
#include "schema.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define TOKEN "@PROJECT@"

// The last part of a path as a name for CMake: letters, digits, '_' and '-'.
static void project_name(const char *path, text *out)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    size_t begin = length;
    while (begin > 0 && path[begin - 1] != '/') {
        begin--;
    }
    for (size_t i = begin; i < length; i++) {
        char letter = path[i];
        bool is_good = isalnum((unsigned char)letter) != 0 || letter == '-' || letter == '_';
        text_bytes(out, is_good ? &letter : "_", 1);
    }
    // Targets that CMake keeps for itself.
    if (out->length == 0 || strcmp(text_of(out), "test") == 0 || strcmp(text_of(out), "all") == 0 ||
        strspn(text_of(out), "_-") == out->length) {
        text_free(out);
        text_add(out, "game");
    }
}

static bool folder_make(const cli *call, const char *path)
{
    if (mkdir(path, 0777) == 0) {
        return true;
    }
    cli_tell(call, "%s: %s", path, strerror(errno));
    return false;
}

// A new folder, or one with nothing in it.
static bool root_make(const cli *call, const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode)) {
        return folder_make(call, path);
    }
    DIR *opened = opendir(path);
    const struct dirent *entry;
    bool is_empty = opened != NULL;
    // The folder of git may be there already.
    while (is_empty && (entry = readdir(opened)) != NULL) {
        is_empty = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
                   strcmp(entry->d_name, ".git") == 0;
    }
    if (opened == NULL) {
        cli_tell(call, "%s: %s", path, strerror(errno));
    } else {
        (void)closedir(opened);
        if (!is_empty) {
            cli_tell(call, "%s is not empty; choose another folder", path);
        }
    }
    return is_empty;
}

// Makes the folders between `root` and the file.
static bool parents_make(const cli *call, const char *root, const char *file)
{
    for (const char *slash = strchr(file, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        text parent = {0};
        struct stat status;
        text_format(&parent, "%s/%.*s", root, (int)(slash - file), file);
        bool good = stat(text_of(&parent), &status) == 0 || folder_make(call, text_of(&parent));
        text_free(&parent);
        if (!good) {
            return false;
        }
    }
    return true;
}

// Writes one file of the project and says so.
static bool project_write(
    const cli *call, const char *root, const char *file, const text *content, json *out)
{
    text path = {0};
    text_format(&path, "%s/%s", root, file);
    bool good = parents_make(call, root, file) &&
                file_write(call, text_of(&path), content->data, content->length);
    if (good && out != NULL) {
        json_text(out, NULL, text_of(&path));
    } else if (good) {
        (void)printf("%s\n", text_of(&path));
    }
    text_free(&path);
    return good;
}

static bool starter_write(
    const cli *call, const char *root, const char *name, const embedded_file *file, json *out)
{
    text content = {0};
    const char *at = (const char *)file->bytes, *token;
    while ((token = strstr(at, TOKEN)) != NULL) {
        text_bytes(&content, at, (size_t)(token - at));
        text_add(&content, name);
        at = token + strlen(TOKEN);
    }
    text_add(&content, at);
    bool good = project_write(call, root, file->path, &content, out);
    text_free(&content);
    return good;
}

// The schemas that the files refer editors to. Hidden, so that `knack check .` does not read them
// as content.
static bool schemas_write(const cli *call, const char *root, json *out)
{
    static const struct {
        const char *path;
        schema_kind kind;
    } files[] = {
        {".knack/knack.lua", SCHEMA_LUA},
        {".knack/knack.schema.json", SCHEMA_DATA},
        {".knack/scenario.schema.json", SCHEMA_SCENARIO},
    };
    bool good = true;
    for (size_t i = 0; good && i < sizeof(files) / sizeof(*files); i++) {
        text content = {0};
        good = schema_print(call, files[i].kind, &content) &&
               project_write(call, root, files[i].path, &content, out);
        text_free(&content);
    }
    return good;
}

cli_code new_main(const cli *call)
{
    const char *root = call->arguments[0];
    text name = {0};
    bool good = root_make(call, root);               // nothing is ever written over
    char *full = good ? realpath(root, NULL) : NULL; // "." has a name, too
    project_name(cli_text_of(call, "name", full != NULL ? full : root), &name);
    free(full);
    json out = {0};
    bool is_json = cli_has(call, "json");
    json_begin(&out, NULL, '{');
    json_text(&out, "name", text_of(&name));
    json_begin(&out, "files", '[');
    for (uint32_t i = 0; good && i < starter_file_count; i++) {
        good = starter_write(call, root, text_of(&name), &starter_files[i], is_json ? &out : NULL);
    }
    good = good && schemas_write(call, root, is_json ? &out : NULL);
    json_end(&out, ']');
    json_end(&out, '}');
    if (good && is_json) {
        json_print(&out);
    }
    text_free(&out.out);
    text_free(&name);
    return good ? CLI_GOOD : CLI_UNREADABLE;
}
