// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// Registration of effects: defaults, checks, lints, and the compilation of a def into the form that
// applications read: flags, resolved modifiers, numbered captures, watched tags.

#include "library/types.h"

#include "base/text.h"

#include <math.h>

// Defaults ------------------------------------------------------------------

kn_magnitude kn_magnitude_constant(float value)
{
    kn_magnitude magnitude = {.kind = KN_MAGNITUDE_SCALABLE, .scale = {.value = value}};
    return magnitude;
}

kn_magnitude kn_magnitude_by_level(float value, kn_curve_id curve)
{
    kn_magnitude magnitude = {
        .kind = KN_MAGNITUDE_SCALABLE, .scale = {.value = value, .curve = curve}};
    return magnitude;
}

kn_magnitude kn_magnitude_parameter(kn_name parameter)
{
    kn_magnitude magnitude = {.kind = KN_MAGNITUDE_SCALABLE, .scale = {.parameter = parameter}};
    return magnitude;
}

kn_magnitude kn_magnitude_of(kn_magnitude_kind kind)
{
    kn_magnitude magnitude = {.kind = kind, .scale = {.value = 1.0f}};
    return magnitude;
}

kn_magnitude kn_magnitude_attribute(
    kn_attribute_id attribute, kn_capture_from from, bool snapshot, float coefficient)
{
    kn_magnitude magnitude = kn_magnitude_of(KN_MAGNITUDE_ATTRIBUTE);
    magnitude.scale.value = coefficient;
    magnitude.capture.attribute = attribute;
    magnitude.capture.from = from;
    magnitude.capture.snapshot = snapshot;
    return magnitude;
}

kn_magnitude kn_magnitude_calculation(kn_calculation_id calculation)
{
    kn_magnitude magnitude = kn_magnitude_of(KN_MAGNITUDE_CALCULATION);
    magnitude.calculation = calculation;
    return magnitude;
}

kn_magnitude kn_magnitude_set_by_caller(kn_tag tag)
{
    kn_magnitude magnitude = kn_magnitude_of(KN_MAGNITUDE_SET_BY_CALLER);
    magnitude.caller_tag = tag;
    return magnitude;
}

kn_modifier_def kn_modifier_def_default(void)
{
    kn_modifier_def def = {0};
    return def;
}

kn_modifier_def kn_modifier_constant(kn_attribute_id attribute, kn_op op, float magnitude)
{
    kn_modifier_def def = {
        .attribute = attribute, .op = op, .magnitude = kn_magnitude_constant(magnitude)};
    return def;
}

kn_gate_def kn_gate_def_default(void)
{
    kn_gate_def def = {0};
    return def;
}

kn_parameter_def kn_parameter_def_default(void)
{
    kn_parameter_def def = {0};
    return def;
}

kn_cancel_def kn_cancel_def_default(void)
{
    kn_cancel_def def = {0};
    return def;
}

kn_grant_def kn_grant_def_default(void)
{
    kn_grant_def def = {.level = {.value = 1.0f}, .input = -1};
    return def;
}

kn_attribute_condition kn_attribute_condition_default(void)
{
    kn_attribute_condition condition = {.from = KN_CAPTURE_FROM_TARGET};
    return condition;
}

kn_child_def kn_child_def_default(void)
{
    kn_child_def def = {
        .count = 2, .inherit_level = true, .inherit_source = true, .copy_caller_values = true};
    return def;
}

kn_raise_def kn_raise_def_default(void)
{
    kn_raise_def def = {0};
    return def;
}

kn_effect_query kn_effect_query_default(void)
{
    kn_effect_query query = {.cookie = KN_COOKIE};
    return query;
}

kn_effect_def kn_effect_def_default(void)
{
    kn_effect_def def = {
        .chance = {.scale = {.value = 1.0f}},
        .stacking =
            {
                .initial = {.value = 1.0f},
                .per_application = {.value = 1.0f},
                .pandemic = {.value = 0.3f},
            },
        .predict = true,
        .cookie = KN_COOKIE,
    };
    return def;
}

// Checks --------------------------------------------------------------------

static bool conditions_empty(const kn_conditions *conditions)
{
    return conditions->attribute_count == 0 && kn_tag_requirement_is_empty(&conditions->target) &&
           kn_tag_requirement_is_empty(&conditions->source);
}

static const kn_value_profile *modifier_profile(
    const kn_library *library, const kn_modifier_def *modifier)
{
    if (modifier->attribute.index1 != 0) {
        return &kni_attribute_at(library, modifier->attribute.index1 - 1)->def.profile;
    }
    return &KNI_ITEM(library, KN_DEF_VALUE, kni_value_type, modifier->value.index1 - 1)
                ->def.profile;
}

// Resolves MULTIPLY and DIVIDE by the default rules of the value.
static kn_op modifier_op(const kn_value_profile *profile, kn_op op)
{
    if (op == KN_OP_MULTIPLY) {
        return profile->multiply_compound ? KN_OP_MULTIPLY_COMPOUND : KN_OP_MULTIPLY_ADDITIVE;
    }
    if (op == KN_OP_DIVIDE) {
        return profile->divide_compound ? KN_OP_DIVIDE_COMPOUND : KN_OP_DIVIDE_ADDITIVE;
    }
    return op;
}

static kn_result magnitude_check(
    const kn_magnitude *magnitude, const char *effect, const char *where, kn_error *error)
{
    if (magnitude->kind == KN_MAGNITUDE_ATTRIBUTE && magnitude->capture.attribute.index1 == 0) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s`, %s: does not name an attribute", effect, where);
    }
    if (magnitude->kind == KN_MAGNITUDE_CALCULATION && magnitude->calculation.index1 == 0) {
        return kni_error(error, KN_ERROR_BAD_DATA, "effect `%s`, %s: does not name a calculation",
            effect, where);
    }
    if (magnitude->kind == KN_MAGNITUDE_SET_BY_CALLER && magnitude->caller_tag.index1 == 0) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s`, %s: does not name a tag", effect, where);
    }
    return KN_OK;
}

static bool magnitude_is_constant(const kn_magnitude *magnitude)
{
    return magnitude->kind == KN_MAGNITUDE_SCALABLE && magnitude->scale.curve.index1 == 0 &&
           magnitude->scale.parameter.index1 == 0 && magnitude->final_curve.index1 == 0;
}

bool kni_parameters_are_good(const kn_named_value *parameters, uint32_t count)
{
    bool are_good = count <= KN_ABILITY_VALUES_MAX && (parameters != NULL || count == 0);
    for (uint32_t i = 0; are_good && i < count; i++) {
        are_good = parameters[i].name.index1 != 0;
    }
    return are_good;
}

bool kni_chance_is_certain(const kn_effect_def *def)
{
    return magnitude_is_constant(&def->chance) && def->chance.scale.value >= 1.0f;
}

