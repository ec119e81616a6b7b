// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What needs knack::order, in a program without it.

#include "order.h"

static cli_code order_missing(const cli *call)
{
    cli_tell(call, "this program was built without knack::order");
    return CLI_UNREADABLE;
}

cli_code order_explain(const cli *call, stage *on)
{
    (void)on;
    return order_missing(call);
}

cli_code order_explain_autos(const cli *call, stage *on)
{
    (void)on;
    return order_missing(call);
}

cli_code order_explain_tree(const cli *call, stage *on)
{
    (void)on;
    return order_missing(call);
}

void order_dump(text *to, const kn_world *world, kn_entity_id entity)
{
    (void)to;
    (void)world;
    (void)entity;
}

void order_picture(text *to, const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    (void)to;
    (void)library;
    (void)kind;
    (void)index1;
}
