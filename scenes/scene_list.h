// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The scenes, for the list.
#ifndef KNACK_SCENE_LIST_H
#define KNACK_SCENE_LIST_H

#include "scene.h"

extern const scene_info scene_derived;
extern const scene_info scene_duel;
extern const scene_info scene_economy;
extern const scene_info scene_hero_kit;
extern const scene_info scene_stacks;
extern const scene_info scene_storm;
extern const scene_info scene_wolves;

#endif