static kn_result modifier_check(const kn_library *library, const kn_effect_def *def,
    const kn_modifier_def *modifier, kn_error *error)
{
    const char *name = def->name;
    if ((modifier->attribute.index1 != 0) == (modifier->value.index1 != 0)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: a modifier changes either one attribute or one value", name);
    }
    if (modifier->channel > KN_CHANNEL_MAX) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s`: the channel must be from 0 to 15", name);
    }
    const kn_value_profile *profile = modifier_profile(library, modifier);
    kn_op op = modifier_op(profile, modifier->op);
    bool is_divide = op == KN_OP_DIVIDE_ADDITIVE || op == KN_OP_DIVIDE_COMPOUND;
    if ((is_divide && !profile->allow_divide) ||
        (op == KN_OP_OVERRIDE && !profile->allow_override) ||
        (op == KN_OP_ADD_FINAL && !profile->allow_final) ||
        (op == KN_OP_MULTIPLY_ADDITIVE && profile->multiply_compound && profile->clamp_factors)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: the value's profile does not allow %s", name, kn_op_name(op));
    }
    if (is_divide && magnitude_is_constant(&modifier->magnitude) &&
        fabsf(modifier->magnitude.scale.value) < KN_DIVISOR_MIN) {
        return kni_error(error, KN_ERROR_BAD_DATA, "effect `%s` divides by zero", name);
    }
    kn_result result = magnitude_check(&modifier->magnitude, name, "a modifier", error);
    if (result != KN_OK) {
        return result;
    }
    if (modifier->magnitude.kind == KN_MAGNITUDE_POOL && !def->is_periodic) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: a pool is dealt out by ticks, so the effect needs a period", name);
    }
    bool needs_record =
        modifier->condition.index1 != 0 || !kn_tag_requirement_is_empty(&modifier->event);
    if (modifier->attribute.index1 != 0) {
        const kni_attribute *attribute = kni_attribute_at(library, modifier->attribute.index1 - 1);
        if (needs_record) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: %s is cached, so its modifiers cannot look at an event", name,
                attribute->name);
        }
        bool is_temporary = def->duration_kind != KN_DURATION_INSTANT && !def->is_periodic;
        if (attribute->def.is_static || (attribute->def.no_modifiers && is_temporary)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: %s does not accept such modifiers", name, attribute->name);
        }
    } else {
        const kn_value_def *value =
            &KNI_ITEM(library, KN_DEF_VALUE, kni_value_type, modifier->value.index1 - 1)->def;
        if (needs_record && value->context_free) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: value `%s` is context-free, so its modifiers cannot have conditions",
                name, value->name);
        }
        if (def->duration_kind == KN_DURATION_INSTANT || def->is_periodic) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: only an effect with a duration and without a period can modify value "
                "`%s`",
                name, value->name);
        }
    }
    return KN_OK;
}

// A reason may be registered after the effect, so this waits until the library is finished.
static kn_result gate_reasons_check(
    const kn_library *library, const kn_effect_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->gate_count; i++) {
        const char *reason = def->gates[i].reason;
        if (reason != NULL && kn_fail_find(library, reason) == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: there is no fail reason `%s` for its gate; register it first",
                def->name, reason);
        }
    }
    return KN_OK;
}

kn_result kni_gates_finish(const kn_library *library, kn_error *error)
{
    kn_result result = KN_OK;
    for (uint32_t i = 0; i < library->registries[KN_DEF_EFFECT].count && result == KN_OK; i++) {
        result = gate_reasons_check(
            library, &KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, i)->def, error);
    }
    return result;
}

static kn_result gate_check(
    const kn_library *library, const kn_effect_def *def, const kn_gate_def *gate, kn_error *error)
{
    bool has_test = gate->source_any.count > 0 || gate->type_count > 0 ||
                    gate->modifies.index1 != 0 || gate->condition.index1 != 0 ||
                    gate->parts.count > 0 || !kn_tag_requirement_is_empty(&gate->source) ||
                    !kn_tag_requirement_is_empty(&gate->record);
    if (!has_test) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: a gate without any test would block everything", def->name);
    }
    uint32_t kind = gate->kind.index1 == 0 ? 1 : gate->kind.index1;
    if (!KNI_ITEM(library, KN_DEF_EVENT_KIND, kni_event_kind, kind - 1)->def.restrictable) {
        return kni_error(error, KN_ERROR_BAD_DATA, "effect `%s`: event kind `%s` has no gates",
            def->name, kni_ref_name(library, KN_DEF_EVENT_KIND, kind));
    }
    if (kind != 1 &&
        (gate->type_count > 0 || gate->modifies.index1 != 0 || gate->parts.count > 0)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: types, attributes and parts are only for gates on effect applications",
            def->name);
    }
    return KN_OK;
}

static kn_result conditions_check(
    const kn_effect_def *def, const kn_conditions *conditions, const char *where, kn_error *error)
{
    for (uint32_t i = 0; i < conditions->attribute_count; i++) {
        const kn_attribute_condition *condition = &conditions->attributes[i];
        bool has_bound = condition->has_min || condition->has_max || condition->has_above ||
                         condition->has_below;
        if (condition->attribute.index1 == 0 || !has_bound ||
            condition->from == KN_CAPTURE_FROM_CAUSER) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`, %s condition %u: needs an attribute of source or target, and a "
                "minimum (`min`, `above`) or maximum (`max`, `below`)",
                def->name, where, i);
        }
    }
    return KN_OK;
}

// An effect that grants a tag that inhibits it would switch forever.
static kn_result self_inhibition_check(
    const kn_library *library, const kn_effect_def *def, kn_error *error)
{
    for (uint32_t i = 0; i < def->granted_tags.count; i++) {
        for (uint32_t j = 0; j < def->ongoing.target.ignored.count; j++) {
            if (kn_tag_matches(
                    library, def->granted_tags.data[i], def->ongoing.target.ignored.data[j])) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "effect `%s` grants %s, which its ongoing requirement forbids", def->name,
                    kn_tag_name(library, def->granted_tags.data[i]));
            }
        }
        for (uint32_t j = 0; j < def->removal.target.required.count; j++) {
            if (def->removal.target.required.count == 1 && def->removal.target.query == NULL &&
                def->removal.attribute_count == 0 && def->removal.target.ignored.count == 0 &&
                kn_tag_requirement_is_empty(&def->removal.source) &&
                kn_tag_matches(
                    library, def->granted_tags.data[i], def->removal.target.required.data[j])) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "effect `%s` grants %s, which removes it", def->name,
                    kn_tag_name(library, def->granted_tags.data[i]));
            }
        }
    }
    return KN_OK;
}

