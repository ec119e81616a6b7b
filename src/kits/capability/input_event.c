// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// From commands to events: values of actions, and what runs of lanes tell bound members of them.

#include "parts.h"

#define TAPS_MAX 8 // most presses between two runs that have events
#define EVENTS_MAX (3 * TAPS_MAX + 4)

static bool is_rest(kn_vec3 value)
{
    return value.x == 0.0f && value.y == 0.0f && value.z == 0.0f;
}

static bool is_same(kn_vec3 a, kn_vec3 b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

// Lanes ---------------------------------------------------------------------------------

static bool lane_is_bound(const kn_world *world, kn_entity_id entity, uint32_t index)
{
    uint32_t count;
    const member *members = knc_capability_input_members(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].lane == index && (members[i].flags & MEMBER_BOUND) != 0) {
            return true;
        }
    }
    return false;
}

static const phase_item *phase_read(
    const kn_world *world, kn_entity_id entity, kn_input_action_id action, uint32_t index)
{
    uint32_t count = 0;
    const phase_item *items =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->phases, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].action.index1 == action.index1 && items[i].lane == index) {
            return &items[i];
        }
    }
    return NULL;
}

// How far a lane is with an action; a new one has heard of `presses`. NULL without memory.
static phase_item *phase_get(kn_world *world, kn_entity_id entity, kn_input_action_id action,
    uint32_t index, uint32_t presses)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->phases;
    uint32_t count = 0;
    if (kn_component_add(world, type, entity) == NULL) {
        return NULL;
    }
    phase_item *items = kn_component_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].action.index1 == action.index1 && items[i].lane == index) {
            return &items[i];
        }
    }
    items = kn_component_resize(world, type, entity, count + 1);
    if (items == NULL) {
        return NULL;
    }
    items[count].action = action;
    items[count].lane = index;
    items[count].presses = presses;
    return &items[count];
}

bool knc_capability_input_needs(const kn_world *world, kn_entity_id entity, uint32_t index)
{
    uint32_t count = 0;
    const action_state *states =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->actions, entity, &count);
    bool is_news = false;
    for (uint32_t i = 0; i < count && !is_news; i++) {
        const phase_item *p = phase_read(world, entity, states[i].action, index);
        is_news = !is_rest(states[i].value) ||
                  (p != NULL && (p->phase != PHASE_REST || p->presses != states[i].presses));
    }
    return is_news && lane_is_bound(world, entity, index);
}

void knc_capability_input_wake(kn_world *world, kn_entity_id entity)
{
    uint32_t count;
    const member *members = knc_capability_input_members(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((members[i].flags & MEMBER_BOUND) != 0 &&
            knc_capability_input_needs(world, entity, members[i].lane)) {
            knc_capability_lane_join(world, entity, members[i].lane);
            members = knc_capability_input_members(world, entity, &count);
        }
    }
}

void knc_capability_input_wake_all(kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_entity_id entity = {0};
    while ((entity = kn_component_next(world, kit->actions, entity)).index1 != 0) {
        knc_capability_input_wake(world, entity);
    }
}

// Events ----------------------------------------------------------------------------------

typedef struct action_event {
    kn_input_trigger on;
    kn_vec3 value;
} action_event;

typedef struct event_list {
    action_event items[EVENTS_MAX];
    uint32_t count;
} event_list;

static void event_push(event_list *events, kn_input_trigger on, kn_vec3 value)
{
    if (events->count < EVENTS_MAX) {
        events->items[events->count++] = (action_event){on, value};
    }
}

// The end of a press; one that was held for long enough just before is triggered first.
static void press_end(event_list *events, bool is_triggered, bool is_due, kn_vec3 value)
{
    const kn_vec3 rest = {0.0f, 0.0f, 0.0f};
    if (!is_triggered && is_due) {
        event_push(events, KN_INPUT_TRIGGER_TRIGGERED, value);
    }
    event_push(events,
        is_triggered || is_due ? KN_INPUT_TRIGGER_COMPLETED : KN_INPUT_TRIGGER_CANCELED, rest);
}

