// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Timelines as text and as pictures. Numbers are whole, so that no locale shows in them.

#include "trace_rows.h"

#include <stdio.h>
#include <string.h>

#define LABEL_MAX 40 // columns of a label; longer ones are cut

// What both have ------------------------------------------------------------------------

// A part of a time that may be long.
static kn_time part_of(kn_time time, kn_time count, kn_time of)
{
    return time / of * count + time % of * count / of;
}

// A round step so that marks are at least so far apart.
static kn_time step_for(kn_time least)
{
    kn_time power = 1;
    while (power * 10 <= least) {
        power *= 10;
    }
    return power >= least       ? power
           : power * 2 >= least ? power * 2
           : power * 5 >= least ? power * 5
                                : power * 10;
}

// Seconds with as many digits as the step needs.
static void say_seconds(kn_text *to, kn_time time, kn_time step)
{
    int digits = 0;
    for (kn_time unit = KN_S(1); digits < 6 && step % unit != 0; unit /= 10) {
        digits++;
    }
    long long whole = (long long)(time / KN_S(1));
    long long rest = (long long)(time % KN_S(1));
    for (int i = digits; i < 6; i++) {
        rest /= 10;
    }
    if (digits > 0) {
        kn_text_add(to, "%lld.%0*lld", whole, digits, rest);
    } else {
        kn_text_add(to, "%lld", whole);
    }
}

// Bytes of the first `columns` characters.
static uint32_t cut(const char *words, uint32_t columns)
{
    uint32_t at = 0;
    while (words[at] != 0) {
        bool begins = ((unsigned char)words[at] & 0xC0) != 0x80;
        if (begins && columns-- == 0) {
            break;
        }
        at++;
    }
    return at;
}

static uint32_t columns_of(const char *words)
{
    uint32_t count = 0;
    for (; *words != 0; words++) {
        count += ((unsigned char)*words & 0xC0) != 0x80;
    }
    return count;
}

static const char *row_name(const timeline *t, const timeline_row *row)
{
    return row->number != 0 ? knc_trace_capability_name(t->world, row->capability)
                            : kn_tag_name(kn_world_library(t->world), row->block.tag);
}

static uint32_t names_width(const timeline *t)
{
    uint32_t width = 0;
    for (uint32_t i = 0; i < t->row_count; i++) {
        uint32_t own = columns_of(row_name(t, &t->rows[i]));
        width = own > width ? own : width;
    }
    return width < LABEL_MAX ? width : LABEL_MAX;
}

static void say_who(kn_text *to, const timeline *t, const timeline_row *row)
{
    if (row->is_tag) {
        kn_text_add(to, "the tag itself");
    } else {
        knc_trace_say_source(to, t->trace, t->world, &row->block);
    }
}

static bool is_problem(const timeline *t, const kn_capability_row *row)
{
    return row->kind == KN_CAPABILITY_ROW_PROBLEM && kn_entity_id_equal(row->entity, t->entity) &&
           row->time >= t->from && row->time <= t->to;
}

// Text ----------------------------------------------------------------------------------

static const char letters[KN_CAPABILITY_SPAN_KIND_COUNT] = {
    [KN_CAPABILITY_SPAN_INACTIVE] = '.',
    [KN_CAPABILITY_SPAN_ACTIVE] = '#',
    [KN_CAPABILITY_SPAN_STOPPED] = 'x',
    [KN_CAPABILITY_SPAN_BLOCK] = '=',
    [KN_CAPABILITY_SPAN_TAG] = '=',
};

static kn_time column_time(const timeline *t, uint32_t columns, uint32_t column)
{
    return t->from + part_of(t->to - t->from, column, columns);
}

// The letter of a column: that of the span with most of it, or '*' if one begins and ends within.
static char column_letter(const timeline *t, uint32_t row, kn_time from, kn_time to)
{
    kn_time longest = 0;
    char letter = ' ';
    for (uint32_t i = 0; i < t->span_count; i++) {
        const kn_capability_span *span = &t->spans[i];
        if (span->row != row || span->to <= from || span->from >= to) {
            continue;
        }
        if (span->from > from && span->to < to) {
            return '*';
        }
        kn_time own = (span->to < to ? span->to : to) - (span->from > from ? span->from : from);
        if (own > longest) {
            longest = own;
            letter = letters[span->kind];
        }
    }
    return letter;
}

static void say_scale(kn_text *to, const timeline *t, uint32_t width, uint32_t columns)
{
    const kn_time step = step_for(part_of(t->to - t->from, 10, columns));
    kn_time mark = (t->from + step - 1) / step * step;
    uint32_t at = 0;
    kn_text_add(to, "%*s  ", (int)width, "");
    for (uint32_t i = 0; i < columns; i++) {
        if (column_time(t, columns, i + 1) <= mark || mark > t->to || i < at) {
            if (i >= at) {
                kn_text_add(to, " ");
            }
            continue;
        }
        uint32_t before = to->length;
        kn_text_add(to, "|");
        say_seconds(to, mark, step);
        at = i + (to->length - before);
        mark += step;
    }
    kn_text_add(to, " s\n");
}

