// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Rules in Lua for the libraries that the program reads. Only built where knack::script is.

#include "content.h"

#include "knack/script.h"

void *scripts_create(kn_data_scripts *out)
{
    kn_script_loader *loader;
    if (kn_script_loader_create(NULL, &loader) != KN_OK) {
        return NULL;
    }
    *out = kn_script_loader_scripts(loader);
    return loader;
}

void scripts_destroy(void *scripts)
{
    kn_script_loader_destroy(scripts);
}
