// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// One capability of an entity: its hooks, its switches, and what it brings while it is active.
// Hooks may do anything, so members are found anew after every one of them.

#include "parts.h"

#include <string.h>

static const capability_plan *plan_of(const kn_world *world, const member *m)
{
    return &knc_capability_kit_of_world(world)->plans[m->capability.index1 - 1];
}

// Where the member with a number is, or `count`. Numbers rise with places, unless one was moved.
static uint32_t member_place(const member *members, uint32_t count, uint32_t number)
{
    uint32_t guess = count > 0 ? number - members[0].number : 0, i = 0;
    if (guess < count && members[guess].number == number) {
        return guess;
    }
    while (i < count && members[i].number != number) {
        i++;
    }
    return i;
}

member *knc_capability_member(kn_world *world, kn_entity_id entity, uint32_t number)
{
    uint32_t count = 0;
    member *members =
        kn_component_items(world, knc_capability_kit_of_world(world)->hosts, entity, &count);
    uint32_t place = member_place(members, count, number);
    return place < count ? &members[place] : NULL;
}

const member *knc_capability_member_read(
    const kn_world *world, kn_entity_id entity, uint32_t number, uint32_t *place)
{
    uint32_t count = 0;
    const member *members =
        kn_component_read_items(world, knc_capability_kit_of_world(world)->hosts, entity, &count);
    uint32_t found = member_place(members, count, number);
    if (place != NULL) {
        *place = found;
    }
    return found < count ? &members[found] : NULL;
}

// State -------------------------------------------------------------------------

// Of a capability that an entity may have several times, the one of a member.
static kn_component_id state_find(
    const kn_world *world, kn_entity_id entity, kn_component_type_id type, uint32_t number)
{
    kn_component_id id = {0};
    while ((id = kn_component_instance_next(world, type, entity, id)).index1 != 0) {
        const state_head *state = kn_component_instance_read(world, type, id);
        if (state->number == number) {
            break;
        }
    }
    return id;
}

kn_result knc_capability_state_add(kn_world *world, kn_entity_id entity, const member *m)
{
    const capability_plan *plan = plan_of(world, m);
    kn_component_id id;
    if (plan->state.index1 == 0) {
        return KN_OK;
    }
    if (plan->is_single) {
        state_head *state = kn_component_add(world, plan->state, entity);
        if (state != NULL) {
            state->number = m->number;
        }
        return state != NULL ? KN_OK : KN_ERROR_OUT_OF_MEMORY;
    }
    kn_result result = kn_component_instance_add(world, plan->state, entity, &id);
    if (result == KN_OK) {
        ((state_head *)kn_component_instance_get(world, plan->state, id))->number = m->number;
    }
    return result;
}

void knc_capability_state_remove(kn_world *world, kn_entity_id entity, const member *m)
{
    const capability_plan *plan = plan_of(world, m);
    if (plan->state.index1 != 0 && plan->is_single) {
        (void)kn_component_remove(world, plan->state, entity);
    } else if (plan->state.index1 != 0) {
        (void)kn_component_instance_remove(
            world, plan->state, state_find(world, entity, plan->state, m->number));
    }
}

// The plan of a member that has a state; NULL for others.
static const capability_plan *state_plan(
    const kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    uint32_t count = 0;
    const member *members =
        kit != NULL ? kn_component_read_items(world, kit->hosts, entity, &count) : NULL;
    uint32_t place = member_place(members, count, number);
    const capability_plan *plan =
        place < count ? &kit->plans[members[place].capability.index1 - 1] : NULL;
    return plan != NULL && plan->state.index1 != 0 ? plan : NULL;
}

const void *knc_capability_state_read(
    const kn_world *world, kn_entity_id entity, const capability_plan *plan, uint32_t number)
{
    const state_head *state = plan->is_single ? kn_component_read(world, plan->state, entity)
                                              : kn_component_instance_read(world, plan->state,
                                                    state_find(world, entity, plan->state, number));
    return state != NULL ? state + 1 : NULL;
}

