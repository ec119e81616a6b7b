// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of functions and of the expressions that may replace them: rules, calculations,
// executions, effect logics, requirements, conditions, policies and timers.

#include "library/types.h"

kn_rule_def kn_rule_def_default(void)
{
    kn_rule_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_rule_register(
    kn_library *library, const kn_rule_def *def, kn_rule_id *rule, kn_error *error)
{
    rule->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE && def->function == NULL) {
        return kni_error(error, KN_ERROR_INVALID_ARGUMENT, "rule `%s` has no function",
            def->name != NULL ? def->name : "");
    }
    bool by_tag = def != NULL && def->trigger <= KN_TRIGGER_TAG_REMOVED;
    if (def != NULL && def->cookie == KN_COOKIE &&
        ((by_tag && def->tag.index1 == 0) ||
            (def->trigger == KN_TRIGGER_ATTRIBUTE_CHANGED && def->attribute.index1 == 0))) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "rule `%s` must say which tag or attribute triggers it",
            def->name != NULL ? def->name : "");
    }
    KNI_REGISTER(KN_DEF_RULE, &kni_rule_def_table, kni_rule, "rule")
    rule->index1 = index1;
    return result;
}

kn_calculation_def kn_calculation_def_default(void)
{
    kn_calculation_def def = {.cookie = KN_COOKIE};
    return def;
}

static kn_result captures_check(
    const kn_capture *captures, uint32_t count, const char *what, const char *name, kn_error *error)
{
    for (uint32_t i = 0; captures != NULL && i < count; i++) {
        if (captures[i].attribute.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "%s `%s`: capture %u does not name an attribute", what, name != NULL ? name : "",
                i);
        }
    }
    return KN_OK;
}

// Compiles a calculation with an expression: the attributes it reads become captures of the def.
static kn_result calculation_compile(
    kn_library *library, kn_calculation_def *def, kni_expression **code, kn_error *error)
{
    *code = NULL;
    kn_result result = kni_register_check(
        library, KN_DEF_CALCULATION, def->name, def->cookie, "calculation", error);
    if (result == KN_OK) {
        result = kni_def_check(library, &kni_calculation_def_table, def, error);
    }
    if (result != KN_OK) {
        return result;
    }
    kni_expression_def expression = {KNI_EXPRESSION_CALCULATION, "calculation", def->name,
        def->expression, def->captures, def->capture_count};
    result = kni_expression_compile(library, &library->memory, &expression, code, error);
    if (result == KN_OK) {
        def->captures = (*code)->captures;
        def->capture_count = (*code)->capture_count;
    }
    return result;
}

kn_result kn_calculation_register(kn_library *library, const kn_calculation_def *def,
    kn_calculation_id *calculation, kn_error *error)
{
    calculation->index1 = 0;
    kn_calculation_def full;
    kni_expression *code = NULL;
    if (def != NULL && def->cookie == KN_COOKIE) {
        kn_result check =
            captures_check(def->captures, def->capture_count, "calculation", def->name, error);
        if (check == KN_OK && (def->function == NULL) == (def->expression == NULL)) {
            check = kni_error(error, KN_ERROR_INVALID_ARGUMENT,
                "calculation `%s` has %s; give it one", def->name != NULL ? def->name : "",
                def->function == NULL ? "neither function nor expression"
                                      : "both a function and an expression");
        }
        if (check == KN_OK && def->expression != NULL) {
            full = *def;
            check = calculation_compile(library, &full, &code, error);
            def = &full;
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_CALCULATION, &kni_calculation_def_table, kni_calculation, "calculation")
    calculation->index1 = index1;
    if (code != NULL && result == KN_OK) {
        kni_calculation *item = KNI_ITEM(library, KN_DEF_CALCULATION, kni_calculation, index1 - 1);
        item->code = code;
        code->captures = item->def.captures; // their filters point into the library's copy
    } else if (code != NULL) {
        kni_expression_free(&library->memory, code);
    }
    return result;
}

kn_execution_def kn_execution_def_default(void)
{
    kn_execution_def def = {.predict = true, .cookie = KN_COOKIE};
    return def;
}

kn_result kn_execution_register(
    kn_library *library, const kn_execution_def *def, kn_execution_id *execution, kn_error *error)
{
    execution->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE) {
        kn_result check =
            captures_check(def->captures, def->capture_count, "execution", def->name, error);
        if (check == KN_OK && def->function == NULL) {
            check = kni_error(error, KN_ERROR_INVALID_ARGUMENT, "execution `%s` has no function",
                def->name != NULL ? def->name : "");
        }
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_EXECUTION, &kni_execution_def_table, kni_execution_type, "execution")
    execution->index1 = index1;
    return result;
}

kn_effect_logic_def kn_effect_logic_def_default(void)
{
    kn_effect_logic_def def = {.cookie = KN_COOKIE};
    return def;
}

