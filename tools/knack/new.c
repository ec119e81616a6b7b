// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack new: a folder with a small project that builds and runs.

#include "embed.h"
#include "text.h"

#include <ctype.h>
#include <errno.h>
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

// Makes the folders between `root` and the file.
static bool parents_make(const cli *call, const char *root, const char *file)
{
    for (const char *slash = strchr(file, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        text folder = {0};
        struct stat status;
        text_format(&folder, "%s/%.*s", root, (int)(slash - file), file);
        bool good = stat(text_of(&folder), &status) == 0 || folder_make(call, text_of(&folder));
        text_free(&folder);
        if (!good) {
            return false;
        }
    }
    return true;
}

static bool starter_write(
    const cli *call, const char *root, const char *name, const embedded_file *file)
{
    text path = {0}, content = {0};
    const char *at = (const char *)file->bytes, *token;
    while ((token = strstr(at, TOKEN)) != NULL) {
        text_bytes(&content, at, (size_t)(token - at));
        text_add(&content, name);
        at = token + strlen(TOKEN);
    }
    text_add(&content, at);
    text_format(&path, "%s/%s", root, file->path);
    bool good = parents_make(call, root, file->path) &&
                file_write(call, text_of(&path), content.data, content.length);
    if (good) {
        (void)printf("%s\n", text_of(&path));
    }
    text_free(&path);
    text_free(&content);
    return good;
}

cli_code new_main(const cli *call)
{
    const char *root = call->arguments[0];
    text name = {0};
    project_name(cli_text_of(call, "name", root), &name);
    bool good = folder_make(call, root); // nothing is ever written over
    for (uint32_t i = 0; good && i < starter_file_count; i++) {
        good = starter_write(call, root, text_of(&name), &starter_files[i]);
    }
    text_free(&name);
    return good ? CLI_GOOD : CLI_UNREADABLE;
}