// Presses that began and ended since the last run; how long they were held is known of the last
// one.
static void taps_tell(event_list *events, const kn_input_action_def *def, const action_state *state,
    uint32_t taps, bool is_held)
{
    taps = taps < TAPS_MAX ? taps : TAPS_MAX;
    for (uint32_t i = 0; i < taps; i++) {
        bool is_known = i + 1 == taps && !is_held;
        kn_time held = is_known ? state->until - state->since : 0;
        event_push(events, KN_INPUT_TRIGGER_STARTED, state->last);
        press_end(events, false, held >= def->hold, state->last);
    }
}

static void hold_tell(event_list *events, const kn_input_action_def *def, const action_state *state,
    phase_item *p, kn_time now, bool is_new)
{
    if (is_new) {
        event_push(events, KN_INPUT_TRIGGER_STARTED, state->value);
        p->phase = PHASE_HELD;
        p->next = state->since + def->hold;
    }
    bool is_over = def->once && p->phase == PHASE_TRIGGERED;
    if (now < p->next || is_over) {
        if (!is_new) {
            event_push(events, KN_INPUT_TRIGGER_ONGOING, state->value);
        }
        return;
    }
    event_push(events, KN_INPUT_TRIGGER_TRIGGERED, state->value);
    p->phase = PHASE_TRIGGERED;
    if (def->repeat > 0) {
        p->next += def->repeat * (1 + (now - p->next) / def->repeat);
    }
}

// What a lane has to tell of an action.
static void events_of(event_list *events, const kn_input_action_def *def, const action_state *state,
    phase_item *p, kn_time now)
{
    bool is_held = !is_rest(state->value);
    uint32_t presses = state->presses - p->presses;
    if (p->phase != PHASE_REST && (presses > 0 || !is_held)) {
        bool is_due = presses == 0 && p->next <= state->until;
        press_end(events, p->phase == PHASE_TRIGGERED, is_due, state->last);
        p->phase = PHASE_REST;
    }
    taps_tell(events, def, state, presses - (presses > 0 && is_held), is_held);
    if (is_held) {
        hold_tell(events, def, state, p, now, presses > 0);
    }
    p->presses = state->presses;
}

static bool may_hear(const kn_world *world, kn_entity_id entity, const member *m)
{
    const capability_plan *plan =
        &knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1];
    const uint32_t needed = MEMBER_ACTIVE | MEMBER_ENABLED;
    return plan->def->hears_input_always ||
           ((m->flags & needed) == needed && !knc_capability_is_blocked(world, entity, m, plan));
}

// Members in their order, until one of them consumes the event.
static void event_deliver(kn_world *world, kn_entity_id entity, uint32_t index,
    kn_input_action_id action, const action_event *event)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const uint32_t mask = MEMBER_BOUND | MEMBER_SET_UP | MEMBER_LEAVING;
    uint32_t count;
    const member *members = knc_capability_input_members(world, entity, &count);
    for (uint32_t i = 0; i < count;
         i++, members = knc_capability_input_members(world, entity, &count)) {
        const member m = members[i];
        const binding_item binding = {.number = m.number, .action = action, .on = event->on};
        if (m.lane != index || (m.flags & mask) != (MEMBER_BOUND | MEMBER_SET_UP) ||
            !knc_capability_input_is_bound_to(world, entity, &binding) ||
            !may_hear(world, entity, &m)) {
            continue;
        }
        kn_capability_input_call call = {
            .number = m.number,
            .set_number = m.set_number,
            .action = action,
            .on = event->on,
            .value = event->value,
            .controller = knc_capability_input_controller(world, entity),
        };
        (void)kn_hook_run(world, kit->capability_kind, m.capability.index1,
            &kit->plans[m.capability.index1 - 1].def->input, entity, &call);
        if (call.consumed != 0) {
            return;
        }
    }
}

void knc_capability_input_run(kn_world *world, kn_entity_id entity, uint32_t index)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    if (!lane_is_bound(world, entity, index)) {
        return;
    }
    for (uint32_t i = 0;; i++) {
        uint32_t count = 0;
        const action_state *states = kn_component_read_items(world, kit->actions, entity, &count);
        if (i >= count) {
            return;
        }
        const action_state state = states[i];
        const kn_input_action_def *def =
            kn_input_action_get_def(kn_world_library(world), state.action);
        // A lane that begins to listen does not hear of presses that are over.
        phase_item *p = phase_get(
            world, entity, state.action, index, state.presses - (is_rest(state.value) ? 0 : 1));
        event_list events;
        events.count = 0;
        if (p == NULL || def == NULL) {
            return;
        }
        events_of(&events, def, &state, p, kn_world_now(world));
        for (uint32_t j = 0; j < events.count; j++) {
            event_deliver(world, entity, index, state.action, &events.items[j]);
        }
    }
}

