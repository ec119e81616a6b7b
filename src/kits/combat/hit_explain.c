// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Where a hit goes: the stages of hit.c again, line by line, without drawing and without changing
// anything; and hits as text.

#include "parts.h"

#include <stdio.h>

#define EXPLAIN_MODIFIERS 512 // lines of one value that are explained

// Lines -----------------------------------------------------------------------------

static void line_add(hit_lines *list, kn_hit_line line)
{
    line.delta = line.result - list->last;
    list->last = line.result;
    if (list->count < list->capacity) {
        list->lines[list->count] = line;
    }
    list->count++;
}

// The modifiers of one side; returns the amount after them.
static float explain_value(
    hit_lines *list, const kn_world *world, const hit_call *call, kn_hit_stage stage, float amount)
{
    const hit_ids *ids = &knc_combat_of_world(world)->hit;
    bool is_source = stage == KN_HIT_STAGE_SOURCE;
    kn_entity_id entity = is_source ? call->def.source : call->def.target;
    kn_value_id value = is_source ? ids->done[call->def.kind] : ids->taken[call->def.kind];
    kn_event_record record = knc_hit_record(call, amount);
    kn_explain_line lines[EXPLAIN_MODIFIERS];
    if (record.ignore_modifiers) {
        return amount;
    }
    uint32_t count =
        kn_value_explain(world, entity, value, amount, &record, lines, EXPLAIN_MODIFIERS);
    count = count < EXPLAIN_MODIFIERS ? count : EXPLAIN_MODIFIERS;
    for (uint32_t i = 0; i < count; i++) {
        if (lines[i].kind != KN_EXPLAIN_BASE) {
            line_add(list, (kn_hit_line){.stage = stage,
                               .result = lines[i].result,
                               .kind = lines[i].kind,
                               .effect = lines[i].effect,
                               .type = lines[i].type,
                               .source = lines[i].source,
                               .op = lines[i].op,
                               .magnitude = lines[i].magnitude,
                               .qualification = lines[i].qualification});
        }
    }
    return kn_value_evaluate(world, entity, value, amount, &record, false);
}

static float explain_outcomes(hit_lines *list, const kn_world *world, hit_call *call, float amount)
{
    const hit_ids *ids = &knc_combat_of_world(world)->hit;
    if ((call->def.flags & KN_HIT_NO_OUTCOME) != 0) {
        return amount;
    }
    for (uint32_t i = 1; i <= ids->own_tag_count; i++) {
        outcome_odds odds;
        if (!knc_outcome_odds_of(world, call, i, amount, &odds)) {
            continue;
        }
        kn_hit_line line = {.stage = KN_HIT_STAGE_OUTCOME,
            .outcome = odds.tag,
            .chance = odds.chance,
            .magnitude = knc_outcome_factor(world, call, &odds, amount),
            .is_certain = odds.chance >= 1.0f};
        if (line.is_certain) {
            amount *= line.magnitude;
            knc_hit_add_outcome(call, odds.tag);
        }
        line.result = amount;
        line_add(list, line);
        if (line.is_certain && odds.def->ends) {
            break;
        }
    }
    return amount;
}

// The gates that refuse the hit; true if there are any.
static bool explain_gates(
    hit_lines *list, const kn_world *world, const hit_call *call, float amount)
{
    kn_effect_id gates[16];
    kn_event_record record = knc_hit_record(call, amount);
    uint32_t count = record.ignore_gates ? 0 : kn_event_vetoes(world, &record, gates, 16);
    for (uint32_t i = 0; i < count && i < 16; i++) {
        kn_effect_info info;
        kn_hit_line line = {.stage = KN_HIT_STAGE_GATE, .effect = gates[i]};
        if (kn_effect_get(world, gates[i], &info)) {
            line.type = info.type;
            line.source = info.source;
        }
        line_add(list, line);
    }
    return count > 0;
}

