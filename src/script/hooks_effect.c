// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of effects: logic, calculations, executions, requirements.

#include "hooks.h"

#include <math.h>

static knl_frame effect_frame(
    void *user, const kn_world *world, kn_world *writable, const kn_spec_view *spec)
{
    knl_frame frame = {.world = world, .writable = writable};
    frame.binding = user;
    frame.self = KNL_SELF_EFFECT;
    frame.spec = spec;
    frame.entity = kn_spec_view_target(spec);
    return frame;
}

enum {
    LOGIC_APPLIED,
    LOGIC_TICKED,
    LOGIC_STACKS,
    LOGIC_INHIBITED,
    LOGIC_REMOVED,
    LOGIC_REAPPLIED,
    LOGIC_EXECUTED
};

static void logic_call(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    uint32_t hook, int (*push)(lua_State *, const knl_frame *), const void *data)
{
    knl_frame frame = effect_frame(user, world, world, spec);
    frame.state = state;
    knl_frame_push(&frame, push, data);
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

static int push_reapplication(lua_State *L, const knl_frame *frame)
{
    knl_struct_push(L, KNL_RESULT_REAPPLICATION, frame->data);
    return 1;
}

static void logic_reapplied(void *user, kn_world *world, const kn_spec_view *spec, void *state,
    const kn_effect_reapplication *again)
{
    logic_call(user, world, spec, state, LOGIC_REAPPLIED, push_reapplication, again);
}

static void logic_executed(void *user, kn_world *world, const kn_spec_view *spec, void *state)
{
    logic_call(user, world, spec, state, LOGIC_EXECUTED, NULL, NULL);
}

const knl_hook knl_logic_hooks[] = {
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
    {"reapplied", HOOK(kn_effect_logic_def, reapplied, logic_reapplied),
        "fun(self: kn.effect_self, again: kn.reapplication)",
        "A further application joined it, even if neither stacks nor time changed."},
    {"executed", HOOK(kn_effect_logic_def, executed, logic_executed), "fun(self: kn.effect_self)",
        "An instant effect was executed; its state is not kept."},
    {0},
};

kn_result kn_script_bind_logic(
    kn_script *script, const char *name, kn_effect_logic_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_LOGIC, name, def, error);
}

static float calculation_run(void *user, const kn_calculation *calculation)
{
    const kn_spec_view *spec = kn_calculation_spec(calculation);
    knl_frame frame = effect_frame(user, kn_spec_view_world(spec), NULL, spec);
    float answer = NAN;
    frame.calculation = calculation;
    knl_frame_take(&frame, knl_take_float, 1, &answer);
    return knl_call_hook(&frame, 0) == KN_OK ? answer : NAN;
}

const knl_hook knl_calculation_hooks[] = {
    {"calculate", HOOK(kn_calculation_def, function, calculation_run),
        "fun(self: kn.effect_self): number",
        "Read-only. Returns the magnitude; an error, or a result that is not a number, refuses the "
        "application."},
    {0},
};

kn_result kn_script_bind_calculation(
    kn_script *script, const char *name, kn_calculation_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_CALCULATION, name, def, error);
}

static void execution_run(void *user, kn_execution *execution)
{
    kn_world *world = kn_execution_world(execution);
    knl_frame frame = effect_frame(user, world, world, kn_execution_spec(execution));
    frame.execution = execution;
    (void)knl_call_hook(&frame, 0);
}

const knl_hook knl_execution_hooks[] = {
    {"execute", HOOK(kn_execution_def, function, execution_run), "fun(self: kn.effect_self)",
        "Changes attributes through self:output(); may also change anything else."},
    {0},
};

kn_result kn_script_bind_execution(
    kn_script *script, const char *name, kn_execution_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_EXECUTION, name, def, error);
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
    knl_frame_take(&frame, take_requirement, 1, &answer);
    if (knl_call_hook(&frame, 0) != KN_OK) {
        return KN_REQUIREMENT_DENY;
    }
    *existing = answer.existing;
    return answer.answer;
}

const knl_hook knl_requirement_hooks[] = {
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
    return knl_bind_def(script, KNL_DEF_REQUIREMENT, name, bound, error);
}
