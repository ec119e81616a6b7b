// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Every scene ends in a known state, on every compiler, optimisation level and processor. When a
// number changes on purpose, the commit that changes it says why.

#include "determinism.h"

#include <string.h>

#define HERTZ 60

typedef struct golden {
    const char *scene;
    uint64_t hash;
} golden;

static const golden goldens[] = {
    {"derived", UINT64_C(0x3aec6ad7d8965420)},
    {"duel", UINT64_C(0xa06cb2ce0aa2141d)},
    {"economy", UINT64_C(0x92d64f83711dbe76)},
    {"hero_kit", UINT64_C(0x5dbd8896445491c3)},
    {"stacks", UINT64_C(0xf37fa57898e4dcb6)},
    {"storm", UINT64_C(0x75a9c33760d6d76e)},
    {"wolves", UINT64_C(0x997283dc4fc3dbd3)},
};

static uint64_t golden_of(const char *scene)
{
    for (size_t i = 0; i < sizeof goldens / sizeof goldens[0]; i++) {
        if (strcmp(goldens[i].scene, scene) == 0) {
            return goldens[i].hash;
        }
    }
    return 0;
}

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *world = open_world(scene, library);
    expect_ok(scene->name, "run", scene_run(scene, world, HERTZ));
    uint64_t hash = kn_world_hash(world);
    kn_world_destroy(world);
    kn_library_destroy(library);
    if (hash == golden_of(scene->name)) {
        return true;
    }
    fprintf(stderr,
        "%s: ends in another state. If that is meant, golden.c needs\n"
        "    {\"%s\", UINT64_C(0x%016" PRIx64 ")},\n",
        scene->name, scene->name, hash);
    return false;
}

int main(void)
{
    bool passed = true;
    for (uint32_t i = 0; i < scene_count; i++) {
        passed = check(scene_list[i]) && passed;
    }
    return passed ? 0 : 1;
}