// Shares and absorbs come from effects that only buffs know; they say what they would take.
static float explain_parts(
    hit_lines *list, const kn_world *world, const hit_call *call, kn_hit_stage stage, float amount)
{
    kn_hit_line lines[32];
    bool is_share = stage == KN_HIT_STAGE_SHARE;
    uint32_t skipped = is_share ? KN_HIT_NO_SHARE | KN_HIT_SHARED : KN_HIT_NO_ABSORB;
    if ((call->def.flags & skipped) != 0) {
        return amount;
    }
    uint32_t count = is_share ? knc_buff_preview_share(world, &call->def, amount, lines, 32)
                              : knc_buff_preview_absorb(world, &call->def, amount, lines, 32);
    for (uint32_t i = 0; i < count && i < 32; i++) {
        amount = amount > lines[i].delta ? amount - lines[i].delta : 0.0f;
        lines[i].stage = stage;
        lines[i].result = amount;
        line_add(list, lines[i]);
    }
    return amount;
}

static void explain_health(hit_lines *list, float amount, float dealt)
{
    if (dealt < amount) {
        line_add(list, (kn_hit_line){.stage = KN_HIT_STAGE_LIMIT, .result = dealt});
    }
    line_add(list, (kn_hit_line){.stage = KN_HIT_STAGE_HEALTH, .result = dealt});
}

static void explain_all(hit_lines *list, const kn_world *world, hit_call *call)
{
    const kn_hit_def *def = &call->def;
    float amount = def->amount;
    line_add(list, (kn_hit_line){.stage = KN_HIT_STAGE_AMOUNT, .result = amount});
    amount = explain_value(list, world, call, KN_HIT_STAGE_SOURCE, amount);
    amount = explain_outcomes(list, world, call, amount);
    // Gates see the amount that the modifiers of the target have left.
    amount = explain_value(list, world, call, KN_HIT_STAGE_TARGET, amount);
    if (explain_gates(list, world, call, amount)) {
        return;
    }
    amount = explain_parts(list, world, call, KN_HIT_STAGE_SHARE, amount);
    amount = explain_parts(list, world, call, KN_HIT_STAGE_ABSORB, amount);
    explain_health(list, amount, knc_hit_limit(world, call, amount));
}

uint32_t kn_hit_explain(
    const kn_world *world, const kn_hit_def *def, kn_hit_line *lines, uint32_t capacity)
{
    hit_call call;
    hit_lines list = {.lines = lines, .capacity = lines != NULL ? capacity : 0};
    if (knc_hit_call_begin(world, def, &call) != KN_OK) {
        return 0;
    }
    explain_all(&list, world, &call);
    return list.count;
}

// A hit that runs -------------------------------------------------------------------

float knc_hit_note_stage(
    const kn_world *world, const hit_call *call, kn_hit_stage stage, float amount)
{
    if (call->lines == NULL) {
        return amount;
    }
    switch (stage) {
    case KN_HIT_STAGE_AMOUNT:
        line_add(call->lines, (kn_hit_line){.stage = stage, .result = amount});
        return amount;
    case KN_HIT_STAGE_SOURCE:
    case KN_HIT_STAGE_TARGET:
        return explain_value(call->lines, world, call, stage, amount);
    case KN_HIT_STAGE_GATE:
        return explain_gates(call->lines, world, call, amount) ? 0.0f : amount;
    case KN_HIT_STAGE_SHARE:
    case KN_HIT_STAGE_ABSORB:
        return explain_parts(call->lines, world, call, stage, amount);
    default:
        return amount;
    }
}

void knc_hit_note_outcome(const hit_call *call, kn_tag outcome, float factor, float amount)
{
    if (call->lines != NULL) {
        line_add(call->lines, (kn_hit_line){.stage = KN_HIT_STAGE_OUTCOME,
                                  .outcome = outcome,
                                  .chance = 1.0f,
                                  .magnitude = factor,
                                  .is_certain = true,
                                  .result = amount});
    }
}

void knc_hit_note_health(const hit_call *call, float amount)
{
    if (call->lines != NULL) {
        explain_health(call->lines, amount, call->hit.dealt);
    }
}

