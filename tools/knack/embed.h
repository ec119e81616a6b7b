// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Files that embed.cmake puts into the program.
#ifndef EMBED_H
#define EMBED_H

#include <stddef.h>
#include <stdint.h>

typedef struct embedded_file {
    const char *path;
    const unsigned char *bytes; // zero-terminated
    size_t size;
} embedded_file;

// Those of a new project, in starter/.
extern const embedded_file starter_files[];
extern const uint32_t starter_file_count;

// What the pages of knack docs are made with, in page/.
extern const embedded_file page_files[];
extern const uint32_t page_file_count;

// share/knack/knack.lua alone.
extern const embedded_file share_files[];
extern const uint32_t share_file_count;

#endif
