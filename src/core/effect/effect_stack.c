// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// How applications of one effect combine: which stack a new application joins, limits, refresh
// rules, and stacks with timers of their own.

#include "effect/effect_stack.h"

static uint32_t scalable_count(const kn_spec_view *spec, const kn_scalable *scalable)
{
    float value;
    if (kni_scalable(spec, scalable, &value) != KN_OK || !(value > 0.0f)) {
        return 0;
    }
    return value >= 1e9f ? 1000000000u : (uint32_t)(value + 0.5f);
}

static bool same_source(kn_entity_id a, kn_entity_id b)
{
    return kn_entity_id_equal(a, b);
}

static uint32_t stack_find(const kn_world *world, const kn_spec_view *spec)
{
    const kn_stacking *stacking = &spec->type->def.stacking;
    const kni_component *component = kni_component_at(world, spec->target_component);
    uint32_t type = spec->type->index1 - 1;
    uint64_t object = stacking->key_object ? kn_spec_view_source_object(spec) : 0;
    for (uint32_t i = 0; i < component->effects.count; i++) {
        uint32_t slot = *KNI_SPAN_AT(world, component->effects, uint32_t, i);
        const kni_effect *effect = kni_effect_at(world, slot);
        if (effect->type != type ||
            (effect->flags & (KNI_ACTIVE_REMOVING | KNI_ACTIVE_LEAVING)) != 0 ||
            (stacking->kind == KN_STACK_BY_SOURCE && !same_source(effect->source, spec->source)) ||
            (stacking->key_level && effect->level != spec->level)) {
            continue;
        }
        if (stacking->key_object) {
            uint64_t other =
                effect->rare1 != 0 ? kni_rare_at(world, effect->rare1)->source_object : 0;
            if (other != object) {
                continue;
            }
        }
        return slot;
    }
    return KNI_NONE;
}

// The rule for an application that meets a stack, by level and by source.
static kn_stack_rule level_rule(
    const kn_stacking *stacking, const kni_effect *effect, const kn_spec_view *spec)
{
    if (spec->level == effect->level) {
        return stacking->on_equal_level;
    }
    return spec->level < effect->level ? stacking->on_lower_level : stacking->on_higher_level;
}

static kn_stack_rule source_rule(
    const kn_stacking *stacking, const kni_effect *effect, const kn_spec_view *spec)
{
    return same_source(effect->source, spec->source) ? stacking->on_same_source
                                                     : stacking->on_other_source;
}

kni_stack_plan kni_stack_plan_make(kn_world *world, const kni_application *application)
{
    const kn_spec_view *spec = &application->spec;
    const kn_stacking *stacking = &spec->type->def.stacking;
    kni_stack_plan plan = {KNI_NONE, 1, KN_OK};
    if (stacking->kind == KN_STACK_NONE) {
        plan.count = application->stacks > 0 ? application->stacks : 1;
        return plan;
    }
    uint32_t limit = scalable_count(spec, &stacking->limit);
    plan.count =
        application->stacks > 0 ? application->stacks : scalable_count(spec, &stacking->initial);
    plan.count = plan.count == 0 ? 1 : plan.count;
    if (limit > 0 && plan.count > limit) {
        plan.count = limit;
    }
    bool has_timers = (spec->type->flags & KNI_EFFECT_OWN_TIMERS) != 0;
    if (plan.count > (has_timers ? KNI_STACK_TIMERS_MAX : KNI_STACKS_MAX)) {
        plan.result = KN_REFUSED_LIMIT;
        return plan;
    }
    plan.existing = stack_find(world, spec);
    if (plan.existing == KNI_NONE) {
        return plan;
    }
    const kni_effect *effect = kni_effect_at(world, plan.existing);
    if (source_rule(stacking, effect, spec) == KN_STACK_REFUSE ||
        level_rule(stacking, effect, spec) == KN_STACK_REFUSE) {
        plan.result = KN_REFUSED_STACK_DENIED;
    }
    return plan;
}

