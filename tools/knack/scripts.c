// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "scripts.h"

#include <stdlib.h>

#if KNACK_HAS_SCRIPTS

#include "knack/script.h"

struct scripts {
    kn_script_loader *loader;
};

scripts *scripts_open(kn_data_scripts *out)
{
    *out = (kn_data_scripts){0};
    scripts *opened = malloc(sizeof(*opened));
    if (opened != NULL && kn_script_loader_create(NULL, &opened->loader) == KN_OK) {
        *out = kn_script_loader_scripts(opened->loader);
        return opened;
    }
    free(opened);
    return NULL;
}

void scripts_close(scripts *from)
{
    if (from != NULL) {
        kn_script_loader_destroy(from->loader); // what was built keeps its script
        free(from);
    }
}

#else

scripts *scripts_open(kn_data_scripts *out)
{
    *out = (kn_data_scripts){0};
    return NULL;
}

void scripts_close(scripts *from)
{
    (void)from;
}

#endif

kn_result scripts_load_scenario(const char *path, kn_scenario **scenario)
{
    kn_scenario_def def = kn_scenario_def_default();
    scripts *opened = scripts_open(&def.scripts);
    kn_result result = kn_scenario_load_file(&def, path, scenario);
    scripts_close(opened);
    return result;
}