static kn_result execution_use_check(const kn_library *library, const kn_effect_def *def,
    const kn_execution_use *use, kn_error *error)
{
    if (use->execution.index1 == 0) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s` uses an execution without a name", def->name);
    }
    const kn_execution_def *execution =
        &KNI_ITEM(library, KN_DEF_EXECUTION, kni_execution_type, use->execution.index1 - 1)->def;
    for (uint32_t i = 0; i < use->modifier_count; i++) {
        const kn_calculation_modifier *modifier = &use->modifiers[i];
        bool known = modifier->transient.index1 != 0
                         ? kn_tags_has_exact(execution->transients, modifier->transient)
                         : modifier->capture < execution->capture_count;
        bool good_op = modifier->op == KN_OP_ADD || modifier->op == KN_OP_MULTIPLY ||
                       modifier->op == KN_OP_DIVIDE || modifier->op == KN_OP_OVERRIDE;
        if (!known || !good_op) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: calculation modifier %u does not fit execution `%s`", def->name, i,
                execution->name);
        }
    }
    return KN_OK;
}

static kn_result time_check(const kn_effect_def *def, kn_error *error)
{
    const char *name = def->name;
    kn_result result = KN_OK;
    if (def->duration_kind == KN_DURATION_TIMED) {
        result = magnitude_check(&def->duration, name, "duration", error);
        if (result == KN_OK && magnitude_is_constant(&def->duration) &&
            !(def->duration.scale.value > 0.0f)) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "effect `%s`: its duration must be above 0", name);
        }
    } else if (def->duration_value.index1 != 0) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: `duration_value` needs a duration in seconds", name);
    }
    if (result == KN_OK && def->is_periodic) {
        result = magnitude_check(&def->period, name, "period", error);
        if (result == KN_OK && def->duration_kind == KN_DURATION_INSTANT) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "effect `%s`: an instant effect has no period", name);
        }
        if (result == KN_OK && magnitude_is_constant(&def->period) &&
            kn_time_from_seconds((double)def->period.scale.value) <= 0) {
            result = kni_error(
                error, KN_ERROR_BAD_DATA, "effect `%s`: its period must be above 0", name);
        }
    }
    if (result == KN_OK && def->has_haste) {
        result = magnitude_check(&def->haste, name, "haste", error);
    }
    return result;
}

static kn_result stacking_check(const kn_effect_def *def, kn_error *error)
{
    const kn_stacking *stacking = &def->stacking;
    if (stacking->kind != KN_STACK_NONE && def->duration_kind == KN_DURATION_INSTANT) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s`: an instant effect cannot stack", def->name);
    }
    if (stacking->kind == KN_STACK_NONE &&
        (stacking->own_timers || stacking->tick_on_stack || stacking->deny_overflow)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s` has stack rules but does not stack", def->name);
    }
    if (stacking->own_timers && def->duration_kind != KN_DURATION_TIMED) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: stacks with their own timers need a duration", def->name);
    }
    if (stacking->own_timers && def->live_duration != KN_LIVE_NONE) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: stacks with their own timers keep the duration they began with",
            def->name);
    }
    if (stacking->clear_on_overflow && !stacking->deny_overflow) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: `clear_on_overflow` needs `deny_overflow`", def->name);
    }
    return KN_OK;
}

kn_result kni_effect_type_check(
    const kn_library *library, const kn_effect_def *def, kn_error *error)
{
    kn_result result = kni_def_check(library, &kni_effect_def_table, def, error);
    for (uint32_t i = 0; i < def->modifier_count && result == KN_OK; i++) {
        result = modifier_check(library, def, &def->modifiers[i], error);
    }
    for (uint32_t i = 0; i < def->gate_count && result == KN_OK; i++) {
        result = gate_check(library, def, &def->gates[i], error);
    }
    if (result == KN_OK && library->finished) { // made at run time
        result = gate_reasons_check(library, def, error);
    }
    for (uint32_t i = 0; i < def->execution_count && result == KN_OK; i++) {
        result = execution_use_check(library, def, &def->executions[i], error);
    }
    if (result == KN_OK) {
        result = time_check(def, error);
    }
    if (result == KN_OK) {
        result = stacking_check(def, error);
    }
    if (result == KN_OK) {
        result = conditions_check(def, &def->application, "application", error);
    }
    if (result == KN_OK) {
        result = conditions_check(def, &def->ongoing, "ongoing", error);
    }
    if (result == KN_OK) {
        result = conditions_check(def, &def->removal, "removal", error);
    }
    if (result == KN_OK) {
        result = self_inhibition_check(library, def, error);
    }
    if (result != KN_OK) {
        return result;
    }
    const char *name = def->name;
    for (uint32_t i = 0; i < def->cue_tags.count; i++) {
        if (!kn_cue_tag_is_valid(library, def->cue_tags.data[i])) {
            return kni_error(error, KN_ERROR_BAD_DATA, "effect `%s`: %s is not registered as a cue",
                name, kn_tag_name(library, def->cue_tags.data[i]));
        }
    }
    if ((def->cue_needs_success & ~(uint32_t)KN_CUE_PHASES) != 0) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: only cues that are added, executed or updated can require success", name);
    }
    for (uint32_t i = 0; i < def->cancel_count; i++) {
        if (def->cancels[i].with.count == 0 && def->cancels[i].without.count == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: entry %u of the abilities it cancels does not name a tag", name, i);
        }
        if (def->cancels[i].on_tick && !def->is_periodic) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: it cancels on ticks but has no period", name);
        }
    }
    if (def->execution_count > 0 && def->duration_kind != KN_DURATION_INSTANT &&
        !def->is_periodic) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: executions need an instant or periodic effect", name);
    }
    if (def->modifier_count > 64 || def->execution_count > 64) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: an effect has at most 64 modifiers and 64 executions", name);
    }
    for (uint32_t i = 64; i < def->grant_count; i++) {
        if (def->grants[i].follow_inhibition == KN_GRANT_FOLLOW_AFTER_END) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`: only its first 64 grants can be removed and restored", name);
        }
    }
    for (uint32_t i = 0; i < def->grant_count; i++) {
        if (!kni_parameters_are_good(def->grants[i].parameters, def->grants[i].parameter_count)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`, grant %u: a grant has at most %d parameters, each with a name", name,
                i, KN_ABILITY_VALUES_MAX);
        }
    }
    if (def->grant_count > 0 && def->duration_kind == KN_DURATION_INSTANT) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: an instant effect cannot grant abilities", name);
    }
    if (def->acts_on_owned && (def->duration_kind == KN_DURATION_INSTANT || def->is_periodic)) {
        return kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s`: only an effect with a duration and without a period can act on owned "
            "entities",
            name);
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        const kn_child_def *child = &def->children[i];
        bool is_threshold =
            child->when == KN_CHILD_COUNT_REACHED || child->when == KN_CHILD_COUNT_HELD;
        if (is_threshold && child->count < 2) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`, child %u: a threshold must be at least 2", name, i);
        }
        if (child->type.index1 == 0 && child->type_name == NULL) {
            return kni_error(
                error, KN_ERROR_BAD_DATA, "effect `%s`, child %u does not name an effect", name, i);
        }
    }
    for (uint32_t i = 0; i < def->tag_edit_count; i++) {
        const kn_tag_edit *edit = &def->tag_edits[i];
        if (edit->tag.index1 == 0 ||
            (edit->kind == KN_TAG_EDIT_REPLACE && edit->with.index1 == 0)) {
            return kni_error(
                error, KN_ERROR_BAD_DATA, "effect `%s`, tag edit %u does not name a tag", name, i);
        }
    }
    for (uint32_t i = 0; i < def->raise_count; i++) {
        if (def->raises[i].tag.index1 == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s`, raised event %u does not name a tag", name, i);
        }
        result = magnitude_check(&def->raises[i].magnitude, name, "a raised event", error);
        if (result != KN_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < def->parameter_count; i++) {
        for (uint32_t j = 0; j <= i; j++) {
            if (def->parameters[i].name.index1 == 0 ||
                (j < i && def->parameters[i].name.index1 == def->parameters[j].name.index1)) {
                return kni_error(error, KN_ERROR_BAD_DATA,
                    "effect `%s`: parameter %u needs a unique name", name, i);
            }
        }
    }
    const kn_scalable *chance = &def->chance.scale;
    if (def->chance.kind == KN_MAGNITUDE_SCALABLE && def->chance.final_curve.index1 == 0 &&
        chance->parameter.index1 == 0 && !(chance->value >= 0.0f && chance->value <= 1.0f)) {
        return kni_error(
            error, KN_ERROR_BAD_DATA, "effect `%s`: the chance must be from 0 to 1", name);
    }
    return magnitude_check(&def->chance, name, "the chance", error);
}

