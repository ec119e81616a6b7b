// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Casts. A cast is a custom task of its activation; what it knows is the state of that task, so
// that it ends with the activation whatever ends that. Its timer is set to the next thing that is
// due: a tick, a stage, the end, or the end of a wait for data.
//
// The bar is a component of the caster with what everybody may see of the cast in its slot. It is
// written from the state of the task after every change, and decides whether the slot is free.

#include "parts.h"

#include <stddef.h>
#include <stdlib.h>

#define COUNT(array) (sizeof(array) / sizeof(*(array)))
#define SECONDS_MAX 1e9f // of a cast

static const kn_field run_fields[] = {
    KN_FIELD(cast_run, start, KN_FIELD_TIME),
    KN_FIELD(cast_run, end, KN_FIELD_TIME),
    KN_FIELD(cast_run, length, KN_FIELD_TIME),
    KN_FIELD_TO(cast_run, cast, "cast"),
    KN_FIELD(cast_run, tick, KN_FIELD_U32),
    KN_FIELD(cast_run, last, KN_FIELD_U32),
    KN_FIELD(cast_run, stage, KN_FIELD_U32),
    KN_FIELD(cast_run, pushed, KN_FIELD_U32),
    KN_FIELD(cast_run, flags, KN_FIELD_U32),
    KN_FIELD(cast_run, connection, KN_FIELD_U32),
    KN_FIELD(cast_run, reasons, KN_FIELD_U32),
};

static const kn_field bar_fields[] = {
    KN_FIELD(cast_bar, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(cast_bar, task, KN_FIELD_TASK),
    KN_FIELD(cast_bar, start, KN_FIELD_TIME),
    KN_FIELD(cast_bar, end, KN_FIELD_TIME),
    KN_FIELD(cast_bar, length, KN_FIELD_TIME),
    KN_FIELD_TO(cast_bar, ability, "ability"),
    KN_FIELD_TO(cast_bar, cast, "cast"),
    KN_FIELD(cast_bar, tick, KN_FIELD_U32),
    KN_FIELD(cast_bar, stage, KN_FIELD_U32),
    KN_FIELD(cast_bar, pushed, KN_FIELD_U32),
    KN_FIELD(cast_bar, is_interruptible, KN_FIELD_U32),
};

const cast_ids *knc_cast_ids_of(const kn_world *world)
{
    return &knc_combat_of_world(world)->cast;
}

// Finding casts -------------------------------------------------------------------

static kn_ability_type_id type_of(const kn_world *world, kn_ability_id ability)
{
    kn_ability_info info;
    return kn_ability_get(world, ability, &info) ? info.type : (kn_ability_type_id){0};
}

static const kn_cast_def *def_at(const cast_at *at, kn_cast_id cast)
{
    return kn_def_get(kn_world_library(at->world), at->ids->kind, cast.index1);
}

static const kn_cast_def *def_of(const kn_world *world, kn_cast_id cast)
{
    return kn_def_get(kn_world_library(world), knc_cast_ids_of(world)->kind, cast.index1);
}

// The number of the last tick.
static uint32_t ticks_of(const kn_cast_def *def)
{
    return def->kind == KN_CAST_CHANNEL ? def->ticks : def->kind == KN_CAST_INSTANT ? 0 : 1;
}

static kn_task_id task_of(const kn_world *world, kn_activation_id activation)
{
    return kn_task_find(world, activation, knc_cast_ids_of(world)->task_name);
}

static const cast_bar *bar_of(const kn_world *world, kn_entity_id entity)
{
    return kn_component_read(world, knc_cast_ids_of(world)->bar, entity);
}

bool knc_cast_of_activation(kn_world *world, kn_activation_id activation, cast_at *at)
{
    kn_ability_id ability = kn_activation_ability(world, activation);
    kn_ability_info info;
    *at = (cast_at){.world = world, .ids = knc_cast_ids_of(world), .activation = activation};
    if (!kn_ability_get(world, ability, &info)) {
        return false;
    }
    at->ability = ability;
    at->type = info.type;
    at->owner = info.owner;
    at->task = kn_task_find(world, activation, at->ids->task_name);
    return kn_task_is_alive(world, at->task);
}

bool knc_cast_of_entity(kn_world *world, kn_entity_id entity, cast_at *at)
{
    const cast_bar *bar = bar_of(world, entity);
    return bar != NULL && knc_cast_of_activation(world, bar->activation, at);
}

static cast_at at_of_call(const kn_task_call *call)
{
    return (cast_at){call->world, knc_cast_ids_of(call->world), call->task, call->activation,
        call->ability, type_of(call->world, call->ability), call->owner};
}

bool knc_cast_is_casting(const kn_world *world, kn_entity_id entity)
{
    return bar_of(world, entity) != NULL;
}

// Writes what everybody may see.
static void cast_show(const cast_at *at)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    if (run == NULL || (run->flags & CAST_IN_SLOT) == 0) {
        return;
    }
    cast_run shown = *run;
    cast_bar *bar = kn_component_get(at->world, at->ids->bar, at->owner);
    if (bar == NULL) {
        return; // the caster is just being destroyed
    }
    *bar = (cast_bar){.activation = at->activation,
        .task = at->task,
        .start = shown.start,
        .end = shown.end,
        .length = shown.length,
        .ability = at->type,
        .cast = shown.cast,
        .tick = shown.tick,
        .stage = shown.stage,
        .pushed = shown.pushed,
        .is_interruptible = (shown.flags & CAST_INTERRUPTIBLE) != 0};
}

// Hooks, events and cues ------------------------------------------------------------

static kn_cast_call call_of(const cast_at *at, const cast_run *run, const kn_cast_def *def)
{
    kn_cast_call call = {.activation = at->activation,
        .ability = at->ability,
        .tick = run->tick,
        .ticks = ticks_of(def),
        .stage = run->stage,
        .role = kn_entity_role(at->world, at->owner)};
    kn_event_record event;
    if (kn_activation_event(at->world, at->activation, &event)) {
        call.target = event.target;
    }
    return call;
}

static void hook_run(const cast_at *at, kn_cast_id cast, const kn_hook *hook, kn_cast_call *call)
{
    if (hook->function != NULL) {
        (void)kn_hook_run(at->world, at->ids->kind, cast.index1, hook, at->owner, call);
    }
}

static void cue_execute(const cast_at *at, kn_tag cue)
{
    if (cue.index1 != 0) {
        kn_cue_params params = kn_cue_params_default();
        params.instigator = at->owner;
        (void)kn_cue_execute(at->world, at->owner, cue, &params);
    }
}

// Ticks -------------------------------------------------------------------------------

// Without the overflow that length * tick could have.
static kn_time share_of(kn_time length, uint32_t part, uint32_t parts)
{
    return length / parts * part + length % parts * part / parts;
}

