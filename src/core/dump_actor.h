// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#ifndef KNI_DUMP_ACTOR_H
#define KNI_DUMP_ACTOR_H

#include "actor.h"
#include "text.h"

void kni_dump_actor(kni_text *text, const kn_world *world, uint32_t component);

#endif