// Compilation ---------------------------------------------------------------

static uint32_t magnitude_capture_count(const kn_library *library, const kn_magnitude *magnitude)
{
    if (magnitude->kind == KN_MAGNITUDE_ATTRIBUTE) {
        return 1;
    }
    if (magnitude->kind == KN_MAGNITUDE_CALCULATION) {
        return KNI_ITEM(
            library, KN_DEF_CALCULATION, kni_calculation, magnitude->calculation.index1 - 1)
            ->def.capture_count;
    }
    return 0;
}

static void magnitude_captures(const kn_library *library, const kn_magnitude *magnitude,
    kni_capture_slot *slots, uint32_t *count)
{
    if (magnitude->kind == KN_MAGNITUDE_ATTRIBUTE) {
        slots[(*count)++].capture = &magnitude->capture;
    } else if (magnitude->kind == KN_MAGNITUDE_CALCULATION) {
        const kn_calculation_def *def = &KNI_ITEM(
            library, KN_DEF_CALCULATION, kni_calculation, magnitude->calculation.index1 - 1)
                                             ->def;
        for (uint32_t i = 0; i < def->capture_count; i++) {
            slots[(*count)++].capture = &def->captures[i];
        }
    }
}

void kni_effect_type_free(kni_memory *memory, kni_effect_type *type)
{
    kni_free(memory, type->modifiers, type->modifier_count * sizeof(kni_modifier));
    kni_free(memory, type->captures, type->capture_count * sizeof(kni_capture_slot));
    kni_free(memory, type->modifier_capture, type->def.modifier_count * sizeof(uint32_t));
    kni_free(memory, type->execution_capture, type->def.execution_count * sizeof(uint32_t));
    kni_free(memory, type->watch, type->watch_words * sizeof(uint64_t));
    type->modifiers = NULL;
    type->captures = NULL;
    type->modifier_capture = NULL;
    type->execution_capture = NULL;
    type->watch = NULL;
    kni_def_free(memory, &kni_effect_def_table, &type->def);
}

// Frees what an earlier kn_library_finish() that failed had compiled.
static void compiled_free(kni_memory *memory, kni_effect_type *type)
{
    kn_effect_def def = type->def;
    memset(&type->def, 0, sizeof(type->def));
    type->def.modifier_count = def.modifier_count;
    type->def.execution_count = def.execution_count;
    kni_free(
        memory, type->modifiers, type->modifiers ? type->modifier_count * sizeof(kni_modifier) : 0);
    kni_free(memory, type->captures,
        type->captures ? type->capture_count * sizeof(kni_capture_slot) : 0);
    kni_free(memory, type->modifier_capture,
        type->modifier_capture ? def.modifier_count * sizeof(uint32_t) : 0);
    kni_free(memory, type->execution_capture,
        type->execution_capture ? def.execution_count * sizeof(uint32_t) : 0);
    kni_free(memory, type->watch, type->watch ? type->watch_words * sizeof(uint64_t) : 0);
    type->modifiers = NULL;
    type->captures = NULL;
    type->modifier_capture = NULL;
    type->execution_capture = NULL;
    type->watch = NULL;
    type->modifier_count = 0;
    type->capture_count = 0;
    type->watch_words = 0;
    type->flags = 0;
    type->def = def;
}

static void watch_tags(uint64_t *watch, kn_tags tags)
{
    for (uint32_t i = 0; i < tags.count; i++) {
        watch[tags.data[i].index1 / 64] |= UINT64_C(1) << (tags.data[i].index1 % 64);
    }
}

static void watch_requirement(uint64_t *watch, const kn_tag_requirement *requirement)
{
    watch_tags(watch, requirement->required);
    watch_tags(watch, requirement->ignored);
    if (requirement->query != NULL) {
        kn_tag tags[KN_QUERY_TOKENS_MAX];
        kn_tags mentioned = {
            tags, kni_tag_query_collect(requirement->query, tags, KN_QUERY_TOKENS_MAX)};
        watch_tags(watch, mentioned);
    }
}

static bool modifier_has_requirement(const kn_modifier_def *modifier)
{
    return !kn_tag_requirement_is_empty(&modifier->source) ||
           !kn_tag_requirement_is_empty(&modifier->target);
}

