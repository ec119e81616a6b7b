// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A save has the same bytes on every machine, and a world that is loaded from it goes on as if
// nothing had happened. So what one machine wrote, another can read. When a number changes on
// purpose, the commit that changes it says why.

#include "determinism.h"

#include <string.h>

#define HERTZ 30

typedef struct saved {
    const char *scene;
    uint64_t hash; // of the bytes, halfway through the scene
} saved;

static const saved saves[] = {
    {"combat", UINT64_C(0x6e8f2a698455f6fb)},
    {"capability", UINT64_C(0xcc365e19aa5101ca)},
    {"order", UINT64_C(0xe10875903d1d2ab3)},
    {"march", UINT64_C(0xa9ebfa81983b701b)},
    {"produce", UINT64_C(0x8b465704061ab8b3)},
    {"rts", UINT64_C(0x467195a6e5fe6f0e)},
    {"derived", UINT64_C(0xdb28445d47ccea3c)},
    {"duel", UINT64_C(0x94b5822f1df1c7e0)},
    {"economy", UINT64_C(0x8855419331f5a443)},
    {"hero_kit", UINT64_C(0x5a08fd968f3a3326)},
    {"kit", UINT64_C(0xd52462dd2bb8b53f)},
    {"stacks", UINT64_C(0x8f08a2f541a26f07)},
    {"storm", UINT64_C(0xb8e7875a35019e11)},
    {"wolves", UINT64_C(0x9b720dca52058e0b)},
};

static uint64_t saved_of(const char *scene)
{
    for (size_t i = 0; i < sizeof saves / sizeof saves[0]; i++) {
        if (strcmp(saves[i].scene, scene) == 0) {
            return saves[i].hash;
        }
    }
    return 0;
}

// FNV-1a.
static uint64_t bytes_hash(const uint8_t *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void run(const scene_info *scene, kn_world *world, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i++) {
        expect_ok(scene->name, "step", scene_step(world, i, HERTZ));
    }
}

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *world = open_world(scene, library);
    kn_world *other = open_world(scene, library);
    uint32_t count = scene_step_count(scene, HERTZ), half = count / 2;
    run(scene, world, 0, half);

    buffer block = {0};
    size_t size;
    expect_ok(scene->name, "size", kn_save_write(world, NULL, 0, &size));
    buffer_reserve(&block, size);
    expect_ok(scene->name, "save", kn_save_write(world, block.data, block.size, &size));
    uint64_t hash = bytes_hash(block.data, size);
    bool passed = hash == saved_of(scene->name);
    if (!passed) {
        fprintf(stderr,
            "%s: the save has other bytes. If that is meant, saves.c needs\n"
            "    {\"%s\", UINT64_C(0x%016" PRIx64 ")},\n",
            scene->name, scene->name, hash);
    }

    expect_ok(scene->name, "load", kn_save_read(other, block.data, size, NULL));
    passed = expect_same(scene, "loaded at", half, world, other) && passed;
    run(scene, world, half, count);
    run(scene, other, half, count);
    passed = expect_same(scene, "loaded and played to", count, world, other) && passed;

    free(block.data);
    kn_world_destroy(other);
    kn_world_destroy(world);
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