kn_time knc_cast_tick_time(const kn_cast_def *def, const cast_run *run, uint32_t tick)
{
    return def->kind == KN_CAST_CHANNEL ? run->start + share_of(run->length, tick, def->ticks)
                                        : run->end;
}

static void ticked_publish(const cast_at *at, const kn_cast_call *call, kn_cast_id cast)
{
    kn_cast_ticked event = {.activation = at->activation,
        .late = call->late,
        .ability = at->type,
        .cast = cast,
        .tick = call->tick,
        .ticks = call->ticks,
        .stage = call->stage};
    (void)kn_world_publish(at->world, at->owner, at->ids->ticked, &event);
}

void knc_cast_tick_run(const cast_at *at, uint32_t tick, kn_time late)
{
    const cast_run *read = kn_task_read_state(at->world, at->task);
    if (read == NULL) {
        return;
    }
    cast_run run = *read;
    const kn_cast_def *def = def_at(at, run.cast);
    kn_cast_call call = call_of(at, &run, def);
    call.tick = tick;
    call.late = late;
    ticked_publish(at, &call, run.cast);
    cue_execute(at, def->tick_cue);
    hook_run(at, run.cast, &def->tick, &call);
    kn_result result =
        kn_activation_apply_all(at->world, at->activation, def->applies, def->apply_count);
    if (tick == ticks_of(def) && result != KN_REFUSED_STALE_ID) {
        (void)kn_activation_apply_all(
            at->world, at->activation, def->completes, def->complete_count);
    }
}

void knc_cast_tick_lose(const cast_at *at, uint32_t tick, kn_cast_lost reason)
{
    const cast_run *read = kn_task_read_state(at->world, at->task);
    if (read == NULL) {
        return;
    }
    cast_run run = *read;
    const kn_cast_def *def = def_at(at, run.cast);
    kn_cast_tick_refused event = {.activation = at->activation,
        .ability = at->type,
        .cast = run.cast,
        .tick = tick,
        .reason = reason};
    (void)kn_world_publish(at->world, at->owner, at->ids->tick_refused, &event);
    kn_cast_call call = call_of(at, &run, def);
    call.tick = tick;
    hook_run(at, run.cast, &def->tick_refused, &call);
}

// The end -----------------------------------------------------------------------------

kn_result knc_cast_stop(
    const cast_at *at, kn_end_reason reason, kn_entity_id by, kn_tag tag, float number)
{
    kn_cancel cancel = kn_cancel_default();
    cancel.reason = reason;
    cancel.instigator = by;
    cancel.tag = tag;
    cancel.number = number;
    return kn_activation_cancel_with(at->world, at->activation, &cancel);
}

static void outcome_hook(
    const cast_at *at, const cast_run *run, const kn_cast_def *def, const kn_cast_ended *event)
{
    const kn_hook *const hooks[KN_CAST_OUTCOME_COUNT] = {[KN_CAST_DONE] = &def->completed,
        [KN_CAST_CANCELLED] = &def->cancelled,
        [KN_CAST_INTERRUPTED] = &def->interrupted,
        [KN_CAST_REFUSED] = &def->cancelled,
        [KN_CAST_REJECTED] = &def->rejected};
    kn_cast_call call = call_of(at, run, def);
    call.instigator = event->instigator;
    call.outcome = event->outcome;
    hook_run(at, run->cast, hooks[event->outcome], &call);
}

static kn_cast_ended ended_of(
    const cast_at *at, const cast_run *run, kn_cast_outcome outcome, const kn_cancel *cancel)
{
    kn_time left = run->end - kn_world_now(at->world);
    return (kn_cast_ended){.activation = at->activation,
        .instigator = cancel->instigator,
        .start = run->start,
        .left = left > 0 && outcome != KN_CAST_DONE ? left : 0,
        .ability = at->type,
        .cast = run->cast,
        .tag = cancel->tag,
        .tick = run->tick,
        .stage = run->stage,
        .outcome = outcome,
        .reasons = run->reasons};
}

// Frees the slot and says how the cast ended; ticks that wait for data may still come.
static void cast_over(const cast_at *at, kn_cast_outcome outcome, const kn_cancel *cancel)
{
    cast_run *state = kn_task_state(at->world, at->task);
    if (state == NULL || (state->flags & CAST_OVER) != 0) {
        return;
    }
    state->flags |= CAST_OVER;
    cast_run run = *state;
    const kn_cast_def *def = def_at(at, run.cast);
    kn_cast_ended event = ended_of(at, &run, outcome, cancel);
    if ((run.flags & CAST_IN_SLOT) != 0) {
        (void)kn_component_remove(at->world, at->ids->bar, at->owner);
        knc_cast_hold_free(at->world, at->owner);
    }
    if (def->cue.index1 != 0) {
        (void)kn_cue_remove(at->world, at->owner, def->cue);
    }
    (void)kn_world_publish(at->world, at->owner, at->ids->ended, &event);
    if (outcome == KN_CAST_CANCELLED && def->frees_global) {
        knc_global_free(at->world, at->ability, at->activation);
    }
    if (outcome == KN_CAST_CANCELLED || outcome == KN_CAST_INTERRUPTED) {
        cue_execute(at, outcome == KN_CAST_CANCELLED ? def->cancel_cue : def->interrupt_cue);
    }
    outcome_hook(at, &run, def, &event);
}

static kn_cast_outcome outcome_of(const cast_ids *ids, kn_end_reason reason)
{
    if (reason == ids->interrupted) {
        return KN_CAST_INTERRUPTED;
    }
    if (reason == ids->refused || reason == KN_ENDED_FAILED) {
        return KN_CAST_REFUSED;
    }
    if (reason == KN_ENDED_REJECTED) {
        return KN_CAST_REJECTED;
    }
    return reason == KN_ENDED_DONE ? KN_CAST_DONE : KN_CAST_CANCELLED;
}

static void task_ended(const kn_task_call *call)
{
    cast_at at = at_of_call(call);
    kn_cancel cancel;
    if (!kn_activation_get_cancel(at.world, at.activation, &cancel)) {
        cancel = kn_cancel_default(); // somebody ended the task alone
    }
    kn_cast_outcome outcome = outcome_of(at.ids, cancel.reason);
    const cast_run *run = kn_task_read_state(at.world, at.task);
    if (run != NULL && def_at(&at, run->cast)->needs_data) {
        knc_cast_data_drop(&at, 0, outcome != KN_CAST_REJECTED);
    }
    cast_over(&at, outcome, &cancel);
}

