// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Sync points: KN_TASK_NET_SYNC, and those of custom tasks. The points of an activation are
// numbered in the order in which it reaches them. It counts the signals of the other side, so that
// one that comes before its point is reached is kept.
//
// A client has two lines of time. In the one that the server has confirmed, its world does what the
// server did: it waits for the same signals, which are its own commands. In the one that is
// predicted, it goes on ahead of the server, or waits for it.

#include "ability/task_kinds.h"

#define SYNC_AHEAD_MAX 255u // how far signals may be ahead of the points that were reached
#define SYNC_WAIT_BITS 3u   // of kni_task.sync; the rest is the kn_sync_expiry

static kn_sync_wait sync_wait(const kni_task *task)
{
    return (kn_sync_wait)(task->sync & SYNC_WAIT_BITS);
}

static bool sync_is_waiting(const kni_task *task)
{
    return (task->flags & (KNI_TASK_STARTED | KNI_TASK_ENDING | KNI_TASK_LAST)) ==
               KNI_TASK_STARTED &&
           (task->kind == KN_TASK_NET_SYNC ||
               (task->kind == KN_TASK_CUSTOM && (task->flags & KNI_TASK_FULFILLED) != 0));
}

// What this machine is to an activation: the authority, if nobody else runs it.
static kn_net_role sync_role(const kn_world *world, const kni_activation *activation)
{
    const kn_ability_def *def = &kni_type_of_ability(world, activation->ability)->def;
    bool is_shared = def->net_execution == KN_NET_EXECUTION_LOCAL_PREDICTED ||
                     def->net_execution == KN_NET_EXECUTION_SERVER_INITIATED;
    uint32_t component = kni_ability_at(world, activation->ability)->component;
    return is_shared ? kn_entity_role(world, kni_component_entity(world, component))
                     : KN_ROLE_AUTHORITY;
}

bool kni_sync_is_good(const kni_task *task)
{
    bool is_sync = task->kind == KN_TASK_NET_SYNC ||
                   (task->kind == KN_TASK_CUSTOM && (task->flags & KNI_TASK_FULFILLED) != 0);
    return !is_sync || (sync_wait(task) < KN_SYNC_WAIT_COUNT &&
                           task->sync / (SYNC_WAIT_BITS + 1) < KN_SYNC_EXPIRY_COUNT);
}

void kni_sync_fill(const kn_world *world, kni_task *task, const kn_task_def *def)
{
    task->sync = (uint32_t)def->sync | (uint32_t)def->sync_expiry * (SYNC_WAIT_BITS + 1);
    task->timeout = def->timeout > 0 ? def->timeout : world->library->sync_timeout;
}

// Passing -------------------------------------------------------------------

static void sync_pass(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_NET_SYNC) {
        kni_task_queue(world, slot, KN_TASK_FIRED, true);
        return;
    }
    kni_sync_leave(world, slot);
    kni_task_queue(world, slot, (kn_task_output)KNI_TASK_SYNCED, false);
}

void kni_sync_leave(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    if ((task->flags & KNI_TASK_QUIET) != 0) { // the limit of the point, not of the task
        if (task->timeout != KN_TIME_INFINITE && task->timeout < task->due) {
            kni_wheel_cancelled(&world->wheel);
            task->timeout = KN_TIME_INFINITE;
            if (task->due != KN_TIME_INFINITE) {
                kni_timer_add(world, task->due, task->number, slot, KNI_TIMER_TASK);
            }
        }
        task->timeout = KN_TIME_INFINITE;
    }
    task->flags &= (uint16_t) ~(KNI_TASK_FULFILLED | KNI_TASK_QUIET);
    kni_mark_task(world, task);
}

// Publishes that a point was reached, or by a server that it was passed.
static void sync_tell(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    const kni_activation *activation = kni_activation_at(world, task->activation);
    kni_request_sync(world, activation->ability, kni_activation_id_of(world, task->activation),
        activation->by_sequence, task->count);
}

