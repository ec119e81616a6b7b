// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scenarios and runs of them, as several commands need them.
#ifndef STAGE_H
#define STAGE_H

#include "content.h"

#include "knack/scenario.h"

typedef struct stage {
    kn_scenario *scenario; // may have messages instead of a content
    kn_scenario_run *run;  // NULL until stage_run()
    script_log log;        // of its runs
} stage;

// Reads a scenario; "-" is stdin. CLI_GOOD; CLI_BAD or CLI_UNREADABLE with messages on stderr. To
// be freed in any case.
cli_code stage_load(const cli *call, const char *path, stage *out);
void stage_free(stage *from);

// Scenarios of a call: `*own` is a copy of it with files instead of folders, which stand for the
// files in folders called `scenarios` below them. CLI_UNREADABLE with a message for a folder
// without any. To be freed in any case.
typedef struct stage_files {
    cli call;
    text *paths;
    uint32_t count;
} stage_files;
cli_code stage_find(const cli *call, stage_files *own);
void stage_files_free(stage_files *own);

// Finds a variant; "base" is the scenario as it is written. CLI_USAGE with a message.
cli_code stage_variant(const cli *call, const stage *from, const char *name, uint32_t *variant);
// "base", or the name of the variant.
const char *stage_variant_name(const stage *from, uint32_t variant);

// Makes a run by the options --variant and --seed, and `def` for the rest.
cli_code stage_run(const cli *call, stage *from, const kn_scenario_run_def *def);
// The same, and runs until --at, or to the end. Errors of scripts are reported.
cli_code stage_run_until(const cli *call, stage *from, const kn_scenario_run_def *def);
// The second half of it, for a run that was made.
cli_code stage_play(const cli *call, stage *from);
// Tells the errors of scripts. True if there are none.
bool stage_scripts_good(const cli *call, stage *from);
// An entity by its name, or by "#3". CLI_BAD with a message that lists the names.
cli_code stage_entity(const cli *call, const stage *from, const char *name, kn_entity_id *entity);

// Whether the scenario has an entity of this name, alive or not. False with a message.
bool stage_knows(const cli *call, const stage *from, const char *name);
// The number of an entity by its name, or by "#3", as events have it; 0 for one that is not there.
uint32_t stage_number(const kn_scenario_run *run, const char *name);

// Adds a line of the library with the names of the scenario for the numbers of entities.
void stage_names(
    text *to, const kn_scenario_run *run, const kn_scenario *scenario, const char *line);
void stage_event(text *to, const kn_scenario_run *run, const kn_scenario *scenario,
    const kn_world *world, const kn_event *event);
void stage_cause(text *to, const kn_scenario_run *run, const kn_scenario *scenario,
    const kn_world *world, kn_cause cause);

// Prints an entity, or the whole world for null, as it is now.
void stage_dump(const stage *from, kn_entity_id entity);
void stage_dump_json(const stage *from, kn_entity_id entity, text *out);

#endif
