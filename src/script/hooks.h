// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks: functions that defs are bound to. Each makes a frame of its arguments, calls Lua and turns
// the answer into what the library expects. After an error the answer is the harmless one.
#ifndef KNL_SCRIPT_HOOKS_H
#define KNL_SCRIPT_HOOKS_H

#include "rows.h"

// Where a def has its function for a hook, and ours, as a pointer to any function. The `sizeof` is
// for the compiler: it must be of the type of the field.
#define HOOK(def, field, function)                                                                 \
    offsetof(def, field) + 0 * sizeof(1 ? (function) : ((def *)NULL)->field),                      \
        (knl_function *)(function)

// Binds a definition to a def: its hooks, `user`, and where the def has them a name, if it lacks
// one, and the state.
kn_result knl_bind_def(
    kn_script *script, knl_def_kind kind, const char *name, void *def, kn_error *error);

// Of each kind of definition; each ends with a NULL name.
extern const knl_hook knl_ability_hooks[], knl_task_hooks[], knl_targeting_hooks[],
    knl_check_hooks[];
extern const knl_hook knl_logic_hooks[], knl_calculation_hooks[], knl_execution_hooks[],
    knl_requirement_hooks[];
extern const knl_hook knl_attributes_hooks[], knl_policy_hooks[];
extern const knl_hook knl_event_hooks[], knl_condition_hooks[], knl_rule_hooks[], knl_timer_hooks[];
extern const knl_hook knl_system_hooks[], knl_ticker_hooks[], knl_component_hooks[],
    knl_command_hooks[];
#define KNL_HOOK_ON_TASK 12 // the number of `on_task` among those of abilities

// What is pushed behind the self: `push` finds it in frame->data.
static inline void knl_frame_push(
    knl_frame *frame, int (*push)(lua_State *L, const knl_frame *frame), const void *data)
{
    frame->push = push;
    frame->data = data;
}

// What is taken from the results: `take` puts it into frame->out.
static inline void knl_frame_take(
    knl_frame *frame, void (*take)(lua_State *L, int first, knl_frame *frame), int count, void *out)
{
    frame->take = take;
    frame->result_count = count;
    frame->out = out;
}

void knl_take_boolean(lua_State *L, int first, knl_frame *frame);
void knl_take_float(lua_State *L, int first, knl_frame *frame);   // nil leaves what is there
void knl_take_seconds(lua_State *L, int first, knl_frame *frame); // so does it here
int knl_push_number(lua_State *L, const knl_frame *frame);        // a float

#endif
