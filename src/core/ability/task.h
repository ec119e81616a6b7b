// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#ifndef KNI_TASK_H
#define KNI_TASK_H

#include "ability/actor.h"

#include "knack/task.h"

enum {
    KNI_TASK_STARTED = 1 << 0,
    KNI_TASK_REPEATS = 1 << 1,
    KNI_TASK_WHEN_FALSE = 1 << 2,
    KNI_TASK_FULFILLED = 1 << 3, // what it waits for was so when it last looked
    KNI_TASK_QUIET = 1 << 4,     // an animation reports nothing after its blend-out
    KNI_TASK_BLENDED = 1 << 5,   // that began
    KNI_TASK_BODY = 1 << 6,      // of the ability's body: its results go there, not to the hook
    KNI_TASK_HOLDS = 1 << 7,     // `count` stacks of its effect go with it
    KNI_TASK_STATE_FLAGS = 0xff,
    KNI_TASK_ENDING = 1 << 8,
    KNI_TASK_REPORTED = 1 << 9, // that it was never started
    KNI_TASK_LAST = 1 << 10,    // its last result waits in the queue
};

typedef struct kni_task {
    uint64_t number;
    kn_time start;
    kn_time due;     // of its timer; KN_TIME_INFINITE
    kn_time timeout; // when it gives up; KN_TIME_INFINITE
    kn_time interval;
    kn_time next_look;   // on the clock of targeting
    kn_entity_id entity; // the entity it watches; what a targeting task sees
    kn_effect_id effect;
    uint32_t activation; // slot
    uint16_t kind;
    uint16_t flags;
    uint32_t label;
    uint32_t name;
    uint32_t resource;
    uint32_t tag;
    uint32_t attribute;
    uint32_t relative_to;
    uint32_t effect_type;
    uint32_t type1;
    uint32_t animation;
    uint32_t section;
    uint32_t targeting;
    uint32_t unused;
    uint32_t count; // done; stacks it holds
    uint32_t limit; // wanted; movement mode; kn_compare
    float value;    // threshold; rate of an animation
    kni_span data;  // bytes: query, tags, motion source, state of a custom task
} kni_task;

static inline kni_task *kni_task_at(const kn_world *world, uint32_t slot)
{
    KN_ASSERT(slot < world->tasks.used);
    return (kni_task *)(void *)world->tasks.records + slot;
}

static inline uint32_t kni_task_find(const kn_world *world, kn_task_id id)
{
    uint32_t slot = id.index1 - 1;
    if (world == NULL || slot >= world->tasks.used || id.generation == 0 ||
        (uint32_t)kni_task_at(world, slot)->number != id.generation) {
        return KNI_NONE;
    }
    return slot;
}

static inline kn_task_id kni_task_id_of(const kn_world *world, uint32_t slot)
{
    kn_task_id id = {slot + 1, (uint32_t)kni_task_at(world, slot)->number};
    return id;
}

// When a task's entry in the wheel is due.
static inline kn_time kni_task_due(const kni_task *task)
{
    return task->due < task->timeout ? task->due : task->timeout;
}

// A walk over the tasks of an actor, by activation, then creation. `{0}` begins it. Nothing may end
// meanwhile: what it finds is reported through the queue.
typedef struct kni_task_walk {
    uint32_t activation;
    uint32_t task;
} kni_task_walk;

// The slot of the next task, or KNI_NONE; so for a component that is not there.
uint32_t kni_task_walk_next(const kn_world *world, uint32_t component, kni_task_walk *walk);

// Bodies without functions (ability_body.c). What kn_ability_body says, after the commit.
kn_result kni_body_run(kn_world *world, uint32_t activation);
// A task of the body is over; `is_hold` if it had KNI_TASK_HOLDS.
void kni_body_woken(kn_world *world, uint32_t activation, kn_task_kind kind, bool is_hold);
// The library was changed: what stayed waits for the end that its body has now; what waits for one
// already ends as it would have. `old` is the world as it was, with the same slots.
void kni_bodies_follow(kn_world *world, const kn_world *old);
// A task with KNI_TASK_HOLDS ends: the stacks it stands for go, never those of others.
void kni_body_let_go(kn_world *world, uint32_t task);

// A watcher of the task heard something.
void kni_task_wake(kn_world *world, const kni_queued *queued);
void kni_task_fire(kn_world *world, const kni_timer *timer);
bool kni_task_alive(const kn_world *world, const kni_timer *timer);
// Ends a task whose timer came up and must not fire any more, without a result.
void kni_task_give_up(kn_world *world, uint32_t slot);
// A result that waited in the queue.
void kni_task_answer(kn_world *world, const kni_queued *queued);
// All tasks of an activation, the last first.
void kni_tasks_end(kn_world *world, uint32_t activation);
void kni_tasks_input(kn_world *world, uint32_t ability, bool is_pressed);
// Wakes everybody who waits for a confirmation; false if nobody does.
bool kni_tasks_confirm(kn_world *world, uint32_t component, bool is_confirmed);
// Reports tasks that were made and never started.
void kni_tasks_report(kn_world *world);
// Whom it watches is destroyed.
void kni_task_gone(kn_world *world, uint32_t slot);
// Whether a task wants to hear of an ability; asked while that is still there.
bool kni_task_wants_ability(const kn_world *world, uint32_t slot, const kn_reaction *reaction);
// Puts a task's watchers in place again, after a save was read.
void kni_task_rewatch(kn_world *world, uint32_t slot);
bool kni_task_watches_are_good(const kn_world *world, const kni_task *task);

#endif
