// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Runs: members that are due, in order, once for each run of their lane. Calls about one member
// are here too.

#include "parts.h"

#include <stdio.h>
#include <string.h>

// Lanes -----------------------------------------------------------------------

void knc_capability_lane_join(kn_world *world, kn_entity_id entity, uint32_t index)
{
    (void)kn_component_add(world, knc_capability_kit_of_world(world)->lanes[index].mark, entity);
}

void knc_capability_due(kn_world *world, kn_entity_id entity, member *m)
{
    m->flags |= MEMBER_DUE;
    knc_capability_lane_join(world, entity, m->lane);
}

// A capability that sleeps still ticks while it is active.
bool knc_capability_is_asleep(const capability_plan *plan, uint32_t flags)
{
    return plan->sleeps && ((flags & MEMBER_ACTIVE) == 0 || plan->tick.function == NULL);
}

static bool is_listed(uint32_t flags)
{
    return (flags & MEMBER_LISTED) == MEMBER_LISTED;
}

bool knc_capability_waits(const capability_plan *plan, uint32_t flags)
{
    return plan->sleeps || !is_listed(flags);
}

// Evaluation ------------------------------------------------------------------------

static inline bool hook_agrees(const kn_world *world, kn_entity_id entity, const member *m,
    const capability_kit *kit, const capability_plan *plan, const kn_hook *hook)
{
    kn_capability_call arguments = {.number = m->number, .set_number = m->set_number};
    const kn_hook_call call = {
        world, NULL, kit->capability_kind, m->capability.index1, entity, &arguments};
    if (plan->state.index1 != 0) {
        arguments.state = knc_capability_state_read(world, entity, plan, m->number);
    }
    return hook->function(hook->user, &call) == KN_OK;
}

static bool condition_holds(const kn_world *world, kn_entity_id entity, kn_condition_id condition)
{
    kn_event_record record = kn_event_record_default();
    record.instigator = entity;
    record.target = entity;
    return kn_condition_holds(world, condition, &record);
}

// What the definition asks before its hook.
bool knc_capability_data_agrees(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan)
{
    return (!plan->has_when || kn_entity_meets(world, entity, &plan->def->when)) &&
           (plan->def->start_when.index1 == 0 ||
               condition_holds(world, entity, plan->def->start_when));
}

bool knc_capability_data_objects(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan)
{
    return (plan->has_when && !kn_entity_meets(world, entity, &plan->def->when)) ||
           (plan->def->stop_when.index1 != 0 &&
               condition_holds(world, entity, plan->def->stop_when));
}

static inline bool should_start(const kn_world *world, kn_entity_id entity, const member *m,
    const capability_kit *kit, const capability_plan *plan)
{
    return (!plan->asks_data || knc_capability_data_agrees(world, entity, plan)) &&
           (plan->should_activate.function == NULL ||
               hook_agrees(world, entity, m, kit, plan, &plan->should_activate));
}

static inline bool should_stop(const kn_world *world, kn_entity_id entity, const member *m,
    const capability_kit *kit, const capability_plan *plan)
{
    return (plan->asks_data && knc_capability_data_objects(world, entity, plan)) ||
           (plan->should_deactivate.function != NULL &&
               hook_agrees(world, entity, m, kit, plan, &plan->should_deactivate));
}

bool knc_capability_should_start(
    const kn_world *world, kn_entity_id entity, const member *m, const capability_kit *kit)
{
    return should_start(world, entity, m, kit, &kit->plans[m->capability.index1 - 1]);
}

bool knc_capability_should_stop(
    const kn_world *world, kn_entity_id entity, const member *m, const capability_kit *kit)
{
    return should_stop(world, entity, m, kit, &kit->plans[m->capability.index1 - 1]);
}

// Whether the same question gets another answer: then somebody's predicate does more than read.
static void ask_again(kn_world *world, kn_entity_id entity, const member *m,
    const capability_kit *kit, bool is_active, bool answer)
{
    bool again = is_active ? knc_capability_should_stop(world, entity, m, kit)
                           : knc_capability_should_start(world, entity, m, kit);
    if (again != answer) {
        const kn_capability_problem problem = {
            .fault = KN_CAPABILITY_FAULT_ANSWERS, .capability = m->capability};
        knc_capability_report(world, entity, &problem);
    }
}

// Whether something is published about questions and those who are passed over. Then members have
// to be found anew after it.
static bool is_watched(const kn_world *world, const capability_kit *kit)
{
    return kit->rules->asks_twice || kn_custom_event_is_wanted(world, kit->called);
}

