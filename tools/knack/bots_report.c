// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What many bots measured: a table, JSON, and a picture.

#include "bots.h"
#include "sim.h"

#include <stdlib.h>
#include <string.h>

#define NAME_WIDTH 26

// Measures that each bot has one value of.
typedef struct bot_row {
    const char *name, *key, *unit;
    double (*value)(const bot_counts *from, double seconds);
} bot_row;

static double down_of(const bot_counts *from, double seconds)
{
    return (double)from->down / seconds;
}

static double up_of(const bot_counts *from, double seconds)
{
    return (double)from->up / seconds;
}

static double commands_of(const bot_counts *from, double seconds)
{
    return (double)from->commands * 60 / seconds;
}

static double corrections_of(const bot_counts *from, double seconds)
{
    return (double)from->corrections * 60 / seconds;
}

static double resimulated_of(const bot_counts *from, double seconds)
{
    return (double)from->resimulated / seconds;
}

static double revoked_of(const bot_counts *from, double seconds)
{
    return (double)from->revoked * 60 / seconds;
}

static const bot_row rows[] = {
    {"down", "down_bytes_s", "bytes/s", down_of},
    {"up", "up_bytes_s", "bytes/s", up_of},
    {"commands", "commands_min", "per minute", commands_of},
    {"corrections", "corrections_min", "per minute", corrections_of},
    {"ticks simulated again", "resimulated_s", "per second", resimulated_of},
    {"events revoked", "revoked_min", "per minute", revoked_of},
};
#define ROW_COUNT (sizeof(rows) / sizeof(*rows))

// Only bots that played can say something.
static samples row_measure(const bots *from, const bot_row *row)
{
    samples out = {0};
    for (uint32_t i = 0; i < from->count; i++) {
        double seconds = (double)from->counts[i].played / 1e6;
        if (seconds > 0) {
            samples_add(&out, (float)row->value(&from->counts[i], seconds));
        }
    }
    return out;
}

// Measures with many values.
typedef struct other_row {
    const char *name, *key, *unit;
    const samples *values;
} other_row;
#define OTHER_COUNT 5

static void others_fill(const bots *from, other_row *out)
{
    out[0] = (other_row){"lead", "lead_ms", "ms", &from->leads};
    out[1] = (other_row){"round trip", "round_trip_ms", "ms", &from->trips};
    out[2] = (other_row){"tick of a client, CPU", "client_tick_ms", "ms", &from->client_ticks};
    out[3] = (other_row){"tick of the server, CPU", "server_tick_ms", "ms", &from->server_ticks};
    out[4] = (other_row){"tick of the server, wall", "server_wall_ms", "ms", &from->server_walls};
}

static void totals(const bots *from, uint32_t *joins, uint32_t *drops)
{
    *joins = *drops = 0;
    for (uint32_t i = 0; i < from->count; i++) {
        *joins += from->all[i].joins;
        *drops += from->all[i].drops;
    }
}

// Text and JSON -------------------------------------------------------------

static void end_print(const bots *from)
{
    uint32_t joins, drops;
    totals(from, &joins, &drops);
    if (from->killed > 0 || drops > 0) {
        (void)printf("%u connections, %u lost, %u bots vanished\n", joins, drops, from->killed);
    }
    if (from->has_host && !from->was_interrupted) {
        (void)printf("%u of %u clients have what the server has\n", from->checked - from->differing,
            from->checked);
    }
}

void bots_print(const bots *from)
{
    other_row others[OTHER_COUNT];
    others_fill(from, others);
    const kn_net_conditions *line = &from->def.conditions;
    (void)printf("%u bots, %.1f s, %u ticks a second, latency %g ms, jitter %g ms, loss %g %%\n",
        from->count, from->seconds, from->rate, (double)line->latency / 1e3,
        (double)line->jitter / 1e3, (double)line->loss * 100);
    percentiles_head("", NAME_WIDTH);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        samples values = row_measure(from, &rows[i]);
        percentiles of = samples_percentiles(&values);
        percentiles_print(rows[i].name, rows[i].unit, NAME_WIDTH, &of);
        samples_free(&values);
    }
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        percentiles of = samples_percentiles(others[i].values);
        if (others[i].values->count > 0) {
            percentiles_print(others[i].name, others[i].unit, NAME_WIDTH, &of);
        }
    }
    end_print(from);
}

void bots_json(const bots *from, const script_log *log)
{
    other_row others[OTHER_COUNT];
    uint32_t joins, drops;
    json out = {0};
    others_fill(from, others);
    totals(from, &joins, &drops);
    json_begin(&out, NULL, '{');
    json_count(&out, "bots", from->count);
    json_number(&out, "seconds", from->seconds);
    json_count(&out, "rate", from->rate);
    json_count(&out, "connections", joins);
    json_count(&out, "lost", drops);
    json_count(&out, "vanished", from->killed);
    if (from->has_host) {
        json_count(&out, "checked", from->checked);
        json_count(&out, "differing", from->differing);
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        samples values = row_measure(from, &rows[i]);
        percentiles of = samples_percentiles(&values);
        percentiles_json(&out, rows[i].key, &of);
        samples_free(&values);
    }
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        percentiles of = samples_percentiles(others[i].values);
        percentiles_json(&out, others[i].key, &of);
    }
    script_log_json(&out, "script_errors", log);
    json_end(&out, '}');
    json_print(&out);
}

// The picture ---------------------------------------------------------------

// One samples as a distribution of its own, for the plots of knack sim.
typedef struct plotted {
    sim of;
    sim_series series;
    char name[64];
    char *names[1];
    char label[8];
} plotted;

static void plot_fill(
    const bots *from, plotted *to, const char *name, const char *unit, const samples *values)
{
    (void)snprintf(to->name, sizeof(to->name), "%s, %s", name, unit);
    (void)snprintf(to->label, sizeof(to->label), "all");
    to->names[0] = to->name;
    to->series = (sim_series){.name = to->label, .values = values->values};
    to->series.passed = cli_resize(NULL, values->count);
    memset(to->series.passed, 1, values->count);
    to->of = (sim){.call = from->call, .series = &to->series, .series_count = 1};
    to->of.measures = to->names;
    to->of.measure_count = 1;
    to->of.runs = values->count;
}

void bots_svg(const bots *from, text *out)
{
    plotted plots[ROW_COUNT + OTHER_COUNT];
    const sim *all[ROW_COUNT + OTHER_COUNT];
    samples values[ROW_COUNT];
    other_row others[OTHER_COUNT];
    uint32_t count = 0;
    others_fill(from, others);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        values[i] = row_measure(from, &rows[i]);
        if (values[i].count > 0) {
            plot_fill(from, &plots[count], rows[i].name, rows[i].unit, &values[i]);
            plots[count++].of.unit = "bots";
        }
    }
    for (size_t i = 0; i < OTHER_COUNT; i++) {
        if (others[i].values->count > 0) {
            plot_fill(from, &plots[count], others[i].name, others[i].unit, others[i].values);
            plots[count++].of.unit = i < 2 ? "seconds" : "ticks";
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        all[i] = &plots[i].of;
    }
    if (count > 0) {
        sims_svg(all, count, "Bots on a network", out);
    }
    for (uint32_t i = 0; i < count; i++) {
        free(plots[i].series.passed);
    }
    for (size_t i = 0; i < ROW_COUNT; i++) {
        samples_free(&values[i]);
    }
}
