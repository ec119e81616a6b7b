// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Scripts in files, if the program was built with knack::script.
#ifndef SCRIPTS_H
#define SCRIPTS_H

#include "knack/scenario.h"

typedef struct scripts scripts;

// Fills *out, with nothing if there are no scripts. To be kept until the files are built.
scripts *scripts_open(kn_data_scripts *out);
void scripts_close(scripts *from); // NULL is fine

// kn_scenario_load_file() with scripts.
kn_result scripts_load_scenario(const char *path, kn_scenario **scenario);

#endif
