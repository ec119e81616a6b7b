// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Distributions as a picture: for each measure a histogram with all series in it, and a box below
// for each: from 5 to 95 percent, its middle half, and the median. Rates are bars from 0 to 100
// percent, with the range that the true rate is in.

#include "sim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PLOT_SPAN 620 // of the axis
#define PLOT_RIGHT 130
#define PLOT_HEIGHT 200
#define PLOT_HEAD 50
#define BOX_HEIGHT 22
#define PLOT_BINS 40
#define LABEL_COLUMNS 44 // longer ones are cut

static const char *const colors[] = {"#4c78a8", "#f58518", "#54a24b", "#b279a2", "#e45756",
    "#72b7b2", "#9d755d", "#eeca3b", "#ff9da6", "#79706e"};
#define COLOR_COUNT (sizeof(colors) / sizeof(*colors))

typedef struct panel {
    const sim *from;
    text *out;
    uint32_t measure;
    sim_range range;
    int left; // of the axis
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
    return p->left + (value - p->range.from) / (p->range.to - p->range.from) * PLOT_SPAN;
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
        p->left, bottom, p->left + PLOT_SPAN, bottom);
    double step = tick_step(p->range.to - p->range.from);
    double first = ceil(p->range.from / step);
    for (uint32_t i = 0; i < 12 && (first + i) * step <= p->range.to; i++) {
        double value = (first + i) * step;
        value = fabs(value) < step / 2 ? 0 : value;
        text_format(p->out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"axis\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" class=\"mark\">%g</text>\n",
            x_of(p, value), bottom, x_of(p, value), bottom + 4, x_of(p, value), bottom + 17, value);
    }
}

static double y_of(const panel *p, double count, uint32_t highest)
{
    return p->top + PLOT_HEIGHT - count / highest * (PLOT_HEIGHT - 8);
}

// How many runs a height stands for.
static void counts_draw(const panel *p, uint32_t highest)
{
    double step = tick_step(highest);
    step = step < 1 ? 1 : step;
    for (uint32_t i = 1; i < 12 && i * step <= highest; i++) {
        double y = y_of(p, i * step, highest);
        text_format(p->out,
            "<line x1=\"%d\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"grid\"/>"
            "<text x=\"%d\" y=\"%.1f\" class=\"label\">%g</text>\n",
            p->left, y, p->left + PLOT_SPAN, y, p->left - 8, y + 4, i * step);
    }
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"label\">%s</text>\n", p->left - 8,
        p->top - 6, p->from->unit != NULL ? p->from->unit : "runs");
}

static void series_draw(const panel *p, uint32_t index, uint32_t highest)
{
    sim view = *p->from;
    uint32_t counts[PLOT_BINS];
    view.bins = PLOT_BINS;
    sim_count(&view, &view.series[index], p->measure, p->range, counts);
    double bottom = p->top + PLOT_HEIGHT;
    double width = (double)PLOT_SPAN / PLOT_BINS;
    text_format(p->out, "<path class=\"s%u\" d=\"M%d %.1f", index, p->left, bottom);
    for (uint32_t i = 0; i < PLOT_BINS; i++) {
        text_format(p->out, "V%.1fH%.1f", y_of(p, counts[i], highest), p->left + width * (i + 1));
    }
    text_format(p->out, "V%.1fZ\"/>\n", bottom);
}

static void label_draw(const panel *p, uint32_t index, double y)
{
    text label = {0};
    sim_label(p->from, &p->from->series[index], &label);
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"label\">", p->left - 12, y + 4);
    if (text_columns(text_of(&label)) > LABEL_COLUMNS) {
        text_add(p->out, "<title>");
        xml_text(p->out, text_of(&label));
        text_add(p->out, "</title>");
        label.data[text_cut(text_of(&label), LABEL_COLUMNS - 1)] = 0;
        xml_text(p->out, text_of(&label));
        text_add(p->out, "&#8230;");
    } else {
        xml_text(p->out, text_of(&label));
    }
    text_add(p->out, "</text>");
    text_free(&label);
}

static void box_draw(const panel *p, uint32_t index)
{
    sim_summary s = sim_summarise(p->from, &p->from->series[index], p->measure);
    double y = p->top + PLOT_HEIGHT + 38 + BOX_HEIGHT * index;
    text_format(p->out,
        "<line class=\"l%u\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>"
        "<rect class=\"s%u\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"12\"/>"
        "<line class=\"l%u median\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>\n",
        index, x_of(p, s.p5), y, x_of(p, s.p95), y, index, x_of(p, s.p25), y - 6,
        x_of(p, s.p75) - x_of(p, s.p25), index, x_of(p, s.median), y - 7, x_of(p, s.median), y + 7);
    label_draw(p, index, y);
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"sum\">%.4g &#177; %.3g</text>\n",
        p->left + PLOT_SPAN + 14, y + 4, s.mean, s.deviation);
}

// Rates -----------------------------------------------------------------------

#define RATE_HEIGHT 30 // of a bar and the room below it

static void rate_draw(const panel *p, uint32_t index)
{
    sim_rate rate = sim_rate_of(p->from, &p->from->series[index], p->measure);
    double y = p->top + RATE_HEIGHT * (index + 0.5);
    text_format(p->out,
        "<rect class=\"s%u\" x=\"%d\" y=\"%.1f\" width=\"%.1f\" height=\"18\"/>"
        "<path class=\"l%u median\" fill=\"none\" d=\"M%.1f %.1fv10M%.1f %.1fH%.1fm0 -5v10\"/>\n",
        index, p->left, y - 9, x_of(p, rate.rate) - p->left, index, x_of(p, rate.from), y - 5,
        x_of(p, rate.from), y, x_of(p, rate.to));
    label_draw(p, index, y);
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"sum\">%.1f%% (%.0f to %.0f)</text>\n",
        p->left + PLOT_SPAN + 14, y + 4, 100 * rate.rate, 100 * rate.from, 100 * rate.to);
}

