// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the knack authors

// The numbers of effects: captures, magnitudes, calculations; and the conditions effects depend on.

#include "effect/effect.h"

#include <math.h>
#include <string.h>

struct kn_calculation {
    const kn_spec_view *spec;
    const kni_calculation *type;
    uint32_t slot; // first capture slot, or KNI_NONE to read now
};

// Captures ------------------------------------------------------------------

uint32_t kni_capture_component(const kn_spec_view *spec, kn_capture_from from)
{
    switch (from) {
    case KN_CAPTURE_FROM_SOURCE:
        return spec->source_component;
    case KN_CAPTURE_FROM_TARGET:
        return spec->target_component;
    default:
        return kni_component_find(spec->world, kn_spec_view_causer(spec));
    }
}

kn_result kni_capture_read(const kn_spec_view *spec, const kn_capture *capture, float *value)
{
    return kni_capture_read_of(
        spec->world, kni_capture_component(spec, capture->from), capture, value);
}

bool kni_capture_all(kn_world *world, const kn_spec_view *spec, bool at_creation)
{
    const kni_effect_type *type = spec->type;
    if (type->capture_count == 0) {
        return true;
    }
    kni_rare *rare = kni_rare_at(world, spec->rare1);
    bool is_new = rare->captures.count == 0;
    if (is_new) {
        if (!kni_span_reserve(&world->heap, &world->memory, &rare->captures, type->capture_count,
                sizeof(float))) {
            kni_break(world);
            return false;
        }
        rare->captures.count = type->capture_count;
        for (uint32_t i = 0; i < type->capture_count; i++) {
            *KNI_SPAN_AT(world, rare->captures, float, i) = NAN;
        }
    }
    for (uint32_t i = 0; i < type->capture_count; i++) {
        const kn_capture *capture = type->captures[i].capture;
        bool is_early = capture->snapshot && capture->from != KN_CAPTURE_FROM_TARGET;
        if (at_creation ? !is_early : (is_early && !is_new)) {
            continue;
        }
        float value;
        bool ok = kni_capture_read(spec, capture, &value) == KN_OK;
        *KNI_SPAN_AT(world, rare->captures, float, i) = ok ? value : NAN;
    }
    return true;
}

static kn_result capture_value(
    const kn_spec_view *spec, const kn_capture *capture, uint32_t slot, float *value)
{
    if (slot == KNI_NONE || spec->rare1 == 0) {
        return kni_capture_read(spec, capture, value);
    }
    const kni_rare *rare = kni_rare_at(spec->world, spec->rare1);
    if (slot >= rare->captures.count) {
        return kni_capture_read(spec, capture, value);
    }
    *value = *KNI_SPAN_AT(spec->world, rare->captures, float, slot);
    if (isnan(*value)) {
        *value = 0.0f;
        return KN_REFUSED_MISSING_ATTRIBUTE;
    }
    return KN_OK;
}

bool kni_modifier_reads(
    const kn_spec_view *spec, uint32_t modifier, uint32_t component, uint32_t position)
{
    const kn_world *world = spec->world;
    uint32_t first, end;
    kni_modifier_captures(spec->type, modifier, &first, &end);
    for (uint32_t i = first; i < end; i++) {
        const kn_capture *capture = spec->type->captures[i].capture;
        if (spec->type->captures[i].is_live &&
            kni_capture_component(spec, capture->from) == component &&
            kni_position_keyed(world, kni_component_at(world, component),
                capture->attribute.index1 - 1, capture->key) == position) {
            return true;
        }
    }
    return false;
}

// Magnitudes ----------------------------------------------------------------

kn_result kni_scalable(const kn_spec_view *spec, const kn_scalable *scalable, float *value)
{
    float number = scalable->value;
    if (scalable->parameter.index1 != 0) {
        number = kn_spec_view_parameter(spec, scalable->parameter, NAN);
        if (isnan(number)) {
            *value = 0.0f;
            return KN_REFUSED_MISSING_VALUE;
        }
    }
    *value = scalable->curve.index1 == 0
                 ? number
                 : number * kn_curve_at(spec->world->library, scalable->curve, spec->level);
    return isfinite(*value) ? KN_OK : KN_REFUSED_BAD_NUMBER;
}

