// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Defs of every kind through one interface: tables, defaults and registration by kind number, for
// data files, scripts and tools that handle defs without knowing their types.

#include "library/types.h"

#define PART(name, table, item)                                                                    \
    {                                                                                              \
        name, &(table), offsetof(item, def)                                                        \
    }
#define PART_WITHOUT_DEF(name)                                                                     \
    {                                                                                              \
        name, NULL, 0                                                                              \
    }

const kni_def_part kni_def_parts[KN_DEF_KIND_COUNT] = {
    [KN_DEF_TAG] = PART_WITHOUT_DEF("tag"),
    [KN_DEF_NAME] = PART_WITHOUT_DEF("name"),
    [KN_DEF_CURVE] = PART("curve", kni_curve_def_table, kni_curve),
    [KN_DEF_ATTRIBUTE_SET] = PART("attribute set", kni_attribute_set_def_table, kni_set),
    [KN_DEF_ATTRIBUTE] = PART("attribute", kni_attribute_def_table, kni_attribute),
    [KN_DEF_VALUE] = PART("value", kni_value_def_table, kni_value_type),
    [KN_DEF_EVENT_KIND] = PART("event kind", kni_event_kind_def_table, kni_event_kind),
    [KN_DEF_CALCULATION] = PART("calculation", kni_calculation_def_table, kni_calculation),
    [KN_DEF_EXECUTION] = PART("execution", kni_execution_def_table, kni_execution_type),
    [KN_DEF_REQUIREMENT] = PART_WITHOUT_DEF("requirement"),
    [KN_DEF_CONDITION] = PART_WITHOUT_DEF("condition"),
    [KN_DEF_POLICY] = PART_WITHOUT_DEF("policy"),
    [KN_DEF_EFFECT_LOGIC] = PART("effect logic", kni_logic_def_table, kni_logic),
    [KN_DEF_EFFECT] = PART("effect", kni_effect_def_table, kni_effect_type),
    [KN_DEF_CONTAINER] = PART("container", kni_container_def_table, kni_container),
    [KN_DEF_RULE] = PART("rule", kni_rule_def_table, kni_rule),
    [KN_DEF_TIMER] = PART_WITHOUT_DEF("timer"),
    [KN_DEF_COMPONENT] = PART("component", kni_component_def_table, kni_component_type),
    [KN_DEF_CONTEXT] = PART_WITHOUT_DEF("context"),
    [KN_DEF_ABILITY] = PART("ability", kni_ability_def_table, kni_ability_type),
    [KN_DEF_ABILITY_SET] = PART("ability set", kni_ability_set_def_table, kni_ability_set),
    [KN_DEF_TASK] = PART("task", kni_task_type_def_table, kni_task_type),
    [KN_DEF_ANIMATION] = PART("animation", kni_animation_def_table, kni_animation),
    [KN_DEF_TARGET] = PART("target type", kni_target_type_def_table, kni_target_type),
    [KN_DEF_TARGETING] = PART("targeting", kni_targeting_def_table, kni_targeting),
    [KN_DEF_ARCHETYPE] = PART("archetype", kni_archetype_def_table, kni_archetype),
    [KN_DEF_COMMAND] = PART("command", kni_command_def_table, kni_command_type),
    [KN_DEF_SYSTEM] = PART("system", kni_system_def_table, kni_system_type),
    [KN_DEF_FAIL] = PART("fail reason", kni_fail_def_table, kni_fail_reason),
    [KN_DEF_END_REASON] = PART("end reason", kni_end_reason_def_table, kni_end_reason),
    [KN_DEF_CHECK] = PART("check", kni_check_def_table, kni_check),
    [KN_DEF_CUSTOM_EVENT] = PART("custom event", kni_custom_event_def_table, kni_custom_event),
    [KN_DEF_TICKER] = PART("ticker", kni_ticker_def_table, kni_ticker_type),
    [KN_DEF_WATCH] = PART("watch", kni_watch_def_table, kni_watch_type),
    [KN_DEF_SYSTEM_GROUP] = PART("system group", kni_system_group_def_table, kni_system_group),
};

static bool kind_is_ours(kn_def_kind kind)
{
    return (uint32_t)kind < KN_DEF_KIND_COUNT;
}

const kn_def_table *kn_def_table_of(kn_def_kind kind)
{
    return kind_is_ours(kind) ? kni_def_parts[kind].table : NULL;
}

const char *kn_def_kind_name(kn_def_kind kind)
{
    return kind_is_ours(kind) ? kni_def_parts[kind].name : "";
}

void kn_def_init(const kn_def_table *table, void *def)
{
    memset(def, 0, table->size);
    if (table->init != NULL) {
        table->init(def);
    }
}

const kn_def_field *kn_def_field_find(const kn_def_table *table, const char *name)
{
    // Most names differ in their first letter, and loading a file asks this for every key.
    for (uint32_t i = 0; i < table->field_count; i++) {
        const char *field = table->fields[i].name;
        if (field[0] == name[0] && strcmp(field, name) == 0) {
            return &table->fields[i];
        }
    }
    return NULL;
}

size_t kn_def_field_size(const kn_def_field *field)
{
    return kni_field_size(field);
}

#define REGISTER(function, id_type)                                                                \
    {                                                                                              \
        id_type id;                                                                                \
        kn_result result = function(library, def, &id, error);                                     \
        *index1 = id.index1;                                                                       \
        return result;                                                                             \
    }

