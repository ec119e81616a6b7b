// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The combat kit for knack explain and knack sim. Where a hit went and what a proc did is only
// known in the moment in which it happens, so the kit logs it, and the log is read here.

#include "combat.h"

#include "knack/combat.h"
#include "knack/combat_log.h"

#include <stdlib.h>
#include <string.h>

// Notes ---------------------------------------------------------------------

static void notes_clear(combat_notes *notes)
{
    for (uint32_t i = 0; i < notes->count; i++) {
        text_free(&notes->lines[i]);
    }
    notes->count = 0;
    notes->next = 0;
}

static void notes_log(void *user, const kn_log_entry *entry)
{
    combat_notes *notes = user;
    if (entry->category != KN_LOG_GAME || entry->level != KN_LOG_VERBOSE) {
        bool has_code = entry->code != KN_OK; // as the library prints it
        (void)fprintf(stderr, "knack: %s: %s%s%s\n", kn_log_category_name(entry->category),
            has_code ? kn_result_name(entry->code) : "", has_code ? ": " : "", entry->message);
        return;
    }
    if (notes->next == notes->count) {
        notes_clear(notes);
    }
    if (notes->count == notes->capacity) {
        notes->capacity = notes->capacity > 0 ? notes->capacity * 2 : 64;
        notes->lines = cli_resize(notes->lines, notes->capacity * sizeof(*notes->lines));
    }
    notes->lines[notes->count] = (text){0};
    text_add(&notes->lines[notes->count++], entry->message);
}

void combat_notes_begin(combat_notes *notes, kn_scenario_run_def *def)
{
    def->hooks.log_fn = notes_log;
    def->hooks.log_user = notes;
    def->no_checks = true; // a step that is made twice is logged twice
}

void combat_notes_listen(const kn_scenario_run *run)
{
    (void)kn_log_set_level(kn_scenario_run_world(run), KN_LOG_GAME, KN_LOG_VERBOSE);
}

void combat_notes_free(combat_notes *notes)
{
    notes_clear(notes);
    free(notes->lines);
    *notes = (combat_notes){0};
}

// "1.250 s  entity 3  proc Thorns: ...": the number of the entity, and what follows.
static const char *note_body(const char *line, uint32_t *entity)
{
    static const char word[] = "  entity ";
    const char *at = strstr(line, word);
    char *end = NULL;
    *entity = at != NULL ? (uint32_t)strtoul(at + strlen(word), &end, 10) : 0;
    return end != NULL && strncmp(end, "  ", 2) == 0 ? end + 2 : "";
}

// What follows a word at the beginning of a text; NULL if it begins otherwise.
static const char *after_word(const char *from, const char *word)
{
    return strncmp(from, word, strlen(word)) == 0 ? from + strlen(word) : NULL;
}

static bool event_is_hit(const kn_world *world, const kn_event *event)
{
    const kn_library *library = kn_world_library(world);
    return event->type == KN_EVENT_CUSTOM && kn_combat_is_there(library) &&
           strcmp(kn_custom_event_name(library, event->data.custom.kind), "Knack.Hit") == 0;
}

const char *combat_notes_of(combat_notes *notes, const kn_world *world, const kn_event *event)
{
    if (!event_is_hit(world, event)) {
        return NULL;
    }
    while (notes->next < notes->count) {
        uint32_t entity;
        const char *body = note_body(text_of(&notes->lines[notes->next++]), &entity);
        const char *damage = after_word(body, "damage: ");
        const char *stages = damage != NULL ? damage : after_word(body, "healing: ");
        if (stages != NULL) {
            return entity == event->entity.index1 ? stages : NULL;
        }
    }
    return NULL;
}

static cli_code play_with_notes(const cli *call, stage *on, const kn_scenario_run_def *def)
{
    cli_code code = stage_run(call, on, def);
    if (code != CLI_GOOD) {
        return code;
    }
    combat_notes_listen(on->run);
    return stage_play(call, on);
}

