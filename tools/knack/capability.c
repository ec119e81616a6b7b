// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The capability kit for knack explain and knack dump. What happened to capabilities is kept by a
// trace while the scenario plays.

#include "capability.h"

#include "knack/capability_trace.h"

#include <stdlib.h>
#include <string.h>

#define TRAIL_LENGTH 10
#define ROW_CAPACITY 65536

// Runs with a trace -----------------------------------------------------------

// The trace of one entity of a run.
typedef struct watch {
    kn_capability_trace *trace;
    const kn_scenario_run *run;
    const char *entity;
    kn_entity_id found;
} watch;

static bool kit_is_there(const cli *call, const stage *on)
{
    bool is_there = kn_capability_is_there(kn_scenario_library(on->scenario));
    if (!is_there) {
        cli_tell(call, "%s does not use the capability kit; its libraries need kits: [capability]",
            call->arguments[0]);
    }
    return is_there;
}

static void watch_step(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    watch *w = user;
    if (trace->kind != KN_SCENARIO_TRACE_STEP || trace->world != kn_scenario_run_world(run)) {
        return;
    }
    kn_events events = kn_world_events(trace->world);
    uint32_t number = stage_number(run, w->entity);
    for (uint32_t i = 0; i < events.count; i++) {
        if (events.data[i].entity.index1 == number && number != 0) {
            (void)kn_capability_trace_add(w->trace, trace->world, &events.data[i]);
        }
    }
}

static void entity_name(const watch *w, kn_entity_id entity, char *out, uint32_t size)
{
    const char *name = w->run != NULL ? kn_scenario_run_name(w->run, entity) : NULL;
    if (name != NULL) {
        (void)snprintf(out, size, "%s", name);
    } else {
        (void)snprintf(out, size, "entity %u", entity.index1);
    }
}

static void watch_name(
    void *user, const kn_world *world, kn_entity_id entity, char *out, uint32_t size)
{
    (void)world;
    entity_name(user, entity, out, size);
}

// Plays the scenario with a trace of the entity that is named in the call. To be ended in any case.
static cli_code watch_play(const cli *call, stage *on, watch *w)
{
    kn_capability_trace_def trace = kn_capability_trace_def_default();
    kn_scenario_run_def def = kn_scenario_run_def_default();
    *w = (watch){.entity = call->arguments[1]};
    trace.row_capacity = ROW_CAPACITY;
    trace.calls = false;
    trace.name = watch_name;
    trace.name_user = w;
    if (!kit_is_there(call, on)) {
        return CLI_BAD;
    }
    if (kn_capability_trace_create(&trace, &w->trace) != KN_OK) {
        cli_tell(call, "out of memory");
        return CLI_BAD;
    }
    def.trace = watch_step;
    def.user = w;
    def.no_checks = true; // a step that is made twice would be traced twice
    cli_code code = stage_run(call, on, &def);
    if (code != CLI_GOOD) {
        return code;
    }
    w->run = on->run;
    if (kn_capability_trace_calls(kn_scenario_run_world(on->run), NULL) != KN_OK) {
        cli_tell(call, "out of memory");
        return CLI_BAD;
    }
    code = stage_play(call, on);
    return code == CLI_GOOD ? stage_entity(call, on, w->entity, &w->found) : code;
}

static void watch_end(watch *w)
{
    kn_capability_trace_destroy(w->trace);
}

// Why -------------------------------------------------------------------------

typedef struct member_why {
    const kn_world *world;
    kn_entity_id entity;
    uint32_t number;
} member_why;

static uint32_t member_print(const void *user, char *out, uint32_t size)
{
    const member_why *why = user;
    return kn_capability_explain(why->world, why->entity, why->number, out, size);
}

typedef struct row_line {
    const watch *from;
    const kn_world *world;
    uint32_t index;
} row_line;

static uint32_t row_print(const void *user, char *out, uint32_t size)
{
    const row_line *line = user;
    return kn_capability_trace_print(line->from->trace, line->world, line->index, out, size);
}