static void say_row(
    kn_text *to, const timeline *t, uint32_t index, uint32_t width, uint32_t columns)
{
    const timeline_row *row = &t->rows[index];
    const char *name = row_name(t, row);
    uint32_t own = columns_of(name);
    kn_text_add(
        to, "%.*s%*s  ", (int)cut(name, width), name, (int)(own < width ? width - own : 0), "");
    uint32_t blanks = 0; // none at the end of a line
    for (uint32_t i = 0; i < columns; i++) {
        char letter =
            column_letter(t, index, column_time(t, columns, i), column_time(t, columns, i + 1));
        if (letter == ' ') {
            blanks++;
        } else {
            kn_text_add(to, "%*s%c", (int)blanks, "", letter);
            blanks = 0;
        }
    }
    if (row->number == 0) {
        kn_text_add(to, "%*s  ", (int)blanks, "");
        say_who(to, t, row);
    }
    kn_text_add(to, "\n");
}

static void say_problems(kn_text *to, const timeline *t)
{
    for (uint32_t i = 0; i < kn_capability_trace_count(t->trace); i++) {
        const kn_capability_row *row = knc_trace_row_at(t->trace, i);
        if (is_problem(t, row)) {
            kn_text_add(to, "problem at ");
            knc_trace_say_time(to, row->time);
            kn_text_add(to, ": ");
            knc_trace_say_problem(to, t->world, row);
            kn_text_add(to, "\n");
        }
    }
}

uint32_t kn_capability_timeline_print(const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    timeline t;
    if (knc_timeline_build(&t, trace, world, def)) {
        uint32_t width = names_width(&t);
        bool has_blocks = false;
        knc_trace_say_entity(&out, trace, world, def->entity);
        kn_text_add(&out, " from ");
        knc_trace_say_time(&out, t.from);
        kn_text_add(&out, " to ");
        knc_trace_say_time(&out, t.to);
        kn_text_add(&out, ": # active, . inactive, x stopped, * several in one column\n");
        say_scale(&out, &t, width, def->columns);
        for (uint32_t i = 0; i < t.row_count; i++) {
            if (t.rows[i].number == 0 && !has_blocks) {
                kn_text_add(&out, "stopped by\n");
                has_blocks = true;
            }
            say_row(&out, &t, i, width, def->columns);
        }
        say_problems(&out, &t);
    }
    knc_timeline_free(&t);
    return out.length;
}

// Pictures ------------------------------------------------------------------------------

#define LETTER_WIDTH 8 // of a label, about
#define COLUMN_WIDTH 10
#define ROW_HEIGHT 22
#define BAR_HEIGHT 14
#define HEAD_HEIGHT 80
#define GAP_HEIGHT 30
#define MARGIN 16

typedef struct picture {
    const timeline *t;
    kn_text *out;
    int left, width; // of the time
    int bottom;      // of the rows
} picture;

static void xml_say(kn_text *to, const char *words)
{
    for (; *words != 0; words++) {
        if (*words == '<' || *words == '>' || *words == '&' || *words == '"') {
            kn_text_add(to, "&#%d;", *words);
        } else {
            kn_text_add(to, "%c", *words);
        }
    }
}

static int x_of(const picture *p, kn_time time)
{
    return p->left +
           (int)((double)(time - p->t->from) * p->width / (double)(p->t->to - p->t->from));
}

// The rows of tags are below those of capabilities, with a heading between.
static int y_of(const picture *p, uint32_t row)
{
    bool is_below = p->t->rows[row].number == 0;
    return HEAD_HEIGHT + ROW_HEIGHT * (int)row + (is_below ? GAP_HEIGHT : 0);
}

static void style_draw(kn_text *to)
{
    kn_text_add(to,
        "<style>\n"
        "svg { background: #fff; font: 13px system-ui, sans-serif; }\n"
        "text { fill: #222; }\n"
        ".title { font-size: 16px; font-weight: 600; }\n"
        ".mark { text-anchor: middle; font-size: 11px; fill: #666; }\n"
        ".label { text-anchor: end; }\n"
        ".who, .key { font-size: 12px; fill: #666; }\n"
        ".head { font-weight: 600; fill: #666; }\n"
        ".problem { fill: #c0392b; }\n"
        ".grid { stroke: #8884; }\n"
        ".active { fill: #3a7fb8; }\n"
        ".inactive { fill: #c9ced6; }\n"
        ".stopped { fill: url(#stopped); stroke: #d9622b; }\n"
        ".block { fill: #d9622b; }\n"
        ".stripe { stroke: #d9622b; stroke-width: 2; }\n"
        "@media (prefers-color-scheme: dark) {\n"
        "svg { background: #16181d; }\ntext { fill: #e6e6e6; }\n"
        ".mark, .who, .key, .head { fill: #a0a4ab; }\n"
        ".inactive { fill: #4a505c; }\n.active { fill: #5aa2dd; }\n}\n</style>\n"
        "<defs><pattern id=\"stopped\" width=\"6\" height=\"6\" "
        "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
        "<line x1=\"1\" y1=\"0\" x2=\"1\" y2=\"6\" class=\"stripe\"/></pattern></defs>\n");
}

