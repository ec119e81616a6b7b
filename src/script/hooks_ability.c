// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of abilities, of custom tasks, and of what looks for targets.

#include "hooks.h"

#include <string.h>

// Abilities -----------------------------------------------------------------

enum {
    ABILITY_ACTIVATE,
    ABILITY_ACTIVATE_BY_EVENT,
    ABILITY_PRE_ACTIVATE,
    ABILITY_ENDED,
    ABILITY_CAN_ACTIVATE,
    ABILITY_RESPONDS,
    ABILITY_GRANTED,
    ABILITY_REMOVED,
    ABILITY_AVATAR_SET,
    ABILITY_LEVEL_CHANGED,
    ABILITY_INPUT_PRESSED,
    ABILITY_INPUT_RELEASED,
    ABILITY_ON_TASK,
};

_Static_assert(ABILITY_ON_TASK == KNL_HOOK_ON_TASK, "a handler for results");

// false, and perhaps why; anything else is well.
static void take_result(lua_State *L, int first, knl_frame *frame)
{
    kn_result *out = frame->out;
    *out = KN_OK;
    if (lua_isboolean(L, first) && !lua_toboolean(L, first)) {
        *out = knl_refusal_find(
            lua_type(L, first + 1) == LUA_TSTRING ? lua_tostring(L, first + 1) : NULL);
    }
}

// Only false is a no.
static void take_unless_false(lua_State *L, int first, knl_frame *frame)
{
    bool *out = frame->out;
    *out = !lua_isboolean(L, first) || lua_toboolean(L, first);
}

static knl_frame ability_frame(const kn_ability_call *call)
{
    knl_frame frame = {.world = call->world, .writable = call->world};
    frame.binding = call->user;
    frame.self = KNL_SELF_RUNNING;
    frame.ability = call;
    frame.entity = call->owner;
    return frame;
}

// After an error: what runs is cancelled, whatever it says about being cancelled.
static void ability_fail(const kn_ability_call *call)
{
    if (kn_activation_is_alive(call->world, call->activation)) {
        (void)kn_activation_set_cancelable(call->world, call->activation, true);
        (void)kn_activation_cancel(call->world, call->activation);
    }
}

static void ability_notify(const kn_ability_call *call, uint32_t hook)
{
    knl_frame frame = ability_frame(call);
    if (knl_call_hook(&frame, hook) != KN_OK) {
        ability_fail(call);
    }
}

static int push_event(lua_State *L, const knl_frame *frame)
{
    knl_struct_push(L, KNL_RESULT_EVENT, frame->data);
    return 1;
}

static kn_result ability_body(
    const kn_ability_call *call, uint32_t hook, const kn_event_record *event)
{
    knl_frame frame = ability_frame(call);
    kn_result answer = KN_OK;
    knl_frame_take(&frame, take_result, 2, &answer);
    if (event != NULL) {
        knl_frame_push(&frame, push_event, event);
    }
    kn_result result = knl_call_hook(&frame, hook);
    return result == KN_OK ? answer : result;
}

static kn_result ability_activate(const kn_ability_call *call)
{
    return ability_body(call, ABILITY_ACTIVATE, NULL);
}

static kn_result ability_activate_by_event(
    const kn_ability_call *call, const kn_event_record *event)
{
    return ability_body(call, ABILITY_ACTIVATE_BY_EVENT, event);
}

static void ability_pre_activate(const kn_ability_call *call)
{
    ability_notify(call, ABILITY_PRE_ACTIVATE);
}

static int push_end_reason(lua_State *L, const knl_frame *frame)
{
    const kn_cancel *cancel = frame->data;
    knl_end_reason_push(L, cancel->reason);
    knl_struct_push(L, KNL_RESULT_CANCEL, cancel);
    return 2;
}

static void ability_ended(const kn_ability_call *call, kn_end_reason reason)
{
    knl_frame frame = ability_frame(call);
    kn_cancel cancel;
    (void)kn_activation_get_cancel(call->world, call->activation, &cancel);
    cancel.reason = reason;
    knl_frame_push(&frame, push_end_reason, &cancel);
    (void)knl_call_hook(&frame, ABILITY_ENDED);
}