static void *state_get(
    kn_world *world, kn_entity_id entity, const capability_plan *plan, uint32_t number)
{
    state_head *state = plan->is_single ? kn_component_get(world, plan->state, entity)
                                        : kn_component_instance_get(world, plan->state,
                                              state_find(world, entity, plan->state, number));
    return state != NULL ? state + 1 : NULL;
}

const void *kn_capability_read_state(const kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_plan *plan = state_plan(world, entity, number);
    return plan != NULL ? knc_capability_state_read(world, entity, plan, number) : NULL;
}

void *kn_capability_state(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_plan *plan = state_plan(world, entity, number);
    return plan != NULL ? state_get(world, entity, plan, number) : NULL;
}

// Hooks -------------------------------------------------------------------------

kn_result knc_capability_hook_with(kn_world *world, kn_entity_id entity, const member *m,
    const capability_kit *kit, const kn_hook *hook, kn_capability_call call)
{
    const capability_plan *plan = &kit->plans[m->capability.index1 - 1];
    if (hook->function == NULL) {
        return KN_OK;
    }
    call.number = m->number;
    call.set_number = m->set_number;
    if (plan->state.index1 != 0) {
        call.writable_state = state_get(world, entity, plan, m->number);
        call.state = call.writable_state;
    }
    return kn_hook_run(world, kit->capability_kind, m->capability.index1, hook, entity, &call);
}

kn_result knc_capability_hook(
    kn_world *world, kn_entity_id entity, const member *m, const kn_hook *hook)
{
    return knc_capability_hook_with(
        world, entity, m, knc_capability_kit_of_world(world), hook, (kn_capability_call){0});
}

// What comes and goes with it ---------------------------------------------------------

static void grant_note(kn_world *world, kn_entity_id entity, grant_item grant)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->grants;
    uint32_t count = 0;
    if (kn_component_add(world, type, entity) == NULL) {
        return;
    }
    (void)kn_component_read_items(world, type, entity, &count);
    grant_item *items = kn_component_resize(world, type, entity, count + 1);
    if (items != NULL) {
        items[count] = grant;
    }
}

static void grants_give(kn_world *world, kn_entity_id entity, const member *m)
{
    const kn_capability_def *def = plan_of(world, m)->def;
    uint32_t number = m->number;
    for (uint32_t i = 0; i < def->grants_tags.count; i++) {
        (void)kn_entity_add_tag(world, entity, def->grants_tags.data[i], KN_TAG_ORIGIN_LOOSE, 1);
    }
    for (uint32_t i = 0; i < def->effect_count; i++) {
        grant_item grant = {.number = number};
        if (kn_effect_apply_simple(world, def->effects[i], entity, entity, 1.0f, &grant.effect) ==
                KN_OK &&
            grant.effect.index1 != 0) {
            grant_note(world, entity, grant);
        }
    }
    for (uint32_t i = 0; i < def->ability_count; i++) {
        grant_item grant = {.number = number};
        kn_ability_grant_def ability = kn_ability_grant_def_default();
        ability.type = def->abilities[i];
        if (kn_ability_grant(world, entity, &ability, &grant.ability) == KN_OK) {
            grant_note(world, entity, grant);
        }
    }
}

// The first grant of a member; false if there is none. It is taken out of the list.
static bool grant_take(kn_world *world, kn_entity_id entity, uint32_t number, grant_item *out)
{
    kn_component_type_id type = knc_capability_kit_of_world(world)->grants;
    uint32_t count = 0;
    grant_item *items = kn_component_items(world, type, entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number == number) {
            *out = items[i];
            memmove(&items[i], &items[i + 1], (count - i - 1) * sizeof(*items));
            (void)kn_component_resize(world, type, entity, count - 1);
            return true;
        }
    }
    return false;
}

static void grants_take_back(kn_world *world, kn_entity_id entity, const member *m)
{
    const kn_capability_def *def = plan_of(world, m)->def;
    grant_item grant;
    for (uint32_t i = 0; i < def->grants_tags.count; i++) {
        (void)kn_entity_remove_tag(world, entity, def->grants_tags.data[i], KN_TAG_ORIGIN_LOOSE, 1);
    }
    while (grant_take(world, entity, m->number, &grant)) {
        if (grant.effect.index1 != 0) {
            (void)kn_effect_remove(world, grant.effect, 0, KN_REMOVED_BY_CALL);
        }
        if (grant.ability.index1 != 0) {
            (void)kn_ability_remove(world, grant.ability, KN_GRANT_CANCEL);
        }
    }
}

