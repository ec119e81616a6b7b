// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The length of a step does not show in the result: every scene ends in the same state at every
// rate, and even in steps of a whole second.

#include "determinism.h"

static const uint32_t rates[] = {60, 30, 144, 1};

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *reference = NULL;
    bool passed = true;
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i += SHARE(3)) {
        kn_world *world = open_world(scene, library);
        expect_ok(scene->name, "run", scene_run(scene, world, rates[i]));
        if (reference == NULL) {
            reference = world;
            continue;
        }
        char when[64];
        (void)snprintf(
            when, sizeof when, "%" PRIu32 " Hz against %" PRIu32 ", last", rates[0], rates[i]);
        passed =
            expect_same(scene, when, scene_step_count(scene, rates[i]), reference, world) && passed;
        kn_world_destroy(world);
    }
    kn_world_destroy(reference);
    kn_library_destroy(library);
    return passed;
}

int main(void)
{
    bool passed = true;
    for (uint32_t i = 0; i < all_scenes_count(); i++) {
        passed = check(all_scenes_at(i)) && passed;
    }
    return passed ? 0 : 1;
}
