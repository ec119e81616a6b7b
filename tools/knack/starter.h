// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The files of a new project: those in starter/, put into the program by embed.cmake.
#ifndef STARTER_H
#define STARTER_H

#include <stddef.h>
#include <stdint.h>

typedef struct starter_file {
    const char *path;
    const unsigned char *bytes; // zero-terminated
    size_t size;
} starter_file;

extern const starter_file starter_files[];
extern const uint32_t starter_file_count;

#endif
