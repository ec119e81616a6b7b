// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of archetypes, and the checks of what they hold.

#include "library/types.h"

#define ARCHETYPE_DEPTH_MAX 64u

kn_archetype_def kn_archetype_def_default(void)
{
    kn_archetype_def def = {.cookie = KN_COOKIE};
    return def;
}

static const kn_archetype_def *archetype_def(const kn_library *library, kn_archetype_id archetype)
{
    return kn_def_get(library, KN_DEF_ARCHETYPE, archetype.index1);
}

static bool archetype_has_attribute(
    const kn_library *library, const kn_archetype_def *def, kn_attribute_id attribute)
{
    for (; def != NULL; def = archetype_def(library, def->parent)) {
        for (uint32_t i = 0; i < def->set_count; i++) {
            const kni_set *set = kni_set_at(library, def->sets[i].index1 - 1);
            for (uint32_t j = 0; j < set->count; j++) {
                if (set->attributes[j] == attribute.index1 - 1) {
                    return true;
                }
            }
        }
    }
    return false;
}

static kn_result archetype_check(kn_library *library, const kn_archetype_def *def, kn_error *error)
{
    kn_result result =
        kni_register_check(library, KN_DEF_ARCHETYPE, def->name, def->cookie, "archetype", error);
    if (result == KN_OK) {
        result = kni_def_check(library, &kni_archetype_def_table, def, error);
    }
    if (result == KN_OK && kni_def_has_parameter(&kni_archetype_def_table, def)) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "archetype `%s`: one of its numbers is a parameter; only effects have parameters",
            def->name);
    }
    uint32_t depth = 0;
    for (const kn_archetype_def *at = def; result == KN_OK && at != NULL; depth++) {
        at = archetype_def(library, at->parent);
    }
    if (result == KN_OK && depth > ARCHETYPE_DEPTH_MAX) {
        result = kni_error(error, KN_ERROR_BAD_DATA, "archetype `%s` has more than %u ancestors",
            def->name, ARCHETYPE_DEPTH_MAX - 1);
    }
    for (uint32_t i = 0; result == KN_OK && i < def->value_count; i++) {
        kn_attribute_id attribute = def->values[i].attribute;
        if (!archetype_has_attribute(library, def, attribute)) {
            result = kni_error(error, KN_ERROR_BAD_DATA,
                "archetype `%s` has a value for %s, but none of its sets has that attribute",
                def->name,
                attribute.index1 != 0 ? kn_attribute_name(library, attribute) : "nothing");
        }
    }
    for (uint32_t i = 0; result == KN_OK && i < def->ability_count; i++) {
        if (def->abilities[i].type.index1 == 0) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "archetype `%s`: ability %u has no type", def->name, i);
        } else if (!kni_parameters_are_good(
                       def->abilities[i].parameters, def->abilities[i].parameter_count)) {
            result = kni_error(error, KN_ERROR_BAD_DATA,
                "archetype `%s`: ability %u: a grant has at most %d parameters, each with a name",
                def->name, i, KN_ABILITY_VALUES_MAX);
        }
    }
    for (uint32_t i = 0; result == KN_OK && i < def->effect_count; i++) {
        if (def->effects[i].type.index1 == 0) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "archetype `%s`: effect %u has no type", def->name, i);
        }
    }
    for (uint32_t i = 0; result == KN_OK && i < def->timer_count; i++) {
        if (def->timers[i].type.index1 == 0 || def->timers[i].delay < 0) {
            result = kni_error(error, KN_ERROR_BAD_DATA,
                "archetype `%s`: timer %u has no type, or a negative delay", def->name, i);
        }
    }
    return result;
}

kn_result kn_archetype_register(
    kn_library *library, const kn_archetype_def *def, kn_archetype_id *archetype, kn_error *error)
{
    archetype->index1 = 0;
    if (library == NULL || def == NULL) {
        KN_ASSERT(library != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result = archetype_check(library, def, error);
    if (result != KN_OK) {
        return result;
    }
    return kni_register_def(library, KN_DEF_ARCHETYPE, &kni_archetype_def_table,
        offsetof(kni_archetype, def), def, def->name, def->cookie, "archetype", &archetype->index1,
        error);
}
