// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The fight of the demo: two heroes of the hero kit (scenes/hero_kit.h) with scripted inputs, and
/// two minions that act by themselves.
#ifndef DEMO_FIGHT_H
#define DEMO_FIGHT_H

#include "knack/knack.h"

enum { AYLA, KORG, IMP, GNOLL, FIGHTER_COUNT };

/// One world with its fighters.
typedef struct demo_fight {
    const kn_library *library;
    kn_world *world;
    kn_entity_id fighters[FIGHTER_COUNT];
} demo_fight;

/// Called after each step, when its events can be read.
typedef void fight_teller(const demo_fight *fight);

extern const char *const fighter_names[FIGHTER_COUNT];

/// Prints the error and ends the program unless `result` is KN_OK.
void must(kn_result result, const kn_error *error);

/// A library with the types of the hero kit.
kn_library *fight_library_create(void);
/// A world without fighters, such as for loading a save.
kn_world *fight_world_create(const kn_library *library);
void fight_create(demo_fight *fight, const kn_library *library);
/// Plays the script from now until `end`. The teller may be NULL.
void fight_play(demo_fight *fight, kn_time end, fight_teller *tell);

/// The ability of a fighter that is bound to an input; null if there is none.
kn_ability_id fight_ability(const demo_fight *fight, uint32_t fighter, uint32_t input);
/// The current value of an attribute of the set "Hero".
float fight_value(const demo_fight *fight, uint32_t fighter, const char *attribute);

/// Measures a few things and prints a table.
void bench_run(void);

#endif