// Tells the answer to those who watch, and switches the member accordingly.
static void answer_follow(kn_world *world, kn_entity_id entity, const member *found,
    const capability_kit *kit, bool answer)
{
    const member m = *found;
    bool is_active = (m.flags & MEMBER_ACTIVE) != 0;
    knc_capability_tell(world, entity, &m,
        is_active ? KN_CAPABILITY_HOOK_SHOULD_DEACTIVATE : KN_CAPABILITY_HOOK_SHOULD_ACTIVATE,
        answer, 0);
    if (kit->rules->asks_twice) {
        ask_again(world, entity, &m, kit, is_active, answer);
    }
    if (answer) {
        knc_capability_switch(world, entity, m.number, !is_active, KN_CAPABILITY_REASON_CONDITION);
    }
}

// Switches a member by its conditions, at most once.
static void state_update(
    kn_world *world, kn_entity_id entity, const member *m, const capability_kit *kit)
{
    bool answer = (m->flags & MEMBER_ACTIVE) != 0
                      ? knc_capability_should_stop(world, entity, m, kit)
                      : knc_capability_should_start(world, entity, m, kit);
    answer_follow(world, entity, m, kit, answer);
}

// Blocks of members outside of runs: one that is blocked is switched off, one that is free again is
// asked once.
static void unlisted_update(
    kn_world *world, kn_entity_id entity, member *m, const capability_kit *kit, bool is_blocked)
{
    const uint32_t needed = MEMBER_SET_UP | MEMBER_ENABLED;
    if (kit->rules->literal_blocks || (m->flags & needed) != needed) {
        return;
    }
    if (is_blocked) {
        const uint32_t number = m->number;
        m->flags |= MEMBER_WAS_BLOCKED;
        knc_capability_tell_stopped(world, entity, m);
        knc_capability_switch(world, entity, number, false, KN_CAPABILITY_REASON_BLOCKED);
        return;
    }
    bool was_blocked = (m->flags & MEMBER_WAS_BLOCKED) != 0;
    m->flags &= ~(uint32_t)MEMBER_WAS_BLOCKED;
    if ((was_blocked && (m->flags & MEMBER_ACTIVE) == 0) ||
        kit->plans[m->capability.index1 - 1].sleeps) {
        state_update(world, entity, m, kit);
    }
}

// Whether a member is evaluated now, and the time since it was evaluated last. Blocked time counts
// neither for intervals nor for ticks.
static bool is_time(member *m, kn_time dt, bool is_woken, kn_time *elapsed)
{
    bool is_time = true;
    *elapsed = m->elapsed + dt;
    if (m->interval != 0) {
        m->cadence += dt;
        is_time = m->cadence >= m->interval;
        m->cadence %= m->interval;
    }
    if (!is_time && !is_woken) {
        m->elapsed = *elapsed;
        return false;
    }
    if (m->elapsed != 0) {
        m->elapsed = 0;
    }
    return true;
}

static void member_tick(kn_world *world, kn_entity_id entity, const member *m,
    const capability_plan *plan, const capability_kit *kit, kn_time elapsed)
{
    (void)knc_capability_hook_with(
        world, entity, m, kit, &plan->tick, (kn_capability_call){.dt = elapsed});
}

// The tick of a member that was switched or is watched, so that it may be somewhere else now.
static void member_tick_after(kn_world *world, kn_entity_id entity, uint32_t number,
    const capability_plan *plan, const capability_kit *kit, kn_time elapsed)
{
    const member *m = knc_capability_member_read(world, entity, number, NULL);
    if (m == NULL || (m->flags & (MEMBER_ACTIVE | MEMBER_LEAVING)) != MEMBER_ACTIVE ||
        plan->tick.function == NULL) {
        return;
    }
    const member copy = *m;
    knc_capability_tell(world, entity, &copy, KN_CAPABILITY_HOOK_TICK, false, elapsed);
    member_tick(world, entity, &copy, plan, kit, elapsed);
}

