// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// knack explain: why a number is so, why an ability or an effect is refused, what caused an event,
// and what the kits have to say.

#include "capability.h"
#include "combat.h"
#include "order.h"

#include <stdlib.h>
#include <string.h>

// Attributes ----------------------------------------------------------------

#define TRAIL_LENGTH 10

// The latest changes of an attribute in a ring, as text because causes do not outlive their step.
typedef struct trail {
    const kn_scenario *scenario;
    const char *entity;
    kn_attribute_id attribute;
    uint64_t count;
    text lines[TRAIL_LENGTH];
    text causes[TRAIL_LENGTH];
} trail;

static void trail_add(
    trail *to, const kn_scenario_run *run, const kn_world *world, const kn_event *event)
{
    text *line = &to->lines[to->count % TRAIL_LENGTH];
    text *cause = &to->causes[to->count % TRAIL_LENGTH];
    text_free(line);
    text_free(cause);
    stage_event(line, run, to->scenario, world, event);
    stage_cause(cause, run, to->scenario, world, event->cause);
    to->count++;
}

static void trail_watch(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    trail *to = user;
    if (trace->kind != KN_SCENARIO_TRACE_STEP) {
        return;
    }
    kn_events events = kn_world_events(trace->world);
    uint32_t number = stage_number(run, to->entity);
    for (uint32_t i = 0; i < events.count; i++) {
        const kn_event *event = &events.data[i];
        bool is_change = event->type == KN_EVENT_ATTRIBUTE_CHANGED ||
                         event->type == KN_EVENT_ATTRIBUTE_INITIALISED;
        if (is_change && event->entity.index1 == number && number != 0 &&
            kn_attribute_id_equal(event->data.attribute.attribute, to->attribute)) {
            trail_add(to, run, trace->world, event);
        }
    }
}

static uint64_t trail_first(const trail *from)
{
    return from->count > TRAIL_LENGTH ? from->count - TRAIL_LENGTH : 0;
}

static void trail_print(const trail *from)
{
    if (from->count > TRAIL_LENGTH) {
        (void)printf(
            "the last %d of %llu changes\n", TRAIL_LENGTH, (unsigned long long)from->count);
    } else if (from->count > 0) {
        (void)printf("changes\n");
    }
    for (uint64_t i = trail_first(from); i < from->count; i++) {
        (void)printf("  %s\n", text_of(&from->lines[i % TRAIL_LENGTH]));
        (void)printf("    %s\n", text_of(&from->causes[i % TRAIL_LENGTH]));
    }
}

static void trail_json(const trail *from, json *out)
{
    json_begin(out, "changes", '[');
    for (uint64_t i = trail_first(from); i < from->count; i++) {
        json_begin(out, NULL, '{');
        json_text(out, "text", text_of(&from->lines[i % TRAIL_LENGTH]));
        json_text(out, "cause", text_of(&from->causes[i % TRAIL_LENGTH]));
        json_end(out, '}');
    }
    json_end(out, ']');
}

static void trail_free(trail *from)
{
    for (uint32_t i = 0; i < TRAIL_LENGTH; i++) {
        text_free(&from->lines[i]);
        text_free(&from->causes[i]);
    }
}

typedef struct attribute_why {
    const kn_world *world;
    kn_entity_id entity;
    kn_attribute_id attribute;
} attribute_why;

static uint32_t attribute_print(const void *user, char *out, uint32_t size)
{
    const attribute_why *why = user;
    return kn_attribute_explain_text(why->world, why->entity, why->attribute, 0, out, size);
}

