// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Duration and period of active effects: computing them, scheduling, ticking, expiring, changing.
// Ticks of constant modifiers take a short path.

#include "effect/effect.h"

#include <math.h>

// Computing -----------------------------------------------------------------

static kn_result seconds_magnitude(
    const kn_spec_view *spec, const kn_magnitude *magnitude, uint32_t slot, kn_time *time)
{
    float seconds;
    kn_result result = kni_magnitude(spec, magnitude, slot, &seconds);
    *time = result == KN_OK ? kn_time_from_seconds((double)seconds) : 0;
    return result;
}

// What modifiers of the target make of the duration; KN_REFUSED_BLOCKED when they leave nothing.
static kn_result duration_change(const kn_spec_view *spec, kn_time *duration)
{
    kn_value_id value = spec->type->def.duration_value;
    if (value.index1 == 0 || *duration == KN_TIME_INFINITE) {
        return KN_OK;
    }
    kn_tag room[KN_TAG_SET_MAX];
    float seconds = (float)kn_time_to_seconds(*duration);
    kn_event_record record = kni_application_record(spec);
    record.tags = kni_asset_tags(spec, room, KN_TAG_SET_MAX);
    record.magnitude = seconds;
    float changed = kn_value_evaluate(spec->world, spec->target, value, seconds, &record, false);
    if (changed != seconds) { // else all microseconds are kept
        *duration = kn_time_from_seconds((double)changed);
    }
    return *duration > 0 ? KN_OK : KN_REFUSED_BLOCKED;
}

kn_result kni_effect_times(const kn_spec_view *spec, kn_time *duration, kn_time *period)
{
    const kni_effect_type *type = spec->type;
    const kn_effect_def *def = &type->def;
    *duration = KN_TIME_INFINITE;
    *period = 0;
    kn_result result = KN_OK;
    if (def->duration_kind == KN_DURATION_TIMED) {
        if (spec->duration >= 0) {
            *duration = spec->duration;
        } else if ((type->flags & KNI_EFFECT_CONST_TIME) != 0) {
            *duration = type->duration;
        } else {
            result = seconds_magnitude(spec, &def->duration, type->duration_capture, duration);
        }
    }
    if (result == KN_OK && def->is_periodic) {
        if (spec->period > 0) {
            *period = spec->period;
        } else if ((type->flags & KNI_EFFECT_CONST_TIME) != 0) {
            *period = type->period;
        } else {
            result = seconds_magnitude(spec, &def->period, type->period_capture, period);
        }
    }
    if (result == KN_OK && def->has_haste) {
        float haste;
        result = kni_magnitude(spec, &def->haste, type->haste_capture, &haste);
        if (result == KN_OK && !(haste >= KN_DIVISOR_MIN)) {
            result = KN_REFUSED_BAD_NUMBER;
        }
        if (result == KN_OK && *period > 0) {
            // Whole periods stay whole: the duration is scaled by the same rounded factor.
            kn_time old_period = *period;
            *period = kn_time_from_seconds(kn_time_to_seconds(old_period) / (double)haste);
            if (*duration != KN_TIME_INFINITE && *period > 0) {
                kn_time whole = *duration / old_period;
                kn_time rest = *duration % old_period;
                kn_time last = kn_time_from_seconds(kn_time_to_seconds(rest) / (double)haste);
                *duration =
                    whole > (KN_TIME_MAX - last) / *period ? KN_TIME_MAX : whole * *period + last;
            }
        } else if (result == KN_OK && *duration != KN_TIME_INFINITE) {
            *duration = kn_time_from_seconds(kn_time_to_seconds(*duration) / (double)haste);
        }
    }
    if (*duration < 0) {
        *duration = 0; // ends as soon as it begins
    }
    if (result == KN_OK && def->is_periodic && *period <= 0) {
        result = KN_REFUSED_BAD_NUMBER;
    }
    return result == KN_OK ? duration_change(spec, duration) : result;
}

kn_time kni_effect_period(const kn_world *world, const kni_effect *effect)
{
    if (effect->rare1 != 0) {
        kn_time period = kni_rare_at(world, effect->rare1)->period;
        if (period != 0) {
            return period;
        }
    }
    return kni_type_at(world, effect->type)->period;
}

// Scheduling ----------------------------------------------------------------

