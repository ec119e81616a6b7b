// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Draws the pictures of docs/pictures: what policies do over time. Each row is a real run of a
// library that is written in YAML; bars are effects and their stacks, abilities, charges or a
// value, dots are ticks, triangles are applications and activations. usage: page_timelines PICTURE;
// without one: lists them

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
#define LANES_MAX 4

#define LETTER_WIDTH 65 / 10
#define SECOND_WIDTH 36
#define THIN_HEIGHT 15
#define STACK_HEIGHT 8
#define VALUE_HEIGHT 24
#define TOP 34

// What is done: an application of an effect by source 1 or 2, at a level; a use of the ability
// Shown; the tag State.Off added or removed; the base of Vitals.Pace set.
typedef enum kind { END, APPLY, USE, OFF, ON, SET } kind;

typedef struct action {
    kind kind;
    int ms;
    int source;
    int number;         // the level; 0: 1. SET: the new value
    const char *effect; // NULL: Shown
} action;

// What the bars are: all effects together, as high as their stacks; a lane for each effect; a lane
// for each type of effect and source, and for the ability; the charges of the ability; the value of
// Vitals.Health.
typedef enum view { STACKS, EACH, LANES, CHARGES, VALUE } view;

typedef struct picture {
    const char *name;
    const char *title;
    const char *library;        // `@` is the setting of a row
    const char *rows[ROWS_MAX]; // settings; with a label of its own: "label|setting"
    int seconds;
    action actions[ACTIONS_MAX];
    view view;
    bool amounts;          // ticks have the amount they take
    const char *attribute; // the value of it is written above each row
    const char *pace;      // the default of Vitals.Pace
} picture;

#define EFFECT(...) "effects: {Shown: {" __VA_ARGS__ ", modifiers: {Vitals.Health: -1}}}\n"
#define STACKING "stacking: {kind: by_target, "

#define BY_LEVEL(merge)                                                                            \
    "merge: " merge "|" STACKING "period_reset: keep, merge: " merge "}, modifiers: "              \
    "{Vitals.Health: {magnitude: -1 * level, scaling: never}}"
#define POOL                                                                                       \
    "merge: pool|" STACKING "period_reset: keep, merge: pool}, modifiers: {Vitals.Health: "        \
    "{magnitude: {kind: pool, pre_add: {value: 6, curve: Level}, scale: -1}, scaling: never}}"

