// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

#include "shapes.h"

#include <string.h>

const kni_section kni_sections[] = {
    {"curves", KN_DEF_CURVE},
    {"attribute_sets", KN_DEF_ATTRIBUTE_SET},
    {"values", KN_DEF_VALUE},
    {"event_kinds", KN_DEF_EVENT_KIND},
    {"calculations", KN_DEF_CALCULATION},
    {"executions", KN_DEF_EXECUTION},
    {"requirements", KN_DEF_REQUIREMENT},
    {"conditions", KN_DEF_CONDITION},
    {"policies", KN_DEF_POLICY},
    {"timers", KN_DEF_TIMER},
    {"contexts", KN_DEF_CONTEXT},
    {"components", KN_DEF_COMPONENT},
    {"tasks", KN_DEF_TASK},
    {"tickers", KN_DEF_TICKER},
    {"animations", KN_DEF_ANIMATION},
    {"target_types", KN_DEF_TARGET},
    {"targetings", KN_DEF_TARGETING},
    {"commands", KN_DEF_COMMAND},
    {"effect_logics", KN_DEF_EFFECT_LOGIC},
    {"effects", KN_DEF_EFFECT},
    {"containers", KN_DEF_CONTAINER},
    {"fail_reasons", KN_DEF_FAIL},
    {"end_reasons", KN_DEF_END_REASON},
    {"rules", KN_DEF_RULE},
    {"system_groups", KN_DEF_SYSTEM_GROUP},
    {"systems", KN_DEF_SYSTEM},
    {"abilities", KN_DEF_ABILITY},
    {"watches", KN_DEF_WATCH},
    {"ability_sets", KN_DEF_ABILITY_SET},
    {"checks", KN_DEF_CHECK},
    {"archetypes", KN_DEF_ARCHETYPE},
    {"custom_events", KN_DEF_CUSTOM_EVENT},
};
const uint32_t kni_section_count = sizeof(kni_sections) / sizeof(*kni_sections);

uint32_t kni_library_section_count(const kn_library *library)
{
    return kni_section_count + kn_kind_count(library);
}

kni_section kni_library_section(const kn_library *library, uint32_t index)
{
    if (index < kni_section_count) {
        return kni_sections[index];
    }
    kn_def_kind kind = (kn_def_kind)(KN_DEF_KIND_OWN + (index - kni_section_count));
    return (kni_section){kn_kind_get_def(library, kind)->section, kind};
}

static const kni_shape shapes[] = {
    {"kn_attribute_def", "name", "default_value"},
    {"kn_modifier_def", "attribute", "magnitude"},
    {"kn_parameter_def", "name", "value"},
    {"kn_named_value", "name", "value"},
    {"kn_child_def", "type", NULL},
    {"kn_raise_def", "tag", "magnitude"},
    {"kn_execution_use", "execution", NULL},
    {"kn_grant_def", "ability", "level"},
    {"kn_cost_def", "attribute", "amount"},
    {"kn_cooldown_def", "key", "duration"},
    {"kn_trigger_def", "tag", "source"},
    {"kn_ability_apply_def", "effect", "to"},
    {"kn_ability_set_entry", "type", "level"},
    {"kn_archetype_value", "attribute", "value"},
    {"kn_archetype_effect", "type", "level"},
    {"kn_archetype_timer", "type", "delay"},
    {"kn_section_def", "name", "start"},
    {"kn_notify_def", "tag", "time"},
    {"kn_field", "name", "kind"},
};

kni_shape kni_shape_of(const kn_def_table *table)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
        if (strcmp(shapes[i].table, table->name) == 0) {
            return shapes[i];
        }
    }
    return (kni_shape){0};
}

void kni_table_title(const kn_def_table *table, char *title, size_t size)
{
    const char *name = table->name + (strncmp(table->name, "kn_", 3) == 0 ? 3 : 0);
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, "_def") == 0) {
        length -= 4;
    }
    length = length < size ? length : size - 1;
    for (size_t i = 0; i < length; i++) {
        title[i] = name[i] == '_' ? ' ' : name[i];
    }
    title[length] = 0;
}

bool kni_field_is_written(const kn_def_field *field)
{
    bool is_hook = field->kind == KN_DEF_FIELD_STRUCT && strcmp(field->table->name, "kn_hook") == 0;
    return field->kind != KN_DEF_FIELD_POINTER && field->kind != KN_DEF_FIELD_COOKIE && !is_hook;
}

bool kni_field_is_implied(const kn_def_table *table, const kn_def_field *field, const char *by)
{
    if (field->kind != KN_FIELD_BOOL) {
        return false;
    }
    if (strncmp(field->name, "has_", 4) != 0) {
        return strcmp(by, "period") == 0 && strcmp(field->name, "is_periodic") == 0 &&
               strcmp(table->name, "kn_effect_def") == 0;
    }
    const char *what = field->name + 4;
    size_t length = strlen(what);
    return strncmp(by, what, length) == 0 && (by[length] == 0 || by[length] == '_');
}
