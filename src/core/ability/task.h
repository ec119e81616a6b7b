// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The interface of tasks, and of bodies of abilities without functions, which are made of tasks.
#ifndef KNI_TASK_H
#define KNI_TASK_H

#include "ability/actor.h"
#include "base/text.h"

#include "knack/task.h"

// When the entry of a task in the wheel is due.
static inline kn_time kni_task_due(const kni_task *task)
{
    return task->due < task->timeout ? task->due : task->timeout;
}

// Walks over the tasks of an actor, by activation, then creation. `{0}` begins it. Nothing may end
// meanwhile: what the walk finds is reported through the queue.
typedef struct kni_task_walk {
    uint32_t activation;
    uint32_t task;
} kni_task_walk;

// The slot of the next task, or KNI_NONE, also for a component that does not exist.
uint32_t kni_task_walk_next(const kn_world *world, uint32_t component, kni_task_walk *walk);
// The owner has another avatar: animations and motions of the old one are interrupted.
void kni_tasks_lose_body(kn_world *world, uint32_t component);

// Bodies without functions (ability_body.c): does what kn_ability_body says, after the commit.
// `is_asked` if the other side requested the activation, see kn_peer_activate().
kn_result kni_body_run(kn_world *world, uint32_t activation, bool is_asked);
// A task of the body is over; `is_hold` if it had KNI_TASK_HOLDS.
void kni_body_woken(kn_world *world, uint32_t activation, kn_task_kind kind, bool is_hold);
// The library was changed: an activation whose body stayed now waits for the end that its new body
// has; one that already waits for an end is left alone. `old` is the world as it was, with the same
// slots.
void kni_bodies_follow(kn_world *world, const kn_world *old);
// A task with KNI_TASK_HOLDS ends: the stacks it holds are removed, never those of others.
void kni_body_let_go(kn_world *world, uint32_t task);

// A watcher of the task was woken.
void kni_task_wake(kn_world *world, const kni_queued *queued);
void kni_task_fire(kn_world *world, const kni_timer *timer);
bool kni_task_alive(const kn_world *world, const kni_timer *timer);
// Ends a task whose timer came up but must not fire any more, without a result.
void kni_task_give_up(kn_world *world, uint32_t slot);
// Delivers a result that waited in the queue.
void kni_task_answer(kn_world *world, const kni_queued *queued);
// Ends all tasks of an activation, the last first.
void kni_tasks_end(kn_world *world, uint32_t activation);
void kni_tasks_input(kn_world *world, uint32_t ability, bool is_pressed);
// Wakes all tasks that wait for a confirmation; false if there is none.
bool kni_tasks_confirm(kn_world *world, uint32_t component, bool is_confirmed);
// Logs tasks that were created and never started.
void kni_tasks_report(kn_world *world);
// The entity it watches is destroyed.
void kni_task_gone(kn_world *world, uint32_t slot);
// Whether the sync point that a task is at makes sense (task_sync.c).
bool kni_sync_is_good(const kni_task *task);
// Restores a task's watchers, after a save was read.
void kni_task_rewatch(kn_world *world, uint32_t slot);
bool kni_task_watches_are_good(const kn_world *world, const kni_task *task);

// Text about tasks and activations (ability_log.c) --------------------------

// "delay, due in 2 s"
void kni_text_task(kni_text *text, const kn_world *world, uint32_t slot);

// Whether nothing will end an activation; see kn_activations_idle().
bool kni_activation_is_idle(const kn_world *world, uint32_t slot);
// Marks all of them with KNI_ACTIVATION_IDLE; for the log only those of types it has not reported.
// False if there is none.
bool kni_idle_mark(const kn_world *world, bool is_for_log);
const char *kni_task_kind_word(uint32_t kind);
// Names of the registered things that a task is about, in order; false at the end.
bool kni_task_subject(
    const kn_world *world, const kni_task *task, uint32_t index, const char **name);

#endif
