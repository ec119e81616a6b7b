// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The functions of a library for another one that is built from its text.
#ifndef DATA_NATIVES_H
#define DATA_NATIVES_H

#include "knack/data.h"

#include <string.h>

static inline bool natives_has(const kn_def_table *table, const void *def)
{
    for (uint32_t i = 0; i < table->field_count; i++) {
        const kn_def_field *field = &table->fields[i];
        const uint8_t *at = (const uint8_t *)def + field->offset;
        const void *pointer = NULL;
        if (field->kind == KN_DEF_FIELD_POINTER) {
            memcpy(&pointer, at, sizeof(pointer));
        }
        if (pointer != NULL ||
            (field->kind == KN_DEF_FIELD_STRUCT && natives_has(field->table, at))) {
            return true;
        }
    }
    return false;
}

// Functions cannot be written as text: the second library gets those of the first.
static inline kn_result natives_add(kn_data *data, const kn_library *library)
{
    kn_result result = KN_OK;
    for (uint32_t k = 0; k < KN_DEF_KIND_COUNT; k++) {
        kn_def_kind kind = (kn_def_kind)k;
        const kn_def_table *table = kn_def_table_of(kind);
        uint32_t count = table != NULL ? kn_def_count(library, kind) : 0;
        for (uint32_t index1 = 1; index1 <= count && result == KN_OK; index1++) {
            const void *def = kn_def_get(library, kind, index1);
            if (natives_has(table, def)) {
                result = kn_data_add_native(data, kind, kn_def_name(library, kind, index1), def);
            }
        }
    }
    return result;
}

static inline void natives_policy(
    void *user, float base, const kn_modifier_view *modifiers, uint32_t count, bool *qualifies)
{
    (void)user;
    (void)base;
    (void)modifiers;
    (void)count;
    (void)qualifies;
}

static inline kn_requirement_answer natives_requirement(
    void *user, kn_world *world, const kn_spec_view *spec, kn_effect_id *existing)
{
    (void)user;
    (void)world;
    (void)spec;
    (void)existing;
    return KN_REQUIREMENT_ALLOW;
}

static inline bool natives_condition(
    void *user, const kn_world *world, const kn_event_record *record, kn_condition_answer *answer)
{
    (void)user;
    (void)world;
    (void)record;
    (void)answer;
    return true;
}

static inline kn_time natives_timer(void *user, kn_world *world, kn_entity_id entity, void *data)
{
    (void)user;
    (void)world;
    (void)entity;
    (void)data;
    return 0;
}

static inline kn_result natives_register(
    kn_library *library, kn_def_kind kind, const char *name, kn_error *error)
{
    kn_requirement_id requirement;
    kn_condition_id condition;
    kn_policy_id policy;
    kn_timer_type_id timer;
    switch (kind) {
    case KN_DEF_REQUIREMENT:
        return kn_requirement_register(
            library, name, natives_requirement, NULL, &requirement, error);
    case KN_DEF_CONDITION:
        return kn_condition_register(library, name, natives_condition, NULL, &condition, error);
    case KN_DEF_POLICY:
        return kn_policy_register(library, name, natives_policy, NULL, &policy, error);
    default:
        return kn_timer_type_register(library, name, natives_timer, NULL, &timer, error);
    }
}

// Functions without a def come from C as well; one like any other will do. Those of kits, which
// begin with `Knack.`, come with the kit.
static inline kn_result natives_prepare(void *user, kn_library *library, kn_error *error)
{
    static const kn_def_kind kinds[] = {
        KN_DEF_REQUIREMENT, KN_DEF_CONDITION, KN_DEF_POLICY, KN_DEF_TIMER};
    const kn_library *like = user;
    kn_result result = KN_OK;
    for (size_t k = 0; k < 4; k++) {
        for (uint32_t i = 1; i <= kn_def_count(like, kinds[k]) && result == KN_OK; i++) {
            const char *name = kn_def_name(like, kinds[k], i);
            bool is_of_ticker =
                kinds[k] == KN_DEF_TIMER && kn_def_find(like, KN_DEF_TICKER, name) != 0;
            bool is_of_kit = kn_library_kit(like, 0) != NULL && strncmp(name, "Knack.", 6) == 0;
            if (kn_def_expression(like, kinds[k], i) == NULL && !is_of_ticker && !is_of_kit &&
                kn_def_find(library, kinds[k], name) == 0) {
                result = natives_register(library, kinds[k], name, error);
            }
        }
    }
    return result;
}

#endif