static bool kit_is_there(const cli *call, const stage *on, const char *file)
{
    bool is_there = kn_combat_is_there(kn_scenario_library(on->scenario));
    if (!is_there) {
        cli_tell(call, "%s does not use the combat kit; its libraries need kits: [combat]", file);
    }
    return is_there;
}

// Hits ----------------------------------------------------------------------

typedef struct hit_list {
    const kn_scenario *scenario;
    const char *entity; // NULL: anybody
    uint64_t seen, count;
    bool is_json;
    text lines;
    json out;
} hit_list;

typedef struct hit_line {
    const kn_world *world;
    const kn_hit *hit;
} hit_line;

static uint32_t hit_print(const void *user, char *out, uint32_t size)
{
    const hit_line *line = user;
    return kn_hit_print(line->world, line->hit, out, size);
}

static void entity_json(json *out, const char *key, const kn_scenario_run *run, kn_entity_id entity)
{
    const char *name = kn_scenario_run_name(run, entity);
    text number = {0};
    text_format(&number, "#%u", entity.index1);
    json_text(out, key, name != NULL ? name : entity.index1 != 0 ? text_of(&number) : NULL);
    text_free(&number);
}

static void hit_json(json *out, const kn_scenario_run *run, const kn_world *world,
    const kn_hit *hit, uint64_t number, const char *line)
{
    const kn_library *library = kn_world_library(world);
    json_begin(out, NULL, '{');
    json_count(out, "event", number);
    json_text(out, "text", line);
    json_text(out, "kind", hit->kind == KN_HIT_DAMAGE ? "damage" : "healing");
    entity_json(out, "source", run, hit->source);
    entity_json(out, "target", run, hit->target);
    if (hit->ability.index1 != 0) {
        json_text(out, "ability", kn_ability_type_name(library, hit->ability));
    }
    if (hit->effect.index1 != 0) {
        json_text(out, "effect", kn_effect_type_name(world, hit->effect));
    }
    const struct {
        const char *key;
        float amount;
    } parts[] = {{"amount", hit->amount}, {"mitigated", hit->mitigated}, {"shared", hit->shared},
        {"absorbed", hit->absorbed}, {"over", hit->over}, {"dealt", hit->dealt}};
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        json_float(out, parts[i].key, parts[i].amount);
    }
    json_bool(out, "refused", hit->refused != 0);
    json_bool(out, "killed", (hit->flags & KN_HIT_KILLED) != 0);
    json_end(out, '}');
}

static void hit_add(hit_list *to, const kn_scenario_run *run, const kn_world *world,
    const kn_event *event, const kn_hit *hit)
{
    hit_line print = {world, hit};
    text plain = {0}, named = {0};
    text_print(&plain, hit_print, &print);
    uint64_t ms = (uint64_t)((event->time + KN_MS(1) / 2) / KN_MS(1));
    text_format(&named, "%llu.%03u s  ", (unsigned long long)(ms / 1000), (unsigned)(ms % 1000));
    stage_names(&named, run, to->scenario, text_of(&plain));
    if (to->is_json) {
        hit_json(&to->out, run, world, hit, to->seen, text_of(&named));
    } else {
        text_format(&to->lines, "%6llu  %s\n", (unsigned long long)to->seen, text_of(&named));
    }
    to->count++;
    text_free(&plain);
    text_free(&named);
}

static void hits_watch(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    hit_list *to = user;
    if (trace->kind != KN_SCENARIO_TRACE_STEP) {
        return;
    }
    kn_events events = kn_world_events(trace->world);
    uint32_t wanted = to->entity != NULL ? stage_number(run, to->entity) : 0;
    for (uint32_t i = 0; i < events.count; i++) {
        uint32_t size;
        kn_hit hit;
        to->seen++;
        if (!event_is_hit(trace->world, &events.data[i])) {
            continue;
        }
        const void *payload = kn_event_payload(trace->world, &events.data[i], &size);
        if (payload == NULL || size != sizeof(hit)) {
            continue;
        }
        memcpy(&hit, payload, sizeof(hit));
        bool is_part = wanted != 0 && (hit.source.index1 == wanted || hit.target.index1 == wanted);
        if (to->entity == NULL || is_part) {
            hit_add(to, run, trace->world, &events.data[i], &hit);
        }
    }
}

