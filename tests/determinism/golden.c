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
    {"derived", UINT64_C(0x262c5977cd7bc180)},
    {"duel", UINT64_C(0xc8e57e1ea0ef78d6)},
    {"economy", UINT64_C(0xd7bf1fdb6fb61a64)},
    {"hero_kit", UINT64_C(0xb9f8b477aa160506)},
    {"stacks", UINT64_C(0x54d64fe4262441a3)},
    {"storm", UINT64_C(0x2d8028059a9922d7)},
    {"wolves", UINT64_C(0x19a6020bdcb2e336)},
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
