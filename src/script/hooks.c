// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The functions that defs are bound to: each makes a frame of its arguments, calls Lua and turns
// the answer into what the library expects. After an error the answer is the harmless one.

#include "rows.h"

#include <math.h>
#include <string.h>

// Answers -------------------------------------------------------------------

static void take_boolean(lua_State *L, int first, knl_frame *frame)
{
    bool *out = frame->out;
    *out = lua_toboolean(L, first);
}

// A number; nil leaves what is there.
static void take_float(lua_State *L, int first, knl_frame *frame)
{
    float *out = frame->out;
    if (lua_isnil(L, first)) {
        return;
    }
    if (lua_type(L, first) != LUA_TNUMBER) {
        knl_raise(L, "expected a number as the result, got %s", luaL_typename(L, first));
    }
    *out = (float)lua_tonumber(L, first);
}

static void take_seconds(lua_State *L, int first, knl_frame *frame)
{
    kn_time *out = frame->out;
    if (lua_isnil(L, first)) {
        return;
    }
    if (lua_type(L, first) != LUA_TNUMBER || isnan(lua_tonumber(L, first))) {
        knl_raise(L, "expected seconds as the result, got %s", luaL_typename(L, first));
    }
    *out = kn_time_from_seconds(lua_tonumber(L, first));
}

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

static knl_binding *binding_of(void *user)
{
    return user;
}

// Where a def has its function for a hook, and ours, as a pointer to any function. The `sizeof` is
// for the compiler: it must be of the type of the field.
#define HOOK(def, field, function)                                                                 \
    offsetof(def, field) + 0 * sizeof(1 ? (function) : ((def *)NULL)->field),                      \
        (knl_function *)(function)

