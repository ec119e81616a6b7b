// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What many runs say: means, percentiles and histograms as text, JSON and CSV.

#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// Numbers -------------------------------------------------------------------

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

// Between two neighbours in proportion.
static double percentile(const float *sorted, uint32_t count, double share)
{
    double place = share * (count - 1);
    uint32_t below = (uint32_t)floor(place);
    uint32_t above = below + 1 < count ? below + 1 : below;
    double rest = place - below;
    return (double)sorted[below] + rest * ((double)sorted[above] - (double)sorted[below]);
}

sim_summary sim_summarise(const sim *from, const sim_series *series, uint32_t measure)
{
    sim_summary summary = {0};
    float *sorted = cli_resize(NULL, from->runs * sizeof(*sorted));
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < from->runs; i++) {
        sorted[i] = sim_value(from, series, measure, i);
        sum += (double)sorted[i];
        summary.passed += series->passed[i];
    }
    summary.mean = sum / from->runs;
    for (uint32_t i = 0; i < from->runs; i++) {
        double off = (double)sorted[i] - summary.mean;
        squares += off * off;
    }
    summary.deviation = from->runs > 1 ? sqrt(squares / (from->runs - 1)) : 0;
    qsort(sorted, from->runs, sizeof(*sorted), by_value); // ties look alike
    summary.least = (double)sorted[0];
    summary.p5 = percentile(sorted, from->runs, 0.05);
    summary.p25 = percentile(sorted, from->runs, 0.25);
    summary.median = percentile(sorted, from->runs, 0.5);
    summary.p75 = percentile(sorted, from->runs, 0.75);
    summary.p95 = percentile(sorted, from->runs, 0.95);
    summary.most = (double)sorted[from->runs - 1];
    free(sorted);
    return summary;
}

bool sim_is_rate(const sim *from, uint32_t measure)
{
    return from->are_rates != NULL && from->are_rates[measure];
}

// The score interval: it stays within 0 and 1, and is right for few runs, too.
sim_rate sim_rate_of(const sim *from, const sim_series *series, uint32_t measure)
{
    const double z = 1.959964;
    sim_rate rate = {0};
    for (uint32_t i = 0; i < from->runs; i++) {
        rate.happened += sim_value(from, series, measure, i) > 0.5f ? 1 : 0;
    }
    double n = from->runs, p = rate.happened / n;
    double center = (p + z * z / (2 * n)) / (1 + z * z / n);
    double half = z / (1 + z * z / n) * sqrt(p * (1 - p) / n + z * z / (4 * n * n));
    rate.rate = p;
    rate.from = rate.happened > 0 ? center - half : 0;
    rate.to = rate.happened < from->runs ? center + half : 1;
    return rate;
}

sim_range sim_range_of(const sim *from, uint32_t measure)
{
    float first = sim_value(from, &from->series[0], measure, 0);
    sim_range range = {(double)first, (double)first};
    for (uint32_t i = 0; i < from->series_count; i++) {
        for (uint32_t k = 0; k < from->runs; k++) {
            double value = (double)sim_value(from, &from->series[i], measure, k);
            range.from = value < range.from ? value : range.from;
            range.to = value > range.to ? value : range.to;
        }
    }
    return range;
}

void sim_count(
    const sim *from, const sim_series *series, uint32_t measure, sim_range range, uint32_t *counts)
{
    double width = (range.to - range.from) / from->bins;
    memset(counts, 0, from->bins * sizeof(*counts));
    for (uint32_t i = 0; i < from->runs; i++) {
        double off = (double)sim_value(from, series, measure, i) - range.from;
        uint32_t bin = width > 0 ? (uint32_t)(off / width) : 0;
        counts[bin < from->bins ? bin : from->bins - 1]++;
    }
}

// Text ----------------------------------------------------------------------

void sim_label(const sim *from, const sim_series *series, text *out)
{
    if (from->call->argument_count > 1) {
        const char *slash = strrchr(series->file, '/');
        text_format(out, "%s ", slash != NULL ? slash + 1 : series->file);
    }
    text_add(out, series->name);
}

// A label in a column, cut or filled with blanks.
static void label_add(const sim *from, uint32_t index, int width, text *line)
{
    text label = {0};
    sim_label(from, &from->series[index], &label);
    int bytes = text_cut(text_of(&label), width);
    int columns = text_columns(text_of(&label));
    text_bytes(line, text_of(&label), (size_t)bytes);
    text_format(line, "%*s", columns < width ? width - columns : 0, "");
    text_free(&label);
}

static int label_width(const sim *from)
{
    int widest = 8;
    for (uint32_t i = 0; i < from->series_count; i++) {
        text label = {0};
        sim_label(from, &from->series[i], &label);
        int columns = text_columns(text_of(&label));
        widest = columns > widest ? columns : widest;
        text_free(&label);
    }
    return widest;
}