// On the server, and on a client in the line that the server has confirmed. A client that passes a
// point on which it would have waited has gone another way than predicted.
static bool sync_as_server(kn_world *world, uint32_t slot, uint32_t signals)
{
    const kni_task *task = kni_task_at(world, slot);
    kn_sync_wait wait = sync_wait(task);
    if (wait != KN_SYNC_CLIENT_WAITS && signals <= task->count) {
        return false;
    }
    if (wait != KN_SYNC_SERVER_WAITS && world->def.is_client) {
        (void)kni_leaves_out(world);
    } else if (wait != KN_SYNC_SERVER_WAITS) {
        sync_tell(world, slot);
    }
    return true;
}

// On a client ahead of its server.
static bool sync_ahead(kn_world *world, uint32_t slot, kni_activation *activation)
{
    const kni_task *task = kni_task_at(world, slot);
    if (sync_wait(task) == KN_SYNC_SERVER_WAITS && activation->signals <= task->count) {
        activation->signals = task->count + 1; // it is on its way
    }
    return activation->signals > task->count;
}

void kni_sync_begin(kn_world *world, uint32_t slot)
{
    kni_task *task = kni_task_at(world, slot);
    kni_activation *activation = kni_activation_at(world, task->activation);
    task->count = activation->points++;
    kni_mark_task(world, task);
    kn_net_role role = sync_role(world, activation);
    bool passes = true;
    if (role == KN_ROLE_OWNER || role == KN_ROLE_OBSERVER) {
        if (sync_wait(task) != KN_SYNC_CLIENT_WAITS && activation->signals <= task->count) {
            sync_tell(world, slot);
        }
        passes = world->is_predicting ? sync_ahead(world, slot, activation)
                                      : sync_as_server(world, slot, activation->signals);
    } else if (role == KN_ROLE_SERVER) {
        passes = sync_as_server(world, slot, activation->signals);
    }
    if (passes) {
        sync_pass(world, slot);
    }
}

bool kni_sync_expire(kn_world *world, uint32_t slot)
{
    const kni_task *task = kni_task_at(world, slot);
    if (task->kind == KN_TASK_CUSTOM && (task->flags & KNI_TASK_QUIET) != 0) {
        kni_sync_leave(world, slot);
        kni_task_synced(world, slot, false);
        return true;
    }
    if (task->kind != KN_TASK_NET_SYNC || task->sync <= SYNC_WAIT_BITS) {
        return false;
    }
    kni_activation_end_now(world, task->activation, KN_ENDED_CANCELLED);
    return true;
}

// Signals -------------------------------------------------------------------

// Whether a signal lets a task go on. Ahead of its server, a client's own signal does not tell it
// that the server has passed.
static bool signal_is_heard(
    kn_world *world, uint32_t slot, const kni_activation *activation, uint32_t point, bool is_own)
{
    const kni_task *task = kni_task_at(world, slot);
    if (!sync_is_waiting(task) || task->count > point) {
        return false;
    }
    if (is_own && world->is_predicting) {
        return sync_wait(task) == KN_SYNC_SERVER_WAITS;
    }
    return world->is_predicting || sync_as_server(world, slot, activation->signals);
}

void kni_sync_signal(kn_world *world, uint32_t slot, uint32_t point, bool is_own)
{
    kni_activation *activation = kni_activation_at(world, slot);
    if (activation->signals <= point && !(is_own && world->is_predicting)) {
        activation->signals = point + 1;
        kni_mark_activation(world, activation);
    }
    for (uint32_t i = 0; i < kni_activation_at(world, slot)->tasks.count; i++) {
        activation = kni_activation_at(world, slot);
        uint32_t task = *KNI_SPAN_AT(world, activation->tasks, uint32_t, i);
        if (signal_is_heard(world, task, activation, point, is_own)) {
            if (activation->signals <= kni_task_at(world, task)->count) {
                activation->signals = kni_task_at(world, task)->count + 1;
            }
            sync_pass(world, task);
        }
    }
}

// The activation of an ability that a command began, or the latest without one.
static uint32_t activation_of_use(
    const kn_world *world, uint32_t ability, uint32_t connection, uint32_t use)
{
    const kni_actor *actor = kni_actor_of(world, kni_ability_at(world, ability)->component);
    for (uint32_t i = actor->activations.count; i-- > 0;) {
        uint32_t slot = *KNI_SPAN_AT(world, actor->activations, uint32_t, i);
        const kni_activation *activation = kni_activation_at(world, slot);
        if (activation->ability == ability && activation->by_sequence == use &&
            (use == 0 || activation->by_connection == connection) &&
            (activation->flags & KNI_ACTIVATION_ENDING) == 0) {
            return slot;
        }
    }
    return KNI_NONE;
}