// The latest rows about a capability that are worth telling: their indices, the oldest first.
static uint32_t trail_find(
    const watch *w, kn_capability_id id, uint32_t *out, uint32_t capacity, uint64_t *total)
{
    uint32_t count = 0;
    *total = 0;
    for (uint32_t i = kn_capability_trace_count(w->trace); i-- > 0;) {
        kn_capability_row row;
        (void)kn_capability_trace_row(w->trace, i, &row);
        if (row.capability.index1 == id.index1) {
            ++*total;
            if (count < capacity) {
                out[count++] = i;
            }
        }
    }
    for (uint32_t i = 0; i < count / 2; i++) {
        uint32_t other = out[i];
        out[i] = out[count - 1 - i];
        out[count - 1 - i] = other;
    }
    return count;
}

static void why_print(const stage *on, const member_why *why)
{
    text plain = {0}, named = {0};
    text_print(&plain, member_print, why);
    stage_names(&named, on->run, on->scenario, text_of(&plain));
    (void)printf("%s", text_of(&named));
    text_free(&plain);
    text_free(&named);
}

static void why_json(json *out, const stage *on, const member_why *why)
{
    text plain = {0}, named = {0};
    kn_capability_info info;
    const kn_library *library = kn_world_library(why->world);
    (void)kn_capability_get_info(why->world, why->entity, why->number, &info);
    text_print(&plain, member_print, why);
    stage_names(&named, on->run, on->scenario, text_of(&plain));
    json_begin(out, NULL, '{');
    json_text(out, "set", kn_capability_set_get_def(library, info.set)->name);
    json_count(out, "number", info.number);
    json_bool(out, "active", info.is_active);
    json_bool(out, "enabled", info.is_enabled);
    json_bool(out, "here", info.is_set_up);
    json_text(out, "blocked_by", info.is_blocked ? kn_tag_name(library, info.blocked_tag) : NULL);
    json_text(out, "text", text_of(&named));
    json_end(out, '}');
    text_free(&plain);
    text_free(&named);
}

static void trail_tell(const watch *w, const kn_world *world, kn_capability_id id, json *out)
{
    uint32_t rows[TRAIL_LENGTH];
    uint64_t total;
    uint32_t count = trail_find(w, id, rows, TRAIL_LENGTH, &total);
    if (out == NULL && total > count) {
        (void)printf("the last %u of %llu changes\n", count, (unsigned long long)total);
    } else if (out == NULL && count > 0) {
        (void)printf("changes\n");
    }
    for (uint32_t i = 0; i < count; i++) {
        row_line line = {w, world, rows[i]};
        text words = {0};
        text_print(&words, row_print, &line);
        if (out != NULL) {
            json_text(out, NULL, text_of(&words));
        } else {
            (void)printf("  %s\n", text_of(&words));
        }
        text_free(&words);
    }
}

typedef struct kind_words {
    const kn_library *library;
    kn_def_kind kind;
} kind_words;

static const char *kind_word(const void *user, uint32_t index)
{
    const kind_words *words = user;
    return index < kn_def_count(words->library, words->kind)
               ? kn_def_name(words->library, words->kind, index + 1)
               : NULL;
}

static void unknown_tell(const cli *call, const kn_library *library, const char *name)
{
    kind_words words = {library, kn_kind_find(library, "capability")};
    const char *nearest = cli_nearest(name, kind_word, &words);
    cli_tell(call, "there is no capability `%s`%s%s%s", name,
        nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
        nearest != NULL ? "`?" : "");
}

// All capabilities of an entity.
static kn_capability_info *members_of(const kn_world *world, kn_entity_id entity, uint32_t *count)
{
    *count = kn_capabilities(world, entity, NULL, 0);
    kn_capability_info *infos = cli_resize(NULL, (*count + 1) * sizeof(*infos));
    (void)kn_capabilities(world, entity, infos, *count);
    return infos;
}

