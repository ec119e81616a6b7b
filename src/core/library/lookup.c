// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Finding registered things by name, and naming them: the same functions for every kind.

#include "library/types.h"

#define FIND(noun, id_type, kind)                                                                  \
    id_type kn_##noun##_find(const kn_library *library, const char *name)                          \
    {                                                                                              \
        id_type id = {kni_find_expected(library, kind, name)};                                     \
        return id;                                                                                 \
    }                                                                                              \
    const char *kn_##noun##_name(const kn_library *library, id_type id)                            \
    {                                                                                              \
        return kn_def_name(library, kind, id.index1);                                              \
    }

#define FIND_DEF(noun, id_type, kind, def_type)                                                    \
    FIND(noun, id_type, kind)                                                                      \
    const def_type *kn_##noun##_get_def(const kn_library *library, id_type id)                     \
    {                                                                                              \
        return kn_def_get(library, kind, id.index1);                                               \
    }

FIND_DEF(curve, kn_curve_id, KN_DEF_CURVE, kn_curve_def)
FIND_DEF(attribute_set, kn_attribute_set_id, KN_DEF_ATTRIBUTE_SET, kn_attribute_set_def)
FIND_DEF(attribute, kn_attribute_id, KN_DEF_ATTRIBUTE, kn_attribute_def)
FIND_DEF(value, kn_value_id, KN_DEF_VALUE, kn_value_def)
FIND_DEF(event_kind, kn_event_kind_id, KN_DEF_EVENT_KIND, kn_event_kind_def)
FIND_DEF(calculation, kn_calculation_id, KN_DEF_CALCULATION, kn_calculation_def)
FIND_DEF(execution, kn_execution_id, KN_DEF_EXECUTION, kn_execution_def)
FIND(requirement, kn_requirement_id, KN_DEF_REQUIREMENT)
FIND(condition, kn_condition_id, KN_DEF_CONDITION)
FIND(policy, kn_policy_id, KN_DEF_POLICY)
FIND_DEF(effect_logic, kn_effect_logic_id, KN_DEF_EFFECT_LOGIC, kn_effect_logic_def)
FIND_DEF(container, kn_container_id, KN_DEF_CONTAINER, kn_container_def)
FIND_DEF(rule, kn_rule_id, KN_DEF_RULE, kn_rule_def)
FIND(timer_type, kn_timer_type_id, KN_DEF_TIMER)
FIND_DEF(component, kn_component_type_id, KN_DEF_COMPONENT, kn_component_def)
FIND(context_type, kn_context_type_id, KN_DEF_CONTEXT)
FIND_DEF(ability_type, kn_ability_type_id, KN_DEF_ABILITY, kn_ability_def)
FIND_DEF(ability_set, kn_ability_set_id, KN_DEF_ABILITY_SET, kn_ability_set_def)
FIND_DEF(task_type, kn_task_type_id, KN_DEF_TASK, kn_task_type_def)
FIND_DEF(animation, kn_animation_id, KN_DEF_ANIMATION, kn_animation_def)
FIND_DEF(target_type, kn_target_type_id, KN_DEF_TARGET, kn_target_type_def)
FIND_DEF(targeting, kn_targeting_id, KN_DEF_TARGETING, kn_targeting_def)
FIND_DEF(check, kn_check_id, KN_DEF_CHECK, kn_check_def)
FIND_DEF(archetype, kn_archetype_id, KN_DEF_ARCHETYPE, kn_archetype_def)
FIND_DEF(command, kn_command_type_id, KN_DEF_COMMAND, kn_command_def)
FIND_DEF(system, kn_system_id, KN_DEF_SYSTEM, kn_system_def)
FIND_DEF(custom_event, kn_custom_event_id, KN_DEF_CUSTOM_EVENT, kn_custom_event_def)
FIND_DEF(ticker, kn_ticker_id, KN_DEF_TICKER, kn_ticker_def)
FIND_DEF(watch_type, kn_watch_type_id, KN_DEF_WATCH, kn_watch_def)
FIND_DEF(system_group, kn_system_group_id, KN_DEF_SYSTEM_GROUP, kn_system_group_def)