static void rates_draw(const panel *p)
{
    double bottom = p->top + (double)RATE_HEIGHT * p->from->series_count;
    for (int percent = 0; percent <= 100; percent += 25) {
        double x = x_of(p, percent / 100.0);
        text_format(p->out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"grid\"/>"
            "<text x=\"%.1f\" y=\"%.1f\" class=\"mark\">%d%%</text>\n",
            x, p->top, x, bottom, x, bottom + 17, percent);
    }
    for (uint32_t i = 0; i < p->from->series_count; i++) {
        rate_draw(p, i);
    }
}

// Panels ----------------------------------------------------------------------

static double panel_height(const sim *from, uint32_t measure)
{
    if (sim_is_rate(from, measure)) {
        return PLOT_HEAD + (double)RATE_HEIGHT * from->series_count + 34;
    }
    return PLOT_HEAD + PLOT_HEIGHT + 36 + (double)BOX_HEIGHT * from->series_count + 10;
}

static void distribution_draw(const panel *p)
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
    counts_draw(p, highest);
    for (uint32_t i = 0; i < view.series_count; i++) {
        series_draw(p, i, highest);
    }
    axis_draw(p);
    for (uint32_t i = 0; i < view.series_count; i++) {
        box_draw(p, i);
    }
}

static void panel_draw(const panel *p)
{
    text_format(p->out, "<text x=\"%d\" y=\"%.1f\" class=\"title\">", p->left, p->top - 18);
    xml_text(p->out, p->from->measures[p->measure]);
    text_add(p->out, "</text>\n");
    (sim_is_rate(p->from, p->measure) ? rates_draw : distribution_draw)(p);
}

// Where all values are alike they stand in the middle of something.
static sim_range plot_range(const sim *from, uint32_t measure)
{
    if (sim_is_rate(from, measure)) {
        return (sim_range){0, 1};
    }
    sim_range range = sim_range_of(from, measure);
    if (range.to <= range.from) {
        double half = range.from != 0 ? fabs(range.from) / 10 : 1;
        range.from -= half;
        range.to += half;
    }
    return range;
}

// Room for the names of the series: about 6.4 pixels a letter.
static int plot_left(const sim *from)
{
    int columns = 10;
    for (uint32_t i = 0; i < from->series_count; i++) {
        text label = {0};
        sim_label(from, &from->series[i], &label);
        int own = text_columns(text_of(&label));
        columns = own > columns ? own : columns;
        text_free(&label);
    }
    columns = columns < LABEL_COLUMNS ? columns : LABEL_COLUMNS;
    return 24 + columns * 32 / 5;
}

static void style_print(const sim *from, text *out)
{
    text_add(out, "<style>\n"
                  "svg { background: #fff; font: 13px system-ui, sans-serif; }\n"
                  "text { fill: #222; }\n.title { font-size: 16px; font-weight: 600; }\n"
                  ".mark { text-anchor: middle; fill: #666; }\n"
                  ".label, .sum { font-size: 11px; fill: #666; }\n.label { text-anchor: end; }\n"
                  ".axis { stroke: #999; }\n.grid { stroke: #8883; }\n"
                  ".median { stroke-width: 2.5; }\n");
    for (uint32_t i = 0; i < from->series_count; i++) {
        const char *color = colors[i % COLOR_COUNT];
        text_format(out, ".s%u { fill: %s; fill-opacity: %s; stroke: %s; }\n.l%u { stroke: %s; }\n",
            i, color, from->series_count > 4 ? "0.2" : "0.35", color, i, color);
        if (i >= COLOR_COUNT) { // the same colour again, in dashes
            text_format(out, ".s%u { stroke-dasharray: %u 2; }\n", i,
                (uint32_t)(6 / (i / COLOR_COUNT) + 1));
        }
    }
    text_add(out, "@media (prefers-color-scheme: dark) {\n"
                  "svg { background: #16181d; }\ntext { fill: #e6e6e6; }\n"
                  ".mark, .label, .sum { fill: #a0a4ab; }\n}\n</style>\n");
}

void sims_svg(const sim *const *all, uint32_t count, const char *title, text *out)
{
    int left = 0;
    double height = 0;
    for (uint32_t i = 0; i < count; i++) {
        int own = plot_left(all[i]);
        left = own > left ? own : left;
        for (uint32_t m = 0; m < all[i]->measure_count; m++) {
            height += panel_height(all[i], m);
        }
    }
    int width = left + PLOT_SPAN + PLOT_RIGHT;
    text_format(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %.0f\" width=\"%d\" "
        "height=\"%.0f\" role=\"img\">\n<title>%s</title>\n",
        width, height, width, height, title);
    style_print(all[0], out);
    double top = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t m = 0; m < all[i]->measure_count; m++) {
            panel p = {all[i], out, m, plot_range(all[i], m), left, top + PLOT_HEAD};
            panel_draw(&p);
            top += panel_height(all[i], m);
        }
    }
    text_add(out, "</svg>\n");
}

void sim_svg(const sim *from, text *out)
{
    char title[64];
    (void)snprintf(title, sizeof(title), "Distributions of %u runs each", from->runs);
    sims_svg(&from, 1, title, out);
}