// For an effect without a scheduled tick.
static inline void tick_schedule(kn_world *world, uint32_t slot, kn_time time)
{
    kni_effect *effect = kni_effect_at(world, slot);
    // A tick after the end is scheduled too: the end may move, and if it does not, the entry is
    // dropped.
    if (time > KN_TIME_MAX) {
        time = KN_TIME_INFINITE;
    }
    effect->next_tick = time;
    kni_mark_effect(world, slot);
    if (time != KN_TIME_INFINITE) {
        kni_timer_add(world, time, effect->number, slot, KNI_TIMER_TICK);
    }
}

void kni_effect_schedule_tick(kn_world *world, uint32_t slot, kn_time time)
{
    if (kni_effect_at(world, slot)->next_tick != KN_TIME_INFINITE) {
        kni_wheel_cancelled(&world->wheel);
    }
    tick_schedule(world, slot, time);
}

void kni_effect_schedule_end(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if (effect->duration != KN_TIME_INFINITE) {
        kni_timer_add(world, kni_effect_end_time(effect), effect->number, slot, KNI_TIMER_EXPIRY);
    }
}

void kni_effect_set_end(kn_world *world, uint32_t slot, kn_time start, kn_time duration)
{
    kni_effect *effect = kni_effect_at(world, slot);
    if (effect->start == start && effect->duration == duration) {
        return;
    }
    kn_time old_end = kni_effect_end_time(effect);
    if (duration > KN_TIME_MAX - start && duration != KN_TIME_INFINITE) {
        duration = KN_TIME_MAX - start;
    }
    kn_time end = duration == KN_TIME_INFINITE ? KN_TIME_INFINITE : start + duration;
    if (end != old_end) {
        kni_effect_end_cancelled(world, effect);
    }
    effect->start = start;
    effect->duration = duration;
    kni_mark_effect(world, slot);
    if (end != old_end) {
        kni_effect_schedule_end(world, slot);
    }
}

// Entries of the wheel that their owner no longer agrees with are dead.
bool kni_tick_alive(const kn_world *world, const kni_timer *timer)
{
    const kni_effect *effect = kni_effect_at(world, KNI_TIMER_SLOT(timer->owner));
    return (uint32_t)effect->number == timer->number && effect->number != 0 &&
           effect->next_tick == timer->time;
}

bool kni_expiry_alive(const kn_world *world, const kni_timer *timer)
{
    const kni_effect *effect = kni_effect_at(world, KNI_TIMER_SLOT(timer->owner));
    return (uint32_t)effect->number == timer->number && effect->number != 0 &&
           effect->duration != KN_TIME_INFINITE && kni_effect_end_time(effect) == timer->time;
}

// Ticking -------------------------------------------------------------------

// Index + 1 of the type of the ability that applied an effect; 0 if none did, or it is removed.
static uint32_t effect_ability(const kn_world *world, const kni_effect *effect)
{
    uint32_t ability = effect->rare1 != 0
                           ? kni_ability_find(world, kni_rare_at(world, effect->rare1)->ability)
                           : KNI_NONE;
    return ability != KNI_NONE ? kni_ability_at(world, ability)->type + 1u : 0;
}

// Returns whether the effect is still active.
KNI_SLOW static bool tick_slow(kn_world *world, uint32_t slot, float part)
{
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    kn_cause previous;
    if (!kni_cause_begin_timed(world, KN_CAUSE_TICK, spec.target, slot,
            effect_ability(world, kni_effect_at(world, slot)), &previous)) {
        return true;
    }
    kni_mark_effect(world, slot);
    kni_effect_at(world, slot)->executions++; // the view has the count before
    kni_effect_execute_all(world, &spec, part);
    if (kni_effect_find(world, id) != KNI_NONE) {
        if ((spec.type->flags & KNI_EFFECT_LOGIC) != 0) {
            kni_logic_call call = {.kind = KNI_LOGIC_TICKED};
            kni_logic_notify(world, &spec, &call);
        }
        world->above->effect_cancels(world, &spec, true);
    }
    kni_cause_end(world, previous);
    return kni_effect_find(world, id) != KNI_NONE;
}

// A view of an effect whose tick is running and counted.
static void tick_view(kn_world *world, uint32_t slot, kn_spec_view *spec)
{
    kni_view_of_effect(world, slot, spec);
    spec->tick--;
}

