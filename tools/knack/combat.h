// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What the combat kit has to say: where hits went, why procs did not act, and meters. A program
// without the kit has none of it (no_combat.c).
#ifndef COMBAT_H
#define COMBAT_H

#include "stage.h"

// What the kit logs about hits and procs while a run goes on, in its order.
typedef struct combat_notes {
    text *lines;
    uint32_t count, capacity;
    uint32_t next; // the first that was not asked for yet
} combat_notes;

// Makes a run write to the notes; combat_notes_listen() once it is created.
void combat_notes_begin(combat_notes *notes, kn_scenario_run_def *def);
void combat_notes_listen(const kn_scenario_run *run);
// Where an event went, if it is a hit: "80  asked for; 160  Critical: x 2". NULL if it is not. To
// be called once for each event of a step, in their order. Valid until the run goes on.
const char *combat_notes_of(combat_notes *notes, const kn_world *world, const kn_event *event);
void combat_notes_free(combat_notes *notes);

// knack explain --hits and --proc.
cli_code combat_explain_hits(const cli *call, stage *on);
cli_code combat_explain_proc(const cli *call, stage *on);

// One meter of knack sim, such as "done:mage:Firebolt".
typedef struct combat_meter {
    uint32_t what; // row of a table
    text entity, ability;
} combat_meter;

// Reads a meter that all scenarios can have. CLI_USAGE with a message.
cli_code combat_meter_parse(
    const cli *call, const stage *stages, const char *words, combat_meter *out);
void combat_meter_free(combat_meter *from);

// What counts the hits of one run after the other, for one thread.
typedef struct combat_counter combat_counter;
combat_counter *combat_counter_create(void);
void combat_counter_destroy(combat_counter *counter);
void combat_counter_begin(combat_counter *counter, kn_scenario_run_def *def);
float combat_counter_read(
    combat_counter *counter, const kn_scenario_run *run, const combat_meter *meter);

#endif
