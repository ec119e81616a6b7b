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
    {"derived", UINT64_C(0x42a510e287e5011c)},
    {"duel", UINT64_C(0x402fe2db554a7c79)},
    {"economy", UINT64_C(0x1027af569aeb393d)},
    {"hero_kit", UINT64_C(0x0726c6e39999616e)},
    {"stacks", UINT64_C(0xf3a11c2c1421f936)},
    {"storm", UINT64_C(0x3cc547ff00633829)},
    {"wolves", UINT64_C(0xec5f2474503ce1b8)},
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