// Whether somebody has a tag that a requirement forbids.
static bool is_forbidden(const kn_world *world, kn_entity_id entity, kn_tags ignored)
{
    bool has = false;
    for (uint32_t i = 0; !has && i < ignored.count; i++) {
        has = kn_entity_has_tag(world, entity, ignored.data[i]);
    }
    return has;
}

// Whether nothing blocks the ability but tags that its own activation brings along.
static bool is_blocked_by_itself(const cast_at *at, const kn_event_record *event)
{
    const kn_library *library = kn_world_library(at->world);
    const kn_ability_def *ability = kn_ability_type_get_def(library, at->type);
    if (event != NULL && (is_forbidden(at->world, event->target, ability->target.ignored) ||
                             is_forbidden(at->world, event->instigator, ability->source.ignored))) {
        return false; // explanations do not list these beside others
    }
    kn_refusal_line lines[16];
    uint32_t count = kn_ability_explain(at->world, at->ability, event, lines, 16), own = 0;
    bool is_own = true;
    for (uint32_t i = 0; i < count && i < 16; i++) {
        bool has = false;
        for (uint32_t k = 0; k < ability->owned_tags.count; k++) {
            has = has || kn_tag_matches(library, ability->owned_tags.data[k], lines[i].tag);
        }
        own += lines[i].reason == KN_FAIL_BLOCKED && has ? 1u : 0u;
        is_own = is_own && (lines[i].reason != KN_FAIL_BLOCKED || has);
    }
    return is_own && own > 0;
}

// What would refuse the ability now, but for what its own activation brings along.
static uint32_t revalidate(const cast_at *at, const kn_cast_def *def)
{
    kn_event_record event;
    bool has_event = kn_activation_event(at->world, at->activation, &event);
    const kn_event_record *given = has_event ? &event : NULL;
    uint32_t reasons = kn_ability_check(at->world, at->ability, given);
    reasons &= ~(uint32_t)(KN_FAIL_ACTIVE | KN_FAIL_NETWORKING);
    reasons &= ~(uint32_t)at->ids->casting;
    if (def->commit == KN_CAST_COMMIT_START) {
        reasons &= ~(uint32_t)(KN_FAIL_COOLDOWN | KN_FAIL_COST);
    }
    if ((reasons & KN_FAIL_BLOCKED) != 0 && is_blocked_by_itself(at, given)) {
        reasons &= ~(uint32_t)KN_FAIL_BLOCKED;
    }
    return reasons;
}

// What comes before the last tick: it is checked again, and paid. False if it ended the cast.
static bool cast_may_finish(const cast_at *at)
{
    cast_run *run = kn_task_state(at->world, at->task);
    if ((run->flags & CAST_CHECKED) != 0) {
        return true;
    }
    run->flags |= CAST_CHECKED;
    const kn_cast_def *def = def_at(at, run->cast);
    uint32_t reasons = def->revalidate ? revalidate(at, def) : 0;
    if (reasons == 0 && def->commit == KN_CAST_COMMIT_COMPLETION) {
        kn_result result = kn_activation_commit(at->world, at->activation);
        reasons = result == KN_OK                 ? 0
                  : result == KN_REFUSED_COOLDOWN ? (uint32_t)KN_FAIL_COOLDOWN
                                                  : (uint32_t)KN_FAIL_COST;
    }
    if (reasons == 0) {
        return kn_task_is_alive(at->world, at->task);
    }
    run = kn_task_state(at->world, at->task);
    if (run != NULL) {
        run->reasons = reasons;
        (void)kn_activation_set_cancelable(at->world, at->activation, true);
        (void)knc_cast_stop(at, at->ids->refused, (kn_entity_id){0}, (kn_tag){0}, 0.0f);
    }
    return false;
}

// Proceeding --------------------------------------------------------------------------

// The next tick: it runs, or waits for its data.
static void tick_next(const cast_at *at)
{
    const cast_run *read = kn_task_read_state(at->world, at->task);
    const kn_cast_def *def = def_at(at, read->cast);
    uint32_t tick = read->tick + 1;
    bool is_over = (read->flags & CAST_OVER) != 0;
    if (tick == ticks_of(def) && !is_over && !cast_may_finish(at)) {
        return;
    }
    cast_run *run = kn_task_state(at->world, at->task);
    run->tick = tick;
    cast_show(at);
    if (knc_cast_waits(at, def)) {
        knc_cast_tick_due(at, tick);
    } else {
        knc_cast_tick_run(at, tick, 0);
    }
}

static void stage_next(const cast_at *at)
{
    cast_run *run = kn_task_state(at->world, at->task);
    run->stage++;
    cast_show(at);
}

// Ends the activation once nothing waits any more.
static void cast_close(const cast_at *at)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    if (run == NULL || (run->flags & CAST_OVER) == 0 || run->tick < run->last ||
        knc_cast_data_limit(at, def_at(at, run->cast)) < KN_TIME_INFINITE) {
        return;
    }
    if ((run->flags & CAST_CUT) != 0) {
        (void)kn_activation_set_cancelable(at->world, at->activation, true);
        (void)kn_activation_cancel(at->world, at->activation);
    } else {
        (void)kn_activation_end(at->world, at->activation);
    }
}

static void cast_reach_end(const cast_at *at)
{
    const cast_run *read = kn_task_read_state(at->world, at->task);
    const kn_cast_def *def = def_at(at, read->cast);
    if (read->tick < ticks_of(def)) { // hits have shortened it
        if (!cast_may_finish(at)) {
            return;
        }
        (void)kn_activation_apply_all(
            at->world, at->activation, def->completes, def->complete_count);
    }
    cast_run *run = kn_task_state(at->world, at->task);
    if (run == NULL) {
        return;
    }
    run->last = run->tick;
    kn_cancel none = kn_cancel_default();
    cast_over(at, KN_CAST_DONE, &none);
}

static void cast_let_go(const cast_at *at)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    if (run->stage == 0) {
        (void)knc_cast_stop(at, KN_ENDED_CANCELLED, at->owner, (kn_tag){0}, 0.0f);
        return;
    }
    tick_next(at);
    if (kn_task_is_alive(at->world, at->task)) {
        cast_reach_end(at);
    }
}

// When the next tick or stage is due; KN_TIME_INFINITE if there is none.
static kn_time next_time(const kn_cast_def *def, const cast_run *run)
{
    if (def->kind == KN_CAST_HELD) {
        return run->stage < def->stages && (run->flags & CAST_OVER) == 0
                   ? run->start + share_of(run->length, run->stage + 1, def->stages)
                   : KN_TIME_INFINITE;
    }
    if (run->tick >= run->last) {
        return KN_TIME_INFINITE;
    }
    kn_time time = knc_cast_tick_time(def, run, run->tick + 1);
    bool is_lost = time > run->end; // hits have shortened a channel
    return is_lost ? KN_TIME_INFINITE : time;
}