KNI_SLOW static void tick_tell(kn_world *world, uint32_t slot)
{
    kn_spec_view spec;
    tick_view(world, slot, &spec);
    kni_executed_publish(world, &spec);
}

// One constant modifier where a hook or an observer is involved. Returns whether the effect is
// still active.
KNI_SLOW static bool tick_modifier(
    kn_world *world, uint32_t slot, const kni_modifier *modifier, float magnitude)
{
    kn_effect_id id = kni_effect_id_of(world, slot);
    kn_spec_view spec;
    tick_view(world, slot, &spec);
    kni_execute(world, spec.target_component, modifier->attribute, modifier->key,
        (kn_op)modifier->op, magnitude, &spec);
    return kni_effect_find(world, id) != KNI_NONE;
}

bool kni_tick(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if ((type->flags & (KNI_EFFECT_PLAIN_MODIFIERS | KNI_EFFECT_TICKS_SLOW)) !=
            KNI_EFFECT_PLAIN_MODIFIERS ||
        effect->rare1 != 0) {
        return tick_slow(world, slot, 1.0f);
    }
    // Only constant modifiers, which need no spec view and no captures.
    uint32_t component = effect->component;
    kn_entity_id entity = kni_component_entity(world, component);
    kn_effect_id id = {slot + 1, (uint32_t)effect->number};
    kn_cause previous;
    if (!kni_cause_begin_timed(world, KN_CAUSE_TICK, entity, slot, 0, &previous)) {
        return true;
    }
    bool is_there = true;
    effect->executions++;
    kni_mark(world, component, KN_PART_EFFECTS);
    for (uint32_t i = 0; i < type->modifier_count && is_there; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        kn_op op = (kn_op)modifier->op;
        float magnitude = modifier->constant;
        uint32_t stacks = kni_effect_at(world, slot)->stacks;
        if (modifier->scales && stacks != 1) {
            magnitude = kni_scale_by_stacks(op, magnitude, stacks);
        }
        is_there = (modifier->key == 0 &&
                       kni_execute_plain(world, kni_component_at(world, component), modifier->info,
                           modifier->attribute, op, magnitude, entity, id)) ||
                   tick_modifier(world, slot, modifier, magnitude);
    }
    if (is_there && kni_executed_is_wanted(world)) {
        tick_tell(world, slot);
    }
    kni_cause_end(world, previous);
    return is_there;
}

static void tick_fire(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    effect->next_tick = KN_TIME_INFINITE; // marked by the tick, or by scheduling the next one
    kn_time at = world->now;
    if (effect->rare1 != 0) {
        kni_rare_at(world, effect->rare1)->last_tick = at;
    }
    if ((effect->flags & KNI_ACTIVE_INHIBITED) == 0) {
        if (!kni_tick(world, slot)) {
            return;
        }
        effect = kni_effect_at(world, slot);
    }
    if (effect->next_tick == KN_TIME_INFINITE) { // unless the tick itself scheduled one
        tick_schedule(world, slot, at + kni_effect_period(world, effect));
    }
}

// The rest of a period at the end, executed as a fraction of a tick.
static void tick_partial(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    if (!type->def.partial_last_tick || effect->rare1 == 0 ||
        (effect->flags & KNI_ACTIVE_INHIBITED) != 0) {
        return;
    }
    // Of the current period, which a live change may have left as it was.
    kn_time began = kni_rare_at(world, effect->rare1)->last_tick;
    kn_time elapsed = world->now - began;
    kn_time length = effect->next_tick != KN_TIME_INFINITE ? effect->next_tick - began
                                                           : kni_effect_period(world, effect);
    if (elapsed > 0 && elapsed < length) {
        (void)tick_slow(world, slot, (float)((double)elapsed / (double)length));
    }
}

// Expiring ------------------------------------------------------------------

kn_time kni_stacks_next_end(const kn_world *world, const kni_effect *effect)
{
    const kni_rare *rare = kni_rare_at(world, effect->rare1);
    kn_time next = KN_TIME_INFINITE;
    for (uint32_t i = 0; i < rare->stacks.count; i++) {
        kn_time end = KNI_SPAN_AT(world, rare->stacks, kni_stack, i)->end;
        next = end < next ? end : next;
    }
    if (kni_type_at(world, effect->type)->def.stacking.common_timer && rare->base_duration < next) {
        next = rare->base_duration; // with timers of its own: when the common one ends
    }
    return next;
}

