// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Many runs of scenarios: what was measured, and the report about it.
#ifndef SIM_H
#define SIM_H

#include "combat.h"

// One scenario in one variant: a column of every comparison.
typedef struct sim_series {
    const char *file;
    uint32_t variant;
    char *name;        // of the variant
    float *values;     // run by run, all measures of a run together
    uint8_t *passed;   // by run
    uint8_t *scripts;  // by run: whether a script failed
    kn_result *errors; // by run
    text failure;      // of the first run that was not as expected; empty if there is none
    uint64_t failed_seed;
} sim_series;

typedef struct sim {
    const cli *call;
    stage *stages; // by file
    sim_series *series;
    uint32_t series_count;
    uint32_t *series_file; // index of the file of a series
    char **measures;       // of all scenarios alike; the meters come last
    bool *are_rates;       // by measure: 1 or 0 in each run; NULL: none is
    uint32_t measure_count;
    combat_meter *meters;
    uint32_t meter_count;
    uint32_t runs;
    const char *unit; // what a run is called in a picture; NULL: "runs"
    uint64_t seed;
    uint32_t bins;
} sim;

static inline float sim_value(
    const sim *from, const sim_series *series, uint32_t measure, uint32_t run)
{
    return series->values[(size_t)run * from->measure_count + measure];
}

static inline unsigned long long sim_seed(const sim *from, uint32_t run)
{
    uint64_t seed = from->seed + run;
    return seed;
}

// How the values of one measure of one series are distributed.
typedef struct sim_summary {
    double mean, deviation;
    double least, p5, p25, median, p75, p95, most;
    uint32_t passed;
} sim_summary;

// "builds.yaml strong", or only the variant if there is one file.
void sim_label(const sim *from, const sim_series *series, text *out);
sim_summary sim_summarise(const sim *from, const sim_series *series, uint32_t measure);

// How often a measure that is a rate was 1, and what the true rate is between, with a certainty of
// 95 percent.
typedef struct sim_rate {
    uint32_t happened;
    double rate, from, to;
} sim_rate;
bool sim_is_rate(const sim *from, uint32_t measure);
sim_rate sim_rate_of(const sim *from, const sim_series *series, uint32_t measure);

// The range of a measure over all series, and how many values of one are in each part of it.
typedef struct sim_range {
    double from, to;
} sim_range;
sim_range sim_range_of(const sim *from, uint32_t measure);
void sim_count(
    const sim *from, const sim_series *series, uint32_t measure, sim_range range, uint32_t *counts);

void sim_print(const sim *from);
void sim_print_json(const sim *from);
void sim_csv(const sim *from, text *out);
void sim_svg(const sim *from, text *out);
// Several in one picture, below each other. They have the same number of series.
void sims_svg(const sim *const *all, uint32_t count, const char *title, text *out);

#endif