// Does the first thing that is due. False if nothing is.
static bool cast_step(const cast_at *at)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    if (run == NULL || kn_world_is_broken(at->world)) {
        return false;
    }
    kn_time now = kn_world_now(at->world);
    const kn_cast_def *def = def_at(at, run->cast);
    if (knc_cast_data_limit(at, def) < now) {
        knc_cast_data_expire(at);
        return true;
    }
    if (next_time(def, run) <= now) {
        if (def->kind == KN_CAST_HELD) {
            stage_next(at);
        } else {
            tick_next(at);
        }
        return true;
    }
    if ((run->flags & CAST_OVER) != 0 || run->end > now) {
        return false;
    }
    if (def->kind == KN_CAST_HELD) {
        cast_let_go(at);
    } else {
        cast_reach_end(at);
    }
    return true;
}

static void cast_schedule(const cast_at *at)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    if (run == NULL) {
        return;
    }
    const kn_cast_def *def = def_at(at, run->cast);
    kn_time due = next_time(def, run);
    if ((run->flags & CAST_OVER) == 0 && run->end < due) {
        due = run->end;
    }
    kn_time limit = knc_cast_data_limit(at, def);
    if (limit < KN_TIME_MAX && limit + 1 < due) {
        due = limit + 1; // data that comes right at the limit is still used
    }
    kn_time now = kn_world_now(at->world);
    kn_time delay = due >= KN_TIME_MAX ? -1 : due > now ? due - now : 0;
    (void)kn_task_wait(at->world, at->task, delay);
}

void knc_cast_proceed(const cast_at *at)
{
    const cast_run *run = kn_task_read_state(at->world, at->task);
    if (run != NULL && run->connection != kn_entity_connection(at->world, at->owner)) {
        (void)knc_cast_stop(at, KN_ENDED_CANCELLED, (kn_entity_id){0}, (kn_tag){0}, 0.0f);
    }
    while (cast_step(at)) {
    }
    cast_close(at);
    cast_schedule(at);
}

static kn_time task_timer(const kn_task_call *call)
{
    cast_at at = at_of_call(call);
    knc_cast_proceed(&at);
    return 0;
}

// The caster died, or gained a tag that breaks the cast.
static void task_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    const cast_ids *ids = knc_cast_ids_of(call->world);
    const kn_library *library = kn_world_library(call->world);
    const cast_run *run = kn_task_read_state(call->world, call->task);
    if (run == NULL || (run->flags & CAST_OVER) != 0) {
        return;
    }
    cast_at at = at_of_call(call);
    const kn_cast_def *def = def_at(&at, run->cast);
    kn_end_reason reason = KN_ENDED_CANCELLED;
    for (uint32_t i = 0; i < def->breaks_on.count; i++) {
        if (kn_tag_matches(library, reaction->tag, def->breaks_on.data[i])) {
            reason = kn_tag_matches(library, reaction->tag, ids->tags[CAST_TAG_MOVING])
                         ? ids->ended_moving
                         : ids->ended_broken;
        }
    }
    (void)knc_cast_stop(&at, reason, reaction->instigator, reaction->tag, 0.0f);
}

// The start -----------------------------------------------------------------------------

static kn_result cast_length(const cast_at *at, const kn_cast_def *def, kn_time *length)
{
    const kn_world *world = at->world;
    float seconds = 0.0f;
    *length = 0;
    if (def->kind == KN_CAST_INSTANT) {
        return KN_OK;
    }
    kn_result result = kn_magnitude_evaluate(
        world, &def->length, at->owner, at->owner, kn_ability_level(world, at->ability), &seconds);
    if (result != KN_OK) {
        return result;
    }
    kn_event_record record = kn_event_record_default();
    (void)kn_activation_event(world, at->activation, &record);
    // So that modifiers can be about a school.
    record.tags = kn_ability_type_get_def(kn_world_library(world), at->type)->tags;
    record.instigator = at->owner;
    record.magnitude = seconds;
    kn_value_id value = def->value.index1 != 0 ? def->value : at->ids->length;
    seconds = kn_value_evaluate(world, at->owner, value, seconds, &record, def->is_static);
    if (seconds > 0.0f) {
        *length = kn_time_from_seconds((double)(seconds < SECONDS_MAX ? seconds : SECONDS_MAX));
    }
    return KN_OK;
}

static void cast_watch(const cast_at *at, const kn_cast_def *def)
{
    const kn_library *library = kn_world_library(at->world);
    const kn_ability_def *ability = kn_ability_type_get_def(library, at->type);
    kn_tag dead = knc_combat_dead_tag(library);
    if (dead.index1 != 0 && !ability->works_when_dead) {
        (void)kn_task_watch(at->world, at->task, at->owner, KN_TRIGGER_TAG_ADDED, dead.index1);
    }
    for (uint32_t i = 0; i < def->breaks_on.count; i++) {
        (void)kn_task_watch(
            at->world, at->task, at->owner, KN_TRIGGER_TAG_ADDED, def->breaks_on.data[i].index1);
    }
}

static void started_publish(const cast_at *at, const cast_run *run, const kn_cast_def *def)
{
    kn_cast_started event = {.activation = at->activation,
        .length = run->length,
        .ability = at->type,
        .cast = run->cast,
        .kind = def->kind,
        .ticks = ticks_of(def)};
    (void)kn_world_publish(at->world, at->owner, at->ids->started, &event);
}

static cast_run run_of(const cast_at *at, kn_cast_id cast, const kn_cast_def *def, kn_time length)
{
    kn_time now = kn_world_now(at->world);
    kn_time hold = def->kind == KN_CAST_HELD ? kn_time_from_seconds((double)def->hold) : 0;
    cast_run run = {.start = now,
        .end = now + length + hold,
        .length = length,
        .cast = cast,
        .last = def->kind == KN_CAST_HELD ? 0 : ticks_of(def),
        .flags = def->interruptible ? CAST_INTERRUPTIBLE : 0u,
        .connection = kn_entity_connection(at->world, at->owner)};
    run.flags |= def->in_slot && run.end > now ? CAST_IN_SLOT : 0u;
    return run;
}

static kn_result cast_task_run(cast_at *at, const cast_run *run)
{
    const cast_ids *ids = at->ids;
    if ((run->flags & CAST_IN_SLOT) != 0 &&
        kn_component_add(at->world, ids->bar, at->owner) == NULL) {
        return kn_world_is_broken(at->world) ? KN_ERROR_OUT_OF_MEMORY : KN_REFUSED_DYING;
    }
    kn_task_def task = kn_task_def_default(KN_TASK_CUSTOM);
    task.type = ids->task;
    task.name = ids->task_name;
    task.params = run;
    task.param_size = sizeof(*run);
    kn_result result = kn_task_run(at->world, at->activation, &task, &at->task);
    if (result != KN_OK && (run->flags & CAST_IN_SLOT) != 0) {
        (void)kn_component_remove(at->world, ids->bar, at->owner);
    }
    return result;
}