// The effect ends, or loses a stack, when the first of its timers expires.
void kni_stacks_reschedule(kn_world *world, uint32_t slot)
{
    kni_effect *effect = kni_effect_at(world, slot);
    kn_time next = kni_stacks_next_end(world, effect);
    if (kni_effect_end_time(effect) != next) {
        kni_effect_end_cancelled(world, effect);
        kni_mark_effect(world, slot);
        effect->duration = next == KN_TIME_INFINITE ? next : next - effect->start;
        kni_effect_schedule_end(world, slot);
    }
}

static void stacks_expire(kn_world *world, uint32_t slot)
{
    kni_mark_effect(world, slot);
    kni_effect *effect = kni_effect_at(world, slot);
    kni_rare *rare = kni_rare_at(world, effect->rare1);
    bool all = kni_type_at(world, effect->type)->def.stacking.common_timer &&
               rare->base_duration <= world->now;
    for (uint32_t i = rare->stacks.count; i-- > 0;) {
        if (all || KNI_SPAN_AT(world, rare->stacks, kni_stack, i)->end <= world->now) {
            kni_span_remove(&world->heap, &rare->stacks, i, sizeof(kni_stack));
        }
    }
    uint32_t left = rare->stacks.count;
    if (left == 0) {
        kni_effect_end(world, slot, KN_REMOVED_EXPIRED);
        return;
    }
    kni_stacks_reschedule(world, slot);
    kni_effect_set_count(world, slot, left, KN_REMOVED_EXPIRED);
}

static void effect_expire(kn_world *world, uint32_t slot)
{
    kn_effect_id id = kni_effect_id_of(world, slot);
    const kni_effect *effect = kni_effect_at(world, slot);
    const kni_effect_type *type = kni_type_at(world, effect->type);
    kn_cause previous;
    if (!kni_cause_begin_timed(world, KN_CAUSE_EXPIRE,
            kni_component_entity(world, effect->component), slot, effect_ability(world, effect),
            &previous)) {
        return;
    }
    if ((type->flags & KNI_EFFECT_OWN_TIMERS) != 0) {
        stacks_expire(world, slot);
        kni_cause_end(world, previous);
        return;
    }
    if (type->def.partial_last_tick) {
        tick_partial(world, slot);
    }
    if (kni_effect_find(world, id) == KNI_NONE) {
        kni_cause_end(world, previous);
        return;
    }
    effect = kni_effect_at(world, slot);
    kn_expiration expiration = type->def.stacking.expiration;
    // At the end of time there is no further cycle.
    bool stays = (type->flags & KNI_EFFECT_STACKS) != 0 && world->now < KN_TIME_MAX &&
                 (expiration == KN_EXPIRE_REFRESH ||
                     (expiration == KN_EXPIRE_ONE_AND_REFRESH && effect->stacks > 1));
    if (stays) {
        // A cycle that was shortened or extended does not change those after it.
        kn_time duration = effect->rare1 != 0 ? kni_rare_at(world, effect->rare1)->base_duration
                                              : effect->duration;
        kn_time most = KN_TIME_MAX - world->now;
        kni_effect_end_cancelled(world, kni_effect_at(world, slot));
        kni_effect_at(world, slot)->start = world->now;
        kni_effect_at(world, slot)->duration = duration < most ? duration : most;
        kni_effect_schedule_end(world, slot);
        if (expiration == KN_EXPIRE_ONE_AND_REFRESH) {
            kni_effect_set_count(
                world, slot, kni_effect_at(world, slot)->stacks - 1, KN_REMOVED_EXPIRED);
        }
        if (kni_effect_find(world, id) != KNI_NONE) {
            kni_effect_time_changed(world, slot);
        }
    } else {
        kni_effect_end(world, slot, KN_REMOVED_EXPIRED);
    }
    kni_cause_end(world, previous);
}

// The distance in ticks between prefetching one thing and prefetching the next it leads to.
#define TICKS_AHEAD 6 // with 8, small worlds lose more than large ones gain

