// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the determinism tests share. They are plain programs: a failure is a line on stderr and
// exit code 1.
#ifndef KNACK_DETERMINISM_H
#define KNACK_DETERMINISM_H

#include "share.h"

#include "scenes/scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

// The scenes of kits, which come after those of the list.
extern const scene_info scene_kit, scene_combat, scene_capability, scene_order, scene_march,
    scene_produce, scene_rts;
static const scene_info *const kit_scenes[] = {
    &scene_kit,
#ifdef DETERMINISM_COMBAT
    &scene_combat,
#endif
#ifdef DETERMINISM_CAPABILITY
    &scene_capability,
#endif
#ifdef DETERMINISM_ORDER
    &scene_order,
    &scene_march,
    &scene_produce,
#endif
#ifdef DETERMINISM_RTS
    &scene_rts,
#endif
};

static inline uint32_t all_scenes_count(void)
{
    return scene_count + (uint32_t)(sizeof(kit_scenes) / sizeof(*kit_scenes));
}

static inline const scene_info *all_scenes_at(uint32_t index)
{
    return index < scene_count ? scene_list[index] : kit_scenes[index - scene_count];
}

static inline void expect_ok(const char *scene, const char *what, kn_result result)
{
    if (result != KN_OK) {
        fprintf(stderr, "%s: %s: %s\n", scene, what, kn_result_name(result));
        exit(1);
    }
}

static inline kn_library *open_library(const scene_info *scene)
{
    kn_library *library;
    kn_error error = {0};
    if (scene_create_library(scene, NULL, &library, &error) != KN_OK) {
        fprintf(stderr, "%s: %s\n", scene->name, error.message);
        exit(1);
    }
    return library;
}

static inline kn_world *open_world(const scene_info *scene, const kn_library *library)
{
    kn_world *world;
    expect_ok(scene->name, "world", scene_create_world(scene, library, NULL, &world));
    return world;
}

// A block that is as large as it must be; grows, never shrinks.
typedef struct buffer {
    void *data;
    size_t size;
} buffer;

static inline void buffer_reserve(buffer *block, size_t size)
{
    if (size > block->size) {
        free(block->data);
        block->data = malloc(size);
        block->size = size;
        if (block->data == NULL) {
            fprintf(stderr, "out of memory\n");
            exit(1);
        }
    }
}

// Two worlds that must be the same: says where they are not.
static inline bool expect_same(const scene_info *scene, const char *when, uint32_t step,
    const kn_world *expected, const kn_world *found)
{
    if (kn_world_hash(expected) == kn_world_hash(found)) {
        return true;
    }
    char text[512] = "";
    (void)kn_world_difference(expected, found, text, sizeof text);
    fprintf(stderr, "%s: %s step %" PRIu32 ": %s\n", scene->name, when, step, text);
    return false;
}

#endif
