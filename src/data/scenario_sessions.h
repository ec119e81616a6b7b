// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// A run with machines: the world of the run is the server's, and each client has one of its own.
// Without a network scenario_no_net.c stands in for all of this.
#ifndef SCENARIO_SESSIONS_H
#define SCENARIO_SESSIONS_H

#include "scenario_run.h"

// The server, for the world of the run, before anything is in it. Without machines nothing.
kn_result kni_sessions_create(kn_scenario_run *run);
// Must come before the world is destroyed.
void kni_sessions_destroy(kn_scenario_run *run);
// Lets those join who are there from the beginning.
kn_result kni_sessions_begin(kn_scenario_run *run);
// Each machine makes its turn at the present time.
kn_result kni_sessions_turn(kn_scenario_run *run);
// When the server makes its next tick.
kn_time kni_sessions_next_tick(const kn_scenario_run *run);
// Whether what a part looks at needs a tick first: a command waits, or events to be published.
bool kni_sessions_wait(const kn_scenario_run *run, const kni_part *part);
// Carries out an action on a client, or about machines.
kn_result kni_sessions_act(kn_scenario_run *run, const kni_part *part);
// Gives an entity to a client, now or when it joins; 0 for nobody.
kn_result kni_sessions_control(kn_scenario_run *run, kn_entity_id entity, uint32_t machine);
// The number of the connection of a client; 0 if there is none.
uint32_t kni_sessions_connection(const kn_scenario_run *run, uint32_t machine);
kn_result kni_sessions_set_mode(kn_scenario_run *run, kn_entity_id entity, uint32_t mode);
// Whether an expectation about a client holds. Comparisons with the server are made later.
bool kni_sessions_holds(kn_scenario_run *run, const kni_part *part, kni_differences *out);
bool kni_sessions_has_world(const kn_scenario_run *run, uint32_t machine);
// Whether something is left that the server has yet to answer or to come to.
bool kni_sessions_are_open(const kn_scenario_run *run);
// Reports what is left open at the end.
void kni_sessions_end(kn_scenario_run *run);
kn_world *kni_sessions_world(const kn_scenario_run *run, uint32_t machine);

#endif