// What the ticks of a run share: looked up once, since the compiler cannot know that writing a
// value leaves a world's pools where they are.
typedef struct tick_pools {
    kni_effect *effects;
    kni_component *components;
    uint8_t *heap;
} tick_pools;

KNI_FAST tick_pools tick_pools_of(const kn_world *world)
{
    return (tick_pools){(kni_effect *)(void *)world->effects.records,
        (kni_component *)(void *)world->components.records, world->heap.bytes};
}

// Prefetches what coming ticks will touch: far ahead the effect, then its component, then its
// values, each of which may span two cache lines. Always a part of its callers: compilers remove a
// function without effects.
KNI_FAST void ticks_prefetch(const tick_pools *pools, const kni_timer *ahead)
{
    uint32_t far = ahead->owner;
    uint32_t near = ahead[-TICKS_AHEAD].owner, nearer = ahead[-2 * TICKS_AHEAD].owner;
    bool are_all = KNI_TIMER_KIND(far | near | nearer) == KNI_TIMER_TICK; // others have other slots
    if (are_all || KNI_TIMER_KIND(far) == KNI_TIMER_TICK) {
        KNI_PREFETCH_WRITE(&pools->effects[far]);
    }
    if (are_all || KNI_TIMER_KIND(near) == KNI_TIMER_TICK) {
        const kni_component *c = &pools->components[pools->effects[near].component];
        KNI_PREFETCH(c);
        KNI_PREFETCH(&c->actor1);
    }
    if (are_all || KNI_TIMER_KIND(nearer) == KNI_TIMER_TICK) {
        const kni_component *c = &pools->components[pools->effects[nearer].component];
        const kni_value *value = (const void *)(pools->heap + (size_t)c->values * 8);
        KNI_PREFETCH_WRITE(value);
        KNI_PREFETCH(&value->aggregator1);
    }
}

// A run of plain ticks: those of an effect with a kni_plain_change and nothing beside it, on a
// value without modifiers that nobody watches. Causes and events are counted here until the run
// ends.
typedef struct plain_run {
    tick_pools pools;
    const kni_effect_type *const *types;
    const kni_layout *layouts;
    const uint16_t *positions; // of the layout below
    uint32_t layout;
    bool wants_event;
    kn_cause cause; // that the next one has
    kn_time now;
    const kni_timer *end; // of the run
    kni_cause_record *record;
    kn_event *event;
} plain_run;

// The value that a plain tick changes, or NULL if the tick is not plain. Nothing is changed.
KNI_FAST kni_value *plain_value(
    plain_run *run, const kni_effect *effect, const kni_component *c, const kni_plain_change *plain)
{
    if ((effect->rare1 | (effect->flags & KNI_ACTIVE_INHIBITED) |
            (c->flags & KNI_COMPONENT_WATCHED)) != 0 ||
        effect->stacks != 1 || plain->attribute1 == 0) {
        return NULL;
    }
    if (c->layout != run->layout) {
        run->layout = c->layout;
        run->positions = run->layouts[c->layout].positions;
    }
    uint32_t position = run->positions[plain->attribute1 - 1];
    kni_value *values = (void *)(run->pools.heap + (size_t)c->values * 8);
    bool is_plain = position != KNI_NO_POSITION && values[position].aggregator1 == 0;
    return is_plain ? &values[position] : NULL;
}

// Does what kni_tick_due() would do for a plain tick. False, with nothing done, if it is not plain.
KNI_FAST bool plain_tick_fire(
    kn_world *world, plain_run *run, const kni_timer *timer, kni_effect *effect)
{
    kni_component *c = &run->pools.components[effect->component];
    const kni_plain_change *plain = &run->types[effect->type]->plain_change;
    kni_value *value = plain_value(run, effect, c, plain);
    kn_time next = timer->time + plain->period;
    if (value == NULL || next > KN_TIME_MAX) {
        return false;
    }
    float old = value->current;
    if (!kni_plain_change_do(plain, value)) {
        return false;
    }
    const kn_entity_id entity = {c->entity + 1, c->generation};
    const kn_effect_id id = {timer->owner + 1, timer->number};
    kni_cause_record_timed(run->record++, KN_CAUSE_TICK, entity, effect, id, 0);
    effect->executions++;
    effect->next_tick = next;
    if (value->current != old && run->wants_event) {
        kn_event *event = run->event++;
        kni_event_head(event, KN_EVENT_ATTRIBUTE_CHANGED, run->cause, timer->time, entity);
        kni_changed_fill(event, plain->attribute1, old, value->current, id);
    }
    run->cause++;
    run->now = timer->time;
    if (c->actor1 != 0) {
        kni_touch(world, effect->component);
    }
    kni_timer again = {next, timer->number, timer->owner};
    if (!kni_wheel_add_near(&world->wheel, again)) {
        if (!kni_wheel_add_slow(&world->wheel, &world->memory, again)) {
            kni_break(world);
        }
        // It may come before the others of this run.
        if ((world->wheel.heap_count | world->wheel.late) != 0 || world->is_broken) {
            run->end = timer + 1;
        }
    }
    return true;
}