// Switches --------------------------------------------------------------------------

// The authority notes for clients what is active.
static void mirror_note(kn_world *world, kn_entity_id entity, const member *m, bool is_active)
{
    uint32_t count = 0;
    if (!plan_of(world, m)->def->mirrored || kn_world_is_client(world)) {
        return;
    }
    set_item *items =
        kn_component_items(world, knc_capability_sets_type(world, entity), entity, &count);
    for (uint32_t i = 0; i < count; i++) {
        if (items[i].number == m->set_number) {
            uint64_t bit = UINT64_C(1) << m->place;
            items[i].mirrored = is_active ? items[i].mirrored | bit : items[i].mirrored & ~bit;
        }
    }
}

static void state_reset(kn_world *world, kn_entity_id entity, const member *m)
{
    const capability_plan *plan = plan_of(world, m);
    void *state = plan->def->resets_state ? kn_capability_state(world, entity, m->number) : NULL;
    if (state != NULL) {
        memset(state, 0, plan->state_size);
    }
}

static void switch_once(kn_world *world, kn_entity_id entity, member *found, bool is_active,
    kn_capability_reason reason)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    found->flags = (found->flags & ~(uint32_t)MEMBER_ACTIVE) | MEMBER_IN_HOOK |
                   (is_active ? MEMBER_ACTIVE : 0);
    found->changed = kn_world_now(world);
    const member m = *found; // `found` is not valid after the next call
    const kn_capability_def *def = plan_of(world, &m)->def;
    const kn_capability_changed event = {
        .capability = m.capability, .number = m.number, .is_active = is_active, .reason = reason};
    mirror_note(world, entity, &m, is_active);
    (void)kn_world_publish(world, entity, kit->changed, &event);
    if (is_active) {
        state_reset(world, entity, &m);
        grants_give(world, entity, &m);
        knc_capability_block_declared(world, entity, &m);
        (void)knc_capability_hook(world, entity, &m, &def->activated);
        return;
    }
    (void)knc_capability_hook(world, entity, &m, &def->deactivated);
    grants_take_back(world, entity, &m);
    knc_capability_lift_blocks(world, entity, KN_CAPABILITY_SOURCE_MEMBER, m.number, true);
}

static bool is_ending(const member *m)
{
    return (m->flags & (MEMBER_ALLOWED | MEMBER_LEAVING)) != MEMBER_ALLOWED;
}

bool knc_capability_may_start(const kn_world *world, kn_entity_id entity, const member *m)
{
    const uint32_t needed = MEMBER_SET_UP | MEMBER_ENABLED;
    return (m->flags & needed) == needed && !is_ending(m) &&
           !knc_capability_is_blocked(world, entity, m, plan_of(world, m));
}

// What its own hook asked for meanwhile follows, a limited number of times.
static void switch_turns(kn_world *world, kn_entity_id entity, uint32_t number, bool is_active,
    kn_capability_reason reason)
{
    uint32_t limit = knc_capability_kit_of_world(world)->rules->flip_limit;
    for (uint32_t turn = 0;; turn++) {
        member *m = knc_capability_member(world, entity, number);
        bool is_there = m != NULL && ((m->flags & MEMBER_ACTIVE) != 0) == is_active;
        if (m != NULL && (m->flags & MEMBER_IN_HOOK) != 0) {
            m->flags &= ~(uint32_t)(MEMBER_WANTS_ON | MEMBER_WANTS_OFF); // the last one counts
            m->flags |= is_there ? 0 : is_active ? MEMBER_WANTS_ON : MEMBER_WANTS_OFF;
            return;
        }
        if (m == NULL || is_there || (is_active && is_ending(m))) {
            return;
        }
        // One that may not be active any more is switched off all the same.
        if (turn >= limit && (is_active || knc_capability_may_start(world, entity, m))) {
            const kn_capability_problem problem = {
                .fault = KN_CAPABILITY_FAULT_FLIPS, .capability = m->capability};
            knc_capability_report(world, entity, &problem);
            return;
        }
        switch_once(world, entity, m, is_active, reason);
        m = knc_capability_member(world, entity, number);
        if (m == NULL) {
            return;
        }
        uint32_t wants = m->flags & (MEMBER_WANTS_ON | MEMBER_WANTS_OFF);
        m->flags &= ~(uint32_t)(MEMBER_IN_HOOK | MEMBER_WANTS_ON | MEMBER_WANTS_OFF);
        if (plan_of(world, m)->sleeps) {
            knc_capability_due(world, entity, m); // as one that is always looked at
        }
        is_active = wants == MEMBER_WANTS_ON;
        reason = KN_CAPABILITY_REASON_REQUEST;
        if (wants == 0 || (is_active && !knc_capability_may_start(world, entity, m))) {
            return;
        }
    }
}

