// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tickers in Lua: hooks for those of the library (knack/ticker.h).

#include "hooks.h"

#include <string.h>

enum { TICKER_SHOULD_START, TICKER_SHOULD_STOP, TICKER_STARTED, TICKER_TICK, TICKER_STOPPED };

static knl_frame ticker_frame(const knl_binding *binding, const kn_ticker_call *call)
{
    knl_frame frame = {.world = call->world, .writable = call->world, .told = call->world};
    frame.binding = binding;
    frame.self = KNL_SELF_TICKER;
    frame.entity = call->entity;
    frame.ticker = call->ticker;
    return frame;
}

// Tests -----------------------------------------------------------------------

// Without the hook, *answer is left unchanged. If the step's budget is exhausted, the ticker waits
// for its next check.
static kn_result ticker_ask(
    const knl_binding *binding, const kn_ticker_call *call, uint32_t hook, bool *answer)
{
    knl_frame frame = ticker_frame(binding, call);
    if (!knl_call_is_possible(&frame)) {
        return KN_REFUSED_LIMIT;
    }
    frame.writable = NULL;
    knl_frame_take(&frame, knl_take_boolean, 1, answer);
    return knl_call_hook(&frame, hook);
}

static kn_result ticker_should_start(void *user, const kn_ticker_call *call, bool *answer)
{
    return ticker_ask(user, call, TICKER_SHOULD_START, answer);
}

static kn_result ticker_should_stop(void *user, const kn_ticker_call *call, bool *answer)
{
    const knl_binding *binding = user;
    if (binding->hooks[TICKER_SHOULD_STOP] != 0) {
        return ticker_ask(binding, call, TICKER_SHOULD_STOP, answer);
    }
    bool goes_on = true;
    kn_result result = ticker_ask(binding, call, TICKER_SHOULD_START, &goes_on);
    *answer = !goes_on;
    return result;
}

// Hooks -----------------------------------------------------------------------

static kn_result ticker_added(void *user, const kn_ticker_call *call)
{
    const knl_binding *binding = user;
    uint8_t *state = kn_ticker_state(call->world, call->ticker, call->entity);
    if (state != NULL) {
        knl_state_begin(&binding->layout, state);
    }
    return KN_OK;
}

static kn_result ticker_started(void *user, const kn_ticker_call *call)
{
    knl_frame frame = ticker_frame(user, call);
    return knl_call_hook(&frame, TICKER_STARTED);
}

static int push_span(lua_State *L, const knl_frame *frame)
{
    const kn_time *span = frame->data;
    lua_pushnumber(L, kn_time_to_seconds(*span));
    return 1;
}

static kn_result ticker_tick(void *user, const kn_ticker_call *call)
{
    knl_frame frame = ticker_frame(user, call);
    knl_frame_push(&frame, push_span, &call->dt);
    return knl_call_hook(&frame, TICKER_TICK);
}

static kn_result ticker_stopped(void *user, const kn_ticker_call *call)
{
    knl_frame frame = ticker_frame(user, call);
    return knl_call_hook(&frame, TICKER_STOPPED);
}

const knl_hook knl_ticker_hooks[] = {
    {"should_start", HOOK(kn_ticker_def, should_start, ticker_should_start),
        "fun(self: kn.ticker_self): boolean",
        "Read-only. Called at each check while it is not running; default: true."},
    {"should_stop", HOOK(kn_ticker_def, should_stop, ticker_should_stop),
        "fun(self: kn.ticker_self): boolean",
        "Read-only. Called at each check while it is running; default: the opposite of "
        "`should_start`."},
    {"started", HOOK(kn_ticker_def, started, ticker_started), "fun(self: kn.ticker_self)",
        "It starts running; the first tick comes one check later."},
    {"tick", HOOK(kn_ticker_def, tick, ticker_tick), "fun(self: kn.ticker_self, dt: number)",
        "A check while it is running. `dt`: seconds since the last tick, or since it started."},
    {"stopped", HOOK(kn_ticker_def, stopped, ticker_stopped), "fun(self: kn.ticker_self)",
        "It stops running, or is removed while running; not called when its entity is destroyed."},
    {0},
};

// Binding -------------------------------------------------------------------

kn_result kn_script_bind_ticker_def(
    kn_script *script, const char *name, kn_ticker_def *def, kn_error *error)
{
    kn_result result = knl_bind_def(script, KNL_DEF_TICKER, name, def, error);
    if (result == KN_OK) {
        const knl_binding *binding = def->user;
        def->interval = def->interval > 0 ? def->interval : binding->interval;
        def->added = ticker_added;
        def->should_start = ticker_should_start; // both find out whether the budget is exhausted
        def->should_stop = ticker_should_stop;
    }
    return result;
}

kn_result kn_script_bind_ticker(
    kn_script *script, const char *name, kn_timer_type_id *type, kn_error *error)
{
    *type = (kn_timer_type_id){0};
    if (script != NULL && name != NULL &&
        (kn_def_find(script->library, KN_DEF_COMPONENT, name) != 0 ||
            kn_def_find(script->library, KN_DEF_TIMER, name) != 0)) {
        return knl_fail(
            error, KN_REFUSED_DUPLICATE, "script: a component or a timer already has this name");
    }
    kn_ticker_def def = kn_ticker_def_default();
    kn_ticker_id ticker;
    kn_result result = kn_script_bind_ticker_def(script, name, &def, error);
    if (result == KN_OK && script != NULL) {
        result = kn_ticker_register(script->library, &def, &ticker, error);
    }
    if (result == KN_OK && script != NULL) {
        *type = kn_ticker_timer_type(script->library, ticker);
    }
    return result;
}

// By name -------------------------------------------------------------------

static kn_ticker_id ticker_find(const kn_world *world, const char *name)
{
    if (world == NULL || name == NULL) {
        KN_ASSERT(world != NULL && name != NULL);
        return (kn_ticker_id){0};
    }
    return (kn_ticker_id){kn_def_find(kn_world_library(world), KN_DEF_TICKER, name)};
}

kn_result kn_script_ticker_start(kn_world *world, kn_entity_id entity, const char *name)
{
    kn_ticker_id ticker = ticker_find(world, name);
    return ticker.index1 != 0 ? kn_ticker_start(world, ticker, entity) : KN_REFUSED_NOT_FOUND;
}

bool kn_script_ticker_stop(kn_world *world, kn_entity_id entity, const char *name)
{
    return kn_ticker_stop(world, ticker_find(world, name), entity);
}

bool kn_script_ticker_is_there(const kn_world *world, kn_entity_id entity, const char *name)
{
    return kn_ticker_is_there(world, ticker_find(world, name), entity);
}

bool kn_script_ticker_runs(const kn_world *world, kn_entity_id entity, const char *name)
{
    return kn_ticker_is_running(world, ticker_find(world, name), entity);
}
