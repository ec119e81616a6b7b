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

static kn_proc_line line_of(const kn_world *world, const proc_try *try)
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
            out[count] = line_of(world, &try);
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
            line = line_of(world, &try);
            line.answer = knc_proc_test(world, &try, &line.chance);
            break;
        }
    }
    if (line.answer == KN_PROC_MAY_ACT && line.chance < 1.0f) {
        return (uint32_t)snprintf(text, size, "%s: acts with a chance of %u %%", def->name,
            (uint32_t)(line.chance * 100.0f + 0.5f));
    }
    if (line.answer == KN_PROC_ON_COOLDOWN) {
        uint32_t tenths = (uint32_t)((line.cooldown + KN_MS(50)) / KN_MS(100));
        return (uint32_t)snprintf(
            text, size, "%s: on cooldown for %u.%u s", def->name, tenths / 10, tenths % 10);
    }
    return (uint32_t)snprintf(text, size, "%s: %s", def->name, answer_texts[line.answer]);
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
            *line = line_of(world, &try);
            return true;
        }
    }
    return false;
}
