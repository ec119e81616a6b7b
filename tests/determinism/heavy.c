// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Heavy mode: every few steps the world is saved and loaded into a new one, which takes its place
// at the next save. The world that never saw a save is the witness: after every step both must be
// the same, and a loaded world must save to the same bytes.

#include "determinism.h"

#include <string.h>

#define HERTZ 30
#define STEPS_BETWEEN 7

static void save(const scene_info *scene, const kn_world *world, buffer *block, size_t *written)
{
    size_t size = 0;
    expect_ok(scene->name, "ask", kn_save_write(world, NULL, 0, &size));
    buffer_reserve(block, size);
    expect_ok(scene->name, "save", kn_save_write(world, block->data, block->size, written));
}

// A new world from the state of `world`.
static kn_world *reload(
    const scene_info *scene, const kn_library *library, const kn_world *world, uint32_t step)
{
    buffer block = {0}, again = {0};
    size_t written = 0, written_again = 0;
    save(scene, world, &block, &written);
    kn_world *loaded;
    expect_ok(scene->name, "world", scene_create_empty_world(library, NULL, &loaded));
    kn_error error = {0};
    if (kn_save_read(loaded, block.data, written, &error) != KN_OK) {
        fprintf(stderr, "%s: step %" PRIu32 ": %s\n", scene->name, step, error.message);
        exit(1);
    }
    save(scene, loaded, &again, &written_again);
    if (written != written_again || memcmp(block.data, again.data, written) != 0) {
        fprintf(stderr, "%s: step %" PRIu32 ": a loaded world saves to other bytes\n", scene->name,
            step);
        exit(1);
    }
    free(block.data);
    free(again.data);
    return loaded;
}

static bool check(const scene_info *scene)
{
    kn_library *library = open_library(scene);
    kn_world *witness = open_world(scene, library);
    kn_world *world = open_world(scene, library);
    bool passed = true;
    uint32_t count = scene_step_count(scene, HERTZ) / SHARE(2);
    for (uint32_t i = 0; i < count && passed; i++) {
        if (i % STEPS_BETWEEN == 0) {
            kn_world *loaded = reload(scene, library, world, i);
            kn_world_destroy(world);
            world = loaded;
            passed = expect_same(scene, "after loading before", i, witness, world);
        }
        expect_ok(scene->name, "step", scene_step(witness, i, HERTZ));
        expect_ok(scene->name, "step", scene_step(world, i, HERTZ));
        passed = expect_same(scene, "loaded against straight,", i, witness, world) && passed;
    }
    passed = passed && kn_world_validate(world);
    kn_world_destroy(world);
    kn_world_destroy(witness);
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
