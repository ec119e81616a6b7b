// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What needs knack::combat, in a program without it.

#include "combat.h"

static cli_code combat_missing(const cli *call)
{
    cli_tell(call, "this program was built without knack::combat");
    return CLI_UNREADABLE;
}

void combat_notes_begin(combat_notes *notes, kn_scenario_run_def *def)
{
    (void)notes;
    (void)def;
}

void combat_notes_listen(const kn_scenario_run *run)
{
    (void)run;
}

const char *combat_notes_of(combat_notes *notes, const kn_world *world, const kn_event *event)
{
    (void)notes;
    (void)world;
    (void)event;
    return NULL;
}

void combat_notes_free(combat_notes *notes)
{
    (void)notes;
}

cli_code combat_explain_hits(const cli *call, stage *on)
{
    (void)on;
    return combat_missing(call);
}

cli_code combat_explain_proc(const cli *call, stage *on)
{
    (void)on;
    return combat_missing(call);
}

cli_code combat_meter_parse(
    const cli *call, const stage *stages, const char *words, combat_meter *out)
{
    (void)stages;
    (void)words;
    (void)out;
    return combat_missing(call);
}

void combat_meter_free(combat_meter *from)
{
    (void)from;
}

combat_counter *combat_counter_create(void)
{
    return NULL;
}

void combat_counter_destroy(combat_counter *counter)
{
    (void)counter;
}

void combat_counter_begin(combat_counter *counter, kn_scenario_run_def *def)
{
    (void)counter;
    (void)def;
}

float combat_counter_read(
    combat_counter *counter, const kn_scenario_run *run, const combat_meter *meter)
{
    (void)counter;
    (void)run;
    (void)meter;
    return 0.0f;
}
