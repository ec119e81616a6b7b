// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The end of a step: events that are published once per step are added, the buffers are swapped,
// which makes the step's events visible, and listeners are called.

#include "step/step.h"

#include "ability/actor.h"
#include "ability/task.h"
#include "world/log.h"

// Refused stacks are published once per effect and step: the events that are about to be published
// name the effects that remember one.
static void denials_forget(kn_world *world)
{
    for (uint32_t i = world->pending.count; i-- > 0 && world->denied_count > 0;) {
        const kn_event *event = &world->pending.events[i];
        if (event->type != KN_EVENT_EFFECT_STACK_DENIED) {
            continue;
        }
        uint32_t effect = kni_effect_find(world, event->data.effect.effect);
        if (effect != KNI_NONE) {
            kni_effect_at(world, effect)->flags &= (uint16_t)~KNI_ACTIVE_DENIED;
        }
        world->denied_count--;
    }
    world->denied_count = 0; // an event that found no memory
}

void kni_publish(kn_world *world)
{
    world->observer_work = 0;
    if (world->denied_count > 0) {
        denials_forget(world);
    }
    if (world->batch.parts != 0) {
        kni_request_flush(world);
    }
    if (world->unstarted_tasks > 0) {
        kni_tasks_report(world);
    }
    if (kni_wants(world, KN_EVENT_ABILITY_STATUS)) {
        kni_status_publish(world);
    } else {
        kni_touch_stop(world);
    }
    if (world->pending.change_count > 0) {
        kni_cue_changes_publish(world);
    }
    if (kni_log_wants(world, KN_LOG_ABILITIES, KN_LOG_INFO)) {
        kni_log_idle(world);
    }
    if (world->log.mask != 0) {
        kni_log_events(world);
        world->log.told = 0;
    }
    kni_event_buffer published = world->pending;
    world->pending = world->published;
    world->published = published;
    world->pending.count = 0;
    world->pending.cue_count = 0;
    world->pending.byte_count = 0;
    world->pending.note_last1 = 0;
    world->pending.cause_count = 0;
    uint32_t base = published.cause_base + published.cause_count;
    world->pending.cause_base = base < KNI_CAUSE_LAST ? base : 0;
    world->headroom_calls = 0; // the other buffer may be smaller
    if (world->listener_live > 0) {
        world->is_publishing = true;
        kni_listeners_call(world);
        world->is_publishing = false;
    }
}
