// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Tickers. On an entity a ticker is a component, which holds its state and whether it runs, and a
// timer that checks it. There is no other mechanism: the component and the timer are saved, hashed
// and rolled back, and both are removed with the entity.
//
// A timer of the type that was not started here, such as one of an archetype, has zeros as its
// data: it adds the ticker to its entity and ends.

#include "world/world.h"

// The data of its timer. If the component is removed by someone else, the timer notices that it is
// gone or names another timer.
typedef struct ticker_look {
    kn_time since;
    uint64_t is_look;
} ticker_look;

_Static_assert(sizeof(ticker_look) == KN_TIMER_DATA_SIZE, "all of the data is ours");

// A ticker on an entity.
typedef struct ticker_place {
    kn_world *world;
    const kni_ticker_type *type;
    kn_ticker_id id;
    kn_entity_id entity;
    bool waits; // a test leaves everything as it is until the next check
} ticker_place;

static const kni_ticker_type *ticker_type(const kn_world *world, kn_ticker_id ticker)
{
    return world != NULL && ticker.index1 - 1 < world->library->registries[KN_DEF_TICKER].count
               ? KNI_ITEM(world->library, KN_DEF_TICKER, const kni_ticker_type, ticker.index1 - 1)
               : NULL;
}

// The component -------------------------------------------------------------

static size_t runs_offset(const kni_ticker_type *type)
{
    return sizeof(kni_ticker_head) + type->def.state_size;
}

static bool ticker_read(const kn_world *world, const kni_ticker_type *type, kn_entity_id entity,
    kni_ticker_head *head, bool *runs)
{
    const uint8_t *bytes = kn_component_read(world, type->component, entity);
    if (bytes == NULL) {
        return false;
    }
    memcpy(head, bytes, sizeof(*head));
    *runs = bytes[runs_offset(type)] != 0;
    return true;
}

static void ticker_write(const ticker_place *at, const kni_ticker_head *head, bool runs)
{
    uint8_t *bytes = kn_component_get(at->world, at->type->component, at->entity);
    if (bytes != NULL) {
        memcpy(bytes, head, sizeof(*head));
        bytes[runs_offset(at->type)] = runs;
    }
}

// Whether the ticker is still the one that `head` was read from.
static bool ticker_is_same(const ticker_place *at, const kni_ticker_head *head)
{
    kni_ticker_head now;
    bool runs;
    return ticker_read(at->world, at->type, at->entity, &now, &runs) && now.since == head->since &&
           kn_timer_id_equal(now.timer, head->timer);
}

// Hooks -----------------------------------------------------------------------

static kn_ticker_call ticker_call(const ticker_place *at, kn_time dt)
{
    return (kn_ticker_call){at->world, at->id, at->entity, dt};
}

// Without the test, *answer is left unchanged.
static kn_result ticker_test(ticker_place *at, kn_ticker_test_fn *test, bool *answer)
{
    kn_ticker_call call = ticker_call(at, 0);
    kn_result result = test != NULL ? test(at->type->def.user, &call, answer) : KN_OK;
    at->waits = result == KN_REFUSED_LIMIT;
    return result;
}

static kn_result ticker_hook(const ticker_place *at, kn_ticker_fn *hook, kn_time dt)
{
    kn_ticker_call call = ticker_call(at, dt);
    return hook != NULL ? hook(at->type->def.user, &call) : KN_OK;
}

// Adding and removing -------------------------------------------------------

static kn_result ticker_add(const ticker_place *at)
{
    kn_world *world = at->world;
    if (at->entity.index1 != 0 && kni_entity_find(world, at->entity) == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_component_read(world, at->type->component, at->entity) != NULL) {
        return KN_REFUSED_DUPLICATE;
    }
    if (kn_component_add(world, at->type->component, at->entity) == NULL) {
        return world->is_broken ? KN_ERROR_WORLD_BROKEN : KN_ERROR_OUT_OF_MEMORY;
    }
    kni_ticker_head head = {.since = world->now, .last = world->now};
    ticker_look look = {.since = world->now, .is_look = 1};
    kn_result result = kn_timer_start(world, at->type->timer, at->entity, 0, &look, &head.timer);
    if (result == KN_OK) {
        ticker_write(at, &head, false);
        result = ticker_hook(at, at->type->def.added, 0);
    }
    if (result != KN_OK && ticker_is_same(at, &head)) {
        (void)kn_component_remove(world, at->type->component, at->entity);
        (void)kn_timer_cancel(world, head.timer);
    }
    return result;
}

