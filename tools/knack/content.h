// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Libraries from files, as several commands need them.
#ifndef CONTENT_H
#define CONTENT_H

#include "messages.h"
#include "scripts.h"

// The files of a library, and the library if they are good.
typedef struct content {
    kn_data *data;
    kn_library *library; // NULL if there are errors
    scripts *scripts;
    script_log log;
    // Set the next two before for the text of every script. May be NULL.
    script_seen_fn *script_seen;
    void *user;
    // Set it before for what is registered in front of the files; NULL: cli_prepare().
    kn_result (*prepare)(void *user, kn_library *library, kn_error *error);
} content;

// Reads files and folders; "-" is a YAML file from stdin. Looks for what is suspicious, but for the
// lints in `lints_off`; NULL: for nothing. CLI_GOOD; CLI_BAD when there are errors, which are
// messages of the data; CLI_UNREADABLE with a message. To be freed in any case.
cli_code content_read(
    const cli *call, const char *const *paths, uint32_t count, const char *lints_off, content *out);
// The same, and errors are printed on stderr.
cli_code content_load(const cli *call, const char *const *paths, uint32_t count, content *out);
void content_free(content *from);

#endif
