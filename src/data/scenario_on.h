// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenarios with machines: what the rest of a scenario knows of them.
#ifndef SCENARIO_ON_H
#define SCENARIO_ON_H

#include "scenario_expect.h"

// Reading, in scenario_machines.c; without a network all of it is refused.
// The section `machines`. Names are known, and nothing else. False if there are no machines where
// there should be some: the rest cannot be read.
bool kni_scenario_load_machines(kn_scenario *scenario, kni_node node);
// The action `network`.
bool kni_links_read(kn_scenario *scenario, kni_node node, kni_part *part);

// Whether something can be done, or looked at, where it says; in scenario_on.c. False with a
// message.
bool kni_on_check_action(kn_scenario *scenario, kni_node node, const kni_part *part);
bool kni_on_check_expectation(
    kn_scenario *scenario, kni_node node, const kni_part *part, bool is_lasting);
bool kni_on_check_pattern(kn_scenario *scenario, kni_node node, const kni_part *part);
// Whether the machine has begun to join.
bool kni_on_check_time(kn_scenario *scenario, const kni_part *part, kn_time time);

#endif