static void summary_line(const sim *from, uint32_t index, uint32_t measure, double first_mean)
{
    text line = {0};
    sim_summary s = sim_summarise(from, &from->series[index], measure);
    label_add(from, index, label_width(from), &line);
    (void)printf("  %s %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g %10.4g", text_of(&line), s.mean,
        s.deviation, s.least, s.p5, s.median, s.p95, s.most);
    text_free(&line);
    if (from->series_count > 1 && index > 0 && first_mean != 0) {
        (void)printf("  %+.1f%%", 100 * (s.mean / first_mean - 1));
    }
    (void)printf("\n");
}

#define BAR_WIDTH 14

// "   120 ######", as wide as its column.
static void bar_add(text *line, uint32_t count, uint32_t highest)
{
    char bar[BAR_WIDTH + 1];
    size_t length = (size_t)((uint64_t)count * BAR_WIDTH / highest);
    length += count > 0 && length == 0 ? 1 : 0;
    memset(bar, '#', length);
    bar[length] = 0;
    text_format(line, " %6u %-*s", count, BAR_WIDTH, bar);
}

static void line_print(text *line)
{
    while (line->length > 0 && line->data[line->length - 1] == ' ') {
        line->data[--line->length] = 0;
    }
    (void)printf("%s\n", text_of(line));
    text_free(line);
}

#define ABREAST 4 // more would be wider than a terminal

// Some series side by side; `highest` is the longest bar of all.
static void histogram_part(
    const sim *from, sim_range range, const uint32_t *counts, uint32_t first, uint32_t highest)
{
    double width = (range.to - range.from) / from->bins;
    uint32_t bins = width > 0 ? from->bins : 1; // where all are alike
    uint32_t end = first + ABREAST < from->series_count ? first + ABREAST : from->series_count;
    text line = {0};
    text_format(&line, "\n  %-24s", "");
    for (uint32_t i = first; i < end; i++) {
        text_add(&line, " ");
        label_add(from, i, BAR_WIDTH + 7, &line);
    }
    line_print(&line);
    for (uint32_t k = 0; k < bins; k++) {
        double to = k + 1 < from->bins ? range.from + width * (k + 1) : range.to;
        text_format(&line, "  %10.4g to %-10.4g", range.from + width * k, to);
        for (uint32_t i = first; i < end; i++) {
            bar_add(&line, counts[(size_t)i * from->bins + k], highest);
        }
        line_print(&line);
    }
}

static void histogram_print(const sim *from, uint32_t measure)
{
    sim_range range = sim_range_of(from, measure);
    uint32_t *counts = cli_resize(NULL, (size_t)from->series_count * from->bins * sizeof(*counts));
    uint32_t highest = 1;
    for (uint32_t i = 0; i < from->series_count; i++) {
        uint32_t *own = counts + (size_t)i * from->bins;
        sim_count(from, &from->series[i], measure, range, own);
        for (uint32_t k = 0; k < from->bins; k++) {
            highest = own[k] > highest ? own[k] : highest;
        }
    }
    for (uint32_t i = 0; i < from->series_count; i += ABREAST) {
        histogram_part(from, range, counts, i, highest);
    }
    free(counts);
}

#define RATE_WIDTH 20 // of a bar of 100 percent

static void rate_line(const sim *from, uint32_t index, uint32_t measure, const sim_rate *first)
{
    text line = {0};
    sim_rate rate = sim_rate_of(from, &from->series[index], measure);
    int length = (int)(rate.rate * RATE_WIDTH + 0.5);
    text_add(&line, "  ");
    label_add(from, index, label_width(from), &line);
    text_format(&line, " %9.1f%% %9.1f%% to %5.1f%% %7u of %-6u %.*s", 100 * rate.rate,
        100 * rate.from, 100 * rate.to, rate.happened, from->runs, length, "####################");
    if (index > 0) {
        text_format(
            &line, "%*s  %+.1f points", RATE_WIDTH - length, "", 100 * (rate.rate - first->rate));
    }
    line_print(&line);
}

static void rates_print(const sim *from, uint32_t measure)
{
    sim_rate first = sim_rate_of(from, &from->series[0], measure);
    (void)printf("  %-*s %10s %20s\n", label_width(from), "", "rate", "95% certain");
    for (uint32_t i = 0; i < from->series_count; i++) {
        rate_line(from, i, measure, &first);
    }
}

static void distribution_print(const sim *from, uint32_t measure)
{
    double first = sim_summarise(from, &from->series[0], measure).mean;
    (void)printf("  %-*s %10s %10s %10s %10s %10s %10s %10s\n", label_width(from), "", "mean",
        "deviation", "least", "5%", "median", "95%", "most");
    for (uint32_t i = 0; i < from->series_count; i++) {
        summary_line(from, i, measure, first);
    }
    histogram_print(from, measure);
}

