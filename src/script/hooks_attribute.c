// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of attributes: before and after changes, and policies that choose among modifiers.

#include "hooks.h"

#include <string.h>

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
    frame.binding = user;
    frame.self = KNL_SELF_CHANGE;
    frame.change = change;
    frame.entity = change->entity;
    return frame;
}

static knl_frame execute_frame(void *user, const kn_execute_data *data)
{
    knl_frame frame = {.world = data->world, .writable = data->world};
    frame.binding = user;
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
        knl_take_float(L, first, frame);
    }
}

static bool attributes_pre_execute(void *user, kn_execute_data *data)
{
    knl_frame frame = execute_frame(user, data);
    execute_answer answer = {false, data->magnitude};
    knl_frame_take(&frame, take_execute, 1, &answer);
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
    knl_frame_take(&frame, knl_take_float, 1, &answer);
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

const knl_hook knl_attributes_hooks[] = {
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
    return knl_bind_def(script, KNL_DEF_ATTRIBUTES, name, hooks, error);
}

// Policies ------------------------------------------------------------------

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
    knl_frame frame = {.binding = user, .self = KNL_SELF_POLICY, .policy = &call};
    if (count > POLICY_MODIFIERS_MAX) {
        return;
    }
    memcpy(marks, qualifies, count * sizeof(*marks));
    frame.push = push_modifiers;
    knl_frame_take(&frame, take_modifiers, 1, marks);
    if (knl_call_hook(&frame, 0) == KN_OK) {
        memcpy(qualifies, marks, count * sizeof(*marks));
    }
}

const knl_hook knl_policy_hooks[] = {
    {"qualify", HOOK(kn_script_policy, function, policy_qualify),
        "fun(self: kn.policy_self, modifiers: kn.modifier[]): kn.modifier[]?",
        "Read-only. Returns the modifiers that count; nil, or an error: all of them."},
    {0},
};

kn_result kn_script_bind_policy(
    kn_script *script, const char *name, kn_script_policy *bound, kn_error *error)
{
    *bound = (kn_script_policy){0};
    return knl_bind_def(script, KNL_DEF_POLICY, name, bound, error);
}
