// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The sync test: before every step a snapshot is taken; after it the snapshot is restored and the
// step made again. Both must give the same state, and nothing of the first may be left.

#include "determinism.h"

#define HERTZ 30

static void take(const scene_info *scene, const kn_world *world, buffer *block, size_t *written)
{
    buffer_reserve(block, kn_snapshot_size(world));
    expect_ok(scene->name, "take", kn_snapshot_take(world, block->data, block->size, written));
}

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *world = open_world(scene, library);
    kn_world *witness = open_world(scene, library); // goes straight on
    buffer block = {0};
    bool passed = true;
    uint32_t count = scene_step_count(scene, HERTZ) / SHARE(3);
    for (uint32_t i = 0; i < count && passed; i++) {
        size_t written;
        uint64_t before = kn_world_hash(world);
        take(scene, world, &block, &written);
        expect_ok(scene->name, "step", scene_step(world, i, HERTZ));
        uint64_t first = kn_world_hash(world);
        expect_ok(scene->name, "restore", kn_snapshot_restore(world, block.data, written));
        if (kn_world_hash(world) != before) {
            fprintf(stderr, "%s: step %" PRIu32 ": restored to another state\n", scene->name, i);
            passed = false;
        }
        expect_ok(scene->name, "step again", scene_step(world, i, HERTZ));
        expect_ok(scene->name, "step", scene_step(witness, i, HERTZ));
        if (kn_world_hash(world) != first) {
            fprintf(
                stderr, "%s: step %" PRIu32 ": made again it ends differently\n", scene->name, i);
            passed = false;
        }
        passed = expect_same(scene, "restored against straight,", i, witness, world) && passed;
    }
    passed = passed && kn_world_validate(world);
    free(block.data);
    kn_world_destroy(witness);
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
