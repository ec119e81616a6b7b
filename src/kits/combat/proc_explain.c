// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Why a proc would not act: the tests of proc_run.c, without the roll.

#include "parts.h"

#include <stdio.h>

static const char *const answer_texts[KN_PROC_ANSWER_COUNT] = {
    [KN_PROC_MAY_ACT] = "acts",
    [KN_PROC_NOT_THERE] = "is not there: nothing brings it along",
    [KN_PROC_INHIBITED] = "its effect is inhibited",
    [KN_PROC_NO_CHARGES] = "has no charges left",
    [KN_PROC_ON_COOLDOWN] = "on cooldown",
    [KN_PROC_OTHER_EVENT] = "does not react to this",
    [KN_PROC_OUTCOME] = "does not react to this outcome",
    [KN_PROC_TAGS] = "the tags of the event do not meet its requirement",
    [KN_PROC_ABILITY] = "does not react to this ability",
    [KN_PROC_PERIODIC] = "does not react to ticks",
    [KN_PROC_TRIGGERED] = "the event follows from another proc",
    [KN_PROC_ITSELF] = "the event follows from the proc itself",
    [KN_PROC_DEPTH] = "the event follows from too many procs",
    [KN_PROC_SUPPRESSED] = "the event says that no proc reacts to it",
    [KN_PROC_SAME_USE] = "the use behind the event has brought it along",
    [KN_PROC_CONDITION] = "its condition does not hold",
    [KN_PROC_NO_CHANCE] = "its chance is 0",
};

kn_proc_line knc_proc_line_of(const kn_world *world, const proc_try *try)
{
    kn_time now = kn_world_now(world);
    kn_time ready_at = knc_proc_ready_at(world, try);
    uint32_t charges = knc_proc_charges(world, try);
    kn_proc_line line = {.proc = try->item.proc,
        .effect = try->item.effect,
        .ability = try->item.ability,
        .cooldown = ready_at > now ? ready_at - now : 0,
        .charges = charges != UINT32_MAX ? charges : 0};
    return line;
}

static bool try_begin(
    const kn_world *world, const kn_proc_event *event, kn_tags tags, proc_try *try)
{
    if (!kn_combat_is_there(kn_world_library(world)) || event == NULL ||
        !kn_entity_is_alive(world, event->bearer)) {
        return false;
    }
    *try =
        (proc_try){.event = event, .tags = tags, .bearer = kn_entity_actor(world, event->bearer)};
    return true;
}

static uint32_t percent_of(float chance)
{
    return (uint32_t)((chance < 1.0f ? chance : 1.0f) * 100.0f + 0.5f);
}

static void text_answer(kn_text *out, const kn_proc_line *line)
{
    if (line->answer == KN_PROC_MAY_ACT && line->chance < 1.0f) {
        kn_text_add(out, "acts with a chance of %u %%", percent_of(line->chance));
    } else if (line->answer == KN_PROC_ON_COOLDOWN) {
        uint32_t tenths = (uint32_t)((line->cooldown + KN_MS(50)) / KN_MS(100));
        kn_text_add(out, "on cooldown for %u.%u s", tenths / 10, tenths % 10);
    } else {
        kn_text_add(out, "%s", answer_texts[line->answer]);
    }
}

uint32_t kn_proc_explain(const kn_world *world, const kn_proc_event *event, kn_tags tags,
    kn_proc_line *out, uint32_t capacity)
{
    proc_try try;
    uint32_t count = 0;
    if (!try_begin(world, event, tags, &try)) {
        return 0;
    }
    proc_chain chain = knc_proc_chain_of(world);
    try.chain = &chain;
    for (uint32_t i = 0; knc_proc_at(world, &try, i); i++) {
        if (try.def == NULL) {
            continue;
        }
        if (count < capacity) {
            out[count] = knc_proc_line_of(world, &try);
            out[count].answer = knc_proc_test(world, &try, &out[count].chance);
        }
        count++;
    }
    return count;
}

uint32_t kn_proc_explain_print(const kn_world *world, kn_proc_id proc, const kn_proc_event *event,
    kn_tags tags, char *text, uint32_t size)
{
    const kn_library *library = kn_world_library(world);
    const kn_proc_def *def = kn_proc_get_def(library, proc);
    kn_proc_line line = {.answer = KN_PROC_NOT_THERE};
    proc_try try;
    if (def == NULL) {
        return (uint32_t)snprintf(text, size, "not a proc");
    }
    bool is_there = try_begin(world, event, tags, &try);
    proc_chain chain = knc_proc_chain_of(world);
    for (uint32_t i = 0; is_there && knc_proc_at(world, &try, i); i++) {
        if (try.item.proc.index1 == proc.index1) {
            try.chain = &chain;
            line = knc_proc_line_of(world, &try);
            line.answer = knc_proc_test(world, &try, &line.chance);
            break;
        }
    }
    kn_text out = kn_text_begin(text, size);
    kn_text_add(&out, "%s: ", def->name);
    text_answer(&out, &line);
    return out.length;
}

bool kn_proc_get(const kn_world *world, kn_entity_id bearer, kn_proc_id proc, kn_proc_line *line)
{
    kn_proc_event event = kn_proc_event_default();
    proc_try try;
    *line = (kn_proc_line){0};
    event.bearer = bearer;
    if (!try_begin(world, &event, (kn_tags){0}, &try)) {
        return false;
    }
    for (uint32_t i = 0; knc_proc_at(world, &try, i); i++) {
        if (try.item.proc.index1 == proc.index1 && try.def != NULL) {
            *line = knc_proc_line_of(world, &try);
            return true;
        }
    }
    return false;
}

// The log -----------------------------------------------------------------------------

// What a proc reacted to: "hit_done with entity 3 (Fireball)".
static void text_event(kn_text *out, const kn_world *world, const kn_proc_event *event)
{
    const char *name = event->ability.index1 != 0
                           ? kn_ability_type_name(kn_world_library(world), event->ability)
                           : kn_effect_type_name(world, event->effect);
    kn_text_add(out, "%s", knc_proc_on_word(event->on));
    if (event->other.index1 != 0) {
        kn_text_add(out, " with entity %u", event->other.index1);
    }
    if (name[0] != '\0') {
        kn_text_add(out, " (%s)", name);
    }
}

void knc_proc_log(
    const kn_world *world, const proc_try *try, const kn_proc_line *told, const char *what)
{
    char text[512];
    kn_text out = kn_text_begin(text, sizeof(text));
    knc_log_begin(&out, world, try->bearer);
    kn_text_add(&out, "proc %s: ", try->def->name);
    text_event(&out, world, try->event);
    kn_text_add(&out, ": ");
    if (what == NULL) {
        text_answer(&out, told);
    } else {
        kn_text_add(&out, "%s", what);
        if (told->chance < 1.0f) {
            kn_text_add(&out, ", with a chance of %u %%", percent_of(told->chance));
        }
    }
    knc_log_end(world, &out);
}