void kni_stack_deny(kn_world *world, const kni_application *application, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if ((effect->flags & KNI_ACTIVE_DENIED) != 0 ||
        !kni_wants(world, KN_EVENT_EFFECT_STACK_DENIED)) {
        return; // already published in this step
    }
    effect->flags |= KNI_ACTIVE_DENIED;
    world->denied_count++;
    kn_event *event = kni_emit(world, KN_EVENT_EFFECT_STACK_DENIED, application->spec.target);
    memset(&event->data, 0, sizeof(event->data));
    event->data.effect.effect = kni_effect_id_of(world, slot);
    event->data.effect.type = kni_type_id(application->spec.type);
    event->data.effect.count = effect->stacks;
    event->data.effect.old_count = effect->stacks;
    event->data.effect.source = application->spec.source; // of the new application, like its level
    event->data.effect.level = application->spec.level;
}

// Refreshing ----------------------------------------------------------------

// The time left from now on by the refresh rule; KN_TIME_INFINITE leaves everything as it is.
static kn_time stack_refreshed(
    kn_world *world, const kn_spec_view *spec, uint32_t slot, kn_time duration, kn_time next_tick)
{
    const kn_stacking *stacking = &spec->type->def.stacking;
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_time remaining = kni_effect_end_time(effect) - world->now;
    kn_time period = kni_effect_period(world, effect);
    switch (stacking->refresh) {
    case KN_REFRESH_RESTART:
        return duration;
    case KN_REFRESH_EXTEND:
        return remaining + duration;
    case KN_REFRESH_KEEP_LONGER:
        return duration > remaining ? duration : KN_TIME_INFINITE;
    case KN_REFRESH_PANDEMIC: {
        float share = 0.0f;
        (void)kni_scalable(spec, &stacking->pandemic, &share);
        kn_time most = kn_time_from_seconds(kn_time_to_seconds(duration) * (double)share);
        kn_time kept = remaining < most ? remaining : most;
        kn_time wanted = duration + kept;
        return wanted > remaining ? wanted : remaining;
    }
    case KN_REFRESH_COMPLETE_PERIOD:
        return next_tick != KN_TIME_INFINITE ? next_tick - world->now + duration : duration;
    case KN_REFRESH_ALIGN_TICK: {
        if (next_tick == KN_TIME_INFINITE || period <= 0) {
            return duration;
        }
        kn_time rest = world->now + duration - next_tick;
        return rest <= 0 ? next_tick - world->now : duration + (period - rest % period) % period;
    }
    default:
        return KN_TIME_INFINITE;
    }
}

// Returns whether its time was changed, which has its own event.
static bool stack_refresh(
    kn_world *world, const kn_spec_view *spec, uint32_t slot, kn_time duration)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = spec->type;
    bool resets = (type->flags & KNI_EFFECT_PERIODIC) != 0 &&
                  type->def.stacking.period_reset == KN_PERIOD_RESET;
    bool ticks = effect->next_tick != KN_TIME_INFINITE; // not while paused or waiting for a reset
    kn_time next_tick =
        resets && ticks ? world->now + kni_effect_period(world, effect) : effect->next_tick;
    bool is_new_span = false;
    if (effect->duration != KN_TIME_INFINITE) {
        kn_time span = stack_refreshed(world, spec, slot, duration, next_tick);
        is_new_span = span != KN_TIME_INFINITE;
        if (is_new_span) {
            span = span < KN_TIME_MAX - world->now ? span : KN_TIME_MAX - world->now;
            bool keeps_start = type->def.stacking.refresh == KN_REFRESH_EXTEND;
            kn_time start = keeps_start ? effect->start : world->now;
            kni_effect_set_end(world, slot, start, world->now + span - start);
            kni_effect_time_changed(world, slot);
        }
    }
    if (resets && ticks) {
        kni_effect_schedule_tick(world, slot, next_tick);
    }
    if (kni_effect_at(world, slot)->rare1 != 0) {
        kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
        kni_mark_effect(world, slot);
        rare->last_tick = resets && ticks ? world->now : rare->last_tick;
        rare->paused = resets ? -1 : rare->paused; // a full period when it continues
        if (is_new_span && type->def.stacking.expiration != KN_EXPIRE_CLEAR) {
            rare->base_duration = duration; // for the next cycle
        }
        if (is_new_span && type->def.live_duration != KN_LIVE_NONE) {
            // What the stack itself computes to: from now on, differences from this are followed.
            kn_spec_view view;
            kni_view_of_effect(world, slot, &view);
            kn_time base, period;
            kn_result result = kni_effect_times(&view, &base, &period);
            rare->base_duration = result == KN_OK ? base : duration;
            uint32_t given = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1)->given : 0;
            rare->given =
                (rare->given & ~(uint32_t)KNI_GIVEN_DURATION) | (given & KNI_GIVEN_DURATION);
        }
    }
    kni_effect_times_follow(world, slot);
    return is_new_span;
}