// `connection` is the client that runs the activation, whoever signals.
static kn_result sync_signal(kn_world *world, uint32_t connection, kn_ability_id id, uint32_t use,
    uint32_t point, bool is_own)
{
    uint32_t ability = kni_ability_find(world, id);
    if (ability == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    uint32_t slot = activation_of_use(world, ability, connection, use);
    if (slot == KNI_NONE) {
        return KN_REFUSED_NOT_FOUND;
    }
    const kni_activation *activation = kni_activation_at(world, slot);
    if (sync_role(world, activation) == KN_ROLE_AUTHORITY) {
        return KN_REFUSED_BLOCKED; // nobody else runs it
    }
    if (point > activation->points && point - activation->points > SYNC_AHEAD_MAX) {
        return KN_REFUSED_LIMIT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_sync_signal(world, slot, point, is_own);
    return kni_leave(world, KN_OK);
}

kn_result kn_peer_sync(
    kn_world *world, uint32_t connection, kn_ability_id ability, uint32_t use, uint32_t point)
{
    uint32_t slot = kni_ability_find(world, ability);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    const kni_component *component =
        kni_component_at(world, kni_ability_at(world, slot)->component);
    bool is_allowed = world->def.is_client ? connection == 0
                                           : connection != 0 && connection == component->connection;
    if (!is_allowed) {
        return KN_REFUSED_BLOCKED;
    }
    return sync_signal(world, world->def.is_client ? world->def.connection : connection, ability,
        use, point, false);
}

kn_result kni_sync_command(kn_world *world, uint32_t connection, const kn_command_sync *sync)
{
    return sync_signal(
        world, connection, sync->ability, sync->use, sync->point, world->def.is_client);
}

// Tasks ---------------------------------------------------------------------

kn_result kn_task_sync(kn_world *world, kn_task_id id, kn_sync_wait wait, kn_time timeout)
{
    uint32_t slot = kni_task_find(world, id);
    if (slot == KNI_NONE ||
        (kni_task_at(world, slot)->flags & (KNI_TASK_ENDING | KNI_TASK_LAST)) != 0) {
        return KN_REFUSED_STALE_ID;
    }
    const kni_task *found = kni_task_at(world, slot);
    if (found->kind != KN_TASK_CUSTOM || (found->flags & KNI_TASK_STARTED) == 0 ||
        (uint32_t)wait >= KN_SYNC_WAIT_COUNT) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (timeout < 0 || timeout > KN_TIME_MAX) {
        return KN_REFUSED_BAD_NUMBER;
    }
    if ((found->flags & KNI_TASK_FULFILLED) != 0) {
        return KN_REFUSED_DUPLICATE;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    kni_task *task = kni_task_at(world, slot);
    task->sync = (uint32_t)wait;
    task->flags |= KNI_TASK_FULFILLED;
    if (task->timeout == KN_TIME_INFINITE) {
        kn_time limit = timeout > 0 ? timeout : world->library->sync_timeout;
        kn_time old = kni_task_due(task);
        task->flags |= KNI_TASK_QUIET;
        task->timeout = kni_time_after(world, limit);
        if (kni_task_due(task) != old) {
            if (old != KN_TIME_INFINITE) {
                kni_wheel_cancelled(&world->wheel);
            }
            kni_timer_add(world, task->timeout, task->number, slot, KNI_TIMER_TASK);
        }
    }
    kni_sync_begin(world, slot);
    return kni_leave(world, KN_OK);
}

kn_result kn_wait_sync(
    kn_world *world, kn_activation_id activation, uint32_t label, kn_sync_wait wait)
{
    kn_task_def def = kn_task_def_default(KN_TASK_NET_SYNC);
    def.label = label;
    def.sync = wait;
    return kn_task_run(world, activation, &def, NULL);
}
