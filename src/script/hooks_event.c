// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Hooks of what happens: event kinds, conditions, rules, timers, systems.

#include "hooks.h"

#include <string.h>

static void event_apply(void *user, kn_world *world, const kn_event_record *record, float magnitude)
{
    knl_frame frame = {.world = world, .writable = world};
    frame.binding = user;
    frame.self = KNL_SELF_RECORD;
    frame.record = record;
    frame.entity = record->target;
    knl_frame_push(&frame, knl_push_number, &magnitude);
    (void)knl_call_hook(&frame, 0);
}

const knl_hook knl_event_hooks[] = {
    {"apply", HOOK(kn_event_kind_def, apply, event_apply),
        "fun(record: kn.record, magnitude: number)",
        "Carries out an event record that passed its gates."},
    {0},
};

kn_result kn_script_bind_event_kind(
    kn_script *script, const char *name, kn_event_kind_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_EVENT, name, def, error);
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
        knl_take_float(L, first + 1, frame);
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
    frame.binding = user;
    frame.self = KNL_SELF_RECORD;
    frame.record = record;
    frame.entity = record->target;
    knl_frame_push(&frame, knl_push_number, &magnitude);
    knl_frame_take(&frame, take_condition, 3, &out);
    if (knl_call_hook(&frame, 0) != KN_OK || !out.applies) {
        return false;
    }
    *answer = out.answer;
    return true;
}

const knl_hook knl_condition_hooks[] = {
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
    return knl_bind_def(script, KNL_DEF_CONDITION, name, bound, error);
}

static void rule_react(void *user, kn_world *world, const kn_reaction *reaction)
{
    knl_frame frame = {.world = world, .writable = world};
    frame.binding = user;
    frame.self = KNL_SELF_REACTION;
    frame.reaction = reaction;
    frame.entity = reaction->entity;
    (void)knl_call_hook(&frame, 0);
}

const knl_hook knl_rule_hooks[] = {
    {"react", HOOK(kn_rule_def, function, rule_react), "fun(reaction: kn.reaction_self)",
        "The event the rule waits for has happened."},
    {0},
};

kn_result kn_script_bind_rule(
    kn_script *script, const char *name, kn_rule_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_RULE, name, def, error);
}

static kn_time timer_fired(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    knl_frame frame = {.world = world, .writable = world};
    kn_time again = 0;
    frame.binding = user;
    frame.self = KNL_SELF_TIMER;
    frame.entity = entity;
    frame.state = data;
    knl_frame_take(&frame, knl_take_seconds, 1, &again);
    return knl_call_hook(&frame, 0) == KN_OK ? again : 0;
}

const knl_hook knl_timer_hooks[] = {
    {"fired", HOOK(kn_script_timer, function, timer_fired), "fun(self: kn.timer_self): number?",
        "The timer has expired. Returning seconds above 0 sets it again."},
    {0},
};

enum { COMPONENT_ADDED, COMPONENT_REMOVED };

static void component_call(void *user, const kn_component_call *call, uint32_t hook)
{
    knl_frame frame = {.world = call->world, .writable = call->world};
    frame.binding = user;
    frame.self = KNL_SELF_COMPONENT;
    frame.entity = call->entity;
    frame.component_call = call;
    (void)knl_call_hook(&frame, hook);
}

static void component_added(void *user, const kn_component_call *call)
{
    component_call(user, call, COMPONENT_ADDED);
}

static void component_removed(void *user, const kn_component_call *call)
{
    component_call(user, call, COMPONENT_REMOVED);
}

const knl_hook knl_component_hooks[] = {
    {"added", HOOK(kn_component_def, added, component_added), "fun(self: kn.component_self)",
        "The component was added and is zeroed."},
    {"removed", HOOK(kn_component_def, removed, component_removed), "fun(self: kn.component_self)",
        "The component will be removed, by a call or with its entity."},
    {0},
};

kn_result kn_script_bind_component(
    kn_script *script, const char *name, kn_component_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_COMPONENT, name, def, error);
}

kn_result kn_script_bind_timer(
    kn_script *script, const char *name, kn_script_timer *bound, kn_error *error)
{
    *bound = (kn_script_timer){0};
    return knl_bind_def(script, KNL_DEF_TIMER, name, bound, error);
}

static int push_period(lua_State *L, const knl_frame *frame)
{
    lua_pushnumber(L, kn_time_to_seconds(frame->run->period));
    return 1;
}

static void system_run(void *user, kn_world *world, const kn_system_run *run)
{
    knl_frame frame = {.world = world, .writable = world};
    frame.binding = user;
    frame.self = KNL_SELF_SYSTEM;
    frame.run = run;
    frame.push = push_period;
    (void)knl_call_hook(&frame, 0);
}

const knl_hook knl_system_hooks[] = {
    {"run", HOOK(kn_system_def, function, system_run), "fun(self: kn.system_self, dt: number)",
        "A run of the system. `dt`: seconds since the run before it was due."},
    {0},
};

kn_result kn_script_bind_system(
    kn_script *script, const char *name, kn_system_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_SYSTEM, name, def, error);
}

static void watch_react(void *user, kn_world *world, const kn_watch_call *call)
{
    knl_frame frame = {.world = world, .writable = world};
    frame.binding = user;
    frame.self = KNL_SELF_WATCH;
    frame.reaction = call->reaction;
    frame.watch = call;
    frame.state = call->state;
    frame.entity = call->entity;
    if (knl_call_hook(&frame, 0) != KN_OK) {
        (void)kn_watch_stop(world, call->watch);
    }
}

const knl_hook knl_watch_hooks[] = {
    {"react", HOOK(kn_watch_def, function, watch_react), "fun(reaction: kn.watch_self)",
        "What the watch waits for has happened. After an error the watch is stopped."},
    {0},
};

const knl_binding *knl_watch_binding(const kn_library *library, kn_watch_type_id type)
{
    const kn_watch_def *def = kn_watch_type_get_def(library, type);
    return def != NULL && def->function == watch_react ? def->user : NULL;
}

kn_result kn_script_bind_watch(
    kn_script *script, const char *name, kn_watch_def *def, kn_error *error)
{
    return knl_bind_def(script, KNL_DEF_WATCH, name, def, error);
}