static void attribute_json(
    const attribute_why *why, const kn_library *library, const trail *changes)
{
    static const char *const kinds[] = {
        [KN_EXPLAIN_BASE] = "base",
        [KN_EXPLAIN_MODIFIER] = "modifier",
        [KN_EXPLAIN_LIMIT] = "limit",
        [KN_EXPLAIN_HOOK] = "hook",
        [KN_EXPLAIN_CLAMP] = "clamp",
        [KN_EXPLAIN_ROUNDING] = "rounding",
        [KN_EXPLAIN_KEPT] = "kept",
        [KN_EXPLAIN_FACTOR] = "factor",
        [KN_EXPLAIN_ADJUST] = "adjust",
    };
    uint32_t count = kn_attribute_explain(why->world, why->entity, why->attribute, 0, NULL, 0);
    kn_explain_line *lines = cli_resize(NULL, count * sizeof(*lines));
    (void)kn_attribute_explain(why->world, why->entity, why->attribute, 0, lines, count);
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "attribute", kn_attribute_name(library, why->attribute));
    json_float(&out, "value", kn_attribute_value(why->world, why->entity, why->attribute));
    json_float(&out, "base", kn_attribute_base(why->world, why->entity, why->attribute));
    json_begin(&out, "lines", '[');
    for (uint32_t i = 0; i < count; i++) {
        const kn_explain_line *line = &lines[i];
        json_begin(&out, NULL, '{');
        json_text(&out, "kind", kinds[line->kind]);
        json_float(&out, "result", line->result);
        json_float(&out, "delta", line->delta);
        if (line->kind == KN_EXPLAIN_MODIFIER) {
            json_text(&out, "effect", kn_effect_type_name(why->world, line->type));
            json_text(&out, "op", kn_op_name(line->op));
            json_float(&out, "magnitude", line->magnitude);
            json_count(&out, "stacks", line->stacks);
            json_text(&out, "qualification", kn_qualification_name(line->qualification));
        }
        json_end(&out, '}');
    }
    json_end(&out, ']');
    trail_json(changes, &out);
    json_end(&out, '}');
    json_print(&out);
    free(lines);
}

typedef struct names_of {
    const kn_library *library;
    kn_def_kind kind;
} names_of;

static const char *def_word(const void *user, uint32_t index)
{
    const names_of *names = user;
    return index < kn_def_count(names->library, names->kind)
               ? kn_def_name(names->library, names->kind, index + 1)
               : NULL;
}

static void tell_unknown(
    const cli *call, const kn_library *library, kn_def_kind kind, const char *name)
{
    names_of names = {library, kind};
    const char *nearest = cli_nearest(name, def_word, &names);
    cli_tell(call, "there is no %s `%s`%s%s%s", kn_def_kind_name(kind), name,
        nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
        nearest != NULL ? "`?" : "");
}

static void attribute_text(const stage *on, const attribute_why *why, const trail *changes)
{
    text plain = {0}, named = {0};
    text_print(&plain, attribute_print, why);
    stage_names(&named, on->run, on->scenario, text_of(&plain));
    bool has_end = named.length > 0 && named.data[named.length - 1] == '\n';
    (void)printf("%s%s", text_of(&named), has_end ? "" : "\n");
    trail_print(changes);
    text_free(&plain);
    text_free(&named);
}

static cli_code explain_attribute(const cli *call, stage *on)
{
    const kn_library *library = kn_scenario_library(on->scenario);
    const char *name = call->arguments[2];
    trail changes = {.scenario = on->scenario,
        .entity = call->arguments[1],
        .attribute = {kn_def_find(library, KN_DEF_ATTRIBUTE, name)}};
    if (kn_attribute_id_is_null(changes.attribute)) {
        tell_unknown(call, library, KN_DEF_ATTRIBUTE, name);
        return CLI_BAD;
    }
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.trace = trail_watch;
    def.user = &changes;
    attribute_why why = {.attribute = changes.attribute};
    cli_code code = stage_run_until(call, on, &def);
    code = code == CLI_GOOD ? stage_entity(call, on, call->arguments[1], &why.entity) : code;
    if (code == CLI_GOOD) {
        why.world = kn_scenario_run_world(on->run);
        if (!kn_attribute_exists(why.world, why.entity, why.attribute, 0)) {
            cli_tell(call, "`%s` does not have %s", call->arguments[1], name);
            code = CLI_BAD;
        } else if (cli_has(call, "json")) {
            attribute_json(&why, library, &changes);
        } else {
            attribute_text(on, &why, &changes);
        }
    }
    trail_free(&changes);
    return code;
}

// Abilities -----------------------------------------------------------------

typedef struct ability_why {
    const kn_world *world;
    kn_ability_id ability;
} ability_why;

static uint32_t ability_print(const void *user, char *out, uint32_t size)
{
    const ability_why *why = user;
    return kn_ability_explain_print(why->world, why->ability, NULL, out, size);
}

