// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The combat kit in content: a library of YAML with hooks in Lua, and what the hooks print.
#ifndef COMBAT_CONTENT_H
#define COMBAT_CONTENT_H

#include "combat_test.h"

#include <knack/data.h>
#include <knack/script.h>

static char printed[2048];

static inline void log_line(void *user, const kn_log_entry *entry)
{
    (void)user;
    size_t length = strlen(printed);
    (void)snprintf(printed + length, sizeof(printed) - length, "%s;", entry->message);
}

static inline kn_result prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kn_combat_register(library, error);
}

static inline kn_data *data_of(kn_script_loader *loader, const char *script, const char *yaml)
{
    kn_data_def def = kn_data_def_default();
    def.prepare = prepare;
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    expect_ok(kn_data_create(&def, &data));
    expect_ok(kn_data_add_text(data, "hooks.lua", script, strlen(script)));
    expect_ok(kn_data_add_text(data, "t.yaml", yaml, strlen(yaml)));
    return data;
}

static inline kn_script_loader *loader_create(void)
{
    kn_script_def def = kn_script_def_default();
    kn_script_loader *loader;
    def.hooks.log_fn = log_line;
    expect_ok(kn_script_loader_create(&def, &loader));
    return loader;
}

static inline kn_library *library_of(kn_data *data)
{
    kn_library *library;
    if (kn_data_build(data, &library) != KN_OK) {
        char line[512];
        for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
            (void)kn_data_message_print(data, i, line, sizeof(line));
            print_error("%s\n", line);
        }
        fail();
    }
    return library;
}

#endif
