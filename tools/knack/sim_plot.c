// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Distributions as a picture: for each measure a histogram with all series in it, and a box below
// for each: from 5 to 95 percent, its middle half, and the median.

#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLOT_WIDTH 840
#define PLOT_LEFT 190
#define PLOT_RIGHT 20
#define PLOT_HEIGHT 200
#define BOX_HEIGHT 22
#define PLOT_BINS 40

static const char *const colors[] = {
    "#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756", "#72b7b2", "#9d755d", "#bab0ac"};
#define COLOR_COUNT (sizeof(colors) / sizeof(*colors))

typedef struct panel {
    const sim *from;
    text *out;
    uint32_t measure;
    sim_range range;
    double top;
} panel;

static void xml_text(text *out, const char *value)
{
    for (; *value != 0; value++) {
        if (*value == '<' || *value == '>' || *value == '&' || *value == '"') {
            text_format(out, "&#%d;", *value);
        } else {
            text_bytes(out, value, 1);
        }
    }
}

static double x_of(const panel *p, double value)
{
    double span = p->range.to - p->range.from;
    double share = span > 0 ? (value - p->range.from) / span : 0.5;
    return PLOT_LEFT + share * (PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT);
}

// A round step so that an axis has about five marks.
static double tick_step(double span)
{
    double rough = span / 5;
    double power = pow(10, floor(log10(rough)));
    double lead = rough / power;
    return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void axis_draw(const panel *p)
{
    double bottom = p->top + PLOT_HEIGHT;
    text_format(p->out, "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"axis\"/>\n",
        PLOT_LEFT, bottom, PLOT_WIDTH - PLOT_RIGHT, bottom);
    double span = p->range.to - p->range.from;
    double step = span > 0 ? tick_step(span) : 1;
    double first = ceil(p->range.from / step);
    for (uint32_t i = 0; i < 12 && (first + i) * step <= p->range.to; i++) {
        double value = (first + i) * step;
        text_format(p->out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" class=\"mark\">%g</text>\n",
            x_of(p, value), bottom, x_of(p, value), bottom + 4, x_of(p, value), bottom + 17, value);
    }
}

static void series_draw(const panel *p, uint32_t index, uint32_t highest)
{
    sim view = *p->from;
    uint32_t counts[PLOT_BINS];
    view.bins = PLOT_BINS;
    sim_count(&view, &view.series[index], p->measure, p->range, counts);
    double bottom = p->top + PLOT_HEIGHT;
    double width = (double)(PLOT_WIDTH - PLOT_LEFT - PLOT_RIGHT) / PLOT_BINS;
    text_format(
        p->out, "<path class=\"s%zu\" d=\"M%d %.1f", index % COLOR_COUNT, PLOT_LEFT, bottom);
    for (uint32_t i = 0; i < PLOT_BINS; i++) {
        double height = (double)counts[i] / highest * (PLOT_HEIGHT - 16);
        text_format(p->out, "V%.1fH%.1f", bottom - height, PLOT_LEFT + width * (i + 1));
    }
    text_format(p->out, "V%.1fZ\"/>\n", bottom);
}

static void box_draw(const panel *p, uint32_t index)
{
    const sim_series *series = &p->from->series[index];
    sim_summary s = sim_summarise(p->from, series, p->measure);
    double y = p->top + PLOT_HEIGHT + 38 + BOX_HEIGHT * index;
    text_format(p->out,
        "<line class=\"l%zu\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
        "<rect class=\"s%zu\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"12\"/>"
        "<line class=\"l%zu median\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
        index % COLOR_COUNT, x_of(p, s.p5), y, x_of(p, s.p95), y, index % COLOR_COUNT,
        x_of(p, s.p25), y - 6, x_of(p, s.p75) - x_of(p, s.p25), index % COLOR_COUNT,
        x_of(p, s.median), y - 7, x_of(p, s.median), y + 7);
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"label\">", PLOT_LEFT - 12, y + 4);
    if (p->from->call->argument_count > 1) {
        const char *slash = strrchr(series->file, '/');
        xml_text(p->out, slash != NULL ? slash + 1 : series->file);
        text_add(p->out, " ");
    }
    xml_text(p->out, series->name);
    text_format(p->out, ": %.4g &#177; %.3g</text>\n", s.mean, s.deviation);
}

static double panel_height(const sim *from)
{
    return 40 + PLOT_HEIGHT + 36 + (double)BOX_HEIGHT * from->series_count + 10;
}

static void panel_draw(const panel *p)
{
    sim view = *p->from;
    uint32_t highest = 1, counts[PLOT_BINS];
    view.bins = PLOT_BINS;
    for (uint32_t i = 0; i < view.series_count; i++) {
        sim_count(&view, &view.series[i], p->measure, p->range, counts);
        for (uint32_t k = 0; k < PLOT_BINS; k++) {
            highest = counts[k] > highest ? counts[k] : highest;
        }
    }
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"title\">", PLOT_LEFT, p->top - 8);
    xml_text(p->out, p->from->measures[p->measure]);
    text_add(p->out, "</text>\n");
    for (uint32_t i = 0; i < view.series_count; i++) {
        series_draw(p, i, highest);
    }
    axis_draw(p);
    for (uint32_t i = 0; i < view.series_count; i++) {
        box_draw(p, i);
    }
}

void sim_svg(const sim *from, text *out)
{
    double height = panel_height(from) * from->measure_count;
    text_format(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
        "height=\"%.0f\">\n<style>\n"
        "svg { background: #fff; font: 13px system-ui, sans-serif; }\n"
        "text { fill: #222; }\n.title { font-size: 16px; font-weight: 600; }\n"
        ".mark { text-anchor: middle; fill: #666; }\n.label { font-size: 11px; fill: #666; "
        "text-anchor: end; }\n"
        ".axis { stroke: #999; }\n.median { stroke-width: 2.5; }\n",
        PLOT_WIDTH, height, PLOT_WIDTH, height);
    for (size_t i = 0; i < COLOR_COUNT && i < from->series_count; i++) {
        text_format(out,
            ".s%zu { fill: %s; fill-opacity: 0.35; stroke: %s; }\n.l%zu { stroke: %s; }\n", i,
            colors[i], colors[i], i, colors[i]);
    }
    text_add(out, "@media (prefers-color-scheme: dark) {\n"
                  "svg { background: #16181d; }\ntext { fill: #e6e6e6; }\n"
                  ".mark, .label { fill: #a0a4ab; }\n}\n</style>\n");
    for (uint32_t m = 0; m < from->measure_count; m++) {
        panel p = {from, out, m, sim_range_of(from, m), panel_height(from) * m + 40};
        panel_draw(&p);
    }
    text_add(out, "</svg>\n");
}