static void compile_modifier(
    const kn_library *library, kni_effect_type *type, uint32_t index, const kn_modifier_def *def)
{
    const kn_value_profile *profile = modifier_profile(library, def);
    kni_modifier *modifier = &type->modifiers[index];
    modifier->attribute = def->attribute.index1 != 0 ? def->attribute.index1 - 1 : KNI_NONE;
    modifier->value = def->value.index1 != 0 ? def->value.index1 - 1 : KNI_NONE;
    modifier->info =
        def->attribute.index1 != 0 ? kni_attribute_at(library, modifier->attribute) : NULL;
    modifier->key = def->key;
    modifier->op = (uint8_t)modifier_op(profile, def->op);
    modifier->channel = def->channel;
    modifier->is_constant = magnitude_is_constant(&def->magnitude);
    modifier->constant = def->magnitude.scale.value;
    bool by_profile = def->scaling == KN_STACK_SCALING_BY_PROFILE && profile->scale_with_stacks;
    // A share of a pool is an amount in itself: stacks do not multiply it.
    bool is_share = def->magnitude.kind == KN_MAGNITUDE_POOL;
    modifier->scales = def->scaling == KN_STACK_SCALING_YES || (by_profile && !is_share);
    modifier->has_requirement = modifier_has_requirement(def);
    modifier->group = def->group.index1;
    modifier->group_rule = (uint8_t)def->group_rule;
    modifier->def = def;
    const kn_effect_def *effect = &type->def;
    if (modifier->group == 0 && effect->exclusive_group.index1 != 0) {
        if (effect->exclusive_rule == KN_EXCLUSIVE_BEST_COUNTS) {
            modifier->group = effect->exclusive_group.index1;
            modifier->group_rule = KN_GROUP_BEST;
        } else if (effect->exclusive_rule == KN_EXCLUSIVE_NAME_ONCE) {
            modifier->group = 0x80000000u | type->index1; // a group that only this type is in
            modifier->group_rule = KN_GROUP_BEST;
        }
    }
}

static bool scalable_is_constant(const kn_scalable *scalable)
{
    return scalable->curve.index1 == 0 && scalable->parameter.index1 == 0 &&
           isfinite(scalable->value);
}

// For an effect that is compiled otherwise.
static void compile_plain_change(kni_effect_type *type)
{
    const kni_modifier *modifier = type->modifiers;
    bool is_active = (type->flags & KNI_EFFECT_ACTIVE) != 0;
    uint32_t wrong = is_active ? KNI_EFFECT_TICKS_SLOW : KNI_EFFECT_SLOW;
    type->plain_change = (kni_plain_change){.period = type->period};
    bool is_plain =
        (!is_active || type->period > 0) && type->modifier_count == 1 &&
        (type->flags & (KNI_EFFECT_PLAIN_MODIFIERS | wrong)) == KNI_EFFECT_PLAIN_MODIFIERS &&
        modifier->op == KN_OP_ADD && modifier->key == 0 && modifier->info != NULL &&
        (modifier->info->flags & KNI_ATTRIBUTE_PLAIN) != 0;
    if (is_plain) {
        type->plain_change.attribute1 = modifier->attribute + 1;
        type->plain_change.magnitude = modifier->constant;
        type->plain_change.base_min = modifier->info->const_base_min;
        type->plain_change.base_max = modifier->info->const_base_max;
        type->plain_change.min = modifier->info->const_min;
        type->plain_change.max = modifier->info->const_max;
    }
}

static void compile_plain_follow(kni_effect_type *type)
{
    const kni_modifier *modifier = type->modifiers;
    const uint32_t wrong = KNI_EFFECT_PERIODIC | KNI_EFFECT_OWNED | KNI_EFFECT_CUES |
                           KNI_EFFECT_EXECUTIONS | KNI_EFFECT_CONST_TIME | KNI_EFFECT_LIVE;
    type->plain_follow = (kni_plain_follow){0};
    if ((type->flags & wrong) != (KNI_EFFECT_CONST_TIME | KNI_EFFECT_LIVE) ||
        type->modifier_count != 1 || type->capture_count != 1 || modifier->attribute == KNI_NONE ||
        modifier->key != 0 || modifier->has_requirement || modifier->def->stack_curve.index1 != 0 ||
        type->def.live_duration != KN_LIVE_NONE) {
        return;
    }
    const kn_magnitude *magnitude = &modifier->def->magnitude;
    const kn_capture *capture = &magnitude->capture;
    bool is_plain =
        magnitude->kind == KN_MAGNITUDE_ATTRIBUTE && scalable_is_constant(&magnitude->scale) &&
        scalable_is_constant(&magnitude->pre_add) && scalable_is_constant(&magnitude->post_add) &&
        magnitude->final_curve.index1 == 0 && capture->key == 0 &&
        capture->value == KN_CAPTURE_FINAL && capture->from != KN_CAPTURE_FROM_CAUSER &&
        !capture->has_default && capture->source_filter.count == 0 &&
        capture->target_filter.count == 0;
    if (is_plain) {
        type->plain_follow.attribute1 = capture->attribute.index1;
        type->plain_follow.from_source = capture->from == KN_CAPTURE_FROM_SOURCE;
        type->plain_follow.scale = magnitude->scale.value;
        type->plain_follow.pre = magnitude->pre_add.value;
        type->plain_follow.post = magnitude->post_add.value;
    }
}

