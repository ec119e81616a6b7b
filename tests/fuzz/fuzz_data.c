// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A data file of a designer, or of an attacker. The first byte picks the ending of its name. What
// builds a library is written, builds the same library again, and is written as the same text.

#include "../scenario/data_natives.h"

#ifdef FUZZ_DATA_ORDER
#include "knack/order.h"
#endif

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_data: %s\n", what);
        abort();
    }
}

static void any_function(void)
{
}

// Functions called `any` for every kind.
static void add_any(kn_data *data)
{
    void (*function)(void) = any_function;
    for (uint32_t kind = 0; kind < KN_DEF_KIND_COUNT; kind++) {
        const kn_def_table *table = kn_def_table_of((kn_def_kind)kind);
        if (table == NULL) {
            continue;
        }
        uint8_t *def = calloc(1, table->size);
        must(def != NULL, "no memory");
        kn_def_init(table, def);
        for (uint32_t i = 0; i < table->field_count; i++) {
            if (table->fields[i].kind == KN_DEF_FIELD_POINTER) {
                memcpy(def + table->fields[i].offset, &function, sizeof(function));
            }
        }
        must(kn_data_add_native(data, (kn_def_kind)kind, "any", def) == KN_OK, "no native");
        free(def);
    }
}

// NULL for a file with mistakes, which have been reported.
static kn_library *build(const char *name, const char *text, size_t size, const kn_library *like)
{
    kn_data_def def = kn_data_def_default();
#ifdef FUZZ_DATA_ORDER
    static const kn_kit kits[] = {{"order", kn_order_register}};
    def.kits = kits;
    def.kit_count = sizeof(kits) / sizeof(*kits);
#endif
    if (like != NULL) {
        def.prepare = natives_prepare;
        memcpy(&def.user, &like, sizeof(like));
    }
    kn_data *data;
    must(kn_data_create(&def, &data) == KN_OK, "no data");
    if (like != NULL) {
        must(natives_add(data, like) == KN_OK, "no natives");
    } else {
        add_any(data);
    }
    must(kn_data_add_text(data, name, text, size) == KN_OK, "no text");
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    must((result == KN_OK) == (library != NULL), "a result without its library");
    must((result == KN_OK) == (kn_data_error_count(data) == 0), "a failure without an error");
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[600];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        must(strlen(kn_data_message_at(data, i).text) > 0, "an empty message");
        if (like != NULL && kn_data_message_at(data, i).is_error) {
            fprintf(stderr, "%s\n%s\n", line, text);
        }
    }
    kn_data_destroy(data);
    return library;
}

static char *written(const kn_library *library, size_t *size)
{
    must(kn_data_write(library, NULL, 0, size) == KN_ERROR_BUFFER_TOO_SMALL, "no size");
    char *text = malloc(*size + 1);
    must(text != NULL, "no memory");
    must(kn_data_write(library, text, *size, size) == KN_OK, "it cannot be written");
    text[*size] = 0;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const names[] = {
        "fuzz.yaml", "fuzz.yaml", "fuzz.yaml", "fuzz.json", "fuzz.csv", "fuzz.ini"};
    if (size == 0) {
        return 0;
    }
    const char *name = names[bytes[0] % (sizeof(names) / sizeof(*names))];
    kn_library *library = build(name, (const char *)bytes + 1, size - 1, NULL);
    if (library == NULL) {
        return 0;
    }
    size_t length, length_again;
    char *text = written(library, &length);
    kn_library *again = build("written.yaml", text, length, library);
    must(again != NULL, "what was written cannot be read");
    char *text_again = written(again, &length_again);
    if (length != length_again || memcmp(text, text_again, length) != 0) {
        fprintf(stderr, "%s\n-- again --\n%s\n", text, text_again);
        must(false, "written again, it is another text");
    }
    must(kn_library_hash(library) == kn_library_hash(again), "another library");
    kn_library_destroy(library);
    kn_library_destroy(again);
    free(text);
    free(text_again);
    return 0;
}
