// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack schema, and knack write: texts the data module writes.

#include "content.h"

#include <stdlib.h>

// kn_data_write() and kn_data_write_schema() alike; `library` is NULL for the schema.
static kn_result library_text(
    const cli *call, const kn_library *library, char *out, size_t size, size_t *written)
{
    if (library == NULL) {
        return kn_data_write_schema(out, size, written);
    }
    return cli_has(call, "json") ? kn_data_write_json(library, out, size, written)
                                 : kn_data_write(library, out, size, written);
}

static cli_code write_out(const cli *call, const kn_library *library)
{
    size_t size = 0;
    kn_result result = library_text(call, library, NULL, 0, &size);
    char *bytes = cli_resize(NULL, size + 1);
    if (result == KN_ERROR_BUFFER_TOO_SMALL) {
        result = library_text(call, library, bytes, size + 1, &size);
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
    return write_out(call, NULL);
}

cli_code write_main(const cli *call)
{
    content written = {0};
    cli_code code = content_load(call, call->arguments, call->argument_count, &written);
    if (code == CLI_GOOD) {
        code = write_out(call, written.library);
    }
    content_free(&written);
    return code;
}