// True if the entity has it.
static bool members_explain(
    const cli *call, const stage *on, const watch *w, kn_capability_id id, const char *name)
{
    const kn_world *world = kn_scenario_run_world(on->run);
    bool is_json = cli_has(call, "json"), is_there = false;
    uint32_t count;
    json out = {0};
    kn_capability_info *infos = members_of(world, w->found, &count);
    json_begin(&out, NULL, '{');
    json_text(&out, "capability", name);
    json_begin(&out, "instances", '[');
    for (uint32_t i = 0; i < count; i++) {
        const member_why why = {world, w->found, infos[i].number};
        if (infos[i].capability.index1 == id.index1) {
            is_there = true;
            if (is_json) {
                why_json(&out, on, &why);
            } else {
                why_print(on, &why);
            }
        }
    }
    json_end(&out, ']');
    json_begin(&out, "changes", '[');
    if (is_there) {
        trail_tell(w, world, id, is_json ? &out : NULL);
    }
    json_end(&out, ']');
    json_end(&out, '}');
    if (is_there && is_json) {
        json_print(&out);
    } else {
        text_free(&out.out);
    }
    free(infos);
    return is_there;
}

cli_code capability_explain(const cli *call, stage *on)
{
    const kn_library *library = kn_scenario_library(on->scenario);
    const char *name = cli_text_of(call, "capability", "");
    watch w = {0};
    kn_capability_id id =
        kn_capability_is_there(library)
            ? (kn_capability_id){kn_def_find(library, kn_kind_find(library, "capability"), name)}
            : (kn_capability_id){1}; // which watch_play() tells
    if (id.index1 == 0) {
        unknown_tell(call, library, name);
        return CLI_BAD;
    }
    cli_code code = watch_play(call, on, &w);
    if (code == CLI_GOOD && !members_explain(call, on, &w, id, name)) {
        cli_tell(call, "`%s` does not have the capability %s", w.entity, name);
        code = CLI_BAD;
    }
    watch_end(&w);
    return code;
}

// Timelines ---------------------------------------------------------------------

typedef struct timeline_view {
    const kn_capability_trace *trace;
    const kn_world *world;
    kn_capability_timeline_def def;
} timeline_view;

static uint32_t timeline_print(const void *user, char *out, uint32_t size)
{
    const timeline_view *view = user;
    return kn_capability_timeline_print(view->trace, view->world, &view->def, out, size);
}

static uint32_t timeline_svg(const void *user, char *out, uint32_t size)
{
    const timeline_view *view = user;
    return kn_capability_timeline_svg(view->trace, view->world, &view->def, out, size);
}

// Who blocks: what it is, and whose.
static void source_json(
    json *out, const watch *w, const kn_world *world, const kn_capability_source *source)
{
    static const char *const kinds[KN_CAPABILITY_SOURCE_COUNT] = {
        "key", "entity", "capability", "set", "effect"};
    char name[128];
    kn_effect_info effect;
    json_text(out, "source", kinds[source->kind]);
    if (source->entity.index1 != 0) {
        entity_name(w, source->entity, name, sizeof(name));
        json_text(out, "by", name);
    } else if (source->kind == KN_CAPABILITY_SOURCE_EFFECT) {
        bool is_there = kn_effect_get(world, source->effect, &effect);
        json_text(out, "by", is_there ? kn_effect_type_name(world, effect.type) : NULL);
    }
    json_count(out, "key", source->key);
}