// Pays, unless the ability has done so at its use.
static kn_result cast_pay(const cast_at *at, const kn_cast_def *def)
{
    const kn_ability_def *ability = kn_ability_type_get_def(kn_world_library(at->world), at->type);
    return def->commit == KN_CAST_COMMIT_START && ability->commit == KN_COMMIT_EXPLICIT
               ? kn_activation_commit(at->world, at->activation)
               : KN_OK;
}

// Shows a cast that runs, and carries out what happens at its start.
static void cast_open(const cast_at *at, const cast_run *run, const kn_cast_def *def)
{
    cast_show(at);
    cast_watch(at, def);
    started_publish(at, run, def);
    if (def->cue.index1 != 0) {
        kn_cue_params params = kn_cue_params_default();
        params.instigator = at->owner;
        (void)kn_cue_add(at->world, at->owner, def->cue, &params);
    }
    kn_cast_call call = call_of(at, run, def);
    hook_run(at, run->cast, &def->began, &call);
    if (def->initial_tick || def->kind == KN_CAST_INSTANT) {
        knc_cast_tick_run(at, 0, 0);
    }
    knc_cast_proceed(at);
}

static kn_result cast_begin(cast_at *at, kn_cast_id cast, const kn_cast_def *def)
{
    kn_time length;
    kn_result result = cast_length(at, def, &length);
    if (result != KN_OK) {
        return result;
    }
    cast_run run = run_of(at, cast, def, length);
    if ((run.flags & CAST_IN_SLOT) != 0 && knc_cast_is_casting(at->world, at->owner)) {
        return KN_REFUSED_BLOCKED;
    }
    result = cast_pay(at, def);
    if (result != KN_OK || !kn_activation_is_alive(at->world, at->activation)) {
        return result;
    }
    result = cast_task_run(at, &run);
    if (result == KN_OK) {
        cast_open(at, &run, def);
    }
    return result;
}

typedef struct start_call {
    kn_activation_id activation;
    kn_cast_id cast;
} start_call;

static kn_result start_run(void *user, kn_world *world)
{
    const start_call *call = user;
    const kn_cast_def *def = def_of(world, call->cast);
    cast_at at;
    if (def == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_activation_is_alive(world, call->activation)) {
        return KN_REFUSED_STALE_ID;
    }
    if (knc_cast_of_activation(world, call->activation, &at)) {
        return KN_REFUSED_DUPLICATE;
    }
    kn_result result = cast_begin(&at, call->cast, def);
    if (result != KN_OK && kn_activation_is_alive(world, call->activation)) {
        (void)knc_cast_stop(&at, knc_cast_ids_of(world)->refused, at.owner, (kn_tag){0}, 0.0f);
    }
    return result;
}

kn_result kn_cast_start(kn_world *world, kn_activation_id activation, kn_cast_id cast)
{
    start_call call = {activation, cast};
    return kn_world_call(world, start_run, &call);
}

static bool cast_wants(void *user, const kn_library *library, const kn_reaction *reaction)
{
    const cast_ids *ids = user;
    (void)library;
    return reaction->ability_type.index1 <= ids->ability_count &&
           ids->by_ability[reaction->ability_type.index1] != 0;
}

static void cast_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const cast_ids *ids = user;
    kn_cast_id cast = {ids->by_ability[reaction->ability_type.index1]};
    kn_result result = kn_cast_start(world, reaction->activation, cast);
    (void)result; // published, and the activation is cancelled
}

// The server refused a request: its copy of the hook can drop what belongs to the request.
static void refused_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    const cast_ids *ids = user;
    kn_cast_id cast = {ids->by_ability[reaction->ability_type.index1]};
    const kn_cast_def *def = def_of(world, cast);
    if (reaction->activation.index1 != 0 || kn_world_key(world).connection == 0 ||
        kn_entity_role(world, reaction->entity) != KN_ROLE_SERVER) {
        return;
    }
    cast_at at = {.world = world,
        .ids = ids,
        .ability = reaction->ability,
        .type = reaction->ability_type,
        .owner = reaction->entity};
    cast_run none = {.cast = cast};
    kn_cast_call call = call_of(&at, &none, def);
    call.outcome = KN_CAST_REJECTED;
    hook_run(&at, cast, &def->rejected, &call);
}

// Whether a use may begin -----------------------------------------------------------------

// `def` is the cast of the ability; NULL if it has none.
static void check_slot(const kn_ability_call *call, const cast_ids *ids, const kn_cast_def *def)
{
    const cast_bar *bar = kn_component_read(call->world, ids->bar, call->owner);
    bool needs_slot = def != NULL && def->in_slot && def->kind != KN_CAST_INSTANT;
    if (bar == NULL || (!needs_slot && kn_ability_has_tag(call->world, call->ability,
                                           ids->tags[CAST_TAG_WHILE_CASTING]))) {
        return;
    }
    kn_refusal_line line = {.reason = ids->casting,
        .tag = ids->tags[CAST_TAG_FAIL_CASTING],
        .remaining = bar->end - kn_world_now(call->world),
        .total = bar->length,
        .ability = kn_activation_ability(call->world, bar->activation)};
    line.have = (float)kn_time_to_seconds(line.remaining);
    kn_check_refuse(call->answer, &line);
}

static void check_tags(const kn_ability_call *call, const cast_ids *ids, const kn_cast_def *def)
{
    const kn_library *library = kn_world_library(call->world);
    for (uint32_t i = 0; i < def->breaks_on.count; i++) {
        kn_tag tag = def->breaks_on.data[i];
        if (kn_entity_has_tag(call->world, call->owner, tag)) {
            bool is_moving = kn_tag_matches(library, tag, ids->tags[CAST_TAG_MOVING]);
            kn_refusal_line line = {.reason = is_moving ? ids->moving : ids->broken, .tag = tag};
            kn_check_refuse(call->answer, &line);
        }
    }
}

static bool check_use(const kn_ability_call *call, const kn_event_record *event)
{
    const cast_ids *ids = call->user;
    (void)event;
    kn_ability_type_id type = type_of(call->world, call->ability);
    const kn_ability_def *ability = kn_ability_type_get_def(kn_world_library(call->world), type);
    kn_cast_id cast = {type.index1 <= ids->ability_count ? ids->by_ability[type.index1] : 0};
    const kn_cast_def *def = cast.index1 != 0 ? def_of(call->world, cast) : NULL;
    if (ability != NULL && !ability->activates_on_grant) {
        check_slot(call, ids, def);
    }
    if (def != NULL) {
        check_tags(call, ids, def);
    }
    knc_lockout_check(call, ids);
    return true;
}