// Merging -------------------------------------------------------------------

static void spans_swap(kni_span *a, kni_span *b)
{
    kni_span old = *a;
    *a = *b;
    *b = old;
}

// The new values and context replace the stack's; what belongs to the active effect is kept.
static bool values_take(kn_world *world, uint32_t slot, kn_spec_view *spec)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if (effect->rare1 == 0 && spec->rare1 == 0) {
        return true;
    }
    if ((effect->rare1 == 0 && !kni_effect_rare_ensure(world, slot)) ||
        (spec->rare1 == 0 && (spec->rare1 = kni_rare_acquire(world)) == 0)) {
        return false;
    }
    kni_rare *to = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    kni_rare *from = kni_rare_at(world, spec->rare1);
    spans_swap(&to->caller, &from->caller);
    spans_swap(&to->named, &from->named);
    spans_swap(&to->magnitudes, &from->magnitudes);
    spans_swap(&to->captures, &from->captures);
    spans_swap(&to->source_tags, &from->source_tags);
    spans_swap(&to->asset, &from->asset);
    spans_swap(&to->targets, &from->targets);
    to->has_source_tags = from->has_source_tags;
    kni_ref payload = to->payload;
    uint32_t payload_type = to->payload_type;
    to->payload = from->payload;
    to->payload_type = from->payload_type;
    from->payload = payload;
    from->payload_type = payload_type;
    to->instigator = from->instigator;
    to->causer = from->causer;
    to->ability = from->ability;
    to->activation = from->activation;
    to->source_object = from->source_object;
    to->origin = from->origin;
    to->has_origin = from->has_origin;
    to->off_modifiers = from->off_modifiers;
    to->off_executions = from->off_executions;
    to->given = (to->given & ~(uint32_t)KNI_GIVEN_PERIOD) | (from->given & KNI_GIVEN_PERIOD);
    return true;
}

// The stack takes the new application's source, level, values, context and period.
static void take_over(kn_world *world, kni_application *application, uint32_t slot)
{
    kn_spec_view *spec = &application->spec;
    kn_effect_id id = kni_effect_id_of(world, slot);
    kni_captures_register(world, slot, false);
    kni_effect *effect = kni_effect_at(world, slot);
    float cue = kni_cue_magnitude(world, slot);
    bool is_level = effect->level != spec->level;
    bool is_source = !same_source(effect->source, spec->source);
    kni_mark_effect(world, slot);
    effect->level = spec->level;
    effect->source = spec->source;
    application->took_over = true;
    if (!values_take(world, slot, spec)) {
        return;
    }
    kni_captures_register(world, slot, true);
    kni_effect_set_period(world, slot, spec->period);
    (void)kni_effect_refresh_all(world, slot);
    if (kni_effect_find(world, id) == KNI_NONE) {
        return;
    }
    if (is_source && (spec->type->flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL)) != 0) {
        kni_effect_queue_recheck(world, slot); // conditions may depend on the source
    }
    if (!spec->type->def.no_cue_on_stack) {
        bool is_magnitude = kni_cue_magnitude(world, slot) != cue;
        if (is_level || is_magnitude) {
            kni_effect_cues_changed(world, slot, is_magnitude);
        }
    }
}