// The total number of ticks of an effect; 0 if unknown.
static uint32_t tick_count(const kn_spec_view *spec)
{
    kn_time duration = spec->duration, period = spec->period;
    if (spec->effect != KNI_NONE) {
        const kni_effect *effect = kni_effect_at(spec->world, spec->effect);
        duration = effect->duration;
        period = kni_effect_period(spec->world, effect);
    }
    if (duration <= 0 || duration == KN_TIME_INFINITE || period <= 0) {
        return 0;
    }
    uint64_t ticks = (uint64_t)(duration / period) + (spec->type->def.skip_first_tick ? 0 : 1);
    return ticks > UINT32_MAX ? UINT32_MAX : (uint32_t)ticks;
}

// A share of what is left in a pool, spread over the ticks that are left.
static float pool_share(const kn_spec_view *spec)
{
    if (spec->rare1 == 0) {
        return 0.0f;
    }
    const kni_rare *rare = kni_rare_at(spec->world, spec->rare1);
    uint32_t left = 1;
    if (spec->effect != KNI_NONE) {
        const kni_effect *effect = kni_effect_at(spec->world, spec->effect);
        kn_time period = kni_effect_period(spec->world, effect);
        kn_time rest = kni_effect_end_time(effect) - spec->world->now;
        if (period > 0 && effect->duration != KN_TIME_INFINITE) {
            left = (uint32_t)(rest / period) + 1;
        }
    }
    return rare->pool / (float)left;
}

kn_result kni_spec_read(const void *subject, const kni_reading *reading, float *value)
{
    const kn_spec_view *spec = subject;
    kn_tag tag = {reading->reference};
    bool has = false;
    switch (reading->op) {
    case KNI_CODE_LEVEL:
        *value = spec->level;
        return KN_OK;
    case KNI_CODE_STACKS:
        *value = (float)spec->stacks;
        return KN_OK;
    case KNI_CODE_TICK:
        *value = (float)spec->tick;
        return KN_OK;
    case KNI_CODE_PARAMETER:
        *value = kn_spec_view_parameter(spec, (kn_name){reading->reference}, NAN);
        return isnan(*value) ? KN_REFUSED_MISSING_VALUE : KN_OK;
    case KNI_CODE_PARAMETER_OR:
        *value = kn_spec_view_parameter(spec, (kn_name){reading->reference}, reading->fallback);
        return KN_OK;
    case KNI_CODE_CALLER:
        *value = kn_spec_view_caller_value(spec, tag, NAN, false);
        return isnan(*value) ? KN_REFUSED_MISSING_VALUE : KN_OK;
    case KNI_CODE_CALLER_OR:
        *value = kn_spec_view_caller_value(spec, tag, reading->fallback, false);
        return KN_OK;
    case KNI_CODE_SOURCE_HAS:
        has = kn_spec_view_source_has_tag(spec, tag);
        break;
    case KNI_CODE_TARGET_HAS:
        has = kn_spec_view_target_has_tag(spec, tag);
        break;
    case KNI_CODE_CAUSER_HAS:
        has = kn_entity_has_tag(spec->world, kn_spec_view_causer(spec), tag);
        break;
    case KNI_CODE_ASSET:
        has = kn_spec_view_has_asset_tag(spec, tag);
        break;
    default:
        KN_ASSERT(false);
        return KN_REFUSED_BAD_NUMBER;
    }
    *value = has ? 1.0f : 0.0f;
    return KN_OK;
}

