// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tickers: rules that are checked at an interval. A ticker on an entity is a component, which holds
// its state and whether it runs, and a timer that checks it. There is no other mechanism: the
// component and the timer are saved, hashed and rolled back, and both are removed with the entity.
//
// A timer of the type that was not started here, such as one of an archetype, has zeros as its
// data: it adds the ticker to its entity and ends.

#include "internal.h"

#include <string.h>

// The beginning of the component. The state follows, then a byte that says whether it runs.
typedef struct ticker_head {
    kn_time since; // when it was added to the entity
    kn_time last;  // the last tick, or when it started running
    kn_timer_id timer;
} ticker_head;

_Static_assert(sizeof(ticker_head) == KNL_TICKER_HEAD, "the head has no padding");

// The data of its timer. If the component is removed by someone else, the timer notices that it is
// gone or names another timer.
typedef struct ticker_look {
    kn_time since;
    uint64_t is_look;
} ticker_look;

_Static_assert(sizeof(ticker_look) == KN_TIMER_DATA_SIZE, "all of the data is ours");

enum { TICKER_SHOULD_START, TICKER_SHOULD_STOP, TICKER_STARTED, TICKER_TICK, TICKER_STOPPED };

const knl_hook knl_ticker_hooks[] = {
    {"should_start", 0, NULL, "fun(self: kn.ticker_self): boolean",
        "Read-only. Called at each check while it is not running; default: true."},
    {"should_stop", 0, NULL, "fun(self: kn.ticker_self): boolean",
        "Read-only. Called at each check while it is running; default: the opposite of "
        "`should_start`."},
    {"started", 0, NULL, "fun(self: kn.ticker_self)",
        "It starts running; the first tick comes one check later."},
    {"tick", 0, NULL, "fun(self: kn.ticker_self, dt: number)",
        "A check while it is running. `dt`: seconds since the last tick, or since it started."},
    {"stopped", 0, NULL, "fun(self: kn.ticker_self)",
        "It stops running, or is removed while running; not called when its entity is destroyed."},
    {0},
};

// The component -------------------------------------------------------------

static bool ticker_read(const kn_world *world, const knl_binding *binding, kn_entity_id entity,
    ticker_head *head, bool *runs)
{
    const uint8_t *bytes = kn_component_read(world, binding->component, entity);
    if (bytes == NULL) {
        return false;
    }
    memcpy(head, bytes, sizeof(*head));
    *runs = bytes[KNL_TICKER_HEAD + binding->layout.size] != 0;
    return true;
}

static void ticker_write(kn_world *world, const knl_binding *binding, kn_entity_id entity,
    const ticker_head *head, bool runs)
{
    uint8_t *bytes = kn_component_get(world, binding->component, entity);
    if (bytes != NULL) {
        memcpy(bytes, head, sizeof(*head));
        bytes[KNL_TICKER_HEAD + binding->layout.size] = runs;
    }
}

// Whether the ticker is still the one that `head` was read from.
static bool ticker_is_same(
    const kn_world *world, const knl_binding *binding, kn_entity_id entity, const ticker_head *head)
{
    ticker_head now;
    bool runs;
    return ticker_read(world, binding, entity, &now, &runs) && now.since == head->since &&
           kn_timer_id_equal(now.timer, head->timer);
}

// Calls ---------------------------------------------------------------------

static knl_frame ticker_frame(const knl_binding *binding, kn_world *world, kn_entity_id entity)
{
    knl_frame frame = {.world = world, .writable = world, .told = world};
    frame.binding = binding;
    frame.self = KNL_SELF_TICKER;
    frame.entity = entity;
    frame.component = binding->component;
    return frame;
}

static void take_answer(lua_State *L, int first, knl_frame *frame)
{
    bool *answer = frame->out;
    *answer = lua_toboolean(L, first);
}

// Without the hook, *answer is left unchanged.
static kn_result ticker_ask(
    const knl_binding *binding, kn_world *world, kn_entity_id entity, uint32_t hook, bool *answer)
{
    knl_frame frame = ticker_frame(binding, world, entity);
    frame.writable = NULL;
    frame.take = take_answer;
    frame.result_count = 1;
    frame.out = answer;
    return knl_call_hook(&frame, hook);
}

