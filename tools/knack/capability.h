// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the capability kit has to say: why a capability is active or not, timelines, and trees for
// dumps. A program without the kit has none of it (no_capability.c).
#ifndef CAPABILITY_H
#define CAPABILITY_H

#include "stage.h"

// knack explain --capability and --timeline.
cli_code capability_explain(const cli *call, stage *on);
cli_code capability_timeline(const cli *call, stage *on);

// Adds the sets and capabilities of an entity, with a heading; nothing if it has none. Entities
// have their numbers in it.
void capability_dump(text *to, const kn_world *world, kn_entity_id entity);

#endif