// One member in its turn. False if nothing ran that could change the world, so that members are
// still where they were.
static bool member_run(kn_world *world, kn_entity_id entity, member *m, const capability_plan *plan,
    const capability_kit *kit, kn_time dt, bool has_watchers)
{
    const uint32_t number = m->number;
    bool is_due = (m->flags & MEMBER_DUE) != 0, was_active = (m->flags & MEMBER_ACTIVE) != 0;
    if (is_due) {
        m->flags &= ~(uint32_t)MEMBER_DUE;
    }
    if (knc_capability_waits(plan, m->flags) && kn_world_is_client(world)) {
        m->heard = knc_capability_heard_mark(world, entity, plan);
    }
    bool is_blocked = knc_capability_is_blocked(world, entity, m, plan);
    if (!is_listed(m->flags)) {
        unlisted_update(world, entity, m, kit, is_blocked);
        return true;
    }
    if (is_blocked) {
        if (has_watchers) {
            knc_capability_tell_stopped(world, entity, m);
        }
        if (was_active) {
            knc_capability_switch(world, entity, number, false, KN_CAPABILITY_REASON_BLOCKED);
        }
        return was_active || has_watchers;
    }
    kn_time elapsed;
    if (!is_time(m, dt, is_due && plan->sleeps, &elapsed)) {
        if (has_watchers) {
            knc_capability_tell(world, entity, m, KN_CAPABILITY_HOOK_PASSED, false, 0);
        }
        return has_watchers;
    }
    bool answer = was_active ? should_stop(world, entity, m, kit, plan)
                             : should_start(world, entity, m, kit, plan);
    if (answer || has_watchers) {
        answer_follow(world, entity, m, kit, answer);
        member_tick_after(world, entity, number, plan, kit, elapsed);
        return true;
    }
    if (!was_active || plan->tick.function == NULL) {
        return false;
    }
    member_tick(world, entity, m, plan, kit, elapsed);
    return true;
}

// Whether a member has to be looked at in a run.
static bool is_run(const capability_plan *plan, const member *m)
{
    return (m->flags & MEMBER_LEAVING) == 0 &&
           ((m->flags & MEMBER_DUE) != 0 ||
               (is_listed(m->flags) && !knc_capability_is_asleep(plan, m->flags)));
}

static bool lane_is_needed(
    const kn_world *world, const capability_kit *kit, kn_entity_id entity, uint32_t index)
{
    uint32_t count = 0;
    const member *members = kn_component_read_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (members[i].lane == index &&
            is_run(&kit->plans[members[i].capability.index1 - 1], &members[i])) {
            return true;
        }
    }
    return false;
}

// Effects end without a word: those that block are looked at.
static bool waits_for_effects(const kn_world *world, const capability_kit *kit, kn_entity_id entity)
{
    const host *h = kn_component_read(world, kit->hosts, entity);
    return h != NULL && h->effect_blocks != 0;
}

static void entity_run(
    kn_world *world, kn_entity_id entity, uint32_t index, kn_time dt, bool has_watchers)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    const host *h = kn_component_read(world, kit->hosts, entity);
    if (h != NULL && h->effect_blocks != 0) {
        knc_capability_lift_dead_blocks(world, entity);
        h = kn_component_read(world, kit->hosts, entity);
    }
    if (h == NULL) {
        (void)kn_component_remove(world, kit->lanes[index].mark, entity);
        return;
    }
    bool has_input = h->bound != 0;
    knc_capability_hold(world, entity);
    if (has_input) {
        knc_capability_input_run(world, entity, index);
    }
    member *members = kn_component_items(world, kit->hosts, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        member *m = &members[i];
        const capability_plan *plan = &kit->plans[m->capability.index1 - 1];
        if (m->lane == index && is_run(plan, m) &&
            member_run(world, entity, m, plan, kit, dt, has_watchers)) {
            members = kn_component_items(world, kit->hosts, entity, &count);
        }
    }
    knc_capability_let_go(world, entity);
    if (!lane_is_needed(world, kit, entity, index) && !waits_for_effects(world, kit, entity) &&
        !knc_capability_input_needs(world, entity, index)) {
        (void)kn_component_remove(world, kit->lanes[index].mark, entity);
    }
}

// Runs --------------------------------------------------------------------------------

// The world's own component, with the timers; NULL without memory.
static clock_state *clock_of(kn_world *world)
{
    return kn_component_add(world, knc_capability_kit_of_world(world)->clock, (kn_entity_id){0});
}

