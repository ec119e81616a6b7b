// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The skirmish of the kit (tests/kit) as a scene.

#include "determinism.h"

#include "kit/skirmish.h"

static void kit_declare(scene_builder *builder)
{
    if (builder->result == KN_OK) {
        builder->result = skirmish_declare(builder->library, &builder->error);
    }
}

static void kit_populate(scene_stage *stage)
{
    if (stage->result == KN_OK) {
        stage->result = skirmish_populate(stage->world);
    }
}

const scene_info scene_kit = {
    .name = "kit",
    .summary = "units with casts, behaviours and orders of a kit on public headers",
    .declare = kit_declare,
    .populate = kit_populate,
    .seconds = 20,
};
