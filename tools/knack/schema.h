// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What editors read to complete and check the files of a project.
#ifndef SCHEMA_H
#define SCHEMA_H

#include "text.h"

typedef enum schema_kind {
    SCHEMA_DATA,     // JSON Schema of data files
    SCHEMA_SCENARIO, // JSON Schema of scenarios
    SCHEMA_LUA,      // annotations for the Lua language server
} schema_kind;

// Appends the text. False with a message.
bool schema_print(const cli *call, schema_kind kind, text *out);

#endif