static bool ability_ask(const kn_ability_call *call, uint32_t hook, const kn_event_record *event)
{
    knl_frame frame = ability_frame(call);
    bool answer = false;
    frame.writable = NULL;
    knl_frame_take(&frame, knl_take_boolean, 1, &answer);
    if (event != NULL) {
        knl_frame_push(&frame, push_event, event);
    }
    return knl_call_hook(&frame, hook) == KN_OK && answer;
}

static bool check_test(const kn_ability_call *call, const kn_event_record *event)
{
    knl_frame frame = ability_frame(call);
    bool agrees = true;
    frame.writable = NULL;
    knl_frame_take(&frame, take_unless_false, 1, &agrees);
    if (event != NULL) {
        knl_frame_push(&frame, push_event, event);
    }
    return knl_call_hook(&frame, 0) == KN_OK && agrees;
}

static bool ability_can_activate(const kn_ability_call *call, const kn_event_record *event)
{
    return ability_ask(call, ABILITY_CAN_ACTIVATE, event);
}

static bool ability_responds(const kn_ability_call *call, const kn_event_record *event)
{
    return ability_ask(call, ABILITY_RESPONDS, event);
}

static void ability_granted(const kn_ability_call *call)
{
    ability_notify(call, ABILITY_GRANTED);
}

static void ability_removed(const kn_ability_call *call)
{
    ability_notify(call, ABILITY_REMOVED);
}

static void ability_avatar_set(const kn_ability_call *call)
{
    ability_notify(call, ABILITY_AVATAR_SET);
}

static void ability_level_changed(const kn_ability_call *call, float old_level)
{
    knl_frame frame = ability_frame(call);
    knl_frame_push(&frame, knl_push_number, &old_level);
    if (knl_call_hook(&frame, ABILITY_LEVEL_CHANGED) != KN_OK) {
        ability_fail(call);
    }
}

static void ability_input_pressed(const kn_ability_call *call)
{
    ability_notify(call, ABILITY_INPUT_PRESSED);
}

static void ability_input_released(const kn_ability_call *call)
{
    ability_notify(call, ABILITY_INPUT_RELEASED);
}

static int push_task_result(lua_State *L, const knl_frame *frame)
{
    knl_task_result_push(L, frame->data);
    return 1;
}

static const char *handler_name(const knl_binding *binding, uint32_t function)
{
    for (uint32_t i = 0; i < binding->handler_count; i++) {
        if (binding->handlers[i].function == function) {
            return binding->handlers[i].name;
        }
    }
    return knl_def_infos[binding->kind].hooks[ABILITY_ON_TASK].name;
}

static void ability_task_done(const kn_ability_call *call, const kn_task_result *result)
{
    knl_frame frame = ability_frame(call);
    const knl_binding *binding = frame.binding;
    uint32_t function = result->label != 0 ? knl_handler_find(binding, result->label)
                                           : binding->hooks[ABILITY_ON_TASK];
    if (function == 0 && result->label == 0) {
        return; // nobody wants to know
    }
    knl_frame_push(&frame, push_task_result, result);
    frame.function_name = handler_name(binding, function);
    // Without a function it is a save of an older script.
    kn_result done =
        function != 0
            ? knl_call(&frame, function)
            : knl_call_refuse(&frame, "a task waits for a handler that the script no longer has");
    if (done != KN_OK) {
        ability_fail(call);
    }
}

