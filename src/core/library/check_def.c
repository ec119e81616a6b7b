// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of checks, and the list of those that may apply to each ability.

#include "library/types.h"

kn_check_def kn_check_def_default(void)
{
    kn_check_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_check_register(
    kn_library *library, const kn_check_def *def, kn_check_id *check, kn_error *error)
{
    check->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE && def->check == NULL &&
        def->condition.index1 == 0) {
        return kni_error(error, KN_ERROR_BAD_DATA, "check `%s` needs a condition or a function",
            def->name != NULL ? def->name : "");
    }
    KNI_REGISTER(KN_DEF_CHECK, &kni_check_def_table, kni_check, "check")
    check->index1 = index1;
    return result;
}

static bool check_is_for(const kn_library *library, const kni_check *check, uint32_t ability)
{
    uint32_t wanted1 = check->def.ability.index1;
    for (uint32_t type1 = ability + 1; type1 != 0 && wanted1 != 0;
         type1 = KNI_ITEM(library, KN_DEF_ABILITY, kni_ability_type, type1 - 1)->parent1) {
        if (type1 == wanted1) {
            return true;
        }
    }
    return wanted1 == 0;
}

// Adds a check to the list of an ability: by priority, then in order of registration.
static bool check_add(kn_library *library, kni_ability_type *type, uint32_t index)
{
    if (!kni_grow(&library->memory, &type->checks, &type->check_capacity, type->check_count + 1,
            sizeof(*type->checks))) {
        return false;
    }
    int32_t priority = KNI_ITEM(library, KN_DEF_CHECK, kni_check, index)->def.priority;
    uint32_t at = type->check_count++;
    for (;
         at > 0 &&
         KNI_ITEM(library, KN_DEF_CHECK, kni_check, type->checks[at - 1])->def.priority < priority;
         at--) {
        type->checks[at] = type->checks[at - 1];
    }
    type->checks[at] = index;
    return true;
}

kn_result kni_checks_finish(kn_library *library, kn_error *error)
{
    const kni_registry *abilities = &library->registries[KN_DEF_ABILITY];
    for (uint32_t a = 0; a < abilities->count; a++) { // an earlier call may have failed
        ((kni_ability_type *)kni_registry_at(abilities, a))->check_count = 0;
    }
    for (uint32_t i = 0; i < library->registries[KN_DEF_CHECK].count; i++) {
        kni_check *check = KNI_ITEM(library, KN_DEF_CHECK, kni_check, i);
        check->reason =
            check->def.reason != NULL ? kn_fail_find(library, check->def.reason) : KN_FAIL_CUSTOM;
        if (check->reason == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "check `%s`: there is no fail reason `%s`; register it first", check->name,
                check->def.reason);
        }
        for (uint32_t a = 0; a < abilities->count; a++) {
            if (check_is_for(library, check, a) &&
                !check_add(library, kni_registry_at(abilities, a), i)) {
                return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for checks");
            }
        }
    }
    return KN_OK;
}
