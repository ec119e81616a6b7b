// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The step: commands are carried out, timers fire and systems run in order of their time, reactions
// follow each of them, and the events are published at the end.

#include "step/step.h"

#include "ability/actor.h"
#include "ability/task.h"

// Timers ----------------------------------------------------------------------

bool kni_timer_alive(void *user, kni_timer timer)
{
    const kn_world *world = user;
    switch (KNI_TIMER_KIND(timer.owner)) {
    case KNI_TIMER_TICK:
        return kni_tick_alive(world, &timer);
    case KNI_TIMER_EXPIRY:
        return kni_expiry_alive(world, &timer);
    case KNI_TIMER_CHARGE:
        return kni_charge_alive(world, &timer);
    case KNI_TIMER_TASK:
        return kni_task_alive(world, &timer);
    default: {
        const kni_rule_timer *rule = kni_pool_at(&world->timers, KNI_TIMER_SLOT(timer.owner));
        return (uint32_t)rule->number == timer.number && rule->number != 0 &&
               rule->time == timer.time;
    }
    }
}

static void other_fire(kn_world *world, const kni_timer *timer)
{
    uint32_t slot = KNI_TIMER_SLOT(timer->owner), kind = KNI_TIMER_KIND(timer->owner);
    if (!kni_timer_alive(world, *timer)) {
        kni_wheel_dropped(&world->wheel);
        return;
    }
    // Timers that start one another without time passing would never end. Charge cycles cannot do
    // this: any number of them may end at once.
    world->timers_at_once = timer->time > world->now   ? 0
                            : kind == KNI_TIMER_CHARGE ? world->timers_at_once
                                                       : world->timers_at_once + 1;
    if (world->timers_at_once > world->def.reaction_limit) {
        kni_emit_error(world, KN_REFUSED_LIMIT, (kn_entity_id){0}, 0, 0, world->timers_at_once);
        if (kind == KNI_TIMER_RULE) {
            kni_rule_timer_release(world, slot);
        } else {
            kni_task_give_up(world, slot);
        }
        return;
    }
    world->now = timer->time;
    switch (kind) {
    case KNI_TIMER_CHARGE:
        kni_charge_fire(world, timer);
        break;
    case KNI_TIMER_TASK:
        kni_task_fire(world, timer);
        break;
    default:
        kni_rule_timer_fire(world, timer);
        break;
    }
}

// For marks: slot + 1 of the entity that has the effect or cooldown of a timer; 0 for other timers,
// whose functions may do anything.
KNI_SLOW static uint32_t timer_entity1(const kn_world *world, const kni_timer *timer)
{
    uint32_t slot = KNI_TIMER_SLOT(timer->owner), component = KNI_NONE;
    switch (KNI_TIMER_KIND(timer->owner)) {
    case KNI_TIMER_TICK:
    case KNI_TIMER_EXPIRY:
        component = kni_effect_at(world, slot)->component;
        break;
    case KNI_TIMER_CHARGE:
        component = kni_charge_at(world, slot)->component;
        break;
    default:
        break;
    }
    return component < world->components.used ? kni_component_at(world, component)->entity + 1 : 0;
}

static void timer_fire(kn_world *world, const kni_timer *timer)
{
    if (world->marks != NULL) {
        world->computing1 = timer_entity1(world, timer);
    }
    switch (KNI_TIMER_KIND(timer->owner)) {
    case KNI_TIMER_TICK:
        kni_tick_due(world, timer);
        break;
    case KNI_TIMER_EXPIRY:
        kni_expiry_due(world, timer);
        break;
    default:
        other_fire(world, timer);
        break;
    }
}

// The step --------------------------------------------------------------------

kn_result kn_world_step(kn_world *world, kn_time dt)
{
    if (world == NULL || dt < 0 || dt > KN_TIME_MAX - world->now) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kni_is_outside(world)) {
        return KN_ERROR_WORLD_LOCKED;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    world->is_stepping = true;
    world->reaction_total = 0;
    world->timers_at_once = 0;
    kn_time end = world->now + dt;
    kni_timer timer;
    bool failed = false;
    if (world->command_count > 0) {
        kni_commands_run(world);
    }
    while (!world->is_broken) {
        // Timers come before systems of the same time, those that a system has just set too.
        kn_time until = world->systems.next < end ? world->systems.next : end;
        kni_plain_ticks_run(world, until);
        if (kni_wheel_pop(&world->wheel, &world->memory, until, &timer, &failed)) {
            timer_fire(world, &timer);
        } else if (failed || world->systems.next > end) {
            break;
        } else {
            world->computing1 = 0;
            kni_system_run_next(world);
        }
        if (world->reaction_count > 0) {
            kni_drain(world);
        }
    }
    world->computing1 = 0;
    if (failed) {
        kni_break(world);
    }
    if (!world->is_broken && world->def.space != NULL && world->def.space->keep != NULL) {
        world->now = end;
        world->def.space->keep(world->def.space->user, world);
    }
    world->cause = 0;
    world->work_done = 0;
    world->reaction_total = 0;
    world->depth = 0;
    world->is_stepping = false;
    if (world->is_broken) {
        return KN_ERROR_WORLD_BROKEN;
    }
    world->now = end;
    kni_heap_settle(&world->heap, &world->memory);
    if (kni_wheel_wants_sweep(&world->wheel)) {
        kni_wheel_sweep(&world->wheel, kni_timer_alive, world);
    }
    kni_publish(world);
    kni_validate_call(world);
    return KN_OK;
}
