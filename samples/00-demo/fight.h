// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// The fight of the demo: what exists (demo_types), who fights (demo_fight), and what they do.
#ifndef DEMO_FIGHT_H
#define DEMO_FIGHT_H

#include "knack/knack.h"

enum { AYLA, GNOLL, TROLL, FIGHTER_COUNT };

enum {
    FIREBALL,
    BURN,
    CLAW,
    SMASH,
    BARRIER,
    WARD,
    VENOM,
    BLADE,
    WITHERED,
    HAMMER,
    STUN,
    TRANCE,
    REGENERATION,
    RALLY,
    EFFECT_COUNT,
};

/// Everything registered in the library.
typedef struct demo_types {
    kn_library *library;
    kn_tag fire, poison, stunned;
    kn_attribute_set_id vitals;
    kn_attribute_id max_health, health, shield, armour, haste, damage;
    kn_effect_type_id effects[EFFECT_COUNT];
} demo_types;

/// One world with its fighters.
typedef struct demo_fight {
    const demo_types *types;
    kn_world *world;
    kn_entity_id fighters[FIGHTER_COUNT];
} demo_fight;

/// Called for each blow before it falls, and with NULL after each step, when events can be read.
typedef void fight_teller(const demo_fight *fight, const char *blow);

extern const char *const fighter_names[FIGHTER_COUNT];

/// Prints the error and ends the program unless `result` is KN_OK.
void must(kn_result result, const kn_error *error);

/// Fills and finishes the library. `types` must outlive it: hooks point to it.
void fight_types_create(demo_types *types);
/// A world without fighters, such as for loading a save.
void fight_world_create(const demo_types *types, kn_world **world);
void fight_create(demo_fight *fight, const demo_types *types);
/// Plays the script from now until `end`. The teller may be NULL.
void fight_play(demo_fight *fight, kn_time end, fight_teller *tell);

/// Measures a few things and prints a table.
void bench_run(void);

#endif
