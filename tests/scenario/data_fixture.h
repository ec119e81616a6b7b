// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A library from texts, or the messages a text gives.
#ifndef DATA_FIXTURE_H
#define DATA_FIXTURE_H

#include "group.h"

#include "knack/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline kn_data *data_create(void)
{
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    assert_int_equal(kn_data_create(&def, &data), KN_OK);
    return data;
}

static inline void data_add(kn_data *data, const char *name, const char *text)
{
    assert_int_equal(kn_data_add_text(data, name, text, strlen(text)), KN_OK);
}

// The library of what was added; fails with the messages.
static inline kn_library *data_build(kn_data *data)
{
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    if (result != KN_OK) {
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            char line[512];
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail_msg("%s", kn_result_name(result));
    }
    return library;
}

static inline kn_library *library_of(const char *text)
{
    kn_data *data = data_create();
    data_add(data, "test.yaml", text);
    kn_library *library = data_build(data);
    kn_data_destroy(data);
    return library;
}

// All messages of a text, one line each, without the name of the file.
static inline void messages_of(const char *text, char *out, size_t size)
{
    kn_data *data = data_create();
    data_add(data, "t.yaml", text);
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    size_t length = 0;
    out[0] = 0;
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        int added = snprintf(out + length, size - length, "%s\n",
            strncmp(line, "t.yaml:", 7) == 0 ? line + 7 : line);
        length += added > 0 && (size_t)added < size - length ? (size_t)added : 0;
    }
    assert_int_equal(result == KN_OK, library != NULL);
    kn_library_destroy(library);
    kn_data_destroy(data);
}

#define EXPECT_MESSAGES(text, expected)                                                            \
    do {                                                                                           \
        char messages_[8192];                                                                      \
        messages_of(text, messages_, sizeof(messages_));                                           \
        assert_string_equal(messages_, expected);                                                  \
    } while (0)

#endif
