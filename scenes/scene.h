// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Situations shared by tests, benchmarks and samples. A scene declares its own library and puts
// its actors into a world; from then on everything happens without input: what a script would do is
// done by rule timers, and every choice is drawn from the world's random streams. So a scene ends
// in the same state whatever the length of the steps.
#ifndef KNACK_SCENE_H
#define KNACK_SCENE_H

#include "knack/knack.h"

// Registers types. After the first failure every further registration does nothing.
typedef struct scene_builder {
    kn_library *library;
    kn_result result;
    kn_error error;
} scene_builder;

// Puts actors into a world. After the first failure every further call does nothing.
typedef struct scene_stage {
    kn_world *world;
    const kn_library *library;
    kn_result result;
} scene_stage;

typedef struct scene_info {
    const char *name;
    const char *summary;
    void (*declare)(scene_builder *builder);
    void (*populate)(scene_stage *stage);
    uint32_t seconds; // of simulated time
} scene_info;

// All scenes, in alphabetical order.
extern const scene_info *const scene_list[];
extern const uint32_t scene_count;
// NULL when there is none of this name.
const scene_info *scene_find(const char *name);

// A finished library of the scene's types; NULL hooks for the C library's memory.
KN_MUST_USE kn_result scene_create_library(
    const scene_info *scene, const kn_hooks *hooks, kn_library **library, kn_error *error);
// A world of that library with all its actors.
KN_MUST_USE kn_result scene_create_world(
    const scene_info *scene, const kn_library *library, const kn_hooks *hooks, kn_world **world);
// The two halves of scene_create_world().
KN_MUST_USE kn_result scene_create_empty_world(
    const kn_library *library, const kn_hooks *hooks, kn_world **world);
KN_MUST_USE kn_result scene_populate(const scene_info *scene, kn_world *world);

// Steps of a whole scene, and one of them. Step `index` ends at (index + 1) / hertz seconds,
// rounded down to microseconds, so that every rate ends at the same moment.
uint32_t scene_step_count(const scene_info *scene, uint32_t hertz);
KN_MUST_USE kn_result scene_step(kn_world *world, uint32_t index, uint32_t hertz);
KN_MUST_USE kn_result scene_run(const scene_info *scene, kn_world *world, uint32_t hertz);

#endif