static const picture pictures[] = {
    {"duration", "Duration and period, applied at 0 s", EFFECT("@"),
        {"duration: 5", "duration: infinite", "duration: 5, period: 2",
            "duration: 5, period: 2, skip_first_tick: true",
            "duration: 5, period: 2, partial_last_tick: true", "duration: 5, period: 2, haste: 2"},
        8, {{APPLY, 0, 1, 0, NULL}}, STACKS, true, NULL, NULL},
    {"live-duration", "live_duration: lasts Pace seconds; Pace goes from 6 to 4 at 2 s",
        EFFECT("duration: target.Vitals.Pace, @"),
        {"live_duration: none", "live_duration: next", "live_duration: rescale"}, 8,
        {{APPLY, 0, 1, 0, NULL}, {SET, 2000, 0, 4, NULL}}, STACKS, false, "Vitals.Pace", "6"},
    {"live-period", "live_period: a tick every Pace seconds; Pace goes from 4 to 2 at 5 s",
        EFFECT("duration: 12, period: target.Vitals.Pace, @"),
        {"live_period: none", "live_period: next", "live_period: rescale"}, 14,
        {{APPLY, 0, 1, 0, NULL}, {SET, 5000, 0, 2, NULL}}, STACKS, false, "Vitals.Pace", "4"},
    {"stacking-kind",
        "kind: an effect of 4 s, applied by one source at 0 s and 2 s, by another at 1 s",
        EFFECT("duration: 4, stacking: {@}"), {"kind: none", "kind: by_source", "kind: by_target"},
        8, {{APPLY, 0, 1, 0, NULL}, {APPLY, 1000, 2, 0, NULL}, {APPLY, 2000, 1, 0, NULL}}, EACH,
        false, NULL, NULL},
    {"stacking-rule", "Rules for a further application: 2 stacks of 5 s, applied again at 2 s",
        EFFECT("duration: 5, " STACKING "initial: 2, @}"),
        {"on_equal_level: join", "on_equal_level: refuse", "on_equal_level: take_over",
            "on_equal_level: restart"},
        9, {{APPLY, 0, 1, 0, NULL}, {APPLY, 2000, 1, 0, NULL}}, STACKS, false, NULL, NULL},
    {"stacking-merge",
        "merge: a tick takes the level of the stack; applied at level 2, 5 and 3, for 6 s each",
        "curves: {Level: [[1, 1], [10, 10]]}\n"
        "effects: {Shown: {duration: 6, period: 1, skip_first_tick: true, @}}\n",
        {BY_LEVEL("latest"), BY_LEVEL("highest_level"), BY_LEVEL("first"), POOL}, 12,
        {{APPLY, 0, 1, 2, NULL}, {APPLY, 2500, 2, 5, NULL}, {APPLY, 4500, 1, 3, NULL}}, STACKS,
        true, NULL, NULL},
    {"stacking-overflow", "At a limit of 2 stacks, 4 s, applied at 0 s, 1 s and 2 s",
        EFFECT("duration: 4, " STACKING "limit: 2, @}"),
        {"deny_overflow: false", "deny_overflow: true",
            "deny_overflow: true, clear_on_overflow: true"},
        8, {{APPLY, 0, 1, 0, NULL}, {APPLY, 1000, 1, 0, NULL}, {APPLY, 2000, 1, 0, NULL}}, STACKS,
        false, NULL, NULL},
    {"stacking-refresh", "refresh: 10 s, a tick every 2 s, applied at 0 s and 7 s",
        EFFECT("duration: 10, period: 2, " STACKING "period_reset: keep, @}"),
        {"refresh: restart", "refresh: never", "refresh: extend", "refresh: keep_longer",
            "refresh: pandemic", "refresh: complete_period", "refresh: align_tick"},
        22, {{APPLY, 0, 1, 0, NULL}, {APPLY, 7000, 1, 0, NULL}}, STACKS, false, NULL, NULL},
    {"stacking-period", "Ticks of a stack: 6 s, a tick every 2 s, applied at 0 s and 3 s",
        EFFECT("duration: 6, period: 2, " STACKING "@}"),
        {"period_reset: reset", "period_reset: keep", "period_reset: keep, tick_on_stack: true"},
        11, {{APPLY, 0, 1, 0, NULL}, {APPLY, 3000, 1, 0, NULL}}, STACKS, false, NULL, NULL},
    {"stacking-expiration", "expiration: three stacks of 4 s, applied at 0 s",
        EFFECT("duration: 4, " STACKING "initial: 3, @}"),
        {"expiration: clear", "expiration: one_and_refresh", "expiration: refresh"}, 14,
        {{APPLY, 0, 1, 0, NULL}}, STACKS, false, NULL, NULL},
    {"stacking-timers", "Timers of stacks: 4 s, applied at 0 s, 1 s and 2.5 s",
        EFFECT("duration: 4, " STACKING "@}"),
        {"own_timers: false", "own_timers: true", "own_timers: true, limit_per_source: 2",
            "common_timer: true, common_duration: 2|own_timers: true, common_timer: true, "
            "common_duration: 2"},
        8, {{APPLY, 0, 1, 0, NULL}, {APPLY, 1000, 1, 0, NULL}, {APPLY, 2500, 1, 0, NULL}}, STACKS,
        false, NULL, NULL},
    {"stacking-at-cap", "own_timers: at most 2 stacks of 4 s each, applied at 0 s, 1 s and 2 s",
        EFFECT("duration: 4, " STACKING "limit: 2, own_timers: true, @}"),
        {"at_cap: replace_oldest", "at_cap: replace_first_ending", "at_cap: refuse"}, 8,
        {{APPLY, 0, 1, 0, NULL}, {APPLY, 1000, 1, 0, NULL}, {APPLY, 2000, 1, 0, NULL}}, STACKS,
        false, NULL, NULL},
    {"exclusive-rule",
        "exclusive_rule: Speed 10; Hard takes 5, Soft 2, for 6 s each; by sources 1, 2 and 1",
        "effects:\n"
        "  Base: {exclusive_group: Group.Slow, exclusive_rule: @, duration: 6}\n"
        "  Hard: {parent: Base, modifiers: {Vitals.Speed: -5}}\n"
        "  Soft: {parent: Base, modifiers: {Vitals.Speed: -2}}\n",
        {"exclusive_rule: newest|newest", "exclusive_rule: newest_per_source|newest_per_source",
            "exclusive_rule: strongest|strongest", "exclusive_rule: best_counts|best_counts",
            "exclusive_rule: name_once|name_once"},
        10, {{APPLY, 0, 1, 0, "Hard"}, {APPLY, 1000, 2, 0, "Soft"}, {APPLY, 2000, 1, 0, "Soft"}},
        LANES, false, "Vitals.Speed", NULL},
    {"inhibit-period", "inhibit_period: 10 s, a tick every 2 s, inhibited from 2.5 s to 5.5 s",
        EFFECT("duration: 10, period: 2, ongoing: {target: {ignored: [State.Off]}}, @"),
        {"inhibit_period: never_reset", "inhibit_period: reset",
            "inhibit_period: execute_and_reset", "inhibit_period: pause"},
        12, {{APPLY, 0, 1, 0, NULL}, {OFF, 2500, 0, 0, NULL}, {ON, 5500, 0, 0, NULL}}, STACKS,
        false, NULL, NULL},
    {"child-when",
        "children: at most 2 stacks of 4 s, applied at 0 s, 1 s and 2 s; a child of 0.6 s",
        "effects:\n"
        "  Parent: {duration: 4, " STACKING "limit: 2}, children: [{@}]}\n"
        "  Child: {duration: 0.6}\n"
        "  Held: {duration: infinite}\n",
        {"when: applied|type: Child, when: applied", "when: expired|type: Child, when: expired",
            "when: ended|type: Child, when: ended", "when: overflow|type: Child, when: overflow",
            "when: count_reached, count: 2|type: Child, when: count_reached, count: 2",
            "when: count_held, count: 2 (infinite child)|type: Held, when: count_held, count: 2"},
        8,
        {{APPLY, 0, 1, 0, "Parent"}, {APPLY, 1000, 1, 0, "Parent"}, {APPLY, 2000, 1, 0, "Parent"}},
        LANES, false, NULL, NULL},
    {"grant-removal", "removal: an effect of 4 s grants an ability of 4 s, which is used at 2 s",
        "effects: {Gift: {duration: 4, grants: {Shown: {@}}}}\n"
        "abilities: {Shown: {body: timed, lasts: 4}}\n",
        {"removal: cancel", "removal: after_end", "removal: keep"}, 9,
        {{APPLY, 0, 1, 0, "Gift"}, {USE, 2000, 0, 0, NULL}, {USE, 7000, 0, 0, NULL}}, LANES, false,
        NULL, NULL},
    {"grant-follow",
        "follow_inhibition: the effect is inhibited from 3 s to 7 s; its ability is used at 1, 4, "
        "8 s",
        "effects: {Gift: {duration: infinite, ongoing: {target: {ignored: [State.Off]}}, grants: "
        "{Shown: {@}}}}\n"
        "abilities: {Shown: {body: timed, lasts: 4}}\n",
        {"follow_inhibition: ignore", "follow_inhibition: cancel", "follow_inhibition: after_end"},
        12,
        {{APPLY, 0, 1, 0, "Gift"}, {USE, 1000, 0, 0, NULL}, {OFF, 3000, 0, 0, NULL},
            {USE, 4000, 0, 0, NULL}, {ON, 7000, 0, 0, NULL}, {USE, 8000, 0, 0, NULL}},
        LANES, false, NULL, NULL},
    {"cooldown", "cooldowns: charges of an ability that is used at 0, 0.5, 1, 4 and 5.5 s",
        "effects: {Gift: {duration: infinite, grants: [Shown]}}\n"
        "abilities: {Shown: {body: use, cooldowns: [{@}]}}\n",
        {"duration: 3", "duration: 3, charges: 3", "duration: 3, charges: 3, spacing: 1",
            "duration: 3, charges: 3, restart_on_use: true",
            "duration: 3, charges: 3, all_after_idle: true",
            "duration: 3, charges: 3, returned: 2"},
        14,
        {{APPLY, 0, 1, 0, "Gift"}, {USE, 0, 0, 0, NULL}, {USE, 500, 0, 0, NULL},
            {USE, 1000, 0, 0, NULL}, {USE, 4000, 0, 0, NULL}, {USE, 5500, 0, 0, NULL}},
        CHARGES, false, NULL, NULL},
    {"attribute-link",
        "link: Health 80 of 100; MaxHealth is 50 from 1 s to 4 s; a hit for 10 at 6 s",
        "attribute_sets: {Vitals: {attributes: {Health: {default_value: 80, base_min: 0, base_max: "
        "MaxHealth, @}, "
        "MaxHealth: 100, Pace: 1, Speed: 10}}}\n"
        "effects:\n"
        "  Weak: {duration: 3, modifiers: {Vitals.MaxHealth: -50}}\n"
        "  Hit: {modifiers: {Vitals.Health: -10}}\n",
        {"link: clamp", "link: keep", "link: proportion"}, 9,
        {{APPLY, 1000, 1, 0, "Weak"}, {APPLY, 6000, 1, 0, "Hit"}}, VALUE, false, NULL, NULL},
};
#define PICTURE_COUNT (sizeof pictures / sizeof *pictures)