static bool ticker_remove(const ticker_place *at)
{
    kni_ticker_head head;
    bool runs;
    if (!ticker_read(at->world, at->type, at->entity, &head, &runs)) {
        return false;
    }
    if (runs) {
        // Its state exists until `stopped` has been called, and `stopped` may remove the ticker
        // itself.
        ticker_write(at, &head, false);
        (void)ticker_hook(at, at->type->def.stopped, 0);
    }
    if (ticker_is_same(at, &head)) {
        (void)kn_component_remove(at->world, at->type->component, at->entity);
    }
    (void)kn_timer_cancel(at->world, head.timer);
    return true;
}

kn_result kn_ticker_start(kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    if (type == NULL) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    ticker_place at = {world, type, ticker, entity, false};
    return ticker_add(&at);
}

bool kn_ticker_stop(kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    ticker_place at = {world, type, ticker, entity, false};
    return type != NULL && ticker_remove(&at);
}

// Checking ------------------------------------------------------------------

static kn_result check_waiting(ticker_place *at, kni_ticker_head head)
{
    bool starts = true;
    kn_result result = ticker_test(at, at->type->def.should_start, &starts);
    if (result != KN_OK || !starts) {
        return result;
    }
    head.last = at->world->now;
    ticker_write(at, &head, true);
    return ticker_hook(at, at->type->def.started, 0);
}

static kn_result check_running(ticker_place *at, kni_ticker_head head)
{
    const kn_ticker_def *def = &at->type->def;
    bool stops = false, goes_on = true;
    kn_result result = def->should_stop != NULL ? ticker_test(at, def->should_stop, &stops)
                                                : ticker_test(at, def->should_start, &goes_on);
    if (result != KN_OK) {
        return result;
    }
    if (stops || !goes_on) {
        ticker_write(at, &head, false);
        return ticker_hook(at, def->stopped, 0);
    }
    kn_time dt = at->world->now - head.last;
    head.last = at->world->now;
    ticker_write(at, &head, true);
    return ticker_hook(at, def->tick, dt);
}

kn_time kni_ticker_fired(kn_world *world, kn_ticker_id ticker, kn_entity_id entity, void *data)
{
    ticker_place at = {world, ticker_type(world, ticker), ticker, entity, false};
    ticker_look look;
    memcpy(&look, data, sizeof(look));
    if (at.type == NULL) {
        KN_ASSERT(at.type != NULL); // timers of tickers come with their types
        return 0;
    }
    if (look.is_look == 0) {
        (void)ticker_add(&at);
        return 0;
    }
    kni_ticker_head head;
    bool runs;
    if (!ticker_read(world, at.type, entity, &head, &runs) ||
        !kn_timer_id_equal(head.timer, kn_timer_firing(world))) {
        return 0;
    }
    kn_result result = runs ? check_running(&at, head) : check_waiting(&at, head);
    bool is_same = ticker_is_same(&at, &head);
    if (result != KN_OK && !at.waits && is_same) {
        is_same = !ticker_remove(&at);
    }
    return is_same ? at.type->def.interval : 0;
}

// Queries -------------------------------------------------------------------

bool kn_ticker_is_there(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    return type != NULL && kn_component_read(world, type->component, entity) != NULL;
}

bool kn_ticker_is_running(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    kni_ticker_head head;
    bool runs;
    return type != NULL && ticker_read(world, type, entity, &head, &runs) && runs;
}

kn_time kn_ticker_remaining(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    kni_ticker_head head;
    bool runs;
    return type != NULL && ticker_read(world, type, entity, &head, &runs)
               ? kn_timer_remaining(world, head.timer)
               : 0;
}

void *kn_ticker_state(kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    uint8_t *bytes = type != NULL && type->def.state_size > 0
                         ? kn_component_get(world, type->component, entity)
                         : NULL;
    return bytes != NULL ? bytes + sizeof(kni_ticker_head) : NULL;
}

const void *kn_ticker_read_state(const kn_world *world, kn_ticker_id ticker, kn_entity_id entity)
{
    const kni_ticker_type *type = ticker_type(world, ticker);
    const uint8_t *bytes = type != NULL && type->def.state_size > 0
                               ? kn_component_read(world, type->component, entity)
                               : NULL;
    return bytes != NULL ? bytes + sizeof(kni_ticker_head) : NULL;
}
