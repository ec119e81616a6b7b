// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The kit for data files. A file of its own: programs without knack::data leave it out.

#include "parts.h"

#include <knack/data.h>

kn_result kit_add_natives(kn_data *data)
{
    kn_ability_def def = cast_ability_def();
    return kn_data_add_native(data, KN_DEF_ABILITY, "cast", &def);
}