static void marks_draw(const picture *p)
{
    const timeline *t = p->t;
    const kn_time step = step_for(part_of(t->to - t->from, 80, p->width));
    for (kn_time mark = (t->from + step - 1) / step * step; mark <= t->to; mark += step) {
        int x = x_of(p, mark);
        kn_text_add(p->out,
            "<line x1=\"%d\" y1=\"%d\" x2=\"%d\" y2=\"%d\" class=\"grid\"/>"
            "<text x=\"%d\" y=\"%d\" class=\"mark\">",
            x, HEAD_HEIGHT - 14, x, p->bottom, x, HEAD_HEIGHT - 18);
        say_seconds(p->out, mark, step);
        kn_text_add(p->out, " s</text>\n");
    }
}

// What the pointer shows over a bar.
static void span_title(kn_text *to, const timeline *t, const kn_capability_span *span)
{
    static const char *const words[KN_CAPABILITY_SPAN_KIND_COUNT] = {
        [KN_CAPABILITY_SPAN_INACTIVE] = " is inactive",
        [KN_CAPABILITY_SPAN_ACTIVE] = " is active",
        [KN_CAPABILITY_SPAN_STOPPED] = " is stopped by ",
        [KN_CAPABILITY_SPAN_BLOCK] = " is blocked by ",
        [KN_CAPABILITY_SPAN_TAG] = " stops by ",
    };
    char plain[256];
    kn_text text = kn_text_begin(plain, sizeof(plain));
    const timeline_row *row = &t->rows[span->row];
    kn_text_add(&text, "%s%s", row_name(t, row), words[span->kind]);
    if (span->kind == KN_CAPABILITY_SPAN_STOPPED) {
        kn_text_add(&text, "%s %s", span->is_block ? "a block of" : "the tag",
            kn_tag_name(kn_world_library(t->world), span->tag));
    } else if (row->number == 0) {
        say_who(&text, t, row);
    }
    kn_text_add(&text, " from ");
    knc_trace_say_time(&text, span->from);
    kn_text_add(&text, " to ");
    knc_trace_say_time(&text, span->to);
    xml_say(to, plain);
}

static void bar_draw(kn_text *to, const char *kind, int x, int y, int width)
{
    bool is_thin = strcmp(kind, "inactive") == 0;
    int height = is_thin ? 2 : BAR_HEIGHT;
    kn_text_add(to, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"%s>", kind, x,
        y - height / 2, width > 0 ? width : 1, height, is_thin ? "" : " rx=\"2\"");
}

static void span_draw(const picture *p, const kn_capability_span *span)
{
    static const char *const kinds[KN_CAPABILITY_SPAN_KIND_COUNT] = {
        [KN_CAPABILITY_SPAN_INACTIVE] = "inactive",
        [KN_CAPABILITY_SPAN_ACTIVE] = "active",
        [KN_CAPABILITY_SPAN_STOPPED] = "stopped",
        [KN_CAPABILITY_SPAN_BLOCK] = "block",
        [KN_CAPABILITY_SPAN_TAG] = "block",
    };
    int x = x_of(p, span->from);
    bar_draw(p->out, kinds[span->kind], x, y_of(p, span->row), x_of(p, span->to) - x);
    kn_text_add(p->out, "<title>");
    span_title(p->out, p->t, span);
    kn_text_add(p->out, "</title></rect>\n");
}

static void label_draw(const picture *p, uint32_t index)
{
    const timeline_row *row = &p->t->rows[index];
    const char *name = row_name(p->t, row);
    char shown[LABEL_MAX * 4 + 1], who[256];
    int y = y_of(p, index) + 4;
    (void)snprintf(shown, sizeof(shown), "%.*s", (int)cut(name, LABEL_MAX), name);
    kn_text_add(p->out, "<text x=\"%d\" y=\"%d\" class=\"label\">", p->left - 10, y);
    xml_say(p->out, shown);
    kn_text_add(p->out, "</text>");
    if (row->number == 0) {
        kn_text text = kn_text_begin(who, sizeof(who));
        say_who(&text, p->t, row);
        kn_text_add(p->out, "<text x=\"%d\" y=\"%d\" class=\"who\">", p->left + p->width + 10, y);
        xml_say(p->out, who);
        kn_text_add(p->out, "</text>");
    }
    kn_text_add(p->out, "\n");
}

