// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scripts in files, if the program was built with knack::script.
#ifndef SCRIPTS_H
#define SCRIPTS_H

#include "text.h"

#include "knack/scenario.h"

typedef struct scripts scripts;

// An error of a script, as often as it happened.
typedef struct script_error {
    text file;
    uint32_t line; // 0 if unknown
    text words;    // "ability Meteor.land: ...", and the traceback on further lines
} script_error;

// What scripts reported since it was cleared: every error once. Outlives whatever runs the scripts.
typedef struct script_log {
    script_error *errors;
    uint32_t error_count;
    text *names; // of the scripts: messages have only the end of a long one
    uint32_t name_count;
    bool is_deaf;    // while files are read: what is wrong then is a message of the files
    bool has_prints; // print what scripts print, to stdout
} script_log;

// Forgets what was reported.
void script_log_clear(script_log *log);
void script_log_free(script_log *log);
// Forgets errors that the run expected; NULL is fine.
void script_log_forgive(script_log *log, const kn_scenario_run *run);
// Prints errors as messages, lines after the first indented.
void script_log_print(const cli *call, const script_log *log, const char *indent, FILE *out);
void script_log_json(json *out, const char *key, const script_log *log);

// Fills *out, with nothing if there are no scripts. To be kept until the files are built.
scripts *scripts_open(script_log *log, kn_data_scripts *out);
void scripts_close(scripts *from); // NULL is fine
// Calls `seen` with every script that is read. NULL is fine.
typedef void script_seen_fn(void *user, const char *name, const char *bytes, size_t size);
void scripts_watch(scripts *from, script_seen_fn *seen, void *user, kn_data_scripts *out);

// kn_scenario_load_file() with scripts, which write to the log when they run. "-" is stdin.
kn_result scripts_load_scenario(
    const cli *call, const char *path, script_log *log, kn_scenario **scenario);

#endif
