// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Draws the pictures of docs/pictures: what the policies of effects do over time. Each row is a
// real run of an effect that is written in YAML; bars are its stacks, dots its ticks, triangles the
// applications.
// usage: page_timelines PICTURE; without one: lists them

#include "knack/data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAMPLE KN_MS(50)
#define SAMPLES_MAX 512
#define TICKS_MAX 64
#define ROWS_MAX 8
#define ACTIONS_MAX 8
#define EFFECTS_MAX 16

#define LABEL_WIDTH 280
#define SECOND_WIDTH 32
#define ROW_HEIGHT 44
#define STACK_HEIGHT 7
#define TOP 34

// What is done: an application by source 1 or 2, or the tag State.Off on or off.
typedef enum kind { END, APPLY, OFF, ON } kind;

typedef struct action {
    kind kind;
    int ms;
    int source;
} action;

typedef struct picture {
    const char *name;
    const char *title;
    const char *before;         // the effect: what comes before the setting of a row,
    const char *after;          // and what comes after it
    const char *rows[ROWS_MAX]; // settings
    int seconds;
    action actions[ACTIONS_MAX];
} picture;

#define STACKING "stacking: {kind: by_target, "

static const picture pictures[] = {
    {"duration", "Duration and period, applied at 0 s", "", "",
        {"duration: 5", "duration: infinite", "duration: 5, period: 2",
            "duration: 5, period: 2, skip_first_tick: true",
            "duration: 5, period: 2, partial_last_tick: true"},
        8, {{APPLY, 0, 1}}},
    {"stacking-kind", "stacking, 4 s, applied by one source at 0 s and 2 s, by another at 1 s",
        "duration: 4, stacking: {", "}", {"kind: none", "kind: by_source", "kind: by_target"}, 8,
        {{APPLY, 0, 1}, {APPLY, 1000, 2}, {APPLY, 2000, 1}}},
    {"stacking-rule", "Rules for a further application: 2 stacks of 5 s, applied again at 2 s",
        "duration: 5, " STACKING "initial: 2, ", "}",
        {"on_equal_level: join", "on_equal_level: refuse", "on_equal_level: take_over",
            "on_equal_level: restart"},
        9, {{APPLY, 0, 1}, {APPLY, 2000, 1}}},
    {"stacking-overflow", "At a limit of 2 stacks, 4 s, applied at 0 s, 1 s and 2 s",
        "duration: 4, " STACKING "limit: 2, ", "}",
        {"deny_overflow: false", "deny_overflow: true",
            "deny_overflow: true, clear_on_overflow: true"},
        8, {{APPLY, 0, 1}, {APPLY, 1000, 1}, {APPLY, 2000, 1}}},
    {"stacking-refresh", "refresh: 10 s, a tick every 2 s, applied at 0 s and 7 s",
        "duration: 10, period: 2, " STACKING "period_reset: keep, ", "}",
        {"refresh: restart", "refresh: never", "refresh: extend", "refresh: keep_longer",
            "refresh: pandemic", "refresh: complete_period", "refresh: align_tick"},
        22, {{APPLY, 0, 1}, {APPLY, 7000, 1}}},
    {"stacking-period", "Ticks of a stack: 6 s, a tick every 2 s, applied at 0 s and 3 s",
        "duration: 6, period: 2, " STACKING, "}",
        {"period_reset: reset", "period_reset: keep", "period_reset: keep, tick_on_stack: true"},
        11, {{APPLY, 0, 1}, {APPLY, 3000, 1}}},
    {"stacking-expiration", "expiration: three stacks of 4 s, applied at 0 s",
        "duration: 4, " STACKING "initial: 3, ", "}",
        {"expiration: clear", "expiration: one_and_refresh", "expiration: refresh"}, 14,
        {{APPLY, 0, 1}}},
    {"stacking-at-cap", "own_timers: at most 2 stacks of 4 s each, applied at 0 s, 1 s and 2 s",
        "duration: 4, " STACKING "limit: 2, own_timers: true, ", "}",
        {"at_cap: replace_oldest", "at_cap: replace_first_ending", "at_cap: refuse"}, 8,
        {{APPLY, 0, 1}, {APPLY, 1000, 1}, {APPLY, 2000, 1}}},
    {"inhibit-period", "inhibit_period: 10 s, a tick every 2 s, inhibited from 2.5 s to 5.5 s",
        "duration: 10, period: 2, ongoing: {target: {ignored: [State.Off]}}, ", "",
        {"inhibit_period: never_reset", "inhibit_period: reset",
            "inhibit_period: execute_and_reset", "inhibit_period: pause"},
        12, {{APPLY, 0, 1}, {OFF, 2500, 0}, {ON, 5500, 0}}},
};
#define PICTURE_COUNT (sizeof pictures / sizeof *pictures)