static void ability_json(const ability_why *why, const char *name, const char *sentence)
{
    const kn_library *library = kn_world_library(why->world);
    uint32_t count = kn_ability_explain(why->world, why->ability, NULL, NULL, 0);
    kn_refusal_line *lines = cli_resize(NULL, count * sizeof(*lines));
    (void)kn_ability_explain(why->world, why->ability, NULL, lines, count);
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "ability", name);
    json_bool(&out, "ready", count == 0);
    json_text(&out, "text", sentence);
    json_begin(&out, "reasons", '[');
    for (uint32_t i = 0; i < count; i++) {
        const kn_refusal_line *line = &lines[i];
        json_begin(&out, NULL, '{');
        json_text(&out, "reason", kn_library_fail_name(library, line->reason));
        if (!kn_tag_is_null(line->tag)) {
            json_text(&out, "tag", kn_tag_name(library, line->tag));
        }
        if (!kn_check_id_is_null(line->check)) {
            json_text(&out, "check", kn_check_name(library, line->check));
        }
        if (line->text[0] != 0) {
            json_text(&out, "text", line->text);
        }
        bool has_numbers = !kn_attribute_id_is_null(line->attribute) || line->need != 0.0f;
        if (!kn_attribute_id_is_null(line->attribute)) {
            json_text(&out, "attribute", kn_attribute_name(library, line->attribute));
        }
        kn_ability_info behind;
        if (kn_ability_get(why->world, line->ability, &behind)) {
            json_text(&out, "by", kn_ability_type_name(library, behind.type));
        }
        if (has_numbers && line->reason != KN_FAIL_COOLDOWN) {
            json_float(&out, "have", line->have);
            json_float(&out, "need", line->need);
        }
        if (line->reason == KN_FAIL_COOLDOWN || line->total > 0) {
            json_seconds(&out, "remaining", line->remaining);
            json_seconds(&out, "total", line->total);
        }
        json_end(&out, '}');
    }
    json_end(&out, ']');
    json_end(&out, '}');
    json_print(&out);
    free(lines);
}

static cli_code explain_ability(const cli *call, stage *on)
{
    const char *name = cli_text_of(call, "ability", "");
    const kn_library *library = kn_scenario_library(on->scenario);
    kn_ability_query query = kn_ability_query_default();
    query.type.index1 = kn_def_find(library, KN_DEF_ABILITY, name);
    if (kn_ability_type_id_is_null(query.type)) {
        tell_unknown(call, library, KN_DEF_ABILITY, name);
        return CLI_BAD;
    }
    kn_scenario_run_def def = kn_scenario_run_def_default();
    kn_entity_id entity;
    cli_code code = stage_run_until(call, on, &def);
    code = code == CLI_GOOD ? stage_entity(call, on, call->arguments[1], &entity) : code;
    if (code != CLI_GOOD) {
        return code;
    }
    ability_why why = {kn_scenario_run_world(on->run), {0}};
    if (kn_abilities_find(why.world, entity, &query, &why.ability, 1) == 0) {
        cli_tell(call, "`%s` does not have the ability %s", call->arguments[1], name);
        return CLI_BAD;
    }
    text plain = {0}, named = {0};
    text_print(&plain, ability_print, &why);
    stage_names(&named, on->run, on->scenario, text_of(&plain));
    if (kn_ability_check(why.world, why.ability, NULL) == 0) {
        text_free(&named);
        text_format(&named, "%s: ready", name);
    }
    if (cli_has(call, "json")) {
        ability_json(&why, name, text_of(&named));
    } else {
        (void)printf("%s\n", text_of(&named));
    }
    text_free(&plain);
    text_free(&named);
    return CLI_GOOD;
}

// Effects -------------------------------------------------------------------

typedef struct effect_why {
    kn_world *world;
    kn_effect_apply_def def;
} effect_why;

static uint32_t effect_print(const void *user, char *out, uint32_t size)
{
    const effect_why *why = user;
    return kn_effect_explain_print(why->world, &why->def, out, size);
}

static void effect_json(const effect_why *why, const char *name, const char *sentence)
{
    const kn_def_field *sides =
        kn_def_field_find(kn_struct_table(KN_STRUCT_EFFECT_REFUSAL), "from");
    const kn_library *library = kn_world_library(why->world);
    uint32_t count = kn_effect_explain(why->world, &why->def, NULL, 0);
    kn_effect_refusal *lines = cli_resize(NULL, count * sizeof(*lines));
    (void)kn_effect_explain(why->world, &why->def, lines, count);
    json out = {0};
    json_begin(&out, NULL, '{');
    json_text(&out, "effect", name);
    json_bool(&out, "ready", count == 0);
    json_text(&out, "text", sentence);
    json_begin(&out, "reasons", '[');
    for (uint32_t i = 0; i < count; i++) {
        const kn_effect_refusal *line = &lines[i];
        json_begin(&out, NULL, '{');
        json_text(&out, "reason", kn_result_name(line->reason));
        json_text(&out, "side", sides->names[line->from]);
        if (!kn_tag_is_null(line->tag)) {
            json_text(&out, "tag", kn_tag_name(library, line->tag));
            json_bool(&out, "is_there", line->is_there);
        }
        if (!kn_attribute_id_is_null(line->attribute)) {
            json_text(&out, "attribute", kn_attribute_name(library, line->attribute));
            json_float(&out, "have", line->have);
        }
        if (line->parameter.index1 != 0) {
            json_text(&out, "parameter", kn_name_text(library, line->parameter));
        }
        kn_effect_info info;
        if (kn_effect_get(why->world, line->effect, &info)) {
            json_text(&out, "by", kn_effect_type_name(why->world, info.type));
        }
        json_end(&out, '}');
    }
    json_end(&out, ']');
    json_end(&out, '}');
    json_print(&out);
    free(lines);
}

