// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Everything of knack::net in one include.
#ifndef KNACK_NET_H
#define KNACK_NET_H

#include "knack/link.h"
#include "knack/net_sim.h"
#include "knack/rollback.h"
#include "knack/session.h"

#endif
