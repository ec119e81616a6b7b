// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The table of commands. Help, the manual page, completion and docs/cli.md are made from it.

#include "cli.h"

#define MANY UINT32_MAX
#define OPTIONS(table) (table), sizeof(table) / sizeof(*(table))
#define OPTION_JSON                                                                                \
    {                                                                                              \
        "json", 0, CLI_FLAG, NULL, "print the result as JSON", 0, 0                                \
    }

const cli_option cli_common[] = {
    {"color", 0, CLI_WORD, "auto|always|never",
        "when to use colours; auto: on a terminal, unless NO_COLOR is set", 0, 0},
    {"help", 'h', CLI_FLAG, NULL, "print this help", 0, 0},
};
const uint32_t cli_common_count = sizeof(cli_common) / sizeof(*cli_common);

static const cli_option check_options[] = {
    {"strict", 's', CLI_FLAG, NULL, "warnings are problems, too", 0, 0},
    {"quiet", 'q', CLI_FLAG, NULL, "only tell what is wrong", 0, 0},
    OPTION_JSON,
};

static const cli_option schema_options[] = {
    {"output", 'o', CLI_FILE, "FILE", "write to a file instead of stdout", 0, 0},
};

static const cli_option write_options[] = {
    {"output", 'o', CLI_FILE, "FILE", "write to a file instead of stdout", 0, 0},
};

const cli_command cli_commands[] = {
    {"check", "PATH...", 1, MANY, "find mistakes in data files",
        "Reads data files and folders as one library and tells every mistake with file, line, "
        "column and remedy, and what is legal but suspicious.",
        "knack check content\nknack check --strict --json content/hero.yaml content/shared",
        OPTIONS(check_options), check_main},
    {"schema", "", 0, 0, "print the JSON Schema of data files",
        "Editors that know it complete keys and show what they mean.",
        "knack schema -o knack.schema.json", OPTIONS(schema_options), schema_main},
    {"write", "PATH...", 1, MANY, "print a library as one canonical file",
        "Reads data files and folders as one library and writes everything in it as one YAML "
        "document that builds the same library again, functions aside.",
        "knack write content > library.yaml", OPTIONS(write_options), write_main},
};
const uint32_t cli_command_count = sizeof(cli_commands) / sizeof(*cli_commands);