static cli_code explain_effect(const cli *call, stage *on)
{
    const char *name = cli_text_of(call, "effect", "");
    const kn_library *library = kn_scenario_library(on->scenario);
    effect_why why = {NULL, kn_effect_apply_def_default()};
    why.def.type.index1 = kn_def_find(library, KN_DEF_EFFECT, name);
    if (kn_effect_type_id_is_null(why.def.type)) {
        tell_unknown(call, library, KN_DEF_EFFECT, name);
        return CLI_BAD;
    }
    kn_scenario_run_def def = kn_scenario_run_def_default();
    const char *from = cli_text_of(call, "from", "");
    cli_code code = stage_run_until(call, on, &def);
    code = code == CLI_GOOD ? stage_entity(call, on, call->arguments[1], &why.def.target) : code;
    if (code == CLI_GOOD && from[0] != 0) {
        code = stage_entity(call, on, from, &why.def.source);
    }
    if (code != CLI_GOOD) {
        return code;
    }
    why.world = kn_scenario_run_world(on->run);
    text plain = {0}, named = {0};
    text_print(&plain, effect_print, &why);
    stage_names(&named, on->run, on->scenario, text_of(&plain));
    if (cli_has(call, "json")) {
        effect_json(&why, name, text_of(&named));
    } else {
        (void)printf("%s\n", text_of(&named));
    }
    text_free(&plain);
    text_free(&named);
    return CLI_GOOD;
}

// Events --------------------------------------------------------------------

// Finds an event by its number, and keeps it as text.
typedef struct event_search {
    const kn_scenario *scenario;
    uint64_t wanted;
    uint64_t seen;
    text line, cause;
    text stages; // of a hit: where it went
    kn_time time;
    combat_notes notes;
} event_search;

static void event_find(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    event_search *search = user;
    if (trace->kind != KN_SCENARIO_TRACE_STEP) {
        return;
    }
    kn_events events = kn_world_events(trace->world);
    for (uint32_t i = 0; i < events.count && search->seen < search->wanted; i++) {
        const kn_event *event = &events.data[i];
        const char *stages = combat_notes_of(&search->notes, trace->world, event);
        if (++search->seen == search->wanted) {
            stage_event(&search->line, run, search->scenario, trace->world, event);
            stage_cause(&search->cause, run, search->scenario, trace->world, event->cause);
            text_add(&search->stages, stages != NULL ? stages : "");
            search->time = event->time;
            return;
        }
    }
}

// The stages of a hit one by one: `print` is called with the number and the rest of each.
static void stages_walk(const char *stages, void *user,
    void (*print)(void *user, const char *number, const char *words))
{
    while (stages[0] != 0) {
        const char *end = strstr(stages, "; ");
        size_t length = end != NULL ? (size_t)(end - stages) : strlen(stages);
        text line = {0};
        text_bytes(&line, stages, length);
        char *words = strstr(line.data, "  ");
        if (words != NULL) {
            *words = 0;
            print(user, line.data, words + 2);
        }
        text_free(&line);
        stages += end != NULL ? length + 2 : length;
    }
}

static void stage_print(void *user, const char *number, const char *words)
{
    (void)user;
    (void)printf("  %8s  %s\n", number, words);
}

static void stage_json(void *user, const char *number, const char *words)
{
    json_begin(user, NULL, '{');
    json_number(user, "left", strtod(number, NULL));
    json_text(user, "text", words);
    json_end(user, '}');
}

