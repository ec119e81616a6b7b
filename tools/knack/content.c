// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "content.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// False with a message.
static bool path_add(const cli *call, kn_data *data, const char *path)
{
    struct stat status;
    if (strcmp(path, "-") == 0) {
        const text *bytes = stdin_read(call);
        return bytes != NULL &&
               kn_data_add_text(data, STDIN_NAME, text_of(bytes), bytes->length) == KN_OK;
    }
    if (stat(path, &status) != 0 || access(path, R_OK) != 0) {
        cli_tell(call, "%s: %s", path, strerror(errno));
        return false;
    }
    kn_result result =
        S_ISDIR(status.st_mode) ? kn_data_add_folder(data, path) : kn_data_add_file(data, path);
    if (result == KN_ERROR_BAD_DATA) {
        cli_tell(call,
            "%s: not a data file: its name must end in .yaml, .yml, .json, .csv, .ini or .lua",
            path);
    } else if (result != KN_OK) {
        cli_tell(call, "%s: %s", path, kn_result_name(result));
    }
    return result == KN_OK;
}

cli_code content_read(
    const cli *call, const char *const *paths, uint32_t count, const char *lints_off, content *out)
{
    *out = (content){.log = {.is_deaf = true},
        .script_seen = out->script_seen,
        .user = out->user,
        .prepare = out->prepare};
    kn_data_def def = kn_data_def_default();
    def.warn = lints_off != NULL;
    def.lints_off = lints_off;
    def.message_limit = 1000;
    def.prepare = out->prepare != NULL ? out->prepare : cli_prepare;
    def.kits = cli_kits(&def.kit_count);
    out->scripts = scripts_open(&out->log, &def.scripts);
    scripts_watch(out->scripts, out->script_seen, out->user, &def.scripts);
    if (kn_data_create(&def, &out->data) != KN_OK) {
        cli_tell(call, "out of memory");
        return CLI_UNREADABLE;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!path_add(call, out->data, paths[i])) {
            return CLI_UNREADABLE;
        }
    }
    kn_result result = kn_data_build(out->data, &out->library);
    if (result == KN_ERROR_OUT_OF_MEMORY) {
        cli_tell(call, "out of memory");
        return CLI_UNREADABLE;
    }
    return result == KN_OK ? CLI_GOOD : CLI_BAD;
}

cli_code content_load(const cli *call, const char *const *paths, uint32_t count, content *out)
{
    cli_code code = content_read(call, paths, count, NULL, out);
    for (uint32_t i = 0; code == CLI_BAD && i < kn_data_message_count(out->data); i++) {
        kn_data_message message = kn_data_message_at(out->data, i);
        message_tell(call, &message);
    }
    return code;
}

void content_free(content *from)
{
    kn_library_destroy(from->library);
    kn_data_destroy(from->data);
    scripts_close(from->scripts);
    script_log_free(&from->log);
    *from = (content){0};
}