kn_result kni_expression_of_spec(
    const kn_spec_view *spec, const kni_expression *expression, uint32_t slot, float *value)
{
    *value = 0.0f;
    float frame[KNI_EXPRESSION_FRAME];
    for (uint32_t i = 0; i < expression->capture_count; i++) {
        kn_result result = capture_value(
            spec, &expression->captures[i], slot == KNI_NONE ? KNI_NONE : slot + i, &frame[i]);
        if (result != KN_OK) {
            return result;
        }
    }
    kni_expression_input input = {spec->world->library, kni_spec_read, spec};
    return kni_expression_run(expression, &input, frame, value);
}

static kn_result magnitude_raw(
    const kn_spec_view *spec, const kn_magnitude *magnitude, uint32_t slot, float *raw)
{
    const kn_world *world = spec->world;
    const kni_rare *rare = spec->rare1 != 0 ? kni_rare_at(world, spec->rare1) : NULL;
    *raw = 0.0f;
    switch (magnitude->kind) {
    case KN_MAGNITUDE_ATTRIBUTE:
        return capture_value(spec, &magnitude->capture, slot, raw);
    case KN_MAGNITUDE_CALCULATION: {
        const kni_calculation *type = KNI_ITEM(
            world->library, KN_DEF_CALCULATION, kni_calculation, magnitude->calculation.index1 - 1);
        if (type->code != NULL) {
            return kni_expression_of_spec(spec, type->code, slot, raw);
        }
        for (uint32_t i = 0; i < type->def.capture_count; i++) {
            float value;
            kn_result result = capture_value(
                spec, &type->def.captures[i], slot == KNI_NONE ? KNI_NONE : slot + i, &value);
            if (result != KN_OK) {
                return result;
            }
        }
        kn_calculation calculation = {spec, type, slot};
        *raw = type->def.function(type->def.user, &calculation);
        return isfinite(*raw) ? KN_OK : KN_REFUSED_BAD_NUMBER;
    }
    case KN_MAGNITUDE_SET_BY_CALLER: {
        const kni_pair *pair =
            rare != NULL ? kni_pairs_find(world, &rare->caller, magnitude->caller_tag.index1)
                         : kni_ability_pair(spec, magnitude->caller_tag.index1);
        if (pair == NULL && !magnitude->has_default) {
            return KN_REFUSED_MISSING_VALUE;
        }
        *raw = pair != NULL ? pair->value : magnitude->default_value;
        return KN_OK;
    }
    case KN_MAGNITUDE_STACKS:
        *raw = (float)spec->stacks;
        return KN_OK;
    case KN_MAGNITUDE_TICK_INDEX:
        *raw = (float)spec->tick;
        return KN_OK;
    case KN_MAGNITUDE_TICK_COUNT:
        *raw = (float)tick_count(spec);
        return KN_OK;
    case KN_MAGNITUDE_TALLY_LOSS:
        *raw = rare != NULL ? rare->tally_loss : 0.0f;
        return KN_OK;
    case KN_MAGNITUDE_TALLY_GAIN:
        *raw = rare != NULL ? rare->tally_gain : 0.0f;
        return KN_OK;
    case KN_MAGNITUDE_TALLY_NET:
        *raw = rare != NULL ? rare->tally_gain - rare->tally_loss : 0.0f;
        return KN_OK;
    case KN_MAGNITUDE_POOL:
        *raw = pool_share(spec);
        return KN_OK;
    default:
        return KN_OK;
    }
}