cli_code combat_explain_hits(const cli *call, stage *on)
{
    hit_list list = {.scenario = on->scenario,
        .entity = call->argument_count > 1 ? call->arguments[1] : NULL,
        .is_json = cli_has(call, "json")};
    if (!kit_is_there(call, on, call->arguments[0]) ||
        (list.entity != NULL && list.entity[0] != '#' && !stage_knows(call, on, list.entity))) {
        return CLI_BAD;
    }
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.trace = hits_watch;
    def.user = &list;
    json_begin(&list.out, NULL, '{');
    json_begin(&list.out, "hits", '[');
    cli_code code = stage_run_until(call, on, &def);
    json_end(&list.out, ']');
    json_end(&list.out, '}');
    if (code == CLI_GOOD && list.is_json) {
        json_print(&list.out);
    } else if (code == CLI_GOOD) {
        (void)printf("%s%s", list.count > 0 ? " event\n" : "no hits\n", text_of(&list.lines));
    }
    text_free(&list.lines);
    text_free(&list.out.out);
    return code;
}

// Procs ---------------------------------------------------------------------

#define TRAIL_LENGTH 10

// The latest attempts of a proc in a ring.
typedef struct proc_trail {
    const kn_scenario *scenario;
    const char *entity;
    const char *proc;
    combat_notes notes;
    bool is_there; // the entity has it at the end
    uint64_t count;
    text lines[TRAIL_LENGTH];
} proc_trail;

// "1.250 s  entity 3  proc Thorns: hit_taken ...: ..." without the entity and the proc.
static void attempt_add(
    proc_trail *to, const kn_scenario_run *run, const char *line, const char *attempt)
{
    text *own = &to->lines[to->count++ % TRAIL_LENGTH];
    size_t time = strcspn(line, "s") + 1;
    text_free(own);
    text_bytes(own, line, time);
    text_add(own, "  ");
    stage_names(own, run, to->scenario, attempt);
}

static void proc_watch(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    proc_trail *to = user;
    uint32_t wanted = stage_number(run, to->entity);
    (void)trace;
    for (; to->notes.next < to->notes.count; to->notes.next++) {
        const char *line = text_of(&to->notes.lines[to->notes.next]);
        uint32_t entity;
        const char *rest = after_word(note_body(line, &entity), "proc ");
        rest = rest != NULL ? after_word(rest, to->proc) : NULL;
        rest = rest != NULL ? after_word(rest, ": ") : NULL;
        if (rest != NULL && entity == wanted) {
            attempt_add(to, run, line, rest);
        }
    }
}

typedef struct proc_why {
    const kn_world *world;
    kn_entity_id bearer;
    kn_proc_id proc;
    kn_proc_event event;
    kn_tags tags;
} proc_why;

static uint32_t proc_print(const void *user, char *out, uint32_t size)
{
    const proc_why *why = user;
    return kn_proc_explain_print(why->world, why->proc, &why->event, why->tags, out, size);
}

// An event that the proc would react to, as far as its definition says.
static proc_why proc_why_of(const kn_world *world, kn_entity_id bearer, kn_proc_id proc)
{
    const kn_proc_def *def = kn_proc_get_def(kn_world_library(world), proc);
    proc_why why = {world, bearer, proc, kn_proc_event_default(), def->tags.required};
    why.event.bearer = bearer;
    why.event.other = bearer;
    why.event.source = bearer;
    why.event.target = bearer;
    why.event.on = def->on & (~def->on + 1u); // the first
    why.event.outcome = def->outcomes.count > 0 ? def->outcomes.data[0] : (kn_tag){0};
    why.event.ability = def->ability_count > 0 ? def->abilities[0] : (kn_ability_type_id){0};
    return why;
}