static uint32_t compile_flags(const kn_effect_def *def, const kni_effect_type *type)
{
    uint32_t flags = 0;
    flags |= def->duration_kind != KN_DURATION_INSTANT ? KNI_EFFECT_ACTIVE : 0u;
    flags |= def->is_periodic ? KNI_EFFECT_PERIODIC : 0u;
    flags |= !conditions_empty(&def->application) ? KNI_EFFECT_APPLICATION : 0u;
    flags |= !conditions_empty(&def->ongoing) ? KNI_EFFECT_ONGOING : 0u;
    flags |= !conditions_empty(&def->removal) ? KNI_EFFECT_REMOVAL : 0u;
    flags |= !kni_chance_is_certain(def) ? KNI_EFFECT_CHANCE : 0u;
    flags |= def->requirement.index1 != 0 ? KNI_EFFECT_REQUIREMENT : 0u;
    flags |= def->stacking.kind != KN_STACK_NONE ? KNI_EFFECT_STACKS : 0u;
    flags |= def->exclusive_group.index1 != 0 ? KNI_EFFECT_EXCLUSIVE : 0u;
    flags |= def->gate_count > 0 ? KNI_EFFECT_GATES : 0u;
    flags |= def->child_count > 0 ? KNI_EFFECT_CHILDREN : 0u;
    // What is not predicted must not take the short path, and to raise nothing is the cheapest.
    flags |= def->raise_count > 0 || !def->predict ? KNI_EFFECT_RAISES : 0u;
    flags |= def->grant_count > 0 ? KNI_EFFECT_GRANTS : 0u;
    flags |= def->logic.index1 != 0 ? KNI_EFFECT_LOGIC : 0u;
    flags |= def->cue_tags.count > 0 ? KNI_EFFECT_CUES : 0u;
    flags |= def->remove_effects_with.count > 0 || def->cancel_count > 0 ? KNI_EFFECT_REMOVES : 0u;
    flags |= def->execution_count > 0 ? KNI_EFFECT_EXECUTIONS : 0u;
    flags |= def->parameter_count > 0 ? KNI_EFFECT_PARAMETERS : 0u;
    flags |= type->capture_count > 0 ? KNI_EFFECT_CAPTURES : 0u;
    flags |= def->keeps_tally ? KNI_EFFECT_TALLY : 0u;
    flags |= def->acts_on_owned ? KNI_EFFECT_OWNED : 0u;
    flags |= def->ends_with_source ? KNI_EFFECT_ENDS_WITH_SOURCE : 0u;
    flags |= def->stacking.own_timers ? KNI_EFFECT_OWN_TIMERS : 0u;
    flags |= def->blocked_ability_tags.count > 0 ? KNI_EFFECT_BLOCKS : 0u;
    bool source_watch = !kn_tag_requirement_is_empty(&def->ongoing.source) ||
                        !kn_tag_requirement_is_empty(&def->removal.source);
    bool parts = false, continuous = false, plain = true, ticked = false, by_tally = false;
    for (uint32_t i = 0; i < type->modifier_count; i++) {
        const kni_modifier *modifier = &type->modifiers[i];
        parts |= modifier->def->tags.count > 0;
        bool is_continuous =
            modifier->has_requirement && modifier->def->when == KN_REQUIREMENT_TIME_CONTINUOUS;
        continuous |= is_continuous;
        ticked |= modifier->has_requirement && modifier->def->when == KN_REQUIREMENT_TIME_TICKED;
        source_watch |= is_continuous && !kn_tag_requirement_is_empty(&modifier->def->source);
        plain &= modifier->is_constant && !modifier->has_requirement &&
                 modifier->value == KNI_NONE && modifier->def->stack_curve.index1 == 0;
        kn_magnitude_kind kind = modifier->def->magnitude.kind;
        by_tally |= kind >= KN_MAGNITUDE_TALLY_LOSS && kind <= KN_MAGNITUDE_POOL;
    }
    for (uint32_t i = 0; i < def->execution_count; i++) {
        parts |= def->executions[i].tags.count > 0;
    }
    flags |= def->tag_edit_count > 0 ? KNI_EFFECT_EDITS : 0u;
    flags |= parts ? KNI_EFFECT_PARTS : 0u;
    flags |= continuous ? KNI_EFFECT_CONTINUOUS : 0u;
    flags |= source_watch ? KNI_EFFECT_SOURCE_WATCH : 0u;
    flags |= plain ? KNI_EFFECT_PLAIN_MODIFIERS : 0u;
    bool const_duration =
        def->duration_kind != KN_DURATION_TIMED ||
        (magnitude_is_constant(&def->duration) && def->duration_value.index1 == 0);
    bool const_period = !def->is_periodic || magnitude_is_constant(&def->period);
    flags |= const_duration && const_period && !def->has_haste ? KNI_EFFECT_CONST_TIME : 0u;
    bool needs_rare = (flags & (KNI_EFFECT_CAPTURES | KNI_EFFECT_TALLY | KNI_EFFECT_LOGIC |
                                   KNI_EFFECT_OWN_TIMERS | KNI_EFFECT_OWNED |
                                   KNI_EFFECT_PARAMETERS | KNI_EFFECT_CHILDREN)) != 0;
    needs_rare |= !plain || ticked || by_tally || (flags & KNI_EFFECT_CONST_TIME) == 0;
    needs_rare |= (flags & KNI_EFFECT_STACKS) != 0 && def->stacking.expiration != KN_EXPIRE_CLEAR;
    needs_rare |= def->inhibit_period == KN_INHIBIT_PAUSE || source_watch || def->partial_last_tick;
    for (uint32_t i = 0; i < def->grant_count; i++) {
        needs_rare |= def->grants[i].follow_inhibition == KN_GRANT_FOLLOW_AFTER_END;
    }
    flags |= needs_rare ? KNI_EFFECT_NEEDS_RARE : 0u;
    return flags;
}

static void *compile_array(kni_memory *memory, uint32_t count, size_t size, bool *ok)
{
    if (count == 0 || !*ok) {
        return NULL;
    }
    void *array = kni_realloc(memory, NULL, 0, count * size);
    *ok = array != NULL;
    if (array != NULL) {
        memset(array, 0, count * size);
    }
    return array;
}

