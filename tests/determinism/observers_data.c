// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Observers change nothing in the hero kit of YAML and Lua, among whose hooks are scripts with a
// budget; see observers.h.

#include "observers.h"

#include "scenes/hero_kit.h"

#include "knack/data.h"
#include "knack/script.h"

static kn_result declare_minds(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    scene_builder builder = {.library = library};
    hero_kit_declare_minds(&builder);
    *error = builder.error;
    return builder.result;
}

static kn_library *data_library(kn_script_loader *loader)
{
    kn_data_def def = kn_data_def_default();
    def.prepare = declare_minds;
    def.scripts = kn_script_loader_scripts(loader);
    kn_data *data;
    expect_ok("hero_kit", "data", kn_data_create(&def, &data));
    expect_ok("hero_kit", "folder", kn_data_add_folder(data, KNACK_CONTENT "/hero-kit"));
    kn_library *library;
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; result != KN_OK && i < kn_data_message_count(data); i++) {
        char line[512];
        (void)kn_data_message_print(data, i, line, sizeof(line));
        fprintf(stderr, "%s\n", line);
    }
    expect_ok("hero_kit", "build", result);
    kn_data_destroy(data);
    return library;
}

int main(void)
{
    kn_script_loader *loader;
    expect_ok("hero_kit", "loader", kn_script_loader_create(NULL, &loader));
    kn_library *library = data_library(loader);
    bool passed = observers_check(scene_find("hero_kit"), library, true);
    kn_script_error error;
    if (kn_script_get_error(kn_script_loader_script(loader), 0, &error)) {
        fprintf(
            stderr, "%s:%u: %s: %s\n", error.chunk, error.line, error.definition, error.message);
        passed = false;
    }
    kn_library_destroy(library);
    kn_script_loader_destroy(loader);
    return passed ? 0 : 1;
}
