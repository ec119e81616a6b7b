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
    {"derived", UINT64_C(0xea1f7eb83f96e653)},
    {"duel", UINT64_C(0xf945aa92a036aa5c)},
    {"economy", UINT64_C(0x344ea73bce05c34c)},
    {"hero_kit", UINT64_C(0xe2f61dbfa05d7fbf)},
    {"stacks", UINT64_C(0xdd075d4fed263321)},
    {"storm", UINT64_C(0x0930836f937bfd37)},
    {"wolves", UINT64_C(0x08ca6005eb558c54)},
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