static void span_json(
    json *out, const watch *w, const kn_world *world, const kn_capability_span *span)
{
    static const char *const kinds[KN_CAPABILITY_SPAN_KIND_COUNT] = {
        "inactive", "active", "stopped", "block", "tag"};
    const kn_library *library = kn_world_library(world);
    json_begin(out, NULL, '{');
    json_text(out, "kind", kinds[span->kind]);
    json_seconds(out, "from", span->from);
    json_seconds(out, "to", span->to);
    if (span->capability.index1 != 0) {
        json_text(out, "capability", kn_capability_get_def(library, span->capability)->name);
        json_count(out, "number", span->number);
    }
    if (span->tag.index1 != 0) {
        json_text(out, "tag", kn_tag_name(library, span->tag));
    }
    if (span->kind == KN_CAPABILITY_SPAN_BLOCK) {
        source_json(out, w, world, &span->source);
    }
    json_end(out, '}');
}

static void timeline_json(const watch *w, const timeline_view *view)
{
    uint32_t count = kn_capability_timeline(view->trace, view->world, &view->def, NULL, 0);
    kn_capability_span *spans = cli_resize(NULL, (count + 1) * sizeof(*spans));
    (void)kn_capability_timeline(view->trace, view->world, &view->def, spans, count);
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "entity", w->entity);
    json_begin(&out, "rows", '[');
    for (uint32_t i = 0; i < count; i++) {
        if (i == 0 || spans[i].row != spans[i - 1].row) {
            json_begin(&out, NULL, '[');
        }
        span_json(&out, w, view->world, &spans[i]);
        if (i + 1 == count || spans[i].row != spans[i + 1].row) {
            json_end(&out, ']');
        }
    }
    json_end(&out, ']');
    json_end(&out, '}');
    json_print(&out);
    free(spans);
}

static cli_code timeline_show(const cli *call, const stage *on, const watch *w)
{
    const char *file = cli_text_of(call, "svg", NULL);
    timeline_view view = {
        w->trace, kn_scenario_run_world(on->run), kn_capability_timeline_def_default()};
    text out = {0};
    cli_code code = CLI_GOOD;
    view.def.entity = w->found;
    view.def.from = cli_time_of(call, "since", 0);
    if (kn_capability_timeline(view.trace, view.world, &view.def, NULL, 0) == 0) {
        cli_tell(call, "there is nothing to show of `%s` in this time", w->entity);
        return CLI_BAD;
    }
    if (file != NULL) {
        text title = {0};
        text_format(&title, "%s: %s", w->entity, kn_scenario_title(on->scenario));
        view.def.title = text_of(&title);
        text_print(&out, timeline_svg, &view);
        code = file_write(call, file, text_of(&out), out.length) ? CLI_GOOD : CLI_UNREADABLE;
        text_free(&title);
    } else if (!cli_has(call, "json")) {
        text_print(&out, timeline_print, &view);
        (void)printf("%s", text_of(&out));
    }
    if (code == CLI_GOOD && cli_has(call, "json")) {
        timeline_json(w, &view);
    }
    text_free(&out);
    return code;
}

cli_code capability_timeline(const cli *call, stage *on)
{
    watch w = {0};
    if (cli_has(call, "json") && strcmp(cli_text_of(call, "svg", ""), "-") == 0) {
        cli_tell(call, "only one output can go to stdout");
        return CLI_USAGE;
    }
    cli_code code = watch_play(call, on, &w);
    code = code == CLI_GOOD ? timeline_show(call, on, &w) : code;
    watch_end(&w);
    return code;
}

// Dumps -----------------------------------------------------------------------------

static uint32_t tree_print(const void *user, char *out, uint32_t size)
{
    const member_why *what = user;
    return kn_capability_print(what->world, what->entity, out, size);
}

void capability_dump(text *to, const kn_world *world, kn_entity_id entity)
{
    const member_why what = {world, entity, 0};
    text tree = {0};
    text_print(&tree, tree_print, &what);
    if (tree.length > 0) {
        text_add(to, "capabilities\n");
    }
    for (const char *line = text_of(&tree); *line != 0;) {
        size_t length = strcspn(line, "\n");
        text_add(to, "  ");
        text_bytes(to, line, length);
        text_add(to, "\n");
        line += line[length] == '\n' ? length + 1 : length;
    }
    text_free(&tree);
}
