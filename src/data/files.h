// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Files and folders of data: endings, existence, walking.
#ifndef KNI_FILES_H
#define KNI_FILES_H

#include "report.h"

typedef enum kni_ending {
    KNI_ENDING_UNKNOWN,
    KNI_ENDING_DOCUMENT, // .yaml .yml .json
    KNI_ENDING_TABLE,    // .csv
    KNI_ENDING_TAGS,     // .ini
    KNI_ENDING_SCRIPT,   // .lua
} kni_ending;

kni_ending kni_file_ending(const char *name);
bool kni_file_exists(const char *path);
bool kni_folder_exists(const char *path);

typedef void kni_file_fn(void *user, const char *path);

// Calls `visit` for every file with a known ending below a folder, sorted by path. Names that begin
// with a dot are passed over. A folder that cannot be read is an error of the report.
KN_MUST_USE kn_result kni_folder_walk(
    const kn_hooks *hooks, const char *path, kni_report *report, kni_file_fn *visit, void *user);

#endif
