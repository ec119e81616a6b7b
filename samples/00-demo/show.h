// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

/// Puts a fight on the terminal: a timeline of its events and bars of health.
#ifndef DEMO_SHOW_H
#define DEMO_SHOW_H

#include "fight.h"

/// Finds out whether colours make sense.
void show_init(void);
void show_title(const char *title);
/// A fight_teller: prints blows, and what came of them.
void show_fight(const demo_fight *fight, const char *blow);
void show_bars(const demo_fight *fight);

#endif