void kni_pool_fill(kn_world *world, const kn_spec_view *spec)
{
    for (uint32_t i = 0; i < spec->type->modifier_count; i++) {
        const kn_magnitude *magnitude = &spec->type->modifiers[i].def->magnitude;
        if (magnitude->kind != KN_MAGNITUDE_POOL || spec->rare1 == 0) {
            continue;
        }
        float amount = 0.0f;
        if (magnitude->caller_tag.index1 != 0) {
            amount = kn_spec_view_caller_value(spec, magnitude->caller_tag, 0.0f, false);
        } else {
            (void)kni_scalable(spec, &magnitude->pre_add, &amount);
        }
        kni_rare *rare = kni_rare_at(world, spec->rare1);
        rare->pool = kni_saturated(rare->pool + amount);
    }
}

// Stacks with timers of their own -------------------------------------------

static bool timer_push(kn_world *world, uint32_t slot, kn_time duration, kn_entity_id source)
{
    kni_mark_effect(world, slot);
    kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
    kni_stack *stack =
        kni_span_push(&world->heap, &world->memory, &rare->stacks, sizeof(kni_stack));
    if (stack == NULL) {
        kni_break(world);
        return false;
    }
    kn_time end = duration == KN_TIME_INFINITE ? duration : world->now + duration;
    *stack = (kni_stack){world->now, end, source};
    return true;
}

// The stack that makes room, of one source or of all; KNI_NONE if none does. Stacks without an end
// are kept, unless the new application has none either.
static uint32_t timer_victim(const kn_world *world, const kni_rare *rare, kn_stack_cap at_cap,
    const kn_entity_id *source, bool is_endless)
{
    uint32_t victim = KNI_NONE;
    for (uint32_t i = 0; i < rare->stacks.count; i++) {
        const kni_stack *stack = KNI_SPAN_AT(world, rare->stacks, kni_stack, i);
        if ((source != NULL && !same_source(stack->source, *source)) ||
            (stack->end == KN_TIME_INFINITE && !is_endless)) {
            continue;
        }
        if (victim == KNI_NONE ||
            (at_cap == KN_STACK_CAP_REPLACE_FIRST_ENDING &&
                stack->end < KNI_SPAN_AT(world, rare->stacks, kni_stack, victim)->end)) {
            victim = i;
        }
    }
    return victim;
}

static uint32_t timers_of_source(const kn_world *world, const kni_rare *rare, kn_entity_id source)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < rare->stacks.count; i++) {
        count += same_source(KNI_SPAN_AT(world, rare->stacks, kni_stack, i)->source, source);
    }
    return count;
}

// When all stacks end together, if the def says so.
static kn_time common_end(const kn_world *world, const kn_spec_view *spec, kn_time duration)
{
    const kn_stacking *stacking = &spec->type->def.stacking;
    if (!stacking->common_timer) {
        return duration == KN_TIME_INFINITE ? duration : world->now + duration;
    }
    float seconds = 0.0f;
    (void)kni_scalable(spec, &stacking->common_duration, &seconds);
    kn_time length = kn_time_from_seconds((double)seconds);
    if (!(seconds > 0.0f)) {
        kn_spec_view own = *spec;
        own.duration = -1; // ignores what the caller gave
        kn_time period;
        length = kni_effect_times(&own, &length, &period) == KN_OK ? length : duration;
    }
    return length > KN_TIME_MAX - world->now ? KN_TIME_MAX : world->now + length;
}

bool kni_stack_begin_timers(
    kn_world *world, const kn_spec_view *spec, uint32_t slot, uint32_t count, kn_time duration)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!timer_push(world, slot, duration, spec->source)) {
            return false;
        }
    }
    kni_rare_at(world, kni_effect_at(world, slot)->rare1)->base_duration =
        common_end(world, spec, duration);
    return true;
}

