// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack schema, and knack write: texts the data module writes.

#include "content.h"

#include <stdlib.h>

// All texts alike; `library` is NULL for the schemas.
typedef kn_result text_fn(const kn_library *library, char *out, size_t size, size_t *written);

static kn_result data_schema(const kn_library *library, char *out, size_t size, size_t *written)
{
    (void)library;
    return kn_data_write_schema(out, size, written);
}

static kn_result scenario_schema(const kn_library *library, char *out, size_t size, size_t *written)
{
    (void)library;
    return kn_scenario_write_schema(out, size, written);
}

static cli_code write_out(const cli *call, text_fn *write, const kn_library *library)
{
    size_t size = 0;
    kn_result result = write(library, NULL, 0, &size);
    char *bytes = cli_resize(NULL, size + 1);
    if (result == KN_ERROR_BUFFER_TOO_SMALL) {
        result = write(library, bytes, size + 1, &size);
    }
    bool good = result == KN_OK;
    if (!good) {
        cli_tell(call, "it cannot be written: %s", kn_result_name(result));
    } else {
        good = file_write(call, cli_text_of(call, "output", "-"), bytes, size);
    }
    free(bytes);
    return good ? CLI_GOOD : CLI_UNREADABLE;
}

cli_code schema_main(const cli *call)
{
    return write_out(call, cli_has(call, "scenario") ? scenario_schema : data_schema, NULL);
}

cli_code write_main(const cli *call)
{
    content written = {0};
    cli_code code = content_load(call, call->arguments, call->argument_count, &written);
    if (code == CLI_GOOD) {
        code = write_out(
            call, cli_has(call, "json") ? kn_data_write_json : kn_data_write, written.library);
    }
    content_free(&written);
    return code;
}