// What happened in one row.
typedef struct track {
    uint32_t effects[SAMPLES_MAX]; // effects at a time, and
    uint32_t stacks[SAMPLES_MAX];  // stacks of them all
    bool off[SAMPLES_MAX];
    kn_time ticks[TICKS_MAX];
    uint32_t tick_count;
    bool refused[ACTIONS_MAX];
} track;

static void must(kn_result result, const char *what)
{
    if (result != KN_OK) {
        (void)fprintf(stderr, "%s: %s\n", what, kn_result_name(result));
        exit(1);
    }
}

// The run -------------------------------------------------------------------

static kn_library *library_build(const picture *p, const char *row)
{
    char text[1024];
    (void)snprintf(text, sizeof text,
        "tags: [State.Off]\n"
        "attribute_sets: {Vitals: {attributes: {Health: 100}}}\n"
        "effects: {Shown: {%s%s%s, modifiers: {Vitals.Health: -1}}}\n",
        p->before, row, p->after);
    kn_data_def def = kn_data_def_default();
    kn_data *data;
    kn_library *library;
    must(kn_data_create(&def, &data), "data");
    must(kn_data_add_text(data, "shown.yaml", text, strlen(text)), "text");
    kn_result result = kn_data_build(data, &library);
    for (uint32_t i = 0; i < kn_data_message_count(data); i++) {
        kn_data_message message = kn_data_message_at(data, i);
        if (message.is_error) {
            (void)fprintf(stderr, "%s: %s\n", row, message.text);
        }
    }
    must(result, row);
    kn_data_destroy(data);
    return library;
}

static bool act(kn_world *world, const action *a, kn_effect_type_id type, const kn_entity_id *who)
{
    kn_tag off = kn_tag_find(kn_world_library(world), "State.Off");
    if (a->kind == APPLY) {
        return kn_effect_apply_simple(world, type, who[a->source], who[0], 1, NULL) == KN_OK;
    }
    must(a->kind == OFF ? kn_entity_add_tag(world, who[0], off, KN_TAG_ORIGIN_LOOSE, 1)
                        : kn_entity_remove_tag(world, who[0], off, KN_TAG_ORIGIN_LOOSE, 1),
        "tag");
    return true;
}

static void look(const kn_world *world, kn_entity_id target, track *t, int sample)
{
    kn_effect_id effects[EFFECTS_MAX];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(world, target, &query, effects, EFFECTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        kn_effect_info info;
        if (kn_effect_get(world, effects[i], &info)) {
            t->effects[sample]++;
            t->stacks[sample] += info.stacks;
            t->off[sample] |= info.is_inhibited;
        }
    }
}

static void note_ticks(const kn_world *world, track *t)
{
    kn_events events = kn_world_events(world);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].type == KN_EVENT_EFFECT_EXECUTED && t->tick_count < TICKS_MAX) {
            t->ticks[t->tick_count++] = events.data[i].time;
        }
    }
}