const knl_hook knl_ability_hooks[] = {
    {"activate", HOOK(kn_ability_def, activate, ability_activate),
        "fun(self: kn.running): boolean?, string?",
        "The body. Returning false, optionally with the name of a refusal, cancels the activation, "
        "as does an error."},
    {"activate_by_event", HOOK(kn_ability_def, activate_by_event, ability_activate_by_event),
        "fun(self: kn.running, event: kn.event): boolean?, string?",
        "The body for activations by events; without it `activate` is called."},
    {"pre_activate", HOOK(kn_ability_def, pre_activate, ability_pre_activate),
        "fun(self: kn.running)", "Called before the body."},
    {"ended", HOOK(kn_ability_def, ended, ability_ended),
        "fun(self: kn.running, reason: kn.end_reason, cancel: kn.cancel)",
        "When an activation ends; called once for each."},
    {"can_activate", HOOK(kn_ability_def, can_activate, ability_can_activate),
        "fun(self: kn.running, event: kn.event?): boolean",
        "Read-only. The final decision whether it may be activated."},
    {"responds", HOOK(kn_ability_def, responds, ability_responds),
        "fun(self: kn.running, event: kn.event): boolean",
        "Read-only. Whether it responds to an event."},
    {"granted", HOOK(kn_ability_def, granted, ability_granted), "fun(self: kn.running)",
        "It was granted."},
    {"removed", HOOK(kn_ability_def, removed, ability_removed), "fun(self: kn.running)",
        "It was removed."},
    {"avatar_set", HOOK(kn_ability_def, avatar_set, ability_avatar_set), "fun(self: kn.running)",
        "The owner's avatar has changed."},
    {"level_changed", HOOK(kn_ability_def, level_changed, ability_level_changed),
        "fun(self: kn.running, old_level: number)", "Its level has changed."},
    {"input_pressed", HOOK(kn_ability_def, input_pressed, ability_input_pressed),
        "fun(self: kn.running)", "Its input was pressed while it is active."},
    {"input_released", HOOK(kn_ability_def, input_released, ability_input_released),
        "fun(self: kn.running)", "Its input was released while it is active."},
    {"on_task", HOOK(kn_ability_def, task_done, ability_task_done),
        "fun(self: kn.running, result: kn.task_result)",
        "Receives results of tasks that have no handler. Any other function in the table is a "
        "handler, found by name."},
    {0},
};

kn_result kn_script_bind_ability(
    kn_script *script, const char *name, kn_ability_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_ABILITY, name, def, error);
}

// Tasks ---------------------------------------------------------------------

enum { TASK_START, TASK_WOKEN, TASK_TIMER, TASK_SYNCED, TASK_ENDED };

static knl_frame task_frame(const kn_task_call *call)
{
    knl_frame frame = {.world = call->world, .writable = call->world};
    frame.binding = call->user;
    frame.self = KNL_SELF_TASK;
    frame.task = call;
    frame.entity = call->owner;
    return frame;
}

// After an error the task ends without a result.
static void task_settle(const kn_task_call *call, kn_result result)
{
    if (result != KN_OK) {
        (void)kn_task_end(call->world, call->task);
    }
}

static void task_start(const kn_task_call *call)
{
    knl_frame frame = task_frame(call);
    task_settle(call, knl_call_hook(&frame, TASK_START));
}

static int push_reaction(lua_State *L, const knl_frame *frame)
{
    const kn_reaction *reaction = frame->data;
    knl_struct_push(L, KNL_RESULT_REACTION, reaction);
    knl_fails_push(L, reaction->fail_reasons);
    lua_setfield(L, -2, "fail_reasons");
    if (reaction->record != NULL) {
        knl_event_push(L, reaction->record);
        lua_setfield(L, -2, "event");
    }
    return 1;
}

static void task_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    knl_frame frame = task_frame(call);
    knl_frame_push(&frame, push_reaction, reaction);
    task_settle(call, knl_call_hook(&frame, TASK_WOKEN));
}

static kn_time task_timer(const kn_task_call *call)
{
    knl_frame frame = task_frame(call);
    kn_time again = 0;
    knl_frame_take(&frame, knl_take_seconds, 1, &again);
    kn_result result = knl_call_hook(&frame, TASK_TIMER);
    task_settle(call, result);
    return result == KN_OK ? again : 0;
}

static int push_in_time(lua_State *L, const knl_frame *frame)
{
    lua_pushboolean(L, *(const bool *)frame->data);
    return 1;
}

static void task_synced(const kn_task_call *call, bool is_in_time)
{
    knl_frame frame = task_frame(call);
    knl_frame_push(&frame, push_in_time, &is_in_time);
    task_settle(call, knl_call_hook(&frame, TASK_SYNCED));
}