// Looking ---------------------------------------------------------------------------------

static float progress_of(const kn_world *world, kn_time start, kn_time length)
{
    double share = length > 0 ? (double)(kn_world_now(world) - start) / (double)length : 1.0;
    return share < 0.0 ? 0.0f : share > 1.0 ? 1.0f : (float)share;
}

static void info_fill(const kn_world *world, const cast_bar *bar, uint32_t last, kn_cast_info *info)
{
    const kn_cast_def *def = def_of(world, bar->cast);
    cast_run run = {.start = bar->start,
        .end = bar->end,
        .length = bar->length,
        .tick = bar->tick,
        .last = last,
        .stage = bar->stage};
    kn_time next = next_time(def, &run);
    *info = (kn_cast_info){.activation = bar->activation,
        .ability = bar->ability,
        .cast = bar->cast,
        .kind = def->kind,
        .start = bar->start,
        .end = bar->end,
        .total = bar->length,
        .next = next < bar->end ? next : bar->end,
        .tick = bar->tick,
        .ticks = ticks_of(def),
        .stage = bar->stage,
        .stages = def->kind == KN_CAST_HELD ? def->stages : 0,
        .pushed = bar->pushed,
        .is_interruptible = bar->is_interruptible != 0,
        .progress = progress_of(world, bar->start, bar->length)};
}

bool kn_cast_get(const kn_world *world, kn_entity_id entity, kn_cast_info *info)
{
    *info = (kn_cast_info){0};
    const cast_bar *bar = bar_of(world, entity);
    if (bar == NULL || def_of(world, bar->cast) == NULL) {
        return false;
    }
    info_fill(world, bar, ticks_of(def_of(world, bar->cast)), info);
    return true;
}

bool kn_cast_get_activation(const kn_world *world, kn_activation_id activation, kn_cast_info *info)
{
    *info = (kn_cast_info){0};
    const cast_run *run = kn_task_read_state(world, task_of(world, activation));
    if (run == NULL || (run->flags & CAST_OVER) != 0) {
        return false;
    }
    cast_bar bar = {.activation = activation,
        .start = run->start,
        .end = run->end,
        .length = run->length,
        .ability = type_of(world, kn_activation_ability(world, activation)),
        .cast = run->cast,
        .tick = run->tick,
        .stage = run->stage,
        .pushed = run->pushed,
        .is_interruptible = (run->flags & CAST_INTERRUPTIBLE) != 0};
    info_fill(world, &bar, run->last, info);
    return true;
}

// Calls -------------------------------------------------------------------------------------

typedef struct entity_call {
    kn_entity_id entity;
    uint32_t number;
} entity_call;

// The cast of an entity for a call: KN_OK, or why there is none.
static kn_result call_find(kn_world *world, kn_entity_id entity, cast_at *at)
{
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return knc_cast_of_entity(world, entity, at) ? KN_OK : KN_REFUSED_NOT_FOUND;
}

static kn_result cancel_run(void *user, kn_world *world)
{
    const entity_call *call = user;
    cast_at at;
    kn_result result = call_find(world, call->entity, &at);
    if (result != KN_OK) {
        return result;
    }
    cast_run *run = kn_task_state(world, at.task);
    uint32_t ticks = ticks_of(def_of(world, run->cast));
    uint32_t last = call->number < ticks ? call->number : ticks;
    if (last == 0 || def_of(world, run->cast)->kind == KN_CAST_HELD) {
        return knc_cast_stop(&at, KN_ENDED_CANCELLED, at.owner, (kn_tag){0}, 0.0f);
    }
    run->last = last > run->tick ? last : run->tick;
    run->flags |= CAST_CUT;
    kn_cancel cancel = kn_cancel_default();
    cancel.instigator = at.owner;
    cast_over(&at, KN_CAST_CANCELLED, &cancel);
    knc_cast_data_drop(&at, last, false);
    cast_close(&at);
    cast_schedule(&at);
    return KN_OK;
}

kn_result kn_cast_cancel(kn_world *world, kn_entity_id entity, uint32_t last_tick)
{
    entity_call call = {entity, last_tick};
    return kn_world_call(world, cancel_run, &call);
}

static kn_result release_run(void *user, kn_world *world)
{
    const entity_call *call = user;
    cast_at at;
    kn_result result = call_find(world, call->entity, &at);
    if (result != KN_OK) {
        return result;
    }
    const cast_run *run = kn_task_read_state(world, at.task);
    if (def_of(world, run->cast)->kind != KN_CAST_HELD) {
        return KN_REFUSED_NOT_FOUND;
    }
    cast_let_go(&at);
    cast_close(&at);
    cast_schedule(&at);
    return KN_OK;
}

kn_result kn_cast_release(kn_world *world, kn_entity_id entity)
{
    entity_call call = {entity, 0};
    return kn_world_call(world, release_run, &call);
}

kn_result kn_cast_set_interruptible(kn_world *world, kn_entity_id entity, bool is_interruptible)
{
    cast_at at;
    kn_result result = call_find(world, entity, &at);
    if (result == KN_OK) {
        cast_run *run = kn_task_state(world, at.task);
        run->flags &= ~(uint32_t)CAST_INTERRUPTIBLE;
        run->flags |= is_interruptible ? CAST_INTERRUPTIBLE : 0u;
        cast_show(&at);
    }
    return result;
}

// Pushback ------------------------------------------------------------------------------------

// How far a hit moves the end: later for a cast, earlier for a channel.
static kn_result push_time(
    const cast_at *at, const cast_run *run, const kn_cast_def *def, kn_time *change)
{
    float seconds = def->pushback_share * (float)kn_time_to_seconds(run->length);
    if (def->kind != KN_CAST_CHANNEL) {
        kn_result result = kn_magnitude_evaluate(at->world, &def->pushback, at->owner, at->owner,
            kn_ability_level(at->world, at->ability), &seconds);
        if (result != KN_OK) {
            return result;
        }
    }
    kn_value_id value = def->pushback_value.index1 != 0 ? def->pushback_value : at->ids->pushback;
    seconds = kn_value_evaluate(at->world, at->owner, value, seconds, NULL, false);
    kn_time now = kn_world_now(at->world);
    kn_time time = seconds > 0.0f ? kn_time_from_seconds((double)seconds) : 0;
    kn_time room = def->kind == KN_CAST_CHANNEL ? run->end - now : now - run->start;
    time = time < room ? time : room;
    *change = def->kind == KN_CAST_CHANNEL ? -time : time;
    return KN_OK;
}