static void key_draw(const picture *p)
{
    static const char *const keys[][2] = {
        {"active", "active"}, {"inactive", "inactive"}, {"stopped", "stopped"}};
    int x = p->left;
    for (uint32_t i = 0; i < 3; i++) {
        bar_draw(p->out, keys[i][0], x, 38, 22);
        kn_text_add(
            p->out, "</rect><text x=\"%d\" y=\"42\" class=\"key\">%s</text>\n", x + 28, keys[i][1]);
        x += 100;
    }
}

static uint32_t problems_draw(const picture *p, int y)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < kn_capability_trace_count(p->t->trace); i++) {
        const kn_capability_row *row = knc_trace_row_at(p->t->trace, i);
        if (!is_problem(p->t, row)) {
            continue;
        }
        if (p->out != NULL) {
            char plain[256];
            kn_text text = kn_text_begin(plain, sizeof(plain));
            knc_trace_say_time(&text, row->time);
            kn_text_add(&text, ": ");
            knc_trace_say_problem(&text, p->t->world, row);
            kn_text_add(p->out, "<text x=\"%d\" y=\"%d\" class=\"problem\">", MARGIN,
                y + ROW_HEIGHT * (int)count);
            xml_say(p->out, plain);
            kn_text_add(p->out, "</text>\n");
        }
        count++;
    }
    return count;
}

// Room on the right for who blocks.
static int who_width(const timeline *t)
{
    uint32_t columns = 0;
    for (uint32_t i = 0; i < t->row_count; i++) {
        char plain[256];
        kn_text text = kn_text_begin(plain, sizeof(plain));
        if (t->rows[i].number == 0) {
            say_who(&text, t, &t->rows[i]);
            columns = text.length > columns ? text.length : columns;
        }
    }
    return columns > 0 ? (int)columns * LETTER_WIDTH + 10 : 0;
}

static void title_draw(const picture *p, const kn_capability_timeline_def *def)
{
    char plain[256];
    kn_text text = kn_text_begin(plain, sizeof(plain));
    if (def->title != NULL) {
        kn_text_add(&text, "%s", def->title);
    } else {
        kn_text_add(&text, "Capabilities of ");
        knc_trace_say_entity(&text, p->t->trace, p->t->world, def->entity);
    }
    kn_text_add(p->out, "<title>");
    xml_say(p->out, plain);
    kn_text_add(p->out, "</title>\n");
    style_draw(p->out);
    kn_text_add(p->out, "<text x=\"%d\" y=\"22\" class=\"title\">", MARGIN);
    xml_say(p->out, plain);
    kn_text_add(p->out, "</text>\n");
}

static void picture_draw(const timeline *t, const kn_capability_timeline_def *def, kn_text *out)
{
    picture p = {.t = t,
        .left = MARGIN + 10 + (int)names_width(t) * LETTER_WIDTH,
        .width = (int)def->columns * COLUMN_WIDTH};
    uint32_t problems = problems_draw(&p, 0);
    bool has_blocks = t->rows[t->row_count - 1].number == 0;
    p.out = out;
    p.bottom = y_of(&p, t->row_count - 1) + ROW_HEIGHT / 2;
    int width = p.left + p.width + who_width(t) + MARGIN * 2;
    int height = p.bottom + MARGIN + (problems > 0 ? ROW_HEIGHT * (int)problems + 8 : 0);
    kn_text_add(out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
        "height=\"%d\" role=\"img\">\n",
        width, height, width, height);
    title_draw(&p, def);
    key_draw(&p);
    marks_draw(&p);
    for (uint32_t i = 0; i < t->row_count; i++) {
        if (has_blocks && t->rows[i].number == 0 && (i == 0 || t->rows[i - 1].number != 0)) {
            kn_text_add(out, "<text x=\"%d\" y=\"%d\" class=\"label head\">stopped by</text>\n",
                p.left - 10, y_of(&p, i) - ROW_HEIGHT + 2);
        }
        label_draw(&p, i);
    }
    for (uint32_t i = 0; i < t->span_count; i++) {
        span_draw(&p, &t->spans[i]);
    }
    (void)problems_draw(&p, p.bottom + ROW_HEIGHT);
    kn_text_add(out, "</svg>\n");
}

uint32_t kn_capability_timeline_svg(const kn_capability_trace *trace, const kn_world *world,
    const kn_capability_timeline_def *def, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    timeline t;
    if (knc_timeline_build(&t, trace, world, def)) {
        picture_draw(&t, def, &out);
    }
    knc_timeline_free(&t);
    return out.length;
}