// What holds for every event: whether it is there, its charges and its cooldown. False if it is not
// there.
static bool proc_state(const proc_why *why, const char *name, text *out)
{
    kn_proc_line line;
    if (!kn_proc_get(why->world, why->bearer, why->proc, &line)) {
        text_print(out, proc_print, why); // says so
        return false;
    }
    kn_proc_line lines[64];
    uint32_t count = kn_proc_explain(why->world, &why->event, why->tags, lines, 64);
    kn_proc_answer answer = KN_PROC_MAY_ACT;
    for (uint32_t i = 0; i < count && i < 64; i++) {
        if (lines[i].proc.index1 == why->proc.index1) {
            answer = lines[i].answer;
            break;
        }
    }
    bool is_general = answer == KN_PROC_NO_CHARGES || answer == KN_PROC_ON_COOLDOWN ||
                      answer == KN_PROC_INHIBITED || answer == KN_PROC_NO_CHANCE;
    if (is_general) {
        text_print(out, proc_print, why);
    } else {
        text_format(out, "%s: ready", name);
    }
    if (line.charges > 0) {
        text_format(out, ", %u charge%s left", line.charges, line.charges > 1 ? "s" : "");
    }
    return true;
}

static void trail_print(const proc_trail *from, const char *state)
{
    uint64_t first = from->count > TRAIL_LENGTH ? from->count - TRAIL_LENGTH : 0;
    (void)printf("%s\n", state);
    if (first > 0) {
        (void)printf(
            "the last %d of %llu attempts\n", TRAIL_LENGTH, (unsigned long long)from->count);
    } else if (from->count > 0) {
        (void)printf("attempts\n");
    } else if (from->is_there) {
        (void)printf("no attempts: nothing happened that it reacts to\n");
    }
    for (uint64_t i = first; i < from->count; i++) {
        (void)printf("  %s\n", text_of(&from->lines[i % TRAIL_LENGTH]));
    }
}