static void event_json(const event_search *search)
{
    json out = {0};
    json_begin(&out, NULL, '{');
    json_count(&out, "event", search->wanted);
    json_seconds(&out, "time", search->time);
    json_text(&out, "text", text_of(&search->line));
    json_text(&out, "cause", text_of(&search->cause));
    if (search->stages.length > 0) {
        json_begin(&out, "stages", '[');
        stages_walk(text_of(&search->stages), &out, stage_json);
        json_end(&out, ']');
    }
    json_end(&out, '}');
    json_print(&out);
}

static cli_code explain_event(const cli *call, stage *on)
{
    event_search search = {.scenario = on->scenario, .wanted = cli_number_of(call, "event", 0)};
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.trace = event_find;
    def.user = &search;
    combat_notes_begin(&search.notes, &def);
    cli_code code = stage_run(call, on, &def);
    if (code == CLI_GOOD) {
        combat_notes_listen(on->run);
        code = stage_play(call, on);
    }
    if (code == CLI_GOOD && search.line.length == 0) {
        cli_tell(call, "there are only %llu events; `knack run --verbose` numbers them",
            (unsigned long long)search.seen);
        code = CLI_BAD;
    } else if (code == CLI_GOOD && cli_has(call, "json")) {
        event_json(&search);
    } else if (code == CLI_GOOD) {
        (void)printf("%s\n", text_of(&search.line));
        stages_walk(text_of(&search.stages), NULL, stage_print);
        (void)printf("  %s\n", text_of(&search.cause));
    }
    text_free(&search.line);
    text_free(&search.cause);
    text_free(&search.stages);
    combat_notes_free(&search.notes);
    return code;
}

// Questions -----------------------------------------------------------------

typedef struct question {
    const char *option;   // NULL for the one that is asked without any
    uint32_t least, most; // arguments
    cli_code (*answer)(const cli *call, stage *on);
} question;

static const question questions[] = {
    {NULL, 3, 3, explain_attribute},
    {"ability", 2, 2, explain_ability},
    {"effect", 2, 2, explain_effect},
    {"event", 1, 1, explain_event},
    {"proc", 2, 2, combat_explain_proc},
    {"hits", 1, 2, combat_explain_hits},
    {"capability", 2, 2, capability_explain},
    {"timeline", 2, 2, capability_timeline},
    {"order", 2, 2, order_explain},
    {"autos", 2, 2, order_explain_autos},
    {"tree", 2, 2, order_explain_tree},
};
#define QUESTION_COUNT (sizeof(questions) / sizeof(*questions))

// The question that a call asks; NULL with a message.
static const question *question_of(const cli *call)
{
    const question *asked = &questions[0];
    for (size_t i = 1; i < QUESTION_COUNT; i++) {
        if (cli_has(call, questions[i].option)) {
            if (asked != &questions[0]) {
                cli_tell(
                    call, "--%s and --%s cannot be combined", asked->option, questions[i].option);
                return NULL;
            }
            asked = &questions[i];
        }
    }
    bool has_from = cli_has(call, "from") && asked->answer != explain_effect;
    bool has_part =
        (cli_has(call, "since") && asked->answer != capability_timeline) ||
        (cli_has(call, "svg") && asked->answer != capability_timeline &&
            asked->answer != order_explain_tree) ||
        ((cli_has(call, "target") || cli_has(call, "location") || cli_has(call, "index")) &&
            asked->answer != order_explain);
    if (call->argument_count < asked->least || call->argument_count > asked->most || has_from ||
        has_part) {
        cli_tell(call, "ask for SCENARIO ENTITY ATTRIBUTE, SCENARIO ENTITY --ability NAME, "
                       "SCENARIO ENTITY --effect NAME [--from ENTITY], SCENARIO --event N, "
                       "SCENARIO [ENTITY] --hits, SCENARIO ENTITY --proc NAME, "
                       "SCENARIO ENTITY --capability NAME, "
                       "SCENARIO ENTITY --timeline [--since TIME] [--svg FILE], "
                       "SCENARIO ENTITY --order TYPE [--target ENTITY] [--location X,Y] "
                       "[--index N], SCENARIO ENTITY --autos or "
                       "SCENARIO ENTITY --tree [--svg FILE]");
        return NULL;
    }
    return asked;
}

cli_code explain_main(const cli *call)
{
    const question *asked = question_of(call);
    if (asked == NULL) {
        return CLI_USAGE;
    }
    stage on;
    cli_code code = stage_load(call, call->arguments[0], &on);
    code = code == CLI_GOOD ? asked->answer(call, &on) : code;
    stage_free(&on);
    return code;
}