// What came in from a server, and sides that depend on others.
static void arrivals_look(kn_world *world, const capability_kit *kit)
{
    clock_state *clock = clock_of(world);
    if (clock != NULL && clock->connection != kn_world_connection(world)) {
        clock->connection = kn_world_connection(world);
        knc_capability_settle_all(world);
    }
    kn_entity_id entity = {0};
    while ((entity = kn_component_next(world, kit->chains, entity)).index1 != 0) {
        knc_capability_settle(world, entity);
    }
    if (!kn_world_is_client(world)) {
        knc_capability_posts_expire(world);
        return;
    }
    const kn_component_type_id types[] = {kit->sets, kit->hosts};
    for (uint32_t i = 0; i < 2; i++) {
        while ((entity = kn_component_next(world, types[i], entity)).index1 != 0) {
            knc_capability_look(world, entity);
        }
    }
    while ((entity = kn_component_next(world, kit->hosts, entity)).index1 != 0) {
        knc_capability_arrivals_hear(world, entity);
    }
    knc_capability_input_wake_all(world);
    while ((entity = kn_component_next(world, kit->heads, entity)).index1 != 0) {
        knc_capability_data_look(world, entity);
    }
    knc_capability_posts_look(world);
}

static void lane_run(kn_world *world, const capability_kit *kit, uint32_t index, kn_time dt)
{
    kn_entity_id entity = {0};
    const bool has_watchers = is_watched(world, kit);
    arrivals_look(world, kit);
    knc_capability_clock_run(world);
    while ((entity = kn_component_next(world, kit->lanes[index].mark, entity)).index1 != 0) {
        entity_run(world, entity, index, dt, has_watchers);
    }
}

static void lane_system(void *user, kn_world *world, const kn_system_run *run)
{
    const lane *l = user;
    const capability_kit *kit = knc_capability_kit_of_world(world);
    lane_run(world, kit, (uint32_t)(l - kit->lanes), run->period);
}

kn_result knc_capability_system_register(
    kn_library *library, capability_kit *kit, uint32_t index, kn_error *error)
{
    char name[160];
    lane *l = &kit->lanes[index];
    kn_system_def def = kn_system_def_default();
    (void)snprintf(name, sizeof(name), "Knack.Capabilities.%u.%s", l->rate, l->group);
    def.name = name;
    def.rate = l->rate;
    def.group_name = l->group;
    def.function = lane_system;
    def.user = l;
    kn_result result = kn_system_register(library, &def, &l->system, error);
    return result == KN_REFUSED_DUPLICATE ? KN_OK : result; // finished for a second time
}

typedef struct update_call {
    kn_entity_id entity;
    kn_time dt;
} update_call;

static kn_result update_run(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const update_call *c = user;
    for (uint32_t i = 0; i < kit->lane_count; i++) {
        if (kit->lanes[i].rate != 0) {
            continue;
        }
        if (c->entity.index1 == 0) {
            lane_run(world, kit, i, c->dt);
        } else {
            arrivals_look(world, kit);
            knc_capability_clock_run(world);
            entity_run(world, c->entity, i, c->dt, is_watched(world, kit));
        }
    }
    return KN_OK;
}

kn_result kn_capabilities_update(kn_world *world, kn_entity_id entity, kn_time dt)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (entity.index1 != 0 && !kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    if (dt < 0 || dt > KN_TIME_MAX) {
        return KN_REFUSED_BAD_NUMBER;
    }
    update_call c = {entity, dt};
    return kn_world_call(world, update_run, &c);
}

// Calls about one member ----------------------------------------------------------------

typedef struct member_call {
    kn_entity_id entity;
    uint32_t number;
    uint32_t value;
    kn_time time;
} member_call;

static kn_result member_check(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    if (knc_capability_kit_of_world(world) == NULL) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!kn_entity_is_alive(world, entity)) {
        return KN_REFUSED_STALE_ID;
    }
    return knc_capability_member_read(world, entity, number, NULL) != NULL ? KN_OK
                                                                           : KN_REFUSED_NOT_FOUND;
}

static kn_result member_do(kn_world *world, kn_world_call_fn *function, member_call c)
{
    kn_result result = member_check(world, c.entity, c.number);
    return result != KN_OK ? result : kn_world_call(world, function, &c);
}

static const capability_plan *plan_of(const kn_world *world, const member *m)
{
    return &knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1];
}

static kn_result activate_run(void *user, kn_world *world)
{
    const member_call *c = user;
    const member *m = knc_capability_member_read(world, c->entity, c->number, NULL);
    if ((m->flags & MEMBER_ACTIVE) != 0 && (m->flags & MEMBER_IN_HOOK) == 0) {
        return KN_OK;
    }
    if (!knc_capability_may_start(world, c->entity, m)) {
        return KN_REFUSED_BLOCKED;
    }
    knc_capability_switch(world, c->entity, c->number, true, KN_CAPABILITY_REASON_REQUEST);
    return KN_OK;
}

kn_result kn_capability_activate(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return member_do(world, activate_run, (member_call){.entity = entity, .number = number});
}

