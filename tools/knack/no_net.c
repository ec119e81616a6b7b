// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The commands that need knack::net and knack::udp, in a program without them.

#include "cli.h"

static cli_code net_missing(const cli *call)
{
    cli_tell(call, "this program was built without knack::net and knack::udp");
    return CLI_UNREADABLE;
}

cli_code bots_main(const cli *call)
{
    return net_missing(call);
}

cli_code serve_main(const cli *call)
{
    return net_missing(call);
}
