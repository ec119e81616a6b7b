// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// What all hooks share: how answers are taken, how a definition is bound to a def, and the list of
// all kinds of definitions.

#include "hooks.h"

#include <math.h>
#include <string.h>

// Answers -------------------------------------------------------------------

void knl_take_boolean(lua_State *L, int first, knl_frame *frame)
{
    bool *out = frame->out;
    *out = lua_toboolean(L, first);
}

// A number; nil leaves what is there.
void knl_take_float(lua_State *L, int first, knl_frame *frame)
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

void knl_take_seconds(lua_State *L, int first, knl_frame *frame)
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

int knl_push_number(lua_State *L, const knl_frame *frame)
{
    const float *value = frame->data;
    lua_pushnumber(L, (double)*value);
    return 1;
}

// Binding -------------------------------------------------------------------

kn_result knl_bind_def(
    kn_script *script, knl_def_kind kind, const char *name, void *def, kn_error *error)
{
    const knl_def_info *info = &knl_def_infos[kind];
    uint8_t *bytes = def;
    void *user;
    memcpy(&user, bytes + info->user1 - 1, sizeof(user));
    knl_binding *binding;
    kn_result result =
        knl_script_bind(script, kind, KN_DEF_KIND_COUNT, name, user, &binding, error);
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
        bool has_it = binding->hooks[i] != 0 || (kind == KNL_DEF_ABILITY && i == KNL_HOOK_ON_TASK);
        knl_function *function = has_it ? info->hooks[i].function : NULL;
        memcpy(bytes + info->hooks[i].offset, &function, sizeof(function));
    }
    return KN_OK;
}

// All of them ---------------------------------------------------------------

#define AT(def, field) (offsetof(def, field) + 1)
#define USER(def) .user1 = AT(def, user)
#define USER_AND_NAME(def) .user1 = AT(def, user), .name1 = AT(def, name)
#define STATE(def)                                                                                 \
    .state_max = KNL_STATE_MAX, .state_size1 = AT(def, state_size),                                \
    .state_fields1 = AT(def, state_fields), .state_count1 = AT(def, state_field_count)

static const knl_hook own_hooks[] = {{0}}; // see knl_handler

const knl_def_info knl_def_infos[KNL_DEF_SLOTS] = {
    [KNL_DEF_ABILITY] = {"ability", "The hooks of an ability, and handlers for its tasks.",
        knl_ability_hooks, USER_AND_NAME(kn_ability_def), STATE(kn_ability_def),
        .has_continuations = true},
    [KNL_DEF_TASK] = {"task", "A custom task.", knl_task_hooks, USER_AND_NAME(kn_task_type_def),
        STATE(kn_task_type_def)},
    [KNL_DEF_LOGIC] = {"logic", "Logic of an effect.", knl_logic_hooks,
        USER_AND_NAME(kn_effect_logic_def), STATE(kn_effect_logic_def)},
    [KNL_DEF_CALCULATION] = {"calculation", "Computes a magnitude.", knl_calculation_hooks,
        USER_AND_NAME(kn_calculation_def)},
    [KNL_DEF_EXECUTION] = {"execution", "Changes attributes, and more, when an effect is executed.",
        knl_execution_hooks, USER_AND_NAME(kn_execution_def)},
    [KNL_DEF_ATTRIBUTES] = {"attributes", "Hooks of an attribute set.", knl_attributes_hooks,
        USER(kn_attribute_hooks)},
    [KNL_DEF_EVENT] = {"event", "An event kind.", knl_event_hooks,
        USER_AND_NAME(kn_event_kind_def)},
    [KNL_DEF_RULE] = {"rule", "A rule that reacts to an event.", knl_rule_hooks,
        USER_AND_NAME(kn_rule_def)},
    [KNL_DEF_CHECK] = {"ability_check", "A condition of abilities, besides their own.",
        knl_check_hooks, USER_AND_NAME(kn_check_def)},
    [KNL_DEF_TARGETING] = {"targeting", "A way to find targets.", knl_targeting_hooks,
        USER_AND_NAME(kn_targeting_def)},
    [KNL_DEF_REQUIREMENT] = {"requirement", "A requirement of effects.", knl_requirement_hooks,
        USER(kn_script_requirement)},
    [KNL_DEF_CONDITION] = {"condition", "A condition of modifiers and gates.", knl_condition_hooks,
        USER(kn_script_condition)},
    [KNL_DEF_TIMER] = {"timer", "A timer.", knl_timer_hooks, USER(kn_script_timer),
        .state_max = KN_TIMER_DATA_SIZE},
    [KNL_DEF_POLICY] = {"policy", "Decides which modifiers of an attribute count.",
        knl_policy_hooks, USER(kn_script_policy)},
    [KNL_DEF_TICKER] = {"ticker",
        "Checked repeatedly on each entity that has it. `interval` is the time between checks in "
        "seconds.",
        knl_ticker_hooks, USER_AND_NAME(kn_ticker_def), STATE(kn_ticker_def), .has_interval = true},
    [KNL_DEF_WATCH] = {"watch", "Waits for something to happen to an entity.", knl_watch_hooks,
        USER_AND_NAME(kn_watch_def), STATE(kn_watch_def)},
    [KNL_DEF_COMMAND] = {"command", "A kind of command of players.", knl_command_hooks,
        USER_AND_NAME(kn_command_def)},
    [KNL_DEF_SYSTEM] = {"system", "Runs at a fixed rate, for the whole world.", knl_system_hooks,
        USER_AND_NAME(kn_system_def)},
    [KNL_DEF_COMPONENT] = {"component", "Hooks of a component.", knl_component_hooks,
        USER_AND_NAME(kn_component_def)},
    [KNL_DEF_OWN] = {"", "", own_hooks, .user1 = 0},
};