static void task_ended(const kn_task_call *call)
{
    knl_frame frame = task_frame(call);
    (void)knl_call_hook(&frame, TASK_ENDED);
}

const knl_hook knl_task_hooks[] = {
    {"start", HOOK(kn_task_type_def, start, task_start), "fun(self: kn.task_self)", "It begins."},
    {"woken", HOOK(kn_task_type_def, woken, task_woken),
        "fun(self: kn.task_self, reaction: kn.reaction)", "Something it watches happened."},
    {"timer", HOOK(kn_task_type_def, timer, task_timer), "fun(self: kn.task_self): number?",
        "Its timer has expired. Returning seconds above 0 sets it again."},
    {"synced", HOOK(kn_task_type_def, synced, task_synced),
        "fun(self: kn.task_self, is_in_time: boolean)",
        "It has passed its sync point, or the time for that is over."},
    {"ended", HOOK(kn_task_type_def, ended, task_ended), "fun(self: kn.task_self)",
        "It ends, for any reason."},
    {0},
};

kn_result kn_script_bind_task(
    kn_script *script, const char *name, kn_task_type_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_TASK, name, def, error);
}

// Targeting -----------------------------------------------------------------

enum { TARGETING_FIND, TARGETING_VALIDATE };

static knl_frame targeting_frame(const kn_targeting_call *call)
{
    knl_frame frame = {.world = call->world};
    frame.binding = call->user;
    frame.self = KNL_SELF_TARGETING;
    frame.targeting = call;
    frame.entity = call->owner;
    return frame;
}

static void take_targets(lua_State *L, int first, knl_frame *frame)
{
    if (lua_isnil(L, first)) {
        return;
    }
    if (lua_type(L, first) != LUA_TTABLE) {
        knl_raise(L, "expected an array of targets as the result");
    }
    knl_targets_take(L, first, kn_world_library(frame->world), frame->out);
}

static bool targeting_find(const kn_targeting_call *call, kn_target_data *out)
{
    knl_frame frame = targeting_frame(call);
    out->size = 0;
    out->count = 0;
    knl_frame_take(&frame, take_targets, 1, out);
    if (knl_call_hook(&frame, TARGETING_FIND) != KN_OK) {
        out->size = 0;
        out->count = 0;
    }
    return out->count > 0;
}

static int push_targets(lua_State *L, const knl_frame *frame)
{
    const kn_target_view *view = frame->data;
    knl_targets_push(L, frame->world, *view);
    return 1;
}

static bool targeting_validate(const kn_targeting_call *call, kn_target_view data)
{
    knl_frame frame = targeting_frame(call);
    bool answer = false;
    knl_frame_push(&frame, push_targets, &data);
    knl_frame_take(&frame, knl_take_boolean, 1, &answer);
    return knl_call_hook(&frame, TARGETING_VALIDATE) == KN_OK && answer;
}

const knl_hook knl_targeting_hooks[] = {
    {"find", HOOK(kn_targeting_def, find, targeting_find),
        "fun(self: kn.targeting_self): kn.target[]?",
        "Read-only. Returns targets, for the shape \"custom\"; nil or an empty array: nothing "
        "found."},
    {"validate", HOOK(kn_targeting_def, validate, targeting_validate),
        "fun(self: kn.targeting_self, targets: kn.target[]): boolean",
        "Read-only. Validates targets that came from elsewhere."},
    {0},
};

kn_result kn_script_bind_targeting(
    kn_script *script, const char *name, kn_targeting_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_TARGETING, name, def, error);
}

const knl_hook knl_check_hooks[] = {
    {"check", HOOK(kn_check_def, check, check_test),
        "fun(self: kn.running, event: kn.event?): boolean?",
        "Read-only. Whether an ability may be activated: `self:refuse()` says why not, false alone "
        "refuses for the reason of the check."},
    {0},
};

kn_result kn_script_bind_check(
    kn_script *script, const char *name, kn_check_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_CHECK, name, def, error);
}
