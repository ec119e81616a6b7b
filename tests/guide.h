// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Examples of the guides in docs/, for tests that load and play them.
#ifndef KNACK_GUIDE_H
#define KNACK_GUIDE_H

#include "group.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// Reads the first block of a guide; its length.
static inline size_t guide_block(const char *path, char *text, size_t size)
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    char line[512];
    size_t length = 0;
    bool is_open = false;
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, "```", 3) == 0) {
            if (is_open) {
                break;
            }
            is_open = true;
        } else if (is_open) {
            length += (size_t)snprintf(text + length, size - length, "%s", line);
            assert_true(length < size);
        }
    }
    assert_int_equal(fclose(file), 0);
    return length;
}

#endif
