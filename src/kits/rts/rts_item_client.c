// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "item_parts.h"
kn_result knc_rts_item_client_register(kn_library *library, item_kit *kit, kn_error *error)
{
    (void)library; (void)kit; (void)error;
    return KN_OK;
}