// Text ------------------------------------------------------------------------------

void knc_text_number(kn_text *out, const char *before, float number, const char *after)
{
    char text[48];
    (void)kn_float_print(number, text, sizeof(text));
    kn_text_add(out, "%s%s%s", before, text, after);
}

void knc_text_entity(kn_text *out, const kn_world *world, text_names names, kn_entity_id entity)
{
    char name[128] = "";
    if (names.function == NULL) {
        kn_text_add(out, "entity %u", entity.index1);
        return;
    }
    names.function(names.user, world, entity, name, sizeof(name));
    name[sizeof(name) - 1] = '\0';
    kn_text_add(out, "%s", name);
}

static const char *outcome_word(const kn_library *library, kn_tag tag)
{
    const char *name = kn_tag_name(library, tag);
    const char *word = name;
    for (const char *c = name; *c != '\0'; c++) {
        word = *c == '.' ? c + 1 : word;
    }
    return word;
}

static void print_modifier(kn_text *out, const kn_world *world, const kn_hit_line *line)
{
    const char *side = line->stage == KN_HIT_STAGE_SOURCE ? "source" : "target";
    switch (line->kind) {
    case KN_EXPLAIN_MODIFIER:
        kn_text_add(out, "%s of the %s: ", kn_effect_type_name(world, line->type), side);
        kn_text_add(out, "%s ", kn_op_name(line->op));
        knc_text_number(out, "", line->magnitude, "");
        if (line->qualification != KN_QUALIFICATION_OK) {
            kn_text_add(out, ", does not act: %s", kn_qualification_name(line->qualification));
        }
        break;
    case KN_EXPLAIN_FACTOR:
        knc_text_number(out, "attribute of the value: x ", line->magnitude, "");
        break;
    default:
        kn_text_add(out, "limits of the value of the %s", side);
        break;
    }
}

static void print_line(kn_text *out, const kn_world *world, const kn_hit_line *line)
{
    knc_text_number(out, "", line->result, "  ");
    switch (line->stage) {
    case KN_HIT_STAGE_AMOUNT:
        kn_text_add(out, "asked for");
        break;
    case KN_HIT_STAGE_SOURCE:
    case KN_HIT_STAGE_TARGET:
        print_modifier(out, world, line);
        break;
    case KN_HIT_STAGE_OUTCOME:
        kn_text_add(out, "%s: x ", outcome_word(kn_world_library(world), line->outcome));
        knc_text_number(out, "", line->magnitude, "");
        if (!line->is_certain) {
            knc_text_number(out, ", chance ", line->chance * 100.0f, " %");
        }
        break;
    case KN_HIT_STAGE_GATE:
        kn_text_add(out, "refused by %s", kn_effect_type_name(world, line->type));
        break;
    case KN_HIT_STAGE_SHARE:
        kn_text_add(out, "shared by %s", kn_effect_type_name(world, line->type));
        break;
    case KN_HIT_STAGE_ABSORB:
        kn_text_add(out, "absorbed by %s", kn_effect_type_name(world, line->type));
        break;
    case KN_HIT_STAGE_LIMIT:
        knc_text_number(out, "", -line->delta, " too much");
        break;
    default:
        kn_text_add(out, "dealt");
        break;
    }
}

uint32_t kn_hit_explain_print(
    const kn_world *world, const kn_hit_def *def, char *text, uint32_t size)
{
    kn_hit_line lines[EXPLAIN_MODIFIERS];
    kn_text out = kn_text_begin(text, size);
    uint32_t count = kn_hit_explain(world, def, lines, EXPLAIN_MODIFIERS);
    for (uint32_t i = 0; i < count && i < EXPLAIN_MODIFIERS; i++) {
        print_line(&out, world, &lines[i]);
        kn_text_add(&out, "\n");
    }
    return out.length;
}

// One hit as a line -------------------------------------------------------------------