void kni_plain_ticks_run(kn_world *world, kn_time until)
{
    kni_wheel *wheel = &world->wheel;
    if (wheel->run_at >= wheel->run_count || (wheel->heap_count | wheel->late) != 0 ||
        KNI_TIMER_KIND(wheel->run[wheel->run_at].owner) != KNI_TIMER_TICK || world->marks != NULL ||
        world->cause != 0 || world->layout_count == 0 || kni_executed_is_wanted(world)) {
        return;
    }
    // Where the buffer of events is full, the general path makes room.
    kni_event_buffer *buffer = &world->pending;
    uint32_t room = buffer->cause_capacity - buffer->cause_count;
    uint32_t event_room = buffer->capacity - buffer->count;
    uint32_t rest = wheel->run_count - wheel->run_at;
    room = event_room < room ? event_room : room;
    const kni_timer *first = &wheel->run[wheel->run_at], *timer = first;
    plain_run run = {.pools = tick_pools_of(world),
        .types = world->types,
        .layouts = world->layouts,
        .layout = 0,
        .positions = world->layouts[0].positions,
        .wants_event = kni_wants(world, KN_EVENT_ATTRIBUTE_CHANGED),
        .cause = buffer->cause_base + buffer->cause_count + 1,
        .now = world->now,
        .record = &buffer->causes[buffer->cause_count],
        .event = &buffer->events[buffer->count],
        .end = first + (rest < room ? rest : room)};
    const kni_timer *near_end =
        rest > 3 * TICKS_AHEAD ? first + (rest - 3 * TICKS_AHEAD - 1) : first;
    uint32_t dropped = 0;
    for (; timer < run.end; timer++) {
        if (timer < near_end) {
            ticks_prefetch(&run.pools, timer + 3 * TICKS_AHEAD + 1);
        }
        if (timer->time > until || KNI_TIMER_KIND(timer->owner) != KNI_TIMER_TICK) {
            break;
        }
        kni_effect *effect = &run.pools.effects[timer->owner];
        if (effect->next_tick != timer->time || (uint32_t)effect->number != timer->number ||
            effect->number == 0) {
            dropped++;
        } else if (!plain_tick_fire(world, &run, timer, effect)) {
            break;
        }
    }
    // All have left the wheel; those that are not dead are in it again.
    uint32_t fired = (uint32_t)(timer - first);
    world->now = run.now;
    wheel->run_at += fired;
    wheel->count -= fired;
    while (dropped-- > 0) {
        kni_wheel_dropped(wheel);
    }
    buffer->cause_count = run.cause - buffer->cause_base - 1;
    buffer->count = (uint32_t)(run.event - buffer->events);
}

void kni_tick_due(kn_world *world, const kni_timer *timer)
{
    const kni_timer *ahead = kni_wheel_ahead(&world->wheel, 3 * TICKS_AHEAD);
    if (ahead != NULL) {
        tick_pools pools = tick_pools_of(world);
        ticks_prefetch(&pools, ahead);
    }
    if (!kni_tick_alive(world, timer)) {
        kni_wheel_dropped(&world->wheel);
        return;
    }
    world->now = timer->time;
    tick_fire(world, KNI_TIMER_SLOT(timer->owner));
}

void kni_expiry_due(kn_world *world, const kni_timer *timer)
{
    if (!kni_expiry_alive(world, timer)) {
        kni_wheel_dropped(&world->wheel);
        return;
    }
    uint32_t slot = KNI_TIMER_SLOT(timer->owner);
    world->now = timer->time;
    kni_effect_at(world, slot)->flags |= KNI_ACTIVE_EXPIRING;
    effect_expire(world, slot);
}