static void play(const picture *p, const char *row, track *t)
{
    memset(t, 0, sizeof *t);
    kn_library *library = library_build(p, row);
    kn_world_def def = kn_world_def_default();
    def.library = library;
    def.event_mask |= UINT64_C(1) << KN_EVENT_EFFECT_EXECUTED;
    kn_world *world;
    must(kn_world_create(&def, &world), "world");
    kn_entity_id who[3];
    for (int i = 0; i < 3; i++) {
        must(kn_entity_create(world, &who[i]), "entity");
        must(kn_attribute_set_add(world, who[i], kn_attribute_set_find(library, "Vitals"), 0),
            "set");
    }
    kn_effect_type_id type = kn_effect_type_find(library, "Shown");
    for (int sample = 0; sample * SAMPLE < KN_S(p->seconds); sample++) {
        for (int a = 0; a < ACTIONS_MAX && p->actions[a].kind != END; a++) {
            if (KN_MS(p->actions[a].ms) == sample * SAMPLE) {
                t->refused[a] = !act(world, &p->actions[a], type, who);
            }
        }
        look(world, who[0], t, sample);
        must(kn_world_step(world, SAMPLE), "step");
        note_ticks(world, t);
    }
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// The picture ---------------------------------------------------------------

static int x_of(kn_time time)
{
    return LABEL_WIDTH + (int)(time * SECOND_WIDTH / KN_S(1));
}

static void put_text(const char *text)
{
    for (const char *at = text; *at != 0; at++) {
        switch (*at) {
        case '<':
            (void)printf("&lt;");
            break;
        case '&':
            (void)printf("&amp;");
            break;
        default:
            (void)printf("%c", *at);
            break;
        }
    }
}

static bool is_same(const track *t, int a, int b)
{
    return t->effects[a] == t->effects[b] && t->stacks[a] == t->stacks[b] && t->off[a] == t->off[b];
}

static void put_bars(const picture *p, const track *t, int bottom)
{
    int count = (int)(KN_S(p->seconds) / SAMPLE);
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && is_same(t, begin, end);) {
            end++;
        }
        uint32_t stacks = t->stacks[begin];
        if (stacks == 0) {
            continue;
        }
        int x = x_of(begin * SAMPLE), width = x_of(end * SAMPLE) - x;
        int height = (int)stacks * STACK_HEIGHT;
        (void)printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
            t->off[begin] ? "off" : "on", x, bottom - height, width, height);
        if (t->effects[begin] > 1) {
            (void)printf("<text class=\"n\" x=\"%d\" y=\"%d\">%u effects</text>\n", x + 8,
                bottom - 2, t->effects[begin]);
        } else if (stacks > 1) {
            (void)printf(
                "<text class=\"n\" x=\"%d\" y=\"%d\">%u</text>\n", x + 8, bottom - 2, stacks);
        }
    }
}

static void put_marks(const picture *p, const track *t, int bottom)
{
    for (uint32_t i = 0; i < t->tick_count; i++) {
        (void)printf("<circle cx=\"%d\" cy=\"%d\" r=\"2.5\"/>\n", x_of(t->ticks[i]), bottom - 3);
    }
    for (int a = 0; a < ACTIONS_MAX && p->actions[a].kind != END; a++) {
        int x = x_of(KN_MS(p->actions[a].ms));
        if (p->actions[a].kind == APPLY) {
            (void)printf("<path class=\"%s\" d=\"M%d %dl-4 7h8z\"/>\n",
                t->refused[a] ? "no" : "yes", x, bottom + 2);
        }
    }
}

static void put_axis(const picture *p, int height)
{
    for (int second = 0; second <= p->seconds; second++) {
        int x = x_of(KN_S(second));
        (void)printf("<path class=\"grid\" d=\"M%d %dV%d\"/>\n", x, TOP - 8, height - 16);
        if (second % 2 == 0) {
            (void)printf(
                "<text class=\"s\" x=\"%d\" y=\"%d\">%d s</text>\n", x, height - 4, second);
        }
    }
}

static void draw(const picture *p)
{
    int rows = 0;
    while (rows < ROWS_MAX && p->rows[rows] != NULL) {
        rows++;
    }
    int width = LABEL_WIDTH + p->seconds * SECOND_WIDTH + 20;
    int height = TOP + rows * ROW_HEIGHT + 30;
    (void)printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                 "height=\"%d\" role=\"img\">\n<title>",
        width, height, width, height);
    put_text(p->title);
    (void)printf("</title>\n<style>svg{background:#fff;font:12px sans-serif}"
                 ".t{font-weight:bold}.n,.s{font-size:10px}.s{text-anchor:middle;fill:#666}"
                 ".on{fill:#7aa6d8}.off{fill:#ddd}.grid{stroke:#eee}circle{fill:#c33}"
                 ".yes{fill:#383}.no{fill:none;stroke:#c33}</style>\n");
    (void)printf("<text class=\"t\" x=\"8\" y=\"18\">");
    put_text(p->title);
    (void)printf("</text>\n");
    put_axis(p, height);
    for (int i = 0; i < rows; i++) {
        static track t;
        int bottom = TOP + (i + 1) * ROW_HEIGHT - 14;
        play(p, p->rows[i], &t);
        (void)printf("<text x=\"8\" y=\"%d\">", bottom - 4);
        put_text(p->rows[i]);
        (void)printf("</text>\n");
        put_bars(p, &t, bottom);
        put_marks(p, &t, bottom);
    }
    (void)printf("</svg>\n");
}

int main(int argc, char **argv)
{
    for (size_t i = 0; i < PICTURE_COUNT; i++) {
        if (argc < 2) {
            (void)printf("%s\n", pictures[i].name);
        } else if (strcmp(argv[1], pictures[i].name) == 0) {
            draw(&pictures[i]);
            return 0;
        }
    }
    return argc < 2 ? 0 : 1;
}