static kn_result deactivate_run(void *user, kn_world *world)
{
    const member_call *c = user;
    knc_capability_switch(world, c->entity, c->number, false, KN_CAPABILITY_REASON_REQUEST);
    return KN_OK;
}

kn_result kn_capability_deactivate(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return member_do(world, deactivate_run, (member_call){.entity = entity, .number = number});
}

static kn_result evaluate_run(void *user, kn_world *world)
{
    const member_call *c = user;
    const uint32_t needed = MEMBER_SET_UP | MEMBER_ENABLED;
    member *m = knc_capability_member(world, c->entity, c->number);
    if ((m->flags & needed) != needed || (m->flags & (MEMBER_LEAVING | MEMBER_IN_HOOK)) != 0) {
        return KN_OK;
    }
    const capability_plan *plan = plan_of(world, m);
    if (knc_capability_is_blocked(world, c->entity, m, plan)) {
        m->flags |= MEMBER_WAS_BLOCKED;
        knc_capability_tell_stopped(world, c->entity, m);
        knc_capability_switch(world, c->entity, c->number, false, KN_CAPABILITY_REASON_BLOCKED);
        return KN_OK;
    }
    state_update(world, c->entity, m, knc_capability_kit_of_world(world));
    return KN_OK;
}

kn_result kn_capability_evaluate(kn_world *world, kn_entity_id entity, uint32_t number)
{
    return member_do(world, evaluate_run, (member_call){.entity = entity, .number = number});
}

static kn_result enable_run(void *user, kn_world *world)
{
    const member_call *c = user;
    member *m = knc_capability_member(world, c->entity, c->number);
    if (c->value != 0) {
        m->flags |= MEMBER_ENABLED;
        knc_capability_due(world, c->entity, m);
        return KN_OK;
    }
    m->flags &= ~(uint32_t)MEMBER_ENABLED;
    knc_capability_tell(world, c->entity, m, KN_CAPABILITY_HOOK_PASSED, false, 0);
    if (!knc_capability_kit_of_world(world)->rules->freezes_disabled) {
        knc_capability_switch(world, c->entity, c->number, false, KN_CAPABILITY_REASON_DISABLED);
    }
    return KN_OK;
}

kn_result kn_capability_set_enabled(
    kn_world *world, kn_entity_id entity, uint32_t number, bool is_enabled)
{
    return member_do(
        world, enable_run, (member_call){.entity = entity, .number = number, .value = is_enabled});
}

static kn_result can_tick_run(void *user, kn_world *world)
{
    const member_call *c = user;
    member *m = knc_capability_member(world, c->entity, c->number);
    m->flags &= ~(uint32_t)MEMBER_CAN_TICK;
    if (c->value != 0) {
        m->flags |= MEMBER_CAN_TICK;
        knc_capability_due(world, c->entity, m);
    }
    return KN_OK;
}

kn_result kn_capability_set_can_tick(
    kn_world *world, kn_entity_id entity, uint32_t number, bool can_tick)
{
    return member_do(
        world, can_tick_run, (member_call){.entity = entity, .number = number, .value = can_tick});
}

static kn_result interval_run(void *user, kn_world *world)
{
    const member_call *c = user;
    member *m = knc_capability_member(world, c->entity, c->number);
    m->interval = c->time;
    m->cadence = 0;
    return KN_OK;
}

kn_result kn_capability_set_interval(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_time interval)
{
    if (interval < 0 || interval > KN_TIME_MAX) {
        return KN_REFUSED_BAD_NUMBER;
    }
    return member_do(
        world, interval_run, (member_call){.entity = entity, .number = number, .time = interval});
}

static kn_result move_run(void *user, kn_world *world)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    const member_call *c = user;
    const host *h = kn_component_read(world, kit->hosts, c->entity);
    uint32_t count = 0, from = 0;
    if (h->busy != 0) {
        return KN_REFUSED_BLOCKED;
    }
    (void)knc_capability_member_read(world, c->entity, c->number, &from);
    member *members = kn_component_items(world, kit->hosts, c->entity, &count);
    uint32_t to = c->value < count ? c->value : count - 1;
    const member moved = members[from];
    memmove(&members[from], &members[from + 1], (count - from - 1) * sizeof(*members));
    memmove(&members[to + 1], &members[to], (count - 1 - to) * sizeof(*members));
    members[to] = moved;
    return KN_OK;
}

kn_result kn_capability_move(kn_world *world, kn_entity_id entity, uint32_t number, uint32_t place)
{
    return member_do(
        world, move_run, (member_call){.entity = entity, .number = number, .value = place});
}