typedef enum style { NOTHING, ACTING, INHIBITED, GRANTED } style;

// One bar of a row over time.
typedef struct lane {
    char name[48];
    uint64_t key[2]; // what it is about
    style styles[SAMPLES_MAX];
    uint32_t heights[SAMPLES_MAX]; // stacks or charges; 1 for lanes
    uint32_t effects[SAMPLES_MAX]; // how many are in it
} lane;

// What happened in one row.
typedef struct track {
    lane lanes[LANES_MAX];
    uint32_t lane_count;
    float values[SAMPLES_MAX]; // of the attribute to write
    kn_time ticks[TICKS_MAX];
    uint32_t tick_count;
    kn_time losses[TICKS_MAX]; // when Vitals.Health changed,
    float amounts[TICKS_MAX];  // and by how much
    uint32_t loss_count;
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

static const char *setting_of(const char *row)
{
    const char *bar = strchr(row, '|');
    return bar != NULL ? bar + 1 : row;
}

static kn_library *library_build(const picture *p, const char *row)
{
    char text[2048];
    int size = snprintf(text, sizeof text, "tags: [State.Off, Group.Slow]\n");
    if (strstr(p->library, "attribute_sets") == NULL) {
        size += snprintf(text + size, sizeof text - (size_t)size,
            "attribute_sets: {Vitals: {attributes: {Health: 100, Speed: 10, Pace: %s}}}\n",
            p->pace != NULL ? p->pace : "1");
    }
    for (const char *at = p->library; *at != 0; at++) {
        size_t room = sizeof text - (size_t)size;
        size += *at == '@' ? snprintf(text + size, room, "%s", setting_of(row))
                           : snprintf(text + size, room, "%c", *at);
    }
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

static kn_ability_id ability_of(const kn_world *world, kn_entity_id entity)
{
    kn_ability_query query = kn_ability_query_default();
    kn_ability_id ability = {0};
    (void)kn_abilities_find(world, entity, &query, &ability, 1);
    return ability;
}

static bool act(kn_world *world, const action *a, const kn_entity_id *who)
{
    const kn_library *library = kn_world_library(world);
    kn_tag off = kn_tag_find(library, "State.Off");
    switch (a->kind) {
    case APPLY:
        return kn_effect_apply_simple(world,
                   kn_effect_type_find(library, a->effect != NULL ? a->effect : "Shown"),
                   who[a->source], who[0], a->number > 0 ? (float)a->number : 1.0f, NULL) == KN_OK;
    case USE:
        return kn_ability_activate(world, ability_of(world, who[0]), NULL, NULL) == KN_OK;
    case SET:
        must(kn_attribute_set_base(
                 world, who[0], kn_attribute_find(library, "Vitals.Pace"), 0, (float)a->number),
            "attribute");
        return true;
    default:
        must(a->kind == OFF ? kn_entity_add_tag(world, who[0], off, KN_TAG_ORIGIN_LOOSE, 1)
                            : kn_entity_remove_tag(world, who[0], off, KN_TAG_ORIGIN_LOOSE, 1),
            "tag");
        return true;
    }
}

static lane *lane_of(track *t, uint64_t key, uint64_t second_key)
{
    for (uint32_t i = 0; i < t->lane_count; i++) {
        if (t->lanes[i].key[0] == key && t->lanes[i].key[1] == second_key) {
            return &t->lanes[i];
        }
    }
    if (t->lane_count == LANES_MAX) {
        (void)fprintf(stderr, "too many lanes\n");
        exit(1);
    }
    lane *new_lane = &t->lanes[t->lane_count++];
    new_lane->key[0] = key;
    new_lane->key[1] = second_key;
    return new_lane;
}

static void look_at_effect(const picture *p, const kn_world *world, kn_effect_id id,
    const kn_entity_id *who, track *t, int sample)
{
    kn_effect_info all, *info = &all;
    if (!kn_effect_get(world, id, info)) {
        return;
    }
    lane *at = p->view == EACH    ? lane_of(t, kn_effect_id_pack(id), 0)
               : p->view == LANES ? lane_of(t, info->type.index1, kn_entity_id_pack(info->source))
                                  : lane_of(t, 0, 0);
    bool from_second = kn_entity_id_equal(info->source, who[2]);
    bool is_exclusive = p->attribute != NULL && p->view == LANES;
    (void)snprintf(at->name, sizeof at->name, "%s%s", kn_effect_type_name(world, info->type),
        !is_exclusive ? ""
        : from_second ? " of 2"
                      : " of 1");
    at->effects[sample]++;
    at->heights[sample] += p->view == LANES ? 1 : info->stacks;
    at->styles[sample] = info->is_inhibited ? INHIBITED : ACTING;
}

static void look_at_ability(
    const kn_world *world, kn_entity_id entity, bool has_ability, track *t, int sample)
{
    kn_ability_id id = ability_of(world, entity);
    if (!has_ability) {
        return;
    }
    lane *at = lane_of(t, 0, 0);
    (void)snprintf(at->name, sizeof at->name, "ability");
    kn_ability_info info;
    if (kn_ability_get(world, id, &info)) {
        at->effects[sample] = 1;
        at->heights[sample] = 1;
        at->styles[sample] = info.active_count > 0 ? ACTING : GRANTED;
    }
}

static void look_at_charges(const kn_world *world, kn_entity_id entity, track *t, int sample)
{
    kn_cooldown_info info;
    if (kn_ability_cooldowns(world, ability_of(world, entity), &info, 1) == 1) {
        lane *at = lane_of(t, 0, 0);
        at->effects[sample] = 1;
        at->heights[sample] = info.charges;
        at->styles[sample] = ACTING;
    }
}

static void look(
    const picture *p, const kn_world *world, const kn_entity_id *who, track *t, int sample)
{
    const kn_library *library = kn_world_library(world);
    kn_attribute_id shown =
        kn_attribute_find(library, p->attribute != NULL ? p->attribute : "Vitals.Health");
    t->values[sample] = kn_attribute_value(world, who[0], shown);
    if (p->view == CHARGES) {
        look_at_charges(world, who[0], t, sample);
        return;
    }
    if (p->view == VALUE) {
        lane *at = lane_of(t, 0, 0);
        at->effects[sample] = 1;
        at->heights[sample] = (uint32_t)t->values[sample];
        at->styles[sample] = ACTING;
        return;
    }
    kn_effect_id effects[EFFECTS_MAX];
    kn_effect_query query = kn_effect_query_default();
    uint32_t count = kn_effects_find(world, who[0], &query, effects, EFFECTS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        look_at_effect(p, world, effects[i], who, t, sample);
    }
    if (p->view == LANES) {
        look_at_ability(world, who[0], strstr(p->library, "abilities") != NULL, t, sample);
    }
}

static void note_ticks(const kn_world *world, track *t)
{
    kn_attribute_id health = kn_attribute_find(kn_world_library(world), "Vitals.Health");
    kn_events events = kn_world_events(world);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        if (event->type == KN_EVENT_EFFECT_EXECUTED && t->tick_count < TICKS_MAX) {
            t->ticks[t->tick_count++] = event->time;
        } else if (event->type == KN_EVENT_ATTRIBUTE_CHANGED && t->loss_count < TICKS_MAX &&
                   kn_attribute_id_equal(event->data.attribute.attribute, health)) {
            t->losses[t->loss_count] = event->time;
            t->amounts[t->loss_count++] =
                event->data.attribute.old_value - event->data.attribute.new_value;
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
    for (int sample = 0; sample * SAMPLE < KN_S(p->seconds); sample++) {
        for (int a = 0; a < ACTIONS_MAX && p->actions[a].kind != END; a++) {
            if (KN_MS(p->actions[a].ms) == sample * SAMPLE) {
                t->refused[a] = !act(world, &p->actions[a], who);
            }
        }
        look(p, world, who, t, sample);
        must(kn_world_step(world, SAMPLE), "step");
        note_ticks(world, t);
    }
    kn_world_destroy(world);
    kn_library_destroy(library);
}

// The picture ---------------------------------------------------------------

// Of the picture that is drawn.
static int label_width;
static int lane_height;

static int x_of(kn_time time)
{
    return label_width + (int)(time * SECOND_WIDTH / KN_S(1));
}

static void put_text(const char *text, size_t length)
{
    for (const char *at = text; at < text + length; at++) {
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

static int bar_height(const picture *p, uint32_t height)
{
    switch (p->view) {
    case EACH:
    case LANES:
        return THIN_HEIGHT - 3;
    case VALUE:
        return (int)height * VALUE_HEIGHT / 100;
    default:
        return (int)height * STACK_HEIGHT;
    }
}

// Room for the highest bar of a row.
static int highest_bar(const picture *p, const track *t)
{
    int height = THIN_HEIGHT;
    for (int i = 0; i < SAMPLES_MAX; i++) {
        int bar = bar_height(p, t->lanes[0].heights[i]) + 3;
        height = bar > height ? bar : height;
    }
    return height;
}

static bool is_same(const lane *l, int a, int b)
{
    return l->effects[a] == l->effects[b] && l->heights[a] == l->heights[b] &&
           l->styles[a] == l->styles[b];
}

// What is written into a bar: its name where a lane begins, else how much it is.
static void put_bar_text(const picture *p, const lane *l, int sample, bool is_named, int x, int y)
{
    char text[64] = "";
    if (p->view == LANES) {
        (void)snprintf(text, sizeof text, "%s", is_named ? l->name : "");
    } else if (p->view == STACKS && l->effects[sample] > 1) {
        (void)snprintf(text, sizeof text, "%u effects", l->effects[sample]);
    } else if (p->view != STACKS || l->heights[sample] > 1) {
        (void)snprintf(text, sizeof text, "%u", l->heights[sample]);
    }
    if (text[0] != 0) {
        (void)printf("<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", x, y, text);
    }
}

static bool is_empty_after(const lane *l, int begin, int end)
{
    while (begin < end && l->styles[begin] == NOTHING) {
        begin++;
    }
    return begin == end;
}

static void put_bars(const picture *p, const lane *l, int bottom)
{
    static const char *const classes[] = {
        [ACTING] = "on", [INHIBITED] = "off", [GRANTED] = "granted"};
    int count = (int)(KN_S(p->seconds) / SAMPLE);
    bool is_first = true;
    for (int begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && is_same(l, begin, end);) {
            end++;
        }
        if (l->styles[begin] == NOTHING) {
            continue;
        }
        int x = x_of(begin * SAMPLE), width = x_of(end * SAMPLE) - x;
        int height = bar_height(p, l->heights[begin]);
        (void)printf("<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>\n",
            classes[l->styles[begin]], x, bottom - height, width, height);
        bool is_narrow = p->view == LANES && width < 40; // the name comes after the last
        bool is_last = is_empty_after(l, end, count);
        put_bar_text(p, l, begin, is_narrow ? is_last : is_first, is_narrow ? x + width + 4 : x + 6,
            bottom - 3);
        is_first = false;
    }
}

static float amount_at(const track *t, kn_time time)
{
    float amount = 0.0f;
    for (uint32_t i = 0; i < t->loss_count; i++) {
        amount += t->losses[i] == time ? t->amounts[i] : 0.0f;
    }
    return amount;
}

static void put_ticks(const picture *p, const track *t, int top, int bottom)
{
    for (uint32_t i = 0; i < t->tick_count; i++) {
        int x = x_of(t->ticks[i]);
        (void)printf("<circle cx=\"%d\" cy=\"%d\" r=\"3\"/>\n", x, bottom - 3);
        if (p->amounts) {
            (void)printf("<text class=\"a\" x=\"%d\" y=\"%d\">-%.2g</text>\n", x, top,
                (double)amount_at(t, t->ticks[i]));
        }
    }
}

static void put_values(const picture *p, const track *t, int top)
{
    int count = (int)(KN_S(p->seconds) / SAMPLE);
    const char *name = strchr(p->attribute, '.') + 1;
    (void)printf("<text class=\"v\" x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n",
        label_width - 6, top, name);
    for (int i = 0; i < count; i++) {
        if (i == 0 || t->values[i] != t->values[i - 1]) {
            (void)printf("<text class=\"v\" x=\"%d\" y=\"%d\">%g</text>\n", x_of(i * SAMPLE) + 2,
                top, (double)t->values[i]);
        }
    }
}

static void put_actions(const picture *p, const track *t, int bottom)
{
    for (int a = 0; a < ACTIONS_MAX && p->actions[a].kind != END; a++) {
        const action *act = &p->actions[a];
        int x = x_of(KN_MS(act->ms));
        bool is_setup = p->view == CHARGES && act->kind == APPLY;
        if ((act->kind == APPLY || act->kind == USE) && !is_setup) {
            (void)printf("<path class=\"%s\" d=\"M%d %dl-4 7h8z\"/>\n",
                t->refused[a] ? "no" : "yes", x, bottom + 2);
        }
        if (act->kind == APPLY && act->number > 0) {
            (void)printf("<text class=\"n\" x=\"%d\" y=\"%d\">level %d</text>\n", x + 7,
                bottom + 10, act->number);
        } else if (act->kind == APPLY && p->view == LANES && p->attribute != NULL) {
            (void)printf(
                "<text class=\"n\" x=\"%d\" y=\"%d\">%s</text>\n", x + 6, bottom + 10, act->effect);
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

static int row_height(const picture *p, const track *t)
{
    int lanes = t->lane_count > 0 ? (int)t->lane_count : 1;
    int over = p->amounts || p->attribute != NULL ? 18 : 6;
    return over + lanes * lane_height + 16;
}

static void put_row(const picture *p, const track *t, const char *row, int top)
{
    int bottom = top + row_height(p, t) - 16;
    (void)printf("<text x=\"8\" y=\"%d\">", (top + bottom) / 2 + 6);
    put_text(row, strcspn(row, "|"));
    (void)printf("</text>\n");
    for (uint32_t i = 0; i < t->lane_count; i++) {
        put_bars(p, &t->lanes[i], bottom - (int)(t->lane_count - 1 - i) * lane_height);
    }
    put_ticks(p, t, top + 12, bottom);
    if (p->attribute != NULL) {
        put_values(p, t, top + 12);
    }
    put_actions(p, t, bottom);
}

static void draw(const picture *p)
{
    static track tracks[ROWS_MAX];
    int rows = 0, height = TOP + 24;
    label_width = lane_height = 0;
    for (; rows < ROWS_MAX && p->rows[rows] != NULL; rows++) {
        int length = (int)strcspn(p->rows[rows], "|") * LETTER_WIDTH;
        length += p->attribute != NULL ? 60 : 24;
        label_width = length > label_width ? length : label_width;
        play(p, p->rows[rows], &tracks[rows]);
        int bar = highest_bar(p, &tracks[rows]);
        lane_height = bar > lane_height ? bar : lane_height;
    }
    for (int i = 0; i < rows; i++) {
        height += row_height(p, &tracks[i]);
    }
    int width = label_width + p->seconds * SECOND_WIDTH + 20;
    int title_width = (int)strlen(p->title) * LETTER_WIDTH + 24;
    width = width < title_width ? title_width : width;
    (void)printf("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                 "height=\"%d\" role=\"img\">\n<title>",
        width, height, width, height);
    put_text(p->title, strlen(p->title));
    (void)printf("</title>\n<style>svg{background:#fff;font:12px sans-serif}"
                 ".t{font-weight:bold}.n,.s,.a,.v{font-size:10px}.s,.a{text-anchor:middle}"
                 ".s{fill:#666}.a{fill:#a22}.v{fill:#555;font-style:italic}"
                 ".on{fill:#8fb6e3;stroke:#fff;stroke-width:.5}"
                 ".off{fill:#ddd}.granted{fill:#fff;stroke:#8fb6e3;stroke-dasharray:3 2}"
                 ".grid{stroke:#eee}circle{fill:#c33}"
                 ".yes{fill:#383}.no{fill:none;stroke:#c33}</style>\n"
                 "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n",
        width, height);
    (void)printf("<text class=\"t\" x=\"8\" y=\"18\">");
    put_text(p->title, strlen(p->title));
    (void)printf("</text>\n");
    put_axis(p, height);
    int top = TOP;
    for (int i = 0; i < rows; i++) {
        put_row(p, &tracks[i], p->rows[i], top);
        top += row_height(p, &tracks[i]);
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
