// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Systems of a world. State is only which of them a call switched on or off (kni_switch). When each
// runs next follows from the time: the runs still to come are a binary heap by time and rank, which
// the step looks at once for each timer.

#include "world/world.h"

static uint32_t system_count(const kn_world *world)
{
    return world->library->registries[KN_DEF_SYSTEM].count;
}

static kni_switch *switch_at(const kn_world *world, uint32_t slot)
{
    return kni_pool_at(&world->switches, slot);
}

// The heap --------------------------------------------------------------------

static bool due_is_before(const kni_system_due *a, const kni_system_due *b)
{
    return a->time != b->time ? a->time < b->time : a->rank < b->rank;
}

static void due_swap(kni_systems *systems, uint32_t a, uint32_t b)
{
    kni_system_due entry = systems->due[a];
    systems->due[a] = systems->due[b];
    systems->due[b] = entry;
}

static void due_rise(kni_systems *systems, uint32_t at)
{
    while (at > 0 && due_is_before(&systems->due[at], &systems->due[(at - 1) / 2])) {
        due_swap(systems, at, (at - 1) / 2);
        at = (at - 1) / 2;
    }
}

static void due_sink(kni_systems *systems, uint32_t at)
{
    for (;;) {
        uint32_t first = at;
        for (uint32_t child = 2 * at + 1; child <= 2 * at + 2 && child < systems->due_count;
             child++) {
            first = due_is_before(&systems->due[child], &systems->due[first]) ? child : first;
        }
        if (first == at) {
            return;
        }
        due_swap(systems, at, first);
        at = first;
    }
}

static void due_settle(kni_systems *systems)
{
    systems->next = systems->due_count > 0 ? systems->due[0].time : KN_TIME_INFINITE;
}

// The next run after now of a system that is not in the heap.
static void due_add(kn_world *world, uint32_t index)
{
    const kni_system_type *type = kni_system_type_at(world->library, index);
    kn_time time = kni_system_time(&type->def, kni_system_index_after(&type->def, world->now));
    if (time != KN_TIME_INFINITE) {
        kni_systems *systems = &world->systems;
        KN_ASSERT(systems->due_count < system_count(world));
        systems->due[systems->due_count] = (kni_system_due){time, type->rank};
        due_rise(systems, systems->due_count++);
        due_settle(systems);
    }
}

static uint32_t due_find(const kn_world *world, uint32_t index)
{
    uint32_t rank = kni_system_type_at(world->library, index)->rank;
    for (uint32_t i = 0; i < world->systems.due_count; i++) {
        if (world->systems.due[i].rank == rank) {
            return i;
        }
    }
    return KNI_NONE;
}

static void due_remove(kn_world *world, uint32_t at)
{
    kni_systems *systems = &world->systems;
    systems->due[at] = systems->due[--systems->due_count];
    if (at < systems->due_count) {
        due_rise(systems, at);
        due_sink(systems, at);
    }
    due_settle(systems);
}

// Life ------------------------------------------------------------------------

bool kni_systems_init(kn_world *world)
{
    kni_systems *systems = &world->systems;
    uint32_t count = system_count(world);
    systems->next = KN_TIME_INFINITE;
    if (count == 0) {
        return true;
    }
    systems->due = kni_realloc(&world->memory, NULL, 0, count * sizeof(*systems->due));
    systems->switch1s = kni_realloc(&world->memory, NULL, 0, count * sizeof(*systems->switch1s));
    if (systems->due == NULL || systems->switch1s == NULL) {
        return false;
    }
    (void)kni_systems_restore(world);
    return true;
}

void kni_systems_free(kn_world *world)
{
    uint32_t count = system_count(world);
    kni_systems *systems = &world->systems;
    kni_free(
        &world->memory, systems->due, systems->due != NULL ? count * sizeof(*systems->due) : 0);
    kni_free(&world->memory, systems->switch1s,
        systems->switch1s != NULL ? count * sizeof(*systems->switch1s) : 0);
}

