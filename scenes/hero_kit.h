// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The hero kit: what the scene, the benchmark and the demo share of it.
#ifndef KNACK_SCENE_HERO_KIT_H
#define KNACK_SCENE_HERO_KIT_H

#include "scene_tools.h"

enum {
    HERO_INPUT_CONFIRM = 1,
    HERO_INPUT_CANCEL,
    HERO_INPUT_FIRE,
    HERO_INPUT_AIM,
    HERO_INPUT_DASH,
    HERO_INPUT_METEOR,
    HERO_INPUT_SPRINT,
    HERO_INPUT_JUMP,
};

// Two sides, distinguished by the lowest bit of an entity's user data.
typedef enum hero_side { HERO_SIDE_LEFT, HERO_SIDE_RIGHT } hero_side;

// Registers what lets heroes and minions act by themselves, and their places: all that a library
// needs which has the kit from elsewhere, under the same names.
void hero_kit_declare_minds(scene_builder *builder);
// A hero with all abilities; it acts on its own if `thinks`.
kn_entity_id hero_kit_add_hero(scene_stage *stage, hero_side side, kn_vec3 position, bool thinks);
// A minion: red ones regenerate faster, blue ones start with more health.
kn_entity_id hero_kit_add_minion(
    scene_stage *stage, hero_side side, kn_vec3 position, bool is_red, bool thinks);

#endif
