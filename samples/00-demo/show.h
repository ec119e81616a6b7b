// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Puts a fight on the terminal: a timeline of its events, and bars of health, mana and stamina.
#ifndef DEMO_SHOW_H
#define DEMO_SHOW_H

#include "fight.h"

/// Finds out whether the terminal has colours.
void show_init(void);
void show_title(const char *title);
/// A fight_teller: prints what happened, and bars every two seconds.
void show_fight(const demo_fight *fight);
void show_bars(const demo_fight *fight);
/// What a fighter is doing: of kn_entity_dump() its tags, cooldowns, and abilities that are not
/// just ready.
void show_state(const demo_fight *fight, uint32_t fighter);

#endif
