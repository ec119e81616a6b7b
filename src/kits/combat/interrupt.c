// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Interrupts: an event record that gates may refuse, then a cancel with a reason, then a lock-out.

#include "parts.h"

#include <math.h>

#define INTERRUPT_COOKIE 0x7470696bu

kn_interrupt_def kn_interrupt_def_default(void)
{
    return (kn_interrupt_def){.cookie = INTERRUPT_COOKIE};
}

static const kn_ability_def *ability_def_of(const cast_at *at)
{
    return kn_ability_type_get_def(kn_world_library(at->world), at->type);
}

static bool has_any(const cast_at *at, kn_tags tags)
{
    bool has = tags.count == 0;
    for (uint32_t i = 0; !has && i < tags.count; i++) {
        has = kn_ability_has_tag(at->world, at->ability, tags.data[i]);
    }
    return has;
}

// What an interrupt of a cast locks out: its school, or the tags of its ability that are not ours.
static void school_of(const cast_at *at, const kn_cast_def *def, kn_tag_set *school)
{
    const kn_library *library = kn_world_library(at->world);
    const kn_ability_def *ability = ability_def_of(at);
    kn_tag own = kn_tag_find(library, "Knack");
    kn_tags tags = def->school.count > 0 ? def->school : ability->tags;
    *school = (kn_tag_set){0};
    for (uint32_t i = 0; i < tags.count; i++) {
        if (def->school.count > 0 || !kn_tag_matches(library, tags.data[i], own)) {
            (void)kn_tag_set_add(school, tags.data[i]);
        }
    }
}

typedef struct interrupt_call {
    const kn_interrupt_def *def;
    kn_interrupt_result *result;
} interrupt_call;

// Lets gates and modifiers have their say about it.
static kn_result interrupt_ask(
    const cast_at *at, const kn_interrupt_def *def, kn_tags tags, kn_interrupt_result *result)
{
    kn_event_record record = kn_event_record_default();
    record.kind = at->ids->interrupt;
    record.tags = tags;
    record.instigator = def->instigator;
    record.target = at->owner;
    record.magnitude = def->lockout;
    kn_event_outcome outcome;
    kn_result answer = kn_event_run(at->world, &record, &outcome);
    result->blocked_by = outcome.blocked_by;
    result->lockout = outcome.magnitude > 0.0f ? outcome.magnitude : 0.0f;
    return answer;
}

static kn_result interrupt_run(void *user, kn_world *world)
{
    const kn_interrupt_def *def = ((interrupt_call *)user)->def;
    kn_interrupt_result *result = ((interrupt_call *)user)->result;
    cast_at at;
    if (!knc_cast_of_entity(world, def->target, &at) || !has_any(&at, def->any_tags)) {
        return KN_REFUSED_NOT_FOUND;
    }
    const cast_run *run = kn_task_read_state(world, at.task);
    kn_cast_id cast = run->cast;
    const kn_cast_def *cast_def = kn_cast_get_def(kn_world_library(world), cast);
    if ((run->flags & CAST_INTERRUPTIBLE) == 0) {
        return KN_REFUSED_BLOCKED;
    }
    kn_tag_set school;
    school_of(&at, cast_def, &school);
    kn_result answer = interrupt_ask(&at, def, ability_def_of(&at)->tags, result);
    if (answer != KN_OK) {
        result->lockout = 0.0f;
        return answer;
    }
    // An interrupt ends what cannot be cancelled otherwise.
    (void)kn_activation_set_cancelable(world, at.activation, true);
    result->activation = at.activation;
    result->ability = at.type;
    result->cast = cast;
    answer = knc_cast_stop(
        &at, knc_cast_ids_of(world)->interrupted, def->instigator, (kn_tag){0}, result->lockout);
    if (answer != KN_OK || !(result->lockout > 0.0f) || school.count == 0) {
        result->lockout = 0.0f;
        return answer;
    }
    answer =
        kn_lockout_add(world, at.owner, kn_tag_set_view(&school), def->instigator, result->lockout);
    // The cast is interrupted, also if hooks of its end have left nobody to lock out.
    result->lockout = answer == KN_OK ? result->lockout : 0.0f;
    return kn_result_is_refused(answer) ? KN_OK : answer;
}

static bool tags_are_known(const kn_library *library, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        if (tags.data[i].index1 == 0 || tags.data[i].index1 > kn_tag_count(library)) {
            return false;
        }
    }
    return true;
}

kn_result kn_cast_interrupt(
    kn_world *world, const kn_interrupt_def *def, kn_interrupt_result *result)
{
    kn_interrupt_result ignored;
    result = result != NULL ? result : &ignored;
    *result = (kn_interrupt_result){0};
    if (def->cookie != INTERRUPT_COOKIE ||
        !tags_are_known(kn_world_library(world), def->any_tags)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, def->target)) {
        return KN_REFUSED_STALE_ID;
    }
    if (!(def->lockout >= 0.0f) || !isfinite(def->lockout)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    interrupt_call call = {def, result};
    return kn_world_call(world, interrupt_run, &call);
}

// Effects and game code send the tag; the record of an interrupt that runs has it too.
static bool interrupt_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const cast_ids *ids = user;
    (void)library;
    return reaction->record == NULL || reaction->record->kind.index1 != ids->interrupt.index1;
}

static void interrupt_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    kn_interrupt_def def = kn_interrupt_def_default();
    def.target = reaction->entity;
    def.instigator = reaction->instigator;
    def.lockout = reaction->magnitude > 0.0f ? reaction->magnitude : 0.0f;
    (void)kn_cast_interrupt(world, &def, NULL);
}

kn_result knc_interrupt_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    kn_event_kind_def kind = kn_event_kind_def_default();
    kind.name = "Knack.Interrupt";
    kind.tag = ids->tags[CAST_TAG_INTERRUPT];
    kind.incoming = ids->lockout;
    kn_result result = kn_event_kind_register(library, &kind, &ids->interrupt, error);
    kn_rule_def rule = kn_rule_def_default();
    kn_rule_id unused;
    rule.name = "Knack.Interrupt";
    rule.tag = ids->tags[CAST_TAG_INTERRUPT];
    rule.function = interrupt_rule;
    rule.wants = interrupt_wants;
    rule.user = ids;
    return result != KN_OK ? result : kn_rule_register(library, &rule, &unused, error);
}
