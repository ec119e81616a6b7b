// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack schema, and knack write: texts the data module writes.

#include "schema.h"

#include "content.h"
#include "embed.h"

#include <stdlib.h>

// All texts alike.
typedef kn_result text_fn(const kn_library *library, char *out, size_t size, size_t *written);

static bool library_print(const cli *call, text_fn *print, const kn_library *library, text *out)
{
    size_t size = 0;
    kn_result result = print(library, NULL, 0, &size);
    char *bytes = cli_resize(NULL, size + 1);
    if (result == KN_ERROR_BUFFER_TOO_SMALL) {
        result = print(library, bytes, size + 1, &size);
    }
    if (result == KN_OK) {
        text_bytes(out, bytes, size);
    } else {
        cli_tell(call, "it cannot be written: %s", kn_result_name(result));
    }
    free(bytes);
    return result == KN_OK;
}

bool schema_print(const cli *call, schema_kind kind, text *out)
{
    if (kind == SCHEMA_LUA) {
        text_bytes(out, (const char *)share_files[0].bytes, share_files[0].size);
        return true;
    }
    kn_library_def def = kn_library_def_default();
    kn_library *library = NULL;
    kn_error error = {.code = kn_library_create(&def, &library)};
    if (error.code == KN_OK) {
        error.code = cli_prepare(NULL, library, &error);
    }
    uint32_t kit_count;
    const kn_kit *kits = cli_kits(&kit_count);
    for (uint32_t i = 0; i < kit_count && error.code == KN_OK; i++) {
        error.code = kn_kit_register(library, &kits[i], &error);
    }
    bool good = error.code == KN_OK;
    if (!good) {
        cli_tell(call, "the kinds of the program cannot be registered: %s", error.message);
    }
    good = good && library_print(call,
                       kind == SCHEMA_SCENARIO ? kn_scenario_write_library_schema
                                               : kn_data_write_library_schema,
                       library, out);
    kn_library_destroy(library);
    return good;
}

static cli_code output_write(const cli *call, bool is_good, text *out)
{
    bool good =
        is_good && file_write(call, cli_text_of(call, "output", "-"), out->data, out->length);
    text_free(out);
    return good ? CLI_GOOD : CLI_UNREADABLE;
}

cli_code schema_main(const cli *call)
{
    schema_kind kind = cli_has(call, "lua")        ? SCHEMA_LUA
                       : cli_has(call, "scenario") ? SCHEMA_SCENARIO
                                                   : SCHEMA_DATA;
    text out = {0};
    bool good = schema_print(call, kind, &out);
    return output_write(call, good, &out);
}

cli_code write_main(const cli *call)
{
    content written = {0};
    cli_code code = content_load(call, call->arguments, call->argument_count, &written);
    if (code == CLI_GOOD) {
        text out = {0};
        bool good = library_print(call, cli_has(call, "json") ? kn_data_write_json : kn_data_write,
            written.library, &out);
        code = output_write(call, good, &out);
    }
    content_free(&written);
    return code;
}