// Binds a definition to a def: its hooks, `user`, and where the def has them a name, if it lacks
// one, and the state.
static kn_result bind_def(
    kn_script *script, knl_def_kind kind, const char *name, void *def, kn_error *error)
{
    const knl_def_info *info = &knl_def_infos[kind];
    uint8_t *bytes = def;
    void *user;
    memcpy(&user, bytes + info->user1 - 1, sizeof(user));
    knl_binding *binding;
    kn_result result = knl_script_bind(script, kind, name, user, &binding, error);
    if (result != KN_OK) {
        return result;
    }
    memcpy(bytes + info->user1 - 1, &binding, sizeof(user));
    if (info->name1 > 0) {
        const char *own;
        memcpy(&own, bytes + info->name1 - 1, sizeof(own));
        own = own != NULL ? own : binding->name;
        memcpy(bytes + info->name1 - 1, &own, sizeof(own));
    }
    if (info->state_size1 > 0) {
        const knl_layout *layout = &binding->layout;
        memcpy(bytes + info->state_size1 - 1, &layout->size, sizeof(layout->size));
        memcpy(bytes + info->state_fields1 - 1, &layout->entries, sizeof(layout->entries));
        memcpy(bytes + info->state_count1 - 1, &layout->entry_count, sizeof(layout->entry_count));
    }
    for (uint32_t i = 0; info->hooks[i].name != NULL; i++) {
        // Results of tasks also go to handlers, which are further functions.
        bool has_it = binding->hooks[i] != 0 || (kind == KNL_DEF_ABILITY && i == ABILITY_ON_TASK);
        knl_function *function = has_it ? info->hooks[i].function : NULL;
        memcpy(bytes + info->hooks[i].offset, &function, sizeof(function));
    }
    return KN_OK;
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
    frame.take = take_result;
    frame.result_count = 2;
    frame.out = &answer;
    if (event != NULL) {
        frame.push = push_event;
        frame.data = event;
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
    const kn_end_reason *reason = frame->data;
    knl_word_push(L, knl_words(WORDS_END_REASON), *reason);
    return 1;
}

static void ability_ended(const kn_ability_call *call, kn_end_reason reason)
{
    knl_frame frame = ability_frame(call);
    frame.push = push_end_reason;
    frame.data = &reason;
    (void)knl_call_hook(&frame, ABILITY_ENDED);
}

static bool ability_ask(const kn_ability_call *call, uint32_t hook, const kn_event_record *event)
{
    knl_frame frame = ability_frame(call);
    bool answer = false;
    frame.writable = NULL;
    frame.take = take_boolean;
    frame.result_count = 1;
    frame.out = &answer;
    if (event != NULL) {
        frame.push = push_event;
        frame.data = event;
    }
    return knl_call_hook(&frame, hook) == KN_OK && answer;
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

static int push_float(lua_State *L, const knl_frame *frame)
{
    const float *value = frame->data;
    lua_pushnumber(L, (double)*value);
    return 1;
}

static void ability_level_changed(const kn_ability_call *call, float old_level)
{
    knl_frame frame = ability_frame(call);
    frame.push = push_float;
    frame.data = &old_level;
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
    frame.push = push_task_result;
    frame.data = result;
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

static const knl_hook ability_hooks[] = {
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
        "fun(self: kn.running, reason: kn.end_reason)",
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
    return bind_def(script, KNL_DEF_ABILITY, name, def, error);
}

// Tasks ---------------------------------------------------------------------

enum { TASK_START, TASK_WOKEN, TASK_TIMER, TASK_ENDED };

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
    knl_struct_push(L, KNL_RESULT_REACTION, frame->data);
    return 1;
}

static void task_woken(const kn_task_call *call, const kn_reaction *reaction)
{
    knl_frame frame = task_frame(call);
    frame.push = push_reaction;
    frame.data = reaction;
    task_settle(call, knl_call_hook(&frame, TASK_WOKEN));
}

static kn_time task_timer(const kn_task_call *call)
{
    knl_frame frame = task_frame(call);
    kn_time again = 0;
    frame.take = take_seconds;
    frame.result_count = 1;
    frame.out = &again;
    kn_result result = knl_call_hook(&frame, TASK_TIMER);
    task_settle(call, result);
    return result == KN_OK ? again : 0;
}

static void task_ended(const kn_task_call *call)
{
    knl_frame frame = task_frame(call);
    (void)knl_call_hook(&frame, TASK_ENDED);
}

static const knl_hook task_hooks[] = {
    {"start", HOOK(kn_task_type_def, start, task_start), "fun(self: kn.task_self)", "It begins."},
    {"woken", HOOK(kn_task_type_def, woken, task_woken),
        "fun(self: kn.task_self, reaction: kn.reaction)", "Something it watches happened."},
    {"timer", HOOK(kn_task_type_def, timer, task_timer), "fun(self: kn.task_self): number?",
        "Its timer has expired. Returning seconds above 0 sets it again."},
    {"ended", HOOK(kn_task_type_def, ended, task_ended), "fun(self: kn.task_self)",
        "It ends, for any reason."},
    {0},
};

kn_result kn_script_bind_task(
    kn_script *script, const char *name, kn_task_type_def *def, kn_error *error)
{
    return bind_def(script, KNL_DEF_TASK, name, def, error);
}

// Effects -------------------------------------------------------------------

static knl_frame effect_frame(
    void *user, const kn_world *world, kn_world *writable, const kn_spec_view *spec)
{
    knl_frame frame = {.world = world, .writable = writable};
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_EFFECT;
    frame.spec = spec;
    frame.entity = kn_spec_view_target(spec);
    return frame;
}

enum { LOGIC_APPLIED, LOGIC_TICKED, LOGIC_STACKS, LOGIC_INHIBITED, LOGIC_REMOVED };

static void logic_call(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t hook, int (*push)(lua_State *, const knl_frame *), const void *data)
{
    knl_frame frame = effect_frame(user, world, world, spec);
    frame.state = state;
    frame.push = push;
    frame.data = data;
    (void)knl_call_hook(&frame, hook);
}

static void logic_applied(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    logic_call(user, world, spec, state, LOGIC_APPLIED, NULL, NULL);
}

static void logic_ticked(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    logic_call(user, world, spec, state, LOGIC_TICKED, NULL, NULL);
}

static int push_two_counts(lua_State *L, const knl_frame *frame)
{
    const uint32_t *counts = frame->data;
    lua_pushinteger(L, counts[0]);
    lua_pushinteger(L, counts[1]);
    return 2;
}

static void logic_stacks(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t old_count, uint32_t new_count)
{
    uint32_t counts[2] = {old_count, new_count};
    logic_call(user, world, spec, state, LOGIC_STACKS, push_two_counts, counts);
}

static int push_boolean(lua_State *L, const knl_frame *frame)
{
    const bool *flag = frame->data;
    lua_pushboolean(L, *flag);
    return 1;
}

static void logic_inhibited(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, bool is_inhibited)
{
    logic_call(user, world, spec, state, LOGIC_INHIBITED, push_boolean, &is_inhibited);
}

static int push_removal(lua_State *L, const knl_frame *frame)
{
    const kn_removal_reason *reason = frame->data;
    knl_word_push(L, knl_words(WORDS_REMOVAL_REASON), *reason);
    return 1;
}

static void logic_removed(
    void *user, kn_world *world, const kn_spec_view *spec, void *state, kn_removal_reason reason)
{
    logic_call(user, world, spec, state, LOGIC_REMOVED, push_removal, &reason);
}

static const knl_hook logic_hooks[] = {
    {"applied", HOOK(kn_effect_logic_def, applied, logic_applied), "fun(self: kn.effect_self)",
        "The effect became active."},
    {"ticked", HOOK(kn_effect_logic_def, ticked, logic_ticked), "fun(self: kn.effect_self)",
        "The effect ticks."},
    {"stacks_changed", HOOK(kn_effect_logic_def, stacks_changed, logic_stacks),
        "fun(self: kn.effect_self, old: integer, new: integer)",
        "Its number of stacks has changed."},
    {"inhibited", HOOK(kn_effect_logic_def, inhibited, logic_inhibited),
        "fun(self: kn.effect_self, is_inhibited: boolean)",
        "It was inhibited, or is no longer inhibited."},
    {"removed", HOOK(kn_effect_logic_def, removed, logic_removed),
        "fun(self: kn.effect_self, reason: kn.removal_reason)", "It ended."},
    {0},
};

kn_result kn_script_bind_logic(
    kn_script *script, const char *name, kn_effect_logic_def *def, kn_error *error)
{
    return bind_def(script, KNL_DEF_LOGIC, name, def, error);
}

static float calculation_run(void *user, const kn_calculation *calculation)
{
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    knl_frame frame = effect_frame(user, kn_spec_view_world(spec), NULL, spec);
    float answer = NAN;
    frame.calculation = calculation;
    frame.take = take_float;
    frame.result_count = 1;
    frame.out = &answer;
    return knl_call_hook(&frame, 0) == KN_OK ? answer : NAN;
}

static const knl_hook calculation_hooks[] = {
    {"calculate", HOOK(kn_calculation_def, function, calculation_run),
        "fun(self: kn.effect_self): number",
        "Read-only. Returns the magnitude; an error, or a result that is not a number, refuses the "
        "application."},
    {0},
};

kn_result kn_script_bind_calculation(
    kn_script *script, const char *name, kn_calculation_def *def, kn_error *error)
{
    return bind_def(script, KNL_DEF_CALCULATION, name, def, error);
}

static void execution_run(void *user, kn_execution *execution)
{
    kn_world *world = kn_execution_world(execution);
    knl_frame frame = effect_frame(user, world, world, kn_execution_spec(execution));
    frame.execution = execution;
    (void)knl_call_hook(&frame, 0);
}

static const knl_hook execution_hooks[] = {
    {"execute", HOOK(kn_execution_def, function, execution_run), "fun(self: kn.effect_self)",
        "Changes attributes through self:output(); may also change anything else."},
    {0},
};

kn_result kn_script_bind_execution(
    kn_script *script, const char *name, kn_execution_def *def, kn_error *error)
{
    return bind_def(script, KNL_DEF_EXECUTION, name, def, error);
}

typedef struct requirement_answer {
    kn_requirement_answer answer;
    kn_effect_id existing;
} requirement_answer;

static void take_requirement(lua_State *L, int first, knl_frame *frame)
{
    requirement_answer *out = frame->out;
    if (lua_type(L, first) == LUA_TNUMBER) {
        if (!knl_id_test(
                L, first, KNL_ID_EFFECT, &out->existing.index1, &out->existing.generation)) {
            knl_raise(L, "expected true, false or an active effect as the result");
        }
        out->answer = KN_REQUIREMENT_HANDLED;
    } else if (lua_toboolean(L, first)) {
        out->answer = KN_REQUIREMENT_ALLOW;
    }
}

static kn_requirement_answer requirement_run(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    knl_frame frame = effect_frame(user, world, world, spec);
    requirement_answer answer = {KN_REQUIREMENT_DENY, {0}};
    frame.take = take_requirement;
    frame.result_count = 1;
    frame.out = &answer;
    if (knl_call_hook(&frame, 0) != KN_OK) {
        return KN_REQUIREMENT_DENY;
    }
    *existing = answer.existing;
    return answer.answer;
}

static const knl_hook requirement_hooks[] = {
    {"allow", HOOK(kn_script_requirement, function, requirement_run),
        "fun(self: kn.effect_self): boolean|kn.effect",
        "true accepts the effect, false refuses it; an active effect means that this one was "
        "changed instead."},
    {0},
};

kn_result kn_script_bind_requirement(
    kn_script *script, const char *name, kn_script_requirement *bound, kn_error *error)
{
    *bound = (kn_script_requirement){0};
    return bind_def(script, KNL_DEF_REQUIREMENT, name, bound, error);
}

// Attributes ----------------------------------------------------------------

enum {
    ATTRIBUTES_PRE_EXECUTE,
    ATTRIBUTES_PRE_BASE_CHANGE,
    ATTRIBUTES_POST_BASE_CHANGE,
    ATTRIBUTES_PRE_CHANGE,
    ATTRIBUTES_POST_CHANGE,
    ATTRIBUTES_POST_EXECUTE,
};

static knl_frame change_frame(void *user, const kn_attribute_change *change)
{
    knl_frame frame = {.world = change->world, .writable = change->world};
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_CHANGE;
    frame.change = change;
    frame.entity = change->entity;
    return frame;
}

static knl_frame execute_frame(void *user, const kn_execute_data *data)
{
    knl_frame frame = {.world = data->world, .writable = data->world};
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_EXECUTE;
    frame.execute = data;
    frame.spec = data->spec;
    frame.entity = data->entity;
    return frame;
}

typedef struct execute_answer {
    bool is_discarded;
    float magnitude;
} execute_answer;

static void take_execute(lua_State *L, int first, knl_frame *frame)
{
    execute_answer *out = frame->out;
    if (lua_isboolean(L, first)) {
        out->is_discarded = !lua_toboolean(L, first);
    } else {
        frame->out = &out->magnitude;
        take_float(L, first, frame);
    }
}

static bool attributes_pre_execute(void *user, kn_execute_data *data)
{
    knl_frame frame = execute_frame(user, data);
    execute_answer answer = {false, data->magnitude};
    frame.take = take_execute;
    frame.result_count = 1;
    frame.out = &answer;
    if (knl_call_hook(&frame, ATTRIBUTES_PRE_EXECUTE) != KN_OK) {
        return true;
    }
    data->magnitude = answer.magnitude;
    return !answer.is_discarded;
}

static float attributes_before(void *user, const kn_attribute_change *change, uint32_t hook)
{
    knl_frame frame = change_frame(user, change);
    float answer = change->new_value;
    frame.take = take_float;
    frame.result_count = 1;
    frame.out = &answer;
    return knl_call_hook(&frame, hook) == KN_OK ? answer : change->new_value;
}

static float attributes_pre_base_change(void *user, const kn_attribute_change *change)
{
    return attributes_before(user, change, ATTRIBUTES_PRE_BASE_CHANGE);
}

static float attributes_pre_change(void *user, const kn_attribute_change *change)
{
    return attributes_before(user, change, ATTRIBUTES_PRE_CHANGE);
}

static void attributes_post_base_change(void *user, const kn_attribute_change *change)
{
    knl_frame frame = change_frame(user, change);
    (void)knl_call_hook(&frame, ATTRIBUTES_POST_BASE_CHANGE);
}

static void attributes_post_change(void *user, const kn_attribute_change *change)
{
    knl_frame frame = change_frame(user, change);
    (void)knl_call_hook(&frame, ATTRIBUTES_POST_CHANGE);
}

static void attributes_post_execute(void *user, const kn_execute_data *data)
{
    knl_frame frame = execute_frame(user, data);
    (void)knl_call_hook(&frame, ATTRIBUTES_POST_EXECUTE);
}

static const knl_hook attributes_hooks[] = {
    {"pre_execute", HOOK(kn_attribute_hooks, pre_execute, attributes_pre_execute),
        "fun(data: kn.execute): boolean|number|nil",
        "false discards the modification; a number replaces its magnitude."},
    {"pre_base_change", HOOK(kn_attribute_hooks, pre_base_change, attributes_pre_base_change),
        "fun(change: kn.change): number?", "Returns the base value to store; nil: unchanged."},
    {"post_base_change", HOOK(kn_attribute_hooks, post_base_change, attributes_post_base_change),
        "fun(change: kn.change)", "The base value has changed."},
    {"pre_change", HOOK(kn_attribute_hooks, pre_change, attributes_pre_change),
        "fun(change: kn.change): number?", "Returns the value to store; nil: unchanged."},
    {"post_change", HOOK(kn_attribute_hooks, post_change, attributes_post_change),
        "fun(change: kn.change)", "The value has changed."},
    {"post_execute", HOOK(kn_attribute_hooks, post_execute, attributes_post_execute),
        "fun(data: kn.execute)",
        "An execution has changed the base value: the place to consume meta attributes."},
    {0},
};

kn_result kn_script_bind_attribute_hooks(
    kn_script *script, const char *name, kn_attribute_hooks *hooks, kn_error *error)
{
    return bind_def(script, KNL_DEF_ATTRIBUTES, name, hooks, error);
}

// Records, conditions, rules, targeting, timers, policies -------------------

static void event_apply(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    knl_frame frame = {.world = world, .writable = world};
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_RECORD;
    frame.record = record;
    frame.entity = record->target;
    frame.push = push_float;
    frame.data = &magnitude;
    (void)knl_call_hook(&frame, 0);
}

static const knl_hook event_hooks[] = {
    {"apply", HOOK(kn_event_kind_def, apply, event_apply),
        "fun(record: kn.record, magnitude: number)",
        "Carries out an event record that passed its gates."},
    {0},
};

kn_result kn_script_bind_event_kind(
    kn_script *script, const char *name, kn_event_kind_def *def, kn_error *error)
{
    return bind_def(script, KNL_DEF_EVENT, name, def, error);
}

typedef struct condition_out {
    bool applies;
    kn_condition_answer answer;
} condition_out;

static void take_condition(lua_State *L, int first, knl_frame *frame)
{
    condition_out *out = frame->out;
    out->applies = lua_toboolean(L, first);
    if (!lua_isnil(L, first + 1)) {
        frame->out = &out->answer.magnitude;
        take_float(L, first + 1, frame);
    }
    if (lua_type(L, first + 2) == LUA_TSTRING) {
        const kn_def_field *words = knl_words(WORDS_OP);
        for (uint32_t i = 0; i < words->limit; i++) {
            if (strcmp(words->names[i], lua_tostring(L, first + 2)) == 0) {
                out->answer.op = (kn_op)i;
                return;
            }
        }
        knl_raise(L, "there is no operation `%s`", lua_tostring(L, first + 2));
    }
}

static bool condition_test(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    knl_frame frame = {.world = world};
    condition_out out = {false, *answer};
    float magnitude = answer->magnitude;
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_RECORD;
    frame.record = record;
    frame.entity = record->target;
    frame.push = push_float;
    frame.data = &magnitude;
    frame.take = take_condition;
    frame.result_count = 3;
    frame.out = &out;
    if (knl_call_hook(&frame, 0) != KN_OK || !out.applies) {
        return false;
    }
    *answer = out.answer;
    return true;
}

static const knl_hook condition_hooks[] = {
    {"test", HOOK(kn_script_condition, function, condition_test),
        "fun(record: kn.record, magnitude: number): boolean, number?, kn.op?",
        "Read-only. Returns whether the modifier or gate applies, optionally with another "
        "magnitude and operation."},
    {0},
};

kn_result kn_script_bind_condition(
    kn_script *script, const char *name, kn_script_condition *bound, kn_error *error)
{
    *bound = (kn_script_condition){0};
    return bind_def(script, KNL_DEF_CONDITION, name, bound, error);
}

static void rule_react(void *user, kn_world *world, const kn_reaction *reaction)
{
    knl_frame frame = {.world = world, .writable = world};
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_REACTION;
    frame.reaction = reaction;
    frame.entity = reaction->entity;
    (void)knl_call_hook(&frame, 0);
}

static const knl_hook rule_hooks[] = {
    {"react", HOOK(kn_rule_def, function, rule_react), "fun(reaction: kn.reaction_self)",
        "The event the rule waits for has happened."},
    {0},
};

kn_result kn_script_bind_rule(
    kn_script *script, const char *name, kn_rule_def *def, kn_error *error)
{
    return bind_def(script, KNL_DEF_RULE, name, def, error);
}

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
    frame.take = take_targets;
    frame.result_count = 1;
    frame.out = out;
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
    frame.push = push_targets;
    frame.data = &data;
    frame.take = take_boolean;
    frame.result_count = 1;
    frame.out = &answer;
    return knl_call_hook(&frame, TARGETING_VALIDATE) == KN_OK && answer;
}

static const knl_hook targeting_hooks[] = {
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
    return bind_def(script, KNL_DEF_TARGETING, name, def, error);
}

static kn_time timer_fired(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    knl_frame frame = {.world = world, .writable = world};
    kn_time again = 0;
    frame.binding = binding_of(user);
    frame.self = KNL_SELF_TIMER;
    frame.entity = entity;
    frame.state = data;
    frame.take = take_seconds;
    frame.result_count = 1;
    frame.out = &again;
    return knl_call_hook(&frame, 0) == KN_OK ? again : 0;
}

static const knl_hook timer_hooks[] = {
    {"fired", HOOK(kn_script_timer, function, timer_fired), "fun(self: kn.timer_self): number?",
        "The timer has expired. Returning seconds above 0 sets it again."},
    {0},
};

kn_result kn_script_bind_timer(
    kn_script *script, const char *name, kn_script_timer *bound, kn_error *error)
{
    *bound = (kn_script_timer){0};
    return bind_def(script, KNL_DEF_TIMER, name, bound, error);
}

static int push_modifiers(lua_State *L, const knl_frame *frame)
{
    const knl_policy_call *call = frame->policy;
    lua_createtable(L, (int)call->count, 0);
    for (uint32_t i = 0; i < call->count; i++) {
        knl_struct_push(L, KNL_RESULT_MODIFIER, &call->modifiers[i]);
        lua_pushinteger(L, (lua_Integer)i + 1);
        knl_set_field(L, "index");
        lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    return 1;
}

// Marks go to a place of their own: an error half-way leaves those of the caller as they were.
static void take_modifiers(lua_State *L, int first, knl_frame *frame)
{
    bool *marks = frame->out;
    uint32_t count = frame->policy->count;
    if (lua_isnil(L, first)) {
        return;
    }
    if (lua_type(L, first) != LUA_TTABLE) {
        knl_raise(
            L, "expected an array of modifiers as the result, got %s", luaL_typename(L, first));
    }
    (void)knl_frozen_content(L, first);
    int array = lua_gettop(L);
    memset(marks, 0, count * sizeof(*marks));
    for (lua_Integer i = 1; lua_rawgeti(L, array, i) != LUA_TNIL; i++) {
        lua_Integer index = 0;
        if (lua_type(L, -1) == LUA_TTABLE) {
            (void)lua_pushstring(L, "index");
            lua_rawget(L, -2);
            index = lua_isinteger(L, -1) ? lua_tointeger(L, -1) : 0;
        }
        if (index < 1 || index > (lua_Integer)count) {
            knl_raise(L, "element %d of the result is not one of the modifiers", (int)i);
        }
        marks[index - 1] = true;
        lua_settop(L, array);
    }
}

#define POLICY_MODIFIERS_MAX 256 // what the library shows to a policy at most

static void policy_qualify(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies)
{
    bool marks[POLICY_MODIFIERS_MAX];
    knl_policy_call call = {base, modifiers, count};
    knl_frame frame = {.binding = binding_of(user), .self = KNL_SELF_POLICY, .policy = &call};
    if (count > POLICY_MODIFIERS_MAX) {
        return;
    }
    memcpy(marks, qualifies, count * sizeof(*marks));
    frame.push = push_modifiers;
    frame.take = take_modifiers;
    frame.result_count = 1;
    frame.out = marks;
    if (knl_call_hook(&frame, 0) == KN_OK) {
        memcpy(qualifies, marks, count * sizeof(*marks));
    }
}

static const knl_hook policy_hooks[] = {
    {"qualify", HOOK(kn_script_policy, function, policy_qualify),
        "fun(self: kn.policy_self, modifiers: kn.modifier[]): kn.modifier[]?",
        "Read-only. Returns the modifiers that count; nil, or an error: all of them."},
    {0},
};

kn_result kn_script_bind_policy(
    kn_script *script, const char *name, kn_script_policy *bound, kn_error *error)
{
    *bound = (kn_script_policy){0};
    return bind_def(script, KNL_DEF_POLICY, name, bound, error);
}

// All of them ---------------------------------------------------------------

#define AT(def, field) (offsetof(def, field) + 1)
#define USER(def) .user1 = AT(def, user)
#define USER_AND_NAME(def) .user1 = AT(def, user), .name1 = AT(def, name)
#define STATE(def)                                                                                 \
    .state_max = KNL_STATE_MAX, .state_size1 = AT(def, state_size),                                \
    .state_fields1 = AT(def, state_fields), .state_count1 = AT(def, state_field_count)

const knl_def_info knl_def_infos[KNL_DEF_COUNT] = {
    [KNL_DEF_ABILITY] = {"ability", "The hooks of an ability, and handlers for its tasks.",
        ability_hooks, USER_AND_NAME(kn_ability_def), STATE(kn_ability_def),
        .has_continuations = true},
    [KNL_DEF_TASK] = {"task", "A custom task.", task_hooks, USER_AND_NAME(kn_task_type_def),
        STATE(kn_task_type_def)},
    [KNL_DEF_LOGIC] = {"logic", "Logic of an effect.", logic_hooks,
        USER_AND_NAME(kn_effect_logic_def), STATE(kn_effect_logic_def)},
    [KNL_DEF_CALCULATION] = {"calculation", "Computes a magnitude.", calculation_hooks,
        USER_AND_NAME(kn_calculation_def)},
    [KNL_DEF_EXECUTION] = {"execution", "Changes attributes, and more, when an effect is executed.",
        execution_hooks, USER_AND_NAME(kn_execution_def)},
    [KNL_DEF_ATTRIBUTES] = {"attributes", "Hooks of an attribute set.", attributes_hooks,
        USER(kn_attribute_hooks)},
    [KNL_DEF_EVENT] = {"event", "An event kind.", event_hooks, USER_AND_NAME(kn_event_kind_def)},
    [KNL_DEF_RULE] = {"rule", "A rule that reacts to an event.", rule_hooks,
        USER_AND_NAME(kn_rule_def)},
    [KNL_DEF_TARGETING] = {"targeting", "A way to find targets.", targeting_hooks,
        USER_AND_NAME(kn_targeting_def)},
    [KNL_DEF_REQUIREMENT] = {"requirement", "A requirement of effects.", requirement_hooks,
        USER(kn_script_requirement)},
    [KNL_DEF_CONDITION] = {"condition", "A condition of modifiers and gates.", condition_hooks,
        USER(kn_script_condition)},
    [KNL_DEF_TIMER] = {"timer", "A timer.", timer_hooks, USER(kn_script_timer),
        .state_max = KN_TIMER_DATA_SIZE},
    [KNL_DEF_POLICY] = {"policy", "Decides which modifiers of an attribute count.", policy_hooks,
        USER(kn_script_policy)},
    [KNL_DEF_TICKER] = {"ticker",
        "Checked repeatedly on each entity that has it. `interval` is the time between checks in "
        "seconds.",
        knl_ticker_hooks, .state_max = KNL_STATE_MAX, .has_interval = true},
};
