// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Observers change nothing in any scene; see observers.h.

#include "observers.h"

int main(void)
{
    bool passed = true;
    for (uint32_t i = 0; i < all_scenes_count(); i++) {
        kn_library *library = open_library(all_scenes_at(i));
        passed = observers_check(all_scenes_at(i), library, false) && passed;
        kn_library_destroy(library);
    }
    return passed ? 0 : 1;
}
