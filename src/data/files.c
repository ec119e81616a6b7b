// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#define _POSIX_C_SOURCE 200809L

#include "files.h"

#include "buffer.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FOLDER_DEPTH_MAX 32
#define FOLDERS_MAX 10000
#define PATH_SIZE 4096

kni_ending kni_file_ending(const char *name)
{
    static const struct {
        const char *text;
        kni_ending ending;
    } endings[] = {{".yaml", KNI_ENDING_DOCUMENT}, {".yml", KNI_ENDING_DOCUMENT},
        {".json", KNI_ENDING_DOCUMENT}, {".csv", KNI_ENDING_TABLE}, {".ini", KNI_ENDING_TAGS},
        {".lua", KNI_ENDING_SCRIPT}};
    size_t length = strlen(name);
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++) {
        size_t size = strlen(endings[i].text);
        if (length > size && strcmp(name + length - size, endings[i].text) == 0) {
            return endings[i].ending;
        }
    }
    return KNI_ENDING_UNKNOWN;
}

static bool path_is(const char *path, bool folder)
{
    struct stat info;
    return stat(path, &info) == 0 && (S_ISDIR(info.st_mode) != 0) == folder;
}

bool kni_file_exists(const char *path)
{
    return path_is(path, false);
}

bool kni_folder_exists(const char *path)
{
    return path_is(path, true);
}

// Paths that were found, in one buffer; sorted by their offsets.
typedef struct file_list {
    kni_buffer text;
    uint32_t *offsets;
    uint32_t count, capacity;
    uint32_t folders; // that were read
} file_list;

static kn_result list_add(file_list *list, const char *path)
{
    uint32_t offset = kni_buffer_add_text(&list->text, path, strlen(path));
    if (offset == UINT32_MAX || !kn_memory_grow(&list->text.hooks, &list->offsets, &list->capacity,
                                    list->count + 1, sizeof(*list->offsets))) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    // Kept in order: folders are small, and the order of a folder is the file system's secret.
    uint32_t at = list->count++;
    while (at > 0 && strcmp(list->text.data + list->offsets[at - 1], path) > 0) {
        list->offsets[at] = list->offsets[at - 1];
        at--;
    }
    list->offsets[at] = offset;
    return KN_OK;
}

static void folder_error(kni_report *report, const char *path, const char *what)
{
    kni_place place = {.file = path};
    kni_report_add(report, KNI_SEVERITY_ERROR, &place, "%s", what);
}

// The folders that lead to one, to find links back.
typedef struct folder_chain {
    const struct folder_chain *above;
    struct stat info;
    uint32_t depth;
} folder_chain;

// NULL with a message if it cannot be read, or would never end.
static DIR *folder_open(file_list *list, const char *path, folder_chain *chain, kni_report *report)
{
    DIR *folder = opendir(path);
    if (folder == NULL || fstat(dirfd(folder), &chain->info) != 0) {
        folder_error(report, path, strerror(errno));
    } else if (chain->depth >= FOLDER_DEPTH_MAX || ++list->folders > FOLDERS_MAX) {
        folder_error(report, path, "folders are nested too deeply, or there are too many");
    } else {
        const folder_chain *at = chain->above;
        while (at != NULL &&
               (at->info.st_ino != chain->info.st_ino || at->info.st_dev != chain->info.st_dev)) {
            at = at->above;
        }
        if (at == NULL) {
            return folder;
        }
        folder_error(report, path, "this link leads back to a folder that contains it");
    }
    if (folder != NULL) {
        (void)closedir(folder);
    }
    return NULL;
}

static kn_result folder_collect(
    file_list *list, const char *path, const folder_chain *above, kni_report *report)
{
    folder_chain chain = {.above = above, .depth = above != NULL ? above->depth + 1 : 0};
    DIR *folder = folder_open(list, path, &chain, report);
    if (folder == NULL) {
        return KN_OK;
    }
    kn_result result = KN_OK;
    for (struct dirent *item; result == KN_OK && (item = readdir(folder)) != NULL;) {
        char name[PATH_SIZE];
        int length = snprintf(name, sizeof(name), "%s/%s", path, item->d_name);
        if (item->d_name[0] == '.' || strcmp(item->d_name, "scenarios") == 0) {
            continue;
        }
        if (length < 0 || (size_t)length >= sizeof(name)) {
            folder_error(report, path, "a path below this folder is too long");
        } else if (kni_folder_exists(name)) {
            result = folder_collect(list, name, &chain, report);
        } else if (kni_file_ending(name) != KNI_ENDING_UNKNOWN) {
            result = list_add(list, name);
        }
    }
    (void)closedir(folder);
    return result;
}

kn_result kni_folder_walk(
    const kn_hooks *hooks, const char *path, kni_report *report, kni_file_fn *visit, void *user)
{
    file_list list = {.text.hooks = *hooks};
    kn_result result = folder_collect(&list, path, NULL, report);
    for (uint32_t i = 0; result == KN_OK && i < list.count; i++) {
        visit(user, list.text.data + list.offsets[i]);
    }
    kn_memory_free(hooks, list.offsets, list.capacity * sizeof(*list.offsets));
    kni_buffer_free(&list.text);
    return result;
}