kn_result kn_def_register(
    kn_library *library, kn_def_kind kind, const void *def, uint32_t *index1, kn_error *error)
{
    *index1 = 0;
    if (!kind_is_ours(kind) && library != NULL && def != NULL && kni_kind_exists(library, kind)) {
        return kni_own_register(library, kind, def, index1, error);
    }
    switch (kind) {
    case KN_DEF_CURVE:
        REGISTER(kn_curve_register, kn_curve_id)
    case KN_DEF_ATTRIBUTE_SET:
        REGISTER(kn_attribute_set_register, kn_attribute_set_id)
    case KN_DEF_VALUE:
        REGISTER(kn_value_register, kn_value_id)
    case KN_DEF_EVENT_KIND:
        REGISTER(kn_event_kind_register, kn_event_kind_id)
    case KN_DEF_CALCULATION:
        REGISTER(kn_calculation_register, kn_calculation_id)
    case KN_DEF_EXECUTION:
        REGISTER(kn_execution_register, kn_execution_id)
    case KN_DEF_EFFECT_LOGIC:
        REGISTER(kn_effect_logic_register, kn_effect_logic_id)
    case KN_DEF_EFFECT:
        REGISTER(kn_effect_register, kn_effect_type_id)
    case KN_DEF_CONTAINER:
        REGISTER(kn_container_register, kn_container_id)
    case KN_DEF_RULE:
        REGISTER(kn_rule_register, kn_rule_id)
    case KN_DEF_COMPONENT:
        REGISTER(kn_component_register, kn_component_type_id)
    case KN_DEF_ABILITY:
        REGISTER(kn_ability_register, kn_ability_type_id)
    case KN_DEF_ABILITY_SET:
        REGISTER(kn_ability_set_register, kn_ability_set_id)
    case KN_DEF_TASK:
        REGISTER(kn_task_type_register, kn_task_type_id)
    case KN_DEF_ANIMATION:
        REGISTER(kn_animation_register, kn_animation_id)
    case KN_DEF_TARGET:
        REGISTER(kn_target_type_register, kn_target_type_id)
    case KN_DEF_TARGETING:
        REGISTER(kn_targeting_register, kn_targeting_id)
    case KN_DEF_ARCHETYPE:
        REGISTER(kn_archetype_register, kn_archetype_id)
    case KN_DEF_COMMAND:
        REGISTER(kn_command_register, kn_command_type_id)
    case KN_DEF_SYSTEM:
        REGISTER(kn_system_register, kn_system_id)
    case KN_DEF_CHECK:
        REGISTER(kn_check_register, kn_check_id)
    case KN_DEF_FAIL: {
        kn_fail fail;
        kn_result result = kn_fail_register(library, def, &fail, error);
        *index1 = result == KN_OK ? kn_def_count(library, kind) : 0;
        return result;
    }
    case KN_DEF_END_REASON: {
        kn_end_reason reason;
        kn_result result = kn_end_reason_register(library, def, &reason, error);
        *index1 = result == KN_OK ? kn_def_count(library, kind) : 0;
        return result;
    }
    case KN_DEF_CUSTOM_EVENT:
        REGISTER(kn_custom_event_register, kn_custom_event_id)
    case KN_DEF_TICKER:
        REGISTER(kn_ticker_register, kn_ticker_id)
    case KN_DEF_WATCH:
        REGISTER(kn_watch_type_register, kn_watch_type_id)
    case KN_DEF_SYSTEM_GROUP:
        REGISTER(kn_system_group_register, kn_system_group_id)
    default:
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "a %s is not registered with a def",
            kn_kind_name(library, kind));
    }
}

uint32_t kn_def_find(const kn_library *library, kn_def_kind kind, const char *name)
{
    return library != NULL && kni_kind_exists(library, kind) && name != NULL
               ? kni_ref_find(library, kind, name)
               : 0;
}

uint32_t kn_def_find_expected(const kn_library *library, kn_def_kind kind, const char *name)
{
    return library != NULL && kni_kind_exists(library, kind) && name != NULL
               ? kni_find_expected(library, kind, name)
               : 0;
}

const char *kn_def_name(const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    return library != NULL && kni_kind_exists(library, kind) ? kni_ref_name(library, kind, index1)
                                                             : "";
}

uint32_t kn_def_count(const kn_library *library, kn_def_kind kind)
{
    return library != NULL && kni_kind_exists(library, kind) ? kni_ref_count(library, kind) : 0;
}

const void *kn_def_get(const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    const kni_def_part *part = kni_def_part_of(library, kind);
    if (part->table == NULL || index1 == 0 || index1 > kn_def_count(library, kind)) {
        return NULL;
    }
    return (const uint8_t *)kni_registry_at(&library->registries[kind], index1 - 1) + part->offset;
}

const char *kn_def_expression(const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    if (index1 == 0 || index1 > kn_def_count(library, kind)) {
        return NULL;
    }
    switch (kind) {
    case KN_DEF_CALCULATION:
        return KNI_ITEM(library, kind, kni_calculation, index1 - 1)->def.expression;
    case KN_DEF_CONDITION:
        return KNI_ITEM(library, kind, kni_condition, index1 - 1)->formula.text;
    case KN_DEF_REQUIREMENT:
        return KNI_ITEM(library, kind, kni_requirement, index1 - 1)->formula.text;
    default:
        return NULL;
    }
}

uint64_t kn_def_hash(const kn_library *library, kn_def_kind kind, uint32_t index1)
{
    if (index1 == 0 || index1 > kn_def_count(library, kind)) {
        return 0;
    }
    kni_hash hash = kni_hash_begin(1 + (uint64_t)kind);
    kni_hash_str(&hash, kn_def_name(library, kind, index1));
    const kni_def_part *part = kni_def_part_of(library, kind);
    const void *def = kn_def_get(library, kind, index1);
    if (def != NULL) {
        kni_def_hash(library, part->table, def, &hash);
    }
    const char *formula = kn_def_expression(library, kind, index1);
    kni_hash_str(&hash, formula != NULL ? formula : "");
    return kni_hash_end(&hash);
}
