// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The parts of loading a scenario. Each reports its mistakes and goes on.
#ifndef SCENARIO_LOAD_H
#define SCENARIO_LOAD_H

#include "scenario_tables.h"

// In scenario_library.c.
void kni_scenario_load_library(kn_scenario *scenario, kni_node root);
// Notes a file or folder that the scenario is made of.
void kni_scenario_load_source(kn_scenario *scenario, const char *path);

// Sections, in scenario_sections.c. A node that does not exist is left out.
void kni_scenario_load_world(kn_scenario *scenario, kni_node node);
void kni_scenario_load_checks(kn_scenario *scenario, kni_node node);
// Names are known before anything is read, so that an early expectation may speak of what a later
// action brings.
void kni_scenario_load_names(kn_scenario *scenario, kni_node root);
void kni_scenario_load_entities(kn_scenario *scenario, kni_node node);
void kni_scenario_load_variants(kn_scenario *scenario, kni_node node);
void kni_scenario_load_measures(kn_scenario *scenario, kni_node node);
void kni_scenario_load_hash(kn_scenario *scenario, kni_node node);
// Values of them.
bool kni_scenario_load_is_list(kn_scenario *scenario, kni_node node);
bool kni_scenario_load_time(kn_scenario *scenario, kni_node node, kn_time *time);

// In scenario_timeline.c.
bool kni_scenario_load_place_check(kn_scenario *scenario, kni_node node, const kni_part *part);
void kni_scenario_load_expectations(kn_scenario *scenario, kni_node node, kni_parts *parts);
void kni_scenario_load_sequence(
    kn_scenario *scenario, kni_node node, bool of_cues, kni_parts *parts);
void kni_scenario_load_timeline(kn_scenario *scenario, kni_node node);
// Notes an action for a time.
void kni_scenario_load_item(kn_scenario *scenario, kn_time time, uint32_t action);
void kni_scenario_load_end(kn_scenario *scenario, kni_node node);
// Steps must be countable.
void kni_scenario_load_steps_check(
    kn_scenario *scenario, kni_node node, int64_t parts, int64_t divisor);

#endif
