// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The interface between task.c, the life of tasks, and task_kinds.c, what each kind does.
#ifndef KNI_TASK_KINDS_H
#define KNI_TASK_KINDS_H

#include "ability/task.h"

#define KNI_TASK_TOLD_MAX 4096 // bytes of a custom task's result

// Defined in task.c.
uint32_t kni_task_component(const kn_world *world, uint32_t slot);
kn_time kni_time_after(const kn_world *world, kn_time span);
void kni_task_schedule(kn_world *world, uint32_t slot, kn_time due);
kn_task_result kni_task_result_of(const kn_world *world, uint32_t slot, kn_task_output output);
void kni_task_report(kn_world *world, uint32_t slot, const kn_task_result *result, bool ends);
void kni_task_report_plain(kn_world *world, uint32_t slot, kn_task_output output, bool ends);
void kni_task_queue(kn_world *world, uint32_t slot, kn_task_output output, bool ends);
void kni_task_queue_bytes(kn_world *world, uint32_t slot, kn_task_output output, const void *data,
    uint32_t size, bool ends);
void kni_task_release(kn_world *world, uint32_t slot);

// Defined in targeting.c.
kn_result kni_target_task_check(const kn_world *world, const kn_task_def *def);
void kni_target_task_begin(kn_world *world, uint32_t slot);
// Before a confirmation: on a server whose type has `server_looks` the task searches again.
void kni_target_task_look(kn_world *world, uint32_t slot);
// Reports the final targets to the ability: `given`, or what the task sees if it is NULL.
void kni_target_task_report(
    kn_world *world, uint32_t slot, kn_task_output output, const kn_target_view *given, bool ends);

// Defined in task_sync.c.
#define KNI_TASK_SYNCED 0 // for the queue: a custom task has passed its sync point
void kni_sync_fill(const kn_world *world, kni_task *task, const kn_task_def *def);
// Reaches a sync point: passes it, or waits.
void kni_sync_begin(kn_world *world, uint32_t slot);
// A custom task is not at its sync point any more.
void kni_sync_leave(kn_world *world, uint32_t slot);
// The time of a sync point is over; false if the task just times out as others do.
bool kni_sync_expire(kn_world *world, uint32_t slot);
// The other side is at a point; with `is_own` it is what a client sent itself.
void kni_sync_signal(kn_world *world, uint32_t activation, uint32_t point, bool is_own);

// Defined in task_kinds.c.
// Calls the hook of a custom task that has passed its sync point, or whose time there is over.
void kni_task_synced(kn_world *world, uint32_t slot, bool is_in_time);
void kni_task_begin(kn_world *world, uint32_t slot, bool test_now);
void kni_task_timer(kn_world *world, uint32_t slot);
void kni_task_heard(kn_world *world, uint32_t slot, const kn_reaction *reaction, uint32_t payload1);
void kni_task_finish(kn_world *world, uint32_t slot);
// For a custom task: removes all its watchers.
void kni_task_unwatch(kn_world *world, uint32_t slot);
// Fills in what a queued result reports.
void kni_task_describe(const kn_world *world, uint32_t slot, kn_task_result *result);
void kni_task_spawn(kn_world *world, uint32_t slot, uint64_t user);

#endif