// Sets that hooks change meanwhile wait.
void knc_capability_switch(kn_world *world, kn_entity_id entity, uint32_t number, bool is_active,
    kn_capability_reason reason)
{
    knc_capability_hold(world, entity);
    switch_turns(world, entity, number, is_active, reason);
    knc_capability_let_go(world, entity);
}

// Set-up and end ----------------------------------------------------------------------

static bool begins_active(const kn_world *world, kn_entity_id entity, const member *m)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    kn_capability_initial initial = plan_of(world, m)->def->initial;
    return (initial == KN_INITIAL_START || !knc_capability_should_stop(world, entity, m, kit)) &&
           (initial == KN_INITIAL_STOP || knc_capability_should_start(world, entity, m, kit));
}

// Spread over the interval by a hash of the slot.
static kn_time first_cadence(kn_entity_id entity, const member *m, const kn_capability_def *def)
{
    uint32_t mixed = entity.index1 * UINT32_C(2654435761);
    return def->staggered && m->interval > 0 ? (kn_time)(mixed >> 8) % m->interval : 0;
}

void knc_capability_setup(kn_world *world, kn_entity_id entity, uint32_t number)
{
    const capability_kit *kit = knc_capability_kit_of_world(world);
    member *m = knc_capability_member(world, entity, number);
    m->flags |= MEMBER_SET_UP | MEMBER_ALLOWED | MEMBER_DUE;
    m->elapsed = 0;
    m->cadence = first_cadence(entity, m, plan_of(world, m)->def);
    knc_capability_lane_join(world, entity, m->lane);
    const member copy = *m;
    (void)knc_capability_hook(world, entity, &copy, &plan_of(world, &copy)->def->setup);
    m = knc_capability_member(world, entity, number);
    const uint32_t needed = MEMBER_SET_UP | MEMBER_ENABLED;
    if (m == NULL || (m->flags & (needed | MEMBER_LEAVING)) != needed) {
        return;
    }
    if (!kit->rules->literal_start &&
        knc_capability_is_blocked(world, entity, m, plan_of(world, m))) {
        m->flags |= MEMBER_WAS_BLOCKED;
        return;
    }
    if (begins_active(world, entity, m)) {
        knc_capability_switch(world, entity, number, true, KN_CAPABILITY_REASON_SETUP);
    }
}

void knc_capability_end(
    kn_world *world, kn_entity_id entity, uint32_t number, kn_capability_reason reason)
{
    member *m = knc_capability_member(world, entity, number);
    if (m == NULL || (m->flags & MEMBER_SET_UP) == 0) {
        return;
    }
    m->flags &= ~(uint32_t)MEMBER_ALLOWED; // whatever hooks ask for, it stays off from now on
    knc_capability_switch(world, entity, number, false, reason);
    knc_capability_input_release(world, entity, number);
    m = knc_capability_member(world, entity, number);
    if (m == NULL) {
        return;
    }
    m->flags &= ~(uint32_t)(MEMBER_SET_UP | MEMBER_DUE | MEMBER_WAS_BLOCKED);
    m->wakes = 0;
    const member copy = *m;
    (void)knc_capability_hook(world, entity, &copy, &plan_of(world, &copy)->def->end_capability);
}