static kn_result ticker_tell(
    const knl_binding *binding, kn_world *world, kn_entity_id entity, uint32_t hook)
{
    knl_frame frame = ticker_frame(binding, world, entity);
    return knl_call_hook(&frame, hook);
}

static int push_span(lua_State *L, const knl_frame *frame)
{
    const kn_time *span = frame->data;
    lua_pushnumber(L, kn_time_to_seconds(*span));
    return 1;
}

static kn_result ticker_tick(
    const knl_binding *binding, kn_world *world, kn_entity_id entity, kn_time span)
{
    knl_frame frame = ticker_frame(binding, world, entity);
    frame.push = push_span;
    frame.data = &span;
    return knl_call_hook(&frame, TICKER_TICK);
}

// Starting and stopping -----------------------------------------------------

kn_result knl_ticker_start(const knl_binding *binding, kn_world *world, kn_entity_id entity)
{
    if (entity.index1 != 0 && !kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_component_read(world, binding->component, entity) != NULL) {
        return KN_REFUSED_DUPLICATE;
    }
    uint8_t *bytes = kn_component_add(world, binding->component, entity);
    if (bytes == NULL) {
        return kn_world_is_broken(world) ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
    }
    knl_state_begin(&binding->layout, bytes + KNL_TICKER_HEAD);
    kn_time now = kn_world_now(world);
    ticker_head head = {.since = now, .last = now};
    ticker_look look = {.since = now, .is_look = 1};
    kn_result result = kn_timer_start(world, binding->timer, entity, 0, &look, &head.timer);
    if (result != KN_OK) {
        (void)kn_component_remove(world, binding->component, entity);
        return result;
    }
    ticker_write(world, binding, entity, &head, false);
    return KN_OK;
}

bool knl_ticker_stop(const knl_binding *binding, kn_world *world, kn_entity_id entity)
{
    ticker_head head;
    bool runs;
    if (!ticker_read(world, binding, entity, &head, &runs)) {
        return false;
    }
    if (runs) {
        // Its state exists until `stopped` has been called, and `stopped` may remove the ticker
        // itself.
        ticker_write(world, binding, entity, &head, false);
        (void)ticker_tell(binding, world, entity, TICKER_STOPPED);
    }
    if (ticker_is_same(world, binding, entity, &head)) {
        (void)kn_component_remove(world, binding->component, entity);
    }
    (void)kn_timer_cancel(world, head.timer);
    return true;
}

// Checking ------------------------------------------------------------------

static kn_result look_waiting(
    const knl_binding *binding, kn_world *world, kn_entity_id entity, ticker_head head)
{
    bool starts = true;
    kn_result result = ticker_ask(binding, world, entity, TICKER_SHOULD_START, &starts);
    if (result != KN_OK || !starts) {
        return result;
    }
    head.last = kn_world_now(world);
    ticker_write(world, binding, entity, &head, true);
    return ticker_tell(binding, world, entity, TICKER_STARTED);
}

static kn_result look_running(
    const knl_binding *binding, kn_world *world, kn_entity_id entity, ticker_head head)
{
    bool stops = false, goes_on = true;
    kn_result result = binding->hooks[TICKER_SHOULD_STOP] != 0
                           ? ticker_ask(binding, world, entity, TICKER_SHOULD_STOP, &stops)
                           : ticker_ask(binding, world, entity, TICKER_SHOULD_START, &goes_on);
    if (result != KN_OK) {
        return result;
    }
    if (stops || !goes_on) {
        ticker_write(world, binding, entity, &head, false);
        return ticker_tell(binding, world, entity, TICKER_STOPPED);
    }
    kn_time span = kn_world_now(world) - head.last;
    head.last = kn_world_now(world);
    ticker_write(world, binding, entity, &head, true);
    return ticker_tick(binding, world, entity, span);
}

