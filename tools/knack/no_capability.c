// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What needs knack::capability, in a program without it.

#include "capability.h"

static cli_code capability_missing(const cli *call)
{
    cli_tell(call, "this program was built without knack::capability");
    return CLI_UNREADABLE;
}

cli_code capability_explain(const cli *call, stage *on)
{
    (void)on;
    return capability_missing(call);
}

cli_code capability_timeline(const cli *call, stage *on)
{
    (void)on;
    return capability_missing(call);
}

void capability_dump(text *to, const kn_world *world, kn_entity_id entity)
{
    (void)to;
    (void)world;
    (void)entity;
}