// Changing ------------------------------------------------------------------

void kni_effect_time_changed(kn_world *world, uint32_t slot)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if (kni_wants(world, KN_EVENT_EFFECT_TIME)) {
        kn_event *event =
            kni_emit(world, KN_EVENT_EFFECT_TIME, kni_component_entity(world, effect->component));
        memset(&event->data, 0, sizeof(event->data));
        event->data.effect.effect = kni_effect_id_of(world, slot);
        event->data.effect.type.index1 = (uint32_t)effect->type + 1;
        event->data.effect.count = effect->stacks;
        event->data.effect.old_count = effect->stacks;
        event->data.effect.source = effect->source;
        event->data.effect.level = effect->level;
    }
}

// All public functions that change a remaining time end here.
static kn_result time_set(kn_world *world, kn_effect_id id, kn_time start, kn_time duration)
{
    uint32_t slot = kni_effect_find(world, id);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    if (effect->duration == KN_TIME_INFINITE ||
        (kni_type_at(world, effect->type)->flags & KNI_EFFECT_OWN_TIMERS) != 0) {
        return KN_REFUSED_NOT_FOUND; // it has no end of its own
    }
    if (start + duration <= world->now) {
        kni_effect_end(world, slot, KN_REMOVED_SHORTENED);
        return KN_OK;
    }
    kni_effect_set_end(world, slot, start, duration);
    kni_effect_time_changed(world, slot);
    return KN_OK;
}

// The same for a new length, which later cycles have too, unless they follow an attribute.
static kn_result length_set(kn_world *world, kn_effect_id id, kn_time start, kn_time duration)
{
    kn_result result = time_set(world, id, start, duration);
    uint32_t slot = kni_effect_find(world, id);
    if (result == KN_OK && slot != KNI_NONE) {
        const kni_effect *effect = kni_effect_at(world, slot);
        const kn_effect_def *def = &kni_type_at(world, effect->type)->def;
        if (effect->rare1 != 0 && def->stacking.expiration != KN_EXPIRE_CLEAR &&
            def->live_duration == KN_LIVE_NONE) {
            kni_rare_at(world, effect->rare1)->base_duration = effect->duration;
        }
    }
    return result;
}

kn_result kn_effect_set_remaining(kn_world *world, kn_effect_id effect, kn_time remaining)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (remaining > KN_TIME_MAX - world->now) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_time start = kni_effect_at(world, slot)->start;
    kn_time elapsed = world->now - start;
    kn_time total = remaining <= 0 ? elapsed : elapsed + remaining;
    return kni_leave(world, time_set(world, effect, start, total));
}

kn_result kn_effect_add_remaining(kn_world *world, kn_effect_id effect, kn_time delta, kn_time cap)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (delta > KN_TIME_MAX / 2 || delta < -KN_TIME_MAX / 2) {
        return KN_REFUSED_BAD_NUMBER;
    }
    const kni_effect *e = kni_effect_at(world, slot);
    if (e->duration == KN_TIME_INFINITE) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_time remaining = kni_effect_end_time(e) - world->now;
    kn_time wanted = remaining + delta;
    if (delta > 0 && cap >= 0 && wanted > cap) {
        wanted = remaining > cap ? remaining : cap; // a cap never shortens
    }
    return kn_effect_set_remaining(world, effect, wanted);
}

kn_result kn_effect_scale_remaining(kn_world *world, kn_effect_id effect, float factor)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (!isfinite(factor) || factor < 0.0f) {
        return KN_REFUSED_BAD_NUMBER;
    }
    const kni_effect *e = kni_effect_at(world, slot);
    if (e->duration == KN_TIME_INFINITE) {
        return KN_REFUSED_NOT_FOUND;
    }
    kn_time remaining = kni_effect_end_time(e) - world->now;
    return kn_effect_set_remaining(
        world, effect, kn_time_from_seconds(kn_time_to_seconds(remaining) * (double)factor));
}

kn_result kn_effect_set_total(kn_world *world, kn_effect_id effect, kn_time duration)
{
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (duration > KN_TIME_MAX - kni_effect_at(world, slot)->start) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kn_time start = kni_effect_at(world, slot)->start;
    return kni_leave(world, length_set(world, effect, start, duration < 0 ? 0 : duration));
}