// Commands --------------------------------------------------------------------------------

static const action_state *action_read(
    const kn_world *world, kn_entity_id entity, kn_input_action_id action)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    const action_state *states =
        kit != NULL ? kn_component_read_items(world, kit->actions, entity, &count) : NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (states[i].action.index1 == action.index1) {
            return &states[i];
        }
    }
    return NULL;
}

kn_vec3 kn_capability_action_value(
    const kn_world *world, kn_entity_id entity, kn_input_action_id action)
{
    const action_state *state = action_read(world, entity, action);
    bool is_known = state != NULL && knc_capability_input_controller_read(world, entity) != NULL;
    return is_known ? state->value : (kn_vec3){0.0f, 0.0f, 0.0f};
}

kn_time kn_capability_action_since(
    const kn_world *world, kn_entity_id entity, kn_input_action_id action)
{
    const action_state *state = action_read(world, entity, action);
    bool is_known = state != NULL && knc_capability_input_controller_read(world, entity) != NULL;
    return is_known && !is_rest(state->value) ? state->since : KN_TIME_INFINITE;
}

kn_result knc_capability_input_act_check(
    void *user, const kn_world *world, const kn_command *command)
{
    const kn_action_command *payload = command->payload;
    (void)user;
    if (!kn_entity_is_alive(world, command->entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (kn_entity_is_dying(world, command->entity)) {
        return KN_REFUSED_DYING;
    }
    if (payload == NULL || payload->action.index1 == 0) {
        return KN_REFUSED_NOT_FOUND;
    }
    return knc_capability_input_controller_read(world, command->entity) != NULL
               ? KN_OK
               : KN_REFUSED_BLOCKED;
}

// Lanes of bound members remember what they have told of so far.
static bool phases_prepare(
    kn_world *world, kn_entity_id entity, kn_input_action_id action, uint32_t presses)
{
    uint32_t count;
    const member *members = knc_capability_input_members(world, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t index = members[i].lane;
        if ((members[i].flags & MEMBER_BOUND) != 0 &&
            phase_get(world, entity, action, index, presses) == NULL) {
            return false;
        }
        members = knc_capability_input_members(world, entity, &count);
    }
    return true;
}

static action_state *action_get(kn_world *world, kn_entity_id entity, kn_input_action_id action)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->actions;
    uint32_t count = 0;
    if (kn_component_add(world, type, entity) == NULL) {
        return NULL;
    }
    action_state *states = kn_component_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (states[i].action.index1 == action.index1) {
            return &states[i];
        }
    }
    states = kn_component_resize(world, type, entity, count + 1);
    if (states == NULL) {
        return NULL;
    }
    states[count].action = action;
    return &states[count];
}

kn_result knc_capability_input_act(void *user, kn_world *world, const kn_command *command)
{
    const kn_action_command *payload = command->payload;
    (void)user;
    const kn_vec3 value = knc_capability_input_shape(
        kn_input_action_get_def(kn_world_library(world), payload->action), payload->value);
    const action_state *before = action_read(world, command->entity, payload->action);
    if (before != NULL ? is_same(before->value, value) : is_rest(value)) {
        return KN_OK;
    }
    if (!phases_prepare(
            world, command->entity, payload->action, before != NULL ? before->presses : 0)) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    action_state *state = action_get(world, command->entity, payload->action);
    if (state == NULL) {
        return KN_ERROR_OUT_OF_MEMORY;
    }
    if (is_rest(value)) {
        state->until = kn_world_now(world);
    } else {
        if (is_rest(state->value)) {
            state->presses++;
            state->since = kn_world_now(world);
        }
        state->last = value;
    }
    state->value = value;
    knc_capability_input_wake(world, command->entity);
    return KN_OK;
}
