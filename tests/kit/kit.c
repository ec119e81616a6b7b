// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kit as a whole: what a program registers.

#include "parts.h"

#include <stdlib.h>

static const char key; // only its address counts

const kit *kit_of(const kn_library *library)
{
    return kn_library_data(library, &key);
}

static void kit_release(void *user)
{
    kit *ids = user;
    cast_part_release(ids);
    free(ids);
}

kn_result kit_register(kn_library *library, kn_error *error)
{
    kit *ids = calloc(1, sizeof(*ids));
    if (ids == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_library_set_data(library, &key, ids, kit_release);
    if (result != KN_OK) {
        free(ids);
        return result;
    }
    kn_result (*const parts[])(kn_library *, kit *, kn_error *) = {
        cast_part_register,
        global_part_register,
        behaviour_part_register,
        order_part_register,
    };
    for (size_t i = 0; result == KN_OK && i < sizeof(parts) / sizeof(*parts); i++) {
        result = parts[i](library, ids, error);
    }
    return result;
}

kn_result kit_prepare(void *user, kn_library *library, kn_error *error)
{
    (void)user;
    return kit_register(library, error);
}