kn_result kn_effect_restart(kn_world *world, kn_effect_id effect, kn_time duration)
{
    if (kni_effect_find(world, effect) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (duration > KN_TIME_MAX - world->now) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    return kni_leave(world, length_set(world, effect, world->now, duration < 0 ? 0 : duration));
}

void kni_effect_set_period(kn_world *world, uint32_t slot, kn_time period)
{
    const kni_effect_type *type = kni_type_at(world, kni_effect_at(world, slot)->type);
    kn_time old = kni_effect_period(world, kni_effect_at(world, slot));
    if (period == old || !kni_effect_rare_ensure(world, slot)) {
        return;
    }
    const kni_effect *effect = kni_effect_at(world, slot);
    kni_rare *rare = kni_rare_at(world, effect->rare1);
    rare->period = period != type->period ? period : 0;
    if (type->def.live_period != KN_LIVE_RESCALE) {
        return; // the current period stays as it is
    }
    if (effect->next_tick != KN_TIME_INFINITE) {
        kn_time next = effect->next_tick - old + period;
        kni_effect_schedule_tick(world, slot, next < world->now ? world->now : next);
    } else if (rare->paused >= 0) {
        kn_time rest = rare->paused - old + period;
        rare->paused = rest < 0 ? 0 : rest;
    }
}

// Whether an effect's duration or period follows its inputs.
static bool duration_follows(const kn_world *world, const kni_effect *effect)
{
    const kn_effect_def *def = &kni_type_at(world, effect->type)->def;
    return def->live_duration != KN_LIVE_NONE && def->duration_kind == KN_DURATION_TIMED &&
           effect->rare1 != 0 &&
           (kni_rare_at(world, effect->rare1)->given & KNI_GIVEN_DURATION) == 0;
}

static bool period_follows(const kn_world *world, const kni_effect *effect)
{
    const kn_effect_def *def = &kni_type_at(world, effect->type)->def;
    return def->live_period != KN_LIVE_NONE && def->is_periodic && effect->rare1 != 0 &&
           (kni_rare_at(world, effect->rare1)->given & KNI_GIVEN_PERIOD) == 0;
}

kn_result kni_effect_times_check(kn_world *world, uint32_t slot, float level)
{
    const kni_effect *effect = kni_effect_at(world, slot);
    if (!duration_follows(world, effect) && !period_follows(world, effect)) {
        return KN_OK;
    }
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    spec.level = level;
    kn_time duration, period;
    kn_result result = kni_effect_times(&spec, &duration, &period);
    return result == KN_REFUSED_BLOCKED ? KN_OK : result; // it keeps its duration
}

// Recomputes a live duration or period.
void kni_effect_times_follow(kn_world *world, uint32_t slot)
{
    bool follows_duration = duration_follows(world, kni_effect_at(world, slot));
    bool follows_period = period_follows(world, kni_effect_at(world, slot));
    if (!follows_duration && !follows_period) {
        return;
    }
    kn_spec_view spec;
    kni_view_of_effect(world, slot, &spec);
    kn_time duration, period;
    kn_result result = kni_effect_times(&spec, &duration, &period);
    if (result == KN_REFUSED_BLOCKED) {
        follows_duration = false; // what is active is not refused
    } else if (result != KN_OK) {
        kni_emit_error(world, KN_REFUSED_BAD_NUMBER, spec.target, spec.type->index1, 0, 0);
        return; // the old ones are kept
    }
    if (follows_period) {
        kni_effect_set_period(world, slot, period);
    }
    kni_effect *effect = kni_effect_at(world, slot);
    kni_rare *rare = kni_rare_at(world, effect->rare1);
    if (follows_duration && duration != rare->base_duration) {
        kni_mark_effect(world, slot);
        kn_time total = effect->duration + (duration - rare->base_duration);
        rare->base_duration = duration;
        if (effect->start + total <= world->now) {
            kni_queued *queued = kni_react(world, KNI_REACT_REMOVE);
            queued->effect.id = kni_effect_id_of(world, slot);
            queued->effect.reason = KN_REMOVED_EXPIRED;
        } else {
            kni_effect_set_end(world, slot, effect->start, total);
            kni_effect_time_changed(world, slot);
        }
    }
}