kn_result kni_magnitude(
    const kn_spec_view *spec, const kn_magnitude *magnitude, uint32_t slot, float *value)
{
    *value = 0.0f;
    float scale;
    kn_result result = kni_scalable(spec, &magnitude->scale, &scale);
    if (result != KN_OK) {
        return result;
    }
    float number = scale;
    if (magnitude->kind != KN_MAGNITUDE_SCALABLE) {
        float raw, pre, post;
        result = magnitude_raw(spec, magnitude, slot, &raw);
        if (result == KN_OK) {
            result = kni_scalable(spec, &magnitude->pre_add, &pre);
        }
        if (result == KN_OK) {
            result = kni_scalable(spec, &magnitude->post_add, &post);
        }
        if (result != KN_OK) {
            return result;
        }
        if (magnitude->kind == KN_MAGNITUDE_POOL) {
            pre = 0.0f; // for a pool, pre_add is the amount that enters it
        }
        number = scale * (pre + raw) + post;
    }
    if (magnitude->final_curve.index1 != 0) {
        number = kn_curve_at(spec->world->library, magnitude->final_curve, number);
    }
    if (!isfinite(number)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    *value = number;
    return KN_OK;
}

static bool magnitude_is_known(const kn_library *library, const kn_magnitude *magnitude)
{
    uint32_t curves = kn_def_count(library, KN_DEF_CURVE);
    if (magnitude->scale.curve.index1 > curves || magnitude->pre_add.curve.index1 > curves ||
        magnitude->post_add.curve.index1 > curves || magnitude->final_curve.index1 > curves) {
        return false;
    }
    switch (magnitude->kind) {
    case KN_MAGNITUDE_ATTRIBUTE:
        return magnitude->capture.attribute.index1 - 1u < kn_attribute_count(library);
    case KN_MAGNITUDE_CALCULATION:
        return magnitude->calculation.index1 - 1u < kn_def_count(library, KN_DEF_CALCULATION);
    default:
        return (uint32_t)magnitude->kind < KN_MAGNITUDE_KIND_COUNT;
    }
}

kn_result kn_magnitude_evaluate(const kn_world *world, const kn_magnitude *magnitude,
    kn_entity_id source, kn_entity_id target, float level, float *value)
{
    static const kni_effect_type no_type = {.name = NULL}; // an effect without any parts
    KN_ASSERT(world != NULL && magnitude != NULL && value != NULL);
    if (value != NULL) {
        *value = 0.0f;
    }
    if (world == NULL || magnitude == NULL || value == NULL ||
        !magnitude_is_known(world->library, magnitude)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    if (!isfinite(level)) {
        return KN_REFUSED_BAD_NUMBER;
    }
    kn_world *same; // views also serve rules, so they hold a mutable world; this one is only read
    memcpy(&same, &world, sizeof(same));
    kn_spec_view view = {
        .world = same,
        .type = &no_type,
        .source = source,
        .target = target,
        .source_component = kni_component_find(world, source),
        .target_component = kni_component_find(world, target),
        .level = level,
        .stacks = 1,
        .effect = KNI_NONE,
        .duration = -1,
        .period = -1,
    };
    return kni_magnitude(&view, magnitude, KNI_NONE, value);
}

kn_result kn_effect_evaluate(
    const kn_world *world, kn_effect_id effect, const kn_magnitude *magnitude, float *value)
{
    KN_ASSERT(world != NULL && magnitude != NULL && value != NULL);
    if (value != NULL) {
        *value = 0.0f;
    }
    if (world == NULL || magnitude == NULL || value == NULL ||
        !magnitude_is_known(world->library, magnitude)) {
        return KN_ERROR_INVALID_ARGUMENT;
    }
    uint32_t slot = kni_effect_find(world, effect);
    if (slot == KNI_NONE) {
        return KN_REFUSED_STALE_ID;
    }
    kn_world *same; // as above
    memcpy(&same, &world, sizeof(same));
    kn_spec_view view;
    kni_view_of_effect(same, slot, &view);
    return kni_magnitude(&view, magnitude, KNI_NONE, value);
}

kn_result kni_modifier_magnitude(const kn_spec_view *spec, uint32_t index, float *value)
{
    const kni_modifier *modifier = &spec->type->modifiers[index];
    if (modifier->is_constant) {
        *value = modifier->constant;
        return KN_OK;
    }
    kn_result result =
        kni_magnitude(spec, &modifier->def->magnitude, spec->type->modifier_capture[index], value);
    bool is_divide = modifier->op == KN_OP_DIVIDE_ADDITIVE || modifier->op == KN_OP_DIVIDE_COMPOUND;
    if (result == KN_OK && is_divide && fabsf(*value) < KN_DIVISOR_MIN) {
        return KN_REFUSED_BAD_NUMBER;
    }
    return result;
}

float kni_modifier_scaled(
    const kn_spec_view *spec, uint32_t index, float magnitude, uint32_t stacks)
{
    const kni_modifier *modifier = &spec->type->modifiers[index];
    if (modifier->def->stack_curve.index1 != 0) {
        return magnitude *
               kn_curve_at(spec->world->library, modifier->def->stack_curve, (float)stacks);
    }
    return modifier->scales ? kni_scale_by_stacks((kn_op)modifier->op, magnitude, stacks)
                            : magnitude;
}

// Calculations --------------------------------------------------------------

const kn_spec_view *kn_calculation_spec(const kn_calculation *calculation)
{
    return calculation->spec;
}

float kn_calculation_capture(const kn_calculation *calculation, uint32_t index)
{
    if (index >= calculation->type->def.capture_count) {
        kni_emit_error(calculation->spec->world, KN_ERROR_INVALID_ARGUMENT,
            calculation->spec->target, calculation->spec->type->index1, 0, index);
        return 0.0f;
    }
    float value = 0.0f;
    (void)capture_value(calculation->spec, &calculation->type->def.captures[index],
        calculation->slot == KNI_NONE ? KNI_NONE : calculation->slot + index, &value);
    return value;
}

// Conditions ----------------------------------------------------------------

bool kni_modifier_requirement(const kn_spec_view *spec, uint32_t index)
{
    const kn_modifier_def *def = spec->type->modifiers[index].def;
    return kni_component_meets(spec->world, spec->target_component, &def->target) &&
           (kn_tag_requirement_is_empty(&def->source) || kni_source_meets(spec, &def->source));
}

static bool attribute_condition_met(
    const kn_spec_view *spec, const kn_attribute_condition *condition)
{
    const kn_world *world = spec->world;
    uint32_t component =
        condition->from == KN_CAPTURE_FROM_SOURCE ? spec->source_component : spec->target_component;
    if (component == KNI_NONE) {
        return false;
    }
    const kni_component *c = kni_component_at(world, component);
    uint32_t position =
        kni_position_keyed(world, c, condition->attribute.index1 - 1, condition->key);
    if (position == KNI_NONE) {
        return false;
    }
    float value = kni_values_of(world, c)[position].current;
    float unit = 1.0f;
    if (condition->relative_to.index1 != 0) {
        uint32_t other =
            kni_position_keyed(world, c, condition->relative_to.index1 - 1, condition->key);
        if (other == KNI_NONE) {
            return false;
        }
        unit = kni_values_of(world, c)[other].current;
    }
    return (!condition->has_min || value >= condition->min * unit) &&
           (!condition->has_max || value <= condition->max * unit) &&
           (!condition->has_above || value > condition->above * unit) &&
           (!condition->has_below || value < condition->below * unit);
}

static bool attribute_conditions_met(const kn_spec_view *spec, const kn_conditions *conditions)
{
    // True if all conditions of any one group hold.
    for (uint32_t i = 0; i < conditions->attribute_count; i++) {
        uint32_t group = conditions->attributes[i].group;
        bool holds = true;
        for (uint32_t j = 0; j < conditions->attribute_count && holds; j++) {
            holds = conditions->attributes[j].group != group ||
                    attribute_condition_met(spec, &conditions->attributes[j]);
        }
        if (holds) {
            return true;
        }
    }
    return conditions->attribute_count == 0;
}

bool kni_conditions_met(const kn_spec_view *spec, const kn_conditions *conditions)
{
    return kni_component_meets(spec->world, spec->target_component, &conditions->target) &&
           kni_source_meets_now(spec, &conditions->source) &&
           attribute_conditions_met(spec, conditions);
}