kn_result kn_effect_logic_register(
    kn_library *library, const kn_effect_logic_def *def, kn_effect_logic_id *logic, kn_error *error)
{
    logic->index1 = 0;
    if (def != NULL && def->cookie == KN_COOKIE) {
        kn_result check =
            kni_state_check(library, "effect logic", def->name != NULL ? def->name : "",
                def->state_size, def->state_fields, def->state_field_count, error);
        if (check != KN_OK) {
            return check;
        }
    }
    KNI_REGISTER(KN_DEF_EFFECT_LOGIC, &kni_logic_def_table, kni_logic, "effect logic")
    if (result == KN_OK) {
        kni_logic *item = KNI_ITEM(library, KN_DEF_EFFECT_LOGIC, kni_logic, index1 - 1);
        result = kni_state_make(library, KN_DEF_EFFECT_LOGIC, &item->state, item->def.state_size,
            item->def.state_fields, item->def.state_field_count, error);
    }
    logic->index1 = result == KN_OK ? index1 : 0;
    return result;
}

kn_result kn_policy_register(kn_library *library, const char *name, kn_policy_fn *function,
    void *user, kn_policy_id *policy, kn_error *error)
{
    void *item;
    kn_result result = kni_register_function(
        library, KN_DEF_POLICY, name, function != NULL, "policy", &item, &policy->index1, error);
    if (item != NULL) {
        ((kni_policy *)item)->function = function;
        ((kni_policy *)item)->user = user;
    }
    return result;
}

kn_result kn_condition_register(kn_library *library, const char *name, kn_condition_fn *function,
    void *user, kn_condition_id *condition, kn_error *error)
{
    void *item;
    kn_result result = kni_register_function(library, KN_DEF_CONDITION, name, function != NULL,
        "condition", &item, &condition->index1, error);
    if (item != NULL) {
        ((kni_condition *)item)->function = function;
        ((kni_condition *)item)->user = user;
    }
    return result;
}

kn_result kn_requirement_register(kn_library *library, const char *name,
    kn_requirement_fn *function, void *user, kn_requirement_id *requirement, kn_error *error)
{
    void *item;
    kn_result result = kni_register_function(library, KN_DEF_REQUIREMENT, name, function != NULL,
        "requirement", &item, &requirement->index1, error);
    if (item != NULL) {
        ((kni_requirement *)item)->function = function;
        ((kni_requirement *)item)->user = user;
    }
    return result;
}

// Registers an expression under a name. *item is NULL unless the result is KN_OK.
static kn_result register_expression(kn_library *library, kn_def_kind kind,
    const kni_expression_def *def, kni_formula *formula, void **item, uint32_t *index1,
    kn_error *error)
{
    *item = NULL;
    *index1 = 0;
    *formula = (kni_formula){0};
    kn_result result = kni_register_check(library, kind, def->name, KN_COOKIE, def->what, error);
    if (result == KN_OK && def->text == NULL) {
        result = kni_error(
            error, KN_ERROR_INVALID_ARGUMENT, "%s `%s` has no expression", def->what, def->name);
    }
    if (result == KN_OK) {
        result = kni_expression_compile(library, &library->memory, def, &formula->code, error);
    }
    if (result != KN_OK) {
        return result;
    }
    formula->text = kni_strdup(&library->memory, def->text);
    if (formula->text == NULL) {
        result = kni_error(
            error, KN_ERROR_OUT_OF_MEMORY, "out of memory for %s `%s`", def->what, def->name);
    } else {
        result =
            kni_register_function(library, kind, def->name, true, def->what, item, index1, error);
    }
    if (result != KN_OK) {
        kni_formula_free(&library->memory, formula);
    }
    return result;
}

kn_result kn_condition_register_expression(kn_library *library, const char *name,
    const char *expression, kn_condition_id *condition, kn_error *error)
{
    kni_expression_def def = {KNI_EXPRESSION_CONDITION, "condition", name, expression, NULL, 0};
    void *item;
    kni_formula formula;
    kn_result result = register_expression(
        library, KN_DEF_CONDITION, &def, &formula, &item, &condition->index1, error);
    if (item != NULL) {
        ((kni_condition *)item)->formula = formula;
    }
    return result;
}

kn_result kn_requirement_register_expression(kn_library *library, const char *name,
    const char *expression, kn_requirement_id *requirement, kn_error *error)
{
    kni_expression_def def = {KNI_EXPRESSION_REQUIREMENT, "requirement", name, expression, NULL, 0};
    void *item;
    kni_formula formula;
    kn_result result = register_expression(
        library, KN_DEF_REQUIREMENT, &def, &formula, &item, &requirement->index1, error);
    if (item != NULL) {
        ((kni_requirement *)item)->formula = formula;
    }
    return result;
}

kn_result kn_timer_type_register(kn_library *library, const char *name, kn_timer_fn *function,
    void *user, kn_timer_type_id *type, kn_error *error)
{
    void *item;
    kn_result result = kni_register_function(
        library, KN_DEF_TIMER, name, function != NULL, "timer", &item, &type->index1, error);
    if (item != NULL) {
        ((kni_timer_type *)item)->function = function;
        ((kni_timer_type *)item)->user = user;
    }
    return result;
}

kn_timer_fn *kn_timer_type_function(const kn_library *library, kn_timer_type_id type, void **user)
{
    *user = NULL;
    if (library == NULL || type.index1 - 1 >= kni_ref_count(library, KN_DEF_TIMER)) {
        return NULL;
    }
    const kni_timer_type *item =
        KNI_ITEM(library, KN_DEF_TIMER, const kni_timer_type, type.index1 - 1);
    *user = item->user;
    return item->function;
}
