// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of systems, their order, and the exact times of their runs.

#include "library/types.h"

#define SECOND 1000000u // in microseconds

kn_system_def kn_system_def_default(void)
{
    kn_system_def def = {.enabled = true, .cookie = KN_COOKIE};
    return def;
}

static kn_result system_check(const kn_system_def *def, kn_error *error)
{
    const char *name = def->name != NULL ? def->name : "";
    if (def->function == NULL) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "system `%s` has no function", name);
    }
    if ((def->rate == 0) == (def->period == 0)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            def->rate == 0 ? "system `%s` must have a rate or a period above 0"
                           : "system `%s` has both a rate and a period: keep one of them",
            name);
    }
    if (def->rate > KN_SYSTEM_RATE_MAX) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "system `%s` has a rate of %u; the highest is %u runs per second", name, def->rate,
            (uint32_t)KN_SYSTEM_RATE_MAX);
    }
    if (def->period < 0 || def->period > KN_TIME_MAX) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "system `%s` has a period below 0, or without an end", name);
    }
    if (def->group != 0 && def->group_name != NULL) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "system `%s` has a group by number and by name: keep one of them", name);
    }
    return KN_OK;
}

kn_result kn_system_register(
    kn_library *library, const kn_system_def *def, kn_system_id *system, kn_error *error)
{
    system->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE) {
        kn_result checked = system_check(def, error);
        if (checked != KN_OK) {
            return checked;
        }
    }
    KNI_REGISTER(KN_DEF_SYSTEM, &kni_system_def_table, kni_system_type, "system")
    system->index1 = index1;
    return result;
}

// Groups ----------------------------------------------------------------------

static const struct {
    const char *name;
    int32_t number;
} system_groups[] = {{"input", KN_SYSTEM_GROUP_INPUT}, {"movement", KN_SYSTEM_GROUP_MOVEMENT},
    {"rules", KN_SYSTEM_GROUP_RULES}, {"cleanup", KN_SYSTEM_GROUP_CLEANUP}};
#define SYSTEM_GROUPS (sizeof(system_groups) / sizeof(*system_groups))

kn_system_group_def kn_system_group_def_default(void)
{
    kn_system_group_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_system_group_register(
    kn_library *library, const kn_system_group_def *def, kn_system_group_id *group, kn_error *error)
{
    group->index1 = 0;
    for (size_t i = 0; def != NULL && def->name != NULL && i < SYSTEM_GROUPS; i++) {
        if (strcmp(system_groups[i].name, def->name) == 0) {
            return kni_error(error, KN_REFUSED_DUPLICATE,
                "system group `%s`: every library has it already", def->name);
        }
    }
    KNI_REGISTER(KN_DEF_SYSTEM_GROUP, &kni_system_group_def_table, kni_system_group, "system group")
    group->index1 = index1;
    return result;
}

bool kn_system_group_number(const kn_library *library, const char *name, int32_t *number)
{
    *number = 0;
    for (size_t i = 0; name != NULL && i < SYSTEM_GROUPS; i++) {
        if (strcmp(system_groups[i].name, name) == 0) {
            *number = system_groups[i].number;
            return true;
        }
    }
    uint32_t index1 = kn_def_find(library, KN_DEF_SYSTEM_GROUP, name);
    const kn_system_group_def *def = kn_def_get(library, KN_DEF_SYSTEM_GROUP, index1);
    *number = def != NULL ? def->number : 0;
    return def != NULL;
}

int32_t kn_system_group(const kn_library *library, kn_system_id system)
{
    const kn_system_def *def = kn_system_get_def(library, system);
    return def == NULL               ? 0
           : def->group_name == NULL ? def->group
                                     : kni_system_type_at(library, system.index1 - 1)->group;
}

static kn_result groups_finish(kn_library *library, uint32_t count, kn_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        kni_system_type *type = KNI_ITEM(library, KN_DEF_SYSTEM, kni_system_type, i);
        type->group = type->def.group;
        if (type->def.group_name != NULL &&
            !kn_system_group_number(library, type->def.group_name, &type->group)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "system `%s`: there is no system group `%s`: it is input, movement, rules, cleanup "
                "or one that is registered",
                type->name, type->def.group_name);
        }
    }
    return KN_OK;
}

// Order -----------------------------------------------------------------------

static bool system_is_before(const kni_system_type *a, const kni_system_type *b)
{
    return a->group != b->group ? a->group < b->group : a->def.order < b->def.order;
}

kn_result kni_systems_finish(kn_library *library, kn_error *error)
{
    uint32_t count = library->registries[KN_DEF_SYSTEM].count;
    if (count == 0) {
        return KN_OK;
    }
    if (!kni_grow(&library->memory, &library->systems_by_rank, &library->system_capacity, count,
            sizeof(*library->systems_by_rank))) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for systems");
    }
    kn_result result = groups_finish(library, count, error);
    if (result != KN_OK) {
        return result;
    }
    uint32_t *sorted = library->systems_by_rank;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        while (at > 0 && system_is_before(kni_system_type_at(library, i),
                             kni_system_type_at(library, sorted[at - 1]))) {
            sorted[at] = sorted[at - 1];
            at--;
        }
        sorted[at] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        KNI_ITEM(library, KN_DEF_SYSTEM, kni_system_type, sorted[i])->rank = i;
    }
    return KN_OK;
}

uint32_t kn_systems(const kn_library *library, kn_system_id *out, uint32_t capacity)
{
    if (library == NULL || !library->finished) {
        return 0;
    }
    uint32_t count = library->registries[KN_DEF_SYSTEM].count;
    for (uint32_t i = 0; i < count && i < capacity; i++) {
        out[i].index1 = library->systems_by_rank[i] + 1;
    }
    return count;
}

// Times -----------------------------------------------------------------------

kn_time kni_system_time(const kn_system_def *def, uint64_t index)
{
    if (def->rate == 0) {
        uint64_t period = (uint64_t)def->period;
        return index <= KN_TIME_MAX / period ? (kn_time)(index * period) : KN_TIME_INFINITE;
    }
    // Whole seconds apart, so that nothing overflows.
    uint64_t seconds = index / def->rate, rest = index % def->rate;
    return seconds < KN_TIME_MAX / SECOND ? (kn_time)(seconds * SECOND + rest * SECOND / def->rate)
                                          : KN_TIME_INFINITE;
}

// Run n is later than `time` if n * second / rate is at least time + 1.
uint64_t kni_system_index_after(const kn_system_def *def, kn_time time)
{
    KN_ASSERT(time >= 0 && time <= KN_TIME_MAX);
    uint64_t later = (uint64_t)time + 1;
    if (def->rate == 0) {
        return (uint64_t)time / (uint64_t)def->period + 1;
    }
    uint64_t part = later % SECOND * def->rate;
    return later / SECOND * def->rate + (part + SECOND - 1) / SECOND;
}

kn_time kn_system_time(const kn_library *library, kn_system_id system, uint64_t index)
{
    const kn_system_def *def = kn_system_get_def(library, system);
    return def != NULL ? kni_system_time(def, index) : KN_TIME_INFINITE;
}
