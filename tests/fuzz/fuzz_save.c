// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Damaged saves. The first byte picks a scene, the second how far it has come; the rest are edits
// of its save. Most of the time the checksum is mended afterwards. A save that is refused leaves
// the world as it was; one that is accepted gives a valid world that goes on and saves the same
// again.

#include "fuzz_edit.h"
#include "scenes/scene.h"

#include <stdio.h>

#define MOMENTS 3
#define EDITS_MAX 32
#define HEADER_SIZE 24 // mark, version, length, checksum

static void must(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "fuzz_save: %s\n", what);
        abort();
    }
}

// What is made once for each scene.
typedef struct subject {
    kn_library *library;
    fuzz_block saves[MOMENTS];
} subject;

static fuzz_block write_save(const kn_world *world)
{
    fuzz_block save = {0};
    must(kn_save_write(world, NULL, 0, &save.size) == KN_OK, "no size");
    save.data = malloc(save.size);
    must(save.data != NULL, "no memory");
    must(kn_save_write(world, save.data, save.size, &save.size) == KN_OK, "no save");
    return save;
}

static kn_world *new_world(const kn_library *library)
{
    kn_world *world;
    must(scene_create_empty_world(library, NULL, &world) == KN_OK, "no world");
    return world;
}

static const subject *subject_of(uint32_t index)
{
    static subject subjects[16];
    subject *found = &subjects[index];
    if (found->library == NULL) {
        kn_error error = {0};
        const scene_info *scene = scene_list[index];
        if (scene_create_library(scene, NULL, &found->library, &error) != KN_OK) {
            must(false, error.message);
        }
        kn_world *world = new_world(found->library);
        for (uint32_t i = 0; i < MOMENTS; i++) {
            found->saves[i] = write_save(world); // the first one of an empty world
            must(i > 0 || scene_populate(scene, world) == KN_OK, "no actors");
            must(kn_world_step(world, KN_MS(700)) == KN_OK, "no step");
        }
        kn_world_destroy(world);
    }
    return found;
}

static void check_accepted(const kn_library *library, kn_world *world)
{
    must(kn_world_validate(world), "an accepted save gives a world that is not valid");
    fuzz_block again = write_save(world);
    kn_world *copy = new_world(library);
    kn_error error = {0};
    if (kn_save_read(copy, again.data, again.size, &error) != KN_OK) {
        must(false, error.message);
    }
    must(kn_world_hash(copy) == kn_world_hash(world), "saved again it is another world");
    kn_world_destroy(copy);
    free(again.data);
    must(kn_world_step(world, KN_US(100)) == KN_OK, "the loaded world does not step");
    must(kn_world_validate(world), "the loaded world is not valid after a step");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input input = {data, size};
    const subject *scene = subject_of(take_below(&input, scene_count));
    uint32_t choice = take_u8(&input);
    const fuzz_block *good = &scene->saves[choice % MOMENTS];
    size_t room = good->size * 2;
    fuzz_block save = {malloc(room), good->size};
    must(save.data != NULL, "no memory");
    memcpy(save.data, good->data, good->size);
    for (uint32_t i = 0; i < EDITS_MAX && input.size > 0; i++) {
        fuzz_edit(&save, room, &input);
    }
    if (choice < 240 && save.size >= HEADER_SIZE) {
        store_u64(save.data + 8, save.size);
        store_u64(save.data + 16, checksum(0, save.data + HEADER_SIZE, save.size - HEADER_SIZE));
    }

    // A block of its own size, so that reading behind the end is noticed.
    uint8_t *exact = malloc(save.size > 0 ? save.size : 1);
    must(exact != NULL, "no memory");
    memcpy(exact, save.data, save.size);
    kn_world *world = new_world(scene->library);
    uint64_t before = kn_world_hash(world);
    kn_error error;
    if (kn_save_read(world, exact, save.size, &error) == KN_OK) {
        check_accepted(scene->library, world);
    } else {
        must(kn_world_hash(world) == before, "a refused save changed the world");
    }
    kn_world_destroy(world);
    free(exact);
    free(save.data);
    return 0;
}