void sim_print(const sim *from)
{
    (void)printf("%u runs of each, seeds %llu to %llu\n", from->runs, sim_seed(from, 0),
        sim_seed(from, from->runs - 1));
    for (uint32_t i = 0; i < from->series_count; i++) {
        uint32_t passed = sim_summarise(from, &from->series[i], 0).passed;
        if (passed < from->runs) {
            text label = {0};
            sim_label(from, &from->series[i], &label);
            (void)printf("%s: %u of %u runs passed\n", text_of(&label), passed, from->runs);
            text_free(&label);
            if (from->series[i].failure.length > 0) {
                (void)printf("  seed %llu: %s\n", (unsigned long long)from->series[i].failed_seed,
                    text_of(&from->series[i].failure));
            }
        }
    }
    for (uint32_t m = 0; m < from->measure_count; m++) {
        (void)printf("\n%s%s%s\n", cli_paint(from->call, CLI_BOLD), from->measures[m],
            cli_paint(from->call, CLI_PLAIN));
        if (sim_is_rate(from, m)) {
            rates_print(from, m);
        } else {
            distribution_print(from, m);
        }
    }
}

// JSON and CSV --------------------------------------------------------------

static void rate_json(const sim *from, const sim_series *series, uint32_t measure, json *out)
{
    sim_rate rate = sim_rate_of(from, series, measure);
    json_begin(out, from->measures[measure], '{');
    json_number(out, "rate", rate.rate);
    json_number(out, "from", rate.from);
    json_number(out, "to", rate.to);
    json_count(out, "happened", rate.happened);
    json_end(out, '}');
}

static void measure_json(const sim *from, const sim_series *series, uint32_t measure, json *out)
{
    sim_summary s = sim_summarise(from, series, measure);
    sim_range range = sim_range_of(from, measure);
    uint32_t *counts = cli_resize(NULL, from->bins * sizeof(*counts));
    sim_count(from, series, measure, range, counts);
    json_begin(out, from->measures[measure], '{');
    json_number(out, "mean", s.mean);
    json_number(out, "deviation", s.deviation);
    json_number(out, "least", s.least);
    json_number(out, "p5", s.p5);
    json_number(out, "p25", s.p25);
    json_number(out, "median", s.median);
    json_number(out, "p75", s.p75);
    json_number(out, "p95", s.p95);
    json_number(out, "most", s.most);
    json_begin(out, "histogram", '{');
    json_number(out, "from", range.from);
    json_number(out, "to", range.to);
    json_begin(out, "counts", '[');
    for (uint32_t i = 0; i < from->bins; i++) {
        json_count(out, NULL, counts[i]);
    }
    json_end(out, ']');
    json_end(out, '}');
    json_end(out, '}');
    free(counts);
}

void sim_print_json(const sim *from)
{
    json out = {0};
    json_begin(&out, NULL, '{');
    json_count(&out, "runs", from->runs);
    json_count(&out, "seed", from->seed);
    json_begin(&out, "series", '[');
    for (uint32_t i = 0; i < from->series_count; i++) {
        const sim_series *series = &from->series[i];
        json_begin(&out, NULL, '{');
        json_text(&out, "file", series->file);
        json_text(&out, "variant", series->name);
        json_count(&out, "passed", sim_summarise(from, series, 0).passed);
        if (series->failure.length > 0) {
            json_count(&out, "failed_seed", series->failed_seed);
            json_text(&out, "failure", text_of(&series->failure));
        }
        json_begin(&out, "measures", '{');
        for (uint32_t m = 0; m < from->measure_count; m++) {
            (sim_is_rate(from, m) ? rate_json : measure_json)(from, series, m, &out);
        }
        json_end(&out, '}');
        json_end(&out, '}');
    }
    json_end(&out, ']');
    json_end(&out, '}');
    json_print(&out);
}

// Quotes where a comma, a quote or a line end would be mistaken.
static void csv_text(text *out, const char *value)
{
    if (strpbrk(value, ",\"\n\r") == NULL) {
        text_add(out, value);
        return;
    }
    text_add(out, "\"");
    for (; *value != 0; value++) {
        text_format(out, "%s%c", *value == '"' ? "\"" : "", *value);
    }
    text_add(out, "\"");
}

void sim_csv(const sim *from, text *out)
{
    text_add(out, "file,variant,seed,passed");
    for (uint32_t m = 0; m < from->measure_count; m++) {
        text_add(out, ",");
        csv_text(out, from->measures[m]);
    }
    text_add(out, "\n");
    for (uint32_t i = 0; i < from->series_count; i++) {
        const sim_series *series = &from->series[i];
        for (uint32_t k = 0; k < from->runs; k++) {
            csv_text(out, series->file);
            text_add(out, ",");
            csv_text(out, series->name);
            text_format(out, ",%llu,%u", sim_seed(from, k), series->passed[k]);
            for (uint32_t m = 0; m < from->measure_count; m++) {
                text_add(out, ",");
                text_float(out, sim_value(from, series, m, k));
            }
            text_add(out, "\n");
        }
    }
}
