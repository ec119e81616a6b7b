// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every hook makes every call: see hook_play.h.

#include "hook_play.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)hooks_play(data, size);
    return 0;
}
