// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "scene.h"

#include "scene_list.h"

#include <string.h>

const scene_info *const scene_list[] = {
    &scene_derived,
    &scene_duel,
    &scene_economy,
    &scene_hero_kit,
    &scene_stacks,
    &scene_storm,
    &scene_wolves,
};

const uint32_t scene_count = sizeof scene_list / sizeof scene_list[0];

const scene_info *scene_find(const char *name)
{
    for (uint32_t i = 0; i < scene_count; i++) {
        if (strcmp(scene_list[i]->name, name) == 0) {
            return scene_list[i];
        }
    }
    return NULL;
}

kn_result scene_create_library(
    const scene_info *scene, const kn_hooks *hooks, kn_library **library, kn_error *error)
{
    kn_library_def def = kn_library_def_default();
    if (hooks != NULL) {
        def.hooks = *hooks;
    }
    scene_builder builder = {0};
    builder.result = kn_library_create(&def, &builder.library);
    if (builder.result == KN_OK) {
        scene->declare(&builder);
    }
    if (builder.result == KN_OK) {
        builder.result = kn_library_finish(builder.library, &builder.error);
    }
    if (builder.result != KN_OK) {
        kn_library_destroy(builder.library);
        builder.library = NULL;
    }
    if (error != NULL) {
        *error = builder.error;
    }
    *library = builder.library;
    return builder.result;
}

// Scenes provoke errors on purpose, which the world also publishes as events.
static void say_nothing(void *user, const kn_log_entry *entry)
{
    (void)user;
    (void)entry;
}

kn_result scene_create_empty_world(
    const kn_library *library, const kn_hooks *hooks, kn_world **world)
{
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.seed = 2026;
    def.event_mask = UINT64_MAX;
    if (hooks != NULL) {
        def.hooks = *hooks;
    }
    if (def.hooks.log_fn == NULL) {
        def.hooks.log_fn = say_nothing;
    }
    return kn_world_create(&def, world);
}

kn_result scene_populate(const scene_info *scene, kn_world *world)
{
    scene_stage stage = {.world = world, .library = kn_world_library(world), .result = KN_OK};
    scene->populate(&stage);
    return stage.result;
}

kn_result scene_create_world(
    const scene_info *scene, const kn_library *library, const kn_hooks *hooks, kn_world **world)
{
    kn_result result = scene_create_empty_world(library, hooks, world);
    if (result != KN_OK) {
        return result;
    }
    result = scene_populate(scene, *world);
    if (result != KN_OK) {
        kn_world_destroy(*world);
        *world = NULL;
    }
    return result;
}

uint32_t scene_step_count(const scene_info *scene, uint32_t hertz)
{
    return scene->seconds * hertz;
}

kn_result scene_step(kn_world *world, uint32_t index, uint32_t hertz)
{
    kn_time start = KN_S(index) / hertz;
    kn_time end = KN_S((kn_time)index + 1) / hertz;
    return kn_world_step(world, end - start);
}

kn_result scene_run(const scene_info *scene, kn_world *world, uint32_t hertz)
{
    uint32_t count = scene_step_count(scene, hertz);
    for (uint32_t i = 0; i < count; i++) {
        kn_result result = scene_step(world, i, hertz);
        if (result != KN_OK) {
            return result;
        }
    }
    return KN_OK;
}