static kn_result push_run(void *user, kn_world *world)
{
    const entity_call *call = user;
    cast_at at;
    kn_result result = call_find(world, call->entity, &at);
    if (result != KN_OK) {
        return result;
    }
    cast_run *run = kn_task_state(world, at.task);
    const kn_cast_def *def = def_of(world, run->cast);
    kn_cast_pushed event = {.activation = at.activation, .cast = run->cast};
    if (run->pushed >= def->pushbacks || run->tick >= ticks_of(def)) { // or its last tick hits us
        return KN_REFUSED_LIMIT;
    }
    result = push_time(&at, run, def, &event.change);
    if (result != KN_OK) {
        return result;
    }
    run->pushed++;
    run->end += event.change;
    run->start += def->kind != KN_CAST_CHANNEL ? event.change : 0;
    event.end = run->end;
    event.count = run->pushed;
    cast_show(&at);
    cast_schedule(&at);
    return kn_world_publish(world, at.owner, knc_cast_ids_of(world)->pushed, &event);
}

kn_result kn_cast_push_back(kn_world *world, kn_entity_id entity)
{
    entity_call call = {entity, 0};
    return kn_world_call(world, push_run, &call);
}

void knc_cast_hit(kn_world *world, const kn_hit *hit)
{
    const cast_bar *bar = bar_of(world, hit->target);
    if (bar == NULL || hit->kind != KN_HIT_DAMAGE || !(hit->dealt > 0.0f) ||
        (hit->flags & KN_HIT_NO_PUSHBACK) != 0) {
        return;
    }
    if ((hit->flags & KN_HIT_PERIODIC) != 0 && !def_of(world, bar->cast)->pushed_by_ticks) {
        return;
    }
    (void)kn_cast_push_back(world, hit->target);
}

// Commands --------------------------------------------------------------------------------------

static kn_result cancel_command(void *user, kn_world *world, const kn_command *command)
{
    const kn_cast_cancel_command *payload = command->payload;
    (void)user;
    return kn_cast_cancel(world, command->entity, payload->last_tick);
}

static kn_result release_command(void *user, kn_world *world, const kn_command *command)
{
    (void)user;
    return kn_cast_release(world, command->entity);
}

static kn_result commands_register(kn_library *library, kn_error *error)
{
    static const kn_field cancel_fields[] = {
        KN_FIELD(kn_cast_cancel_command, last_tick, KN_FIELD_U32)};
    kn_command_type_id unused;
    kn_command_def def = kn_command_def_default();
    def.name = "cast_cancel";
    def.size = sizeof(kn_cast_cancel_command);
    def.fields = cancel_fields;
    def.field_count = 1;
    def.function = cancel_command;
    kn_result result = kn_command_register(library, &def, &unused, error);
    def = kn_command_def_default();
    def.name = "cast_release";
    def.function = release_command;
    return result != KN_OK ? result : kn_command_register(library, &def, &unused, error);
}

// Registration ------------------------------------------------------------------------------------

static const kn_field started_fields[] = {
    KN_FIELD(kn_cast_started, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(kn_cast_started, length, KN_FIELD_TIME),
    KN_FIELD_TO(kn_cast_started, ability, "ability"),
    KN_FIELD_TO(kn_cast_started, cast, "cast"),
    KN_FIELD_WORDS(kn_cast_started, kind, "cast channel held instant"),
    KN_FIELD(kn_cast_started, ticks, KN_FIELD_U32),
};
static const kn_field ticked_fields[] = {
    KN_FIELD(kn_cast_ticked, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(kn_cast_ticked, late, KN_FIELD_TIME),
    KN_FIELD_TO(kn_cast_ticked, ability, "ability"),
    KN_FIELD_TO(kn_cast_ticked, cast, "cast"),
    KN_FIELD(kn_cast_ticked, tick, KN_FIELD_U32),
    KN_FIELD(kn_cast_ticked, ticks, KN_FIELD_U32),
    KN_FIELD(kn_cast_ticked, stage, KN_FIELD_U32),
    KN_FIELD(kn_cast_ticked, unused, KN_FIELD_U32),
};
static const kn_field tick_refused_fields[] = {
    KN_FIELD(kn_cast_tick_refused, activation, KN_FIELD_ACTIVATION),
    KN_FIELD_TO(kn_cast_tick_refused, ability, "ability"),
    KN_FIELD_TO(kn_cast_tick_refused, cast, "cast"),
    KN_FIELD(kn_cast_tick_refused, tick, KN_FIELD_U32),
    KN_FIELD_WORDS(kn_cast_tick_refused, reason, "late void"),
};
static const kn_field pushed_fields[] = {
    KN_FIELD(kn_cast_pushed, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(kn_cast_pushed, end, KN_FIELD_TIME),
    KN_FIELD(kn_cast_pushed, change, KN_FIELD_TIME),
    KN_FIELD_TO(kn_cast_pushed, cast, "cast"),
    KN_FIELD(kn_cast_pushed, count, KN_FIELD_U32),
};
static const kn_field ended_fields[] = {
    KN_FIELD(kn_cast_ended, activation, KN_FIELD_ACTIVATION),
    KN_FIELD(kn_cast_ended, instigator, KN_FIELD_ENTITY),
    KN_FIELD(kn_cast_ended, start, KN_FIELD_TIME),
    KN_FIELD(kn_cast_ended, left, KN_FIELD_TIME),
    KN_FIELD_TO(kn_cast_ended, ability, "ability"),
    KN_FIELD_TO(kn_cast_ended, cast, "cast"),
    KN_FIELD(kn_cast_ended, tag, KN_FIELD_TAG),
    KN_FIELD(kn_cast_ended, tick, KN_FIELD_U32),
    KN_FIELD(kn_cast_ended, stage, KN_FIELD_U32),
    KN_FIELD_WORDS(kn_cast_ended, outcome, "done cancelled interrupted refused rejected"),
    KN_FIELD(kn_cast_ended, reasons, KN_FIELD_U32),
    KN_FIELD(kn_cast_ended, unused, KN_FIELD_U32),
};

static kn_result events_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    const struct {
        const char *name, *text;
        uint32_t size, field_count;
        const kn_field *fields;
        kn_custom_event_id *id;
    } rows[] = {
        {"Knack.CastStarted", "begins {cast}, {length}", sizeof(kn_cast_started),
            COUNT(started_fields), started_fields, &ids->started},
        {"Knack.CastTick", "tick {tick} of {ticks} of {cast}", sizeof(kn_cast_ticked),
            COUNT(ticked_fields), ticked_fields, &ids->ticked},
        {"Knack.CastTickRefused", "loses tick {tick} of {cast}: {reason}",
            sizeof(kn_cast_tick_refused), COUNT(tick_refused_fields), tick_refused_fields,
            &ids->tick_refused},
        {"Knack.CastPushed", "is hit while casting {cast}: {change}", sizeof(kn_cast_pushed),
            COUNT(pushed_fields), pushed_fields, &ids->pushed},
        {"Knack.CastEnded", "ends {cast}: {outcome}", sizeof(kn_cast_ended), COUNT(ended_fields),
            ended_fields, &ids->ended},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < COUNT(rows); i++) {
        kn_custom_event_def def = kn_custom_event_def_default();
        def.name = rows[i].name;
        def.size = rows[i].size;
        def.fields = rows[i].fields;
        def.field_count = rows[i].field_count;
        def.text = rows[i].text;
        result = kn_custom_event_register(library, &def, rows[i].id, error);
    }
    return result;
}

static kn_result reasons_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    const struct {
        const char *name, *text;
        cast_tag tag;
        kn_fail *id;
    } fails[] = {
        {"casting", "casting {ability} for another {have} s", CAST_TAG_FAIL_CASTING, &ids->casting},
        {"moving", "cannot be cast while moving", CAST_TAG_FAIL_MOVING, &ids->moving},
        {"cast_broken", "cannot be cast with {tag}", CAST_TAG_FAIL_BROKEN, &ids->broken},
        {"locked_out", "{tag} is locked out for another {have} s", CAST_TAG_FAIL_LOCKED,
            &ids->locked_out},
    };
    const struct {
        const char *name, *text;
        kn_end_reason *id;
    } ends[] = {
        {"interrupted", "interrupted", &ids->interrupted},
        {"cast_refused", "refused at the end of the cast", &ids->refused},
        {"moving", "moving", &ids->ended_moving},
        {"cast_broken", "broken by a tag", &ids->ended_broken},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < COUNT(fails); i++) {
        kn_fail_def def = kn_fail_def_default();
        def.name = fails[i].name;
        def.text = fails[i].text;
        def.tag = ids->tags[fails[i].tag];
        result = kn_fail_register(library, &def, fails[i].id, error);
    }
    for (size_t i = 0; result == KN_OK && i < COUNT(ends); i++) {
        kn_end_reason_def def = kn_end_reason_def_default();
        def.name = ends[i].name;
        def.text = ends[i].text;
        result = kn_end_reason_register(library, &def, ends[i].id, error);
    }
    return result;
}

static kn_result values_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    const struct {
        const char *name;
        kn_value_id *id;
    } rows[] = {{"Knack.CastLength", &ids->length}, {"Knack.Pushback", &ids->pushback},
        {"Knack.GlobalLength", &ids->global}, {"Knack.Lockout", &ids->lockout}};
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < COUNT(rows); i++) {
        kn_value_def def = kn_value_def_default();
        def.name = rows[i].name;
        result = kn_value_register(library, &def, rows[i].id, error);
    }
    return result;
}