static void print_reason(kn_text *out, const kn_world *world, const kn_hit *hit)
{
    const char *name = hit->ability.index1 != 0
                           ? kn_ability_type_name(kn_world_library(world), hit->ability)
                           : kn_effect_type_name(world, hit->effect);
    const char *separator = " (";
    if (name[0] != '\0') {
        kn_text_add(out, "%s%s", separator, name);
        separator = ", ";
    }
    for (uint32_t i = 0; i < KN_HIT_OUTCOMES_MAX; i++) {
        kn_tag tag = i == 0 ? hit->outcome : hit->outcomes[i - 1];
        if (tag.index1 != 0) {
            kn_text_add(out, "%s%s", separator, outcome_word(kn_world_library(world), tag));
            separator = ", ";
        }
    }
    kn_text_add(out, "%s", separator[0] == ',' ? ")" : "");
}

static void print_parts(kn_text *out, const kn_hit *hit)
{
    const struct {
        const char *word;
        float amount;
    } parts[] = {{"mitigated", hit->mitigated}, {"shared", hit->shared},
        {"absorbed", hit->absorbed},
        {hit->kind == KN_HIT_DAMAGE ? "overkill" : "overheal", hit->over}};
    const char *separator = ": ";
    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
        if (parts[i].amount != 0.0f) {
            knc_text_number(out, separator, parts[i].amount, " ");
            kn_text_add(out, "%s", parts[i].word);
            separator = ", ";
        }
    }
}

void knc_text_hit(kn_text *out, const kn_world *world, text_names names, const kn_hit *hit)
{
    bool is_damage = hit->kind == KN_HIT_DAMAGE;
    knc_text_entity(out, world, names, hit->target);
    knc_text_number(out, is_damage ? " takes " : " gains ", hit->dealt, "");
    knc_text_number(out, " of ", hit->amount, is_damage ? " damage" : " healing");
    if (hit->source.index1 != 0) {
        kn_text_add(out, " from ");
        knc_text_entity(out, world, names, hit->source);
    }
    print_reason(out, world, hit);
    print_parts(out, hit);
    kn_text_add(out, "%s", (hit->flags & KN_HIT_KILLED) != 0 ? ", and dies" : "");
}

uint32_t kn_hit_print(const kn_world *world, const kn_hit *hit, char *text, uint32_t size)
{
    kn_text out = kn_text_begin(text, size);
    if (world != NULL && hit != NULL) {
        knc_text_hit(&out, world, (text_names){NULL, NULL}, hit);
    }
    return out.length;
}

// The log -----------------------------------------------------------------------------

void knc_log_begin(kn_text *out, const kn_world *world, kn_entity_id entity)
{
    uint64_t ms = (uint64_t)((kn_world_now(world) + KN_MS(1) / 2) / KN_MS(1));
    kn_text_add(out, "%llu.%03u s  entity %u  ", (unsigned long long)(ms / 1000),
        (unsigned)(ms % 1000), entity.index1);
}

void knc_log_end(const kn_world *world, const kn_text *out)
{
    kn_log_entry entry = {KN_LOG_VERBOSE, KN_LOG_GAME, KN_OK, out->text, __FILE__, __LINE__};
    kn_log_write(world, &entry);
}

void knc_hit_log(const kn_world *world, const hit_call *call)
{
    char text[4096];
    kn_text out = kn_text_begin(text, sizeof(text));
    const hit_lines *list = call->lines;
    if (list == NULL) {
        return;
    }
    uint32_t count = list->count < list->capacity ? list->count : list->capacity;
    knc_log_begin(&out, world, call->hit.target);
    kn_text_add(&out, call->def.kind == KN_HIT_DAMAGE ? "damage: " : "healing: ");
    for (uint32_t i = 0; i < count; i++) {
        kn_text_add(&out, "%s", i > 0 ? "; " : "");
        print_line(&out, world, &list->lines[i]);
    }
    if (count < list->count) {
        kn_text_add(&out, "; and %u more lines", list->count - count);
    }
    knc_log_end(world, &out);
}