static void trail_json(const proc_trail *from, const char *state)
{
    json out = {0};
    uint64_t first = from->count > TRAIL_LENGTH ? from->count - TRAIL_LENGTH : 0;
    json_begin(&out, NULL, '{');
    json_text(&out, "proc", from->proc);
    json_text(&out, "text", state);
    json_count(&out, "attempt_count", from->count);
    json_begin(&out, "attempts", '[');
    for (uint64_t i = first; i < from->count; i++) {
        json_text(&out, NULL, text_of(&from->lines[i % TRAIL_LENGTH]));
    }
    json_end(&out, ']');
    json_end(&out, '}');
    json_print(&out);
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

static kn_proc_id proc_find(const cli *call, const kn_library *library, const char *name)
{
    kind_words words = {library, kn_kind_find(library, "proc")};
    kn_proc_id proc = {kn_def_find(library, words.kind, name)};
    if (proc.index1 == 0) {
        const char *nearest = cli_nearest(name, kind_word, &words);
        cli_tell(call, "there is no proc `%s`%s%s%s", name,
            nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
            nearest != NULL ? "`?" : "");
    }
    return proc;
}

cli_code combat_explain_proc(const cli *call, stage *on)
{
    const kn_library *library = kn_scenario_library(on->scenario);
    proc_trail trail = {.scenario = on->scenario,
        .entity = call->arguments[1],
        .proc = cli_text_of(call, "proc", "")};
    if (!kit_is_there(call, on, call->arguments[0])) {
        return CLI_BAD;
    }
    kn_proc_id proc = proc_find(call, library, trail.proc);
    if (proc.index1 == 0) {
        return CLI_BAD;
    }
    kn_scenario_run_def def = kn_scenario_run_def_default();
    def.trace = proc_watch;
    def.user = &trail;
    combat_notes_begin(&trail.notes, &def);
    kn_entity_id bearer;
    cli_code code = play_with_notes(call, on, &def);
    code = code == CLI_GOOD ? stage_entity(call, on, trail.entity, &bearer) : code;
    if (code == CLI_GOOD) {
        text state = {0};
        proc_why why = proc_why_of(kn_scenario_run_world(on->run), bearer, proc);
        trail.is_there = proc_state(&why, trail.proc, &state);
        (cli_has(call, "json") ? trail_json : trail_print)(&trail, text_of(&state));
        text_free(&state);
    }
    for (uint32_t i = 0; i < TRAIL_LENGTH; i++) {
        text_free(&trail.lines[i]);
    }
    combat_notes_free(&trail.notes);
    return code;
}

// Meters --------------------------------------------------------------------

typedef enum meter_part {
    METER_AMOUNT,
    METER_PER_SECOND,
    METER_ABSORBED,
    METER_MITIGATED,
    METER_OVER,
    METER_HITS,
    METER_CRITICALS,
    METER_KILLS,
} meter_part;

static const struct {
    const char *word;
    kn_hit_kind kind;
    bool is_taken; // by the entity, not dealt
    meter_part part;
} meters[] = {
    {"done", KN_HIT_DAMAGE, false, METER_AMOUNT},
    {"dps", KN_HIT_DAMAGE, false, METER_PER_SECOND},
    {"taken", KN_HIT_DAMAGE, true, METER_AMOUNT},
    {"absorbed", KN_HIT_DAMAGE, true, METER_ABSORBED},
    {"mitigated", KN_HIT_DAMAGE, true, METER_MITIGATED},
    {"healing", KN_HIT_HEALING, false, METER_AMOUNT},
    {"hps", KN_HIT_HEALING, false, METER_PER_SECOND},
    {"healed", KN_HIT_HEALING, true, METER_AMOUNT},
    {"overhealing", KN_HIT_HEALING, false, METER_OVER},
    {"hits", KN_HIT_DAMAGE, false, METER_HITS},
    {"criticals", KN_HIT_DAMAGE, false, METER_CRITICALS},
    {"kills", KN_HIT_DAMAGE, false, METER_KILLS},
};
#define METER_COUNT (sizeof(meters) / sizeof(*meters))

static const char *meter_word(const void *user, uint32_t index)
{
    (void)user;
    return index < METER_COUNT ? meters[index].word : NULL;
}

// "done:mage:Firebolt" in its parts; names may have colons in the last one only.
static bool meter_split(const char *words, text *what, combat_meter *out)
{
    const char *colon = strchr(words, ':');
    if (colon == NULL || colon[1] == 0) {
        return false;
    }
    const char *entity = colon + 1;
    const char *second = strchr(entity, ':');
    text_bytes(what, words, (size_t)(colon - words));
    text_bytes(&out->entity, entity, second != NULL ? (size_t)(second - entity) : strlen(entity));
    text_add(&out->ability, second != NULL ? second + 1 : "");
    return out->entity.length > 0 && (second == NULL || second[1] != 0);
}

static cli_code meter_find(const cli *call, const char *word, uint32_t *what)
{
    for (*what = 0; *what < METER_COUNT; (*what)++) {
        if (strcmp(meters[*what].word, word) == 0) {
            return CLI_GOOD;
        }
    }
    const char *nearest = cli_nearest(word, meter_word, NULL);
    cli_tell(call, "there is no meter `%s`%s%s%s", word,
        nearest != NULL ? "; did you mean `" : "; `knack sim --help` lists them",
        nearest != NULL ? nearest : "", nearest != NULL ? "`?" : "");
    return CLI_USAGE;
}

static cli_code meter_check(
    const cli *call, const stage *on, const char *file, const combat_meter *meter)
{
    const kn_library *library = kn_scenario_library(on->scenario);
    const char *ability = text_of(&meter->ability);
    if (!kit_is_there(call, on, file) || !stage_knows(call, on, text_of(&meter->entity))) {
        return CLI_USAGE;
    }
    if (ability[0] != 0 && kn_def_find(library, KN_DEF_ABILITY, ability) == 0 &&
        kn_def_find(library, KN_DEF_EFFECT, ability) == 0) {
        kind_words abilities = {library, KN_DEF_ABILITY};
        const char *nearest = cli_nearest(ability, kind_word, &abilities);
        cli_tell(call, "%s has neither an ability nor an effect `%s`%s%s%s", file, ability,
            nearest != NULL ? "; did you mean `" : "", nearest != NULL ? nearest : "",
            nearest != NULL ? "`?" : "");
        return CLI_USAGE;
    }
    return CLI_GOOD;
}

cli_code combat_meter_parse(
    const cli *call, const stage *stages, const char *words, combat_meter *out)
{
    text what = {0};
    cli_code code = CLI_GOOD;
    *out = (combat_meter){0};
    if (!meter_split(words, &what, out)) {
        cli_tell(call,
            "--meter takes WHAT:ENTITY or WHAT:ENTITY:ABILITY, such as done:mage, not "
            "`%s`",
            words);
        code = CLI_USAGE;
    }
    code = code == CLI_GOOD ? meter_find(call, text_of(&what), &out->what) : code;
    for (uint32_t i = 0; code == CLI_GOOD && i < call->argument_count; i++) {
        code = meter_check(call, &stages[i], call->arguments[i], out);
    }
    text_free(&what);
    return code;
}

void combat_meter_free(combat_meter *from)
{
    text_free(&from->entity);
    text_free(&from->ability);
}

struct combat_counter {
    kn_combat_log *log;
};

combat_counter *combat_counter_create(void)
{
    kn_combat_log_def def = kn_combat_log_def_default();
    combat_counter *counter = cli_resize(NULL, sizeof(*counter));
    def.row_capacity = 1; // only the meters count
    def.cell_capacity = 4096;
    def.only_hits = true;
    *counter = (combat_counter){0};
    if (kn_combat_log_create(&def, &counter->log) != KN_OK) {
        free(counter);
        return NULL;
    }
    return counter;
}

void combat_counter_destroy(combat_counter *counter)
{
    if (counter != NULL) {
        kn_combat_log_destroy(counter->log);
        free(counter);
    }
}

static void counter_watch(void *user, const kn_scenario_run *run, const kn_scenario_trace *trace)
{
    combat_counter *counter = user;
    (void)run;
    if (trace->kind == KN_SCENARIO_TRACE_STEP) {
        (void)kn_combat_log_read(counter->log, trace->world);
    }
}

void combat_counter_begin(combat_counter *counter, kn_scenario_run_def *def)
{
    kn_combat_log_clear(counter->log);
    def->trace = counter_watch;
    def->user = counter;
}

static double row_part(const kn_meter_row *row, meter_part part)
{
    switch (part) {
    case METER_PER_SECOND:
        return row->per_second;
    case METER_ABSORBED:
        return row->absorbed;
    case METER_MITIGATED:
        return row->mitigated;
    case METER_OVER:
        return row->over;
    case METER_HITS:
        return row->hits;
    case METER_CRITICALS:
        return row->criticals;
    case METER_KILLS:
        return row->kills;
    default:
        return row->amount;
    }
}

// Whether a row is about what a meter names, which may be an ability or an effect without one.
static bool row_is_about(const kn_world *world, const kn_meter_row *row, const char *name)
{
    const char *own = row->ability.index1 != 0
                          ? kn_ability_type_name(kn_world_library(world), row->ability)
                          : kn_effect_type_name(world, row->effect);
    return name[0] == 0 || strcmp(own, name) == 0;
}

float combat_counter_read(
    combat_counter *counter, const kn_scenario_run *run, const combat_meter *meter)
{
    kn_world *world = kn_scenario_run_world(run);
    kn_entity_id entity = kn_scenario_run_entity(run, text_of(&meter->entity));
    kn_meter_query query = kn_meter_query_default();
    query.kind = meters[meter->what].kind;
    query.by = KN_METER_BY_ABILITY;
    *(meters[meter->what].is_taken ? &query.target : &query.source) = entity;
    if (entity.index1 == 0) {
        return 0.0f; // it never was there
    }
    uint32_t count = kn_combat_meter(counter->log, &query, NULL, 0);
    kn_meter_row *rows = cli_resize(NULL, count * sizeof(*rows));
    double sum = 0.0;
    count = kn_combat_meter(counter->log, &query, rows, count);
    for (uint32_t i = 0; i < count; i++) {
        if (row_is_about(world, &rows[i], text_of(&meter->ability))) {
            sum += row_part(&rows[i], meters[meter->what].part);
        }
    }
    free(rows);
    return (float)sum;
}