static kn_result state_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    kn_component_def bar = kn_component_def_default();
    bar.name = "Knack.Cast";
    bar.size = sizeof(cast_bar);
    bar.fields = bar_fields;
    bar.field_count = COUNT(bar_fields);
    kn_task_type_def task = kn_task_type_def_default();
    task.name = "Knack.Cast";
    task.state_size = sizeof(cast_run);
    task.state_fields = run_fields;
    task.state_field_count = COUNT(run_fields);
    task.woken = task_woken;
    task.timer = task_timer;
    task.ended = task_ended;
    kn_result result = kn_name_register(library, "Knack.Cast", &ids->task_name, error);
    result = result != KN_OK ? result : kn_component_register(library, &bar, &ids->bar, error);
    return result != KN_OK ? result : kn_task_type_register(library, &task, &ids->task, error);
}

static void use_begins_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    knc_proc_use_begins(world, reaction->activation);
}

static void use_ends_rule(void *user, kn_world *world, const kn_reaction *reaction)
{
    (void)user;
    knc_proc_use_ends(
        world, reaction->ability, reaction->entity, reaction->end_reason == KN_ENDED_DONE);
}

static kn_result rules_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    const struct {
        const char *name;
        kn_trigger trigger;
        int32_t priority;
        kn_rule_fn *function;
        kn_rule_wants_fn *wants;
    } rows[] = {
        // Procs hear of a use before its first tick.
        {"Knack.UseBegins", KN_TRIGGER_ABILITY_ACTIVATED, 100, use_begins_rule, NULL},
        {"Knack.UseEnds", KN_TRIGGER_ABILITY_ENDED, 0, use_ends_rule, NULL},
        {"Knack.Cast", KN_TRIGGER_ABILITY_ACTIVATED, 0, cast_rule, cast_wants},
        {"Knack.CastRejected", KN_TRIGGER_ABILITY_FAILED, 0, refused_rule, cast_wants},
    };
    kn_result result = KN_OK;
    for (size_t i = 0; result == KN_OK && i < COUNT(rows); i++) {
        kn_rule_def rule = kn_rule_def_default();
        kn_rule_id unused;
        rule.name = rows[i].name;
        rule.trigger = rows[i].trigger;
        rule.priority = rows[i].priority;
        rule.function = rows[i].function;
        rule.wants = rows[i].wants;
        rule.user = ids;
        result = kn_rule_register(library, &rule, &unused, error);
    }
    return result;
}

static kn_result check_register(kn_library *library, cast_ids *ids, kn_error *error)
{
    kn_check_def check = kn_check_def_default();
    kn_check_id unused;
    check.name = "Knack.Casting";
    check.check = check_use;
    check.reason = "casting";
    check.user = ids;
    return kn_check_register(library, &check, &unused, error);
}

kn_result knc_cast_part_register(kn_library *library, combat *kit, kn_error *error)
{
    static const char *const tag_names[CAST_TAG_COUNT] = {"Knack.Interrupt",
        "Knack.Cooldown.Global", "Knack.Use.WhileCasting", "Knack.Moving",
        "Activation.Fail.Casting", "Activation.Fail.Moving", "Activation.Fail.CastBroken",
        "Activation.Fail.LockedOut"};
    static kn_result (*const parts[])(kn_library *, cast_ids *, kn_error *) = {
        knc_cast_kind_register, values_register, reasons_register, events_register, state_register,
        knc_cast_data_register, knc_cast_hold_register, knc_interrupt_register,
        knc_lockout_register, rules_register, check_register};
    kn_result result =
        knc_combat_tags_register(library, tag_names, CAST_TAG_COUNT, kit->cast.tags, error);
    for (size_t i = 0; result == KN_OK && i < COUNT(parts); i++) {
        result = parts[i](library, &kit->cast, error);
    }
    return result != KN_OK ? result : commands_register(library, error);
}

void knc_cast_part_release(combat *kit)
{
    free(kit->cast.by_ability);
}
