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
    {"combat", UINT64_C(0x4192c9f8a40cc375)},
    {"capability", UINT64_C(0x4103046a89903950)},
    {"order", UINT64_C(0xb2bad556ed7348d0)},
    {"march", UINT64_C(0x159a187aea6caeb2)},
    {"produce", UINT64_C(0x1da47363fd45869a)},
    {"rts", UINT64_C(0x53fdec29295920cd)},
    {"derived", UINT64_C(0xc1ec9aef95e8b9a7)},
    {"duel", UINT64_C(0xce64c4a5e5848b2c)},
    {"economy", UINT64_C(0x50c7328dbeec0d83)},
    {"hero_kit", UINT64_C(0x7cfd3330048653aa)},
    {"kit", UINT64_C(0x0fdb654125eaa933)},
    {"stacks", UINT64_C(0xc1c41bf246c49a17)},
    {"storm", UINT64_C(0xc2778f1b6a7624ad)},
    {"wolves", UINT64_C(0x3655f053a9c423ca)},
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
    for (uint32_t i = 0; i < all_scenes_count(); i++) {
        passed = check(all_scenes_at(i)) && passed;
    }
    return passed ? 0 : 1;
}
