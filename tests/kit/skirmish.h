// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A situation in which everything of the kit takes part, without files: units that take orders,
// cast, interrupt and block each other, come and go. It needs no input, so that it ends in the same
// state whatever the length of the steps.
#ifndef SKIRMISH_H
#define SKIRMISH_H

#include "kit.h"

// Registers the kit and everything else.
KN_MUST_USE kn_result skirmish_declare(kn_library *library, kn_error *error);
// Creates the units.
KN_MUST_USE kn_result skirmish_populate(kn_world *world);

#endif