static bool system_is_on(const kn_world *world, uint32_t index)
{
    uint32_t switch1 = world->systems.switch1s[index];
    return switch1 != 0 ? switch_at(world, switch1 - 1)->is_on != 0
                        : kni_system_type_at(world->library, index)->def.enabled;
}

bool kni_systems_restore(kn_world *world)
{
    kni_systems *systems = &world->systems;
    uint32_t count = system_count(world);
    bool ok = true;
    systems->due_count = 0;
    systems->next = KN_TIME_INFINITE;
    if (count > 0) {
        memset(systems->switch1s, 0, count * sizeof(*systems->switch1s));
    }
    KNI_POOL_EACH(i, &world->switches) {
        uint32_t system = switch_at(world, i)->system;
        ok = ok && systems->switch1s[system] == 0;
        systems->switch1s[system] = i + 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (system_is_on(world, i)) {
            due_add(world, i);
        }
    }
    return ok;
}

// Running ---------------------------------------------------------------------

void kni_system_run_next(kn_world *world)
{
    kni_systems *systems = &world->systems;
    KN_ASSERT(systems->due_count > 0 && systems->next >= world->now);
    uint32_t index = world->library->systems_by_rank[systems->due[0].rank];
    const kn_system_def *def = &kni_system_type_at(world->library, index)->def;
    world->timers_at_once = systems->next > world->now ? 0 : world->timers_at_once;
    world->now = systems->next;
    kn_system_run run = {.system = {index + 1}, .now = world->now};
    run.index = kni_system_index_after(def, world->now) - 1;
    run.period = run.now - kni_system_time(def, run.index - 1);
    // The next run is set before this one begins, which may switch the system off.
    due_remove(world, 0);
    due_add(world, index);
    kn_cause previous;
    if (kni_cause_begin(world, KN_CAUSE_SYSTEM, (kn_entity_id){0}, (kn_effect_id){0},
            (kn_effect_type_id){0}, index + 1, &previous)) {
        def->function(def->user, world, &run);
        kni_cause_end(world, previous);
    }
}

// Calls -----------------------------------------------------------------------

kn_result kn_system_set_enabled(kn_world *world, kn_system_id system, bool is_enabled)
{
    if (world == NULL || system.index1 - 1 >= system_count(world)) {
        KN_ASSERT(world != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = kni_enter(world);
    if (result != KN_OK) {
        return result;
    }
    uint32_t index = system.index1 - 1;
    bool was_on = system_is_on(world, index);
    uint32_t *switch1 = &world->systems.switch1s[index];
    if (*switch1 == 0 && was_on != is_enabled) {
        uint32_t slot = kni_pool_acquire(&world->switches, &world->memory);
        if (slot == KNI_NONE) {
            return kni_leave(world, KN_ERROR_OUT_OF_MEMORY);
        }
        switch_at(world, slot)->system = index;
        *switch1 = slot + 1;
    }
    if (*switch1 != 0) {
        switch_at(world, *switch1 - 1)->is_on = is_enabled;
    }
    if (is_enabled && !was_on) {
        due_add(world, index);
    } else if (!is_enabled && was_on) {
        uint32_t at = due_find(world, index);
        if (at != KNI_NONE) {
            due_remove(world, at);
        }
    }
    return kni_leave(world, KN_OK);
}

bool kn_system_is_enabled(const kn_world *world, kn_system_id system)
{
    return world != NULL && system.index1 - 1 < system_count(world) &&
           system_is_on(world, system.index1 - 1);
}

kn_time kn_system_next(const kn_world *world, kn_system_id system)
{
    if (!kn_system_is_enabled(world, system)) {
        return KN_TIME_INFINITE;
    }
    uint32_t at = due_find(world, system.index1 - 1);
    return at != KNI_NONE ? world->systems.due[at].time : KN_TIME_INFINITE;
}
