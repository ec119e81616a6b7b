// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Whether what is written of a library builds the same library.
#ifndef DATA_WRITTEN_H
#define DATA_WRITTEN_H

#include "data_fixture.h"
#include "data_natives.h"

// Text of a library, to be freed.
static inline char *written(const kn_library *library)
{
    size_t size;
    kn_result result = kn_data_write(library, NULL, 0, &size);
    assert_int_equal(result, KN_ERROR_BUFFER_TOO_SMALL);
    char *text = malloc(size + 1);
    assert_non_null(text);
    assert_int_equal(kn_data_write(library, text, size, &size), KN_OK);
    text[size] = 0;
    return text;
}

// The line of the first difference of two texts, in both.
static inline void print_difference(const char *what, const char *a, const char *b)
{
    size_t at = 0, line = 0;
    for (; a[at] != 0 && a[at] == b[at]; at++) {
        line = a[at] == '\n' ? at + 1 : line;
    }
    print_error("%s: written again, `%.*s` became `%.*s`\n", what, (int)strcspn(a + line, "\n"),
        a + line, (int)strcspn(b + line, "\n"), b + line);
}

// What goes wrong is printed, with `what`.
static inline bool round_trips(kn_library *library, const char *what)
{
    char *text = written(library);
    kn_data_def def = kn_data_def_default();
    def.prepare = natives_prepare;
    def.user = library;
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    assert_int_equal(natives_add(data, library), KN_OK);
    data_add(data, "written.yaml", text);
    kn_library *again;
    bool ok = kn_data_build(data, &again) == KN_OK;
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        if (kn_data_message_at(data, i).is_error) {
            print_error("%s: written.yaml:%u: %s\n", what, kn_data_message_at(data, i).line,
                kn_data_message_at(data, i).text);
        }
    }
    kn_data_destroy(data);
    char *text_again = ok ? written(again) : NULL;
    if (ok && strcmp(text, text_again) != 0) {
        print_difference(what, text, text_again);
        ok = false;
    }
    if (ok && kn_library_hash(library) != kn_library_hash(again)) {
        print_error("%s: same text, other hash\n", what);
        ok = false;
    }
    kn_library_destroy(again);
    free(text_again);
    free(text);
    return ok;
}

#endif