static void compile_captures(const kn_library *library, kni_effect_type *type)
{
    const kn_effect_def *def = &type->def;
    uint32_t count = 0;
    for (uint32_t i = 0; i < def->modifier_count; i++) {
        type->modifier_capture[i] = count;
        magnitude_captures(library, &def->modifiers[i].magnitude, type->captures, &count);
    }
    type->duration_capture = count;
    if (def->duration_kind == KN_DURATION_TIMED) {
        magnitude_captures(library, &def->duration, type->captures, &count);
    }
    type->period_capture = count;
    if (def->is_periodic) {
        magnitude_captures(library, &def->period, type->captures, &count);
    }
    type->haste_capture = count;
    if (def->has_haste) {
        magnitude_captures(library, &def->haste, type->captures, &count);
    }
    for (uint32_t i = 0; i < def->execution_count; i++) {
        type->execution_capture[i] = count;
        const kn_execution_def *execution = &KNI_ITEM(
            library, KN_DEF_EXECUTION, kni_execution_type, def->executions[i].execution.index1 - 1)
                                                 ->def;
        for (uint32_t j = 0; j < execution->capture_count; j++) {
            type->captures[count++].capture = &execution->captures[j];
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        type->captures[i].is_live =
            !type->captures[i].capture->snapshot && def->duration_kind != KN_DURATION_INSTANT;
    }
}

kn_result kni_effect_type_compile(
    const kn_library *library, kni_memory *memory, kni_effect_type *type, kn_error *error)
{
    const kn_effect_def *def = &type->def;
    compiled_free(memory, type);
    uint32_t captures = 0;
    for (uint32_t i = 0; i < def->modifier_count; i++) {
        captures += magnitude_capture_count(library, &def->modifiers[i].magnitude);
    }
    captures += def->duration_kind == KN_DURATION_TIMED
                    ? magnitude_capture_count(library, &def->duration)
                    : 0;
    captures += def->is_periodic ? magnitude_capture_count(library, &def->period) : 0;
    captures += def->has_haste ? magnitude_capture_count(library, &def->haste) : 0;
    for (uint32_t i = 0; i < def->execution_count; i++) {
        captures += KNI_ITEM(
            library, KN_DEF_EXECUTION, kni_execution_type, def->executions[i].execution.index1 - 1)
                        ->def.capture_count;
    }
    uint32_t words = kn_tag_count(library) / 64 + 1;
    bool ok = true;
    type->modifiers = compile_array(memory, def->modifier_count, sizeof(kni_modifier), &ok);
    type->modifier_count = type->modifiers != NULL ? def->modifier_count : 0;
    type->modifier_capture = compile_array(memory, def->modifier_count, sizeof(uint32_t), &ok);
    type->execution_capture = compile_array(memory, def->execution_count, sizeof(uint32_t), &ok);
    type->captures = compile_array(memory, captures, sizeof(kni_capture_slot), &ok);
    type->capture_count = type->captures != NULL ? captures : 0;
    type->watch = compile_array(memory, words, sizeof(uint64_t), &ok);
    type->watch_words = type->watch != NULL ? words : 0;
    if (!ok) {
        compiled_free(memory, type);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for effect `%s`", def->name);
    }
    for (uint32_t i = 0; i < def->modifier_count; i++) {
        compile_modifier(library, type, i, &def->modifiers[i]);
    }
    compile_captures(library, type);
    type->flags = compile_flags(def, type);
    for (uint32_t i = 0; i < type->capture_count; i++) {
        type->flags |= type->captures[i].is_live ? KNI_EFFECT_LIVE : 0u;
    }
    watch_requirement(type->watch, &def->ongoing.target);
    watch_requirement(type->watch, &def->ongoing.source);
    watch_requirement(type->watch, &def->removal.target);
    watch_requirement(type->watch, &def->removal.source);
    for (uint32_t i = 0; i < def->modifier_count; i++) {
        if (def->modifiers[i].when == KN_REQUIREMENT_TIME_CONTINUOUS) {
            watch_requirement(type->watch, &def->modifiers[i].source);
            watch_requirement(type->watch, &def->modifiers[i].target);
        }
    }
    type->parent1 = def->parent != NULL ? kni_ref_find(library, KN_DEF_EFFECT, def->parent) : 0;
    type->duration = KN_TIME_INFINITE;
    if (def->duration_kind == KN_DURATION_TIMED && magnitude_is_constant(&def->duration)) {
        type->duration = kn_time_from_seconds((double)def->duration.scale.value);
    }
    type->period = 0;
    if (def->is_periodic && magnitude_is_constant(&def->period)) {
        type->period = kn_time_from_seconds((double)def->period.scale.value);
    }
    type->granted_count = def->granted_tags.count;
    type->granted = def->granted_tags.data;
    compile_plain_change(type);
    compile_plain_follow(type);
    return KN_OK;
}

// Registration --------------------------------------------------------------

kn_result kn_effect_register(
    kn_library *library, const kn_effect_def *def, kn_effect_type_id *out, kn_error *error)
{
    out->index1 = 0;
    if (library == NULL || def == NULL) {
        KN_ASSERT(library != NULL && def != NULL);
        return KN_ERROR_INVALID_ARGUMENT;
    }
    kn_result result =
        kni_register_check(library, KN_DEF_EFFECT, def->name, def->cookie, "effect", error);
    if (result == KN_OK) {
        result = kni_effect_type_check(library, def, error);
    }
    if (result == KN_OK && def->parent != NULL &&
        kni_ref_find(library, KN_DEF_EFFECT, def->parent) == 0) {
        result = kni_error(error, KN_ERROR_BAD_DATA,
            "effect `%s` has parent `%s`, which is not registered", def->name, def->parent);
    }
    if (result == KN_OK && library->registries[KN_DEF_EFFECT].count >= UINT16_MAX / 2) {
        result = kni_error(error, KN_REFUSED_LIMIT, "a library has at most 32767 effects");
    }
    if (result != KN_OK) {
        return result;
    }
    kni_memory *memory = &library->memory;
    kni_registry *registry = &library->registries[KN_DEF_EFFECT];
    kni_effect_type *type = kni_registry_add(memory, registry, def->name);
    if (type == NULL) {
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for effect `%s`", def->name);
    }
    if (!kni_def_copy(memory, &kni_effect_def_table, &type->def, def)) {
        kni_registry_pop(memory, registry);
        return kni_error(error, KN_ERROR_OUT_OF_MEMORY, "out of memory for effect `%s`", def->name);
    }
    type->index1 = registry->count;
    out->index1 = registry->count;
    return KN_OK;
}

kn_effect_type_id kn_effect_type_find(const kn_library *library, const char *name)
{
    kn_effect_type_id type = {kni_find_expected(library, KN_DEF_EFFECT, name)};
    return type;
}

// Finish --------------------------------------------------------------------

static kn_result children_resolve(kn_library *library, kni_effect_type *type, kn_error *error)
{
    for (uint32_t i = 0; i < type->def.child_count; i++) {
        kn_child_def *child;
        const kn_child_def *constant = &type->def.children[i];
        memcpy(&child, &constant, sizeof(child));
        if (child->type_name == NULL) {
            continue;
        }
        uint32_t found = kni_ref_find(library, KN_DEF_EFFECT, child->type_name);
        if (found == 0) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s` starts `%s`, which is not registered", type->name, child->type_name);
        }
        child->type.index1 = found;
    }
    return KN_OK;
}

// An effect that always applies itself again, directly or through others, would never end. On
// success `path` lists the effects from this one on.
static bool child_loop(
    const kn_library *library, uint32_t index, uint32_t goal, uint32_t depth, kni_text *path)
{
    const kni_effect_type *type = KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, index);
    if (depth > 16 || (type->flags & (KNI_EFFECT_CHANCE | KNI_EFFECT_APPLICATION |
                                         KNI_EFFECT_REQUIREMENT | KNI_EFFECT_REMOVAL)) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < type->def.child_count; i++) {
        const kn_child_def *child = &type->def.children[i];
        if (child->when != KN_CHILD_APPLIED || !kn_tag_requirement_is_empty(&child->source)) {
            continue;
        }
        uint32_t next = child->type.index1 - 1;
        const kni_effect_type *next_type = KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, next);
        if (next_type->def.stacking.deny_overflow) {
            continue;
        }
        uint32_t length = path->length;
        kni_text_str(path, " -> ");
        kni_text_str(path, next_type->name);
        if (next == goal || child_loop(library, next, goal, depth + 1, path)) {
            return true;
        }
        path->length = length;
    }
    return false;
}

// Logs warnings about what is legal but has no effect, or is likely to surprise.
static void effect_lint(kn_library *library, const kni_effect_type *type)
{
    const kn_effect_def *def = &type->def;
    bool is_instant = def->duration_kind == KN_DURATION_INSTANT;
    if (is_instant && def->granted_tags.count > 0) {
        kni_library_warn(library,
            "effect `%s` is instant: its granted tags never appear [instant-effect]", def->name);
    }
    if (is_instant && (type->flags & (KNI_EFFECT_ONGOING | KNI_EFFECT_REMOVAL)) != 0) {
        kni_library_warn(library,
            "effect `%s` is instant: its ongoing and removal conditions have no effect "
            "[instant-effect]",
            def->name);
    }
    if (is_instant && def->tag_edit_count > 0) {
        kni_library_warn(library,
            "effect `%s` is instant: its tag edits have no effect [instant-effect]", def->name);
    }
    if (is_instant && def->gate_count > 0) {
        kni_library_warn(library,
            "effect `%s` is instant: its gates have no effect [instant-effect]", def->name);
    }
    if (is_instant && def->blocked_ability_tags.count > 0) {
        kni_library_warn(
            library, "effect `%s` is instant: it blocks no abilities [instant-effect]", def->name);
    }
    for (uint32_t i = 0; i < def->child_count; i++) {
        kn_child_when when = def->children[i].when;
        bool at_end =
            when == KN_CHILD_EXPIRED || when == KN_CHILD_REMOVED_EARLY || when == KN_CHILD_ENDED;
        if (is_instant && (at_end || def->children[i].remove_with_parent)) {
            kni_library_warn(library,
                "effect `%s` is instant: children at its end never start [instant-effect]",
                def->name);
        }
    }
    if (!def->is_periodic &&
        (def->skip_first_tick || def->partial_last_tick || def->stacking.tick_on_stack)) {
        kni_library_warn(library,
            "effect `%s` has no period: its tick options have no effect [tick-options]", def->name);
    }
    float limit = def->stacking.limit.value;
    if (def->stacking.kind != KN_STACK_NONE && def->stacking.limit.curve.index1 == 0 &&
        limit > 0.0f && def->stacking.initial.value > limit) {
        kni_library_warn(
            library, "effect `%s` starts with more stacks than its limit [stack-limit]", def->name);
    }
}

// Effects whose factors for one attribute may act at the same time.
typedef struct factor_list {
    char names[128];
    kni_text text;
    uint32_t count;
    uint32_t groups[16]; // exclusive groups of which one effect is counted already
    uint32_t group_count;
} factor_list;

static void factor_add(factor_list *list, const kni_effect_type *type, const kni_modifier *modifier)
{
    const kn_effect_def *def = &type->def;
    bool piles_up = modifier->scales && def->stacking.kind != KN_STACK_NONE &&
                    def->stacking.limit.value != 1.0f;
    uint32_t group = def->exclusive_group.index1;
    bool is_alone = group != 0 && def->exclusive_rule != KN_EXCLUSIVE_NEWEST_PER_SOURCE;
    // One effect of an exclusive group acts at a time; with KN_EXCLUSIVE_NAME_ONCE, one of each
    // type.
    if (!piles_up && is_alone && def->exclusive_rule != KN_EXCLUSIVE_NAME_ONCE) {
        for (uint32_t i = 0; i < list->group_count; i++) {
            if (list->groups[i] == group) {
                return;
            }
        }
        if (list->group_count < sizeof(list->groups) / sizeof(*list->groups)) {
            list->groups[list->group_count++] = group;
        }
    }
    // An effect that can be active several times counts as two.
    bool repeats = piles_up || (!is_alone && def->stacking.kind == KN_STACK_NONE);
    list->count += repeats ? 2 : 1;
    kni_text_str(&list->text, list->text.length > 0 ? ", " : "");
    kni_text_str(&list->text, type->name);
}

static void factor_warn(kn_library *library, const kni_attribute *attribute, factor_list *list,
    const char *which, const char *what)
{
    if (list->count > 1) {
        kni_library_warn(library,
            "%s: several factors %s may act together (%s); in a biased sum %s: use compound "
            "factors, a group or an exclusive group [biased-factors]",
            attribute->name, which, list->names, what);
    }
}

// Warns about factors that make no sense in a biased sum once several of them act together.
static void factor_lint(kn_library *library)
{
    for (uint32_t a = 0; a < kn_attribute_count(library); a++) {
        factor_list below = {.count = 0}, above = {.count = 0};
        kni_text_init(&below.text, below.names, sizeof(below.names));
        kni_text_init(&above.text, above.names, sizeof(above.names));
        for (uint32_t e = 0; e < library->registries[KN_DEF_EFFECT].count; e++) {
            const kni_effect_type *type = KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, e);
            bool lasting = (type->flags & KNI_EFFECT_ACTIVE) != 0 && !type->def.is_periodic;
            for (uint32_t m = 0; lasting && m < type->modifier_count; m++) {
                const kni_modifier *modifier = &type->modifiers[m];
                bool biased = modifier->op == KN_OP_MULTIPLY_ADDITIVE ||
                              modifier->op == KN_OP_DIVIDE_ADDITIVE;
                if (modifier->attribute != a || !biased || !modifier->is_constant ||
                    modifier->group != 0) {
                    continue;
                }
                if (modifier->constant < 1.0f) {
                    factor_add(&below, type, modifier);
                } else if (modifier->constant >= 2.0f) {
                    factor_add(&above, type, modifier);
                }
            }
        }
        const kni_attribute *attribute = kni_attribute_at(library, a);
        const kn_limit *min = &attribute->def.min;
        bool has_floor = min->is_set && min->attribute == NULL && min->value > 0.0f;
        if (attribute->def.qualify == KN_QUALIFY_ALL) {
            if (!has_floor) {
                factor_warn(library, attribute, &below, "below 1", "they can reach 0 and less");
            }
            factor_warn(library, attribute, &above, "of 2 or more", "2 and 2 make 3");
        }
    }
}

kn_result kni_effects_finish(kn_library *library, kn_error *error)
{
    uint32_t count = library->registries[KN_DEF_EFFECT].count;
    for (uint32_t i = 0; i < count; i++) {
        kni_effect_type *type = KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, i);
        kn_result result = children_resolve(library, type, error);
        if (result == KN_OK) {
            result = kni_effect_type_compile(library, &library->memory, type, error);
        }
        if (result != KN_OK) {
            return result;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const kni_effect_type *type = KNI_ITEM(library, KN_DEF_EFFECT, kni_effect_type, i);
        char circle[128];
        kni_text path;
        kni_text_init(&path, circle, sizeof(circle));
        kni_text_str(&path, type->name);
        if (child_loop(library, i, i, 0, &path)) {
            return kni_error(error, KN_ERROR_BAD_DATA,
                "effect `%s` always starts itself again (%s): give one of them a condition",
                type->name, circle);
        }
        effect_lint(library, type);
    }
    factor_lint(library);
    return KN_OK;
}

bool kn_cue_tag_is_valid(const kn_library *library, kn_tag tag)
{
    if (library == NULL || tag.index1 == 0 || tag.index1 > kn_tag_count(library)) {
        return false;
    }
    kn_tag root = library->cue_root;
    if (root.index1 == 0) {
        root.index1 = kni_ref_find(library, KN_DEF_TAG, "GameplayCue");
    }
    return root.index1 == 0 || (tag.index1 != root.index1 && kn_tag_matches(library, tag, root));
}

bool kni_type_filters_sources(const kni_effect_type *type)
{
    for (uint32_t i = 0; i < type->capture_count; i++) {
        if (type->captures[i].capture->source_filter.count > 0) {
            return true;
        }
    }
    return false;
}
