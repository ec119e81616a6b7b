// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Many values of one measure, and how they are distributed.
#ifndef NET_SAMPLES_H
#define NET_SAMPLES_H

#include "text.h"

// `{0}` is empty. Beyond a million values, every second one is dropped, again and again.
typedef struct samples {
    float *values;
    uint32_t count, capacity;
    uint32_t stride; // values for each that is kept, at least 1; 0 at first
    uint64_t seen;
    float most;
} samples;

typedef struct percentiles {
    double p50, p90, p99, most;
} percentiles;

void samples_add(samples *to, float value);
// All zero without values.
percentiles samples_percentiles(const samples *from);
// Forgets all values.
void samples_clear(samples *of);
// Adds the values of another one.
void samples_join(samples *to, const samples *other);
void samples_free(samples *from);

// A row of a table with a name, and its head; the same as JSON.
void percentiles_head(const char *title, int width);
void percentiles_print(const char *name, const char *unit, int width, const percentiles *from);
void percentiles_json(json *out, const char *key, const percentiles *from);

#endif