static kn_time ticker_fired(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    const knl_binding *binding = user;
    ticker_look look;
    memcpy(&look, data, sizeof(look));
    if (look.is_look == 0) {
        (void)knl_ticker_start(binding, world, entity);
        return 0;
    }
    ticker_head head;
    bool runs;
    if (!ticker_read(world, binding, entity, &head, &runs) ||
        !kn_timer_id_equal(head.timer, kn_timer_firing(world))) {
        return 0;
    }
    knl_frame frame = ticker_frame(binding, world, entity);
    if (!knl_call_is_possible(&frame)) {
        return binding->interval; // the step's budget is exhausted: it is checked the next time
    }
    kn_result result = runs ? look_running(binding, world, entity, head)
                            : look_waiting(binding, world, entity, head);
    bool is_same = ticker_is_same(world, binding, entity, &head);
    if (result != KN_OK && is_same) {
        is_same = !knl_ticker_stop(binding, world, entity);
    }
    return is_same ? binding->interval : 0;
}

// Binding -------------------------------------------------------------------

// The fields of the component.
static uint32_t ticker_fields(const knl_layout *layout, kn_field *fields)
{
    uint32_t count = 0;
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.since", KN_FIELD_TIME, offsetof(ticker_head, since), 1);
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.last", KN_FIELD_TIME, offsetof(ticker_head, last), 1);
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.timer", KN_FIELD_U32, offsetof(ticker_head, timer), 2);
    for (uint32_t i = 0; i < layout->entry_count; i++) {
        fields[count] = layout->entries[i];
        fields[count++].offset += KNL_TICKER_HEAD;
    }
    fields[count++] =
        (kn_field)KN_FIELD_INIT("kn.runs", KN_FIELD_BOOL, KNL_TICKER_HEAD + layout->size, 1);
    return count;
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
    knl_binding *binding;
    kn_result result = knl_script_bind(script, KNL_DEF_TICKER, name, NULL, &binding, error);
    if (result != KN_OK) {
        return result;
    }
    kn_field fields[2 * KNL_STATE_FIELDS_MAX + 4];
    kn_component_def def = kn_component_def_default();
    def.name = binding->name;
    def.size = KNL_TICKER_HEAD + binding->layout.size + 1;
    def.fields = fields;
    def.field_count = ticker_fields(&binding->layout, fields);
    kn_library *library = binding->script->library;
    result = kn_component_register(library, &def, &binding->component, error);
    if (result == KN_OK) {
        result = kn_timer_type_register(
            library, binding->name, ticker_fired, binding, &binding->timer, error);
    }
    if (result == KN_OK) {
        *type = binding->timer;
    }
    return result;
}

// Public --------------------------------------------------------------------

const knl_binding *knl_ticker_of(const kn_library *library, kn_timer_type_id type)
{
    void *user;
    return kn_timer_type_function(library, type, &user) == ticker_fired ? user : NULL;
}

static const knl_binding *ticker_find(const kn_world *world, const char *name)
{
    if (world == NULL || name == NULL) {
        KN_ASSERT(world != NULL && name != NULL);
        return NULL;
    }
    const kn_library *library = kn_world_library(world);
    return knl_ticker_of(library, (kn_timer_type_id){kn_def_find(library, KN_DEF_TIMER, name)});
}

kn_result kn_script_ticker_start(kn_world *world, kn_entity_id entity, const char *name)
{
    const knl_binding *binding = ticker_find(world, name);
    return binding != NULL ? knl_ticker_start(binding, world, entity) : KN_REFUSED_NOT_FOUND;
}

bool kn_script_ticker_stop(kn_world *world, kn_entity_id entity, const char *name)
{
    const knl_binding *binding = ticker_find(world, name);
    return binding != NULL && knl_ticker_stop(binding, world, entity);
}

bool knl_ticker_is_there(const knl_binding *binding, const kn_world *world, kn_entity_id entity)
{
    return kn_component_read(world, binding->component, entity) != NULL;
}

bool knl_ticker_runs(const knl_binding *binding, const kn_world *world, kn_entity_id entity)
{
    ticker_head head;
    bool runs;
    return ticker_read(world, binding, entity, &head, &runs) && runs;
}

bool kn_script_ticker_is_there(const kn_world *world, kn_entity_id entity, const char *name)
{
    const knl_binding *binding = ticker_find(world, name);
    return binding != NULL && knl_ticker_is_there(binding, world, entity);
}

bool kn_script_ticker_runs(const kn_world *world, kn_entity_id entity, const char *name)
{
    const knl_binding *binding = ticker_find(world, name);
    return binding != NULL && knl_ticker_runs(binding, world, entity);
}
