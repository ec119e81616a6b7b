// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "net_samples.h"

#include <stdlib.h>
#include <string.h>

#define VALUES_MAX (1u << 20)

static void samples_thin(samples *of)
{
    for (uint32_t i = 0; i < of->count / 2; i++) {
        of->values[i] = of->values[2 * i];
    }
    of->count /= 2;
    of->stride *= 2;
}

void samples_add(samples *to, float value)
{
    to->stride = to->stride > 0 ? to->stride : 1;
    to->most = to->seen == 0 || value > to->most ? value : to->most;
    if (to->seen++ % to->stride != 0) {
        return;
    }
    if (to->count == to->capacity) {
        to->capacity = to->capacity > 0 ? 2 * to->capacity : 256;
        to->values = cli_resize(to->values, to->capacity * sizeof(*to->values));
    }
    to->values[to->count++] = value;
    if (to->count == VALUES_MAX) {
        samples_thin(to);
    }
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// The smallest value that is not below this share of all.
static double value_at(const float *sorted, uint32_t count, double share)
{
    uint32_t place = (uint32_t)(share * count);
    return (double)sorted[place < count ? place : count - 1];
}

percentiles samples_percentiles(const samples *from)
{
    if (from->count == 0) {
        return (percentiles){0};
    }
    float *sorted = cli_resize(NULL, from->count * sizeof(*sorted));
    memcpy(sorted, from->values, from->count * sizeof(*sorted));
    qsort(sorted, from->count, sizeof(*sorted), by_value); // ties look alike
    percentiles out = {value_at(sorted, from->count, 0.5), value_at(sorted, from->count, 0.9),
        value_at(sorted, from->count, 0.99), (double)from->most};
    free(sorted);
    return out;
}

void samples_clear(samples *of)
{
    of->count = 0;
    of->stride = 1;
    of->seen = 0;
}

void samples_join(samples *to, const samples *other)
{
    for (uint32_t i = 0; i < other->count; i++) {
        samples_add(to, other->values[i]);
    }
    to->most = other->count > 0 && other->most > to->most ? other->most : to->most;
}

void samples_free(samples *from)
{
    free(from->values);
    *from = (samples){0};
}

void percentiles_head(const char *title, int width)
{
    (void)printf("%-*s %10s %10s %10s %10s\n", width, title, "p50", "p90", "p99", "max");
}

void percentiles_print(const char *name, const char *unit, int width, const percentiles *from)
{
    (void)printf("%-*s %10.4g %10.4g %10.4g %10.4g  %s\n", width, name, from->p50, from->p90,
        from->p99, from->most, unit);
}

void percentiles_json(json *out, const char *key, const percentiles *from)
{
    json_begin(out, key, '{');
    json_number(out, "p50", from->p50);
    json_number(out, "p90", from->p90);
    json_number(out, "p99", from->p99);
    json_number(out, "max", from->most);
    json_end(out, '}');
}