static kn_result timers_add(
    kn_world *world, kni_application *application, uint32_t slot, uint32_t add, kn_time duration)
{
    const kn_spec_view *spec = &application->spec;
    const kn_stacking *stacking = &spec->type->def.stacking;
    uint32_t limit = scalable_count(spec, &stacking->limit);
    uint32_t per_source = scalable_count(spec, &stacking->limit_per_source);
    uint32_t added = 0;
    bool overflowed = false;
    for (uint32_t i = 0; i < add; i++) {
        kni_rare *rare = kni_rare_at(world, kni_effect_at(world, slot)->rare1);
        bool source_full =
            per_source > 0 && timers_of_source(world, rare, spec->source) >= per_source;
        bool full = source_full || (limit > 0 && rare->stacks.count >= limit);
        if (full) {
            overflowed = true;
            if (stacking->at_cap == KN_STACK_CAP_REFUSE || stacking->deny_overflow) {
                break;
            }
            uint32_t victim = timer_victim(world, rare, stacking->at_cap,
                source_full ? &spec->source : NULL, duration == KN_TIME_INFINITE);
            if (victim == KNI_NONE) {
                break;
            }
            kni_span_remove(&world->heap, &rare->stacks, victim, sizeof(kni_stack));
        }
        if (!timer_push(world, slot, duration, spec->source)) {
            return KN_ERROR_OUT_OF_MEMORY;
        }
        added++;
    }
    if (overflowed && (spec->type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kn_spec_view view;
        kni_view_of_effect(world, slot, &view);
        kni_children_start(world, &view, KN_CHILD_OVERFLOW, 0, view.stacks);
    }
    if (added == 0) {
        return KN_REFUSED_STACK_DENIED;
    }
    application->put = application->added = added;
    kni_rare_at(world, kni_effect_at(world, slot)->rare1)->base_duration =
        common_end(world, spec, duration);
    kni_stacks_reschedule(world, slot);
    return KN_OK;
}

bool kni_stack_denies(const kn_world *world, const kn_spec_view *spec, uint32_t slot)
{
    const kn_stacking *stacking = &spec->type->def.stacking;
    const kni_effect *effect = kni_effect_at(world, slot);
    kn_stack_rule rule = source_rule(stacking, effect, spec);
    rule = rule == KN_STACK_JOIN ? level_rule(stacking, effect, spec) : rule;
    if (rule == KN_STACK_RESTART) {
        return false;
    }
    uint32_t limit = scalable_count(spec, &stacking->limit);
    bool has_timers = (spec->type->flags & KNI_EFFECT_OWN_TIMERS) != 0;
    bool is_full = limit > 0 && effect->stacks >= limit;
    if (has_timers) {
        uint32_t per_source = scalable_count(spec, &stacking->limit_per_source);
        is_full |= per_source > 0 && timers_of_source(world, kni_rare_at(world, effect->rare1),
                                         spec->source) >= per_source;
    }
    return is_full &&
           (stacking->deny_overflow || (has_timers && stacking->at_cap == KN_STACK_CAP_REFUSE));
}

// Merge ---------------------------------------------------------------------

static kn_result merge_overflow(
    kn_world *world, kni_application *application, uint32_t slot, bool *goes_on)
{
    const kn_stacking *stacking = &application->spec.type->def.stacking;
    if ((application->spec.type->flags & KNI_EFFECT_CHILDREN) != 0) {
        kn_spec_view view;
        kni_view_of_effect(world, slot, &view);
        kni_children_start(world, &view, KN_CHILD_OVERFLOW, 0, view.stacks);
    }
    *goes_on = !stacking->deny_overflow;
    if (!stacking->deny_overflow) {
        return KN_OK;
    }
    kni_stack_deny(world, application, slot);
    if (stacking->clear_on_overflow) {
        kni_effect_end(world, slot, KN_REMOVED_STACK_CLEARED);
    }
    return KN_REFUSED_STACK_DENIED;
}

// Whether the merge policy chooses the new application.
static bool merge_is_newcomers(
    const kn_stacking *stacking, const kni_effect *effect, const kn_spec_view *spec)
{
    switch (stacking->merge) {
    case KN_MERGE_FIRST:
        return false;
    case KN_MERGE_HIGHEST_LEVEL:
        return spec->level >= effect->level;
    default:
        return true;
    }
}

static kn_result stack_merge(
    kn_world *world, kni_application *application, uint32_t slot, kn_time duration)
{
    const kn_spec_view *spec = &application->spec;
    const kn_stacking *stacking = &spec->type->def.stacking;
    kn_effect_id id = kni_effect_id_of(world, slot);
    kni_effect *effect = kni_effect_at(world, slot);
    kn_stack_rule rule = source_rule(stacking, effect, spec);
    if (rule == KN_STACK_JOIN) {
        rule = level_rule(stacking, effect, spec);
    }
    uint32_t limit = scalable_count(spec, &stacking->limit);
    uint32_t add = application->stacks > 0 ? application->stacks
                                           : scalable_count(spec, &stacking->per_application);
    uint32_t old = effect->stacks;
    uint64_t count = (uint64_t)old + add;
    if (rule == KN_STACK_RESTART) {
        count = scalable_count(spec, &stacking->initial);
        count = count == 0 ? 1 : count;
    }
    bool has_timers = (spec->type->flags & KNI_EFFECT_OWN_TIMERS) != 0;
    if (has_timers) {
        if (rule == KN_STACK_RESTART) {
            kni_span_clear(
                &world->heap, &kni_rare_at(world, effect->rare1)->stacks, sizeof(kni_stack));
            add = (uint32_t)count;
        }
        if (add > KNI_STACK_TIMERS_MAX ||
            kni_rare_at(world, effect->rare1)->stacks.count + add > KNI_STACK_TIMERS_MAX) {
            return KN_REFUSED_LIMIT;
        }
        kn_result result = timers_add(world, application, slot, add, duration);
        if (result == KN_REFUSED_STACK_DENIED) {
            kni_stack_deny(world, application, slot);
            if (stacking->clear_on_overflow) {
                kni_effect_end(world, slot, KN_REMOVED_STACK_CLEARED);
            }
        }
        if (result != KN_OK) {
            return result;
        }
        count = kni_rare_at(world, kni_effect_at(world, slot)->rare1)->stacks.count;
    } else if (rule != KN_STACK_RESTART && limit > 0 && old >= limit) {
        bool goes_on;
        kn_result result = merge_overflow(world, application, slot, &goes_on);
        if (!goes_on) {
            return result;
        }
        count = old; // a limit that fell does not remove stacks
    } else if (limit > 0 && count > limit) {
        count = limit;
    }
    if (count > KNI_STACKS_MAX) {
        return KN_REFUSED_LIMIT;
    }
    if (!has_timers) {
        bool restarts = rule == KN_STACK_RESTART;
        application->put = restarts ? (uint32_t)count : add;
        application->added = restarts ? (uint32_t)count : (uint32_t)count - old;
    }

    bool takes_over = rule == KN_STACK_TAKE_OVER || rule == KN_STACK_RESTART;
    if (takes_over || merge_is_newcomers(stacking, kni_effect_at(world, slot), spec)) {
        take_over(world, application, slot);
    }
    if (stacking->merge == KN_MERGE_POOL) {
        kn_spec_view view;
        kni_view_of_effect(world, slot, &view);
        kni_pool_fill(world, &view);
    }
    bool is_told = !has_timers && stack_refresh(world, spec, slot, duration);
    if (kni_effect_find(world, id) != KNI_NONE) {
        if (!is_told && kni_effect_at(world, slot)->stacks == count) {
            kni_effect_joined_publish(world, slot);
        }
        kni_effect_set_count(world, slot, (uint32_t)count, (kn_removal_reason)0);
    }
    if (kni_effect_find(world, id) != KNI_NONE && stacking->tick_on_stack &&
        (kni_effect_at(world, slot)->flags & KNI_ACTIVE_INHIBITED) == 0) {
        kni_tick(world, slot);
    }
    return KN_OK;
}

kn_result kni_stack_merge(
    kn_world *world, kni_application *application, uint32_t slot, kn_time duration)
{
    kn_effect_id id = kni_effect_id_of(world, slot);
    application->old_stacks = kni_effect_at(world, slot)->stacks;
    application->old_end = kni_effect_end_time(kni_effect_at(world, slot));
    kn_result result = stack_merge(world, application, slot, duration);
    if (result == KN_OK && kni_effect_find(world, id) != KNI_NONE) {
        application->effect = id;
    }
    return result;
}
