// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Observers change nothing in any scene; see observers.h.

#include "observers.h"

int main(void)
{
    bool passed = true;
    for (uint32_t i = 0; i < scene_count; i++) {
        kn_library *library = open_library(scene_list[i]);
        passed = observers_check(scene_list[i], library, false) && passed;
        kn_library_destroy(library);
    }
    return passed ? 0 : 1;
}
